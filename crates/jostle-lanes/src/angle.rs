//! Sines and cosines of angles, in lanes and without a branch that depends on the angle.
//!
//! The rotation of every body in the plane goes through here, so it must be the same to the bit on every machine, which
//! rules out `std`, and cheap: a call of `libm::sincos` costs 20 ns, as much as all else that is done for two discs.
//! The argument is reduced with pi/2 in two parts of 33 bits and a remainder (Cody and Waite, "Software Manual for the
//! Elementary Functions", 1980), with the rounding of the last two kept as a correction. Both series are Taylor's: at
//! pi/4 what follows the last term is below a fortieth of a unit in the last place, so fitted coefficients would save
//! one term, and have no simple derivation.
//!
//! Results that are rounded to `f32` afterwards need neither the correction nor as many terms, and take half as many
//! instructions.

use crate::lanes::{Lanes, Mask};

/// Angles beyond this (a quarter of a million turns in either direction) are left to `libm`, which reduces any: beyond
/// 2^20 quarter turns, the products of that number with the first parts of pi/2 would no longer be exact.
const FAR_ANGLE: f64 = 1_600_000.0;

/// pi/2: 33 bits, the next 33, and the remainder.
const QUARTER_TURN: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_7e-21];

/// Adding and subtracting this rounds to an integer, ties to even.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Taylor's coefficients `1/k!`, signs alternating, from `k` in steps of two.
const fn inverse_factorials<const N: usize>(mut k: u32) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let mut place = 0;
    while place < N {
        // Up to 17! = 3.6e14, so exact.
        let (mut factorial, mut factor) = (1.0, 2);
        while factor <= k {
            factorial *= factor as f64;
            factor += 1;
        }
        coefficients[place] = (if place % 2 == 0 { 1.0 } else { -1.0 }) / factorial;
        (place, k) = (place + 1, k + 2);
    }
    coefficients
}

/// Those of the sine from the fifth power on, and of the cosine from the fourth.
const SINE: [f64; 7] = inverse_factorials(5);
const COSINE: [f64; 7] = inverse_factorials(4);
const SIXTH: f64 = 1.0 / 6.0;

/// For `f32`: those of the sine from the third power on, and of the cosine from the second, with signs changed. What
/// follows is below 1.2e-10.
const SHORT_SINE: [f64; 5] = inverse_factorials(3);
const SHORT_COSINE: [f64; 5] = inverse_factorials(2);

/// A polynomial in `z`, the constant coefficient first. In pairs, so that the products do not form one chain.
#[inline(always)]
fn polynomial<L: Lanes<Scalar = f64>>(z: L, [a, b, c, d, e, f, g]: [f64; 7]) -> L {
    let square = z * z;
    let last = (L::splat(e) + L::splat(f) * z) + square * L::splat(g);
    (L::splat(a) + L::splat(b) * z) + square * ((L::splat(c) + L::splat(d) * z) + square * last)
}

/// The same with fewer coefficients.
#[inline(always)]
fn short_polynomial<L: Lanes<Scalar = f64>>(z: L, square: L, [a, b, c, d, e]: [f64; 5]) -> L {
    (L::splat(a) + L::splat(b) * z) + square * ((L::splat(c) + L::splat(d) * z) + square * L::splat(e))
}

/// The integer nearest to `value`, ties to even.
#[inline(always)]
fn round<L: Lanes<Scalar = f64>>(value: L) -> L {
    let rounder = L::splat(ROUNDER);
    (value + rounder) - rounder
}

/// For angles that the kernel leaves to `libm`.
#[cold]
#[inline(never)]
fn far_sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Sines and cosines of finite angles, each within a unit in the last place.
#[inline(always)]
pub(crate) fn sin_cos<L: Lanes<Scalar = f64>>(angle: L) -> (L, L) {
    with_far(angle, near_sin_cos(angle))
}

/// Sines and cosines of finite angles, with errors below 2e-10: rounding to `f32` adds up to 3e-8.
#[inline(always)]
pub(crate) fn short_sin_cos<L: Lanes<Scalar = f64>>(angle: L) -> (L, L) {
    with_far(angle, near_short_sin_cos(angle))
}

/// Replaces results for angles that are too far for the reduction.
#[inline(always)]
fn with_far<L: Lanes<Scalar = f64>>(angle: L, (sine, cosine): (L, L)) -> (L, L) {
    let far = angle.abs().gt(L::splat(FAR_ANGLE));
    if !far.any() {
        return (sine, cosine);
    }
    let far = far.to_bits();
    let sine = L::from_fn(
        #[inline(always)]
        |lane| if far >> lane & 1 == 1 { far_sin_cos(angle.lane(lane)).0 } else { sine.lane(lane) },
    );
    let cosine = L::from_fn(
        #[inline(always)]
        |lane| if far >> lane & 1 == 1 { far_sin_cos(angle.lane(lane)).1 } else { cosine.lane(lane) },
    );
    (sine, cosine)
}

/// The number of quarter turns that an angle is nearest to, and what remains of the angle after the first part of pi/2
/// is subtracted that often, and after the second.
#[inline(always)]
fn reduced<L: Lanes<Scalar = f64>>(angle: L) -> [L; 3] {
    let quarters = round(angle * L::splat(core::f64::consts::FRAC_2_PI));
    // The products are exact, and so is the first difference.
    let coarse = angle - quarters * L::splat(QUARTER_TURN[0]);
    [quarters, coarse, coarse - quarters * L::splat(QUARTER_TURN[1])]
}

/// Sine and cosine after this many more quarter turns.
#[inline(always)]
fn after<L: Lanes<Scalar = f64>>(quarters: L, sine: L, cosine: L) -> (L, L) {
    // Without whole turns: from -2 to 2.
    let left = quarters - round(quarters * L::splat(0.25)) * L::splat(4.0);
    let odd = left.abs().eq(L::one());
    let sign = L::one() - left.abs();
    (L::select(odd, cosine * left, sine * sign), L::select(odd, -(sine * left), cosine * sign))
}

#[inline(always)]
fn near_sin_cos<L: Lanes<Scalar = f64>>(angle: L) -> (L, L) {
    let (one, half) = (L::one(), L::splat(0.5));
    let [quarters, coarse, fine] = reduced(angle);
    let middle = quarters * L::splat(QUARTER_TURN[1]);
    let rest = quarters * L::splat(QUARTER_TURN[2]) - ((coarse - fine) - middle);
    let x = fine - rest;
    let tail = (fine - x) - rest;

    let z = x * x;
    let cube = z * x;
    let sine = x - ((z * (half * tail - cube * polynomial(z, SINE)) - tail) + cube * L::splat(SIXTH));
    let less = half * z;
    let most = one - less;
    let cosine = most + (((one - most) - less) + (z * (z * polynomial(z, COSINE)) - x * tail));
    after(quarters, sine, cosine)
}

#[inline(always)]
fn near_short_sin_cos<L: Lanes<Scalar = f64>>(angle: L) -> (L, L) {
    let [quarters, _, fine] = reduced(angle);
    let x = fine - quarters * L::splat(QUARTER_TURN[2]);
    let z = x * x;
    let square = z * z;
    let sine = x - z * x * short_polynomial(z, square, SHORT_SINE);
    let cosine = L::one() - z * short_polynomial(z, square, SHORT_COSINE);
    after(quarters, sine, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, Kernel, dispatch_on};

    /// Angles of every size, `RANDOM` of each.
    fn angles() -> Vec<f64> {
        let (mut state, mut angles) =
            (1_u64, vec![0.0, f64::MIN_POSITIVE, 5e-324, 1e-200, FAR_ANGLE, 1e9, 1e300, f64::MAX]);
        for _ in 0..RANDOM {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let unit = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            angles.extend([1e-9, 2.0, 20.0, 1e4, 2.0 * FAR_ANGLE].map(|size| unit * size));
        }
        for quarters in (-70_i32..70).chain(1_000_000..1_000_070) {
            let angle = f64::from(quarters) * core::f64::consts::FRAC_PI_2;
            angles.extend((-3..=3).map(|step| angle * (1.0 + f64::from(step) * f64::EPSILON)));
        }
        angles.extend(angles.clone().into_iter().map(|angle| -angle));
        angles
    }

    #[cfg(miri)]
    const RANDOM: usize = 100;
    #[cfg(not(miri))]
    const RANDOM: usize = 40_000;

    /// How many steps of the number format two numbers are apart.
    fn steps(a: f64, b: f64) -> u64 {
        let ordered = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        ordered(a).abs_diff(ordered(b))
    }

    /// Both are within a unit in the last place, so they may be one step apart.
    #[test]
    fn libm_says_the_same() {
        for angle in angles() {
            let (ours, theirs) = (sin_cos::<f64>(angle), libm::sincos(angle));
            assert!(steps(ours.0, theirs.0) <= 1 && steps(ours.1, theirs.1) <= 1, "{angle:e}: {ours:?}, {theirs:?}");
        }
        assert_eq!(sin_cos::<f64>(0.0), (0.0, 1.0));
        assert!(sin_cos::<f64>(-0.0).0.is_sign_negative());
    }

    /// Also near zeros, where what remains of an angle is small.
    #[test]
    fn what_is_short_is_near_enough() {
        for angle in angles() {
            let ((sine, cosine), theirs) = (short_sin_cos::<f64>(angle), libm::sincos(angle));
            let off = |ours: f64, theirs: f64| (ours - theirs).abs();
            assert!(off(sine, theirs.0) <= 2e-10 && off(cosine, theirs.1) <= 2e-10, "{angle:e}: {sine}, {cosine}");
            assert!(theirs.0.abs() > 0.5 || off(sine, theirs.0) <= 1e-11 * theirs.0.abs(), "{angle:e}: {sine:e}");
            assert!(theirs.1.abs() > 0.5 || off(cosine, theirs.1) <= 1e-11 * theirs.1.abs(), "{angle:e}: {cosine:e}");
        }
        assert_eq!(short_sin_cos::<f64>(0.0), (0.0, 1.0));
    }

    /// Sines and cosines, one after the other, and the short ones.
    struct Both<'a>(&'a [f64]);

    impl Kernel<f64> for Both<'_> {
        type Output = Vec<f64>;
        #[inline(always)]
        fn run<L: Lanes<Scalar = f64>>(self) -> Vec<f64> {
            let mut found = vec![0.0; 4 * self.0.len()];
            for (angles, found) in self.0.chunks_exact(L::WIDTH).zip(found.chunks_exact_mut(4 * L::WIDTH)) {
                let (angles, found) = (L::load(angles), found.as_chunks_mut::<4>().0);
                let ((sine, cosine), (short_sine, short_cosine)) = (sin_cos(angles), short_sin_cos(angles));
                for (lane, found) in found.iter_mut().enumerate() {
                    *found = [sine, cosine, short_sine, short_cosine].map(|number| number.lane(lane));
                }
            }
            found
        }
    }

    #[test]
    fn every_width_says_the_same() {
        let mut angles = angles();
        angles.truncate(angles.len() / 8 * 8);
        let one_by_one = Both(&angles).run::<f64>();
        // Memory checkers do not support every instruction set: see `tests/common`.
        let without = std::env::var("JOSTLE_TEST_WITHOUT").unwrap_or_default();
        for isa in Isa::ALL {
            if isa.available() && !without.split(',').any(|name| name == isa.name()) {
                let together = dispatch_on(isa, Both(&angles));
                let first = one_by_one.iter().zip(&together).position(|(a, b)| a.to_bits() != b.to_bits());
                assert!(first.is_none(), "{isa}: angle {:e}", angles[first.unwrap_or(0) / 4]);
            }
        }
    }
}
