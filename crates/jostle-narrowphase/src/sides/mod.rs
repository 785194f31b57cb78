//! How far apart two polygons are, or how deep, from one look at the sides of both.
//!
//! The points B - A make a polygon whose sides are those of A and of B. An origin inside it is as deep as the nearest
//! of their lines; one outside is nearest to a point of that side whose line is farthest from it. For let q lead from
//! that point to the origin: a line with normal n shows the two to be apart by n.q, but for what the point stays behind
//! it, so the best line is one that the point is on, and its normal, of all of them, is next to q. So the axes of the
//! separating-axis test (Gottschalk 1996) tell depths and distances alike, each of them with the two parallel stretches
//! that face each other, and no pair is asked twice. A step of GJK costs as much as the sides of two octagons.
//!
//! Sides of which rounding cannot tell which is nearer are taken together: whatever lies flat counts as one stretch, so
//! that of polygons that lie against each other the middle of what they share is found.

pub mod boxes;
pub mod polygons;
#[cfg(test)]
mod tests;

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};

use crate::answer::{Answer, Nearly};
use crate::boxes::axes::Axis;
use crate::frame::PairLanes;
use crate::gjk::Gjk;
use crate::noise::{AGREE, NORMAL, noise, tells_touching};

/// Round-offs of magnitude by which what lies flat may rise: twice what the height of a corner may be off by.
const SIDE_FLATNESS: f64 = 8.0;

/// Where a body ends along a direction, and from where to where it does so across it.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<L> {
    /// How far it reaches.
    reach: L,
    /// From here ...
    low: L,
    /// ... to here.
    high: L,
}

/// The side of either that parts two polygons the most, or along which they are least deep, and the points of both that
/// are nearest to each other there; in A's frame.
#[derive(Clone, Copy, Debug)]
pub struct Facing<S: Space, L: Lanes> {
    /// Its normal, from A to B.
    pub normal: S::Vector<L>,
    /// How far apart the two are along it; below zero where they overlap.
    pub gap: L,
    /// How far B's point is beside A's: zero where they face each other.
    aside: L,
    /// A's point.
    a: S::Vector<L>,
    /// How far the points may be off their bodies: what lies flat may rise.
    off: L,
}

/// Two polygons, one pair per lane, by their sides.
pub trait Sided<S: Space, L: Lanes> {
    /// The side that parts them the most.
    fn facing(&mut self) -> Facing<S, L>;
    /// How far apart they are along a direction, times its length; after [`facing`](Self::facing).
    fn along(&self, direction: S::Vector<L>) -> L;
}

/// Bounds of how far apart two are, rounding of heights not counted. They do not meet where rounding left no points
/// that face each other.
#[inline(always)]
pub fn bounds<S: Space, L: Lanes>(mut sided: impl Sided<S, L>, magnitude: L) -> [L; 2] {
    let facing = sided.facing();
    let between = facing.between();
    let length = between.length_squared().sqrt();
    let upright = facing.aside.eq(L::zero());
    let (_, meet) = facing.point(magnitude);
    let lower = L::select(upright, facing.gap, (sided.along(between) / length).max(facing.gap));
    let inside = L::select(meet, facing.gap, L::splat(L::Scalar::INFINITY));
    let upper = L::select(facing.gap.gt(L::zero()), length, inside);
    [lower, upper + facing.off]
}

/// A direction turned by a quarter, in the plane.
#[inline(always)]
fn across<S: Space, L: Lanes>(direction: S::Vector<L>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| match k {
            0 => -direction.get(1),
            1 => direction.get(0),
            _ => L::zero(),
        },
    )
}

impl<S: Space, L: Lanes> Facing<S, L> {
    /// From how far apart the two are along a normal, and where A ends along it and B against it (across it both are
    /// measured the same way).
    #[inline(always)]
    fn new(normal: S::Vector<L>, gap: L, a: &Stretch<L>, b: &Stretch<L>, flat: L) -> Self {
        // Of what they have in common the middle; where that is nothing, the ends that are nearest to each other.
        let middle = (a.low.max(b.low) + a.high.min(b.high)) * L::constant(0.5);
        let (at_a, at_b) = (middle.max(a.low).min(a.high), middle.max(b.low).min(b.high));
        let rise = |of: &Stretch<L>| L::select(of.high.gt(of.low), flat, L::zero());
        Self {
            normal,
            gap,
            aside: at_b - at_a,
            a: normal * a.reach + across::<S, L>(normal) * at_a,
            off: rise(a) + rise(b),
        }
    }

    /// From A's point to B's.
    #[inline(always)]
    pub fn between(&self) -> S::Vector<L> {
        self.normal * self.gap + across::<S, L>(self.normal) * self.aside
    }

    /// A's point, and whether it and B's face each other: rounding aside, all do that overlap.
    #[inline(always)]
    pub fn point(&self, magnitude: L) -> (S::Vector<L>, L::Mask) {
        (self.a, self.aside.abs().le(noise(AGREE / 2.0, magnitude)))
    }

    /// What is known of the pair, and where that is all there is to know (or all that `f32` could know); `along` is how
    /// far apart the two are along [`between`](Self::between), times its length.
    #[inline(always)]
    pub fn answer(&self, pair: &PairLanes<S, L>, along: L, doubt: L) -> (Answer<S, L>, L::Mask) {
        let Self { normal, gap, aside, a, off } = *self;
        let between = self.between();
        let length = between.length_squared().sqrt();
        let upright = aside.eq(L::zero());
        let outside = gap.gt(L::zero());
        let nearest = Gjk {
            v: -between,
            a,
            distance: L::select(upright, gap, length),
            lower: L::select(upright, gap, along / length),
            residual: off,
            overlap: !outside,
            sharp: upright,
        };
        let (_, facing) = self.point(pair.magnitude);
        let axis = Axis { normal, depth: -gap, uncertain: L::Mask::splat(false) };
        let apart = Answer::apart(pair, &nearest, doubt);
        let deep = Answer::freed(pair, &axis, a, facing, Nearly::flat(pair.magnitude));
        let touching = upright & gap.abs().le(noise(AGREE, pair.magnitude));
        let answer =
            Answer::select(outside, apart, deep).with_touching(pair, &nearest, &Axis { uncertain: !touching, ..axis });
        // So near that `f64` has to decide.
        let close = gap.abs().le(noise(NORMAL, pair.magnitude)) & L::Mask::splat(!tells_touching::<L::Scalar>());
        (answer, answer.settled | close)
    }
}
