//! The table that says which blocks of a hull are looked at for which directions: what it holds, and where to look.

use jostle_lanes::{Lanes, Scalar, Space, Vector};

use crate::width::MAX_WIDTH;

/// A table begins with how many bits a cell's place has along an axis and how many words it has, and what directions
/// are multiplied with, half the size of the hull. Then for each cell its words, a bit for each block; the last cell,
/// of no direction, has all blocks.
pub(crate) const HEADER: usize = 4;

/// How many cells there are from the middle to a side, and a little less, so that what is on a side is in the last.
#[inline(always)]
pub(crate) fn half(bits: usize) -> f32 {
    (1 << bits) as f32 / 2.0 - 0.02
}

/// How to find the cells of directions in the tables of several hulls, one in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Headers<T> {
    /// What directions are multiplied with.
    extents: [[T; MAX_WIDTH]; 3],
    /// How many cells there are along an axis.
    sides: [T; MAX_WIDTH],
    /// See [`half`].
    halves: [T; MAX_WIDTH],
}

impl<T: Scalar> Headers<T> {
    /// Those of no tables.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        let row = [T::ZERO; MAX_WIDTH];
        Self { extents: [row; 3], sides: row, halves: row }
    }

    /// A lane's table; what is found in none means nothing.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, table: &[u32]) {
        let Some(&[sizes, ref extents @ ..]) = table.first_chunk::<HEADER>() else { return };
        for k in 0..3 {
            self.extents[k][lane] = T::from_f64(f64::from(f32::from_bits(extents[k])));
        }
        let bits = sizes as usize & 0xff;
        self.sides[lane] = T::from_f64((1 << bits) as f64);
        self.halves[lane] = T::from_f64(f64::from(half(bits)));
    }

    /// The number of the cell of each lane's direction: the last if that is very short, very long or no direction.
    #[inline(always)]
    pub(crate) fn cells<S: Space, L: Lanes<Scalar = T>>(&self, against: S::Vector<L>) -> L {
        let (side, half) = (L::load(&self.sides), L::load(&self.halves));
        let mut along = [L::zero(); 3];
        let mut largest = L::zero();
        for k in 0..S::DIMENSION {
            along[k] = against.get(k) * L::load(&self.extents[k]);
            largest = along[k].abs().max(largest);
        }
        // A product that is next to nothing may be off by 1e-45: beside more than 1e-24 that is nothing.
        let known = largest.gt(L::constant(1e-24)) & largest.lt(L::constant(1e30));
        let scale = half / largest;
        // Beside so much the last bit is one: what is added is rounded to a whole number.
        let whole = L::constant(1.5 / T::UNIT_ROUNDOFF.to_f64() / 2.0);
        let middle = (side - L::one()) * L::constant(0.5);
        let (mut cell, mut last) = (L::zero(), L::one());
        for k in (0..S::DIMENSION).rev() {
            let place = (along[k] * scale + middle + whole) - whole;
            cell = cell * side + place;
            last = last * side;
        }
        // A direction that has a NaN is in none: it is less than nothing.
        L::select(known & cell.lt(last), cell, last)
    }
}

/// The blocks that may hold the furthest point along the directions of a cell, as bits of words; none where there is no
/// table.
#[inline(always)]
pub(crate) fn blocks_of(table: &[u32], cell: usize) -> &[u32] {
    let Some(&[sizes, ..]) = table.first_chunk::<HEADER>() else { return &[] };
    let words = sizes as usize >> 8;
    &table[HEADER + cell * words..][..words]
}

/// The blocks that may hold the furthest point opposite to `against`, as bits of words: all if that is very short or
/// very long.
#[inline(always)]
pub(crate) fn blocks_against<S: Space, T: Scalar>(table: &[u32], against: S::Vector<T>) -> &[u32] {
    if table.is_empty() {
        return &[];
    }
    let mut headers = Headers::none();
    headers.set(0, table);
    blocks_of(table, headers.cells::<S, T>(against).index())
}
