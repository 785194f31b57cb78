//! The shortest vectors that make the same lattice: where vectors lean far, their sums and differences.
//!
//! With these vectors the nearest image is found in a few steps, and all images near a point while hardly any others
//! are looked at. With the vectors as given neither holds: to take away as many of each as there are in an offset may
//! end hundreds of cells from the nearest image, and a search over their multiples looks at the square of that.
//!
//! Lagrange's reduction, pair by pair, and of three vectors their sums as well, gives a basis that is reduced in
//! Minkowski's sense; for up to three such vectors, the images that bound the region nearest to the origin have no
//! multiple beyond one (Nguyen and Stehlé 2009, "Low-dimensional lattice basis reduction revisited"). Taking away
//! whichever of these images makes an offset shorter, until none does, ends at the nearest image (the iterative slicer
//! of Sommer, Feder and Shalvi 2009).

use jostle_shape::Space;

use super::whole::{ceiling, floor, nearest_whole};

/// Multiples of the given vectors up to this can be told apart from their neighbours.
const MOST: i64 = 1 << 30;
/// One vector is shorter than another only if it is by more than rounding.
const SHORTER: f64 = 1.0 - 1e-12;
/// More steps than any reduction takes: each makes a vector shorter by more than rounding.
const ENDLESS: usize = 10_000;

type Counts = [i64; 3];

/// Short vectors, the shorter ones first, and the multiples of the given vectors that make each of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short<S: Space> {
    /// The number of vectors.
    rank: usize,
    vectors: [S::Array<f64>; 3],
    /// No larger than [`MOST`].
    counts: [[i32; 3]; 3],
    /// By how much rounding may move a vector that is a sum of longer ones.
    rounding: f64,
    /// See [`Short::half_of_least`].
    half_of_least: f64,
}

fn dot<S: Space>(a: &S::Array<f64>, b: &S::Array<f64>) -> f64 {
    (0..S::DIMENSION).map(|k| a[k] * b[k]).sum()
}

fn squared<S: Space>(a: &S::Array<f64>) -> f64 {
    dot::<S>(a, a)
}

/// `a + times * b`.
fn with<S: Space>(a: &S::Array<f64>, times: f64, b: &S::Array<f64>) -> S::Array<f64> {
    S::array(|k| a[k] + times * b[k])
}

fn count_with(a: Counts, times: i64, b: Counts) -> Counts {
    core::array::from_fn(|k| a[k].saturating_add(times.saturating_mul(b[k])))
}

fn sum<S: Space>(vectors: &[S::Array<f64>; 3], counts: Counts) -> S::Array<f64> {
    S::array(|k| (0..3).map(|m| counts[m] as f64 * vectors[m][k]).sum())
}

impl<S: Space> Short<S> {
    /// Finds the short vectors of the lattice of these; vectors of zeros are left out.
    pub fn of(given: &[S::Array<f64>; 3]) -> Self {
        let zero = S::array(|_| 0.0);
        let mut short =
            Self { rank: 0, vectors: [zero; 3], counts: [[0; 3]; 3], rounding: 0.0, half_of_least: f64::INFINITY };
        for (axis, vector) in given.iter().enumerate().filter(|(_, vector)| **vector != zero) {
            short.vectors[short.rank] = *vector;
            short.counts[short.rank][axis] = 1;
            short.rank += 1;
        }
        short.reduce(given);
        for counts in &short.counts[..short.rank] {
            let parts = (0..3).map(|m| f64::from(counts[m].unsigned_abs()) * squared::<S>(&given[m]).sqrt());
            short.rounding += 4.0 * f64::EPSILON * parts.sum::<f64>();
        }
        if short.rank > 0 {
            short.half_of_least = 0.5 * squared::<S>(&short.vectors[0]).sqrt();
        }
        short
    }

    /// The part of each vector that is orthogonal to those before it.
    fn across(&self) -> [S::Array<f64>; 3] {
        let mut all = self.vectors;
        for number in 0..self.rank {
            for before in 0..number {
                let other = all[before];
                let times = dot::<S>(&all[number], &other) / squared::<S>(&other);
                all[number] = with::<S>(&all[number], -times, &other);
            }
        }
        all
    }

    fn counts(&self, number: usize) -> Counts {
        self.counts[number].map(i64::from)
    }

    fn reduce(&mut self, given: &[S::Array<f64>; 3]) {
        for _ in 0..ENDLESS {
            self.sort();
            let better = self.pairs().chain(self.sums()).find_map(|(number, counts)| {
                let vector = sum::<S>(given, counts);
                let countable = counts.iter().all(|count| count.abs() <= MOST);
                let shorter = squared::<S>(&vector) < SHORTER * squared::<S>(&self.vectors[number]);
                (countable && shorter).then_some((number, counts, vector))
            });
            let Some((number, counts, vector)) = better else { return };
            (self.counts[number], self.vectors[number]) = (counts.map(|count| count as i32), vector);
        }
    }

    fn sort(&mut self) {
        for last in (1..self.rank).rev() {
            for k in 0..last {
                if squared::<S>(&self.vectors[k]) > squared::<S>(&self.vectors[k + 1]) {
                    self.vectors.swap(k, k + 1);
                    self.counts.swap(k, k + 1);
                }
            }
        }
    }

    /// What each vector may be replaced by: itself less the nearest multiple of a shorter one.
    fn pairs(&self) -> impl Iterator<Item = (usize, Counts)> + '_ {
        let pairs = (1..self.rank).flat_map(|number| (0..number).map(move |shorter| (number, shorter)));
        pairs.map(|(number, shorter)| {
            let (vector, other) = (&self.vectors[number], &self.vectors[shorter]);
            let times = nearest_whole(dot::<S>(vector, other) / squared::<S>(other));
            (number, count_with(self.counts(number), -times as i64, self.counts(shorter)))
        })
    }

    /// What the longest of three vectors may be replaced by: its sums with both others.
    fn sums(&self) -> impl Iterator<Item = (usize, Counts)> + '_ {
        let signs = [[1, 1], [1, -1], [-1, 1], [-1, -1]].into_iter().filter(|_| self.rank == 3);
        signs
            .map(|[one, other]| (2, count_with(count_with(self.counts(2), one, self.counts(0)), other, self.counts(1))))
    }

    /// Half the length of the shortest vector: a point nearer to the origin than that is nearer than all its images.
    pub fn half_of_least(&self) -> f64 {
        self.half_of_least
    }

    /// The sum of these multiples of the short vectors, as multiples of the given ones.
    fn counted(&self, times: Counts) -> Counts {
        (0..self.rank).fold([0; 3], |sum, number| count_with(sum, times[number], self.counts(number)))
    }

    /// All sums of the vectors in which no multiple is beyond `most`, in either direction.
    pub fn near_origin(&self, most: i64) -> impl Iterator<Item = Counts> + '_ {
        let (side, rank) = (2 * most + 1, self.rank as u32);
        (0..side.pow(rank)).map(move |n| {
            let times =
                core::array::from_fn(|k| if k < rank as usize { n / side.pow(k as u32) % side - most } else { 0 });
            self.counted(times)
        })
    }

    /// The multiples of the given vectors that come nearest to an offset; `None` if they cannot be counted.
    pub fn nearest(&self, given: &[S::Array<f64>; 3], offset: &S::Array<f64>) -> Option<Counts> {
        let (mut rest, mut found, across) = (*offset, [0; 3], self.across());
        // First multiples that come about as near as any, ...
        for number in (0..self.rank).rev() {
            let times = nearest_whole(dot::<S>(&rest, &across[number]) / squared::<S>(&across[number]));
            // NaN is in no range.
            if !(-(MOST as f64)..=MOST as f64).contains(&times) {
                return None;
            }
            rest = with::<S>(&rest, -times, &self.vectors[number]);
            found = count_with(found, times as i64, self.counts(number));
        }
        // ... then nearer ones. What is left is computed from the offset, without the rounding of all steps.
        rest = with::<S>(offset, -1.0, &sum::<S>(given, found));
        for _ in 0..ENDLESS {
            let nearer = self.near_origin(1).find_map(|step| {
                let vector = sum::<S>(given, step);
                let times = nearest_whole(dot::<S>(&rest, &vector) / squared::<S>(&vector));
                let next = count_with(found, times as i64, step);
                let left = with::<S>(offset, -1.0, &sum::<S>(given, next));
                (squared::<S>(&left) < SHORTER * squared::<S>(&rest)).then_some((next, left))
            });
            let Some(nearer) = nearer else { break };
            (found, rest) = nearer;
        }
        Some(found)
    }

    /// Calls `found` with all multiples of the given vectors that bring a point at `apart` within `reach` of the
    /// origin, and perhaps some that bring it slightly farther out, in no particular order, until it returns an error.
    pub fn each_within<E>(
        &self,
        apart: &S::Array<f64>,
        reach: f64,
        found: &mut impl FnMut(Counts) -> Result<(), E>,
    ) -> Result<(), E> {
        // Room for what is rounded here.
        let far = apart.as_ref().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
        let slack = 8.0 * f64::EPSILON * far + self.rounding;
        let reach = reach * (1.0 + 8.0 * f64::EPSILON) + slack;
        if reach < 0.0 {
            return Ok(());
        }
        // What no vector can take away: the part that is orthogonal to all of them.
        let (mut rest, all) = (*apart, self.across());
        for across in &all[..self.rank] {
            rest = with::<S>(&rest, -dot::<S>(&rest, across) / squared::<S>(across), across);
        }
        let beside = (squared::<S>(&rest).sqrt() - slack).max(0.0);
        let lengths = [0, 1, 2].map(|number| squared::<S>(&all[number]).sqrt());
        let search = Within { short: self, across: &all, lengths, squared: reach * reach, slack };
        if beside > reach { Ok(()) } else { search.choose(self.rank, *apart, [0; 3], beside * beside, found) }
    }
}

/// The search for images near a point (Fincke and Pohst 1985).
struct Within<'w, S: Space> {
    short: &'w Short<S>,
    /// The part of each vector that is orthogonal to those before it, and the length of that part.
    across: &'w [S::Array<f64>; 3],
    lengths: [f64; 3],
    /// The square of the reach.
    squared: f64,
    slack: f64,
}

impl<S: Space> Within<'_, S> {
    /// Chooses the multiples of the first `vectors` vectors, the last first. `so_far` is the squared length of the
    /// point along the directions that these do not change.
    fn choose<E>(
        &self,
        vectors: usize,
        point: S::Array<f64>,
        times: Counts,
        so_far: f64,
        found: &mut impl FnMut(Counts) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(number) = vectors.checked_sub(1) else { return found(self.short.counted(times)) };
        let (across, length) = (&self.across[number], self.lengths[number]);
        // With room for the rounding of the squares.
        let left = self.squared - so_far + 4.0 * f64::EPSILON * (self.squared + so_far);
        let room = left.max(0.0).sqrt() + self.slack;
        let at = dot::<S>(&point, across) / length;
        // More than 2^30 images are refused by the caller before the last is reached.
        let most = MOST as f64;
        let slack = 1e-6;
        let first = ceiling((-room - at) / length - slack).max(-most);
        let last = floor((room - at) / length + slack).min(most);
        for count in first as i64..=last as i64 {
            let mut times = times;
            times[number] = count;
            let moved = with::<S>(&point, count as f64, &self.short.vectors[number]);
            let there = at + count as f64 * length;
            self.choose(number, moved, times, so_far + there * there, found)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3, Space};

    use super::{Short, squared, sum};

    /// Each vector is as short as any that may take its place.
    fn are_short<S: Space>(given: [S::Array<f64>; 3]) {
        let short = Short::<S>::of(&given);
        for number in 0..short.rank {
            let own = squared::<S>(&short.vectors[number]);
            assert!(short.vectors[number] == sum::<S>(&given, short.counts(number)));
            for n in 0..343 {
                let times = [n % 7 - 3, n / 7 % 7 - 3, n / 49 - 3];
                let other = squared::<S>(&sum::<S>(&given, short.counted(times)));
                let in_its_place = times[number].abs() == 1 && times[short.rank..].iter().all(|&times| times == 0);
                assert!(!in_its_place || own <= other * (1.0 + 1e-9), "{given:?}: {number}, {times:?}");
            }
        }
    }

    #[test]
    fn vectors_that_lean_far_are_made_of_short_ones() {
        are_short::<D3>([[4.0, 0.0, 0.0], [4001.0, 5.0, 0.0], [-777.0, 16.0, 6.0]]);
        are_short::<D3>([[0.0; 3], [50.0, 0.3, 0.0], [0.0, 50.0, 0.3]]);
        are_short::<D3>([[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [3.0, 3.0, 0.8]]);
        are_short::<D3>([[1.0, 0.0, 0.0], [0.5, 1e-6, 0.0], [0.25, 3e-7, 1e-9]]);
        are_short::<D2>([[0.0; 2], [5.0, 0.8], [0.0; 2]]);
        are_short::<D2>([[1e6, 0.0], [1e5, 1.0], [0.0; 2]]);
        assert_eq!(Short::<D2>::of(&[[0.0; 2]; 3]).half_of_least(), f64::INFINITY);
    }

    #[test]
    fn no_image_is_nearer_or_left_out() {
        let given = [[4.0, 0.0, 0.0], [9.9, 4.0, 0.0], [-7.5, 13.9, 5.0]];
        let short = Short::<D3>::of(&given);
        for i in 0..400 {
            let offset = [i % 10, i / 10 % 10, i / 40].map(|n| 1.7 * f64::from(n) - 8.0);
            let left = |counts: [i64; 3]| {
                let shift = sum::<D3>(&given, counts);
                squared::<D3>(&[0, 1, 2].map(|k| offset[k] - shift[k])).sqrt()
            };
            let all = (0..61 * 41 * 9).map(|n| [n % 61 - 30, n / 61 % 41 - 20, n / (61 * 41) - 4]);
            let nearest = short.nearest(&given, &offset).expect("not far");
            let least = all.clone().map(left).fold(f64::INFINITY, f64::min);
            assert!(left(nearest) <= least + 1e-12, "{offset:?}: {nearest:?}");
            let (reach, mut found) = (least + 2.5, Vec::new());
            let told = short.each_within(&offset, reach, &mut |counts| {
                found.push(counts.map(|count| -count));
                Ok::<(), ()>(())
            });
            assert_eq!(told, Ok(()));
            found.sort_unstable();
            let mut expected: Vec<_> = all.filter(|&counts| left(counts) <= reach).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{offset:?}");
        }
    }
}
