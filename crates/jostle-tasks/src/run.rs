//! Whether work is worth sharing among threads, and where it runs.
//!
//! To wake a thread takes longer than small queries do; and a caller outside of the pool (the main thread of most
//! programs) hands over and waits at every stage that is shared out, be it of ten microseconds. So a query says roughly
//! how long it will take: a short one runs on the calling thread alone, and a longer one moves into the pool once, as a
//! whole.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};

/// Nanoseconds of one thread that are worth sharing out. (Measured with two threads, on a machine where a thread that
/// has slept comes late: all contacts of 1,000 discs, 40 microseconds, took 100 when each stage was shared out from
/// outside of the pool; those of 10,000 went from 490 to 320; of queries of 100 to 200 microseconds half gained from
/// running inside.)
const WORTH: u64 = 150_000;

thread_local! {
    /// Set while this thread runs work that is not worth sharing out.
    static LITTLE: Cell<bool> = const { Cell::new(false) };
}

/// See [`on_threads`].
static EVERYTHING: AtomicBool = AtomicBool::new(false);

/// Runs `work` in a pool of this many threads, and from now on shares out all work, however little, in the whole
/// process: for tests that compare several threads with one in small scenes.
///
/// # Panics
/// If such a pool cannot be made.
#[doc(hidden)]
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    EVERYTHING.store(true, Ordering::Relaxed);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

/// True if tasks would only follow one another, so that no thread has to be woken for them.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
/// assert!(pool.install(jostle_tasks::alone));
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
pub fn alone() -> bool {
    LITTLE.get() || rayon::current_num_threads() == 1
}

/// Runs work that takes roughly this many `nanoseconds` on one thread: if that is little, on the calling thread, which
/// is [`alone`] meanwhile; otherwise in the rayon pool that it is called from, or the global one. The result must not
/// depend on it.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// pool.install(|| {
///     assert!(jostle_tasks::run(1_000, jostle_tasks::alone));
///     assert!(!jostle_tasks::run(1_000_000, jostle_tasks::alone));
///     // What is part of something little is little.
///     assert!(jostle_tasks::run(1_000, || jostle_tasks::run(1_000_000, jostle_tasks::alone)));
///     assert!(!jostle_tasks::alone());
/// });
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
///
/// # Panics
/// If `work` does.
pub fn run<R: Send>(nanoseconds: u64, work: impl FnOnce() -> R + Send) -> R {
    if LITTLE.get() {
        return work();
    }
    // Before the first call of rayon, which starts all its threads.
    if nanoseconds < WORTH && !EVERYTHING.load(Ordering::Relaxed) {
        let _until_done = Little::begin();
        return work();
    }
    if alone() || rayon::current_thread_index().is_some() {
        return work();
    }
    let (mut work, mut result) = (Some(work), None);
    move_into_pool(&mut || result = work.take().map(|work| work()));
    match result {
        Some(result) => result,
        None => unreachable!("it was done"),
    }
}

/// Compiled once, whatever the work.
fn move_into_pool(work: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| work());
}

/// Resets [`LITTLE`] however the work ends.
struct Little;

impl Little {
    fn begin() -> Self {
        LITTLE.set(true);
        Self
    }
}

impl Drop for Little {
    fn drop(&mut self) {
        LITTLE.set(false);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn who_calls_from_outside_moves_into_the_pool_once() {
        // On a thread of its own, which is in no pool, whatever the test runs in.
        let outside = || std::thread::current().id();
        let (little, much) = std::thread::spawn(move || {
            let here = outside();
            (run(WORTH - 1, outside) == here, run(WORTH, || (outside() == here, rayon::current_thread_index())))
        })
        .join()
        .expect("nobody panics");
        assert!(little);
        if rayon::current_num_threads() > 1 {
            assert!(!much.0 && much.1.is_some());
        }
    }

    #[test]
    fn a_panic_leaves_nobody_alone() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        pool.install(|| {
            let broken = catch_unwind(AssertUnwindSafe(|| run(0, || assert!(!alone(), "as it has to"))));
            assert!(broken.is_err() && !alone());
        });
    }
}
