//! A polytope and a frustum: their depth along the directions that have a closed form, and where they touch.

use jostle_lanes::{D3, Lanes, Least, Scalar, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::round::Round;
use crate::noise::{APART, noise};
use crate::polytope::view::{PolytopeView, load3, node_block};

/// The least depth, in the polytope's frame.
#[derive(Clone, Copy, Debug)]
pub struct Found<T: Scalar> {
    /// Unit vector from the polytope to the frustum.
    pub normal: Vec3<T>,
    /// How far the frustum has to move along it.
    pub depth: T,
    /// A point of the polytope's edge and what leads to its other end, if an edge touches.
    pub edge: Option<[Vec3<T>; 2]>,
}

/// One pair in the polytope's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'s, T: Scalar> {
    /// The one.
    pub polytope: PolytopeView<'s, T>,
    /// The other.
    pub round: Round<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

impl<T: Scalar> Placed<'_, T> {
    /// The depth along a direction, and the polytope's support.
    #[inline(always)]
    pub fn depth<L: Lanes<Scalar = T>>(&self, normal: Vec3<T>) -> (T, Vec3<T>) {
        let corner = self.polytope.support::<D3, L>(normal);
        (corner.dot(normal) + self.round.beyond(normal), corner)
    }

    /// The best of the two ends of the axis.
    #[inline(always)]
    pub fn along_axis<L: Lanes<Scalar = T>>(&self) -> Found<T> {
        let axis = self.round.axis();
        let (up, down) = (self.depth::<L>(axis).0, self.depth::<L>(-axis).0);
        let (normal, depth) = if down < up { (-axis, down) } else { (axis, up) };
        Found { normal, depth, edge: None }
    }

    /// The best face.
    #[inline(always)]
    pub fn faces<L: Lanes<Scalar = T>>(&self, best: &mut Found<T>) {
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
    pub fn corner<L: Lanes<Scalar = T>>(&self, best: &mut Found<T>) {
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
    pub fn touch<L: Lanes<Scalar = T>>(&self, found: &Found<T>) -> (Vec3<T>, bool) {
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
}
