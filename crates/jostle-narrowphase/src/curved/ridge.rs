//! Ridges: the circle of directions along which a frustum's side is its support, both rims at once.
//!
//! Where a rim or an apex of B digs into A's side, the least depth lies on it. Along the circle the depth is the larger
//! of two smooth functions, one for each rim of B; where they cross, the sides of both meet.

use jostle_lanes::{Lanes, Mask, Scalar, Vec3};

use super::arc::{Arc, Curve, descend, turned};
use super::view::{BestNormal, View, tiny};

/// Intervals that the half circle is divided into.
const RIDGE_PARTS: usize = 24;
/// The cosines of the directions between them, for the first quarter.
const QUARTER: [f64; RIDGE_PARTS / 2 + 1] = [
    1.0,
    0.991_444_861_373_810_4,
    0.965_925_826_289_068_3,
    0.923_879_532_511_286_7,
    0.866_025_403_784_438_6,
    0.793_353_340_291_235_2,
    core::f64::consts::FRAC_1_SQRT_2,
    0.608_761_429_008_720_7,
    0.5,
    0.382_683_432_365_089_84,
    0.258_819_045_102_520_74,
    0.130_526_192_220_051_7,
    0.0,
];
const COSINES: [f64; RIDGE_PARTS + 1] = half_turn(Of::Cosines);
const SINES: [f64; RIDGE_PARTS + 1] = half_turn(Of::Sines);

#[derive(Clone, Copy)]
enum Of {
    Cosines,
    Sines,
}

/// Cosines or sines of the multiples of [`WIDTH`] up to a half turn.
const fn half_turn(of: Of) -> [f64; RIDGE_PARTS + 1] {
    let mut all = [0.0; RIDGE_PARTS + 1];
    let (mut k, middle) = (0, RIDGE_PARTS / 2);
    while k <= RIDGE_PARTS {
        all[k] = match (of, k <= middle) {
            (Of::Cosines, true) => QUARTER[k],
            (Of::Cosines, false) => -QUARTER[RIDGE_PARTS - k],
            (Of::Sines, true) => QUARTER[middle - k],
            (Of::Sines, false) => QUARTER[k - middle],
        };
        k += 1;
    }
    all
}

const WIDTH: f64 = core::f64::consts::PI / RIDGE_PARTS as f64;

/// The depth along the ridge of A: `constant + linear cos + across sin + radius |the part across B's axis|`, the larger
/// of the two rims of B (lower, upper).
#[derive(Clone, Copy, Debug)]
pub struct Ridge<L: Lanes> {
    along: L,
    sine: L,
    constant: [L; 2],
    linear: [L; 2],
    across: L,
    radius: [L; 2],
    tilt: L,
    lean: L,
}

impl<L: Lanes> Ridge<L> {
    /// The ridge of the view's first body.
    #[inline(always)]
    pub fn new(view: &View<L>) -> Self {
        let [a, b] = &view.bodies;
        let [along, sine] = a.side();
        let middle = a.half * along + a.top * sine - view.offset.x * along;
        let (up, out) = (b.half * view.cosine * along, b.half * view.sine);
        Self {
            along,
            sine,
            constant: [middle - up, middle + up],
            linear: [(-out - view.offset.y) * sine, (out - view.offset.y) * sine],
            across: -(view.offset.z * sine),
            radius: [b.base, b.top],
            tilt: view.cosine * sine,
            lean: view.sine * along,
        }
    }

    /// The direction of the view at an angle.
    #[inline(always)]
    fn direction(&self, [cosine, sine]: [L; 2]) -> Vec3<L> {
        Vec3 { x: self.along, y: self.sine * cosine, z: self.sine * sine }
    }

    /// The part of a direction across B's axis, and its slope.
    #[inline(always)]
    fn out(&self, cosine: L, sine: L) -> [L; 2] {
        let (x, y) = (self.tilt * cosine - self.lean, self.sine * sine);
        let out = (x * x + y * y).sqrt().max(tiny());
        [out, (self.sine * cosine * y - self.tilt * sine * x) / out]
    }

    /// An angle from the end at which the direction has this part across B's axis, within which it may turn.
    #[inline(always)]
    fn turn(&self, end: L) -> L {
        let reach = (end - self.lean).abs() * L::constant(2.0);
        let most = L::constant(WIDTH);
        let near = reach.lt(self.sine * most);
        L::select(near, reach / L::select(near, self.sine, L::one()), most)
    }

    /// Value and slope of both rims' functions at a direction.
    #[inline(always)]
    fn sample(&self, cosine: L, sine: L) -> [RimSample<L>; 2] {
        let [out, slope] = self.out(cosine, sine);
        let (lift, turn) = (self.across * sine, self.across * cosine);
        let mut samples = [RimSample { value: lift, slope: turn }; 2];
        for j in 0..2 {
            samples[j].value = self.constant[j] + self.linear[j] * cosine + self.radius[j] * out + lift;
            samples[j].slope = turn - self.linear[j] * sine + self.radius[j] * slope;
        }
        samples
    }
}

/// One rim's function at a direction.
#[derive(Clone, Copy, Debug)]
struct RimSample<L: Lanes> {
    value: L,
    slope: L,
}

/// The depth along a ridge for one rim of B.
#[derive(Clone, Copy, Debug)]
struct OneRim<L: Lanes> {
    sine: L,
    tilt: L,
    lean: L,
    across: L,
    linear: L,
    radius: L,
}

impl<L: Lanes> Curve<L> for OneRim<L> {
    #[inline(always)]
    fn slope(&self, cosine: L, sine: L) -> [L; 2] {
        let (x, y) = (self.tilt * cosine - self.lean, self.sine * sine);
        let (dx, dy) = (-(self.tilt * sine), self.sine * cosine);
        let share = L::one() / (x * x + y * y).sqrt().max(tiny());
        let slope = (x * dx + y * dy) * share;
        let bend = (dx * dx + dy * dy - self.tilt * cosine * x - y * y - slope * slope) * share;
        [
            self.across * cosine - self.linear * sine + self.radius * slope,
            self.radius * bend - self.linear * cosine - self.across * sine,
        ]
    }
}

/// A valley seen in the samples.
#[derive(Clone, Copy, Debug)]
struct RimValley<L: Lanes> {
    /// About how low it is.
    low: L,
    /// The sample before it, and the angle from there to about its bottom.
    from: [L; 2],
    start: L,
    /// The angle to the sample after it.
    width: L,
    /// The numbers of the rim whose valley it is.
    linear: L,
    radius: L,
}

impl<L: Lanes> RimValley<L> {
    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            low: L::select(mask, a.low, b.low),
            from: [L::select(mask, a.from[0], b.from[0]), L::select(mask, a.from[1], b.from[1])],
            start: L::select(mask, a.start, b.start),
            width: L::select(mask, a.width, b.width),
            linear: L::select(mask, a.linear, b.linear),
            radius: L::select(mask, a.radius, b.radius),
        }
    }
}

/// Offers the bottoms of the two lowest valleys along the ridge of the view's first body; `original` if the view is
/// that one, swapped.
///
/// 1. Sample both rims' functions and their slopes at the ends of [`RIDGE_PARTS`] equal intervals of the half circle,
///    and at one more direction near each of its ends.
/// 2. A rim has a valley in an interval if its slope changes from falling to rising there and the rim is the larger of
///    the two at one of the interval's ends. About how low the valley is tell the tangents at both ends (`low`); where
///    its bottom is, the zero of the slope between them (`start`). Of two valleys in one interval that of the rim which
///    is higher near the middle is taken.
/// 3. Of all intervals the two lowest valleys are kept, sorted.
/// 4. Each that may be lower than the best depth so far is descended to its bottom, along its rim's function.
#[inline(always)]
pub fn offer_ridge<L: Lanes>(view: &View<L>, original: Option<&View<L>>, best: &mut BestNormal<L>, steps: u32) {
    let ridge = Ridge::new(view);
    let zero = L::zero();
    let none = L::splat(-L::Scalar::INFINITY);
    let empty = RimValley {
        low: L::splat(L::Scalar::INFINITY),
        from: [L::one(), zero],
        start: zero,
        width: zero,
        linear: zero,
        radius: zero,
    };
    let mut valleys = [empty, empty];
    // Near B's axis, which is at an end, the depth may turn sharply and back: there are two more samples about twice as
    // far from the ends as that takes.
    let widths = [ridge.turn(ridge.tilt), ridge.turn(-ridge.tilt)];
    let mut last = ridge.sample(L::one(), zero);
    let mut from = [L::one(), zero];
    let mut done = zero;
    for k in 1..=RIDGE_PARTS + 2 {
        let (to, angle) = if k == 1 {
            (turned([L::one(), zero], widths[0]), widths[0])
        } else if k == RIDGE_PARTS + 1 {
            (turned([-L::one(), zero], -widths[1]), L::constant(WIDTH * RIDGE_PARTS as f64) - widths[1])
        } else {
            let k = if k > RIDGE_PARTS { RIDGE_PARTS } else { k - 1 };
            ([L::constant(COSINES[k]), L::constant(SINES[k])], L::constant(WIDTH * k as f64))
        };
        let width = angle - done;
        let next = ridge.sample(to[0], to[1]);
        // A rim counts if it is the larger one at either end. If both have a valley between, the higher one is where
        // both together have theirs: the other is beyond the crossing, where it is the smaller one.
        let (lower_last, lower_next) = (last[0].value.ge(last[1].value), next[0].value.ge(next[1].value));
        let counts = [lower_last | lower_next, !(lower_last & lower_next)];
        let mut low = [none, none];
        let mut start = [zero, zero];
        let mut middle = [none, none];
        for j in 0..2 {
            let rise = next[j].slope - last[j].slope;
            let share = L::one() / L::select(rise.gt(zero), rise, L::one());
            start[j] = -(width * last[j].slope * share);
            let valley = counts[j] & last[j].slope.le(zero) & next[j].slope.ge(zero);
            // Where the tangents at both ends meet; less some, for a valley that is not the interval's only bend.
            let meet = (last[j].value - next[j].value + next[j].slope * width) * share;
            let meet = meet + width * L::constant(0.125);
            low[j] = L::select(valley, last[j].value + last[j].slope * meet, none);
            middle[j] = L::select(valley, last[j].value + last[j].slope * start[j] * L::constant(0.5), none);
        }
        let upper = middle[1].gt(middle[0]);
        let start = if k == 1 {
            zero
        } else if k == RIDGE_PARTS + 2 {
            width
        } else {
            L::select(upper, start[1], start[0])
        };
        let found = RimValley {
            low: L::select(upper, low[1], low[0]),
            from,
            start,
            width,
            linear: L::select(upper, ridge.linear[1], ridge.linear[0]),
            radius: L::select(upper, ridge.radius[1], ridge.radius[0]),
        };
        let there = found.low.gt(none);
        let first = there & found.low.lt(valleys[0].low);
        let second = there & found.low.lt(valleys[1].low);
        valleys[1] = RimValley::select(first, valleys[0], RimValley::select(second, found, valleys[1]));
        valleys[0] = RimValley::select(first, found, valleys[0]);
        (last, from, done) = (next, to, angle);
    }
    for valley in valleys {
        let there = valley.low.lt(best.depth);
        if !there.any() {
            continue;
        }
        let RimValley { from, start, width, .. } = valley;
        let arc = Arc { from, way: L::one(), width, start, falls: L::Mask::splat(true) };
        let curve = OneRim {
            sine: ridge.sine,
            tilt: ridge.tilt,
            lean: ridge.lean,
            across: ridge.across,
            linear: valley.linear,
            radius: valley.radius,
        };
        let (bottom, _) = descend(&curve, &arc, steps);
        let n = ridge.direction(turned(bottom, zero));
        match original {
            None => best.offer(view, n, there),
            Some(original) => best.offer(original, original.across(n), there),
        }
    }
}

/// Offers the direction in which both sides are supports: the two ridges' crossing.
#[inline(always)]
pub fn offer_crossing<L: Lanes>(view: &View<L>, best: &mut BestNormal<L>) {
    let [along_a, _] = view.bodies[0].side();
    let [along_b, _] = view.bodies[1].side();
    let y = (along_b - view.cosine * along_a) / view.sine.max(tiny());
    let rest = L::one() - along_a * along_a - y * y;
    let n = Vec3 { x: along_a, y, z: rest.max(L::zero()).sqrt() };
    best.offer(view, n, rest.ge(L::zero()));
}
