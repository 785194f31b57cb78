//! One box as a row of numbers: what is dealt out to regions, and copied into their columns.

/// One box: `[lower x, y, z, word, upper x, y, z, nothing]`; absent axes are zero.
pub(crate) type Record = [f32; 8];
/// Where a record keeps its word, a bit pattern: its body's index, and above it the marks: bit `29 + axis` is set if
/// the minimum lies before the region.
pub(crate) const WORD: usize = 3;
/// The bits of a word, or of an entry of `order`, that are not marks.
pub(crate) const LOW: u32 = (1 << 29) - 1;
/// NaN boxes behind each column: as many as the widest lanes.
pub(crate) const PADS: usize = 16;
