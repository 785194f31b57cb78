//! The sweep without its type parameter: compiled once, here, and not again in every program that uses it.

use jostle_lanes::{Isa, dispatch_on};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds::{BoundsError, Columns, MOST_BOXES};
use crate::cuts::Cuts;
use crate::grid::FEWEST_FOR_GRID;
use crate::partition::{BOXES_PER_BLOCK, BoxBlock, Deal, furthest};
use crate::record::{PADS, Record, pad};
use crate::region::{Region, Scratch, Stretch, Threads};
use crate::room::lengthen;
use crate::scan::{Scan, Sink};
use crate::split::Split;
use crate::weigh::is_crowded;

/// The tolerance of the ball test as a share of the furthest bound: twice the amount by which two balls may be nearer
/// to each other than their boxes show. Rounding bounds outward (by up to four round-offs each) moves the centres of
/// boxes; together with the rounding of the test's sums, products and root that is less than 50 round-offs. This is 64.
const BALL_TOLERANCE: f32 = 32.0 * f32::EPSILON;
/// If a bound is further from the origin than this, balls are not tested: squares of lengths might be infinite.
const FURTHEST_FOR_BALLS: f32 = 1e18;

/// How many times what was cut out of a region is cut again at most: each time into hundreds of parts, if need be.
const DEEPEST_CUT: usize = 4;

/// What one task scans.
#[derive(Clone, Copy, Debug)]
enum Chunk {
    /// A region that is not crowded.
    Region(u32),
    /// A stretch of a region that many tasks share: its place in `shared`, and the stretch.
    Stretch(u32, u32),
}

/// All buffers, and what was built into them.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    isa: Option<Isa>,
    /// Up to this many boxes are one region.
    most_in_one_region: usize,
    dimension: usize,
    len: usize,
    /// See [`Scan::tolerance`]; `None` if balls are not tested.
    tolerance: Option<f32>,
    cuts: Cuts,
    blocks: Vec<BoxBlock>,
    /// The padded records, if there is one region.
    records: Vec<Record>,
    /// The same cut apart, if `is_split`: they lie so unevenly that they form regions of their own.
    split: Split,
    is_split: bool,
    /// The regions that many tasks scan, which are built in advance: the only one, or the crowded ones. The others are
    /// built when they are scanned.
    shared: Vec<Region>,
    indices: Vec<usize>,
    /// Whether each region is crowded.
    crowded: Vec<bool>,
    /// How many of `blocks` are in use.
    block_count: usize,
    chunks: Vec<Chunk>,
    scratch: Pool<Scratch>,
}

impl Engine {
    pub fn on(isa: Option<Isa>, most_in_one_region: usize) -> Self {
        Self { isa, most_in_one_region, ..Self::default() }
    }

    /// The instruction set to run; panics like `dispatch` if `JOSTLE_ISA` asks for one that is not available.
    fn isa(&self) -> Isa {
        self.isa.unwrap_or_else(|| Isa::choose().unwrap_or_else(|error| panic!("{error}")))
    }

    pub fn build(&mut self, columns: Columns<'_>) -> Result<(), BoundsError> {
        self.chunks.clear();
        self.dimension = columns.dimension;
        let len = columns.len();
        self.len = len;
        if len > MOST_BOXES {
            return Err(BoundsError::TooMany(len));
        }
        let isa = self.isa();
        self.is_split = false;
        self.cuts.plan(columns, self.most_in_one_region);
        let furthest =
            if self.cuts.regions() == 1 { self.build_one(isa, columns) } else { self.build_many(isa, columns) }?;
        self.tolerance = (columns.round && furthest <= FURTHEST_FOR_BALLS).then_some(BALL_TOLERANCE * furthest);
        Ok(())
    }

    /// Builds one region of all boxes; returns how far the furthest bound is from the origin.
    fn build_one(&mut self, isa: Isa, columns: Columns<'_>) -> Result<f32, BoundsError> {
        let len = columns.len();
        if len == 0 {
            return Ok(0.0);
        }
        if self.shared.is_empty() {
            self.shared.push(Region::default());
        }
        let region = &mut self.shared[0];
        let furthest = if len < FEWEST_FOR_GRID {
            region.build_few(columns)?
        } else {
            lengthen(&mut self.records, len + PADS, Record::ZERO);
            let records = &mut self.records[..len + PADS];
            let furthest = self.scratch.with(|scratch| region.build_of(isa, columns, records, scratch))?;
            if region.cut_apart(self.dimension, records, &mut self.split) {
                self.is_split = true;
                self.make_chunks(isa, self.split.leaves());
                return Ok(furthest);
            }
            region.divide(Threads::All);
            furthest
        };
        self.chunks.extend((0..region.stretches.len() as u32).map(|stretch| Chunk::Stretch(0, stretch)));
        Ok(furthest)
    }

    /// Deals the boxes out to regions and builds those that are crowded; returns how far the furthest bound is from the
    /// origin.
    fn build_many(&mut self, isa: Isa, columns: Columns<'_>) -> Result<f32, BoundsError> {
        let len = columns.len();
        let region_count = self.cuts.regions();
        let block_count = len.div_ceil(BOXES_PER_BLOCK);
        if self.blocks.len() < block_count {
            self.blocks.resize_with(block_count, BoxBlock::default);
        }
        let cuts = &self.cuts;
        let deal = |index: usize, block: &mut [BoxBlock]| {
            let range = index * BOXES_PER_BLOCK..((index + 1) * BOXES_PER_BLOCK).min(len);
            dispatch_on(isa, Deal { block: &mut block[0], columns, cuts, range })
        };
        let furthest = tasks::fold(&mut self.blocks[..block_count], deal, furthest).unwrap_or(Ok(0.0))?;
        self.block_count = block_count;
        self.make_chunks(isa, region_count);
        Ok(furthest)
    }

    /// Builds the crowded regions, and lists the chunks of all.
    fn make_chunks(&mut self, isa: Isa, region_count: usize) {
        let mut crowded = core::mem::take(&mut self.crowded);
        crowded.clear();
        crowded.resize(region_count, false);
        tasks::for_each(&mut crowded, |index, crowded| *crowded = self.is_crowded(isa, index));
        // One task per crowded region: there are few of them, or there is much to do in each.
        let mut shared = core::mem::take(&mut self.shared);
        let count = crowded.iter().filter(|&&crowded| crowded).count();
        if shared.len() < count {
            shared.resize_with(count, Region::default);
        }
        let mut indices = core::mem::take(&mut self.indices);
        indices.clear();
        indices.extend((0..region_count).filter(|&index| crowded[index]));
        if count > 0 {
            tasks::for_each(&mut shared[..count], |place, region| {
                self.scratch.with(|scratch| self.build_shared(isa, indices[place], region, scratch));
            });
        }
        let mut built = (0..).zip(&shared);
        for (index, &crowded) in (0..).zip(&crowded) {
            if let Some((place, region)) = if crowded { built.next() } else { None } {
                self.chunks.extend((0..region.stretches.len() as u32).map(|stretch| Chunk::Stretch(place, stretch)));
            } else if self.population(index as usize) > 0 {
                self.chunks.push(Chunk::Region(index));
            }
        }
        (self.crowded, self.indices, self.shared) = (crowded, indices, shared);
    }

    /// The records of a region, in pieces.
    fn pieces(&self, region: usize) -> impl Iterator<Item = &[Record]> {
        let (leaf, blocks) = if self.is_split {
            let leaf = self.split.leaf(region);
            (Some(&leaf[..leaf.len() - PADS]), &[][..])
        } else {
            (None, &self.blocks[..self.block_count])
        };
        leaf.into_iter().chain(blocks.iter().map(move |block| block.piece(region)))
    }

    /// The number of boxes in a region.
    fn population(&self, region: usize) -> usize {
        self.pieces(region).map(<[Record]>::len).sum()
    }

    fn is_crowded(&self, isa: Isa, region: usize) -> bool {
        is_crowded(isa, self.population(region), self.pieces(region))
    }

    /// Builds a region that all threads scan.
    fn build_shared(&self, isa: Isa, index: usize, region: &mut Region, scratch: &mut Scratch) {
        let mut own = core::mem::take(&mut scratch.records);
        let records = self.records(index, &mut own);
        region.build(isa, self.dimension, records, scratch, Threads::All);
        region.divide(Threads::All);
        scratch.records = own;
    }

    /// The padded records of a region, collected into `own` if they are in pieces.
    fn records<'a>(&'a self, region: usize, own: &'a mut Vec<Record>) -> &'a [Record] {
        if self.is_split {
            return self.split.leaf(region);
        }
        own.clear();
        let len = self.population(region);
        own.reserve(len + PADS);
        for piece in self.pieces(region) {
            own.extend_from_slice(piece);
        }
        own.resize(len + PADS, Record::ZERO);
        pad(&mut own[len..]);
        own
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Hands all pairs of one chunk to `sink`, batch by batch.
    pub fn scan(&self, chunk: usize, sink: &mut Sink<'_>) {
        let isa = self.isa();
        match self.chunks[chunk] {
            Chunk::Stretch(place, stretch) => {
                let region = &self.shared[place as usize];
                self.scan_stretch(isa, region, region.stretches[stretch as usize], sink);
            }
            Chunk::Region(index) => {
                self.scratch.with(|scratch| {
                    let mut own = core::mem::take(&mut scratch.records);
                    self.scan_records(isa, self.records(index as usize, &mut own), scratch, DEEPEST_CUT, sink);
                    scratch.records = own;
                });
            }
        }
    }

    /// Builds and scans the region of these padded records; or, if they lie unevenly, cuts them apart and does so with
    /// each part, down to `cuts` levels.
    fn scan_records(&self, isa: Isa, records: &[Record], scratch: &mut Scratch, cuts: usize, sink: &mut Sink<'_>) {
        let mut region = core::mem::take(&mut scratch.region);
        region.build(isa, self.dimension, records, scratch, Threads::One);
        let mut split = scratch.splits.pop().unwrap_or_default();
        let is_cut = cuts > 0 && region.cut_apart(self.dimension, records, &mut split);
        if !is_cut {
            region.divide(Threads::One);
            for &stretch in &region.stretches {
                self.scan_stretch(isa, &region, stretch, sink);
            }
        }
        scratch.region = region;
        if is_cut {
            for leaf in (0..split.leaves()).map(|leaf| split.leaf(leaf)).filter(|leaf| leaf.len() > PADS) {
                self.scan_records(isa, leaf, scratch, cuts - 1, sink);
            }
        }
        scratch.splits.push(split);
    }

    fn scan_stretch(&self, isa: Isa, region: &Region, stretch: Stretch, sink: &mut Sink<'_>) {
        match (self.dimension, self.tolerance) {
            (3, None) => dispatch_on(isa, Scan::<3, false> { region, stretch, tolerance: 0.0, sink }),
            (3, Some(tolerance)) => dispatch_on(isa, Scan::<3, true> { region, stretch, tolerance, sink }),
            (_, None) => dispatch_on(isa, Scan::<2, false> { region, stretch, tolerance: 0.0, sink }),
            (_, Some(tolerance)) => dispatch_on(isa, Scan::<2, true> { region, stretch, tolerance, sink }),
        }
    }
}
