//! The sides of two boxes in the plane, in closed form: four directions.

use jostle_lanes::{Lanes, Rot, Space, Vector};

use super::{Facing, SIDE_FLATNESS, Sided, Stretch, across};
use crate::boxes::pair::Boxes;
use crate::noise::noise;

impl<S: Space, L: Lanes> Sided<S, L> for &Boxes<S, L> {
    #[inline(always)]
    fn facing(&mut self) -> Facing<S, L> {
        let Boxes { offset, rotation, magnitude, .. } = **self;
        let (mut normal, mut least) = (S::Vector::unit(0), self.overlap(S::Vector::unit(0)));
        for k in 1..2 * S::DIMENSION {
            let axis = if k < S::DIMENSION { S::Vector::unit(k) } else { rotation.column(k - S::DIMENSION) };
            let overlap = self.overlap(axis);
            normal = S::Vector::select(overlap.lt(least), axis, normal);
            least = overlap.min(least);
        }
        let normal = normal * L::one().copysign(offset.dot(normal));
        let beside = across::<S, L>(normal);
        let flat = noise(SIDE_FLATNESS, magnitude);
        let a = stretch::<S, L>(self.a, normal, beside, flat);
        let b = stretch::<S, L>(self.b, rotation.unrotate(-normal), rotation.unrotate(beside), flat);
        let at = offset.dot(beside);
        let b = Stretch { low: b.low + at, high: b.high + at, ..b };
        Facing::new(normal, -least, &a, &b, flat)
    }
    #[inline(always)]
    fn along(&self, direction: S::Vector<L>) -> L {
        let of_b = self.rotation.unrotate(direction);
        self.offset.dot(direction) - self.a.dot(direction.abs()) - self.b.dot(of_b.abs())
    }
}

/// Where a box ends along a direction, in its own frame; of a side that lies flat both of its ends.
#[inline(always)]
fn stretch<S: Space, L: Lanes>(
    half: S::Vector<L>,
    direction: S::Vector<L>,
    across: S::Vector<L>,
    flat: L,
) -> Stretch<L> {
    let (mut reach, mut middle, mut to_end) = (L::zero(), L::zero(), L::zero());
    for k in 0..S::DIMENSION {
        let rise = (half.get(k) * direction.get(k)).abs();
        let at = half.get(k).copysign(direction.get(k)) * across.get(k);
        // Both of its ends are as high, but for twice that.
        let lies = (rise + rise).le(flat);
        reach = reach + rise;
        middle = middle + L::select(lies, L::zero(), at);
        to_end = to_end + L::select(lies, at.abs(), L::zero());
    }
    Stretch { reach, low: middle - to_end, high: middle + to_end }
}
