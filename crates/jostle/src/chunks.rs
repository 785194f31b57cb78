//! Goes through a sweep chunk by chunk: the candidate pairs of a chunk are listed and worked on, a piece at a time,
//! while their bodies are in the cache. No list of all candidates is ever made. Where there are few chunks, the pairs
//! of each are shared among threads, so that none is idle.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use jostle_broadphase::TooManyPairs;
use jostle_narrowphase::PAIRS_PER_BATCH;
use jostle_tasks::{self as tasks, Pool};

use crate::clock::Moment;
use crate::report::Report;

/// A source of candidate pairs, divided into chunks.
pub trait Candidates: Sync {
    /// A pair of bodies, or a pair and an image.
    type Pair: Sync;
    /// Memory for the pairs of one chunk.
    type List: Default + Send;
    /// The number of chunks.
    fn chunks(&self) -> usize;
    /// The candidate pairs of a chunk, in no particular order.
    fn list<'l>(&self, chunk: usize, list: &'l mut Self::List) -> &'l [Self::Pair];
}

/// Counters of a query that its tasks add to.
#[derive(Debug, Default)]
pub struct QueryCounters {
    candidates: AtomicU64,
    rows: AtomicU64,
    rescued: AtomicU64,
    /// Nanoseconds, summed over all threads.
    sweep: AtomicU64,
    narrowphase: AtomicU64,
    /// Set once a task has seen enough: the remaining candidates are not looked at.
    full: AtomicBool,
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn nanoseconds(since: Moment) -> u64 {
    since.elapsed().as_nanos() as u64
}

impl QueryCounters {
    /// Counts the time since `start` for a piece whose pairs were only tested, none solved yet.
    pub fn ruled_out(&self, start: Moment) {
        add(&self.narrowphase, nanoseconds(start));
    }
    /// Counts a piece that was solved and gave `rows` rows.
    pub fn solved(&self, start: Moment, rescued: usize, rows: usize) {
        add(&self.narrowphase, nanoseconds(start));
        add(&self.rescued, rescued as u64);
        add(&self.rows, rows as u64);
    }
    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
    /// Writes the counts into a report.
    pub fn write(self, report: &mut Report) {
        report.candidates = self.candidates.into_inner();
        report.rows = self.rows.into_inner();
        report.rescued = self.rescued.into_inner();
        report.sweep = Duration::from_nanos(self.sweep.into_inner());
        report.narrowphase = Duration::from_nanos(self.narrowphase.into_inner());
    }
}

/// The chunks of a query, and what is needed to work on them.
pub struct Chunks<'c, C: Candidates> {
    candidates: &'c C,
    lists: &'c Pool<C::List>,
    tally: &'c QueryCounters,
    /// How many tasks share the pairs of a chunk.
    shares: usize,
}

impl<'c, C: Candidates> Chunks<'c, C> {
    /// Chunk lists are made in memory borrowed from `lists`; what is found is counted in `tally`.
    pub fn new(candidates: &'c C, lists: &'c Pool<C::List>, tally: &'c QueryCounters) -> Self {
        Self { candidates, lists, tally, shares: tasks::shares(candidates.chunks()) }
    }

    /// The number of targets that [`Chunks::each_piece`] takes.
    pub fn targets(&self) -> usize {
        self.candidates.chunks() * self.shares
    }

    /// Calls `work` for all candidate pairs, up to `most` at a time, each time with one of the targets; calls with the
    /// same target follow one another. Once `work` returns false, it has seen enough, and the rest is not looked at.
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
                tasks::share(pairs, PAIRS_PER_BATCH, targets, |pairs, target| {
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

/// Fills each list by `find`, which is given the list's number, and returns the number of entries in all lists.
///
/// # Errors
/// If there are more than `limit` entries; some lists are then not filled.
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
