//! The solvers held against each other: closed forms, separating axes and the expanding polytope must agree wherever
//! two of them answer the same question.

use jostle_lanes::{D2, D3, Rot, Space, Vec2, Vec3, Vector};
use jostle_shape::{Bodies, Body, BoxCore, Core, FrustumCore, Shape};

use crate::boxes::apart::apart;
use crate::boxes::depth::{least_axis, witness};
use crate::boxes::pair::Boxes;
use crate::boxes::point::{point_apart, point_bounds};
use crate::cast::crossings::Crossings;
use crate::cast::row::Cast;
use crate::depth::{DepthSpace, POINT_LIMIT, Tolerance};
use crate::gjk::{Cores, gjk};
use crate::segment::segments;
use crate::simplex::{ALL_VERTICES, Simplex, Vertex};
use crate::{Motion, Record, Source, Templates, make_records};

/// Numbers in [-1, 1), the same on every run.
pub(crate) struct Draw(pub u64);

impl Draw {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    pub fn vector<S: Space>(&mut self) -> S::Vector<f64> {
        S::Vector::from_fn(|_| self.number())
    }
    pub fn rotation<S: Space>(&mut self) -> S::Rot<f64> {
        let rotation: Vec<f64> = (0..S::ROTATION_LEN).map(|_| self.number() + 1e-3).collect();
        S::rot(&rotation)
    }
    fn extents<S: Space>(&mut self) -> S::Vector<f64> {
        S::Vector::from_fn(|_| self.number().abs() * 0.5)
    }
}

const EXACT: Tolerance = Tolerance { absolute: 1e-14, relative: 0.0, points: POINT_LIMIT };

fn boxes_agree<S: crate::boxes::edges::BoxSpace + DepthSpace + crate::simplex::SimplexSpace>() {
    let mut draw = Draw(7);
    let mut expander = S::Expander::default();
    let mut overlaps = 0;
    for _ in 0..2000 {
        let (a, b) = (draw.extents::<S>(), draw.extents::<S>());
        let (offset, rotation) = (draw.vector::<S>() * 0.5, draw.rotation::<S>());
        let axis = least_axis(&Boxes::<S, f64> { a, b, offset, rotation, magnitude: 2.0 }).axis;
        let (core_a, core_b) = (BoxCore { half_extents: a }, BoxCore { half_extents: b });
        let cores = Cores::<S, f64, _, _> { a: &core_a, b: &core_b, offset, rotation };
        let found = gjk(&cores, 1e-15, true);
        if axis.depth < -1e-9 {
            assert!(!found.overlap);
            assert!((found.distance - found.lower).abs() < 1e-12, "{found:?}");
            // A separating axis never shows more than the distance.
            assert!(-axis.depth <= found.distance + 1e-12);
            continue;
        }
        if axis.depth < 1e-9 {
            continue;
        }
        overlaps += 1;
        assert!(found.overlap, "{axis:?} {found:?}");
        let support = |direction: S::Vector<f64>| cores.support(direction, true).w;
        let least = S::least_depth(&mut expander, &support, EXACT);
        assert!((least.upper - axis.depth).abs() < 1e-11, "{least:?} {axis:?}");
        assert!((least.upper - least.lower).abs() < 1e-11, "{least:?}");
    }
    assert!(overlaps > 300, "{overlaps}");
}

/// The corner along the axis of least penetration, and that it is the only one wherever nothing is flat against each
/// other.
fn boxes_face_each_other<S: crate::boxes::edges::BoxSpace>() {
    let mut draw = Draw(13);
    let (mut overlaps, mut flat, mut fitting) = (0, 0, 0);
    for round in 0..4000 {
        let (mut a, mut b) = (draw.extents::<S>(), draw.extents::<S>());
        if round % 4 == 1 {
            // A plate (in the plane a segment).
            a = S::Vector::from_fn(|k| if k == 0 { 0.0 } else { a.get(k) });
        }
        let (mut offset, mut rotation) = (draw.vector::<S>() * 0.4, draw.rotation::<S>());
        if round % 4 == 2 {
            rotation = S::Rot::identity();
        }
        if round % 4 == 3 {
            // It stands on a floor, or is the floor, turned about the normal.
            let half: f64 = draw.number();
            rotation = S::rot(
                &(0..S::ROTATION_LEN).map(|k| [0.0, half, 0.0, (1.0 - half * half).sqrt()][k]).collect::<Vec<_>>(),
            );
            let floor = S::Vector::from_fn(|k| if k == 1 { 0.5 } else { 5.0 });
            if round % 8 == 3 {
                a = floor;
            } else {
                b = floor;
            }
            let above = a.get(1) + b.get(1) - 0.1 * a.get(1).min(b.get(1));
            offset = S::Vector::from_fn(|k| if k == 1 { above } else { 4.0 * offset.get(k) });
        }
        if round % 8 == 2 {
            // One stands on the middle of the other.
            offset = S::Vector::from_fn(|k| if k == 1 { 0.9 * (a.get(1) + b.get(1)) } else { 0.0 });
        }
        let boxes = Boxes::<S, f64> { a, b, offset, rotation, magnitude: 1.0 };
        let least = least_axis(&boxes);
        let axis = least.axis;
        if axis.depth < 1e-9 {
            continue;
        }
        assert!((axis.normal.length_squared() - 1.0).abs() < 1e-14);
        let (point, fits) = witness(&boxes, &least);
        overlaps += 1;
        let turned = round % 4 != 2;
        assert!(fits || !turned, "round {round}: {boxes:?} {axis:?}");
        flat += usize::from(!turned);
        fitting += usize::from(fits && !turned);
        if fits {
            // On the faces that bound A along the axis, and on B's as far behind them as the two are deep.
            let other = rotation.unrotate(point - axis.normal * axis.depth - offset);
            let (reach, own) = (a.dot(axis.normal.abs()), point.dot(axis.normal));
            assert!((reach - own).abs() < 1e-14, "round {round}: {reach} {own}");
            let along = rotation.unrotate(axis.normal);
            assert!((b.dot(along.abs()) + other.dot(along)).abs() < 1e-14, "round {round}");
            assert!((0..S::DIMENSION).all(|k| point.get(k).abs() <= a.get(k) + 1e-14));
            assert!((0..S::DIMENSION).all(|k| other.get(k).abs() <= b.get(k) + 1e-14));
        }
    }
    assert!(overlaps > 1000 && flat > 300, "{overlaps} {flat}");
    // Where faces lie flat against each other no search is needed either, whatever hangs over.
    assert_eq!(fitting, flat);
}

#[test]
fn witness_points_of_boxes_face_each_other() {
    boxes_face_each_other::<D2>();
    boxes_face_each_other::<D3>();
}

#[test]
fn separating_axes_and_polytope_agree_on_boxes() {
    boxes_agree::<D2>();
    boxes_agree::<D3>();
}

/// The closed form against GJK, of boxes turned in all ways, about one axis, not at all, and of plates and rods; how
/// many of each it leaves open.
fn boxes_apart_agree<const SEGMENT: bool, S: crate::boxes::edges::BoxSpace + crate::simplex::SimplexSpace>()
-> [usize; 4] {
    let mut draw = Draw(17);
    let (mut open, mut apart_at_all) = ([0; 4], 0);
    for round in 0..8000 {
        let (mut a, mut b) = (draw.extents::<S>(), draw.extents::<S>());
        let (mut offset, mut rotation) = (draw.vector::<S>() * 2.0, draw.rotation::<S>());
        match round % 4 {
            1 => {
                let half: f64 = draw.number();
                let about = [0.0, half, 0.0, (1.0 - half * half).sqrt()];
                rotation = S::rot(&(0..S::ROTATION_LEN).map(|k| about[k]).collect::<Vec<_>>());
                if round % 8 == 1 {
                    // Above it.
                    offset =
                        S::Vector::from_fn(|k| if k == 1 { a.get(1) + b.get(1) + 0.1 } else { 0.5 * offset.get(k) });
                }
            }
            2 => {
                rotation = S::Rot::identity();
                if round % 8 == 2 {
                    // Exactly beside it.
                    offset = S::Vector::from_fn(|k| if k == 1 { offset.get(k) } else { 0.0 });
                }
            }
            3 => {
                a = S::Vector::from_fn(|k| if k == round % 3 { 0.0 } else { a.get(k) });
                b = S::Vector::from_fn(|k| if k == 1 { b.get(k) } else { 0.0 });
            }
            _ => {}
        }
        if round % 16 == 3 {
            // A point.
            b = S::Vector::zero();
        }
        if SEGMENT {
            a = S::Vector::from_fn(|k| if k == 1 { a.get(k) } else { 0.0 });
        }
        let mut boxes = Boxes::<S, f64> { a, b, offset, rotation, magnitude: 2.0 };
        if round % 3 == 0 {
            // Very near.
            let (far, _) = apart::<S, f64, SEGMENT>(&boxes, 1e-14);
            if far.distance > 0.003 {
                boxes.offset = boxes.offset + far.v * (1.0 - 0.003 / far.distance);
            }
        }
        let (found, known) = apart::<S, f64, SEGMENT>(&boxes, 1e-14);
        if !known {
            open[round % 4] += 1;
            continue;
        }
        let [map_a, map_b] = boxes.maps();
        let general = gjk(&Cores::<S, f64, _, _> { a: &map_a, b: &map_b, offset: boxes.offset, rotation }, 1e-15, true);
        if general.overlap || found.overlap {
            let touching = general.distance.max(found.distance) < 1e-9;
            assert!(touching || general.overlap == found.overlap, "round {round}: {boxes:?}");
            continue;
        }
        apart_at_all += 1;
        let (upper, most) = (found.distance + found.residual, general.distance - 1e-13);
        assert!(found.lower <= general.distance + 1e-13 && upper >= most, "round {round}: {general:?} {found:?}");
        assert!(upper - found.lower < 1e-13, "round {round}: {found:?}");
        let of_b = rotation.unrotate(found.a - found.v - boxes.offset);
        assert!((found.a.abs() - a).max_component() <= 0.0 && (of_b.abs() - b).max_component() < 1e-14);
    }
    assert!(apart_at_all > 4000, "{apart_at_all}");
    open
}

#[test]
fn closed_form_and_gjk_agree_on_boxes() {
    assert_eq!(boxes_apart_agree::<false, D2>(), [0; 4]);
    for [tilted, upright, parallel, thin] in [boxes_apart_agree::<false, D3>(), boxes_apart_agree::<true, D3>()] {
        assert!(tilted + upright + parallel + thin <= 4, "{tilted} {upright} {parallel} {thin}");
    }
}

/// Says how many points were outside, inside, and upright on a face.
fn points_and_boxes_agree<S: crate::boxes::edges::BoxSpace + crate::simplex::SimplexSpace>() -> [usize; 3] {
    let (mut draw, mut met) = (Draw(17), [0; 3]);
    for round in 0..4000 {
        let (mut b, rotation) = (draw.extents::<S>(), draw.rotation::<S>());
        if round % 4 == 1 {
            // A plate, a stick, and the point that is left of them.
            b = S::Vector::from_fn(|k| if k <= round % 3 { 0.0 } else { b.get(k) });
        }
        let mut seen = draw.vector::<S>();
        if round % 4 == 2 {
            // Above a face, also next to it.
            let far = 1.0 + draw.number().abs().powi(8);
            seen = S::Vector::from_fn(|k| b.get(k) * if k == 1 { far } else { 0.9 * seen.get(k) });
        }
        if round % 4 == 3 {
            seen = S::Vector::from_fn(|k| b.get(k) * seen.get(k));
        }
        let offset = -rotation.rotate(seen);
        let boxes = Boxes::<S, f64> { a: S::Vector::zero(), b, offset, rotation, magnitude: 2.0 };
        let (found, [lower, upper]) = (point_apart(&boxes, 1e-14), point_bounds(&boxes));
        let [map_a, map_b] = boxes.maps();
        let general = gjk(&Cores::<S, f64, _, _> { a: &map_a, b: &map_b, offset, rotation }, 1e-15, true);
        if general.overlap || found.overlap {
            assert!(general.distance.max(found.distance) < 1e-9 || general.overlap == found.overlap, "{boxes:?}");
            let depth = least_axis(&boxes).axis.depth;
            assert!((lower + depth).abs() < 1e-13 && (upper + depth).abs() < 1e-13, "{lower} {upper} {depth}");
            met[1] += 1;
            continue;
        }
        assert!((found.distance - general.distance).abs() < 1e-13, "round {round}: {general:?} {found:?}");
        assert!((found.distance - found.lower).abs() < 1e-13, "round {round}: {found:?}");
        assert_eq!([lower, upper], [found.lower, found.distance]);
        // The point of the box is on it.
        let of_b = rotation.unrotate(found.a - found.v - offset);
        assert!(found.a.length_squared() == 0.0 && (of_b.abs() - b).max_component() < 1e-14);
        met[2 * usize::from(found.sharp)] += 1;
    }
    met
}

#[test]
fn closed_form_and_gjk_agree_on_points_and_boxes() {
    for met in [points_and_boxes_agree::<D2>(), points_and_boxes_agree::<D3>()] {
        assert!(met.iter().all(|&count| count > 500), "{met:?}");
    }
}

fn segments_agree<S: crate::simplex::SimplexSpace>() {
    let mut draw = Draw(11);
    for round in 0..4000 {
        let (half_a, half_b) = (draw.number().abs(), draw.number().abs());
        let offset = draw.vector::<S>();
        // Every fourth pair is parallel, every fourth nearly.
        let rotation = match round % 4 {
            0 => S::Rot::<f64>::identity(),
            1 => S::rot(
                &(0..S::ROTATION_LEN).map(|k| if k == 3 { 1.0 } else { 1e-9 * (k as f64 + 1.0) }).collect::<Vec<_>>(),
            ),
            _ => draw.rotation::<S>(),
        };
        let along =
            |half: f64| BoxCore::<S, f64> { half_extents: S::Vector::from_fn(|k| if k == 1 { half } else { 0.0 }) };
        let (core_a, core_b) = (along(half_a), along(half_b));
        let general = gjk(&Cores::<S, f64, _, _> { a: &core_a, b: &core_b, offset, rotation }, 1e-15, true);
        let closed = segments::<S, f64>(half_a, half_b, offset, rotation, 1e-15);
        if general.overlap {
            // In the plane segments cross; there the closed form leaves the depth to others too.
            assert!(closed.distance < 1e-9, "{closed:?}");
            continue;
        }
        assert!((general.distance - closed.distance).abs() < 1e-12, "{general:?} {closed:?}");
        assert!(closed.distance - closed.lower < 1e-9, "round {round}: {closed:?}");
    }
}

#[test]
fn closed_form_and_gjk_agree_on_segments() {
    segments_agree::<D2>();
    segments_agree::<D3>();
}

/// Depth of the origin in the hull of points.
fn depth_of(points: &[[f64; 3]]) -> crate::depth::LeastDepth<Vec3<f64>> {
    let support = |d: Vec3<f64>| {
        points
            .iter()
            .map(|&[x, y, z]| Vec3 { x, y, z })
            .reduce(|best, p| if p.dot(d) > best.dot(d) { p } else { best })
            .unwrap_or(Vec3::zero())
    };
    D3::least_depth(&mut <D3 as DepthSpace>::Expander::default(), &support, EXACT)
}

#[test]
fn flat_and_thin_differences_have_a_depth() {
    // A point, a line, a plane polygon: no depth, and a normal across.
    let point = depth_of(&[[0.0; 3]]);
    assert_eq!((point.upper, point.normal.length_squared()), (0.0, 1.0));
    let line = depth_of(&[[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]]);
    assert!(line.upper.abs() < 1e-15);
    assert!((line.normal.x + 2.0 * line.normal.y + 3.0 * line.normal.z).abs() < 1e-15);
    let square = depth_of(&[[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.3, 0.2, 0.0]]);
    assert_eq!((square.upper, square.normal.z.abs()), (0.0, 1.0));
    // A needle and a plate.
    for thin in [1e-3, 1e-6, 1e-9] {
        let corner =
            |i: usize, size: [f64; 3]| core::array::from_fn(|k| if i >> k & 1 == 1 { size[k] } else { -size[k] });
        let needle: Vec<[f64; 3]> = (0..8).map(|i| corner(i, [thin, 1.0, 2.0 * thin])).collect();
        assert!((depth_of(&needle).upper - thin).abs() < 1e-15, "{:?}", depth_of(&needle));
        let plate: Vec<[f64; 3]> = (0..8).map(|i| corner(i, [1.0, thin, 1.0])).collect();
        assert!((depth_of(&plate).upper - thin).abs() < 1e-15);
    }
}

#[test]
fn the_origin_may_be_outside() {
    let tetrahedron = depth_of(&[[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0]]);
    // Beyond the face x + ... nearest to it: the depth is negative, and no more than the distance.
    assert!(tetrahedron.upper < 0.0 && tetrahedron.upper >= -1.0, "{tetrahedron:?}");
}

#[test]
fn a_ball_of_points_is_as_deep_as_its_radius() {
    let support = |d: Vec3<f64>| d * (1.0 / d.length_squared().sqrt());
    let tolerance = Tolerance { absolute: 1e-3, relative: 0.0, points: POINT_LIMIT };
    let least = D3::least_depth(&mut <D3 as DepthSpace>::Expander::default(), &support, tolerance);
    assert!((least.upper - 1.0).abs() < 1e-12 && least.lower <= 1.0 && least.lower > 0.9, "{least:?}");
    let support = |d: Vec2<f64>| d * (1.0 / d.length_squared().sqrt());
    let least = D2::least_depth(&mut <D2 as DepthSpace>::Expander::default(), &support, tolerance);
    assert!((least.upper - 1.0).abs() < 1e-12 && least.lower > 0.998, "{least:?}");
}

#[test]
fn gjk_meets_its_bounds_on_curved_cores() {
    let mut draw = Draw(3);
    for _ in 0..500 {
        let cylinder = FrustumCore { half_height: 0.5, base_radius: 0.4, top_radius: 0.4 };
        let cone = FrustumCore { half_height: 0.3, base_radius: 0.6, top_radius: 0.0 };
        let (offset, rotation) = (draw.vector::<D3>() * 4.0, draw.rotation::<D3>());
        let found = gjk(&Cores::<D3, f64, _, _> { a: &cylinder, b: &cone, offset, rotation }, 1e-14, true);
        if !found.overlap {
            // The weights of a thin triangle lose digits that its plane does not: the residual counts them.
            assert!(found.distance - found.lower < 1e-10 && found.residual < 1e-8, "{found:?}");
        }
    }
}

#[test]
fn nan_ends_the_loop() {
    let core = BoxCore::<D3, f64> { half_extents: Vec3 { x: f64::NAN, y: 1.0, z: 1.0 } };
    let other = BoxCore::<D3, f64> { half_extents: Vec3 { x: 1.0, y: 1.0, z: 1.0 } };
    let offset = Vec3 { x: 5.0, y: 0.0, z: 0.0 };
    let rotation = <D3 as Space>::Rot::<f64>::identity();
    let found = gjk(&Cores::<D3, f64, _, _> { a: &core, b: &other, offset, rotation }, 1e-14, true);
    assert!(found.overlap, "what is NaN is not known to be apart: {found:?}");
}

/// Whether the hull of these points is seen to hold a ball about the origin.
fn holds<S: crate::simplex::SimplexSpace>(points: &[[f64; 3]], by: f64) -> bool {
    let vertex = |p: &[f64; 3]| {
        let w = S::Vector::from_fn(|k| p[k]);
        Vertex { w, a: w }
    };
    // The steps of GJK keep those that carry the nearest point, which here are all.
    let mut simplex = S::Simplex::<f64>::new(vertex(&points[0]));
    for p in &points[1..points.len() - 1] {
        simplex = simplex.step::<ALL_VERTICES, false>(vertex(p)).simplex;
    }
    simplex.encloses(vertex(&points[points.len() - 1]).w, by)
}

#[test]
fn a_simplex_shows_that_it_holds_the_origin() {
    // Each point nearer to the origin than the feature before it, so that all are kept.
    let triangle = [[-1.0, -2.0, 0.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 0.0]];
    assert!(holds::<D2>(&triangle, 0.7) && !holds::<D2>(&triangle, 0.71));
    let beside = triangle.map(|[x, y, z]| [x + 1.5, y, z]);
    assert!(!holds::<D2>(&beside, 0.0));
    let flat = [[-1.0, -2.0, 0.0], [-1.0, 2.0, 0.0], [-1.0, 0.5, 0.0]];
    assert!(!holds::<D2>(&flat, 0.0));
    let tetrahedron = [[-1.0, -2.0, -2.0], [-1.0, 2.0, -2.0], [-1.0, 0.0, 2.0], [1.0, 0.0, 0.0]];
    assert!(holds::<D3>(&tetrahedron, 0.4) && !holds::<D3>(&tetrahedron, 0.5));
    let beside = tetrahedron.map(|[x, y, z]| [x + 1.5, y, z]);
    assert!(!holds::<D3>(&beside, 0.0));
}

#[test]
fn a_passage_holds_all_of_the_motion_in_which_balls_meet() {
    use jostle_shape::{Bodies, Body, Shape};
    let ask = |shape: Shape<D3>, at: [f64; 3], velocity: [f64; 3], motion: Motion| {
        let mut bodies = Bodies::<D3>::new();
        let ball = bodies.add_shape(shape).unwrap();
        bodies.push(Body::new(ball, [1e3; 3])).unwrap();
        bodies.push(Body::new(ball, at.map(|x| x + 1e3)).with_velocity(velocity)).unwrap();
        let (mut found, mut row) = (None, [Cast::default()]);
        let each = |_, passage, _| {
            found = Some(passage);
            None
        };
        Crossings::default().find(&bodies.columns(), Source::OnDemand, &[[0, 1]], motion, &mut row, each);
        (found, row[0])
    };
    // A ball, but for what it is called: those are answered at once.
    let round = || Shape::cuboid([0.0; 3]).unwrap().rounded(1.0).unwrap();
    let passage = |at, velocity, motion| ask(round(), at, velocity, motion).0;
    let second = Motion::lasting(1.0);
    // From 2 m before the middle to 2 m behind it, 8 m away.
    let found = passage([10.0, 0.0, 0.0], [-20.0, 0.0, 0.0], second).unwrap();
    assert!(!found.is_start() && (found.time(0.0, second) - 0.4).abs() < 1e-6 && (found.length() - 4.0).abs() < 1e-4);
    assert!((found.time(1.0, second) - 0.6).abs() < 1e-6);
    // Cut off by the time; already begun; over; beside; away; at rest.
    let found = passage([10.0, 0.0, 0.0], [-9.0, 0.0, 0.0], second).unwrap();
    assert!((found.length() - 1.0).abs() < 1e-4 && found.time(1.0, second) == 1.0);
    let found = passage([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], second).unwrap();
    assert!(found.is_start() && found.time(0.0, second) == 0.0 && found.length() == 1.0);
    assert!(passage([10.0, 0.0, 0.0], [-7.0, 0.0, 0.0], second).is_none());
    assert!(passage([10.0, 2.1, 0.0], [-20.0, 0.0, 0.0], second).is_none());
    assert!(passage([10.0, 2.1, 0.0], [-20.0, 0.0, 0.0], second.to_within(0.2)).is_some());
    assert!(passage([3.0, 0.0, 0.0], [20.0, 0.0, 0.0], second).is_none());
    assert!(passage([3.0, 0.0, 0.0], [0.0; 3], second).is_none());
    let found = passage([1.0, 0.0, 0.0], [0.0; 3], second).unwrap();
    assert!(found.is_start() && found.length() == 0.0);
    // Whatever the speed and the time.
    for velocity in [5e-324, 1e-300, 1e15] {
        for duration in [0.0, 5e-324, 1.0, f64::MAX] {
            for at in [0.0, 1.0, 10.0, 1e14] {
                if let Some(found) = passage([at, 0.5, 0.0], [-velocity, 0.0, velocity], Motion::lasting(duration)) {
                    let times =
                        [found.time(0.0, Motion::lasting(duration)), found.time(1.0, Motion::lasting(duration))];
                    assert!(0.0 <= times[0] && times[0] <= times[1] && times[1] <= duration, "{found:?}");
                    assert!((0.0..=6.0).contains(&found.length()), "{found:?}");
                }
                let motion = Motion::lasting(duration);
                let (open, row) = ask(Shape::ball(1.0).unwrap(), [at, 0.5, 0.0], [-velocity, 0.0, velocity], motion);
                assert_eq!(open.is_some(), at < 2.0, "what is near at the start is asked as all others are");
                assert!(row.time >= 0.0 && row.time <= duration && row.point.iter().all(|x| x.is_finite()), "{row:?}");
            }
        }
    }
}

/// Templates that are edited, shape by shape, and those that are made of all shapes at once give the records that are
/// made from the shapes themselves: from balls alone to hulls and back, in either order.
#[test]
fn templates_are_as_good_as_shapes() {
    let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
    let kinds = [
        Shape::ball(0.5).unwrap(),
        Shape::capsule(1.0, 0.25).unwrap(),
        Shape::<D3>::convex(&points).unwrap(),
        Shape::cuboid([1.0, 2.0, 3.0]).unwrap(),
        Shape::cylinder(1.0, 0.5).unwrap(),
    ];
    let check = |shapes: &[Shape<D3>], templates: &Templates<D3, f32>| {
        let mut bodies = Bodies::<D3>::new();
        for shape in shapes {
            let shape = bodies.add_shape(shape.clone()).unwrap();
            bodies.push(Body::new(shape, [1.0, f64::from(shape), 0.0]).with_rotation([0.0, 0.6, 0.0, 0.8])).unwrap();
        }
        let (columns, numbers) = (bodies.columns(), (0..shapes.len() as u32).collect::<Vec<_>>());
        let mut made = vec![Record::<D3, f32>::default(); shapes.len()];
        make_records(templates, &columns, &numbers, &mut made);
        for (body, made) in made.iter().enumerate() {
            let alone = Record::<D3, f32>::new(&columns, body);
            assert_eq!(format!("{made:?}"), format!("{alone:?}"));
            assert_eq!(format!("{:?}", templates.record(&columns, body)), format!("{alone:?}"));
        }
    };
    let mut draw = Draw(7);
    for round in 0..200 {
        let (mut templates, mut shapes) = (Templates::default(), Vec::new());
        for _ in 0..12 {
            // Of some rounds only balls and capsules, or nothing but balls at first.
            let most = [1.0, 2.0, kinds.len() as f64][round % 3];
            let kind = &kinds[(draw.number().abs() * most) as usize];
            if shapes.is_empty() || draw.number() < 0.3 {
                templates.push(kind);
                shapes.push(kind.clone());
            } else {
                let kind = &kinds[(draw.number().abs() * kinds.len() as f64) as usize];
                let index = (draw.number().abs() * shapes.len() as f64) as usize;
                templates.set(index as u32, kind);
                shapes[index] = kind.clone();
            }
            check(&shapes, &templates);
            let balls = shapes.iter().all(|shape| matches!(shape.core(), Core::Point));
            assert_eq!((templates.only_balls(), templates.len()), (balls, shapes.len()));
        }
    }
}
