//! The canonical order of pairs: by the lower body, then by the higher.
//!
//! Bodies are small numbers and have few partners each: counting the pairs of each lower body gives every pair its
//! neighbourhood, where a handful of partners is then sorted. (Comparison sorts cost several times as much.)

use rayon::prelude::*;

/// Sorts pairs `a < b` of the bodies below `bodies`, all different; the same for any number of threads.
pub(crate) fn sort(pairs: &mut [[u32; 2]], bodies: usize) {
    if pairs.len() < bodies / 4 || pairs.len() < 64 || u32::try_from(pairs.len()).is_err() {
        pairs.par_sort_unstable();
        return;
    }
    // `ends[a]` is the next free place of body a's partners, and in the end that of the first of body a + 1.
    let mut ends = vec![0_u32; bodies];
    for &[a, _] in pairs.iter() {
        ends[a as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    let mut partners = vec![0_u32; pairs.len()];
    for &[a, b] in pairs.iter() {
        let place = &mut ends[a as usize];
        partners[*place as usize] = b;
        *place += 1;
    }
    let mut first = 0;
    for (a, &end) in ends.iter().enumerate() {
        let row = first..end as usize;
        first = row.end;
        let partners = &mut partners[row.clone()];
        partners.sort_unstable();
        for (pair, &b) in pairs[row].iter_mut().zip(partners.iter()) {
            *pair = [a as u32, b];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn many_and_few_pairs_are_sorted() {
        for (bodies, step) in [(300_u32, 1), (300, 7), (300, 299), (5, 1), (100_000, 99_991)] {
            let mut pairs: Vec<[u32; 2]> =
                (0..bodies).rev().flat_map(|b| (0..b).step_by(step).map(move |a| [a, b])).take(40_000).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            sort(&mut pairs, bodies as usize);
            assert!(pairs == expected, "{bodies} bodies, every {step}th");
        }
    }
}
