//! From cores to shapes: radii, bounds and the question whether this precision may decide.
//!
//! The one place that turns what a solver found into a signed distance with a proof, so that the sign has one owner: a
//! pair is settled only if its bounds, widened by all rounding, are close together and on one side of zero, or so close to it that there
//! is no more to know: bodies that touch, as all do that rest on each other (`f64` alone can tell). What is not settled goes to `f64`,
//! and what its lanes leave to [`crate::resolve`].

use jostle_lanes::{Lanes, Mask, Space, Vector};
use jostle_shape::SupportMap;

use crate::boxes::Axis;
use crate::frame::PairLanes;
use crate::gjk::{Cores, Gjk, Met, gjk};
use crate::noise::{APART, CONVERGED, FORWARD, NORMAL, TOUCHING, UNTOLD, noise, tells_touching};
use crate::simplex::{SimplexSpace, Vertex};

/// What is known of one pair per lane; in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Answer<S: Space, L: Lanes> {
    /// Signed distance.
    pub distance: L,
    /// Its lower bound, rounding counted.
    pub lower: L,
    /// Its upper bound, rounding counted.
    pub upper: L,
    /// From A to B.
    pub normal: S::Vector<L>,
    /// Witness point on A's surface; the one on B's is `a + normal * distance`.
    pub a: S::Vector<L>,
    /// True where this precision may decide.
    pub settled: L::Mask,
    /// True where the cores overlap, or are too near for their normal to be certain, and a depth is still to be found; not settled then.
    pub overlap: L::Mask,
    /// True where a depth is the best of a search, and `upper` no proof that it is the least.
    pub searched: L::Mask,
    /// What GJK met of those that overlap, if the solver [keeps it](crate::solve::Solve::MEETS).
    pub met: Met<S, L>,
}

impl<S: Space, L: Lanes> Answer<S, L> {
    /// Nothing was met, or it is not worth keeping.
    #[inline(always)]
    pub fn nothing_met() -> Met<S, L> {
        [Vertex { w: S::Vector::zero(), a: S::Vector::zero() }; 4]
    }

    /// From two cores that are apart. Settled only where they provably are, by bounds that are within rounding of each other, or
    /// within `doubt` and a part of the distance ([`UNTOLD`]).
    #[inline(always)]
    pub fn apart(pair: &PairLanes<S, L>, found: &Gjk<S, L>, doubt: L) -> Self {
        let rounding = noise(FORWARD, pair.magnitude);
        let [radius_a, radius_b] = pair.radius;
        let radii = radius_a + radius_b;
        let normal = -(found.v * (L::one() / found.distance));
        let lower = found.lower - radii - rounding;
        let upper = found.distance + found.residual - radii + rounding;
        // Either way round: a support map that is none has bounds that contradict each other.
        let gap = (found.distance + found.residual - found.lower).abs();
        let close = gap.le(noise(APART, pair.magnitude).max(doubt.min(found.lower * L::constant(UNTOLD))));
        let clear = found.lower.gt(noise(NORMAL, pair.magnitude));
        Self {
            distance: found.distance - radii,
            lower,
            upper,
            normal,
            a: found.a + normal * radius_a,
            settled: !found.overlap & close & clear & told(pair, lower, upper) & ordinary(pair),
            overlap: (found.overlap | (!clear & L::Mask::splat(tells_touching::<L::Scalar>()))) & ordinary(pair),
            searched: L::Mask::splat(false),
            met: Self::nothing_met(),
        }
    }

    /// From two cores that overlap, with the axis of their least penetration; the witness points are those of the
    /// cores moved apart along it, where they are unambiguous.
    #[inline(always)]
    pub fn inside<A, B>(
        pair: &PairLanes<S, L>,
        cores: &Cores<'_, S, L, A, B>,
        axis: &Axis<S, L>,
        active: L::Mask,
    ) -> Self
    where
        S: SimplexSpace,
        A: SupportMap<S, L> + ?Sized,
        B: SupportMap<S, L> + ?Sized,
    {
        let clearance = clearance(pair.magnitude);
        let freed = cores.moved(axis.normal * (axis.depth + clearance));
        let found = gjk(&freed, noise(CONVERGED, pair.magnitude), active);
        // Freed along the true axis they are apart by the clearance, along that very axis.
        let stray = (found.v + axis.normal * clearance).length_squared().sqrt() + found.residual;
        Self::freed(pair, axis, found.a, stray.le(noise(APART, pair.magnitude)))
    }

    /// The lanes that [`freed`](Self::freed) leaves without witness points, if their depth is not in doubt: those that
    /// [`inside`](Self::inside) is to be asked for, which is dearer.
    #[inline(always)]
    pub fn pointless(pair: &PairLanes<S, L>, axis: &Axis<S, L>, fits: L::Mask) -> L::Mask {
        !fits & !axis.uncertain & axis.depth.gt(shallowest(pair))
    }

    /// This one, with `other`'s witness points in some lanes.
    #[inline(always)]
    pub fn with_points(self, other: &Self, lanes: L::Mask) -> Self {
        Self {
            a: S::Vector::select(lanes, other.a, self.a),
            settled: (lanes & other.settled) | (!lanes & self.settled),
            ..self
        }
    }

    /// From two cores that overlap, with the axis of their least penetration and A's witness point, which is right where
    /// `fits` is true.
    #[inline(always)]
    pub fn freed(pair: &PairLanes<S, L>, axis: &Axis<S, L>, a: S::Vector<L>, fits: L::Mask) -> Self {
        Self::searched(pair, axis, axis.depth, a, fits, noise(APART, pair.magnitude))
    }

    /// The same with the best axis of a search, and a depth that no direction falls below. The witness points are in their bodies but for
    /// `stray`.
    ///
    /// Of bodies that only touch, or are apart by next to nothing, it is the points that no distance is larger than.
    #[inline(always)]
    pub fn searched(
        pair: &PairLanes<S, L>,
        axis: &Axis<S, L>,
        least: L,
        a: S::Vector<L>,
        fits: L::Mask,
        stray: L,
    ) -> Self {
        let rounding = noise(FORWARD, pair.magnitude);
        let [radius_a, radius_b] = pair.radius;
        let radii = radius_a + radius_b;
        let least = least.min(axis.depth);
        let distance = -axis.depth - radii;
        let by_points = L::select(axis.depth.gt(rounding), L::zero(), stray + stray);
        let (lower, upper) = (distance - rounding, (-least - radii) + (rounding + by_points));
        let deep = axis.depth.gt(shallowest(pair));
        Self {
            distance,
            lower,
            upper,
            normal: axis.normal,
            a: a + axis.normal * radius_a,
            settled: deep & fits & !axis.uncertain & told(pair, lower, upper) & ordinary(pair),
            overlap: L::Mask::splat(false),
            searched: (axis.depth - least).gt(noise(APART, pair.magnitude)),
            met: Self::nothing_met(),
        }
    }
}

/// How far overlapping cores are moved apart to find their witness points: far enough that the points are sharp.
#[inline(always)]
pub fn clearance<L: Lanes>(magnitude: L) -> L {
    magnitude * L::constant(0.125)
}

/// The depth that lanes can tell at least: bodies that are apart by less than makes their normal certain are asked for a depth, if this type can say
/// that they touch.
#[inline(always)]
fn shallowest<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L {
    noise(if tells_touching::<L::Scalar>() { -NORMAL } else { FORWARD }, pair.magnitude)
}

/// True where the bounds agree on the sign, or show that there is none.
#[inline(always)]
fn told<S: Space, L: Lanes>(pair: &PairLanes<S, L>, lower: L, upper: L) -> L::Mask {
    let touching = (upper - lower).le(pair.magnitude * L::constant(TOUCHING));
    lower.gt(L::zero()) | upper.lt(L::zero()) | touching
}

/// True where scaling worked: the pair is neither so small nor so large that its numbers leave the type's range.
#[inline(always)]
pub fn ordinary<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L::Mask {
    pair.magnitude.ge(L::one()) & pair.magnitude.le(L::constant(2.5))
}
