//! The least depth of two polytopes from within: a polytope that grows inside of A - B until its nearest face is one of A - B's own.
//!
//! This is the expanding polytope (van den Bergen 2001): it begins with GJK's last simplex, which holds the origin; the face nearest to the
//! origin is asked for the support along its normal, and if that is beyond it, the faces that the new point sees are taken away
//! and those between the point and their rim are put in. Hulls that overlap a little need two to six points until it
//! ends, and no more of them is read than their points: no faces, no edges. Pairs that would need more room than
//! there is, or whose numbers make no sense, are for the pruned search ([`super::search`]).
//!
//! # Why the depth is proved
//!
//! Faces are triangles that make a closed surface, whatever rounding does: what is put in has the rim of what is taken away, edge by edge and counted
//! with its direction. Where the origin is behind the planes of all faces, each covers a part of all directions, once and the
//! same way round; a closed surface covers all of them a whole number of times, so at least once. And no point of a triangle is nearer to the origin
//! than the least of n.p over its three corners, for any unit n. So the least of these over all faces bounds the depth from below, whether or not the surface is
//! convex and however thin its triangles are: rounding can make the search longer, or the bound smaller, and nothing else. From above it
//! is bounded by the support along the nearest face's normal, which is what is called the depth. The search ends where
//! both are the same but for rounding.
//!
//! # What it is made of
//!
//! SIMD goes across the faces of a surface ([`surface`]) and the points of a body; the tetrahedra that a group begins with are made a pair in each
//! lane ([`tetrahedra`]). Some pairs grow side by side, each phase of a step for all of them before the next: one pair after the other, each step was a
//! chain of some three hundred cycles with choices at its end that nobody can guess, so that a processor could not begin the next pair's meanwhile (hulls of
//! 16 points that overlap by up to a twentieth, AVX2: 865 ns a pair step by step, 653 phase by phase, with more instructions).
//!
//! Tried, no gain: balls about blocks of points where the nearest face's corners say how far a support has to be (hulls of 256 points 3 % less);
//! the pruned search for pairs that GJK's simplex, or the surface on its way, shows to be deep, whatever the bound, with or without the points met so far (what
//! was spent until then is not made up for); two or four pairs side by side in place of eight.

mod surface;
#[cfg(test)]
mod tests;
mod tetrahedra;

use jostle_lanes::{Lanes, Scalar, Space, Vec3, Vector};
use jostle_shape::Points;

pub use self::surface::Stand;
use self::surface::Surface;
use self::tetrahedra::Tetrahedra;
use super::search::GROUP;
use super::side::Corners;
use crate::gjk::Met;
use crate::one_by_one::Deepest;

/// The corners of a tetrahedron's faces, counterclockwise from outside, if the last is behind the first three.
const TETRAHEDRON: [[u8; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];

/// Squares of lengths below which digits are lost.
fn smallest<T: Scalar>() -> f64 {
    if T::DOUBLE { 1e-290 } else { 1e-30 }
}

/// The planes of triangles with normals `across`, of any length: unit normals, how far away the nearest corners are, and where the origin is behind
/// them. Of what is so small that its square has lost digits the normal is no unit vector.
#[inline(always)]
fn plane<L: Lanes>(across: Vec3<L>, [a, b, c]: [Vec3<L>; 3]) -> (Vec3<L>, L, L::Mask) {
    let squared = across.length_squared();
    let normal = across * (L::one() / squared.sqrt());
    let offset = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
    (normal, offset, offset.gt(L::zero()) & squared.gt(L::constant(smallest::<L::Scalar>())))
}

/// Memory for a group.
#[derive(Debug, Default)]
pub struct Room<T: Scalar> {
    first: Tetrahedra<T>,
    group: Vec<Surface<T>>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for a group.
    pub fn open(&mut self) {
        self.group.resize(GROUP, Surface::default());
    }

    /// Grows the polytopes of `count` pairs, at most [`GROUP`]: `met` says what GJK met of each, `place` what it is and where; `tell` is
    /// told what was found. Returns those that are for others to search.
    ///
    /// # Panics
    /// If the room was not [opened](Self::open).
    #[inline(always)]
    pub fn grow<'s, S: Space, L: Lanes<Scalar = T>>(
        &mut self,
        count: usize,
        met: impl Fn(usize) -> &'s Met<S, T>,
        mut place: impl FnMut(usize) -> ([Corners<'s, T>; 2], Stand<T>),
        mut tell: impl FnMut(usize, Deepest<S, T>),
    ) -> Members {
        let Self { first, group } = self;
        let Some(group) = group.first_chunk_mut::<GROUP>() else { panic!("no room for a group") };
        let count = count.min(GROUP);
        for i in 0..count {
            first.put::<S>(i, met(i));
        }
        let (good, mirrored) = first.close::<L>(count);
        let nothing = Corners { points: Points { blocks: &[], cells: &[] }, scale: T::ZERO };
        let mut corners = [[nothing; 2]; GROUP];
        let (mut rest, mut begun) = (Members::default(), Members::default());
        for i in 0..count {
            if good >> i & 1 == 1 {
                let stand;
                (corners[i], stand) = place(i);
                group[i].begin::<S, L>(stand, met(i), (first, i, mirrored >> i & 1 == 1));
                begun.add(i);
            } else {
                rest.add(i);
            }
        }
        // Each phase for all of them before the next: what nobody can guess is then known when it is asked.
        let mut growing = begun;
        while growing.count > 0 {
            for i in growing.iter() {
                group[i].close::<L::Narrow>();
            }
            for i in growing.iter() {
                group[i].find_nearest::<L>();
            }
            for i in growing.iter() {
                group[i].ask::<L>(&corners[i]);
            }
            growing.keep(
                #[inline(always)]
                |i| group[i].take_in(),
            );
            for i in growing.iter() {
                group[i].take_away::<L>();
            }
            for i in growing.iter() {
                group[i].list_rim::<L>();
            }
        }
        for i in begun.iter() {
            if let Some(deepest) = group[i].end::<S, L>() {
                tell(i, deepest);
            } else {
                rest.add(i);
            }
        }
        rest
    }
}

/// Some of the pairs of a group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members {
    pairs: [u8; GROUP],
    count: usize,
}

impl Members {
    /// All of so many.
    #[inline(always)]
    pub fn all(count: usize) -> Self {
        let mut all = Self::default();
        for i in 0..count.min(GROUP) {
            all.add(i);
        }
        all
    }

    /// How many they are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The one at `place`.
    #[inline(always)]
    pub fn pair(&self, place: usize) -> usize {
        // What the compiler cannot know otherwise.
        usize::from(self.pairs[place % GROUP]) % GROUP
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let pairs = self.pairs;
        (0..self.count).map(
            #[inline(always)]
            move |at| usize::from(pairs[at % GROUP]) % GROUP,
        )
    }

    #[inline(always)]
    fn add(&mut self, pair: usize) {
        self.pairs[self.count % GROUP] = pair as u8;
        self.count += 1;
    }

    /// Keeps those that are wanted, in their order.
    #[inline(always)]
    fn keep(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            let pair = self.pair(at);
            self.pairs[kept % GROUP] = pair as u8;
            kept += usize::from(wanted(pair));
        }
        self.count = kept;
    }
}
