//! Solves a piece of a chunk's pairs, and keeps the rows of those that are near.

use jostle_narrowphase::{Balls, Dimension, Precision, Proximity, Records, Scratch, Source, solve_pairs_within};
use jostle_shape::{Columns, CustomShape};

use crate::chunks::QueryCounters;
use crate::clock::Moment;
use crate::near::Near;
use crate::rows::RowBuffer;

/// What one task keeps from chunk to chunk.
pub struct PairWorker<S: Dimension, T: Precision> {
    rows: RowBuffer<Proximity<S, T>>,
    scratch: Scratch<S, T>,
    balls: Balls,
}

impl<S: Dimension, T: Precision> Default for PairWorker<S, T> {
    fn default() -> Self {
        Self { rows: RowBuffer::default(), scratch: Scratch::default(), balls: Balls::default() }
    }
}

/// The records of all bodies, and the `f32` records by whose planes pairs are ruled out, where that is done.
#[derive(Clone, Copy)]
pub struct Sources<'r, S: Dimension, T: Precision> {
    all: Source<'r, S, T>,
    planes: Option<Source<'r, S, f32>>,
    /// The number of shapes that are hulls of space.
    pub hulls: usize,
    /// All bodies are balls: every pair that these do not rule out is near.
    pub only_balls: bool,
}

/// Makes the records that [`Sources::of`] takes.
pub fn make_records<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    records: &mut Records<S, T>,
    singles: &mut Records<S, f32>,
) {
    records.make_for_distances(bodies);
    if T::WIDEST && records.ask_planes() {
        singles.make(bodies);
    }
}

impl<'r, S: Dimension, T: Precision> Sources<'r, S, T> {
    /// The records of all bodies, which [`make_records`] has made.
    pub fn of(records: &'r Records<S, T>, singles: &'r Records<S, f32>) -> Self {
        let all = records.source();
        let planes = || T::singles(all).unwrap_or_else(|| singles.source());
        Self {
            all,
            planes: records.ask_planes().then(planes),
            hulls: records.hulls(),
            only_balls: records.only_balls(),
        }
    }

    /// The same for bodies of the same shapes in other places, each in one pair: their records are made where they are
    /// met.
    pub fn of_shapes(records: &'r Records<S, T>, singles: &'r Records<S, f32>) -> Self {
        let all = records.template_source();
        let planes = || T::singles(all).unwrap_or_else(|| singles.template_source());
        Self {
            all,
            planes: records.ask_planes().then(planes),
            hulls: records.hulls(),
            only_balls: records.only_balls(),
        }
    }
}

/// Moves the entries that are kept to the beginning, and returns how many there are.
fn compact<X: Copy>(list: &mut [X], keep: impl Fn(&X) -> bool) -> usize {
    let mut kept = 0;
    for at in 0..list.len() {
        if keep(&list[at]) {
            if kept < at {
                list[kept] = list[at];
            }
            kept += 1;
        }
    }
    kept
}

impl<S: Dimension, T: Precision> PairWorker<S, T> {
    /// Writes the rows of those of `pairs` that are near to the beginning of `rows`, and returns how many there are.
    /// `rows` has room for one row for each pair.
    pub fn near<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        Sources { all, planes, .. }: Sources<'_, S, T>,
        pairs: &[[u32; 2]],
        near: Near<T>,
        tally: &QueryCounters,
        rows: &mut [Proximity<S, T>],
    ) -> usize {
        let start = Moment::now();
        let [solved, rescued] = solve_pairs_within(bodies, all, planes, pairs, near.limit(), rows, &mut self.scratch);
        let kept = compact(&mut rows[..solved], |row| near.holds(row.distance));
        tally.solved(start, rescued, kept);
        kept
    }

    /// Those of `pairs` that bounding balls do not rule out.
    pub fn rule_out<'p, U: CustomShape<S>>(
        &'p mut self,
        bodies: &Columns<'_, S, U>,
        sources: Sources<'_, S, T>,
        pairs: &'p [[u32; 2]],
        near: Near<T>,
    ) -> &'p [[u32; 2]] {
        self.balls.pass(bodies, sources.all, pairs, near.limit())
    }

    /// The rows of those of `pairs` that are near, in memory of its own.
    pub fn near_alone<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        sources: Sources<'_, S, T>,
        pairs: &[[u32; 2]],
        near: Near<T>,
        tally: &QueryCounters,
    ) -> &[Proximity<S, T>] {
        let mut rows = core::mem::take(&mut self.rows);
        rows.clear();
        rows.put(pairs.len(), |room| self.near(bodies, sources, pairs, near, tally, room));
        self.rows = rows;
        &self.rows
    }
}
