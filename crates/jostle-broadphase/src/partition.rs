//! Dealing boxes out to regions: each block of the input sorts its own boxes by region, so that blocks run in parallel
//! without sharing anything. A region then collects its pieces in the order of the blocks.

use core::ops::Range;

use jostle_lanes::{Kernel, Lanes};

use crate::bounds::{BoundsError, Columns};
use crate::cuts::{BOXES_AT_ONCE, Cuts};
use crate::record::{INDEX_BITS, PADS, Record};

/// Boxes per block.
pub(crate) const BOXES_PER_BLOCK: usize = 16_384;

/// A block's boxes, sorted by region.
#[derive(Debug, Default)]
pub(crate) struct BoxBlock {
    /// The records of region `r` are `ends[r - 1]..ends[r]`.
    pub records: Vec<Record>,
    ends: Vec<u32>,
    /// The region of each body, or the number behind the last region if it touches several.
    homes: Vec<u16>,
    /// For bodies that touch several regions: each region, and the place in the block with marks.
    straddlers: Vec<(u32, u32)>,
}

impl BoxBlock {
    /// This block's records in a region.
    pub fn piece(&self, region: usize) -> &[Record] {
        let first = if region == 0 { 0 } else { self.ends[region - 1] as usize };
        &self.records[first..self.ends[region] as usize]
    }
}

/// Combines the results of two pieces: the furthest bound of both, or the first refusal.
pub(crate) fn furthest(one: Result<f32, BoundsError>, two: Result<f32, BoundsError>) -> Result<f32, BoundsError> {
    Ok(one?.max(two?))
}

/// Checks the bodies of `range` and deals them out; returns how far the furthest bound is from the origin.
pub(crate) struct Deal<'a> {
    pub block: &'a mut BoxBlock,
    pub columns: Columns<'a>,
    pub cuts: &'a Cuts,
    pub range: Range<usize>,
}

impl Kernel<f32> for Deal<'_> {
    type Output = Result<f32, BoundsError>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> Self::Output {
        if self.columns.dimension == 3 { self.deal::<L, 3>() } else { self.deal::<L, 2>() }
    }
}

impl Deal<'_> {
    #[inline(always)]
    fn deal<L: Lanes<Scalar = f32>, const D: usize>(self) -> Result<f32, BoundsError> {
        let Deal { block, columns, cuts, range } = self;
        let (first, len) = (range.start, range.len());
        block.ends.clear();
        // One more region, which is never read: boxes that touch several regions are stored there as well, which costs
        // less than to leave them out.
        let nowhere = cuts.regions() as u16;
        block.ends.resize(cuts.regions() + 1, 0);
        block.homes.resize(BOXES_PER_BLOCK, 0);
        let BoxBlock { records, ends, homes, straddlers } = block;
        straddlers.clear();
        let finder = cuts.finder();
        let mut sound = true;
        let (mut lower, mut upper) = ([[0; BOXES_AT_ONCE]; 3], [[0; BOXES_AT_ONCE]; 3]);
        for (homes, start) in homes.chunks_exact_mut(BOXES_AT_ONCE).zip(range.clone().step_by(BOXES_AT_ONCE)) {
            let end = range.end.min(start + BOXES_AT_ONCE);
            for axis in 0..D {
                let (l, u) = (&columns.lower[axis][start..end], &columns.upper[axis][start..end]);
                sound &= cuts.bins::<L>(axis, l, u, &mut lower[axis], &mut upper[axis]);
            }
            let (mut several, mut found) = ([0_u32; BOXES_AT_ONCE], 0);
            for k in 0..(end - start).min(BOXES_AT_ONCE) {
                let (first, last) = (finder.region::<D>(&lower, k), finder.region::<D>(&upper, k));
                several[found & (BOXES_AT_ONCE - 1)] = k as u32;
                found += usize::from(first != last);
                let home = if first == last { first } else { nowhere };
                homes[k] = home;
                ends[usize::from(home)] += 1;
            }
            for &k in &several[..found] {
                let (k, local) = (k as usize & (BOXES_AT_ONCE - 1), (start - first) as u32 + k);
                let low = [lower[0][k], lower[1][k], lower[2][k]];
                let high = [upper[0][k], upper[1][k], upper[2][k]];
                cuts.straddle(low, high, local, straddlers);
            }
        }
        if !sound {
            columns.validate(range.start, range.end)?;
        }
        for &(region, _) in straddlers.iter() {
            ends[region as usize] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            (*end, sum) = (sum, sum + *end);
        }
        if records.len() < sum as usize {
            records.resize(sum as usize, Record::ZERO);
        }
        let (ends, records) = (&mut ends[..], &mut records[..]);
        let mut rows = [Record::ZERO; BOXES_AT_ONCE];
        let mut furthest = 0.0_f32;
        for (part, homes) in homes[..len].chunks(BOXES_AT_ONCE).enumerate() {
            let rows = &mut rows[..homes.len()];
            furthest = furthest.max(records_of::<L, D>(&columns, first + part * BOXES_AT_ONCE, rows));
            for (&home, &row) in homes.iter().zip(&*rows) {
                let slot = &mut ends[usize::from(home)];
                records[*slot as usize] = row;
                *slot += 1;
            }
        }
        for &(region, place) in straddlers.iter() {
            let slot = &mut ends[region as usize];
            let body = first + (place & INDEX_BITS) as usize;
            records[*slot as usize] = record::<D>(&columns, body, body as u32 | place & !INDEX_BITS);
            *slot += 1;
        }
        Ok(furthest)
    }
}

/// Checks the bodies from `first` on, as many as there are `records`, and writes their records; returns how far the
/// furthest bound is from the origin.
pub(crate) struct MakeRecords<'a> {
    pub columns: Columns<'a>,
    pub first: usize,
    pub records: &'a mut [Record],
}

impl Kernel<f32> for MakeRecords<'_> {
    type Output = Result<f32, BoundsError>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> Self::Output {
        let MakeRecords { columns, first, records } = self;
        columns.validate(first, first + records.len())?;
        Ok(if columns.dimension == 3 {
            records_of::<L, 3>(&columns, first, records)
        } else {
            records_of::<L, 2>(&columns, first, records)
        })
    }
}

/// The same stretch of each column; of the third only in space.
#[inline(always)]
fn piece<'a, const D: usize>(columns: &[&'a [f32]; 3], first: usize, len: usize) -> [&'a [f32]; 3] {
    let z = if D == 3 { &columns[2][first..][..len] } else { &columns[2][..0] };
    [&columns[0][first..][..len], &columns[1][first..][..len], z]
}

/// Writes the records of the bodies from `first` on, as many as `records` has room for; returns how far the furthest of
/// their bounds is from the origin.
#[inline(always)]
fn records_of<L: Lanes<Scalar = f32>, const D: usize>(
    columns: &Columns<'_>,
    first: usize,
    records: &mut [Record],
) -> f32 {
    let len = records.len();
    // The least of all lower bounds and negated upper bounds.
    let mut least = L::zero();
    let [l0, l1, l2] = piece::<D>(&columns.lower, first, len);
    let [u0, u1, u2] = piece::<D>(&columns.upper, first, len);
    let mut k = 0;
    while k + L::WIDTH <= len {
        let mut words = [0_u32; PADS];
        for (i, word) in words.iter_mut().enumerate() {
            *word = (first + k + i) as u32;
        }
        let word = L::load(bytemuck::cast_slice(&words));
        let mut layer = L::zero();
        if !columns.layers.is_empty() {
            let mut bits = [0_u32; PADS];
            for (i, bit) in bits[..L::WIDTH].iter_mut().enumerate() {
                *bit = columns.layers.bit(first + k + i);
            }
            layer = L::load(bytemuck::cast_slice(&bits));
        }
        let (l2, u2) = if D == 3 { (L::load(&l2[k..]), L::load(&u2[k..])) } else { (L::zero(), L::zero()) };
        let (l0, l1, u0, u1) = (L::load(&l0[k..]), L::load(&l1[k..]), L::load(&u0[k..]), L::load(&u1[k..]));
        least = least.min(l0.min(l1).min(l2)).min((-u0).min(-u1).min(-u2));
        let rows = L::to_rows(&[l0, l1, l2, word, u0, u1, u2, layer]);
        for (i, record) in records[k..k + L::WIDTH].iter_mut().enumerate() {
            *record = Record(rows[i]);
        }
        k += L::WIDTH;
    }
    let mut furthest = -least.reduce_min();
    while k < len {
        records[k] = record::<D>(columns, first + k, (first + k) as u32);
        furthest = furthest.max(records[k].furthest());
        k += 1;
    }
    furthest
}

impl Columns<'_> {
    /// The record of a body.
    pub fn record(&self, body: usize) -> Record {
        if self.dimension == 3 { record::<3>(self, body, body as u32) } else { record::<2>(self, body, body as u32) }
    }
}

#[inline(always)]
fn record<const D: usize>(columns: &Columns<'_>, body: usize, word: u32) -> Record {
    let (lower, upper) = (&columns.lower, &columns.upper);
    let z = if D == 3 { [lower[2][body], upper[2][body]] } else { [0.0; 2] };
    let (word, layer) = (f32::from_bits(word), f32::from_bits(columns.layers.bit(body)));
    Record([lower[0][body], lower[1][body], z[0], word, upper[0][body], upper[1][body], z[1], layer])
}
