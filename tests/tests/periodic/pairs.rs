//! Named pairs: the nearest image of each, however far apart bodies are and however much vectors lean.

use jostle::{
    Bodies, Body, Boundary, D2, D3, Lattice, Pose, Precision, Shape, Shifted, Status, Sum, distance, periodic_contacts,
    periodic_distance, periodic_overlap,
};
use jostle_tests::{Ground, Kind, Random, Style, claim, draw_shape, tolerance};
use jostle_verify::{Row, verify_row};

use crate::PLANE;
use crate::world::draw;

/// The nearest image is the first of the least distance among all.
fn the_nearest_image_is_found<S: Ground>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let (mut elsewhere, mut overlaps) = (0, 0);
    for _ in 0..scenes {
        let (world, _) = draw::<S>(kinds, &mut random);
        let pairs: Vec<[u32; 2]> = (1..world.bodies.len() as u32).flat_map(|b| [[0, b], [b, 0]]).collect();
        let columns = world.bodies.columns();
        let rows = periodic_distance::<f64, _, _>(&columns, &world.lattice, &pairs).expect("good");
        assert_eq!(rows.len(), pairs.len());
        for (boundary, counts) in [
            (Boundary::Closed, &[Status::Overlapping, Status::Touching, Status::Unconverged][..]),
            (Boundary::Open, &[Status::Overlapping]),
        ] {
            let found = periodic_overlap::<f64, _, _>(&columns, &world.lattice, &pairs, boundary).expect("good");
            let expected: Vec<bool> = rows.iter().map(|row| counts.contains(&row.row.status)).collect();
            assert_eq!(found, expected, "{boundary:?}");
            overlaps += found.iter().filter(|&&overlap| overlap).count();
        }
        for (row, &[a, b]) in rows.iter().zip(&pairs) {
            assert_eq!((row.row.a, row.row.b), (a, b));
            let images = world.images(a as usize, b as usize, row.row.distance.max(0.0), usize::MAX).expect("some");
            let asked: Vec<_> = images.into_iter().map(|image| ([a, b], image)).collect();
            let each = world.distances::<f64>(&asked);
            let first =
                each.iter().min_by(|x, y| (x.row.distance + 0.0).total_cmp(&(y.row.distance + 0.0))).expect("itself");
            assert_eq!((row.row.distance, row.image), (first.row.distance, first.image), "{row:?} {first:?}");
            elsewhere += usize::from(row.image != [0; 3]);
        }
    }
    assert!(elsewhere > scenes && overlaps > scenes, "{elsewhere} {overlaps}");
}

#[test]
fn the_nearest_image_is_found_in_both() {
    the_nearest_image_is_found::<D2>(11, &PLANE, 40);
    the_nearest_image_is_found::<D3>(12, &[Kind::Ball, Kind::Capsule, Kind::Box], 12);
}

/// A body may be far from the middle of its box, and its nearest image be another than that of its box.
#[test]
fn the_nearest_image_is_that_of_the_body_not_of_its_box() {
    let lattice = Lattice::orthogonal([10.0, 0.0]).expect("good");
    let ball = Shape::<D2>::ball(0.25).expect("good");
    let mut bodies = Bodies::<D2, Sum<D2>>::new();
    for shape in [
        ball.clone().with_custom(),
        Shape::sum((&ball, Pose::at([5.25, 0.0])), (&ball, Pose::default())).expect("good"),
        // The lower left corner of its box is empty.
        Shape::convex(&[[16.0, 0.0], [16.0, 16.0], [0.0, 16.0]]).expect("good").with_custom(),
    ] {
        bodies.add_shape(shape).expect("a few");
    }
    for (shape, place) in [(0, [0.0, 0.0]), (1, [0.0, 0.0]), (2, [-11.0, -1.0])] {
        bodies.push(Body::new(shape, place)).expect("good");
    }
    let rows = periodic_distance::<f64, _, _>(&bodies.columns(), &lattice, &[[0, 1], [0, 2], [1, 2]]).expect("good");
    assert_eq!((rows[0].row.distance, rows[0].shift), (4.0, [-10.0, 0.0]));
    for (row, [a, b]) in rows.iter().zip([[0, 1], [0, 2], [1, 2]]) {
        for image in -4..=4 {
            let mut two = bodies.clone();
            two.motion_mut().position[b][0] += 10.0 * f64::from(image);
            let other = distance::<f64, _, _>(&two.columns(), &[[a as u32, b as u32]]).expect("there")[0].distance;
            assert!(row.row.distance <= other, "{row:?} {image}");
        }
    }
}

/// Bodies hundreds to millions of periods away from each other, some far smaller than the rounding of a position plus a
/// shift: certificates hold for the exact sums, which the verifier computes by itself.
fn certificates_hold_far_away<S: Ground, T: Precision>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let (mut far, mut overlaps) = (0, 0);
    for _ in 0..scenes {
        let size = random.log(1e-6, 1.0);
        let period = random.range(2.0, 4.0) * size;
        let away = random.log(1.0, 1e6).floor();
        let mut bodies = Bodies::<S>::new();
        for _ in 0..3 {
            let spec = draw_shape::<S>(random.pick(kinds), Style::Even, size, &mut random);
            bodies.add_shape(spec.shape().expect("valid")).expect("a few");
        }
        for _ in 0..8 {
            let place = S::array(|_| random.range(-1.0, 1.0) * away * period);
            bodies
                .push(Body::new(random.below(3) as u32, place).with_rotation(S::any_rotation(&mut random)))
                .expect("good");
        }
        let (columns, lattice) = (bodies.columns(), Lattice::orthogonal(S::array(|_| period)).expect("good"));
        let rows = periodic_contacts::<T, _, _>(&columns, &lattice, 0.1 * size, u64::MAX).expect("good");
        for Shifted { row, shift, .. } in &rows {
            let verdict = verify_row(&columns, &Row { shift: *shift, ..claim(row) }, &tolerance(row));
            assert!(verdict.is_ok(), "{verdict:?} {row:?} {shift:?}");
            far += usize::from(shift.as_ref().iter().any(|x| x.abs() > 100.0 * period));
            overlaps += usize::from(row.status == Status::Overlapping);
        }
    }
    assert!(far > 4 * scenes && overlaps > scenes, "{far} {overlaps}");
}

#[test]
fn certificates_hold_however_far_apart_bodies_are() {
    certificates_hold_far_away::<D2, f64>(21, &PLANE, 60);
    certificates_hold_far_away::<D2, f32>(22, &PLANE, 60);
    certificates_hold_far_away::<D3, f64>(23, &[Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull], 12);
    certificates_hold_far_away::<D3, f32>(24, &[Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull], 12);
}

/// Bodies far from each other along an axis that does not repeat, or has a long period: the nearest image is found
/// without looking at all images within that distance, as was done once.
#[test]
fn the_nearest_image_of_a_pair_far_apart() {
    let rows = |periods: [f64; 3], at: [f64; 3]| {
        let mut bodies = Bodies::<D3>::new();
        let ball = bodies.add_shape(Shape::ball(0.125).expect("good")).expect("few");
        let rod = bodies.add_shape(Shape::cuboid([0.25, 2.0, 0.125]).expect("good")).expect("few");
        for (shape, at) in [(ball, [0.0; 3]), (ball, at), (rod, at)] {
            bodies.push(Body::new(shape, at)).expect("good");
        }
        let lattice = Lattice::orthogonal(periods).expect("good");
        periodic_distance::<f64, _, _>(&bodies.columns(), &lattice, &[[0, 1], [0, 2]]).expect("few images")
    };
    for (periods, at, shift, lengths) in [
        ([1.0, 1.0, 0.0], [0.25, 0.75, 5000.0], [0.0, -1.0, 0.0], [0.25, 0.25, 5000.0]),
        ([0.0, 1.0, 1.0], [1e4, 0.25, 0.75], [0.0, 0.0, -1.0], [1e4, 0.25, 0.25]),
        ([1.0, 1e6, 0.0], [0.25, 4e5, 0.25], [0.0, 0.0, 0.0], [0.25, 4e5, 0.25]),
        ([1.0, 1.0, 1e5], [0.75, 0.0, 49_000.0], [-1.0, 0.0, 0.0], [0.25, 0.0, 49_000.0]),
    ] {
        let [ball, rod] = rows(periods, at)[..] else { unreachable!("two were asked for") };
        let length = lengths.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert_eq!(ball.shift, shift, "{periods:?}");
        assert!((ball.row.distance - (length - 0.25)).abs() <= 1e-15 * length, "{} {length}", ball.row.distance);
        // The rod reaches nearer, and no nearer than its own image.
        assert!(rod.row.distance <= ball.row.distance + 0.125 && rod.row.distance > ball.row.distance - 2.0);
    }
}

/// A body longer than one period, where another period is far longer than it: the answer does not depend on the long
/// one.
#[test]
fn the_nearest_image_where_one_period_is_short_and_another_long() {
    let mut bodies = Bodies::<D2>::new();
    let round = Shape::cuboid([0.3, 0.4]).and_then(|shape| shape.rounded(0.87)).expect("good");
    for shape in [round, Shape::cuboid([0.22, 1.7]).expect("good")] {
        bodies.add_shape(shape).expect("few");
    }
    bodies.push(Body::new(0, [0.0, 0.0])).expect("good");
    bodies.push(Body::new(1, [0.7, -1.6])).expect("good");
    let columns = bodies.columns();
    let depth = |long: f64| {
        let lattice = Lattice::orthogonal([0.7, long]).expect("good");
        let found = periodic_distance::<f64, _, _>(&columns, &lattice, &[[0, 1]]).expect("few images")[0];
        (found.row.distance, found.shift[1], found.shift[0].abs())
    };
    for long in [0.0, 1e6, 1e9, 1e12] {
        assert_eq!(depth(long), depth(5.0), "{long}");
    }
    assert!((depth(5.0).0 + 1.37).abs() < 1e-12);
}

/// Two vectors that lean a hundred and more times as far as they are long along their own axes, and an axis that does
/// not repeat: bodies that are near are found without looking at all images that are as far away as the vectors are
/// long.
#[test]
fn those_near_each_other_are_found_where_vectors_lean_far() {
    for long in [5.0, 50.0, 5e3, 1e5] {
        let lattice = Lattice::<D3>::triclinic(&[[0.0; 3], [long, 0.3, 0.0], [0.0, long, 0.3]]).expect("good");
        let mut bodies = Bodies::<D3>::new();
        let ball = bodies.add_shape(Shape::ball(0.05).expect("good")).expect("one");
        bodies.push(Body::new(ball, [0.0; 3])).expect("good");
        for image in [[0; 3], [0, 3, -2], [0, -70, 900]] {
            let shift = lattice.shift(image);
            bodies.push(Body::new(ball, [0.5 - shift[0], -shift[1], 0.18 - shift[2]])).expect("good");
            let pair = [0, bodies.len() as u32 - 1];
            let found = periodic_distance::<f64, _, _>(&bodies.columns(), &lattice, &[pair]).expect("few images")[0];
            let expected = (0.5_f64 * 0.5 + 0.18 * 0.18).sqrt() - 0.1;
            assert_eq!(found.image, image);
            assert!((found.row.distance - expected).abs() < 1e-15 * long * 900.0, "{found:?}");
        }
    }
}
