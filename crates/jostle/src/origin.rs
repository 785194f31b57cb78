//! The origin that boxes are relative to.
//!
//! Boxes are `f32`: a crowd at map coordinates loses no precision if boxes are relative to where most of the crowd is.
//! The middle of all bodies, which one body far away moves arbitrarily far, made every box coarse: 20,000 discs and one
//! 1e9 m away took seconds, not milliseconds. So the origin is the median of a sample, along each axis.

use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape};

/// Bodies in the sample: the median of this many is off by some 6 % of how far they are spread.
const ASKED: usize = 64;
/// If no more than this many of the sample count, others are looked for.
const ENOUGH: usize = 16;

/// Where most bodies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle<S: Dimension> {
    pub place: S::Array<f64>,
    /// The length of the stretch that contains eight of ten bodies, along the axis on which it is longest.
    pub spread: f64,
}

impl<S: Dimension> Middle<S> {
    /// Of the `positions`, all finite, whose index `counts`; the origin if there are none.
    pub fn of(positions: &[S::Array<f64>], counts: impl Fn(usize) -> bool) -> Self {
        let (bodies, len) = ask(positions.len(), counts);
        let (mut middle, mut column) = (Self { place: S::array(|_| 0.0), spread: 0.0 }, [0.0; ASKED]);
        if len == 0 {
            return middle;
        }
        for k in 0..S::DIMENSION {
            let column = &mut column[..len];
            for (x, &body) in column.iter_mut().zip(&bodies) {
                *x = positions[body][k];
            }
            column.sort_unstable_by(f64::total_cmp);
            middle.place[k] = column[len / 2];
            middle.spread = middle.spread.max(column[len - 1 - len / 10] - column[len / 10]);
        }
        middle
    }
}

/// Up to [`ASKED`] indices below `total` that count, spread over the whole range; and how many they are.
fn ask(total: usize, counts: impl Fn(usize) -> bool) -> ([usize; ASKED], usize) {
    let (mut asked, mut len) = ([0; ASKED], 0);
    let stride = total.div_ceil(ASKED).max(1);
    for body in (0..total).step_by(stride).filter(|&body| counts(body)) {
        asked[len] = body;
        len += 1;
    }
    if len > ENOUGH || stride == 1 {
        return (asked, len);
    }
    // Every `each`-th index that counts is taken; `each` doubles whenever there is no more room.
    let mut each = 1;
    len = 0;
    for (number, body) in (0..total).filter(|&body| counts(body)).enumerate() {
        if number % each != 0 {
            continue;
        }
        if len == ASKED {
            for k in 0..ASKED / 2 {
                asked[k] = asked[2 * k];
            }
            (len, each) = (ASKED / 2, 2 * each);
        }
        asked[len] = body;
        len += 1;
    }
    (asked, len)
}

/// Where most of the bodies are that meet any other.
pub fn origin_of<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> S::Array<f64> {
    let filters = bodies.filters();
    let leaves_out = filters.may_leave_out();
    Middle::<S>::of(bodies.positions(), |body| !(leaves_out && filters.meets_nobody(body as u32))).place
}

#[cfg(test)]
mod tests {
    use jostle_lanes::D2;

    use super::{ASKED, Middle, ask};

    #[test]
    fn a_few_are_asked_all_over_the_list() {
        for total in [0, 1, 2, 63, 64, 65, 127, 1000, 12_345] {
            let check = |counts: &dyn Fn(usize) -> bool| {
                let all: Vec<usize> = (0..total).filter(|&body| counts(body)).collect();
                let (asked, len) = ask(total, counts);
                let asked = &asked[..len];
                assert!(asked.iter().all(|body| all.binary_search(body).is_ok()) && asked.is_sorted());
                assert!(asked.windows(2).all(|two| two[0] < two[1]));
                assert!(len >= all.len().min(ASKED / 4), "{len} of {}", all.len());
                if let (Some(first), Some(last)) = (asked.first(), asked.last()) {
                    let (begin, end) = (all.binary_search(first).unwrap(), all.binary_search(last).unwrap());
                    assert!(begin <= all.len() / 8 && end >= all.len() - 1 - all.len() / 8, "{total}: {begin} {end}");
                }
            };
            check(&|_| true);
            check(&|body| body % 2 == 0);
            check(&|body| body % 1000 == 7);
            check(&|body| body % 64 == 1);
            check(&|_| false);
        }
    }

    #[test]
    fn few_who_are_far_away_do_not_matter() {
        let place = |i: usize| [100.0 + (i * 37 % 1000) as f64 * 0.01, (i % 10) as f64];
        for (count, far) in [(3, 1), (10, 3), (1000, 300), (50_000, 1)] {
            let mut positions: Vec<[f64; 2]> = (0..count).map(place).collect();
            positions[..far].fill([-1e15, 1e12]);
            let Middle { place: [x, y], .. } = Middle::<D2>::of(&positions, |_| true);
            assert!((100.0..110.0).contains(&x) && (0.0..10.0).contains(&y), "{count}: {x} {y}");
            let near = Middle::<D2>::of(&positions, |body| body >= far);
            assert!(near.spread <= 10.0, "{near:?}");
        }
        let none = Middle::<D2>::of(&[[7.0, 7.0]; 100], |_| false);
        assert_eq!(none, Middle { place: [0.0; 2], spread: 0.0 });
    }
}
