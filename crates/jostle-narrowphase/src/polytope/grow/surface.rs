//! A closed surface of triangles about the origin, inside of A - B, that grows.
//!
//! What is taken away stays where it was, infinitely far away, and new faces are put behind the last: they need not be moved one by one.

use jostle_lanes::{D3, Lanes, Least, Mask, Rot3, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::tetrahedra::Tetrahedra;
use super::{TETRAHEDRON, plane};
use crate::faceted::{narrowed, widened};
use crate::gjk::Met;
use crate::noise::{APART, CONVERGED, noise};
use crate::one_by_one::Deepest;
use crate::polytope::side::{Corners, splat};

/// The most faces: of hulls of 256 points that overlap deeply one pair in a hundred needs more.
const FACES: usize = 128;
/// The most vertices: as many bits as there are in a word.
const VERTICES: usize = 64;
/// The most edges of what is taken away at once, each as often as it is passed.
const PASSED: usize = 96;
/// Whole registers are read and written behind the last face.
const PADDED: usize = FACES + 2 * MAX_WIDTH;
/// As many as a byte can name, so that no place is beyond them.
const NAMES: usize = 256;

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
pub struct Stand<T: Scalar> {
    /// Its centre in the first body's frame, scaled.
    pub offset: Vec3<T>,
    /// How it is turned.
    pub turn: Rot3<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

/// A surface on its way. Its memory is kept from pair to pair.
#[derive(Clone, Debug)]
pub struct Surface<T: Scalar> {
    /// Unit normals of faces and how far away their planes are at their nearest corner; infinitely far where there is no face.
    planes: [[T; PADDED]; 4],
    /// Their corners, counterclockwise from outside.
    corners: [[u8; 3]; PADDED],
    /// The faces that the last point is in front of, a bit for each.
    seen: [u64; FACES / 64],
    /// Their edges as words: see [`list_rim`](Self::list_rim).
    passed: [u32; PASSED + MAX_WIDTH],
    /// Points of A - B.
    points: [[T; 3]; NAMES],
    /// The points of A that they come from.
    of_a: [[T; 3]; NAMES],
    /// Those around what was taken away.
    rim: [u32; PASSED + MAX_WIDTH],
    /// Where edges of a register begin and end.
    columns: [[T; MAX_WIDTH]; 6],
    stand: Stand<T>,
    /// How many faces there are, with those that were taken away.
    faces: usize,
    /// How many points.
    count: u8,
    /// How many edges there are around what was taken away.
    edges: usize,
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

impl<T: Scalar> Default for Surface<T> {
    fn default() -> Self {
        let zero = T::ZERO;
        Self {
            planes: [[zero; PADDED], [zero; PADDED], [zero; PADDED], [T::INFINITY; PADDED]],
            corners: [[0; 3]; PADDED],
            seen: [0; FACES / 64],
            passed: [0; PASSED + MAX_WIDTH],
            points: [[zero; 3]; NAMES],
            of_a: [[zero; 3]; NAMES],
            rim: [0; PASSED + MAX_WIDTH],
            columns: [[zero; MAX_WIDTH]; 6],
            stand: Stand { offset: Vec3::zero(), turn: Rot3::identity(), magnitude: zero },
            faces: 0,
            count: 0,
            edges: 0,
            nearest: 0,
            least: zero,
            depth: zero,
            rounding: zero,
            state: State::Lost,
        }
    }
}

#[inline(always)]
fn vector<T: Scalar>([x, y, z]: [T; 3]) -> Vec3<T> {
    Vec3 { x, y, z }
}

/// The end of an edge as a word has it: its number and the complement.
#[inline(always)]
fn end(number: u8) -> u32 {
    u32::from(number) | u32::from(!number) << 16
}

/// Twice the area of the triangle of the origin and two points, seen along a normal; none if it is seen from behind.
#[inline(always)]
fn share<T: Scalar>(normal: Vec3<T>, one: Vec3<T>, other: Vec3<T>) -> T {
    Lanes::max(normal.dot(one.cross(other)), T::ZERO)
}

impl<T: Scalar> Surface<T> {
    /// Begins with the points that GJK met, which are the tetrahedron of a lane, possibly mirrored.
    #[inline(always)]
    pub fn begin<S: Space, L: Lanes<Scalar = T>>(
        &mut self,
        stand: Stand<T>,
        met: &Met<S, T>,
        (first, lane, mirrored): (&Tetrahedra<T>, usize, bool),
    ) {
        self.stand = stand;
        self.rounding = noise(CONVERGED / 2.0, stand.magnitude);
        let (faces, mut start) = (self.faces.min(FACES), 0);
        while start < faces {
            L::splat(T::INFINITY).store(&mut self.planes[3][start..]);
            start += L::WIDTH;
        }
        for (face, [i, j, k]) in TETRAHEDRON.into_iter().enumerate() {
            for (plane, number) in self.planes.iter_mut().zip(first.plane(face, lane)) {
                plane[face] = number;
            }
            self.corners[face] = if mirrored { [i, k, j] } else { [i, j, k] };
        }
        for (vertex, (point, of_a)) in met.iter().zip(self.points.iter_mut().zip(&mut self.of_a)) {
            let (w, a) = (widened(vertex.w), widened(vertex.a));
            (*point, *of_a) = ([w.x, w.y, w.z], [a.x, a.y, a.z]);
        }
        (self.faces, self.count, self.edges, self.state) = (4, 4, 0, State::Grows);
    }

    /// Puts a face between the last point and each edge of the rim.
    #[inline(always)]
    pub fn close<L: Lanes<Scalar = T>>(&mut self) {
        if self.faces + self.edges > FACES {
            self.squeeze();
            if self.faces + self.edges > FACES {
                self.state = State::Lost;
                return;
            }
        }
        let apex = self.count - 1;
        let tip = splat::<D3, L>(vector(self.points[usize::from(apex)]));
        let mut start = 0;
        while start < self.edges {
            let count = (self.edges - start).min(L::WIDTH);
            // Nobody has to look whether there is room for a register.
            let place = (self.faces + start).min(FACES);
            for (lane, (word, corners)) in self.rim[start..][..count].iter().zip(&mut self.corners[place..]).enumerate()
            {
                let [from, to, ..] = word.to_le_bytes();
                *corners = [from, to, apex];
                let (from, to) = (&self.points[usize::from(from)], &self.points[usize::from(to)]);
                for k in 0..3 {
                    self.columns[k][lane] = from[k];
                    self.columns[3 + k][lane] = to[k];
                }
            }
            let [x, y, z, u, v, w] = &self.columns;
            let from = Vec3 { x: L::load(x), y: L::load(y), z: L::load(z) };
            let to = Vec3 { x: L::load(u), y: L::load(v), z: L::load(w) };
            let (normal, offset, sound) = plane((from - tip).cross(to - tip), [tip, from, to]);
            let there = L::Mask::from_bits(u32::MAX >> (32 - count));
            if (there & !sound).any() {
                self.state = State::Lost;
            }
            for (plane, numbers) in self.planes.iter_mut().zip([
                normal.x,
                normal.y,
                normal.z,
                L::select(there, offset, L::splat(T::INFINITY)),
            ]) {
                numbers.store(&mut plane[place..]);
            }
            start += L::WIDTH;
        }
        self.faces += self.edges;
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
    fn normal(&self) -> Vec3<T> {
        let ([x, y, z, _], face) = (&self.planes, self.nearest.min(FACES));
        Vec3 { x: x[face], y: y[face], z: z[face] }
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
    pub fn ask<L: Lanes<Scalar = T>>(&mut self, [a, b]: &[Corners<'_, T>; 2]) {
        let (normal, Stand { turn, offset, .. }) = (self.normal(), self.stand);
        let of_a = a.support::<D3, L>(normal);
        let of_b = b.support::<D3, L>(turn.unrotate(-normal));
        let point = of_a - (turn.rotate(of_b) + offset);
        self.depth = normal.dot(point);
        let number = usize::from(self.count);
        self.points[number] = [point.x, point.y, point.z];
        self.of_a[number] = [of_a.x, of_a.y, of_a.z];
    }

    /// Takes the point in that was found, if it is beyond the face. True if so.
    #[inline(always)]
    pub fn take_in(&mut self) -> bool {
        if self.state == State::Grows {
            let beyond = self.depth - self.least;
            if beyond <= self.rounding {
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

    /// Finds the faces that the last point is in front of, and takes them away.
    #[inline(always)]
    pub fn take_away<L: Lanes<Scalar = T>>(&mut self) {
        let point = splat::<D3, L>(vector(self.points[usize::from(self.count - 1)]));
        let (faces, mut start) = (self.faces.min(FACES), 0);
        self.seen = [0; FACES / 64];
        while start < faces {
            let [x, y, z, away] = &mut self.planes;
            let normal = Vec3 { x: L::load(&x[start..]), y: L::load(&y[start..]), z: L::load(&z[start..]) };
            let offset = L::load(&away[start..]);
            let seen = normal.dot(point).gt(offset);
            L::select(seen, L::splat(T::INFINITY), offset).store(&mut away[start..]);
            self.seen[start / 64] |= u64::from(seen.to_bits()) << (start % 64);
            start += L::WIDTH;
        }
    }

    /// Lists the edges around the hole: those of what was taken away that are passed one way only.
    ///
    /// Each edge's way back is looked for among all of them at once. The bytes of a word are where the edge begins and ends, and the complements of
    /// both, so that the same bytes in reverse order have no bit in common with the word of the way back, and with no other. There is nothing to guess
    /// but how many faces are seen.
    #[inline(always)]
    pub fn list_rim<L: Lanes<Scalar = T>>(&mut self) {
        let mut count = 0;
        for (half, mut bits) in self.seen.into_iter().enumerate() {
            while bits != 0 && count <= PASSED - 3 {
                let [i, j, k] = self.corners[64 * half + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let (i, j, k) = (end(i), end(j), end(k));
                self.passed[count] = i | j << 8;
                self.passed[count + 1] = j | k << 8;
                self.passed[count + 2] = k | i << 8;
                count += 3;
            }
            if bits != 0 {
                self.state = State::Lost;
            }
        }
        let (passed, mut start, mut edges) = (count.min(PASSED), 0, 0);
        while start < passed {
            let mut inside = L::Mask::splat(false);
            for &word in &self.passed[..passed] {
                inside = inside | L::bits_disjoint(&self.passed[start..], word.swap_bytes());
            }
            let there = L::Mask::from_bits(u32::MAX >> (32 - L::WIDTH.min(passed - start)));
            edges += L::left_pack(there & !inside, &self.passed[start..], &mut self.rim[edges..]);
            start += L::WIDTH;
        }
        self.edges = edges;
        // Nothing is left, as rounding had it, or holes meet in a corner: from there two edges to the new point would be the same, and
        // one way back would be taken for both.
        if edges == 0 || edges >= 6 && self.rim_meets_itself() {
            self.state = State::Lost;
        }
    }

    /// Whether two edges of the rim begin in the same corner.
    #[inline(always)]
    fn rim_meets_itself(&self) -> bool {
        let (mut once, mut twice) = (0_u64, 0);
        for &word in &self.rim[..self.edges.min(PASSED)] {
            let from = 1 << (word % VERTICES as u32);
            twice |= once & from;
            once |= from;
        }
        twice != 0
    }

    /// Whether each edge is passed as often one way as the other, and no more than once.
    #[cfg(test)]
    pub fn is_closed(&self) -> bool {
        let there = |face: &usize| self.planes[3][*face] < T::INFINITY;
        let edges: Vec<(u8, u8)> = (0..self.faces)
            .filter(there)
            .flat_map(|face| {
                let [i, j, k] = self.corners[face];
                [(i, j), (j, k), (k, i)]
            })
            .collect();
        let count = |edge| edges.iter().filter(|&&other| other == edge).count();
        edges.iter().all(|&(from, to)| count((from, to)) == 1 && count((to, from)) == 1)
    }

    /// The point of A that face `face` has at the foot of the perpendicular, and how far the two witness points are from facing each other.
    #[inline(always)]
    fn foot(&self, normal: Vec3<T>, face: usize) -> (Vec3<T>, T) {
        let (foot, [i, j, k]) = (normal * self.depth, self.corners[face]);
        let [i, j, k] = [usize::from(i), usize::from(j), usize::from(k)];
        let (p, q) = (vector(self.points[i]) - foot, vector(self.points[j]) - foot);
        let r = vector(self.points[k]) - foot;
        let (a, b, c) = (vector(self.of_a[i]), vector(self.of_a[j]), vector(self.of_a[k]));
        // Never from beyond the face.
        let (x, y, z) = (share(normal, q, r), share(normal, r, p), share(normal, p, q));
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
    pub fn end<S: Space, L: Lanes<Scalar = T>>(&self) -> Option<Deepest<S, T>> {
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
        Some(Deepest {
            normal: narrowed::<S, T>(normal),
            depth: self.depth,
            a: narrowed::<S, T>(a),
            fits: off <= tolerance,
            uncertain: false,
        })
    }
}
