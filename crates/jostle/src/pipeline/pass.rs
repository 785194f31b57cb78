//! The pass over all bodies that begins a frame: which bodies have invalid numbers, which are still, which have moved
//! out of the boxes that the list of pairs was made with.
//!
//! Nearly all bodies in nearly every frame are still or walk: nothing about them is new but position, rotation and
//! velocity. For those there is a loop of its own, which leaves the sines of angles to lanes; all other bodies are
//! looked at closely, one by one.

use core::ops::Add;

use jostle_lanes::prefetch_in_turn;
use jostle_narrowphase::{Dimension, Precision, Record, Templates, make_records};
use jostle_shape::{Bodies, Checked, Columns, CustomShape, MAX_LENGTH, Rotations};

use super::ball::{Ball, NOTHING, about};
use super::flags::{Flags, reach_ahead};
use super::pace::slowness;

/// A body that has used up more than this many times the room in its box did not walk out of it, but jumped.
pub const JUMP: f64 = 3.0;

/// What the pass has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Census {
    /// Bodies left out, as their numbers are invalid.
    pub faulty: usize,
    /// Bodies that have not moved.
    pub still: usize,
    /// How many of the still bodies are not static: one of them is in each pair that keeps its row.
    pub resting: usize,
    /// Sleeping bodies that were woken by being moved.
    pub woken: usize,
    /// Sound bodies whose pairs have to be found.
    pub renew: usize,
    /// How many of those have walked out of their boxes, rather than entered, changed or jumped: others are about to.
    pub strays: usize,
    /// Free slots that hold invalid numbers.
    pub broken_vacant: usize,
    /// The longest way of any point of the bodies that stay in their boxes, metres since the last frame, growth of the
    /// look-ahead included; ways of bodies with doubled skins count in part (see [`slowness`]).
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
            broken_vacant: self.broken_vacant + other.broken_vacant,
            way: self.way.max(other.way),
        }
    }
}

/// What the pass reads of the pipeline.
#[derive(Debug)]
pub struct Pass<'p, S: Dimension, T: Precision, U> {
    pub bodies: &'p Bodies<S, U>,
    pub templates: &'p Templates<S, T>,
    /// Seconds.
    pub look_ahead: f64,
}

/// Where bodies were when their boxes were made, and what balls are relative to. All columns have one length.
pub struct Held<'h, S: Dimension> {
    pub origin: S::Array<f64>,
    pub position: &'h [S::Array<f64>],
    pub rotation: &'h [S::Rotation<f64>],
    pub room: &'h [f64],
    /// How often each body's skin is doubled.
    pub doublings: &'h [u8],
    /// See [`displacement`].
    pub round: bool,
}

/// What the pass writes, for a piece of the bodies. All columns have one length.
pub struct PassColumns<'s, S: Dimension, T: Precision> {
    pub flags: &'s mut [Flags],
    pub records: &'s mut [Record<S, T>],
    pub balls: &'s mut [Ball],
    pub rotations: &'s mut [S::Rotation<f64>],
    pub velocities: &'s mut [S::Array<f64>],
}

/// How many bodies that walk and turn have their records made at once.
const MADE: usize = 64;

/// The results of a piece.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    census: Census,
    /// The longest step of the bodies that walk, without what they turn, squared.
    longest: f64,
    /// The largest growth of the radius of any walking body's ball.
    growth: f32,
}

/// Equal to the bit: zeros of either sign differ, and NaN equals itself.
#[inline(always)]
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    // No early exit: two or three numbers are compared at once.
    a.iter().zip(b).fold(0, |differ, (x, y)| differ | (x.to_bits() ^ y.to_bits())) == 0
}

/// Whether all are numbers that a body may have.
#[inline(always)]
pub fn is_small<S: Dimension>(numbers: &S::Array<f64>) -> bool {
    // NaN is not.
    numbers.as_ref().iter().all(|x| x.abs() <= MAX_LENGTH)
}

/// The largest change of a coordinate.
#[inline(always)]
fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    // Numbers are sound: one comparison each is enough.
    from.iter().zip(to).map(|(x, y)| (y - x).abs()).fold(0.0, |most, x| if x > most { x } else { most })
}

/// How far a body has moved, metres, as the list measures it: the largest change of a coordinate, as boxes ask; or, if
/// the list is `round`, the straight distance, as balls do.
#[inline(always)]
pub fn displacement(from: &[f64], to: &[f64], round: bool) -> f64 {
    let change = largest_change(from, to);
    // Squares of tiny changes vanish.
    if round { squared_distance(from, to).sqrt().max(change) } else { change }
}

#[inline(always)]
fn squared_distance(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(x, y)| (y - x) * (y - x)).sum::<f64>()
}

/// The square of a length; of a negative number or NaN a value below any square.
#[inline(always)]
fn square_of_length(length: f64) -> f64 {
    if length >= 0.0 { length * length } else { -1.0 }
}

/// How far a rotation moves a point at distance 1, at most.
fn swing(from: &[f64], to: &[f64]) -> f64 {
    if let ([from], [to]) = (from, to) {
        return (to - from).abs().min(2.0);
    }
    let squared = |sign: f64| from.iter().zip(to).map(|(x, y)| (y - sign * x) * (y - sign * x)).sum::<f64>();
    // |p - q| of unit quaternions is 2 sin(angle / 4); norms may be off by 1e-3, and q means the same as -q.
    2.01 * squared(1.0).min(squared(-1.0)).sqrt()
}

/// How far the turn from one rotation to another moves the points of a body at most, metres. A ball is the same however
/// it is turned.
#[inline(always)]
pub fn turn_of<S: Dimension, T: Precision>(
    record: &Record<S, T>,
    from: &S::Rotation<f64>,
    to: &S::Rotation<f64>,
) -> f64 {
    if record.is_point() { 0.0 } else { record.reach.to_f64() * swing(from.as_ref(), to.as_ref()) }
}

/// How much room in its box a sound body has used up, metres: its box was made where it was `held`, it is `now` where
/// its record says, is turned by `rotation` and gets `ahead` metres far within the look-ahead. `TURNED`: see
/// [`Pass::walk`]; `ROUND`: see [`displacement`].
///
/// `now` is not read from the record: the numbers were just stored there one by one and cannot be loaded as a vector
/// yet. Waiting for them took a sixth of a frame of discs.
#[inline(always)]
fn used<S: Dimension, T: Precision, const TURNED: bool, const ROUND: bool>(
    held: (&S::Array<f64>, &S::Rotation<f64>),
    (now, record): (&S::Array<f64>, &Record<S, T>),
    rotation: &S::Rotation<f64>,
    ahead: f64,
) -> f64 {
    let used = displacement(held.0.as_ref(), now.as_ref(), ROUND) + ahead;
    if !TURNED || same_bits(held.1.as_ref(), rotation.as_ref()) {
        return used;
    }
    used + turn_of(record, held.1, rotation)
}

/// The same for a body that may be turned, as a call: for callers that look at few bodies.
#[inline(never)]
pub fn used_up<S: Dimension, T: Precision>(
    held: (&S::Array<f64>, &S::Rotation<f64>),
    body: (&S::Array<f64>, &Record<S, T>),
    rotation: &S::Rotation<f64>,
    ahead: f64,
    round: bool,
) -> f64 {
    if round {
        used::<S, T, true, true>(held, body, rotation, ahead)
    } else {
        used::<S, T, true, false>(held, body, rotation, ahead)
    }
}

/// How far a body is from where its box was made, compared with what its box allows: three lengths, or the squares of
/// all three.
struct RoomUse {
    /// How much room the body has used up.
    used: f64,
    /// How much it may use up.
    most: f64,
    /// How much it can have used up by walking: beyond that it has jumped.
    walked: f64,
}

impl RoomUse {
    /// For a body whose box has `room`, metres; see [`used`]. For balls on a round list all three are squared, or each
    /// would have to wait for a root. (A length so short that its square vanishes is nothing beside the rounding of
    /// boxes.)
    #[inline(always)]
    fn of<S: Dimension, T: Precision, const TURNED: bool>(
        held: (&S::Array<f64>, &S::Rotation<f64>),
        room: f64,
        (now, record): (&S::Array<f64>, &Record<S, T>),
        rotation: &S::Rotation<f64>,
        ahead: f64,
        round: bool,
    ) -> Self {
        if round && record.is_point() {
            let used = squared_distance(held.0.as_ref(), now.as_ref());
            return Self { used, most: square_of_length(room - ahead), walked: square_of_length(JUMP * room - ahead) };
        }
        let used = if round {
            used_up(held, (now, record), rotation, ahead, true)
        } else {
            used::<S, T, TURNED, false>(held, (now, record), rotation, ahead)
        };
        Self { used, most: room, walked: JUMP * room }
    }

    /// Whether the body has left its box.
    #[inline(always)]
    fn is_out(&self) -> bool {
        self.used > self.most
    }

    /// Whether the body has not jumped.
    #[inline(always)]
    fn has_not_jumped(&self) -> bool {
        self.used <= self.walked
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Pass<'_, S, T, U> {
    /// Looks at the bodies from `first` on, as many as `seen` has room for.
    pub fn piece(&self, first: usize, seen: &mut PassColumns<'_, S, T>, held: &Held<'_, S>) -> Census {
        let (mut sums, mut i) = (Sums::default(), 0);
        let columns = self.bodies.columns();
        let walk = match (!matches!(columns.rotations(), Rotations::Identity), self.look_ahead > 0.0) {
            (false, false) => Self::walk::<false, false>,
            (true, false) => Self::walk::<true, false>,
            (false, true) => Self::walk::<false, true>,
            (true, true) => Self::walk::<true, true>,
        };
        loop {
            i += walk(self, &columns, first, i, seen, held, &mut sums);
            if i == seen.flags.len() {
                break;
            }
            self.look_closely(&columns, first, i, seen, held, &mut sums.census);
            i += 1;
        }
        let Sums { census, longest, growth } = sums;
        Census { way: census.way.max(longest.sqrt()) + f64::from(growth), ..census }
    }

    /// Goes over the bodies from `from` on as long as they are still or walk, and returns their number. `TURNED`:
    /// bodies have rotations. `LOOK_AHEAD`: there is a look-ahead. Both are known at compile time, so that scenes
    /// without them never touch that memory.
    #[inline(never)]
    fn walk<const TURNED: bool, const LOOK_AHEAD: bool>(
        &self,
        columns: &Columns<'_, S, U>,
        first: usize,
        from: usize,
        seen: &mut PassColumns<'_, S, T>,
        held: &Held<'_, S>,
        sums: &mut Sums,
    ) -> usize {
        // Slices of one length, so that indices need no further checks.
        let flags = &mut seen.flags[from..];
        let count = flags.len();
        let range = first + from..first + from + count;
        let (records, balls) = (&mut seen.records[from..][..count], &mut seen.balls[from..][..count]);
        let (positions, rotations) =
            (&columns.positions()[range.clone()], &self.bodies.rotation_column()[range.clone()]);
        let (seen_rotations, held_rotations) = (&mut seen.rotations[from..][..count], &held.rotation[range.clone()]);
        let velocities = &self.bodies.velocities()[range.clone()];
        let seen_velocities = &mut seen.velocities[from..][..count];
        let (held_positions, rooms, doublings) =
            (&held.position[range.clone()], &held.room[range.clone()], &held.doublings[range]);
        let (mut to_make, mut makes) = ([0_u32; MADE], 0);
        let filters = columns.filters();
        // Copied, to be in registers as far as possible.
        let Sums { mut census, mut longest, mut growth } = *sums;
        let mut i = 0;
        while i < count {
            // One cache line each, and two of ten columns: too many for the processor to predict by itself.
            prefetch_in_turn(records, i);
            prefetch_in_turn(balls, i);
            let (flag, record) = (flags[i], &mut records[i]);
            let (before, now) = (record.position, positions[i]);
            let turned_too = TURNED && !same_bits(rotations[i].as_ref(), seen_rotations[i].as_ref());
            let rests = !turned_too
                && same_bits(before.as_ref(), now.as_ref())
                && (!LOOK_AHEAD || same_bits(velocities[i].as_ref(), seen_velocities[i].as_ref()));
            if rests && flag & (Flags::LIVE | Flags::FRESH | Flags::FAULTY | Flags::WRAPPED) == Flags::LIVE {
                flags[i] = flag | Flags::STILL;
                census.still += 1;
                census.resting += usize::from(!filters.is_fixed((first + from + i) as u32));
                census.renew += usize::from(flag.contains(Flags::RENEW));
                i += 1;
                continue;
            }
            // Here, not by a look at each: after a burst there may be a hundred free slots for each body.
            if !flag.is_live() && self.bodies.is_sound(first + from + i, Checked::ALL) {
                i += 1;
                continue;
            }
            let sound = is_small::<S>(&now)
                && (!LOOK_AHEAD || is_small::<S>(&velocities[i]))
                && (!turned_too || self.bodies.is_sound(first + from + i, Checked { rotation: true, velocity: false }));
            if flag - Flags::STILL != Flags::LIVE || !sound {
                break;
            }
            let mut ahead = 0.0;
            if LOOK_AHEAD {
                seen_velocities[i] = velocities[i];
                ahead = reach_ahead::<S>(&velocities[i], self.look_ahead);
            }
            record.position = now;
            let radius = balls[i].radius.get();
            balls[i] = about(record, &held.origin, ahead, doublings[i]);
            let slow = slowness(doublings[i]);
            let step = squared_distance(before.as_ref(), now.as_ref()) * (slow * slow);
            let mut way = 0.0;
            if turned_too {
                if !record.is_point() {
                    way = step.sqrt() + slow * turn_of(record, &seen_rotations[i], &rotations[i]);
                    to_make[makes] = i as u32;
                    makes += 1;
                }
                seen_rotations[i] = rotations[i];
            }
            let at = (&held_positions[i], &held_rotations[i]);
            let room_use = RoomUse::of::<S, T, TURNED>(at, rooms[i], (&now, record), &rotations[i], ahead, held.round);
            if room_use.is_out() {
                flags[i] = Flags::LIVE | Flags::RENEW;
                census.renew += 1;
                census.strays += usize::from(room_use.has_not_jumped());
            } else {
                flags[i] = Flags::LIVE;
                let grown = balls[i].radius.get() - radius;
                longest = if step > longest { step } else { longest };
                census.way = if way > census.way { way } else { census.way };
                growth = if grown > growth { grown } else { growth };
            }
            if makes == MADE {
                self.make(columns, first + from, &to_make, records);
                makes = 0;
            }
            i += 1;
        }
        self.make(columns, first + from, &to_make[..makes], records);
        *sums = Sums { census, longest, growth };
        i
    }

    /// Makes the records of the bodies `first + i`, for each `i` in `some`; `records` begins with that of body `first`.
    fn make(&self, columns: &Columns<'_, S, U>, first: usize, some: &[u32], records: &mut [Record<S, T>]) {
        if some.is_empty() {
            return;
        }
        let (mut bodies, mut made) = ([0; MADE], [Record::default(); MADE]);
        let (bodies, made) = (&mut bodies[..some.len()], &mut made[..some.len()]);
        for (body, &i) in bodies.iter_mut().zip(some) {
            *body = first as u32 + i;
        }
        make_records(self.templates, columns, bodies, made);
        for (&i, &made) in some.iter().zip(&*made) {
            records[i as usize] = made;
        }
    }

    /// Finds out what is new about body `first + i`, which is neither still nor walks, or whose slot is free.
    #[inline(never)]
    fn look_closely(
        &self,
        columns: &Columns<'_, S, U>,
        first: usize,
        i: usize,
        seen: &mut PassColumns<'_, S, T>,
        held: &Held<'_, S>,
        census: &mut Census,
    ) {
        let (body, mut flag) = (first + i, seen.flags[i]);
        if !flag.is_live() {
            census.broken_vacant += usize::from(!self.bodies.is_sound(body, Checked::ALL));
            return;
        }
        let turned = !matches!(columns.rotations(), Rotations::Identity);
        let (position, rotation) = (columns.positions()[body], self.bodies.rotation_column()[body]);
        let (record, velocity) = (&mut seen.records[i], self.bodies.velocities()[body]);
        let fresh = flag.contains(Flags::FRESH);
        let same_rotation = !turned || same_bits(rotation.as_ref(), seen.rotations[i].as_ref());
        flag -= Flags::STILL;
        if !self.bodies.is_sound(body, Checked { rotation: turned, velocity: self.look_ahead > 0.0 }) {
            // Invalid numbers are not kept: a body that is mended is treated as a new one.
            seen.flags[i] = flag | Flags::FAULTY | Flags::RENEW;
            seen.balls[i] = NOTHING;
            census.faulty += 1;
            return;
        }
        // A body that was only brought back into the cell has not moved: `unwrap` has shifted its record's position.
        let stays = same_rotation
            && same_bits(record.position.as_ref(), position.as_ref())
            && (self.look_ahead == 0.0 || same_bits(velocity.as_ref(), seen.velocities[i].as_ref()));
        let mut way = squared_distance(record.position.as_ref(), position.as_ref()).sqrt();
        if fresh || !same_rotation {
            way += turn_of(record, &seen.rotations[i], &rotation);
            *record = self.templates.record(columns, body);
            seen.rotations[i] = rotation;
        } else {
            record.position = position;
        }
        let mut ahead = 0.0;
        if self.look_ahead > 0.0 {
            seen.velocities[i] = velocity;
            ahead = reach_ahead::<S>(&velocity, self.look_ahead);
        }
        let radius = seen.balls[i].radius.get();
        seen.balls[i] = about(record, &held.origin, ahead, held.doublings[body]);
        let grown = f64::from(seen.balls[i].radius.get() - radius).max(0.0);
        // A body that was put to sleep since the last frame has been looked at (`Pipeline::wake_restless`), unless it
        // has been left out since then: its numbers are other ones now.
        let moved = if fresh { flag.contains(Flags::FAULTY) } else { !stays };
        if flag.contains(Flags::ASLEEP) && moved {
            flag = (flag - Flags::ASLEEP) | Flags::WOKEN;
            census.woken += 1;
        }
        flag -= Flags::FRESH | Flags::FAULTY | Flags::WRAPPED;
        if !flag.contains(Flags::RENEW) {
            let at = (&held.position[body], &held.rotation[body]);
            let room_use =
                RoomUse::of::<S, T, true>(at, held.room[body], (&position, record), &rotation, ahead, held.round);
            if room_use.is_out() {
                flag |= Flags::RENEW;
                census.strays += usize::from(room_use.has_not_jumped());
            } else {
                census.way = census.way.max(slowness(held.doublings[body]) * (way + grown));
            }
        }
        census.renew += usize::from(flag.contains(Flags::RENEW));
        seen.flags[i] = flag;
    }
}
