//! The lane trait: what a kernel may do with a number, whatever the number of lanes behind it.
//!
//! `f32` and `f64` are lanes of width 1: the readable reference. Every other type gives the same bits as the scalar
//! does, lane by lane: no fused multiply-add, no reciprocal estimates, `min`/`max` defined as selects.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

pub(crate) mod private {
    /// Keeps [`super::Lanes`] and [`super::Mask`] closed: the vector types are reachable only through `dispatch`,
    /// which has made sure that the machine can execute them.
    pub trait Sealed {}
}

/// One boolean per lane.
pub trait Mask:
    private::Sealed
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The same boolean in every lane.
    fn splat(value: bool) -> Self;
    /// True if at least one lane is true.
    fn any(self) -> bool;
    /// True if every lane is true.
    fn all(self) -> bool;
    /// Lane `i` as bit `i`; bits at and above the width are zero.
    fn to_bits(self) -> u32;
    /// The inverse of [`Mask::to_bits`]; bits at and above the width are ignored.
    fn from_bits(bits: u32) -> Self;
}

/// `WIDTH` floating point numbers that go the same way at once.
///
/// All operations act lane by lane and equal the scalar operation bit for bit (NaN payloads aside).
pub trait Lanes:
    private::Sealed
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number in one lane: `f32` or `f64`.
    type Scalar: Scalar;
    /// What a comparison gives.
    type Mask: Mask;
    /// How many numbers one value holds: 1, 2, 4, 8 or 16.
    const WIDTH: usize;

    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// The first `WIDTH` numbers of `source`.
    ///
    /// # Panics
    /// If `source` is shorter than `WIDTH`.
    fn load(source: &[Self::Scalar]) -> Self;
    /// Writes the lanes over the first `WIDTH` numbers of `target`.
    ///
    /// # Panics
    /// If `target` is shorter than `WIDTH`.
    fn store(self, target: &mut [Self::Scalar]);
    /// Lane by lane from a function of the lane's index.
    fn from_fn(f: impl FnMut(usize) -> Self::Scalar) -> Self;
    /// The number in lane `index`. Slow: for edges of kernels, not their middle.
    ///
    /// # Panics
    /// If `index` is not below `WIDTH`.
    fn lane(self, index: usize) -> Self::Scalar;

    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// The absolute value (clears the sign bit).
    fn abs(self) -> Self;
    /// `if self < other { self } else { other }`: `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// The magnitude of `self` with the sign bit of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`; false where either is NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// `self >= other`; false where either is NaN.
    fn ge(self, other: Self) -> Self::Mask;
    /// `self == other`; false where either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `a` where `mask` is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// The smallest lane (no lane may be NaN; -0.0 and 0.0 are equals, either may come back).
    fn reduce_min(self) -> Self::Scalar;
    /// The largest lane (no lane may be NaN; -0.0 and 0.0 are equals, either may come back).
    fn reduce_max(self) -> Self::Scalar;

    /// Copies those of the first `WIDTH` `words` whose lane is true to the front of `target`, in order, and says how
    /// many there were. What lies behind them in `target[..WIDTH]` may be overwritten.
    ///
    /// # Panics
    /// If either slice is shorter than `WIDTH`.
    fn left_pack(mask: Self::Mask, words: &[u32], target: &mut [u32]) -> usize;
    /// True in each lane whose word has no bit in common with `probe`.
    ///
    /// # Panics
    /// If `words` is shorter than `WIDTH`.
    fn bits_disjoint(words: &[u32], probe: u32) -> Self::Mask;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::ZERO)
    }
    /// One in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(Self::Scalar::ONE)
    }
    /// A constant in every lane, rounded to the lane's type.
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(value))
    }
}

/// A number that fills one lane: `f32` or `f64`, each also the lane type of width 1.
pub trait Scalar:
    Lanes<Scalar = Self, Mask = bool>
    + PartialOrd
    + PartialEq
    + Default
    + bytemuck::Pod
    + core::fmt::Display
    + core::fmt::LowerExp
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The unit round-off: half the distance from 1 to the next number (2^-24, 2^-53).
    const UNIT_ROUNDOFF: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The name that the command line uses: `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Rounds to nearest.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// The largest number of this type that is not above `value`.
    fn round_down(value: f64) -> Self;
    /// The smallest number of this type that is not below `value`.
    fn round_up(value: f64) -> Self;
    /// True for numbers that are neither infinite nor NaN.
    fn finite(self) -> bool;

    #[doc(hidden)]
    fn run_on<K: crate::Kernel<Self>>(isa: crate::Isa, kernel: K) -> K::Output;
}
