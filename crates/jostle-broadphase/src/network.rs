//! Short runs of pairs, sorted by sorting networks: the sequence of comparisons does not depend on the numbers, so
//! there is no branch to mispredict.
//!
//! Knuth, The Art of Computer Programming, volume 3, 5.3.4. The networks of 4 and 8 have the fewest comparisons
//! possible (5 and 19), that of 16 the fewest known (60, like Green's of 1969, but in ten rounds; from Dobbelaere's
//! list of the smallest known networks).

use core::hint::select_unpredictable;
use core::ops::Range;

use crate::paired::{Paired, key};

/// Entries of up to this many bytes are exchanged in the network themselves; longer ones would not stay in registers.
const SHORT_ENTRY_BYTES: usize = 12;

/// Sorts a run of entries that have the same first body. All entries behind the run must be above it: a network longer
/// than the run sorts some of them along with it, and they stay behind it.
#[inline(always)]
pub fn sort_run<E: Paired>(list: &mut [E], run: Range<usize>) {
    let (from, len) = (&mut list[run.start..], run.len());
    match len {
        0 | 1 => {}
        2..=4 if from.len() >= 4 => sort_first(from, len, four, four),
        2..=8 if from.len() >= 8 => sort_first(from, len, eight, eight),
        2..=16 if from.len() >= 16 => sort_first(from, len, sixteen, sixteen),
        len => from[..len].sort_unstable_by_key(key),
    }
}

/// Sorts the first `len` of N entries; reads and writes memory once.
#[inline(always)]
fn sort_first<E: Paired, const N: usize>(
    list: &mut [E],
    len: usize,
    of_entries: impl Fn(&mut [E; N]),
    of_places: impl Fn(&mut [[u32; 2]; N]),
) {
    let Some(first) = list.first_chunk_mut() else { return };
    let mut entries = *first;
    if const { size_of::<E>() <= SHORT_ENTRY_BYTES } {
        of_entries(&mut entries);
        *first = entries;
    } else {
        // The second body of each entry, with the entry's place.
        let mut places = [[u32::MAX; 2]; N];
        for (i, place) in places.iter_mut().enumerate() {
            *place = [if i < len { entries[i].pair()[1] } else { u32::MAX }, i as u32];
        }
        of_places(&mut places);
        for (to, [_, place]) in first.iter_mut().zip(places) {
            *to = entries[place as usize % N];
        }
    }
}

/// Exchanges two entries if the second is lower.
#[inline(always)]
fn compare<E: Paired, const N: usize>(entries: &mut [E; N], first: usize, second: usize) {
    let (a, b) = (entries[first], entries[second]);
    let swap = key(&b) < key(&a);
    (entries[first], entries[second]) = (select_unpredictable(swap, b, a), select_unpredictable(swap, a, b));
}

macro_rules! network {
    ($name:ident, $width:literal: $($first:literal $second:literal),*) => {
        #[inline(always)]
        fn $name<E: Paired>(entries: &mut [E; $width]) {
            // Spelled out: entries stay in registers, and their places are constants.
            $(compare(entries, $first, $second);)*
        }
    };
}

network!(four, 4: 0 1, 2 3, 0 2, 1 3, 1 2);
network!(eight, 8: 0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7, 2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6);
network!(
    sixteen, 16:
    0 13, 1 12, 2 15, 3 14, 4 8, 5 6, 7 11, 9 10, 0 5, 1 7, 2 9, 3 4, 6 13, 8 14, 10 15, 11 12, 0 1, 2 3, 4 5, 6 8,
    7 9, 10 11, 12 13, 14 15, 0 2, 1 3, 4 10, 5 11, 6 7, 8 9, 12 14, 13 15, 1 2, 3 12, 4 6, 5 7, 8 10, 9 11, 13 14,
    1 4, 2 6, 5 8, 7 10, 9 13, 11 14, 2 4, 3 6, 9 12, 11 13, 3 5, 6 8, 7 9, 10 12, 3 4, 5 6, 7 8, 9 10, 11 12, 6 7,
    8 9
);

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that sorts all zeros and ones sorts everything (Knuth, theorem Z).
    fn sorts_all<const N: usize>(network: impl Fn(&mut [[u32; 2]; N])) {
        for bits in 0_u32..1 << N {
            let mut entries = core::array::from_fn(|i| [0, bits >> i & 1]);
            network(&mut entries);
            assert!(entries.is_sorted(), "{bits:b}");
        }
    }

    #[test]
    fn networks_sort_whatever_there_is() {
        sorts_all(four);
        sorts_all(eight);
        sorts_all(sixteen);
    }

    #[test]
    fn a_run_is_sorted_and_what_is_behind_stays_behind() {
        for len in 0..40_u32 {
            for behind in 0..20_u32 {
                let of_run = (0..len).map(|i| [7, (i * 37 + 11) % 41]);
                let mut list: Vec<[u32; 2]> = of_run.chain((0..behind).map(|i| [8 + i / 3, 50 - i])).collect();
                let mut expected = list.clone();
                expected[..len as usize].sort_unstable();
                // Longer entries, each of which contains its own pair twice.
                let mut long: Vec<[u32; 5]> = list.iter().map(|&[a, b]| [a, b, b, a, b]).collect();
                let behind_before = long[len as usize..].to_vec();
                sort_run(&mut long, 0..len as usize);
                assert_eq!(long[len as usize..], behind_before);
                sort_run(&mut list, 0..len as usize);
                assert_eq!(list[..len as usize], expected[..len as usize]);
                assert!(
                    long.iter()
                        .take(len as usize)
                        .map(|&[a, b, c, d, e]| [[a, b], [d, c], [a, e]])
                        .eq(expected.iter().take(len as usize).map(|&pair| [pair; 3]))
                );
                list.sort_unstable();
                expected.sort_unstable();
                assert_eq!(list, expected);
            }
        }
    }
}
