//! Rows of numbers in blocks of sixteen: what a register loads lies together, and a block is a few cache lines.
//!
//! A block holds the first number of sixteen rows, then their second number, and so on. Blocks are whole: the last is
//! filled up with copies of row 0. Each number is there in both precisions.

use jostle_lanes::{Lanes, Scalar};

use crate::MAX_WIDTH;

/// Rows of a few numbers each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blocks {
    rows: usize,
    width: usize,
    single: Vec<f32>,
    double: Vec<f64>,
}

/// Where number `k` of row `row` is, in blocks of rows of `width` numbers.
#[inline(always)]
pub fn place_in_blocks(width: usize, row: usize, k: usize) -> usize {
    (row / MAX_WIDTH * width + k) * MAX_WIDTH + row % MAX_WIDTH
}

/// How many rows of a block are brought into lanes at a time: see [`eight_rows`].
pub const EIGHT: usize = 8;

/// Number `k` of rows `first..first + 8` of the first block that `blocks` gives for each lane.
///
/// # Panics
/// If one of them is not whole.
///
/// ```
/// use jostle_shape::{D2, Shape, eight_rows};
///
/// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])?;
/// let jostle_shape::Core::Hull(hull) = shape.core() else { unreachable!() };
/// // The scalars are lanes of width 1; kernels bring as many hulls as they are wide.
/// let x: [f64; 8] = eight_rows(0, 0, |_lane| hull.blocks::<f64>());
/// assert_eq!(x[1] - x[0], 4.0);
/// # Ok::<(), jostle_shape::ShapeError>(())
/// ```
#[inline(always)]
pub fn eight_rows<'b, L: Lanes>(k: usize, first: usize, blocks: impl Fn(usize) -> &'b [L::Scalar]) -> [L; EIGHT] {
    L::gather_rows(
        #[inline(always)]
        |lane| match blocks(lane)[k * MAX_WIDTH + first..].first_chunk() {
            Some(eight) => eight,
            None => panic!("blocks are whole"),
        },
    )
}

impl Blocks {
    /// `rows` rows (at least one) of `width` numbers.
    pub(crate) fn new(rows: usize, width: usize, number: impl Fn(usize, usize) -> f64) -> Self {
        let stride = rows.next_multiple_of(MAX_WIDTH);
        let mut double = vec![0.0; stride * width];
        for row in 0..stride {
            for k in 0..width {
                double[place_in_blocks(width, row, k)] = number(if row < rows { row } else { 0 }, k);
            }
        }
        Self { rows, width, single: double.iter().map(|&x| x as f32).collect(), double }
    }

    /// How many rows there are, the copies at the end not counted.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// All blocks.
    #[inline(always)]
    pub(crate) fn view<T: Scalar>(&self) -> &[T] {
        T::column(&self.single, &self.double)
    }

    /// One number.
    pub(crate) fn number(&self, row: usize, k: usize) -> f64 {
        self.double[place_in_blocks(self.width, row, k)]
    }
}
