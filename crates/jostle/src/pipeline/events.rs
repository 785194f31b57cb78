//! What became of contacts from one frame to the next: the ordered pairs of both frames are gone through side by side.

use jostle_narrowphase::{Dimension, Precision};
use jostle_tasks::{self as tasks, Few, Joined, make_room};

use super::flags::Flags;
use super::handle::{Handle, Slots};
use super::keyed_rows::KeyedRows;
use super::link::Link;
use super::statics::Statics;

/// Contacts per task.
const CONTACTS_PER_TASK: usize = 16_384;
/// Contacts that are compared at once with those of the last frame.
const RUN: usize = 8;

/// What a contact was in the frame before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It was no contact.
    #[default]
    Began,
    /// It was a contact.
    Persists,
    /// It was a contact, and both bodies rest: one sleeps, the other sleeps or is static, and neither has moved. Its
    /// row is the one it had, and a solver may leave it out. The first update after a body was put to sleep does not
    /// say so yet, but the second.
    Rests,
}

/// A contact that begins or ends. Where space repeats, two bodies may have several contacts, one for each image, and
/// then as many events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The pair became a contact: the two bodies came within the margin, or may within the look-ahead.
    Began([Handle; 2]),
    /// The pair is a contact no longer: the bodies left the margin (and what the look-ahead adds), or one of them was
    /// removed (its handle is then stale), has invalid numbers, or no longer meets the other. What was kept beside it:
    /// [`Pipeline::ended_data`](crate::Pipeline::ended_data).
    Ended([Handle; 2]),
}

impl Event {
    /// The handles of the two bodies; the one with the lower slot is first.
    pub fn pair(&self) -> [Handle; 2] {
        match *self {
            Event::Began(pair) | Event::Ended(pair) => pair,
        }
    }
}

/// What is kept beside the rows of a frame. `phases`, `data` and, where space repeats, `images` have one entry per row.
#[derive(Clone, Debug)]
pub struct ContactState<D> {
    pub phases: Vec<Phase>,
    pub data: Vec<D>,
    pub events: Vec<Event>,
    /// The data of each contact that ended, in the order of events.
    pub ended: Vec<D>,
    /// The image of its second body that each row is about; empty in open space.
    pub images: Vec<[i32; 3]>,
    data_before: Vec<D>,
    /// The last frame's data is not what the next one goes on from, but `data_before` is.
    went_back: bool,
    pieces: Vec<Vec<Change>>,
    /// The data of the contacts that ended, piece by piece as in `pieces`.
    ended_pieces: Vec<Vec<D>>,
}

/// An event whose handles have not been looked up yet: this is done for all events at the end. (Looked up one by one,
/// each somewhere in memory, handles took half the time of all events of a large crowd.)
#[derive(Clone, Copy, Debug)]
enum Change {
    Began([u32; 2]),
    Ended([u32; 2]),
}

impl Change {
    // As a call, it would wait for the memory of one event after the other: 220 ns for 36 events.
    #[inline(always)]
    fn event(self, slots: &Slots) -> Event {
        match self {
            Self::Began(pair) => Event::Began(pair.map(|slot| slots.handle(slot as usize))),
            Self::Ended(pair) => Event::Ended(pair.map(|slot| slots.reported(slot))),
        }
    }
}

impl<D> Default for ContactState<D> {
    fn default() -> Self {
        Self {
            phases: Vec::new(),
            data: Vec::new(),
            events: Vec::new(),
            ended: Vec::new(),
            images: Vec::new(),
            data_before: Vec::new(),
            went_back: false,
            pieces: Vec::new(),
            ended_pieces: Vec::new(),
        }
    }
}

/// What is known of the slots: their handles, their flags, which bodies are static.
#[derive(Clone, Copy, Debug)]
pub struct Owners<'o> {
    pub slots: &'o Slots,
    pub flags: &'o [Flags],
    pub statics: Statics<'o>,
    /// No contact rests: no body sleeps, or what moved in the last frame was not reported.
    pub none_rests: bool,
}

impl Owners<'_> {
    fn asleep(&self, slot: u32) -> bool {
        self.flags[slot as usize].contains(Flags::ASLEEP)
    }
    fn rests(&self, [a, b]: [u32; 2]) -> bool {
        let fixed = |slot: u32| self.statics.contains(slot);
        let still = Flags::are_still([a, b].map(|slot| self.flags[slot as usize]));
        still && (self.asleep(a) && (self.asleep(b) || fixed(b)) || self.asleep(b) && fixed(a))
    }
}

/// A piece of a frame's contacts, as a visitor gets it: slices in canonical order, all of one length (`images` is empty
/// in open space).
#[derive(Debug)]
#[non_exhaustive]
pub struct Piece<'p, S: Dimension, T: Precision, D> {
    /// The rows; `a` and `b` are slots.
    pub contacts: &'p [jostle_narrowphase::Proximity<S, T>],
    /// The phase of each contact.
    pub phases: &'p [Phase],
    /// The data that you keep beside each contact.
    pub data: &'p mut [D],
    /// The image of `b` that each contact is about (see [`Pipeline::images`](crate::Pipeline::images)); empty in open
    /// space.
    pub images: &'p [[i32; 3]],
}

impl<D: Copy + Default + Send + Sync> ContactState<D> {
    /// The next frame goes on from the frame before the last one, whose events were not reported.
    pub fn go_back(&mut self) {
        self.went_back = true;
    }

    /// The same before anything of this frame is known.
    pub fn forget_frame(&mut self) {
        if !core::mem::replace(&mut self.went_back, true) {
            core::mem::swap(&mut self.data, &mut self.data_before);
        }
        self.data.clear();
        self.phases.clear();
        self.images.clear();
    }

    /// Finds which contacts began, persist and ended from the last frame, whose rows had the keys `old`, to this one.
    pub fn turn_over<S: Dimension, T: Precision, L: Link, V>(
        &mut self,
        now: &KeyedRows<S, T, L>,
        old: &[L],
        owners: Owners<'_>,
        visitor: Option<&V>,
    ) -> Turnover
    where
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        if !core::mem::take(&mut self.went_back) {
            core::mem::swap(&mut self.data, &mut self.data_before);
        }
        let Self { phases, data, data_before, events, ended, pieces, ended_pieces, images, .. } = self;
        let keys = &now.keys[..];
        let count = keys.len();
        set_length(phases, count);
        set_length(data, count);
        let number = count.div_ceil(CONTACTS_PER_TASK).max(1);
        if pieces.len() < number {
            pieces.resize_with(number, Vec::new);
            ended_pieces.resize_with(number, Vec::new);
        }
        let turn = Turn { now: keys, old, data_before, owners, changed: owners.slots.any_changed() };
        let work = |index: usize, phases: &mut [Phase], data: &mut [D], changes: Changes<'_, D>| {
            let range = index * CONTACTS_PER_TASK..index * CONTACTS_PER_TASK + phases.len();
            turn.piece(range.start, phases, data, changes);
            if let Some(visitor) = visitor.filter(|_| !range.is_empty()) {
                let images = images.get(range.clone()).unwrap_or_default();
                visitor(Piece { contacts: &now.rows[range], phases, data, images });
            }
        };
        if count == 0 || number == 1 || tasks::alone() {
            if count == 0 {
                work(0, &mut [], &mut [], Changes { list: &mut pieces[0], ended: &mut ended_pieces[0] });
            }
            let parts = phases.chunks_mut(CONTACTS_PER_TASK).zip(data.chunks_mut(CONTACTS_PER_TASK));
            let lists = pieces.iter_mut().zip(ended_pieces.iter_mut());
            for (index, ((phases, data), (list, ended))) in parts.zip(lists).enumerate() {
                work(index, phases, data, Changes { list, ended });
            }
        } else {
            let lists = (&mut pieces[..number], &mut ended_pieces[..number]);
            let parts =
                (lists, (Few::of(&mut phases[..], CONTACTS_PER_TASK), Few::of(&mut data[..], CONTACTS_PER_TASK)));
            tasks::each(parts, |index, ((lists, ended_lists), (phases, data))| {
                let changes = Changes { list: &mut lists[0], ended: &mut ended_lists[0] };
                work(index, phases.list, data.list, changes);
            });
        }
        let (pieces, ended_pieces) = (&pieces[..number], &ended_pieces[..number]);
        let total = pieces.iter().map(Vec::len).sum();
        make_room(events, total);
        // All events are overwritten below; `resize` needs some value to fill with.
        match pieces.iter().flatten().next() {
            Some(any) => events.resize(total, any.event(owners.slots)),
            None => events.clear(),
        }
        tasks::each(Joined::of(pieces, &mut events[..]), |_, joined| {
            for (event, change) in joined.whole.iter_mut().zip(&joined.parts[0]) {
                *event = change.event(owners.slots);
            }
        });
        set_length(ended, ended_pieces.iter().map(Vec::len).sum());
        if !ended.is_empty() {
            tasks::each(Joined::of(ended_pieces, &mut ended[..]), |_, joined| {
                joined.whole.copy_from_slice(&joined.parts[0]);
            });
        }
        Turnover { began: events.len() - ended.len(), ended: ended.len() }
    }
}

/// How many contacts changed from one frame to the next.
#[derive(Clone, Copy, Debug)]
pub struct Turnover {
    /// See [`Frame::began`](super::Frame::began).
    pub began: usize,
    /// See [`Frame::ended`](super::Frame::ended).
    pub ended: usize,
}

/// The changes that one piece of the contacts tells of.
struct Changes<'c, D> {
    /// In the order of events.
    list: &'c mut Vec<Change>,
    /// The data of those that ended, in the same order.
    ended: &'c mut Vec<D>,
}

impl<D: Copy> Changes<'_, D> {
    fn clear(&mut self) {
        self.list.clear();
        self.ended.clear();
    }
    fn begin<L: Link>(&mut self, key: L) {
        self.list.push(Change::Began(key.slots()));
    }
    fn end<L: Link>(&mut self, key: L, data: D) {
        self.list.push(Change::Ended(key.slots()));
        self.ended.push(data);
    }
    /// Makes some room for more changes in later frames.
    fn make_room(&mut self) {
        make_room(self.list, self.list.len());
        make_room(self.ended, self.ended.len());
    }
}

/// The contacts of two frames, to be gone through side by side.
struct Turn<'t, L, D> {
    now: &'t [L],
    old: &'t [L],
    data_before: &'t [D],
    owners: Owners<'t>,
    /// Some slot's body was removed since the last frame.
    changed: bool,
}

impl<L: Link, D: Copy + Default> Turn<'_, L, D> {
    /// Finds the phases and data of the contacts from `first` on, as many as `phases` has room for, and which of the
    /// last frame's contacts between them ended.
    fn piece(&self, first: usize, phases: &mut [Phase], data: &mut [D], mut changes: Changes<'_, D>) {
        let Self { now, old, data_before, owners, changed } = *self;
        let next = first + phases.len();
        let keys = &now[first..next];
        changes.clear();
        // Old contacts before a piece's first pair belong to the piece before it.
        let mut place = if first == 0 { 0 } else { old.partition_point(|&key| key < keys[0]) };
        let end = if next == now.len() { old.len() } else { old.partition_point(|&key| key < now[next]) };
        let quiet = owners.none_rests && !changed;
        let mut i = 0;
        while i < keys.len() {
            // Most runs are the same as in the last frame.
            if quiet && same_run(&keys[i..], &old[place..end]) {
                data[i..i + RUN].copy_from_slice(&data_before[place..place + RUN]);
                phases[i..i + RUN].fill(Phase::Persists);
                (i, place) = (i + RUN, place + RUN);
                continue;
            }
            for i in i..keys.len().min(i + RUN) {
                let key = keys[i];
                while place < end && old[place] < key {
                    changes.end(old[place], data_before[place]);
                    place += 1;
                }
                let mut known = place < end && old[place] == key;
                if known && changed && key.slots().into_iter().any(|slot| owners.slots.is_changed(slot)) {
                    changes.end(key, data_before[place]);
                    place += 1;
                    known = false;
                }
                if known {
                    data[i] = data_before[place];
                    let rests = !owners.none_rests && owners.rests(key.slots());
                    phases[i] = if rests { Phase::Rests } else { Phase::Persists };
                    place += 1;
                } else {
                    changes.begin(key);
                    (data[i], phases[i]) = (D::default(), Phase::Began);
                }
            }
            i += RUN;
        }
        for (&key, &data) in old[place..end].iter().zip(&data_before[place..end]) {
            changes.end(key, data);
        }
        changes.make_room();
    }
}

/// Whether both lists have [`RUN`] more keys, and these are equal.
#[inline]
fn same_run<L: Link>(now: &[L], old: &[L]) -> bool {
    match (now.get(..RUN), old.get(..RUN)) {
        // No early exit: the comparison of a whole run takes a few instructions.
        (Some(now), Some(old)) => now.iter().zip(old).map(|(a, b)| usize::from(a != b)).sum::<usize>() == 0,
        _ => false,
    }
}

/// Sets the length of a column. Present entries are not cleared: all are overwritten afterwards.
fn set_length<X: Copy + Default>(column: &mut Vec<X>, len: usize) {
    make_room(column, len);
    column.resize(len, X::default());
}
