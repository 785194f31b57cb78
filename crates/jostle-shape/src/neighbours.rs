//! An order of rows that puts neighbours into the same block, so that bounds of a block are tight and a search skips
//! most blocks.

use crate::counts::MAX_WIDTH;

/// The order: rows are halved along their longest axis, recursively.
pub(crate) fn order(places: &[[f64; 3]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    divide(&mut order, places);
    order
}

fn divide(part: &mut [usize], places: &[[f64; 3]]) {
    if part.len() <= MAX_WIDTH {
        part.sort_unstable();
        return;
    }
    let extent = |k: usize| {
        let along = || part.iter().map(|&i| places[i][k]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let axis = (1..3).fold(0, |widest, k| if extent(k) > extent(widest) { k } else { widest });
    let middle = (part.len() / 2).next_multiple_of(MAX_WIDTH);
    part.select_nth_unstable_by(middle, |&i, &j| places[i][axis].total_cmp(&places[j][axis]).then(i.cmp(&j)));
    let (front, back) = part.split_at_mut(middle);
    divide(front, places);
    divide(back, places);
}
