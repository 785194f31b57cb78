//! Dealing boxes out to regions: each block of the input sorts its own boxes by region, so that blocks run in parallel
//! without sharing anything, and a region then collects its pieces in the order of the blocks.

use core::ops::Range;

use jostle_lanes::{Kernel, Lanes};

use crate::bounds::{BoundsError, Columns};
use crate::cuts::Cuts;

/// Boxes per block.
pub(crate) const BLOCK: usize = 16_384;

/// One box: `[lower x, y, z, id, upper x, y, z, marks]`; id and marks are bit patterns, absent axes are zero.
pub(crate) type Record = [f32; 8];
/// Where a record keeps its body's index.
pub(crate) const ID: usize = 3;
/// Where a record keeps its marks: bit `axis` is set if the minimum lies before the region.
pub(crate) const MARKS: usize = 7;

/// A block's boxes, sorted by region.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The records of region `r` are `ends[r - 1]..ends[r]`.
    pub records: Vec<Record>,
    ends: Vec<u32>,
    /// Region and marks of each record to be written, with its body's index within the block.
    places: Vec<(u32, u32)>,
}

impl Block {
    /// This block's records in a region.
    pub fn piece(&self, region: usize) -> &[Record] {
        let first = if region == 0 { 0 } else { self.ends[region - 1] as usize };
        &self.records[first..self.ends[region] as usize]
    }
}

/// Checks the bodies of `range` and deals them out.
pub(crate) struct Deal<'a> {
    pub block: &'a mut Block,
    pub columns: Columns<'a>,
    pub cuts: &'a Cuts,
    pub range: Range<usize>,
}

impl Kernel<f32> for Deal<'_> {
    type Output = Result<(), BoundsError>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> Self::Output {
        let Deal { block, columns, cuts, range } = self;
        columns.validate(range.start, range.end)?;
        let (first, len) = (range.start, range.len());
        block.ends.clear();
        if cuts.regions() == 1 {
            block.records.clear();
            block.records.extend(range.map(|body| record(&columns, body, 0)));
            block.ends.push(len as u32);
            return Ok(());
        }
        block.ends.resize(cuts.regions(), 0);
        block.places.clear();
        let Block { records, ends, places } = block;
        let mut bins = [[[0.0; 256]; 3]; 2];
        for start in range.clone().step_by(256) {
            let end = range.end.min(start + 256);
            for axis in 0..columns.dimension {
                cuts.bins::<L>(axis, &columns.lower[axis][start..end], &mut bins[0][axis]);
                cuts.bins::<L>(axis, &columns.upper[axis][start..end], &mut bins[1][axis]);
            }
            let [lower, upper] = &bins;
            for k in 0..end - start {
                let low = cuts.ticks([lower[0][k], lower[1][k], lower[2][k]]);
                let high = cuts.ticks([upper[0][k], upper[1][k], upper[2][k]]);
                let region = cuts.region(low);
                let local = (start + k - first) as u32;
                if region == cuts.region(high) {
                    places.push((u32::from(region), local));
                } else {
                    cuts.straddle(low, high, local, places);
                }
            }
        }
        for &(region, _) in places.iter() {
            ends[region as usize] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            (*end, sum) = (sum, sum + *end);
        }
        records.resize(places.len(), [0.0; 8]);
        for &(region, local) in places.iter() {
            let body = first + (local & 0x1FFF_FFFF) as usize;
            let slot = &mut ends[region as usize];
            records[*slot as usize] = record(&columns, body, local >> 29);
            *slot += 1;
        }
        Ok(())
    }
}

#[inline(always)]
fn corners(columns: &Columns<'_>, body: usize) -> ([f32; 3], [f32; 3]) {
    let z = columns.dimension == 3;
    let pick = |of: &[&[f32]; 3]| [of[0][body], of[1][body], if z { of[2][body] } else { 0.0 }];
    (pick(&columns.lower), pick(&columns.upper))
}

#[inline(always)]
fn record(columns: &Columns<'_>, body: usize, marks: u32) -> Record {
    let (l, u) = corners(columns, body);
    [l[0], l[1], l[2], f32::from_bits(body as u32), u[0], u[1], u[2], f32::from_bits(marks)]
}
