//! Where all shapes are balls the list holds pairs by their balls, not by their boxes. A body that moves along a
//! diagonal goes farther than any of its coordinates changes, and no pair may be missed because of that.

use jostle::{Body, D2, D3, Engine, Lattice, Pipeline, Proximity, Shape, Skin, periodic_contacts};
use jostle_tests::{Ground, Random, bits};

const MARGIN: f64 = 0.05;

/// Balls that walk along diagonals and turn back at the walls.
struct Walkers<S: Ground> {
    pipeline: Pipeline<S>,
    engine: Engine<S>,
    half_side: f64,
}

impl<S: Ground> Walkers<S> {
    fn new(random: &mut Random, count: usize, half_side: f64, skin: Skin) -> Self {
        let mut pipeline = Pipeline::new();
        pipeline.set_margin(MARGIN).expect("good");
        pipeline.set_skin(skin).expect("good");
        for _ in 0..8 {
            pipeline.add_shape(Shape::ball(random.range(0.02, 0.2)).expect("good")).expect("room");
        }
        for _ in 0..count {
            let shape = random.below(8) as u32;
            let position = S::array(|_| random.range(-half_side, half_side));
            let speed = random.range(0.0, 0.02);
            let body = Body::new(shape, position).with_velocity(S::array(|_| speed * random.sign()));
            pipeline.insert(body).expect("good");
        }
        Self { pipeline, engine: Engine::new(), half_side }
    }

    /// Moves all bodies a step and checks that the rows within the margin are those found from scratch. Returns whether
    /// the list was kept.
    fn step(&mut self) -> bool {
        let Self { pipeline, engine, half_side } = self;
        // Not by `columns_mut`, after which bodies would count as turned.
        let mut velocities = pipeline.velocities().to_vec();
        for (position, velocity) in pipeline.positions_mut().iter_mut().zip(&mut velocities) {
            for k in 0..S::DIMENSION {
                position[k] += velocity[k];
                if position[k].abs() > *half_side && position[k] * velocity[k] > 0.0 {
                    velocity[k] = -velocity[k];
                }
            }
        }
        pipeline.velocities_mut().copy_from_slice(&velocities);
        let frame = pipeline.update().expect("good");
        let mut rows = Vec::new();
        engine.contacts(&pipeline.columns().expect("good"), MARGIN, &mut rows).expect("good");
        let near = pipeline.contacts().iter().filter(|row| f64::from(row.distance) <= MARGIN);
        let all = |row: &Proximity<S, f32>| bits(row);
        assert_eq!(near.map(all).collect::<Vec<_>>(), rows.iter().map(all).collect::<Vec<_>>());
        frame.renewed == 0
    }
}

fn no_pair_is_missed<S: Ground>(count: usize, half_side: f64) {
    for (seed, skin) in [(1, Skin::Auto), (2, Skin::Fixed(0.15)), (3, Skin::Fixed(0.4))] {
        let random = &mut Random::new(seed);
        let mut walkers = Walkers::<S>::new(random, count, half_side, skin);
        let mut kept = 0;
        for frame in 0..240 {
            // With a look-ahead, boxes reach ahead of their bodies.
            let look_ahead = if (40..80).contains(&frame) { 2.0 } else { 0.0 };
            walkers.pipeline.set_look_ahead(look_ahead).expect("good");
            kept += usize::from(walkers.step());
        }
        assert!(kept > 60, "{kept} lists kept with {skin:?}");
    }
}

#[test]
fn no_pair_is_missed_along_a_diagonal() {
    no_pair_is_missed::<D2>(300, 4.0);
    no_pair_is_missed::<D3>(300, 1.6);
}

/// The same where space repeats: bodies move on without end, and now and then some are moved by vectors of the lattice.
fn no_pair_is_missed_around<S: Ground>(lattice: &Lattice<S>, count: usize, half_side: f64) {
    for (seed, skin) in [(5, Skin::Auto), (6, Skin::Fixed(0.15)), (7, Skin::Fixed(0.4))] {
        let random = &mut Random::new(seed);
        let Walkers { mut pipeline, .. } = Walkers::<S>::new(random, count, half_side, skin);
        pipeline.set_lattice(*lattice);
        let (mut kept, mut of_images) = (0, 0);
        for frame in 0..240 {
            let velocities = pipeline.velocities().to_vec();
            for (position, velocity) in pipeline.positions_mut().iter_mut().zip(&velocities) {
                let vectors = if random.chance(0.02) { [(); 3].map(|()| random.below(3) as i32 - 1) } else { [0; 3] };
                let shift = lattice.shift(vectors);
                *position = S::array(|k| position[k] + velocity[k] + shift[k]);
            }
            let report = pipeline.update().expect("good");
            kept += usize::from(report.renewed == 0);
            let columns = pipeline.columns().expect("good");
            let expected = periodic_contacts::<f32, _, _>(&columns, lattice, MARGIN, u64::MAX).expect("good");
            let expected: Vec<_> =
                expected.iter().map(|found| (found.row.a, found.row.b, found.image, bits(&found.row))).collect();
            let found =
                pipeline.contacts().iter().zip(pipeline.images()).map(|(row, &image)| (row.a, row.b, image, bits(row)));
            let mut found: Vec<_> = found.collect();
            found.sort_by_key(|&(a, b, image, _)| (a, b, image));
            of_images += found.iter().filter(|found| found.2 != [0; 3]).count();
            assert_eq!(found, expected, "frame {frame} with {skin:?}");
        }
        assert!(kept > 60 && of_images > 1000, "{kept} lists kept, {of_images} images met with {skin:?}");
    }
}

#[test]
fn nor_where_space_repeats() {
    let channel = Lattice::orthogonal([8.0, 0.0]).expect("good");
    no_pair_is_missed_around::<D2>(&channel, 300, 4.0);
    let leaning = Lattice::triclinic(&[[3.2, 0.0, 0.0], [1.0, 3.2, 0.0], [-0.7, 1.4, 3.2]]).expect("good");
    no_pair_is_missed_around::<D3>(&leaning, 300, 1.6);
}

#[test]
fn a_box_among_balls_changes_nothing() {
    let random = &mut Random::new(4);
    let mut walkers = Walkers::<D3>::new(random, 300, 1.6, Skin::Fixed(0.3));
    let mut kept = 0;
    for round in 0..6 {
        for _ in 0..7 {
            walkers.step();
        }
        // A box, which turns, listed beside balls.
        let shape = walkers.pipeline.add_shape(Shape::cuboid([0.3, 0.2, 0.1]).expect("good")).expect("room");
        let body = Body::new(shape, [0.1 * f64::from(round), 0.0, 0.0]).with_velocity([0.01, 0.01, 0.01]);
        let cuboid = walkers.pipeline.insert(body).expect("good");
        for turn in 0..20 {
            let half = 0.05 * f64::from(turn);
            walkers.pipeline.rotations_mut()[cuboid.index()] = [half.sin(), 0.0, 0.0, half.cos()];
            kept += usize::from(walkers.step());
        }
        walkers.pipeline.remove(cuboid).expect("there");
        walkers.pipeline.remove_shape(shape).expect("not in use");
    }
    assert!(kept > 30, "{kept} of 120 lists are kept");
}
