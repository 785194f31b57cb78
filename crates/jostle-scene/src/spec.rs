//! Shapes as a file describes them, so that a scene that was read can be written again.

use jostle::{ShapeError, Space};

/// A shape in the words of the scene format; lengths in metres.
///
/// ```
/// use jostle::{D2, D3};
/// use jostle_scene::ShapeSpec;
///
/// let plank = ShapeSpec::<D3>::Box { half_extents: [1.0, 0.1, 0.02], rounding: 0.005 };
/// assert_eq!(plank.shape()?.radius(), 0.005);
/// let drum = ShapeSpec::<D2>::Cylinder { half_height: 1.0, radius: 0.5, rounding: 0.0 };
/// assert_eq!(drum.shape().unwrap_err().to_string(), "there is no cylinder in the plane");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeSpec<S: Space> {
    /// `sphere` or `circle`.
    Ball {
        /// The radius; 0 is a point.
        radius: f64,
    },
    /// `capsule`: a segment along y, swept by a ball.
    Capsule {
        /// Half the segment's length.
        half_length: f64,
        /// The radius of the ball.
        radius: f64,
    },
    /// `box`.
    Box {
        /// Half the size along each axis.
        half_extents: S::Array<f64>,
        /// The radius of the ball that sweeps it.
        rounding: f64,
    },
    /// `cylinder` about the y axis; in space only.
    Cylinder {
        /// Half the height.
        half_height: f64,
        /// The radius.
        radius: f64,
        /// The radius of the ball that sweeps it.
        rounding: f64,
    },
    /// `cone` about the y axis, apex up; in space only.
    Cone {
        /// Half the height.
        half_height: f64,
        /// The radius of the base.
        radius: f64,
        /// The radius of the ball that sweeps it.
        rounding: f64,
    },
    /// `convex`: the hull of points.
    Convex {
        /// The points, in any order.
        points: Vec<S::Array<f64>>,
        /// The radius of the ball that sweeps it.
        rounding: f64,
    },
}

/// Why a description gives no shape.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A parameter is refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The plane has no shapes of this type.
    #[error("there is no {0} in the plane")]
    NotInPlane(&'static str),
}
