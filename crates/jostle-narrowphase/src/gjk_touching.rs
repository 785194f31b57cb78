//! Cores that touch, told from what GJK ends on.
//!
//! Where the cores have a point in common GJK's `v` is nothing but rounding, and so is its direction. But the simplex
//! that carries it lies in the plane along which they touch: corner in face, edge across edge, or a chord of whatever
//! is round. Across that plane the cores are asked once more. If they go no deeper than rounding, its two points and
//! this plane are all there is to know, and no depth is searched, which took hulls three times as long.
//!
//! `f64` then has its answer. `f32` cannot say more than that a pair nearly touches, and leaves it to `f64` without a
//! search of its own.

use jostle_lanes::{Lanes, Mask, Vector};
use jostle_shape::SupportMap;

use crate::answer::Answer;
use crate::boxes::axes::Axis;
use crate::frame::PairLanes;
use crate::gjk::{Cores, GjkSearch};
use crate::noise::{AGREE, noise, tells_touching};
use crate::simplex::{ALL_VERTICES, Simplex, SimplexSpace};

/// `answer`, but for the lanes whose cores only touch by what the search ended on.
#[inline(always)]
pub fn or_touching<S, L, A, B>(
    answer: Answer<S, L>,
    pair: &PairLanes<S, L>,
    cores: &Cores<'_, S, L, A, B>,
    ended: &GjkSearch<S, L>,
) -> Answer<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    if const { !tells_touching::<L::Scalar>() } {
        // Most bodies whose simplex holds the origin do overlap, and to look at its faces is a step more: not worth it
        // here.
        let nearly = ended.overlap & !ended.inside;
        if !nearly.any() {
            return answer;
        }
        return answer.with_touching(pair, &ended.measured(), &plane(cores, ended, nearly));
    }
    // Of edges nearly parallel a tetrahedron may seem to hold the origin though the cores are apart.
    let held = ended.inside & ended.simplex.encloses(ended.last.w, L::zero());
    let nearly = ended.overlap & !held;
    if !nearly.any() {
        return answer;
    }
    let surfaced = surfaced(ended);
    let found = surfaced.measured_with_care();
    // A depth is searched where the origin is held whatever rounding did, or there are two points no farther apart than
    // that.
    let common = !ended.overlap | held | (found.distance + found.residual).le(noise(AGREE, pair.magnitude));
    let answer = Answer { overlap: answer.overlap & common, ..answer };
    answer.with_touching(pair, &found, &plane(cores, &surfaced, nearly))
}

/// The same search, but of the faces that enclose the origin the nearest.
#[inline(always)]
fn surfaced<S: SimplexSpace, L: Lanes>(ended: &GjkSearch<S, L>) -> GjkSearch<S, L> {
    let step = ended.simplex.step::<ALL_VERTICES, false>(ended.last);
    let squared = step.v.length_squared();
    // That which the last vertex is opposite to is what the search ended on.
    let nearer = ended.inside & squared.lt(ended.squared);
    GjkSearch {
        simplex: S::Simplex::<L>::select(nearer, step.simplex, ended.simplex),
        v: S::Vector::select(nearer, step.v, ended.v),
        squared: L::select(nearer, squared, ended.squared),
        ..*ended
    }
}

/// The plane across what a search ended on, and how deep the cores are there; for the lanes that are true in `active`.
#[inline(always)]
fn plane<S, L, A, B>(cores: &Cores<'_, S, L, A, B>, ended: &GjkSearch<S, L>, active: L::Mask) -> Axis<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    let across = ended.simplex.across();
    let squared = across.length_squared();
    let some = squared.gt(L::zero());
    // From A to B: the other way round they are as deep as both are thick.
    let toward = L::one().copysign(across.dot(cores.offset));
    let normal = across * (toward / L::select(some, squared, L::one()).sqrt());
    let depth = cores.support(normal, active & some).w.dot(normal);
    Axis { normal, depth, uncertain: !(active & some) }
}
