//! Reading result tables back, whatever wrote them, all numbers as `f64`.

use std::borrow::Cow;
use std::fmt::{Formatter, Result as Shown};
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::columns::{other_table, wrong_header};
use super::names::{A, B, DISTANCE, LOWER, MINIMAL, NORMAL, SHIFT, STATUS, UPPER, WITNESS_A, WITNESS_B};
use super::proximity::ResultColumns;
use super::result::{Certificate, ResultRow, ResultTable, minimum, status};
use crate::arrow;
use crate::error::{SceneError, quoted};
use crate::form::arrow_form;
use crate::input::{Opened, Source, text_of_lines};

/// Reads a file that holds a result table, as [`read_table`] does; the path `-` is standard input.
///
/// # Errors
/// If it cannot be read, or is no result table: see [`read_table`].
pub fn read_table_file(path: &Path) -> Result<ResultTable, SceneError> {
    let opened = Opened::open(path)?;
    let name = opened.name.clone();
    match arrow_form(&name, opened.head())? {
        Some(form) => arrow::read_table(&name, form, opened.source()),
        None => read_text(&name, &opened.bytes()?),
    }
}

/// Reads a result table, CSV, JSON Lines or Arrow IPC (told apart by content); `name` is what messages call it.
///
/// A number of an Arrow column of type `f32` is read as the `f64` that its text would give, so that tables are equal
/// whatever their format. Nothing at all is a table without rows if the name ends as those of JSON Lines do (`.jsonl`,
/// `.ndjson`), and refused otherwise.
///
/// ```
/// use jostle_scene::read_table;
///
/// let table = read_table("contacts.csv", b"a,b,distance,ax,ay,bx,by,nx,ny\n0,1,0.5,0,0,0.5,0,1,0\n")?;
/// assert_eq!((table.dimension, table.rows[0].distance), (Some(2), 0.5));
///
/// let error = read_table("contacts.csv", b"a,b,distance,ax,ay,bx,by,nx,ny\n0,1,0.5\n").unwrap_err();
/// assert_eq!(error.to_string(), "contacts.csv: line 2: 3 cells instead of 9");
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If there is nothing ([`SceneError::EmptyTable`]), the bytes are neither UTF-8 text nor Arrow IPC that this build
/// reads, the columns are not those of a result table, or a cell is not what its column holds; the error names the
/// line, or for Arrow IPC the batch, the row and the column.
pub fn read_table(name: &str, bytes: &[u8]) -> Result<ResultTable, SceneError> {
    match arrow_form(name, bytes)? {
        Some(form) => arrow::read_table(name, form, Source::of(bytes)),
        None => read_text(name, bytes),
    }
}

fn read_text(name: &str, bytes: &[u8]) -> Result<ResultTable, SceneError> {
    let text = text_of_lines(name, bytes)?;
    let lines = (1..).zip(text.lines());
    let mut filled = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    match filled.clone().next() {
        // JSON Lines without rows are nothing at all. Any other table has a header: nothing is what comes through a
        // pipe from a command that has failed.
        None if is_named_json_lines(name) => Ok(ResultTable::default()),
        None => Err(SceneError::EmptyTable { name: name.to_owned() }),
        Some((_, line)) if line.trim_ascii_start().starts_with('{') => {
            let mut table = ResultTable::default();
            let first = filled.clone().next().map_or(1, |(number, _)| number);
            for (number, line) in filled {
                read_object(&mut table, line, first).map_err(|reason| SceneError::line(name, number, reason))?;
            }
            Ok(table)
        }
        Some((number, header)) => {
            filled.next();
            let columns = read_header(header).map_err(|reason| SceneError::line(name, number, reason))?;
            let mut table = ResultTable::with_columns(columns);
            let count = columns.names().len();
            for (number, line) in filled {
                let row = read_line(line, columns, count);
                table.rows.push(row.map_err(|reason| SceneError::line(name, number, reason))?);
            }
            Ok(table)
        }
    }
}

fn is_named_json_lines(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ["jsonl", "ndjson"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

fn read_header(header: &str) -> Result<ResultColumns, String> {
    let found: Vec<&str> = header.split(',').map(str::trim_ascii).collect();
    ResultColumns::all().find(|columns| columns.names() == found).ok_or_else(|| wrong_header(&found))
}

/// Reads a row of CSV; `count` is the number of columns.
fn read_line(line: &str, columns: ResultColumns, count: usize) -> Result<ResultRow, String> {
    let ResultColumns { dimension, shift, certificate } = columns;
    let mut cells = line.split(',').map(str::trim_ascii);
    let short = || format!("{} cells instead of {count}", line.split(',').count());
    let mut next = |column: &'static str| cells.next().map(|cell| (column, cell)).ok_or_else(short);
    let index = |(column, cell): (&str, &str)| {
        cell.parse::<u32>().map_err(|_| format!("`{column}` is {}, not the index of a body", quoted(cell)))
    };
    let number = |(column, cell): (&str, &str)| {
        cell.parse::<f64>().map_err(|_| format!("`{column}` is {}, not a number", quoted(cell)))
    };
    let mut row = ResultRow { a: index(next(A)?)?, b: index(next(B)?)?, ..ResultRow::default() };
    row.distance = number(next(DISTANCE)?)?;
    let shifts = if shift { dimension } else { 0 };
    for (names, into, count) in [
        (WITNESS_A, &mut row.witness_a, dimension),
        (WITNESS_B, &mut row.witness_b, dimension),
        (NORMAL, &mut row.normal, dimension),
        (SHIFT, &mut row.shift, shifts),
    ] {
        for (name, to) in names.into_iter().zip(into).take(count) {
            *to = number(next(name)?)?;
        }
    }
    if certificate {
        row.certificate = Some(Certificate {
            lower: number(next(LOWER)?)?,
            upper: number(next(UPPER)?)?,
            status: status(next(STATUS)?.1)?,
            minimum: minimum(next(MINIMAL)?.1)?,
        });
    }
    if cells.next().is_some() { Err(short()) } else { Ok(row) }
}

/// A JSON number, or one of those that JSON lacks as a string.
#[derive(Clone, Copy, Debug)]
struct Real(f64);

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RealVisitor)
    }
}

struct RealVisitor;

impl Visitor<'_> for RealVisitor {
    type Value = Real;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a number")
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Real, E> {
        Ok(Real(value))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Real, E> {
        Ok(Real(value as f64))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Real, E> {
        Ok(Real(value as f64))
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<Real, E> {
        match word {
            "inf" => Ok(Real(f64::INFINITY)),
            "-inf" => Ok(Real(f64::NEG_INFINITY)),
            "nan" => Ok(Real(f64::NAN)),
            _ => Err(E::custom(format_args!("{} is not a number", quoted(word)))),
        }
    }
}

/// A row in JSON Lines: its fields are the columns of `names.rs`.
#[derive(Deserialize)]
#[serde(expecting = "an object", deny_unknown_fields)]
struct RowObject<'l> {
    a: u32,
    b: u32,
    distance: Real,
    ax: Real,
    ay: Real,
    az: Option<Real>,
    bx: Real,
    by: Real,
    bz: Option<Real>,
    nx: Real,
    ny: Real,
    nz: Option<Real>,
    sx: Option<Real>,
    sy: Option<Real>,
    sz: Option<Real>,
    lower: Option<Real>,
    upper: Option<Real>,
    #[serde(borrow)]
    status: Option<Cow<'l, str>>,
    #[serde(borrow)]
    minimal: Option<Cow<'l, str>>,
}

impl RowObject<'_> {
    /// The keys that not every row has, in their order, and whether this one has them.
    fn optional(&self) -> [(&'static str, bool); 10] {
        [
            (WITNESS_A[2], self.az.is_some()),
            (WITNESS_B[2], self.bz.is_some()),
            (NORMAL[2], self.nz.is_some()),
            (SHIFT[0], self.sx.is_some()),
            (SHIFT[1], self.sy.is_some()),
            (SHIFT[2], self.sz.is_some()),
            (LOWER, self.lower.is_some()),
            (UPPER, self.upper.is_some()),
            (STATUS, self.status.is_some()),
            (MINIMAL, self.minimal.is_some()),
        ]
    }
    /// What its keys say. Where they are those of no table, it is those that are wrong which make the fewest: of one
    /// `az` alone it is too many, of one `bz` and one `nz` one too few.
    fn columns(&self) -> Result<ResultColumns, String> {
        let optional = self.optional();
        let differing =
            |columns: ResultColumns| optional.into_iter().filter(move |&(key, has)| has != columns.has(key));
        let nearest = ResultColumns::all().min_by_key(|&columns| differing(columns).count());
        let nearest = nearest.unwrap_or(ResultColumns::PLANE);
        match differing(nearest).next() {
            None => Ok(nearest),
            Some((key, true)) => Err(format!("the key `{key}` is surplus: others that belong to it are missing")),
            Some((key, false)) => Err(missing(key, None)),
        }
    }
}

/// That a row lacks a key, which a row on another line may have.
fn missing(key: &str, there: Option<usize>) -> String {
    match there {
        Some(line) => format!("the key `{key}` is missing (line {line} has it)"),
        None => format!("the key `{key}` is missing"),
    }
}

/// That a line is a row of another table, if it is.
fn other_object(line: &str) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    other_table(&keys)
}

/// The key of every row that is missing, if that is what is wrong.
fn missing_field(error: &serde_json::Error) -> Option<String> {
    let text = error.to_string();
    let (key, _) = text.strip_prefix("missing field `")?.split_once('`')?;
    Some(key.to_owned())
}

/// Why a line is no object that is wanted. The line is our own to name: `serde_json` sees only one.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let here = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&here).unwrap_or(&text);
    format!("column {}: {reason}", error.column())
}

/// Reads a row of JSON Lines; `first` is the line of the first one.
fn read_object(table: &mut ResultTable, line: &str, first: usize) -> Result<(), String> {
    let begun = table.columns();
    let object: RowObject<'_> = serde_json::from_str(line).map_err(|error| {
        other_object(line).unwrap_or_else(|| match missing_field(&error) {
            Some(key) => missing(&key, begun.map(|_| first)),
            None => json_reason(&error),
        })
    })?;
    match begun {
        Some(columns) => match object.optional().into_iter().find(|&(key, has)| has != columns.has(key)) {
            Some((key, true)) => return Err(format!("the key `{key}` is surplus (line {first} lacks it)")),
            Some((key, false)) => return Err(missing(key, Some(first))),
            None => {}
        },
        None => *table = ResultTable::with_columns(object.columns()?),
    }
    let point = |x: Option<Real>, y: Option<Real>, z: Option<Real>| [x, y, z].map(|c| c.map_or(0.0, |Real(c)| c));
    table.rows.push(ResultRow {
        a: object.a,
        b: object.b,
        distance: object.distance.0,
        witness_a: point(Some(object.ax), Some(object.ay), object.az),
        witness_b: point(Some(object.bx), Some(object.by), object.bz),
        normal: point(Some(object.nx), Some(object.ny), object.nz),
        shift: point(object.sx, object.sy, object.sz),
        certificate: match (object.lower, object.upper, object.status, object.minimal) {
            (Some(Real(lower)), Some(Real(upper)), Some(word), Some(minimal)) => {
                Some(Certificate { lower, upper, status: status(&word)?, minimum: minimum(&minimal)? })
            }
            _ => None,
        },
    });
    Ok(())
}
