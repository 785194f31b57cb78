//! Where two frustums would touch if they were moved apart along a direction, and how deep such points are inside.
//!
//! Along the least depth the supporting faces of A and of B reflected have points whose sum is a given one. A face is a
//! disc, a segment of the side (often of no length), and each pair of those has a closed form. What comes out is
//! checked against the bodies themselves, so that a direction which is not the least one is found out: its faces do not
//! meet.

use jostle_lanes::{Lanes, Mask, Vec3, Vector};

use super::view::{Frustum, View, clamp, tiny};
use super::wedge::deepest_between_rims;

/// The points of a body that are furthest along a direction.
#[derive(Clone, Copy, Debug)]
struct SupportFace<L: Lanes> {
    /// The ends of a segment: the same twice where it is a point.
    ends: [Vec3<L>; 2],
    /// True where it is a disc about the axis instead.
    disc: L::Mask,
    /// The disc's height and radius.
    height: L,
    radius: L,
}

/// Points on both bodies that touch once B is moved by the depth.
#[derive(Clone, Copy, Debug)]
pub struct FrustumTouch<L: Lanes> {
    /// On A, seen from its centre; B's is the depth behind it.
    pub a: Vec3<L>,
    /// True where both points are on their bodies' surfaces, facing along the direction, to within the tolerance.
    pub fits: L::Mask,
    /// The points may be so far from one of each body, taken together.
    pub off: L,
    /// A depth that no direction falls below: around a point that the bodies share there is a ball in each, and their
    /// radii add up to this. Below zero where no such point was found: they may be so far apart.
    pub least: L,
}

/// How deep inside of a body a point of its view is: less than zero outside.
#[inline(always)]
fn clearance<L: Lanes>(body: &Frustum<L>, p: Vec3<L>) -> L {
    body.clearance(p.x, (p.y * p.y + p.z * p.z).sqrt())
}

/// How many points in common are tried, each deeper inside than the last.
const DEEPER: u32 = 5;

/// How deep points may be taken in at least, if not too near to a tip.
#[inline(always)]
fn room<L: Lanes>(body: &Frustum<L>) -> L {
    body.half.min(body.base.max(body.top)) * L::constant(0.5)
}

/// The [clearance] with the direction in which it grows.
#[inline(always)]
fn inward<L: Lanes>(body: &Frustum<L>, p: Vec3<L>) -> (L, Vec3<L>) {
    let zero = L::zero();
    let [cosine, sine] = body.side();
    let out = (p.y * p.y + p.z * p.z).sqrt();
    let cap = body.half - p.x.abs();
    let side = (body.half - p.x) * cosine + (body.top - out) * sine;
    // As there: of flat ones.
    let rim = body.base.max(body.top) - out;
    let across = L::one() / out.max(tiny());
    let (y, z) = (-(p.y * across), -(p.z * across));
    let to_axis = Vec3 { x: -cosine, y: y * sine, z: z * sine };
    let from_cap = Vec3 { x: -L::one().copysign(p.x), y: zero, z: zero };
    let nearer = side.lt(cap);
    let (depth, direction) = (L::select(nearer, side, cap), Vec3::select(nearer, to_axis, from_cap));
    let beside = rim.lt(depth);
    (L::select(beside, rim, depth), Vec3::select(beside, Vec3 { x: zero, y, z }, direction))
}

#[inline(always)]
fn face<L: Lanes>(body: &Frustum<L>, n: Vec3<L>, level: L) -> SupportFace<L> {
    let sine = (n.y * n.y + n.z * n.z).sqrt();
    let share = L::one() / sine.max(tiny());
    let (y, z) = (n.y * share, n.z * share);
    let (upper, lower) = (body.half * n.x + body.top * sine, body.base * sine - body.half * n.x);
    let both = (upper - lower).abs().le(level);
    let [height, radius] = body.rim(upper.ge(lower));
    let radius = L::select(both, body.top.max(body.base), radius);
    let [low_height, low_radius] = body.rim(!both & upper.ge(lower));
    let [high_height, high_radius] = body.rim(both | upper.ge(lower));
    SupportFace {
        ends: [
            Vec3 { x: low_height, y: low_radius * y, z: low_radius * z },
            Vec3 { x: high_height, y: high_radius * y, z: high_radius * z },
        ],
        disc: (radius * sine).le(level) & radius.gt(level),
        height,
        radius,
    }
}

/// The point of a segment, subtracted from `sum`, that is nearest to the view's first axis.
#[inline(always)]
fn toward_axis<L: Lanes>([from, to]: [Vec3<L>; 2], sum: Vec3<L>) -> Vec3<L> {
    let along = to - from;
    let rest = sum - from;
    let squared = along.y * along.y + along.z * along.z;
    let share = clamp((rest.y * along.y + rest.z * along.z) / squared.max(tiny()));
    from + along * share
}

/// The points of two segments whose sum is nearest to `sum`.
#[inline(always)]
fn nearest<L: Lanes>([a, a_end]: [Vec3<L>; 2], [b, b_end]: [Vec3<L>; 2], sum: Vec3<L>) -> [Vec3<L>; 2] {
    let (along_a, along_b) = (a_end - a, b_end - b);
    let rest = sum - a - b;
    let (aa, bb, ab) = (along_a.length_squared(), along_b.length_squared(), along_a.dot(along_b));
    let (ra, rb) = (rest.dot(along_a), rest.dot(along_b));
    let determinant = aa * bb - ab * ab;
    let crossing = determinant.gt(aa * bb * L::constant(1e-6));
    let free = (ra * bb - rb * ab) / L::select(crossing, determinant, L::one());
    let s = L::select(crossing, clamp(free), L::constant(0.5));
    let t = clamp((rb - s * ab) / bb.max(tiny()));
    let s = clamp((ra - t * ab) / aa.max(tiny()));
    let t = clamp((rb - s * ab) / bb.max(tiny()));
    [a + along_a * s, b + along_b * t]
}

/// Where two planes across the axes cross, so high above the middles of both bodies: in the middle of what both have of
/// that line.
#[inline(always)]
fn crossing<L: Lanes>(view: &View<L>, [height_a, height_b]: [L; 2]) -> Vec3<L> {
    let ([a, b], o) = (&view.bodies, view.offset);
    let (radius_a, radius_b) = (a.base.max(a.top), b.base.max(b.top));
    let along_b = o.x * view.cosine + o.y * view.sine - height_b;
    let y = (along_b - height_a * view.cosine) / view.sine.max(tiny());
    let beside_b = (o.x - height_a) * view.sine + (y - o.y) * view.cosine;
    let chord_a = (radius_a * radius_a - y * y).max(L::zero()).sqrt();
    let chord_b = (radius_b * radius_b - beside_b * beside_b).max(L::zero()).sqrt();
    let z = (-chord_a).max(o.z - chord_b) + chord_a.min(o.z + chord_b);
    Vec3 { x: height_a, y, z: z * L::constant(0.5) }
}

/// Where B's axis, as far as B goes, comes nearest to the plane across A's so high above A's middle.
#[inline(always)]
fn pierced<L: Lanes>(view: &View<L>, height: L) -> Vec3<L> {
    let (o, [_, b]) = (view.offset, &view.bodies);
    let rise = L::select(view.cosine.abs().gt(tiny()), view.cosine, tiny());
    let along = ((height - o.x) / rise).max(-b.half).min(b.half);
    Vec3 { x: o.x + view.cosine * along, y: o.y + view.sine * along, z: o.z }
}

/// How far a point is from A's axis.
#[inline(always)]
fn out<L: Lanes>(p: Vec3<L>) -> L {
    (p.y * p.y + p.z * p.z).sqrt()
}

/// How deep a point is in both bodies, in the one and in the other together, or zero where it is not.
#[inline(always)]
fn depth_in_both<L: Lanes>(view: &View<L>, p: Vec3<L>) -> L {
    let [a, b] = &view.bodies;
    together(clearance(a, p), clearance(b, view.across(view.offset - p)))
}

/// The same of a point so deep inside of each.
#[inline(always)]
fn together<L: Lanes>(from_a: L, from_b: L) -> L {
    // Outside of one by a hair, as of discs without thickness, there is a point of it within twice that.
    let zero = L::zero();
    (from_a + from_b + from_a.min(zero) + from_b.min(zero)).max(zero)
}

/// How deep bodies without thickness are in each other at least, about a point in both. They have no ball, but each a
/// disc about the point, across its axis. Along a direction one reaches as far as its radius times the sine of the
/// angle between its axis and the direction, and both together nowhere less far than the smaller one along the other's
/// axis.
#[inline(always)]
fn depth_of_discs<L: Lanes>(view: &View<L>, p: Vec3<L>) -> L {
    let [a, b] = &view.bodies;
    let ((radius_a, off_a), (radius_b, off_b)) = (disc_about(a, p), disc_about(b, view.across(view.offset - p)));
    radius_a.min(radius_b) * view.sine - off_a - off_b
}

/// The radius of a disc in a body halfway between its faces, and how far a point is over its centre.
#[inline(always)]
fn disc_about<L: Lanes>(body: &Frustum<L>, p: Vec3<L>) -> (L, L) {
    let out = out(p);
    let (wider, narrower) = (body.base.max(body.top), body.base.min(body.top));
    // Halfway between the faces the body is as wide as this.
    let width = (wider + narrower.max(out)) * L::constant(0.5);
    (width - out, (p.x - body.middle(out)).abs())
}

/// How deep the deepest of a few points is in both: flat bodies have little in common but what is about the middles of
/// both, thin ones but what is about their axes.
#[inline(always)]
fn shared<L: Lanes>(view: &View<L>, swapped: &View<L>) -> L {
    let (zero, [a, b]) = (L::zero(), &view.bodies);
    let first = crossing(view, [zero; 2]);
    let heights = [a.middle(out(first)), b.middle(out(view.across(view.offset - first)))];
    let second = crossing(view, heights);
    let across_both = depth_in_both(view, second).max(depth_of_discs(view, second));
    let on_b = depth_in_both(view, pierced(view, a.middle(out(pierced(view, zero)))));
    let on_a = depth_in_both(swapped, pierced(swapped, b.middle(out(pierced(swapped, zero)))));
    across_both.max(on_b).max(on_a)
}

/// What slivers and flat bodies show, which have no ball in common, along a direction about two points a depth from
/// each other. (Set apart: few packets need it.)
#[inline(always)]
fn shown_without_balls<L: Lanes>(view: &View<L>, n: Vec3<L>, [a, b]: [Vec3<L>; 2], depth: L) -> L {
    L::enter(
        #[inline(always)]
        || {
            let between_rims =
                deepest_between_rims(view, (a + view.offset - b) * L::constant(0.5), depth, depth_in_both);
            let through_a = depth_of_disc_and_chord(view, n, a, depth);
            let through_b = depth_of_disc_and_chord(&view.swapped(), view.across(n), view.across(b), depth);
            between_rims.max(through_a).max(through_b)
        },
    )
}

/// How deep the second body is in the first at least, where its tip is a `depth` behind a face of a first one without
/// thickness. About `a`, on that face, there is a disc in the first one, and of the second a chord along `n`, as far
/// beyond the face as behind it: together they reach nowhere less far than the lesser of the two, as far as the chord
/// is across the disc.
#[inline(always)]
fn depth_of_disc_and_chord<L: Lanes>(view: &View<L>, n: Vec3<L>, a: Vec3<L>, depth: L) -> L {
    let [first, second] = &view.bodies;
    let (radius, off) = disc_about(first, a);
    let behind = clearance(second, view.across(view.offset - (a - n * depth)));
    let beyond = clearance(second, view.across(view.offset - (a + n * depth)));
    // Outside of the second by a hair, there are points of it within twice that.
    let outside = (-behind.min(beyond)).max(L::zero()) * L::constant(2.0);
    (radius - depth).min(depth * n.x.abs()) - off - outside
}

/// What is too little to count.
#[derive(Clone, Copy, Debug)]
pub struct Small<L: Lanes> {
    /// What is off by less is flat.
    pub level: L,
    /// Or right.
    pub tolerance: L,
    /// A depth must be more to show anything.
    pub rounding: L,
}

/// Where the bodies of `view` touch along `n`.
#[inline(always)]
pub fn touch<L: Lanes>(view: &View<L>, n: Vec3<L>, depth: L, small: Small<L>) -> FrustumTouch<L> {
    let Small { level, tolerance, rounding } = small;
    let swapped = view.swapped();
    let [body_a, body_b] = &view.bodies;
    let face_a = face(body_a, n, level);
    let face_b = face(body_b, view.across(n), level);
    let ends_b = [view.across(face_b.ends[0]), view.across(face_b.ends[1])];
    let ends_a = [view.across(face_a.ends[0]), view.across(face_a.ends[1])];
    // A point of A and one of B reflected, whose sum is this.
    let sum = view.offset + n * depth;

    let [a_line, b_line] = nearest(face_a.ends, ends_b, sum);
    // On A's disc: what of B is nearest to A's axis.
    let axis_b = Vec3 { x: view.cosine, y: view.sine, z: L::zero() };
    let centre = axis_b * face_b.height;
    let rest = sum - centre;
    let out = (rest.y * rest.y + rest.z * rest.z).sqrt();
    let share = face_b.radius.min(out) / out.max(tiny());
    let b_disc = centre + Vec3 { x: L::zero(), y: rest.y * share, z: rest.z * share };
    let b_near = Vec3::select(face_b.disc, b_disc, toward_axis(ends_b, sum));
    // On B's disc: what of A is nearest to B's axis.
    let a_near = view.across(toward_axis(ends_a, view.across(sum)));

    let on_b = face_b.disc & !face_a.disc;
    let a = Vec3::select(face_a.disc, sum - b_near, Vec3::select(on_b, a_near, a_line));
    let b = Vec3::select(face_a.disc, b_near, Vec3::select(on_b, sum - a_near, b_line));
    // The other way round the points are only as good as the fit.
    let across_b = view.across(sum - a);
    let sine = (n.y * n.y + n.z * n.z).sqrt();
    let short = (body_a.reach(n.x, sine) - n.dot(a)).abs();
    let (clear_a, clear_b) = (clearance(body_a, a), clearance(body_b, across_b));
    let fits = clear_a.ge(-tolerance) & clear_b.ge(-tolerance) & short.le(tolerance);
    // Outside of an edge a point is farther away than beyond any face, but not twice as far (of 40,000 points the root
    // of two times at most).
    // (Each by itself: an array's `map` becomes a call.)
    let off_a = (-clear_a).max(L::zero()) * L::constant(2.0);
    let off_b = (-clear_b).max(L::zero()) * L::constant(2.0);
    let off = off_a + off_b;

    // How deep each is in the other body: there is a point of its own body so near to it as it is off.
    let b_in_a = clearance(body_a, view.offset - b) - off_b;
    let a_in_b = clearance(body_b, swapped.offset - view.across(a)) - off_a;
    let mut inside = (a + view.offset - b) * L::constant(0.5);
    // No deeper than there is room.
    let share = depth * L::constant(0.3);
    let (goal_a, goal_b) = (share.min(room(body_a)), share.min(room(body_b)));
    let mut halfway = shared(view, &swapped);
    for k in 0..DEEPER {
        let (from_a, into_a) = inward(body_a, inside);
        let (from_b, into_b) = inward(body_b, swapped.offset - view.across(inside));
        halfway = together(from_a, from_b).max(halfway);
        if k + 1 < DEEPER {
            let (by_a, by_b) = ((goal_a - from_a).max(L::zero()), (goal_b - from_b).max(L::zero()));
            inside = inside + into_a * by_a - view.across(into_b) * by_b;
        }
    }
    let mut proved = b_in_a.max(a_in_b).max(halfway);
    // (In few packets, and then only where nothing else shows that they overlap: no answer depends on its company.)
    let open = depth.gt(rounding) & !proved.gt(rounding);
    if open.any() {
        proved = L::select(open, shown_without_balls(view, n, [a, b], depth).max(proved), proved);
    }
    // Without a point in common all that is known is that the two are no farther from each other than the depth, which
    // need not be the least, and what they are off.
    let least = L::select(proved.gt(L::zero()), proved, -(depth.abs() + off));
    FrustumTouch { a, fits, off, least }
}
