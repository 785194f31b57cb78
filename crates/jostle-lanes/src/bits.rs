//! Iteration over the bits of masks.
//!
//! Which lanes of a mask are true cannot be predicted. A loop over all lanes with a branch for each mispredicts
//! whenever a lane is true and the last was not (some 20 cycles). A loop from one set bit to the next mispredicts once,
//! at its end.

/// The places of the bits that are set, from the lowest on; all of them are below `BELOW`, a power of two. (Otherwise
/// the compiler cannot know that such a place is within an array of sixteen, and would check it.)
///
/// ```
/// use jostle_lanes::set_bits;
///
/// let squares = [0, 1, 4, 9, 16, 25, 36, 49];
/// let mut some = Vec::new();
/// for place in set_bits::<8>(0b1001_0010_u32) {
///     some.push(squares[place]);
/// }
/// assert_eq!(some, [1, 16, 49]);
/// assert!(set_bits::<64>(1_u64 << 63).eq([63]));
/// ```
///
/// # Panics
/// In builds with debug assertions, if a bit is not below `BELOW`.
#[inline(always)]
pub fn set_bits<const BELOW: usize>(bits: impl Into<u64>) -> SetBits<BELOW> {
    const { assert!(BELOW.is_power_of_two() && BELOW <= 64, "a power of two, at most 64") }
    let bits = bits.into();
    debug_assert!(bits == 0 || bits.ilog2() < BELOW as u32, "a bit that is not below");
    SetBits(bits)
}

/// The iterator of [`set_bits`].
#[derive(Clone, Debug)]
pub struct SetBits<const BELOW: usize>(u64);

impl<const BELOW: usize> Iterator for SetBits<BELOW> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let Self(left) = self;
        if *left == 0 {
            return None;
        }
        let place = left.trailing_zeros() as usize;
        *left &= *left - 1;
        Some(place % BELOW)
    }
}

/// The lowest `count` bits, at most 32: the lanes that a packet of `count` pairs fills.
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
