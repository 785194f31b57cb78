//! The least depth compared with that of many directions.

use jostle_shape::{Bodies, Body, D2, D3, Shape};
use jostle_verify::minimum_depth;
use proptest::prelude::*;

fn reach(half: [f64; 3], axes: &[[f64; 3]; 3], n: [f64; 3]) -> f64 {
    (0..3).map(|k| half[k] * (axes[k][0] * n[0] + axes[k][1] * n[1] + axes[k][2] * n[2]).abs()).sum()
}

/// The axes of a frame turned by a quaternion: `v + 2 u x (u x v + w v)` of each unit vector.
fn axes(q: [f64; 4]) -> [[f64; 3]; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let u = [q[0], q[1], q[2]];
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|v| {
        let inner = cross(u, v);
        let outer = cross(u, [0, 1, 2].map(|k| inner[k] + q[3] * v[k]));
        [0, 1, 2].map(|k| v[k] + 2.0 * outer[k])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn boxes_in_space(
        a in prop::array::uniform3(0.1..1.0_f64),
        b in prop::array::uniform3(0.1..1.0_f64),
        at in prop::array::uniform3(-0.4..0.4_f64),
        q in prop::array::uniform4(-1.0..1.0_f64),
    ) {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(norm > 0.1);
        let q = q.map(|x| x / norm);
        let mut bodies = Bodies::<D3>::new();
        let a_shape = bodies.add_shape(Shape::cuboid(a).unwrap()).unwrap();
        let b_shape = bodies.add_shape(Shape::cuboid(b).unwrap()).unwrap();
        bodies.push(Body::new(a_shape, [7.0, 8.0, 9.0])).unwrap();
        bodies.push(Body::new(b_shape, [7.0 + at[0], 8.0 + at[1], 9.0 + at[2]]).with_rotation(q)).unwrap();
        let least = minimum_depth(&bodies.columns(), 0, 1);

        let still = axes([0.0, 0.0, 0.0, 1.0]);
        let turned = axes(q);
        let depth = |n: [f64; 3]| {
            reach(a, &still, n) + reach(b, &turned, n) - (at[0] * n[0] + at[1] * n[1] + at[2] * n[2])
        };
        let mut dense = f64::INFINITY;
        let count = 40_000_u32;
        for i in 0..count {
            // A spiral of equal areas from pole to pole.
            let y = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
            let (s, c) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
            let r = (1.0 - y * y).sqrt();
            dense = dense.min(depth([r * c, y, r * s]));
        }
        if least.depth > 0.0 {
            // Neighbours of the spiral are 0.02 apart, and the depth changes by at most the boxes' reach per radian.
            prop_assert!(dense >= least.depth - 1e-12, "{dense} {least:?}");
            prop_assert!(dense <= least.depth + 0.02 * 4.0, "{dense} {least:?}");
            prop_assert!((depth(least.normal) - least.depth).abs() < 1e-12);
        } else {
            prop_assert!(dense >= least.depth - 1e-12, "apart: {dense} {least:?}");
        }
    }

    #[test]
    fn polygons_in_the_plane(
        points in prop::collection::vec(prop::array::uniform2(-1.0..1.0_f64), 1..9),
        others in prop::collection::vec(prop::array::uniform2(-1.0..1.0_f64), 1..9),
        at in prop::array::uniform2(-0.5..0.5_f64),
        angle in -4.0..4.0_f64,
    ) {
        let mut bodies = Bodies::<D2>::new();
        let a = bodies.add_shape(Shape::convex(&points).unwrap()).unwrap();
        let b = bodies.add_shape(Shape::convex(&others).unwrap()).unwrap();
        bodies.push(Body::new(a, [0.0, 0.0])).unwrap();
        bodies.push(Body::new(b, at).with_rotation([angle])).unwrap();
        let least = minimum_depth(&bodies.columns(), 0, 1);
        let (s, c) = angle.sin_cos();
        let depth = |n: [f64; 2]| {
            let out = points.iter().map(|p| p[0] * n[0] + p[1] * n[1]).fold(f64::NEG_INFINITY, f64::max);
            let back = others
                .iter()
                .map(|p| (c * p[0] - s * p[1] + at[0]) * n[0] + (s * p[0] + c * p[1] + at[1]) * n[1])
                .fold(f64::INFINITY, f64::min);
            out - back
        };
        let count = 20_000;
        let dense = (0..count)
            .map(|i| f64::from(i) / f64::from(count) * std::f64::consts::TAU)
            .map(|t| depth([t.cos(), t.sin()]))
            .fold(f64::INFINITY, f64::min);
        // Steps are 3e-4 rad, and the depth changes by at most 4 per radian.
        prop_assert!(dense >= least.depth - 1e-12, "{dense} {least:?}");
        prop_assert!(dense <= least.depth + 2e-3, "{dense} {least:?}");
        prop_assert!((depth(least.normal) - least.depth).abs() < 1e-12);
    }
}
