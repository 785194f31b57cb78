//! Bodies that own their columns: for people who build scenes body by body.

use jostle_lanes::Space;

use crate::columns::{check_point, check_turn};
use crate::{BodyError, Columns, CustomShape, Filters, MAX_LENGTH, NoCustom, Problem, Shape, ShapeError, Turns};

/// One body: which shape, where, and whom it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body<S: Space> {
    /// Index of its shape.
    pub shape: u32,
    /// Where the origin of the shape's frame is in the world, metres.
    pub position: S::Array<f64>,
    /// How the shape's frame is turned: quaternion `[x, y, z, w]`, or `[radians]` counter-clockwise.
    pub turn: S::Turn<f64>,
    /// Metres per second.
    pub velocity: S::Array<f64>,
    /// The groups it belongs to, a bit each.
    pub group: u32,
    /// The groups it meets, a bit each.
    pub mask: u32,
    /// Two static bodies never meet.
    pub fixed: bool,
    /// Bodies of equal parent never meet.
    pub parent: Option<u32>,
}

impl<S: Space> Body<S> {
    /// A body that is not turned, does not move and meets everyone.
    pub fn new(shape: u32, position: S::Array<f64>) -> Self {
        Self {
            shape,
            position,
            turn: S::identity_turn(),
            velocity: S::array(|_| 0.0),
            group: u32::MAX,
            mask: u32::MAX,
            fixed: false,
            parent: None,
        }
    }
    /// The same body, turned.
    pub fn with_turn(self, turn: S::Turn<f64>) -> Self {
        Self { turn, ..self }
    }
    /// The same body, moving.
    pub fn with_velocity(self, velocity: S::Array<f64>) -> Self {
        Self { velocity, ..self }
    }
    /// The same body in these groups.
    pub fn with_group(self, group: u32) -> Self {
        Self { group, ..self }
    }
    /// The same body, meeting these groups.
    pub fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }
    /// The same body, not moving by itself.
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }
    /// The same body as a part of something.
    pub fn with_parent(self, parent: u32) -> Self {
        Self { parent: Some(parent), ..self }
    }
}

/// Shapes and bodies, owned, in columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies<S: Space, U = NoCustom> {
    shapes: Vec<Shape<S, U>>,
    shape: Vec<u32>,
    position: Vec<S::Array<f64>>,
    turn: Vec<S::Turn<f64>>,
    velocity: Vec<S::Array<f64>>,
    group: Vec<u32>,
    mask: Vec<u32>,
    parent: Vec<Option<u32>>,
    fixed: Vec<bool>,
    used: Used,
}

/// Which columns hold anything but defaults; the others need not be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "one flag per column is what it is")]
struct Used {
    turn: bool,
    group: bool,
    mask: bool,
    parent: bool,
    fixed: bool,
}

/// The columns of what moves, to be written in place: one entry per body each.
#[derive(Debug)]
pub struct MotionMut<'a, S: Space> {
    /// Where the bodies are, metres.
    pub position: &'a mut [S::Array<f64>],
    /// How they are turned: quaternions `[x, y, z, w]`, or `[radians]`.
    pub turn: &'a mut [S::Turn<f64>],
    /// Metres per second.
    pub velocity: &'a mut [S::Array<f64>],
}

/// What is wrong with a body's place, turn or velocity.
fn check_motion<S: Space>(
    position: &S::Array<f64>,
    turn: &S::Turn<f64>,
    velocity: &S::Array<f64>,
) -> Result<(), Problem> {
    if let Some((axis, value)) = check_point(position.as_ref()) {
        return Err(Problem::Position { axis, value });
    }
    if let Some((axis, value)) = check_point(velocity.as_ref()) {
        return Err(Problem::Velocity { axis, value });
    }
    check_turn::<S>(turn)
}

impl<S: Space, U: CustomShape<S>> Default for Bodies<S, U> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Space, U: CustomShape<S>> Bodies<S, U> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            shapes: Vec::new(),
            shape: Vec::new(),
            position: Vec::new(),
            turn: Vec::new(),
            velocity: Vec::new(),
            group: Vec::new(),
            mask: Vec::new(),
            parent: Vec::new(),
            fixed: Vec::new(),
            used: Used::default(),
        }
    }
    /// Makes room for `count` more bodies.
    pub fn reserve(&mut self, count: usize) {
        self.shape.reserve(count);
        self.position.reserve(count);
        self.turn.reserve(count);
        self.velocity.reserve(count);
        self.group.reserve(count);
        self.mask.reserve(count);
        self.parent.reserve(count);
        self.fixed.reserve(count);
    }
    /// Adds a shape and gives its index.
    ///
    /// # Errors
    /// If there are 268,435,455 already.
    pub fn add_shape(&mut self, shape: Shape<S, U>) -> Result<u32, ShapeError> {
        if self.shapes.len() >= (1 << 28) - 1 {
            return Err(ShapeError::TooManyShapes(self.shapes.len() + 1));
        }
        self.shapes.push(shape);
        Ok(self.shapes.len() as u32 - 1)
    }
    /// Adds a body and gives its index.
    ///
    /// # Errors
    /// If its shape does not exist, a number is not finite or beyond 1e15, or the norm of its quaternion is not within
    /// 1e-3 of 1.
    pub fn push(&mut self, body: Body<S>) -> Result<u32, BodyError> {
        let index = self.shape.len();
        let Ok(id) = u32::try_from(index + 1) else { return Err(BodyError::TooMany(index + 1)) };
        self.check(index, &body)?;
        self.note(&body);
        self.shape.push(body.shape);
        self.position.push(body.position);
        self.turn.push(body.turn);
        self.velocity.push(body.velocity);
        self.group.push(body.group);
        self.mask.push(body.mask);
        self.parent.push(body.parent);
        self.fixed.push(body.fixed);
        Ok(id - 1)
    }
    /// What is wrong with a body that is to be body `index`, if anything.
    fn check(&self, index: usize, body: &Body<S>) -> Result<(), BodyError> {
        let refuse = |problem| Err(BodyError::Body { body: index, problem });
        if body.shape as usize >= self.shapes.len() {
            return refuse(Problem::MissingShape { index: body.shape, count: self.shapes.len() });
        }
        check_motion::<S>(&body.position, &body.turn, &body.velocity).or_else(refuse)
    }
    /// Which columns a body needs.
    fn note(&mut self, body: &Body<S>) {
        self.used.turn |= body.turn != S::identity_turn();
        self.used.group |= body.group != u32::MAX;
        self.used.mask |= body.mask != u32::MAX;
        self.used.parent |= body.parent.is_some();
        self.used.fixed |= body.fixed;
    }
    /// Replaces body `index`.
    ///
    /// ```
    /// use jostle_shape::{Bodies, Body, D2, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.push(Body::new(disc, [0.0, 0.0]))?;
    /// bodies.set(0, Body::new(disc, [1.0, 0.0]).fixed())?;
    /// assert!(bodies.get(0).fixed);
    /// assert!(bodies.set(0, Body::new(disc, [f64::NAN, 0.0])).is_err()); // and nothing has changed
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bodies::push`]; the body is then left as it was.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set(&mut self, index: usize, body: Body<S>) -> Result<(), BodyError> {
        self.check(index, &body)?;
        self.note(&body);
        self.shape[index] = body.shape;
        self.position[index] = body.position;
        self.turn[index] = body.turn;
        self.velocity[index] = body.velocity;
        self.group[index] = body.group;
        self.mask[index] = body.mask;
        self.parent[index] = body.parent;
        self.fixed[index] = body.fixed;
        Ok(())
    }
    /// Replaces a shape for all bodies that name it, and gives the one that was there.
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn replace_shape(&mut self, index: u32, shape: Shape<S, U>) -> Shape<S, U> {
        core::mem::replace(&mut self.shapes[index as usize], shape)
    }
    /// What moves, to be written by somebody who calls [`Bodies::problem`] before anything is computed from it: nothing
    /// is checked here.
    #[doc(hidden)]
    pub fn motion_mut(&mut self) -> MotionMut<'_, S> {
        MotionMut { position: &mut self.position, turn: &mut self.turn, velocity: &mut self.velocity }
    }
    /// Rotations will be written: they are looked at from now on.
    #[doc(hidden)]
    pub fn use_turns(&mut self) {
        self.used.turn = true;
    }
    /// What is wrong with what was written through [`Bodies::motion_mut`] for body `index`, if anything; its velocity
    /// may matter or not.
    #[doc(hidden)]
    pub fn problem(&self, index: usize, moving: bool) -> Option<Problem> {
        let velocity = if moving { self.velocity[index] } else { S::array(|_| 0.0) };
        check_motion::<S>(&self.position[index], &self.turn[index], &velocity).err()
    }
    /// The same question, answered quickly: true if nothing is wrong.
    #[doc(hidden)]
    #[inline]
    pub fn is_sound(&self, index: usize, turned: bool, moving: bool) -> bool {
        // NaN makes comparisons false.
        let small = |point: &S::Array<f64>| point.as_ref().iter().all(|x| x.abs() <= MAX_LENGTH);
        small(&self.position[index])
            && (!moving || small(&self.velocity[index]))
            && (!turned || check_turn::<S>(&self.turn[index]).is_ok())
    }
    /// Where the bodies are, metres.
    pub fn positions(&self) -> &[S::Array<f64>] {
        &self.position
    }
    /// The bodies' rotations, whether they are used or not.
    #[doc(hidden)]
    pub fn turn_column(&self) -> &[S::Turn<f64>] {
        &self.turn
    }
    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.shape.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }
    /// The shapes, in the order they were added.
    pub fn shapes(&self) -> &[Shape<S, U>] {
        &self.shapes
    }
    /// Body `index`.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn get(&self, index: usize) -> Body<S> {
        Body {
            shape: self.shape[index],
            position: self.position[index],
            turn: self.turn[index],
            velocity: self.velocity[index],
            group: self.group[index],
            mask: self.mask[index],
            fixed: self.fixed[index],
            parent: self.parent[index],
        }
    }
    /// The bodies' velocities, metres per second.
    pub fn velocities(&self) -> &[S::Array<f64>] {
        &self.velocity
    }
    /// The bodies as borrowed columns, ready for a query.
    pub fn columns(&self) -> Columns<'_, S, U> {
        let turns = if self.used.turn { Turns::Double(&self.turn) } else { Turns::Identity };
        Columns::trusted(
            &self.shapes,
            &self.shape,
            &self.position,
            turns,
            Filters {
                group: if self.used.group { &self.group } else { &[] },
                mask: if self.used.mask { &self.mask } else { &[] },
                parent: if self.used.parent { &self.parent } else { &[] },
                fixed: if self.used.fixed { &self.fixed } else { &[] },
            },
        )
    }
}
