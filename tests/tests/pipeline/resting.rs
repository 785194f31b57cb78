//! Where most bodies rest, the few that move still have a skin: the list is not mended in every frame, and no pair is
//! missed.

use jostle::{Body, D2, D3, Engine, Lattice, Pipeline, Shape};
use jostle_tests::{Ground, Random, bits};

const MARGIN: f64 = 0.1;

/// Of `count` bodies one in `one_in` moves, nearly straight on or in a random direction each frame, and the others
/// rest.
fn few_walk<S: Ground>(count: usize, one_in: usize, straight: bool, half_side: f64, seed: u64) {
    let random = &mut Random::new(seed);
    let mut pipeline = Pipeline::<S>::new();
    pipeline.set_margin(MARGIN).expect("good");
    let corners: Vec<_> = (0..8).map(|corner| S::array(|k| 0.3 * f64::from(corner >> k & 1) - 0.15)).collect();
    let shapes = [Shape::ball(0.15), Shape::cuboid(S::array(|_| 0.12)), Shape::convex(&corners)];
    let shapes = shapes.map(|shape| pipeline.add_shape(shape.expect("good")).expect("room"));
    for _ in 0..count {
        let place = S::array(|_| random.range(-half_side, half_side));
        pipeline.insert(Body::new(random.pick(&shapes), place)).expect("good");
    }
    let mut ways: Vec<_> = (0..count).map(|_| S::direction(random)).collect();
    let (mut engine, mut rows, mut mended) = (Engine::<S>::new(), Vec::new(), 0);
    for frame in 0..300 {
        for (position, way) in pipeline.positions_mut().iter_mut().zip(&mut ways).step_by(one_in) {
            if !straight || random.chance(0.01) {
                *way = S::direction(random);
            }
            for k in 0..S::DIMENSION {
                way[k] = if position[k].abs() > half_side { -way[k].abs() * position[k].signum() } else { way[k] };
            }
            *position = S::array(|k| position[k] + 0.01 * way[k]);
        }
        let report = pipeline.update().expect("good");
        mended += usize::from(frame >= 20 && report.renewed > 0);
        engine.contacts(&pipeline.columns().expect("good"), MARGIN, &mut rows).expect("good");
        let found = pipeline.contacts().iter().map(bits).collect::<Vec<_>>();
        assert_eq!(found, rows.iter().map(bits).collect::<Vec<_>>(), "frame {frame}");
    }
    assert!(mended < 140, "{mended} of 280 frames have mended the list");
}

#[test]
fn bodies_that_move_among_many_at_rest_have_a_skin() {
    for (seed, one_in) in [(1, 400), (2, 100), (3, 20), (4, 7)] {
        for straight in [true, false] {
            few_walk::<D2>(800, one_in, straight, 6.0, seed);
            few_walk::<D3>(800, one_in, straight, 2.5, seed + 10);
        }
    }
}

/// Fast bodies have thick skins, the others have none: the list does not fill up with pairs at rest.
#[test]
fn bodies_at_rest_have_no_skin_because_of_fast_ones() {
    let random = &mut Random::new(9);
    for step in [0.1, 0.3, 1.0, 5.0] {
        let mut pipeline = Pipeline::<D2>::new();
        pipeline.set_margin(MARGIN).expect("good");
        let disc = pipeline.add_shape(Shape::ball(0.25).expect("good")).expect("room");
        for _ in 0..5000 {
            let place = [(); 2].map(|()| random.range(0.0, 70.0));
            pipeline.insert(Body::new(disc, place)).expect("good");
        }
        let at_rest = pipeline.update().expect("good").candidates;
        let mut mended = 0;
        for frame in 0..120 {
            for (walker, position) in pipeline.positions_mut().iter_mut().step_by(500).enumerate() {
                // Up and down.
                let forward = (frame + 7 * walker) / 12 % 2 == 0;
                position[walker % 2] += if forward { step } else { -step };
            }
            let report = pipeline.update().expect("good");
            mended += usize::from(report.renewed > 0);
            assert!(report.candidates < 2 * at_rest, "{} for {at_rest} in frame {frame}, {step}", report.candidates);
        }
        assert!(step > 0.5 || mended < 90, "{mended} of 120 frames have mended the list, {step}");
    }
}

/// A field of discs that have taken long steps.
fn field_after_long_steps(lattice: Lattice<D2>) -> Pipeline<D2> {
    let (random, mut field) = (&mut Random::new(7), Pipeline::<D2>::new());
    field.set_lattice(lattice);
    field.set_margin(MARGIN).expect("good");
    let disc = field.add_shape(Shape::ball(0.25).expect("good")).expect("room");
    for i in 0..2500 {
        field.insert(Body::new(disc, [0.6 * f64::from(i % 50), 0.6 * f64::from(i / 50)])).expect("good");
    }
    for _ in 0..10 {
        for position in field.positions_mut() {
            *position = position.map(|x| x + random.range(-0.2, 0.2));
        }
        field.update().expect("good");
    }
    field
}

/// Where a list is made as a whole, all boxes have the skin: it is not chosen as if only those of bodies that move had
/// one. (Without any that moved, skins grew from list to list until all pairs were on it.)
#[test]
fn lists_that_are_made_as_a_whole_while_bodies_rest_stay_short() {
    /// Eight a disc, of 1,250 that there are in all.
    const FEW: usize = 8 * 2500;
    let mut field = field_after_long_steps(Lattice::default());
    for frame in 0..14 {
        field.set_margin(MARGIN + 0.001 * f64::from(frame)).expect("good");
        let candidates = field.update().expect("good").candidates;
        assert!(candidates < FEW, "{candidates} in frame {frame}");
    }
    // The same while one body walks, with a look-ahead that changes.
    for frame in 0..30 {
        field.positions_mut()[1200][0] += 0.05;
        field.set_look_ahead(0.01 + 0.0001 * f64::from(frame)).expect("good");
        let candidates = field.update().expect("good").candidates;
        assert!(candidates < FEW, "{candidates} in frame {frame}");
    }
    // And where space repeats, as bodies come.
    let mut field = field_after_long_steps(Lattice::orthogonal([30.0; 2]).expect("good"));
    for frame in 0..14 {
        let disc = field.get(field.handle_at(0).expect("there")).expect("there").shape;
        field.insert(Body::new(disc, [2.0 * f64::from(frame), 1.0])).expect("good");
        let candidates = field.update().expect("good").candidates;
        assert!(candidates < FEW, "{candidates} in frame {frame}");
    }
}

/// A skin from open space, where steps were long, does not reach past more images than can be listed.
#[test]
fn a_skin_of_open_space_is_not_one_of_a_cell() {
    let mut pair = Pipeline::<D3>::new();
    let ball = pair.add_shape(Shape::ball(0.5).expect("good")).expect("room");
    for i in 0..2 {
        pair.insert(Body::new(ball, [5.0 * f64::from(i), 0.0, 0.0])).expect("good");
    }
    for frame in 0..6 {
        for (i, position) in pair.positions_mut().iter_mut().enumerate() {
            position[i % 3] += 90.0 * ((7 * frame + i) % 5) as f64;
        }
        pair.update().expect("good");
    }
    pair.set_lattice(Lattice::orthogonal([10.0; 3]).expect("good"));
    for frame in 0..20 {
        pair.update().unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }
}
