//! Where the bounding balls of moving pairs meet: [passages](Passage).
//!
//! In closed form, in `f64`, for B as seen from A. From here on every length is of the order of the two bodies and the
//! target, whatever the speed, the duration and the way between them. Numbers are taken relative to the largest of
//! them, so that neither velocities of 1e15 nor denormal ones leave the range of squares.
//!
//! Balls are their own bounding balls: where these meet is the impact itself, and nothing is left to be advanced.
//! (Balls that begin as near as asked, or nearly so, go the way of all others.)

use jostle_lanes::{Kernel, Lanes, Vec3, Vector, dispatch, prefetch_far, prefetch_far_at, prefetch_in_turn};
use jostle_shape::{BodySet, Core, MAX_WIDTH};

use super::passage::Passage;
use super::row::{Cast, CastStatus, Motion};
use crate::kernels::Dimension;
use crate::record::reach_of;
use crate::records::Source;

/// The balls are made larger by this share of themselves, and of the way, so that bodies are apart when they enter.
const BALL_ROOM: [f64; 2] = [1e-6, 1e-12];
/// Where balls are all there is, they are larger by this, so that no impact is late for rounding: what is found is off
/// by half of it at most (484,000 random pairs against exact fractions).
const HARDLY: [f64; 2] = [4.0 * f64::EPSILON, 8.0 * f64::EPSILON];
/// Share of the way that counts as the pair's magnitude: what rounding does to positions that far apart is then counted
/// among what it does to the pair.
const WAY: f64 = 1e-3;

/// Numbers of a pair, as lanes read and write them.
type EightNumbers = [f64; 8];

/// What the passages of a batch of pairs are found from, and the passages found: kept from one batch to the next.
#[derive(Debug, Default)]
pub struct Crossings {
    /// Where B is, seen from A, and its velocity (three numbers each), both reaches and the target together, one if
    /// both are balls.
    seen: Vec<EightNumbers>,
    /// Three numbers of B's direction, how far it has come when it enters ([`NEVER`] if it does not), how far it goes
    /// from there, the seconds of both, what is added to the pair's magnitude. Of an [`IMPACT`]: three numbers of its
    /// normal, that, nothing, its time.
    entered: Vec<EightNumbers>,
}

/// How far B has come if the balls do not meet.
const NEVER: f64 = -1.0;
/// The same if they meet, and are all there is.
const IMPACT: f64 = -2.0;

/// How many pairs ahead the memory of bodies is asked for.
const CROSSINGS_AHEAD: usize = 24;

impl Crossings {
    /// Answers pairs whose balls do not meet, and balls that do; `each` is told the place of every other pair, in
    /// order, where its balls do, and whether they are all there is: then the two begin as near as asked, or nearly so.
    /// What it answers is the pair's row.
    pub fn find<S: Dimension>(
        &mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, f64>,
        pairs: &[[u32; 2]],
        motion: Motion,
        rows: &mut [Cast<S>],
        mut each: impl FnMut(usize, Passage<S>, bool) -> Option<Cast<S>>,
    ) {
        let Self { seen, entered } = self;
        seen.clear();
        for (place, &pair) in pairs.iter().enumerate() {
            if let Some(ahead) = pairs.get(place + CROSSINGS_AHEAD) {
                for &body in ahead {
                    source.prefetch_body(bodies, body as usize);
                    bodies.prefetch_velocity(body as usize);
                }
            }
            if let Some(soon) = pairs.get(place + CROSSINGS_AHEAD / 2) {
                for &body in soon {
                    source.prefetch_shape(bodies, body as usize);
                }
            }
            seen.push(see(bodies, source, pair, motion));
        }
        // Whole registers: what is beyond the pairs stands still.
        seen.resize(pairs.len().next_multiple_of(MAX_WIDTH), [0.0; 8]);
        entered.resize(seen.len(), [0.0; 8]);
        dispatch(Enter { motion, seen, entered });
        for (place, &pair) in pairs.iter().enumerate() {
            prefetch_in_turn(rows, place);
            let answer = match crossing(bodies, source, pair, motion, &seen[place], &entered[place]) {
                Crossing::Answer(answer) => Some(answer),
                Crossing::Passage(passage, balls) => each(place, passage, balls),
            };
            if let Some(answer) = answer {
                rows[place] = answer;
            }
        }
    }
}

/// What becomes of the balls about a pair.
#[derive(Clone, Copy, Debug)]
pub enum Crossing<S: Dimension> {
    /// There is no more to know.
    Answer(Cast<S>),
    /// They meet, and may be all there is.
    Passage(Passage<S>, bool),
}

impl<S: Dimension> Crossing<S> {
    /// Of one pair: what [`Crossings::find`] finds, bit for bit.
    pub fn of(bodies: &impl BodySet<S>, source: Source<'_, S, f64>, pair: [u32; 2], motion: Motion) -> Self {
        let seen = see(bodies, source, pair, motion);
        if passes_by(&seen) {
            return Self::Answer(Cast::without_contact(pair, CastStatus::Miss, motion.duration));
        }
        crossing(bodies, source, pair, motion, &seen, &enter::<f64>(motion, seen))
    }
}

/// Room for rounding, where squares tell that balls do not meet: a share of their own, and of how far they are apart.
const CLEARLY: [f64; 2] = [1e-3, 1e-9];

/// True where the line on which B moves is clearly farther from A than both balls reach. (Most of the bodies whose
/// boxes a ray meets are so; not to divide takes a tenth of the time. What overflows or vanishes is not clear.)
fn passes_by(seen: &EightNumbers) -> bool {
    let [x, y, z, vx, vy, vz, reach, _] = *seen;
    let (apart, speed) = (x * x + y * y + z * z, vx * vx + vy * vy + vz * vz);
    let along = x * vx + y * vy + z * vz;
    apart * speed - along * along > speed * (reach * reach * (1.0 + CLEARLY[0]) + apart * CLEARLY[1])
}

/// What is seen of a pair.
fn see<S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f64>,
    pair: [u32; 2],
    motion: Motion,
) -> EightNumbers {
    let [a, b] = pair.map(|body| body as usize);
    let velocities = [bodies.velocity(a), bodies.velocity(b)];
    let [(from, reach_a, ball_a), (to, reach_b, ball_b)] = [source.ball(bodies, a), source.ball(bodies, b)];
    let mut row = [0.0; 8];
    for k in 0..S::DIMENSION {
        row[k] = to[k] - from[k];
        row[3 + k] = velocities[1][k] - velocities[0][k];
    }
    row[6] = reach_a + reach_b + motion.target;
    row[7] = f64::from(u8::from(ball_a & ball_b));
    row
}

/// What that comes to.
fn crossing<S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f64>,
    pair: [u32; 2],
    motion: Motion,
    seen: &EightNumbers,
    entered: &EightNumbers,
) -> Crossing<S> {
    let [_, _, _, start, length, from, lasting, margin] = *entered;
    if start >= 0.0 {
        let passage = Passage {
            shift: S::array(|k| entered[k] * start),
            sweep: S::array(|k| entered[k] * length),
            lengths: [start, length],
            times: [from, lasting],
            margin,
            size: seen[6],
            velocities: pair.map(|body| bodies.velocity(body as usize)),
        };
        return Crossing::Passage(passage, seen[7] > 0.0);
    }
    // The bounds of a custom shape may be none.
    if seen[6].is_nan() {
        return Crossing::Answer(Cast::without_contact(pair, CastStatus::Unconverged, 0.0));
    }
    let mut row = Cast::without_contact(pair, CastStatus::Miss, motion.duration);
    if start == IMPACT {
        let first = pair[0] as usize;
        let ((position, reach, _), velocity) = (source.ball(bodies, first), bodies.velocity(first));
        row.status = CastStatus::Hit;
        row.time = from;
        row.distance = motion.target;
        row.point = S::array(|k| position[k] + entered[k] * reach + velocity[k] * from);
        row.normal = S::array(|k| entered[k]);
    }
    Crossing::Answer(row)
}

/// Finds where passages begin and end.
struct Enter<'e> {
    motion: Motion,
    seen: &'e [EightNumbers],
    entered: &'e mut [EightNumbers],
}

impl Kernel<f64> for Enter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Self { motion, seen, entered } = self;
        for first in (0..seen.len()).step_by(L::WIDTH) {
            let columns = L::gather_rows(
                #[inline(always)]
                |lane| &seen[first + lane],
            );
            L::scatter_rows(&enter(motion, columns), &mut entered[first..]);
        }
    }
}

/// The largest of the numbers of a vector.
#[inline(always)]
fn largest<L: Lanes>(v: Vec3<L>) -> L {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}

/// From what is seen to what is [entered](Crossings).
#[inline(always)]
fn enter<L: Lanes>(motion: Motion, seen: [L; 8]) -> [L; 8] {
    let (zero, one) = (L::zero(), L::one());
    let [x, y, z, vx, vy, vz, reach, balls] = seen;
    let (between, velocity) = (Vec3 { x, y, z }, Vec3 { x: vx, y: vy, z: vz });
    let (far, fast) = (largest(between), largest(velocity));
    let roomy = reach * L::constant(1.0 + BALL_ROOM[0]) + far * L::constant(BALL_ROOM[1]);
    let unit = roomy.max(far);
    let (nothing, still) = (unit.eq(zero), fast.eq(zero));
    let unit = L::select(nothing, one, unit);
    let fast = L::select(still, one, fast);
    let between = Vec3 { x: x / unit, y: y / unit, z: z / unit };
    let roomy = roomy / unit;
    // Shares of the unit already: of points 1e-310 apart nothing would be left otherwise.
    let hardly = reach / unit * L::constant(1.0 + HARDLY[0]) + far / unit * L::constant(HARDLY[1]);
    let balls = balls.gt(zero) & between.length_squared().gt(roomy * roomy);
    let ball = L::select(balls, hardly, roomy);
    let way = Vec3 { x: vx / fast, y: vy / fast, z: vz / fast };
    let length = L::select(still, one, way.length_squared().sqrt());
    let way = way * (one / length);
    let ahead = -between.dot(way);
    let nearest = between + way * ahead;
    let squared = ball * ball - nearest.length_squared();
    let half = squared.sqrt();
    // As far as the time reaches; this may be infinite. (Not speed first: that of 5e-324 along a diagonal is rounded by
    // a third.)
    let duration = L::constant(motion.duration);
    let all = L::select(duration.eq(zero), zero, fast * duration * length);
    // What is NaN goes on, from the beginning to the end, and is found out there.
    let start = ((ahead - half) * unit).max(zero);
    let end = ((ahead + half) * unit).min(all);
    let never = squared.lt(zero) | start.gt(end) | (still & !squared.ge(zero));
    let stands = nothing | still;
    let long = end - start;
    let from = (start / length / fast).min(duration);
    let lasting = (long / length / fast).min(duration - from);
    let target = L::constant(motion.target);
    let margin = target + long + L::constant(WAY) * (far + start);
    let moving = [way.x, way.y, way.z, start, long, from, lasting, margin];
    let standing = [zero, zero, zero, zero, zero, zero, zero, reach];
    let mut entered = [zero; 8];
    for k in 0..8 {
        entered[k] = L::select(stands, standing[k], moving[k]);
    }
    let touch = nearest - way * half;
    let normal = touch * (one / touch.length_squared().sqrt());
    for k in 0..3 {
        entered[k] = L::select(balls, normal.get(k), entered[k]);
    }
    let met = L::select(balls, L::constant(IMPACT), entered[3]);
    entered[3] = L::select(never & !nothing, L::constant(NEVER), met);
    entered
}

impl<S: Dimension> Source<'_, S, f64> {
    /// Where a body is; no point of it is farther from there than this; true if that is all there is to know of it.
    #[inline(always)]
    fn ball(&self, bodies: &impl BodySet<S>, body: usize) -> (S::Array<f64>, f64, bool) {
        match self {
            Source::All(records) => {
                let record = &records[body];
                (record.position, record.reach, record.is_point())
            }
            Source::Templates(templates) => {
                let (templates, shape) = (templates.columns(0), bodies.shape_of(body));
                (bodies.position(body), templates.reach(shape), templates.is_point(shape))
            }
            Source::OnDemand => {
                let shape = bodies.shape_at(bodies.shape_of(body));
                (bodies.position(body), reach_of(shape), matches!(shape.core(), Core::Point))
            }
        }
    }
    /// Asks for the memory of what [`ball`](Self::ball) needs, as far as it is known where that lies.
    #[inline(always)]
    fn prefetch_body(&self, bodies: &impl BodySet<S>, body: usize) {
        match self {
            Source::All(records) => prefetch_far_at(records, body),
            Source::Templates(_) | Source::OnDemand => bodies.prefetch_without_rotation(body),
        }
    }
    /// The same once that is there which says where the rest is.
    #[inline(always)]
    fn prefetch_shape(&self, bodies: &impl BodySet<S>, body: usize) {
        match self {
            Source::All(_) => {}
            Source::Templates(templates) => {
                if !templates.at_hand() {
                    templates.columns(0).prefetch(bodies.shape_of(body));
                }
            }
            Source::OnDemand => prefetch_far(bodies.shape_at(bodies.shape_of(body))),
        }
    }
}
