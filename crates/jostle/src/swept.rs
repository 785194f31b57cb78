//! A scene in open space, from its bodies to candidate pairs: which bodies are looked at, their boxes, which of these
//! need not meet, what finds those that overlap, and what else rules pairs out. (Where space repeats: `images.rs`.)

use std::time::Duration;

use jostle_broadphase::{Bounds, ColumnSweep, PairOrder, TooManyPairs};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape};

use crate::bounds::{BoxFrame, Placed, Sought, check_margin, fill_some};
use crate::chunks::Candidates;
use crate::clock::Moment;
use crate::crossing::Crossing;
use crate::error::ContactsError;
use crate::layers::{self, Sides, Told};
use crate::members::Members;
use crate::origin::origin_of;
use crate::rods::Rods;

/// The boxes of a scene, swept. Keeps its memory.
#[derive(Debug)]
pub struct SweptScene<S: Dimension> {
    members: Members,
    bounds: Bounds<S>,
    told: Told,
    /// Capsules about the bodies, if many are long.
    rods: Rods,
    sweep: ColumnSweep<S>,
    /// What finds pairs in place of the sweep, where two sets are crowded.
    crossing: Crossing<S>,
    crosses: bool,
}

impl<S: Dimension> Default for SweptScene<S> {
    fn default() -> Self {
        Self {
            members: Members::default(),
            bounds: Bounds::new(),
            told: Told::All,
            rods: Rods::default(),
            sweep: ColumnSweep::new(),
            crossing: Crossing::default(),
            crosses: false,
        }
    }
}

impl<S: Dimension> SweptScene<S> {
    /// Sweeps the boxes of all bodies that meet any other, for the pairs that are sought; with a `border`, of pairs of
    /// a body before it and one from it on. Returns what the sweep took.
    pub fn build<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        border: Option<usize>,
        margin: f64,
        sought: Sought,
    ) -> Result<Duration, ContactsError> {
        check_margin(margin)?;
        let Self { members, bounds, told, rods, sweep, crossing, crosses } = self;
        bounds.set_round(sought.round(bodies));
        members.choose(&bodies.filters(), bodies.len());
        let (boxes, positions) = (BoxFrame::for_margin(origin_of(bodies), margin), bodies.positions());
        let who = |member: usize| {
            let body = members.body(member);
            Some(Placed { body, position: positions[body], room: 0.0 })
        };
        bounds.resize(members.len());
        fill_some(bodies, boxes, &who, bounds);
        match sought {
            Sought::Boxes => rods.clear(),
            Sought::Near => rods.make(bodies, boxes, &who, bounds),
        }
        let filters = bodies.filters();
        let meet = members.filter(|a, b| filters.meet(a, b));
        let crossed = border.map(|border| members.before(border)).filter(|&at| crossing.pays(bounds, at, &meet));
        *crosses = crossed.is_some();
        *told = if *crosses {
            bounds.layers_mut().clear();
            if bodies.filters().is_empty() { Told::All } else { Told::Some }
        } else {
            let (border, sides) = border.map_or((bodies.len(), Sides::One), |border| (border, Sides::BothApart));
            let in_layers = (0..members.len()).map(|member| members.body(member)).map(|body| (body, body >= border));
            layers::put(bounds.layers_mut(), &bodies.filters(), sides, in_layers)
        };
        let start = Moment::now();
        let built = match crossed {
            Some(second) => crossing.build(bounds, second),
            None => sweep.build(bounds),
        };
        built.map_err(|error| error.renamed(|member| members.body(member)))?;
        Ok(start.elapsed())
    }

    /// The candidates for which the predicate `wanted(a, b)`, `a < b`, holds.
    pub fn candidates<'q, 'b, U, F>(
        &'q self,
        bodies: &'q Columns<'b, S, U>,
        wanted: &'q F,
    ) -> OpenCandidates<'q, 'b, S, U, F> {
        OpenCandidates { bodies, scene: self, wanted }
    }

    /// Lists all pairs of overlapping boxes of bodies that meet, in canonical order, in place of those in `pairs`: none
    /// if there are more than `limit`.
    pub fn pairs_into<U: CustomShape<S>>(
        &self,
        bodies: &Columns<'_, S, U>,
        limit: u64,
        order: &mut PairOrder<[u32; 2]>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<(), TooManyPairs> {
        let Self { members, told, sweep, .. } = self;
        let filters = bodies.filters();
        sweep.pairs_into(&members.filter(|a, b| told.meet(&filters, a, b)), Some(limit), pairs)?;
        order.sort(pairs, bodies.len());
        members.name(pairs);
        Ok(())
    }

    /// Counts the pairs of overlapping boxes of bodies that meet.
    pub fn count<U: CustomShape<S>>(&self, bodies: &Columns<'_, S, U>) -> u64 {
        let Self { members, told, sweep, .. } = self;
        let filters = bodies.filters();
        sweep.count(&members.filter(|a, b| told.meet(&filters, a, b)))
    }
}

/// The pairs of bodies that may be near, whose filters let them meet, and for which a predicate holds.
pub struct OpenCandidates<'q, 'b, S: Dimension, U, F> {
    bodies: &'q Columns<'b, S, U>,
    scene: &'q SweptScene<S>,
    wanted: &'q F,
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> Candidates for OpenCandidates<'_, '_, S, U, F> {
    type Pair = [u32; 2];
    type List = Vec<[u32; 2]>;

    fn chunks(&self) -> usize {
        let SweptScene { sweep, crossing, crosses, .. } = self.scene;
        if *crosses { crossing.chunk_count() } else { sweep.chunk_count() }
    }
    fn list<'l>(&self, chunk: usize, pairs: &'l mut Vec<[u32; 2]>) -> &'l [[u32; 2]] {
        let Self { bodies, scene: SweptScene { members, told, rods, sweep, bounds, crossing, crosses }, wanted } = self;
        let filters = bodies.filters();
        let filter = members.filter(|a, b| told.meet(&filters, a, b) && wanted(a, b));
        if *crosses {
            crossing.chunk_pairs(bounds, chunk, &filter, pairs);
        } else {
            sweep.chunk_pairs(chunk, &filter, pairs);
        }
        rods.rule_out::<S>(pairs);
        members.name(pairs);
        pairs
    }
}
