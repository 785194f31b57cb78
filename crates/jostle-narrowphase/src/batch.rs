//! Slices of pairs in, rows out: sorted into classes, solved in lanes, the rest resolved in `f64`.
//!
//! Pairs are worked on in chunks of a fixed size, so that a chunk's answers depend on nothing but its pairs. And as no
//! lane depends on its neighbours, nor does an answer depend on the chunk.

use core::cell::RefCell;

use jostle_lanes::{Rotation, Vector, prefetch_at};
use jostle_shape::{Columns, Core, CustomShape, Facets, MAX_WIDTH, Shape};
use jostle_tasks::{self as tasks, Few, Pool};

use crate::cache::Caches;
use crate::class::{Class, Dimension, Job, Precision, SWAPPED, solve_class};
use crate::frame::{AtRest, PairLanes, Placing, Traits, gather};
use crate::gjk::Met;
use crate::packet::{CHUNK, Open, Pick, SPAN};
use crate::polytope::Room;
use crate::proximity::Proximity;
use crate::query::Query;
use crate::record::{Record, RecordSpace};
use crate::records::{AHEAD, Source, make_records};
use crate::resolve::{AnyCore, AnyPair, Effort, Memory, OwnCore, own_core};
use crate::solve::{Distance, Stage};

/// Pairs sorted into classes, with the records of their bodies.
pub(crate) struct Lists<S: Dimension, T: Precision> {
    /// The number of each pair's class, and whether its bodies are [`SWAPPED`].
    classes: Vec<u8>,
    picks: Vec<Pick>,
    unsorted: Vec<Pick>,
    local: Vec<Record<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Lists<S, T> {
    fn default() -> Self {
        Self { classes: Vec::new(), picks: Vec::new(), unsorted: Vec::new(), local: Vec::new() }
    }
}

/// Pairs of one class, and the records that they name.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'l, S: Dimension, T: Precision> {
    pub class: Class,
    pub records: &'l [Record<S, T>],
    pub picks: &'l [Pick],
}

impl<S: Dimension, T: Precision> Lists<S, T> {
    /// Sorts `pairs` by class; gives batches of at most [`CHUNK`].
    pub fn sort<'l, U: CustomShape<S>>(
        &'l mut self,
        bodies: &Columns<'_, S, U>,
        source: Source<'l, S, T>,
        pairs: &[[u32; 2]],
    ) -> impl Iterator<Item = Batch<'l, S, T>> + use<'l, S, T, U> {
        let Self { classes, picks, unsorted, local } = self;
        let met = pairs.as_flattened();
        let mut only = None;
        match source {
            Source::All(_) => {}
            Source::Templates(templates) => {
                local.resize(met.len(), Record::default());
                make_records(templates.all(), bodies, met, local);
                only = templates.kind();
            }
            Source::OnDemand => {
                local.clear();
                local.extend(met.iter().map(|&body| Record::new(bodies, body as usize)));
            }
        }
        let (records, by_row) = match source {
            Source::All(records) => (records, false),
            Source::Templates(_) | Source::OnDemand => (&local[..], true),
        };
        let by_itself = |row: u32| [2 * row, 2 * row + 1];
        let [every, some] = if let Some(kind) = only {
            // All of one class, whoever they are: of two balls at hand to look was 3 of 23 ns.
            picks.resize(pairs.len(), Pick::default());
            for (row, pick) in (0..).zip(picks.iter_mut()) {
                *pick = Pick { records: by_itself(row), row, swapped: false };
            }
            [Class::of_kind(kind); 2]
        } else if by_row {
            classify(records, pairs, classes, picks, |row, _| by_itself(row))
        } else {
            let ask = |row: usize| {
                if let Some(&[a, b]) = pairs.get(row + AHEAD) {
                    prefetch_at(records, a as usize);
                    prefetch_at(records, b as usize);
                }
            };
            // Also where all are of one kind: who is looked at has come by the time that he is needed.
            classify(records, pairs, classes, picks, |row, pair| {
                ask(row as usize);
                pair
            })
        };
        // Where each class begins; one behind the other.
        let mut starts = [0_usize; Class::ALL.len() + 1];
        if every == some && some & SWAPPED == 0 {
            starts[usize::from(some) + 1..].fill(pairs.len());
        } else {
            counting_sort(classes, picks, unsorted, &mut starts);
        }
        let picks = &picks[..];
        Class::ALL.into_iter().enumerate().flat_map(move |(number, class)| {
            let of_class = &picks[starts[number]..starts[number + 1]];
            of_class.chunks(CHUNK).map(move |picks| Batch { class, records, picks })
        })
    }
}

/// Finds the classes of all pairs, and picks them as if they were all of one class and the bodies of none swapped: often they
/// are. Says which bits all classes have in common, and which any of them has. Records are looked at once.
#[inline(always)]
fn classify<S: RecordSpace, T: Precision>(
    records: &[Record<S, T>],
    pairs: &[[u32; 2]],
    classes: &mut Vec<u8>,
    picks: &mut Vec<Pick>,
    records_of: impl Fn(u32, [u32; 2]) -> [u32; 2],
) -> [u8; 2] {
    classes.resize(pairs.len(), 0);
    picks.resize(pairs.len(), Pick::default());
    let (mut every, mut some) = (u8::MAX, 0);
    for ((row, &pair), (known, pick)) in pairs.iter().enumerate().zip(classes.iter_mut().zip(picks)) {
        let row = row as u32;
        let asked = records_of(row, pair);
        let [a, b] = asked.map(|record| &records[record as usize]);
        let class = Class::of(a, b);
        (every, some) = (every & class, some | class);
        *known = class;
        *pick = Pick { records: asked, row, swapped: false };
    }
    [every, some]
}

/// Sorts picks by class, those of one class staying in order, and puts the simpler body of each first.
fn counting_sort(classes: &[u8], picks: &mut Vec<Pick>, unsorted: &mut Vec<Pick>, starts: &mut [usize]) {
    for class in classes {
        starts[usize::from(class & !SWAPPED) + 1] += 1;
    }
    for class in 1..starts.len() {
        starts[class] += starts[class - 1];
    }
    let mut next = [0; Class::ALL.len() + 1];
    next.copy_from_slice(starts);
    core::mem::swap(picks, unsorted);
    picks.resize(unsorted.len(), Pick::default());
    for (&class, pick) in classes.iter().zip(unsorted.iter()) {
        let place = &mut next[usize::from(class & !SWAPPED)];
        let swapped = class & SWAPPED != 0;
        let [a, b] = pick.records;
        picks[*place] = Pick { records: if swapped { [b, a] } else { [a, b] }, swapped, ..*pick };
        *place += 1;
    }
}

/// Puts a question to `pairs` in lanes. What the lanes leave open is in `open`, which is cleared before.
pub(crate) fn ask_lanes<S, Q, U>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, Q::Scalar>,
    pairs: &[[u32; 2]],
    query: &Q,
    rows: &mut [Q::Row],
    lists: &mut Lists<S, Q::Scalar>,
    open: &mut Vec<Pick>,
) where
    S: Dimension,
    Q: Query<S, Open = Vec<Pick>>,
    U: CustomShape<S>,
{
    open.clear();
    for Batch { class, records, picks } in lists.sort(bodies, source, pairs) {
        solve_class(class, Job { query, records, picks, rows: &mut *rows, open: &mut *open }, bodies.shapes());
    }
}

/// Memory that a chunk needs while it is worked on, to be kept from one chunk to the next.
pub struct Scratch<S: Dimension, T: Precision> {
    lists: Lists<S, T>,
    deep: Vec<Pick>,
    met: Vec<Met<S, T>>,
    open: Open<S, T>,
    /// What lanes left open of all chunks.
    rest: Vec<Pick>,
    room: RefCell<Room<S, T>>,
    memory: Memory<S>,
    effort: Effort,
    rescue: Option<Box<Rescue<S>>>,
}

/// What `f64` lanes need to answer for `f32`.
struct Rescue<S: Dimension> {
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, f64>>,
    scratch: Scratch<S, f64>,
}

impl<S: Dimension> Default for Rescue<S> {
    fn default() -> Self {
        let scratch = Scratch::with_effort(Effort::SINGLE);
        Self { pairs: Vec::new(), rows: Vec::new(), scratch }
    }
}

impl<S: Dimension, T: Precision> Default for Scratch<S, T> {
    fn default() -> Self {
        Self::with_effort(Effort::DOUBLE)
    }
}

impl<S: Dimension, T: Precision> Scratch<S, T> {
    /// For pairs that are pursued so far where only `f64` can decide.
    pub(crate) fn with_effort(effort: Effort) -> Self {
        Self {
            lists: Lists::default(),
            deep: Vec::new(),
            met: Vec::new(),
            open: Open::default(),
            rest: Vec::new(),
            room: RefCell::default(),
            memory: Memory::default(),
            effort,
            rescue: None,
        }
    }
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
            // A box's.
            _ => 12,
        };
        self.arcs = self.arcs.max(arcs);
    }
}

impl<S: Dimension, T: Precision> Scratch<S, T> {
    pub(crate) fn lists(&mut self) -> &mut Lists<S, T> {
        &mut self.lists
    }

    /// Makes all the room that chunks of up to `pairs` pairs of such shapes may need, so that nothing has to grow when a
    /// rare pair comes along.
    pub fn reserve(&mut self, pairs: usize, largest: Largest) {
        fn reserve<X>(list: &mut Vec<X>, count: usize) {
            list.reserve_exact(count.saturating_sub(list.len()));
        }
        reserve(&mut self.lists.classes, pairs);
        reserve(&mut self.deep, pairs);
        reserve(&mut self.met, pairs);
        for list in
            [&mut self.lists.picks, &mut self.lists.unsorted, &mut self.open.overlapping, &mut self.open.undecided]
        {
            reserve(list, pairs);
        }
        reserve(&mut self.open.met, pairs);
        reserve(&mut self.rest, pairs);
        self.room.get_mut().reserve(largest.arcs);
        if T::WIDEST {
            self.memory.reserve(largest.arcs);
        } else {
            let rescue = self.rescue.get_or_insert_default();
            reserve(&mut rescue.pairs, pairs);
            reserve(&mut rescue.rows, pairs);
            reserve(&mut rescue.scratch.lists.local, 2 * pairs);
            rescue.scratch.reserve(pairs, largest);
        }
    }
}

/// Answers `pairs` into `rows`, which must be as long, and says how many of them `f64` had to decide.
///
/// Lanes are given [`CHUNK`] of them at a time, `f64` what is left of all: the more pairs, the better its lanes are filled.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn solve_chunk<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    solve_chunk_from(bodies, source, pairs, None, rows, scratch)
}

/// The same with searches that begin where those for the same pairs ended, and keep where they end. Distances are as good, not
/// the same to the last bit.
///
/// ```
/// use jostle_narrowphase::{Caches, Proximity, Records, Scratch, SimplexCache, solve_chunk_from};
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
///     solve_chunk_from(&bodies.columns(), records.source(), &[[0, 1]], Some(caches), &mut row, &mut scratch);
///     assert_eq!(row[0].distance, 0.875 - 0.125 * f32::from(frame));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If `caches` has fewer places than there are pairs.
pub fn solve_chunk_from<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    mut caches: Option<Caches<'_, S, T>>,
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    scratch.rest.clear();
    let mut first = 0;
    for (pairs, rows) in pairs.chunks(CHUNK).zip(rows.chunks_mut(CHUNK)) {
        let at = first as usize;
        let caches =
            caches.as_mut().map(|Caches { all, places }| Caches { all, places: &places[at..at + pairs.len()] });
        solve_in_lanes(bodies, source, pairs, rows, caches, scratch, true);
        let Scratch { open, rest, .. } = &mut *scratch;
        rest.extend(open.undecided.iter().map(|pick| Pick { row: first + pick.row, ..*pick }));
        first += pairs.len() as u32;
    }
    decide_rest(bodies, pairs, rows, scratch)
}

/// What lanes can answer: distances and, if asked, depths. What they cannot decide is in `open`.
pub(crate) fn solve_in_lanes<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    caches: Option<Caches<'_, S, T>>,
    scratch: &mut Scratch<S, T>,
    depths: bool,
) {
    let caches = caches.map(RefCell::new);
    let Scratch { lists, deep, met, open, room, effort, .. } = scratch;
    let doubt = effort.doubt;
    for (row, pair) in rows.iter_mut().zip(pairs) {
        [row.a, row.b] = *pair;
    }
    open.undecided.clear();
    for Batch { class, records, picks } in lists.sort(bodies, source, pairs) {
        open.overlapping.clear();
        open.met.clear();
        let query = Distance { stage: Stage::Distance, met: &[], room: &*room, caches: caches.as_ref(), doubt };
        solve_class(class, Job { query: &query, records, picks, rows: &mut *rows, open: &mut *open }, bodies.shapes());
        if !class.has_depth() {
            open.undecided.append(&mut open.overlapping);
        } else if depths && !open.overlapping.is_empty() {
            std::mem::swap(deep, &mut open.overlapping);
            std::mem::swap(met, &mut open.met);
            let query = Distance { stage: Stage::Depth, met, room: &*room, caches: None, doubt };
            let job = Job { query: &query, records, picks: deep, rows: &mut *rows, open: &mut *open };
            solve_class(class, job, bodies.shapes());
        }
    }
}

/// What lanes have left open, in `f64`. Says how many these were.
fn decide_rest<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
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
        let Rescue { pairs: asked, rows: answers, scratch } = &mut **rescue.get_or_insert_default();
        asked.clear();
        asked.extend(rest.iter().map(|pick| pairs[pick.row as usize]));
        answers.resize(asked.len(), Proximity::default());
        solve_chunk(bodies, Source::OnDemand, asked, answers, scratch);
        for (pick, answer) in rest.iter().zip(answers) {
            rows[pick.row as usize] = answer.narrowed();
        }
    }
    rest.len()
}

/// One pair from the user's own numbers, in `f64`.
pub struct Single<'b, S: Dimension, U: CustomShape<S>> {
    /// Its bodies.
    pub records: [Record<S, f64>; 2],
    /// The two, seen from the first.
    pub pair: PairLanes<S, f64>,
    shapes: [&'b Shape<S, U>; 2],
    own: [OwnCore<'b, S, U>; 2],
}

impl<'b, S: Dimension, U: CustomShape<S>> Single<'b, S, U> {
    /// The pair of two bodies, where `placing` says.
    pub fn placed(bodies: &Columns<'b, S, U>, pair: [u32; 2], placing: &impl Placing) -> Self {
        let [a, b] = pair.map(|body| body as usize);
        let records = [Record::new(bodies, a), Record::new(bodies, b)];
        let (pairs, mut table) = ([[&records[0], &records[1]]; MAX_WIDTH], [[0.0; 8]; MAX_WIDTH]);
        let pair: PairLanes<S, f64> = gather(&pairs, Traits::ANY, placing, &mut table, |_| {});
        let shapes = [bodies.shape(a), bodies.shape(b)];
        let own = shapes.map(|shape| own_core(shape, pair.scale));
        Self { records, pair, shapes, own }
    }
    /// The same, whatever the shapes' type.
    pub fn any(&self) -> AnyPair<'_, S> {
        let ([a, b], [own_a, own_b], scale) = (self.shapes, &self.own, self.pair.scale);
        AnyPair { pair: self.pair, maps: [AnyCore::new(a, scale, own_a), AnyCore::new(b, scale, own_b)] }
    }
}

/// One pair, in `f64`.
fn decide<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pick: &Pick,
    row: &mut Proximity<S, T>,
    effort: Effort,
    memory: &mut Memory<S>,
) {
    let asked = [row.a, row.b];
    let single = Single::placed(bodies, if pick.swapped { [asked[1], asked[0]] } else { asked }, &AtRest);
    let found = S::resolve(&single.any(), effort, memory);
    let Single { records: [record_a, _], pair, .. } = &single;

    let normal = pair.turn_a.rotate(found.normal);
    let near = pair.turn_a.rotate(found.a) * pair.unscale;
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

/// Answers `pairs` into `rows` on the current thread pool, in chunks; `rows` is resized. Says how many pairs `f64` had
/// to decide.
pub fn solve<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut Vec<Proximity<S, T>>,
) -> u64 {
    // Every field of every row is written: what is there already need not be cleared.
    rows.resize(pairs.len(), Proximity::default());
    in_pieces(SPAN, pairs, rows, |scratch, pairs, rows| solve_chunk(bodies, source, pairs, rows, scratch))
}

/// Works on pairs and their rows chunk by chunk, on the current thread pool, and adds up what `work` says.
pub(crate) fn in_chunks<X: Default + Send, R: Send>(
    pairs: &[[u32; 2]],
    rows: &mut [R],
    work: impl Fn(&mut X, &[[u32; 2]], &mut [R]) -> usize + Sync,
) -> u64 {
    in_pieces(CHUNK, pairs, rows, work)
}

/// The same in pieces of at most `most` pairs: fewer where threads would have less than a few pieces each.
fn in_pieces<X: Default + Send, R: Send>(
    most: usize,
    pairs: &[[u32; 2]],
    rows: &mut [R],
    work: impl Fn(&mut X, &[[u32; 2]], &mut [R]) -> usize + Sync,
) -> u64 {
    let share = pairs.len() / tasks::enough();
    let piece = most.min(share).next_multiple_of(CHUNK).max(CHUNK);
    let pool = Pool::<X>::default();
    let pieces = (Few::of(pairs, piece), Few::of(rows, piece));
    tasks::fold(
        pieces,
        |_, (pairs, rows)| pool.with(|scratch| work(scratch, pairs.list, rows.list) as u64),
        |front, back| front + back,
    )
    .unwrap_or(0)
}
