//! Memory that tasks need while they run, kept by whoever starts them.
//!
//! Tasks borrow a workspace and give it back, so that there are as many as ever ran at once and none is made again. What
//! a workspace held before must not matter to the next task.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Workspaces that wait to be used.
pub struct Pool<W>(Mutex<Vec<W>>);

impl<W> core::fmt::Debug for Pool<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Pool")
    }
}

impl<W> Default for Pool<W> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A copy starts with no memory: workspaces hold nothing worth copying.
impl<W> Clone for Pool<W> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<W: Default> Pool<W> {
    /// Runs `work` with a workspace.
    pub fn with<R>(&self, work: impl FnOnce(&mut W) -> R) -> R {
        let mut workspace = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let result = work(&mut workspace);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        result
    }
}

/// True if tasks would only follow one another: then they are better done here, without going through rayon's pool.
pub fn alone() -> bool {
    rayon::current_num_threads() == 1
}

/// Does `work` for each entry of `targets`, which it may write, in parallel where there is anything to share.
pub fn for_each<X: Send>(targets: &mut [X], work: impl Fn(usize, &mut X) + Sync + Send) {
    for_each_few(targets, 1, |index, target| work(index, &mut target[0]));
}

/// The same for each `few` of them, at least one.
pub fn for_each_few<X: Send>(targets: &mut [X], few: usize, work: impl Fn(usize, &mut [X]) + Sync + Send) {
    if targets.len() <= few || alone() {
        targets.chunks_mut(few).enumerate().for_each(|(index, targets)| work(index, targets));
    } else {
        targets.par_chunks_mut(few).with_max_len(1).enumerate().for_each(|(index, targets)| work(index, targets));
    }
}

/// Into how many shares each of so many tasks is best cut: one where they are enough to keep all threads busy to the end. A
/// chunk of the broadphase is some thousands of bodies and up to 30,000, and the distances of their pairs are most of the work.
pub fn shares(tasks: usize) -> usize {
    let enough = 4 * rayon::current_num_threads();
    if alone() || tasks >= enough { 1 } else { enough.div_ceil(tasks.max(1)) }
}

/// Deals a list out to `targets`, in order and in multiples of `grain` entries, and does `work` for each that gets any.
pub fn share<X: Send, Y: Sync>(list: &[Y], grain: usize, targets: &mut [X], work: impl Fn(&[Y], &mut X) + Sync + Send) {
    let share = list.len().div_ceil(targets.len().max(1)).next_multiple_of(grain).max(grain);
    let busy = list.len().div_ceil(share);
    for_each(&mut targets[..busy], |index, target| {
        work(&list[index * share..list.len().min((index + 1) * share)], target);
    });
}

/// Does both, in parallel where there is more than one thread.
pub fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if alone() {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// Makes room for `len` entries and an eighth more, and for a quarter more where the memory has to grow: what fluctuates
/// from frame to frame finds room enough for good after a few of them. Small counts fluctuate more, by multiples of their
/// root.
pub fn make_room<X>(list: &mut Vec<X>, len: usize) {
    if list.capacity() < len + len / 8 {
        list.reserve_exact((len + len / 4 + 16 * len.isqrt() + 8).saturating_sub(list.len()));
    }
}
