//! Two sets of bodies against each other: agents against scenery, owned bodies against ghosts, probes against a scene.
//!
//! For near pairs both sets are copied into one scene for the time of the query, the second behind the first, in layers
//! of the broadphase that are kept apart: pairs within a set are never found. Of a set much larger than the other, only
//! what might be near is copied (`vicinity.rs`); sets that are crowded in themselves are not swept (`crossing.rs`). The
//! nearest few are found by a [`SceneIndex`] that is built for the one query.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::{Columns, CustomShape};

use crate::clock::Moment;
use crate::engine::Engine;
use crate::error::ContactsError;
use crate::neighbours::Neighbours;
use crate::report::Report;
use crate::scene_index::SceneIndex;
use crate::sets::together;

/// Finds all pairs of a body of `first` and one of `second` whose distance is at most `margin` (metres): `a` is an
/// index into `first`, `b` into `second`; ordered by `a`, then by `b`. More than `limit` rows are an error.
///
/// [`Filters`](crate::Filters) hold as within one set: a static body of one does not meet a static body of the other,
/// and bodies of equal parent do not meet, whichever set they are of.
///
/// ```
/// use jostle::{Bodies, Body, D2, Shape, between};
///
/// let disc = Shape::<D2>::ball(0.25)?;
/// let (mut people, mut walls) = (Bodies::new(), Bodies::new());
/// people.add_shape(disc)?;
/// walls.add_shape(Shape::cuboid([10.0, 0.1])?)?;
/// people.push(Body::new(0, [0.0, 0.5]))?;
/// people.push(Body::new(0, [0.3, 0.5]))?; // near the other person: a pair within a set, not a row
/// walls.push(Body::new(0, [0.0, 0.0]).fixed())?;
/// let rows = between::<f64, _, _>(&people.columns(), &walls.columns(), 0.5, u64::MAX)?;
/// assert_eq!(rows.iter().map(|row| (row.a, row.b)).collect::<Vec<_>>(), [(0, 0), (1, 0)]);
/// assert!((rows[0].distance - 0.15).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the margin is negative, not finite or beyond 1e15, there are more rows than `limit`, more bodies or shapes in
/// both sets than one scene holds, or a custom shape's bounds are NaN or inverted. Errors number bodies of `second`
/// after those of `first`.
///
/// For a query in every frame use [`Engine::contacts_between`], which keeps its memory.
pub fn between<T: Precision, S: Dimension, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
    margin: f64,
    limit: u64,
) -> Result<Vec<Proximity<S, T>>, ContactsError> {
    let (mut engine, mut rows) = (Engine::new(), Vec::new());
    engine.set_limit(limit);
    engine.contacts_between(first, second, margin, &mut rows)?;
    Ok(rows)
}

impl<S: Dimension, T: Precision> Engine<S, T> {
    /// Finds the rows of [`between()`], in place of those that are in `rows` (none if the query is refused): for
    /// repeated queries, as the engine keeps its memory.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Engine, Shape};
    ///
    /// let (mut people, mut walls) = (Bodies::<D2>::new(), Bodies::new());
    /// people.add_shape(Shape::ball(0.25)?)?;
    /// walls.add_shape(Shape::cuboid([10.0, 0.1])?)?;
    /// people.push(Body::new(0, [0.0, 1.0]))?;
    /// walls.push(Body::new(0, [0.0, 0.0]).fixed())?;
    /// let (mut engine, mut rows) = (Engine::<D2>::new(), Vec::new());
    /// let mut near = Vec::new();
    /// for y in [1.0, 0.75, 0.5] {
    ///     people.set_positions(&[[0.0, y]])?;
    ///     engine.contacts_between(&people.columns(), &walls.columns(), 0.25, &mut rows)?;
    ///     near.push(rows.len());
    /// }
    /// assert_eq!(near, [0, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`between()`], with [`Engine::set_limit`] for its limit.
    pub fn contacts_between<U: CustomShape<S>>(
        &mut self,
        first: &Columns<'_, S, U>,
        second: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        rows.clear();
        let start = Moment::now();
        let first_is_small = first.len() <= second.len();
        let (few, many) = if first_is_small { (first, second) } else { (second, first) };
        if !self.vicinity.choose(few, many, margin) {
            return self.contacts_across(first, second, margin, rows);
        }
        let bounds = start.elapsed();
        let mut vicinity = core::mem::take(&mut self.vicinity);
        let near = vicinity.columns(many)?;
        let (first_near, second_near) = if first_is_small { (first, &near) } else { (&near, second) };
        let report = self.contacts_across(first_near, second_near, margin, rows);
        for row in rows {
            let body = if first_is_small { &mut row.b } else { &mut row.a };
            *body = vicinity.near()[*body as usize];
        }
        self.vicinity = vicinity;
        let report = report?;
        Ok(Report { bodies: first.len() + second.len(), bounds: bounds + report.bounds, ..report })
    }

    /// The same, all bodies being looked at.
    fn contacts_across<U: CustomShape<S>>(
        &mut self,
        first: &Columns<'_, S, U>,
        second: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<Report, ContactsError> {
        let both = together(first, second)?;
        let border = first.len();
        let report = self.contacts_of(&both.columns(), Some(border), margin, &|_, _| true, rows);
        if report.is_err() {
            rows.clear();
        }
        for row in rows {
            row.b -= border as u32;
        }
        report
    }
}

/// Finds, for each of the `agents`, the `k` nearest of the `bodies` that it meets, as [`nearest`](crate::nearest())
/// does within one set: for points (balls of radius 0), boxes or anything else that does not belong to the scene.
/// `neighbours` is replaced; its lists are those of the agents, in their order. A [`SceneIndex`] of `bodies` is built
/// in each call: for many queries of one scene, keep one.
///
/// ```
/// use jostle::{Bodies, Body, D2, Neighbours, Shape, nearest_between};
///
/// let (mut people, mut asked) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// let disc = people.add_shape(Shape::ball(0.25)?)?;
/// for x in 0..1000 {
///     people.push(Body::new(disc, [f64::from(x), 0.0]))?;
/// }
/// let point = asked.add_shape(Shape::point())?;
/// let hall = asked.add_shape(Shape::cuboid([2.0, 2.0])?)?;
/// asked.push(Body::new(point, [7.25, 3.0]))?;
/// asked.push(Body::new(hall, [500.0, 0.0]))?;
/// let mut neighbours = Neighbours::<D2, f64>::default();
/// nearest_between(&asked.columns(), &people.columns(), 3, &mut neighbours)?;
/// assert_eq!(neighbours.of(0).iter().map(|near| near.body).collect::<Vec<_>>(), [7, 8, 6]);
/// assert_eq!(neighbours.of(1)[0].distance, -2.25); // body 500 would have to move that far to be outside
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than `u32::MAX` neighbours in all, more bodies or shapes in both sets than one scene holds, or a
/// custom shape's bounds are NaN or inverted.
pub fn nearest_between<T: Precision, S: Dimension, U: CustomShape<S>>(
    agents: &Columns<'_, S, U>,
    bodies: &Columns<'_, S, U>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    SceneIndex::new(bodies)?.nearest(agents, k, neighbours)
}
