//! Which distances are within the margin.

use std::io::Write as _;

use jostle_narrowphase::Precision;

/// Which distances are within the margin *as printed*: `0.1` in `f32` lies above the 0.1 that the user means, but it is
/// what is printed as `0.1` in that precision.
#[derive(Clone, Copy, Debug)]
pub struct Near<T> {
    /// The margin as given, metres.
    limit: f64,
    margin: T,
    inclusive: bool,
}

impl<T: Precision> Near<T> {
    /// From a margin in metres.
    pub fn new(margin: f64) -> Self {
        let nearest = T::from_f64(margin);
        Self { limit: margin, margin: nearest, inclusive: is_short(margin) || printed(nearest) <= margin }
    }
    /// The margin in metres, to rule pairs out by: one that is clearly farther apart is not within it.
    pub fn limit(self) -> f64 {
        self.limit
    }
    /// Whether a distance is within the margin. NaN (of a custom shape without a support map) counts as within, so that
    /// such a pair is reported, not lost.
    #[inline]
    pub fn holds(self, distance: T) -> bool {
        // Without a branch, which could not be predicted.
        let [below, at, none] =
            [distance < self.margin, distance == self.margin, distance.to_f64().is_nan()].map(u8::from);
        below | u8::from(self.inclusive) & at | none != 0
    }
}

/// Whether a number is below a thousand and has at most three decimals, six digits in all. Both precisions hold six
/// digits, so it is printed as itself in either. (Most margins are such numbers, and printing one takes as long as a
/// query of a single body among a thousand.)
fn is_short(number: f64) -> bool {
    let digits = number * 1e3;
    (0.0..1e6).contains(&digits) && digits.round() / 1e3 == number
}

/// The number that the printed form of this one reads as. (Without a `String`: frames of a pipeline allocate nothing.)
fn printed<T: Precision>(number: T) -> f64 {
    let mut text = [0; 32];
    let mut rest = &mut text[..];
    // At most 17 digits, a sign, a point and an exponent.
    if write!(rest, "{number:e}").is_err() {
        return f64::NAN;
    }
    let unused = rest.len();
    let text = core::str::from_utf8(&text[..text.len() - unused]).unwrap_or_default();
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use jostle_lanes::Scalar as _;

    use super::{Near, is_short, printed};

    #[test]
    fn a_margin_is_what_is_printed() {
        // A margin whose `f32` lies above it, one whose `f32` lies below it, and one that only looks like the `f32`.
        assert!(Near::<f32>::new(0.1).holds(0.1) && f64::from(0.1_f32) > 0.1);
        assert!(Near::<f32>::new(0.7).holds(0.7) && !Near::<f32>::new(0.7).holds(0.700_000_1));
        assert!(!Near::<f32>::new(0.099_999_999_9).holds(0.1));
        assert!(Near::<f64>::new(1e15).holds(1e15) && Near::<f64>::new(0.0).holds(-1e-300));
        assert!(Near::<f64>::new(1.234_567_890_123_456_7e-300).holds(1.234_567_890_123_456_7e-300));
        for thousandths in 0..1_000_000 {
            let margin = f64::from(thousandths) / 1e3;
            assert!(is_short(margin) && printed(f32::from_f64(margin)) <= margin && printed(margin) <= margin);
        }
        assert!(!is_short(0.100_000_1) && !is_short(1e3) && !is_short(f64::NAN));
        assert!(Near::<f32>::new(1.0).holds(f32::NAN) && !Near::<f32>::new(f64::NAN).holds(0.0));
    }
}
