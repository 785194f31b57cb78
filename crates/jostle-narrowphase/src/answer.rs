//! From cores to shapes: radii, bounds and the question whether this precision may decide.
//!
//! The one place that turns what a solver found into a signed distance with a proof, so that the sign has one owner: a
//! pair is settled only if its bounds, widened by all rounding, are close together and on one side of zero, or so close
//! to it that there is no more to know: bodies that touch, as all do that rest on each other (`f64` alone can tell).
//! What is not settled goes to `f64`, and what its lanes leave to [`crate::resolve`].

use jostle_lanes::{Lanes, Mask, Space, Vector};

use crate::boxes::axes::Axis;
use crate::families::AnyPacked;
use crate::frame::PairLanes;
use crate::gjk::{Cores, FinalSimplex, Gjk, gjk};
use crate::noise::{
    AGREE, CONVERGED, FACE_NORMAL, FORWARD, NEARLY, NEARNESS, NORMAL, OFF, TOUCHING_SHARE, UNTOLD, noise,
    tells_touching,
};
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
    /// True where the cores overlap and their depth is still to be found; not settled then. In `f64` they are shown to
    /// be no farther apart than rounding ([`Nearly`]), so that of those that only touch a depth is all that is missing;
    /// but for two round ones and for those that are `guessed`, whose search shows it itself.
    pub overlap: L::Mask,
    /// True where it is a guess that the cores overlap: all that is known is that they are no farther apart than
    /// [`NEARNESS`].
    pub guessed: L::Mask,
    /// True where a depth is the best of a search, and `upper` no proof that it is the least.
    pub searched: L::Mask,
    /// The final simplices of those that overlap, if the solver [keeps them](crate::query::Solve::KEEPS_SIMPLEX).
    pub simplex: FinalSimplex<S, L>,
}

impl<S: Space, L: Lanes> Answer<S, L> {
    /// Nothing was met, or it is not worth keeping.
    #[inline(always)]
    pub fn no_simplex() -> FinalSimplex<S, L> {
        [Vertex { w: S::Vector::zero(), a: S::Vector::zero() }; 4]
    }

    /// Nothing is known.
    #[inline(always)]
    pub fn unknown() -> Self {
        let (zero, never) = (L::zero(), L::Mask::splat(false));
        Self {
            distance: zero,
            lower: zero,
            upper: zero,
            normal: S::Vector::zero(),
            a: S::Vector::zero(),
            settled: never,
            overlap: never,
            guessed: never,
            searched: never,
            simplex: Self::no_simplex(),
        }
    }

    /// `a` where `mask` is true, else `b`; the simplices are `b`'s.
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            distance: L::select(mask, a.distance, b.distance),
            lower: L::select(mask, a.lower, b.lower),
            upper: L::select(mask, a.upper, b.upper),
            normal: S::Vector::select(mask, a.normal, b.normal),
            a: S::Vector::select(mask, a.a, b.a),
            settled: (mask & a.settled) | (!mask & b.settled),
            overlap: (mask & a.overlap) | (!mask & b.overlap),
            guessed: (mask & a.guessed) | (!mask & b.guessed),
            searched: (mask & a.searched) | (!mask & b.searched),
            simplex: b.simplex,
        }
    }

    /// From two cores that are apart. Settled only where they provably are, by bounds that are within rounding of each
    /// other, or within `doubt` and a part of the distance ([`UNTOLD`]).
    #[inline(always)]
    pub fn apart(pair: &PairLanes<S, L>, found: &Gjk<S, L>, doubt: L) -> Self {
        let rounding = noise(FORWARD, pair.magnitude);
        let [radius_a, radius_b] = pair.radius;
        let radii = radius_a + radius_b;
        let normal = -(found.v * (L::one() / found.distance));
        let lower = found.lower - radii - rounding;
        let upper = found.distance + found.residual - radii + rounding;
        // Either way round: an invalid support map has bounds that contradict each other.
        let gap = (found.distance + found.residual - found.lower).abs();
        let tight = gap.le(noise(AGREE, pair.magnitude));
        let close = tight | gap.le(doubt.min(found.lower * L::constant(UNTOLD)));
        // The normal of a face is certain nearer than that, in `f64` as far as the bounds show.
        let certain =
            L::Mask::splat(tells_touching::<L::Scalar>()) | found.lower.gt(noise(FACE_NORMAL, pair.magnitude));
        let clear = found.lower.gt(noise(NORMAL, pair.magnitude)) | (found.sharp & certain);
        let told = one_sided(lower, upper) | tight & touching(pair, lower, upper);
        Self {
            distance: found.distance - radii,
            lower,
            upper,
            normal,
            a: found.a + normal * radius_a,
            settled: !found.overlap & close & clear & told & ordinary(pair),
            overlap: found.overlap & ordinary(pair),
            guessed: L::Mask::splat(false),
            searched: L::Mask::splat(false),
            simplex: Self::no_simplex(),
        }
    }

    /// True where cores are apart, but this type has not told how far: a normal that is searched for may.
    #[inline(always)]
    pub fn left_open(&self, pair: &PairLanes<S, L>) -> L::Mask {
        let [radius_a, radius_b] = pair.radius;
        let near = noise(FACE_NORMAL, pair.magnitude);
        !self.settled & !self.overlap & (self.distance + (radius_a + radius_b)).gt(near) & ordinary(pair)
    }

    /// From two cores that overlap, with the axis of their least penetration; the witness points are those of the
    /// cores moved apart along it, where they are unambiguous. (Set apart, and for cores of whatever kind: few packets
    /// need it, and it is as large as a search for a distance.)
    #[inline(always)]
    pub fn inside(pair: &PairLanes<S, L>, cores: [&AnyPacked<'_, S, L>; 2], axis: &Axis<S, L>, active: L::Mask) -> Self
    where
        S: SimplexSpace,
    {
        L::enter(
            #[inline(always)]
            || {
                let clearance = clearance(pair.magnitude);
                let [a, b] = cores;
                let cores = Cores { a, b, offset: pair.offset, rotation: pair.rotation };
                let freed = cores.moved(axis.normal * (axis.depth + clearance));
                let found = gjk(&freed, noise(CONVERGED, pair.magnitude), active);
                // Freed along the true axis they are apart by the clearance, along that very axis.
                let stray = (found.v + axis.normal * clearance).length_squared().sqrt() + found.residual;
                let nearly = Nearly::fitting(pair.magnitude, axis.depth, stray);
                Self::freed(pair, axis, found.a, stray.le(noise(AGREE, pair.magnitude)), nearly)
            },
        )
    }

    /// The lanes that [`freed`](Self::freed) leaves without witness points, if their depth is not in doubt: those that
    /// [`inside`](Self::inside) is to be asked for, which is dearer.
    #[inline(always)]
    pub fn lacks_points(pair: &PairLanes<S, L>, axis: &Axis<S, L>, fits: L::Mask) -> L::Mask {
        !fits & !axis.uncertain & axis.depth.gt(shallowest(pair))
    }

    /// This one, with `other`'s witness points in some lanes.
    #[inline(always)]
    pub fn with_points(self, other: &Self, lanes: L::Mask) -> Self {
        Self {
            a: S::Vector::select(lanes, other.a, self.a),
            upper: L::select(lanes, other.upper, self.upper),
            settled: (lanes & other.settled) | (!lanes & self.settled),
            ..self
        }
    }

    /// This one, but for cores that `plane` shows to touch: neither its depth nor the distance of the points `found` is
    /// more than rounding. They are not searched for a depth, whether this precision may say so or not.
    #[inline(always)]
    pub fn with_touching(self, pair: &PairLanes<S, L>, found: &Gjk<S, L>, plane: &Axis<S, L>) -> Self {
        let known = found.distance + found.residual;
        // Not much below zero either: an invalid support map again.
        let touch = !plane.uncertain & (known + plane.depth).abs().le(noise(AGREE, pair.magnitude)) & ordinary(pair);
        let rounding = noise(FORWARD, pair.magnitude);
        let [radius_a, radius_b] = pair.radius;
        let radii = radius_a + radius_b;
        let distance = -plane.depth - radii;
        let (lower, upper) = (distance - rounding, known - radii + rounding);
        let told =
            L::Mask::splat(tells_touching::<L::Scalar>()) & (one_sided(lower, upper) | touching(pair, lower, upper));
        Self {
            distance: L::select(touch, distance, self.distance),
            lower: L::select(touch, lower, self.lower),
            upper: L::select(touch, upper, self.upper),
            normal: S::Vector::select(touch, plane.normal, self.normal),
            a: S::Vector::select(touch, found.a + plane.normal * radius_a, self.a),
            settled: (touch & told) | (!touch & self.settled),
            overlap: self.overlap & !touch,
            ..self
        }
    }

    /// This one, but cores no farther apart than `nearness` that are not settled count as overlapping, for a search
    /// that looks everywhere for their depth, and finds a plane between those that are apart as well.
    #[inline(always)]
    pub fn or_nearly(self, pair: &PairLanes<S, L>, found: &Gjk<S, L>, nearness: L) -> Self {
        // Where this type can say what comes of it.
        let distance = found.distance + found.residual;
        let near = distance.le(nearness) & L::Mask::splat(tells_touching::<L::Scalar>());
        let near = near & !self.settled & !self.overlap & ordinary(pair);
        Self { overlap: self.overlap | near, guessed: near & distance.gt(noise(AGREE, pair.magnitude)), ..self }
    }

    /// From two cores that overlap, with the axis of their least penetration and A's witness point, which is right
    /// where `fits` is true.
    #[inline(always)]
    pub fn freed(pair: &PairLanes<S, L>, axis: &Axis<S, L>, a: S::Vector<L>, fits: L::Mask, nearly: Nearly<L>) -> Self {
        Self::searched(pair, axis, axis.depth, a, fits, nearly)
    }

    /// The same with the best axis of a search and a depth that no direction falls below. Of cores that only touch
    /// there is no such depth: nothing but two points.
    #[inline(always)]
    pub fn searched(
        pair: &PairLanes<S, L>,
        axis: &Axis<S, L>,
        least: L,
        a: S::Vector<L>,
        fits: L::Mask,
        nearly: Nearly<L>,
    ) -> Self {
        let (zero, rounding) = (L::zero(), noise(FORWARD, pair.magnitude));
        let [radius_a, radius_b] = pair.radius;
        let radii = radius_a + radius_b;
        let least = least.min(axis.depth);
        let distance = -axis.depth - radii;
        let lower = distance - rounding;
        let deep = axis.depth.gt(rounding);
        let inside = (-least - radii) + rounding;
        let shown = deep & one_sided(lower, inside);
        // Where this type can say so.
        let near = axis.depth.abs().le(nearly.depth) & L::Mask::splat(tells_touching::<L::Scalar>());
        let beside = (((-axis.depth).max(zero) + nearly.points) - radii) + rounding;
        let touch = near & (one_sided(lower, beside) | touching(pair, lower, beside));
        Self {
            distance,
            lower,
            upper: L::select(deep & (shown | !near), inside, beside),
            normal: axis.normal,
            a: a + axis.normal * radius_a,
            settled: (shown | touch) & fits & !axis.uncertain & ordinary(pair),
            overlap: L::Mask::splat(false),
            guessed: L::Mask::splat(false),
            searched: (axis.depth - least).gt(noise(AGREE, pair.magnitude)),
            simplex: Self::no_simplex(),
        }
    }
}

/// What is known of cores that were found to overlap but may only touch.
#[derive(Clone, Copy, Debug)]
pub struct Nearly<L: Lanes> {
    /// Depths and gaps up to this may be without proof of either.
    depth: L,
    /// Two points of the cores are not farther from each other than this and the gap.
    points: L,
}

impl<L: Lanes> Nearly<L> {
    /// Where GJK found two points no farther apart than rounding.
    #[inline(always)]
    pub fn flat(magnitude: L) -> Self {
        Self { depth: noise(AGREE, magnitude), points: noise(2.0 * AGREE, magnitude) }
    }

    /// Those of a search whose witness points are so far `off` their bodies: they show how far apart two that do not
    /// overlap are, at most.
    #[inline(always)]
    pub fn fitting(magnitude: L, depth: L, off: L) -> Self {
        let fit = off.le(noise(OFF, magnitude));
        let near = L::select(fit, magnitude * L::constant(NEARNESS), -L::one());
        Self { depth: near, points: off + depth.max(L::zero()) }
    }

    /// `a` where `mask` is true, else `b`.
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self { depth: L::select(mask, a.depth, b.depth), points: L::select(mask, a.points, b.points) }
    }

    /// Round ones whose witness points are so far `off` them: not more than rounding, or their plane and their points
    /// do not belong together. (That the points are a `depth` from each other does not show that the bodies overlap.)
    #[inline(always)]
    pub fn round<S: Space>(pair: &PairLanes<S, L>, depth: L, off: L) -> Self {
        let near = pair.magnitude * L::constant(NEARLY);
        let fit = off.le(noise(2.0 * AGREE, pair.magnitude));
        Self { depth: L::select(fit, near, -L::one()), points: off + depth.max(L::zero()) }
    }
}

/// How far overlapping cores are moved apart to find their witness points: far enough that the points are sharp.
#[inline(always)]
pub fn clearance<L: Lanes>(magnitude: L) -> L {
    magnitude * L::constant(0.125)
}

/// The least depth that lanes can tell. Cores that were found to overlap may also be apart, by rounding: where this
/// type can say so.
#[inline(always)]
fn shallowest<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L {
    if tells_touching::<L::Scalar>() { -Nearly::flat(pair.magnitude).depth } else { noise(FORWARD, pair.magnitude) }
}

/// True where the bounds agree on the sign.
#[inline(always)]
fn one_sided<L: Lanes>(lower: L, upper: L) -> L::Mask {
    lower.gt(L::zero()) | upper.lt(L::zero())
}

/// True where the bounds are so near that, if they do not agree on the sign, there is none.
#[inline(always)]
fn touching<S: Space, L: Lanes>(pair: &PairLanes<S, L>, lower: L, upper: L) -> L::Mask {
    (upper - lower).le(pair.magnitude * L::constant(TOUCHING_SHARE))
}

/// True where scaling worked: the pair is neither so small nor so large that its numbers leave the type's range.
#[inline(always)]
pub fn ordinary<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L::Mask {
    pair.magnitude.ge(L::one()) & pair.magnitude.le(L::constant(2.5))
}
