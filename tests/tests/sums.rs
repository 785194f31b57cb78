//! Minkowski sums, checked against shapes that are the same set of points, and against their own proof.

use jostle::{
    Aabb, Bodies, Body, CastStatus, Columns, Core, CustomShape, D2, D3, Dimension, Engine, Minimum, Motion, Pipeline,
    Pose, Precision, Proximity, Shape, Side, Status, Sum, cast, distance, proximity, within_into,
};
use jostle_scene::ShapeSpec;
use jostle_tests::{
    Ground, Kind, Posed, Random, Style, bits, corners, draw_shape, every_pair, full, length, tolerance,
};
use jostle_verify::Tolerance;

type Summed<S> = Shape<S, Sum<S>>;

fn pose<S: Ground>(reach: f64, random: &mut Random) -> Pose<S> {
    let at = S::direction(random).map(|x| x * random.range(0.0, reach));
    Pose::at(S::narrow(at)).with_rotation(S::any_rotation(random))
}

fn spec<S: Ground>(kinds: &[Kind], random: &mut Random) -> ShapeSpec<S> {
    let style = random.pick(&[Style::Even, Style::Even, Style::Plate, Style::Needle, Style::Flat]);
    let size = random.log(0.3, 3.0);
    draw_shape(random.pick(kinds), style, size, random)
}

fn shape<S: Ground>(spec: &ShapeSpec<S>) -> Shape<S> {
    spec.shape().expect("drawn shapes are valid")
}

fn ask<S: Dimension, T: Precision>(a: (&Summed<S>, Pose<S>), b: (&Summed<S>, Pose<S>)) -> Proximity<S, T> {
    proximity(a, b).expect("good poses")
}

/// Checks that the answers for a pair in two forms agree in distances, bounds and depths. `near` is the tolerance of
/// two answers in `f64` relative to the size: 1e-12 between polytopes, twice 1e-11 where a shape is curved.
fn same<S: Ground, T: Precision>(x: &Proximity<S, T>, y: &Proximity<S, T>, size: f64, near: f64) {
    let (d, e) = (x.distance.to_f64(), y.distance.to_f64());
    let searched = x.minimum == Minimum::Searched || y.minimum == Minimum::Searched;
    let allowed = if size_of::<T>() == 4 {
        1e-5
    } else if searched {
        1e-7
    } else {
        near
    };
    // A searched depth may be a hundredth more than the least, as everywhere.
    let more = if searched { 0.01 * (-d.min(e)).max(0.0) } else { 0.0 };
    assert!((d - e).abs() <= allowed * size + more, "{d} and {e} (size {size})\n{x:?}\n{y:?}");
    assert_ne!(x.status, Status::Unconverged, "{x:?}");
    for (x, y) in [(x, y), (y, x)] {
        assert!(x.lower.to_f64() <= y.upper.to_f64() + 1e-13 * size, "{x:?}\n{y:?}");
    }
}

/// A sum with a ball is the other part with a skin: a rod and a ball are a capsule, a box and a ball a rounded box.
fn skins<S: Ground, T: Precision>() {
    let mut random = Random::new(1);
    for _ in 0..300 {
        let [spec_a, other] = [0; 2].map(|_| spec::<S>(S::KINDS, &mut random));
        let radius = random.log(0.05, 1.0);
        let ball = Shape::ball(radius).expect("a good radius");
        let at = pose::<S>(1.0, &mut random);
        // The ball is the first or second part, at some position.
        let beside = Pose::at(S::narrow(S::direction(&mut random)));
        let (plain, other) = (shape(&spec_a), shape(&other).with_custom());
        let sum = if random.chance(0.5) {
            Shape::sum((&plain, at), (&ball, beside))
        } else {
            Shape::sum((&ball, beside), (&plain, at))
        };
        let sum = sum.expect("good parts");
        let skinned: Summed<S> = plain.rounded(radius).expect("a good radius").with_custom();
        // The pose of the skinned shape in the frame of the sum.
        let moved = Pose::at(S::array(|k| at.position[k] + beside.position[k])).with_rotation(at.rotation);
        for _ in 0..4 {
            let there = pose::<S>(8.0, &mut random);
            let size = sum.reach() + other.reach() + length(S::wide(there.position));
            let x = ask::<S, T>((&sum, Pose::default()), (&other, there));
            let y = ask::<S, T>((&skinned, moved), (&other, there));
            same(&x, &y, size, 2e-11);
        }
    }
}

/// Sums of polytopes against the hull of all their corners' sums.
fn polytopes<S: Ground, T: Precision>() {
    let mut random = Random::new(2);
    let flat: Vec<Kind> = S::KINDS.iter().copied().filter(|k| !matches!(k, Kind::Cylinder | Kind::Cone)).collect();
    let (mut tried, mut overlaps) = (0, 0);
    while tried < 200 {
        let specs = [0; 2].map(|_| spec::<S>(&flat, &mut random));
        let poses = [0; 2].map(|_| pose::<S>(0.5, &mut random));
        let points: [Vec<_>; 2] = core::array::from_fn(|i| {
            let at = S::wide(poses[i].position);
            let all = corners(&specs[i]).expect("no curved kinds");
            let placed = all.iter().map(|&p| {
                let turned = S::rotate(poses[i].rotation, p);
                core::array::from_fn::<f64, 3, _>(|k| at[k] + turned[k])
            });
            placed.collect()
        });
        if points[0].len() * points[1].len() > 2000 {
            continue;
        }
        tried += 1;
        let sums: Vec<_> = points[0]
            .iter()
            .flat_map(|p| points[1].iter().map(move |q| S::narrow(core::array::from_fn(|k| p[k] + q[k]))))
            .collect();
        let [a, b] = specs.each_ref().map(shape);
        let sum = Shape::sum((&a, poses[0]), (&b, poses[1])).expect("good parts");
        let hull: Summed<S> =
            Shape::convex(&sums).and_then(|hull| hull.rounded(a.radius() + b.radius())).expect("good points");
        let other = shape(&spec::<S>(&flat, &mut random)).with_custom();
        for _ in 0..4 {
            let (here, there) = (pose::<S>(5.0, &mut random), pose::<S>(5.0, &mut random));
            let size = sum.reach() + other.reach() + length(S::wide(there.position)) + length(S::wide(here.position));
            let (x, y) = (ask::<S, T>((&sum, here), (&other, there)), ask((&hull, here), (&other, there)));
            same(&x, &y, size, 1e-12);
            // Both are polytopes: a depth is proved.
            assert_eq!(x.minimum, Minimum::Proved, "{x:?}\n{y:?}");
            overlaps += usize::from(x.status == Status::Overlapping);
        }
    }
    assert!(overlaps > 100, "{overlaps}");
}

/// The distance of A + B from C is that of A from C - B. All kinds are tried for A and C; B is any kind that is its own
/// mirror image except for its position, or a hull, whose points are mirrored.
fn mirrored<S: Ground, T: Precision>() {
    let mut random = Random::new(3);
    let own: Vec<Kind> = S::KINDS.iter().copied().filter(|k| *k != Kind::Cone).collect();
    for _ in 0..300 {
        let [a, b, c] = [S::KINDS, &own, S::KINDS].map(|kinds| spec::<S>(kinds, &mut random));
        let back = match &b {
            ShapeSpec::Convex { points, rounding } => {
                ShapeSpec::Convex { points: points.iter().map(|p| S::array(|k| -p[k])).collect(), rounding: *rounding }
            }
            other => other.clone(),
        };
        let [a, b, c, back] = [a, b, c, back].each_ref().map(shape);
        let [at_a, at_b, mut at_c] = [0; 3].map(|_| pose::<S>(1.0, &mut random));
        for _ in 0..3 {
            at_c.position = pose::<S>(8.0, &mut random).position;
            let behind = Pose::at(S::array(|k| -at_b.position[k])).with_rotation(at_b.rotation);
            let front = Shape::sum((&a, at_a), (&b, at_b)).expect("good parts");
            let rear = Shape::sum((&c, at_c), (&back, behind)).expect("good parts");
            let (plain_a, plain_c): (Summed<S>, Summed<S>) = (a.clone().with_custom(), c.clone().with_custom());
            let x = ask::<S, T>((&front, Pose::default()), (&plain_c, at_c));
            let y = ask::<S, T>((&plain_a, at_a), (&rear, Pose::default()));
            let size = a.reach() + b.reach() + c.reach() + 2.0 + length(S::wide(at_c.position));
            same(&x, &y, size, 2e-11);
        }
    }
}

/// Crowds of sums and plain shapes: contacts are what the distances of all pairs give, and rows hold against their
/// proof.
fn crowds<S: Ground, T: Precision>() {
    let mut random = Random::new(4);
    let mut bodies = Bodies::<S, Sum<S>>::new();
    for i in 0..24 {
        let [a, b] = [0; 2].map(|_| shape(&spec::<S>(S::KINDS, &mut random)));
        let sum = if i % 3 == 0 {
            a.with_custom()
        } else {
            let (at_a, at_b) = (pose(0.5, &mut random), pose(0.5, &mut random));
            Shape::sum((&a, at_a), (&b, at_b)).expect("good parts")
        };
        bodies.add_shape(sum).expect("a few shapes");
    }
    let side = if S::DIMENSION == 2 { 40.0 } else { 14.0 };
    for i in 0..120 {
        let at = S::array(|_| random.range(0.0, side));
        bodies.push(Body::new(i % 24, at).with_rotation(S::any_rotation(&mut random))).expect("good bodies");
    }
    let columns = bodies.columns();
    let mut rows: Vec<Proximity<S, T>> = distance(&columns, &every_pair(120)).expect("good pairs");
    for row in rows.iter().step_by(7) {
        let custom = |body| !bodies.get(body as usize).shape.is_multiple_of(3);
        // Of a curved sum only the support map is known, also in f64.
        let tolerance = if size_of::<T>() == 8 && (custom(row.a) || custom(row.b)) {
            Tolerance { size: 1e-7, coord: 1e-7, ..Tolerance::double() }
        } else {
            tolerance(row)
        };
        let held = full(&columns, row, &tolerance);
        assert!(held.is_ok(), "{held:?}\n{row:?}");
        assert_ne!(row.status, Status::Unconverged, "{row:?}");
    }
    let mut near = Vec::new();
    Engine::<S, T>::new().contacts(&columns, 0.25, &mut near).expect("a good margin");
    rows.retain(|row| row.distance.to_f64() <= 0.25);
    assert!(near.len() > 50 && near.iter().any(|row| row.status == Status::Overlapping), "{}", near.len());
    assert!(near.iter().map(bits).eq(rows.iter().map(bits)), "{} and {} rows", near.len(), rows.len());
}

/// A sum with a ball (body 0), the same as a skinned shape (body 1), and four partners that may meet them; and the size
/// of the scene.
fn sum_and_skin<S: Ground>(random: &mut Random) -> (Bodies<S, Sum<S>>, f64) {
    let mut bodies = Bodies::<S, Sum<S>>::new();
    let [part, other] = [0; 2].map(|_| shape(&spec::<S>(S::KINDS, random)));
    let radius = random.log(0.05, 1.0);
    let ball = Shape::ball(radius).expect("a good radius");
    let at = pose::<S>(1.0, random);
    let sum = Shape::sum((&part, at), (&ball, Pose::default())).expect("good parts");
    let size = 2.0 * (sum.reach() + other.reach()) + 8.0;
    for shape in [sum, part.rounded(radius).expect("a good radius").with_custom(), other.with_custom()] {
        bodies.add_shape(shape).expect("three shapes");
    }
    bodies.push(Body::new(0, S::array(|_| 0.0))).expect("a good body");
    bodies.push(Body::new(1, at.position).with_rotation(at.rotation)).expect("a good body");
    for _ in 0..4 {
        let there = pose::<S>(6.0, random);
        let aim = S::narrow(S::direction(random));
        let velocity = S::array(|k| 0.75 * aim[k] - there.position[k] / 2.0);
        let partner = Body::new(2, there.position).with_rotation(there.rotation).with_velocity(velocity);
        bodies.push(partner).expect("a good body");
    }
    (bodies, size)
}

/// The partners of a body of [`sum_and_skin`].
fn partners(body: u32) -> Vec<[u32; 2]> {
    (2..6).map(|other| [body, other]).collect()
}

/// Checks whether partners are within a limit; returns how many overlap. `rows` are the distances of the skin.
fn same_within<S: Ground, T: Precision>(
    columns: &Columns<'_, S, Sum<S>>,
    rows: &[Proximity<S, f64>],
    size: f64,
) -> usize {
    let mut overlaps = 0;
    for limit in [0.0, 0.5] {
        let [mut x, mut y] = [Vec::new(), Vec::new()];
        within_into::<T, _, _>(columns, &partners(0), limit, &mut x).expect("a good limit");
        within_into::<T, _, _>(columns, &partners(1), limit, &mut y).expect("a good limit");
        for ((x, y), row) in x.iter().zip(&y).zip(rows) {
            // Searched depths are not exact enough to decide nearer to the limit than this.
            if (row.distance - limit).abs() > 1e-6 * size {
                assert_eq!(x, y, "{limit}: {row:?}");
                assert_eq!(*x, if row.distance < limit { Side::Within } else { Side::Beyond }, "{limit}: {row:?}");
            }
            overlaps += usize::from(limit == 0.0 && *x == Side::Within);
        }
    }
    overlaps
}

/// When partners meet: returns how many hit, how many overlap from the start, and how many graze, so that one of the
/// two casts hits and the other misses. `rows` are the distances of the skin.
fn same_casts<S: Ground>(columns: &Columns<'_, S, Sum<S>>, rows: &[Proximity<S, f64>], size: f64) -> [usize; 3] {
    let (mut hits, mut starts, mut grazes) = (0, 0, 0);
    for motion in [Motion::lasting(4.0), Motion::lasting(4.0).to_within(0.25)] {
        let x = cast(columns, &partners(0), motion).expect("a good motion");
        let y = cast(columns, &partners(1), motion).expect("a good motion");
        for ((x, y), row) in x.iter().zip(&y).zip(rows) {
            assert_ne!(x.status, CastStatus::Unconverged, "{x:?}\n{row:?}");
            if (row.distance - motion.target).abs() < 1e-6 * size {
                continue;
            }
            starts += usize::from(x.status == CastStatus::Start);
            if x.status == y.status {
                let hit = x.status == CastStatus::Hit;
                hits += usize::from(hit);
                // How far it moves in that time, against the least of what it passes by.
                assert!((x.time - y.time).abs() <= 1e-5 * size, "{x:?}\n{y:?}");
                assert!(!hit || (x.distance - y.distance).abs() <= 1e-9 * size, "{x:?}\n{y:?}");
            } else {
                let hit = if x.status == CastStatus::Hit { x } else { y };
                assert_eq!(hit.status, CastStatus::Hit, "{x:?}\n{y:?}");
                grazes += 1;
            }
        }
    }
    [hits, starts, grazes]
}

/// A sum with a ball and its skin, each against the same partners, in all other queries: yes or no, casts, and frames
/// of a pipeline.
fn questions<S: Ground, T: Precision>() {
    let mut random = Random::new(6);
    let (mut hits, mut starts, mut grazes, mut overlaps) = (0, 0, 0, 0);
    let mut over_time: Pipeline<S, T, (), Sum<S>> = Pipeline::new();
    over_time.set_margin(0.5).expect("a good margin");
    for round in 0..120 {
        let (bodies, size) = sum_and_skin::<S>(&mut random);
        let columns = bodies.columns();
        let rows: Vec<Proximity<S, f64>> = distance(&columns, &partners(1)).expect("good pairs");
        overlaps += same_within::<S, T>(&columns, &rows, size);
        let [hit, start, graze] = same_casts(&columns, &rows, size);
        (hits, starts, grazes) = (hits + hit, starts + start, grazes + graze);

        // A frame's contacts are those of an engine with the same bodies.
        let first = over_time.slots();
        let far = S::array(|k| if k == 0 { 40.0 * f64::from(round) } else { 0.0 });
        let mut shapes = Vec::new();
        for shape in bodies.shapes() {
            shapes.push(over_time.add_shape(shape.clone()).expect("a few shapes"));
        }
        for index in (0..bodies.len()).filter(|&index| index != 1) {
            let body = bodies.get(index);
            let position = S::array(|k| body.position[k] + far[k]);
            let body = Body { shape: shapes[body.shape as usize], position, ..body };
            over_time.insert(body).expect("a good body");
        }
        assert_eq!(over_time.slots(), first + 5);
    }
    let frame = over_time.update().expect("not too many");
    let mut rows = Vec::new();
    Engine::<S, T>::new().contacts(&over_time.columns().expect("good"), 0.5, &mut rows).expect("a good margin");
    assert_eq!(frame.bodies, 600);
    assert!(rows.len() > 200 && over_time.contacts().iter().map(bits).eq(rows.iter().map(bits)), "{}", rows.len());
    assert!(hits > 100 && starts > 50 && overlaps > 50, "{hits} hits, {starts} starts, {overlaps} overlaps");
    assert!(grazes <= 1, "{grazes} of 960 casts graze");
}

macro_rules! everywhere {
    ($($name:ident => $check:ident),+ $(,)?) => { $(
        #[test]
        fn $name() {
            $check::<D2, f32>();
            $check::<D2, f64>();
            $check::<D3, f32>();
            $check::<D3, f64>();
        }
    )+ };
}

everywhere! {
    a_sum_with_a_ball_is_a_skin => skins,
    a_sum_of_polytopes_is_the_hull_of_the_sums => polytopes,
    parts_may_change_sides => mirrored,
    sums_take_part_in_crowds => crowds,
    sums_answer_every_question => questions,
}

#[test]
fn sums_that_are_plain_shapes() {
    let ball = Shape::<D3>::ball(0.25).expect("a good radius");
    let rod = Shape::<D3>::capsule(1.0, 0.0).expect("good lengths");
    let block = Shape::<D3>::cuboid([1.0, 2.0, 0.5]).expect("good extents");
    let here = Pose::default();
    let pairs = [
        (Shape::sum((&rod, here), (&ball, here)), Shape::<D3>::capsule(1.0, 0.25)),
        (Shape::sum((&ball, here), (&block, here)), block.clone().rounded(0.25)),
        (Shape::sum((&ball, here), (&ball, here)), Shape::ball(0.5)),
        (Shape::sum((&rod, here), (&rod, here)), Shape::capsule(2.0, 0.0)),
        (Shape::sum((&block, here), (&block, here)), Shape::cuboid([2.0, 4.0, 1.0])),
    ];
    let probe = Shape::ball(0.125).expect("a good radius");
    for (sum, plain) in pairs {
        let (sum, plain) = (sum.expect("good parts"), plain.expect("good lengths").with_custom());
        for at in [[3.0, 0.5, 0.25], [0.0, 4.0, 0.5], [5.0, 5.0, 5.0], [0.5, 0.25, 0.0]] {
            let x = ask::<D3, f64>((&sum, here), (&probe, Pose::at(at)));
            let y = ask::<D3, f64>((&plain, here), (&probe, Pose::at(at)));
            assert!((x.distance - y.distance).abs() <= 1e-14, "{x:?}\n{y:?}");
            if x.status == Status::Separated {
                assert!((0..3).all(|k| (x.normal[k] - y.normal[k]).abs() < 1e-14), "{x:?}\n{y:?}");
            }
        }
    }
}

#[test]
fn parts_without_a_valid_pose_are_refused() {
    let ball = Shape::<D3>::ball(0.25).expect("a good radius");
    let here = Pose::default();
    let refused = |a: Pose<D3>, b: Pose<D3>| Shape::sum((&ball, a), (&ball, b)).expect_err("a bad pose").to_string();
    assert_eq!(
        refused(Pose::at([0.0, f64::NAN, 0.0]), here),
        "part 0: position[1] is NaN, which is not a finite number within 1e15"
    );
    assert_eq!(
        refused(here, here.with_rotation([0.0, 0.0, 0.0, 2.0])),
        "part 1: rotation has norm 2, not within 1e-3 of 1"
    );
    assert_eq!(
        refused(here, here.with_rotation([f64::INFINITY, 0.0, 0.0, 1.0])),
        "part 1: rotation has norm inf, not within 1e-3 of 1"
    );
    let flat = Shape::<D2>::ball(0.25).expect("a good radius");
    let turned = Pose::<D2>::default().with_rotation([f64::NAN]);
    let error = Shape::sum((&flat, turned), (&flat, Pose::default())).expect_err("a bad angle");
    assert_eq!(error.to_string(), "part 0: rotation is NaN, which is not a finite number");
    let large = Shape::<D3>::ball(1e15).expect("just so");
    assert!(Shape::sum((&large, here), (&large, here)).is_err());
}

/// The bounds of a sum hold all its support points; they are tight where those of its parts are: of balls, capsules and
/// boxes, however they are turned.
#[test]
fn bounds_are_those_of_the_parts() {
    let mut random = Random::new(5);
    let mut tight = 0;
    for _ in 0..200 {
        let specs = [0; 2].map(|_| spec::<D3>(D3::KINDS, &mut random));
        let poses = [0; 2].map(|_| pose::<D3>(0.5, &mut random));
        let [a, b] = specs.each_ref().map(shape);
        let sum = Shape::sum((&a, poses[0]), (&b, poses[1])).expect("good parts");
        let Core::Custom(own) = sum.core() else { unreachable!("a sum is a custom shape") };
        let Aabb { lower, upper } = own.bounds();
        let is_tight = |spec: &ShapeSpec<D3>| {
            matches!(spec, ShapeSpec::Ball { .. } | ShapeSpec::Capsule { .. } | ShapeSpec::Box { .. })
        };
        let is_tight = specs.iter().all(is_tight);
        tight += usize::from(is_tight);
        for k in 0..3 {
            for sign in [1.0, -1.0] {
                let mut axis = [0.0; 3];
                axis[k] = sign;
                let reach: f64 = (0..2)
                    .map(|i| {
                        let posed = Posed { spec: &specs[i], rotation: poses[i].rotation, position: poses[i].position };
                        sign * (posed.reach(axis)[k] + posed.position[k]) - [a.radius(), b.radius()][i]
                    })
                    .sum();
                let bound = if sign > 0.0 { upper[k] } else { -lower[k] };
                assert!(reach <= bound + 1e-12, "{reach} beyond {bound}: {specs:?}");
                assert!(!is_tight || bound - reach <= 1e-12, "{reach} far below {bound}: {specs:?}");
            }
        }
    }
    assert!(tight > 40, "{tight} of 200");
}
