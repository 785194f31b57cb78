//! Lists images: all whose shift lies between two corners, or all that bring a point near the origin; and finds the
//! boxes that have no image to be listed.

use core::ops::Range;

use jostle_broadphase::Bounds;
use jostle_lanes::Scalar;
use jostle_shape::Space;

use super::Lattice;
use super::whole::{ceiling, floor};

impl<S: Space> Lattice<S> {
    /// Finds which boxes have no image that reaches the box from `first` to `last`, which contains all boxes. With
    /// `half`, only images whose last number other than 0 is positive are considered.
    pub(crate) fn inner(&self, first: &S::Array<f64>, last: &S::Array<f64>, half: bool) -> Inner {
        let mut inner = Inner { below: [f32::INFINITY; 3], above: [f32::NEG_INFINITY; 3] };
        for axis in 0..S::DIMENSION {
            // Slightly less than it is, as room for rounding.
            let length = (1.0 - 1e-5) * self.length(axis);
            if length > 0.0 {
                inner.above[axis] = f32::round_up(last[axis] - length);
                if !half {
                    inner.below[axis] = f32::round_down(first[axis] + length);
                }
            }
        }
        inner
    }

    /// Whether no image of a point but the point itself comes within `reach` of the origin. (False also where an image
    /// is slightly farther out.)
    pub(crate) fn is_alone(&self, point: &S::Array<f64>, reach: f64) -> bool {
        if self.leans {
            let other = |image| if image == [0; 3] { Ok(()) } else { Err(()) };
            return reach.is_finite() && self.each_within(point, reach, &mut { other }).is_ok();
        }
        let squared: f64 = (0..S::DIMENSION).map(|axis| point[axis] * point[axis]).sum();
        // One step along one axis: all other images are farther away still. (NaN makes this false.)
        (0..S::DIMENSION).all(|axis| {
            let length = self.length(axis);
            length == 0.0 || squared + length * (length - 2.0 * point[axis].abs()) > reach * reach
        })
    }

    /// Calls `found` with all images whose shift is between `lowest` and `highest` on every axis, and perhaps some
    /// slightly outside, in no particular order, until it returns an error.
    ///
    /// No vector leans towards an axis behind its own, so once the multiples of the vectors behind are chosen, an axis
    /// has a range of its own.
    #[inline]
    pub(crate) fn each_image<E>(
        &self,
        lowest: &S::Array<f64>,
        highest: &S::Array<f64>,
        found: &mut impl FnMut([i32; 3]) -> Result<(), E>,
    ) -> Result<(), E> {
        let here = S::array(|_| 0.0);
        for z in self.multiples(2, &here, lowest, highest) {
            let of_z = self.farther(&here, 2, z);
            for y in self.multiples(1, &of_z, lowest, highest) {
                for x in self.multiples(0, &self.farther(&of_z, 1, y), lowest, highest) {
                    found([x, y, z])?;
                }
            }
        }
        Ok(())
    }

    /// A point moved by `count` of the vector of an axis.
    fn farther(&self, from: &S::Array<f64>, axis: usize, count: i32) -> S::Array<f64> {
        S::array(|k| from[k] + f64::from(count) * self.vectors[axis][k])
    }

    /// The multiples of the vector of an axis that bring the point `from` between two corners along that axis, and
    /// perhaps some that bring it slightly outside.
    fn multiples(
        &self,
        axis: usize,
        from: &S::Array<f64>,
        lowest: &S::Array<f64>,
        highest: &S::Array<f64>,
    ) -> Range<i32> {
        if axis >= S::DIMENSION {
            return 0..1;
        }
        let (low, high, length) = (lowest[axis] - from[axis], highest[axis] - from[axis], self.length(axis));
        // Room for what is rounded here.
        let slack = 1e-6;
        if length == 0.0 {
            let room = slack * (high - low);
            return if low > room || high < -room { 0..0 } else { 0..1 };
        }
        // More than 2^30 images are refused by the caller before the last is reached.
        let most = f64::from(1 << 30);
        let [first, last] = [ceiling(low / length - slack).max(-most), floor(high / length + slack).min(most)];
        first as i32..last as i32 + 1
    }

    /// Calls `found` with all images by which a point at `apart` comes within `reach` of the origin, and perhaps some
    /// slightly farther out, in no particular order, until it returns an error.
    pub(crate) fn each_within<E>(
        &self,
        apart: &S::Array<f64>,
        reach: f64,
        found: &mut impl FnMut([i32; 3]) -> Result<(), E>,
    ) -> Result<(), E> {
        // Multiples that cannot be counted are more than any caller takes.
        let within = |count: i64| count.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        self.short.each_within(apart, reach, &mut |counts| found(counts.map(within)))
    }
}

/// The boxes that are farther from the cell's border than any box reaches over it, and have no image that matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    below: [f32; 3],
    above: [f32; 3],
}

impl Inner {
    /// Boxes that are looked at together.
    pub const BLOCK: usize = u32::BITS as usize;

    /// Which of a block of boxes are not such inner boxes (or only just are), a bit each.
    pub fn others<S: Space>(&self, bounds: &Bounds<S>, block: Range<usize>) -> u32 {
        let mut inner = [1; Self::BLOCK];
        for axis in 0..S::DIMENSION {
            let (lower, upper) = (&bounds.lower(axis)[block.clone()], &bounds.upper(axis)[block.clone()]);
            let (below, above) = (self.below[axis], self.above[axis]);
            for ((inner, &lower), &upper) in inner.iter_mut().zip(lower).zip(upper) {
                // False for NaN.
                *inner &= u32::from(upper < below) & u32::from(above < lower);
            }
        }
        inner.iter().enumerate().fold(0, |others, (place, inner)| others | (inner ^ 1) << place)
    }
}

#[cfg(test)]
mod tests {
    use jostle_broadphase::Bounds;
    use jostle_lanes::D3;

    use super::Lattice;

    #[test]
    fn who_is_alone_has_no_image_near() {
        let upright = Lattice::<D3>::orthogonal([4.0, 0.0, 3.0]).expect("a lattice");
        let leaning =
            Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("a lattice");
        let mut alone = [0; 2];
        for (lattice, alone) in [upright, leaning].iter().zip(&mut alone) {
            for i in 0..1000 {
                let point = [i % 10, i / 10 % 10, i / 100].map(|n| 0.45 * f64::from(n) - 2.0);
                let offset = |image: [i32; 3]| {
                    let shift = lattice.shift(image);
                    (0..3).map(|k| point[k] + shift[k]).map(|x| x * x).sum::<f64>().sqrt()
                };
                let reach = 1.1 * offset([0; 3]) + 0.2;
                if lattice.is_alone(&point, reach) {
                    *alone += 1;
                    let images = (0..343).map(|n| [n % 7 - 3, n / 7 % 7 - 3, n / 49 - 3]);
                    let mut others = images.filter(|&image| lattice.shift(image) != [0.0; 3]);
                    assert!(others.all(|image| offset(image) > reach), "{point:?}");
                }
                assert!(!lattice.is_alone(&point, f64::NAN) && !lattice.is_alone(&point, f64::INFINITY));
            }
        }
        assert!(alone.iter().all(|alone| (100..900).contains(alone)), "{alone:?}");
    }

    #[test]
    fn where_no_image_is_said_to_be_there_is_none() {
        let leaning =
            Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("a lattice");
        let (first, last) = ([-0.5, -0.5, -0.5], [4.5, 4.5, 5.5]);
        let mut bounds = Bounds::<D3>::new();
        for i in 0..40_u8 {
            for j in 0..40_u8 {
                let at = [0.13 * f32::from(i) - 0.4, 0.13 * f32::from(j) - 0.4, 0.1 * f32::from(i % 7 + j) - 0.3];
                bounds.push(at.map(|x| x - 0.1), at.map(|x| x + 0.07 * f32::from(j % 5)));
            }
        }
        let mut without = [0; 2];
        for (half, without) in [false, true].into_iter().zip(&mut without) {
            let inner = leaning.inner(&first, &last, half);
            for from in (0..bounds.len()).step_by(25) {
                let others = inner.others(&bounds, from..from + 25);
                for place in (0..25).filter(|place| others >> place & 1 == 0) {
                    let (lower, upper) = bounds.get(from + place);
                    let lowest = core::array::from_fn(|k| first[k] - f64::from(upper[k]));
                    let highest = core::array::from_fn(|k| last[k] - f64::from(lower[k]));
                    let done = leaning.each_image(&lowest, &highest, &mut |image| {
                        let last = image.into_iter().rev().find(|&number| number != 0);
                        let made = last.is_some_and(|number| !half || number > 0);
                        if made { Err((image, lower, upper)) } else { Ok(()) }
                    });
                    assert_eq!(done, Ok(()));
                    *without += 1;
                }
            }
        }
        assert!(200 < without[0] && without[0] < without[1] && without[1] < 1500, "{without:?}");
    }
}
