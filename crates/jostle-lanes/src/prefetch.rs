//! Prefetching memory before it is needed.
//!
//! A body at a random place costs three cache misses, and a processor that waits for them one body after the other does
//! little else. Which bodies come next is known: prefetched dozens of bodies ahead, they are there in time.
//!
//! Memory that is needed so late is prefetched *far*, into the second level of the cache only. The first level keeps
//! track of some twenty lines in flight, and then another access has to wait; and lines that arrive evict what is
//! needed sooner. (Distances of the scene of `table narrowphase`, Zen 4, builds in turns, ns a pair: boxes 86 -> 71,
//! cylinders 227 -> 207, hulls of 16 points 262 -> 243.) What is needed a packet later, such as the points of hulls, is
//! prefetched into all levels.

use core::mem::{align_of, size_of};

const LINE_BYTES: usize = 64;

/// Into all levels of the cache: the x86 hint T0.
const INTO_ALL_LEVELS: i32 = 3;
/// Not into the first level: T1.
const INTO_SECOND_LEVEL: i32 = 2;

/// The number of cache lines of a value: at least one, at most eight.
#[cfg(target_arch = "x86_64")]
const fn lines_of<T>() -> usize {
    let lines = size_of::<T>().div_ceil(LINE_BYTES);
    if lines < 1 {
        1
    } else if lines > 8 {
        8
    } else {
        lines
    }
}

/// True if a value may extend over one line more than its size requires. (A position of 24 bytes does so at one of four
/// places; without this its second line was waited for: 10 of 40 ns a pair of balls at random places.)
#[cfg(target_arch = "x86_64")]
const fn may_straddle<T>() -> bool {
    align_of::<T>() < LINE_BYTES && size_of::<T>() > align_of::<T>()
}

/// Prefetches `value`, or its first few cache lines. Changes nothing but how long a later access takes.
///
/// ```
/// let column = [1.0, 2.0, 3.0];
/// for i in 0..column.len() {
///     if let Some(ahead) = column.get(i + 2) {
///         jostle_lanes::prefetch(ahead);
///     }
/// }
/// ```
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_value::<T, INTO_ALL_LEVELS>(value);
}

/// The same for `values[index]`. Memory beyond the end is prefetched as well, whatever it is: that changes nothing
/// either, and a check would cost as much as the prefetch.
///
/// ```
/// let column = [1.0, 2.0, 3.0];
/// for i in 0..column.len() {
///     jostle_lanes::prefetch_at(&column, i + 2);
/// }
/// ```
#[inline(always)]
pub fn prefetch_at<T>(values: &[T], index: usize) {
    prefetch_value::<T, INTO_ALL_LEVELS>(values.as_ptr().wrapping_add(index));
}

/// The same as [`prefetch_at`], for what is needed only after many others: into the second level of the cache.
///
/// ```
/// let (column, places) = ([1.0, 2.0, 3.0], [2, 0, 1]);
/// let mut sum = 0.0;
/// for i in 0..places.len() {
///     if let Some(&ahead) = places.get(i + 80) {
///         jostle_lanes::prefetch_far_at(&column, ahead);
///     }
///     sum += column[places[i]];
/// }
/// assert_eq!(sum, 6.0);
/// ```
#[inline(always)]
pub fn prefetch_far_at<T>(values: &[T], index: usize) {
    prefetch_value::<T, INTO_SECOND_LEVEL>(values.as_ptr().wrapping_add(index));
}

/// The same for what `value` refers to.
///
/// ```
/// let column = [1.0, 2.0, 3.0];
/// let mut sum = 0.0;
/// for i in 0..column.len() {
///     if let Some(ahead) = column.get(i + 80) {
///         jostle_lanes::prefetch_far(ahead);
///     }
///     sum += column[i];
/// }
/// assert_eq!(sum, 6.0);
/// ```
#[inline(always)]
pub fn prefetch_far<T>(value: &T) {
    prefetch_value::<T, INTO_SECOND_LEVEL>(value);
}

/// How many values before it is written a value is prefetched.
const WRITTEN_AHEAD: usize = 32;

/// For a loop that writes `values` in order, before it writes `values[index]`: prefetches one that it will write soon.
/// A write has to wait for the rest of its line: a processor writes in order, and keeps a few dozen writes pending, as
/// many as two rows of an answer. The hardware prefetcher does not recognise the sequence, with random reads in
/// between.
///
/// (Distances, ns a pair, Zen 5, 100,000; 400,000 pairs: balls 16.2 -> 13.0; 22.7 -> 16.6, discs 13.4 -> 12.0; 20.2 ->
/// 14.0; 8 to 64 ahead are the same there, of 20,000 pairs 32 and 64 are best, into all levels.)
///
/// ```
/// let mut column = [0; 100];
/// for i in 0..column.len() {
///     jostle_lanes::prefetch_in_turn(&column, i);
///     column[i] = i;
/// }
/// ```
#[inline(always)]
pub fn prefetch_in_turn<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..const { lines_of::<T>() } {
        let value = values.as_ptr().wrapping_add(index).wrapping_add(WRITTEN_AHEAD);
        let address = value.cast::<i8>().wrapping_add(line * LINE_BYTES);
        // SAFETY: as in `prefetch_value`. (A value that extends over one line more does so into the line where the next
        // one begins.)
        unsafe { core::arch::x86_64::_mm_prefetch::<INTO_ALL_LEVELS>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}

#[inline(always)]
fn prefetch_value<T, const HINT: i32>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..const { lines_of::<T>() } {
        let address = value.cast::<i8>().wrapping_add(line * LINE_BYTES);
        // SAFETY: a prefetch reads nothing that a program can see and never faults; SSE is part of x86-64.
        unsafe { core::arch::x86_64::_mm_prefetch::<HINT>(address) };
    }
    #[cfg(target_arch = "x86_64")]
    if const { may_straddle::<T>() && size_of::<T>() <= 8 * LINE_BYTES } {
        let last = value.cast::<i8>().wrapping_add(size_of::<T>() - 1);
        // SAFETY: as above.
        unsafe { core::arch::x86_64::_mm_prefetch::<HINT>(last) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Prefetches the first cache lines of `values`: at most `lines`.
///
/// ```
/// jostle_lanes::prefetch_lines(&[0_u64; 100], 4);
/// jostle_lanes::prefetch_lines(&[0_u64; 0], 4);
/// ```
#[inline(always)]
pub fn prefetch_lines<T>(values: &[T], lines: usize) {
    let step = const {
        LINE_BYTES
            / if size_of::<T>() < 1 {
                1
            } else if size_of::<T>() > LINE_BYTES {
                LINE_BYTES
            } else {
                size_of::<T>()
            }
    };
    // Not with iterator adaptors, which a large kernel calls instead of inlining them.
    let (mut first, end) = (0, values.len().min(lines.saturating_mul(step)));
    while first < end {
        prefetch(&values[first]);
        first += step;
    }
}

#[cfg(test)]
mod tests {
    use super::{prefetch, prefetch_at, prefetch_far_at, prefetch_in_turn, prefetch_lines};

    #[test]
    fn nothing_changes() {
        let column: Vec<f64> = (0..100).map(f64::from).collect();
        prefetch(&column[99]);
        prefetch_at(&column, 99);
        prefetch_at(&column, 100);
        prefetch_at(&column, usize::MAX);
        prefetch_far_at(&column, 100);
        prefetch_in_turn(&column, 90);
        prefetch_in_turn(&[[0_u8; 100]; 3], 2);
        prefetch_in_turn(&[(); 3], 1);
        prefetch_at(&[(); 3], 7);
        prefetch_lines(&column, 1000);
        prefetch_lines(&[(); 3], 1000);
        prefetch_lines(&[[0_u8; 100]; 3], 1000);
        assert_eq!(column.iter().sum::<f64>(), 4950.0);
    }
}
