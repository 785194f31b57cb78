//! Rows into their canonical order: by `a`, then by `b`.

use core::cmp::Ordering;

use jostle_broadphase::PairOrder;
use jostle_lanes::prefetch;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::Length;
use rayon::prelude::*;

/// How many rows ahead memory is asked for.
const AHEAD: usize = 16;
/// How many lines are between those whose part is known.
const STEP: usize = 256;

/// What is put in order.
pub trait Row: Copy + Send + Sync {
    /// By what it is ordered.
    fn pair(&self) -> [u32; 2];
    /// Which image of the second body it is about: one for each row of a pair. `None` if no pair has several rows.
    const IMAGE: Option<fn(&Self) -> [i32; 3]>;
}

impl<S: Dimension, T: Precision> Row for Proximity<S, T> {
    fn pair(&self) -> [u32; 2] {
        [self.a, self.b]
    }
    const IMAGE: Option<fn(&Self) -> [i32; 3]> = None;
}

/// Rows as they were found, and beside them their pairs: what is sorted is found without reading the rows once more.
#[derive(Debug)]
pub struct Part<R> {
    rows: Vec<R>,
    pairs: Vec<[u32; 2]>,
}

impl<R> Default for Part<R> {
    fn default() -> Self {
        Self { rows: Vec::new(), pairs: Vec::new() }
    }
}

impl<R: Row> Part<R> {
    /// Takes all rows out.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.pairs.clear();
    }

    /// Lets `find` put more rows behind those that are there.
    pub fn extend(&mut self, find: impl FnOnce(&mut Vec<R>)) {
        let before = self.rows.len();
        find(&mut self.rows);
        self.pairs.extend(self.rows[before..].iter().map(Row::pair));
    }
}

impl<R> Length for Part<R> {
    fn length(&self) -> usize {
        self.rows.len()
    }
}

/// Sorts rows, and keeps its memory.
#[derive(Debug, Default)]
pub struct Order {
    lines: Lines,
    /// `[a, b, i]`: the pair of line `i`.
    keys: Vec<[u32; 3]>,
    pairs: PairOrder<[u32; 3]>,
}

impl Order {
    /// Sorts the rows of all parts by their pair, those of one pair by their image. Of a row its pair and its line are
    /// sorted: it is five to nine times as long itself.
    pub fn by_pair<R: Row>(&mut self, parts: &[Part<R>], bodies: usize, out: &mut Vec<R>) {
        let Self { lines, keys, pairs } = self;
        lines.number(parts);
        let part = |part: usize| {
            let first = lines.starts[part];
            parts[part].pairs.iter().enumerate().map(move |(at, &[a, b])| [a, b, first + at as u32])
        };
        pairs.collect_from(parts.len(), part, bodies, keys);
        let row = |[.., line]: [u32; 3]| {
            let (part, at) = lines.find(line);
            &parts[part].rows[at]
        };
        if let Some(image) = R::IMAGE {
            for same in keys.chunk_by_mut(|one, other| one[..2] == other[..2]).filter(|same| same.len() > 1) {
                same.sort_unstable_by_key(|&key| image(row(key)));
            }
        }
        (0..keys.len())
            .into_par_iter()
            .map(
                #[inline(always)]
                |i| {
                    if let Some(&soon) = keys.get(i + AHEAD) {
                        prefetch(row(soon));
                    }
                    *row(keys[i])
                },
            )
            .collect_into_vec(out);
    }
}

/// Numbers the rows of all parts, from zero, one part behind the other.
#[derive(Debug, Default)]
struct Lines {
    /// The first of each part.
    starts: Vec<u32>,
    /// The part of the first, and of every [`STEP`]th after it.
    parts: Vec<u32>,
}

impl Lines {
    /// # Panics
    /// If there are more rows than can be numbered.
    fn number<X: Length>(&mut self, list: &[X]) {
        let Self { starts, parts } = self;
        starts.clear();
        parts.clear();
        let mut end = 0;
        for (part, length) in list.iter().map(Length::length).enumerate() {
            starts.push(end);
            end = u32::try_from(end as usize + length).expect("fewer than 2^32 rows");
            parts.resize((end as usize).div_ceil(STEP), part as u32);
        }
    }

    /// The part of a line, and its place there.
    fn find(&self, line: u32) -> (usize, usize) {
        let mut part = self.parts[line as usize / STEP] as usize;
        while self.starts.get(part + 1).is_some_and(|&next| next <= line) {
            part += 1;
        }
        (part, (line - self.starts[part]) as usize)
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

#[cfg(test)]
mod tests {
    use super::{Lines, STEP};

    #[test]
    fn each_line_is_found_where_it_lies() {
        for lengths in
            [vec![], vec![0, 0], vec![3], vec![0, 1, 0, 0, STEP - 1, 2, 0], vec![5 * STEP, 0, 1, STEP + 1, 0]]
        {
            let mut lines = Lines::default();
            lines.number(&[7 * STEP]);
            lines.number(&lengths);
            let places = lengths.iter().enumerate().flat_map(|(part, &length)| (0..length).map(move |at| (part, at)));
            for (line, place) in places.enumerate() {
                assert_eq!(lines.find(line as u32), place, "line {line} of {lengths:?}");
            }
        }
    }
}
