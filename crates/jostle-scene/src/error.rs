//! Why a file is refused: which file, which place in it, and what is wrong there, in one sentence.

/// A refusal of a scene, a pair file, a result table or a recording.
///
/// ```
/// let error = jostle_scene::read_scene("crowd.json", b"[1, 2").unwrap_err();
/// let expected = "an object with the key `format`";
/// assert_eq!(error.to_string(), format!("crowd.json: invalid type: sequence, expected a scene: {expected}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read at all, or holds nothing.
    #[error("{name}: {reason}")]
    Unreadable {
        /// The file.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The bytes are not UTF-8.
    #[error("{name}: byte {offset} is not UTF-8 text")]
    NotText {
        /// The file.
        name: String,
        /// The first wrong byte, counted from 0.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("{name}: line {line}, column {column}: not valid JSON: {reason}")]
    Syntax {
        /// The file.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// The byte in the line, counted from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A value of a JSON document or of Arrow IPC is not what it should be.
    #[error("{name}: {path}{}{reason}", if path.is_empty() { "" } else { ": " })]
    Value {
        /// The file.
        name: String,
        /// The JSON path, such as `bodies[17].shape`, or `batch 2, row 17, column position[1]`, all counted from 0;
        /// empty for the document itself.
        path: String,
        /// What is wrong there.
        reason: String,
    },
    /// A result table without header or rows, as a command leaves behind that has failed before its first.
    #[error("{name}: the file is empty: not even a header (JSON Lines without rows: named *.jsonl, or --format jsonl)")]
    EmptyTable {
        /// The file.
        name: String,
    },
    /// A line of a table is not what it should be.
    #[error("{name}: line {line}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

impl SceneError {
    pub(crate) fn unreadable(name: &str, reason: impl Into<String>) -> Self {
        Self::Unreadable { name: name.to_owned(), reason: reason.into() }
    }
    pub(crate) fn value(name: &str, path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Value { name: name.to_owned(), path: path.into(), reason: reason.into() }
    }
    pub(crate) fn line(name: &str, line: usize, reason: impl Into<String>) -> Self {
        Self::Line { name: name.to_owned(), line, reason: reason.into() }
    }
}

/// A name, fit to stand in a sentence: what would move the cursor or break the line is escaped.
pub(crate) fn escaped(name: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    name.chars().map(escape).collect()
}

/// How much of what the user wrote stands in a sentence.
pub(crate) const LONGEST: usize = 40;

/// What the user wrote, fit to stand in a sentence: escaped, and cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
