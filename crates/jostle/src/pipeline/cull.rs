//! Who might be near the few whose pairs have to be found: space is cut into cells, those that the few touch are marked,
//! and everybody else is held against the marks.
//!
//! Cells are marked in a table of bits by a hash of their coordinates. Cells that share a bit let somebody through who
//! is nowhere near, which costs a few tests and changes nothing: whether boxes overlap is asked afterwards.

use jostle_broadphase::Bounds;
use jostle_narrowphase::Dimension;

/// Cells that a box is looked up in, at most; larger ones are let through.
const MOST_CELLS: u64 = 64;
/// Bits per marked cell: how rarely somebody is let through by chance.
const BITS: usize = 64;
/// Boxes that the size of cells is learned from.
const SAMPLES: usize = 256;
/// Where more than this share of the bodies is renewed, all are swept: nearly everybody would be near them.
pub const MANY: usize = 8;

/// The marked cells.
#[derive(Clone, Debug, Default)]
pub struct Cull {
    bits: Vec<u64>,
    mask: u32,
    inverse: f32,
    sizes: Vec<f32>,
}

/// A box's cells: the first and the last along each axis.
struct Cells([[i32; 3]; 2]);

impl Cells {
    fn count(&self) -> u64 {
        let [low, high] = self.0;
        (0..3).map(|k| (i64::from(high[k]) - i64::from(low[k]) + 1) as u64).fold(1, u64::saturating_mul)
    }
    /// Whether `check` holds for one of the cells' hashes.
    #[inline]
    fn any(&self, mut check: impl FnMut(u32) -> bool) -> bool {
        let [low, high] = self.0;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    if check(hash([x, y, z])) {
                        return true;
                    }
                }
            }
        }
        false
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

impl Cull {
    #[inline]
    fn cells<S: Dimension>(&self, bounds: &Bounds<S>, body: usize) -> Cells {
        let mut cells = [[0; 3]; 2];
        for axis in 0..S::DIMENSION {
            // Casts saturate, and all of this is monotone: boxes that share a point share a cell. (Those about zero are
            // twice as wide.)
            cells[0][axis] = (bounds.lower(axis)[body] * self.inverse) as i32;
            cells[1][axis] = (bounds.upper(axis)[body] * self.inverse) as i32;
        }
        Cells(cells)
    }

    /// Marks the cells of `few`. False if one of them is so large that it meets half the world.
    pub fn mark<S: Dimension>(&mut self, bounds: &Bounds<S>, few: impl Iterator<Item = usize> + Clone) -> bool {
        self.sizes.clear();
        self.sizes.reserve(SAMPLES);
        let size = |body: usize| {
            (0..S::DIMENSION).map(|axis| bounds.upper(axis)[body] - bounds.lower(axis)[body]).fold(0.0, f32::max)
        };
        self.sizes.extend(few.clone().take(SAMPLES).map(size));
        if self.sizes.is_empty() {
            self.bits.clear();
            return true;
        }
        let middle = self.sizes.len() / 2;
        let side = *self.sizes.select_nth_unstable_by(middle, f32::total_cmp).1;
        self.inverse = 1.0 / side.max(1e-30);
        let mut cells = 0;
        for body in few.clone() {
            let count = self.cells(bounds, body).count();
            if count > MOST_CELLS {
                return false;
            }
            cells += count as usize;
        }
        let words = (cells * BITS).next_power_of_two().max(64) / 64;
        self.bits.clear();
        // Room for as many as are ever marked, cells of ordinary boxes provided.
        self.bits.reserve((bounds.len() / MANY * (1 << S::DIMENSION) * BITS).next_power_of_two() / 64);
        self.bits.resize(words, 0);
        self.mask = (words * 64 - 1) as u32;
        for body in few {
            self.cells(bounds, body).any(|hash| {
                let bit = hash & self.mask;
                self.bits[bit as usize / 64] |= 1 << (bit % 64);
                false
            });
        }
        true
    }

    /// Whether a body might be near one of the marked ones.
    #[inline]
    pub fn near<S: Dimension>(&self, bounds: &Bounds<S>, body: usize) -> bool {
        if self.bits.is_empty() {
            return false;
        }
        let cells = self.cells(bounds, body);
        cells.count() > MOST_CELLS
            || cells.any(|hash| {
                let bit = hash & self.mask;
                self.bits[bit as usize / 64] >> (bit % 64) & 1 == 1
            })
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
        assert!(cull.mark(&bounds, few.iter().copied()));
        let overlap = |a: usize, b: usize| {
            (0..2).all(|k| bounds.lower(k)[a] <= bounds.upper(k)[b] && bounds.lower(k)[b] <= bounds.upper(k)[a])
        };
        let mut passed = 0;
        for body in 0..bounds.len() {
            let near = cull.near(&bounds, body);
            assert!(near || !few.iter().any(|&one| overlap(one, body)), "{body}");
            passed += usize::from(near);
        }
        assert!(passed < 4000, "{passed} of {}", bounds.len());
        assert!(!cull.mark(&bounds, [0, 1, side * side].into_iter()), "a wall is near everybody");
        assert!(cull.mark(&bounds, core::iter::empty()));
        assert!(!cull.near(&bounds, 0));
    }

    #[test]
    fn coordinates_beyond_all_cells_are_kept() {
        let mut bounds = Bounds::<D3>::new();
        bounds.push([1e15; 3], [1e15; 3]);
        bounds.push([1e15; 3], [f32::INFINITY; 3]);
        bounds.push([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
        let mut cull = Cull::default();
        assert!(cull.mark(&bounds, core::iter::once(0)));
        assert!((0..3).all(|body| cull.near(&bounds, body)));
    }
}
