//! The expanding polygon.

use jostle_lanes::{D2, Vec2, Vector};
use robust::{Coord, orient2d};

use super::{DepthSpace, LeastDepth, POINT_LIMIT, Tolerance};

/// A convex polygon, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub struct Polygon {
    points: Vec<Vec2<f64>>,
}

fn coord(p: Vec2<f64>) -> Coord<f64> {
    Coord { x: p.x, y: p.y }
}

/// True if `p` is strictly to the right of the way from `a` to `b`.
fn right_of(a: Vec2<f64>, b: Vec2<f64>, p: Vec2<f64>) -> bool {
    orient2d(coord(a), coord(b), coord(p)) < 0.0
}

impl Polygon {
    fn edge(&self, i: usize) -> (Vec2<f64>, Vec2<f64>) {
        (self.points[i], self.points[(i + 1) % self.points.len()])
    }

    /// Outward unit normal and offset of edge `i`; none if its ends coincide.
    fn face(&self, i: usize) -> Option<(Vec2<f64>, f64)> {
        let (a, b) = self.edge(i);
        let along = b - a;
        let largest = along.abs().max_component();
        if largest == 0.0 {
            return None;
        }
        // Divided, as the squares of what is very short underflow, and so may the inverse.
        let along = along.map(|x| x / largest);
        let normal = -(along.perpendicular() * (1.0 / along.length_squared().sqrt()));
        Some((normal, f64::min(normal.dot(a), normal.dot(b))))
    }

    /// Takes in a point beyond edge `i`, and drops the vertices that it covers.
    fn insert(&mut self, i: usize, p: Vec2<f64>) {
        self.points.insert(i + 1, p);
        let mut at = i + 1;
        while self.points.len() > 3 {
            let count = self.points.len();
            let (next, after) = ((at + 1) % count, (at + 2) % count);
            if right_of(p, self.points[next], self.points[after]) {
                self.points.remove(next);
                at -= usize::from(next < at);
            } else {
                break;
            }
        }
        while self.points.len() > 3 {
            let count = self.points.len();
            let (last, before) = ((at + count - 1) % count, (at + count - 2) % count);
            if right_of(self.points[before], self.points[last], p) {
                self.points.remove(last);
                at -= usize::from(last < at);
            } else {
                break;
            }
        }
    }
}

impl DepthSpace for D2 {
    type Expander = Polygon;

    fn reserve(polygon: &mut Polygon) {
        polygon.points.reserve(POINT_LIMIT + 8);
    }

    fn least_depth(
        polygon: &mut Polygon,
        support: &dyn Fn(Vec2<f64>) -> Vec2<f64>,
        tolerance: Tolerance,
    ) -> LeastDepth<Vec2<f64>> {
        let unit = |x: f64, y: f64| Vec2 { x, y };
        let (left, right) = (support(unit(-1.0, 0.0)), support(unit(1.0, 0.0)));
        let (below, above) = (support(unit(0.0, -1.0)), support(unit(0.0, 1.0)));
        // Memory that is used a second time gets room for the largest polygon that there may be.
        if !polygon.points.is_empty() {
            polygon.points.reserve_exact(POINT_LIMIT.saturating_sub(polygon.points.len()));
        }
        polygon.points.clear();
        // The longer diagonal, as a polygon of two edges: flat shapes never get more.
        let (first, second) = if (right - left).length_squared() >= (above - below).length_squared() {
            (left, right)
        } else {
            (below, above)
        };
        polygon.points.push(first);
        if second != first {
            polygon.points.push(second);
        }
        if polygon.points.len() == 1 {
            // A - B is a point.
            let normal = if first.length_squared() > 0.0 {
                -(first * (1.0 / first.length_squared().sqrt()))
            } else {
                unit(1.0, 0.0)
            };
            let depth = support(normal).dot(normal);
            return LeastDepth { normal, upper: depth, lower: depth };
        }
        let mut best: Option<LeastDepth<Vec2<f64>>> = None;
        // All edges are looked at for each point.
        let most = tolerance.points.min(10 * POINT_LIMIT);
        loop {
            let mut nearest: Option<(usize, Vec2<f64>, f64)> = None;
            for i in 0..polygon.points.len() {
                if let Some((normal, offset)) = polygon.face(i)
                    && nearest.is_none_or(|(_, _, least)| offset < least)
                {
                    nearest = Some((i, normal, offset));
                }
            }
            let Some((i, normal, lower)) = nearest else {
                // Points that are no numbers: a user's own.
                return LeastDepth { normal: unit(1.0, 0.0), upper: f64::NAN, lower: f64::NAN };
            };
            let p = support(normal);
            let upper = p.dot(normal);
            let mut found = match best {
                Some(best) if best.upper <= upper => best,
                _ => LeastDepth { normal, upper, lower },
            };
            found.lower = lower.min(found.upper);
            best = Some(found);
            let (a, b) = polygon.edge(i);
            if tolerance.reached(lower, found.upper) || !right_of(a, b, p) || polygon.points.len() >= most {
                return found;
            }
            polygon.insert(i, p);
        }
    }
}
