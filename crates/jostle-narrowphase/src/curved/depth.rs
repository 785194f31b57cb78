//! The solver of overlapping frustums.

use jostle_lanes::{Lanes, Mask, Scalar};
use jostle_shape::MAX_WIDTH;

use super::framed::framed;
use super::pursuit::pursuit;
use super::search::least;
use super::touch::touch;
use crate::answer::{Answer, Nearly};
use crate::boxes::axes::Axis;
use crate::distance::{Asked, Distance};
use crate::frame::PairLanes;
use crate::noise::noise;
use crate::query::{Solve, SolveSpace};
use crate::widened::narrowed;

/// The depth of overlapping frustums.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFrustumDepth;

impl<S: SolveSpace, T: Scalar> Solve<S, Distance<'_, S, T>> for FrustumFrustumDepth {
    type Kept<'s, L: Lanes> = ();
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(
        &self,
        (): &mut (),
        _: Asked<S, L>,
        pair: &PairLanes<S, L>,
        _: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let framed = framed(pair);
        let best = least(&framed.view, pair.magnitude);
        let fit = pursuit::<L::Scalar>().fit;
        let (level, tolerance) = (noise(fit / 3.0, pair.magnitude), noise(fit, pair.magnitude));
        let touch = touch(&framed.view, best.normal, best.depth, level, tolerance);
        let (normal, a) = (framed.rotate(best.normal), framed.rotate(touch.a));
        let axis = Axis { normal: narrowed::<S, L>(normal), depth: best.depth, uncertain: L::Mask::splat(false) };
        let nearly = Nearly::round(pair, best.depth, touch.off);
        Answer::searched(pair, &axis, touch.least, narrowed::<S, L>(a), touch.fits, nearly)
    }
}
