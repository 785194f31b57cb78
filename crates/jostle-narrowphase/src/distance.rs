//! The question that the crate is about: how far apart, or how deep, and at which points.

use core::cell::RefCell;

use jostle_lanes::{Lanes, Mask, Scalar, Space};
use jostle_shape::SupportMap;

use crate::answer::Answer;
use crate::boxes::apart::apart;
use crate::boxes::pair::Boxes;
use crate::boxes::point::point_apart;
use crate::cache::{Caches, recall, remember};
use crate::curved::beside::{FrustumsApart, nearness};
use crate::families::Family;
use crate::frame::{AtRest, PairLanes, Placing};
use crate::gjk::{Beside, Cores, FinalSimplex, Fully, Gjk, KnownSimplex, Start, gjk, search_beside, search_from};
use crate::gjk_touching::or_touching;
use crate::noise::{CONVERGED, NEARNESS, noise, tells_touching};
use crate::pick::{OpenPairs, Packet, Pick};
use crate::polytope::room::DepthRoom;
use crate::proximity::Proximity;
use crate::query::{Query, SolveSpace};
use crate::scatter::{leave_open, scatter};
use crate::segment::{points, segments};
use crate::sides::Sided;
use crate::simplex::SimplexSpace;

/// How far apart, or how deep: the question that the crate is about.
pub struct Distance<'q, S: SimplexSpace, T: Scalar> {
    /// What is asked now.
    pub stage: Stage,
    /// The final simplices of the pairs, if they were found to overlap.
    pub simplices: &'q [FinalSimplex<S, T>],
    /// Memory for the search for a depth.
    pub room: &'q RefCell<DepthRoom<S, T>>,
    /// Where searches for these pairs ended, if the caller keeps it from question to question.
    pub caches: Option<&'q RefCell<Caches<'q, S, T>>>,
    /// How far the bounds of a distance may be apart (see [`Effort::doubt`](crate::resolve::Effort::doubt)).
    pub doubt: f64,
}

/// What is asked of W pairs.
#[derive(Clone, Copy, Debug)]
pub struct AskedDistance<S: Space, L: Lanes> {
    /// How far the bounds of a distance may be apart, scaled.
    pub doubt: L,
    /// Where the search ended last time.
    pub known: Option<KnownSimplex<S, L>>,
    /// Whose overlap is a guess (see [`Answer::guessed`]).
    pub guessed: L::Mask,
}

/// A distance is asked in two steps, each of them dense in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The distance, and such depths as come with it (in the plane, those told by sides); other overlaps are left open.
    Distance,
    /// The depth of what overlaps.
    Depth,
}

impl<S: SolveSpace, T: Scalar> Query<S> for Distance<'_, S, T> {
    type Scalar = T;
    type Row = Proximity<S, T>;
    type Asked<L: Lanes> = AskedDistance<S, L>;
    type Answer<L: Lanes> = Answer<S, L>;
    type Open = OpenPairs<S, T>;

    #[inline(always)]
    fn placing<'p>(&'p self, _: &'p [Pick]) -> impl Placing + 'p {
        AtRest
    }
    #[inline(always)]
    fn ask<L: Lanes<Scalar = T>, const KEEPS_SIMPLEX: bool>(
        &self,
        pair: &PairLanes<S, L>,
        packet: &[Pick],
    ) -> AskedDistance<S, L> {
        let doubt = pair.magnitude * L::splat(T::from_f64(self.doubt));
        let mut known = None;
        if const { KEEPS_SIMPLEX }
            && let Some(caches) = self.caches
        {
            let caches = caches.borrow();
            if caches.any(packet) {
                known = Some(recall(&caches, packet, pair).known);
            }
        }
        let mut guessed = 0;
        if const { tells_touching::<T>() } && self.stage == Stage::Depth {
            for (lane, pick) in packet.iter().enumerate() {
                guessed |= u32::from(pick.guessed) << lane;
            }
        }
        AskedDistance { doubt, known, guessed: L::Mask::from_bits(guessed) }
    }

    #[inline(always)]
    fn prefetch(&self, pick: &Pick) {
        if let Some(caches) = self.caches {
            caches.borrow().prefetch(pick);
        }
    }

    const ASKS_SIDES: bool = true;
    #[inline(always)]
    fn sides<L: Lanes>(
        AskedDistance { doubt, .. }: AskedDistance<S, L>,
        pair: &PairLanes<S, L>,
        there: L::Mask,
        mut sided: impl Sided<S, L>,
        search: impl FnOnce() -> Answer<S, L>,
    ) -> Answer<S, L> {
        let mut by_sides = (Answer::unknown(), L::Mask::splat(false));
        if there.any() {
            let facing = sided.facing();
            let (answer, known) = facing.answer(pair, sided.along(facing.between()), doubt);
            let known = known & there;
            if known.all() {
                return answer;
            }
            by_sides = (answer, known);
        }
        // (Of two ways that come to the same call the compiler would make two: no `Option` that is matched behind it.)
        let searched = search();
        Answer::select(by_sides.1, by_sides.0, searched)
    }

    #[inline(always)]
    fn points<L: Lanes>(AskedDistance { doubt, .. }: AskedDistance<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        Answer::apart(pair, &points(pair.offset, noise(CONVERGED, pair.magnitude)), doubt)
    }

    #[inline(always)]
    fn segments<L: Lanes>(asked: AskedDistance<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        let [[_, half_a, _], [_, half_b, _]] = pair.numbers;
        let tolerance = noise(CONVERGED, pair.magnitude);
        let answer = Answer::apart(pair, &segments(half_a, half_b, pair.offset, pair.rotation, tolerance), asked.doubt);
        // In space hardly any two cross.
        if const { S::DIMENSION == 2 } && answer.overlap.any() {
            return crossing(asked, pair, answer);
        }
        answer
    }

    #[inline(always)]
    fn point_box<L: Lanes>(asked: AskedDistance<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        Answer::apart(pair, &point_apart(&Boxes::of(pair), noise(CONVERGED, pair.magnitude)), asked.doubt)
    }

    #[inline(always)]
    fn segment_box<L: Lanes>(asked: AskedDistance<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        let found = boxes_apart::<S, L, true>(&Boxes::of(pair), noise(CONVERGED, pair.magnitude));
        Answer::apart(pair, &found, asked.doubt)
    }

    #[inline(always)]
    fn boxes<L: Lanes>(asked: AskedDistance<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        let (boxes, tolerance) = (Boxes::of(pair), noise(CONVERGED, pair.magnitude));
        let every = L::Mask::splat(true);
        if const { S::DIMENSION == 2 } {
            return Self::sides(
                asked,
                pair,
                every,
                &boxes,
                #[inline(always)]
                || Answer::apart(pair, &apart_searched(&boxes, tolerance, every), asked.doubt),
            );
        }
        Answer::apart(pair, &boxes_apart::<S, L, false>(&boxes, tolerance), asked.doubt)
    }

    #[inline(always)]
    fn cores<L, F, G, A, B>(
        asked: AskedDistance<S, L>,
        pair: &PairLanes<S, L>,
        families: (&F, &G),
        cores: &Cores<'_, S, L, A, B>,
        toward: S::Vector<L>,
    ) -> Answer<S, L>
    where
        L: Lanes,
        F: Family<S>,
        G: Family<S>,
        A: SupportMap<S, L> + ?Sized,
        B: SupportMap<S, L> + ?Sized,
    {
        let AskedDistance { doubt, known, .. } = asked;
        let start = Start { toward, known };
        let (tolerance, every) = (noise(CONVERGED, pair.magnitude), L::Mask::splat(true));
        if const { F::FRUSTUMS && G::FRUSTUMS } {
            let mut beside = FrustumsApart::new(pair, tolerance);
            let ended = search_beside::<true, _, _, _, _, _, _>(cores, &start, tolerance, every, Fully, &mut beside);
            let mut found = beside.or(ended.measured());
            let mut answer = Answer::apart(pair, &found, doubt);
            // As for cans that stand on each other, of whose caps GJK met two points and no third.
            if const { !tells_touching::<L::Scalar>() } {
                let open = answer.left_open(pair);
                if open.any() {
                    beside.take(found.v, open);
                    found = beside.or(found);
                    answer = Answer::apart(pair, &found, doubt);
                }
            }
            let answer = Answer { simplex: ended.final_simplex(), ..answer };
            return or_touching(answer, pair, cores, &ended).or_nearly(pair, &found, nearness(pair));
        }
        let ended = search_from(cores, &start, tolerance, every, Fully);
        let found = ended.measured();
        let answer = Answer { simplex: ended.final_simplex(), ..Answer::apart(pair, &found, doubt) };
        let answer = or_touching(answer, pair, cores, &ended);
        if const { F::MIXED || G::MIXED || F::FRUSTUMS != G::FRUSTUMS }
            && families.0.frustums() != families.1.frustums()
        {
            // Their search tells what its own points are worth.
            answer.or_nearly(pair, &found, pair.magnitude * L::constant(NEARNESS))
        } else {
            answer
        }
    }

    #[inline(always)]
    fn scatter<L: Lanes<Scalar = T>, const KEEPS_SIMPLEX: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        answer: &Answer<S, L>,
        rows: &mut [Proximity<S, T>],
        open: &mut OpenPairs<S, T>,
    ) {
        scatter(packet, answer, rows);
        if const { KEEPS_SIMPLEX }
            && let Some(caches) = self.caches
        {
            let mut caches = caches.borrow_mut();
            if caches.any(packet.picks) {
                remember(&mut caches, packet.picks, packet.lanes, &answer.simplex);
            }
        }
        leave_open::<_, _, KEEPS_SIMPLEX>(
            packet.picks.len(),
            #[inline(always)]
            |lane| packet.picks[lane],
            answer,
            open,
        );
    }
}

/// Boxes (the first a segment, if that is said) by their closed form, and where that leaves something open by GJK.
#[inline(always)]
fn boxes_apart<S: SolveSpace, L: Lanes, const SEGMENT: bool>(boxes: &Boxes<S, L>, tolerance: L) -> Gjk<S, L> {
    let (found, known) = apart::<S, L, SEGMENT>(boxes, tolerance);
    if known.all() {
        return found;
    }
    Gjk::select(known, found, apart_searched(boxes, tolerance, !known))
}

/// Boxes whose closed form leaves something open, in the lanes that are true in `active`. (Set apart: few packets.)
#[inline(always)]
fn apart_searched<S: SimplexSpace, L: Lanes>(boxes: &Boxes<S, L>, tolerance: L, active: L::Mask) -> Gjk<S, L> {
    L::enter(
        #[inline(always)]
        || {
            let [a, b] = boxes.maps();
            gjk(&Cores { a: &a, b: &b, offset: boxes.offset, rotation: boxes.rotation }, tolerance, active)
        },
    )
}

/// Segments that cross in the plane, where `apart` has found them to: as deep as the nearest side of B - A, with the
/// witness points of that side. (Set apart: few packets. Solved one by one, one pair in a hundred took a fifth of a
/// frame.)
#[inline(always)]
fn crossing<S: SolveSpace, L: Lanes>(
    asked: AskedDistance<S, L>,
    pair: &PairLanes<S, L>,
    apart: Answer<S, L>,
) -> Answer<S, L> {
    L::enter(
        #[inline(always)]
        || {
            Distance::<S, L::Scalar>::sides(
                asked,
                pair,
                apart.overlap,
                // A segment is a box without width.
                &Boxes::of(pair),
                #[inline(always)]
                || apart,
            )
        },
    )
}
