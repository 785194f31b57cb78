//! Pairs of two families of cores: by their support maps, and in the plane by the sides of small polygons.

use jostle_lanes::{Kernel, Lanes, Mask, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::families::{AnyFamily, Family};
use crate::frame::{PairLanes, Traits};
use crate::gjk::Cores;
use crate::packet::{Job, Packets};
use crate::query::{Query, Solve, SolveSpace};
use crate::sides::polygons::{MOST_FOR_DISTANCES, PlacedPolygons, Polygons};
use crate::toward::toward;

/// Pairs of two families, for whose support maps a kernel is compiled; but one for all families where lanes are [those
/// of old machines](Lanes::FALLBACK): the same bits, of hulls in up to 3 % more time.
pub struct ByFamilies<'j, S: SolveSpace, Q: Query<S>, A, B> {
    /// The pairs.
    pub job: Job<'j, S, Q>,
    /// What the first body of each is.
    pub first: A,
    /// And the second.
    pub second: B,
}

impl<S: SolveSpace, Q: Query<S>, A: Family<S>, B: Family<S>> Kernel<Q::Scalar> for ByFamilies<'_, S, Q, A, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = Q::Scalar>>(self) {
        let Self { job, first, second } = self;
        // Two frustums are asked for more than their support maps.
        if const { L::FALLBACK && !(A::FRUSTUMS && B::FRUSTUMS) } {
            solve_any::<S, Q, L>(job, General(first.any(), second.any()));
        } else {
            solve::<S, Q, L, _, _>(job, General(first, second));
        }
    }
}

/// The one for all families, compiled once for each question.
#[inline(always)]
fn solve_any<'s, S: SolveSpace, Q: Query<S>, L: Lanes<Scalar = Q::Scalar>>(
    job: Job<'_, S, Q>,
    solver: General<AnyFamily<'s, S>, AnyFamily<'s, S>>,
) {
    L::enter(
        #[inline(always)]
        || solve::<S, Q, L, _, _>(job, solver),
    );
}

#[inline(always)]
fn solve<S, Q, L, A, B>(job: Job<'_, S, Q>, solver: General<A, B>)
where
    S: SolveSpace,
    Q: Query<S>,
    L: Lanes<Scalar = Q::Scalar>,
    A: Family<S>,
    B: Family<S>,
{
    if const { S::DIMENSION == 2 && Q::ASKS_SIDES && A::POLYGONS && B::POLYGONS } {
        Packets { job, solver: BySides(solver) }.run::<L>();
    } else {
        Packets { job, solver }.run::<L>();
    }
}

/// Two cores known by their support maps alone.
#[derive(Clone, Copy, Debug)]
struct General<A, B>(A, B);

/// Packed cores of both, kept from packet to packet.
type PackedCores<'s, S, L, A, B> = (Option<<A as Family<S>>::Packed<'s, L>>, Option<<B as Family<S>>::Packed<'s, L>>);

impl<S, Q, A, B> Solve<S, Q> for General<A, B>
where
    S: SolveSpace,
    Q: Query<S>,
    A: Family<S>,
    B: Family<S>,
{
    const KEEPS_SIMPLEX: bool = true;
    type PacketScratch<'s, L: Lanes>
        = PackedCores<'s, S, L, A, B>
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
        (a, b): &mut Self::PacketScratch<'s, L>,
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
        let cores = Cores { a, b, offset: pair.offset, rotation: pair.rotation };
        Q::cores(asked, pair, (&self.0, &self.1), &cores, way)
    }
}

/// The same in the plane, where small polygons are asked for their sides.
#[derive(Clone, Copy, Debug)]
struct BySides<A, B>(General<A, B>);

/// What is kept from packet to packet. (Polygons not as an option: that was cleared elsewhere and copied here, which
/// took a single pair 100 of 650 ns.)
struct KeptSides<'s, S: Space, L: Lanes, A: Family<S> + 's, B: Family<S> + 's> {
    polygons: [Polygons<S, L, MOST_FOR_DISTANCES>; 2],
    cores: PackedCores<'s, S, L, A, B>,
}

impl<S: Space, L: Lanes, A: Family<S>, B: Family<S>> Default for KeptSides<'_, S, L, A, B> {
    #[inline(always)]
    fn default() -> Self {
        Self { polygons: [Polygons::default(), Polygons::default()], cores: (None, None) }
    }
}

impl<S, Q, A, B> Solve<S, Q> for BySides<A, B>
where
    S: SolveSpace,
    Q: Query<S>,
    A: Family<S>,
    B: Family<S>,
{
    const KEEPS_SIMPLEX: bool = true;
    type PacketScratch<'s, L: Lanes>
        = KeptSides<'s, S, L, A, B>
    where
        Self: 's;

    #[inline(always)]
    fn traits(&self) -> Traits {
        Solve::<S, Q>::traits(&self.0)
    }
    #[inline(always)]
    fn prefetch(&self, pick: usize) {
        Solve::<S, Q>::prefetch(&self.0, pick);
    }

    #[inline(always)]
    fn solve<'s, L: Lanes<Scalar = Q::Scalar>>(
        &'s self,
        KeptSides { polygons, cores }: &mut Self::PacketScratch<'s, L>,
        asked: Q::Asked<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Q::Answer<L> {
        let General(first, second) = &self.0;
        first.polygons(pair.numbers[0], pair.scale, picks, &mut polygons[0]);
        second.polygons(pair.numbers[1], pair.scale, picks, &mut polygons[1]);
        Q::sides(
            asked,
            pair,
            Polygons::both_there(polygons),
            PlacedPolygons { polygons, offset: pair.offset, rotation: pair.rotation, magnitude: pair.magnitude },
            // Here and nowhere else: it is large.
            #[inline(always)]
            || Solve::<S, Q>::solve(&self.0, cores, asked, pair, picks),
        )
    }
}
