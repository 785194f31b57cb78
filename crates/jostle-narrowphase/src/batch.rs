//! Slices of pairs in, rows out: sorted into classes, solved in lanes, the rest resolved in `f64`.
//!
//! Pairs are worked on in chunks of a fixed size, so that a chunk's answers depend on nothing but its pairs. And as no
//! lane depends on its neighbours, nor does an answer depend on the chunk.

use jostle_lanes::{Rotation, Vector};
use jostle_shape::{Columns, Core, CustomShape, MAX_WIDTH, Shape};
use rayon::prelude::*;

use crate::class::{Class, Dimension, Job, Precision, Stage, solve_class};
use crate::frame::{PairLanes, gather};
use crate::gjk::Met;
use crate::packet::{CHUNK, Open, Pick};
use crate::polytope::Room;
use crate::proximity::Proximity;
use crate::record::{Record, Template};
use crate::resolve::{AnyCore, Effort, Resolved, resolve};

/// Bodies from which records are made by more than one thread.
const PARALLEL_RECORDS: usize = 8192;

/// The records of all bodies and the templates they are made from: made once a query, in parallel, and kept for the
/// memory.
#[derive(Debug)]
pub struct Records<S: Dimension, T: Precision> {
    templates: Vec<Template<S, T>>,
    records: Vec<Record<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Records<S, T> {
    fn default() -> Self {
        Self { templates: Vec::new(), records: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> Records<S, T> {
    /// Makes the templates of the shapes alone: chunks then make the records of the bodies that they meet.
    pub fn make_templates<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>) {
        let shapes = bodies.shapes();
        fill(&mut self.templates, shapes.len(), |index| Template::new(&shapes[index], index as u32));
    }

    /// Makes the records of `bodies`.
    pub fn make<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>) {
        self.make_templates(bodies);
        let (templates, shape) = (&self.templates, bodies.shape_indices());
        fill(&mut self.records, bodies.len(), |body| Record::placed(&templates[shape[body] as usize], bodies, body));
    }

    /// The records: for chunks that meet most bodies, or bodies more than once.
    pub fn source(&self) -> Source<'_, S, T> {
        Source::All(&self.records)
    }

    /// The templates: for chunks that meet each body about once, whose records would only travel through memory.
    pub fn template_source(&self) -> Source<'_, S, T> {
        Source::Templates(&self.templates)
    }
}

/// Fills a column, in parallel where that pays.
fn fill<X: Send>(column: &mut Vec<X>, count: usize, make: impl Fn(usize) -> X + Sync + Send) {
    if count < PARALLEL_RECORDS {
        column.clear();
        column.extend((0..count).map(make));
    } else {
        (0..count).into_par_iter().map(make).collect_into_vec(column);
    }
}

/// Memory that a chunk needs while it is worked on, to be kept from one chunk to the next.
pub struct Scratch<S: Dimension, T: Precision> {
    classes: Vec<u8>,
    picks: Vec<Pick>,
    deep: Vec<Pick>,
    met: Vec<Met<S, T>>,
    open: Open<S, T>,
    room: Room<T>,
    local: Vec<Record<S, T>>,
    expander: S::Expander,
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
        let scratch = Scratch { effort: Effort::SINGLE, ..Scratch::default() };
        Self { pairs: Vec::new(), rows: Vec::new(), scratch }
    }
}

impl<S: Dimension, T: Precision> Default for Scratch<S, T> {
    fn default() -> Self {
        Self {
            classes: Vec::new(),
            picks: Vec::new(),
            deep: Vec::new(),
            met: Vec::new(),
            open: Open::default(),
            room: Room::default(),
            local: Vec::new(),
            expander: S::Expander::default(),
            effort: Effort::DOUBLE,
            rescue: None,
        }
    }
}

/// The largest of some shapes, as far as the memory for solving goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    nodes: usize,
    arcs: usize,
}

impl Largest {
    /// Takes in a shape.
    pub fn include<S: Dimension, U: CustomShape<S>>(&mut self, shape: &Shape<S, U>) {
        // Boxes have three dozen nodes and arcs at most.
        let facets = match shape.core() {
            Core::Hull(hull) => hull
                .facets()
                .map_or((0, 0), |facets| (facets.blocks::<f64>().len() / (S::DIMENSION + 1), facets.arcs().len())),
            _ => (36, 36),
        };
        (self.nodes, self.arcs) = (self.nodes.max(facets.0), self.arcs.max(facets.1));
    }
}

impl<S: Dimension, T: Precision> Scratch<S, T> {
    /// Makes all the room that chunks of up to `pairs` pairs of such shapes may need, so that nothing has to grow when a
    /// rare pair comes along.
    pub fn reserve(&mut self, pairs: usize, largest: Largest) {
        fn reserve<X>(list: &mut Vec<X>, count: usize) {
            list.reserve_exact(count.saturating_sub(list.len()));
        }
        reserve(&mut self.classes, pairs);
        reserve(&mut self.deep, pairs);
        reserve(&mut self.met, pairs);
        for list in [&mut self.picks, &mut self.open.overlapping, &mut self.open.undecided] {
            reserve(list, pairs);
        }
        reserve(&mut self.open.met, pairs);
        self.room.reserve(largest.nodes, largest.arcs);
        if !T::WIDEST {
            let rescue = self.rescue.get_or_insert_default();
            reserve(&mut rescue.pairs, pairs);
            reserve(&mut rescue.rows, pairs);
            reserve(&mut rescue.scratch.local, 2 * pairs);
            rescue.scratch.reserve(pairs, largest);
        }
    }
}

/// Where a chunk's records come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'r, S: Dimension, T: Precision> {
    /// One for each body, made beforehand.
    All(&'r [Record<S, T>]),
    /// Made for the bodies of each pair, from the templates of all shapes.
    Templates(&'r [Template<S, T>]),
    /// Made for the bodies of each pair: for few pairs among many shapes.
    OnDemand,
}

/// Answers `pairs` into `rows`, which must be as long, and says how many of them `f64` had to decide.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn solve_chunk<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) -> usize {
    let Scratch { classes, picks, deep, met, open, room, local, expander, effort, rescue } = scratch;
    local.clear();
    let bodies_met = pairs.as_flattened().iter().map(|&body| body as usize);
    match source {
        Source::All(_) => {}
        Source::Templates(templates) => {
            let shape = bodies.shape_indices();
            local.extend(bodies_met.map(|body| Record::placed(&templates[shape[body] as usize], bodies, body)));
        }
        Source::OnDemand => local.extend(bodies_met.map(|body| Record::new(bodies, body))),
    }
    let (records, by_row) = match source {
        Source::All(records) => (records, false),
        Source::Templates(_) | Source::OnDemand => (&local[..], true),
    };
    let index = |row: usize, side: usize| if by_row { (2 * row + side) as u32 } else { pairs[row][side] };

    // A counting sort by class, stable, so that rows of one class stay in order.
    let mut starts = [0_usize; Class::ALL.len() + 1];
    classes.clear();
    for row in 0..pairs.len() {
        let [a, b] = [index(row, 0), index(row, 1)].map(|i| records[i as usize].kind());
        let class = Class::of(a.min(b), a.max(b)) as u8;
        classes.push(class);
        starts[class as usize + 1] += 1;
    }
    for class in 0..Class::ALL.len() {
        starts[class + 1] += starts[class];
    }
    let mut next = starts;
    picks.clear();
    picks.resize(pairs.len(), Pick::default());
    for (row, &class) in classes.iter().enumerate() {
        let (a, b) = (index(row, 0), index(row, 1));
        let swapped = records[a as usize].kind() > records[b as usize].kind();
        let place = &mut next[class as usize];
        picks[*place] = Pick { records: if swapped { [b, a] } else { [a, b] }, row: row as u32, swapped };
        *place += 1;
        [rows[row].a, rows[row].b] = pairs[row];
    }
    open.undecided.clear();
    for (number, class) in Class::ALL.into_iter().enumerate() {
        for picks in picks[starts[number]..starts[number + 1]].chunks(CHUNK) {
            open.overlapping.clear();
            open.met.clear();
            let job = Job { records, picks, rows, open, met: &[], room };
            solve_class(class, Stage::Distance, job, bodies.shapes());
            if !class.has_depth() {
                open.undecided.append(&mut open.overlapping);
            } else if !open.overlapping.is_empty() {
                std::mem::swap(deep, &mut open.overlapping);
                std::mem::swap(met, &mut open.met);
                let job = Job { records, picks: deep, rows, open, met, room };
                solve_class(class, Stage::Depth, job, bodies.shapes());
            }
        }
    }
    if T::WIDEST {
        for pick in &open.undecided {
            decide(bodies, pick, &mut rows[pick.row as usize], *effort, expander);
        }
    } else if !open.undecided.is_empty() {
        let Rescue { pairs: asked, rows: answers, scratch } = &mut **rescue.get_or_insert_default();
        asked.clear();
        asked.extend(open.undecided.iter().map(|pick| pairs[pick.row as usize]));
        answers.resize(asked.len(), Proximity::default());
        solve_chunk(bodies, Source::OnDemand, asked, answers, scratch);
        for (pick, answer) in open.undecided.iter().zip(answers) {
            rows[pick.row as usize] = answer.narrowed();
        }
    }
    open.undecided.len()
}

/// One pair, from the user's own numbers, in `f64`.
fn decide<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pick: &Pick,
    row: &mut Proximity<S, T>,
    effort: Effort,
    expander: &mut S::Expander,
) {
    let asked = [row.a, row.b];
    let [a, b] = if pick.swapped { [asked[1], asked[0]] } else { asked }.map(|body| body as usize);
    let (record_a, record_b) = (Record::<S, f64>::new(bodies, a), Record::<S, f64>::new(bodies, b));
    let pair: PairLanes<S, f64> = gather([[&record_a, &record_b]; MAX_WIDTH]);
    let core_a = AnyCore::new(bodies.shape(a), pair.scale);
    let core_b = AnyCore::new(bodies.shape(b), pair.scale);
    let found: Resolved<S> = resolve(&pair, &core_a, &core_b, effort, expander);

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
    pairs
        .par_chunks(CHUNK)
        .zip(rows.par_chunks_mut(CHUNK))
        .map_init(Scratch::default, |scratch, (pairs, rows)| solve_chunk(bodies, source, pairs, rows, scratch) as u64)
        .sum()
}
