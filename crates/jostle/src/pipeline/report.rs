//! What a frame says of itself.

use std::time::Duration;

use jostle_shape::Problem;

#[cfg(doc)]
use super::Pipeline;
use super::handle::Handle;

/// What a frame came to, and where its time went (wall time).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// How many bodies there are, those that are left out included.
    pub bodies: usize,
    /// Pairs on the list of those that may be near.
    pub candidates: usize,
    /// Pairs that went through the narrowphase.
    pub solved: u64,
    /// Of those, how many `f64` had to decide.
    pub rescued: u64,
    /// Pairs within the margin.
    pub contacts: usize,
    /// Contacts that were none in the frame before.
    pub began: usize,
    /// Contacts of the frame before that are none now.
    pub ended: usize,
    /// Bodies that are left out because their numbers are broken: see [`Pipeline::faults`].
    pub faulty: usize,
    /// Sleeping bodies that were moved and are awake now: see [`Pipeline::woken`].
    pub woken: usize,
    /// Bodies whose pairs had to be found anew: 0 where the list was kept as it was.
    pub renewed: usize,
    /// The skin that the list was made with, metres.
    pub skin: f64,
    /// The pass over all bodies: soundness, motion against the skin, records.
    pub motion: Duration,
    /// Boxes and the list of pairs.
    pub broadphase: Duration,
    /// Distances, normals, witness points.
    pub narrowphase: Duration,
    /// What began and ended, and the data beside contacts.
    pub events: Duration,
}

impl Frame {
    /// The whole frame.
    pub fn total(&self) -> Duration {
        self.motion + self.broadphase + self.narrowphase + self.events
    }
}

/// A body whose numbers are broken, and what is wrong with them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The body.
    pub body: Handle,
    /// What is wrong.
    pub problem: Problem,
}
