//! The scene of moving frames: a crowd with one body per unit of area (in space: of volume), in which each body moves
//! by a share of its size each frame, in a random direction, and may turn.

use jostle::{Dimension, Shape};

use crate::kinds::{DrawSpace, Kind};
use crate::pairs::Pairs;
use crate::random::Random;

/// A crowd and how it moves.
#[derive(Clone, Debug)]
pub struct Crowd<S: Dimension> {
    /// Shapes and bodies, as rivals take them; no pairs are listed.
    pub bodies: Pairs<S>,
    steps: Vec<f64>,
    /// Radians a frame.
    turning: f64,
    random: Random,
}

impl<S: DrawSpace> Crowd<S> {
    /// `count` bodies of a kind, about 0.5 across, that move by `motion` times their size a frame; pairs up to `margin`
    /// apart will be queried.
    ///
    /// # Panics
    /// If jostle refuses a shape, which is then a mistake here.
    pub fn new(kind: Kind, count: usize, margin: f64, motion: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let shapes: Vec<Shape<S>> = (0..kind.shapes(2 * count)).map(|_| scaled(&S::shape(kind, &mut random))).collect();
        let shape: Vec<u32> = (0..count).map(|_| random.below(shapes.len()) as u32).collect();
        let side = (count as f64).powf(1.0 / S::DIMENSION as f64);
        let position = (0..count).map(|_| S::array(|_| random.between(0.0, side))).collect();
        let rotation = (0..count).map(|_| S::rotation(&mut random)).collect();
        let steps = shape.iter().map(|&shape| 2.0 * motion * shapes[shape as usize].reach()).collect();
        let bodies = Pairs { shapes, shape, position, rotation, pairs: Vec::new(), furthest: margin };
        Self { bodies, steps, turning: 0.0, random }
    }

    /// The same, with each body turning by so many radians a frame.
    pub fn turning(self, turning: f64) -> Self {
        Self { turning, ..self }
    }

    /// The next frame.
    pub fn advance(&mut self) {
        for (position, step) in self.bodies.position.iter_mut().zip(&self.steps) {
            let way = S::direction(&mut self.random);
            *position = S::array(|k| position[k] + step * way[k]);
        }
        if self.turning > 0.0 {
            for rotation in &mut self.bodies.rotation {
                *rotation = S::turned(*rotation, self.turning, &mut self.random);
            }
        }
    }
}

/// The same shape with a bounding radius of a quarter.
fn scaled<S: DrawSpace>(shape: &Shape<S>) -> Shape<S> {
    use jostle::Core;
    let factor = 0.25 / shape.reach();
    let radius = shape.radius() * factor;
    let core = match shape.core() {
        Core::Point => Shape::ball(0.0),
        Core::Segment { half_length } => Shape::capsule(half_length * factor, 0.0),
        Core::Box { half_extents } => Shape::cuboid(S::array(|k| half_extents[k] * factor)),
        Core::Hull(hull) => {
            let points: Vec<S::Array<f64>> = (0..hull.len())
                .map(|i| {
                    let point = hull.point(i);
                    S::array(|k| (point[k] + hull.centre()[k]) * factor)
                })
                .collect();
            Shape::convex(&points)
        }
        core => unreachable!("{core:?} is in no crowd"),
    };
    match core.and_then(|core| core.rounded(radius)) {
        Ok(shape) => shape,
        Err(error) => unreachable!("{error}"),
    }
}
