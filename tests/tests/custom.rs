//! Custom shapes: they take part in every query, and an invalid one ends in a status.

use jostle::lanes::{Lanes, Scalar, Space, Vec3, Vector};
use jostle::{
    Aabb, Bodies, Body, Boundary, CastStatus, CustomShape, D3, Engine, MAX_WIDTH, Motion, Pose, Precision, Proximity,
    Shape, Status, SupportMap, cast, distance, overlap, proximity,
};
use jostle_tests::{Ground, Random, dot, every_pair, full, length, tolerance};
use jostle_verify::Tolerance;

type Point<L> = <D3 as Space>::Vector<L>;

/// The custom shapes of the tests.
#[derive(Clone, Debug)]
enum Own {
    /// All points with sum((x / r)^2) <= 1.
    Ellipsoid([f64; 3]),
    /// The sum of a box and a ball.
    SoftBox([f64; 3], f64),
    /// An ellipsoid that answers NaN in all directions, or in those whose y is larger than their x.
    Broken { always: bool },
}

struct Packed<L: Lanes> {
    ellipsoid: Point<L>,
    half: Point<L>,
    radius: L,
    broken: [L; 2],
}

impl<L: Lanes> SupportMap<D3, L> for Packed<L> {
    #[inline(always)]
    fn support(&self, direction: Point<L>, _: L::Mask) -> Point<L> {
        let unit = |v: Point<L>| {
            // Scaled first, so that squares of small numbers do not vanish.
            let largest = v.abs().max_component();
            let none = largest.eq(L::zero());
            let v = v * (L::one() / L::select(none, L::one(), largest));
            let length = v.length_squared().sqrt();
            v * (L::one() / L::select(none, L::one(), length))
        };
        let stretched = unit(self.ellipsoid.zip(direction, |r, d| r * d));
        let round = self.ellipsoid.zip(stretched, |r, s| r * s);
        let point = round + self.half.zip(direction, L::copysign) + unit(direction) * self.radius;
        let [always, sometimes] = self.broken;
        let bad = always.gt(L::zero()) | (sometimes.gt(L::zero()) & direction.get(1).gt(direction.get(0)));
        let nan = L::zero() / L::zero();
        Vector::from_fn(|k| L::select(bad, nan, point.get(k)))
    }
}

impl CustomShape<D3> for Own {
    type Packed<'a, L: Lanes> = Packed<L>;
    #[inline(always)]
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Packed<L> {
        let number =
            |f: fn(&Own, usize) -> f64, k: usize| L::from_fn(|lane| L::Scalar::from_f64(f(shapes[lane], k))) * scale;
        let radii = |own: &Own, k: usize| match own {
            Own::Ellipsoid(radii) => radii[k],
            Own::SoftBox(..) => 0.0,
            Own::Broken { .. } => 1.0,
        };
        let half = |own: &Own, k: usize| if let Own::SoftBox(half, _) = own { half[k] } else { 0.0 };
        let ball = |own: &Own, _: usize| if let Own::SoftBox(_, radius) = own { *radius } else { 0.0 };
        let always = |own: &Own, _: usize| f64::from(u8::from(matches!(own, Own::Broken { always: true })));
        let sometimes = |own: &Own, _: usize| f64::from(u8::from(matches!(own, Own::Broken { always: false })));
        Packed {
            ellipsoid: Vec3 { x: number(radii, 0), y: number(radii, 1), z: number(radii, 2) },
            half: Vec3 { x: number(half, 0), y: number(half, 1), z: number(half, 2) },
            radius: number(ball, 0),
            broken: [number(always, 0), number(sometimes, 0)],
        }
    }
    fn bounds(&self) -> Aabb<D3> {
        let upper = match self {
            Own::Ellipsoid(radii) => *radii,
            Own::SoftBox(half, radius) => half.map(|x| x + radius),
            Own::Broken { .. } => [1.0; 3],
        };
        Aabb { lower: upper.map(|x| -x), upper }
    }
}

fn shapes() -> Vec<Shape<D3, Own>> {
    let mut shapes = vec![
        Shape::custom(Own::Ellipsoid([1.0, 0.5, 0.25])),
        Shape::custom(Own::Ellipsoid([0.2, 1.5, 0.7])),
        Shape::custom(Own::SoftBox([0.5, 0.25, 1.0], 0.125)),
    ];
    let built_in = [
        Shape::ball(0.5),
        Shape::capsule(0.75, 0.25),
        Shape::cuboid([0.5, 0.25, 1.0]),
        Shape::cylinder(0.5, 0.75),
        Shape::cone(0.5, 0.75),
        Shape::convex(&[[1.0, 0.0, 0.0], [-1.0, 0.5, 0.0], [0.0, -1.0, 0.25], [0.0, 0.0, 1.0]]),
    ];
    shapes.extend(built_in.map(|shape| shape.expect("good shapes")));
    let rounded = shapes[0].clone().rounded(0.25).expect("a good radius");
    shapes.push(rounded);
    shapes
}

fn crowd(count: usize, side: f64, seed: u64) -> Bodies<D3, Own> {
    let mut random = Random::new(seed);
    let mut bodies = Bodies::new();
    for shape in shapes() {
        bodies.add_shape(shape).expect("a few shapes");
    }
    for i in 0..count {
        let position = [0; 3].map(|_| random.range(0.0, side));
        let shape = (i % bodies.shapes().len()) as u32;
        bodies.push(Body::new(shape, position).with_rotation(D3::any_rotation(&mut random))).expect("good bodies");
    }
    bodies
}

fn hold<T: Precision>(bodies: &Bodies<D3, Own>, rows: &[Proximity<D3, T>]) {
    let columns = bodies.columns();
    for row in rows {
        let custom =
            [row.a, row.b].iter().any(|&i| bodies.get(i as usize).shape < 3 || bodies.get(i as usize).shape == 9);
        // Of a custom shape only the support map is known.
        let tolerance = if custom && size_of::<T>() == 8 {
            Tolerance { size: 1e-7, coord: 1e-7, ..Tolerance::double() }
        } else {
            tolerance(row)
        };
        let held = full(&columns, row, &tolerance);
        assert!(held.is_ok(), "{held:?}\n{row:?}\n{:?}\n{:?}", bodies.get(row.a as usize), bodies.get(row.b as usize));
        assert_ne!(row.status, Status::Unconverged, "{row:?}");
    }
}

#[test]
fn custom_shapes_take_part_in_distance() {
    let bodies = crowd(40, 5.0, 1);
    let pairs = every_pair(40);
    hold(&bodies, &distance::<f32, _, _>(&bodies.columns(), &pairs).expect("good pairs"));
    hold(&bodies, &distance::<f64, _, _>(&bodies.columns(), &pairs).expect("good pairs"));
}

#[test]
fn custom_shapes_take_part_in_contacts_and_proximity() {
    let bodies = crowd(200, 12.0, 2);
    let columns = bodies.columns();
    let mut all = distance::<f32, _, _>(&columns, &every_pair(200)).expect("good pairs");
    all.retain(|row| row.distance <= 0.2);
    let mut found = Vec::new();
    Engine::new().contacts(&columns, 0.2, &mut found).expect("a good margin");
    assert!(found.len() > 100, "{} contacts", found.len());
    assert_eq!(found, all);
    for row in &found[..50] {
        let [a, b] = [row.a, row.b].map(|i| bodies.get(i as usize));
        let pose = |body: &Body<D3>| Pose::at(body.position).with_rotation(body.rotation);
        let [s, t] = [&a, &b].map(|body| &bodies.shapes()[body.shape as usize]);
        let one: Proximity<D3, f32> = proximity((s, pose(&a)), (t, pose(&b))).expect("good poses");
        assert_eq!(Proximity { a: row.a, b: row.b, ..one }, *row);
    }
}

/// The largest gap between an ellipsoid and a ball's centre over many directions: a lower bound that is nearly exact.
fn sampled(radii: [f64; 3], centre: [f64; 3]) -> f64 {
    let mut random = Random::new(3);
    let gap = |n: [f64; 3]| dot(n, centre) - length(core::array::from_fn(|k| radii[k] * n[k]));
    let mut best = (f64::NEG_INFINITY, [0.0; 3]);
    let mut try_one = |n: [f64; 3]| {
        let n = n.map(|x| x / length(n));
        if gap(n) > best.0 {
            best = (gap(n), n);
        }
        best.1
    };
    for _ in 0..2000 {
        try_one(D3::direction(&mut random));
    }
    for round in 0..4000 {
        let near = libm::exp2(-f64::from(round) / 200.0);
        let by = D3::direction(&mut random);
        let from = try_one(by);
        try_one(core::array::from_fn(|k| from[k] + near * by[k]));
    }
    best.0
}

#[test]
fn an_ellipsoid_is_as_far_as_sampling_says() {
    let mut random = Random::new(4);
    for _ in 0..40 {
        let radii = [0; 3].map(|_| random.range(0.2, 2.0));
        let centre = D3::direction(&mut random).map(|x| x * random.range(0.1, 5.0));
        let ellipsoid = Shape::custom(Own::Ellipsoid(radii));
        let ball = Shape::ball(0.25).expect("a good ball");
        let row: Proximity<D3, f64> =
            proximity((&ellipsoid, Pose::at([0.0; 3])), (&ball, Pose::at(centre))).expect("good poses");
        let wanted = sampled(radii, centre) - 0.25;
        let (d, inside) = (row.distance, wanted < -0.25);
        assert!(d >= wanted - 1e-9, "{d} below {wanted}: {row:?}");
        // Sampling approaches from below; depths are searched for.
        assert!(d <= wanted + if inside { 1e-3 } else { 1e-5 }, "{d} above {wanted}: {row:?}");
        let on = core::array::from_fn::<f64, 3, _>(|k| row.witness_a[k] / radii[k]);
        assert!((length(on) - 1.0).abs() < 1e-6, "{row:?}");
    }
}

#[test]
fn a_box_plus_a_ball_is_a_rounded_box() {
    let mut random = Random::new(5);
    let sum = Shape::custom(Own::SoftBox([0.5, 0.25, 1.0], 0.125));
    let rounded: Shape<D3, Own> =
        Shape::cuboid([0.5, 0.25, 1.0]).and_then(|s| s.rounded(0.125)).expect("a good rounded box");
    for other in &shapes()[3..9] {
        for _ in 0..20 {
            let there = D3::direction(&mut random).map(|x| x * random.range(0.0, 3.0));
            let pose = Pose::at(there).with_rotation(D3::any_rotation(&mut random));
            let [x, y] = [&sum, &rounded]
                .map(|shape| proximity::<f64, _, _>((shape, Pose::at([0.0; 3])), (other, pose)).expect("good poses"));
            let off = (x.distance - y.distance).abs();
            assert!(off <= 1e-7 * 3.0 + 0.01 * (-y.distance).max(0.0), "{x:?}\n{y:?}");
            if y.distance > 0.0 {
                assert!(off <= 1e-9, "{x:?}\n{y:?}");
            }
        }
    }
}

#[test]
fn a_support_map_that_returns_nan_ends_in_a_status() {
    for always in [true, false] {
        let broken = &Shape::custom(Own::Broken { always });
        for other in shapes().iter().chain([broken]) {
            for at in [0.0, 0.1, 1.5, 4.0] {
                let pose = Pose::at([at, 0.5 * at, -0.25 * at]);
                let there = proximity::<f32, _, _>((broken, Pose::at([0.0; 3])), (other, pose)).expect("good poses");
                let back = proximity::<f64, _, _>((other, pose), (broken, Pose::at([0.0; 3]))).expect("good poses");
                for (status, distance) in [(there.status, f64::from(there.distance)), (back.status, back.distance)] {
                    assert!(!distance.is_nan() || status == Status::Unconverged, "{status:?} with {distance}");
                    assert!(!always || status == Status::Unconverged, "{status:?} of a shape without a point");
                }
            }
        }
    }
}

#[test]
fn custom_shapes_take_part_in_overlap() {
    let bodies = crowd(120, 5.0, 6);
    let (columns, pairs) = (bodies.columns(), every_pair(120));
    let rows = distance::<f32, _, _>(&columns, &pairs).expect("good pairs");
    let overlaps = overlap::<f32, _, _>(&columns, &pairs, Boundary::Open).expect("good pairs");
    assert!(overlaps.iter().filter(|&&overlap| overlap).count() > 100);
    for (row, overlap) in rows.iter().zip(overlaps) {
        assert_eq!(row.status == Status::Overlapping, overlap, "{row:?}");
    }
}

#[test]
fn custom_shapes_take_part_in_casts() {
    let mut random = Random::new(7);
    let standing = crowd(120, 8.0, 8);
    let mut bodies = Bodies::new();
    for shape in shapes() {
        bodies.add_shape(shape).expect("a few shapes");
    }
    for i in 0..standing.len() {
        let velocity = D3::direction(&mut random).map(|x| 10.0 * x);
        bodies.push(standing.get(i).with_velocity(velocity)).expect("good bodies");
    }
    let pairs = every_pair(120);
    let rows = cast(&bodies.columns(), &pairs, Motion::lasting(1.0)).expect("good motion");
    let mut hits = 0;
    for row in rows.iter().filter(|row| row.status == CastStatus::Hit) {
        hits += 1;
        // At the time of the hit they touch, and a moment before they do not.
        let at = |time: f64| {
            let [x, y] = [row.a, row.b].map(|body| {
                let body = bodies.get(body as usize);
                let place = core::array::from_fn(|k| body.position[k] + body.velocity[k] * time);
                (&bodies.shapes()[body.shape as usize], Pose::at(place).with_rotation(body.rotation))
            });
            proximity::<f64, _, _>(x, y).expect("good poses")
        };
        assert!(at(row.time).distance.abs() < 1e-7, "{row:?}: {:?}", at(row.time));
        assert!(at(row.time - 1e-3).distance > 0.0, "{row:?}");
    }
    assert!(hits > 200, "{hits} hits");
    assert!(rows.iter().all(|row| row.status != CastStatus::Unconverged));
}

#[test]
fn a_support_map_that_returns_nan_ends_queries_too() {
    for always in [true, false] {
        let mut bodies = Bodies::<D3, Own>::new();
        let broken = bodies.add_shape(Shape::custom(Own::Broken { always })).expect("one shape");
        for shape in shapes() {
            bodies.add_shape(shape).expect("a few shapes");
        }
        bodies.push(Body::new(broken, [0.0; 3])).expect("a good body");
        for shape in 0..bodies.shapes().len() as u32 {
            for at in [0.0, 1.5, 40.0] {
                let body = Body::new(shape, [at, 0.5 * at, -0.25 * at]).with_velocity([-30.0, -15.0, 8.0]);
                bodies.push(body).expect("a good body");
            }
        }
        let pairs: Vec<[u32; 2]> = (1..bodies.len() as u32).flat_map(|i| [[0, i], [i, 0]]).collect();
        let columns = bodies.columns();
        let closed = overlap::<f32, _, _>(&columns, &pairs, Boundary::Closed).expect("good pairs");
        let open = overlap::<f32, _, _>(&columns, &pairs, Boundary::Open).expect("good pairs");
        for row in cast(&columns, &pairs, Motion::lasting(2.0)).expect("good motion") {
            assert!(row.time.is_finite() && row.distance.is_finite(), "{row:?}");
            if always {
                // The balls about them meet; nothing else is known.
                assert_eq!(row.status, CastStatus::Unconverged, "{row:?}");
            }
        }
        if always {
            // A pair that cannot be decided counts as touching.
            assert!(closed.iter().all(|&overlap| overlap) && !open.iter().any(|&overlap| overlap));
        }
    }
}
