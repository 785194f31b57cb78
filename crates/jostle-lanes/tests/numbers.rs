//! Numbers one at a time: rounded outward, and added up as if at once.

mod random;

use jostle_lanes::{Scalar, sum_of_three};
use random::Random;

#[test]
fn rounding_outward() {
    let mut random = Random::new(11);
    let doubles = (0..20_000).map(|k| match k % 2 {
        0 => f64::from_bits(random.next()),
        _ => random.unit() * 100.0,
    });
    let edges = [0.0, 0.1, 1e-300, 1e-46, 1e-40, 1e300, f64::from(f32::MAX), 3.402_823_5e38, f64::INFINITY];
    for value in doubles.chain(edges).flat_map(|x| [x, -x]).filter(|x| !x.is_nan()) {
        let (down, up) = (f32::round_down(value), f32::round_up(value));
        assert!(f64::from(down) <= value && value <= f64::from(up), "{down:e} <= {value:e} <= {up:e}");
        // The tightest that hold.
        assert!(down == f32::INFINITY || f64::from(down.next_up()) > value, "{down:e} for {value:e}");
        assert!(up == f32::NEG_INFINITY || f64::from(up.next_down()) < value, "{up:e} for {value:e}");
        assert_eq!(f64::round_down(value).to_bits(), value.to_bits());
        assert_eq!(f64::round_up(value).to_bits(), value.to_bits());
    }
    assert!(f32::round_down(f64::NAN).is_nan() && f32::round_up(f64::NAN).is_nan());
}

/// Against whole numbers of 2^-50, of which `i128` holds every sum of ours.
#[test]
fn sums_of_three_are_rounded_once() {
    let mut random = Random::new(12);
    let unit = 2.0_f64.powi(-50);
    let mut cancelled = 0;
    for round in 0..200_000 {
        // Of any size up to 2^70 units; and near multiples of each other, as with a period.
        let mut any = || {
            let whole = (random.next() >> (11 + random.below(50) as u64)) as f64;
            let sign = if random.next() & 1 == 0 { 1.0 } else { -1.0 };
            sign * whole * 2.0_f64.powi((random.below(17)) as i32) * unit
        };
        let (a, b) = (any(), any());
        let c = match round % 3 {
            0 => any(),
            1 => -(a + b),
            _ => -(a + b) * (1.0 + f64::EPSILON),
        };
        let whole = |x: f64| (x / unit) as i128;
        let exact = whole(a) + whole(b) + whole(c);
        for [x, y, z] in [[a, b, c], [c, a, b], [b, c, a]] {
            let sum = sum_of_three(x, y, z);
            let off = (whole(sum) - exact).abs();
            // Half of the last place; nothing where all places are there. (What was rounded itself may break ties.)
            assert!(off as f64 <= 1.0001 * f64::EPSILON / 2.0 * exact.abs() as f64, "{x:e} {y:e} {z:e}: {sum:e}");
        }
        cancelled += usize::from(exact != 0 && (exact.abs() as f64) * unit < 1e-12 * a.abs());
    }
    assert!(cancelled > 10_000, "{cancelled}");
}
