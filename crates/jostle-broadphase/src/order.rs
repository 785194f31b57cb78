//! The canonical order of pairs: by the lower body, then by the higher.
//!
//! Bodies are small numbers and have few partners each. So pairs are dealt out to stretches of bodies (their lists in
//! parallel). Then each stretch, which now fits a cache, counts the pairs of each body and sorts its few partners
//! (stretches in parallel). Comparison sorts cost several times as much; counting over all bodies at once misses the
//! cache at every pair. Partners are sorted without a branch ([`crate::network`]): the mispredictions of an insertion
//! sort were half of the whole time.

use core::ops::Range;

use jostle_lanes::prefetch_at;
use jostle_tasks::{self as tasks, Few};

use crate::network::sort_run;
use crate::paired::{Paired, key};

/// Nanoseconds per entry to sort, from which [`tasks::run`] decides whether threads are worth it.
const NANOSECONDS_PER_ENTRY: u64 = 5;

/// Entries per block, unless the caller brings lists.
const ENTRIES_PER_BLOCK: usize = 1 << 16;
/// About how many entries a stretch has.
const ENTRIES_PER_STRETCH: usize = 1 << 13;
/// The most stretches: dealing writes to all of them by turns, so one cache line of each has to stay in the cache.
const MOST_STRETCHES: usize = 2048;
/// How many entries ahead of the one that is written memory is prefetched.
const ENTRIES_AHEAD: usize = 16;
/// Fewer entries than this are sorted by comparison.
const FEWEST_TO_DEAL: usize = 256;

/// A list's entries, sorted by stretch, and where each stretch ends.
#[derive(Clone, Debug)]
struct EntryBlock<E> {
    entries: Vec<E>,
    ends: Vec<u32>,
}

impl<E> Default for EntryBlock<E> {
    fn default() -> Self {
        Self { entries: Vec::new(), ends: Vec::new() }
    }
}

impl<E: Paired> EntryBlock<E> {
    /// Takes these entries in, sorted by stretch.
    ///
    /// # Panics
    /// If an `a` is not below the number of bodies.
    fn deal(
        &mut self,
        entries: impl Iterator<Item = E> + Clone,
        StretchGrid { bodies, shift, stretches }: StretchGrid,
    ) {
        check(entries.clone(), bodies);
        let Self { entries: dealt, ends } = self;
        let len = count(ends, stretches, entries.clone().map(|entry| entry.pair()[0] >> shift));
        resize_to_overwrite(dealt, len, entries.clone().next());
        for entry in entries {
            let place = &mut ends[(entry.pair()[0] >> shift) as usize];
            // The hardware prefetcher cannot follow so many write positions (11.7 -> 8.4 ns for each of 570,000 pairs).
            prefetch_at(dealt, *place as usize + ENTRIES_AHEAD);
            dealt[*place as usize] = entry;
            *place += 1;
        }
    }

    fn start(&self, stretch: usize) -> usize {
        if stretch == 0 { 0 } else { self.ends[stretch - 1] as usize }
    }

    fn piece(&self, stretch: usize) -> &[E] {
        &self.entries[self.start(stretch)..self.start(stretch + 1)]
    }
}

/// Makes `counts` where each group starts when `members` are sorted by group; returns how many members there are.
fn count(counts: &mut Vec<u32>, groups: usize, members: impl Iterator<Item = u32>) -> usize {
    counts.clear();
    counts.resize(groups, 0);
    members.for_each(|group| counts[group as usize] += 1);
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
    sum as usize
}

/// Sets the length of a list that will be overwritten, filling it with `any` entry (without one it is cleared);
/// allocates a quarter more when it has to grow.
fn resize_to_overwrite<E: Copy>(list: &mut Vec<E>, len: usize, any: Option<E>) {
    let Some(any) = any else {
        list.clear();
        return;
    };
    if list.capacity() < len {
        list.reserve_exact(len + len / 4 - list.len());
    }
    list.resize(len, any);
}

/// Sorts entries by their pair: by `a`, then by `b`. Keeps its memory, about as much as the longest list so far.
///
/// ```
/// use jostle_broadphase::PairOrder;
///
/// let mut rows = [[2, 7, 0], [0, 9, 1], [0, 3, 2]]; // pairs, and where each was found
/// PairOrder::new().sort(&mut rows, 10);
/// assert_eq!(rows, [[0, 3, 2], [0, 9, 1], [2, 7, 0]]);
/// ```
#[derive(Clone, Debug)]
pub struct PairOrder<E> {
    blocks: Vec<EntryBlock<E>>,
    /// For each task: where each body's entries start within a stretch.
    starts: Vec<Vec<u32>>,
}

impl<E> Default for PairOrder<E> {
    fn default() -> Self {
        Self { blocks: Vec::new(), starts: Vec::new() }
    }
}

impl<E: Paired> PairOrder<E> {
    /// Allocates nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts, on the current rayon pool. The result is the same for any number of threads; the order of entries of the
    /// same pair is unspecified.
    ///
    /// # Panics
    /// If an `a` is not below `bodies`, or there are 2³² entries or more.
    pub fn sort(&mut self, entries: &mut [E], bodies: usize) {
        if entries.len() < FEWEST_TO_DEAL {
            check(entries.iter().copied(), bodies);
            entries.sort_unstable_by_key(key);
            return;
        }
        let (grid, count) = (StretchGrid::new(entries.len(), bodies), entries.len().div_ceil(ENTRIES_PER_BLOCK));
        tasks::run(NANOSECONDS_PER_ENTRY * entries.len() as u64, || {
            let pieces = (self.blocks(count), Few::of(&*entries, ENTRIES_PER_BLOCK));
            tasks::each(pieces, |_, (block, entries)| block[0].deal(entries.list.iter().copied(), grid));
            self.gather(count, grid, entries);
        });
    }

    /// Replaces the contents of `out` by the entries of all `lists`, sorted.
    ///
    /// ```
    /// use jostle_broadphase::PairOrder;
    ///
    /// let (found, mut out) = ([vec![[2, 7], [0, 9]], vec![[0, 3]]], Vec::new());
    /// PairOrder::new().collect(&found, 10, &mut out);
    /// assert_eq!(out, [[0, 3], [0, 9], [2, 7]]);
    /// ```
    ///
    /// # Panics
    /// As [`PairOrder::sort`].
    pub fn collect(&mut self, lists: &[Vec<E>], bodies: usize, out: &mut Vec<E>) {
        self.collect_from(lists.len(), |list| lists[list].iter().copied(), bodies, out);
    }

    /// As [`PairOrder::collect`], of lists that need not lie in memory: `list(i)` iterates over the entries of the
    /// `i`th, the same ones each time; it is called from several threads at once.
    ///
    /// ```
    /// use jostle_broadphase::PairOrder;
    ///
    /// // Which list is each pair from?
    /// let (found, mut out) = ([vec![[2, 7], [0, 9]], vec![[0, 3]]], Vec::new());
    /// let list = |i: usize| found[i].iter().map(move |&[a, b]| [a, b, i as u32]);
    /// PairOrder::new().collect_from(2, list, 10, &mut out);
    /// assert_eq!(out, [[0, 3, 1], [0, 9, 0], [2, 7, 0]]);
    /// ```
    ///
    /// # Panics
    /// As [`PairOrder::sort`].
    pub fn collect_from<I: ExactSizeIterator<Item = E> + Clone>(
        &mut self,
        lists: usize,
        list: impl Fn(usize) -> I + Sync,
        bodies: usize,
        out: &mut Vec<E>,
    ) {
        let total = (0..lists).map(|i| list(i).len()).sum();
        let Some(any) = (0..lists).find_map(|i| list(i).next()) else {
            out.clear();
            return;
        };
        if total < FEWEST_TO_DEAL {
            out.clear();
            out.extend((0..lists).flat_map(list));
            self.sort(out, bodies);
            return;
        }
        out.resize(total, any);
        let grid = StretchGrid::new(total, bodies);
        tasks::run(NANOSECONDS_PER_ENTRY * total as u64, || {
            tasks::for_each(self.blocks(lists), |i, block| block.deal(list(i), grid));
            self.gather(lists, grid, out);
        });
    }

    /// The first `count` blocks, to deal to.
    fn blocks(&mut self, count: usize) -> &mut [EntryBlock<E>] {
        if self.blocks.len() < count {
            self.blocks.resize_with(count, EntryBlock::default);
        }
        &mut self.blocks[..count]
    }

    /// Sorts what has been dealt to the first `blocks` blocks into `target`.
    fn gather(&mut self, blocks: usize, grid: StretchGrid, target: &mut [E]) {
        let Self { blocks: all, starts } = self;
        // Enough tasks to keep all threads busy to the end.
        let tasks = if tasks::alone() { 1 } else { tasks::enough().min(grid.stretches) };
        if starts.len() < tasks {
            starts.resize_with(tasks, Vec::new);
        }
        let dealt = Dealt { blocks: &all[..blocks], shift: grid.shift };
        dealt.sort(0..grid.stretches, &mut starts[..tasks], target);
    }
}

/// Looks at every `a` before one is used as a place: the panic is then about bodies.
///
/// # Panics
/// If an `a` is not below `bodies`.
fn check<E: Paired>(entries: impl Iterator<Item = E>, bodies: usize) {
    if let Some(most) = entries.map(|entry| entry.pair()[0]).max() {
        assert!((most as usize) < bodies, "a pair names body {most}, but there are only {bodies} bodies");
    }
}

/// How bodies are divided into stretches: by the high bits of the pair's lower body.
#[derive(Clone, Copy)]
struct StretchGrid {
    bodies: usize,
    shift: u32,
    stretches: usize,
}

impl StretchGrid {
    /// # Panics
    /// If there are more entries than can be counted.
    fn new(entries: usize, bodies: usize) -> Self {
        assert!(u32::try_from(entries).is_ok(), "fewer than 2^32 entries");
        let wanted = (entries / ENTRIES_PER_STRETCH).next_power_of_two().min(MOST_STRETCHES);
        let shift = (bodies.next_power_of_two() / wanted).max(1).trailing_zeros();
        Self { bodies, shift, stretches: ((bodies.max(1) - 1) >> shift) + 1 }
    }
}

/// What was dealt to all blocks.
#[derive(Clone, Copy)]
struct Dealt<'b, E> {
    blocks: &'b [EntryBlock<E>],
    shift: u32,
}

impl<E: Paired> Dealt<'_, E> {
    /// Sorts these stretches into `target`, in as many tasks as there are `starts`.
    fn sort(self, stretches: Range<usize>, starts: &mut [Vec<u32>], target: &mut [E]) {
        if let [starts] = starts {
            let mut rest = target;
            for stretch in stretches {
                let (target, later) = rest.split_at_mut(self.len(stretch..stretch + 1));
                self.sort_one(stretch, starts, target);
                rest = later;
            }
            return;
        }
        let half = starts.len() / 2;
        let middle = stretches.start + stretches.len() * half / starts.len();
        let (low_starts, high_starts) = starts.split_at_mut(half);
        let (low, high) = target.split_at_mut(self.len(stretches.start..middle));
        tasks::join(
            || self.sort(stretches.start..middle, low_starts, low),
            || self.sort(middle..stretches.end, high_starts, high),
        );
    }

    /// The number of entries in these stretches.
    fn len(self, stretches: Range<usize>) -> usize {
        self.blocks.iter().map(|block| block.start(stretches.end) - block.start(stretches.start)).sum()
    }

    fn sort_one(self, stretch: usize, starts: &mut Vec<u32>, target: &mut [E]) {
        let pieces = || self.blocks.iter().map(|block| block.piece(stretch));
        let width = 1 << self.shift;
        if target.len() < width / 4 {
            let mut rest = &mut *target;
            for piece in pieces() {
                let (place, later) = rest.split_at_mut(piece.len());
                place.copy_from_slice(piece);
                rest = later;
            }
            target.sort_unstable_by_key(key);
            return;
        }
        let low = width as u32 - 1;
        let of_stretch = pieces().flatten().enumerate();
        count(
            starts,
            width,
            of_stretch.map(|(at, entry)| {
                prefetch_at(target, at);
                entry.pair()[0] & low
            }),
        );
        for piece in pieces() {
            for entry in piece {
                let place = &mut starts[(entry.pair()[0] & low) as usize];
                target[*place as usize] = *entry;
                *place += 1;
            }
        }
        // Each start has become an end.
        let mut first = 0;
        for &end in &*starts {
            sort_run(target, first..end as usize);
            first = end as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairOrder;

    #[test]
    fn many_and_few_pairs_are_sorted() {
        let scenes: [(u32, usize, usize); 7] = [
            (300, 1, 0),
            (300, 7, 0),
            (300, 299, 0),
            (5, 1, 0),
            (100_000, 99_991, 0),
            (3000, 3, 0),
            (9_000_000, 1, 8_999_500),
        ];
        let mut order = PairOrder::new();
        for (bodies, step, from) in scenes {
            let mut pairs: Vec<[u32; 2]> = (from as u32..bodies)
                .rev()
                .flat_map(|b| (from as u32..b).step_by(step).map(move |a| [a, b]))
                .take(200_000)
                .collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            // The same from lists of all lengths, empty ones included.
            let (mut lists, mut rest) = (Vec::new(), &pairs[..]);
            for number in 0.. {
                let (list, later) = rest.split_at(rest.len().min(number * number * 37 % 5000));
                lists.push(list.to_vec());
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            let mut collected = vec![[7; 2]; 3];
            order.collect(&lists, bodies as usize, &mut collected);
            assert!(collected == expected, "{bodies} bodies, every {step}th, from {} lists", lists.len());
            order.sort(&mut pairs, bodies as usize);
            assert!(pairs == expected, "{bodies} bodies, every {step}th");
        }
    }

    #[test]
    #[should_panic(expected = "a pair names body 7, but there are only 7 bodies")]
    fn a_body_that_is_none_is_refused() {
        PairOrder::new().sort(&mut [[7, 8]; 300], 7);
    }
}
