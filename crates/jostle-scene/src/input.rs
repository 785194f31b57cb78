//! From a path to text: files or standard input, with a sentence for whatever goes wrong.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::SceneError;

/// The bytes of a file, with the name to use in messages; the path `-` is standard input.
///
/// ```
/// let error = jostle_scene::read_input("no-such-file.json".as_ref()).unwrap_err();
/// assert_eq!(error.to_string(), "no-such-file.json: no such file");
/// ```
///
/// # Errors
/// If the file is missing, a directory, or cannot be read.
pub fn read_input(path: &Path) -> Result<(String, Vec<u8>), SceneError> {
    let (name, result) = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        ("standard input".to_owned(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    match result {
        Ok(bytes) => Ok((name, bytes)),
        // Some systems say "permission denied" of a directory.
        Err(_) if path.is_dir() => Err(SceneError::unreadable(&name, "is a directory, not a file")),
        Err(error) => {
            let reason = match error.kind() {
                ErrorKind::NotFound => "no such file".to_owned(),
                ErrorKind::PermissionDenied => "permission denied".to_owned(),
                _ => format!("cannot be read: {error}"),
            };
            Err(SceneError::unreadable(&name, reason))
        }
    }
}

/// The bytes as text, without a byte order mark.
pub(crate) fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => Err(SceneError::NotText { name: name.to_owned(), offset: error.valid_up_to() }),
    }
}

/// The same, where there must be something beside blanks.
pub(crate) fn filled_text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    let text = text(name, bytes)?;
    if text.trim_ascii().is_empty() { Err(SceneError::unreadable(name, "the file is empty")) } else { Ok(text) }
}
