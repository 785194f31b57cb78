//! A value for each type of lanes, whose types cannot be named outside of this crate: for what is known before the
//! width is, and is needed by a kernel at its own width.

#[cfg(target_arch = "x86_64")]
use crate::avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
use crate::avx512::{F32x16, F64x8};
use crate::lanes::Lanes;
use crate::portable::{F32x4, F64x2};

/// A family of types, one for each type of lanes.
pub trait PerLanes {
    /// The type for lanes `L`.
    type For<L: Lanes>;
}

/// Makes the values of such a family.
pub trait MakeEach<P: PerLanes> {
    /// The value for lanes `L`.
    fn make<L: Lanes>(&self) -> P::For<L>;
}

/// A value for each type of lanes; a kernel gets its own by [`Lanes::of_each`].
///
/// ```
/// use jostle_lanes::{EachLanes, Kernel, Lanes, MakeEach, PerLanes, dispatch};
///
/// /// A function of numbers, behind a pointer.
/// struct Functions;
/// impl PerLanes for Functions {
///     type For<L: Lanes> = Box<dyn Fn(L) -> L>;
/// }
/// struct Doubling;
/// impl MakeEach<Functions> for Doubling {
///     fn make<L: Lanes>(&self) -> Box<dyn Fn(L) -> L> {
///         Box::new(|x| L::enter(#[inline(always)] || x + x))
///     }
/// }
/// struct Call<'a>(&'a EachLanes<Functions>);
/// impl Kernel<f64> for Call<'_> {
///     type Output = f64;
///     #[inline(always)]
///     fn run<L: Lanes<Scalar = f64>>(self) -> f64 {
///         L::of_each(self.0)(L::splat(21.0)).lane(0)
///     }
/// }
/// assert_eq!(dispatch(Call(&EachLanes::new(&Doubling))), 42.0);
/// ```
pub struct EachLanes<P: PerLanes> {
    pub(crate) f32x1: P::For<f32>,
    pub(crate) f64x1: P::For<f64>,
    pub(crate) f32x4: P::For<F32x4>,
    pub(crate) f64x2: P::For<F64x2>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) f32x8: P::For<F32x8>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) f64x4: P::For<F64x4>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) f32x16: P::For<F32x16>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) f64x8: P::For<F64x8>,
}

impl<P: PerLanes> EachLanes<P> {
    /// Makes all values.
    pub fn new(make: &impl MakeEach<P>) -> Self {
        Self {
            f32x1: make.make(),
            f64x1: make.make(),
            f32x4: make.make(),
            f64x2: make.make(),
            #[cfg(target_arch = "x86_64")]
            f32x8: make.make(),
            #[cfg(target_arch = "x86_64")]
            f64x4: make.make(),
            #[cfg(target_arch = "x86_64")]
            f32x16: make.make(),
            #[cfg(target_arch = "x86_64")]
            f64x8: make.make(),
        }
    }
}
