//! Random numbers for the tests of this crate.

#[path = "../../../../tests/src/split_mix.rs"]
mod split_mix;

use split_mix::SplitMix64;

/// A stream of random numbers.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
    /// Uniform in -1..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
