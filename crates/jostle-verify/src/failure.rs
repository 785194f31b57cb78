//! What can be wrong with a row, each with the numbers that show it.

use crate::row::Claim;

/// One of the two bodies of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Side::A { "a" } else { "b" })
    }
}

/// Why a row is not true. Lengths are in metres.
///
/// ```
/// use jostle_verify::Failure;
///
/// let failure = Failure::NotUnit { length: 0.5 };
/// assert_eq!(failure.to_string(), "the normal has length 0.5, not 1");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A tolerance that is negative, NaN or infinite: no row, or every row, would pass.
    #[error("the tolerance `{what}` is {value}, which is not a finite number of at least 0")]
    Tolerance {
        /// The field.
        what: &'static str,
        /// What it holds.
        value: f64,
    },
    /// A body that the scene does not have.
    #[error("there is no body {body}: the scene has {count}")]
    MissingBody {
        /// The index in the row.
        body: u32,
        /// How many bodies there are.
        count: usize,
    },
    /// A body paired with itself.
    #[error("body {body} is paired with itself")]
    SameBody {
        /// The index in the row.
        body: u32,
    },
    /// A shift that is not a whole number of periods.
    #[error("the image is shifted by {shift} on axis {axis}, which is not a whole number of periods of {period}")]
    NotAnImage {
        /// The axis.
        axis: usize,
        /// The shift along it.
        shift: f64,
        /// The scene's period along it; 0 if it does not repeat.
        period: f64,
    },
    /// A NaN or an infinity.
    #[error("{column} is {value}")]
    NotFinite {
        /// The column.
        column: &'static str,
        /// What it holds.
        value: f64,
    },
    /// A normal that is not of length one.
    #[error("the normal has length {length}, not 1")]
    NotUnit {
        /// Its length.
        length: f64,
    },
    /// A witness point outside its body.
    #[error("the witness point on {side} is {outside:.3e} outside its body (allowed {allowed:.3e})")]
    Outside {
        /// On which body the point is said to lie.
        side: Side,
        /// How far it is from the body.
        outside: f64,
        /// How far it may be.
        allowed: f64,
    },
    /// A witness point that is not on its body's supporting plane along the normal, so not where the body is nearest.
    #[error("the witness point on {side} is {short:.3e} behind its body's supporting plane (allowed {allowed:.3e})")]
    NotSupporting {
        /// On which body the point is said to lie.
        side: Side,
        /// How much further the body reaches.
        short: f64,
        /// How much it may.
        allowed: f64,
    },
    /// `witness_b - witness_a` is not `distance * normal`.
    #[error("b's point minus a's is off distance * normal by {off:.3e} (allowed {allowed:.3e})")]
    Mismatch {
        /// By how much.
        off: f64,
        /// By how much it may be.
        allowed: f64,
    },
    /// The normal does not separate the bodies by the distance.
    #[error("the normal leaves a gap of {gap}, less than the distance {distance} (allowed {allowed:.3e})")]
    NotSeparating {
        /// The gap along the normal.
        gap: f64,
        /// What the row says.
        distance: f64,
        /// How much less it may be.
        allowed: f64,
    },
    /// There is a shorter way out.
    #[error("the depth {depth} is not the least: {least} along {normal:?} (allowed {allowed:.3e} more)")]
    NotMinimal {
        /// The row's depth.
        depth: f64,
        /// The least depth found.
        least: f64,
        /// Along this unit vector (the third number is zero in the plane).
        normal: [f64; 3],
        /// How much more the row's may be.
        allowed: f64,
    },
    /// Bounds that do not hold the row's own distance, without any tolerance.
    #[error("the bounds {lower} to {upper} do not hold the distance {distance}")]
    Bounds {
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
        /// The distance.
        distance: f64,
    },
    /// The true distance is below the lower bound.
    #[error("the lower bound {lower} is above the true distance, which is at most {truth}")]
    LowerTooHigh {
        /// The lower bound.
        lower: f64,
        /// An upper bound of the true distance.
        truth: f64,
    },
    /// The true distance is above the upper bound.
    #[error("the upper bound {upper} is below the true distance, which is at least {truth}")]
    UpperTooLow {
        /// The upper bound.
        upper: f64,
        /// A lower bound of the true distance.
        truth: f64,
    },
    /// A status that the bounds, or the bodies, contradict.
    #[error("the status is {} with bounds {lower} to {upper} (the true distance is between {least} and {most})", status.name())]
    Status {
        /// What the row says.
        status: Claim,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
        /// A lower bound of the true distance.
        least: f64,
        /// An upper bound of the true distance.
        most: f64,
    },
    /// A status that says what the bounds leave open, or a depth that is said to be proved with an upper bound that
    /// does not prove it.
    #[error("the status is {}, but the bounds {lower} to {upper} leave more than {allowed:.3e} open", status.name())]
    LeftOpen {
        /// What the row says.
        status: Claim,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
        /// How far they may be apart.
        allowed: f64,
    },
}
