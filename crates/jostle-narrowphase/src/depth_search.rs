//! Searches for the least depth as solvers of packets: which pairs they are asked about, and what becomes of their
//! answers.

use jostle_lanes::{Lanes, Mask, Scalar, Space};
use jostle_shape::MAX_WIDTH;

use crate::answer::{Answer, Nearly};
use crate::boxes::axes::Axis;
use crate::distance::{AskedDistance, Distance};
use crate::families::{AnyPacked, Families, Family};
use crate::frame::{PairLanes, Traits};
use crate::penetration::Penetrations;
use crate::query::{Solve, SolveSpace};

/// A search for the least depths of a packet's pairs.
pub trait DepthSearch<S: SolveSpace, T: Scalar> {
    /// Memory that is kept from packet to packet.
    type PacketScratch<L: Lanes>: Default;
    /// What the two bodies are.
    fn families(&self) -> &Families<'_, S>;
    /// Searches those pairs of a packet that have a bit.
    fn least_depths<L: Lanes<Scalar = T>>(
        &self,
        kept: &mut Self::PacketScratch<L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
        lanes: u32,
    ) -> Penetrations<S, L>;
}

/// A search for the least depth as a solver of packets.
#[derive(Debug)]
pub struct Searched<X>(pub X);

/// What is kept from packet to packet.
pub struct DepthScratch<'s, S: Space, L: Lanes, K> {
    search: K,
    cores: [Option<AnyPacked<'s, S, L>>; 2],
}

impl<S: Space, L: Lanes, K: Default> Default for DepthScratch<'_, S, L, K> {
    #[inline(always)]
    fn default() -> Self {
        Self { search: K::default(), cores: [None, None] }
    }
}

impl<S, T, X> Solve<S, Distance<'_, S, T>> for Searched<X>
where
    S: SolveSpace,
    T: Scalar,
    X: DepthSearch<S, T>,
{
    type PacketScratch<'s, L: Lanes>
        = DepthScratch<'s, S, L, X::PacketScratch<L>>
    where
        Self: 's;
    #[inline(always)]
    fn traits(&self) -> Traits {
        let [a, b] = self.0.families();
        Traits { centred: [a.centred(), b.centred()], turned: true }
    }
    #[inline(always)]
    fn solve<'s, L: Lanes<Scalar = T>>(
        &'s self,
        kept: &mut Self::PacketScratch<'s, L>,
        asked: AskedDistance<S, L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        // What is beyond the last repeats it.
        let mut lanes = 1;
        for lane in 1..L::WIDTH {
            lanes |= u32::from(picks[lane] != picks[lane - 1]) << lane;
        }
        let Penetrations { found, normal, depth, a, fits, off } =
            self.0.least_depths::<L>(&mut kept.search, pair, picks, lanes);
        let axis = Axis { normal, depth, uncertain: !found };
        // What is no guess GJK has seen, better than points that fit can show.
        let nearly = Nearly::fitting(pair.magnitude, depth, off);
        let nearly = Nearly::select(asked.guessed, nearly, Nearly::flat(pair.magnitude));
        let proved = Answer::freed(pair, &axis, a, fits, nearly);
        let rest = Answer::lacks_points(pair, &axis, fits);
        if !rest.any() {
            return proved;
        }
        // Flat against each other: the points that the search ended on need not face each other.
        let [a, b] = self.0.families();
        let [core_a, core_b] = &mut kept.cores;
        let a = a.pack(core_a, pair.numbers[0], pair.scale, picks);
        let b = b.pack(core_b, pair.numbers[1], pair.scale, picks);
        proved.with_points(&Answer::inside(pair, [a, b], &axis, rest), rest)
    }
}
