//! Rows into their canonical order: by `a`, then by `b`.

use jostle_broadphase::PairOrder;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use rayon::prelude::*;

/// Sorts rows, and keeps its memory.
#[derive(Debug, Default)]
pub struct Order {
    /// For each row of all parts, its part and its place there.
    rows: Vec<u64>,
    /// A row's pair and where it is told.
    keys: Vec<[u32; 3]>,
    pairs: PairOrder<3>,
}

impl Order {
    /// Sorts the rows of all parts by their pair, which is unique. The keys are sorted, not the rows, which are four to
    /// ten times as long.
    pub fn by_pair<S: Dimension, T: Precision>(
        &mut self,
        parts: &[Vec<Proximity<S, T>>],
        bodies: usize,
        out: &mut Vec<Proximity<S, T>>,
    ) {
        let Self { rows: places, keys, pairs } = self;
        places.clear();
        keys.clear();
        for (part, rows) in parts.iter().enumerate() {
            for (i, row) in rows.iter().enumerate() {
                keys.push([row.a, row.b, places.len() as u32]);
                places.push((part as u64) << 32 | i as u64);
            }
        }
        pairs.sort(keys, bodies);
        let row = |place: u64| parts[(place >> 32) as usize][place as u32 as usize];
        keys.par_iter().map(|&[.., i]| row(places[i as usize])).collect_into_vec(out);
    }
}

/// A pair as one number, in the canonical order.
#[inline]
pub fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
