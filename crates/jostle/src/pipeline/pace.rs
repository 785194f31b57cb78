//! Bodies that are faster than most have thicker skins: one car among walkers should not end the list in every frame,
//! nor should walkers have the skin that the car needs.
//!
//! If a body leaves its box while most others are still well within theirs, the skin of its next box is doubled. It is
//! halved again when a list ends and so little of it was used that half would have been enough. No speeds are needed:
//! bodies that start and stop, and those that walk at random, are judged by how far they got.
//!
//! Waiting pairs ([`super::wait`]) are compared with the path length of the fastest body. For each doubling of its skin
//! only half of a body's path counts, as it may be twice as fast as others. Its pairs wait less long: with one doubling
//! two thirds as long, or half as long if both bodies have one. So one car does not make all other pairs due either.
//! How often the skin is doubled is therefore needed wherever a pair is looked at, and is kept in the last bits of the
//! radii of its [balls](super::ball::Ball).

/// How many times a skin is doubled at most. Bodies that are faster still leave their boxes now and then.
pub const MOST_DOUBLINGS: u8 = 4;
/// If less than this share of a box's room was used, half the room would have been enough, with some to spare.
pub const LITTLE: f64 = 0.4;
/// If more than one body in this many has used up most of its room, none counts as faster than most.
pub const OUT_TOGETHER_ONE_IN: usize = 8;

/// The bits of a radius that hold how often the skin is doubled.
const BITS: u32 = 7;

/// The radius of a body's ball, metres, and how often the body's skin is doubled, in one number: the last three bits of
/// the radius are the count, and the rest is rounded up. So it may be changed by these functions only.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct PacedRadius(f32);

impl PacedRadius {
    /// For a removed body: NaN.
    pub const NONE: Self = Self(f32::NAN);

    /// A radius that is no smaller than `radius`.
    #[inline(always)]
    pub fn new(radius: f32, doublings: u8) -> Self {
        Self(f32::from_bits((radius.to_bits() + BITS) & !BITS | u32::from(doublings)))
    }

    /// The radius, metres.
    #[inline(always)]
    pub fn get(self) -> f32 {
        self.0
    }

    /// A radius that is larger by at least `by`, with the same count.
    #[inline(always)]
    pub fn widened(self, by: f32) -> Self {
        // The next one, as the sum may be rounded down.
        Self(f32::from_bits(((self.0 + by).next_up().to_bits() + BITS) & !BITS | self.0.to_bits() & BITS))
    }

    /// Sets how often the skin is doubled.
    #[inline(always)]
    pub fn set_doublings(&mut self, doublings: u8) {
        self.0 = f32::from_bits(self.0.to_bits() & !BITS | u32::from(doublings));
    }

    /// How many times as far as others the body may move in the same time: two to the power of how often its skin is
    /// doubled.
    #[inline(always)]
    pub fn pace(self) -> f32 {
        f32::from_bits((127 + (self.0.to_bits() & BITS)) << 23)
    }
}

/// The share that counts of the path of a body whose skin is doubled `doublings` times: the inverse of its
/// [pace](PacedRadius::pace).
#[inline(always)]
pub fn slowness(doublings: u8) -> f64 {
    f64::from_bits((1023 - u64::from(doublings)) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_tells_and_gets_no_smaller() {
        for radius in [0.0, 1e-40, 0.25, 0.3, 1.0_f32.next_down(), 1.0, 1e30] {
            for doublings in 0..=MOST_DOUBLINGS {
                let mut told = PacedRadius::new(radius, doublings);
                assert!(told.get() >= radius && told.get() <= radius * (1.0 + 4e-6) + 1e-40, "{radius} {told:?}");
                assert_eq!(told.pace(), f32::from(1_u8 << doublings));
                assert_eq!(f64::from(told.pace()) * slowness(doublings), 1.0);
                let wider = told.widened(0.1_f32.next_up());
                assert!(f64::from(wider.get()) >= f64::from(radius) + 0.1 && wider.pace() == told.pace());
                told.set_doublings(1);
                assert!(told.pace() == 2.0 && told.get() >= radius);
            }
        }
        // Of removed bodies.
        let mut nothing = PacedRadius::NONE;
        nothing.set_doublings(MOST_DOUBLINGS);
        assert!(nothing.get().is_nan() && nothing.widened(1.0).get().is_nan());
    }
}
