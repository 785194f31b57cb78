//! A frame, stage by stage: what the pass, the list, the solver and the events are given, and what is kept when one of
//! them fails.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Checked, CustomShape};
use jostle_tasks as tasks;

use super::events::{Owners, Piece};
use super::flags::Flags;
use super::frame_search::{FrameOptions, FrameSearch};
use super::link::Repeats;
use super::list::{Renewal, Terms};
use super::pace::OUT_TOGETHER_ONE_IN;
use super::pass::{Census, Pass};
use super::question::FrameQuestion;
use super::skin::{Crowd, PLACES, Spread};
use super::{Fault, Frame, Pipeline, PipelineError, Skin, Statics};
use crate::clock::Moment;
use crate::weight;

/// If at most one body in this many is about to leave its box, the list is mended; otherwise all that moved are
/// renewed.
const NEARLY_OUT_ONE_IN: usize = 128;
/// Where none has walked out of its box, the same for the bodies that entered, changed or jumped: a new list would last
/// no longer, and would be made in each frame in which as many do. (100,000 walking bodies of which 5 % jump in each
/// frame: discs 0.8 to 0.9 of the time for all frames, balls 0.7 to 0.8; 20 % that come and go 0.8 and 0.9.)
const CHANGED_ONE_IN: usize = 4;
/// When all that moved are renewed and more than one body in this many moves, the bodies at rest are renewed as well.
/// (100,000 discs, a list of 160,000 pairs: with 1 % at rest 8.5 ms instead of 11, with half at rest 10 instead of 12;
/// with 90 % at rest the same.)
const MOVING_ONE_IN: usize = 4;

/// What is taken over from the last frame.
#[derive(Clone, Copy)]
struct Carried {
    /// Rows of pairs of still bodies.
    rows: bool,
    /// Contacts may rest. Not after a frame that failed: what moved in it has not been reported.
    rest: bool,
}

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    pub(super) fn frame<V>(&mut self, visitor: Option<&V>) -> Result<Frame, PipelineError>
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
        // Until it is through, a frame has failed: a limit may be exceeded, and custom shapes and visitors may panic.
        let solve_all = core::mem::replace(&mut self.solve_all, true);
        self.failed = true;
        let carried = Carried { rows: !solve_all && census.resting > 0, rest: !after_failure };
        (frame.faulty, frame.woken) = (census.faulty, self.woken.len());
        let listing = Moment::now();
        frame.motion = listing - start;
        if self.renew_all || census.renew > 0 {
            frame.renewed = self.mend_list(census)?;
        }
        (frame.candidates, frame.skin) = (self.search.candidates(), self.motion.skin);
        frame.broadphase = listing.elapsed();
        self.solve_list(census, carried, visitor, &mut frame);
        (self.failed, self.solve_all) = (false, false);
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
            let (tracks, bodies) = (&self.tracks, &self.bodies);
            self.motion.sample(slots, |slot| {
                let moved = tracks.flags[slot].is_sound() && !tracks.flags[slot].contains(Flags::FRESH);
                moved.then(|| tracks.step(bodies, slot)).filter(|&step| step > 0.0 && step < 1e15)
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
        self.renew_all = result.is_err();
        if self.renew_all && self.settings.skin == Skin::Auto {
            // Too thick a skin may have made too many pairs, and a list that failed is no basis for choosing a better
            // one.
            self.motion.skin = 0.0;
        }
        result
    }

    /// Makes rows and events from the list's pairs.
    fn solve_list<V>(&mut self, census: Census, carried: Carried, visitor: Option<&V>, frame: &mut Frame)
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
            none_rests: self.asleep == 0 || !carried.rest,
        };
        let options = FrameOptions {
            owners,
            way: census.way,
            skin: self.motion.skin,
            rests: carried.rows,
            warm_start: self.settings.warm_start,
        };
        // Before the visitor is called: if it panics, the rows are there.
        (self.found_within, self.found_in) = (self.settings.margin, self.lattice);
        self.search.find(&question, options, &mut self.kept, visitor, frame);
        self.slots.report();
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
            (census.renew, self.live / CHANGED_ONE_IN)
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
            } else if moving > self.live / MOVING_ONE_IN {
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
        let few_move = moving <= self.live / MOVING_ONE_IN;
        if few_move {
            // The skin is chosen for these few: none of them needs a thicker one.
            self.tracks.forget_marked_doublings(&self.bodies, look_ahead);
        } else if self.renew_all || marked > self.live / OUT_TOGETHER_ONE_IN {
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
        let grown = if renewed > self.live / MOVING_ONE_IN { 1.0 } else { bodies / self.live.max(1) as f64 };
        Crowd { bodies, still, grown, pairs: self.search.candidates() as f64, width, dimension: S::DIMENSION, spread }
    }
}
