//! Open space: what is asked of its candidate pairs. (Where space repeats: `periodic/question.rs`.)

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::Pool;

use crate::chunks::QueryCounters;
use crate::collector::CandidateQuestion;
use crate::near::Near;
use crate::order::FoundRows;
use crate::worker::{PairWorker, Sources};

/// The question of [`Engine::contacts`](crate::Engine::contacts): the rows of candidates that are near.
pub struct Contacts<'q, 'b, S: Dimension, T: Precision, U> {
    pub bodies: &'q Columns<'b, S, U>,
    pub near: Near<T>,
    pub sources: Sources<'q, S, T>,
    pub workers: &'q Pool<PairWorker<S, T>>,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> CandidateQuestion<S, T> for Contacts<'_, '_, S, T, U> {
    type Pair = [u32; 2];
    type Entry = [u32; 2];
    type Row = Proximity<S, T>;

    fn list(&self, pairs: &[[u32; 2]], list: &mut Vec<[u32; 2]>) {
        self.workers
            .with(|worker| list.extend_from_slice(worker.rule_out(self.bodies, self.sources, pairs, self.near)));
    }
    fn order(&self, _: &mut [[u32; 2]]) {}
    fn rows(&self, pairs: &[[u32; 2]], tally: &QueryCounters, rows: &mut [Proximity<S, T>]) -> usize {
        self.workers.with(|worker| worker.near(self.bodies, self.sources, pairs, self.near, tally, rows))
    }
    fn part(&self, pairs: &[[u32; 2]], tally: &QueryCounters, part: &mut FoundRows<S, T>) {
        part.extend(pairs.len(), |rows| self.rows(pairs, tally, rows));
    }
    fn all_are_near(&self) -> bool {
        self.sources.only_balls
    }
    fn hulls(&self) -> usize {
        self.sources.hulls
    }
    fn row(&self, answer: &Proximity<S, T>, _: [i32; 3]) -> Proximity<S, T> {
        *answer
    }
}
