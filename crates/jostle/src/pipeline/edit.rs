//! Inserting, removing, moving and changing bodies and shapes. All of it takes effect at the next update.

use jostle_broadphase::MOST_BOXES;
use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Body, BodyError, Checked, Columns, CustomShape, Pose, Shape};

use super::Pipeline;
use super::error::PipelineError;
use super::flags::Flags;
use super::handle::Handle;
use super::solver_view::ColumnsMut;

/// Converts an error, without the body's index: a pipeline names bodies by handles, which [`about`] adds where there is
/// one.
fn refusal(error: BodyError) -> PipelineError {
    match error {
        BodyError::Body { problem, .. } => PipelineError::Body(problem),
        error => PipelineError::Columns(error),
    }
}

/// Names the body that a refusal is about.
fn about(body: Handle) -> impl Fn(PipelineError) -> PipelineError {
    move |reason| PipelineError::Refused { body, reason: Box::new(reason) }
}

/// Shapes.
impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Adds a shape, which any number of bodies may share, and returns the index that bodies refer to it by.
    ///
    /// # Errors
    /// If there are 268,435,455 shapes already.
    pub fn add_shape(&mut self, shape: Shape<S, U>) -> Result<u32, PipelineError> {
        if let Some(index) = self.vacant_shapes.pop() {
            self.put_shape(index, shape);
            self.users[index as usize] = Some(0);
            return Ok(index);
        }
        self.largest.include(&shape);
        let index = self.bodies.add_shape(shape)?;
        self.templates.push(&self.bodies.shapes()[index as usize]);
        self.users.push(Some(0));
        Ok(index)
    }
    /// Replaces a shape for all bodies that have it, and returns the old one. Those that sleep wake up at once,
    /// and are not among the [`woken`](Pipeline::woken), as by [`Pipeline::set`], which changes one body's shape.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, PipelineError, Shape};
    ///
    /// let mut two = Pipeline::<D2>::new();
    /// let disc = two.add_shape(Shape::ball(0.5)?)?;
    /// let [a, b] = [0.0, 3.0].map(|x| two.insert(Body::new(disc, [x, 0.0])).unwrap());
    /// two.update()?;
    /// assert!(two.contacts().is_empty());
    /// two.replace_shape(disc, Shape::ball(2.0)?)?;
    /// two.update()?;
    /// assert_eq!(two.contacts()[0].distance, -1.0);
    /// assert_eq!(two.remove_shape(disc), Err(PipelineError::ShapeInUse { shape: disc, bodies: 2 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such shape.
    pub fn replace_shape(&mut self, index: u32, shape: Shape<S, U>) -> Result<Shape<S, U>, PipelineError> {
        let mut users = self.users(index)?;
        let old = self.put_shape(index, shape);
        let mut next = 0;
        while users > 0
            && let Some(slot) = find(self.bodies.columns().shape_indices(), next, index)
        {
            if self.tracks.flags[slot].is_live() {
                self.wake_slot(slot);
                self.tracks.begin(slot, self.tracks.flags[slot]);
                users -= 1;
            }
            next = slot + 1;
        }
        Ok(old)
    }
    /// Removes a shape that no body has, and returns it. Its index may be given to another shape.
    ///
    /// # Errors
    /// If there is no such shape, or bodies have it.
    pub fn remove_shape(&mut self, index: u32) -> Result<Shape<S, U>, PipelineError> {
        let bodies = self.users(index)?;
        if bodies > 0 {
            return Err(PipelineError::ShapeInUse { shape: index, bodies });
        }
        let nothing = Shape::point();
        self.users[index as usize] = None;
        self.vacant_shapes.push(index);
        Ok(self.put_shape(index, nothing))
    }
    /// The shape of an index.
    ///
    /// # Errors
    /// If there is no such shape.
    pub fn shape(&self, index: u32) -> Result<&Shape<S, U>, PipelineError> {
        self.users(index)?;
        Ok(&self.bodies.shapes()[index as usize])
    }
    fn users(&self, shape: u32) -> Result<u32, PipelineError> {
        self.users.get(shape as usize).copied().flatten().ok_or(PipelineError::MissingShape(shape))
    }
    fn put_shape(&mut self, index: u32, shape: Shape<S, U>) -> Shape<S, U> {
        self.largest.include(&shape);
        self.templates.set(index, &shape);
        self.bodies.replace_shape(index, shape)
    }
}

/// The first place from `from` on at which a number is in a list.
fn find(list: &[u32], from: usize, number: u32) -> Option<usize> {
    // Some at a time without a branch, which takes a tenth: a crowd of which each body has a shape of its own may
    // replace all of them in each frame.
    let mut at = from;
    for few in list.get(from..)?.chunks(64) {
        if few.iter().fold(0, |found, &other| found | u32::from(other == number)) != 0 {
            return few.iter().position(|&other| other == number).map(|place| at + place);
        }
        at += few.len();
    }
    None
}

/// Inserting, removing and changing bodies.
impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Inserts a body, into the slot that was freed last or a new one, and returns its handle.
    ///
    /// It may overlap others, however deeply: the next update reports that as contacts with negative distances, like
    /// any other. To look for free room first, ask [`nearest_between`](crate::nearest_between) or
    /// [`between`](crate::between()) with [`Pipeline::columns`], about a body that is not static and whose filters let
    /// it meet all bodies that it has to keep clear of.
    ///
    /// Insert and remove bodies after the contacts of an update were read and before the next: if a freed slot is taken
    /// again, it still stands for the removed body in the contacts that are there. ([`Pipeline::key`] tells the two
    /// apart.)
    ///
    /// # Errors
    /// If its shape does not exist, one of its numbers is invalid (not finite, beyond 1e15, a quaternion whose norm is
    /// more than 1e-3 from 1), or there are 536,870,911 slots already.
    pub fn insert(&mut self, body: Body<S>) -> Result<Handle, PipelineError> {
        self.users(body.shape)?;
        let slot = if let Some(slot) = self.slots.take() {
            if let Err(error) = self.bodies.set(slot, body) {
                self.slots.give_back(slot);
                return Err(refusal(error));
            }
            slot
        } else {
            if self.slots.len() >= MOST_BOXES {
                return Err(PipelineError::TooManyBodies(MOST_BOXES + 1));
            }
            let slot = self.bodies.push(body).map_err(refusal)? as usize;
            self.bodies.keep_rotations();
            self.slots.grow();
            self.free.push(false);
            self.tracks.grow();
            slot
        };
        self.tracks.begin(slot, Flags::LIVE);
        self.free[slot] = false;
        self.live += 1;
        self.count_user(body.shape, 1);
        Ok(self.slots.handle(slot))
    }
    /// Inserts bodies, all or none, and returns their handles in the same order. Where no slot is free, they get new
    /// slots, one after the other.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, PipelineError, Shape};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// let disc = hall.add_shape(Shape::ball(0.25)?)?;
    /// let crowd: Vec<_> = (0..1000).map(|i| Body::new(disc, [f64::from(i % 40), f64::from(i / 40)])).collect();
    /// let walkers = hall.insert_many(&crowd)?;
    /// assert_eq!((hall.len(), walkers[999].index()), (1000, 999));
    /// let error = hall.insert_many(&[crowd[0], Body::new(7, [0.0, 0.0])]).unwrap_err();
    /// assert_eq!(error.to_string(), "body 1 of those to be inserted: shape 7 does not exist");
    /// assert_eq!(hall.len(), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::insert`], for the first body that is refused.
    pub fn insert_many(&mut self, bodies: &[Body<S>]) -> Result<Vec<Handle>, PipelineError> {
        for (index, body) in bodies.iter().enumerate() {
            let sound = self.users(body.shape).and_then(|_| self.bodies.check(index, body).map_err(refusal));
            sound.map_err(|reason| PipelineError::Inserted { index, reason: Box::new(reason) })?;
        }
        let new = bodies.len().saturating_sub(self.slots.vacant());
        if self.slots.len() + new > MOST_BOXES {
            return Err(PipelineError::TooManyBodies(self.slots.len() + new));
        }
        self.bodies.reserve(new);
        bodies.iter().map(|body| self.insert(*body)).collect()
    }
    /// Removes a body and returns it. Its contacts end at the next update.
    ///
    /// # Errors
    /// If the handle is stale.
    pub fn remove(&mut self, handle: Handle) -> Result<Body<S>, PipelineError> {
        let slot = self.slot(handle)?;
        let body = self.bodies.get(slot);
        self.wake_slot(slot);
        self.tracks.vacate(slot);
        self.free[slot] = true;
        self.live -= 1;
        self.slots.leave(slot);
        self.count_user(body.shape, -1);
        self.tidy(slot);
        Ok(body)
    }
    /// Resets the numbers of a free slot if any is invalid. No body is there whose owner could mend them, and other
    /// queries refuse columns with invalid numbers.
    pub(super) fn tidy(&mut self, slot: usize) {
        if self.free[slot] && self.bodies.problem(slot, Checked::ALL).is_some() {
            let world = self.bodies.motion_mut();
            (world.position[slot], world.velocity[slot]) = (S::array(|_| 0.0), S::array(|_| 0.0));
            world.rotation[slot] = S::identity_rotation();
        }
    }
    /// Changes anything about a body: its shape, its filters, whether it is static, its place. To change a part of it,
    /// begin with what [`Pipeline::get`] returns. A sleeping body wakes.
    ///
    /// It stays the same body, with the same handle. Contacts, their phases, data and events stay as they are until the
    /// next update. Then contacts of pairs that are within the margin and still meet persist and keep their data;
    /// others end ([`Pipeline::ended_data`]) or begin, as if the body had moved.
    ///
    /// ```
    /// use jostle::{Body, D2, Event, Phase, Pipeline, Shape};
    ///
    /// let mut hall = Pipeline::<D2, f32, u32>::new();
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// let wall = hall.add_shape(Shape::cuboid([5.0, 0.5])?)?;
    /// let ground = hall.insert(Body::new(wall, [0.0, -0.75]).with_group(2).fixed())?;
    /// let [ghost, other] = [0.0, 0.75].map(|x| hall.insert(Body::new(disc, [x, 0.0]).with_group(1)).unwrap());
    /// hall.update()?;
    /// hall.data_mut().copy_from_slice(&[7, 8, 9]);
    ///
    /// let mut body = hall.get(ghost)?;
    /// body.mask = 2; // meets the ground only
    /// hall.set(ghost, body)?;
    /// assert_eq!(hall.contacts().len(), 3); // those of the last frame
    /// hall.update()?;
    /// assert_eq!((hall.phases(), hall.data()), (&[Phase::Persists; 2][..], &[7, 8][..]));
    /// assert_eq!((hall.events(), hall.ended_data()), (&[Event::Ended([ghost, other])][..], &[9][..]));
    /// # assert_eq!(hall.key(&hall.contacts()[0]), [ground, ghost]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is stale, the shape does not exist, or a number is invalid (velocities included, though frames
    /// without a look-ahead do not read them): [`PipelineError::Refused`] names the body, which is left as it was.
    pub fn set(&mut self, handle: Handle, body: Body<S>) -> Result<(), PipelineError> {
        let slot = self.slot(handle)?;
        self.users(body.shape).map_err(about(handle))?;
        let old = self.bodies.get(slot).shape;
        self.bodies.set(slot, body).map_err(refusal).map_err(about(handle))?;
        self.wake_slot(slot);
        self.tracks.begin(slot, self.tracks.flags[slot]);
        self.count_user(old, -1);
        self.count_user(body.shape, 1);
        Ok(())
    }
    /// Sets the position and rotation of a body, however far from where it was: a teleport is a move like any other.
    /// ([`Pose::at`] means that the body is not rotated. To move a body and keep its rotation: [`Pipeline::place`], or
    /// write [`Pipeline::positions_mut`] at [`Handle::index`].)
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Pose, Shape};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// let walker = hall.insert(Body::new(disc, [0.0, 0.0]))?;
    /// hall.set_pose(walker, Pose::at([7.0, 0.0]))?;
    /// let error = hall.set_pose(walker, Pose::at([f64::NAN, 0.0])).unwrap_err();
    /// assert_eq!(error.to_string(), "body 0v0: position[0] is NaN, which is not a finite number within 1e15");
    /// assert_eq!(hall.get(walker)?.position, [7.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is stale or a number of the pose is invalid, as for [`Pipeline::set`].
    pub fn set_pose(&mut self, handle: Handle, pose: Pose<S>) -> Result<(), PipelineError> {
        let slot = self.slot(handle)?;
        let old = self.bodies.get(slot);
        // A pose has no velocity: the body's own, which users may write unchecked, is not checked here and is put back.
        let body = Body { position: pose.position, rotation: pose.rotation, velocity: S::array(|_| 0.0), ..old };
        self.bodies.set(slot, body).map_err(refusal).map_err(about(handle))?;
        self.bodies.motion_mut().velocity[slot] = old.velocity;
        Ok(())
    }
    fn count_user(&mut self, shape: u32, change: i32) {
        if let Some(users) = &mut self.users[shape as usize] {
            *users = users.wrapping_add_signed(change);
        }
    }

    /// Whether the body in a slot (`a` or `b` of a contact) is static; false if the slot has no body.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// hall.insert(Body::new(disc, [0.0, 0.0]).fixed())?;
    /// hall.insert(Body::new(disc, [0.75, 0.0]))?;
    /// hall.update()?;
    /// let bumps = hall.contacts().iter().filter(|c| hall.is_fixed(c.a) || hall.is_fixed(c.b)).count();
    /// assert_eq!(bumps, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_fixed(&self, slot: u32) -> bool {
        self.handle_at(slot).is_some() && self.bodies.columns().filters().is_fixed(slot)
    }
    /// Whether the body that a handle names exists in this pipeline.
    pub fn contains(&self, handle: Handle) -> bool {
        self.slot(handle).is_ok()
    }
    /// The handle of the body in a slot (`a` or `b` of a contact), if there is one.
    pub fn handle_at(&self, slot: u32) -> Option<Handle> {
        let slot = slot as usize;
        self.tracks.flags.get(slot).filter(|flag| flag.is_live()).map(|_| self.slots.handle(slot))
    }
    /// The handles of all bodies, by slot.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        (0..self.slots() as u32).filter_map(|slot| self.handle_at(slot))
    }
    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.live
    }
    /// True if there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }
    /// The number of slots, taken or not: the length of every column.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
    /// The bodies as columns, by slot, for any other query. Free slots are absent: they are in no pair that a query
    /// finds, and a listed pair that names one is refused. Each call checks all numbers of all slots: call it once for
    /// as many queries as you have.
    ///
    /// # Errors
    /// If a number is invalid: a frame leaves such a body out and reports it as a [fault](Pipeline::faults), other
    /// queries would not. [`PipelineError::Columns`] names the slot, which may be a free one: the next frame resets
    /// invalid numbers there.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Neighbours, Pipeline, Shape, nearest_between};
    ///
    /// let mut hall = Pipeline::<D2, f64>::new();
    /// let disc = hall.add_shape(Shape::ball(0.25)?)?;
    /// let [first, second] = [0.0, 3.0].map(|x| hall.insert(Body::new(disc, [x, 0.0])).unwrap());
    /// hall.remove(first)?;
    /// // Is there room at the origin?
    /// let mut asked = Bodies::new();
    /// let room = asked.add_shape(Shape::ball(0.5)?)?;
    /// asked.push(Body::new(room, [0.0, 0.0]))?;
    /// let mut near = Neighbours::<D2, f64>::default();
    /// nearest_between(&asked.columns(), &hall.columns()?, 1, &mut near)?;
    /// assert_eq!(near.of(0)[0].distance, 2.25);
    /// assert_eq!(hall.handle_at(near.of(0)[0].body), Some(second));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn columns(&self) -> Result<Columns<'_, S, U>, PipelineError> {
        let columns = self.bodies.checked_columns().map_err(PipelineError::Columns)?;
        Ok(columns.without(if self.live == self.free.len() { &[] } else { &self.free }))
    }
}

/// Moving bodies, as columns.
impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// The positions of the bodies, by slot, metres.
    pub fn positions(&self) -> &[S::Array<f64>] {
        self.bodies.positions()
    }
    /// The positions of the bodies, by slot, metres, mutable: whole columns, in parallel, or single entries. The next
    /// update checks the numbers: it leaves out and [names](Pipeline::faults) each body whose numbers are invalid.
    pub fn positions_mut(&mut self) -> &mut [S::Array<f64>] {
        self.bodies.motion_mut().position
    }
    /// The rotations of the bodies, by slot: quaternions `[x, y, z, w]`, or `[radians]`.
    pub fn rotations(&self) -> &[S::Rotation<f64>] {
        self.bodies.rotation_column()
    }
    /// The rotations of the bodies, by slot, mutable: quaternions `[x, y, z, w]` of norm 1, or `[radians]`. (From this
    /// call on frames read rotations, as after [`Pipeline::columns_mut`] and [`Pipeline::solver_mut`]; where none is
    /// ever written, they do not touch that memory.)
    pub fn rotations_mut(&mut self) -> &mut [S::Rotation<f64>] {
        self.bodies.use_rotations();
        self.bodies.motion_mut().rotation
    }
    /// The velocities of the bodies, by slot, metres per second. Only the look-ahead reads them.
    pub fn velocities(&self) -> &[S::Array<f64>] {
        self.bodies.velocities()
    }
    /// The velocities of the bodies, by slot, metres per second, mutable.
    pub fn velocities_mut(&mut self) -> &mut [S::Array<f64>] {
        self.bodies.motion_mut().velocity
    }
    /// Positions, rotations and velocities at once, mutable.
    pub fn columns_mut(&mut self) -> ColumnsMut<'_, S> {
        self.bodies.use_rotations();
        self.bodies.motion_mut()
    }
    /// Copies positions from a column of your own, one entry per slot, metres.
    ///
    /// # Errors
    /// If the column does not have one entry per slot.
    pub fn set_positions(&mut self, positions: &[S::Array<f64>]) -> Result<(), PipelineError> {
        self.check_column("position", positions.len())?;
        self.positions_mut().copy_from_slice(positions);
        Ok(())
    }
    /// Copies rotations from a column of your own, one entry per slot.
    ///
    /// # Errors
    /// If the column does not have one entry per slot.
    pub fn set_rotations(&mut self, rotations: &[S::Rotation<f64>]) -> Result<(), PipelineError> {
        self.check_column("rotation", rotations.len())?;
        self.rotations_mut().copy_from_slice(rotations);
        Ok(())
    }
    /// Copies velocities from a column of your own, one entry per slot, metres per second.
    ///
    /// # Errors
    /// If the column does not have one entry per slot.
    pub fn set_velocities(&mut self, velocities: &[S::Array<f64>]) -> Result<(), PipelineError> {
        self.check_column("velocity", velocities.len())?;
        self.velocities_mut().copy_from_slice(velocities);
        Ok(())
    }
    /// Sets the positions (metres) of some bodies: for arrays in an order of your own, beside a list of handles in the
    /// same order.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, PipelineError, Shape};
    ///
    /// let mut flock = Pipeline::<D2>::new();
    /// let disc = flock.add_shape(Shape::ball(0.5)?)?;
    /// let birds = [5.0, 7.0, 9.0].map(|x| flock.insert(Body::new(disc, [x, 0.0])).unwrap());
    /// flock.remove(birds[0])?;
    /// flock.place(&birds[1..], &[[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(flock.positions()[birds[2].index()], [3.0, 4.0]);
    /// assert_eq!(flock.place(&birds, &[[0.0; 2]; 3]), Err(PipelineError::Stale(birds[0])));
    /// assert_eq!(flock.positions()[birds[2].index()], [3.0, 4.0]); // refused as a whole
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a handle is stale or the lists differ in length; no body is moved then.
    pub fn place(&mut self, bodies: &[Handle], positions: &[S::Array<f64>]) -> Result<(), PipelineError> {
        if bodies.len() != positions.len() {
            let (found, expected) = (positions.len(), bodies.len());
            return Err(PipelineError::Length { column: "position", found, expected });
        }
        for &body in bodies {
            self.slot(body)?;
        }
        let column = self.positions_mut();
        for (body, position) in bodies.iter().zip(positions) {
            column[body.index()] = *position;
        }
        Ok(())
    }
    fn check_column(&self, column: &'static str, found: usize) -> Result<(), PipelineError> {
        let expected = self.slots();
        if found == expected { Ok(()) } else { Err(PipelineError::Length { column, found, expected }) }
    }
}
