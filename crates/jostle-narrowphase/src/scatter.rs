//! Distances out of lanes: into the rows of their pairs, and what is left open of them into lists.

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector, first_bits, set_bits};
use jostle_shape::MAX_WIDTH;

use crate::answer::Answer;
use crate::frame::PairLanes;
use crate::gjk::FinalSimplex;
use crate::noise::{tells_touching, without_rounding};
use crate::pick::{OpenPairs, Packet, Pick};
use crate::proximity::{Minimum, Proximity, Status};
use crate::query::SolveSpace;
use crate::simplex::Vertex;

/// Sorts out those of the pairs in the first `count` lanes whose distance is not known yet.
#[inline(always)]
pub fn leave_open<S: SolveSpace, L: Lanes, const KEEPS_SIMPLEX: bool>(
    count: usize,
    pick: impl Fn(usize) -> Pick,
    answer: &Answer<S, L>,
    open: &mut OpenPairs<S, L::Scalar>,
) {
    // Most packets leave nothing open.
    if !(answer.overlap | !answer.settled).any() {
        return;
    }
    let there = first_bits(count);
    let (overlap, settled) = (answer.overlap.to_bits() & there, answer.settled.to_bits());
    let guessed = answer.guessed.to_bits();
    for lane in set_bits::<MAX_WIDTH>(overlap) {
        open.overlapping.push(Pick { guessed: guessed >> lane & 1 == 1, ..pick(lane) });
    }
    for lane in set_bits::<MAX_WIDTH>(!(overlap | settled) & there) {
        open.undecided.push(pick(lane));
    }
    if const { KEEPS_SIMPLEX } && overlap != 0 {
        // Set apart: once a packet, if at all.
        L::enter(
            #[inline(always)]
            || keep_simplices::<S, L>(&answer.simplex, overlap, &mut open.simplices),
        );
    }
}

/// Turns what W lanes met into a row for each pair that overlaps: eight numbers of all lanes at a time.
#[inline(always)]
fn keep_simplices<S: Space, L: Lanes>(
    simplex: &FinalSimplex<S, L>,
    overlap: u32,
    kept: &mut Vec<FinalSimplex<S, L::Scalar>>,
) {
    let mut columns = [[L::zero(); 8]; 3];
    let mut place = 0;
    for vertex in simplex {
        for vector in [vertex.w, vertex.a] {
            for k in 0..S::DIMENSION {
                columns[place / 8][place % 8] = vector.get(k);
                place += 1;
            }
        }
    }
    let mut rows = [[[L::Scalar::ZERO; 8]; MAX_WIDTH]; 3];
    for group in 0..place / 8 {
        L::scatter_rows(&columns[group], &mut rows[group]);
    }
    for lane in set_bits::<MAX_WIDTH>(overlap) {
        let mut row = [Vertex { w: S::Vector::zero(), a: S::Vector::zero() }; 4];
        let mut place = 0;
        for vertex in &mut row {
            for vector in [&mut vertex.w, &mut vertex.a] {
                *vector = S::Vector::from_fn(
                    #[inline(always)]
                    |k| rows[(place + k) / 8][lane][(place + k) % 8],
                );
                place += S::DIMENSION;
            }
        }
        kept.push(row);
    }
}

#[inline(always)]
fn third<S: Space, L: Lanes>(vector: S::Vector<L>) -> L {
    if S::DIMENSION == 3 { vector.get(2) } else { L::zero() }
}

/// Distances turned into the world and transposed: a row of eight numbers and one of both witness points for each pair.
pub struct InRows<L: Lanes> {
    /// Distance, bounds, normal.
    numbers: L::Rows,
    /// Both points one behind the other, seen from where the first body is.
    points: L::Rows,
    /// For each pair what its bounds show, as a place in [`STATUSES`]. Found for all lanes at once by masks: where
    /// bodies are crowded a branch on it is mispredicted so often that it took a sixth of the time of two discs.
    statuses: [u8; MAX_WIDTH],
    /// A bit for each pair: whether its depth was searched for.
    searched: u32,
}

/// What is known of a pair by two bits: bit 0 is set if it is apart, bit 1 if it overlaps.
const STATUSES: [Status; 4] = [Status::Touching, Status::Separated, Status::Overlapping, Status::Touching];

impl<L: Lanes> InRows<L> {
    /// Those of answers, of bodies that may be `turned`, some of them asked about the other way round.
    #[inline(always)]
    pub fn new<S: SolveSpace>(lanes: &PairLanes<S, L>, turned: bool, answer: &Answer<S, L>, swapped: L::Mask) -> Self {
        let (normal, near) = if turned {
            (lanes.rotation_a.rotate(answer.normal), lanes.rotation_a.rotate(answer.a))
        } else {
            (answer.normal, answer.a)
        };
        let near = near * lanes.unscale;
        let mut distance = answer.distance;
        if const { tells_touching::<L::Scalar>() } {
            let touching = !(answer.lower.gt(L::zero()) | answer.upper.lt(L::zero()));
            distance = without_rounding(distance, touching, lanes.magnitude);
        }
        let distance = distance * lanes.unscale;
        let far = near + normal * distance;
        let normal = S::Vector::select(swapped, -normal, normal);
        let (a, b) = (S::Vector::select(swapped, far, near), S::Vector::select(swapped, near, far));
        let (lower, upper) = (answer.lower * lanes.unscale, answer.upper * lanes.unscale);
        let [x, y, z] = [normal.get(0), normal.get(1), third::<S, L>(normal)];
        let mut points = [L::zero(); 8];
        for k in 0..S::DIMENSION {
            (points[k], points[S::DIMENSION + k]) = (a.get(k), b.get(k));
        }
        let (separated, overlapping) = (lower.gt(L::zero()).to_bits(), upper.lt(L::zero()).to_bits());
        let mut statuses = [0; MAX_WIDTH];
        for lane in 0..L::WIDTH {
            statuses[lane] = (separated >> lane & 1 | (overlapping >> lane & 1) << 1) as u8;
        }
        Self {
            numbers: L::to_rows(&[distance, lower, upper, x, y, z, L::zero(), L::zero()]),
            points: L::to_rows(&points),
            statuses,
            searched: answer.searched.to_bits(),
        }
    }

    /// Writes one of them, but for the names of its bodies. `in_world`: a coordinate, on some axis, that was seen from
    /// where the first of them is.
    #[inline(always)]
    pub fn write<S: Space>(
        &self,
        lane: usize,
        row: &mut Proximity<S, L::Scalar>,
        in_world: impl Fn(usize, f64) -> f64,
    ) {
        let (numbers, points) = (&self.numbers[lane], &self.points[lane]);
        // Side by side, and all before any is written: the compiler then works four of them out at a time.
        let mut witnesses = [0.0; 6];
        for place in 0..2 * S::DIMENSION {
            witnesses[place] = in_world(place % S::DIMENSION, points[place].to_f64());
        }
        row.witness_a = S::array(|k| witnesses[k]);
        row.witness_b = S::array(|k| witnesses[S::DIMENSION + k]);
        row.distance = numbers[0];
        row.lower = numbers[1];
        row.upper = numbers[2];
        row.normal = S::array(|k| numbers[3 + k]);
        row.status = STATUSES[usize::from(self.statuses[lane] & 3)];
        row.minimum = if self.searched >> lane & 1 == 1 { Minimum::Searched } else { Minimum::Proved };
    }
}

/// Turns distances into the world and writes them to their rows.
#[inline(always)]
pub fn scatter<S: SolveSpace, L: Lanes>(
    packet: &Packet<'_, S, L>,
    answer: &Answer<S, L>,
    rows: &mut [Proximity<S, L::Scalar>],
) {
    let Packet { picks, records: pairs, lanes, traits, .. } = *packet;
    let centred = traits.centred[0];
    let mut swapped = 0;
    for (lane, pick) in picks.iter().enumerate() {
        swapped |= u32::from(pick.swapped) << lane;
    }
    let answers = InRows::new(lanes, traits.turned, answer, L::Mask::from_bits(swapped));
    for (lane, pick) in picks.iter().enumerate() {
        let first = pairs[lane][0];
        answers.write(
            lane,
            &mut rows[pick.row as usize],
            #[inline(always)]
            |k, point| first.position[k] + if centred { first.centre(k) + point } else { point },
        );
    }
}
