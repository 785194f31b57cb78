//! Balls about bodies: what tells at a glance that two of them are too far apart.

use jostle_narrowphase::{BALL_ROUNDING, Dimension, Precision, Record};

use super::pace::telling;

/// A ball about a body: its centre's coordinates, seen from an origin, and behind them its radius, rounding and
/// look-ahead included. NaN about bodies that are gone or broken. The last bits of the radius say how often the body's
/// skin is [doubled](super::pace).
pub type Ball = [f32; 4];

/// A ball that meets no other.
pub const NOTHING: Ball = [f32::NAN; 4];

/// How far apart two balls are, at least; below zero where they overlap.
#[inline(always)]
pub fn between(a: &Ball, b: &Ball) -> f32 {
    let offset = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    // What the centres' distance is rounded by is a hundredth of this.
    squared.sqrt() * (1.0 - BALL_ROUNDING as f32) - (a[3] + b[3])
}

/// A ball about an image.
#[inline]
pub fn elsewhere<S: Dimension>(ball: &Ball, shift: &S::Array<f64>) -> Ball {
    let mut moved = *ball;
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        let by = shift[k] as f32;
        moved[k] += by;
        farthest = farthest.max(by.abs() + ball[k].abs());
    }
    // The shift and the sum are rounded to a half of 2^-23 each, along two or three axes.
    moved[3] += 2.0 * farthest * f32::EPSILON;
    moved
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
    let mut ball = [0.0; 4];
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        ball[k] = (record.position[k] - origin[k]) as f32;
        let far = ball[k].abs();
        farthest = if far > farthest { far } else { farthest };
    }
    // Coordinates are rounded to a half of 2^-23, along two or three axes; what the radius is rounded by is a hundredth
    // of the room that there is for rounding.
    let radius = (record.reach.to_f64() + ahead) as f32 * (1.0 + BALL_ROUNDING as f32) + farthest * f32::EPSILON;
    ball[3] = telling(radius, doublings);
    ball
}
