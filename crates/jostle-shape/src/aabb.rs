//! Bounding boxes.

use jostle_lanes::Space;

/// An axis-aligned bounding box, in the frame stated where it is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<S: Space> {
    /// The smallest coordinates.
    pub lower: S::Array<f64>,
    /// The largest coordinates.
    pub upper: S::Array<f64>,
}
