//! What masks say, bit by bit.
//!
//! Which lanes of a mask are true nobody can foresee. To look at all of them, with a branch for each, is to guess wrong
//! each time one is and the last was not (some 20 cycles); to go from one to the next is to guess wrong once, at the
//! end.

/// Visits the places of the bits that are set, from the lowest on.
///
/// ```
/// let mut places = Vec::new();
/// jostle_lanes::each_bit(0b1001_0010, |place| places.push(place));
/// assert_eq!(places, [1, 4, 7]);
/// ```
#[inline(always)]
pub fn each_bit(bits: u64, mut visit: impl FnMut(usize)) {
    let mut left = bits;
    while left != 0 {
        visit(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// The lowest `count` bits, at most 32: the lanes that a packet of so many pairs fills.
///
/// ```
/// assert_eq!(jostle_lanes::first_bits(3), 0b111);
/// assert_eq!((jostle_lanes::first_bits(0), jostle_lanes::first_bits(32)), (0, u32::MAX));
/// ```
///
/// # Panics
/// If `count` is 64 or more, in builds that check for overflow.
#[inline(always)]
pub fn first_bits(count: usize) -> u32 {
    ((1_u64 << count) - 1) as u32
}
