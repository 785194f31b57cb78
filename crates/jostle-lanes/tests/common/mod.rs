//! What the tests of lanes have in common: the instruction sets of this machine, and numbers that are nasty.

use jostle_lanes::{Isa, Scalar};

use crate::random::Random;

/// The instruction sets of this machine. Those named in `JOSTLE_TEST_WITHOUT` (separated by commas) are left out, for
/// memory checkers that do not support them.
pub fn instruction_sets() -> Vec<Isa> {
    let without = std::env::var("JOSTLE_TEST_WITHOUT").unwrap_or_default();
    let wanted = |isa: &Isa| isa.available() && !without.split(',').any(|name| name == isa.name());
    let found: Vec<Isa> = Isa::ALL.into_iter().filter(wanted).collect();
    println!("instruction sets under test: {found:?}");
    found
}

/// What the tests need to know of `f32` and `f64` beyond [`Scalar`].
pub trait Number: Scalar {
    fn from_random_bits(bits: u64) -> Self;
    fn nasty() -> Vec<Self>;
    /// The bits, with one NaN for all.
    fn key(self) -> u64;
}

macro_rules! number {
    ($t:ident) => {
        impl Number for $t {
            fn from_random_bits(bits: u64) -> Self {
                $t::from_bits(bits as _)
            }
            fn nasty() -> Vec<Self> {
                let positive = [
                    0.0,
                    $t::from_bits(1),
                    $t::MIN_POSITIVE.next_down(),
                    $t::MIN_POSITIVE,
                    $t::EPSILON,
                    1.0 - $t::EPSILON,
                    1.0,
                    1.0 + $t::EPSILON,
                    1.0 / 3.0,
                    2.0,
                    1e5,
                    $t::MAX.sqrt(),
                    $t::MAX / 2.0,
                    $t::MAX,
                    $t::INFINITY,
                    $t::NAN,
                ];
                positive.into_iter().flat_map(|x| [x, -x]).collect()
            }
            fn key(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
        }
    };
}

number!(f32);
number!(f64);

/// Columns of `rows` numbers: in the first two all pairs of nasty numbers come first; then one half nasty, a quarter
/// ordinary, a quarter random bits, mixed within each row.
pub fn columns<T: Number>(count: usize, rows: usize) -> Vec<Vec<T>> {
    let (nasty, mut random) = (T::nasty(), Random::new(7));
    let n = nasty.len();
    assert!(rows >= n * n && rows.is_multiple_of(16));
    let mut number = |column: usize, row: usize| match (column, random.below(4)) {
        (0, _) if row < n * n => nasty[row / n],
        (1, _) if row < n * n => nasty[row % n],
        // Later rows of wide operations are all ordinary: among nasty numbers nearly every sum is NaN.
        (_, 0 | 1) if row < rows / 2 => nasty[random.below(n)],
        (_, 2) if row < rows / 2 => T::from_random_bits(random.next()),
        _ => T::from_f64(random.unit() * [1e-3, 1.0, 50.0][random.below(3)]),
    };
    (0..count).map(|column| (0..rows).map(|row| number(column, row)).collect()).collect()
}
