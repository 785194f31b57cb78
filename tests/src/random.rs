//! Random numbers that are the same on every machine, or are chosen by a fuzzer.

use crate::split_mix::SplitMix64;

/// Bits of given bytes, if there are any, and then of `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Random {
    rest: SplitMix64,
    /// Bytes that are drawn first, two per number, from the end.
    bytes: Vec<u8>,
}

impl Random {
    /// Seeded; equal seeds draw equal numbers.
    pub fn new(seed: u64) -> Self {
        let rest = SplitMix64(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x6a09_e667_f3bc_c909);
        Self { rest, bytes: Vec::new() }
    }
    /// Numbers from bytes, while there are any: two bytes are the highest bits of a number, so that equal bytes draw
    /// equal numbers and round ones are likely.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.iter().rev().copied().collect(), ..Self::new(0) }
    }
    /// Whether no bytes are left.
    pub fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        if let Some(high) = self.bytes.pop() {
            return u64::from(high) << 56 | u64::from(self.bytes.pop().unwrap_or(0)) << 48;
        }
        self.rest.bits()
    }
    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
    /// From `low` to below `high`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// From `low` to `high`, both above zero, with its logarithm uniform.
    pub fn log(&mut self, low: f64, high: f64) -> f64 {
        libm::exp2(self.range(libm::log2(low), libm::log2(high)))
    }
    /// From 0 to below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }
    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
    /// 1 or -1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }
    /// One of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
