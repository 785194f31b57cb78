//! Relative geometry: two bodies seen from the first, scaled so that their magnitude is about one.
//!
//! Positions are subtracted in `f64`, so a pair far from the origin loses nothing. The scale is a power of two: exact,
//! and it keeps squares of squares of lengths within what `f32` can hold, whatever the unit of the scene.

use jostle_lanes::{Lanes, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::record::{Record, RecordSpace, TURN};

/// Where pairs stand when a query looks at them, if not where their records say: as `f64`, before anything is rounded.
pub trait Placing {
    /// From A's core centre to B's along an axis of the world, given what it is at rest.
    #[inline(always)]
    fn offset(&self, _lane: usize, _axis: usize, at_rest: f64) -> f64 {
        at_rest
    }
    /// What is to count as the pair's magnitude, given that of the two bodies where they stand.
    #[inline(always)]
    fn magnitude(&self, _lane: usize, standing: f64) -> f64 {
        standing
    }
}

/// Where the records say.
#[derive(Clone, Copy, Debug)]
pub struct AtRest;

impl Placing for AtRest {}

/// W pairs, gathered row by row and loaded into lanes.
#[derive(Clone, Copy, Debug)]
pub struct PairLanes<S: Space, L: Lanes> {
    /// From A's core centre to B's, in A's frame, scaled.
    pub offset: S::Vector<L>,
    /// B's rotation seen from A.
    pub turn: S::Rotation<L>,
    /// A's rotation in the world.
    pub turn_a: S::Rotation<L>,
    /// A's and B's numbers (see [`Record::numbers`]), scaled.
    pub numbers: [[L; 3]; 2],
    /// A's and B's radius, scaled.
    pub radius: [L; 2],
    /// An upper bound of every coordinate of the pair, scaled: between one and a few.
    pub magnitude: L,
    /// What lengths were multiplied with: a power of two.
    pub scale: L,
    /// What brings them back: its inverse.
    pub unscale: L,
}

/// The power of two that brings `magnitude` to between 1 and 2, if it and its inverse are ordinary numbers of type `T`.
#[inline(always)]
fn scale_of<T: Scalar>(magnitude: f64) -> f64 {
    // Half the exponent range of f32, so that squares stay in it; for f64 of f64.
    let limit = if T::UNIT_ROUNDOFF.to_f64() > 1e-10 { 96 } else { 960 };
    let exponent = (magnitude.to_bits() >> 52) as i64 - 1023;
    f64::from_bits(((1023 - exponent.clamp(-limit, limit)) as u64) << 52)
}

/// Gathers one pair per lane.
#[inline(always)]
pub fn gather<S, L>(pairs: [[&Record<S, L::Scalar>; 2]; MAX_WIDTH], placing: &impl Placing) -> PairLanes<S, L>
where
    S: RecordSpace,
    L: Lanes,
{
    let zero = L::Scalar::ZERO;
    let mut offset = [[zero; MAX_WIDTH]; 3];
    let mut turn = [[[zero; MAX_WIDTH]; TURN]; 2];
    let mut numbers = [[[zero; MAX_WIDTH]; 3]; 2];
    let mut radius = [[zero; MAX_WIDTH]; 2];
    let mut magnitude = [zero; MAX_WIDTH];
    let mut scale = [zero; MAX_WIDTH];
    let mut unscale = [zero; MAX_WIDTH];
    for lane in 0..L::WIDTH {
        let [a, b] = pairs[lane];
        let mut largest = 0.0_f64;
        let mut between = [0.0_f64; 3];
        for k in 0..S::DIMENSION {
            between[k] = placing.offset(lane, k, (b.position[k] - a.position[k]) + (b.centre(k) - a.centre(k)));
            largest = Lanes::max(between[k].abs(), largest);
        }
        let standing = if a.is_aside() || b.is_aside() {
            // A size that is not ordinary leaves the pair to `f64`.
            f64::INFINITY
        } else {
            largest + a.reach.to_f64() + b.reach.to_f64()
        };
        let size = placing.magnitude(lane, standing);
        let factor = scale_of::<L::Scalar>(size);
        let narrow = L::Scalar::from_f64(factor);
        for k in 0..S::DIMENSION {
            offset[k][lane] = L::Scalar::from_f64(between[k] * factor);
        }
        for side in 0..2 {
            let body = pairs[lane][side];
            for k in 0..TURN {
                turn[side][k][lane] = body.turn[k];
            }
            for k in 0..3 {
                numbers[side][k][lane] = body.numbers[k] * narrow;
            }
            radius[side][lane] = body.radius * narrow;
        }
        magnitude[lane] = L::Scalar::round_up(size * factor);
        scale[lane] = narrow;
        unscale[lane] = L::Scalar::from_f64(1.0 / factor);
    }
    let turn_a = rotation::<S, L>(&turn[0]);
    let offset = S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&offset[k]),
    );
    PairLanes {
        offset: turn_a.unrotate(offset),
        turn: turn_a.inverse_times(rotation::<S, L>(&turn[1])),
        turn_a,
        numbers: [triple(&numbers[0]), triple(&numbers[1])],
        radius: [L::load(&radius[0]), L::load(&radius[1])],
        magnitude: L::load(&magnitude),
        scale: L::load(&scale),
        unscale: L::load(&unscale),
    }
}

// Written out: `array::from_fn` and `array::map` are not inlined into kernels.

#[inline(always)]
fn triple<L: Lanes>(rows: &[[L::Scalar; MAX_WIDTH]; 3]) -> [L; 3] {
    [L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2])]
}

#[inline(always)]
fn rotation<S: RecordSpace, L: Lanes>(rows: &[[L::Scalar; MAX_WIDTH]; TURN]) -> S::Rotation<L> {
    S::stored_rotation([L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2]), L::load(&rows[3])])
}
