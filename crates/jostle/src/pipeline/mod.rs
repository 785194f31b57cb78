//! The pipeline: the contacts of a simulation, asked for once a frame.
//!
//! A frame (`frame`) has four stages, each in files that describe how it works:
//!
//! 1. `track` and `pass`: one pass over all bodies finds which have invalid numbers, which are still, and which have
//!    left the boxes that their listed pairs were found with.
//! 2. `list` (with `cull`, `skin` and `pace`): the Verlet list of pairs that may be near, mended where bodies left
//!    their boxes.
//! 3. `solve` (with `wait`): the narrowphase over the list. Pairs too far apart wait; pairs of still bodies keep their
//!    rows.
//! 4. `events`: which contacts began, persist and ended; the user's data is carried from frame to frame.
//!
//! A frame's rows depend on where the bodies are, never on how the list was made: a pair solved gives the same bits
//! whichever pairs are solved with it. Everything else here is bookkeeping, which can only be slow or fast.

mod answers;
mod ball;
mod edit;
mod error;
mod events;
mod far;
mod flags;
mod frame;
mod frame_search;
mod handle;
mod keyed_rows;
mod link;
mod list;
mod pace;
mod pass;
mod question;
mod report;
mod settings;
mod skin;
mod sleep;
mod solve;
mod solver_view;
mod statics;
mod track;
mod wait;

use jostle_narrowphase::{Dimension, Largest, Precision, Templates};
use jostle_shape::{Bodies, Body, CustomShape, NoCustom};

pub use error::PipelineError;
pub use events::{Event, Phase, Piece};
pub use handle::Handle;
pub use report::{Fault, Frame};
pub use skin::Skin;
pub use solver_view::{ColumnsMut, Solving};
pub use statics::Statics;

use crate::lattice::Lattice;
use crate::near::Near;
use events::ContactState;
use frame_search::{Finder, FrameSearch};
use handle::Slots;
use skin::Motion;
use sleep::LaidDown;
use track::Tracks;

/// How contacts are searched for.
#[derive(Clone, Copy, Debug)]
struct Settings<T> {
    /// Metres.
    margin: f64,
    near: Near<T>,
    /// Seconds.
    look_ahead: f64,
    skin: Skin,
    warm_start: bool,
    limit: u64,
}

/// Finds the contacts of a simulation, frame after frame.
///
/// Inserting a body returns a [`Handle`]. Bodies are moved by whole columns ([`Pipeline::columns_mut`]) or one by one;
/// [`Pipeline::update`] is called once a frame, and [`Pipeline::contacts`] holds the result. Each body has a slot,
/// which does not change while the body exists. `a` and `b` of a contact, [`Handle::index`], the pipeline's columns and
/// any arrays that you keep beside them are all indexed by slot.
///
/// `S` is the plane or space, `T` the precision of the answers, `D` the data that you keep beside each contact while it
/// lasts (impulses, a friction state: anything `Copy + Default`), `U` the set of custom shapes.
///
/// **Answers.** The contacts of a frame are those that [`Engine::contacts`](crate::Engine::contacts) finds for the same
/// bodies without the faulty ones, bit for bit and in the same order; with a [lattice](Pipeline::set_lattice), those of
/// [`periodic_contacts`](crate::periodic_contacts); a [look-ahead](Pipeline::set_look_ahead) adds others. What is
/// carried from frame to frame only saves time: contacts depend neither on threads nor on the frames before, and a
/// [clone](Clone), which is a snapshot, continues with the same bits. (With a [warm start](Pipeline::set_warm_start)
/// they are the same but for rounding.)
///
/// **Memory.** Once the buffers have grown to what the scene needs, frames allocate nothing. (This holds when called
/// from a thread of a rayon pool, or with one thread; called from outside a pool, rayon itself allocates a block of its
/// queue every 60 frames or so.)
///
/// **Bad numbers.** A body is left out, and named by [`Pipeline::faults`], until its numbers are mended, if its
/// position is not finite or beyond 1e15, if its quaternion's norm is more than 1e-3 from 1 (normalise what you
/// integrate), or, with a look-ahead, if its velocity is not finite or beyond 1e15. All other bodies are handled as
/// usual. Anything else that is refused is a [`PipelineError`].
///
/// A frame of a crowd:
///
/// ```
/// use jostle::{Body, D2, Handle, Pipeline, Shape};
///
/// let mut hall = Pipeline::<D2>::new();
/// hall.set_margin(0.5)?; // how far apart walkers feel each other, metres
/// let wall = hall.add_shape(Shape::cuboid([10.0, 0.1])?)?;
/// let walker = hall.add_shape(Shape::ball(0.25)?)?;
/// for y in [-2.0, 2.0] {
///     hall.insert(Body::new(wall, [0.0, y]).fixed())?;
/// }
/// let mut walkers: Vec<Handle> = Vec::new();
/// for i in 0..40 {
///     let place = [-9.0 + 0.6 * f64::from(i / 5), 0.7 * f64::from(i % 5) - 1.4];
///     walkers.push(hall.insert(Body::new(walker, place))?);
/// }
/// let mut force = Vec::new(); // a column of our own, by slot
/// for _frame in 0..150 {
///     hall.update()?;
///     force.clear();
///     force.resize(hall.slots(), [1.3, 0.0]); // all walkers are driven to the right
///     for c in hall.contacts() {
///         for k in 0..2 {
///             let push = f64::from((0.5 - c.distance) * c.normal[k]); // the normal points from a to b
///             force[c.a as usize][k] -= push;
///             force[c.b as usize][k] += push;
///         }
///     }
///     let position = hall.positions_mut();
///     for walker in &walkers {
///         for k in 0..2 {
///             position[walker.index()][k] += 0.1 * force[walker.index()][k];
///         }
///     }
///     // Walkers that have reached the end of the hall are removed.
///     walkers.retain(|&walker| hall.positions()[walker.index()][0] < 10.0 || hall.remove(walker).is_err());
/// }
/// assert_eq!(hall.len(), 2 + walkers.len());
/// # assert!(walkers.len() < 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A frame of grains, whose solver starts from the impulses of the last frame:
///
/// ```
/// use jostle::{Body, D3, Event, Pipeline, Shape, Solving};
///
/// /// What the solver keeps beside each contact: the accumulated impulse.
/// #[derive(Clone, Copy, Default)]
/// struct Impulse(f64);
///
/// let mut drum = Pipeline::<D3, f32, Impulse>::new();
/// drum.set_margin(0.01)?;
/// let floor = drum.add_shape(Shape::cuboid([5.0, 0.5, 5.0])?)?;
/// let grain = drum.add_shape(Shape::cuboid([0.1; 3])?.rounded(0.02)?)?;
/// drum.insert(Body::new(floor, [0.0, -0.5, 0.0]).fixed())?;
/// for i in 0..30 {
///     drum.insert(Body::new(grain, [0.05 * f64::from(i % 3), 0.2 + 0.3 * f64::from(i), 0.0]))?;
/// }
/// let (step, mut landed) = (1.0 / 120.0, 0);
/// for _frame in 0..120 {
///     drum.velocities_mut()[1..].iter_mut().for_each(|v| v[1] -= 9.81 * step);
///     drum.update()?;
///     landed += drum.events().iter().filter(|event| matches!(event, Event::Began(_))).count();
///     // Everything that a solver reads and writes, borrowed at once.
///     let Solving { contacts, data: impulses, world, statics, .. } = drum.solver_mut();
///     for _iteration in 0..4 {
///         for (c, impulse) in contacts.iter().zip(impulses.iter_mut()) {
///             let (a, b) = (c.a as usize, c.b as usize);
///             let heavy = [c.a, c.b].map(|body| if statics.contains(body) { 0.0 } else { 1.0 }); // inverse masses
///             let normal = c.normal.map(f64::from);
///             let closing: f64 = (0..3).map(|k| (world.velocity[a][k] - world.velocity[b][k]) * normal[k]).sum();
///             let allowed = f64::from(c.distance).max(0.2 * f64::from(c.distance)) / step;
///             let total = (impulse.0 + (closing - allowed) / (heavy[0] + heavy[1])).max(0.0);
///             for k in 0..3 {
///                 world.velocity[a][k] -= heavy[0] * (total - impulse.0) * normal[k];
///                 world.velocity[b][k] += heavy[1] * (total - impulse.0) * normal[k];
///             }
///             impulse.0 = total; // found again in the next frame, if the contact persists
///         }
///     }
///     for (x, v) in world.position.iter_mut().zip(world.velocity.iter()) {
///         (0..3).for_each(|k| x[k] += step * v[k]);
///     }
/// }
/// assert!(landed > 10 && drum.positions().iter().skip(1).all(|x| x[1] > 0.05));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pipeline<S: Dimension, T: Precision = f32, D = (), U: CustomShape<S> = NoCustom> {
    settings: Settings<T>,
    bodies: Bodies<S, U>,
    slots: Slots,
    /// Whether each slot is free, by slot.
    free: Vec<bool>,
    /// The number of bodies, and how many of them sleep.
    live: usize,
    asleep: usize,
    templates: Templates<S, T>,
    /// The largest of all shapes that were ever added.
    largest: Largest,
    /// How many bodies have each shape; `None` if the shape was removed.
    users: Vec<Option<u32>>,
    vacant_shapes: Vec<u32>,
    tracks: Tracks<S, T>,
    lattice: Lattice<S>,
    search: FrameSearch<S, T>,
    motion: Motion,
    kept: ContactState<D>,
    faults: Vec<Fault>,
    woken: Vec<Handle>,
    /// The bodies that were put to sleep since the last frame.
    laid_down: Vec<LaidDown<S>>,
    /// All pairs have to be found anew: nothing is listed yet, or the list was made with other settings.
    renew_all: bool,
    /// No rows can be taken over from the last frame: they were found with other settings, or a frame since then
    /// failed.
    solve_all: bool,
    /// The last frame failed or panicked: the bodies that it woke are still to be reported, and no contact rests.
    failed: bool,
    /// The margin (metres) and the lattice with which contacts were last found.
    found_within: f64,
    found_in: Lattice<S>,
}

impl<S, T, D, U> Default for Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Creates a pipeline without bodies: a margin of 0, no look-ahead, an automatic skin, no warm start.
    pub fn new() -> Self {
        Self {
            settings: Settings {
                margin: 0.0,
                near: Near::new(0.0),
                look_ahead: 0.0,
                skin: Skin::Auto,
                warm_start: false,
                limit: u64::from(u32::MAX),
            },
            bodies: Bodies::new(),
            slots: Slots::default(),
            free: Vec::new(),
            live: 0,
            asleep: 0,
            templates: Templates::default(),
            largest: Largest::default(),
            users: Vec::new(),
            vacant_shapes: Vec::new(),
            tracks: Tracks::default(),
            lattice: Lattice::default(),
            search: FrameSearch::Open(Finder::default()),
            motion: Motion::default(),
            kept: ContactState::default(),
            faults: Vec::new(),
            woken: Vec::new(),
            laid_down: Vec::new(),
            renew_all: true,
            solve_all: true,
            failed: false,
            found_within: 0.0,
            found_in: Lattice::default(),
        }
    }

    /// Finds the contacts of the bodies as they are now. Runs on the rayon pool that it is called from.
    ///
    /// # Errors
    /// If more pairs may be near than [`Pipeline::set_limit`] allows, a custom shape's bounds are NaN or inverted, or,
    /// where space repeats, bodies are too far away or too long for their images to be listed. Contacts, phases, data,
    /// events and data of ended contacts are then still those of the last frame that succeeded;
    /// [`faults`](Pipeline::faults) are those of this call, and sleeping bodies that were moved are awake. The next
    /// call makes its list anew.
    ///
    /// # Panics
    /// If a custom shape does: see [`Pipeline::update_with`].
    pub fn update(&mut self) -> Result<Frame, PipelineError> {
        self.frame(None::<&fn(Piece<'_, S, T, D>)>)
    }

    /// Finds the contacts as [`Pipeline::update`] does, and calls `visitor` with each piece of them while they are in
    /// the cache. Calls come from several threads at once and in no particular order: for work on each contact that
    /// should be done in parallel.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use jostle::{Body, D2, Pipeline, Phase, Shape};
    ///
    /// // Data kept beside each contact: for how many frames it has lasted.
    /// let mut row = Pipeline::<D2, f32, u32>::new();
    /// let disc = row.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..100 {
    ///     row.insert(Body::new(disc, [0.9 * f64::from(x), 0.0]))?;
    /// }
    /// for frame in 0..3 {
    ///     let old = AtomicUsize::new(0);
    ///     row.update_with(|piece| {
    ///         for (age, phase) in piece.data.iter_mut().zip(piece.phases) {
    ///             *age += 1;
    ///             old.fetch_add(usize::from(*phase == Phase::Persists), Ordering::Relaxed);
    ///         }
    ///     })?;
    ///     assert_eq!(old.into_inner(), if frame == 0 { 0 } else { 99 });
    /// }
    /// assert_eq!(row.data(), [3; 99]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::update`]; the visitor is then not called.
    ///
    /// # Panics
    /// If the visitor does. That frame's contacts are kept, but not its events nor what is kept beside contacts: the
    /// next frame goes on from the contacts and the data of the frame before, and reports what has changed since then.
    /// (Until then [`key`](Pipeline::key) and [`find`](Pipeline::find) know a slot by the body of the frame before, if
    /// it was given to another one since.) If a custom shape panics, here or in [`update`](Pipeline::update), the same
    /// holds, but that frame has no contacts, or those of the frame before.
    pub fn update_with(&mut self, visitor: impl Fn(Piece<'_, S, T, D>) + Sync) -> Result<Frame, PipelineError> {
        self.frame(Some(&visitor))
    }

    /// Returns the body that a handle names, as it is now: everything that [`Pipeline::insert`] and [`Pipeline::set`]
    /// take, so that a body can be read, changed in part and [set](Pipeline::set). (Whether it sleeps:
    /// [`Pipeline::is_asleep`].)
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// let walker = hall.insert(Body::new(disc, [0.0, 0.0]).with_group(2))?;
    /// hall.positions_mut()[walker.index()] = [3.0, 4.0];
    /// let body = hall.get(walker)?;
    /// assert_eq!((body.position, body.group, body.shape), ([3.0, 4.0], 2, disc));
    /// hall.remove(walker)?;
    /// assert!(hall.get(walker).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is stale.
    pub fn get(&self, handle: Handle) -> Result<Body<S>, PipelineError> {
        Ok(self.bodies.get(self.slot(handle)?))
    }

    /// The slot of the body that a handle names.
    fn slot(&self, handle: Handle) -> Result<usize, PipelineError> {
        let slot = self.slots.index_of(handle).filter(|&slot| self.tracks.flags[slot].is_live());
        slot.ok_or(PipelineError::Stale(handle))
    }
}
