//! Faces and edges of the convex hull of some points, in the shape's own frame, where its numbers are exact.
//!
//! An incremental hull over exact predicates (Shewchuk's, by the crate `robust`): a point that sees no face strictly
//! changes nothing, otherwise the faces it sees are replaced by a fan over their horizon. With exact signs that needs
//! no tolerance and no special case: a point in the plane of a face does not see it, and the horizon of what it does
//! see never runs through it in a straight line. Points that all lie in one plane, on one line or in one place are
//! recognised, exactly too, and give a polygon, a segment or nothing.

use std::collections::HashSet;

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::vector::{V, cross, dot, largest, length, neg, normal_of, scale, sub, unit};

/// The features of a polytope as indices of the points it was built from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polytope {
    /// Triangles, counter-clockwise from outside; for a flat polytope one triangle that stands for both sides.
    faces: Vec<[usize; 3]>,
    /// Edges between faces that are not coplanar; of a flat polytope its outline.
    edges: Vec<[usize; 2]>,
    /// All points lie in a plane.
    flat: bool,
}

/// The features of a placed body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Unit outward normals of the faces (3D) or sides (2D).
    pub normals: Vec<V>,
    /// A point and the unit direction of each edge.
    pub edges: Vec<(V, V)>,
    /// The direction between two points that are far from each other; none if all points are in one place.
    pub long: Option<V>,
}

fn at(p: V) -> Coord3D<f64> {
    Coord3D { x: p[0], y: p[1], z: p[2] }
}
/// Above zero if `d` is on the inner side of the plane through `a`, `b`, `c`; exact.
fn side(a: V, b: V, c: V, d: V) -> f64 {
    orient3d(at(a), at(b), at(c), at(d))
}
/// Above zero if `a`, `b`, `c` turn counter-clockwise in the plane of axes `i` and `j`; exact.
fn turn(a: V, b: V, c: V, i: usize, j: usize) -> f64 {
    let flat = |p: V| Coord { x: p[i], y: p[j] };
    orient2d(flat(a), flat(b), flat(c))
}
fn collinear(a: V, b: V, c: V) -> bool {
    [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| turn(a, b, c, i, j) == 0.0)
}

/// The corners of the convex hull of points in the plane of axes `i` and `j`, counter-clockwise, without those inside
/// a side (Andrew's monotone chain).
fn outline(points: &[V], i: usize, j: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&p, &q| points[p][i].total_cmp(&points[q][i]).then(points[p][j].total_cmp(&points[q][j])));
    let mut chain: Vec<usize> = Vec::new();
    for pass in 0..2 {
        let start = chain.len();
        for &p in &order {
            while chain.len() >= start + 2
                && turn(points[chain[chain.len() - 2]], points[chain[chain.len() - 1]], points[p], i, j) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        if pass == 0 {
            order.reverse();
        }
    }
    chain
}

impl Polytope {
    /// Of points of the plane (`z` is zero).
    pub(crate) fn planar(points: &[V]) -> Self {
        let points = normalised(points);
        let chain = outline(&points, 0, 1);
        let edges = (0..chain.len()).map(|k| [chain[k], chain[(k + 1) % chain.len()]]);
        Self { edges: edges.filter(|&[p, q]| points[p] != points[q]).collect(), ..Self::default() }
    }

    /// Of points of space.
    pub(crate) fn solid(points: &[V]) -> Self {
        let points = &normalised(points)[..];
        let by = |value: &dyn Fn(usize) -> f64| {
            (0..points.len()).max_by(|&i, &j| value(i).total_cmp(&value(j)).then(j.cmp(&i))).unwrap_or(0)
        };
        let a = 0;
        let b = by(&|i| length(sub(points[i], points[a])));
        if points[a] == points[b] {
            return Self::default();
        }
        let along = sub(points[b], points[a]);
        let spread = |i: usize| length(cross(along, sub(points[i], points[a])));
        let c = by(&|i| if collinear(points[a], points[b], points[i]) { -1.0 } else { spread(i) });
        if collinear(points[a], points[b], points[c]) {
            let first = by(&|i| -dot(points[i], along));
            let last = by(&|i| dot(points[i], along));
            return Self { edges: vec![[first, last]], flat: true, ..Self::default() };
        }
        let d = by(&|i| side(points[a], points[b], points[c], points[i]).abs());
        let height = side(points[a], points[b], points[c], points[d]);
        if height == 0.0 {
            return Self::flat([a, b, c], points);
        }
        let (b, c) = if height > 0.0 { (b, c) } else { (c, b) };
        let mut faces = vec![[a, b, c], [a, c, d], [c, b, d], [b, a, d]];
        for (p, &point) in points.iter().enumerate() {
            let sees = |f: &[usize; 3]| side(points[f[0]], points[f[1]], points[f[2]], point) < 0.0;
            let (seen, kept): (Vec<_>, Vec<_>) = faces.into_iter().partition(sees);
            faces = kept;
            let sides: HashSet<[usize; 2]> = seen.iter().flat_map(around).collect();
            for f in &seen {
                faces.extend(around(f).filter(|&[u, v]| !sides.contains(&[v, u])).map(|[u, v]| [u, v, p]));
            }
        }
        let mut edges = Vec::new();
        for f in &faces {
            for [u, v] in around(f).filter(|[u, v]| u < v) {
                let beyond = faces.iter().find(|g| around(g).any(|e| e == [v, u]));
                let tip = beyond.and_then(|g| g.iter().find(|&&w| w != u && w != v));
                if tip.is_none_or(|&w| side(points[f[0]], points[f[1]], points[f[2]], points[w]) != 0.0) {
                    edges.push([u, v]);
                }
            }
        }
        Self { faces, edges, flat: false }
    }

    fn flat(face: [usize; 3], points: &[V]) -> Self {
        let [a, b, c] = face.map(|i| points[i]);
        let n = cross(sub(b, a), sub(c, a));
        // Projected along the axis nearest to its normal the polygon stays convex, and coordinates stay exact.
        let k = (0..3).max_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).unwrap_or(2);
        let chain = outline(points, (k + 1) % 3, (k + 2) % 3);
        let edges = (0..chain.len()).map(|i| [chain[i], chain[(i + 1) % chain.len()]]).collect();
        Self { faces: vec![face], edges, flat: true }
    }

    /// The features of the body whose points are at `placed`, in the order of the points the hull was built from.
    pub(crate) fn features(&self, placed: &[V], dimension: usize) -> Features {
        let edges: Vec<(V, V)> =
            self.edges.iter().filter_map(|&[u, v]| Some((placed[u], unit(sub(placed[v], placed[u]))?))).collect();
        let mut normals = Vec::new();
        if dimension == 2 {
            normals.extend(edges.iter().map(|(_, e)| [e[1], -e[0], 0.0]));
        }
        for f in &self.faces {
            let corners = f.map(|i| placed[i]);
            if let Some(n) = face_normal(corners) {
                normals.push(n);
                if self.flat {
                    normals.push(neg(n));
                }
            }
        }
        let far = |from: V| {
            placed.iter().copied().fold(
                from,
                |far, p| {
                    if length(sub(p, from)) > length(sub(far, from)) { p } else { far }
                },
            )
        };
        let end = placed.first().map(|&first| far(first));
        Features { normals, edges, long: end.and_then(|end| unit(sub(far(end), end))) }
    }
}

/// The three directed sides of a triangle.
fn around(f: &[usize; 3]) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [a, b, c] = *f;
    [[a, b], [b, c], [c, a]].into_iter()
}

/// The outward normal of a counter-clockwise triangle, at a right angle to its longest side.
fn face_normal([a, b, c]: [V; 3]) -> Option<V> {
    let sides = [sub(b, a), sub(c, b), sub(a, c)];
    let k = (0..3).max_by(|&i, &j| length(sides[i]).total_cmp(&length(sides[j])))?;
    normal_of(unit(sides[k])?, unit(sides[(k + 1) % 3])?)
}

/// The points multiplied by a power of two that brings them near one, so that exact predicates cannot underflow.
fn normalised(points: &[V]) -> Vec<V> {
    let size = points.iter().fold(0.0, |m: f64, p| m.max(largest(*p)));
    if size == 0.0 {
        return points.to_vec();
    }
    let (_, exponent) = libm::frexp(size);
    let factor = libm::ldexp(1.0, -exponent.clamp(-1000, 1000));
    points.iter().map(|p| scale(*p, factor)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<V> {
        (0..8).map(|i| [0, 1, 2].map(|k| f64::from((i >> k) & 1) * 2.0 - 1.0)).collect()
    }

    #[test]
    fn a_cube_has_twelve_triangles_and_twelve_edges() {
        let hull = Polytope::solid(&cube());
        assert_eq!((hull.faces.len(), hull.edges.len()), (12, 12));
        for n in hull.features(&cube(), 3).normals {
            assert_eq!(largest(n), 1.0, "{n:?}");
        }
    }

    #[test]
    fn points_inside_faces_edges_and_the_body_change_nothing() {
        let mut points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.3, 0.2, 0.1], [0.25, 1.0, -0.5]];
        points.extend(cube());
        let shuffled: Vec<V> = points.iter().rev().copied().collect();
        for points in [points, shuffled] {
            // A point inside an edge may stay as the joint of two halves of it; nothing else may.
            let features = Polytope::solid(&points).features(&points, 3);
            assert!((12..=13).contains(&features.edges.len()));
            assert!(features.edges.iter().all(|(_, e)| largest(*e) == 1.0));
            assert!(features.normals.iter().all(|n| largest(*n) == 1.0));
        }
    }

    #[test]
    fn every_outward_normal_has_all_points_behind_it() {
        let points: Vec<V> = (0..60)
            .map(|i| {
                let a = f64::from(i);
                [(a * 1.7).sin() * (a * 0.3).cos(), (a * 2.9).sin(), (a * 5.1).cos() * 1e-3]
            })
            .collect();
        let hull = Polytope::solid(&points);
        assert_eq!(hull.faces.len() + 4, 2 * (hull.edges.len() - hull.faces.len() + 2), "Euler");
        for (f, n) in hull.faces.iter().zip(hull.features(&points, 3).normals) {
            let plane = dot(points[f[0]], n);
            assert!(points.iter().all(|p| dot(*p, n) <= plane + 1e-12));
        }
    }

    #[test]
    fn flat_straight_and_single() {
        let square: Vec<V> = (0..9).map(|i| [f64::from(i % 3), f64::from(i / 3), 1.0]).collect();
        let hull = Polytope::solid(&square);
        assert_eq!((hull.faces.len(), hull.edges.len(), hull.flat), (1, 4, true));
        let line: Vec<V> = (0..5).map(|i| [f64::from(i); 3]).collect();
        let hull = Polytope::solid(&line);
        assert_eq!((hull.faces.len(), &hull.edges[..]), (0, &[[0, 4]][..]));
        assert!(Polytope::solid(&line[..1]).edges.is_empty());
        assert_eq!(Polytope::planar(&square).edges.len(), 4);
        assert_eq!(Polytope::planar(&line).edges.len(), 2);
        assert!(Polytope::planar(&line[..1]).edges.is_empty());
    }
}
