//! Many pairs asked on which side of a limit they are ([`crate::within()`]), and which or how many are within it: lanes
//! first, distances for what is too near to it.

use core::marker::PhantomData;

use jostle_shape::BodySet;
use jostle_tasks::Pool;

use crate::batch::{ColumnScratch, Rescue, ask_columns, ask_lanes, in_batches};
use crate::direct;
use crate::kernels::{Dimension, Precision};
use crate::lists::Lists;
use crate::pick::Pick;
use crate::records::Source;
use crate::resolve::Effort;
use crate::sieve::Balls;
use crate::within::{Side, Within};

/// Memory for a question about sides.
struct SideScratch<S: Dimension> {
    lists: Lists<S, f32>,
    columns: ColumnScratch<f32>,
    /// What lanes leave open.
    open: Vec<Pick>,
}

impl<S: Dimension> Default for SideScratch<S> {
    fn default() -> Self {
        Self { lists: Lists::default(), columns: ColumnScratch::default(), open: Vec::new() }
    }
}

impl<S: Dimension> SideScratch<S> {
    /// Asks lanes on which side each of `pairs` is, and gives what they leave open.
    fn ask(
        &mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, f32>,
        pairs: &[[u32; 2]],
        query: &Within,
        rows: &mut [Side],
    ) -> &[Pick] {
        let Self { lists, columns, open } = self;
        if let Source::Templates(templates) = source
            && let Some(class) = direct::class(templates, bodies.count())
        {
            open.clear();
            ask_columns(bodies, (templates, class), pairs, query, rows, columns, open);
        } else {
            ask_lanes(bodies, source, pairs, query, rows, lists, open);
        }
        open
    }
}

/// Memory that a batch of pairs needs while it is worked on, to be kept from one batch to the next.
pub struct WithinScratch<S: Dimension, T> {
    sides: SideScratch<S>,
    /// Made for the effort of distances of precision `T`.
    distances: Option<Box<Rescue<S, f64>>>,
    precision: PhantomData<T>,
}

impl<S: Dimension, T> Default for WithinScratch<S, T> {
    fn default() -> Self {
        Self { sides: SideScratch::default(), distances: None, precision: PhantomData }
    }
}

/// Says of each of `pairs` on which side of `limit` (metres) its distance is, as distances of precision `T` do; `rows`
/// must be as long. Gives how many pairs `f64` had to decide.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
fn within_pairs<T: Precision, S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    limit: f64,
    rows: &mut [Side],
    scratch: &mut WithinScratch<S, T>,
) -> usize {
    let WithinScratch { sides, distances, .. } = scratch;
    let open = sides.ask(bodies, source, pairs, &Within::new(limit), rows);
    if !open.is_empty() {
        // `Side::At` means that the bounds straddle the limit: no doubt is left that `f64` can remove.
        let effort = Effort { doubt: 0.0, ..T::EFFORT };
        let distances = distances.get_or_insert_with(|| Box::new(Rescue::with_effort(effort)));
        for (pick, found) in open.iter().zip(distances.solve(bodies, pairs, open)) {
            rows[pick.row as usize] = Side::of(found.lower, found.upper, limit);
        }
    }
    open.len()
}

/// The same for any number of pairs, on the current thread pool; `rows` is resized.
pub fn within<T: Precision, S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    limit: f64,
    rows: &mut Vec<Side>,
    memory: &Pool<WithinScratch<S, T>>,
) -> u64 {
    rows.resize(pairs.len(), Side::At);
    in_batches(pairs, rows, memory, |scratch, pairs, rows| within_pairs(bodies, source, pairs, limit, rows, scratch))
}

/// Memory that [`visit_near_pairs`] and [`count_near_pairs`] need, to be kept from one call to the next.
pub struct NearScratch<S: Dimension, T: Precision> {
    balls: Balls,
    asked: SideScratch<S>,
    sides: Vec<Side>,
    distances: Rescue<S, T>,
}

impl<S: Dimension, T: Precision> Default for NearScratch<S, T> {
    fn default() -> Self {
        let distances = Rescue::with_effort(Effort::F64);
        Self { balls: Balls::default(), asked: SideScratch::default(), sides: Vec::new(), distances }
    }
}

/// Calls `found` with each of `pairs`, in no particular order, for whose distance `holds` is true. `holds` must be true
/// below `margin` (metres, not negative) and false above it. The pairs found are exactly those for which `holds` is
/// true of the distance that [`solve_pairs`](crate::solve_pairs) finds, but distances are computed only of pairs that
/// are about as far apart as the margin.
///
/// Bodies must exist and a pair's two must differ: the caller has checked.
pub fn visit_near_pairs<T: Precision, S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    margin: f64,
    holds: impl Fn(T) -> bool,
    scratch: &mut NearScratch<S, T>,
    mut found: impl FnMut([u32; 2]),
) {
    let NearScratch { balls, asked, sides, distances } = scratch;
    let (near, others) = balls.part(bodies, source, pairs, margin);
    sides.resize(others.len(), Side::At);
    let open = asked.ask(bodies, source, others, &Within::clearly(margin), sides);
    if !open.is_empty() {
        for (pick, row) in open.iter().zip(distances.solve(bodies, others, open)) {
            sides[pick.row as usize] = if holds(row.distance) { Side::Within } else { Side::Beyond };
        }
    }
    let within = others.iter().zip(&*sides).filter(|&(_, &side)| side == Side::Within);
    for &pair in near.iter().chain(within.map(|(pair, _)| pair)) {
        found(pair);
    }
}

/// How many pairs [`visit_near_pairs`] finds.
pub fn count_near_pairs<T: Precision, S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f32>,
    pairs: &[[u32; 2]],
    margin: f64,
    holds: impl Fn(T) -> bool,
    scratch: &mut NearScratch<S, T>,
) -> usize {
    let mut count = 0;
    visit_near_pairs(bodies, source, pairs, margin, holds, scratch, |_| count += 1);
    count
}
