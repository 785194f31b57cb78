//! Depths that are searched one pair at a time, SIMD across the faces, points and edges of its bodies, within packets of
//! pairs: what is read from the lanes before, and what becomes of the answers.

use jostle_lanes::{Lanes, Mask, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::answer::Answer;
use crate::boxes::Axis;
use crate::class::Precision;
use crate::families::Family;
use crate::frame::{PairLanes, Traits};
use crate::gjk::Cores;
use crate::polytope::BoxBlocks;
use crate::solve::{Asked, Distance, Solve, SolveSpace};

/// The least depth.
#[derive(Clone, Copy, Debug)]
pub struct Deepest<S: Space, T: Scalar> {
    /// Unit vector from A to B, in A's frame.
    pub normal: S::Vector<T>,
    /// How far B has to move along it.
    pub depth: T,
    /// A's point that lies deepest in B, most likely.
    pub a: S::Vector<T>,
    /// True if that point, and its counterpart, are where they have to be.
    pub fits: bool,
    /// True if an axis that this precision cannot evaluate might be better.
    pub uncertain: bool,
}

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

impl<T: Scalar> Rows<T> {
    #[inline(always)]
    fn store<S: SolveSpace, L: Lanes<Scalar = T>>(pair: &PairLanes<S, L>) -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        let mut rows =
            Self { scale: zero, magnitude: zero, offset: [zero; 3], turn: [zero; 9], numbers: [[zero; 3]; 2] };
        pair.scale.store(&mut rows.scale);
        pair.magnitude.store(&mut rows.magnitude);
        for k in 0..S::DIMENSION {
            pair.offset.get(k).store(&mut rows.offset[k]);
            pair.numbers[0][k].store(&mut rows.numbers[0][k]);
            pair.numbers[1][k].store(&mut rows.numbers[1][k]);
        }
        for k in 0..S::Rotation::<L>::ENTRIES {
            pair.turn.entry(k).store(&mut rows.turn[k]);
        }
        rows
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

/// The least depths of those pairs of a packet that need not be searched one by one.
#[derive(Clone, Copy, Debug)]
pub struct Together<S: Space, L: Lanes> {
    /// Which they are.
    pub found: L::Mask,
    /// As in [`Deepest`].
    pub normal: S::Vector<L>,
    /// As in [`Deepest`].
    pub depth: L,
    /// As in [`Deepest`].
    pub a: S::Vector<L>,
    /// As in [`Deepest`].
    pub fits: L::Mask,
}

/// A search for the least depth of one pair.
pub trait OneByOne<S: Space, T: Scalar> {
    /// The family of the first body.
    type A: Family<S>;
    /// Of the second.
    type B: Family<S>;
    /// Both.
    fn families(&self) -> (&Self::A, &Self::B);
    /// What can be found in lanes. By default nothing.
    #[inline(always)]
    fn together<L: Lanes<Scalar = T>>(&self, _: &PairLanes<S, L>, _: &[usize; MAX_WIDTH]) -> Option<Together<S, L>>
    where
        S: SolveSpace,
    {
        None
    }
    /// The pair in a lane, for a pick. None where this search has no answer.
    fn deepest<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lane: usize,
        pick: usize,
        blocks: &mut [BoxBlocks<T>; 2],
    ) -> Option<Deepest<S, T>>;
}

/// A search for the least depth as a solver of packets.
#[derive(Debug)]
pub struct Each<X>(pub X);

impl<S, T, X> Solve<S, Distance<'_, S, T>> for Each<X>
where
    S: SolveSpace,
    T: Precision,
    X: OneByOne<S, T>,
{
    #[inline(always)]
    fn traits(&self) -> Traits {
        let (a, b) = self.0.families();
        Traits { centred: [a.centred(), b.centred()], turned: true }
    }
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(
        &self,
        _: Asked<S, L>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let together = self.0.together::<L>(pair, picks);
        let known = together.map_or(0, |together| together.found.to_bits());
        let mut blocks = [BoxBlocks::default(); 2];
        let mut normal = [[T::ZERO; MAX_WIDTH]; 3];
        let mut a = [[T::ZERO; MAX_WIDTH]; 3];
        let mut depth = [T::ZERO; MAX_WIDTH];
        let (mut found, mut fits) = (0_u32, 0_u32);
        let rows = Rows::<T>::store::<S, L>(pair);
        for lane in 0..L::WIDTH {
            // What is beyond the last repeats it.
            if lane > 0 && picks[lane] == picks[lane - 1] {
                break;
            }
            if known >> lane & 1 == 1 {
                continue;
            }
            let pick = picks[lane];
            if lane + 1 < L::WIDTH {
                let (a, b) = self.0.families();
                a.prefetch_facets::<T>(picks[lane + 1]);
                b.prefetch_facets::<T>(picks[lane + 1]);
            }
            if let Some(deepest) = self.0.deepest::<L>(&rows, lane, pick, &mut blocks) {
                for k in 0..S::DIMENSION {
                    normal[k][lane] = deepest.normal.get(k);
                    a[k][lane] = deepest.a.get(k);
                }
                depth[lane] = deepest.depth;
                found |= u32::from(!deepest.uncertain) << lane;
                fits |= u32::from(deepest.fits) << lane;
            }
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
        let proved = Answer::freed(pair, &axis, a, fits);
        let rest = Answer::lacks_points(pair, &axis, fits);
        if !rest.any() {
            return proved;
        }
        // Flat against each other: the points that the search ended on need not face each other.
        let (a, b) = self.0.families();
        let core_a = a.pack(pair.numbers[0], pair.scale, picks);
        let core_b = b.pack(pair.numbers[1], pair.scale, picks);
        let cores = Cores { a: &core_a, b: &core_b, offset: pair.offset, turn: pair.turn };
        proved.with_points(&Answer::inside(pair, &cores, &axis, rest), rest)
    }
}
