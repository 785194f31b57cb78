//! Depths that are searched pair by pair, SIMD across the faces, points and edges of two bodies, within packets of pairs: what is
//! read from the lanes before, and what becomes of the answers. A search is given a group of the packet's pairs at once.

use jostle_lanes::{Lanes, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::answer::{Answer, Nearly};
use crate::any_family::{AnyPacked, Families};
use crate::boxes::axes::Axis;
use crate::distance::{Asked, Distance};
use crate::families::Family;
use crate::frame::{PairLanes, Traits};
use crate::gjk::Cores;
use crate::penetration::{GROUP, Penetration, Penetrations};
use crate::query::{Solve, SolveSpace};

/// A packet's numbers where one lane's can be read.
pub struct Rows<T> {
    /// What lengths were multiplied with.
    pub scale: [T; MAX_WIDTH],
    /// The pairs' magnitudes.
    pub magnitude: [T; MAX_WIDTH],
    offset: [[T; MAX_WIDTH]; 3],
    turn: [[T; MAX_WIDTH]; 9],
    numbers: [[[T; MAX_WIDTH]; 3]; 2],
}

impl<T: Scalar> Default for Rows<T> {
    fn default() -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        Self { scale: zero, magnitude: zero, offset: [zero; 3], turn: [zero; 9], numbers: [[zero; 3]; 2] }
    }
}

impl<T: Scalar> Rows<T> {
    #[inline(always)]
    fn store<S: SolveSpace, L: Lanes<Scalar = T>>(&mut self, pair: &PairLanes<S, L>) {
        pair.scale.store(&mut self.scale);
        pair.magnitude.store(&mut self.magnitude);
        for k in 0..S::DIMENSION {
            pair.offset.get(k).store(&mut self.offset[k]);
            pair.numbers[0][k].store(&mut self.numbers[0][k]);
            pair.numbers[1][k].store(&mut self.numbers[1][k]);
        }
        for k in 0..S::Rotation::<L>::ENTRIES {
            pair.turn.entry(k).store(&mut self.turn[k]);
        }
    }

    /// Body A's or B's numbers.
    #[inline(always)]
    pub fn numbers(&self, side: usize, lane: usize) -> [T; 3] {
        let [x, y, z] = &self.numbers[side];
        [x[lane], y[lane], z[lane]]
    }

    /// From A's core centre to B's, in A's frame.
    #[inline(always)]
    pub fn offset<S: Space>(&self, lane: usize) -> S::Vector<T> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| self.offset[k][lane],
        )
    }

    /// B's rotation seen from A.
    #[inline(always)]
    pub fn turn<V: Vector<T>, R: Rotation<T, V>>(&self, lane: usize) -> R {
        R::from_entries(
            #[inline(always)]
            |k| self.turn[k][lane],
        )
    }
}

/// A search for the least depth of one pair.
pub trait GroupSearch<S: Space, T: Scalar> {
    /// Whether faces and edges are read of most pairs.
    const FACETS: bool = true;
    /// Memory that is kept from packet to packet.
    type Kept<L: Lanes>: Default;
    /// What the two bodies are.
    fn families(&self) -> &Families<'_, S>;
    /// What can be found in lanes. By default nothing.
    #[inline(always)]
    fn together<L: Lanes<Scalar = T>>(
        &self,
        _: &mut Self::Kept<L>,
        _: &PairLanes<S, L>,
        _: &[usize; MAX_WIDTH],
    ) -> Option<Penetrations<S, L>>
    where
        S: SolveSpace,
    {
        None
    }
    /// Searches the pairs in these lanes, at most [`GROUP`] of them, and tells what was found of each, if this search has an answer. Calls
    /// `ahead` with the place of each in `lanes` before it looks at it.
    fn least_depths<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lanes: &[usize],
        picks: &[usize; MAX_WIDTH],
        ahead: impl Fn(usize),
        tell: impl FnMut(usize, Penetration<S, T>),
    );
}

/// How many pairs ahead the memory of faces and edges is asked for: one was enough where a pair was searched to its end; to begin one
/// takes a third of that. (Others have not been tried.)
const AHEAD: usize = 2;

/// Asks for what the search for the pair in the lane at `place` of a list will read, if there is one.
#[inline(always)]
fn ask<S: Space, T: Scalar, X: GroupSearch<S, T>>(
    search: &X,
    lanes: &[usize],
    picks: &[usize; MAX_WIDTH],
    place: usize,
) {
    if let Some(&lane) = lanes.get(place) {
        let [a, b] = search.families();
        a.prefetch_facets::<T>(picks[lane]);
        b.prefetch_facets::<T>(picks[lane]);
    }
}

/// A search for the least depth as a solver of packets.
#[derive(Debug)]
pub struct Each<X>(pub X);

/// What is kept from packet to packet.
pub struct Kept<'s, S: Space, L: Lanes, K> {
    search: K,
    cores: [Option<AnyPacked<'s, S, L>>; 2],
    rows: Rows<L::Scalar>,
}

impl<S: Space, L: Lanes, K: Default> Default for Kept<'_, S, L, K> {
    #[inline(always)]
    fn default() -> Self {
        Self { search: K::default(), cores: [None, None], rows: Rows::default() }
    }
}

impl<S, T, X> Solve<S, Distance<'_, S, T>> for Each<X>
where
    S: SolveSpace,
    T: Scalar,
    X: GroupSearch<S, T>,
{
    type Kept<'s, L: Lanes>
        = Kept<'s, S, L, X::Kept<L>>
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
        kept: &mut Self::Kept<'s, L>,
        _: Asked<S, L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let together = self.0.together::<L>(&mut kept.search, pair, picks);
        let known = together.map_or(0, |together| together.found.to_bits());
        let mut normal = [[T::ZERO; MAX_WIDTH]; 3];
        let mut a = [[T::ZERO; MAX_WIDTH]; 3];
        let mut depth = [T::ZERO; MAX_WIDTH];
        let (mut found, mut fits) = (0_u32, 0_u32);
        let (mut lanes, mut count) = ([0; MAX_WIDTH], 0);
        for lane in 0..L::WIDTH {
            // What is beyond the last repeats it.
            if lane > 0 && picks[lane] == picks[lane - 1] {
                break;
            }
            lanes[count] = lane;
            count += usize::from(known >> lane & 1 == 0);
        }
        let lanes = &lanes[..count];
        if count > 0 {
            kept.rows.store(pair);
        }
        if const { X::FACETS } {
            // Those that nobody will have asked for.
            for place in 0..AHEAD {
                ask::<S, T, X>(&self.0, lanes, picks, place);
            }
        }
        let mut first = 0;
        while first < count {
            let group = &lanes[first..count.min(first + GROUP)];
            self.0.least_depths::<L>(
                &kept.rows,
                group,
                picks,
                #[inline(always)]
                |place| ask::<S, T, X>(&self.0, lanes, picks, first + place + AHEAD),
                #[inline(always)]
                |lane, penetration| {
                    for k in 0..S::DIMENSION {
                        normal[k][lane] = penetration.normal.get(k);
                        a[k][lane] = penetration.a.get(k);
                    }
                    depth[lane] = penetration.depth;
                    found |= u32::from(!penetration.uncertain) << lane;
                    fits |= u32::from(penetration.fits) << lane;
                },
            );
            first += GROUP;
        }
        let vector = |columns: &[[T; MAX_WIDTH]; 3]| {
            S::Vector::from_fn(
                #[inline(always)]
                |k| L::load(&columns[k]),
            )
        };
        let (mut found, mut fits) = (L::Mask::from_bits(found), L::Mask::from_bits(fits));
        let (mut normal, mut depth, mut a) = (vector(&normal), L::load(&depth), vector(&a));
        if let Some(together) = together {
            normal = S::Vector::select(together.found, together.normal, normal);
            depth = L::select(together.found, together.depth, depth);
            a = S::Vector::select(together.found, together.a, a);
            found = found | together.found;
            fits = fits | (together.found & together.fits);
        }
        let axis = Axis { normal, depth, uncertain: !found };
        let nearly = Nearly::flat(pair);
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
        let cores = Cores { a, b, offset: pair.offset, turn: pair.turn };
        proved.with_points(&Answer::inside(pair, &cores, &axis, rest, nearly), rest)
    }
}
