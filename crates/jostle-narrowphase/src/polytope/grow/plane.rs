//! What grows in the plane: a polygon.

use jostle_lanes::{D2, Lanes, Scalar, Vec2, Vector};

use super::edges::{Edges, Face, Seen};
use super::faces::GrowSpace;

impl GrowSpace for D2 {
    const SIMPLEX: [&'static [Face]; 2] = [&[[0, 1, 1], [1, 2, 2], [2, 0, 0]], &[[1, 0, 0], [2, 1, 1], [0, 2, 2]]];

    #[inline(always)]
    fn across<L: Lanes>([from, to, _]: [Vec2<L>; 3]) -> Vec2<L> {
        -(to - from).perpendicular()
    }

    #[inline(always)]
    fn beside<T: Scalar>(points: [Vec2<T>; 3], _: usize) -> Vec2<T> {
        Self::across(points)
    }

    #[inline(always)]
    fn weights<T: Scalar>(normal: Vec2<T>, [from, to, _]: [Vec2<T>; 3]) -> [T; 3] {
        let along = normal.perpendicular();
        [Lanes::max(along.dot(to), T::ZERO), Lanes::max(-along.dot(from), T::ZERO), T::ZERO]
    }

    /// The ends of a chain of edges.
    #[inline(always)]
    fn list_rim<L: Lanes>(edges: &mut Edges, seen: &Seen<'_>, apex: u8) -> bool {
        let (mut begin, mut end) = (0_u128, 0_u128);
        for (&bits, corners) in seen.bits.iter().zip(seen.corners.chunks(64)) {
            let mut bits = bits;
            while bits != 0 {
                let [from, to, _] = corners[bits.trailing_zeros() as usize];
                bits &= bits - 1;
                begin |= 1 << from;
                end |= 1 << to;
            }
        }
        let (first, last) = (begin & !end, end & !begin);
        edges.set([[first.trailing_zeros() as u8, apex], [apex, last.trailing_zeros() as u8]]);
        first.is_power_of_two() && last.is_power_of_two()
    }
}
