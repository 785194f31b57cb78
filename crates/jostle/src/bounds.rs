//! From bodies to the boxes that the broadphase sees: `f32`, rounded outward, relative to a local origin.
//!
//! The origin is the middle of all positions, so that a crowd at map coordinates loses nothing. A body's box grows by
//! half the margin on each side, and by what the distance of a pair may be rounded by, so that no pair is lost whose
//! printed distance is within the margin.

use core::marker::PhantomData;

use jostle_broadphase::{AxisMut, Bounds};
use jostle_lanes::{Kernel, Lanes, Rotation, Vector, dispatch};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, Extents, MAX_LENGTH, MAX_WIDTH, Shape};
use jostle_tasks::{self as tasks, Few};

use crate::error::ContactsError;

/// Relative room for the rounding of a distance: twice the noise that the narrowphase allows for.
pub const ROUNDING: f64 = 4e-6;
/// Bodies that one task of the pool works on.
const PIECE: usize = 4096;

/// What is so far from `value`, down where `sign` is -1 and up where it is 1, that the nearest `f32` is not on the other side of it, and
/// no more than its last digit away from the nearest that is not. (Asking for that very one is a branch that nobody can guess,
/// six for each body: it took two thirds of the time of making a box.)
#[inline(always)]
fn outward<L: Lanes<Scalar = f64>>(value: L, sign: L) -> L {
    // Half of the last digit, which rounding to nearest may give back; the smallest number is there for zero.
    let half_digit = L::constant(0.5 * f64::from(f32::EPSILON));
    let digit = value.abs().min(L::constant(f64::MAX)) * half_digit + L::constant(f64::from(f32::from_bits(1)));
    value + sign * digit
}

/// An `f32` not above `value`: see [outward].
#[inline]
pub fn below(value: f64) -> f32 {
    outward(value, -1.0) as f32
}

/// The middle of all positions.
pub fn origin<S: Dimension>(positions: &[S::Array<f64>]) -> S::Array<f64> {
    let none = (S::array(|_| f64::INFINITY), S::array(|_| f64::NEG_INFINITY));
    let wider = |(lower, upper): (S::Array<f64>, S::Array<f64>), (l, u): (S::Array<f64>, S::Array<f64>)| {
        // One comparison each, which passes over NaN as `min` and `max` do with three.
        (
            S::array(|k| if l[k] < lower[k] { l[k] } else { lower[k] }),
            S::array(|k| if u[k] > upper[k] { u[k] } else { upper[k] }),
        )
    };
    let of_piece = |_, piece: Few<&[S::Array<f64>]>| piece.list.iter().fold(none, |bounds, &p| wider(bounds, (p, p)));
    let (lower, upper) = tasks::fold(Few::of(positions, PIECE), of_piece, wider).unwrap_or(none);
    S::array(|k| if lower[k] <= upper[k] { 0.5 * lower[k] + 0.5 * upper[k] } else { 0.0 })
}

/// Refuses an invalid margin.
pub fn check_margin(margin: f64) -> Result<(), ContactsError> {
    // Written so that NaN is refused.
    if (0.0..=MAX_LENGTH).contains(&margin) { Ok(()) } else { Err(ContactsError::Margin(margin)) }
}

/// How boxes are made: what they are seen from, and the room that they leave on each side.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<S: Dimension> {
    /// What the boxes are relative to.
    pub origin: S::Array<f64>,
    /// Metres on each side, rounding of distances aside.
    pub room: f64,
}

impl<S: Dimension> Boxes<S> {
    /// Boxes of bodies, any two of which overlap if their distance is at most `margin`.
    pub fn for_margin(origin: S::Array<f64>, margin: f64) -> Self {
        Self { origin, room: 0.5 * margin * (1.0 + ROUNDING) }
    }
    /// The lower and upper corner of the box of body `body` as if it were at `position`, with some more room.
    #[inline]
    pub fn at<U: CustomShape<S>>(
        &self,
        bodies: &Columns<'_, S, U>,
        body: usize,
        position: S::Array<f64>,
        more: f64,
    ) -> (S::Array<f32>, S::Array<f32>) {
        let placed = self.placed(position, bodies.turns().get(body), more);
        let [lower, upper] = corners::<S, f64>(self.room, placed, Outline::of(bodies.shape(body)).rows());
        (S::array(|k| lower.get(k) as f32), S::array(|k| upper.get(k) as f32))
    }

    /// Where a body is and how it is turned: four numbers of its turn, its place seen from the origin, its own room.
    #[inline]
    fn placed(&self, position: S::Array<f64>, turn: S::Turn<f64>, more: f64) -> Row {
        let mut row = [0.0; 8];
        row[..S::TURN].copy_from_slice(turn.as_ref());
        for k in 0..S::DIMENSION {
            row[4 + k] = position[k] - self.origin[k];
        }
        row[7] = more;
        row
    }
}

/// Eight numbers of a body, as lanes read them.
type Row = [f64; 8];

/// What the box of a shape is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Outline {
    /// See [`Extents`].
    extents: Row,
    /// The core's centre.
    centre: Row,
}

impl Outline {
    #[inline]
    fn of<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> Self {
        let Extents { half: [x, y, z], disc, reach, radius } = shape.extents();
        let mut centre = [0.0; 8];
        centre[..S::DIMENSION].copy_from_slice(shape.core_centre().as_ref());
        Self { extents: [x, y, z, disc, reach, radius, 0.0, 0.0], centre }
    }
    fn rows(self) -> [Row; 2] {
        [self.extents, self.centre]
    }
}

/// The lower and upper corners of boxes: numbers that an `f32` rounds to what is [below] and above.
#[inline(always)]
fn corners<S: Dimension, L: Lanes<Scalar = f64>>(
    room: f64,
    [t0, t1, t2, t3, x, y, z, more]: [L; 8],
    [extents, centre]: [[L; 8]; 2],
) -> [S::Vector<L>; 2] {
    let [half_x, half_y, half_z, disc, reach, radius, ..] = extents;
    let rotation = S::rotation(&[t0, t1, t2, t3]);
    let half = Extents { half: [half_x, half_y, half_z], disc, reach, radius }.turned::<S>(&rotation);
    let centre = rotation.rotate(S::Vector::from_fn(
        #[inline(always)]
        |k| centre[k],
    ));
    let room = L::constant(room) + more + L::constant(ROUNDING) * (reach + radius);
    let from_origin = [x, y, z];
    let place = S::Vector::from_fn(
        #[inline(always)]
        |k| from_origin[k] + centre.get(k),
    );
    let half = S::Vector::from_fn(
        #[inline(always)]
        |k| {
            // How much rounding may have moved it.
            let blur = L::constant(4.0 * f64::EPSILON) * (from_origin[k].abs() + centre.get(k).abs());
            half.get(k) + room + blur
        },
    );
    let lower = S::Vector::from_fn(
        #[inline(always)]
        |k| outward(place.get(k) - half.get(k), -L::one()),
    );
    let upper = S::Vector::from_fn(
        #[inline(always)]
        |k| outward(place.get(k) + half.get(k), L::one()),
    );
    [lower, upper]
}

/// Fills `bounds` with the boxes of all bodies, grown for `margin`.
pub fn fill<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, margin: f64, bounds: &mut Bounds<S>) {
    bounds.resize(bodies.len());
    let boxes = Boxes::for_margin(origin::<S>(bodies.positions()), margin);
    fill_some(bodies, boxes, &|_| Some(0.0), bounds);
}

/// Fills the boxes of those bodies for which `room` says how much more of it they need; the others' stay as they are.
pub fn fill_some<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: Boxes<S>,
    room: &(impl Fn(usize) -> Option<f64> + Sync),
    bounds: &mut Bounds<S>,
) {
    let piece = Piece { bodies, boxes, room, first: 0, len: bodies.len() };
    piece.fill(bounds.columns_mut());
}

/// Some bodies in a row.
struct Piece<'p, 'b, S: Dimension, U, F> {
    bodies: &'p Columns<'b, S, U>,
    boxes: Boxes<S>,
    room: &'p F,
    first: usize,
    len: usize,
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(usize) -> Option<f64> + Sync> Piece<'_, '_, S, U, F> {
    /// Fills the columns of these bodies, halving the piece until it is one task's work. (The plane's third axis has
    /// columns of no length, which is why this does not zip chunks.)
    fn fill(self, axes: [AxisMut<'_>; 3]) {
        if self.len > PIECE {
            let half = self.len / 2;
            let mut back = axes.each_ref().map(|_| None);
            let front = {
                let mut k = 0;
                axes.map(|AxisMut { lower, upper }| {
                    let at = half.min(lower.len());
                    let (lower, lower_back) = lower.split_at_mut(at);
                    let (upper, upper_back) = upper.split_at_mut(at);
                    back[k] = Some(AxisMut { lower: lower_back, upper: upper_back });
                    k += 1;
                    AxisMut { lower, upper }
                })
            };
            let back = back.map(|axis| axis.unwrap_or(AxisMut { lower: &mut [], upper: &mut [] }));
            let second = Piece { first: self.first + half, len: self.len - half, ..self };
            let first = Piece { len: half, ..self };
            tasks::join(|| first.fill(front), || second.fill(back));
            return;
        }
        let Self { bodies, boxes, room, first, len } = self;
        let shapes = bodies.shapes();
        let mut outlines = [Outline::default(); FEW];
        let few = shapes.len() <= FEW;
        if few {
            outlines.iter_mut().zip(shapes).for_each(|(outline, shape)| *outline = Outline::of(shape));
        }
        // Balls look the same from everywhere: the memory of their turns is not met.
        let round = few && shapes.iter().all(|shape| matches!(shape.core(), Core::Point));
        let mut targets = axes.map(|AxisMut { lower, upper }| [lower, upper]);
        let mut block = Block { room: boxes.room, ..Block::default() };
        let mut places = [0; BLOCK];
        for at in 0..len {
            if let Some(more) = room(first + at) {
                let (body, count) = (first + at, block.count);
                let outline = match outlines.get(bodies.shape_indices()[body] as usize) {
                    Some(outline) if few => *outline,
                    _ => Outline::of(bodies.shape(body)),
                };
                let turn = if round { S::identity_turn() } else { bodies.turns().get(body) };
                block.placed[count] = boxes.placed(bodies.positions()[body], turn, more);
                [block.extents[count], block.centres[count]] = outline.rows();
                places[count] = at;
                block.count += 1;
            }
            if block.count == BLOCK || at + 1 == len && block.count > 0 {
                dispatch(Corners::<S>(&mut block, PhantomData));
                let places = &places[..block.count];
                for (axis, [lower, upper]) in targets.iter_mut().take(S::DIMENSION).enumerate() {
                    for (&at, (low, high)) in places.iter().zip(block.lower[axis].iter().zip(&block.upper[axis])) {
                        (lower[at], upper[at]) = (*low, *high);
                    }
                }
                block.count = 0;
            }
        }
    }
}

/// Bodies whose boxes are made at once.
const BLOCK: usize = 64;
/// So many shapes are looked through beforehand; where there are more, each body's own is.
const FEW: usize = 64;

/// Some bodies, and their boxes.
struct Block {
    room: f64,
    count: usize,
    placed: [Row; BLOCK],
    extents: [Row; BLOCK],
    centres: [Row; BLOCK],
    lower: [[f32; BLOCK]; 3],
    upper: [[f32; BLOCK]; 3],
}

impl Default for Block {
    fn default() -> Self {
        let (rows, numbers) = ([[0.0; 8]; BLOCK], [[0.0; BLOCK]; 3]);
        Self { room: 0.0, count: 0, placed: rows, extents: rows, centres: rows, lower: numbers, upper: numbers }
    }
}

/// The rows from `first` on, a body a lane.
#[inline(always)]
fn columns<L: Lanes<Scalar = f64>>(rows: &[Row; BLOCK], first: usize) -> [L; 8] {
    L::gather_rows(
        #[inline(always)]
        |lane| &rows[first + lane],
    )
}

/// Finds the corners of a block's boxes.
struct Corners<'c, S>(&'c mut Block, PhantomData<S>);

impl<S: Dimension> Kernel<f64> for Corners<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Block { room, count, placed, extents, centres, lower, upper } = self.0;
        for first in (0..*count).step_by(L::WIDTH) {
            let outlines = [columns(extents, first), columns(centres, first)];
            let [low, high] = corners::<S, L>(*room, columns(placed, first), outlines);
            for k in 0..S::DIMENSION {
                let mut numbers = [0.0; MAX_WIDTH];
                for (corner, to) in [(low, &mut *lower), (high, &mut *upper)] {
                    corner.get(k).store(&mut numbers);
                    for lane in 0..L::WIDTH {
                        to[k][first + lane] = numbers[lane] as f32;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{below, outward};
    use jostle_lanes::Scalar;

    #[test]
    fn bounds_are_outside_and_tight() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let drawn = (0..100_000).map(|_| {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            // Up to 1e20, of both signs.
            f64::from_bits(bits % (1086 << 52)).copysign(if bits >> 63 == 1 { -1.0 } else { 1.0 })
        });
        let special = [0.0, -0.0, 1.0, -1.0, 0.1, f64::from(f32::MAX), 1e-45, 1e-300, f64::INFINITY, f64::NEG_INFINITY];
        for value in drawn.chain(special) {
            let (low, high) = (below(value), outward(value, 1.0) as f32);
            assert!(f64::from(low) <= value && value <= f64::from(high), "{low} {value} {high}");
            assert!(low >= f32::round_down(value).next_down().next_down(), "{low} is far below {value}");
            assert!(high <= f32::round_up(value).next_up().next_up(), "{high} is far above {value}");
        }
        assert!(below(f64::NAN).is_nan());
    }
}
