//! The outer division: quantiles of a sample cut space into regions of about equally many boxes.
//!
//! A shallow k-d tree whose cuts lie on *ticks*: quantiles of each axis by itself, several times as many as there are
//! cuts along it. A coordinate finds its bin by arithmetic (in lanes), a bin its tick by look-up, and three ticks their
//! region by look-up. So nearly all boxes find their region without descending the tree: only boxes whose corners lie
//! in different regions descend. (Comparing with the cuts level by level cost three times as much.)
//!
//! The regions are half-open bricks that fill space, so exactly one contains the larger minima of any two boxes. Their
//! number depends on the number of boxes only.

use jostle_lanes::{Lanes, Mask};

use crate::bounds::Columns;
use crate::grid::ROUNDER;
use crate::sample::{median, pick, reach};

/// Up to this many boxes form one region, which all threads build together: dealing them out would cost more than is
/// gained by columns that fit a nearer cache (a quarter of the whole time at 100,000 boxes; AVX2).
pub(crate) const MOST_IN_ONE_REGION: usize = 131_072;
/// Of more boxes, a region holds at most about this many and at least half as many, if the sample is representative.
const BOXES_PER_REGION: usize = 32_768;
/// Samples per region from which cuts are chosen: a region's population then deviates by an eighth or so.
const SAMPLES_PER_REGION: usize = 48;
/// The most children of a node. Unused cuts are above all ticks.
const FAN: usize = 16;
/// The length of the table of regions.
const TABLE_LEN: usize = 1 << 16;
/// Bins per axis.
const BINS: usize = 2048;

/// One level of the tree.
#[derive(Clone, Copy, Debug)]
struct Level {
    axis: usize,
    fan: usize,
    /// Where the nodes of this level start in `Cuts::nodes`.
    first: usize,
}

/// One axis: bins by arithmetic, ticks by look-up.
#[derive(Debug, Default)]
struct AxisTicks {
    origin: f32,
    scale: f32,
    /// The tick of each bin.
    ticks: Vec<u16>,
    /// The number of ticks.
    count: usize,
    /// For each bin, its tick's contribution to the index into the table of regions.
    steps: Vec<u32>,
}

/// The division, and the buffers with which it is made again.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    levels: Vec<Level>,
    nodes: Vec<[u16; FAN]>,
    axes: [AxisTicks; 3],
    /// The region of each triple of ticks.
    table: Vec<u16>,
    sample: Vec<[u16; 3]>,
    column: Vec<f32>,
    sorted: Vec<f32>,
}

/// Bins, in the low bits of words.
pub(crate) type Bins = [u32; BOXES_AT_ONCE];
/// How many boxes look up their regions together.
pub(crate) const BOXES_AT_ONCE: usize = 256;

impl AxisTicks {
    /// Bins as the bits of `round((x - origin) * scale)` above those of `ROUNDER`: monotone, -0.0 and NaN included.
    #[inline(always)]
    fn bins<L: Lanes<Scalar = f32>>(&self, coordinates: L) -> L {
        let v = (coordinates - L::splat(self.origin)) * L::splat(self.scale);
        v.max(L::zero()).min(L::splat((BINS - 1) as f32)) + L::splat(ROUNDER)
    }

    fn tick(&self, bin: u32) -> u16 {
        self.ticks[bin as usize & (BINS - 1)]
    }

    /// The bins of the first coordinates of `lower` and `upper`; returns whether the intervals are valid (neither NaN
    /// nor inverted).
    #[inline(always)]
    fn interval_bins<L: Lanes<Scalar = f32>>(
        &self,
        lower: &[f32],
        upper: &[f32],
        low: &mut [f32],
        high: &mut [f32],
    ) -> L::Mask {
        let (l, u) = (L::load(lower), L::load(upper));
        self.bins(l).store(low);
        self.bins(u).store(high);
        l.le(u)
    }

    /// Bins over the range of `column`, and `count` ticks at its quantiles.
    fn plan(&mut self, count: usize, column: &[f32], sorted: &mut Vec<f32>) {
        sorted.clear();
        sorted.extend_from_slice(column);
        let (low, high) = reach(sorted).unwrap_or((0.0, 0.0));
        sorted.sort_unstable_by(f32::total_cmp);
        let scale = BINS as f32 / (high - low);
        (self.origin, self.scale) = if scale.is_finite() && scale > 0.0 { (low, scale) } else { (0.0, 0.0) };
        self.count = count;
        self.ticks.clear();
        self.ticks.resize(BINS, 0);
        for tick in 1..count {
            let bin = self.bins(sorted[tick * sorted.len() / count]).to_bits() as usize & (BINS - 1);
            self.ticks[bin] += 1;
        }
        let mut sum = 0;
        for tick in &mut self.ticks {
            sum += *tick;
            *tick = sum;
        }
    }
}

impl Cuts {
    /// The number of regions; 1 if no cuts were made.
    pub fn regions(&self) -> usize {
        self.levels.iter().map(|level| level.fan).product()
    }

    /// Chooses the cuts for these boxes: none for up to `most_in_one_region` of them.
    pub fn plan(&mut self, columns: Columns<'_>, most_in_one_region: usize) {
        self.levels.clear();
        self.nodes.clear();
        let len = columns.len();
        if len <= most_in_one_region {
            return;
        }
        let doublings = len.div_ceil(BOXES_PER_REGION).next_power_of_two().trailing_zeros();
        let count = (SAMPLES_PER_REGION << doublings).min(len);
        let bits = self.divide_axes(columns, count, doublings);
        // How many more ticks than cuts (a power of two) the table has room for along each axis that is cut.
        let divided = bits.iter().filter(|&&bits| bits > 0).count().max(1) as u32;
        let more = (16_u32.saturating_sub(doublings) / divided).min(5);
        self.sample.clear();
        self.sample.resize(count, [0; 3]);
        for axis in 0..3 {
            let ticks = if bits[axis] > 0 { 1 << (bits[axis] + more) } else { 1 };
            self.column.clear();
            if axis < columns.dimension {
                self.column.extend((0..count).map(|k| columns.lower[axis][pick(k, count, len)].clamp(-1e30, 1e30)));
            }
            self.axes[axis].plan(ticks, &self.column, &mut self.sorted);
            for (point, &x) in self.sample.iter_mut().zip(&self.column) {
                point[axis] = self.axes[axis].tick(self.axes[axis].bins(x).to_bits());
            }
        }
        self.plan_levels(bits);
        plant(&self.levels, &mut self.nodes, 0, &mut self.sample);
        let [x, y, z] = [0, 1, 2].map(|axis| self.axes[axis].count);
        self.table.clear();
        self.table.resize(TABLE_LEN, 0);
        self.fill(0, 0, [0; 3], [x, y, z]);
        for (axis, row) in self.axes.iter_mut().zip([y * z, z, 1]) {
            axis.steps.clear();
            axis.steps.extend(axis.ticks.iter().map(|&tick| u32::from(tick) * row as u32));
        }
    }

    /// How often to halve space along each axis, so that bricks are as cubic as possible, in units of the median box.
    fn divide_axes(&mut self, columns: Columns<'_>, count: usize, doublings: u32) -> [u32; 3] {
        let body = |k| pick(k, count, columns.len());
        let (mut extents, mut sizes) = ([0.0; 3], [0.0; 3]);
        for axis in 0..columns.dimension {
            let (lower, upper) = (columns.lower[axis], columns.upper[axis]);
            self.column.clear();
            self.column.extend((0..count).map(|k| (upper[body(k)] - lower[body(k)]).min(1e30)));
            sizes[axis] = median(&mut self.column);
            self.column.clear();
            self.column.extend((0..count).map(|k| lower[body(k)].clamp(-1e30, 1e30)));
            let skip = count / 64;
            let low = *self.column.select_nth_unstable_by(skip, f32::total_cmp).1;
            let high = *self.column.select_nth_unstable_by(count - 1 - skip, f32::total_cmp).1;
            extents[axis] = high - low;
        }
        let least = (sizes.iter().fold(0.0, |a: f32, &b| a.max(b)) * 1e-3).max(f32::MIN_POSITIVE);
        let mut bits = [0_u32; 3];
        let length = |bits: &[u32; 3], axis: usize| {
            f64::from(extents[axis]) / f64::from(sizes[axis].max(least)) / f64::from(1_u32 << bits[axis])
        };
        for _ in 0..doublings {
            let longest =
                (1..3).fold(0, |best, axis| if length(&bits, axis) > length(&bits, best) { axis } else { best });
            bits[longest] += 1;
        }
        bits
    }

    fn plan_levels(&mut self, mut bits: [u32; 3]) {
        let (mut width, mut first) = (1, 0);
        while let Some(axis) = (0..3).filter(|&axis| bits[axis] > 0).max_by_key(|&axis| (bits[axis], 2 - axis)) {
            let taken = bits[axis].min(FAN.trailing_zeros());
            bits[axis] -= taken;
            let fan = 1 << taken;
            self.levels.push(Level { axis, fan, first });
            first += width;
            width *= fan;
        }
        self.nodes.resize(first, [u16::MAX; FAN]);
    }

    /// Writes the regions below a node into the table, for the ticks from `low` up to, not including, `high`.
    fn fill(&mut self, depth: usize, child: usize, low: [usize; 3], high: [usize; 3]) {
        let Some(&level) = self.levels.get(depth) else {
            for x in low[0]..high[0] {
                for y in low[1]..high[1] {
                    let row = (x * self.axes[1].count + y) * self.axes[2].count;
                    self.table[row + low[2]..row + high[2]].fill(child as u16);
                }
            }
            return;
        };
        let cuts = self.nodes[level.first + child];
        let (mut part_low, mut part_high) = (low, high);
        for slab in 0..level.fan {
            let end = if slab + 1 < level.fan { usize::from(cuts[slab]) } else { usize::MAX };
            part_high[level.axis] = end.clamp(part_low[level.axis], high[level.axis]);
            self.fill(depth + 1, child * level.fan + slab, part_low, part_high);
            part_low[level.axis] = part_high[level.axis];
        }
    }

    /// The bins along `axis` of the corners of up to [`BOXES_AT_ONCE`] boxes; returns whether their intervals are
    /// valid.
    #[inline(always)]
    pub fn bins<L: Lanes<Scalar = f32>>(
        &self,
        axis: usize,
        lower: &[f32],
        upper: &[f32],
        low: &mut Bins,
        high: &mut Bins,
    ) -> bool {
        let (axis, len) = (&self.axes[axis], lower.len().min(BOXES_AT_ONCE));
        let (lower, upper) = (&lower[..len], &upper[..len]);
        let low = &mut bytemuck::cast_slice_mut::<u32, f32>(low)[..len];
        let high = &mut bytemuck::cast_slice_mut::<u32, f32>(high)[..len];
        let mut sound = L::Mask::splat(true);
        let mut k = 0;
        while k + L::WIDTH <= len {
            sound = sound & axis.interval_bins::<L>(&lower[k..], &upper[k..], &mut low[k..], &mut high[k..]);
            k += L::WIDTH;
        }
        let mut sound = sound.all();
        while k < len {
            sound &= axis.interval_bins::<f32>(&lower[k..], &upper[k..], &mut low[k..], &mut high[k..]);
            k += 1;
        }
        sound
    }

    /// The tables for finding regions without descending the tree.
    #[inline(always)]
    pub fn finder(&self) -> Finder<'_> {
        let [x, y, z] = &self.axes;
        let steps = [&x.steps, &y.steps, &z.steps];
        Finder {
            steps: steps.map(|steps| steps[..].try_into().expect("a step per bin")),
            table: self.table[..].try_into().expect("of this size"),
        }
    }

    /// The ticks of a corner.
    fn ticks(&self, bins: [u32; 3]) -> [u16; 3] {
        [self.axes[0].tick(bins[0]), self.axes[1].tick(bins[1]), self.axes[2].tick(bins[2])]
    }

    /// Appends to `places` every region that a box touches, given the bins of its corners: the region, and `entry` with
    /// bit `29 + axis` set if the box's minimum lies before the region.
    #[inline(never)]
    pub fn straddle(&self, lower: [u32; 3], upper: [u32; 3], entry: u32, places: &mut Vec<(u32, u32)>) {
        self.descend(0, 0, self.ticks(lower), self.ticks(upper), entry, places);
    }

    fn descend(
        &self,
        depth: usize,
        child: usize,
        lower: [u16; 3],
        upper: [u16; 3],
        entry: u32,
        places: &mut Vec<(u32, u32)>,
    ) {
        let Some(level) = self.levels.get(depth) else {
            return places.push((child as u32, entry));
        };
        let cuts = &self.nodes[level.first + child][..level.fan - 1];
        let passed = |tick: u16| cuts.iter().filter(|&&cut| cut <= tick).count();
        let (first, last) = (passed(lower[level.axis]), passed(upper[level.axis]));
        for slab in first..=last {
            let mark = u32::from(slab > first) << (29 + level.axis);
            self.descend(depth + 1, child * level.fan + slab, lower, upper, entry | mark, places);
        }
    }
}

/// Finds the region of a corner by one look-up per axis and one in the table of regions.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a> {
    steps: [&'a [u32; BINS]; 3],
    table: &'a [u16; TABLE_LEN],
}

impl Finder<'_> {
    /// The region of corner `k`.
    #[inline(always)]
    pub fn region<const D: usize>(&self, bins: &[Bins; 3], k: usize) -> u16 {
        // Spelled out: `map` would be a call.
        let mut place = self.steps[0][bins[0][k] as usize & (BINS - 1)];
        place += self.steps[1][bins[1][k] as usize & (BINS - 1)];
        if D == 3 {
            place += self.steps[2][bins[2][k] as usize & (BINS - 1)];
        }
        self.table[place as usize & (TABLE_LEN - 1)]
    }
}

/// Fills the nodes from the root down: a node's sample, sorted along its axis, is cut into equal parts.
fn plant(levels: &[Level], nodes: &mut [[u16; FAN]], child: usize, sample: &mut [[u16; 3]]) {
    let Some((level, deeper)) = levels.split_first() else {
        return;
    };
    sample.sort_unstable_by_key(|point| point[level.axis]);
    let mut rest = sample;
    for slab in 0..level.fan {
        // A cut splits the sample where the tick changes, so that children get exactly the samples that descend to
        // them.
        let ideal = rest.len() / (level.fan - slab);
        let cut = rest.get(ideal).map_or(u16::MAX, |point| point[level.axis]);
        let split = if slab + 1 < level.fan {
            nodes[level.first + child][slab] = cut;
            rest.partition_point(|point| point[level.axis] < cut)
        } else {
            rest.len()
        };
        let (here, behind) = rest.split_at_mut(split);
        plant(deeper, nodes, child * level.fan + slab, here);
        rest = behind;
    }
}
