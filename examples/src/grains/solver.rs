//! Contacts to impulses: projected Gauss-Seidel with friction, started from the impulses of the step before.
//!
//! jostle gives one point for each pair, the deepest or nearest. A face on a face needs more: the contact's data (which
//! the pipeline keeps while the pair is near) holds up to four points, each fixed on both grains. Points that have come
//! apart are removed, and the new one is added.
//!
//! For every point an impulse along the normal keeps the grains from approaching by more than the gap that is left
//! within the step, and two across it oppose slip, up to FRICTION times the first (Coulomb). In several rounds over all
//! points, each impulse is set to what its point needs given the others (Catto, *Iterative dynamics with temporal
//! coherence*, 2005). Overlaps that remain, by rounding or for want of rounds, are removed by moving positions (not
//! velocities) apart, so that this adds no motion.

use glam::{DMat3, DQuat, DVec3, Mat3, Vec3};
use jostle::{ColumnsMut, D3, Proximity, Solving};

use super::turned;

/// Coulomb's coefficient.
const FRICTION: f32 = 0.5;
/// The number of rounds over all points.
const ROUNDS: usize = 8;
/// The number of rounds in which positions are moved apart, and the part of the overlap that each removes: between
/// grains, and out of walls.
const PUSHES: usize = 2;
const PART: f32 = 0.2;
const PART_OF_WALL: f32 = 0.8;
/// Overlaps that may stay, metres.
const SLOP: f32 = 5e-4;
/// How far the two positions of a point, one fixed on each grain, may slide apart, metres.
const SLIDE: f64 = 0.005;
/// Points nearer to each other than this count as one, metres.
const SAME: f64 = 0.01;

/// What the solver keeps of a grain besides the pipeline's columns.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Angular velocity, radians per second.
    pub spin: DVec3,
    /// The movement in this step, metres and radians.
    pub(super) shift: DVec3,
    pub(super) swing: DVec3,
    mass: f64,
    principal: DVec3,
    /// The inverse of the mass; 0 for a wall.
    lightness: f64,
    /// The inverse of the inertia, in the world's frame as of this step; 0 for a wall.
    nimbleness: Mat3,
}

impl Grain {
    /// A body that nothing moves.
    pub(super) const WALL: Self = Self {
        spin: DVec3::ZERO,
        shift: DVec3::ZERO,
        swing: DVec3::ZERO,
        mass: 0.0,
        principal: DVec3::ZERO,
        lightness: 0.0,
        nimbleness: Mat3::ZERO,
    };
    /// A grain at rest of so many kilogrammes, with its principal moments of inertia about its middle.
    pub(super) fn new(mass: f64, principal: DVec3) -> Self {
        Self { mass, principal, lightness: 1.0 / mass, ..Self::WALL }
    }
    pub(super) fn is_wall(&self) -> bool {
        self.mass == 0.0
    }
    pub(super) fn mass(&self) -> f64 {
        self.mass
    }
    pub(super) fn principal(&self) -> DVec3 {
        self.principal
    }
    pub(super) fn inertia(&self, rotation: DQuat) -> DMat3 {
        turned(rotation, self.principal)
    }
    pub(super) fn inverse_inertia(&self, rotation: DQuat) -> DMat3 {
        turned(rotation, DVec3::ONE / self.principal)
    }
}

/// What the pipeline keeps with each contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touch {
    count: u8,
    points: [Point; 4],
}

/// A point where two grains touch.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// Its position in the frames of the two grains.
    on: [Vec3; 2],
    /// The impulse of the last step: along the normal, and across it in the world's frame; newton seconds.
    pressed: f32,
    rubbed: Vec3,
}

/// A direction in which a point resists, and what a unit impulse along it does. In single precision, because the solver
/// reads it in every round, so it should fit the cache.
#[derive(Clone, Copy, Debug)]
struct Line {
    direction: Vec3,
    /// The cross product of lever and direction, for a and b.
    lever: [Vec3; 2],
    /// The change of their spins by a unit impulse.
    swirl: [Vec3; 2],
    /// The impulse that changes the velocity of b relative to a by 1.
    mass: f32,
    impulse: f32,
}

/// A point, ready for the solver.
#[derive(Clone, Copy, Debug)]
struct Joint {
    bodies: [u32; 2],
    lightness: [f32; 2],
    /// Along the normal, and two across it.
    lines: [Line; 3],
    gap: f32,
    /// The indices of the contact and of its point.
    place: (u32, u32),
}

/// The velocity and spin of a grain, or its shift and swing.
type Motion = [Vec3; 2];

/// The solver, with memory that it keeps from step to step.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    joints: Vec<Joint>,
    motions: Vec<Motion>,
}

impl Solver {
    /// Changes velocities and spins so that contacts hold, and sets each grain's shift and swing for `step` seconds.
    pub(super) fn solve(&mut self, world: Solving<'_, D3, f32, Touch>, grains: &mut [Grain], step: f64) {
        let Solving { contacts, data: touches, world: bodies, .. } = world;
        self.motions.clear();
        for (slot, grain) in grains.iter_mut().enumerate() {
            if !grain.is_wall() {
                grain.nimbleness = grain.inverse_inertia(DQuat::from_array(bodies.rotation[slot])).as_mat3();
            }
            self.motions.push([DVec3::from(bodies.velocity[slot]).as_vec3(), grain.spin.as_vec3()]);
        }
        self.joints.clear();
        for (index, (contact, touch)) in contacts.iter().zip(touches.iter_mut()).enumerate() {
            self.join(index, contact, touch, &bodies, grains);
        }
        let Self { joints, motions } = self;
        for joint in &*joints {
            for line in &joint.lines {
                push(joint, line, line.impulse, motions);
            }
        }
        let per_second = 1.0 / step as f32;
        let mut settle = |joint: &mut Joint| {
            let most = FRICTION * joint.lines[0].impulse;
            if most > 0.0 {
                set(joint, 1, 0.0, [-most, most], motions);
                set(joint, 2, 0.0, [-most, most], motions);
            }
            // Grains that overlap may stay as deep as they are, but not get deeper.
            set(joint, 0, joint.gap.max(0.0) * per_second, [0.0, f32::INFINITY], motions);
        };
        // Grains are numbered from below, after the walls. Forward and backward, so that forces travel both up and down
        // a heap in one round. Contacts with walls come last.
        for _ in 0..ROUNDS / 2 {
            joints.iter_mut().for_each(&mut settle);
            joints.iter_mut().rev().for_each(&mut settle);
        }
        for joint in &mut *joints {
            let (contact, point) = joint.place;
            let point = &mut touches[contact as usize].points[point as usize];
            let [normal, across, along] = &joint.lines;
            point.pressed = normal.impulse;
            point.rubbed = across.impulse * across.direction + along.impulse * along.direction;
        }
        for (slot, grain) in grains.iter_mut().enumerate().filter(|(_, grain)| !grain.is_wall()) {
            let [velocity, spin] = motions[slot].map(|part| part.as_dvec3());
            (bodies.velocity[slot], grain.spin) = (velocity.to_array(), spin);
        }
        for motion in motions.iter_mut() {
            *motion = motion.map(|part| part * step as f32);
        }
        for _ in 0..PUSHES {
            joints.iter().rev().for_each(|joint| part(joint, motions));
        }
        for (grain, motion) in grains.iter_mut().zip(motions) {
            [grain.shift, grain.swing] = motion.map(|part| part.as_dvec3());
        }
    }

    /// Updates the points of a contact and prepares them for the solver.
    fn join(
        &mut self,
        index: usize,
        contact: &Proximity<D3, f32>,
        touch: &mut Touch,
        bodies: &ColumnsMut<'_, D3>,
        grains: &[Grain],
    ) {
        let pair = [contact.a as usize, contact.b as usize];
        let middle = pair.map(|body| DVec3::from(bodies.position[body]));
        let rotation = pair.map(|body| DQuat::from_array(bodies.rotation[body]));
        let normal = DVec3::from(contact.normal.map(f64::from));
        let arms = |point: &Point| [0, 1].map(|k| rotation[k] * point.on[k].as_dvec3());
        let offset = |arms: [DVec3; 2]| middle[1] + arms[1] - middle[0] - arms[0];
        touch.retain(|point| {
            let apart = offset(arms(point));
            let gap = apart.dot(normal);
            gap < super::MARGIN && (apart - gap * normal).length_squared() < SLIDE * SLIDE
        });
        let witness = [contact.witness_a, contact.witness_b].map(DVec3::from);
        touch.take([0, 1].map(|k| (rotation[k].conjugate() * (witness[k] - middle[k])).as_vec3()));
        let [across, along]: [Vec3; 2] = normal.as_vec3().any_orthonormal_pair().into();
        let lightness = pair.map(|body| grains[body].lightness as f32);
        for (number, point) in touch.points[..touch.count as usize].iter().enumerate() {
            let arms = arms(point);
            let gap = offset(arms).dot(normal) as f32;
            let arms = arms.map(|arm| arm.as_vec3());
            let line = |direction: Vec3, impulse: f32| {
                let lever = arms.map(|arm| arm.cross(direction));
                let swirl = [0, 1].map(|k| grains[pair[k]].nimbleness * lever[k]);
                let give = lightness[0] + lightness[1] + lever[0].dot(swirl[0]) + lever[1].dot(swirl[1]);
                Line { direction, lever, swirl, mass: 1.0 / give, impulse }
            };
            let rubbed = point.rubbed;
            let lines = [
                line(normal.as_vec3(), point.pressed),
                line(across, rubbed.dot(across)),
                line(along, rubbed.dot(along)),
            ];
            let (bodies, place) = ([contact.a, contact.b], (index as u32, number as u32));
            self.joints.push(Joint { bodies, lightness, lines, gap, place });
        }
    }
}

impl Touch {
    fn retain(&mut self, keep: impl Fn(&Point) -> bool) {
        let mut kept = 0;
        for index in 0..self.count as usize {
            if keep(&self.points[index]) {
                self.points[kept] = self.points[index];
                kept += 1;
            }
        }
        self.count = kept as u8;
    }

    /// Adds a point; where there are four already, it replaces the one that is nearest to all others.
    fn take(&mut self, on: [Vec3; 2]) {
        let count = self.count as usize;
        let known = &mut self.points[..count];
        let near = |point: &&mut Point| (0..2).any(|k| (point.on[k] - on[k]).length_squared() < (SAME * SAME) as f32);
        if let Some(point) = known.iter_mut().find(near) {
            point.on = on;
            return;
        }
        let new = Point { on, ..Point::default() };
        if count < self.points.len() {
            self.points[count] = new;
            self.count += 1;
            return;
        }
        let far = |point: &Point| {
            let others = self.points.iter().map(|other| (other.on[0] - point.on[0]).length_squared());
            others.sum::<f32>() + (on[0] - point.on[0]).length_squared()
        };
        let distances = self.points.map(|point| far(&point));
        let midst = (0..distances.len()).min_by(|&i, &j| distances[i].total_cmp(&distances[j])).unwrap_or(0);
        self.points[midst] = new;
    }
}

/// Applies an impulse along a line: backward to a, forward to b.
fn push(joint: &Joint, line: &Line, impulse: f32, motions: &mut [Motion]) {
    for (k, sign) in [-impulse, impulse].into_iter().enumerate() {
        let [velocity, spin] = &mut motions[joint.bodies[k] as usize];
        *velocity += sign * joint.lightness[k] * line.direction;
        *spin += sign * line.swirl[k];
    }
}

/// How fast (or far) two grains move apart along a line.
fn parting(joint: &Joint, line: &Line, motions: &[Motion]) -> f32 {
    let [[a, spin_a], [b, spin_b]] = joint.bodies.map(|body| motions[body as usize]);
    line.direction.dot(b - a) + line.lever[1].dot(spin_b) - line.lever[0].dot(spin_a)
}

/// Sets a line's impulse, within bounds, so that the two approach along it at most at `closing` (across: do not slip).
fn set(joint: &mut Joint, line: usize, closing: f32, [least, most]: [f32; 2], motions: &mut [Motion]) {
    let Line { impulse, mass, .. } = joint.lines[line];
    let asked = impulse - (parting(joint, &joint.lines[line], motions) + closing) * mass;
    let set = asked.clamp(least, most);
    if set != impulse {
        joint.lines[line].impulse = set;
        push(joint, &joint.lines[line], set - impulse, motions);
    }
}

/// Moves two grains apart that overlap after the step, by a part of the overlap.
fn part(joint: &Joint, shifts: &mut [Motion]) {
    let line = &joint.lines[0];
    let depth = -(joint.gap + parting(joint, line, shifts)) - SLOP;
    if depth > 0.0 {
        let part = if joint.lightness.contains(&0.0) { PART_OF_WALL } else { PART };
        push(joint, line, part * depth * line.mass, shifts);
    }
}
