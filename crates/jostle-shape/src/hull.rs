//! The points of a convex hull, stored for SIMD across the vertices of one hull.
//!
//! Columns, not rows; relative to the centre of the points' bounding box, so that `f32` loses nothing to an offset of
//! the hull in its own frame; padded to a full register with copies of point 0, which never win a tie (the lowest
//! index does). Interior, repeated, collinear and coplanar points are harmless: a support map never needs the hull.

use jostle_lanes::{Scalar, Space};

use crate::MAX_WIDTH;

/// The convex hull of a set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull<S: Space> {
    centre: S::Array<f64>,
    half_extents: S::Array<f64>,
    reach: f64,
    count: usize,
    stride: usize,
    single: Vec<f32>,
    double: Vec<f64>,
}

impl<S: Space> Hull<S> {
    /// From at least one finite point (see [`Shape::convex`](crate::Shape::convex), which checks).
    pub(crate) fn new(points: &[S::Array<f64>]) -> Self {
        // Points that repeat cost time at every support and change nothing.
        let mut order: Vec<usize> = (0..points.len()).collect();
        let key = |i: usize| points[i].as_ref().iter().map(|x| x + 0.0);
        order.sort_by(|&i, &j| {
            key(i).zip(key(j)).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or_else(|| i.cmp(&j))
        });
        order.dedup_by(|j, i| points[*i] == points[*j]);
        order.sort_unstable();

        let lower = S::array(|k| order.iter().map(|&i| points[i][k]).fold(f64::INFINITY, f64::min));
        let upper = S::array(|k| order.iter().map(|&i| points[i][k]).fold(f64::NEG_INFINITY, f64::max));
        let centre: S::Array<f64> = S::array(|k| 0.5 * lower[k] + 0.5 * upper[k]);
        let half_extents = S::array(|k| (upper[k] - centre[k]).max(centre[k] - lower[k]));
        let count = order.len();
        let stride = count.next_multiple_of(MAX_WIDTH);
        let mut double = Vec::with_capacity(stride * S::DIMENSION);
        for k in 0..S::DIMENSION {
            let column = order.iter().map(|&i| points[i][k] - centre[k]);
            double.extend(column.clone().chain(std::iter::repeat(points[order[0]][k] - centre[k])).take(stride));
        }
        let reach = (0..count)
            .map(|i| (0..S::DIMENSION).map(|k| double[k * stride + i].powi(2)).sum::<f64>())
            .fold(0.0, f64::max)
            .sqrt();
        Self { centre, half_extents, reach, count, stride, single: double.iter().map(|&x| x as f32).collect(), double }
    }

    /// The centre of the bounding box, in the shape's frame; all columns are relative to it.
    pub fn centre(&self) -> S::Array<f64> {
        self.centre
    }
    /// Half the bounding box.
    pub fn half_extents(&self) -> S::Array<f64> {
        self.half_extents
    }
    /// The largest distance of a point from the centre.
    pub fn reach(&self) -> f64 {
        self.reach
    }
    /// How many distinct points there are.
    pub fn len(&self) -> usize {
        self.count
    }
    /// False: a hull has at least one point.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Coordinate `axis` of all points, relative to the centre, padded to a multiple of [`MAX_WIDTH`] with copies of
    /// point 0.
    #[inline(always)]
    pub fn column<T: Scalar>(&self, axis: usize) -> &[T] {
        &T::column(&self.single, &self.double)[axis * self.stride..(axis + 1) * self.stride]
    }
    /// Point `index`, relative to the centre.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn point(&self, index: usize) -> S::Array<f64> {
        assert!(index < self.count, "point {index} of {}", self.count);
        S::array(|k| self.double[k * self.stride + index])
    }
}
