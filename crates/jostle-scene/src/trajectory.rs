//! Recordings of walking people: lines `id frame x y [z]`, as `PeTrack` and `JuPedSim` write them, or in the order that
//! the header names ([`columns`]).
//!
//! Lengths are in metres or centimetres. The header says which (`# id frame x/m y/m z/m`), and there is no guessing:
//! a recording that does not say it is refused unless the caller does.

mod columns;

use jostle::MAX_LENGTH;

use self::columns::{Columns, find_columns};
use crate::error::{SceneError, quoted};
use crate::input::filled_text;

/// The unit of a recording's lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Metres.
    Metre,
    /// Centimetres.
    Centimetre,
}

impl Unit {
    /// Its symbol: `m` or `cm`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Metre => "m",
            Unit::Centimetre => "cm",
        }
    }
    fn of(symbol: &str) -> Option<Self> {
        [Unit::Metre, Unit::Centimetre].into_iter().find(|unit| unit.symbol() == symbol)
    }
    fn metres(self, value: f64) -> f64 {
        match self {
            Unit::Metre => value,
            Unit::Centimetre => value / 100.0,
        }
    }
}

/// Who was where, frame by frame, in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    unit: Unit,
    /// Each frame's number and the row it starts at.
    frames: Vec<(i64, usize)>,
    people: Vec<u64>,
    positions: Vec<[f64; 2]>,
}

/// The people of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame<'t> {
    /// The frame's number in the recording.
    pub number: i64,
    /// Who is there, ascending.
    pub people: &'t [u64],
    /// Where each of them is, metres.
    pub positions: &'t [[f64; 2]],
}

impl Trajectory {
    /// The unit that the recording was in; positions are in metres whatever it was.
    pub fn unit(&self) -> Unit {
        self.unit
    }
    /// The frames with people, ascending.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = Frame<'_>> {
        self.frames.iter().enumerate().map(|(index, &(number, start))| {
            let end = self.frames.get(index + 1).map_or(self.people.len(), |next| next.1);
            Frame { number, people: &self.people[start..end], positions: &self.positions[start..end] }
        })
    }
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }
}

struct Row {
    frame: i64,
    person: u64,
    line: usize,
    position: [f64; 2],
}

/// Reads a recording; `unit` overrules its header, `name` is what messages call it.
///
/// Lines may come in any order. Columns are `id frame x y [z]`, or, where a line of the header names them all (`# frame
/// id x/m y/m`), those that it names, in its order. A third coordinate is checked, and otherwise ignored.
///
/// ```
/// use jostle_scene::{Unit, read_trajectory};
///
/// let text = b"# id frame x/cm y/cm\n2 10 150 0\n1 10 0 0\n1 11 10 0\n";
/// let recording = read_trajectory("corridor.txt", text, None)?;
/// let first = recording.frames().next().unwrap();
/// assert_eq!((first.number, first.people), (10, &[1, 2][..]));
/// assert_eq!(first.positions, [[0.0, 0.0], [1.5, 0.0]]);
///
/// let frame_first = b"# frame id x/cm y/cm\n10 2 150 0\n10 1 0 0\n11 1 10 0\n";
/// assert_eq!(read_trajectory("corridor.txt", frame_first, None)?, recording);
///
/// let error = read_trajectory("corridor.txt", b"1 10 0 0\n", None).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "corridor.txt: no header says the unit of lengths (such as `# id frame x/m y/m`): it must be given (--unit m, \
///      --unit cm)"
/// );
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If the file is empty or not UTF-8, no unit is known, the header says one for x and another for y, or names columns
/// among which these four are not, or in two orders, a line is not `id frame x y [z]` with coordinates within 1e15, or
/// a person is twice in one frame; the error names the line.
pub fn read_trajectory(name: &str, bytes: &[u8], unit: Option<Unit>) -> Result<Trajectory, SceneError> {
    let text = filled_text(name, bytes)?;
    let unit = match unit {
        Some(unit) => unit,
        None => find_unit(name, text)?,
    };
    let columns = find_columns(name, text)?;
    let mut rows = Vec::new();
    let mut width = None;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim_ascii();
        if !content.is_empty() && !content.starts_with('#') {
            let row = read_row(content, line, unit, columns, &mut width);
            rows.push(row.map_err(|reason| SceneError::line(name, line, reason))?);
        }
    }
    rows.sort_unstable_by_key(|row| (row.frame, row.person, row.line));
    if let Some([first, again]) = rows
        .array_windows()
        .filter(|[one, next]| (one.frame, one.person) == (next.frame, next.person))
        .min_by_key(|[_, again]| again.line)
    {
        let reason = format!("person {} is in frame {} already (line {})", again.person, again.frame, first.line);
        return Err(SceneError::line(name, again.line, reason));
    }
    let mut frames: Vec<(i64, usize)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if frames.last().is_none_or(|&(number, _)| number != row.frame) {
            frames.push((row.frame, index));
        }
    }
    Ok(Trajectory {
        unit,
        frames,
        people: rows.iter().map(|row| row.person).collect(),
        positions: rows.iter().map(|row| row.position).collect(),
    })
}

/// The unit in the header: `x/m`, `x[m]` or `x (m)`, and so for centimetres and `y`.
fn find_unit(name: &str, text: &str) -> Result<Unit, SceneError> {
    let (mut found, mut unknown) = (None, None);
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim_ascii().strip_prefix('#') else { continue };
        let letters = comment.to_ascii_lowercase();
        // The third coordinate may have whatever unit: nothing is made of it.
        let [x, y] = ["x", "y"].map(|axis| unit_words(&letters, axis));
        let known = |words: &[(&str, bool)]| words.iter().find_map(|&(word, _)| Unit::of(word));
        let Some(unit) = known(&x) else {
            let foreign = x.iter().find(|&&(_, marked)| marked).map(|&(word, _)| (word.to_owned(), number));
            unknown = unknown.or(foreign);
            continue;
        };
        let differs = |&&(word, marked): &&(&str, bool)| match Unit::of(word) {
            Some(other) => other != unit,
            None => marked,
        };
        if let Some((other, axis)) = x
            .iter()
            .find(differs)
            .map(|&(word, _)| (word, "x"))
            .or_else(|| y.iter().find(differs).map(|&(word, _)| (word, "y")))
        {
            let reason = format!("x is in {}, but {axis} in {}", unit.symbol(), quoted(other));
            return Err(SceneError::line(name, number, reason));
        }
        match found {
            None => found = Some((unit, number)),
            Some((before, line)) if before != unit => {
                let reason = format!("lengths are in {} here, in {} on line {line}", unit.symbol(), before.symbol());
                return Err(SceneError::line(name, number, reason));
            }
            Some(_) => {}
        }
    }
    match (found, unknown) {
        (Some((unit, _)), _) => Ok(unit),
        (None, Some((word, line))) => {
            let reason = format!("x is in {}, and the units that are known are m and cm", quoted(&word));
            Err(SceneError::line(name, line, reason))
        }
        (None, None) => {
            let missing = "no header says the unit of lengths (such as `# id frame x/m y/m`): it must be given (--unit m, --unit cm)";
            Err(SceneError::unreadable(name, missing))
        }
    }
}

/// The words that may be the unit of an axis, one for each time that it is named: those after it; and whether what
/// stands between them marks it as one, as in `x/mm`.
fn unit_words<'l>(letters: &'l str, axis: &str) -> Vec<(&'l str, bool)> {
    let mut words = letters.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).peekable();
    let mut found = Vec::new();
    while let Some(piece) = words.next() {
        let name = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if name != axis {
            continue;
        }
        let mut marked = piece.ends_with(['/', '[', '(']);
        // Pieces of a mark alone, as of the blank before a bracket.
        while let Some(mark) = words.next_if(|piece| !piece.starts_with(|c: char| c.is_ascii_alphanumeric())) {
            marked |= mark.ends_with(['/', '[', '(']);
        }
        let word = words.peek().map(|piece| piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()));
        found.extend(word.map(|word| (word, marked)));
    }
    found
}

fn read_row(
    content: &str,
    line: usize,
    unit: Unit,
    columns: Columns,
    width: &mut Option<usize>,
) -> Result<Row, String> {
    let mut cells = [""; 5];
    let mut count = 0;
    for cell in content.split_ascii_whitespace() {
        if let Some(to) = cells.get_mut(count) {
            *to = cell;
        }
        count += 1;
    }
    if !(4..=5).contains(&count) {
        return Err(format!("{count} columns instead of `id frame x y` or `id frame x y z`, with blanks between them"));
    }
    let before = *width.get_or_insert(count);
    if count != before {
        return Err(format!("{count} columns, but {before} on the lines before"));
    }
    let whole = |what: &str, cell: &str| {
        whole_number(cell).ok_or_else(|| format!("the {what} is {}, not a whole number of 64 bits", quoted(cell)))
    };
    let length = |what: &str, cell: &str| match cell.parse::<f64>() {
        Ok(value) if value.abs() <= MAX_LENGTH => Ok(unit.metres(value)),
        _ => Err(format!("{what} is {}, not a number within 1e15", quoted(cell))),
    };
    let [id, frame, x, y] = columns.places;
    if let Some((name, place)) = ["id", "frame", "x", "y"].into_iter().zip(columns.places).find(|&(_, at)| at >= count)
    {
        return Err(format!("{count} columns, but line {} says that column {} is {name}", columns.line, place + 1));
    }
    let person = match cells[id].parse() {
        Ok(person) => person,
        Err(_) => u64::try_from(whole("id", cells[id])?).map_err(|_| format!("the id {} is negative", cells[id]))?,
    };
    let frame = whole("frame", cells[frame])?;
    let position = [length("x", cells[x])?, length("y", cells[y])?];
    // The column that is none of these four.
    if let Some(z) = (0..count).find(|column| !columns.places.contains(column)) {
        length("z", cells[z])?;
    }
    Ok(Row { frame, person, line, position })
}

/// An integer, also as programs print it that know only floats: `12.0`, `1.2e1`.
fn whole_number(cell: &str) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    cell.parse().ok().or_else(|| {
        let value = cell.parse::<f64>().ok()?;
        (value.fract() == 0.0 && value.abs() < EXACT).then_some(value as i64)
    })
}
