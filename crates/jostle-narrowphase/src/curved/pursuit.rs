//! How far searches over angles are pursued, in either precision.

use jostle_lanes::Scalar;

/// How much is spent on convergence, and what counts as converged.
pub struct Pursuit {
    /// Steps along a ridge, along a rim, and on the sphere.
    pub steps: [u32; 3],
    /// Round-offs of magnitude by which a witness point may be off.
    pub fit: f64,
    /// Sine of the angle between axes below which they count as parallel.
    pub parallel: f64,
}

/// In the precision `T`.
#[inline(always)]
pub fn pursuit<T: Scalar>() -> Pursuit {
    if T::DOUBLE {
        Pursuit { steps: [10, 12, 6], fit: 65536.0, parallel: 4.5e-16 }
    } else {
        Pursuit { steps: [5, 6, 3], fit: 24.0, parallel: 2.4e-7 }
    }
}
