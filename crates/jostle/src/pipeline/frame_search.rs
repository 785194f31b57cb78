//! Finds a frame's rows, and keeps those of the last frame: in open space, or where space repeats.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::{Bodies, CustomShape};
use jostle_tasks::{self as tasks, Few, make_room};

use super::events::{ContactState, Owners, Piece, Turnover};
use super::keyed_rows::KeyedRows;
use super::link::{ImageLink, Link, Repeats};
use super::list::{List, Terms};
use super::question::FrameQuestion;
use super::report::Frame;
use super::solve::Solver;
use super::track::Tracks;
use crate::clock::Moment;
use crate::error::ContactsError;
use crate::lattice::Lattice;

/// The search in open space or in space that repeats.
#[derive(Clone, Debug)]
pub enum FrameSearch<S: Dimension, T: Precision> {
    Open(Finder<S, T, [u32; 2]>),
    Repeating(Finder<S, T, ImageLink>),
}

/// The list of pairs, and the rows found from it.
#[derive(Clone, Debug)]
pub struct Finder<S: Dimension, T: Precision, L: Link> {
    list: List<S, T, L>,
    solver: Solver<S, T, L>,
    now: KeyedRows<S, T, L>,
    /// The rows of the last frame; those of the next frame are written over them.
    before: KeyedRows<S, T, L>,
    /// The keys of the last frame whose events were reported, if that was not the last one.
    reported: Option<Vec<L>>,
}

impl<S: Dimension, T: Precision, L: Link> Default for Finder<S, T, L> {
    fn default() -> Self {
        Self {
            list: List::default(),
            solver: Solver::default(),
            now: KeyedRows::default(),
            before: KeyedRows::default(),
            reported: None,
        }
    }
}

impl<S: Dimension, T: Precision, L: Link> Finder<S, T, L> {
    /// Takes over the rows of the other search, with their keys converted by `link`.
    fn taken_over<M: Link>(other: &mut Finder<S, T, M>, link: impl Fn(M) -> L) -> Self {
        let convert = |keys: Vec<M>| keys.into_iter().map(&link).collect();
        let (rows, reported) = (core::mem::take(&mut other.now), other.reported.take());
        let now = KeyedRows { keys: convert(rows.keys), rows: rows.rows };
        Self { now, reported: reported.map(convert), ..Self::default() }
    }
}

/// Options of a frame beside its [`FrameQuestion`].
#[derive(Clone, Copy, Debug)]
pub struct FrameOptions<'t> {
    pub owners: Owners<'t>,
    /// How far any point of the fastest body in its box has moved since the last frame, metres: see `Census::way`.
    pub way: f64,
    /// Metres.
    pub skin: f64,
    /// Whether there are still bodies whose rows may be taken over from the last frame.
    pub rests: bool,
    /// Whether searches begin where those of the last frame ended.
    pub warm_start: bool,
}

impl<S: Dimension, T: Precision> FrameSearch<S, T> {
    /// Changes to the other search if the lattice asks for it. Rows are kept. False if nothing is listed now.
    ///
    /// When space stops repeating, contacts with images have to end first, which takes one frame.
    pub fn suit(&mut self, lattice: &Lattice<S>, tracks: &mut Tracks<S, T>) -> bool {
        match self {
            Self::Open(finder) if lattice.repeats() => {
                let link = |slots| ImageLink::new(slots, [0; 3]);
                *self = Self::Repeating(Finder::taken_over(finder, link));
                false
            }
            Self::Repeating(finder) if !lattice.repeats() => {
                let of_itself = |key: &ImageLink| key.image_by_numbers(tracks.wraps()) == [0; 3];
                if !finder.now.keys.iter().chain(finder.reported.iter().flatten()).all(of_itself) {
                    return true;
                }
                *self = Self::Open(Finder::taken_over(finder, ImageLink::slots));
                tracks.forget_wraps();
                false
            }
            Self::Open(_) | Self::Repeating(_) => true,
        }
    }

    /// The number of listed pairs.
    pub fn candidates(&self) -> usize {
        match self {
            Self::Open(finder) => finder.list.pairs().len(),
            Self::Repeating(finder) => finder.list.pairs().len(),
        }
    }
    /// The typical width of boxes, metres, of a sample of slots in ascending order.
    pub fn typical_extent(&self, slots: impl Iterator<Item = usize>) -> f64 {
        match self {
            Self::Open(finder) => finder.list.typical_extent(slots),
            Self::Repeating(finder) => finder.list.typical_extent(slots),
        }
    }
    /// The rows of the last frame.
    pub fn rows(&self) -> &[Proximity<S, T>] {
        match self {
            Self::Open(finder) => &finder.now.rows,
            Self::Repeating(finder) => &finder.now.rows,
        }
    }
    /// The place of the first row of two slots, `a < b` or `a = b`.
    pub fn place(&self, slots: [u32; 2]) -> Option<usize> {
        match self {
            Self::Open(finder) => finder.now.place(slots),
            Self::Repeating(finder) => finder.now.place(slots),
        }
    }

    /// Brings the list up to date, and returns how many bodies were renewed.
    pub fn renew<U: CustomShape<S>>(
        &mut self,
        bodies: &Bodies<S, U>,
        tracks: &mut Tracks<S, T>,
        lattice: &Lattice<S>,
        terms: Terms,
    ) -> Result<usize, ContactsError> {
        match self {
            Self::Open(finder) => finder.list.renew(bodies, tracks, terms),
            Self::Repeating(finder) => finder.list.renew(bodies, tracks, lattice, terms),
        }
    }

    /// Finds this frame's rows, and what became of the contacts of the last frame.
    pub fn find<U, D, V>(
        &mut self,
        question: &FrameQuestion<'_, S, T, U>,
        options: FrameOptions<'_>,
        kept: &mut ContactState<D>,
        visitor: Option<&V>,
        frame: &mut Frame,
    ) where
        U: CustomShape<S>,
        D: Copy + Default + Send + Sync,
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        match self {
            Self::Open(finder) => {
                let solved = finder.solve_or_forget(question, options, kept, frame);
                kept.images.clear();
                finder.finish(solved, options.owners, kept, visitor, frame);
            }
            Self::Repeating(finder) => {
                let solved = finder.solve_or_forget(question, options, kept, frame);
                find_images(&finder.now.keys, question.repeats, &mut kept.images);
                finder.finish(solved, options.owners, kept, visitor, frame);
            }
        }
    }
}

/// Links per task. (Prefetching what they need takes longer than waiting for it.)
const LINKS: usize = 4096;

/// Fills in the images of links, by the user's positions; none if space does not repeat any more.
fn find_images<S: Dimension>(links: &[ImageLink], repeats: Repeats<'_, S>, images: &mut Vec<[i32; 3]>) {
    make_room(images, links.len());
    images.resize(if repeats.lattice.repeats() { links.len() } else { 0 }, [0; 3]);
    tasks::each((Few::of(links, LINKS), Few::of(&mut images[..], LINKS)), |_, (links, images)| {
        for (link, image) in links.list.iter().zip(images.list) {
            *image = link.image_by_numbers(repeats.wraps);
        }
    });
}

impl<S: Dimension, T: Precision, L: Link> Finder<S, T, L> {
    /// The same as [`solve`](Self::solve), but if a custom shape panics, no rows are left, and the next frame reports
    /// what has changed since the last frame that was reported.
    fn solve_or_forget<U: CustomShape<S>, D: Copy + Default + Send + Sync>(
        &mut self,
        question: &FrameQuestion<'_, S, T, U>,
        options: FrameOptions<'_>,
        kept: &mut ContactState<D>,
        frame: &mut Frame,
    ) -> Moment {
        let solved = catch_unwind(AssertUnwindSafe(|| self.solve(question, options, frame)));
        solved.unwrap_or_else(|panic| {
            self.reported.get_or_insert_with(|| core::mem::take(&mut self.now.keys));
            self.now.set_length(0);
            self.before.set_length(0);
            kept.forget_frame();
            resume_unwind(panic)
        })
    }

    /// Finds this frame's rows, and moves those of the last frame to `before`. Returns when it was done.
    fn solve<U: CustomShape<S>>(
        &mut self,
        question: &FrameQuestion<'_, S, T, U>,
        options: FrameOptions<'_>,
        frame: &mut Frame,
    ) -> Moment {
        let start = Moment::now();
        let Self { list, solver, now, before, .. } = self;
        if !options.rests {
            // The old rows will not be read: the new ones are written over them, where the memory is warm.
            core::mem::swap(&mut now.rows, &mut before.rows);
        }
        let course = list.course(options.way, options.skin, options.warm_start);
        let tally = solver.solve(question, options.rests.then_some(&*now), course, before);
        (frame.solved, frame.rescued) = (tally.solved, tally.rescued);
        core::mem::swap(now, before);
        let end = Moment::now();
        frame.narrowphase = end - start;
        end
    }

    /// Finds what began, persists and ended. If the visitor panics, the next frame does so from the same contacts as
    /// this one.
    fn finish<D, V>(
        &mut self,
        start: Moment,
        owners: Owners<'_>,
        kept: &mut ContactState<D>,
        visitor: Option<&V>,
        frame: &mut Frame,
    ) where
        D: Copy + Default + Send + Sync,
        V: Fn(Piece<'_, S, T, D>) + Sync,
    {
        let old = self.reported.as_ref().unwrap_or(&self.before.keys);
        match catch_unwind(AssertUnwindSafe(|| kept.turn_over(&self.now, old, owners, visitor))) {
            Ok(Turnover { began, ended }) => {
                (frame.began, frame.ended) = (began, ended);
                self.reported = None;
            }
            Err(panic) => {
                kept.go_back();
                self.reported.get_or_insert_with(|| core::mem::take(&mut self.before.keys));
                resume_unwind(panic);
            }
        }
        frame.contacts = self.now.keys.len();
        frame.events = start.elapsed();
    }
}
