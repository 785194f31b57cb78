//! What moving bodies meet first: their boxes travel through the tree, the nearest branches first, and whoever they
//! meet is cast against in lanes, some at a time; nobody is looked at who comes later than the first hit so far.

use jostle_narrowphase::{Cast, CastScratch, CastStatus, Dimension, Motion, Source, cast};
use jostle_shape::{CustomShape, TwoSets};
use jostle_tasks::Pool;

use super::drift::Drift;
use super::search::{SweptSearch, Traveller};
use crate::bounds::below;
use crate::sets::ProbeFilter;
use crate::tree::Tree;

/// A hit may be so much early, in parts of the way: ten times what [`cast()`](crate::cast()) allows where two are far
/// apart.
const EARLY: f64 = 1e-11;
/// Ways (metres) that are shorter or longer along an axis are not followed along it: an `f32` may not hold their
/// inverse.
const FOLLOWED: core::ops::RangeInclusive<f64> = 1e-30..=1e30;
/// So many pairs at least are cast at a time, if there are as many: what two registers hold.
const ROUND: usize = 16;

impl Traveller {
    /// A box that stays where it is.
    pub fn standing<S: Dimension>((lower, upper): (S::Array<f32>, S::Array<f32>)) -> Self {
        let mut traveller = Self::default();
        for k in 0..S::DIMENSION {
            (traveller.lower[k], traveller.upper[k]) = (lower[k], upper[k]);
        }
        traveller
    }

    /// Goes a way along an axis (metres).
    pub fn go(&mut self, axis: usize, way: f64) {
        if FOLLOWED.contains(&way.abs()) {
            self.share[axis] = (1.0 / way) as f32;
        } else {
            self.lower[axis] = below(f64::from(self.lower[axis]) + way.min(0.0));
            self.upper[axis] = -below(-(f64::from(self.upper[axis]) + way.max(0.0)));
        }
    }
}

/// How much room the box of a body leaves for hits that are early, of the longest way along an axis (metres).
pub fn rounding_of(ways: impl Iterator<Item = f64>) -> f64 {
    EARLY * ways.fold(0.0, |longest: f64, way| longest.max(way.abs())).min(*FOLLOWED.end())
}

/// How bodies move, seen from a scene that may move itself.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'d, S: Dimension> {
    pub drift: &'d Drift<S>,
    pub duration: f64,
}

impl<S: Dimension> Ways<'_, S> {
    /// The least and the most that one of this velocity moves along an axis, metres, seen from any of the scene.
    fn along(&self, velocity: S::Array<f64>, axis: usize) -> [f64; 2] {
        let velocity = velocity[axis];
        let [slowest, fastest] = self.drift.all;
        // Nobody's velocities are infinities that are the wrong way round.
        let seen_from = |drift: f64| if drift.is_finite() { velocity - drift } else { velocity };
        [seen_from(fastest[axis]) * self.duration, seen_from(slowest[axis]) * self.duration]
    }

    /// How much room a body's box leaves for hits that are early.
    pub fn rounding(&self, velocity: S::Array<f64>) -> f64 {
        rounding_of((0..S::DIMENSION).flat_map(|axis| self.along(velocity, axis)))
    }

    /// A body's box on its way, as the most of the scene see it.
    pub fn traveller(&self, velocity: S::Array<f64>, bounds: (S::Array<f32>, S::Array<f32>)) -> Traveller {
        let mut traveller = Traveller::standing::<S>(bounds);
        for k in 0..S::DIMENSION {
            traveller.go(k, (velocity[k] - self.drift.common[k]) * self.duration);
        }
        // Rounded up by more than a product with it is rounded by; and finite: nothing times infinity is no number.
        traveller.seconds = (-below(-self.duration * (1.0 + 1e-6))).min(f32::MAX);
        traveller
    }
}

/// Bodies on their ways through a scene.
pub struct Sweeps<'s, 'b, S: Dimension, U> {
    /// The scene's bodies, and behind them those who move.
    pub bodies: &'s TwoSets<'b, S, U>,
    pub filter: ProbeFilter<'s>,
    pub tree: &'s Tree,
    pub drift: &'s Drift<S>,
    pub source: Source<'s, S, f64>,
    pub motion: Motion,
    pub casts: &'s Pool<CastScratch<S>>,
}

/// What a task needs.
pub struct SweepWorker<S: Dimension> {
    searches: Vec<SweptSearch>,
    met: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    rows: Vec<Cast<S>>,
}

impl<S: Dimension> Default for SweepWorker<S> {
    fn default() -> Self {
        Self { searches: Vec::new(), met: Vec::new(), pairs: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, U: CustomShape<S>> Sweeps<'_, '_, S, U> {
    /// The first hits of some who move, the first of whom has a number.
    pub fn first_hits(
        &self,
        first: usize,
        travellers: impl Iterator<Item = Traveller>,
        hits: &mut [Option<Cast<S>>],
        worker: &mut SweepWorker<S>,
    ) {
        let &Self { bodies, filter, tree, drift, source, motion, casts } = self;
        let SweepWorker { searches, met, pairs, rows } = worker;
        searches.resize_with(searches.len().max(hits.len()), SweptSearch::default);
        let searches = &mut searches[..hits.len()];
        for (search, traveller) in searches.iter_mut().zip(travellers) {
            search.begin(traveller, tree);
        }
        let agent = filter.border + first as u32;
        let mut few = 1;
        loop {
            let flying = searches.iter().filter(|search| !search.is_over()).count();
            if flying == 0 {
                return;
            }
            few = (2 * few).max(ROUND / flying);
            pairs.clear();
            for ((agent, search), hit) in (agent..).zip(&mut *searches).zip(&*hits) {
                let latest = hit.map_or(1.0, |hit| share_of(hit.time, motion.duration));
                met.clear();
                search.advance::<S>((tree, Some(drift)), latest, few, |body, _| met.push(body));
                let met = met.iter().filter(|&&body| filter.holds(agent, body));
                pairs.extend(met.map(|&body| [agent, body]));
            }
            cast(bodies, source, pairs, motion, rows, casts);
            for row in &*rows {
                let hit = &mut hits[(row.a - agent) as usize];
                if is_first(row, hit.as_ref()) {
                    *hit = Some(Cast { a: row.a - filter.border, ..*row });
                }
            }
        }
    }
}

/// Whether a row tells of something that is met, and before what was found so far.
pub fn is_first<S: Dimension>(row: &Cast<S>, hit: Option<&Cast<S>>) -> bool {
    let sooner = |hit: &Cast<S>| row.time.total_cmp(&hit.time).then(row.b.cmp(&hit.b)).is_lt();
    row.status != CastStatus::Miss && hit.is_none_or(sooner)
}

/// The share of a way of so many seconds after some of them, or a little later.
pub fn share_of(time: f64, duration: f64) -> f32 {
    if time < duration { -below(-time / duration) } else { 1.0 }
}
