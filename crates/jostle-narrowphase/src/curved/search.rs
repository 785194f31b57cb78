//! The search for the least depth: all places where it may be, one after the other, in the frame that two axes make.

use jostle_lanes::{Lanes, Scalar, Vec3, Vector};

use super::view::{Best, Frustum, View, tiny};
use super::{polish, ridge, rims};
use crate::noise::{CONVERGED, noise};

/// How much is spent on convergence, and what counts as converged.
pub struct Pursuit {
    /// Steps along a ridge, along a rim, and on the sphere.
    pub steps: [u32; 3],
    /// Round-offs of magnitude by which a witness point may be off.
    pub fit: f64,
    /// Sine of the angle between axes below which they count as parallel.
    pub parallel: f64,
}

#[inline(always)]
pub fn pursuit<T: Scalar>() -> Pursuit {
    if T::DOUBLE {
        Pursuit { steps: [10, 12, 6], fit: 65536.0, parallel: 4.5e-16 }
    } else {
        Pursuit { steps: [5, 6, 3], fit: 24.0, parallel: 2.4e-7 }
    }
}

/// The frame of two axes: where its second and third directions point in A's frame, and what it makes of the pair.
#[derive(Clone, Copy, Debug)]
pub struct Framed<L: Lanes> {
    second: Vec3<L>,
    third: Vec3<L>,
    pub view: View<L>,
}

impl<L: Lanes> Framed<L> {
    #[inline(always)]
    pub fn new(bodies: [Frustum<L>; 2], axis_b: Vec3<L>, offset: Vec3<L>) -> Self {
        let zero = L::zero();
        let parallel = L::constant(pursuit::<L::Scalar>().parallel);
        let sine = (axis_b.x * axis_b.x + axis_b.z * axis_b.z).sqrt();
        let lined = sine.lt(parallel);
        // Where the axes leave it open, the frame turns towards the offset.
        let (x, z) = (L::select(lined, offset.x, axis_b.x), L::select(lined, offset.z, axis_b.z));
        let length = (x * x + z * z).sqrt();
        let known = length.gt(tiny());
        let share = L::one() / L::select(known, length, L::one());
        let (x, z) = (L::select(known, x * share, L::one()), L::select(known, z * share, zero));
        let across = offset.x * z - offset.z * x;
        let side = L::one().copysign(across);
        let second = Vec3 { x, y: zero, z };
        let third = Vec3 { x: z * side, y: zero, z: -(x * side) };
        // What is too small for its square is nothing, by far below the pair's rounding: products that lost their digits led astray.
        let offset = Vec3 { x: offset.y, y: offset.dot(second), z: across * side }.map(
            #[inline(always)]
            |x| L::select(x.abs().lt(tiny()), zero, x),
        );
        let sine = L::select(lined, zero, sine);
        let cosine = L::select(lined, L::one().copysign(axis_b.y), axis_b.y);
        Self { second, third, view: View { bodies, cosine, sine, offset } }
    }

    /// A vector of the view in A's frame.
    #[inline(always)]
    pub fn rotate(&self, v: Vec3<L>) -> Vec3<L> {
        let (second, third) = (self.second, self.third);
        Vec3 { x: second.x * v.y + third.x * v.z, y: v.x, z: second.z * v.y + third.z * v.z }
    }

    /// A vector of A's frame in the view.
    #[inline(always)]
    pub fn unrotate(&self, v: Vec3<L>) -> Vec3<L> {
        Vec3 { x: v.y, y: v.dot(self.second), z: v.dot(self.third) }
    }
}

/// The best direction of all.
#[inline(always)]
pub fn least<L: Lanes>(view: &View<L>, magnitude: L) -> Best<L> {
    let [ridge_steps, rim_steps, sphere_steps] = pursuit::<L::Scalar>().steps;
    let mut best = Best::none();
    best.offer_axes(view, None);
    best.offer_axes(&view.swapped(), Some(view));
    ridge::offer_crossing(view, &mut best);
    ridge::offer_ridge(view, None, &mut best, ridge_steps);
    ridge::offer_ridge(&view.swapped(), Some(view), &mut best, ridge_steps);
    rims::offer_rims(view, &mut best, rim_steps);
    polish::polish(view, &mut best, noise(CONVERGED, magnitude), sphere_steps);
    best
}
