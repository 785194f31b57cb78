//! The worked examples of the literature, and every other scene with answers in `data/`.

use jostle::{D2, Pose, Precision, Proximity, Shape, proximity};
use jostle_tests::{Table, cases, workspace};

#[test]
fn every_case_in_data_is_answered_as_its_table_says() {
    let cases = cases(&workspace().join("data"), Table::Exact);
    assert!(!cases.is_empty(), "data/ holds no scene with pairs");
    let mut wrong = Vec::new();
    for case in &cases {
        wrong.extend(case.hold::<f32>());
        wrong.extend(case.hold::<f64>());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bittle (dyn4j), *GJK Distance & Closest Points*.
fn dyn4j<T: Precision>() -> Proximity<D2, T> {
    let triangle = Shape::<D2>::convex(&[[4.0, 11.0], [4.0, 5.0], [9.0, 9.0]]).expect("three points");
    let quad = Shape::convex(&[[8.0, 6.0], [10.0, 2.0], [13.0, 1.0], [15.0, 6.0]]).expect("four points");
    proximity((&triangle, Pose::at([0.0, 0.0])), (&quad, Pose::at([0.0, 0.0]))).expect("finite poses")
}

fn near(found: [f64; 2], wanted: [f64; 2], tolerance: f64) {
    let off = (found[0] - wanted[0]).hypot(found[1] - wanted[1]);
    assert!(off <= tolerance, "{found:?} where {wanted:?} was expected, off by {off:e}");
}

#[test]
fn the_example_of_dyn4j() {
    let distance = 4961_f64.sqrt() / 41.0;
    let witness = [284.0 / 41.0, 301.0 / 41.0];
    let normal = [44.0, -55.0].map(|x| x / 4961_f64.sqrt());

    let double = dyn4j::<f64>();
    assert!((double.distance - distance).abs() <= 4.0 * f64::EPSILON * distance, "{}", double.distance);
    near(double.witness_a, witness, 1e-14);
    near(double.witness_b, [8.0, 6.0], 1e-14);
    near(double.normal, normal, 1e-15);
    assert!(double.lower <= distance && distance <= double.upper);

    let single = dyn4j::<f32>();
    assert!((f64::from(single.distance) - distance).abs() <= 4.0 * f64::from(f32::EPSILON) * distance);
    near(single.witness_a, witness, 4e-6);
    near(single.witness_b, [8.0, 6.0], 4e-6);
    near(single.normal.map(f64::from), normal, 1e-6);
    assert!(f64::from(single.lower) <= distance && distance <= f64::from(single.upper));
}
