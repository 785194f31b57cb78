//! A point and a box: the point, as the box sees it, put into the box (Ericson, *Real-Time Collision Detection*,
//! 5.1.3).
//!
//! Balls against boxes are asked so, not as [two boxes](super::apart) of which one is a point: instructions a pair with
//! AVX2, gathering, scattering and depths included, 694 -> 455. As elsewhere, the result is not argued but shown: the
//! lower bound is evaluated along it.

use jostle_lanes::{Lanes, Rot, Scalar, Space, Vector};

use super::pair::{Boxes, inside, zeros};
use crate::gjk::Gjk;

/// The point A as the box B sees it.
struct Seen<S: Space, L: Lanes> {
    at: S::Vector<L>,
    /// The way to it from the point of B that is nearest.
    way: S::Vector<L>,
    /// The length of that way.
    distance: L,
    /// What the plane across that way shows: a lower bound of the distance; no number where there is no way.
    lower: L,
}

impl<S: Space, L: Lanes> Seen<S, L> {
    #[inline(always)]
    fn of(boxes: &Boxes<S, L>) -> Self {
        let at = boxes.rotation.unrotate(-boxes.offset);
        let way = at - inside::<S, L>(at, boxes.b);
        let distance = way.length_squared().sqrt();
        Self { at, way, distance, lower: (way.dot(at) - boxes.b.dot(way.abs())) / distance }
    }
}

/// How far the point A is from the box B.
#[inline(always)]
pub fn point_apart<S: Space, L: Lanes>(boxes: &Boxes<S, L>, tolerance: L) -> Gjk<S, L> {
    let Seen { way, distance, lower, .. } = Seen::of(boxes);
    Gjk {
        v: boxes.rotation.rotate(way),
        a: S::Vector::zero(),
        distance,
        lower,
        residual: L::zero(),
        overlap: !distance.gt(tolerance),
        // Upright on a face, whose normal is certain however near the point is.
        sharp: zeros::<S, L>(way).eq(L::constant(S::DIMENSION as f64 - 1.0)),
    }
}

/// A lower and an upper bound of how far the point A is from the box B; if it is inside, both are minus its depth.
#[inline(always)]
pub fn point_bounds<S: Space, L: Lanes>(boxes: &Boxes<S, L>) -> [L; 2] {
    let Seen { at, distance, lower, .. } = Seen::of(boxes);
    let mut outermost = L::splat(-L::Scalar::INFINITY);
    for k in 0..S::DIMENSION {
        outermost = outermost.max(at.get(k).abs() - boxes.b.get(k));
    }
    let outside = distance.gt(L::zero());
    [L::select(outside, lower, outermost), L::select(outside, distance, outermost)]
}
