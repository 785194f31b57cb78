//! The search held against the expanding polytope, and against itself at other widths.

use jostle_lanes::{D3, Isa, Kernel, Lanes, Mask, Rot, Rot3, Scalar, Vec3, Vector, dispatch_on};
use jostle_shape::{BoxCore, FrustumCore, MAX_WIDTH, SupportMap};

use super::beside::FrustumsApart;
use super::depth::FrustumFrustumDepth;
use super::view::Frustum;
use crate::answer::Answer;
use crate::depth::{DepthSpace, LeastDepth, POINT_LIMIT, Tolerance};
use crate::distance::{AskedDistance, Distance};
use crate::families::FrustumFamily;
use crate::frame::PairLanes;
use crate::gjk::{Beside, Cores, gjk};
use crate::kernels::Precision;
use crate::noise::{CONVERGED, noise};
use crate::query::{Query, Solve};
use crate::tests::Draw;

/// Ways in which pairs can be hard.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FrustumRegime {
    Random,
    Shallow,
    Concentric,
    Coaxial,
    Parallel,
    AlmostParallel,
    Perpendicular,
    Alike,
    Flat,
    Discs,
    Thin,
    Uneven,
    Grid,
}

const REGIMES: [FrustumRegime; 13] = [
    FrustumRegime::Random,
    FrustumRegime::Shallow,
    FrustumRegime::Concentric,
    FrustumRegime::Coaxial,
    FrustumRegime::Parallel,
    FrustumRegime::AlmostParallel,
    FrustumRegime::Perpendicular,
    FrustumRegime::Alike,
    FrustumRegime::Flat,
    FrustumRegime::Discs,
    FrustumRegime::Thin,
    FrustumRegime::Uneven,
    FrustumRegime::Grid,
];

/// Two frustums (half height, radius of the base, of the top), scaled.
#[derive(Clone, Copy, Debug)]
struct TwoFrustums {
    a: [f64; 3],
    b: [f64; 3],
    offset: Vec3<f64>,
    rotation: Rot3<f64>,
}

pub fn unit(v: Vec3<f64>) -> Vec3<f64> {
    v * (1.0 / v.length_squared().sqrt())
}

/// A rotation that takes the second axis to `axis`.
pub fn turn_to(axis: Vec3<f64>) -> Rot3<f64> {
    let other = if axis.x.abs() < 0.9 { Vec3::unit(0) } else { Vec3::unit(2) };
    let z = unit(other.cross(axis));
    Rot3 { columns: [axis.cross(z), axis, z] }
}

fn core([half_height, base_radius, top_radius]: [f64; 3]) -> FrustumCore<f64> {
    FrustumCore { half_height, base_radius, top_radius }
}

impl TwoFrustums {
    /// As it is in another type.
    fn rounded<T: Scalar>(self) -> Self {
        let round = |x: f64| T::from_f64(x).to_f64();
        Self {
            a: self.a.map(round),
            b: self.b.map(round),
            offset: self.offset.map(round),
            rotation: Rot3 { columns: self.rotation.columns.map(|column| column.map(round)) },
        }
    }

    fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let (a, b) = (core(self.a), core(self.b));
        Cores::<D3, f64, _, _> { a: &a, b: &b, offset: self.offset, rotation: self.rotation }.support(direction, true).w
    }

    fn least(&self, relative: f64) -> LeastDepth<Vec3<f64>> {
        let support = |direction| self.support(direction);
        let mut expander = <D3 as DepthSpace>::Expander::default();
        D3::least_depth(&mut expander, &support, Tolerance { absolute: 1e-10, relative, points: POINT_LIMIT })
    }

    fn magnitude(&self) -> f64 {
        let reach = |[half, base, top]: [f64; 3]| (half * half + base.max(top) * base.max(top)).sqrt();
        let offset = self.offset.map(f64::abs);
        offset.x.max(offset.y).max(offset.z) + reach(self.a) + reach(self.b)
    }

    /// Of a magnitude between one and two, as kernels get them.
    fn scaled(mut self) -> Self {
        let scale = 1.0 / f64::from_bits(self.magnitude().to_bits() & (0x7ff << 52));
        self.a = self.a.map(|x| x * scale);
        self.b = self.b.map(|x| x * scale);
        self.offset = self.offset * scale;
        self
    }

    fn draw(draw: &mut Draw, regime: FrustumRegime) -> Self {
        let mut length = || 0.35 + 0.25 * draw.number();
        let [half, base, top] = [length(), length(), length()];
        let mut a = [half, base, [base, 0.0, top][(half * 1e6) as usize % 3]];
        let [half, base, top] = [length(), length(), length()];
        let mut b = [half, base, [base, 0.0, top][(half * 1e6) as usize % 3]];
        // Down to a millionth.
        let tiny =
            |draw: &mut Draw| (0.5 + 0.4999 * draw.number()).powi(2) * 10_f64.powi((3.0 * draw.number()) as i32 - 3);
        let mut axis = unit(draw.vector::<D3>());
        let direction = unit(draw.vector::<D3>());
        let way = 1.0_f64.copysign(draw.number());
        match regime {
            FrustumRegime::Coaxial | FrustumRegime::Parallel => axis = Vec3 { x: 0.0, y: way, z: 0.0 },
            FrustumRegime::AlmostParallel => axis = unit(axis * 1e-7 + Vec3 { x: 0.0, y: way, z: 0.0 }),
            FrustumRegime::Perpendicular => axis = unit(Vec3 { y: 0.0, ..axis }),
            FrustumRegime::Alike => {
                b = a;
                axis = unit(axis * tiny(draw) + Vec3 { x: 0.0, y: way, z: 0.0 });
            }
            FrustumRegime::Flat => {
                a[0] *= tiny(draw);
                b[0] *= if way > 0.0 { tiny(draw) } else { 1.0 };
            }
            FrustumRegime::Discs => a[0] = 0.0,
            FrustumRegime::Thin => {
                let (thin, other) = (tiny(draw), tiny(draw));
                (a[1], a[2]) = (a[1] * thin, a[2] * thin);
                if way > 0.0 {
                    (b[1], b[2]) = (b[1] * other, b[2] * other);
                } else {
                    b[0] *= other;
                }
            }
            FrustumRegime::Uneven => b = b.map(|x| x * tiny(draw)),
            FrustumRegime::Grid => {
                a = a.map(|x| (x * 4.0).ceil() / 4.0);
                b = b.map(|x| (x * 4.0).ceil() / 4.0);
                axis = unit(axis.map(f64::round) + Vec3 { x: 0.0, y: 0.1 * axis.y.round(), z: 0.0 });
                if !axis.x.is_finite() {
                    axis = Vec3::unit(1);
                }
            }
            FrustumRegime::Random | FrustumRegime::Shallow | FrustumRegime::Concentric => {}
        }
        let mut two = Self { a, b, offset: Vec3::zero(), rotation: turn_to(axis) };
        let apart = two.support(direction).dot(direction);
        let share = 0.5 + 0.5 * draw.number();
        two.offset = match regime {
            FrustumRegime::Coaxial => Vec3 { x: 0.0, y: (a[0] + b[0]) * (2.0 * share - 1.0), z: 0.0 },
            FrustumRegime::Concentric => direction * (1e-4 * share),
            FrustumRegime::Alike => direction * tiny(draw),
            FrustumRegime::Grid => (direction * (apart * share * 8.0)).map(f64::round) * 0.125,
            _ => direction * (apart * share),
        };
        if regime == FrustumRegime::Shallow {
            let (mut inside, mut outside) = (0.0, apart);
            for _ in 0..20 {
                let middle = 0.5 * (inside + outside);
                two.offset = direction * middle;
                *(if two.least(1e-3).lower > 0.0 { &mut inside } else { &mut outside }) = middle;
            }
            two.offset = direction * (inside * (1.0 - 0.05 * share));
        }
        two.scaled()
    }
}

/// W pairs as a packet has them.
fn packed<L: Lanes>(pairs: &[TwoFrustums]) -> PairLanes<D3, L> {
    let column = |number: &dyn Fn(&TwoFrustums) -> f64| {
        let mut row = [L::Scalar::ZERO; MAX_WIDTH];
        for lane in 0..L::WIDTH {
            row[lane] = L::Scalar::from_f64(number(&pairs[lane.min(pairs.len() - 1)]));
        }
        L::load(&row)
    };
    let vector = |pick: &dyn Fn(&TwoFrustums) -> Vec3<f64>| Vec3 {
        x: column(&|two| pick(two).x),
        y: column(&|two| pick(two).y),
        z: column(&|two| pick(two).z),
    };
    PairLanes {
        offset: vector(&|two| two.offset),
        rotation: Rot3 { columns: [0, 1, 2].map(|k| vector(&|two| two.rotation.columns[k])) },
        rotation_a: Rot3::identity(),
        numbers: [[1, 0, 2].map(|k| column(&|two| two.a[k])), [1, 0, 2].map(|k| column(&|two| two.b[k]))],
        radius: [L::zero(); 2],
        magnitude: column(&|two| two.magnitude()),
        scale: L::one(),
        unscale: L::one(),
    }
}

fn solved<T: Precision, L: Lanes<Scalar = T>>(pairs: &[TwoFrustums]) -> Answer<D3, L> {
    let pair = packed::<L>(pairs);
    let nothing = AskedDistance { doubt: L::zero(), known: None, guessed: L::Mask::splat(false) };
    Solve::<D3, Distance<'_, D3, T>>::solve(&FrustumFrustumDepth, &mut (), nothing, &pair, &[0; MAX_WIDTH])
}

/// How far a point is outside a body that is placed so.
fn outside(body: [f64; 3], rotation: Rot3<f64>, offset: Vec3<f64>, point: Vec3<f64>) -> f64 {
    let (point_core, core) = (BoxCore::<D3, f64> { half_extents: Vec3::zero() }, core(body));
    let found =
        gjk(&Cores::<D3, f64, _, _> { a: &point_core, b: &core, offset: offset - point, rotation }, 1e-15, true);
    if found.overlap { 0.0 } else { found.lower }
}

/// How far a point is from A's supporting plane.
fn beneath(two: &TwoFrustums, n: Vec3<f64>, point: Vec3<f64>) -> f64 {
    let support: Vec3<f64> = SupportMap::<D3, f64>::support(&core(two.a), n, true);
    (support - point).dot(n).abs()
}

/// What is left of a pair's answer when it has been held against the polytope: settled, and within 1e-5 of the least.
fn check<T: Precision + Lanes<Scalar = T>>(two: &TwoFrustums, regime: FrustumRegime) -> Option<[bool; 2]> {
    let least = two.least(1e-7);
    // Where so little is left to move through, the verdict is left to others.
    if least.lower < 1e-4 {
        return None;
    }
    let answer = solved::<T, T>(&[*two]);
    if !answer.settled.any() {
        return Some([false, false]);
    }
    let precision = T::UNIT_ROUNDOFF.to_f64().max(1e-12);
    let (distance, lower, upper) = (answer.distance.to_f64(), answer.lower.to_f64(), answer.upper.to_f64());
    let context = || format!("{regime:?} {two:?}\n{answer:?}\n{least:?}");
    assert!(lower <= distance && distance <= upper, "{}", context());
    // Bounds are bounds.
    assert!(lower <= -least.lower && -least.upper <= upper, "{}", context());
    // No local minimum that is not about the least one.
    let depth = -distance;
    assert!(depth <= least.upper * 1.01 + 64.0 * precision, "{}", context());
    // Witness points are on both bodies, and on their supporting planes.
    let wide = |v: Vec3<T>| Vec3 { x: v.x.to_f64(), y: v.y.to_f64(), z: v.z.to_f64() };
    let (n, a) = (wide(answer.normal), wide(answer.a));
    let tolerance = 96.0 * precision;
    assert!((n.length_squared() - 1.0).abs() < 16.0 * precision, "{}", context());
    let b = a - n * depth;
    assert!(outside(two.a, Rot3::identity(), Vec3::zero(), a) < tolerance, "{}", context());
    assert!(outside(two.b, two.rotation, two.offset, b) < tolerance, "{}", context());
    assert!(beneath(two, n, a) < tolerance, "{}", context());
    assert!((two.support(n).dot(n) - depth).abs() < tolerance, "{}", context());
    Some([true, depth <= least.upper + 1e-5])
}

fn agree<T: Precision + Lanes<Scalar = T>>() {
    let mut draw = Draw(31);
    for regime in REGIMES {
        let (mut all, mut settled, mut exact) = (0_u32, 0_u32, 0_u32);
        for _ in 0..1000 {
            let two = TwoFrustums::draw(&mut draw, regime).rounded::<T>();
            if let Some([done, good]) = check::<T>(&two, regime) {
                all += 1;
                settled += u32::from(done);
                exact += u32::from(good);
            }
        }
        assert!(all > 200, "{regime:?}: {all}");
        assert!(f64::from(settled) > 0.9 * f64::from(all), "{regime:?}: {settled} of {all}");
        assert!(settled - exact <= 1, "{regime:?}: {exact} of {settled}");
    }
}

#[test]
fn lanes_and_polytope_agree_on_the_least_depth() {
    agree::<f32>();
    agree::<f64>();
}

/// The bits of all answers.
struct FrustumBits<'p>(&'p [TwoFrustums]);

impl<T: Precision> Kernel<T> for FrustumBits<'_> {
    type Output = Vec<[u64; 10]>;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output {
        let mut bits = Vec::new();
        for pairs in self.0.chunks(L::WIDTH) {
            let answer = solved::<T, L>(pairs);
            let (n, a) = (answer.normal, answer.a);
            let mut rows = [[T::ZERO; MAX_WIDTH]; 9];
            for (row, column) in
                rows.iter_mut().zip([answer.distance, answer.lower, answer.upper, n.x, n.y, n.z, a.x, a.y, a.z])
            {
                column.store(row);
            }
            let flags = [answer.settled, answer.searched].map(Mask::to_bits);
            for lane in 0..pairs.len() {
                let mut pair = [0; 10];
                for (to, row) in pair.iter_mut().zip(&rows) {
                    *to = row[lane].to_f64().to_bits();
                }
                pair[9] = u64::from(flags[0] >> lane & 1 | (flags[1] >> lane & 1) << 1);
                bits.push(pair);
            }
        }
        bits
    }
}

fn same_bits<T: Precision + Lanes<Scalar = T>>() {
    let mut draw = Draw(37);
    let mut pairs: Vec<TwoFrustums> = Vec::new();
    for _ in 0..60 {
        pairs.extend(REGIMES.map(|regime| TwoFrustums::draw(&mut draw, regime)));
    }
    let one = Kernel::<T>::run::<T>(FrustumBits(&pairs));
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        assert_eq!(dispatch_on::<T, _>(isa, FrustumBits(&pairs)), one, "{isa}");
        pairs.reverse();
        let mut other = dispatch_on::<T, _>(isa, FrustumBits(&pairs));
        pairs.reverse();
        other.reverse();
        assert_eq!(other, one, "{isa}, the other way round");
    }
}

#[test]
fn depths_are_the_same_bits_at_any_width_and_in_any_company() {
    same_bits::<f32>();
    same_bits::<f64>();
}

/// Two frustums moved along their offset until so much is between them, with the direction from A to B.
fn moved_apart(two: TwoFrustums, gap: f64) -> Option<(TwoFrustums, Vec3<f64>)> {
    let far = unit(two.offset) * 8.0;
    if !far.x.is_finite() {
        return None;
    }
    let mut two = TwoFrustums { offset: far, ..two };
    for _ in 0..60 {
        let (a, b) = (core(two.a), core(two.b));
        let found =
            gjk(&Cores::<D3, f64, _, _> { a: &a, b: &b, offset: two.offset, rotation: two.rotation }, 1e-15, true);
        if found.overlap {
            return None;
        }
        let normal = found.v * (-1.0 / found.distance);
        if found.lower - gap < 1e-3 * gap {
            return Some((two, normal));
        }
        two.offset = two.offset - normal * (found.lower - gap);
    }
    None
}

/// True if the pair is settled from a direction that is `near` its normal or not; then its bounds hold, and its points
/// are its bodies'.
fn settles<T: Precision + Lanes<Scalar = T>>(two: &TwoFrustums, start: Vec3<f64>, near: bool) -> bool {
    let pair = packed::<T>(&[*two]);
    let v = Vec3 { x: T::from_f64(-start.x), y: T::from_f64(-start.y), z: T::from_f64(-start.z) };
    let mut beside = FrustumsApart::<D3, T>::new(&pair, noise(CONVERGED, pair.magnitude));
    Beside::<D3, T>::take(&mut beside, v, T::Mask::splat(true));
    let (a, b) = (core(two.a), core(two.b));
    let known = gjk(&Cores::<D3, f64, _, _> { a: &a, b: &b, offset: two.offset, rotation: two.rotation }, 1e-15, true);
    let wide = |v: Vec3<T>| Vec3 { x: v.x.to_f64(), y: v.y.to_f64(), z: v.z.to_f64() };
    let (a, v, lower) = (wide(beside.found.a), wide(beside.found.v), beside.found.lower.to_f64());
    let tolerance = 48.0 * T::UNIT_ROUNDOFF.to_f64().max(1e-16);
    let context = || format!("{two:?} from {start:?}\n{:?}\n{known:?}", beside.found);
    if beside.found.overlap.any() {
        // From about the normal it must not be mistaken; from elsewhere, the search for the depth must not fall for it.
        assert!(!near, "{}", context());
        let depth = solved::<T, T>(&[*two]);
        assert!(!depth.settled.any() || depth.upper.to_f64() > known.lower - tolerance, "{}\n{depth:?}", context());
    }
    if !beside.found.settled.any() {
        return false;
    }
    let upper = v.length_squared().sqrt();
    assert!(lower <= known.distance + known.residual + tolerance, "{}", context());
    assert!(known.lower <= upper + tolerance, "{}", context());
    assert!(upper - lower <= tolerance, "{}", context());
    // The normal's own plane leaves that gap.
    let n = v * (-1.0 / upper);
    assert!(-two.support(n).dot(n) >= upper - tolerance, "{}", context());
    assert!(outside(two.a, Rot3::identity(), Vec3::zero(), a) < tolerance, "{}", context());
    assert!(outside(two.b, two.rotation, two.offset, a - v) < tolerance, "{}", context());
    true
}

/// Some pairs of a regime, so far apart, the first of them with so much of its numbers left.
fn distances_hold<T: Precision + Lanes<Scalar = T>>(draw: &mut Draw, left: [f64; 3], regime: FrustumRegime, gap: f64) {
    let (mut all, mut settled) = (0_u32, 0_u32);
    for _ in 0..400 {
        let mut drawn = TwoFrustums::draw(draw, regime);
        for k in 0..3 {
            drawn.a[k] *= left[k];
        }
        let Some((two, normal)) = moved_apart(drawn, gap) else { continue };
        let two = two.scaled().rounded::<T>();
        all += 1;
        settled += u32::from(settles::<T>(&two, normal + draw.vector::<D3>() * 0.1, true));
        // From the poles, where rims have no point of their own, it may get nowhere, but must not go wrong.
        for axis in [Vec3::unit(1), two.rotation.columns[1]] {
            settles::<T>(&two, axis * 1.0_f64.copysign(axis.dot(normal)), false);
        }
    }
    assert!(all > 100, "{left:?}, {regime:?} at {gap}: {all}");
    // What is not settled is for GJK: where caps and rims nearly lie in one another.
    let least = if gap < 0.01 { 0.5 } else { 0.8 };
    assert!(f64::from(settled) > least * f64::from(all), "{left:?}, {regime:?} at {gap}: {settled} of {all}");
}

#[test]
fn distances_of_frustums_hold_and_most_of_them_are_found() {
    let mut draw = Draw(41);
    let (frustum, segment, point) = ([1.0; 3], [1.0, 0.0, 0.0], [0.0; 3]);
    for left in [frustum, segment, point] {
        for regime in REGIMES {
            for gap in [1.0, 0.1, 1e-3] {
                distances_hold::<f32>(&mut draw, left, regime, gap);
                distances_hold::<f64>(&mut draw, left, regime, gap);
            }
        }
    }
}

/// What the lanes say of a pair of frustums, in both steps.
fn told(two: &TwoFrustums) -> Answer<D3, f64> {
    let pair = packed::<f64>(&[*two]);
    let (a, b) = (core(two.a), core(two.b));
    let cores = Cores::<D3, f64, _, _> { a: &a, b: &b, offset: two.offset, rotation: two.rotation };
    let asked = AskedDistance { doubt: 0.0, known: None, guessed: false };
    let answer = Distance::<D3, f64>::cores(asked, &pair, (&FrustumFamily, &FrustumFamily), &cores, pair.offset);
    if answer.overlap { solved::<f64, f64>(&[*two]) } else { answer }
}

/// A pair that touches but for rounding, with the direction from A to B.
fn touching(drawn: TwoFrustums) -> Option<(TwoFrustums, Vec3<f64>)> {
    let (mut two, mut normal) = moved_apart(drawn, 1e-3)?;
    for _ in 0..6 {
        let answer = told(&two);
        // What is told by witness points that fit nearly may be off by as much.
        if !answer.settled || answer.upper - answer.lower > 1e-13 {
            return None;
        }
        normal = answer.normal;
        if answer.distance.abs() < 1e-16 {
            break;
        }
        two.offset = two.offset - normal * answer.distance;
    }
    Some((two, normal))
}

/// Most of what rests on something is a little off, one way or the other; more than `f64` can tell, and far less than
/// matters. It used to be resolved pair by pair.
#[test]
fn frustums_that_touch_or_nearly_do_are_told_in_lanes() {
    let mut draw = Draw(43);
    let regimes = [
        FrustumRegime::Random,
        FrustumRegime::Parallel,
        FrustumRegime::Perpendicular,
        FrustumRegime::Discs,
        FrustumRegime::Uneven,
    ];
    for (regime, tops) in regimes.into_iter().flat_map(|regime| [Some(0.0), None].map(|tops| (regime, tops))) {
        for gap in [0.0, 4.0, 30.0, 1e3, -4.0, -12.0, -30.0, -1e3, -1e4].map(|gap| gap * f64::UNIT_ROUNDOFF) {
            let (mut all, mut settled) = (0_u32, 0_u32);
            for _ in 0..200 {
                let mut drawn = TwoFrustums::draw(&mut draw, regime);
                for sizes in [&mut drawn.a, &mut drawn.b] {
                    sizes[2] = tops.unwrap_or(sizes[1]);
                }
                let Some((two, normal)) = touching(drawn) else { continue };
                let two = TwoFrustums { offset: two.offset + normal * gap, ..two }.scaled();
                let answer = told(&two);
                all += 1;
                if !answer.settled {
                    continue;
                }
                settled += 1;
                let context = || format!("{two:?}\n{answer:?}");
                // Moved into each other along one normal they may be less deep along another, and tips that met may
                // have passed.
                let (least, most) = (gap.min(0.0), gap.abs());
                let rounding = 64.0 * f64::UNIT_ROUNDOFF;
                assert!(answer.lower <= most + rounding && answer.upper >= least - rounding, "{}", context());
                assert!(answer.upper - answer.lower < 5e-11 * two.magnitude(), "{}", context());
                assert!((answer.normal.length_squared() - 1.0).abs() < 1e-12, "{}", context());
                let b = answer.a + answer.normal * answer.distance;
                assert!(outside(two.a, Rot3::identity(), Vec3::zero(), answer.a) < 2e-11, "{}", context());
                assert!(outside(two.b, two.rotation, two.offset, b) < 2e-11, "{}", context());
                assert!(-two.support(answer.normal).dot(answer.normal) >= answer.lower, "{}", context());
            }
            assert!(all > 50, "{regime:?}, {tops:?} at {gap}: {all}");
            assert!(f64::from(settled) > 0.95 * f64::from(all), "{regime:?}, {tops:?} at {gap}: {settled} of {all}");
        }
    }
}

/// What the witness points of bodies that nearly touch are worth rests on this.
#[test]
fn points_outside_are_no_farther_away_than_twice_what_their_clearance_lacks() {
    let mut draw = Draw(47);
    let mut worst = 0.0_f64;
    for k in 0..40_000 {
        let mut length =
            || [1.0, 0.1, 0.01, 1e-3][(draw.number().abs() * 4.0) as usize % 4] * (0.55 + 0.45 * draw.number());
        let mut sizes = [length(), length(), length()];
        if k % 3 == 0 {
            sizes[2] = 0.0;
        }
        let [half, base, top] = sizes;
        let direction = unit(draw.vector::<D3>());
        let surface: Vec3<f64> = SupportMap::<D3, f64>::support(&core(sizes), direction, true);
        let point = surface + draw.vector::<D3>() * [1.0, 0.1, 0.01, 1e-3][k % 4];
        let away = (point.x * point.x + point.z * point.z).sqrt();
        let lacks = -Frustum { half, base, top }.clearance(point.y, away);
        let outside = outside(sizes, Rot3::identity(), Vec3::zero(), point);
        assert!(lacks <= outside * 1.0001 + 1e-12, "{sizes:?} {point:?}: {lacks} {outside}");
        if outside > 1e-9 {
            worst = worst.max(outside / lacks);
            assert!(outside <= 2.0 * lacks, "{sizes:?} {point:?}: {lacks} {outside}");
        }
    }
    assert!(worst > 1.3, "{worst}: a corner is farther away than any face");
}
