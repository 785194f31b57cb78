//! A direction along which two cores are parted, brought to the bottom of where it is.
//!
//! Cores moved apart along a direction until they are clear of each other have nearest points that are easy to find,
//! wherever they are flat against each other or round. If the direction is that of least depth, the two lie along it.
//! If not, the direction from one to the other is a better one (its support value is never larger: bepuphysics2 descends
//! that way from any start; here it only polishes what was found globally). Where cores are all but touching the same
//! steps find the widest gap, of which there is one only.
//!
//! The steps are short where the depth hardly changes: all around a small body on the axis of a cylinder. Turning about
//! the axis of a body of revolution changes nothing about that body, so the least depth along such an arc is sought at
//! once, by the slope.

use jostle_lanes::Vector;

use crate::answer::clearance;
use crate::frame::PairLanes;
use crate::gjk::{Gjk, gjk};
use crate::noise::{CONVERGED, noise};
use crate::resolve::{DynCores, Effort};
use crate::solve::SolveSpace;

/// How often a direction is polished.
const POLISH: u32 = 60;
/// Polytopes' witness points end exactly, but for rounding: so near to the normal, relative to the magnitude.
const STRAIGHT: f64 = 1e-12;
/// Steps that shrink by less than this are slow.
const SLOW: f64 = 0.3;

/// Cores moved apart along a direction.
#[derive(Clone, Copy, Debug)]
pub struct Freed<S: SolveSpace> {
    /// The direction, a unit vector.
    pub normal: S::Vector<f64>,
    /// The support value of A - B along it: the depth or, below zero, minus a gap.
    pub depth: f64,
    /// The nearest points of the cores where they were moved to.
    pub found: Gjk<S, f64>,
    /// How far the way between them is from being along `normal`.
    pub stray: f64,
    /// How far apart those two points are where the cores stand: if these are apart, no less than their distance.
    pub between: f64,
}

/// Two cores and how they are parted.
pub struct Freeing<'c, S: SolveSpace> {
    cores: &'c DynCores<'c, S>,
    /// Axes of revolution, in A's frame; zero where a core has none.
    axes: [S::Vector<f64>; 2],
    clearance: f64,
    tolerance: f64,
    enough: f64,
    /// What a depth may be wrong by.
    slack: f64,
}

impl<'c, S: SolveSpace> Freeing<'c, S> {
    /// The cores of a pair, with the axis of each that is a body of revolution; `depth` is about how deep they are.
    pub fn new(
        pair: &PairLanes<S, f64>,
        cores: &'c DynCores<'c, S>,
        axes: [S::Vector<f64>; 2],
        depth: f64,
        curved: Option<Effort>,
    ) -> Self {
        // A curved pair's direction gains the more in each step the less it is moved beyond touching.
        let full = clearance(pair.magnitude);
        let clearance = if curved.is_some() { depth.abs().max(pair.magnitude * 1e-3).min(full) } else { full };
        let slack = noise(CONVERGED, pair.magnitude);
        let tolerance = curved.map_or(slack, |effort| effort.distance * pair.magnitude);
        let enough = curved.filter(|_| depth > 0.0).map_or(STRAIGHT, |effort| effort.stray) * pair.magnitude;
        Self { cores, axes, clearance, tolerance, enough, slack }
    }

    /// The support value of A - B along a direction.
    pub fn depth(&self, direction: S::Vector<f64>) -> f64 {
        self.cores.support(direction, true).w.dot(direction)
    }

    fn along(&self, normal: S::Vector<f64>, depth: f64) -> Freed<S> {
        let by = normal * (depth + self.clearance);
        let found = gjk(&self.cores.moved(by), self.tolerance, true);
        let stray = (found.v + normal * self.clearance).length_squared().sqrt() + found.residual;
        let between = (found.v + by).length_squared().sqrt() + found.residual;
        Freed { normal, depth, found, stray, between }
    }

    /// The cores freed along `normal`, whose support value is `depth`, or along the best direction that steps lead to from
    /// there.
    pub fn polished(&self, normal: S::Vector<f64>, depth: f64) -> Freed<S> {
        let mut best = self.along(normal, depth);
        let mut last_step: Option<f64> = None;
        for _ in 0..POLISH {
            if best.stray <= self.enough || best.found.distance <= 0.0 {
                break;
            }
            let mut better = -(best.found.v * (1.0 / best.found.distance));
            let mut depth = self.depth(better);
            // Steps shrink by a factor that depends on the curvature (Aitken 1926): two of them tell where they lead.
            let step = better - best.normal;
            let length = step.length_squared().sqrt();
            let shrink = last_step.map_or(0.0, |last| length / last);
            last_step = Some(length);
            if shrink > 0.05 && shrink < 0.98 {
                let ahead = better + step * (shrink / (1.0 - shrink));
                let ahead = ahead * (1.0 / ahead.length_squared().sqrt());
                let ahead_depth = self.depth(ahead);
                if ahead_depth <= depth {
                    (better, depth) = (ahead, ahead_depth);
                    last_step = None;
                }
            }
            if shrink > SLOW {
                for axis in [self.axes[0], self.axes[1], S::Vector::zero()] {
                    let arc = Arc::<S>::new(best.normal, axis, step);
                    if let Some((ahead, ahead_depth)) = arc.and_then(|arc| self.least(&arc))
                        && ahead_depth < depth
                    {
                        (better, depth) = (ahead, ahead_depth);
                        last_step = None;
                    }
                }
            }
            let next = self.along(better, depth);
            let deeper = depth >= best.depth - self.slack;
            if deeper && !(depth <= best.depth + self.slack && next.stray < best.stray) {
                break;
            }
            best = next;
        }
        best
    }

    /// The direction of least depth along an arc, up to a right angle ahead, if it falls there at all.
    fn least(&self, arc: &Arc<S>) -> Option<(S::Vector<f64>, f64)> {
        let at = |s: f64| {
            let (direction, ahead) = arc.at(s);
            let w = self.cores.support(direction, true).w;
            (s, w.dot(ahead), direction, w.dot(direction))
        };
        let mut low = at(0.0);
        let falls = low.1 < 0.0;
        if !falls {
            return None;
        }
        let mut high = at((0.5 * arc.step).min(1.0));
        while high.1 < 0.0 && high.0 < 1.0 {
            low = high;
            high = at((4.0 * high.0).min(1.0));
        }
        // Regula falsi with weights (Dowell, Jarratt 1971), and halves where that is slow: at the corners of polytopes
        // the slope jumps.
        let (mut weight, mut side) = ([1.0, 1.0], 0);
        for i in 0..60 {
            if !(high.1 > 0.0 && high.0 - low.0 > 1e-16 * high.0) {
                break;
            }
            let (f, g) = (low.1 * weight[0], high.1 * weight[1]);
            let part = if i % 3 == 2 { 0.5 } else { f / (f - g) };
            let middle = at(low.0 + (high.0 - low.0) * part);
            if middle.1 < 0.0 {
                low = middle;
                weight = [1.0, if side == 1 { 0.5 * weight[1] } else { 1.0 }];
                side = 1;
            } else {
                high = middle;
                weight = [if side == 2 { 0.5 * weight[0] } else { 1.0 }, 1.0];
                side = 2;
            }
        }
        let best = if low.3 < high.3 { low } else { high };
        Some((best.2, best.3))
    }
}

/// Directions at one angle to an axis; or in one plane, where there is none.
struct Arc<S: SolveSpace> {
    along: S::Vector<f64>,
    across: S::Vector<f64>,
    ahead: S::Vector<f64>,
    /// The tangent of half the angle that the first step goes.
    step: f64,
}

impl<S: SolveSpace> Arc<S> {
    /// From `normal` about `axis`, or about nothing if that is zero, where `step` points.
    fn new(normal: S::Vector<f64>, axis: S::Vector<f64>, step: S::Vector<f64>) -> Option<Self> {
        let along = axis * normal.dot(axis);
        let across = normal - along;
        let squared = across.length_squared();
        let usable = squared > 1e-12;
        if !usable {
            return None;
        }
        let ahead = step - axis * step.dot(axis) - across * (step.dot(across) / squared);
        let length = ahead.length_squared().sqrt();
        let radius = squared.sqrt();
        (length > 1e-12 * step.length_squared().sqrt()).then(|| Self {
            along,
            across,
            ahead: ahead * (radius / length),
            step: 0.5 * length / radius,
        })
    }
    /// The direction at an angle, given the tangent of its half, and where it goes from there.
    fn at(&self, s: f64) -> (S::Vector<f64>, S::Vector<f64>) {
        let share = 1.0 / (1.0 + s * s);
        let (cos, sin) = ((1.0 - s * s) * share, 2.0 * s * share);
        let direction = self.along + self.across * cos + self.ahead * sin;
        let unit = direction * (1.0 / direction.length_squared().sqrt());
        (unit, self.ahead * cos - self.across * sin)
    }
}
