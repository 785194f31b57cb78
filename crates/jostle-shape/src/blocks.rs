//! Tables of rows of numbers in blocks of sixteen rows: the numbers that a register loads are contiguous, and a block
//! is a few cache lines.
//!
//! A block holds the first number of sixteen rows, then their second number, and so on. Blocks are whole: the last is
//! filled up with copies of row 0. Each number is stored in both precisions.
//!
//! Tables that are read together lie in one piece of memory that begins at a cache line: when every hull is distinct
//! nothing is in the cache, and each separate piece would be one more page to look up.

use jostle_lanes::{Aligned, Lanes, Scalar, Space, Vector};

use crate::counts::MAX_WIDTH;

/// Consecutive tables, one more than there are borders between them.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Tables<const BORDERS: usize> {
    single: Aligned<f32>,
    /// Where each table but the last ends.
    ends: [u32; BORDERS],
    double: Aligned<f64>,
}

/// A table to be made: `rows` rows, possibly none, of `width` numbers.
pub(crate) struct Table<'t> {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) number: &'t dyn Fn(usize, usize) -> f64,
}

/// Where number `k` of row `row` is, in blocks of rows of `width` numbers.
#[inline(always)]
pub fn place_in_blocks(width: usize, row: usize, k: usize) -> usize {
    (row / MAX_WIDTH * width + k) * MAX_WIDTH + row % MAX_WIDTH
}

/// Loads number `k` of the rows of the first block that `blocks` gives for each lane: that of row `i` into
/// `columns[i]`. Loads eight rows, or all sixteen if `rows` is more than eight.
///
/// # Panics
/// If one of the blocks is not whole.
///
/// ```
/// use jostle_shape::{D2, MAX_WIDTH, Shape, rows_into_lanes};
///
/// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])?;
/// let jostle_shape::Core::Hull(hull) = shape.core() else { unreachable!() };
/// // The scalars are lanes of width 1; kernels bring as many hulls as they are wide.
/// let mut x = [0.0_f64; MAX_WIDTH];
/// rows_into_lanes(0, hull.len(), |_lane| hull.blocks::<f64>(), &mut x);
/// assert_eq!(x[1] - x[0], 4.0);
/// # Ok::<(), jostle_shape::ShapeError>(())
/// ```
#[inline(always)]
pub fn rows_into_lanes<'b, L: Lanes>(
    k: usize,
    rows: usize,
    blocks: impl Fn(usize) -> &'b [L::Scalar],
    columns: &mut [L; MAX_WIDTH],
) {
    // Each lane's block is looked up and measured once, not once for each half.
    let mut numbers = [column_of(k, blocks(0)); MAX_WIDTH];
    for lane in 1..L::WIDTH {
        numbers[lane] = column_of(k, blocks(lane));
    }
    for half in 0..2 {
        let first = half * HALF_WIDTH;
        if first < rows {
            let eight = L::gather_rows(
                #[inline(always)]
                |lane| half_of(numbers[lane], half),
            );
            columns[first..first + HALF_WIDTH].copy_from_slice(&eight);
        }
    }
}

/// Row `i` as a vector, from the columns of its coordinates (see [`rows_into_lanes`]).
///
/// # Panics
/// If there are fewer columns than dimensions, or `i` is not below `ROWS`.
///
/// ```
/// use jostle_shape::{D2, MAX_WIDTH, vector_at};
///
/// let mut columns = [[0.0_f32; MAX_WIDTH]; 2];
/// (columns[0][3], columns[1][3]) = (5.0, 7.0);
/// let vector = vector_at::<D2, f32, _>(&columns, 3);
/// assert_eq!((vector.x, vector.y), (5.0, 7.0));
/// ```
#[inline(always)]
pub fn vector_at<S: Space, L: Lanes, const ROWS: usize>(columns: &[[L; ROWS]], i: usize) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| columns[k][i],
    )
}

/// Half the rows of a block.
const HALF_WIDTH: usize = MAX_WIDTH / 2;

/// Number `k` of all rows of the first block.
#[inline(always)]
fn column_of<T>(k: usize, blocks: &[T]) -> &[T; MAX_WIDTH] {
    match blocks[k * MAX_WIDTH..].first_chunk() {
        Some(sixteen) => sixteen,
        None => panic!("blocks are whole"),
    }
}

/// One half of these rows.
#[inline(always)]
fn half_of<T>(sixteen: &[T; MAX_WIDTH], half: usize) -> &[T; HALF_WIDTH] {
    &sixteen.as_chunks().0[half]
}

impl<const BORDERS: usize> Tables<BORDERS> {
    /// Makes the tables: one more than there are borders.
    pub(crate) fn new(tables: &[Table<'_>]) -> Self {
        assert_eq!(tables.len(), BORDERS + 1, "tables and the borders between them");
        let len = |table: &Table<'_>| table.rows.next_multiple_of(MAX_WIDTH) * table.width;
        let all = tables.iter().map(len).sum();
        let (mut single, mut double) = (Aligned::zeroed(all), Aligned::zeroed(all));
        let (singles, doubles) = (single.as_mut_slice(), double.as_mut_slice());
        let (mut first, mut ends) = (0, [0; BORDERS]);
        for (index, table) in tables.iter().enumerate() {
            let &Table { rows, width, number } = table;
            for row in 0..rows.next_multiple_of(MAX_WIDTH) {
                for k in 0..width {
                    let place = first + place_in_blocks(width, row, k);
                    let number = number(if row < rows { row } else { 0 }, k);
                    doubles[place] = number;
                    singles[place] = number as f32;
                }
            }
            first += len(table);
            if let Some(end) = ends.get_mut(index) {
                *end = first as u32;
            }
        }
        Self { single, ends, double }
    }

    /// All blocks of a table.
    #[inline(always)]
    pub(crate) fn view<T: Scalar>(&self, table: usize) -> &[T] {
        let first = if table == 0 { 0 } else { self.ends[table - 1] as usize };
        let all = self.all();
        // The last one ends with the memory: whole cache lines, and a block is a few of these.
        if table == BORDERS { &all[first..] } else { &all[first..self.ends[table] as usize] }
    }

    /// All tables.
    #[inline(always)]
    pub(crate) fn all<T: Scalar>(&self) -> &[T] {
        T::column(self.single.as_slice(), self.double.as_slice())
    }
}
