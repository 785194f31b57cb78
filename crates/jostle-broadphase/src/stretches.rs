//! How the scan of a region is cut into stretches for many tasks: by the number of tests, hence by the boxes alone.

use crate::copies::cell_in;
use crate::region::{Among, Region, Stretch, Threads};
use crate::sample::pick;
use crate::scan::last_column;

/// The fewest and the most tests per stretch, if there are enough tests for several stretches and no single box needs
/// more.
const FEWEST_TESTS: u64 = 1 << 16;
const MOST_TESTS: u64 = 1 << 20;
/// Between these limits, the number of stretches.
const STRETCHES: u64 = 32;
/// This many successive copies in a column are assumed to need as many tests as the first of them, unless the column
/// has so many copies that this might be far too few.
const COPIES_ALIKE: u32 = 16;
const MANY_COPIES: u32 = FEWEST_TESTS as u32 / COPIES_ALIKE;

/// How many copies are sampled to estimate the number of tests.
const SAMPLED_COPIES: usize = 64;

const KINDS: [Among; 3] = [Among::Copies, Among::LargeAndCopies, Among::Large];

impl Region {
    /// The approximate number of tests per copy, from a sample that is always the same.
    pub fn tests(&self) -> f64 {
        let [x, ..] = self.grid.order;
        let (stride, end) = (self.grid.cells[x] as usize + 1, self.starts[self.starts.len() - 1]);
        let count = SAMPLED_COPIES.min(end as usize / 64);
        let tests = |k| {
            let copy = pick(k, count, end as usize);
            let column = &self.starts[last_column(&self.starts, stride, copy as u32) * stride..][..stride];
            // Pads need no tests.
            column[cell_in(self.copies.ends[copy]) + 1].saturating_sub(copy as u32)
        };
        (0..count).map(|k| f64::from(tests(k))).sum::<f64>() / count.max(1) as f64
    }

    /// Cuts the scan into stretches: as few as possible for one thread, of about equal work for all threads.
    pub fn divide(&mut self, threads: Threads) {
        let mut most = u64::MAX;
        if threads == Threads::All {
            let mut all = 0;
            for among in KINDS {
                self.weigh(among, |_, tests| all += tests);
            }
            let pieces = (all / (all / STRETCHES).clamp(FEWEST_TESTS, MOST_TESTS)).max(1);
            most = all.div_ceil(pieces);
        }
        let mut stretches = core::mem::take(&mut self.stretches);
        stretches.clear();
        for among in KINDS {
            let (mut first, mut sum) = (0, 0);
            if threads == Threads::All {
                self.weigh(among, |index, tests| {
                    if sum + tests > most && index > first {
                        stretches.push(Stretch { among, first, next: index });
                        (first, sum) = (index, 0);
                    }
                    sum += tests;
                });
            }
            let next =
                if among == Among::Copies { self.starts[self.starts.len() - 1] } else { self.spans.len() as u32 };
            if next > first {
                stretches.push(Stretch { among, first, next });
            }
        }
        self.stretches = stretches;
    }

    /// Calls `tell` with each scanning box, or the first of several, and the number of tests needed.
    fn weigh(&self, among: Among, mut tell: impl FnMut(u32, u64)) {
        let Region { grid, copies, starts, spans, .. } = self;
        let [x, y, z] = grid.order;
        let stride = grid.cells[x] as usize + 1;
        match among {
            Among::Copies => {
                for column in starts.chunks_exact(stride) {
                    let (first, end) = (column[0], column[stride - 1]);
                    let alike = if end - first > MANY_COPIES { 1 } else { COPIES_ALIKE };
                    for k in (first..end).step_by(alike as usize) {
                        let tests = column[cell_in(copies.ends[k as usize]) + 1] - k;
                        tell(k, u64::from(tests) * u64::from(alike.min(end - k)));
                    }
                }
            }
            Among::LargeAndCopies => {
                for (k, [low, high]) in (0..).zip(spans) {
                    let mut tests = 1;
                    for i in low[y]..=high[y] {
                        for j in low[z]..=high[z] {
                            let base = ((i * grid.cells[z] + j) as usize) * stride;
                            tests += u64::from(starts[base + high[x] as usize + 1] - starts[base]);
                        }
                    }
                    tell(k, tests);
                }
            }
            Among::Large => (0..spans.len()).for_each(|k| tell(k as u32, (spans.len() - k) as u64)),
        }
    }
}
