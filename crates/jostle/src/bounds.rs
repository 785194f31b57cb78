//! From bodies to the boxes that the broadphase sees: `f32`, rounded outward, relative to a local origin.
//!
//! The origin is where most bodies are (`origin.rs`). A body's box grows by half the margin on each side, and by what
//! the distance of a pair may be rounded by, so that no pair is lost whose printed distance is within the margin.

use core::marker::PhantomData;

use jostle_broadphase::{AxisMut, Bounds};
use jostle_lanes::{Kernel, Lanes, Rot, Vector, dispatch};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, Extents, Shape, is_length};
use jostle_tasks::{self as tasks, Few};

use crate::error::ContactsError;

/// Relative room for the rounding of a distance: twice the noise that the narrowphase allows for.
pub const ROUNDING: f64 = 4e-6;
/// Bodies that one task of the pool works on.
const BODIES_PER_TASK: usize = 4096;

/// Moves `value` down (`sign` is -1) or up (1), so far that rounding to `f32` does not bring it to the other side, and
/// by no more than a last digit of `f32`. (The tightest bound would need a branch that cannot be predicted, six for
/// each body: it took two thirds of the time of making a box.)
#[inline(always)]
fn outward<L: Lanes<Scalar = f64>>(value: L, sign: L) -> L {
    // Half of the last digit, which rounding to nearest may give back; the smallest number is added for zero.
    let half_digit = L::constant(0.5 * f64::from(f32::EPSILON));
    let digit = value.abs().min(L::constant(f64::MAX)) * half_digit + L::constant(f64::from(f32::from_bits(1)));
    value + sign * digit
}

/// An `f32` not above `value`: see [outward].
#[inline]
pub fn below(value: f64) -> f32 {
    outward(value, -1.0) as f32
}

/// The lowest and the highest coordinates of the `positions` whose index `counts`; of none, infinity and minus
/// infinity.
pub fn reach<S: Dimension>(positions: &[S::Array<f64>], counts: impl Fn(usize) -> bool + Sync) -> [S::Array<f64>; 2] {
    let none = [S::array(|_| f64::INFINITY), S::array(|_| f64::NEG_INFINITY)];
    let wider = |[lower, upper]: [S::Array<f64>; 2], [l, u]: [S::Array<f64>; 2]| {
        // One comparison each, which skips NaN as `min` and `max` do with three.
        [
            S::array(|k| if l[k] < lower[k] { l[k] } else { lower[k] }),
            S::array(|k| if u[k] > upper[k] { u[k] } else { upper[k] }),
        ]
    };
    let of_piece = |number, piece: Few<&[S::Array<f64>]>| {
        let places = (number * BODIES_PER_TASK..).zip(piece.list).filter(|&(body, _)| counts(body));
        places.fold(none, |bounds, (_, &place)| wider(bounds, [place; 2]))
    };
    tasks::fold(Few::of(positions, BODIES_PER_TASK), of_piece, wider).unwrap_or(none)
}

/// Refuses an invalid margin.
pub fn check_margin(margin: f64) -> Result<(), ContactsError> {
    if is_length(margin) { Ok(()) } else { Err(ContactsError::Margin(margin)) }
}

/// How boxes are made: the origin that they are relative to, and the room on each side.
#[derive(Clone, Copy, Debug)]
pub struct BoxFrame<S: Dimension> {
    /// What boxes are relative to.
    pub origin: S::Array<f64>,
    /// Metres on each side, without what distances are rounded by.
    pub room: f64,
}

impl<S: Dimension> BoxFrame<S> {
    /// Boxes any two of which overlap if the distance of their bodies is at most `margin`.
    pub fn for_margin(origin: S::Array<f64>, margin: f64) -> Self {
        Self { origin, room: 0.5 * margin * (1.0 + ROUNDING) }
    }
    /// Boxes that overlap boxes made without room if the distance of their bodies is at most `margin`.
    pub fn for_whole_margin(origin: S::Array<f64>, margin: f64) -> Self {
        Self { origin, room: margin * (1.0 + ROUNDING) }
    }

    /// A body as lanes read it: up to four numbers of its rotation, its position relative to the origin, its own room.
    #[inline]
    pub fn placed(&self, position: S::Array<f64>, rotation: S::Rotation<f64>, more: f64) -> Row {
        let mut row = [0.0; 8];
        row[..S::ROTATION_LEN].copy_from_slice(rotation.as_ref());
        for k in 0..S::DIMENSION {
            row[4 + k] = position[k] - self.origin[k];
        }
        row[7] = more;
        row
    }
}

/// A body that gets a box.
#[derive(Clone, Copy, Debug)]
pub struct Placed<S: Dimension> {
    /// The body that has the shape and rotation.
    pub body: usize,
    /// Where the body is, or is taken to be.
    pub position: S::Array<f64>,
    /// Additional room on each side, metres.
    pub room: f64,
}

/// Eight numbers of a body, as lanes read them.
pub type Row = [f64; 8];

/// What the box of a shape is made from: its [`Extents`], and the core's centre.
#[inline]
fn outline<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> [Row; 2] {
    let Extents { half: [x, y, z], disc, reach, radius } = shape.extents();
    let mut centre = [0.0; 8];
    centre[..S::DIMENSION].copy_from_slice(shape.core_centre().as_ref());
    [[x, y, z, disc, reach, radius, 0.0, 0.0], centre]
}

/// Which pairs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// All whose boxes overlap.
    Boxes,
    /// Those that may be near: where all bodies are balls, boxes show where the balls are, and where many are long,
    /// they have capsules.
    Near,
}

impl Sought {
    /// Whether boxes of these bodies are to be [round](Bounds::set_round).
    pub fn round<S: Dimension, U: CustomShape<S>>(self, bodies: &Columns<'_, S, U>) -> bool {
        self == Self::Near && are_balls(bodies.shapes())
    }
}

fn are_balls<S: Dimension, U: CustomShape<S>>(shapes: &[Shape<S, U>]) -> bool {
    shapes.iter().all(|shape| matches!(shape.core(), Core::Point))
}

/// What the shapes of some bodies have in common, which saves work for the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alike {
    /// Nothing.
    No = 0,
    /// The cores' centres are their bodies' positions: no centre has to be rotated.
    Centred = 1,
    /// All are balls, which look the same in every rotation.
    Balls = 2,
}

impl Alike {
    fn of<S: Dimension, U: CustomShape<S>>(shapes: &[Shape<S, U>]) -> Self {
        let centred = |shape: &Shape<S, U>| shape.core_centre().as_ref().iter().all(|&x| x == 0.0);
        if are_balls(shapes) {
            Self::Balls
        } else if shapes.iter().all(centred) {
            Self::Centred
        } else {
            Self::No
        }
    }
}

/// The lower and upper corners of boxes: numbers that, rounded to `f32`, are not inside the box (see [below]). Shapes
/// are [`Alike`] in the way that `ALIKE` names.
#[inline(always)]
fn corners<S: Dimension, L: Lanes<Scalar = f64>, const ALIKE: u8>(
    room: f64,
    [t0, t1, t2, t3, x, y, z, more]: [L; 8],
    [extents, centre]: [[L; 8]; 2],
) -> [S::Vector<L>; 2] {
    let [half_x, half_y, half_z, disc, reach, radius, ..] = extents;
    let rotation = S::rot(&[t0, t1, t2, t3]);
    let (balls, centred) = const { (ALIKE == Alike::Balls as u8, ALIKE != Alike::No as u8) };
    let half = if balls {
        S::Vector::zero()
    } else {
        Extents { half: [half_x, half_y, half_z], disc, reach, radius }.turned::<S>(&rotation)
    };
    let centre = S::Vector::from_fn(
        #[inline(always)]
        |k| centre[k],
    );
    let centre = if centred { S::Vector::zero() } else { rotation.rotate(centre) };
    let room = L::constant(room) + more + L::constant(ROUNDING) * if balls { radius } else { reach + radius };
    let from_origin = [x, y, z];
    let place = S::Vector::from_fn(
        #[inline(always)]
        |k| if centred { from_origin[k] } else { from_origin[k] + centre.get(k) },
    );
    let half = S::Vector::from_fn(
        #[inline(always)]
        |k| {
            // By how much rounding may have moved it.
            let far = if centred { from_origin[k].abs() } else { from_origin[k].abs() + centre.get(k).abs() };
            let half = if balls { radius } else { half.get(k) };
            half + room + L::constant(4.0 * f64::EPSILON) * far
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

/// Fills the boxes for which `who` names a body; the others stay as they are.
pub fn fill_some<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: BoxFrame<S>,
    who: &(impl Fn(usize) -> Option<Placed<S>> + Sync),
    bounds: &mut Bounds<S>,
) {
    let shapes = bodies.shapes().len();
    if bounds.len() <= ALONE {
        fill_one_by_one(bodies, boxes, who, bounds);
    } else if shapes <= A_FEW_SHAPES || shapes > A_FEW_SHAPES * bounds.len() {
        fill_knowing::<A_FEW_SHAPES, _, _>(bodies, boxes, who, bounds);
    } else {
        fill_knowing::<FEW_SHAPES, _, _>(bodies, boxes, who, bounds);
    }
}

/// The same without lanes.
fn fill_one_by_one<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: BoxFrame<S>,
    who: &impl Fn(usize) -> Option<Placed<S>>,
    bounds: &mut Bounds<S>,
) {
    for at in 0..bounds.len() {
        if let Some(Placed { body, position, room }) = who(at) {
            let placed = boxes.placed(position, bodies.rotations().get(body), room);
            let shape = bodies.shape(body);
            let outline = outline(shape);
            let corners = match Alike::of(core::slice::from_ref(shape)) {
                Alike::No => corners::<S, f64, { Alike::No as u8 }>(boxes.room, placed, outline),
                Alike::Centred => corners::<S, f64, { Alike::Centred as u8 }>(boxes.room, placed, outline),
                Alike::Balls => corners::<S, f64, { Alike::Balls as u8 }>(boxes.room, placed, outline),
            };
            let [lower, upper] = corners.map(|corner| S::array(|k| corner.get(k) as f32));
            bounds.set(at, lower, upper);
        }
    }
}

/// The same, with room for the outlines of `MOST` shapes.
fn fill_knowing<const MOST: usize, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: BoxFrame<S>,
    who: &(impl Fn(usize) -> Option<Placed<S>> + Sync),
    bounds: &mut Bounds<S>,
) {
    let shapes = bodies.shapes();
    let (mut extents, mut centres) = ([[0.0; 8]; MOST], [[0.0; 8]; MOST]);
    let known = if shapes.len() <= MOST { shapes } else { &[] };
    for (place, shape) in known.iter().enumerate() {
        [extents[place], centres[place]] = outline(shape);
    }
    let outlines = [&extents[..known.len()], &centres[..known.len()]];
    // Where there are many shapes, looking at all of them would cost more than a few boxes gain.
    let alike = if known.is_empty() { Alike::No } else { Alike::of(known) };
    let piece = BoxPiece { bodies, outlines, alike, boxes, who, first: 0, len: bounds.len() };
    piece.fill(bounds.columns_mut());
}

/// Some consecutive boxes.
struct BoxPiece<'p, 'b, S: Dimension, U, F> {
    bodies: &'p Columns<'b, S, U>,
    /// The outlines of all shapes, or empty where there are too many: then each body's own shape is looked at.
    outlines: [&'p [Row]; 2],
    alike: Alike,
    boxes: BoxFrame<S>,
    who: &'p F,
    first: usize,
    len: usize,
}

impl<S: Dimension, U: CustomShape<S>, F: Fn(usize) -> Option<Placed<S>> + Sync> BoxPiece<'_, '_, S, U, F> {
    /// Fills the columns of these boxes, halving the piece until it is one task's work. (In the plane the columns of
    /// the third axis are empty, which is why this does not zip chunks.)
    fn fill(self, axes: [AxisMut<'_>; 3]) {
        if self.len > BODIES_PER_TASK {
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
            let second = BoxPiece { first: self.first + half, len: self.len - half, ..self };
            let first = BoxPiece { len: half, ..self };
            tasks::join(|| first.fill(front), || second.fill(back));
            return;
        }
        let Self { bodies, outlines, alike, boxes, who, first, len } = self;
        let mut block = BoxBlock { room: boxes.room, ..BoxBlock::default() };
        // Not cleared where the outlines of all shapes are known.
        let mut own = outlines[0].is_empty().then_some([[[0.0; 8]; BLOCK]; 2]);
        let mut targets = axes.map(|AxisMut { lower, upper }| [lower, upper]);
        let mut places = [0; BLOCK];
        for at in 0..len {
            if let Some(Placed { body, position, room }) = who(first + at) {
                let count = block.count;
                // Rotations are not read from memory where they do not matter.
                let rotation =
                    if alike == Alike::Balls { S::identity_rotation() } else { bodies.rotations().get(body) };
                block.placed[count] = boxes.placed(position, rotation, room);
                if let Some([extents, centres]) = &mut own {
                    block.shapes[count] = count as u32;
                    [extents[count], centres[count]] = outline(bodies.shape(body));
                } else {
                    block.shapes[count] = bodies.shape_indices()[body];
                }
                places[count] = at;
                block.count += 1;
            }
            if block.count == BLOCK || at + 1 == len && block.count > 0 {
                let outlines = own.as_ref().map_or(outlines, |[extents, centres]| [extents, centres]);
                match alike {
                    Alike::No => dispatch(CornerFinder::<S, { Alike::No as u8 }>::of(&mut block, outlines)),
                    Alike::Centred => dispatch(CornerFinder::<S, { Alike::Centred as u8 }>::of(&mut block, outlines)),
                    Alike::Balls => dispatch(CornerFinder::<S, { Alike::Balls as u8 }>::of(&mut block, outlines)),
                }
                let places = &places[..block.count];
                let (begin, end) = (places[0], places[block.count - 1] + 1);
                for (axis, [lower, upper]) in targets.iter_mut().take(S::DIMENSION).enumerate() {
                    for (to, from) in [(lower, &block.lower[axis]), (upper, &block.upper[axis])] {
                        if end - begin == places.len() {
                            to[begin..end].iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
                        } else {
                            places.iter().zip(from).for_each(|(&at, from)| to[at] = *from as f32);
                        }
                    }
                }
                block.count = 0;
            }
        }
    }
}

/// Up to this many boxes are made one by one: lanes take a hundred nanoseconds before the first box is done.
const ALONE: usize = 2;
/// Bodies whose boxes are made at once. (Room for 64 takes 150 ns to initialise, as long as ten boxes.)
const BLOCK: usize = 16;
/// Up to this many shapes have their outlines made beforehand.
const FEW_SHAPES: usize = 256;
/// Room for this many costs nothing worth mentioning: for all of [`FEW_SHAPES`] it takes 400 ns to initialise.
const A_FEW_SHAPES: usize = 8;

/// Some bodies, and their boxes.
struct BoxBlock {
    room: f64,
    count: usize,
    placed: [Row; BLOCK],
    /// Which outline each body has.
    shapes: [u32; BLOCK],
    lower: [[f64; BLOCK]; 3],
    upper: [[f64; BLOCK]; 3],
}

impl Default for BoxBlock {
    fn default() -> Self {
        let numbers = [[0.0; BLOCK]; 3];
        Self { room: 0.0, count: 0, placed: [[0.0; 8]; BLOCK], shapes: [0; BLOCK], lower: numbers, upper: numbers }
    }
}

/// Finds the corners of a block's boxes.
struct CornerFinder<'c, S, const ALIKE: u8> {
    block: &'c mut BoxBlock,
    outlines: [&'c [Row]; 2],
    space: PhantomData<S>,
}

impl<'c, S, const ALIKE: u8> CornerFinder<'c, S, ALIKE> {
    fn of(block: &'c mut BoxBlock, outlines: [&'c [Row]; 2]) -> Self {
        Self { block, outlines, space: PhantomData }
    }
}

impl<S: Dimension, const ALIKE: u8> Kernel<f64> for CornerFinder<'_, S, ALIKE> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let BoxBlock { room, count, placed, shapes, lower, upper } = self.block;
        let [extents, centres] = self.outlines;
        for first in (0..*count).step_by(L::WIDTH) {
            let rows = core::convert::identity(
                #[inline(always)]
                |rows: &[Row]| {
                    L::gather_rows(
                        #[inline(always)]
                        |lane| &rows[shapes[first + lane] as usize],
                    )
                },
            );
            let placed = L::gather_rows(
                #[inline(always)]
                |lane| &placed[first + lane],
            );
            let [low, high] = corners::<S, L, ALIKE>(*room, placed, [rows(extents), rows(centres)]);
            for k in 0..S::DIMENSION {
                low.get(k).store(&mut lower[k][first..]);
                high.get(k).store(&mut upper[k][first..]);
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
