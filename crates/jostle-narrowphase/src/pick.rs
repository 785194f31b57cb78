//! A pair on its way: into a packet, through it, and what is left open of it.

use jostle_lanes::{Lanes, Scalar, Space};
use jostle_shape::MAX_WIDTH;

use crate::frame::{PairLanes, Traits};
use crate::gjk::FinalSimplex;
use crate::record::Record;

/// How many pairs are sorted by class and solved at a time (a batch): few enough that their rows stay in the cache,
/// enough to fill the lanes of every class.
pub const PAIRS_PER_BATCH: usize = 1024;
/// How many pairs are solved before those that `f32` could not decide are solved together on `f64` lanes.
pub const PAIRS_PER_RESCUE: usize = 8 * PAIRS_PER_BATCH;

/// A pair on its way into a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pick {
    /// Indices of the two records, the simpler kind first.
    pub records: [u32; 2],
    /// Where its answer goes.
    pub row: u32,
    /// True if the user asked for the two the other way round.
    pub swapped: bool,
    /// True if its depth is asked for on a guess (see [`Answer::guessed`](crate::answer::Answer::guessed)).
    pub guessed: bool,
}

/// Pairs that a solver left open.
pub struct OpenPairs<S: Space, T: Scalar> {
    /// Those whose cores overlap: their depth is for the next solver.
    pub overlapping: Vec<Pick>,
    /// What is known of each of those, if their solver keeps it: vertices of A - B about the origin, in A's frame,
    /// scaled.
    pub simplices: Vec<FinalSimplex<S, T>>,
    /// Those that this precision cannot decide.
    pub undecided: Vec<Pick>,
}

impl<S: Space, T: Scalar> Default for OpenPairs<S, T> {
    fn default() -> Self {
        Self { overlapping: Vec::new(), simplices: Vec::new(), undecided: Vec::new() }
    }
}

/// The bodies of a packet, one pair per lane.
pub type Gathered<'r, S, T> = [[&'r Record<S, T>; 2]; MAX_WIDTH];

/// A packet that has been solved.
pub struct Packet<'p, S: Space, L: Lanes> {
    /// Its pairs.
    pub picks: &'p [Pick],
    /// Their bodies, one pair per lane.
    pub records: &'p Gathered<'p, S, L::Scalar>,
    /// The same in lanes.
    pub lanes: &'p PairLanes<S, L>,
    /// What its bodies may have.
    pub traits: Traits,
}
