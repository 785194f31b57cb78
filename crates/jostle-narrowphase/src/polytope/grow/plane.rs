//! What grows in the plane: a polygon.

use jostle_lanes::{D2, Lanes, Scalar, Vec2, Vector};

use super::edges::{Edges, FaceCorners, corners};
use super::faces::GrowSpace;

impl GrowSpace for D2 {
    const SIMPLEX: [&'static [FaceCorners]; 2] =
        [&[[0, 1, 1], [1, 2, 2], [2, 0, 0]], &[[1, 0, 0], [2, 1, 1], [0, 2, 2]]];

    #[inline(always)]
    fn across<L: Lanes>([from, to, _]: [Vec2<L>; 3]) -> Vec2<L> {
        -(to - from).perpendicular()
    }

    #[inline(always)]
    fn beside<T: Scalar>(points: [Vec2<T>; 3], _: usize) -> Vec2<T> {
        Self::across(points)
    }

    #[inline(always)]
    fn weights<L: Lanes>(normal: Vec2<L>, [from, to, _]: [Vec2<L>; 3]) -> [L; 3] {
        let along = normal.perpendicular();
        [along.dot(to).max(L::zero()), (-along.dot(from)).max(L::zero()), L::zero()]
    }

    #[inline(always)]
    fn pass(_: &mut Edges) {}

    /// The ends of a chain of edges.
    #[inline(always)]
    fn list_rim<L: Lanes>(edges: &mut Edges, apex: u8) -> bool {
        let (mut begin, mut end) = (0_u128, 0_u128);
        let Some(taken) = edges.taken() else {
            return false;
        };
        for &face in taken {
            let [from, to, _] = corners(face);
            begin |= 1 << from;
            end |= 1 << to;
        }
        let (first, last) = (begin & !end, end & !begin);
        edges.set([[first.trailing_zeros() as u8, apex], [apex, last.trailing_zeros() as u8]]);
        first.is_power_of_two() && last.is_power_of_two()
    }
}
