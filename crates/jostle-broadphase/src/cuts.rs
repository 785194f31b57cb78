//! The outer division: quantiles of a sample cut space into regions of about equally many boxes.
//!
//! A few levels, each along one axis, each node with up to 15 cuts of its own: one comparison of 16 lanes finds the
//! child. The regions are half-open bricks that fill space, so exactly one holds the larger minima of any two boxes.
//! Their number depends on the number of boxes only.

use jostle_lanes::{Lanes, Mask};

use crate::bounds::Columns;
use crate::sample::{median, pick};

/// A region holds at most about this many boxes, and at least half of it, where the sample is true.
pub(crate) const REGION: usize = 131_072;
/// Samples per region that the cuts rest on: a region's population then strays by an eighth or so.
const SAMPLES: usize = 48;
/// Slots for cuts in a node; those not used hold NaN, which no coordinate reaches.
const SLOTS: usize = 16;

/// One generation of nodes.
#[derive(Clone, Copy, Debug)]
struct Level {
    axis: usize,
    fan: usize,
    /// Where the nodes of this level start in `Cuts::nodes`.
    first: usize,
}

/// The tree, and the buffers to plant it again.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    levels: Vec<Level>,
    nodes: Vec<[f32; SLOTS]>,
    sample: Vec<[f32; 3]>,
    column: Vec<f32>,
}

impl Cuts {
    /// The number of regions; 1 where all fits into one.
    pub fn regions(&self) -> usize {
        self.levels.iter().map(|level| level.fan).product()
    }

    /// Chooses the cuts for these boxes.
    pub fn plan(&mut self, columns: Columns<'_>) {
        self.levels.clear();
        self.nodes.clear();
        let len = columns.len();
        if len <= REGION {
            return;
        }
        let mut doublings = (len.div_ceil(REGION)).next_power_of_two().trailing_zeros();
        let count = (SAMPLES << doublings).min(len);
        let (extents, sizes) = self.measure(columns, count);
        if extents.iter().all(|&extent| extent <= 0.0) {
            return;
        }
        // Bricks as cubic as can be, in units of the typical box.
        let least = sizes.iter().fold(0.0, |a: f32, &b| a.max(b)) * 1e-3;
        let mut bits = [0_u32; 3];
        while doublings > 0 {
            let length = |axis: usize| {
                let unit = sizes[axis].max(least).max(f32::MIN_POSITIVE);
                f64::from(extents[axis]) / f64::from(unit) / f64::from(1_u32 << bits[axis])
            };
            let longest = (1..3).fold(0, |best, axis| if length(axis) > length(best) { axis } else { best });
            bits[longest] += 1;
            doublings -= 1;
        }
        let mut width = 1;
        let mut first = 0;
        while let Some(axis) = (0..3).filter(|&axis| bits[axis] > 0).max_by_key(|&axis| (bits[axis], 2 - axis)) {
            let taken = bits[axis].min(4);
            bits[axis] -= taken;
            let fan = 1 << taken;
            self.levels.push(Level { axis, fan, first });
            first += width;
            width *= fan;
        }
        self.nodes.resize(first, [f32::NAN; SLOTS]);
        plant(&self.levels, &mut self.nodes, 0, &mut self.sample);
    }

    /// Extents of the finite minima without their outermost 1/64, and median sizes, along each axis.
    fn measure(&mut self, columns: Columns<'_>, count: usize) -> ([f32; 3], [f32; 3]) {
        let bodies = |k| pick(k, count, columns.len());
        self.sample.clear();
        self.sample.resize(count, [0.0; 3]);
        let (mut extents, mut sizes) = ([0.0; 3], [0.0; 3]);
        for axis in 0..columns.dimension {
            let (lower, upper) = (columns.lower[axis], columns.upper[axis]);
            for k in 0..count {
                self.sample[k][axis] = lower[bodies(k)].clamp(-1e30, 1e30);
            }
            self.column.clear();
            self.column.extend((0..count).map(|k| (upper[bodies(k)] - lower[bodies(k)]).min(1e30)));
            sizes[axis] = median(&mut self.column);
            self.column.clear();
            self.column.extend(self.sample.iter().map(|point| point[axis]));
            let skip = count / 64;
            let low = *self.column.select_nth_unstable_by(skip, f32::total_cmp).1;
            let high = *self.column.select_nth_unstable_by(count - 1 - skip, f32::total_cmp).1;
            extents[axis] = high - low;
        }
        (extents, sizes)
    }

    /// Calls `stand(region, marks)` for every region that a box touches; bit `axis` of `marks` is set where the box's
    /// minimum lies before the region.
    #[inline(always)]
    pub fn place<L: Lanes<Scalar = f32>>(
        &self,
        lower: [f32; 3],
        upper: [f32; 3],
        stand: &mut impl FnMut(usize, u32),
    ) {
        let mut child = 0;
        for level in &self.levels {
            let cuts = &self.nodes[level.first + child];
            let first = passed::<L>(cuts, lower[level.axis]);
            let last = passed::<L>(cuts, upper[level.axis]);
            if first != last {
                return self.straddle(0, 0, 0, lower, upper, stand);
            }
            child = child * level.fan + first;
        }
        stand(child, 0);
    }

    /// The same for boxes that stand in several.
    fn straddle(
        &self,
        depth: usize,
        child: usize,
        marks: u32,
        lower: [f32; 3],
        upper: [f32; 3],
        stand: &mut impl FnMut(usize, u32),
    ) {
        let Some(level) = self.levels.get(depth) else {
            return stand(child, marks);
        };
        let cuts = &self.nodes[level.first + child];
        let first = passed::<f32>(cuts, lower[level.axis]);
        let last = passed::<f32>(cuts, upper[level.axis]);
        for slab in first..=last {
            let mark = u32::from(slab > first) << level.axis;
            self.straddle(depth + 1, child * level.fan + slab, marks | mark, lower, upper, stand);
        }
    }
}

/// How many cuts a coordinate has passed: those that are not above it.
#[inline(always)]
fn passed<L: Lanes<Scalar = f32>>(cuts: &[f32; SLOTS], coordinate: f32) -> usize {
    let x = L::splat(coordinate);
    let mut count = 0;
    let mut k = 0;
    while k < SLOTS {
        count += L::load(&cuts[k..]).le(x).to_bits().count_ones();
        k += L::WIDTH;
    }
    count as usize
}

/// Fills the nodes from the root: a node's sample, sorted along its axis, is cut into equal parts.
fn plant(levels: &[Level], nodes: &mut [[f32; SLOTS]], child: usize, sample: &mut [[f32; 3]]) {
    let Some((level, deeper)) = levels.split_first() else {
        return;
    };
    sample.sort_unstable_by(|a, b| a[level.axis].total_cmp(&b[level.axis]));
    for slab in 0..level.fan {
        let (first, next) = (slab * sample.len() / level.fan, (slab + 1) * sample.len() / level.fan);
        if slab > 0 && first < sample.len() {
            nodes[level.first + child][slab - 1] = sample[first][level.axis];
        }
        plant(deeper, nodes, child * level.fan + slab, &mut sample[first..next]);
    }
}
