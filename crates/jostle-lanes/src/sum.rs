//! Sums that are rounded as if once: the rounding error of an addition can be computed exactly, and added at the end.

/// The rounded sum of two numbers, and its rounding error: exact, if nothing overflows (Møller 1965, Knuth: The Art of
/// Computer Programming 2, 4.2.2).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// The sum of three numbers, wrong by no more than a rounding of the sum itself, however much of them cancels. NaN if
/// one of them is not finite, or two of them add up to more than `f64` holds.
///
/// ```
/// use jostle_lanes::sum_of_three;
///
/// assert_eq!((0.1 + 900.0) - 900.0, 0.10000000000002274);
/// assert_eq!(sum_of_three(0.1, 900.0, -900.0), 0.1);
/// assert!(sum_of_three(1e308, 1e308, -1e308).is_nan());
/// ```
pub fn sum_of_three(a: f64, b: f64, c: f64) -> f64 {
    // If `c` cancels most of the first sum, the second sum is exact, and the last is the only one that rounds; if not,
    // the error of adding the rests is a share of 1e-16 of that of the last.
    let (sum, rest) = two_sum(a, b);
    let (sum, last) = two_sum(sum, c);
    sum + (rest + last)
}
