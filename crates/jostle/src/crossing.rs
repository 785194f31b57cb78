//! Two sets of boxes of which one is crowded in itself, as the points of a scan are: the boxes of the larger set are
//! looked up one by one in a tree over the smaller one. A sweep would hold boxes of the same set against each other,
//! only to find that they are not asked for.
//!
//! The tree takes some 0.1 microseconds a box, the sweep half of that and a third of a nanosecond for each pair of
//! boxes of one set that overlap. Whether these are many is told by a sample.

use core::ops::Range;

use jostle_broadphase::{Bounds, BoundsError};
use jostle_narrowphase::Dimension;
use jostle_tasks::Pool;

use crate::packs::Packing;
use crate::tree::Tree;
use crate::tree_search::OverlapSearch;

/// Of fewer boxes no sample is taken: they are swept in less time than the tree takes.
const FEWEST: usize = 512;
/// Overlapping pairs within the sets, per box, from which on the tree is faster.
const CROWDED: u64 = 100;
/// Pairs of which filters are asked.
const ASKED: usize = 64;
/// Boxes that one task looks up.
const BLOCK: usize = 128;

/// The lower and the upper corner of a box.
type BoxCorners<S> = (<S as jostle_lanes::Space>::Array<f32>, <S as jostle_lanes::Space>::Array<f32>);

/// Finds the pairs of boxes of two sets, the second behind the first. Keeps its memory.
#[derive(Debug)]
pub struct Crossing<S: Dimension> {
    sample: Vec<BoxCorners<S>>,
    packing: Packing<S>,
    /// The tree over the smaller set.
    tree: Tree,
    /// The larger set.
    asked: Range<usize>,
    searches: Pool<OverlapSearch>,
}

impl<S: Dimension> Default for Crossing<S> {
    fn default() -> Self {
        let (packing, tree, searches) = (Packing::default(), Tree::new(Vec::new()), Pool::default());
        Self { sample: Vec::new(), packing, tree, asked: 0..0, searches }
    }
}

impl<S: Dimension> Crossing<S> {
    /// Whether it takes less time than a sweep. The second set begins at the `border`. Filters let the bodies of two
    /// boxes `meet`: where they let only a few, a sweep knows better ([`layers`](crate::layers)).
    pub fn pays(&mut self, bounds: &Bounds<S>, border: usize, meet: impl Fn(u32, u32) -> bool) -> bool {
        let all = bounds.len();
        all >= FEWEST
            && self.crowding(bounds, 0..border) + self.crowding(bounds, border..all) > CROWDED * all as u64
            && most_meet([0..border, border..all], meet)
    }

    /// About how many pairs of boxes of one set overlap. As many pairs are tested as an eighth of the boxes.
    fn crowding(&mut self, bounds: &Bounds<S>, set: Range<usize>) -> u64 {
        let (sample, count) = (&mut self.sample, set.len());
        sample.clear();
        sample.extend((0..count.isqrt() / 2).map(|number| bounds.get(set.start + anywhere(number, count))));
        let meet = |(lower, upper): &BoxCorners<S>, (low, high): &BoxCorners<S>| {
            (0..S::DIMENSION).all(|k| lower[k] <= high[k] && low[k] <= upper[k])
        };
        let others = |place: usize, one| sample[..place].iter().filter(|other| meet(one, other)).count() as u64;
        let met: u64 = sample.iter().enumerate().map(|(place, one)| others(place, one)).sum();
        met * 4 * count as u64
    }

    /// Makes the tree, unless a box is refused.
    pub fn build(&mut self, bounds: &Bounds<S>, border: usize) -> Result<(), BoundsError> {
        bounds.validate()?;
        let (first, second) = (0..border, border..bounds.len());
        let (small, large) = if first.len() < second.len() { (first, second) } else { (second, first) };
        self.tree.renew(|packs| self.packing.pack_boxes(bounds, small, packs));
        self.asked = large;
        Ok(())
    }

    /// The number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.asked.len().div_ceil(BLOCK)
    }

    /// All pairs of a chunk, the box of the first set first, for which `filter` holds, in place of those in `pairs`.
    pub fn chunk_pairs(
        &self,
        bounds: &Bounds<S>,
        chunk: usize,
        filter: &impl Fn(u32, u32) -> bool,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let from = self.asked.start + chunk * BLOCK;
        pairs.clear();
        self.searches.with(|search| {
            for one in from..self.asked.end.min(from + BLOCK) {
                search.all::<S>(&self.tree, bounds.get(one), |other| {
                    let (a, b) = (other.min(one as u32), other.max(one as u32));
                    if filter(a, b) {
                        pairs.push([a, b]);
                    }
                });
            }
        });
    }
}

/// Whether filters let most of a sample of pairs across the border meet.
fn most_meet([first, second]: [Range<usize>; 2], meet: impl Fn(u32, u32) -> bool) -> bool {
    let one = |set: &Range<usize>, number| (set.start + anywhere(number, set.len())) as u32;
    // Numbers of the two are drawn apart, or groups that alternate in both sets would look like one.
    let pairs = (0..ASKED).map(|number| (one(&first, number), one(&second, 7 * number + 3)));
    first.is_empty() || second.is_empty() || 2 * pairs.filter(|&(a, b)| meet(a, b)).count() > ASKED
}

/// A number below `count`, spread evenly and without a stride, which rows of a grid might share.
fn anywhere(number: usize, count: usize) -> usize {
    let share = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    ((share * count as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle_lanes::D2;

    /// Boxes on a grid, so many times as long as their distance, as the first set, and a row of them as the second.
    fn grid(side: usize, length: f32) -> (Bounds<D2>, usize) {
        let mut bounds = Bounds::new();
        for place in (0..side * side).chain(0..side) {
            let corner = [(place % side) as f32, (place / side) as f32];
            bounds.push(corner, corner.map(|x| x + length));
        }
        (bounds, side * side)
    }

    #[test]
    fn only_crowds_are_looked_up() {
        for side in [30, 100, 256, 316] {
            for (length, crowded) in [(0.5, false), (3.5, false), (25.0, true)] {
                let (bounds, border) = grid(side, length);
                assert_eq!(
                    Crossing::default().pays(&bounds, border, |_, _| true),
                    crowded,
                    "{side} by {side}, {length}"
                );
            }
        }
        let (bounds, border) = grid(20, 25.0);
        assert!(!Crossing::default().pays(&bounds, border, |_, _| true), "a few");
        let (bounds, border) = grid(100, 25.0);
        for (kinds, pays) in [(1, true), (2, false), (10, false)] {
            let meet = |a: u32, b: u32| a % kinds == b % kinds;
            assert_eq!(Crossing::default().pays(&bounds, border, meet), pays, "{kinds} kinds");
        }
    }

    #[test]
    fn pairs_are_those_of_boxes_of_both_sets_that_overlap() {
        let (bounds, border) = grid(40, 2.5);
        let mut crossing = Crossing::default();
        for border in [border, 0, 20, bounds.len()] {
            crossing.build(&bounds, border).expect("good boxes");
            let (mut found, mut pairs) = (Vec::new(), Vec::new());
            for chunk in 0..crossing.chunk_count() {
                crossing.chunk_pairs(&bounds, chunk, &|a, b| (a + b) % 3 != 0, &mut pairs);
                found.append(&mut pairs);
            }
            found.sort_unstable();
            let overlap = |a: usize, b: usize| {
                (0..2).all(|k| bounds.lower(k)[a] <= bounds.upper(k)[b] && bounds.lower(k)[b] <= bounds.upper(k)[a])
            };
            let expected: Vec<_> = (0..border)
                .flat_map(|a| (border..bounds.len()).map(move |b| [a, b]))
                .filter(|&[a, b]| (a + b) % 3 != 0 && overlap(a, b))
                .map(|pair| pair.map(|body| body as u32))
                .collect();
            assert_eq!(found, expected, "{border}");
        }
    }
}
