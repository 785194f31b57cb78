//! Rows made by hand: correct ones pass, and each kind of wrong one fails for the right reason.

use jostle_shape::{Bodies, Body, D2, D3, Shape};
use jostle_verify::{Claim, Failure, Minimal, Row, Side, Tolerance, verify, verify_row};

/// 0: a cube of edge 2; 1: another, 3 to its right; 2: a third, overlapping the first by 0.5; 3: a ball above it.
fn scene() -> Bodies<D3> {
    let mut bodies = Bodies::new();
    let cube = bodies.add_shape(Shape::cuboid([1.0; 3]).unwrap()).unwrap();
    let ball = bodies.add_shape(Shape::ball(0.5).unwrap()).unwrap();
    for (shape, position) in
        [(cube, [0.0; 3]), (cube, [5.0, 0.25, 0.0]), (cube, [1.5, 0.25, 0.0]), (ball, [0.0, 2.0, 0.0])]
    {
        bodies.push(Body::new(shape, position)).unwrap();
    }
    bodies
}
fn apart() -> Row<D3> {
    Row::new(0, 1, 3.0, [1.0, 0.5, 0.0], [4.0, 0.5, 0.0], [1.0, 0.0, 0.0])
}
fn overlapping() -> Row<D3> {
    Row::new(0, 2, -0.5, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
}
/// What is wrong with a row, for results in single precision.
fn wrong(row: &Row<D3>) -> Vec<Failure> {
    verify_row(&scene().columns(), row, &Tolerance::single()).err().unwrap_or_default()
}
macro_rules! fails {
    ($row:expr, $($pattern:pat),+) => {{
        let failures = wrong(&$row);
        $(assert!(failures.iter().any(|f| matches!(f, $pattern)), "{failures:?}");)+
        for failure in &failures {
            assert!(!failure.to_string().is_empty());
        }
    }};
}

#[test]
fn right_rows_pass() {
    let bodies = scene();
    for tolerance in [Tolerance::single(), Tolerance::double()] {
        let touching = Row::new(0, 3, 0.5, [0.0, 1.0, 0.0], [0.0, 1.5, 0.0], [0.0, 1.0, 0.0]);
        let rows = [apart(), overlapping(), touching];
        let report = verify(&bodies.columns(), &rows, &tolerance);
        assert!(report.passed(), "{report:?}");
        assert_eq!((report.checked, report.overlaps, report.unproved), (3, 1, 0));
    }
    let verdict = verify_row(&bodies.columns(), &overlapping(), &Tolerance::double()).unwrap();
    assert!((verdict.minimum.unwrap().depth - 0.5).abs() < 1e-12);
}

#[test]
fn a_row_rounded_to_single_precision_passes() {
    let third = f64::from(1.0_f32 / 3.0);
    let mut bodies = Bodies::<D2>::new();
    let disc = bodies.add_shape(Shape::ball(1.0 / 3.0).unwrap()).unwrap();
    bodies.push(Body::new(disc, [1000.0, 0.0])).unwrap();
    bodies.push(Body::new(disc, [1001.0, 0.0])).unwrap();
    let row = Row::new(0, 1, third, [1000.0 + third, 0.0], [1001.0 - third, 0.0], [1.0, 0.0]);
    assert!(verify_row(&bodies.columns(), &row, &Tolerance::single()).is_ok());
    assert!(verify_row(&bodies.columns(), &row, &Tolerance::double()).is_err());
}

#[test]
fn bodies_and_numbers() {
    fails!(Row { b: 0, ..apart() }, Failure::SameBody { body: 0 });
    fails!(Row { b: 4, ..apart() }, Failure::MissingBody { body: 4, count: 4 });
    fails!(Row { distance: f64::NAN, ..apart() }, Failure::NotFinite { column: "the distance", .. });
    fails!(Row { witness_a: [0.0, f64::INFINITY, 0.0], ..apart() }, Failure::NotFinite { .. });
    fails!(Row { normal: [f64::NAN, 0.0, 0.0], ..apart() }, Failure::NotFinite { column: "the normal", .. });
    fails!(Row { upper: Some(f64::NAN), ..apart() }, Failure::NotFinite { column: "the upper bound", .. });
}

#[test]
fn normals() {
    fails!(Row { normal: [2.0, 0.0, 0.0], ..apart() }, Failure::NotUnit { length: 2.0 });
    fails!(Row { normal: [0.0; 3], ..apart() }, Failure::NotUnit { length: 0.0 });
    fails!(
        Row { normal: [0.0, 1.0, 0.0], ..apart() },
        Failure::Mismatch { .. },
        Failure::NotSeparating { .. },
        Failure::NotSupporting { .. }
    );
    fails!(Row { normal: [-1.0, 0.0, 0.0], ..apart() }, Failure::NotSeparating { .. });
    // A thousandth of a radian off.
    let (s, c) = 1e-3_f64.sin_cos();
    fails!(Row { normal: [c, s, 0.0], ..apart() }, Failure::NotSeparating { .. });
}

#[test]
fn witness_points() {
    let outside = Row { witness_a: [1.0, 1.1, 0.0], witness_b: [4.0, 1.1, 0.0], ..apart() };
    fails!(outside, Failure::Outside { side: Side::A, .. });
    let outside = Row { witness_a: [1.0, -0.9, 0.0], witness_b: [4.0, -0.9, 0.0], ..apart() };
    fails!(outside, Failure::Outside { side: Side::B, .. });
    let inside = Row { distance: 3.1, witness_a: [0.9, 0.5, 0.0], ..apart() };
    fails!(inside, Failure::NotSupporting { side: Side::A, .. }, Failure::NotSeparating { .. });
    fails!(Row { witness_b: [4.0, 0.51, 0.0], ..apart() }, Failure::Mismatch { .. });
    let ball = Row::new(0, 3, 0.5, [0.0, 1.0, 0.0], [0.0, 1.501, 0.0], [0.0, 1.0, 0.0]);
    fails!(ball, Failure::NotSupporting { side: Side::B, .. });
}

#[test]
fn distances() {
    fails!(Row { distance: 3.001, ..apart() }, Failure::Mismatch { .. }, Failure::NotSeparating { .. });
    fails!(Row { distance: 2.999, ..apart() }, Failure::Mismatch { .. });
    let longer = Row { distance: 3.001, witness_b: [4.001, 0.5, 0.0], ..apart() };
    fails!(longer, Failure::NotSupporting { side: Side::B, .. }, Failure::NotSeparating { .. });
    // Consistent in itself, but B can be left sooner.
    let deep = Row::new(0, 2, -1.75, [1.0, 1.0, 0.0], [1.0, -0.75, 0.0], [0.0, 1.0, 0.0]);
    let failures = wrong(&deep);
    let [Failure::NotMinimal { depth, least, normal, .. }] = failures[..] else { panic!("{failures:?}") };
    assert_eq!((depth, normal), (1.75, [1.0, 0.0, 0.0]));
    assert!((least - 0.5).abs() < 1e-12);
    // Nearly the least is not enough where no search is needed, even if the row does not say that it is proved.
    let mut crossed = Bodies::<D3>::new();
    let cube = crossed.add_shape(Shape::cuboid([1.0; 3]).unwrap()).unwrap();
    crossed.push(Body::new(cube, [0.0; 3])).unwrap();
    crossed.push(Body::new(cube, [1.0, 0.992, 0.0])).unwrap();
    let nearly = Row::new(0, 1, -1.008, [0.5, 1.0, 0.0], [0.5, -0.008, 0.0], [0.0, 1.0, 0.0]);
    for tolerance in [Tolerance::single(), Tolerance::double()] {
        let failures = verify_row(&crossed.columns(), &nearly, &tolerance).unwrap_err();
        assert!(matches!(failures[..], [Failure::NotMinimal { least, .. }] if least == 1.0), "{failures:?}");
    }
    // Said to overlap, but apart.
    let apart = Row::new(0, 1, -1.75, [1.0, 1.0, 0.0], [4.0, -0.75, 0.0], [0.0, 1.0, 0.0]);
    fails!(apart, Failure::Mismatch { .. }, Failure::NotMinimal { .. });
}

#[test]
fn curved_depths() {
    let mut bodies = Bodies::<D3>::new();
    let can = bodies.add_shape(Shape::cylinder(1.0, 0.5).unwrap()).unwrap();
    bodies.push(Body::new(can, [0.0; 3])).unwrap();
    bodies.push(Body::new(can, [0.25, 0.125, 0.0])).unwrap();
    let columns = bodies.columns();
    let right = Row::new(0, 1, -0.75, [0.5, 0.0, 0.0], [-0.25, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let verdict = verify_row(&columns, &right, &Tolerance::double()).unwrap();
    assert!(verdict.minimum.unwrap().proved);
    let long = Row::new(0, 1, -1.875, [0.0, 1.0, 0.0], [0.0, -0.875, 0.0], [0.0, 1.0, 0.0]);
    let failures = verify_row(&columns, &long, &Tolerance::single()).unwrap_err();
    assert!(matches!(failures[..], [Failure::NotMinimal { least, .. }] if (least - 0.75).abs() < 1e-6), "{failures:?}");
}

#[test]
fn certificates() {
    let certain = |row: Row<D3>, lower: f64, upper: f64, status: Claim| Row {
        lower: Some(lower),
        upper: Some(upper),
        status: Some(status),
        ..row
    };
    let proved = |row: Row<D3>| Row { minimal: Some(Minimal::Proved), ..row };
    assert_eq!(wrong(&certain(apart(), 3.0 - 1e-6, 3.0 + 1e-6, Claim::Separated)), []);
    assert_eq!(wrong(&proved(certain(overlapping(), -0.5 - 1e-6, -0.5 + 1e-6, Claim::Overlapping))), []);
    assert_eq!(wrong(&certain(apart(), -1.0, 4.0, Claim::Unconverged)), []);

    fails!(certain(apart(), 3.0 + 1e-6, 3.0 + 2e-6, Claim::Separated), Failure::LowerTooHigh { .. });
    fails!(certain(apart(), 2.0, 3.0 - 1e-6, Claim::Separated), Failure::UpperTooLow { .. });
    fails!(certain(apart(), 3.5, 2.5, Claim::Separated), Failure::Bounds { .. });
    fails!(certain(apart(), 2.0, 2.5, Claim::Separated), Failure::Bounds { .. });
    // Within what a distance may be wrong by, but not within bounds that are true.
    let off = Row { distance: 3.0 + 1e-7, ..apart() };
    assert_eq!(wrong(&off), []);
    fails!(certain(off, 3.0 - 1e-9, 3.0 + 1e-9, Claim::Separated), Failure::Bounds { .. });
    let deep = overlapping();
    fails!(certain(deep, -0.5 + 1e-6, 0.0, Claim::Overlapping), Failure::LowerTooHigh { .. });
    fails!(certain(deep, -1.0, -0.5 - 1e-6, Claim::Overlapping), Failure::UpperTooLow { .. });
    fails!(proved(certain(deep, -0.5 - 1e-6, 0.0, Claim::Overlapping)), Failure::LeftOpen { .. });

    fails!(certain(apart(), -1.0, 4.0, Claim::Separated), Failure::Status { .. });
    fails!(certain(apart(), 3.0 - 1e-6, 3.0 + 1e-6, Claim::Overlapping), Failure::Status { .. });
    fails!(certain(apart(), 3.0 - 1e-6, 3.0 + 1e-6, Claim::Touching), Failure::Status { .. });
    fails!(certain(apart(), -1.0, 4.0, Claim::Touching), Failure::Status { .. });
    fails!(certain(deep, -0.5 - 1e-6, -0.5 + 1e-6, Claim::Touching), Failure::Status { .. });

    // Bounds that hold for anything say nothing.
    fails!(certain(apart(), 1e-30, 1e30, Claim::Separated), Failure::LeftOpen { .. });
    fails!(certain(apart(), 1e-30, f64::INFINITY, Claim::Separated), Failure::LeftOpen { .. });
    fails!(certain(deep, f64::NEG_INFINITY, -1e-30, Claim::Overlapping), Failure::LeftOpen { .. });
    // The true distance may be well above only where shorter ways out are not ruled out.
    assert_eq!(wrong(&certain(deep, -0.5 - 1e-6, -1e-30, Claim::Overlapping)), []);
    // Bounds that settle the answer go with a status that says so.
    fails!(certain(apart(), 3.0 - 1e-6, 3.0 + 1e-6, Claim::Unconverged), Failure::Status { .. });
    fails!(certain(deep, -0.5 - 1e-6, -0.5 + 1e-6, Claim::Unconverged), Failure::Status { .. });
}

/// Only bodies that `f64` cannot tell apart touch, however few digits a table has.
#[test]
fn what_is_a_little_apart_does_not_touch() {
    for (gap, open, right) in [(0.0, 1e-15, true), (0.0, 1.0, false), (1e-5, 1.1e-5, false), (-1e-5, 1.1e-5, false)] {
        let mut bodies = Bodies::<D3>::new();
        let ball = bodies.add_shape(Shape::ball(1.0).unwrap()).unwrap();
        bodies.push(Body::new(ball, [0.0; 3])).unwrap();
        bodies.push(Body::new(ball, [2.0 + gap, 0.0, 0.0])).unwrap();
        let row = Row::new(0, 1, gap, [1.0, 0.0, 0.0], [1.0 + gap, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let row = Row { lower: Some(-open), upper: Some(open), status: Some(Claim::Touching), ..row };
        let passed = verify_row(&bodies.columns(), &row, &Tolerance::single());
        assert_eq!(passed.is_ok(), right, "{gap} {open}: {passed:?}");
    }
}

#[test]
fn a_periodic_image() {
    let row =
        Row { shift: [-10.0, 0.0, 0.0], ..Row::new(0, 1, 3.0, [-1.0, 0.5, 0.0], [-4.0, 0.5, 0.0], [-1.0, 0.0, 0.0]) };
    assert_eq!(wrong(&row), []);
    fails!(Row { shift: [0.0; 3], ..row }, Failure::NotSeparating { .. });
}

#[test]
fn any_size_and_any_place() {
    for scale in [2_f64.powi(-40), 2_f64.powi(-10), 1.0, 2_f64.powi(20)] {
        for offset in [0.0, 1e6] {
            let at = |x: f64, y: f64, z: f64| [offset * scale + x * scale, y * scale, z * scale];
            let mut bodies = Bodies::<D3>::new();
            let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
            let points = corners.map(|p| p.map(|x| x * scale));
            let tetrahedron = bodies.add_shape(Shape::convex(&points).unwrap()).unwrap();
            bodies.push(Body::new(tetrahedron, at(0.0, 0.0, 0.0))).unwrap();
            // Its lower edge crosses the upper edge of the first, 0.25 below it.
            bodies.push(Body::new(tetrahedron, at(0.0, 0.0, 1.75))).unwrap();
            let row = Row::new(0, 1, -0.25 * scale, at(0.0, 0.0, 1.0), at(0.0, 0.0, 0.75), [0.0, 0.0, 1.0]);
            let passed = verify_row(&bodies.columns(), &row, &Tolerance::double());
            assert!(passed.is_ok(), "{scale} {offset}: {passed:?}");
            let wrong = Row { distance: row.distance * 1.001, ..row };
            assert!(verify_row(&bodies.columns(), &wrong, &Tolerance::single()).is_err());
        }
    }
}

#[test]
fn two_points_in_one_place() {
    let mut bodies = Bodies::<D3>::new();
    let point = bodies.add_shape(Shape::ball(0.0).unwrap()).unwrap();
    bodies.push(Body::new(point, [1.0, 2.0, 3.0])).unwrap();
    bodies.push(Body::new(point, [1.0, 2.0, 3.0])).unwrap();
    let row = Row::new(0, 1, 0.0, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.0, 0.6, 0.8]);
    let certain = Row { lower: Some(-1e-15), upper: Some(1e-15), status: Some(Claim::Touching), ..row };
    assert!(verify(&bodies.columns(), &[row, certain], &Tolerance::double()).passed());
}
