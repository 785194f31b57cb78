//! Bodies that are faster than most have thicker skins: one car among walkers is not to end the list in every frame,
//! nor walkers to be kept apart by what the car would need.
//!
//! Whoever leaves a box while most others are still well within theirs has the skin doubled that the next box is made
//! with; it is halved again when a list ends and so little of it was used that the half would have been enough. So
//! nobody has to know speeds: bodies that start and stop, and those that walk at random, are judged by how far they
//! got.
//!
//! Waiting pairs ([`super::wait`]) are held against the way of the fastest body. Of a body whose skin is doubled only
//! the half of its way counts, as it may be twice as fast as others, and its pairs wait half as long, or two thirds; so
//! one car does not wake up everybody either. What that takes is at hand wherever pairs are looked at: it rides in the
//! last bits of the radii of their [balls](super::ball::Ball).

/// How often a skin is doubled, at most: bodies that are faster still leave their boxes now and then.
pub const MOST: u8 = 4;
/// Less than so much of a box's room: then half the room would have been enough, with some to spare.
pub const LITTLE: f64 = 0.4;
/// Where more than one body in so many has used up most of its room, nobody is faster than most.
pub const TOGETHER: usize = 8;

/// The bits of a radius that say it.
const BITS: u32 = 7;

/// A radius, no smaller, that says how often the skin is doubled.
#[inline(always)]
pub fn telling(radius: f32, doublings: u8) -> f32 {
    f32::from_bits((radius.to_bits() + BITS) & !BITS | u32::from(doublings))
}

/// Says it in a radius that said something else.
#[inline(always)]
pub fn tell(radius: &mut f32, doublings: u8) {
    *radius = f32::from_bits(radius.to_bits() & !BITS | u32::from(doublings));
}

/// How many times as far as others the body of such a radius may come in the same time: two to the power of how often
/// its skin is doubled.
#[inline(always)]
pub fn pace(radius: f32) -> f32 {
    f32::from_bits((127 + (radius.to_bits() & BITS)) << 23)
}

/// The same inverted: what part of its way counts.
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
            for doublings in 0..=MOST {
                let mut told = telling(radius, doublings);
                assert!(told >= radius && told <= radius * (1.0 + 4e-6) + 1e-40, "{radius} {told}");
                assert_eq!(pace(told), f32::from(1_u8 << doublings));
                assert_eq!(f64::from(pace(told)) * slowness(doublings), 1.0);
                tell(&mut told, 1);
                assert!(pace(told) == 2.0 && told >= radius);
            }
        }
        // Of bodies that are gone.
        let mut nothing = f32::NAN;
        tell(&mut nothing, MOST);
        assert!(nothing.is_nan());
    }
}
