//! Random moving pairs, and casts checked against bisection on the distance in `f64`.

use jostle::{
    Bodies, Body, Cast, CastStatus, Columns, Motion, Proximity, Rotations, Shape, Side, cast_into, distance_into,
    within_into,
};
use jostle_verify::{Row, Tolerance, verify_row};

use crate::place::{Ground, V, along};
use crate::{Condition, Kind, Random, dot, draw_pair, draw_pool, length, unit};

/// Moving bodies, each in one pair.
pub struct Moves<S: Ground> {
    shapes: Vec<Shape<S>>,
    shape: Vec<u32>,
    rotation: Vec<S::Rotation<f64>>,
    position: Vec<S::Array<f64>>,
    velocity: Vec<S::Array<f64>>,
    /// The pairs.
    pub pairs: Vec<[u32; 2]>,
    /// The kinds of their shapes.
    pub kinds: Vec<[Kind; 2]>,
    /// How long they move, and at which distance they meet.
    pub motion: Motion,
}

/// What is wrong with casts, and how exact the others are.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// The number of each status: miss, hit, start, unconverged.
    pub count: [usize; 4],
    /// The largest difference between the distance at the time of a hit and the target, as a share of the pair's size.
    pub worst: f64,
    /// The farthest that B moves between the time of a hit and that found by bisection, among hits that do not graze,
    /// as a share of the pair's size.
    pub astray: f64,
    /// What is wrong, by the pair's place.
    pub failures: Vec<(usize, String)>,
}

/// By how much a distance at a time of impact may be wrong, as a share of the pair's size.
const TOLERANCE: f64 = 4e-9;

/// Moves of pairs of these kinds: towards each other, past each other, apart, along each other, not at all; over
/// distances of 1e-3 to 1e4 sizes.
///
/// # Panics
/// If what it draws is no valid shape or body, which would be a mistake of its own.
pub fn draw_moves<S: Ground>(kinds: &[Kind], count: usize, random: &mut Random) -> Moves<S> {
    let size = random.log(1e-3, 1e3);
    let pool = draw_pool::<S>(kinds, 64, size, random);
    let target = if random.chance(0.6) { 0.0 } else { size * random.log(1e-3, 1.0) };
    let duration = random.log(1e-3, 1e3);
    let mut moves = Moves {
        shapes: pool.iter().map(|(_, _, spec)| spec.shape().expect("drawn shapes are valid")).collect(),
        shape: Vec::new(),
        rotation: Vec::new(),
        position: Vec::new(),
        velocity: Vec::new(),
        pairs: Vec::new(),
        kinds: Vec::new(),
        motion: Motion::lasting(duration).to_within(target),
    };
    for _ in 0..count {
        let drawn = draw_pair(&pool, random.pick(&Condition::ALL), 10.0 * size, random);
        let [a, b] = drawn.positions;
        let larger = pool[drawn.shapes[0]].1.max(pool[drawn.shapes[1]].1);
        let between: V = core::array::from_fn(|k| b[k] - a[k]);
        // The time at which the bodies are at the drawn poses: the start, the end, in between, or a little later.
        let when = match random.below(6) {
            0 => 0.0,
            1 => duration,
            _ => duration * random.range(0.05, 1.3),
        };
        let way = larger * random.log(1e-3, 1e4);
        let towards = match random.below(8) {
            0..=3 => unit(between).unwrap_or([0.0, 1.0, 0.0]).map(|x| -x),
            4 => S::axis_direction(random),
            _ => S::direction(random),
        };
        let bent = along(towards, random.pick(&[0.0, 0.0, 0.1, 1.0]), S::direction(random));
        let direction = unit(bent).unwrap_or(towards).map(|x| x * if random.chance(0.1) { -1.0 } else { 1.0 });
        let speed = match random.below(40) {
            0 => 0.0,
            1 => 1e-310,
            2 => larger / duration * 1e-12,
            _ => way / if when > 0.0 { when } else { duration },
        };
        let velocity = direction.map(|x| x * speed);
        let common =
            S::direction(random).map(|x| x * speed.max(larger / duration) * random.pick(&[0.0, 0.1, 1.0, 10.0]));
        let start = along(b, -when, velocity);
        let mut push = |side: usize, position: V, velocity: V| {
            moves.shape.push(drawn.shapes[side] as u32);
            moves.rotation.push(drawn.rotations[side]);
            moves.position.push(S::narrow(position));
            moves.velocity.push(S::narrow(velocity));
            moves.shape.len() as u32 - 1
        };
        let pair = [push(0, a, common), push(1, start, along(common, 1.0, velocity))];
        moves.pairs.push(if random.chance(0.5) { pair } else { [pair[1], pair[0]] });
        let mut of = drawn.shapes.map(|shape| pool[shape].0);
        of.sort();
        moves.kinds.push(of);
    }
    moves
}

impl<S: Ground> Moves<S> {
    /// The moves of given bodies, each of which is in one pair at most.
    pub fn of(bodies: &Bodies<S>, pairs: Vec<[u32; 2]>, motion: Motion) -> Self {
        let each: Vec<Body<S>> = (0..bodies.len()).map(|body| bodies.get(body)).collect();
        Self {
            shapes: bodies.shapes().to_vec(),
            shape: each.iter().map(|body| body.shape).collect(),
            rotation: each.iter().map(|body| body.rotation).collect(),
            position: each.iter().map(|body| body.position).collect(),
            velocity: each.iter().map(|body| body.velocity).collect(),
            pairs,
            kinds: Vec::new(),
            motion,
        }
    }

    /// The bodies before they move.
    ///
    /// # Panics
    /// If a body is refused, which is a mistake here.
    pub fn columns(&self) -> Columns<'_, S> {
        let columns = Columns::new(&self.shapes, &self.shape, &self.position, Rotations::Double(&self.rotation));
        columns.and_then(|columns| columns.with_velocities(&self.velocity)).expect("drawn bodies are valid")
    }
    /// The library's casts.
    ///
    /// # Panics
    /// If it refuses, which is a mistake here.
    pub fn cast(&self) -> Vec<Cast<S>> {
        let mut rows = Vec::new();
        cast_into(&self.columns(), &self.pairs, self.motion, &mut rows).expect("good moves");
        rows
    }

    /// The positions of the bodies when each pair is at its own time.
    fn positions(&self, times: &[f64]) -> Vec<S::Array<f64>> {
        let mut moved = self.position.clone();
        for (pair, &time) in self.pairs.iter().zip(times) {
            for &body in pair {
                let (p, v) = (self.position[body as usize], self.velocity[body as usize]);
                moved[body as usize] = S::array(|k| p[k] + v[k] * time);
            }
        }
        moved
    }
    fn ask<R>(&self, times: &[f64], question: impl FnOnce(&Columns<'_, S>) -> R) -> R {
        let moved = self.positions(times);
        let columns = Columns::new(&self.shapes, &self.shape, &moved, Rotations::Double(&self.rotation));
        question(&columns.expect("moved bodies are valid"))
    }
    fn distances(&self, times: &[f64]) -> Vec<Proximity<S, f64>> {
        let mut rows = Vec::new();
        self.ask(times, |columns| distance_into(columns, &self.pairs, &mut rows)).expect("good pairs");
        rows
    }
    fn sides(&self, times: &[f64]) -> Vec<Side> {
        let mut sides = Vec::new();
        let ask =
            |columns: &Columns<'_, S>| within_into::<f64, _, _>(columns, &self.pairs, self.motion.target, &mut sides);
        self.ask(times, ask).expect("good pairs");
        sides
    }
    fn distance_at(&self, index: usize, time: f64) -> Proximity<S, f64> {
        let times: Vec<f64> = (0..self.pairs.len()).map(|i| if i == index { time } else { 0.0 }).collect();
        let pair = core::slice::from_ref(&self.pairs[index]);
        self.ask(&times, |columns| jostle::distance(columns, pair)).expect("a good pair")[0]
    }

    /// B's velocity as seen from A.
    pub fn relative(&self, index: usize) -> V {
        let [a, b] = self.pairs[index].map(|body| S::wide(self.velocity[body as usize]));
        core::array::from_fn(|k| b[k] - a[k])
    }
    /// The size that tolerances are a share of: that of both bodies, the target, a part of the distance, and the
    /// rounding of `f64` positions.
    pub fn size(&self, index: usize) -> f64 {
        let [a, b] = self.pairs[index].map(|body| body as usize);
        let beside = |body: usize| {
            let shape = &self.shapes[self.shape[body] as usize];
            shape.reach() + length(S::wide(shape.core_centre()))
        };
        let (p, q) = (S::wide(self.position[a]), S::wide(self.position[b]));
        let way = length(core::array::from_fn(|k| p[k] - q[k]));
        let far = |body: usize| {
            length(S::wide(self.position[body])) + self.motion.duration * length(S::wide(self.velocity[body]))
        };
        let rounding = 1e-15 * (far(a) + far(b)) / TOLERANCE;
        beside(a) + beside(b) + self.motion.target + 1e-3 * way + rounding
    }

    /// The first time at which each pair is at the target or nearer, by bisection: on the slope of the distance until a
    /// time is found at which it is nearer, and then on the sign.
    fn bisected(&self) -> Vec<Option<f64>> {
        let count = self.pairs.len();
        let (mut low, mut high) = (vec![0.0; count], vec![self.motion.duration; count]);
        let mut found = vec![false; count];
        for (i, side) in self.sides(&low).iter().enumerate() {
            if *side != Side::Beyond {
                (high[i], found[i]) = (0.0, true);
            }
        }
        for (i, side) in self.sides(&vec![self.motion.duration; count]).iter().enumerate() {
            found[i] |= *side != Side::Beyond;
        }
        for _ in 0..80 {
            let middle: Vec<f64> = low.iter().zip(&high).map(|(l, h)| 0.5 * (l + h)).collect();
            let sides = self.sides(&middle);
            let rows = self.distances(
                &middle.iter().zip(&sides).map(|(&t, &s)| if s == Side::Beyond { t } else { 0.0 }).collect::<Vec<_>>(),
            );
            for i in 0..count {
                if sides[i] != Side::Beyond {
                    (high[i], found[i]) = (middle[i], true);
                } else if !found[i] && dot(S::wide(rows[i].normal), self.relative(i)) >= 0.0 {
                    high[i] = middle[i];
                } else {
                    low[i] = middle[i];
                }
            }
        }
        (0..count).map(|i| found[i].then_some(high[i])).collect()
    }

    /// Checks casts against bisection, and every hit against its own proof at the time of impact.
    pub fn hold(&self, rows: &[Cast<S>]) -> Verdicts {
        let mut verdicts = Verdicts::default();
        let roots = self.bisected();
        let target = self.motion.target;
        let standing = self.distances(&vec![0.0; rows.len()]);
        let met = self.distances(&rows.iter().map(|row| row.time).collect::<Vec<_>>());
        // Times before the impact, closer and closer to it.
        let mut sooner = vec![None; rows.len()];
        for k in 1..=30 {
            let share = 1.0 - libm::exp2(-f64::from(k));
            let times: Vec<f64> = rows.iter().map(|row| row.time * share).collect();
            for (i, side) in self.sides(&times).iter().enumerate() {
                if *side == Side::Within && sooner[i].is_none() {
                    sooner[i] = Some(times[i]);
                }
            }
        }
        for (i, row) in rows.iter().enumerate() {
            verdicts.count[row.status as usize] += 1;
            let size = self.size(i);
            let room = TOLERANCE * size;
            let mut fail = |text: String| verdicts.failures.push((i, text));
            if [row.a, row.b] != self.pairs[i] {
                fail("another pair".to_owned());
            }
            if (row.status == CastStatus::Start) != (standing[i].upper < target) && standing[i].upper < target - room {
                fail(format!("{row:?} where it begins with {:?}", standing[i]));
            }
            match row.status {
                CastStatus::Unconverged => fail(format!("unconverged: {row:?}")),
                CastStatus::Start => {
                    if standing[i].lower > target + room || row.time != 0.0 {
                        fail(format!("no start: {row:?}, {:?}", standing[i]));
                    }
                }
                CastStatus::Miss => {
                    if let Some(root) = roots[i]
                        && let Some(near) = self.dip(i, root, target - room)
                    {
                        fail(format!("a miss, but met by {root}: {near:?}"));
                    }
                }
                CastStatus::Hit => {
                    let off = (met[i].lower - target).max(target - met[i].upper).max(0.0) / size;
                    verdicts.worst = verdicts.worst.max(off);
                    if off > TOLERANCE {
                        fail(format!("{row:?} where the two are {:?}", met[i]));
                    }
                    if let Some(time) = sooner[i].filter(|&time| self.distance_at(i, time).upper < target - room) {
                        fail(format!("{row:?}, but met by {time}"));
                    }
                    let relative = self.relative(i);
                    // If they only graze each other, a small difference in distance is a large one in time.
                    let plainly = |root: &f64| {
                        // Slow bodies do not move that far before the end.
                        let soon = (root + 1e-4 * size / length(relative)).min(self.motion.duration.max(*root));
                        self.distance_at(i, soon).upper < target - 1e-5 * size
                    };
                    if let Some(root) = roots[i].filter(plainly) {
                        let astray = (row.time - root).abs() * length(relative) / size;
                        verdicts.astray = verdicts.astray.max(astray);
                        if astray > 10.0 * TOLERANCE {
                            fail(format!("{row:?}, but by bisection at {root}"));
                        }
                    }
                    for failure in self.proof(i, row) {
                        fail(format!("{failure}: {row:?} where the two are {:?}", met[i]));
                    }
                }
            }
        }
        verdicts
    }

    /// A distance below `limit` after a root.
    fn dip(&self, index: usize, root: f64, limit: f64) -> Option<Proximity<S, f64>> {
        let rest = self.motion.duration - root;
        let after = (0..=60).map(|k| root + rest * libm::exp2(-f64::from(k)));
        after.map(|time| self.distance_at(index, time)).find(|row| row.upper < limit)
    }

    /// What is wrong with a hit's point and normal, if anything.
    fn proof(&self, index: usize, row: &Cast<S>) -> Vec<String> {
        let times: Vec<f64> = (0..self.pairs.len()).map(|i| if i == index { row.time } else { 0.0 }).collect();
        let far = S::array(|k| row.point[k] + row.distance * row.normal[k]);
        let [a, b] = self.pairs[index];
        let claim = Row::new(a, b, row.distance, row.point, far, row.normal);
        self.ask(&times, |columns| {
            let extent = |body: u32| {
                let half = columns.shape(body as usize).core_half_extents();
                2.0 * (half.as_ref().iter().fold(0.0, |m: f64, &x| m.max(x)) + columns.shape(body as usize).radius())
            };
            let extent = extent(a).max(extent(b));
            if extent == 0.0 {
                // Points have no size for a tolerance, and nothing to prove.
                return Vec::new();
            }
            let tolerance = Tolerance { size: 1e-6 * self.size(index) / extent, ..Tolerance::double() };
            verify_row(columns, &claim, &tolerance).err().into_iter().flatten().map(|f| f.to_string()).collect()
        })
    }
}

/// Every bit of first hits, of those that there are.
pub fn hit_bits<S: Ground>(hits: &[Option<Cast<S>>]) -> Vec<Option<Vec<u64>>> {
    hits.iter().map(|hit| hit.as_ref().map(cast_bits)).collect()
}

/// Every bit of a cast, the sign of a zero included.
pub fn cast_bits<S: Ground>(row: &Cast<S>) -> Vec<u64> {
    let mut all = vec![u64::from(row.a), u64::from(row.b), row.status as u64];
    all.extend([row.time, row.distance].map(f64::to_bits));
    all.extend(row.point.as_ref().iter().chain(row.normal.as_ref()).map(|x| x.to_bits()));
    all
}
