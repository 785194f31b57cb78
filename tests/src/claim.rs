//! Answers as claims that `jostle-verify` checks against the bodies.

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

/// Checks everything about a row, including the depth of an overlapping one against an independent minimum.
///
/// # Errors
/// Everything that is wrong with it.
pub fn full<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
    tolerance: &Tolerance,
) -> Result<Verdict<S>, Vec<Failure>> {
    verify_row(bodies, &claim(row), tolerance)
}

/// The same without the minimum: of an overlapping row it checks whether moving `b` by the row's depth along its normal
/// makes the bodies touch at its points.
///
/// # Errors
/// Everything that is wrong with it.
pub fn cheap<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
    tolerance: &Tolerance,
) -> Result<Verdict<S>, Vec<Failure>> {
    let claim = claim(row);
    if claim.distance >= 0.0 || claim.distance.is_nan() {
        return verify_row(bodies, &claim, tolerance);
    }
    let (lower, upper) = (claim.lower.unwrap_or(0.0), claim.upper.unwrap_or(0.0));
    let noise = tolerance.size * scale(bodies, row);
    let held = lower <= claim.distance + noise && claim.distance - noise <= upper && lower <= upper;
    if !held {
        return Err(vec![Failure::Bounds { lower, upper, distance: claim.distance }]);
    }
    let by = S::array(|k| -claim.distance * claim.normal[k]);
    let freed = Row {
        shift: by,
        ..Row::new(claim.a, claim.b, 0.0, claim.witness_a, S::array(|k| claim.witness_b[k] + by[k]), claim.normal)
    };
    verify_row(bodies, &freed, tolerance)
}

/// The tolerance for an answer of precision `T`. Depths of curved shapes, which are searched for, may be wrong by 1e-7
/// of the size in `f64` as well.
pub fn tolerance<S: Dimension, T: Precision>(row: &Proximity<S, T>) -> Tolerance {
    if size_of::<T>() == 4 {
        Tolerance::single()
    } else if row.minimum == Minimum::Searched {
        let double = Tolerance::double();
        Tolerance { size: double.searched, coord: double.searched, ..double }
    } else {
        Tolerance::double()
    }
}

/// The size of a pair: the largest coordinate that either body has in a frame at the other's position, or a little
/// more.
pub fn scale<S: Dimension, T: Precision, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, row: &Proximity<S, T>) -> f64 {
    let ends = [row.a as usize, row.b as usize];
    let [p, q] = ends.map(|body| bodies.positions()[body]);
    let between = (0..S::DIMENSION).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max);
    let furthest = |body: usize| {
        let shape = bodies.shape(body);
        let beside = shape.core_centre().as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        shape.reach() + beside
    };
    between + furthest(ends[0]).max(furthest(ends[1]))
}

/// By how much a row's distance may be wrong: what [`tolerance`] allows for its two bodies.
pub fn allowed<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    row: &Proximity<S, T>,
) -> f64 {
    let Tolerance { size, coord, .. } = tolerance(row);
    (size + coord) * scale(bodies, row)
}

/// Every bit of an answer, the sign of a zero included.
pub fn bits<S: Dimension, T: Precision>(row: &Proximity<S, T>) -> Vec<u64> {
    let mut all = vec![u64::from(row.a), u64::from(row.b), row.status as u64, row.minimum as u64];
    all.extend([row.distance, row.lower, row.upper].map(|x| x.to_f64().to_bits()));
    all.extend(row.normal.as_ref().iter().map(|x| x.to_f64().to_bits()));
    all.extend(row.witness_a.as_ref().iter().chain(row.witness_b.as_ref()).map(|x| x.to_bits()));
    all
}
