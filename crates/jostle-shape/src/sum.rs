//! Minkowski sums: all sums of a point of one shape and a point of another.
//!
//! The support map of a sum is the sum of the support maps, each evaluated in its own frame; radii add up as numbers.
//! So no hull is made of two shapes' points: two hulls of 64 points cost 128 a support, not 4,096.
//!
//! This is a [`CustomShape`] that the library provides, not another [`Core`]: programs with sums declare it in the type
//! of their shapes, and only they have kernels for sums compiled. A lane may hold a sum of any two kinds: each part is
//! a box, a frustum and a hull at once, two of which are single points, and what no lane needs is not evaluated.

use std::sync::Arc;

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};

use crate::aabb::Aabb;
use crate::counts::MAX_WIDTH;
use crate::custom::CustomShape;
use crate::error::{Problem, ShapeError};
use crate::hull::Hull;
use crate::limits::{check_point, check_rotation};
use crate::pose::Pose;
use crate::shape::{Core, Shape};
use crate::support::{BoxCore, FrustumCore, HullCore, SupportMap};

/// One of the two shapes.
#[derive(Clone, Debug)]
struct Part<S: Space> {
    half_extents: S::Array<f64>,
    /// Half height, base radius, top radius.
    frustum: [f64; 3],
    hull: Option<Arc<Hull<S>>>,
    /// Its rotation, in `f64`; lanes round it.
    rotation: S::Rot<f64>,
}

/// The core of a Minkowski sum; [`Shape::sum`] makes shapes of it.
///
/// The default is a sum of two points: for lanes of your own set of shapes that hold another kind.
#[derive(Clone, Debug)]
pub struct Sum<S: Space> {
    parts: [Part<S>; 2],
    /// The sum of the parts' centres.
    centre: S::Array<f64>,
    bounds: Aabb<S>,
}

impl<S: Space> Default for Part<S> {
    fn default() -> Self {
        Self { half_extents: S::array(|_| 0.0), frustum: [0.0; 3], hull: None, rotation: S::Rot::identity() }
    }
}

impl<S: Space> Default for Sum<S> {
    fn default() -> Self {
        let origin = S::array(|_| 0.0);
        Self { parts: Default::default(), centre: origin, bounds: Aabb { lower: origin, upper: origin } }
    }
}

impl<S: Space> Part<S> {
    fn new(shape: &Shape<S>, rotation: S::Rot<f64>) -> Self {
        let mut part = Self { rotation, ..Self::default() };
        match shape.core() {
            Core::Point => {}
            Core::Segment { .. } | Core::Box { .. } => part.half_extents = shape.core_half_extents(),
            Core::Frustum { half_height, base_radius, top_radius } => {
                part.frustum = [*half_height, *base_radius, *top_radius];
            }
            Core::Hull(hull) => part.hull = Some(Arc::clone(hull)),
            Core::Custom(none) => match *none {},
        }
        part
    }
}

impl<S: Space> Shape<S, Sum<S>> {
    /// The Minkowski sum of two shapes, each with its place and rotation in the frame of the sum: all points `p + q`
    /// with `p` in one and `q` in the other. The sum with a ball is better made by [`Shape::rounded`], which costs
    /// nothing.
    ///
    /// Depths of sums of boxes, hulls, points and segments are proved, those of sums with a cylinder or cone searched
    /// for. Places far from the origin cost digits: the parts' places move the sum as a whole, and its body's position
    /// can do that as well.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D3, Pose, Shape, Sum};
    ///
    /// // What a plate sweeps that may tilt no further than a cylinder lets it.
    /// let plate = Shape::<D3>::cuboid([1.0, 0.125, 0.5])?;
    /// let drum = Shape::<D3>::cylinder(0.25, 0.5)?;
    /// let quarter = [std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];
    /// let swept = Shape::sum((&plate, Pose::default()), (&drum, Pose::default().with_rotation(quarter)))?;
    /// let half = swept.core_half_extents();
    /// assert!((half[0] - 1.5).abs() < 1e-12 && (half[1] - 0.625).abs() < 1e-12 && (half[2] - 0.75).abs() < 1e-12);
    ///
    /// // It stands among others in one set.
    /// let mut bodies = Bodies::<D3, Sum<D3>>::new();
    /// let swept = bodies.add_shape(swept)?;
    /// let plate = bodies.add_shape(plate.with_custom())?;
    /// bodies.push(Body::new(swept, [0.0; 3]))?;
    /// bodies.push(Body::new(plate, [4.0, 0.0, 0.0]))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a pose holds a number that is not finite or beyond 1e15, or a quaternion whose norm is not within 1e-3 of 1;
    /// or if the radii together are beyond 1e15.
    pub fn sum(a: (&Shape<S>, Pose<S>), b: (&Shape<S>, Pose<S>)) -> Result<Self, ShapeError> {
        let mut sum = Sum::default();
        for (index, (shape, pose)) in [a, b].into_iter().enumerate() {
            let refuse = |problem| ShapeError::Part { index, problem };
            if let Some((axis, value)) = check_point(pose.position.as_ref()) {
                return Err(refuse(Problem::Position { axis, value }));
            }
            check_rotation::<S>(&pose.rotation).map_err(refuse)?;
            let rotation = S::rot(pose.rotation.as_ref());
            sum.parts[index] = Part::new(shape, rotation);
            let centre = shape.core_centre();
            let moved = rotation.rotate(S::Vector::from_fn(|k| centre[k]));
            sum.centre = S::array(|k| sum.centre[k] + (pose.position[k] + moved.get(k)));
            // Enlarged a little, for the rounding of lanes that compute the same sum.
            let half = shape.extents().turned::<S>(&rotation);
            let half = S::array(|k| (half.get(k) - shape.radius()) * (1.0 + 8.0 * f64::EPSILON));
            let (lower, upper) = (sum.bounds.lower, sum.bounds.upper);
            sum.bounds = Aabb { lower: S::array(|k| lower[k] - half[k]), upper: S::array(|k| upper[k] + half[k]) };
        }
        let (lower, upper) = (sum.bounds.lower, sum.bounds.upper);
        sum.bounds =
            Aabb { lower: S::array(|k| lower[k] + sum.centre[k]), upper: S::array(|k| upper[k] + sum.centre[k]) };
        Shape::custom(sum).rounded(a.0.radius() + b.0.radius())
    }
}

/// One part per lane.
struct PackedPart<'s, S: Space, L: Lanes> {
    rotation: S::Rot<L>,
    cuboid: BoxCore<S, L>,
    frustum: FrustumCore<L>,
    /// The hulls; lanes without one hold that of another lane.
    hull: Option<HullCore<'s, S, L>>,
    /// The lanes that have one.
    hulls: L::Mask,
    /// Whether any lane has a frustum.
    curved: bool,
}

/// One sum per lane.
pub struct PackedSum<'s, S: Space, L: Lanes> {
    parts: [PackedPart<'s, S, L>; 2],
    centre: S::Vector<L>,
}

/// The same number of every lane's part.
#[inline(always)]
fn gathered<L: Lanes, X>(from: &[&X; MAX_WIDTH], number: impl Fn(&X) -> f64) -> L {
    L::from_fn(
        #[inline(always)]
        |lane| L::Scalar::from_f64(number(from[lane])),
    )
}

impl<'s, S: Space, L: Lanes> PackedPart<'s, S, L> {
    #[inline(always)]
    fn new(parts: [&'s Part<S>; MAX_WIDTH], scale: L) -> Self {
        let mut known = None;
        let mut hulls = 0;
        let mut curved = false;
        for (lane, part) in parts.iter().enumerate().take(L::WIDTH) {
            if let Some(hull) = &part.hull {
                known = Some(&**hull);
                hulls |= 1 << lane;
            }
            curved |= part.frustum != [0.0; 3];
        }
        let hull = known.map(
            #[inline(always)]
            |known| {
                let mut hulls = [known; MAX_WIDTH];
                for (hull, part) in hulls.iter_mut().zip(parts) {
                    if let Some(own) = &part.hull {
                        *hull = own;
                    }
                }
                HullCore::new(hulls, scale)
            },
        );
        Self {
            rotation: S::Rot::from_entries(
                #[inline(always)]
                |i| gathered(&parts, |part| part.rotation.entry(i)),
            ),
            cuboid: BoxCore {
                half_extents: S::Vector::from_fn(
                    #[inline(always)]
                    |k| gathered::<L, _>(&parts, |part| part.half_extents[k]) * scale,
                ),
            },
            frustum: FrustumCore {
                half_height: gathered::<L, _>(&parts, |part| part.frustum[0]) * scale,
                base_radius: gathered::<L, _>(&parts, |part| part.frustum[1]) * scale,
                top_radius: gathered::<L, _>(&parts, |part| part.frustum[2]) * scale,
            },
            hull,
            hulls: L::Mask::from_bits(hulls),
            curved,
        }
    }

    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        let own = self.rotation.unrotate(direction);
        let mut point = self.cuboid.support(own, active);
        if self.curved {
            point = point + SupportMap::<S, L>::support(&self.frustum, own, active);
        }
        if let Some(hull) = &self.hull {
            let corner = hull.support(own, active & self.hulls);
            point = point + S::Vector::select(self.hulls, corner, S::Vector::zero());
        }
        self.rotation.rotate(point)
    }
}

impl<S: Space, L: Lanes> SupportMap<S, L> for PackedSum<'_, S, L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        // A loop, because it is compiled wherever a support is computed: spelled out twice it was twice the code, and
        // twice the time to compile a program that has sums.
        let mut point = S::Vector::zero();
        for part in &self.parts {
            point = point + part.support(direction, active);
        }
        point + self.centre
    }
}

impl<S: Space> CustomShape<S> for Sum<S> {
    type Packed<'a, L: Lanes> = PackedSum<'a, S, L>;

    #[inline(always)]
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> PackedSum<'_, S, L> {
        let mut parts = [[&shapes[0].parts[0]; MAX_WIDTH], [&shapes[0].parts[1]; MAX_WIDTH]];
        for lane in 0..L::WIDTH {
            parts[0][lane] = &shapes[lane].parts[0];
            parts[1][lane] = &shapes[lane].parts[1];
        }
        let [a, b] = parts;
        PackedSum {
            parts: [PackedPart::new(a, scale), PackedPart::new(b, scale)],
            centre: S::Vector::from_fn(
                #[inline(always)]
                |k| gathered::<L, _>(&shapes, |sum| sum.centre[k]) * scale,
            ),
        }
    }

    fn bounds(&self) -> Aabb<S> {
        self.bounds
    }

    fn polytope(&self) -> bool {
        S::DIMENSION == 2 || self.parts.iter().all(|part| part.frustum == [0.0; 3])
    }
}
