//! Lanes as numbers.
//!
//! A kernel is written once, generic over [`Lanes`] and [`Space`], and runs at every width: `f32` and `f64` one at a
//! time, portable vectors of `wide`, AVX2 and AVX-512 registers. [`dispatch()`] chooses the widest that the machine
//! has, at run time, so a plain `cargo build --release` is as fast as one tuned to the machine, and gives the same
//! bits.
//!
//! This crate deals with numbers, masks, vectors and rotations only, not with shapes, pairs or bodies.
//!
//! ```
//! use jostle_lanes::{dispatch, Kernel, Lanes};
//!
//! /// Euclidean lengths of 2D vectors given as two columns.
//! struct Lengths<'a> { x: &'a [f32], y: &'a [f32], out: &'a mut [f32] }
//!
//! impl Kernel<f32> for Lengths<'_> {
//!     type Output = ();
//!     #[inline(always)]
//!     fn run<L: Lanes<Scalar = f32>>(self) {
//!         for i in (0..self.out.len()).step_by(L::WIDTH) {
//!             let (x, y) = (L::load(&self.x[i..]), L::load(&self.y[i..]));
//!             (x * x + y * y).sqrt().store(&mut self.out[i..]);
//!         }
//!     }
//! }
//!
//! let (x, y, mut out) = ([3.0; 16], [4.0; 16], [0.0; 16]);
//! dispatch(Lengths { x: &x, y: &y, out: &mut out });
//! assert_eq!(out, [5.0; 16]);
//! ```
//!
//! Two rules for kernels. Everything they call is `#[inline(always)]` (a helper that is not loses the instruction set
//! of its caller, silently, and becomes 20 to 50 times as slow), including closures of more than a few operations
//! (`Vec3::from_fn(#[inline(always)] |k| ...)`). And they are dispatched *inside* each task of a thread pool, never
//! around the pool.

mod aligned;
mod angle;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bits;
mod dispatch;
mod each;
mod element;
mod formulas;
mod isa;
mod lanes;
mod least;
mod portable;
mod prefetch;
mod scalar;
mod space;
mod sum;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use aligned::{Aligned, Alignment, LineAligned, OnLines};
pub use bits::{SetBits, first_bits, set_bits};
pub use dispatch::{dispatch, dispatch_at, dispatch_on};
pub use each::{EachLanes, MakeEach, PerLanes};
pub use element::Element;
pub use isa::{Isa, IsaError};
pub use lanes::{Kernel, Lanes, Mask, Scalar};
pub use least::Least;
pub use prefetch::{prefetch, prefetch_at, prefetch_far, prefetch_far_at, prefetch_in_turn, prefetch_lines};
pub use space::{D2, D3, Space};
pub use sum::sum_of_three;
pub use vector::{Rot, Rot2, Rot3, Vec2, Vec3, Vector};
