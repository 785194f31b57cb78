//! One solver per kind of pair: what happens between gathering a packet and scattering its answers.

use jostle_lanes::{Lanes, Mask, Space, Vector};
use jostle_shape::{BoxCore, CustomShape, FrustumCore, Hull, HullCore, MAX_WIDTH, Shape, SupportMap};

use crate::answer::Answer;
use crate::boxes::{BoxSpace, Boxes, least_axis};
use crate::frame::PairLanes;
use crate::gjk::{Cores, gjk};
use crate::noise::{CONVERGED, noise};
use crate::record::RecordSpace;
use crate::segment::{points, segments};
use crate::simplex::SimplexSpace;

/// A space in which pairs can be solved: the plane and space.
pub trait SolveSpace: SimplexSpace + BoxSpace + RecordSpace {}
impl<S: SimplexSpace + BoxSpace + RecordSpace> SolveSpace for S {}

/// Answers W pairs of one kind.
pub trait Solve<S: SolveSpace> {
    /// `shapes` are the indices of A's and B's shapes.
    fn solve<L: Lanes>(&self, pair: &PairLanes<S, L>, shapes: &[[u32; MAX_WIDTH]; 2]) -> Answer<S, L>;
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

/// Two cores known by their support maps alone.
#[derive(Clone, Copy, Debug)]
pub struct General<A, B>(pub A, pub B);

impl<S: SolveSpace> Solve<S> for PointPoint {
    #[inline(always)]
    fn solve<L: Lanes>(&self, pair: &PairLanes<S, L>, _: &[[u32; MAX_WIDTH]; 2]) -> Answer<S, L> {
        Answer::apart(pair, &points(pair.offset, noise(CONVERGED, pair.magnitude)))
    }
}

impl<S: SolveSpace> Solve<S> for SegmentSegment {
    #[inline(always)]
    fn solve<L: Lanes>(&self, pair: &PairLanes<S, L>, _: &[[u32; MAX_WIDTH]; 2]) -> Answer<S, L> {
        let [[_, half_a, _], [_, half_b, _]] = pair.numbers;
        let tolerance = noise(CONVERGED, pair.magnitude);
        Answer::apart(pair, &segments(half_a, half_b, pair.offset, pair.turn, tolerance))
    }
}

impl<S: SolveSpace> Solve<S> for BoxBox {
    #[inline(always)]
    fn solve<L: Lanes>(&self, pair: &PairLanes<S, L>, _: &[[u32; MAX_WIDTH]; 2]) -> Answer<S, L> {
        let [a, b] = pair.numbers.map(|half| BoxCore { half_extents: S::Vector::from_fn(|k| half[k]) });
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        let found = gjk(&cores, noise(CONVERGED, pair.magnitude), L::Mask::splat(true));
        let apart = Answer::apart(pair, &found);
        if !found.overlap.any() {
            return apart;
        }
        let boxes = Boxes {
            a: a.half_extents,
            b: b.half_extents,
            offset: pair.offset,
            turn: pair.turn,
            magnitude: pair.magnitude,
        };
        let inside = Answer::inside(pair, &cores, &least_axis(&boxes), found.overlap);
        Answer::select(found.overlap, inside, apart)
    }
}

impl<S, A, B> Solve<S> for General<A, B>
where
    S: SolveSpace,
    A: Family<S>,
    B: Family<S>,
{
    #[inline(always)]
    fn solve<L: Lanes>(&self, pair: &PairLanes<S, L>, shapes: &[[u32; MAX_WIDTH]; 2]) -> Answer<S, L> {
        let [numbers_a, numbers_b] = pair.numbers;
        let a = self.0.pack(numbers_a, pair.scale, &shapes[0]);
        let b = self.1.pack(numbers_b, pair.scale, &shapes[1]);
        let cores = Cores { a: &a, b: &b, offset: pair.offset, turn: pair.turn };
        // Overlapping cores stay unsettled: their depth is for `f64` to find.
        Answer::apart(pair, &gjk(&cores, noise(CONVERGED, pair.magnitude), L::Mask::splat(true)))
    }
}

/// Cores that share a support map.
pub trait Family<S: Space>: Copy {
    /// One core per lane.
    type Packed<'f, L: Lanes>: SupportMap<S, L>
    where
        Self: 'f;
    /// Packs W cores from their (scaled) numbers or their shapes' indices.
    fn pack<L: Lanes>(&self, numbers: [L; 3], scale: L, shapes: &[u32; MAX_WIDTH]) -> Self::Packed<'_, L>;
}

/// Boxes, with points and segments among them.
#[derive(Clone, Copy, Debug)]
pub struct BoxFamily;

/// Cylinders, cones, frustums.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFamily;

/// Convex hulls, by the index of their shape.
#[derive(Clone, Copy)]
pub struct HullFamily<'h, S: Space>(pub &'h (dyn Fn(u32) -> &'h Hull<S> + Sync));

/// The user's own shapes.
#[derive(Debug)]
pub struct CustomFamily<'s, S: Space, U>(pub &'s [Shape<S, U>]);

impl<S: Space, U> Clone for CustomFamily<'_, S, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Space, U> Copy for CustomFamily<'_, S, U> {}

impl<S: Space> Family<S> for BoxFamily {
    type Packed<'f, L: Lanes> = BoxCore<S, L>;
    #[inline(always)]
    fn pack<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[u32; MAX_WIDTH]) -> BoxCore<S, L> {
        BoxCore { half_extents: S::Vector::from_fn(|k| numbers[k]) }
    }
}

impl<S: Space> Family<S> for FrustumFamily {
    type Packed<'f, L: Lanes> = FrustumCore<L>;
    #[inline(always)]
    fn pack<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[u32; MAX_WIDTH]) -> FrustumCore<L> {
        let [half_height, base_radius, top_radius] = numbers;
        FrustumCore { half_height, base_radius, top_radius }
    }
}

impl<S: Space> Family<S> for HullFamily<'_, S> {
    type Packed<'f, L: Lanes>
        = HullCore<'f, S, L>
    where
        Self: 'f;
    #[inline(always)]
    fn pack<L: Lanes>(&self, _: [L; 3], scale: L, shapes: &[u32; MAX_WIDTH]) -> HullCore<'_, S, L> {
        let mut hulls = [(self.0)(shapes[0]); MAX_WIDTH];
        for lane in 1..L::WIDTH {
            hulls[lane] = (self.0)(shapes[lane]);
        }
        HullCore { hulls, scale }
    }
}

impl<S: Space, U: CustomShape<S>> Family<S> for CustomFamily<'_, S, U> {
    type Packed<'f, L: Lanes>
        = U::Packed<'f, L>
    where
        Self: 'f;
    #[inline(always)]
    fn pack<L: Lanes>(&self, _: [L; 3], scale: L, shapes: &[u32; MAX_WIDTH]) -> U::Packed<'_, L> {
        let custom = |lane: usize| match self.0[shapes[lane] as usize].core() {
            jostle_shape::Core::Custom(shape) => shape,
            _ => unreachable!("the records sort custom shapes from the others"),
        };
        let mut packed = [custom(0); MAX_WIDTH];
        for lane in 1..L::WIDTH {
            packed[lane] = custom(lane);
        }
        U::pack(packed, scale)
    }
}
