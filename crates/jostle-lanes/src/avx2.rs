//! AVX2: 8 lanes of `f32` or 4 of `f64` in a 256-bit register. A mask is a register too, all bits or none in a lane.

#![allow(clippy::cast_ptr_alignment, reason = "the loads and stores named `u` take any alignment")]

use core::arch::x86_64::{
    __m128i, __m256, __m256d, __m256i, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _mm_and_si128,
    _mm_cmpeq_epi32, _mm_cvtsd_f64, _mm_cvtsi32_si128, _mm_cvtss_f32, _mm_loadl_epi64, _mm_loadu_ps, _mm_loadu_si128,
    _mm_max_pd, _mm_max_ps, _mm_min_pd, _mm_min_ps, _mm_movehdup_ps, _mm_movehl_ps, _mm_set1_epi32, _mm_setzero_si128,
    _mm_shuffle_epi8, _mm_storeu_si128, _mm_unpackhi_pd, _mm256_add_pd, _mm256_add_ps, _mm256_and_pd, _mm256_and_ps,
    _mm256_and_si256, _mm256_andnot_pd, _mm256_andnot_ps, _mm256_blendv_pd, _mm256_blendv_ps, _mm256_castpd256_pd128,
    _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_cmp_pd,
    _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64, _mm256_cvtepi32_epi64, _mm256_cvtepu8_epi32, _mm256_div_pd,
    _mm256_div_ps, _mm256_extractf128_pd, _mm256_extractf128_ps, _mm256_insertf128_ps, _mm256_loadu_pd,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_pd, _mm256_max_ps, _mm256_min_pd, _mm256_min_ps,
    _mm256_movemask_pd, _mm256_movemask_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_or_pd, _mm256_or_ps,
    _mm256_permute2f128_pd, _mm256_permute2f128_ps, _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setr_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_ps, _mm256_slli_epi32, _mm256_sqrt_pd, _mm256_sqrt_ps, _mm256_srl_epi32,
    _mm256_storeu_pd, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_pd, _mm256_sub_ps, _mm256_unpackhi_pd,
    _mm256_unpackhi_ps, _mm256_unpacklo_pd, _mm256_unpacklo_ps, _mm256_xor_pd, _mm256_xor_ps,
};

use crate::each::{EachLanes, PerLanes};
use crate::lanes::private::Sealed;
use crate::lanes::{Lanes, Mask};
use crate::vector::{Vec2, Vec3};
use crate::x86::{binary_operator, register_lanes};

/// A mask type over a register, from the names of its instructions.
macro_rules! register_mask {
    (
        $(#[$documentation:meta])*
        $mask:ident: $width:literal lanes in $register:ident
        and $and:ident, or $or:ident, xor $xor:ident, movemask $movemask:ident,
        words $word:ident: splat $splat:ident, equal $equal:ident, cast $cast:ident, bits $bits:expr
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($register);

        impl Sealed for $mask {}

        binary_operator!($mask, BitAnd, bitand, $and);
        binary_operator!($mask, BitOr, bitor, $or);
        binary_operator!($mask, BitXor, bitxor, $xor);

        impl core::ops::Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                self ^ Self::splat(true)
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn splat(value: bool) -> Self {
                // SAFETY: masks of this type exist only behind dispatch, which has found AVX2.
                Self(unsafe { $cast($splat(-$word::from(value))) })
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
                // SAFETY: masks of this type exist only behind dispatch, which has found AVX2.
                (unsafe { $movemask(self.0) }) as u32
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                // SAFETY: masks of this type exist only behind dispatch, which has found AVX2.
                Self(unsafe {
                    let own = $bits;
                    $cast($equal(_mm256_and_si256($splat(bits as $word), own), own))
                })
            }
        }
    };
}

register_mask! {
    /// The mask of [`F32x8`].
    M32x8: 8 lanes in __m256
    and _mm256_and_ps, or _mm256_or_ps, xor _mm256_xor_ps, movemask _mm256_movemask_ps,
    words i32: splat _mm256_set1_epi32, equal _mm256_cmpeq_epi32, cast _mm256_castsi256_ps,
    bits _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)
}

register_mask! {
    /// The mask of [`F64x4`].
    M64x4: 4 lanes in __m256d
    and _mm256_and_pd, or _mm256_or_pd, xor _mm256_xor_pd, movemask _mm256_movemask_pd,
    words i64: splat _mm256_set1_epi64x, equal _mm256_cmpeq_epi64, cast _mm256_castsi256_pd,
    bits _mm256_setr_epi64x(1, 2, 4, 8)
}

/// Work that is compiled for AVX2, wherever it is called from.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn enter<R>(work: impl FnOnce() -> R) -> R {
    work()
}

register_lanes! {
    /// 8 lanes of `f32` in a 256-bit register.
    F32x8, M32x8, narrow Self, enter enter, each f32x8: 8 lanes (0 1 2 3 4 5 6 7) of f32 in __m256
    splat _mm256_set1_ps, load _mm256_loadu_ps, store _mm256_storeu_ps,
    add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps, div _mm256_div_ps, sqrt _mm256_sqrt_ps,
    min _mm256_min_ps, max _mm256_max_ps,
    and _mm256_and_ps, andnot _mm256_andnot_ps, or _mm256_or_ps, xor _mm256_xor_ps
}

register_lanes! {
    /// 4 lanes of `f64` in a 256-bit register.
    F64x4, M64x4, narrow Self, enter enter, each f64x4: 4 lanes (0 1 2 3) of f64 in __m256d
    splat _mm256_set1_pd, load _mm256_loadu_pd, store _mm256_storeu_pd,
    add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd, sqrt _mm256_sqrt_pd,
    min _mm256_min_pd, max _mm256_max_pd,
    and _mm256_and_pd, andnot _mm256_andnot_pd, or _mm256_or_pd, xor _mm256_xor_pd
}

impl F32x8 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> M32x8 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        M32x8(unsafe { _mm256_cmp_ps::<PREDICATE>(self.0, other.0) })
    }
    #[inline(always)]
    fn blend(mask: M32x8, a: Self, b: Self) -> Self {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        Self(unsafe { _mm256_blendv_ps(b.0, a.0, mask.0) })
    }
    #[inline(always)]
    fn least(self) -> f32 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        unsafe {
            let four = _mm_min_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_min_ps(two, _mm_movehdup_ps(two)))
        }
    }
    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        unsafe {
            let four = _mm_max_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ps(two, _mm_movehdup_ps(two)))
        }
    }
    #[inline(always)]
    fn pack(mask: M32x8, words: &[u32; 8], target: &mut [u32; 8]) {
        let order = &PACKING_OF_8[mask.to_bits() as usize & 0xff];
        // SAFETY: AVX2 is there (dispatch); 8 bytes are read from an array of 8, 32 from and to arrays of 8 words.
        unsafe {
            let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast::<__m128i>()));
            let words = _mm256_loadu_si256(words.as_ptr().cast::<__m256i>());
            let packed = _mm256_permutevar8x32_epi32(words, order);
            _mm256_storeu_si256(target.as_mut_ptr().cast::<__m256i>(), packed);
        }
    }
    #[inline(always)]
    fn rows<'r>(row: impl Fn(usize) -> &'r [f32; 8]) -> [Self; 8] {
        let [a, b, c, d] = Self::halves(&row, 0);
        let [e, f, g, h] = Self::halves(&row, 4);
        [a, b, c, d, e, f, g, h]
    }
    /// Four columns: half a row each of two rows in a register, transposed within its halves.
    #[inline(always)]
    fn halves<'r>(row: &impl Fn(usize) -> &'r [f32; 8], half: usize) -> [Self; 4] {
        let (a, b) = (Self::two_rows(row(0), row(4), half), Self::two_rows(row(1), row(5), half));
        let (c, d) = (Self::two_rows(row(2), row(6), half), Self::two_rows(row(3), row(7), half));
        Self::turned(Self(a), Self(b), Self(c), Self(d))
    }
    #[inline(always)]
    fn two_rows(a: &[f32; 8], b: &[f32; 8], half: usize) -> __m256 {
        let (a, b) = (&a[half..half + 4], &b[half..half + 4]);
        // SAFETY: AVX2 is there (dispatch); 16 bytes are read from half of each row.
        unsafe {
            let a = _mm256_castps128_ps256(_mm_loadu_ps(a.as_ptr()));
            _mm256_insertf128_ps::<1>(a, _mm_loadu_ps(b.as_ptr()))
        }
    }
    /// Transposed within halves of registers, which then are halves of rows.
    #[inline(always)]
    fn into_rows(columns: &[Self; 8], rows: &mut [[f32; 8]; 8]) {
        let [a, b, c, d, e, f, g, h] = *columns;
        let (first, second) = (Self::turned(a, b, c, d), Self::turned(e, f, g, h));
        for k in 0..4 {
            let (first, second) = (first[k].0, second[k].0);
            // SAFETY: AVX2 is there (dispatch); 32 bytes are written to each row.
            unsafe {
                _mm256_storeu_ps(rows[k].as_mut_ptr(), _mm256_permute2f128_ps::<0x20>(first, second));
                _mm256_storeu_ps(rows[k + 4].as_mut_ptr(), _mm256_permute2f128_ps::<0x31>(first, second));
            }
        }
    }
    /// Four columns transposed within halves of registers.
    #[inline(always)]
    fn turned(a: Self, b: Self, c: Self, d: Self) -> [Self; 4] {
        // SAFETY: AVX2 is there (dispatch).
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpacklo_ps(c.0, d.0));
            let (ef, gh) = (_mm256_unpackhi_ps(a.0, b.0), _mm256_unpackhi_ps(c.0, d.0));
            [
                Self(_mm256_shuffle_ps::<0b01_00_01_00>(ab, cd)),
                Self(_mm256_shuffle_ps::<0b11_10_11_10>(ab, cd)),
                Self(_mm256_shuffle_ps::<0b01_00_01_00>(ef, gh)),
                Self(_mm256_shuffle_ps::<0b11_10_11_10>(ef, gh)),
            ]
        }
    }
    /// Short tables are looked up where they are, in up to four registers.
    #[inline(always)]
    fn from_tables<const N: usize>(
        tables: &[[f32; 256]; N],
        length: usize,
        names: &[u32; 16],
        shift: u32,
    ) -> [Self; N] {
        if length > 32 {
            return crate::lanes::look_up(tables, names, shift);
        }
        let mut rows = [Self::zero(); N];
        // SAFETY: AVX2 is there (dispatch); 32 bytes are read from an array of 16 words, and up to 128 from tables that
        // are longer.
        unsafe {
            let names = _mm256_loadu_si256(names.as_ptr().cast::<__m256i>());
            let names = _mm256_srl_epi32(names, _mm_cvtsi32_si128(shift as i32));
            // The sign chooses between two registers.
            let second = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(names));
            let third = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(names));
            for k in 0..N {
                let mut row = eight_of(&tables[k], 0, names);
                if length > 8 {
                    row = _mm256_blendv_ps(row, eight_of(&tables[k], 8, names), second);
                }
                if length > 16 {
                    let other =
                        _mm256_blendv_ps(eight_of(&tables[k], 16, names), eight_of(&tables[k], 24, names), second);
                    row = _mm256_blendv_ps(row, other, third);
                }
                rows[k] = Self(row);
            }
        }
        rows
    }
    #[inline(always)]
    fn disjoint(words: &[u32; 8], probe: u32) -> M32x8 {
        // SAFETY: AVX2 is there (dispatch); 32 bytes are read from an array of 8 words.
        M32x8(unsafe {
            let words = _mm256_loadu_si256(words.as_ptr().cast::<__m256i>());
            let common = _mm256_and_si256(words, _mm256_set1_epi32(probe as i32));
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(common, _mm256_setzero_si256()))
        })
    }
}

impl F64x4 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> M64x4 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        M64x4(unsafe { _mm256_cmp_pd::<PREDICATE>(self.0, other.0) })
    }
    #[inline(always)]
    fn blend(mask: M64x4, a: Self, b: Self) -> Self {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        Self(unsafe { _mm256_blendv_pd(b.0, a.0, mask.0) })
    }
    #[inline(always)]
    fn least(self) -> f64 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        unsafe {
            let two = _mm_min_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_min_pd(two, _mm_unpackhi_pd(two, two)))
        }
    }
    #[inline(always)]
    fn greatest(self) -> f64 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX2.
        unsafe {
            let two = _mm_max_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_max_pd(two, _mm_unpackhi_pd(two, two)))
        }
    }
    #[inline(always)]
    fn pack(mask: M64x4, words: &[u32; 4], target: &mut [u32; 4]) {
        let order = &PACKING_OF_4[mask.to_bits() as usize & 0xf];
        // SAFETY: AVX2 is there (dispatch); 16 bytes are read from an array of 16, and from and to arrays of 4 words.
        unsafe {
            let order = _mm_loadu_si128(order.as_ptr().cast::<__m128i>());
            let words = _mm_loadu_si128(words.as_ptr().cast::<__m128i>());
            _mm_storeu_si128(target.as_mut_ptr().cast::<__m128i>(), _mm_shuffle_epi8(words, order));
        }
    }
    #[inline(always)]
    fn rows<'r>(row: impl Fn(usize) -> &'r [f64; 8]) -> [Self; 8] {
        let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
        let first = Self::turned([Self::load(a), Self::load(b), Self::load(c), Self::load(d)]);
        let second = [Self::load(&a[4..]), Self::load(&b[4..]), Self::load(&c[4..]), Self::load(&d[4..])];
        let ([a, b, c, d], [e, f, g, h]) = (first, Self::turned(second));
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn into_rows(columns: &[Self; 8], rows: &mut [[f64; 8]; 4]) {
        let [a, b, c, d, e, f, g, h] = *columns;
        let (first, second) = (Self::turned([a, b, c, d]), Self::turned([e, f, g, h]));
        for k in 0..4 {
            first[k].store(&mut rows[k]);
            second[k].store(&mut rows[k][4..]);
        }
    }
    /// Four columns of four rows, transposed.
    #[inline(always)]
    fn turned([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: AVX2 is there (dispatch).
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpacklo_pd(c.0, d.0));
            let (ef, gh) = (_mm256_unpackhi_pd(a.0, b.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                Self(_mm256_permute2f128_pd::<0x20>(ab, cd)),
                Self(_mm256_permute2f128_pd::<0x20>(ef, gh)),
                Self(_mm256_permute2f128_pd::<0x31>(ab, cd)),
                Self(_mm256_permute2f128_pd::<0x31>(ef, gh)),
            ]
        }
    }
    #[inline(always)]
    fn from_tables<const N: usize>(tables: &[[f64; 256]; N], _: usize, names: &[u32; 16], shift: u32) -> [Self; N] {
        crate::lanes::look_up(tables, names, shift)
    }
    #[inline(always)]
    fn disjoint(words: &[u32; 4], probe: u32) -> M64x4 {
        // SAFETY: AVX2 is there (dispatch); 16 bytes are read from an array of 4 words.
        M64x4(unsafe {
            let words = _mm_loadu_si128(words.as_ptr().cast::<__m128i>());
            let common = _mm_and_si128(words, _mm_set1_epi32(probe as i32));
            _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_cmpeq_epi32(common, _mm_setzero_si128())))
        })
    }
}

/// Looks up eight names among eight numbers of a table. (A function: a closure with a name is inlined only at the
/// compiler's discretion, and in a user's program it was not.)
///
/// # Safety
/// AVX2 has to be available.
#[inline(always)]
unsafe fn eight_of(table: &[f32; 256], at: usize, names: __m256i) -> __m256 {
    // SAFETY: as above; 32 bytes are read from a table of 256 numbers, from one of its first 32.
    unsafe { _mm256_permutevar8x32_ps(_mm256_loadu_ps(table[at..].as_ptr()), names) }
}

/// For each mask of 8 lanes the lanes that are true, in order, then zeros: 2 KiB, widened to words when used.
static PACKING_OF_8: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                table[bits][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// For each mask of 4 lanes the bytes of the words whose lane is true, in order, then of the first word.
static PACKING_OF_4: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut byte = 0;
    while byte < 16 * 16 {
        let (bits, place) = (byte / 16, byte % 16);
        table[bits][place] = 4 * PACKING_OF_8[bits][place / 4] + (place % 4) as u8;
        byte += 1;
    }
    table
};
