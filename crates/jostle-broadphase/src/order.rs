//! The canonical order of pairs: by the lower body, then by the higher.
//!
//! Bodies are small numbers and have few partners each. So pairs are dealt out to stretches of bodies (blocks of them
//! in parallel), then each stretch, which now fits a cache, counts the pairs of each body and sorts its handful of
//! partners (stretches in parallel). Comparison sorts cost several times as much, counting over all bodies at once
//! misses the cache at every pair.

use rayon::prelude::*;

/// Entries dealt out at once.
const BLOCK: usize = 1 << 16;
/// Entries of a stretch, about.
const STRETCH: usize = 1 << 13;

/// A block's entries, sorted by stretch, and where each stretch ends.
#[derive(Clone, Debug, Default)]
struct Block<const N: usize> {
    entries: Vec<[u32; N]>,
    ends: Vec<u32>,
}

impl<const N: usize> Block<N> {
    fn deal(&mut self, entries: &[[u32; N]], shift: u32, stretches: usize) {
        let Self { entries: dealt, ends } = self;
        count(ends, stretches, entries.iter().map(|entry| entry[0] >> shift));
        dealt.resize(entries.len(), [0; N]);
        for entry in entries {
            let place = &mut ends[(entry[0] >> shift) as usize];
            dealt[*place as usize] = *entry;
            *place += 1;
        }
    }

    fn start(&self, stretch: usize) -> usize {
        if stretch == 0 { 0 } else { self.ends[stretch - 1] as usize }
    }

    fn piece(&self, stretch: usize) -> &[[u32; N]] {
        &self.entries[self.start(stretch)..self.start(stretch + 1)]
    }
}

/// Counts members of groups; then where each group starts.
fn count(counts: &mut Vec<u32>, groups: usize, members: impl Iterator<Item = u32>) {
    counts.clear();
    counts.resize(groups, 0);
    members.for_each(|group| counts[group as usize] += 1);
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
}

/// Sorts entries `[a, b, ..]` by `a`, then by `b`; what follows `b` goes along. Keeps its memory, about as much as the
/// longest list so far.
///
/// ```
/// use jostle_broadphase::PairOrder;
///
/// let mut rows = [[2, 7, 0], [0, 9, 1], [0, 3, 2]]; // pairs, and where each was found
/// PairOrder::new().sort(&mut rows, 10);
/// assert_eq!(rows, [[0, 3, 2], [0, 9, 1], [2, 7, 0]]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairOrder<const N: usize> {
    blocks: Vec<Block<N>>,
    /// Of each stretch, where the entries of its bodies start.
    starts: Vec<Vec<u32>>,
}

impl<const N: usize> PairOrder<N> {
    /// One that has no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts, on the current rayon pool. No two entries may have the same `a` and `b`, so the result is the same for any
    /// number of threads.
    ///
    /// # Panics
    /// If an `a` is not below `bodies`, or entries are shorter than a pair.
    pub fn sort(&mut self, entries: &mut [[u32; N]], bodies: usize) {
        assert!(N >= 2 && entries.iter().all(|entry| (entry[0] as usize) < bodies), "pairs of these bodies");
        if entries.len() < STRETCH {
            entries.sort_unstable();
            return;
        }
        let wanted = (entries.len() / STRETCH).next_power_of_two().min(2048);
        let shift = (bodies.next_power_of_two() / wanted).max(1).trailing_zeros();
        let stretches = ((bodies - 1) >> shift) + 1;
        let Self { blocks, starts } = self;
        let count = entries.len().div_ceil(BLOCK);
        if blocks.len() < count {
            blocks.resize_with(count, Block::default);
        }
        if starts.len() < stretches {
            starts.resize_with(stretches, Vec::new);
        }
        let blocks = &mut blocks[..count];
        blocks.par_iter_mut().zip(entries.par_chunks(BLOCK)).for_each(|(block, entries)| {
            block.deal(entries, shift, stretches);
        });
        Stretches { blocks, shift }.sort(0, &mut starts[..stretches], entries);
    }
}

/// All that was dealt.
#[derive(Clone, Copy)]
struct Stretches<'b, const N: usize> {
    blocks: &'b [Block<N>],
    shift: u32,
}

impl<const N: usize> Stretches<'_, N> {
    /// Sorts the stretches from `first` on, as many as there are `starts`, into `target`.
    fn sort(self, first: usize, starts: &mut [Vec<u32>], target: &mut [[u32; N]]) {
        if let [starts] = starts {
            self.sort_one(first, starts, target);
            return;
        }
        let half = starts.len() / 2;
        let middle = first + half;
        let len = self.blocks.iter().map(|block| block.start(middle) - block.start(first)).sum();
        let (low_starts, high_starts) = starts.split_at_mut(half);
        let (low, high) = target.split_at_mut(len);
        rayon::join(|| self.sort(first, low_starts, low), || self.sort(middle, high_starts, high));
    }

    fn sort_one(self, stretch: usize, starts: &mut Vec<u32>, target: &mut [[u32; N]]) {
        let pieces = || self.blocks.iter().flat_map(|block| block.piece(stretch));
        let width = 1 << self.shift;
        if target.len() < width / 4 {
            for (place, entry) in target.iter_mut().zip(pieces()) {
                *place = *entry;
            }
            target.sort_unstable();
            return;
        }
        let low = width as u32 - 1;
        count(starts, width, pieces().map(|entry| entry[0] & low));
        for entry in pieces() {
            let place = &mut starts[(entry[0] & low) as usize];
            target[*place as usize] = *entry;
            *place += 1;
        }
        let mut first = 0;
        for &end in &*starts {
            // All of one body: to compare that as well takes up to a half longer.
            target[first..end as usize].sort_unstable_by_key(|entry| entry[1]);
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
            order.sort(&mut pairs, bodies as usize);
            assert!(pairs == expected, "{bodies} bodies, every {step}th");
        }
    }
}
