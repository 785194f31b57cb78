//! jostle beside its rivals: the same scenes, the same questions, one process.
//!
//! This crate makes seeded scenes and calls the rivals. Two programs use it: the criterion benches, and `table`, which
//! prints the tables of BENCHMARKS.md (without arguments it lists them all):
//!
//! ```text
//! cargo bench -p jostle-benches
//! cargo run --release -p jostle-benches --bin table -- narrowphase [kind...] [--pairs N] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- meetings [kind...] [--pairs N] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- depths [kind...] [--pairs N] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- resting [--pairs N] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- broadphase [BODIES...] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- threads [BODIES...] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- frames [BODIES...] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- nearest [BODIES...] [--repeat N]
//! cargo run --release -p jostle-benches --bin table -- profile kind... [--pairs N] [--repeat N]
//! ```
//!
//! The speed of a machine varies: what counts is the ratio of two numbers that were measured in turns ([`clock`]).

pub mod boxes;
pub mod capsules;
pub mod ceiling;
pub mod cells;
pub mod clock;
pub mod crowd;
pub mod disc_cells;
pub mod kinds;
pub mod pairs;
pub mod parry;
pub mod random;
pub mod rapier;
pub mod resting;
pub mod trees;

/// Runs `work` on a rayon pool of one thread.
///
/// # Panics
/// If the system has no thread left.
pub fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    pool(1).install(work)
}

/// A rayon pool of so many threads.
///
/// # Panics
/// If the system has none left.
pub fn pool(threads: usize) -> rayon::ThreadPool {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool,
        Err(error) => panic!("no threads: {error}"),
    }
}
