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

use crate::bounds::above;
use crate::{Lattice, pool};

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
/// It is in another cell than in the frame before: its numbers have changed, whether it has moved or not.
pub const WRAPPED: u8 = 128;

/// Whoever is so many times farther from his box than it has room did not walk.
const JUMP: f64 = 3.0;
/// Whoever has used up this share of his room is renewed together with those who have left it.
const NEARLY: f64 = 0.6;
/// Bodies that one task looks at.
const PIECE: usize = 4096;
/// More often around the lattice is not counted, so that sums of three counts fit.
const MOST_WRAPS: i32 = 1 << 28;

/// One entry per slot each.
#[derive(Clone, Debug)]
pub struct Tracks<S: Dimension, T: Precision> {
    pub flags: Vec<u8>,
    pub records: Vec<Record<S, T>>,
    /// Balls about the sound bodies, for [`between`].
    pub balls: Vec<Ball>,
    /// What balls are relative to.
    origin: S::Array<f64>,
    /// How often each body was brought back into the cell by each of the lattice's vectors, less how often it was taken
    /// out; none in open space.
    wraps: Vec<[i32; 3]>,
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
            balls: Vec::new(),
            origin: S::array(|_| 0.0),
            wraps: Vec::new(),
            seen_turn: Vec::new(),
            seen_velocity: Vec::new(),
            held_position: Vec::new(),
            held_turn: Vec::new(),
            held_room: Vec::new(),
        }
    }
}

/// A ball about a body: its centre's coordinates, seen from an origin, and behind them its radius, rounding and look-ahead
/// included. NaN about bodies that are gone or broken.
pub type Ball = [f32; 4];

/// A ball that meets no other.
const NOTHING: Ball = [f32::NAN; 4];
/// Relative room for rounding where balls tell that two bodies are too far apart: ten times what a distance may be
/// wrong by.
pub const ROUNDING: f64 = 3e-5;

/// How far apart two balls are, at least; below zero where they overlap.
#[inline(always)]
pub fn between(a: &Ball, b: &Ball) -> f32 {
    let offset = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    // What the centres' distance is rounded by is a hundredth of this.
    squared.sqrt() * (1.0 - ROUNDING as f32) - (a[3] + b[3])
}

/// A ball about an image.
#[inline]
pub fn elsewhere<S: Dimension>(ball: &Ball, shift: &S::Array<f64>) -> Ball {
    let mut moved = *ball;
    let mut farthest = 0.0_f32;
    for k in 0..S::DIMENSION {
        let by = shift[k] as f32;
        moved[k] += by;
        farthest = farthest.max(by.abs() + ball[k].abs());
    }
    // The shift and the sum are rounded to a half of 2^-23 each, along two or three axes.
    moved[3] += 2.0 * farthest * f32::EPSILON;
    moved
}

/// The ball about a body whose record is up to date.
#[inline]
fn ball<S: Dimension, T: Precision>(record: &Record<S, T>, origin: &S::Array<f64>, ahead: f64) -> Ball {
    let mut ball = [0.0; 4];
    let mut farthest = 0.0_f64;
    for k in 0..S::DIMENSION {
        let offset = record.position[k] - origin[k];
        ball[k] = offset as f32;
        farthest = farthest.max(offset.abs());
    }
    // Coordinates are rounded to a half of 2^-23.
    let radius = (record.reach.to_f64() + ahead) * (1.0 + ROUNDING) + farthest * f64::from(f32::EPSILON);
    ball[3] = above(radius);
    ball
}

/// How many bodies are what.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Census {
    /// Left out.
    pub faulty: usize,
    /// Where they were.
    pub still: usize,
    /// Of those, how many are not static: contacts that rest have one of them.
    pub resting: usize,
    /// Awoken by being moved.
    pub woken: usize,
    /// Whose pairs have to be found.
    pub renew: usize,
    /// Of those, how many have walked out of their boxes, not entered, changed or jumped: the others are about to.
    pub strays: usize,
    /// How far any point of the fastest of the others has come since the last frame, look-ahead included.
    pub way: f64,
}

impl Add for Census {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            faulty: self.faulty + other.faulty,
            still: self.still + other.still,
            resting: self.resting + other.resting,
            woken: self.woken + other.woken,
            renew: self.renew + other.renew,
            strays: self.strays + other.strays,
            way: self.way.max(other.way),
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
        self.balls.push(NOTHING);
        self.seen_turn.push(S::identity_turn());
        self.seen_velocity.push(S::array(|_| 0.0));
        self.held_position.push(S::array(|_| 0.0));
        self.held_turn.push(S::identity_turn());
        self.held_room.push(0.0);
    }

    /// How often each body was brought back into the cell; see [`super::link`].
    pub fn wraps(&self) -> &[[i32; 3]] {
        &self.wraps
    }

    /// From now on space repeats no more.
    pub fn forget_wraps(&mut self) {
        self.wraps.clear();
    }

    /// Finds out who was brought back into the cell since the last frame, or taken out of it: who is nearer to an image of
    /// where he was than to that place itself. What is known of where he was goes with him.
    pub fn unwrap<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, lattice: &Lattice<S>) {
        self.wraps.resize(self.flags.len(), [0; 3]);
        for (body, position) in bodies.positions().iter().enumerate() {
            let (flag, record) = (&mut self.flags[body], &mut self.records[body]);
            if *flag & LIVE == 0 || same_bits(position.as_ref(), record.position.as_ref()) {
                continue;
            }
            // Whoever is broken or in the middle of nowhere has no image that could be counted.
            let Some(image) = lattice.nearest(S::array(|k| position[k] - record.position[k])) else { continue };
            if image == [0; 3] {
                continue;
            }
            let wraps = &mut self.wraps[body];
            let counted = core::array::from_fn(|k| wraps[k] - image[k]);
            *wraps = counted;
            if counted.iter().any(|count| count.abs() > MOST_WRAPS) {
                // Counted anew: what is listed with it means something else now.
                (*wraps, *flag) = ([0; 3], *flag | RENEW);
            }
            let shift = lattice.shift(image);
            record.position = S::array(|k| record.position[k] + shift[k]);
            self.held_position[body] = S::array(|k| self.held_position[body][k] + shift[k]);
            *flag |= WRAPPED;
        }
    }

    /// A body leaves.
    pub fn vacate(&mut self, body: usize) {
        (self.flags[body], self.balls[body]) = (0, NOTHING);
    }

    /// Everything is seen from another origin, or looks further ahead.
    pub fn make_balls<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, origin: S::Array<f64>, look_ahead: f64) {
        self.origin = origin;
        let velocities = bodies.velocities();
        for (body, target) in self.balls.iter_mut().enumerate() {
            if self.flags[body] & (LIVE | FAULTY) == LIVE {
                *target = ball(&self.records[body], &origin, reach_ahead::<S>(&velocities[body], look_ahead));
            }
        }
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

    /// Marks all sound bodies that have used up most of the room in their boxes, and says how many are marked in all.
    pub fn mark_nearly_out<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) -> usize {
        let held =
            Held { origin: self.origin, position: &self.held_position, turn: &self.held_turn, room: &self.held_room };
        let mut count = 0;
        for (body, flag) in self.flags.iter_mut().enumerate() {
            if *flag & (LIVE | FAULTY) == LIVE {
                if *flag & RENEW == 0 {
                    let used = held.used(bodies, body, &self.records[body], look_ahead);
                    *flag |= if used > NEARLY * held.room[body] { RENEW } else { 0 };
                }
                count += usize::from(*flag & RENEW != 0);
            }
        }
        count
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
        let origin = self.origin;
        let held = Held { origin, position: &self.held_position, turn: &self.held_turn, room: &self.held_room };
        let (flags, records, balls) = (&mut self.flags[..], &mut self.records[..], &mut self.balls[..]);
        let (turns, velocities) = (&mut self.seen_turn[..], &mut self.seen_velocity[..]);
        if pool::alone() || flags.len() <= PIECE {
            return pass.piece(0, &mut Seen { flags, records, balls, turns, velocities }, &held);
        }
        (
            flags.par_chunks_mut(PIECE),
            records.par_chunks_mut(PIECE),
            balls.par_chunks_mut(PIECE),
            turns.par_chunks_mut(PIECE),
            velocities.par_chunks_mut(PIECE),
        )
            .into_par_iter()
            .enumerate()
            .map(|(number, (flags, records, balls, turns, velocities))| {
                pass.piece(number * PIECE, &mut Seen { flags, records, balls, turns, velocities }, &held)
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

#[inline]
fn squared_distance(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(x, y)| (y - x) * (y - x)).sum::<f64>()
}

/// Where bodies were when their boxes were made, and what balls are relative to.
struct Held<'h, S: Dimension> {
    origin: S::Array<f64>,
    position: &'h [S::Array<f64>],
    turn: &'h [S::Turn<f64>],
    room: &'h [f64],
}

impl<S: Dimension> Held<'_, S> {
    /// How much of the room in its box a sound body has used up.
    #[inline]
    fn used<T: Precision, U: CustomShape<S>>(
        &self,
        bodies: &Bodies<S, U>,
        body: usize,
        record: &Record<S, T>,
        look_ahead: f64,
    ) -> f64 {
        let mut used = largest_change(record.position.as_ref(), self.position[body].as_ref());
        if !record.is_point() {
            let (from, to) = (self.turn[body].as_ref(), bodies.turn_column()[body].as_ref());
            if !same_bits(from, to) {
                used += record.reach.to_f64() * swing(from, to);
            }
        }
        if look_ahead > 0.0 {
            used += reach_ahead::<S>(&bodies.velocities()[body], look_ahead);
        }
        used
    }
}

/// What the pass writes of a piece of the bodies.
struct Seen<'s, S: Dimension, T: Precision> {
    flags: &'s mut [u8],
    records: &'s mut [Record<S, T>],
    balls: &'s mut [Ball],
    turns: &'s mut [S::Turn<f64>],
    velocities: &'s mut [S::Array<f64>],
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Pass<'_, S, T, U> {
    fn piece(&self, first: usize, seen: &mut Seen<'_, S, T>, held: &Held<'_, S>) -> Census {
        let columns = self.bodies.columns();
        let (positions, velocities) = (columns.positions(), self.bodies.velocities());
        let turned = !matches!(columns.turns(), jostle_shape::Turns::Identity);
        let turns = self.bodies.turn_column();
        let filters = columns.filters();
        let ahead = |body: usize| {
            if self.look_ahead > 0.0 { reach_ahead::<S>(&velocities[body], self.look_ahead) } else { 0.0 }
        };
        let mut census = Census::default();
        // Of those who walk: the longest step, squared, and by how much a ball has grown at most.
        let (mut longest, mut growth) = (0.0_f64, 0.0_f32);
        for (i, slot) in seen.flags.iter_mut().enumerate() {
            let mut flag = *slot;
            if flag & LIVE == 0 {
                continue;
            }
            let (body, record) = (first + i, &mut seen.records[i]);
            // Nothing is new but where it is: so it is with nearly everybody in nearly every frame.
            let walks = self.look_ahead == 0.0
                && flag & !STILL == LIVE
                && (!turned || same_bits(turns[body].as_ref(), seen.turns[i].as_ref()))
                && (record.is_point() || same_bits(turns[body].as_ref(), held.turn[body].as_ref()));
            let (from, to) = (record.position, positions[body]);
            if walks && !same_bits(from.as_ref(), to.as_ref()) && self.bodies.is_sound(body, false, false) {
                record.position = to;
                let radius = seen.balls[i][3];
                seen.balls[i] = ball(record, &held.origin, 0.0);
                let (used, room) = (largest_change(held.position[body].as_ref(), to.as_ref()), held.room[body]);
                if used > room {
                    *slot = LIVE | RENEW;
                    census.renew += 1;
                    census.strays += usize::from(used <= JUMP * room);
                } else {
                    *slot = LIVE;
                    longest = longest.max(squared_distance(from.as_ref(), to.as_ref()));
                    growth = growth.max(seen.balls[i][3] - radius);
                }
                continue;
            }
            let fresh = flag & FRESH != 0;
            let same_turn = !turned || same_bits(turns[body].as_ref(), seen.turns[i].as_ref());
            let same = same_turn
                && same_bits(positions[body].as_ref(), record.position.as_ref())
                && (self.look_ahead == 0.0 || same_bits(velocities[body].as_ref(), seen.velocities[i].as_ref()));
            if same && flag & (FRESH | FAULTY | WRAPPED) == 0 {
                *slot = flag | STILL;
                census.still += 1;
                census.resting += usize::from(!filters.is_fixed(body as u32));
                census.renew += usize::from(flag & RENEW != 0);
                continue;
            }
            flag &= !STILL;
            if !self.bodies.is_sound(body, turned, self.look_ahead > 0.0) {
                // Nothing is learned from broken numbers: it comes back as somebody new.
                *slot = flag | FAULTY | RENEW;
                seen.balls[i] = NOTHING;
                census.faulty += 1;
                continue;
            }
            let mut way = squared_distance(record.position.as_ref(), positions[body].as_ref()).sqrt();
            if fresh || !same_turn {
                if !record.is_point() {
                    way += record.reach.to_f64() * swing(seen.turns[i].as_ref(), turns[body].as_ref());
                }
                let shape = columns.shape_indices()[body];
                *record = Record::placed(&self.templates[shape as usize], &columns, body);
                seen.turns[i] = turns[body];
            } else {
                record.position = positions[body];
            }
            if self.look_ahead > 0.0 {
                seen.velocities[i] = velocities[body];
            }
            let radius = seen.balls[i][3];
            seen.balls[i] = ball(record, &held.origin, ahead(body));
            let grown = f64::from(seen.balls[i][3] - radius).max(0.0);
            if flag & (ASLEEP | FRESH) == ASLEEP {
                flag = flag & !ASLEEP | WOKEN;
                census.woken += 1;
            }
            flag &= !(FRESH | FAULTY | WRAPPED);
            if flag & RENEW == 0 {
                let used = held.used(self.bodies, body, record, self.look_ahead);
                let room = held.room[body];
                if used > room {
                    flag |= RENEW;
                    census.strays += usize::from(used <= JUMP * room);
                }
            }
            if flag & RENEW == 0 {
                census.way = census.way.max(way + grown);
            }
            census.renew += usize::from(flag & RENEW != 0);
            *slot = flag;
        }
        census.way = census.way.max(longest.sqrt() + f64::from(growth));
        census
    }
}
