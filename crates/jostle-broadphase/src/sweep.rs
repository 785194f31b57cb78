//! The column sweep as its users see it.
//!
//! What measurements taught (ns per body, one thread, AVX-512, uniform boxes in space with six partners each):
//!
//! - Building a region where it is scanned, by the same task, keeps its columns in the cache of one core and costs no
//!   memory of its own: 3 ns a body in space at a million, and a third of the memory.
//! - Work per body or copy is cheap in lanes and expensive in scalars: cells, counts of copies, rows into columns and
//!   back. What remains scalar has no branch that could be mispredicted; rare cases go on a list of their own.
//! - A call inside the loop over the scanned boxes, even a cold one to hand over a full batch, makes the compiler spill
//!   eight registers of 64 bytes for every scanning box. So the loop ends instead, and starts again (13 -> 10).
//! - Copies are listed by cell without a branch, sorted as indices and then gathered: the eight columns of numbers are
//!   written sequentially, and only one cache line per copy is read at random.
//! - NaN boxes behind each column replace a mask for the ends of loops; buckets replace a sort.
//! - A copy costs about as much as 30 tests. With an estimate of 110, columns came out too wide (20 -> 13 for the
//!   scan).
//! - Regions of 16,384 boxes are slower (because of copies at their borders); those of 65,536 are as fast, but too few
//!   to share. Finding a box's region by look-up takes half the time of comparing with the cuts of a k-d tree, level by
//!   level.
//! - Dealing 100,000 boxes out to regions takes 16 to 20 ns a body (AVX2, 512 KiB of second-level cache) and saves 6 in
//!   the columns, so up to 131,072 boxes form one region (58 -> 42). At 250,000 rows are fetched from too far away (+20
//!   to 50).
//! - If a register holds 8 boxes, a scanning box needs two registers, and whether it needs a third cannot be predicted.
//!   One loop over boxes and registers without that branch costs as much as it saves (each box is broadcast anew for
//!   every register), and so does always making 16 tests at once.

use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use jostle_lanes::{Isa, Space};
use jostle_tasks::{self as tasks, Joined};
use thiserror::Error;

use crate::bounds::{Bounds, BoundsError};
use crate::cuts::MOST_IN_ONE_REGION;
use crate::engine::Engine;
use crate::order::PairOrder;

/// How many chunks are scanned before their results are put together, at first and at least. Waves grow while they find
/// little and shrink while they find much, depending only on the content of the chunks, so that a limit is exceeded at
/// the same place for any number of threads.
const FIRST_WAVE: usize = 16;
/// The most chunks of a wave.
const MOST_CHUNKS_PER_WAVE: usize = 512;
/// How many pairs make the next wave smaller.
const MANY_PAIRS: usize = 1 << 22;

/// Finds all pairs of boxes that overlap or touch; owns all buffers and reuses them from call to call.
///
/// ```
/// use jostle_broadphase::{Bounds, ColumnSweep};
/// use jostle_lanes::D2;
///
/// let mut bounds = Bounds::<D2>::new();
/// for i in 0..100 {
///     bounds.push([i as f32, 0.0], [i as f32 + 1.0, 1.0]); // a row of touching squares
/// }
/// let mut sweep = ColumnSweep::new();
/// sweep.build(&bounds)?;
/// assert_eq!(sweep.count(&|_, _| true), 99);
/// assert_eq!(sweep.count(&|a, b| a % 2 == 0 && b == a + 1), 50);
/// # Ok::<(), jostle_broadphase::BoundsError>(())
/// ```
#[derive(Debug)]
pub struct ColumnSweep<S: Space> {
    engine: Engine,
    /// The pairs of chunks scanned in parallel, before they are put together.
    lists: Mutex<Vec<Vec<[u32; 2]>>>,
    space: PhantomData<S>,
}

/// There are more pairs than the caller allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("at least {found} pairs, more than the limit of {limit}")]
pub struct TooManyPairs {
    /// The limit given.
    pub limit: u64,
    /// How many pairs had been found when the search was given up: above the limit, and the same on every machine.
    pub found: u64,
}

impl<S: Space> Default for ColumnSweep<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Nanoseconds per box to build, from which [`tasks::run`] decides whether threads are worth it: the stages are so
/// short that two threads gain nothing with 10,000 boxes, and take twice as long if one of them starts late.
const NANOSECONDS_PER_BOX: u64 = 8;

impl<S: Space> ColumnSweep<S> {
    /// A sweep without boxes.
    pub fn new() -> Self {
        Self { engine: Engine::on(None, MOST_IN_ONE_REGION), lists: Mutex::default(), space: PhantomData }
    }

    /// A sweep that runs one instruction set and deals boxes out to several regions if there are more than
    /// `most_in_one_region`, for tests that compare one with another.
    ///
    /// # Panics
    /// Its methods do if this machine lacks the instruction set.
    #[doc(hidden)]
    pub fn with(isa: Isa, most_in_one_region: usize) -> Self {
        Self { engine: Engine::on(Some(isa), most_in_one_region), lists: Mutex::default(), space: PhantomData }
    }

    /// Makes columns of up to 131,072 boxes, on the current rayon pool. More boxes are dealt out to regions, most of
    /// whose columns are made when they are scanned. What was built before is discarded.
    ///
    /// # Errors
    /// As [`Bounds::validate`]; the sweep is then empty.
    ///
    /// # Panics
    /// If the environment variable `JOSTLE_ISA` asks for an instruction set that is unknown or that this machine lacks.
    /// (With few boxes perhaps not here, but in the first method that compares them.)
    pub fn build(&mut self, bounds: &Bounds<S>) -> Result<(), BoundsError> {
        tasks::run(NANOSECONDS_PER_BOX * bounds.len() as u64, || self.engine.build(bounds.columns()))
    }

    /// The number of chunks: like their content, it depends on the boxes alone.
    ///
    /// A chunk is a number of tests of two boxes: from 65,536 (some thousands of boxes) to about a million if there are
    /// very many; or the tests of a single box, if these are more. Above 131,072 boxes a chunk is the work of a region
    /// of some 30,000 boxes, unless they are so crowded that there are millions of pairs in it.
    pub fn chunk_count(&self) -> usize {
        self.engine.chunk_count()
    }

    /// All pairs `[a, b]`, `a < b`, of one chunk for which `filter(a, b)` holds; `out` is cleared first. Chunks may be
    /// asked for in any order, from several threads at once.
    ///
    /// # Panics
    /// If there is no chunk of that number.
    ///
    /// ```
    /// # use jostle_broadphase::{Bounds, ColumnSweep};
    /// # use jostle_lanes::D2;
    /// let mut bounds = Bounds::<D2>::new();
    /// (0..3000).for_each(|_| bounds.push([0.0; 2], [1.0; 2])); // all in one place: 4.5 million pairs
    /// let mut sweep = ColumnSweep::new();
    /// sweep.build(&bounds)?;
    /// let (mut pairs, mut total) = (Vec::new(), 0);
    /// for chunk in 0..sweep.chunk_count() {
    ///     sweep.chunk_pairs(chunk, &|_, _| true, &mut pairs);
    ///     assert!(pairs.len() <= 1 << 20); // never all at once
    ///     total += pairs.len();
    /// }
    /// assert_eq!(total, 3000 * 2999 / 2);
    /// # Ok::<(), jostle_broadphase::BoundsError>(())
    /// ```
    pub fn chunk_pairs(&self, chunk: usize, filter: &(impl Fn(u32, u32) -> bool + Sync), out: &mut Vec<[u32; 2]>) {
        out.clear();
        self.append(chunk, filter, out);
    }

    /// Calls `visitor` with all pairs `[a, b]`, `a < b`, of one chunk, some thousands at a time, in memory that is in
    /// the cache: for callers that need no list of them. In the order of [`ColumnSweep::chunk_pairs`].
    ///
    /// ```
    /// use jostle_broadphase::{Bounds, ColumnSweep};
    /// use jostle_lanes::D2;
    ///
    /// let mut bounds = Bounds::<D2>::new();
    /// (0..100).for_each(|i| bounds.push([i as f32, 0.0], [i as f32 + 1.0, 1.0])); // a row of touching squares
    /// let mut sweep = ColumnSweep::new();
    /// sweep.build(&bounds)?;
    /// let mut partners = [0; 100];
    /// for chunk in 0..sweep.chunk_count() {
    ///     sweep.visit_chunk(chunk, &mut |pairs| pairs.iter().flatten().for_each(|&i| partners[i as usize] += 1));
    /// }
    /// assert_eq!(partners[..3], [1, 2, 2]);
    /// # Ok::<(), jostle_broadphase::BoundsError>(())
    /// ```
    ///
    /// # Panics
    /// If there is no chunk of that number.
    pub fn visit_chunk(&self, chunk: usize, visitor: &mut impl FnMut(&[[u32; 2]])) {
        self.engine.scan(chunk, visitor);
    }

    fn append(&self, chunk: usize, filter: &(impl Fn(u32, u32) -> bool + Sync), out: &mut Vec<[u32; 2]>) {
        self.engine.scan(chunk, &mut |pairs| {
            // All are appended, then those that are filtered out are removed in place: if none is, nothing is moved.
            let before = out.len();
            out.extend_from_slice(pairs);
            let mut kept = before;
            for k in before..out.len() {
                let pair = out[k];
                out[kept] = pair;
                kept += usize::from(filter(pair[0], pair[1]));
            }
            out.truncate(kept);
        });
    }

    /// All pairs `[a, b]`, `a < b`, for which `filter(a, b)` holds, chunk after chunk: the same list for any number of
    /// threads and any instruction set, though sorted neither by `a` nor by `b`. Without a `limit` there may be any
    /// number of them, also more than fit the memory.
    ///
    /// # Errors
    /// If there are more than `limit`.
    pub fn pairs(
        &self,
        filter: &(impl Fn(u32, u32) -> bool + Sync),
        limit: Option<u64>,
    ) -> Result<Vec<[u32; 2]>, TooManyPairs> {
        let mut out = Vec::new();
        self.pairs_into(filter, limit, &mut out)?;
        Ok(out)
    }

    /// As [`ColumnSweep::pairs`], into a list that is cleared first and whose memory is reused.
    ///
    /// # Errors
    /// If there are more than `limit`; `out` is then empty.
    pub fn pairs_into(
        &self,
        filter: &(impl Fn(u32, u32) -> bool + Sync),
        limit: Option<u64>,
        out: &mut Vec<[u32; 2]>,
    ) -> Result<(), TooManyPairs> {
        let limit = limit.unwrap_or(u64::MAX);
        // Chunk after chunk, so that one thread need not list the rest of a wave, and others find as many.
        let add = |before: usize, more: usize| {
            let found = (before + more) as u64;
            if found > limit { Err(TooManyPairs { limit, found }) } else { Ok(before + more) }
        };
        let chunks = self.chunk_count();
        let parallel = !tasks::alone();
        // Taken out, not kept locked: this thread may begin another task while it waits.
        let mut lists = core::mem::take(&mut *self.lists.lock().unwrap_or_else(PoisonError::into_inner));
        // What `out` holds from before is overwritten, not zeroed first.
        let (mut first, mut wave, mut filled, mut sound) = (0, FIRST_WAVE, 0, Ok(()));
        while first < chunks && sound.is_ok() {
            let (before, count) = (filled, wave.min(chunks - first));
            if parallel && count > 1 {
                if lists.len() < count {
                    lists.resize_with(count, Vec::new);
                }
                let lists = &mut lists[..count];
                tasks::for_each(lists, |k, list| self.chunk_pairs(first + k, filter, list));
                match lists.iter().try_fold(before, |sum, list| add(sum, list.len())) {
                    Ok(found) => {
                        filled = found;
                        out.resize(out.len().max(filled), [0; 2]);
                        // In parallel: pairs take as much memory as the boxes, or more.
                        let joined = Joined::of(lists, &mut out[before..filled]);
                        tasks::each(joined, |_, joined| joined.whole.copy_from_slice(&joined.parts[0]));
                    }
                    Err(refusal) => sound = Err(refusal),
                }
            } else {
                out.truncate(filled);
                sound = (first..first + count).try_for_each(|chunk| {
                    let before = out.len();
                    self.append(chunk, filter, out);
                    add(before, out.len() - before).map(|_| ())
                });
                filled = out.len();
            }
            first += count;
            wave = if filled - before < MANY_PAIRS {
                (2 * wave).min(MOST_CHUNKS_PER_WAVE)
            } else {
                (wave / 2).max(FIRST_WAVE)
            };
        }
        out.truncate(filled);
        // After a refusal, the memory of the lists is not kept.
        if sound.is_err() {
            out.clear();
        } else {
            *self.lists.lock().unwrap_or_else(PoisonError::into_inner) = lists;
        }
        sound
    }

    /// As [`ColumnSweep::pairs`], in canonical order: by `a`, then by `b`.
    ///
    /// # Errors
    /// If there are more than `limit`.
    ///
    /// # Panics
    /// If there are 2^32 pairs or more: a limit below that refuses them instead.
    pub fn sorted_pairs(
        &self,
        filter: &(impl Fn(u32, u32) -> bool + Sync),
        limit: Option<u64>,
    ) -> Result<Vec<[u32; 2]>, TooManyPairs> {
        let mut out = self.pairs(filter, limit)?;
        PairOrder::new().sort(&mut out, self.engine.len());
        Ok(out)
    }

    /// How many pairs there are for which `filter(a, b)`, `a < b`, holds; in parallel, and without holding any.
    pub fn count(&self, filter: &(impl Fn(u32, u32) -> bool + Sync)) -> u64 {
        let count = |chunk| {
            let mut count = 0;
            self.engine.scan(chunk, &mut |pairs| {
                count += pairs.iter().filter(|pair| filter(pair[0], pair[1])).count() as u64;
            });
            count
        };
        tasks::fold(0..self.chunk_count(), |_, chunk| count(chunk.start), |front, back| front + back).unwrap_or(0)
    }
}
