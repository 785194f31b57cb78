//! Finds all near pairs of a scene.
//!
//! Bounds -> sweep -> packets, one chunk of the sweep at a time ([`chunks`](crate::chunks)).

use jostle_broadphase::PairOrder;
use jostle_narrowphase::{
    Dimension, NearScratch, PAIRS_PER_RESCUE, Precision, Proximity, Records, count_near_pairs, visit_near_pairs,
};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds::Sought;
use crate::chunks::{Chunks, QueryCounters};
use crate::clock::Moment;
use crate::collector::Collector;
use crate::error::ContactsError;
use crate::near::Near;
use crate::question::Contacts;
use crate::report::Report;
use crate::swept::SweptScene;
use crate::vicinity::Vicinity;
use crate::weight;
use crate::worker::{PairWorker, Sources, make_records};

/// Finds the near pairs of a scene. Nothing is carried over from one call to the next but buffers and the limit.
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
    scene: SweptScene<S>,
    /// Of two sets, what of the larger one is looked at.
    pub(crate) vicinity: Vicinity<S>,
    records: Records<S, T>,
    /// The pairs of each chunk that is being worked on.
    lists: Pool<Vec<[u32; 2]>>,
    workers: Pool<PairWorker<S, T>>,
    /// Yes-or-no questions are proved in `f32`, whatever the precision of answers: to count, and to rule pairs out.
    singles: Records<S, f32>,
    counters: Pool<NearScratch<S, T>>,
    collector: Collector<S, T, [u32; 2], Proximity<S, T>>,
    counts: Vec<u64>,
    pair_order: PairOrder<[u32; 2]>,
}

impl<S: Dimension, T: Precision> Default for Engine<S, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Dimension, T: Precision> Engine<S, T> {
    /// An engine that has no memory yet.
    pub fn new() -> Self {
        Self {
            scene: SweptScene::default(),
            vicinity: Vicinity::default(),
            records: Records::default(),
            lists: Pool::default(),
            workers: Pool::default(),
            singles: Records::default(),
            counters: Pool::default(),
            collector: Collector::default(),
            counts: Vec::new(),
            pair_order: PairOrder::new(),
        }
    }

    /// Sets the most rows or pairs that a list may hold (4,294,967,295 at first and at most): for scenes that might
    /// fill the memory. [`Engine::contacts`], [`Engine::contacts_where`], [`Engine::near_pairs`] and [`Engine::pairs`]
    /// fail where there are more; queries that make no list have no limit.
    ///
    /// ```
    /// use jostle::{Bodies, Body, ContactsError, D2, Engine, Shape};
    ///
    /// let mut heap = Bodies::<D2>::new();
    /// let disc = heap.add_shape(Shape::ball(0.5)?)?;
    /// for _ in 0..10 {
    ///     heap.push(Body::new(disc, [0.0, 0.0]))?; // 45 pairs
    /// }
    /// let (mut engine, mut rows) = (Engine::<D2>::new(), Vec::new());
    /// engine.set_limit(44);
    /// let refusal = engine.contacts(&heap.columns(), 0.0, &mut rows);
    /// assert!(matches!(refusal, Err(ContactsError::TooManyPairs(_))));
    /// engine.set_limit(45);
    /// assert_eq!((engine.contacts(&heap.columns(), 0.0, &mut rows)?.rows, engine.limit()), (45, 45));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_limit(&mut self, most: u64) {
        self.collector.set_limit(most);
    }
    /// The most rows or pairs that a list may hold: see [`Engine::set_limit`].
    pub fn limit(&self) -> u64 {
        self.collector.limit()
    }

    /// Lists at most this many candidates, for tests that compare the two ways to rows.
    #[doc(hidden)]
    pub fn list_at_most(&mut self, most: u64) {
        self.collector.list_at_most(most);
    }

    /// Finds all pairs of bodies that meet (see [`Filters`](crate::Filters)) and whose signed distance is at most
    /// `margin` (metres), ordered by `a`, then by `b`, with `a < b`. `rows` is replaced, unless the query is refused
    /// (and emptied if rows do not fit the memory). Runs on the rayon pool it is called from.
    ///
    /// What counts, here and wherever else pairs are found by a margin, is the distance in the row, rounded to `T`: in
    /// `f32` bodies 3.0000001 m apart are within a margin of 3 m. ([`within`](crate::within()) proves its answers.)
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, there are more rows than [`Engine::set_limit`] allows or
    /// than fit the memory, a custom shape's bounds are NaN or inverted, or there are more than 536,870,911 bodies.
    pub fn contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        self.contacts_where(bodies, margin, &|_, _| true, rows)
    }

    /// Finds the rows of [`Engine::contacts`] for whose pair the predicate `wanted(a, b)`, `a < b`, holds. The
    /// predicate is called for candidate pairs, before their distance is computed, from several threads at once, and
    /// perhaps twice for the same pair, for which it has to answer the same.
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
    /// Engine::<D2>::new().contacts_where(&bodies.columns(), 0.0, &|a, b| team(a) != team(b), &mut rows)?;
    /// assert_eq!(rows.len(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::contacts`].
    pub fn contacts_where<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        self.contacts_of(bodies, None, margin, wanted, rows)
    }

    /// The same; with a `border`, only pairs of a body before it and one from it on.
    pub(crate) fn contacts_of<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        border: Option<usize>,
        margin: f64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            let report = self.prepare(bodies, border, margin)?;
            let Self { scene, records, singles, lists, workers, collector, .. } = self;
            let question =
                Contacts { bodies, near: Near::new(margin), sources: Sources::of(records, singles), workers };
            let candidates = scene.candidates(bodies, wanted);
            collector.collect(&question, &candidates, lists, report, rows)
        })
    }

    /// Hands the rows of [`Engine::contacts`] to `visitor`, in pieces as they are found, from several threads at once
    /// and in no particular order. Nothing is collected, so memory stays bounded whatever the scene. Each pair comes
    /// once.
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
    /// If the margin is negative, not finite or beyond 1e15, a custom shape's bounds are NaN or inverted, or there are
    /// more than 536,870,911 bodies.
    pub fn visit_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        visitor: impl Fn(&[Proximity<S, T>]) + Sync,
    ) -> Result<Report, ContactsError> {
        tasks::run(weight::of_visited_scene(bodies), || {
            let mut report = self.prepare(bodies, None, margin)?;
            let tally = QueryCounters::default();
            let Self { scene, records, singles, lists, workers, .. } = self;
            let (near, sources) = (Near::new(margin), Sources::of(records, singles));
            let candidates = scene.candidates(bodies, &|_, _| true);
            let chunks = Chunks::new(&candidates, lists, &tally);
            chunks.each_piece(PAIRS_PER_RESCUE, &mut vec![(); chunks.targets()], |(), pairs| {
                workers.with(|worker| {
                    visitor(worker.near_alone(bodies, sources, pairs, near, &tally));
                });
                true
            });
            tally.write(&mut report);
            Ok(report)
        })
    }

    /// Counts the rows that [`Engine::contacts`] would give. Nothing is collected, and it is only found out whether
    /// each pair is within the margin: two to three times as fast in space, a little slower where nearly all bodies
    /// touch.
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
    /// If the margin is negative, not finite or beyond 1e15, a custom shape's bounds are NaN or inverted, or there are
    /// more than 536,870,911 bodies.
    pub fn count_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            self.scene.build(bodies, None, margin, Sought::Near)?;
            self.singles.make_for_distances(bodies);
            let Self { scene, singles, lists, counters, counts, .. } = self;
            let (near, records, tally) = (Near::<T>::new(margin), singles.source(), QueryCounters::default());
            let holds = |distance| near.holds(distance);
            let candidates = scene.candidates(bodies, &|_, _| true);
            let chunks = Chunks::new(&candidates, lists, &tally);
            counts.clear();
            counts.resize(chunks.targets(), 0);
            chunks.each_piece(PAIRS_PER_RESCUE, counts, |sum, pairs| {
                *sum +=
                    counters.with(|scratch| count_near_pairs(bodies, records, pairs, margin, holds, scratch) as u64);
                true
            });
            Ok(counts.iter().sum())
        })
    }

    /// Finds which pairs are near, and no more: the pairs of the rows that [`Engine::contacts`] would give, in their
    /// order. `pairs` is replaced, unless the query is refused. Costs little more than to count them: for neighbour
    /// lists, say ([`Adjacency::gather_pairs`](crate::Adjacency::gather_pairs)), of programs that compute distances
    /// themselves.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D3, Engine, ListKind, Shape};
    ///
    /// let mut gas = Bodies::<D3>::new();
    /// let atom = gas.add_shape(Shape::point())?;
    /// for i in 0..1000 {
    ///     gas.push(Body::new(atom, [i % 10, i / 10 % 10, i / 100].map(f64::from)))?;
    /// }
    /// let (mut engine, mut pairs, mut lists) = (Engine::<D3>::new(), Vec::new(), Adjacency::new());
    /// engine.near_pairs(&gas.columns(), 1.1, &mut pairs)?; // all centres at most 1.1 apart
    /// lists.gather_pairs(gas.len(), &pairs, ListKind::Full);
    /// assert_eq!(lists.of(0), [1, 10, 100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are more pairs than [`Engine::set_limit`] allows, else as [`Engine::count_contacts`].
    pub fn near_pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            self.scene.build(bodies, None, margin, Sought::Near)?;
            self.singles.make_for_distances(bodies);
            let Self { scene, singles, lists, counters, collector, .. } = self;
            let (near, records) = (Near::<T>::new(margin), singles.source());
            let keep = |pairs: &[[u32; 2]], list: &mut Vec<[u32; 2]>| {
                let found = |pair| list.push(pair);
                counters.with(|scratch| {
                    visit_near_pairs(bodies, records, pairs, margin, |distance| near.holds(distance), scratch, found);
                });
            };
            let candidates = scene.candidates(bodies, &|_, _| true);
            collector.find_pairs(&candidates, lists, keep)?.put_in_order(bodies.len(), pairs);
            Ok(())
        })
    }

    /// Runs the broadphase alone: all pairs that meet and whose bounds, grown for `margin`, overlap, ordered by their
    /// first, then by their second body. `pairs` is replaced.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Engine, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..4 {
    ///     bodies.push(Body::new(disc, [0.9 * f64::from(x), 0.9 * f64::from(x)]))?;
    /// }
    /// let (mut engine, mut pairs) = (Engine::<D2>::new(), Vec::new());
    /// engine.pairs(&bodies.columns(), 0.0, &mut pairs)?;
    /// assert_eq!(pairs, [[0, 1], [1, 2], [2, 3]]); // their boxes overlap, though the discs do not
    /// assert_eq!(engine.count_pairs(&bodies.columns(), 0.0)?, 3);
    /// assert_eq!(engine.count_contacts(&bodies.columns(), 0.0)?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are more pairs than [`Engine::set_limit`] allows, else as [`Engine::count_pairs`].
    pub fn pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_boxes(bodies), || {
            self.scene.build(bodies, None, margin, Sought::Boxes)?;
            let Self { scene, pair_order, collector, .. } = self;
            Ok(scene.pairs_into(bodies, collector.limit(), pair_order, pairs)?)
        })
    }

    /// Counts the pairs that [`Engine::pairs`] would give; nothing is collected.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, a custom shape's bounds are NaN or inverted, or there are
    /// more than 536,870,911 bodies.
    pub fn count_pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        tasks::run(weight::of_boxes(bodies), || {
            self.scene.build(bodies, None, margin, Sought::Boxes)?;
            Ok(self.scene.count(bodies))
        })
    }

    fn prepare<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        border: Option<usize>,
        margin: f64,
    ) -> Result<Report, ContactsError> {
        let start = Moment::now();
        let build = self.scene.build(bodies, border, margin, Sought::Near)?;
        make_records(bodies, &mut self.records, &mut self.singles);
        let bounds = start.elapsed().saturating_sub(build);
        Ok(Report { bodies: bodies.len(), bounds, build, ..Report::default() })
    }
}

/// Finds all pairs of bodies that meet and whose signed distance is at most `margin` (metres), ordered by `a`, then by
/// `b`, with `a < b`: the one-line form of [`Engine::contacts`], which keeps its buffers.
///
/// ```
/// use jostle::{Columns, D2, Rotations, Shape, contacts};
///
/// let shapes = [Shape::<D2>::ball(0.5)?];
/// let position = [[0.0, 0.0], [1.25, 0.0], [9.0, 0.0]];
/// let bodies = Columns::new(&shapes, &[0; 3], &position, Rotations::Identity)?;
/// let rows = contacts::<f32, _, _>(&bodies, 0.5)?;
/// assert_eq!((rows.len(), rows[0].a, rows[0].b, rows[0].distance), (1, 0, 1, 0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
