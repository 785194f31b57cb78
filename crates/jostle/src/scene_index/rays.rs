//! Rays: points that move through a scene at rest. Each ray is a search of its own, and a body it meets is cast against
//! at once, the nearest first: a closed form answers in less time than it takes to collect pairs for lanes.

use jostle_narrowphase::{Cast, CastScratch, Dimension, Motion, Precision, Source, cast_one};
use jostle_shape::{BodySet, Columns, CustomShape, Rotations, Shape, TwoSets};
use jostle_tasks as tasks;

use super::search::{SweptSearch, Traveller};
use super::sweep::{is_first, rounding_of, share_of};
use super::{BLOCK, SceneIndex};
use crate::bounds::below;
use crate::check;
use crate::error::CastError;
use crate::sets::{PairPredicate, ProbeFilter};
use crate::weight;

/// A ray covers its whole way in one second.
const SECOND: Motion = Motion { duration: 1.0, target: 0.0 };

/// Rays as columns of moving points.
pub struct Points<S: Dimension> {
    shape: Vec<u32>,
    from: Vec<S::Array<f64>>,
    ways: Vec<S::Array<f64>>,
}

impl<S: Dimension> Default for Points<S> {
    fn default() -> Self {
        Self { shape: Vec::new(), from: Vec::new(), ways: Vec::new() }
    }
}

impl<S: Dimension> Points<S> {
    fn set(&mut self, rays: &[[S::Array<f64>; 2]]) {
        let Self { shape, from, ways } = self;
        shape.resize(rays.len(), 0);
        for (column, end) in [(from, 0), (ways, 1)] {
            column.clear();
            column.extend(rays.iter().map(|ray| ray[end]));
        }
    }
}

/// Buffers that a task needs.
pub struct RayWorker<S: Dimension> {
    search: SweptSearch,
    /// Bodies whose boxes are met, each with the fraction of the way after which it is.
    met: Vec<(f32, u32)>,
    scratch: CastScratch<S>,
}

impl<S: Dimension> Default for RayWorker<S> {
    fn default() -> Self {
        Self { search: SweptSearch::default(), met: Vec::new(), scratch: CastScratch::default() }
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// Casts a ray from `from` to `from + way` (metres, world frame) and returns the first hit, if there is one. `time`
    /// is the fraction of the way, from 0 to 1: the hit is `time * |way|` metres along the ray (along a unit vector the
    /// ray is one metre long). `a` is 0, and the surface's outward normal the opposite of the row's, which points from
    /// `a`, the ray, to `b`. The ray meets all bodies but those whose group or mask is 0. Where it begins in a body,
    /// the status is [`Start`](crate::CastStatus::Start). It is the [`cast`](Self::cast) of a point that covers that
    /// way in a second, except that the scene is taken to be at rest, whatever velocities its bodies have.
    ///
    /// ```
    /// use jostle::{Bodies, Body, CastStatus, D3, SceneIndex, Shape};
    ///
    /// let mut forest = Bodies::<D3>::new();
    /// let tree = forest.add_shape(Shape::cylinder(2.0, 0.5)?)?;
    /// for x in 0..100 {
    ///     forest.push(Body::new(tree, [8.0 * f64::from(x), 2.0, 0.0]).fixed())?;
    /// }
    /// let index = SceneIndex::<D3>::new(&forest.columns())?;
    /// let hit = index.ray([20.0, 1.0, -4.0], [8.0, 0.0, 8.0])?.expect("a tree");
    /// assert_eq!((hit.b, hit.status), (3, CastStatus::Hit));
    /// assert!((hit.time - (4.0 - 0.125_f64.sqrt()) / 8.0).abs() < 1e-9);
    /// assert!(index.ray([20.0, 9.0, -4.0], [8.0, 0.0, 8.0])?.is_none()); // over the tops
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a number of `from` or of `way` is not finite or beyond 1e15, or the scene has as many bodies or shapes
    /// as one scene holds.
    pub fn ray(&self, from: S::Array<f64>, way: S::Array<f64>) -> Result<Option<Cast<S>>, CastError> {
        self.find_hit(from, way, None)
    }

    /// Casts a [`ray`](Self::ray) that passes through every body of the scene for which `wanted` does not hold.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, SceneIndex, Shape};
    ///
    /// let mut crowd = Bodies::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for x in 0..10 {
    ///     crowd.push(Body::new(walker, [f64::from(x), 0.0]))?;
    /// }
    /// let index = SceneIndex::<D2>::new(&crowd.columns())?;
    /// // What does the fourth walker see? The ray begins in its own outline.
    /// let seen = index.ray_where([3.0, 0.0], [50.0, 0.0], &|b| b != 3)?;
    /// assert_eq!(seen.map(|hit| hit.b), Some(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`ray`](Self::ray).
    pub fn ray_where(
        &self,
        from: S::Array<f64>,
        way: S::Array<f64>,
        wanted: &(impl Fn(u32) -> bool + Sync),
    ) -> Result<Option<Cast<S>>, CastError> {
        self.find_hit(from, way, Some(&|_, body| wanted(body)))
    }

    /// Casts many rays at once, in parallel, each given as `[from, way]`. `hits` is replaced by an entry for each, as
    /// [`ray`](Self::ray) gives it, except that `a` is the ray's index.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, SceneIndex, Shape};
    ///
    /// let mut hall = Bodies::<D2>::new();
    /// let pillar = hall.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..10 {
    ///     hall.push(Body::new(pillar, [4.0 * f64::from(x), 0.0]))?;
    /// }
    /// let (index, mut hits) = (SceneIndex::<D2>::new(&hall.columns())?, Vec::new());
    /// let scan: Vec<[[f64; 2]; 2]> = (0..20).map(|x| [[2.0 * f64::from(x), 2.0], [0.0, -8.0]]).collect();
    /// index.rays(&scan, &mut hits)?;
    /// assert!(hits.iter().skip(1).step_by(2).all(Option::is_none));
    /// let hit = hits[6].expect("the fourth pillar");
    /// assert!((hit.a, hit.b) == (6, 3) && (8.0 * hit.time - 1.5).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`ray`](Self::ray), naming the ray; `hits` is then left as it was.
    pub fn rays(&self, rays: &[[S::Array<f64>; 2]], hits: &mut Vec<Option<Cast<S>>>) -> Result<(), CastError> {
        self.find_all(rays, None, hits)
    }

    /// Casts many [`rays`](Self::rays), of which ray `a` passes through every body `b` of the scene for which
    /// `wanted(a, b)` does not hold.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, SceneIndex, Shape};
    ///
    /// let mut crowd = Bodies::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for x in 0..10 {
    ///     crowd.push(Body::new(walker, [f64::from(x), 0.0]))?;
    /// }
    /// let (index, mut hits) = (SceneIndex::<D2>::new(&crowd.columns())?, Vec::new());
    /// // What does each walker see ahead?
    /// let rays: Vec<_> = crowd.positions().iter().map(|&place| [place, [50.0, 0.0]]).collect();
    /// index.rays_where(&rays, &|a, b| a != b, &mut hits)?;
    /// assert_eq!((hits[3].map(|hit| hit.b), hits[9]), (Some(4), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`rays`](Self::rays).
    pub fn rays_where(
        &self,
        rays: &[[S::Array<f64>; 2]],
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        self.find_all(rays, Some(wanted), hits)
    }

    fn find_all(
        &self,
        rays: &[[S::Array<f64>; 2]],
        wanted: PairPredicate<'_>,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        tasks::run(weight::of_probes(&self.scene(), rays.len()), || {
            rays.iter().enumerate().try_for_each(|(ray, way)| check::ray::<S>(ray, way))?;
            self.points.with(|points| {
                points.set(rays);
                let Points { shape, from, ways } = points;
                let shapes = [Shape::point()];
                let points = Columns::new(&shapes, shape, from, Rotations::Identity)?.with_velocities(ways)?;
                let scene = self.scene().at_rest();
                let (bodies, filter) = (TwoSets::new(scene, points)?, ProbeFilter::new(&scene, &points, wanted));
                hits.clear();
                hits.resize(rays.len(), None);
                tasks::for_each_few(hits, BLOCK, |block, hits| {
                    self.rays.with(|worker| {
                        for (ray, hit) in (block * BLOCK..).zip(hits) {
                            *hit = self.first_hit(&bodies, &filter, ray, worker);
                        }
                    });
                });
                Ok(())
            })
        })
    }

    fn find_hit(
        &self,
        from: S::Array<f64>,
        way: S::Array<f64>,
        wanted: PairPredicate<'_>,
    ) -> Result<Option<Cast<S>>, CastError> {
        check::ray::<S>(0, &[from, way])?;
        let (shapes, positions, velocities) = ([Shape::point()], [from], [way]);
        let point = Columns::new(&shapes, &[0], &positions, Rotations::Identity)?.with_velocities(&velocities)?;
        let scene = self.scene().at_rest();
        let (bodies, filter) = (TwoSets::new(scene, point)?, ProbeFilter::new(&scene, &point, wanted));
        Ok(self.rays.with(|worker| self.first_hit(&bodies, &filter, 0, worker)))
    }

    /// The first hit of a ray, which is the point of that number behind the scene's bodies.
    fn first_hit(
        &self,
        bodies: &TwoSets<'_, S, U>,
        filter: &ProbeFilter<'_>,
        ray: usize,
        worker: &mut RayWorker<S>,
    ) -> Option<Cast<S>> {
        let RayWorker { search, met, scratch } = worker;
        let agent = filter.border + ray as u32;
        let (from, way) = (bodies.position(agent as usize), bodies.velocity(agent as usize));
        let room = rounding_of(way.as_ref().iter().copied());
        let lower = S::array(|k| below((from[k] - self.origin[k]) - room));
        let upper = S::array(|k| -below((self.origin[k] - from[k]) - room));
        let mut traveller = Traveller::standing::<S>((lower, upper));
        for (axis, &way) in way.as_ref().iter().enumerate() {
            traveller.go(axis, way);
        }
        search.begin(traveller, &self.tree);
        let (mut hit, mut latest): (Option<Cast<S>>, f32) = (None, 1.0);
        loop {
            met.clear();
            search.advance::<S>((&self.tree, None), latest, 1, |body, at| met.push((at, body)));
            if met.is_empty() {
                return hit.map(|hit| Cast { a: ray as u32, ..hit });
            }
            met.sort_unstable_by(|(at, _), (later, _)| at.total_cmp(later));
            for &(at, body) in &*met {
                if at > latest {
                    break;
                }
                if !filter.holds(agent, body) {
                    continue;
                }
                let row = cast_one(bodies, Source::OnDemand, [agent, body], SECOND, scratch);
                if is_first(&row, hit.as_ref()) {
                    (hit, latest) = (Some(row), share_of(row.time, SECOND.duration));
                }
            }
        }
    }
}
