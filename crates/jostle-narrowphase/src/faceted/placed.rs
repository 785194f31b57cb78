//! A polytope and a frustum: their depth along the directions that have a closed form, and where they touch.

use jostle_lanes::{D3, Lanes, Least, Scalar, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::round::Round;
use crate::noise::{AGREE, CONVERGED, noise, tells_touching};
use crate::polytope::view::{PolytopeView, load3, node_block, splat};

/// The least depth, in the polytope's frame.
#[derive(Clone, Copy, Debug)]
pub struct FoundDepth<T: Scalar> {
    /// Unit vector from the polytope to the frustum.
    pub normal: Vec3<T>,
    /// How far the frustum has to move along it.
    pub depth: T,
    /// A point of the polytope's edge and what leads to its other end, if an edge touches.
    pub edge: Option<[Vec3<T>; 2]>,
}

/// Where the two touch.
#[derive(Clone, Copy, Debug)]
pub struct PolytopeTouch<T: Scalar> {
    /// The polytope's point; the frustum's is as deep behind it as the two overlap.
    pub point: Vec3<T>,
    /// True if both are on their bodies, but for rounding.
    pub fits: bool,
    /// How far off their bodies the points are, at most, if they fit (known in precisions that can tell touching).
    pub off: T,
}

/// A point that lacks so much of being inside of a frustum is off it by no more than this times as much
/// (`curved/tests.rs`).
const LACKS: f64 = 2.0;

/// One pair in the polytope's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct PlacedFrustum<'s, T: Scalar> {
    /// The one.
    pub polytope: PolytopeView<'s, T>,
    /// The other.
    pub round: Round<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

impl<T: Scalar> PlacedFrustum<'_, T> {
    /// The depth along a direction, and the polytope's support.
    #[inline(always)]
    pub fn depth<L: Lanes<Scalar = T>>(&self, normal: Vec3<T>) -> (T, Vec3<T>) {
        let corner = self.polytope.support::<D3, L>(normal);
        (corner.dot(normal) + self.round.beyond(normal), corner)
    }

    /// The least of the depths that have a closed form; that of a corner if it is less by more than `gain`.
    #[inline(always)]
    pub fn closed<L: Lanes<Scalar = T>>(&self, gain: T) -> FoundDepth<T> {
        let mut best = self.along_axis::<L>();
        self.faces::<L>(&mut best);
        self.corner::<L>(&mut best, gain);
        best
    }

    /// The best of the two ends of the axis.
    #[inline(always)]
    fn along_axis<L: Lanes<Scalar = T>>(&self) -> FoundDepth<T> {
        let axis = self.round.axis();
        let (along, scale) = (splat::<D3, L>(axis), L::splat(self.polytope.scale));
        let infinity = L::splat(L::Scalar::INFINITY);
        let (mut least, mut most) = (infinity, -infinity);
        for block in self.polytope.points.blocks.chunks_exact(3 * MAX_WIDTH) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let height = (load3::<L>(block, MAX_WIDTH, 0, start) * scale).dot(along);
                (least, most) = (least.min(height), most.max(height));
                start += L::WIDTH;
            }
        }
        let up = self.round.beyond(axis) - (-most).reduce_min();
        let down = self.round.beyond(-axis) - least.reduce_min();
        let (normal, depth) = if down < up { (-axis, down) } else { (axis, up) };
        FoundDepth { normal, depth, edge: None }
    }

    /// The best face.
    #[inline(always)]
    fn faces<L: Lanes<Scalar = T>>(&self, best: &mut FoundDepth<T>) {
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
            *best = FoundDepth { normal: self.polytope.normal::<D3>(node), depth, edge: None };
        }
    }

    /// The corner against the side, if that is less by more than `gain`. Along the ridge each corner alone makes a
    /// depth that is least towards the axis, and the largest of all is the true one: so only the corner whose least is
    /// the largest can be the one.
    #[inline(always)]
    fn corner<L: Lanes<Scalar = T>>(&self, best: &mut FoundDepth<T>, gain: T) {
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
        let (shallowest, corner) = least.found();
        // It is no less with the others. What is NaN is looked at.
        if self.round.ridge_depth(-shallowest) >= best.depth - gain {
            return;
        }
        let normal = self.round.ridge_at(self.polytope.point::<D3>(corner));
        let depth = self.depth::<L>(normal).0;
        if depth < best.depth {
            *best = FoundDepth { normal, depth, edge: None };
        }
    }

    /// The points that touch, if some of those that suggest themselves fit.
    #[inline(always)]
    pub fn touch<L: Lanes<Scalar = T>>(&self, found: &FoundDepth<T>) -> PolytopeTouch<T> {
        let FoundDepth { normal, depth, edge } = *found;
        let (round, polytope) = (&self.round, &self.polytope);
        let rim = round.centre - round.support(normal) + normal * depth;
        let outside = polytope.outside::<D3, L>(rim);
        if outside <= self.tolerance() {
            return PolytopeTouch { point: rim, fits: true, off: self.off::<L>(rim, outside) };
        }
        let corner = self.depth::<L>(normal).1;
        let lacks = -round.clearance(corner - normal * depth);
        if lacks <= self.tolerance() {
            return PolytopeTouch { point: corner, fits: true, off: lacks.max(T::ZERO) * T::from_f64(LACKS) };
        }
        if let Some([from, along]) = edge {
            let [lower, upper] = round.side_line(normal);
            let (start, line) = (round.centre - lower + normal * depth, lower - upper);
            let cross = along.cross(line);
            let across = (start - from).cross(line).dot(cross) / cross.length_squared();
            // Of a cap all but parallel to the edge a direction says little of where on its rim it is the furthest.
            let [first, second] = round.crossings(from - normal * depth, along, normal);
            for share in [across, first, second] {
                let point = from + along * share;
                let (outside, lacks) = (polytope.outside::<D3, L>(point), -round.clearance(point - normal * depth));
                if outside <= self.tolerance() && lacks <= self.tolerance() {
                    let off = self.off::<L>(point, outside) + lacks.max(T::ZERO) * T::from_f64(LACKS);
                    return PolytopeTouch { point, fits: true, off };
                }
            }
        }
        PolytopeTouch { point: corner, fits: false, off: T::INFINITY }
    }

    /// What counts as rounding of a point.
    #[inline(always)]
    fn tolerance(&self) -> T {
        noise(AGREE / 2.0, self.magnitude)
    }

    /// The most that a point may be off the polytope if it is `outside` of its planes by so much: drawn towards the
    /// centre of a ball inside of the polytope, it comes to lie behind all planes. Zero in precisions that do not need
    /// it.
    #[inline(always)]
    fn off<L: Lanes<Scalar = T>>(&self, point: Vec3<T>, outside: T) -> T {
        if const { !tells_touching::<T>() } {
            return T::ZERO;
        }
        let radius = self.polytope.inradius::<D3, L>();
        if radius > T::ZERO {
            // What planes are off is counted as well.
            let outside = outside.max(T::ZERO) + noise(2.0 * CONVERGED, self.magnitude);
            point.length_squared().sqrt() * (outside / radius)
        } else {
            T::INFINITY
        }
    }
}
