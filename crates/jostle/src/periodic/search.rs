//! Near pairs where space repeats, chunk by chunk of the sweep: candidates are answered where they are found and never listed,
//! so that memory is that of the rows, and a scene of too many is given up as soon as that is known.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jostle_broadphase::{ColumnSweep, TooManyPairs};
use jostle_narrowphase::{Dimension, Precision, Proximity, Scratch, Source, solve_chunk};
use jostle_shape::{Columns, CustomShape, Turns};
use rayon::prelude::*;

use super::{Asked, Images, Lattice, Shifted, lap};
use crate::bounds::check_margin;
use crate::near::Near;
use crate::pool::{self, Pool};
use crate::{ContactsError, Report};

/// Pairs that are answered together.
const SPAN: usize = 8192;

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
    /// The pairs of a piece as a scene of their own: two bodies each.
    shape: Vec<u32>,
    position: Vec<S::Array<f64>>,
    turn: Vec<S::Turn<f64>>,
    apart: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    near: Vec<Shifted<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        let (pairs, asked, shape, position) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (turn, apart, rows) = (Vec::new(), (0..SPAN as u32).map(|k| [2 * k, 2 * k + 1]).collect(), Vec::new());
        let (near, scratch) = (Vec::new(), Scratch::default());
        Self { pairs, asked, shape, position, turn, apart, rows, near, scratch }
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
                    add(rescued, this.answer(piece, worker)?);
                    worker.near.clear();
                    for (row, &([a, b], image)) in worker.rows.iter().zip(piece) {
                        if near.holds(row.distance) {
                            let row = Proximity { a, b, ..*row };
                            worker.near.push(Shifted { row, image, shift: this.lattice.shift(image) });
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

    /// Answers the pairs of a piece, as a scene in which each has two bodies of its own. Says how many `f64` had to decide.
    fn answer<T: Precision>(&self, asked: &[Asked], worker: &mut Worker<S, T>) -> Result<u64, ContactsError> {
        let Self { bodies, lattice, .. } = self;
        let Worker { shape, position, turn, apart, rows, scratch, .. } = worker;
        shape.clear();
        position.clear();
        turn.clear();
        let turned = !matches!(bodies.turns(), Turns::Identity);
        for &([a, b], image) in asked {
            let ([a, b], shift) = ([a as usize, b as usize], lattice.shift(image));
            let (at, from) = (bodies.positions()[a], bodies.positions()[b]);
            shape.extend([a, b].map(|body| bodies.shape_indices()[body]));
            position.extend([at, S::array(|k| from[k] + shift[k])]);
            if turned {
                turn.extend([a, b].map(|body| bodies.turns().get(body)));
            }
        }
        let turns = if turned { Turns::Double(turn) } else { Turns::Identity };
        let together = Columns::new(bodies.shapes(), shape, position, turns)?;
        rows.resize(asked.len(), Proximity::default());
        Ok(solve_chunk(&together, Source::OnDemand, &apart[..asked.len()], rows, scratch) as u64)
    }
}
