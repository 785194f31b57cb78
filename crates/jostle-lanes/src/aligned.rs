//! Values that begin at a cache line.
//!
//! The widest register is as large as a cache line: loading one from numbers that lie elsewhere, as those of a vector
//! do, reads two lines. The same holds for rows of the size of a line that lie in a vector and are read and written one
//! at a time.

use core::fmt::Debug;

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

/// The size of a cache line in bytes.
const LINE_BYTES: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE_BYTES]);

// SAFETY: it consists of bytes, any of which are valid, and has no padding.
unsafe impl Zeroable for Line {}
// SAFETY: as above.
unsafe impl Pod for Line {}

/// Whole cache lines of numbers.
///
/// ```
/// use jostle_lanes::Aligned;
///
/// let mut squares = Aligned::<f64>::zeroed(20);
/// for (i, square) in squares.as_mut_slice().iter_mut().enumerate() {
///     *square = (i * i) as f64;
/// }
/// assert_eq!(squares.as_slice()[19], 361.0);
/// assert_eq!(squares.as_slice().len(), 24);
/// assert_eq!(squares.as_slice().as_ptr().addr() % 64, 0);
/// ```
#[derive(Clone)]
pub struct Aligned<T> {
    lines: Box<[Line]>,
    numbers: core::marker::PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// At least `len` zeros: as many as fill whole lines.
    ///
    /// # Panics
    /// If a line does not hold a whole number of them.
    pub fn zeroed(len: usize) -> Self {
        assert!(LINE_BYTES.is_multiple_of(size_of::<T>()), "a line does not hold a whole number of these");
        let lines = vec![Line::zeroed(); len.div_ceil(LINE_BYTES / size_of::<T>())].into();
        Self { lines, numbers: core::marker::PhantomData }
    }
    /// All numbers.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        cast_slice(&self.lines)
    }
    /// All numbers, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        cast_slice_mut(&mut self.lines)
    }
}

impl<T: Pod + PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Pod + Debug> Debug for Aligned<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// A type of size zero: a struct with a field of it is aligned as it is.
///
/// ```
/// use jostle_lanes::{D2, D3, Space};
///
/// struct Row<S: Space> {
///     points: [S::Array<f64>; 2],
///     numbers: [f32; 5],
///     alignment: S::RowAlignment<f32>,
/// }
/// assert_eq!((size_of::<Row<D2>>(), align_of::<Row<D2>>()), (64, 64));
/// assert_eq!((size_of::<Row<D3>>(), align_of::<Row<D3>>()), (72, 8));
/// ```
pub trait Alignment: Copy + Debug + Default + PartialEq + Send + Sync + 'static {}

/// No more than the rest of the struct requires.
impl Alignment for () {}

/// As a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
pub struct LineAligned;

impl Alignment for LineAligned {}

/// A value that begins at a cache line, wherever it is kept: an array on the stack, into which registers are written
/// before single numbers are read, or the other way round.
///
/// (A number just written as part of a register is forwarded to a load, but not if the register was written across the
/// border of two lines: then the load waits until both are in the cache. Zen 5, pairs of hulls of 256 points: 677 ns,
/// 624 with their directions on lines of their own.)
///
/// ```
/// use jostle_lanes::OnLines;
///
/// let mut rows = OnLines([[0.0_f32; 16]; 3]);
/// rows.0[1][4] = 2.0;
/// assert_eq!(rows.0.as_ptr().addr() % 64, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct OnLines<A>(pub A);
