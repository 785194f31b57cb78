//! What is asked about pairs: the seam between the one loop ([`crate::packet`]) and the kernels of each question.
//!
//! A [`Query`] says what it wants to know of two points, two segments, two boxes, or any two cores. A solver
//! ([`crate::solve`]) knows how to get these out of records. The loop brings the two together, so a new question is one
//! file: it copies no gathering, no sorting into classes, no scattering of lanes over rows.

use jostle_lanes::Lanes;
use jostle_shape::SupportMap;

use crate::class::{Class, Dimension, Job, Precision};
use crate::families::{Families, Family};
use crate::frame::{PairLanes, Placing, Traits};
use crate::gjk::Cores;
use crate::packet::Pick;
use crate::solve::SolveSpace;

/// A question about pairs, with its numbers (a limit, a duration).
pub trait Query<S: SolveSpace>: Sized {
    /// The precision of its lanes.
    type Scalar: Precision;
    /// One pair's answer.
    type Row;
    /// The question's own numbers, one per lane.
    type Asked<L: Lanes>: Copy;
    /// W answers.
    type Answer<L: Lanes>;
    /// Takes the pairs that a solver leaves open.
    type Open;

    /// Where the pairs of a packet stand when they are looked at, if not where the records say.
    fn placing<'p>(&'p self, packet: &'p [Pick]) -> impl Placing + 'p;
    /// The question's numbers for a packet. Lanes beyond its last pair repeat that one. `MEETS` is the [solver's](crate::solve::Solve::MEETS):
    /// whether what it met is worth keeping, and knowing what was kept.
    fn ask<L: Lanes<Scalar = Self::Scalar>, const MEETS: bool>(
        &self,
        pair: &PairLanes<S, L>,
        packet: &[Pick],
    ) -> Self::Asked<L>;

    /// Asks for the memory that the question keeps of a pair, which will be solved soon.
    #[inline(always)]
    fn prefetch(&self, _pick: &Pick) {}

    /// Asked about two points.
    fn points<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about two segments.
    fn segments<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about two boxes.
    fn boxes<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about any two cores of these families; `toward` is where to look first, from A to B in A's frame, of any length.
    fn cores<L, F, G, A, B>(
        asked: Self::Asked<L>,
        pair: &PairLanes<S, L>,
        families: (&F, &G),
        cores: &Cores<'_, S, L, A, B>,
        toward: S::Vector<L>,
    ) -> Self::Answer<L>
    where
        L: Lanes,
        F: Family<S>,
        G: Family<S>,
        A: SupportMap<S, L> + ?Sized,
        B: SupportMap<S, L> + ?Sized;

    /// Writes the answers of a packet to their rows, and what is left open to `open`.
    fn scatter<L: Lanes<Scalar = Self::Scalar>, const MEETS: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        answer: &Self::Answer<L>,
        rows: &mut [Self::Row],
        open: &mut Self::Open,
    );

    /// Solves the pairs of a class of built-in shapes, through an entry point that is compiled in this crate.
    fn built_in(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>)
    where
        S: Dimension;
}

/// A packet that has been solved.
pub struct Packet<'p, S: SolveSpace, L: Lanes> {
    /// Its pairs.
    pub picks: &'p [Pick],
    /// Their bodies, one pair per lane.
    pub records: &'p crate::packet::Gathered<'p, S, L::Scalar>,
    /// The same in lanes.
    pub lanes: &'p PairLanes<S, L>,
    /// What its bodies may have.
    pub traits: Traits,
}
