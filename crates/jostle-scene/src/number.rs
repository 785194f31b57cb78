//! Numbers as text: the shortest decimal that reads back as the same value of its type.
//!
//! Whole numbers have no point (`2`, not `2.0`), minus zero is `0`, very large and very small ones have an exponent
//! (`1e300`), what is not finite is `inf`, `-inf` or `nan`: everything that Python's `float()`, numpy and Rust's
//! `parse` read.

use jostle::Scalar;

/// Appends a whole number.
#[inline]
pub(crate) fn push_whole(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends what `zmij` prints, without what no reader needs: `.0`, and the `+` of exponents.
#[inline]
fn push_digits(out: &mut Vec<u8>, digits: &str, size: f64) {
    let bytes = digits.as_bytes();
    let bytes = bytes.strip_suffix(b".0").unwrap_or(bytes);
    // Exponents above zero begin at 1e13 (f32) or 1e16 (f64).
    if size < 1e13 {
        out.extend_from_slice(bytes);
    } else {
        out.extend(bytes.iter().filter(|byte| **byte != b'+'));
    }
}

#[cold]
fn not_finite(value: f64) -> &'static [u8] {
    if value.is_nan() {
        b"nan"
    } else if value > 0.0 {
        b"inf"
    } else {
        b"-inf"
    }
}

/// Appends a number in its own precision.
#[inline]
pub(crate) fn push<T: Scalar>(out: &mut Vec<u8>, value: T) {
    if !value.finite() {
        out.extend_from_slice(not_finite(value.to_f64()));
    } else if value == T::ZERO {
        out.push(b'0');
    } else {
        let wide = value.to_f64();
        let mut buffer = zmij::Buffer::new();
        // Back to f32 is exact: the value came from one.
        let single = size_of::<T>() == size_of::<f32>();
        let digits = if single { buffer.format_finite(wide as f32) } else { buffer.format_finite(wide) };
        push_digits(out, digits, wide.abs());
    }
}

/// A number as it stands in messages.
pub(crate) fn shown(value: f64) -> String {
    let mut out = Vec::with_capacity(24);
    push(&mut out, value);
    String::from_utf8(out).expect("digits are UTF-8")
}

/// What a reader in `f64` makes of the number's text.
///
/// For `f64` the value itself (but 0 for -0); for `f32` the `f64` nearest to the shortest decimal of the `f32`, so
/// `0.1f32` gives `0.1`, not `0.10000000149011612`.
#[inline]
pub(crate) fn as_read<T: Scalar>(value: T) -> f64 {
    let wide = value.to_f64();
    // Whole numbers below 2^24 are printed with all their digits.
    let whole = wide.abs() < 16_777_216.0 && wide.fract() == 0.0;
    if size_of::<T>() == size_of::<f32>() && value.finite() && !whole {
        zmij::Buffer::new().format_finite(wide as f32).parse().expect("digits are a number")
    } else {
        wide + 0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text<T: Scalar>(value: T) -> String {
        let mut out = Vec::new();
        push(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn short() {
        assert_eq!(text(2.0), "2");
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(0.1f32), "0.1");
        assert_eq!(text(0.1f32.to_f64()), "0.10000000149011612");
        assert_eq!(text(1e300), "1e300");
        assert_eq!(text(-1e16), "-1e16");
        assert_eq!(text(-1.5e16f32), "-1.5e16");
        assert_eq!(text(1e15), "1000000000000000");
        assert_eq!(text(1.5e-7), "1.5e-7");
        assert_eq!(text(5e-324), "5e-324");
        assert_eq!(text(f64::NEG_INFINITY), "-inf");
        assert_eq!(text(f32::NAN), "nan");
    }

    proptest! {
        #[test]
        fn reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(value).parse::<f64>().unwrap(), value);
            prop_assert!(!text(value).contains('+') && !text(value).ends_with(".0"));
            prop_assert_eq!(as_read(value), value);
        }
        #[test]
        fn reads_back_single(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(value).parse::<f32>().unwrap(), value);
            prop_assert!(!text(value).contains('+') && !text(value).ends_with(".0"));
            prop_assert_eq!(text(value).parse::<f64>().unwrap(), as_read(value));
        }
    }
}
