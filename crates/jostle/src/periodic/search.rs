//! Near pairs where space repeats, chunk by chunk of the sweep: candidates are answered where they are found and never listed,
//! so that memory is that of the rows, and a scene of too many is given up as soon as that is known.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jostle_broadphase::{ColumnSweep, TooManyPairs};
use jostle_narrowphase::{Dimension, Precision, Proximity, SPAN, Scratch, Source, solve_chunk};
use jostle_shape::{Columns, CustomShape};
use rayon::prelude::*;

use super::{Apart, Asked, Images, Lattice, Shifted, lap};
use crate::bounds::check_margin;
use crate::near::Near;
use crate::pool::{self, Pool};
use crate::{ContactsError, Report};

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
    pairs: Vec<[u32; 2]>,
    asked: Vec<Asked>,
    apart: Apart<S>,
    rows: Vec<Proximity<S, T>>,
    near: Vec<Shifted<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        let (pairs, asked, rows, near) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { pairs, asked, apart: Apart::default(), rows, near, scratch: Scratch::default() }
    }
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
        report.bounds = lap(start);
        let start = Instant::now();
        let mut sweep = ColumnSweep::new();
        sweep.build(images.bounds())?;
        report.build = lap(start);
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
        pool::for_each(&mut parts, |chunk, asked| {
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

    /// How many pairs are within the margin.
    pub fn count<T: Precision>(mut self) -> Result<u64, ContactsError> {
        self.visit::<T, _>(&mut vec![(); self.sweep.chunk_count()], |(), _| true)?;
        Ok(self.report.rows)
    }

    /// All pairs within the margin, in order, at most `limit`.
    pub fn rows<T: Precision>(mut self, limit: u64) -> Result<(Vec<Shifted<S, T>>, Report), ContactsError> {
        let mut parts = vec![Vec::new(); self.sweep.chunk_count()];
        let total = AtomicU64::new(0);
        self.visit(&mut parts, |part: &mut Vec<_>, near| {
            part.extend_from_slice(near);
            total.fetch_add(near.len() as u64, Ordering::Relaxed) + near.len() as u64 <= limit
        })?;
        if total.into_inner() > limit {
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
        let rows = names.par_iter().map(|&(_, part, at)| parts[part as usize][at as usize]).collect();
        self.report.ordering = lap(start);
        Ok((rows, self.report))
    }

    /// Answers all chunks, and hands those that are within the margin to `visit` with the chunk's own entry, until it has seen
    /// enough.
    fn visit<T: Precision, X: Send>(
        &mut self,
        parts: &mut [X],
        visit: impl Fn(&mut X, &[Shifted<S, T>]) -> bool + Sync,
    ) -> Result<(), ContactsError> {
        let (near, workers) = (Near::<T>::new(self.margin), Pool::<Worker<S, T>>::default());
        let (full, tally) = (AtomicBool::new(false), [const { AtomicU64::new(0) }; 5]);
        let [candidates, rows, rescued, sweep, narrowphase] = &tally;
        let add = |to: &AtomicU64, count: u64| to.fetch_add(count, Ordering::Relaxed);
        let this = &*self;
        let work = |(chunk, part): (usize, &mut X)| -> Result<(), ContactsError> {
            if full.load(Ordering::Relaxed) {
                return Ok(());
            }
            workers.with(|worker| {
                let start = Instant::now();
                let mut asked = core::mem::take(&mut worker.asked);
                this.candidates(chunk, &mut worker.pairs, &mut asked);
                add(sweep, lap(start).as_nanos() as u64);
                add(candidates, asked.len() as u64);
                for piece in asked.chunks(SPAN) {
                    let start = Instant::now();
                    let Worker { apart, rows: answers, near: found, scratch, .. } = worker;
                    apart.set(this.bodies, this.lattice, piece);
                    answers.resize(piece.len(), Proximity::default());
                    let together = apart.columns(this.bodies);
                    let hard = solve_chunk(&together, Source::OnDemand, apart.pairs(), answers, scratch);
                    add(rescued, hard as u64);
                    found.clear();
                    for (at, (row, &(_, image))) in answers.iter().zip(piece).enumerate() {
                        if near.holds(row.distance) {
                            let shift = this.lattice.shift(image);
                            found.push(Shifted { row: apart.row(at, row), image, shift });
                        }
                    }
                    add(narrowphase, lap(start).as_nanos() as u64);
                    add(rows, worker.near.len() as u64);
                    if !visit(part, &worker.near) {
                        full.store(true, Ordering::Relaxed);
                        break;
                    }
                }
                worker.asked = asked;
                Ok(())
            })
        };
        parts.par_iter_mut().with_max_len(1).enumerate().try_for_each(work)?;
        let [candidates, rows, rescued, sweep, narrowphase] = tally.map(AtomicU64::into_inner);
        let [sweep, narrowphase] = [sweep, narrowphase].map(Duration::from_nanos);
        self.report = Report { candidates, rows, rescued, sweep, narrowphase, ..self.report };
        Ok(())
    }
}
