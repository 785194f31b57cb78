//! Queries about pairs that the caller names, repeated with the same memory: for callers with a broadphase of their
//! own.

use jostle_narrowphase::{
    Cast, CastScratch, Dimension, Motion, Precision, Proximity, Records, Scratch, Side, Source, Templates,
    WithinScratch,
};
use jostle_shape::{BodySet, Columns, CustomShape, is_length};
use jostle_tasks::{self as tasks, Pool};

use crate::check;
use crate::error::{CastError, PairError, WithinError};
use crate::weight;

/// Answers queries about pairs that the caller names, frame after frame, keeping its memory: the answers of
/// [`distance()`](crate::distance()), [`within`](crate::within) and [`cast()`](crate::cast()), bit for bit, without
/// allocating once it is warm. For a broadphase of your own, and for batches of a few pairs, where memory is most of
/// the cost.
///
/// `S` is the plane or space, `T` the precision of the answers.
///
/// ```
/// use jostle::{Bodies, Body, D2, Narrowphase, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in 0..10 {
///     bodies.push(Body::new(disc, [1.5 * f64::from(x), 0.0]))?;
/// }
/// let neighbours: Vec<[u32; 2]> = (1..10).map(|b| [b - 1, b]).collect(); // what your grid found
/// let (mut narrowphase, mut rows) = (Narrowphase::<D2>::new(), Vec::new());
/// for frame in 0..20_u8 {
///     let y = 0.05 * f64::from(frame);
///     bodies.set(9, Body::new(disc, [13.5 - y, 0.0]))?;
///     narrowphase.distance(&bodies.columns(), &neighbours, &mut rows)?;
///     assert!((f64::from(rows[8].distance) - (0.5 - y)).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Narrowphase<S: Dimension, T: Precision = f32> {
    records: Records<S, T>,
    distances: Pool<Scratch<S, T>>,
    /// Yes-or-no questions are proved in `f32`, whatever the precision of answers.
    singles: Records<S, f32>,
    limits: Pool<WithinScratch<S, T>>,
    /// Times of impact are `f64`.
    doubles: Records<S, f64>,
    casts: Pool<CastScratch<S>>,
}

impl<S: Dimension, T: Precision> Default for Narrowphase<S, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Dimension, T: Precision> Narrowphase<S, T> {
    /// A narrowphase that has no memory yet.
    pub fn new() -> Self {
        Self {
            records: Records::default(),
            distances: Pool::default(),
            singles: Records::default(),
            limits: Pool::default(),
            doubles: Records::default(),
            casts: Pool::default(),
        }
    }

    /// Computes the signed distance, normal, witness points and bounds of each pair, in the order given, as
    /// [`distance()`](crate::distance()) does; `rows` is resized. Runs on the rayon pool it is called from.
    ///
    /// # Errors
    /// If a pair names a body that does not exist, or the same body twice; `rows` is then left as it was.
    pub fn distance<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        pairs: &[[u32; 2]],
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<(), PairError> {
        tasks::run(weight::of_pairs(bodies, pairs.len()), || {
            check::pairs(bodies, pairs)?;
            let source = source(bodies, pairs.len(), &mut self.records, Records::make_for_distances);
            jostle_narrowphase::solve(bodies, source, pairs, rows, &self.distances);
            Ok(())
        })
    }

    /// Finds whether the distance of each pair is below, at or above `limit` (metres), in the order given; `sides` is
    /// resized. [`Boundary::counts`](crate::Boundary::counts) turns a side into the yes or no of
    /// [`within`](crate::within), or with the limit 0 into that of [`overlap`](crate::overlap()).
    ///
    /// ```
    /// use jostle::{Columns, D3, Narrowphase, Rotations, Shape, Side};
    ///
    /// let shapes = [Shape::<D3>::ball(0.5)?];
    /// let position = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.5]];
    /// let bodies = Columns::new(&shapes, &[0; 4], &position, Rotations::Identity)?;
    /// let mut sides = Vec::new();
    /// Narrowphase::<D3>::new().within(&bodies, &[[0, 1], [0, 2], [0, 3]], 1.0, &mut sides)?;
    /// assert_eq!(sides, [Side::At, Side::Beyond, Side::Within]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the limit is negative, not finite or beyond 1e15, a pair names a body that does not exist, or the same body
    /// twice; `sides` is then left as it was.
    pub fn within<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        pairs: &[[u32; 2]],
        limit: f64,
        sides: &mut Vec<Side>,
    ) -> Result<(), WithinError> {
        if !is_length(limit) {
            return Err(WithinError::Limit(limit));
        }
        Ok(self.sides(bodies, pairs, limit, sides)?)
    }

    /// The same with a limit that is known to be valid.
    pub(crate) fn sides<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        pairs: &[[u32; 2]],
        limit: f64,
        sides: &mut Vec<Side>,
    ) -> Result<(), PairError> {
        tasks::run(weight::of_pairs(bodies, pairs.len()), || {
            check::pairs(bodies, pairs)?;
            let source = source(bodies, pairs.len(), &mut self.singles, Records::make_for_distances);
            jostle_narrowphase::within(bodies, source, pairs, limit, sides, &self.limits);
            Ok(())
        })
    }

    /// Finds the time of impact of each pair, in the order given, as [`cast()`](crate::cast()) does; `rows` is resized.
    ///
    /// ```
    /// use jostle::{CastStatus, Columns, D2, Motion, Narrowphase, Rotations, Shape};
    ///
    /// let shapes = [Shape::<D2>::ball(0.5)?];
    /// let (position, velocity) = ([[0.0, 0.0], [5.0, 0.0]], [[2.0, 0.0], [0.0, 0.0]]);
    /// let bodies = Columns::new(&shapes, &[0, 0], &position, Rotations::Identity)?.with_velocities(&velocity)?;
    /// let mut rows = Vec::new();
    /// Narrowphase::<D2>::new().cast(&bodies, &[[0, 1]], Motion::lasting(10.0), &mut rows)?;
    /// assert_eq!(rows[0].status, CastStatus::Hit);
    /// assert!(rows[0].time <= 2.0 && rows[0].time > 2.0 - 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the duration is negative or not finite, the target negative, not finite or beyond 1e15, a pair names a body
    /// that does not exist, or the same body twice; `rows` is then left as it was.
    pub fn cast<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        pairs: &[[u32; 2]],
        motion: Motion,
        rows: &mut Vec<Cast<S>>,
    ) -> Result<(), CastError> {
        tasks::run(weight::of_casts(bodies, pairs.len()), || {
            check::motion(motion)?;
            check::pairs(bodies, pairs)?;
            let source = source(bodies, pairs.len(), &mut self.doubles, Records::make_for_distances);
            jostle_narrowphase::cast(bodies, source, pairs, motion, rows, &self.casts);
            Ok(())
        })
    }
}

/// Where the records of the bodies of `pairs` pairs come from: `make` makes all that the query needs where bodies occur
/// in more than one pair, and templates are made where that is less work than to look at the shape of every body by
/// itself.
pub(crate) fn source<'r, S: Dimension, T: Precision, P: BodySet<S>>(
    bodies: &P,
    pairs: usize,
    records: &'r mut Records<S, T>,
    make: impl Fn(&mut Records<S, T>, &P),
) -> Source<'r, S, T> {
    source_of(bodies, pairs, Templates::<S, T>::worth_making(pairs, bodies.shape_count()), records, make)
}

/// The same where it is known whether templates are worth making.
pub(crate) fn source_of<'r, S: Dimension, T: Precision, P: BodySet<S>>(
    bodies: &P,
    pairs: usize,
    templates: bool,
    records: &'r mut Records<S, T>,
    make: impl Fn(&mut Records<S, T>, &P),
) -> Source<'r, S, T> {
    if pairs > bodies.count() {
        make(records, bodies);
        records.source()
    } else if templates {
        records.make_templates(bodies);
        records.template_source()
    } else {
        Source::OnDemand
    }
}
