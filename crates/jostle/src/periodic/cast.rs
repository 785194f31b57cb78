//! Casts where space repeats: which image of `b` is met first, and when.
//!
//! Only the motion of `b` relative to `a` matters: a straight way, and about it a tube in which an image's centre has
//! to be for its bounding ball to meet that of `a`. A fast body may cross many periods, but seldom without a hit, so
//! the way is followed piece by piece. Each image is cast once, in the piece in which its ball is entered, and no pair
//! is followed beyond the piece of the first impact, because what is entered later is hit later.

use jostle_narrowphase::{Cast, CastStatus, Dimension, Motion};
use jostle_shape::{Columns, CustomShape, Space};
use jostle_tasks as tasks;

use super::parted::{Parted, in_turn};
use super::reach::{centre, extent, only_image};
use crate::check;
use crate::error::CastError;
use crate::lattice::Lattice;
use crate::narrowphase::Narrowphase;
use crate::order::by_distance;
use crate::shifted::PairImage;
use crate::weight;

/// The most images and pieces of the way that are looked at for a pair.
const MOST_LOOKS: u64 = 1 << 22;
/// How many pairs are followed at once, and how many images are cast at once.
const TOGETHER: [usize; 2] = [1 << 16, 1 << 20];
/// After this many looks a pair is followed alone, many images at once: if it is refused in the end, the other pairs
/// have not been followed as far for nothing.
const FAR: u64 = 1 << 12;
/// How many images such a pair casts at once, at least, if there are as many on its way.
const ALONE: usize = 1 << 12;
/// Balls grow by these fractions of the bodies' lengths and of the way, so that no rounding hides an image.
const ROOM: [f64; 2] = [1e-6, 1e-12];
/// How many periods long a piece of the way is, besides the balls.
const PIECE_PERIODS: f64 = 4.0;
/// How many pairs ahead bodies are prefetched.
const PAIRS_AHEAD: usize = 16;
/// A direction's component of this length or less is taken to be zero: it is rounding.
const NOWHERE: f64 = 1e-15;

/// A cast of a pair in a scene that repeats: of `a`, and an image of `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShiftedCast<S: Space> {
    /// The row, as of [`cast`](crate::cast()) with `b` at its position plus the shift.
    pub row: Cast<S>,
    /// The image: the multiple of each lattice vector by which it is away from `b` itself. Zeros for a miss.
    pub image: [i32; 3],
    /// The same offset in metres: the image begins at `b`'s position plus this, and both bodies move on from there.
    /// Nothing is brought back into the cell.
    pub shift: S::Array<f64>,
}

/// Finds when each pair first comes as near as the target, whichever image of `b` it is: as [`cast`](crate::cast())
/// does, where space repeats, with velocities, duration and target as there.
///
/// There is one row for each pair, in the order given. If images are nearer than the target before anything moves, the
/// deepest of them is a *start*; otherwise the earliest impact of all images is the *hit*, however many periods are
/// crossed on the way. Of images equally near or early, it is the first in order. A row is *unconverged* if there is an
/// image for which it could not be found out whether it is met before all others. Images of one body move alike and
/// never meet each other.
///
/// ```
/// use jostle::{Bodies, Body, CastStatus, D2, Lattice, Motion, Shape, periodic_cast};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// bodies.push(Body::new(disc, [2.0, 0.0]).with_velocity([-1.0, 0.0]))?; // leaves on the left, comes back on the right
/// bodies.push(Body::new(disc, [6.0, 0.0]))?;
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let [cast] = periodic_cast(&bodies.columns(), &ring, &[[0, 1]], Motion::lasting(9.0))?[..] else { unreachable!() };
/// assert_eq!((cast.row.status, cast.image, cast.shift), (CastStatus::Hit, [-1, 0, 0], [-10.0, 0.0]));
/// assert!((cast.row.time - 5.0).abs() < 1e-9 && cast.row.normal == [-1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`cast`](crate::cast()); if a body comes more than 2^29 cells away from the other or farther than 1e15 from the
/// origin; or if more than 4,194,304 images or pieces of the way (four periods long or more) have to be looked at for a
/// pair, because the bodies are far longer than the period or cross too many of them without meeting (unless it is
/// plain that they cannot meet).
pub fn periodic_cast<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pairs: &[[u32; 2]],
    motion: Motion,
) -> Result<Vec<ShiftedCast<S>>, CastError> {
    tasks::run(weight::of_casts(bodies, pairs.len()), || {
        check::motion(motion)?;
        check::pairs(bodies, pairs)?;
        let miss = |&[a, b]: &[u32; 2]| Cast { a, b, time: motion.duration, ..Cast::default() };
        let mut found: Vec<ShiftedCast<S>> =
            pairs.iter().map(|pair| ShiftedCast { row: miss(pair), ..ShiftedCast::default() }).collect();
        let plane = Span::of(lattice);
        let mut images = CastImages::default();
        for first in (0..pairs.len()).step_by(TOGETHER[0]) {
            let mut open: Vec<CastWalk<S>> = Vec::new();
            for pair in first..pairs.len().min(first + TOGETHER[0]) {
                for &body in pairs.get(pair + PAIRS_AHEAD).into_iter().flatten() {
                    bodies.prefetch_with_rotation(body as usize);
                    bodies.prefetch_velocity(body as usize);
                }
                match only_one_met(bodies, lattice, pairs[pair], motion) {
                    Some(image) => images.push(pair, (pairs[pair], image)),
                    None => open.extend(CastWalk::begin(bodies, lattice, &plane, pairs, pair, motion)),
                }
            }
            images.ask(bodies, lattice, motion, &mut found)?;
            while !open.is_empty() {
                let far = open.iter().position(|walk| walk.looks > FAR);
                let (mut next, last) = far.map_or((0, open.len()), |walk| (walk, walk + 1));
                while next < last {
                    while next < last && images.asked.len() < TOGETHER[1] {
                        let CastWalk { pair, bodies, .. } = open[next];
                        open[next].go_on(lattice, |image| images.push(pair, (bodies, image)))?;
                        let goes_on = far.is_some() && images.asked.len() < ALONE && open[next].at < open[next].end;
                        next += usize::from(!goes_on);
                    }
                    images.ask(bodies, lattice, motion, &mut found)?;
                }
                open.retain(|walk| !walk.is_over(&found[walk.pair].row));
            }
        }
        for row in &mut found {
            if row.row.status == CastStatus::Miss {
                (row.image, row.shift) = ([0; 3], S::array(|_| 0.0));
            }
        }
        Ok(found)
    })
}

/// The image of the second body that a pair may meet, if its way is so short that it can meet no other: true of most
/// pairs, whose way and bodies are shorter than half a period.
fn only_one_met<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
    motion: Motion,
) -> Option<[i32; 3]> {
    let [a, b] = pair.map(|body| body as usize);
    let (va, vb) = (bodies.velocity(a), bodies.velocity(b));
    // A sum of components, no less than the speed however slow that is: squares may vanish.
    let speed: f64 = (0..S::DIMENSION).map(|k| (vb[k] - va[k]).abs()).sum();
    let [a, b] = [a, b].map(|body| bodies.shape(body));
    let reach = a.reach() + b.reach() + motion.target;
    let reach = reach + ROOM[0] * (extent(a) + extent(b) + motion.target);
    only_image(bodies, lattice, pair, reach + speed * motion.duration)
}

impl<S: Space> ShiftedCast<S> {
    /// Which cast comes first: the deepest start, then the earliest time that a hit or an unconverged row names, a hit
    /// before an unconverged one, and last the images' order.
    fn before(&self, other: &Self) -> bool {
        let rank = |cast: &Self| match cast.row.status {
            CastStatus::Start => (0, cast.row.distance, 0),
            CastStatus::Hit => (1, cast.row.time, 0),
            CastStatus::Unconverged => (1, cast.row.time, 1),
            CastStatus::Miss => (2, 0.0, 0),
        };
        let (mine, others) = (rank(self), rank(other));
        let order = mine.0.cmp(&others.0).then(by_distance(mine.1, others.1)).then(mine.2.cmp(&others.2));
        order.then(self.image.cmp(&other.image)).is_lt()
    }
}

/// Images to be cast. Keeps its memory.
#[derive(Default)]
struct CastImages<S: Dimension> {
    asked: Vec<PairImage>,
    /// The pair of the list that each image is of, by its place.
    whose: Vec<usize>,
    parted: Parted<S>,
    /// Of bodies at their own positions, and of pairs with an image.
    rows: [Vec<Cast<S>>; 2],
    narrowphase: Narrowphase<S>,
}

impl<S: Dimension> CastImages<S> {
    /// Adds an image.
    fn push(&mut self, whose: usize, asked: PairImage) {
        self.asked.push(asked);
        self.whose.push(whose);
    }
    /// Casts all images, and replaces what was `found` for a pair by a cast that comes before it.
    fn ask<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        motion: Motion,
        found: &mut [ShiftedCast<S>],
    ) -> Result<(), CastError> {
        let Self { asked, whose, parted, rows: [here, elsewhere], narrowphase } = self;
        parted.set(bodies, lattice, asked, |&(_, image)| image);
        narrowphase.cast(bodies, parted.here(), motion, here)?;
        let others = asked.iter().filter(|&&(_, image)| image != [0; 3]);
        let velocity: Vec<S::Array<f64>> =
            others.flat_map(|(pair, _)| pair.map(|body| bodies.velocity(body as usize))).collect();
        let (together, pairs) = parted.elsewhere(bodies);
        narrowphase.cast(&together.with_velocities(&velocity)?, pairs, motion, elsewhere)?;
        for row in &mut *elsewhere {
            *row = parted.cast(row);
        }
        for ((&row, &(_, image)), &pair) in in_turn(asked, here, elsewhere).zip(&*asked).zip(&*whose) {
            let row = ShiftedCast { row, image, shift: lattice.shift(image) };
            if row.before(&found[pair]) {
                found[pair] = row;
            }
        }
        asked.clear();
        whose.clear();
        Ok(())
    }
}

/// A pair that is followed on its way.
struct CastWalk<S: Space> {
    /// Its place in the list, and its bodies.
    pair: usize,
    bodies: [u32; 2],
    /// From the centre of `a` to that of `b`, and the direction in which `b` moves relative to `a`; zero if it does
    /// not.
    apart: S::Array<f64>,
    way: S::Array<f64>,
    /// The radius of the tube.
    ball: f64,
    /// Metres of the way: where the piece that was looked at last ends, where the whole way ends, and the length of a
    /// piece.
    at: f64,
    end: f64,
    piece: f64,
    /// Metres a second, as two factors, whose product may be out of range.
    speed: [f64; 2],
    looks: u64,
}

impl<S: Dimension> CastWalk<S> {
    /// Sets out, if any image may be met.
    fn begin<U: CustomShape<S>>(
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        span: &Span<S>,
        pairs: &[[u32; 2]],
        pair: usize,
        motion: Motion,
    ) -> Option<Self> {
        let [a, b] = pairs[pair].map(|body| body as usize);
        let ([from, to], [va, vb]) =
            ([a, b].map(|body| centre(bodies, body)), [a, b].map(|body| bodies.velocity(body)));
        let apart: S::Array<f64> = S::array(|k| to[k] - from[k]);
        let velocity: S::Array<f64> = S::array(|k| vb[k] - va[k]);
        let (far, fast) = (largest::<S>(&apart), largest::<S>(&velocity));
        // Relative to the largest component: velocities may be denormal, and their squares zero.
        let relative: S::Array<f64> = S::array(|k| if fast > 0.0 { velocity[k] / fast } else { 0.0 });
        let norm = dot::<S>(&relative, &relative).sqrt();
        let way: S::Array<f64> = S::array(|k| if fast > 0.0 { relative[k] / norm } else { 0.0 });
        // The speed is not computed first: that of 5e-324 along a diagonal is rounded by a third.
        let length = fast * motion.duration * norm;

        let [shape_a, shape_b] = [a, b].map(|body| bodies.shape(body));
        let reach = shape_a.reach() + shape_b.reach() + motion.target;
        let reach = reach + ROOM[0] * (extent(shape_a) + extent(shape_b) + motion.target);
        let own = (0..S::DIMENSION).filter(|&k| lattice.length(k) > 0.0 && way[k] != 0.0);
        let period = own.map(|k| lattice.length(k) / way[k].abs()).fold(f64::INFINITY, f64::min);
        let piece = reach + PIECE_PERIODS * period;
        // In directions in which nothing repeats, the way passes by `a` only once.
        let passage = |ball: f64| {
            let all = [f64::NEG_INFINITY, f64::INFINITY];
            let across = || stretch::<S>(&span.beside(&apart), &span.beside(&way), ball);
            let [enter, leave] = if span.is_whole() { all } else { across()? };
            let (at, end) = (enter.max(0.0), leave.min(length));
            (at <= end).then_some([at, end])
        };
        let ball = reach + ROOM[1] * far;
        // No farther than the way may be followed.
        let farthest = passage(ball)?[1].min(MOST_LOOKS as f64 * piece);
        let ball = ball + ROOM[1] * farthest;
        let [at, end] = passage(ball)?;
        let bodies = pairs[pair];
        Some(Self { pair, bodies, apart, way, ball, at, end, piece, speed: [norm, fast], looks: 0 })
    }

    /// Goes on by a piece, and calls `found` with the images whose balls are entered there.
    fn go_on(&mut self, lattice: &Lattice<S>, mut found: impl FnMut([i32; 3])) -> Result<(), CastError> {
        let [_, body] = self.bodies;
        let too_many = || CastError::TooManyImages { pair: self.bodies, limit: MOST_LOOKS };
        let (first, start, stop) = (self.looks == 0, self.at, (self.at + self.piece).min(self.end));
        let last = stop >= self.end;
        // A way without an end, or pieces too short for so long a way.
        if !(stop.is_finite() && (last || stop > start) && self.looks < MOST_LOOKS) {
            return Err(too_many());
        }
        let place = |s: f64| -> S::Array<f64> { S::array(|k| self.apart[k] + self.way[k] * s) };
        let [from, to] = [place(start), place(stop)];
        for place in [&from, &to] {
            lattice.cell_of(*place).map_err(|axis| CastError::FarOutside { body, axis })?;
        }
        let lowest = S::array(|k| -from[k].max(to[k]) - self.ball);
        let highest = S::array(|k| self.ball - from[k].min(to[k]));
        let mut looks = self.looks + 1;
        lattice.each_image(&lowest, &highest, &mut |image| {
            looks += 1;
            if looks > MOST_LOOKS {
                return Err(too_many());
            }
            let shift = lattice.shift(image);
            let apart = S::array(|k| self.apart[k] + shift[k]);
            if let Some([enter, leave]) = stretch::<S>(&apart, &self.way, self.ball) {
                let enter = enter.max(0.0);
                // Once, though its ball may be in several pieces.
                if leave >= 0.0 && (first || enter >= start) && (enter < stop || last && enter <= stop) {
                    found(image);
                }
            }
            Ok(())
        })?;
        (self.looks, self.at) = (looks, stop);
        Ok(())
    }

    /// Whether no image that was not cast yet can be met before what was found.
    fn is_over(&self, found: &Cast<S>) -> bool {
        let [norm, fast] = self.speed;
        self.at >= self.end
            || match found.status {
                CastStatus::Start => true,
                CastStatus::Hit | CastStatus::Unconverged => found.time <= self.at / norm / fast,
                CastStatus::Miss => false,
            }
    }
}

/// The directions in which a lattice repeats, orthogonal to each other and of length 1.
struct Span<S: Space>(Vec<S::Array<f64>>);

impl<S: Space> Span<S> {
    fn of(lattice: &Lattice<S>) -> Self {
        let mut span = Self(Vec::new());
        for axis in 0..S::DIMENSION {
            if lattice.length(axis) > 0.0 {
                let mut image = [0; 3];
                image[axis] = 1;
                // No vector is a sum of those before it, which have no part along its own axis. Along that axis it is 1
                // here.
                let vector = lattice.shift(image);
                let rest = span.beside(&S::array(|k| vector[k] / lattice.length(axis)));
                let length = dot::<S>(&rest, &rest).sqrt();
                span.0.push(S::array(|k| rest[k] / length));
            }
        }
        span
    }
    /// True if space repeats in all directions.
    fn is_whole(&self) -> bool {
        self.0.len() == S::DIMENSION
    }
    /// The part of a vector that is orthogonal to all of them.
    fn beside(&self, vector: &S::Array<f64>) -> S::Array<f64> {
        let mut rest = *vector;
        for direction in &self.0 {
            let along = dot::<S>(&rest, direction);
            rest = S::array(|k| rest[k] - along * direction[k]);
        }
        rest
    }
}

/// The stretch of the line `apart + way * s`, as two values of `s`, on which its length is at most `ball`.
fn stretch<S: Space>(apart: &S::Array<f64>, way: &S::Array<f64>, ball: f64) -> Option<[f64; 2]> {
    // Relative to the largest number, so that squares stay in range.
    let unit = largest::<S>(apart).max(ball);
    let apart: S::Array<f64> = S::array(|k| if unit > 0.0 { apart[k] / unit } else { 0.0 });
    let ball = if unit > 0.0 { ball / unit } else { 0.0 };
    let speed = dot::<S>(way, way).sqrt();
    if speed <= NOWHERE {
        return (dot::<S>(&apart, &apart) <= ball * ball).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let way: S::Array<f64> = S::array(|k| way[k] / speed);
    let ahead = -dot::<S>(&apart, &way);
    let beside: S::Array<f64> = S::array(|k| apart[k] + way[k] * ahead);
    let squared = ball * ball - dot::<S>(&beside, &beside);
    (squared >= 0.0).then(|| [ahead - squared.sqrt(), ahead + squared.sqrt()].map(|s| s * unit / speed))
}

fn dot<S: Space>(a: &S::Array<f64>, b: &S::Array<f64>) -> f64 {
    (0..S::DIMENSION).map(|k| a[k] * b[k]).sum()
}

fn largest<S: Space>(v: &S::Array<f64>) -> f64 {
    v.as_ref().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}
