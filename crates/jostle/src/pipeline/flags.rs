//! What a slot says of its body from frame to frame, a bit each, and how far the body may get ahead of time.

use jostle_narrowphase::Dimension;

/// Somebody is here.
pub const LIVE: u8 = 1;
/// Its numbers are broken: left out until they are mended.
pub const FAULTY: u8 = 2;
/// It is bit for bit where it was in the frame before: what was found between two such bodies still holds.
pub const STILL: u8 = 4;
/// Its pairs have to be found before the list is complete.
pub const RENEW: u8 = 8;
/// More about it has changed than its place.
pub const FRESH: u8 = 16;
/// The user says that it rests.
pub const ASLEEP: u8 = 32;
/// It slept and was moved.
pub const WOKEN: u8 = 64;
/// It is in another cell than in the frame before: its numbers have changed, whether it has moved or not.
pub const WRAPPED: u8 = 128;

/// Whether somebody is here whose numbers are good.
#[inline]
pub fn is_sound(flags: u8) -> bool {
    flags & (LIVE | FAULTY) == LIVE
}

/// Whether its pairs have to be found as well.
#[inline]
pub fn is_marked(flags: u8) -> bool {
    flags & (LIVE | FAULTY | RENEW) == LIVE | RENEW
}

/// How far a body gets within the look-ahead, in any direction. Where there is none, velocities may be anything: nobody
/// has asked whether they are numbers.
#[inline]
pub fn reach_ahead<S: Dimension>(velocity: &S::Array<f64>, look_ahead: f64) -> f64 {
    if look_ahead == 0.0 {
        return 0.0;
    }
    look_ahead * velocity.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt()
}
