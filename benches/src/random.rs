//! Seeded random numbers: `SplitMix64` (Steele, Lea, Flood 2014), written out so that a scene stays the same for good.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
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
