//! Columns from data that simulations already have: single precision, flat arrays, `glam` vectors.
//!
//! Flat arrays need no conversion: `bytemuck::cast_slice::<f64, [f64; 3]>(&xyzxyz)` borrows them as positions.

use jostle_lanes::Space;
#[cfg(feature = "glam")]
use jostle_lanes::{D2, D3};

/// Positions kept in single precision, converted in one pass.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{D3, widen};
///
/// let kept: Vec<f32> = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
/// let positions = widen::<D3>(bytemuck::cast_slice(&kept));
/// assert_eq!(positions, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
/// ```
pub fn widen<S: Space>(positions: &[S::Array<f32>]) -> Vec<S::Array<f64>> {
    positions.iter().map(|p| S::array(|k| f64::from(p[k]))).collect()
}

/// Positions kept as `glam` vectors, borrowed.
///
/// ```
/// # #[cfg(feature = "glam")] {
/// use glam::{DQuat, DVec3};
/// # use jostle_shape as jostle;
/// use jostle::{Columns, D3, Rotations, Shape, positions3, quaternions};
///
/// let shapes = [Shape::<D3>::capsule(0.5, 0.2).unwrap()];
/// let (at, turned) = ([DVec3::ZERO, DVec3::X], [DQuat::IDENTITY, DQuat::from_rotation_z(1.0)]);
/// let bodies = Columns::new(&shapes, &[0, 0], positions3(&at), Rotations::Double(quaternions(&turned))).unwrap();
/// assert_eq!(bodies.positions()[1], [1.0, 0.0, 0.0]);
/// # }
/// ```
#[cfg(feature = "glam")]
pub fn positions3(positions: &[glam::DVec3]) -> &[<D3 as Space>::Array<f64>] {
    bytemuck::cast_slice(positions)
}

/// Positions of the plane kept as `glam` vectors, borrowed.
#[cfg(feature = "glam")]
pub fn positions2(positions: &[glam::DVec2]) -> &[<D2 as Space>::Array<f64>] {
    bytemuck::cast_slice(positions)
}

/// Rotations kept as `glam` quaternions in double precision, borrowed: for
/// [`Rotations::Double`](crate::Rotations::Double).
#[cfg(feature = "glam")]
pub fn quaternions(rotations: &[glam::DQuat]) -> &[<D3 as Space>::Rotation<f64>] {
    bytemuck::cast_slice(rotations)
}

/// Rotations kept as `glam` quaternions in single precision, borrowed: for
/// [`Rotations::Single`](crate::Rotations::Single).
#[cfg(feature = "glam")]
pub fn quaternions_single(rotations: &[glam::Quat]) -> &[<D3 as Space>::Rotation<f32>] {
    bytemuck::cast_slice(rotations)
}

#[cfg(feature = "glam")]
impl crate::bodies::Body<D3> {
    /// A body placed and turned by `glam` types.
    pub fn placed(shape: u32, position: glam::DVec3, rotation: glam::DQuat) -> Self {
        Self::new(shape, position.to_array()).with_rotation(rotation.to_array())
    }
}

#[cfg(feature = "glam")]
impl crate::bodies::Body<D2> {
    /// A body placed by a `glam` vector and turned by an angle in radians, counter-clockwise.
    pub fn placed(shape: u32, position: glam::DVec2, angle: f64) -> Self {
        Self::new(shape, position.to_array()).with_rotation([angle])
    }
}
