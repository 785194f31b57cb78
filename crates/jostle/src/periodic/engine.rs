//! Finds the near pairs of a scene that repeats, keeping its memory from call to call.
//!
//! Bounds of bodies and images -> sweep -> packets, as in open space ([`Engine`](crate::Engine)). Pairs of two bodies
//! at their own positions are solved as there, with the records of all bodies; only pairs with an image have their
//! bodies placed for each pair ([`Parted`](super::parted::Parted)): in a cell that is large compared with its bodies,
//! those at the border.

use std::time::Duration;

use jostle_broadphase::{ColumnSweep, Paired};
use jostle_narrowphase::{Dimension, PAIRS_PER_RESCUE, Precision, Records, count_near_pairs, visit_near_pairs};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::{self as tasks, Few, Pool};

use super::question::{Counter, PeriodicContacts, PeriodicWorker, RepeatingCandidates};
use crate::bounds::{Sought, check_margin};
use crate::chunks::{Candidates as _, Chunks, QueryCounters};
use crate::clock::Moment;
use crate::collector::{CandidateQuestion as _, Collector};
use crate::error::ContactsError;
use crate::images::{Images, SweptPair, Which};
use crate::lattice::Lattice;
use crate::near::Near;
use crate::order::order_same_pairs;
use crate::report::Report;
use crate::rows::RowBuffer;
use crate::shifted::{PairImage, Shifted};
use crate::weight;
use crate::worker::make_records;

/// Pairs that one task names the images of.
const NAMED_PER_TASK: usize = 4096;

/// Finds the near pairs of scenes that repeat, each image its own row: what [`Engine`](crate::Engine) is in open space.
/// Nothing is carried over from one call to the next but buffers, the lattice and the limit: for neighbour lists of
/// particle codes, say, which are made anew every few steps.
///
/// Positions may be anywhere, not only in the first cell. Those in it are answered fastest: pairs of bodies whose
/// positions are in different cells take up to twice the time.
///
/// `S` is the plane or space, `T` the precision of the answers.
///
/// ```
/// use jostle::{Adjacency, Bodies, Body, D3, Lattice, ListKind, PeriodicEngine, Shape};
///
/// let mut gas = Bodies::<D3>::new();
/// let atom = gas.add_shape(Shape::point())?;
/// for i in 0..1000 {
///     gas.push(Body::new(atom, [i % 10, i / 10 % 10, i / 100].map(f64::from)))?;
/// }
/// let mut engine = PeriodicEngine::<D3>::new(Lattice::orthogonal([10.0; 3])?);
/// let (mut rows, mut list) = (Vec::new(), Adjacency::new());
/// for step in 0..3 {
///     engine.contacts(&gas.columns(), 1.1, &mut rows)?; // all centres at most 1.1 apart
///     list.gather_images(gas.len(), &rows, ListKind::Full);
///     assert_eq!(list.of(0), [1, 9, 10, 90, 100, 900]);
///     assert_eq!(list.images_of(0)[1], [-1, 0, 0]);
///     gas.set(0, Body::new(atom, [0.01 * f64::from(step), 0.0, 0.0]))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PeriodicEngine<S: Dimension, T: Precision = f32> {
    lattice: Lattice<S>,
    images: Images<S>,
    sweep: ColumnSweep<S>,
    records: Records<S, T>,
    /// Yes-or-no questions are proved in `f32`, whatever the precision of answers: to count, and to rule pairs out.
    singles: Records<S, f32>,
    lists: Pool<Vec<SweptPair>>,
    workers: Pool<PeriodicWorker<S, T>>,
    /// The rows of each piece that is being handed to a visitor.
    visited: Pool<RowBuffer<Shifted<S, T>>>,
    counters: Pool<Counter<S, T>>,
    collector: Collector<S, T, SweptPair, Shifted<S, T>>,
    /// The number of rows of each share of a chunk, or of pairs of each chunk, where only that is wanted.
    counts: Vec<u64>,
}

impl<S: Dimension, T: Precision> PeriodicEngine<S, T> {
    /// An engine for scenes that repeat by this lattice, that has no memory yet.
    pub fn new(lattice: Lattice<S>) -> Self {
        Self {
            lattice,
            images: Images::default(),
            sweep: ColumnSweep::new(),
            records: Records::default(),
            singles: Records::default(),
            lists: Pool::default(),
            workers: Pool::default(),
            visited: Pool::default(),
            counters: Pool::default(),
            collector: Collector::default(),
            counts: Vec::new(),
        }
    }

    /// The lattice by which scenes repeat.
    pub fn lattice(&self) -> &Lattice<S> {
        &self.lattice
    }
    /// Sets the lattice by which scenes repeat from now on: for cells that change from step to step.
    ///
    /// ```
    /// use jostle::{D2, Lattice, PeriodicEngine};
    ///
    /// let mut engine = PeriodicEngine::<D2>::new(Lattice::orthogonal([10.0, 10.0])?);
    /// engine.set_lattice(Lattice::orthogonal([9.9, 10.1])?);
    /// assert_eq!(engine.lattice().shift([1, 1, 0]), [9.9, 10.1]);
    /// # Ok::<(), jostle::LatticeError>(())
    /// ```
    pub fn set_lattice(&mut self, lattice: Lattice<S>) {
        self.lattice = lattice;
    }

    /// Sets the most rows or pairs that a list may hold (4,294,967,295 at first and at most): see
    /// [`Engine::set_limit`](crate::Engine::set_limit).
    pub fn set_limit(&mut self, most: u64) {
        self.collector.set_limit(most);
    }
    /// The most rows or pairs that a list may hold.
    pub fn limit(&self) -> u64 {
        self.collector.limit()
    }

    /// As [`Engine::list_at_most`](crate::Engine::list_at_most).
    #[doc(hidden)]
    pub fn list_at_most(&mut self, most: u64) {
        self.collector.list_at_most(most);
    }

    /// Finds all pairs of bodies that meet whose signed distance is at most `margin` (metres), each image its own row:
    /// `a < b` (or `a = b`, if the lattice has self-images: then the image's first number other than 0 is positive),
    /// ordered by `a`, `b`, then by image. `rows` is replaced, unless the query is refused
    /// (and emptied if rows do not fit the memory). Runs on the rayon pool it
    /// is called from.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, there are more rows than [`set_limit`](Self::set_limit)
    /// allows or than fit the memory, a custom shape's bounds are NaN or inverted, a body is more than 2^29 cells away
    /// from the origin, so many images reach the cell, because bodies are far longer than it, that there are more than
    /// 262,144 and 32 for each body, or 65,536 of one, or there are more than 536,870,911 bodies and images.
    pub fn contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Shifted<S, T>>,
    ) -> Result<Report, ContactsError> {
        self.contacts_where(bodies, margin, &|_, _| true, rows)
    }

    /// Finds the rows of [`contacts`](Self::contacts) for whose pair the predicate `wanted(a, b)`, `a <= b`, holds. The
    /// predicate is called for each image of a candidate pair, before its distance is computed, from several threads at
    /// once, and perhaps twice for the same one, for which it has to answer the same.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Lattice, PeriodicEngine, Shape};
    ///
    /// let mut ring = Bodies::<D2>::new();
    /// let disc = ring.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..10 {
    ///     ring.push(Body::new(disc, [f64::from(x), 0.0]))?;
    /// }
    /// let mut engine = PeriodicEngine::<D2>::new(Lattice::orthogonal([10.0, 0.0])?);
    /// let mut rows = Vec::new();
    /// engine.contacts_where(&ring.columns(), 0.0, &|a, b| a / 5 != b / 5, &mut rows)?;
    /// let found: Vec<_> = rows.iter().map(|near| (near.row.a, near.row.b, near.image[0])).collect();
    /// assert_eq!(found, [(0, 9, -1), (4, 5, 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts).
    pub fn contacts_where<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        rows: &mut Vec<Shifted<S, T>>,
    ) -> Result<Report, ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            let report = self.prepare(bodies, margin)?;
            let Self { lattice, images, sweep, records, singles, lists, workers, collector, .. } = self;
            let (lattice, images) = (&*lattice, &*images);
            let question = PeriodicContacts::new(bodies, (lattice, images), margin, (records, singles), workers);
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted };
            collector.collect(&question, &candidates, lists, report, rows)
        })
    }

    /// Hands the rows of [`contacts`](Self::contacts) to `visitor`, in pieces as they are found, from several threads
    /// at once and in no particular order. Nothing is collected, so memory stays bounded whatever the scene. Each row
    /// comes once.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use jostle::{Bodies, Body, D2, Lattice, PeriodicEngine, Shape};
    ///
    /// let mut ring = Bodies::<D2>::new();
    /// let disc = ring.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..100 {
    ///     ring.push(Body::new(disc, [f64::from(x) * 0.9, 0.0]))?;
    /// }
    /// let (overlaps, seams) = (AtomicUsize::new(0), AtomicUsize::new(0));
    /// PeriodicEngine::<D2>::new(Lattice::orthogonal([90.0, 0.0])?).visit_contacts(&ring.columns(), 0.0, |rows| {
    ///     overlaps.fetch_add(rows.len(), Ordering::Relaxed);
    ///     seams.fetch_add(rows.iter().filter(|near| near.image != [0; 3]).count(), Ordering::Relaxed);
    /// })?;
    /// assert_eq!((overlaps.into_inner(), seams.into_inner()), (100, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts), without a limit.
    pub fn visit_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        visitor: impl Fn(&[Shifted<S, T>]) + Sync,
    ) -> Result<Report, ContactsError> {
        tasks::run(weight::of_visited_scene(bodies), || {
            let mut report = self.prepare(bodies, margin)?;
            let tally = QueryCounters::default();
            let Self { lattice, images, sweep, records, singles, lists, workers, visited, .. } = self;
            let (lattice, images) = (&*lattice, &*images);
            let question = PeriodicContacts::new(bodies, (lattice, images), margin, (records, singles), workers);
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted: &|_, _| true };
            let chunks = Chunks::new(&candidates, lists, &tally);
            chunks.each_piece(PAIRS_PER_RESCUE, &mut vec![(); chunks.targets()], |(), asked| {
                visited.with(|rows| {
                    rows.clear();
                    rows.put(asked.len(), |room| question.rows(asked, &tally, room));
                    visitor(rows);
                });
                true
            });
            tally.write(&mut report);
            Ok(report)
        })
    }

    /// Counts the rows that [`contacts`](Self::contacts) would give. Nothing is collected, and it is only found out
    /// whether each pair is within the margin.
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts), without a limit.
    pub fn count_contacts<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            self.find_bounds(bodies, margin, Sought::Near)?;
            self.singles.make_for_distances(bodies);
            let Self { lattice, images, sweep, singles, lists, counters, counts, .. } = self;
            let (near, tally) = (Near::<T>::new(margin), QueryCounters::default());
            let (lattice, images) = (&*lattice, &*images);
            let holds = |distance| near.holds(distance);
            let (records, elsewhere) = (singles.source(), singles.template_source());
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted: &|_, _| true };
            let chunks = Chunks::new(&candidates, lists, &tally);
            counts.clear();
            counts.resize(chunks.targets(), 0);
            chunks.each_piece(PAIRS_PER_RESCUE, counts, |sum, asked| {
                *sum += counters.with(|Counter { parted, scratch }| {
                    parted.set(bodies, lattice, asked, |pair| images.image_of(pair));
                    let here = count_near_pairs(bodies, records, parted.here(), margin, holds, scratch);
                    let (together, pairs) = parted.elsewhere(bodies);
                    (here + count_near_pairs(&together, elsewhere, pairs, margin, holds, scratch)) as u64
                });
                true
            });
            Ok(counts.iter().sum())
        })
    }

    /// Finds which pairs are near, by which image, and no more: the pairs of the rows that [`contacts`](Self::contacts)
    /// would give, in their order. `pairs` is replaced, unless the query is refused. Costs little more than to count
    /// them: for neighbour lists ([`Adjacency::gather_image_pairs`](crate::Adjacency::gather_image_pairs)) of particle
    /// codes, say, which compute distances themselves.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D3, Lattice, ListKind, PeriodicEngine, Shape};
    ///
    /// let mut gas = Bodies::<D3>::new();
    /// let atom = gas.add_shape(Shape::point())?;
    /// for i in 0..1000 {
    ///     gas.push(Body::new(atom, [i % 10, i / 10 % 10, i / 100].map(f64::from)))?;
    /// }
    /// let mut engine = PeriodicEngine::<D3>::new(Lattice::orthogonal([10.0; 3])?);
    /// let (mut pairs, mut lists) = (Vec::new(), Adjacency::new());
    /// engine.near_pairs(&gas.columns(), 1.1, &mut pairs)?; // all centres at most 1.1 apart
    /// lists.gather_image_pairs(gas.len(), &pairs, ListKind::Full);
    /// assert_eq!((lists.of(0), lists.images_of(0)[1]), (&[1, 9, 10, 90, 100, 900][..], [-1, 0, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts), with pairs for rows.
    pub fn near_pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        pairs: &mut Vec<PairImage>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_scene(bodies), || {
            self.find_bounds(bodies, margin, Sought::Near)?;
            self.singles.make_for_distances(bodies);
            let Self { lattice, images, sweep, singles, lists, counters, collector, .. } = self;
            let (near, lattice, images) = (Near::<T>::new(margin), &*lattice, &*images);
            let holds = |distance| near.holds(distance);
            let (records, elsewhere) = (singles.source(), singles.template_source());
            let keep = |asked: &[SweptPair], list: &mut Vec<SweptPair>| {
                counters.with(|Counter { parted, scratch }| {
                    parted.set(bodies, lattice, asked, |pair| images.image_of(pair));
                    let here = |pair| list.push(SweptPair::here(pair));
                    visit_near_pairs(bodies, records, parted.here(), margin, holds, scratch, here);
                    let (together, pairs) = parted.elsewhere(bodies);
                    let there = |pair| list.push(asked[parted.place(pair)]);
                    visit_near_pairs(&together, elsewhere, pairs, margin, holds, scratch, there);
                });
            };
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted: &|_, _| true };
            name(collector.find_pairs(&candidates, lists, keep)?.in_order(bodies.len()), images, pairs);
            Ok(())
        })
    }

    /// Runs the broadphase alone: all pairs that meet and whose bounds, grown for `margin`, overlap, each with the
    /// image of its second body (the multiple of each lattice vector), in the order of [`contacts`](Self::contacts).
    /// `pairs` is replaced.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Lattice, PeriodicEngine, Shape};
    ///
    /// let mut ring = Bodies::<D2>::new();
    /// let disc = ring.add_shape(Shape::ball(0.5)?)?;
    /// for x in [0.25, 4.0, 9.5] {
    ///     ring.push(Body::new(disc, [x, 0.0]))?;
    /// }
    /// let (mut engine, mut pairs) = (PeriodicEngine::<D2>::new(Lattice::orthogonal([10.0, 0.0])?), Vec::new());
    /// engine.pairs(&ring.columns(), 0.0, &mut pairs)?;
    /// assert_eq!(pairs, [([0, 2], [-1, 0, 0])]);
    /// assert_eq!((engine.count_pairs(&ring.columns(), 0.0)?, engine.count_contacts(&ring.columns(), 0.0)?), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts), with pairs for rows.
    pub fn pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        pairs: &mut Vec<PairImage>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_boxes(bodies), || {
            self.find_bounds(bodies, margin, Sought::Boxes)?;
            let Self { lattice, images, sweep, lists, collector, .. } = self;
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted: &|_, _| true };
            let keep = |found: &[SweptPair], list: &mut Vec<SweptPair>| list.extend_from_slice(found);
            name(collector.find_pairs(&candidates, lists, keep)?.in_order(bodies.len()), images, pairs);
            Ok(())
        })
    }

    /// Counts the pairs that [`pairs`](Self::pairs) would give; nothing is collected.
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts), without a limit.
    pub fn count_pairs<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
    ) -> Result<u64, ContactsError> {
        tasks::run(weight::of_boxes(bodies), || {
            self.find_bounds(bodies, margin, Sought::Boxes)?;
            let Self { lattice, images, sweep, counts, .. } = self;
            let candidates = RepeatingCandidates { bodies, lattice, images, sweep, wanted: &|_, _| true };
            counts.clear();
            counts.resize(candidates.chunks(), 0);
            tasks::for_each(counts, |chunk, count| {
                *count = candidates.count(chunk) as u64;
            });
            Ok(counts.iter().sum())
        })
    }

    fn find_bounds<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        margin: f64,
        sought: Sought,
    ) -> Result<Duration, ContactsError> {
        check_margin(margin)?;
        let Self { lattice, images, sweep, .. } = self;
        images.set_round(sought.round(bodies));
        images.members_mut().choose(&bodies.filters(), bodies.len());
        images.fill(bodies, (&*lattice, Which::Half), (sought, margin), &|_| 0.0)?;
        let start = Moment::now();
        sweep.build(images.bounds()).map_err(|error| error.renamed(|place| images.owner(place)))?;
        Ok(start.elapsed())
    }

    fn prepare<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>, margin: f64) -> Result<Report, ContactsError> {
        let start = Moment::now();
        let build = self.find_bounds(bodies, margin, Sought::Near)?;
        make_records(bodies, &mut self.records, &mut self.singles);
        let bounds = start.elapsed().saturating_sub(build);
        Ok(Report { bodies: bodies.len(), bounds, build, ..Report::default() })
    }
}

/// Replaces `named` by these pairs with their images. The pairs are in order; those of the same bodies are put in the
/// order of their images first.
fn name<S: Dimension>(pairs: &mut [SweptPair], images: &Images<S>, named: &mut Vec<PairImage>) {
    order_same_pairs(pairs, |pair| images.image_of(pair));
    named.resize(pairs.len(), <_>::default());
    let few = (Few::of(&*pairs, NAMED_PER_TASK), Few::of(&mut named[..], NAMED_PER_TASK));
    tasks::each(few, |_, (pairs, named)| {
        for (named, pair) in named.list.iter_mut().zip(pairs.list) {
            *named = (pair.pair(), images.image_of(pair));
        }
    });
}
