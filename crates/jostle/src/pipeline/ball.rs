//! Bounding balls of bodies, which show quickly that two bodies are too far apart.

use jostle_narrowphase::{BALL_ROUNDING, Dimension, Precision, Record};

use super::pace::PacedRadius;

/// A bounding ball of a body; rounding and look-ahead are included in the radius. NaN for bodies that were removed or
/// have invalid numbers.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Relative to the list's origin, metres; in the plane the third is zero.
    centre: [f32; 3],
    /// The radius holds how often the body's skin is doubled as well: both are needed wherever a pair is looked at, and
    /// so the whole ball is a quarter of a cache line.
    pub radius: PacedRadius,
}

/// A ball that is near no other.
pub const NOTHING: Ball = Ball { centre: [f32::NAN; 3], radius: PacedRadius::NONE };

/// A lower bound of the gap between two balls, metres; below zero where they overlap.
#[inline(always)]
pub fn between(a: &Ball, b: &Ball) -> f32 {
    let (from, to) = (a.centre, b.centre);
    let offset = [from[0] - to[0], from[1] - to[1], from[2] - to[2]];
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    // The distance of the centres is rounded by a hundredth of this.
    squared.sqrt() * (1.0 - BALL_ROUNDING as f32) - (a.radius.get() + b.radius.get())
}

/// The ball of an image: the body's, shifted.
#[inline]
pub fn elsewhere<S: Dimension>(ball: &Ball, shift: &S::Array<f64>) -> Ball {
    let mut centre = ball.centre;
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        let by = shift[k] as f32;
        centre[k] += by;
        farthest = farthest.max(by.abs() + ball.centre[k].abs());
    }
    // The shift and the sum are rounded to half of 2^-23 each, along two or three axes.
    Ball { centre, radius: ball.radius.widened(2.0 * farthest * f32::EPSILON) }
}

/// The ball of a body whose record is up to date. The body gets `ahead` metres far within the look-ahead, and its skin
/// is doubled `doublings` times.
#[inline(always)]
pub fn about<S: Dimension, T: Precision>(
    record: &Record<S, T>,
    origin: &S::Array<f64>,
    ahead: f64,
    doublings: u8,
) -> Ball {
    let mut centre = [0.0_f32; 3];
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        centre[k] = (record.position[k] - origin[k]) as f32;
        let far = centre[k].abs();
        farthest = if far > farthest { far } else { farthest };
    }
    // Coordinates are rounded to half of 2^-23, along two or three axes. The radius is rounded by a hundredth of the
    // room that there is for rounding.
    let radius = (record.reach.to_f64() + ahead) as f32 * (1.0 + BALL_ROUNDING as f32) + farthest * f32::EPSILON;
    Ball { centre, radius: PacedRadius::new(radius, doublings) }
}
