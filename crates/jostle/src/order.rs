//! Rows into their canonical order: by `a`, then by `b`.

use jostle_broadphase::sort_by_pair;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use rayon::prelude::*;

/// Sorts rows by their pair, which is unique. The keys are sorted, not the rows, which are four to nine times as long.
pub fn by_pair<S: Dimension, T: Precision>(rows: &[Proximity<S, T>], bodies: usize, out: &mut Vec<Proximity<S, T>>) {
    let mut keys: Vec<[u32; 3]> = Vec::with_capacity(rows.len());
    rows.par_iter().enumerate().map(|(i, row)| [row.a, row.b, i as u32]).collect_into_vec(&mut keys);
    sort_by_pair(&mut keys, bodies);
    keys.par_iter().map(|&[.., i]| rows[i as usize]).collect_into_vec(out);
}
