//! Bodies that own their columns: for scenes built body by body, and for whole columns from elsewhere.

use jostle_lanes::Space;

use crate::column::Column;
use crate::columns::{Columns, Filters, Rotations};
use crate::counts::MAX_SHAPES;
use crate::custom::{CustomShape, NoCustom};
use crate::error::{BodyError, Problem, ShapeError};
use crate::limits::{MAX_LENGTH, check_point, check_rotation, same_length};
use crate::pose::Pose;
use crate::shape::Shape;

/// One body: its shape, its place, and which bodies it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body<S: Space> {
    /// Index of its shape.
    pub shape: u32,
    /// Where the origin of the shape's frame is in the world, metres.
    pub position: S::Array<f64>,
    /// How the shape's frame is turned: quaternion `[x, y, z, w]`, or `[radians]` counter-clockwise.
    pub rotation: S::Rotation<f64>,
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
    /// A body that is not turned, does not move and meets all others.
    pub fn new(shape: u32, position: S::Array<f64>) -> Self {
        Self {
            shape,
            position,
            rotation: S::identity_rotation(),
            velocity: S::array(|_| 0.0),
            group: u32::MAX,
            mask: u32::MAX,
            fixed: false,
            parent: None,
        }
    }
    /// A body placed and turned by a pose, which does not move and meets all others. ([`Pose::between`] has an
    /// example.)
    pub fn posed(shape: u32, pose: Pose<S>) -> Self {
        Self::new(shape, pose.position).with_rotation(pose.rotation)
    }
    /// Turns the body: a quaternion `[x, y, z, w]` of norm 1, or `[radians]` counter-clockwise.
    pub fn with_rotation(self, rotation: S::Rotation<f64>) -> Self {
        Self { rotation, ..self }
    }
    /// Lets the body move, metres per second in the world frame: for casts, and for the look-ahead of a pipeline.
    pub fn with_velocity(self, velocity: S::Array<f64>) -> Self {
        Self { velocity, ..self }
    }
    /// Puts the body into these groups, a bit each, in place of all. Two bodies meet if each is in a group that the
    /// other's mask names.
    pub fn with_group(self, group: u32) -> Self {
        Self { group, ..self }
    }
    /// Lets the body meet these groups alone, a bit each.
    pub fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }
    /// Makes the body static: it meets no other static body. Its position and velocity are read as those of any other.
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }
    /// Makes the body a part of the thing that has this number: parts of one parent never meet.
    pub fn with_parent(self, parent: u32) -> Self {
        Self { parent: Some(parent), ..self }
    }
}

/// The bodies' properties, a column each, all of one length; every column but `shape` and `position` may be empty,
/// which means the default for every body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyColumns<S: Space> {
    /// Index of each body's shape.
    pub shape: Column<u32>,
    /// Where the origin of the shape's frame is in the world, metres.
    pub position: Column<S::Array<f64>>,
    /// How the shape's frame is turned: quaternions `[x, y, z, w]`, or `[radians]` counter-clockwise. Default: not at
    /// all.
    pub rotation: Column<S::Rotation<f64>>,
    /// Metres per second. Default: at rest.
    pub velocity: Column<S::Array<f64>>,
    /// The groups that a body belongs to, a bit each. Default: all.
    pub group: Column<u32>,
    /// The groups that a body meets, a bit each. Default: all.
    pub mask: Column<u32>,
    /// Bodies of equal parent never meet. Default: none.
    pub parent: Column<Option<u32>>,
    /// Two static bodies never meet. Default: not static.
    pub fixed: Column<bool>,
}

/// Shapes and bodies in columns: owned, or shared with the owner of the memory ([`Bodies::from_columns`]).
///
/// Columns other than shape, position and velocity take memory only if some body differs from the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies<S: Space, U = NoCustom> {
    pub(crate) shapes: Vec<Shape<S, U>>,
    /// Rotations and filters may be empty where every body has the default.
    pub(crate) columns: BodyColumns<S>,
    /// True if the rotations are used.
    pub(crate) turned: bool,
}

/// The columns that describe motion, to be written in place: one entry per body each.
#[derive(Debug)]
pub struct MotionMut<'a, S: Space> {
    /// Where the bodies are, metres.
    pub position: &'a mut [S::Array<f64>],
    /// How they are turned: quaternions `[x, y, z, w]`, or `[radians]`.
    pub rotation: &'a mut [S::Rotation<f64>],
    /// Metres per second.
    pub velocity: &'a mut [S::Array<f64>],
}

/// Which of a body's numbers are checked in addition to its position: those that a query uses.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    pub rotation: bool,
    pub velocity: bool,
}

impl Checked {
    /// Both.
    pub const ALL: Self = Self { rotation: true, velocity: true };
}

/// Checks a body's place, rotation and velocity.
fn check_motion<S: Space>(
    position: &S::Array<f64>,
    rotation: &S::Rotation<f64>,
    velocity: &S::Array<f64>,
) -> Result<(), Problem> {
    if let Some((axis, value)) = check_point(position.as_ref()) {
        return Err(Problem::Position { axis, value });
    }
    if let Some((axis, value)) = check_point(velocity.as_ref()) {
        return Err(Problem::Velocity { axis, value });
    }
    check_rotation::<S>(rotation)
}

impl<S: Space, U: CustomShape<S>> Default for Bodies<S, U> {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends a value as entry `index` of a column that is empty as long as every value is the default.
fn append<T: Copy + PartialEq>(column: &mut Column<T>, index: usize, value: T, default: T) {
    if column.is_empty() {
        if value == default {
            return;
        }
        column.to_mut().resize(index, default);
    }
    column.to_mut().push(value);
}

/// Sets an entry of a column that is empty while it holds nothing but defaults.
fn replace<T: Copy + PartialEq>(column: &mut Column<T>, index: usize, count: usize, value: T, default: T) {
    if column.is_empty() {
        if value == default {
            return;
        }
        column.to_mut().resize(count, default);
    }
    column.to_mut()[index] = value;
}

/// Empties a column that holds nothing but defaults; otherwise it must have an entry per body.
fn settle<T: PartialEq>(
    column: &mut Column<T>,
    name: &'static str,
    count: usize,
    default: &T,
) -> Result<(), BodyError> {
    if column.is_empty() {
        return Ok(());
    }
    same_length(name, column.len(), count)?;
    if column.iter().all(|value| value == default) {
        *column = Column::default();
    }
    Ok(())
}

impl<S: Space, U: CustomShape<S>> Bodies<S, U> {
    /// None yet.
    pub fn new() -> Self {
        Self { shapes: Vec::new(), columns: BodyColumns::default(), turned: false }
    }
    /// Bodies from whole columns, checked in one pass and not copied: what a file or another program holds already.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, BodyColumns, Column, D2, Shape};
    ///
    /// let position: std::sync::Arc<[[f64; 2]]> = [[0.0, 0.0], [1.0, 0.5]].into();
    /// let (shape, position) = (vec![0, 0].into(), Column::shared(position));
    /// let columns = BodyColumns { shape, position, ..Default::default() };
    /// let bodies = Bodies::<D2>::from_columns(vec![Shape::ball(0.3)?], columns)?;
    /// assert_eq!(bodies.get(1).position, [1.0, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bodies::push`] for a single body, which the error names; or if a column is neither empty nor of the bodies'
    /// length.
    pub fn from_columns(shapes: Vec<Shape<S, U>>, mut columns: BodyColumns<S>) -> Result<Self, BodyError> {
        let count = columns.shape.len();
        settle(&mut columns.rotation, "rotation", count, &S::identity_rotation())?;
        settle(&mut columns.group, "group", count, &u32::MAX)?;
        settle(&mut columns.mask, "mask", count, &u32::MAX)?;
        settle(&mut columns.parent, "parent", count, &None)?;
        settle(&mut columns.fixed, "fixed", count, &false)?;
        let rotations =
            if columns.rotation.is_empty() { Rotations::Identity } else { Rotations::Double(&columns.rotation) };
        Columns::new(&shapes, &columns.shape, &columns.position, rotations)?;
        if columns.velocity.is_empty() {
            // Zeros come from the system without being written: they take no memory until they are read.
            columns.velocity = vec![S::array(|_| 0.0); count].into();
        }
        same_length("velocity", columns.velocity.len(), count)?;
        for (body, velocity) in columns.velocity.iter().enumerate() {
            if let Some((axis, value)) = check_point(velocity.as_ref()) {
                return Err(BodyError::Body { body, problem: Problem::Velocity { axis, value } });
            }
        }
        let turned = !columns.rotation.is_empty();
        Ok(Self { shapes, columns, turned })
    }
    /// Makes room for `count` more bodies.
    pub fn reserve(&mut self, count: usize) {
        self.columns.shape.to_mut().reserve(count);
        self.columns.position.to_mut().reserve(count);
        self.columns.velocity.to_mut().reserve(count);
    }
    /// Removes all bodies; the shapes and the memory are kept.
    pub fn clear(&mut self) {
        let BodyColumns { shape, position, rotation, velocity, group, mask, parent, fixed } = &mut self.columns;
        shape.to_mut().clear();
        position.to_mut().clear();
        rotation.to_mut().clear();
        velocity.to_mut().clear();
        group.to_mut().clear();
        mask.to_mut().clear();
        parent.to_mut().clear();
        fixed.to_mut().clear();
        self.turned = false;
    }
    /// Adds a shape and returns its index.
    ///
    /// # Errors
    /// If there are [`MAX_SHAPES`] already.
    pub fn add_shape(&mut self, shape: Shape<S, U>) -> Result<u32, ShapeError> {
        if self.shapes.len() >= MAX_SHAPES {
            return Err(ShapeError::TooManyShapes(self.shapes.len() + 1));
        }
        self.shapes.push(shape);
        Ok(self.shapes.len() as u32 - 1)
    }
    /// Adds a body and returns its index.
    ///
    /// # Errors
    /// If its shape does not exist, a number is not finite or beyond 1e15, or the norm of its quaternion is not within
    /// 1e-3 of 1.
    pub fn push(&mut self, body: Body<S>) -> Result<u32, BodyError> {
        let index = self.len();
        let Ok(id) = u32::try_from(index + 1) else { return Err(BodyError::TooMany(index + 1)) };
        self.check(index, &body)?;
        self.turned |= body.rotation != S::identity_rotation();
        let columns = &mut self.columns;
        columns.shape.to_mut().push(body.shape);
        columns.position.to_mut().push(body.position);
        columns.velocity.to_mut().push(body.velocity);
        append(&mut columns.rotation, index, body.rotation, S::identity_rotation());
        append(&mut columns.group, index, body.group, u32::MAX);
        append(&mut columns.mask, index, body.mask, u32::MAX);
        append(&mut columns.parent, index, body.parent, None);
        append(&mut columns.fixed, index, body.fixed, false);
        Ok(id - 1)
    }
    /// What is wrong with a body that is to be body `index`, if anything.
    #[doc(hidden)]
    pub fn check(&self, index: usize, body: &Body<S>) -> Result<(), BodyError> {
        let refuse = |problem| Err(BodyError::Body { body: index, problem });
        if body.shape as usize >= self.shapes.len() {
            return refuse(Problem::MissingShape { index: body.shape, count: self.shapes.len() });
        }
        check_motion::<S>(&body.position, &body.rotation, &body.velocity).or_else(refuse)
    }
    /// Replaces body `index`.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
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
        self.turned |= body.rotation != S::identity_rotation();
        let count = self.len();
        let columns = &mut self.columns;
        columns.shape.to_mut()[index] = body.shape;
        columns.position.to_mut()[index] = body.position;
        columns.velocity.to_mut()[index] = body.velocity;
        replace(&mut columns.rotation, index, count, body.rotation, S::identity_rotation());
        replace(&mut columns.group, index, count, body.group, u32::MAX);
        replace(&mut columns.mask, index, count, body.mask, u32::MAX);
        replace(&mut columns.parent, index, count, body.parent, None);
        replace(&mut columns.fixed, index, count, body.fixed, false);
        Ok(())
    }
    /// Replaces a shape for all bodies that use it, and returns the old one.
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn replace_shape(&mut self, index: u32, shape: Shape<S, U>) -> Shape<S, U> {
        core::mem::replace(&mut self.shapes[index as usize], shape)
    }
    /// The columns that describe motion, to be written by a caller that calls [`Bodies::problem`] before anything is
    /// computed from them: nothing is checked here.
    #[doc(hidden)]
    #[inline]
    pub fn motion_mut(&mut self) -> MotionMut<'_, S> {
        self.motion_and_fixed().0
    }
    /// The same, and the column of which bodies are static (empty if none is).
    #[doc(hidden)]
    #[inline]
    pub fn motion_and_fixed(&mut self) -> (MotionMut<'_, S>, &[bool]) {
        self.keep_rotations();
        let BodyColumns { position, rotation, velocity, fixed, .. } = &mut self.columns;
        (MotionMut { position: position.to_mut(), rotation: rotation.to_mut(), velocity: velocity.to_mut() }, fixed)
    }
    /// Marks rotations as used: they are about to be written.
    #[doc(hidden)]
    pub fn use_rotations(&mut self) {
        self.turned = true;
    }
    /// Makes the column of rotations complete: from now on it has an entry for each body, used or not.
    #[doc(hidden)]
    #[inline]
    pub fn keep_rotations(&mut self) {
        if self.columns.rotation.len() < self.len() {
            self.add_rotations();
        }
    }
    #[cold]
    #[inline(never)]
    fn add_rotations(&mut self) {
        let count = self.len();
        self.columns.rotation.to_mut().resize(count, S::identity_rotation());
    }
    /// What is wrong with the numbers of body `index` written through [`Bodies::motion_mut`], if anything: its
    /// position, or those of its other numbers that are `checked`.
    #[doc(hidden)]
    pub fn problem(&self, index: usize, checked: Checked) -> Option<Problem> {
        let velocity = if checked.velocity { self.columns.velocity[index] } else { S::array(|_| 0.0) };
        let rotation = self.columns.rotation.get(index).copied().filter(|_| checked.rotation);
        let rotation = rotation.unwrap_or(S::identity_rotation());
        check_motion::<S>(&self.columns.position[index], &rotation, &velocity).err()
    }
    /// The bodies as columns, with all numbers checked, as anything may have been written through
    /// [`Bodies::motion_mut`].
    ///
    /// # Errors
    /// As [`Columns::new`]; and if a velocity is invalid.
    #[doc(hidden)]
    pub fn checked_columns(&self) -> Result<Columns<'_, S, U>, BodyError> {
        match (0..self.len()).find(|&body| !self.is_sound(body, Checked::ALL)) {
            None => Ok(self.columns()),
            Some(body) => match self.problem(body, Checked::ALL) {
                Some(problem) => Err(BodyError::Body { body, problem }),
                None => unreachable!("both ask the same"),
            },
        }
    }
    /// True if [nothing is wrong](Bodies::problem); fast.
    #[doc(hidden)]
    #[inline]
    pub fn is_sound(&self, index: usize, checked: Checked) -> bool {
        // NaN makes comparisons false.
        let small = |point: &S::Array<f64>| point.as_ref().iter().all(|x| x.abs() <= MAX_LENGTH);
        small(&self.columns.position[index])
            && (!checked.velocity || small(&self.columns.velocity[index]))
            && (!checked.rotation
                || self.columns.rotation.get(index).is_none_or(|rotation| check_rotation::<S>(rotation).is_ok()))
    }
    /// Where the bodies are, metres.
    pub fn positions(&self) -> &[S::Array<f64>] {
        &self.columns.position
    }
    /// The bodies' rotations, whether they are used or not; empty unless they are [kept](Bodies::keep_rotations).
    #[doc(hidden)]
    pub fn rotation_column(&self) -> &[S::Rotation<f64>] {
        &self.columns.rotation
    }
    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.columns.shape.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.shape.is_empty()
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
        let columns = &self.columns;
        Body {
            shape: columns.shape[index],
            position: columns.position[index],
            rotation: columns.rotation.get(index).copied().unwrap_or(S::identity_rotation()),
            velocity: columns.velocity[index],
            group: columns.group.get(index).copied().unwrap_or(u32::MAX),
            mask: columns.mask.get(index).copied().unwrap_or(u32::MAX),
            fixed: columns.fixed.get(index).copied().unwrap_or(false),
            parent: columns.parent.get(index).copied().unwrap_or(None),
        }
    }
    /// The bodies' velocities, metres per second.
    pub fn velocities(&self) -> &[S::Array<f64>] {
        &self.columns.velocity
    }
    /// The bodies as borrowed columns, ready for a query.
    pub fn columns(&self) -> Columns<'_, S, U> {
        let BodyColumns { shape, position, rotation, group, mask, parent, fixed, velocity } = &self.columns;
        let rotations =
            if rotation.is_empty() || !self.turned { Rotations::Identity } else { Rotations::Double(rotation) };
        let filters = Filters { group, mask, parent, fixed, absent: &[] };
        Columns::trusted(&self.shapes, shape, position, rotations, velocity, filters)
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3};

    use super::*;

    fn balls<S: Space>() -> Vec<Shape<S>> {
        vec![Shape::ball(1.0).unwrap()]
    }

    #[test]
    fn columns_and_bodies_one_by_one_are_the_same() {
        let mut pushed = Bodies::<D2>::new();
        pushed.add_shape(Shape::ball(1.0).unwrap()).unwrap();
        pushed.push(Body::new(0, [0.0, 1.0])).unwrap();
        let second =
            Body::new(0, [2.0, 1.0]).with_rotation([0.5]).with_parent(3).with_mask(1).with_velocity([1.0, 0.0]);
        pushed.push(second).unwrap();
        let columns = BodyColumns {
            shape: vec![0, 0].into(),
            position: vec![[0.0, 1.0], [2.0, 1.0]].into(),
            rotation: vec![[0.0], [0.5]].into(),
            velocity: vec![[0.0, 0.0], [1.0, 0.0]].into(),
            group: vec![u32::MAX; 2].into(),
            mask: vec![u32::MAX, 1].into(),
            parent: vec![None, Some(3)].into(),
            fixed: vec![false; 2].into(),
        };
        let mut adopted = Bodies::from_columns(balls(), columns).unwrap();
        assert_eq!(adopted, pushed);
        assert_eq!(adopted.get(1), second);
        assert!(adopted.columns().filters().group.is_empty(), "a column of defaults is not kept");
        adopted.clear();
        adopted.push(second).unwrap();
        assert_eq!((adopted.len(), adopted.get(0)), (1, second));
    }

    #[test]
    fn columns_are_refused_by_body() {
        let shape = || Column::from(vec![0, 0]);
        let position = || Column::from(vec![[0.0; 3], [1.0; 3]]);
        let refusal = |columns| Bodies::<D3>::from_columns(balls(), columns).unwrap_err().to_string();
        let good = || BodyColumns { shape: shape(), position: position(), ..BodyColumns::default() };
        assert!(Bodies::<D3>::from_columns(balls(), good()).is_ok());
        let wrong = BodyColumns { position: vec![[0.0; 3], [0.0, f64::NAN, 0.0]].into(), ..good() };
        assert_eq!(refusal(wrong), "body 1: position[1] is NaN, which is not a finite number within 1e15");
        let wrong = BodyColumns { shape: vec![0, 1].into(), ..good() };
        assert_eq!(refusal(wrong), "body 1: shape 1 does not exist (there are 1)");
        let wrong = BodyColumns { velocity: vec![[0.0; 3], [0.0, 0.0, 2e15]].into(), ..good() };
        assert!(refusal(wrong).starts_with("body 1: velocity[2] is 2e15,"));
        let wrong = BodyColumns { rotation: vec![[0.0; 4], [0.0, 0.0, 0.0, 1.0]].into(), ..good() };
        assert_eq!(refusal(wrong), "body 0: rotation has norm 0, not within 1e-3 of 1");
        let wrong = BodyColumns { group: vec![1].into(), ..good() };
        assert_eq!(refusal(wrong), "column 'group' has 1 entries for 2 bodies");
        let wrong = BodyColumns { velocity: vec![[0.0; 3]].into(), ..good() };
        assert_eq!(refusal(wrong), "column 'velocity' has 1 entries for 2 bodies");
    }
}
