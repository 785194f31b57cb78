//! The least depth of a frustum and a polytope: everywhere it can be is looked at.
//!
//! Over unit vectors m from the polytope to the frustum the depth is least
//!
//! - along the frustum's axis (a cap against a corner),
//! - along the normal of a face (a face against a rim),
//! - on the *ridge*, the circle of directions along which the frustum's side is its support: against a corner or an
//!   edge,
//! - on the arc of directions along which an edge is the polytope's support: against a rim ([`edges`]),
//!
//! and nowhere else: between those the supports are a corner and a point of a rim, and a turn along the meridian always
//! makes the depth less. Each kind has a closed form but the last, which is a search over one angle. Closed forms are
//! evaluated one pair at a time, SIMD across the faces and corners of a hull, or for a packet of boxes in lanes
//! ([`of_boxes`]); edges, those of a packet together ([`underway`]). The values that win are true supports.

pub mod arcs;
mod edges;
mod of_boxes;
mod placed;
mod round;
mod rows;
mod search;
#[cfg(test)]
mod tests;
mod underway;

use core::cell::RefCell;

use jostle_lanes::{Lanes, Mask, Rot, Rot3, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use self::arcs::Arcs;
use self::placed::{FoundDepth, PlacedFrustum, PolytopeTouch};
use self::round::Round;
use self::rows::PacketNumbers;
use self::search::search;
use self::underway::{Underway, gain};
use crate::boxes::pair::half_extents;
use crate::depth_search::DepthSearch;
use crate::families::{AnyFamily, Families, Family};
use crate::frame::PairLanes;
use crate::penetration::{Penetration, Penetrations};
use crate::polytope::room::DepthRoom;
use crate::polytope::view::PolytopeView;
use crate::query::SolveSpace;
use crate::widened::{narrowed, widened};

/// The depth of overlapping frustums and polytopes.
pub struct FacetedDepth<'r, S: Space, T: Scalar> {
    /// What the two are.
    pub families: Families<'r, S>,
    /// Which of them are the polytopes.
    pub side: usize,
    /// Memory.
    pub room: &'r RefCell<DepthRoom<S, T>>,
}

/// How many pairs ahead the memory of faces and edges is asked for: one was enough where a pair was searched to its
/// end; to begin one takes a third of that. (Others have not been tried.)
const FACETS_AHEAD: usize = 2;

impl<S: SolveSpace, T: Scalar> FacetedDepth<'_, S, T> {
    /// Asks for what the search for the pair in a lane will read.
    #[inline(always)]
    fn ask(&self, picks: &[usize; MAX_WIDTH], lane: usize) {
        for family in &self.families {
            family.prefetch_facets::<T>(picks[lane.min(MAX_WIDTH - 1)]);
        }
    }

    /// The least of the depths that have a closed form, if the polytopes are boxes: where it is along the three axes,
    /// and the depth, by lanes.
    #[inline(always)]
    fn boxes<L: Lanes<Scalar = T>>(&self, pair: &PairLanes<S, L>, known: &mut [[T; MAX_WIDTH]; 4]) -> bool {
        let AnyFamily::Box = self.families[self.side] else { return false };
        let rotation = Rot3::from_entries(
            #[inline(always)]
            |k| pair.rotation.entry(k),
        );
        let [base_radius, half_height, top_radius] = pair.numbers[1 - self.side];
        let round = seen([half_height, base_radius, top_radius], self.side == 0, rotation, widened(pair.offset));
        let (normal, depth) =
            of_boxes::closed(widened(half_extents::<S, L>(&pair.numbers[self.side])), &round, gain(pair.magnitude));
        normal.x.store(&mut known[0]);
        normal.y.store(&mut known[1]);
        normal.z.store(&mut known[2]);
        depth.store(&mut known[3]);
        true
    }
}

/// A frustum (half height, radius of the base, of the top) as the polytope sees it, the second of the two being turned
/// and placed so.
#[inline(always)]
fn seen<L: Lanes>(frustum: [L; 3], polytope_first: bool, rotation: Rot3<L>, offset: Vec3<L>) -> Round<L> {
    if polytope_first {
        return Round::new(frustum, rotation, offset);
    }
    let back = rotation.inverse_times(Rot3::identity());
    Round::new(frustum, back, -back.rotate(offset))
}

impl<S: SolveSpace, T: Scalar> DepthSearch<S, T> for FacetedDepth<'_, S, T> {
    type PacketScratch<L: Lanes> = PacketNumbers<L::Scalar>;

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn least_depths<L: Lanes<Scalar = T>>(
        &self,
        rows: &mut PacketNumbers<T>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
        lanes: u32,
    ) -> Penetrations<S, L> {
        let DepthRoom { arcs, blocks, .. } = &mut *self.room.borrow_mut();
        rows.store(pair);
        // The memory of the first pairs, which no earlier pair asks for.
        for lane in 0..FACETS_AHEAD {
            self.ask(picks, lane);
        }
        let two = |lane: usize, polytope| {
            let [base_radius, half_height, top_radius] = rows.numbers(1 - self.side, lane);
            PolytopeFrustum {
                polytope,
                frustum: [half_height, base_radius, top_radius],
                polytope_first: self.side == 0,
                rotation: rows.rotation(lane),
                offset: widened(rows.offset::<S>(lane)),
                magnitude: rows.magnitude[lane],
            }
        };
        let mut known = [[T::ZERO; MAX_WIDTH]; 4];
        let boxes = self.boxes(pair, &mut known);
        let mut free = blocks.iter_mut();
        let mut underway = [const { None }; MAX_WIDTH];
        search::<L>(
            &mut underway[..L::WIDTH],
            arcs,
            #[inline(always)]
            |lane| {
                if lanes >> lane & 1 == 0 {
                    return None;
                }
                self.ask(picks, lane + FACETS_AHEAD);
                let [blocks, _] = free.next().expect("no more than a packet");
                let numbers = rows.numbers(self.side, lane);
                let polytope = self.families[self.side].side::<L>(numbers, rows.scale[lane], picks[lane], blocks)?;
                let [x, y, z, depth] = &known;
                let normal = Vec3 { x: x[lane], y: y[lane], z: z[lane] };
                let known = FoundDepth { normal, depth: depth[lane], edge: None };
                Some((two(lane, polytope).placed(), if boxes { Some(known) } else { None }))
            },
        );
        let (mut normal, mut a) = ([[T::ZERO; MAX_WIDTH]; 3], [[T::ZERO; MAX_WIDTH]; 3]);
        let (mut depth, mut offs) = ([T::ZERO; MAX_WIDTH], [T::ZERO; MAX_WIDTH]);
        let (mut found, mut fits) = (0_u32, 0_u32);
        for (lane, underway) in underway.iter().enumerate() {
            let Some(underway) = underway else { continue };
            let two = two(lane, underway.pair.polytope);
            if let Some((penetration, off)) = two.penetration::<S, L>(underway) {
                for k in 0..S::DIMENSION {
                    normal[k][lane] = penetration.normal.get(k);
                    a[k][lane] = penetration.a.get(k);
                }
                depth[lane] = penetration.depth;
                offs[lane] = off;
                found |= u32::from(!penetration.uncertain) << lane;
                fits |= u32::from(penetration.fits) << lane;
            }
        }
        let vector = |columns: &[[T; MAX_WIDTH]; 3]| {
            S::Vector::from_fn(
                #[inline(always)]
                |k| L::load(&columns[k]),
            )
        };
        let (found, fits) = (L::Mask::from_bits(found), L::Mask::from_bits(fits));
        Penetrations {
            found,
            normal: vector(&normal),
            depth: L::load(&depth),
            a: vector(&a),
            fits,
            off: L::load(&offs),
        }
    }
}

/// A polytope and a frustum, in the first's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct PolytopeFrustum<'s, T: Scalar> {
    /// The one.
    pub polytope: PolytopeView<'s, T>,
    /// The other: half height, radius of the base, of the top.
    pub frustum: [T; 3],
    /// Which is the first of the two.
    pub polytope_first: bool,
    /// How the second is turned.
    pub rotation: Rot3<T>,
    /// Where it is.
    pub offset: Vec3<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

impl<'s, T: Scalar> PolytopeFrustum<'s, T> {
    /// As the polytope sees it.
    #[inline(always)]
    fn placed(&self) -> PlacedFrustum<'s, T> {
        let Self { polytope, frustum, polytope_first, rotation, offset, magnitude } = *self;
        PlacedFrustum { polytope, round: seen(frustum, polytope_first, rotation, offset), magnitude }
    }

    /// What a search has found, as the first sees it, and how far off their bodies its points are ([`PolytopeTouch`]).
    /// None if the numbers make no sense.
    #[inline(always)]
    fn penetration<S: Space, L: Lanes<Scalar = T>>(
        &self,
        underway: &Underway<'s, T>,
    ) -> Option<(Penetration<S, T>, T)> {
        let Self { polytope_first: first, rotation, offset, .. } = *self;
        let (found, uncertain) = underway.found()?;
        let PolytopeTouch { point, fits, off } = underway.pair.touch::<L>(&found);
        let (normal, a) = if first {
            (found.normal, point)
        } else {
            (-rotation.rotate(found.normal), rotation.rotate(point - found.normal * found.depth) + offset)
        };
        let (normal, a) = (narrowed::<S, T>(normal), narrowed::<S, T>(a));
        Some((Penetration { normal, depth: found.depth, a, fits, uncertain }, off))
    }

    /// Their least depth, as the first sees it. None if the numbers make no sense.
    #[inline(always)]
    pub fn least_depth<S: Space, L: Lanes<Scalar = T>>(&self, arcs: &mut Arcs) -> Option<Penetration<S, T>> {
        let mut underway = [None];
        search::<L>(
            &mut underway,
            arcs,
            #[inline(always)]
            |_| Some((self.placed(), None)),
        );
        let [underway] = underway;
        self.penetration::<S, L>(&underway?).map(|(penetration, _)| penetration)
    }
}
