//! Brings rows into their canonical order: by `a`, then by `b`.

use core::cmp::Ordering;

pub use jostle_broadphase::order_key as key;
use jostle_broadphase::{PairOrder, Paired};
use jostle_lanes::prefetch;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::Length;
use rayon::prelude::*;

use crate::rows::RowBuffer;

/// How many rows ahead memory is prefetched.
const ROWS_AHEAD: usize = 16;
/// One row in this many has its part recorded, from which [`Lines::find`] starts to look.
const STEP: usize = 256;

/// Rows in the order in which they were found, and beside them their pairs, so that sorting need not read the rows
/// again.
#[derive(Debug)]
pub struct FoundRows<S: Dimension, T: Precision> {
    rows: RowBuffer<Proximity<S, T>>,
    pairs: Vec<[u32; 2]>,
    /// In periodic space the image of its second body that each row is about; empty in open space.
    images: Vec<[i32; 3]>,
}

impl<S: Dimension, T: Precision> Default for FoundRows<S, T> {
    fn default() -> Self {
        Self { rows: RowBuffer::default(), pairs: Vec::new(), images: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> FoundRows<S, T> {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.pairs.clear();
        self.images.clear();
    }

    /// Lets `find` write up to `most` rows behind those that are there; it returns how many it wrote.
    pub fn extend(&mut self, most: usize, find: impl FnOnce(&mut [Proximity<S, T>]) -> usize) {
        let before = self.rows.len();
        self.rows.put(most, find);
        self.pairs.extend(self.rows[before..].iter().map(|row| [row.a, row.b]));
    }

    /// The same in periodic space: `image` returns the image that a row is about, and corrects the row.
    pub fn extend_around(
        &mut self,
        most: usize,
        find: impl FnOnce(&mut [Proximity<S, T>]) -> usize,
        image: impl FnMut(&mut Proximity<S, T>) -> [i32; 3],
    ) {
        let before = self.rows.len();
        self.rows.put(most, find);
        let new = &mut self.rows.as_mut_slice()[before..];
        self.images.extend(new.iter_mut().map(image));
        self.pairs.extend(new.iter().map(|row| [row.a, row.b]));
    }
}

impl<S: Dimension, T: Precision> Length for FoundRows<S, T> {
    fn length(&self) -> usize {
        self.rows.len()
    }
}

/// Sorts rows. Keeps its memory.
#[derive(Debug, Default)]
pub struct Order {
    lines: Lines,
    /// `[a, b, i]`: the pair of row `i`, rows being numbered over all parts (see [`Lines`]).
    keys: Vec<[u32; 3]>,
    pairs: PairOrder<[u32; 3]>,
}

impl Order {
    /// Sorts the rows of all parts by their pair, and those of one pair by their image, and writes into `out` what
    /// `make` returns for each row and its image. What is sorted is each row's pair and number: the row itself is five
    /// to nine times as long.
    pub fn by_pair<S: Dimension, T: Precision, R: Send>(
        &mut self,
        parts: &[FoundRows<S, T>],
        bodies: usize,
        make: impl Fn(&Proximity<S, T>, [i32; 3]) -> R + Sync,
        out: &mut Vec<R>,
    ) {
        let Self { lines, keys, pairs } = self;
        lines.number(parts);
        let part = |part: usize| {
            let first = lines.starts[part];
            parts[part].pairs.iter().enumerate().map(move |(at, &[a, b])| [a, b, first + at as u32])
        };
        pairs.collect_from(parts.len(), part, bodies, keys);
        let place = |[.., line]: [u32; 3]| {
            let (part, at) = lines.find(line);
            (&parts[part], at)
        };
        // In open space there are no images.
        let image = |(part, at): (&FoundRows<S, T>, usize)| part.images.get(at).copied().unwrap_or_default();
        if parts.iter().any(|part| !part.images.is_empty()) {
            for same in keys.chunk_by_mut(|one, other| one[..2] == other[..2]).filter(|same| same.len() > 1) {
                same.sort_unstable_by_key(|&key| image(place(key)));
            }
        }
        (0..keys.len())
            .into_par_iter()
            .map(
                #[inline(always)]
                |i| {
                    if let Some(&soon) = keys.get(i + ROWS_AHEAD) {
                        let (part, at) = place(soon);
                        prefetch(&part.rows[at]);
                    }
                    let (part, at) = place(keys[i]);
                    make(&part.rows[at], image((part, at)))
                },
            )
            .collect_into_vec(out);
    }
}

/// Numbers the rows of all parts from zero, one part after the other.
#[derive(Debug, Default)]
pub struct Lines {
    /// The number of the first row of each part.
    starts: Vec<u32>,
    /// The part of row 0 and of every [`STEP`]th row after it.
    parts: Vec<u32>,
}

impl Lines {
    /// Numbers the rows of these parts.
    ///
    /// # Panics
    /// If there are 2^32 rows or more.
    pub fn number<X: Length>(&mut self, list: &[X]) {
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

    /// The part that a row belongs to, and its place there.
    pub fn find(&self, line: u32) -> (usize, usize) {
        let mut part = self.parts[line as usize / STEP] as usize;
        while self.starts.get(part + 1).is_some_and(|&next| next <= line) {
            part += 1;
        }
        (part, (line - self.starts[part]) as usize)
    }
}

/// Puts entries of the same pair in order by a key. The entries must already be ordered by their pairs.
pub fn order_same_pairs<E: Paired, K: Ord>(entries: &mut [E], key: impl Fn(&E) -> K) {
    let mut from = 1;
    while let Some(second) = (from..entries.len()).find(|&at| entries[at - 1].pair() == entries[at].pair()) {
        let pair = entries[second].pair();
        let same = &mut entries[second - 1..];
        let count = same.iter().take_while(|entry| entry.pair() == pair).count();
        same[..count].sort_unstable_by_key(&key);
        from = second + count - 1;
    }
}

/// Orders distances, the smaller first; zeros of either sign are equal.
#[inline]
pub fn by_distance(x: f64, y: f64) -> Ordering {
    (x + 0.0).total_cmp(&(y + 0.0))
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
