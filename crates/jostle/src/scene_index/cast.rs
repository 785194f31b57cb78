//! What of a scene is met first, by bodies that move and by rays.

use jostle_narrowphase::{Cast, Dimension, Motion, Precision, Records};
use jostle_shape::{Columns, CustomShape, Rotations, Shape, TwoSets};
use jostle_tasks as tasks;

use super::sweep::{Sweeps, Ways};
use super::{BLOCK, Question, SceneIndex, USUAL};
use crate::bounds::Boxes;
use crate::check;
use crate::error::CastError;
use crate::narrowphase;
use crate::sets::{Meeting, Wanted};

/// Rays as the columns of points that move.
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

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// Shape casts: the first hit of each body of `moving` in the time given. All bodies, those of the scene included,
    /// move in straight lines with their velocities and do not turn. `hits` is replaced by an entry for each body of
    /// `moving`, `None` where there is no hit. `a` is an index into `moving`, `b` into the scene. A ray is a ball of
    /// radius 0 that moves.
    ///
    /// An entry is the row of [`cast()`](crate::cast()), bit for bit, whose time is the least: of a pair whose filters
    /// let them meet; of equal times the one with the lowest `b`. What is nearer than the target before it moves is met
    /// at time 0 ([`CastStatus::Start`](crate::CastStatus::Start)). An entry that is
    /// [`Unconverged`](crate::CastStatus::Unconverged), as an invalid support map may cause, says that nothing is met
    /// before its time.
    ///
    /// Only what the swept box overlaps is looked at, up to the first hit. Where the scene's bodies move, that box
    /// grows by how far their velocities take them apart in the time given. (For looks at one moment:
    /// [`ray`](Self::ray), or an index of bodies [at rest](Columns::at_rest).)
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

    /// The same where `a` passes through every `b` for which the predicate `wanted(a, b)` does not hold: it is called
    /// for candidate pairs, before they are cast, from several threads at once. It may query this index, and has to
    /// answer the same for the same pair.
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
    /// // Whom would each walk into within two seconds, if the others stood still?
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

    /// Casts a ray from `from` to `from + way` (metres, world frame): the first hit, if there is one. `time` is the
    /// share of the way, from 0 to 1, so that the ray is `time` times as long as the way where it ends; `a` is 0. The
    /// surface's outward normal is the opposite of the row's, which points from `a`, the ray, to `b`. The ray meets all
    /// bodies but those whose group or mask is 0. Where it begins in a body, the status is
    /// [`Start`](crate::CastStatus::Start). It is the [`cast`](Self::cast) of a point that goes that way in a second,
    /// but the scene stands still meanwhile, whatever velocities its bodies have.
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
    /// If a number of the place or of the way is not finite or beyond 1e15, or the scene has as many bodies or shapes
    /// as one scene holds.
    pub fn ray(&self, from: S::Array<f64>, way: S::Array<f64>) -> Result<Option<Cast<S>>, CastError> {
        self.find_hit(from, way, None)
    }

    /// The same where the ray passes through every body of the scene for which `wanted` does not hold.
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
    /// // Whom does the fourth see, who looks out of his own outline?
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

    /// Many rays at once, in parallel: each a start and a way. `hits` is replaced by an entry for each, as
    /// [`ray`](Self::ray) gives it, but that `a` is the ray's index.
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

    /// The same where ray `a` passes through every body `b` of the scene for which `wanted(a, b)` does not hold.
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
    /// // Whom does each see ahead?
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
        wanted: Wanted<'_>,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        rays.iter().enumerate().try_for_each(|(ray, way)| check::ray::<S>(ray, way))?;
        self.rays.with(|points| {
            points.set(rays);
            let Points { shape, from, ways } = points;
            let shapes = [Shape::point()];
            let points = Columns::new(&shapes, shape, from, Rotations::Identity)?.with_velocities(ways)?;
            self.find_rays(&points, wanted, || {
                hits.clear();
                hits.resize(rays.len(), None);
                hits
            })
        })
    }

    fn find_hit(
        &self,
        from: S::Array<f64>,
        way: S::Array<f64>,
        wanted: Wanted<'_>,
    ) -> Result<Option<Cast<S>>, CastError> {
        check::ray::<S>(0, &[from, way])?;
        let (shapes, positions, velocities, mut hit) = ([Shape::point()], [from], [way], [None]);
        let point = Columns::new(&shapes, &[0], &positions, Rotations::Identity)?.with_velocities(&velocities)?;
        self.find_rays(&point, wanted, || &mut hit)?;
        Ok(hit[0])
    }

    /// The first hits of points that go their ways in a second through a scene that stands still.
    fn find_rays<'h>(
        &self,
        points: &Columns<'_, S, U>,
        wanted: Wanted<'_>,
        room: impl FnOnce() -> &'h mut [Option<Cast<S>>],
    ) -> Result<(), CastError> {
        let still = (self.scene().at_rest(), [S::array(|_| 0.0); 2]);
        self.find_hits_in(still, points, Motion::lasting(1.0), wanted, room)
    }

    fn find_hits(
        &self,
        moving: &Columns<'_, S, U>,
        motion: Motion,
        wanted: Wanted<'_>,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        self.find_hits_in((self.scene(), self.drift), moving, motion, wanted, || {
            hits.clear();
            hits.resize(moving.len(), None);
            hits
        })
    }

    /// The same of the scene as it moves, with the lowest and the highest of its velocities, where there is `room` for
    /// the answers, which is asked for once nothing can go wrong any more.
    fn find_hits_in<'h>(
        &self,
        (scene, drift): (Columns<'_, S, U>, [S::Array<f64>; 2]),
        moving: &Columns<'_, S, U>,
        motion: Motion,
        wanted: Wanted<'_>,
        room: impl FnOnce() -> &'h mut [Option<Cast<S>>],
    ) -> Result<(), CastError> {
        check::motion(motion)?;
        let ways = Ways { drift, duration: motion.duration };
        self.questions.with(|question| {
            let boxes = Boxes::for_whole_margin(self.origin, motion.target);
            question.bound(moving, boxes, |body| ways.rounding(moving, body))?;
            let Question { bounds, doubles, .. } = question;
            let (tree, meeting) = (&self.tree, Meeting::new(&scene, moving, wanted));
            let bodies = &TwoSets::new(scene, *moving)?;
            let source = narrowphase::source(bodies, moving.len() * USUAL, doubles, Records::make);
            let sweeps = Sweeps { bodies, meeting, tree, source, motion, casts: &self.casts };
            tasks::for_each_few(room(), BLOCK, |block, hits| {
                self.sweeps.with(|worker| {
                    let first = block * BLOCK;
                    let travellers = (first..).map(|body| ways.traveller(moving, body, bounds.get(body)));
                    sweeps.first_hits(first, travellers, hits, worker);
                });
            });
            Ok(())
        })
    }
}
