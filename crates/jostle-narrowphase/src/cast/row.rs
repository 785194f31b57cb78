//! What a cast is asked, and a row of its answers.

use jostle_lanes::Space;

/// How long bodies move, and how near counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Seconds.
    pub duration: f64,
    /// Bodies at this distance have met, metres; zero if they are to touch.
    pub target: f64,
}

impl Motion {
    /// For so many seconds, until the bodies touch.
    pub fn lasting(duration: f64) -> Self {
        Self { duration, target: 0.0 }
    }
    /// The same, until they are `target` metres apart.
    pub fn to_within(self, target: f64) -> Self {
        Self { target, ..self }
    }
}

/// How a cast ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastStatus {
    /// The two do not meet in the time given.
    #[default]
    Miss,
    /// They meet.
    Hit,
    /// They are nearer than the target (overlapping, if that is zero) before they move.
    Start,
    /// It could not be found out: a support map returns NaN, or the iteration ended without bounds that meet.
    Unconverged,
}

impl CastStatus {
    /// The word in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            CastStatus::Miss => "miss",
            CastStatus::Hit => "hit",
            CastStatus::Start => "start",
            CastStatus::Unconverged => "unconverged",
        }
    }
}

/// What is known of one pair of moving bodies, `a` and `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cast<S: Space> {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// How it ends.
    pub status: CastStatus,
    /// Seconds. Of a hit the time of impact, never late; of a miss the duration; of a start zero; where it is
    /// unconverged a time up to which there is no impact.
    pub time: f64,
    /// Signed distance at that time, metres. Of a hit the target itself (the two are in truth up to the search's
    /// rounding farther apart, as its time is never late), unless they meet as they begin to move; of such a hit, and
    /// of a start, what it is before they move. Zero for what is neither.
    pub distance: f64,
    /// Point on the surface of `a` at that time, world frame, metres; the one on `b` is `point + distance * normal`.
    /// Zero for what neither hits nor starts. (Not finite if `a` itself has by then gone farther than `f64` reaches.)
    pub point: S::Array<f64>,
    /// Unit vector from `a` to `b` at that time, world frame. Zero for what neither hits nor starts.
    pub normal: S::Array<f64>,
}

impl<S: Space> Cast<S> {
    /// A row without a contact.
    pub fn without_contact(pair: [u32; 2], status: CastStatus, time: f64) -> Self {
        Self { a: pair[0], b: pair[1], status, time, ..Self::default() }
    }
}
