//! Valleys of a function on an arc of a circle, seen in samples of its slope and curvature.
//!
//! Between two samples there is rarely more than one valley, where a second one shows in the curvature.

use jostle_lanes::{Lanes, Mask};

use super::arc::{Arc, Curve};
use super::view::tiny;

/// Intervals that each arc is divided into.
const ARC_PARTS: usize = 8;

/// The angle whose sine is given, up to an eighth of a turn: 1 % too much there.
#[inline(always)]
fn angle<L: Lanes>(sine: L) -> L {
    let square = sine * sine;
    let series = L::constant(0.075) + square * L::constant(0.06);
    sine * (L::one() + square * (L::constant(1.0 / 6.0) + square * series)) * L::constant(1.001)
}

/// The sine of the angle from one direction to another.
#[inline(always)]
pub fn turns<L: Lanes>(from: [L; 2], to: [L; 2]) -> L {
    from[0] * to[1] - from[1] * to[0]
}

/// The direction of a vector; any where it has none.
#[inline(always)]
pub fn direction_2d<L: Lanes>(x: L, y: L) -> [L; 2] {
    let length = (x * x + y * y).sqrt();
    let known = length.gt(tiny());
    let share = L::one() / L::select(known, length, L::one());
    [L::select(known, x * share, L::one()), y * share]
}

/// The direction in the middle of two.
#[inline(always)]
pub fn halfway<L: Lanes>(from: [L; 2], to: [L; 2]) -> [L; 2] {
    direction_2d(from[0] + to[0], from[1] + to[1])
}

/// A valley seen in the samples of an arc.
#[derive(Clone, Copy, Debug)]
pub struct CurveValley<L: Lanes> {
    /// Where to look for its bottom.
    pub arc: Arc<L>,
    /// True if there is one.
    pub there: L::Mask,
}

impl<L: Lanes> CurveValley<L> {
    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self { arc: Arc::select(mask, a.arc, b.arc), there: (mask & a.there) | (!mask & b.there) }
    }
}

#[derive(Clone, Copy, Debug)]
struct CurveSample<L: Lanes> {
    slope: L,
    curvature: L,
}

#[inline(always)]
fn sample<L: Lanes, C: Curve<L>>(curve: &C, [cosine, sine]: [L; 2]) -> CurveSample<L> {
    let [slope, curvature] = curve.slope(cosine, sine);
    CurveSample { slope, curvature }
}

/// The first two valleys between two directions up to a half turn apart (the second is to the left of the first). Half
/// of the samples are before `middle`, half behind it.
#[inline(always)]
pub fn valleys<L: Lanes, C: Curve<L>>(curve: &C, ends: [[L; 2]; 2], middle: [L; 2]) -> [CurveValley<L>; 2] {
    let zero = L::zero();
    let no = L::Mask::splat(false);
    let empty = CurveValley { arc: Arc { from: ends[0], way: zero, width: zero, start: zero, falls: no }, there: no };
    let mut valleys = [empty, empty];
    let mut stops = [ends[0]; ARC_PARTS + 1];
    (stops[ARC_PARTS / 2], stops[ARC_PARTS]) = (middle, ends[1]);
    let mut gap = ARC_PARTS / 4;
    while gap > 0 {
        let mut k = gap;
        while k < ARC_PARTS {
            stops[k] = halfway(stops[k - gap], stops[k + gap]);
            k += 2 * gap;
        }
        gap /= 2;
    }
    let mut from = ends[0];
    let mut place = sample(curve, from);
    for k in 1..=ARC_PARTS {
        let to = stops[k];
        let next = sample(curve, to);
        let width = angle(turns(from, to));
        let falls = place.slope.le(zero) & next.slope.ge(zero);
        // A slope of one sign that might dip below zero on the way: its tangents at both ends meet near there.
        let rising = place.slope.gt(zero) & next.slope.gt(zero) & place.curvature.lt(zero) & next.curvature.gt(zero);
        let falling = place.slope.lt(zero) & next.slope.lt(zero) & place.curvature.gt(zero) & next.curvature.lt(zero);
        let levels = rising | falling;
        let bends = next.curvature - place.curvature;
        let meet = (place.slope - next.slope + next.curvature * width) / L::select(levels, bends, L::one());
        let low = place.slope + place.curvature * meet;
        let less = place.slope.abs().min(next.slope.abs()) * L::constant(0.5);
        let dips = (rising & low.le(less)) | (falling & low.ge(-less));
        let rise = next.slope - place.slope;
        let start = width * (place.slope / -L::select(rise.gt(zero), rise, L::one()));
        let start = L::select(falls, start, L::select(falling, width - meet, meet)).max(zero).min(width);
        let back = dips & falling;
        let arc = Arc {
            from: [L::select(back, to[0], from[0]), L::select(back, to[1], from[1])],
            way: L::select(back, -L::one(), L::one()),
            width,
            start,
            falls,
        };
        let found = CurveValley { arc, there: falls | dips };
        let second = found.there & valleys[0].there & !valleys[1].there;
        valleys[1] = CurveValley::select(second, found, valleys[1]);
        valleys[0] = CurveValley::select(found.there & !valleys[0].there, found, valleys[0]);
        (from, place) = (to, next);
    }
    valleys
}
