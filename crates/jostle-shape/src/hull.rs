//! The points of a convex hull, stored for SIMD across the vertices of one hull.
//!
//! In [blocks](crate::place_in_blocks), relative to the centre of the points' bounding box, so that `f32` loses nothing
//! to an offset of the hull in its own frame. Blocks are whole, filled up with copies of point 0, which never win a tie
//! (the lowest index does). Interior, repeated, collinear and coplanar points are harmless: a support map does not need
//! the hull. Only the search for a depth does ([`Facets`]).

use jostle_lanes::{Scalar, Space, prefetch, prefetch_lines};

use crate::blocks::{Table, Tables, place_in_blocks};
use crate::cells;
use crate::counts::MAX_WIDTH;
use crate::facets::Facets;
use crate::neighbours;
use crate::points::Points;

/// Polygons of at most this many points have a table of their sides ([`Hull::polygon`]).
pub const MAX_POLYGON: usize = MAX_WIDTH;

/// How many corners and sides a block of a polygon's table holds.
const CORNERS_PER_BLOCK: usize = MAX_WIDTH / 2;

/// The convex hull of a set of points.
///
/// It takes three cache lines, in the order in which they are read: what every body's record needs is on the first,
/// together with the address of its points in `f32`. (Pairs of hulls that are all distinct mostly wait for lines like
/// these: *Where hulls lie* in docs/steps.md.)
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Hull<S: Space> {
    count: usize,
    reach: f64,
    centre: S::Array<f64>,
    points: Tables<1>,
    cells: Box<[u8]>,
    half_extents: S::Array<f64>,
    facets: Option<Facets>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Hull<jostle_lanes::D2>>() == 192 && size_of::<Hull<jostle_lanes::D3>>() == 192);

impl<S: Space> Hull<S> {
    /// From at least one finite point (see [`Shape::convex`](crate::Shape::convex), which checks).
    pub(crate) fn new(points: &[S::Array<f64>]) -> Self {
        // Repeated points cost time at every support and change nothing.
        let mut order: Vec<usize> = (0..points.len()).collect();
        let key = |i: usize| points[i].as_ref().iter().map(|x| x + 0.0);
        order.sort_by(|&i, &j| {
            key(i).zip(key(j)).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or_else(|| i.cmp(&j))
        });
        order.dedup_by(|j, i| points[*i] == points[*j]);
        order.sort_unstable();
        if cells::worth_making(order.len()) {
            // As if the hull were as wide as it is long, which is how its cells see it. Adding 0.0 turns -0.0 into 0.0:
            // which of the two a coordinate is says nothing.
            let along = |k: usize| order.iter().map(move |&i| points[i].as_ref().get(k).map_or(0.0, |x| x + 0.0));
            let spans: [f64; 3] = std::array::from_fn(|k| {
                let span = along(k).fold(f64::NEG_INFINITY, f64::max) - along(k).fold(f64::INFINITY, f64::min);
                if span == 0.0 { 1.0 } else { span }
            });
            let columns: [Vec<f64>; 3] = std::array::from_fn(|k| along(k).map(|x| x / spans[k]).collect());
            let places: Vec<[f64; 3]> = (0..order.len()).map(|i| [0, 1, 2].map(|k| columns[k][i])).collect();
            order = neighbours::order(&places).into_iter().map(|i| order[i]).collect();
        }

        let lower = S::array(|k| order.iter().map(|&i| points[i][k]).fold(f64::INFINITY, f64::min));
        let upper = S::array(|k| order.iter().map(|&i| points[i][k]).fold(f64::NEG_INFINITY, f64::max));
        let centre: S::Array<f64> = S::array(|k| 0.5 * lower[k] + 0.5 * upper[k]);
        let half_extents = S::array(|k| (upper[k] - centre[k]).max(centre[k] - lower[k]));
        let count = order.len();
        let number = |i: usize, k: usize| points[order[i]][k] - centre[k];
        let squared = |i: usize| (0..S::DIMENSION).map(|k| number(i, k) * number(i, k)).sum::<f64>();
        let reach = (0..count).map(squared).fold(0.0, f64::max).sqrt();
        let relative: Vec<[f64; 3]> =
            (0..count).map(|i| std::array::from_fn(|k| if k < S::DIMENSION { number(i, k) } else { 0.0 })).collect();
        let facets = Facets::new(&relative, S::DIMENSION);
        // The table holds as many normals as points. These have to surround the polygon, or contain two opposite ones;
        // the first one or two normals of hulls of one or two points do not.
        let sides = facets.as_ref().filter(|_| S::DIMENSION == 2 && (3..=MAX_POLYGON).contains(&count));
        let polygon = |row: usize, kind: usize| {
            let (i, k) =
                (row / MAX_WIDTH * CORNERS_PER_BLOCK + row % CORNERS_PER_BLOCK, row % MAX_WIDTH / CORNERS_PER_BLOCK);
            // As many sides as points: further nodes are no sides, but bound sharp corners.
            let side = |k: usize| {
                sides.map_or(0.0, |sides| {
                    let i = if i < count.min(sides.len()) { i } else { 0 };
                    sides.blocks::<f64>()[place_in_blocks(3, i, k)]
                })
            };
            match [kind, k] {
                [0, _] => number(if i < count { i } else { 0 }, k),
                [1, _] => side(k),
                [_, 0] => side(2),
                _ => 0.0,
            }
        };
        let blocks = if sides.is_some() { count.div_ceil(CORNERS_PER_BLOCK) } else { 0 };
        let points = Tables::new(&[
            Table { rows: count, width: S::DIMENSION, number: &number },
            Table { rows: blocks * MAX_WIDTH, width: 3, number: &polygon },
        ]);
        let cells = cells::table::<S>(count, half_extents, points.view(0));
        Self { count, reach, centre, points, cells, half_extents, facets }
    }

    /// Its faces and edges; `None` for hulls of more than 512 points, or if rounding leaves no sound map.
    pub fn facets(&self) -> Option<&Facets> {
        self.facets.as_ref()
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
        self.len() == 0
    }
    /// Its points, relative to the centre, in [blocks](crate::place_in_blocks) of rows of two or three coordinates,
    /// filled up with copies of point 0.
    #[inline(always)]
    pub fn blocks<T: Scalar>(&self) -> &[T] {
        self.points.view(0)
    }
    /// The corners and sides of polygons of three to [`MAX_POLYGON`] points, in the plane; empty for other hulls. For
    /// each eight corners: their x and y, relative to the centre, x and y of the sides' unit normals, and the reach
    /// along these from the centre, eight numbers each, filled up with copies of the first; the last eight are zero.
    /// There are as many sides as points: some may be no sides, though the polygon is on one side of them.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Core, D2, Shape};
    ///
    /// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])?;
    /// let Core::Hull(hull) = shape.core() else { unreachable!() };
    /// let [block] = hull.polygon::<f64>() else { unreachable!() };
    /// let [x, y, across, up, reach, _] = block.as_chunks::<8>().0 else { unreachable!() };
    /// for side in 0..3 {
    ///     let corners = (0..3).map(|i| across[side] * x[i] + up[side] * y[i]);
    ///     assert!((corners.fold(f64::MIN, f64::max) - reach[side]).abs() < 1e-15);
    /// }
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    #[inline(always)]
    pub fn polygon<T: Scalar>(&self) -> &[[T; 3 * MAX_WIDTH]] {
        self.points.view(1).as_chunks().0
    }
    /// Its points, to be searched for the furthest one.
    #[inline(always)]
    pub fn points<T: Scalar>(&self) -> Points<'_, T> {
        Points { blocks: self.blocks(), cells: &self.cells }
    }
    /// Prefetches the hull itself, which holds the addresses of everything else.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch(&self) {
        prefetch(self);
    }
    /// Prefetches its number of points, reach and centre.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch_size(&self) {
        prefetch(&self.count);
    }
    /// Prefetches its first points or sides; for hulls of many points, the table that says which of them to search.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch_points<T: Scalar>(&self) {
        if self.cells.is_empty() {
            prefetch_lines(self.points.all::<T>(), 8);
        } else {
            // All of the table, for up to 256 points. Which points will be read is not known yet: hardly the first.
            prefetch_lines(&self.cells, 13);
        }
    }
    /// Prefetches its first faces and edges.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch_facets<T: Scalar>(&self) {
        if let Some(facets) = &self.facets {
            facets.prefetch::<T>();
        }
    }
    /// Point `index`, relative to the centre. Points keep the order in which they were given, without repeated ones;
    /// but if there are 128 or more, neighbours follow each other.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn point(&self, index: usize) -> S::Array<f64> {
        assert!(index < self.len(), "point {index} of {}", self.len());
        S::array(|k| self.blocks::<f64>()[place_in_blocks(S::DIMENSION, index, k)])
    }
}
