//! How space repeats: along some axes, by vectors that particle codes call the cell.

use core::ops::Range;

use jostle_broadphase::Bounds;
use jostle_lanes::Scalar;
use jostle_shape::{MAX_LENGTH, Space};

/// Vectors that a step may be long: any more are a leap into the middle of nowhere.
const MOST_NEAREST: f64 = (1 << 28) as f64;
/// How many periods away a point may be: farther out its own rounding is a good part of the cell.
pub const MOST_CELLS: i32 = 1 << 29;
/// How many images are asked for the nearest one.
const MOST_EQUAL: usize = 1 << 16;

/// The largest whole number that is not above `x`, or the largest that is a whole number of 64 bits: for processors
/// that might lack the instruction std's is a call.
#[inline]
fn floor(x: f64) -> f64 {
    let whole = x as i64 as f64;
    whole - f64::from(u8::from(whole > x))
}

#[inline]
fn ceiling(x: f64) -> f64 {
    -floor(-x)
}

/// The nearest whole number, of two equally near the one farther from zero, or the largest of 64 bits; NaN of what is
/// no number. (std's is a call as well.)
#[inline]
fn nearest_whole(x: f64) -> f64 {
    let whole = x as i64 as f64;
    let beyond = f64::from(u8::from((x - whole).abs() >= 0.5));
    // Zero, or NaN.
    whole + beyond.copysign(x) + 0.0 * x
}

/// Why a lattice cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LatticeError {
    /// A number is NaN, infinite, beyond 1e15, or a length is negative.
    #[error("vector {vector} of the lattice has {value} on axis {axis}, which is not a length from 0 to 1e15")]
    Number {
        /// Which vector.
        vector: usize,
        /// Which of its coordinates.
        axis: usize,
        /// What it is.
        value: f64,
    },
    /// There is not one vector for each axis.
    #[error("{0} vectors: a lattice has one for each axis")]
    Count(usize),
    /// A vector leans towards a later axis, or leans and has no length along its own.
    #[error(
        "vector {vector} of the lattice has {value} on axis {axis}: a vector may lean towards the axes before its own \
         if it has a length along its own, never towards those behind"
    )]
    Leaning {
        /// Which vector.
        vector: usize,
        /// Which of its coordinates.
        axis: usize,
        /// What it is.
        value: f64,
    },
    /// A point or an offset has no place in a cell that could be counted.
    #[error("{value} on axis {axis} is no finite number, or too many cells away to be counted")]
    Far {
        /// Which of its coordinates.
        axis: usize,
        /// What it is.
        value: f64,
    },
    /// So many images are about equally near that the nearest is not looked for.
    #[error("more than {MOST_EQUAL} images are about equally near: the cell is far longer than it is wide")]
    TooManyImages,
}

/// Space that repeats: the same bodies again, shifted by every sum of whole multiples of the lattice's vectors.
///
/// Vectors are as particle codes have them (lower triangular): the first is along x, the second may lean towards x, the
/// third towards x and y. A vector of zeros stands for an axis along which nothing repeats. Metres.
///
/// ```
/// use jostle::{D2, D3, Lattice};
///
/// let channel = Lattice::<D2>::orthogonal([12.0, 0.0])?; // people who leave on the right enter on the left
/// let crystal = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.5, 4.0, 0.0], [0.5, -1.0, 5.0]])?;
/// assert_eq!(channel.shift([-2, 0, 0]), [-24.0, 0.0]);
/// assert_eq!(crystal.shift([1, 2, 0]), [7.0, 8.0, 0.0]);
/// assert!(Lattice::<D2>::orthogonal([12.0, -1.0]).is_err());
/// # Ok::<(), jostle::LatticeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lattice<S: Space> {
    /// One for each axis; all zero where nothing repeats.
    vectors: [S::Array<f64>; 3],
    /// Whether a body's own images count.
    self_images: bool,
}

impl<S: Space> PartialEq for Lattice<S> {
    fn eq(&self, other: &Self) -> bool {
        self.vectors == other.vectors && self.self_images == other.self_images
    }
}

/// Nothing repeats.
impl<S: Space> Default for Lattice<S> {
    fn default() -> Self {
        Self { vectors: core::array::from_fn(|_| S::array(|_| 0.0)), self_images: false }
    }
}

impl<S: Space> Lattice<S> {
    /// The box `[0, L)` on each axis, over and over; 0 where nothing repeats.
    ///
    /// # Errors
    /// If a length is negative, NaN, infinite or beyond 1e15.
    pub fn orthogonal(lengths: S::Array<f64>) -> Result<Self, LatticeError> {
        let vector = |axis: usize| S::array(|k| if k == axis { lengths[k] } else { 0.0 });
        Self::triclinic(&[vector(0), vector(1), vector(2)][..S::DIMENSION])
    }

    /// A cell whose vectors lean.
    ///
    /// # Errors
    /// If there are not as many vectors as dimensions, a number is NaN, infinite or beyond 1e15, or vector `i` has a
    /// negative `i`-th coordinate, one other than 0 behind it, or 0 there and others before it.
    pub fn triclinic(vectors: &[S::Array<f64>]) -> Result<Self, LatticeError> {
        if vectors.len() != S::DIMENSION {
            return Err(LatticeError::Count(vectors.len()));
        }
        for (vector, of) in vectors.iter().enumerate() {
            for axis in 0..S::DIMENSION {
                let value = of[axis];
                // Written so that NaN is refused.
                if !(value.abs() <= MAX_LENGTH && (axis != vector || value >= 0.0)) {
                    return Err(LatticeError::Number { vector, axis, value });
                }
                if value != 0.0 && (axis > vector || of[vector] == 0.0) {
                    return Err(LatticeError::Leaning { vector, axis, value });
                }
            }
        }
        let vectors = [0, 1, 2].map(|k| vectors.get(k).copied().unwrap_or_else(|| S::array(|_| 0.0)));
        Ok(Self { vectors, self_images: false })
    }

    /// The same lattice, in which a body's own images are near it too: rows with `a = b`, each of two opposite images
    /// once.
    pub fn with_self_images(self) -> Self {
        Self { self_images: true, ..self }
    }

    /// Whether a body's own images count.
    pub fn has_self_images(&self) -> bool {
        self.self_images
    }

    /// Whether anything repeats at all.
    pub fn repeats(&self) -> bool {
        (0..S::DIMENSION).any(|axis| self.length(axis) > 0.0)
    }

    /// The vectors, one for each axis, zeros where nothing repeats, metres: what [`Lattice::triclinic`] makes the same
    /// lattice of (but for [self-images](Lattice::with_self_images)).
    ///
    /// ```
    /// use jostle::{D2, Lattice};
    ///
    /// let leaning = Lattice::<D2>::triclinic(&[[4.0, 0.0], [1.5, 3.0]])?;
    /// assert_eq!(leaning.vectors(), [[4.0, 0.0], [1.5, 3.0]]);
    /// let wider: Vec<_> = leaning.vectors().iter().map(|vector| vector.map(|x| 1.25 * x)).collect();
    /// assert_eq!(Lattice::<D2>::triclinic(&wider)?.shift([1, 1, 0]), [6.875, 3.75]);
    /// # Ok::<(), jostle::LatticeError>(())
    /// ```
    pub fn vectors(&self) -> &[S::Array<f64>] {
        &self.vectors[..S::DIMENSION]
    }

    /// Brings a point (metres) into the first cell: its place there, and which cell it was in.
    ///
    /// The first cell is, for each axis that repeats, what is from 0 to less than the length of that axis' vector along
    /// it; where vectors lean, this is the brick between their own coordinates, not the leaning box. The place is
    /// always in it. The cell says how many of each vector were taken away: the point is the place plus
    /// [`Lattice::shift`] of the cell, to within rounding. A point of the first cell stays where it is, to the bit, and
    /// so does a coordinate along which nothing repeats. (Its cell number is 0, as is the third in the plane.)
    ///
    /// Images in rows ([`Shifted::image`](crate::Shifted), [`Pipeline::images`](crate::Pipeline::images),
    /// [`Neighbour::image`](crate::Neighbour)) are numbered by the same vectors, but they are no cells: that of a row
    /// says what is added to the position of `b` as given, wherever that is, to be near `a` as given. If both are
    /// wrapped, what was the image `image` is `image + cell_b - cell_a`.
    ///
    /// ```
    /// use jostle::{D2, Lattice};
    ///
    /// let leaning = Lattice::<D2>::triclinic(&[[4.0, 0.0], [1.5, 3.0]])?;
    /// let (place, cell) = leaning.wrap([10.0, -2.0])?;
    /// assert_eq!((place, cell), ([3.5, 1.0], [2, -1, 0]));
    /// let shift = leaning.shift(cell);
    /// assert_eq!([place[0] + shift[0], place[1] + shift[1]], [10.0, -2.0]);
    /// let channel = Lattice::<D2>::orthogonal([4.0, 0.0])?;
    /// assert_eq!(channel.wrap([-1.0, 70.0])?, ([3.0, 70.0], [-1, 0, 0]));
    /// # Ok::<(), jostle::LatticeError>(())
    /// ```
    ///
    /// # Errors
    /// [`LatticeError::Far`] if a coordinate is NaN or infinite, or the point is more than 2^29 cells away.
    pub fn wrap(&self, point: S::Array<f64>) -> Result<(S::Array<f64>, [i32; 3]), LatticeError> {
        let far = |axis: usize| LatticeError::Far { axis, value: point[axis] };
        if let Some(axis) = (0..S::DIMENSION).find(|&axis| !point[axis].is_finite()) {
            return Err(far(axis));
        }
        let (rest, cell) = self.reduced(point, floor, f64::from(MOST_CELLS)).map_err(far)?;
        // What is left may be rounded to the length itself, or, where the division was, be less than nothing by a hair.
        let within = |axis: usize, x: f64| match self.length(axis) {
            length if length > 0.0 => x.clamp(0.0, length.next_down()),
            _ => x,
        };
        Ok((S::array(|axis| within(axis, rest[axis])), cell))
    }

    /// Which image of a point is the nearest, of one that is at this offset (metres): the offset plus
    /// [`Lattice::shift`] of the image is the shortest there is. Of images equally near, the first in order, as far as
    /// rounding tells. It is the true nearest however vectors lean, and zeros where none is as short as the offset
    /// itself.
    ///
    /// Of an offset from the position of `a` to that of `b` it is the image of `b` whose position is nearest to that of
    /// `a`, numbered as in rows: [`image_distance`](crate::image_distance) takes it, and
    /// [`Shifted::image`](crate::Shifted) and [`Pipeline::images`](crate::Pipeline::images) of a row about the two are
    /// the same, unless their outlines are nearer to each other, or near as well, by another image (for which
    /// see [`periodic_distance`](crate::periodic_distance)).
    ///
    /// ```
    /// use jostle::{D2, Lattice};
    ///
    /// let leaning = Lattice::<D2>::triclinic(&[[4.0, 0.0], [1.5, 3.0]])?;
    /// let [a, b] = [[0.5, 0.25], [1.75, 2.5]];
    /// let offset = [b[0] - a[0], b[1] - a[1]];
    /// let image = leaning.nearest_image(offset)?;
    /// let shift = leaning.shift(image);
    /// assert_eq!(image, [0, -1, 0]);
    /// assert_eq!([offset[0] + shift[0], offset[1] + shift[1]], [-0.25, -0.75]);
    /// # Ok::<(), jostle::LatticeError>(())
    /// ```
    ///
    /// # Errors
    /// [`LatticeError::Far`] if a coordinate is NaN or infinite, or the offset is more than 2^28 cells long;
    /// [`LatticeError::TooManyImages`] where more than 65,536 images are no farther than the one that is found by
    /// rounding, as in cells whose vectors lean and that are hundreds of times as long as they are wide (in the plane
    /// tens of thousands of times).
    pub fn nearest_image(&self, offset: S::Array<f64>) -> Result<[i32; 3], LatticeError> {
        let far = |axis: usize| LatticeError::Far { axis, value: offset[axis] };
        if let Some(axis) = (0..S::DIMENSION).find(|&axis| !offset[axis].is_finite()) {
            return Err(far(axis));
        }
        // About the nearest: where vectors lean, others may be nearer still.
        let (rest, cell) = self.reduced(offset, nearest_whole, MOST_NEAREST).map_err(far)?;
        let image = cell.map(|count| -count);
        let reach = |more: [i32; 3]| {
            let shift = self.shift(more);
            (0..S::DIMENSION).map(|k| rest[k] + shift[k]).map(|x| x * x).sum::<f64>()
        };
        let first = reach([0; 3]);
        // Those equally near are seen, however these are rounded.
        let within = first.sqrt() * (1.0 + 1e-12);
        if self.is_alone(&rest, within) {
            return Ok(image);
        }
        let (mut least, mut asked) = ((first, [0; 3]), 0);
        self.each_within(&rest, within, &mut |more| {
            asked += 1;
            if asked > MOST_EQUAL {
                return Err(LatticeError::TooManyImages);
            }
            let found = (reach(more), more);
            let nearer = found.0 < least.0 || found.0 == least.0 && found.1 < least.1;
            least = if nearer { found } else { least };
            Ok(())
        })?;
        Ok(core::array::from_fn(|k| image[k] + least.1[k]))
    }

    /// How far an image is from where its body is: the sum of so many of each vector. (The third number does not
    /// matter in the plane.)
    pub fn shift(&self, image: [i32; 3]) -> S::Array<f64> {
        S::array(|k| (k..S::DIMENSION).map(|m| f64::from(image[m]) * self.vectors[m][k]).sum())
    }

    /// The length along its own axis of the vector of that axis: 0 if nothing repeats along it.
    pub(crate) fn length(&self, axis: usize) -> f64 {
        self.vectors[axis][axis]
    }

    /// Whether a point is in the cell, so that no vector has to be taken away.
    #[inline]
    pub(crate) fn holds(&self, point: &S::Array<f64>) -> bool {
        // What is below a length is less than it divided by it, rounded as well.
        (0..S::DIMENSION).all(|axis| {
            let length = self.length(axis);
            length == 0.0 || 0.0 <= point[axis] && point[axis] < length
        })
    }

    /// How often each vector has to be taken away to bring a point into the cell. `Err` names an axis along which it is
    /// farther out than can be counted.
    pub(crate) fn cell_of(&self, point: S::Array<f64>) -> Result<[i32; 3], usize> {
        self.reduced(point, floor, f64::from(MOST_CELLS)).map(|(_, cell)| cell)
    }

    /// Takes away as many of each vector as `whole` makes of how many there are in what is left of a point, the last
    /// one first: what is left then, and how many they were. `Err` names an axis along which they are more than `most`,
    /// or NaN.
    #[inline]
    fn reduced(
        &self,
        mut point: S::Array<f64>,
        whole: impl Fn(f64) -> f64,
        most: f64,
    ) -> Result<(S::Array<f64>, [i32; 3]), usize> {
        let mut counts = [0; 3];
        for axis in (0..S::DIMENSION).rev() {
            let length = self.length(axis);
            if length > 0.0 {
                let count = whole(point[axis] / length);
                // NaN is in no range.
                if !(-most..=most).contains(&count) {
                    return Err(axis);
                }
                counts[axis] = count as i32;
                point = S::array(|k| point[k] - count * self.vectors[axis][k]);
            }
        }
        Ok((point, counts))
    }

    /// Whether no coordinate of an offset is half as long as its axis' vector: what is [nearest](Lattice::nearest) then
    /// is the offset itself.
    #[inline]
    pub(crate) fn is_short(&self, offset: &S::Array<f64>) -> bool {
        // NaN is not.
        (0..S::DIMENSION).all(|axis| offset[axis].abs() < 0.49 * self.length(axis) || self.length(axis) == 0.0)
    }

    /// Which boxes have no image that reaches what is between `first` and `last`, where all boxes are. Of `half` the
    /// images, those of which the last number other than 0 is positive, if that is said.
    pub(crate) fn inner(&self, first: &S::Array<f64>, last: &S::Array<f64>, half: bool) -> Inner {
        let mut inner = Inner { below: [f32::INFINITY; 3], above: [f32::NEG_INFINITY; 3] };
        for axis in 0..S::DIMENSION {
            // A hair less than it is, for whatever is rounded.
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

    /// Which multiples of the vectors come nearest to an offset, to within the nearest cell; `None` if they cannot be
    /// counted.
    pub(crate) fn nearest(&self, offset: S::Array<f64>) -> Option<[i32; 3]> {
        self.reduced(offset, nearest_whole, MOST_NEAREST).ok().map(|(_, image)| image)
    }

    /// Whether no image of a point but itself comes within `reach` of the origin. (False also where one is a hair
    /// farther out.)
    pub(crate) fn is_alone(&self, point: &S::Array<f64>, reach: f64) -> bool {
        let leans = (0..S::DIMENSION).any(|m| (0..m).any(|axis| self.vectors[m][axis] != 0.0));
        if leans {
            let other = |image| if image == [0; 3] { Ok(()) } else { Err(()) };
            return reach.is_finite() && self.each_within(point, reach, &mut { other }).is_ok();
        }
        let squared: f64 = (0..S::DIMENSION).map(|axis| point[axis] * point[axis]).sum();
        // One step along one axis: all other images are farther still. (NaN is nowhere.)
        (0..S::DIMENSION).all(|axis| {
            let length = self.length(axis);
            length == 0.0 || squared + length * (length - 2.0 * point[axis].abs()) > reach * reach
        })
    }

    /// All images whose shift is between `lowest` and `highest` on every axis, and perhaps some a hair outside, in no
    /// particular order, until one is refused.
    pub(crate) fn each_image<E>(
        &self,
        lowest: &S::Array<f64>,
        highest: &S::Array<f64>,
        found: &mut impl FnMut([i32; 3], S::Array<f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.choose(S::DIMENSION, [0; 3], lowest, highest, found)
    }

    /// All images by which a point at `apart` comes within `reach` of the origin, and perhaps some a hair farther out,
    /// in no particular order, until one is refused.
    pub(crate) fn each_within<E>(
        &self,
        apart: &S::Array<f64>,
        reach: f64,
        found: &mut impl FnMut([i32; 3]) -> Result<(), E>,
    ) -> Result<(), E> {
        // What is left of an axis that no other vector leans towards, however its own multiple is chosen, takes from
        // what the others may be.
        let mut least = [0.0; 3];
        for axis in 0..S::DIMENSION {
            let length = self.length(axis);
            if (axis + 1..S::DIMENSION).all(|other| self.vectors[other][axis] == 0.0) {
                let count = if length == 0.0 { 0.0 } else { nearest_whole(apart[axis] / length) };
                least[axis] = (apart[axis] - count * length).abs();
            }
        }
        // Whatever is rounded here.
        let far = apart.as_ref().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
        let reach = reach * (1.0 + 8.0 * f64::EPSILON) + 8.0 * f64::EPSILON * far;
        if reach < 0.0 {
            return Ok(());
        }
        Within { lattice: self, apart, least, squared: reach * reach, slack: 8.0 * f64::EPSILON * far }.choose(
            S::DIMENSION,
            [0; 3],
            0.0,
            found,
        )
    }

    /// Chooses the multiples of the vectors of the axes below `axes`, the last first: no vector leans towards an axis
    /// behind its own, so that once its multiple is chosen, so is the coordinate.
    fn choose<E>(
        &self,
        axes: usize,
        image: [i32; 3],
        lowest: &S::Array<f64>,
        highest: &S::Array<f64>,
        found: &mut impl FnMut([i32; 3], S::Array<f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let shift = self.shift(image);
        let Some(axis) = axes.checked_sub(1) else { return found(image, shift) };
        let [low, high] = [lowest[axis], highest[axis]].map(|x| x - shift[axis]);
        let length = self.length(axis);
        // Whatever is rounded here.
        let slack = 1e-6;
        if length == 0.0 {
            let room = slack * (high - low);
            return if low > room || high < -room { Ok(()) } else { self.choose(axis, image, lowest, highest, found) };
        }
        // More than 2^30 are refused by whoever lists them, before the last is reached.
        let most = f64::from(1 << 30);
        let [first, last] = [ceiling(low / length - slack).max(-most), floor(high / length + slack).min(most)];
        for count in first as i32..=last as i32 {
            let mut image = image;
            image[axis] = count;
            self.choose(axis, image, lowest, highest, found)?;
        }
        Ok(())
    }
}

/// Boxes that are farther from the border than any box reaches over it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    below: [f32; 3],
    above: [f32; 3],
}

impl Inner {
    /// So many boxes are looked at together.
    pub const BLOCK: usize = u32::BITS as usize;

    /// Which of a block of boxes are none of these (or are by a hair), a bit each.
    pub fn others<S: Space>(&self, bounds: &Bounds<S>, block: Range<usize>) -> u32 {
        let mut inner = [1; Self::BLOCK];
        for axis in 0..S::DIMENSION {
            let (lower, upper) = (&bounds.lower(axis)[block.clone()], &bounds.upper(axis)[block.clone()]);
            let (below, above) = (self.below[axis], self.above[axis]);
            for ((inner, &lower), &upper) in inner.iter_mut().zip(lower).zip(upper) {
                // NaN is nowhere.
                *inner &= u32::from(upper < below) & u32::from(above < lower);
            }
        }
        inner.iter().enumerate().fold(0, |others, (place, inner)| others | (inner ^ 1) << place)
    }
}

/// The search for images near a point.
struct Within<'w, S: Space> {
    lattice: &'w Lattice<S>,
    apart: &'w S::Array<f64>,
    /// What is left along each axis at least.
    least: [f64; 3],
    /// The square of how far they may be.
    squared: f64,
    slack: f64,
}

impl<S: Space> Within<'_, S> {
    /// Chooses the multiples of the vectors of the axes below `axes`, the last first, as [`Lattice::choose`] does;
    /// along those chosen the point is `so_far` away, squared.
    fn choose<E>(
        &self,
        axes: usize,
        image: [i32; 3],
        so_far: f64,
        found: &mut impl FnMut([i32; 3]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(axis) = axes.checked_sub(1) else { return found(image) };
        let others: f64 = self.least[..axis].iter().map(|least| (least - self.slack).max(0.0)).map(|x| x * x).sum();
        let left = self.squared - so_far - others;
        // What was rounded of the squares.
        let room = (left + 4.0 * f64::EPSILON * (self.squared + so_far)).max(0.0).sqrt() + self.slack;
        let (length, at) = (self.lattice.length(axis), self.apart[axis] + self.lattice.shift(image)[axis]);
        if length == 0.0 {
            return if at.abs() > room { Ok(()) } else { self.choose(axis, image, so_far + at * at, found) };
        }
        // More than 2^30 are refused by whoever lists them, before the last is reached.
        let most = f64::from(1 << 30);
        let slack = 1e-6;
        let [first, last] =
            [ceiling((-room - at) / length - slack).max(-most), floor((room - at) / length + slack).min(most)];
        for count in first as i32..=last as i32 {
            let mut image = image;
            image[axis] = count;
            let there = at + f64::from(count) * length;
            self.choose(axis, image, so_far + there * there, found)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Lattice, LatticeError, ceiling, floor, nearest_whole};
    use jostle_lanes::{D2, D3};

    #[test]
    fn whole_numbers_are_those_of_std() {
        let most = (1_u64 << 53) as f64;
        for x in [0.0, 0.5, 0.999, 1.0, 1.5, 1e9 + 0.5, most - 1.0, most, 4.7e15 + 0.5, f64::MIN_POSITIVE, 1e-300] {
            for x in [x, -x] {
                assert_eq!([floor(x), ceiling(x)], [x.floor(), x.ceil()], "{x}");
            }
        }
        for x in [0.5, 1.5, 2.5, 0.499_999_999_999_999_94, 1e-300, 1e9 + 0.5, most - 0.5, most, 2.0 * most, 7.3, 0.0] {
            for x in [x, -x, x.next_up(), -x.next_down()] {
                assert_eq!(nearest_whole(x), x.round(), "{x}");
            }
        }
        assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].iter().all(|&x| nearest_whole(x).is_nan()));
        assert!(nearest_whole(1e300) > 1e18);
        assert!(floor(f64::INFINITY) > 1e18 && floor(f64::NEG_INFINITY) < -1e18 && floor(1e300) > 1e18);
    }

    #[test]
    fn a_short_offset_is_the_nearest_of_its_images() {
        let channel = Lattice::<D2>::orthogonal([4.0, 0.0]).expect("a lattice");
        let leaning = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("another");
        for i in -30..=30 {
            let x = 0.1 * f64::from(i);
            if channel.is_short(&[x, 1e6 * x]) {
                assert_eq!(channel.nearest([x, 1e6 * x]), Some([0; 3]));
            } else {
                assert!(x.abs() > 1.9, "{x}");
            }
            for j in -30..=30 {
                let offset = [x, 0.1 * f64::from(j), 0.05 * f64::from(i - j)];
                if leaning.is_short(&offset) {
                    assert_eq!(leaning.nearest(offset), Some([0; 3]), "{offset:?}");
                }
            }
        }
        assert!(!channel.is_short(&[f64::NAN, 0.0]));
    }

    #[test]
    fn what_the_cell_holds_stays_where_it_is() {
        let near_one = [1.0, 1.0 + f64::EPSILON, 2.0 - f64::EPSILON, 1e-300, 3.7, 1e15];
        for length in near_one {
            let line = Lattice::<D2>::orthogonal([length, 0.0]).expect("a lattice");
            let before = f64::from_bits(length.to_bits() - 1);
            for x in [0.0, -0.0, before, length, f64::from_bits(length.to_bits() + 1), -1e-290, -length, 0.5 * length] {
                assert_eq!(line.holds(&[x, -7.0]), line.cell_of([x, -7.0]) == Ok([0; 3]), "{x} of {length}");
            }
        }
        let leaning = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("one");
        for i in 0..1000 {
            let point = [i % 10, i / 10 % 10, i / 100].map(|n| 0.9 * f64::from(n) - 2.0);
            assert_eq!(leaning.holds(&point), leaning.cell_of(point) == Ok([0; 3]), "{point:?}");
        }
        assert!(!leaning.holds(&[1.0, f64::NAN, 1.0]));
    }

    #[test]
    fn whoever_is_wrapped_is_in_the_cell() {
        for length in [1.0, 1.0 + f64::EPSILON, 0.1, 3.7, 1e-300, 1e15] {
            let line = Lattice::<D2>::orthogonal([length, 0.0]).expect("a lattice");
            for cells in [0.0, 1.0, -1.0, 2.0, 3.0, 1e6, -1e6, 7e7] {
                for x in [cells * length, (cells * length).next_down(), (cells * length).next_up(), -1e-320] {
                    let (place, cell) = line.wrap([x, -7.0]).expect("not far");
                    assert!(
                        line.holds(&place) && place[1] == -7.0 && cell[1..] == [0, 0],
                        "{x} of {length}: {place:?}"
                    );
                    let off = place[0] + line.shift(cell)[0] - x;
                    assert!(off.abs() <= 2.0 * f64::EPSILON * x.abs().max(length), "{x} of {length}: {off:e}");
                    assert_eq!(line.wrap(place), Ok((place, [0; 3])));
                }
            }
            assert!(line.wrap([-0.0, 0.0]).expect("in the cell").0[0].is_sign_negative(), "to the bit");
        }
        let leaning = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("one");
        for i in 0..1000 {
            let point = [i % 10, i / 10 % 10, i / 100].map(|n| 3.3 * f64::from(n) - 14.0);
            let (place, cell) = leaning.wrap(point).expect("not far");
            let shift = leaning.shift(cell);
            assert!(leaning.holds(&place) && leaning.cell_of(point) == Ok(cell), "{point:?}");
            assert!((0..3).all(|k| (place[k] + shift[k] - point[k]).abs() < 1e-13), "{point:?}: {place:?}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e10, -1e10] {
            let far = leaning.wrap([0.0, value, 0.0]).map_err(|error| error.to_string());
            let said = "on axis 1 is no finite number, or too many cells away to be counted";
            assert_eq!(far, Err(format!("{value} {said}")));
            assert!(leaning.nearest_image([0.0, value, 0.0]).is_err());
            let open = Lattice::<D2>::default();
            assert_eq!(open.wrap([value, 0.0]).is_ok(), value.is_finite());
            assert_eq!(open.nearest_image([0.0, value]).is_ok(), value.is_finite());
        }
    }

    #[test]
    fn no_image_is_nearer_than_the_nearest() {
        let upright = Lattice::<D3>::orthogonal([4.0, 0.0, 3.0]).expect("a lattice");
        let leaning = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.9, 4.0, 0.0], [0.5, -1.9, 5.0]]).expect("one");
        // Far from the shortest vectors that it could have.
        let sheared = Lattice::<D3>::triclinic(&[[1.0, 0.0, 0.0], [3.3, 1.0, 0.0], [-2.6, 4.4, 1.0]]).expect("one");
        let mut corrected = 0;
        for lattice in [upright, leaning, sheared] {
            for i in 0..1000 {
                let offset = [i % 10, i / 10 % 10, i / 100].map(|n| 0.25 * f64::from(n) - 1.0);
                let squared = |image: [i32; 3]| {
                    let shift = lattice.shift(image);
                    (0..3).map(|k| offset[k] + shift[k]).map(|x| x * x).sum::<f64>()
                };
                let images = (0..81 * 17 * 5).map(|n| [n % 81 - 40, n / 81 % 17 - 8, n / (81 * 17) - 2]);
                let images = images.filter(|image| lattice.length(1) > 0.0 || image[1] == 0);
                let least = images.clone().map(squared).fold(f64::INFINITY, f64::min);
                let found = lattice.nearest_image(offset).expect("not far");
                assert!(squared(found) <= least + 1e-12, "{offset:?}: {found:?}");
                // Of those equally near the first in order, where rounding does not matter.
                let equal: Vec<_> = images.filter(|&image| squared(image) <= least + 1e-12).collect();
                assert!(equal.contains(&found) && (lattice != upright || equal.iter().min() == Some(&found)));
                let rounded = lattice.nearest(offset).expect("not far").map(|count| -count);
                corrected += usize::from(squared(rounded) > squared(found) + 1e-12);
            }
        }
        assert!(corrected > 100, "{corrected}");
        let flat = Lattice::<D2>::triclinic(&[[1e6, 0.0], [1e5, 1.0]]).expect("a lattice");
        assert_eq!(flat.nearest_image([4e5, 0.0]), Err(LatticeError::TooManyImages));
        assert_eq!(flat.nearest_image([1.0, 0.25]), Ok([0; 3]));
    }

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
                    let done = leaning.each_image(&lowest, &highest, &mut |image, _| {
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
