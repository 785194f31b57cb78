//! Pairs straight out of their columns.
//!
//! Where all shapes are balls, or all capsules, or all boxes, every pair is of the same class and its bodies stay in
//! order: positions, rotations and a shape's few numbers are read, and a row is written. Records, lists sorted by class
//! and rows begun with the names of their bodies were half of what two balls at hand take, a quarter of two capsules
//! and a tenth of two boxes. The same bits come out.

use jostle_lanes::{Kernel, Lanes, Mask as _, Scalar, dispatch, prefetch_far_at, prefetch_in_turn};
use jostle_shape::{Columns, CustomShape, MAX_WIDTH, Rotations};

use crate::angles::{ANGLES_TOGETHER, Angles};
use crate::answer::Answer;
use crate::class::Class;
use crate::distance::Distance;
use crate::frame::{PairLanes, Table, in_lanes, turn};
use crate::pick::{OpenPairs, Pick};
use crate::proximity::Proximity;
use crate::query::{Query, Solve, SolveSpace};
use crate::record::{NUMBERS, RADIUS, ROTATION_ROOM, Size, given_rotation};
use crate::scatter::{InRows, leave_open};
use crate::templates::{TemplateColumns, Templates};

/// How many pairs ahead the memory of their bodies is asked for.
const DIRECT_PAIRS_AHEAD: usize = 40;

/// How many pairs are worked on in the plane between rotations and answers: so few that the pages of their bodies stay
/// in the processor's table of pages (of 1,024 pairs of boxes among 2,000,000 they do not: 58 -> 85 ns).
pub const PAIRS_AT_ONCE: usize = 128;

/// How many bodies ahead rotations are prefetched, in the plane, and with them whatever is needed afterwards.
const ROTATIONS_AHEAD: usize = 2 * DIRECT_PAIRS_AHEAD;

/// Pairs of bodies of one kind, and all that a question about them needs.
pub struct ColumnJob<'d, S: SolveSpace, Q: Query<S>> {
    /// What is asked.
    pub query: &'d Q,
    /// The bodies of the pairs: the first of each, and the second.
    pub bodies: [PoseColumns<'d, S>; 2],
    /// What bodies of each of their shapes share.
    pub templates: [TemplateColumns<'d, S, Q::Scalar>; 2],
    /// Whether these are in the cache.
    pub at_hand: bool,
    /// In the plane: cosine and sine of the rotation of both bodies of each pair.
    pub stored: &'d [[Q::Scalar; 2]],
    /// The pairs, each body by its place in its own columns; behind them those of the next jobs, to be prefetched.
    pub pairs: &'d [[u32; 2]],
    /// A row for each pair of this job.
    pub rows: &'d mut [Q::Row],
    /// The number of the first row.
    pub first: usize,
    /// Takes the pairs that are left open; of their picks only the rows are set.
    pub open: &'d mut Q::Open,
}

/// A question that is asked so, too.
pub trait AskColumns<S: SolveSpace>: Query<S> {
    /// Writes the answers of a packet to `rows`, one for each of its pairs, and what is left open to `open`.
    fn put<L: Lanes<Scalar = Self::Scalar>>(
        &self,
        packet: &ColumnPacket<'_, S, L>,
        answer: &Self::Answer<L>,
        rows: &mut [Self::Row],
        open: &mut Self::Open,
    );
}

/// Pairs that have been solved.
pub struct ColumnPacket<'p, S: SolveSpace, L: Lanes> {
    /// The pairs, each body by its place in its own columns.
    pub pairs: &'p [[u32; 2]],
    /// The number of the first one's row.
    pub first: usize,
    /// Where first bodies are.
    pub positions: &'p [S::Array<f64>],
    /// They in lanes.
    pub lanes: &'p PairLanes<S, L>,
    /// Whether bodies may be turned.
    pub turned: bool,
}

impl<S: SolveSpace, T: Scalar> AskColumns<S> for Distance<'_, S, T> {
    #[inline(always)]
    fn put<L: Lanes<Scalar = T>>(
        &self,
        &ColumnPacket { pairs, first, positions, lanes, turned }: &ColumnPacket<'_, S, L>,
        answer: &Answer<S, L>,
        rows: &mut [Proximity<S, T>],
        open: &mut OpenPairs<S, T>,
    ) {
        let answers = InRows::new(lanes, turned, answer, L::Mask::splat(false));
        for (lane, (&[a, b], row)) in pairs.iter().zip(rows).enumerate() {
            let from = positions[a as usize];
            (row.a, row.b) = (a, b);
            answers.write(
                lane,
                row,
                #[inline(always)]
                |k, point| from[k] + point,
            );
        }
        leave_open::<_, _, false>(
            pairs.len(),
            #[inline(always)]
            |lane| Pick { row: (first + lane) as u32, ..Pick::default() },
            answer,
            open,
        );
    }
}

/// The columns of bodies that matter here, whatever the type of their shapes.
#[derive(Clone, Copy)]
pub struct PoseColumns<'b, S: SolveSpace> {
    shapes: &'b [u32],
    positions: &'b [S::Array<f64>],
    rotations: Rotations<'b, S>,
}

impl<'b, S: SolveSpace> PoseColumns<'b, S> {
    /// Those of some bodies.
    pub fn of<U: CustomShape<S>>(bodies: &Columns<'b, S, U>) -> Self {
        Self { shapes: bodies.shape_indices(), positions: bodies.positions(), rotations: bodies.rotations() }
    }
    #[inline(always)]
    fn prefetch_with_rotation(&self, body: usize) {
        self.prefetch(body, true);
    }
    #[inline(always)]
    fn prefetch(&self, body: usize, turned: bool) {
        prefetch_far_at(self.positions, body);
        prefetch_far_at(self.shapes, body);
        if turned {
            self.rotations.prefetch(body);
        }
    }
}

/// Asks for what the first of some pairs need.
pub fn begin<S: SolveSpace>(bodies: &[PoseColumns<'_, S>; 2], pairs: &[[u32; 2]], turned: bool) {
    for pair in &pairs[..pairs.len().min(DIRECT_PAIRS_AHEAD)] {
        for side in 0..2 {
            bodies[side].prefetch(pair[side] as usize, turned);
        }
    }
}

/// Beyond so many bodies it costs more to come back to those of overlapping boxes, whose depth takes records after all,
/// than to make the records of all (800,000 bodies: 82 -> 88 ns a pair; 200,000: 64 -> 62).
const WITHIN_REACH: usize = 1 << 18;

/// The class of all pairs of so many bodies of such shapes, if they are answered here.
pub fn class<S: SolveSpace, T: Scalar>(templates: &Templates<S, T>, bodies: usize) -> Option<Class> {
    let class = Class::ALL[usize::from(Class::of_kind(templates.kind()?))];
    let here = match class {
        Class::PointPoint | Class::SegmentSegment => true,
        Class::BoxBox => bodies <= WITHIN_REACH,
        _ => false,
    };
    here.then_some(class)
}

/// Works out cosines and sines of the rotations of the bodies of the first of `pairs`, in the plane, and asks for what
/// the others will need.
pub fn store_rotations<S: SolveSpace, T: Scalar>(
    bodies: [PoseColumns<'_, S>; 2],
    pairs: &[[u32; 2]],
    stored: &mut [[T; 2]],
) {
    dispatch(Store { bodies, pairs, stored });
}

struct Store<'s, S: SolveSpace, T: Scalar> {
    bodies: [PoseColumns<'s, S>; 2],
    pairs: &'s [[u32; 2]],
    stored: &'s mut [[T; 2]],
}

impl<S: SolveSpace, T: Scalar> Kernel<f64> for Store<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Self { bodies, pairs, stored } = self;
        let mut ahead = pairs.get(ROTATIONS_AHEAD / 2..).unwrap_or(&[]).iter();
        let mut angles = Angles::new();
        for (stored, pairs) in stored.chunks_mut(ANGLES_TOGETHER).zip(pairs.chunks(ANGLES_TOGETHER / 2)) {
            for &ahead in ahead.by_ref().take(ANGLES_TOGETHER / 2) {
                for side in 0..2 {
                    bodies[side].prefetch_with_rotation(ahead[side] as usize);
                }
            }
            angles.work_out::<T, S, L>(
                2 * pairs.len(),
                #[inline(always)]
                |angles| {
                    for (angles, pair) in angles.chunks_exact_mut(2).zip(pairs) {
                        for side in 0..2 {
                            angles[side] = bodies[side].rotations.get(pair[side] as usize).as_ref()[0];
                        }
                    }
                },
            );
            for (stored, rotation) in stored.iter_mut().zip(angles.stored()) {
                *stored = rotation.map(T::from_f64);
            }
        }
    }
}

/// The rest of a list that may be shorter.
#[inline(always)]
fn rest<T>(list: &[T], first: usize) -> &[T] {
    list.get(first..).unwrap_or(&[])
}

/// Such pairs and their solver.
pub struct ColumnKernel<'d, S: SolveSpace, Q: Query<S>, V> {
    /// The pairs.
    pub direct: ColumnJob<'d, S, Q>,
    /// The solver of their class.
    pub solver: V,
}

impl<S: SolveSpace, Q: AskColumns<S>, V: Solve<S, Q>> Kernel<Q::Scalar> for ColumnKernel<'_, S, Q, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = Q::Scalar>>(self) {
        let Self {
            direct: ColumnJob { query, bodies, templates, at_hand, stored, pairs, rows, first: first_row, open },
            solver,
        } = self;
        let traits = solver.traits();
        // In the plane rotations were needed before: whatever was asked for then is there.
        let asked_for = !S::ROTATIONS_AS_GIVEN && traits.turned;
        let mut kept = V::PacketScratch::<'_, L>::default();
        let mut table: Table<Q::Scalar> = [[Q::Scalar::ZERO; 8]; MAX_WIDTH];
        let mut blocks = [table; 2];
        let these = &pairs[..rows.len()];
        for (number, some) in these.chunks(L::WIDTH).enumerate() {
            let first = number * L::WIDTH;
            let ahead = if asked_for { &[] } else { rest(pairs, first + DIRECT_PAIRS_AHEAD) };
            let soon = if at_hand { &[] } else { rest(pairs, first + DIRECT_PAIRS_AHEAD / 2) };
            // The last one again in lanes beyond it, so that these change nothing.
            let last = some.len() - 1;
            let mut filled = [some[last]; MAX_WIDTH];
            if some.len() == L::WIDTH {
                // As below, but as many as the compiler knows, which otherwise calls a function for each packet.
                filled[..L::WIDTH].copy_from_slice(&some[..L::WIDTH]);
            } else {
                filled[..some.len()].copy_from_slice(some);
            }
            for lane in 0..L::WIDTH {
                prefetch_in_turn(rows, first + lane);
                // In this loop: see `gather`.
                if let Some(ahead) = ahead.get(lane) {
                    bodies[0].prefetch(ahead[0] as usize, traits.turned);
                    bodies[1].prefetch(ahead[1] as usize, traits.turned);
                }
                if let Some(soon) = soon.get(lane) {
                    // By now their shapes are known.
                    for side in 0..2 {
                        templates[side].prefetch(bodies[side].shapes[soon[side] as usize] as usize);
                    }
                }
                let pair = filled[lane].map(|body| body as usize);
                let (from, to) = (bodies[0].positions[pair[0]], bodies[1].positions[pair[1]]);
                let row = &mut table[lane];
                for k in 0..S::DIMENSION {
                    // Zeros lose their sign, as in `gather`.
                    row[k] = Q::Scalar::from_f64(to[k] - from[k] + 0.0);
                }
                for side in 0..2 {
                    let (bodies, body) = (&bodies[side], pair[side]);
                    let shape = bodies.shapes[body] as usize;
                    let columns = &templates[side];
                    let Size { reach, radius } =
                        if traits.turned { columns.forms[shape].size() } else { columns.sizes[shape] };
                    row[3 + side] = reach;
                    row[6 + side] = radius;
                    if traits.turned {
                        let block = &mut blocks[side][lane];
                        if S::ROTATIONS_AS_GIVEN {
                            block[..ROTATION_ROOM]
                                .copy_from_slice(&given_rotation(&bodies.rotations, body).map(Q::Scalar::from_f64));
                        } else {
                            block[..2].copy_from_slice(&stored[2 * (first + lane.min(last)) + side]);
                        }
                        block[NUMBERS..RADIUS].copy_from_slice(&columns.forms[shape].half[..RADIUS - NUMBERS]);
                    }
                }
            }
            let mut lanes = in_lanes::<S, L>(&table);
            if traits.turned {
                lanes = turn(
                    lanes,
                    #[inline(always)]
                    |side, lane| &blocks[side][lane],
                );
            }
            let asked = query.ask::<L, false>(&lanes, &[]);
            let answer = solver.solve(&mut kept, asked, &lanes, &[0; MAX_WIDTH]);
            let (first, positions) = (first_row + first, bodies[0].positions);
            let packet = ColumnPacket { pairs: some, first, positions, lanes: &lanes, turned: traits.turned };
            query.put(&packet, &answer, &mut rows[number * L::WIDTH..], open);
        }
    }
}
