//! Pair files: two bodies a line, for questions about pairs that the scene does not list; also the result tables that name pairs.

use crate::error::{SceneError, quoted};
use crate::input::text;
use crate::read::text::check_pair;

/// Reads pairs: two integers a line, apart by blanks or a comma; blank lines and what follows a `#` do not count. Where the first line is
/// `a,b`, or begins so, as in tables of results, what stands behind the first two columns does not count either.
///
/// ```
/// use jostle_scene::read_pairs;
///
/// assert_eq!(read_pairs("pairs.txt", b"# nearest first\n0 1\n3, 2\n", 4)?, [[0, 1], [3, 2]]);
/// assert_eq!(read_pairs("contacts.csv", b"a,b,overlap\n0,1,1\n", 4)?, [[0, 1]]);
/// let error = read_pairs("pairs.txt", b"0 1\n3 4\n", 4).unwrap_err();
/// assert_eq!(error.to_string(), "pairs.txt: line 2: body 4 does not exist (there are 4)");
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If a line is anything else, names a body of `bodies` or beyond, or the same body twice; the error names the line.
pub fn read_pairs(name: &str, bytes: &[u8], bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    let (mut pairs, mut began, mut table) = (Vec::new(), false, false);
    for (number, line) in (1..).zip(text(name, bytes)?.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_ascii();
        if !began && is_header(line) {
            table = true;
        } else if !line.is_empty() {
            let pair = read_pair(if table { first_two(line) } else { line })
                .and_then(|pair| check_pair(pair, bodies).map(|()| pair));
            pairs.push(pair.map_err(|reason| SceneError::line(name, number, reason))?);
        }
        began |= !line.is_empty();
    }
    Ok(pairs)
}

/// True for the header of a table whose first columns are `a` and `b`.
fn is_header(line: &str) -> bool {
    let mut names = line.split(',').map(str::trim_ascii);
    names.next() == Some("a") && names.next() == Some("b")
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
