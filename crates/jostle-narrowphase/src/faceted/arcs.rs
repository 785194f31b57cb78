//! The arcs of a polytope's Gauss map along which the depth may be less than the best that is known, of all pairs of a
//! packet.
//!
//! Seen along the edge the frustum is a convex set in a plane, the arc a range of directions and the depth the set's
//! reach in them, from the edge. Any of its points bounds the depth from below, and two that are the furthest in two
//! directions do so with the least value where both are as far, between these. Three supports, at the ends and in the
//! middle, rule out all but one arc in five of a body that stands on another (the middle alone: one in three, and none
//! where it stands at a tilt, which costs the far end of its rim a little height).

use core::convert;

use jostle_lanes::{D3, Lanes, Mask, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::placed::PlacedFrustum;
use crate::polytope::view::{behind, load3};

/// An arc that is to be searched, and whose it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairArc {
    /// The place of its pair.
    pub pair: u16,
    /// Its number in the pair's polytope.
    pub number: u16,
}

/// Arcs that are to be searched, a packet of them at a time.
#[derive(Debug, Default)]
pub struct Arcs {
    list: Vec<PairArc>,
    count: usize,
}

impl Arcs {
    /// Makes room for those of polytopes of so many.
    pub fn reserve(&mut self, arcs: usize) {
        let room = arcs + MAX_WIDTH;
        self.list.reserve_exact(room.saturating_sub(self.list.len()));
    }

    /// Begins a search: nothing is left of the one before.
    #[inline(always)]
    pub fn open(&mut self) {
        self.count = 0;
    }

    /// Lists those of the polytope of a pair along which the depth may be less than `best`.
    #[inline(always)]
    pub fn list<L: Lanes>(&mut self, pair: &PlacedFrustum<'_, L::Scalar>, place: usize, best: L::Scalar) {
        let room = self.count + pair.polytope.arcs;
        if self.list.len() < room {
            self.list.resize(room, PairArc::default());
        }
        let (round, scale, best) = (pair.round.in_lanes::<L>(), L::splat(pair.polytope.scale), L::splat(best));
        let Self { list, count } = self;
        pair.polytope.arcs_where::<L>(
            #[inline(always)]
            |from, to, start| {
                let normals = [load3::<L>(from, MAX_WIDTH, 0, start), load3::<L>(to, MAX_WIDTH, 0, start)];
                // What the frustum's furthest point in a direction adds to the depth along either normal.
                let seen = convert::identity(
                    #[inline(always)]
                    |direction: Vec3<L>| {
                        let known = round.centre - round.support(direction);
                        [behind::<D3, L>(from, start, scale, known), behind::<D3, L>(to, start, scale, known)]
                    },
                );
                let middle = seen(normals[0] + normals[1]);
                let open = !(middle[0].ge(best) & middle[1].ge(best));
                if !open.any() {
                    return open;
                }
                let ends = [seen(normals[0]), seen(normals[1])];
                open & !above(ends, middle, normals[0].dot(normals[1]), best)
            },
            #[inline(always)]
            |number| {
                list[*count] = PairArc { pair: place as u16, number: number as u16 };
                *count += 1;
            },
        );
    }

    /// Behind the first `begun`, the next packet of `width`: fewer only if these are the `last`.
    #[inline(always)]
    pub fn packet(&self, width: usize, begun: usize, last: bool) -> Option<&[PairArc]> {
        let left = self.count - begun;
        if left >= width || last && left > 0 { Some(&self.list[begun..begun + left.min(width)]) } else { None }
    }

    /// Forgets the first so many.
    #[inline(always)]
    pub fn forget(&mut self, begun: usize) {
        self.list.copy_within(begun..self.count, 0);
        self.count -= begun;
    }
}

/// True where the depth is nowhere less than `best` between two normals whose angle has this cosine. Points are given
/// by how far they reach along either: those that are the furthest along the first and the last, and between.
#[inline(always)]
fn above<L: Lanes>([first, last]: [[L; 2]; 2], middle: [L; 2], cosine: L, best: L) -> L::Mask {
    let one = L::one();
    // The direction s * n + t * m has the length of the root; along it both points are as far.
    let level = convert::identity(
        #[inline(always)]
        |near: [L; 2], far: [L; 2]| {
            let (s, t) = (far[1] - near[1], near[0] - far[0]);
            let length = (s * s + t * t + (s + s) * t * cosine).max(L::zero()).sqrt();
            (s * near[0] + t * near[1]).ge(best * length)
        },
    );
    let length = ((one + cosine) * L::constant(2.0)).max(L::zero()).sqrt();
    // Not where normals are opposite to each other, and their middle is anywhere.
    cosine.gt(L::constant(-0.95))
        & first[0].ge(best)
        & last[1].ge(best)
        & (middle[0] + middle[1]).ge(best * length)
        & level(first, middle)
        & level([last[1], last[0]], [middle[1], middle[0]])
}
