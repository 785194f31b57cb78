//! Many pairs asked on which side of a limit they are ([`crate::within`]), and how many are within it: lanes first, distances for what is
//! too near to it.

use jostle_shape::{Columns, CustomShape};

use crate::batch::{Scratch, ask_lanes, in_chunks, solve_chunk};
use crate::kernels::{Dimension, Precision};
use crate::lists::Lists;
use crate::pick::Pick;
use crate::proximity::Proximity;
use crate::records::Source;
use crate::resolve::Effort;
use crate::within::{Side, Within};

/// Memory that a chunk needs while it is worked on, to be kept from one chunk to the next.
pub struct WithinScratch<S: Dimension> {
    lists: Lists<S, f32>,
    open: Vec<Pick>,
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, f64>>,
    distances: Option<Box<Scratch<S, f64>>>,
}

impl<S: Dimension> Default for WithinScratch<S> {
    fn default() -> Self {
        Self { lists: Lists::default(), open: Vec::new(), pairs: Vec::new(), rows: Vec::new(), distances: None }
    }
}

/// Says of each of `pairs` on which side of `limit` (metres) its distance is, as distances of precision `T` do; `rows`
/// must be as long. Gives how many pairs `f64` had to decide.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn within_chunk<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    limit: f64,
    rows: &mut [Side],
    scratch: &mut WithinScratch<S>,
) -> usize {
    let WithinScratch { lists, open, pairs: close, rows: distances, distances: scratch } = scratch;
    ask_lanes(bodies, source, pairs, &Within::new(limit), rows, lists, open);
    if !open.is_empty() {
        // At the limit is who cannot be shown to be on either side: bounds are drawn as near as `f64` can.
        let effort = Effort { doubt: 0.0, ..T::EFFORT };
        let scratch = scratch.get_or_insert_with(|| Box::new(Scratch::with_effort(effort)));
        close.clear();
        close.extend(open.iter().map(|pick| pairs[pick.row as usize]));
        distances.resize(close.len(), Proximity::default());
        solve_chunk(bodies, Source::OnDemand, close, distances, scratch);
        for (pick, found) in open.iter().zip(distances) {
            rows[pick.row as usize] = Side::of(found.lower, found.upper, limit);
        }
    }
    open.len()
}

/// The same for any number of pairs, on the current thread pool; `rows` is resized.
pub fn within<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    limit: f64,
    rows: &mut Vec<Side>,
) -> u64 {
    rows.resize(pairs.len(), Side::At);
    in_chunks(pairs, rows, |scratch, pairs, rows| within_chunk::<T, _, _>(bodies, source, pairs, limit, rows, scratch))
}

/// Memory that counting a chunk needs, to be kept from one chunk to the next.
pub struct CountScratch<S: Dimension, T: Precision> {
    lists: Lists<S, f32>,
    sides: Vec<Side>,
    open: Vec<Pick>,
    pairs: Vec<[u32; 2]>,
    rows: Vec<Proximity<S, T>>,
    distances: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for CountScratch<S, T> {
    fn default() -> Self {
        Self {
            lists: Lists::default(),
            sides: Vec::new(),
            open: Vec::new(),
            pairs: Vec::new(),
            rows: Vec::new(),
            distances: Scratch::default(),
        }
    }
}

/// How many of `pairs` have a distance that `holds`, which is true below `margin` (metres, not negative) and false above it:
/// exactly those whose distance as [`solve_chunk`] finds it does, but that is asked only of those about the margin.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn count_chunk<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    margin: f64,
    holds: impl Fn(T) -> bool,
    scratch: &mut CountScratch<S, T>,
) -> usize {
    let CountScratch { lists, sides, open, pairs: close, rows, distances } = scratch;
    sides.resize(pairs.len(), Side::At);
    ask_lanes(bodies, source, pairs, &Within::clearly(margin), sides, lists, open);
    let within = sides.iter().filter(|&&side| side == Side::Within).count();
    if open.is_empty() {
        return within;
    }
    close.clear();
    close.extend(open.iter().map(|pick| pairs[pick.row as usize]));
    rows.resize(close.len(), Proximity::default());
    solve_chunk(bodies, Source::OnDemand, close, rows, distances);
    within + rows.iter().filter(|row| holds(row.distance)).count()
}
