//! The narrowphase's scene: pairs of bodies at chosen distances, each body in one pair, in random order in memory.
//!
//! A quarter of the pairs overlaps by 0 to 0.3 of their mean bounding radius, a quarter is within 0.1 of it, half up to
//! 2 apart. Rotations and the direction between the centres are random; the second body is moved to its distance along
//! that direction, so that faces, edges and corners meet as often as they do by chance.

use std::hint::black_box;

use jostle::{Columns, Dimension, Narrowphase, Precision, Proximity, Rotations, Shape};

use crate::kinds::{DrawSpace, Kind};
use crate::random::Random;

/// Half the side of the region that the pairs are spread over.
const WORLD: f64 = 50.0;
/// Newton steps towards a distance, which is convex along a line: they approach it from outside and do not overshoot.
const STEPS: usize = 8;

/// How far apart the two of each pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// A quarter overlaps, a quarter is near, half further apart: as the head of this file says.
    All,
    /// All touch, except for rounding, as bodies at rest on each other do.
    Touching,
    /// All overlap by up to 5 % of their size, which is twice the mean bounding radius.
    Shallow,
    /// All overlap, between touching and centres in one place: the distance of the centres is a random share of that at
    /// which the bodies touch.
    Deep,
}

/// Bodies and the pairs to be queried.
#[derive(Clone, Debug)]
pub struct Pairs<S: Dimension> {
    /// The shapes.
    pub shapes: Vec<Shape<S>>,
    /// Each body's shape.
    pub shape: Vec<u32>,
    /// Each body's position.
    pub position: Vec<S::Array<f64>>,
    /// Each body's rotation.
    pub rotation: Vec<S::Rotation<f64>>,
    /// The pairs.
    pub pairs: Vec<[u32; 2]>,
    /// No pair is further apart than this.
    pub furthest: f64,
}

/// Distances that are computed again and again, with memory that is kept.
#[derive(Debug)]
pub struct Distances<S: Dimension, T: Precision = f32> {
    narrowphase: Narrowphase<S, T>,
    /// The answers.
    pub rows: Vec<Proximity<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Distances<S, T> {
    fn default() -> Self {
        Self { narrowphase: Narrowphase::new(), rows: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> Distances<S, T> {
    /// Computes those of `pairs`. The bodies must be valid.
    ///
    /// # Panics
    /// If jostle refuses them, which is then a mistake here.
    pub fn ask(&mut self, bodies: &Columns<'_, S>, pairs: &[[u32; 2]]) {
        let asked = self.narrowphase.distance(bodies, black_box(pairs), black_box(&mut self.rows));
        asked.unwrap_or_else(|error| unreachable!("{error}"));
    }
}

impl<S: DrawSpace> Pairs<S> {
    /// The scene of a kind, a number of pairs and a seed.
    ///
    /// # Panics
    /// If jostle refuses a shape or body, which is then a mistake here.
    pub fn new(kind: Kind, count: usize, seed: u64) -> Self {
        Self::spread(kind, Spread::All, count, seed)
    }

    /// The same, as far apart as `spread` says.
    ///
    /// # Panics
    /// If jostle refuses a shape or body, which is then a mistake here.
    pub fn spread(kind: Kind, spread: Spread, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let bodies = 2 * count;
        let shapes: Vec<Shape<S>> = (0..kind.shapes(bodies)).map(|_| S::shape(kind, &mut random)).collect();
        // Every shape is used once before any is used twice.
        let mut shape: Vec<u32> = (0..bodies).map(|body| (body % shapes.len()) as u32).collect();
        random.shuffle(&mut shape);
        let pairs = Self::meet(count, &mut random);
        Self::place(shapes, shape, pairs, spread, &mut random)
    }

    /// Pairs of a body of either kind, in either order.
    ///
    /// # Panics
    /// If jostle refuses a shape or body, which is then a mistake here.
    pub fn of_two(kinds: [Kind; 2], count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let [of_first, of_second] = kinds.map(|kind| kind.shapes(count));
        let mut shapes: Vec<Shape<S>> = Vec::with_capacity(of_first + of_second);
        shapes.extend((0..of_first).map(|_| S::shape(kinds[0], &mut random)));
        shapes.extend((0..of_second).map(|_| S::shape(kinds[1], &mut random)));
        let pairs = Self::meet(count, &mut random);
        let mut shape = vec![0; 2 * count];
        for (number, &pair) in pairs.iter().enumerate() {
            let drawn = [number % of_first, of_first + number % of_second].map(|drawn| drawn as u32);
            let swapped = random.below(2);
            shape[pair[swapped] as usize] = drawn[0];
            shape[pair[1 - swapped] as usize] = drawn[1];
        }
        Self::place(shapes, shape, pairs, Spread::All, &mut random)
    }

    /// So many pairs of bodies that are in no other, in random order.
    fn meet(count: usize, random: &mut Random) -> Vec<[u32; 2]> {
        let mut order: Vec<u32> = (0..2 * count as u32).collect();
        random.shuffle(&mut order);
        order.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
    }

    /// Puts the bodies of each pair as far apart as `spread` says.
    fn place(
        shapes: Vec<Shape<S>>,
        shape: Vec<u32>,
        pairs: Vec<[u32; 2]>,
        spread: Spread,
        random: &mut Random,
    ) -> Self {
        let (count, bodies) = (pairs.len(), shape.len());
        let rotation = (0..bodies).map(|_| S::rotation(random)).collect();
        let mut position: Vec<S::Array<f64>> =
            (0..bodies).map(|_| S::array(|_| random.between(-WORLD, WORLD))).collect();

        // Bounding balls apart, along a random direction.
        let mut ways = Vec::with_capacity(count);
        let mut targets = Vec::with_capacity(count);
        for (index, &[a, b]) in pairs.iter().enumerate() {
            let reach = |body: u32| shapes[shape[body as usize] as usize].reach();
            let mean = 0.5 * (reach(a) + reach(b));
            targets.push(match (spread, index % 4) {
                (Spread::All, 0) => -mean * random.between(0.0, 0.3),
                (Spread::All, 1) => mean * random.between(0.0, 0.1),
                (Spread::All, _) => mean * random.between(0.0, 2.0),
                (Spread::Shallow, _) => -2.0 * mean * random.between(0.0, 0.05),
                (Spread::Touching | Spread::Deep, _) => 0.0,
            });
            let way = S::direction(random);
            let start = position[a as usize];
            position[b as usize] = S::array(|k| start[k] + way[k] * 4.5 * mean);
            ways.push(way);
        }
        // Bodies that touch are apart by rounding, also by that of the rivals' numbers, which are `f32`.
        let nearest = if spread == Spread::Touching { 1e-3 } else { 0.0 };
        let furthest = targets.iter().copied().fold(nearest, f64::max);
        let mut scene = Self { shapes, shape, position, rotation, pairs, furthest };

        let mut distances = Distances::<S, f64>::default();
        for _ in 0..STEPS {
            distances.ask(&scene.columns(), &scene.pairs);
            for ((&[_, b], row), (way, target)) in
                scene.pairs.iter().zip(&distances.rows).zip(ways.iter().zip(&targets))
            {
                // Pairs that shall overlap are first moved close together, where their normal is certain.
                let excess = row.distance - target.max(1e-3);
                let slope: f64 = (0..S::DIMENSION).map(|k| row.normal[k] * way[k]).sum();
                let to = &mut scene.position[b as usize];
                for k in 0..S::DIMENSION {
                    to[k] -= way[k] * excess / slope;
                }
            }
        }
        distances.ask(&scene.columns(), &scene.pairs);
        for ((&[_, b], row), target) in scene.pairs.iter().zip(&distances.rows).zip(&targets) {
            if *target < 1e-3 {
                for k in 0..S::DIMENSION {
                    scene.position[b as usize][k] += row.normal[k] * (target - row.distance);
                }
            }
        }
        if spread == Spread::Deep {
            for &[a, b] in &scene.pairs {
                let share = random.between(0.0, 1.0);
                let from = scene.position[a as usize];
                let to = &mut scene.position[b as usize];
                for k in 0..S::DIMENSION {
                    to[k] = from[k] + share * (to[k] - from[k]);
                }
            }
        }
        // So that the distances of consecutive pairs do not follow the pattern of the targets.
        random.shuffle(&mut scene.pairs);
        scene
    }
}

impl<S: Dimension> Pairs<S> {
    /// The bodies as jostle takes them.
    pub fn columns(&self) -> Columns<'_, S> {
        Columns::new(&self.shapes, &self.shape, &self.position, Rotations::Double(&self.rotation))
            .unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// The pairs sorted by the kinds of their two shapes, as a caller might sort them for speed.
    pub fn sorted_by_kind(&self) -> Vec<[u32; 2]> {
        let kind = |body: u32| core::mem::discriminant(self.shapes[self.shape[body as usize] as usize].core());
        let mut kinds = Vec::new();
        for &body in self.pairs.as_flattened() {
            if !kinds.contains(&kind(body)) {
                kinds.push(kind(body));
            }
        }
        let place = |body: u32| kinds.iter().position(|&known| known == kind(body));
        let mut pairs = self.pairs.clone();
        pairs.sort_by_key(|&[a, b]| (place(a).min(place(b)), place(a).max(place(b))));
        pairs
    }
}
