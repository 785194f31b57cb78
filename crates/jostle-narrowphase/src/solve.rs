//! One solver per kind of pair: what happens between gathering a packet and scattering its answers.

use core::cell::RefCell;

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};
use jostle_shape::{MAX_WIDTH, SupportMap};

use crate::answer::{Answer, Nearly};
use crate::boxes::{BoxSpace, Boxes, apart, least_axis, witness};
use crate::cache::{Caches, recall, remember};
use crate::class::{Class, Dimension, Job, Precision};
use crate::curved::{FrustumsApart, nearness};
use crate::families::{Families, Family};
use crate::frame::{AtRest, PairLanes, Placing, Traits};
use crate::gjk::{Cores, Fully, Gjk, Known, Met, Start, gjk, search_beside, search_from};
use crate::noise::{APART, CONVERGED, noise};
use crate::packet::{Open, Pick, leave_open, scatter};
use crate::polytope::Room;
use crate::proximity::Proximity;
use crate::query::{Packet, Query};
use crate::record::RecordSpace;
use crate::segment::{points, segments};
use crate::simplex::SimplexSpace;
use crate::touching::or_touching;
use crate::toward::{TowardSpace, toward};

/// A space in which pairs can be solved: the plane and space.
pub trait SolveSpace: SimplexSpace + BoxSpace + RecordSpace + TowardSpace {}
impl<S: SimplexSpace + BoxSpace + RecordSpace + TowardSpace> SolveSpace for S {}

/// Puts a question to W pairs of one kind.
pub trait Solve<S: SolveSpace, Q: Query<S>> {
    /// True if what it met of overlapping pairs is worth keeping for the search for their depth.
    const MEETS: bool = false;
    /// What is kept from packet to packet so that its memory is used again; at first nothing. No answer may depend on it.
    type Kept<'s, L: Lanes>: Default
    where
        Self: 's;
    /// What the bodies may have.
    #[inline(always)]
    fn traits(&self) -> Traits {
        Traits::TURNED
    }
    /// Asks for the memory of one of the class's pairs, which will be solved soon.
    #[inline(always)]
    fn prefetch(&self, _pick: usize) {}
    /// `picks` says which of the class's pairs is in each lane, for what is kept beside the records.
    fn solve<'s, L: Lanes<Scalar = Q::Scalar>>(
        &'s self,
        kept: &mut Self::Kept<'s, L>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L>;
}

/// Balls.
#[derive(Clone, Copy, Debug)]
pub struct PointPoint;

/// Capsules, and balls against capsules.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSegment;

/// Boxes, and balls and capsules against boxes.
#[derive(Clone, Copy, Debug)]
pub struct BoxBox;

/// The depth of those that overlap.
#[derive(Clone, Copy, Debug)]
pub struct BoxBoxDepth;

/// Two cores known by their support maps alone.
#[derive(Clone, Copy, Debug)]
pub struct General<A, B>(pub A, pub B);

macro_rules! asks {
    ($solver:ident, $question:ident, $traits:ident) => {
        impl<S: SolveSpace, Q: Query<S>> Solve<S, Q> for $solver {
            type Kept<'s, L: Lanes> = ();
            #[inline(always)]
            fn traits(&self) -> Traits {
                Traits::$traits
            }
            #[inline(always)]
            fn solve<L: Lanes<Scalar = Q::Scalar>>(
                &self,
                (): &mut (),
                asked: Q::Asked<L>,
                pair: &PairLanes<S, L>,
                _: &[usize; MAX_WIDTH],
            ) -> Q::Answer<L> {
                Q::$question(asked, pair)
            }
        }
    };
}

asks!(PointPoint, points, ROUND);
asks!(SegmentSegment, segments, TURNED);
asks!(BoxBox, boxes, TURNED);

impl<S: SolveSpace, T: Precision> Solve<S, Distance<'_, S, T>> for BoxBoxDepth {
    type Kept<'s, L: Lanes> = ();
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(
        &self,
        (): &mut (),
        _: Asked<S, L>,
        pair: &PairLanes<S, L>,
        _: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let boxes = Boxes::of(pair);
        let least = least_axis(&boxes);
        let (point, fits) = witness(&boxes, &least);
        let nearly = Nearly::flat(pair);
        let proved = Answer::freed(pair, &least.axis, point, fits, nearly);
        let rest = Answer::lacks_points(pair, &least.axis, fits);
        if !rest.any() {
            return proved;
        }
        let [a, b] = boxes.maps();
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        proved.with_points(&Answer::inside(pair, &cores, &least.axis, rest, nearly), rest)
    }
}

impl<S, Q, A, B> Solve<S, Q> for General<A, B>
where
    S: SolveSpace,
    Q: Query<S>,
    A: Family<S>,
    B: Family<S>,
{
    const MEETS: bool = true;
    type Kept<'s, L: Lanes>
        = (Option<A::Packed<'s, L>>, Option<B::Packed<'s, L>>)
    where
        Self: 's;

    #[inline(always)]
    fn traits(&self) -> Traits {
        Traits { centred: [self.0.centred(), self.1.centred()], turned: true }
    }
    #[inline(always)]
    fn prefetch(&self, pick: usize) {
        self.0.prefetch::<Q::Scalar>(pick);
        self.1.prefetch::<Q::Scalar>(pick);
    }

    #[inline(always)]
    fn solve<'s, L: Lanes<Scalar = Q::Scalar>>(
        &'s self,
        (a, b): &mut Self::Kept<'s, L>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L> {
        let a = self.0.pack(a, pair.numbers[0], pair.scale, picks);
        let b = self.1.pack(b, pair.numbers[1], pair.scale, picks);
        let mut way = pair.offset;
        // Not for whole packets: an answer may not depend on the company.
        let large = self.0.large::<L>(picks) | self.1.large::<L>(picks);
        if large.any() {
            let extents_a = self.0.extents(pair.numbers[0], pair.scale, picks);
            let extents_b = self.1.extents(pair.numbers[1], pair.scale, picks);
            way = S::Vector::select(large, toward(pair, [extents_a, extents_b]), pair.offset);
        }
        let cores = Cores { a, b, offset: pair.offset, turn: pair.turn };
        Q::cores(asked, pair, (&self.0, &self.1), &cores, way)
    }
}

/// How far apart, or how deep: the question that the crate is about.
pub struct Distance<'q, S: SimplexSpace, T: Scalar> {
    /// What is asked now.
    pub stage: Stage,
    /// What was met of the pairs, if they were found to overlap.
    pub met: &'q [Met<S, T>],
    /// Memory for the search for a depth.
    pub room: &'q RefCell<Room<S, T>>,
    /// Where searches for these pairs ended, if anybody keeps it.
    pub caches: Option<&'q RefCell<Caches<'q, S, T>>>,
    /// How far the bounds of a distance may be apart (see [`Effort::doubt`](crate::resolve::Effort::doubt)).
    pub doubt: f64,
}

/// What is asked of W pairs.
#[derive(Clone, Copy, Debug)]
pub struct Asked<S: Space, L: Lanes> {
    /// How far the bounds of a distance may be apart, scaled.
    pub doubt: L,
    /// Where the search ended last time.
    pub known: Option<Known<S, L>>,
}

/// A distance is asked in two steps, each of them dense in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The distance; what overlaps is left open.
    Distance,
    /// The depth of what overlaps.
    Depth,
}

impl<S: SolveSpace, T: Precision> Query<S> for Distance<'_, S, T> {
    type Scalar = T;
    type Row = Proximity<S, T>;
    type Asked<L: Lanes> = Asked<S, L>;
    type Answer<L: Lanes> = Answer<S, L>;
    type Open = Open<S, T>;

    #[inline(always)]
    fn placing<'p>(&'p self, _: &'p [Pick]) -> impl Placing + 'p {
        AtRest
    }
    #[inline(always)]
    fn ask<L: Lanes<Scalar = T>, const MEETS: bool>(&self, pair: &PairLanes<S, L>, packet: &[Pick]) -> Asked<S, L> {
        let doubt = pair.magnitude * L::splat(T::from_f64(self.doubt));
        let mut known = None;
        if const { MEETS }
            && let Some(caches) = self.caches
        {
            let caches = caches.borrow();
            if caches.any(packet) {
                known = Some(recall(&caches, packet, pair).known);
            }
        }
        Asked { doubt, known }
    }

    #[inline(always)]
    fn prefetch(&self, pick: &Pick) {
        if let Some(caches) = self.caches {
            caches.borrow().prefetch(pick);
        }
    }

    #[inline(always)]
    fn points<L: Lanes>(Asked { doubt, .. }: Asked<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        Answer::apart(pair, &points(pair.offset, noise(CONVERGED, pair.magnitude)), doubt)
    }

    #[inline(always)]
    fn segments<L: Lanes>(Asked { doubt, .. }: Asked<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        let [[_, half_a, _], [_, half_b, _]] = pair.numbers;
        let tolerance = noise(CONVERGED, pair.magnitude);
        Answer::apart(pair, &segments(half_a, half_b, pair.offset, pair.turn, tolerance), doubt)
    }

    #[inline(always)]
    fn boxes<L: Lanes>(Asked { doubt, .. }: Asked<S, L>, pair: &PairLanes<S, L>) -> Answer<S, L> {
        let (boxes, tolerance) = (Boxes::of(pair), noise(CONVERGED, pair.magnitude));
        let (mut found, known) = apart(&boxes, tolerance);
        if !known.all() {
            let [a, b] = boxes.maps();
            let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
            found = Gjk::select(known, found, gjk(&cores, tolerance, !known));
        }
        Answer::apart(pair, &found, doubt)
    }

    #[inline(always)]
    fn cores<L, F, G, A, B>(
        asked: Asked<S, L>,
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
        let Asked { doubt, known } = asked;
        let start = Start { toward, known };
        let (tolerance, every) = (noise(CONVERGED, pair.magnitude), L::Mask::splat(true));
        if const { F::FRUSTUMS && G::FRUSTUMS } {
            let mut beside = FrustumsApart::new(pair, tolerance);
            let ended = search_beside::<true, _, _, _, _, _, _>(cores, &start, tolerance, every, Fully, &mut beside);
            let found = beside.or(ended.measured());
            let answer = Answer { met: ended.met(), ..Answer::apart(pair, &found, doubt) };
            return or_touching(answer, pair, cores, &ended).or_nearly(pair, &found, nearness(pair));
        }
        let ended = search_from(cores, &start, tolerance, every, Fully);
        let found = ended.measured();
        let answer = Answer { met: ended.met(), ..Answer::apart(pair, &found, doubt) };
        let answer = or_touching(answer, pair, cores, &ended);
        if const { F::MIXED || G::MIXED || F::FRUSTUMS != G::FRUSTUMS }
            && families.0.frustums() != families.1.frustums()
        {
            answer.or_nearly(pair, &found, noise(APART, pair.magnitude))
        } else {
            answer
        }
    }

    #[inline(always)]
    fn scatter<L: Lanes<Scalar = T>, const MEETS: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        answer: &Answer<S, L>,
        rows: &mut [Proximity<S, T>],
        open: &mut Open<S, T>,
    ) {
        scatter(packet, answer, rows);
        if const { MEETS }
            && let Some(caches) = self.caches
        {
            let mut caches = caches.borrow_mut();
            if caches.any(packet.picks) {
                remember(&mut caches, packet.picks, packet.lanes, &answer.met);
            }
        }
        leave_open::<_, _, MEETS>(packet, answer, open);
    }

    fn built_in(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>)
    where
        S: Dimension,
    {
        T::solve(class, job, families);
    }
}
