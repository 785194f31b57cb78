//! One place decides which instruction set runs: detected once, narrowed on request by `JOSTLE_ISA`.
//!
//! Everything hangs on inlining. A wrapper below carries `#[target_feature]`; the kernel's `run`, the lane operations
//! and the intrinsics melt into it and so are compiled for that instruction set. Whatever does *not* melt is compiled
//! for the plain target, where each lane operation becomes a call through memory. The traps, none of which the
//! compiler reports (`.ci/no-calls.sh` does, by disassembling the wrappers):
//!
//! - A helper without `#[inline(always)]`: 20 to 30 times slower in `examples/kernels.rs`, whichever is left out.
//!   `#[inline]` is a hint and gives way in larger kernels.
//! - A closure of more than a few operations (41 instead of 0.9 ns a row for one of 25), let-bound or passed on. Only
//!   as an argument of a call may a closure carry the attribute, so write `V::from_fn(#[inline(always)] |k| ...)`,
//!   and `let f = core::convert::identity(#[inline(always)] |x: L| ...)`, or use a generic function.
//! - Library functions that are merely `#[inline]` around such a closure (`core::array::from_fn`, iterator adaptors).
//! - A closure handed to another thread (rayon, `std::thread`): it runs outside the wrapper. Dispatch inside the task.
//! - `dyn` and function pointers: never inlined.
//!
//! The wrappers themselves are `#[inline(never)]`: one symbol per kernel and instruction set, to be found in a profile
//! and by that script. They leave out `fma`: one algorithm gives the same bits everywhere.

use core::fmt;
use std::sync::OnceLock;

use crate::lanes::private::Verified;
use crate::{Lanes, Scalar};

/// Work that is written once over lanes and run at the width the machine has (the crate's front page has an example).
pub trait Kernel<T: Scalar> {
    /// What the work gives back.
    type Output;
    /// The work. Implementations must be `#[inline(always)]`, and so must everything they call.
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output;
}

/// An instruction set that kernels can be compiled for.
///
/// ```
/// use jostle_lanes::Isa;
///
/// let widest = Isa::ALL.into_iter().rev().find(|isa| isa.available());
/// println!("{} of {widest:?}", Isa::choose()?);
/// # Ok::<(), jostle_lanes::IsaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// What every machine of the target has: SSE2 on x86-64, NEON on ARM, through `wide`.
    Portable,
    /// AVX2: 8 lanes of `f32`, 4 of `f64`.
    Avx2,
    /// AVX-512 F, VL, DQ and BW: 16 lanes of `f32`, 8 of `f64`.
    Avx512,
}

/// Why an instruction set asked for cannot be had.
///
/// ```
/// use jostle_lanes::{Isa, IsaError};
///
/// let error = IsaError::Missing(Isa::Avx512);
/// assert_eq!(error.to_string(), "this machine lacks the instruction set avx512");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IsaError {
    /// `JOSTLE_ISA` holds a word that names none.
    Unknown(String),
    /// This machine cannot execute it.
    Missing(Isa),
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => {
                write!(f, "JOSTLE_ISA is '{word}', which names no instruction set (sse2, avx2 or avx512)")
            }
            Self::Missing(isa) => write!(f, "this machine lacks the instruction set {isa}"),
        }
    }
}

impl std::error::Error for IsaError {}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Isa {
    /// All, narrowest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// The name as `JOSTLE_ISA` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable if cfg!(target_arch = "x86_64") => "sse2",
            Isa::Portable if cfg!(target_arch = "aarch64") => "neon",
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// True if this machine can execute it.
    ///
    /// AVX2 includes what came with it (BMI1, BMI2, LZCNT, POPCNT), so that kernels count and scan masks in one
    /// instruction.
    pub fn available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("bmi1")
                    && std::is_x86_feature_detected!("bmi2")
                    && std::is_x86_feature_detected!("lzcnt")
                    && std::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.available()
                    && std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512vl")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The widest this machine has, or the one that the environment variable `JOSTLE_ISA` asks for. Looked up once;
    /// what the variable says later has no effect.
    ///
    /// # Errors
    /// If the variable names no instruction set, or one that the machine lacks.
    pub fn choose() -> Result<Isa, IsaError> {
        verified_choice().as_ref().map(|verified| verified.isa()).map_err(Clone::clone)
    }

    /// The choice as a pure function of the variable and the machine.
    fn parse(word: Option<&str>, available: impl Fn(Isa) -> bool) -> Result<Isa, IsaError> {
        match word {
            None | Some("") => Ok(Isa::ALL.into_iter().rev().find(|&isa| available(isa)).unwrap_or(Isa::Portable)),
            Some(word) => match Isa::ALL.into_iter().find(|isa| isa.name() == word) {
                Some(isa) if available(isa) => Ok(isa),
                Some(isa) => Err(IsaError::Missing(isa)),
                None => Err(IsaError::Unknown(word.to_owned())),
            },
        }
    }
}

fn verified_choice() -> &'static Result<Verified, IsaError> {
    static CHOICE: OnceLock<Result<Verified, IsaError>> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let word = std::env::var_os("JOSTLE_ISA");
        let isa = Isa::parse(word.as_ref().map(|word| word.to_string_lossy()).as_deref(), Isa::available)?;
        Verified::new(isa).ok_or(IsaError::Missing(isa))
    })
}

/// Runs a kernel at the widest lanes of this machine (see [`Isa::choose`]).
///
/// # Panics
/// If `JOSTLE_ISA` asks for what cannot be had; programs call [`Isa::choose`] first to report that as an error.
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
    dispatch_at::<K, T, K>(kernel)
}

/// [`dispatch`], compiled in the codegen unit of the module where `H` is declared, which may be any type.
///
/// The compiler puts all instances of a method into the unit of the module of its `Self`, and works on one unit on one
/// core: a hundred instances of one kernel's type would be compiled one after the other. Types declared in several
/// modules, one for each part of them, spread them over cores.
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
/// let lanes = dispatch_at::<single::Home, f32, _>(Width);
/// assert_eq!(lanes, 2 * dispatch_at::<double::Home, f64, _>(Width));
/// ```
#[inline]
pub fn dispatch_at<H, T: Scalar, K: Kernel<T>>(kernel: K) -> K::Output {
    match verified_choice() {
        Ok(isa) => T::run_on::<H, K>(*isa, kernel),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a kernel with a given instruction set: for tests that hold one against another.
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

/// The wrapper of one instruction set and the choice among them, for one type of number. (Methods of every type `H`, for
/// the sake of [`dispatch_at`].)
macro_rules! wrappers {
    (
        $t:ident, $wrappers:ident, $choose:ident, $portable:ident $portable_lanes:ident,
        $avx2:ident $avx2_lanes:ident, $avx512:ident $avx512_lanes:ident
    ) => {
        #[inline(always)]
        pub(crate) fn $choose<H, K: Kernel<$t>>(isa: Verified, kernel: K) -> K::Output {
            match isa.isa() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: whoever holds a `Verified` has seen this machine report every feature of the wrapper.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_is_chosen_unless_the_variable_says_otherwise() {
        let everything = |_| true;
        assert_eq!(Isa::parse(None, everything), Ok(Isa::Avx512));
        assert_eq!(Isa::parse(Some(""), everything), Ok(Isa::Avx512));
        assert_eq!(Isa::parse(None, |isa| isa != Isa::Avx512), Ok(Isa::Avx2));
        assert_eq!(Isa::parse(None, |isa| isa == Isa::Portable), Ok(Isa::Portable));
        for isa in Isa::ALL {
            assert_eq!(Isa::parse(Some(isa.name()), everything), Ok(isa));
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_by_name() {
        let error = Isa::parse(Some("avx512"), |isa| isa != Isa::Avx512).unwrap_err();
        assert_eq!(error, IsaError::Missing(Isa::Avx512));
        assert_eq!(error.to_string(), "this machine lacks the instruction set avx512");
        for word in ["AVX2", "avx", "scalar", " avx2"] {
            let error = Isa::parse(Some(word), |_| true).unwrap_err();
            assert_eq!(error, IsaError::Unknown(word.to_owned()));
            assert!(error.to_string().contains(word));
        }
    }

    #[test]
    fn only_what_is_available_is_verified() {
        for isa in Isa::ALL {
            assert_eq!(Verified::new(isa).map(Verified::isa), isa.available().then_some(isa));
        }
    }
}
