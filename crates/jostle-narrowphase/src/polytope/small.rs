//! The least depth of small polygons, for all pairs of a packet at once: all sides of both.
//!
//! In the plane the depth is least along a side of either, so where both have no more than a block of sides and corners there
//! is nothing to prune: every side of one against every corner of the other is a few multiplications a lane. Depths of octagons
//! take half the time that they took one by one, gathering and scattering included (`table stages polygon2`).
//!
//! A pair is solved here or one by one whoever shares its packet: what it is made of decides, so that the bits do not depend on
//! the grouping.

use core::marker::PhantomData;

use jostle_lanes::{Lanes, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::{MAX_WIDTH, rows_into_lanes, vector_at};

use crate::noise::{APART, noise};
use crate::one_by_one::Together;

/// Small polytopes, one per lane, in their own frames and at the pair's scale.
#[derive(Clone, Copy, Debug)]
pub struct Small<S: Space, L: Lanes> {
    /// Coordinates of the corners, a row for each axis.
    points: [[L; MAX_WIDTH]; 3],
    corners: usize,
    /// Those of the sides' normals, and how far each side is from the centre in the row behind the last.
    normals: [[L; MAX_WIDTH]; 4],
    sides: usize,
    space: PhantomData<S>,
    /// The lanes whose polytope is small, and as sound as this precision needs it.
    pub there: L::Mask,
}

impl<S: Space, L: Lanes> Default for Small<S, L> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            points: [[L::zero(); MAX_WIDTH]; 3],
            corners: 0,
            normals: [[L::zero(); MAX_WIDTH]; 4],
            sides: 0,
            space: PhantomData,
            there: L::Mask::splat(false),
        }
    }
}

impl<S: Space, L: Lanes> Small<S, L> {
    /// Fills in boxes of these half extents.
    #[inline(always)]
    pub fn fill_with_boxes(&mut self, half: S::Vector<L>) {
        self.there = L::Mask::splat(true);
        (self.corners, self.sides) = (1 << S::DIMENSION, 2 * S::DIMENSION);
        for k in 0..S::DIMENSION {
            for i in 0..self.corners {
                // The bits name the side of each axis.
                self.points[k][i] = if i >> k & 1 == 1 { half.get(k) } else { -half.get(k) };
            }
            let outward = [-L::one(), L::one()];
            for side in 0..2 {
                self.normals[k][2 * k + side] = outward[side];
                self.normals[S::DIMENSION][2 * k + side] = half.get(k);
            }
        }
    }

    /// Fills in hulls from the blocks of their points and of their nodes, of which they have no more than so many; those that
    /// are not `there` may be anything.
    #[inline(always)]
    pub fn fill<'b>(
        &mut self,
        there: L::Mask,
        [corners, sides]: [usize; 2],
        scale: L,
        points: impl Fn(usize) -> &'b [L::Scalar],
        nodes: impl Fn(usize) -> &'b [L::Scalar],
    ) {
        self.there = there;
        (self.corners, self.sides) = (corners.min(MAX_WIDTH), sides.min(MAX_WIDTH));
        for k in 0..S::DIMENSION {
            rows_into_lanes(k, self.corners, &points, &mut self.points[k]);
            for number in &mut self.points[k][..self.corners] {
                *number = *number * scale;
            }
        }
        for k in 0..=S::DIMENSION {
            rows_into_lanes(k, self.sides, &nodes, &mut self.normals[k]);
        }
        for reach in &mut self.normals[S::DIMENSION][..self.sides] {
            *reach = *reach * scale;
        }
    }

    /// A side: its normal, and how far it is from the centre.
    #[inline(always)]
    fn side(&self, i: usize) -> (S::Vector<L>, L) {
        (vector_at::<S, L>(&self.normals, i), self.normals[S::DIMENSION][i])
    }

    /// The corners as seen from the other one.
    #[inline(always)]
    fn placed(&self, place: impl Fn(S::Vector<L>) -> S::Vector<L>) -> [S::Vector<L>; MAX_WIDTH] {
        let mut placed = [S::Vector::zero(); MAX_WIDTH];
        for (i, placed) in placed[..self.corners].iter_mut().enumerate() {
            *placed = place(vector_at::<S, L>(&self.points, i));
        }
        placed
    }

    /// The side along which corners that are seen from here are least deep: its normal, and how deep.
    #[inline(always)]
    fn least_side(&self, corners: &[S::Vector<L>]) -> (S::Vector<L>, L) {
        let (mut best, mut depth) = (self.side(0).0, L::splat(L::Scalar::INFINITY));
        for i in 0..self.sides.min(MAX_WIDTH) {
            let (normal, reach) = self.side(i);
            let mut least = normal.dot(corners[0]);
            for corner in &corners[1..] {
                least = normal.dot(*corner).min(least);
            }
            let deep = reach - least;
            let better = deep.lt(depth);
            best = S::Vector::select(better, normal, best);
            depth = deep.min(depth);
        }
        (best, depth)
    }

    /// How far a point is outside, at most: zero or less if it is not.
    #[inline(always)]
    fn outside(&self, point: S::Vector<L>) -> L {
        let (normal, reach) = self.side(0);
        let mut most = normal.dot(point) - reach;
        for i in 1..self.sides.min(MAX_WIDTH) {
            let (normal, reach) = self.side(i);
            most = (normal.dot(point) - reach).max(most);
        }
        most
    }
}

/// The corner that is furthest against a direction, the first of several.
#[inline(always)]
fn furthest_against<V: Vector<L>, L: Lanes>(corners: &[V], direction: V) -> V {
    let (mut furthest, mut least) = (corners[0], corners[0].dot(direction));
    for &corner in &corners[1..] {
        let along = corner.dot(direction);
        furthest = V::select(along.lt(least), corner, furthest);
        least = along.min(least);
    }
    furthest
}

/// Searches the sides of both, in the lanes where both are there.
#[inline(always)]
pub fn least_sides<S: Space, L: Lanes>(
    [a, b]: [&Small<S, L>; 2],
    offset: S::Vector<L>,
    turn: S::Rotation<L>,
    magnitude: L,
) -> Together<S, L> {
    let seen_from_a = b.placed(
        #[inline(always)]
        |point| turn.rotate(point) + offset,
    );
    let seen_from_b = a.placed(
        #[inline(always)]
        |point| turn.unrotate(point - offset),
    );
    let (of_a, of_b) = (&seen_from_b[..a.corners], &seen_from_a[..b.corners]);
    let (normal_a, depth_a) = a.least_side(of_b);
    let (normal_b, depth_b) = b.least_side(of_a);
    // The same point of A, from B's side or its own.
    let point_a = furthest_against::<_, L>(of_b, normal_a) + normal_a * depth_a;
    let point_b = turn.rotate(furthest_against::<_, L>(of_a, normal_b)) + offset;
    let better = depth_b.lt(depth_a);
    let normal = S::Vector::select(better, -turn.rotate(normal_b), normal_a);
    let depth = L::select(better, depth_b, depth_a);
    let point = S::Vector::select(better, point_b, point_a);
    let other = turn.unrotate(point - normal * depth - offset);
    let outside = a.outside(point).max(b.outside(other));
    Together { found: a.there & b.there, normal, depth, a: point, fits: outside.le(noise(APART / 2.0, magnitude)) }
}
