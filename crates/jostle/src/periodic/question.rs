//! What is asked of candidate pairs with images: their rows, the near pairs alone, or how many there are.

use jostle_broadphase::{ColumnSweep, Paired};
use jostle_narrowphase::{Dimension, NearScratch, Precision, Proximity, Records};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::Pool;

use super::parted::Parted;
use crate::chunks::{Candidates, QueryCounters};
use crate::collector::CandidateQuestion;
use crate::images::{Images, SweptPair};
use crate::lattice::Lattice;
use crate::near::Near;
use crate::order::{FoundRows, order_same_pairs};
use crate::rows::RowBuffer;
use crate::shifted::Shifted;
use crate::worker::{PairWorker, Sources};

/// The pairs of overlapping boxes whose filters let them meet and for which the predicate holds, with their images.
pub(super) struct RepeatingCandidates<'q, 'b, S: Dimension, U, F> {
    pub bodies: &'q Columns<'b, S, U>,
    pub lattice: &'q Lattice<S>,
    pub images: &'q Images<S>,
    pub sweep: &'q ColumnSweep<S>,
    pub wanted: &'q F,
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> RepeatingCandidates<'_, '_, S, U, F> {
    /// The number of pairs in one chunk.
    pub fn count(&self, chunk: usize) -> usize {
        let mut found = Vec::new();
        self.find(chunk, |_| (), &mut found);
        found.len()
    }

    fn find<E: Copy + Default>(&self, chunk: usize, make: impl Fn(SweptPair) -> E, found: &mut Vec<E>) {
        let Self { bodies, lattice, images, sweep, wanted } = self;
        images.find(sweep, chunk, (&bodies.filters(), lattice), *wanted, |pair, _| make(pair), found);
    }
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> Candidates
    for RepeatingCandidates<'_, '_, S, U, F>
{
    type Pair = SweptPair;
    type List = Vec<SweptPair>;

    fn chunks(&self) -> usize {
        self.sweep.chunk_count()
    }
    fn list<'l>(&self, chunk: usize, pairs: &'l mut Vec<SweptPair>) -> &'l [SweptPair] {
        self.find(chunk, |pair| pair, pairs);
        pairs
    }
}

/// Buffers that a task needs.
pub(super) struct PeriodicWorker<S: Dimension, T: Precision> {
    parted: Parted<S>,
    /// Pairs of two bodies at their own positions, and their rows.
    here: Vec<[u32; 2]>,
    rows: RowBuffer<Proximity<S, T>>,
    solver: PairWorker<S, T>,
}

impl<S: Dimension, T: Precision> Default for PeriodicWorker<S, T> {
    fn default() -> Self {
        Self { parted: Parted::default(), here: Vec::new(), rows: RowBuffer::default(), solver: PairWorker::default() }
    }
}

/// Buffers that a task needs to find near pairs without their rows, or to count them.
pub(super) struct Counter<S: Dimension, T: Precision> {
    pub parted: Parted<S>,
    pub scratch: NearScratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Counter<S, T> {
    fn default() -> Self {
        Self { parted: Parted::default(), scratch: NearScratch::default() }
    }
}

/// The question of `PeriodicEngine::contacts`: rows with the image of each.
pub(super) struct PeriodicContacts<'q, 'b, S: Dimension, T: Precision, U> {
    bodies: &'q Columns<'b, S, U>,
    lattice: &'q Lattice<S>,
    images: &'q Images<S>,
    near: Near<T>,
    /// Records of bodies at their own positions, and of those placed elsewhere.
    sources: Sources<'q, S, T>,
    elsewhere: Sources<'q, S, T>,
    workers: &'q Pool<PeriodicWorker<S, T>>,
}

impl<'q, 'b, S: Dimension, T: Precision, U: CustomShape<S>> PeriodicContacts<'q, 'b, S, T, U> {
    /// Asks for pairs within a margin (metres), by the records of all bodies.
    pub fn new(
        bodies: &'q Columns<'b, S, U>,
        (lattice, images): (&'q Lattice<S>, &'q Images<S>),
        margin: f64,
        (records, singles): (&'q Records<S, T>, &'q Records<S, f32>),
        workers: &'q Pool<PeriodicWorker<S, T>>,
    ) -> Self {
        Self {
            bodies,
            lattice,
            images,
            near: Near::new(margin),
            sources: Sources::of(records, singles),
            elsewhere: Sources::of_shapes(records, singles),
            workers,
        }
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> CandidateQuestion<S, T> for PeriodicContacts<'_, '_, S, T, U> {
    type Pair = SweptPair;
    type Entry = SweptPair;
    type Row = Shifted<S, T>;

    /// Pairs with an image are all listed without a test: they are few.
    fn list(&self, pairs: &[SweptPair], list: &mut Vec<SweptPair>) {
        self.workers.with(|PeriodicWorker { here, solver, .. }| {
            here.clear();
            for pair in pairs {
                if pair.is_here() {
                    here.push(pair.pair());
                } else {
                    list.push(*pair);
                }
            }
            let kept = solver.rule_out(self.bodies, self.sources, here, self.near);
            list.extend(kept.iter().map(|&pair| SweptPair::here(pair)));
        });
    }

    fn order(&self, pairs: &mut [SweptPair]) {
        order_same_pairs(pairs, |pair| self.images.image_of(pair));
    }

    fn rows(&self, asked: &[SweptPair], tally: &QueryCounters, shifted: &mut [Shifted<S, T>]) -> usize {
        let &Self { bodies, lattice, images, near, sources, elsewhere, workers } = self;
        let mut count = 0;
        let mut push = |row, image| {
            shifted[count] = Shifted::new(row, image, lattice);
            count += 1;
        };
        workers.with(|PeriodicWorker { parted, rows, solver, .. }| {
            parted.set(bodies, lattice, asked, |pair| images.image_of(pair));
            let here = parted.here();
            rows.clear();
            rows.put(here.len(), |room| solver.near(bodies, sources, here, near, tally, room));
            let (together, pairs) = parted.elsewhere(bodies);
            let far = if pairs.is_empty() { &[] } else { solver.near_alone(&together, elsewhere, pairs, near, tally) };
            let mut here = rows.iter().peekable();
            for row in far {
                let mut row = *row;
                let image = parted.name(&mut row);
                let before = |here: &&Proximity<S, T>| ([here.a, here.b], [0; 3]) < ([row.a, row.b], image);
                while let Some(&here) = here.next_if(before) {
                    push(here, [0; 3]);
                }
                push(row, image);
            }
            here.for_each(|&row| push(row, [0; 3]));
        });
        count
    }

    fn part(&self, asked: &[SweptPair], tally: &QueryCounters, part: &mut FoundRows<S, T>) {
        let &Self { bodies, lattice, images, near, sources, elsewhere, workers } = self;
        workers.with(|PeriodicWorker { parted, solver, .. }| {
            parted.set(bodies, lattice, asked, |pair| images.image_of(pair));
            let here = parted.here();
            part.extend_around(here.len(), |rows| solver.near(bodies, sources, here, near, tally, rows), |_| [0; 3]);
            let (together, pairs) = parted.elsewhere(bodies);
            if !pairs.is_empty() {
                let find = |rows: &mut [_]| solver.near(&together, elsewhere, pairs, near, tally, rows);
                part.extend_around(pairs.len(), find, |row| parted.name(row));
            }
        });
    }

    /// Pairs with an image were listed without a test.
    fn all_are_near(&self) -> bool {
        false
    }
    fn hulls(&self) -> usize {
        self.sources.hulls
    }
    fn row(&self, answer: &Proximity<S, T>, image: [i32; 3]) -> Shifted<S, T> {
        Shifted::new(*answer, image, self.lattice)
    }
}
