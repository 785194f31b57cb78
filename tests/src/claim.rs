//! Answers as claims that `jostle-verify` holds against the bodies.

use jostle::{Columns, CustomShape, Dimension, Minimum, Precision, Proximity, Status};
use jostle_verify::{Claim, Failure, Minimal, Row, Tolerance, Verdict, verify_row};

/// The answer as a row of a result table, certificate and all.
pub fn claim<S: Dimension, T: Precision>(row: &Proximity<S, T>) -> Row<S> {
    Row {
        lower: Some(row.lower.to_f64()),
        upper: Some(row.upper.to_f64()),
        status: Some(match row.status {
            Status::Separated => Claim::Separated,
            Status::Touching => Claim::Touching,
            Status::Overlapping => Claim::Overlapping,
            Status::Unconverged => Claim::Unconverged,
        }),
        minimal: Some(match row.minimum {
            Minimum::Proved => Minimal::Proved,
            Minimum::Searched => Minimal::Searched,
        }),
        ..Row::new(
            row.a,
            row.b,
            row.distance.to_f64(),
            row.witness_a,
            row.witness_b,
            S::array(|k| row.normal[k].to_f64()),
        )
    }
}

/// Everything that can be held against a row, the independent minimum of overlapping ones included.
///
/// # Errors
/// What is wrong with it.
pub fn full<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
    tolerance: &Tolerance,
) -> Result<Verdict<S>, Vec<Failure>> {
    verify_row(bodies, &claim(row), tolerance)
}

/// The same but for the minimum: an overlapping row is asked whether moving `b` by its own depth along its own normal
/// makes the two touch at its own points.
///
/// # Errors
/// What is wrong with it.
pub fn cheap<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
    tolerance: &Tolerance,
) -> Result<Verdict<S>, Vec<Failure>> {
    let claim = claim(row);
    // Written so that NaN goes the strict way.
    if !(claim.distance < 0.0) {
        return verify_row(bodies, &claim, tolerance);
    }
    let (lower, upper) = (claim.lower.unwrap_or(0.0), claim.upper.unwrap_or(0.0));
    let noise = tolerance.size * scale(bodies, row);
    if !(lower <= claim.distance + noise && claim.distance - noise <= upper && lower <= upper) {
        return Err(vec![Failure::Bounds { lower, upper, distance: claim.distance }]);
    }
    let by = S::array(|k| -claim.distance * claim.normal[k]);
    let freed = Row {
        shift: by,
        ..Row::new(claim.a, claim.b, 0.0, claim.witness_a, S::array(|k| claim.witness_b[k] + by[k]), claim.normal)
    };
    verify_row(bodies, &freed, tolerance)
}

/// The larger extent of a row's two bodies, or their distance from each other if that is more.
pub fn scale<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
) -> f64 {
    let ends = [row.a as usize, row.b as usize];
    let [p, q] = ends.map(|body| bodies.positions()[body]);
    let between = (0..S::DIMENSION).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max);
    ends.iter().map(|&body| bodies.shape(body).reach()).fold(between, f64::max)
}
