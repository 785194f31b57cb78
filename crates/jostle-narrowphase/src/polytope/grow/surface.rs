//! A closed surface about the origin, inside of A - B, that grows.
//!
//! What is taken away stays where it was, infinitely far away, and new faces are put behind the last: they need not be
//! moved one by one.

use core::marker::PhantomData;

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector, set_bits};
use jostle_shape::{MAX_WIDTH, Points};

use super::asked::{Places, furthest};
use super::edges::{self, Edges};
use super::faces::{GrowSpace, NAMES, plane};
use super::foot::{Corner, foot};
use super::simplices::Simplices;
use crate::gjk::FinalSimplex;
use crate::noise::{CONVERGED, FORWARD};
use crate::polytope::view::splat;

/// The most faces.
const MOST_FACES: usize = 256;
/// Whole registers are read and written behind the last.
const PADDED_FACES: usize = MOST_FACES + 2 * MAX_WIDTH;
/// The most vertices: as many bits as there are in the largest word.
const VERTICES: usize = u128::BITS as usize;

/// The search ends where its bounds are this near, in round-offs of the magnitude.
pub const ENOUGH: f64 = CONVERGED / 2.0;
// A depth that is no more than that, whose surface need not hold the origin, is taken for none.
const _: () = assert!(ENOUGH < FORWARD);

/// A surface on its way. Its memory is kept from pair to pair.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Surface<S: Space, T: Scalar> {
    /// Unit normals of faces and (last) how far away their planes are at their nearest corner; infinitely far where
    /// there is no face.
    planes: [[T; PADDED_FACES]; 4],
    /// Their corners, as [words](edges::faces).
    corners: [u32; PADDED_FACES],
    /// Points of A - B.
    points: [[T; NAMES]; 3],
    /// The points of A that they come from.
    of_a: [[T; NAMES]; 3],
    /// Those that new faces rise from.
    rim: Edges,
    /// How many faces there are, with those that were taken away.
    faces: usize,
    /// How many points.
    count: u8,
    /// The nearest face.
    nearest: usize,
    /// What may be rounding.
    rounding: T,
    space: PhantomData<S>,
}

impl<S: Space, T: Scalar> Default for Surface<S, T> {
    fn default() -> Self {
        let zero = T::ZERO;
        Self {
            planes: [[zero; PADDED_FACES], [zero; PADDED_FACES], [zero; PADDED_FACES], [T::INFINITY; PADDED_FACES]],
            corners: [0; PADDED_FACES],
            points: [[zero; NAMES]; 3],
            of_a: [[zero; NAMES]; 3],
            rim: Edges::NONE,
            faces: 0,
            count: 0,
            nearest: 0,
            rounding: zero,
            space: PhantomData,
        }
    }
}

/// W vectors from rows.
#[inline(always)]
fn wide<S: Space, L: Lanes, const N: usize, const R: usize>(rows: &[[L::Scalar; N]; R], start: usize) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&rows[k][start..]),
    )
}

/// One number of each row.
#[inline(always)]
fn three<T: Scalar>(rows: &[[T; NAMES]; 3], number: u8) -> [T; 3] {
    let number = usize::from(number);
    [rows[0][number], rows[1][number], rows[2][number]]
}

#[inline(always)]
fn vector<L: Lanes, V: Vector<L>>(numbers: &[L]) -> V {
    V::from_fn(
        #[inline(always)]
        |k| numbers[k],
    )
}

/// A vector's number on an axis that it may not have.
#[inline(always)]
fn number<L: Lanes, V: Vector<L>>(vector: V, axis: usize) -> L {
    if axis < V::DIMENSION { vector.get(axis) } else { L::zero() }
}

/// A vector filled up to three numbers.
#[inline(always)]
fn numbers<T: Scalar, V: Vector<T>>(vector: V) -> [T; 3] {
    [number(vector, 0), number(vector, 1), number(vector, 2)]
}

impl<S: GrowSpace, T: Scalar> Surface<S, T> {
    /// The final simplex of GJK, and what may be rounding.
    #[inline(always)]
    pub fn start(&mut self, simplex: &FinalSimplex<S, T>, rounding: T) {
        self.rounding = rounding;
        for (place, vertex) in simplex.iter().enumerate() {
            for k in 0..3 {
                (self.points[k][place], self.of_a[k][place]) = (number(vertex.w, k), number(vertex.a, k));
            }
        }
    }

    /// Points of A - B, those of the first simplex first.
    #[inline(always)]
    pub fn points(&self) -> &[[T; NAMES]; 3] {
        &self.points
    }

    #[inline(always)]
    fn point(&self, number: u8) -> S::Vector<T> {
        vector(&three(&self.points, number))
    }

    /// Puts a point behind the last, without counting it.
    #[inline(always)]
    fn put(&mut self, [point, of_a]: Corner<T>) {
        let place = usize::from(self.count);
        for k in 0..S::DIMENSION {
            (self.points[k][place], self.of_a[k][place]) = (point[k], of_a[k]);
        }
    }

    /// Where the points met make no simplex as some are the same: asks for those that are missing, across the others.
    /// False if there is none, and A - B no deeper there than rounding.
    #[inline(always)]
    pub fn fill_up(&mut self, [a, b]: [Points<'_, T>; 2], place: &Places<S, T>) -> bool {
        self.count = 1;
        for i in 1..4 {
            let point = three(&self.points, i);
            let new = !(0..self.count).any(
                #[inline(always)]
                |known| three(&self.points, known) == point,
            );
            self.put([point, three(&self.of_a, i)]);
            self.count += u8::from(new);
        }
        // A single point is a corner of A - B.
        if self.count < 2 {
            return false;
        }
        while usize::from(self.count) <= S::DIMENSION {
            let known = [self.point(0), self.point(1), self.point(2)];
            let across = S::beside(known, self.count.into());
            let normal = across * (T::ONE / across.length_squared().sqrt());
            let furthest = [furthest::<S, T>(a, normal), furthest::<S, T>(b, -place.rotation.unrotate(normal))];
            let (point, of_a) = place.point(furthest);
            // What is NaN is beyond nothing.
            let beyond = normal.dot(point) - normal.dot(known[0]) > self.rounding;
            if !beyond {
                return false;
            }
            self.put([numbers(point), numbers(of_a)]);
            self.count += 1;
        }
        true
    }

    /// Begins with the simplex of a lane, possibly mirrored.
    #[inline(always)]
    pub fn begin<L: Lanes<Scalar = T>>(&mut self, (first, lane, mirrored): (&Simplices<T>, usize, bool)) {
        let (faces, mut start) = (self.faces.min(MOST_FACES), 0);
        while start < faces {
            L::splat(T::INFINITY).store(&mut self.planes[3][start..]);
            start += L::WIDTH;
        }
        for (plane, numbers) in self.planes.iter_mut().zip(first.planes(lane)) {
            plane[..4].copy_from_slice(numbers);
        }
        self.corners[..4].copy_from_slice(&S::FACES[usize::from(mirrored)]);
        self.rim.clear();
        (self.faces, self.count) = (S::SIMPLEX[0].len(), S::DIMENSION as u8 + 1);
    }

    /// Puts a face between the last point and each edge around the hole. False if there is no room, or if one of them
    /// is so thin that it has no certain normal.
    #[inline(always)]
    pub fn raise<L: Lanes<Scalar = T>>(&mut self) -> bool {
        let count = self.rim.rim().len();
        if self.faces + count > MOST_FACES {
            self.squeeze();
            if self.faces + count > MOST_FACES {
                return false;
            }
        }
        let apex = self.count.wrapping_sub(1);
        let tip = splat::<S, L>(self.point(apex));
        let (mut all, mut start) = (true, 0);
        while start < count {
            // By `min` the compiler knows that a whole register has room there, and checks nothing.
            let (place, there) = ((self.faces + start).min(MOST_FACES), (count - start).min(L::WIDTH));
            let words = self.rim.words(start);
            let from = L::look_up(&self.points, self.count.into(), words, 0);
            let to = L::look_up(&self.points, self.count.into(), words, 8);
            let corners = [vector(&from), vector(&to), tip];
            let (normal, offset, sound) = plane::<S, L>(S::across(corners), corners);
            let there = L::Mask::from_bits(u32::MAX >> (32 - there));
            all &= !(there & !sound).any();
            for k in 0..S::DIMENSION {
                normal.get(k).store(&mut self.planes[k][place..]);
            }
            L::select(there, offset, L::splat(T::INFINITY)).store(&mut self.planes[3][place..]);
            let faces = edges::each(
                words,
                #[inline(always)]
                |edge| edges::rise(edge, apex),
            );
            self.corners[place..place + L::WIDTH].copy_from_slice(&faces[..L::WIDTH]);
            start += L::WIDTH;
        }
        self.faces += count;
        all
    }

    /// Closes up the faces that are there.
    #[inline(always)]
    fn squeeze(&mut self) {
        let mut count = 0;
        for face in 0..self.faces {
            for plane in &mut self.planes {
                plane[count] = plane[face];
            }
            self.corners[count] = self.corners[face];
            count += usize::from(self.planes[3][face] < T::INFINITY);
        }
        self.planes[3][count..self.faces].fill(T::INFINITY);
        self.faces = count;
    }

    /// Finds the face that is nearest to the origin: its normal, and how far away it is.
    #[inline(always)]
    pub fn find_nearest<L: Lanes<Scalar = T>>(&mut self) -> (S::Vector<T>, T) {
        let offsets = &self.planes[3];
        let (mut least, faces, mut start) = (L::splat(T::INFINITY), self.faces.min(MOST_FACES), 0);
        while start < faces {
            least = L::load(&offsets[start..]).min(least);
            start += L::WIDTH;
        }
        let least = least.reduce_min();
        // Where the first is that is as near: rows are few, and to carry along where the nearest so far is costs more.
        let (mut bits, mut place) = (0, 0);
        while bits == 0 && place < faces {
            bits = L::load(&offsets[place..]).eq(L::splat(least)).to_bits();
            place += L::WIDTH;
        }
        self.nearest = (place.wrapping_sub(L::WIDTH) + bits.trailing_zeros() as usize).min(MOST_FACES);
        let normal = S::Vector::from_fn(
            #[inline(always)]
            |k| self.planes[k][self.nearest],
        );
        (normal, least)
    }

    /// Takes a point in, with the point of A that it comes from. The faces that it is in front of, or in the plane of
    /// but for rounding, are taken away. (Of those in its plane the edges that lead to the point would make faces of no
    /// area: upright prisms and boxes full of points ended on them.) False if there is no room.
    #[inline(always)]
    pub fn take_in<L: Lanes<Scalar = T>>(&mut self, point: Corner<T>) -> bool {
        if usize::from(self.count) >= VERTICES {
            self.rim.clear();
            return false;
        }
        self.put(point);
        self.count += 1;
        let point = splat::<S, L>(vector(&point[0]));
        let level = L::splat(self.rounding);
        let (faces, mut start) = (self.faces.min(MOST_FACES), 0);
        self.rim.clear();
        while start < faces {
            let normal = wide::<S, L, _, _>(&self.planes, start);
            let offset = L::load(&self.planes[3][start..]);
            let front = normal.dot(point).gt(offset - level);
            L::select(front, L::splat(T::INFINITY), offset).store(&mut self.planes[3][start..]);
            self.rim.take::<L>(front, &self.corners[start..]);
            start += L::WIDTH;
        }
        self.rim.taken().is_some()
    }

    /// Collects the edges of the faces that are taken away: the first of two steps.
    #[inline(always)]
    pub fn pass_edges(&mut self) {
        S::pass(&mut self.rim);
    }

    /// Lists the edges around the hole that this leaves: the second step. False if there are none.
    #[inline(always)]
    pub fn list_rim<L: Lanes<Scalar = T>>(&mut self) -> bool {
        S::list_rim::<L>(&mut self.rim, self.count.wrapping_sub(1))
    }

    /// The corners of a face.
    #[inline(always)]
    fn corners(&self, face: usize) -> [Corner<T>; 3] {
        let [i, j, k] = edges::corners(self.corners[face]);
        let corner = |number| [three(&self.points, number), three(&self.of_a, number)];
        [corner(i), corner(j), corner(k)]
    }

    /// Those of the nearest.
    #[inline(always)]
    pub fn nearest_corners(&self) -> [Corner<T>; 3] {
        self.corners(self.nearest)
    }

    /// The best foot in a face that is hardly further away than the nearest, whose normal and depth these are (see
    /// [`foot`]).
    #[inline(always)]
    pub fn foot_beside<L: Lanes<Scalar = T>>(&self, normal: S::Vector<T>, depth: T) -> (S::Vector<T>, T) {
        let (mut best, mut off) = (S::Vector::zero(), T::INFINITY);
        let (reach, mut start) = (L::splat(depth + self.rounding), 0);
        while start < self.faces {
            for lane in set_bits::<MAX_WIDTH>(L::load(&self.planes[3][start..]).le(reach).to_bits()) {
                let [p, q, r] = self.corners(start + lane);
                let points = [vector(&p[0]), vector(&q[0]), vector(&r[0])];
                let of_a = [vector(&p[1]), vector(&q[1]), vector(&r[1])];
                let (other, other_off) = foot::<S, T>(normal, depth, [points, of_a]);
                if other_off < off {
                    (best, off) = (other, other_off);
                }
            }
            start += L::WIDTH;
        }
        (best, off)
    }

    /// Whether each edge is passed as often one way as the other, and no more than once.
    #[cfg(test)]
    pub fn is_closed(&self) -> bool {
        let there = |face: &usize| self.planes[3][*face] < T::INFINITY;
        let faces = || (0..self.faces).filter(there).map(|face| edges::corners(self.corners[face]));
        if S::DIMENSION < 3 {
            let once = |end: fn([u8; 3]) -> u8| {
                let mut ends: Vec<u8> = faces().map(end).collect();
                ends.sort_unstable();
                ends
            };
            let (from, to) = (once(|[from, ..]| from), once(|[_, to, _]| to));
            return from == to && from.windows(2).all(|two| two[0] != two[1]);
        }
        let edges: Vec<(u8, u8)> = faces().flat_map(|[i, j, k]| [(i, j), (j, k), (k, i)]).collect();
        let count = |edge| edges.iter().filter(|&&other| other == edge).count();
        edges.iter().all(|&(from, to)| count((from, to)) == 1 && count((to, from)) == 1)
    }
}
