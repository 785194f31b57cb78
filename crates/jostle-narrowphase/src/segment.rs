//! Points and segments among themselves: closed forms, no iteration.
//!
//! After Ericson, *Real-Time Collision Detection*, 5.1.9, but without its branches: five candidate pairs of points, all
//! of them on the segments whatever rounding did to their parameters, and the nearest wins. Whether it is right is
//! not argued but shown: the lower bound is evaluated along the result, and where it stays behind, `f64` decides.

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};

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
        sharp: L::Mask::splat(false),
    }
}

/// The nearest points of two segments, one pair per lane; a point is a segment of no length.
///
/// A's segment runs along y from `-half_a` to `half_a`; B's along its own y, turned by `rotation`, about `offset`.
#[inline(always)]
pub fn segments<S: Space, L: Lanes>(
    half_a: L,
    half_b: L,
    offset: S::Vector<L>,
    rotation: S::Rot<L>,
    tolerance: L,
) -> Gjk<S, L> {
    let axis_a = S::Vector::unit(1);
    let axis_b = rotation.column(1);
    let cosine = axis_b.get(1);
    let (on_a, on_b) = (offset.get(1), offset.dot(axis_b));
    let across = S::Vector::<L>::from_fn(
        #[inline(always)]
        |k| if k == 1 { L::zero() } else { axis_b.get(k) },
    );
    // Not 1 - cosine^2, which is noise where the segments are nearly parallel.
    let sine_squared = across.length_squared();
    let parallel = sine_squared.eq(L::zero());

    let inner = (on_a - cosine * on_b) / L::select(parallel, L::one(), sine_squared);
    let u = clamp(clamp(inner, half_a) * cosine - on_b, half_b);
    let s = clamp(on_a + u * cosine, half_a);
    let mut nearest = NearestOnSegments::<S, L> {
        axis_a,
        axis_b,
        offset,
        s,
        v: S::Vector::zero(),
        squared: L::splat(L::Scalar::INFINITY),
    };
    nearest.offer(s, u);
    nearest.offer(half_a, clamp(half_a * cosine - on_b, half_b));
    nearest.offer(-half_a, clamp(-half_a * cosine - on_b, half_b));
    nearest.offer(clamp(on_a + half_b * cosine, half_a), half_b);
    nearest.offer(clamp(on_a - half_b * cosine, half_a), -half_b);
    let NearestOnSegments { s, v, squared, .. } = nearest;
    let distance = squared.sqrt();
    // The support of A - B along -v, asked in closed form.
    let reach = half_a * v.get(1).abs() + half_b * v.dot(axis_b).abs();
    let lower = (-v.dot(offset) - reach) / distance;
    Gjk {
        v,
        a: axis_a * s,
        distance,
        lower,
        residual: L::zero(),
        overlap: !distance.gt(tolerance),
        sharp: L::Mask::splat(false),
    }
}

/// The nearest pair of points so far.
struct NearestOnSegments<S: Space, L: Lanes> {
    axis_a: S::Vector<L>,
    axis_b: S::Vector<L>,
    offset: S::Vector<L>,
    s: L,
    v: S::Vector<L>,
    squared: L,
}

impl<S: Space, L: Lanes> NearestOnSegments<S, L> {
    /// The points at `s` on A's axis and at `u` on B's.
    #[inline(always)]
    fn offer(&mut self, s: L, u: L) {
        let v = self.axis_a * s - (self.offset + self.axis_b * u);
        let squared = v.length_squared();
        let nearer = squared.lt(self.squared);
        self.s = L::select(nearer, s, self.s);
        self.v = S::Vector::select(nearer, v, self.v);
        self.squared = L::select(nearer, squared, self.squared);
    }
}

#[inline(always)]
fn clamp<L: Lanes>(x: L, half: L) -> L {
    x.max(-half).min(half)
}
