//! A scene that stays, and is asked again and again: by whom it is touched, what is near it, what is met first.
//!
//! What a question needs of all bodies is made once: boxes, packed, in a tree. Those who ask stand
//! behind the scene's bodies for as long as they are answered, so that pairs are asked as everywhere else.

mod cast;
mod search;

use core::ops::{Deref, DerefMut};

use jostle_broadphase::{Bounds, BoundsError};
use jostle_narrowphase::{
    Cast, CastScratch, Dimension, Motion, Precision, Proximity, Records, SPAN, Scratch, Source, solve_chunk_within,
};
use jostle_shape::{Bodies, Body, BodyError, Columns, CustomShape, NoCustom, Shape, ShapeError};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds::{self, Boxes, Placed, origin};
use crate::check;
use crate::error::{CastError, ContactsError};
use crate::narrowphase;
use crate::near::Near;
use crate::nearest::{self, Who};
use crate::neighbours::Neighbours;
use crate::packs::{PACK, Pack, Packing};
use crate::sets::append;
use crate::tree::Tree;
use search::{Met, Search, Traveller};

/// Of those who ask, so many are one task's work.
const BLOCK: usize = 32;
/// How many each of them meets, about, where the boxes of a crowd overlap.
const USUAL: usize = 8;

/// A scene that does not move for a while, and answers questions about whatever else there is: rays, probes, bodies
/// that are to be placed, agents that look around. To make it takes about as long as to find the scene's contacts; each
/// question then looks at a few bodies, however many there are.
///
/// The scene is copied, filters and velocities included; space does not repeat. When it moves, a new index is made (of
/// [`Pipeline::columns`](crate::Pipeline::columns), say). Questions come in batches, as columns of bodies of their own,
/// which are divided among the threads of the rayon pool and for which the [`Filters`](crate::Filters) hold as if all
/// were one scene; answers are the same bits for any number of threads and whatever was asked before. Memory for
/// answers is kept from one question to the next.
///
/// `S` is the plane or space, `T` the precision of distances.
///
/// ```
/// use jostle::{Bodies, Body, CastStatus, D2, Motion, Neighbours, SceneIndex, Shape};
///
/// let mut city = Bodies::<D2>::new();
/// let house = city.add_shape(Shape::cuboid([4.0, 4.0])?)?;
/// for i in 0..10_000 {
///     city.push(Body::new(house, [f64::from(i % 100) * 10.0, f64::from(i / 100) * 10.0]).fixed())?;
/// }
/// let mut index = SceneIndex::<D2>::new(&city.columns())?;
///
/// // What does a look from here to there meet first? A ray is a point that moves.
/// let mut looks = Bodies::<D2>::new();
/// let point = looks.add_shape(Shape::ball(0.0)?)?;
/// looks.push(Body::new(point, [5.0, 5.0]).with_velocity([500.0, 10.0]))?;
/// looks.push(Body::new(point, [5.0, 5.0]).with_velocity([0.0, 500.0]))?; // along a street
/// let mut hits = Vec::new();
/// index.cast(&looks.columns(), Motion::lasting(1.0), &mut hits)?;
/// let hit = hits[0].expect("a house");
/// assert_eq!((hit.a, hit.b, hit.status, hits[1]), (0, 106, CastStatus::Hit, None));
///
/// // What is within a metre of a disc, and what are the three houses next to it?
/// let mut discs = Bodies::<D2>::new();
/// let disc = discs.add_shape(Shape::ball(0.5)?)?;
/// discs.push(Body::new(disc, [5.0, 10.0]))?;
/// let mut rows = Vec::new();
/// index.contacts(&discs.columns(), 1.0, &mut rows)?;
/// assert_eq!(rows.iter().map(|row| (row.a, row.b, row.distance)).collect::<Vec<_>>(), [(0, 100, 0.5), (0, 101, 0.5)]);
/// let mut neighbours = Neighbours::default();
/// index.nearest(&discs.columns(), 3, &mut neighbours)?;
/// assert_eq!(neighbours.of(0).iter().map(|near| near.body).collect::<Vec<_>>(), [100, 101, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SceneIndex<S: Dimension, T: Precision = f32, U: CustomShape<S> = NoCustom> {
    /// The scene's, and behind them for the time of a question those who ask.
    bodies: Bodies<S, U>,
    /// Once a ray was cast.
    ray: Option<Box<RayCast<S, U>>>,
    /// How many of the bodies and of the shapes are the scene's.
    border: usize,
    shapes: usize,
    /// What boxes are seen from.
    origin: S::Array<f64>,
    /// The bodies in their packs.
    tree: Tree,
    /// The lowest and the highest of the scene's velocities.
    drift: [S::Array<f64>; 2],
    /// Of those who ask.
    bounds: Bounds<S>,
    packing: Packing<S>,
    agents: Vec<Pack>,
    records: Records<S, T>,
    /// A yes or no is proved in `f32`, whatever the precision.
    singles: Records<S, f32>,
    /// Times are `f64`.
    doubles: Records<S, f64>,
    workers: Pool<Worker<S, T>>,
    seekers: Pool<nearest::Worker<S, T>>,
    flights: Pool<cast::Worker<S>>,
    casts: Pool<CastScratch<S>>,
    /// The rows of each block of those who ask.
    parts: Vec<Vec<Proximity<S, T>>>,
    /// The neighbours of each block of their packs.
    blocks: Vec<nearest::Block<S, T>>,
}

/// A point that moves, and what it met.
#[derive(Debug)]
struct RayCast<S: Dimension, U: CustomShape<S>> {
    point: Bodies<S, U>,
    hit: Vec<Option<Cast<S>>>,
}

impl<S: Dimension, U: CustomShape<S>> RayCast<S, U> {
    fn new() -> Result<Box<Self>, CastError> {
        let mut point = Bodies::new();
        let ball = point.add_shape(Shape::ball(0.0)?)?;
        point.push(Body::new(ball, S::array(|_| 0.0)))?;
        Ok(Box::new(Self { point, hit: Vec::new() }))
    }
}

/// What a task needs that looks for contacts.
struct Worker<S: Dimension, T: Precision> {
    search: Search,
    met: Vec<Met>,
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        let (search, scratch) = (Search::default(), Scratch::default());
        Self { search, met: Vec::new(), pairs: Vec::new(), rows: Vec::new(), scratch }
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// An index of these bodies, which are copied. Runs on the rayon pool it is called from.
    ///
    /// # Errors
    /// If the bounds of a (custom) shape are no numbers.
    pub fn new(scene: &Columns<'_, S, U>) -> Result<Self, ContactsError> {
        let mut bodies = Bodies::new();
        bodies.reserve(scene.len());
        append::<_, _, ContactsError>(&mut bodies, scene)?;
        let columns = bodies.columns();
        let (origin, filters) = (origin(&columns), columns.filters());
        let mut bounds = Bounds::new();
        bounds::fill(&columns, 0.0, &mut bounds);
        bounds.validate()?;
        let (mut packing, mut packs) = (Packing::new(origin), Vec::new());
        packing.pack(&columns, 0, &bounds, &mut packs);
        let tree = Tree::new(packs);
        let drift = bounds::reach::<S>(columns.velocities(), |body| !filters.meets_nobody(body as u32));
        let (border, shapes) = (bodies.len(), bodies.shapes().len());
        Ok(Self {
            bodies,
            ray: None,
            border,
            shapes,
            origin,
            tree,
            drift,
            bounds,
            packing,
            agents: Vec::new(),
            records: Records::default(),
            singles: Records::default(),
            doubles: Records::default(),
            workers: Pool::default(),
            seekers: Pool::default(),
            flights: Pool::default(),
            casts: Pool::default(),
            parts: Vec::new(),
            blocks: Vec::new(),
        })
    }

    /// The scene's bodies: `b` of an answer, and `body` of a neighbour, is an index into these columns.
    pub fn scene(&self) -> Columns<'_, S, U> {
        self.bodies.columns()
    }

    /// All pairs of a body of `asking` and one of the scene that meet and whose distance is at most `margin`: `a` is an
    /// index into `asking`, `b` into the scene; ordered by `a`, then by `b`. `rows` is replaced. These are the rows of
    /// [`between`](crate::between()), bit for bit, which is the better choice where nobody asks again, or where those
    /// who ask are as many as the scene.
    ///
    /// # Errors
    /// If the margin is negative, not finite or beyond 1e15, the bounds of a (custom) shape are no numbers, or there
    /// are more bodies or shapes in both sets than one scene holds; `rows` is then left as it was.
    pub fn contacts(
        &mut self,
        asking: &Columns<'_, S, U>,
        margin: f64,
        rows: &mut Vec<Proximity<S, T>>,
    ) -> Result<(), ContactsError> {
        bounds::check_margin(margin)?;
        self.bound(asking, Boxes::for_whole_margin(self.origin, margin), |_| 0.0)?;
        let mut all = self.seat::<ContactsError>(asking)?;
        let Self { bodies, border, tree, bounds, records, singles, workers, parts, .. } = &mut *all;
        let bodies = bodies.columns();
        let pairs = asking.len() * USUAL;
        let source = narrowphase::source(&bodies, pairs, records, Records::make_for_distances);
        let planes = match source {
            Source::Templates(templates) if !templates.ask_planes() => None,
            _ => T::singles(source).or_else(|| Some(narrowphase::source(&bodies, pairs, singles, Records::make))),
        };
        let (border, filters, near) = (*border as u32, bodies.filters(), Near::new(margin));
        parts.resize_with(parts.len().max(asking.len().div_ceil(BLOCK)), Vec::new);
        let parts = &mut parts[..asking.len().div_ceil(BLOCK)];
        tasks::for_each(parts, |block, rows| {
            workers.with(|worker| {
                let Worker { search, met, pairs, rows: solved, scratch } = worker;
                rows.clear();
                pairs.clear();
                for place in block * BLOCK..asking.len().min((block + 1) * BLOCK) {
                    let (agent, from) = (border + place as u32, pairs.len());
                    met.clear();
                    search.begin(Traveller::standing::<S>(bounds.get(place)), tree);
                    search.advance::<S>(tree, f32::INFINITY, usize::MAX, met);
                    let met = met.iter().filter(|met| filters.meet(agent, met.body));
                    pairs.extend(met.map(|met| [agent, met.body]));
                    pairs[from..].sort_unstable();
                }
                for pairs in pairs.chunks(SPAN) {
                    solve_chunk_within(&bodies, source, planes, pairs, near.limit(), solved, scratch);
                    let near = solved.iter().filter(|row| near.holds(row.distance));
                    rows.extend(near.map(|row| Proximity { a: row.a - border, ..*row }));
                }
            });
        });
        rows.clear();
        rows.reserve(parts.iter().map(Vec::len).sum());
        for part in parts {
            rows.extend_from_slice(part);
        }
        Ok(())
    }

    /// For each body of `asking` the `most` nearest of the scene that it meets, however far, as
    /// [`nearest_between`](crate::nearest_between) tells them, bit for bit: nearest first, equally near ones by their
    /// indices. `neighbours` is replaced.
    ///
    /// # Errors
    /// If there are more than `u32::MAX` neighbours in all, more bodies or shapes in both sets than one scene holds, or
    /// the bounds of a (custom) shape are no numbers; `neighbours` is then left as it was.
    pub fn nearest(
        &mut self,
        asking: &Columns<'_, S, U>,
        most: usize,
        neighbours: &mut Neighbours<S, T>,
    ) -> Result<(), ContactsError> {
        self.bound(asking, Boxes::for_margin(self.origin, 0.0), |_| 0.0)?;
        let mut all = self.seat::<ContactsError>(asking)?;
        let Self { bodies, border, tree, bounds, packing, agents, records, seekers, blocks, .. } = &mut *all;
        packing.pack(asking, *border as u32, bounds, agents);
        let bodies = &bodies.columns();
        let pairs = asking.len().saturating_mul(most.saturating_add(PACK));
        let source = narrowphase::source(bodies, pairs, records, Records::make_for_distances);
        let who = &Who::Behind(*border as u32, bodies.filters());
        nearest::Scene { bodies, who, tree, agents: Some(agents), source, most }.find(seekers, blocks, neighbours)
    }

    /// What each of the bodies of `moving` meets first, all moving in straight lines with their velocities, those of
    /// the scene included, and without turning: `hits` is replaced by an entry for each, `None` for those who meet
    /// nobody in the time given. `a` is an index into `moving`, `b` into the scene. A ray is a ball of radius 0 that
    /// moves.
    ///
    /// An entry is the row of [`cast()`](crate::cast()), bit for bit, whose time is the least: of a pair whose filters
    /// let them meet; of equal times the one with the lowest `b`. What is nearer than the target before it moves is met
    /// at time 0 ([`CastStatus::Start`](crate::CastStatus::Start)). An entry that is
    /// [`Unconverged`](crate::CastStatus::Unconverged), as an invalid support map may cause, says that nothing is met
    /// before its time.
    ///
    /// Only what lies on the way is looked at, and no further than the first who is met; where the scene's bodies move,
    /// each its own way, also who is as far beside it as the fastest of them comes in the time given. To look around at
    /// one moment, whatever moves, let rays be fast and the time short.
    ///
    /// # Errors
    /// If the duration is negative or not finite, the target negative, not finite or beyond 1e15, the bounds of a
    /// (custom) shape are no numbers, or there are more bodies or shapes in both sets than one scene holds; `hits` is
    /// then left as it was.
    pub fn cast(
        &mut self,
        moving: &Columns<'_, S, U>,
        motion: Motion,
        hits: &mut Vec<Option<Cast<S>>>,
    ) -> Result<(), CastError> {
        check::motion(motion)?;
        let ways = cast::Ways { drift: self.drift, duration: motion.duration };
        let boxes = Boxes::for_whole_margin(self.origin, motion.target);
        self.bound(moving, boxes, |body| ways.rounding(moving, body))?;
        let mut all = self.seat::<CastError>(moving)?;
        let Self { bodies, border, tree, bounds, doubles, flights, casts, .. } = &mut *all;
        let bodies = &bodies.columns();
        let source = narrowphase::source(bodies, moving.len() * USUAL, doubles, Records::make);
        let border = *border as u32;
        hits.clear();
        hits.resize(moving.len(), None);
        let sky = cast::Sky { bodies, border, tree, source, motion, casts };
        tasks::for_each_few(hits, BLOCK, |block, hits| {
            flights.with(|worker| {
                let first = block * BLOCK;
                let travellers = (first..).map(|body| ways.traveller(moving, body, bounds.get(body)));
                sky.first_hits(first, travellers, hits, worker);
            });
        });
        Ok(())
    }

    /// What a ray from a place along a way meets first: [`cast`](Self::cast) of a point, which meets all but those
    /// without a group or a mask, and moves along that way in a second; so `time` is the share of the way, and `a` is
    /// 0. A ray that begins in a body [starts](crate::CastStatus::Start) there.
    ///
    /// ```
    /// use jostle::{Bodies, Body, CastStatus, D3, SceneIndex, Shape};
    ///
    /// let mut forest = Bodies::<D3>::new();
    /// let tree = forest.add_shape(Shape::cylinder(2.0, 0.5)?)?;
    /// for x in 0..100 {
    ///     forest.push(Body::new(tree, [8.0 * f64::from(x), 2.0, 0.0]).fixed())?;
    /// }
    /// let mut index = SceneIndex::<D3>::new(&forest.columns())?;
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
    pub fn ray(&mut self, from: S::Array<f64>, way: S::Array<f64>) -> Result<Option<Cast<S>>, CastError> {
        let mut ray = self.ray.take().map_or_else(RayCast::new, Ok)?;
        let RayCast { point, hit } = &mut *ray;
        let motion = point.motion_mut();
        (motion.position[0], motion.velocity[0]) = (from, way);
        let sound = point.problem(0, true).map_or(Ok(()), |problem| Err(BodyError::Body { body: 0, problem }.into()));
        let answer = sound.and_then(|()| self.cast(&point.columns(), Motion::lasting(1.0), hit));
        let answer = answer.map(|()| hit[0]);
        self.ray = Some(ray);
        answer
    }

    /// Makes the boxes of those who ask, each with more room on all sides.
    fn bound(
        &mut self,
        asking: &Columns<'_, S, U>,
        boxes: Boxes<S>,
        room: impl Fn(usize) -> f64 + Sync,
    ) -> Result<(), BoundsError> {
        self.bounds.resize(asking.len());
        let who = |body| Some(Placed { body, position: asking.positions()[body], room: room(body) });
        bounds::fill_some(asking, boxes, &who, &mut self.bounds);
        self.bounds.validate()
    }

    /// Puts those who ask behind the scene, until the answer is there.
    fn seat<E: From<ShapeError> + From<BodyError>>(
        &mut self,
        asking: &Columns<'_, S, U>,
    ) -> Result<Seated<'_, S, T, U>, E> {
        let all = Seated(self);
        append::<_, _, E>(&mut all.0.bodies, asking)?;
        Ok(all)
    }
}

/// Those who ask are behind the scene.
struct Seated<'i, S: Dimension, T: Precision, U: CustomShape<S>>(&'i mut SceneIndex<S, T, U>);

impl<S: Dimension, T: Precision, U: CustomShape<S>> Drop for Seated<'_, S, T, U> {
    /// They leave, whatever happened.
    fn drop(&mut self) {
        self.0.bodies.truncate(self.0.border, self.0.shapes);
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Deref for Seated<'_, S, T, U> {
    type Target = SceneIndex<S, T, U>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> DerefMut for Seated<'_, S, T, U> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}
