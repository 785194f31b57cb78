//! Which column of a recording holds what, as its header says: `# frame id x/m y/m`.
//!
//! Comments are prose as well, and other names for columns are in use (`PersID`, `FR`). So a comment counts as a list
//! of columns if it consists of names that are known, or of as many names as rows have columns, with x, y and some
//! unit or known name among them. What such a line says is followed, or at least not contradicted.

use crate::error::{SceneError, quoted};

/// The columns that are known, in the order that they have where no header says another.
const KNOWN: [&str; 5] = ["id", "frame", "x", "y", "z"];

/// Where the columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Of id, frame, x and y, counted from 0.
    pub(super) places: [usize; 4],
    /// The line that says so; 0 if none does.
    pub(super) line: usize,
}

/// The columns of a recording.
///
/// # Errors
/// If a line names columns, but not all of those that are needed, or in an order that cannot be followed, or if two
/// lines contradict each other.
pub(super) fn find_columns(name: &str, text: &str) -> Result<Columns, SceneError> {
    let usual = [0, 1, 2, 3];
    let content = text.lines().map(str::trim_ascii).find(|line| !line.is_empty() && !line.starts_with('#'));
    let width = content.map_or(0, |row| row.split_ascii_whitespace().count());
    let mut found: Option<Columns> = None;
    for (line, comment) in (1..).zip(text.lines()) {
        let Some(comment) = comment.trim_ascii().strip_prefix('#') else { continue };
        let Some(names) = listed(&comment.to_ascii_lowercase(), width) else { continue };
        let shown = quoted(&names.join(", "));
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let all_known = names.iter().all(|name| KNOWN.contains(&name.as_str()));
        let once = (1..names.len()).all(|at| !names[..at].contains(&names[at]));
        let places = match KNOWN.map(place) {
            [Some(id), Some(frame), Some(x), Some(y), _] if all_known && once => [id, frame, x, y],
            // Other words for some of them, which contradict nothing.
            places if !all_known && places.into_iter().enumerate().all(|(at, place)| place.is_none_or(|p| p == at)) => {
                usual
            }
            _ => {
                let reason = format!("columns are {shown}; expected id, frame, x, y and perhaps z, in any order");
                return Err(SceneError::line(name, line, reason));
            }
        };
        match found {
            Some(before) if before.places != places => {
                let reason = format!("columns are {shown} here, in another order on line {}", before.line);
                return Err(SceneError::line(name, line, reason));
            }
            Some(_) => {}
            None => found = Some(Columns { places, line }),
        }
    }
    Ok(found.unwrap_or(Columns { places: usual, line: 0 }))
}

/// The names of columns in a comment, in small letters, without their units; none if it lists none.
fn listed(comment: &str, width: usize) -> Option<Vec<String>> {
    let (plain, mut has_unit) = without_brackets(comment);
    // `# columns: id frame x y`
    let list = plain.split_once(':').map_or(plain.as_str(), |(_, list)| list);
    let mut names: Vec<String> = Vec::new();
    for word in list.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';')) {
        let (name, unit) = word.split_once('/').map_or((word, None), |(name, unit)| (name, Some(unit)));
        let of_length = names.last().is_some_and(|before| ["x", "y", "z"].contains(&before.as_str()));
        if unit.is_some() || of_length && ["m", "cm"].contains(&name) {
            has_unit = true;
        }
        // What stands alone is the unit of the name before, as in `x / m`.
        if !(name.is_empty() || of_length && ["m", "cm"].contains(&name)) {
            names.push(name.to_owned());
        }
    }
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let about_people = has("id") || has("frame");
    let all_known = names.iter().all(|name| KNOWN.contains(&name.as_str()));
    let complete = names.len() == width && has("x") && has("y") && (about_people || has_unit);
    (names.len() > 1 && (all_known && about_people || complete)).then_some(names)
}

/// The text without what stands in brackets, and whether anything does.
fn without_brackets(text: &str) -> (String, bool) {
    let (mut plain, mut depth, mut any) = (String::with_capacity(text.len()), 0_usize, false);
    for c in text.chars() {
        match c {
            '[' | '(' => (depth, any) = (depth + 1, true),
            ']' | ')' => {
                depth = depth.saturating_sub(1);
                plain.push(' ');
            }
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    (plain, any)
}
