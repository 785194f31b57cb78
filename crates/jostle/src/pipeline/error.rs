//! What a pipeline refuses, and why. It stays usable after each refusal.

use jostle_broadphase::TooManyPairs;
use jostle_shape::{BodyError, Problem, ShapeError};

use super::handle::Handle;
use crate::error::ContactsError;

/// Why a call of a [`Pipeline`](crate::Pipeline) was refused. The call has changed nothing, except for an
/// [`update`](crate::Pipeline::update) that failed, whose documentation says what it leaves behind.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The body was removed, or the handle was not given by this pipeline.
    #[error("the handle {0} is stale: its body was removed, or never was in this pipeline")]
    Stale(Handle),
    /// A column does not have one entry per slot (or a list not one per handle).
    #[error("column '{column}' has {found} entries, not {expected}")]
    Length {
        /// The name of the column.
        column: &'static str,
        /// Its length.
        found: usize,
        /// The length that it has to have.
        expected: usize,
    },
    /// The margin is negative, NaN, infinite or beyond 1e15.
    #[error("the margin is {0}, which is not a finite number between 0 and 1e15")]
    Margin(f64),
    /// The skin is negative, NaN, infinite or beyond 1e15.
    #[error("the skin is {0}, which is not a finite number between 0 and 1e15")]
    Skin(f64),
    /// The look-ahead is negative, NaN, infinite or beyond 1e15.
    #[error("the look-ahead is {0}, which is not a finite number of seconds between 0 and 1e15")]
    LookAhead(f64),
    /// Neighbours are asked for beyond the margin, within which alone contacts were found.
    #[error("neighbours within {radius} are not all known: {}", found_within(*margin))]
    Radius {
        /// The radius that was asked for, metres.
        radius: f64,
        /// The margin that contacts were found within, metres; 0 before the first update, which finds the first.
        margin: f64,
    },
    /// A body that was to be inserted is invalid. It has no handle yet.
    #[error(transparent)]
    Body(#[from] Problem),
    /// A body was to be changed into an invalid one; it is left as it was.
    #[error("body {body}: {reason}")]
    Refused {
        /// The body.
        body: Handle,
        /// What is wrong with the change.
        reason: Box<Self>,
    },
    /// One of several bodies that were to be inserted is invalid; none of them was inserted.
    #[error("body {index} of those to be inserted: {reason}")]
    Inserted {
        /// Its place among them.
        index: usize,
        /// What is wrong with it.
        reason: Box<Self>,
    },
    /// The columns cannot be handed to other queries ([`Pipeline::columns`](crate::Pipeline::columns)). The body is
    /// named by its slot, which may be free.
    #[error(transparent)]
    Columns(BodyError),
    /// There is no shape with this index.
    #[error("shape {0} does not exist")]
    MissingShape(u32),
    /// The shape cannot be removed: bodies have it.
    #[error("shape {shape} is in use by {bodies} bodies")]
    ShapeInUse {
        /// The shape's index.
        shape: u32,
        /// How many bodies have it.
        bodies: u32,
    },
    /// There are too many shapes.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// More bodies than one pipeline takes.
    #[error("{0} bodies are more than one pipeline takes (536,870,911)")]
    TooManyBodies(usize),
    /// More pairs may be near than the limit allows.
    #[error(transparent)]
    TooManyPairs(#[from] TooManyPairs),
    /// The list of near pairs cannot be made: a box is invalid, or, where space repeats, a body is too many cells away
    /// or there are too many images. Bodies are named by their slots.
    #[error(transparent)]
    Contacts(ContactsError),
}

/// Within which margin contacts are known, in words.
fn found_within(margin: f64) -> String {
    if margin > 0.0 {
        format!("contacts were found within a margin of {margin}")
    } else {
        "there was no update yet, or its margin was 0".to_owned()
    }
}

impl From<ContactsError> for PipelineError {
    fn from(error: ContactsError) -> Self {
        match error {
            ContactsError::TooManyPairs(error) => Self::TooManyPairs(error),
            error => Self::Contacts(error),
        }
    }
}
