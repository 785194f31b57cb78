//! The list of pairs that may be near, kept from frame to frame and mended where bodies have moved out of their boxes.
//!
//! Boxes are as large as the margin and the skin ask, and stay where they were made until their body has used up its
//! half of the skin. To renew bodies is to make their boxes where they are now, to sweep these together with the boxes
//! of all bodies that might be near them, and to replace their pairs by those found; pairs of other bodies stay. So one
//! body that enters costs a look at each box, but no sweep of all, and scenery at rest is swept once.
//!
//! Most pairs of the list are apart by nearly all of the skin, and cannot be near for some frames to come: each waits
//! until it may be ([`super::wait`]).
//!
//! The list is in canonical order, and so are the rows made from it: frames need not sort.

mod repeating;

use jostle_broadphase::{Bounds, ColumnSweep, PairOrder, TooManyPairs};
use jostle_lanes::set_bits;
use jostle_narrowphase::{Dimension, Precision, SimplexCache};
use jostle_shape::{Bodies, CustomShape};
use jostle_tasks::{self as tasks, Few, make_room};

use super::flags::Flags;
use super::link::{ImageLink, Link};
use super::track::Tracks;
use super::wait::{Clock, DUE, NEAR};
use crate::bounds::{BoxFrame, Placed, fill_some};
use crate::chunks::collect;
use crate::cull::Cull;
use crate::error::ContactsError;
use crate::images::Images;
use crate::layers::{self, Sides};
use crate::order::key;
use crate::origin::Middle;
use crate::rods::Rods;

/// Flags that one task counts, and pairs whose waiting times one task resets.
const COUNTED: usize = 1 << 15;
const MANY_WAIT: usize = 1 << 16;
/// If at least one sound body in this many is renewed, all are swept. Otherwise those that might be near these few are
/// looked for in the cells that they mark, of which there may be one for so many bodies, or at least so many in all.
/// (In a crowd most bodies are near more cells than that: to mark two for each of a million took 28 ms in vain.)
const FEW_ONE_IN: usize = 8;
const BODIES_PER_CELL: usize = 4;
const LEAST_CELLS: usize = 4096;
/// Slots that are looked at first: all bodies are swept if more than half of these might be near. (Boxes of those that
/// are swept are copied. At a share of 55 % both ways take as long, at 75 % it is a tenth longer.)
const ASKED: usize = 512;

/// The pairs that may be near, and the boxes that they were found with.
#[derive(Debug)]
pub struct List<S: Dimension, T: Precision, L> {
    listed: WaitingPairs<S, T, L>,
    /// The clock that waiting times are compared with.
    clock: Clock,
    /// Boxes, by slot.
    bounds: Bounds<S>,
    /// Capsules that hold for as long as these do, if many bodies are long.
    rods: Rods,
    origin: Option<S::Array<f64>>,
    buffers: Buffers<S, T, L>,
}

/// Pairs in canonical order, and the reading of the clock until which each waits. Both columns have one length.
#[derive(Clone, Debug)]
struct WaitingPairs<S: Dimension, T: Precision, L> {
    pairs: Vec<L>,
    until: Vec<f32>,
    /// Where the search for each pair ended that is [`NEAR`]: one entry per pair, or none without a warm start.
    caches: Vec<SimplexCache<S, T>>,
}

impl<S: Dimension, T: Precision, L> Default for WaitingPairs<S, T, L> {
    fn default() -> Self {
        Self { pairs: Vec::new(), until: Vec::new(), caches: Vec::new() }
    }
}

impl<S: Dimension, T: Precision, L: Link> WaitingPairs<S, T, L> {
    /// Lets no pair wait: each is looked at in this frame.
    fn wait_for_nothing(&mut self) {
        let Self { pairs, until, .. } = self;
        // The same capacity as that of `pairs`, which includes spare room.
        until.reserve_exact(pairs.capacity().saturating_sub(until.len()));
        until.resize(pairs.len(), DUE);
        tasks::for_each_few(until, MANY_WAIT, |_, until| until.fill(DUE));
    }
    /// Sets the length of `caches`: one per pair if `wanted`, otherwise none.
    fn keep_caches(&mut self, wanted: bool) {
        let len = if wanted { self.pairs.len() } else { 0 };
        make_room(&mut self.caches, len);
        self.caches.resize(len, SimplexCache::default());
    }
    /// Takes over the caches of pairs that were near and still are.
    fn take_caches(&mut self, old: &Self) {
        self.keep_caches(!old.caches.is_empty());
        let mut at = 0;
        for (place, cache) in self.caches.iter_mut().enumerate().filter(|&(place, _)| self.until[place] <= NEAR) {
            while old.pairs[at] < self.pairs[place] {
                at += 1;
            }
            *cache = old.caches[at];
        }
    }
}

/// What a frame goes through: the pairs, until when each waits, and the clock.
#[derive(Debug)]
pub struct Course<'l, S: Dimension, T: Precision, L> {
    /// In canonical order.
    pub pairs: &'l [L],
    /// One entry per pair, rewritten whenever the pair is looked at.
    pub until: &'l mut [f32],
    /// Where the search for each pair ended that was near: one entry per pair, or none.
    pub caches: &'l mut [SimplexCache<S, T>],
    /// The clock, advanced to this frame.
    pub clock: Clock,
}

/// Buffers for mending the list.
#[derive(Debug)]
struct Buffers<S: Dimension, T: Precision, L> {
    sweep: ColumnSweep<S>,
    /// Whether all slots are swept.
    everybody: bool,
    /// Otherwise the slots that are swept, ascending.
    members: Vec<u32>,
    /// The boxes of `members`, in their order.
    boxes: Bounds<S>,
    /// The pairs that each chunk of the sweep found.
    chunks: Vec<Vec<[u32; 2]>>,
    /// The same pairs, in canonical order.
    found: Vec<L>,
    merged: WaitingPairs<S, T, L>,
    order: PairOrder<L>,
    cull: Cull,
    /// Where space repeats: the boxes of bodies and images.
    images: Images<S>,
    /// The pairs that each chunk of that sweep found.
    links: Vec<Vec<ImageLink>>,
}

/// A copy has the list, but of the buffers only `images`, by which [`List::typical_extent`] measures boxes.
impl<S: Dimension, T: Precision, L: Link> Clone for List<S, T, L> {
    fn clone(&self) -> Self {
        let Self { listed, clock, bounds, rods, origin, .. } = self;
        let (listed, bounds, rods) = (listed.clone(), bounds.clone(), rods.clone());
        let mut copy = Self { listed, clock: *clock, bounds, rods, origin: *origin, ..Self::default() };
        copy.buffers.images = self.buffers.images.clone();
        copy
    }
}

impl<S: Dimension, T: Precision, L> Default for List<S, T, L> {
    fn default() -> Self {
        Self {
            listed: WaitingPairs::default(),
            clock: Clock::default(),
            bounds: Bounds::new(),
            rods: Rods::default(),
            origin: None,
            buffers: Buffers {
                sweep: ColumnSweep::new(),
                everybody: false,
                members: Vec::new(),
                boxes: Bounds::new(),
                chunks: Vec::new(),
                found: Vec::new(),
                merged: WaitingPairs::default(),
                order: PairOrder::default(),
                cull: Cull::default(),
                images: Images::default(),
                links: Vec::new(),
            },
        }
    }
}

/// How boxes are made, which bodies are renewed, and how many pairs there may be.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Metres.
    pub margin: f64,
    /// Metres.
    pub skin: f64,
    /// Seconds.
    pub look_ahead: f64,
    /// The largest number of pairs allowed.
    pub limit: u64,
    /// Which bodies are renewed.
    pub renewal: Renewal,
    /// Whether all shapes are balls.
    pub round: bool,
}

/// The bodies that are renewed; each variant includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Renewal {
    /// Only marked bodies: those that entered, changed or left their box, or are about to.
    Marked,
    /// All bodies that have moved since their boxes were made.
    Moved,
    /// All bodies: so many have moved that leaving the others out costs more than finding their pairs again.
    Everybody,
    /// All bodies, and all that is derived from them is made anew.
    FromScratch,
}

impl<S: Dimension, T: Precision, L: Link> List<S, T, L> {
    /// The pairs, in canonical order; some may name removed bodies.
    pub fn pairs(&self) -> &[L] {
        &self.listed.pairs
    }

    /// What this frame goes through. Advances the clock by `way`, in metres: no point of any body has moved farther
    /// since the last frame (relative to its [pace](super::pace::PacedRadius::pace)). With `warm_start` caches are
    /// kept.
    pub fn course(&mut self, way: f64, skin: f64, warm_start: bool) -> Course<'_, S, T, L> {
        if !self.clock.advance(way, skin) {
            self.set_clock();
        }
        self.listed.keep_caches(warm_start);
        let Self { listed: WaitingPairs { pairs, until, caches }, clock, .. } = self;
        Course { pairs, until, caches, clock: *clock }
    }

    /// Sets the clock to zero: each pair is looked at in this frame.
    fn set_clock(&mut self) {
        self.clock = Clock::default();
        self.listed.wait_for_nothing();
    }

    /// The mean side of the bodies' boxes, in metres, of a sample of slots in ascending order; 0 for an empty one.
    pub fn typical_extent(&self, slots: impl Iterator<Item = usize>) -> f64 {
        // Images are as large as their bodies.
        let images = &self.buffers.images;
        let bounds = if images.len() > 0 { images.bounds() } else { &self.bounds };
        let extent = |slot: usize| {
            (0..S::DIMENSION).map(|k| f64::from(bounds.upper(k)[slot] - bounds.lower(k)[slot])).sum::<f64>()
                / S::DIMENSION as f64
        };
        let (mut sum, mut count) = (0.0, 0_u32);
        for slot in slots.take_while(|&slot| slot < bounds.len()) {
            sum += extent(slot).min(1e15);
            count += 1;
        }
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    }

    /// Chooses the origin that boxes are relative to. True if it has changed: then no box is valid.
    ///
    /// Boxes are `f32`, rounded outward. They stay tight enough as long as the bodies are not much farther from the
    /// origin than from each other.
    fn place_origin<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, tracks: &Tracks<S, T>, terms: Terms) -> bool {
        if self.origin.is_some() && terms.renewal == Renewal::Marked {
            return false;
        }
        let sound = |body: usize| tracks.flags[body].is_sound();
        let Middle { place, spread } = Middle::<S>::of(bodies.positions(), sound);
        let far = |held: S::Array<f64>| (0..S::DIMENSION).any(|k| (place[k] - held[k]).abs() > spread);
        if self.origin.is_some_and(|held| !far(held)) {
            return false;
        }
        self.origin = Some(place);
        true
    }
}

impl<S: Dimension, T: Precision> List<S, T, [u32; 2]> {
    /// Finds the pairs of all marked bodies anew, and returns how many bodies these were.
    pub fn renew<U: CustomShape<S>>(
        &mut self,
        bodies: &Bodies<S, U>,
        tracks: &mut Tracks<S, T>,
        terms: Terms,
    ) -> Result<usize, ContactsError> {
        let moved = self.place_origin(bodies, tracks, terms);
        let terms = if moved { Terms { renewal: Renewal::FromScratch, ..terms } } else { terms };
        if terms.renewal == Renewal::FromScratch {
            tracks.make_balls(bodies, self.origin.unwrap_or_default(), terms.look_ahead);
        }
        if terms.renewal > Renewal::Marked {
            tracks.mark(bodies, terms.renewal >= Renewal::Everybody);
        }
        tracks.make_room(bodies, terms.skin, terms.look_ahead);
        self.make_boxes(bodies, tracks, terms);
        let (renewed, sound) = self.choose_members(tracks);
        self.gather();
        let Self { listed, bounds, rods, buffers, .. } = self;
        buffers.sweep_pairs((bounds, rods), bodies, tracks, (terms, renewed == sound))?;
        if renewed == sound {
            core::mem::swap(&mut listed.pairs, &mut buffers.found);
            self.set_clock();
        } else {
            merge(listed, &buffers.found, &tracks.flags, &mut buffers.merged);
            buffers.merged.take_caches(listed);
            core::mem::swap(listed, &mut buffers.merged);
        }
        if self.listed.pairs.len() as u64 > terms.limit {
            return Err(TooManyPairs { found: terms.limit + 1, limit: terms.limit }.into());
        }
        tracks.round = terms.round || tracks.round && renewed < sound;
        tracks.hold(bodies);
        Ok(renewed)
    }

    /// Makes the boxes of all marked sound bodies, and their capsules.
    fn make_boxes<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, tracks: &Tracks<S, T>, terms: Terms) {
        let columns = bodies.columns();
        let boxes = BoxFrame::for_margin(self.origin.unwrap_or_default(), terms.margin);
        self.bounds.resize(bodies.len());
        let positions = bodies.positions();
        let who = |body: usize| {
            tracks.flags[body].is_marked().then(|| Placed { body, position: positions[body], room: tracks.room(body) })
        };
        fill_some(&columns, boxes, &who, &mut self.bounds);
        if terms.renewal >= Renewal::Everybody {
            self.rods.make(&columns, boxes, &who, &self.bounds);
        } else {
            self.rods.renew(&columns, boxes, &who, bodies.len());
        }
    }

    /// Chooses the bodies that are swept: the marked sound bodies and all that might be near them. They are listed
    /// unless all slots are. Returns how many bodies are marked, and how many are sound.
    fn choose_members(&mut self, tracks: &Tracks<S, T>) -> (usize, usize) {
        let Self { bounds, buffers: Buffers { members, everybody, cull, .. }, .. } = self;
        let flags = &tracks.flags;
        let count = |_, few: Few<&[Flags]>| {
            let sound = few.list.iter().filter(|flags| flags.is_sound()).count();
            (few.list.iter().filter(|flags| flags.is_marked()).count(), sound)
        };
        let both = |(a, b): (usize, usize), (c, d)| (a + c, b + d);
        let (renewed, all) = tasks::fold(Few::of(&flags[..], COUNTED), count, both).unwrap_or_default();
        let (sound, marked) = (|slot: &usize| flags[*slot].is_sound(), |slot: &usize| flags[*slot].is_marked());
        let slots = 0..flags.len();
        members.clear();
        make_room(members, all);
        let might_be_few = renewed * FEW_ONE_IN < all && {
            let most = (flags.len() / BODIES_PER_CELL).max(LEAST_CELLS);
            cull.mark(bounds, bounds, slots.clone().filter(marked), 0.0, most);
            let asked = || slots.clone().step_by(flags.len().div_ceil(ASKED).max(1));
            let met = asked().filter(|slot| sound(slot) && cull.meets(bounds, *slot)).count();
            2 * met <= asked().count()
        };
        if might_be_few {
            let near = |slot: &usize| marked(slot) || sound(slot) && cull.near(bounds, *slot);
            for from in slots.clone().step_by(Cull::BLOCK) {
                let block = from..slots.end.min(from + Cull::BLOCK);
                let around = set_bits::<{ Cull::BLOCK }>(cull.are_around(bounds, block)).map(|place| from + place);
                members.extend(around.filter(near).map(|slot| slot as u32));
            }
            *everybody = members.len() == flags.len();
        } else {
            *everybody = all == flags.len();
            if !*everybody {
                members.extend(slots.filter(sound).map(|slot| slot as u32));
            }
        }
        (renewed, all)
    }

    /// Copies the boxes of the swept bodies, unless all slots are swept.
    fn gather(&mut self) {
        let Self { bounds, buffers: Buffers { members, everybody, boxes, .. }, .. } = self;
        if *everybody {
            return;
        }
        // The number of swept bodies varies, but is never above that of slots.
        boxes.reserve(bounds.len());
        boxes.resize(members.len());
        for (axis, to) in boxes.columns_mut().into_iter().take(S::DIMENSION).enumerate() {
            let (lower, upper) = (bounds.lower(axis), bounds.upper(axis));
            for (to, &slot) in to.lower.iter_mut().zip(members.iter()) {
                *to = lower[slot as usize];
            }
            for (to, &slot) in to.upper.iter_mut().zip(members.iter()) {
                *to = upper[slot as usize];
            }
        }
    }
}

impl<S: Dimension, T: Precision> Buffers<S, T, [u32; 2]> {
    /// Sweeps, and collects in canonical order the pairs that filters let meet and of which at least one body is
    /// marked.
    fn sweep_pairs<U: CustomShape<S>>(
        &mut self,
        (bounds, rods): (&mut Bounds<S>, &Rods),
        bodies: &Bodies<S, U>,
        tracks: &Tracks<S, T>,
        (terms, all_marked): (Terms, bool),
    ) -> Result<(), ContactsError> {
        let Self { sweep, everybody, members, boxes, chunks, found, order, .. } = self;
        // Where all slots are swept, the boxes are swept where they are, without a copy.
        let (boxes, slot): (_, &(dyn Fn(usize) -> usize + Sync)) =
            if *everybody { (bounds, &|place| place) } else { (boxes, &|place| members[place] as usize) };
        let (columns, flags) = (bodies.columns(), &tracks.flags);
        let filters = columns.filters();
        boxes.set_round(terms.round);
        let layers = boxes.layers_mut();
        layers.reserve(flags.len());
        let sides = if all_marked { Sides::One } else { Sides::SecondApart };
        let is_kept = |slot: usize| !flags[slot].contains(Flags::RENEW);
        let count = if *everybody { flags.len() } else { members.len() };
        let told = layers::put(layers, &filters, sides, (0..count).map(slot).map(|slot| (slot, is_kept(slot))));
        sweep.build(boxes).map_err(|error| error.renamed(slot))?;
        let count = sweep.chunk_count();
        if chunks.len() < count {
            chunks.resize_with(count, Vec::new);
        }
        // If all pairs are found anew, each small chunk list gets as much room as the last total suggests, so that
        // capacities do not depend on how the lists happen to grow.
        let typical = if all_marked { (found.capacity() / count.max(1)).min(1 << 14) } else { 0 };
        let total = collect(&mut chunks[..count], terms.limit, |chunk, pairs| {
            make_room(pairs, typical);
            let meet = |a: u32, b: u32| told.meet(&filters, a, b);
            if *everybody {
                sweep.chunk_pairs(chunk, &meet, pairs);
            } else {
                sweep.chunk_pairs(chunk, &|a, b| meet(members[a as usize], members[b as usize]), pairs);
                for pair in pairs.iter_mut() {
                    *pair = pair.map(|member| members[member as usize]);
                }
            }
            // Room for as many again, most of which are then ruled out where bodies are long.
            make_room(pairs, pairs.len());
            rods.rule_out::<S>(pairs);
        })?;
        make_room(found, total as usize);
        order.collect(&chunks[..count], flags.len(), found);
        Ok(())
    }
}

/// Merges the pairs of the old list that stay, which go on waiting, with those that were found, which are due.
fn merge<S: Dimension, T: Precision>(
    old: &WaitingPairs<S, T, [u32; 2]>,
    found: &[[u32; 2]],
    flags: &[Flags],
    merged: &mut WaitingPairs<S, T, [u32; 2]>,
) {
    let most = old.pairs.len() + found.len();
    // `old` and `merged` are swapped at each mend: one gets as much room as the other. Present entries are overwritten,
    // not cleared.
    merged.pairs.reserve_exact(old.pairs.capacity().saturating_sub(merged.pairs.len()));
    merged.until.reserve_exact(old.until.capacity().saturating_sub(merged.until.len()));
    make_room(&mut merged.pairs, most);
    make_room(&mut merged.until, most);
    merged.pairs.resize(most, [0; 2]);
    merged.until.resize(most, DUE);
    let (pairs, until) = (&mut merged.pairs[..], &mut merged.until[..]);
    let stays = |pair: [u32; 2]| Flags::stay_listed(pair.map(|slot| flags[slot as usize]));
    let (mut rest, mut count) = (old.pairs.iter().zip(&old.until).peekable(), 0);
    let mut write = |(&pair, &wait): (&[u32; 2], &f32), count: usize| (pairs[count], until[count]) = (pair, wait);
    // No branch: whether an old pair stays cannot be predicted. Found pairs are few.
    for new in found {
        while let Some(entry) = rest.next_if(|(pair, _)| key(**pair) < key(*new)) {
            write(entry, count);
            count += usize::from(stays(*entry.0));
        }
        write((new, &DUE), count);
        count += 1;
    }
    for entry in rest {
        write(entry, count);
        count += usize::from(stays(*entry.0));
    }
    merged.pairs.truncate(count);
    merged.until.truncate(count);
}
