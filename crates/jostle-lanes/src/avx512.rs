//! AVX-512: 16 lanes of `f32` or 8 of `f64` in a 512-bit register. A mask is a register of one bit per lane.

use core::arch::x86_64::{
    __m512, __m512d, __mmask8, __mmask16, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ,
    _mm_cvtsi32_si128, _mm256_and_si256, _mm256_loadu_epi32, _mm256_loadu_ps, _mm256_maskz_compress_epi32,
    _mm256_set1_epi32, _mm256_srl_epi32, _mm256_storeu_epi32, _mm256_storeu_ps, _mm256_test_epi32_mask,
    _mm256_testn_epi32_mask, _mm512_add_pd, _mm512_add_ps, _mm512_and_epi32, _mm512_and_pd, _mm512_and_ps,
    _mm512_andnot_pd, _mm512_andnot_ps, _mm512_castps256_ps512, _mm512_castps512_ps256, _mm512_cmp_pd_mask,
    _mm512_cmp_ps_mask, _mm512_cvtepu32_epi64, _mm512_div_pd, _mm512_div_ps, _mm512_extractf32x8_ps,
    _mm512_i32gather_pd, _mm512_i32gather_ps, _mm512_insertf32x8, _mm512_loadu_epi32, _mm512_loadu_pd, _mm512_loadu_ps,
    _mm512_mask_blend_pd, _mm512_mask_blend_ps, _mm512_maskz_compress_epi32, _mm512_max_pd, _mm512_max_ps,
    _mm512_min_pd, _mm512_min_ps, _mm512_mul_pd, _mm512_mul_ps, _mm512_or_pd, _mm512_or_ps, _mm512_permutex2var_pd,
    _mm512_permutex2var_ps, _mm512_permutexvar_pd, _mm512_permutexvar_ps, _mm512_reduce_max_pd, _mm512_reduce_max_ps,
    _mm512_reduce_min_pd, _mm512_reduce_min_ps, _mm512_set1_epi32, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_shuffle_f32x4, _mm512_shuffle_f64x2, _mm512_shuffle_ps, _mm512_sqrt_pd, _mm512_sqrt_ps, _mm512_srl_epi32,
    _mm512_storeu_epi32, _mm512_storeu_pd, _mm512_storeu_ps, _mm512_sub_pd, _mm512_sub_ps, _mm512_testn_epi32_mask,
    _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps, _mm512_xor_pd, _mm512_xor_ps,
};
use core::ops::{BitAnd, BitOr, BitXor, Not};

use crate::each::{EachLanes, PerLanes};
use crate::lanes::private::Sealed;
use crate::lanes::{Lanes, Mask};
use crate::vector::{Vec2, Vec3};
use crate::x86::{binary_operator, register_lanes};

/// A mask of one bit per lane: plain integer arithmetic, which the compiler keeps in mask registers.
macro_rules! bit_mask {
    ($(#[$documentation:meta])* $mask:ident in $bits:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($bits);

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
                Self(!self.0)
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn splat(value: bool) -> Self {
                Self(if value { $bits::MAX } else { 0 })
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0 != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.0 == $bits::MAX
            }
            #[inline(always)]
            fn to_bits(self) -> u32 {
                u32::from(self.0)
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                Self(bits as $bits)
            }
        }
    };
}

bit_mask! {
    /// The mask of [`F32x16`].
    M32x16 in __mmask16
}

bit_mask! {
    /// The mask of [`F64x8`].
    M64x8 in __mmask8
}

/// Work that is compiled for AVX-512, wherever it is called from.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
fn enter<R>(work: impl FnOnce() -> R) -> R {
    work()
}

register_lanes! {
    /// 16 lanes of `f32` in a 512-bit register.
    F32x16, M32x16, narrow crate::avx2::F32x8, enter enter, each f32x16: 16 lanes (0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) of f32 in __m512
    splat _mm512_set1_ps, load _mm512_loadu_ps, store _mm512_storeu_ps,
    add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps, div _mm512_div_ps, sqrt _mm512_sqrt_ps,
    min _mm512_min_ps, max _mm512_max_ps,
    and _mm512_and_ps, andnot _mm512_andnot_ps, or _mm512_or_ps, xor _mm512_xor_ps
}

register_lanes! {
    /// 8 lanes of `f64` in a 512-bit register.
    F64x8, M64x8, narrow crate::avx2::F64x4, enter enter, each f64x8: 8 lanes (0 1 2 3 4 5 6 7) of f64 in __m512d
    splat _mm512_set1_pd, load _mm512_loadu_pd, store _mm512_storeu_pd,
    add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd, sqrt _mm512_sqrt_pd,
    min _mm512_min_pd, max _mm512_max_pd,
    and _mm512_and_pd, andnot _mm512_andnot_pd, or _mm512_or_pd, xor _mm512_xor_pd
}

impl F32x16 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> M32x16 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        M32x16(unsafe { _mm512_cmp_ps_mask::<PREDICATE>(self.0, other.0) })
    }
    #[inline(always)]
    fn blend(mask: M32x16, a: Self, b: Self) -> Self {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        Self(unsafe { _mm512_mask_blend_ps(mask.0, b.0, a.0) })
    }
    #[inline(always)]
    fn least(self) -> f32 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        unsafe { _mm512_reduce_min_ps(self.0) }
    }
    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        unsafe { _mm512_reduce_max_ps(self.0) }
    }
    #[inline(always)]
    fn pack(mask: M32x16, words: &[u32; 16], target: &mut [u32; 16]) {
        // To a register, then to memory: the form that compresses into memory is microcoded on Zen 4.
        // SAFETY: AVX-512 is there (dispatch); 64 bytes are read from and written to arrays of 16 words.
        unsafe {
            let words = _mm512_loadu_epi32(words.as_ptr().cast::<i32>());
            let packed = _mm512_maskz_compress_epi32(mask.0, words);
            _mm512_storeu_epi32(target.as_mut_ptr().cast::<i32>(), packed);
        }
    }
    #[inline(always)]
    fn rows<'r>(row: impl Fn(usize) -> &'r [f32; 8]) -> [Self; 8] {
        let (first, second) = (Self::quarters(&row, 0), Self::quarters(&row, 8));
        let mut columns = [Self::zero(); 8];
        for k in 0..4 {
            // SAFETY: AVX-512 is there (dispatch).
            unsafe {
                columns[k] = Self(_mm512_shuffle_f32x4::<0b10_00_10_00>(first[k], second[k]));
                columns[k + 4] = Self(_mm512_shuffle_f32x4::<0b11_01_11_01>(first[k], second[k]));
            }
        }
        columns
    }
    /// Eight rows, two to a register, transposed within its quarters.
    #[inline(always)]
    fn quarters<'r>(row: &impl Fn(usize) -> &'r [f32; 8], at: usize) -> [__m512; 4] {
        let (a, b) = (Self::two_rows(row(at), row(at + 4)), Self::two_rows(row(at + 1), row(at + 5)));
        let (c, d) = (Self::two_rows(row(at + 2), row(at + 6)), Self::two_rows(row(at + 3), row(at + 7)));
        Self::turned(Self(a), Self(b), Self(c), Self(d))
    }
    #[inline(always)]
    fn two_rows(a: &[f32; 8], b: &[f32; 8]) -> __m512 {
        // SAFETY: AVX-512 is there (dispatch); 32 bytes are read from each row.
        unsafe {
            let a = _mm512_castps256_ps512(_mm256_loadu_ps(a.as_ptr()));
            _mm512_insertf32x8::<1>(a, _mm256_loadu_ps(b.as_ptr()))
        }
    }
    /// Transposed within quarters of registers, which then are halves of rows.
    #[inline(always)]
    fn into_rows(columns: &[Self; 8], rows: &mut [[f32; 8]; 16]) {
        let [a, b, c, d, e, f, g, h] = *columns;
        let (first, second) = (Self::turned(a, b, c, d), Self::turned(e, f, g, h));
        for k in 0..4 {
            // Quarter q of `first[k]` is the first half of row 4 q + k, that of `second[k]` the second half.
            // SAFETY: AVX-512 is there (dispatch); 32 bytes are written to each row.
            unsafe {
                let low = _mm512_shuffle_f32x4::<0b01_00_01_00>(first[k], second[k]);
                let high = _mm512_shuffle_f32x4::<0b11_10_11_10>(first[k], second[k]);
                let (low, high) = (
                    _mm512_shuffle_f32x4::<0b11_01_10_00>(low, low),
                    _mm512_shuffle_f32x4::<0b11_01_10_00>(high, high),
                );
                _mm256_storeu_ps(rows[k].as_mut_ptr(), _mm512_castps512_ps256(low));
                _mm256_storeu_ps(rows[k + 4].as_mut_ptr(), _mm512_extractf32x8_ps::<1>(low));
                _mm256_storeu_ps(rows[k + 8].as_mut_ptr(), _mm512_castps512_ps256(high));
                _mm256_storeu_ps(rows[k + 12].as_mut_ptr(), _mm512_extractf32x8_ps::<1>(high));
            }
        }
    }
    /// Four columns transposed within quarters of registers.
    #[inline(always)]
    fn turned(a: Self, b: Self, c: Self, d: Self) -> [__m512; 4] {
        // SAFETY: AVX-512 is there (dispatch).
        unsafe {
            let (ab, cd) = (_mm512_unpacklo_ps(a.0, b.0), _mm512_unpacklo_ps(c.0, d.0));
            let (ef, gh) = (_mm512_unpackhi_ps(a.0, b.0), _mm512_unpackhi_ps(c.0, d.0));
            [
                _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd),
                _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd),
                _mm512_shuffle_ps::<0b01_00_01_00>(ef, gh),
                _mm512_shuffle_ps::<0b11_10_11_10>(ef, gh),
            ]
        }
    }
    /// Short tables are looked up where they are, in one register or two.
    #[inline(always)]
    fn from_tables<const N: usize>(
        tables: &[[f32; 256]; N],
        length: usize,
        names: &[u32; 16],
        shift: u32,
    ) -> [Self; N] {
        let mut rows = [Self::zero(); N];
        // SAFETY: AVX-512 is there (dispatch); 64 bytes are read from an array of 16 words, and up to 128 from tables
        // that are longer; what is gathered has a place below 256, which is how long they are.
        unsafe {
            let names = _mm512_loadu_epi32(names.as_ptr().cast::<i32>());
            let names = _mm512_srl_epi32(names, _mm_cvtsi32_si128(shift as i32));
            if length <= 16 {
                for k in 0..N {
                    rows[k] = Self(_mm512_permutexvar_ps(names, _mm512_loadu_ps(tables[k].as_ptr())));
                }
            } else if length <= 32 {
                for k in 0..N {
                    let (first, second) = (tables[k].as_ptr(), tables[k][16..].as_ptr());
                    rows[k] = Self(_mm512_permutex2var_ps(_mm512_loadu_ps(first), names, _mm512_loadu_ps(second)));
                }
            } else {
                let names = _mm512_and_epi32(names, _mm512_set1_epi32(0xff));
                for k in 0..N {
                    rows[k] = Self(_mm512_i32gather_ps::<4>(names, tables[k].as_ptr()));
                }
            }
        }
        rows
    }
    #[inline(always)]
    fn disjoint(words: &[u32; 16], probe: u32) -> M32x16 {
        // SAFETY: AVX-512 is there (dispatch); 64 bytes are read from an array of 16 words.
        M32x16(unsafe {
            let words = _mm512_loadu_epi32(words.as_ptr().cast::<i32>());
            _mm512_testn_epi32_mask(words, _mm512_set1_epi32(probe as i32))
        })
    }
}

impl F64x8 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> M64x8 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        M64x8(unsafe { _mm512_cmp_pd_mask::<PREDICATE>(self.0, other.0) })
    }
    #[inline(always)]
    fn blend(mask: M64x8, a: Self, b: Self) -> Self {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        Self(unsafe { _mm512_mask_blend_pd(mask.0, b.0, a.0) })
    }
    #[inline(always)]
    fn least(self) -> f64 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        unsafe { _mm512_reduce_min_pd(self.0) }
    }
    #[inline(always)]
    fn greatest(self) -> f64 {
        // SAFETY: lanes of this type exist only behind dispatch, which has found AVX-512.
        unsafe { _mm512_reduce_max_pd(self.0) }
    }
    #[inline(always)]
    fn pack(mask: M64x8, words: &[u32; 8], target: &mut [u32; 8]) {
        // SAFETY: AVX-512 VL is there (dispatch); 32 bytes are read from and written to arrays of 8 words.
        unsafe {
            let words = _mm256_loadu_epi32(words.as_ptr().cast::<i32>());
            let packed = _mm256_maskz_compress_epi32(mask.0, words);
            _mm256_storeu_epi32(target.as_mut_ptr().cast::<i32>(), packed);
        }
    }
    #[inline(always)]
    fn rows<'r>(row: impl Fn(usize) -> &'r [f64; 8]) -> [Self; 8] {
        let [a, b, c, d] = [Self::load(row(0)), Self::load(row(1)), Self::load(row(2)), Self::load(row(3))];
        let [e, f, g, h] = [Self::load(row(4)), Self::load(row(5)), Self::load(row(6)), Self::load(row(7))];
        Self::turned([a, b, c, d, e, f, g, h])
    }
    #[inline(always)]
    fn into_rows(columns: &[Self; 8], rows: &mut [[f64; 8]; 8]) {
        let turned = Self::turned(*columns);
        for k in 0..8 {
            turned[k].store(&mut rows[k]);
        }
    }
    /// Eight columns of eight rows, transposed.
    #[inline(always)]
    fn turned([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: AVX-512 is there (dispatch).
        let [even, odd] = unsafe {
            [
                [
                    _mm512_unpacklo_pd(a.0, b.0),
                    _mm512_unpacklo_pd(c.0, d.0),
                    _mm512_unpacklo_pd(e.0, f.0),
                    _mm512_unpacklo_pd(g.0, h.0),
                ],
                [
                    _mm512_unpackhi_pd(a.0, b.0),
                    _mm512_unpackhi_pd(c.0, d.0),
                    _mm512_unpackhi_pd(e.0, f.0),
                    _mm512_unpackhi_pd(g.0, h.0),
                ],
            ]
        };
        let ([a, c, e, g], [b, d, f, h]) = (Self::quarters(even), Self::quarters(odd));
        [a, b, c, d, e, f, g, h]
    }
    /// Quarters of registers, transposed.
    #[inline(always)]
    fn quarters([a, b, c, d]: [__m512d; 4]) -> [Self; 4] {
        // SAFETY: AVX-512 is there (dispatch).
        unsafe {
            let (ab, cd) = (_mm512_shuffle_f64x2::<0b10_00_10_00>(a, b), _mm512_shuffle_f64x2::<0b10_00_10_00>(c, d));
            let (ef, gh) = (_mm512_shuffle_f64x2::<0b11_01_11_01>(a, b), _mm512_shuffle_f64x2::<0b11_01_11_01>(c, d));
            [
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(ab, cd)),
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(ef, gh)),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(ab, cd)),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(ef, gh)),
            ]
        }
    }
    /// Short tables are looked up where they are, in up to four registers.
    #[inline(always)]
    fn from_tables<const N: usize>(
        tables: &[[f64; 256]; N],
        length: usize,
        names: &[u32; 16],
        shift: u32,
    ) -> [Self; N] {
        let mut rows = [Self::zero(); N];
        // SAFETY: AVX-512 VL is there (dispatch); 32 bytes are read from an array of 16 words, and up to 256 from
        // tables that are longer; what is gathered has a place below 256, which is how long they are.
        unsafe {
            let names = _mm256_loadu_epi32(names.as_ptr().cast::<i32>());
            let names = _mm256_srl_epi32(names, _mm_cvtsi32_si128(shift as i32));
            if length > 32 {
                let names = _mm256_and_si256(names, _mm256_set1_epi32(0xff));
                for k in 0..N {
                    rows[k] = Self(_mm512_i32gather_pd::<8>(names, tables[k].as_ptr()));
                }
                return rows;
            }
            let upper = _mm256_test_epi32_mask(names, _mm256_set1_epi32(16));
            let names = _mm512_cvtepu32_epi64(names);
            for k in 0..N {
                // Not by a closure: one with a name is inlined only at the compiler's discretion, and in a user's
                // program it was not.
                let first = _mm512_loadu_pd(tables[k].as_ptr());
                rows[k] = Self(if length <= 8 {
                    _mm512_permutexvar_pd(names, first)
                } else {
                    let row = _mm512_permutex2var_pd(first, names, _mm512_loadu_pd(tables[k][8..].as_ptr()));
                    if length <= 16 {
                        row
                    } else {
                        let (third, fourth) = (tables[k][16..].as_ptr(), tables[k][24..].as_ptr());
                        let others = _mm512_permutex2var_pd(_mm512_loadu_pd(third), names, _mm512_loadu_pd(fourth));
                        _mm512_mask_blend_pd(upper, row, others)
                    }
                });
            }
        }
        rows
    }
    #[inline(always)]
    fn disjoint(words: &[u32; 8], probe: u32) -> M64x8 {
        // SAFETY: AVX-512 VL is there (dispatch); 32 bytes are read from an array of 8 words.
        M64x8(unsafe {
            let words = _mm256_loadu_epi32(words.as_ptr().cast::<i32>());
            _mm256_testn_epi32_mask(words, _mm256_set1_epi32(probe as i32))
        })
    }
}
