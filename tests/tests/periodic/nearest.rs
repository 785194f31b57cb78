//! The nearest few where space repeats, checked against every image within reach.

use jostle::{
    Bodies, Body, ContactsError, D2, D3, Lattice, Neighbours, Precision, Shape, Shifted, nearest, periodic_between,
    periodic_contacts, periodic_nearest, periodic_nearest_between,
};
use jostle_tests::{Ground, Kind, Random, on_threads, part};

use crate::PLANE;
use crate::world::draw;

fn the_nearest_images_are_found<S: Ground, T: Precision>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let (mut elsewhere, mut selves, mut total) = (0, 0, 0);
    for scene in 0..scenes {
        let (world, _) = draw::<S>(kinds, &mut random);
        let columns = world.bodies.columns();
        let few = random.pick(&[0, 1, 3, 10]);
        let mut found = Neighbours::<S, T>::default();
        periodic_nearest(&columns, &world.lattice, few, &mut found).expect("a good scene");
        let held = world.hold_nearest(&found, columns.len(), 0, few, usize::MAX);
        total += held.unwrap_or_else(|wrong| panic!("scene {scene}: {wrong}")).expect("as many as there are");
        for agent in 0..columns.len() {
            let near = found.of(agent);
            selves += near.iter().filter(|near| near.body as usize == agent).count();
            elsewhere += usize::from(near.iter().any(|x| near.iter().filter(|y| x.body == y.body).count() > 1));
        }
    }
    assert!(total > 10 * scenes && elsewhere > scenes / 2 && selves > scenes / 2, "{total} {elsewhere} {selves}");
}

#[test]
fn the_nearest_of_all_images_are_found() {
    the_nearest_images_are_found::<D2, f64>(51, &PLANE, 100);
    the_nearest_images_are_found::<D2, f32>(52, &PLANE, 50);
    the_nearest_images_are_found::<D3, f64>(53, &[Kind::Ball, Kind::Capsule, Kind::Box], 25);
}

/// Queries between two sets give the pairs of one scene that have a body in each.
fn sets_are_told_apart<S: Ground>(seed: u64, kinds: &[Kind], scenes: usize) {
    let mut random = Random::new(seed);
    let (mut near, mut found) = (0, 0);
    for scene in 0..scenes {
        let (world, margin) = draw::<S>(kinds, &mut random);
        let columns = world.bodies.columns();
        let border = random.below(columns.len() + 1);
        let (first, second) = (part(&world.bodies, 0..border), part(&world.bodies, border..columns.len()));
        let all = |margin: f64| {
            let mut rows =
                periodic_contacts::<f64, _, _>(&columns, &world.lattice, margin, u64::MAX).expect("a good scene");
            rows.retain(|row| (row.row.a as usize) < border && border <= row.row.b as usize);
            for row in &mut rows {
                row.row.b -= border as u32;
            }
            rows
        };
        let (one, two) = (first.columns(), second.columns());
        let rows = periodic_between::<f64, _, _>(&one, &two, &world.lattice, margin, u64::MAX).expect("a good scene");
        let told = |rows: &[Shifted<S, f64>]| -> Vec<_> {
            rows.iter().map(|row| (row.row.a, row.row.b, row.image, row.row.distance)).collect()
        };
        assert_eq!(told(&rows), told(&all(margin)), "scene {scene}");
        near += rows.len();

        let few = random.pick(&[1, 2, 5]);
        let mut neighbours = Neighbours::<S, f64>::default();
        periodic_nearest_between(&one, &two, &world.lattice, few, &mut neighbours).expect("a good scene");
        let held = world.hold_nearest(&neighbours, border, border as u32, few, usize::MAX);
        found += held.unwrap_or_else(|wrong| panic!("scene {scene}: {wrong}")).expect("as many as there are");
    }
    assert!(near > scenes && found > 3 * scenes, "{near} {found}");
}

#[test]
fn two_sets_are_told_apart() {
    sets_are_told_apart::<D2>(54, &PLANE, 100);
    sets_are_told_apart::<D3>(55, &[Kind::Ball, Kind::Capsule, Kind::Box], 25);
}

/// Ties in a crystal across its borders are ordered by body; the same on two threads; and an empty lattice is open
/// space.
#[test]
fn ties_are_in_order_and_an_empty_lattice_is_open_space() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("one");
    for at in 0..16 {
        bodies.push(Body::new(disc, [f64::from(at % 4), f64::from(at / 4)])).expect("good");
    }
    let columns = bodies.columns();
    let lattice = Lattice::orthogonal([4.0; 2]).expect("good");
    let on = |threads| {
        let mut found = Neighbours::<D2, f64>::default();
        on_threads(threads, || periodic_nearest(&columns, &lattice, 4, &mut found)).expect("good");
        (0..16).map(|body| found.of(body).to_vec()).collect::<Vec<_>>()
    };
    let found = on(1);
    assert!(found == on(2));
    let bodies_of = |body: usize| found[body].iter().map(|near| near.body).collect::<Vec<_>>();
    assert_eq!(bodies_of(0), [1, 3, 4, 12]);
    assert_eq!(bodies_of(15), [3, 11, 12, 14]);
    assert!(found.iter().flatten().all(|near| near.distance == 0.5));
    assert_eq!(found[0][1].point, [-0.75, 0.0]);

    let (mut open, mut repeated) = (Neighbours::<D2, f64>::default(), Neighbours::default());
    nearest(&columns, 5, &mut open).expect("good");
    periodic_nearest(&columns, &Lattice::default(), 5, &mut repeated).expect("good");
    assert!((0..16).all(|body| open.of(body) == repeated.of(body) && open.of(body).len() == 5));
}

#[test]
fn too_many_images_are_refused() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("one");
    bodies.push(Body::new(disc, [0.0, 0.0])).expect("good");
    bodies.push(Body::new(disc, [0.0, 1e6])).expect("good");
    let ring = Lattice::orthogonal([1.0, 0.0]).expect("good");
    let mut found = Neighbours::<D2>::default();
    let refused = periodic_nearest(&bodies.columns(), &ring, 1, &mut found);
    assert!(matches!(refused, Err(ContactsError::TooManyImages { .. })), "{refused:?}");
}

/// The first searches find some neighbours and a later one is refused: no partial answer remains.
#[test]
fn what_is_refused_late_is_no_answer() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("one");
    bodies.push(Body::new(disc, [0.0, 0.0])).expect("good");
    bodies.push(Body::new(disc, [0.0, 2.0])).expect("good");
    let ring = Lattice::orthogonal([1.0, 0.0]).expect("good").with_self_images();
    let mut found = Neighbours::<D2>::default();
    periodic_nearest(&bodies.columns(), &ring, 3, &mut found).expect("enough images");
    assert_eq!((found.of(0).len(), found.of(1).len()), (3, 3));
    let refused = periodic_nearest(&bodies.columns(), &ring, 200_000, &mut found);
    assert!(matches!(refused, Err(ContactsError::TooManyImages { .. })), "{refused:?}");
    assert!(found.is_empty());
}

/// With a period nearly as long as coordinates may be, images are farther out than bodies may be.
#[test]
fn images_may_lie_farther_out_than_bodies() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("one");
    for x in [1e14, 7e14] {
        bodies.push(Body::new(disc, [x, 0.0])).expect("good");
    }
    let ring = Lattice::orthogonal([8e14, 0.0]).expect("good");
    let mut found = Neighbours::<D2, f64>::default();
    periodic_nearest(&bodies.columns(), &ring, 4, &mut found).expect("there are images enough");
    let of = |body: usize| found.of(body).iter().map(|near| (near.body, near.image[0])).collect::<Vec<_>>();
    assert_eq!(of(0), [(1, -1), (1, 0), (1, -2), (1, 1)]);
    assert_eq!(of(1), [(0, 1), (0, 0), (0, 2), (0, -1)]);
}
