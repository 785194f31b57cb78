//! Distances of pairs that the caller names.

use jostle_narrowphase::{Dimension, Precision, Proximity, Scratch, Source, solve_pairs};
use jostle_shape::{BodyError, Columns, CustomShape, Pose, Rotations, Shape};

use crate::error::PairError;
use crate::narrowphase::Narrowphase;

/// Computes the signed distance, normal and witness points of two shapes: the query for one pair. For many, use
/// [`distance()`](crate::distance()), which answers a whole register of pairs in the time of one.
///
/// ```
/// use jostle::{D3, Pose, Shape, proximity};
///
/// let ball = Shape::<D3>::ball(1.0)?;
/// let slab = Shape::cuboid([5.0, 0.5, 5.0])?;
/// let answer = proximity::<f64, _, _>((&ball, Pose::at([0.0, 4.0, 0.0])), (&slab, Pose::at([0.0; 3])))?;
/// assert_eq!(answer.distance, 2.5);
/// assert_eq!(answer.normal, [0.0, -1.0, 0.0]);
/// assert_eq!(answer.witness_a, [0.0, 3.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pose holds a number that is not finite or beyond 1e15, or a quaternion whose norm is not within 1e-3 of 1.
pub fn proximity<T: Precision, S: Dimension, U: CustomShape<S>>(
    a: (&Shape<S, U>, Pose<S>),
    b: (&Shape<S, U>, Pose<S>),
) -> Result<Proximity<S, T>, BodyError> {
    let shapes = [a.0.clone(), b.0.clone()];
    let positions = [a.1.position, b.1.position];
    let rotations = [a.1.rotation, b.1.rotation];
    let bodies = Columns::new(&shapes, &[0, 1], &positions, Rotations::Double(&rotations))?;
    let mut row = [Proximity::default()];
    solve_pairs(&bodies, Source::OnDemand, &[[0, 1]], &mut row, &mut Scratch::default());
    let [row] = row;
    Ok(row)
}

/// Computes the signed distance, normal, witness points and bounds of each pair, in the order given.
///
/// Filters (groups, masks, parents, static bodies) do not matter here: every pair that is named is answered. Runs on
/// the rayon pool it is called from.
///
/// ```
/// use jostle::{Columns, D2, Rotations, Shape, distance};
///
/// let shapes = [Shape::<D2>::cuboid([1.0, 0.5])?, Shape::ball(0.25)?];
/// let position = [[0.0, 0.0], [2.0, 0.0], [0.0, 0.625]];
/// let bodies = Columns::new(&shapes, &[0, 1, 1], &position, Rotations::Identity)?;
/// let rows = distance::<f64, _, _>(&bodies, &[[0, 1], [2, 0]])?;
/// assert_eq!((rows[0].distance, rows[0].normal, rows[0].witness_a), (0.75, [1.0, 0.0], [1.0, 0.0]));
/// assert_eq!((rows[1].distance, rows[1].normal), (-0.125, [0.0, -1.0])); // the ball overlaps the box's upper side
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist, or the same body twice.
pub fn distance<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
) -> Result<Vec<Proximity<S, T>>, PairError> {
    let mut rows = Vec::new();
    distance_into(bodies, pairs, &mut rows)?;
    Ok(rows)
}

/// Computes the signed distance, normal, witness points and bounds of each pair, as [`distance()`](crate::distance())
/// does, into memory that the caller keeps: `rows` is replaced. ([`Narrowphase`] keeps all other memory, too.)
///
/// ```
/// use jostle::{Columns, D3, Rotations, Shape, distance_into};
///
/// let shapes = [Shape::<D3>::ball(0.5)?];
/// let (mut position, mut rows) = ([[0.0; 3], [2.0, 0.0, 0.0]], Vec::new());
/// for step in 0..3 {
///     position[1][0] = 2.0 - 0.5 * f64::from(step);
///     let bodies = Columns::new(&shapes, &[0, 0], &position, Rotations::Identity)?;
///     distance_into::<f32, _, _>(&bodies, &[[0, 1]], &mut rows)?;
///     assert_eq!(rows[0].distance, 1.0 - 0.5 * step as f32);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist, or the same body twice; `rows` is then left as it was.
pub fn distance_into<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    rows: &mut Vec<Proximity<S, T>>,
) -> Result<(), PairError> {
    Narrowphase::new().distance(bodies, pairs, rows)
}
