//! Where something is and how it is turned.

use jostle_lanes::Space;

/// A place and a rotation: of a body in the world, or of a part in its shape's frame.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{D3, Pose};
///
/// let here = Pose::<D3>::at([1.0, 2.0, 3.0]);
/// let upside_down = here.with_rotation([1.0, 0.0, 0.0, 0.0]);
/// assert_eq!(here.rotation, [0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(upside_down.position, here.position);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<S: Space> {
    /// Where the origin of the shape's frame is, metres.
    pub position: S::Array<f64>,
    /// Quaternion `[x, y, z, w]`, or `[radians]` counter-clockwise.
    pub rotation: S::Rotation<f64>,
}

impl<S: Space> Pose<S> {
    /// A place, not turned.
    pub fn at(position: S::Array<f64>) -> Self {
        Self { position, rotation: S::identity_rotation() }
    }
    /// The same place, turned.
    pub fn with_rotation(self, rotation: S::Rotation<f64>) -> Self {
        Self { rotation, ..self }
    }
}

impl<S: Space> Default for Pose<S> {
    fn default() -> Self {
        Self::at(S::array(|_| 0.0))
    }
}
