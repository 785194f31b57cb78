//! One region, built: its boxes copied into the columns they touch and bucketed along the sweep axis, as columns of
//! numbers that lanes can load.
//!
//! A copy's word holds its "not home" marks (bits 29 to 31, by axis) above its body's index. Each column of cells has
//! one more cell behind its last bucket, which holds [`PADS`] boxes of NaN unless the column is empty: a scan that runs
//! over the end of a column finds no overlap there. A scan that runs over the end of a cell tests only boxes that begin
//! behind the scanning box's end. Within a cell, copies are in the order in which they are listed (`copies.rs`).

use jostle_lanes::{Isa, dispatch_on};
use jostle_tasks::{self as tasks, Few};

use crate::bounds::{BoundsError, Columns};
use crate::copies::{BlockCopies, Groups, List, sort_by_cell};
use crate::grid::{Grid, ROUNDER};
use crate::partition::{MakeRecords, furthest};
use crate::record::{LAYER, Layout, PADS, Record, WORD, pad};
use crate::room::refill;
use crate::split::Split;
use crate::store::Store;

/// How many boxes, or copies, are worth a task of their own.
const BOXES_PER_TASK: usize = 4096;
/// The most groups of columns: dealing writes to all of them by turns, so one cache line of each has to stay in the
/// cache.
const MOST_GROUPS: usize = 64;

/// Which boxes a stretch tests against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Copies against the copies behind them in the same column.
    Copies,
    /// Large boxes against all copies in the columns they touch.
    LargeAndCopies,
    /// Large boxes against the large boxes behind them.
    Large,
}

/// The scanning boxes `first..next` of a region.
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
    /// Where each cell starts in `copies`, with one entry more than there are cells.
    pub starts: Vec<u32>,
    pub large: Store,
    /// First and last cell of each large box, by axis.
    pub spans: Vec<[[u32; 3]; 2]>,
    pub stretches: Vec<Stretch>,
}

/// Which threads build and scan a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// All, each a part of the region: regions as large as that are few.
    All,
    /// One, while the others are busy with other regions.
    One,
}

/// How many of `len` boxes one task works on at most.
fn share_of(len: usize) -> usize {
    let tasks = if tasks::alone() { 1 } else { len / BOXES_PER_TASK };
    if tasks > 1 { len.div_ceil(tasks).next_multiple_of(PADS) } else { usize::MAX }
}

/// Buffers that one thread needs while it builds a region.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub records: Vec<Record>,
    /// A region that only this thread builds and scans.
    pub region: Region,
    /// Buffers for cutting it apart, one for each level.
    pub splits: Vec<Split>,
    sample: Vec<Record>,
    column: Vec<f32>,
    listed: Vec<BlockCopies>,
    /// The number of copies and pads in each group of columns.
    sizes: Vec<usize>,
    /// Each copy's record with its marks, by cell, with pads.
    order: Vec<u32>,
}

/// How the copies of a region's boxes are listed.
struct Listing {
    isa: Isa,
    grid: Grid,
    groups: Groups,
    /// The number of boxes, and the most that one task lists.
    len: usize,
    few: usize,
}

impl Listing {
    fn of(isa: Isa, grid: Grid, len: usize, threads: Threads) -> Self {
        let few = match threads {
            Threads::All => share_of(len),
            Threads::One => usize::MAX,
        };
        let groups = if len > few { tasks::enough().min(MOST_GROUPS) } else { 1 };
        Self { isa, grid, groups: Groups::of(&grid, groups), len, few }
    }
    /// One list for each task.
    fn blocks<'l>(&self, listed: &'l mut Vec<BlockCopies>) -> &'l mut [BlockCopies] {
        let blocks = self.len.div_ceil(self.few);
        if listed.len() < blocks {
            listed.resize_with(blocks, BlockCopies::default);
        }
        &mut listed[..blocks]
    }
    /// The first box of a task, and how many boxes it has.
    fn part(&self, block: usize) -> (usize, usize) {
        let first = block.saturating_mul(self.few);
        (first, self.few.min(self.len - first))
    }
    fn list(&self, block: usize, rows: &[Record], listed: &mut BlockCopies) {
        let (first, count) = self.part(block);
        dispatch_on(self.isa, List { grid: &self.grid, rows, count, first, listed });
        listed.deal(self.groups);
    }
}

/// A grid is examined for a bad fit if its tests per copy beyond the first number, times its boxes, are more than the
/// second: about what it costs to examine it and to build the region once more. (1,000 boxes, a tenth of them far away:
/// 92 to 112 -> 69 to 82 ns a box, except 104 for one seed in eight.)
const MANY_TESTS: [f64; 2] = [128.0, 131_072.0];

impl Region {
    /// Builds the region of these records, of which the last [`PADS`] are pads, on one thread or all: pairs and their
    /// order are the same either way. Its scan has to be [divided](Region::divide) afterwards.
    pub fn build(&mut self, isa: Isa, layout: Layout, records: &[Record], scratch: &mut Scratch, threads: Threads) {
        let Scratch { sample, column, listed, .. } = scratch;
        let len = records.len() - PADS;
        self.grid = Grid::plan(layout.dimension, len, |index| records[index], column, sample);
        let listing = Listing::of(isa, self.grid, len, threads);
        let blocks = (Few::of(&records[..len.next_multiple_of(PADS)], listing.few), listing.blocks(listed));
        tasks::each(blocks, |block, (rows, listed)| listing.list(block, rows.list, &mut listed[0]));
        self.place_copies(&listing, layout, records, scratch);
    }

    /// Cuts its boxes apart if the grid that was chosen for them fits badly (see [`Split`]); returns false if not.
    pub fn cut_apart(&self, dimension: usize, records: &[Record], split: &mut Split) -> bool {
        let (tests, len) = (self.tests(), records.len() as f64);
        let [each, all] = MANY_TESTS;
        (tests - each) * len > all && split.cut(dimension, &records[..records.len() - PADS], tests)
    }

    /// Builds the region of boxes so few that one cell holds them all: their columns are copied as they are. (By way of
    /// records and lists of copies, ten boxes took 410 ns.)
    pub fn build_few(&mut self, columns: Columns<'_>) -> Result<f32, BoundsError> {
        let Region { grid, copies, starts, spans, stretches, .. } = self;
        let (len, layout) = (columns.len(), columns.layout());
        columns.validate(0, len)?;
        *grid = Grid::SINGLE_CELL;
        copies.grow(layout, len + PADS);
        for axis in 0..layout.dimension {
            copies.lower[axis][..len].copy_from_slice(columns.lower[axis]);
            copies.upper[axis][..len].copy_from_slice(columns.upper[axis]);
        }
        for (body, word) in (0..).zip(&mut copies.words[..len]) {
            *word = body;
        }
        if layout.layered {
            for (body, layer) in copies.layers[..len].iter_mut().enumerate() {
                *layer = columns.layers.bit(body);
            }
        }
        copies.pad(layout, len);
        refill(&mut copies.ends, len + PADS, ROUNDER);
        let next = (len + PADS) as u32;
        starts.clear();
        starts.extend([0, len as u32, next]);
        spans.clear();
        stretches.clear();
        stretches.push(Stretch { among: Among::Copies, first: 0, next });
        Ok((0..len).map(|body| columns.record(body).furthest()).fold(0.0, f32::max))
    }

    /// Builds the region of these boxes on all threads: each checks the boxes whose copies it lists, and writes their
    /// records. Returns how far the furthest bound is from the origin.
    pub fn build_of(
        &mut self,
        isa: Isa,
        columns: Columns<'_>,
        records: &mut [Record],
        scratch: &mut Scratch,
    ) -> Result<f32, BoundsError> {
        let Scratch { sample, column, listed, .. } = scratch;
        let (len, layout) = (records.len() - PADS, columns.layout());
        pad(&mut records[len..]);
        self.grid = Grid::plan(layout.dimension, len, |index| columns.record(index), column, sample);
        let listing = Listing::of(isa, self.grid, len, Threads::All);
        let blocks = (Few::of(&mut records[..len.next_multiple_of(PADS)], listing.few), listing.blocks(listed));
        let list = |block: usize, (rows, listed): (Few<&mut [Record]>, &mut [BlockCopies])| {
            let (first, count) = listing.part(block);
            let furthest = dispatch_on(isa, MakeRecords { columns, first, records: &mut rows.list[..count] })?;
            listing.list(block, rows.list, &mut listed[0]);
            Ok(furthest)
        };
        let furthest = tasks::fold(blocks, list, furthest).unwrap_or(Ok(0.0))?;
        self.place_copies(&listing, layout, records, scratch);
        Ok(furthest)
    }

    /// Sorts the listed copies by cell, and gathers them into columns of numbers.
    fn place_copies(&mut self, listing: &Listing, layout: Layout, records: &[Record], scratch: &mut Scratch) {
        let Listing { isa, ref grid, groups, len, few } = *listing;
        let Scratch { listed, sizes, order: sorted, .. } = scratch;
        let listed = listing.blocks(listed);
        sort_by_cell(grid, groups, listed, len as u32, &mut self.starts, sizes, sorted);
        // Whole registers are written.
        let copies = (self.starts[self.starts.len() - 1] as usize).next_multiple_of(PADS);
        self.copies.fill(isa, layout, grid, records, &sorted[..copies], few);
        self.keep_large(layout, records, listed);
    }

    /// Stores the large boxes, which touch too many columns to be copied.
    fn keep_large(&mut self, layout: Layout, records: &[Record], listed: &[BlockCopies]) {
        let Region { grid, large, spans, .. } = self;
        spans.clear();
        let len = listed.iter().map(|listed| listed.large.len()).sum();
        if len == 0 {
            return;
        }
        large.grow(layout, len + PADS);
        for (k, &index) in listed.iter().flat_map(|listed| &listed.large).enumerate() {
            let record = &records[index as usize];
            for axis in 0..layout.dimension {
                (large.lower[axis][k], large.upper[axis][k]) = (record[axis], record[axis + 4]);
            }
            large.words[k] = record[WORD].to_bits();
            if layout.layered {
                large.layers[k] = record[LAYER].to_bits();
            }
            let cells = |slot| [0, 1, 2].map(|axis| grid.cell(axis, record[axis + slot]));
            spans.push([cells(0), cells(4)]);
        }
        large.pad(layout, len);
    }
}
