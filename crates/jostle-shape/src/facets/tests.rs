//! Gauss maps of hulls of known form, and of what is flat, thin or tiny: every arc, node and edge is where it must be.

use super::{Facets, Normal, dot};
use crate::place_in_blocks;

/// Numbers in [-1, 1), the same on every run.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn points(&mut self, count: usize, size: Normal) -> Vec<Normal> {
        (0..count).map(|_| size.map(|s| s * self.number())).collect()
    }
}

fn node(facets: &Facets, i: u16) -> (Normal, f64) {
    let number = |k: usize| facets.blocks::<f64>()[place_in_blocks(4, usize::from(i), k)];
    ([number(0), number(1), number(2)], number(3))
}

/// The nodes at the ends of an arc.
fn ends(facets: &Facets, arc: usize) -> [(Normal, f64); 2] {
    let number = |k: usize| facets.ends::<f64>()[place_in_blocks(8, arc, k)];
    [0, 4].map(|first| ([number(first), number(first + 1), number(first + 2)], number(first + 3)))
}

/// The points of its edge.
fn edge(facets: &Facets, arc: usize) -> [u16; 2] {
    facets.edges()[arc]
}

/// What every map must be, whatever the points: unit normals, true reaches, edges as far as any point on both their
/// nodes, arcs of a quarter turn at most, and no room beyond the points' own box.
fn sound(points: &[Normal], facets: &Facets) {
    let size = points.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs())).max(1e-300);
    assert!(facets.slack() <= 1e-12 * size, "{points:?}: {}", facets.slack());
    for i in 0..facets.len() as u16 {
        let (normal, reach) = node(facets, i);
        assert!((dot(normal, normal) - 1.0).abs() < 1e-12);
        let most = points.iter().map(|&p| dot(p, normal)).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(most, reach);
    }
    assert_eq!(facets.edges().len(), facets.arcs());
    for arc in 0..facets.arcs() {
        let [(n, reach_n), (m, reach_m)] = ends(facets, arc);
        assert!(dot(n, m) >= -1e-9, "{points:?}: {n:?} {m:?}");
        for point in edge(facets, arc).map(|i| points[usize::from(i)]) {
            assert!(dot(point, n) >= reach_n - 1e-12 * size && dot(point, m) >= reach_m - 1e-12 * size);
        }
    }
    // The nodes' planes enclose no more than the hull: no point well outside the points' box satisfies them all.
    for k in 0..3 {
        for sign in [1.0, -1.0] {
            let axis: Normal = std::array::from_fn(|i| if i == k { sign } else { 0.0 });
            let most = points.iter().map(|&p| dot(p, axis)).fold(f64::NEG_INFINITY, f64::max);
            let some = points.iter().find(|&&p| dot(p, axis) == most).unwrap();
            let beyond: Normal = std::array::from_fn(|i| some[i] + 0.01 * size * axis[i]);
            let kept = (0..facets.len() as u16).any(|i| {
                let (normal, reach) = node(facets, i);
                dot(beyond, normal) > reach + 1e-9 * size
            });
            assert!(kept, "{points:?}: {beyond:?}");
        }
    }
}

#[test]
fn polytopes_have_as_many_faces_edges_and_points_as_euler_says() {
    let mut draw = Draw(3);
    for count in [4, 5, 8, 16, 60] {
        for _ in 0..20 {
            let points = draw.points(count, [1.0, 1.0, 1.0]);
            let facets = Facets::new(&points, 3).unwrap();
            sound(&points, &facets);
            let mut edges: Vec<[u16; 2]> = (0..facets.arcs()).map(|arc| edge(&facets, arc)).collect();
            let mut used: Vec<u16> = edges.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            edges.sort_unstable();
            let arcs = edges.len();
            edges.dedup();
            // A long arc is two arcs and a node; a sharp corner has a node of its own.
            let no_end = |i: &u16| (0..arcs).all(|arc| !ends(&facets, arc).contains(&node(&facets, *i)));
            let tips = (0..facets.len() as u16).filter(no_end);
            let faces = facets.len() - (arcs - edges.len()) - tips.count();
            assert_eq!(used.len() + faces, edges.len() + 2);
        }
    }
}

#[test]
fn coplanar_triangles_are_one_face() {
    let cube: Vec<Normal> = (0..8).map(|i| std::array::from_fn(|k| f64::from(i >> k & 1) - 0.5)).collect();
    let facets = Facets::new(&cube, 3).unwrap();
    sound(&cube, &facets);
    assert_eq!((facets.len(), facets.arcs()), (6, 12));
    // Points on its faces, on its edges and inside change nothing but the points.
    let mut more = cube.clone();
    more.extend([[0.0, 0.0, 0.5], [0.5, 0.1, 0.2], [0.0, 0.0, 0.0], [-0.5, 0.2, -0.3]]);
    assert_eq!(Facets::new(&more, 3).unwrap().len(), 6);
}

#[test]
fn plates_segments_and_points_have_maps_too() {
    let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.2, 0.1, 0.0]];
    let plate = Facets::new(&square, 3).unwrap();
    sound(&square, &plate);
    assert_eq!((plate.len(), plate.arcs()), (6, 8));
    // Tilted, so that nothing is exact.
    let mut draw = Draw(5);
    let tilted: Vec<Normal> =
        draw.points(9, [1.0, 1.0, 0.0]).iter().map(|p| [p[0], p[1], 0.5 * p[0] + 0.25 * p[1]]).collect();
    sound(&tilted, &Facets::new(&tilted, 3).unwrap());
    let segment = [[0.3, 0.2, -0.1], [-0.3, -0.2, 0.1], [0.0, 0.0, 0.0]];
    let facets = Facets::new(&segment, 3).unwrap();
    sound(&segment, &facets);
    assert_eq!((facets.len(), facets.arcs()), (6, 4));
    sound(&[[0.0; 3]], &Facets::new(&[[0.0; 3]], 3).unwrap());
}

#[test]
fn thin_and_tiny_hulls_keep_sound_maps() {
    let mut draw = Draw(7);
    for size in [[1.0, 1.0, 1e-4], [1.0, 1e-4, 1e-4], [1e-6, 1e-6, 1e-6], [1e6, 1.0, 1e6], [1.0, 1.0, 1e-9]] {
        for _ in 0..20 {
            let points = draw.points(12, size);
            sound(&points, &Facets::new(&points, 3).unwrap());
        }
    }
}

#[test]
fn polygons_have_their_sides() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.0]];
    assert_eq!(Facets::new(&square, 2).unwrap().len(), 4);
    assert_eq!(Facets::new(&square[..2], 2).unwrap().len(), 4);
    assert_eq!(Facets::new(&square[..1], 2).unwrap().len(), 4);
}

/// A point beyond a tip is beyond some node's plane by a fair share of its distance, however sharp the tip is: the
/// faces about a tip say nothing about where it ends.
#[test]
fn sharp_corners_end_where_they_end() {
    let mut draw = Draw(11);
    let check = |points: &[Normal], dimension: usize| {
        let facets = Facets::new(points, dimension).unwrap();
        let width = dimension + 1;
        let number = |i: usize, k: usize| facets.blocks::<f64>()[place_in_blocks(width, i, k)];
        for sign in [1.0, -1.0] {
            let tip = points.iter().copied().max_by(|p, q| (sign * p[0]).total_cmp(&(sign * q[0]))).unwrap();
            let outside = [tip[0] + sign * 1e-3, tip[1], tip[2]];
            let beyond =
                |i: usize| (0..dimension).map(|k| number(i, k) * outside[k]).sum::<f64>() - number(i, dimension);
            let most = (0..facets.len()).map(beyond).fold(f64::NEG_INFINITY, f64::max);
            assert!(most > 0.2e-3, "{points:?}: {most:e}");
        }
    };
    for _ in 0..50 {
        check(&draw.points(12, [1.0, 1e-5, 1e-5]), 3);
        check(&draw.points(4, [1.0, 1e-5, 1e-5]), 3);
        check(&draw.points(9, [1.0, 1e-5, 0.0]), 3);
        check(&draw.points(9, [1.0, 1e-5, 0.0]), 2);
        check(&draw.points(3, [1.0, 1e-5, 0.0]), 2);
    }
}

#[test]
fn large_hulls_keep_none() {
    let points = Draw(9).points(super::MOST_POINTS + 1, [1.0, 1.0, 1.0]);
    assert!(Facets::new(&points, 3).is_none());
}

#[test]
fn what_is_thin_by_rounding_is_a_segment_or_a_plate() {
    let mut draw = Draw(9);
    for _ in 0..200 {
        let [along, across] = [draw.points(1, [1.0; 3])[0], draw.points(1, [1.0; 3])[0]];
        let shares = draw.points(10, [1.0; 3]);
        let on_line: Vec<Normal> = shares.iter().map(|t| along.map(|x| t[0] * x)).collect();
        let facets = Facets::new(&on_line, 3).unwrap();
        sound(&on_line, &facets);
        assert_eq!((facets.len(), facets.arcs()), (6, 4), "{on_line:?}");
        let on_plane: Vec<Normal> =
            shares.iter().map(|t| core::array::from_fn(|k| t[0] * along[k] + t[1] * across[k])).collect();
        sound(&on_plane, &Facets::new(&on_plane, 3).unwrap());
    }
}
