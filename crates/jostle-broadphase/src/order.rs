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
struct Block<const N: usize> {
    entries: Vec<[u32; N]>,
    ends: Vec<u32>,
}

impl<const N: usize> Block<N> {
    fn new(entries: &[[u32; N]], shift: u32, stretches: usize) -> Self {
        let mut ends = vec![0; stretches];
        for entry in entries {
            ends[(entry[0] >> shift) as usize] += 1;
        }
        starts_of(&mut ends);
        let mut sorted = vec![[0; N]; entries.len()];
        for entry in entries {
            let place = &mut ends[(entry[0] >> shift) as usize];
            sorted[*place as usize] = *entry;
            *place += 1;
        }
        Self { entries: sorted, ends }
    }

    fn piece(&self, stretch: usize) -> &[[u32; N]] {
        let first = if stretch == 0 { 0 } else { self.ends[stretch - 1] as usize };
        &self.entries[first..self.ends[stretch] as usize]
    }
}

/// Sums of counts: where each group starts.
fn starts_of(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
}

/// Sorts entries `[a, b, ..]` by `a`, then by `b`, on the current rayon pool; what follows `b` goes along. No two may
/// have the same `a` and `b`, so the result is the same for any number of threads.
///
/// # Panics
/// If an `a` is not below `bodies`.
///
/// ```
/// let mut rows = [[2, 7, 0], [0, 9, 1], [0, 3, 2]]; // pairs, and where each was found
/// jostle_broadphase::sort_by_pair(&mut rows, 10);
/// assert_eq!(rows, [[0, 3, 2], [0, 9, 1], [2, 7, 0]]);
/// ```
pub fn sort_by_pair<const N: usize>(entries: &mut [[u32; N]], bodies: usize) {
    assert!(N >= 2 && entries.iter().all(|entry| (entry[0] as usize) < bodies), "pairs of these bodies");
    if entries.len() < STRETCH {
        entries.sort_unstable();
        return;
    }
    let wanted = (entries.len() / STRETCH).next_power_of_two().min(2048);
    let shift = (bodies.next_power_of_two() / wanted).max(1).trailing_zeros();
    let stretches = ((bodies - 1) >> shift) + 1;
    let blocks: Vec<Block<N>> =
        entries.par_chunks(BLOCK).map(|entries| Block::new(entries, shift, stretches)).collect();
    let mut targets = Vec::with_capacity(stretches);
    let mut rest = entries;
    for stretch in 0..stretches {
        let len = blocks.iter().map(|block| block.piece(stretch).len()).sum();
        let (target, behind) = rest.split_at_mut(len);
        targets.push(target);
        rest = behind;
    }
    targets.into_par_iter().enumerate().for_each(|(stretch, target)| {
        let pieces = || blocks.iter().flat_map(|block| block.piece(stretch));
        let width = 1 << shift;
        if target.len() < width / 4 {
            for (place, entry) in target.iter_mut().zip(pieces()) {
                *place = *entry;
            }
            target.sort_unstable();
            return;
        }
        let low = width as u32 - 1;
        let mut ends = vec![0; width];
        for entry in pieces() {
            ends[(entry[0] & low) as usize] += 1;
        }
        starts_of(&mut ends);
        for entry in pieces() {
            let place = &mut ends[(entry[0] & low) as usize];
            target[*place as usize] = *entry;
            *place += 1;
        }
        let mut first = 0;
        for &end in &ends {
            target[first..end as usize].sort_unstable();
            first = end as usize;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::sort_by_pair;

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
        for (bodies, step, from) in scenes {
            let mut pairs: Vec<[u32; 2]> = (from as u32..bodies)
                .rev()
                .flat_map(|b| (from as u32..b).step_by(step).map(move |a| [a, b]))
                .take(200_000)
                .collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            sort_by_pair(&mut pairs, bodies as usize);
            assert!(pairs == expected, "{bodies} bodies, every {step}th");
        }
    }
}
