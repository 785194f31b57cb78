//! Two sets of bodies against each other where space repeats.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Columns, CustomShape};

use super::engine::PeriodicEngine;
use crate::error::ContactsError;
use crate::lattice::Lattice;
use crate::sets::together;
use crate::shifted::Shifted;

/// Finds all pairs of a body of `first` and an image of one of `second` whose distance is at most `margin` (metres), as
/// [`between`](crate::between()) does, where space repeats: each image its own row, `a` an index into `first`, `b` into
/// `second`; ordered by `a`, `b`, then by image. Filters hold as if all bodies were one scene. More than `limit` rows
/// are an error.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Shape, periodic_between};
///
/// let (mut people, mut bags) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// people.add_shape(Shape::ball(0.25)?)?;
/// bags.add_shape(Shape::cuboid([0.25, 0.125])?)?;
/// people.push(Body::new(0, [0.5, 0.0]))?;
/// people.push(Body::new(0, [9.75, 0.0]))?; // near the other person: a pair within a set, not a row
/// bags.push(Body::new(0, [9.5, 1.0]))?;
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let rows = periodic_between::<f64, _, _>(&people.columns(), &bags.columns(), &ring, 1.0, u64::MAX)?;
/// let found: Vec<_> = rows.iter().map(|row| (row.row.a, row.row.b, row.shift[0])).collect();
/// assert_eq!(found, [(0, 0, -10.0), (1, 0, 0.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`periodic_contacts`](crate::periodic_contacts()), where errors number bodies of `second` after those of `first`;
/// or if there are more bodies or shapes in both sets than one scene holds.
pub fn periodic_between<T: Precision, S: Dimension, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    margin: f64,
    limit: u64,
) -> Result<Vec<Shifted<S, T>>, ContactsError> {
    let both = together(first, second)?;
    let border = first.len() as u32;
    let apart = |a: u32, b: u32| a < border && border <= b;
    let (mut engine, mut rows) = (PeriodicEngine::new(*lattice), Vec::new());
    engine.set_limit(limit);
    engine.contacts_where(&both.columns(), margin, &apart, &mut rows)?;
    for near in &mut rows {
        near.row.b -= border;
    }
    Ok(rows)
}
