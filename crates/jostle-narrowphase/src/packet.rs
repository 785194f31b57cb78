//! The one loop that every kind of pair goes through: gather W pairs, solve, scatter W answers.

use jostle_lanes::{Kernel, Lanes, Scalar, Space, prefetch_at};
use jostle_shape::MAX_WIDTH;

use crate::frame::{PairLanes, Placing, Table, Traits, gather};
use crate::pick::{Gathered, Packet, Pick};
use crate::query::{Query, Solve, SolveSpace};
use crate::record::{Record, RecordSpace};

/// Pairs of one class, and all that their solver needs.
pub struct Job<'j, S: SolveSpace, Q: Query<S>> {
    /// What is asked.
    pub query: &'j Q,
    /// The bodies.
    pub records: &'j [Record<S, Q::Scalar>],
    /// The pairs.
    pub picks: &'j [Pick],
    /// Where their answers go.
    pub rows: &'j mut [Q::Row],
    /// Takes the pairs that the solver leaves open.
    pub open: &'j mut Q::Open,
}

/// A job and its solver.
pub struct Packets<'j, S: SolveSpace, V, Q: Query<S>> {
    /// The job.
    pub job: Job<'j, S, Q>,
    /// The solver of its class.
    pub solver: V,
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
        let Self { job: Job { query, records, picks, rows, open }, solver } = self;
        let traits = solver.traits();
        let mut kept = V::PacketScratch::<'_, L>::default();
        let (mut pairs, mut table) = ([[&records[0]; 2]; MAX_WIDTH], [[Q::Scalar::ZERO; 8]; MAX_WIDTH]);
        for (number, packet) in picks.chunks(L::WIDTH).enumerate() {
            let next = (number + 1) * L::WIDTH;
            for place in next..picks.len().min(next + L::WIDTH) {
                solver.prefetch(place);
                query.prefetch(&picks[place]);
            }
            look_up::<S, L>(records, packet, &mut pairs);
            let mut places = [0_usize; MAX_WIDTH];
            for lane in 0..L::WIDTH {
                places[lane] = number * L::WIDTH + lane.min(packet.len() - 1);
            }
            let placing = query.placing(packet);
            let lanes: PairLanes<S, L> = if const { V::LONG } {
                gather_apart(&pairs, traits, &placing, &mut table, records, picks.get(next..).unwrap_or(&[]))
            } else {
                gather(
                    &pairs,
                    traits,
                    &placing,
                    &mut table,
                    #[inline(always)]
                    |lane| ask_ahead(records, picks, next + lane),
                )
            };
            let asked = if const { V::KEEPS_SIMPLEX } {
                query.ask::<L, true>(&lanes, packet)
            } else {
                query.ask::<L, false>(&lanes, packet)
            };
            let answer = solver.solve(&mut kept, asked, &lanes, &places);
            let packet = Packet { picks: packet, records: &pairs, lanes: &lanes, traits };
            if const { V::KEEPS_SIMPLEX } {
                scatter_apart::<S, Q, L, true>(query, &packet, &answer, rows, open);
            } else if const { V::LONG } {
                scatter_apart::<S, Q, L, false>(query, &packet, &answer, rows, open);
            } else {
                query.scatter::<L, false>(&packet, &answer, rows, open);
            }
        }
    }
}

/// [`gather`] as a function of its own for each type of lanes. `soon` are the picks of the next packet.
#[inline(always)]
fn gather_apart<S: RecordSpace, L: Lanes>(
    pairs: &Gathered<'_, S, L::Scalar>,
    traits: Traits,
    placing: &impl Placing,
    table: &mut Table<L::Scalar>,
    records: &[Record<S, L::Scalar>],
    soon: &[Pick],
) -> PairLanes<S, L> {
    L::enter(
        #[inline(always)]
        || {
            gather(
                pairs,
                Traits { turned: true, ..traits },
                placing,
                table,
                #[inline(always)]
                |lane| ask_ahead(records, soon, lane),
            )
        },
    )
}

/// A question's `scatter`, likewise.
#[inline(always)]
fn scatter_apart<S: SolveSpace, Q: Query<S>, L: Lanes<Scalar = Q::Scalar>, const KEEPS_SIMPLEX: bool>(
    query: &Q,
    packet: &Packet<'_, S, L>,
    answer: &Q::Answer<L>,
    rows: &mut [Q::Row],
    open: &mut Q::Open,
) {
    L::enter(
        #[inline(always)]
        || query.scatter::<L, KEEPS_SIMPLEX>(packet, answer, rows, open),
    );
}

/// Looks up the bodies of a packet; those of the last pair for the lanes that are beyond it, so that these cost nothing
/// and change nothing. (Into memory that is kept: a copy of references written a moment ago is waited for, a tenth of
/// what two balls take.)
#[inline(always)]
pub fn look_up<'r, S: Space, L: Lanes>(
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
