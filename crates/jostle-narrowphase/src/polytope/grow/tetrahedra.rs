//! The tetrahedra that polytopes grow from: GJK's last simplex, a pair in each lane.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::plane;
use crate::faceted::widened;
use crate::gjk::Met;

/// The tetrahedra that a group begins with, a pair in each lane.
#[derive(Clone, Debug)]
pub struct Tetrahedra<T> {
    /// Coordinates of four points of A - B.
    points: [[T; MAX_WIDTH]; 12],
    /// As a surface has them, of each face.
    planes: [[[T; MAX_WIDTH]; 4]; 4],
}

impl<T: Scalar> Default for Tetrahedra<T> {
    fn default() -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        Self { points: [zero; 12], planes: [[zero; 4]; 4] }
    }
}

impl<T: Scalar> Tetrahedra<T> {
    /// What GJK met of the pair in a lane.
    #[inline(always)]
    pub fn put<S: Space>(&mut self, lane: usize, met: &Met<S, T>) {
        for (k, vertex) in met.iter().enumerate() {
            let w = widened(vertex.w);
            let rows = &mut self.points;
            (rows[3 * k][lane], rows[3 * k + 1][lane], rows[3 * k + 2][lane]) = (w.x, w.y, w.z);
        }
    }

    #[inline(always)]
    fn point<L: Lanes<Scalar = T>>(&self, point: usize, start: usize) -> Vec3<L> {
        Vec3::from_fn(
            #[inline(always)]
            |k| L::load(&self.points[3 * point + k][start..]),
        )
    }

    /// Finds the planes of all faces. Which of the first `count` pairs can grow from theirs, as the origin is inside, and
    /// which are mirror images of [`TETRAHEDRON`](super::TETRAHEDRON).
    #[inline(always)]
    pub fn close<L: Lanes<Scalar = T>>(&mut self, count: usize) -> (u32, u32) {
        let (mut good, mut mirror_images, mut start) = (0, 0, 0);
        while start < count.min(MAX_WIDTH) {
            let [p, q, r, s] =
                [self.point::<L>(0, start), self.point(1, start), self.point(2, start), self.point(3, start)];
            let mirrored = (q - p).cross(r - p).dot(s - p).gt(L::zero());
            let mut sound = L::Mask::splat(true);
            // The corners as in `TETRAHEDRON`.
            for (planes, [a, b, c]) in self.planes.iter_mut().zip([[p, q, r], [p, s, q], [q, s, r], [r, s, p]]) {
                let across = (b - a).cross(c - a);
                let (normal, offset, there) = plane(Vec3::select(mirrored, -across, across), [a, b, c]);
                sound = sound & there;
                for (row, numbers) in planes.iter_mut().zip([normal.x, normal.y, normal.z, offset]) {
                    numbers.store(&mut row[start..]);
                }
            }
            good |= sound.to_bits() << start;
            mirror_images |= mirrored.to_bits() << start;
            start += L::WIDTH;
        }
        (good, mirror_images)
    }

    /// The plane of a face of the pair in a lane: its normal, and how far away it is.
    #[inline(always)]
    pub fn plane(&self, face: usize, lane: usize) -> [T; 4] {
        let [x, y, z, offset] = &self.planes[face];
        [x[lane], y[lane], z[lane], offset[lane]]
    }
}
