//! Near pairs with bodies of a scene: boxes that overlap are found in the tree, and their pairs solved in lanes.

use jostle_narrowphase::{
    Dimension, PAIRS_PER_RESCUE, Precision, Proximity, Records, Scratch, Source, solve_pairs_within,
};
use jostle_shape::{Columns, CustomShape, TwoSets};
use jostle_tasks as tasks;

use super::{BLOCK, QueryBuffers, SceneIndex, USUAL};
use crate::bounds::{self, BoxFrame};
use crate::error::ContactsError;
use crate::near::Near;
use crate::rows::RowBuffer;
use crate::sets::{PairPredicate, ProbeFilter};
use crate::tree_search::OverlapSearch;
use crate::weight;

/// Buffers that a task needs.
pub struct ContactWorker<S: Dimension, T: Precision> {
    search: OverlapSearch,
    met: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    rows: RowBuffer<Proximity<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for ContactWorker<S, T> {
    fn default() -> Self {
        let (search, scratch) = (OverlapSearch::default(), Scratch::default());
        Self { search, met: Vec::new(), pairs: Vec::new(), rows: RowBuffer::default(), scratch }
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// All pairs of a body of `probes` and one of the scene that meet and whose signed distance is at most `margin`
    /// (metres): `a` is an index into `probes`, `b` into the scene; ordered by `a`, then by `b`. `rows` is replaced.
    /// These are the rows of [`between`](crate::between()), bit for bit, which is the better choice for a single query,
    /// or where there are as many query bodies as bodies in the scene.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, a custom shape's bounds are NaN or inverted, or there
    /// are more bodies or shapes in both sets than one scene holds; `rows` is then left as it was.
    pub fn contacts(
        &self,
        probes: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<(), ContactsError> {
        self.find_contacts(probes, margin, None, rows)
    }

    /// The rows of [`contacts`](Self::contacts) for whose pair the predicate `wanted(a, b)` holds. The predicate is
    /// called for candidate pairs, before their distance is computed, from several threads at once. It may query this
    /// index, and has to answer the same for the same pair.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, SceneIndex, Shape};
    ///
    /// let mut crowd = Bodies::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for x in 0..10 {
    ///     crowd.push(Body::new(walker, [f64::from(x), 0.0]))?;
    /// }
    /// let (index, mut rows) = (SceneIndex::<D2>::new(&crowd.columns())?, Vec::new());
    /// // The query bodies are those of the scene: each is near its neighbours, not near itself.
    /// index.contacts_where(&crowd.columns(), 0.5, &|a, b| a != b, &mut rows)?;
    /// assert_eq!(rows.len(), 18);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts).
    pub fn contacts_where(
        &self,
        probes: &Columns<'_, S, U>,
        margin: f64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<(), ContactsError> {
        self.find_contacts(probes, margin, Some(wanted), rows)
    }

    fn find_contacts(
        &self,
        probes: &Columns<'_, S, U>,
        margin: f64,
        wanted: PairPredicate<'_>,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<(), ContactsError> {
        tasks::run(weight::of_probes(&self.scene(), probes.len()), || {
            bounds::check_margin(margin)?;
            self.buffers.with(|buffers| {
                buffers.bound(probes, BoxFrame::for_whole_margin(self.origin, margin), |_| 0.0)?;
                let QueryBuffers { bounds, records, singles, parts, .. } = buffers;
                let scene = self.scene();
                let (tree, filter, near) = (&self.tree, ProbeFilter::new(&scene, probes, wanted), Near::new(margin));
                let bodies = &TwoSets::new(scene, *probes)?;
                let pairs = probes.len() * USUAL;
                let source = records.source(self.state, bodies, pairs, Records::make_for_distances);
                let planes = match source {
                    Source::Templates(templates) if !templates.ask_planes() => None,
                    _ => T::singles(source).or_else(|| Some(singles.source(self.state, bodies, pairs, Records::make))),
                };
                let blocks = probes.len().div_ceil(BLOCK);
                parts.resize_with(parts.len().max(blocks), Vec::new);
                let parts = &mut parts[..blocks];
                tasks::for_each(parts, |block, rows| {
                    self.contacts.with(|worker| {
                        let ContactWorker { search, met, pairs, rows: solved, scratch } = worker;
                        rows.clear();
                        pairs.clear();
                        for place in block * BLOCK..probes.len().min((block + 1) * BLOCK) {
                            let agent = filter.border + place as u32;
                            met.clear();
                            search.all::<S>(tree, bounds.get(place), |body| met.push(body));
                            met.sort_unstable();
                            let met = met.iter().filter(|&&body| filter.holds(agent, body));
                            pairs.extend(met.map(|&body| [agent, body]));
                        }
                        for pairs in pairs.chunks(PAIRS_PER_RESCUE) {
                            solved.clear();
                            solved.put(pairs.len(), |room| {
                                solve_pairs_within(bodies, source, planes, pairs, near.limit(), room, scratch)[0]
                            });
                            let near = solved.iter().filter(|row| near.holds(row.distance));
                            rows.extend(near.map(|row| Proximity { a: row.a - filter.border, ..*row }));
                        }
                    });
                });
                rows.clear();
                rows.reserve(parts.iter().map(Vec::len).sum());
                for part in parts {
                    rows.extend_from_slice(part);
                }
                Ok(())
            })
        })
    }
}
