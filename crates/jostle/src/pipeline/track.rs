//! What is kept of each body from frame to frame.
//!
//! The list holds all pairs whose boxes overlap, each box grown by half the skin. It holds all near pairs as long as no
//! body has moved farther than that since its own box was made: the largest change of a coordinate plus what the
//! rotation may have added (a point at distance r from the position moves by at most 2 r sin(angle / 2)). Where all
//! bodies are balls, it holds the pairs whose balls overlap, grown likewise; then straight distances count
//! ([`Tracks::round`]).

use core::ops::Add;

use jostle_narrowphase::{Dimension, Precision, Record};
use jostle_shape::{Bodies, CustomShape};
use jostle_tasks::{self as tasks, Few};

use super::ball::{Ball, NOTHING, about};
use super::flags::{Flags, reach_ahead};
use super::pace;
use super::pass::{Census, Held, JUMP, Pass, PassColumns, displacement, is_small, same_bits, turn_of, used_up};
use crate::lattice::Lattice;

/// Bodies that have used up more than this share of the room in their boxes are renewed with those that have left
/// theirs.
const NEARLY: f64 = 0.6;
/// Bodies per task.
const BODIES_PER_TASK: usize = 4096;
/// A body that was brought back more often than this along a vector is counted from zero again, so that sums of three
/// counts fit in an `i32`.
const MOST_WRAPS: i32 = 1 << 28;

/// Columns of one length, one entry per slot (`wraps` is empty in open space).
#[derive(Clone, Debug)]
pub struct Tracks<S: Dimension, T: Precision> {
    pub flags: Vec<Flags>,
    pub records: Vec<Record<S, T>>,
    /// The bounding balls of the sound bodies, for [`between`](super::ball::between).
    pub balls: Vec<Ball>,
    /// The origin that the balls' centres are relative to.
    origin: S::Array<f64>,
    /// How often each body was brought back into the cell along each of the lattice's vectors, less how often it was
    /// taken out; empty in open space.
    wraps: Vec<[i32; 3]>,
    /// The lattice of the last frame in which bodies were looked for that were brought back.
    seen_in: Lattice<S>,
    /// As of the last frame; the position as of then is in the record.
    seen_rotation: Vec<S::Rotation<f64>>,
    seen_velocity: Vec<S::Array<f64>>,
    /// As of when the body's box was made.
    held_position: Vec<S::Array<f64>>,
    held_rotation: Vec<S::Rotation<f64>>,
    /// By how many metres the box is larger than the margin asks: half the skin, times two to the power of `doublings`,
    /// plus the body's reach within the look-ahead.
    held_room: Vec<f64>,
    /// How many times the skin is doubled for this body.
    doublings: Vec<u8>,
    /// Whether any pairs of the list were found as balls that overlap, so that straight distances use up the room.
    pub round: bool,
}

/// How much room boxes have, and where bodies are now.
struct Rooms<'r, S: Dimension, T: Precision, U> {
    bodies: &'r Bodies<S, U>,
    records: &'r [Record<S, T>],
    held_position: &'r [S::Array<f64>],
    held_rotation: &'r [S::Rotation<f64>],
    held_room: &'r [f64],
    look_ahead: f64,
    round: bool,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Rooms<'_, S, T, U> {
    /// The share that a sound body has used up of the room that its look-ahead leaves it: above 1 if it is out of its
    /// box. It is 0 if the body is where its box was made, even if the box has no room at all, as boxes of bodies at
    /// rest may not.
    fn spent(&self, body: usize) -> f64 {
        let held = (&self.held_position[body], &self.held_rotation[body]);
        let rotation = &self.bodies.rotation_column()[body];
        let record = &self.records[body];
        let used = used_up(held, (&record.position, record), rotation, 0.0, self.round);
        let left = self.held_room[body] - reach_ahead::<S>(&self.bodies.velocities()[body], self.look_ahead);
        if left > 0.0 {
            used / left
        } else if left == 0.0 && used == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    }
}

impl<S: Dimension, T: Precision> Default for Tracks<S, T> {
    fn default() -> Self {
        Self {
            flags: Vec::new(),
            records: Vec::new(),
            balls: Vec::new(),
            origin: S::array(|_| 0.0),
            wraps: Vec::new(),
            seen_in: Lattice::default(),
            seen_rotation: Vec::new(),
            seen_velocity: Vec::new(),
            held_position: Vec::new(),
            held_rotation: Vec::new(),
            held_room: Vec::new(),
            doublings: Vec::new(),
            round: false,
        }
    }
}

/// Where a body at `position` is once it was moved along with the vectors of a lattice that has changed: at the same
/// place of the same cell. `None` if its cell cannot be counted.
fn moved_along<S: Dimension>([before, now]: [&Lattice<S>; 2], position: S::Array<f64>) -> Option<S::Array<f64>> {
    let (place, cell) = before.wrap(position).ok()?;
    let shift = now.shift(cell);
    Some(S::array(|k| place[k] + shift[k]))
}

/// The square of the way from one position to the nearest image of another. `None` if images cannot be counted.
fn squared_way<S: Dimension>(lattice: &Lattice<S>, from: &S::Array<f64>, to: &S::Array<f64>) -> Option<f64> {
    let offset = S::array(|k| to[k] - from[k]);
    let shift = lattice.shift(lattice.nearest(offset)?);
    Some((0..S::DIMENSION).map(|k| offset[k] - shift[k]).map(|x| x * x).sum())
}

impl<S: Dimension, T: Precision> Tracks<S, T> {
    /// Adds a slot.
    pub fn grow(&mut self) {
        self.flags.push(Flags::empty());
        self.records.push(Record::default());
        self.balls.push(NOTHING);
        self.seen_rotation.push(S::identity_rotation());
        self.seen_velocity.push(S::array(|_| 0.0));
        self.held_position.push(S::array(|_| 0.0));
        self.held_rotation.push(S::identity_rotation());
        self.held_room.push(0.0);
        self.doublings.push(0);
    }

    /// How often each body was brought back into the cell; see [`super::link`].
    pub fn wraps(&self) -> &[[i32; 3]] {
        &self.wraps
    }

    /// Space does not repeat any more.
    pub fn forget_wraps(&mut self) {
        self.wraps.clear();
        self.seen_in = Lattice::default();
    }

    /// Finds the bodies that were brought back into the cell since the last frame, or taken out of it: those that are
    /// nearer to an image of their last position than to that position itself. Their last position and that of their
    /// box are shifted along.
    ///
    /// If the lattice has changed, all bodies may have been moved along with it, which takes those that are many cells
    /// away past whole cells. Whether they were is told by most of those bodies for which it makes a difference; their
    /// last positions are then taken to be where they were moved to.
    pub fn unwrap<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, lattice: &Lattice<S>) {
        self.wraps.resize(self.flags.len(), [0; 3]);
        let before = core::mem::replace(&mut self.seen_in, *lattice);
        let changed = before.repeats() && before != *lattice;
        let along = (changed && self.were_moved_along(bodies, [&before, lattice])).then_some(before);
        let Self { flags, records, wraps, held_position, .. } = self;
        let columns = (&mut flags[..], (&mut records[..], (&mut wraps[..], &mut held_position[..])));
        tasks::each(Few::of((bodies.positions(), columns), BODIES_PER_TASK), |_, few| {
            let (positions, (flags, (records, (wraps, held)))) = few.list;
            for (body, position) in positions.iter().enumerate() {
                let (flag, record) = (&mut flags[body], &mut records[body]);
                let from = along.as_ref().and_then(|before| moved_along([before, lattice], record.position));
                let from = from.unwrap_or(record.position);
                let offset = S::array(|k| position[k] - from[k]);
                if !flag.is_live() || lattice.is_short(&offset) {
                    continue;
                }
                // A body with invalid numbers, or too far away, has no image that could be counted.
                let Some(image) = lattice.nearest(offset) else { continue };
                if image == [0; 3] {
                    continue;
                }
                let counted = core::array::from_fn(|k| wraps[body][k] - image[k]);
                wraps[body] = counted;
                if counted.iter().any(|count| count.abs() > MOST_WRAPS) {
                    // Counted from zero: with another count, images on the list mean something else, so its pairs are
                    // found anew.
                    (wraps[body], *flag) = ([0; 3], *flag | Flags::RENEW);
                }
                let shift = lattice.shift(image);
                record.position = S::array(|k| record.position[k] + shift[k]);
                held[body] = S::array(|k| held[body][k] + shift[k]);
                *flag |= Flags::WRAPPED;
            }
        });
    }

    /// Whether positions were changed along with the vectors of the lattice, as under a barostat. A body tells so if it
    /// is then less than half as far from its last position as otherwise, and the contrary the other way round. (Where
    /// the vectors of both span the same points, both ways are the same to rounding, and tell nothing.)
    fn were_moved_along<U: CustomShape<S>>(&self, bodies: &Bodies<S, U>, lattices: [&Lattice<S>; 2]) -> bool {
        let columns = (&self.flags[..], &self.records[..]);
        let votes = tasks::fold(
            Few::of((bodies.positions(), columns), BODIES_PER_TASK),
            |_, few| {
                let (positions, (flags, records)) = few.list;
                let mut votes = [0_usize; 2];
                for ((position, flag), record) in positions.iter().zip(flags).zip(records) {
                    let known = record.position;
                    if flag.is_live()
                        && !flag.contains(Flags::FRESH | Flags::RENEW)
                        && let Some(along) = moved_along(lattices, known)
                        && let Some(stayed) = squared_way(lattices[1], &known, position)
                        && let Some(moved) = squared_way(lattices[1], &along, position)
                    {
                        votes[0] += usize::from(stayed < 0.25 * moved);
                        votes[1] += usize::from(moved < 0.25 * stayed);
                    }
                }
                votes
            },
            |a, b| [a[0] + b[0], a[1] + b[1]],
        );
        votes.is_some_and(|[stayed, moved]| moved > stayed)
    }

    /// Marks a body of which more than its place has changed, or which is new in this slot.
    pub fn begin(&mut self, body: usize, flags: Flags) {
        // The old box must not count as motion, neither in samples of steps nor when skins are doubled.
        (self.flags[body], self.held_room[body]) = (flags | Flags::FRESH | Flags::RENEW, 0.0);
        self.held_position[body] = S::array(|_| f64::NAN);
    }

    /// Clears the slot of a body that was removed.
    pub fn vacate(&mut self, body: usize) {
        (self.flags[body], self.balls[body], self.doublings[body]) = (Flags::empty(), NOTHING, 0);
    }

    /// Makes the balls of all sound bodies anew: for another origin, or another look-ahead.
    pub fn make_balls<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, origin: S::Array<f64>, look_ahead: f64) {
        self.origin = origin;
        let velocities = bodies.velocities();
        let known = (&self.flags[..], (&self.records[..], (velocities, &self.doublings[..])));
        tasks::each(Few::of((&mut self.balls[..], known), BODIES_PER_TASK), |_, few| {
            let (balls, (flags, (records, (velocities, doublings)))) = few.list;
            for (body, ball) in balls.iter_mut().enumerate() {
                if flags[body].is_sound() {
                    *ball = about(
                        &records[body],
                        &origin,
                        reach_ahead::<S>(&velocities[body], look_ahead),
                        doublings[body],
                    );
                }
            }
        });
    }

    /// How far body `body` has moved and turned since the last frame, metres, as the list measures it: for samples.
    pub fn step<U: CustomShape<S>>(&self, bodies: &Bodies<S, U>, body: usize) -> f64 {
        let record = &self.records[body];
        let moved = displacement(bodies.positions()[body].as_ref(), record.position.as_ref(), self.round);
        moved + turn_of(record, &self.seen_rotation[body], &bodies.rotation_column()[body])
    }

    /// How far the marked bodies that had boxes are from where these were made, metres: only distances above 0 and
    /// below 1e15.
    pub fn marked_steps(&self, positions: &[S::Array<f64>]) -> impl Iterator<Item = f64> {
        let marked = self.flags.iter().enumerate().filter(|(_, flag)| flag.is_marked());
        let step = |body: usize| displacement(positions[body].as_ref(), self.held_position[body].as_ref(), self.round);
        marked.map(move |(body, _)| step(body)).filter(|&step| step > 0.0 && step < 1e15)
    }

    /// Marks all sound bodies that have used up most of the room in their boxes, and returns how many bodies are marked
    /// in all.
    pub fn mark_nearly_out<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) -> usize {
        let Self { flags, records, held_position, held_rotation, held_room, round, .. } = self;
        let rooms = Rooms { bodies, records, held_position, held_rotation, held_room, look_ahead, round: *round };
        let look = |number, few: Few<&mut [Flags]>| {
            let mut count = 0;
            for (body, flag) in (number * BODIES_PER_TASK..).zip(few.list) {
                if flag.is_sound() {
                    if !flag.is_marked() {
                        flag.set(Flags::RENEW, rooms.spent(body) > NEARLY);
                    }
                    count += usize::from(flag.is_marked());
                }
            }
            count
        };
        tasks::fold(Few::of(&mut flags[..], BODIES_PER_TASK), look, Add::add).unwrap_or(0)
    }

    /// Doubles the skins of the bodies that have walked out of their boxes.
    pub fn double_skins<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) {
        self.change_skins(bodies, look_ahead, |rooms, body, flag, doublings| {
            let doubled = |_: &u8| flag.is_marked() && (1.0..=JUMP).contains(&rooms.spent(body));
            Some(doublings + 1).filter(|more| *more <= pace::MOST_DOUBLINGS).filter(doubled)
        });
    }

    /// Halves the doubled skins of which so little was used that the half would have been enough.
    pub fn halve_skins<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) {
        self.change_skins(bodies, look_ahead, |rooms, body, flag, doublings| {
            doublings.checked_sub(1).filter(|_| flag.is_sound() && rooms.spent(body) < pace::LITTLE)
        });
    }

    /// Resets the doublings of marked bodies: they get the skin that was chosen, no thicker one.
    pub fn forget_marked_doublings<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, look_ahead: f64) {
        self.change_skins(bodies, look_ahead, |_, _, flag, doublings| (flag.is_marked() && doublings > 0).then_some(0));
    }

    /// Sets how often skins are doubled: `change` gets a body and its flags and count, and returns another count or
    /// `None`.
    fn change_skins<U: CustomShape<S>>(
        &mut self,
        bodies: &Bodies<S, U>,
        look_ahead: f64,
        change: impl Fn(&Rooms<'_, S, T, U>, usize, Flags, u8) -> Option<u8> + Sync,
    ) {
        let Self { flags, records, balls, doublings, held_position, held_rotation, held_room, round, .. } = self;
        let rooms = Rooms { bodies, records, held_position, held_rotation, held_room, look_ahead, round: *round };
        tasks::each(Few::of((&mut doublings[..], (&mut balls[..], &flags[..])), BODIES_PER_TASK), |number, few| {
            let (doublings, (balls, flags)) = few.list;
            for (i, doublings) in doublings.iter_mut().enumerate() {
                if let Some(changed) = change(&rooms, number * BODIES_PER_TASK + i, flags[i], *doublings) {
                    *doublings = changed;
                    balls[i].radius.set_doublings(changed);
                }
            }
        });
    }

    /// Resets all doublings. All bodies that move have to be renewed afterwards.
    pub fn forget_doublings(&mut self) {
        self.doublings.fill(0);
    }

    /// Marks all sound bodies that are not where their boxes were made, or simply all of them.
    pub fn mark<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, all: bool) {
        let Self { flags, held_position, held_rotation, .. } = self;
        let (positions, rotations) = (bodies.positions(), bodies.rotation_column());
        tasks::for_each_few(flags, BODIES_PER_TASK, |number, flags| {
            for (body, flag) in (number * BODIES_PER_TASK..).zip(flags) {
                let displaced = || {
                    !same_bits(positions[body].as_ref(), held_position[body].as_ref())
                        || !same_bits(rotations[body].as_ref(), held_rotation[body].as_ref())
                };
                if flag.is_sound() && (all || displaced()) {
                    *flag |= Flags::RENEW;
                }
            }
        });
    }

    /// The room in a body's box, metres.
    pub fn room(&self, body: usize) -> f64 {
        self.held_room[body]
    }

    /// Sets the room in the boxes that all marked bodies are about to get.
    pub fn make_room<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>, skin: f64, look_ahead: f64) {
        let velocities = bodies.velocities();
        let Self { flags, held_room, doublings, .. } = self;
        tasks::each(Few::of((&mut held_room[..], (&flags[..], &doublings[..])), BODIES_PER_TASK), |number, few| {
            let (rooms, (flags, doublings)) = few.list;
            for (i, room) in rooms.iter_mut().enumerate() {
                if flags[i].is_marked() {
                    let body = number * BODIES_PER_TASK + i;
                    *room =
                        0.5 * skin * f64::from(1_u32 << doublings[i]) + reach_ahead::<S>(&velocities[body], look_ahead);
                }
            }
        });
    }

    /// Records that the boxes of all marked sound bodies were made where the bodies are now, and clears the marks.
    pub fn hold<U: CustomShape<S>>(&mut self, bodies: &Bodies<S, U>) {
        let (positions, rotations) = (bodies.positions(), bodies.rotation_column());
        let Self { flags, held_position, held_rotation, .. } = self;
        let held = (&mut flags[..], (&mut held_position[..], &mut held_rotation[..]));
        tasks::each(Few::of(held, BODIES_PER_TASK), |number, few| {
            let (flags, (held_positions, held_rotations)) = few.list;
            for (i, flag) in flags.iter_mut().enumerate() {
                if flag.is_marked() {
                    let body = number * BODIES_PER_TASK + i;
                    *flag -= Flags::RENEW;
                    held_positions[i] = positions[body];
                    held_rotations[i] = rotations[body];
                }
            }
        });
    }

    /// Takes these velocities as those of the last frame: what differs from them later has changed since. Not those
    /// that are no good numbers: the pass shall see them.
    pub fn see_velocities(&mut self, velocities: &[S::Array<f64>]) {
        for (seen, velocity) in self.seen_velocity.iter_mut().zip(velocities) {
            if is_small::<S>(velocity) {
                *seen = *velocity;
            }
        }
    }

    /// The pass over all bodies: brings records and balls up to date and sets the flags.
    pub fn look<U: CustomShape<S>>(&mut self, pass: &Pass<'_, S, T, U>) -> Census {
        let origin = self.origin;
        let held = Held {
            origin,
            position: &self.held_position,
            rotation: &self.held_rotation,
            room: &self.held_room,
            doublings: &self.doublings,
            round: self.round,
        };
        let (flags, records, balls) = (&mut self.flags[..], &mut self.records[..], &mut self.balls[..]);
        let (rotations, velocities) = (&mut self.seen_rotation[..], &mut self.seen_velocity[..]);
        if tasks::alone() || flags.len() <= BODIES_PER_TASK {
            return pass.piece(0, &mut PassColumns { flags, records, balls, rotations, velocities }, &held);
        }
        let pieces = Few::of((flags, (records, (balls, (rotations, velocities)))), BODIES_PER_TASK);
        let look = |number, pieces: Few<_>| {
            let (flags, (records, (balls, (rotations, velocities)))) = pieces.list;
            pass.piece(
                number * BODIES_PER_TASK,
                &mut PassColumns { flags, records, balls, rotations, velocities },
                &held,
            )
        };
        tasks::fold(pieces, look, Add::add).unwrap_or_default()
    }
}
