//! The first hits of moving bodies. Their swept boxes go through the tree, the nearest branches first; the bodies met
//! are cast against in lanes, some at a time, and none is looked at that would be met later than the first hit so far.

use jostle_narrowphase::{Cast, CastScratch, CastStatus, Dimension, Motion, Source, cast};
use jostle_shape::{CustomShape, TwoSets};
use jostle_tasks::Pool;

use super::drift::Drift;
use super::search::{SweptSearch, Traveller};
use crate::bounds::below;
use crate::sets::ProbeFilter;
use crate::tree::Tree;

/// By how much a hit may be early, as a fraction of the way: ten times what [`cast()`](crate::cast()) allows where two
/// bodies are far apart.
const EARLY: f64 = 1e-11;
/// The components of a way (metres, in magnitude) along which a box is moved. Outside this range an `f32` may not hold
/// the inverse: the box is then grown along that axis by all of the way.
const FOLLOWED: core::ops::RangeInclusive<f64> = 1e-30..=1e30;
/// At least about this many pairs are cast at a time, if there are as many: what two registers hold.
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

    /// Adds a way along an axis (metres).
    pub fn go(&mut self, axis: usize, way: f64) {
        if FOLLOWED.contains(&way.abs()) {
            self.share[axis] = (1.0 / way) as f32;
        } else {
            self.lower[axis] = below(f64::from(self.lower[axis]) + way.min(0.0));
            self.upper[axis] = -below(-(f64::from(self.upper[axis]) + way.max(0.0)));
        }
    }
}

/// How much room a body's box needs for hits that are early (metres), from the components of its way (metres).
pub fn rounding_of(ways: impl Iterator<Item = f64>) -> f64 {
    EARLY * ways.fold(0.0, |longest: f64, way| longest.max(way.abs())).min(*FOLLOWED.end())
}

/// How query bodies move, relative to a scene that may itself move.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'d, S: Dimension> {
    pub drift: &'d Drift<S>,
    pub duration: f64,
}

impl<S: Dimension> Ways<'_, S> {
    /// The least and the greatest way along an axis, metres, of a body of this velocity relative to any body of the
    /// scene.
    fn along(&self, velocity: S::Array<f64>, axis: usize) -> [f64; 2] {
        let velocity = velocity[axis];
        let [slowest, fastest] = self.drift.all;
        // In a scene where no body meets any other, both bounds are infinite (see `reach`) and are ignored.
        let seen_from = |drift: f64| if drift.is_finite() { velocity - drift } else { velocity };
        [seen_from(fastest[axis]) * self.duration, seen_from(slowest[axis]) * self.duration]
    }

    /// How much room a body's box needs for hits that are early, metres.
    pub fn rounding(&self, velocity: S::Array<f64>) -> f64 {
        rounding_of((0..S::DIMENSION).flat_map(|axis| self.along(velocity, axis)))
    }

    /// A body's box and its way relative to the velocity that most of the scene has.
    pub fn traveller(&self, velocity: S::Array<f64>, bounds: (S::Array<f32>, S::Array<f32>)) -> Traveller {
        let mut traveller = Traveller::standing::<S>(bounds);
        for k in 0..S::DIMENSION {
            traveller.go(k, (velocity[k] - self.drift.common[k]) * self.duration);
        }
        // Rounded up by more than a product with it can be rounded by, and finite: 0 times infinity is NaN.
        traveller.seconds = (-below(-self.duration * (1.0 + 1e-6))).min(f32::MAX);
        traveller
    }
}

/// Casts of moving bodies through a scene.
pub struct Sweeps<'s, 'b, S: Dimension, U> {
    /// The scene's bodies, and behind them the moving ones.
    pub bodies: &'s TwoSets<'b, S, U>,
    pub filter: ProbeFilter<'s>,
    pub tree: &'s Tree,
    pub drift: &'s Drift<S>,
    pub source: Source<'s, S, f64>,
    pub motion: Motion,
    pub casts: &'s Pool<CastScratch<S>>,
}

/// Buffers that a task needs.
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
    /// Finds the first hits of some consecutive moving bodies; `first` is the index of the first of them.
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

/// Whether a row is a hit and comes before the hit found so far.
pub fn is_first<S: Dimension>(row: &Cast<S>, hit: Option<&Cast<S>>) -> bool {
    let sooner = |hit: &Cast<S>| row.time.total_cmp(&hit.time).then(row.b.cmp(&hit.b)).is_lt();
    row.status != CastStatus::Miss && hit.is_none_or(sooner)
}

/// The fraction of a motion of `duration` seconds that has passed after `time` seconds, rounded up.
pub fn share_of(time: f64, duration: f64) -> f32 {
    if time < duration { -below(-time / duration) } else { 1.0 }
}
