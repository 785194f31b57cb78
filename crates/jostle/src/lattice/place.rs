//! Reduces points by whole lattice vectors: into the first cell, or to the image nearest to the origin.

use jostle_shape::Space;

use super::whole::{floor, nearest_whole};
use super::{Lattice, LatticeError};

/// The most multiples of a vector by which an offset is reduced to its nearest image: longer offsets are refused.
const MOST_NEAREST: f64 = (1 << 28) as f64;
/// How many periods away a point may be: farther out its own rounding is a good part of the cell.
pub const MOST_CELLS: i32 = 1 << 29;

impl<S: Space> Lattice<S> {
    /// Brings a point (metres) into the first cell: returns its place there, and the cell that it was in.
    ///
    /// The first cell extends, along each axis that repeats, from 0 to less than the length of that axis' vector along
    /// it; where vectors lean, it is the upright brick of these lengths, not the leaning box. The place is always in
    /// it. The cell is the multiple of each vector that was taken away: the point is the place plus [`Lattice::shift`]
    /// of the cell, to within rounding. A point of the first cell stays where it is, to the bit, and so does a
    /// coordinate along which nothing repeats. (Its cell number is 0, as is the third in the plane.)
    ///
    /// Images in rows ([`Shifted::image`](crate::Shifted), [`Pipeline::images`](crate::Pipeline::images),
    /// [`Neighbour::image`](crate::Neighbour)) are multiples of the same vectors, but they are not cells: the image of
    /// a row is what is added to the position of `b` as given, wherever that is, to be near `a` as given. If both
    /// positions are wrapped, what was the image `image` is `image + cell_b - cell_a`.
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
        // The rest may be rounded up to the length itself or, where the division was rounded, be slightly below zero.
        let within = |axis: usize, x: f64| match self.length(axis) {
            length if length > 0.0 => x.clamp(0.0, length.next_down()),
            _ => x,
        };
        Ok((S::array(|axis| within(axis, rest[axis])), cell))
    }

    /// Finds the image of a point that is nearest to the origin, the point being at this offset (metres): the offset
    /// plus [`Lattice::shift`] of the image is the shortest there is. Of images equally near, it is the first in order,
    /// as far as rounding tells. It is the true nearest however far vectors lean, and zeros where no image is as near
    /// as the point itself.
    ///
    /// If the offset is from the position of `a` to that of `b`, it is the image of `b` whose position is nearest to
    /// that of `a`, numbered as in rows: [`image_distance`](crate::image_distance) takes it, and
    /// [`Shifted::image`](crate::Shifted) and [`Pipeline::images`](crate::Pipeline::images) of a row about the two are
    /// the same, unless their outlines are nearer to each other, or near as well, by another image (for which see
    /// [`periodic_distance`](crate::periodic_distance)).
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
    /// [`LatticeError::Far`] if a coordinate is NaN or infinite, or the offset is more than 2^28 cells long.
    pub fn nearest_image(&self, offset: S::Array<f64>) -> Result<[i32; 3], LatticeError> {
        let far = |axis: usize| LatticeError::Far { axis, value: offset[axis] };
        if let Some(axis) = (0..S::DIMENSION).find(|&axis| !offset[axis].is_finite()) {
            return Err(far(axis));
        }
        let counts = self.nearest(offset).ok_or_else(|| far(self.farthest(&offset)))?;
        let image = counts.map(|count| -count);
        let shift = self.shift(image);
        let rest = S::array(|k| offset[k] + shift[k]);
        let reach = |more: [i32; 3]| {
            let shift = self.shift(more);
            (0..S::DIMENSION).map(|k| rest[k] + shift[k]).map(|x| x * x).sum::<f64>()
        };
        let first = reach([0; 3]);
        // With room for rounding, so that images equally near are not missed.
        if self.is_alone(&rest, first.sqrt() * (1.0 + 1e-12)) {
            return Ok(image);
        }
        let mut least = (first, [0; 3]);
        for more in self.short.near_origin(2).filter_map(counted) {
            let found = (reach(more), more);
            let nearer = found.0 < least.0 || found.0 == least.0 && found.1 < least.1;
            least = if nearer { found } else { least };
        }
        Ok(core::array::from_fn(|k| image[k] + least.1[k]))
    }

    /// The axis along which an offset is the most cells long.
    fn farthest(&self, offset: &S::Array<f64>) -> usize {
        let cells = |axis: usize| if self.length(axis) > 0.0 { offset[axis].abs() / self.length(axis) } else { 0.0 };
        (1..S::DIMENSION).fold(0, |most, axis| if cells(axis) > cells(most) { axis } else { most })
    }

    /// Whether a point is in the cell, so that no vector has to be taken away.
    #[inline]
    pub(crate) fn holds(&self, point: &S::Array<f64>) -> bool {
        // If a coordinate is below the length, its quotient by the length is below 1, even rounded.
        (0..S::DIMENSION).all(|axis| {
            let length = self.length(axis);
            length == 0.0 || 0.0 <= point[axis] && point[axis] < length
        })
    }

    /// The multiples of the vectors that have to be taken away to bring a point into the cell. `Err` names an axis
    /// along which the point is farther out than can be counted.
    pub(crate) fn cell_of(&self, point: S::Array<f64>) -> Result<[i32; 3], usize> {
        self.reduced(point, floor, f64::from(MOST_CELLS)).map(|(_, cell)| cell)
    }

    /// Takes multiples of each vector away from a point, the last vector first, and returns what is left and the
    /// multiples. `whole` rounds the number of vectors in what is left to the multiple. `Err` names an axis along which
    /// the multiple is more than `most`, or NaN.
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

    /// Whether an offset is so short that it is nearer to the origin than all its images. (False also for some that
    /// are.)
    #[inline]
    pub(crate) fn is_short(&self, offset: &S::Array<f64>) -> bool {
        // False for NaN.
        if self.leans {
            let least = 0.98 * self.short.half_of_least();
            return (0..S::DIMENSION).map(|axis| offset[axis] * offset[axis]).sum::<f64>() < least * least;
        }
        (0..S::DIMENSION).all(|axis| offset[axis].abs() < 0.49 * self.length(axis) || self.length(axis) == 0.0)
    }

    /// The multiples of the vectors that come nearest to an offset; `None` if they cannot be counted.
    #[inline]
    pub(crate) fn nearest(&self, offset: S::Array<f64>) -> Option<[i32; 3]> {
        if self.is_short(&offset) {
            // Most offsets in a list of near pairs are short; quotients take far longer.
            return Some([0; 3]);
        }
        if !self.leans {
            return self.reduced(offset, nearest_whole, MOST_NEAREST).ok().map(|(_, image)| image);
        }
        let counts = self.short.nearest(&self.vectors, &offset)?;
        counted(counts).filter(|counts| counts.iter().all(|count| f64::from(count.abs()) <= MOST_NEAREST))
    }
}

/// Multiples in the type that images have, if they fit.
fn counted(counts: [i64; 3]) -> Option<[i32; 3]> {
    let [x, y, z] = counts.map(|count| i32::try_from(count).ok());
    Some([x?, y?, z?])
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3};

    use super::Lattice;

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
                assert!(squared(rounded) <= least + 1e-12, "{offset:?}: {rounded:?}");
            }
        }
        let flat = Lattice::<D2>::triclinic(&[[1e6, 0.0], [1e5, 1.0]]).expect("a lattice");
        // (1e5, 1), four times.
        assert_eq!(flat.nearest_image([4e5, 0.0]), Ok([0, -4, 0]));
        assert_eq!(flat.nearest_image([1.0, 0.25]), Ok([0; 3]));
        // One vector, to which an offset is nearly square; and two that lean away from where they repeat.
        let one = Lattice::<D2>::triclinic(&[[0.0, 0.0], [0.5, 1.0]]).expect("a lattice");
        assert_eq!(one.nearest_image([0.0, 1e6]), Ok([0, -800_000, 0]));
        for long in [5.0, 50.0, 5e3, 5e5] {
            let two = [[0.0; 3], [long, 0.3, 0.0], [0.0, long, 0.3]];
            let two = Lattice::<D3>::triclinic(&two).expect("a lattice");
            assert_eq!(two.nearest_image([0.5, 0.0, 0.18]), Ok([0; 3]));
            let shift = two.shift([3, 1000, -70]);
            assert_eq!(two.nearest_image([shift[0] + 0.5, shift[1], shift[2] + 0.18]), Ok([0, -1000, 70]));
        }
    }
}
