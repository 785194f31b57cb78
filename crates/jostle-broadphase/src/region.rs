//! One region built: its boxes copied into the columns they touch and bucketed along the sweep axis, as columns of
//! numbers that lanes can load.
//!
//! A copy's word holds its "not home" marks (bits 29 to 31, by axis) above its body's index. Each column of cells has
//! one more cell behind its last bucket, which holds [`PADS`] boxes of NaN, so that a scan that runs over the end of a
//! column meets nothing; over the end of a cell it meets only boxes that begin behind the scanning one's end. Within a
//! cell, copies keep the order of the bodies.

use jostle_lanes::{Isa, dispatch_on};
use jostle_tasks as tasks;

use crate::copies::{List, Listed, order};
use crate::grid::Grid;
use crate::record::{PADS, Record, WORD};
use crate::store::Store;

/// Boxes, or copies, that are worth a task of their own.
const SHARE: usize = 4096;
/// A box that meets nothing.
const NOBODY: Record = [f32::NAN; 8];

/// What two boxes of a chunk are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Both are copied into columns.
    Copies,
    /// A large one of the chunk, with all copies in the columns it touches.
    LargeAndCopies,
    /// Both are large.
    Large,
}

/// A stretch of the boxes of one region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub among: Among,
    pub first: u32,
    pub next: u32,
}

/// A region, built.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub grid: Grid,
    pub copies: Store,
    /// Where each cell starts in `copies`; one more than there are cells.
    pub starts: Vec<u32>,
    pub large: Store,
    /// First and last cell of each large box, by axis.
    pub spans: Vec<[[u32; 3]; 2]>,
    pub stretches: Vec<Stretch>,
}

/// Of so many boxes, how many each of several tasks is to work on at most.
pub(crate) fn share_of(len: usize) -> usize {
    let tasks = if tasks::alone() { 1 } else { len / SHARE };
    if tasks > 1 { len.div_ceil(tasks).next_multiple_of(PADS) } else { usize::MAX }
}

/// Buffers that one thread needs while it builds a region.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub records: Vec<Record>,
    /// A region that nobody else needs.
    pub region: Region,
    sample: Vec<Record>,
    column: Vec<f32>,
    listed: Vec<Listed>,
    /// Record with marks of each copy, in the order of the cells, pads included.
    order: Vec<u32>,
}

/// Behind the records of a region there has to be somebody to stand between columns, and to fill the last register.
pub(crate) fn pad(records: &mut [Record]) {
    records.fill(NOBODY);
}

impl Region {
    /// Builds the region of these records, of which the last [`PADS`] are pads. If it is `shared`, all threads help:
    /// what is found, and in which order, is the same. Then its scan is to be [divided](Region::divide).
    pub fn build(&mut self, isa: Isa, dimension: usize, records: &[Record], scratch: &mut Scratch, shared: bool) {
        let len = records.len() - PADS;
        let few = if shared { share_of(len) } else { usize::MAX };
        let Scratch { column, sample, listed, order: sorted, .. } = scratch;
        self.grid = Grid::plan(dimension, &records[..len], column, sample);
        let blocks = len.div_ceil(few);
        if listed.len() < blocks {
            listed.resize_with(blocks, Listed::default);
        }
        let (grid, listed) = (&self.grid, &mut listed[..blocks]);
        tasks::for_each(listed, |block, listed| {
            let range = block * few..len.min((block + 1) * few);
            dispatch_on(isa, List { grid, records, range, listed });
        });
        order(grid, listed, len, &mut self.starts, sorted);
        // Whole registers are written.
        let copies = (self.starts[self.starts.len() - 1] as usize).next_multiple_of(PADS);
        self.copies.fill(isa, dimension, grid, records, &sorted[..copies], few);
        self.keep_large(dimension, records, listed);
    }

    /// Keeps the boxes that stand in more columns than they are copied into.
    fn keep_large(&mut self, dimension: usize, records: &[Record], listed: &[Listed]) {
        let Region { grid, large, spans, .. } = self;
        spans.clear();
        let len = listed.iter().map(|listed| listed.large.len()).sum();
        if len == 0 {
            return;
        }
        large.grow(dimension, len + PADS);
        for (k, &index) in listed.iter().flat_map(|listed| &listed.large).enumerate() {
            let record = &records[index as usize];
            for axis in 0..dimension {
                (large.lower[axis][k], large.upper[axis][k]) = (record[axis], record[axis + 4]);
            }
            large.words[k] = record[WORD].to_bits();
            let cells = |slot| [0, 1, 2].map(|axis| grid.cell(axis, record[axis + slot]));
            spans.push([cells(0), cells(4)]);
        }
        large.pad(dimension, len);
    }
}
