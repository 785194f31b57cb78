//! The table of which blocks of a hull are searched for which directions: its layout, and how it is read.

use jostle_lanes::{Lanes, Scalar, Space, Vector};

use crate::counts::MAX_WIDTH;

/// The number of cells along an edge of the cube. More leave fewer blocks to search, but the table then has to be
/// waited for when all hulls are distinct (*Cells of directions* in BENCHMARKS.md).
pub(crate) const CELLS_PER_EDGE: usize = 8;

/// The number of cells from the middle of a face to its edge, less a little, so that a direction on the edge falls into
/// the last cell.
pub(crate) const HALF_EDGE: f32 = CELLS_PER_EDGE as f32 / 2.0 - 0.02;

/// The length of a table's header. It holds the number of bytes per cell, and the factors that directions are
/// multiplied with: half the size of the hull. Behind it are the bytes of each cell, a bit for each block, the lowest
/// first; then one more cell, for no direction, that has all blocks; then [unused bytes](TAIL_BYTES).
///
/// Cells are bytes, not words: the table of a hull that is met once has to be waited for, and this way it is half as
/// long.
pub(crate) const HEADER_BYTES: usize = 16;

/// How many bytes are read at a time.
pub(crate) const WORD_BYTES: usize = size_of::<u64>();

/// Unused bytes behind the last cell, as a cell may have fewer bytes than are read.
pub(crate) const TAIL_BYTES: usize = WORD_BYTES - 1;

/// The number of cells of all faces together.
pub(crate) const fn cells_of(dimension: usize) -> usize {
    2 * dimension * CELLS_PER_EDGE.pow(dimension as u32 - 1)
}

/// The number of bytes of a cell, for a hull of `blocks` blocks.
pub(crate) fn bytes_of(blocks: usize) -> usize {
    let bytes = blocks.div_ceil(8);
    if bytes <= WORD_BYTES { bytes.next_power_of_two() } else { bytes.next_multiple_of(WORD_BYTES) }
}

/// The headers of the tables of several hulls, one in each lane: what it takes to find the cells of directions.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Headers<T> {
    /// What directions are multiplied with.
    extents: [[T; MAX_WIDTH]; 3],
    /// How many bytes a cell has.
    bytes: [usize; MAX_WIDTH],
}

impl<T: Scalar> Headers<T> {
    /// No tables.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { extents: [[T::ZERO; MAX_WIDTH]; 3], bytes: [0; MAX_WIDTH] }
    }

    /// Sets a lane's table; without a table, cells found for the lane mean nothing.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, table: &[u8]) {
        let Some(&[a, b, c, d, ref extents @ ..]) = table.first_chunk::<HEADER_BYTES>() else { return };
        self.bytes[lane] = u32::from_le_bytes([a, b, c, d]) as usize;
        let (extents, _) = extents.as_chunks();
        for k in 0..3 {
            self.extents[k][lane] = T::from_f64(f64::from(f32::from_le_bytes(extents[k])));
        }
    }

    /// The number of the cell of each lane's direction: the last cell if the direction is very short, very long, zero
    /// or NaN.
    #[inline(always)]
    pub(crate) fn cells<S: Space, L: Lanes<Scalar = T>>(&self, against: S::Vector<L>) -> L {
        let mut along = [L::zero(); 3];
        let mut largest = L::zero();
        for k in 0..S::DIMENSION {
            along[k] = against.get(k) * L::load(&self.extents[k]);
            largest = along[k].abs().max(largest);
        }
        // A product near zero may be off by 1e-45, which is negligible beside a largest one above 1e-24.
        let known = largest.gt(L::constant(1e-24)) & largest.lt(L::constant(1e30));
        let scale = L::constant(f64::from(HALF_EDGE)) / largest;
        // Adding this makes the last bit count ones: the sum is rounded to a whole number.
        let whole = L::constant(1.5 / T::UNIT_ROUNDOFF.to_f64() / 2.0);
        let (side, middle) = (L::constant(CELLS_PER_EDGE as f64), L::constant((CELLS_PER_EDGE - 1) as f64 / 2.0));
        // The face is that of the first of the longest axes; the other axes are the row and column on it.
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
        // With a NaN among its coordinates a direction gets the last cell: the comparison is false.
        L::select(known & cell.lt(last), cell, last)
    }

    /// The blocks that may hold the furthest point along the directions of a cell of a lane's table, which was
    /// [set](Self::set); [none](Blocks::NONE) if there is no table.
    #[inline(always)]
    pub(crate) fn blocks<'t>(&self, lane: usize, table: &'t [u8], cell: T) -> Blocks<'t> {
        if table.is_empty() {
            return Blocks::NONE;
        }
        let bytes = self.bytes[lane];
        let Some((word, others)) = table[HEADER_BYTES + cell.index() * bytes..].split_first_chunk() else {
            unreachable!("tables have room at their end")
        };
        // The bytes read include some of the next cells.
        let mine = u64::MAX >> (BLOCKS_PER_WORD - 8 * bytes.min(WORD_BYTES));
        Blocks { word: u64::from_le_bytes(*word) & mine, others: &others[..bytes.max(WORD_BYTES) - WORD_BYTES] }
    }
}

/// Blocks of a hull, as bits of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// The first 64, the lowest bit first.
    pub(crate) word: u64,
    /// The bits of further blocks, if there are more than 64.
    others: &'a [u8],
}

/// The number of blocks in a word.
pub(crate) const BLOCKS_PER_WORD: usize = u64::BITS as usize;

impl Blocks<'_> {
    /// No blocks: stands for a hull without a table.
    pub(crate) const NONE: Self = Self { word: 0, others: &[] };

    /// True for a hull without a table: with one, every cell has blocks.
    #[inline(always)]
    pub(crate) fn unknown(self) -> bool {
        self.word == 0 && self.others.is_empty()
    }

    /// All blocks, if one word holds them.
    #[inline(always)]
    pub(crate) fn single(self) -> Option<u64> {
        (self.word != 0 && self.others.is_empty()).then_some(self.word)
    }

    /// The blocks after the first word, if there can be any.
    #[inline(always)]
    pub(crate) fn after(self) -> Option<Self> {
        let (word, others) = self.others.split_first_chunk()?;
        Some(Self { word: u64::from_le_bytes(*word), others })
    }
}

/// The blocks that may hold the point furthest opposite to `against`: all if that is very short or very long.
#[inline(always)]
pub(crate) fn blocks_against<S: Space, T: Scalar>(table: &[u8], against: S::Vector<T>) -> Blocks<'_> {
    let mut headers = Headers::none();
    headers.set(0, table);
    headers.blocks(0, table, headers.cells::<S, T>(against))
}
