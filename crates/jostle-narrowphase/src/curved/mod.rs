//! Two frustums in lanes: their distance by Newton's method ([`mod@apart`]), their least depth by looking everywhere it can be.
//!
//! Over directions n the depth `h_A(n) + h_B(-n) - n.offset` is the largest of four smooth functions, one for each
//! pair of rims. Its local minima are of four kinds, and each kind is a search over nothing or over one angle:
//!
//! - along an axis: a cap of one body against the other (four directions);
//! - where the side of one body is its support: a circle of directions for each body ([`ridge`]);
//! - where the sides of both are: the two circles' crossing;
//! - between those: two rims crossing ([`rims`]).
//!
//! What was learned: sampling the sphere and going down from the best samples misses a minimum in one pair of a hundred,
//! because those between ridges are small and their neighbours low. As the distance of two circles the same minima are
//! wide and easily bracketed. The best direction is then held against the bodies ([`touch`]): if it is no local minimum,
//! the faces along it do not meet, and the pair is left to others.
//!
//! What is proved is that no direction is known to be better, not that none is: of the angles only samples are looked at.
//! With half as many samples, five pairs in a million were off by more than 1e-5 of the size (held against the expanding
//! polytope; most of the pairs were degenerate); with as many as there are, none of 1.3 million was.

mod apart;
mod arc;
mod polish;
mod ridge;
mod rims;
mod search;
#[cfg(test)]
pub mod tests;
mod touch;
mod valleys;
mod view;

use jostle_lanes::{Lanes, Mask, Rotation, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use crate::answer::{Answer, Nearly};
use crate::boxes::Axis;
use crate::class::Precision;
use crate::frame::PairLanes;
use crate::gjk::{Beside, Gjk};
use crate::noise::{APART, noise};
use crate::solve::{Asked, Distance, Solve, SolveSpace};
use apart::{Apart, apart};
pub use arc::{Arc, Curve, descend};
pub use search::pursuit;
use search::{Framed, least};
pub use valleys::{Valley, halfway, toward, turns, valleys};
pub use view::{Frustum, tiny};

/// The depth of overlapping frustums.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFrustumDepth;

impl<S: SolveSpace, T: Precision> Solve<S, Distance<'_, S, T>> for FrustumFrustumDepth {
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
        let touch = touch::touch(&framed.view, best.normal, best.depth, level, tolerance);
        let (normal, a) = (framed.rotate(best.normal), framed.rotate(touch.a));
        let axis = Axis { normal: narrow::<S, L>(normal), depth: best.depth, uncertain: L::Mask::splat(false) };
        let nearly = Nearly::round(pair, touch.off);
        Answer::searched(pair, &axis, touch.least, narrow::<S, L>(a), touch.fits, nearly)
    }
}

/// A pair of frustums in the frame that their axes make.
#[inline(always)]
fn framed<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> Framed<L> {
    let [[base_a, half_a, top_a], [base_b, half_b, top_b]] = pair.numbers;
    let a = Frustum { half: half_a, base: base_a, top: top_a };
    let b = Frustum { half: half_b, base: base_b, top: top_b }.mirrored();
    Framed::new([a, b], wide::<S, L>(pair.turn.column(1)), wide::<S, L>(pair.offset))
}

/// The distance of frustums that are [apart](mod@apart), for lanes of which GJK has found about where to look.
#[derive(Clone, Copy, Debug)]
pub struct FrustumsApart<'p, S: Space, L: Lanes> {
    pair: &'p PairLanes<S, L>,
    tolerance: L,
    after: u32,
    found: Apart<L>,
}

/// So many steps of GJK from anywhere lead to a direction that is about right.
const FROM_ANYWHERE: u32 = 5;
/// So many more steps lead to a better one, from where half of those that were not settled are. (3 and 10 were about as good; it is pairs
/// that touch, in `f64`, for whom it pays: these took 50 steps more.)
const AGAIN: u32 = 7;

impl<'p, S: Space, L: Lanes> FrustumsApart<'p, S, L> {
    /// Nothing is known yet.
    #[inline(always)]
    pub fn new(pair: &'p PairLanes<S, L>, tolerance: L) -> Self {
        Self { pair, tolerance, after: FROM_ANYWHERE, found: Apart::nothing() }
    }

    /// GJK begins where the last search ended: the direction is about right from the first. Also for who is near enough for GJK to end
    /// at once, with a distance to the last digit and a direction to half of these.
    #[inline(always)]
    pub fn resumed(self) -> Self {
        Self { after: 0, ..self }
    }

    /// What was found, and what GJK found where nothing was; points in A's frame.
    #[inline(always)]
    pub fn or(&self, other: Gjk<S, L>) -> Gjk<S, L> {
        let Apart { a, v, residual, lower, settled, overlap } = self.found;
        let v = S::Vector::select(settled, narrow::<S, L>(v), other.v);
        Gjk {
            v,
            a: S::Vector::select(settled, narrow::<S, L>(a), other.a),
            distance: L::select(settled, v.length_squared().sqrt(), other.distance),
            lower: L::select(settled, lower, other.lower),
            residual: L::select(settled, residual, other.residual),
            overlap: other.overlap | overlap,
            sharp: settled | other.sharp,
        }
    }
}

impl<S: Space, L: Lanes> Beside<S, L> for FrustumsApart<'_, S, L> {
    const ASKED: bool = true;
    #[inline(always)]
    fn due(&self, steps: u32) -> bool {
        steps == self.after || steps == self.after + AGAIN
    }
    #[inline(always)]
    fn take(&mut self, v: S::Vector<L>, live: L::Mask) -> L::Mask {
        let framed = framed(self.pair);
        let found = apart(&framed.view, framed.unrotate(wide::<S, L>(-v)), self.tolerance, live);
        // The depths of segments are shown by what GJK ends on.
        let overlap = found.overlap & both_round(self.pair);
        self.found = self.found.or(Apart { a: framed.rotate(found.a), v: framed.rotate(found.v), overlap, ..found });
        found.settled | overlap
    }
}

/// How near to each other the points that GJK ends on may be for a depth to be asked for where nothing else is known: of frustums, whose
/// search tells what its own points are worth, and of segments, whose depth is searched as that of boxes.
#[inline(always)]
pub fn nearness<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L {
    // The middle of a chord of 1e-3, GJK's last, is 1e-7 inside.
    L::select(both_round(pair), pair.magnitude * L::constant(1e-6), noise(APART, pair.magnitude))
}

/// True where neither is a segment.
#[inline(always)]
fn both_round<S: Space, L: Lanes>(pair: &PairLanes<S, L>) -> L::Mask {
    let [[base_a, _, top_a], [base_b, _, top_b]] = pair.numbers;
    base_a.max(top_a).gt(L::zero()) & base_b.max(top_b).gt(L::zero())
}

#[inline(always)]
fn wide<S: Space, L: Lanes>(v: S::Vector<L>) -> Vec3<L> {
    Vec3 { x: v.get(0), y: v.get(1), z: v.get(2) }
}

#[inline(always)]
fn narrow<S: Space, L: Lanes>(v: Vec3<L>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| v.get(k),
    )
}
