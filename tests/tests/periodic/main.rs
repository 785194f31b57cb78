//! Scenes that repeat, checked against every image that could be near.

mod casts;
mod nearest;
mod pairs;
mod refusals;
mod world;

use std::sync::Mutex;

use jostle::{
    Adjacency, Bodies, Body, Columns, ContactsError, D2, D3, Lattice, ListKind, Neighbours, PeriodicEngine, Precision,
    Report, Rotations, Shape, Shifted, Whose, count_periodic_contacts, image_distance, periodic_contacts,
    periodic_pairs,
};
use jostle_tests::{Ground, Kind, Random, bits, claim, dot, length, on_threads, tolerance};
use jostle_verify::{Row, verify_row};
use world::draw;

/// The lists of both bodies of each row hold the other body, with its image as seen from them.
fn lists_hold_images<S: Ground, T: Precision>(count: usize, rows: &[Shifted<S, T>]) {
    let mut lists = Adjacency::new();
    for kind in [ListKind::Full, ListKind::Half] {
        let pairs: Vec<_> = rows.iter().map(|near| ([near.row.a, near.row.b], near.image)).collect();
        lists.gather_image_pairs(count, &pairs, kind);
        let of_pairs = lists.clone();
        lists.gather_images(count, rows, kind);
        assert_eq!(lists, of_pairs);
        let mut expected = vec![Vec::new(); count];
        for &Shifted { row, image, .. } in rows {
            expected[row.a as usize].push((row.b, image));
            if kind == ListKind::Full {
                expected[row.b as usize].push((row.a, image.map(|k| -k)));
            }
        }
        for (body, expected) in expected.iter_mut().enumerate() {
            let mut told: Vec<_> = lists.of(body).iter().copied().zip(lists.images_of(body).iter().copied()).collect();
            told.sort_unstable();
            expected.sort_unstable();
            assert_eq!(told, *expected, "body {body}");
        }
    }
    // As rows of two sets that have as many bodies each.
    let mut near = Neighbours::<S, T>::new();
    for whose in [Whose::First, Whose::Second] {
        lists.gather_images_between(count, rows, whose);
        near.gather_images_between(count, rows, f64::MAX, usize::MAX, whose);
        let mut told = Vec::new();
        for body in 0..count {
            for (near, at) in near.of(body).iter().zip(lists.offsets()[body]..) {
                let of_lists = (lists.neighbours()[at], lists.images()[at]);
                told.push((body as u32, of_lists, (near.body, near.image)));
            }
        }
        let (mut listed, mut by_distance): (Vec<_>, Vec<_>) =
            told.into_iter().map(|(body, listed, near)| ((body, listed), (body, near))).unzip();
        let seen = |near: &Shifted<S, T>| match whose {
            Whose::First => (near.row.a, (near.row.b, near.image)),
            Whose::Second => (near.row.b, (near.row.a, near.image.map(|k| -k))),
        };
        let mut expected: Vec<_> = rows.iter().map(seen).collect();
        for list in [&mut listed, &mut by_distance, &mut expected] {
            list.sort_unstable();
        }
        assert!(listed == expected && by_distance == expected, "{whose:?}");
    }
    // The lists of one set hold both.
    near.gather_images(count, rows, f64::MAX, usize::MAX, |_| true);
    lists.gather_images(count, rows, ListKind::Full);
    assert_eq!(
        near.iter().map(<[_]>::len).collect::<Vec<_>>(),
        (0..count).map(|body| lists.of(body).len()).collect::<Vec<_>>()
    );
    // The next lists are of open space again.
    lists.gather_pairs(count, &[], ListKind::Full);
    assert!((0..count).all(|body| lists.images_of(body).is_empty()));
}

/// Wrapped bodies have the same contacts, with images that differ by their cells; and the nearest image of a small body
/// is that of its position.
#[test]
fn images_of_wrapped_bodies_differ_by_their_cells() {
    let lattice = Lattice::triclinic(&[[4.0, 0.0], [1.5, 3.0]]).expect("good");
    let (mut random, mut bodies) = (Random::new(17), Bodies::<D2>::new());
    let disc = bodies.add_shape(Shape::ball(0.1).expect("good")).expect("one");
    let mut wrapped = bodies.clone();
    let mut cells = Vec::new();
    for _ in 0..40 {
        let position = [(); 2].map(|()| random.range(-20.0, 20.0));
        let (place, cell) = lattice.wrap(position).expect("not far");
        bodies.push(Body::new(disc, position)).expect("good");
        wrapped.push(Body::new(disc, place)).expect("good");
        cells.push(cell);
    }
    let ask = |bodies: &Bodies<D2>| {
        periodic_contacts::<f64, _, _>(&bodies.columns(), &lattice, 0.3, u64::MAX).expect("a good scene")
    };
    let (rows, of_wrapped) = (ask(&bodies), ask(&wrapped));
    let mut expected = Vec::new();
    for Shifted { row, image, .. } in rows {
        let [cell_a, cell_b] = [row.a, row.b].map(|body| cells[body as usize]);
        expected.push((row.a, row.b, [0, 1, 2].map(|k| image[k] + cell_b[k] - cell_a[k])));
        let [a, b] = [row.a, row.b].map(|body| bodies.positions()[body as usize]);
        assert_eq!(lattice.nearest_image([b[0] - a[0], b[1] - a[1]]), Ok(image));
    }
    assert!(expected.len() > 20 && expected.iter().any(|(.., image)| *image != [0; 3]));
    expected.sort_unstable();
    assert_eq!(of_wrapped.iter().map(|near| (near.row.a, near.row.b, near.image)).collect::<Vec<_>>(), expected);
}

fn every_image_is_found<S: Ground, T: Precision>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let (mut total, mut shifted, mut selves) = (0, 0, 0);
    // An engine that is kept from scene to scene.
    let (mut engine, mut again) = (PeriodicEngine::<S, T>::new(Lattice::default()), Vec::new());
    for scene in 0..scenes {
        let (world, margin) = draw::<S>(kinds, &mut random);
        let columns = world.bodies.columns();
        let rows = periodic_contacts::<T, _, _>(&columns, &world.lattice, margin, u64::MAX).expect("a good scene");
        let near = world.candidates(margin, usize::MAX).expect("as many as there are");
        let expected = world.contacts::<T>(&near, margin);
        let name = |rows: &[Shifted<S, T>]| rows.iter().map(|r| (r.row.a, r.row.b, r.image)).collect::<Vec<_>>();
        assert_eq!(name(&rows), name(&expected), "scene {scene}");
        engine.set_lattice(world.lattice);
        let report = engine.contacts(&columns, margin, &mut again).expect("a good scene");
        assert_eq!(report.rows, rows.len() as u64);
        let count = count_periodic_contacts::<T, _, _>(&columns, &world.lattice, margin).expect("a good scene");
        assert_eq!(count, report.rows);
        // The broadphase alone has them all, in the same order.
        let pairs = periodic_pairs(&columns, &world.lattice, margin, u64::MAX).expect("a good scene");
        assert!(pairs.is_sorted() && are_candidates(pairs.len() as u64, &report));
        assert!(rows.iter().all(|r| pairs.binary_search(&([r.row.a, r.row.b], r.image)).is_ok()));
        // Named as pairs and images, they have the same answers.
        let asked: Vec<_> = rows.iter().map(|near| ([near.row.a, near.row.b], near.image)).collect();
        let named = image_distance::<T, _, _>(&columns, &world.lattice, &asked).expect("pairs of the scene");
        let told = |rows: &[Shifted<S, T>]| rows.iter().map(|r| (bits(&r.row), r.image, r.shift)).collect::<Vec<_>>();
        assert_eq!(told(&named), told(&rows), "scene {scene}");
        for (row, other) in rows.iter().zip(&expected) {
            assert_eq!(bits(&row.row), bits(&other.row), "scene {scene}: {row:?} {other:?}");
        }
        lists_hold_images(columns.len(), &rows);
        for listed in [0, rows.len() as u64 / 2, u64::MAX] {
            engine.list_at_most(listed);
            assert_eq!(engine.contacts(&columns, margin, &mut again).expect("a good scene").rows, report.rows);
            assert_eq!(told(&again), told(&rows), "scene {scene}, {listed} listed");
        }
        // A predicate applies to all images of a pair.
        let wanted = |a: u32, b: u32| a <= b && (a + b).is_multiple_of(2);
        engine.contacts_where(&columns, margin, &wanted, &mut again).expect("a good scene");
        let odd = |near: &&Shifted<S, T>| wanted(near.row.a, near.row.b);
        assert_eq!(told(&again), told(&rows.iter().filter(odd).copied().collect::<Vec<_>>()), "scene {scene}");
        other_queries_agree(&mut engine, &columns, margin, &rows);
        total += rows.len();
        shifted += rows.iter().filter(|row| row.image != [0; 3]).count();
        selves += rows.iter().filter(|row| row.row.a == row.row.b).count();
    }
    assert!(total > 4 * scenes && shifted > scenes && selves > scenes / 4, "{total} {shifted} {selves}");
}

/// Visited rows, and pairs that are listed without rows, agree with the rows.
fn other_queries_agree<S: Ground, T: Precision>(
    engine: &mut PeriodicEngine<S, T>,
    columns: &Columns<'_, S>,
    margin: f64,
    rows: &[Shifted<S, T>],
) {
    let told = |rows: &[Shifted<S, T>]| rows.iter().map(|r| (bits(&r.row), r.image)).collect::<Vec<_>>();
    let (mut near, mut pairs, visited) = (Vec::new(), Vec::new(), Mutex::new(Vec::new()));
    engine.near_pairs(columns, margin, &mut near).expect("a good scene");
    assert!(near.iter().copied().eq(rows.iter().map(|row| ([row.row.a, row.row.b], row.image))));
    let visit = |rows: &[Shifted<S, T>]| visited.lock().expect("no panic").extend_from_slice(rows);
    assert_eq!(engine.visit_contacts(columns, margin, visit).expect("a good scene").rows, rows.len() as u64);
    let mut visited = visited.into_inner().expect("no panic");
    visited.sort_unstable_by_key(|near| ([near.row.a, near.row.b], near.image));
    assert!(told(&visited) == told(rows));
    engine.pairs(columns, margin, &mut pairs).expect("a good scene");
    assert_eq!(engine.count_pairs(columns, margin).expect("a good scene"), pairs.len() as u64);
}

/// Whether `pairs` can be the number of overlapping boxes of a query: it has as many candidates, or fewer where all
/// shapes are balls or some are long.
fn are_candidates(pairs: u64, report: &Report) -> bool {
    (report.rows..=pairs).contains(&report.candidates)
}

const PLANE: [Kind; 4] = [Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull];

#[test]
fn every_image_is_found_in_the_plane() {
    every_image_is_found::<D2, f32>(1, &PLANE, 150);
    every_image_is_found::<D2, f64>(2, &PLANE, 50);
}

#[test]
fn every_image_is_found_in_space() {
    every_image_is_found::<D3, f32>(3, &[Kind::Ball, Kind::Capsule, Kind::Box], 60);
    every_image_is_found::<D3, f64>(4, &[Kind::Ball, Kind::Hull], 20);
}

/// The contacts of a cell are those of the cell among copies of it, laid side by side in open space.
fn a_cell_is_a_window<S: Ground>(count: usize, lattice: Lattice<S>, side: S::Array<f64>, seed: u64) {
    let mut random = Random::new(seed);
    let mut bodies = Bodies::<S>::new();
    for radius in [0.2, 0.3, 0.45] {
        bodies.add_shape(Shape::ball(radius).expect("good")).expect("one");
    }
    bodies.add_shape(Shape::capsule(0.5, 0.1).expect("good")).expect("one");
    for _ in 0..count {
        let place = S::array(|k| random.range(0.0, side[k]));
        bodies
            .push(Body::new(random.below(4) as u32, place).with_rotation(S::any_rotation(&mut random)))
            .expect("good");
    }
    let margin = 0.25;
    let (mut engine, mut rows) = (PeriodicEngine::<S>::new(lattice), Vec::new());
    engine.contacts(&bodies.columns(), margin, &mut rows).expect("a good scene");

    let images: Vec<[i32; 3]> = (0..27).map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1]).collect();
    // None along axes that do not repeat.
    let along =
        |k: usize| k < S::DIMENSION && lattice.shift(core::array::from_fn(|m| i32::from(m == k))).as_ref()[k] > 0.0;
    let images: Vec<[i32; 3]> = images.into_iter().filter(|image| (0..3).all(|k| image[k] == 0 || along(k))).collect();
    let (mut copies, mut whose) = (bodies.clone(), (0..count as u32).map(|body| (body, [0; 3])).collect::<Vec<_>>());
    for &image in images.iter().filter(|image| **image != [0; 3]) {
        let shift = lattice.shift(image);
        for body in 0..count {
            let mut copy = bodies.get(body);
            copy.position = S::array(|k| copy.position[k] + shift[k]);
            copies.push(copy).expect("good");
            whose.push((body as u32, image));
        }
    }
    let open = jostle::contacts::<f32, _, _>(&copies.columns(), margin).expect("a good scene");
    let mut expected: Vec<(u32, u32, [i32; 3], f32)> = open
        .iter()
        .filter(|row| (row.a as usize) < count)
        .map(|row| (row.a, whose[row.b as usize].0, whose[row.b as usize].1, row.distance))
        .filter(|&(a, b, _, _)| a < b)
        .collect();
    expected.sort_unstable_by_key(|&(a, b, image, _)| (a, b, image));
    let name = |&(a, b, image, _): &(u32, u32, [i32; 3], f32)| (a, b, image);
    let found: Vec<_> = rows.iter().map(|near| (near.row.a, near.row.b, near.image, near.row.distance)).collect();
    assert_eq!(found.iter().map(name).collect::<Vec<_>>(), expected.iter().map(name).collect::<Vec<_>>());
    for (one, other) in found.iter().zip(&expected) {
        assert!((one.3 - other.3).abs() < 1e-5, "{one:?} {other:?}");
    }
    let crossing = rows.iter().filter(|near| near.image != [0; 3]).count();
    assert!(rows.len() > count && crossing > count / 20, "{} rows, {crossing} across a border", rows.len());

    // A refusal changes nothing.
    engine.set_limit(rows.len() as u64 - 1);
    let told = |rows: &[Shifted<S, f32>]| rows.iter().map(|r| (bits(&r.row), r.image)).collect::<Vec<_>>();
    let before = told(&rows);
    let refused = engine.contacts(&bodies.columns(), margin, &mut rows);
    assert!(matches!(refused, Err(ContactsError::TooManyPairs(_))) && told(&rows) == before);
    let mut pairs = vec![([0, 1], [0; 3])];
    assert!(engine.near_pairs(&bodies.columns(), margin, &mut pairs).is_err() && pairs.len() == 1);
    assert!(engine.pairs(&bodies.columns(), margin, &mut pairs).is_err() && pairs.len() == 1);
    assert_eq!(engine.count_contacts(&bodies.columns(), margin).expect("no limit"), rows.len() as u64);
    engine.set_limit(rows.len() as u64);
    assert_eq!(engine.contacts(&bodies.columns(), margin, &mut rows).expect("as many").rows, before.len() as u64);
    assert!(told(&rows) == before);
}

#[test]
fn a_cell_has_the_contacts_of_its_copies() {
    a_cell_is_a_window::<D2>(700, Lattice::orthogonal([20.0, 15.0]).expect("good"), [20.0, 15.0], 1);
    a_cell_is_a_window::<D2>(700, Lattice::orthogonal([20.0, 0.0]).expect("good"), [20.0, 15.0], 2);
    a_cell_is_a_window::<D3>(1200, Lattice::orthogonal([10.0, 8.0, 9.0]).expect("good"), [10.0, 8.0, 9.0], 3);
    let leaning = Lattice::triclinic(&[[10.0, 0.0, 0.0], [4.0, 8.0, 0.0], [-3.0, 2.0, 9.0]]).expect("good");
    a_cell_is_a_window::<D3>(1200, leaning, [10.0, 8.0, 9.0], 4);
}

/// Many bodies, first in the cell, then some cells away from it: the same pairs at the same distances, with images that
/// follow from the cells; however candidates are listed, and on any number of threads.
fn many_are_found_where_they_are<S: Ground, T: Precision>(lattice: Lattice<S>, side: S::Array<f64>, count: usize) {
    let mut random = Random::new(31);
    let (mut home, mut away, mut cells) = (Bodies::<S>::new(), Bodies::<S>::new(), Vec::new());
    for bodies in [&mut home, &mut away] {
        bodies.add_shape(Shape::ball(0.3).expect("good")).expect("one");
        bodies.add_shape(Shape::cuboid(S::array(|_| 0.25)).expect("good")).expect("one");
    }
    for _ in 0..count {
        let place = S::array(|k| random.range(0.0, side[k]));
        let mut body = Body::new(random.below(2) as u32, place).with_rotation(S::any_rotation(&mut random));
        if random.chance(0.2) {
            body = body.with_group(1 << random.below(2)).with_mask(random.below(4) as u32);
        }
        let cell: [i32; 3] = core::array::from_fn(|k| if k < S::DIMENSION { random.below(5) as i32 - 2 } else { 0 });
        let shift = lattice.shift(cell);
        home.push(body).expect("good");
        body.position = S::array(|k| body.position[k] + shift[k]);
        away.push(body).expect("good");
        cells.push(cell);
    }
    let (mut engine, mut rows, mut expected) = (PeriodicEngine::<S, T>::new(lattice), Vec::new(), Vec::new());
    engine.contacts(&home.columns(), 0.4, &mut expected).expect("a good scene");
    // Enough for more than one task.
    assert!(expected.len() > 2 * 8192, "{} rows", expected.len());
    for near in &mut expected {
        let [a, b] = [near.row.a, near.row.b].map(|body| cells[body as usize]);
        near.image = core::array::from_fn(|k| near.image[k] + a[k] - b[k]);
    }
    expected.sort_unstable_by_key(|near| ([near.row.a, near.row.b], near.image));
    let mut first: Option<Vec<Vec<u64>>> = None;
    for threads in [1, 3] {
        for most in [0, expected.len() as u64 / 2, u64::MAX] {
            engine.list_at_most(most);
            on_threads(threads, || engine.contacts(&away.columns(), 0.4, &mut rows)).expect("a good scene");
            assert_eq!(rows.len(), expected.len());
            for (near, home) in rows.iter().zip(&expected) {
                assert_eq!((near.row.a, near.row.b, near.image), (home.row.a, home.row.b, home.image));
                assert!((near.row.distance.to_f64() - home.row.distance.to_f64()).abs() < 1e-5);
            }
            let told: Vec<_> = rows.iter().map(|near| bits(&near.row)).collect();
            assert!(first.get_or_insert_with(|| told.clone()) == &told, "{threads} threads, {most} listed");
        }
        let counted = on_threads(threads, || engine.count_contacts(&away.columns(), 0.4)).expect("a good scene");
        assert_eq!(counted, expected.len() as u64);
        on_threads(threads, || other_queries_agree(&mut engine, &away.columns(), 0.4, &rows));
    }
}

#[test]
fn many_bodies_are_found_in_whichever_cell_they_are() {
    let plane = [70.0, 60.0];
    many_are_found_where_they_are::<D2, f32>(Lattice::orthogonal(plane).expect("good"), plane, 10_000);
    let leaning = Lattice::triclinic(&[[17.0, 0.0, 0.0], [5.0, 16.0, 0.0], [-4.0, 3.0, 18.0]]).expect("good");
    many_are_found_where_they_are::<D3, f32>(leaning, [17.0, 16.0, 18.0], 10_000);
    many_are_found_where_they_are::<D3, f64>(leaning, [17.0, 16.0, 18.0], 9000);
}

/// A dense lattice of balls: each has twelve neighbours, also across the border of the cell, on any number of threads.
#[test]
fn a_crystal_has_twelve_neighbours_a_ball() {
    let (n, a) = (6_u32, 2.0_f64);
    let half = a / 2.0;
    let (mut positions, mut shape) = (Vec::new(), Vec::new());
    for cell in 0..n.pow(3) {
        let corner = [cell % n, cell / n % n, cell / n.pow(2)].map(|i| f64::from(i) * a);
        for offset in [[0.0; 3], [half, half, 0.0], [half, 0.0, half], [0.0, half, half]] {
            positions.push(core::array::from_fn(|k| corner[k] + offset[k]));
            shape.push(0);
        }
    }
    let shapes = [Shape::<D3>::ball(0.5).expect("good")];
    let columns = Columns::new(&shapes, &shape, &positions, Rotations::Identity).expect("good");
    let lattice = Lattice::orthogonal([a * f64::from(n); 3]).expect("good");
    let gap = half * core::f64::consts::SQRT_2 - 1.0;
    let on = |threads| {
        on_threads(threads, || periodic_contacts::<f64, _, _>(&columns, &lattice, gap + 1e-9, u64::MAX).expect("good"))
    };
    let rows = on(1);
    assert_eq!(rows.len(), positions.len() * 6);
    assert!(rows.iter().all(|row| (row.row.distance - gap).abs() < 1e-12));
    assert!(rows == on(2));
}

/// The verifier accepts all rows, with the image where the row says.
#[test]
fn rows_hold_with_the_image_in_its_place() {
    let mut random = Random::new(9);
    let (mut held, mut shifted) = (0, 0);
    for _ in 0..40 {
        let (world, margin) = draw::<D2>(&PLANE, &mut random);
        let columns = world.bodies.columns();
        let rows = periodic_contacts::<f64, _, _>(&columns, &world.lattice, margin, u64::MAX).expect("good");
        for Shifted { row, shift, .. } in rows {
            let verdict = verify_row(&columns, &Row { shift, ..claim(&row) }, &tolerance(&row));
            assert!(verdict.is_ok(), "{verdict:?}");
            let apart = [0, 1].map(|k| row.witness_b[k] - row.witness_a[k]);
            let (apart, normal) = ([apart[0], apart[1], 0.0], [row.normal[0], row.normal[1], 0.0]);
            assert!((dot(apart, normal) - row.distance).abs() < 1e-8 * (1.0 + length(apart)));
            held += 1;
            shifted += usize::from(shift != [0.0; 2]);
        }
    }
    assert!(held > 160 && shifted > 80, "{held} rows, {shifted} of images");
}
