//! From the list to rows: in each frame, the pairs that can wait no longer and may be near by their bounding balls are
//! solved, and rows within the margin are kept, in canonical order. Pairs of bodies that are both still keep the rows
//! they had. Pairs that are too far apart, by their balls or by their distance, wait (see `wait`).
//!
//! Stretches of the list are tasks. With one thread, one buffer takes all rows, one after the other; otherwise each
//! stretch has its own, and they are joined afterwards. The rows are the same.

use core::hint::select_unpredictable;
use core::ops::Range;

use jostle_lanes::{Scalar, prefetch_far_at};
use jostle_narrowphase::{
    BALL_ROUNDING, Caches, Dimension, Largest, PAIRS_PER_BATCH, Precision, Proximity, Scratch, SimplexCache,
    solve_pairs_from,
};
use jostle_shape::CustomShape;
use jostle_tasks::{self as tasks, Few, Joined, Length, Pool};

use super::ball::{between, elsewhere};
use super::far::FarPairs;
use super::keyed_rows::{KeyedRows, Writer, remove_rows};
use super::link::Link;
use super::list::Course;
use super::question::FrameQuestion;
use super::wait::{Clock, Due, NEAR, each_place};

/// Pairs of the list per task, at most.
const STRETCH: usize = 16 * PAIRS_PER_BATCH;

/// Pairs of the list per task: fewer if threads would get less than a few tasks each. A power of two, so that buffers
/// that fit go on fitting while the list grows and shrinks a little.
fn stretch(pairs: usize) -> usize {
    let share = pairs / (tasks::enough() * PAIRS_PER_BATCH);
    STRETCH.min(PAIRS_PER_BATCH << share.max(1).ilog2())
}
/// How many pairs ahead balls are prefetched.
const PAIRS_AHEAD: usize = 64;
/// How many pairs ahead the data is prefetched that says which image a pair is about.
const LINKS_AHEAD: usize = 32;

/// The results of one stretch.
#[derive(Debug)]
struct StretchRows<S: Dimension, T: Precision, L> {
    rows: KeyedRows<S, T, L>,
    tally: SolveCounts,
}

impl<S: Dimension, T: Precision, L> Default for StretchRows<S, T, L> {
    fn default() -> Self {
        Self { rows: KeyedRows::default(), tally: SolveCounts::default() }
    }
}

impl<S: Dimension, T: Precision, L> Length for StretchRows<S, T, L> {
    fn length(&self) -> usize {
        self.rows.keys.len()
    }
}

/// Counts of a frame's solving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveCounts {
    /// Pairs that went through the narrowphase.
    pub solved: u64,
    /// How many of them `f64` had to decide.
    pub rescued: u64,
}

/// Buffers of one task.
struct StretchWorker<S: Dimension, T: Precision, L> {
    due: Due,
    /// Pairs to be solved, and their places in the stretch. Entries beyond the current count mean nothing.
    links: Vec<L>,
    places: Vec<u32>,
    /// Which of them are about an image of their second body.
    of_images: Vec<bool>,
    /// The others, and their places.
    pairs: Vec<[u32; 2]>,
    pair_places: Vec<u32>,
    rows: Vec<Proximity<S, T>>,
    /// Those that are about images.
    far: FarPairs<S, T>,
    /// Places of rows that are not wanted.
    unwanted: Vec<u32>,
    scratch: Scratch<S, T>,
    /// What `scratch` has room for: the number of shapes, and the largest of them.
    room: Option<(usize, Largest)>,
}

impl<S: Dimension, T: Precision, L> Default for StretchWorker<S, T, L> {
    fn default() -> Self {
        Self {
            due: Due::default(),
            links: Vec::new(),
            places: Vec::new(),
            of_images: Vec::new(),
            pairs: Vec::new(),
            pair_places: Vec::new(),
            rows: Vec::new(),
            far: FarPairs::default(),
            unwanted: Vec::new(),
            scratch: Scratch::default(),
            room: None,
        }
    }
}

impl<S: Dimension, T: Precision, L: Link> StretchWorker<S, T, L> {
    /// Makes all the room that a stretch needs: here, and not when many pairs happen to be near at once.
    fn make_room<U>(&mut self, question: &FrameQuestion<'_, S, T, U>) {
        let (shapes, largest) = (question.templates.len(), question.largest);
        if self.room == Some((shapes, largest)) {
            return;
        }
        self.scratch.reserve(PAIRS_PER_BATCH, shapes, largest);
        self.room = Some((shapes, largest));
        // When a block of the list is looked at, fewer than [`PAIRS_PER_BATCH`] gathered pairs are left from before.
        self.links.resize(2 * PAIRS_PER_BATCH, L::default());
        self.places.resize(2 * PAIRS_PER_BATCH, 0);
        self.of_images.resize(PAIRS_PER_BATCH, false);
        self.pairs.resize(PAIRS_PER_BATCH, [0; 2]);
        self.pair_places.resize(PAIRS_PER_BATCH, 0);
        self.unwanted.resize(PAIRS_PER_BATCH, 0);
        self.rows.resize(PAIRS_PER_BATCH, Proximity::default());
        if question.repeats.lattice.repeats() {
            self.far.reserve();
            self.scratch.reserve_records(PAIRS_PER_BATCH);
        }
    }
}

/// The question, and what is known from the last frame.
struct Task<'t, 'q, S: Dimension, T: Precision, U, L> {
    question: &'t FrameQuestion<'q, S, T, U>,
    /// The rows of the last frame, from which those of still bodies are taken; `None` if there are none or they cannot
    /// be taken over.
    before: Option<&'t KeyedRows<S, T, L>>,
    clock: Clock,
}

/// What is kept of the pairs of a stretch: until when each waits, and, with a warm start, where its search ended.
struct StretchState<'k, S: Dimension, T: Precision> {
    until: &'k mut [f32],
    caches: &'k mut [SimplexCache<S, T>],
}

/// A stretch of the list.
struct Stretch<'l, S: Dimension, T: Precision, L> {
    pairs: &'l [L],
    kept: StretchState<'l, S, T>,
    /// The places of the rows of the last frame that belong to this stretch.
    resting: Range<usize>,
}

/// The work on a stretch, as far as it has come.
struct Run<'r, 'l, S: Dimension, T: Precision, L> {
    worker: &'r mut StretchWorker<S, T, L>,
    kept: StretchState<'l, S, T>,
    /// Rows of the last frame that are still to be looked at.
    resting: Range<usize>,
    out: Writer<'r, S, T, L>,
    tally: SolveCounts,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>, L: Link> Task<'_, '_, S, T, U, L> {
    /// Solves one stretch of the list, and writes its rows to `out`.
    fn stretch(
        &self,
        stretch: Stretch<'_, S, T, L>,
        worker: &mut StretchWorker<S, T, L>,
        out: &mut KeyedRows<S, T, L>,
    ) -> SolveCounts {
        let question = self.question;
        let Stretch { pairs: list, kept, resting } = stretch;
        worker.make_room(question);
        let mut run = Run { worker, kept, resting, out: Writer::new(out), tally: SolveCounts::default() };
        let now = self.clock.now();
        // Where all are balls, records are not read, and the narrowphase prefetches what it reads.
        let asks_records = !question.templates.only_balls();
        let mut count = 0;
        for (number, block) in list.chunks(PAIRS_PER_BATCH).enumerate() {
            let Run { worker, kept, .. } = &mut run;
            let first = number * PAIRS_PER_BATCH;
            let waits = &mut kept.until[first..first + block.len()];
            worker.due.list(waits, now);
            let were_near = worker.due.near;
            self.look(block, waits, &mut worker.due);
            if !kept.caches.is_empty() {
                // A pair that stays near has the shapes it had, so its cache holds: pairs of changed bodies were found
                // anew, and count as not near before.
                let new = worker.due.near.iter().zip(were_near).map(|(near, were_near)| near & !were_near);
                each_place(new, |place| kept.caches[first + place].forget());
            }
            let from = count;
            let (links, places) = (&mut worker.links[from..], &mut worker.places[from..]);
            let mut more = 0;
            each_place(worker.due.near, |place| {
                prefetch_far_at(block, place + PAIRS_PER_BATCH);
                let link = block[place];
                if asks_records {
                    prefetch_far_at(question.records, link.slots()[1] as usize);
                }
                (links[more], places[more]) = (link, (first + place) as u32);
                more += 1;
            });
            count += more;
            if question.some_missing || self.before.is_some() {
                count = self.leave_out(from..count, worker);
            }
            if count >= PAIRS_PER_BATCH {
                self.flush(PAIRS_PER_BATCH, &mut run);
                run.worker.links.copy_within(PAIRS_PER_BATCH..count, 0);
                run.worker.places.copy_within(PAIRS_PER_BATCH..count, 0);
                count -= PAIRS_PER_BATCH;
            }
        }
        self.flush(count, &mut run);
        let Run { mut resting, mut out, tally, .. } = run;
        self.take_resting(&mut resting, None, &mut out);
        out.finish();
        tally
    }

    /// Finds which of a block's due pairs may be near, and until when the others wait.
    fn look(&self, block: &[L], waits: &mut [f32], due: &mut Due) {
        let FrameQuestion { balls, repeats, margin, .. } = *self.question;
        let margin = f32::round_up(margin * (1.0 + BALL_ROUNDING));
        let ask = |place: usize| {
            let [a, b] = block[place].slots();
            prefetch_far_at(balls, a as usize);
            prefetch_far_at(balls, b as usize);
            block[place].prefetch(repeats);
        };
        (0..PAIRS_AHEAD).map_while(|number| due.get(number)).for_each(ask);
        let mut number = 0;
        while let Some(place) = due.get(number) {
            if let Some(ahead) = due.get(number + PAIRS_AHEAD) {
                ask(ahead);
            }
            let [a, b] = block[place].slots().map(|slot| &balls[slot as usize]);
            let gap = match block[place].image(repeats) {
                None => between(a, b),
                Some(image) => between(a, &elsewhere::<S>(b, &repeats.lattice.shift(image))),
            } - margin;
            // No branch: whether a pair is near cannot be predicted. Selected as integers, for which the compiler emits
            // no branch.
            let near = gap <= 0.0;
            let until = [self.clock.until(gap, [a.radius.pace(), b.radius.pace()]), NEAR].map(f32::to_bits);
            waits[place] = f32::from_bits(select_unpredictable(near, until[1], until[0]));
            due.tell(place, near);
            number += 1;
        }
    }

    /// The reading of the clock until which a pair waits whose row is not wanted.
    fn until(&self, row: &Proximity<S, T>) -> f32 {
        let paces = [row.a, row.b].map(|slot| self.question.balls[slot as usize].radius.pace());
        self.clock.until(self.question.spare(row), paces)
    }

    /// Drops the pairs with a removed or faulty body, and those of two still bodies, which keep their rows; returns how
    /// many pairs are left in all.
    fn leave_out(&self, range: Range<usize>, worker: &mut StretchWorker<S, T, L>) -> usize {
        let question = self.question;
        let mut count = range.start;
        for at in range {
            let (link, place) = (worker.links[at], worker.places[at]);
            // Why each is left out: a body of a pair that was near may be gone or faulty since; and rows of still
            // bodies are kept.
            let out = question.some_missing && !question.are_sound(link.slots())
                || self.before.is_some() && question.rests(link.slots());
            (worker.links[count], worker.places[count]) = (link, place);
            count += usize::from(!out);
        }
        count
    }

    /// Solves the first `count` gathered pairs.
    fn flush(&self, count: usize, run: &mut Run<'_, '_, S, T, L>) {
        if count == 0 {
            return;
        }
        run.tally.solved += count as u64;
        let here = self.part(count, run.worker);
        if here == count && run.resting.is_empty() {
            self.solve_in_place(count, run);
        } else {
            self.solve_and_merge(count, here, run);
        }
    }

    /// Separates the first `count` gathered pairs into those of bodies themselves, whose number it returns, and those
    /// that are about an image.
    fn part(&self, count: usize, worker: &mut StretchWorker<S, T, L>) -> usize {
        let question = self.question;
        let StretchWorker { links, places, of_images, pairs, pair_places, far, .. } = worker;
        far.apart.clear();
        let mut here = 0;
        let mut ahead = links[..count].iter().skip(LINKS_AHEAD);
        for ((&link, &place), of_image) in links[..count].iter().zip(&*places).zip(of_images) {
            if let Some(ahead) = ahead.next() {
                ahead.prefetch(question.repeats);
            }
            let image = link.image(question.repeats);
            *of_image = image.is_some();
            match image {
                None => {
                    (pairs[here], pair_places[here]) = (link.slots(), place);
                    here += 1;
                }
                Some(image) => {
                    far.apart.push(&question.bodies, link.slots(), &question.repeats.lattice.shift(image));
                }
            }
        }
        here
    }

    /// The caches of the pairs at these places whose search takes long; `None` without a warm start.
    fn caches<'c>(
        &self,
        pairs: &[[u32; 2]],
        places: &'c mut [u32],
        all: &'c mut [SimplexCache<S, T>],
    ) -> Option<Caches<'c, S, T>> {
        if all.is_empty() {
            return None;
        }
        for (place, &pair) in places.iter_mut().zip(pairs) {
            if !self.question.is_searched_long(pair) {
                *place = Caches::<S, T>::NONE;
            }
        }
        Some(Caches { all, places })
    }

    /// Solves pairs of bodies themselves where their rows stay, and closes up rows that are not wanted. No kept rows
    /// lie between them.
    fn solve_in_place(&self, count: usize, run: &mut Run<'_, '_, S, T, L>) {
        let question = self.question;
        let Run { worker, kept: StretchState { until, caches }, out, tally, .. } = run;
        let StretchWorker { links, places, pairs, pair_places, unwanted, scratch, .. } = &mut **worker;
        let pairs = &pairs[..count];
        let caches = self.caches(pairs, &mut pair_places[..count], caches);
        let (keys, rows) = out.next(count);
        tally.rescued += solve_pairs_from(&question.bodies, question.source(), pairs, caches, rows, scratch) as u64;
        keys.copy_from_slice(&links[..count]);
        let mut number = 0;
        for (at, row) in rows.iter().enumerate() {
            unwanted[number] = at as u32;
            number += usize::from(!question.wants(row));
        }
        let unwanted = &unwanted[..number];
        for at in unwanted.iter().map(|&at| at as usize) {
            until[places[at] as usize] = self.until(&rows[at]);
        }
        let left = remove_rows(keys, rows, unwanted);
        out.keep(left);
    }

    /// Solves `count` pairs, of which `here` are of bodies themselves, and merges their rows in order with those that
    /// are kept.
    fn solve_and_merge(&self, count: usize, here: usize, run: &mut Run<'_, '_, S, T, L>) {
        let question = self.question;
        let Run { worker, kept: StretchState { until, caches }, resting, out, tally } = run;
        let StretchWorker { links, places, of_images, pairs, pair_places, rows, far, scratch, .. } = &mut **worker;
        let pairs = &pairs[..here];
        let caches = self.caches(pairs, &mut pair_places[..here], caches);
        // Every field of every row is written: present rows need not be cleared.
        rows.resize(here, Proximity::default());
        let rescued = solve_pairs_from(&question.bodies, question.source(), pairs, caches, rows, scratch);
        let rescued = rescued + far.solve(&question.bodies, question.templates, scratch);
        tally.rescued += rescued as u64;
        let (mut rows, mut far) = (rows.iter(), far.rows.iter());
        for ((&link, &place), &of_image) in links[..count].iter().zip(&*places).zip(&*of_images) {
            let row = if of_image { far.next() } else { rows.next() };
            let Some(row) = row else { continue };
            if question.wants(row) {
                if resting.start < resting.end {
                    self.take_resting(resting, Some(link), out);
                }
                out.push(link, row);
            } else {
                until[place as usize] = self.until(row);
            }
        }
    }

    /// Takes over rows of still bodies, up to the pair `end` or to the last.
    fn take_resting(&self, resting: &mut Range<usize>, end: Option<L>, out: &mut Writer<'_, S, T, L>) {
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

/// Solves lists, and keeps the buffers for it.
#[derive(Debug)]
pub struct Solver<S: Dimension, T: Precision, L> {
    workers: Pool<StretchWorker<S, T, L>>,
    parts: Vec<StretchRows<S, T, L>>,
}

impl<S: Dimension, T: Precision, L> Default for Solver<S, T, L> {
    fn default() -> Self {
        Self { workers: Pool::default(), parts: Vec::new() }
    }
}

/// A copy starts without buffers.
impl<S: Dimension, T: Precision, L> Clone for Solver<S, T, L> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S: Dimension, T: Precision, L: Link> Solver<S, T, L> {
    /// Writes the rows of all wanted pairs of the list into `out`, in canonical order.
    pub fn solve<U: CustomShape<S>>(
        &mut self,
        question: &FrameQuestion<'_, S, T, U>,
        before: Option<&KeyedRows<S, T, L>>,
        course: Course<'_, S, T, L>,
        out: &mut KeyedRows<S, T, L>,
    ) -> SolveCounts {
        let Course { pairs: list, until, caches, clock } = course;
        let stretch = stretch(list.len());
        let stretches = list.len().div_ceil(stretch).max(1);
        let task = Task { question, before, clock };
        let all_before = before.map_or(0, |before| before.keys.len());
        if stretches == 1 || tasks::alone() {
            let stretch = Stretch { pairs: list, kept: StretchState { until, caches }, resting: 0..all_before };
            return self.workers.with(|worker| task.stretch(stretch, worker, out));
        }
        if self.parts.len() < stretches {
            self.parts.resize_with(stretches, StretchRows::default);
        }
        let (workers, parts) = (&self.workers, &mut self.parts[..stretches]);
        let work = |index: usize, part: &mut StretchRows<S, T, L>, kept: StretchState<'_, S, T>| {
            let (first, next) = (index * stretch, list.len().min((index + 1) * stretch));
            // Rows before this stretch's first pair belong to the stretches before it.
            let border = |at: usize| before.map_or(0, |before| before.before(list[at]));
            let start = if index == 0 { 0 } else { border(first) };
            let end = if next == list.len() { all_before } else { border(next) };
            let stretch = Stretch { pairs: &list[first..next], kept, resting: start..end };
            part.tally = workers.with(|worker| task.stretch(stretch, worker, &mut part.rows));
        };
        let pieces = (&mut parts[..], (Few::of(until, stretch), Few::of(caches, stretch)));
        tasks::each(pieces, |index, (part, (until, caches))| {
            work(index, &mut part[0], StretchState { until: until.list, caches: caches.list });
        });
        let total = parts.iter().map(Length::length).sum();
        out.set_length(total);
        let joined = Joined::of(&*parts, (&mut out.keys[..], &mut out.rows[..]));
        tasks::each(joined, |_, Joined { parts, whole: (keys, rows) }| {
            keys.copy_from_slice(&parts[0].rows.keys);
            rows.copy_from_slice(&parts[0].rows.rows);
        });
        let tally = parts.iter().fold(SolveCounts::default(), |sum, part| SolveCounts {
            solved: sum.solved + part.tally.solved,
            rescued: sum.rescued + part.tally.rescued,
        });
        // The last stretch has the rest of the list, which may be longer in a later frame or begin one stretch more:
        // give both room now.
        let most = parts.iter().map(Length::length).max().unwrap_or(0);
        if self.parts.len() == stretches {
            self.parts.push(StretchRows::default());
        }
        self.parts[stretches - 1..=stretches].iter_mut().for_each(|part| part.rows.make_room(most));
        tally
    }
}
