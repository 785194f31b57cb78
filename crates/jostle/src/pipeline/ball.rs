//! Balls about bodies: what tells at a glance that two of them are too far apart.

use jostle_narrowphase::{BALL_ROUNDING, Dimension, Precision, Record};

use super::pace::PacedRadius;

/// A ball about a body, rounding and look-ahead included. NaN about bodies that are gone or broken.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Seen from the origin of the list; in the plane the third is zero.
    centre: [f32; 3],
    /// Says as well how often the body's skin is doubled: both are needed wherever a pair is looked at, and so it is
    /// one quarter of a cache line that is read.
    pub radius: PacedRadius,
}

/// A ball that meets no other.
pub const NOTHING: Ball = Ball { centre: [f32::NAN; 3], radius: PacedRadius::NONE };

/// How far apart two balls are, at least; below zero where they overlap.
#[inline(always)]
pub fn between(a: &Ball, b: &Ball) -> f32 {
    let (from, to) = (a.centre, b.centre);
    let offset = [from[0] - to[0], from[1] - to[1], from[2] - to[2]];
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    // What the centres' distance is rounded by is a hundredth of this.
    squared.sqrt() * (1.0 - BALL_ROUNDING as f32) - (a.radius.get() + b.radius.get())
}

/// A ball about an image.
#[inline]
pub fn elsewhere<S: Dimension>(ball: &Ball, shift: &S::Array<f64>) -> Ball {
    let mut centre = ball.centre;
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        let by = shift[k] as f32;
        centre[k] += by;
        farthest = farthest.max(by.abs() + ball.centre[k].abs());
    }
    // The shift and the sum are rounded to a half of 2^-23 each, along two or three axes.
    Ball { centre, radius: ball.radius.widened(2.0 * farthest * f32::EPSILON) }
}

/// The ball about a body whose record is up to date, which looks `ahead` metres ahead, and whose skin is doubled so
/// often.
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
    // Coordinates are rounded to a half of 2^-23, along two or three axes; what the radius is rounded by is a hundredth
    // of the room that there is for rounding.
    let radius = (record.reach.to_f64() + ahead) as f32 * (1.0 + BALL_ROUNDING as f32) + farthest * f32::EPSILON;
    Ball { centre, radius: PacedRadius::new(radius, doublings) }
}
