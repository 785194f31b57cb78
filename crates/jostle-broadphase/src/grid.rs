//! The inner division: the sweep axis, columns and buckets of one region, chosen by a cost model from a sample.

use crate::record::Record;
use crate::sample::{median, pick, reach};

/// A box that touches more columns than this is *large*: it is not copied into them, but kept on a list of its own and
/// tested against all copies in those columns.
pub(crate) const MOST_COPIES: u32 = 48;
/// The most cells along one axis: well below what rounding by [`ROUNDER`] can tell apart.
const MOST_CELLS: f32 = 1_048_576.0;
/// The most cells in all, so that `f32` counts them.
const MOST_IN_ALL: f32 = 4_194_304.0;
/// 2^23: adding it to a number from 0 to 2^22 rounds that to a whole number, which is then in the low bits.
pub(crate) const ROUNDER: f32 = 8_388_608.0;

/// Fewer boxes than this are all tested against each other, which costs less than choosing a grid.
pub(crate) const FEWEST_FOR_GRID: usize = 128;
/// The cost of a copy, in tests among full lanes (which is why no lane width appears here).
const COPY_COST: f32 = 30.0;
/// Tests wasted per copy, because lanes are rarely filled.
const WASTED_TESTS: f32 = 8.0;

/// Columns and buckets of a region. Cell numbers are `round((x - origin) * scale)`, clamped to 0 and `cells - 1`: a
/// monotone function, the same for minima and maxima, which is all that correctness requires.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grid {
    /// The sweep axis first, then the axes cut into columns; in the plane the last has one cell.
    pub order: [usize; 3],
    /// Indexed by axis of space, not by place in `order`, as are the following.
    pub origin: [f32; 3],
    pub scale: [f32; 3],
    pub cells: [u32; 3],
}

/// The cost model's data of one axis.
#[derive(Clone, Copy, Default)]
struct AxisModel {
    low: f32,
    extent: f32,
    /// The median size of a box.
    size: f32,
}

impl Grid {
    /// A single cell.
    pub const SINGLE_CELL: Self = Self { order: [0, 1, 2], origin: [0.0; 3], scale: [0.0; 3], cells: [1; 3] };

    /// The bucket or column of a coordinate along `axis`, bit for bit what [`cells_of`](crate::copies::cells_of)
    /// computes in lanes.
    #[inline(always)]
    pub fn cell(&self, axis: usize, coordinate: f32) -> u32 {
        let v = (coordinate - self.origin[axis]) * self.scale[axis];
        let v = if v > 0.0 { v } else { 0.0 };
        let most = (self.cells[axis] - 1) as f32;
        let v = if v < most { v } else { most };
        (v + ROUNDER).to_bits() - ROUNDER.to_bits()
    }

    /// The distance in cells to the next cell along each axis: the sweep axis is innermost, and each column has one
    /// more cell for pads.
    #[inline(always)]
    pub fn strides(&self) -> [u32; 3] {
        let [x, y, z] = self.order;
        let mut strides = [1; 3];
        strides[z] = self.cells[x] + 1;
        strides[y] = strides[z] * self.cells[z];
        strides
    }

    fn cut(&mut self, axis: usize, of: AxisModel, cells: f32) {
        let cells = cells.clamp(1.0, MOST_CELLS).floor();
        let scale = cells / of.extent;
        if cells > 1.0 && scale.is_finite() && scale > 0.0 {
            self.cells[axis] = cells as u32;
            self.scale[axis] = scale;
            self.origin[axis] = of.low + 0.5 * (of.extent / cells);
        } else {
            (self.cells[axis], self.scale[axis], self.origin[axis]) = (1, 0.0, 0.0);
        }
    }

    /// Chooses the grid for `len` records from a sample of them. Records that are not valid boxes (NaN, inverted) are
    /// skipped.
    pub fn plan(
        dimension: usize,
        len: usize,
        record: impl Fn(usize) -> Record,
        column: &mut Vec<f32>,
        sample: &mut Vec<Record>,
    ) -> Grid {
        let mut grid = Grid::SINGLE_CELL;
        let count = (len / 16).clamp(24, 256).min(len);
        if len < FEWEST_FOR_GRID {
            return grid;
        }
        let is_box = |record: &Record| (0..dimension).all(|axis| record[axis] <= record[axis + 4]);
        sample.clear();
        sample.extend((0..count).map(|k| record(pick(k, count, len))).filter(is_box));
        if sample.is_empty() {
            return grid;
        }
        let mut axes = [AxisModel::default(); 3];
        for axis in 0..dimension {
            column.clear();
            column.extend(sample.iter().map(|r| r[axis]).filter(|x| x.abs() < 1e30));
            if let Some((low, high)) = reach(column) {
                column.clear();
                column.extend(sample.iter().map(|r| (r[axis + 4] - r[axis]).min(1e30)));
                axes[axis] = AxisModel { low, extent: high - low, size: median(column) };
            }
        }
        // Boxes of size zero must not make infinitely many cells.
        let least = axes.iter().fold(0.0, |a: f32, axis| a.max(axis.size)) * 1e-3;
        for axis in &mut axes[..dimension] {
            axis.size = axis.size.max(least).max(axis.extent * 1e-4).max(f32::MIN_POSITIVE);
        }
        let spread = |axis: usize| axes[axis].extent / axes[axis].size;
        let sweep = (1..dimension).fold(0, |best, axis| if spread(axis) > spread(best) { axis } else { best });
        grid.order = match sweep {
            0 => [0, 1, 2],
            1 => [1, 0, 2],
            _ => [2, 0, 1],
        };
        let population = len as f32;
        let mut best = grid;
        let mut least = f32::INFINITY;
        let mut worse = 0;
        let mut multiple = 1.0;
        while worse < 3 && multiple < 2000.0 {
            let order = grid.order;
            for &axis in &order[1..dimension] {
                let of = axes[axis];
                grid.cut(axis, of, of.extent / (multiple * of.size));
            }
            let columns = (grid.cells[grid.order[1]] * grid.cells[grid.order[2]]) as f32;
            if columns * 16.0 <= population.min(MOST_IN_ALL) || columns == 1.0 {
                let (cost, copies) = grid.cost(sample, population, axes[sweep]);
                if cost < least {
                    (best, least, worse) = (grid, cost, 0);
                    // Buckets are a quarter of a box long, but not many more than there are boxes.
                    let buckets =
                        (axes[sweep].extent / axes[sweep].size * 4.0).min(copies * population / (2.0 * columns));
                    best.cut(sweep, axes[sweep], buckets.min(MOST_IN_ALL / columns - 1.0));
                } else {
                    worse += 1;
                }
            }
            if columns == 1.0 {
                break;
            }
            multiple *= 1.4;
        }
        best
    }

    /// The expected cost per box, in tests, and the expected copies per box.
    fn cost(&self, sample: &[Record], population: f32, sweep: AxisModel) -> (f32, f32) {
        let [x, y, z] = self.order;
        let columns = (self.cells[y] * self.cells[z]) as f32;
        let (mut copies, mut large, mut reach, mut crossed) = (0.0, 0.0, 0.0, 0.0);
        for record in sample {
            let mut touched = 1.0;
            for axis in [y, z] {
                touched *= (1 + self.cell(axis, record[axis + 4]) - self.cell(axis, record[axis])) as f32;
            }
            if touched > MOST_COPIES as f32 {
                large += 1.0;
                crossed += touched;
            } else {
                copies += touched;
                reach += touched * (record[x + 4] - record[x] + 0.25 * sweep.size).min(sweep.extent);
            }
        }
        let count = sample.len() as f32;
        (copies, large, reach, crossed) = (copies / count, large / count, reach / count, crossed / count);
        let per_column = population * copies / columns;
        let extent = sweep.extent.max(sweep.size);
        let tests = per_column * reach / extent + crossed * per_column + large * large * population / 2.0;
        (copies * (COPY_COST + WASTED_TESTS) + tests, copies)
    }
}
