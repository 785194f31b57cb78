//! The sweep without its type parameter: compiled once, here, and not again in every program that uses it.

use jostle_lanes::{Isa, dispatch_on};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds::{BoundsError, Columns};
use crate::cuts::Cuts;
use crate::grid::FEWEST_FOR_GRID;
use crate::layers::Apart;
use crate::partition::{BOXES_PER_BLOCK, BoxBlock, Deal, furthest};
use crate::record::{Layout, PADS, Record, pad};
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

/// Where the records of a region are.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In pieces, one in each block: the number of the region.
    Blocks(u32),
    /// Together: a leaf of a region that was cut apart, which has this place in `shared`.
    Leaf(u32, u32),
}

/// What one task scans.
#[derive(Clone, Copy, Debug)]
enum Chunk {
    /// A region that is not crowded.
    Region(Place),
    /// A stretch of a region that many tasks share: its place in `shared`, and the stretch.
    Stretch(u32, u32),
}

/// A region that is built in advance, as many tasks scan it.
#[derive(Debug, Default)]
struct Shared {
    region: Region,
    /// The same cut apart, if it is: its boxes lie so unevenly that they form regions of their own.
    split: Split,
    is_cut: bool,
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
    /// Which layers are kept apart, if boxes are in layers.
    apart: Option<Apart>,
    cuts: Cuts,
    blocks: Vec<BoxBlock>,
    /// The padded records, if there is one region.
    records: Vec<Record>,
    /// The regions that many tasks scan: the only one, or the crowded ones. The others are built when they are scanned.
    shared: Vec<Shared>,
    /// The memory of others, the next one last; and those that are being built.
    spare: Vec<Shared>,
    building: Vec<Shared>,
    /// Regions that have not been looked at, whether each is crowded, and those that are.
    waiting: Vec<Place>,
    is_crowded: Vec<bool>,
    crowded: Vec<Place>,
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

    fn layout(&self) -> Layout {
        Layout { dimension: self.dimension, layered: self.apart.is_some() }
    }

    pub fn build(&mut self, columns: Columns<'_>) -> Result<(), BoundsError> {
        self.chunks.clear();
        // The memory of each is used for the same one again.
        while let Some(shared) = self.shared.pop() {
            self.spare.push(shared);
        }
        self.dimension = columns.dimension;
        self.len = columns.len();
        columns.check_counts()?;
        self.apart = columns.layers.kept_apart();
        let isa = self.isa();
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
        self.shared.push(self.spare.pop().unwrap_or_default());
        let Shared { region, split, is_cut } = &mut self.shared[0];
        *is_cut = false;
        let furthest = if len < FEWEST_FOR_GRID {
            region.build_few(columns)?
        } else {
            lengthen(&mut self.records, len + PADS, Record::ZERO);
            let records = &mut self.records[..len + PADS];
            let furthest = self.scratch.with(|scratch| region.build_of(isa, columns, records, scratch))?;
            *is_cut = region.cut_apart(self.dimension, records, split);
            if *is_cut {
                self.waiting.clear();
                self.waiting.extend((0..split.leaves() as u32).map(|leaf| Place::Leaf(0, leaf)));
                self.make_chunks(isa);
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
        self.waiting.clear();
        self.waiting.extend((0..region_count as u32).map(Place::Blocks));
        self.make_chunks(isa);
        Ok(furthest)
    }

    /// Builds the crowded ones of the regions that wait, and lists the chunks of all. Of crowded regions that are cut
    /// apart, the leaves wait in turn.
    fn make_chunks(&mut self, isa: Isa) {
        let mut waiting = core::mem::take(&mut self.waiting);
        let mut is_crowded = core::mem::take(&mut self.is_crowded);
        let mut crowded = core::mem::take(&mut self.crowded);
        let mut building = core::mem::take(&mut self.building);
        for cuts in (0..DEEPEST_CUT).rev() {
            is_crowded.clear();
            is_crowded.resize(waiting.len(), false);
            tasks::for_each(&mut is_crowded, |index, is_crowded| *is_crowded = self.is_crowded(isa, waiting[index]));
            crowded.clear();
            for (&place, &is_crowded) in waiting.iter().zip(&is_crowded) {
                if is_crowded {
                    crowded.push(place);
                } else if self.population(place) > 0 {
                    self.chunks.push(Chunk::Region(place));
                }
            }
            waiting.clear();
            if crowded.is_empty() {
                break;
            }
            // One task per crowded region: there are few of them, or there is much to do in each. (Apart from `shared`,
            // where the leaves are that are read.)
            building.extend((0..crowded.len()).map(|_| self.spare.pop().unwrap_or_default()));
            tasks::for_each(&mut building, |index, shared| {
                self.scratch.with(|scratch| self.build_shared(isa, crowded[index], shared, scratch, cuts > 0));
            });
            for (number, Shared { region, split, is_cut }) in (self.shared.len() as u32..).zip(&building) {
                if *is_cut {
                    waiting.extend((0..split.leaves() as u32).map(|leaf| Place::Leaf(number, leaf)));
                } else {
                    let stretches = 0..region.stretches.len() as u32;
                    self.chunks.extend(stretches.map(|stretch| Chunk::Stretch(number, stretch)));
                }
            }
            self.shared.append(&mut building);
        }
        (self.waiting, self.is_crowded, self.crowded, self.building) = (waiting, is_crowded, crowded, building);
    }

    /// The records of a region, in pieces.
    fn pieces(&self, place: Place) -> impl Iterator<Item = &[Record]> {
        let (leaf, blocks, region) = match place {
            Place::Leaf(shared, leaf) => (Some(self.leaf(shared, leaf)), &[][..], 0),
            Place::Blocks(region) => (None, &self.blocks[..self.block_count], region as usize),
        };
        leaf.map(|leaf| &leaf[..leaf.len() - PADS])
            .into_iter()
            .chain(blocks.iter().map(move |block| block.piece(region)))
    }

    /// The padded records of a leaf.
    fn leaf(&self, shared: u32, leaf: u32) -> &[Record] {
        self.shared[shared as usize].split.leaf(leaf as usize)
    }

    /// The number of boxes in a region.
    fn population(&self, place: Place) -> usize {
        self.pieces(place).map(<[Record]>::len).sum()
    }

    fn is_crowded(&self, isa: Isa, place: Place) -> bool {
        is_crowded(isa, self.population(place), self.pieces(place))
    }

    /// Builds a region that all threads scan; or cuts it apart, if that is allowed and its boxes lie unevenly.
    fn build_shared(&self, isa: Isa, place: Place, shared: &mut Shared, scratch: &mut Scratch, may_cut: bool) {
        let Shared { region, split, is_cut } = shared;
        let mut own = core::mem::take(&mut scratch.records);
        let records = self.records(place, &mut own);
        region.build(isa, self.layout(), records, scratch, Threads::All);
        *is_cut = may_cut && region.cut_apart(self.dimension, records, split);
        if !*is_cut {
            region.divide(Threads::All);
        }
        scratch.records = own;
    }

    /// The padded records of a region, collected into `own` if they are in pieces.
    fn records<'a>(&'a self, place: Place, own: &'a mut Vec<Record>) -> &'a [Record] {
        if let Place::Leaf(shared, leaf) = place {
            return self.leaf(shared, leaf);
        }
        own.clear();
        let len = self.population(place);
        own.reserve(len + PADS);
        for piece in self.pieces(place) {
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
                let region = &self.shared[place as usize].region;
                self.scan_stretch(isa, region, region.stretches[stretch as usize], sink);
            }
            Chunk::Region(place) => {
                self.scratch.with(|scratch| {
                    let mut own = core::mem::take(&mut scratch.records);
                    self.scan_records(isa, self.records(place, &mut own), scratch, DEEPEST_CUT, sink);
                    scratch.records = own;
                });
            }
        }
    }

    /// Builds and scans the region of these padded records; or, if they lie unevenly, cuts them apart and does so with
    /// each part, down to `cuts` levels.
    fn scan_records(&self, isa: Isa, records: &[Record], scratch: &mut Scratch, cuts: usize, sink: &mut Sink<'_>) {
        let mut region = core::mem::take(&mut scratch.region);
        region.build(isa, self.layout(), records, scratch, Threads::One);
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
        if self.dimension == 3 {
            self.scan_in::<3>(isa, region, stretch, sink);
        } else {
            self.scan_in::<2>(isa, region, stretch, sink);
        }
    }

    fn scan_in<const D: usize>(&self, isa: Isa, region: &Region, stretch: Stretch, sink: &mut Sink<'_>) {
        let (tolerance, apart) = (self.tolerance.unwrap_or(0.0), self.apart.as_ref().unwrap_or(&Apart::NOTHING));
        match (self.tolerance.is_some(), self.apart.is_some()) {
            (false, false) => dispatch_on(isa, Scan::<D, false, false> { region, stretch, tolerance, apart, sink }),
            (false, true) => dispatch_on(isa, Scan::<D, false, true> { region, stretch, tolerance, apart, sink }),
            (true, false) => dispatch_on(isa, Scan::<D, true, false> { region, stretch, tolerance, apart, sink }),
            (true, true) => dispatch_on(isa, Scan::<D, true, true> { region, stretch, tolerance, apart, sink }),
        }
    }
}
