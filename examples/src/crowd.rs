//! People leave a station hall: the social-force model of Helbing, Farkas and Vicsek, *Simulating dynamical features of
//! escape panic*, Nature 407 (2000), between true outlines.
//!
//! A walker of mass m wants to walk at speed v0 along e, towards a door, and adapts within tau. Everything near (other
//! walkers, pillars, walls) pushes the walker along the normal n between the two outlines, whose signed distance is d:
//!
//! ```text
//! m dv/dt = m (v0 e - v) / tau + sum of (A exp(-d / B) + k max(0, -d)) n + kappa max(0, -d) (relative slip) t
//! ```
//!
//! The first push is the wish not to be touched, the second resists squeezing, the last is friction between bodies that
//! touch. The paper has discs and writes r - d for -d here; with the distance of outlines the model works for any
//! convex walker. Two things are added. Walkers turn to where they want to go, within the same tau, and pushes off
//! their middle turn them. And near a wall or pillar in the way e is turned along it: people see pillars before they
//! touch them.
//!
//! Some four people a second go through a metre of door here; measurements give about two (Seyfried et al., *New
//! insights into pedestrian flow through bottlenecks*, 2009). The model's people can be squeezed and keep no headway.
//!
//! A step is [`Station::step`]: `Pipeline::update` and `Pipeline::neighbours` find what is near, `push` adds the
//! forces, `walk` moves. [`hall`] builds the station, [`picture`] draws it.

pub mod hall;
pub mod picture;

use jostle::{D2, Frame, Handle, Neighbours, Pipeline, PipelineError, Solving};
use rayon::prelude::*;

use hall::{Door, Entrant, Plan};

/// The length of a step, seconds. Squeezed walkers are springs with a period of some 0.1 s: ten steps.
pub const STEP: f64 = 0.01;
/// The distance within which others push, metres: exp(-0.6 / B) is 6e-4.
const FELT: f64 = 0.6;
/// A, newtons: the strength of the wish not to be touched.
const REPULSION: f64 = 2e3;
/// B, metres: its range.
const RANGE: f64 = 0.08;
/// k, kilogrammes per second squared: the stiffness of people.
const STIFFNESS: f64 = 1.2e5;
/// kappa, kilogrammes per metre and second: their friction.
const FRICTION: f64 = 2.4e5;
/// tau, seconds: the time in which a walker adapts its velocity.
const ADAPTS: f64 = 0.5;
/// m, kilogrammes.
const MASS: f64 = 80.0;
/// The highest speed, in multiples of v0 (Helbing and Molnar, Physical Review E 51, 1995).
const HURRY: f64 = 1.3;
/// The highest speed of turning, radians per second.
const TURNS: f64 = 3.0;
/// The moment of inertia of a walker, m times the square of 0.4 m, kilogrammes square metres.
const INERTIA: f64 = MASS * 0.16;

/// What is kept of a walker besides the pipeline's columns.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    handle: Handle,
    /// The door it walks to.
    door: usize,
    /// v0, metres per second.
    speed: f64,
    /// Angular velocity, radians per second.
    spin: f64,
}

/// The hall and everyone in it.
#[derive(Debug)]
pub struct Station {
    hall: Pipeline<D2>,
    plan: Plan,
    /// By slot of the pipeline; none for walls and pillars, and once a walker has left.
    walkers: Vec<Option<Walker>>,
    neighbours: Neighbours<D2>,
    /// By slot: along x and y, and of turning; metres and radians per second squared.
    acceleration: Vec<[f64; 3]>,
    steps: u64,
    /// The deepest overlap so far, metres.
    deepest: f64,
    /// The number of walkers that have left by each door.
    left_by: Vec<u64>,
}

impl Station {
    /// A hall with so many walkers, all standing. Its size follows from their number: 1.25 of them per square metre.
    ///
    /// # Errors
    /// If the pipeline refuses a body: there are too many.
    pub fn new(walkers: usize, seed: u64) -> Result<Self, PipelineError> {
        let mut hall = Pipeline::new();
        hall.set_margin(FELT)?;
        let (plan, people) = hall::furnish(&mut hall, walkers, seed)?;
        make_way(&mut hall)?;
        let mut by_slot = vec![None; hall.slots()];
        for Entrant { handle, door, speed } in people {
            by_slot[handle.index()] = Some(Walker { handle, door, speed, spin: 0.0 });
        }
        Ok(Self {
            acceleration: vec![[0.0; 3]; hall.slots()],
            left_by: vec![0; plan.doors.len()],
            walkers: by_slot,
            neighbours: Neighbours::default(),
            steps: 0,
            deepest: 0.0,
            hall,
            plan,
        })
    }

    /// A step of time: finds what is near, moves everyone, and removes the walkers that are out.
    ///
    /// # Errors
    /// If more pairs are near than the pipeline can hold.
    pub fn step(&mut self) -> Result<Frame, PipelineError> {
        let frame = self.hall.update()?;
        self.hall.neighbours(FELT, usize::MAX, &mut self.neighbours)?;
        for contact in self.hall.contacts() {
            self.deepest = self.deepest.max(-f64::from(contact.distance));
        }
        self.push();
        self.walk();
        self.steps += 1;
        self.leave()?;
        Ok(frame)
    }

    /// Computes each walker's acceleration from its wish and its neighbours. Each is computed by itself, so in
    /// parallel, with the same bits in any order.
    fn push(&mut self) {
        let Self { hall, plan, walkers, neighbours, acceleration, .. } = self;
        let (positions, rotations, velocities) = (hall.positions(), hall.rotations(), hall.velocities());
        let accelerate = |slot: usize, walker: &Walker| -> [f64; 3] {
            let (position, velocity, near) = (positions[slot], velocities[slot], neighbours.of(slot));
            let mut wish = plan.doors[walker.door].direction_from(position);
            for other in near.iter().filter(|other| hall.is_fixed(other.body)) {
                wish = turned_along(wish, other.direction.map(f64::from), f64::from(other.distance), slot);
            }
            let off = libm::remainder(libm::atan2(wish[1], wish[0]) - rotations[slot][0], core::f64::consts::TAU);
            let mut torque = INERTIA * ((off / ADAPTS).clamp(-TURNS, TURNS) - walker.spin) / ADAPTS;
            let mut force = [0, 1].map(|k| MASS * (walker.speed * wish[k] - velocity[k]) / ADAPTS);
            for other in near {
                let (direction, distance) = (other.direction.map(f64::from), f64::from(other.distance));
                let squeezed = (-distance).max(0.0);
                let push = REPULSION * libm::exp(-distance / RANGE) + STIFFNESS * squeezed;
                let slip = [0, 1].map(|k| velocities[other.body as usize][k] - velocity[k]);
                let along = [-direction[1], direction[0]];
                // Friction stops slipping, it does not reverse it: in a step of this length each of four others may
                // take at most a quarter of it.
                let rough = (FRICTION * squeezed).min(MASS / (4.0 * STEP)) * (slip[0] * along[0] + slip[1] * along[1]);
                let pushed = [0, 1].map(|k| rough * along[k] - push * direction[k]);
                let arm = [0, 1].map(|k| other.own_point[k] - position[k]);
                torque += arm[0] * pushed[1] - arm[1] * pushed[0];
                (0..2).for_each(|k| force[k] += pushed[k]);
            }
            [force[0] / MASS, force[1] / MASS, torque / INERTIA]
        };
        acceleration.par_iter_mut().zip(walkers).enumerate().with_min_len(256).for_each(|(slot, (to, walker))| {
            *to = walker.as_ref().map_or([0.0; 3], |walker| accelerate(slot, walker));
        });
    }

    /// Moves and turns all walkers.
    fn walk(&mut self) {
        let world = self.hall.columns_mut();
        for (slot, walker) in self.walkers.iter_mut().enumerate() {
            let Some(walker) = walker else { continue };
            let [x, y, turn] = self.acceleration[slot];
            let [vx, vy] = [world.velocity[slot][0] + STEP * x, world.velocity[slot][1] + STEP * y];
            let speed = (vx * vx + vy * vy).sqrt();
            let held = (HURRY * walker.speed / speed.max(1e-9)).min(1.0);
            world.velocity[slot] = [held * vx, held * vy];
            (0..2).for_each(|k| world.position[slot][k] += STEP * world.velocity[slot][k]);
            walker.spin = (walker.spin + STEP * turn).clamp(-TURNS, TURNS);
            world.rotation[slot][0] += STEP * walker.spin;
        }
    }

    /// Removes the walkers that have gone through a door.
    fn leave(&mut self) -> Result<(), PipelineError> {
        for slot in 0..self.walkers.len() {
            let Some(walker) = self.walkers[slot] else { continue };
            if let Some(door) = self.plan.door_behind(self.hall.positions()[slot]) {
                self.left_by[door] += 1;
                self.hall.remove(walker.handle)?;
                self.walkers[slot] = None;
            }
        }
        Ok(())
    }

    /// Seconds since the beginning.
    pub fn time(&self) -> f64 {
        self.steps as f64 * STEP
    }
    /// The number of walkers in the hall.
    pub fn inside(&self) -> usize {
        self.hall.len() - self.plan.statics as usize
    }
    /// The number of walkers that have left by each door.
    pub fn left_by(&self) -> &[u64] {
        &self.left_by
    }
    /// The deepest overlap of two outlines so far, metres.
    pub fn deepest(&self) -> f64 {
        self.deepest
    }
    /// The hall.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// Everyone in the hall.
    pub fn people(&self) -> impl Iterator<Item = Person> + '_ {
        self.walkers.iter().enumerate().filter_map(|(slot, walker)| {
            let walker = walker.as_ref()?;
            let [x, y] = self.hall.velocities()[slot];
            Some(Person { slot, position: self.hall.positions()[slot], pace: (x * x + y * y).sqrt() / walker.speed })
        })
    }
    /// The number of walkers outside the walls and in no door; it should always be 0.
    pub fn strays(&self) -> usize {
        self.people().filter(|person| self.plan.is_stray(person.position)).count()
    }
    /// People per square metre in front of each door: in the half disc of [`hall::QUEUE`] about its middle.
    pub fn densities(&self) -> Vec<f64> {
        let mut count = vec![0.0; self.plan.doors.len()];
        for person in self.people() {
            for (count, door) in count.iter_mut().zip(&self.plan.doors) {
                let [x, y] = [0, 1].map(|k| person.position[k] - door.middle[k]);
                *count += f64::from(u8::from(x * x + y * y < hall::QUEUE * hall::QUEUE));
            }
        }
        let area = core::f64::consts::PI * hall::QUEUE * hall::QUEUE / 2.0;
        count.into_iter().map(|count| count / area).collect()
    }
    /// A checksum of all positions, bit for bit.
    pub fn checksum(&self) -> u64 {
        crate::show::checksum(self.people().flat_map(|person| person.position))
    }
    /// The pipeline.
    pub fn hall(&self) -> &Pipeline<D2> {
        &self.hall
    }
}

/// A walker in the hall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// The slot in the pipeline.
    pub slot: usize,
    /// The position, metres.
    pub position: [f64; 2],
    /// The speed as a share of v0.
    pub pace: f64,
}

/// Moves walkers apart that were placed into each other or into an obstacle, until no overlap is deeper than a
/// centimetre: the model's forces would shoot them through the hall.
fn make_way(hall: &mut Pipeline<D2>) -> Result<(), PipelineError> {
    for _ in 0..1000 {
        hall.update()?;
        let Solving { contacts, world, statics, .. } = hall.solver_mut();
        let mut deepest = 0.0_f64;
        for contact in contacts {
            let depth = -f64::from(contact.distance);
            if depth > 0.0 {
                deepest = deepest.max(depth);
                for (body, share) in [(contact.a, -0.6), (contact.b, 0.6)] {
                    if !statics.contains(body) {
                        let place = &mut world.position[body as usize];
                        (0..2).for_each(|k| place[k] += share * depth * f64::from(contact.normal[k]));
                    }
                }
            }
        }
        if deepest < 0.01 {
            break;
        }
    }
    Ok(())
}

/// A wish, turned along an obstacle in a direction and at a distance, if it leads into it: the more, the nearer it is.
fn turned_along(wish: [f64; 2], direction: [f64; 2], distance: f64, slot: usize) -> [f64; 2] {
    let into = wish[0] * direction[0] + wish[1] * direction[1];
    if into <= 0.0 {
        return wish;
    }
    let part = (1.0 - distance / FELT).clamp(0.0, 1.0) * into;
    // A walker that faces it squarely passes it on a side of its own.
    let side = if slot.is_multiple_of(2) { 0.2 } else { -0.2 } * part;
    let along = [-direction[1], direction[0]];
    let turned = [0, 1].map(|k| wish[k] - part * direction[k] + side * along[k]);
    let length = (turned[0] * turned[0] + turned[1] * turned[1]).sqrt();
    turned.map(|x| x / length.max(1e-9))
}

impl Door {
    /// The unit vector from a place towards the nearest point of the passage, aimed at a point 2 m beyond it.
    fn direction_from(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (along, inward) = (self.along(), self.inward);
        let [dx, dy] = [x - self.middle[0], y - self.middle[1]];
        let room = self.width / 2.0 - 0.5;
        let aside = (dx * along[0] + dy * along[1]).clamp(-room, room);
        let aim = [0, 1].map(|k| self.middle[k] + aside * along[k] - 2.0 * inward[k]);
        let [dx, dy] = [aim[0] - x, aim[1] - y];
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        [dx / length, dy / length]
    }
}
