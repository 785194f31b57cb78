//! Seeded random numbers: a scene stays the same for good.

#[path = "../../tests/src/split_mix.rs"]
mod split_mix;

use split_mix::SplitMix64;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// At least `from`, less than `to`.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        from + unit * (to - from)
    }

    /// Less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A unit vector of `N` components, every direction as likely as any other.
    pub fn direction<const N: usize>(&mut self) -> [f64; N] {
        loop {
            let vector: [f64; N] = core::array::from_fn(|_| self.between(-1.0, 1.0));
            let squared: f64 = vector.iter().map(|x| x * x).sum();
            if squared > 1e-4 && squared <= 1.0 {
                let share = 1.0 / squared.sqrt();
                return vector.map(|x| x * share);
            }
        }
    }

    /// Standard normal, near enough: the sum of twelve.
    pub fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.between(-0.5, 0.5)).sum()
    }

    /// Puts `items` in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
