//! The Gauss map of a polytope, a plate, a segment or a point in space.

use jostle_lanes::{Vec3, Vector};

use super::{Map, Normal, plane};
use crate::polytope::{Point, Polytope, across, normal_of};

/// A hull whose width or height, relative to its length, is at most this is a segment or a plate: its faces would be
/// nothing but the rounding of its points, and need not surround it. (What points lose by it is within the slack that a
/// search allows.)
const THIN: f64 = 2.0 * f64::EPSILON;

/// Sine of the angle between two faces below which they count as one: the error is below the rounding of `f64` on all
/// but the largest faces.
const COPLANAR: f64 = 1e-14;

/// The map of at least one point; points are distinct, with a largest coordinate of about one. `None` if rounding
/// leaves faces that count as one without a normal to rely on.
pub(super) fn map(points: &[Normal]) -> Option<Map> {
    let vectors: Vec<Point> = points.iter().map(|&[x, y, z]| Vec3 { x, y, z }).collect();
    let furthest = |along: Point| {
        let best = |i: usize, j: usize| if vectors[j].dot(along) > vectors[i].dot(along) { j } else { i };
        vectors[(1..vectors.len()).fold(0, best)]
    };
    match thin(&vectors) {
        Some(Thin::Segment(ends)) => {
            let mut map = Map::default();
            segment(&mut map, &vectors, ends);
            return Some(map);
        }
        Some(Thin::Plate(normal)) => return Some(flat(points, &vectors, normal)),
        None => {}
    }
    let mut polytope = Polytope::default();
    match polytope.start(&furthest) {
        Ok(()) => {
            for &point in &vectors {
                polytope.take(point);
            }
            solid(&polytope, points, &vectors)
        }
        Err(normal) => Some(flat(points, &vectors, normal)),
    }
}

/// A hull that is flat up to rounding.
enum Thin {
    /// The points at its ends.
    Segment([usize; 2]),
    /// Its normal.
    Plate(Point),
}

/// Whether points that have an extent form a segment or a plate.
fn thin(points: &[Point]) -> Option<Thin> {
    let most = |measure: &dyn Fn(Point) -> f64| {
        let better = |best: (usize, f64), (i, far): (usize, f64)| if far > best.1 { (i, far) } else { best };
        points.iter().map(|&p| measure(p)).enumerate().fold((0, 0.0), better)
    };
    let (from, _) = most(&|p| (p - points[0]).length_squared());
    let start = points[from];
    let (to, squared) = most(&|p| (p - start).length_squared());
    if squared == 0.0 {
        return None;
    }
    let along = (points[to] - start) * (1.0 / squared.sqrt());
    let (aside, width) = most(&|p| (p - start).cross(along).length_squared());
    let limit = THIN * THIN * squared;
    if width <= limit {
        return Some(Thin::Segment([from, to]));
    }
    let (normal, _) = normal_of(start, points[to], points[aside]);
    let (_, height) = most(&|p| normal.dot(p - start).abs());
    (height * height <= limit * normal.length_squared()).then_some(Thin::Plate(normal))
}

/// The face that stands for the group of face `i` (a union-find with path halving).
fn root(group: &mut [usize], mut i: usize) -> usize {
    while group[i] != i {
        group[i] = group[group[i]];
        i = group[i];
    }
    i
}

/// A polytope with an interior.
fn solid(polytope: &Polytope, given: &[Normal], points: &[Point]) -> Option<Map> {
    let faces = polytope.faces();
    let alive = || (0..faces.len()).filter(|&i| faces[i].alive);
    // Faces that count as one share a group: the index of one of them.
    let mut group: Vec<usize> = (0..faces.len()).collect();
    let corner = |face: usize, i: usize| polytope.points()[faces[face].corners[i % 3] as usize];
    let mut area = vec![0.0; faces.len()];
    for face in alive() {
        area[face] = (corner(face, 1) - corner(face, 0)).cross(corner(face, 2) - corner(face, 0)).length_squared();
        if faces[face].sharp {
            // It has no reliable normal: it joins the group of the face across its longest edge.
            let length = |i: usize| (corner(face, i + 1) - corner(face, i)).length_squared();
            let longest = (1..3).fold(0, |best, i| if length(i) > length(best) { i } else { best });
            let other = faces[face].neighbours[longest] as usize;
            let (from, to) = (root(&mut group, face), root(&mut group, other));
            group[from] = to;
        }
    }
    for face in alive().filter(|&face| !faces[face].sharp) {
        for other in faces[face].neighbours.map(|other| other as usize).into_iter().filter(|&other| other > face) {
            let (n, m) = (faces[face].normal, faces[other].normal);
            if !faces[other].sharp && n.dot(m) > 0.0 && n.cross(m).length_squared() <= COPLANAR * COPLANAR {
                let (from, to) = (root(&mut group, face), root(&mut group, other));
                group[from] = to;
            }
        }
    }
    // The largest face of a group has the best normal.
    let mut largest: Vec<Option<usize>> = vec![None; faces.len()];
    for face in alive().filter(|&face| !faces[face].sharp) {
        let best = &mut largest[root(&mut group, face)];
        if best.is_none_or(|best| area[face] > area[best]) {
            *best = Some(face);
        }
    }
    let mut map = Map::default();
    let mut node = vec![0; faces.len()];
    for face in alive() {
        let of = root(&mut group, face);
        if of == face {
            let Vec3 { x, y, z } = faces[largest[of]?].normal;
            node[of] = map.node([x, y, z]);
        }
    }
    let inside = middle(points);
    let index = |p: Point| points.iter().position(|&q| q == p);
    let place: Vec<Option<usize>> = polytope.points().iter().map(|&p| index(p)).collect();
    for face in alive() {
        for i in 0..3 {
            let other = faces[face].neighbours[i] as usize;
            let (one, two) = (root(&mut group, face), root(&mut group, other));
            if other < face || one == two {
                continue;
            }
            let ends = [i, (i + 1) % 3].map(|i| place[faces[face].corners[i] as usize]);
            let [Some(from), Some(to)] = ends else { return None };
            let edge = points[to] - points[from];
            let [n, m] = [one, two].map(|root| map.normals[usize::from(node[root])]).map(|[x, y, z]| Vec3 { x, y, z });
            // Away from the edge, half way between the two normals.
            map.arc([from as u16, to as u16], [node[one], node[two]], || {
                let Vec3 { x, y, z } = away(points[from], edge.cross(n - m), inside);
                [x, y, z]
            });
        }
    }
    let edges: Vec<[usize; 2]> = map.arcs.iter().map(|arc| arc.points.map(usize::from)).collect();
    map.tips(given, edges.iter().copied());
    Some(map)
}

/// A polygon, a segment or a point in the plane with this `normal`.
fn flat(points: &[Normal], vectors: &[Point], normal: Point) -> Map {
    let mut map = Map::default();
    let array = |p: Point| [p.x, p.y, p.z];
    if points.len() == 1 {
        for k in 0..3 {
            for sign in [1.0, -1.0] {
                map.node(array(Point::unit(k) * sign));
            }
        }
        return map;
    }
    // Projected along the axis nearest to the normal, which keeps the predicate exact.
    let size = normal.abs();
    let drop = (1..3).fold(0, |best, k| if size.get(k) > size.get(best) { k } else { best });
    let seen: Vec<Normal> = vectors.iter().map(|p| [p.get((drop + 1) % 3), p.get((drop + 2) % 3), 0.0]).collect();
    let corners = plane::corners(&seen);
    if let [from, to] = corners[..] {
        segment(&mut map, vectors, [from, to]);
        return map;
    }
    // The largest triangle about the first corner has the best normal.
    let fan = (1..corners.len() - 1).map(|i| {
        let [a, b, c] = [corners[0], corners[i], corners[i + 1]].map(|i| vectors[i]);
        normal_of(a, b, c).0
    });
    let normal = fan.fold(Point::zero(), |best, n| if n.length_squared() > best.length_squared() { n } else { best });
    let nodes = [normal, -normal].map(|n| map.node(array(n)));
    let inside = middle(vectors);
    for (i, &from) in corners.iter().enumerate() {
        let to = corners[(i + 1) % corners.len()];
        let outward = || array(away(vectors[from], (vectors[to] - vectors[from]).cross(normal), inside));
        map.arc([from as u16, to as u16], nodes, outward);
    }
    map.tips(points, corners.iter().enumerate().map(|(i, &from)| [from, corners[(i + 1) % corners.len()]]));
    map
}

/// A segment: a ring of normals about it, and one at each end.
fn segment(map: &mut Map, points: &[Point], [from, to]: [usize; 2]) {
    let array = |p: Point| [p.x, p.y, p.z];
    let edge = points[to] - points[from];
    let ends = [from as u16, to as u16];
    let beside = across(edge);
    let beyond = edge.cross(beside);
    let ring = [beside, beyond, -beside, -beyond].map(|n| map.node(array(n)));
    for i in 0..4 {
        map.arcs.push(super::Arc { points: ends, nodes: [ring[i], ring[(i + 1) % 4]] });
    }
    map.node(array(edge));
    map.node(array(-edge));
}

fn middle(points: &[Point]) -> Point {
    points.iter().fold(Point::zero(), |sum, &p| sum + p) * (1.0 / points.len() as f64)
}

/// `direction` or its opposite: the one that leads from `at` away from `inside`.
fn away(at: Point, direction: Point, inside: Point) -> Point {
    if direction.dot(inside - at) > 0.0 { -direction } else { direction }
}
