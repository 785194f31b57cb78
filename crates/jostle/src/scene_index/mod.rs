//! A scene that is kept and queried many times: what is near, what is nearest, what is hit first.
//!
//! What queries need of all bodies is made once: boxes, in packs, in a tree. Query bodies and the scene are two sets
//! numbered as one ([`TwoSets`](jostle_shape::TwoSets)), so the narrowphase takes their pairs like any others and
//! nothing is copied.

mod cast;
mod contacts;
mod drift;
mod known;
mod nearest;
mod rays;
mod search;
mod sweep;

use jostle_broadphase::{Bounds, BoundsError};
use jostle_narrowphase::{CastScratch, Dimension, Precision, Proximity};
use jostle_shape::{Bodies, Columns, CustomShape, NoCustom};
use jostle_tasks::{self as tasks, Pool};

use crate::bounds::{self, BoxFrame, Placed};
use crate::error::ContactsError;
use crate::nearest::{AgentBlock, NearestWorker};
use crate::origin::origin_of;
use crate::packs::{Lengths, Pack, Packing};
use crate::tree::Tree;
use crate::weight;
use drift::Drift;
use known::KnownRecords;

/// Query bodies that one task handles.
const BLOCK: usize = 32;
/// About how many bodies of the scene each query body's box meets where the boxes of a crowd overlap.
const USUAL: usize = 8;

/// A scene that stays for a while, in a bounding volume hierarchy, for queries by other bodies: near pairs
/// ([`contacts`](Self::contacts)), the k nearest ([`nearest`](Self::nearest)), shape casts ([`cast`](Self::cast)) and
/// rays ([`ray`](Self::ray)). To build it takes about as long as to find the scene's contacts; a query then looks at a
/// few bodies, however many there are.
///
/// The scene is copied, filters and velocities included: when it has moved, [`update`](Self::update) the index (with
/// [`Pipeline::columns`](crate::Pipeline::columns), say). Space does not repeat. Queries come in batches, as columns of
/// bodies of their own, which are divided among the threads of the rayon pool. [`Filters`](crate::Filters) hold as
/// within one set: a static query body does not meet a static body of the scene, and bodies of equal parent do not
/// meet, whichever set they are of. Answers are the same bits for any number of threads and whatever was queried
/// before. Any number of threads may query at once: queries only read the index, and buffers are lent to each query and
/// kept for the next.
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
/// let index = SceneIndex::<D2>::new(&city.columns())?;
///
/// // What is hit first along these ways? A ray is a point that moves.
/// let mut looks = Bodies::<D2>::new();
/// let point = looks.add_shape(Shape::point())?;
/// looks.push(Body::new(point, [5.0, 5.0]).with_velocity([500.0, 10.0]))?;
/// looks.push(Body::new(point, [5.0, 5.0]).with_velocity([0.0, 500.0]))?; // along a street
/// let mut hits = Vec::new();
/// index.cast(&looks.columns(), Motion::lasting(1.0), &mut hits)?;
/// let hit = hits[0].expect("a house");
/// assert_eq!((hit.a, hit.b, hit.status, hits[1]), (0, 106, CastStatus::Hit, None));
///
/// // What is within a metre of a disc, and which three houses are nearest to it?
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
    bodies: Bodies<S, U>,
    /// What boxes are relative to.
    origin: S::Array<f64>,
    packing: Packing<S>,
    /// The tree over the packs.
    tree: Tree,
    lengths: Lengths,
    /// How often the index was made or updated.
    state: u64,
    /// The velocities of the scene's bodies.
    drift: Drift<S>,
    buffers: Pool<QueryBuffers<S, T>>,
    contacts: Pool<contacts::ContactWorker<S, T>>,
    neighbours: Pool<NearestWorker<S, T>>,
    sweeps: Pool<sweep::SweepWorker<S>>,
    casts: Pool<CastScratch<S>>,
    points: Pool<rays::Points<S>>,
    rays: Pool<rays::RayWorker<S>>,
}

/// Buffers that a query needs while it is answered.
struct QueryBuffers<S: Dimension, T: Precision> {
    /// The boxes of the query bodies.
    bounds: Bounds<S>,
    packing: Packing<S>,
    packs: Vec<Pack>,
    records: KnownRecords<S, T>,
    /// Yes-or-no questions are proved in `f32`, whatever the precision of answers.
    singles: KnownRecords<S, f32>,
    /// Times of impact are `f64`.
    doubles: KnownRecords<S, f64>,
    /// The rows of each block of query bodies.
    parts: Vec<Vec<Proximity<S, T>>>,
    /// The neighbours of each block of packs of query bodies.
    blocks: Vec<AgentBlock<S, T>>,
}

impl<S: Dimension, T: Precision> Default for QueryBuffers<S, T> {
    fn default() -> Self {
        let (bounds, packing, packs) = (Bounds::new(), Packing::default(), Vec::new());
        let (records, singles, doubles) = (KnownRecords::default(), KnownRecords::default(), KnownRecords::default());
        Self { bounds, packing, packs, records, singles, doubles, parts: Vec::new(), blocks: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> QueryBuffers<S, T> {
    /// Makes the boxes of the query bodies, each grown by `room` (metres) on all sides.
    fn bound<U: CustomShape<S>>(
        &mut self,
        probes: &Columns<'_, S, U>,
        boxes: BoxFrame<S>,
        room: impl Fn(usize) -> f64 + Sync,
    ) -> Result<(), BoundsError> {
        self.bounds.resize(probes.len());
        let who = |body| Some(Placed { body, position: probes.positions()[body], room: room(body) });
        bounds::fill_some(probes, boxes, &who, &mut self.bounds);
        self.bounds.validate()
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> SceneIndex<S, T, U> {
    /// Builds an index of these bodies, which are copied. Runs on the rayon pool it is called from.
    ///
    /// # Errors
    /// If a custom shape's bounds are NaN or inverted, or there are more than 536,870,911 bodies.
    pub fn new(scene: &Columns<'_, S, U>) -> Result<Self, ContactsError> {
        let mut index = Self {
            bodies: Bodies::new(),
            origin: S::array(|_| 0.0),
            packing: Packing::default(),
            tree: Tree::default(),
            lengths: Lengths::default(),
            state: 0,
            drift: Drift::default(),
            buffers: Pool::default(),
            contacts: Pool::default(),
            neighbours: Pool::default(),
            sweeps: Pool::default(),
            casts: Pool::default(),
            points: Pool::default(),
            rays: Pool::default(),
        };
        index.update(scene)?;
        Ok(index)
    }

    /// Replaces the scene by these bodies: the previous ones after they have moved, or others. Answers are those of an
    /// index that is built anew, to the bit. Memory is kept.
    ///
    /// Bodies are known by their index: those that have moved a little stay with the same bodies in the tree, which
    /// takes a quarter to a half of the time that a new index takes. Where many have moved apart, or the bodies whose
    /// [`Filters`](crate::Filters) let them meet any other are not the same as before, the tree is built anew. Runs on
    /// the rayon pool it is called from.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, SceneIndex, Shape};
    ///
    /// let mut crowd = Pipeline::<D2>::new();
    /// let walker = crowd.add_shape(Shape::ball(0.25)?)?;
    /// for i in 0..1000 {
    ///     crowd.insert(Body::new(walker, [f64::from(i % 40), f64::from(i / 40)]))?;
    /// }
    /// let mut index = SceneIndex::<D2>::new(&crowd.columns()?)?;
    /// for _frame in 0..10 {
    ///     crowd.positions_mut().iter_mut().for_each(|position| position[0] += 0.05);
    ///     index.update(&crowd.columns()?)?;
    /// }
    /// let hit = index.ray([-1.0, 0.0], [10.0, 0.0])?.expect("the first walker, 0.5 further than at first");
    /// assert!((10.0 * hit.time - 1.25).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new); the index then holds what it held. (If code of a custom shape panics during the update,
    /// the index is no longer usable.)
    pub fn update(&mut self, scene: &Columns<'_, S, U>) -> Result<(), ContactsError> {
        tasks::run(weight::of_boxes(scene), || {
            let Self { bodies, origin, packing, tree, lengths, state, drift, .. } = self;
            let from = origin_of(scene);
            let mut seen = packing.look(scene, from)?;
            tree.renew(|packs| {
                if !seen.repack(packs) || lengths.are_loose(packs) {
                    seen.pack(0, packs);
                    lengths.begin(packs);
                }
            });
            *origin = from;
            *state += 1;
            bodies.clear_all();
            bodies.push_all(scene)?;
            drift.look(scene, tree);
            Ok(())
        })
    }

    /// The scene's bodies: `b` of a row or hit, and `body` of a neighbour, is an index into these columns.
    pub fn scene(&self) -> Columns<'_, S, U> {
        self.bodies.columns()
    }
}
