//! The last steps to the bottom of a smooth valley: Newton on the sphere, with the Hessian in closed form.

use jostle_lanes::{Lanes, Mask, Vec3, Vector};

use super::rims::unit_or_zero;
use super::view::{BestNormal, View, tiny};

/// Moves the directions that are true in `best.smooth` towards where the supports' difference is along them; a step
/// that does not come nearer is not taken.
#[inline(always)]
pub fn polish<L: Lanes>(view: &View<L>, best: &mut BestNormal<L>, slack: L, steps: u32) {
    let mut step = newton(view, best.normal);
    let mut live = best.smooth;
    for _ in 0..steps {
        if !live.any() {
            break;
        }
        let n = unit_or_zero(best.normal + step.by);
        let next = newton(view, n);
        live = live & next.off.lt(step.off) & next.depth.le(best.depth + slack);
        best.normal = Vec3::select(live, n, best.normal);
        best.depth = L::select(live, next.depth, best.depth);
        step = NewtonStep {
            by: Vec3::select(live, next.by, step.by),
            off: L::select(live, next.off, step.off),
            depth: L::select(live, next.depth, step.depth),
        };
    }
}

struct NewtonStep<L: Lanes> {
    /// Where to go.
    by: Vec3<L>,
    /// How far the support is from being along the direction, squared.
    off: L,
    depth: L,
}

#[inline(always)]
fn newton<L: Lanes>(view: &View<L>, n: Vec3<L>) -> NewtonStep<L> {
    let zero = L::zero();
    let m = view.across(n);
    let [sine_a, sine_b] = view.sines(n);
    let (share_a, share_b) = (L::one() / sine_a.max(tiny()), L::one() / sine_b.max(tiny()));
    let [a, b] = &view.bodies;
    let [up_a, radius_a] = a.rim((a.half * n.x + a.top * sine_a).ge(a.base * sine_a - a.half * n.x));
    let [up_b, radius_b] = b.rim((b.half * m.x + b.top * sine_b).ge(b.base * sine_b - b.half * m.x));
    let (bend_a, bend_b) = (radius_a * share_a, radius_b * share_b);
    let b_axis = Vec3 { x: view.cosine, y: view.sine, z: zero };
    // The part of n across B's axis, in this view.
    let b_out = Vec3 { x: view.sine * m.y, y: -(view.cosine * m.y), z: n.z };
    let support = Vec3 { x: up_a, y: bend_a * n.y, z: bend_a * n.z } + b_axis * up_b + b_out * bend_b - view.offset;
    let depth = support.dot(n);
    // Across n: A's tangent and what is left.
    let first = Vec3 { x: zero, y: -(n.z * share_a), z: n.y * share_a };
    let second = n.cross(first);
    let tangent = b_axis.cross(n) * share_b;
    let (c, s) = (tangent.dot(first), tangent.dot(second));
    let xx = bend_a + bend_b * c * c - depth;
    let xy = bend_b * c * s;
    let yy = bend_b * s * s - depth;
    let (gx, gy) = (support.dot(first), support.dot(second));
    let determinant = xx * yy - xy * xy;
    let bottom = determinant.gt(zero) & xx.gt(zero);
    let share = L::one() / L::select(bottom, determinant, L::one());
    let (x, y) = ((xy * gy - yy * gx) * share, (xy * gx - xx * gy) * share);
    let long = (x * x + y * y).sqrt();
    let most = L::constant(0.3);
    let share = L::select(bottom, most / long.max(most), zero);
    NewtonStep { by: first * (x * share) + second * (y * share), off: gx * gx + gy * gy, depth }
}
