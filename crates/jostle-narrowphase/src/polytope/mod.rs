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

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Lanes, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::answer::Answer;
use crate::boxes::Axis;
use crate::class::Precision;
use crate::frame::PairLanes;
use crate::gjk::{Cores, Met};
use crate::noise::{APART, CONVERGED, noise};
use crate::solve::{BoxFamily, Distance, Family, HullFamily, Solve, SolveSpace};
pub use arcs::ArcSpace;
pub use side::{BoxBlocks, Side};

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

/// The least depth.
#[derive(Clone, Copy, Debug)]
pub struct Deepest<S: Space, T: Scalar> {
    /// Unit vector from A to B, in A's frame.
    pub normal: S::Vector<T>,
    /// How far B has to move along it.
    pub depth: T,
    /// A's point that lies deepest in B, most likely.
    pub a: S::Vector<T>,
    /// True if that point, and its counterpart, are where they have to be.
    pub fits: bool,
    /// True if an axis that this precision cannot evaluate might be better.
    pub uncertain: bool,
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
    halves[0].learn::<L, 4>([p.a - p.w, q.a - q.w, r.a - r.w, s.a - s.w]);
    let points =
        [back.rotate(p.a - offset), back.rotate(q.a - offset), back.rotate(r.a - offset), back.rotate(s.a - offset)];
    halves[1].learn::<L, 4>(points);
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
    let other = turn.unrotate(point - normal * depth - offset);
    let outside = Lanes::max(a.outside::<S, L>(point), b.outside::<S, L>(other));
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
}

impl<S: Space> PolytopeFamily<S> for HullFamily<'_, S> {
    #[inline(always)]
    fn side<'s, T: Scalar>(&'s self, _: [T; 3], scale: T, pick: usize, _: &'s mut BoxBlocks<T>) -> Option<Side<'s, T>> {
        Side::of_hull(self.0[pick], scale)
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

/// A packet's numbers where one lane's can be read.
struct Rows<T> {
    scale: [T; MAX_WIDTH],
    magnitude: [T; MAX_WIDTH],
    offset: [[T; MAX_WIDTH]; 3],
    turn: [[T; MAX_WIDTH]; 9],
    numbers: [[[T; MAX_WIDTH]; 3]; 2],
}

impl<T: Scalar> Rows<T> {
    #[inline(always)]
    fn store<S: SolveSpace, L: Lanes<Scalar = T>>(pair: &PairLanes<S, L>) -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        let mut rows =
            Self { scale: zero, magnitude: zero, offset: [zero; 3], turn: [zero; 9], numbers: [[zero; 3]; 2] };
        pair.scale.store(&mut rows.scale);
        pair.magnitude.store(&mut rows.magnitude);
        for k in 0..S::DIMENSION {
            pair.offset.get(k).store(&mut rows.offset[k]);
            pair.numbers[0][k].store(&mut rows.numbers[0][k]);
            pair.numbers[1][k].store(&mut rows.numbers[1][k]);
        }
        for k in 0..S::Rotation::<L>::ENTRIES {
            pair.turn.entry(k).store(&mut rows.turn[k]);
        }
        rows
    }

    #[inline(always)]
    fn numbers(&self, side: usize, lane: usize) -> [T; 3] {
        let [x, y, z] = &self.numbers[side];
        [x[lane], y[lane], z[lane]]
    }
}

/// A space in which depths of polytopes can be searched.
pub trait PolytopeSpace: SolveSpace + ArcSpace {}
impl PolytopeSpace for D2 {}
impl PolytopeSpace for D3 {}

impl<S, T, A, B> Solve<S, Distance<'_, S, T>> for PolytopeDepth<'_, A, B, S, T>
where
    S: PolytopeSpace,
    T: Precision,
    A: PolytopeFamily<S>,
    B: PolytopeFamily<S>,
{
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, (): (), pair: &PairLanes<S, L>, picks: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        let mut room = self.room.borrow_mut();
        let (mut blocks_a, mut blocks_b) = (BoxBlocks::default(), BoxBlocks::default());
        let mut normal = [[T::ZERO; MAX_WIDTH]; 3];
        let mut a = [[T::ZERO; MAX_WIDTH]; 3];
        let mut depth = [T::ZERO; MAX_WIDTH];
        let (mut found, mut fits) = (0_u32, 0_u32);
        let rows = Rows::<T>::store::<S, L>(pair);
        for lane in 0..L::WIDTH {
            // What is beyond the last repeats it.
            if lane > 0 && picks[lane] == picks[lane - 1] {
                break;
            }
            let pick = picks[lane];
            let scale = rows.scale[lane];
            let side_a = self.a.side(rows.numbers(0, lane), scale, pick, &mut blocks_a);
            let side_b = self.b.side(rows.numbers(1, lane), scale, pick, &mut blocks_b);
            let (Some(side_a), Some(side_b)) = (side_a, side_b) else { continue };
            let placed = Placed {
                a: side_a,
                b: side_b,
                offset: S::Vector::from_fn(
                    #[inline(always)]
                    |k| rows.offset[k][lane],
                ),
                turn: S::Rotation::from_entries(
                    #[inline(always)]
                    |k| rows.turn[k][lane],
                ),
                magnitude: rows.magnitude[lane],
            };
            if let Some(deepest) = search::<S, L>(&placed, &self.met[pick], &mut room) {
                for k in 0..S::DIMENSION {
                    normal[k][lane] = deepest.normal.get(k);
                    a[k][lane] = deepest.a.get(k);
                }
                depth[lane] = deepest.depth;
                found |= u32::from(!deepest.uncertain) << lane;
                fits |= u32::from(deepest.fits) << lane;
            }
        }
        let vector = |columns: &[[T; MAX_WIDTH]; 3]| {
            S::Vector::from_fn(
                #[inline(always)]
                |k| L::load(&columns[k]),
            )
        };
        let found = L::Mask::from_bits(found);
        let axis = Axis { normal: vector(&normal), depth: L::load(&depth), uncertain: !found };
        let fits = L::Mask::from_bits(fits);
        let proved = Answer::freed(pair, &axis, vector(&a), fits);
        let rest = found & !fits;
        if !rest.any() {
            return proved;
        }
        // Flat against each other: the points that the search ended on need not face each other.
        let core_a = self.a.pack(pair.numbers[0], pair.scale, picks);
        let core_b = self.b.pack(pair.numbers[1], pair.scale, picks);
        let cores = Cores { a: &core_a, b: &core_b, offset: pair.offset, turn: pair.turn };
        let inside = Answer::inside(pair, &cores, &axis, rest);
        Answer {
            a: S::Vector::select(rest, inside.a, proved.a),
            settled: (rest & inside.settled) | (!rest & proved.settled),
            ..proved
        }
    }
}
