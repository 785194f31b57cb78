//! Sleeping bodies, and what wakes them: being moved or turned, counted from the moment when they were put to sleep.
//!
//! The pass finds the bodies that have moved since the last frame. A body put to sleep since then may have moved before
//! that, so for one frame it is compared with where it was when it was put to sleep.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Body, Checked, CustomShape};

use super::flags::Flags;
use super::pass::same_bits;
use super::{Handle, Pipeline, PipelineError};

/// The slot, how many bodies were put to sleep before it since the last frame, and the body as it was then.
pub type LaidDown<S> = (usize, usize, Body<S>);

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Puts a body to sleep: its contacts with other sleeping or static bodies are
    /// [`Phase::Rests`](crate::Phase::Rests) from the second update after this on (at the first they persist once
    /// more). It wakes when it is moved or turned, at the next update, which lists it among the
    /// [`woken`](Pipeline::woken); or by [`Pipeline::wake`], [`Pipeline::set`] or [`Pipeline::replace_shape`], at once
    /// and unlisted. Another body that comes near, touches or overlaps it does not wake it, nor does its own velocity
    /// (but with a look-ahead a change of it does): which bodies wake each other is up to your solver.
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
    /// Wakes a body; a body that is awake stays awake.
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

    /// Begins the list of woken bodies. Those that a failed frame woke stay on it, unless they were removed or sleep
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

    /// Wakes the bodies that have moved since they were put to sleep, before the pass looks for bodies that have moved
    /// since the last frame.
    fn wake_restless(&mut self) {
        // A body may have been put to sleep several times since the last frame: the last time counts.
        self.laid_down.sort_unstable_by_key(|&(slot, number, _)| (slot, number));
        for index in 0..self.laid_down.len() {
            let (slot, _, was) = self.laid_down[index];
            let is_last = self.laid_down.get(index + 1).is_none_or(|next| next.0 != slot);
            if !is_last || !self.tracks.flags[slot].contains(Flags::ASLEEP | Flags::FRESH) {
                continue;
            }
            if !self.lies_still(slot, &was) {
                self.wake_slot(slot);
                self.woken.push(self.slots.handle(slot));
            } else if self.bodies.is_sound(slot, Checked { rotation: true, velocity: self.settings.look_ahead > 0.0 }) {
                // If its numbers were invalid, they were mended before it was put to sleep.
                self.tracks.flags[slot] -= Flags::FAULTY;
            }
        }
        self.laid_down.clear();
    }

    /// Whether a body is bit for bit where it was put to sleep, or at an image of that place.
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
