//! Near pairs where space repeats, chunk by chunk of the sweep: candidates are answered where they are found and never listed,
//! so that memory is that of the rows, and a scene of too many is given up as soon as that is known.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jostle_broadphase::{ColumnSweep, TooManyPairs};
use jostle_narrowphase::{
    CHUNK, CountScratch, Dimension, Precision, Proximity, SPAN, Scratch, Source, count_chunk, solve_chunk,
};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::{self as tasks, Pool};
use rayon::prelude::*;

use super::apart::Apart;
use super::images::Images;
use super::lattice::Lattice;
use super::shifted::{Asked, Shifted};
use crate::bounds::check_margin;
use crate::engine::Report;
use crate::error::ContactsError;
use crate::near::Near;

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
struct List {
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
        let start = Instant::now();
        let mut images = Images::default();
        images.fill(bodies, lattice, margin, 0..bodies.len() as u32, &|_| 0.0)?;
        report.bounds = start.elapsed();
        let start = Instant::now();
        let mut sweep = ColumnSweep::new();
        sweep.build(images.bounds())?;
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
        let (total, pool) = (AtomicU64::new(0), Pool::<Vec<[u32; 2]>>::default());
        let mut parts = vec![Vec::new(); self.sweep.chunk_count()];
        tasks::for_each(&mut parts, |chunk, asked| {
            // Past the limit the rest is not looked at.
            if total.load(Ordering::Relaxed) <= limit {
                pool.with(|pairs| self.candidates(chunk, pairs, asked));
                total.fetch_add(asked.len() as u64, Ordering::Relaxed);
            }
        });
        if total.into_inner() > limit {
            return Err(TooManyPairs { found: limit + 1, limit }.into());
        }
        let mut asked = parts.concat();
        asked.par_sort_unstable();
        Ok(asked)
    }

    /// How many pairs are within the margin: of each no more is found out than that.
    pub fn count<T: Precision>(&self) -> u64 {
        let (near, margin) = (Near::<T>::new(self.margin), self.margin);
        let counters = Pool::<(Apart<S>, CountScratch<S, T>)>::default();
        let mut counts = vec![0; self.targets()];
        self.each_piece(CHUNK, &mut counts, |count, piece| {
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
        let [rows, rescued, narrowphase] = [const { AtomicU64::new(0) }; 3];
        let mut parts = vec![Vec::new(); self.targets()];
        let found = self.each_piece(SPAN, &mut parts, |part: &mut Vec<Shifted<S, T>>, piece| {
            let start = Instant::now();
            let before = part.len();
            workers.with(|Worker { apart, rows: answers, scratch }| {
                apart.set(self.bodies, self.lattice, piece);
                answers.resize(piece.len(), Proximity::default());
                let together = apart.columns(self.bodies);
                let hard = solve_chunk(&together, Source::OnDemand, apart.pairs(), answers, scratch);
                add(&rescued, hard as u64);
                for (at, (row, &(_, image))) in answers.iter().zip(piece).enumerate() {
                    if near.holds(row.distance) {
                        part.push(Shifted { row: apart.row(at, row), image, shift: self.lattice.shift(image) });
                    }
                }
            });
            add(&narrowphase, start.elapsed().as_nanos() as u64);
            add(&rows, (part.len() - before) as u64);
            rows.load(Ordering::Relaxed) <= limit
        });
        let [rows, rescued, narrowphase] = [rows, rescued, narrowphase].map(AtomicU64::into_inner);
        if rows > limit {
            return Err(TooManyPairs { found: limit + 1, limit }.into());
        }
        let start = Instant::now();
        // What is sorted are names: rows are several times as long.
        let name = |(part, at): (usize, usize)| {
            let Shifted { row, image, .. } = &parts[part][at];
            (([row.a, row.b], *image), part as u32, at as u32)
        };
        let places = parts.iter().enumerate().flat_map(|(part, rows)| (0..rows.len()).map(move |at| (part, at)));
        let mut names: Vec<(Asked, u32, u32)> = places.map(name).collect();
        names.par_sort_unstable();
        let mut ordered = Vec::new();
        ordered.try_reserve_exact(names.len()).map_err(|_| ContactsError::Memory(rows))?;
        names.par_iter().map(|&(_, part, at)| parts[part as usize][at as usize]).collect_into_vec(&mut ordered);
        let (Found { candidates, sweep }, narrowphase, ordering) =
            (found, Duration::from_nanos(narrowphase), start.elapsed());
        Ok((ordered, Report { candidates, rows, rescued, sweep, narrowphase, ordering, ..self.report }))
    }

    /// How many targets [`Search::each_piece`] wants: some for each chunk of the sweep.
    fn targets(&self) -> usize {
        let chunks = self.sweep.chunk_count();
        chunks * tasks::shares(chunks)
    }

    /// Does `work` for the pairs of all chunks, up to `most` at a time, each time with one of the targets, until that says that it has
    /// seen enough.
    fn each_piece<X: Send>(
        &self,
        most: usize,
        targets: &mut [X],
        work: impl Fn(&mut X, &[Asked]) -> bool + Sync,
    ) -> Found {
        let (full, lists) = (AtomicBool::new(false), Pool::<List>::default());
        let [candidates, sweep] = [const { AtomicU64::new(0) }; 2];
        tasks::for_each_few(targets, tasks::shares(self.sweep.chunk_count()), |chunk, targets| {
            if full.load(Ordering::Relaxed) {
                return;
            }
            lists.with(|List { pairs, asked }| {
                let start = Instant::now();
                self.candidates(chunk, pairs, asked);
                add(&sweep, start.elapsed().as_nanos() as u64);
                add(&candidates, asked.len() as u64);
                tasks::share(asked, CHUNK, targets, |asked, target| {
                    for piece in asked.chunks(most) {
                        if full.load(Ordering::Relaxed) || !work(target, piece) {
                            full.store(true, Ordering::Relaxed);
                            return;
                        }
                    }
                });
            });
        });
        Found { candidates: candidates.into_inner(), sweep: Duration::from_nanos(sweep.into_inner()) }
    }
}

/// What the sweep came to.
struct Found {
    candidates: u64,
    sweep: Duration,
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}
