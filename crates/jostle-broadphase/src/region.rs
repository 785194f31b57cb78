//! One region built: its boxes copied into the columns they touch and bucketed along the sweep axis, as columns of
//! numbers that lanes can load.
//!
//! A copy's word holds its "not home" marks (bits 29 to 31, by axis) above the number of the last cell it reaches. Each
//! column of cells has one more cell behind its last bucket, which holds [`PADS`] boxes of NaN, so that a scan that runs
//! over the end of a column meets nothing; over the end of a cell it meets only boxes that begin behind the scanning
//! one's end. Within a cell, copies keep the order of the bodies.

use jostle_lanes::{Kernel, Lanes};

use crate::grid::{Grid, MOST_COPIES, ROUNDER};
use crate::partition::{ID, MARKS, Record};

/// NaN boxes behind each column: as many as the widest lanes.
pub(crate) const PADS: usize = 16;
/// Tests per chunk, where one box alone does not make more.
pub(crate) const TESTS: u64 = 1 << 20;
/// The bits of a word, or of an entry of `order`, that are not marks.
pub(crate) const LOW: u32 = (1 << 29) - 1;

/// Boxes as columns, in an order that scans can use; what lies behind `PADS` boxes after the last is left over.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub lower: [Vec<f32>; 3],
    pub upper: [Vec<f32>; 3],
    /// Marks above the last cell reached.
    pub words: Vec<u32>,
    pub ids: Vec<u32>,
}

impl Store {
    fn grow(&mut self, dimension: usize, len: usize) {
        if self.ids.len() < len {
            for axis in 0..dimension {
                self.lower[axis].resize(len, f32::NAN);
                self.upper[axis].resize(len, f32::NAN);
            }
            self.words.resize(len, 0);
            self.ids.resize(len, 0);
        }
    }

    fn pad(&mut self, dimension: usize, first: usize) {
        for axis in 0..dimension {
            self.lower[axis][first..first + PADS].fill(f32::NAN);
            self.upper[axis][first..first + PADS].fill(f32::NAN);
        }
        self.words[first..first + PADS].fill(0);
        self.ids[first..first + PADS].fill(0);
    }
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
    sample: Vec<Record>,
    column: Vec<f32>,
    /// The cells of each record's numbers, as their bits above those of `ROUNDER`.
    cells: Vec<Record>,
    /// Cell, and record with marks, of each copy.
    places: Vec<(u32, u32)>,
    /// Record with marks by place in `copies`.
    order: Vec<u32>,
    large: Vec<u32>,
}

/// Builds a region from `scratch.records`.
pub(crate) struct Build<'a> {
    pub dimension: usize,
    pub region: &'a mut Region,
    pub scratch: &'a mut Scratch,
}

impl Kernel<f32> for Build<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let Build { dimension, region, scratch } = self;
        region.grid = Grid::plan(dimension, &scratch.records, &mut scratch.column, &mut scratch.sample);
        find_cells::<L>(&region.grid, scratch);
        let copies = place(&region.grid, scratch);
        count(region, scratch, copies);
        if dimension == 3 {
            gather::<3>(region, scratch);
        } else {
            gather::<2>(region, scratch);
        }
        keep_large(dimension, region, scratch);
        divide(region, copies);
    }
}

/// The cells of all numbers of all records, two records to 16 lanes.
#[inline(always)]
fn find_cells<L: Lanes<Scalar = f32>>(grid: &Grid, scratch: &mut Scratch) {
    let Scratch { records, cells, .. } = scratch;
    let len = records.len();
    // Ids and marks are no numbers: subtracting 1 makes them harmless, whatever they would mean.
    let (mut origin, mut scale, mut most) = ([1.0; 16], [0.0; 16], [0.0; 16]);
    for slot in 0..16 {
        if slot % 4 < 3 {
            origin[slot] = grid.origin[slot % 4];
            scale[slot] = grid.scale[slot % 4];
            most[slot] = (grid.cells[slot % 4] - 1) as f32;
        }
    }
    if len % 2 == 1 {
        records.push([0.0; 8]);
    }
    if cells.len() < records.len() {
        cells.resize(records.len(), [0.0; 8]);
    }
    let source = records.as_flattened();
    let target = &mut cells.as_flattened_mut()[..source.len()];
    for (source, target) in source.chunks_exact(16).zip(target.chunks_exact_mut(16)) {
        let mut k = 0;
        while k < 16 {
            let v = (L::load(&source[k..]) - L::load(&origin[k..])) * L::load(&scale[k..]);
            let v = v.max(L::zero()).min(L::load(&most[k..]));
            (v + L::splat(ROUNDER)).store(&mut target[k..]);
            k += L::WIDTH;
        }
    }
    records.truncate(len);
}

#[inline(always)]
fn cell_of(cells: &Record, slot: usize) -> u32 {
    cells[slot].to_bits() & 0x007F_FFFF
}

/// Lists every copy's cell; says how many copies there are.
#[inline(always)]
fn place(grid: &Grid, scratch: &mut Scratch) -> usize {
    let Scratch { records, cells, places, large, .. } = scratch;
    let [x, y, z] = grid.order;
    let stride = grid.cells[x] + 1;
    let row = grid.cells[z] * stride;
    let (not_y, not_z) = (1 << (29 + y), 1 << (29 + z));
    large.clear();
    let mut len = 0;
    for (index, (record, cell)) in records.iter().zip(cells.iter()).enumerate() {
        if places.len() < len + MOST_COPIES as usize {
            places.resize((2 * len).max(1024), (0, 0));
        }
        let (y0, z0) = (cell_of(cell, y), cell_of(cell, z));
        let (dy, dz) = (cell_of(cell, y + 4) - y0, cell_of(cell, z + 4) - z0);
        let entry = index as u32 | record[MARKS].to_bits() << 29;
        let base = y0 * row + z0 * stride + cell_of(cell, x);
        if dy | dz <= 1 {
            // Up to four, without a branch: what is not there is overwritten by the next.
            let four: &mut [(u32, u32); 4] = (&mut places[len..len + 4]).try_into().expect("four");
            four[0] = (base, entry);
            four[1] = (base + stride, entry | not_z);
            let (dy, dz) = (dy as usize, dz as usize);
            four[1 + dz] = (base + row, entry | not_y);
            four[3] = (base + row + stride, entry | not_y | not_z);
            len += (1 + dy) * (1 + dz);
        } else if u64::from(1 + dy) * u64::from(1 + dz) <= u64::from(MOST_COPIES) {
            for i in 0..=dy {
                for j in 0..=dz {
                    let marks = if i > 0 { not_y } else { 0 } | if j > 0 { not_z } else { 0 };
                    places[len] = (base + i * row + j * stride, entry | marks);
                    len += 1;
                }
            }
        } else {
            large.push(index as u32);
        }
    }
    len
}

/// Counts the copies per cell, and orders them by cell.
#[inline(always)]
fn count(region: &mut Region, scratch: &mut Scratch, copies: usize) {
    let [x, y, z] = region.grid.order;
    let cells = region.grid.cells;
    let stride = cells[x] as usize + 1;
    let columns = (cells[y] * cells[z]) as usize;
    let starts = &mut region.starts;
    starts.clear();
    starts.resize(columns * stride + 1, 0);
    let places = &scratch.places[..copies];
    for &(cell, _) in places {
        starts[cell as usize] += 1;
    }
    let mut sum = 0;
    for column in starts[..columns * stride].chunks_exact_mut(stride) {
        let first = sum;
        for start in &mut column[..stride - 1] {
            (*start, sum) = (sum, sum + *start);
        }
        column[stride - 1] = sum;
        if sum > first {
            sum += PADS as u32;
        }
    }
    let total = sum as usize;
    starts[columns * stride] = sum;
    if scratch.order.len() < total {
        scratch.order.resize(total, 0);
    }
    // While the boxes are laid down, `starts[c]` is the next free place of cell c; in the end, the start of c + 1 ...
    for &(cell, entry) in places {
        let slot = &mut starts[cell as usize];
        scratch.order[*slot as usize] = entry;
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

/// Fills the columns of numbers.
#[inline(always)]
fn gather<const D: usize>(region: &mut Region, scratch: &mut Scratch) {
    let grid = region.grid;
    let [x, y, z] = grid.order;
    let stride = grid.cells[x] as usize + 1;
    let columns = (grid.cells[y] * grid.cells[z]) as usize;
    let total = region.starts[columns * stride] as usize;
    region.copies.grow(D, total);
    for column in 0..columns {
        let base = column * stride;
        let (first, end) = (region.starts[base] as usize, region.starts[base + stride - 1] as usize);
        if end == first {
            continue;
        }
        let Store { lower, upper, words, ids } = &mut region.copies;
        let [l0, l1, l2] = lower;
        let [u0, u1, u2] = upper;
        let len = end - first;
        let (l0, l1) = (&mut l0[first..end][..len], &mut l1[first..end][..len]);
        let (u0, u1) = (&mut u0[first..end][..len], &mut u1[first..end][..len]);
        let l2 = if D == 3 { &mut l2[first..end][..len] } else { &mut [] };
        let u2 = if D == 3 { &mut u2[first..end][..len] } else { &mut [] };
        let (words, ids) = (&mut words[first..end][..len], &mut ids[first..end][..len]);
        let order = &scratch.order[first..end][..len];
        for k in 0..len {
            let record = &scratch.records[(order[k] & LOW) as usize];
            (l0[k], l1[k], u0[k], u1[k]) = (record[0], record[1], record[4], record[5]);
            if D == 3 {
                (l2[k], u2[k]) = (record[2], record[6]);
            }
            ids[k] = record[ID].to_bits();
            words[k] = (order[k] & !LOW) | (base as u32 + grid.cell(x, record[x + 4]));
        }
        region.copies.pad(D, end);
    }
}

/// The boxes that stand in more columns than they are copied into.
fn keep_large(dimension: usize, region: &mut Region, scratch: &Scratch) {
    let Region { grid, large, spans, .. } = region;
    spans.clear();
    let len = scratch.large.len();
    if len == 0 {
        return;
    }
    large.grow(dimension, len + PADS);
    for (k, &index) in scratch.large.iter().enumerate() {
        let record = &scratch.records[index as usize];
        for axis in 0..dimension {
            (large.lower[axis][k], large.upper[axis][k]) = (record[axis], record[axis + 4]);
        }
        large.words[k] = record[MARKS].to_bits() << 29;
        large.ids[k] = record[ID].to_bits();
        let cells = |slot| [0, 1, 2].map(|axis| grid.cell(axis, record[axis + slot]));
        spans.push([cells(0), cells(4)]);
    }
    large.pad(dimension, len);
}

/// Cuts the work into stretches of bounded numbers of tests.
fn divide(region: &mut Region, copies: usize) {
    let Region { grid, copies: store, starts, spans, stretches, .. } = region;
    stretches.clear();
    let [x, y, z] = grid.order;
    let stride = grid.cells[x] as usize + 1;
    let end = starts[starts.len() - 1];
    let mut cutter = Cutter { stretches, among: Among::Copies, first: 0, tests: 0 };
    if copies as u64 * copies as u64 / 2 > TESTS {
        for column in starts.chunks_exact(stride) {
            for k in column[0]..column[stride - 1] {
                let last = (store.words[k as usize] & LOW) as usize;
                cutter.add(k, u64::from(starts[last + 1] - k));
            }
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
