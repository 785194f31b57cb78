//! A piece of a chunk's pairs: solved, and those kept that are near.

use jostle_narrowphase::{Balls, Dimension, Precision, Proximity, Records, Scratch, Source, solve_chunk_within};
use jostle_shape::{Columns, CustomShape};

use crate::chunks::Tally;
use crate::clock::Moment;
use crate::near::Near;

/// What one task keeps from chunk to chunk.
pub struct Worker<S: Dimension, T: Precision> {
    rows: Vec<Proximity<S, T>>,
    /// Answers of which few are near.
    answers: Vec<Proximity<S, T>>,
    /// Of the last piece fewer than half were.
    few: bool,
    scratch: Scratch<S, T>,
    balls: Balls,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        Self { rows: Vec::new(), answers: Vec::new(), few: false, scratch: Scratch::default(), balls: Balls::default() }
    }
}

/// The records of all bodies, and those of which planes are asked that rule pairs out, if any are.
#[derive(Clone, Copy)]
pub struct Sources<'r, S: Dimension, T: Precision> {
    all: Source<'r, S, T>,
    planes: Option<Source<'r, S, f32>>,
    /// How many shapes are hulls of space.
    pub hulls: usize,
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
    /// Those of all bodies, of records that [`make_records`] has made.
    pub fn of(records: &'r Records<S, T>, singles: &'r Records<S, f32>) -> Self {
        let all = records.source();
        let planes = || T::singles(all).unwrap_or_else(|| singles.source());
        Self { all, planes: records.ask_planes().then(planes), hulls: records.hulls() }
    }

    /// The same for bodies of those shapes that stand elsewhere, each in one pair: made where they are met.
    pub fn of_shapes(records: &'r Records<S, T>, singles: &'r Records<S, f32>) -> Self {
        let all = records.template_source();
        let planes = || T::singles(all).unwrap_or_else(|| singles.template_source());
        Self { all, planes: records.ask_planes().then(planes), hulls: records.hulls() }
    }
}

/// Takes out those from `first` on that are not kept.
fn close_up<X: Copy>(list: &mut Vec<X>, first: usize, keep: impl Fn(&X) -> bool) {
    let mut kept = first;
    for at in first..list.len() {
        if keep(&list[at]) {
            if kept < at {
                list[kept] = list[at];
            }
            kept += 1;
        }
    }
    list.truncate(kept);
}

impl<S: Dimension, T: Precision> Worker<S, T> {
    /// Puts the rows of those of `pairs` that are near behind `rows`.
    pub fn near<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        Sources { all, planes, .. }: Sources<'_, S, T>,
        pairs: &[[u32; 2]],
        near: Near<T>,
        tally: &Tally,
        rows: &mut Vec<Proximity<S, T>>,
    ) {
        let (start, before) = (Moment::now(), rows.len());
        let Self { answers, few, scratch, .. } = self;
        let mut solve =
            |pairs, rows: &mut Vec<_>| solve_chunk_within(bodies, all, planes, pairs, near.limit(), rows, scratch);
        // Solved where rows stay, those that are not near are room that stays as well: too much where they are many.
        let (rescued, solved) = if *few {
            answers.clear();
            let rescued = solve(pairs, answers);
            rows.extend(answers.iter().filter(|row| near.holds(row.distance)));
            (rescued, answers.len())
        } else {
            let rescued = solve(pairs, rows);
            let solved = rows.len() - before;
            close_up(rows, before, |row| near.holds(row.distance));
            (rescued, solved)
        };
        let kept = rows.len() - before;
        *few = 2 * kept < solved;
        tally.solved(start, rescued, kept);
    }

    /// Those of `pairs` that balls do not rule out.
    pub fn rule_out<'p, U: CustomShape<S>>(
        &'p mut self,
        bodies: &Columns<'_, S, U>,
        sources: Sources<'_, S, T>,
        pairs: &'p [[u32; 2]],
        near: Near<T>,
    ) -> &'p [[u32; 2]] {
        self.balls.pass(bodies, sources.all, pairs, near.limit())
    }

    /// The rows of those of `pairs` that are near.
    pub fn near_alone<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        sources: Sources<'_, S, T>,
        pairs: &[[u32; 2]],
        near: Near<T>,
        tally: &Tally,
    ) -> &[Proximity<S, T>] {
        let mut rows = core::mem::take(&mut self.rows);
        rows.clear();
        self.near(bodies, sources, pairs, near, tally, &mut rows);
        self.rows = rows;
        &self.rows
    }
}
