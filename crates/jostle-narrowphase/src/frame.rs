//! Relative geometry: two bodies seen from the first, scaled so that their magnitude is about one.
//!
//! Positions are subtracted in `f64`, so a pair far from the origin loses nothing. The scale is a power of two: exact,
//! and it keeps squares of squares of lengths within what `f32` can hold, whatever the unit of the scene.

use jostle_lanes::{Lanes, Rot, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::record::{RADIUS, Record, RecordSpace};

/// Where pairs stand when a query looks at them, if not where their records say: as `f64`, before anything is rounded.
pub trait Placing {
    /// From A's core centre to B's along an axis of the world, given what it is at rest.
    #[inline(always)]
    fn offset(&self, _lane: usize, _axis: usize, at_rest: f64) -> f64 {
        at_rest
    }
    /// What is to be added to the pair's magnitude.
    #[inline(always)]
    fn room(&self, _lane: usize) -> f64 {
        0.0
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
    pub rotation: S::Rot<L>,
    /// A's rotation in the world.
    pub rotation_a: S::Rot<L>,
    /// A's and B's numbers (see [`Record::block`]), scaled.
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

/// The largest power of two that pairs are scaled by, and the inverse of the smallest: half the exponent range of
/// `f32`, so that squares stay in it; for `f64` of `f64`.
fn limit<T: Scalar>() -> f64 {
    f64::from_bits((1023 + if T::DOUBLE { 960 } else { 96 }) << 52)
}

/// What bodies of a class may have besides a position: a kernel does not pay for what they lack.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether the first ones, and the second, may have centres that are not their positions: hulls do.
    pub centred: [bool; 2],
    /// False if they look the same from everywhere, and have no numbers but a radius: balls.
    pub turned: bool,
}

impl Traits {
    /// Bodies of any kind.
    pub const ANY: Self = Self { centred: [true; 2], turned: true };
    /// Bodies whose centres are their positions.
    pub const TURNED: Self = Self { centred: [false; 2], turned: true };
    /// Balls.
    pub const ROUND: Self = Self { centred: [false; 2], turned: false };
}

/// Eight numbers of each pair of a packet, to be transposed into lanes; at first zero.
pub type Table<T> = [[T; 8]; MAX_WIDTH];

/// Gathers one pair per lane.
///
/// What is different in kind for each pair (the difference of two positions, in `f64`) is written to a row of eight
/// numbers; such rows, like the blocks of the records, are transposed into lanes, where everything else is done.
///
/// `table` is where those rows are written: kept from packet to packet, as to clear it is a sixteenth of what two balls
/// take.
///
/// `ask_ahead` is called once a lane, to ask for what the same lane needs next. It has to be called in this loop:
/// compilers make gather and scatter instructions of it otherwise, which take this machine 2.5 times as long as the
/// numbers one by one (of a pair of balls at hand they took 4 of 10 ns).
#[inline(always)]
pub fn gather<S, L>(
    pairs: &[[&Record<S, L::Scalar>; 2]; MAX_WIDTH],
    traits: Traits,
    placing: &impl Placing,
    table: &mut Table<L::Scalar>,
    ask_ahead: impl Fn(usize),
) -> PairLanes<S, L>
where
    S: RecordSpace,
    L: Lanes,
{
    let Traits { centred, turned } = traits;
    for lane in 0..L::WIDTH {
        ask_ahead(lane);
        let [a, b] = pairs[lane];
        let row = &mut table[lane];
        for k in 0..S::DIMENSION {
            let mut between = b.position[k] - a.position[k];
            match centred {
                [false, false] => {}
                [false, true] => between += b.centre(k),
                [true, false] => between -= a.centre(k),
                [true, true] => between += b.centre(k) - a.centre(k),
            }
            // Zeros lose their sign: it would choose among points that are equally near, and files do not keep it.
            row[k] = L::Scalar::from_f64(placing.offset(lane, k, between + 0.0));
        }
        for side in 0..2 {
            let body = pairs[lane][side];
            // A size that is not ordinary leaves the pair to `f64`.
            row[3 + side] = if centred[side] && body.is_aside() { L::Scalar::INFINITY } else { body.reach };
            row[6 + side] = body.block[RADIUS];
        }
        row[5] = L::Scalar::round_up(placing.room(lane));
    }
    let unturned = in_lanes(table);
    if !turned {
        return unturned;
    }
    turn(
        unturned,
        #[inline(always)]
        |side, lane| &pairs[lane][side].block,
    )
}

/// Scales pairs of bodies that are not turned and have no numbers, of which each row has the difference of two
/// positions (three numbers), what they reach, what is added to that, and their radii.
#[inline(always)]
pub fn in_lanes<S: RecordSpace, L: Lanes>(table: &Table<L::Scalar>) -> PairLanes<S, L> {
    let [x, y, z, reach_a, reach_b, room, radius_a, radius_b] = L::gather_rows(
        #[inline(always)]
        |lane| &table[lane],
    );
    let farthest = if S::DIMENSION == 3 { x.abs().max(y.abs()).max(z.abs()) } else { x.abs().max(y.abs()) };
    // Rounded four times at most, each time by no more than a round-off of the result.
    let size = (farthest + reach_a + reach_b + room) * L::constant(1.0 + 8.0 * L::Scalar::UNIT_ROUNDOFF.to_f64());
    let limit = limit::<L::Scalar>();
    let unscale = size.max(L::constant(1.0 / limit)).min(L::constant(limit)).power_of_two();
    let scale = L::one() / unscale;
    let offset = S::Vector::from_fn(
        #[inline(always)]
        |k| [x, y, z][k] * scale,
    );
    let [t0, t1, t2, t3] = S::unturned();
    let rotation = S::stored_rot([L::constant(t0), L::constant(t1), L::constant(t2), L::constant(t3)]);
    PairLanes {
        offset,
        rotation,
        rotation_a: rotation,
        numbers: [[L::zero(); 3]; 2],
        radius: [radius_a * scale, radius_b * scale],
        magnitude: size * scale,
        scale,
        unscale,
    }
}

/// Turns the bodies of such pairs and gives them their numbers, of which the first and the second body in each lane
/// have a [block](Record::block).
#[inline(always)]
pub fn turn<'r, S: RecordSpace, L: Lanes>(
    unturned: PairLanes<S, L>,
    block: impl Fn(usize, usize) -> &'r [L::Scalar; 8],
) -> PairLanes<S, L> {
    let scale = unturned.scale;
    let (rotation_a, numbers_a) = body::<S, L>(
        scale,
        #[inline(always)]
        |lane| block(0, lane),
    );
    let (rotation_b, numbers_b) = body::<S, L>(
        scale,
        #[inline(always)]
        |lane| block(1, lane),
    );
    PairLanes {
        offset: rotation_a.unrotate(unturned.offset),
        rotation: rotation_a.inverse_times(rotation_b),
        rotation_a,
        numbers: [numbers_a, numbers_b],
        ..unturned
    }
}

/// The rotation and the numbers of one body in each lane.
#[inline(always)]
fn body<'r, S: RecordSpace, L: Lanes>(scale: L, block: impl Fn(usize) -> &'r [L::Scalar; 8]) -> (S::Rot<L>, [L; 3]) {
    let [t0, t1, t2, t3, n0, n1, n2, _] = L::gather_rows(block);
    (S::stored_rot([t0, t1, t2, t3]), [n0 * scale, n1 * scale, n2 * scale])
}
