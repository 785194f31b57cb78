//! Vectors of either space as those of three dimensions, for kernels that only space has: they are compiled for the
//! plane too, and never run.

use jostle_lanes::{Lanes, Space, Vec3, Vector};

/// A vector of space, as space has it.
#[inline(always)]
pub fn widened<L: Lanes, V: Vector<L>>(v: V) -> Vec3<L> {
    Vec3 { x: v.get(0), y: v.get(1), z: v.get(2) }
}

/// The same as its own space has it.
#[inline(always)]
pub fn narrowed<S: Space, L: Lanes>(v: Vec3<L>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| v.get(k),
    )
}
