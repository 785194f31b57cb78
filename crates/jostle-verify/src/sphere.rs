//! The least depth of any two convex bodies, by branch and bound over directions.
//!
//! The sphere (in the plane: the circle) is cut into cells with three (two) corner directions. A unit `n` of a cell is
//! a sum of its corners `u_i` with weights that are not negative and add up to at least one, so a point `p` of the set
//! gives `h(n) >= p . n >= min_i p . u_i` wherever that is not negative, and so does every mean of such points. Here
//! they are the support points in the cell's corners. The cell with the least bound is halved at its longest side until
//! no cell can contain anything better than what is wanted; the bounds that remain are the proof.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use jostle_lanes::Space;
use jostle_shape::CustomShape;

use crate::pair::Pair;
use crate::vector::{AXES, V, add, dot, neg, sub, unit};

/// When the search may end.
pub(crate) struct Goal {
    /// It is enough to show that nothing is below this ...
    pub enough: f64,
    /// ... or that nothing is below the best by more than this part of it ...
    pub relative: f64,
    /// ... plus this length.
    pub absolute: f64,
    /// How many directions may be looked at.
    pub budget: usize,
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The smallest reach seen.
    pub height: f64,
    /// Its direction.
    pub normal: V,
    /// No direction reaches less than this.
    pub bound: f64,
    /// The goal was met.
    pub reached: bool,
}

/// A direction and a point of the set furthest along it.
#[derive(Clone, Copy)]
struct Look {
    n: V,
    p: V,
}

struct Cell {
    bound: f64,
    corners: [u32; 3],
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Cell {}
impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Cell {
    /// The least bound first out of the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.corners.cmp(&self.corners))
    }
}

/// The largest `min_i (mean . corner_i)` over means of the points.
fn bound(corners: &[V], points: &[V]) -> f64 {
    let rows = corners.len();
    let mut table = [[0.0; 3]; 4];
    for (row, p) in table.iter_mut().zip(points) {
        for i in 0..rows {
            row[i] = dot(*p, corners[i]);
        }
    }
    let table = &table[..points.len()];
    let least = |m: [f64; 3]| m[..rows].iter().copied().fold(f64::INFINITY, f64::min);
    let mut best = f64::NEG_INFINITY;
    for (j, p) in table.iter().enumerate() {
        best = best.max(least(*p));
        for (k, q) in table.iter().enumerate().skip(j + 1) {
            for (i, l) in [(0, 1), (1, 2), (2, 0)].into_iter().filter(|&(i, l)| i.max(l) < rows) {
                // Where the mean is equal in corners i and l.
                let (x, y) = (p[i] - p[l], q[i] - q[l]);
                let w = x / (x - y);
                if w > 0.0 && w < 1.0 {
                    best = best.max(least([0, 1, 2].map(|r| (1.0 - w) * p[r] + w * q[r])));
                }
            }
            for r in table.iter().skip(k + 1).filter(|_| rows == 3) {
                // Where it is equal in all three.
                let (x, y) = ([p, q, r].map(|t| t[0] - t[1]), [p, q, r].map(|t| t[1] - t[2]));
                let w = crate::vector::cross(x, y);
                let sum = w[0] + w[1] + w[2];
                let w = w.map(|t| t / sum);
                if w.iter().all(|&t| t > 0.0) {
                    best = best.max(least([0, 1, 2].map(|c| w[0] * p[c] + w[1] * q[c] + w[2] * r[c])));
                }
            }
        }
    }
    best
}

/// Searches the whole sphere.
pub(crate) fn search<S: Space, U: CustomShape<S>>(pair: &Pair<'_, S, U>, seeds: &[V], goal: &Goal) -> Found {
    let d = S::DIMENSION;
    let mut looks: Vec<Look> = Vec::new();
    let mut found = Found { height: f64::INFINITY, normal: AXES[0], bound: f64::NEG_INFINITY, reached: false };
    let look = |n: V, found: &mut Found| {
        let p = pair.support(n);
        let height = dot(p, n);
        if height < found.height {
            (found.height, found.normal) = (height, n);
        }
        Look { n, p }
    };
    for &n in seeds {
        look(n, &mut found);
    }
    for e in &AXES[..d] {
        looks.push(look(*e, &mut found));
        looks.push(look(neg(*e), &mut found));
    }
    // `other` is a corner of the parent that is none of the cell's.
    let cell = |corners: [u32; 3], other: u32, looks: &[Look]| {
        let at = |i: u32| looks[i as usize];
        let n = corners.map(|i| at(i).n);
        let points = [at(corners[0]).p, at(corners[1]).p, at(other).p, at(corners[2]).p];
        Cell { bound: bound(&n[..d], &points[..=d]), corners }
    };
    let mut heap = BinaryHeap::new();
    for octant in 0..(1u32 << d) {
        let corners = [octant & 1, 2 + (octant >> 1 & 1), if d == 3 { 4 + (octant >> 2) } else { 0 }];
        heap.push(cell(corners, corners[0], &looks));
    }
    while let Some(top) = heap.pop() {
        found.bound = top.bound;
        let close = found.height - goal.relative * found.height.abs() - goal.absolute;
        let wanted = if found.height < goal.enough { close } else { goal.enough };
        // A bound above the best is rounding.
        found.bound = found.bound.min(found.height);
        if top.bound >= wanted {
            found.reached = true;
            break;
        }
        if looks.len() >= goal.budget {
            break;
        }
        let at = |i: usize| looks[top.corners[i] as usize].n;
        let sides = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
        let longest = sides.into_iter().take(if d == 3 { 3 } else { 1 }).max_by(|x, y| {
            let square = |i, j| dot(sub(at(i), at(j)), sub(at(i), at(j)));
            square(x.0, x.1).total_cmp(&square(y.0, y.1)).then(y.0.cmp(&x.0))
        });
        let Some((i, j, _)) = longest else { break };
        let Some(n) = unit(add(at(i), at(j))) else { break };
        if n == at(i) || n == at(j) {
            // Nothing is left to halve.
            break;
        }
        let new = looks.len() as u32;
        looks.push(look(n, &mut found));
        for (replaced, _) in [(i, j), (j, i)] {
            let mut corners = top.corners;
            let dropped = corners[replaced];
            corners[replaced] = new;
            heap.push(cell(corners, dropped, &looks));
        }
    }
    found
}

/// A local minimum near `n`, to the last digits.
///
/// On the plane that touches the sphere at `n` the reach is a convex function, and at a local minimum of the sphere its
/// least value is at the centre. So the least value nearby on the plane is found (golden section within golden section)
/// and becomes the next centre, with a smaller neighbourhood.
pub(crate) fn refine<S: Space, U: CustomShape<S>>(pair: &Pair<'_, S, U>, n: V, wide: f64) -> (f64, V) {
    let mut best = (pair.height(n), n);
    let mut reach = wide;
    for _ in 0..60 {
        let centre = best.1;
        let (s, t) =
            if S::DIMENSION == 2 { ([-centre[1], centre[0], 0.0], [0.0; 3]) } else { crate::vector::tangents(centre) };
        let at = |x: f64, y: f64| [0, 1, 2].map(|k| centre[k] + x * s[k] + y * t[k]);
        let row = |x: f64| {
            if S::DIMENSION == 2 {
                return (pair.height(at(x, 0.0)), 0.0);
            }
            let (y, value) = golden(reach, |y| pair.height(at(x, y)));
            (value, y)
        };
        let (x, _) = golden(reach, |x| row(x).0);
        let y = row(x).1;
        let mut near = true;
        if let Some(n) = unit(at(x, y)) {
            let height = pair.height(n);
            if height < best.0 {
                best = (height, n);
                near = x.abs().max(y.abs()) < 0.1 * reach;
            }
        }
        if near {
            reach *= 0.1;
        }
        if reach < 1e-12 {
            break;
        }
    }
    best
}

/// Where a convex function is least between `-reach` and `reach`, and its value there.
fn golden(reach: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const PART: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (-reach, reach);
    let (mut x, mut y) = (high - PART * (high - low), low + PART * (high - low));
    let (mut fx, mut fy) = (f(x), f(y));
    // The middle is where the last round ended: never come back with something worse.
    let mut best = (0.0, f(0.0));
    for _ in 0..28 {
        let seen = if fx <= fy { (x, fx) } else { (y, fy) };
        if seen.1 < best.1 {
            best = seen;
        }
        if fx <= fy {
            high = y;
            (y, fy) = (x, fx);
            x = high - PART * (high - low);
            fx = f(x);
        } else {
            low = x;
            (x, fx) = (y, fy);
            y = low + PART * (high - low);
            fy = f(y);
        }
    }
    best
}
