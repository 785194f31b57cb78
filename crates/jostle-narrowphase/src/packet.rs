//! The one loop that every kind of pair goes through: gather W pairs, solve, scatter W answers.

use jostle_lanes::{Kernel, Lanes, Mask, Rotation, Scalar, Space, Vector, prefetch_at};
use jostle_shape::MAX_WIDTH;

use crate::answer::Answer;
use crate::frame::{PairLanes, gather};
use crate::gjk::Met;
use crate::proximity::{Minimum, Proximity, Status};
use crate::query::{Packet, Query};
use crate::record::Record;
use crate::simplex::Vertex;
use crate::solve::{Solve, SolveSpace};

/// How many pairs are worked on at a time: few enough that their rows stay in the cache, enough to fill the lanes of
/// every class.
pub const CHUNK: usize = 1024;
/// How many pairs share what is left to `f64`.
pub const SPAN: usize = 8 * CHUNK;

/// A pair on its way into a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pick {
    /// Indices of the two records, the simpler kind first.
    pub records: [u32; 2],
    /// Where its answer goes.
    pub row: u32,
    /// True if the user asked for the two the other way round.
    pub swapped: bool,
}

/// Pairs that a solver left open.
pub struct Open<S: Space, T: Scalar> {
    /// Those whose cores overlap: their depth is for the next solver.
    pub overlapping: Vec<Pick>,
    /// What is known of each of those, if their solver keeps it: vertices of A - B about the origin, in A's frame, scaled.
    pub met: Vec<Met<S, T>>,
    /// Those that this precision cannot decide.
    pub undecided: Vec<Pick>,
}

impl<S: Space, T: Scalar> Default for Open<S, T> {
    fn default() -> Self {
        Self { overlapping: Vec::new(), met: Vec::new(), undecided: Vec::new() }
    }
}

/// The bodies of a packet, one pair per lane.
pub type Gathered<'r, S, T> = [[&'r Record<S, T>; 2]; MAX_WIDTH];

/// Pairs of one kind, and where their answers go.
pub struct Packets<'j, S: SolveSpace, V, Q: Query<S>> {
    /// What is asked.
    pub query: &'j Q,
    /// The bodies.
    pub records: &'j [Record<S, Q::Scalar>],
    /// The pairs.
    pub picks: &'j [Pick],
    /// The solver of their kind.
    pub solver: V,
    /// Rows, to be found by the picks.
    pub rows: &'j mut [Q::Row],
    /// Takes the pairs that the solver leaves open.
    pub open: &'j mut Q::Open,
}

impl<S, V, Q> Kernel<Q::Scalar> for Packets<'_, S, V, Q>
where
    S: SolveSpace,
    V: Solve<S, Q>,
    Q: Query<S>,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = Q::Scalar>>(self) {
        let Self { query, records, picks, solver, rows, open } = self;
        let traits = solver.traits();
        let mut kept = V::Kept::<'_, L>::default();
        let (mut pairs, mut table) = ([[&records[0]; 2]; MAX_WIDTH], [[Q::Scalar::ZERO; 8]; MAX_WIDTH]);
        for (number, packet) in picks.chunks(L::WIDTH).enumerate() {
            let next = (number + 1) * L::WIDTH;
            for place in next..picks.len().min(next + L::WIDTH) {
                solver.prefetch(place);
                query.prefetch(&picks[place]);
            }
            meet::<S, L>(records, packet, &mut pairs);
            let mut places = [0_usize; MAX_WIDTH];
            for lane in 0..L::WIDTH {
                places[lane] = number * L::WIDTH + lane.min(packet.len() - 1);
            }
            let lanes: PairLanes<S, L> = gather(
                &pairs,
                traits,
                &query.placing(packet),
                &mut table,
                #[inline(always)]
                |lane| ask_ahead(records, picks, next + lane),
            );
            let asked = if const { V::MEETS } {
                query.ask::<L, true>(&lanes, packet)
            } else {
                query.ask::<L, false>(&lanes, packet)
            };
            let answer = solver.solve(&mut kept, asked, &lanes, &places);
            let packet = Packet { picks: packet, records: &pairs, lanes: &lanes, traits };
            if const { V::MEETS } {
                query.scatter::<L, true>(&packet, &answer, rows, open);
            } else {
                query.scatter::<L, false>(&packet, &answer, rows, open);
            }
        }
    }
}

/// Looks up the bodies of a packet; those of the last pair for the lanes that are beyond it, so that these cost nothing and change nothing.
/// (Into memory that is kept: a copy of references written a moment ago is waited for, a tenth of what two balls take.)
#[inline(always)]
pub fn meet<'r, S: Space, L: Lanes>(
    records: &'r [Record<S, L::Scalar>],
    packet: &[Pick],
    pairs: &mut Gathered<'r, S, L::Scalar>,
) {
    for (pair, pick) in pairs.iter_mut().zip(packet) {
        let [a, b] = pick.records;
        *pair = [&records[a as usize], &records[b as usize]];
    }
    let last = pairs[packet.len() - 1];
    pairs[packet.len()..L::WIDTH].fill(last);
}

/// Asks for the first body of a pick that will be gathered soon, if there is such a pick.
#[inline(always)]
pub fn ask_ahead<S: Space, T: Scalar>(records: &[Record<S, T>], picks: &[Pick], place: usize) {
    if let Some(pick) = picks.get(place) {
        prefetch_at(records, pick.records[0] as usize);
    }
}

/// Sorts out the pairs of a packet whose distance is not known yet.
#[inline(always)]
pub fn leave_open<S: SolveSpace, L: Lanes, const MEETS: bool>(
    packet: &Packet<'_, S, L>,
    answer: &Answer<S, L>,
    open: &mut Open<S, L::Scalar>,
) {
    // Most packets leave nothing open.
    if !(answer.overlap | !answer.settled).any() {
        return;
    }
    let (overlap, settled) = (answer.overlap.to_bits(), answer.settled.to_bits());
    for (lane, pick) in packet.picks.iter().enumerate() {
        if overlap >> lane & 1 == 1 {
            open.overlapping.push(*pick);
        } else if settled >> lane & 1 == 0 {
            open.undecided.push(*pick);
        }
    }
    if const { MEETS } && overlap != 0 {
        keep_met::<S, L>(&answer.met, overlap, packet.picks.len(), &mut open.met);
    }
}

/// Turns what W lanes met into a row for each pair that overlaps: eight numbers of all lanes at a time.
#[inline(always)]
fn keep_met<S: Space, L: Lanes>(met: &Met<S, L>, overlap: u32, pairs: usize, kept: &mut Vec<Met<S, L::Scalar>>) {
    let mut columns = [[L::zero(); 8]; 3];
    let mut place = 0;
    for vertex in met {
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
    for lane in 0..pairs {
        if overlap >> lane & 1 == 1 {
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
}

#[inline(always)]
fn third<S: Space, L: Lanes>(vector: S::Vector<L>) -> L {
    if S::DIMENSION == 3 { vector.get(2) } else { L::zero() }
}

/// Both points in the world. (Not where they are kept: two coordinates are worked out at a time only if nothing is written in between.)
#[inline(always)]
fn witnesses<S: Space, T: Scalar>(first: &Record<S, T>, points: &[T; 8], centred: bool) -> [S::Array<f64>; 2] {
    let mut witnesses = [first.position; 2];
    for side in 0..2 {
        for k in 0..S::DIMENSION {
            let point = points[4 * side + k].to_f64();
            witnesses[side][k] += if centred { first.centre(k) + point } else { point };
        }
    }
    witnesses
}

/// Turns distances into the world and writes them to their rows: transposed into a row of eight numbers and one of both
/// witness points for each pair.
#[inline(always)]
pub fn scatter<S: SolveSpace, L: Lanes>(
    packet: &Packet<'_, S, L>,
    answer: &Answer<S, L>,
    rows: &mut [Proximity<S, L::Scalar>],
) {
    let Packet { picks, records: pairs, lanes, traits, .. } = *packet;
    let centred = traits.centred[0];
    let zero = L::Scalar::ZERO;
    let mut swapped = 0;
    for (lane, pick) in picks.iter().enumerate() {
        swapped |= u32::from(pick.swapped) << lane;
    }
    let swapped = L::Mask::from_bits(swapped);
    let (normal, near) = if traits.turned {
        (lanes.turn_a.rotate(answer.normal), lanes.turn_a.rotate(answer.a))
    } else {
        (answer.normal, answer.a)
    };
    let near = near * lanes.unscale;
    let distance = answer.distance * lanes.unscale;
    let far = near + normal * distance;
    let normal = S::Vector::select(swapped, -normal, normal);
    let (a, b) = (S::Vector::select(swapped, far, near), S::Vector::select(swapped, near, far));
    let (lower, upper) = (answer.lower * lanes.unscale, answer.upper * lanes.unscale);
    let mut numbers = [[zero; 8]; MAX_WIDTH];
    let mut points = [[zero; 8]; MAX_WIDTH];
    let [x, y, z] = [normal.get(0), normal.get(1), third::<S, L>(normal)];
    L::scatter_rows(&[distance, lower, upper, x, y, z, L::zero(), L::zero()], &mut numbers);
    let [ax, ay, az] = [a.get(0), a.get(1), third::<S, L>(a)];
    let [bx, by, bz] = [b.get(0), b.get(1), third::<S, L>(b)];
    L::scatter_rows(&[ax, ay, az, L::zero(), bx, by, bz, L::zero()], &mut points);
    let searched = answer.searched.to_bits();
    for (lane, pick) in picks.iter().enumerate() {
        let first = pairs[lane][0];
        let row = &mut rows[pick.row as usize];
        let (numbers, points) = (&numbers[lane], &points[lane]);
        row.distance = numbers[0];
        row.lower = numbers[1];
        row.upper = numbers[2];
        for k in 0..S::DIMENSION {
            row.normal[k] = numbers[3 + k];
        }
        let [witness_a, witness_b] = witnesses(first, points, centred);
        (row.witness_a, row.witness_b) = (witness_a, witness_b);
        row.status = Status::of(row.lower, row.upper);
        row.minimum = if searched >> lane & 1 == 1 { Minimum::Searched } else { Minimum::Proved };
    }
}
