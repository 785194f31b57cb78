//! The stages of a distance, each with those before it: for benchmarks that say where the time goes. What a stage
//! leaves out is left out of its answers too; rows are complete only after the last.

use jostle_lanes::{Kernel, Lanes, Mask, Vector, dispatch};
use jostle_shape::{BodySet, MAX_WIDTH};

use crate::answer::Answer;
use crate::batch::{Depths, Scratch, solve_in_lanes, solve_pairs};
use crate::frame::{AtRest, PairLanes, Traits, gather};
use crate::kernels::{Dimension, Precision};
use crate::lists::Batch;
use crate::packet::{ask_ahead, look_up};
use crate::pick::{PAIRS_PER_BATCH, PAIRS_PER_RESCUE, Packet, Pick};
use crate::proximity::Proximity;
use crate::query::SolveSpace;
use crate::record::Record;
use crate::records::Source;
use crate::scatter::scatter;

/// How far pairs are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    /// They are sorted into classes, and records made if they are made on the way.
    Sorted,
    /// They are in lanes.
    Gathered,
    /// Rows are written: gathered, and what is at hand scattered (it is not an answer).
    Scattered,
    /// Lanes have answered, but for depths.
    Apart,
    /// Depths too: what is left is what this precision cannot decide.
    Lanes,
    /// All of it.
    Done,
}

impl Until {
    /// All stages, in order.
    pub const ALL: [Self; 6] = [Self::Sorted, Self::Gathered, Self::Scattered, Self::Apart, Self::Lanes, Self::Done];
}

/// Works on `pairs` until the stage `until`, batch by batch on this thread. `rows` must be as long.
///
/// ```
/// use jostle_narrowphase::{Proximity, Records, Scratch, Until, measure};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in [0.0, 3.0] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let mut records = Records::<D2, f32>::default();
/// records.make(&bodies.columns());
/// let mut rows = [Proximity::default()];
/// for until in Until::ALL {
///     measure(&bodies.columns(), records.source(), &[[0, 1]], until, &mut rows, &mut Scratch::default());
/// }
/// assert_eq!(rows[0].distance, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If a pair names a body that is not there.
pub fn measure<S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, T>,
    pairs: &[[u32; 2]],
    until: Until,
    rows: &mut [Proximity<S, T>],
    scratch: &mut Scratch<S, T>,
) {
    // As many at a time as when pairs are solved for users.
    let share = if until == Until::Done { PAIRS_PER_RESCUE } else { PAIRS_PER_BATCH };
    for (pairs, rows) in pairs.chunks(share).zip(rows.chunks_mut(share)) {
        match until {
            Until::Done => {
                solve_pairs(bodies, source, pairs, rows, scratch);
            }
            Until::Apart | Until::Lanes => {
                let depths = if until == Until::Lanes { Depths::Solved } else { Depths::LeftOpen };
                solve_in_lanes(bodies, source, pairs, rows, None, scratch, depths);
            }
            Until::Sorted | Until::Gathered | Until::Scattered => {
                for Batch { records, picks, .. } in scratch.lists().sort(bodies, source, pairs) {
                    if until == Until::Sorted {
                        core::hint::black_box(picks);
                    } else {
                        let scattered = until == Until::Scattered;
                        dispatch(Travel { records, picks, rows: &mut *rows, scattered });
                    }
                }
            }
        }
    }
}

/// Into lanes and out of them again, with nothing in between. As for bodies of any kind.
struct Travel<'t, S: SolveSpace, T: Precision> {
    records: &'t [Record<S, T>],
    picks: &'t [Pick],
    rows: &'t mut [Proximity<S, T>],
    scattered: bool,
}

impl<S: SolveSpace, T: Precision> Kernel<T> for Travel<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let Self { records, picks, rows, scattered } = self;
        let (mut pairs, mut table) = ([[&records[0]; 2]; MAX_WIDTH], [[T::ZERO; 8]; MAX_WIDTH]);
        for (number, packet) in picks.chunks(L::WIDTH).enumerate() {
            let next = (number + 1) * L::WIDTH;
            look_up::<S, L>(records, packet, &mut pairs);
            let lanes: PairLanes<S, L> = gather(
                &pairs,
                Traits::ANY,
                &AtRest,
                &mut table,
                #[inline(always)]
                |lane| ask_ahead(records, picks, next + lane),
            );
            if scattered {
                let answer = Answer {
                    distance: lanes.magnitude,
                    lower: lanes.radius[0],
                    upper: lanes.radius[1],
                    normal: lanes.offset,
                    a: lanes.offset,
                    settled: L::Mask::splat(true),
                    overlap: L::Mask::splat(false),
                    guessed: L::Mask::splat(false),
                    searched: L::Mask::splat(false),
                    simplex: Answer::<S, L>::no_simplex(),
                };
                let packet = Packet { picks: packet, records: &pairs, lanes: &lanes, traits: Traits::ANY };
                scatter(&packet, &answer, rows);
            } else {
                let sum = lanes.offset.dot(lanes.offset) + lanes.numbers[0][0] + lanes.numbers[1][0];
                core::hint::black_box(sum * lanes.magnitude + lanes.radius[0] + lanes.radius[1]);
            }
        }
    }
}
