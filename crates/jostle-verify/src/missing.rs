//! Finds rows that a table of contacts lacks or has twice, which no row shows by itself.
//!
//! Boxes about all bodies, from supports along the axes, are sorted by where they begin along the first axis and swept.
//! The distance of a pair whose boxes come within the margin of each other, and which has no row, is computed as for a
//! row.

use std::collections::HashSet;

use jostle_lanes::Space;
use jostle_shape::{Columns, CustomShape};
use rayon::prelude::*;

use crate::depth::{Cache, Wanted, least};
use crate::pair::Pair;
use crate::placed::Placed;
use crate::row::Row;
use crate::vector::{AXES, V, largest, neg, sub, widen};

/// Two bodies that are nearer than the margin and have no row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missing {
    /// Index of the first body, the lower one.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Their signed distance is at most this, metres: it is the distance of two of their points, or minus a depth by
    /// which they overlap at least.
    pub upper: f64,
}

/// A body's box.
#[derive(Clone, Copy)]
struct Bounds {
    body: u32,
    lower: V,
    upper: V,
}

/// The pairs of bodies that meet (see [`Filters`](jostle_shape::Filters)), are provably nearer than `margin` (metres)
/// and have no row, in order. Periods are not looked at.
///
/// ```
/// use jostle_shape::{Bodies, Body, D2, Shape};
/// use jostle_verify::{Row, missing_rows};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(1.0)?)?;
/// for x in [0.0, 2.5, 5.5] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let row = Row::new(0, 1, 0.5, [1.0, 0.0], [1.5, 0.0], [1.0, 0.0]);
/// assert_eq!(missing_rows(&bodies.columns(), &[row], 0.75), []);
/// let missing = missing_rows(&bodies.columns(), &[row], 1.25)[0];
/// assert_eq!((missing.a, missing.b), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there are more than `u32::MAX` bodies.
pub fn missing_rows<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    rows: &[Row<S>],
    margin: f64,
) -> Vec<Missing> {
    let known: HashSet<[u32; 2]> = rows.iter().map(|row| [row.a.min(row.b), row.a.max(row.b)]).collect();
    let (filters, cache) = (bodies.filters(), Cache::of(bodies.shapes().len()));
    let bounds = sorted_bounds(bodies, margin);
    let before = |place: usize| {
        let first = bounds[place];
        let near = bounds[place + 1..].iter().take_while(move |other| other.lower[0] <= first.upper[0]);
        let near = near.filter(move |other| (1..3).all(|k| meet([first.lower[k], first.upper[k]], other, k)));
        let pairs = near.map(move |other| [first.body.min(other.body), first.body.max(other.body)]);
        let open = pairs.filter(|pair| !known.contains(pair) && filters.meet(pair[0], pair[1]));
        open.filter_map(|pair| nearer(bodies, pair, margin, &cache)).collect::<Vec<_>>()
    };
    let mut missing: Vec<Missing> = (0..bounds.len()).into_par_iter().flat_map_iter(before).collect();
    missing.sort_unstable_by_key(|missing| (missing.a, missing.b));
    missing
}

/// The places of the rows that repeat an earlier one: the same `a`, the same `b` and the same image of `b`. (A table of
/// nearest neighbours may hold both a row of `a` with `b` and one of `b` with `a`.)
///
/// ```
/// use jostle_shape::D2;
/// use jostle_verify::{Row, repeated_rows};
///
/// let row = Row::<D2>::new(0, 1, 0.5, [1.0, 0.0], [1.5, 0.0], [1.0, 0.0]);
/// assert_eq!(repeated_rows(&[row, Row { b: 2, ..row }, row]), [2]);
/// assert_eq!(repeated_rows(&[row, Row { shift: [9.0, 0.0], ..row }]), []);
/// ```
pub fn repeated_rows<S: Space>(rows: &[Row<S>]) -> Vec<usize> {
    let mut known = HashSet::new();
    let mut is_known = |row: &Row<S>| {
        // In `f32`, because shifts are products that were rounded. (Adding zero turns -0.0 into 0.0.)
        let shift = widen(row.shift.as_ref()).map(|x| (x as f32 + 0.0).to_bits());
        !known.insert((row.a, row.b, shift))
    };
    (0..rows.len()).filter(|&place| is_known(&rows[place])).collect()
}

/// True if a box reaches into an interval along an axis.
fn meet([lower, upper]: [f64; 2], other: &Bounds, axis: usize) -> bool {
    other.lower[axis] <= upper && other.upper[axis] >= lower
}

/// The boxes of all bodies, enlarged by half of the margin and by rounding, sorted by where they begin along the first
/// axis.
fn sorted_bounds<S: Space, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, margin: f64) -> Vec<Bounds> {
    let Some(origin) = bodies.positions().first().map(|position| widen(position.as_ref())) else { return Vec::new() };
    let count = u32::try_from(bodies.len()).expect("as many bodies as indices name");
    let bounds_of = |body: u32| {
        let position = sub(widen(bodies.positions()[body as usize].as_ref()), origin);
        let placed = Placed::new(bodies, body as usize, position);
        let more = placed.radius + 0.5 * margin + 1e-12 * (placed.summand + placed.extent + largest(origin));
        let reach = |k: usize, way: f64| {
            let axis = if way > 0.0 { AXES[k] } else { neg(AXES[k]) };
            way * (placed.height(axis) + more)
        };
        let [lower, upper] = [-1.0, 1.0].map(|way| [0, 1, 2].map(|k| reach(k, way)));
        Bounds { body, lower, upper }
    };
    let mut bounds: Vec<Bounds> = (0..count).into_par_iter().map(bounds_of).collect();
    bounds.par_sort_unstable_by(|one, other| one.lower[0].total_cmp(&other.lower[0]));
    bounds
}

/// The pair, if it is certainly nearer than the margin.
fn nearer<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    [a, b]: [u32; 2],
    margin: f64,
    cache: &Cache,
) -> Option<Missing> {
    let pair = Pair::new(bodies, a as usize, b as usize, [0.0; 3]);
    let mut upper = pair.nearest().upper - pair.radius;
    // A table in `f32` may be off by its rounding at the margin.
    let doubt = pair.noise() + 1e-6 * (pair.size + margin);
    if upper <= doubt {
        // Two points of cores that overlap show neither that they do nor how deep.
        upper = upper.min(-least(bodies, &pair, cache, None, Wanted::AtLeast(2.0 * doubt)).bound);
    }
    (upper < margin - doubt).then_some(Missing { a, b, upper })
}
