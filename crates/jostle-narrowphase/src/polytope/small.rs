//! The least depth of small polygons, for all pairs of a packet at once: all sides of both.
//!
//! In the plane the depth is least along a side of either, and where both have no more than two blocks of sides and corners there
//! is no better way than to look at all: every side of one against every corner of the other is a few multiplications a lane. Depths of octagons
//! take half the time that they took one by one, gathering and scattering included (`table stages polygon2`).
//!
//! A pair is solved here or one by one whoever shares its packet: what it is made of decides, so that the bits do not depend on
//! the grouping.

#[cfg(test)]
mod tests;

use core::marker::PhantomData;

use jostle_lanes::{Lanes, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::{Hull, MAX_WIDTH, rows_into_lanes, vector_at};

use super::view::PolytopeView;
use crate::noise::{APART, noise};
use crate::penetration::Penetrations;

/// So many sides and corners are small. (Every side against every corner: of 24 each that is half of what it takes to grow from within, of 32 two thirds.)
const SMALL: usize = 2 * MAX_WIDTH;

/// Small polytopes, one per lane, in their own frames and at the pair's scale. Its memory is kept from packet to packet, as it is more than a packet of octagons
/// fills.
#[derive(Clone, Copy, Debug)]
pub struct Small<S: Space, L: Lanes> {
    /// Coordinates of the corners, a row for each axis.
    points: [[L; SMALL]; 3],
    /// The same as the other one sees them.
    seen: [[L; SMALL]; 3],
    corners: usize,
    /// Those of the sides' normals, and how far each side is from the centre in the row behind the last.
    normals: [[L; SMALL]; 4],
    sides: usize,
    space: PhantomData<S>,
    /// The lanes whose polytope is small, and as sound as this precision needs it.
    there: L::Mask,
}

impl<S: Space, L: Lanes> Default for Small<S, L> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            points: [[L::zero(); SMALL]; 3],
            seen: [[L::zero(); SMALL]; 3],
            corners: 0,
            normals: [[L::zero(); SMALL]; 4],
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

    /// Fills in those hulls of a packet that are small.
    #[inline(always)]
    pub fn fill_with_hulls(&mut self, hulls: &[&Hull<S>], scale: L, picks: &[usize; MAX_WIDTH]) {
        let (mut there, mut most) = (0, [1; 2]);
        // Where there is nothing small there is something to read.
        let mut sides = [None; MAX_WIDTH];
        for lane in 0..L::WIDTH {
            let hull = hulls[picks[lane]];
            let side = PolytopeView::<L::Scalar>::of_hull(hull, L::Scalar::ONE);
            if let (Some(side), Some(facets)) = (side, hull.facets()) {
                let size = [hull.len(), facets.len()];
                if size[0].max(size[1]) <= SMALL {
                    there |= 1 << lane;
                    most = [most[0].max(size[0]), most[1].max(size[1])];
                    sides[lane] = Some(side);
                }
            }
        }
        let Some(any) = sides.iter().flatten().next().copied() else {
            return self.clear();
        };
        self.fill(
            L::Mask::from_bits(there),
            most,
            scale,
            #[inline(always)]
            |lane| sides[lane].unwrap_or(any).points.blocks,
            #[inline(always)]
            |lane| sides[lane].unwrap_or(any).nodes,
        );
    }

    /// Fills in nothing.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.there = L::Mask::splat(false);
    }

    /// Whether both are there in some lane.
    #[inline(always)]
    pub fn any_pair([a, b]: &[Self; 2]) -> bool {
        (a.there & b.there).any()
    }

    /// Fills in hulls from the blocks of their points and of their nodes, of which they have no more than so many; those that
    /// are not `there` may be anything.
    #[inline(always)]
    fn fill<'b>(
        &mut self,
        there: L::Mask,
        [corners, sides]: [usize; 2],
        scale: L,
        points: impl Fn(usize) -> &'b [L::Scalar],
        nodes: impl Fn(usize) -> &'b [L::Scalar],
    ) {
        self.there = there;
        (self.corners, self.sides) = (corners.min(SMALL), sides.min(SMALL));
        for k in 0..S::DIMENSION {
            rows_of_blocks(S::DIMENSION, k, self.corners, &points, &mut self.points[k]);
            for number in &mut self.points[k][..self.corners] {
                *number = *number * scale;
            }
        }
        for k in 0..=S::DIMENSION {
            rows_of_blocks(S::DIMENSION + 1, k, self.sides, &nodes, &mut self.normals[k]);
        }
        for reach in &mut self.normals[S::DIMENSION][..self.sides] {
            *reach = *reach * scale;
        }
    }

    /// A side: its normal, and how far it is from the centre.
    #[inline(always)]
    fn side(&self, i: usize) -> (S::Vector<L>, L) {
        (vector_at::<S, L, _>(&self.normals, i), self.normals[S::DIMENSION][i])
    }

    /// Notes the corners as seen from the other one.
    #[inline(always)]
    fn place(&mut self, place: impl Fn(S::Vector<L>) -> S::Vector<L>) {
        for i in 0..self.corners.min(SMALL) {
            let seen = place(vector_at::<S, L, _>(&self.points, i));
            for k in 0..S::DIMENSION {
                self.seen[k][i] = seen.get(k);
            }
        }
    }

    /// The side along which the other's corners are least deep: its normal, and how deep.
    #[inline(always)]
    fn least_side(&self, other: &Self) -> (S::Vector<L>, L) {
        let (mut best, mut depth) = (self.side(0).0, L::splat(L::Scalar::INFINITY));
        for i in 0..self.sides.min(SMALL) {
            let (normal, reach) = self.side(i);
            let mut least = normal.dot(vector_at::<S, L, _>(&other.seen, 0));
            for j in 1..other.corners.min(SMALL) {
                least = normal.dot(vector_at::<S, L, _>(&other.seen, j)).min(least);
            }
            let deep = reach - least;
            let better = deep.lt(depth);
            best = S::Vector::select(better, normal, best);
            depth = deep.min(depth);
        }
        (best, depth)
    }

    /// The corner, as seen from the other one, that is furthest against a direction: the first of several.
    #[inline(always)]
    fn furthest_against(&self, direction: S::Vector<L>) -> S::Vector<L> {
        let mut furthest = vector_at::<S, L, _>(&self.seen, 0);
        let mut least = furthest.dot(direction);
        for j in 1..self.corners.min(SMALL) {
            let corner = vector_at::<S, L, _>(&self.seen, j);
            let along = corner.dot(direction);
            furthest = S::Vector::select(along.lt(least), corner, furthest);
            least = along.min(least);
        }
        furthest
    }

    /// How far a point is outside, at most: zero or less if it is not.
    #[inline(always)]
    fn outside(&self, point: S::Vector<L>) -> L {
        let (normal, reach) = self.side(0);
        let mut most = normal.dot(point) - reach;
        for i in 1..self.sides.min(SMALL) {
            let (normal, reach) = self.side(i);
            most = (normal.dot(point) - reach).max(most);
        }
        most
    }
}

/// Number `k` of the first rows of the blocks that `blocks` gives for each lane, where rows are `width` numbers; of who has fewer, some of them once more.
#[inline(always)]
fn rows_of_blocks<'b, L: Lanes>(
    width: usize,
    k: usize,
    rows: usize,
    blocks: impl Fn(usize) -> &'b [L::Scalar],
    columns: &mut [L; SMALL],
) {
    for (block, columns) in columns.as_chunks_mut().0.iter_mut().enumerate() {
        if block * MAX_WIDTH < rows {
            rows_into_lanes(
                k,
                rows - block * MAX_WIDTH,
                #[inline(always)]
                |lane| {
                    let all = blocks(lane);
                    let first = block * width * MAX_WIDTH;
                    &all[if first < all.len() { first } else { 0 }..]
                },
                columns,
            );
        }
    }
}

/// Searches the sides of both, in the lanes where both are there.
#[inline(always)]
pub fn least_sides<S: Space, L: Lanes>(
    [a, b]: &mut [Small<S, L>; 2],
    offset: S::Vector<L>,
    turn: S::Rotation<L>,
    magnitude: L,
) -> Penetrations<S, L> {
    b.place(
        #[inline(always)]
        |point| turn.rotate(point) + offset,
    );
    a.place(
        #[inline(always)]
        |point| turn.unrotate(point - offset),
    );
    let (normal_a, depth_a) = a.least_side(b);
    let (normal_b, depth_b) = b.least_side(a);
    // The same point of A, from B's side or its own.
    let point_a = b.furthest_against(normal_a) + normal_a * depth_a;
    let point_b = turn.rotate(a.furthest_against(normal_b)) + offset;
    let better = depth_b.lt(depth_a);
    let normal = S::Vector::select(better, -turn.rotate(normal_b), normal_a);
    let depth = L::select(better, depth_b, depth_a);
    let point = S::Vector::select(better, point_b, point_a);
    let other = turn.unrotate(point - normal * depth - offset);
    let outside = a.outside(point).max(b.outside(other));
    let fits = outside.le(noise(APART / 2.0, magnitude));
    Penetrations { found: a.there & b.there, normal, depth, a: point, fits, off: L::splat(L::Scalar::INFINITY) }
}
