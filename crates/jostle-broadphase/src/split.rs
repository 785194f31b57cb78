//! Regions whose boxes lie so unevenly that no grid of equal cells fits: heaps far apart, a few boxes around a crowd, a
//! line across space. They are cut apart into leaves of even density, each of which gets a grid of its own.
//!
//! A bad fit is measured, not guessed: once copies are in their cells, the number of tests that they need is known
//! ([`Region::tests`](crate::region::Region::tests)). What was built is then thrown away, which costs a fraction of
//! what scanning it would have cost. (10,000 boxes of 100,000 all over a cube a thousand times as wide as the cube of
//! the others: 20,600 -> 117 ns a box.)
//!
//! Cuts are chosen as in a density estimation tree: of a sample, each where two even densities raise the likelihood the
//! most over one density for both parts together (Ram and Gray 2011, with entropy in place of the squared error).
//! Leaves are half-open bricks, as regions are, and boxes that begin before a leaf are marked in the same way.

use core::ops::Range;

use crate::record::{INDEX_BITS, PADS, Record, WORD, pad};
use crate::room::lengthen;
use crate::sample::{median, pick};

/// One in this many boxes is sampled, within the limits below.
const BOXES_PER_SAMPLE: usize = 128;
const SAMPLE_LIMITS: [usize; 2] = [128, 1024];
/// Fewer samples than this are never cut: gaps among them may be chance.
const FEWEST_TO_CUT: usize = 32;
/// A cut has to raise the log-likelihood by this much for each sample of the part that it cuts (nats).
const LEAST_GAIN: f64 = 0.3;
/// More boxes than this are cut in half in any case, so that other threads have work.
const MOST_UNCUT: usize = 32_768;
/// A region is cut apart only if its grid takes this many times as many tests as there are pairs: otherwise the cost is
/// in the pairs, not in a bad grid.
const TESTS_PER_PAIR: f64 = 4.0;
/// The most copies of a box in the leaves, on average.
const COPIES_PER_BOX: usize = 2;
/// Marks a child that is a leaf.
const LEAF: u32 = 1 << 31;

/// A cut, with what is below and above it.
#[derive(Clone, Copy, Debug)]
struct Node {
    axis: usize,
    cut: f32,
    children: [u32; 2],
}

/// The greatest depth of a leaf.
const DEEPEST_LEAF: usize = 32;

/// A stack of the subtrees that a box still has to descend, with marks: at most one for each level.
type Later = [(u32, u32); DEEPEST_LEAF];

/// The lower corner of a box.
type Point = [f32; 3];

/// What cuts are chosen from: the sample's lower corners.
#[derive(Debug, Default)]
struct Plan {
    dimension: usize,
    /// How many boxes each sample stands for.
    each: f64,
    /// The median size of a box. Densities are not taken over less than that, as cells are not smaller than boxes.
    size: Point,
    points: Vec<Point>,
    /// The log-likelihood of the points up to and including each, by themselves.
    before: Vec<f64>,
}

/// A region cut apart, with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Split {
    nodes: Vec<Node>,
    plan: Plan,
    sample: Vec<Record>,
    column: Vec<f32>,
    /// The first leaf that each record touches: the one with its minimum.
    homes: Vec<u32>,
    /// For records that touch several leaves: each other leaf, and the record with marks.
    several: Vec<(u32, u32)>,
    /// The records of all leaves, one leaf behind the other, each with its pads; and where each leaf ends. Records
    /// behind the last leaf are left over from earlier use.
    records: Vec<Record>,
    ends: Vec<usize>,
}

impl Plan {
    /// The log-likelihood of an even density for `count` points between two corners.
    fn fit(&self, count: usize, low: &Point, high: &Point) -> f64 {
        let mut volume = 1.0;
        for axis in 0..self.dimension {
            volume *= f64::from((high[axis] - low[axis]).max(self.size[axis]));
        }
        let count = count as f64;
        count * rough_logarithm(count / volume)
    }

    /// Where to cut the points of the range `those`, if anywhere: axis, coordinate, and the number of points below. The
    /// range is then sorted so that the points below the cut come first.
    fn cut(&mut self, those: Range<usize>) -> Option<(usize, f32, usize)> {
        let count = those.len();
        if count < FEWEST_TO_CUT {
            return None;
        }
        let mut points = core::mem::take(&mut self.points);
        let part = &mut points[those];
        let (low, high) = around(part);
        let whole = self.fit(count, &low, &high);
        let (mut best, mut most) = (None, LEAST_GAIN * count as f64);
        for axis in 0..self.dimension {
            part.sort_unstable_by(|a, b| a[axis].total_cmp(&b[axis]));
            let (mut low, mut high) = (part[0], part[0]);
            let mut before = core::mem::take(&mut self.before);
            before.clear();
            for (index, point) in part.iter().enumerate() {
                widen(&mut low, &mut high, point);
                before.push(self.fit(index + 1, &low, &high));
            }
            (low, high) = (part[count - 1], part[count - 1]);
            for index in (1..count).rev() {
                widen(&mut low, &mut high, &part[index]);
                let (from, to) = (part[index - 1][axis], part[index][axis]);
                let gain = before[index - 1] + self.fit(count - index, &low, &high) - whole;
                if from < to && gain > most {
                    (best, most) = (Some((axis, from, to)), gain);
                }
            }
            self.before = before;
        }
        if best.is_none() && count as f64 * self.each > MOST_UNCUT as f64 {
            let spread = |axis: usize| (high[axis] - low[axis]) / self.size[axis];
            let axis = (1..self.dimension).fold(0, |best, axis| if spread(axis) > spread(best) { axis } else { best });
            part.sort_unstable_by(|a, b| a[axis].total_cmp(&b[axis]));
            let (from, to) = (part[count / 2 - 1][axis], part[count / 2][axis]);
            best = (from < to).then_some((axis, from, to));
        }
        let found = best.map(|(axis, from, to)| {
            // In the middle of the gap, if there are numbers in it.
            let middle = 0.5 * from + 0.5 * to;
            let cut = if from < middle { middle } else { to };
            part.sort_unstable_by(|a, b| a[axis].total_cmp(&b[axis]));
            (axis, cut, part.partition_point(|point| point[axis] < cut))
        });
        self.points = points;
        found
    }
}

/// The natural logarithm of a positive normal number, to 2e-4: a thousandth of [`LEAST_GAIN`]. (An exact one took a
/// seventh of the time of cutting and scanning 1,500 boxes.)
fn rough_logarithm(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as f64 - 1023.0;
    let mantissa = f64::from_bits(x.to_bits() << 12 >> 12 | 1.0_f64.to_bits());
    // The series of the inverse hyperbolic tangent.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    core::f64::consts::LN_2 * exponent + 2.0 * t * (1.0 + t * t * (1.0 / 3.0 + t * t * 0.2))
}

/// The corners around some points.
fn around(points: &[Point]) -> (Point, Point) {
    let (mut low, mut high) = (points[0], points[0]);
    for point in points {
        widen(&mut low, &mut high, point);
    }
    (low, high)
}

fn widen(low: &mut Point, high: &mut Point, point: &Point) {
    for axis in 0..3 {
        low[axis] = low[axis].min(point[axis]);
        high[axis] = high[axis].max(point[axis]);
    }
}

impl Split {
    /// Cuts apart these boxes (without pads), which need `tests` tests each in the grid that was chosen for them.
    /// Returns false if that would not help.
    pub fn cut(&mut self, dimension: usize, records: &[Record], tests: f64) -> bool {
        let len = records.len();
        let count = (len / BOXES_PER_SAMPLE).clamp(SAMPLE_LIMITS[0], SAMPLE_LIMITS[1]).min(len);
        self.sample.clear();
        self.sample.extend((0..count).map(|k| records[pick(k, count, len)]));
        let each = len as f64 / count as f64;
        if tests < TESTS_PER_PAIR * self.meetings(dimension) as f64 * each / count as f64 {
            return false;
        }
        self.plan_from_sample(dimension, each);
        self.nodes.clear();
        let mut leaves = 0;
        self.grow(0..self.plan.points.len(), 0, &mut leaves);
        if leaves < 2 {
            return false;
        }
        let (mut copies, mut later) = (0, [(0, 0); DEEPEST_LEAF]);
        for record in &self.sample {
            descend(&self.nodes, record, &mut later, &mut |_, _| copies += 1);
        }
        if copies > COPIES_PER_BOX * count {
            return false;
        }
        self.deal(records, leaves);
        true
    }

    /// The number of pairs of the sample that overlap.
    fn meetings(&self, dimension: usize) -> usize {
        let meet = |a: &Record, b: &Record| (0..dimension).all(|k| a[k] <= b[k + 4] && b[k] <= a[k + 4]);
        let behind = |(index, a)| self.sample[index + 1..].iter().filter(move |b| meet(a, b)).count();
        self.sample.iter().enumerate().map(behind).sum()
    }

    /// Fills the plan from the sample.
    fn plan_from_sample(&mut self, dimension: usize, each: f64) {
        let Self { plan, sample, column, .. } = self;
        (plan.dimension, plan.each) = (dimension, each);
        plan.points.clear();
        plan.points.extend(sample.iter().map(|record| {
            let mut point = [0.0; 3];
            for (axis, x) in point[..dimension].iter_mut().enumerate() {
                *x = record[axis].clamp(-1e30, 1e30);
            }
            point
        }));
        for axis in 0..dimension {
            column.clear();
            column.extend(sample.iter().map(|record| (record[axis + 4] - record[axis]).min(1e30)));
            plan.size[axis] = median(column);
        }
        let least = (plan.size[..dimension].iter().fold(0.0, |a: f32, &b| a.max(b)) * 1e-3).max(1e-30);
        for size in &mut plan.size {
            *size = size.max(least);
        }
    }

    /// Grows the subtree for a range of the plan's points; returns the child that stands for it.
    fn grow(&mut self, those: Range<usize>, depth: usize, leaves: &mut u32) -> u32 {
        let found = if depth < DEEPEST_LEAF { self.plan.cut(those.clone()) } else { None };
        let Some((axis, cut, below)) = found else {
            *leaves += 1;
            return LEAF | (*leaves - 1);
        };
        let node = self.nodes.len();
        self.nodes.push(Node { axis, cut, children: [LEAF; 2] });
        let middle = those.start + below;
        let children = [those.start..middle, middle..those.end].map(|part| self.grow(part, depth + 1, leaves));
        self.nodes[node].children = children;
        node as u32
    }

    /// Deals the records out to the leaves.
    fn deal(&mut self, all: &[Record], leaves: u32) {
        let Self { nodes, homes, several, records, ends, .. } = self;
        homes.clear();
        several.clear();
        ends.clear();
        ends.resize(leaves as usize, 0);
        let mut later = [(0, 0); DEEPEST_LEAF];
        for (index, record) in (0..).zip(all) {
            let (mut home, mut touched) = (0, 0);
            descend(nodes, record, &mut later, &mut |leaf, marks| {
                if touched == 0 {
                    home = leaf;
                } else {
                    several.push((leaf, index | marks));
                }
                touched += 1;
                ends[leaf as usize] += 1;
            });
            homes.push(home);
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            (*end, sum) = (sum, sum + *end + PADS);
        }
        lengthen(records, sum, Record::ZERO);
        // The first leaf that a box touches holds its minimum.
        let whole = (0..).zip(homes.iter()).map(|(index, &leaf)| (leaf, index));
        for (leaf, place) in whole.chain(several.iter().copied()) {
            let end = &mut ends[leaf as usize];
            let record = &mut records[*end];
            *record = all[(place & INDEX_BITS) as usize];
            record[WORD] = f32::from_bits(record[WORD].to_bits() | place & !INDEX_BITS);
            *end += 1;
        }
        for end in ends.iter_mut() {
            pad(&mut records[*end..*end + PADS]);
            *end += PADS;
        }
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.ends.len()
    }

    /// The records of a leaf, padded.
    pub fn leaf(&self, index: usize) -> &[Record] {
        let first = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.records[first..self.ends[index]]
    }
}

/// Calls `visit` with every leaf that a box touches, the one that holds its minimum first; bit `29 + axis` of the marks
/// is set if the minimum lies before the leaf.
fn descend(nodes: &[Node], record: &Record, later: &mut Later, visit: &mut impl FnMut(u32, u32)) {
    let (mut child, mut marks, mut waiting) = (0_u32, 0_u32, 0);
    loop {
        while child & LEAF == 0 {
            let Node { axis, cut, children: [below, above] } = nodes[child as usize];
            if record[axis] < cut {
                if record[axis + 4] >= cut {
                    later[waiting] = (above, marks | 1 << (29 + axis));
                    waiting += 1;
                }
                child = below;
            } else {
                child = above;
            }
        }
        visit(child & !LEAF, marks);
        if waiting == 0 {
            return;
        }
        waiting -= 1;
        (child, marks) = later[waiting];
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::Isa;

    use super::{Record, Split};
    use crate::record::{Layout, PADS, pad};
    use crate::region::{Region, Scratch, Threads};

    /// Unit boxes in space at these places, padded.
    fn boxes(places: impl Iterator<Item = [f32; 3]>) -> Vec<Record> {
        let record = |(body, [x, y, z]): (u32, [f32; 3])| {
            Record([x, y, z, f32::from_bits(body), x + 1.0, y + 1.0, z + 1.0, 0.0])
        };
        let mut records: Vec<Record> = (0..).zip(places).map(record).collect();
        let len = records.len();
        records.resize(len + PADS, Record::ZERO);
        pad(&mut records[len..]);
        records
    }

    fn built(records: &[Record]) -> Region {
        let mut region = Region::default();
        let layout = Layout { dimension: 3, layered: false };
        region.build(Isa::choose().expect("one"), layout, records, &mut Scratch::default(), Threads::One);
        region
    }

    /// A jittered lattice of `side` boxes a side, `apart` metres apart.
    fn lattice(side: usize, apart: f32) -> impl Iterator<Item = [f32; 3]> {
        let jitter = |n: usize| (n * 2_654_435_761 % 1009) as f32 / 1009.0;
        let places = (0..side.pow(3)).map(move |n| [n % side, n / side % side, n / side / side]);
        places.map(move |[x, y, z]| {
            [(x, y + z), (y, z + 7 * x), (z, 3 * x + y)].map(|(here, other)| apart * (here as f32 + jitter(other)))
        })
    }

    #[test]
    fn logarithms_are_near() {
        for k in -3000..3000 {
            let x = libm::exp(0.07 * f64::from(k));
            assert!((super::rough_logarithm(x) - 0.07 * f64::from(k)).abs() < 2e-4, "{x}");
        }
    }

    #[test]
    fn even_boxes_are_left_alone() {
        let records = boxes(lattice(28, 1.3));
        assert!(built(&records).tests() < 64.0);
        assert!(!built(&records).cut_apart(3, &records, &mut Split::default()));
        // Many tests, but of boxes that meet.
        let records = boxes(lattice(14, 0.2));
        let region = built(&records);
        assert!(region.tests() > 256.0 && !region.cut_apart(3, &records, &mut Split::default()), "{}", region.tests());
    }

    /// Whichever box it is: also one that is in the grid's sample.
    #[test]
    fn one_far_away_leaves_the_grid_to_the_others() {
        for far in 0..512 {
            let place = |(index, place): (usize, [f32; 3])| if index == far { [1e4, -1e4, 1e4] } else { place };
            let tests = built(&boxes(lattice(8, 1.3).enumerate().map(place))).tests();
            assert!(tests < 64.0, "{far}: {tests}");
        }
    }

    #[test]
    fn uneven_ones_are_cut_apart() {
        let around = || lattice(10, 1e4).map(|place| place.map(|x| x - 5e4));
        let aside = || lattice(20, 1.3).map(|place| place.map(|x| x + 1e6));
        for records in [boxes(lattice(20, 1.3).chain(around())), boxes(lattice(20, 1.3).chain(aside()))] {
            let (region, mut split) = (built(&records), Split::default());
            assert!(region.tests() > 1000.0 && region.cut_apart(3, &records, &mut split), "{}", region.tests());
            let leaves = (0..split.leaves()).map(|leaf| split.leaf(leaf));
            let tests: f64 = leaves.map(|leaf| built(leaf).tests() * leaf.len() as f64).sum();
            assert!(tests < 64.0 * records.len() as f64, "{tests} tests of {} boxes", records.len());
        }
    }
}
