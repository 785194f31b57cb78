//! What became of contacts from one frame to the next: two ordered lists of pairs are gone through side by side.

use jostle_narrowphase::{Dimension, Precision};
use rayon::prelude::*;

use super::handle::Slots;
use super::solve::Rows;
use super::track::ASLEEP;
use super::{Handle, Statics};
use crate::pool::{self, make_room};

/// Contacts that one task looks at.
const PIECE: usize = 16_384;

/// What a contact is to the frame before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It was none.
    #[default]
    Began,
    /// It was one.
    Persists,
    /// It was one, and both bodies rest: one sleeps, the other sleeps or is static, and neither has moved. Its row is
    /// the one it had, and a solver may leave it out.
    Rests,
}

/// A contact that begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The two came within the margin.
    Began([Handle; 2]),
    /// The two are no longer within the margin, or one of them is gone (its handle is then stale), broken, or no longer
    /// meets the other.
    Ended([Handle; 2]),
}

impl Event {
    /// The two bodies, that with the lower slot first.
    pub fn pair(&self) -> [Handle; 2] {
        match *self {
            Event::Began(pair) | Event::Ended(pair) => pair,
        }
    }
}

/// The contacts of a frame, and what the user keeps beside each.
#[derive(Clone, Debug)]
pub struct Contacts<S: Dimension, T: Precision, D> {
    pub now: Rows<S, T>,
    pub phases: Vec<Phase>,
    pub data: Vec<D>,
    pub events: Vec<Event>,
    /// The frame before; what the next one is written into.
    pub before: Rows<S, T>,
    data_before: Vec<D>,
    pieces: Vec<Vec<Event>>,
}

impl<S: Dimension, T: Precision, D> Default for Contacts<S, T, D> {
    fn default() -> Self {
        Self {
            now: Rows::default(),
            phases: Vec::new(),
            data: Vec::new(),
            events: Vec::new(),
            before: Rows::default(),
            data_before: Vec::new(),
            pieces: Vec::new(),
        }
    }
}

/// Who is who.
#[derive(Clone, Copy, Debug)]
pub struct Owners<'o> {
    pub slots: &'o Slots,
    pub flags: &'o [u8],
    pub statics: Statics<'o>,
    /// Nobody sleeps: nothing rests.
    pub awake: bool,
}

impl Owners<'_> {
    fn asleep(&self, slot: u32) -> bool {
        self.flags[slot as usize] & ASLEEP != 0
    }
    fn rests(&self, [a, b]: [u32; 2]) -> bool {
        let fixed = |slot: u32| self.statics.contains(slot);
        let still = self.flags[a as usize] & self.flags[b as usize] & super::track::STILL != 0;
        still && (self.asleep(a) && (self.asleep(b) || fixed(b)) || self.asleep(b) && fixed(a))
    }
}

#[inline]
fn pair_of(key: u64) -> [u32; 2] {
    [(key >> 32) as u32, key as u32]
}

/// A piece of the contacts of a frame, as a visitor gets it: in canonical order, all three of one length.
#[derive(Debug)]
pub struct Piece<'p, S: Dimension, T: Precision, D> {
    /// The rows; `a` and `b` are slots.
    pub contacts: &'p [jostle_narrowphase::Proximity<S, T>],
    /// What each is to the frame before.
    pub phases: &'p [Phase],
    /// What you keep beside each.
    pub data: &'p mut [D],
}

impl<S: Dimension, T: Precision, D: Copy + Default + Send + Sync> Contacts<S, T, D> {
    /// `before` holds the rows of a new frame, and `now` those of the last: exchanges them, and finds out what began,
    /// persists and ended. Says how many began and ended.
    pub fn turn_over<V>(&mut self, owners: Owners<'_>, visitor: Option<&V>) -> [usize; 2]
    where
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        core::mem::swap(&mut self.now, &mut self.before);
        core::mem::swap(&mut self.data, &mut self.data_before);
        let Self { now, before, phases, data, data_before, events, pieces } = self;
        let (keys, old) = (&now.keys[..], &before.keys[..]);
        let count = keys.len();
        set_length(phases, count);
        set_length(data, count);
        let number = count.div_ceil(PIECE).max(1);
        if pieces.len() < number {
            pieces.resize_with(number, Vec::new);
        }
        let changed = owners.slots.any_changed();
        let work = |index: usize, phases: &mut [Phase], data: &mut [D], events: &mut Vec<Event>| {
            events.clear();
            let first = index * PIECE;
            let keys = &keys[first..first + phases.len()];
            // What lies before a piece's first pair belongs to the piece before it.
            let mut place = if index == 0 { 0 } else { old.partition_point(|&key| key < keys[0]) };
            let end = if index + 1 == number {
                old.len()
            } else {
                old.partition_point(|&key| key < now.keys[first + phases.len()])
            };
            let ended = |key: u64| Event::Ended(pair_of(key).map(|slot| owners.slots.reported(slot)));
            let began = |key: u64| Event::Began(pair_of(key).map(|slot| owners.slots.handle(slot as usize)));
            for (i, &key) in keys.iter().enumerate() {
                while place < end && old[place] < key {
                    events.push(ended(old[place]));
                    place += 1;
                }
                let mut known = place < end && old[place] == key;
                if known && changed && pair_of(key).into_iter().any(|slot| owners.slots.is_changed(slot)) {
                    events.push(ended(key));
                    place += 1;
                    known = false;
                }
                if known {
                    data[i] = data_before[place];
                    let rests = !owners.awake && owners.rests(pair_of(key));
                    phases[i] = if rests { Phase::Rests } else { Phase::Persists };
                    place += 1;
                } else {
                    events.push(began(key));
                    (data[i], phases[i]) = (D::default(), Phase::Began);
                }
            }
            events.extend(old[place..end].iter().map(|&key| ended(key)));
            make_room(events, events.len());
            if let Some(visitor) = visitor {
                visitor(Piece { contacts: &now.rows[first..first + phases.len()], phases, data });
            }
        };
        if count == 0 || number == 1 || pool::alone() {
            if count == 0 {
                work(0, &mut [], &mut [], &mut pieces[0]);
            }
            let parts = phases.chunks_mut(PIECE).zip(data.chunks_mut(PIECE)).zip(pieces.iter_mut());
            for (index, ((phases, data), events)) in parts.enumerate() {
                work(index, phases, data, events);
            }
        } else {
            (phases.par_chunks_mut(PIECE), data.par_chunks_mut(PIECE), &mut pieces[..number])
                .into_par_iter()
                .enumerate()
                .with_max_len(1)
                .for_each(|(index, (phases, data, events))| work(index, phases, data, events));
        }
        events.clear();
        make_room(events, pieces[..number].iter().map(Vec::len).sum());
        for piece in &pieces[..number] {
            events.extend_from_slice(piece);
        }
        let began = events.iter().filter(|event| matches!(event, Event::Began(_))).count();
        [began, events.len() - began]
    }
}

/// Makes a column as long as it has to be; what is written over anyway is not cleared.
fn set_length<X: Copy + Default>(column: &mut Vec<X>, len: usize) {
    make_room(column, len);
    column.resize(len, X::default());
}
