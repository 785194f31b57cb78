//! The least depth of a frustum and a polytope: everywhere it can be is looked at.
//!
//! Over unit vectors m from the polytope to the frustum the depth is least
//!
//! - along the frustum's axis (a cap against a corner),
//! - along the normal of a face (a face against a rim),
//! - on the *ridge*, the circle of directions along which the frustum's side is its support: against a corner or an edge,
//! - on the arc of directions along which an edge is the polytope's support: against a rim ([`edges`]),
//!
//! and nowhere else: between those the supports are a corner and a point of a rim, and a turn along the meridian always
//! makes the depth less. Each kind has a closed form but the last, which is a search over one angle. Closed forms are evaluated one pair
//! at a time, SIMD across the faces and corners of the polytope, edges those of a packet together ([`underway`]); the values that win are
//! true supports.

pub mod arcs;
mod edges;
mod placed;
mod round;
mod rows;
#[cfg(test)]
mod tests;
mod underway;

use core::cell::RefCell;

use jostle_lanes::{Lanes, Mask, Rot3, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use self::arcs::Arcs;
use self::placed::{Placed, Touch};
use self::round::Round;
use self::rows::Rows;
use self::underway::{Underway, search};
use crate::any_family::Families;
use crate::depth_search::DepthSearch;
use crate::families::Family;
use crate::frame::PairLanes;
use crate::penetration::{Penetration, Penetrations};
use crate::polytope::room::Room;
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
    pub room: &'r RefCell<Room<S, T>>,
}

/// How many pairs ahead the memory of faces and edges is asked for: one was enough where a pair was searched to its end; to begin one
/// takes a third of that. (Others have not been tried.)
const AHEAD: usize = 2;

impl<S: SolveSpace, T: Scalar> FacetedDepth<'_, S, T> {
    /// Asks for what the search for the pair in a lane will read.
    #[inline(always)]
    fn ask(&self, picks: &[usize; MAX_WIDTH], lane: usize) {
        for family in &self.families {
            family.prefetch_facets::<T>(picks[lane.min(MAX_WIDTH - 1)]);
        }
    }
}

impl<S: SolveSpace, T: Scalar> DepthSearch<S, T> for FacetedDepth<'_, S, T> {
    type Kept<L: Lanes> = Rows<L::Scalar>;

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn least_depths<L: Lanes<Scalar = T>>(
        &self,
        rows: &mut Rows<T>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
        lanes: u32,
    ) -> Penetrations<S, L> {
        let Room { arcs, blocks, .. } = &mut *self.room.borrow_mut();
        rows.store(pair);
        // Those that nobody will have asked for.
        for lane in 0..AHEAD {
            self.ask(picks, lane);
        }
        let two = |lane: usize, polytope| {
            let [base_radius, half_height, top_radius] = rows.numbers(1 - self.side, lane);
            PolytopeFrustum {
                polytope,
                frustum: [half_height, base_radius, top_radius],
                polytope_first: self.side == 0,
                turn: rows.turn(lane),
                offset: widened(rows.offset::<S>(lane)),
                magnitude: rows.magnitude[lane],
            }
        };
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
                self.ask(picks, lane + AHEAD);
                let [blocks, _] = free.next().expect("no more than a packet");
                let numbers = rows.numbers(self.side, lane);
                let polytope = self.families[self.side].side::<L>(numbers, rows.scale[lane], picks[lane], blocks)?;
                Some(two(lane, polytope).placed())
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
    pub turn: Rot3<T>,
    /// Where it is.
    pub offset: Vec3<T>,
    /// The pair's magnitude.
    pub magnitude: T,
}

impl<'s, T: Scalar> PolytopeFrustum<'s, T> {
    /// As the polytope sees it.
    #[inline(always)]
    fn placed(&self) -> Placed<'s, T> {
        let Self { polytope, frustum, polytope_first: first, turn, offset, magnitude } = *self;
        let (seen, centre) = if first {
            (turn, offset)
        } else {
            let back = turn.inverse_times(Rot3::identity());
            (back, -back.rotate(offset))
        };
        Placed { polytope, round: Round::new(frustum, seen, centre), magnitude }
    }

    /// What a search has found, as the first sees it, and how far off their bodies its points are ([`Touch`]). None if the numbers make
    /// no sense.
    #[inline(always)]
    fn penetration<S: Space, L: Lanes<Scalar = T>>(
        &self,
        underway: &Underway<'s, T>,
    ) -> Option<(Penetration<S, T>, T)> {
        let Self { polytope_first: first, turn, offset, .. } = *self;
        let (found, uncertain) = underway.found()?;
        let Touch { point, fits, off } = underway.pair.touch::<L>(&found);
        let (normal, a) = if first {
            (found.normal, point)
        } else {
            (-turn.rotate(found.normal), turn.rotate(point - found.normal * found.depth) + offset)
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
            |_| Some(self.placed()),
        );
        let [underway] = underway;
        self.penetration::<S, L>(&underway?).map(|(penetration, _)| penetration)
    }
}
