//! Pair files: two bodies a line, for questions about pairs that the scene does not list.

use crate::error::{SceneError, quoted};
use crate::input::text;
use crate::read::text::check_pair;

/// Reads pairs: two integers a line, apart by blanks or a comma; blank lines and what follows a `#` do not count.
///
/// ```
/// use jostle_scene::read_pairs;
///
/// assert_eq!(read_pairs("pairs.txt", b"# nearest first\n0 1\n3, 2\n", 4)?, [[0, 1], [3, 2]]);
/// let error = read_pairs("pairs.txt", b"0 1\n3 4\n", 4).unwrap_err();
/// assert_eq!(error.to_string(), "pairs.txt: line 2: body 4 does not exist (there are 4)");
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If a line is anything else, names a body of `bodies` or beyond, or the same body twice; the error names the line.
pub fn read_pairs(name: &str, bytes: &[u8], bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text(name, bytes)?.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_ascii();
        if !line.is_empty() {
            let pair = read_pair(line).and_then(|pair| check_pair(pair, bodies).map(|()| pair));
            pairs.push(pair.map_err(|reason| SceneError::line(name, number, reason))?);
        }
    }
    Ok(pairs)
}

fn read_pair(line: &str) -> Result<[u32; 2], String> {
    let (first, second) =
        line.split_once(',').or_else(|| line.split_once(|c: char| c.is_ascii_whitespace())).unwrap_or((line, ""));
    match (first.trim_ascii().parse(), second.trim_ascii().parse()) {
        (Ok(first), Ok(second)) => Ok([first, second]),
        _ => Err(format!("{} is not two indices of bodies", quoted(line))),
    }
}
