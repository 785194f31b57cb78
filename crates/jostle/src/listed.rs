//! Candidate pairs that are listed first and put in order, so that their rows come in order and are written once.
//!
//! Most candidates are ruled out where they are found, by bounding balls, while their bodies are in the cache
//! (`jostle_narrowphase`'s `Balls`). What is left takes eight bytes a pair (twelve in periodic space), a tenth of a
//! row: to sort that, and to meet bodies in the order of their numbers, takes half of what it takes to bring rows of a
//! hundred bytes from all over the memory into order, which was a third of a query about balls.
//!
//! Where many candidates are left, as of long thin bodies or where all bodies are at one point, they are not listed:
//! they are solved where they are found, and their rows are put in order ([`crate::order`]).
//!
//! With more than one thread, rows of balls are written where they stay, in shares, as every pair that is left has a
//! row. The shares of other rows are copied, as it is not known where one begins before those ahead of it are done:
//! there all this saves is memory.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use jostle_broadphase::{PairOrder, Paired};
use jostle_narrowphase::{PAIRS_PER_BATCH, PAIRS_PER_RESCUE};
use jostle_tasks::{self as tasks, Few, Joined, Length};
use rayon::prelude::*;

use crate::chunks::{Candidates, Chunks};
use crate::order::Lines;
use crate::rows::RowBuffer;

/// At most this many pairs are listed, for each body or in all, whichever is more: the memory of three rows a body.
const MOST_EACH: u64 = 32;
const MOST_OF_FEW: u64 = 1 << 20;

/// Where there are more hulls than this, none is in the cache when it is met: it is better met with all its partners at
/// once, where these were found. (Of 20,000 hulls of 24 points, no two alike, a query takes 5 to 10 % longer in order.)
const MOST_HULLS: usize = 2048;

/// The most pairs that are listed for this many bodies, if `hulls` of their shapes are hulls of space.
pub fn most_of(bodies: usize, hulls: usize) -> u64 {
    // A list cannot be longer than its places can be counted in 32 bits.
    let most = (MOST_EACH * bodies as u64).clamp(MOST_OF_FEW, u64::from(u32::MAX));
    if hulls > MOST_HULLS { 0 } else { most }
}

/// Pairs in order. Keeps its memory.
#[derive(Debug)]
pub struct OrderedPairs<E> {
    /// As they were found.
    lists: Vec<Vec<E>>,
    pairs: Vec<E>,
    order: PairOrder<E>,
}

impl<E> Default for OrderedPairs<E> {
    fn default() -> Self {
        Self { lists: Vec::new(), pairs: Vec::new(), order: PairOrder::default() }
    }
}

impl<E: Paired> OrderedPairs<E> {
    /// Finds all candidates that `sieve` puts into a list; false if there are more than `most`.
    pub fn find<C: Candidates>(
        &mut self,
        chunks: &Chunks<'_, C>,
        most: u64,
        sieve: impl Fn(&[C::Pair], &mut Vec<E>) + Sync,
    ) -> bool {
        let (count, total) = (chunks.targets(), AtomicU64::new(0));
        self.lists.iter_mut().for_each(Vec::clear);
        if self.lists.len() < count {
            self.lists.resize_with(count, Vec::new);
        }
        chunks.each_piece(PAIRS_PER_RESCUE, &mut self.lists[..count], |list, pairs| {
            let before = list.len();
            sieve(pairs, list);
            let more = (list.len() - before) as u64;
            total.fetch_add(more, Ordering::Relaxed) + more <= most
        });
        total.into_inner() <= most
    }

    /// The entries found, ordered by their pairs; entries of the same pair come in any order. Bodies' indices are below
    /// `bodies`.
    pub fn in_order(&mut self, bodies: usize) -> &mut [E] {
        let Self { lists, pairs, order } = self;
        order.collect(lists, bodies, pairs);
        pairs
    }

    /// The same, in place of what is in `pairs`.
    pub fn put_in_order(&mut self, bodies: usize, pairs: &mut Vec<E>) {
        self.order.collect(&self.lists, bodies, pairs);
    }
}

/// Memory for the rows of ordered pairs while they are solved.
#[derive(Debug)]
pub struct Written<R> {
    /// Memory for rows where there are more pairs than rows are allowed: the result may be refused.
    spare: Vec<R>,
    /// The rows of each thread's share.
    parts: Vec<RowBuffer<R>>,
    lines: Lines,
    /// The shares that are written where they stay.
    shares: Vec<Share<R>>,
}

/// Some of the rows, in room for one row for each pair of the share.
#[derive(Debug)]
struct Share<R> {
    count: usize,
    /// How many places too far back the rows lie: the room that the shares ahead left unused.
    gap: usize,
    /// A copy of the last `gap` rows, which lie where rows of later shares belong.
    last: Vec<R>,
}

impl<R> Default for Share<R> {
    fn default() -> Self {
        Self { count: 0, gap: 0, last: Vec::new() }
    }
}

impl<R> Length for Share<R> {
    fn length(&self) -> usize {
        self.count
    }
}

/// Moves the rows of shares together, each of which has `length` places, and returns how many rows there are.
fn close_gaps<R: Copy + Send + Sync>(rows: &mut [R], length: usize, shares: &mut [Share<R>]) -> usize {
    let mut end = 0;
    for (number, share) in shares.iter_mut().enumerate() {
        share.gap = number * length - end;
        end += share.count;
    }
    if shares.last().is_none_or(|share| share.gap == 0) {
        return end;
    }
    let all = &*rows;
    tasks::for_each(shares, |number, Share { count, gap, last }| {
        let behind = number * length + *count;
        last.clear();
        last.extend_from_slice(&all[behind - (*gap).min(*count)..behind]);
    });
    tasks::each(Joined::of(&*shares, &mut rows[..end]), |_, joined| {
        let (Share { last, .. }, rows) = (&joined.parts[0], joined.whole);
        rows.copy_within(last.len().., 0);
        let moved = rows.len() - last.len();
        rows[moved..].copy_from_slice(last);
    });
    end
}

impl<R> Default for Written<R> {
    fn default() -> Self {
        Self { spare: Vec::new(), parts: Vec::new(), lines: Lines::default(), shares: Vec::new() }
    }
}

impl<R: Copy + Default + Send + Sync> Written<R> {
    /// Lets `solve` write the rows of some pairs into room for one row for each, and replaces `rows` by all of them, at
    /// most `limit`. `solve` returns how many it wrote, or `None` if no more are wanted, which may be only where there
    /// are more pairs than `limit`: `rows` then stay as they are. `all`: nearly every pair is known to have a row.
    ///
    /// # Errors
    /// If there is no memory for so many rows; `rows` is then empty or holds a part of them.
    pub fn fill<E: Sync>(
        &mut self,
        pairs: &[E],
        limit: u64,
        all: bool,
        solve: impl Fn(&[E], &mut [R]) -> Option<usize> + Sync,
        rows: &mut Vec<R>,
    ) -> Result<(), TryReserveError> {
        let may_be_refused = pairs.len() as u64 > limit;
        if tasks::alone() || pairs.len() <= PAIRS_PER_BATCH {
            let target = if may_be_refused { &mut self.spare } else { &mut *rows };
            let mut found = RowBuffer::over(core::mem::take(target));
            let filled = fill_alone(pairs, limit, solve, &mut found);
            let is_done = matches!(filled, Ok(true));
            *target = found.into_vec();
            if is_done && may_be_refused {
                core::mem::swap(&mut self.spare, rows);
            }
            return filled.map(|_| ());
        }
        if all && !may_be_refused {
            self.fill_in_place(pairs, solve, rows)
        } else {
            self.fill_by_parts(pairs, limit, solve, rows)
        }
    }

    /// Each share is written where it stays, provided that all shares ahead of it have a row for every pair.
    fn fill_in_place<E: Sync>(
        &mut self,
        pairs: &[E],
        solve: impl Fn(&[E], &mut [R]) -> Option<usize> + Sync,
        rows: &mut Vec<R>,
    ) -> Result<(), TryReserveError> {
        let Self { shares, .. } = self;
        let short = pairs.len().saturating_sub(rows.len());
        if short > 0 {
            rows.try_reserve_exact(short)?;
            // New memory is first touched by all threads.
            rows.par_extend((0..short).into_par_iter().map(|_| R::default()));
        }
        let length = pairs.len().div_ceil(tasks::enough()).next_multiple_of(PAIRS_PER_BATCH);
        let count = pairs.len().div_ceil(length);
        if shares.len() < count {
            shares.resize_with(count, Share::default);
        }
        let shares = &mut shares[..count];
        let places = (Few::of(&mut rows[..pairs.len()], length), &mut *shares);
        tasks::each((Few::of(pairs, length), places), |_, (pairs, (rows, share))| {
            let count = &mut share[0].count;
            *count = 0;
            for pairs in pairs.list.chunks(PAIRS_PER_RESCUE) {
                *count += solve(pairs, &mut rows.list[*count..*count + pairs.len()]).unwrap_or(0);
            }
        });
        let end = close_gaps(rows, length, shares);
        rows.truncate(end);
        Ok(())
    }

    /// Shares are copied: it is not known where one begins before those ahead of it are done.
    fn fill_by_parts<E: Sync>(
        &mut self,
        pairs: &[E],
        limit: u64,
        solve: impl Fn(&[E], &mut [R]) -> Option<usize> + Sync,
        rows: &mut Vec<R>,
    ) -> Result<(), TryReserveError> {
        let Self { parts, lines, .. } = self;
        let count = tasks::enough();
        if parts.len() < count {
            parts.resize_with(count, RowBuffer::default);
        }
        parts.iter_mut().for_each(RowBuffer::clear);
        let (full, failure) = (AtomicBool::new(false), Mutex::new(None));
        tasks::share(pairs, PAIRS_PER_BATCH, &mut parts[..count], |pairs, part| {
            let solve = |pairs: &[E], rows: &mut [R]| {
                if full.load(Ordering::Relaxed) { None } else { solve(pairs, rows) }
            };
            let filled = fill_alone(pairs, limit, solve, part);
            full.fetch_or(!matches!(filled, Ok(true)), Ordering::Relaxed);
            if let Err(error) = filled {
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if full.into_inner() {
            return Ok(());
        }
        lines.number(parts);
        let total = parts.iter().map(|part| part.len()).sum::<usize>();
        rows.try_reserve_exact(total.saturating_sub(rows.len()))?;
        let row = |line: usize| {
            let (part, at) = lines.find(line as u32);
            parts[part][at]
        };
        // New memory is first touched by all threads, and not cleared before.
        (0..total).into_par_iter().map(row).collect_into_vec(rows);
        Ok(())
    }
}

/// Lets `solve` write the rows of all pairs into `rows`, one piece after the other; false once no more are wanted.
fn fill_alone<E, R: Copy + Default>(
    pairs: &[E],
    limit: u64,
    solve: impl Fn(&[E], &mut [R]) -> Option<usize>,
    rows: &mut RowBuffer<R>,
) -> Result<bool, TryReserveError> {
    for (number, piece) in pairs.chunks(PAIRS_PER_RESCUE).enumerate() {
        let (done, found) = (number * PAIRS_PER_RESCUE, rows.len());
        // Room for as many rows as there will be at the rate so far: to grow step by step would be to copy all of them.
        let more = if done == 0 { 0 } else { (pairs.len() - done) as u64 * found as u64 / done as u64 };
        // No more than the limit; and if there is no memory for so many, there may be for the next piece.
        let more = (more + more / 8).min(limit.saturating_sub(found as u64)) as usize;
        rows.try_reserve(piece.len(), more)?;
        let mut enough = false;
        rows.put(piece.len(), |room| {
            let count = solve(piece, room);
            enough = count.is_none();
            count.unwrap_or(0)
        });
        if enough {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Share, close_gaps};

    #[test]
    fn rows_of_shares_are_brought_together_in_order() {
        let length = 10;
        for counts in [
            vec![],
            vec![10, 10, 3],
            vec![9, 10, 10],
            vec![10, 10, 0],
            vec![0, 0, 4],
            vec![1, 2, 10, 0, 9, 10, 10, 10],
            vec![3, 10, 2, 10],
        ] {
            let mut rows: Vec<usize> = (0..counts.len() * length).collect();
            let expected: Vec<usize> =
                counts.iter().enumerate().flat_map(|(share, &count)| share * length..share * length + count).collect();
            // What shares held before does not matter.
            let share = |&count: &usize| Share { count, gap: 5, last: vec![7; 3] };
            let end = close_gaps(&mut rows, length, &mut counts.iter().map(share).collect::<Vec<_>>());
            assert_eq!(rows[..end], expected, "{counts:?}");
        }
    }
}
