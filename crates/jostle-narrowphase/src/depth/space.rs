//! The expanding polytope.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use jostle_lanes::{D3, Vec3, Vector};
use jostle_shape::{Polytope, grained};

use super::{DepthSpace, LeastDepth, POINT_LIMIT, Tolerance};

type Point = Vec3<f64>;

/// A face waiting to be expanded, the least offset first.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    offset: f64,
    face: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.offset.total_cmp(&self.offset).then(other.face.cmp(&self.face))
    }
}

/// A polytope and its faces in the order of their offsets.
#[derive(Clone, Debug, Default)]
pub struct GrowingPolytope {
    polytope: Polytope,
    waiting: BinaryHeap<Waiting>,
    /// How many of the polytope's faces have been queued.
    queued: usize,
}

impl GrowingPolytope {
    /// Queues what is new, but for what is too thin to have a normal.
    fn queue(&mut self) {
        let faces = self.polytope.faces();
        for (face, new) in faces.iter().enumerate().skip(self.queued) {
            if !new.thin {
                self.waiting.push(Waiting { offset: new.offset, face: face as u32 });
            }
        }
        self.queued = faces.len();
    }
}

impl DepthSpace for D3 {
    type Expander = GrowingPolytope;

    fn reserve(expander: &mut GrowingPolytope) {
        expander.polytope.reserve(POINT_LIMIT + 8);
        // Each point adds as many faces as its horizon has edges: six in the mean.
        expander.waiting.reserve(16 * POINT_LIMIT);
    }

    fn least_depth(
        expander: &mut GrowingPolytope,
        support: &dyn Fn(Point) -> Point,
        tolerance: Tolerance,
    ) -> LeastDepth<Point> {
        let support = &|direction| grained(support(direction));
        let along = |normal: Point| {
            let unit = normal * (1.0 / normal.length_squared().sqrt());
            (unit, support(unit).dot(unit))
        };
        if expander.queued > 0 {
            // Memory that is used a second time gets room for the largest polytope that there may be, so that nothing
            // is allocated when a deep overlap comes along late in a simulation.
            expander.polytope.reserve(POINT_LIMIT);
            expander.waiting.reserve(8 * POINT_LIMIT);
        }
        expander.waiting.clear();
        expander.queued = 0;
        if let Err(flat) = expander.polytope.start(support) {
            let ((up, above), (down, below)) = (along(flat), along(-flat));
            let (normal, depth) = if below < above { (down, below) } else { (up, above) };
            return LeastDepth { normal, upper: depth, lower: depth };
        }
        let mut best = LeastDepth { normal: Point::unit(0), upper: f64::INFINITY, lower: f64::NEG_INFINITY };
        // The least offset of a face whose normal is too unsure to go on along.
        let mut unsure = f64::INFINITY;
        expander.queue();
        while let Some(Waiting { offset, face }) = expander.waiting.pop() {
            let polytope = &mut expander.polytope;
            if !polytope.faces()[face as usize].alive {
                continue;
            }
            best.lower = offset.min(best.upper).min(unsure);
            if tolerance.reached(offset, best.upper) {
                break;
            }
            let normal = polytope.faces()[face as usize].normal;
            let p = support(normal);
            let upper = p.dot(normal);
            if upper < best.upper {
                best = LeastDepth { normal, upper, lower: best.lower };
            }
            if tolerance.reached(offset, best.upper) || polytope.points().len() >= tolerance.points {
                break;
            }
            if polytope.sees(p, face) {
                polytope.insert(p, face);
                expander.queue();
            }
            // Otherwise the point is within rounding of the face: its offset is as good as its support, if its normal
            // is.
            else if polytope.faces()[face as usize].sharp {
                unsure = unsure.min(offset);
            } else {
                break;
            }
        }
        if best.upper == f64::INFINITY {
            // A needle, all of whose faces are thin: any of their normals is across it.
            for face in expander.polytope.faces().iter().filter(|face| face.alive && face.normal.length_squared() > 0.5)
            {
                let upper = support(face.normal).dot(face.normal);
                if upper < best.upper {
                    best = LeastDepth { normal: face.normal, upper, lower: upper };
                }
            }
        }
        best
    }
}
