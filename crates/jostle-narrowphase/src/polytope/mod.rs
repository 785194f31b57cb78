//! The least depth of two polytopes, exactly: a pruned search over the axes that can separate them.
//!
//! The depth along a unit normal is least at a face of either or at a crossing of two edges (Gottschalk 1996; the Gauss
//! map as in Gregorius 2013). [`nodes`] finds the best face from a handful of supports, [`arcs`] looks for crossings that
//! are better among the few arcs that the points met so far do not rule out. One pair at a time, SIMD across the faces,
//! points and edges of its two bodies; nothing is ever given up for being too many.
//!
//! The values that win are true supports, so the depth found is never below the true one; that it is not above it, but for
//! rounding, is what the search proves.

mod arcs;
mod nodes;
mod side;
mod small;

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Lanes, Mask, Rotation, Scalar, Space};
use jostle_shape::MAX_WIDTH;

use crate::boxes::half_extents;
use crate::class::Precision;
use crate::families::{BoxFamily, Family, HullFamily};
use crate::frame::PairLanes;
use crate::gjk::Met;
use crate::noise::{APART, CONVERGED, noise};
use crate::one_by_one::{Deepest, OneByOne, Rows, Together};
use crate::solve::SolveSpace;
pub use arcs::{ArcSpace, load3};
pub use side::{BoxBlocks, Side, behind, node_block, splat};
pub use small::Small;

/// Memory of a search, kept from pair to pair.
#[derive(Debug, Default)]
pub struct Room<T> {
    halves: [nodes::Room<T>; 2],
    arcs: arcs::Room<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for polytopes of so many nodes and arcs.
    pub fn reserve(&mut self, nodes: usize, arcs: usize) {
        self.halves.iter_mut().for_each(|half| half.reserve(nodes));
        self.arcs.reserve(arcs);
    }

    /// Room for a list of arcs.
    #[inline(always)]
    pub fn alive(&mut self) -> &mut Vec<u16> {
        self.arcs.alive()
    }
}

/// Two placed polytopes, in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'s, S: Space, T: Scalar> {
    /// The first.
    pub a: Side<'s, T>,
    /// The second.
    pub b: Side<'s, T>,
    /// Where B's centre is.
    pub offset: S::Vector<T>,
    /// How B is turned.
    pub turn: S::Rotation<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

/// Searches. `met` are points of A - B, with the points of A they come from.
#[inline(always)]
pub fn search<S: ArcSpace, L: Lanes>(
    pair: &Placed<'_, S, L::Scalar>,
    met: &Met<S, L::Scalar>,
    room: &mut Room<L::Scalar>,
) -> Option<Deepest<S, L::Scalar>> {
    let Placed { a, b, offset, turn, magnitude } = *pair;
    let [room_a, room_b] = &mut room.halves;
    let back = turn.inverse_times(S::Rotation::identity());
    let mut halves =
        [nodes::Half::new(a, turn, offset, room_a), nodes::Half::new(b, back, -back.rotate(offset), room_b)];
    let [p, q, r, s] = *met;
    halves[0].begin::<L>([p.a - p.w, q.a - q.w, r.a - r.w, s.a - s.w]);
    let points =
        [back.rotate(p.a - offset), back.rotate(q.a - offset), back.rotate(r.a - offset), back.rotate(s.a - offset)];
    halves[1].begin::<L>(points);
    let node = nodes::least_node::<S, L>(&mut halves, noise(CONVERGED / 2.0, magnitude))?;
    let crossings = S::crossings::<L>(&halves, node.depth, magnitude, &mut room.arcs);
    let (normal, depth, point) = if let Some(better) = crossings.better {
        (better.normal, better.depth, better.a)
    } else if node.half == 0 {
        let normal = a.normal::<S>(node.node);
        (normal, node.depth, node.point + normal * node.depth)
    } else {
        (-turn.rotate(b.normal::<S>(node.node)), node.depth, turn.rotate(node.point) + offset)
    };
    // What touches a face is a corner of the other, and need not be looked for in that.
    let (edges, zero) = (crossings.better.is_some(), L::Scalar::ZERO);
    let outside_a = if edges || node.half == 0 { a.outside::<S, L>(point) } else { zero };
    let other = turn.unrotate(point - normal * depth - offset);
    let outside_b = if edges || node.half == 1 { b.outside::<S, L>(other) } else { zero };
    let outside = Lanes::max(outside_a, outside_b);
    Some(Deepest {
        normal,
        depth,
        a: point,
        fits: outside <= noise(APART / 2.0, magnitude),
        uncertain: crossings.weakest < depth,
    })
}

/// A family of polytopes.
pub trait PolytopeFamily<S: Space>: Family<S> {
    /// The polytope of one pick, from its (scaled) numbers or from what is kept for it. None if its facets are not.
    fn side<'s, T: Scalar>(
        &'s self,
        numbers: [T; 3],
        scale: T,
        pick: usize,
        blocks: &'s mut BoxBlocks<T>,
    ) -> Option<Side<'s, T>>;
    /// The polytopes of a packet, as far as they are small.
    fn small<L: Lanes>(&self, numbers: [L; 3], scale: L, picks: &[usize; MAX_WIDTH], small: &mut Small<S, L>);
}

impl<S: Space> PolytopeFamily<S> for BoxFamily {
    #[inline(always)]
    fn side<'s, T: Scalar>(
        &'s self,
        numbers: [T; 3],
        _: T,
        _: usize,
        blocks: &'s mut BoxBlocks<T>,
    ) -> Option<Side<'s, T>> {
        Some(blocks.fill::<S>(numbers))
    }
    #[inline(always)]
    fn small<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[usize; MAX_WIDTH], small: &mut Small<S, L>) {
        small.fill_with_boxes(half_extents::<S, L>(&numbers));
    }
}

impl<S: Space> PolytopeFamily<S> for HullFamily<'_, S> {
    #[inline(always)]
    fn side<'s, T: Scalar>(&'s self, _: [T; 3], scale: T, pick: usize, _: &'s mut BoxBlocks<T>) -> Option<Side<'s, T>> {
        Side::of_hull(self.0[pick], scale)
    }
    #[inline(always)]
    fn small<L: Lanes>(&self, _: [L; 3], scale: L, picks: &[usize; MAX_WIDTH], small: &mut Small<S, L>) {
        let (mut there, mut most) = (0, [1; 2]);
        // Where there is nothing small there is something to read.
        let mut sides = [None; MAX_WIDTH];
        for lane in 0..L::WIDTH {
            let hull = self.0[picks[lane]];
            let side = Side::<L::Scalar>::of_hull(hull, L::Scalar::ONE);
            if let (Some(side), Some(facets)) = (side, hull.facets()) {
                let size = [hull.len(), facets.len()];
                if size[0].max(size[1]) <= MAX_WIDTH {
                    there |= 1 << lane;
                    most = [most[0].max(size[0]), most[1].max(size[1])];
                    sides[lane] = Some(side);
                }
            }
        }
        let Some(any) = sides.iter().flatten().next().copied() else {
            return;
        };
        small.fill(
            L::Mask::from_bits(there),
            most,
            scale,
            #[inline(always)]
            |lane| sides[lane].unwrap_or(any).points.blocks,
            #[inline(always)]
            |lane| sides[lane].unwrap_or(any).nodes,
        );
    }
}

/// The depth of overlapping polytopes.
#[derive(Debug)]
pub struct PolytopeDepth<'r, A, B, S: Space, T: Scalar> {
    /// A's family.
    pub a: A,
    /// B's.
    pub b: B,
    /// What GJK met of each pick.
    pub met: &'r [Met<S, T>],
    /// Memory.
    pub room: &'r RefCell<Room<T>>,
}

/// A space in which depths of polytopes can be searched.
pub trait PolytopeSpace: SolveSpace + ArcSpace {}
impl PolytopeSpace for D2 {}
impl PolytopeSpace for D3 {}

impl<S, T, A, B> OneByOne<S, T> for PolytopeDepth<'_, A, B, S, T>
where
    S: PolytopeSpace,
    T: Precision,
    A: PolytopeFamily<S>,
    B: PolytopeFamily<S>,
{
    type A = A;
    type B = B;

    #[inline(always)]
    fn families(&self) -> (&A, &B) {
        (&self.a, &self.b)
    }

    #[inline(always)]
    fn together<L: Lanes<Scalar = T>>(
        &self,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Option<Together<S, L>> {
        // In space crossings of edges count as well, and are too many.
        if S::DIMENSION > 2 {
            return None;
        }
        let (mut a, mut b) = (Small::default(), Small::default());
        self.a.small(pair.numbers[0], pair.scale, picks, &mut a);
        self.b.small(pair.numbers[1], pair.scale, picks, &mut b);
        (a.there & b.there).any().then(
            #[inline(always)]
            || small::least_sides([&a, &b], pair.offset, pair.turn, pair.magnitude),
        )
    }

    #[inline(always)]
    fn deepest<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lane: usize,
        pick: usize,
        [blocks_a, blocks_b]: &mut [BoxBlocks<T>; 2],
    ) -> Option<Deepest<S, T>> {
        let scale = rows.scale[lane];
        let placed = Placed {
            a: self.a.side(rows.numbers(0, lane), scale, pick, blocks_a)?,
            b: self.b.side(rows.numbers(1, lane), scale, pick, blocks_b)?,
            offset: rows.offset::<S>(lane),
            turn: rows.turn(lane),
            magnitude: rows.magnitude[lane],
        };
        search::<S, L>(&placed, &self.met[pick], &mut self.room.borrow_mut())
    }
}
