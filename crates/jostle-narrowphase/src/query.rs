//! What is asked about pairs, and how: the seams between the one loop ([`crate::packet`]) and the kernels.
//!
//! A [`Query`] says what it wants to know of two points, two segments, two boxes, or any two cores. A solver
//! ([`Solve`]) knows how to get these out of records. The loop brings the two together, so a new question
//! copies no gathering, no sorting into classes, no scattering of lanes over rows. Where else it is named: *A query* in
//! ARCHITECTURE.md.

use jostle_lanes::{Lanes, Scalar};
use jostle_shape::{MAX_WIDTH, SupportMap};

use crate::boxes::edges::BoxSpace;
use crate::families::Family;
use crate::frame::{PairLanes, Placing, Traits};
use crate::gjk::Cores;
use crate::pick::{Packet, Pick};
use crate::record::RecordSpace;
use crate::sides::Sided;
use crate::simplex::SimplexSpace;
use crate::toward::TowardSpace;

/// A space in which pairs can be solved: the plane and space.
pub trait SolveSpace: SimplexSpace + BoxSpace + RecordSpace + TowardSpace {}
impl<S: SimplexSpace + BoxSpace + RecordSpace + TowardSpace> SolveSpace for S {}

/// A question about pairs, with its numbers (a limit, a duration).
pub trait Query<S: SolveSpace>: Sized {
    /// The precision of its lanes.
    type Scalar: Scalar;
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
    /// The question's numbers for a packet. Lanes beyond its last pair repeat that one. `KEEPS_SIMPLEX`, as in
    /// [`Solve`]: whether final simplices are kept and used again.
    fn ask<L: Lanes<Scalar = Self::Scalar>, const KEEPS_SIMPLEX: bool>(
        &self,
        pair: &PairLanes<S, L>,
        packet: &[Pick],
    ) -> Self::Asked<L>;

    /// Asks for the memory that the question keeps of a pair, which will be solved soon.
    #[inline(always)]
    fn prefetch(&self, _pick: &Pick) {}

    /// True if polygons of few sides are asked about by these, in the plane.
    const ASKS_SIDES: bool = false;
    /// Asked about the sides of two polygons, in the lanes that are true in `there`: [`Sided`] tells of them, `search`
    /// of all lanes.
    #[inline(always)]
    fn sides<L: Lanes>(
        _asked: Self::Asked<L>,
        _pair: &PairLanes<S, L>,
        _there: L::Mask,
        _sided: impl Sided<S, L>,
        search: impl FnOnce() -> Self::Answer<L>,
    ) -> Self::Answer<L> {
        search()
    }

    /// Asked about two points.
    fn points<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about two segments.
    fn segments<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about a point and a box. (A point is a box as well.)
    #[inline(always)]
    fn point_box<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L> {
        Self::boxes(asked, pair)
    }
    /// Asked about a segment and a box. (A segment is a box as well.)
    #[inline(always)]
    fn segment_box<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L> {
        Self::boxes(asked, pair)
    }
    /// Asked about two boxes.
    fn boxes<L: Lanes>(asked: Self::Asked<L>, pair: &PairLanes<S, L>) -> Self::Answer<L>;
    /// Asked about any two cores of these families; `toward` is where to look first, from A to B in A's frame, of any
    /// length.
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
    fn scatter<L: Lanes<Scalar = Self::Scalar>, const KEEPS_SIMPLEX: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        answer: &Self::Answer<L>,
        rows: &mut [Self::Row],
        open: &mut Self::Open,
    );
}

/// Puts a question to W pairs of one kind.
pub trait Solve<S: SolveSpace, Q: Query<S>> {
    /// True if the final simplices of overlapping pairs are worth keeping for the search for their depth.
    const KEEPS_SIMPLEX: bool = false;
    /// True if it takes so long that gathering and scattering are functions of their own, which many such solvers
    /// share: the calls would cost balls a tenth. All that keep simplices are.
    const LONG: bool = true;
    /// What is kept from packet to packet so that its memory is used again; at first nothing. No answer may depend on
    /// it.
    type PacketScratch<'s, L: Lanes>: Default
    where
        Self: 's;
    /// What the bodies may have.
    #[inline(always)]
    fn traits(&self) -> Traits {
        Traits::TURNED
    }
    /// Asks for the memory of one of the class's pairs, which will be solved soon.
    #[inline(always)]
    fn prefetch(&self, _pick: usize) {}
    /// `picks` says which of the class's pairs is in each lane, for what is kept beside the records.
    fn solve<'s, L: Lanes<Scalar = Q::Scalar>>(
        &'s self,
        kept: &mut Self::PacketScratch<'s, L>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L>;
}
