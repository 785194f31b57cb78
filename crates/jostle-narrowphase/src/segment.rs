//! Points and segments among themselves: closed forms, no iteration.
//!
//! After Ericson, *Real-Time Collision Detection*, 5.1.9, but without its branches: five candidate pairs of points, all
//! of them on the segments whatever rounding did to their parameters, and the nearest wins. Whether it is right is
//! not argued but shown: the lower bound is evaluated along the result, and where it stays behind, `f64` decides.

use jostle_lanes::{Lanes, Rotation, Space, Vector};

use crate::gjk::Gjk;

/// The nearest points of two points, one per lane.
#[inline(always)]
pub fn points<S: Space, L: Lanes>(offset: S::Vector<L>, tolerance: L) -> Gjk<S, L> {
    let distance = offset.length_squared().sqrt();
    Gjk {
        v: -offset,
        a: S::Vector::zero(),
        distance,
        lower: distance,
        residual: L::zero(),
        overlap: !distance.gt(tolerance),
    }
}

/// The nearest points of two segments, one pair per lane; a point is a segment of no length.
///
/// A's segment runs along y from `-half_a` to `half_a`; B's along its own y, turned by `turn`, about `offset`.
#[inline(always)]
pub fn segments<S: Space, L: Lanes>(
    half_a: L,
    half_b: L,
    offset: S::Vector<L>,
    turn: S::Rotation<L>,
    tolerance: L,
) -> Gjk<S, L> {
    let axis_a = S::Vector::unit(1);
    let axis_b = turn.column(1);
    let cosine = axis_b.get(1);
    let (on_a, on_b) = (offset.get(1), offset.dot(axis_b));
    let across = S::Vector::<L>::from_fn(|k| if k == 1 { L::zero() } else { axis_b.get(k) });
    // Not 1 - cosine^2, which is noise where the segments are nearly parallel.
    let sine_squared = across.length_squared();
    let parallel = sine_squared.eq(L::zero());

    let clamp = |x: L, half: L| x.max(-half).min(half);
    let nearest_on_a = |u: L| clamp(on_a + u * cosine, half_a);
    let nearest_on_b = |s: L| clamp(s * cosine - on_b, half_b);

    let inner = (on_a - cosine * on_b) / L::select(parallel, L::one(), sine_squared);
    let u = nearest_on_b(clamp(inner, half_a));
    let between = |s: L, u: L| axis_a * s - (offset + axis_b * u);
    let mut s = nearest_on_a(u);
    let mut v = between(s, u);
    let mut squared = v.length_squared();
    for (end_s, end_u) in [
        (half_a, nearest_on_b(half_a)),
        (-half_a, nearest_on_b(-half_a)),
        (nearest_on_a(half_b), half_b),
        (nearest_on_a(-half_b), -half_b),
    ] {
        let other = between(end_s, end_u);
        let other_squared = other.length_squared();
        let nearer = other_squared.lt(squared);
        s = L::select(nearer, end_s, s);
        v = S::Vector::select(nearer, other, v);
        squared = L::select(nearer, other_squared, squared);
    }
    let distance = squared.sqrt();
    // The support of A - B along -v, asked in closed form.
    let reach = half_a * v.get(1).abs() + half_b * v.dot(axis_b).abs();
    let lower = (-v.dot(offset) - reach) / distance;
    Gjk { v, a: axis_a * s, distance, lower, residual: L::zero(), overlap: !distance.gt(tolerance) }
}
