//! Collects all near pairs as an ordered list: which candidates are listed first and which are solved where they are
//! found, how many rows there may be, and what memory is kept. Shared by open and periodic space.

use jostle_broadphase::{Paired, TooManyPairs};
use jostle_narrowphase::{Dimension, PAIRS_PER_RESCUE, Precision, Proximity};
use jostle_tasks::Pool;

use crate::chunks::{Candidates, Chunks, QueryCounters};
use crate::clock::Moment;
use crate::error::ContactsError;
use crate::listed::{OrderedPairs, Written, most_of};
use crate::order::{FoundRows, Order};
use crate::report::Report;

/// What is done with candidates.
pub trait CandidateQuestion<S: Dimension, T: Precision>: Sync {
    /// A candidate pair.
    type Pair: Sync;
    /// What is listed of a candidate.
    type Entry: Paired;
    /// What a candidate that is near becomes.
    type Row: Copy + Default + Send + Sync;

    /// Lists those of some candidates that are not ruled out at once.
    fn list(&self, pairs: &[Self::Pair], list: &mut Vec<Self::Entry>);
    /// Completes the order of entries that are already ordered by their pairs.
    fn order(&self, entries: &mut [Self::Entry]);
    /// Writes the rows of the entries that are near to the beginning of `rows`, in order, and returns how many there
    /// are. `rows` has room for one row for each entry.
    fn rows(&self, entries: &[Self::Entry], tally: &QueryCounters, rows: &mut [Self::Row]) -> usize;
    /// True if all entries that are listed are near, except where rounding hides it.
    fn all_are_near(&self) -> bool;
    /// Solves candidates as they were found, and adds the rows of those that are near to `part`, in no particular
    /// order.
    fn part(&self, pairs: &[Self::Pair], tally: &QueryCounters, part: &mut FoundRows<S, T>);
    /// The number of shapes that are hulls of space: their points are read wherever they are met.
    fn hulls(&self) -> usize;
    /// The row that an answer and its image become.
    fn row(&self, answer: &Proximity<S, T>, image: [i32; 3]) -> Self::Row;
}

/// Collects rows `R` from entries `E`. Keeps its memory.
#[derive(Debug)]
pub struct Collector<S: Dimension, T: Precision, E, R> {
    listed: OrderedPairs<E>,
    written: Written<R>,
    /// The rows of each share of a chunk, where candidates are too many to be listed.
    parts: Vec<FoundRows<S, T>>,
    order: Order,
    limit: u64,
    /// The most candidates that are listed, if that was set.
    most: Option<u64>,
}

impl<S: Dimension, T: Precision, E, R> Default for Collector<S, T, E, R> {
    fn default() -> Self {
        let (listed, written, order) = (OrderedPairs::default(), Written::default(), Order::default());
        Self { listed, written, parts: Vec::new(), order, limit: u64::from(u32::MAX), most: None }
    }
}

impl<S: Dimension, T: Precision, E: Paired, R: Copy + Default + Send + Sync> Collector<S, T, E, R> {
    /// Sets the most rows that a list may hold.
    pub fn set_limit(&mut self, most: u64) {
        // A list cannot be longer than its places can be counted in 32 bits.
        self.limit = most.min(u64::from(u32::MAX));
    }
    /// See [`Collector::set_limit`].
    pub fn limit(&self) -> u64 {
        self.limit
    }
    /// Lists at most this many candidates.
    pub fn list_at_most(&mut self, most: u64) {
        self.most = Some(most);
    }

    /// Finds all entries that `keep` puts into a list, still to be put in order, unless there are more than the limit.
    pub fn find_pairs<C: Candidates>(
        &mut self,
        candidates: &C,
        lists: &Pool<C::List>,
        keep: impl Fn(&[C::Pair], &mut Vec<E>) + Sync,
    ) -> Result<&mut OrderedPairs<E>, TooManyPairs> {
        let Self { listed, limit, .. } = self;
        let tally = QueryCounters::default();
        if !listed.find(&Chunks::new(candidates, lists, &tally), *limit, keep) {
            return Err(TooManyPairs { found: *limit + 1, limit: *limit });
        }
        Ok(listed)
    }

    /// Replaces `rows` by all rows, in order, unless that is refused. `lists`: memory for the candidates of a chunk.
    pub fn collect<Q: CandidateQuestion<S, T, Entry = E, Row = R>, C: Candidates<Pair = Q::Pair>>(
        &mut self,
        question: &Q,
        candidates: &C,
        lists: &Pool<C::List>,
        mut report: Report,
        rows: &mut Vec<R>,
    ) -> Result<Report, ContactsError> {
        let Self { listed, written, limit, most, .. } = self;
        let (tally, bodies) = (QueryCounters::default(), report.bodies);
        let chunks = Chunks::new(candidates, lists, &tally);
        let most = most.unwrap_or_else(|| most_of(bodies, question.hulls()));
        let list = |pairs: &[Q::Pair], list: &mut Vec<E>| {
            let start = Moment::now();
            question.list(pairs, list);
            tally.ruled_out(start);
        };
        if most == 0 || !listed.find(&chunks, most, list) {
            return self.collect_as_found(question, candidates, lists, report, rows);
        }
        let start = Moment::now();
        let entries = listed.in_order(bodies);
        question.order(entries);
        report.ordering = start.elapsed();
        let solve = |entries: &[E], rows: &mut [R]| {
            let count = question.rows(entries, &tally, rows);
            (tally.rows() <= *limit).then_some(count)
        };
        let filled = written.fill(entries, *limit, question.all_are_near(), solve, rows);
        tally.write(&mut report);
        check(&report, *limit)?;
        if filled.is_err() {
            // Some have been written: a part of an answer is none.
            rows.clear();
            return Err(ContactsError::Memory(report.rows));
        }
        Ok(report)
    }

    /// The same where candidates are too many to be listed.
    fn collect_as_found<Q: CandidateQuestion<S, T, Entry = E, Row = R>, C: Candidates<Pair = Q::Pair>>(
        &mut self,
        question: &Q,
        candidates: &C,
        lists: &Pool<C::List>,
        mut report: Report,
        rows: &mut Vec<R>,
    ) -> Result<Report, ContactsError> {
        let Self { parts, order, limit, .. } = self;
        let tally = QueryCounters::default();
        let chunks = Chunks::new(candidates, lists, &tally);
        let count = chunks.targets();
        if parts.len() < count {
            parts.resize_with(count, FoundRows::default);
        }
        let parts = &mut parts[..count];
        parts.iter_mut().for_each(FoundRows::clear);
        chunks.each_piece(PAIRS_PER_RESCUE, parts, |part, pairs| {
            question.part(pairs, &tally, part);
            tally.rows() <= *limit
        });
        tally.write(&mut report);
        check(&report, *limit)?;
        let start = Moment::now();
        let more = (report.rows as usize).saturating_sub(rows.len());
        if rows.try_reserve_exact(more).is_err() {
            rows.clear();
            return Err(ContactsError::Memory(report.rows));
        }
        order.by_pair(parts, report.bodies, |row, image| question.row(row, image), rows);
        report.ordering = start.elapsed();
        Ok(report)
    }
}

fn check(report: &Report, limit: u64) -> Result<(), TooManyPairs> {
    if report.rows > limit { Err(TooManyPairs { found: limit + 1, limit }) } else { Ok(()) }
}
