//! Penetration of two boxes by the separating-axis test, in closed form and in lanes.
//!
//! After Gottschalk 1996: the faces' normals of both, and in space the vector products of their edges. Each axis is
//! evaluated by the boxes' full support along it, so that it bounds the depth from above whatever rounding did to its
//! direction. Of two nearly parallel edges the product is mostly rounding: where such a weak axis might win, the caller
//! is told, and asks again in `f64`. The axis that wins also names the points that are nearest: a corner against a
//! face, or two edges that cross.

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};

use super::axes::{Axis, EDGES, EdgeAxes, FACE, LeastAxis, weak_sines};
use super::edges::BoxSpace;
use super::pair::{Boxes, corner};
use crate::noise::{AGREE, FORWARD, noise};

/// Round-offs of magnitude by which edges have to be better than faces: where faces are parallel their axis is also
/// that of pairs of their edges, and which of these is best by a round-off names points that need not face each other.
const TIE: f64 = 4.0;

/// The axis of least penetration.
#[inline(always)]
pub fn least_axis<S: BoxSpace, L: Lanes>(boxes: &Boxes<S, L>) -> LeastAxis<S, L> {
    let first = S::Vector::unit(0);
    let overlap = boxes.overlap(first);
    let best = BestAxis {
        axis: first,
        overlap,
        squared: L::one(),
        measure: overlap * overlap.abs(),
        owner: L::constant(FACE),
    };
    let mut search = AxisSearch { best, weakest: L::splat(L::Scalar::INFINITY), seen: 0 };
    for k in 1..S::DIMENSION {
        search.face(boxes, S::Vector::unit(k));
    }
    for k in 0..S::DIMENSION {
        search.face(boxes, boxes.rotation.column(k));
    }
    let of_faces = search.best.measure;
    let lowered = search.best.overlap - noise(TIE, boxes.magnitude);
    search.best.measure = lowered * lowered.abs();
    S::edge_axes::<L, false>(boxes, &mut search);
    let AxisSearch { best, weakest, .. } = search;
    let measure = L::select(best.owner.lt(L::constant(EDGES)), of_faces, best.measure);
    let share = L::one() / best.squared.sqrt();
    let sign = L::one().copysign(boxes.offset.dot(best.axis));
    let axis = Axis { normal: best.axis * (sign * share), depth: best.overlap * share, uncertain: weakest.lt(measure) };
    LeastAxis { axis, owner: best.owner }
}

/// A's witness point along the axis of least penetration, and where it is one: it lies on A, and on B as far below as
/// they are deep. Elsewhere these points do not face the other body: faces or edges lie flat against each other, or
/// rounding is in the way.
///
/// Of what lies flat the middle is taken, of A or of B, so that a box that stands on another needs no search; where
/// neither faces the other body, as of boxes that overhang or share no more than an edge of a face, it is moved from
/// body to body.
#[inline(always)]
pub fn witness<S: BoxSpace, L: Lanes>(boxes: &Boxes<S, L>, least: &LeastAxis<S, L>) -> (S::Vector<L>, L::Mask) {
    let Axis { normal, depth, .. } = least.axis;
    let back = boxes.rotation.unrotate(normal);
    let flat = noise(DEPTH_FLATNESS, boxes.magnitude);
    let of_a = S::crossing(boxes, least, corner::<S, L>(boxes.a, normal, flat));
    let of_b = boxes.rotation.rotate(corner::<S, L>(boxes.b, -back, flat)) + boxes.offset + normal * depth;
    let (a_outside, b_outside) = (outside(boxes, &least.axis, of_a), outside(boxes, &least.axis, of_b));
    let point = S::Vector::select(b_outside.lt(a_outside), of_b, of_a);
    let enough = noise(AGREE / 2.0, boxes.magnitude);
    let fits = a_outside.min(b_outside).le(enough);
    if fits.all() {
        return (point, fits);
    }
    let [moved, _] = boxes.swept(point, boxes.offset + normal * depth);
    let point = S::Vector::select(fits, point, moved);
    (point, fits | outside(boxes, &least.axis, moved).le(enough))
}

/// How far a witness point is outside of A, or its counterpart outside of B.
#[inline(always)]
fn outside<S: Space, L: Lanes>(boxes: &Boxes<S, L>, axis: &Axis<S, L>, point: S::Vector<L>) -> L {
    let other = boxes.rotation.unrotate(point - axis.normal * axis.depth - boxes.offset);
    (point.abs() - boxes.a).max_component().max((other.abs() - boxes.b).max_component())
}

/// Round-offs of magnitude by which what lies flat may rise.
const DEPTH_FLATNESS: f64 = 2.0;

/// The best axis so far: of any length, on either side.
#[derive(Clone, Copy)]
struct BestAxis<S: Space, L: Lanes> {
    axis: S::Vector<L>,
    /// The overlap along it, and what that is to be divided by: the square of its length.
    overlap: L,
    squared: L,
    /// The square of the depth, with its sign: so axes are compared without a root.
    measure: L,
    owner: L,
}

/// The search for the least depth.
struct AxisSearch<S: Space, L: Lanes> {
    best: BestAxis<S, L>,
    /// No weak axis is better than this, as a [measure](BestAxis::measure).
    weakest: L,
    /// How many pairs of edges were seen.
    seen: u32,
}

impl<S: Space, L: Lanes> AxisSearch<S, L> {
    #[inline(always)]
    fn offer(&mut self, new: BestAxis<S, L>) {
        let better = new.measure.lt(self.best.measure);
        self.best.axis = S::Vector::select(better, new.axis, self.best.axis);
        self.best.overlap = L::select(better, new.overlap, self.best.overlap);
        self.best.squared = L::select(better, new.squared, self.best.squared);
        self.best.measure = L::select(better, new.measure, self.best.measure);
        self.best.owner = L::select(better, new.owner, self.best.owner);
    }

    #[inline(always)]
    fn face(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>) {
        let overlap = boxes.overlap(axis);
        let measure = overlap * overlap.abs();
        self.offer(BestAxis { axis, overlap, squared: L::one(), measure, owner: L::constant(FACE) });
    }
}

impl<S: Space, L: Lanes> EdgeAxes<S, L> for AxisSearch<S, L> {
    #[inline(always)]
    fn see(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>) {
        let owner = L::constant(EDGES + f64::from(self.seen));
        self.seen += 1;
        let (least, weak) = weak_sines::<L::Scalar>();
        let squared = axis.length_squared();
        let usable = squared.gt(L::constant(least * least));
        let share = L::one() / L::select(usable, squared, L::one());
        let overlap = boxes.overlap(axis);
        let strong = squared.gt(L::constant(weak * weak));
        let measure = L::select(usable & strong, overlap * overlap.abs() * share, L::splat(L::Scalar::INFINITY));
        self.offer(BestAxis { axis, overlap, squared, measure, owner });
        let doubted = overlap - noise(FORWARD, boxes.magnitude);
        let guess = L::select(usable & !strong, doubted * doubted.abs() * share, self.weakest);
        self.weakest = guess.min(self.weakest);
    }
}
