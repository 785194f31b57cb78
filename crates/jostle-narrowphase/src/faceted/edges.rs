//! The depth along the arcs of a polytope's Gauss map: an edge against the frustum's side or one of its rims.
//!
//! Seen along the edge a rim is an ellipse, the edge a point inside it, and the depth the distance of the point from
//! the ellipse: a function of one angle with at most two valleys. Where the arc crosses the frustum's ridge, the edge
//! meets its side: two directions in closed form. Most arcs need not be searched ([`arcs`](super::arcs)); those of a
//! packet's pairs that do are searched W at a time, whosever they are: pair by pair it was three times the time, with
//! one lane in twenty at work.

use jostle_lanes::{Lanes, Mask, Rot3, Scalar, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::arcs::PairArc;
use super::placed::{FoundDepth, PlacedFrustum};
use super::round::Round;
use super::underway::Underway;
use crate::curved::arc::{Arc, Curve, descend};
use crate::curved::pursuit::pursuit;
use crate::curved::valleys::{CurveValley, direction_2d, halfway, turns, valleys};
use crate::curved::view::{Frustum, tiny};

/// W arcs, each in the plane across its edge.
#[derive(Clone, Copy, Debug)]
struct EdgePlane<L: Lanes> {
    /// Unit vectors: as far along the frustum's axis as there are, and to the left of that.
    first: Vec3<L>,
    second: Vec3<L>,
    /// The axis along those two.
    axis: [L; 2],
    /// The squared part of the axis along the edge, and across it.
    lean: [L; 2],
    /// The edge, seen from the frustum.
    point: [L; 2],
    /// Where the arc begins and ends, counter-clockwise.
    ends: [[L; 2]; 2],
}

#[inline(always)]
fn choose<L: Lanes>(mask: L::Mask, a: [L; 2], b: [L; 2]) -> [L; 2] {
    [L::select(mask, a[0], b[0]), L::select(mask, a[1], b[1])]
}

impl<L: Lanes> EdgePlane<L> {
    #[inline(always)]
    fn new(round: &Round<L>, ends: [Vec3<L>; 2], point: Vec3<L>, edge: Vec3<L>) -> Self {
        let one = L::one();
        // Short edges are as unsure of their direction as close faces are.
        let cross = ends[0].cross(ends[1]);
        let edge = Vec3::select(edge.length_squared().gt(cross.length_squared()), edge, cross);
        let edge = edge * (one / edge.length_squared().sqrt());
        let axis = round.axis();
        let part = axis.dot(edge);
        let across = axis - edge * part;
        let squared = across.length_squared();
        // Along the axis all directions are alike. Not so as soon as it shows: an edge that leans by k gains k / 2 of
        // its length where it crosses the ridge. (Rounding turns `across` by a round-off over k, which then moves
        // depths by a round-off.)
        let least = 16.0 * L::Scalar::UNIT_ROUNDOFF.to_f64();
        let leans = squared.gt(L::constant(least * least));
        let first = Vec3::select(leans, across, ends[0] - edge * ends[0].dot(edge));
        let first = first - edge * first.dot(edge);
        let first = first * (one / first.length_squared().sqrt());
        let second = edge.cross(first);
        let from = direction_2d(ends[0].dot(first), ends[0].dot(second));
        let to = direction_2d(ends[1].dot(first), ends[1].dot(second));
        let left = turns(from, to).ge(L::zero());
        let point = point - round.centre;
        Self {
            first,
            second,
            axis: [axis.dot(first), axis.dot(second)],
            lean: [L::select(leans, part * part, one), L::select(leans, squared, L::zero())],
            point: [point.dot(first), point.dot(second)],
            ends: [choose(left, from, to), choose(left, to, from)],
        }
    }

    #[inline(always)]
    fn direction(&self, [cosine, sine]: [L; 2]) -> Vec3<L> {
        self.first * cosine + self.second * sine
    }

    /// The depth along a direction of the arc.
    #[inline(always)]
    fn depth(&self, round: &Round<L>, at: [L; 2]) -> L {
        self.point[0] * at[0] + self.point[1] * at[1] + round.reach(self.direction(at))
    }

    /// True for directions on the arc, or within rounding of it.
    #[inline(always)]
    fn holds(&self, at: [L; 2]) -> L::Mask {
        let [from, to] = self.ends;
        let level = L::constant(-8.0 * L::Scalar::UNIT_ROUNDOFF.to_f64());
        let ahead = (from[0] + to[0]) * at[0] + (from[1] + to[1]) * at[1];
        turns(from, at).ge(level) & turns(at, to).ge(level) & ahead.gt(L::zero())
    }

    /// The part of the depth that one rim makes.
    #[inline(always)]
    fn rim(&self, [height, radius]: [L; 2]) -> Rim<L> {
        let linear = [self.point[0] + height * self.axis[0], self.point[1] + height * self.axis[1]];
        Rim { linear, radius, lean: self.lean }
    }
}

/// The depth along W arcs for one rim: `linear . at + radius |the part of the direction across the axis|`.
#[derive(Clone, Copy, Debug)]
struct Rim<L: Lanes> {
    linear: [L; 2],
    radius: L,
    lean: [L; 2],
}

impl<L: Lanes> Rim<L> {
    /// The same arc, begun where a narrow valley beside the direction of the cap has its bottom: there the rim's part
    /// is the root of sine^2 + flat, and the rest is nearly straight.
    #[inline(always)]
    fn started(&self, arc: &Arc<L>, cap: [L; 2]) -> Arc<L> {
        let linear = self.linear[1];
        let room = self.radius * self.radius - linear * linear;
        let narrow = room.gt(L::zero()) & self.lean[0].lt(L::constant(0.0625));
        let sine = -(linear * (self.lean[0] / L::select(narrow, room, L::one())).sqrt());
        let bottom = direction_2d(cap[0], sine);
        let start = turns(arc.from, bottom) * arc.way;
        let ahead = arc.from[0] * bottom[0] + arc.from[1] * bottom[1];
        let there = narrow & ahead.gt(L::constant(0.5)) & start.ge(L::zero()) & start.le(arc.width);
        Arc { start: L::select(there, start, arc.start), ..*arc }
    }
}

impl<L: Lanes> Curve<L> for Rim<L> {
    #[inline(always)]
    fn slope(&self, cosine: L, sine: L) -> [L; 2] {
        let [flat, steep] = self.lean;
        let (cc, ss) = (cosine * cosine, sine * sine);
        let share = L::one() / (ss + flat * cc).sqrt().max(tiny());
        let turn = steep * cosine * sine * share;
        let bend = (steep * (cc - ss) - turn * turn) * share;
        [
            self.linear[1] * cosine - self.linear[0] * sine + self.radius * turn,
            self.radius * bend - self.linear[0] * cosine - self.linear[1] * sine,
        ]
    }
}

/// The best direction on each of W arcs.
#[derive(Clone, Copy, Debug)]
struct BestOfArc<L: Lanes> {
    depth: L,
    at: [L; 2],
    /// No valley whose bottom was not found is deeper than this.
    weakest: L,
}

impl<L: Lanes> BestOfArc<L> {
    #[inline(always)]
    fn offer(&mut self, plane: &EdgePlane<L>, round: &Round<L>, at: [L; 2], allowed: L::Mask) {
        let depth = plane.depth(round, at);
        let better = allowed & depth.lt(self.depth);
        self.depth = L::select(better, depth, self.depth);
        self.at = choose(better, at, self.at);
    }

    #[inline(always)]
    fn of(plane: &EdgePlane<L>, round: &Round<L>, noise: L) -> Self {
        let (zero, one) = (L::zero(), L::one());
        let infinity = L::splat(L::Scalar::INFINITY);
        let mut best = Self { depth: infinity, at: [one, zero], weakest: infinity };
        // On the ridge.
        let [along, steep] = round.body.side();
        let leans = plane.lean[1].gt(zero);
        let cosine = along / L::select(leans, plane.axis[0], one);
        // Of a flat cone the ridge is close to the axis: what one less the square of the cosine leaves of an edge
        // across it is rounding.
        let upright = plane.lean[1].gt(L::constant(0.5));
        let exact = (steep * steep - plane.lean[0]) / L::select(upright, plane.lean[1], one);
        let squared = L::select(upright, exact, one - cosine * cosine);
        let sine = squared.max(zero).sqrt();
        let crosses = leans & squared.ge(zero);
        for sine in [sine, -sine] {
            best.offer(plane, round, [cosine, sine], crosses & plane.holds([cosine, sine]));
        }
        // Against the rims.
        let middle = halfway(plane.ends[0], plane.ends[1]);
        // The cap's direction, if the arc passes by.
        let cap = [one.copysign(middle[0]), zero];
        let passes = plane.lean[0].lt(L::constant(0.25)) & plane.holds(cap);
        let middle = choose(passes, cap, middle);
        let [_, steps, _] = pursuit::<L::Scalar>().steps;
        for upper in [false, true] {
            let rim = plane.rim(round.body.rim(L::Mask::splat(upper)));
            let round_rim = rim.radius.gt(zero);
            for CurveValley { arc, there } in valleys(&rim, plane.ends, middle) {
                let there = there & round_rim;
                if !there.any() {
                    continue;
                }
                let arc = rim.started(&arc, cap);
                let (bottom, falls) = descend(&rim, &arc, steps);
                let there = there & falls;
                best.offer(plane, round, bottom, there);
                // What is left to fall, as far as slope and curvature know.
                let [slope, curvature] = rim.slope(bottom[0], bottom[1]);
                let rest = slope.abs() * arc.width.min(slope.abs() / curvature.max(tiny()));
                let guess = plane.depth(round, bottom) - rest;
                // Of an edge across the axis the bottom is the cap's direction itself.
                let edged = (plane.lean[0].sqrt() * rim.radius).le(noise);
                let open = there & rest.gt(noise) & !edged;
                best.weakest = L::select(open, guess.min(best.weakest), best.weakest);
            }
        }
        best
    }
}

/// Numbers of W arcs: the normals at their ends, a point of their edge, the way to its other end; and of the frustums
/// that they are searched against: three lengths, the centre, the columns of the rotation.
type LaneRows<T> = [[T; MAX_WIDTH]; NUMBERS_PER_ARC];
const NUMBERS_PER_ARC: usize = 28;
const LENGTHS: usize = 12;
const CENTRE: usize = 15;
const COLUMNS: usize = 18;
const GAIN: usize = 27;

#[inline(always)]
fn wide<L: Lanes>(rows: &LaneRows<L::Scalar>, first: usize) -> Vec3<L> {
    Vec3 { x: L::load(&rows[first]), y: L::load(&rows[first + 1]), z: L::load(&rows[first + 2]) }
}

#[inline(always)]
fn narrow<T: Scalar>(rows: &LaneRows<T>, first: usize, lane: usize) -> Vec3<T> {
    Vec3 { x: rows[first][lane], y: rows[first + 1][lane], z: rows[first + 2][lane] }
}

/// Offers what is best along `arcs`, up to W of them, to their pairs.
#[inline(always)]
pub fn offer<L: Lanes>(pairs: &mut [Option<Underway<'_, L::Scalar>>], arcs: &[PairArc]) {
    let mut rows: LaneRows<L::Scalar> = [[L::Scalar::ZERO; MAX_WIDTH]; NUMBERS_PER_ARC];
    for lane in 0..L::WIDTH {
        // Beyond the last, the last one again.
        let PairArc { pair, number } = arcs[lane.min(arcs.len() - 1)];
        let Some(Underway { pair: PlacedFrustum { polytope, round, .. }, gain, .. }) = &pairs[usize::from(pair)] else {
            continue;
        };
        let ([from, to], [one, other]) = (polytope.edge(number.into()), polytope.ends(number.into()));
        let Frustum { half, base, top } = round.body;
        let [x, y, z] = round.rotation.columns;
        let lengths = Vec3 { x: half, y: base, z: top };
        for (group, vector) in [one, other, from, to - from, lengths, round.centre, x, y, z].into_iter().enumerate() {
            for k in 0..3 {
                rows[3 * group + k][lane] = vector.get(k);
            }
        }
        rows[GAIN][lane] = *gain;
    }
    let Vec3 { x: half, y: base, z: top } = wide(&rows, LENGTHS);
    let columns = [wide(&rows, COLUMNS), wide(&rows, COLUMNS + 3), wide(&rows, COLUMNS + 6)];
    let (body, rotation) = (Frustum { half, base, top }, Rot3 { columns });
    let round = Round { body, rotation, centre: wide(&rows, CENTRE) };
    let plane = EdgePlane::new(&round, [wide(&rows, 0), wide(&rows, 3)], wide(&rows, 6), wide(&rows, 9));
    let found = BestOfArc::of(&plane, &round, L::load(&rows[GAIN]));
    let normal = plane.direction(found.at);
    for (lane, arc) in arcs.iter().enumerate() {
        let Some(Underway { pair, best, weakest, gain }) = &mut pairs[usize::from(arc.pair)] else {
            continue;
        };
        let doubt = found.weakest.lane(lane);
        *weakest = if doubt < *weakest { doubt } else { *weakest };
        if found.depth.lane(lane) >= best.depth - *gain {
            continue;
        }
        let normal = Vec3 { x: normal.x.lane(lane), y: normal.y.lane(lane), z: normal.z.lane(lane) };
        let normal = normal * (L::Scalar::ONE / normal.length_squared().sqrt());
        let depth = pair.depth::<L>(normal).0;
        if depth < best.depth {
            let edge = [narrow(&rows, 6, lane), narrow(&rows, 9, lane)];
            *best = FoundDepth { normal, depth, edge: Some(edge) };
        }
    }
}
