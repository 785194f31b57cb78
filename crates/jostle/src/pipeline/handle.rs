//! Names for bodies that come and go: a slot, and how often it has been given away.

use core::fmt;

/// Names one body of a [`Pipeline`](crate::Pipeline), and never another of the same: once the body is removed, its
/// handle is stale, also after somebody else has moved into its slot. Which pipeline it is of it does not tell: another
/// one, or a clone that has gone on by itself, may take it for a body of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    index: u32,
    generation: u32,
}

impl Handle {
    /// The body's slot: its place in every column of the pipeline and in your own beside them, and its `a` or `b` in
    /// contacts. It stays the same while the body is there.
    pub fn index(self) -> usize {
        self.index as usize
    }
    /// The handle as a number, for tables and messages of your own: [`Handle::from_bits`] gives it back. No two bodies
    /// of one pipeline have the same.
    pub const fn to_bits(self) -> u64 {
        ((self.generation as u64) << 32) | self.index as u64
    }
    /// The handle that [`Handle::to_bits`] made a number of. Any other number is a handle too, of a body that most
    /// likely is not there: whoever is given it says so, as of one that is stale.
    ///
    /// ```
    /// use jostle::{Body, D2, Handle, Pipeline, PipelineError, Shape};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// let walker = hall.insert(Body::new(disc, [3.0, 4.0]))?;
    /// let saved: u64 = walker.to_bits();
    /// assert_eq!(Handle::from_bits(saved), walker);
    /// assert_eq!(hall.get(Handle::from_bits(saved))?.position, [3.0, 4.0]);
    /// let nobody = Handle::from_bits(u64::MAX);
    /// assert_eq!(hall.get(nobody), Err(PipelineError::Stale(nobody)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

/// Which slots are taken, and by whom.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    generation: Vec<u32>,
    /// Whose slot it was when contacts were last found.
    reported: Vec<u32>,
    /// Slots to be given away again, the last one first.
    free: Vec<u32>,
    /// Slots whose owner has changed since.
    changed: Vec<u32>,
}

impl Slots {
    /// How many slots there are, taken or not.
    pub fn len(&self) -> usize {
        self.generation.len()
    }
    /// How many slots that were left will be taken before new ones are needed.
    pub fn vacant(&self) -> usize {
        self.free.len()
    }
    /// A slot to move into: one that was left, or `None` if a new one is needed ([`Slots::grow`]).
    pub fn take(&mut self) -> Option<usize> {
        self.free.pop().map(|index| index as usize)
    }
    /// The slot that was taken is not needed.
    pub fn give_back(&mut self, index: usize) {
        self.free.push(index as u32);
    }
    /// One more slot, taken.
    pub fn grow(&mut self) {
        self.generation.push(0);
        self.reported.push(0);
    }
    /// The owner of `index` leaves. A slot whose generations are used up is never taken again.
    pub fn leave(&mut self, index: usize) {
        if self.generation[index] == self.reported[index] {
            self.changed.push(index as u32);
        }
        let next = self.generation[index].wrapping_add(1);
        self.generation[index] = next;
        if next != u32::MAX {
            self.free.push(index as u32);
        }
    }
    /// The present owner of a slot that is taken.
    pub fn handle(&self, index: usize) -> Handle {
        Handle { index: index as u32, generation: self.generation[index] }
    }
    /// Who had the slot when contacts were last found.
    pub fn reported(&self, index: u32) -> Handle {
        Handle { index, generation: self.reported[index as usize] }
    }
    /// Whether somebody left since.
    pub fn any_changed(&self) -> bool {
        !self.changed.is_empty()
    }
    /// Whether the owner of a slot is another than when contacts were last found.
    pub fn is_changed(&self, index: u32) -> bool {
        self.generation[index as usize] != self.reported[index as usize]
    }
    /// Contacts were found.
    pub fn report(&mut self) {
        for index in self.changed.drain(..) {
            self.reported[index as usize] = self.generation[index as usize];
        }
    }
    /// The slot of a handle, if it is current.
    pub fn index_of(&self, handle: Handle) -> Option<usize> {
        (self.generation.get(handle.index()) == Some(&handle.generation)).then_some(handle.index())
    }
}
