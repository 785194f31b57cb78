//! Support maps that violate their contract: whatever a custom one returns, a query ends, with numbers or with the
//! status that says that there are none.

use jostle::lanes::{Lanes, Scalar, Vector};
use jostle::{
    Aabb, Bodies, Body, Boundary, CastStatus, Columns, CustomShape, D2, D3, Dimension, Engine, Lattice, MAX_WIDTH,
    Motion, Neighbour, Neighbours, Pipeline, Pose, Precision, Proximity, Rotations, SceneIndex, Shape, Side, Status,
    SupportMap, cast, distance, nearest, periodic_cast, periodic_distance, periodic_nearest, periodic_overlap,
    proximity, within_into,
};
use jostle_tests::{Ground, Random, bits};

/// What is wrong with a map.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Every coordinate is this.
    Always(f64),
    /// The first coordinate is this, in directions whose y is larger than their x.
    Sometimes(f64),
    /// The last coordinate is this, in one direction of eight.
    Rarely(f64),
    /// Points that do not depend on the direction in any sensible way, within this many times the bounds.
    Anywhere(f64),
    /// The point furthest in the opposite direction.
    Backwards,
    /// A correct ball that is larger than its bounds by this factor.
    Larger(f64),
    /// A correct ball whose bounds, lower and upper, are wrong along every axis.
    Bounds([f64; 2]),
}

/// A ball of radius one with a fault.
#[derive(Clone, Debug)]
struct Bad(Fault);

struct Packed<L: Lanes> {
    faults: [Fault; MAX_WIDTH],
    scale: L,
}

/// A hash of all bits of the numbers, as a value from -1 to 1.
fn scramble(numbers: &[f64], seed: u64) -> f64 {
    let mut hash = seed;
    for x in numbers {
        hash = (hash ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn answer(fault: Fault, direction: &[f64]) -> Vec<f64> {
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let ball: Vec<f64> = direction.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }).collect();
    let up = direction[1] > direction[0];
    match fault {
        Fault::Always(x) => vec![x; ball.len()],
        Fault::Sometimes(x) if up => [&[x], &ball[1..]].concat(),
        Fault::Rarely(x) if scramble(direction, 1) > 0.75 => [&ball[..ball.len() - 1], &[x]].concat(),
        Fault::Anywhere(wide) => (0..ball.len()).map(|k| wide * scramble(direction, k as u64 + 2)).collect(),
        Fault::Backwards => ball.iter().map(|x| -x).collect(),
        Fault::Larger(by) => ball.iter().map(|x| x * by).collect(),
        _ => ball,
    }
}

impl<S: Dimension, L: Lanes> SupportMap<S, L> for Packed<L> {
    fn support(&self, direction: S::Vector<L>, _: L::Mask) -> S::Vector<L> {
        let mut numbers = [[L::Scalar::default(); MAX_WIDTH]; 3];
        for lane in 0..L::WIDTH {
            let along: Vec<f64> = (0..S::DIMENSION).map(|k| direction.get(k).lane(lane).to_f64()).collect();
            for (k, x) in answer(self.faults[lane], &along).into_iter().enumerate() {
                numbers[k][lane] = L::Scalar::from_f64(x);
            }
        }
        S::Vector::from_fn(|k| L::load(&numbers[k]) * self.scale)
    }
}

impl<S: Dimension> CustomShape<S> for Bad {
    type Packed<'a, L: Lanes> = Packed<L>;
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Packed<L> {
        Packed { faults: shapes.map(|bad| bad.0), scale }
    }
    fn bounds(&self) -> Aabb<S> {
        let [lower, upper] = if let Fault::Bounds(bounds) = self.0 { bounds } else { [-1.0, 1.0] };
        Aabb { lower: S::array(|_| lower), upper: S::array(|_| upper) }
    }
}

/// Bounds that are none: not numbers, inverted, without end.
const NO_BOUNDS: [[f64; 2]; 8] = [
    [f64::NAN; 2],
    [f64::NAN, 1.0],
    [-1.0, f64::NAN],
    [1.0, -1.0],
    [1.0, 0.5],
    [f64::NEG_INFINITY, f64::INFINITY],
    [-1.0, f64::INFINITY],
    [-1e300, 1.0],
];

const NUMBERS: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e30, 1e6];

fn faults() -> Vec<Fault> {
    let mut all = vec![Fault::Backwards];
    all.extend(NUMBERS.iter().flat_map(|&x| [Fault::Always(x), Fault::Sometimes(x), Fault::Rarely(x)]));
    all.extend([1.0, 0.0, 1e-300, 10.0, 1e9, 1e300].map(Fault::Anywhere));
    all.extend([1.001, 2.0, 1e3, 1e20, 1e200].map(Fault::Larger));
    all.extend([[0.0; 2], [-0.5, 0.5]].map(Fault::Bounds));
    all.extend(NO_BOUNDS.map(Fault::Bounds));
    all
}

fn partners<S: Ground>() -> Vec<Shape<S, Bad>> {
    let corners: Vec<S::Array<f64>> = (0..6).map(|i| S::array(|k| scramble(&[f64::from(i)], k as u64))).collect();
    let mut all = vec![
        Shape::ball(0.5).expect("a good ball"),
        Shape::capsule(0.5, 0.25).expect("a good capsule"),
        Shape::cuboid(S::array(|k| 0.25 + 0.25 * k as f64)).expect("a good box"),
        Shape::convex(&corners).expect("good points"),
        Shape::ball(0.0).expect("a good point"),
        Shape::custom(Bad(Fault::Larger(1.0))),
    ];
    all.extend(S::frustum(0.5, 0.5, 0.25).map(|shape| shape.expect("a good frustum").with_custom()));
    all
}

/// Checks that a row with numbers that are not finite says so, and that the numbers of the others are consistent.
fn check<S: Ground, T: Precision>(row: &Proximity<S, T>, fault: Fault) {
    let numbers = [row.distance.to_f64(), row.lower.to_f64(), row.upper.to_f64()];
    let points = row
        .normal
        .as_ref()
        .iter()
        .map(|x| x.to_f64())
        .chain(row.witness_a.as_ref().iter().chain(row.witness_b.as_ref()).copied());
    let finite = numbers.into_iter().chain(points).all(f64::is_finite);
    assert!(finite || row.status == Status::Unconverged, "{fault:?}: {row:?}");
    if row.status != Status::Unconverged {
        assert!(row.lower <= row.distance && row.distance <= row.upper, "{fault:?}: {row:?}");
    }
    let outside = match fault {
        Fault::Always(_) => true,
        Fault::Larger(by) => by > 1.5,
        _ => false,
    };
    if outside {
        assert_eq!(row.status, Status::Unconverged, "{fault:?}: {row:?}");
    }
}

fn every_fault<S: Ground, T: Precision>() {
    let mut random = Random::new(9);
    for fault in faults() {
        let bad = Shape::<S, Bad>::custom(Bad(fault));
        let skinned = bad.clone().rounded(0.25).expect("a good radius");
        for other in partners::<S>().iter().chain([&bad, &skinned]) {
            for far in [0.0, 1e-9, 0.1, 1.0, 1.5, 4.0, 1e4] {
                let there = Pose::at(S::narrow(S::direction(&mut random).map(|x| x * far)));
                let there = there.with_rotation(S::any_rotation(&mut random));
                for bad in [&bad, &skinned] {
                    let here = Pose::default();
                    check::<S, T>(&proximity((bad, here), (other, there)).expect("good poses"), fault);
                    check::<S, T>(&proximity((other, there), (bad, here)).expect("good poses"), fault);
                }
            }
        }
    }
}

/// Contacts of crowds end too, with an error where bounds are invalid.
fn crowds<S: Ground, T: Precision>() {
    for fault in faults() {
        let mut bodies = Bodies::<S, Bad>::new();
        bodies.add_shape(Shape::custom(Bad(fault))).expect("one shape");
        for other in partners::<S>() {
            bodies.add_shape(other).expect("a few shapes");
        }
        let mut random = Random::new(10);
        for i in 0..60 {
            let shape = i % bodies.shapes().len();
            let at = S::array(|_| random.range(0.0, 6.0));
            bodies.push(Body::new(shape as u32, at).with_rotation(S::any_rotation(&mut random))).expect("good bodies");
        }
        let mut rows: Vec<Proximity<S, T>> = Vec::new();
        match Engine::<S, T>::new().contacts(&bodies.columns(), 0.5, &mut rows) {
            Ok(_) => {
                for row in rows {
                    let bad = [row.a, row.b].iter().any(|&body| bodies.get(body as usize).shape == 0);
                    check(&row, if bad { fault } else { Fault::Larger(1.0) });
                }
            }
            Err(error) => {
                assert!(matches!(fault, Fault::Bounds(_)), "{fault:?}: {error}");
                println!("{fault:?}: {error}");
            }
        }
    }
}

/// Yes-or-no queries and casts end too, and decide nothing about a shape without valid points.
fn questions<S: Ground, T: Precision>() {
    for fault in faults() {
        let mut bodies = Bodies::<S, Bad>::new();
        let bad = Shape::custom(Bad(fault));
        bodies.add_shape(bad.clone().rounded(0.25).expect("a good radius")).expect("one shape");
        bodies.add_shape(bad).expect("one shape");
        for other in partners::<S>() {
            bodies.add_shape(other).expect("a few shapes");
        }
        let mut random = Random::new(11);
        let count = 3 * bodies.shapes().len() as u32;
        for i in 0..count {
            let at = S::array(|_| random.range(0.0, 4.0));
            let velocity = S::narrow(S::direction(&mut random).map(|x| x * [0.0, 1.0, 10.0][i as usize % 3]));
            let body =
                Body::new(i % (count / 3), at).with_rotation(S::any_rotation(&mut random)).with_velocity(velocity);
            bodies.push(body).expect("good bodies");
        }
        let columns = bodies.columns();
        let pairs: Vec<_> = (0..count).flat_map(|a| (0..count).filter(move |b| a != *b).map(move |b| [a, b])).collect();
        // The first two shapes are bad.
        let bad = |pair: &[u32; 2]| pair.iter().any(|body| body % (count / 3) < 2);
        for limit in [0.0, 0.5] {
            let mut sides = Vec::new();
            within_into::<T, _, _>(&columns, &pairs, limit, &mut sides).expect("a good limit");
            for (pair, side) in pairs.iter().zip(sides) {
                let claimed = bad(pair) && side != Side::At;
                assert!(!claimed || !matches!(fault, Fault::Always(_)), "{fault:?}: {pair:?} is {side:?}");
            }
        }
        for motion in [Motion::lasting(1.0), Motion::lasting(1e9).to_within(0.125)] {
            for row in cast(&columns, &pairs, motion).expect("a good motion") {
                let numbers = row.point.as_ref().iter().chain(row.normal.as_ref()).copied();
                let finite = numbers.chain([row.time, row.distance]).all(f64::is_finite);
                assert!(finite || row.status == CastStatus::Unconverged, "{fault:?}: {row:?}");
                assert!(
                    row.status == CastStatus::Unconverged || (0.0..=motion.duration).contains(&row.time),
                    "{row:?}"
                );
                // A shape without valid points neither hits nor overlaps anything.
                let met = matches!(row.status, CastStatus::Hit | CastStatus::Start);
                let none = matches!(fault, Fault::Always(_)) && bad(&[row.a, row.b]);
                assert!(!met || !none, "{fault:?}: {row:?}");
            }
        }
    }
}

/// Searches for the nearest few end, in open and repeating space; between bodies with good maps the answers are those
/// of a scene without the others.
fn nearest_few<S: Ground, T: Precision>() {
    for fault in faults() {
        let (mut bodies, mut good) = (Bodies::<S, Bad>::new(), Bodies::<S, Bad>::new());
        for shape in [Shape::custom(Bad(fault))].into_iter().chain(partners::<S>()) {
            bodies.add_shape(shape).expect("a few shapes");
        }
        for shape in partners::<S>() {
            good.add_shape(shape).expect("a few shapes");
        }
        let mut random = Random::new(12);
        let kinds = bodies.shapes().len() as u32;
        for i in 0..60 {
            let at = S::array(|_| random.range(0.0, 6.0));
            let (shape, rotation) = (i % kinds, S::any_rotation(&mut random));
            // Good and bad bodies do not meet each other.
            let group = if shape == 0 { 2 } else { 1 };
            bodies
                .push(Body::new(shape, at).with_rotation(rotation).with_group(group).with_mask(group))
                .expect("a good body");
            if shape > 0 {
                good.push(Body::new(shape - 1, at).with_rotation(rotation)).expect("a good body");
            }
        }
        let lattice = Lattice::orthogonal(S::array(|_| 7.0)).expect("good periods");
        let ask = |bodies: &Bodies<S, Bad>, repeats: bool| {
            let (mut found, columns) = (Neighbours::<S, T>::default(), bodies.columns());
            let done = if repeats {
                periodic_nearest(&columns, &lattice, 3, &mut found)
            } else {
                nearest(&columns, 3, &mut found)
            };
            done.map(|()| found)
        };
        for repeats in [false, true] {
            let found = match ask(&bodies, repeats) {
                Ok(found) => found,
                Err(error) => {
                    println!("{fault:?}, {repeats}: {error}");
                    assert!(!matches!(fault, Fault::Always(_) | Fault::Sometimes(_) | Fault::Rarely(_)), "{error}");
                    continue;
                }
            };
            let expected = ask(&good, repeats).expect("good maps");
            let distances = |near: &[Neighbour<S, T>]| -> Vec<u64> {
                near.iter().map(|near| near.distance.to_f64().to_bits()).collect()
            };
            let among = (0..60).filter(|body| body % kinds != 0);
            for (index, body) in among.enumerate() {
                let (told, expected) = (found.of(body as usize), expected.of(index));
                assert_eq!(distances(told), distances(expected), "{fault:?}, {repeats}: body {body}");
            }
        }
        // Named pairs: in open space each has an answer, in repeating space there may be too many images.
        let (pairs, columns) = ((1..60).map(|b| [0, b]).collect::<Vec<[u32; 2]>>(), bodies.columns());
        let open = Lattice::orthogonal(S::array(|_| 0.0)).expect("no periods");
        for (lattice, repeats) in [(&lattice, true), (&open, false)] {
            let answers = [
                periodic_distance::<T, _, _>(&columns, lattice, &pairs).map(|rows| rows.len()).ok(),
                periodic_overlap::<T, _, _>(&columns, lattice, &pairs, Boundary::Closed).map(|rows| rows.len()).ok(),
                periodic_cast(&columns, lattice, &pairs, Motion::lasting(1.0)).map(|rows| rows.len()).ok(),
            ];
            for answer in answers {
                let refused = repeats && matches!(fault, Fault::Bounds(_) | Fault::Anywhere(_) | Fault::Larger(_));
                assert!(answer == Some(59) || answer.is_none() && refused, "{fault:?}, {repeats}: {answers:?}");
            }
        }
    }
}

#[test]
fn the_nearest_few_end() {
    nearest_few::<D2, f64>();
    nearest_few::<D3, f32>();
}

/// The shape of the body in a slot.
fn shape_of<S: Ground, T: Precision>(crowd: &Pipeline<S, T, (), Bad>, slot: u32) -> u32 {
    let body = crowd.handle_at(slot).expect("a body is there");
    crowd.get(body).expect("there").shape
}

/// Frames end, and their contacts are those of an engine with the same bodies.
fn frames<S: Ground, T: Precision>() {
    for fault in faults() {
        let mut crowd: Pipeline<S, T, (), Bad> = Pipeline::new();
        crowd.set_margin(0.5).expect("a good margin");
        let mut shapes = vec![crowd.add_shape(Shape::custom(Bad(fault))).expect("one shape")];
        shapes.extend(partners::<S>().into_iter().map(|other| crowd.add_shape(other).expect("a few shapes")));
        let mut random = Random::new(12);
        let mut handles = Vec::new();
        let mut refused = false;
        for i in 0..40 {
            let at = S::array(|_| random.range(0.0, 5.0));
            let body = Body::new(shapes[i % shapes.len()], at).with_rotation(S::any_rotation(&mut random));
            match crowd.insert(body) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    assert!(matches!(fault, Fault::Bounds(_)), "{fault:?}: {error}");
                    refused = true;
                }
            }
        }
        for _ in 0..3 {
            match crowd.update() {
                Ok(_) => {
                    for row in crowd.contacts() {
                        let bad = [row.a, row.b].iter().any(|&body| shape_of(&crowd, body) == shapes[0]);
                        check(row, if bad { fault } else { Fault::Larger(1.0) });
                    }
                }
                Err(error) => {
                    assert!(matches!(fault, Fault::Bounds(_)), "{fault:?}: {error}");
                    refused = true;
                }
            }
            let mut rows: Vec<Proximity<S, T>> = Vec::new();
            if !refused && Engine::<S, T>::new().contacts(&crowd.columns().expect("good"), 0.5, &mut rows).is_ok() {
                // Pairs with a bad shape may have rows without a distance; each of the two queries computes other such
                // pairs.
                let good =
                    |row: &&Proximity<S, T>| [row.a, row.b].iter().all(|&body| shape_of(&crowd, body) != shapes[0]);
                let (found, expected) = (crowd.contacts().iter().filter(good), rows.iter().filter(good));
                assert!(found.map(bits).eq(expected.map(bits)), "{fault:?}");
            }
            for &handle in &handles {
                let at = S::array(|_| random.range(0.0, 5.0));
                crowd.set_pose(handle, Pose::at(at)).expect("a good place");
            }
        }
    }
}

/// What looks for pairs names the body whose bounds are none; an answer about a given pair says that it is none.
fn no_bounds<S: Ground, T: Precision>(bounds: [f64; 2]) {
    let mut bodies = Bodies::<S, Bad>::new();
    bodies.add_shape(Shape::ball(0.3).expect("good")).expect("one");
    bodies.add_shape(Shape::custom(Bad(Fault::Bounds(bounds)))).expect("two");
    bodies.push(Body::new(0, S::array(|_| 0.0))).expect("good");
    bodies.push(Body::new(1, S::array(|_| 0.25))).expect("bounds are computed later");
    let columns = bodies.columns();
    let told = "the box of body 1 has NaN as a bound on axis 0";
    let mut engine = Engine::<S, T>::new();
    let refusals = [
        engine.contacts(&columns, 0.0, &mut Vec::new()).map(|_| ()).expect_err("no bounds"),
        engine.count_contacts(&columns, 0.0).map(|_| ()).expect_err("no bounds"),
        engine.pairs(&columns, 0.0, &mut Vec::new()).expect_err("no bounds"),
        SceneIndex::<S, T, Bad>::new(&columns).map(|_| ()).expect_err("no bounds"),
        nearest(&columns, 1, &mut Neighbours::<S, T>::default()).expect_err("no bounds"),
    ];
    for refusal in refusals {
        assert_eq!(refusal.to_string(), told, "{bounds:?}");
    }
    let rows = distance::<T, _, _>(&columns, &[[0, 1]]).expect("two bodies");
    let row = rows[0];
    assert_eq!(row.status, Status::Unconverged, "{bounds:?}: {row:?}");
    let rows = cast(&columns, &[[0, 1], [1, 0]], Motion::lasting(1.0)).expect("two bodies");
    assert!(rows.iter().all(|row| row.status == CastStatus::Unconverged), "{bounds:?}: {rows:?}");
}

#[test]
fn bounds_that_are_none_are_refused() {
    for bounds in NO_BOUNDS {
        no_bounds::<D2, f32>(bounds);
        no_bounds::<D3, f64>(bounds);
    }
}

/// Errors name a body by its slot, even where other bodies are left out.
#[test]
fn invalid_bounds_are_reported_by_slot() {
    for lattice in [Lattice::default(), Lattice::orthogonal([100.0, 0.0]).expect("good")] {
        let mut hall = Pipeline::<D2, f32, (), Bad>::new();
        hall.set_lattice(lattice);
        let good = hall.add_shape(Shape::ball(0.5).expect("good")).expect("one");
        let bad = hall.add_shape(Shape::custom(Bad(Fault::Bounds([f64::NAN; 2])))).expect("two");
        let first = hall.insert(Body::new(good, [0.0; 2])).expect("good");
        hall.insert(Body::new(good, [5.0, 0.0])).expect("good");
        let third = hall.insert(Body::new(bad, [9.0, 0.0])).expect("bounds are computed later");
        hall.remove(first).expect("there");
        let refused = hall.update().expect_err("no bounds");
        assert_eq!(refused.to_string(), "the box of body 2 has NaN as a bound on axis 0", "{lattice:?}");
        let columns = hall.columns().expect("numbers of bodies are good");
        let refused = Engine::<D2>::new().contacts(&columns, 0.0, &mut Vec::new()).expect_err("no bounds");
        assert_eq!(refused.to_string(), "the box of body 2 has NaN as a bound on axis 0");
        hall.remove(third).expect("there");
        assert_eq!(hall.update().expect("good").bodies, 1);
    }
}

/// Of two sets the second is numbered behind the first, also where most of the larger set is not looked at.
#[test]
fn invalid_bounds_of_two_sets_are_reported_by_place() {
    const MANY: [u32; 2000] = {
        let mut many = [0; 2000];
        many[1500] = 1;
        many
    };
    let (ball, bad) = (Shape::ball(0.5).expect("good"), Shape::custom(Bad(Fault::Bounds([f64::NAN; 2]))));
    let shapes = [ball, bad];
    let place: Vec<_> = (0..2000).map(|x| [f64::from(x), 0.0]).collect();
    let of = |named: &'static [u32]| {
        Columns::new(&shapes, named, &place[..named.len()], Rotations::Identity).expect("numbers of bodies are good")
    };
    let (good, faulty) = (of(&[0, 0]), of(&[0, 1]));
    let (mut engine, mut rows) = (Engine::<D2>::new(), Vec::new());
    for (first, second, body) in
        [(good, of(&MANY), 1502), (of(&MANY), good, 1500), (faulty, of(&MANY), 1), (of(&[0; 2000]), faulty, 2001)]
    {
        let refused = engine.contacts_between(&first, &second, 0.0, &mut rows).expect_err("no bounds");
        assert_eq!(refused.to_string(), format!("the box of body {body} has NaN as a bound on axis 0"));
    }
}

/// An update with invalid bounds leaves an index as it was.
#[test]
fn an_index_that_cannot_be_updated_stays_as_it_was() {
    let (ball, bad) = (Shape::ball(0.5).expect("good"), Shape::custom(Bad(Fault::Bounds([f64::NAN; 2]))));
    let (shapes, place) = ([ball, bad], [[0.0, 0.0], [3.0, 0.0]]);
    let of = |named: &'static [u32]| {
        Columns::new(&shapes, named, &place, Rotations::Identity).expect("numbers of bodies are good")
    };
    let mut index = SceneIndex::<D2, f32, Bad>::new(&of(&[0, 0])).expect("good");
    let one_more = [[0.0, 0.0], [3.0, 0.0], [6.0, 0.0]];
    let one_more = Columns::new(&shapes, &[0, 1, 0], &one_more, Rotations::Identity).expect("good numbers");
    // With as many bodies, and with one more.
    for refused in [of(&[0, 1]), one_more] {
        let refused = index.update(&refused).expect_err("no bounds");
        assert_eq!(refused.to_string(), "the box of body 1 has NaN as a bound on axis 0");
        let hit = index.ray([3.0, 5.0], [0.0, -10.0]).expect("good numbers").expect("the second ball");
        assert_eq!((hit.b, index.scene().shape_indices()), (1, &[0, 0][..]));
    }
    let alone = Columns::new(&shapes, &[0], &[[3.0, 9.0]], Rotations::Identity).expect("good numbers");
    index.update(&alone).expect("good bounds");
    let hit = index.ray([3.0, 20.0], [0.0, -20.0]).expect("good numbers").expect("the only ball");
    assert!(hit.b == 0 && (hit.time - 0.525).abs() < 1e-9);
}

#[test]
fn every_question_ends() {
    questions::<D2, f32>();
    questions::<D2, f64>();
    questions::<D3, f32>();
    questions::<D3, f64>();
}

#[test]
fn frames_with_a_fault_end() {
    frames::<D2, f32>();
    frames::<D2, f64>();
    frames::<D3, f32>();
    frames::<D3, f64>();
}

#[test]
fn every_fault_ends_in_the_plane() {
    every_fault::<D2, f32>();
    every_fault::<D2, f64>();
}

#[test]
fn every_fault_ends_in_space() {
    every_fault::<D3, f32>();
    every_fault::<D3, f64>();
}

#[test]
fn crowds_with_a_fault_end() {
    crowds::<D2, f32>();
    crowds::<D2, f64>();
    crowds::<D3, f32>();
    crowds::<D3, f64>();
}
