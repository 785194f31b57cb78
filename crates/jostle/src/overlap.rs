//! Yes-or-no queries about pairs that the caller names.

use jostle_narrowphase::{Dimension, Precision, Side};
use jostle_shape::{Columns, CustomShape};

use crate::error::{PairError, WithinError};
use crate::narrowphase::Narrowphase;

/// Whether bodies that exactly touch count.
///
/// Exactly means: within rounding in `f64`, some 1e-9 of the pair's size or less, so that neither a gap nor an overlap
/// can be shown ([`Status::Touching`](crate::Status::Touching)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// They count: bodies are closed sets.
    #[default]
    Closed,
    /// They do not count: bodies are open sets.
    Open,
}

impl Boundary {
    /// Whether a pair on this side of the limit counts.
    pub fn counts(self, side: Side) -> bool {
        match side {
            Side::Beyond => false,
            Side::At => self == Boundary::Closed,
            Side::Within => true,
        }
    }
}

/// Finds whether each pair overlaps, in the order given.
///
/// A pair overlaps if [`distance()`](crate::distance()) of the same precision says so; but only the sign is found,
/// which is a good deal cheaper. The precision hardly matters: it decides how far bodies are examined that differ from
/// touching by less than 1e-9 of their size. Pairs of which nothing can be proved (a support map that returns NaN)
/// count as touching. Filters do not matter. Runs on the rayon pool it is called from.
///
/// ```
/// use jostle::{Boundary, Columns, D2, Rotations, Shape, overlap};
///
/// let shapes = [Shape::<D2>::cuboid([0.5, 0.5])?];
/// let position = [[0.0, 0.0], [0.75, 0.75], [1.0, 0.0], [0.0, 1.5]];
/// let bodies = Columns::new(&shapes, &[0; 4], &position, Rotations::Identity)?;
/// let pairs = [[0, 1], [0, 2], [0, 3]];
/// assert_eq!(overlap::<f32, _, _>(&bodies, &pairs, Boundary::Closed)?, [true, true, false]);
/// assert_eq!(overlap::<f32, _, _>(&bodies, &pairs, Boundary::Open)?, [true, false, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist, or the same body twice.
pub fn overlap<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    boundary: Boundary,
) -> Result<Vec<bool>, PairError> {
    let mut sides = Vec::new();
    Narrowphase::<S, T>::new().sides(bodies, pairs, 0.0, &mut sides)?;
    Ok(sides.into_iter().map(|side| boundary.counts(side)).collect())
}

/// Finds whether each pair is at most `limit` metres apart ([`Boundary::Closed`]) or less than that
/// ([`Boundary::Open`]), in the order given: [`overlap`] is this with the limit 0.
///
/// ```
/// use jostle::{Boundary, Columns, D3, Rotations, Shape, within};
///
/// let shapes = [Shape::<D3>::ball(0.5)?, Shape::cylinder(1.0, 0.5)?];
/// let position = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
/// let bodies = Columns::new(&shapes, &[0, 0, 1], &position, Rotations::Identity)?;
/// assert_eq!(within::<f32, _, _>(&bodies, &[[0, 1], [0, 2]], 1.25, Boundary::Closed)?, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the limit is negative, not finite or beyond 1e15, a pair names a body that does not exist, or the same body
/// twice.
pub fn within<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    limit: f64,
    boundary: Boundary,
) -> Result<Vec<bool>, WithinError> {
    let mut sides = Vec::new();
    within_into::<T, _, _>(bodies, pairs, limit, &mut sides)?;
    Ok(sides.into_iter().map(|side| boundary.counts(side)).collect())
}

/// Finds whether the distance of each pair is below, at or above `limit` (metres), in the order given, into memory that
/// the caller keeps: `sides` is replaced. ([`within`] turns these into yes or no.)
///
/// ```
/// use jostle::{Columns, D2, Rotations, Shape, Side, within_into};
///
/// let shapes = [Shape::<D2>::ball(0.5)?];
/// let position = [[0.0, 0.0], [1.5, 0.0], [2.0, 0.0], [2.5, 0.0]];
/// let bodies = Columns::new(&shapes, &[0; 4], &position, Rotations::Identity)?;
/// let mut sides = Vec::new();
/// within_into::<f64, _, _>(&bodies, &[[0, 1], [0, 2], [0, 3]], 1.0, &mut sides)?;
/// assert_eq!(sides, [Side::Within, Side::At, Side::Beyond]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As of [`within`]; `sides` is then left as it was.
pub fn within_into<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    limit: f64,
    sides: &mut Vec<Side>,
) -> Result<(), WithinError> {
    Narrowphase::<S, T>::new().within(bodies, pairs, limit, sides)
}
