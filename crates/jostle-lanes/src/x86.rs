//! What AVX2 and AVX-512 lanes have in common: one macro that implements [`Lanes`](crate::Lanes) over a register.
//!
//! Most operations are one instruction with another name in each instruction set, so the macro takes the names.
//! Operations that differ in kind (comparisons, selects, packing) are associated functions of each type:
//! `compare::<PREDICATE>`, `blend`, `least`, `greatest`, `pack`, `rows`, `into_rows`, `from_tables`, `disjoint`.
//!
//! Why the `unsafe` is sound: an intrinsic may run only on a machine that has its instruction set. These types are
//! private and their trait is sealed, so a function over one of them is instantiated in a single place, the kernel
//! wrappers of `dispatch`, and those are called only with a [`Verified`](crate::isa::Verified) set.

/// `impl Add for F32x8` and its like from an intrinsic.
macro_rules! binary_operator {
    ($name:ident, $operator:ident, $method:ident, $intrinsic:ident) => {
        impl core::ops::$operator for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

/// A lane type over a register, from the names of its instructions.
macro_rules! register_lanes {
    (
        $(#[$documentation:meta])*
        $name:ident, $mask:ident, narrow $narrow:ty, enter $enter:ident, each $each:ident: $width:literal lanes ($($lane:literal)+) of $t:ident in $register:ident
        splat $splat:ident, load $load:ident, store $store:ident,
        add $add:ident, sub $sub:ident, mul $mul:ident, div $div:ident, sqrt $sqrt:ident,
        min $min:ident, max $max:ident, and $and:ident, andnot $andnot:ident, or $or:ident, xor $xor:ident
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        impl Sealed for $name {}

        binary_operator!($name, Add, add, $add);
        binary_operator!($name, Sub, sub, $sub);
        binary_operator!($name, Mul, mul, $mul);
        binary_operator!($name, Div, div, $div);

        impl core::ops::Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $xor(self.0, $splat(-0.0)) })
            }
        }

        impl $name {
            #[inline(always)]
            fn to_array(self) -> [$t; $width] {
                let mut numbers = [0.0; $width];
                // SAFETY: the instruction set is there (dispatch), and the array takes the whole register.
                unsafe { $store(numbers.as_mut_ptr(), self.0) };
                numbers
            }
        }

        impl Lanes for $name {
            type Scalar = $t;
            type Mask = $mask;
            type Narrow = $narrow;
            const WIDTH: usize = $width;

            crate::formulas::vector_formulas!();
            #[inline(always)]
            fn enter<R>(work: impl FnOnce() -> R) -> R {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                unsafe { $enter(work) }
            }
            #[inline(always)]
            fn of_each<P: PerLanes>(each: &EachLanes<P>) -> &P::For<Self> {
                &each.$each
            }

            #[inline(always)]
            fn splat(value: $t) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $splat(value) })
            }
            #[inline(always)]
            fn load(source: &[$t]) -> Self {
                let source = &source[..$width];
                // SAFETY: the instruction set is there (dispatch), and the slice holds a whole register.
                Self(unsafe { $load(source.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, target: &mut [$t]) {
                let target = &mut target[..$width];
                // SAFETY: the instruction set is there (dispatch), and the slice takes the whole register.
                unsafe { $store(target.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> $t) -> Self {
                // Spelled out: loops would have to be unrolled, in every kernel.
                let numbers = [$(f($lane)),+];
                Self::load(&numbers)
            }
            #[inline(always)]
            fn lane(self, index: usize) -> $t {
                self.to_array()[index]
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $andnot($splat(-0.0), self.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // The instruction is the select: the second operand wherever `self < other` is false.
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // The instruction is the select: the second operand wherever `self > other` is false.
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe {
                    let bit = $splat(-0.0);
                    $or($andnot(bit, self.0), $and(bit, sign.0))
                })
            }
            #[inline(always)]
            fn power_of_two(self) -> Self {
                // SAFETY: lanes of this type exist only behind dispatch, which has found the instruction set.
                Self(unsafe { $and(self.0, $splat(<$t>::INFINITY)) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                self.compare::<_CMP_LT_OQ>(other)
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                self.compare::<_CMP_LE_OQ>(other)
            }
            #[inline(always)]
            fn gt(self, other: Self) -> $mask {
                self.compare::<_CMP_GT_OQ>(other)
            }
            #[inline(always)]
            fn ge(self, other: Self) -> $mask {
                self.compare::<_CMP_GE_OQ>(other)
            }
            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                self.compare::<_CMP_EQ_OQ>(other)
            }
            #[inline(always)]
            fn select(mask: $mask, a: Self, b: Self) -> Self {
                Self::blend(mask, a, b)
            }
            #[inline(always)]
            fn reduce_min(self) -> $t {
                self.least()
            }
            #[inline(always)]
            fn reduce_max(self) -> $t {
                self.greatest()
            }
            #[inline(always)]
            fn left_pack(mask: $mask, words: &[u32], target: &mut [u32]) -> usize {
                let words = words[..$width].try_into().expect("sliced to the width");
                let target = (&mut target[..$width]).try_into().expect("sliced to the width");
                Self::pack(mask, words, target);
                mask.to_bits().count_ones() as usize
            }
            #[inline(always)]
            fn gather_rows<'r>(row: impl Fn(usize) -> &'r [$t; 8]) -> [Self; 8] {
                Self::rows(row)
            }
            #[inline(always)]
            fn scatter_rows(columns: &[Self; 8], rows: &mut [[$t; 8]]) {
                Self::into_rows(columns, (&mut rows[..$width]).try_into().expect("sliced to the width"));
            }
            type Rows = [[$t; 8]; $width];
            #[inline(always)]
            fn to_rows(columns: &[Self; 8]) -> [[$t; 8]; $width] {
                let mut rows = [[0.0; 8]; $width];
                Self::into_rows(columns, &mut rows);
                rows
            }
            #[inline(always)]
            fn look_up<const N: usize>(
                tables: &[[$t; 256]; N],
                length: usize,
                names: &[u32; 16],
                shift: u32,
            ) -> [Self; N] {
                Self::from_tables(tables, length, names, shift)
            }
            #[inline(always)]
            fn bits_disjoint(words: &[u32], probe: u32) -> $mask {
                Self::disjoint(words[..$width].try_into().expect("sliced to the width"), probe)
            }
        }
    };
}

pub(crate) use {binary_operator, register_lanes};
