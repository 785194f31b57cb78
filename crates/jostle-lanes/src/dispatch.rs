//! The one place that decides which instruction set runs: detected once, narrowed on request by `JOSTLE_ISA`
//! (`isa.rs`).
//!
//! Everything depends on inlining. A wrapper below carries `#[target_feature]`; the kernel's `run`, the lane operations
//! and the intrinsics are inlined into it and so are compiled for that instruction set. Whatever is *not* inlined is
//! compiled for the plain target, where each lane operation becomes a call through memory. The traps, none of which the
//! compiler reports (`.ci/no-calls.sh` does, by disassembling the wrappers):
//!
//! - A helper without `#[inline(always)]`: 20 to 30 times slower in `examples/kernels.rs`, whichever helper it is.
//!   `#[inline]` is a hint, and is ignored in larger kernels.
//! - A closure of more than a few operations (41 instead of 0.9 ns a row for one of 25), let-bound or passed on. Only
//!   as an argument of a call may a closure carry the attribute, so write `V::from_fn(#[inline(always)] |k| ...)`, and
//!   `let f = core::convert::identity(#[inline(always)] |x: L| ...)`, or use a generic function.
//! - Library functions that are merely `#[inline]` around such a closure (`core::array::from_fn`, iterator adaptors).
//! - A closure handed to another thread (rayon, `std::thread`): it runs outside the wrapper. Dispatch inside the task.
//! - `dyn` and function pointers: never inlined.
//!
//! The wrappers themselves are `#[inline(never)]`: one symbol per kernel and instruction set, for profiles and for that
//! script. They do not enable `fma`: one algorithm gives the same bits everywhere.

use crate::isa::{Isa, IsaError, Verified, verified_choice};
use crate::lanes::{Kernel, Scalar};

/// The size of half of the widest register, in bytes.
const HALF_REGISTER_BYTES: usize = 32;

/// Runs a kernel at the widest lanes of this machine (see [`Isa::choose`]).
///
/// # Panics
/// If `JOSTLE_ISA` asks for an instruction set that is not available; programs call [`Isa::choose`] first to report
/// that as an error.
///
/// ```
/// use jostle_lanes::{dispatch, Kernel, Lanes};
///
/// struct Width;
/// impl Kernel<f64> for Width {
///     type Output = usize;
///     #[inline(always)]
///     fn run<L: Lanes<Scalar = f64>>(self) -> usize {
///         L::WIDTH
///     }
/// }
/// assert!([2, 4, 8].contains(&dispatch(Width)));
/// ```
#[inline]
pub fn dispatch<T: Scalar, K: Kernel<T>>(kernel: K) -> K::Output {
    dispatch_at::<K, T, K>(usize::MAX, kernel)
}

/// [`dispatch`] of a kernel that has work for this many lanes, compiled in the codegen unit of the module where `H` is
/// declared, which may be any type.
///
/// If half of the widest register holds them, the kernel runs with registers of half the width: they are filled in half
/// the time and, on machines that compute with the widest in two halves, computed with in half the time (Zen 4: a
/// single pair of cylinders 3.8 microseconds for 4.5, eight octagons 2.0 for 2.4).
///
/// The compiler puts all instances of a method into the unit of the module of its `Self`, and compiles one unit on one
/// core: a hundred instances of one kernel's type would be compiled one after the other. Types declared in several
/// modules, one for each part of the instances, spread them over cores.
///
/// # Panics
/// As [`dispatch`] does.
///
/// ```
/// use jostle_lanes::{dispatch_at, Kernel, Lanes, Scalar};
///
/// struct Width;
/// impl<T: Scalar> Kernel<T> for Width {
///     type Output = usize;
///     #[inline(always)]
///     fn run<L: Lanes<Scalar = T>>(self) -> usize {
///         L::WIDTH
///     }
/// }
/// mod single {
///     pub enum Home {}
/// }
/// mod double {
///     pub enum Home {}
/// }
/// let lanes = dispatch_at::<single::Home, f32, _>(100, Width);
/// assert_eq!(lanes, 2 * dispatch_at::<double::Home, f64, _>(100, Width));
/// assert!(dispatch_at::<single::Home, f32, _>(3, Width) <= 8);
/// ```
#[inline]
pub fn dispatch_at<H, T: Scalar, K: Kernel<T>>(lanes: usize, kernel: K) -> K::Output {
    match verified_choice() {
        Ok(isa) => {
            T::run_on::<H, K>(if lanes <= HALF_REGISTER_BYTES / size_of::<T>() { isa.narrower() } else { *isa }, kernel)
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs a kernel with a given instruction set: for tests that compare one with another.
///
/// # Panics
/// If this machine lacks it.
///
/// ```
/// use jostle_lanes::{dispatch_on, Isa, Kernel, Lanes};
///
/// struct Third;
/// impl Kernel<f32> for Third {
///     type Output = f32;
///     #[inline(always)]
///     fn run<L: Lanes<Scalar = f32>>(self) -> f32 {
///         (L::one() / L::splat(3.0)).lane(0)
///     }
/// }
/// // The same bits everywhere, also at width 1.
/// for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
///     assert_eq!(dispatch_on(isa, Third), Third.run::<f32>());
/// }
/// ```
pub fn dispatch_on<T: Scalar, K: Kernel<T>>(isa: Isa, kernel: K) -> K::Output {
    match Verified::new(isa) {
        Some(isa) => T::run_on::<K, K>(isa, kernel),
        None => panic!("{}", IsaError::Missing(isa)),
    }
}

/// The wrappers of all instruction sets and the choice among them, for one type of number. (Methods of every type `H`,
/// for [`dispatch_at`].)
macro_rules! wrappers {
    (
        $t:ident, $wrappers:ident, $choose:ident, $portable:ident $portable_lanes:ident,
        $avx2:ident $avx2_lanes:ident, $avx512:ident $avx512_lanes:ident
    ) => {
        #[inline(always)]
        pub(crate) fn $choose<H, K: Kernel<$t>>(isa: Verified, kernel: K) -> K::Output {
            match isa.isa() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: a `Verified` exists only if this machine reports every feature of the wrapper.
                Isa::Avx512 => unsafe { <H as $wrappers>::$avx512(kernel) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Isa::Avx2 => unsafe { <H as $wrappers>::$avx2(kernel) },
                _ => <H as $wrappers>::$portable(kernel),
            }
        }

        trait $wrappers {
            fn $portable<K: Kernel<$t>>(kernel: K) -> K::Output;
            #[cfg(target_arch = "x86_64")]
            unsafe fn $avx2<K: Kernel<$t>>(kernel: K) -> K::Output;
            #[cfg(target_arch = "x86_64")]
            unsafe fn $avx512<K: Kernel<$t>>(kernel: K) -> K::Output;
        }

        impl<H> $wrappers for H {
            #[inline(never)]
            fn $portable<K: Kernel<$t>>(kernel: K) -> K::Output {
                kernel.run::<crate::portable::$portable_lanes>()
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn $avx2<K: Kernel<$t>>(kernel: K) -> K::Output {
                kernel.run::<crate::avx2::$avx2_lanes>()
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
            unsafe fn $avx512<K: Kernel<$t>>(kernel: K) -> K::Output {
                kernel.run::<crate::avx512::$avx512_lanes>()
            }
        }
    };
}

wrappers!(f32, Single, run_f32, portable_kernel_f32 F32x4, avx2_kernel_f32 F32x8, avx512_kernel_f32 F32x16);
wrappers!(f64, Double, run_f64, portable_kernel_f64 F64x2, avx2_kernel_f64 F64x4, avx512_kernel_f64 F64x8);
