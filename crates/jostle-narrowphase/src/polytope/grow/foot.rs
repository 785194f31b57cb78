//! Witness points: where the nearest face has the foot of the perpendicular from the origin, a pair in each lane.

use jostle_lanes::{Lanes, Scalar, Vector};
use jostle_shape::MAX_WIDTH;

use super::faces::GrowSpace;

/// A face's corners as points of A - B, and as the points of A that they come from.
pub type Corner<T> = [[T; 3]; 2];

/// The nearest faces' corners, a pair in each lane.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Feet<T> {
    corners: [[[[T; MAX_WIDTH]; 3]; 2]; 3],
}

impl<T: Scalar> Default for Feet<T> {
    fn default() -> Self {
        Self { corners: [[[[T::ZERO; MAX_WIDTH]; 3]; 2]; 3] }
    }
}

impl<T: Scalar> Feet<T> {
    /// The corners of the pair in a lane.
    #[inline(always)]
    pub fn put<S: GrowSpace>(&mut self, lane: usize, corners: [Corner<T>; 3]) {
        for (rows, corner) in self.corners.iter_mut().zip(&corners) {
            for (rows, point) in rows.iter_mut().zip(corner) {
                for k in 0..S::DIMENSION {
                    rows[k][lane] = point[k];
                }
            }
        }
    }

    /// See [`foot`].
    #[inline(always)]
    pub fn stand<S: GrowSpace, L: Lanes<Scalar = T>>(&self, normal: S::Vector<L>, depth: L) -> (S::Vector<L>, L) {
        let mut corners = [[S::Vector::<L>::zero(); 3]; 2];
        for side in 0..2 {
            for corner in 0..3 {
                corners[side][corner] = S::Vector::from_fn(
                    #[inline(always)]
                    |k| L::load(&self.corners[corner][side][k]),
                );
            }
        }
        foot::<S, L>(normal, depth, corners)
    }
}

/// The point of A that a face has at the foot of the perpendicular, and how far the two witness points are from facing
/// each other.
#[inline(always)]
pub fn foot<S: GrowSpace, L: Lanes>(
    normal: S::Vector<L>,
    depth: L,
    [points, [a, b, c]]: [[S::Vector<L>; 3]; 2],
) -> (S::Vector<L>, L) {
    let foot = normal * depth;
    let [p, q, r] = points;
    let (p, q, r) = (p - foot, q - foot, r - foot);
    // Never from beyond the face.
    let [x, y, z] = S::weights(normal, [p, q, r]);
    let whole = x + y + z;
    let any = whole.gt(L::zero());
    let whole = L::one() / L::select(any, whole, L::one());
    let (x, y, z) = (x * whole, y * whole, z * whole);
    let off = (p * x + q * y + r * z).length_squared().sqrt();
    (S::Vector::select(any, a * x + b * y + c * z, a), L::select(any, off, L::splat(L::Scalar::INFINITY)))
}
