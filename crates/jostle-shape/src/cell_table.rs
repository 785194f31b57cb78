//! The table that says which blocks of a hull are looked at for which directions: what it holds, and where to look.

use jostle_lanes::{Lanes, Scalar, Space, Vector};

use crate::counts::MAX_WIDTH;

/// So many cells there are along an edge of the cube. More leave fewer blocks to be looked at, but the table is then
/// waited for where no two hulls are alike (*Cells of directions* in BENCHMARKS.md).
pub(crate) const CELLS_PER_EDGE: usize = 8;

/// How many cells there are from the middle of a face to its edge, and a little less, so that what is on an edge is in
/// the last.
pub(crate) const HALF_EDGE: f32 = CELLS_PER_EDGE as f32 / 2.0 - 0.02;

/// A table begins with how many bytes a cell has, and what directions are multiplied with, half the size of the hull.
/// Then for each cell its bytes, a bit for each block, the lowest first. After them comes a cell, of no direction, that
/// has all blocks, and [room](TAIL_BYTES).
///
/// Bytes, not words: the table of a hull that is met once is waited for, and these are half as many.
pub(crate) const HEADER_BYTES: usize = 16;

/// So many bytes are read at a time.
pub(crate) const WORD_BYTES: usize = size_of::<u64>();

/// So many bytes there are after the last cell, as not all cells have as many as are read.
pub(crate) const TAIL_BYTES: usize = WORD_BYTES - 1;

/// How many cells all faces have together.
pub(crate) const fn cells_of(dimension: usize) -> usize {
    2 * dimension * CELLS_PER_EDGE.pow(dimension as u32 - 1)
}

/// The bytes that a cell of so many blocks has.
pub(crate) fn bytes_of(blocks: usize) -> usize {
    let bytes = blocks.div_ceil(8);
    if bytes <= WORD_BYTES { bytes.next_power_of_two() } else { bytes.next_multiple_of(WORD_BYTES) }
}

/// How to find the cells of directions in the tables of several hulls, one in each lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Headers<T> {
    /// What directions are multiplied with.
    extents: [[T; MAX_WIDTH]; 3],
    /// How many bytes a cell has.
    bytes: [usize; MAX_WIDTH],
}

impl<T: Scalar> Headers<T> {
    /// Those of no tables.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { extents: [[T::ZERO; MAX_WIDTH]; 3], bytes: [0; MAX_WIDTH] }
    }

    /// A lane's table; what is found in none means nothing.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, table: &[u8]) {
        let Some(&[a, b, c, d, ref extents @ ..]) = table.first_chunk::<HEADER_BYTES>() else { return };
        self.bytes[lane] = u32::from_le_bytes([a, b, c, d]) as usize;
        let (extents, _) = extents.as_chunks();
        for k in 0..3 {
            self.extents[k][lane] = T::from_f64(f64::from(f32::from_le_bytes(extents[k])));
        }
    }

    /// The number of the cell of each lane's direction: the last if that is very short, very long or no direction.
    #[inline(always)]
    pub(crate) fn cells<S: Space, L: Lanes<Scalar = T>>(&self, against: S::Vector<L>) -> L {
        let mut along = [L::zero(); 3];
        let mut largest = L::zero();
        for k in 0..S::DIMENSION {
            along[k] = against.get(k) * L::load(&self.extents[k]);
            largest = along[k].abs().max(largest);
        }
        // A product that is next to nothing may be off by 1e-45: beside more than 1e-24 that is nothing.
        let known = largest.gt(L::constant(1e-24)) & largest.lt(L::constant(1e30));
        let scale = L::constant(f64::from(HALF_EDGE)) / largest;
        // Beside so much the last bit is one: what is added is rounded to a whole number.
        let whole = L::constant(1.5 / T::UNIT_ROUNDOFF.to_f64() / 2.0);
        let (side, middle) = (L::constant(CELLS_PER_EDGE as f64), L::constant((CELLS_PER_EDGE - 1) as f64 / 2.0));
        // The face is that of the first axis that is longest; the others are the row and column there.
        let (mut face, mut place) = (L::zero(), L::zero());
        let mut faced = L::zero().lt(L::zero());
        for k in 0..S::DIMENSION {
            let here = along[k].abs().ge(largest) & !faced;
            let way = L::select(along[k].gt(L::zero()), L::one(), L::zero());
            face = L::select(here, L::constant(2.0 * k as f64) + way, face);
            place = L::select(here, place, place * side + ((along[k] * scale + middle + whole) - whole));
            faced = faced | here;
        }
        let cells = const { cells_of(S::DIMENSION) };
        let (of_face, last) = (L::constant((cells / (2 * S::DIMENSION)) as f64), L::constant(cells as f64));
        let cell = face * of_face + place;
        // A direction that has a NaN is in none: it is less than nothing.
        L::select(known & cell.lt(last), cell, last)
    }

    /// The blocks that may hold the furthest point along the directions of a cell of a lane's table, which was
    /// [set](Self::set); [none](Blocks::NONE) where there is no table.
    #[inline(always)]
    pub(crate) fn blocks<'t>(&self, lane: usize, table: &'t [u8], cell: T) -> Blocks<'t> {
        if table.is_empty() {
            return Blocks::NONE;
        }
        let bytes = self.bytes[lane];
        let Some((word, others)) = table[HEADER_BYTES + cell.index() * bytes..].split_first_chunk() else {
            unreachable!("tables have room at their end")
        };
        // What is read belongs to the next cells too.
        let mine = u64::MAX >> (BLOCKS_PER_WORD - 8 * bytes.min(WORD_BYTES));
        Blocks { word: u64::from_le_bytes(*word) & mine, others: &others[..bytes.max(WORD_BYTES) - WORD_BYTES] }
    }
}

/// Blocks of a hull, as bits of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// The first 64, the lowest bit first.
    pub(crate) word: u64,
    /// Of more than 64 blocks the others.
    others: &'a [u8],
}

/// So many blocks are in a word.
pub(crate) const BLOCKS_PER_WORD: usize = u64::BITS as usize;

impl Blocks<'_> {
    /// None, which is all that is known of a hull without a table.
    pub(crate) const NONE: Self = Self { word: 0, others: &[] };

    /// True of what is known of a hull without a table: of those that have one every cell has blocks.
    #[inline(always)]
    pub(crate) fn unknown(self) -> bool {
        self.word == 0 && self.others.is_empty()
    }

    /// All that there are, if one word has them.
    #[inline(always)]
    pub(crate) fn single(self) -> Option<u64> {
        (self.word != 0 && self.others.is_empty()).then_some(self.word)
    }

    /// Those after the first word, if there can be any.
    #[inline(always)]
    pub(crate) fn after(self) -> Option<Self> {
        let (word, others) = self.others.split_first_chunk()?;
        Some(Self { word: u64::from_le_bytes(*word), others })
    }
}

/// The blocks that may hold the furthest point opposite to `against`: all if that is very short or very long.
#[inline(always)]
pub(crate) fn blocks_against<S: Space, T: Scalar>(table: &[u8], against: S::Vector<T>) -> Blocks<'_> {
    let mut headers = Headers::none();
    headers.set(0, table);
    headers.blocks(0, table, headers.cells::<S, T>(against))
}
