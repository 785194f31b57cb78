//! From bodies to the boxes that the broadphase sees: `f32`, rounded outward, relative to a local origin.
//!
//! The origin is the middle of all positions, so that a crowd at map coordinates loses nothing. A body's box grows by
//! half the margin on each side, and by what the distance of a pair may be rounded by, so that no pair is lost whose
//! printed distance is within the margin.

use jostle_broadphase::{AxisMut, Bounds};
use jostle_lanes::{Rotation, Vector};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, MAX_LENGTH};
use rayon::prelude::*;

use crate::{ContactsError, pool};

/// Relative room for the rounding of a distance: twice the noise that the narrowphase allows for.
pub const ROUNDING: f64 = 4e-6;
/// Bodies that one task of the pool works on.
const PIECE: usize = 4096;

/// An `f32` not above `value`, and no more than its last digit below the largest such. (Asking for that very one is a branch
/// that nobody can guess, six for each body: it took two thirds of the time of making a box.)
#[inline]
pub fn below(value: f64) -> f32 {
    // Half of the last digit, which rounding to nearest may give back; the smallest number is there for zero.
    let digit = value.abs().min(f64::MAX) * (0.5 * f64::from(f32::EPSILON)) + f64::from(f32::from_bits(1));
    (value - digit) as f32
}

/// The same, not below `value`.
#[inline]
pub fn above(value: f64) -> f32 {
    -below(-value)
}

/// The middle of all positions.
pub fn origin<S: Dimension>(positions: &[S::Array<f64>]) -> S::Array<f64> {
    let none = (S::array(|_| f64::INFINITY), S::array(|_| f64::NEG_INFINITY));
    let wider = |(lower, upper): (S::Array<f64>, S::Array<f64>), (l, u): (S::Array<f64>, S::Array<f64>)| {
        (S::array(|k| lower[k].min(l[k])), S::array(|k| upper[k].max(u[k])))
    };
    let (lower, upper) = positions
        .par_chunks(PIECE)
        .map(|piece| piece.iter().fold(none, |bounds, &p| wider(bounds, (p, p))))
        .reduce(|| none, wider);
    S::array(|k| if lower[k] <= upper[k] { 0.5 * lower[k] + 0.5 * upper[k] } else { 0.0 })
}

/// Refuses a margin that is none.
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
    /// The lower and upper corner of the box of body `body`, with some more room.
    #[inline]
    pub fn of<U: CustomShape<S>>(
        &self,
        bodies: &Columns<'_, S, U>,
        body: usize,
        more: f64,
    ) -> (S::Array<f32>, S::Array<f32>) {
        self.at(bodies, body, bodies.positions()[body], more)
    }

    /// The same as if the body were at `position`.
    #[inline]
    pub fn at<U: CustomShape<S>>(
        &self,
        bodies: &Columns<'_, S, U>,
        body: usize,
        position: S::Array<f64>,
        more: f64,
    ) -> (S::Array<f32>, S::Array<f32>) {
        let turns = bodies.turns();
        let shape = bodies.shape(body);
        // A ball looks the same from everywhere, and need not pay for its rotation.
        let half = match shape.core() {
            Core::Point => S::array(|_| shape.radius()),
            _ => shape.turned_half_extents(&S::rotation(turns.get(body).as_ref())),
        };
        let centre: S::Array<f64> = match shape.core() {
            Core::Hull(hull) => {
                let offset = hull.centre();
                let turned = S::rotation(turns.get(body).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
                S::array(|k| turned.get(k))
            }
            _ => S::array(|_| 0.0),
        };
        // Seen from the origin, and how much rounding may have moved it.
        let place: S::Array<f64> = S::array(|k| (position[k] - self.origin[k]) + centre[k]);
        let blur: S::Array<f64> =
            S::array(|k| 4.0 * f64::EPSILON * ((position[k] - self.origin[k]).abs() + centre[k].abs()));
        let room = self.room + more + ROUNDING * shape.reach();
        (
            S::array(|k| below(place[k] - half[k] - room - blur[k])),
            S::array(|k| above(place[k] + half[k] + room + blur[k])),
        )
    }
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
            pool::join(|| first.fill(front), || second.fill(back));
            return;
        }
        let [x, y, z] = axes;
        for i in 0..self.len {
            let Some(room) = (self.room)(self.first + i) else { continue };
            let (lower, upper) = self.boxes.of(self.bodies, self.first + i, room);
            for (k, axis) in [&mut *x.lower, &mut *y.lower, &mut *z.lower].into_iter().take(S::DIMENSION).enumerate() {
                axis[i] = lower[k];
            }
            for (k, axis) in [&mut *x.upper, &mut *y.upper, &mut *z.upper].into_iter().take(S::DIMENSION).enumerate() {
                axis[i] = upper[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{above, below};
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
            let (low, high) = (below(value), above(value));
            assert!(f64::from(low) <= value && value <= f64::from(high), "{low} {value} {high}");
            assert!(low >= f32::round_down(value).next_down().next_down(), "{low} is far below {value}");
            assert!(high <= f32::round_up(value).next_up().next_up(), "{high} is far above {value}");
        }
        assert!(below(f64::NAN).is_nan());
    }
}
