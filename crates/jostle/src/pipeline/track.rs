//! What is known of each body from frame to frame, and the pass over all bodies that begins a frame: who is broken, who
//! rests, who has moved out of the box that the list of pairs was made with.
//!
//! The list holds all pairs whose boxes overlap, each box grown by half the skin. It holds all near pairs while no
//! body has moved farther than that since its own box was made: the largest change of a coordinate plus what the turn
//! may have added (a point at distance r from the position moves by at most 2 r sin(angle / 2)).

use core::ops::Add;

use jostle_narrowphase::{Dimension, Precision, Record, Template};
use jostle_shape::{Bodies, CustomShape};
use rayon::prelude::*;

use crate::pool;

/// Somebody is here.
pub const LIVE: u8 = 1;
/// Its numbers are broken: left out until they are mended.
pub const FAULTY: u8 = 2;
/// It is bit for bit where it was in the frame before: what was found between two such bodies still holds.
pub const STILL: u8 = 4;
/// Its pairs have to be found before the list is complete.
pub const RENEW: u8 = 8;
/// More about it has changed than its place.
pub const FRESH: u8 = 16;
/// The user says that it rests.
pub const ASLEEP: u8 = 32;
/// It slept and was moved.
pub const WOKEN: u8 = 64;

/// Bodies that one task looks at.
const PIECE: usize = 4096;

/// One entry per slot each.
#[derive(Clone, Debug)]
pub struct Tracks<S: Dimension, T: Precision> {
    pub flags: Vec<u8>,
    pub records: Vec<Record<S, T>>,
    /// As of the last frame; the position of that time is in the record.
    seen_turn: Vec<S::Turn<f64>>,
    seen_velocity: Vec<S::Array<f64>>,
    /// As of when the body's box was made.
    held_position: Vec<S::Array<f64>>,
    held_turn: Vec<S::Turn<f64>>,
    /// By how much the box is larger than the margin asks: half the skin, and what the look-ahead asked for.
    held_room: Vec<f64>,
}

impl<S: Dimension, T: Precision> Default for Tracks<S, T> {
    fn default() -> Self {
        Self {
            flags: Vec::new(),
            records: Vec::new(),
            seen_turn: Vec::new(),
            seen_velocity: Vec::new(),
            held_position: Vec::new(),
            held_turn: Vec::new(),
            held_room: Vec::new(),
        }
    }
}

/// How many bodies are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Left out.
    pub faulty: usize,
    /// Where they were.
    pub still: usize,
    /// Awoken by being moved.
    pub woken: usize,
    /// Whose pairs have to be found.
    pub renew: usize,
}

impl Add for Census {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            faulty: self.faulty + other.faulty,
            still: self.still + other.still,
            woken: self.woken + other.woken,
            renew: self.renew + other.renew,
        }
    }
}

/// What the pass needs to know.
#[derive(Debug)]
pub struct Pass<'p, S: Dimension, T: Precision, U> {
    pub bodies: &'p Bodies<S, U>,
    pub templates: &'p [Template<S, T>],
    /// Seconds.
    pub look_ahead: f64,
}

/// How far a body gets within the look-ahead, in any direction.
#[inline]
pub fn reach_ahead<S: Dimension>(velocity: &S::Array<f64>, look_ahead: f64) -> f64 {
    look_ahead * velocity.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Equal to the bit: zeros of either sign differ, and NaN equals itself.
#[inline]
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// How far a turn moves a point at distance 1, at most.
fn swing(from: &[f64], to: &[f64]) -> f64 {
    if let ([from], [to]) = (from, to) {
        return (to - from).abs().min(2.0);
    }
    let length = |sign: f64| from.iter().zip(to).map(|(x, y)| (y - sign * x) * (y - sign * x)).sum::<f64>().sqrt();
    // |p - q| of unit quaternions is 2 sin(angle / 4); norms may be off by 1e-3, and q means the same as -q.
    2.01 * length(1.0).min(length(-1.0))
}

impl<S: Dimension, T: Precision> Tracks<S, T> {
    /// Makes one more slot.
    pub fn grow(&mut self) {
        self.flags.push(0);
        self.records.push(Record::default());
        self.seen_turn.push(S::identity_turn());
        self.seen_velocity.push(S::array(|_| 0.0));
        self.held_position.push(S::array(|_| 0.0));
        self.held_turn.push(S::identity_turn());
        self.held_room.push(0.0);
    }

    /// How far body `body` has moved since the last frame, along its fastest axis: for samples.
    pub fn step(&self, positions: &[S::Array<f64>], body: usize) -> f64 {
        largest_change(positions[body].as_ref(), self.records[body].position.as_ref())
    }

    /// Whether a body is elsewhere than when its box was made.
    #[inline]
    fn displaced<U: CustomShape<S>>(&self, bodies: &Bodies<S, U>, body: usize) -> bool {
        !same_bits(bodies.positions()[body].as_ref(), self.held_position[body].as_ref())
            || !same_bits(bodies.turn_column()[body].as_ref(), self.held_turn[body].as_ref())
    }

    /// Marks all sound bodies that are elsewhere than when their boxes were made, or simply all of them.
    pub fn mark<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, all: bool) {
        for body in 0..self.flags.len() {
            if self.flags[body] & (LIVE | FAULTY) == LIVE && (all || self.displaced(bodies, body)) {
                self.flags[body] |= RENEW;
            }
        }
    }

    /// Boxes of all marked sound bodies were made here, with this skin.
    pub fn hold<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, skin: f64, look_ahead: f64) {
        for (body, flag) in self.flags.iter_mut().enumerate() {
            if *flag & (LIVE | FAULTY | RENEW) == LIVE | RENEW {
                *flag &= !RENEW;
                self.held_position[body] = bodies.positions()[body];
                self.held_turn[body] = bodies.turn_column()[body];
                self.held_room[body] = 0.5 * skin + reach_ahead::<S>(&bodies.velocities()[body], look_ahead);
            }
        }
    }

    /// The pass: brings records up to date and sets the flags.
    pub fn look<U: CustomShape<S>>(&mut self, pass: &Pass<'_, S, T, U>) -> Census {
        let held = Held { position: &self.held_position, turn: &self.held_turn, room: &self.held_room };
        let (flags, records) = (&mut self.flags[..], &mut self.records[..]);
        let (turns, velocities) = (&mut self.seen_turn[..], &mut self.seen_velocity[..]);
        if pool::alone() || flags.len() <= PIECE {
            return pass.piece(0, flags, records, turns, velocities, &held);
        }
        (
            flags.par_chunks_mut(PIECE),
            records.par_chunks_mut(PIECE),
            turns.par_chunks_mut(PIECE),
            velocities.par_chunks_mut(PIECE),
        )
            .into_par_iter()
            .enumerate()
            .map(|(number, (flags, records, turns, velocities))| {
                pass.piece(number * PIECE, flags, records, turns, velocities, &held)
            })
            .reduce(Census::default, Add::add)
    }
}

/// How far the coordinate has changed that has changed most.
#[inline]
fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    // Sound numbers only; `max` may drop NaN.
    from.iter().zip(to).map(|(x, y)| (y - x).abs()).fold(0.0, f64::max)
}

/// Where bodies were when their boxes were made.
struct Held<'h, S: Dimension> {
    position: &'h [S::Array<f64>],
    turn: &'h [S::Turn<f64>],
    room: &'h [f64],
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Pass<'_, S, T, U> {
    fn piece(
        &self,
        first: usize,
        flags: &mut [u8],
        records: &mut [Record<S, T>],
        seen_turn: &mut [S::Turn<f64>],
        seen_velocity: &mut [S::Array<f64>],
        held: &Held<'_, S>,
    ) -> Census {
        let columns = self.bodies.columns();
        let (positions, velocities) = (columns.positions(), self.bodies.velocities());
        let turned = !matches!(columns.turns(), jostle_shape::Turns::Identity);
        let turns = self.bodies.turn_column();
        let mut census = Census::default();
        for (i, slot) in flags.iter_mut().enumerate() {
            let mut flag = *slot;
            if flag & LIVE == 0 {
                continue;
            }
            let (body, record) = (first + i, &mut records[i]);
            let fresh = flag & FRESH != 0;
            let same_turn = !turned || same_bits(turns[body].as_ref(), seen_turn[i].as_ref());
            let same = same_turn
                && same_bits(positions[body].as_ref(), record.position.as_ref())
                && (self.look_ahead == 0.0 || same_bits(velocities[body].as_ref(), seen_velocity[i].as_ref()));
            if same && flag & (FRESH | FAULTY) == 0 {
                *slot = flag | STILL;
                census.still += 1;
                census.renew += usize::from(flag & RENEW != 0);
                continue;
            }
            flag &= !STILL;
            if self.bodies.problem(body, self.look_ahead > 0.0).is_some() {
                // Nothing is learned from broken numbers: it comes back as somebody new.
                *slot = flag | FAULTY | RENEW;
                census.faulty += 1;
                continue;
            }
            if fresh || !same_turn {
                let shape = columns.shape_indices()[body];
                *record = Record::placed(&self.templates[shape as usize], &columns, body);
                seen_turn[i] = turns[body];
            } else {
                record.position = positions[body];
            }
            if self.look_ahead > 0.0 {
                seen_velocity[i] = velocities[body];
            }
            if flag & (ASLEEP | FRESH) == ASLEEP {
                flag = flag & !ASLEEP | WOKEN;
                census.woken += 1;
            }
            flag &= !(FRESH | FAULTY);
            if flag & RENEW == 0 {
                let mut used = largest_change(positions[body].as_ref(), held.position[body].as_ref());
                if turned && !record.is_point() {
                    used += record.reach.to_f64() * swing(held.turn[body].as_ref(), turns[body].as_ref());
                }
                if self.look_ahead > 0.0 {
                    used += reach_ahead::<S>(&velocities[body], self.look_ahead);
                }
                if used > held.room[body] {
                    flag |= RENEW;
                }
            }
            census.renew += usize::from(flag & RENEW != 0);
            *slot = flag;
        }
        census
    }
}
