//! Pairs with images of bodies, where space repeats: each pair is placed by itself.

use jostle_narrowphase::{Dimension, PAIRS_PER_BATCH, Precision, Proximity, Scratch, Source, Templates, solve_pairs};
use jostle_shape::{Columns, CustomShape};

use crate::periodic::Apart;

/// Pairs with images, and their rows.
pub struct FarPairs<S: Dimension, T: Precision> {
    pub apart: Apart<S>,
    pub rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision> Default for FarPairs<S, T> {
    fn default() -> Self {
        Self { apart: Apart::default(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> FarPairs<S, T> {
    /// Makes all the room that a chunk of pairs may need.
    pub fn reserve(&mut self) {
        self.apart.reserve(PAIRS_PER_BATCH);
        self.rows.reserve(PAIRS_PER_BATCH);
    }
    /// Solves the pairs, and returns how many of them `f64` had to decide.
    pub fn solve<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        templates: &Templates<S, T>,
        scratch: &mut Scratch<S, T>,
    ) -> usize {
        let Self { apart, rows } = self;
        rows.resize(apart.pairs().len(), Proximity::default());
        if rows.is_empty() {
            return 0;
        }
        let together = apart.columns(bodies);
        let rescued = solve_pairs(&together, Source::Templates(templates), apart.pairs(), rows, scratch);
        for row in rows {
            *row = apart.row(row);
        }
        rescued
    }
}
