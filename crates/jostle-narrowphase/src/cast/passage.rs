//! The part of a pair's motion in which its bounding balls meet: before and after it the two cannot.
//!
//! In closed form, in `f64`, for B as seen from A. From here on every length is of the order of the two bodies and the
//! target, whatever the speed, the duration and the way between them. Numbers are taken relative to the largest of them,
//! so that neither velocities of 1e15 nor denormal ones leave the range of squares.

use jostle_lanes::{Space, Vector};
use jostle_shape::{Columns, CustomShape};

use super::{Cast, CastStatus, Motion};
use crate::class::Dimension;
use crate::frame::Placing;
use crate::record::Template;
use crate::records::Source;

/// The balls are made larger by this share of themselves, and of the way, so that bodies are apart when they enter.
const ROOM: [f64; 2] = [1e-6, 1e-12];
/// Share of the way that counts as the pair's magnitude: what rounding does to positions that far apart is then counted
/// among what it does to the pair.
const WAY: f64 = 1e-3;

/// Where B goes while the balls meet, in the world, in metres.
#[derive(Clone, Copy, Debug)]
pub struct Passage<S: Space> {
    /// How far B has come when it begins.
    shift: S::Array<f64>,
    /// How far it goes.
    pub sweep: S::Array<f64>,
    /// The same as lengths.
    lengths: [f64; 2],
    /// Seconds until it begins, and how long it lasts.
    times: [f64; 2],
    /// What is added to the pair's magnitude.
    margin: f64,
    /// Both bodies' reaches and the target.
    size: f64,
    /// The bodies' own velocities.
    velocities: [S::Array<f64>; 2],
}

impl<S: Space> Passage<S> {
    /// Of a pair, or nothing if its balls never meet.
    pub fn of<U: CustomShape<S>>(
        bodies: &Columns<'_, S, U>,
        source: Source<'_, S, f64>,
        pair: [u32; 2],
        motion: Motion,
    ) -> Option<Self>
    where
        S: Dimension,
    {
        let [a, b] = pair.map(|body| body as usize);
        let positions = bodies.positions();
        let velocities = [bodies.velocity(a), bodies.velocity(b)];
        let between: S::Array<f64> = S::array(|k| positions[b][k] - positions[a][k]);
        let velocity: S::Array<f64> = S::array(|k| velocities[1][k] - velocities[0][k]);
        let largest = |v: &S::Array<f64>| v.as_ref().iter().fold(0.0, |m: f64, x| m.max(x.abs()));

        let reach = source.reach(bodies, a) + source.reach(bodies, b) + motion.target;
        let (far, fast) = (largest(&between), largest(&velocity));
        let ball = reach * (1.0 + ROOM[0]) + far * ROOM[1];
        let unit = if ball > far { ball } else { far };
        if unit == 0.0 {
            return Some(Self::standing(velocities, reach));
        }
        let between = S::Vector::<f64>::from_fn(|k| between[k] / unit);
        let ball = ball / unit;
        if fast == 0.0 {
            return (between.length_squared() <= ball * ball).then(|| Self::standing(velocities, reach));
        }
        let way = S::Vector::<f64>::from_fn(|k| velocity[k] / fast);
        let length = way.length_squared().sqrt();
        let way = way * (1.0 / length);
        let ahead = -between.dot(way);
        let beside = (between + way * ahead).length_squared();
        let squared = ball * ball - beside;
        // Not `<`, so that NaN would go on and be found out.
        if squared < 0.0 {
            return None;
        }
        let half = squared.sqrt();
        // As far as the time reaches; this may be infinite.
        let all = fast * length * motion.duration;
        let (start, end) = (((ahead - half) * unit).max(0.0), ((ahead + half) * unit).min(all));
        if start > end {
            return None;
        }
        let seconds = |way: f64| way / length / fast;
        let from = seconds(start).min(motion.duration);
        Some(Self {
            shift: S::array(|k| way.get(k) * start),
            sweep: S::array(|k| way.get(k) * (end - start)),
            lengths: [start, end - start],
            times: [from, seconds(end - start).min(motion.duration - from)],
            margin: motion.target + (end - start) + WAY * (far + start),
            size: reach,
            velocities,
        })
    }

    /// Of bodies that do not move against each other.
    fn standing(velocities: [S::Array<f64>; 2], reach: f64) -> Self {
        let none = S::array(|_| 0.0);
        Self { shift: none, sweep: none, lengths: [0.0; 2], times: [0.0; 2], margin: reach, size: reach, velocities }
    }

    /// True if it begins with the motion itself: the bodies may overlap already.
    pub fn is_start(&self) -> bool {
        self.lengths[0] == 0.0
    }
    /// How far B goes.
    pub fn length(&self) -> f64 {
        self.lengths[1]
    }
    /// About how large the pair is.
    pub fn size(&self) -> f64 {
        self.size
    }
    /// Where B is after a share of it.
    pub fn after(&self, share: f64) -> After<'_, S> {
        After { passage: self, share, sign: 1.0 }
    }
    /// Where B is when it begins; `sign` is -1 if the pair is asked the other way round.
    pub fn begin(&self, sign: f64) -> After<'_, S> {
        After { passage: self, share: 0.0, sign }
    }
    /// Seconds since the motion began after a share of it.
    pub fn time(&self, share: f64, motion: Motion) -> f64 {
        (self.times[0] + share * self.times[1]).min(motion.duration)
    }

    /// A hit after a share of it. `normal` (from A) and `near` (on A's surface, with A where it is at the beginning) are in
    /// the world; if the two are `swapped`, what is A here is the pair's second body.
    pub fn hit(
        &self,
        pair: [u32; 2],
        motion: Motion,
        swapped: bool,
        share: f64,
        normal: S::Array<f64>,
        near: S::Array<f64>,
    ) -> Cast<S> {
        let time = self.time(share, motion);
        let velocity = self.velocities[usize::from(swapped)];
        let (sign, across) = if swapped { (-1.0, motion.target) } else { (1.0, 0.0) };
        Cast {
            a: pair[0],
            b: pair[1],
            status: CastStatus::Hit,
            time,
            distance: motion.target,
            point: S::array(|k| near[k] + normal[k] * across + velocity[k] * time),
            normal: S::array(|k| normal[k] * sign),
        }
    }
}

/// B after a share of a passage.
#[derive(Clone, Copy, Debug)]
pub struct After<'s, S: Space> {
    passage: &'s Passage<S>,
    share: f64,
    sign: f64,
}

impl<S: Space> Placing for After<'_, S> {
    #[inline(always)]
    fn offset(&self, _: usize, axis: usize, at_rest: f64) -> f64 {
        at_rest + self.sign * (self.passage.shift[axis] + self.passage.sweep[axis] * self.share)
    }
    #[inline(always)]
    fn room(&self, _: usize) -> f64 {
        self.passage.margin
    }
}

impl<S: Dimension> Source<'_, S, f64> {
    /// No point of a body is farther from its position than this.
    fn reach<U: CustomShape<S>>(&self, bodies: &Columns<'_, S, U>, body: usize) -> f64 {
        match self {
            Source::All(records) => records[body].reach,
            Source::Templates(templates) => templates[bodies.shape_indices()[body] as usize].reach(),
            Source::OnDemand => Template::<S, f64>::new(bodies.shape(body), 0).reach(),
        }
    }
}
