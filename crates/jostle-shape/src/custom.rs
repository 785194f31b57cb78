//! User-defined shapes: anything convex with a support map takes part in every query.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};

use crate::aabb::Aabb;
use crate::counts::MAX_WIDTH;
use crate::limits::is_length;
use crate::support::SupportMap;

/// A convex core that is not built in.
///
/// The shape defines how `W` of its kind are packed into lanes; the packed form is the support map that the kernels
/// call. A shape that is awkward in lanes packs references to itself and answers lane by lane.
///
/// No support map can make a query hang or panic. If it returns NaN or points outside its own bounds, or contradicts
/// itself so that bounds of the distance cannot meet, the answer's status is `unconverged`.
///
/// ```
/// # mod jostle { pub use jostle_shape::*; pub use jostle_lanes as lanes; }
/// use jostle::lanes::{Lanes, Scalar, Space, Vector};
/// use jostle::{Aabb, Bodies, Body, CustomShape, D3, MAX_WIDTH, Shape, SupportMap};
///
/// /// All points with sum((x_i / r_i)^2) <= 1.
/// #[derive(Clone, Debug)]
/// struct Ellipsoid([f64; 3]);
///
/// struct Packed<L: Lanes>(<D3 as Space>::Vector<L>);
///
/// impl<L: Lanes> SupportMap<D3, L> for Packed<L> {
///     #[inline(always)]
///     fn support(&self, direction: <D3 as Space>::Vector<L>, _: L::Mask) -> <D3 as Space>::Vector<L> {
///         let stretched = self.0.zip(direction, |r, d| r * d);
///         let length = stretched.length_squared().sqrt();
///         let flat = length.eq(L::zero());
///         self.0.zip(stretched, |r, s| r * (s / L::select(flat, L::one(), length)))
///     }
/// }
///
/// impl CustomShape<D3> for Ellipsoid {
///     type Packed<'a, L: Lanes> = Packed<L>;
///     #[inline(always)]
///     fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Packed<L> {
///         Packed(<D3 as Space>::Vector::from_fn(|k| {
///             L::from_fn(|lane| L::Scalar::from_f64(shapes[lane].0[k])) * scale
///         }))
///     }
///     fn bounds(&self) -> Aabb<D3> {
///         Aabb { lower: self.0.map(|r| -r), upper: self.0 }
///     }
/// }
///
/// // Bodies whose shapes may be ellipsoids, beside all others.
/// let mut bodies = Bodies::<D3, Ellipsoid>::new();
/// let egg = bodies.add_shape(Shape::custom(Ellipsoid([0.3, 0.4, 0.3])))?;
/// let floor = bodies.add_shape(Shape::cuboid([5.0, 0.1, 5.0])?)?;
/// bodies.push(Body::new(egg, [0.0, 1.0, 0.0]))?;
/// bodies.push(Body::new(floor, [0.0; 3]).fixed())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Shapes of several kinds are one type: an enum, whose packed form answers lane by lane (`direction.get(k).lane(lane)`
/// is a number) or holds both kinds and selects. The library's example `vision` asks which agents see each other, with
/// cones of vision of its own.
pub trait CustomShape<S: Space>: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// One such shape per lane, packed for the search for support points.
    type Packed<'a, L: Lanes>: SupportMap<S, L>;
    /// Packs the first `L::WIDTH` of `shapes`, each multiplied by its lane of `scale` (a power of two). The kernels
    /// call it at every width, so mark it `#[inline(always)]`.
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Self::Packed<'_, L>;
    /// A box, in the shape's frame (metres), that holds every support point. It is enlarged until it is symmetric about
    /// the origin, so the origin should lie in the shape. A support point outside of it may make an answer
    /// unconverged, or a near pair be missed. Keep it tight: tolerances are shares of it.
    ///
    /// A box that is NaN, inverted, or beyond [`MAX_LENGTH`](crate::MAX_LENGTH) counts as NaN: queries that look for
    /// pairs refuse the body that has it, naming it; an answer about a given pair is unconverged.
    fn bounds(&self) -> Aabb<S>;
    /// Whether the core is the convex hull of finitely many points, of which the support map always returns one, bit
    /// for bit. Depths between such cores are proved, others are searched for. `false`, the default, is always correct.
    fn polytope(&self) -> bool {
        false
    }
}

/// Half the box about the origin that holds a shape's [bounds](CustomShape::bounds); NaN along an axis along which
/// these are none.
pub fn half_extents<S: Space, U: CustomShape<S>>(shape: &U) -> S::Array<f64> {
    let Aabb { lower, upper } = shape.bounds();
    S::array(|k| {
        let half = Lanes::max(lower[k].abs(), upper[k].abs());
        if lower[k] <= upper[k] && is_length(half) { half } else { f64::NAN }
    })
}

/// A user's support map whose points are checked before they are used.
///
/// A point that is not finite, or outside the shape's own [bounds](CustomShape::bounds), becomes NaN, and comparisons
/// in kernels are written so that NaN ends them: the pair is then `unconverged`. Outside of the bounds no rounding
/// bound of the kernels would hold.
#[derive(Clone, Copy, Debug)]
pub struct Guarded<S: Space, L: Lanes, P> {
    map: P,
    /// The largest coordinates that are accepted, scaled.
    limit: S::Vector<L>,
}

impl<S: Space, L: Lanes, P> Guarded<S, L, P> {
    /// Packs `shapes` (see [`CustomShape::pack`]) with their bounds.
    #[inline(always)]
    pub fn pack<'s, U>(shapes: [&'s U; MAX_WIDTH], scale: L) -> Self
    where
        U: CustomShape<S, Packed<'s, L> = P>,
    {
        let mut limit = [[L::Scalar::default(); MAX_WIDTH]; 3];
        for lane in 0..L::WIDTH {
            let half = half_extents(shapes[lane]);
            let mut largest = 0.0;
            for k in 0..S::DIMENSION {
                largest = Lanes::max(half[k], largest);
            }
            for k in 0..S::DIMENSION {
                // Room for the rounding of sums in `f32`.
                limit[k][lane] = L::Scalar::from_f64(half[k] + 1e-4 * largest);
            }
        }
        let limit = S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&limit[k]) * scale,
        );
        Self { map: U::pack(shapes, scale), limit }
    }
}

impl<S: Space, L: Lanes, P: SupportMap<S, L>> SupportMap<S, L> for Guarded<S, L, P> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        let point = self.map.support(direction, active);
        let mut inside = L::Mask::splat(true);
        for k in 0..S::DIMENSION {
            inside = inside & point.get(k).abs().le(self.limit.get(k));
        }
        let nan = L::zero() / L::zero();
        S::Vector::from_fn(
            #[inline(always)]
            |k| L::select(inside, point.get(k), nan),
        )
    }
}

/// The empty set of custom shapes: for sets of built-in shapes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCustom {}

impl<S: Space, L: Lanes> SupportMap<S, L> for NoCustom {
    #[inline(always)]
    fn support(&self, _: S::Vector<L>, _: L::Mask) -> S::Vector<L> {
        match *self {}
    }
}

impl<S: Space> CustomShape<S> for NoCustom {
    type Packed<'a, L: Lanes> = NoCustom;
    #[inline(always)]
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], _: L) -> NoCustom {
        match *shapes[0] {}
    }
    fn bounds(&self) -> Aabb<S> {
        match *self {}
    }
}
