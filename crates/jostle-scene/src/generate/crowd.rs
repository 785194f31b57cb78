//! People: `flat` and `corridor`.
//!
//! In the plane a person is a disc, or a capsule as wide as the shoulders; in space a standing capsule or cylinder (y
//! is up). Each stands somewhere in a cell of their own, so that neighbours touch here and there, as in a real crowd,
//! instead of lying upon each other.

use jostle::{Body, D2, D3};

use super::draft::{Draft, Refusal};
use super::form::{self, Forms};
use super::random::{Random, fine};
use crate::spec::ShapeSpec;

/// How far the cells are apart, metres.
const PITCH: f64 = 0.62;
/// How far a person may stand off the middle of their cell.
const JITTER: f64 = 0.15;
/// The mean walking speed, m/s.
const PACE: f64 = 1.34;

/// The ground that people walk on, with coordinates `(u, v)`.
pub(super) trait Ground: Forms {
    /// A place on the ground, for a body whose centre is `half_height` above it.
    fn place(u: f64, v: f64, half_height: f64) -> Self::Array<f64>;
    /// The rotation of somebody who looks along this angle, from u towards v.
    fn facing(angle: f64) -> Self::Rotation<f64>;
    /// The sorts of people, each with half their height.
    fn people() -> Vec<(ShapeSpec<Self>, f64)>;
    /// A pillar, wall or suitcase, `half_u` along where it faces, `half_v` across.
    fn block(half_u: f64, half_v: f64, half_height: f64) -> ShapeSpec<Self>;
    /// A round pillar.
    fn pillar(radius: f64, half_height: f64) -> ShapeSpec<Self>;
}

impl Ground for D2 {
    fn place(u: f64, v: f64, _: f64) -> [f64; 2] {
        [u, v]
    }
    fn facing(angle: f64) -> [f64; 1] {
        [fine(angle)]
    }
    fn people() -> Vec<(ShapeSpec<D2>, f64)> {
        [
            form::ball(0.17),
            form::ball(0.19),
            form::ball(0.22),
            // Shoulders: along y, across the way.
            form::capsule(0.1, 0.12),
            form::capsule(0.11, 0.13),
            form::capsule(0.13, 0.13),
        ]
        .map(|form| (form, 0.0))
        .to_vec()
    }
    fn block(half_u: f64, half_v: f64, _: f64) -> ShapeSpec<D2> {
        form::cuboid([half_u, half_v])
    }
    fn pillar(radius: f64, _: f64) -> ShapeSpec<D2> {
        form::ball(radius)
    }
}

impl Ground for D3 {
    fn place(u: f64, v: f64, half_height: f64) -> [f64; 3] {
        [u, half_height, -v]
    }
    fn facing(angle: f64) -> [f64; 4] {
        let (sin, cos) = libm::sincos(0.5 * angle);
        [0.0, fine(sin), 0.0, fine(cos)]
    }
    fn people() -> Vec<(ShapeSpec<D3>, f64)> {
        let capsule = |height: f64, radius: f64| (form::capsule(0.5 * height - radius, radius), 0.5 * height);
        let cylinder = |height: f64, radius: f64| (form::cylinder(0.5 * height, radius), 0.5 * height);
        vec![
            capsule(1.6, 0.19),
            capsule(1.75, 0.22),
            capsule(1.9, 0.25),
            cylinder(1.6, 0.18),
            cylinder(1.7, 0.21),
            cylinder(1.8, 0.24),
        ]
    }
    fn block(half_u: f64, half_v: f64, half_height: f64) -> ShapeSpec<D3> {
        form::cuboid([half_u, half_height, half_v])
    }
    fn pillar(radius: f64, half_height: f64) -> ShapeSpec<D3> {
        form::cylinder(half_height, radius)
    }
}

/// Picks exactly `count` cells, in order, each with a chance in proportion to its weight (as far as there are enough).
fn pick(weights: &[f64], count: usize, random: &mut Random) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let step = total / count as f64;
    let mut picked = Vec::with_capacity(count);
    let (mut next, mut passed) = (0, 0.0);
    for drawn in 0..count {
        // One threshold per stratum: the density follows the weights closely, the places do not.
        let threshold = (drawn as f64 + random.unit()) * step;
        while next + 1 < weights.len() && passed + weights[next] <= threshold {
            passed += weights[next];
            next += 1;
        }
        // Two thresholds in one cell: the second takes the next free one. Nobody stands in a pillar (weight zero).
        let mut cell = picked.last().map_or(next, |&last: &usize| next.max(last + 1));
        while weights.get(cell) == Some(&0.0) {
            cell += 1;
        }
        picked.push(cell);
    }
    picked
}

/// A smooth field over the ground: waves of random length and direction, the long ones higher.
struct Field(Vec<[f64; 4]>);

impl Field {
    fn new(waves: usize, shortest: f64, longest: f64, random: &mut Random) -> Self {
        let wave = |random: &mut Random| {
            let length = random.between(shortest, longest);
            let number = core::f64::consts::TAU / length;
            let (sin, cos) = libm::sincos(random.angle());
            [number * cos, number * sin, random.angle(), (length / longest).sqrt()]
        };
        let mut waves: Vec<[f64; 4]> = (0..waves).map(|_| wave(random)).collect();
        let power = (0.5 * waves.iter().map(|[_, _, _, height]| height * height).sum::<f64>()).sqrt();
        for [_, _, _, height] in &mut waves {
            *height /= power;
        }
        Self(waves)
    }
    /// About normally distributed, mean 0 and deviation 1.
    fn at(&self, u: f64, v: f64) -> f64 {
        self.0.iter().map(|[ku, kv, phase, height]| height * libm::sin(ku * u + kv * v + phase)).sum()
    }
}

/// The people that a scene draws from.
struct People {
    /// The index of the first one's shape; the others follow.
    first: u32,
    /// Half the height of each.
    heights: Vec<f64>,
}

impl People {
    /// Adds their shapes to the scene, and behind them some more.
    fn with<S: Ground>(draft: &mut Draft<'_, S>, more: Vec<ShapeSpec<S>>) -> Result<Self, Refusal> {
        let (mut forms, heights): (Vec<_>, Vec<_>) = S::people().into_iter().unzip();
        forms.extend(more);
        Ok(Self { first: draft.forms(forms)?, heights })
    }
    /// The index of the first shape that is nobody's.
    fn behind(&self) -> u32 {
        self.first + self.heights.len() as u32
    }
    /// Somebody who stands here and looks this way.
    fn draw<S: Ground>(&self, [u, v]: [f64; 2], angle: f64, random: &mut Random) -> Body<S> {
        let sort = random.below(self.heights.len());
        Body::new(self.first + sort as u32, S::place(u, v, self.heights[sort])).with_rotation(S::facing(angle))
    }
}

/// A round pillar of the hall.
struct Pillar {
    u: f64,
    v: f64,
    radius: f64,
}

/// The radii of pillars.
const RADII: [f64; 3] = [0.8, 1.1, 1.4];

/// A hall of `row` by `row` cells, each with room for one person, and of `blocks` by `blocks` blocks, each with at most
/// one pillar.
struct Hall {
    row: usize,
    blocks: usize,
    /// The length of a block.
    block: f64,
    pillars: Vec<Pillar>,
}

impl Hall {
    /// As large as so many need.
    fn new(persons: usize, pillars: usize, random: &mut Random) -> Self {
        /// How much of the hall is taken, on average.
        const TAKEN: f64 = 0.55;
        // A pillar and the space around it fill some twenty cells.
        let row = ((persons as f64 / TAKEN + 20.0 * pillars as f64).sqrt()).ceil().max(1.0) as usize;
        let blocks = ((pillars as f64).sqrt()).ceil().max(1.0) as usize;
        let block = row as f64 * PITCH / blocks as f64;
        let pillar = |index: usize| Pillar {
            u: block * ((index % blocks) as f64 + random.between(0.3, 0.7)),
            v: block * ((index / blocks) as f64 + random.between(0.3, 0.7)),
            radius: RADII[random.below(RADII.len())],
        };
        Self { row, blocks, block, pillars: (0..pillars).map(pillar).collect() }
    }
    /// The middle of a cell. Every other row is shifted by half a cell.
    fn middle(&self, cell: usize) -> [f64; 2] {
        let (column, line) = (cell % self.row, cell / self.row);
        [(column as f64 + if line % 2 == 0 { 0.25 } else { 0.75 }) * PITCH, (line as f64 + 0.5) * PITCH]
    }
    /// How likely each cell is to be taken, beside those of others: not at all where a pillar is near.
    fn weights(&self, density: &Field) -> Vec<f64> {
        let weight = |cell: usize| {
            let [u, v] = self.middle(cell);
            let near = |&Pillar { u: pu, v: pv, radius }: &Pillar| {
                let clear = radius + 0.45;
                (u - pu) * (u - pu) + (v - pv) * (v - pv) < clear * clear
            };
            // A pillar keeps to the inner part of its block, so only its own block can be near a cell.
            let at = |along: f64| ((along / self.block) as usize).min(self.blocks - 1);
            let own = self.pillars.get(at(v) * self.blocks + at(u));
            if own.is_some_and(near) { 0.0 } else { (0.55 + 0.28 * density.at(u, v)).clamp(0.1, 0.95) }
        };
        (0..self.row * self.row).map(weight).collect()
    }
}

/// A crowd in a hall: dense here, loose there, flowing round pillars (fixed); one in twelve bodies is a suitcase, whose
/// `parent` is its owner's too.
pub(super) fn flat<S: Ground>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    const PILLAR_HEIGHT: f64 = 1.5;
    const CASE_HEIGHT: f64 = 0.3;

    let things = [S::block(0.14, 0.1, CASE_HEIGHT)].into_iter();
    let people = People::with(draft, things.chain(RADII.map(|radius| S::pillar(radius, PILLAR_HEIGHT))).collect())?;
    let (case, pillar) = (people.behind(), people.behind() + 1);
    if count == 0 {
        return Ok(());
    }

    let (pillars, cases) = (count / 1000, count / 12);
    let persons = count - pillars - cases;
    let hall = Hall::new(persons, pillars, random);
    for Pillar { u, v, radius } in &hall.pillars {
        let sort = RADII.iter().position(|r| r == radius).unwrap_or(0);
        draft.push(Body::new(pillar + sort as u32, S::place(*u, *v, PILLAR_HEIGHT)).fixed())?;
    }

    let density = Field::new(14, 9.0, 130.0, random);
    let flow = Field::new(6, 20.0, 120.0, random);
    let weights = hall.weights(&density);
    let cells = pick(&weights, persons, random);

    let mut waiting = 0;
    for (person, &cell) in cells.iter().enumerate() {
        let [u, v] = hall.middle(cell);
        let (u, v) = (u + random.between(-JITTER, JITTER), v + 1.25 * random.between(-JITTER, JITTER));
        let angle = 1.1 * flow.at(u, v) + 0.25 * random.normal();
        let speed = (PACE + 0.26 * random.normal()).max(0.0) * (1.1 - weights.get(cell).copied().unwrap_or(0.5));
        let (sin, cos) = libm::sincos(angle);
        let velocity = S::place(speed * cos, speed * sin, 0.0);
        let parent = draft.len() as u32;
        let body = people.draw::<S>([u, v], angle, random).with_velocity(velocity);

        waiting += usize::from((person + 1) * cases / persons > person * cases / persons);
        let room = cells.get(person + 1).is_none_or(|&next| next > cell + 1) && (cell + 1) % hall.row != 0;
        let free = room && weights.get(cell + 1).is_some_and(|&weight| weight > 0.0);
        // A suitcase waits for an owner with a free cell beside them; the last person takes those left.
        let carried = if person + 1 == persons { waiting } else { usize::from(free).min(waiting) };
        waiting -= carried;
        draft.push(if carried > 0 { body.with_parent(parent) } else { body })?;
        for _ in 0..carried {
            let offset = random.between(0.42, 0.5);
            let aside = random.between(-0.1, 0.1);
            let case = Body::new(case, S::place(u + offset, v + aside, CASE_HEIGHT));
            draft.push(case.with_rotation(S::facing(angle)).with_velocity(velocity).with_parent(parent))?;
        }
    }
    Ok(())
}

/// Two streams of people in corridors of 60 by 4 metres, side by side, with fixed walls between them.
pub(super) fn corridor<S: Ground>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    const LENGTH: f64 = 60.0;
    const WIDTH: f64 = 4.0;
    const WALL: f64 = 0.1;
    const WALL_HEIGHT: f64 = 1.25;
    /// People in a corridor: about one a square metre.
    const FULL: usize = 240;

    let people = People::with(draft, vec![S::block(LENGTH / 2.0, WALL, WALL_HEIGHT)])?;
    if count == 0 {
        return Ok(());
    }

    // Each corridor has its people and one wall; the first has one wall more.
    let corridors = count.saturating_sub(1).div_ceil(FULL + 1).max(1);
    let walls = (corridors + 1).min(count);
    let persons = count - walls;
    for wall in 0..walls {
        let v = wall as f64 * (WIDTH + 2.0 * WALL);
        draft.push(Body::new(people.behind(), S::place(LENGTH / 2.0, v, WALL_HEIGHT)).fixed())?;
    }
    let (along, across) = ((LENGTH / PITCH) as usize, ((WIDTH - 0.1) / PITCH) as usize);
    for corridor in 0..corridors {
        let here = (corridor + 1) * persons / corridors - corridor * persons / corridors;
        let start = WALL + 0.05 + corridor as f64 * (WIDTH + 2.0 * WALL);
        for cell in pick(&vec![1.0; along * across], here, random) {
            let (column, lane) = (cell % along, cell / along);
            let u = (column as f64 + 0.5) * PITCH + random.between(-JITTER, JITTER);
            let v = start + (lane as f64 + 0.5) * (WIDTH - 0.1) / across as f64 + random.between(-0.06, 0.06);
            // Streams form by themselves; one in ten walks against the tide.
            let forth = (lane < across / 2) != (random.below(10) == 0);
            let angle = if forth { 0.0 } else { core::f64::consts::PI } + 0.1 * random.normal();
            let speed = (PACE + 0.26 * random.normal()).max(0.0);
            let (sin, cos) = libm::sincos(angle);
            let velocity = S::place(speed * cos, speed * sin, 0.0);
            draft.push(people.draw::<S>([u, v], angle, random).with_velocity(velocity))?;
        }
    }
    Ok(())
}
