//! From the list to rows: each frame, the pairs that may be near by the balls about them are solved, those
//! within the margin kept, in canonical order; pairs of bodies that both rest keep the rows they had.
//!
//! Now and then the shorter list of pairs that may be near soon is made in passing (see `list`).
//!
//! Stretches of the list are tasks. Alone, one buffer takes all rows, one after the other; otherwise each stretch has its
//! own and they are put together afterwards. The rows are the same.

use jostle_lanes::Scalar;
use jostle_narrowphase::{CHUNK, Dimension, Largest, Precision, Proximity, Record, Scratch, Source, solve_chunk};
use jostle_shape::{Columns, CustomShape};

use super::list::{Course, inner_reach};
use super::track::{Ball, ROUNDING, STILL, may_be_near};
use crate::near::Near;
use crate::order::key;
use crate::pool::{self, Pool, make_room};

/// Pairs of the list that one task looks at.
const STRETCH: usize = 16 * CHUNK;

/// Rows in canonical order, each with its pair as a number.
#[derive(Clone, Debug)]
pub struct Rows<S: Dimension, T: Precision> {
    pub keys: Vec<u64>,
    pub rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Rows<S, T> {
    fn default() -> Self {
        Self { keys: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> Rows<S, T> {
    fn clear(&mut self) {
        self.keys.clear();
        self.rows.clear();
    }
    fn make_room(&mut self, len: usize) {
        make_room(&mut self.keys, len);
        make_room(&mut self.rows, len);
    }
    #[inline]
    fn push(&mut self, place: u64, row: &Proximity<S, T>) {
        self.keys.push(place);
        self.rows.push(*row);
    }
    /// The number of rows before a pair.
    fn before(&self, place: u64) -> usize {
        self.keys.partition_point(|&other| other < place)
    }
}

/// What one stretch gave.
#[derive(Debug)]
struct Part<S: Dimension, T: Precision> {
    rows: Rows<S, T>,
    inner: Vec<[u32; 2]>,
    tally: Tally,
}

impl<S: Dimension, T: Precision> Default for Part<S, T> {
    fn default() -> Self {
        Self { rows: Rows::default(), inner: Vec::new(), tally: Tally::default() }
    }
}

/// What a frame's solving came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs that went through the narrowphase.
    pub solved: u64,
    /// Of those, how many `f64` had to decide.
    pub rescued: u64,
}

/// What one task needs while it works.
struct Worker<S: Dimension, T: Precision> {
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
    /// What `scratch` has room for.
    largest: Option<Largest>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        Self { pairs: Vec::new(), rows: Vec::new(), scratch: Scratch::default(), largest: None }
    }
}

/// One frame's question.
#[derive(Debug)]
pub struct Question<'q, S: Dimension, T: Precision, U> {
    pub bodies: Columns<'q, S, U>,
    pub velocities: &'q [S::Array<f64>],
    pub flags: &'q [u8],
    pub records: &'q [Record<S, T>],
    pub balls: &'q [Ball],
    pub largest: Largest,
    pub near: Near<T>,
    /// Metres.
    pub margin: f64,
    /// Seconds.
    pub look_ahead: f64,
    /// Rows of bodies that rest are taken from these; `None` if they were found on other terms.
    pub before: Option<&'q Rows<S, T>>,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Question<'_, S, T, U> {
    /// Whether a row is wanted: its bodies are within the margin, or may get there within the look-ahead, as far as the
    /// plane between them tells.
    #[inline]
    fn wants(&self, row: &Proximity<S, T>) -> bool {
        if self.near.holds(row.distance) {
            return true;
        }
        if self.look_ahead == 0.0 {
            return false;
        }
        let (a, b) = (&self.velocities[row.a as usize], &self.velocities[row.b as usize]);
        let closing: f64 = (0..S::DIMENSION).map(|k| (a[k] - b[k]) * row.normal[k].to_f64()).sum();
        row.distance.to_f64() - self.look_ahead * closing <= self.margin
    }

    /// Whether what was found between two bodies still holds.
    #[inline]
    fn rests(&self, [a, b]: [u32; 2]) -> bool {
        self.flags[a as usize] & self.flags[b as usize] & STILL != 0
    }

    /// Solves one stretch of the list. The rows that rest are those of `before` in `resting`. If the short list is to be
    /// made, the pairs of this stretch that belong there are added to it.
    fn stretch(
        &self,
        pairs: &[[u32; 2]],
        mut resting: core::ops::Range<usize>,
        mut short: Option<(f32, &mut Vec<[u32; 2]>)>,
        worker: &mut Worker<S, T>,
        out: &mut Rows<S, T>,
    ) -> Tally {
        let mut tally = Tally::default();
        if worker.largest != Some(self.largest) {
            worker.scratch.reserve(CHUNK, self.largest);
            worker.largest = Some(self.largest);
        }
        let margin = f32::round_up(self.margin * (1.0 + ROUNDING));
        let near = |[a, b]: [u32; 2], reach| may_be_near(&self.balls[a as usize], &self.balls[b as usize], reach);
        worker.pairs.resize(2 * CHUNK, [0; 2]);
        let mut count = 0;
        for block in pairs.chunks(CHUNK) {
            let block = match &mut short {
                None => block,
                Some((reach, inner)) => {
                    let first = inner.len();
                    append_where(block, inner, |pair| near(pair, *reach));
                    &inner[first..]
                }
            };
            // Without a branch: about half of the pairs pass, in no order that could be guessed.
            if self.before.is_none() {
                for &pair in block {
                    worker.pairs[count] = pair;
                    count += usize::from(near(pair, margin));
                }
            } else {
                for &pair in block {
                    worker.pairs[count] = pair;
                    count += usize::from(near(pair, margin) & !self.rests(pair));
                }
            }
            if count >= CHUNK {
                self.flush(CHUNK, worker, &mut resting, out, &mut tally);
                worker.pairs.copy_within(CHUNK..count, 0);
                count -= CHUNK;
            }
        }
        self.flush(count, worker, &mut resting, out, &mut tally);
        self.take_resting(&mut resting, u64::MAX, out);
        tally
    }

    /// Solves the first `count` of the pairs that have been gathered.
    fn flush(
        &self,
        count: usize,
        worker: &mut Worker<S, T>,
        resting: &mut core::ops::Range<usize>,
        out: &mut Rows<S, T>,
        tally: &mut Tally,
    ) {
        let Worker { pairs, rows, scratch, .. } = worker;
        let pairs = &pairs[..count];
        if pairs.is_empty() {
            return;
        }
        // Every field of every row is written: what is there already need not be cleared.
        rows.resize(pairs.len(), Proximity::default());
        let rescued = solve_chunk(&self.bodies, Source::All(self.records), pairs, rows, scratch);
        tally.solved += pairs.len() as u64;
        tally.rescued += rescued as u64;
        let len = out.rows.len() + rows.len();
        out.make_room(len);
        for row in rows.iter().filter(|row| self.wants(row)) {
            let place = key([row.a, row.b]);
            if resting.start < resting.end {
                self.take_resting(resting, place, out);
            }
            out.push(place, row);
        }
    }

    /// Takes over the rows of pairs that rest, up to a pair.
    fn take_resting(&self, resting: &mut core::ops::Range<usize>, end: u64, out: &mut Rows<S, T>) {
        let Some(before) = self.before else { return };
        while resting.start < resting.end && before.keys[resting.start] < end {
            let row = &before.rows[resting.start];
            if self.rests([row.a, row.b]) {
                out.push(before.keys[resting.start], row);
            }
            resting.start += 1;
        }
    }
}

/// Solves lists, and keeps what that needs.
#[derive(Debug)]
pub struct Solver<S: Dimension, T: Precision> {
    workers: Pool<Worker<S, T>>,
    parts: Vec<Part<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Solver<S, T> {
    fn default() -> Self {
        Self { workers: Pool::default(), parts: Vec::new() }
    }
}

/// A copy starts with no memory.
impl<S: Dimension, T: Precision> Clone for Solver<S, T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S: Dimension, T: Precision> Solver<S, T> {
    /// The rows of all pairs of a list that are wanted, in canonical order, into `out`.
    pub fn solve<U: CustomShape<S>>(
        &mut self,
        question: &Question<'_, S, T, U>,
        course: Course<'_>,
        out: &mut Rows<S, T>,
    ) -> Tally {
        let (list, reach, mut inner) = match course {
            Course::Pairs(pairs) => (pairs, 0.0, None),
            Course::Prune { pairs, room, inner } => (pairs, inner_reach(question.margin, room), Some(inner)),
        };
        let stretches = list.len().div_ceil(STRETCH).max(1);
        let all_before = question.before.map_or(0, |before| before.keys.len());
        if stretches == 1 || pool::alone() {
            out.clear();
            let short = inner.map(|inner| {
                inner.clear();
                (reach, inner)
            });
            return self.workers.with(|worker| question.stretch(list, 0..all_before, short, worker, out));
        }
        if self.parts.len() < stretches {
            self.parts.resize_with(stretches, Part::default);
        }
        let (workers, parts) = (&self.workers, &mut self.parts[..stretches]);
        let prune = inner.is_some();
        pool::for_each(parts, |index, part| {
            let (first, next) = (index * STRETCH, list.len().min((index + 1) * STRETCH));
            // The rows before this stretch's first pair belong to those before it.
            let border = |at: usize| question.before.map_or(0, |before| before.before(key(list[at])));
            let start = if index == 0 { 0 } else { border(first) };
            let end = if next == list.len() { all_before } else { border(next) };
            part.rows.clear();
            part.inner.clear();
            let short = prune.then_some((reach, &mut part.inner));
            part.tally =
                workers.with(|worker| question.stretch(&list[first..next], start..end, short, worker, &mut part.rows));
        });
        if let Some(inner) = &mut inner {
            inner.clear();
            make_room(inner, parts.iter().map(|part| part.inner.len()).sum());
            for part in parts.iter() {
                inner.extend_from_slice(&part.inner);
            }
        }
        let total: usize = parts.iter().map(|part| part.rows.keys.len()).sum();
        // Entries that are there already are written over, not cleared.
        out.make_room(total);
        out.keys.resize(total, 0);
        out.rows.resize(total, Proximity::default());
        join_parts(parts, &mut out.keys, &mut out.rows);
        parts.iter().fold(Tally::default(), |sum, part| Tally {
            solved: sum.solved + part.tally.solved,
            rescued: sum.rescued + part.tally.rescued,
        })
    }
}

/// Adds the pairs for which `wanted` holds, without a branch on it.
#[inline(always)]
fn append_where(pairs: &[[u32; 2]], out: &mut Vec<[u32; 2]>, wanted: impl Fn([u32; 2]) -> bool) {
    let mut count = out.len();
    make_room(out, count + pairs.len());
    out.resize(count + pairs.len(), [0; 2]);
    for &pair in pairs {
        out[count] = pair;
        count += usize::from(wanted(pair));
    }
    out.truncate(count);
}

/// Copies the rows of all parts behind each other.
fn join_parts<S: Dimension, T: Precision>(parts: &[Part<S, T>], keys: &mut [u64], rows: &mut [Proximity<S, T>]) {
    match parts {
        [] => {}
        [part] => {
            keys.copy_from_slice(&part.rows.keys);
            rows.copy_from_slice(&part.rows.rows);
        }
        _ => {
            let (front, back) = parts.split_at(parts.len() / 2);
            let middle = front.iter().map(|part| part.rows.keys.len()).sum();
            let (front_keys, back_keys) = keys.split_at_mut(middle);
            let (front_rows, back_rows) = rows.split_at_mut(middle);
            pool::join(|| join_parts(front, front_keys, front_rows), || join_parts(back, back_keys, back_rows));
        }
    }
}
