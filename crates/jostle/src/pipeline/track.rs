//! What is known of each body from frame to frame.
//!
//! The list holds all pairs whose boxes overlap, each box grown by half the skin. It holds all near pairs while no
//! body has moved farther than that since its own box was made: the largest change of a coordinate plus what the
//! rotation may have added (a point at distance r from the position moves by at most 2 r sin(angle / 2)).

use core::ops::Add;

use jostle_narrowphase::{Dimension, Precision, Record};
use jostle_shape::{Bodies, CustomShape};
use jostle_tasks::{self as tasks, Few};

use super::ball::{Ball, NOTHING, about};
use super::flags::{LIVE, RENEW, WRAPPED, is_marked, is_sound, reach_ahead};
use super::pass::{Census, Held, Pass, Seen, largest_change, same_bits, used};
use crate::lattice::Lattice;

/// Bodies that have used up this share of their room are renewed together with those that have left it.
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
    /// Balls about the sound bodies, for [`between`](super::ball::between).
    pub balls: Vec<Ball>,
    /// What balls are relative to.
    origin: S::Array<f64>,
    /// How often each body was brought back into the cell by each of the lattice's vectors, less how often it was taken
    /// out; none in open space.
    wraps: Vec<[i32; 3]>,
    /// As of the last frame; the position of that time is in the record.
    seen_rotation: Vec<S::Rotation<f64>>,
    seen_velocity: Vec<S::Array<f64>>,
    /// As of when the body's box was made.
    held_position: Vec<S::Array<f64>>,
    held_rotation: Vec<S::Rotation<f64>>,
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
            seen_rotation: Vec::new(),
            seen_velocity: Vec::new(),
            held_position: Vec::new(),
            held_rotation: Vec::new(),
            held_room: Vec::new(),
        }
    }
}

impl<S: Dimension, T: Precision> Tracks<S, T> {
    /// Makes one more slot.
    pub fn grow(&mut self) {
        self.flags.push(0);
        self.records.push(Record::default());
        self.balls.push(NOTHING);
        self.seen_rotation.push(S::identity_rotation());
        self.seen_velocity.push(S::array(|_| 0.0));
        self.held_position.push(S::array(|_| 0.0));
        self.held_rotation.push(S::identity_rotation());
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

    /// Finds out which bodies were brought back into the cell since the last frame, or taken out of it: those that are
    /// nearer to an image of where they were than to that place itself. What is known of where they were goes with
    /// them.
    pub fn unwrap<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, lattice: &Lattice<S>) {
        self.wraps.resize(self.flags.len(), [0; 3]);
        let Self { flags, records, wraps, held_position, .. } = self;
        let columns = (&mut flags[..], (&mut records[..], (&mut wraps[..], &mut held_position[..])));
        tasks::each(Few::of((bodies.positions(), columns), PIECE), |_, few| {
            let (positions, (flags, (records, (wraps, held)))) = few.list;
            for (body, position) in positions.iter().enumerate() {
                let (flag, record) = (&mut flags[body], &mut records[body]);
                let offset = S::array(|k| position[k] - record.position[k]);
                if *flag & LIVE == 0 || lattice.is_short(&offset) {
                    continue;
                }
                // Whoever is broken or in the middle of nowhere has no image that could be counted.
                let Some(image) = lattice.nearest(offset) else { continue };
                if image == [0; 3] {
                    continue;
                }
                let counted = core::array::from_fn(|k| wraps[body][k] - image[k]);
                wraps[body] = counted;
                if counted.iter().any(|count| count.abs() > MOST_WRAPS) {
                    // Counted anew: what is listed with it means something else now.
                    (wraps[body], *flag) = ([0; 3], *flag | RENEW);
                }
                let shift = lattice.shift(image);
                record.position = S::array(|k| record.position[k] + shift[k]);
                held[body] = S::array(|k| held[body][k] + shift[k]);
                *flag |= WRAPPED;
            }
        });
    }

    /// A body leaves.
    pub fn vacate(&mut self, body: usize) {
        (self.flags[body], self.balls[body]) = (0, NOTHING);
    }

    /// Everything is seen from another origin, or looks further ahead.
    pub fn make_balls<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, origin: S::Array<f64>, look_ahead: f64) {
        self.origin = origin;
        let velocities = bodies.velocities();
        let known = (&self.flags[..], (&self.records[..], velocities));
        tasks::each(Few::of((&mut self.balls[..], known), PIECE), |_, few| {
            let (balls, (flags, (records, velocities))) = few.list;
            for (body, ball) in balls.iter_mut().enumerate() {
                if is_sound(flags[body]) {
                    *ball = about(&records[body], &origin, reach_ahead::<S>(&velocities[body], look_ahead));
                }
            }
        });
    }

    /// How far body `body` has moved since the last frame, along its fastest axis: for samples.
    pub fn step(&self, positions: &[S::Array<f64>], body: usize) -> f64 {
        largest_change(positions[body].as_ref(), self.records[body].position.as_ref())
    }

    /// Marks all sound bodies that have used up most of the room in their boxes, and says how many are marked in all.
    pub fn mark_nearly_out<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) -> usize {
        let Self { flags, records, .. } = self;
        let (rotations, velocities) = (bodies.rotation_column(), bodies.velocities());
        let (positions, turned, rooms) = (&self.held_position, &self.held_rotation, &self.held_room);
        let look = |number, few: Few<&mut [u8]>| {
            let mut count = 0;
            for (body, flag) in (number * PIECE..).zip(few.list) {
                if is_sound(*flag) {
                    if *flag & RENEW == 0 {
                        let ahead = reach_ahead::<S>(&velocities[body], look_ahead);
                        let at = (&positions[body], &turned[body]);
                        let used = used::<S, T, true>(at, &records[body], &rotations[body], ahead);
                        *flag |= if used > NEARLY * rooms[body] { RENEW } else { 0 };
                    }
                    count += usize::from(*flag & RENEW != 0);
                }
            }
            count
        };
        tasks::fold(Few::of(&mut flags[..], PIECE), look, Add::add).unwrap_or(0)
    }

    /// Marks all sound bodies that are elsewhere than when their boxes were made, or simply all of them.
    pub fn mark<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, all: bool) {
        let Self { flags, held_position, held_rotation, .. } = self;
        let (positions, rotations) = (bodies.positions(), bodies.rotation_column());
        tasks::for_each_few(flags, PIECE, |number, flags| {
            for (body, flag) in (number * PIECE..).zip(flags) {
                let displaced = || {
                    !same_bits(positions[body].as_ref(), held_position[body].as_ref())
                        || !same_bits(rotations[body].as_ref(), held_rotation[body].as_ref())
                };
                if is_sound(*flag) && (all || displaced()) {
                    *flag |= RENEW;
                }
            }
        });
    }

    /// Boxes of all marked sound bodies were made here, with this skin.
    pub fn hold<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, skin: f64, look_ahead: f64) {
        let (positions, rotations, velocities) = (bodies.positions(), bodies.rotation_column(), bodies.velocities());
        let Self { flags, held_position, held_rotation, held_room, .. } = self;
        let held = (&mut flags[..], (&mut held_position[..], (&mut held_rotation[..], &mut held_room[..])));
        tasks::each(Few::of(held, PIECE), |number, few| {
            let (flags, (held_positions, (held_rotations, rooms))) = few.list;
            for (i, flag) in flags.iter_mut().enumerate() {
                if is_marked(*flag) {
                    let body = number * PIECE + i;
                    *flag &= !RENEW;
                    held_positions[i] = positions[body];
                    held_rotations[i] = rotations[body];
                    rooms[i] = 0.5 * skin + reach_ahead::<S>(&velocities[body], look_ahead);
                }
            }
        });
    }

    /// The pass: brings records up to date and sets the flags.
    pub fn look<U: CustomShape<S>>(&mut self, pass: &Pass<'_, S, T, U>) -> Census {
        let origin = self.origin;
        let held = Held { origin, position: &self.held_position, rotation: &self.held_rotation, room: &self.held_room };
        let (flags, records, balls) = (&mut self.flags[..], &mut self.records[..], &mut self.balls[..]);
        let (rotations, velocities) = (&mut self.seen_rotation[..], &mut self.seen_velocity[..]);
        if tasks::alone() || flags.len() <= PIECE {
            return pass.piece(0, &mut Seen { flags, records, balls, rotations, velocities }, &held);
        }
        let pieces = Few::of((flags, (records, (balls, (rotations, velocities)))), PIECE);
        let look = |number, pieces: Few<_>| {
            let (flags, (records, (balls, (rotations, velocities)))) = pieces.list;
            pass.piece(number * PIECE, &mut Seen { flags, records, balls, rotations, velocities }, &held)
        };
        tasks::fold(pieces, look, Add::add).unwrap_or_default()
    }
}
