//! A pair of a packet while its depth is searched.

use jostle_lanes::{Lanes, Scalar};

use super::placed::{FoundDepth, PlacedFrustum};
use crate::noise::{CONVERGED, FORWARD, noise, tells_touching};

/// A pair, and the least of its depths that have a closed form if it is known.
pub type BegunPair<'s, T> = (PlacedFrustum<'s, T>, Option<FoundDepth<T>>);

/// Depths that are less by no more than this are the same.
#[inline(always)]
pub fn gain<L: Lanes>(magnitude: L) -> L {
    noise(CONVERGED / 2.0, magnitude)
}

/// A pair and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Underway<'s, T: Scalar> {
    /// The pair.
    pub pair: PlacedFrustum<'s, T>,
    /// The least depth so far.
    pub best: FoundDepth<T>,
    /// No valley whose bottom was not found is deeper than this.
    pub weakest: T,
    /// See [`gain`].
    pub gain: T,
}

impl<'s, T: Scalar> Underway<'s, T> {
    /// From a pair and, where it is known, the least of its depths that have a closed form. None if it overlaps by no
    /// more than rounding and it takes a wider type to say so.
    #[inline(always)]
    pub fn new<L: Lanes<Scalar = T>>((pair, known): BegunPair<'s, T>) -> Option<Self> {
        let gain = gain(pair.magnitude);
        let best = match known {
            Some(known) => known,
            None => pair.closed::<L>(gain),
        };
        let told = tells_touching::<T>() || best.depth > noise(FORWARD, pair.magnitude);
        told.then_some(Self { pair, best, weakest: T::INFINITY, gain })
    }

    /// The least depth, and whether it is uncertain. None if the numbers make no sense.
    #[inline(always)]
    pub fn found(&self) -> Option<(FoundDepth<T>, bool)> {
        // Not `>`: what is NaN is no answer.
        (self.best.depth < T::INFINITY).then_some((self.best, self.weakest < self.best.depth - self.gain))
    }
}
