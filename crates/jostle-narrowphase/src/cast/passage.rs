//! The part of a pair's motion in which its bounding balls meet: before and after it the two cannot.

use jostle_lanes::Space;

use super::row::{Cast, CastStatus, Motion};
use crate::frame::Placing;

/// Where B goes while the balls meet, in the world, in metres.
#[derive(Clone, Copy, Debug)]
pub struct Passage<S: Space> {
    /// How far B has come when it begins.
    pub shift: S::Array<f64>,
    /// How far it goes.
    pub sweep: S::Array<f64>,
    /// The same as lengths.
    pub lengths: [f64; 2],
    /// Seconds until it begins, and how long it lasts.
    pub times: [f64; 2],
    /// What is added to the pair's magnitude.
    pub margin: f64,
    /// Both bodies' reaches and the target.
    pub size: f64,
    /// The bodies' own velocities.
    pub velocities: [S::Array<f64>; 2],
}

/// Not [swapped](Passage::hit): `a` and `b` are those of the row.
pub const AS_ASKED: bool = false;

impl<S: Space> Passage<S> {
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

    /// A hit after a share of it. `normal` (from A) and `near` (on A's surface, with A where it is at the beginning)
    /// are in the world; if the two are `swapped`, what is A here is the pair's second body.
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
