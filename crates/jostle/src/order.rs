//! Rows into their canonical order: by `a`, then by `b`.

use core::cmp::Ordering;

use jostle_broadphase::PairOrder;
use jostle_lanes::prefetch;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::{self as tasks, Joined};
use rayon::prelude::*;

/// How many rows ahead memory is asked for.
const AHEAD: usize = 16;

/// Sorts rows, and keeps its memory.
#[derive(Debug, Default)]
pub struct Order {
    /// Where the rows of each part begin.
    starts: Vec<usize>,
    /// For each row of all parts, its part and its place there.
    rows: Vec<u64>,
    /// `[a, b, i]`: the pair of row `i`.
    keys: Vec<[u32; 3]>,
    pairs: PairOrder<[u32; 3]>,
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
        let Self { starts, rows: places, keys, pairs } = self;
        starts.clear();
        let mut total = 0;
        for rows in parts {
            starts.push(total);
            total += rows.len();
        }
        keys.resize(total, [0; 3]);
        places.resize(total, 0);
        tasks::each(
            Joined::of(parts, (&mut keys[..], &mut places[..])),
            |part, Joined { parts, whole: (keys, places) }| {
                for (i, (row, (key, place))) in parts[0].iter().zip(keys.iter_mut().zip(places)).enumerate() {
                    *key = [row.a, row.b, (starts[part] + i) as u32];
                    *place = (part as u64) << 32 | i as u64;
                }
            },
        );
        pairs.sort(keys, bodies);
        let row = |[.., i]: [u32; 3]| {
            let place = places[i as usize];
            &parts[(place >> 32) as usize][place as u32 as usize]
        };
        // Rows lie in the order they were found in: each is two cache misses, one behind the other.
        let copy = |i: usize| {
            if let Some(&[.., later]) = keys.get(i + 2 * AHEAD) {
                prefetch(&places[later as usize]);
            }
            if let Some(&soon) = keys.get(i + AHEAD) {
                prefetch(row(soon));
            }
            *row(keys[i])
        };
        (0..keys.len()).into_par_iter().map(copy).collect_into_vec(out);
    }
}

/// The smaller first; zeros are equal, whatever their signs.
#[inline]
pub fn by_distance(x: f64, y: f64) -> Ordering {
    (x + 0.0).total_cmp(&(y + 0.0))
}

/// A pair as one number, in the canonical order.
#[inline]
pub fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
