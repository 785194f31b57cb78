//! The instruction sets that kernels are compiled for, which of them this machine has, and which is requested.

use core::fmt;
use std::sync::OnceLock;

mod verified {
    use crate::isa::Isa;

    /// An instruction set that this machine has been verified to have. Kernels for it may run.
    #[derive(Clone, Copy, Debug)]
    pub struct Verified(Isa);

    impl Verified {
        /// `None` if this machine lacks it.
        pub(crate) fn new(isa: Isa) -> Option<Self> {
            isa.available().then_some(Self(isa))
        }
        /// AVX2 in place of AVX-512: no machine has the latter without it.
        #[inline]
        pub(crate) fn narrower(self) -> Self {
            Self(if self.0 == Isa::Avx512 { Isa::Avx2 } else { self.0 })
        }
        /// The instruction set.
        #[inline(always)]
        pub(crate) fn isa(self) -> Isa {
            self.0
        }
    }
}

pub(crate) use verified::Verified;

/// An instruction set that kernels can be compiled for.
///
/// ```
/// # use jostle_lanes as jostle;
/// use jostle::Isa;
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

/// Why a requested instruction set is not available.
///
/// ```
/// # use jostle_lanes as jostle;
/// use jostle::{Isa, IsaError};
///
/// let error = IsaError::Missing(Isa::Avx512);
/// assert_eq!(error.to_string(), "this machine lacks the instruction set avx512");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IsaError {
    /// `JOSTLE_ISA` names no instruction set.
    Unknown(String),
    /// This machine cannot execute it.
    Missing(Isa),
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => {
                let [narrow, middle, wide] = Isa::ALL.map(Isa::name);
                write!(f, "JOSTLE_ISA is '{word}', which names no instruction set ({narrow}, {middle} or {wide})")
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

    /// The widest that this machine has, or the one that the environment variable `JOSTLE_ISA` requests. Determined
    /// once; later changes of the variable have no effect.
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

/// What [`Isa::choose`] chooses, verified.
pub(crate) fn verified_choice() -> &'static Result<Verified, IsaError> {
    static CHOICE: OnceLock<Result<Verified, IsaError>> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let word = std::env::var_os("JOSTLE_ISA");
        let isa = Isa::parse(word.as_ref().map(|word| word.to_string_lossy()).as_deref(), Isa::available)?;
        Verified::new(isa).ok_or(IsaError::Missing(isa))
    })
}

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
            assert!(Verified::new(isa).is_none_or(|verified| verified.narrower().isa().available()));
        }
    }
}
