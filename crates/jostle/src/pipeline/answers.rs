//! The results of the last frame: contacts and what is kept beside each, events, faults, woken bodies, neighbours.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::CustomShape;

use super::events::ContactState;
use super::{Event, Fault, Handle, Phase, Pipeline, PipelineError, Solving, Statics};
use crate::gather::{Gathering, NearRows};
use crate::lattice::Lattice;
use crate::neighbours::Neighbours;

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// The contacts of the last frame: all pairs of bodies that their filters let meet and whose distance is at most
    /// the margin (with a look-ahead also those that may get there in time). They are ordered by `a`, then by `b`, with
    /// `a < b` (or `a = b`, for a body and its own image where the [lattice](Pipeline::set_lattice) has self-images).
    /// `a` and `b` are slots ([`Handle::index`]); [`Pipeline::key`] gives the handles.
    pub fn contacts(&self) -> &[Proximity<S, T>] {
        self.search.rows()
    }
    /// The phase of each contact: whether it began in this frame, persists or rests.
    pub fn phases(&self) -> &[Phase] {
        &self.kept.phases
    }
    /// The data that you keep beside each contact: as you left it in the last frame, [`Default`] where the contact
    /// began. For contacts that ended: [`Pipeline::ended_data`].
    pub fn data(&self) -> &[D] {
        &self.kept.data
    }
    /// The data beside each contact ([`Pipeline::data`]), mutable: one entry per contact, in their order.
    pub fn data_mut(&mut self) -> &mut [D] {
        &mut self.kept.data
    }
    /// Borrows the contacts, the data beside each, and the columns of all bodies at once: what a solver reads and
    /// writes.
    pub fn solver_mut(&mut self) -> Solving<'_, S, T, D> {
        self.bodies.use_rotations();
        let ContactState { phases, data, images, .. } = &mut self.kept;
        let (world, fixed) = self.bodies.motion_and_fixed();
        Solving { contacts: self.search.rows(), phases, data, images, world, statics: Statics(fixed) }
    }
    /// The handles of the two bodies of a contact of the last frame: a key that stays the same while the pair exists,
    /// and is never used again for another pair.
    ///
    /// # Panics
    /// If the row is of another query, and names a slot that does not exist.
    pub fn key(&self, contact: &Proximity<S, T>) -> [Handle; 2] {
        [self.slots.reported(contact.a), self.slots.reported(contact.b)]
    }
    /// The place of the contact of two bodies in [`Pipeline::contacts`], if they had one in the last frame. Where space
    /// repeats and they had several, it is the place of the first; those of their other images follow it.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape};
    ///
    /// let mut three = Pipeline::<D2>::new();
    /// let disc = three.add_shape(Shape::ball(0.5)?)?;
    /// let [a, b, c] = [0.0, 0.75, 1.5].map(|x| three.insert(Body::new(disc, [x, 0.0])).unwrap());
    /// three.update()?;
    /// assert_eq!((three.find(c, b), three.find(a, c)), (Some(1), None));
    /// assert_eq!(three.key(&three.contacts()[1]), [b, c]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, a: Handle, b: Handle) -> Option<usize> {
        let (a, b) = if a.index() < b.index() { (a, b) } else { (b, a) };
        let known =
            |handle: Handle| handle.index() < self.slots.len() && self.slots.reported(handle.index() as u32) == handle;
        if !known(a) || !known(b) {
            return None;
        }
        self.search.place([a.index() as u32, b.index() as u32])
    }
    /// Where space repeats, the image of `b` that each contact is about: how many of each of the lattice's vectors are
    /// added to the position that `b` had in that frame. [`Lattice::shift`], of the lattice of that frame, gives it in
    /// metres. Empty in open space.
    pub fn images(&self) -> &[[i32; 3]] {
        &self.kept.images
    }
    /// The contacts that began or ended in the last frame, ordered by pair; where a slot changed hands, the end comes
    /// first.
    pub fn events(&self) -> &[Event] {
        &self.kept.events
    }
    /// The data of each contact that ended in the last frame, as you left it in the frame before: one entry for each
    /// [`Event::Ended`] among the [`events`](Pipeline::events), in their order. It is lost with the next frame.
    ///
    /// ```
    /// use jostle::{Body, D2, Event, Pipeline, Shape};
    ///
    /// let mut plate = Pipeline::<D2, f32, u32>::new(); // data: for how many frames a contact has lasted
    /// let disc = plate.add_shape(Shape::ball(0.5)?)?;
    /// let [a, b, c] = [0.0, 0.75, 1.5].map(|x| plate.insert(Body::new(disc, [x, 0.0])).unwrap());
    /// for frame in 0..4 {
    ///     if frame == 3 {
    ///         plate.positions_mut()[c.index()] = [9.0, 0.0];
    ///     }
    ///     plate.update()?;
    ///     plate.data_mut().iter_mut().for_each(|frames| *frames += 1);
    /// }
    /// let ended = plate.events().iter().filter(|event| matches!(event, Event::Ended(_)));
    /// let lasted: Vec<_> = ended.map(Event::pair).zip(plate.ended_data()).collect();
    /// assert_eq!(lasted, [([b, c], &3)]);
    /// plate.remove(a)?; // the contacts of a removed body end, too
    /// plate.update()?;
    /// assert_eq!((plate.events(), plate.ended_data()), (&[Event::Ended([a, b])][..], &[4][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ended_data(&self) -> &[D] {
        &self.kept.ended
    }
    /// The bodies that the last frame left out, by slot, and what is wrong with each.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
    /// The sleeping bodies that the last update woke because they had moved, by slot. Bodies woken by an update that
    /// failed are listed by the next one that succeeds.
    pub fn woken(&self) -> &[Handle] {
        &self.woken
    }
    /// Lists, for each body that is not static, the other bodies within `radius` (metres), static ones included:
    /// nearest first, up to `k`, from the contacts of the last frame. `neighbours` is replaced; its lists are by slot
    /// (`neighbours.of(handle.index())`). Contacts are entered in lists on the calling thread, which are put in order
    /// on the rayon pool. ([`Neighbours`] has an example.)
    ///
    /// # Errors
    /// If `radius` is beyond the margin that contacts were last found within, or NaN.
    ///
    /// # Panics
    /// If there are 2^31 contacts or more.
    pub fn neighbours(&self, radius: f64, k: usize, neighbours: &mut Neighbours<S, T>) -> Result<(), PipelineError> {
        // Written so that NaN is refused.
        if !matches!(radius.partial_cmp(&self.found_within), Some(order) if order.is_le()) {
            return Err(PipelineError::Radius { radius, margin: self.found_within });
        }
        let filters = self.bodies.columns().filters();
        let rows = FrameRows { rows: self.contacts(), images: self.images(), lattice: &self.found_in };
        let is_agent = |body: u32| !filters.is_fixed(body);
        let wanted = Gathering { radius, k, entered: [true; 2] };
        neighbours.gather_all(self.slots.len(), &rows, wanted, is_agent);
        Ok(())
    }
}

/// The contacts of a frame.
struct FrameRows<'f, S: Dimension, T: Precision> {
    rows: &'f [Proximity<S, T>],
    /// The image that each is about; empty in open space.
    images: &'f [[i32; 3]],
    lattice: &'f Lattice<S>,
}

impl<S: Dimension, T: Precision> NearRows<S, T> for FrameRows<'_, S, T> {
    fn count(&self) -> usize {
        self.rows.len()
    }
    fn row(&self, index: usize) -> &Proximity<S, T> {
        &self.rows[index]
    }
    fn image(&self, index: usize) -> ([i32; 3], S::Array<f64>) {
        let image = self.images.get(index).copied().unwrap_or_default();
        (image, self.lattice.shift(image))
    }
}
