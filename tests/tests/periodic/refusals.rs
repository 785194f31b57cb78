//! Refusals: invalid lattices, and scenes that would take minutes or have too many pairs.

use jostle::{
    Bodies, Body, ContactsError, D2, D3, Lattice, LatticeError, Shape, count_periodic_contacts, image_distance,
    periodic_contacts,
};

/// All their images overlap each other: to sweep them would take minutes.
#[test]
fn bodies_far_longer_than_the_period_are_refused() {
    let mut bodies = Bodies::<D3>::new();
    let ball = bodies.add_shape(Shape::ball(0.1).expect("good")).expect("one");
    bodies.push(Body::new(ball, [0.0; 3])).expect("good");
    bodies.push(Body::new(ball, [0.0, 3.0, 0.0])).expect("good");
    let asked = |period| {
        let lattice = Lattice::orthogonal([period, 0.0, 0.0]).expect("good");
        count_periodic_contacts::<f32, _, _>(&bodies.columns(), &lattice, 1.0)
    };
    assert_eq!(asked(1e-3).expect("some thousand images"), 0);
    assert!(matches!(asked(1e-5), Err(ContactsError::TooManyImages { body: 0, limit: 65_536 })), "{:?}", asked(1e-5));
}

#[test]
fn images_that_are_the_body_itself_are_refused() {
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(0.5).expect("a disc")).expect("one shape");
    bodies.push(Body::new(disc, [1.0, 0.0])).expect("a body");
    let ring = Lattice::orthogonal([10.0, 0.0]).expect("a lattice");
    let ask =
        |pair, image| image_distance::<f64, _, _>(&bodies.columns(), &ring, &[([0, 0], [1, 0, 0]), (pair, image)]);
    assert!(ask([0, 0], [-3, 0, 0]).is_ok());
    // Nothing repeats along the second axis.
    for image in [[0; 3], [0, 7, 0]] {
        let error = ask([0, 0], image).expect_err("refused").to_string();
        assert!(error.contains("pair 1") && error.contains("body 0"), "{error}");
    }
    let error = ask([0, 1], [1, 0, 0]).expect_err("refused").to_string();
    assert!(error.contains("pair 1") && error.contains("body 1"), "{error}");
}

#[test]
fn invalid_lattices_are_refused() {
    let refused = |vectors: &[[f64; 2]]| Lattice::<D2>::triclinic(vectors).expect_err("refused").to_string();
    assert!(refused(&[[f64::NAN, 0.0], [0.0, 1.0]]).contains("vector 0 of the lattice has NaN on axis 0"));
    assert!(refused(&[[1.0, 0.0], [0.0, -1.0]]).contains("vector 1 of the lattice has -1 on axis 1"));
    assert!(refused(&[[1.0, 0.5], [0.0, 1.0]]).contains("vector 0 of the lattice has 0.5 on axis 1"));
    assert!(refused(&[[1.0, 0.0], [0.3, 0.0]]).contains("vector 1 of the lattice has 0.3 on axis 0"));
    assert_eq!(Lattice::<D2>::triclinic(&[[1.0, 0.0]]), Err(LatticeError::Count(1)));
    assert_eq!(
        Lattice::<D2>::orthogonal([f64::INFINITY, 1.0]).map_err(|e| matches!(e, LatticeError::Number { .. })),
        Err(true)
    );
}

#[test]
fn scenes_beyond_reach_are_refused() {
    let mut bodies = Bodies::<D2>::new();
    let ball = bodies.add_shape(Shape::ball(1.0).expect("good")).expect("one");
    bodies.push(Body::new(ball, [0.0, 0.0])).expect("good");
    bodies.push(Body::new(ball, [1e12, 0.0])).expect("good");
    let ask = |length: f64, margin: f64, limit: u64| {
        let lattice = Lattice::orthogonal([length; 2]).expect("good");
        periodic_contacts::<f32, _, _>(&bodies.columns(), &lattice, margin, limit).map(|rows| rows.len())
    };
    assert_eq!(ask(1e-3, 0.0, 9), Err(ContactsError::FarOutside { body: 1, axis: 0 }));
    assert!(matches!(ask(3e4, f64::NAN, 9), Err(ContactsError::Margin(_))));
    assert!(matches!(ask(3e4, -1.0, 9), Err(ContactsError::Margin(_))));
    // 1e12 is a whole number of periods: an image of one ball is where the other is.
    assert_eq!(ask(1e4, 0.0, 9), Ok(1));
    assert!(matches!(ask(1e4, 1e5, 9), Err(ContactsError::TooManyPairs(_))));
    let small = Lattice::orthogonal([1e-4; 2]).expect("good");
    let mut near = Bodies::<D2>::new();
    near.add_shape(Shape::ball(1.0).expect("good")).expect("one");
    near.push(Body::new(0, [0.0; 2])).expect("good");
    let refused = periodic_contacts::<f32, _, _>(&near.columns(), &small, 0.0, 9);
    assert!(matches!(refused, Err(ContactsError::TooManyImages { body: 0, .. })), "{refused:?}");
}
