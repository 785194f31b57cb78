//! Two sets of bodies against each other: agents against scenery, owned bodies against ghosts, probes against a scene.
//!
//! Both stand in one scene for the time of the query, the second behind the first, and a predicate on indices leaves
//! out pairs within a set before they cost anything but a test of two boxes.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::{Bodies, Body, BodyError, Columns, CustomShape, ShapeError};

use crate::engine::Engine;
use crate::error::ContactsError;

/// All pairs of a body of `first` and one of `second` whose distance is at most `margin`: `a` is an index into `first`,
/// `b` into `second`; ordered by `a`, then by `b`. Filters hold as if all were one scene. At most `limit` rows.
///
/// ```
/// use jostle::{Bodies, Body, D2, Shape, between};
///
/// let disc = Shape::<D2>::ball(0.25)?;
/// let (mut people, mut walls) = (Bodies::new(), Bodies::new());
/// people.add_shape(disc)?;
/// walls.add_shape(Shape::cuboid([10.0, 0.1])?)?;
/// people.push(Body::new(0, [0.0, 0.5]))?;
/// people.push(Body::new(0, [0.3, 0.5]))?; // near the other, which nobody asked
/// walls.push(Body::new(0, [0.0, 0.0]).fixed())?;
/// let rows = between::<f64, _, _>(&people.columns(), &walls.columns(), 0.5, u64::MAX)?;
/// assert_eq!(rows.iter().map(|row| (row.a, row.b)).collect::<Vec<_>>(), [(0, 0), (1, 0)]);
/// assert!((rows[0].distance - 0.15).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the margin is negative, not finite or beyond 1e15, there are more rows than `limit`, or more bodies or shapes in
/// both sets than one scene holds.
pub fn between<T: Precision, S: Dimension, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
    margin: f64,
    limit: u64,
) -> Result<Vec<Proximity<S, T>>, ContactsError> {
    let both = together(first, second)?;
    let border = first.len() as u32;
    let mut rows = Vec::new();
    Engine::new().contacts_where(&both.columns(), margin, limit, &|a, b| a < border && border <= b, &mut rows)?;
    for row in &mut rows {
        row.b -= border;
    }
    Ok(rows)
}

/// Both sets in one scene, the second behind the first.
pub fn together<S: Dimension, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
) -> Result<Bodies<S, U>, ContactsError> {
    let mut both = Bodies::<S, U>::new();
    both.reserve(first.len() + second.len());
    append::<_, _, ContactsError>(&mut both, first)?;
    append::<_, _, ContactsError>(&mut both, second)?;
    Ok(both)
}

/// Puts a set behind bodies that are there, its shapes behind theirs.
pub fn append<S: Dimension, U: CustomShape<S>, E: From<ShapeError> + From<BodyError>>(
    bodies: &mut Bodies<S, U>,
    set: &Columns<'_, S, U>,
) -> Result<(), E> {
    let first_shape = bodies.shapes().len() as u32;
    // Few bodies bring the shapes that they have, not all that there are.
    let few = set.len() < set.shapes().len();
    if !few {
        for shape in set.shapes() {
            bodies.add_shape(shape.clone())?;
        }
    }
    for index in 0..set.len() {
        let shape =
            if few { bodies.add_shape(set.shape(index).clone())? } else { first_shape + set.shape_indices()[index] };
        bodies.push(body(set, index, shape))?;
    }
    Ok(())
}

/// A body of a set, with another number of its shape.
fn body<S: Dimension, U: CustomShape<S>>(set: &Columns<'_, S, U>, index: usize, shape: u32) -> Body<S> {
    let filters = set.filters();
    // A body of its own cannot be absent: without a group and a mask it meets nobody either.
    let bits = |column: &[u32]| {
        if filters.is_absent(index as u32) { 0 } else { column.get(index).copied().unwrap_or(u32::MAX) }
    };
    Body {
        shape,
        position: set.positions()[index],
        turn: set.turns().get(index),
        velocity: set.velocity(index),
        group: bits(filters.group),
        mask: bits(filters.mask),
        parent: filters.parent.get(index).copied().flatten(),
        fixed: filters.fixed.get(index).copied().unwrap_or(false),
    }
}
