//! Which bodies of a large set might be near any of a small one: the others need be neither copied nor swept, nor known
//! to the narrowphase. (One agent against a million balls: most of them are seen once, and that is all.)

use jostle_broadphase::Bounds;
use jostle_lanes::set_bits;
use jostle_narrowphase::Dimension;
use jostle_shape::{BodyError, Columns, CustomShape};
use jostle_tasks as tasks;

use crate::bounds::{BoxFrame, Placed, check_margin, fill_some};
use crate::cull::Cull;
use crate::gathered::GatheredBodies;
use crate::members::Members;
use crate::origin::origin_of;
use crate::weight;

/// Sets are held against each other as they are unless one has at least this many times as many bodies as the other:
/// in the cells around one of a hundred balls strewn in space are about half of all balls.
const TIMES: usize = 64;
/// Where the large set has fewer bodies, both sets are held against each other as they are.
const FEWEST: usize = 512;
/// Bodies of the large set that are looked at first: it is left as it is if more than a third of these might be near.
const SAMPLE: usize = 256;
/// So many cells are at least as long as the longest body of the small set, which then marks no more than `MARKED`.
const CELLS: f32 = 4.0;
const MARKED: usize = 256;
/// Blocks of boxes that one task looks at.
const BLOCKS_PER_TASK: usize = 128;

/// The bodies of a large set that might be near a small one. Keeps its memory.
#[derive(Debug)]
pub struct Vicinity<S: Dimension> {
    /// Those of either set that meet any other, the small one first.
    members: [Members; 2],
    bounds: [Bounds<S>; 2],
    cull: Cull,
    /// Of each block of boxes those that might be near, a bit each.
    blocks: Vec<u32>,
    near: Vec<u32>,
    gathered: GatheredBodies<S>,
}

impl<S: Dimension> Default for Vicinity<S> {
    fn default() -> Self {
        Self {
            members: [Members::default(), Members::default()],
            bounds: [Bounds::new(), Bounds::new()],
            cull: Cull::default(),
            blocks: Vec::new(),
            near: Vec::new(),
            gathered: GatheredBodies::default(),
        }
    }
}

impl<S: Dimension> Vicinity<S> {
    /// Chooses the bodies of the set `many` that might be within the margin of any of the `few`. False if that does not
    /// pay, or if the query has to be refused: then nothing is chosen.
    pub fn choose<U: CustomShape<S>>(
        &mut self,
        few: &Columns<'_, S, U>,
        many: &Columns<'_, S, U>,
        margin: f64,
    ) -> bool {
        if many.len() < FEWEST.max(few.len().saturating_mul(TIMES)) || check_margin(margin).is_err() {
            return false;
        }
        tasks::run(weight::of_boxes(many), || {
            let boxes = BoxFrame::for_margin(origin_of(many), margin);
            self.mark(few, many, boxes);
            let asked = self.bounds[1].len();
            let met = (0..asked).filter(|&at| self.cull.meets(&self.bounds[1], at)).count();
            3 * met <= asked && self.find(many, boxes)
        })
    }

    /// Marks the cells of the few, and makes the boxes of a sample of the others.
    fn mark<U: CustomShape<S>>(&mut self, few: &Columns<'_, S, U>, many: &Columns<'_, S, U>, boxes: BoxFrame<S>) {
        let Self { members: [of_few, of_many], bounds: [small, sample], cull, .. } = self;
        of_few.choose(&few.filters(), few.len());
        of_many.choose(&many.filters(), many.len());
        fill(few, boxes, of_few.len(), |member| of_few.body(member), small);
        let stride = of_many.len().div_ceil(SAMPLE).max(1);
        fill(many, boxes, of_many.len().div_ceil(stride), |at| of_many.body(at * stride), sample);
        let longest = (0..S::DIMENSION)
            .flat_map(|k| small.lower(k).iter().zip(small.upper(k)))
            .fold(0.0, |longest: f32, (lower, upper)| longest.max(upper - lower));
        cull.mark(sample, small, 0..small.len(), longest / CELLS, MARKED * small.len());
    }

    /// Looks at all boxes of the large set. False if a box is not sound.
    fn find<U: CustomShape<S>>(&mut self, many: &Columns<'_, S, U>, boxes: BoxFrame<S>) -> bool {
        let [_, members] = &self.members;
        fill(many, boxes, members.len(), |member| members.body(member), &mut self.bounds[1]);
        if self.bounds.iter().any(|bounds| bounds.validate().is_err()) {
            return false;
        }
        let mut blocks = core::mem::take(&mut self.blocks);
        let count = self.bounds[1].len();
        blocks.clear();
        blocks.resize(count.div_ceil(Cull::BLOCK), 0);
        tasks::for_each_few(&mut blocks, BLOCKS_PER_TASK, |task, blocks| {
            for (block, near) in (task * BLOCKS_PER_TASK..).zip(blocks) {
                let from = block * Cull::BLOCK;
                let around = self.cull.are_around(&self.bounds[1], from..count.min(from + Cull::BLOCK));
                let held =
                    set_bits::<{ Cull::BLOCK }>(around).filter(|place| self.cull.near(&self.bounds[1], from + place));
                *near = held.fold(0, |near, place| near | 1 << place);
            }
        });
        self.near.clear();
        for (block, &near) in blocks.iter().enumerate() {
            let members = set_bits::<{ Cull::BLOCK }>(near).map(|place| block * Cull::BLOCK + place);
            self.near.extend(members.map(|member| self.members[1].body(member) as u32));
        }
        self.blocks = blocks;
        true
    }

    /// The bodies that were chosen, in order.
    pub fn near(&self) -> &[u32] {
        &self.near
    }

    /// The columns of the bodies that were chosen.
    pub fn columns<'c, U: CustomShape<S>>(
        &'c mut self,
        many: &Columns<'c, S, U>,
    ) -> Result<Columns<'c, S, U>, BodyError> {
        self.gathered.columns(many, &self.near)
    }
}

/// Makes the boxes of `count` bodies.
fn fill<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: BoxFrame<S>,
    count: usize,
    body: impl Fn(usize) -> usize + Sync,
    bounds: &mut Bounds<S>,
) {
    let who = |at: usize| {
        let body = body(at);
        Some(Placed { body, position: bodies.positions()[body], room: 0.0 })
    };
    bounds.resize(count);
    fill_some(bodies, boxes, &who, bounds);
}
