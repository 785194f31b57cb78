//! The portable back end: 128-bit vectors of `wide` (SSE2, NEON, wasm SIMD, or plain numbers).
//!
//! It is compiled for the plain target, so nothing here depends on detection, and there is no `unsafe`. `wide` picks
//! its code when it is compiled; wider vectors of it would be pairs of these, and slower.
//!
//! Each operation of `wide` is a nested call that the compiler has to inline into every kernel, its arguments in memory
//! until then. So operations are made of few others: a select of three, not four, and nothing with `!`, which goes
//! through bytes there.

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use crate::each::{EachLanes, PerLanes};
use crate::lanes::private::Sealed;
use crate::lanes::{Lanes, Mask};
use crate::vector::{Vec2, Vec3};

/// Work that is compiled separately from its caller.
#[inline(never)]
fn enter<R>(work: impl FnOnce() -> R) -> R {
    work()
}

macro_rules! portable_lanes {
    ($name:ident, $mask:ident, $wide:ty, $bits:ty, $t:ident, $width:literal, $each:ident, $($lane:literal)+) => {
        #[doc = concat!(stringify!($width), " lanes of `", stringify!($t), "` over `wide`.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name($wide);

        #[doc = concat!("The mask of [`", stringify!($name), "`]: all bits or none in each lane.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($wide);

        impl Sealed for $name {}
        impl Sealed for $mask {}

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }
        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
        impl BitXor for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }
        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(self.0 ^ const { <$wide>::splat($t::from_bits(<$bits>::MAX)) })
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn splat(value: bool) -> Self {
                Self(if value { const { <$wide>::splat($t::from_bits(<$bits>::MAX)) } } else { const { <$wide>::splat(0.0) } })
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.to_bits() != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.to_bits() == (1 << $width) - 1
            }
            #[inline(always)]
            fn to_bits(self) -> u32 {
                self.0.to_bitmask()
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                Self(<$wide>::new([$($t::from_bits(if bits >> $lane & 1 == 1 { <$bits>::MAX } else { 0 })),+]))
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(self.0 * other.0)
            }
        }
        impl Div for $name {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                Self(self.0 / other.0)
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(self.0 ^ const { <$wide>::splat(-0.0) })
            }
        }

        impl Lanes for $name {
            type Scalar = $t;
            type Mask = $mask;
            type Narrow = Self;
            const WIDTH: usize = $width;
            // Processors without AVX2 are those of 2014 and older, and the smallest of later ones.
            const FALLBACK: bool = cfg!(target_arch = "x86_64");

            crate::formulas::vector_formulas!();
            #[inline(always)]
            fn enter<R>(work: impl FnOnce() -> R) -> R {
                enter(work)
            }
            #[inline(always)]
            fn of_each<P: PerLanes>(each: &EachLanes<P>) -> &P::For<Self> {
                &each.$each
            }

            #[inline(always)]
            fn splat(value: $t) -> Self {
                // Spelled out, and constants made by the compiler: `wide` has a loop there, of which kernels would have
                // hundreds to be unrolled (see `formulas.rs`).
                Self(<$wide>::new([$({ let _ = $lane; value }),+]))
            }
            #[inline(always)]
            fn load(source: &[$t]) -> Self {
                Self(<$wide>::new(*source.first_chunk().expect("a whole register")))
            }
            #[inline(always)]
            fn store(self, target: &mut [$t]) {
                *target.first_chunk_mut().expect("a whole register") = self.0.to_array();
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> $t) -> Self {
                Self(<$wide>::new([$(f($lane)),+]))
            }
            #[inline(always)]
            fn lane(self, index: usize) -> $t {
                self.0.to_array()[index]
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(self.0 & const { <$wide>::splat($t::from_bits(<$bits>::MAX >> 1)) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // The second operand wherever `self < other` is false: that is what the instruction does. On other
                // targets `fast_min` differs from it for NaN and for zeros of different sign.
                if cfg!(all(target_arch = "x86_64", target_feature = "sse2")) {
                    Self(self.0.fast_min(other.0))
                } else {
                    Self::select(self.lt(other), self, other)
                }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if cfg!(all(target_arch = "x86_64", target_feature = "sse2")) {
                    Self(self.0.fast_max(other.0))
                } else {
                    Self::select(self.gt(other), self, other)
                }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Self(self.abs().0 | (sign.0 & const { <$wide>::splat(-0.0) }))
            }
            #[inline(always)]
            fn power_of_two(self) -> Self {
                Self(self.0 & const { <$wide>::splat($t::INFINITY) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                $mask(self.0.simd_lt(other.0))
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                $mask(self.0.simd_le(other.0))
            }
            #[inline(always)]
            fn gt(self, other: Self) -> $mask {
                $mask(self.0.simd_gt(other.0))
            }
            #[inline(always)]
            fn ge(self, other: Self) -> $mask {
                $mask(self.0.simd_ge(other.0))
            }
            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                $mask(self.0.simd_eq(other.0))
            }
            #[inline(always)]
            fn select(mask: $mask, a: Self, b: Self) -> Self {
                Self(b.0 ^ ((a.0 ^ b.0) & mask.0))
            }
            #[inline(always)]
            fn reduce_min(self) -> $t {
                self.0.to_array().into_iter().fold($t::INFINITY, |a, b| if b < a { b } else { a })
            }
            #[inline(always)]
            fn reduce_max(self) -> $t {
                self.0.to_array().into_iter().fold($t::NEG_INFINITY, |a, b| if b > a { b } else { a })
            }
            #[inline(always)]
            fn left_pack(mask: $mask, words: &[u32], target: &mut [u32]) -> usize {
                let (words, target, bits) = (&words[..$width], &mut target[..$width], mask.to_bits());
                let mut count = 0;
                for (i, &word) in words.iter().enumerate() {
                    target[count] = word;
                    count += (bits >> i & 1) as usize;
                }
                count
            }
            #[inline(always)]
            fn gather_rows<'r>(row: impl Fn(usize) -> &'r [$t; 8]) -> [Self; 8] {
                crate::lanes::gather_rows(row)
            }
            #[inline(always)]
            fn scatter_rows(columns: &[Self; 8], rows: &mut [[$t; 8]]) {
                crate::lanes::scatter_rows(columns, rows);
            }
            type Rows = [[$t; 8]; $width];
            #[inline(always)]
            fn to_rows(columns: &[Self; 8]) -> [[$t; 8]; $width] {
                let mut rows = [[0.0; 8]; $width];
                crate::lanes::scatter_rows(columns, &mut rows);
                rows
            }
            #[inline(always)]
            fn look_up<const N: usize>(tables: &[[$t; 256]; N], _: usize, names: &[u32; 16], shift: u32) -> [Self; N] {
                crate::lanes::look_up(tables, names, shift)
            }
            #[inline(always)]
            fn bits_disjoint(words: &[u32], probe: u32) -> $mask {
                let words = &words[..$width];
                $mask(<$wide>::from(core::array::from_fn::<$t, $width, _>(|i| {
                    $t::from_bits(if words[i] & probe == 0 { <$bits>::MAX } else { 0 })
                })))
            }
        }
    };
}

portable_lanes!(F32x4, M32x4, wide::f32x4, u32, f32, 4, f32x4, 0 1 2 3);
portable_lanes!(F64x2, M64x2, wide::f64x2, u64, f64, 2, f64x2, 0 1);
