//! How far a turned shape reaches along the world's axes: one formula for all shapes, so that it can be evaluated for
//! one shape per lane.

use jostle_lanes::{Lanes, Rot, Space, Vector};

/// What a shape's extents are computed from, in metres: the numbers of one shape, or of one per lane.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{D2, Shape, Space};
///
/// let crate_ = Shape::<D2>::cuboid([1.0, 0.5])?.rounded(0.25)?;
/// let extents = crate_.extents().turned::<D2>(&D2::rot(&[std::f64::consts::FRAC_PI_2]));
/// assert!((extents.x - 0.75).abs() < 1e-15 && extents.y == 1.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extents<L> {
    /// Half the core's size along its own axes, but for a disc.
    pub half: [L; 3],
    /// The radius of a disc across its y axis.
    pub disc: L,
    /// No point of the core is farther from its centre than this.
    pub reach: L,
    /// The radius of the ball that sweeps the core.
    pub radius: L,
}

impl<L: Lanes<Scalar = f64>> Extents<L> {
    /// Half the size along the world's axes, metres, of the shape turned by `rotation`, about its turned core centre.
    ///
    /// Exact for balls, capsules, boxes, cylinders; for cones, hulls and custom shapes the turned bounding box of the
    /// core, cut down to its bounding ball.
    #[inline(always)]
    pub fn turned<S: Space>(&self, rotation: &S::Rot<L>) -> S::Vector<L> {
        let (zero, one) = (L::zero(), L::one());
        S::Vector::from_fn(
            #[inline(always)]
            |k| {
                let axis = rotation.column(1).get(k);
                let mut turned = zero;
                for j in 0..S::DIMENSION {
                    turned = turned + rotation.column(j).get(k).abs() * self.half[j];
                }
                if S::DIMENSION == 3 {
                    turned = turned + self.disc * (one - axis * axis).max(zero).sqrt();
                }
                turned.min(self.reach) + self.radius
            },
        )
    }
}
