//! Names for bodies that come and go: a slot, and how often it has been given away.

use core::fmt;

/// Names one body of a [`Pipeline`](crate::Pipeline). No other body of that pipeline ever has the same handle: once the
/// body is removed, its handle is stale, also when another body has its slot. A handle does not say which pipeline it
/// belongs to: another pipeline, or a clone that has continued separately, may take it for a handle of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    index: u32,
    generation: u32,
}

impl Handle {
    /// The body's slot: its place in every column of the pipeline and in your own beside them, and its `a` or `b` in
    /// contacts. It stays the same as long as the body exists.
    pub fn index(self) -> usize {
        self.index as usize
    }
    /// The handle as a number, for tables and messages of your own: [`Handle::from_bits`] is the inverse. No two bodies
    /// of one pipeline have the same number.
    pub const fn to_bits(self) -> u64 {
        ((self.generation as u64) << 32) | self.index as u64
    }
    /// The handle of a number from [`Handle::to_bits`]. Any other number gives a handle too, most likely of a body that
    /// does not exist: it is refused as stale wherever it is used.
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

/// Which slots are taken, and the present generation of each.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    generation: Vec<u32>,
    /// The generation of each slot when contacts were last found.
    reported: Vec<u32>,
    /// Slots to be given away again, the last one first.
    free: Vec<u32>,
    /// Slots whose body was removed since.
    changed: Vec<u32>,
}

impl Slots {
    /// The number of slots, taken or not.
    pub fn len(&self) -> usize {
        self.generation.len()
    }
    /// The number of free slots that are taken before new ones are needed.
    pub fn vacant(&self) -> usize {
        self.free.len()
    }
    /// Takes a free slot; `None` if a new one is needed ([`Slots::grow`]).
    pub fn take(&mut self) -> Option<usize> {
        self.free.pop().map(|index| index as usize)
    }
    /// Puts back a slot that was taken and is not needed.
    pub fn give_back(&mut self, index: usize) {
        self.free.push(index as u32);
    }
    /// Adds one slot, taken.
    pub fn grow(&mut self) {
        self.generation.push(0);
        self.reported.push(0);
    }
    /// Frees the slot of a body that is removed. A slot whose generations are used up is never taken again.
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
    /// The handle of the body in a slot that is taken.
    pub fn handle(&self, index: usize) -> Handle {
        Handle { index: index as u32, generation: self.generation[index] }
    }
    /// The handle of the body that had the slot when contacts were last found.
    pub fn reported(&self, index: u32) -> Handle {
        Handle { index, generation: self.reported[index as usize] }
    }
    /// Whether any body was removed since contacts were last found.
    pub fn any_changed(&self) -> bool {
        !self.changed.is_empty()
    }
    /// Whether the slot's body was removed since contacts were last found.
    pub fn is_changed(&self, index: u32) -> bool {
        self.generation[index as usize] != self.reported[index as usize]
    }
    /// Records that contacts were found: the present handles are reported from now on.
    pub fn report(&mut self) {
        for index in self.changed.drain(..) {
            self.reported[index as usize] = self.generation[index as usize];
        }
    }
    /// The slot of a handle, if its generation is the present one.
    pub fn index_of(&self, handle: Handle) -> Option<usize> {
        (self.generation.get(handle.index()) == Some(&handle.generation)).then_some(handle.index())
    }
}
