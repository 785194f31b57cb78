//! Result tables: one row a pair, as CSV or JSON Lines.
//!
//! ```text
//! a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz          in the plane without the columns that end in z
//!     [,sx,sy,sz]                                  in periodic scenes: the shift of b's image
//!     [,lower,upper,status,minimal]                with the certificate
//! ```
//!
//! Every number is the shortest decimal that reads back as the same value of its type: `0.1` for `0.1f32`, `2` for 2,
//! `0` also for minus zero, `1e300`. What is not finite is `inf`, `-inf` or `nan`, in JSON Lines as a string, for JSON
//! has no such numbers.

mod casts;
mod overlaps;
mod read;

use std::io::{self, Write};
use std::marker::PhantomData;

use jostle::{Proximity, Scalar, Space};

use crate::number::{push, push_index};
pub use read::{Certificate, ResultRow, ResultTable, read_table};

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// A header, then one line a row, cells separated by commas.
    #[default]
    Csv,
    /// One object a line, its keys the columns.
    JsonLines,
}

/// What a table looks like: its format, and the columns beside those that are always there.
///
/// Rows are appended to bytes, so that threads can write theirs apart from each other.
///
/// ```
/// use jostle::{D2, Proximity};
/// use jostle_scene::{TableFormat, TableLayout};
///
/// let row = Proximity::<D2, f32> { b: 1, distance: 0.1, normal: [1.0, 0.0], ..Proximity::default() };
/// let mut text = Vec::new();
/// TableLayout::default().push_header::<D2>(&mut text);
/// TableLayout::default().push_row(&mut text, &row, None);
/// TableLayout { format: TableFormat::JsonLines, ..TableLayout::default() }.push_row(&mut text, &row, None);
/// assert_eq!(
///     std::str::from_utf8(&text)?,
///     r#"a,b,distance,ax,ay,bx,by,nx,ny
/// 0,1,0.1,0,0,0,0,1,0
/// {"a":0,"b":1,"distance":0.1,"ax":0,"ay":0,"bx":0,"by":0,"nx":1,"ny":0}
/// "#
/// );
/// # Ok::<(), std::str::Utf8Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableLayout {
    /// CSV or JSON Lines.
    pub format: TableFormat,
    /// With the columns `lower`, `upper`, `status`, `minimal`.
    pub certificate: bool,
    /// With the columns `sx`, `sy`, `sz` of periodic scenes.
    pub shift: bool,
}

const WITNESS_A: [&str; 3] = ["ax", "ay", "az"];
const WITNESS_B: [&str; 3] = ["bx", "by", "bz"];
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];
const SHIFT: [&str; 3] = ["sx", "sy", "sz"];
const CERTIFICATE: [&str; 4] = ["lower", "upper", "status", "minimal"];

/// The columns of a table, in their order.
fn columns(dimension: usize, shift: bool, certificate: bool) -> Vec<&'static str> {
    let mut names = vec!["a", "b", "distance"];
    for triple in [WITNESS_A, WITNESS_B, NORMAL] {
        names.extend_from_slice(&triple[..dimension]);
    }
    if shift {
        names.extend_from_slice(&SHIFT[..dimension]);
    }
    if certificate {
        names.extend_from_slice(&CERTIFICATE);
    }
    names
}

impl TableLayout {
    /// Appends what stands before the first row.
    pub fn push_header<S: Space>(self, out: &mut Vec<u8>) {
        if self.format == TableFormat::Csv {
            out.extend_from_slice(columns(S::DIMENSION, self.shift, self.certificate).join(",").as_bytes());
            out.push(b'\n');
        }
    }

    /// Appends a row; where the layout has a shift, none means zero.
    pub fn push_row<S: Space, T: Scalar>(
        self,
        out: &mut Vec<u8>,
        row: &Proximity<S, T>,
        shift: Option<&S::Array<f64>>,
    ) {
        match self.format {
            TableFormat::Csv => self.push_cells(out, row, shift, &CsvCells),
            TableFormat::JsonLines => self.push_cells(out, row, shift, &JsonCells),
        }
    }

    #[inline]
    fn push_cells<S: Space, T: Scalar>(
        self,
        out: &mut Vec<u8>,
        row: &Proximity<S, T>,
        shift: Option<&S::Array<f64>>,
        cells: &impl Cells,
    ) {
        cells.open(out, "a");
        push_index(out, row.a);
        cells.next(out, "b");
        push_index(out, row.b);
        cells.next(out, "distance");
        cells.number(out, row.distance);
        cells.numbers(out, &WITNESS_A, row.witness_a.as_ref());
        cells.numbers(out, &WITNESS_B, row.witness_b.as_ref());
        cells.numbers(out, &NORMAL, row.normal.as_ref());
        if self.shift {
            cells.numbers(out, &SHIFT, shift.unwrap_or(&S::array(|_| 0.0)).as_ref());
        }
        if self.certificate {
            cells.numbers(out, &CERTIFICATE, &[row.lower, row.upper]);
            cells.next(out, CERTIFICATE[2]);
            cells.word(out, row.status.name());
            cells.next(out, CERTIFICATE[3]);
            cells.word(out, row.minimum.name());
        }
        cells.close(out);
    }
}

/// What the two formats do differently.
trait Cells {
    fn open(&self, out: &mut Vec<u8>, name: &str);
    fn next(&self, out: &mut Vec<u8>, name: &str);
    fn number<T: Scalar>(&self, out: &mut Vec<u8>, value: T);
    fn word(&self, out: &mut Vec<u8>, word: &str);
    /// Nothing, where there is nothing to say.
    fn empty(&self, out: &mut Vec<u8>);
    fn close(&self, out: &mut Vec<u8>);

    #[inline]
    fn numbers<T: Scalar>(&self, out: &mut Vec<u8>, names: &[&str], values: &[T]) {
        for (name, &value) in names.iter().zip(values) {
            self.next(out, name);
            self.number(out, value);
        }
    }
}

struct CsvCells;

impl Cells for CsvCells {
    #[inline]
    fn open(&self, _: &mut Vec<u8>, _: &str) {}
    #[inline]
    fn next(&self, out: &mut Vec<u8>, _: &str) {
        out.push(b',');
    }
    #[inline]
    fn number<T: Scalar>(&self, out: &mut Vec<u8>, value: T) {
        push(out, value);
    }
    #[inline]
    fn word(&self, out: &mut Vec<u8>, word: &str) {
        out.extend_from_slice(word.as_bytes());
    }
    #[inline]
    fn empty(&self, _: &mut Vec<u8>) {}
    #[inline]
    fn close(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
    }
}

struct JsonCells;

impl JsonCells {
    #[inline]
    fn key(out: &mut Vec<u8>, before: u8, name: &str) {
        out.extend_from_slice(&[before, b'"']);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
    }
}

impl Cells for JsonCells {
    #[inline]
    fn open(&self, out: &mut Vec<u8>, name: &str) {
        Self::key(out, b'{', name);
    }
    #[inline]
    fn next(&self, out: &mut Vec<u8>, name: &str) {
        Self::key(out, b',', name);
    }
    #[inline]
    fn number<T: Scalar>(&self, out: &mut Vec<u8>, value: T) {
        if value.finite() {
            push(out, value);
        } else {
            out.push(b'"');
            push(out, value);
            out.push(b'"');
        }
    }
    #[inline]
    fn word(&self, out: &mut Vec<u8>, word: &str) {
        out.push(b'"');
        out.extend_from_slice(word.as_bytes());
        out.push(b'"');
    }
    #[inline]
    fn empty(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"null");
    }
    #[inline]
    fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"}\n");
    }
}

/// Writes a result table row by row, in large pieces.
///
/// ```
/// use jostle::{D3, Proximity};
/// use jostle_scene::{TableLayout, TableWriter};
///
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default());
/// writer.write(&Proximity::<D3, f32> { b: 1, ..Proximity::default() })?;
/// let text = writer.finish()?;
/// assert_eq!(text, b"a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\n0,1,0,0,0,0,0,0,0,0,0,0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "rows are only sure to be written by `finish`"]
pub struct TableWriter<W: Write, S: Space, T: Scalar> {
    out: W,
    layout: TableLayout,
    text: Vec<u8>,
    rows: PhantomData<Proximity<S, T>>,
}

/// Rows go out in pieces of this size.
const PIECE: usize = 1 << 16;

impl<W: Write, S: Space, T: Scalar> TableWriter<W, S, T> {
    /// A table without rows, its header included.
    pub fn new(out: W, layout: TableLayout) -> Self {
        let mut text = Vec::with_capacity(PIECE + 1024);
        layout.push_header::<S>(&mut text);
        Self { out, layout, text, rows: PhantomData }
    }
    /// Writes a row.
    ///
    /// # Errors
    /// If writing fails.
    #[inline]
    pub fn write(&mut self, row: &Proximity<S, T>) -> io::Result<()> {
        self.layout.push_row(&mut self.text, row, None);
        self.pass_on(PIECE)
    }
    /// Writes a row of a periodic scene: the shift is that of `b`'s image.
    ///
    /// # Errors
    /// If writing fails.
    #[inline]
    pub fn write_shifted(&mut self, row: &Proximity<S, T>, shift: &S::Array<f64>) -> io::Result<()> {
        self.layout.push_row(&mut self.text, row, Some(shift));
        self.pass_on(PIECE)
    }
    /// Writes rows.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_all(&mut self, rows: &[Proximity<S, T>]) -> io::Result<()> {
        rows.iter().try_for_each(|row| self.write(row))
    }
    /// Writes what is left, and gives back what was written to.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.pass_on(0)?;
        self.out.flush()?;
        Ok(self.out)
    }

    #[inline]
    fn pass_on(&mut self, at_least: usize) -> io::Result<()> {
        if self.text.len() >= at_least {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}
