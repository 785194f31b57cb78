//! The errors of queries: what is refused, and at which place.

use jostle_broadphase::{BoundsError, TooManyPairs};
use jostle_shape::BodyError;

use crate::lattice::MOST_CELLS;

/// Why a pair cannot be queried.
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
    /// It names a slot that no body has, as a [`Pipeline`](crate::Pipeline)'s free slots are.
    #[error("pair {index}: body {body} is absent")]
    AbsentBody {
        /// The pair's index in the list.
        index: usize,
        /// The slot it names.
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

/// Why pairs cannot be tested against a limit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WithinError {
    /// The limit is negative, NaN, infinite or beyond 1e15.
    #[error("the limit is {0}, which is not a finite number between 0 and 1e15")]
    Limit(f64),
    /// A pair cannot be queried.
    #[error(transparent)]
    Pair(#[from] PairError),
}

/// Why bodies cannot be cast.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CastError {
    /// The duration is negative, NaN or infinite.
    #[error("the duration is {0}, which is not a finite number of seconds from 0 on")]
    Duration(f64),
    /// The target distance is negative, NaN, infinite or beyond 1e15.
    #[error("the target is {0}, which is not a finite number between 0 and 1e15")]
    Target(f64),
    /// A coordinate of a ray is NaN, infinite or beyond 1e15.
    #[error("ray {index}: {what}[{axis}] is {value:e}, which is not a finite number within 1e15")]
    Ray {
        /// The index of the ray: 0 if there is only one.
        index: usize,
        /// `"from"` or `"way"`.
        what: &'static str,
        /// The axis: 0 is x.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A pair cannot be queried.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// Where space repeats: the second body of a pair is or comes so many cells away from the first that they cannot be
    /// counted.
    #[error("body {body} is or comes more than {MOST_CELLS} periods away from the other along axis {axis}")]
    FarOutside {
        /// The body.
        body: u32,
        /// The axis.
        axis: usize,
    },
    /// Where space repeats: more images would have to be looked at than is allowed.
    #[error(
        "bodies {} and {}: more than {limit} images lie on the way: the bodies are far longer than the period, or cross too \
         many periods without meeting",
        pair[0],
        pair[1]
    )]
    TooManyImages {
        /// The pair.
        pair: [u32; 2],
        /// The most images that are looked at.
        limit: u64,
    },
    /// The bodies are invalid together with what the query added to them, an image or another set: too many bodies or
    /// shapes, say.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The bounds of the moving bodies cannot be made.
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
    /// There is no memory for all rows, of which this many had been found. (Where memory for anything else runs out the
    /// program aborts, as Rust programs do: a limit keeps rows few.)
    #[error("{0} rows do not fit the memory")]
    Memory(u64),
    /// There are more pairs than the limit allows.
    #[error(transparent)]
    TooManyPairs(#[from] TooManyPairs),
    /// A body is so many periods away from another one (or, in queries about all bodies, from the origin) that they
    /// cannot be counted.
    #[error("body {body} is more than {MOST_CELLS} periods away along axis {axis}")]
    FarOutside {
        /// The body.
        body: u32,
        /// The axis.
        axis: usize,
    },
    /// Bodies, or how far is looked around them, or the ways between them, are so much longer than the period that the
    /// images that matter cannot be listed.
    #[error(
        "body {body}: more than {limit} images would have to be listed; the bodies, the ways between them, or how far is looked \
         around them (a margin, or the distance of so many neighbours) are far longer than the period"
    )]
    TooManyImages {
        /// The body at which counting stopped.
        body: u32,
        /// The most images that are listed.
        limit: u64,
    },
    /// A pair cannot be queried.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// The bodies are invalid together with what the query added to them, an image or another set: too many bodies or
    /// shapes, say.
    #[error(transparent)]
    Body(#[from] BodyError),
}
