//! Shape casts through a scene: the first hit of each moving body.

use jostle_narrowphase::{Cast, Dimension, Motion, Precision, Records};
use jostle_shape::{Columns, CustomShape, TwoSets};
use jostle_tasks as tasks;

use super::sweep::{Sweeps, Ways};
use super::{BLOCK, QueryBuffers, SceneIndex, USUAL};
use crate::bounds::BoxFrame;
use crate::check;
use crate::error::CastError;
use crate::sets::{PairPredicate, ProbeFilter};
use crate::weight;

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// Casts shapes through the scene: finds the first hit of each body of `moving` in the time given. All bodies,
    /// those of the scene included, move in straight lines with their velocities and do not turn. `hits` is replaced by
    /// an entry for each body of `moving`, `None` where there is no hit. `a` is an index into `moving`, `b` into the
    /// scene. A ray is a ball of radius 0 that moves.
    ///
    /// An entry is the row of [`cast()`](crate::cast()), bit for bit, whose time is the least, among the pairs whose
    /// filters let them meet; of equal times the one with the lowest `b`. A body that is nearer than the target before
    /// it moves is met at time 0 ([`CastStatus::Start`](crate::CastStatus::Start)). An entry that is
    /// [`Unconverged`](crate::CastStatus::Unconverged), as an invalid support map may cause, says that nothing is met
    /// before its time.
    ///
    /// Only what the swept box overlaps is looked at, up to the first hit. Where the scene's bodies move, the boxes of
    /// those whose velocity is not that of most grow by how far the difference takes them in the time given. (For
    /// queries at one moment: [`ray`](Self::ray), or an index of bodies [at rest](Columns::at_rest).)
    ///
    /// # Errors
    /// If the duration is negative or not finite, the target negative, not finite or beyond 1e15, a custom shape's
    /// bounds are NaN, or there are more bodies or shapes in both sets than one scene holds; `hits` is
    /// then left as it was.
    pub fn cast(
        &self,
        moving: &Columns<'_, S, U>,
        motion: Motion,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        self.find_hits(moving, motion, None, hits)
    }

    /// Finds the first hits as [`cast`](Self::cast) does, except that `a` passes through every `b` for which the
    /// predicate `wanted(a, b)` does not hold. The predicate is called for candidate pairs, before they are cast, from
    /// several threads at once. It may query this index, and has to answer the same for the same pair.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Motion, SceneIndex, Shape};
    ///
    /// let mut crowd = Bodies::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for x in 0..10 {
    ///     crowd.push(Body::new(walker, [f64::from(x), 0.0]))?;
    /// }
    /// let (index, mut hits) = (SceneIndex::<D2>::new(&crowd.columns())?, Vec::new());
    /// // What would each walk into within two seconds, if the others stood still?
    /// let velocities = [[1.0, 0.0]; 10];
    /// let walkers = crowd.columns().with_velocities(&velocities)?;
    /// index.cast_where(&walkers, Motion::lasting(2.0), &|a, b| a != b, &mut hits)?;
    /// let first = hits[0].expect("the next one");
    /// assert!(first.b == 1 && (first.time - 0.5).abs() < 1e-9);
    /// assert_eq!(hits[9], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`cast`](Self::cast).
    pub fn cast_where(
        &self,
        moving: &Columns<'_, S, U>,
        motion: Motion,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        self.find_hits(moving, motion, Some(wanted), hits)
    }

    fn find_hits(
        &self,
        moving: &Columns<'_, S, U>,
        motion: Motion,
        wanted: PairPredicate<'_>,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        tasks::run(weight::of_probes(&self.scene(), moving.len()), || {
            check::motion(motion)?;
            let (scene, ways) = (self.scene(), Ways::<S> { drift: &self.drift, duration: motion.duration });
            self.buffers.with(|buffers| {
                let boxes = BoxFrame::for_whole_margin(self.origin, motion.target);
                buffers.bound(moving, boxes, |body| ways.rounding(moving.velocity(body)))?;
                let QueryBuffers { bounds, doubles, .. } = buffers;
                let (tree, filter) = (&self.tree, ProbeFilter::new(&scene, moving, wanted));
                let bodies = &TwoSets::new(scene, *moving)?;
                let source = doubles.source(self.state, bodies, moving.len() * USUAL, Records::make_for_distances);
                let sweeps = Sweeps { bodies, filter, tree, drift: &self.drift, source, motion, casts: &self.casts };
                hits.clear();
                hits.resize(moving.len(), None);
                tasks::for_each_few(hits, BLOCK, |block, hits| {
                    self.sweeps.with(|worker| {
                        let first = block * BLOCK;
                        let travellers = (first..).map(|body| ways.traveller(moving.velocity(body), bounds.get(body)));
                        sweeps.first_hits(first, travellers, hits, worker);
                    });
                });
                Ok(())
            })
        })
    }
}
