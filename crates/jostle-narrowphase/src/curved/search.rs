//! The search for the least depth: all places where it may be, one after the other, in the frame that two axes make.

use jostle_lanes::Lanes;

use super::pursuit::pursuit;
use super::view::{BestNormal, View};
use super::{polish, ridge, rims};
use crate::noise::{CONVERGED, noise};

/// The best direction of all.
#[inline(always)]
pub fn least<L: Lanes>(view: &View<L>, magnitude: L) -> BestNormal<L> {
    let [ridge_steps, rim_steps, sphere_steps] = pursuit::<L::Scalar>().steps;
    let mut best = BestNormal::none();
    best.offer_axes(view, None);
    best.offer_axes(&view.swapped(), Some(view));
    ridge::offer_crossing(view, &mut best);
    ridge::offer_ridge(view, None, &mut best, ridge_steps);
    ridge::offer_ridge(&view.swapped(), Some(view), &mut best, ridge_steps);
    rims::offer_rims(view, &mut best, rim_steps);
    polish::polish(view, &mut best, noise(CONVERGED, magnitude), sphere_steps);
    best
}
