//! What a frame reports of itself.

use std::time::Duration;

use jostle_shape::Problem;

#[cfg(doc)]
use super::Pipeline;
use super::handle::Handle;

/// Counts of a frame, and where its time went (wall time).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The number of bodies, those that are left out included.
    pub bodies: usize,
    /// Pairs on the list of pairs that may be near.
    pub candidates: usize,
    /// Pairs that went through the narrowphase.
    pub solved: u64,
    /// How many of them `f64` had to decide.
    pub rescued: u64,
    /// Contacts: pairs within the margin, and those that the look-ahead adds.
    pub contacts: usize,
    /// Contacts that were not in the frame before.
    pub began: usize,
    /// Contacts of the frame before that are not in this one.
    pub ended: usize,
    /// Bodies that are left out because their numbers are invalid: see [`Pipeline::faults`].
    pub faulty: usize,
    /// Bodies that slept, were moved and are awake now: see [`Pipeline::woken`].
    pub woken: usize,
    /// Bodies whose pairs had to be found anew: 0 if the list was kept as it was.
    pub renewed: usize,
    /// The skin that the list was made with, metres.
    pub skin: f64,
    /// Time of the pass over all bodies: validity, motion against the skin, records.
    pub motion: Duration,
    /// Time of making boxes and the list of pairs.
    pub broadphase: Duration,
    /// Time of solving pairs: distances, normals, witness points.
    pub narrowphase: Duration,
    /// Time of finding what began and ended, and of carrying the data beside contacts over.
    pub events: Duration,
}

impl Frame {
    /// The time of the whole frame.
    pub fn total(&self) -> Duration {
        self.motion + self.broadphase + self.narrowphase + self.events
    }
}

/// A body whose numbers are invalid, and what is wrong with them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The body.
    pub body: Handle,
    /// What is wrong.
    pub problem: Problem,
}
