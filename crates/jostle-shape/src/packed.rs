//! The points of several hulls, one in each lane, searched one lane after the other: SIMD across the points of one
//! hull, because gathers lane by lane are 4 to 10 times as slow.
//!
//! Which blocks of points may hold the furthest is found for all lanes before the first of them is searched. The number
//! of blocks cannot be predicted. When each lane found its own, every misprediction came to light only at the end of a
//! chain of fifty cycles, including a division, during which the processor had begun nothing else (Zen 5, pairs of
//! hulls of 256 points 669 -> 584 ns, all distinct 1,173 -> 1,046; with the cells found in lanes, and for growing
//! polytopes too, 535 and 741).

use jostle_lanes::{Lanes, OnLines, Scalar, Space, Vector, set_bits};

use crate::cell_table::{Blocks, Headers};
use crate::counts::MAX_WIDTH;
use crate::points::Points;

/// Vectors, one in each lane, in memory where a single lane can be read and written: a row for each coordinate.
pub type Rows<T> = [[T; MAX_WIDTH]; 3];

/// The points of hulls, one in each lane, to be searched for the furthest ones.
#[derive(Clone, Copy, Debug)]
pub struct PackedPoints<'a, T> {
    points: [Points<'a, T>; MAX_WIDTH],
    headers: Headers<T>,
    /// True if any hull has a table of cells.
    celled: bool,
}

impl<'a, T: Scalar> PackedPoints<'a, T> {
    /// Room for hulls; no lane is packed yet.
    ///
    /// ```
    /// use jostle_shape::{Core, D2, PackedPoints, Shape};
    ///
    /// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 3.0]])?;
    /// let Core::Hull(hull) = shape.core() else { unreachable!() };
    /// let mut packed = PackedPoints::<f64>::none();
    /// packed.set(0, hull.points());
    /// // Against (-1, 0): along (1, 0). Points are relative to the centre of their box, (1, 1.5).
    /// let mut rows = [[[0.0; jostle_shape::MAX_WIDTH]; 3]; 2];
    /// let [directions, furthest] = &mut rows;
    /// directions[0][0] = -1.0;
    /// packed.furthest_against::<D2, f64>(directions, furthest, 1);
    /// assert_eq!([furthest[0][0], furthest[1][0]], [1.0, -1.5]);
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    #[inline(always)]
    pub fn none() -> Self {
        Self { points: [Points { blocks: &[], cells: &[] }; MAX_WIDTH], headers: Headers::none(), celled: false }
    }

    /// To be called before other hulls are packed: forgets that any had a table.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.celled = false;
    }

    /// Packs the points of a lane's hull, in place of those that were there.
    ///
    /// # Panics
    /// If `lane` is not below [`MAX_WIDTH`].
    #[inline(always)]
    pub fn set(&mut self, lane: usize, points: Points<'a, T>) {
        self.points[lane] = points;
        if !points.cells.is_empty() {
            self.headers.set(lane, points.cells);
            self.celled = true;
        }
    }

    /// The points of a lane's hull; no points if nothing is packed there.
    ///
    /// # Panics
    /// As [`set`](Self::set).
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Points<'a, T> {
        self.points[lane]
    }

    /// For each lane that has a bit in `lanes` (the lowest is lane 0), finds the point furthest opposite to its
    /// direction: the one of the lowest index, if several are; any, if the direction is zero or has a NaN. Directions,
    /// of any length, and points are in the hulls' own frames, points relative to the hulls' centres. Entries of other
    /// lanes stay as they are.
    ///
    /// # Panics
    /// If nothing is packed in one of the lanes, or one is not below the width of `L`.
    #[inline(always)]
    pub fn furthest_against<S: Space, L: Lanes<Scalar = T>>(
        &self,
        directions: &Rows<T>,
        furthest: &mut Rows<T>,
        lanes: u32,
    ) {
        let mut blocks = [Blocks::NONE; MAX_WIDTH];
        if self.celled {
            let against = S::Vector::from_fn(
                #[inline(always)]
                |k| L::load(&directions[k]),
            );
            let mut cells = OnLines([T::ZERO; MAX_WIDTH]);
            self.headers.cells::<S, L>(against).store(&mut cells.0);
            for lane in set_bits::<MAX_WIDTH>(lanes) {
                blocks[lane] = self.headers.blocks(lane, self.points[lane].cells, cells.0[lane]);
                self.points[lane].prefetch_some::<S>(blocks[lane]);
            }
        }
        for lane in set_bits::<MAX_WIDTH>(lanes) {
            let against = S::Vector::from_fn(
                #[inline(always)]
                |k| L::splat(directions[k][lane]),
            );
            let points = self.points[lane];
            let point = points.point::<S>(points.furthest_among::<S, L>(blocks[lane], against));
            for k in 0..S::DIMENSION {
                furthest[k][lane] = point.get(k);
            }
        }
    }
}
