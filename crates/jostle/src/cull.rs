//! The bodies that might be near a few: those that a pipeline renews, or a small set that is held against a large one.
//! Space is divided into cells, those that the few touch are marked, and all other bodies are tested against the marks.
//!
//! The few are far fewer than the others, so the others must be cheap: boxes of the few are marked larger by half a
//! cell, and a body no larger than a cell is looked up in one cell only, that of its box's middle.
//!
//! Before that, whole blocks of boxes are held against the box around the few, in lanes: often the few are one body, or
//! together in one place. (One of a million balls inserted anew in each frame: a frame of 31 -> 17 ms, Zen 4.)
//!
//! Cells are marked in a table of bits, by a hash of their coordinates. Cells that share a bit let through some bodies
//! that are not near. This costs a few tests and changes nothing, as boxes are tested for overlap afterwards.
//!
//! How many cells may be marked is said for all of the few together: one long body among them may well mark thousands.

use core::ops::Range;

use jostle_broadphase::Bounds;
use jostle_narrowphase::Dimension;

/// Table bits per marked cell, which set how rarely a body is let through by chance.
const BITS: usize = 16;
/// Boxes sampled for the size of cells.
const SAMPLES: usize = 256;
/// The share of all boxes that are no larger than the sampled size, and how many times larger a cell is than that size:
/// most scenes have boxes of one size, up to rounding.
const COVERED: f64 = 0.9;
const ROOMY: f32 = 1.25;

/// The marked cells.
#[derive(Clone, Debug, Default)]
pub struct Cull {
    bits: Vec<u64>,
    mask: u32,
    /// The side of a cell, metres, and its inverse.
    side: f32,
    inverse: f32,
    /// The lower and upper corner of the box around the few.
    around: [[f32; 3]; 2],
    /// Nothing is marked, as the few would mark too many cells: they may be near anybody in the box around them.
    unmarked: bool,
    sizes: Vec<f32>,
}

/// The cells of a box: the first and the last along each axis.
struct Cells([[i32; 3]; 2]);

impl Cells {
    fn count(&self) -> u64 {
        let [low, high] = self.0;
        (0..3).map(|k| (i64::from(high[k]) - i64::from(low[k]) + 1) as u64).fold(1, u64::saturating_mul)
    }
    #[inline]
    fn each(&self, mut visit: impl FnMut(u32)) {
        let [low, high] = self.0;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    visit(hash([x, y, z]));
                }
            }
        }
    }
}

#[inline]
fn hash(cell: [i32; 3]) -> u32 {
    let mixed = (cell[0] as u32).wrapping_mul(0x9E37_79B1)
        ^ (cell[1] as u32).wrapping_mul(0x85EB_CA77)
        ^ (cell[2] as u32).wrapping_mul(0xC2B2_AE3D);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2C1B_3C6D);
    mixed ^ (mixed >> 13)
}

/// The longest side of a box, metres.
#[inline]
fn longest<S: Dimension>(bounds: &Bounds<S>, body: usize) -> f32 {
    (0..S::DIMENSION).map(|axis| bounds.upper(axis)[body] - bounds.lower(axis)[body]).fold(0.0, f32::max)
}

impl Cull {
    /// Boxes that are looked at together.
    pub const BLOCK: usize = u32::BITS as usize;

    // Casts saturate, and multiplying is monotone: a middle between two limits is in a cell between theirs. (Cells
    // about zero are twice as wide.)
    #[inline]
    fn cell(&self, coordinate: f32) -> i32 {
        (coordinate * self.inverse) as i32
    }

    /// The cells in which the middle of a box may be that is no larger than a cell and overlaps this box.
    fn cells<S: Dimension>(&self, bounds: &Bounds<S>, body: usize) -> Cells {
        let mut cells = [[0; 3]; 2];
        for axis in 0..S::DIMENSION {
            let (lower, upper) = (bounds.lower(axis)[body], bounds.upper(axis)[body]);
            // The middle, half a side and these sums are rounded once or twice each.
            let room = 0.5 * self.side + 4.0 * f32::EPSILON * (self.side + lower.abs().max(upper.abs()));
            cells[0][axis] = self.cell(lower - room);
            cells[1][axis] = self.cell(upper + room);
        }
        Cells(cells)
    }

    /// Marks the cells of those boxes `of_few` that `few` names. Cells are as large as most boxes in `bounds`, which
    /// may be a sample of all, and no smaller than `least` (metres). If these would be more than `most` cells in all,
    /// none is marked, and only the box around the few is known. Keeps room for `most`: calls with no larger number
    /// allocate nothing.
    pub fn mark<S: Dimension>(
        &mut self,
        bounds: &Bounds<S>,
        of_few: &Bounds<S>,
        few: impl Iterator<Item = usize> + Clone,
        least: f32,
        most: usize,
    ) {
        self.sizes.clear();
        self.sizes.reserve(2 * SAMPLES);
        let stride = bounds.len().div_ceil(SAMPLES).max(1);
        self.sizes.extend((0..bounds.len()).step_by(stride).map(|body| longest(bounds, body)));
        self.bits.clear();
        self.bits.reserve((most * BITS).next_power_of_two().div_ceil(64));
        self.around = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        self.unmarked = false;
        if self.sizes.is_empty() {
            return;
        }
        let covered = (self.sizes.len() as f64 * COVERED) as usize;
        self.side = ROOMY * self.sizes.select_nth_unstable_by(covered, f32::total_cmp).1.max(least);
        self.inverse = 1.0 / self.side.max(1e-30);
        let mut cells = 0_u64;
        for body in few.clone() {
            let [low, high] = &mut self.around;
            for axis in 0..S::DIMENSION {
                low[axis] = low[axis].min(of_few.lower(axis)[body]);
                high[axis] = high[axis].max(of_few.upper(axis)[body]);
            }
            cells = cells.saturating_add(self.cells(of_few, body).count());
        }
        self.unmarked = cells > most as u64;
        if cells == 0 || self.unmarked {
            return;
        }
        let words = (cells as usize * BITS).next_power_of_two().div_ceil(64);
        self.bits.resize(words, 0);
        self.mask = (words * 64 - 1) as u32;
        for body in few {
            self.cells(of_few, body).each(|hash| {
                let bit = hash & self.mask;
                self.bits[bit as usize / 64] |= 1 << (bit % 64);
            });
        }
    }

    /// Which of a block of boxes overlap the box around the few, a bit each. (The boxes of the few do, and those with
    /// NaN.)
    pub fn are_around<S: Dimension>(&self, bounds: &Bounds<S>, block: Range<usize>) -> u32 {
        let ([low, high], mut apart) = (self.around, [0; Self::BLOCK]);
        for axis in 0..S::DIMENSION {
            let (lower, upper) = (&bounds.lower(axis)[block.clone()], &bounds.upper(axis)[block.clone()]);
            for ((apart, &lower), &upper) in apart.iter_mut().zip(lower).zip(upper) {
                // False for NaN.
                *apart |= u32::from(upper < low[axis]) | u32::from(high[axis] < lower);
            }
        }
        let few = apart[..block.len()].iter().enumerate();
        few.fold(0, |around, (place, apart)| around | (apart ^ 1) << place)
    }

    /// Whether a body might be near one of the few.
    pub fn meets<S: Dimension>(&self, bounds: &Bounds<S>, body: usize) -> bool {
        self.are_around(bounds, body..body + 1) == 1 && self.near(bounds, body)
    }

    /// The same for a body whose box overlaps the box around the few.
    #[inline]
    pub fn near<S: Dimension>(&self, bounds: &Bounds<S>, body: usize) -> bool {
        if self.bits.is_empty() {
            return self.unmarked;
        }
        let mut middle = [0; 3];
        for axis in 0..S::DIMENSION {
            let (lower, upper) = (bounds.lower(axis)[body], bounds.upper(axis)[body]);
            // Written so that what is not finite is let through.
            if !matches!((upper - lower).partial_cmp(&self.side), Some(order) if order.is_le()) {
                return true;
            }
            middle[axis] = self.cell(0.5 * lower + 0.5 * upper);
        }
        let bit = hash(middle) & self.mask;
        self.bits[bit as usize / 64] >> (bit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle_lanes::{D2, D3};

    #[test]
    fn nobody_near_is_missed_and_few_others_pass() {
        let mut bounds = Bounds::<D2>::new();
        let side = 200;
        for i in 0..side * side {
            let (x, y) = ((i % side) as f32 - 100.0, (i / side) as f32 - 100.0);
            bounds.push([x, y], [x + 1.0, y + 1.0]);
        }
        bounds.push([-500.0, 40.0], [500.0, 41.0]); // a wall
        let few = [0_usize, 5000, 39_999];
        let mut cull = Cull::default();
        cull.mark(&bounds, &bounds, few.iter().copied(), 0.0, 64);
        let overlap = |a: usize, b: usize| {
            (0..2).all(|k| bounds.lower(k)[a] <= bounds.upper(k)[b] && bounds.lower(k)[b] <= bounds.upper(k)[a])
        };
        let mut passed = 0;
        for body in 0..bounds.len() {
            let block = body - body % 7..bounds.len().min(body - body % 7 + 7);
            let is_around = cull.are_around(&bounds, block) >> (body % 7) & 1 == 1;
            let near = is_around && cull.near(&bounds, body);
            assert!(near || !few.iter().any(|&one| overlap(one, body)), "{body}");
            passed += usize::from(near);
        }
        assert!(passed < 4000, "{passed} of {}", bounds.len());
        let met = |cull: &Cull| (0..bounds.len()).filter(|&body| cull.meets(&bounds, body)).count();
        let wall = side * side;
        cull.mark(&bounds, &bounds, [0, 1, wall].into_iter(), 0.0, 4000);
        let near_the_wall = met(&cull);
        assert!((600..6000).contains(&near_the_wall), "{near_the_wall} of {}", bounds.len());
        cull.mark(&bounds, &bounds, [0, 1, wall].into_iter(), 0.0, 1000);
        assert!((0..wall).all(|body| cull.near(&bounds, body)), "a wall is near everybody");
        // From the lowest row to the one that begins where the wall ends.
        assert_eq!(met(&cull), 142 * side + 1, "but not far from all of the few");
        cull.mark(&bounds, &bounds, core::iter::once(5000), 0.0, 64);
        assert_eq!((0..bounds.len()).filter(|&body| cull.are_around(&bounds, body..body + 1) == 1).count(), 6);
        cull.mark(&bounds, &bounds, core::iter::empty(), 0.0, 64);
        assert!(!cull.near(&bounds, 0));
    }

    #[test]
    fn coordinates_beyond_all_cells_are_kept() {
        let mut bounds = Bounds::<D3>::new();
        bounds.push([1e15; 3], [1e15; 3]);
        bounds.push([1e15; 3], [f32::INFINITY; 3]);
        bounds.push([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
        let mut cull = Cull::default();
        cull.mark(&bounds, &bounds, core::iter::once(0), 0.0, 64);
        assert!(cull.are_around(&bounds, 0..3) == 0b111 && (0..3).all(|body| cull.near(&bounds, body)));
    }
}
