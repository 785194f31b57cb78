//! Growing a region's buffers. The length that they need fluctuates with the region's grid, so one that has to grow is
//! made twice as long as needed: it then grows a few times and never again.

/// Makes a buffer, which will be overwritten, at least this long.
#[inline(always)]
pub(crate) fn lengthen<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    if list.len() < len {
        fit(list, len, filler);
    }
}

/// Makes a buffer exactly this long, keeping its contents. Spare room is not touched: an untouched page costs nothing,
/// and the first touch costs more than the work on it afterwards.
#[inline(never)]
pub(crate) fn fit<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    if list.capacity() < len {
        list.reserve_exact(2 * len - list.len());
    }
    list.resize(len, filler);
}

/// As [`fit`], with all entries set to `filler`.
#[inline(always)]
pub(crate) fn refill<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    list.clear();
    fit(list, len, filler);
}
