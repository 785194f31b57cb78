//! The least depth of two polytopes from within: a polytope that grows inside of A - B until its nearest face is one of A - B's own.
//!
//! This is the expanding polytope (van den Bergen 2001): it begins with GJK's last simplex, which holds the origin; the face nearest to the
//! origin is asked for the support along its normal, and if that is beyond it, the faces that the new point sees are taken away
//! and those between the point and their rim are put in. Hulls that overlap a little need two to six points until it
//! ends, and no more of them is read than their points: no faces, no edges. Pairs that would need more room than
//! there is, or whose numbers make no sense, are for others to decide ([`crate::resolve`]).
//!
//! # Why the depth is proved
//!
//! Faces are triangles (in the plane: edges) that make a closed surface, whatever rounding does: what is put in has the rim of what is taken away, edge by edge and counted
//! with its direction. Where the origin is behind the planes of all faces, each covers a part of all directions, once and the
//! same way round; a closed surface covers all of them a whole number of times, so at least once. And no point of a triangle is nearer to the origin
//! than the least of n.p over its three corners, for any unit n. So the least of these over all faces bounds the depth from below, whether or not the surface is
//! convex and however thin its triangles are: rounding can make the search longer, or the bound smaller, and nothing else. From above it
//! is bounded by the support along the nearest face's normal, which is what is called the depth. The search ends where
//! both are the same but for rounding.
//!
//! Where the origin is on a face, or beside it but for rounding, as it is where bodies touch or where symmetrical ones have the same centre, that face is the
//! nearest, and the first to go. If it is one of A - B's the depth found is zero but for rounding, which proves nothing and is not taken for more
//! ([`Answer::searched`](crate::answer::Answer::searched)).
//!
//! # What it is made of
//!
//! SIMD goes across the faces of a surface ([`surface`]) and the points of a body; the simplices that a group begins with are made a pair in each
//! lane ([`simplices`]). What differs between plane and space is what [`GrowSpace`] says. Some pairs grow side by side, each phase of a step for all of them before the next (two phases together were 3 % slower): one pair after the other, each step was a
//! chain of some three hundred cycles with choices at its end that nobody can guess, so that a processor could not begin the next pair's meanwhile (hulls of
//! 16 points that overlap by up to a twentieth, AVX2: 865 ns a pair step by step, 653 phase by phase, with more instructions).
//!
//! Tried, no gain: balls about blocks of points where the nearest face's corners say how far a support has to be (hulls of 256 points 3 % less);
//! two or four pairs side by side in place of eight. Tried, and kept for some time: a pruned search over the faces and edges of both (the separating axes of
//! Gottschalk 1996, crossings of arcs as in Gregorius 2013) for what this left: BENCHMARKS.md, *Nothing else*.

mod edges;
pub mod faces;
mod plane;
mod simplices;
mod space;
pub mod surface;
#[cfg(test)]
mod tests;

use jostle_lanes::{Lanes, Scalar, Space};
use jostle_shape::Points;

use self::faces::GrowSpace;
use self::simplices::Simplices;
use self::surface::{Stand, Surface};
use super::view::Corners;
use crate::gjk::FinalSimplex;
use crate::penetration::{GROUP, Penetration};

/// Memory for a group.
#[derive(Debug)]
pub struct Room<S: Space, T: Scalar> {
    first: Simplices<T>,
    group: Vec<Surface<S, T>>,
}

impl<S: Space, T: Scalar> Default for Room<S, T> {
    fn default() -> Self {
        Self { first: Simplices::default(), group: Vec::new() }
    }
}

impl<S: GrowSpace, T: Scalar> Room<S, T> {
    /// Makes room for a group.
    pub fn open(&mut self) {
        self.group.resize(GROUP, Surface::default());
    }

    /// Grows the polytopes of `count` pairs, at most [`GROUP`]: `simplex` says where GJK ended on each, `place` what it is and where; `tell` is
    /// told what was found.
    ///
    /// # Panics
    /// If the room was not [opened](Self::open).
    #[inline(always)]
    pub fn grow<'s, L: Lanes<Scalar = T>>(
        &mut self,
        count: usize,
        simplex: impl Fn(usize) -> &'s FinalSimplex<S, T>,
        mut place: impl FnMut(usize) -> ([Corners<'s, T>; 2], Stand<S, T>),
        mut tell: impl FnMut(usize, Penetration<S, T>),
    ) {
        let Self { first, group } = self;
        let Some(group) = group.first_chunk_mut::<GROUP>() else { panic!("no room for a group") };
        let count = count.min(GROUP);
        let nothing = Corners { points: Points { blocks: &[], cells: &[] }, scale: T::ZERO };
        let mut corners = [[nothing; 2]; GROUP];
        for i in 0..count {
            let stand;
            (corners[i], stand) = place(i);
            group[i].start(stand, simplex(i));
            first.put::<S>(i, group[i].points());
        }
        let (mut solid, mut mirrored) = first.close::<S, L>(count);
        let all = u32::MAX >> (32 - GROUP) >> (GROUP - count);
        if solid != all {
            // Symmetrical bodies with the same centre: the first two points or three that GJK asked for told it all that it asked.
            for i in 0..count {
                if solid >> i & 1 == 0 && group[i].fill_up::<L>(&corners[i]) {
                    first.put::<S>(i, group[i].points());
                }
            }
            (solid, mirrored) = first.close::<S, L>(count);
        }
        each(
            solid,
            #[inline(always)]
            |i| group[i].begin::<L>((first, i, mirrored >> i & 1 == 1)),
        );
        // Each phase for all of them before the next: what nobody can guess is then known when it is asked.
        let mut growing = solid;
        while growing != 0 {
            each(
                growing,
                #[inline(always)]
                |i| group[i].lay_out(),
            );
            each(
                growing,
                #[inline(always)]
                |i| group[i].close::<L>(),
            );
            each(
                growing,
                #[inline(always)]
                |i| group[i].find_nearest::<L>(),
            );
            each(
                growing,
                #[inline(always)]
                |i| group[i].ask_nearest::<L>(&corners[i]),
            );
            let mut still = 0;
            each(
                growing,
                #[inline(always)]
                |i| still |= u32::from(group[i].take_in()) << i,
            );
            growing = still;
            each(
                growing,
                #[inline(always)]
                |i| group[i].take_away::<L>(),
            );
            each(
                growing,
                #[inline(always)]
                |i| group[i].list_rim::<L>(),
            );
        }
        each(
            solid,
            #[inline(always)]
            |i| {
                if let Some(penetration) = group[i].end::<L>() {
                    tell(i, penetration);
                }
            },
        );
    }
}

/// Visits the pairs of a group that have a bit.
#[inline(always)]
fn each(mut bits: u32, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        // What the compiler cannot know otherwise.
        let pair = bits.trailing_zeros() as usize % GROUP;
        bits &= bits - 1;
        visit(pair);
    }
}
