//! Casts: by hand, by symmetry, and against bisection on the distance.

use jostle::{
    Bodies, Body, Cast, CastError, CastStatus, D2, D3, Motion, PairError, SceneIndex, Shape, ShapeError, Status, cast,
    cast_into, distance,
};
use jostle_tests::{Ground, Kind, Random, dot, draw_moves, length, on_threads};

type Made = Result<Shape<D3>, ShapeError>;

/// Two bodies, the second of which may move.
fn two(a: Made, b: Made, at: [f64; 3], velocity: [f64; 3]) -> Bodies<D3> {
    let mut bodies = Bodies::new();
    let [a, b] = [a, b].map(|shape| bodies.add_shape(shape.expect("a good shape")).expect("two shapes"));
    bodies.push(Body::new(a, [0.0; 3])).expect("a good body");
    bodies.push(Body::new(b, at).with_velocity(velocity)).expect("a good body");
    bodies
}

fn ask(bodies: &Bodies<D3>, motion: Motion) -> Cast<D3> {
    cast(&bodies.columns(), &[[0, 1]], motion).expect("good motion")[0]
}

fn near(found: [f64; 3], expected: [f64; 3]) -> bool {
    (0..3).all(|k| (found[k] - expected[k]).abs() <= 1e-9)
}

/// A hit at this time, point and normal.
fn hits(row: &Cast<D3>, time: f64, point: [f64; 3], normal: [f64; 3]) {
    assert_eq!(row.status, CastStatus::Hit, "{row:?}");
    assert!((row.time - time).abs() <= 1e-9 * time.max(1.0), "{row:?} at {time}");
    assert!(near(row.point, point) && near(row.normal, normal), "{row:?}: {point:?} along {normal:?}");
}

const BOX: fn() -> Made = || Shape::cuboid([0.5; 3]);

#[test]
fn a_ball_hits_a_ball_when_their_centres_are_a_diameter_apart() {
    let ball = || Shape::ball(1.0);
    let head_on = two(ball(), ball(), [5.0, 0.0, 0.0], [-2.0, 0.0, 0.0]);
    hits(&ask(&head_on, Motion::lasting(10.0)), 1.5, [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    // Off centre by 1.2: they meet when the distance along the way is 1.6.
    let off = two(ball(), ball(), [5.0, 1.2, 0.0], [-2.0, 0.0, 0.0]);
    hits(&ask(&off, Motion::lasting(10.0)), 1.7, [0.8, 0.6, 0.0], [0.8, 0.6, 0.0]);
    assert_eq!(ask(&off, Motion::lasting(1.69)).status, CastStatus::Miss);
    assert_eq!(
        ask(&two(ball(), ball(), [5.0, 2.001, 0.0], [-2.0, 0.0, 0.0]), Motion::lasting(10.0)).status,
        CastStatus::Miss
    );
    // With a target of half a metre.
    let target = Motion::lasting(10.0).to_within(0.5);
    let row = ask(&head_on, target);
    hits(&row, 1.25, [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(row.distance, 0.5);
}

/// A pair of balls. It is cast as balls and as boxes of no size with a skin, which take the path of all other shapes.
struct Meeting {
    radii: [f64; 2],
    /// The positions at the start.
    at: [[f64; 3]; 2],
    velocity: [[f64; 3]; 2],
    /// The distance of B from A's path, the distance along it, and the speed at which they approach.
    aside: f64,
    way: f64,
    speed: f64,
}

/// Sizes, distances and speeds of many orders of magnitude; every second pair nearly grazes; every third has both
/// bodies moving, far from the origin.
fn meetings<S: Ground>(scale: f64, target: f64, random: &mut Random) -> Vec<Meeting> {
    let meeting = |round: i32| {
        // A point now and then.
        let radii: [f64; 2] = core::array::from_fn(|k| {
            let size = if round % 13 == 0 && k == 0 { 0.0 } else { 10_f64.powi(round % 4) * random.range(0.1, 1.0) };
            size * scale
        });
        let sum = radii[0] + radii[1] + target;
        let way = sum * 10_f64.powi(round / 7 % 6) * random.range(1.0, 4.0);
        let aside = sum * if round % 2 == 0 { random.range(0.0, 1.2) } else { 1.0 + random.range(-1e-5, 1e-5) };
        let angle = if S::DIMENSION == 3 { random.range(0.0, core::f64::consts::TAU) } else { 0.0 };
        let speed = scale * 10_f64.powi(round / 11 % 9 - 4);
        let drift = if round % 3 == 0 { 1.0 } else { 0.0 };
        let mut drawn = |size: f64| S::wide(S::array(|_| drift * size * random.range(-1.0, 1.0)));
        let (place, wind) = (drawn(10.0 * way), drawn(2.0 * speed));
        let offset = [way, aside * libm::cos(angle), aside * libm::sin(angle)];
        let second = core::array::from_fn(|k| place[k] + offset[k]);
        Meeting { radii, at: [place, second], velocity: [wind, [wind[0] - speed, wind[1], wind[2]]], aside, way, speed }
    };
    (0..3_000).map(meeting).collect()
}

fn balls_meet<S: Ground>(scale: f64, target: f64, random: &mut Random) {
    let meetings = meetings::<S>(scale, target, random);
    let longest = meetings.iter().map(|m| 1.2 * m.way / m.speed).fold(0.0, f64::max);
    let motion = Motion::lasting(longest).to_within(target);
    let mut bodies = Bodies::<S>::new();
    let mut pairs = Vec::new();
    for m in &meetings {
        for alike in [false, true] {
            for k in 0..2 {
                let point = Shape::cuboid(S::array(|_| 0.0)).and_then(|point| point.rounded(m.radii[k]));
                let shape = if alike { point } else { Shape::ball(m.radii[k]) };
                let shape = bodies.add_shape(shape.expect("a good shape")).expect("few shapes");
                let body = Body::new(shape, S::narrow(m.at[k])).with_velocity(S::narrow(m.velocity[k]));
                bodies.push(body).expect("a good body");
            }
        }
    }
    // Balls, skinned boxes, one of each, and the balls in the other order, in the same packets.
    for first in (0..4 * meetings.len() as u32).step_by(4) {
        pairs.extend([[first, first + 1], [first + 2, first + 3], [first, first + 3], [first + 1, first]]);
    }
    let rows = cast(&bodies.columns(), &pairs, motion).expect("good motion");
    let mut count = [0; 4];
    for (m, rows) in meetings.iter().zip(rows.chunks_exact(4)) {
        let [row, alike, mixed, back] = rows else { unreachable!() };
        let size = m.radii[0] + m.radii[1] + target;
        let tolerance = 1e-9 * (size + 1e-3 * m.way);
        // Rounding may decide whether two that graze each other meet.
        let clear = (m.aside - size).abs() > 10.0 * tolerance;
        assert!(row.status == alike.status || !clear, "{row:?} {alike:?}");
        assert!(row.status == mixed.status || !clear, "{row:?} {mixed:?}");
        count[row.status as usize] += 1;
        let turned = back.normal.as_ref().iter().zip(row.normal.as_ref()).all(|(back, there)| *back == -there);
        assert!(turned && back.status == row.status && back.time == row.time, "{row:?} {back:?}");
        if row.status != CastStatus::Hit {
            continue;
        }
        let [from, to]: [[f64; 3]; 2] =
            core::array::from_fn(|k| core::array::from_fn(|i| m.at[k][i] + m.velocity[k][i] * row.time));
        let between: [f64; 3] = core::array::from_fn(|i| to[i] - from[i]);
        let gone = [from, to, m.at[0], m.at[1]].into_iter().map(length).fold(0.0, f64::max);
        let rounding = 4.0 * f64::EPSILON * (m.way + size + gone);
        let beyond = length(between) - size;
        assert!(beyond > -rounding && beyond < 16.0 * rounding, "{beyond:e}: {row:?}");
        let (normal, point) = (S::wide(row.normal), S::wide(row.point));
        assert!((length(normal) - 1.0).abs() < 1e-14, "{row:?}");
        let surface = length(core::array::from_fn(|k| point[k] - from[k] - normal[k] * m.radii[0]));
        assert!(surface <= rounding, "{surface:e}: {row:?}");
        let off = length(core::array::from_fn(|k| normal[k] * length(between) - between[k]));
        assert!(off < 32.0 * rounding, "{off:e}: {row:?}");
        for other in [alike, mixed].into_iter().filter(|other| other.status == CastStatus::Hit) {
            // Where they graze, a small difference in distance is a large one in time.
            let half = (size * size - m.aside * m.aside).max(0.0).sqrt();
            let way = (row.time - other.time).abs() * m.speed;
            assert!(half * way < 4.0 * (tolerance + rounding) * size, "{row:?} {other:?}");
        }
    }
    let [missed, hit] = [CastStatus::Miss, CastStatus::Hit].map(|status| count[status as usize]);
    assert!(hit > 1_500 && missed > 300 && hit + missed > 2_700, "{count:?}");
}

#[test]
fn balls_meet_as_skinned_boxes_of_no_size_do() {
    let mut random = Random::new(29);
    for (scale, target) in [(1.0, 0.0), (1.0, 0.25), (1e-12, 0.0), (1e3, 1e2)] {
        balls_meet::<D2>(scale, target, &mut random);
        balls_meet::<D3>(scale, target, &mut random);
    }
}

#[test]
fn points_meet_however_near_and_slow_they_are() {
    for size in [1e-323, 1e-310, 1e-300, 1e-160, 1e-20, 1.0, 1e14] {
        for at in [[size, 0.0, 0.0], [size, 0.5 * size, 0.0], [size, -size, size]] {
            let point = || Shape::ball(0.0);
            let row = ask(&two(point(), point(), at, at.map(|x| -x)), Motion::lasting(2.0));
            assert_eq!(row.status, CastStatus::Hit, "{at:?}");
            assert!((row.time - 1.0).abs() < 1e-12 && (length(row.normal) - 1.0).abs() < 1e-14, "{row:?}");
            assert!(length(row.point) <= 1e-14 * size, "{row:?}");
        }
    }
    // The longest time and the least speed: the bodies need 0.9 or 1.1 of the duration to meet.
    let duration = 1.75e308;
    for direction in [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]] {
        for (share, status) in [(0.9, CastStatus::Hit), (1.1, CastStatus::Miss)] {
            let velocity = direction.map(|x: f64| -x * 5e-324);
            let at = velocity.map(|v| -v * duration * share);
            let ball = || Shape::ball(1e-20);
            assert_eq!(ask(&two(ball(), ball(), at, velocity), Motion::lasting(duration)).status, status, "{at:?}");
        }
    }
}

#[test]
fn a_ball_touches_where_it_is_nearest_at_that_time() {
    let mut random = Random::new(23);
    let shapes: [fn() -> Made; 4] =
        [|| Shape::cylinder(0.75, 1.0), || Shape::cone(0.5, 1.0), BOX, || Shape::capsule(1.0, 0.0)];
    let (mut hits, mut rough) = (0, 0);
    for round in 0..4000 {
        let made = shapes[round % 4];
        let at: [f64; 3] = core::array::from_fn(|_| random.range(-8.0, 8.0));
        let aim: [f64; 3] = core::array::from_fn(|_| random.range(-0.8, 0.8));
        let velocity = core::array::from_fn(|k| 1e-3 * (aim[k] - at[k]));
        let motion = Motion::lasting(1000.0).to_within([0.0, 0.5][round / 4 % 2]);
        let row = ask(&two(made(), Shape::ball(0.15), at, velocity), motion);
        if row.status != CastStatus::Hit {
            continue;
        }
        hits += 1;
        let then = core::array::from_fn(|k| at[k] + velocity[k] * row.time);
        let there = two(made(), Shape::ball(0.15), then, [0.0; 3]);
        let known = distance::<f64, _, _>(&there.columns(), &[[0, 1]]).expect("good pairs")[0];
        let apart = |a: [f64; 3], b: [f64; 3]| length(core::array::from_fn(|k| a[k] - b[k]));
        assert!(apart(row.point, known.witness_a) < 4e-9, "{row:?} {known:?}");
        assert!(apart(row.normal, known.normal) < 3e-8, "{row:?} {known:?}");
        rough += u32::from(apart(row.point, known.witness_a) > 3e-11);
    }
    // From a distance that is exact to the last digit a direction follows to half as many digits, as it once did in a
    // tenth of the cases.
    assert!(hits > 2000 && rough * 200 < hits, "{rough} of {hits}");
}

#[test]
fn boxes_meet_face_to_face_edge_to_edge_and_corner_to_face() {
    let face = two(BOX(), BOX(), [4.0, 0.25, 0.0], [-3.0, 0.0, 0.0]);
    let row = ask(&face, Motion::lasting(2.0));
    assert!((row.time - 1.0).abs() < 1e-10 && row.normal == [1.0, 0.0, 0.0], "{row:?}");
    assert!((row.point[0] - 0.5).abs() < 1e-9 && (-0.25..=0.5).contains(&row.point[1]), "{row:?}");
    // Turned by an eighth of a turn about z: an edge meets first.
    let mut edge = Bodies::<D3>::new();
    let shape = edge.add_shape(BOX().expect("a good box")).expect("one shape");
    let eighth = core::f64::consts::FRAC_PI_8;
    edge.push(Body::new(shape, [0.0; 3])).expect("a good body");
    edge.push(
        Body::new(shape, [4.0, 0.125, 0.0])
            .with_rotation([0.0, 0.0, libm::sin(eighth), libm::cos(eighth)])
            .with_velocity([-1.0, 0.0, 0.0]),
    )
    .expect("a good body");
    let row = ask(&edge, Motion::lasting(10.0));
    assert!((row.time - (3.5 - 0.5_f64.sqrt())).abs() < 1e-9, "{row:?}");
    assert!((row.point[1] - 0.125).abs() < 1e-9 && near(row.normal, [1.0, 0.0, 0.0]), "{row:?}");
    // A box that slides along another does not meet it, one that also sinks does.
    let slide = two(BOX(), BOX(), [-0.9, 1.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(ask(&slide, Motion::lasting(10.0)).status, CastStatus::Miss);
    let sink = two(BOX(), BOX(), [-0.9, 1.0, 0.0], [1.0, -1e-3, 0.0]);
    let row = ask(&sink, Motion::lasting(10.0));
    assert_eq!((row.status, row.time, row.normal), (CastStatus::Hit, 0.0, [0.0, 1.0, 0.0]), "{row:?}");
}

/// A tip that slides over a table while it sinks at 1 down to 1e-7 of its speed: the point is where the tip is at the
/// time of the hit.
#[test]
fn the_point_of_a_grazing_hit_is_where_the_body_is_at_that_time() {
    let tip = [[0.0, 0.0, 0.0], [-0.1, 1.0, 0.0], [0.1, 1.0, 0.1], [0.0, 1.0, -0.1]];
    for flat in [1.0, 1e-2, 0.9e-3, 1e-5, 1e-7] {
        let (table, tip) = (Shape::cuboid([10.0, 1.0, 10.0]), Shape::convex(&tip));
        let bodies = two(table, tip, [-5.0, 1.0 + 5.0 * flat, 0.0], [1.0, -flat, 0.0]);
        let rows = cast(&bodies.columns(), &[[0, 1], [1, 0]], Motion::lasting(10.0)).expect("good motion");
        for row in rows {
            // Never late, and early by a negligible distance, even if it takes long to sink by that.
            let early = 5.0 - row.time;
            assert!(row.status == CastStatus::Hit && early > -1e-12 && early * flat < 1e-10, "{flat}: {row:?}");
            assert!(flat < 1.0 || early < 1e-12, "{flat}: {row:?}");
            assert!(near(row.point, [row.time - 5.0, 1.0, 0.0]), "{flat}: {row:?}");
        }
    }
}

#[test]
fn nothing_tunnels() {
    // A bullet through paper, at the speed of light, a kilometre away.
    let paper = || Shape::cuboid([5e-5, 1.0, 1.0]);
    let bullet = two(paper(), Shape::ball(0.004), [1000.0, 0.3, 0.2], [-3e8, 0.0, 0.0]);
    hits(&ask(&bullet, Motion::lasting(1.0)), (1000.0 - 0.004 - 5e-5) / 3e8, [5e-5, 0.3, 0.2], [1.0, 0.0, 0.0]);
    // Plates that cross each other, of no thickness at all.
    let plate = || Shape::cuboid([1.0, 0.0, 1.0]);
    let plates = two(plate(), plate(), [0.5, 70.0, 0.5], [0.0, -1e6, 0.0]);
    let row = ask(&plates, Motion::lasting(1.0));
    assert!(
        row.status == CastStatus::Hit && (row.time - 7e-5).abs() < 1e-15 && row.normal == [0.0, 1.0, 0.0],
        "{row:?}"
    );
    // Needles that just cross, and that just do not.
    let needle = || Shape::capsule(10.0, 0.0);
    for (by, status) in [(9.999_999, CastStatus::Hit), (10.000_001, CastStatus::Miss)] {
        let mut needles = two(needle(), needle(), [5.0, by, 0.0], [-1e5, 0.0, 0.0]);
        let turned = needles.get(1).with_rotation([0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()]);
        needles.push(turned).expect("a good body");
        let row = cast(&needles.columns(), &[[0, 2]], Motion::lasting(1.0)).expect("good motion")[0];
        assert_eq!(row.status, status, "{row:?}");
    }
    // A point through a triangle.
    let triangle = || Shape::convex(&[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let point = two(triangle(), Shape::ball(0.0), [1e4, 0.3, 0.3], [-1e9, 0.0, 0.0]);
    hits(&ask(&point, Motion::lasting(1.0)), 1e-5, [0.0, 0.3, 0.3], [1.0, 0.0, 0.0]);
    let beside = two(triangle(), Shape::ball(0.0), [1e4, 0.6, 0.6], [-1e9, 0.0, 0.0]);
    assert_eq!(ask(&beside, Motion::lasting(1.0)).status, CastStatus::Miss);
}

#[test]
fn what_touches_or_overlaps_at_the_start() {
    let shapes: [fn() -> Made; 4] =
        [|| Shape::ball(0.5), BOX, || Shape::cylinder(0.5, 0.5), || Shape::capsule(0.25, 0.25)];
    let motion = Motion::lasting(3.0);
    for a in shapes {
        for b in shapes {
            let moving = |velocity| ask(&two(a(), b(), [0.0, 1.0, 0.0], velocity), motion);
            // Approaching, even slowly: a hit at once.
            for velocity in [[0.0, -1.0, 0.0], [0.0, -1e-9, 0.0], [0.1, -1e-3, 0.0], [0.0, -1e15, 0.0]] {
                let row = moving(velocity);
                assert_eq!((row.status, row.time), (CastStatus::Hit, 0.0), "{velocity:?}: {row:?}");
                assert!(near(row.normal, [0.0, 1.0, 0.0]) && (row.point[1] - 0.5).abs() < 1e-9, "{row:?}");
            }
            // Moving apart, along each other, hardly or not at all: a miss.
            let still =
                [[0.0, 1.0, 0.0], [5.0, 1e-9, 0.0], [7.0, 0.0, 0.0], [0.0; 3], [0.0, -1e-310, 0.0], [1e-310; 3]];
            for velocity in still {
                let row = moving(velocity);
                assert_eq!((row.status, row.time), (CastStatus::Miss, 3.0), "{velocity:?}: {row:?}");
            }
            // Overlapping, however it moves.
            for velocity in [[0.0; 3], [0.0, 1e6, 0.0], [0.0, -1e-310, 0.0]] {
                let bodies = two(a(), b(), [0.0, 0.75, 0.0], velocity);
                let row = ask(&bodies, motion);
                let standing = distance::<f64, _, _>(&bodies.columns(), &[[0, 1]]).expect("a good pair")[0];
                assert_eq!(standing.status, Status::Overlapping);
                let expected = (CastStatus::Start, 0.0, standing.distance, standing.witness_a, standing.normal);
                assert_eq!((row.status, row.time, row.distance, row.point, row.normal), expected);
            }
            // Nearer than the target, but not overlapping.
            let row = ask(&two(a(), b(), [0.0, 1.25, 0.0], [0.0, -1.0, 0.0]), motion.to_within(0.5));
            assert!(row.status == CastStatus::Start && (row.distance - 0.25).abs() < 1e-12, "{row:?}");
            // At the target.
            for (speed, status) in [(-1.0, CastStatus::Hit), (1.0, CastStatus::Miss), (0.0, CastStatus::Miss)] {
                let row = ask(&two(a(), b(), [0.0, 1.25, 0.0], [0.0, speed, 0.0]), motion.to_within(0.25));
                assert_eq!(row.status, status, "{row:?}");
            }
        }
    }
    // Nothing moves in no time.
    let row = ask(&two(BOX(), BOX(), [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]), Motion::lasting(0.0));
    assert_eq!(row.status, CastStatus::Miss);
    // Corner on corner, moving off over the top: they part, although the normal is that of no face.
    let row = ask(&two(BOX(), BOX(), [1.0, 1.0, 0.0], [-1.0, 0.5, 0.0]), motion);
    assert_eq!(row.status, CastStatus::Miss, "{row:?}");
    let row = ask(&two(BOX(), BOX(), [1.0, 1.0, 0.0], [-1.0, -0.5, 0.0]), motion);
    assert_eq!((row.status, row.time), (CastStatus::Hit, 0.0), "{row:?}");
}

#[test]
fn both_bodies_move_and_only_their_difference_counts() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.5).expect("a good disc")).expect("one shape");
    for (x, v) in [(0.0, [3.0, 1.0]), (6.0, [1.0, 1.0])] {
        bodies.push(Body::new(disc, [x, 0.0]).with_velocity(v)).expect("a good body");
    }
    let row = cast(&bodies.columns(), &[[0, 1]], Motion::lasting(5.0)).expect("good motion")[0];
    // They approach at 2 m/s over 5 m, and both move.
    assert!(row.status == CastStatus::Hit && (row.time - 2.5).abs() < 1e-10, "{row:?}");
    assert!((row.point[0] - 8.0).abs() < 1e-9 && (row.point[1] - 2.5).abs() < 1e-9, "{row:?}");
    // Bodies without velocities stand.
    let at_rest =
        jostle::Columns::new(bodies.shapes(), &[0, 0], &[[0.0, 0.0], [6.0, 0.0]], jostle::Rotations::Identity);
    let row = cast(&at_rest.expect("good bodies"), &[[0, 1]], Motion::lasting(5.0)).expect("good motion")[0];
    assert_eq!((row.status, row.time), (CastStatus::Miss, 5.0));
}

#[test]
fn extremes_end_in_an_answer() {
    let motion = Motion::lasting(1e300);
    let far = two(Shape::ball(1.0), BOX(), [1e15, 1e15, -1e15], [-1e15, -1e15, 1e15]);
    let row = ask(&far, motion);
    assert!(row.status == CastStatus::Hit && (row.time - 1.0).abs() < 1e-12, "{row:?}");
    // A creep of 1e-300 m/s for 1e300 s.
    let slow = two(Shape::ball(0.5), Shape::ball(0.5), [1.5, 0.0, 0.0], [-1e-300, 0.0, 0.0]);
    let row = ask(&slow, motion);
    assert!(row.status == CastStatus::Hit && (row.time / 5e299 - 1.0).abs() < 1e-9, "{row:?}");
    let denormal = two(Shape::ball(0.5), BOX(), [1.5, 0.0, 0.0], [-5e-324, 0.0, 0.0]);
    assert_eq!(ask(&denormal, Motion::lasting(1.0)).status, CastStatus::Miss);
    for size in [1e-9, 1.0, 1e9] {
        let [ball, cone] = [Shape::ball(size), Shape::cone(size, size)];
        let row = ask(&two(ball, cone, [10.0 * size, 0.0, 0.0], [-size, 0.0, 0.0]), Motion::lasting(100.0));
        assert!(row.status == CastStatus::Hit && row.time > 8.0 && row.time < 9.0, "{row:?}");
    }
}

/// Sizes whose squares or products with small numbers underflow, or that have a few bits only: rows may say that
/// nothing is known, but there are rows.
#[test]
fn denormal_sizes_end_in_an_answer() {
    for size in [1e-150, 1e-200, 1e-290, 1e-307, 1e-315, 1e-318, 1e-322, 5e-324] {
        let shapes = |size: f64| {
            let corners = [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]];
            [
                Shape::<D3>::ball(size),
                Shape::capsule(size, size),
                Shape::cuboid([size; 3]),
                Shape::cylinder(size, size),
                Shape::convex(&corners),
            ]
        };
        let shapes: Vec<_> = shapes(size).into_iter().filter_map(Result::ok).collect();
        for a in &shapes {
            for b in &shapes {
                for (gap, speed) in [(2.0, 1.0), (2.0, size), (3.0, 1.0), (3.0, 1e15), (0.0, 1.0)] {
                    let mut bodies = Bodies::new();
                    for (shape, place, velocity) in [(a, 0.0, 0.0), (b, gap * size, -speed)] {
                        let shape = bodies.add_shape(shape.clone()).expect("good");
                        let body = Body::new(shape, [place, 0.0, 0.0]).with_velocity([velocity, 0.0, 0.0]);
                        bodies.push(body).expect("good");
                    }
                    let row = ask(&bodies, Motion::lasting(1.0));
                    assert!((0.0..=1.0).contains(&row.time), "{size}: {row:?}");
                    let index = SceneIndex::<D3>::new(&bodies.columns()).expect("good");
                    let met = index.ray([0.5 * gap * size, 0.0, 0.0], [-1.0, 0.0, 0.0]).expect("a good ray");
                    assert!(met.is_none_or(|hit| hit.time.is_finite()), "{size}: {met:?}");
                }
            }
        }
    }
}

#[test]
fn refusals() {
    let bodies = two(BOX(), BOX(), [3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    let columns = bodies.columns();
    let mut rows = vec![Cast::default(); 3];
    for bad in [-1.0, -1e-300, f64::NAN, f64::INFINITY] {
        let error = cast_into(&columns, &[[0, 1]], Motion::lasting(bad), &mut rows).expect_err("a bad duration");
        assert!(matches!(error, CastError::Duration(found) if found.to_bits() == bad.to_bits()), "{error}");
        assert!(error.to_string().contains("which is not a finite number of seconds"), "{error}");
        let motion = Motion::lasting(1.0).to_within(bad);
        let error = cast_into(&columns, &[[0, 1]], motion, &mut rows).expect_err("a bad target");
        assert!(matches!(error, CastError::Target(found) if found.to_bits() == bad.to_bits()), "{error}");
    }
    let error = cast_into(&columns, &[[0, 2]], Motion::lasting(1.0), &mut rows).expect_err("a bad pair");
    assert_eq!(error, CastError::Pair(PairError::MissingBody { index: 0, body: 2, count: 2 }));
    assert_eq!(rows.len(), 3);
    let velocity = [[0.0, f64::NAN, 0.0], [0.0; 3]];
    let error = columns.with_velocities(&velocity).expect_err("a bad velocity").to_string();
    assert!(error.contains("body 0: velocity[1] is NaN"), "{error}");
    let error = columns.with_velocities(&velocity[..1]).expect_err("too few").to_string();
    assert!(error.contains("column 'velocity' has 1 entries for 2 bodies"), "{error}");
}

fn as_bisection_says<S: Ground>(batches: u64, seed: u64) {
    let mut count = [0; 4];
    for batch in 0..batches {
        let moves = draw_moves::<S>(S::KINDS, 250, &mut Random::new(seed + batch));
        let verdicts = moves.hold(&moves.cast());
        if let Some((place, text)) = verdicts.failures.first() {
            panic!("batch {batch}, move {place} ({:?}): {text}", moves.kinds[*place]);
        }
        for k in 0..4 {
            count[k] += verdicts.count[k];
        }
    }
    assert!(count[..3].iter().all(|&n| n > 20 * batches as usize), "{count:?}");
}

#[test]
fn casts_agree_with_bisection() {
    as_bisection_says::<D2>(6, 100);
    as_bisection_says::<D3>(8, 200);
}

/// What two casts of one motion, asked in either order, may differ by.
fn alike<S: Ground>(there: &Cast<S>, back: &Cast<S>, size: f64, speed: f64) {
    // A graze may be found in one order and not in the other.
    if there.status != back.status {
        return;
    }
    let room = 1e-7 * size;
    assert!((there.time - back.time).abs() * speed <= room, "{there:?}\n{back:?}");
    if there.status == CastStatus::Hit {
        let gap: [f64; 3] = core::array::from_fn(|k| {
            let [p, q] = [there, back].map(|row| S::wide(row.point)[k]);
            let n = S::wide(there.normal)[k];
            p + there.distance * n - q
        });
        // The same plane, though perhaps not the same point of a contact that is more than a point.
        assert!(dot(gap, S::wide(there.normal)).abs() <= room, "{there:?}\n{back:?}");
    }
}

#[test]
fn swapping_bodies_changes_nothing_but_the_direction() {
    for seed in 0..4 {
        let moves = draw_moves::<D3>(D3::KINDS, 300, &mut Random::new(300 + seed));
        let there = moves.cast();
        let columns = moves.columns();
        let swapped: Vec<[u32; 2]> = moves.pairs.iter().map(|&[a, b]| [b, a]).collect();
        let back = cast(&columns, &swapped, moves.motion).expect("good moves");
        let (mut differ, mut held) = (0, 0);
        for (i, (x, y)) in there.iter().zip(&back).enumerate() {
            differ += usize::from(x.status != y.status);
            let closing = -dot(moves.relative(i), D3::wide(x.normal));
            if closing > 0.1 * length(moves.relative(i)) {
                alike(x, y, moves.size(i), length(moves.relative(i)));
                held += 1;
            }
        }
        assert!(differ <= 6 && held > 60, "{differ} of 300 differ, {held} of them are clear hits");
    }
}

fn bits<S: Ground>(rows: &[Cast<S>]) -> Vec<Vec<u64>> {
    rows.iter().map(jostle_tests::cast_bits).collect()
}

#[test]
fn the_same_bits_for_any_number_of_threads_order_and_grouping() {
    let moves = draw_moves::<D3>(D3::KINDS, 3000, &mut Random::new(7));
    let columns = moves.columns();
    let on = |threads: usize| on_threads(threads, || bits(&moves.cast()));
    let one = on(1);
    assert!(on(2) == one && on(3) == one);
    let mut random = Random::new(8);
    let mut order: Vec<usize> = (0..moves.pairs.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let shuffled: Vec<[u32; 2]> = order.iter().map(|&i| moves.pairs[i]).collect();
    let found = bits(&cast(&columns, &shuffled, moves.motion).expect("good moves"));
    for (row, &i) in found.iter().zip(&order) {
        assert!(*row == one[i], "{i}");
    }
    for size in [1, 7] {
        for (group, expected) in moves.pairs.chunks(size).zip(one.chunks(size)).take(200) {
            assert!(bits(&cast(&columns, group, moves.motion).expect("good moves")) == expected);
        }
    }
}

/// Half of the pairs are a point and another shape. Many kinds of shapes have a closed form for these.
fn rays_do_as_bisection_says<S: Ground>(batches: u64, seed: u64) {
    for (number, &kind) in S::KINDS.iter().enumerate().filter(|&(_, &kind)| kind != Kind::Point) {
        for batch in 0..batches {
            let mut random = Random::new(seed + 100 * number as u64 + batch);
            let moves = draw_moves::<S>(&[Kind::Point, kind], 250, &mut random);
            let verdicts = moves.hold(&moves.cast());
            if let Some((place, text)) = verdicts.failures.first() {
                panic!("batch {batch}, move {place} ({:?}): {text}", moves.kinds[*place]);
            }
        }
    }
}

#[test]
fn rays_agree_with_bisection() {
    rays_do_as_bisection_says::<D2>(3, 1000);
    rays_do_as_bisection_says::<D3>(3, 5000);
}
