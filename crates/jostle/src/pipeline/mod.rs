//! The pipeline: the contacts of a simulation, asked for once a frame.
//!
//! A frame has four stages, each in files that describe how it works:
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
mod cull;
mod edit;
mod error;
mod events;
mod far;
mod flags;
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
use jostle_shape::{Bodies, Body, Checked, CustomShape, NoCustom};
use jostle_tasks as tasks;

pub use error::PipelineError;
pub use events::{Event, Phase, Piece};
pub use handle::Handle;
pub use report::{Fault, Frame};
pub use skin::Skin;
pub use solver_view::ColumnsMut;
pub use solver_view::Solving;
pub use statics::Statics;

use crate::clock::Moment;
use crate::lattice::Lattice;
use crate::near::Near;
use crate::weight;
use cull::MANY;
use events::{ContactState, Owners};
use flags::Flags;
use frame_search::{Finder, FrameOptions, FrameSearch};
use handle::Slots;
use link::Repeats;
use list::{Renewal, Terms};
use pace::TOGETHER;
use pass::{Census, Pass};
use question::FrameQuestion;
use skin::{Crowd, Motion, PLACES, Spread};
use sleep::LaidDown;
use track::Tracks;

/// If at most one body in this many is about to leave its box, the list is mended; otherwise all that moved are
/// renewed.
const NEARLY_OUT_ONE_IN: usize = 128;
/// When all that moved are renewed and more than one body in this many moves, the bodies at rest are renewed as well.
/// (100,000 discs, a list of 160,000 pairs: with 1 % at rest 8.5 ms instead of 11, with half at rest 10 instead of 12;
/// with 90 % at rest the same.)
const MOVING: usize = 4;

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
    /// The last frame failed: the bodies that it woke are still to be reported.
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
    /// holds, but no contacts are kept either.
    pub fn update_with(&mut self, visitor: impl Fn(Piece<'_, S, T, D>) + Sync) -> Result<Frame, PipelineError> {
        self.frame(Some(&visitor))
    }

    fn frame<V>(&mut self, visitor: Option<&V>) -> Result<Frame, PipelineError>
    where
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        let scene = self.bodies.columns();
        let weight = if visitor.is_some() { weight::of_visited_frame(&scene) } else { weight::of_frame(&scene) };
        tasks::run(weight, || self.find_contacts(visitor))
    }

    fn find_contacts<V>(&mut self, visitor: Option<&V>) -> Result<Frame, PipelineError>
    where
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        let mut frame = Frame { bodies: self.live, ..Frame::default() };
        let start = Moment::now();
        let after_failure = self.failed;
        let census = self.look_at_bodies();
        (frame.faulty, frame.woken) = (census.faulty, self.woken.len());
        let listing = Moment::now();
        frame.motion = listing - start;
        if self.renew_all || census.renew > 0 {
            frame.renewed = self.mend_list(census)?;
        }
        (frame.candidates, frame.skin) = (self.search.candidates(), self.motion.skin);
        frame.broadphase = listing.elapsed();
        self.solve_list(census, after_failure, visitor, &mut frame);
        Ok(frame)
    }

    /// Runs the pass over all bodies: what has changed since the last frame.
    fn look_at_bodies(&mut self) -> Census {
        let slots = self.slots.len();
        self.motion.age += 1;
        if !self.search.suit(&self.lattice, &mut self.tracks) {
            self.renew_all = true;
            if self.settings.skin == Skin::Auto {
                // Chosen in the other space, it may reach past any number of images.
                self.motion.skin = 0.0;
                self.tracks.forget_doublings();
            }
        }
        if matches!(self.search, FrameSearch::Repeating(_)) {
            self.tracks.unwrap(&self.bodies, &self.lattice);
        }
        self.begin_woken();
        if self.settings.skin == Skin::Auto {
            let (tracks, positions) = (&self.tracks, self.bodies.positions());
            self.motion.sample(slots, |slot| {
                let moved = tracks.flags[slot].is_sound() && !tracks.flags[slot].contains(Flags::FRESH);
                moved.then(|| tracks.step(positions, slot)).filter(|&step| step > 0.0 && step < 1e15)
            });
        }
        let look_ahead = self.settings.look_ahead;
        let census = self.tracks.look(&Pass { bodies: &self.bodies, templates: &self.templates, look_ahead });
        self.note_exceptions(census);
        if census.broken_vacant > 0 {
            (0..slots).for_each(|slot| self.tidy(slot));
        }
        census
    }

    /// Mends the list of pairs, and returns how many bodies were renewed.
    fn mend_list(&mut self, census: Census) -> Result<usize, PipelineError> {
        let result = self.renew(census);
        // Whether this succeeds or not: rows of the last frame can be taken over only if it does.
        self.renew_all = result.is_err();
        self.failed = self.renew_all;
        self.solve_all |= self.renew_all;
        if self.failed && self.settings.skin == Skin::Auto {
            // Too thick a skin may have made too many pairs, and a list that failed is no basis for choosing a better
            // one.
            self.motion.skin = 0.0;
        }
        result
    }

    /// Makes rows and events from the list's pairs. `after_failure`: what moved in the last frame has not been
    /// reported, so no contact rests.
    fn solve_list<V>(&mut self, census: Census, after_failure: bool, visitor: Option<&V>, frame: &mut Frame)
    where
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        let question = FrameQuestion {
            bodies: self.bodies.columns(),
            templates: &self.templates,
            repeats: Repeats { lattice: &self.lattice, wraps: self.tracks.wraps() },
            velocities: self.bodies.velocities(),
            flags: &self.tracks.flags,
            some_missing: self.live - census.faulty < self.slots.len(),
            records: &self.tracks.records,
            balls: &self.tracks.balls,
            largest: self.largest,
            near: self.settings.near,
            margin: self.settings.margin,
            look_ahead: self.settings.look_ahead,
        };
        let owners = Owners {
            slots: &self.slots,
            flags: &self.tracks.flags,
            statics: Statics(self.bodies.columns().filters().fixed),
            awake: self.asleep == 0 || after_failure,
        };
        let rests = !self.solve_all && census.resting > 0;
        let options = FrameOptions {
            owners,
            way: census.way,
            skin: self.motion.skin,
            rests,
            warm_start: self.settings.warm_start,
        };
        // Before custom shapes and the visitor are called, which may panic: then this frame has failed.
        (self.found_within, self.found_in) = (self.settings.margin, self.lattice);
        (self.failed, self.solve_all) = (true, true);
        self.search.find(&question, options, &mut self.kept, visitor, frame);
        self.slots.report();
        (self.failed, self.solve_all) = (false, false);
    }

    /// Fills the lists of faults and of woken bodies; `woken` may hold bodies already.
    fn note_exceptions(&mut self, census: Census) {
        self.faults.clear();
        if census.faulty + census.woken == 0 {
            return;
        }
        for (slot, flag) in self.tracks.flags.iter_mut().enumerate() {
            if flag.contains(Flags::LIVE | Flags::FAULTY)
                && let Some(problem) =
                    self.bodies.problem(slot, Checked { rotation: true, velocity: self.settings.look_ahead > 0.0 })
            {
                self.faults.push(Fault { body: self.slots.handle(slot), problem });
            }
            if flag.contains(Flags::WOKEN) {
                *flag -= Flags::WOKEN;
                self.asleep -= 1;
                self.woken.push(self.slots.handle(slot));
            }
        }
        self.woken.sort_unstable_by_key(|handle| handle.index());
    }

    /// Mends the list, and returns how many bodies were renewed.
    fn renew(&mut self, census: Census) -> Result<usize, PipelineError> {
        // Where a body has walked out of its box, others are about to: mend once for all of them. If these are many,
        // all bodies that move are renewed together: that list lasts two to three times as long as the mended one
        // would. And if many bodies have to be swept, all are.
        let (marked, most) = if census.strays > 0 && !self.renew_all {
            (self.tracks.mark_nearly_out(&self.bodies, self.settings.look_ahead), self.live / NEARLY_OUT_ONE_IN)
        } else {
            (census.renew, self.live / MANY)
        };
        let moving = self.live - census.still;
        // Where space repeats, the list is always made as a whole.
        let all_that_moved = marked > most || self.lattice.repeats();
        match self.settings.skin {
            Skin::Auto => self.choose_skin(moving, marked, all_that_moved || self.renew_all),
            Skin::Fixed(skin) if all_that_moved || self.renew_all => (self.motion.skin, self.motion.age) = (skin, 0),
            Skin::Fixed(_) => {}
        }
        let terms = Terms {
            margin: self.settings.margin,
            skin: self.motion.skin,
            look_ahead: self.settings.look_ahead,
            limit: self.settings.limit,
            renewal: if self.renew_all {
                Renewal::FromScratch
            } else if !all_that_moved {
                Renewal::Marked
            } else if moving > self.live / MOVING {
                Renewal::Everybody
            } else {
                Renewal::Moved
            },
            round: self.templates.only_balls(),
        };
        Ok(self.search.renew(&self.bodies, &mut self.tracks, &self.lattice, terms)?)
    }

    /// Chooses the skin, before a list is mended of which `marked` bodies are about to be renewed while `moving` bodies
    /// move. A skin is chosen if all that moved are renewed (`anew`) or few move. Before that, adjusts how often single
    /// bodies' skins are doubled.
    fn choose_skin(&mut self, moving: usize, marked: usize, anew: bool) {
        let look_ahead = self.settings.look_ahead;
        // If many move, a skin is chosen only when all that moved are renewed; where most rest, that may never happen.
        let few_move = moving <= self.live / MOVING;
        if few_move {
            // The skin is chosen for these few: none of them needs a thicker one.
            self.tracks.forget_marked_doublings(&self.bodies, look_ahead);
        } else if self.renew_all || marked > self.live / TOGETHER {
            self.tracks.halve_skins(&self.bodies, look_ahead);
        } else {
            self.tracks.double_skins(&self.bodies, look_ahead);
        }
        // Without a skin, every body that moves is renewed in each frame, so the marked bodies are a sample.
        if self.motion.skin == 0.0 && !self.renew_all && !self.motion.has_met_many() {
            self.motion.take(self.tracks.marked_steps(self.bodies.positions()));
        }
        if anew || few_move {
            // A list that is made as a whole grows all boxes, not only those of bodies that move.
            let whole = self.renew_all || self.lattice.repeats();
            self.motion.choose(self.crowd(if whole { self.live } else { moving }));
            self.motion.age = 0;
        }
    }

    /// The measures that a skin is chosen by, for a list for which `renewed` bodies are swept.
    fn crowd(&self, renewed: usize) -> Crowd {
        let (flags, positions) = (&self.tracks.flags, self.bodies.positions());
        let stride = flags.len().div_ceil(PLACES).max(1);
        let some = || (0..flags.len()).step_by(stride).filter(|&slot| flags[slot].is_sound());
        let mut places = [0.0; PLACES];
        let spread = [0, 1, 2].map(|axis| match axis {
            axis if axis >= S::DIMENSION => Spread::Over(0.0),
            axis if self.lattice.length(axis) > 0.0 => Spread::Again(self.lattice.length(axis)),
            axis => {
                let mut count = 0;
                for (place, slot) in places.iter_mut().zip(some()) {
                    *place = positions[slot][axis];
                    count += 1;
                }
                Spread::of(&mut places[..count])
            }
        });
        let width = self.search.typical_extent(some());
        let (bodies, still) = (renewed as f64, (self.live - renewed) as f64);
        let grown = if renewed > self.live / MOVING { 1.0 } else { bodies / self.live.max(1) as f64 };
        Crowd { bodies, still, grown, pairs: self.search.candidates() as f64, width, dimension: S::DIMENSION, spread }
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
