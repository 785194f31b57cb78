//! Rounding to whole numbers: std's functions are calls, for processors that might lack the instruction.

/// The largest whole number that is not above `x`, limited to about the range of 64 bits.
#[inline]
pub fn floor(x: f64) -> f64 {
    let whole = x as i64 as f64;
    whole - f64::from(u8::from(whole > x))
}

/// The least whole number that is not below `x`, limited to about the range of 64 bits.
#[inline]
pub fn ceiling(x: f64) -> f64 {
    -floor(-x)
}

/// The nearest whole number, the one farther from zero of two equally near, limited to about the range of 64 bits; NaN
/// for NaN and infinities.
#[inline]
pub fn nearest_whole(x: f64) -> f64 {
    let whole = x as i64 as f64;
    let beyond = f64::from(u8::from((x - whole).abs() >= 0.5));
    // The last term is zero, or NaN.
    whole + beyond.copysign(x) + 0.0 * x
}

#[cfg(test)]
mod tests {
    use super::{ceiling, floor, nearest_whole};

    #[test]
    fn whole_numbers_are_those_of_std() {
        let most = (1_u64 << 53) as f64;
        for x in [0.0, 0.5, 0.999, 1.0, 1.5, 1e9 + 0.5, most - 1.0, most, 4.7e15 + 0.5, f64::MIN_POSITIVE, 1e-300] {
            for x in [x, -x] {
                assert_eq!([floor(x), ceiling(x)], [x.floor(), x.ceil()], "{x}");
            }
        }
        for x in [0.5, 1.5, 2.5, 0.499_999_999_999_999_94, 1e-300, 1e9 + 0.5, most - 0.5, most, 2.0 * most, 7.3, 0.0] {
            for x in [x, -x, x.next_up(), -x.next_down()] {
                assert_eq!(nearest_whole(x), x.round(), "{x}");
            }
        }
        assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].iter().all(|&x| nearest_whole(x).is_nan()));
        assert!(nearest_whole(1e300) > 1e18);
        assert!(floor(f64::INFINITY) > 1e18 && floor(f64::NEG_INFINITY) < -1e18 && floor(1e300) > 1e18);
    }
}
