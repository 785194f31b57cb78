//! The least of many numbers that come W at a time, and its place.

use crate::lanes::{Lanes, Scalar};

/// A running minimum over rows of lanes, with the place of the number that attains it: of equal ones the first.
///
/// NaN is skipped. (For the largest, show it the negatives.) It counts up to 2^22 numbers: places are counted in lanes
/// of the numbers' type, and [`Scalar::index`] reads no larger ones.
///
/// ```
/// use jostle_lanes::Least;
///
/// // The scalars are lanes of width 1; kernels use it at the width they have.
/// let mut least = Least::<f32>::new();
/// for number in [3.0, 1.0, 2.0, 1.0] {
///     least.see(number);
/// }
/// assert_eq!(least.found(), (1.0, 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Least<L: Lanes> {
    value: L,
    place: L,
    next: L,
}

impl<L: Lanes> Least<L> {
    /// Nothing seen yet.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "a kernel says `new`: what is derived is not inlined for certain")]
    pub fn new() -> Self {
        let next = L::from_fn(
            #[inline(always)]
            |lane| L::Scalar::from_f64(lane as f64),
        );
        Self { value: L::splat(L::Scalar::INFINITY), place: next, next }
    }

    /// Continues with the number at `place`: those between are skipped.
    #[inline(always)]
    pub fn go_to(&mut self, place: usize) {
        self.next = L::from_fn(
            #[inline(always)]
            |lane| L::Scalar::from_f64(lane as f64),
        ) + L::constant(place as f64);
    }

    /// Looks at the next W numbers.
    #[inline(always)]
    pub fn see(&mut self, numbers: L) {
        let less = numbers.lt(self.value);
        // The critical dependency from row to row is this minimum.
        self.value = numbers.min(self.value);
        self.place = L::select(less, self.next, self.place);
        self.next = self.next + L::constant(L::WIDTH as f64);
    }

    /// The least and its place, counted from zero; infinity and 0 if nothing less than infinity was seen.
    #[inline(always)]
    pub fn found(self) -> (L::Scalar, usize) {
        let value = self.value.reduce_min();
        let place = self.place.least_where(self.value.eq(L::splat(value)));
        (value, place.index())
    }
}
