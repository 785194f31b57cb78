//! The nearest bodies of a scene, however far away: the walk of [`nearest`](crate::nearest()) through the scene's tree.

use jostle_narrowphase::{Dimension, Precision, Records};
use jostle_shape::{Columns, CustomShape, TwoSets};
use jostle_tasks as tasks;

use super::{QueryBuffers, SceneIndex};
use crate::error::ContactsError;
use crate::nearest::{Scene, Who};
use crate::neighbours::Neighbours;
use crate::packs::PACK;
use crate::sets::{PairPredicate, ProbeFilter};
use crate::weight;

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// Finds the `k` nearest bodies of the scene for each body of `probes`, among those that it meets, however far, as
    /// [`nearest_between`](crate::nearest_between) does, bit for bit: nearest first, equally near ones by their
    /// indices. `neighbours` is replaced.
    ///
    /// # Errors
    /// If there are more than `u32::MAX` neighbours in all, more bodies or shapes in both sets than one scene holds, or
    /// a custom shape's bounds are NaN or inverted; `neighbours` is then left as it was.
    pub fn nearest(
        &self,
        probes: &Columns<'_, S, U>,
        k: usize,
        neighbours: &mut Neighbours<S, T>,
    ) -> Result<(), ContactsError> {
        self.find_nearest(probes, k, None, neighbours)
    }

    /// Finds the `k` nearest, as [`nearest`](Self::nearest) does, among those for which the predicate `wanted(a, b)`
    /// holds, `a` an index into `probes`, `b` into the scene. The predicate is called for candidate pairs, before their
    /// distance is computed, from several threads at once, and up to three times for the same pair, for which it has to
    /// answer the same. It may query this index.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Neighbours, SceneIndex, Shape};
    ///
    /// let mut crowd = Bodies::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for x in 0..10 {
    ///     crowd.push(Body::new(walker, [f64::from(x * x), 0.0]))?;
    /// }
    /// let (index, mut neighbours) = (SceneIndex::<D2>::new(&crowd.columns())?, Neighbours::default());
    /// // What is nearest to the fourth and the fifth of the scene, themselves excluded?
    /// let asking = [3, 4];
    /// let mut agents = Bodies::<D2>::new();
    /// agents.add_shape(crowd.shapes()[0].clone())?;
    /// for body in asking {
    ///     agents.push(Body::new(0, crowd.columns().positions()[body]))?;
    /// }
    /// index.nearest_where(&agents.columns(), 1, &|a, b| asking[a as usize] != b as usize, &mut neighbours)?;
    /// assert_eq!((neighbours.of(0)[0].body, neighbours.of(1)[0].body), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`nearest`](Self::nearest).
    pub fn nearest_where(
        &self,
        probes: &Columns<'_, S, U>,
        k: usize,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        neighbours: &mut Neighbours<S, T>,
    ) -> Result<(), ContactsError> {
        self.find_nearest(probes, k, Some(wanted), neighbours)
    }

    fn find_nearest(
        &self,
        probes: &Columns<'_, S, U>,
        k: usize,
        wanted: PairPredicate<'_>,
        neighbours: &mut Neighbours<S, T>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_probes(&self.scene(), probes.len()), || {
            self.buffers.with(|buffers| {
                let QueryBuffers { packing, packs, records, blocks, .. } = buffers;
                let scene = self.scene();
                let (filter, bodies) = (ProbeFilter::new(&scene, probes, wanted), &TwoSets::new(scene, *probes)?);
                packing.look(probes, self.origin)?.pack(filter.border, packs);
                let pairs = probes.len().saturating_mul(k.saturating_add(PACK));
                let source = records.source(self.state, bodies, pairs, Records::make_for_distances);
                let who = &Who::Behind(filter);
                let scene = Scene { bodies, who, tree: &self.tree, agents: Some(packs), source, k };
                scene.find(&self.neighbours, blocks, neighbours)
            })
        })
    }
}
