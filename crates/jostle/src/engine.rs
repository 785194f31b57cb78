//! The main job: bodies in, all near pairs out.
//!
//! Bounds -> sweep -> packets, one chunk of the sweep at a time: a chunk's pairs are solved while its bodies are hot in
//! the cache, and no list of all candidates is ever made. Where there are few chunks their pairs are shared out, lest threads
//! have nothing to do.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jostle_broadphase::{Bounds, ColumnSweep, TooManyPairs};
use jostle_narrowphase::{
    CHUNK, CountScratch, Dimension, Precision, Proximity, Records, SPAN, Scratch, Source, count_chunk, solve_chunk,
};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds;
use crate::error::ContactsError;
use crate::near::Near;
use crate::order::Order;

/// Where a query's time went and how many pairs it looked at.
///
/// `sweep` and `narrowphase` are summed over threads, the other times are wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many bodies there were.
    pub bodies: usize,
    /// Pairs whose bounds overlap and whose filters let them meet.
    pub candidates: u64,
    /// Pairs within the margin.
    pub rows: u64,
    /// Pairs that `f64` had to decide.
    pub rescued: u64,
    /// Making the bodies' bounds and records.
    pub bounds: Duration,
    /// Dealing the bounds out to regions.
    pub build: Duration,
    /// Sorting regions into columns and finding candidate pairs.
    pub sweep: Duration,
    /// Distances, normals, witness points.
    pub narrowphase: Duration,
    /// Bringing rows into order.
    pub ordering: Duration,
}

impl Report {
    /// The broadphase's share: build and sweep.
    pub fn broadphase(&self) -> Duration {
        self.build + self.sweep
    }
}

/// Finds the near pairs of a scene, frame after frame, keeping its memory.
///
/// `S` is the plane or space, `T` the precision of the answers.
///
/// ```
/// use jostle::{Bodies, Body, D3, Engine, Shape};
///
/// let mut bodies = Bodies::<D3>::new();
/// let ball = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in 0..10 {
///     bodies.push(Body::new(ball, [f64::from(x) * 1.5, 0.0, 0.0]))?;
/// }
/// let mut engine = Engine::<D3>::new();
/// let mut rows = Vec::new();
/// let report = engine.contacts(&bodies.columns(), 0.6, &mut rows)?;
/// assert_eq!((report.rows, rows[0].a, rows[0].b, rows[0].distance), (9, 0, 1, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine<S: Dimension, T: Precision = f32> {
    bounds: Bounds<S>,
    sweep: ColumnSweep<S>,
    records: Records<S, T>,
    /// The pairs of each chunk that is being worked on.
    lists: Pool<Vec<[u32; 2]>>,
    workers: Pool<Worker<S, T>>,
    /// What counting needs: a yes or no is proved in `f32`, whatever the precision.
    singles: Records<S, f32>,
    counters: Pool<CountScratch<S, T>>,
    /// The rows of each share of a chunk.
    parts: Vec<Vec<Proximity<S, T>>>,
    order: Order,
}

impl<S: Dimension, T: Precision> Default for Engine<S, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// What one task keeps from chunk to chunk.
struct Worker<S: Dimension, T: Precision> {
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        Self { rows: Vec::new(), scratch: Scratch::default() }
    }
}

/// Counters that tasks add to.
#[derive(Default)]
struct Tally {
    candidates: AtomicU64,
    rows: AtomicU64,
    rescued: AtomicU64,
    /// Somebody has seen enough.
    full: AtomicBool,
    sweep: AtomicU64,
    narrowphase: AtomicU64,
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn nanoseconds(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}

impl<S: Dimension, T: Precision> Engine<S, T> {
    /// An engine that has no memory yet.
    pub fn new() -> Self {
        Self {
            bounds: Bounds::new(),
            sweep: ColumnSweep::new(),
            records: Records::default(),
            lists: Pool::default(),
            workers: Pool::default(),
            singles: Records::default(),
            counters: Pool::default(),
            parts: Vec::new(),
            order: Order::default(),
        }
    }

    /// All pairs of bodies that meet (see [`Filters`](crate::Filters)) and whose distance is at most `margin`, ordered by `a`,
    /// then by `b`, with `a < b`. `rows` is replaced.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, the rows do not fit the memory or number more than `u32::MAX`,
    /// the bounds of a (custom) shape are no numbers, or there are more bodies than a broadphase takes.
    pub fn contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        self.contacts_limited(bodies, margin, u64::from(u32::MAX), rows)
    }

    /// The same, for at most `limit` rows: for scenes whose pairs might fill the memory.
    ///
    /// # Errors
    /// If there are more rows than `limit` or than fit the memory, else as [`Engine::contacts`].
    pub fn contacts_limited<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        limit: u64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        self.contacts_where(bodies, margin, limit, &|_, _| true, rows)
    }

    /// The same for those pairs for which `wanted(a, b)`, `a < b`, holds: it is asked as soon as two boxes overlap, from
    /// several threads at once.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Engine, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..100 {
    ///     bodies.push(Body::new(disc, [f64::from(x) * 0.9, 0.0]))?;
    /// }
    /// let team = |body: u32| body / 10;
    /// let mut rows = Vec::new();
    /// Engine::<D2>::new().contacts_where(
    ///     &bodies.columns(), 0.0, u64::MAX, &|a, b| team(a) != team(b), &mut rows,
    /// )?;
    /// assert_eq!(rows.len(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::contacts_limited`].
    pub fn contacts_where<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        limit: u64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        let limit = limit.min(u64::from(u32::MAX));
        let mut report = self.prepare(bodies, margin)?;
        let tally = Tally::default();
        let near = Near::new(margin);
        let Self { sweep, records, lists, workers, parts, order, .. } = self;
        let search = Search { bodies, near, sweep, records: records.source(), lists, workers, tally: &tally, wanted };
        let shares = tasks::shares(sweep.chunk_count());
        let count = shares * sweep.chunk_count();
        if parts.len() < count {
            parts.resize_with(count, Vec::new);
        }
        let parts = &mut parts[..count];
        parts.iter_mut().for_each(Vec::clear);
        search.work(shares, parts, |kept, near| {
            kept.extend_from_slice(near);
            // Past the limit the rest is not looked at.
            tally.rows.load(Ordering::Relaxed) <= limit
        });
        tally.write(&mut report);
        if report.rows > limit {
            return Err(TooManyPairs { found: limit + 1, limit }.into());
        }
        let start = Instant::now();
        rows.clear();
        rows.try_reserve_exact(report.rows as usize).map_err(|_| ContactsError::Memory(report.rows))?;
        order.by_pair(parts, bodies.len(), rows);
        report.ordering = start.elapsed();
        Ok(report)
    }

    /// The same pairs, handed to `visitor` in pieces as they are found, from several threads at once and in no
    /// particular order: nothing is collected, so memory stays bounded whatever the scene. Each pair comes once.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use jostle::{Bodies, Body, D2, Engine, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..100 {
    ///     bodies.push(Body::new(disc, [f64::from(x) * 0.9, 0.0]))?;
    /// }
    /// let overlaps = AtomicUsize::new(0);
    /// Engine::<D2>::new().visit_contacts(&bodies.columns(), 0.0, |rows| {
    ///     overlaps.fetch_add(rows.len(), Ordering::Relaxed);
    /// })?;
    /// assert_eq!(overlaps.into_inner(), 99);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, the bounds of a (custom) shape are no numbers, or there are more
    /// bodies than a broadphase takes.
    pub fn visit_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        visitor: impl Fn(&[Proximity<S, T>]) + Sync,
    ) -> Result<Report, ContactsError> {
        let mut report = self.prepare(bodies, margin)?;
        let tally = Tally::default();
        let Self { sweep, records, lists, workers, .. } = self;
        let (near, records, wanted) = (Near::new(margin), records.source(), &|_, _| true);
        let search = Search { bodies, near, sweep, records, lists, workers, tally: &tally, wanted };
        let shares = tasks::shares(sweep.chunk_count());
        search.work(shares, &mut vec![(); shares * sweep.chunk_count()], |(), near| {
            visitor(near);
            true
        });
        tally.write(&mut report);
        Ok(report)
    }

    /// How many rows [`Engine::contacts`] would give. Nothing is collected, and no more is found of a pair than whether it
    /// is within the margin: several times cheaper where bodies overlap.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D3, Engine, Shape};
    ///
    /// let mut bodies = Bodies::<D3>::new();
    /// let cone = bodies.add_shape(Shape::cone(1.0, 0.5)?)?;
    /// for x in 0..100 {
    ///     bodies.push(Body::new(cone, [0.75 * f64::from(x), 0.0, 0.0]))?;
    /// }
    /// let mut engine = Engine::<D3>::new();
    /// assert_eq!(engine.count_contacts(&bodies.columns(), 0.0)?, 99);
    /// assert_eq!(engine.count_contacts(&bodies.columns(), 0.51)?, 99 + 98);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, the bounds of a (custom) shape are no numbers, or there are more
    /// bodies than a broadphase takes.
    pub fn count_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        self.find_bounds(bodies, margin)?;
        self.singles.make(bodies);
        let Self { sweep, singles, lists, counters, .. } = self;
        let (near, records) = (Near::<T>::new(margin), singles.source());
        let holds = |distance| near.holds(distance);
        let shares = tasks::shares(sweep.chunk_count());
        let mut counts = vec![0_u64; shares * sweep.chunk_count()];
        tasks::for_each_few(&mut counts, shares, |chunk, counts| {
            lists.with(|pairs| {
                find_pairs(sweep, bodies, chunk, &|_, _| true, pairs);
                tasks::share(pairs, CHUNK, counts, |pairs, sum| {
                    counters.with(|scratch| {
                        for piece in pairs.chunks(CHUNK) {
                            *sum += count_chunk(bodies, records, piece, margin, holds, scratch) as u64;
                        }
                    });
                });
            });
        });
        Ok(counts.iter().sum())
    }

    /// The broadphase alone: all pairs that meet and whose bounds, grown for `margin`, overlap, at most `limit` of them,
    /// ordered by their first, then by their second body.
    ///
    /// # Errors
    /// If there are more pairs than `limit`, or than 2^32 - 1, with their number, else as [`Engine::count_pairs`].
    pub fn pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        limit: Option<u64>,
    ) -> Result<Vec<[u32; 2]>, ContactsError> {
        self.find_bounds(bodies, margin)?;
        let filters = bodies.filters();
        // No list is longer than places can be counted.
        let limit = limit.unwrap_or(u64::MAX).min(u64::from(u32::MAX));
        Ok(self.sweep.sorted_pairs(&|a, b| filters.meet(a, b), Some(limit))?)
    }

    /// How many pairs [`Engine::pairs`] would give; nothing is collected.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, the bounds of a (custom) shape are no numbers, or there are more
    /// bodies than a broadphase takes.
    pub fn count_pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        self.find_bounds(bodies, margin)?;
        let filters = bodies.filters();
        Ok(self.sweep.count(&|a, b| filters.meet(a, b)))
    }

    fn find_bounds<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<Duration, ContactsError> {
        bounds::check_margin(margin)?;
        bounds::fill(bodies, margin, &mut self.bounds);
        let start = Instant::now();
        self.sweep.build(&self.bounds)?;
        Ok(start.elapsed())
    }

    fn prepare<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>, margin: f64) -> Result<Report, ContactsError> {
        let start = Instant::now();
        let build = self.find_bounds(bodies, margin)?;
        self.records.make(bodies);
        Ok(Report { bodies: bodies.len(), bounds: start.elapsed().saturating_sub(build), build, ..Report::default() })
    }
}

/// The pairs of one chunk that may meet and are wanted.
fn find_pairs<S: Dimension, U: CustomShape<S>>(
    sweep: &ColumnSweep<S>,
    bodies: &Columns<'_, S, U>,
    chunk: usize,
    wanted: &(impl Fn(u32, u32) -> bool + Sync),
    pairs: &mut Vec<[u32; 2]>,
) {
    let filters = bodies.filters();
    if filters.is_empty() {
        sweep.chunk_pairs(chunk, wanted, pairs);
    } else {
        sweep.chunk_pairs(chunk, &|a, b| filters.meet(a, b) && wanted(a, b), pairs);
    }
}

/// One query, as its tasks see it.
struct Search<'q, 'b, S: Dimension, T: Precision, U, F> {
    bodies: &'q Columns<'b, S, U>,
    near: Near<T>,
    sweep: &'q ColumnSweep<S>,
    records: Source<'q, S, T>,
    lists: &'q Pool<Vec<[u32; 2]>>,
    workers: &'q Pool<Worker<S, T>>,
    tally: &'q Tally,
    wanted: &'q F,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>, F: Fn(u32, u32) -> bool + Sync> Search<'_, '_, S, T, U, F> {
    /// Finds and solves the pairs of all chunks of the sweep, each in so many shares, and hands what is near to `visit` with the
    /// share's own target, until that says that it has seen enough.
    fn work<X: Send>(
        &self,
        shares: usize,
        targets: &mut [X],
        visit: impl Fn(&mut X, &[Proximity<S, T>]) -> bool + Sync,
    ) {
        let Self { bodies, sweep, lists, tally, wanted, .. } = *self;
        tasks::for_each_few(targets, shares, |chunk, targets| {
            if tally.full.load(Ordering::Relaxed) {
                return;
            }
            lists.with(|pairs| {
                let start = Instant::now();
                find_pairs(sweep, bodies, chunk, wanted, pairs);
                add(&tally.sweep, nanoseconds(start));
                add(&tally.candidates, pairs.len() as u64);
                tasks::share(pairs, CHUNK, targets, |pairs, target| self.solve(pairs, |near| visit(target, near)));
            });
        });
    }

    fn solve(&self, pairs: &[[u32; 2]], mut visit: impl FnMut(&[Proximity<S, T>]) -> bool) {
        let Self { bodies, near, records, workers, tally, .. } = *self;
        workers.with(|Worker { rows, scratch }| {
            for piece in pairs.chunks(SPAN) {
                let start = Instant::now();
                rows.resize(piece.len(), Proximity::default());
                let rescued = solve_chunk(bodies, records, piece, rows, scratch);
                rows.retain(|row| near.holds(row.distance));
                add(&tally.narrowphase, nanoseconds(start));
                add(&tally.rescued, rescued as u64);
                add(&tally.rows, rows.len() as u64);
                if !visit(rows) || tally.full.load(Ordering::Relaxed) {
                    tally.full.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}

impl Tally {
    fn write(self, report: &mut Report) {
        report.candidates = self.candidates.into_inner();
        report.rows = self.rows.into_inner();
        report.rescued = self.rescued.into_inner();
        report.sweep = Duration::from_nanos(self.sweep.into_inner());
        report.narrowphase = Duration::from_nanos(self.narrowphase.into_inner());
    }
}

/// All pairs of bodies that meet and whose distance is at most `margin`, ordered by `a`, then by `b`: the one-line form of
/// [`Engine::contacts`], which keeps its memory.
///
/// # Errors
/// As [`Engine::contacts`].
pub fn contacts<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    margin: f64,
) -> Result<Vec<Proximity<S, T>>, ContactsError> {
    let mut rows = Vec::new();
    Engine::<S, T>::new().contacts(bodies, margin, &mut rows)?;
    Ok(rows)
}
