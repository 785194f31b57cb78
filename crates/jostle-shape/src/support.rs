//! Support maps: the furthest point of a core in a direction, written once over lanes.
//!
//! This is the only interface between shapes and the distance algorithms. A support map does not depend on where its
//! body is: directions and points are in the shape's own frame, relative to the core's centre.
//!
//! Ties go to the lowest index (hulls) or to the side that the sign bit names (boxes, frustums), so that every lane
//! width and instruction set finds the same point.

use core::marker::PhantomData;

use jostle_lanes::{Lanes, Mask, OnLines, Scalar, Space, Vector, dispatch};

use crate::blocks::{place_in_blocks, rows_into_lanes, vector_at};
use crate::counts::MAX_WIDTH;
use crate::hull::Hull;
use crate::packed::PackedPoints;
use crate::points::Furthest;

/// The furthest point of a convex core in a direction: one core per lane.
pub trait SupportMap<S: Space, L: Lanes> {
    /// A point of the core that is furthest along `direction`, for each lane.
    ///
    /// `direction` need not have unit length and may be zero (any point of the core is then right). Only lanes that are
    /// true in `active` are used; the others may hold anything. Must not return NaN for finite directions.
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L>;
}

/// A box: all points within the half extents. A point is a box of no extent, a segment one of no width.
#[derive(Clone, Copy, Debug)]
pub struct BoxCore<S: Space, L: Lanes> {
    /// Half the box's size along each axis, one box per lane.
    pub half_extents: S::Vector<L>,
}

impl<S: Space, L: Lanes> SupportMap<S, L> for BoxCore<S, L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, _active: L::Mask) -> S::Vector<L> {
        self.half_extents.zip(
            direction,
            // A closure, because a function passed by name would be called, not inlined.
            #[inline(always)]
            |half, along| half.copysign(along),
        )
    }
}

/// A conical frustum about the y axis: a cylinder where both radii are equal, a cone where one is zero, a disc where
/// the height is. (In the plane: a trapezoid.)
#[derive(Clone, Copy, Debug)]
pub struct FrustumCore<L: Lanes> {
    /// Half the height.
    pub half_height: L,
    /// The radius at `y = -half_height`.
    pub base_radius: L,
    /// The radius at `y = half_height`.
    pub top_radius: L,
}

/// The least number whose inverse is finite, and a little more.
#[inline(always)]
fn least_invertible<T: Scalar>() -> f64 {
    if T::DOUBLE { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) }
}

impl<S: Space, L: Lanes> SupportMap<S, L> for FrustumCore<L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, _active: L::Mask) -> S::Vector<L> {
        let zero = L::zero();
        // Scaled by its largest component, the radial part cannot underflow where it matters.
        let radial = S::Vector::from_fn(
            #[inline(always)]
            |i| if i == 1 { zero } else { direction.get(i) },
        );
        let largest = radial.abs().max_component();
        // A radial part without a finite inverse counts as zero.
        let level = largest.lt(L::constant(least_invertible::<L::Scalar>()));
        let scaled = radial * (L::one() / L::select(level, L::one(), largest));
        let length = scaled.length_squared().sqrt();
        let length = L::select(level, L::one(), length);
        let rim = length * largest;
        let up = self.half_height * direction.get(1);
        let top = (up + self.top_radius * rim).ge(self.base_radius * rim - up);
        let radius = L::select(top, self.top_radius, self.base_radius) / length;
        let y = L::select(top, self.half_height, -self.half_height);
        // Straight along the axis every point of the disc is furthest: its centre will do.
        S::Vector::from_fn(
            #[inline(always)]
            |i| if i == 1 { y } else { scaled.get(i) * radius },
        )
    }
}

/// Convex hulls, one per lane, each with a factor that brings it to the pair's scale.
#[derive(Clone, Copy, Debug)]
pub struct HullCore<'a, S: Space, L: Lanes> {
    /// The points of one hull per lane; entries at and above the width are unused.
    hulls: PackedPoints<'a, L::Scalar>,
    /// What the hull's points are multiplied with.
    scale: L,
    /// If all hulls are small (at most [`MAX_WIDTH`] points): the coordinates of point `i` of every lane's hull, and
    /// the largest number of points, 0 otherwise.
    points: [[L; MAX_WIDTH]; 3],
    small: usize,
    space: PhantomData<S>,
}

impl<'a, S: Space, L: Lanes> HullCore<'a, S, L> {
    /// Packs hulls, one per lane; entries at and above the width are unused. Their points are multiplied with `scale`.
    #[inline(always)]
    pub fn new(hulls: [&'a Hull<S>; MAX_WIDTH], scale: L) -> Self {
        let mut core = Self::none();
        core.fill(hulls, scale);
        core
    }

    /// Room for hulls, to be [filled](HullCore::fill) before it is used.
    #[inline(always)]
    pub fn none() -> Self {
        let hulls = PackedPoints::none();
        let points = [[L::zero(); MAX_WIDTH]; 3];
        Self { hulls, scale: L::zero(), points, small: 0, space: PhantomData }
    }

    /// Packs hulls, as [`HullCore::new`] does, over those that were packed before: clearing the room for them took up
    /// to a tenth of what a pair of small hulls costs.
    #[inline(always)]
    pub fn fill(&mut self, hulls: [&'a Hull<S>; MAX_WIDTH], scale: L) {
        let mut most = 0;
        self.hulls.clear();
        for lane in 0..L::WIDTH {
            most = hulls[lane].len().max(most);
            self.hulls.set(lane, hulls[lane].points());
        }
        self.scale = scale;
        self.small = if most <= MAX_WIDTH { most } else { 0 };
        if self.small == 0 {
            return;
        }
        // Compiled apart, like `support_one_by_one`: it is long, and done once a packet.
        L::enter(
            #[inline(always)]
            || {
                for k in 0..S::DIMENSION {
                    rows_into_lanes(
                        k,
                        self.small,
                        #[inline(always)]
                        |lane| self.hulls.lane(lane).blocks,
                        &mut self.points[k],
                    );
                }
            },
        );
    }

    /// For small hulls, whose points lie in lanes.
    #[inline(always)]
    fn support_in_lanes(&self, against: S::Vector<L>) -> S::Vector<L> {
        let mut furthest = vector_at::<S, L, _>(&self.points, 0);
        let mut least = furthest.dot(against);
        for i in 1..self.small.min(MAX_WIDTH) {
            let point = vector_at::<S, L, _>(&self.points, i);
            let along = point.dot(against);
            // The first of equal points; NaN ends at the first point, as it does for large hulls. (Only the minimum is
            // carried from point to point.)
            let better = along.lt(least);
            least = along.min(least);
            furthest = S::Vector::select(better, point, furthest);
        }
        furthest * self.scale
    }

    /// For any hulls.
    #[inline(always)]
    fn support_one_by_one(&self, against: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        let mut rows = OnLines([[[L::Scalar::default(); MAX_WIDTH]; 3]; 2]);
        let [directions, furthest] = &mut rows.0;
        for k in 0..S::DIMENSION {
            against.get(k).store(&mut directions[k]);
        }
        self.hulls.furthest_against::<S, L>(directions, furthest, active.to_bits());
        S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&furthest[k]) * self.scale,
        )
    }
}

impl<S: Space, L: Lanes> SupportMap<S, L> for HullCore<'_, S, L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        // Negated here: three instructions a packet instead of six a lane.
        let against = -direction;
        if self.small > 0 {
            return self.support_in_lanes(against);
        }
        // Compiled once for each type of lanes, not six times in each kernel, which took a quarter of the time to
        // compile them all; a call costs little when each lane is searched by itself.
        L::enter(
            #[inline(always)]
            || self.support_one_by_one(against, active),
        )
    }
}

/// One hull at width 1, whose vertices are still searched a register at a time: the instruction set is chosen at each
/// call, which costs two nanoseconds and saves most of the time on all but the smallest hulls.
#[derive(Clone, Copy, Debug)]
pub struct SingleHull<'a, S: Space, T: Scalar> {
    /// The hull.
    pub hull: &'a Hull<S>,
    /// What its points are multiplied with.
    pub scale: T,
}

impl<S: Space, T: Scalar> SupportMap<S, T> for SingleHull<'_, S, T> {
    #[inline]
    fn support(&self, direction: S::Vector<T>, _active: bool) -> S::Vector<T> {
        let index = dispatch(Furthest::<S, T> { points: self.hull.points(), direction });
        S::Vector::from_fn(|k| self.hull.blocks::<T>()[place_in_blocks(S::DIMENSION, index, k)] * self.scale)
    }
}
