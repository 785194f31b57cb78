//! One region built: its boxes copied into the columns they touch and bucketed along the sweep axis, as columns of
//! numbers that lanes can load.
//!
//! A copy's word holds its "not home" marks (bits 29 to 31, by axis) above its body's index. Each column of cells has
//! one more cell behind its last bucket, which holds [`PADS`] boxes of NaN, so that a scan that runs over the end of a
//! column meets nothing; over the end of a cell it meets only boxes that begin behind the scanning one's end. Within a
//! cell, copies keep the order of the bodies.

use jostle_lanes::{Kernel, Lanes, Mask};

use crate::grid::{Grid, MOST_COPIES, ROUNDER};
use crate::partition::{Record, WORD};
use crate::room::{lengthen, refill};

/// NaN boxes behind each column: as many as the widest lanes.
pub(crate) const PADS: usize = 16;
/// Tests per stretch of a shared region, where one box alone does not make more.
const TESTS: u64 = 1 << 20;
/// The bits of a word, or of an entry of `order`, that are not marks.
pub(crate) const LOW: u32 = (1 << 29) - 1;
/// The bits of a number that `ROUNDER` was added to that hold the cell.
const CELL: u32 = 0x007F_FFFF;
/// A box that meets nothing.
const NOBODY: Record = [f32::NAN; 8];
/// A register's worth of neighbours, as places of rows.
const NEIGHBOURS: [u32; PADS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Boxes as columns, in an order that scans can use; what lies behind `PADS` boxes after the last is left over.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub lower: [Vec<f32>; 3],
    pub upper: [Vec<f32>; 3],
    /// Marks above the body's index.
    pub words: Vec<u32>,
    /// The last cell of each copy along the sweep axis, as a number that `ROUNDER` was added to.
    pub ends: Vec<f32>,
}

impl Store {
    fn grow(&mut self, dimension: usize, len: usize) {
        for axis in 0..dimension {
            lengthen(&mut self.lower[axis], len, f32::NAN);
            lengthen(&mut self.upper[axis], len, f32::NAN);
        }
        lengthen(&mut self.words, len, 0);
    }

    fn pad(&mut self, dimension: usize, first: usize) {
        for axis in 0..dimension {
            self.lower[axis][first..first + PADS].fill(f32::NAN);
            self.upper[axis][first..first + PADS].fill(f32::NAN);
        }
        self.words[first..first + PADS].fill(0);
    }
}

/// The cell in a number that `ROUNDER` was added to.
#[inline(always)]
pub(crate) fn cell_in(number: f32) -> usize {
    (number.to_bits() & CELL) as usize
}

/// What two boxes of a chunk are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Both are copied into columns.
    Copies,
    /// A large one of the chunk, with all copies in the columns it touches.
    LargeAndCopies,
    /// Both are large.
    Large,
}

/// A stretch of the boxes of one region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub among: Among,
    pub first: u32,
    pub next: u32,
}

/// A region, built.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub grid: Grid,
    pub copies: Store,
    /// Where each cell starts in `copies`; one more than there are cells.
    pub starts: Vec<u32>,
    pub large: Store,
    /// First and last cell of each large box, by axis.
    pub spans: Vec<[[u32; 3]; 2]>,
    pub stretches: Vec<Stretch>,
}

/// Buffers that one thread needs while it builds a region.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub records: Vec<Record>,
    /// A region that nobody else needs.
    pub region: Region,
    sample: Vec<Record>,
    column: Vec<f32>,
    /// Of each copy its cell, and above it its record with marks.
    places: Vec<u64>,
    /// Record with marks of each copy, in the order of the cells, pads included.
    order: Vec<u32>,
    large: Vec<u32>,
}

/// Behind the records of a region there has to be somebody to stand between columns, and to fill the last register.
pub(crate) fn pad(records: &mut Vec<Record>) {
    records.resize(records.len() + PADS, NOBODY);
}

/// Builds a region from its records, padded.
pub(crate) struct Build<'a> {
    pub dimension: usize,
    pub region: &'a mut Region,
    pub records: &'a [Record],
    pub scratch: &'a mut Scratch,
    /// Whether the work is to be cut into stretches for many tasks.
    pub shared: bool,
}

impl Kernel<f32> for Build<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let Build { dimension, region, records, scratch, shared } = self;
        let len = records.len() - PADS;
        region.grid = Grid::plan(dimension, &records[..len], &mut scratch.column, &mut scratch.sample);
        let copies = place::<L>(&region.grid, records, scratch, len);
        count(region, scratch, copies, len);
        if dimension == 3 {
            gather::<L, 3>(region, records, &scratch.order);
        } else {
            gather::<L, 2>(region, records, &scratch.order);
        }
        keep_large(dimension, region, records, &scratch.large);
        divide(region, shared);
    }
}

/// The cells of a register of coordinates along one axis, as whole numbers.
#[inline(always)]
fn cells_of<L: Lanes<Scalar = f32>>(grid: &Grid, axis: usize, coordinates: L) -> L {
    let v = (coordinates - L::splat(grid.origin[axis])) * L::splat(grid.scale[axis]);
    v.max(L::zero()).min(L::splat((grid.cells[axis] - 1) as f32)) + L::splat(ROUNDER)
}

/// Lists every copy's cell; says how many copies there are.
#[inline(always)]
fn place<L: Lanes<Scalar = f32>>(grid: &Grid, records: &[Record], scratch: &mut Scratch, len: usize) -> usize {
    let Scratch { places, large, .. } = scratch;
    let [x, y, z] = grid.order;
    let strides = grid.strides();
    let (row, stride) = (u64::from(strides[y]), u64::from(strides[z]));
    let (not_y, not_z) = (1 << (61 + y), 1 << (61 + z));
    large.clear();
    // As many as there nearly always are.
    lengthen(places, 3 * len + 1024, 0);
    let mut copies = 0;
    // Whole numbers plus `ROUNDER`: how many cells further the highest of each record is than the lowest, along each
    // axis; the lowest; and how many copies there will be.
    let (mut spans, mut bases, mut counts) = ([[0.0; PADS]; 3], [0.0; PADS], [0.0; PADS]);
    let rounder = L::splat(ROUNDER);
    // Always as many at once as the widest lanes hold, as those that touch many columns are listed behind the others.
    for first in (0..len).step_by(PADS) {
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
        let number = PADS.min(len - first);
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
    copies
}

/// Counts the copies per cell, and orders them by cell.
#[inline(always)]
fn count(region: &mut Region, scratch: &mut Scratch, copies: usize, nobody: usize) {
    let [x, y, z] = region.grid.order;
    let cells = region.grid.cells;
    let stride = cells[x] as usize + 1;
    let columns = (cells[y] * cells[z]) as usize;
    let starts = &mut region.starts;
    let Scratch { places, order, .. } = scratch;
    let places = &places[..copies];
    refill(starts, columns * stride + 1, 0);
    let starts = &mut starts[..];
    for &place in places {
        starts[place as u32 as usize] += 1;
    }
    let most = places.len() + PADS * (columns.min(places.len()) + 1);
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
    for &place in places {
        let slot = &mut starts[place as u32 as usize];
        order[*slot as usize] = (place >> 32) as u32;
        *slot += 1;
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

/// Fills the columns of numbers, pads and all.
#[inline(always)]
fn gather<L: Lanes<Scalar = f32>, const D: usize>(region: &mut Region, records: &[Record], order: &[u32]) {
    let Region { grid, copies, starts, .. } = region;
    // Whole registers are written.
    let len = (starts[starts.len() - 1] as usize).next_multiple_of(PADS);
    copies.grow(D, len);
    lengthen(&mut copies.ends, len, 0.0);
    let Store { lower: [l0, l1, l2], upper: [u0, u1, u2], words, ends } = copies;
    let (l0, l1, u0, u1) = (&mut l0[..len], &mut l1[..len], &mut u0[..len], &mut u1[..len]);
    let (l2, u2) = if D == 3 { (&mut l2[..len], &mut u2[..len]) } else { (&mut l2[..0], &mut u2[..0]) };
    let (words, ends, order) = (&mut words[..len], &mut ends[..len], &order[..len]);
    let sweep = grid.order[0];
    for at in (0..len).step_by(L::WIDTH) {
        let places = &order[at..at + L::WIDTH];
        let columns = L::gather_rows(
            #[inline(always)]
            |lane| &records[(places[lane] & LOW) as usize],
        );
        columns[0].store(&mut l0[at..]);
        columns[1].store(&mut l1[at..]);
        columns[4].store(&mut u0[at..]);
        columns[5].store(&mut u1[at..]);
        if D == 3 {
            columns[2].store(&mut l2[at..]);
            columns[6].store(&mut u2[at..]);
        }
        let end = match sweep {
            0 => columns[4],
            1 => columns[5],
            _ => columns[6],
        };
        cells_of(grid, sweep, end).store(&mut ends[at..]);
        let words = &mut words[at..at + L::WIDTH];
        columns[WORD].store(bytemuck::cast_slice_mut(words));
        for (word, &entry) in words.iter_mut().zip(&order[at..at + L::WIDTH]) {
            *word |= entry & !LOW;
        }
    }
}

/// The boxes that stand in more columns than they are copied into.
fn keep_large(dimension: usize, region: &mut Region, records: &[Record], places: &[u32]) {
    let Region { grid, large, spans, .. } = region;
    spans.clear();
    let len = places.len();
    if len == 0 {
        return;
    }
    large.grow(dimension, len + PADS);
    for (k, &index) in places.iter().enumerate() {
        let record = &records[index as usize];
        for axis in 0..dimension {
            (large.lower[axis][k], large.upper[axis][k]) = (record[axis], record[axis + 4]);
        }
        large.words[k] = record[WORD].to_bits();
        let cells = |slot| [0, 1, 2].map(|axis| grid.cell(axis, record[axis + slot]));
        spans.push([cells(0), cells(4)]);
    }
    large.pad(dimension, len);
}

/// Cuts the work into stretches, of bounded numbers of tests if it is `shared`.
#[inline(always)]
fn divide(region: &mut Region, shared: bool) {
    let Region { grid, copies, starts, spans, stretches, .. } = region;
    stretches.clear();
    let [x, y, z] = grid.order;
    let stride = grid.cells[x] as usize + 1;
    let end = starts[starts.len() - 1];
    let mut cutter = Cutter { stretches, among: Among::Copies, first: 0, tests: 0 };
    if !shared {
        let large = spans.len() as u32;
        for (among, next) in [(Among::Copies, end), (Among::LargeAndCopies, large), (Among::Large, large)] {
            cutter.among = among;
            cutter.finish(next);
        }
        return;
    }
    for column in starts.chunks_exact(stride) {
        for k in column[0]..column[stride - 1] {
            cutter.add(k, u64::from(column[cell_in(copies.ends[k as usize]) + 1] - k));
        }
    }
    cutter.finish(end);
    cutter.among = Among::LargeAndCopies;
    for (k, [low, high]) in spans.iter().enumerate() {
        let mut tests = 1;
        for i in low[y]..=high[y] {
            for j in low[z]..=high[z] {
                let base = ((i * grid.cells[z] + j) as usize) * stride;
                tests += u64::from(starts[base + high[x] as usize + 1] - starts[base]);
            }
        }
        cutter.add(k as u32, tests);
    }
    cutter.finish(spans.len() as u32);
    cutter.among = Among::Large;
    for k in 0..spans.len() {
        cutter.add(k as u32, (spans.len() - k) as u64);
    }
    cutter.finish(spans.len() as u32);
}

struct Cutter<'a> {
    stretches: &'a mut Vec<Stretch>,
    among: Among,
    first: u32,
    tests: u64,
}

impl Cutter<'_> {
    #[inline(always)]
    fn add(&mut self, index: u32, tests: u64) {
        if self.tests + tests > TESTS && index > self.first {
            self.stretches.push(Stretch { among: self.among, first: self.first, next: index });
            (self.first, self.tests) = (index, 0);
        }
        self.tests += tests;
    }

    fn finish(&mut self, end: u32) {
        if end > self.first {
            self.stretches.push(Stretch { among: self.among, first: self.first, next: end });
        }
        (self.first, self.tests) = (0, 0);
    }
}
