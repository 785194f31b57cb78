//! Near pairs where space repeats, chunk by chunk of the sweep: candidates are answered where they are found and never
//! listed, so that memory is that of the rows, and a scene of too many is given up as soon as that is known.

use jostle_broadphase::{ColumnSweep, TooManyPairs};
use jostle_narrowphase::{
    CHUNK, CountScratch, Dimension, Precision, Proximity, SPAN, Scratch, Source, count_chunk, solve_chunk_within,
};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::Pool;
use rayon::prelude::*;

use super::apart::Apart;
use super::shifted::{Asked, Shifted};
use crate::bounds::check_margin;
use crate::chunks::{Candidates, Chunks, Tally, collect};
use crate::clock::Moment;
use crate::error::ContactsError;
use crate::images::Images;
use crate::lattice::Lattice;
use crate::near::Near;
use crate::report::Report;

/// A scene in which near pairs are looked for.
pub(super) struct Search<'q, 'b, S: Dimension, U, F> {
    bodies: &'q Columns<'b, S, U>,
    lattice: &'q Lattice<S>,
    margin: f64,
    /// Which pairs of those that meet are wanted.
    wanted: &'q F,
    images: Images<S>,
    sweep: ColumnSweep<S>,
    report: Report,
}

/// What a task needs.
struct Worker<S: Dimension, T: Precision> {
    apart: Apart<S>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        Self { apart: Apart::default(), rows: Vec::new(), scratch: Scratch::default() }
    }
}

/// The pairs of a chunk: as the sweep finds them, and with their images.
#[derive(Default)]
pub(super) struct List {
    pairs: Vec<[u32; 2]>,
    asked: Vec<Asked>,
}

impl<'q, 'b, S: Dimension, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> Search<'q, 'b, S, U, F> {
    /// Makes the boxes of bodies and images, and sweeps them into chunks.
    pub fn new(
        bodies: &'q Columns<'b, S, U>,
        lattice: &'q Lattice<S>,
        margin: f64,
        wanted: &'q F,
    ) -> Result<Self, ContactsError> {
        check_margin(margin)?;
        let mut report = Report { bodies: bodies.len(), ..Report::default() };
        let start = Moment::now();
        let mut images = Images::default();
        let filters = bodies.filters();
        let members = (0..bodies.len() as u32).filter(|&body| !filters.meets_nobody(body));
        images.fill(bodies, lattice, margin, members, &|_| 0.0)?;
        report.bounds = start.elapsed();
        let start = Moment::now();
        let mut sweep = ColumnSweep::new();
        sweep.build(images.bounds()).map_err(|error| error.renamed(|place| images.owner(place)))?;
        report.build = start.elapsed();
        Ok(Self { bodies, lattice, margin, wanted, images, sweep, report })
    }

    /// The pairs of one chunk whose boxes overlap, each with its image, in no particular order.
    fn candidates(&self, chunk: usize, pairs: &mut Vec<[u32; 2]>, asked: &mut Vec<Asked>) {
        asked.clear();
        let filters = self.bodies.filters();
        self.images.each_pair(&self.sweep, chunk, &filters, self.lattice, pairs, |[a, b], image| {
            if (self.wanted)(a, b) {
                asked.push(([a, b], image));
            }
        });
    }

    /// All of them, in order, at most `limit`.
    pub fn pairs(&self, limit: u64) -> Result<Vec<Asked>, ContactsError> {
        let pool = Pool::<Vec<[u32; 2]>>::default();
        let mut parts = vec![Vec::new(); self.sweep.chunk_count()];
        collect(&mut parts, limit, |chunk, asked| pool.with(|pairs| self.candidates(chunk, pairs, asked)))?;
        let mut asked = parts.concat();
        asked.par_sort_unstable();
        Ok(asked)
    }

    /// How many pairs are within the margin: of each no more is found out than that.
    pub fn count<T: Precision>(&self) -> u64 {
        let (near, margin) = (Near::<T>::new(self.margin), self.margin);
        let counters = Pool::<(Apart<S>, CountScratch<S, T>)>::default();
        let (lists, tally) = (Pool::default(), Tally::default());
        let chunks = Chunks::new(self, &lists, &tally);
        let mut counts = vec![0; chunks.targets()];
        chunks.each_piece(CHUNK, &mut counts, |count, piece| {
            *count += counters.with(|(apart, scratch)| {
                apart.set(self.bodies, self.lattice, piece);
                let (together, holds) = (apart.columns(self.bodies), |distance| near.holds(distance));
                count_chunk(&together, Source::OnDemand, apart.pairs(), margin, holds, scratch) as u64
            });
            true
        });
        counts.iter().sum()
    }

    /// All pairs within the margin, in order, at most `limit`.
    pub fn rows<T: Precision>(self, limit: u64) -> Result<(Vec<Shifted<S, T>>, Report), ContactsError> {
        let (near, workers) = (Near::<T>::new(self.margin), Pool::<Worker<S, T>>::default());
        let (lists, tally) = (Pool::default(), Tally::default());
        // Rows are named by the number of their part and their place in it, in `u32`.
        let limit = limit.min(u64::from(u32::MAX));
        let chunks = Chunks::new(&self, &lists, &tally);
        let mut parts = vec![Vec::new(); chunks.targets()];
        chunks.each_piece(SPAN, &mut parts, |part: &mut Vec<Shifted<S, T>>, piece| {
            let (start, before) = (Moment::now(), part.len());
            let rescued = workers.with(|Worker { apart, rows: answers, scratch }| {
                apart.set(self.bodies, self.lattice, piece);
                let together = apart.columns(self.bodies);
                let (source, planes, pairs) = (Source::OnDemand, Some(Source::OnDemand), apart.pairs());
                answers.clear();
                let rescued = solve_chunk_within(&together, source, planes, pairs, near.limit(), answers, scratch);
                for row in answers.iter().filter(|row| near.holds(row.distance)) {
                    let image = piece[Apart::<S>::place(row.a)].1;
                    part.push(Shifted { row: apart.row(row), image, shift: self.lattice.shift(image) });
                }
                rescued
            });
            tally.solved(start, rescued, part.len() - before);
            tally.rows() <= limit
        });
        let mut report = self.report;
        tally.write(&mut report);
        if report.rows > limit {
            return Err(TooManyPairs { found: limit + 1, limit }.into());
        }
        let start = Moment::now();
        // What is sorted are names: rows are several times as long.
        let name = |(part, at): (usize, usize)| {
            let Shifted { row, image, .. } = &parts[part][at];
            (([row.a, row.b], *image), part as u32, at as u32)
        };
        let places = parts.iter().enumerate().flat_map(|(part, rows)| (0..rows.len()).map(move |at| (part, at)));
        let mut names: Vec<(Asked, u32, u32)> = places.map(name).collect();
        names.par_sort_unstable();
        let mut ordered = Vec::new();
        ordered.try_reserve_exact(names.len()).map_err(|_| ContactsError::Memory(report.rows))?;
        names.par_iter().map(|&(_, part, at)| parts[part as usize][at as usize]).collect_into_vec(&mut ordered);
        report.ordering = start.elapsed();
        Ok((ordered, report))
    }
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> Candidates for Search<'_, '_, S, U, F> {
    type Pair = Asked;
    type List = List;

    fn chunks(&self) -> usize {
        self.sweep.chunk_count()
    }
    fn list<'l>(&self, chunk: usize, List { pairs, asked }: &'l mut List) -> &'l [Asked] {
        self.candidates(chunk, pairs, asked);
        asked
    }
}
