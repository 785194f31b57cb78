//! The nearest few of each body, checked against the distances of all pairs.

use jostle::{
    Bodies, Body, CustomShape, D2, D3, Neighbour, Neighbours, Pose, Precision, Shape, Sum, distance, nearest,
    nearest_between,
};
use jostle_tests::{Ground, Layout, Random, on_threads};

/// The nearest few by the distances of all pairs: for each of `agents` the nearest of `others`, whose indices count
/// from the first of them.
fn by_force<S: Ground, T: Precision, U: CustomShape<S>>(
    bodies: &Bodies<S, U>,
    agents: core::ops::Range<u32>,
    others: core::ops::Range<u32>,
    most: usize,
) -> Vec<Vec<(T, u32)>> {
    let columns = bodies.columns();
    let of = |agent: u32| {
        let met: Vec<u32> = others.clone().filter(|&b| b != agent && columns.filters().meet(agent, b)).collect();
        let pairs: Vec<[u32; 2]> = met.iter().map(|&b| [agent.min(b), agent.max(b)]).collect();
        let rows = distance::<T, _, _>(&columns, &pairs).expect("good pairs");
        let mut near: Vec<(T, u32)> = rows.iter().map(|row| row.distance).zip(met).collect();
        near.sort_by(|a, b| (a.0.to_f64() + 0.0).total_cmp(&(b.0.to_f64() + 0.0)).then(a.1.cmp(&b.1)));
        near.truncate(most);
        near.iter().map(|&(distance, b)| (distance, b - others.start)).collect()
    };
    agents.map(of).collect()
}

/// Distance as bits, and body.
fn told<S: Ground, T: Precision>(near: &[Neighbour<S, T>]) -> Vec<(u64, u32)> {
    near.iter().map(|near| (near.distance.to_f64().to_bits(), near.body)).collect()
}

fn held_against_all<S: Ground, T: Precision>(seed: u64) {
    let mut random = Random::new(seed);
    let mut neighbours = Neighbours::<S, T>::default();
    for layout in Layout::ALL {
        for (count, most) in [(0, 3), (1, 3), (2, 1), (40, 0), (40, 100), (300, 1), (300, 8), (700, 5)] {
            let bodies = layout.draw::<S>(count, &mut random);
            let all = 0..count as u32;
            let expected = by_force::<S, T, _>(&bodies, all.clone(), all, most);
            for threads in [1, 3] {
                on_threads(threads, || nearest(&bodies.columns(), most, &mut neighbours)).expect("good");
                for (agent, expected) in expected.iter().enumerate() {
                    let expected: Vec<(u64, u32)> = expected.iter().map(|(d, b)| (d.to_f64().to_bits(), *b)).collect();
                    assert_eq!(told(neighbours.of(agent)), expected, "{layout:?}, body {agent} of {count}, {most}");
                }
            }
            for agent in 0..count {
                for near in neighbours.of(agent) {
                    let apart = |k: usize| near.point[k] - near.own_point[k];
                    let along: f64 = (0..S::DIMENSION).map(|k| apart(k) * near.direction[k].to_f64()).sum();
                    let bodies = bodies.columns();
                    let sizes = bodies.shape(agent).reach() + bodies.shape(near.body as usize).reach();
                    let allowed = 1e-4 * near.distance.to_f64().abs().max(1.0) + 4e-6 * sizes;
                    assert!((along - near.distance.to_f64()).abs() < allowed, "{near:?}");
                }
            }
        }
    }
}

#[test]
fn the_nearest_few_are_those_of_all_pairs_in_the_plane() {
    held_against_all::<D2, f32>(1);
    held_against_all::<D2, f64>(2);
}

#[test]
fn the_nearest_few_are_those_of_all_pairs_in_space() {
    held_against_all::<D3, f32>(3);
    held_against_all::<D3, f64>(4);
}

/// Balls and boxes a unit apart, one of them alone and far away, in units whose squares or cubes may be beyond the
/// range of `f32`.
#[test]
fn units_may_be_very_small_or_large() {
    let mut random = Random::new(7);
    for unit in [1e-36, 1e-30, 1e-24, 1e-23, 5e-23, 2e-22, 1e-21, 1e-18, 1e-6, 1e6, 1e12] {
        let mut bodies = Bodies::<D3>::new();
        bodies.add_shape(Shape::ball(0.25 * unit).expect("good")).expect("one");
        bodies.add_shape(Shape::cuboid([0.25 * unit, 0.5 * unit, 0.125 * unit]).expect("good")).expect("one");
        for body in 0..150 {
            let place = core::array::from_fn(|_| if body == 70 { 900.0 * unit } else { random.range(0.0, 5.0) * unit });
            bodies.push(Body::new(body % 2, place)).expect("good");
        }
        let expected = by_force::<D3, f64, _>(&bodies, 0..150, 0..150, 4);
        let mut neighbours = Neighbours::<D3, f64>::default();
        nearest(&bodies.columns(), 4, &mut neighbours).expect("good");
        for (agent, expected) in expected.into_iter().enumerate() {
            let found: Vec<(f64, u32)> = neighbours.of(agent).iter().map(|near| (near.distance, near.body)).collect();
            assert_eq!(found, expected, "{unit}: {agent}");
        }
    }
}

/// Small bodies beside large ones, from 10^5 to 2 * 10^9 times their size: at the scale of the largest, the gaps
/// between the small ones are below the rounding of `f32`.
fn giants_hide_nothing<T: Precision>(seed: u64) {
    let mut random = Random::new(seed);
    for giant in [1e3, 1e5, 1e6, 1e7, 1e7, 1e7] {
        for round in [false, true] {
            let giant = giant * random.range(1.0, 2.0);
            let mut bodies = Bodies::<D3>::new();
            bodies.add_shape(Shape::ball(0.01).expect("good")).expect("a few");
            let plate = || Shape::cuboid([giant, 1.0, giant]).expect("good").rounded(0.125);
            let shape = if round { Shape::ball(giant) } else { plate() };
            bodies.add_shape(shape.expect("good")).expect("a few");
            // Its surface goes through the origin, its middle is far to the side.
            let slope: f64 = random.range(-0.9, 0.9);
            let up = [slope, (1.0 - slope * slope).sqrt(), 0.0];
            let place =
                if round { up.map(|x| -x * giant) } else { [random.range(-0.9, 0.9) * giant, -1.125, 0.5 * giant] };
            bodies.push(Body::new(1, place)).expect("good");
            // Another, out of the way, so that the small ones are in the middle.
            bodies.push(Body::new(0, place.map(|x| -x))).expect("good");
            for _ in 0..200 {
                let place = [random.range(-1.0, 1.0), random.range(0.0, 0.2), random.range(-1.0, 1.0)];
                bodies.push(Body::new(0, place)).expect("good");
            }
            for most in [1, 3] {
                let mut neighbours = Neighbours::<D3, T>::default();
                nearest(&bodies.columns(), most, &mut neighbours).expect("good");
                for (agent, expected) in by_force::<D3, T, _>(&bodies, 0..202, 0..202, most).into_iter().enumerate() {
                    let expected: Vec<(u64, u32)> = expected.iter().map(|(d, b)| (d.to_f64().to_bits(), *b)).collect();
                    assert_eq!(told(neighbours.of(agent)), expected, "{giant} {round}: body {agent}, {most}");
                }
            }
        }
    }
}

#[test]
fn giants_hide_no_small_body() {
    giants_hide_nothing::<f32>(9);
    giants_hide_nothing::<f64>(10);
}

#[test]
fn sums_may_be_far_from_the_origin_of_their_frame() {
    let mut random = Random::new(8);
    let mut bodies = Bodies::<D3, Sum<D3>>::new();
    let ball = Shape::<D3>::ball(0.25).expect("good");
    let plate = Shape::<D3>::cuboid([0.5, 0.125, 0.25]).expect("good");
    bodies.add_shape(ball.clone().with_custom()).expect("a few");
    for place in [[0.0; 3], [4.0, 0.0, 0.0], [0.0, -3.0, 9.0]] {
        let sum = Shape::sum((&plate, Pose::at(place)), (&ball, Pose::default())).expect("good");
        bodies.add_shape(sum).expect("a few");
    }
    for body in 0..300 {
        let place = core::array::from_fn(|_| random.range(-6.0, 6.0));
        bodies.push(Body::new(body % 4, place).with_rotation(D3::any_rotation(&mut random))).expect("good");
    }
    let mut neighbours = Neighbours::<D3, f64>::default();
    nearest(&bodies.columns(), 3, &mut neighbours).expect("good");
    for (agent, expected) in by_force::<D3, f64, _>(&bodies, 0..300, 0..300, 3).into_iter().enumerate() {
        let found: Vec<(f64, u32)> = neighbours.of(agent).iter().map(|near| (near.distance, near.body)).collect();
        assert_eq!(found, expected, "{agent}");
    }
}

#[test]
fn agents_that_are_not_in_the_scene_are_answered_as_if_they_were() {
    let mut random = Random::new(5);
    let mut neighbours = Neighbours::<D3>::default();
    for layout in Layout::ALL {
        let (agents, bodies) = (layout.draw::<D3>(60, &mut random), layout.draw::<D3>(500, &mut random));
        let mut both = agents.clone();
        for shape in bodies.shapes() {
            both.add_shape(shape.clone()).expect("a few");
        }
        for index in 0..bodies.len() {
            let body = bodies.get(index);
            both.push(Body { shape: body.shape + agents.shapes().len() as u32, ..body }).expect("valid");
        }
        nearest_between(&agents.columns(), &bodies.columns(), 6, &mut neighbours).expect("good");
        for (agent, expected) in by_force::<D3, f32, _>(&both, 0..60, 60..560, 6).into_iter().enumerate() {
            let found: Vec<(f32, u32)> = neighbours.of(agent).iter().map(|near| (near.distance, near.body)).collect();
            assert_eq!(found, expected, "{layout:?} {agent}");
        }
        assert!(neighbours.of(60).is_empty());
    }
}

#[test]
fn as_many_as_there_are_may_be_asked_for() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.3).expect("good")).expect("one");
    for at in 0..1200 {
        bodies.push(Body::new(disc, [f64::from(at), 0.0])).expect("good");
    }
    let mut neighbours = Neighbours::<D2>::default();
    nearest(&bodies.columns(), usize::MAX, &mut neighbours).expect("good");
    assert_eq!(neighbours.of(7).len(), 1199);
    assert_eq!(neighbours.of(7).last().map(|near| near.body), Some(1199));
}

#[test]
fn a_large_scene_is_the_same_for_any_number_of_threads() {
    let mut random = Random::new(6);
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.3).expect("good")).expect("one");
    for _ in 0..30_000 {
        bodies.push(Body::new(disc, [random.range(0.0, 200.0), random.range(0.0, 200.0)])).expect("good");
    }
    let mut told = [1, 2, 3].map(|threads| {
        let mut neighbours = Neighbours::<D2>::default();
        on_threads(threads, || nearest(&bodies.columns(), 8, &mut neighbours)).expect("good");
        (0..bodies.len()).flat_map(|agent| told(neighbours.of(agent))).collect::<Vec<_>>()
    });
    assert_eq!(told[0].len(), 240_000);
    told.rotate_left(1);
    assert!(told.iter().all(|one| *one == told[0]));
}
