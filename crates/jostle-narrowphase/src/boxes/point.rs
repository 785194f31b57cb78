//! A point and a box: the point, as the box sees it, put into the box (Ericson, *Real-Time Collision Detection*,
//! 5.1.3).
//!
//! Balls against boxes are asked so, not as [two boxes](super::apart) of which one is a point: instructions a pair with
//! AVX2, gathering, scattering and depths included, 694 -> 455. As elsewhere, the result is not argued but shown: the
//! lower bound is evaluated along it.

use jostle_lanes::{Lanes, Rot, Scalar, Space, Vector};

use super::pair::{Boxes, inside};
use crate::gjk::Gjk;

/// How far the point A is from the box B.
#[inline(always)]
pub fn point_apart<S: Space, L: Lanes>(boxes: &Boxes<S, L>, tolerance: L) -> Gjk<S, L> {
    let (seen, way) = from_box(boxes);
    let distance = way.length_squared().sqrt();
    // Upright on a face: its normal is certain however near the point is.
    let mut level = L::zero();
    for k in 0..S::DIMENSION {
        level = level + L::select(way.get(k).eq(L::zero()), L::one(), L::zero());
    }
    Gjk {
        v: boxes.rotation.rotate(way),
        a: S::Vector::zero(),
        distance,
        lower: (way.dot(seen) - boxes.b.dot(way.abs())) / distance,
        residual: L::zero(),
        overlap: !distance.gt(tolerance),
        sharp: level.eq(L::constant(S::DIMENSION as f64 - 1.0)),
    }
}

/// A lower and an upper bound of how far the point A is from the box B; if it is inside, both are minus its depth.
#[inline(always)]
pub fn point_bounds<S: Space, L: Lanes>(boxes: &Boxes<S, L>) -> [L; 2] {
    let (seen, way) = from_box(boxes);
    let distance = way.length_squared().sqrt();
    let lower = (way.dot(seen) - boxes.b.dot(way.abs())) / distance;
    let mut outermost = L::splat(-L::Scalar::INFINITY);
    for k in 0..S::DIMENSION {
        outermost = outermost.max(seen.get(k).abs() - boxes.b.get(k));
    }
    let outside = distance.gt(L::zero());
    [L::select(outside, lower, outermost), L::select(outside, distance, outermost)]
}

/// The point A as B sees it, and the way to it from the point of B that is nearest.
#[inline(always)]
fn from_box<S: Space, L: Lanes>(boxes: &Boxes<S, L>) -> (S::Vector<L>, S::Vector<L>) {
    let seen = boxes.rotation.unrotate(-boxes.offset);
    (seen, seen - inside::<S, L>(seen, boxes.b))
}
