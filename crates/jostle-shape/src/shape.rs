//! A shape: a convex core swept by a ball.

use std::sync::Arc;

use jostle_lanes::{D2, D3, Space, Vector};

use crate::counts::{MAX_POINTS, MAX_WIDTH};
use crate::custom::{CustomShape, Guarded, NoCustom, half_extents};
use crate::error::ShapeError;
use crate::extents::Extents;
use crate::hull::Hull;
use crate::limits::{MAX_LENGTH, check_point};
use crate::support::SupportMap;

/// A shape before it is swept by its ball.
#[derive(Clone, Debug, PartialEq)]
pub enum Core<S: Space, U = NoCustom> {
    /// The origin of the shape's frame.
    Point,
    /// From `(0, -half_length)` to `(0, half_length)`, along y.
    Segment {
        /// Half the segment's length.
        half_length: f64,
    },
    /// All points whose coordinates are within the half extents.
    Box {
        /// Half the box's size along each axis.
        half_extents: S::Array<f64>,
    },
    /// A cylinder, a cone or what lies between, about the y axis.
    Frustum {
        /// Half the height.
        half_height: f64,
        /// The radius at `y = -half_height`.
        base_radius: f64,
        /// The radius at `y = half_height`.
        top_radius: f64,
    },
    /// The convex hull of points.
    Hull(Arc<Hull<S>>),
    /// A user-defined shape.
    Custom(U),
}

/// A convex shape in its own frame: a core, swept by a ball of `radius`.
///
/// Lengths are in metres. Cloning is cheap: hulls are shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape<S: Space, U = NoCustom> {
    core: Core<S, U>,
    radius: f64,
}

fn length(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if !value.is_finite() {
        Err(ShapeError::NotFinite { what, value })
    } else if value < 0.0 {
        Err(ShapeError::Negative { what, value })
    } else if value > MAX_LENGTH {
        Err(ShapeError::TooLarge { what, value })
    } else {
        // Not -0.0, whose sign would matter to a support map.
        Ok(value + 0.0)
    }
}

impl<S: Space, U> Shape<S, U> {
    /// The origin alone: a ball of radius 0. One that moves is a ray.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{D3, Shape};
    ///
    /// let point = Shape::<D3>::point();
    /// assert_eq!(point.rounded(0.5)?.radius(), Shape::<D3>::ball(0.5)?.radius());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn point() -> Self {
        Self { core: Core::Point, radius: 0.0 }
    }
    /// A ball (3D) or disc (2D) about the origin; radius 0 is a [point](Shape::point).
    ///
    /// # Errors
    /// If the radius is negative, not finite or beyond 1e15.
    pub fn ball(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { core: Core::Point, radius: length("radius", radius)? })
    }
    /// A capsule along y: the segment from `-half_length` to `half_length`, swept by a ball of `radius`.
    ///
    /// # Errors
    /// If a length is negative, not finite or beyond 1e15.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_length = length("half_length", half_length)?;
        Ok(Self { core: Core::Segment { half_length }, radius: length("radius", radius)? })
    }
    /// A box about the origin; extents of 0 are allowed.
    ///
    /// # Errors
    /// If an extent is negative, not finite or beyond 1e15.
    pub fn cuboid(half_extents: S::Array<f64>) -> Result<Self, ShapeError> {
        for (&extent, what) in
            half_extents.as_ref().iter().zip(["half_extents[0]", "half_extents[1]", "half_extents[2]"])
        {
            length(what, extent)?;
        }
        Ok(Self { core: Core::Box { half_extents: S::array(|k| half_extents[k] + 0.0) }, radius: 0.0 })
    }
    /// The convex hull of points: 1 to 65,535 of them, in any order; interior, repeated, collinear and coplanar points
    /// are allowed.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{D2, Shape};
    ///
    /// let triangle = Shape::<D2>::convex(&[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])?;
    /// assert_eq!(triangle.radius(), 0.0);
    /// let refused = Shape::<D2>::convex(&[[0.0, 0.0], [2.0, f64::NAN]]).unwrap_err();
    /// assert_eq!(refused.to_string(), "points[1][1] is NaN, which is not a finite number within 1e15");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are none or too many, or a coordinate is not finite or beyond 1e15 ([`ShapeError::Point`]).
    pub fn convex(points: &[S::Array<f64>]) -> Result<Self, ShapeError> {
        if points.is_empty() {
            return Err(ShapeError::NoPoints);
        }
        if points.len() > MAX_POINTS {
            return Err(ShapeError::TooManyPoints(points.len()));
        }
        for (index, point) in points.iter().enumerate() {
            if let Some((axis, value)) = check_point(point.as_ref()) {
                return Err(ShapeError::Point { index, axis, value });
            }
        }
        Ok(Self { core: Core::Hull(Arc::new(Hull::new(points))), radius: 0.0 })
    }
    /// A user-defined shape.
    pub fn custom(shape: U) -> Self {
        Self { core: Core::Custom(shape), radius: 0.0 }
    }
    /// Sweeps the shape by a ball of radius `rounding` (metres), in addition to its radius: a skin of that thickness,
    /// or the Minkowski sum with the ball. A rod with a skin is a capsule, a box with one a rounded box.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{D3, Shape};
    ///
    /// let rod = Shape::<D3>::capsule(1.0, 0.0)?;
    /// assert_eq!(rod.rounded(0.25)?, Shape::capsule(1.0, 0.25)?);
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// If `rounding` is negative, not finite or (together with the radius) beyond 1e15.
    pub fn rounded(self, rounding: f64) -> Result<Self, ShapeError> {
        let rounding = length("rounding", rounding)?;
        Ok(Self { radius: length("rounding", self.radius + rounding)?, core: self.core })
    }
    /// The core that is swept.
    pub fn core(&self) -> &Core<S, U> {
        &self.core
    }
    /// The radius of the ball that sweeps the core.
    pub fn radius(&self) -> f64 {
        self.radius
    }
    /// Prefetches the shape's size if it is stored elsewhere: in a hull.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch_size(&self) {
        if let Core::Hull(hull) = &self.core {
            hull.prefetch_size();
        }
    }
}

impl<S: Space> Shape<S> {
    /// The shape for a set that has the custom shapes `U` as well: only its type changes.
    pub fn with_custom<U>(self) -> Shape<S, U> {
        let core = match self.core {
            Core::Point => Core::Point,
            Core::Segment { half_length } => Core::Segment { half_length },
            Core::Box { half_extents } => Core::Box { half_extents },
            Core::Frustum { half_height, base_radius, top_radius } => {
                Core::Frustum { half_height, base_radius, top_radius }
            }
            Core::Hull(hull) => Core::Hull(hull),
            Core::Custom(none) => match none {},
        };
        Shape { core, radius: self.radius }
    }
}

impl<U> Shape<D3, U> {
    /// A cylinder about the y axis, from `-half_height` to `half_height`; its caps are flat.
    ///
    /// # Errors
    /// If a length is negative, not finite or beyond 1e15.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        let (half_height, radius) = (length("half_height", half_height)?, length("radius", radius)?);
        Self::frustum(half_height, radius, radius)
    }
    /// A cone about the y axis: apex at `y = half_height`, base disc of `radius` at `y = -half_height`.
    ///
    /// # Errors
    /// If a length is negative, not finite or beyond 1e15.
    pub fn cone(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        let (half_height, radius) = (length("half_height", half_height)?, length("radius", radius)?);
        Self::frustum(half_height, radius, 0.0)
    }
    /// A conical frustum about the y axis: a disc of `base_radius` at `y = -half_height`, one of `top_radius` at
    /// `y = half_height`, and everything between them.
    ///
    /// # Errors
    /// If a length is negative, not finite or beyond 1e15.
    pub fn frustum(half_height: f64, base_radius: f64, top_radius: f64) -> Result<Self, ShapeError> {
        let half_height = length("half_height", half_height)?;
        let (base_radius, top_radius) = (length("base_radius", base_radius)?, length("top_radius", top_radius)?);
        let core = if base_radius == 0.0 && top_radius == 0.0 {
            Core::Segment { half_length: half_height }
        } else {
            Core::Frustum { half_height, base_radius, top_radius }
        };
        Ok(Self { core, radius: 0.0 })
    }
}

impl<S: Space, U: CustomShape<S>> Shape<S, U> {
    /// The point, in the shape's frame, that the core's support map is relative to: the origin, except for hulls, whose
    /// bounding box may be anywhere.
    pub fn core_centre(&self) -> S::Array<f64> {
        match &self.core {
            Core::Hull(hull) => hull.centre(),
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } | Core::Custom(_) => {
                S::array(|_| 0.0)
            }
        }
    }
    /// A point in the core, in the shape's frame: the centre of its box may be outside of the core. NaN or infinite if
    /// a custom support map returns such points.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{D2, Shape};
    ///
    /// let corner = Shape::<D2>::convex(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])?;
    /// assert_eq!((corner.core_centre(), corner.inner_point()), ([1.5, 1.5], [1.0, 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inner_point(&self) -> S::Array<f64> {
        match &self.core {
            Core::Hull(hull) => {
                let (centre, count) = (hull.centre(), hull.len());
                let sum = |k: usize| (0..count).map(|index| hull.point(index)[k]).sum::<f64>();
                S::array(|k| centre[k] + sum(k) / count as f64)
            }
            Core::Custom(shape) => {
                let map = Guarded::<S, f64, _>::pack([shape; MAX_WIDTH], 1.0);
                let mut sum = S::Vector::zero();
                for k in 0..S::DIMENSION {
                    let unit = S::Vector::unit(k);
                    sum = sum + map.support(unit, true) + map.support(-unit, true);
                }
                S::array(|k| sum.get(k) / (2 * S::DIMENSION) as f64)
            }
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } => self.core_centre(),
        }
    }
    /// Half the core's bounding box about [`Shape::core_centre`].
    pub fn core_half_extents(&self) -> S::Array<f64> {
        match &self.core {
            Core::Point => S::array(|_| 0.0),
            Core::Segment { half_length } => S::array(|k| if k == 1 { *half_length } else { 0.0 }),
            Core::Box { half_extents } => *half_extents,
            Core::Frustum { half_height, base_radius, top_radius } => {
                S::array(|k| if k == 1 { *half_height } else { base_radius.max(*top_radius) })
            }
            Core::Hull(hull) => hull.half_extents(),
            Core::Custom(shape) => half_extents(shape),
        }
    }
    /// The largest distance of a point of the shape from [`Shape::core_centre`], radius included; an upper bound.
    pub fn reach(&self) -> f64 {
        self.core_reach() + self.radius
    }
    fn core_reach(&self) -> f64 {
        let corner = |extents: S::Array<f64>| extents.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        match &self.core {
            Core::Frustum { half_height, base_radius, top_radius } => {
                let radius = base_radius.max(*top_radius);
                // Not `hypot`, which differs between platforms.
                (half_height * half_height + radius * radius).sqrt()
            }
            Core::Hull(hull) => hull.reach(),
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Custom(_) => corner(self.core_half_extents()),
        }
    }
    /// The numbers from which its size along the world's axes is computed, for any rotation.
    pub fn extents(&self) -> Extents<f64> {
        let (half, disc) = match &self.core {
            Core::Frustum { half_height, base_radius, top_radius } => {
                ([0.0, *half_height, 0.0], base_radius.max(*top_radius))
            }
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Hull(_) | Core::Custom(_) => {
                let half = self.core_half_extents();
                (core::array::from_fn(|k| half.as_ref().get(k).copied().unwrap_or(0.0)), 0.0)
            }
        };
        Extents { half, disc, reach: self.core_reach(), radius: self.radius }
    }
}

/// A shape in the plane.
pub type Shape2<U = NoCustom> = Shape<D2, U>;
/// A shape in space.
pub type Shape3<U = NoCustom> = Shape<D3, U>;
