//! The frame that the axes of two frustums make, and the way into it and back.

use jostle_lanes::{Lanes, Rot, Space, Vec3, Vector};

use super::pursuit::pursuit;
use super::view::{Frustum, View, tiny};
use crate::frame::PairLanes;
use crate::widened::widened;

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
        // What is too small for its square is nothing, by far below the pair's rounding: products that lost their
        // digits led astray.
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

/// A pair of frustums in the frame that their axes make.
#[inline(always)]
pub fn framed<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> Framed<L> {
    let [[base_a, half_a, top_a], [base_b, half_b, top_b]] = pair.numbers;
    let a = Frustum { half: half_a, base: base_a, top: top_a };
    let b = Frustum { half: half_b, base: base_b, top: top_b }.mirrored();
    Framed::new([a, b], widened::<L, _>(pair.rotation.column(1)), widened::<L, _>(pair.offset))
}
