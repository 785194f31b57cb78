//! Bodies that sleep, and what wakes them: being moved, from the moment on in which they were put to sleep.
//!
//! A frame sees who has moved since the one before. Those who were put to sleep in between may have moved until then,
//! so for one frame it is where they were laid down that counts.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Body, CustomShape};

use super::flags::Flags;
use super::pass::same_bits;
use super::{Handle, Pipeline, PipelineError};

/// A slot, which of all since the last frame this is, and the body as it was laid down.
pub type LaidDown<S> = (usize, usize, Body<S>);

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Puts a body to sleep: its contacts with other sleeping or static bodies are
    /// [`Phase::Rests`](crate::Phase::Rests) from now on. It wakes when it is moved or turned: at the next update,
    /// which lists it among the [`woken`](Pipeline::woken); or by [`Pipeline::wake`]. That others come near, touch it
    /// or overlap it does not wake it, nor does its velocity: which bodies wake each other is up to your solver.
    ///
    /// ```
    /// use jostle::{Body, D2, Phase, Pipeline, Pose, Shape};
    ///
    /// let mut pile = Pipeline::<D2>::new();
    /// let square = pile.add_shape(Shape::cuboid([0.5; 2])?)?;
    /// pile.insert(Body::new(square, [0.0, 0.0]).fixed())?;
    /// let upper = pile.insert(Body::new(square, [0.0, 1.0]))?;
    /// pile.update()?;
    /// pile.sleep(upper)?;
    /// pile.update()?;
    /// let frame = pile.update()?;
    /// assert_eq!((pile.phases(), frame.solved), (&[Phase::Rests][..], 0));
    /// pile.set_pose(upper, Pose::at([0.0, 0.9]))?;
    /// pile.update()?;
    /// assert_eq!((pile.phases(), pile.woken()), (&[Phase::Persists][..], &[upper][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is stale.
    pub fn sleep(&mut self, handle: Handle) -> Result<(), PipelineError> {
        let slot = self.slot(handle)?;
        if !self.tracks.flags[slot].contains(Flags::ASLEEP) {
            self.tracks.flags[slot] |= Flags::ASLEEP | Flags::FRESH;
            self.asleep += 1;
            self.laid_down.push((slot, self.laid_down.len(), self.bodies.get(slot)));
        }
        Ok(())
    }
    /// Wakes a body; one that is awake stays so.
    ///
    /// # Errors
    /// If the handle is stale.
    pub fn wake(&mut self, handle: Handle) -> Result<(), PipelineError> {
        let slot = self.slot(handle)?;
        self.wake_slot(slot);
        Ok(())
    }
    /// Whether a body sleeps.
    ///
    /// # Errors
    /// If the handle is stale.
    pub fn is_asleep(&self, handle: Handle) -> Result<bool, PipelineError> {
        Ok(self.tracks.flags[self.slot(handle)?].contains(Flags::ASLEEP))
    }
    pub(super) fn wake_slot(&mut self, slot: usize) {
        if self.tracks.flags[slot].contains(Flags::ASLEEP) {
            self.tracks.flags[slot] -= Flags::ASLEEP;
            self.asleep -= 1;
        }
    }

    /// Begins the list of those who woke up: whom a frame woke that failed is still on it, unless he has left or sleeps
    /// again.
    pub(super) fn begin_woken(&mut self) {
        if core::mem::take(&mut self.failed) {
            let mut woken = core::mem::take(&mut self.woken);
            woken.retain(|&handle| self.is_asleep(handle) == Ok(false));
            self.woken = woken;
        } else {
            self.woken.clear();
        }
        self.wake_restless();
        self.woken.sort_unstable_by_key(|handle| handle.index());
    }

    /// Wakes those who have moved since they were put to sleep, before a frame looks for those who have moved since the
    /// frame before.
    fn wake_restless(&mut self) {
        // Of who was laid down more than once the last time counts.
        self.laid_down.sort_unstable_by_key(|&(slot, number, _)| (slot, number));
        for index in 0..self.laid_down.len() {
            let (slot, _, was) = self.laid_down[index];
            let is_last = self.laid_down.get(index + 1).is_none_or(|next| next.0 != slot);
            if is_last && self.tracks.flags[slot].contains(Flags::ASLEEP | Flags::FRESH) && !self.lies_still(slot, &was)
            {
                self.wake_slot(slot);
                self.woken.push(self.slots.handle(slot));
            }
        }
        self.laid_down.clear();
    }

    /// Whether a body is where it was, or at an image of that place.
    fn lies_still(&self, slot: usize, was: &Body<S>) -> bool {
        let now = self.bodies.get(slot);
        let mut place = was.position;
        if self.lattice.repeats() {
            let offset = S::array(|k| now.position[k] - place[k]);
            let shift = self.lattice.nearest(offset).map(|image| self.lattice.shift(image)).unwrap_or_default();
            place = S::array(|k| place[k] + shift[k]);
        }
        let looks_ahead = self.settings.look_ahead > 0.0;
        same_bits(place.as_ref(), now.position.as_ref())
            && same_bits(was.rotation.as_ref(), now.rotation.as_ref())
            && (!looks_ahead || same_bits(was.velocity.as_ref(), now.velocity.as_ref()))
    }
}
