//! What has a closed form, of boxes: in lanes, a pair in each, as all of them have six faces and eight corners. (By the
//! pair, in registers of which half were empty, it was a quarter of what cans in boxes took.)

use jostle_lanes::{Lanes, Mask, Scalar, Vec3, Vector};

use super::round::Round;

/// The least of the depths that have a closed form, and its direction: the same bits as
/// [`closed`](super::placed::Placed::closed) finds.
#[inline(always)]
pub fn closed<L: Lanes>(half: Vec3<L>, round: &Round<L>, gain: L) -> (Vec3<L>, L) {
    let (axis, one) = (round.axis(), L::one());
    let depth = core::convert::identity(
        #[inline(always)]
        |normal: Vec3<L>| normal.abs().dot(half) + round.beyond(normal),
    );
    let (up, down) = (depth(axis), depth(-axis));
    let lower = down.lt(up);
    let mut best = (Vec3::select(lower, -axis, axis), L::select(lower, down, up));
    for k in 0..3 {
        for side in [-one, one] {
            let normal = Vec3::from_fn(
                #[inline(always)]
                |j| if j == k { side } else { L::zero() },
            );
            let depth = half.get(k) + round.beyond(normal);
            let better = depth.lt(best.1);
            best = (Vec3::select(better, normal, best.0), L::select(better, depth, best.1));
        }
    }
    let mut furthest = (half, -L::splat(L::Scalar::INFINITY));
    for corner in 0..8 {
        let point = Vec3::from_fn(
            #[inline(always)]
            |k| if corner >> k & 1 == 1 { half.get(k) } else { -half.get(k) },
        );
        let along = round.least_on_ridge(point);
        let further = along.gt(furthest.1);
        furthest = (Vec3::select(further, point, furthest.0), L::select(further, along, furthest.1));
    }
    let open = !round.ridge_depth(furthest.1).ge(best.1 - gain);
    if !open.any() {
        return best;
    }
    let normal = round.ridge_at(furthest.0);
    let depth = depth(normal);
    let better = open & depth.lt(best.1);
    (Vec3::select(better, normal, best.0), L::select(better, depth, best.1))
}
