//! The edges around the hole that taking faces away leaves: new faces rise from them. (In the plane: the two ends of
//! the gap.)

use jostle_lanes::{Lanes, Mask};
use jostle_shape::MAX_WIDTH;

/// The corners of a face: the numbers of three points, so that it is seen counterclockwise from outside. In the plane
/// they are two: the last says nothing.
pub type FaceCorners = [u8; 3];

/// A face as a word: the bytes are its corners, and the first once more.
#[inline(always)]
const fn face([i, j, k]: FaceCorners) -> u32 {
    u32::from_le_bytes([i, j, k, i])
}

/// Some faces as words, and what means nothing behind them.
pub const fn faces(corners: &[FaceCorners]) -> [u32; 4] {
    let (mut words, mut k) = ([0; 4], 0);
    while k < corners.len() {
        words[k] = face(corners[k]);
        k += 1;
    }
    words
}

/// A word's corners.
#[inline(always)]
pub const fn corners(face: u32) -> FaceCorners {
    let [i, j, k, _] = face.to_le_bytes();
    [i, j, k]
}

/// The most faces that are taken away at once.
const TAKEN: usize = 32;

/// The most edges of these, each as often as it is passed.
const PASSED: usize = 3 * TAKEN;

/// So many ways back are looked for at once: those of two faces.
const AT_ONCE: usize = 6;

/// Whole registers are read and written behind the last.
const PADDED_WORDS: usize = PASSED + 2 * MAX_WIDTH;

/// Edges of a surface, by the numbers of their points.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Edges {
    /// The faces that are taken away.
    taken: [u32; TAKEN + MAX_WIDTH],
    faces: usize,
    /// Their edges, as words.
    passed: [u32; PADDED_WORDS],
    passes: usize,
    /// Those around the hole.
    rim: [u32; PADDED_WORDS],
    count: usize,
}

/// The edge between the points whose numbers are a word's first two bytes, as a word: where it begins and ends, and the
/// complements of both.
#[inline(always)]
const fn edge(ends: u32) -> u32 {
    let ends = ends & 0xffff;
    ends | (ends ^ 0xffff) << 16
}

/// Each word put through `of`, into a new array. (Not in place: only of an array of its own can the compiler tell that
/// writing to it does not change what is still to be read.)
#[inline(always)]
pub fn each(words: &[u32; MAX_WIDTH], of: impl Fn(u32) -> u32) -> [u32; MAX_WIDTH] {
    let mut each = *words;
    for word in &mut each {
        *word = of(*word);
    }
    each
}

/// A register's words from a place on.
#[inline(always)]
fn words_from(words: &[u32], start: usize) -> &[u32; MAX_WIDTH] {
    words[start..].first_chunk().expect("padded")
}

/// The face between an edge and a point.
#[inline(always)]
pub fn rise(edge: u32, apex: u8) -> u32 {
    edge & 0xffff | u32::from(apex) << 16 | edge << 24
}

impl Edges {
    /// None.
    pub const NONE: Self = Self {
        taken: [0; TAKEN + MAX_WIDTH],
        faces: 0,
        passed: [0; PADDED_WORDS],
        passes: 0,
        rim: [0; PADDED_WORDS],
        count: 0,
    };

    /// Forgets all.
    #[inline(always)]
    pub fn clear(&mut self) {
        (self.faces, self.passes, self.count) = (0, 0, 0);
    }

    /// Those around the hole, as words whose first two bytes are where they begin and end.
    #[inline(always)]
    pub fn rim(&self) -> &[u32] {
        &self.rim[..self.count.min(PASSED)]
    }

    /// The words from a place on, with what may be behind the last.
    #[inline(always)]
    pub fn words(&self, start: usize) -> &[u32; MAX_WIDTH] {
        self.rim[start.min(PASSED)..].first_chunk().expect("padded")
    }

    /// Around the hole are these two.
    #[inline(always)]
    pub fn set(&mut self, [one, other]: [[u8; 2]; 2]) {
        let word = |[from, to]: [u8; 2]| edge(u32::from_le_bytes([from, to, 0, 0]));
        (self.rim[0], self.rim[1], self.count) = (word(one), word(other), 2);
    }

    /// Takes away those of W faces that are true: the first of `words`.
    #[inline(always)]
    pub fn take<L: Lanes>(&mut self, those: L::Mask, words: &[u32]) {
        self.faces += L::left_pack(those, words, &mut self.taken[self.faces.min(TAKEN)..]);
    }

    /// The faces that were taken away. None if there is no room for so many.
    #[inline(always)]
    pub fn taken(&self) -> Option<&[u32]> {
        self.taken[..TAKEN].get(..self.faces)
    }

    /// Passes the edges of what was taken away: first the first of all, then the second, then the third, so that they
    /// come in the same order at any width. (By itself, as are the two steps around it: what was just written in pieces
    /// would be waited for.)
    #[inline(always)]
    pub fn pass(&mut self) {
        let (taken, passed) = (self.faces.min(TAKEN), &mut self.passed);
        for side in 0..3 {
            let mut start = 0;
            while start < taken {
                let at = side * taken + start;
                let edges = each(
                    words_from(&self.taken, start),
                    #[inline(always)]
                    |face| edge(face >> (8 * side)),
                );
                passed[at..at + MAX_WIDTH].copy_from_slice(&edges);
                start += MAX_WIDTH;
            }
        }
        self.passes = 3 * taken;
        // Nothing's way back.
        passed[3 * taken..3 * taken + AT_ONCE].fill(u32::MAX);
    }

    /// Around the hole are those that are passed one way only.
    ///
    /// Each edge's way back is looked for among all of them at once: the bytes of its word in reverse order have no bit
    /// in common with the word of the way back, and with no other. There is nothing to guess but how many faces are
    /// taken away.
    #[inline(always)]
    pub fn keep_one_way<L: Lanes>(&mut self) {
        let (passed, mut start) = (self.passes.min(PASSED), 0);
        self.count = 0;
        while start < passed {
            let mut inside = L::Mask::splat(false);
            let back = each(
                words_from(&self.passed, start),
                #[inline(always)]
                |word| word.swap_bytes(),
            );
            let mut at = 0;
            while at < passed {
                for &word in &self.passed[at..at + AT_ONCE] {
                    inside = inside | L::bits_disjoint(&back, word);
                }
                at += AT_ONCE;
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
        // A bit for each of up to 128 points.
        let (mut low, mut high) = (0_u64, 0_u64);
        for &word in self.rim() {
            let (bit, upper) = (1 << (word & 63), u64::from(word >> 6 & 1));
            low |= bit & upper.wrapping_sub(1);
            high |= bit & upper.wrapping_neg();
        }
        ((low.count_ones() + high.count_ones()) as usize) < self.count
    }
}
