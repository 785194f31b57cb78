//! The convex hull of points that are added one by one, in space.
//!
//! Its topology is decided by exact predicates (Shewchuk 1997, the crate `robust`): coplanar, collinear and repeated
//! points make no holes and no folds, however flat the points lie. It serves hulls that need their faces
//! ([`Facets`](crate::Facets)), and the search for a depth, which adds support points as it finds them. Predicates are
//! exact while nothing underflows: see [`grained`].

use jostle_lanes::{Vec3, Vector};
use robust::{Coord3D, orient3d};

pub(crate) type Point = Vec3<f64>;

/// Squared sine of the angle between a face's longest and shortest edge below which the face has no normal; leaving it
/// out of a search moves the surface by less than rounding.
const SLIVER: f64 = 1e-30;

/// Squared sine of that angle below which the normal may be off by more than 1e-5: turned about the longest edge, never
/// along it.
const SHARP: f64 = 1e-20;

/// A triangle, counter-clockwise from outside. Neighbour `i` is across the edge from corner `i` to the next.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Indices of its points.
    pub corners: [u32; 3],
    /// Indices of the faces across its edges.
    pub neighbours: [u32; 3],
    /// Outward unit normal; noise where the face is [thin](Face::thin).
    pub normal: Point,
    /// The least height of its corners along the normal: no corner lies deeper.
    pub offset: f64,
    /// True if it is too thin to have a normal.
    pub thin: bool,
    /// True if its normal may be turned about its longest edge by rounding, and says little about points far from that
    /// edge.
    pub sharp: bool,
    /// False once a point that sees it has been added.
    pub alive: bool,
}

/// A growing convex polytope of [`grained`] points, with all the memory it needs.
///
/// ```
/// use jostle_lanes::{Vec3, Vector};
/// use jostle_shape::Polytope;
///
/// let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Vec3::<f64>::from_fn(|k| f64::from(i >> k & 1)));
/// let furthest = |along: Vec3<f64>| *corners.iter().max_by(|p, q| p.dot(along).total_cmp(&q.dot(along))).unwrap();
/// let mut cube = Polytope::default();
/// cube.start(&furthest).expect("a cube is not flat");
/// for corner in corners {
///     cube.take(corner);
/// }
/// assert_eq!(cube.faces().iter().filter(|face| face.alive).count(), 12);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Polytope {
    points: Vec<Point>,
    faces: Vec<Face>,
    /// Faces that the new point sees.
    seen: Vec<u32>,
    /// Edges between faces that it sees and faces that it does not: the face that stays, the edge's number there, the
    /// edge's first and last corner.
    horizon: Vec<(u32, usize, u32, u32)>,
    /// For each point of the horizon, the new face whose edge starts there.
    starts: Vec<(u32, u32)>,
}

/// A point with coordinates too small for exact predicates set to zero: all digits of a product of three coordinates of
/// at least 2^-300 are within the range of `f64`. Without this, a hull of points 3,000 and 1e-277 from an axis folded.
///
/// ```
/// use jostle_lanes::Vec3;
///
/// assert_eq!(jostle_shape::grained(Vec3 { x: 1.0, y: -1e-200, z: 1e-20 }), Vec3 { x: 1.0, y: 0.0, z: 1e-20 });
/// ```
pub fn grained(p: Vec3<f64>) -> Vec3<f64> {
    // 2^-300.
    const GRAIN: f64 = f64::from_bits((1023 - 300) << 52);
    let kept = |x: f64| if x.abs() < GRAIN { 0.0_f64.copysign(x) } else { x };
    Vec3 { x: kept(p.x), y: kept(p.y), z: kept(p.z) }
}

fn coord(p: Point) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Positive if `p` is on the outer side of the triangle, exactly.
fn beyond(a: Point, b: Point, c: Point, p: Point) -> f64 {
    -orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// The normal of a triangle, of any length, and the squared sine of the angle between its longest and its shortest
/// edge.
///
/// It is perpendicular to the longest edge to the last bit: the plain product of a sliver's edges leans along that
/// edge, and an angle's rounding there becomes a length further on.
pub(crate) fn normal_of(a: Point, b: Point, c: Point) -> (Point, f64) {
    let edges = [b - a, c - b, a - c];
    let squared = edges.map(Vector::length_squared);
    let longest = (0..3).fold(0, |best, i| if squared[i] > squared[best] { i } else { best });
    let (i, j) = ((longest + 1) % 3, (longest + 2) % 3);
    let along = edges[longest];
    let without = |edge: Point| edge - along * (edge.dot(along) / squared[longest]);
    let shortest = if squared[i] < squared[j] { i } else { j };
    let beside = without(without(edges[shortest]));
    let height = beside.length_squared();
    if height == 0.0 {
        return (across(along), 0.0);
    }
    (along.cross(if shortest == i { beside } else { -beside }), height / squared[shortest])
}

/// Some vector perpendicular to another: to its axis of least component as well.
pub(crate) fn across(along: Point) -> Point {
    let size = along.abs();
    let least = (1..3).fold(0, |best, k| if size.get(k) < size.get(best) { k } else { best });
    along.cross(Point::unit(least))
}

impl Polytope {
    /// The points added, in their order; some may be inside by now.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// All faces there ever were, in their order, dead ones included.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Makes room for this many points and for as many faces as they usually make: each point adds two more faces than
    /// it hides, and hides three or four.
    pub fn reserve(&mut self, points: usize) {
        fn reserve<X>(list: &mut Vec<X>, count: usize) {
            list.reserve_exact(count.saturating_sub(list.len()));
        }
        reserve(&mut self.points, points);
        reserve(&mut self.faces, 8 * points);
        reserve(&mut self.seen, points);
        reserve(&mut self.horizon, points);
        reserve(&mut self.starts, points);
    }

    fn corner(&self, face: u32, i: usize) -> Point {
        self.points[self.faces[face as usize].corners[i] as usize]
    }

    /// True if `p` is strictly on the outer side of a face.
    pub fn sees(&self, p: Point, face: u32) -> bool {
        let [a, b, c] = [0, 1, 2].map(|i| self.corner(face, i));
        // For its own corners the exact result, zero, is cheap to tell.
        p != a && p != b && p != c && beyond(a, b, c, p) > 0.0
    }

    fn add_face(&mut self, corners: [u32; 3]) -> u32 {
        let id = self.faces.len() as u32;
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        let (normal, sine_squared) = normal_of(a, b, c);
        let normal = normal * (1.0 / normal.length_squared().sqrt());
        let offset = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
        // NaN is thin.
        let thick = sine_squared > SLIVER;
        let sharp = !thick || sine_squared < SHARP;
        self.faces.push(Face { corners, neighbours: [u32::MAX; 3], normal, offset, thin: !thick, sharp, alive: true });
        id
    }

    /// Adds a point, if it is outside.
    pub fn take(&mut self, p: Point) {
        // Normals are right to 1e-5 unless the face is sharp: a face that the point is farther below than that needs no
        // exact test, and the face that it is furthest beyond most likely sees it.
        let size = p.abs().max_component();
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, face) in self.faces.iter().enumerate() {
            let beyond = face.normal.dot(p) - face.offset;
            if face.alive && beyond > best.0 {
                best = (beyond, index as u32);
            }
        }
        let near = |face: &Face| face.sharp || face.normal.dot(p) - face.offset > -1e-4 * (size + face.offset.abs());
        let from = if best.0 > 0.0 && self.sees(p, best.1) {
            Some(best.1)
        } else {
            (0..self.faces.len() as u32).find(|&f| {
                let face = &self.faces[f as usize];
                face.alive && near(face) && self.sees(p, f)
            })
        };
        if let Some(face) = from {
            self.insert(p, face);
        }
    }

    /// Adds a point that sees the face `from`. New faces are appended to [`Polytope::faces`].
    pub fn insert(&mut self, p: Point, from: u32) {
        let id = self.points.len() as u32;
        self.points.push(p);
        self.seen.clear();
        self.horizon.clear();
        self.starts.clear();
        // The faces that the point sees, from one to the next.
        self.faces[from as usize].alive = false;
        self.seen.push(from);
        let mut next = 0;
        while next < self.seen.len() {
            let face = self.faces[self.seen[next] as usize];
            next += 1;
            for i in 0..3 {
                let other = face.neighbours[i];
                if !self.faces[other as usize].alive {
                    continue;
                }
                if self.sees(p, other) {
                    self.faces[other as usize].alive = false;
                    self.seen.push(other);
                }
            }
        }
        // Their outer edges.
        for k in 0..self.seen.len() {
            let face = self.faces[self.seen[k] as usize];
            for i in 0..3 {
                let other = face.neighbours[i];
                if self.faces[other as usize].alive {
                    let (start, end) = (face.corners[i], face.corners[(i + 1) % 3]);
                    let back = self.faces[other as usize].corners.iter().position(|&c| c == end);
                    let Some(edge) = back else { unreachable!("neighbours share their edge's corners") };
                    self.horizon.push((other, edge, start, end));
                }
            }
        }
        // A new face from each of these edges to the point.
        for k in 0..self.horizon.len() {
            let (outer, edge, start, end) = self.horizon[k];
            let new = self.add_face([start, end, id]);
            self.faces[new as usize].neighbours[0] = outer;
            self.faces[outer as usize].neighbours[edge] = new;
            self.starts.push((start, new));
        }
        // New faces as each other's neighbours.
        for k in 0..self.horizon.len() {
            let (_, _, _, end) = self.horizon[k];
            let new = self.starts[k].1;
            let Some(&(_, following)) = self.starts.iter().find(|(start, _)| *start == end) else {
                unreachable!("the horizon is a closed loop")
            };
            self.faces[new as usize].neighbours[1] = following;
            self.faces[following as usize].neighbours[2] = new;
        }
    }

    /// Starts over with the furthest points along the axes. `support` returns the furthest point along a direction.
    ///
    /// # Errors
    /// If all points lie in one plane: its normal, of any length.
    pub fn start(&mut self, support: &dyn Fn(Point) -> Point) -> Result<(), Point> {
        self.points.clear();
        self.faces.clear();
        let mut known = [Point::zero(); 6];
        for k in 0..3 {
            known[2 * k] = support(Point::unit(k));
            known[2 * k + 1] = support(-Point::unit(k));
        }
        let furthest = |points: &[Point], measure: &dyn Fn(Point) -> f64| {
            points.iter().copied().fold((Point::zero(), 0.0), |best, p| {
                let far = measure(p);
                if far > best.1 { (p, far) } else { best }
            })
        };
        let a = known[0];
        let (b, apart) = furthest(&known, &|p| (p - a).length_squared());
        if apart == 0.0 {
            return Err(if a.length_squared() > 0.0 { -a } else { Point::unit(0) });
        }
        let ab = b - a;
        let (mut c, off_line) = furthest(&known, &|p| (p - a).cross(ab).length_squared());
        if off_line == 0.0 {
            // A line, as seen along the axes: search across it, both ways.
            let across = across(ab);
            let beside = ab.cross(across);
            let sides = [across, -across, beside, -beside].map(support);
            let (p, far) = furthest(&sides, &|p| (p - a).cross(ab).length_squared());
            if far == 0.0 {
                return Err(across);
            }
            c = p;
        }
        let (normal, _) = normal_of(a, b, c);
        let exactly = |p: Point| beyond(a, b, c, p).abs();
        let (mut d, mut volume) = furthest(&known, &exactly);
        if volume == 0.0 {
            (d, volume) = furthest(&[support(normal), support(-normal)], &exactly);
        }
        if volume == 0.0 {
            return Err(normal);
        }
        self.points.extend([a, b, c, d]);
        let order = if beyond(a, b, c, d) > 0.0 { [0, 2, 1] } else { [0, 1, 2] };
        let [i, j, k] = order;
        for corners in [[i, j, k], [j, i, 3], [k, j, 3], [i, k, 3]] {
            self.add_face(corners);
        }
        // The neighbours of face 0 are across (i, j), (j, k), (k, i); the others meet it on their edge 0 and each other
        // in turn.
        self.faces[0].neighbours = [1, 2, 3];
        self.faces[1].neighbours = [0, 3, 2];
        self.faces[2].neighbours = [0, 1, 3];
        self.faces[3].neighbours = [0, 2, 1];
        for p in known {
            self.take(p);
        }
        Ok(())
    }
}
