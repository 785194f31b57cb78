//! Pairs that once had a wrong or no answer, found by the soak program or by users: `data/soak`. Each answer is checked
//! against its bodies, in both precisions and both orders.

use std::path::Path;

use jostle::{Bodies, Body, Boundary, Columns, D3, Minimum, Precision, Shape, Status};
use jostle_scene::{AnyScene, Scene, read_scene_file};
use jostle_tests::{Ground, Random, V, full, tolerance};

fn holds<S: Ground, T: Precision>(columns: &Columns<'_, S>, pairs: &[[u32; 2]], name: &str) {
    let said = jostle::overlap::<T, _, _>(columns, pairs, Boundary::Closed).expect("good bodies");
    for (row, overlap) in jostle::distance::<T, _, _>(columns, pairs).expect("good bodies").into_iter().zip(said) {
        assert_eq!(overlap, row.status != Status::Separated, "{name}, {}: {row:?}", T::NAME);
        assert_ne!(row.status, Status::Unconverged, "{name}, {}: {row:?}", T::NAME);
        if let Err(failures) = full(columns, &row, &tolerance(&row)) {
            panic!("{name}, {}: {row:?}\n{failures:?}", T::NAME);
        }
    }
}

fn both_ways<S: Ground>(scene: &Scene<S>, name: &str) {
    let mut pairs = scene.pairs.clone().expect("these name their pairs");
    assert!(!pairs.is_empty(), "{name}");
    for i in 0..pairs.len() {
        let [a, b] = pairs[i];
        pairs.push([b, a]);
    }
    let columns = scene.bodies.columns();
    holds::<S, f32>(&columns, &pairs, name);
    holds::<S, f64>(&columns, &pairs, name);
}

#[test]
fn what_was_found_once_stays_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/soak");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder is part of the project") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        match read_scene_file(&path) {
            Ok(AnyScene::Plane(scene)) => both_ways(&scene, &name),
            Ok(AnyScene::Space(scene)) => both_ways(&scene, &name),
            Err(error) => panic!("{error}"),
        }
        count += 1;
    }
    assert!(count >= 40, "{count} scenes");
}

/// The direction of the second axis of a turned body.
fn up([x, y, z, w]: [f64; 4]) -> V {
    [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)]
}

/// Rods through a common point, at any angle down to none: their distance is rounding only, although the normal at a
/// right angle to both is lost as the angle gets small.
#[test]
fn rods_that_cross_touch_whatever_the_angle() {
    let mut random = Random::new(1);
    for round in 0..3000 {
        let mut bodies = Bodies::<D3>::new();
        let lengths = [1.0, random.log(1e-4, 1.0)];
        let mut rod = |length: f64, random: &mut Random| {
            let shape = match random.below(4) {
                0 => Shape::capsule(length, 0.0),
                1 => Shape::cuboid([0.0, length, 0.0]),
                2 => Shape::convex(&[[0.0, -length, 0.0], [0.0, length, 0.0]]),
                // On a line along no axis, whose points are not quite collinear by rounding.
                _ => {
                    let on = |t: f64| [0.36 * t * length, 0.48 * t * length, 0.8 * t * length];
                    Shape::convex(&[on(-1.0), on(0.3), on(-0.7), on(1.0)])
                }
            };
            bodies.add_shape(shape.expect("a rod")).expect("two shapes")
        };
        let shapes = lengths.map(|length| rod(length, &mut random));
        let unit = |q: [f64; 4]| {
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            q.map(|x| x / length)
        };
        // A random rotation, and the same changed by a small angle.
        let rotation: [f64; 4] = unit(core::array::from_fn(|_| random.range(-1.0, 1.0)));
        let angle = random.log(1e-17, 1.0);
        let other = unit(core::array::from_fn(|k| rotation[k] + angle * random.range(-1.0, 1.0)));
        let leaning = |shape: u32| matches!(bodies.shapes()[shape as usize].core_half_extents(), [x, _, _] if x > 0.0);
        let along = [0, 1].map(|side| {
            let rotation = [rotation, other][side];
            if leaning(shapes[side]) {
                // By the columns of its rotation matrix.
                let [x, y, z, w] = rotation;
                let first = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)];
                let third = [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)];
                let second = up(rotation);
                core::array::from_fn(|k| 0.36 * first[k] + 0.48 * second[k] + 0.8 * third[k])
            } else {
                up(rotation)
            }
        });
        let shares = [random.range(-1.0, 1.0), random.range(-1.0, 1.0) * lengths[1]];
        let position = core::array::from_fn(|k| along[0][k] * shares[0] - along[1][k] * shares[1]);
        bodies.push(Body::new(shapes[0], [0.0; 3]).with_rotation(rotation)).expect("a body");
        bodies.push(Body::new(shapes[1], position).with_rotation(other)).expect("a body");
        let columns = bodies.columns();
        let rows = jostle::distance::<f64, _, _>(&columns, &[[0, 1], [1, 0]]).expect("good bodies");
        for row in rows {
            assert!(row.distance.abs() < 1e-14, "{round}: {row:?}");
        }
        holds::<D3, f32>(&columns, &[[0, 1], [1, 0]], &format!("round {round}"));
        holds::<D3, f64>(&columns, &[[0, 1], [1, 0]], &format!("round {round}"));
    }
}

/// Coins face to face, apart or overlapping by a few units in the last place: the points between which a normal is
/// sought are so close that no number lies between them.
#[test]
fn coins_that_lie_on_each_other_to_the_last_digits() {
    let mut random = Random::new(8);
    for round in 0..2000 {
        let (half, radius) = (random.log(1e-3, 10.0), random.log(1e-2, 1e4));
        let place: V = [0; 3].map(|_| random.range(-500.0, 500.0));
        let mut bodies = Bodies::<D3>::new();
        let coin = bodies.add_shape(Shape::cylinder(half, radius).expect("good")).expect("room");
        bodies.push(Body::new(coin, place)).expect("good");
        let mut below = place[1] - 2.0 * half;
        for _ in 0..random.below(4) {
            below = if random.chance(0.5) { below.next_up() } else { below.next_down() };
        }
        bodies.push(Body::new(coin, [place[0], below, place[2]])).expect("good");
        holds::<D3, f32>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
        holds::<D3, f64>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
    }
}

/// Cans, cones and coins that overlap by a billionth of their size or less where the rims of their ends cross. Their
/// intersection is a sliver between two ends and two sides, or only a line where a coin has no thickness.
#[test]
fn rims_that_cross_by_a_billionth() {
    let mut random = Random::new(62);
    for round in 0..3000 {
        let size = random.log(1e-4, 1e4);
        let mut bodies = Bodies::<D3>::new();
        let radii = [size, size * random.log(1e-2, 1.0)];
        // Some have no thickness, some about as much as they overlap.
        let halves = radii.map(|radius| match random.below(4) {
            0 => 0.0,
            1 => radius * random.log(1e-14, 1e-8),
            _ => radius * random.log(1e-4, 10.0),
        });
        for (radius, half) in radii.into_iter().zip(halves) {
            let top = radius * [0.0, 0.5, 1.0][random.below(3)];
            bodies.add_shape(Shape::frustum(half, radius, top).expect("good")).expect("room");
        }
        // The wide end of a cone is its lower one: the first is upside down. The second is tilted by so little that
        // both ends are parallel or nearly so.
        bodies.push(Body::new(0, [0.0; 3]).with_rotation([1.0, 0.0, 0.0, 0.0])).expect("good");
        let [x, z] = [(); 2].map(|()| random.range(-1.0, 1.0) * random.log(1e-12, 1e-3));
        let between = radii[0] + radii[1] * random.range(-0.9, 0.9);
        let turn = random.range(0.0, std::f64::consts::TAU);
        let high = halves[0] + halves[1] - size * random.log(1e-14, 1e-9);
        let place = [between * turn.cos(), high, between * turn.sin()];
        bodies.push(Body::new(1, place).with_rotation([x, 0.0, z, 1.0])).expect("good");
        holds::<D3, f32>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
        holds::<D3, f64>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
    }
}

/// Needles whose tip is in a coin without thickness by a billionth of their length or less: their intersection contains
/// no ball and, except for rounding, no disc.
#[test]
fn tips_that_are_in_coins_by_a_billionth() {
    let mut random = Random::new(63);
    for round in 0..1000 {
        let size = random.log(1e-4, 1e4);
        let half = size * random.log(1e-2, 10.0);
        let mut bodies = Bodies::<D3>::new();
        for shape in [Shape::cylinder(0.0, size), Shape::cone(half, half * random.log(1e-3, 1.0))] {
            bodies.add_shape(shape.expect("good")).expect("room");
        }
        bodies.push(Body::new(0, [0.0; 3])).expect("good");
        let [x, z] = [(); 2].map(|()| random.range(-1.0, 1.0) * random.log(1e-12, 1e-3));
        let [beside, along] = [(); 2].map(|()| size * random.range(-0.6, 0.6));
        let low = -half + (size + half) * random.log(1e-13, 1e-9);
        bodies.push(Body::new(1, [beside, low, along]).with_rotation([x, 0.0, z, 1.0])).expect("good");
        holds::<D3, f32>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
        holds::<D3, f64>(&bodies.columns(), &[[0, 1], [1, 0]], &format!("round {round}"));
    }
}

#[test]
fn in_the_middle_of_thousands_of_points_the_least_depth_is_found() {
    let mut random = Random::new(7);
    for count in [600, 5000] {
        let mut direction = || loop {
            let v: V = [0; 3].map(|_| random.range(-1.0, 1.0));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 {
                return v.map(|x| x / length);
            }
        };
        let points: Vec<V> = (0..count).map(|_| direction()).collect();
        let along = |n: V| points.iter().map(|p| (0..3).map(|k| p[k] * n[k]).sum::<f64>()).fold(0.0, f64::max);
        let mut bodies = Bodies::<D3>::new();
        for shape in [Shape::convex(&points).expect("a hull"), Shape::ball(0.0).expect("a point")] {
            let shape = bodies.add_shape(shape).expect("a few");
            bodies.push(Body::new(shape, [0.0; 3])).expect("good");
        }
        for row in jostle::distance::<f64, _, _>(&bodies.columns(), &[[0, 1], [1, 0]]).expect("good bodies") {
            // The depths of nearly all directions are almost equal; none that is tried is less.
            assert_eq!((row.status, row.minimum), (Status::Overlapping, Minimum::Proved), "{row:?}");
            assert!(row.upper - row.lower < 1e-12, "{row:?}");
            let sign = if row.a == 0 { 1.0 } else { -1.0 };
            assert!((along(row.normal.map(|x| sign * x)) + row.distance).abs() < 1e-12, "{row:?}");
            for _ in 0..1000 {
                assert!(along(direction()) > -row.distance - 1e-12, "{row:?}");
            }
        }
    }
}
