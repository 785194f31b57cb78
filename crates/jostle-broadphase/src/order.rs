//! The canonical order of pairs: by the lower body, then by the higher.

use rayon::prelude::*;

/// Sorts pairs that are all different, on the current thread pool; the result is the same for any number of threads.
pub(crate) fn sort(pairs: &mut [[u32; 2]]) {
    if pairs.len() < 1 << 14 || rayon::current_num_threads() == 1 {
        pairs.sort_unstable();
    } else {
        pairs.par_sort_unstable();
    }
}
