//! Rims: where the edges of two caps cross, each inside the other body.
//!
//! There the least depth is between ridges, and both supports are single points. Between the rims of A and B it is a
//! distance: a local minimum of the distance of two circles (their second-order conditions are the same matrix up to
//! positive factors), and B's point there is nearer to A's axis than A's rim. So one angle is searched, that of the
//! point on B's rim. Three things keep the search short: the point lies between the plane of symmetry and B's centre;
//! it is no further from the plane of A's rim than the best depth known; and between two samples of the slope there is
//! rarely more than one valley, where a second one shows in the curvature. Rims that are nearly parallel have two
//! valleys close together, on either side of the line through their centres: one sample is on that line.
//!
//! Of a pair's eight arcs (four pairs of rims, two sides) one is left then: arcs are taken from their lanes and
//! searched in packets of their own.

use jostle_lanes::{Lanes, Mask, Scalar, Vec3, Vector, set_bits};
use jostle_shape::MAX_WIDTH;

use super::arc::{Curve, descend};
use super::valleys::{CurveValley, direction_2d, halfway, turns, valleys};
use super::view::{BestNormal, Frustum, View, tiny};
/// Half the squared distance from a point of B's rim to A's rim.
#[derive(Clone, Copy, Debug)]
struct Rims<L: Lanes> {
    /// From the plane of A's rim down to the centre of B's, along A's axis.
    height: L,
    /// The radius of A's rim.
    radius: L,
    /// The centre of B's rim, across A's axis.
    centre: [L; 2],
    /// How far the point moves along A's axis and across it.
    swing: [L; 2],
    /// The radius of B's rim.
    reach: L,
}

/// A place on B's rim: the nearest point of A's rim is `normal` away from it, if it is inside.
#[derive(Clone, Copy, Debug)]
struct Place<L: Lanes> {
    /// Half the squared distance, its slope and curvature.
    value: L,
    slope: L,
    curvature: L,
    /// From the point to the nearest one of A's rim: along A's axis, and out from it.
    gap: [L; 2],
    /// The direction out from A's axis.
    out: [L; 2],
}

impl<L: Lanes> Rims<L> {
    /// The upper or lower rims of the view's two bodies.
    #[inline(always)]
    fn new(view: &View<L>, upper: [L::Mask; 2]) -> Self {
        let [height_a, radius_a] = view.bodies[0].rim(upper[0]);
        let [height_b, radius_b] = view.bodies[1].rim(upper[1]);
        Self {
            height: height_a - view.offset.x + height_b * view.cosine,
            radius: radius_a,
            centre: [view.offset.y - height_b * view.sine, view.offset.z],
            swing: [view.sine * radius_b, view.cosine * radius_b],
            reach: radius_b,
        }
    }

    #[inline(always)]
    fn at(&self, cosine: L, sine: L) -> Place<L> {
        let (turn, lift, reach) = (self.swing[1], self.swing[0], self.reach);
        let (x, y) = (self.centre[0] - turn * cosine, self.centre[1] - reach * sine);
        let (dx, dy) = (turn * sine, -(reach * cosine));
        let (ddx, ddy) = (turn * cosine, reach * sine);
        let distance = (x * x + y * y).sqrt().max(tiny());
        let share = L::one() / distance;
        let move_out = (x * dx + y * dy) * share;
        let bend = (dx * dx + dy * dy + x * ddx + y * ddy - move_out * move_out) * share;
        let (up, out) = (self.height - lift * cosine, self.radius - distance);
        let (dup, ddup) = (lift * sine, lift * cosine);
        Place {
            value: (up * up + out * out) * L::constant(0.5),
            slope: up * dup - out * move_out,
            curvature: dup * dup + up * ddup + move_out * move_out - out * bend,
            gap: [up, out],
            out: [x * share, y * share],
        }
    }
}

impl<L: Lanes> Curve<L> for Rims<L> {
    #[inline(always)]
    fn slope(&self, cosine: L, sine: L) -> [L; 2] {
        let place = self.at(cosine, sine);
        [place.slope, place.curvature]
    }
}

/// The sine of the end of an arc, from its cosine.
#[inline(always)]
fn sine<L: Lanes>(cosine: L) -> L {
    (L::one() - cosine * cosine).max(L::zero()).sqrt()
}

/// Room for the arcs of W pairs.
const ARC_ROOM: usize = 8 * MAX_WIDTH;

/// Arcs taken from their lanes.
struct Queue<T: Scalar> {
    /// The lane of each, and in the bits above whether its rims are the upper ones of A and of B.
    owner: [u8; ARC_ROOM],
    /// The cosines that it lies between, falling.
    ends: [[T; ARC_ROOM]; 2],
    count: usize,
}

/// The first bit of an arc's owner that says which rims.
const RIMS: u32 = MAX_WIDTH.trailing_zeros();

impl<T: Scalar> Queue<T> {
    /// Takes the arcs that are true in `mask`.
    #[inline(always)]
    fn push<L: Lanes<Scalar = T>>(&mut self, mask: L::Mask, rims: usize, ends: [L; 2]) {
        let mut rows = [[T::ZERO; MAX_WIDTH]; 2];
        ends[0].store(&mut rows[0]);
        ends[1].store(&mut rows[1]);
        for lane in set_bits::<MAX_WIDTH>(mask.to_bits()) {
            let place = self.count % ARC_ROOM;
            self.owner[place] = (rims << RIMS | lane) as u8;
            self.ends[0][place] = rows[0][lane];
            self.ends[1][place] = rows[1][lane];
            self.count += 1;
        }
    }
}

/// Offers the crossings of rims.
#[inline(always)]
pub fn offer_rims<L: Lanes>(view: &View<L>, best: &mut BestNormal<L>, steps: u32) {
    let zero = L::zero();
    let one = L::one();
    let mut queue = Queue { owner: [0; ARC_ROOM], ends: [[L::Scalar::ZERO; ARC_ROOM]; 2], count: 0 };
    for number in 0..4 {
        let rims = Rims::new(view, [L::Mask::splat(number & 1 == 1), L::Mask::splat(number & 2 == 2)]);
        let round = rims.radius.gt(zero) & rims.reach.gt(zero);
        if !round.any() {
            continue;
        }
        // Between the plane of symmetry and B's centre.
        let middle = sine((view.offset.z / rims.reach.max(tiny())).min(one));
        // No further from A's plane than the best depth.
        let share = one / rims.swing[0].max(tiny());
        let (least, most) = ((rims.height - best.depth) * share, (rims.height + best.depth) * share);
        for ends in [[most.min(one), least.max(middle)], [most.min(-middle), least.max(-one)]] {
            // Nor can the point be nearer to A's rim than the middle of the arc is, but for half the arc.
            let edge = [ends[0], sine(ends[0])];
            let centre = halfway(edge, [ends[1], sine(ends[1])]);
            let (x, y) = (edge[0] - centre[0], edge[1] - centre[1]);
            let within = best.depth + rims.reach * (x * x + y * y).sqrt();
            let near = (rims.at(centre[0], centre[1]).value * L::constant(2.0)).le(within * within);
            queue.push(round & ends[0].ge(ends[1]) & near, number, ends);
        }
    }
    if queue.count > 0 {
        search_all(view, &queue, best, steps);
    }
}

/// Numbers that describe a view.
const VIEW: usize = 11;

#[inline(always)]
fn pack<L: Lanes>(view: &View<L>) -> [L; VIEW] {
    let ([a, b], o) = (&view.bodies, view.offset);
    [a.half, a.base, a.top, b.half, b.base, b.top, view.cosine, view.sine, o.x, o.y, o.z]
}

#[inline(always)]
fn unpack<L: Lanes>(rows: &[[L::Scalar; MAX_WIDTH]; VIEW]) -> View<L> {
    let a = Frustum { half: L::load(&rows[0]), base: L::load(&rows[1]), top: L::load(&rows[2]) };
    let b = Frustum { half: L::load(&rows[3]), base: L::load(&rows[4]), top: L::load(&rows[5]) };
    View {
        bodies: [a, b],
        cosine: L::load(&rows[6]),
        sine: L::load(&rows[7]),
        offset: Vec3 { x: L::load(&rows[8]), y: L::load(&rows[9]), z: L::load(&rows[10]) },
    }
}

/// Searches all arcs and offers what they end on to the lanes that they came from.
#[inline(always)]
fn search_all<L: Lanes>(view: &View<L>, queue: &Queue<L::Scalar>, best: &mut BestNormal<L>, steps: u32) {
    let zero = L::Scalar::ZERO;
    let mut pairs = [[zero; MAX_WIDTH]; VIEW];
    let numbers = pack(view);
    for k in 0..VIEW {
        numbers[k].store(&mut pairs[k]);
    }
    // The best of each pair: its depth and direction.
    let mut bests = [[zero; MAX_WIDTH]; 4];
    store_found(best.depth, best.normal, &mut bests);
    let mut smooth = best.smooth.to_bits();
    // Which arc and valley it comes from: where depths are the same to the bit the first one counts, however the arcs
    // are packed.
    let mut ranks = [0_usize; MAX_WIDTH];

    let mut rows = [[zero; MAX_WIDTH]; VIEW];
    let mut ends = [[zero; MAX_WIDTH]; 2];
    let mut found = [[zero; MAX_WIDTH]; 4];
    let mut first = 0;
    while first < queue.count {
        let mut upper = [0_u32; 2];
        for lane in 0..L::WIDTH {
            // Beyond the last, the last one again.
            let place = (first + lane).min(queue.count - 1) % ARC_ROOM;
            let (pair, rims) = (queue.owner[place] as usize % MAX_WIDTH, queue.owner[place] >> RIMS);
            upper[0] |= u32::from(rims & 1) << lane;
            upper[1] |= u32::from(rims >> 1 & 1) << lane;
            ends[0][lane] = queue.ends[0][place];
            ends[1][lane] = queue.ends[1][place];
            for k in 0..VIEW {
                rows[k][lane] = pairs[k][pair];
            }
        }
        let own = unpack::<L>(&rows);
        let rims = Rims::new(&own, [L::Mask::from_bits(upper[0]), L::Mask::from_bits(upper[1])]);
        for (number, valley) in search(&rims, [L::load(&ends[0]), L::load(&ends[1])]).into_iter().enumerate() {
            if !valley.there.any() {
                continue;
            }
            let (bottom, falls) = descend(&rims, &valley.arc, steps);
            let place = rims.at(bottom[0], bottom[1]);
            let (n, depth) = direction(&own, &place, bottom);
            let allowed = (valley.there & falls & place.gap[1].ge(L::zero())).to_bits();
            store_found(depth, n, &mut found);
            for lane in 0..L::WIDTH.min(queue.count - first) {
                let pair = queue.owner[(first + lane) % ARC_ROOM] as usize % MAX_WIDTH;
                let rank = 2 * (first + lane) + number + 1;
                let (new, old) = (found[0][lane], bests[0][pair]);
                if allowed >> lane & 1 == 1 && (new < old || new == old && rank < ranks[pair]) {
                    ranks[pair] = rank;
                    for k in 0..4 {
                        bests[k][pair] = found[k][lane];
                    }
                    smooth |= 1 << pair;
                }
            }
        }
        first += L::WIDTH;
    }
    best.depth = L::load(&bests[0]);
    best.normal = Vec3 { x: L::load(&bests[1]), y: L::load(&bests[2]), z: L::load(&bests[3]) };
    best.smooth = L::Mask::from_bits(smooth);
}

#[inline(always)]
fn store_found<L: Lanes>(depth: L, n: Vec3<L>, rows: &mut [[L::Scalar; MAX_WIDTH]; 4]) {
    depth.store(&mut rows[0]);
    n.x.store(&mut rows[1]);
    n.y.store(&mut rows[2]);
    n.z.store(&mut rows[3]);
}

/// The first two valleys between two cosines, the larger one first. One sample is on the line through the centres.
#[inline(always)]
fn search<L: Lanes>(rims: &Rims<L>, [first, last]: [L; 2]) -> [CurveValley<L>; 2] {
    let zero = L::zero();
    let ends = [[first, sine(first)], [last, sine(last)]];
    let line = direction_2d(rims.swing[1] * rims.centre[0], rims.reach * rims.centre[1]);
    let parted = turns(ends[0], line).gt(zero) & turns(line, ends[1]).gt(zero);
    let middle = halfway(ends[0], ends[1]);
    let middle = [L::select(parted, line[0], middle[0]), L::select(parted, line[1], middle[1])];
    valleys(rims, ends, middle)
}

/// The direction at a place and the depth along it: across both rims where they cross at an angle, else from point to
/// point; whichever is better.
#[inline(always)]
fn direction<L: Lanes>(view: &View<L>, place: &Place<L>, [cosine, sine]: [L; 2]) -> (Vec3<L>, L) {
    let zero = L::zero();
    let [x, y] = place.out;
    // Tangents of both rims.
    let a = Vec3 { x: zero, y: -y, z: x };
    let b_out = Vec3 { x: -(view.sine * cosine), y: view.cosine * cosine, z: sine };
    let b = Vec3 { x: view.cosine, y: view.sine, z: zero }.cross(b_out);
    let across = a.cross(b);
    let between = Vec3 { x: place.gap[0], y: place.gap[1] * x, z: place.gap[1] * y };
    let outward = L::one().copysign(across.y * x + across.z * y + across.dot(b_out));
    let first = unit_or_zero(across) * outward;
    let second = unit_or_zero(between);
    // No direction at all where the tangents are parallel or the points the same.
    let (half, infinity) = (L::constant(0.5), L::splat(L::Scalar::INFINITY));
    let depth_first = L::select(first.length_squared().gt(half), view.depth(first), infinity);
    let depth_second = L::select(second.length_squared().gt(half), view.depth(second), infinity);
    let better = depth_second.lt(depth_first);
    (Vec3::select(better, second, first), L::select(better, depth_second, depth_first))
}

/// A direction, or nothing at all of what is too short to be one: never something in between, along which bodies would
/// seem less deep than they are.
#[inline(always)]
pub fn unit_or_zero<L: Lanes>(v: Vec3<L>) -> Vec3<L> {
    let length = v.length_squared().sqrt();
    let known = length.ge(tiny());
    v * L::select(known, L::one() / L::select(known, length, L::one()), L::zero())
}
