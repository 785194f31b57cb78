//! Slices of pairs in, rows out: sorted into classes, solved in lanes, the rest resolved in `f64`.
//!
//! Pairs are sorted and solved in batches of a fixed size ([`PAIRS_PER_BATCH`]); what `f32` leaves open of up to
//! [`PAIRS_PER_RESCUE`] pairs is solved together on `f64` lanes. No lane depends on its neighbours, so the answer of a
//! pair depends neither on its batch nor on the other pairs in it.

use core::cell::RefCell;

use jostle_lanes::{Rot, Scalar, Vector};
use jostle_shape::{BodySet, Core, CustomShape, Facets, Shape};
use jostle_tasks::{self as tasks, Few, Pool, reserve};

use crate::cache::Caches;
use crate::class::Class;
use crate::direct::{self, ColumnJob, PoseColumns};
use crate::distance::{Distance, Stage};
use crate::frame::AtRest;
use crate::gjk::FinalSimplex;
use crate::kernels::{BuiltIn, BuiltInColumns, Dimension, Precision, solve_class};
use crate::lists::{Batch, Lists};
use crate::one_pair::OnePair;
use crate::packet::Job;
use crate::pick::{OpenPairs, PAIRS_PER_BATCH, PAIRS_PER_RESCUE, Pick};
use crate::polytope::room::DepthRoom;
use crate::proximity::Proximity;
use crate::records::Source;
use crate::resolve::{Effort, Memory};
use crate::sieve::Sieve;
use crate::templates::Templates;

/// Puts a question to `pairs` in lanes. What the lanes leave open is in `open`, which is cleared before.
pub(crate) fn ask_lanes<S, Q>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, Q::Scalar>,
    pairs: &[[u32; 2]],
    query: &Q,
    rows: &mut [Q::Row],
    lists: &mut Lists<S, Q::Scalar>,
    open: &mut Vec<Pick>,
) where
    S: Dimension,
    Q: BuiltIn<S, Open = Vec<Pick>>,
{
    open.clear();
    for Batch { class, records, picks } in lists.sort(bodies, source, pairs) {
        solve_class(class, Job { query, records, picks, rows: &mut *rows, open: &mut *open }, bodies);
    }
}

/// Memory for questions that are asked without records.
pub(crate) struct ColumnScratch<T> {
    /// See [`ColumnJob`].
    stored: Vec<[T; 2]>,
    /// Of pairs of two sets: the places of their bodies in their own.
    places: Vec<[u32; 2]>,
}

impl<T> Default for ColumnScratch<T> {
    fn default() -> Self {
        Self { stored: Vec::new(), places: Vec::new() }
    }
}

/// Memory that [`solve_pairs`] needs while it works, to be kept from one call to the next.
pub struct Scratch<S: Dimension, T: Precision> {
    lists: Lists<S, T>,
    deep: Vec<Pick>,
    simplices: Vec<FinalSimplex<S, T>>,
    open: OpenPairs<S, T>,
    /// What lanes left open of all batches.
    rest: Vec<Pick>,
    room: RefCell<DepthRoom<S, T>>,
    memory: Memory<S>,
    effort: Effort,
    sieve: Sieve<S>,
    columns: ColumnScratch<T>,
    /// What `f64` lanes need to answer for `f32`.
    rescue: Option<Box<Rescue<S, f64>>>,
}

/// Pairs that are solved once more, because what was asked before did not tell: memory for that.
pub(crate) struct Rescue<S: Dimension, T: Precision> {
    templates: Templates<S, T>,
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Rescue<S, T> {
    /// For pairs that are pursued so far.
    pub fn with_effort(effort: Effort) -> Self {
        let (templates, scratch) = (Templates::default(), Scratch::with_effort(effort));
        Self { templates, pairs: Vec::new(), rows: Vec::new(), scratch }
    }

    /// Solves those of `pairs` that were left open, and gives their rows in that order.
    pub fn solve(&mut self, bodies: &impl BodySet<S>, pairs: &[[u32; 2]], open: &[Pick]) -> &[Proximity<S, T>] {
        let Self { templates, pairs: asked, rows, scratch } = self;
        asked.clear();
        asked.extend(open.iter().map(|pick| pairs[pick.row as usize]));
        rows.resize(asked.len(), Proximity::default());
        let source = Source::for_few(templates, bodies, asked.len());
        solve_pairs(bodies, source, asked, rows, scratch);
        rows
    }
}

impl<S: Dimension, T: Precision> Default for Scratch<S, T> {
    fn default() -> Self {
        Self::with_effort(Effort::F64)
    }
}

impl<S: Dimension, T: Precision> Scratch<S, T> {
    /// For pairs that are pursued so far where only `f64` can decide.
    pub(crate) fn with_effort(effort: Effort) -> Self {
        Self {
            lists: Lists::default(),
            deep: Vec::new(),
            simplices: Vec::new(),
            open: OpenPairs::default(),
            rest: Vec::new(),
            room: RefCell::default(),
            memory: Memory::default(),
            effort,
            sieve: Sieve::default(),
            columns: ColumnScratch::default(),
            rescue: None,
        }
    }
}

/// For pairs that lanes left open in `f32`.
fn rescue<S: Dimension>() -> Box<Rescue<S, f64>> {
    Box::new(Rescue::with_effort(Effort::F32))
}

/// The largest of some shapes, as far as the memory for solving goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    arcs: usize,
}

impl Largest {
    /// Takes in a shape.
    pub fn include<S: Dimension, U: CustomShape<S>>(&mut self, shape: &Shape<S, U>) {
        let arcs = match shape.core() {
            Core::Hull(hull) => hull.facets().map_or(0, Facets::arcs),
            // A box's; no other core has more.
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } | Core::Custom(_) => 12,
        };
        self.arcs = self.arcs.max(arcs);
    }
}

impl<S: Dimension, T: Precision> Scratch<S, T> {
    pub(crate) fn lists(&mut self) -> &mut Lists<S, T> {
        &mut self.lists
    }

    /// Makes room for the records of so many pairs, where none are made beforehand.
    pub fn reserve_records(&mut self, pairs: usize) {
        self.lists.reserve_records(pairs);
        reserve(&mut self.columns.stored, 2 * pairs.min(direct::PAIRS_AT_ONCE));
    }

    /// Makes all the room that calls with up to `pairs` pairs of bodies of so many such `shapes` may need, so that
    /// nothing has to grow when a rare pair comes along.
    pub fn reserve(&mut self, pairs: usize, shapes: usize, largest: Largest) {
        self.lists.reserve(pairs);
        reserve(&mut self.deep, pairs);
        reserve(&mut self.simplices, pairs);
        reserve(&mut self.open.overlapping, pairs);
        reserve(&mut self.open.undecided, pairs);
        reserve(&mut self.open.simplices, pairs);
        reserve(&mut self.rest, pairs);
        self.room.get_mut().reserve(largest.arcs);
        if T::WIDEST {
            self.memory.reserve(largest.arcs);
        } else {
            let rescue = self.rescue.get_or_insert_with(rescue);
            // More are not made for so many pairs.
            rescue.templates.reserve(shapes.min(2 * pairs));
            reserve(&mut rescue.pairs, pairs);
            reserve(&mut rescue.rows, pairs);
            rescue.scratch.reserve_records(pairs);
            rescue.scratch.reserve(pairs, shapes, largest);
        }
    }
}

/// Answers `pairs` into `rows`, which must be as long, and says how many of them `f64` had to decide.
///
/// Lanes are given [`PAIRS_PER_BATCH`] of them at a time, `f64` what is left of all: the more pairs, the better its
/// lanes are filled (callers divide long lists into pieces of [`PAIRS_PER_RESCUE`]).
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn solve_pairs<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    solve_pairs_from(bodies, source, pairs, None, rows, scratch)
}

/// The same where only distances up to `limit` (metres) are wanted: pairs that are clearly farther apart are left out
/// where that shows in less time than a distance takes. The rows of the others are put at the beginning of `rows`, in
/// their order. `planes`: the records of which planes between two bodies are asked, if that is worth it; these are of
/// `f32` whatever the precision of the answers. Says how many rows there are, and how many of them `f64` had to decide.
///
/// ```
/// use jostle_narrowphase::{Proximity, Records, Scratch, solve_pairs_within};
/// use jostle_shape::{Bodies, Body, D3, Shape};
///
/// let mut bodies = Bodies::<D3>::new();
/// let can = bodies.add_shape(Shape::cylinder(0.5, 0.5)?)?;
/// for x in [0.0, 1.25, 4.0, 9.0] {
///     bodies.push(Body::new(can, [x, 0.0, 0.0]))?;
/// }
/// let mut records = Records::<D3, f32>::default();
/// records.make(&bodies.columns());
/// let (pairs, mut rows) = ([[0, 3], [0, 1], [0, 2]], [Proximity::default(); 3]);
/// let (columns, source, scratch) = (bodies.columns(), records.source(), &mut Scratch::default());
/// let [count, _] = solve_pairs_within(&columns, source, Some(source), &pairs, 0.5, &mut rows, scratch);
/// assert_eq!((count, rows[0].b, rows[0].distance), (1, 1, 0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If `rows` has fewer places than there are rows; there are no more than pairs.
pub fn solve_pairs_within<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    planes: Option<Source<'_, S, f32>>,
    pairs: &[[u32; 2]],
    limit: f64,
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> [usize; 2] {
    let mut sieve = core::mem::take(&mut scratch.sieve);
    let near = sieve.pass(bodies, source, planes, pairs, limit);
    let count = near.len();
    let rescued = solve_pairs(bodies, source, near, &mut rows[..count], scratch);
    scratch.sieve = sieve;
    [count, rescued]
}

/// The same with searches that begin where those for the same pairs ended, and keep where they end. Distances are as
/// good, not the same to the last bit.
///
/// ```
/// use jostle_narrowphase::{Caches, Proximity, Records, Scratch, SimplexCache, solve_pairs_from};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let square = bodies.add_shape(Shape::convex(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])?)?;
/// for x in [0.0, 3.0] {
///     bodies.push(Body::new(square, [x, 0.0]))?;
/// }
/// let (mut kept, mut row, mut scratch) = ([SimplexCache::default()], [Proximity::default()], Scratch::default());
/// for frame in 0..5_u8 {
///     bodies.set(1, Body::new(square, [2.875 - 0.125 * f64::from(frame), 0.0]))?;
///     let mut records = Records::<D2, f32>::default();
///     records.make(&bodies.columns());
///     let caches = Caches { all: &mut kept, places: &[0] };
///     solve_pairs_from(&bodies.columns(), records.source(), &[[0, 1]], Some(caches), &mut row, &mut scratch);
///     assert_eq!(row[0].distance, 0.875 - 0.125 * f32::from(frame));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If `caches` has fewer places than there are pairs.
pub fn solve_pairs_from<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    mut caches: Option<Caches<'_, S, T>>,
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    scratch.rest.clear();
    let mut first = 0;
    for (pairs, rows) in pairs.chunks(PAIRS_PER_BATCH).zip(rows.chunks_mut(PAIRS_PER_BATCH)) {
        let at = first as usize;
        let caches =
            caches.as_mut().map(|Caches { all, places }| Caches { all, places: &places[at..at + pairs.len()] });
        solve_in_lanes(bodies, source, pairs, rows, caches, scratch, Depths::Solved);
        let Scratch { open, rest, .. } = &mut *scratch;
        rest.extend(open.undecided.iter().map(|pick| Pick { row: first + pick.row, ..*pick }));
        first += pairs.len() as u32;
    }
    decide_rest(bodies, pairs, rows, scratch)
}

/// What becomes of pairs whose cores overlap, once their distance was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depths {
    /// Their depth is searched.
    Solved,
    /// They are left open (to measure how long the rest takes).
    LeftOpen,
}

/// What lanes can answer: distances and, if asked, depths. What they cannot decide is in `open`.
pub(crate) fn solve_in_lanes<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    caches: Option<Caches<'_, S, T>>,
    scratch: &mut Scratch<S, T>,
    depths: Depths,
) {
    scratch.open.undecided.clear();
    let caches = caches.map(RefCell::new);
    if let Source::Templates(templates) = source
        && let Some(class) = direct::class(templates, bodies.count())
    {
        return solve_directly(bodies, templates, class, pairs, rows, scratch, depths);
    }
    let Scratch { lists, deep, simplices, open, room, effort, .. } = scratch;
    let doubt = effort.doubt;
    for (row, pair) in rows.iter_mut().zip(pairs) {
        [row.a, row.b] = *pair;
    }
    for Batch { class, records, picks } in lists.sort(bodies, source, pairs) {
        open.overlapping.clear();
        open.simplices.clear();
        let query = Distance { stage: Stage::Distance, simplices: &[], room: &*room, caches: caches.as_ref(), doubt };
        solve_class(class, Job { query: &query, records, picks, rows: &mut *rows, open: &mut *open }, bodies);
        if !class.has_depth() {
            open.undecided.append(&mut open.overlapping);
        } else if depths == Depths::Solved && !open.overlapping.is_empty() {
            std::mem::swap(deep, &mut open.overlapping);
            std::mem::swap(simplices, &mut open.simplices);
            let query = Distance { stage: Stage::Depth, simplices, room: &*room, caches: None, doubt };
            let job = Job { query: &query, records, picks: deep, rows: &mut *rows, open: &mut *open };
            solve_class(class, job, bodies);
        }
    }
}

/// Puts a question to pairs of bodies of shapes that are all of this class, without records. Says whether all are of
/// one set; else rows name bodies by their places in their own.
pub(crate) fn ask_columns<S: Dimension, Q: BuiltInColumns<S>>(
    bodies: &impl BodySet<S>,
    (templates, class): (&Templates<S, Q::Scalar>, Class),
    pairs: &[[u32; 2]],
    query: &Q,
    rows: &mut [Q::Row],
    scratch: &mut ColumnScratch<Q::Scalar>,
    open: &mut Q::Open,
) -> bool {
    let ColumnScratch { stored, places } = scratch;
    let sides = bodies.sides();
    let (poses, own) =
        (sides.map(|side| PoseColumns::of(&side.columns)), sides.map(|side| templates.columns(side.shape)));
    let together = sides.iter().all(|side| side.body == 0);
    let asked = if together {
        pairs
    } else {
        places.clear();
        places.extend(pairs.iter().map(|&[a, b]| [a - sides[0].body as u32, b - sides[1].body as u32]));
        places
    };
    let turned = class != Class::PointPoint;
    let stores = turned && S::DIMENSION == 2;
    let piece = if stores { direct::PAIRS_AT_ONCE } else { PAIRS_PER_BATCH };
    direct::begin(&poses, asked, turned);
    for (number, rows) in rows.chunks_mut(piece).enumerate() {
        let first = number * piece;
        let pairs = &asked[first..];
        if stores {
            stored.resize(2 * rows.len(), [Q::Scalar::ZERO; 2]);
            direct::store_rotations(poses, pairs, stored);
        }
        let (templates, at_hand) = (own, templates.at_hand());
        Q::direct(
            class,
            ColumnJob { query, bodies: poses, templates, at_hand, stored, pairs, rows, first, open: &mut *open },
        );
    }
    together
}

/// The same for distances, of which only depths need records.
fn solve_directly<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    templates: &Templates<S, T>,
    class: Class,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
    depths: Depths,
) {
    let Scratch { lists, deep, open, room, effort, columns, .. } = scratch;
    let query = |stage| Distance { stage, simplices: &[], room: &*room, caches: None, doubt: effort.doubt };
    open.overlapping.clear();
    let together = ask_columns(bodies, (templates, class), pairs, &query(Stage::Distance), rows, columns, open);
    if !together {
        for (row, &[a, b]) in rows.iter_mut().zip(pairs) {
            (row.a, row.b) = (a, b);
        }
    }
    if !class.has_depth() {
        open.undecided.append(&mut open.overlapping);
    } else if depths == Depths::Solved && !open.overlapping.is_empty() {
        std::mem::swap(deep, &mut open.overlapping);
        let records = lists.make(bodies, templates, pairs, deep);
        let job = Job { query: &query(Stage::Depth), records, picks: deep, rows, open };
        solve_class(class, job, bodies);
    }
}

/// What lanes have left open, in `f64`. Says how many these were.
fn decide_rest<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    let Scratch { rest, memory, effort, rescue, .. } = scratch;
    if T::WIDEST {
        for pick in &*rest {
            decide(bodies, pick, &mut rows[pick.row as usize], *effort, memory);
        }
    } else if !rest.is_empty() {
        let answers = rescue.get_or_insert_with(self::rescue).solve(bodies, pairs, rest);
        for (pick, answer) in rest.iter().zip(answers) {
            rows[pick.row as usize] = answer.narrowed();
        }
    }
    rest.len()
}

/// One pair, in `f64`.
fn decide<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    pick: &Pick,
    row: &mut Proximity<S, T>,
    effort: Effort,
    memory: &mut Memory<S>,
) {
    let asked = [row.a, row.b];
    let single = OnePair::placed(bodies, if pick.swapped { [asked[1], asked[0]] } else { asked }, &AtRest);
    let found = S::resolve(&single.any(), effort, memory);
    let OnePair { records: [record_a, _], pair, .. } = &single;

    let normal = pair.rotation_a.rotate(found.normal);
    let near = pair.rotation_a.rotate(found.a) * pair.unscale;
    let far = near + normal * (found.distance * pair.unscale);
    let point = |p: S::Vector<f64>| S::array(|k| record_a.position[k] + (record_a.centre(k) + p.get(k)));
    let sign = if pick.swapped { -1.0 } else { 1.0 };
    (row.witness_a, row.witness_b) = if pick.swapped { (point(far), point(near)) } else { (point(near), point(far)) };
    row.normal = S::array(|k| T::from_f64(sign * normal.get(k)));
    row.distance = T::from_f64(found.distance * pair.unscale);
    row.lower = T::round_down(found.lower * pair.unscale);
    row.upper = T::round_up(found.upper * pair.unscale);
    row.status = found.status;
    row.minimum = found.minimum;
}

/// Answers `pairs` into `rows` on the current thread pool, in pieces; `rows` is resized. Says how many pairs `f64` had
/// to decide.
pub fn solve<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut Vec<Proximity<S, T>>,
    memory: &Pool<Scratch<S, T>>,
) -> u64 {
    // Every field of every row is written: what is there already need not be cleared.
    rows.resize(pairs.len(), Proximity::default());
    in_pieces(PAIRS_PER_RESCUE, pairs, rows, memory, |scratch, pairs, rows| {
        solve_pairs(bodies, source, pairs, rows, scratch)
    })
}

/// Works on pairs and their rows batch by batch, on the current thread pool, and adds up what `work` says.
pub(crate) fn in_batches<X: Default + Send, R: Send>(
    pairs: &[[u32; 2]],
    rows: &mut [R],
    memory: &Pool<X>,
    work: impl Fn(&mut X, &[[u32; 2]], &mut [R]) -> usize + Sync,
) -> u64 {
    in_pieces(PAIRS_PER_BATCH, pairs, rows, memory, work)
}

/// The same in pieces of at most `most` pairs: fewer where threads would have less than a few pieces each.
fn in_pieces<X: Default + Send, R: Send>(
    most: usize,
    pairs: &[[u32; 2]],
    rows: &mut [R],
    memory: &Pool<X>,
    work: impl Fn(&mut X, &[[u32; 2]], &mut [R]) -> usize + Sync,
) -> u64 {
    let share = pairs.len() / tasks::enough();
    let piece = most.min(share).next_multiple_of(PAIRS_PER_BATCH).max(PAIRS_PER_BATCH);
    let pieces = (Few::of(pairs, piece), Few::of(rows, piece));
    tasks::fold(
        pieces,
        |_, (pairs, rows)| memory.with(|scratch| work(scratch, pairs.list, rows.list) as u64),
        |front, back| front + back,
    )
    .unwrap_or(0)
}
