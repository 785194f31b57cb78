//! Rows into their canonical order: by `a`, then by `b`.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use rayon::prelude::*;

/// Sorts rows by their pair, which is unique. The keys are sorted, not the rows, which are five to eleven times as long.
pub fn by_pair<S: Dimension, T: Precision>(rows: &[Proximity<S, T>], out: &mut Vec<Proximity<S, T>>) {
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(rows.len());
    rows.par_iter()
        .enumerate()
        .map(|(i, row)| (u64::from(row.a) << 32 | u64::from(row.b), i as u32))
        .collect_into_vec(&mut keys);
    keys.par_sort_unstable();
    keys.par_iter().map(|&(_, i)| rows[i as usize]).collect_into_vec(out);
}
