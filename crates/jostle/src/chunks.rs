//! Chunk by chunk through a sweep: a chunk's candidate pairs are listed and worked on, a piece at a time, while their
//! bodies are hot in the cache; no list of all candidates is ever made. Where there are few chunks their pairs are
//! shared out, lest threads have nothing to do.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use jostle_broadphase::TooManyPairs;
use jostle_narrowphase::CHUNK;
use jostle_tasks::{self as tasks, Pool};

use crate::clock::Moment;
use crate::report::Report;

/// Pairs that may be near, in chunks.
pub trait Candidates: Sync {
    /// A pair, or a pair and an image.
    type Pair: Sync;
    /// Memory for the pairs of a chunk.
    type List: Default + Send;
    /// How many chunks there are.
    fn chunks(&self) -> usize;
    /// The pairs of a chunk, in no particular order.
    fn list<'l>(&self, chunk: usize, list: &'l mut Self::List) -> &'l [Self::Pair];
}

/// Counters that tasks add to.
#[derive(Debug, Default)]
pub struct QueryCounters {
    candidates: AtomicU64,
    rows: AtomicU64,
    rescued: AtomicU64,
    /// Nanoseconds of all threads together.
    sweep: AtomicU64,
    narrowphase: AtomicU64,
    /// Somebody has seen enough.
    full: AtomicBool,
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn nanoseconds(since: Moment) -> u64 {
    since.elapsed().as_nanos() as u64
}

impl QueryCounters {
    /// A piece was looked at, and nothing was solved yet.
    pub fn ruled_out(&self, start: Moment) {
        add(&self.narrowphase, nanoseconds(start));
    }
    /// A piece was solved that gave so many rows.
    pub fn solved(&self, start: Moment, rescued: usize, rows: usize) {
        add(&self.narrowphase, nanoseconds(start));
        add(&self.rescued, rescued as u64);
        add(&self.rows, rows as u64);
    }
    /// How many rows there are so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
    /// Puts what was counted into a report.
    pub fn write(self, report: &mut Report) {
        report.candidates = self.candidates.into_inner();
        report.rows = self.rows.into_inner();
        report.rescued = self.rescued.into_inner();
        report.sweep = Duration::from_nanos(self.sweep.into_inner());
        report.narrowphase = Duration::from_nanos(self.narrowphase.into_inner());
    }
}

/// The work on all candidates.
pub struct Chunks<'c, C: Candidates> {
    candidates: &'c C,
    lists: &'c Pool<C::List>,
    tally: &'c QueryCounters,
    /// How many tasks share the pairs of a chunk.
    shares: usize,
}

impl<'c, C: Candidates> Chunks<'c, C> {
    /// Lists are made in memory that is kept in `lists`, and counted in `tally`.
    pub fn new(candidates: &'c C, lists: &'c Pool<C::List>, tally: &'c QueryCounters) -> Self {
        Self { candidates, lists, tally, shares: tasks::shares(candidates.chunks()) }
    }

    /// How many targets [`Chunks::each_piece`] wants.
    pub fn targets(&self) -> usize {
        self.candidates.chunks() * self.shares
    }

    /// Does `work` for all pairs, up to `most` at a time, each time with one of the targets: those of a target one
    /// after the other. Where `work` says that it has seen enough (false), the rest is not looked at.
    pub fn each_piece<X: Send>(
        &self,
        most: usize,
        targets: &mut [X],
        work: impl Fn(&mut X, &[C::Pair]) -> bool + Sync,
    ) {
        let Self { candidates, lists, tally, shares } = *self;
        tasks::for_each_few(targets, shares, |chunk, targets| {
            if tally.full.load(Ordering::Relaxed) {
                return;
            }
            lists.with(|list| {
                let start = Moment::now();
                let pairs = candidates.list(chunk, list);
                add(&tally.sweep, nanoseconds(start));
                add(&tally.candidates, pairs.len() as u64);
                tasks::share(pairs, CHUNK, targets, |pairs, target| {
                    for piece in pairs.chunks(most) {
                        if tally.full.load(Ordering::Relaxed) || !work(target, piece) {
                            tally.full.store(true, Ordering::Relaxed);
                            return;
                        }
                    }
                });
            });
        });
    }
}

/// Fills each list by `find`, which is told its number, and says how many entries there are in all.
///
/// # Errors
/// If they are more than `limit`; then some lists are not filled.
pub fn collect<X: Send>(
    lists: &mut [Vec<X>],
    limit: u64,
    find: impl Fn(usize, &mut Vec<X>) + Sync,
) -> Result<u64, TooManyPairs> {
    let total = AtomicU64::new(0);
    tasks::for_each(lists, |number, list| {
        list.clear();
        if total.load(Ordering::Relaxed) <= limit {
            find(number, list);
            add(&total, list.len() as u64);
        }
    });
    let total = total.into_inner();
    if total > limit { Err(TooManyPairs { found: limit + 1, limit }) } else { Ok(total) }
}
