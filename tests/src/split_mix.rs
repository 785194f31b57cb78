//! `SplitMix64` (Steele, Lea, Flood 2014), written out so that everything drawn with it stays the same for good.
//!
//! Tests and benchmarks of other crates include this file by its path: a crate for a dozen lines would be one more
//! dependency of the lowest crates. How bits become numbers differs between them, and is defined in each.

/// A stream of random bits; its seed is the state.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
