//! Puts neighbours in order by what little of each decides it.

use core::cmp::Ordering;

use jostle_narrowphase::Precision;

/// The distance of a neighbour, rounded to `f32`, and where the neighbour is found: 8 bytes, a tenth of the neighbour
/// itself. (Ranks of 16 bytes, with the whole distance and the index, took up to twice as long: they are written in two
/// halves, and to read such a number as a whole right after that takes long.)
#[derive(Clone, Copy, Debug, Default)]
pub struct Rank(u64);

impl Rank {
    /// Of a neighbour at this distance. `at` is where it is found, as who makes the rank numbers them.
    #[inline(always)]
    pub fn new<T: Precision>(distance: T, at: u32) -> Self {
        // The bits that `total_cmp` compares, with zeros of either sign made equal, and above all those below zero.
        let bits = (distance.to_f64() as f32 + 0.0).to_bits();
        let ascending = bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31);
        Self(u64::from(ascending) << 32 | u64::from(at))
    }
    /// Where the neighbour is found.
    #[inline(always)]
    pub fn at(self) -> u32 {
        self.0 as u32
    }
    /// Nearest first. `alike` orders neighbours whose distances are the same in `f32`.
    #[inline(always)]
    pub fn order(self, other: Self, alike: impl FnOnce() -> Ordering) -> Ordering {
        (self.0 >> 32).cmp(&(other.0 >> 32)).then_with(alike)
    }
}

/// So few are sorted as fast as the nearest of them are selected.
const FEW: usize = 20;

/// Moves the `k` nearest to the front, in order, and returns them.
pub fn sort_nearest(ranks: &mut [Rank], k: usize, order: impl Fn(Rank, Rank) -> Ordering) -> &mut [Rank] {
    let k = k.min(ranks.len());
    let mut nearest = &mut *ranks;
    if k < nearest.len() && nearest.len() > FEW {
        nearest = nearest.select_nth_unstable_by(k, |&a, &b| order(a, b)).0;
    }
    nearest.sort_unstable_by(|&a, &b| order(a, b));
    &mut nearest[..k]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::by_distance;

    #[test]
    fn ranks_ascend_with_the_distance() {
        let distances = [
            -f64::NAN,
            f64::NEG_INFINITY,
            -1e300,
            -2.5,
            -2.0,
            -1e-300,
            -0.0,
            0.0,
            1e-300,
            1.0,
            1.0 + 1e-15,
            1.5,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for (at, &one) in distances.iter().enumerate() {
            for (other_at, &other) in distances.iter().enumerate() {
                let [x, y] = [Rank::new(one, at as u32), Rank::new(other, other_at as u32)];
                assert_eq!(x.order(y, || by_distance(one, other)), by_distance(one, other), "{one} and {other}");
                assert_eq!(x.at() as usize, at);
            }
        }
    }
}
