//! The simplices that polytopes grow from: what GJK ended on, a pair in each lane.

use jostle_lanes::{Lanes, Mask, Scalar, Vector};
use jostle_shape::MAX_WIDTH;

use super::faces::{GrowSpace, NAMES, plane};

/// The simplices that a packet begins with, a pair in each lane.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Simplices<T> {
    /// Coordinates of four points of A - B (in the plane: three).
    points: [[[T; MAX_WIDTH]; 3]; 4],
    /// Of each pair four numbers of each of four faces, as a surface has them: the first two of these, and the last
    /// two.
    planes: [[[T; 8]; MAX_WIDTH]; 2],
}

impl<T: Scalar> Default for Simplices<T> {
    fn default() -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        Self { points: [[zero; 3]; 4], planes: [[[T::ZERO; 8]; MAX_WIDTH]; 2] }
    }
}

impl<T: Scalar> Simplices<T> {
    /// The points of the pair in a lane.
    #[inline(always)]
    pub fn put<S: GrowSpace>(&mut self, lane: usize, points: &[[T; NAMES]; 3]) {
        for (point, rows) in self.points[..=S::DIMENSION].iter_mut().enumerate() {
            for k in 0..S::DIMENSION {
                rows[k][lane] = points[k][point];
            }
        }
    }

    #[inline(always)]
    fn point<S: GrowSpace, L: Lanes<Scalar = T>>(&self, point: u8) -> S::Vector<L> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&self.points[usize::from(point)][k]),
        )
    }

    /// Finds the planes of all faces. Which pairs have a simplex to grow from, and which of these are mirror images.
    #[inline(always)]
    pub fn close<S: GrowSpace, L: Lanes<Scalar = T>>(&mut self) -> (u32, u32) {
        let (mut sound, mut mirrored) = (L::Mask::splat(true), L::Mask::splat(false));
        let mut planes = [[L::splat(T::INFINITY); 8]; 2];
        for (face, corners) in S::SIMPLEX[0].iter().enumerate() {
            let [a, b, c] = *corners;
            let corners = [self.point::<S, L>(a), self.point::<S, L>(b), self.point::<S, L>(c)];
            let across = S::across(corners);
            if face == 0 {
                let last = self.point::<S, L>(S::DIMENSION as u8);
                mirrored = across.dot(last - corners[0]).gt(L::zero());
            }
            let (normal, offset, there) = plane::<S, L>(S::Vector::select(mirrored, -across, across), corners);
            sound = sound & there;
            for k in 0..S::DIMENSION {
                planes[k / 2][k % 2 * 4 + face] = normal.get(k);
            }
            planes[1][4 + face] = offset;
        }
        for (planes, rows) in planes.iter().zip(&mut self.planes) {
            L::scatter_rows(planes, rows);
        }
        (sound.to_bits(), mirrored.to_bits())
    }

    /// The planes of the pair in a lane: three numbers of the normals, and how far away they are; of each number those
    /// of four faces. What there is no face for is infinitely far away.
    #[inline(always)]
    pub fn planes(&self, lane: usize) -> [&[T; 4]; 4] {
        let [first, last] = &self.planes;
        let ([x, y], [z, offset]) = (halves(&first[lane]), halves(&last[lane]));
        [x, y, z, offset]
    }
}

/// Both halves of a row.
#[inline(always)]
fn halves<T>(row: &[T; 8]) -> [&[T; 4]; 2] {
    let [first, last] = row.as_chunks().0 else { unreachable!("eight is twice four") };
    [first, last]
}
