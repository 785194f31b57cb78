//! Why a shape or a body is refused: which one, and what is wrong with it.

use crate::counts::{MAX_POINTS, MAX_SHAPES};

/// The most bodies: as many as a `u32` can count.
const MOST_BODIES: usize = u32::MAX as usize;

/// A number with a comma before every third digit.
fn grouped(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1000),
    }
}

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is NaN or infinite.
    #[error("{what} is {value}, which is not a finite number")]
    NotFinite {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A radius, extent or rounding below zero.
    #[error("{what} is {value}, which is negative")]
    Negative {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A length or coordinate beyond [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[error("{what} is {value:e}, beyond 1e15 in size")]
    TooLarge {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A convex shape without points.
    #[error("a convex shape needs at least one point")]
    NoPoints,
    /// A point of a convex shape with a coordinate that is NaN, infinite or beyond 1e15.
    #[error("points[{index}][{axis}] is {value:e}, which is not a finite number within 1e15")]
    Point {
        /// Which point; 0 is the first.
        index: usize,
        /// 0 is x.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A convex shape of more points than its indices can count.
    #[error("{0} points are too many for a convex shape ({most} at most)", most = grouped(MAX_POINTS))]
    TooManyPoints(usize),
    /// A part of a sum whose position or rotation is invalid.
    #[error("part {index}: {problem}")]
    Part {
        /// 0 is the first.
        index: usize,
        /// What is wrong with its pose.
        problem: Problem,
    },
    /// More shapes than a body can name.
    #[error("{0} shapes are too many ({most} at most)", most = grouped(MAX_SHAPES))]
    TooManyShapes(usize),
}

/// What is wrong with a body. (Not `non_exhaustive`: code that matches on it names for each variant the column
/// concerned, and the compiler should report it when there is another.)
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Its shape index names none.
    #[error("shape {index} does not exist (there are {count})")]
    MissingShape {
        /// The index given.
        index: u32,
        /// How many shapes there are.
        count: usize,
    },
    /// A coordinate that is NaN, infinite or beyond 1e15.
    #[error("position[{axis}] is {value:e}, which is not a finite number within 1e15")]
    Position {
        /// 0 is x.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A velocity that is NaN, infinite or beyond 1e15.
    #[error("velocity[{axis}] is {value:e}, which is not a finite number within 1e15")]
    Velocity {
        /// 0 is x.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// An angle that is NaN or infinite.
    #[error("rotation is {0}, which is not a finite number")]
    Angle(f64),
    /// A quaternion whose norm is not within 1e-3 of 1.
    #[error("rotation has norm {0}, not within 1e-3 of 1")]
    Norm(f64),
}

/// A refusal of body columns, naming the place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// One body is wrong.
    #[error("body {body}: {problem}")]
    Body {
        /// Its index.
        body: usize,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A column is longer or shorter than the column of shapes.
    #[error("column '{column}' has {found} entries for {expected} bodies")]
    Length {
        /// Which column.
        column: &'static str,
        /// Its length.
        found: usize,
        /// The number of bodies.
        expected: usize,
    },
    /// More bodies than a `u32` can count.
    #[error("{0} bodies are too many ({most} at most)", most = grouped(MOST_BODIES))]
    TooMany(usize),
    /// More shapes than [`MAX_SHAPES`](crate::MAX_SHAPES).
    #[error("{0} shapes are too many ({most} at most)", most = grouped(MAX_SHAPES))]
    TooManyShapes(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_in_groups_of_three_digits() {
        assert_eq!(
            ShapeError::TooManyPoints(70_000).to_string(),
            "70000 points are too many for a convex shape (65,535 at most)"
        );
        assert_eq!(
            BodyError::TooManyShapes(1 << 28).to_string(),
            "268435456 shapes are too many (268,435,455 at most)"
        );
        assert_eq!(BodyError::TooMany(0).to_string(), "0 bodies are too many (4,294,967,295 at most)");
        assert_eq!([0, 999, 1000, 1_000_070].map(grouped), ["0", "999", "1,000", "1,000,070"]);
    }
}
