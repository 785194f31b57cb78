//! A closed surface about the origin, inside of A - B, that grows.
//!
//! What is taken away stays where it was, infinitely far away, and new faces are put behind the last: they need not be moved one by one.

use jostle_lanes::{Lanes, Least, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use super::edges::{self, Edges, Face, Seen};
use super::faces::{GrowSpace, plane};
use super::simplices::Simplices;
use crate::gjk::FinalSimplex;
use crate::noise::{APART, CONVERGED, FORWARD, noise};
use crate::penetration::Penetration;
use crate::polytope::view::{Corners, splat};

/// The most faces.
const FACES: usize = 256;
/// The most vertices: as many bits as there are in the largest word.
const VERTICES: usize = u128::BITS as usize;
/// Whole registers are read and written behind the last face.
const PADDED: usize = FACES + 2 * MAX_WIDTH;
/// As many as a byte can name, so that no place is beyond them.
const NAMES: usize = 256;

/// The search ends where its bounds are this near, in round-offs of the magnitude.
const ENOUGH: f64 = CONVERGED / 2.0;
// A depth that is no more than that, whose surface need not hold the origin, is taken for none.
const _: () = assert!(ENOUGH < FORWARD);

/// How far a surface has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It grows.
    Grows,
    /// Its nearest face is one of A - B's.
    Done,
    /// Somebody else has to know.
    Lost,
}

/// Where the second body is.
#[derive(Clone, Copy, Debug)]
pub struct Stand<S: Space, T: Scalar> {
    /// Its centre in the first body's frame, scaled.
    pub offset: S::Vector<T>,
    /// How it is turned.
    pub turn: S::Rotation<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

/// A surface on its way. Its memory is kept from pair to pair.
#[derive(Clone, Debug)]
pub struct Surface<S: Space, T: Scalar> {
    /// Unit normals of faces and (last) how far away their planes are at their nearest corner; infinitely far where there is no face.
    planes: [[T; PADDED]; 4],
    corners: [Face; PADDED],
    /// The faces that the last point is in front of, a bit for each.
    seen: [u64; FACES / 64],
    /// Points of A - B, filled up to four numbers.
    points: [[T; 4]; NAMES],
    /// The points of A that they come from.
    of_a: [[T; 3]; NAMES],
    /// Those that new faces rise from.
    edges: Edges,
    /// Where those begin and end.
    ends: [[T; 8]; edges::PADDED],
    stand: Stand<S, T>,
    /// How many faces there are, with those that were taken away.
    faces: usize,
    /// How many points.
    count: u8,
    /// The nearest face.
    nearest: usize,
    /// How far away it is.
    least: T,
    /// The support along its normal.
    depth: T,
    /// What may be rounding.
    rounding: T,
    state: State,
}

impl<S: Space, T: Scalar> Default for Surface<S, T> {
    fn default() -> Self {
        let zero = T::ZERO;
        let stand = Stand { offset: S::Vector::zero(), turn: S::Rotation::identity(), magnitude: zero };
        Self {
            planes: [[zero; PADDED], [zero; PADDED], [zero; PADDED], [T::INFINITY; PADDED]],
            corners: [[0; 3]; PADDED],
            seen: [0; FACES / 64],
            points: [[zero; 4]; NAMES],
            of_a: [[zero; 3]; NAMES],
            edges: Edges::NONE,
            ends: [[zero; 8]; edges::PADDED],
            stand,
            faces: 0,
            count: 0,
            nearest: 0,
            least: zero,
            depth: zero,
            rounding: zero,
            state: State::Lost,
        }
    }
}

#[inline(always)]
fn vector<L: Lanes, V: Vector<L>>(numbers: &[L]) -> V {
    V::from_fn(
        #[inline(always)]
        |k| numbers[k],
    )
}

/// A vector filled up with zeros.
#[inline(always)]
fn numbers<L: Lanes, V: Vector<L>, const N: usize>(vector: V) -> [L; N] {
    let mut numbers = [L::zero(); N];
    for k in 0..V::DIMENSION {
        numbers[k] = vector.get(k);
    }
    numbers
}

/// W vectors from rows.
#[inline(always)]
fn wide<S: Space, L: Lanes, const N: usize>(rows: &[[L::Scalar; N]], start: usize) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&rows[k][start..]),
    )
}

impl<S: GrowSpace, T: Scalar> Surface<S, T> {
    /// The pair, and the final simplex of GJK.
    #[inline(always)]
    pub fn start(&mut self, stand: Stand<S, T>, simplex: &FinalSimplex<S, T>) {
        self.stand = stand;
        self.rounding = noise(ENOUGH, stand.magnitude);
        for (vertex, (point, of_a)) in simplex.iter().zip(self.points.iter_mut().zip(&mut self.of_a)) {
            (*point, *of_a) = (numbers(vertex.w), numbers(vertex.a));
        }
    }

    /// Points of A - B, those of the first simplex first.
    #[inline(always)]
    pub fn points(&self) -> &[[T; 4]] {
        &self.points
    }

    #[inline(always)]
    fn point(&self, number: u8) -> S::Vector<T> {
        vector(&self.points[usize::from(number)])
    }

    /// Where the points met make no simplex as some are the same: asks for those that are missing, across the others. False if there is none, and A - B no
    /// deeper there than rounding.
    #[inline(always)]
    pub fn fill_up<L: Lanes<Scalar = T>>(&mut self, corners: &[Corners<'_, T>; 2]) -> bool {
        self.count = 1;
        for i in 1..4 {
            let place = usize::from(self.count);
            let (point, of_a) = (self.points[i], self.of_a[i]);
            let new = !self.points[..place].contains(&point);
            (self.points[place], self.of_a[place]) = (point, of_a);
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
            self.ask::<L>(normal, corners);
            // What is NaN is beyond nothing.
            let beyond = self.depth - normal.dot(known[0]) > self.rounding;
            if !beyond {
                return false;
            }
            self.count += 1;
        }
        true
    }

    /// Begins with the simplex of a lane, possibly mirrored.
    #[inline(always)]
    pub fn begin<L: Lanes<Scalar = T>>(&mut self, (first, lane, mirrored): (&Simplices<T>, usize, bool)) {
        let (faces, mut start) = (self.faces.min(FACES), 0);
        while start < faces {
            L::splat(T::INFINITY).store(&mut self.planes[3][start..]);
            start += L::WIDTH;
        }
        for (face, corners) in S::SIMPLEX[usize::from(mirrored)].iter().enumerate() {
            for (plane, number) in self.planes.iter_mut().zip(first.plane(face, lane)) {
                plane[face] = number;
            }
            self.corners[face] = *corners;
        }
        self.edges.clear();
        (self.faces, self.count, self.state) = (S::SIMPLEX[0].len(), S::DIMENSION as u8 + 1, State::Grows);
    }

    /// Makes room for a face between the last point and each edge around the hole, and lays their corners out.
    #[inline(always)]
    pub fn lay_out(&mut self) {
        let edges = self.edges.rim().len();
        if self.faces + edges > FACES {
            self.squeeze();
            if self.faces + edges > FACES {
                self.edges.clear();
                self.state = State::Lost;
            }
        }
        let apex = self.count - 1;
        let (rim, place) = (self.edges.rim(), self.faces.min(FACES));
        for (word, (corners, ends)) in rim.iter().zip(self.corners[place..].iter_mut().zip(&mut self.ends)) {
            let [from, to, ..] = word.to_le_bytes();
            *corners = [from, to, apex];
            let (one, other) = ends.split_at_mut(4);
            one.copy_from_slice(&self.points[usize::from(from)]);
            other.copy_from_slice(&self.points[usize::from(to)]);
        }
    }

    /// Puts the faces there. (By itself, as what was just written in two pieces would be waited for.)
    #[inline(always)]
    pub fn close<L: Lanes<Scalar = T>>(&mut self) {
        let (edges, tip) = (self.edges.rim().len(), splat::<S, L>(self.point(self.count - 1)));
        let mut start = 0;
        while start < edges {
            // Nobody has to look whether there is room for a register.
            let (place, there) = ((self.faces + start).min(FACES), (edges - start).min(L::WIDTH));
            let ends = &self.ends[start..start + L::WIDTH];
            let columns = L::gather_rows(
                #[inline(always)]
                |lane| &ends[lane],
            );
            let corners = [vector(&columns[..4]), vector(&columns[4..]), tip];
            let (normal, offset, sound) = plane::<S, L>(S::across(corners), corners);
            let there = L::Mask::from_bits(u32::MAX >> (32 - there));
            if (there & !sound).any() {
                self.state = State::Lost;
            }
            for k in 0..S::DIMENSION {
                normal.get(k).store(&mut self.planes[k][place..]);
            }
            L::select(there, offset, L::splat(T::INFINITY)).store(&mut self.planes[3][place..]);
            start += L::WIDTH;
        }
        self.faces += edges;
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

    /// The normal of the nearest face.
    #[inline(always)]
    fn normal(&self) -> S::Vector<T> {
        let face = self.nearest.min(FACES);
        S::Vector::from_fn(
            #[inline(always)]
            |k| self.planes[k][face],
        )
    }

    /// Finds the face that is nearest to the origin.
    #[inline(always)]
    pub fn find_nearest<L: Lanes<Scalar = T>>(&mut self) {
        let (mut least, faces, mut start) = (Least::<L>::new(), self.faces.min(FACES), 0);
        while start < faces {
            least.see(L::load(&self.planes[3][start..]));
            start += L::WIDTH;
        }
        (self.least, self.nearest) = least.found();
    }

    /// Asks for the support along its normal.
    #[inline(always)]
    pub fn ask_nearest<L: Lanes<Scalar = T>>(&mut self, corners: &[Corners<'_, T>; 2]) {
        self.ask::<L>(self.normal(), corners);
    }

    /// Asks for a support, which is kept behind the last point.
    #[inline(always)]
    fn ask<L: Lanes<Scalar = T>>(&mut self, normal: S::Vector<T>, [a, b]: &[Corners<'_, T>; 2]) {
        let Stand { turn, offset, .. } = self.stand;
        let of_a = a.support::<S, L>(normal);
        let of_b = b.support::<S, L>(turn.unrotate(-normal));
        let point = of_a - (turn.rotate(of_b) + offset);
        self.depth = normal.dot(point);
        let number = usize::from(self.count);
        (self.points[number], self.of_a[number]) = (numbers(point), numbers(of_a));
    }

    /// Takes the point in that was found, if it is beyond the face. True if so.
    #[inline(always)]
    pub fn take_in(&mut self) -> bool {
        if self.state == State::Grows {
            let beyond = self.depth - self.least;
            if beyond <= self.rounding {
                // In front of a face of A - B itself, the origin is outside or touches: no depth is less than rounding, and no more is made of this one.
                self.state = State::Done;
            } else if beyond > self.rounding && usize::from(self.count) < VERTICES {
                self.count += 1;
            } else {
                // Too many, or NaN, which is beyond nothing.
                self.state = State::Lost;
            }
        }
        self.state == State::Grows
    }

    /// Finds the faces that the last point is in front of, or in the plane of but for rounding, and takes them away. (Of those in its plane the edges that lead to
    /// the point would make faces of no area: upright prisms and boxes full of points ended on them.)
    #[inline(always)]
    pub fn take_away<L: Lanes<Scalar = T>>(&mut self) {
        let point = splat::<S, L>(self.point(self.count - 1));
        let level = L::splat(self.rounding);
        let (faces, mut start) = (self.faces.min(FACES), 0);
        self.seen = [0; FACES / 64];
        while start < faces {
            let normal = wide::<S, L, _>(&self.planes, start);
            let offset = L::load(&self.planes[3][start..]);
            let seen = normal.dot(point).gt(offset - level);
            L::select(seen, L::splat(T::INFINITY), offset).store(&mut self.planes[3][start..]);
            self.seen[start / 64] |= u64::from(seen.to_bits()) << (start % 64);
            start += L::WIDTH;
        }
    }

    /// Lists the edges around the hole that this leaves.
    #[inline(always)]
    pub fn list_rim<L: Lanes<Scalar = T>>(&mut self) {
        let words = self.faces.min(FACES).div_ceil(64);
        let seen = Seen { corners: &self.corners, bits: &self.seen[..words] };
        self.edges.clear();
        if !S::list_rim::<L>(&mut self.edges, &seen, self.count - 1) {
            self.state = State::Lost;
        }
    }

    /// Whether each edge is passed as often one way as the other, and no more than once.
    #[cfg(test)]
    pub fn is_closed(&self) -> bool {
        let there = |face: &usize| self.planes[3][*face] < T::INFINITY;
        let faces = || (0..self.faces).filter(there).map(|face| self.corners[face]);
        if S::DIMENSION < 3 {
            let once = |end: fn(Face) -> u8| {
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

    /// The point of A that face `face` has at the foot of the perpendicular, and how far the two witness points are from facing each other.
    #[inline(always)]
    fn foot(&self, normal: S::Vector<T>, face: usize) -> (S::Vector<T>, T) {
        let (foot, [i, j, k]) = (normal * self.depth, self.corners[face]);
        let (p, q, r) = (self.point(i) - foot, self.point(j) - foot, self.point(k) - foot);
        let [a, b, c] = [&self.of_a[usize::from(i)], &self.of_a[usize::from(j)], &self.of_a[usize::from(k)]];
        let (a, b, c): (S::Vector<T>, S::Vector<T>, S::Vector<T>) = (vector(a), vector(b), vector(c));
        // Never from beyond the face.
        let [x, y, z] = S::weights(normal, [p, q, r]);
        let whole = x + y + z;
        let any = whole > T::ZERO;
        if !any {
            return (a, T::INFINITY);
        }
        let whole = T::ONE / whole;
        let (x, y, z) = (x * whole, y * whole, z * whole);
        (a * x + b * y + c * z, (p * x + q * y + r * z).length_squared().sqrt())
    }

    /// The depth, if it was found.
    #[inline(always)]
    pub fn end<L: Lanes<Scalar = T>>(&self) -> Option<Penetration<S, T>> {
        if self.state != State::Done {
            return None;
        }
        let (normal, tolerance) = (self.normal(), noise(APART / 2.0, self.stand.magnitude));
        let (mut a, mut off) = self.foot(normal, self.nearest);
        // Where faces of A - B have more than three corners the foot may be in another triangle of the same plane.
        if off > tolerance {
            let (reach, mut start) = (L::splat(self.depth + self.rounding), 0);
            while start < self.faces {
                let mut bits = L::load(&self.planes[3][start..]).le(reach).to_bits();
                while bits != 0 {
                    let (other, other_off) = self.foot(normal, start + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                    if other_off < off {
                        (a, off) = (other, other_off);
                    }
                }
                start += L::WIDTH;
            }
        }
        Some(Penetration { normal, depth: self.depth, a, fits: off <= tolerance, uncertain: false })
    }
}
