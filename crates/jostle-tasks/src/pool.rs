//! Memory that tasks need while they run, kept by the caller that starts them.
//!
//! Tasks borrow a workspace and give it back, so there are as many as ever were in use at once, and none is made again.
//! What a workspace held before must not matter to the next task.

use std::sync::{Mutex, PoisonError};

/// Workspaces that wait to be used. (Boxed: they are taken and given back for each task, and are larger than what a
/// task of a few pairs works on.)
///
/// ```
/// let pool = jostle_tasks::Pool::<Vec<u32>>::default();
/// pool.with(|room| room.extend([1, 2]));
/// // The next task finds what the last one left.
/// assert_eq!(pool.with(|room| room.len()), 2);
/// ```
pub struct Pool<W>(Mutex<Vec<Box<W>>>);

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

/// Makes room for exactly `len` entries, where it is known that there are never more.
///
/// ```
/// let mut list = vec![1];
/// jostle_tasks::reserve(&mut list, 100);
/// assert!(list.capacity() >= 100);
/// ```
pub fn reserve<X>(list: &mut Vec<X>, len: usize) {
    list.reserve_exact(len.saturating_sub(list.len()));
}

/// Makes room for `len` entries and an eighth more, and for a quarter more where the memory has to grow: a list whose
/// length fluctuates from frame to frame has enough room for good after a few of them. Small counts fluctuate more, by
/// multiples of their root.
///
/// ```
/// let mut list = vec![1];
/// jostle_tasks::make_room(&mut list, 100);
/// assert!(list.capacity() >= 112);
/// ```
pub fn make_room<X>(list: &mut Vec<X>, len: usize) {
    if list.capacity() < len + len / 8 {
        list.reserve_exact((len + len / 4 + 16 * len.isqrt() + 8).saturating_sub(list.len()));
    }
}
