//! Newton's method on the distance of two frustums, beside GJK, which says where to begin and when.

use jostle_lanes::{Lanes, Space, Vector};

use super::apart::{Apart, apart};
use super::framed::framed;
use crate::frame::PairLanes;
use crate::gjk::{Beside, Gjk};
use crate::noise::{AGREE, NEARNESS, noise};
use crate::widened::{narrowed, widened};

/// The distance of frustums that are [apart](mod@super::apart), for lanes of which GJK has found about where to look.
#[derive(Clone, Copy, Debug)]
pub struct FrustumsApart<'p, S: Space, L: Lanes> {
    pair: &'p PairLanes<S, L>,
    tolerance: L,
    after: u32,
    /// What was found so far.
    pub found: Apart<L>,
}

/// So many steps of GJK from anywhere lead to a direction that is about right.
const FROM_ANYWHERE: u32 = 5;
/// Pairs that were not settled are offered once more after so many further steps of GJK: from the better direction half
/// of them are settled. (3 and 10 were about as good. It pays for pairs that touch, in `f64`, which took 50 steps
/// more.)
const AGAIN: u32 = 7;

impl<'p, S: Space, L: Lanes> FrustumsApart<'p, S, L> {
    /// Nothing is known yet.
    #[inline(always)]
    pub fn new(pair: &'p PairLanes<S, L>, tolerance: L) -> Self {
        Self { pair, tolerance, after: FROM_ANYWHERE, found: Apart::nothing() }
    }

    /// For searches that begin where the last one of the same pair ended, whose direction is about right from the
    /// first: lanes are offered before GJK's first step, also those in which GJK would end at once, with all digits of
    /// the distance but only half of the direction's.
    #[inline(always)]
    pub fn resumed(self) -> Self {
        Self { after: 0, ..self }
    }

    /// What was found, and what GJK found where nothing was; points in A's frame.
    #[inline(always)]
    pub fn or(&self, other: Gjk<S, L>) -> Gjk<S, L> {
        let Apart { a, v, residual, lower, settled, overlap } = self.found;
        let v = S::Vector::select(settled, narrowed::<S, L>(v), other.v);
        Gjk {
            v,
            a: S::Vector::select(settled, narrowed::<S, L>(a), other.a),
            distance: L::select(settled, v.length_squared().sqrt(), other.distance),
            lower: L::select(settled, lower, other.lower),
            residual: L::select(settled, residual, other.residual),
            overlap: other.overlap | overlap,
            sharp: settled | other.sharp,
        }
    }
}

impl<S: Space, L: Lanes> Beside<S, L> for FrustumsApart<'_, S, L> {
    const ASKED: bool = true;
    #[inline(always)]
    fn due(&self, steps: u32) -> bool {
        steps == self.after || steps == self.after + AGAIN
    }
    #[inline(always)]
    fn take(&mut self, v: S::Vector<L>, live: L::Mask) -> L::Mask {
        let framed = framed(self.pair);
        let found = apart(&framed.view, framed.unrotate(widened::<L, _>(-v)), self.tolerance, live);
        // The depths of segments are shown by what GJK ends on.
        let overlap = found.overlap & both_round(self.pair);
        self.found = self.found.or(Apart { a: framed.rotate(found.a), v: framed.rotate(found.v), overlap, ..found });
        found.settled | overlap
    }
}

/// How near to each other the points that GJK ends on may be for a depth to be asked for where nothing else is known:
/// of frustums, whose search tells what its own points are worth, and of segments, whose depth is searched as that of
/// boxes.
#[inline(always)]
pub fn nearness<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L {
    L::select(both_round(pair), pair.magnitude * L::constant(NEARNESS), noise(AGREE, pair.magnitude))
}

/// True where neither is a segment.
#[inline(always)]
fn both_round<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L::Mask {
    let [[base_a, _, top_a], [base_b, _, top_b]] = pair.numbers;
    base_a.max(top_a).gt(L::zero()) & base_b.max(top_b).gt(L::zero())
}
