//! One box as a row of numbers: the form in which boxes are dealt out to regions and gathered into their columns.

use core::ops::{Deref, DerefMut};

/// One box: `[lower x, y, z, word, upper x, y, z, layer]`; absent axes are zero.
///
/// Aligned so that no record lies in two cache lines: they are read and written at random places, one at a time.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Record(pub [f32; 8]);

impl Record {
    pub const ZERO: Self = Self([0.0; 8]);

    /// How far the furthest bound is from the origin.
    #[inline(always)]
    pub fn furthest(&self) -> f32 {
        let Self([x, y, z, _, to_x, to_y, to_z, _]) = *self;
        -x.min(y).min(z).min(-to_x).min(-to_y).min(-to_z)
    }
}

impl Deref for Record {
    type Target = [f32; 8];
    #[inline(always)]
    fn deref(&self) -> &[f32; 8] {
        &self.0
    }
}

impl DerefMut for Record {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32; 8] {
        &mut self.0
    }
}

/// What all records of a sweep have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many axes.
    pub dimension: usize,
    /// Whether boxes are in layers.
    pub layered: bool,
}

/// Where a record keeps its word, a bit pattern: its body's index in the low bits, marks above it. Bit `29 + axis` is
/// set if the minimum lies before the region.
pub(crate) const WORD: usize = 3;
/// Where it keeps its layer, a bit pattern of one bit or none.
pub(crate) const LAYER: usize = 7;
/// The bits of a word, or of an entry of `order`, that hold an index; the others are marks.
pub(crate) const INDEX_BITS: u32 = (1 << 29) - 1;
/// How many NaN boxes are behind each column: as many as the widest lanes hold.
pub(crate) const PADS: usize = 16;

/// A box of NaN, which overlaps nothing.
const PAD: Record = Record([f32::NAN; 8]);

/// Writes the pads behind the records of a region: they separate columns, and fill the last register.
pub(crate) fn pad(records: &mut [Record]) {
    records.fill(PAD);
}
