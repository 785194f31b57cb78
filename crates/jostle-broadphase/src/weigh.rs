//! Which regions are crowded: so many of their boxes overlap each other that several tasks have to share the work, and
//! that the pairs should not all be in memory at once.
//!
//! All other regions are built only when they are scanned, by the task that scans them, so that their columns never
//! leave its cache and take no memory of their own.

use jostle_lanes::{Isa, Kernel, Lanes, Mask, dispatch_on};

use crate::record::{PADS, Record};
use crate::sample::pick;

/// About the most pairs of a region that is not crowded.
const CROWDED_PAIRS: u64 = 1 << 22;
/// How many boxes are sampled.
const SAMPLED_BOXES: usize = 256;
const _: () = assert!(CROWDED_PAIRS >= (SAMPLED_BOXES * SAMPLED_BOXES / 2) as u64, "fewer boxes cannot be sampled");

/// Whether a region of `len` boxes is crowded, estimated from samples.
struct IsCrowded<'a> {
    len: usize,
    samples: &'a [[f32; SAMPLED_BOXES]; 8],
}

/// Whether a region of `len` boxes is crowded, estimated from a few hundred of them. Its records are the concatenation
/// of `pieces`, which is iterated once: there are as many pieces as the scene has blocks.
pub(crate) fn is_crowded<'a>(isa: Isa, len: usize, mut pieces: impl Iterator<Item = &'a [Record]>) -> bool {
    // Too few boxes in any case?
    if len as u64 * len as u64 / 2 <= CROWDED_PAIRS {
        return false;
    }
    let mut samples = [[0.0; SAMPLED_BOXES]; 8];
    let (mut piece, mut before): (&[Record], _) = (&[], 0);
    for k in 0..SAMPLED_BOXES {
        // Picks ascend.
        let index = pick(k, SAMPLED_BOXES, len);
        while index >= before + piece.len() {
            before += piece.len();
            piece = pieces.next().unwrap_or_else(|| unreachable!("one of the region's records"));
        }
        for (column, number) in samples.iter_mut().zip(*piece[index - before]) {
            column[k] = number;
        }
    }
    dispatch_on(isa, IsCrowded { len, samples: &samples })
}

impl Kernel<f32> for IsCrowded<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> bool {
        let columns = self.samples;
        // Each sample is tested against itself and those behind it, and against a few before it: the same ones for any
        // lane width.
        let mut meetings = 0;
        for a in 0..SAMPLED_BOXES {
            for first in (a / PADS * PADS..SAMPLED_BOXES).step_by(L::WIDTH) {
                let mut hit = L::Mask::splat(true);
                for axis in 0..3 {
                    let (lower, upper) = (L::load(&columns[axis][first..]), L::load(&columns[axis + 4][first..]));
                    hit = hit & lower.le(L::splat(columns[axis + 4][a])) & upper.ge(L::splat(columns[axis][a]));
                }
                meetings += u64::from(hit.to_bits().count_ones());
            }
        }
        let meetings = meetings - SAMPLED_BOXES as u64;
        let len = self.len as u128;
        u128::from(meetings) * len * len / (SAMPLED_BOXES * SAMPLED_BOXES) as u128 > u128::from(CROWDED_PAIRS)
    }
}
