//! Rows into their canonical order: by `a`, then by `b`.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use rayon::prelude::*;

/// Sorts rows, and keeps its memory.
#[derive(Debug, Default)]
pub struct Order {
    /// A row's pair, its part and its place there.
    keys: Vec<(u64, u32, u32)>,
}

impl Order {
    /// Sorts the rows of all parts by their pair, which is unique. The keys are sorted, not the rows, which are four to
    /// ten times as long.
    pub fn by_pair<S: Dimension, T: Precision>(
        &mut self,
        parts: &[Vec<Proximity<S, T>>],
        out: &mut Vec<Proximity<S, T>>,
    ) {
        let keys = &mut self.keys;
        keys.clear();
        for (part, rows) in parts.iter().enumerate() {
            keys.extend(rows.iter().enumerate().map(|(i, row)| (key([row.a, row.b]), part as u32, i as u32)));
        }
        keys.par_sort_unstable();
        keys.par_iter().map(|&(_, part, i)| parts[part as usize][i as usize]).collect_into_vec(out);
    }
}

/// A pair as one number, in the canonical order.
#[inline]
pub fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
