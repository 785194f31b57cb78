//! What pairs of edges add to the faces of two boxes: in space nine axes, in the plane nothing.

use jostle_lanes::{D2, D3, Lanes, Mask, Rot, Scalar, Space, Vec2, Vec3, Vector};

use super::axes::{Axis, EDGES, EdgeAxes, LeastAxis, NearestFacet, least_sine_squared};
use super::pair::{Boxes, clamp};

/// A space with the axes that the edges of its boxes add to those of the faces.
pub trait BoxSpace: Space {
    /// Shows the axes of edge pairs, those of A's first edge first. They are no longer than one, and shorter the more
    /// the edges are parallel. `SEGMENT`: A is a segment along y, and has no other edge.
    fn edge_axes<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<Self, L>, seen: &mut impl EdgeAxes<Self, L>);
    /// A's witness point where two edges are nearest; `point` in all other lanes.
    fn crossing<L: Lanes>(
        boxes: &Boxes<Self, L>,
        least: &LeastAxis<Self, L>,
        point: Self::Vector<L>,
    ) -> Self::Vector<L>;
    /// Offers A's points that are nearest to B where an edge of each are; `SEGMENT` as above.
    fn offer_edges<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<Self, L>, nearest: &mut NearestFacet<Self, L>);
}

/// Round-offs that a component of a rotation may be off by: where an edge lies in its facet but for so much, the sign
/// of what is left does not tell which of its ends faces the other body, and where that body is does.
const LEANING: f64 = 16.0;
/// Segments lie along this axis of their own.
const ALONG_SEGMENTS: usize = 1;

impl BoxSpace for D2 {
    #[inline(always)]
    fn edge_axes<L: Lanes, const SEGMENT: bool>(_: &Boxes<D2, L>, _: &mut impl EdgeAxes<D2, L>) {}
    #[inline(always)]
    fn crossing<L: Lanes>(_: &Boxes<D2, L>, _: &LeastAxis<D2, L>, point: Vec2<L>) -> Vec2<L> {
        point
    }
    #[inline(always)]
    fn offer_edges<L: Lanes, const SEGMENT: bool>(_: &Boxes<D2, L>, _: &mut NearestFacet<D2, L>) {}
}

impl BoxSpace for D3 {
    #[inline(always)]
    fn edge_axes<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<D3, L>, seen: &mut impl EdgeAxes<D3, L>) {
        edge_axes::<L, SEGMENT>(boxes, seen);
    }
    #[inline(always)]
    fn crossing<L: Lanes>(boxes: &Boxes<D3, L>, least: &LeastAxis<D3, L>, point: Vec3<L>) -> Vec3<L> {
        crossing(boxes, least, point)
    }
    #[inline(always)]
    fn offer_edges<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<D3, L>, nearest: &mut NearestFacet<D3, L>) {
        offer_edges::<L, SEGMENT>(boxes, nearest);
    }
}

/// [`BoxSpace::edge_axes`] of space.
#[inline(always)]
fn edge_axes<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<D3, L>, seen: &mut impl EdgeAxes<D3, L>) {
    let zero = L::zero();
    for i in 0..3 {
        if SEGMENT && i != ALONG_SEGMENTS {
            continue;
        }
        for j in 0..3 {
            let c = boxes.rotation.columns[j];
            let axis = match i {
                0 => Vec3 { x: zero, y: -c.z, z: c.y },
                1 => Vec3 { x: c.z, y: zero, z: -c.x },
                _ => Vec3 { x: -c.y, y: c.x, z: zero },
            };
            seen.see(boxes, axis);
        }
    }
}

/// [`BoxSpace::crossing`] of space.
#[inline(always)]
fn crossing<L: Lanes>(boxes: &Boxes<D3, L>, least: &LeastAxis<D3, L>, point: Vec3<L>) -> Vec3<L> {
    let LeastAxis { axis: Axis { normal, depth, .. }, owner } = *least;
    let crossed = owner.ge(L::constant(EDGES));
    if !crossed.any() {
        return point;
    }
    // Which edges: i, and j.
    let number = owner - L::constant(EDGES);
    let [second, third] = [number.ge(L::constant(3.0)), number.ge(L::constant(6.0))];
    let (zero, one) = (L::zero(), L::one());
    let row = L::select(third, L::constant(6.0), L::select(second, L::constant(3.0), zero));
    let column = number - row;
    let edge = Vec3 {
        x: L::select(second, zero, one),
        y: L::select(third, zero, L::select(second, one, zero)),
        z: L::select(third, one, zero),
    };
    let [c, d, e] = boxes.rotation.columns;
    let other_edge = Vec3::select(column.gt(one), e, Vec3::select(column.gt(zero), d, c));
    let other_own = Vec3 {
        x: L::select(column.gt(zero), zero, one),
        y: L::select(column.gt(one), zero, L::select(column.gt(zero), one, zero)),
        z: L::select(column.gt(one), one, zero),
    };
    // The middles of both, B's after it has moved out.
    let back = boxes.rotation.unrotate(normal);
    let from = middle(boxes.a, normal, edge);
    let other_from = boxes.rotation.rotate(middle(boxes.b, -back, other_own)) + boxes.offset + normal * depth;
    let across = edge.cross(other_edge);
    let along = (other_from - from).cross(other_edge).dot(across) / across.length_squared();
    Vec3::select(crossed, from + edge * along, point)
}

/// The middle of the edge of a box that is furthest along a direction, of those that lie along a unit vector.
#[inline(always)]
fn middle<L: Lanes>(half: Vec3<L>, direction: Vec3<L>, edge: Vec3<L>) -> Vec3<L> {
    Vec3::from_fn(
        #[inline(always)]
        |k| half.get(k).copysign(direction.get(k)) * (L::one() - edge.get(k)),
    )
}

/// [`BoxSpace::offer_edges`] of space: the edges of A and of B that face each other, of each direction.
#[inline(always)]
fn offer_edges<L: Lanes, const SEGMENT: bool>(boxes: &Boxes<D3, L>, nearest: &mut NearestFacet<D3, L>) {
    // Not a loop: it would not be unrolled.
    let ([x, y, z], b) = (boxes.rotation.columns, boxes.b);
    offer_edges_along::<L, SEGMENT>(boxes, [x, y, z], [b.x, b.y, b.z], nearest);
    offer_edges_along::<L, SEGMENT>(boxes, [y, z, x], [b.y, b.z, b.x], nearest);
    offer_edges_along::<L, SEGMENT>(boxes, [z, x, y], [b.z, b.x, b.y], nearest);
}

/// Of B's edges those along one of its axes, all of A's; `axes` are B's, that one first, right-handed, and `half` its
/// half extents along them.
#[inline(always)]
fn offer_edges_along<L: Lanes, const SEGMENT: bool>(
    boxes: &Boxes<D3, L>,
    axes: [Vec3<L>; 3],
    half: [L; 3],
    nearest: &mut NearestFacet<D3, L>,
) {
    let Boxes { a, offset, .. } = *boxes;
    let [along, beside, above] = axes;
    let [length, to_beside, to_above] = half;
    let (zero, one) = (L::zero(), L::one());
    let leaning = L::constant(LEANING * L::Scalar::UNIT_ROUNDOFF.to_f64());
    let toward = offset * leaning;
    let (beside_toward, above_toward) = (beside.dot(toward), above.dot(toward));
    for i in 0..3 {
        if SEGMENT && i != ALONG_SEGMENTS {
            continue;
        }
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        // The product of both edges is zero at i, and where it leads from A to B these are its other components.
        let (at_p, at_q) = (-along.get(q), along.get(p));
        let side = one.copysign(at_p * offset.get(p) + at_q * offset.get(q));
        let (from_p, from_q) =
            (a.get(p).copysign(at_p * side + toward.get(p)), a.get(q).copysign(at_q * side + toward.get(q)));
        let from = from_axis(i, [zero, from_p, from_q]);
        // Along B's other two it is these.
        let (on_beside, on_above) = (above.get(i) * side + beside_toward, above_toward - beside.get(i) * side);
        let other = offset - beside * to_beside.copysign(on_beside) - above * to_above.copysign(on_above);
        // From the middle of A's edge to that of B's.
        let between = other - from;
        let (cosine, own, others) = (along.get(i), between.get(i), between.dot(along));
        let sine = at_p * at_p + at_q * at_q;
        let ahead = clamp((cosine * own - others) / sine.max(least_sine_squared::<L>()), length);
        let here = clamp(own + ahead * cosine, a.get(i));
        let ahead = clamp(here * cosine - others, length);
        let point = from_axis(i, [here, from_p, from_q]);
        nearest.offer(point, (other + along * ahead - point).length_squared(), from_axis(i, [zero, at_p, at_q]));
    }
}

/// A vector from its components, that along axis `first` first and the others as they follow it.
#[inline(always)]
fn from_axis<L: Lanes>(first: usize, components: [L; 3]) -> Vec3<L> {
    Vec3::from_fn(
        #[inline(always)]
        |k| components[(k + 3 - first) % 3],
    )
}
