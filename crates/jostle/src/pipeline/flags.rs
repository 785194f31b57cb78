//! What is known of each slot's body from frame to frame, in flags, and how far a body gets within the look-ahead.

use bitflags::bitflags;
use jostle_narrowphase::Dimension;

bitflags! {
    /// A slot's state.
    ///
    /// | state | flags |
    /// | --- | --- |
    /// | free | none |
    /// | a body that moves, within its box | `LIVE` |
    /// | still, bit for bit | `LIVE STILL` |
    /// | out of its box, or not yet in the list | `LIVE RENEW`, until the list has been renewed |
    /// | inserted, changed or put to sleep since the last frame | `LIVE FRESH RENEW` (asleep: `LIVE ASLEEP FRESH`) |
    /// | asleep | `LIVE ASLEEP`, with `STILL` from the second frame on |
    /// | moved while it slept | `LIVE WOKEN`, until the frame has reported it |
    /// | brought to another cell where space repeats | `LIVE WRAPPED`, until the pass has seen it |
    /// | with invalid numbers | `LIVE FAULTY RENEW`, whatever else it was |
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Flags: u8 {
        /// The slot has a body.
        const LIVE = 1;
        /// Its numbers are invalid: it is left out until they are mended.
        const FAULTY = 1 << 1;
        /// It is bit for bit where it was in the last frame: what was found between two such bodies still holds.
        const STILL = 1 << 2;
        /// Its pairs have to be found before the list is complete.
        const RENEW = 1 << 3;
        /// More than its place has changed.
        const FRESH = 1 << 4;
        /// The user has put it to sleep.
        const ASLEEP = 1 << 5;
        /// It slept and was moved.
        const WOKEN = 1 << 6;
        /// It is in another cell than in the last frame: its position has changed, whether it has moved or not.
        const WRAPPED = 1 << 7;
    }
}

// Each is one comparison, without a branch: they are asked of every body or pair, with answers that cannot be
// predicted.
impl Flags {
    /// The slot has a body.
    #[inline]
    pub fn is_live(self) -> bool {
        self.contains(Self::LIVE)
    }

    /// The slot has a body, whose numbers are valid.
    #[inline]
    pub fn is_sound(self) -> bool {
        self & (Self::LIVE | Self::FAULTY) == Self::LIVE
    }

    /// The slot has a sound body whose pairs have to be found.
    #[inline]
    pub fn is_marked(self) -> bool {
        self & (Self::LIVE | Self::FAULTY | Self::RENEW) == Self::LIVE | Self::RENEW
    }

    /// Both slots have bodies, whose numbers are valid.
    #[inline]
    pub fn are_sound([a, b]: [Self; 2]) -> bool {
        a & b & Self::LIVE | (a | b) & Self::FAULTY == Self::LIVE
    }

    /// Both bodies are bit for bit where they were: what was found between them still holds.
    #[inline]
    pub fn are_still([a, b]: [Self; 2]) -> bool {
        (a & b).contains(Self::STILL)
    }

    /// Both slots have bodies, neither of which is renewed: their pair stays on the list.
    #[inline]
    pub fn stay_listed([a, b]: [Self; 2]) -> bool {
        a & b & Self::LIVE | (a | b) & Self::RENEW == Self::LIVE
    }
}

/// How far a body gets within the look-ahead, metres, in any direction. Without a look-ahead velocities are not read:
/// they are unchecked, and may be anything.
#[inline]
pub fn reach_ahead<S: Dimension>(velocity: &S::Array<f64>, look_ahead: f64) -> f64 {
    if look_ahead == 0.0 {
        return 0.0;
    }
    look_ahead * velocity.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt()
}
