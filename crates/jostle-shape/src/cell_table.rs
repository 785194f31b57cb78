//! The table that says which blocks of a hull are looked at for which directions: what it holds, and where to look.

use jostle_lanes::{Scalar, Space, Vector};

/// What is from 0 to the number of cells along an axis and added to this has its whole part in the bits from [`POINT`]
/// on.
const SHIFT: f32 = 256.0;
const POINT: u32 = 15;
/// A table begins with how many bits a cell's place has along an axis and how many words it has, and what directions
/// are multiplied with, half the size of the hull. Then for each cell its words, a bit for each block; the last cell,
/// of no direction, has all blocks.
pub(crate) const HEADER: usize = 4;

/// How many cells there are from the middle to a side, and a little less, so that what is on a side is in the last.
#[inline(always)]
pub(crate) fn half(bits: usize) -> f32 {
    (1 << bits) as f32 / 2.0 - 0.02
}

/// The blocks that may hold the furthest point opposite to `against`, as bits of words: all if that is very short or
/// very long.
#[inline(always)]
pub(crate) fn blocks_against<S: Space, T: Scalar>(table: &[u32], against: S::Vector<T>) -> &[u32] {
    let Some(&[sizes, ref extents @ ..]) = table.first_chunk::<HEADER>() else { return &[] };
    let (bits, words) = (sizes & 0xff, sizes as usize >> 8);
    let mut along = [0.0; 3];
    let mut largest = 0.0;
    for k in 0..S::DIMENSION {
        along[k] = against.get(k).to_f64() as f32 * f32::from_bits(extents[k]);
        largest = if along[k].abs() > largest { along[k].abs() } else { largest };
    }
    let mut cell = 1 << (S::DIMENSION as u32 * bits);
    // An `f64` that is rounded to `f32` may be off by 1e-45, times a hull of 1e15 metres: beside more than 1e-24 that
    // is nothing.
    if largest > 1e-24 && largest < 1e30 {
        let side = 1_u32 << bits;
        let (scale, middle) = (half(bits as usize) / largest, SHIFT + (side / 2) as f32);
        cell = 0;
        for k in (0..S::DIMENSION).rev() {
            let place = (along[k] * scale + middle).to_bits() >> POINT;
            cell = cell << bits | place & (side - 1);
        }
    }
    &table[HEADER + cell as usize * words..][..words]
}
