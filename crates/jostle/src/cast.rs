//! Time of impact of pairs of moving bodies.

use jostle_narrowphase::{Cast, Dimension, Motion};
use jostle_shape::{Columns, CustomShape};

use crate::error::CastError;
use crate::narrowphase::Narrowphase;

/// Finds the time of impact of each pair, in the order given: when its distance first is `motion.target` (0: when the
/// two touch), both bodies moving in straight lines with their velocities ([`Columns::with_velocities`]) and not
/// turning.
///
/// - A *hit* is the first time at which the distance is the target. It is never late: at that time the bodies are
///   farther apart than the target by 1e-9 of the pair's size at most, and before it they were nowhere nearer. However
///   thin and fast, no body passes through another unnoticed.
/// - A pair that is nearer than the target before it moves (overlapping, if the target is zero) is a *start*, with the
///   distance, point and normal that [`distance()`](crate::distance()) gives.
/// - A pair that is exactly at the target before it moves is a hit at time 0 if it comes nearer; if it parts, or slides
///   along, it is a miss. A pair that comes to the target later and only grazes it is a hit, to within rounding.
///
/// "Size" is that of both bodies and the target together, plus a thousandth of how far apart they are. Times and
/// positions are `f64` whatever the precision of other answers. Filters do not matter. Runs on the rayon pool it is
/// called from. Where space repeats, [`periodic_cast`](crate::periodic_cast()).
///
/// ```
/// use jostle::{CastStatus, Columns, D3, Motion, Rotations, Shape, cast};
///
/// let shapes = [Shape::<D3>::ball(0.01)?, Shape::cuboid([0.0005, 1.0, 1.0])?];
/// let position = [[-10.0, 0.25, 0.0], [0.0, 0.0, 0.0]];
/// let velocity = [[1000.0, 0.0, 0.0], [0.0, 0.0, 0.0]]; // a bullet and a sheet of metal
/// let bodies = Columns::new(&shapes, &[0, 1], &position, Rotations::Identity)?.with_velocities(&velocity)?;
/// let [row] = cast(&bodies, &[[0, 1]], Motion::lasting(1.0))?[..] else { unreachable!() };
/// assert_eq!(row.status, CastStatus::Hit);
/// assert!((row.time - 0.0099895).abs() < 1e-12);
/// assert!((row.point[0] + 0.0005).abs() < 1e-9 && row.point[1] == 0.25);
/// assert_eq!(row.normal, [1.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A ray is a ball of radius 0 that moves. For the first body that each of many moving bodies meets, use
/// [`SceneIndex::cast`](crate::SceneIndex::cast). For all bodies that one meets, [`between`](crate::between()) finds
/// the pairs to cast: the way as a capsule against the scene.
///
/// ```
/// use jostle::{Bodies, Body, CastStatus, D2, Motion, Shape, between, cast};
///
/// let (mut scene, mut way) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// let pillar = scene.add_shape(Shape::ball(0.5)?)?;
/// for x in [6.0, 3.0, 20.0] {
///     scene.push(Body::new(pillar, [x, 0.25]))?;
/// }
/// let point = scene.add_shape(Shape::point())?;
/// let ray = scene.push(Body::new(point, [0.0, 0.0]).with_velocity([10.0, 0.0]))?;
/// let line = way.add_shape(Shape::capsule(10.0, 0.0)?)?;
/// way.push(Body::new(line, [5.0, 0.0]).with_rotation([core::f64::consts::FRAC_PI_2]))?;
/// let on_it = between::<f64, _, _>(&way.columns(), &scene.columns(), 1e-9, u64::MAX)?;
/// let pairs: Vec<_> = on_it.iter().filter(|row| row.b != ray).map(|row| [ray, row.b]).collect();
/// assert_eq!(pairs.len(), 2);
/// let casts = cast(&scene.columns(), &pairs, Motion::lasting(1.0))?;
/// let hits = casts.iter().filter(|cast| cast.status == CastStatus::Hit);
/// assert_eq!(hits.map(|hit| hit.b).collect::<Vec<_>>(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the duration is negative or not finite, the target negative, not finite or beyond 1e15, a pair names a body that
/// does not exist, or the same body twice.
pub fn cast<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    motion: Motion,
) -> Result<Vec<Cast<S>>, CastError> {
    let mut rows = Vec::new();
    cast_into(bodies, pairs, motion, &mut rows)?;
    Ok(rows)
}

/// Finds when the bodies of each pair first come as near as the target, as [`cast`] does, into memory that the caller
/// keeps: `rows` is replaced.
///
/// # Errors
/// As of [`cast`]; `rows` is then left as it was.
pub fn cast_into<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pairs: &[[u32; 2]],
    motion: Motion,
    rows: &mut Vec<Cast<S>>,
) -> Result<(), CastError> {
    Narrowphase::<S>::new().cast(bodies, pairs, motion, rows)
}
