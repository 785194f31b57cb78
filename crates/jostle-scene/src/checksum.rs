//! A 64-bit checksum of result rows, the same for a table on disk, in any format, with or without certificates, and
//! for rows in memory.
//!
//! It is FNV-1a (offset basis `0xcbf29ce484222325`, prime `0x100000001b3`) over, row by row: `a` and `b` as four bytes
//! each, then `distance`, both witness points, the normal and, in periodic tables, the shift, each number as the eight
//! bytes of the `f64` that its text reads as; all little-endian, minus zero as zero, every NaN as
//! `0x7ff8000000000000`. Rows count in their order. For a value of type `f32` the text is its shortest decimal:
//! `0.1f32` counts as the `f64` 0.1, as a reader of the table sees it.

use std::fmt::{Display, Formatter, Result as Shown};

use jostle::{Proximity, Scalar, Space};

use crate::number::as_read;
use crate::table::{ResultRow, ResultTable};

/// A checksum in the making; printed as 16 hexadecimal digits.
///
/// ```
/// use jostle::{D3, Proximity};
/// use jostle_scene::{Checksum, TableLayout, TableWriter, read_table};
///
/// let rows = [Proximity::<D3, f32> { b: 1, distance: 0.1, normal: [0.6, 0.8, 0.0], ..Proximity::default() }];
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default())?;
/// writer.write_all(&rows)?;
/// let table = read_table("contacts.csv", &writer.finish()?)?;
/// assert_eq!(Checksum::of_rows(&rows), Checksum::of_table(&table));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(BASIS)
    }
}

impl Checksum {
    /// Of no rows.
    pub fn new() -> Self {
        Self::default()
    }
    /// Of rows in memory, as from [`Checksum::add`].
    pub fn of_rows<S: Space, T: Scalar>(rows: &[Proximity<S, T>]) -> Self {
        let mut sum = Self::new();
        for row in rows {
            sum.add(row, None);
        }
        sum
    }
    /// Of a table that was read.
    pub fn of_table(table: &ResultTable) -> Self {
        let mut sum = Self::new();
        let dimension = table.dimension.unwrap_or(3);
        for row in &table.rows {
            sum.add_result(row, dimension, table.shift);
        }
        sum
    }
    /// Adds a row; of a periodic scene with the shift of `b`'s image.
    pub fn add<S: Space, T: Scalar>(&mut self, row: &Proximity<S, T>, shift: Option<&S::Array<f64>>) {
        self.indices(row.a, row.b);
        self.number(as_read(row.distance));
        self.numbers(row.witness_a.as_ref());
        self.numbers(row.witness_b.as_ref());
        self.numbers(row.normal.as_ref());
        if let Some(shift) = shift {
            self.numbers(shift.as_ref());
        }
    }
    /// The checksum as a number.
    pub fn value(self) -> u64 {
        self.0
    }

    fn add_result(&mut self, row: &ResultRow, dimension: usize, shift: bool) {
        self.indices(row.a, row.b);
        self.number(row.distance);
        self.numbers(&row.witness_a[..dimension]);
        self.numbers(&row.witness_b[..dimension]);
        self.numbers(&row.normal[..dimension]);
        if shift {
            self.numbers(&row.shift[..dimension]);
        }
    }
    #[inline]
    fn indices(&mut self, a: u32, b: u32) {
        self.bytes(a.to_le_bytes());
        self.bytes(b.to_le_bytes());
    }
    #[inline]
    fn numbers<T: Scalar>(&mut self, values: &[T]) {
        for &value in values {
            self.number(as_read(value));
        }
    }
    #[inline]
    fn number(&mut self, value: f64) {
        let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { (value + 0.0).to_bits() };
        self.bytes(bits.to_le_bytes());
    }
    #[inline]
    fn bytes<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0 = fold(self.0, bytes);
    }
}

/// FNV-1a of nothing.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

#[inline]
fn fold(sum: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(sum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// FNV-1a, 64 bits, of bytes that are no rows.
///
/// ```
/// assert_eq!(jostle_scene::fnv1a(*b"a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    fold(BASIS, bytes)
}

impl Display for Checksum {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        write!(f, "{:016x}", self.0)
    }
}
