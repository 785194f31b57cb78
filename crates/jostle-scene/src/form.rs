//! What a file is, told by its first bytes.

use crate::error::SceneError;
use crate::input::Opened;

/// The two forms of Arrow IPC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ArrowForm {
    /// With a table of contents at the end: for files, usually named `*.arrow`.
    #[default]
    File,
    /// From the first batch to the last: for pipes, usually named `*.arrows`.
    Stream,
}

/// The form of Arrow IPC that begins like this; none where it is text, or nothing that is known.
///
/// # Errors
/// If it is a table of another kind that people might take for Arrow IPC.
pub(crate) fn arrow_form(name: &str, head: &[u8]) -> Result<Option<ArrowForm>, SceneError> {
    let head = &head[..head.len().min(Opened::HEAD)];
    let refuse = |what| Err(SceneError::unreadable(name, format!("is {what}, not Arrow IPC (Feather version 2)")));
    if head.starts_with(b"ARROW1") {
        return Ok(Some(ArrowForm::File));
    }
    match head.first_chunk() {
        Some(b"PAR1") => refuse("a Parquet file"),
        Some(b"FEA1") => refuse("a Feather file of version 1"),
        Some([0xff, 0xff, 0xff, 0xff]) => Ok(Some(ArrowForm::Stream)),
        // Before 2019 a stream began with the length of its schema, a multiple of 8 with these four bytes. No text has
        // a zero byte here, in whatever encoding, and fits that.
        Some(&length @ [_, _, _, 0]) if length != [0; 4] && (u32::from_le_bytes(length) + 4).is_multiple_of(8) => {
            Ok(Some(ArrowForm::Stream))
        }
        _ => Ok(None),
    }
}
