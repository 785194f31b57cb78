//! Pair files: two bodies a line, for questions about pairs that the scene does not list; also the result tables that
//! name pairs, in any format.

use std::path::Path;

use serde::Deserialize;

use crate::arrow;
use crate::error::{SceneError, quoted};
use crate::form::arrow_form;
use crate::input::{Opened, Source, text_of_lines};
use crate::read::text::check_pair;
use crate::table::json_reason;
use crate::table::names::{A, B};

/// Reads a file of pairs, as [`read_pairs`] does; the path `-` is standard input.
///
/// # Errors
/// If it cannot be read, or does not list pairs of bodies that are there: see [`read_pairs`].
pub fn read_pairs_file(path: &Path, bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    let opened = Opened::open(path)?;
    let name = opened.name.clone();
    match arrow_form(&name, opened.head())? {
        Some(form) => arrow::read_pairs(&name, form, opened.source(), bodies),
        None => read_text(&name, &opened.bytes()?, bodies),
    }
}

/// Reads pairs: two integers a line, apart by blanks or a comma; blank lines and what follows a `#` do not count. Or a
/// table of results, CSV, JSON Lines or Arrow IPC (told apart by content), of which only the columns `a` and `b` are
/// looked at: in CSV they are the first two, and the header says so, and how many cells a row has.
///
/// ```
/// use jostle_scene::read_pairs;
///
/// assert_eq!(read_pairs("pairs.txt", b"# nearest first\n0 1\n3, 2\n", 4)?, [[0, 1], [3, 2]]);
/// assert_eq!(read_pairs("pairs.txt", b"# of a \"jostle-scene\"\n0 1\n", 4)?, [[0, 1]]);
/// assert_eq!(read_pairs("contacts.csv", b"a,b,overlap\n0,1,1\n", 4)?, [[0, 1]]);
/// assert_eq!(read_pairs("contacts.jsonl", br#"{"a":0,"b":1,"overlap":1}"#, 4)?, [[0, 1]]);
/// let error = read_pairs("pairs.txt", b"0 1\n3 4\n", 4).unwrap_err();
/// assert_eq!(error.to_string(), "pairs.txt: line 2: body 4 does not exist (there are 4)");
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If the bytes are neither UTF-8 text nor Arrow IPC that this build reads, a line is anything else, names a body of
/// `bodies` or beyond, or the same body twice; the error names the line, or for Arrow IPC the batch and the row.
pub fn read_pairs(name: &str, bytes: &[u8], bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    match arrow_form(name, bytes)? {
        Some(form) => arrow::read_pairs(name, form, Source::of(bytes), bodies),
        None => read_text(name, bytes, bodies),
    }
}

/// What the lines of a file are.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    Pairs,
    /// CSV, after a header of so many cells.
    Rows(usize),
    Objects,
}

fn read_text(name: &str, bytes: &[u8], bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    let (mut pairs, mut lines) = (Vec::new(), None);
    for (number, line) in (1..).zip(text_of_lines(name, bytes)?.lines()) {
        let comment = if lines == Some(Lines::Objects) { None } else { line.find('#') };
        let content = line[..comment.unwrap_or(line.len())].trim_ascii();
        if content.is_empty() {
            continue;
        }
        let pair = match lines {
            None if is_header(content) => {
                lines = Some(Lines::Rows(cells(content)));
                continue;
            }
            None if content.starts_with('{') => {
                lines = Some(Lines::Objects);
                // A `#` in an object is no comment.
                read_object(line)
            }
            None => {
                lines = Some(Lines::Pairs);
                read_pair(content)
            }
            Some(Lines::Objects) => read_object(line),
            // Of a row that was cut off the second cell may have been, too.
            Some(Lines::Rows(count)) if cells(content) != count => {
                Err(format!("{} cells instead of {count}", cells(content)))
            }
            Some(Lines::Rows(_)) => read_pair(first_two(content)),
            Some(Lines::Pairs) => read_pair(content),
        };
        let pair = pair.and_then(|pair| check_pair(pair, bodies).map(|()| pair));
        pairs.push(pair.map_err(|reason| SceneError::line(name, number, reason))?);
    }
    Ok(pairs)
}

/// What is looked at of a row in JSON Lines.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct PairObject {
    a: u32,
    b: u32,
}

fn read_object(line: &str) -> Result<[u32; 2], String> {
    serde_json::from_str(line).map(|PairObject { a, b }| [a, b]).map_err(|error| json_reason(&error))
}

/// True for the header of a table whose first columns are `a` and `b`.
fn is_header(line: &str) -> bool {
    let mut names = line.split(',').map(str::trim_ascii);
    names.next() == Some(A) && names.next() == Some(B)
}

fn cells(line: &str) -> usize {
    line.split(',').count()
}

/// A line without what stands behind its second cell.
fn first_two(line: &str) -> &str {
    line.match_indices(',').nth(1).map_or(line, |(end, _)| &line[..end])
}

fn read_pair(line: &str) -> Result<[u32; 2], String> {
    let (first, second) =
        line.split_once(',').or_else(|| line.split_once(|c: char| c.is_ascii_whitespace())).unwrap_or((line, ""));
    match (first.trim_ascii().parse(), second.trim_ascii().parse()) {
        (Ok(first), Ok(second)) => Ok([first, second]),
        _ => Err(format!("{} is not two indices of bodies", quoted(line))),
    }
}
