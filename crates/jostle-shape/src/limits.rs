//! The limits of the numbers of shapes and bodies, in one place for everything that accepts them from outside.

use jostle_lanes::Space;

use crate::error::{BodyError, Problem};

/// The largest length or coordinate, in metres: what is beyond is refused.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{D2, MAX_LENGTH, Shape};
///
/// assert!(Shape::<D2>::ball(MAX_LENGTH).is_ok());
/// assert!(Shape::<D2>::ball(2.0 * MAX_LENGTH).is_err());
/// ```
pub const MAX_LENGTH: f64 = 1e15;

/// Whether a number can be a length (a radius, a margin, a period), metres: from 0 to [`MAX_LENGTH`]. NaN cannot.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{MAX_LENGTH, is_length};
///
/// assert!(is_length(0.0) && is_length(MAX_LENGTH));
/// assert!(!is_length(-1.0) && !is_length(2.0 * MAX_LENGTH) && !is_length(f64::NAN));
/// ```
#[inline]
pub fn is_length(value: f64) -> bool {
    (0.0..=MAX_LENGTH).contains(&value)
}

pub(crate) fn same_length(column: &'static str, found: usize, expected: usize) -> Result<(), BodyError> {
    if found == expected { Ok(()) } else { Err(BodyError::Length { column, found, expected }) }
}

/// What is wrong with a rotation, if anything.
pub(crate) fn check_rotation<S: Space>(rotation: &S::Rotation<f64>) -> Result<(), Problem> {
    let rotation = rotation.as_ref();
    if let [angle] = rotation {
        return if angle.is_finite() { Ok(()) } else { Err(Problem::Angle(*angle)) };
    }
    let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Written so that NaN is refused, and both ends are accepted: 1 - 0.999 is more than 1e-3.
    if (0.999..=1.001).contains(&norm) { Ok(()) } else { Err(Problem::Norm(norm)) }
}

/// What is wrong with a position or velocity, if anything: the axis and its value.
pub(crate) fn check_point(point: &[f64]) -> Option<(usize, f64)> {
    point.iter().copied().enumerate().find(|(_, x)| !matches!(x.abs(), y if y <= MAX_LENGTH))
}
