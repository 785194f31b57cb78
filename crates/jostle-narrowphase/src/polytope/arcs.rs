//! The depth where an arc of A's Gauss map crosses one of B's, turned around: edge against edge.
//!
//! Most arcs die early: one known point of the other that shows both ends of an arc to be no better than the best depth
//! shows it for all that lies between. Where nodes are few, those that a point rules out are a set of bits, and so are the two ends of
//! an arc: a block of faces is read once in place of one copy for each arc. Of what survives every pair is held against every other, a register at a time,
//! and each crossing that would be better is asked for its true support: only that value counts, so a crossing that
//! rounding made up costs time and nothing else. Of two nearly parallel edges the crossing is mostly rounding; where one
//! might win in `f32`, the caller is told and asks a wider type, which takes care that what is left of rounding turns the
//! direction about the edges and not along them.

use jostle_lanes::{D2, D3, Lanes, Mask, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::nodes::{Half, KEPT};
use super::side::{Planes, splat};
use crate::boxes::weak_sines;
use crate::noise::{CONVERGED, FORWARD, noise};

/// Memory for the arcs that survive.
#[derive(Debug, Default)]
pub struct Room<T> {
    alive: [Vec<u16>; 2],
    /// B's survivors in A's frame: see [`COLUMNS`].
    columns: Vec<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for so many arcs.
    pub fn reserve(&mut self, arcs: usize) {
        let padded = arcs.next_multiple_of(MAX_WIDTH);
        for alive in &mut self.alive {
            // Blocks are listed behind the arcs.
            alive.reserve_exact((padded + padded / MAX_WIDTH).saturating_sub(alive.len()));
        }
        self.columns.reserve_exact((COLUMNS * padded).saturating_sub(self.columns.len()));
    }
}

impl<T> Room<T> {
    /// Room for a list of arcs.
    #[inline(always)]
    pub fn alive(&mut self) -> &mut Vec<u16> {
        &mut self.alive[0]
    }
}

/// Both ends of the arc, the edge and its first point: three coordinates each; and what the edge is to be multiplied with.
const COLUMNS: usize = 13;

/// A crossing that is better than any node.
#[derive(Clone, Copy, Debug)]
pub struct BestArc<S: Space, T: Scalar> {
    /// The depth: a true support.
    pub depth: T,
    /// Its direction, from A to B, in A's frame.
    pub normal: S::Vector<T>,
    /// The point of A's edge that is deepest.
    pub a: S::Vector<T>,
}

/// What the search over arcs found.
#[derive(Clone, Copy, Debug)]
pub struct Crossings<S: Space, T: Scalar> {
    /// The best crossing, if one is better than `best`.
    pub better: Option<BestArc<S, T>>,
    /// No crossing of nearly parallel edges is below this.
    pub weakest: T,
}

/// A space with its crossings.
pub trait ArcSpace: Space {
    /// Crossings of less depth than `best`.
    fn crossings<L: Lanes>(
        halves: &[Half<'_, '_, Self, L::Scalar>; 2],
        best: L::Scalar,
        magnitude: L::Scalar,
        room: &mut Room<L::Scalar>,
    ) -> Crossings<Self, L::Scalar>;
}

impl ArcSpace for D2 {
    #[inline(always)]
    fn crossings<L: Lanes>(
        _: &[Half<'_, '_, D2, L::Scalar>; 2],
        _: L::Scalar,
        _: L::Scalar,
        _: &mut Room<L::Scalar>,
    ) -> Crossings<D2, L::Scalar> {
        Crossings { better: None, weakest: L::Scalar::INFINITY }
    }
}

/// The arcs of a half that no known point rules out, and how many they are.
#[inline(always)]
fn survivors<L: Lanes>(half: &Half<'_, '_, D3, L::Scalar>, best: L::Scalar, alive: &mut Vec<u16>) -> usize {
    let (best, scale) = (L::splat(best), L::splat(half.side.scale));
    if !half.side.joins.is_empty() {
        return half.side.open_arcs::<L, KEPT>(alive, half.known(), best);
    }
    half.side.arcs_where::<L>(
        alive,
        #[inline(always)]
        |caps| {
            let mut ruled_out = L::Mask::splat(false);
            for &point in half.known().iter().rev() {
                let far = L::splat(point.length_squared().sqrt());
                ruled_out = ruled_out | caps.behind::<D3>(splat::<D3, L>(point), far).ge(best);
            }
            ruled_out
        },
        #[inline(always)]
        |from, to, start| {
            let (from, to) = (Planes::<D3, L>::new(from, start, scale), Planes::<D3, L>::new(to, start, scale));
            let mut open = L::Mask::splat(true);
            // Two at a time: mostly one is not enough, and whether it was nobody can guess.
            for points in half.known().rchunks(2) {
                let mut ruled_out = L::Mask::splat(false);
                for point in [points[0], points[points.len() - 1]] {
                    let point = splat::<D3, L>(point);
                    ruled_out = ruled_out | from.behind(point).ge(best) & to.behind(point).ge(best);
                }
                open = open & !ruled_out;
                if !open.any() {
                    break;
                }
            }
            open
        },
    )
}

/// W vectors from columns of `stride` numbers.
#[inline(always)]
pub fn load3<L: Lanes>(columns: &[L::Scalar], stride: usize, first: usize, start: usize) -> Vec3<L> {
    Vec3 {
        x: L::load(&columns[first * stride + start..]),
        y: L::load(&columns[(first + 1) * stride + start..]),
        z: L::load(&columns[(first + 2) * stride + start..]),
    }
}

/// At a right angle to two edges, to the last bit of either, however small the angle between them is.
#[inline(always)]
fn across<T: Scalar>(one: Vec3<T>, other: Vec3<T>) -> Vec3<T> {
    let share = T::ONE / one.length_squared();
    let off = other - one * (other.dot(one) * share);
    one.cross(off - one * (off.dot(one) * share))
}

/// An edge of a length of about one, and what it is to be multiplied with: products of very short ones have no digits left.
#[inline(always)]
fn lifted<T: Scalar>(edge: Vec3<T>) -> (Vec3<T>, T) {
    // Subnormal numbers have no power of two that could be inverted.
    let (lift, drop) = if T::UNIT_ROUNDOFF.to_f64() > 1e-10 {
        (f64::from_bits((1023 + 64) << 52), f64::from_bits((1023 - 64) << 52))
    } else {
        (f64::from_bits((1023 + 512) << 52), f64::from_bits((1023 - 512) << 52))
    };
    let largest = edge.abs().max_component();
    let (lift, drop) =
        if largest < T::from_f64(drop) { (T::from_f64(lift), T::from_f64(drop)) } else { (T::ONE, T::ONE) };
    let length = (largest * lift).power_of_two();
    if length > T::ZERO && length < T::INFINITY {
        (edge * lift * (T::ONE / length), length * drop)
    } else {
        (edge, T::ONE)
    }
}

/// True for the type that has the last word: nothing is weak there.
#[inline(always)]
fn widest<T: Scalar>() -> bool {
    T::UNIT_ROUNDOFF.to_f64() < 1e-10
}

impl ArcSpace for D3 {
    #[inline(always)]
    fn crossings<L: Lanes>(
        halves: &[Half<'_, '_, D3, L::Scalar>; 2],
        best: L::Scalar,
        magnitude: L::Scalar,
        room: &mut Room<L::Scalar>,
    ) -> Crossings<D3, L::Scalar> {
        let nothing = Crossings { better: None, weakest: L::Scalar::INFINITY };
        let Room { alive: [alive_a, alive_b], columns } = room;
        let count_a = survivors::<L>(&halves[0], best, alive_a);
        if count_a == 0 {
            return nothing;
        }
        let count_b = survivors::<L>(&halves[1], best, alive_b);
        if count_b == 0 {
            return nothing;
        }
        let alive = [&alive_a[..count_a], &alive_b[..count_b]];
        // Mostly there are one or two: to fill registers up for these takes longer than what is saved.
        if count_b <= FEW {
            meet::<L, L::Scalar>(halves, alive, best, magnitude, columns)
        } else {
            meet::<L, L>(halves, alive, best, magnitude, columns)
        }
    }
}

/// So few arcs are held against another's one by one.
const FEW: usize = 2;

/// Crossings of the arcs that survived, `W` of B's at a time; supports are `L` points at a time.
#[inline(always)]
fn meet<L: Lanes, W: Lanes<Scalar = L::Scalar>>(
    halves: &[Half<'_, '_, D3, L::Scalar>; 2],
    [alive_a, alive_b]: [&[u16]; 2],
    best: L::Scalar,
    magnitude: L::Scalar,
    columns: &mut Vec<L::Scalar>,
) -> Crossings<D3, L::Scalar> {
    let mut found = Crossings { better: None, weakest: L::Scalar::INFINITY };
    let count_b = alive_b.len();
    let (turn, offset) = (halves[0].turn, halves[0].offset);
    let (a, b) = (&halves[0].side, &halves[1].side);
    let stride = count_b.next_multiple_of(W::WIDTH);
    if columns.len() < COLUMNS * stride {
        columns.resize(COLUMNS * stride, L::Scalar::ZERO);
    }
    // What is NaN meets nothing.
    columns[..COLUMNS * stride].fill(L::Scalar::from_f64(f64::NAN));
    for (i, &index) in alive_b[..count_b].iter().enumerate() {
        let ([from, to], ends) = (b.edge(index as usize), b.ends(index as usize));
        let (edge, length) = lifted(to - from);
        let rows = [-turn.rotate(ends[0]), -turn.rotate(ends[1]), turn.rotate(edge), turn.rotate(from) + offset];
        columns[12 * stride + i] = length;
        for (group, row) in rows.into_iter().enumerate() {
            columns[(3 * group) * stride + i] = row.x;
            columns[(3 * group + 1) * stride + i] = row.y;
            columns[(3 * group + 2) * stride + i] = row.z;
        }
    }

    let (least_sine, weak_sine) = weak_sines::<L::Scalar>();
    let widest = widest::<L::Scalar>();
    let (least_sine, weak_sine) = (W::constant(least_sine * least_sine), W::constant(weak_sine * weak_sine));
    let rounding = W::splat(noise(FORWARD, magnitude));
    // Edges are differences of points: wrong by a few round-offs of the magnitude, however short.
    let level = W::splat(noise(FORWARD, magnitude));
    // A crossing is asked only if it is better by more than its value's own rounding.
    let gain = noise(CONVERGED / 2.0, magnitude);
    let mut best = best;
    let mut weakest = W::splat(L::Scalar::INFINITY);
    for &index in alive_a {
        let ([from, to], ends) = (a.edge(index as usize), a.ends(index as usize));
        let (edge, length) = lifted(to - from);
        let (edge_squared, length) = (W::splat(edge.length_squared()), W::splat(length));
        let middle_of_arc = ends[0] + ends[1];
        let middle = splat::<D3, W>(middle_of_arc);
        let (from_lanes, edge_lanes) = (splat::<D3, W>(from), splat::<D3, W>(edge));
        let ends = [splat::<D3, W>(ends[0]), splat::<D3, W>(ends[1])];
        let mut start = 0;
        while start < stride {
            let other_ends = [load3::<W>(columns, stride, 0, start), load3::<W>(columns, stride, 3, start)];
            let other_edge = load3::<W>(columns, stride, 6, start);
            let other_from = load3::<W>(columns, stride, 9, start);
            let here = start;
            start += W::WIDTH;
            let other_length = W::load(&columns[12 * stride + here..]);
            // Each arc has its ends on different sides of the other's great circle, or within rounding of it.
            let (p, q) = (other_ends[0].dot(edge_lanes) * length, other_ends[1].dot(edge_lanes) * length);
            let (r, s) = (ends[0].dot(other_edge) * other_length, ends[1].dot(other_edge) * other_length);
            let met = p.min(q).le(level) & p.max(q).ge(-level) & r.min(s).le(level) & r.max(s).ge(-level);
            if !met.any() {
                continue;
            }
            let across = edge_lanes.cross(other_edge);
            let across = across * W::one().copysign(across.dot(middle));
            let squared = across.length_squared();
            let product = edge_squared * other_edge.length_squared();
            let mut ahead = across.dot(other_ends[0] + other_ends[1]).gt(W::zero());
            if widest {
                // Which way a sharp angle's product points is rounding.
                ahead = ahead | squared.lt(W::constant(1e-6) * product);
            }
            let usable = met & squared.gt(least_sine * product) & ahead;
            if !usable.any() {
                continue;
            }
            let length = W::select(usable, squared, W::one()).sqrt();
            let value = (from_lanes - other_from).dot(across) / length;
            let strong = squared.gt(weak_sine * product);
            let guess = value - rounding * (W::select(usable, product, W::one()).sqrt() / length);
            weakest = W::select(usable & !strong, guess.min(weakest), weakest);
            let value = if widest { W::select(squared.lt(W::constant(0.01) * product), guess, value) } else { value };
            let mut bits = (usable & strong & value.lt(W::splat(best - gain))).to_bits();
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if value.lane(lane) >= best - gain {
                    continue;
                }
                let column = |k: usize| columns[k * stride + here + lane];
                let other_edge = Vec3 { x: column(6), y: column(7), z: column(8) };
                let mut across = Vec3 { x: across.x.lane(lane), y: across.y.lane(lane), z: across.z.lane(lane) };
                if widest {
                    across = self::across(edge, other_edge);
                    across = across * L::Scalar::ONE.copysign(across.dot(middle_of_arc));
                }
                let share = L::Scalar::ONE / across.length_squared().sqrt();
                let normal = across * share;
                let furthest = a.support::<D3, L>(normal);
                let against = turn.rotate(b.support::<D3, L>(turn.unrotate(-normal))) + offset;
                let depth = (furthest - against).dot(normal);
                if depth < best {
                    best = depth;
                    let other_from = Vec3 { x: column(9), y: column(10), z: column(11) };
                    let gap = other_from - from + normal * depth;
                    // Whichever way they point: both products with them change sign.
                    let along = gap.cross(other_edge).dot(across) / edge.cross(other_edge).dot(across);
                    found.better = Some(BestArc { depth, normal, a: from + edge * along });
                }
            }
        }
    }
    found.weakest = weakest.reduce_min();
    found
}
