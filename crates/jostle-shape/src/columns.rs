//! Bodies as borrowed columns: the user's own memory, checked once, never copied.

use jostle_lanes::{Space, prefetch_far_at};

use crate::counts::MAX_SHAPES;
use crate::custom::{CustomShape, NoCustom};
use crate::error::{BodyError, Problem};
use crate::limits::{check_point, check_rotation, same_length};
use crate::shape::Shape;

/// The column of rotations: absent, or one per body in the user's precision.
#[derive(Clone, Copy, Debug)]
pub enum Rotations<'a, S: Space> {
    /// No body is turned.
    Identity,
    /// Quaternions `[x, y, z, w]` or angles `[radians]` in single precision.
    Single(&'a [S::Rotation<f32>]),
    /// Quaternions `[x, y, z, w]` or angles `[radians]` in double precision.
    Double(&'a [S::Rotation<f64>]),
}

impl<S: Space> Rotations<'_, S> {
    /// The rotation of body `index` in double precision.
    ///
    /// # Panics
    /// If there is no such body.
    #[inline]
    pub fn get(&self, index: usize) -> S::Rotation<f64> {
        match self {
            Rotations::Identity => S::identity_rotation(),
            Rotations::Single(rotations) => {
                let mut rotation = S::identity_rotation();
                for (to, from) in rotation.as_mut().iter_mut().zip(rotations[index].as_ref()) {
                    *to = f64::from(*from);
                }
                rotation
            }
            Rotations::Double(rotations) => rotations[index],
        }
    }

    /// Prefetches the memory of body `index`, which need not exist. Changes nothing but how long a later
    /// [`Rotations::get`] takes.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{D2, Rotations};
    ///
    /// let angles = [[0.0], [0.5], [1.0]];
    /// let rotations = Rotations::<D2>::Double(&angles);
    /// for body in 0..3 {
    ///     rotations.prefetch(body + 2);
    ///     assert_eq!(rotations.get(body), angles[body]);
    /// }
    /// ```
    #[inline]
    #[doc(hidden)]
    pub fn prefetch(&self, index: usize) {
        match self {
            Rotations::Identity => {}
            Rotations::Single(rotations) => prefetch_far_at(rotations, index),
            Rotations::Double(rotations) => prefetch_far_at(rotations, index),
        }
    }
}

/// Collision filters: which pairs of bodies may meet. Each column is empty (the default for every body) or has one
/// entry per body.
///
/// Two bodies meet if `group[a] & mask[b] != 0` and `group[b] & mask[a] != 0`, at most one of the two is static, their
/// parents differ (bodies without a parent always do), and neither is absent. Every query that finds its own pairs
/// applies this; queries about pairs that the caller lists do not (but refuse absent bodies). Between two sets, parents
/// are compared as if all were one set.
///
/// Bodies that are joined to their neighbours in a chain, and are to meet all others of it, need no parent: up to 32 of
/// them, the `i`th in group `1 << i`, with a mask without the bits of the `i - 1`th and the `i + 1`th. (Of two chains
/// that are to meet each other, each takes bits of its own.)
#[derive(Clone, Copy, Debug, Default)]
pub struct Filters<'a> {
    /// The groups a body belongs to, a bit each; all by default.
    pub group: &'a [u32],
    /// The groups a body meets; all by default.
    pub mask: &'a [u32],
    /// Bodies of equal parent never meet; `None` has no parent.
    pub parent: &'a [Option<u32>],
    /// Two static bodies never meet.
    pub fixed: &'a [bool],
    /// Bodies that meet no other: free slots of the columns. Pairs listed by the caller must not contain them.
    pub absent: &'a [bool],
}

impl Filters<'_> {
    /// True if there is no column: every pair meets.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty()
            && self.mask.is_empty()
            && self.parent.is_empty()
            && self.fixed.is_empty()
            && self.absent.is_empty()
    }
    /// Whether bodies `a` and `b` meet.
    #[inline]
    pub fn meet(&self, a: u32, b: u32) -> bool {
        self.meet_across(a, self, b)
    }
    /// Whether body `a` meets body `b` of another set, whose filters are `others`.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::Filters;
    ///
    /// let walls = Filters { group: &[2], ..Filters::default() };
    /// let walkers = Filters { mask: &[1, 3], ..Filters::default() };
    /// assert!(!walls.meet_across(0, &walkers, 0) && walls.meet_across(0, &walkers, 1));
    /// ```
    #[inline]
    pub fn meet_across(&self, a: u32, others: &Filters<'_>, b: u32) -> bool {
        let all = |column: &[u32], i: u32| column.get(i as usize).copied().unwrap_or(u32::MAX);
        // No parent is equal to no number, nor to having none in the other column.
        let parent = |column: &[Option<u32>], i: u32, none: u64| {
            column.get(i as usize).copied().flatten().map_or(none, u64::from)
        };
        // Without a branch: which of a sweep's pairs are left out cannot be predicted, and a misprediction takes as
        // long as a distance.
        let left_out = [
            all(self.group, a) & all(others.mask, b) == 0,
            all(others.group, b) & all(self.mask, a) == 0,
            parent(self.parent, a, 1 << 32) == parent(others.parent, b, 2 << 32),
            self.is_absent(a),
            others.is_absent(b),
        ];
        let both_fixed = u32::from(self.is_fixed(a)) & u32::from(others.is_fixed(b));
        left_out.iter().fold(both_fixed, |any, &out| any | u32::from(out)) == 0
    }
    /// Whether a body is static.
    #[inline]
    pub fn is_fixed(&self, body: u32) -> bool {
        self.fixed.get(body as usize).copied().unwrap_or(false)
    }
    /// Whether a body is absent.
    #[inline]
    pub fn is_absent(&self, body: u32) -> bool {
        self.absent.get(body as usize).copied().unwrap_or(false)
    }
    /// False if no column could leave a body out of all pairs (group, mask, absent): then
    /// [`meets_nobody`](Self::meets_nobody) is true of none.
    pub fn may_leave_out(&self) -> bool {
        !(self.group.is_empty() && self.mask.is_empty() && self.absent.is_empty())
    }
    /// True if a body is in no pair, whatever other bodies there are: it is absent, or its group or its mask is 0.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::Filters;
    ///
    /// let filters = Filters { mask: &[1, 0], ..Filters::default() };
    /// assert!(filters.may_leave_out() && !filters.meets_nobody(0) && filters.meets_nobody(1));
    /// assert!(!Filters::default().may_leave_out());
    /// ```
    #[inline]
    pub fn meets_nobody(&self, body: u32) -> bool {
        let none = |column: &[u32]| column.get(body as usize) == Some(&0);
        self.is_absent(body) || none(self.group) || none(self.mask)
    }
    /// Whether a body meets its own image, in a scene that repeats: its parent does not matter then.
    #[inline]
    pub fn meets_itself(&self, body: u32) -> bool {
        Self { parent: &[], ..*self }.meet(body, body)
    }
}

/// Bodies as the user keeps them, borrowed: one slice per property (a structure of arrays), all of one length.
///
/// - shape: `u32`, an index into the table of shapes;
/// - position: `[f64; 2]` or `[f64; 3]`, metres, world frame, of the origin of the shape's frame;
/// - rotation, optional: `[x, y, z, w]`, a unit quaternion, in the plane `[radians]`, counter-clockwise; from the
///   shape's frame to the world's;
/// - velocity, optional: as the position, metres per second;
/// - [`Filters`], optional.
///
/// [`Columns::new`] checks every entry, on the calling thread; what it returns is `Copy`, to be used for any number of
/// queries.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{Columns, D2, Rotations, Shape};
///
/// let shapes = [Shape::<D2>::ball(0.3)?];
/// let position = [[0.0, 0.0], [1.0, 0.0]];
/// let columns = Columns::new(&shapes, &[0, 0], &position, Rotations::Identity)?;
/// assert_eq!(columns.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Columns<'a, S: Space, U = NoCustom> {
    shapes: &'a [Shape<S, U>],
    shape: &'a [u32],
    position: &'a [S::Array<f64>],
    rotation: Rotations<'a, S>,
    velocity: &'a [S::Array<f64>],
    filters: Filters<'a>,
}

impl<S: Space, U> Clone for Columns<'_, S, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Space, U> Copy for Columns<'_, S, U> {}

impl<S: Space, U> Columns<'_, S, U> {
    /// Prefetches the shape index, the position and, if it is `turned`, the rotation of body `index`, which need not
    /// exist.
    #[inline]
    #[doc(hidden)]
    pub fn prefetch(&self, index: usize, turned: bool) {
        prefetch_far_at(self.shape, index);
        prefetch_far_at(self.position, index);
        if turned {
            self.rotation.prefetch(index);
        }
    }
    /// [Prefetches](Columns::prefetch) the shape index, the position and the rotation of body `index`.
    #[inline]
    #[doc(hidden)]
    pub fn prefetch_with_rotation(&self, index: usize) {
        self.prefetch(index, true);
    }
    /// Prefetches the velocity of body `index`, which need not exist.
    #[inline]
    #[doc(hidden)]
    pub fn prefetch_velocity(&self, index: usize) {
        prefetch_far_at(self.velocity, index);
    }
}

impl<'a, S: Space, U> Columns<'a, S, U> {
    /// From columns all of whose entries have been checked.
    #[doc(hidden)]
    pub fn trusted(
        shapes: &'a [Shape<S, U>],
        shape: &'a [u32],
        position: &'a [S::Array<f64>],
        rotation: Rotations<'a, S>,
        velocity: &'a [S::Array<f64>],
        filters: Filters<'a>,
    ) -> Self {
        Self { shapes, shape, position, rotation, velocity, filters }
    }
}

impl<'a, S: Space, U: CustomShape<S>> Columns<'a, S, U> {
    /// Bodies from their shapes' indices, positions (metres, world frame) and rotations, checked in one pass.
    ///
    /// # Errors
    /// If a column has the wrong length, a shape does not exist, a number is not finite or beyond 1e15, or the norm of
    /// a quaternion is not within 1e-3 of 1 (the error names the body); or if there are too many bodies or shapes.
    pub fn new(
        shapes: &'a [Shape<S, U>],
        shape: &'a [u32],
        position: &'a [S::Array<f64>],
        rotation: Rotations<'a, S>,
    ) -> Result<Self, BodyError> {
        let count = shape.len();
        if u32::try_from(count).is_err() {
            return Err(BodyError::TooMany(count));
        }
        if shapes.len() > MAX_SHAPES {
            return Err(BodyError::TooManyShapes(shapes.len()));
        }
        same_length("position", position.len(), count)?;
        match rotation {
            Rotations::Identity => {}
            Rotations::Single(rotations) => same_length("rotation", rotations.len(), count)?,
            Rotations::Double(rotations) => same_length("rotation", rotations.len(), count)?,
        }
        let known = shapes.len();
        for body in 0..count {
            let problem = if shape[body] as usize >= known {
                Err(Problem::MissingShape { index: shape[body], count: known })
            } else if let Some((axis, value)) = check_point(position[body].as_ref()) {
                Err(Problem::Position { axis, value })
            } else if matches!(rotation, Rotations::Identity) {
                Ok(())
            } else {
                check_rotation::<S>(&rotation.get(body))
            };
            problem.map_err(|problem| BodyError::Body { body, problem })?;
        }
        Ok(Self { shapes, shape, position, rotation, velocity: &[], filters: Filters::default() })
    }

    /// Sets the bodies' velocities, one each, metres per second in the world frame. Without this all are at rest.
    ///
    /// # Errors
    /// If the column is not of the bodies' length, or a number is not finite or beyond 1e15.
    pub fn with_velocities(mut self, velocity: &'a [S::Array<f64>]) -> Result<Self, BodyError> {
        same_length("velocity", velocity.len(), self.len())?;
        for (body, velocity) in velocity.iter().enumerate() {
            if let Some((axis, value)) = check_point(velocity.as_ref()) {
                return Err(BodyError::Body { body, problem: Problem::Velocity { axis, value } });
            }
        }
        self.velocity = velocity;
        Ok(self)
    }

    /// Removes the velocities, so that all bodies are at rest.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.push(Body::new(disc, [0.0, 0.0]).with_velocity([1.0, 0.0]))?;
    /// assert_eq!(bodies.columns().at_rest().velocity(0), [0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_rest(self) -> Self {
        Self { velocity: &[], ..self }
    }

    /// Sets which bodies meet. The filters replace all that are set (`Filters { parent, ..bodies.filters() }` replaces
    /// one column); but bodies that are [absent](Filters::absent) stay so unless there is a new column for that.
    ///
    /// # Errors
    /// If a filter column is neither empty nor of the bodies' length.
    pub fn with_filters(mut self, filters: Filters<'a>) -> Result<Self, BodyError> {
        let count = self.len();
        let check = |column, found| if found == 0 { Ok(()) } else { same_length(column, found, count) };
        check("group", filters.group.len())?;
        check("mask", filters.mask.len())?;
        check("parent", filters.parent.len())?;
        check("fixed", filters.fixed.len())?;
        check("absent", filters.absent.len())?;
        let absent = if filters.absent.is_empty() { self.filters.absent } else { filters.absent };
        self.filters = Filters { absent, ..filters };
        Ok(self)
    }

    /// The same bodies, with those that are `absent` meeting no other: one entry per body, or none at all.
    #[doc(hidden)]
    pub fn without(mut self, absent: &'a [bool]) -> Self {
        self.filters.absent = absent;
        self
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.shape.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }
    /// All shapes, in the order that bodies name them.
    pub fn shapes(&self) -> &'a [Shape<S, U>] {
        self.shapes
    }
    /// Each body's index into [`Columns::shapes`].
    pub fn shape_indices(&self) -> &'a [u32] {
        self.shape
    }
    /// The shape of body `body`.
    ///
    /// # Panics
    /// If there is no such body.
    #[inline]
    pub fn shape(&self, body: usize) -> &'a Shape<S, U> {
        &self.shapes[self.shape[body] as usize]
    }
    /// Each body's position in the world frame, metres.
    pub fn positions(&self) -> &'a [S::Array<f64>] {
        self.position
    }
    /// Each body's rotation.
    pub fn rotations(&self) -> Rotations<'a, S> {
        self.rotation
    }
    /// Each body's velocity in the world frame, metres per second; none if all are at rest.
    pub fn velocities(&self) -> &'a [S::Array<f64>] {
        self.velocity
    }
    /// The velocity of body `body`.
    ///
    /// # Panics
    /// If there are velocities but none of this body.
    #[inline]
    pub fn velocity(&self, body: usize) -> S::Array<f64> {
        if self.velocity.is_empty() { S::array(|_| 0.0) } else { self.velocity[body] }
    }
    /// Which bodies meet.
    pub fn filters(&self) -> Filters<'a> {
        self.filters
    }
}
