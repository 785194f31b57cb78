//! A frame's rows in canonical order, written over those of an earlier frame: their memory is warm, and none is
//! allocated.

use jostle_lanes::prefetch_in_turn;
use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::make_room;

use super::link::Link;

/// Rows in canonical order, each with its key. Both columns have one length.
#[derive(Clone, Debug)]
pub struct KeyedRows<S: Dimension, T: Precision, L> {
    pub keys: Vec<L>,
    pub rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision, L> Default for KeyedRows<S, T, L> {
    fn default() -> Self {
        Self { keys: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision, L: Link> KeyedRows<S, T, L> {
    /// Sets the length of both columns. Present entries are not cleared.
    pub fn set_length(&mut self, len: usize) {
        self.make_room(len);
        self.keys.resize(len, L::default());
        self.rows.resize(len, Proximity::default());
    }
    /// Makes room for `len` rows.
    pub fn make_room(&mut self, len: usize) {
        make_room(&mut self.keys, len);
        make_room(&mut self.rows, len);
    }
    /// The place of the first row of a pair of slots.
    pub fn place(&self, slots: [u32; 2]) -> Option<usize> {
        let at = self.keys.partition_point(|key| key.slots() < slots);
        (self.keys.get(at)?.slots() == slots).then_some(at)
    }
    /// The number of rows whose keys are below `place`.
    pub fn before(&self, place: L) -> usize {
        self.keys.partition_point(|&other| other < place)
    }
}

/// Appends rows, from the first place on, over the rows that are there.
pub struct Writer<'r, S: Dimension, T: Precision, L> {
    out: &'r mut KeyedRows<S, T, L>,
    count: usize,
}

impl<'r, S: Dimension, T: Precision, L: Link> Writer<'r, S, T, L> {
    /// Starts at the first place.
    pub fn new(out: &'r mut KeyedRows<S, T, L>) -> Self {
        Self { out, count: 0 }
    }
    /// The next `more` places, to be written; what they hold means nothing.
    pub fn next(&mut self, more: usize) -> (&mut [L], &mut [Proximity<S, T>]) {
        let end = self.count + more;
        if self.out.keys.len() < end || self.out.rows.len() < end {
            self.out.set_length(end);
        }
        (&mut self.out.keys[self.count..end], &mut self.out.rows[self.count..end])
    }
    /// Keeps the first `count` of those places, which have been written.
    pub fn keep(&mut self, count: usize) {
        self.count += count;
    }
    /// Appends one row.
    #[inline]
    pub fn push(&mut self, place: L, row: &Proximity<S, T>) {
        prefetch_in_turn(&self.out.keys, self.count);
        prefetch_in_turn(&self.out.rows, self.count);
        let (places, rows) = self.next(1);
        (places[0], rows[0]) = (place, *row);
        self.count += 1;
    }
    /// Removes the earlier frame's rows behind the last one kept.
    pub fn finish(self) {
        self.out.keys.truncate(self.count);
        self.out.rows.truncate(self.count);
    }
}

/// Closes up the rows over the `unwanted` places, which ascend; returns how many rows are left.
pub fn remove_rows<S: Dimension, T: Precision, L: Link>(
    keys: &mut [L],
    rows: &mut [Proximity<S, T>],
    unwanted: &[u32],
) -> usize {
    let mut kept = unwanted.first().map_or(keys.len(), |&first| first as usize);
    for (number, &at) in unwanted.iter().enumerate() {
        let next = unwanted.get(number + 1).map_or(keys.len(), |&next| next as usize);
        // Row by row: `copy_within` for whole runs was no faster.
        for at in at as usize + 1..next {
            (keys[kept], rows[kept]) = (keys[at], rows[at]);
            kept += 1;
        }
    }
    kept
}
