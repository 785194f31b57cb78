//! The copies of a region's boxes, sorted by the cell they lie in: a counting sort of indices.
//!
//! Copies are listed block by block of the records, so that tasks can share the work. If several do, each block deals
//! its copies out to groups of columns, and then each group is sorted by one task. The result does not depend on how
//! the records are cut into blocks, nor the columns into groups.

use jostle_lanes::{Kernel, Lanes, Mask};
use jostle_tasks::{self as tasks, Few, Joined};

use crate::grid::{Grid, MOST_COPIES, ROUNDER};
use crate::record::{INDEX_BITS, PADS, Record, WORD};
use crate::room::{fit, lengthen, refill};

/// The bits that hold the cell, in a number that `ROUNDER` was added to.
const CELL_BITS: u32 = 0x007F_FFFF;
/// Numbers of rows, as words that are packed to the left.
const ROW_NUMBERS: [u32; PADS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The cell, from a number that `ROUNDER` was added to.
#[inline(always)]
pub(crate) fn cell_in(number: f32) -> usize {
    (number.to_bits() & CELL_BITS) as usize
}

/// The cells of a register of coordinates along one axis, as whole numbers plus `ROUNDER`.
#[inline(always)]
pub(crate) fn cells_of<L: Lanes<Scalar = f32>>(grid: &Grid, axis: usize, coordinates: L) -> L {
    let v = (coordinates - L::splat(grid.origin[axis])) * L::splat(grid.scale[axis]);
    v.max(L::zero()).min(L::splat((grid.cells[axis] - 1) as f32)) + L::splat(ROUNDER)
}

/// How columns are cut into groups of equally many cells (the last may have fewer).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups {
    /// Cells per group: those of whole columns.
    cells: usize,
    count: usize,
    /// Divides a cell by `cells`, in fixed point: just above 2^46 / `cells`, which is exact for up to 2^23 cells.
    inverse: u64,
}

impl Groups {
    /// Cuts the columns of `grid` into about `wanted` groups.
    pub fn of(grid: &Grid, wanted: usize) -> Self {
        let (columns, stride) = columns_of(grid);
        let cells = columns.div_ceil(wanted.clamp(1, columns)) * stride;
        Self { cells, count: (columns * stride).div_ceil(cells), inverse: (1 << 46) / cells as u64 + 1 }
    }
    #[inline(always)]
    fn group(self, place: u64) -> usize {
        (((place & u64::from(u32::MAX)) * self.inverse) >> 46) as usize
    }
}

/// The number of columns, and the number of cells in each, including the one for pads.
fn columns_of(grid: &Grid) -> (usize, usize) {
    let [x, y, z] = grid.order;
    ((grid.cells[y] * grid.cells[z]) as usize, grid.cells[x] as usize + 1)
}

/// The copies of one block of records.
#[derive(Debug, Default)]
pub(crate) struct BlockCopies {
    /// For each copy its cell (low word) and its record with marks (high word). Entries behind the first `copies` are
    /// left over from earlier use.
    places: Vec<u64>,
    copies: usize,
    /// The same sorted by group, if there are several groups; and where each group ends.
    dealt: Vec<u64>,
    ends: Vec<u32>,
    /// Records that touch too many columns to be copied.
    pub large: Vec<u32>,
}

/// Lists the copies of a block of records.
pub(crate) struct List<'a> {
    pub grid: &'a Grid,
    /// The records, and behind them whatever fills the last [`PADS`].
    pub rows: &'a [Record],
    pub count: usize,
    /// The index of the first among all records of the region.
    pub first: usize,
    pub listed: &'a mut BlockCopies,
}

impl Kernel<f32> for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let List { grid, rows: all, count, first: place_of_first, listed } = self;
        let BlockCopies { places, large, .. } = listed;
        let [x, y, z] = grid.order;
        let strides = grid.strides();
        let (row, stride) = (u64::from(strides[y]), u64::from(strides[z]));
        let (not_y, not_z) = (1 << (61 + y), 1 << (61 + z));
        large.clear();
        // Nearly always enough.
        lengthen(places, 3 * count + 1024, 0);
        let mut copies = 0;
        // For each record, as whole numbers plus `ROUNDER`: its last cell minus its first along each axis; its first
        // cell; and its number of copies, 0 if it is wide.
        let (mut spans, mut bases, mut counts) = ([[0.0; PADS]; 3], [0.0; PADS], [0.0; PADS]);
        let rounder = L::splat(ROUNDER);
        // Always blocks of `PADS` records, whatever the lane width: within a block, wide records (which span more than
        // two columns along an axis) are listed behind the others.
        for first in (0..count).step_by(PADS) {
            let rows = &all[first..first + PADS];
            let (mut wide, mut others) = ([0; 2 * PADS], 0);
            // In lanes: the cells of all records of the block, and which records are wide.
            for part in (0..PADS).step_by(L::WIDTH) {
                let part_rows = &rows[part..part + L::WIDTH];
                let columns = L::gather_rows(
                    #[inline(always)]
                    |lane| &part_rows[lane],
                );
                let (mut base, mut count, mut narrow) = (rounder, L::one(), L::Mask::splat(true));
                for axis in 0..3 {
                    let low = cells_of(grid, axis, columns[axis]);
                    let span = cells_of(grid, axis, columns[axis + 4]) - low;
                    (span + rounder).store(&mut spans[axis][part..]);
                    base = base + (low - rounder) * L::splat(strides[axis] as f32);
                    if axis != x {
                        count = count * (span + L::one());
                        narrow = narrow & span.le(L::one());
                    }
                }
                base.store(&mut bases[part..]);
                (L::select(narrow, count, L::zero()) + rounder).store(&mut counts[part..]);
                others += L::left_pack(!narrow, &ROW_NUMBERS[part..], &mut wide[others..]);
            }
            lengthen(places, copies + PADS * MOST_COPIES as usize + 4, 0);
            let here = &mut places[copies..];
            let mut listed = 0;
            let number = PADS.min(count - first);
            let first = place_of_first + first;
            // The narrow ones: the count of a wide one is 0 here.
            for k in 0..number {
                let entry = (first + k) as u32 | rows[k][WORD].to_bits() & !INDEX_BITS;
                let place = u64::from(bases[k].to_bits() & CELL_BITS) | u64::from(entry) << 32;
                // Up to four copies, without a branch: those that do not exist are overwritten by the next record's.
                let four: &mut [u64; 4] = (&mut here[listed..listed + 4]).try_into().expect("four");
                let next = (place + stride) | not_z;
                four[0] = place;
                four[1] = next;
                four[((1 + spans[z][k].to_bits()) & 3) as usize] = (place + row) | not_y;
                four[3] = (next + row) | not_y;
                listed += (counts[k].to_bits() & CELL_BITS) as usize;
            }
            // The wide ones, of which those that touch too many columns are set aside.
            for &k in &wide[..others] {
                let k = k as usize;
                if k >= number {
                    break;
                }
                let entry = (first + k) as u32 | rows[k][WORD].to_bits() & !INDEX_BITS;
                let place = u64::from(bases[k].to_bits() & CELL_BITS) | u64::from(entry) << 32;
                let (dy, dz) = (spans[y][k].to_bits() & CELL_BITS, spans[z][k].to_bits() & CELL_BITS);
                if u64::from(1 + dy) * u64::from(1 + dz) > u64::from(MOST_COPIES) {
                    large.push((first + k) as u32);
                    continue;
                }
                for i in 0..=dy {
                    for j in 0..=dz {
                        let marks = if i > 0 { not_y } else { 0 } | if j > 0 { not_z } else { 0 };
                        here[listed] = (place + u64::from(i) * row + u64::from(j) * stride) | marks;
                        listed += 1;
                    }
                }
            }
            copies += listed;
        }
        listed.copies = copies;
    }
}

impl BlockCopies {
    /// Sorts the copies by group.
    pub fn deal(&mut self, groups: Groups) {
        let Self { places, copies, dealt, ends, .. } = self;
        refill(ends, groups.count, 0);
        if groups.count == 1 {
            ends[0] = *copies as u32;
            return;
        }
        let places = &places[..*copies];
        for &place in places {
            ends[groups.group(place)] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            (*end, sum) = (sum, sum + *end);
        }
        lengthen(dealt, *copies, 0);
        for &place in places {
            let end = &mut ends[groups.group(place)];
            dealt[*end as usize] = place;
            *end += 1;
        }
    }

    /// The copies of one group.
    fn piece(&self, group: usize) -> &[u64] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        let all = if self.ends.len() == 1 { &self.places } else { &self.dealt };
        &all[start..self.ends[group] as usize]
    }
}

/// Sorts copies by cell. `starts` becomes where each cell starts in `order`, with one entry more than there are cells;
/// `order` becomes each copy's record with its marks, with [`PADS`] times `pad_record` behind each column that is not
/// empty. `sizes` is scratch memory.
pub(crate) fn sort_by_cell(
    grid: &Grid,
    groups: Groups,
    listed: &[BlockCopies],
    pad_record: u32,
    starts: &mut Vec<u32>,
    sizes: &mut Vec<usize>,
    order: &mut Vec<u32>,
) {
    let (columns, stride) = columns_of(grid);
    let cells = columns * stride;
    fit(starts, cells + 1, 0);
    refill(sizes, groups.count, 0);
    let by_group = Few::of(&mut starts[..cells], groups.cells);
    tasks::each((by_group, &mut sizes[..]), |group, (few, size)| {
        let (starts, first) = (few.list, group * groups.cells);
        starts.fill(0);
        for listed in listed {
            for &place in listed.piece(group) {
                starts[place as u32 as usize - first] += 1;
            }
        }
        let with_pads = |copies: u32| if copies > 0 { copies as usize + PADS } else { 0 };
        size[0] = starts.chunks_exact(stride).map(|column| with_pads(column.iter().sum())).sum();
    });
    let sizes = &sizes[..];
    let total = sizes.iter().sum();
    lengthen(order, total + PADS, pad_record);
    order[total..total + PADS].fill(pad_record);
    starts[cells] = total as u32;
    let by_group = (Joined::of(sizes, &mut order[..total]), Few::of(&mut starts[..cells], groups.cells));
    tasks::each(by_group, |group, (Joined { whole: order, .. }, few)| {
        let (starts, first) = (few.list, group * groups.cells);
        let before = sizes[..group].iter().sum::<usize>() as u32;
        let mut sum = before;
        for column in starts.chunks_exact_mut(stride) {
            let first = sum;
            for start in &mut column[..stride - 1] {
                (*start, sum) = (sum, sum + *start);
            }
            column[stride - 1] = sum;
            if sum > first {
                order[(sum - before) as usize..][..PADS].fill(pad_record);
                sum += PADS as u32;
            }
        }
        // While copies are placed, each start is the next free place of its cell. Afterwards it is where the next cell
        // starts ...
        for listed in listed {
            for &place in listed.piece(group) {
                let slot = &mut starts[place as u32 as usize - first];
                order[(*slot - before) as usize] = (place >> 32) as u32;
                *slot += 1;
            }
        }
        // ... except across pads. Shifting by one cell, column by column, restores the starts.
        let mut first = before;
        for column in starts.chunks_exact_mut(stride) {
            let end = column[stride - 1];
            column.copy_within(0..stride - 1, 1);
            column[0] = first;
            first = if end > first { end + PADS as u32 } else { end };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::Groups;
    use crate::grid::Grid;

    #[test]
    fn every_cell_is_in_the_group_of_its_column() {
        for (buckets, columns) in [(0_u32, 1_u32), (1, 2), (2, 2048), (5, 333), (99, 4001), (4095, 1024), (1 << 22, 1)]
        {
            let grid = Grid { order: [0, 1, 2], origin: [0.0; 3], scale: [0.0; 3], cells: [buckets, columns, 1] };
            let stride = buckets as usize + 1;
            for wanted in [1, 2, 3, 7, 64] {
                let groups = Groups::of(&grid, wanted);
                assert!(groups.cells.is_multiple_of(stride) && groups.count <= wanted, "{groups:?}");
                for column in 0..columns as usize {
                    let group = column * stride / groups.cells;
                    assert!(group < groups.count);
                    // The word above the cell does not matter.
                    let cells = [column * stride, column * stride + stride - 1];
                    assert_eq!(
                        cells.map(|cell| groups.group(cell as u64 | 7 << 61)),
                        [group; 2],
                        "{groups:?} {column}"
                    );
                }
            }
        }
    }
}
