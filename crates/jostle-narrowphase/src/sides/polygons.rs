//! The sides of small polygons, for all pairs of a packet at once: every side of one against every corner of the other.
//!
//! That is a few multiplications a side, corner and lane. Of polygons with few sides (up to [`MOST_FOR_DISTANCES`]),
//! corners and sides lie together in memory, arranged for being transposed into lanes (`Hull::polygon`): to gather them
//! from elsewhere took three times as long as all computation.
//!
//! Whether a pair is solved here depends on its own two shapes alone and not on the other pairs of its packet, so that
//! its bits do not depend on the grouping.

#[cfg(test)]
mod tests;

use core::marker::PhantomData;

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};
use jostle_shape::{Hull, MAX_POLYGON, MAX_WIDTH, rows_into_lanes, vector_at};

use super::{Facing, SIDE_FLATNESS, Sided, Stretch, across};
use crate::noise::noise;
use crate::polytope::view::is_sound;

/// So many sides and corners, or fewer, are asked for depths. (Every side against every corner: of 24 each that is half
/// of what it takes to grow from within, of 32 two thirds.)
pub const MOST_FOR_DEPTHS: usize = 2 * MAX_WIDTH;
/// So many for distances as well.
pub const MOST_FOR_DISTANCES: usize = MAX_POLYGON;

/// Polygons of at most `MOST` corners and sides, one per lane, in their own frames and at the pair's scale. Its memory
/// is kept from packet to packet: it is not cleared. (Nor is there room for what only space has: to clear all that
/// there is when it is made takes an eighth of the time of a pair alone.)
#[derive(Clone, Copy, Debug)]
pub struct Polygons<S: Space, L: Lanes, const MOST: usize> {
    /// Coordinates of the corners, a row for each axis.
    points: [[L; MOST]; 2],
    /// The same as the other one sees them.
    seen: [[L; MOST]; 2],
    corners: usize,
    /// Those of the sides' normals, and how far each side is from the centre in the row behind the last.
    normals: [[L; MOST]; 3],
    sides: usize,
    space: PhantomData<S>,
    /// The lanes whose polytope is small, and as sound as this precision needs it.
    there: L::Mask,
}

impl<S: Space, L: Lanes, const MOST: usize> Default for Polygons<S, L, MOST> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            points: [[L::zero(); MOST]; 2],
            seen: [[L::zero(); MOST]; 2],
            corners: 0,
            normals: [[L::zero(); MOST]; 3],
            sides: 0,
            space: PhantomData,
            there: L::Mask::splat(false),
        }
    }
}

impl<S: Space, L: Lanes, const MOST: usize> Polygons<S, L, MOST> {
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

    /// Fills in nothing.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.there = L::Mask::splat(false);
    }

    /// In which lanes both are there.
    #[inline(always)]
    pub fn both_there([a, b]: &[Self; 2]) -> L::Mask {
        a.there & b.there
    }

    /// A side: its normal, and how far it is from the centre.
    #[inline(always)]
    fn side(&self, i: usize) -> (S::Vector<L>, L) {
        (vector_at::<S, L, _>(&self.normals, i), self.normals[S::DIMENSION][i])
    }

    /// Notes the corners as seen from the other one.
    #[inline(always)]
    fn place(&mut self, place: impl Fn(S::Vector<L>) -> S::Vector<L>) {
        for i in 0..self.corners.min(MOST) {
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
        for i in 0..self.sides.min(MOST) {
            let (normal, reach) = self.side(i);
            let mut least = normal.dot(vector_at::<S, L, _>(&other.seen, 0));
            for j in 1..other.corners.min(MOST) {
                least = normal.dot(vector_at::<S, L, _>(&other.seen, j)).min(least);
            }
            let deep = reach - least;
            let better = deep.lt(depth);
            best = S::Vector::select(better, normal, best);
            depth = deep.min(depth);
        }
        (best, depth)
    }

    /// How far any of the corners that `of` holds is along a direction.
    #[inline(always)]
    fn reach(&self, of: &[[L; MOST]; 2], direction: S::Vector<L>) -> L {
        let mut most = direction.dot(vector_at::<S, L, _>(of, 0));
        for i in 1..self.corners.min(MOST) {
            most = direction.dot(vector_at::<S, L, _>(of, i)).max(most);
        }
        most
    }

    /// Where those corners that are `flat` or less behind the furthest along a direction begin and end across `normal`.
    #[inline(always)]
    fn stretch(&self, of: &[[L; MOST]; 2], direction: S::Vector<L>, normal: S::Vector<L>, flat: L) -> Stretch<L> {
        let reach = self.reach(of, direction);
        let (enough, across) = (reach - flat, across::<S, L>(normal));
        let far = L::splat(L::Scalar::INFINITY);
        let (mut low, mut high) = (far, -far);
        for i in 0..self.corners.min(MOST) {
            let corner = vector_at::<S, L, _>(of, i);
            let there = direction.dot(corner).ge(enough);
            let at = across.dot(corner);
            low = L::select(there, at.min(low), low);
            high = L::select(there, at.max(high), high);
        }
        Stretch { reach, low, high }
    }
}

/// Eight corners and sides of a polygon, as `Hull::polygon` has them.
type Block<T> = [T; 3 * MAX_WIDTH];

impl<S: Space, L: Lanes> Polygons<S, L, MOST_FOR_DISTANCES> {
    /// Fills in those hulls of a packet that have few corners. (Set apart: once a packet, from memory to memory.)
    #[inline(always)]
    pub fn fill_with_few(&mut self, hulls: &[&Hull<S>], scale: L, picks: &[usize; MAX_WIDTH]) {
        L::enter(
            #[inline(always)]
            || self.fill_here(hulls, scale, picks),
        );
    }

    #[inline(always)]
    fn fill_here(&mut self, hulls: &[&Hull<S>], scale: L, picks: &[usize; MAX_WIDTH]) {
        let nothing = &[L::Scalar::ZERO; 3 * MAX_WIDTH];
        let (mut first, mut last) = ([nothing; MAX_WIDTH], [nothing; MAX_WIDTH]);
        let (mut there, mut corners) = (0, 0);
        for lane in 0..L::WIDTH {
            let hull = hulls[picks[lane]];
            if let blocks @ [block, ..] = hull.polygon::<L::Scalar>() {
                // A polygon of eight corners or fewer has a single block, which is then both first and last.
                (first[lane], last[lane]) = (block, &blocks[blocks.len() - 1]);
                there |= 1 << lane;
                corners = hull.len().max(corners);
            }
        }
        self.there = L::Mask::from_bits(there);
        (self.corners, self.sides) = (corners, corners);
        if corners > 0 {
            self.fill_eight::<0>(&first, scale);
        }
        if corners > MOST_FOR_DISTANCES / 2 {
            self.fill_eight::<{ MOST_FOR_DISTANCES / 2 }>(&last, scale);
        }
    }

    /// Fills in eight of each lane, from number `AT` on.
    #[inline(always)]
    fn fill_eight<const AT: usize>(&mut self, blocks: &[&Block<L::Scalar>; MAX_WIDTH], scale: L) {
        let (x, y) = (eight::<L, 0>(blocks), eight::<L, 1>(blocks));
        for i in 0..MOST_FOR_DISTANCES / 2 {
            self.points[0][AT + i] = x[i] * scale;
            self.points[1][AT + i] = y[i] * scale;
        }
        let (x, y, reach) = (eight::<L, 2>(blocks), eight::<L, 3>(blocks), eight::<L, 4>(blocks));
        for i in 0..MOST_FOR_DISTANCES / 2 {
            self.normals[0][AT + i] = x[i];
            self.normals[1][AT + i] = y[i];
            self.normals[2][AT + i] = reach[i] * scale;
        }
    }
}

/// Row `ROW` of each lane's block, into lanes. (By a constant and no closure around it: that took as long again as all
/// else together.)
#[inline(always)]
fn eight<L: Lanes, const ROW: usize>(blocks: &[&Block<L::Scalar>; MAX_WIDTH]) -> [L; MOST_FOR_DISTANCES / 2] {
    L::gather_rows(
        #[inline(always)]
        |lane| &blocks[lane].as_chunks().0[ROW],
    )
}

impl<S: Space, L: Lanes> Polygons<S, L, MOST_FOR_DEPTHS> {
    /// Fills in those hulls of a packet that are small.
    #[inline(always)]
    pub fn fill_with_hulls(&mut self, hulls: &[&Hull<S>], scale: L, picks: &[usize; MAX_WIDTH]) {
        // Where there is nothing small there is something to read.
        let nothing: &[L::Scalar] = &[L::Scalar::ZERO; 4 * MOST_FOR_DEPTHS];
        let (mut points, mut nodes) = ([nothing; MAX_WIDTH], [nothing; MAX_WIDTH]);
        let (mut there, mut most) = (0, [0; 2]);
        for lane in 0..L::WIDTH {
            let hull = hulls[picks[lane]];
            if let Some(facets) = hull.facets() {
                let size = [hull.len(), facets.len()];
                if size[0].max(size[1]) <= MOST_FOR_DEPTHS && is_sound::<S, L::Scalar>(hull, facets) {
                    there |= 1 << lane;
                    most = [most[0].max(size[0]), most[1].max(size[1])];
                    (points[lane], nodes[lane]) = (hull.blocks(), facets.blocks());
                }
            }
        }
        self.there = L::Mask::from_bits(there);
        let [corners, sides] = most.map(|most| most.min(MOST_FOR_DEPTHS));
        (self.corners, self.sides) = (corners, sides);
        for k in 0..S::DIMENSION {
            rows_of_blocks(S::DIMENSION, k, corners, &points, &mut self.points[k]);
            for number in &mut self.points[k][..corners] {
                *number = *number * scale;
            }
        }
        for k in 0..=S::DIMENSION {
            rows_of_blocks(S::DIMENSION + 1, k, sides, &nodes, &mut self.normals[k]);
        }
        for reach in &mut self.normals[S::DIMENSION][..sides] {
            *reach = *reach * scale;
        }
    }
}

/// Number `k` of the first rows of each lane's blocks, where rows are `width` numbers. In lanes whose polygon has
/// fewer, one of its rows is repeated.
#[inline(always)]
fn rows_of_blocks<L: Lanes>(
    width: usize,
    k: usize,
    rows: usize,
    blocks: &[&[L::Scalar]; MAX_WIDTH],
    columns: &mut [L; MOST_FOR_DEPTHS],
) {
    for (block, columns) in columns.as_chunks_mut().0.iter_mut().enumerate() {
        if block * MAX_WIDTH < rows {
            rows_into_lanes(
                k,
                rows - block * MAX_WIDTH,
                #[inline(always)]
                |lane| {
                    let all = blocks[lane];
                    let first = block * width * MAX_WIDTH;
                    &all[if first < all.len() { first } else { 0 }..]
                },
                columns,
            );
        }
    }
}

/// Two polygons, one pair per lane; what is known of them holds in the lanes where both [are
/// there](Polygons::both_there).
pub struct PlacedPolygons<'p, S: Space, L: Lanes, const MOST: usize> {
    /// A's, and B's.
    pub polygons: &'p mut [Polygons<S, L, MOST>; 2],
    /// B's centre in A's frame.
    pub offset: S::Vector<L>,
    /// B's rotation in A's frame.
    pub rotation: S::Rot<L>,
    /// The pair's magnitude.
    pub magnitude: L,
}

impl<S: Space, L: Lanes, const MOST: usize> Sided<S, L> for PlacedPolygons<'_, S, L, MOST> {
    /// (Set apart: whatever is asked about the sides of two polygons is answered by the same.)
    #[inline(always)]
    fn facing(&mut self) -> Facing<S, L> {
        L::enter(
            #[inline(always)]
            || {
                let Self { polygons: [a, b], offset, rotation, magnitude } = self;
                b.place(
                    #[inline(always)]
                    |point| rotation.rotate(point) + *offset,
                );
                a.place(
                    #[inline(always)]
                    |point| rotation.unrotate(point - *offset),
                );
                let (normal_a, depth_a) = a.least_side(b);
                let (normal_b, depth_b) = b.least_side(a);
                let normal = S::Vector::select(depth_b.lt(depth_a), -rotation.rotate(normal_b), normal_a);
                let flat = noise(SIDE_FLATNESS, *magnitude);
                let of_a = a.stretch(&a.points, normal, normal, flat);
                let of_b = b.stretch(&b.seen, -normal, normal, flat);
                // What is known from the one whose side it is, whose normal was not rounded when it was turned.
                Facing::new(normal, -depth_a.min(depth_b), &of_a, &of_b, flat)
            },
        )
    }
    #[inline(always)]
    fn along(&self, direction: S::Vector<L>) -> L {
        let [a, b] = &*self.polygons;
        -b.reach(&b.seen, -direction) - a.reach(&a.points, direction)
    }
}
