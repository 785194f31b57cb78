//! One solver per kind of pair: what happens between gathering a packet and scattering its answers.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};
use jostle_shape::{BoxCore, CustomShape, FrustumCore, Guarded, Hull, HullCore, MAX_WIDTH, SupportMap};

use crate::answer::Answer;
use crate::boxes::{BoxSpace, Boxes, least_axis};
use crate::frame::PairLanes;
use crate::gjk::{Cores, gjk, gjk_and_met};
use crate::noise::{CONVERGED, noise};
use crate::record::RecordSpace;
use crate::segment::{points, segments};
use crate::simplex::SimplexSpace;

/// A space in which pairs can be solved: the plane and space.
pub trait SolveSpace: SimplexSpace + BoxSpace + RecordSpace {}
impl<S: SimplexSpace + BoxSpace + RecordSpace> SolveSpace for S {}

/// Answers W pairs of one kind.
pub trait Solve<S: SolveSpace, T: Scalar> {
    /// True if what it met of overlapping pairs is worth keeping for the search for their depth.
    const MEETS: bool = false;
    /// `picks` says which of the class's pairs is in each lane, for what is kept beside the records.
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, picks: &[usize; MAX_WIDTH]) -> Answer<S, L>;
}

/// Balls.
#[derive(Clone, Copy, Debug)]
pub struct PointPoint;

/// Capsules, and balls against capsules.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSegment;

/// Boxes, and balls and capsules against boxes: their distance.
#[derive(Clone, Copy, Debug)]
pub struct BoxBox;

/// The depth of those that overlap.
#[derive(Clone, Copy, Debug)]
pub struct BoxBoxDepth;

/// Two cores known by their support maps alone.
#[derive(Clone, Copy, Debug)]
pub struct General<A, B>(pub A, pub B);

impl<S: SolveSpace, T: Scalar> Solve<S, T> for PointPoint {
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, _: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        Answer::apart(pair, &points(pair.offset, noise(CONVERGED, pair.magnitude)))
    }
}

impl<S: SolveSpace, T: Scalar> Solve<S, T> for SegmentSegment {
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, _: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        let [[_, half_a, _], [_, half_b, _]] = pair.numbers;
        let tolerance = noise(CONVERGED, pair.magnitude);
        Answer::apart(pair, &segments(half_a, half_b, pair.offset, pair.turn, tolerance))
    }
}

impl<S: SolveSpace, T: Scalar> Solve<S, T> for BoxBox {
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, _: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        let (a, b) = (box_core::<S, L>(&pair.numbers[0]), box_core::<S, L>(&pair.numbers[1]));
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        Answer::apart(pair, &gjk(&cores, noise(CONVERGED, pair.magnitude), L::Mask::splat(true)))
    }
}

impl<S: SolveSpace, T: Scalar> Solve<S, T> for BoxBoxDepth {
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, _: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        let (a, b) = (box_core::<S, L>(&pair.numbers[0]), box_core::<S, L>(&pair.numbers[1]));
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        let boxes = Boxes {
            a: a.half_extents,
            b: b.half_extents,
            offset: pair.offset,
            turn: pair.turn,
            magnitude: pair.magnitude,
        };
        Answer::inside(pair, &cores, &least_axis(&boxes), L::Mask::splat(true))
    }
}

impl<S, T, A, B> Solve<S, T> for General<A, B>
where
    S: SolveSpace,
    T: Scalar,
    A: Family<S>,
    B: Family<S>,
{
    const MEETS: bool = true;

    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, picks: &[usize; MAX_WIDTH]) -> Answer<S, L> {
        let a = self.0.pack(pair.numbers[0], pair.scale, picks);
        let b = self.1.pack(pair.numbers[1], pair.scale, picks);
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        let (found, met) = gjk_and_met(&cores, noise(CONVERGED, pair.magnitude), L::Mask::splat(true));
        Answer { met, ..Answer::apart(pair, &found) }
    }
}

#[inline(always)]
fn box_core<S: Space, L: Lanes>(numbers: &[L; 3]) -> BoxCore<S, L> {
    BoxCore {
        half_extents: S::Vector::from_fn(
            #[inline(always)]
            |k| numbers[k],
        ),
    }
}

/// Cores that share a support map.
pub trait Family<S: Space>: Copy {
    /// One core per lane.
    type Packed<'f, L: Lanes>: SupportMap<S, L>
    where
        Self: 'f;
    /// Packs W cores from their (scaled) numbers, or from what is kept for their picks.
    fn pack<L: Lanes>(&self, numbers: [L; 3], scale: L, picks: &[usize; MAX_WIDTH]) -> Self::Packed<'_, L>;
}

/// Boxes, with points and segments among them.
#[derive(Clone, Copy, Debug)]
pub struct BoxFamily;

/// Cylinders, cones, frustums.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFamily;

/// Convex hulls: one per pick.
#[derive(Clone, Copy, Debug)]
pub struct HullFamily<'h, S: Space>(pub &'h [&'h Hull<S>]);

/// The user's own shapes: one per pick.
#[derive(Debug)]
pub struct CustomFamily<'s, U>(pub &'s [&'s U]);

impl<U> Clone for CustomFamily<'_, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<U> Copy for CustomFamily<'_, U> {}

impl<S: Space> Family<S> for BoxFamily {
    type Packed<'f, L: Lanes> = BoxCore<S, L>;
    #[inline(always)]
    fn pack<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[usize; MAX_WIDTH]) -> BoxCore<S, L> {
        box_core(&numbers)
    }
}

impl<S: Space> Family<S> for FrustumFamily {
    type Packed<'f, L: Lanes> = FrustumCore<L>;
    #[inline(always)]
    fn pack<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[usize; MAX_WIDTH]) -> FrustumCore<L> {
        let [half_height, base_radius, top_radius] = numbers;
        FrustumCore { half_height, base_radius, top_radius }
    }
}

/// The first W of what is kept for the picks.
#[inline(always)]
fn of_picks<'t, L: Lanes, X>(table: &[&'t X], picks: &[usize; MAX_WIDTH]) -> [&'t X; MAX_WIDTH] {
    let mut packed = [table[picks[0]]; MAX_WIDTH];
    for lane in 1..L::WIDTH {
        packed[lane] = table[picks[lane]];
    }
    packed
}

impl<S: Space> Family<S> for HullFamily<'_, S> {
    type Packed<'f, L: Lanes>
        = HullCore<'f, S, L>
    where
        Self: 'f;
    #[inline(always)]
    fn pack<L: Lanes>(&self, _: [L; 3], scale: L, picks: &[usize; MAX_WIDTH]) -> HullCore<'_, S, L> {
        HullCore { hulls: of_picks::<L, _>(self.0, picks), scale }
    }
}

impl<S: Space, U: CustomShape<S>> Family<S> for CustomFamily<'_, U> {
    type Packed<'f, L: Lanes>
        = Guarded<S, L, U::Packed<'f, L>>
    where
        Self: 'f;
    #[inline(always)]
    fn pack<L: Lanes>(&self, _: [L; 3], scale: L, picks: &[usize; MAX_WIDTH]) -> Self::Packed<'_, L> {
        Guarded::pack(of_picks::<L, _>(self.0, picks), scale)
    }
}
