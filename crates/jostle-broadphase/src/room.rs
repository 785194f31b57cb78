//! Buffers of a region. How long they have to be fluctuates with the plan of the region's grid: a buffer that is made
//! twice as long as needed grows a few times and never again.

/// Makes a buffer that is written over anyway at least so long.
#[inline(always)]
pub(crate) fn lengthen<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    if list.len() < len {
        fit(list, len, filler);
    }
}

/// Makes a buffer exactly so long; what is there stays. Of the room that is made nothing more is touched than is
/// needed: a page costs nothing until then, and more than the work on it afterwards.
#[inline(never)]
pub(crate) fn fit<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    if list.capacity() < len {
        list.reserve_exact(2 * len - list.len());
    }
    list.resize(len, filler);
}

/// The same, every entry alike.
#[inline(always)]
pub(crate) fn refill<X: Copy>(list: &mut Vec<X>, len: usize, filler: X) {
    list.clear();
    fit(list, len, filler);
}
