//! From a path to bytes: files or standard input, with a sentence for whatever goes wrong.

use std::fs::File;
use std::io::{Cursor, Error, ErrorKind, Read, Seek, SeekFrom, StdinLock};
use std::path::Path;

use crate::error::{SceneError, escaped};

/// What messages call a path: itself, or `standard input` for `-`.
///
/// ```
/// assert_eq!(jostle_scene::input_name("crowd.json".as_ref()), "crowd.json");
/// assert_eq!(jostle_scene::input_name("-".as_ref()), "standard input");
/// ```
pub fn input_name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path_name(path) }
}

/// What messages call a file: its path, with control characters escaped.
///
/// ```
/// assert_eq!(jostle_scene::path_name("two\nlines.csv".as_ref()), r"two\nlines.csv");
/// ```
pub fn path_name(path: &Path) -> String {
    escaped(&path.display().to_string())
}

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
    let opened = Opened::open(path)?;
    let name = opened.name.clone();
    Ok((name, opened.bytes()?))
}

/// A file or standard input, of which only the first bytes were read: enough to tell what it is.
pub(crate) struct Opened {
    pub(crate) name: String,
    head: Vec<u8>,
    rest: Rest,
}

enum Rest {
    /// An ordinary file, back at its first byte.
    File(File),
    /// What can be read only once, the first bytes taken out.
    Pipe(File),
    Standard(StdinLock<'static>),
}

/// What can be read at any place.
pub(crate) trait ReadSeek: Read + Seek {}
impl<R: Read + Seek> ReadSeek for R {}

/// How large files are read: at any place, or from the first byte to the last.
#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "nothing else is read in pieces"))]
pub(crate) enum Source<'b> {
    Seekable(Box<dyn ReadSeek + 'b>),
    Sequential(Box<dyn Read>),
}

impl<'b> Source<'b> {
    /// Bytes in memory.
    pub(crate) fn of(bytes: &'b [u8]) -> Self {
        Source::Seekable(Box::new(Cursor::new(bytes)))
    }
}

impl Opened {
    /// As many bytes as tell what a file is.
    pub(crate) const HEAD: usize = 8;

    pub(crate) fn open(path: &Path) -> Result<Self, SceneError> {
        let name = input_name(path);
        let begin = || {
            let mut head = Vec::with_capacity(Self::HEAD);
            if path.as_os_str() == "-" {
                let mut input = std::io::stdin().lock();
                input.by_ref().take(Self::HEAD as u64).read_to_end(&mut head)?;
                return Ok((head, Rest::Standard(input)));
            }
            let mut file = File::open(path)?;
            file.by_ref().take(Self::HEAD as u64).read_to_end(&mut head)?;
            if file.metadata()?.is_file() {
                file.seek(SeekFrom::Start(0))?;
                return Ok((head, Rest::File(file)));
            }
            Ok((head, Rest::Pipe(file)))
        };
        match begin() {
            Ok((head, rest)) => Ok(Self { name, head, rest }),
            // Some systems say "permission denied" of a directory.
            Err(_) if path.is_dir() => Err(SceneError::unreadable(&name, "is a directory, not a file")),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// The first bytes: fewer than [`Opened::HEAD`] only where there are no more.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Everything, the first bytes included.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, SceneError> {
        let Self { name, head, rest } = self;
        let mut bytes = head;
        let read = match rest {
            Rest::File(mut file) => {
                bytes.clear();
                // A file says how large it is, and is then read in one piece.
                bytes.reserve(file.metadata().map_or(0, |metadata| metadata.len() as usize));
                file.read_to_end(&mut bytes)
            }
            Rest::Pipe(mut pipe) => pipe.read_to_end(&mut bytes),
            Rest::Standard(mut input) => input.read_to_end(&mut bytes),
        };
        read.map(|_| bytes).map_err(|error| unreadable(&name, &error))
    }

    /// The same, to be read piece by piece.
    pub(crate) fn source(self) -> Source<'static> {
        let head = Cursor::new(self.head);
        match self.rest {
            Rest::File(file) => Source::Seekable(Box::new(file)),
            Rest::Pipe(pipe) => Source::Sequential(Box::new(head.chain(pipe))),
            Rest::Standard(input) => Source::Sequential(Box::new(head.chain(input))),
        }
    }
}

/// An error of the system as a sentence.
pub(crate) fn unreadable(name: &str, error: &Error) -> SceneError {
    let reason = match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    SceneError::unreadable(name, reason)
}

/// The bytes as text, without a byte order mark.
pub(crate) fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => Err(SceneError::NotText { name: name.to_owned(), offset: error.valid_up_to() }),
    }
}

/// Where the format of a scene is named: its first key, if a program wrote it.
const HEAD: usize = 200;

/// The same, where lines of a table or a list are expected: a scene in their place is refused as such.
pub(crate) fn text_of_lines<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    const NAME: &[u8] = b"\"jostle-scene\"";
    let text = text(name, bytes)?;
    let begins = text.trim_ascii_start().as_bytes();
    if begins.starts_with(b"{") && begins[..begins.len().min(HEAD)].windows(NAME.len()).any(|window| window == NAME) {
        return Err(SceneError::unreadable(name, "a scene, where pairs or rows of results are expected"));
    }
    Ok(text)
}

/// The same, where there must be something beside blanks.
pub(crate) fn filled_text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    let text = text(name, bytes)?;
    if text.trim_ascii().is_empty() { Err(SceneError::unreadable(name, "the file is empty")) } else { Ok(text) }
}

/// The same, where a scene is expected.
pub(crate) fn text_of_scene<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    let text = filled_text(name, bytes)?;
    let begins = text.trim_ascii_start();
    if begins.starts_with("a,b,") || begins.starts_with("{\"a\":") {
        return Err(SceneError::unreadable(name, "a table of results, where a scene is expected"));
    }
    Ok(text)
}
