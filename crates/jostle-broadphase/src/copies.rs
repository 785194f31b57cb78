//! Which copies of a region's boxes stand in which cell, in order: a counting sort of indices.
//!
//! Copies are listed block by block of the records, so that tasks can share the work; what comes out does not depend on
//! how the records are cut into blocks.

use core::ops::Range;

use jostle_lanes::{Kernel, Lanes, Mask};

use crate::grid::{Grid, MOST_COPIES, ROUNDER};
use crate::record::{LOW, PADS, Record, WORD};
use crate::room::{lengthen, refill};

/// The bits of a number that `ROUNDER` was added to that hold the cell.
const CELL: u32 = 0x007F_FFFF;
/// A register's worth of neighbours, as places of rows.
const NEIGHBOURS: [u32; PADS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The cell in a number that `ROUNDER` was added to.
#[inline(always)]
pub(crate) fn cell_in(number: f32) -> usize {
    (number.to_bits() & CELL) as usize
}

/// The cells of a register of coordinates along one axis, as whole numbers.
#[inline(always)]
pub(crate) fn cells_of<L: Lanes<Scalar = f32>>(grid: &Grid, axis: usize, coordinates: L) -> L {
    let v = (coordinates - L::splat(grid.origin[axis])) * L::splat(grid.scale[axis]);
    v.max(L::zero()).min(L::splat((grid.cells[axis] - 1) as f32)) + L::splat(ROUNDER)
}

/// The copies of one block of records.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// Of each copy its cell, and above it its record with marks; behind the last, leftovers.
    places: Vec<u64>,
    copies: usize,
    /// Records that stand in too many columns to be copied.
    pub large: Vec<u32>,
}

/// Lists the copies of the records of `range`, which begins at a multiple of [`PADS`] and ends at one or with the last.
pub(crate) struct List<'a> {
    pub grid: &'a Grid,
    /// All, padded.
    pub records: &'a [Record],
    pub range: Range<usize>,
    pub listed: &'a mut Listed,
}

impl Kernel<f32> for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let List { grid, records, range, listed } = self;
        let Listed { places, large, .. } = listed;
        let [x, y, z] = grid.order;
        let strides = grid.strides();
        let (row, stride) = (u64::from(strides[y]), u64::from(strides[z]));
        let (not_y, not_z) = (1 << (61 + y), 1 << (61 + z));
        large.clear();
        // As many as there nearly always are.
        lengthen(places, 3 * range.len() + 1024, 0);
        let mut copies = 0;
        // Whole numbers plus `ROUNDER`: how many cells further the highest of each record is than the lowest, along each
        // axis; the lowest; and how many copies there will be.
        let (mut spans, mut bases, mut counts) = ([[0.0; PADS]; 3], [0.0; PADS], [0.0; PADS]);
        let rounder = L::splat(ROUNDER);
        // Always as many at once as the widest lanes hold, as those that touch many columns are listed behind the others.
        for first in range.clone().step_by(PADS) {
            let rows: &[Record] = &records[first..first + PADS];
            let (mut wide, mut others) = ([0; 2 * PADS], 0);
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
                others += L::left_pack(!narrow, &NEIGHBOURS[part..], &mut wide[others..]);
            }
            lengthen(places, copies + PADS * MOST_COPIES as usize + 4, 0);
            let here = &mut places[copies..];
            let mut listed = 0;
            let number = PADS.min(range.end - first);
            for k in 0..number {
                let entry = (first + k) as u32 | rows[k][WORD].to_bits() & !LOW;
                let place = u64::from(bases[k].to_bits() & CELL) | u64::from(entry) << 32;
                // Up to four, without a branch: what is not there is overwritten by the next.
                let four: &mut [u64; 4] = (&mut here[listed..listed + 4]).try_into().expect("four");
                let next = (place + stride) | not_z;
                four[0] = place;
                four[1] = next;
                four[((1 + spans[z][k].to_bits()) & 3) as usize] = (place + row) | not_y;
                four[3] = (next + row) | not_y;
                listed += (counts[k].to_bits() & CELL) as usize;
            }
            for &k in &wide[..others] {
                let k = k as usize;
                if k >= number {
                    break;
                }
                let entry = (first + k) as u32 | rows[k][WORD].to_bits() & !LOW;
                let place = u64::from(bases[k].to_bits() & CELL) | u64::from(entry) << 32;
                let (dy, dz) = (spans[y][k].to_bits() & CELL, spans[z][k].to_bits() & CELL);
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

impl Listed {
    fn places(&self) -> &[u64] {
        &self.places[..self.copies]
    }
}

/// Counts the listed copies per cell, and orders them by cell: `starts` is where each cell starts in `order`, one more
/// than there are cells, and `order` holds each copy's record with its marks, `nobody` behind each column.
pub(crate) fn order(grid: &Grid, listed: &[Listed], nobody: usize, starts: &mut Vec<u32>, order: &mut Vec<u32>) {
    let [x, y, z] = grid.order;
    let stride = grid.cells[x] as usize + 1;
    let columns = (grid.cells[y] * grid.cells[z]) as usize;
    refill(starts, columns * stride + 1, 0);
    let starts = &mut starts[..];
    let mut copies = 0;
    for listed in listed {
        for &place in listed.places() {
            starts[place as u32 as usize] += 1;
        }
        copies += listed.copies;
    }
    let most = copies + PADS * (columns.min(copies) + 1);
    lengthen(order, most, 0);
    let order = &mut order[..];
    let mut sum = 0;
    for column in starts[..columns * stride].chunks_exact_mut(stride) {
        let first = sum;
        for start in &mut column[..stride - 1] {
            (*start, sum) = (sum, sum + *start);
        }
        column[stride - 1] = sum;
        if sum > first {
            order[sum as usize..sum as usize + PADS].fill(nobody as u32);
            sum += PADS as u32;
        }
    }
    let total = sum as usize;
    starts[columns * stride] = sum;
    order[total..total + PADS].fill(nobody as u32);
    // While the boxes are laid down, `starts[c]` is the next free place of cell c; in the end, the start of c + 1 ...
    for listed in listed {
        for &place in listed.places() {
            let slot = &mut starts[place as u32 as usize];
            order[*slot as usize] = (place >> 32) as u32;
            *slot += 1;
        }
    }
    // ... except across pads; shifting it by one cell, column by column, brings the starts back.
    let mut first = 0;
    for column in starts[..columns * stride].chunks_exact_mut(stride) {
        let end = column[stride - 1];
        column.copy_within(0..stride - 1, 1);
        column[0] = first;
        first = if end > first { end + PADS as u32 } else { end };
    }
}
