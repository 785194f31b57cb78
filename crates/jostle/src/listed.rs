//! Candidate pairs that are listed first and put in order: then rows come in order, and are written once.
//!
//! Most candidates are ruled out where they are found, by balls, while their bodies are at hand (`jostle_narrowphase`'s
//! `Balls`). What is left takes eight bytes a pair (20 with an image), a tenth of a row: to sort that, and to meet
//! bodies in the order of their numbers, takes half of what it takes to bring rows of a hundred bytes from all over the
//! memory into order, which was a third of a query about balls.
//!
//! Where many are left, as of long thin bodies or where all are at one point, they are not listed: then they are solved
//! where they are found, and rows are put in order ([`crate::order`]).
//!
//! With more than one thread rows are found in shares and copied, as nobody knows where a share begins before those
//! ahead of it are done: there all this saves is memory.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use jostle_broadphase::{PairOrder, Paired};
use jostle_narrowphase::{CHUNK, SPAN};
use jostle_tasks as tasks;
use rayon::prelude::*;

use crate::chunks::{Candidates, Chunks};
use crate::order::Lines;

/// So many pairs are listed, at most, for each body or in all, whichever is more: the memory of three rows a body.
const MOST_EACH: u64 = 32;
const MOST_OF_FEW: u64 = 1 << 20;

/// Of more hulls than so many none is at hand when it is met: it is better met with all its partners at once, where it
/// was found. (Of 20,000 hulls of 24 points, no two alike, a query takes 5 to 10 % longer in order.)
const MOST_HULLS: usize = 2048;

/// How many pairs of so many bodies are listed, at most, if so many of their shapes are hulls of space.
pub fn most_of(bodies: usize, hulls: usize) -> u64 {
    // No list is longer than places can be counted.
    let most = (MOST_EACH * bodies as u64).clamp(MOST_OF_FEW, u64::from(u32::MAX));
    if hulls > MOST_HULLS { 0 } else { most }
}

/// Pairs in order. Keeps its memory.
#[derive(Debug)]
pub struct Listed<E> {
    /// As they were found.
    lists: Vec<Vec<E>>,
    pairs: Vec<E>,
    order: PairOrder<E>,
}

impl<E> Default for Listed<E> {
    fn default() -> Self {
        Self { lists: Vec::new(), pairs: Vec::new(), order: PairOrder::default() }
    }
}

impl<E: Paired> Listed<E> {
    /// Finds all candidates that `sieve` puts into a list, at most so many; false if there are more.
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
        chunks.each_piece(SPAN, &mut self.lists[..count], |list, pairs| {
            let before = list.len();
            sieve(pairs, list);
            let more = (list.len() - before) as u64;
            total.fetch_add(more, Ordering::Relaxed) + more <= most
        });
        total.into_inner() <= most
    }

    /// Those that were found, ordered by their pairs; in what order those of the same pair come is not said. Bodies'
    /// numbers are below `bodies`.
    pub fn in_order(&mut self, bodies: usize) -> &mut [E] {
        let Self { lists, pairs, order } = self;
        order.collect(lists, bodies, pairs);
        pairs
    }
}

/// Memory for the rows of pairs, while they are found in order.
#[derive(Debug)]
pub struct Written<R> {
    /// Of pairs that are more than rows there may be: it may turn out that nobody wants them.
    spare: Vec<R>,
    /// Those of each thread's share.
    parts: Vec<Vec<R>>,
    lines: Lines,
}

impl<R> Default for Written<R> {
    fn default() -> Self {
        Self { spare: Vec::new(), parts: Vec::new(), lines: Lines::default() }
    }
}

impl<R: Copy + Default + Send + Sync> Written<R> {
    /// Lets `solve` put the rows of some pairs behind those that are there, and all of them, at most `limit`, in place
    /// of those that are in `rows`. `solve` says whether there may be more (false: then `rows` stay as they are).
    ///
    /// # Errors
    /// If there is no memory for so many rows: then there are none, or some.
    pub fn fill<E: Sync>(
        &mut self,
        pairs: &[E],
        limit: u64,
        solve: impl Fn(&[E], &mut Vec<R>) -> bool + Sync,
        rows: &mut Vec<R>,
    ) -> Result<(), TryReserveError> {
        let Self { spare, parts, lines } = self;
        if tasks::alone() || pairs.len() <= CHUNK {
            let may_be_refused = pairs.len() as u64 > limit;
            let target = if may_be_refused { &mut *spare } else { &mut *rows };
            if fill_alone(pairs, limit, solve, target)? && may_be_refused {
                core::mem::swap(spare, rows);
            }
            return Ok(());
        }
        let count = tasks::enough();
        if parts.len() < count {
            parts.resize_with(count, Vec::new);
        }
        parts.iter_mut().for_each(Vec::clear);
        let (full, failure) = (AtomicBool::new(false), Mutex::new(None));
        tasks::share(pairs, CHUNK, &mut parts[..count], |pairs, part| {
            let solve = |pairs: &[E], rows: &mut Vec<R>| !full.load(Ordering::Relaxed) && solve(pairs, rows);
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
        let total = parts.iter().map(Vec::len).sum::<usize>();
        rows.try_reserve_exact(total.saturating_sub(rows.len()))?;
        let row = |line: usize| {
            let (part, at) = lines.find(line as u32);
            parts[part][at]
        };
        // New memory is touched by all threads, and not cleared first.
        (0..total).into_par_iter().map(row).collect_into_vec(rows);
        Ok(())
    }
}

/// Lets `solve` put the rows of all pairs into `rows`, one piece after the other; false if it has seen enough.
fn fill_alone<E, R>(
    pairs: &[E],
    limit: u64,
    solve: impl Fn(&[E], &mut Vec<R>) -> bool,
    rows: &mut Vec<R>,
) -> Result<bool, TryReserveError> {
    rows.clear();
    for (number, piece) in pairs.chunks(SPAN).enumerate() {
        let (done, found) = (number * SPAN, rows.len());
        if rows.capacity() - found < piece.len() {
            // As many as there are to come if those to come are as those so far: to grow step by step is to copy all.
            let more = if done == 0 { 0 } else { (pairs.len() - done) as u64 * found as u64 / done as u64 };
            // No more than anybody wants; and if there is no memory for so many, there may be for the next ones.
            let more = (more + more / 8).min(limit.saturating_sub(found as u64)) as usize;
            rows.try_reserve_exact(more + piece.len()).or_else(|_| rows.try_reserve(piece.len()))?;
        }
        if !solve(piece, rows) {
            return Ok(false);
        }
    }
    Ok(true)
}
