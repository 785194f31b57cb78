//! The lane trait: what a kernel may do with a number, whatever the number of lanes.
//!
//! `f32` and `f64` are lanes of width 1: the readable reference. Every other type gives the same bits as the scalar
//! does, lane by lane: no fused multiply-add, no reciprocal estimates, `min`/`max` defined as selects.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use crate::aligned::Alignment;
use crate::each::{EachLanes, PerLanes};
use crate::isa::Verified;
use crate::vector::{Vec2, Vec3};

pub(crate) mod private {
    /// Keeps [`super::Lanes`] and [`super::Mask`] closed: the vector types are reachable only through `dispatch`, which
    /// has verified that the machine can execute them.
    pub trait Sealed {}
}

/// One boolean per lane.
///
/// ```
/// use jostle_lanes::Mask;
///
/// fn either<M: Mask>(a: M, b: M) -> bool {
///     (a | b).any()
/// }
/// // The mask of one lane is `bool`; bits above the width are ignored.
/// assert!(either(true, bool::from_bits(0b10)));
/// assert_eq!(<bool as Mask>::splat(true).to_bits(), 1);
/// ```
pub trait Mask:
    private::Sealed
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The same boolean in every lane.
    fn splat(value: bool) -> Self;
    /// True if at least one lane is true.
    fn any(self) -> bool;
    /// True if every lane is true.
    fn all(self) -> bool;
    /// Lane `i` as bit `i`; bits at and above the width are zero.
    fn to_bits(self) -> u32;
    /// The inverse of [`Mask::to_bits`]; bits at and above the width are ignored.
    fn from_bits(bits: u32) -> Self;
}

/// `WIDTH` floating point numbers that are computed with at once.
///
/// All operations act lane by lane and equal the scalar operation bit for bit (NaN payloads aside).
///
/// ```
/// use jostle_lanes::{dispatch, Kernel, Lanes, Mask};
///
/// /// The places of the numbers below a limit: compare, then pack the indices of the lanes that are true.
/// struct Below<'a> { numbers: &'a [f32], limit: f32, places: &'a mut Vec<u32> }
///
/// impl Kernel<f32> for Below<'_> {
///     type Output = ();
///     #[inline(always)]
///     fn run<L: Lanes<Scalar = f32>>(self) {
///         let places: Vec<u32> = (0..self.numbers.len() as u32).collect();
///         // Packing may write a whole group of lanes, wanted or not.
///         self.places.resize(self.numbers.len() + L::WIDTH, 0);
///         let mut count = 0;
///         for i in (0..self.numbers.len()).step_by(L::WIDTH) {
///             let below = L::load(&self.numbers[i..]).lt(L::splat(self.limit));
///             count += L::left_pack(below, &places[i..], &mut self.places[count..]);
///         }
///         self.places.truncate(count);
///     }
/// }
///
/// let numbers: Vec<f32> = (0..32).map(|i| (i % 5) as f32).collect();
/// let mut places = Vec::new();
/// dispatch(Below { numbers: &numbers, limit: 1.0, places: &mut places });
/// assert_eq!(places, [0, 5, 10, 15, 20, 25, 30]);
/// ```
pub trait Lanes:
    private::Sealed
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number in one lane: `f32` or `f64`.
    type Scalar: Scalar;
    /// What a comparison gives.
    type Mask: Mask;
    /// Lanes in a register of no more than 256 bits: for the few numbers of a single thing, which would not fill a
    /// wider register, whose roots and divisions take twice as long.
    ///
    /// ```
    /// use jostle_lanes::{Kernel, Lanes, dispatch};
    ///
    /// struct Widths;
    /// impl Kernel<f32> for Widths {
    ///     type Output = [usize; 2];
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) -> [usize; 2] {
    ///         [L::WIDTH, L::Narrow::WIDTH]
    ///     }
    /// }
    /// let [wide, narrow] = dispatch(Widths);
    /// assert_eq!(narrow, wide.min(8));
    /// ```
    type Narrow: Lanes<Scalar = Self::Scalar>;
    /// How many numbers one value holds: 1, 2, 4, 8 or 16.
    const WIDTH: usize;
    /// True for lanes that only old or small machines fall back to: for them one kernel of many purposes may replace
    /// several of one purpose each, to save compile time.
    ///
    /// ```
    /// use jostle_lanes::{Isa, Kernel, Lanes, dispatch_on};
    ///
    /// struct Coarse;
    /// impl Kernel<f32> for Coarse {
    ///     type Output = bool;
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) -> bool {
    ///         L::FALLBACK
    ///     }
    /// }
    /// for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
    ///     assert_eq!(dispatch_on(isa, Coarse), isa == Isa::Portable && cfg!(target_arch = "x86_64"));
    /// }
    /// ```
    const FALLBACK: bool = false;

    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// The first `WIDTH` numbers of `source`.
    ///
    /// # Panics
    /// If `source` is shorter than `WIDTH`.
    fn load(source: &[Self::Scalar]) -> Self;
    /// Writes the lanes over the first `WIDTH` numbers of `target`.
    ///
    /// # Panics
    /// If `target` is shorter than `WIDTH`.
    fn store(self, target: &mut [Self::Scalar]);
    /// Lane by lane from a function of the lane's index.
    fn from_fn(f: impl FnMut(usize) -> Self::Scalar) -> Self;
    /// The number in lane `index`. Slow: for edges of kernels, not their middle.
    ///
    /// # Panics
    /// If `index` is not below `WIDTH`.
    fn lane(self, index: usize) -> Self::Scalar;

    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// The absolute value (clears the sign bit).
    fn abs(self) -> Self;
    /// `if self < other { self } else { other }`: `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// The magnitude of `self` with the sign bit of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// The largest power of two that is not above the absolute value (clears the sign and the mantissa; 4 for -5.5):
    /// zero for zero and for subnormal numbers, infinity for infinity and NaN.
    fn power_of_two(self) -> Self;

    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`; false where either is NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// `self >= other`; false where either is NaN.
    fn ge(self, other: Self) -> Self::Mask;
    /// `self == other`; false where either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `a` where `mask` is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// The smallest lane (no lane may be NaN; -0.0 and 0.0 are equals, either may come back).
    fn reduce_min(self) -> Self::Scalar;
    /// The largest lane (no lane may be NaN; -0.0 and 0.0 are equals, either may come back).
    fn reduce_max(self) -> Self::Scalar;

    /// Copies those of the first `WIDTH` `words` whose lane is true to the front of `target`, in order, and returns how
    /// many there were. What lies behind them in `target[..WIDTH]` may be overwritten.
    ///
    /// # Panics
    /// If either slice is shorter than `WIDTH`.
    fn left_pack(mask: Self::Mask, words: &[u32], target: &mut [u32]) -> usize;
    /// Rows of eight numbers as eight columns: lane `i` of column `k` is `row(i)[k]`.
    ///
    /// ```
    /// use jostle_lanes::{dispatch, Kernel, Lanes};
    ///
    /// struct Columns;
    /// impl Kernel<f32> for Columns {
    ///     type Output = [f32; 8];
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) -> [f32; 8] {
    ///         let rows = [[0.0; 8], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]];
    ///         let columns = L::gather_rows(#[inline(always)] |lane| &rows[(lane + 1) % 2]);
    ///         columns.map(|column| column.lane(0))
    ///     }
    /// }
    /// assert_eq!(dispatch(Columns), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    /// ```
    fn gather_rows<'r>(row: impl Fn(usize) -> &'r [Self::Scalar; 8]) -> [Self; 8];
    /// The inverse: row `i` of the first `WIDTH` rows becomes lane `i` of each column.
    ///
    /// # Panics
    /// If there are fewer rows.
    ///
    /// ```
    /// use jostle_lanes::{dispatch, Kernel, Lanes};
    ///
    /// struct Rows<'a>(&'a mut [[f32; 8]]);
    /// impl Kernel<f32> for Rows<'_> {
    ///     type Output = ();
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) {
    ///         let (zero, one) = (L::zero(), L::one());
    ///         L::scatter_rows(&[zero, one, L::splat(2.0), zero, zero, zero, zero, one], self.0);
    ///     }
    /// }
    /// let mut rows = [[9.0; 8]; 16];
    /// dispatch(Rows(&mut rows));
    /// assert_eq!(rows[0], [0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    /// ```
    fn scatter_rows(columns: &[Self; 8], rows: &mut [[Self::Scalar; 8]]);
    /// `WIDTH` rows of eight numbers.
    type Rows: Copy + core::ops::Index<usize, Output = [Self::Scalar; 8]>;
    /// [`scatter_rows`](Lanes::scatter_rows) into new memory, of exactly `WIDTH` rows.
    ///
    /// ```
    /// use jostle_lanes::{dispatch, Kernel, Lanes};
    ///
    /// struct Last;
    /// impl Kernel<f64> for Last {
    ///     type Output = [f64; 8];
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f64>>(self) -> [f64; 8] {
    ///         L::to_rows(&[L::splat(2.0); 8])[L::WIDTH - 1]
    ///     }
    /// }
    /// assert_eq!(dispatch(Last), [2.0; 8]);
    /// ```
    fn to_rows(columns: &[Self; 8]) -> Self::Rows;
    /// Looks numbers up in tables: lane `i` of row `k` is `tables[k][j]`, where `j` is the byte of `names[i]` that
    /// begins at bit `shift` (0, 8, 16 or 24). If `j` is not below `length`, any number of the table may be returned:
    /// short tables are looked up in registers.
    ///
    /// ```
    /// use jostle_lanes::{Kernel, Lanes, dispatch};
    ///
    /// struct Squares;
    /// impl Kernel<f32> for Squares {
    ///     type Output = f32;
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) -> f32 {
    ///         let mut squares = [0.0; 256];
    ///         for i in 0..20 {
    ///             squares[i] = (i * i) as f32;
    ///         }
    ///         let [found] = L::look_up(&[squares], 20, &[0x0703; 16], 8);
    ///         found.lane(0)
    ///     }
    /// }
    /// assert_eq!(dispatch(Squares), 49.0);
    /// ```
    fn look_up<const N: usize>(
        tables: &[[Self::Scalar; 256]; N],
        length: usize,
        names: &[u32; 16],
        shift: u32,
    ) -> [Self; N];
    /// True in each lane whose word has no bit in common with `probe`.
    ///
    /// # Panics
    /// If `words` is shorter than `WIDTH`.
    fn bits_disjoint(words: &[u32], probe: u32) -> Self::Mask;

    /// Runs some work in a function of its own that is compiled for these lanes: for work that is reached through a
    /// pointer (a `dyn` trait's method), which would otherwise be compiled for the plain target, with a call for each
    /// operation; and for long work that occurs in many places of a kernel, which would be compiled in each of them.
    /// The closure must be `#[inline(always)]`.
    ///
    /// ```
    /// use jostle_lanes::{Kernel, Lanes, dispatch};
    ///
    /// trait Curve<L: Lanes> {
    ///     fn at(&self, x: L) -> L;
    /// }
    /// struct Circle;
    /// impl<L: Lanes> Curve<L> for Circle {
    ///     fn at(&self, x: L) -> L {
    ///         L::enter(#[inline(always)] || (L::one() - x * x).sqrt())
    ///     }
    /// }
    /// struct Evaluate(f32);
    /// impl Kernel<f32> for Evaluate {
    ///     type Output = f32;
    ///     #[inline(always)]
    ///     fn run<L: Lanes<Scalar = f32>>(self) -> f32 {
    ///         let curve: &dyn Curve<L> = &Circle;
    ///         curve.at(L::splat(self.0)).lane(0)
    ///     }
    /// }
    /// assert_eq!(dispatch(Evaluate(0.6)), 0.8);
    /// ```
    fn enter<R>(work: impl FnOnce() -> R) -> R;
    /// The value of `each` for these lanes.
    fn of_each<P: PerLanes>(each: &EachLanes<P>) -> &P::For<Self>;

    // The formulas of vectors (`formulas.rs`).
    #[doc(hidden)]
    fn dot2(a: Vec2<Self>, b: Vec2<Self>) -> Self;
    #[doc(hidden)]
    fn cross2(a: Vec2<Self>, b: Vec2<Self>) -> Self;
    #[doc(hidden)]
    fn add2(a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self>;
    #[doc(hidden)]
    fn sub2(a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self>;
    #[doc(hidden)]
    fn neg2(a: Vec2<Self>) -> Vec2<Self>;
    #[doc(hidden)]
    fn times2(a: Vec2<Self>, b: Self) -> Vec2<Self>;
    #[doc(hidden)]
    fn select2(mask: Self::Mask, a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self>;
    #[doc(hidden)]
    fn dot3(a: Vec3<Self>, b: Vec3<Self>) -> Self;
    #[doc(hidden)]
    fn cross3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self>;
    #[doc(hidden)]
    fn add3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self>;
    #[doc(hidden)]
    fn sub3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self>;
    #[doc(hidden)]
    fn neg3(a: Vec3<Self>) -> Vec3<Self>;
    #[doc(hidden)]
    fn times3(a: Vec3<Self>, b: Self) -> Vec3<Self>;
    #[doc(hidden)]
    fn select3(mask: Self::Mask, a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self>;

    /// The smallest number among the lanes that are true; infinity if none is (no lane may be NaN).
    #[inline(always)]
    fn least_where(self, mask: Self::Mask) -> Self::Scalar {
        let bits = mask.to_bits();
        // Usually one lane is true, and reading it is faster than comparing all.
        if bits.is_power_of_two() {
            self.lane(bits.trailing_zeros() as usize)
        } else {
            Self::select(mask, self, Self::splat(Self::Scalar::INFINITY)).reduce_min()
        }
    }
    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::ZERO)
    }
    /// One in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(Self::Scalar::ONE)
    }
    /// A constant in every lane, rounded to the lane's type.
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(value))
    }
}

/// [`Lanes::gather_rows`] for lanes that have no faster way.
#[inline(always)]
pub(crate) fn gather_rows<'r, L: Lanes>(row: impl Fn(usize) -> &'r [L::Scalar; 8]) -> [L; 8] {
    let column = core::convert::identity(
        #[inline(always)]
        |k: usize| {
            L::from_fn(
                #[inline(always)]
                |i| row(i)[k],
            )
        },
    );
    [column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7)]
}

/// [`Lanes::look_up`] for lanes that have no faster way.
#[inline(always)]
pub(crate) fn look_up<L: Lanes, const N: usize>(
    tables: &[[L::Scalar; 256]; N],
    names: &[u32; 16],
    shift: u32,
) -> [L; N] {
    let mut rows = [L::zero(); N];
    for (row, table) in rows.iter_mut().zip(tables) {
        *row = L::from_fn(
            #[inline(always)]
            |i| table[(names[i] >> shift & 0xff) as usize],
        );
    }
    rows
}

/// [`Lanes::scatter_rows`] for lanes that have no faster way.
#[inline(always)]
pub(crate) fn scatter_rows<L: Lanes>(columns: &[L; 8], rows: &mut [[L::Scalar; 8]]) {
    for (i, row) in rows[..L::WIDTH].iter_mut().enumerate() {
        for k in 0..8 {
            row[k] = columns[k].lane(i);
        }
    }
}

/// A number that fills one lane: `f32` or `f64`, each also the lane type of width 1.
///
/// ```
/// use jostle_lanes::Scalar;
///
/// // Bounds are rounded outward, so that an interval in `f32` contains the one in `f64`.
/// let (low, high) = (f32::round_down(0.1), f32::round_up(0.1));
/// assert!(low.to_f64() < 0.1 && 0.1 < high.to_f64());
/// assert_eq!(low.next_up(), high);
/// assert_eq!((0.0_f32.index(), 65_535.0_f64.index()), (0, 65_535));
/// ```
pub trait Scalar:
    Lanes<Scalar = Self, Mask = bool>
    + PartialOrd
    + PartialEq
    + Default
    + bytemuck::Pod
    + core::fmt::Display
    + core::fmt::LowerExp
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The unit round-off: half the distance from 1 to the next number (2^-24, 2^-53).
    const UNIT_ROUNDOFF: Self;
    /// True for `f64`. A constant by which kernels can be cut down (`if const { .. }`) before they are compiled.
    const DOUBLE: bool;
    /// Positive infinity.
    const INFINITY: Self;
    /// The name that the command line uses: `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// [`Space::RowAlignment`](crate::Space::RowAlignment) in the plane.
    type PlaneRowAlignment: Alignment;
    /// Rounds to nearest.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// The largest number of this type that is not above `value`.
    fn round_down(value: f64) -> Self;
    /// The smallest number of this type that is not below `value`.
    fn round_up(value: f64) -> Self;
    /// A whole number, from zero to below 2^22, as an index; the result for any other number is meaningless. (A cast
    /// would check for numbers that no index can be, each time.)
    fn index(self) -> usize;
    /// True for numbers that are neither infinite nor NaN.
    fn finite(self) -> bool;
    /// The column of this type, of one kept in both precisions.
    fn column<'a>(single: &'a [f32], double: &'a [f64]) -> &'a [Self];

    #[doc(hidden)]
    fn run_on<H, K: Kernel<Self>>(isa: Verified, kernel: K) -> K::Output;
}

/// Work that is written once over lanes and run at the width that the machine has (the crate's front page has an
/// example).
pub trait Kernel<T: Scalar> {
    /// The result.
    type Output;
    /// The work. Implementations must be `#[inline(always)]`, and so must everything they call.
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output;
}
