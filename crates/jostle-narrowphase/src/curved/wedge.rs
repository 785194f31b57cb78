//! What two frustums have in common where they overlap by a hair at their rims.
//!
//! There it is a sliver between a cap and the side of one and of the other, millions of times as long as it is thin,
//! and to be pushed from one of these four to the next does not lead into it. But so near to a rim they are planes: a
//! point equally deep below all of them is the solution of linear equations.

use jostle_lanes::{Lanes, Vec3, Vector};

use super::view::{Frustum, View, tiny};

/// How often the planes about a point are taken for the bodies: their sides are round.
const PLANE_STEPS: u32 = 2;

/// A plane of a body, seen from a point.
#[derive(Clone, Copy, Debug)]
struct WedgePlane<L: Lanes> {
    /// Which way it is deeper.
    inward: Vec3<L>,
    /// How deep the point is below it.
    depth: L,
    /// What part of the depth that is looked for it is to be below this one.
    share: L,
}

impl<L: Lanes> WedgePlane<L> {
    /// Through the point, along two others.
    #[inline(always)]
    fn along(one: &Self, other: &Self) -> Self {
        Self { inward: one.inward.cross(other.inward), depth: L::zero(), share: L::zero() }
    }
}

/// True where a body is flatter than what is looked for: it has no room.
#[inline(always)]
fn is_flat<L: Lanes>(body: &Frustum<L>, depth: L) -> L::Mask {
    body.half.le(depth)
}

/// The cap and the side next to a point in the body's own view. A point of a [flat](is_flat) one is halfway between
/// its faces, and only its rim has another side.
#[inline(always)]
fn planes<L: Lanes>(body: &Frustum<L>, p: Vec3<L>, depth: L) -> [WedgePlane<L>; 2] {
    let (zero, one) = (L::zero(), L::one());
    let out = (p.y * p.y + p.z * p.z).sqrt();
    let flat = is_flat(body, depth);
    let cap = WedgePlane {
        inward: Vec3 { x: L::select(flat, one, -one.copysign(p.x)), y: zero, z: zero },
        depth: L::select(flat, p.x - body.middle(out), body.half - p.x.abs()),
        share: L::select(flat, zero, one),
    };
    let [cosine, sine] = body.side();
    let (cosine, sine) = (L::select(flat, zero, cosine), L::select(flat, one, sine));
    let radius = L::select(flat, body.base.max(body.top), body.top);
    let across = sine / out.max(tiny());
    let side = WedgePlane {
        inward: Vec3 { x: -cosine, y: -(p.y * across), z: -(p.z * across) },
        depth: (body.half - p.x) * cosine + (radius - out) * sine,
        share: one,
    };
    [cap, side]
}

/// Not zero: what it is divided by tells nothing there.
#[inline(always)]
fn divisor<L: Lanes>(x: L) -> L {
    L::select(x.abs().gt(tiny()), x, L::one())
}

/// From the point to one that is equally deep below four planes, but for their shares. The `first` may be all but
/// opposite to another one.
#[inline(always)]
fn to_middle<L: Lanes>(first: &WedgePlane<L>, [p, q, r]: [&WedgePlane<L>; 3]) -> Vec3<L> {
    let [across_p, across_q, across_r] = [q.inward.cross(r.inward), r.inward.cross(p.inward), p.inward.cross(q.inward)];
    let volume = p.inward.dot(across_p);
    // So much of each of the others makes the first: their depths hang together likewise.
    let [of_p, of_q, of_r] = [first.inward.dot(across_p), first.inward.dot(across_q), first.inward.dot(across_r)];
    let known = volume * first.depth - of_p * p.depth - of_q * q.depth - of_r * r.depth;
    let wanted = volume * first.share - of_p * p.share - of_q * q.share - of_r * r.share;
    let depth = known / divisor(wanted);
    let (by_p, by_q, by_r) = (depth * p.share - p.depth, depth * q.share - q.depth, depth * r.share - r.depth);
    (across_p * by_p + across_q * by_q + across_r * by_r) * (L::one() / divisor(volume))
}

/// The radius of the end next to a point in the body's own view.
#[inline(always)]
fn radius_at<L: Lanes>(body: &Frustum<L>, p: Vec3<L>, depth: L) -> L {
    let [_, radius] = body.rim(p.x.gt(L::zero()));
    L::select(is_flat(body, depth), body.base.max(body.top), radius)
}

/// Where the rims of two ends that face each other cross, as if their axes were parallel: on either side of the plane
/// of the axes.
#[inline(always)]
fn crossings<L: Lanes>(view: &View<L>, near: Vec3<L>, depth: L) -> [Vec3<L>; 2] {
    let ([a, b], o) = (&view.bodies, view.offset);
    let radius_a = radius_at(a, near, depth);
    let radius_b = radius_at(b, view.across(o - near), depth);
    let squared = o.y * o.y + o.z * o.z;
    // How far along the way from the one axis to the other, and to its side.
    let along = (squared + radius_a * radius_a - radius_b * radius_b) / divisor(squared + squared);
    let beside = (radius_a * radius_a / divisor(squared) - along * along).max(L::zero()).sqrt();
    let (foot, aside) = (Vec3 { x: near.x, y: o.y * along, z: o.z * along }, Vec3 { x: L::zero(), y: -o.z, z: o.y });
    [foot + aside * beside, foot - aside * beside]
}

/// The best of a few points of the sliver about `start`, or about where the rims cross, of bodies of a view that
/// overlap by no more than `depth`, as `deep` measures it.
#[inline(always)]
pub fn deepest_between_rims<L: Lanes>(
    view: &View<L>,
    start: Vec3<L>,
    depth: L,
    deep: impl Fn(&View<L>, Vec3<L>) -> L,
) -> L {
    let [a, b] = &view.bodies;
    let [left, right] = crossings(view, start, depth);
    let mut best = L::zero();
    // Inside of both rims, or of one where the other is far.
    for start in [start, left, right] {
        for rims in [[true, true], [true, false], [false, true]] {
            let mut p = start;
            for _ in 0..PLANE_STEPS {
                let [cap_a, side_a] = planes(a, p, depth);
                let [cap, side] = planes(b, view.across(view.offset - p), depth);
                let [cap_b, side_b] = [
                    WedgePlane { inward: -view.across(cap.inward), ..cap },
                    WedgePlane { inward: -view.across(side.inward), ..side },
                ];
                let step = match rims {
                    [true, true] => to_middle(&cap_b, [&cap_a, &side_a, &side_b]),
                    [true, false] => to_middle(&cap_b, [&cap_a, &side_a, &WedgePlane::along(&cap_a, &side_a)]),
                    _ => to_middle(&cap_b, [&cap_a, &side_b, &WedgePlane::along(&cap_a, &side_b)]),
                };
                p = p + step;
            }
            best = deep(view, p).max(best);
        }
    }
    best
}
