//! Casts where space repeats, checked against a cast of every image that could be met.

use jostle::{
    Bodies, Body, CastError, CastStatus, D2, D3, Lattice, Motion, PairError, Shape, ShiftedCast, cast, distance,
    periodic_cast, periodic_distance,
};
use jostle_tests::{Ground, Kind, Random, Repeating, cast_bits, on_threads, unit};

use crate::PLANE;
use crate::world::draw;

/// Gives the bodies of a scene velocities: slow ones, ones that cross many periods, a common one, or none.
fn set_moving<S: Ground>(world: &mut Repeating<S>, motion: Motion, random: &mut Random) {
    let common = S::direction(random).map(|x| x * random.pick(&[0.0, 1.0, 100.0]));
    let velocity = |_| {
        let way = random.pick(&[0.0, 0.1, 1.0, 5.0, 12.0, 30.0]);
        let towards = if random.chance(0.3) { S::axis_direction(random) } else { S::direction(random) };
        let speed = if motion.duration > 0.0 { way / motion.duration } else { way };
        S::narrow(core::array::from_fn(|k| towards[k] * speed + common[k]))
    };
    let velocities: Vec<_> = (0..world.bodies.len()).map(velocity).collect();
    world.bodies.set_velocities(&velocities).expect("good");
}

fn the_first_impact_is_found<S: Ground>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let mut counts = [0; 3];
    let (mut elsewhere, mut across) = (0, 0);
    for scene in 0..scenes {
        let (mut world, _) = draw::<S>(kinds, &mut random);
        let target = random.pick(&[0.0, 0.0, 0.05, 0.3]);
        let motion = Motion::lasting(random.pick(&[0.0, 0.5, 2.0, 1e3])).to_within(target);
        set_moving(&mut world, motion, &mut random);
        let count = world.bodies.len() as u32;
        let pairs: Vec<[u32; 2]> = (1..count).flat_map(|b| [[0, b], [b, b - 1]]).collect();
        let columns = world.bodies.columns();
        let rows = periodic_cast(&columns, &world.lattice, &pairs, motion).expect("a good scene");
        assert_eq!(rows.len(), pairs.len());
        for (row, &[a, b]) in rows.iter().zip(&pairs) {
            let Some((expected, image)) = world.first_cast([a, b], motion, 1_000_000) else { continue };
            assert_eq!(cast_bits(&row.row), cast_bits(&expected), "scene {scene}: {row:?} {expected:?} {image:?}");
            assert_eq!((row.image, row.shift), (image, world.lattice.shift(image)), "scene {scene}: {row:?}");
            counts[[CastStatus::Miss, CastStatus::Hit, CastStatus::Start]
                .iter()
                .position(|status| *status == row.row.status)
                .expect("all converge")] += 1;
            elsewhere += usize::from(image != [0; 3]);
            across += usize::from(row.row.status == CastStatus::Hit && image.iter().any(|k| k.abs() > 2));
        }
    }
    let [miss, hit, start] = counts;
    assert!(miss > scenes && hit > scenes / 3 && start > scenes / 3, "{counts:?}");
    assert!(elsewhere > scenes / 2 && across > scenes / 20, "{elsewhere} {across} {counts:?}");
}

#[test]
fn the_first_impact_of_all_images_is_found() {
    the_first_impact_is_found::<D2>(21, &PLANE, 200);
    the_first_impact_is_found::<D3>(22, &[Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull], 40);
}

/// Two balls in a lattice, the second of which may move.
fn balls<S: Ground>(radius: f64, at: S::Array<f64>, velocity: S::Array<f64>) -> Bodies<S> {
    let mut bodies = Bodies::new();
    let ball = bodies.add_shape(Shape::ball(radius).expect("a good ball")).expect("one shape");
    bodies.push(Body::new(ball, S::array(|_| 0.0))).expect("good");
    bodies.push(Body::new(ball, at).with_velocity(velocity)).expect("good");
    bodies
}

fn one<S: Ground>(bodies: &Bodies<S>, lattice: &Lattice<S>, motion: Motion) -> ShiftedCast<S> {
    periodic_cast(&bodies.columns(), lattice, &[[0, 1]], motion).expect("a good scene")[0]
}

/// A bullet that crosses up to hundreds of thousands of periods, rising a little in each: the row of balls that it
/// comes to first is known, and the ball follows from the quadratic equation of each.
#[test]
fn a_hit_after_many_periods_is_found() {
    let lattice = Lattice::<D2>::orthogonal([1.0, 1.0]).expect("good");
    for (slope, radius) in [(1e-3, 1e-3), (1e-4, 1e-2), (2.5e-6, 0.1)] {
        let (start, speed) = (0.5, 1e6);
        let bodies = balls::<D2>(radius / 2.0, [0.25, start], [speed, slope * speed]);
        let row = one(&bodies, &lattice, Motion::lasting(1e3));
        // Ball `n` of the row above, seen from the bullet: (n - 0.25, start) and the way (1, slope).
        let time = |n: i32| {
            let (x, y, square) = (f64::from(n) - 0.25, start, 1.0 + slope * slope);
            let (along, beside) = ((x + slope * y) / square, (y - slope * x).powi(2) / square);
            (beside <= radius * radius).then(|| (along - (radius * radius - beside).sqrt() / square.sqrt()) / speed)
        };
        let rows = (start / slope) as i32;
        let first = (0..=rows + 1).find_map(|n| Some((n, time(n)?)));
        let (n, time) = first.expect("it comes to the row");
        assert_eq!((row.row.status, row.image), (CastStatus::Hit, [-n, -1, 0]), "{row:?}");
        assert!((row.row.time - time).abs() <= 1e-9 * f64::from(n) / speed, "{row:?} at {time}");
        assert!(n > 40);
    }
}

#[test]
fn a_leaning_lattice_brings_its_rows_aside() {
    let lattice = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.0, 4.0, 0.0], [0.5, -1.0, 5.0]]).expect("good");
    // Straight up from halfway: image (0, 0, -1) is 5 lower, half a metre and a metre aside.
    let bodies = balls::<D3>(0.5, [0.5, -1.0, 2.0], [0.0, 0.0, 1.5]);
    let row = one(&bodies, &lattice, Motion::lasting(10.0));
    assert_eq!((row.row.status, row.image, row.shift), (CastStatus::Hit, [0, 0, -1], [-0.5, 1.0, -5.0]));
    assert!((row.row.time - 2.0 / 1.5).abs() < 1e-9 && row.row.normal == [0.0, 0.0, -1.0], "{row:?}");
    assert_eq!(one(&bodies, &lattice, Motion::lasting(1.3)).row.status, CastStatus::Miss);
}

/// Along an axis that does not repeat a cast ends, however long it lasts; and an empty lattice is open space.
#[test]
fn where_nothing_repeats_it_passes_once() {
    let motion = Motion::lasting(1e300);
    let channel = Lattice::<D3>::orthogonal([0.0, 3.0, 3.0]).expect("good");
    let leaning = Lattice::<D3>::triclinic(&[[0.0; 3], [0.0, 3.0, 0.0], [0.0, 1.0, 3.0]]).expect("good");
    for lattice in [channel, leaning] {
        let hit = one(&balls::<D3>(0.5, [1e6, 9.0, 0.0], [-1e9, 0.0, 0.0]), &lattice, motion);
        assert_eq!((hit.row.status, hit.image), (CastStatus::Hit, [0, -3, 0]), "{hit:?}");
        for velocity in [[-1e9, 0.0, 0.0], [1e9, 1e9, 0.0], [1e-300, 0.0, 0.0], [0.0; 3], [1e15, 1e9, -1e9]] {
            let bodies = balls::<D3>(0.5, [1e6, 1.5, 1.5], velocity);
            let row = one(&bodies, &lattice, motion);
            assert_eq!((row.row.status, row.image), (CastStatus::Miss, [0; 3]), "{row:?}");
        }
    }
    let mut random = Random::new(31);
    for _ in 0..200 {
        let towards = unit(D3::direction(&mut random)).expect("a direction");
        let at = towards.map(|x| 5.0 * x + random.range(-0.6, 0.6));
        let bodies = balls::<D3>(0.5, at, towards.map(|x| -x * random.log(1e-3, 1e3)));
        let motion = Motion::lasting(random.log(1e-3, 1e3));
        let row = one(&bodies, &Lattice::default(), motion);
        let open = cast(&bodies.columns(), &[[0, 1]], motion).expect("good")[0];
        assert_eq!((cast_bits(&row.row), row.image), (cast_bits(&open), [0; 3]));
    }
}

#[test]
fn of_several_overlaps_the_deepest_is_the_start() {
    let lattice = Lattice::<D2>::orthogonal([3.0, 0.0]).expect("good");
    let bodies = balls::<D2>(2.0, [1.25, 0.0], [1.0, 1.0]);
    let row = one(&bodies, &lattice, Motion::lasting(1.0));
    let still = periodic_distance::<f64, _, _>(&bodies.columns(), &lattice, &[[0, 1]]).expect("good")[0];
    assert_eq!((row.row.status, row.image, row.row.time), (CastStatus::Start, [0; 3], 0.0));
    assert_eq!((row.row.distance, row.image, row.shift), (still.row.distance, still.image, still.shift));
    let alone = distance::<f64, _, _>(&bodies.columns(), &[[0, 1]]).expect("good")[0];
    assert_eq!(row.row.distance, alone.distance);
}

#[test]
fn answers_do_not_depend_on_threads_or_batches() {
    let mut random = Random::new(41);
    let (motion, mut hits) = (Motion::lasting(2.0), 0);
    for _ in 0..10 {
        let (mut world, _) = draw::<D3>(&[Kind::Ball, Kind::Box], &mut random);
        set_moving(&mut world, motion, &mut random);
        let count = world.bodies.len() as u32;
        let pairs: Vec<[u32; 2]> = (0..count).flat_map(|a| (0..count).map(move |b| [a, b])).collect();
        let pairs: Vec<[u32; 2]> = pairs.into_iter().filter(|[a, b]| a != b).collect();
        let columns = world.bodies.columns();
        let on =
            |threads| on_threads(threads, || periodic_cast(&columns, &world.lattice, &pairs, motion).expect("good"));
        let rows = on(1);
        assert!(rows == on(2));
        for (row, pair) in rows.iter().zip(&pairs) {
            let alone = periodic_cast(&columns, &world.lattice, &[*pair], motion).expect("good");
            assert_eq!((cast_bits(&row.row), row.image), (cast_bits(&alone[0].row), alone[0].image));
            hits += usize::from(row.row.status == CastStatus::Hit);
        }
    }
    assert!(hits > 50, "{hits} hits");
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let lattice = Lattice::<D2>::orthogonal([1.0, 1.0]).expect("good");
    let ask = |bodies: &Bodies<D2>, lattice: &Lattice<D2>, pair: [u32; 2], motion: Motion| {
        periodic_cast(&bodies.columns(), lattice, &[pair], motion).map(|rows| rows.len())
    };
    // Along a lane between the balls, without end.
    let lane = balls::<D2>(0.1, [0.5, 0.5], [1e9, 0.0]);
    let endless = ask(&lane, &lattice, [0, 1], Motion::lasting(1e9));
    assert!(matches!(endless, Err(CastError::TooManyImages { pair: [0, 1], .. })), "{endless:?}");
    assert!(
        endless.as_ref().expect_err("refused").to_string().contains("bodies 0 and 1: more than 4194304 images lie")
    );
    // Of many such pairs the first is refused, before the others take as long.
    let many = periodic_cast(&lane.columns(), &lattice, &vec![[0, 1]; 1000], Motion::lasting(1e9));
    assert_eq!(many.map(|rows| rows.len()), endless);
    assert_eq!(ask(&lane, &lattice, [0, 1], Motion::lasting(1e-4)), Ok(1));
    // Bodies far longer than the period.
    let small = Lattice::<D2>::orthogonal([1e-5, 1e-5]).expect("good");
    let long = ask(&lane, &small, [0, 1], Motion::lasting(0.0));
    assert!(matches!(long, Err(CastError::TooManyImages { .. })), "{long:?}");
    let far = balls::<D2>(0.1, [1e12, 0.0], [1.0, 0.0]);
    assert_eq!(ask(&far, &lattice, [0, 1], Motion::lasting(1.0)), Err(CastError::FarOutside { body: 1, axis: 0 }));
    let good = Motion::lasting(1.0);
    assert!(matches!(ask(&lane, &lattice, [0, 1], Motion::lasting(-1.0)), Err(CastError::Duration(_))));
    assert!(matches!(ask(&lane, &lattice, [0, 1], good.to_within(f64::NAN)), Err(CastError::Target(_))));
    assert_eq!(ask(&lane, &lattice, [1, 1], good), Err(PairError::SameBody { index: 0, body: 1 }.into()));
}
