//! Checks a row against its own proof.
//!
//! A row about bodies that are apart proves itself: two points of the bodies at a distance `d` show that the distance
//! is at most `d`, a plane that leaves a gap of `d` shows that it is at least `d`. Of bodies that overlap, the gap
//! along the normal shows that moving one of them by the depth parts them; that no shorter way does is checked against
//! [`crate::minimum_depth`].

use jostle_lanes::Space;
use jostle_shape::{Columns, CustomShape};
use rayon::prelude::*;

use crate::depth::{Cache, Depth, Wanted, least};
use crate::failure::{Failure, Side};
use crate::pair::Pair;
use crate::placed::Placed;
use crate::row::{Claim, Minimal, Row, Tolerance};
use crate::vector::{V, along, dot, length, neg, sub, unit, widen};

/// The most that the bounds of a row may leave open unless its status is `unconverged`, in multiples of the tolerance.
const WIDEST: f64 = 4.0;

/// What was found out about a row that passed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict<S: Space> {
    /// The true signed distance is at least this, but for rounding in `f64`.
    pub lower: f64,
    /// The true signed distance is at most this, but for rounding in `f64`.
    pub upper: f64,
    /// For an overlapping row, the least depth that its own was compared with. The search for that of curved shapes and
    /// large hulls ends as soon as it has shown that the row's depth is near enough to the least.
    pub minimum: Option<Depth<S>>,
}

/// What was found out about a table.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How many rows there were.
    pub checked: usize,
    /// The rows that failed, by their place in the table, and everything that is wrong with each.
    pub failures: Vec<(usize, Vec<Failure>)>,
    /// How many rows overlap and were held against an independent minimum.
    pub overlaps: usize,
    /// In how many of those the independent search ended without a proof of its own.
    pub unproved: usize,
}

impl Report {
    /// True if no row failed.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Checks one row.
///
/// ```
/// use jostle_shape::{Bodies, Body, D3, Shape};
/// use jostle_verify::{Failure, Row, Tolerance, verify_row};
///
/// let mut bodies = Bodies::<D3>::new();
/// let ball = bodies.add_shape(Shape::ball(1.0)?)?;
/// bodies.push(Body::new(ball, [0.0; 3]))?;
/// bodies.push(Body::new(ball, [5.0, 0.0, 0.0]))?;
/// let row = Row::new(0, 1, 3.0, [1.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
/// assert!(verify_row(&bodies.columns(), &row, &Tolerance::double()).is_ok());
///
/// let wrong = Row { distance: 3.1, ..row };
/// let failures = verify_row(&bodies.columns(), &wrong, &Tolerance::double()).unwrap_err();
/// assert!(matches!(failures[0], Failure::Mismatch { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Everything that is wrong with it.
pub fn verify_row<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Row<S>,
    tolerance: &Tolerance,
) -> Result<Verdict<S>, Vec<Failure>> {
    check(bodies, row, tolerance, &Cache::none())
}

/// Checks all rows of a table, on all of rayon's threads.
///
/// ```
/// use jostle_shape::{Bodies, Body, D2, Shape};
/// use jostle_verify::{Row, Tolerance, verify};
///
/// let mut bodies = Bodies::<D2>::new();
/// let square = bodies.add_shape(Shape::cuboid([1.0, 1.0])?)?;
/// bodies.push(Body::new(square, [0.0, 0.0]))?;
/// bodies.push(Body::new(square, [1.5, 0.0]))?;
/// let good = Row::new(0, 1, -0.5, [1.0, 0.0], [0.5, 0.0], [1.0, 0.0]);
/// let deep = Row::new(0, 1, -2.0, [1.0, 1.0], [1.0, -1.0], [0.0, 1.0]);
/// let report = verify(&bodies.columns(), &[good, deep], &Tolerance::double());
/// assert_eq!((report.checked, report.overlaps, report.failures[0].0), (2, 2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    rows: &[Row<S>],
    tolerance: &Tolerance,
) -> Report {
    verify_where(bodies, rows, tolerance, |_| None)
}

/// Checks all rows of a scene that repeats: as [`verify`] does, which takes shifts as they are, and that each shift is
/// a whole number of periods. `periods` holds the period along each axis in metres, 0 where the scene does not repeat.
///
/// ```
/// use jostle_shape::{Bodies, Body, D2, Shape};
/// use jostle_verify::{Failure, Row, Tolerance, verify_periodic};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(1.0)?)?;
/// bodies.push(Body::new(disc, [1.0, 0.0]))?;
/// bodies.push(Body::new(disc, [9.5, 0.0]))?;
/// let row = Row { shift: [-10.0, 0.0], ..Row::new(0, 1, -0.5, [0.0, 0.0], [0.5, 0.0], [-1.0, 0.0]) };
/// let columns = bodies.columns();
/// assert!(verify_periodic(&columns, &[10.0, 0.0], &[row], &Tolerance::double()).passed());
/// let report = verify_periodic(&columns, &[4.0, 0.0], &[row], &Tolerance::double());
/// assert!(matches!(report.failures[0].1[..], [Failure::NotAnImage { axis: 0, .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_periodic<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    periods: &S::Array<f64>,
    rows: &[Row<S>],
    tolerance: &Tolerance,
) -> Report {
    let whole_periods = |row: &Row<S>| {
        (0..S::DIMENSION).find_map(|axis| {
            let (shift, period) = (row.shift[axis], periods[axis]);
            let count = if period == 0.0 { 0.0 } else { (shift / period).round() };
            // The shift is a product that was rounded once.
            let off = beyond((shift - count * period).abs(), 4.0 * f64::EPSILON * shift.abs());
            off.then_some(Failure::NotAnImage { axis, shift, period })
        })
    };
    verify_where(bodies, rows, tolerance, whole_periods)
}

/// Checks all rows, each by `extra` as well.
fn verify_where<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    rows: &[Row<S>],
    tolerance: &Tolerance,
    extra: impl Fn(&Row<S>) -> Option<Failure> + Sync,
) -> Report {
    let cache = Cache::of(bodies.shapes().len());
    let one = |(i, row): (usize, &Row<S>)| {
        let mut report = Report { checked: 1, overlaps: usize::from(row.distance < 0.0), ..Report::default() };
        let mut failures: Vec<Failure> = extra(row).into_iter().collect();
        match check(bodies, row, tolerance, &cache) {
            Ok(verdict) => report.unproved = usize::from(verdict.minimum.is_some_and(|m| !m.proved)),
            Err(found) => failures.extend(found),
        }
        if !failures.is_empty() {
            report.failures.push((i, failures));
        }
        report
    };
    let join = |mut x: Report, mut y: Report| {
        x.checked += y.checked;
        x.overlaps += y.overlaps;
        x.unproved += y.unproved;
        x.failures.append(&mut y.failures);
        x
    };
    rows.par_iter().enumerate().map(one).reduce(Report::default, join)
}

/// More than `limit`, or not a number.
fn beyond(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

/// Checks that both bodies exist and that all numbers, the tolerances included, are valid; the other checks rely on it.
fn check_numbers<S: Space>(count: usize, row: &Row<S>, tolerance: &Tolerance, failures: &mut Vec<Failure>) {
    let Tolerance { size, coord, unit, depth, searched } = *tolerance;
    for (what, value) in [("size", size), ("coord", coord), ("unit", unit), ("depth", depth), ("searched", searched)] {
        // Written so that NaN is refused: with it every row would pass.
        if !(0.0..f64::INFINITY).contains(&value) {
            failures.push(Failure::Tolerance { what, value });
        }
    }
    for body in [row.a, row.b] {
        if body as usize >= count {
            failures.push(Failure::MissingBody { body, count });
        }
    }
    // A body may be near its own image.
    if row.a == row.b && row.shift.as_ref().iter().all(|&x| x == 0.0) {
        failures.push(Failure::SameBody { body: row.a });
    }
    let distance = [row.distance];
    let columns: [(&'static str, &[f64]); 5] = [
        ("the distance", &distance),
        ("the witness point on a", row.witness_a.as_ref()),
        ("the witness point on b", row.witness_b.as_ref()),
        ("the normal", row.normal.as_ref()),
        ("the shift", row.shift.as_ref()),
    ];
    for (column, values) in columns {
        if let Some(&value) = values.iter().find(|x| !x.is_finite()) {
            failures.push(Failure::NotFinite { column, value });
        }
    }
    for (column, value) in [("the lower bound", row.lower), ("the upper bound", row.upper)] {
        if let Some(value) = value.filter(|x| x.is_nan()) {
            failures.push(Failure::NotFinite { column, value });
        }
    }
}

/// Checks that a point lies on the body, where the body reaches furthest along `n`. Returns how far outside it lies.
fn check_point<S: Space, U: CustomShape<S>>(
    side: Side,
    body: &Placed<'_, S, U>,
    point: V,
    n: V,
    allowed: f64,
    failures: &mut Vec<Failure>,
) -> f64 {
    let outside = body.outside(point) - body.radius;
    if beyond(outside, allowed) {
        failures.push(Failure::Outside { side, outside, allowed });
    }
    let short = body.height(n) + body.radius - dot(n, point);
    if beyond(short, allowed) {
        failures.push(Failure::NotSupporting { side, short, allowed });
    }
    outside.max(0.0)
}

fn check<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Row<S>,
    tolerance: &Tolerance,
    cache: &Cache,
) -> Result<Verdict<S>, Vec<Failure>> {
    let mut failures = Vec::new();
    check_numbers(bodies.len(), row, tolerance, &mut failures);
    if !failures.is_empty() {
        return Err(failures);
    }
    let pair = Pair::new(bodies, row.a as usize, row.b as usize, widen(row.shift.as_ref()));
    let searched = if row.distance < 0.0 && row.minimal != Some(Minimal::Proved) { tolerance.searched } else { 0.0 };
    let (size, coord) = (tolerance.size.max(searched), tolerance.coord.max(searched));
    // 2^-50 of the world's coordinates: what reading and writing witness points in f64 loses.
    let allowed = size * pair.size + coord * pair.relative + 8.9e-16 * pair.world + pair.noise();
    let normal = widen(row.normal.as_ref());
    let size = length(normal);
    if beyond((size - 1.0).abs(), tolerance.unit) {
        failures.push(Failure::NotUnit { length: size });
    }
    let Some(n) = unit(normal) else { return Err(failures) };
    let d = row.distance;
    let [a, b] = [row.witness_a, row.witness_b].map(|p| sub(widen(p.as_ref()), pair.origin));

    let between = sub(b, a);
    let off = length(along(between, -d, n));
    if beyond(off, allowed) {
        failures.push(Failure::Mismatch { off, allowed });
    }
    let outside = check_point(Side::A, &pair.a, a, n, allowed, &mut failures)
        + check_point(Side::B, &pair.b, b, neg(n), allowed, &mut failures);
    let gap = pair.gap(n);
    if beyond(d - gap, allowed) {
        failures.push(Failure::NotSeparating { gap, distance: d, allowed });
    }

    let (mut lower, mut upper) = (gap, length(between) + outside);
    let mut minimum = None;
    if d < 0.0 {
        let relative = if row.minimal == Some(Minimal::Proved) { 0.0 } else { tolerance.depth };
        let enough = (-d - allowed) / (1.0 + relative);
        let enough = row.upper.map_or(enough, |upper| enough.max(-upper));
        let found = least(bodies, &pair, cache, Some(n), Wanted::AtLeast(enough));
        let relative = if found.exact { 0.0 } else { relative };
        let more = allowed + relative * found.depth.max(0.0);
        if beyond(-d - found.depth, more) {
            let (least, normal) = (found.depth, found.normal);
            failures.push(Failure::NotMinimal { depth: -d, least, normal, allowed: more });
        }
        lower = lower.max(-found.depth);
        upper = -found.bound;
        minimum = Some(found.public());
    } else if row.lower.is_some() || row.upper.is_some() {
        let near = pair.nearest();
        lower = lower.max(near.lower - pair.radius);
        upper = upper.min(near.upper - pair.radius);
    }
    check_certificate(row, (lower, upper), pair.noise(), allowed, &mut failures);
    if failures.is_empty() { Ok(Verdict { lower, upper, minimum }) } else { Err(failures) }
}

/// Checks the columns of the certificate that the row has against bounds of the true distance.
fn check_certificate<S: Space>(
    row: &Row<S>,
    (least, most): (f64, f64),
    noise: f64,
    allowed: f64,
    failures: &mut Vec<Failure>,
) {
    let d = row.distance;
    let (lower, upper) = (row.lower.unwrap_or(f64::NEG_INFINITY), row.upper.unwrap_or(f64::INFINITY));
    // No tolerance: all three are numbers of the row, and rounding keeps their order.
    if !(lower <= d && d <= upper) {
        failures.push(Failure::Bounds { lower, upper, distance: d });
    }
    if lower > most + noise {
        failures.push(Failure::LowerTooHigh { lower, truth: most });
    }
    if upper < least - noise {
        failures.push(Failure::UpperTooLow { upper, truth: least });
    }
    let Some(status) = row.status else { return };
    // How much the bounds leave open. For a depth that is not said to be proved, the upper bound, by which the least
    // depth may be less, does not count.
    let below = row.lower.map_or(0.0, |lower| d - lower);
    let above = row.upper.map_or(0.0, |upper| upper - d);
    let only_searched = status == Claim::Overlapping && row.minimal != Some(Minimal::Proved);
    let (open, limit) = (if only_searched { below } else { below + above }, WIDEST * allowed);
    let both = row.lower.is_some() && row.upper.is_some();
    let decided = both && (lower > 0.0 || upper < 0.0) && !beyond(open, limit);
    let right = match status {
        Claim::Separated => row.lower.is_none_or(|lower| lower > 0.0) && most > -noise,
        Claim::Overlapping => lower <= 0.0 && row.upper.is_none_or(|upper| upper < 0.0) && least < noise,
        Claim::Touching => !(lower > 0.0 || upper < 0.0) && least <= noise && most >= -noise,
        Claim::Unconverged => !decided,
    };
    if !right {
        failures.push(Failure::Status { status, lower, upper, least, most });
    }
    if status != Claim::Unconverged && beyond(open, limit) {
        failures.push(Failure::LeftOpen { status, lower, upper, allowed: limit });
    }
}
