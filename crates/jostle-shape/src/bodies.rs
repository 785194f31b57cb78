//! Bodies that own their columns: for people who build scenes body by body.

use jostle_lanes::Space;

use crate::columns::{check_point, check_turn};
use crate::{BodyError, Columns, CustomShape, Filters, NoCustom, Problem, Shape, ShapeError, Turns};

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
    velocity: bool,
    group: bool,
    mask: bool,
    parent: bool,
    fixed: bool,
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
        let refuse = |problem| Err(BodyError::Body { body: index, problem });
        if body.shape as usize >= self.shapes.len() {
            return refuse(Problem::MissingShape { index: body.shape, count: self.shapes.len() });
        }
        if let Some((axis, value)) = check_point(body.position.as_ref()) {
            return refuse(Problem::Position { axis, value });
        }
        if let Some((axis, value)) = check_point(body.velocity.as_ref()) {
            return refuse(Problem::Velocity { axis, value });
        }
        if let Err(problem) = check_turn::<S>(&body.turn) {
            return refuse(problem);
        }
        self.used.turn |= body.turn != S::identity_turn();
        self.used.velocity |= body.velocity != S::array(|_| 0.0);
        self.used.group |= body.group != u32::MAX;
        self.used.mask |= body.mask != u32::MAX;
        self.used.parent |= body.parent.is_some();
        self.used.fixed |= body.fixed;
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
            if self.used.velocity { &self.velocity } else { &[] },
            Filters {
                group: if self.used.group { &self.group } else { &[] },
                mask: if self.used.mask { &self.mask } else { &[] },
                parent: if self.used.parent { &self.parent } else { &[] },
                fixed: if self.used.fixed { &self.fixed } else { &[] },
            },
        )
    }
}
