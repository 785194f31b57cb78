//! Bodies by number, wherever they are stored: in one set of columns or in two, neither of which is copied.
//!
//! Code that solves pairs reads one body at a time, and is compiled for either kind.

use jostle_lanes::Space;

use crate::columns::Columns;
use crate::counts::MAX_SHAPES;
use crate::custom::CustomShape;
use crate::error::BodyError;
use crate::shape::Shape;

/// Bodies and their shapes by number.
///
/// Methods may panic if there is no such body or shape; those that prefetch do nothing then. An implementation
/// guarantees that there are at most [`MAX_SHAPES`] shapes, and that [`sides`](Self::sides) agrees with the other
/// methods about each body. A pair is of a body of the first side and one of the second, in this order; solving any
/// other pair may panic.
///
/// ```
/// use jostle_shape::{Bodies, Body, BodySet, D2, Shape, TwoSets};
///
/// /// How far two bodies' positions are apart, squared.
/// fn apart(bodies: &impl BodySet<D2>, a: usize, b: usize) -> f64 {
///     let ([x, y], [z, w]) = (bodies.position(a), bodies.position(b));
///     (z - x).powi(2) + (w - y).powi(2)
/// }
///
/// let (mut walls, mut discs) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// let wall = walls.add_shape(Shape::cuboid([5.0, 0.5])?)?;
/// let disc = discs.add_shape(Shape::ball(0.5)?)?;
/// walls.push(Body::new(wall, [0.0, 0.0]))?;
/// discs.push(Body::new(disc, [3.0, 4.0]))?;
/// let both = TwoSets::new(walls.columns(), discs.columns())?;
/// assert_eq!((both.count(), both.shape_of(0), both.shape_of(1)), (2, 0, 1));
/// assert_eq!(apart(&both, 0, 1), 25.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BodySet<S: Space>: Copy + Sync {
    /// The user's own shapes among them.
    type Custom: CustomShape<S>;

    /// How many bodies there are.
    fn count(&self) -> usize;
    /// How many shapes there are.
    fn shape_count(&self) -> usize;
    /// A shape, by its number.
    fn shape_at(&self, shape: usize) -> &Shape<S, Self::Custom>;
    /// The number of a body's shape.
    fn shape_of(&self, body: usize) -> usize;
    /// Where a body is, metres, world frame.
    fn position(&self, body: usize) -> S::Array<f64>;
    /// How a body is turned.
    fn rotation(&self, body: usize) -> S::Rotation<f64>;
    /// How a body moves, metres per second, world frame.
    fn velocity(&self, body: usize) -> S::Array<f64>;
    /// Prefetches the number of the shape, the position and, if it is `turned`, the rotation of a body.
    fn prefetch(&self, body: usize, turned: bool);
    /// The same for a body whose rotation will be read.
    #[inline(always)]
    fn prefetch_with_rotation(&self, body: usize) {
        self.prefetch(body, true);
    }
    /// The same for a body whose rotation will not be read, or not yet.
    #[inline(always)]
    fn prefetch_without_rotation(&self, body: usize) {
        self.prefetch(body, false);
    }
    /// Prefetches the velocity of a body.
    fn prefetch_velocity(&self, body: usize);
    /// The columns that hold the first bodies of pairs, and those that hold the second.
    fn sides(&self) -> [CountedOn<'_, S, Self::Custom>; 2];
}

impl<S: Space, U: CustomShape<S>> BodySet<S> for Columns<'_, S, U> {
    type Custom = U;

    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn shape_count(&self) -> usize {
        self.shapes().len()
    }
    #[inline(always)]
    fn shape_at(&self, shape: usize) -> &Shape<S, U> {
        &self.shapes()[shape]
    }
    #[inline(always)]
    fn shape_of(&self, body: usize) -> usize {
        self.shape_indices()[body] as usize
    }
    #[inline(always)]
    fn position(&self, body: usize) -> S::Array<f64> {
        self.positions()[body]
    }
    #[inline(always)]
    fn rotation(&self, body: usize) -> S::Rotation<f64> {
        self.rotations().get(body)
    }
    #[inline(always)]
    fn velocity(&self, body: usize) -> S::Array<f64> {
        Columns::velocity(self, body)
    }
    #[inline(always)]
    fn prefetch(&self, body: usize, turned: bool) {
        Columns::prefetch(self, body, turned);
    }
    #[inline(always)]
    fn prefetch_velocity(&self, body: usize) {
        Columns::prefetch_velocity(self, body);
    }
    #[inline(always)]
    fn sides(&self) -> [CountedOn<'_, S, U>; 2] {
        [CountedOn { columns: *self, body: 0, shape: 0 }; 2]
    }
}

/// Columns whose bodies and shapes are numbered from some number on.
#[derive(Debug)]
pub struct CountedOn<'a, S: Space, U> {
    /// The columns.
    pub columns: Columns<'a, S, U>,
    /// The number of their first body.
    pub body: usize,
    /// The number of their first shape.
    pub shape: usize,
}

impl<S: Space, U> Clone for CountedOn<'_, S, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Space, U> Copy for CountedOn<'_, S, U> {}

/// Two sets of bodies as one: the bodies and shapes of the second are numbered on from those of the first. Pairs are of
/// a body of the second set and one of the first, in this order.
#[derive(Debug)]
pub struct TwoSets<'a, S: Space, U> {
    first: Columns<'a, S, U>,
    second: Columns<'a, S, U>,
}

impl<S: Space, U> Clone for TwoSets<'_, S, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Space, U> Copy for TwoSets<'_, S, U> {}

impl<'a, S: Space, U: CustomShape<S>> TwoSets<'a, S, U> {
    /// Numbers the second set behind the first.
    ///
    /// # Errors
    /// If they have more bodies, or more shapes, than one set may have.
    pub fn new(first: Columns<'a, S, U>, second: Columns<'a, S, U>) -> Result<Self, BodyError> {
        let both = Self { first, second };
        if u32::try_from(both.count()).is_err() {
            return Err(BodyError::TooMany(both.count()));
        }
        if both.shape_count() > MAX_SHAPES {
            return Err(BodyError::TooManyShapes(both.shape_count()));
        }
        Ok(both)
    }

    /// The set that a body is in, and its number there.
    #[inline(always)]
    fn place(&self, body: usize) -> (&Columns<'a, S, U>, usize) {
        let border = self.first.len();
        if body < border { (&self.first, body) } else { (&self.second, body - border) }
    }
}

impl<S: Space, U: CustomShape<S>> BodySet<S> for TwoSets<'_, S, U> {
    type Custom = U;

    #[inline(always)]
    fn count(&self) -> usize {
        self.first.len() + self.second.len()
    }
    #[inline(always)]
    fn shape_count(&self) -> usize {
        self.first.shapes().len() + self.second.shapes().len()
    }
    #[inline(always)]
    fn shape_at(&self, shape: usize) -> &Shape<S, U> {
        let border = self.first.shapes().len();
        if shape < border { &self.first.shapes()[shape] } else { &self.second.shapes()[shape - border] }
    }
    #[inline(always)]
    fn shape_of(&self, body: usize) -> usize {
        let border = self.first.len();
        if body < border {
            self.first.shape_of(body)
        } else {
            self.first.shapes().len() + self.second.shape_of(body - border)
        }
    }
    #[inline(always)]
    fn position(&self, body: usize) -> S::Array<f64> {
        let (set, body) = self.place(body);
        set.position(body)
    }
    #[inline(always)]
    fn rotation(&self, body: usize) -> S::Rotation<f64> {
        let (set, body) = self.place(body);
        set.rotation(body)
    }
    #[inline(always)]
    fn velocity(&self, body: usize) -> S::Array<f64> {
        let (set, body) = self.place(body);
        set.velocity(body)
    }
    #[inline(always)]
    fn prefetch(&self, body: usize, turned: bool) {
        let (set, body) = self.place(body);
        set.prefetch(body, turned);
    }
    #[inline(always)]
    fn prefetch_velocity(&self, body: usize) {
        let (set, body) = self.place(body);
        set.prefetch_velocity(body);
    }
    #[inline(always)]
    fn sides(&self) -> [CountedOn<'_, S, U>; 2] {
        let Self { first, second } = *self;
        [
            CountedOn { columns: second, body: first.len(), shape: first.shapes().len() },
            CountedOn { columns: first, body: 0, shape: 0 },
        ]
    }
}
