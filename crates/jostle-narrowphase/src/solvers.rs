//! One solver for each class whose packets need no search: closed forms, separating axes, and any two support maps.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::answer::{Answer, Nearly};
use crate::any_family::AnyPacked;
use crate::boxes::depth::{least_axis, witness};
use crate::boxes::pair::Boxes;
use crate::distance::{Asked, Distance};
use crate::families::Family;
use crate::frame::{PairLanes, Traits};
use crate::gjk::Cores;
use crate::query::{Query, Solve, SolveSpace};
use crate::sides::polygons::{MOST_FOR_DISTANCES, Placed, Polygons};
use crate::toward::toward;

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
            const LONG: bool = false;
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

impl<S: SolveSpace, T: Scalar> Solve<S, Distance<'_, S, T>> for BoxBoxDepth {
    const LONG: bool = false;
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
        let nearly = Nearly::flat(pair.magnitude);
        let proved = Answer::freed(pair, &least.axis, point, fits, nearly);
        let rest = Answer::lacks_points(pair, &least.axis, fits);
        if !rest.any() {
            return proved;
        }
        let [a, b] = boxes.maps().map(AnyPacked::Box);
        proved.with_points(&Answer::inside(pair, [&a, &b], &least.axis, rest), rest)
    }
}

impl<S, Q, A, B> Solve<S, Q> for General<A, B>
where
    S: SolveSpace,
    Q: Query<S>,
    A: Family<S>,
    B: Family<S>,
{
    const KEEPS_SIMPLEX: bool = true;
    type Kept<'s, L: Lanes>
        = KeptCores<'s, S, L, A, B>
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
        kept: &mut Self::Kept<'s, L>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L> {
        if const { S::DIMENSION == 2 && Q::ASKS_SIDES && A::POLYGONS && B::POLYGONS } {
            let KeptCores { polygons, cores } = kept;
            // Not `get_or_insert_default`, which is not always inlined.
            if polygons.is_none() {
                *polygons = Some([Polygons::default(); 2]);
            }
            let Some(polygons) = polygons else { unreachable!("there is room by now") };
            self.0.polygons(pair.numbers[0], pair.scale, picks, &mut polygons[0]);
            self.1.polygons(pair.numbers[1], pair.scale, picks, &mut polygons[1]);
            return Q::sides(
                asked,
                pair,
                Polygons::both_there(polygons),
                Placed { polygons, offset: pair.offset, rotation: pair.rotation, magnitude: pair.magnitude },
                // Here and nowhere else: it is large.
                #[inline(always)]
                || self.search::<S, Q, L>(cores, asked, pair, picks),
            );
        }
        self.search::<S, Q, L>(&mut kept.cores, asked, pair, picks)
    }
}

/// Packed cores of both.
type PackedCores<'s, S, L, A, B> = (Option<<A as Family<S>>::Packed<'s, L>>, Option<<B as Family<S>>::Packed<'s, L>>);

/// What is kept from packet to packet.
pub struct KeptCores<'s, S: Space, L: Lanes, A: Family<S> + 's, B: Family<S> + 's> {
    polygons: Option<[Polygons<S, L, MOST_FOR_DISTANCES>; 2]>,
    cores: PackedCores<'s, S, L, A, B>,
}

impl<S: Space, L: Lanes, A: Family<S>, B: Family<S>> Default for KeptCores<'_, S, L, A, B> {
    #[inline(always)]
    fn default() -> Self {
        Self { polygons: None, cores: (None, None) }
    }
}

impl<A, B> General<A, B> {
    /// By their support maps.
    #[inline(always)]
    fn search<'s, S, Q, L>(
        &'s self,
        (a, b): &mut PackedCores<'s, S, L, A, B>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L>
    where
        S: SolveSpace,
        Q: Query<S>,
        L: Lanes<Scalar = Q::Scalar>,
        A: Family<S>,
        B: Family<S>,
    {
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
        let cores = Cores { a, b, offset: pair.offset, rotation: pair.rotation };
        Q::cores(asked, pair, (&self.0, &self.1), &cores, way)
    }
}
