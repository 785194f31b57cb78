//! What a slot says of its body from frame to frame, and how far the body may get ahead of time.

use bitflags::bitflags;
use jostle_narrowphase::Dimension;

bitflags! {
    /// A slot's state.
    ///
    /// | state | flags |
    /// | --- | --- |
    /// | free | none |
    /// | a body that moves, within its box | `LIVE` |
    /// | at rest, bit for bit | `LIVE STILL` |
    /// | out of its box, or not yet in the list | `LIVE RENEW`, until the list has been renewed |
    /// | inserted, changed or laid down since the last frame | `LIVE FRESH RENEW` (laid down: `LIVE ASLEEP FRESH`) |
    /// | asleep | `LIVE ASLEEP`, with `STILL` from the second frame on |
    /// | moved while it slept | `LIVE WOKEN`, until the frame has told |
    /// | brought to another cell where space repeats | `LIVE WRAPPED`, until the pass has seen it |
    /// | with broken numbers | `LIVE FAULTY RENEW`, whatever else it was |
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Flags: u8 {
        /// A body is here.
        const LIVE = 1;
        /// Its numbers are broken: left out until they are mended.
        const FAULTY = 1 << 1;
        /// It is bit for bit where it was in the frame before: what was found between two such bodies still holds.
        const STILL = 1 << 2;
        /// Its pairs have to be found before the list is complete.
        const RENEW = 1 << 3;
        /// More about it has changed than its place.
        const FRESH = 1 << 4;
        /// The user says that it rests.
        const ASLEEP = 1 << 5;
        /// It slept and was moved.
        const WOKEN = 1 << 6;
        /// It is in another cell than in the frame before: its numbers have changed, whether it has moved or not.
        const WRAPPED = 1 << 7;
    }
}

// Each is one comparison, without a branch: they are asked of every body or pair, and nobody could guess the answer.
impl Flags {
    /// A body is here.
    #[inline]
    pub fn is_live(self) -> bool {
        self.contains(Self::LIVE)
    }

    /// A body is here whose numbers are good.
    #[inline]
    pub fn is_sound(self) -> bool {
        self & (Self::LIVE | Self::FAULTY) == Self::LIVE
    }

    /// A sound body is here whose pairs have to be found.
    #[inline]
    pub fn is_marked(self) -> bool {
        self & (Self::LIVE | Self::FAULTY | Self::RENEW) == Self::LIVE | Self::RENEW
    }

    /// Both bodies are here and their numbers are good.
    #[inline]
    pub fn are_sound([a, b]: [Self; 2]) -> bool {
        a & b & Self::LIVE | (a | b) & Self::FAULTY == Self::LIVE
    }

    /// Both bodies are bit for bit where they were: what was found between them still holds.
    #[inline]
    pub fn are_still([a, b]: [Self; 2]) -> bool {
        (a & b).contains(Self::STILL)
    }

    /// Both bodies are here, and of neither are pairs to be found anew: their pair stays on the list.
    #[inline]
    pub fn stay_listed([a, b]: [Self; 2]) -> bool {
        a & b & Self::LIVE | (a | b) & Self::RENEW == Self::LIVE
    }
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
