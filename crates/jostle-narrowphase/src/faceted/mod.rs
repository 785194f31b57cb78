//! The least depth of a frustum and a polytope: everywhere it can be is looked at.
//!
//! Over unit vectors m from the polytope to the frustum the depth is least
//!
//! - along the frustum's axis (a cap against a corner),
//! - along the normal of a face (a face against a rim),
//! - on the *ridge*, the circle of directions along which the frustum's side is its support: against a corner or an edge,
//! - on the arc of directions along which an edge is the polytope's support: against a rim ([`edges`]),
//!
//! and nowhere else: between those the supports are a corner and a point of a rim, and a turn along the meridian always
//! makes the depth less. Each kind has a closed form but the last, which is a search over one angle. One pair at a time,
//! SIMD across the faces, corners and edges of the polytope; the values that win are true supports.

mod edges;
mod round;
#[cfg(test)]
mod tests;

use core::cell::RefCell;

use jostle_lanes::{D3, Lanes, Least, Rot3, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use crate::class::Precision;
use crate::families::Families;
use crate::noise::{APART, CONVERGED, noise};
use crate::one_by_one::{Deepest, OneByOne, Rows};
use crate::polytope::{Room, Side, load3, node_block};
use crate::solve::SolveSpace;
use round::Round;

/// The least depth, in the polytope's frame.
#[derive(Clone, Copy, Debug)]
struct Found<T: Scalar> {
    /// Unit vector from the polytope to the frustum.
    normal: Vec3<T>,
    depth: T,
    /// A point of the polytope's edge and what leads to its other end, if an edge touches.
    edge: Option<[Vec3<T>; 2]>,
}

/// One pair in the polytope's frame, scaled.
#[derive(Clone, Copy, Debug)]
struct Placed<'s, T: Scalar> {
    polytope: Side<'s, T>,
    round: Round<T>,
    magnitude: T,
}

impl<T: Scalar> Placed<'_, T> {
    /// The depth along a direction, and the polytope's support.
    #[inline(always)]
    fn depth<L: Lanes<Scalar = T>>(&self, normal: Vec3<T>) -> (T, Vec3<T>) {
        let corner = self.polytope.support::<D3, L>(normal);
        (corner.dot(normal) + self.round.beyond(normal), corner)
    }

    /// The best of the two ends of the axis.
    #[inline(always)]
    fn along_axis<L: Lanes<Scalar = T>>(&self) -> Found<T> {
        let axis = self.round.axis();
        let (up, down) = (self.depth::<L>(axis).0, self.depth::<L>(-axis).0);
        let (normal, depth) = if down < up { (-axis, down) } else { (axis, up) };
        Found { normal, depth, edge: None }
    }

    /// The best face.
    #[inline(always)]
    fn faces<L: Lanes<Scalar = T>>(&self, best: &mut Found<T>) {
        let (round, scale) = (self.round.in_lanes::<L>(), L::splat(self.polytope.scale));
        let mut least = Least::<L>::new();
        for block in self.polytope.nodes.chunks_exact(node_block::<D3>()) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let normal = load3::<L>(block, MAX_WIDTH, 0, start);
                let reach = L::load(&block[3 * MAX_WIDTH + start..4 * MAX_WIDTH]);
                least.see(reach * scale + round.beyond(normal));
                start += L::WIDTH;
            }
        }
        let (depth, node) = least.found();
        if depth < best.depth {
            *best = Found { normal: self.polytope.normal::<D3>(node), depth, edge: None };
        }
    }

    /// The corner against the side. Along the ridge each corner alone makes a depth that is least towards the axis, and the
    /// largest of all is the true one: so only the corner whose least is the largest can be the one.
    #[inline(always)]
    fn corner<L: Lanes<Scalar = T>>(&self, best: &mut Found<T>) {
        let (round, scale) = (self.round.in_lanes::<L>(), L::splat(self.polytope.scale));
        let mut least = Least::<L>::new();
        for block in self.polytope.points.blocks.chunks_exact(3 * MAX_WIDTH) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let point = load3::<L>(block, MAX_WIDTH, 0, start) * scale;
                least.see(-round.least_on_ridge(point));
                start += L::WIDTH;
            }
        }
        let (_, corner) = least.found();
        let normal = self.round.ridge_at(self.polytope.point::<D3>(corner));
        let depth = self.depth::<L>(normal).0;
        if depth < best.depth {
            *best = Found { normal, depth, edge: None };
        }
    }

    /// The polytope's point that touches, if one of those that suggest themselves fits.
    #[inline(always)]
    fn touch<L: Lanes<Scalar = T>>(&self, found: &Found<T>) -> (Vec3<T>, bool) {
        let Found { normal, depth, edge } = *found;
        let tolerance = noise(APART / 2.0, self.magnitude);
        let round = &self.round;
        let rim = round.centre - round.support(normal) + normal * depth;
        if self.polytope.outside::<D3, L>(rim) <= tolerance {
            return (rim, true);
        }
        let corner = self.depth::<L>(normal).1;
        if round.clearance(corner - normal * depth) >= -tolerance {
            return (corner, true);
        }
        if let Some([from, along]) = edge {
            let [lower, upper] = round.side_line(normal);
            let (start, line) = (round.centre - lower + normal * depth, lower - upper);
            let cross = along.cross(line);
            let share = (start - from).cross(line).dot(cross) / cross.length_squared();
            let point = from + along * share;
            let fits = self.polytope.outside::<D3, L>(point) <= tolerance
                && round.clearance(point - normal * depth) >= -tolerance;
            return (point, fits);
        }
        (corner, false)
    }

    #[inline(always)]
    fn search<L: Lanes<Scalar = T>>(&self, alive: &mut Vec<u16>) -> Option<(Found<T>, bool)> {
        let mut best = self.along_axis::<L>();
        self.faces::<L>(&mut best);
        self.corner::<L>(&mut best);
        let weakest = edges::offer::<L>(self, &mut best, alive);
        // Not `>`: what is NaN is no answer.
        (best.depth < T::INFINITY).then_some((best, weakest < best.depth - noise(CONVERGED / 2.0, self.magnitude)))
    }
}

/// The depth of overlapping frustums and polytopes.
pub struct FacetedDepth<'r, S: Space, T: Scalar> {
    /// What the two are.
    pub families: Families<'r, S>,
    /// Which of them are the polytopes.
    pub side: usize,
    /// Memory.
    pub room: &'r RefCell<Room<S, T>>,
}

impl<S: SolveSpace, T: Precision> OneByOne<S, T> for FacetedDepth<'_, S, T> {
    type Kept<L: Lanes> = ();

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn deepest<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lanes: &[usize],
        picks: &[usize; MAX_WIDTH],
        ahead: impl Fn(usize),
        mut tell: impl FnMut(usize, Deepest<S, T>),
    ) {
        let Room { alive, blocks, .. } = &mut *self.room.borrow_mut();
        let [blocks, _] = &mut blocks[0];
        for (place, &lane) in lanes.iter().enumerate() {
            ahead(place);
            let (scale, magnitude) = (rows.scale[lane], rows.magnitude[lane]);
            let numbers = rows.numbers(self.side, lane);
            let Some(polytope) = self.families[self.side].side(numbers, scale, picks[lane], blocks) else {
                continue;
            };
            let [base_radius, half_height, top_radius] = rows.numbers(1 - self.side, lane);
            let two = Two {
                polytope,
                frustum: [half_height, base_radius, top_radius],
                polytope_first: self.side == 0,
                turn: rows.turn(lane),
                offset: widened(rows.offset::<S>(lane)),
                magnitude,
            };
            if let Some(deepest) = two.deepest::<S, L>(alive) {
                tell(lane, deepest);
            }
        }
    }
}

/// A polytope and a frustum, in the first's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Two<'s, T: Scalar> {
    /// The one.
    pub polytope: Side<'s, T>,
    /// The other: half height, radius of the base, of the top.
    pub frustum: [T; 3],
    /// Which is the first of the two.
    pub polytope_first: bool,
    /// How the second is turned.
    pub turn: Rot3<T>,
    /// Where it is.
    pub offset: Vec3<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

impl<T: Scalar> Two<'_, T> {
    /// Their least depth, as the first sees it; `alive` is room for a list. None if the numbers make no sense.
    #[inline(always)]
    pub fn deepest<S: Space, L: Lanes<Scalar = T>>(&self, alive: &mut Vec<u16>) -> Option<Deepest<S, T>> {
        let Self { polytope, frustum, polytope_first: first, turn, offset, magnitude } = *self;
        let back = turn.inverse_times(Rot3::identity());
        let (seen, centre) = if first { (turn, offset) } else { (back, -back.rotate(offset)) };
        let placed = Placed { polytope, round: Round::new(frustum, seen, centre), magnitude };
        let (found, uncertain) = placed.search::<L>(alive)?;
        let (point, fits) = placed.touch::<L>(&found);
        let (normal, a) = if first {
            (found.normal, point)
        } else {
            (-turn.rotate(found.normal), turn.rotate(point - found.normal * found.depth) + offset)
        };
        Some(Deepest { normal: narrowed::<S, T>(normal), depth: found.depth, a: narrowed::<S, T>(a), fits, uncertain })
    }
}

/// A vector of space, as space has it.
#[inline(always)]
pub fn widened<L: Lanes, V: Vector<L>>(v: V) -> Vec3<L> {
    Vec3 { x: v.get(0), y: v.get(1), z: v.get(2) }
}

/// The same as its own space has it.
#[inline(always)]
pub fn narrowed<S: Space, L: Lanes>(v: Vec3<L>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| v.get(k),
    )
}
