//! One place decides which instruction set runs: detected once, narrowed on request by `JOSTLE_ISA`.

use core::fmt;
use std::sync::OnceLock;

use crate::{Lanes, Scalar};

/// Work that is written once over lanes and run at the width the machine has.
pub trait Kernel<T: Scalar> {
    /// What the work gives back.
    type Output;
    /// The work. Implementations must be `#[inline(always)]`, and so must everything they call.
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output;
}

/// An instruction set that kernels can be compiled for.
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
    pub fn available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => std::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512vl")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The widest this machine has, or the one that the environment variable `JOSTLE_ISA` asks for.
    ///
    /// # Errors
    /// If the variable names no instruction set, or one that the machine lacks.
    pub fn choose() -> Result<Isa, IsaError> {
        static CHOICE: OnceLock<Result<Isa, IsaError>> = OnceLock::new();
        CHOICE
            .get_or_init(|| match std::env::var("JOSTLE_ISA") {
                Ok(word) if !word.is_empty() => match Isa::ALL.into_iter().find(|isa| isa.name() == word) {
                    Some(isa) if isa.available() => Ok(isa),
                    Some(isa) => Err(IsaError::Missing(isa)),
                    None => Err(IsaError::Unknown(word)),
                },
                _ => Ok(Isa::ALL.into_iter().rev().find(|isa| isa.available()).unwrap_or(Isa::Portable)),
            })
            .clone()
    }
}

/// Runs a kernel at the widest lanes of this machine (see [`Isa::choose`]).
///
/// # Panics
/// If `JOSTLE_ISA` asks for what cannot be had; programs call [`Isa::choose`] first to report that as an error.
#[inline]
pub fn dispatch<T: Scalar, K: Kernel<T>>(kernel: K) -> K::Output {
    match Isa::choose() {
        Ok(isa) => T::run_on(isa, kernel),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a kernel with a given instruction set: for tests that hold one against another.
///
/// # Panics
/// If this machine lacks it.
pub fn dispatch_on<T: Scalar, K: Kernel<T>>(isa: Isa, kernel: K) -> K::Output {
    assert!(isa.available(), "{}", IsaError::Missing(isa));
    T::run_on(isa, kernel)
}

pub(crate) fn run_f32<K: Kernel<f32>>(_isa: Isa, kernel: K) -> K::Output {
    kernel.run::<crate::portable::F32x4>()
}

pub(crate) fn run_f64<K: Kernel<f64>>(_isa: Isa, kernel: K) -> K::Output {
    kernel.run::<crate::portable::F64x2>()
}
