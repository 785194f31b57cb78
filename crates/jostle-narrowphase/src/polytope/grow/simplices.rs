//! The simplices that polytopes grow from: what GJK ended on, a pair in each lane.

use jostle_lanes::{Lanes, Mask, Scalar, Vector};
use jostle_shape::MAX_WIDTH;

use super::faces::{GrowSpace, plane};

/// The simplices that a group begins with, a pair in each lane.
#[derive(Clone, Debug)]
pub struct Simplices<T> {
    /// Coordinates of four points of A - B (in the plane: three).
    points: [[[T; MAX_WIDTH]; 3]; 4],
    /// As a surface has them, of each face.
    planes: [[[T; MAX_WIDTH]; 4]; 4],
}

impl<T: Scalar> Default for Simplices<T> {
    fn default() -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        Self { points: [[zero; 3]; 4], planes: [[zero; 4]; 4] }
    }
}

impl<T: Scalar> Simplices<T> {
    /// The points of the pair in a lane.
    #[inline(always)]
    pub fn put<S: GrowSpace>(&mut self, lane: usize, points: &[[T; 4]]) {
        for (rows, point) in self.points[..=S::DIMENSION].iter_mut().zip(points) {
            for k in 0..S::DIMENSION {
                rows[k][lane] = point[k];
            }
        }
    }

    #[inline(always)]
    fn point<S: GrowSpace, L: Lanes<Scalar = T>>(&self, point: u8, start: usize) -> S::Vector<L> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&self.points[usize::from(point)][k][start..]),
        )
    }

    /// Finds the planes of all faces. Which of the first `count` pairs have a simplex to grow from, and which of these are mirror images.
    #[inline(always)]
    pub fn close<S: GrowSpace, L: Lanes<Scalar = T>>(&mut self, count: usize) -> (u32, u32) {
        let (mut solid, mut mirror_images, mut start) = (0, 0, 0);
        while start < count.min(MAX_WIDTH) {
            let (mut sound, mut mirrored) = (L::Mask::splat(true), L::Mask::splat(false));
            for (face, corners) in S::SIMPLEX[0].iter().enumerate() {
                let [a, b, c] = *corners;
                let corners =
                    [self.point::<S, L>(a, start), self.point::<S, L>(b, start), self.point::<S, L>(c, start)];
                let across = S::across(corners);
                if face == 0 {
                    let last = self.point::<S, L>(S::DIMENSION as u8, start);
                    mirrored = across.dot(last - corners[0]).gt(L::zero());
                }
                let (normal, offset, there) = plane::<S, L>(S::Vector::select(mirrored, -across, across), corners);
                sound = sound & there;
                let planes = &mut self.planes[face];
                for k in 0..S::DIMENSION {
                    normal.get(k).store(&mut planes[k][start..]);
                }
                offset.store(&mut planes[3][start..]);
            }
            solid |= sound.to_bits() << start;
            mirror_images |= mirrored.to_bits() << start;
            start += L::WIDTH;
        }
        let there = u32::MAX >> (32 - MAX_WIDTH) >> (MAX_WIDTH - count.min(MAX_WIDTH));
        (solid & there, mirror_images & there)
    }

    /// The plane of a face of the pair in a lane: its normal, and how far away it is.
    #[inline(always)]
    pub fn plane(&self, face: usize, lane: usize) -> [T; 4] {
        let [x, y, z, offset] = &self.planes[face];
        [x[lane], y[lane], z[lane], offset[lane]]
    }
}
