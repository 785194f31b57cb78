//! From the list to rows: each frame, the pairs that may be near by the balls about them are solved, those
//! within the margin kept, in canonical order; pairs of bodies that both rest keep the rows they had.
//!
//! Now and then the shorter list of pairs that may be near soon is made in passing (see `list`).
//!
//! Stretches of the list are tasks. Alone, one buffer takes all rows, one after the other; otherwise each stretch has its
//! own and they are put together afterwards. The rows are the same.

use jostle_lanes::{Scalar, prefetch};
use jostle_narrowphase::{
    CHUNK, Dimension, Largest, Precision, Proximity, Record, Scratch, Source, Template, solve_chunk,
};
use jostle_shape::{Columns, CustomShape};

use super::link::{Link, Repeats};
use super::list::{Course, inner_reach};
use super::track::{Ball, ROUNDING, STILL, elsewhere, may_be_near};
use crate::near::Near;
use crate::periodic::Apart;
use crate::pool::{self, Pool, make_room};

/// Pairs of the list that one task looks at.
const STRETCH: usize = 16 * CHUNK;
/// How many pairs ahead the ball of the second body is asked for.
const AHEAD: usize = 64;

/// Rows in canonical order, each with what it is known by.
#[derive(Clone, Debug)]
pub struct Rows<S: Dimension, T: Precision, L> {
    pub keys: Vec<L>,
    pub rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision, L> Default for Rows<S, T, L> {
    fn default() -> Self {
        Self { keys: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision, L: Link> Rows<S, T, L> {
    /// As many as there have to be; what is there already is not cleared.
    fn set_length(&mut self, len: usize) {
        make_room(&mut self.keys, len);
        make_room(&mut self.rows, len);
        self.keys.resize(len, L::default());
        self.rows.resize(len, Proximity::default());
    }
    /// The place of the first row of two slots.
    pub fn place(&self, slots: [u32; 2]) -> Option<usize> {
        let at = self.keys.partition_point(|key| key.slots() < slots);
        (self.keys.get(at)?.slots() == slots).then_some(at)
    }
    /// The number of rows before a pair.
    fn before(&self, place: L) -> usize {
        self.keys.partition_point(|&other| other < place)
    }
}

/// Writes rows one behind the other, over those that are there.
struct Writer<'r, S: Dimension, T: Precision, L> {
    out: &'r mut Rows<S, T, L>,
    count: usize,
}

impl<'r, S: Dimension, T: Precision, L: Link> Writer<'r, S, T, L> {
    fn new(out: &'r mut Rows<S, T, L>) -> Self {
        Self { out, count: 0 }
    }
    /// The next so many rows, to be written; what they hold means nothing.
    fn next(&mut self, more: usize) -> (&mut [L], &mut [Proximity<S, T>]) {
        let end = self.count + more;
        if self.out.keys.len() < end || self.out.rows.len() < end {
            self.out.set_length(end);
        }
        (&mut self.out.keys[self.count..end], &mut self.out.rows[self.count..end])
    }
    #[inline]
    fn push(&mut self, place: L, row: &Proximity<S, T>) {
        let (places, rows) = self.next(1);
        (places[0], rows[0]) = (place, *row);
        self.count += 1;
    }
    /// Takes away what is left of before.
    fn finish(self) {
        self.out.keys.truncate(self.count);
        self.out.rows.truncate(self.count);
    }
}

/// What one stretch gave.
#[derive(Debug)]
struct Part<S: Dimension, T: Precision, L> {
    rows: Rows<S, T, L>,
    inner: Vec<L>,
    tally: Tally,
}

impl<S: Dimension, T: Precision, L> Default for Part<S, T, L> {
    fn default() -> Self {
        Self { rows: Rows::default(), inner: Vec::new(), tally: Tally::default() }
    }
}

/// What a frame's solving came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs that went through the narrowphase.
    pub solved: u64,
    /// Of those, how many `f64` had to decide.
    pub rescued: u64,
}

/// What one task needs while it works.
struct Worker<S: Dimension, T: Precision, L> {
    links: Vec<L>,
    /// Those whose second body stands where it is.
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    /// The others.
    far: Far<S, T>,
    scratch: Scratch<S, T>,
    /// What `scratch` has room for.
    largest: Option<Largest>,
}

impl<S: Dimension, T: Precision, L> Default for Worker<S, T, L> {
    fn default() -> Self {
        let (links, pairs, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { links, pairs, rows, far: Far::default(), scratch: Scratch::default(), largest: None }
    }
}

/// Pairs with images, each placed for itself.
struct Far<S: Dimension, T: Precision> {
    apart: Apart<S>,
    records: Vec<Record<S, T>>,
    rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Far<S, T> {
    fn default() -> Self {
        Self { apart: Apart::default(), records: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> Far<S, T> {
    /// Makes all the room that a chunk may need.
    fn reserve(&mut self) {
        let Self { apart, records, rows } = self;
        apart.reserve(CHUNK);
        rows.reserve(CHUNK);
        records.reserve(2 * CHUNK);
    }
    /// Solves them, and says how many `f64` had to decide.
    fn solve<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        templates: &[Template<S, T>],
        scratch: &mut Scratch<S, T>,
    ) -> usize {
        let Self { apart, records, rows } = self;
        rows.resize(apart.pairs().len(), Proximity::default());
        if rows.is_empty() {
            return 0;
        }
        let together = apart.columns(bodies);
        let template = |body: usize| &templates[together.shape_indices()[body] as usize];
        records.clear();
        records.extend((0..together.len()).map(|body| Record::placed(template(body), &together, body)));
        let rescued = solve_chunk(&together, Source::All(records), apart.pairs(), rows, scratch);
        for (at, row) in rows.iter_mut().enumerate() {
            *row = apart.row(at, row);
        }
        rescued
    }
}

/// One frame's question.
#[derive(Debug)]
pub struct Question<'q, S: Dimension, T: Precision, U> {
    pub bodies: Columns<'q, S, U>,
    pub templates: &'q [Template<S, T>],
    pub repeats: Repeats<'q, S>,
    pub velocities: &'q [S::Array<f64>],
    pub flags: &'q [u8],
    pub records: &'q [Record<S, T>],
    pub balls: &'q [Ball],
    pub largest: Largest,
    pub near: Near<T>,
    /// Metres.
    pub margin: f64,
    /// Seconds.
    pub look_ahead: f64,
}

/// The question, and what is known from the frame before.
struct Task<'t, 'q, S: Dimension, T: Precision, U, L> {
    question: &'t Question<'q, S, T, U>,
    /// Rows of bodies that rest are taken from these; `None` if they were found on other terms.
    before: Option<&'t Rows<S, T, L>>,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Question<'_, S, T, U> {
    /// Whether a row is wanted: its bodies are within the margin, or may get there within the look-ahead, as far as the
    /// plane between them tells.
    #[inline]
    fn wants(&self, row: &Proximity<S, T>) -> bool {
        if self.near.holds(row.distance) {
            return true;
        }
        if self.look_ahead == 0.0 {
            return false;
        }
        let (a, b) = (&self.velocities[row.a as usize], &self.velocities[row.b as usize]);
        let closing: f64 = (0..S::DIMENSION).map(|k| (a[k] - b[k]) * row.normal[k].to_f64()).sum();
        row.distance.to_f64() - self.look_ahead * closing <= self.margin
    }

    /// Whether what was found between two bodies still holds.
    #[inline]
    fn rests(&self, [a, b]: [u32; 2]) -> bool {
        self.flags[a as usize] & self.flags[b as usize] & STILL != 0
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>, L: Link> Task<'_, '_, S, T, U, L> {
    /// Solves one stretch of the list. The rows that rest are those of `before` in `resting`. If the short list is to be
    /// made, the pairs of this stretch that belong there are added to it.
    fn stretch(
        &self,
        list: &[L],
        mut resting: core::ops::Range<usize>,
        mut short: Option<(f32, &mut Vec<L>)>,
        worker: &mut Worker<S, T, L>,
        out: &mut Rows<S, T, L>,
    ) -> Tally {
        let question = self.question;
        let mut out = Writer::new(out);
        let mut tally = Tally::default();
        if worker.largest != Some(question.largest) {
            worker.scratch.reserve(CHUNK, question.largest);
            worker.largest = Some(question.largest);
            if question.repeats.lattice.repeats() {
                worker.far.reserve();
            }
        }
        let margin = f32::round_up(question.margin * (1.0 + ROUNDING));
        let near = |link: L, reach| {
            let [a, b] = link.slots().map(|slot| &question.balls[slot as usize]);
            match link.image(question.repeats) {
                None => may_be_near(a, b, reach),
                Some(image) => may_be_near(a, &elsewhere::<S>(b, &question.repeats.lattice.shift(image)), reach),
            }
        };
        // First bodies come one after the other, second ones from anywhere.
        let ask = |block: &[L], place: usize| {
            if let Some(ahead) = block.get(place + AHEAD) {
                prefetch(&question.balls[ahead.slots()[1] as usize]);
            }
        };
        worker.links.resize(2 * CHUNK, L::default());
        let mut count = 0;
        for block in list.chunks(CHUNK) {
            let block = match &mut short {
                None => block,
                Some((reach, inner)) => {
                    let first = inner.len();
                    append_where(block, inner, &ask, |link| near(link, *reach));
                    &inner[first..]
                }
            };
            // Without a branch: about half of the pairs pass, in no order that could be guessed. The second bodies of those
            // that do are asked for; those that do not ask for the first body, which is at hand.
            let ask_for = |link: L, wanted: bool| {
                let [a, b] = link.slots();
                prefetch(&question.records[if wanted { b } else { a } as usize]);
            };
            if self.before.is_none() {
                for (place, &link) in block.iter().enumerate() {
                    ask(block, place);
                    worker.links[count] = link;
                    let wanted = near(link, margin);
                    ask_for(link, wanted);
                    count += usize::from(wanted);
                }
            } else {
                for (place, &link) in block.iter().enumerate() {
                    ask(block, place);
                    worker.links[count] = link;
                    let wanted = near(link, margin) & !question.rests(link.slots());
                    ask_for(link, wanted);
                    count += usize::from(wanted);
                }
            }
            if count >= CHUNK {
                self.flush(CHUNK, worker, &mut resting, &mut out, &mut tally);
                worker.links.copy_within(CHUNK..count, 0);
                count -= CHUNK;
            }
        }
        self.flush(count, worker, &mut resting, &mut out, &mut tally);
        self.take_resting(&mut resting, None, &mut out);
        out.finish();
        tally
    }

    /// Solves the first `count` of the pairs that have been gathered.
    fn flush(
        &self,
        count: usize,
        worker: &mut Worker<S, T, L>,
        resting: &mut core::ops::Range<usize>,
        out: &mut Writer<'_, S, T, L>,
        tally: &mut Tally,
    ) {
        let question = self.question;
        let Worker { links, pairs, rows, far, scratch, .. } = worker;
        let links = &links[..count];
        if links.is_empty() {
            return;
        }
        tally.solved += count as u64;
        pairs.resize(count, [0; 2]);
        far.apart.clear();
        let mut here = 0;
        for &link in links {
            match link.image(question.repeats) {
                None => {
                    pairs[here] = link.slots();
                    here += 1;
                }
                Some(image) => {
                    far.apart.push(&question.bodies, link.slots(), &question.repeats.lattice.shift(image));
                }
            }
        }
        let pairs = &pairs[..here];
        let source = Source::All(question.records);
        if here == count && resting.start >= resting.end {
            // Solved where they stay, and closed up where some are not wanted.
            let (places, rows) = out.next(count);
            tally.rescued += solve_chunk(&question.bodies, source, pairs, rows, scratch) as u64;
            let mut kept = 0;
            for (at, &link) in links.iter().enumerate() {
                if question.wants(&rows[at]) {
                    places[kept] = link;
                    if kept != at {
                        rows[kept] = rows[at];
                    }
                    kept += 1;
                }
            }
            out.count += kept;
            return;
        }
        // Every field of every row is written: what is there already need not be cleared.
        rows.resize(here, Proximity::default());
        let rescued = solve_chunk(&question.bodies, source, pairs, rows, scratch);
        let rescued = rescued + far.solve(&question.bodies, question.templates, scratch);
        tally.rescued += rescued as u64;
        let (mut rows, mut far) = (rows.iter(), far.rows.iter());
        for &link in links {
            let row = if link.image(question.repeats).is_none() { rows.next() } else { far.next() };
            if let Some(row) = row.filter(|row| question.wants(row)) {
                if resting.start < resting.end {
                    self.take_resting(resting, Some(link), out);
                }
                out.push(link, row);
            }
        }
    }

    /// Takes over the rows of pairs that rest, up to a pair or to the last.
    fn take_resting(&self, resting: &mut core::ops::Range<usize>, end: Option<L>, out: &mut Writer<'_, S, T, L>) {
        let Some(before) = self.before else { return };
        while resting.start < resting.end && end.is_none_or(|end| before.keys[resting.start] < end) {
            let row = &before.rows[resting.start];
            if self.question.rests([row.a, row.b]) {
                out.push(before.keys[resting.start], row);
            }
            resting.start += 1;
        }
    }
}

/// Solves lists, and keeps what that needs.
#[derive(Debug)]
pub struct Solver<S: Dimension, T: Precision, L> {
    workers: Pool<Worker<S, T, L>>,
    parts: Vec<Part<S, T, L>>,
}

impl<S: Dimension, T: Precision, L> Default for Solver<S, T, L> {
    fn default() -> Self {
        Self { workers: Pool::default(), parts: Vec::new() }
    }
}

/// A copy starts with no memory.
impl<S: Dimension, T: Precision, L> Clone for Solver<S, T, L> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S: Dimension, T: Precision, L: Link> Solver<S, T, L> {
    /// The rows of all pairs of a list that are wanted, in canonical order, into `out`.
    pub fn solve<U: CustomShape<S>>(
        &mut self,
        question: &Question<'_, S, T, U>,
        before: Option<&Rows<S, T, L>>,
        course: Course<'_, L>,
        out: &mut Rows<S, T, L>,
    ) -> Tally {
        let (list, reach, mut inner) = match course {
            Course::Pairs(pairs) => (pairs, 0.0, None),
            Course::Prune { pairs, room, inner } => (pairs, inner_reach(question.margin, room), Some(inner)),
        };
        let stretches = list.len().div_ceil(STRETCH).max(1);
        let task = Task { question, before };
        let all_before = before.map_or(0, |before| before.keys.len());
        if stretches == 1 || pool::alone() {
            let short = inner.map(|inner| {
                inner.clear();
                (reach, inner)
            });
            return self.workers.with(|worker| task.stretch(list, 0..all_before, short, worker, out));
        }
        if self.parts.len() < stretches {
            self.parts.resize_with(stretches, Part::default);
        }
        let (workers, parts) = (&self.workers, &mut self.parts[..stretches]);
        let prune = inner.is_some();
        pool::for_each(parts, |index, part| {
            let (first, next) = (index * STRETCH, list.len().min((index + 1) * STRETCH));
            // The rows before this stretch's first pair belong to those before it.
            let border = |at: usize| before.map_or(0, |before| before.before(list[at]));
            let start = if index == 0 { 0 } else { border(first) };
            let end = if next == list.len() { all_before } else { border(next) };
            part.inner.clear();
            let short = prune.then_some((reach, &mut part.inner));
            part.tally =
                workers.with(|worker| task.stretch(&list[first..next], start..end, short, worker, &mut part.rows));
        });
        if let Some(inner) = &mut inner {
            inner.clear();
            make_room(inner, parts.iter().map(|part| part.inner.len()).sum());
            for part in parts.iter() {
                inner.extend_from_slice(&part.inner);
            }
        }
        let total: usize = parts.iter().map(|part| part.rows.keys.len()).sum();
        out.set_length(total);
        join_parts(parts, &mut out.keys, &mut out.rows);
        parts.iter().fold(Tally::default(), |sum, part| Tally {
            solved: sum.solved + part.tally.solved,
            rescued: sum.rescued + part.tally.rescued,
        })
    }
}

/// Adds the pairs for which `wanted` holds, without a branch on it.
#[inline(always)]
fn append_where<L: Link>(pairs: &[L], out: &mut Vec<L>, ask: &impl Fn(&[L], usize), wanted: impl Fn(L) -> bool) {
    let mut count = out.len();
    make_room(out, count + pairs.len());
    out.resize(count + pairs.len(), L::default());
    for (place, &pair) in pairs.iter().enumerate() {
        ask(pairs, place);
        out[count] = pair;
        count += usize::from(wanted(pair));
    }
    out.truncate(count);
}

/// Copies the rows of all parts behind each other.
fn join_parts<S: Dimension, T: Precision, L: Link>(
    parts: &[Part<S, T, L>],
    keys: &mut [L],
    rows: &mut [Proximity<S, T>],
) {
    match parts {
        [] => {}
        [part] => {
            keys.copy_from_slice(&part.rows.keys);
            rows.copy_from_slice(&part.rows.rows);
        }
        _ => {
            let (front, back) = parts.split_at(parts.len() / 2);
            let middle = front.iter().map(|part| part.rows.keys.len()).sum();
            let (front_keys, back_keys) = keys.split_at_mut(middle);
            let (front_rows, back_rows) = rows.split_at_mut(middle);
            pool::join(|| join_parts(front, front_keys, front_rows), || join_parts(back, back_keys, back_rows));
        }
    }
}
