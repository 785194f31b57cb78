//! What the library refuses: margins, tolerances and lengths that are negative, not finite or too large, in every
//! function that takes one, with a message that names it.

use jostle::{Bodies, Body, ContactsError, D2, D3, Engine, Pose, Precision, Proximity, Shape, ShapeError, contacts};
use jostle_tests::Ground;
use jostle_verify::{Claim, Failure, Minimal, Row, Tolerance, verify, verify_row};

const BAD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300, 1.1e15];

type Field = fn(&mut Tolerance) -> &mut f64;
type Make = fn(f64) -> Result<Shape<D3>, ShapeError>;

fn two_balls<S: Ground>() -> Bodies<S> {
    let mut bodies = Bodies::new();
    let ball = bodies.add_shape(Shape::ball(0.5).expect("a good radius")).expect("one shape");
    for x in [0.0, 2.0] {
        bodies.push(Body::new(ball, S::array(|k| if k == 0 { x } else { 0.0 }))).expect("good bodies");
    }
    bodies
}

fn margins<S: Ground, T: Precision>() {
    let bodies = two_balls::<S>();
    let columns = bodies.columns();
    let mut engine = Engine::<S, T>::new();
    let before: Vec<Proximity<S, T>> = contacts(&columns, 1.5).expect("a good margin");
    assert_eq!(before.len(), 1);
    for margin in BAD {
        let (mut rows, mut pairs) = (before.clone(), vec![[0, 1]]);
        let errors = [
            engine.contacts(&columns, margin, &mut rows).map(drop),
            engine.contacts_where(&columns, margin, &|_, _| panic!("asked"), &mut rows).map(drop),
            engine.visit_contacts(&columns, margin, |_| panic!("visited")).map(drop),
            engine.pairs(&columns, margin, &mut pairs),
            engine.count_pairs(&columns, margin).map(drop),
            contacts::<T, _, _>(&columns, margin).map(drop),
        ];
        for error in errors {
            let error = error.expect_err("a bad margin");
            assert!(matches!(error, ContactsError::Margin(_)), "{error:?}");
            let sentence = format!("the margin is {margin}, which is not a finite number between 0 and 1e15");
            assert_eq!(error.to_string(), sentence);
        }
        // What was there is left as it was.
        assert_eq!((rows.len(), pairs.len()), (1, 1));
    }
    // The limits of the range, and zeros of either sign, are not refused.
    for margin in [0.0, -0.0, 5e-324, 1e15] {
        contacts::<T, _, _>(&columns, margin).expect("a good margin");
    }
}

#[test]
fn margins_are_refused_by_every_query() {
    margins::<D2, f32>();
    margins::<D2, f64>();
    margins::<D3, f32>();
    margins::<D3, f64>();
}

#[test]
fn tolerances_are_refused() {
    let bodies = two_balls::<D3>();
    let columns = bodies.columns();
    let good = Row::<D3>::new(0, 1, 1.0, [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let lie = Row { distance: 0.5, ..good };
    assert!(verify_row(&columns, &good, &Tolerance::double()).is_ok());
    let fields: [(&str, Field); 5] = [
        ("size", |t| &mut t.size),
        ("coord", |t| &mut t.coord),
        ("unit", |t| &mut t.unit),
        ("depth", |t| &mut t.depth),
        ("searched", |t| &mut t.searched),
    ];
    for (what, field) in fields {
        for value in [f64::NAN, f64::INFINITY, -1e-9] {
            let mut tolerance = Tolerance::double();
            *field(&mut tolerance) = value;
            for row in [good, lie] {
                let failures = verify_row(&columns, &row, &tolerance).expect_err("a bad tolerance");
                assert!(matches!(failures[0], Failure::Tolerance { .. }), "{failures:?}");
                let sentence = format!("the tolerance `{what}` is {value}, which is not a finite number of at least 0");
                assert_eq!(failures[0].to_string(), sentence);
                assert!(!verify(&columns, &[row], &tolerance).passed());
            }
        }
    }
    // Zero is a valid tolerance.
    let none = Tolerance { size: 0.0, coord: 0.0, unit: 0.0, depth: 0.0, searched: 0.0 };
    assert!(verify_row(&columns, &good, &none).is_ok());
}

#[test]
fn lengths_of_shapes_are_refused() {
    let makers: [(&str, Make); 12] = [
        ("radius", |x| Shape::ball(x)),
        ("half_length", |x| Shape::capsule(x, 1.0)),
        ("radius", |x| Shape::capsule(1.0, x)),
        ("half_extents[1]", |x| Shape::cuboid([1.0, x, 1.0])),
        ("half_height", |x| Shape::cylinder(x, 1.0)),
        ("radius", |x| Shape::cylinder(1.0, x)),
        ("half_height", |x| Shape::cone(x, 1.0)),
        ("radius", |x| Shape::cone(1.0, x)),
        ("base_radius", |x| Shape::frustum(1.0, x, 1.0)),
        ("top_radius", |x| Shape::frustum(1.0, 1.0, x)),
        ("rounding", |x| Shape::ball(1.0)?.rounded(x)),
        ("rounding", |x| Shape::capsule(1.0, 1.0)?.rounded(x)),
    ];
    for (what, make) in makers {
        for value in BAD {
            let error = make(value).expect_err("a bad length").to_string();
            assert!(error.starts_with(&format!("{what} is ")), "{what} {value}: {error}");
            let reason = if !value.is_finite() {
                "which is not a finite number"
            } else if value < 0.0 {
                "which is negative"
            } else {
                "beyond 1e15 in size"
            };
            assert!(error.ends_with(reason), "{what} {value}: {error}");
        }
        assert!(make(0.0).is_ok(), "{what} may be 0");
    }
    for value in [f64::NAN, f64::INFINITY, -2e15] {
        let error = Shape::<D2>::convex(&[[0.0, 0.0], [1.0, value]]).expect_err("a bad point").to_string();
        assert_eq!(error, format!("points[1][1] is {value:e}, which is not a finite number within 1e15"));
    }
}

#[test]
fn poses_are_refused() {
    let ball = Shape::<D3>::ball(1.0).expect("a good radius");
    for value in [f64::NAN, f64::INFINITY, -1.1e15] {
        let there = Pose::at([0.0, value, 0.0]);
        let ask = |a, b| jostle::proximity::<f32, _, _>((&ball, a), (&ball, b)).expect_err("a bad pose").to_string();
        assert_eq!(
            ask(Pose::default(), there),
            format!("body 1: position[1] is {value:e}, which is not a finite number within 1e15")
        );
        assert!(
            ask(Pose::default().with_rotation([value, 0.0, 0.0, 1.0]), there).starts_with("body 0: rotation has norm ")
        );
    }
}

#[test]
fn an_overlap_needs_an_upper_bound_below_zero() {
    let bodies = two_balls::<D3>();
    let columns = bodies.columns();
    let mut row = Row::<D3>::new(0, 1, -0.5, [0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    row.shift = [-1.5, 0.0, 0.0];
    row.lower = Some(-0.5 - 1e-9);
    row.status = Some(Claim::Overlapping);
    row.minimal = Some(Minimal::Searched);
    row.upper = Some(-0.49);
    assert!(verify_row(&columns, &row, &Tolerance::double()).is_ok());
    for upper in [0.0, 0.25] {
        row.upper = Some(upper);
        let failures = verify_row(&columns, &row, &Tolerance::double()).expect_err("no overlap");
        assert!(matches!(failures[..], [Failure::Status { .. }]), "{failures:?}");
    }
}
