//! The solver of overlapping frustums.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vec3};
use jostle_shape::MAX_WIDTH;

use super::framed::framed;
use super::pursuit::pursuit;
use super::search::least;
use super::touch::{FrustumTouch, Small, touch};
use super::view::View;
use crate::answer::{Answer, Nearly};
use crate::boxes::axes::Axis;
use crate::distance::{AskedDistance, Distance};
use crate::frame::PairLanes;
use crate::noise::{FORWARD, noise};
use crate::query::{Solve, SolveSpace};
use crate::widened::{narrowed, widened};

/// The depth of overlapping frustums.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFrustumDepth;

impl<S: SolveSpace, T: Scalar> Solve<S, Distance<'_, S, T>> for FrustumFrustumDepth {
    type PacketScratch<'s, L: Lanes> = ();
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(
        &self,
        (): &mut (),
        _: AskedDistance<S, L>,
        pair: &PairLanes<S, L>,
        _: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let framed = framed(pair);
        let best = least(&framed.view, pair.magnitude);
        let touch = touch_along(pair, &framed.view, best.normal, best.depth);
        let (normal, a) = (framed.rotate(best.normal), framed.rotate(touch.a));
        let axis = Axis { normal: narrowed::<S, L>(normal), depth: best.depth, uncertain: L::Mask::splat(false) };
        let nearly = Nearly::round(pair, best.depth, touch.off);
        Answer::searched(pair, &axis, touch.least, narrowed::<S, L>(a), touch.fits, nearly)
    }
}

/// Where they touch once they are moved apart along a direction of their view.
#[inline(always)]
fn touch_along<S: Space, L: Lanes>(
    pair: &PairLanes<S, L>,
    view: &View<L>,
    normal: Vec3<L>,
    depth: L,
) -> FrustumTouch<L> {
    let fit = pursuit::<L::Scalar>().fit;
    let [level, tolerance, rounding] =
        [noise(fit / 3.0, pair.magnitude), noise(fit, pair.magnitude), noise(FORWARD, pair.magnitude)];
    touch(view, normal, depth, Small { level, tolerance, rounding })
}

/// A depth that two frustums do not fall below along any direction, as far as points of both show it that are about
/// where they touch along `normal`, along which they are so deep; below zero where there is no such point.
pub fn shown<S: Space>(pair: &PairLanes<S, f64>, normal: S::Vector<f64>, depth: f64) -> f64 {
    let framed = framed(pair);
    touch_along(pair, &framed.view, framed.unrotate(widened::<f64, _>(normal)), depth).least
}
