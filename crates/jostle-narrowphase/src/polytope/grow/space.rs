//! What grows in space: a polytope of triangles.

use jostle_lanes::{D3, Lanes, Scalar, Vec3, Vector};

use super::edges::{Edges, FaceCorners};
use super::faces::GrowSpace;

/// Twice the area of the triangle of the origin and two points, seen along a normal; none if it is seen from behind.
#[inline(always)]
fn share<L: Lanes>(normal: Vec3<L>, one: Vec3<L>, other: Vec3<L>) -> L {
    normal.dot(one.cross(other)).max(L::zero())
}

impl GrowSpace for D3 {
    const SIMPLEX: [&'static [FaceCorners]; 2] =
        [&[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]], &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]];

    #[inline(always)]
    fn across<L: Lanes>([a, b, c]: [Vec3<L>; 3]) -> Vec3<L> {
        (a - c).cross(b - c)
    }

    #[inline(always)]
    fn beside<T: Scalar>([a, b, c]: [Vec3<T>; 3], count: usize) -> Vec3<T> {
        if count > 2 {
            return Self::across([a, b, c]);
        }
        // Across the edge, and the axis that is least along it.
        let edge = b - a;
        let size = edge.abs();
        let least = if size.x <= size.y && size.x <= size.z { 0 } else { 1 + usize::from(size.z < size.y) };
        edge.cross(Vec3::unit(least))
    }

    #[inline(always)]
    fn weights<L: Lanes>(normal: Vec3<L>, [p, q, r]: [Vec3<L>; 3]) -> [L; 3] {
        [share(normal, q, r), share(normal, r, p), share(normal, p, q)]
    }

    #[inline(always)]
    fn pass(edges: &mut Edges) {
        edges.pass();
    }

    /// The edges that are passed one way only.
    #[inline(always)]
    fn list_rim<L: Lanes>(edges: &mut Edges, _: u8) -> bool {
        edges.keep_one_way::<L>();
        // Nothing is left, as rounding had it; or holes meet in a corner: from there two edges to the new point would
        // be the same, and one way back would be taken for both.
        !edges.rim().is_empty() && !edges.meet()
    }
}
