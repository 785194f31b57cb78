//! Balls, boxes and stones run out of a hopper and make a heap.
//!
//! A step of time, [`Silo::step`], is: gravity; `Pipeline::update`, which finds the grains that touch or will within
//! the step (the look-ahead); [`solver`], which applies impulses along the contacts, with friction; and new positions
//! and rotations. [`kinds`] has the grains, [`silo`] the walls, [`picture`] draws.
//!
//! The energy, of motion and of height, does not grow: impulses only take energy, free flight by semi-implicit Euler
//! loses m g^2 h^2 / 2 per step, and a free turn that would gain energy is slowed down (`Silo::move_on`). The exception
//! is that the solver may lift grains where it moves overlapping ones apart; [`Silo::gained`] measures by how much.

pub mod kinds;
pub mod picture;
pub mod silo;
pub mod solver;

use glam::{DMat3, DQuat, DVec3};
use jostle::{Body, D3, Frame, Handle, Pipeline, PipelineError};

use crate::random::Random;
use kinds::Kind;
use silo::Walls;
use solver::{Grain, Solver, Touch};

/// The length of a step, seconds.
pub const STEP: f64 = 1.0 / 120.0;
/// The time at which the gate is removed, seconds.
pub const OPENS: f64 = 2.6;
/// The speed at which grains sink until then, as through water, metres per second: twenty thousand in free fall would
/// hit the gate as one mass of eighty layers, and a few rounds of any solver carry a blow through a few layers only.
const SINKS: f64 = 2.0;
/// Metres per second squared.
const GRAVITY: f64 = 9.81;
/// Kilogrammes per cubic metre, of stone.
const DENSITY: f64 = 2500.0;
/// The rate at which spins fade, per second: the only model of rolling resistance.
const FADES: f64 = 1.5;
/// Pairs nearer than this are contacts even if they do not approach each other, metres.
const MARGIN: f64 = 0.004;

/// A hopper, its grains, and the heap.
#[derive(Clone, Debug)]
pub struct Silo {
    world: Pipeline<D3, f32, Touch>,
    kinds: Vec<Kind>,
    walls: Walls,
    /// The gate, until it is removed.
    gate: Option<Handle>,
    /// By slot of the pipeline; walls are grains that nothing moves.
    grains: Vec<Grain>,
    /// By slot: the index of the kind.
    kind: Vec<usize>,
    /// By slot: the height at which it lay when the gate was opened, metres.
    layer: Vec<f64>,
    solver: Solver,
    steps: u64,
    /// Of motion and of height, joules.
    energy: [f64; 2],
    /// The lowest total energy so far, joules.
    lowest: f64,
    gained: f64,
}

impl Silo {
    /// So many grains at rest in a hopper of a size for them, above the closed gate: a third each of balls, boxes and
    /// stones.
    ///
    /// # Errors
    /// If the pipeline refuses a body: there are too many.
    pub fn new(count: usize, seed: u64) -> Result<Self, PipelineError> {
        let mut random = Random::new(seed);
        let mut world = Pipeline::new();
        world.set_margin(MARGIN)?;
        world.set_look_ahead(STEP)?;
        let kinds = kinds::all()?;
        let spacing = 2.04 * kinds.iter().map(|kind| kind.reach).fold(0.0, f64::max);
        let walls = Walls::for_grains(count, spacing);
        let gate = walls.build(&mut world)?;
        let mut shapes = Vec::new();
        for kind in &kinds {
            shapes.push(world.add_shape(kind.shape.clone())?);
        }
        let mut bodies = Vec::with_capacity(count);
        let mut grains = vec![Grain::WALL; world.slots()];
        let mut kind = vec![usize::MAX; world.slots()];
        for place in walls.places(spacing).take(count) {
            let which = random.below(kinds.len());
            let rotation = rotation(&mut random);
            let body = Body::new(shapes[which], place).with_rotation(rotation.to_array());
            bodies.push(body);
            grains.push(Grain::new(kinds[which].volume * DENSITY, kinds[which].inertia * DENSITY));
            kind.push(which);
        }
        world.insert_many(&bodies)?;
        let layer = vec![0.0; grains.len()];
        let solver = Solver::default();
        let mut silo = Self {
            world,
            kinds,
            walls,
            gate,
            grains,
            kind,
            layer,
            solver,
            steps: 0,
            energy: [0.0; 2],
            lowest: 0.0,
            gained: 0.0,
        };
        silo.energy = silo.measure();
        silo.lowest = silo.total();
        Ok(silo)
    }

    /// A step of time.
    ///
    /// # Errors
    /// If more pairs are near than the pipeline can hold.
    pub fn step(&mut self) -> Result<Frame, PipelineError> {
        if self.time() >= OPENS
            && let Some(gate) = self.gate.take()
        {
            self.world.remove(gate)?;
            let positions = self.world.positions();
            self.layer.iter_mut().zip(positions).for_each(|(layer, [_, y, _])| *layer = *y);
        }
        let kept = if self.gate.is_some() { 1.0 - STEP * GRAVITY / SINKS } else { 1.0 };
        for (velocity, grain) in self.world.velocities_mut().iter_mut().zip(&self.grains) {
            let weight = if grain.is_wall() { 0.0 } else { GRAVITY * STEP };
            *velocity = [kept * velocity[0], kept * velocity[1] - weight, kept * velocity[2]];
        }
        let frame = self.world.update()?;
        self.solver.solve(self.world.solver_mut(), &mut self.grains, STEP);
        self.move_on();
        self.steps += 1;
        self.energy = self.measure();
        self.gained = self.gained.max(self.total() - self.lowest);
        self.lowest = self.lowest.min(self.total());
        Ok(frame)
    }

    /// Applies the solver's movements to positions and rotations.
    fn move_on(&mut self) {
        let bodies = self.world.columns_mut();
        for (slot, grain) in self.grains.iter_mut().enumerate().filter(|(_, grain)| !grain.is_wall()) {
            let position = DVec3::from(bodies.position[slot]) + grain.shift;
            bodies.position[slot] = position.to_array();
            let old = DQuat::from_array(bodies.rotation[slot]);
            let swing = DQuat::from_xyzw(0.5 * grain.swing.x, 0.5 * grain.swing.y, 0.5 * grain.swing.z, 1.0);
            let new = (swing * old).normalize();
            bodies.rotation[slot] = new.to_array();
            // The angular momentum is kept and gives the new spin, slowed down where that would have more energy.
            let momentum = grain.inertia(old) * grain.spin;
            let spin = grain.inverse_inertia(new) * momentum;
            let [before, after] = [momentum.dot(grain.spin), momentum.dot(spin)];
            let held = if after > before { (before / after).sqrt() } else { 1.0 };
            grain.spin = spin * held * (1.0 - FADES * STEP);
        }
    }

    /// The energies of motion and of height, joules.
    fn measure(&self) -> [f64; 2] {
        let (mut motion, mut height) = (0.0, 0.0);
        for (slot, grain) in self.grains.iter().enumerate().filter(|(_, grain)| !grain.is_wall()) {
            let velocity = DVec3::from(self.world.velocities()[slot]);
            let spin = DQuat::from_array(self.world.rotations()[slot]).conjugate() * grain.spin;
            motion += 0.5 * (grain.mass() * velocity.length_squared() + (spin * spin).dot(grain.principal()));
            height += grain.mass() * GRAVITY * self.world.positions()[slot][1];
        }
        [motion, height]
    }

    /// Seconds since the beginning.
    pub fn time(&self) -> f64 {
        self.steps as f64 * STEP
    }
    /// The energies of motion and of height over the floor, joules.
    pub fn energy(&self) -> [f64; 2] {
        self.energy
    }
    fn total(&self) -> f64 {
        self.energy[0] + self.energy[1]
    }
    /// The most by which the energy was above its lowest value before, joules.
    pub fn gained(&self) -> f64 {
        self.gained
    }
    /// The slots of all grains.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.grains.len()).filter(|&slot| !self.grains[slot].is_wall())
    }
    /// The number of grains with their middle outside the silo; it should always be 0.
    pub fn leaked(&self) -> usize {
        self.slots().filter(|&slot| !self.walls.hold(self.world.positions()[slot])).count()
    }
    /// The number of grains that have passed the outlet.
    pub fn passed(&self) -> usize {
        self.slots().filter(|&slot| self.world.positions()[slot][1] < self.walls.outlet).count()
    }
    /// The slope of the heap, degrees: that of a triangle on the floor whose halves have their centres of mass where
    /// those of the grains at rest below the slit are. 0 while there are few of these.
    pub fn slope(&self) -> f64 {
        let lies = |slot: &usize| DVec3::from(self.world.velocities()[*slot]).length_squared() < 0.25;
        let places = self.slots().filter(lies).map(|slot| self.world.positions()[slot]);
        let (mut count, mut aside, mut height) = (0, 0.0, 0.0);
        for [x, y, _] in places.filter(|[_, y, _]| *y < self.walls.outlet) {
            (count, aside, height) = (count + 1, aside + x.abs(), height + y);
        }
        if count * 20 < self.slots().count() { 0.0 } else { libm::atan2(height, aside).to_degrees() }
    }
    /// A checksum of all positions, rotations and velocities, bit for bit.
    pub fn checksum(&self) -> u64 {
        let (positions, rotations) = (self.world.positions(), self.world.rotations());
        let of = |slot: usize| {
            let numbers = positions[slot].into_iter().chain(rotations[slot]).chain(self.world.velocities()[slot]);
            numbers.chain(self.grains[slot].spin.to_array())
        };
        crate::show::checksum(self.slots().flat_map(of))
    }
    /// The pipeline.
    pub fn world(&self) -> &Pipeline<D3, f32, Touch> {
        &self.world
    }
    /// The kind of the grain in a slot.
    pub fn kind(&self, slot: usize) -> &Kind {
        &self.kinds[self.kind[slot]]
    }
    /// The walls.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }
}

/// Any rotation, all equally likely: a direction in four dimensions.
fn rotation(random: &mut Random) -> DQuat {
    loop {
        let some = DQuat::from_array([(); 4].map(|()| random.between(-1.0, 1.0)));
        if (0.01..1.0).contains(&some.length_squared()) {
            return some.normalize();
        }
    }
}

/// The matrix that scales along the axes of a turned frame.
fn turned(rotation: DQuat, diagonal: DVec3) -> DMat3 {
    let axes = DMat3::from_quat(rotation);
    axes * DMat3::from_diagonal(diagonal) * axes.transpose()
}
