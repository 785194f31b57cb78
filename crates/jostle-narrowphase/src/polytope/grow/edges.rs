//! The edges around the hole that taking faces away leaves: new faces rise from them. (In the plane: the two ends of the gap.)

use jostle_lanes::{Lanes, Mask};
use jostle_shape::MAX_WIDTH;

/// The corners of a face: the numbers of three points, so that it is seen counterclockwise from outside. In the plane they are two: the last says nothing.
pub type Face = [u8; 3];

/// The faces that a point is in front of.
#[derive(Debug)]
pub struct Seen<'s> {
    /// The corners of all.
    pub corners: &'s [Face],
    /// A bit for each.
    pub bits: &'s [u64],
}

/// The most edges of what is taken away at once, each as often as it is passed.
const PASSED: usize = 96;

/// Whole registers are read and written behind the last.
pub const PADDED: usize = PASSED + MAX_WIDTH;

/// Edges of a surface, by the numbers of their points.
#[derive(Clone, Debug)]
pub struct Edges {
    /// Those that are passed, as words, and the same bytes in reverse order.
    passed: [u32; PADDED],
    back: [u32; PADDED],
    passes: usize,
    /// Those around the hole.
    rim: [u32; PADDED],
    count: usize,
}

/// The end of an edge as a word has it: its number and the complement.
#[inline(always)]
fn end(number: u8) -> u32 {
    u32::from(number) | u32::from(!number) << 16
}

/// An edge as a word: the bytes are where it begins and ends, and the complements of both.
#[inline(always)]
fn word(from: u32, to: u32) -> u32 {
    from | to << 8
}

impl Edges {
    /// None.
    pub const NONE: Self = Self { passed: [0; PADDED], back: [0; PADDED], passes: 0, rim: [0; PADDED], count: 0 };

    /// Forgets all.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Those around the hole, as words whose first two bytes are where they begin and end.
    #[inline(always)]
    pub fn rim(&self) -> &[u32] {
        &self.rim[..self.count.min(PASSED)]
    }

    /// Around the hole are these two.
    #[inline(always)]
    pub fn set(&mut self, [one, other]: [[u8; 2]; 2]) {
        let word = |[from, to]: [u8; 2]| word(end(from), end(to));
        (self.rim[0], self.rim[1], self.count) = (word(one), word(other), 2);
    }

    /// Passes the edges of triangles. False if there is no room for them.
    #[inline(always)]
    pub fn pass(&mut self, seen: &Seen<'_>) -> bool {
        let (mut passes, mut all) = (0, true);
        for (&bits, corners) in seen.bits.iter().zip(seen.corners.chunks(64)) {
            let mut bits = bits;
            while bits != 0 && passes <= PASSED - 3 {
                let [i, j, k] = corners[bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let (i, j, k) = (end(i), end(j), end(k));
                let words = [word(i, j), word(j, k), word(k, i)];
                self.passed[passes..passes + 3].copy_from_slice(&words);
                self.back[passes..passes + 3].copy_from_slice(&words.map(u32::swap_bytes));
                passes += 3;
            }
            all &= bits == 0;
        }
        self.passes = passes;
        all
    }

    /// Around the hole are those that are passed one way only.
    ///
    /// Each edge's way back is looked for among all of them at once: the bytes of its word in reverse order have no bit in common with the word of the
    /// way back, and with no other. There is nothing to guess but how many faces are seen.
    #[inline(always)]
    pub fn keep_one_way<L: Lanes>(&mut self) {
        let (passed, mut start) = (self.passes.min(PASSED), 0);
        self.count = 0;
        while start < passed {
            let mut inside = L::Mask::splat(false);
            for &back in &self.back[..passed] {
                inside = inside | L::bits_disjoint(&self.passed[start..], back);
            }
            let there = L::Mask::from_bits(u32::MAX >> (32 - L::WIDTH.min(passed - start)));
            self.count += L::left_pack(there & !inside, &self.passed[start..], &mut self.rim[self.count..]);
            start += L::WIDTH;
        }
    }

    /// Whether two edges around the hole begin in the same point.
    #[inline(always)]
    pub fn meet(&self) -> bool {
        // Two holes have six.
        if self.count < 6 {
            return false;
        }
        let (mut once, mut twice) = (0_u128, 0);
        for &word in self.rim() {
            let from = 1 << (word % u128::BITS);
            twice |= once & from;
            once |= from;
        }
        twice != 0
    }
}
