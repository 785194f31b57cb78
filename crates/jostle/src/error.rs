//! What a query refuses, and where.

use jostle_broadphase::{BoundsError, TooManyPairs};
use jostle_shape::BodyError;

use crate::lattice::MOST_CELLS;

/// A pair that cannot be asked about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// It names a body that does not exist.
    #[error("pair {index}: body {body} does not exist (there are {count})")]
    MissingBody {
        /// The pair's index in the list.
        index: usize,
        /// The body it names.
        body: u32,
        /// How many bodies there are.
        count: usize,
    },
    /// It names a place that no body has, as a [`Pipeline`](crate::Pipeline)'s free slots are.
    #[error("pair {index}: body {body} is absent")]
    AbsentBody {
        /// The pair's index in the list.
        index: usize,
        /// The place it names.
        body: u32,
    },
    /// It names one body twice.
    #[error("pair {index} names body {body} twice")]
    SameBody {
        /// The pair's index in the list.
        index: usize,
        /// The body it names.
        body: u32,
    },
}

/// Why it cannot be said which pairs are within a limit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WithinError {
    /// The limit is negative, NaN, infinite or beyond 1e15.
    #[error("the limit is {0}, which is not a finite number between 0 and 1e15")]
    Limit(f64),
    /// A pair cannot be asked about.
    #[error(transparent)]
    Pair(#[from] PairError),
}

/// Why moving bodies cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CastError {
    /// The duration is negative, NaN or infinite.
    #[error("the duration is {0}, which is not a finite number of seconds from 0 on")]
    Duration(f64),
    /// The target distance is negative, NaN, infinite or beyond 1e15.
    #[error("the target is {0}, which is not a finite number between 0 and 1e15")]
    Target(f64),
    /// A number of a ray is NaN, infinite or beyond 1e15.
    #[error("ray {index}: {what}[{axis}] is {value:e}, which is not a finite number within 1e15")]
    Ray {
        /// Which ray: 0 if there is one.
        index: usize,
        /// `"from"` or `"way"`.
        what: &'static str,
        /// 0 is x.
        axis: usize,
        /// The number.
        value: f64,
    },
    /// A pair cannot be asked about.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// Where space repeats: the second body of a pair comes so many cells away from the first that they cannot be
    /// counted.
    #[error("body {body} is or comes more than {MOST_CELLS} periods away from the other along axis {axis}")]
    FarOutside {
        /// The body.
        body: u32,
        /// The axis.
        axis: usize,
    },
    /// Where space repeats: so many images have to be looked at that it is given up.
    #[error(
        "bodies {} and {}: more than {limit} images lie on the way: the bodies are far longer than the period, or cross too \
         many periods without meeting",
        pair[0],
        pair[1]
    )]
    TooManyImages {
        /// The pair.
        pair: [u32; 2],
        /// How many are looked at, at most.
        limit: u64,
    },
    /// What the query put beside the bodies, an image or another set, is invalid together with them: too many bodies or
    /// shapes, say.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The bounds of those who move cannot be made.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
}

/// Why the near pairs of a scene cannot be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactsError {
    /// The margin is negative, NaN, infinite or beyond 1e15.
    #[error("the margin is {0}, which is not a finite number between 0 and 1e15")]
    Margin(f64),
    /// The bodies' bounds cannot be made.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// There is no memory for all rows, of which so many had been found. (Where something else does not fit the program
    /// ends, as Rust programs do: a limit keeps rows few.)
    #[error("{0} rows do not fit the memory")]
    Memory(u64),
    /// There are more pairs than asked for at most.
    #[error(transparent)]
    TooManyPairs(#[from] TooManyPairs),
    /// A body is so many periods away from another one (where all are asked about, from the origin) that they cannot be
    /// counted.
    #[error("body {body} is more than {MOST_CELLS} periods away along axis {axis}")]
    FarOutside {
        /// The body.
        body: u32,
        /// The axis.
        axis: usize,
    },
    /// Bodies, or how far is looked around them, or the ways between them, are so much longer than the period that the
    /// images that count cannot be listed.
    #[error(
        "body {body}: with its images there are more than {limit}; bodies, or how far is looked around them (a margin, or as far \
         as so many neighbours are), or the ways between them are far longer than the period"
    )]
    TooManyImages {
        /// The body at which counting was given up.
        body: u32,
        /// How many are listed at most.
        limit: u64,
    },
    /// A pair cannot be asked about.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// What the query put beside the bodies, an image or another set, is invalid together with them: too many bodies or
    /// shapes, say.
    #[error(transparent)]
    Body(#[from] BodyError),
}
