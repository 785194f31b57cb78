//! The same on any number of threads.

use rayon::ThreadPoolBuilder;

/// Does `work` in a pool of so many threads, which share out whatever can be, however little it is.
///
/// # Panics
/// If there can be no such pool.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    jostle_tasks::share_everything();
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}
