//! The pairs of a packet searched: what has a closed form pair by pair, the arcs of all of them together.

use jostle_lanes::Lanes;

use super::arcs::Arcs;
use super::edges;
use super::underway::{BegunPair, Underway};

/// Searches the pairs that `next` gives for the places of `pairs`. None is left of those that this type cannot tell.
#[inline(always)]
pub fn search<'s, L: Lanes>(
    pairs: &mut [Option<Underway<'s, L::Scalar>>],
    arcs: &mut Arcs,
    mut next: impl FnMut(usize) -> Option<BegunPair<'s, L::Scalar>>,
) {
    arcs.open();
    for place in 0..=pairs.len() {
        let last = place == pairs.len();
        if !last
            && let Some(begun) = next(place)
            && let Some(underway) = Underway::new::<L>(begun)
        {
            arcs.list::<L>(&underway.pair, place, underway.best.depth - underway.gain);
            pairs[place] = Some(underway);
        }
        let mut begun = 0;
        while let Some(packet) = arcs.packet(L::WIDTH, begun, last) {
            edges::offer::<L>(pairs, packet);
            begun += packet.len();
        }
        arcs.forget(begun);
    }
}
