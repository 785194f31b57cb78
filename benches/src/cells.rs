//! The rival that takes sixty lines: a cell list, scalar, as good as we can write it.
//!
//! There are two, as authors of simulations write them. [`Home`] puts each box into the cell of its lower corner and
//! looks into neighbouring cells; it is the faster one where sizes are similar. [`Spread`] puts each box into all cells
//! it touches, which copes with mixed sizes. Both sort boxes by cell (counting sort), store the bounds of a cell's
//! boxes next to each other, and reuse all memory.

use crate::boxes::Boxes;

/// Cells per box, at most.
const CELLS: f64 = 2.0;
/// Cells that a box may touch before [`Spread`] tests it against all others instead.
const MOST: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Entry<const N: usize> {
    lower: [f32; N],
    upper: [f32; N],
    id: u32,
}

impl<const N: usize> Entry<N> {
    // Without branches, which would be mispredicted.
    #[allow(clippy::needless_bitwise_bool, reason = "no branches are wanted")]
    #[inline(always)]
    fn meets(&self, other: &Self) -> bool {
        let mut all = true;
        for k in 0..N {
            all &= (self.lower[k] <= other.upper[k]) & (other.lower[k] <= self.upper[k]);
        }
        all
    }
}

/// A grid of cells over a box of the world.
#[derive(Clone, Copy, Debug)]
struct Grid<const N: usize> {
    origin: [f32; N],
    inverse: f32,
    size: [i32; N],
}

impl<const N: usize> Grid<N> {
    /// Cells of at least `side`, as many as `CELLS` allows.
    fn new(boxes: &Boxes<N>, side: f32) -> Self {
        let mut origin = [f32::INFINITY; N];
        let mut end = [f32::NEG_INFINITY; N];
        for lower in &boxes.lower {
            for k in 0..N {
                origin[k] = origin[k].min(lower[k]);
                end[k] = end[k].max(lower[k]);
            }
        }
        let cells = |side: f32| (0..N).map(|k| f64::from(((end[k] - origin[k]) / side).floor() + 1.0)).product::<f64>();
        let mut side = side;
        while cells(side) > CELLS * boxes.len() as f64 + 8.0 {
            side *= 1.1;
        }
        let size = core::array::from_fn(|k| ((end[k] - origin[k]) / side).floor() as i32 + 1);
        Self { origin, inverse: 1.0 / side, size }
    }
    #[inline(always)]
    fn cell(&self, point: &[f32; N]) -> [i32; N] {
        core::array::from_fn(|k| (((point[k] - self.origin[k]) * self.inverse) as i32).min(self.size[k] - 1))
    }
    #[inline(always)]
    fn index(&self, cell: &[i32; N]) -> usize {
        (0..N).rev().fold(0, |index, k| index * self.size[k] as usize + cell[k] as usize)
    }
    fn count(&self) -> usize {
        self.size.iter().map(|&size| size as usize).product()
    }
}

/// Replaces counts by the sums of those before them: where each cell starts.
fn starts_of(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += core::mem::replace(count, sum);
    }
}

/// Each box in the cell of its lower corner.
#[derive(Clone, Debug, Default)]
pub struct Home<const N: usize> {
    cell: Vec<u32>,
    starts: Vec<u32>,
    sorted: Vec<Entry<N>>,
}

impl<const N: usize> Home<N> {
    /// All pairs that meet, into `out`.
    pub fn pairs(&mut self, boxes: &Boxes<N>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let largest = boxes.lower.iter().zip(&boxes.upper).flat_map(|(l, u)| (0..N).map(|k| u[k] - l[k]));
        let grid = Grid::new(boxes, largest.fold(f32::MIN_POSITIVE, f32::max) * 1.0001);
        self.cell.clear();
        self.starts.clear();
        self.starts.resize(grid.count() + 1, 0);
        for lower in &boxes.lower {
            let index = grid.index(&grid.cell(lower));
            self.cell.push(index as u32);
            self.starts[index] += 1;
        }
        starts_of(&mut self.starts);
        self.sorted.resize(boxes.len(), Entry { lower: [0.0; N], upper: [0.0; N], id: 0 });
        for (id, &cell) in self.cell.iter().enumerate() {
            let place = &mut self.starts[cell as usize];
            self.sorted[*place as usize] = Entry { lower: boxes.lower[id], upper: boxes.upper[id], id: id as u32 };
            *place += 1;
        }
        // `starts` now holds where each cell ends, which is where the next one begins.
        let begin = |cell: usize| if cell == 0 { 0 } else { self.starts[cell - 1] as usize };
        let (width, height) = (grid.size[0], grid.size[1]);
        let depth = if N == 3 { grid.size[2] } else { 1 };
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let row = |y: i32, z: i32| ((z * height + y) * width) as usize;
                    let cell = row(y, z) + x as usize;
                    let (first, last) = (begin(cell), self.starts[cell] as usize);
                    if first == last {
                        continue;
                    }
                    // In this row: the boxes behind this one in its cell, and those of the next cell.
                    let next = if x + 1 < width { self.starts[cell + 1] as usize } else { last };
                    for i in first..last {
                        self.test(i, i + 1, next, out);
                    }
                    // Half of the rows around it: in each, three cells that are adjacent in memory.
                    for (dy, dz) in [(1, 0), (-1, 1), (0, 1), (1, 1)] {
                        let (ny, nz) = (y + dy, z + dz);
                        if ny < 0 || ny >= height || nz >= depth {
                            continue;
                        }
                        let from = begin(row(ny, nz) + (x - 1).max(0) as usize);
                        let to = self.starts[row(ny, nz) + (x + 1).min(width - 1) as usize] as usize;
                        for i in first..last {
                            self.test(i, from, to, out);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn test(&self, i: usize, from: usize, to: usize, out: &mut Vec<[u32; 2]>) {
        let one = self.sorted[i];
        for other in &self.sorted[from..to] {
            if one.meets(other) {
                out.push([one.id.min(other.id), one.id.max(other.id)]);
            }
        }
    }
}

/// Each box in every cell it touches.
#[derive(Clone, Debug, Default)]
pub struct Spread<const N: usize> {
    starts: Vec<u32>,
    sorted: Vec<Entry<N>>,
    huge: Vec<u32>,
    is_huge: Vec<bool>,
}

impl<const N: usize> Spread<N> {
    /// All pairs that meet, into `out`.
    pub fn pairs(&mut self, boxes: &Boxes<N>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        // Cells of three times the mean size: measured, they are the best here.
        let sum: f64 = boxes.lower.iter().zip(&boxes.upper).map(|(l, u)| f64::from(u[0] - l[0])).sum();
        let grid = Grid::new(boxes, (3.0 * sum / boxes.len().max(1) as f64) as f32);
        self.starts.clear();
        self.starts.resize(grid.count() + 1, 0);
        self.huge.clear();
        self.is_huge.clear();
        for (id, (lower, upper)) in boxes.lower.iter().zip(&boxes.upper).enumerate() {
            let (from, to) = (grid.cell(lower), grid.cell(upper));
            let huge = (0..N).map(|k| (to[k] - from[k] + 1) as usize).product::<usize>() > MOST;
            self.is_huge.push(huge);
            if huge {
                self.huge.push(id as u32);
            } else {
                each_cell(from, to, |cell| self.starts[grid.index(&cell)] += 1);
            }
        }
        starts_of(&mut self.starts);
        let total = self.starts[grid.count()] as usize;
        self.sorted.resize(total, Entry { lower: [0.0; N], upper: [0.0; N], id: 0 });
        for (id, (&lower, &upper)) in boxes.lower.iter().zip(&boxes.upper).enumerate() {
            if !self.is_huge[id] {
                each_cell(grid.cell(&lower), grid.cell(&upper), |cell| {
                    let place = &mut self.starts[grid.index(&cell)];
                    self.sorted[*place as usize] = Entry { lower, upper, id: id as u32 };
                    *place += 1;
                });
            }
        }
        let mut first = 0;
        let mut cell = 0;
        each_cell([0; N], grid.size.map(|size| size - 1), |here| {
            let last = self.starts[cell] as usize;
            for i in first..last {
                let one = self.sorted[i];
                for other in &self.sorted[i + 1..last] {
                    // Two boxes may share several cells: the pair belongs to that of its larger lower corner.
                    if one.meets(other)
                        && grid.cell(&core::array::from_fn(|k| one.lower[k].max(other.lower[k]))) == here
                    {
                        out.push([one.id.min(other.id), one.id.max(other.id)]);
                    }
                }
            }
            first = last;
            cell += 1;
        });
        for (place, &huge) in self.huge.iter().enumerate() {
            for other in 0..boxes.len() {
                let again = self.is_huge[other] && self.huge[..=place].contains(&(other as u32));
                if boxes.meet(huge as usize, other) && !again {
                    out.push([huge.min(other as u32), huge.max(other as u32)]);
                }
            }
        }
    }
}

#[inline(always)]
fn each_cell<const N: usize>(from: [i32; N], to: [i32; N], mut visit: impl FnMut([i32; N])) {
    let (low, high) = if N == 3 { (from[N - 1], to[N - 1]) } else { (0, 0) };
    for z in low..=high {
        for y in from[1]..=to[1] {
            for x in from[0]..=to[0] {
                visit(core::array::from_fn(|k| [x, y, z][k]));
            }
        }
    }
}
