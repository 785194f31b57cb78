//! `f32` and `f64` as lanes of width 1: the reference that every other lane type is compared with.

use crate::aligned::LineAligned;
use crate::dispatch::{run_f32, run_f64};
use crate::each::{EachLanes, PerLanes};
use crate::isa::Verified;
use crate::lanes::private::Sealed;
use crate::lanes::{Kernel, Lanes, Mask, Scalar};
use crate::vector::{Vec2, Vec3};

impl Sealed for bool {}

impl Mask for bool {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        value
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits & 1 == 1
    }
}

macro_rules! scalar_lanes {
    ($t:ident, $roundoff:expr, $row:ty, $down:expr, $up:expr, $column:path, $run:ident, $each:ident) => {
        impl Sealed for $t {}

        impl Lanes for $t {
            type Scalar = $t;
            type Mask = bool;
            type Narrow = Self;
            const WIDTH: usize = 1;

            crate::formulas::vector_formulas!();
            #[inline(always)]
            fn enter<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            #[inline(always)]
            fn of_each<P: PerLanes>(each: &EachLanes<P>) -> &P::For<Self> {
                &each.$each
            }

            #[inline(always)]
            fn splat(value: $t) -> Self {
                value
            }
            #[inline(always)]
            fn load(source: &[$t]) -> Self {
                source[0]
            }
            #[inline(always)]
            fn store(self, target: &mut [$t]) {
                target[0] = self;
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> $t) -> Self {
                f(0)
            }
            #[inline(always)]
            fn lane(self, index: usize) -> $t {
                assert!(index == 0, "lane {index} of 1");
                self
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $t::abs(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                $t::copysign(self, sign)
            }
            #[inline(always)]
            fn power_of_two(self) -> Self {
                $t::from_bits(self.to_bits() & $t::INFINITY.to_bits())
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn gt(self, other: Self) -> bool {
                self > other
            }
            #[inline(always)]
            fn ge(self, other: Self) -> bool {
                self >= other
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn reduce_min(self) -> $t {
                self
            }
            #[inline(always)]
            fn reduce_max(self) -> $t {
                self
            }
            #[inline(always)]
            fn left_pack(mask: bool, words: &[u32], target: &mut [u32]) -> usize {
                target[0] = words[0];
                usize::from(mask)
            }
            #[inline(always)]
            fn gather_rows<'r>(row: impl Fn(usize) -> &'r [$t; 8]) -> [Self; 8] {
                crate::lanes::gather_rows(row)
            }
            #[inline(always)]
            fn scatter_rows(columns: &[Self; 8], rows: &mut [[$t; 8]]) {
                crate::lanes::scatter_rows(columns, rows);
            }
            type Rows = [[$t; 8]; 1];
            #[inline(always)]
            fn to_rows(columns: &[Self; 8]) -> [[$t; 8]; 1] {
                let mut rows = [[0.0; 8]; 1];
                crate::lanes::scatter_rows(columns, &mut rows);
                rows
            }
            #[inline(always)]
            fn look_up<const N: usize>(tables: &[[$t; 256]; N], _: usize, names: &[u32; 16], shift: u32) -> [Self; N] {
                crate::lanes::look_up(tables, names, shift)
            }
            #[inline(always)]
            fn bits_disjoint(words: &[u32], probe: u32) -> bool {
                words[0] & probe == 0
            }
        }

        impl Scalar for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const UNIT_ROUNDOFF: Self = $roundoff;
            const DOUBLE: bool = size_of::<Self>() == 8;
            const INFINITY: Self = $t::INFINITY;
            const NAME: &'static str = stringify!($t);
            type PlaneRowAlignment = $row;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn round_down(value: f64) -> Self {
                $down(value)
            }
            #[inline(always)]
            fn round_up(value: f64) -> Self {
                $up(value)
            }
            #[inline(always)]
            fn index(self) -> usize {
                // Added to this, a whole number is in the last bits of the sum.
                let shifter = 1.0 / $t::EPSILON;
                ((self + shifter).to_bits() & (1 << 22) - 1) as usize
            }
            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn column<'a>(single: &'a [f32], double: &'a [f64]) -> &'a [$t] {
                $column(single, double)
            }
            #[inline(always)]
            fn run_on<H, K: Kernel<Self>>(isa: Verified, kernel: K) -> K::Output {
                $run::<H, K>(isa, kernel)
            }
        }
    };
}

#[inline(always)]
fn f32_below(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}

#[inline(always)]
fn f32_above(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

#[inline(always)]
fn exact(value: f64) -> f64 {
    value
}

#[inline(always)]
fn single_column<'a>(single: &'a [f32], _: &'a [f64]) -> &'a [f32] {
    single
}

#[inline(always)]
fn double_column<'a>(_: &'a [f32], double: &'a [f64]) -> &'a [f64] {
    double
}

scalar_lanes!(f32, 5.960_464_5e-8, LineAligned, f32_below, f32_above, single_column, run_f32, f32x1);
scalar_lanes!(f64, 1.110_223_024_625_156_5e-16, (), exact, exact, double_column, run_f64, f64x1);
