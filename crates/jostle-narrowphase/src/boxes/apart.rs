//! Distance of two boxes in closed form.
//!
//! The points B - A make a zonotope: the centre plus what six edges (in the plane four) add or take away. Its point
//! nearest to the origin lies on one of the facets that the origin is in front of, and of each kind of facet, one for
//! every two edges, only one can be: that which lies to the origin from the centre. So the nearest point is the best of
//! those of fifteen parallelograms (in the plane four sides): a corner of one box against a face of the other, and
//! edges that cross. These are the axes of the separating-axis test (Gottschalk 1996), each asked for a point and not
//! for a width.
//!
//! Where facets merge, of boxes that are parallel, which corner faces a face is rounding; there its middle is taken,
//! and of an edge the end that is nearer. What that misses is mended by going from body to body as in alternating
//! projections (Bauschke and Borwein 1993). Nothing of this is relied on: what was found is held against the plane
//! behind it, as GJK holds its own, and where that leaves a gap GJK searches.
//!
//! What was learned: fifteen facets and all that follows are about as many instructions as two steps of GJK, of which
//! the slowest lane of sixteen takes six. A loop over B's axes is not unrolled; one over A's is.
//!
//! (Distances in the plane come from [`crate::sides`], which tells depths as well; there the depth of two boxes is
//! asked about only where rounding left no points that face each other.)

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Vector};

use super::axes::{NearestFacet, least_sine_squared, weak_sines};
use super::edges::BoxSpace;
use super::pair::{Boxes, corner, inside, zeros};
use crate::gjk::{Cores, Gjk};
use crate::noise::{NORMAL, noise};

/// Round-offs of magnitude by which the nearest points may be beside the normal of their facet.
const FACING: f64 = 4.0;
/// Round-offs of magnitude by which what lies flat may rise (a rotation's entries hold up to six).
const APART_FLATNESS: f64 = 8.0;

/// The distance of the boxes, and where it is all there is to know: elsewhere its bounds are apart by more than
/// `tolerance`. (It is also where they overlap, or are so near that `f64` has to decide.)
///
/// `SEGMENT`: A is a segment along y, which has no face, and of the fifteen facets six.
#[inline(always)]
pub fn apart<S: BoxSpace, L: Lanes, const SEGMENT: bool>(boxes: &Boxes<S, L>, tolerance: L) -> (Gjk<S, L>, L::Mask) {
    let Boxes { a, b, offset, rotation, magnitude } = *boxes;
    let flat = noise(APART_FLATNESS, magnitude);
    let far = L::splat(L::Scalar::INFINITY);
    let mut nearest = NearestFacet { point: S::Vector::zero(), squared: far, axis: S::Vector::unit(0) };
    // More than zero where a face's plane, of either, parts them.
    let mut parted = L::zero();
    for k in 0..if SEGMENT { 0 } else { S::DIMENSION } {
        // A's face, and the corner of B that is nearest to it.
        let side = L::one().copysign(offset.get(k));
        let back = S::Vector::from_fn(
            #[inline(always)]
            |j| -(rotation.column(j).get(k) * side),
        );
        let of_b = rotation.rotate(corner::<S, L>(b, back, flat)) + offset;
        let point = inside::<S, L>(of_b, a);
        parted = (of_b.get(k) * side - a.get(k)).max(parted);
        nearest.offer(point, (of_b - point).length_squared(), S::Vector::unit(k));
    }
    for k in 0..S::DIMENSION {
        // B's face, and the corner of A.
        let axis = rotation.column(k);
        let side = L::one().copysign(offset.dot(axis));
        let point = corner::<S, L>(a, axis * side, flat);
        let seen = rotation.unrotate(point - offset);
        parted = (-(seen.get(k) * side) - b.get(k)).max(parted);
        nearest.offer(point, (seen - inside::<S, L>(seen, b)).length_squared(), axis);
    }
    S::offer_edges::<L, SEGMENT>(boxes, &mut nearest);

    let [point, of_b] = boxes.swept(nearest.point, offset);
    // A difference of points is off by their rounding, and its direction by the more the nearer they are. Not so where
    // it is upright on an edge or a face of A, along which it is zero; nor seen by B where it is on one of its own; nor
    // a facet's normal.
    let seen = rotation.unrotate(point - offset);
    let by_b = seen - inside::<S, L>(seen, b);
    let by_a = point - of_b;
    let upright_on_b = zeros::<S, L>(by_b).gt(zeros::<S, L>(by_a));
    let difference = S::Vector::select(upright_on_b, rotation.rotate(by_b), by_a);
    let axis = nearest.axis;
    let upright = axis * (difference.dot(axis) / axis.length_squared().max(least_sine_squared::<L>()));
    let slant = (difference - upright).length_squared().sqrt();
    let facing = slant.le(noise(FACING, magnitude));
    let v = S::Vector::select(facing, upright, difference);
    let residual = L::select(facing, slant, L::zero());
    let squared = v.length_squared();
    let distance = squared.sqrt();
    let maps = boxes.maps();
    let cores = Cores { a: &maps[0], b: &maps[1], offset, rotation };
    let along = v.dot(cores.support(-v, L::Mask::splat(true)).w);
    let squared_tolerance = tolerance * tolerance;
    // By `along` and `parted` there are no two points near each other, as there are of other cores that overlap; but if
    // any are apart it is by no more than the best of their axes shows, times the root of three.
    let overlap = !squared.gt(squared_tolerance) | (along.le(L::zero()) & parted.le(L::zero()));
    // So near that GJK would find no more: `f64` has to decide, but for most of those that are `facing`.
    let close = !distance.gt(noise(NORMAL, magnitude));
    let known = overlap | close | (squared - along).le((tolerance - residual) * distance);
    let (_, weak) = weak_sines::<L::Scalar>();
    let sharp = facing & axis.length_squared().gt(L::constant(weak * weak));
    let found = Gjk { v, a: point, distance, lower: along / distance, residual, overlap, sharp };
    (found, known)
}
