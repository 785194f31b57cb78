//! The least depth of two polytopes, exactly: from within, or by a pruned search over the axes that can separate them.
//!
//! In space a polytope [grows](grow) inside of A - B until its nearest face is one of A - B's: few steps, which read nothing but points, and the
//! fewer the less two bodies overlap. What that has no room for is searched.
//!
//! The depth along a unit normal is least at a face of either or at a crossing of two edges (Gottschalk 1996; the Gauss
//! map as in Gregorius 2013). [`nodes`] finds the best face from a handful of supports, [`arcs`] looks for crossings that
//! are better among the few arcs that the points met so far do not rule out. SIMD goes across the faces, points and edges of
//! two bodies, and some pairs are searched side by side ([`search`]); nothing is ever given up for being too many.
//!
//! The values that win are true supports, so the depth found is never below the true one; that it is not above it, but for
//! rounding, is what both prove.

mod arcs;
mod crossing;
mod grow;
mod nodes;
mod search;
mod side;
mod small;

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Lanes, Mask, Scalar, Space};
use jostle_shape::{Hull, MAX_WIDTH};

use crate::boxes::half_extents;
use crate::class::Precision;
use crate::faceted::widened;
use crate::families::{AnyFamily, Families};
use crate::frame::PairLanes;
use crate::gjk::Met;
use crate::one_by_one::{Deepest, OneByOne, Rows, Together};
use crate::solve::SolveSpace;
pub use arcs::{ArcSpace, load3};
use grow::{Members, Stand};
#[cfg(test)]
pub use search::search;
pub use search::{GROUP, Placed, Room, search_all};
pub use side::{BoxBlocks, Corners, Side, behind, node_block, splat};
pub use small::Small;

/// What there is of cores that are polytopes.
impl<S: Space> AnyFamily<'_, S> {
    /// The polytope of one pick, from its (scaled) numbers or from what is kept for it. None if it is none, or if its facets are not kept.
    #[inline(always)]
    pub fn side<'s, T: Scalar>(
        &'s self,
        numbers: [T; 3],
        scale: T,
        pick: usize,
        blocks: &'s mut BoxBlocks<T>,
    ) -> Option<Side<'s, T>> {
        match self {
            Self::Box => Some(blocks.fill::<S>(numbers)),
            Self::Hull(hulls) => Side::of_hull(hulls.0[pick], scale),
            Self::Frustum | Self::Custom(_) => None,
        }
    }

    /// Its corners.
    ///
    /// # Panics
    /// If it is no polytope.
    #[inline(always)]
    fn corners<'s, T: Scalar>(
        &'s self,
        numbers: [T; 3],
        scale: T,
        pick: usize,
        blocks: &'s mut BoxBlocks<T>,
    ) -> Corners<'s, T> {
        match self {
            Self::Box => blocks.corners::<S>(numbers),
            Self::Hull(hulls) => Corners { points: hulls.0[pick].points(), scale },
            Self::Frustum | Self::Custom(_) => unreachable!("the classes sort polytopes from the others"),
        }
    }

    /// The polytopes of a packet, as far as they are small.
    #[inline(always)]
    fn small<L: Lanes>(&self, numbers: [L; 3], scale: L, picks: &[usize; MAX_WIDTH], small: &mut Small<S, L>) {
        match self {
            Self::Box => small.fill_with_boxes(half_extents::<S, L>(&numbers)),
            Self::Hull(hulls) => small_hulls(hulls.0, scale, picks, small),
            Self::Frustum | Self::Custom(_) => {}
        }
    }
}

/// Those hulls of a packet that are small.
#[inline(always)]
fn small_hulls<S: Space, L: Lanes>(hulls: &[&Hull<S>], scale: L, picks: &[usize; MAX_WIDTH], small: &mut Small<S, L>) {
    let (mut there, mut most) = (0, [1; 2]);
    // Where there is nothing small there is something to read.
    let mut sides = [None; MAX_WIDTH];
    for lane in 0..L::WIDTH {
        let hull = hulls[picks[lane]];
        let side = Side::<L::Scalar>::of_hull(hull, L::Scalar::ONE);
        if let (Some(side), Some(facets)) = (side, hull.facets()) {
            let size = [hull.len(), facets.len()];
            if size[0].max(size[1]) <= MAX_WIDTH {
                there |= 1 << lane;
                most = [most[0].max(size[0]), most[1].max(size[1])];
                sides[lane] = Some(side);
            }
        }
    }
    let Some(any) = sides.iter().flatten().next().copied() else {
        return;
    };
    small.fill(
        L::Mask::from_bits(there),
        most,
        scale,
        #[inline(always)]
        |lane| sides[lane].unwrap_or(any).points.blocks,
        #[inline(always)]
        |lane| sides[lane].unwrap_or(any).nodes,
    );
}

/// The depth of overlapping polytopes.
pub struct PolytopeDepth<'r, S: Space, T: Scalar> {
    /// What the two are.
    pub families: Families<'r, S>,
    /// What GJK met of each pick.
    pub met: &'r [Met<S, T>],
    /// Memory.
    pub room: &'r RefCell<Room<T>>,
}

/// A space in which depths of polytopes can be searched.
pub trait PolytopeSpace: SolveSpace + ArcSpace {}
impl PolytopeSpace for D2 {}
impl PolytopeSpace for D3 {}

impl<S: PolytopeSpace, T: Precision> OneByOne<S, T> for PolytopeDepth<'_, S, T> {
    const FACETS: bool = S::DIMENSION < 3;

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn together<L: Lanes<Scalar = T>>(
        &self,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Option<Together<S, L>> {
        // In space crossings of edges count as well, and are too many.
        if const { S::DIMENSION > 2 } {
            return None;
        }
        let (mut a, mut b) = (Small::default(), Small::default());
        self.families[0].small(pair.numbers[0], pair.scale, picks, &mut a);
        self.families[1].small(pair.numbers[1], pair.scale, picks, &mut b);
        (a.there & b.there).any().then(
            #[inline(always)]
            || small::least_sides([&a, &b], pair.offset, pair.turn, pair.magnitude),
        )
    }

    #[inline(always)]
    fn deepest<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lanes: &[usize],
        picks: &[usize; MAX_WIDTH],
        ahead: impl Fn(usize),
        mut tell: impl FnMut(usize, Deepest<S, T>),
    ) {
        let Room { searching, growing, blocks } = &mut *self.room.borrow_mut();
        let [family_a, family_b] = &self.families;
        let mut free = blocks.iter_mut();
        let rest = if const { S::DIMENSION < 3 } {
            // In the plane the pruned search is over before that.
            Members::all(lanes.len())
        } else {
            growing.grow::<S, L>(
                lanes.len(),
                #[inline(always)]
                |i| &self.met[picks[lanes[i]]],
                #[inline(always)]
                |i| {
                    let lane = lanes[i];
                    let (pick, scale) = (picks[lane], rows.scale[lane]);
                    let [blocks_a, blocks_b] = free.next().expect("no more than a group");
                    let a = family_a.corners(rows.numbers(0, lane), scale, pick, blocks_a);
                    let b = family_b.corners(rows.numbers(1, lane), scale, pick, blocks_b);
                    let (offset, turn) = (widened(rows.offset::<S>(lane)), rows.turn(lane));
                    ([a, b], Stand { offset, turn, magnitude: rows.magnitude[lane] })
                },
                #[inline(always)]
                |i, deepest| tell(lanes[i], deepest),
            )
        };
        if rest.len() == 0 {
            return;
        }
        search_all::<S, L>(
            searching,
            blocks,
            rest.len(),
            #[inline(always)]
            |i, [blocks_a, blocks_b]| {
                ahead(rest.pair(i));
                let lane = lanes[rest.pair(i)];
                let (pick, scale) = (picks[lane], rows.scale[lane]);
                Some(Placed {
                    a: family_a.side(rows.numbers(0, lane), scale, pick, blocks_a)?,
                    b: family_b.side(rows.numbers(1, lane), scale, pick, blocks_b)?,
                    offset: rows.offset::<S>(lane),
                    turn: rows.turn(lane),
                    magnitude: rows.magnitude[lane],
                    met: &self.met[pick],
                })
            },
            #[inline(always)]
            |i, deepest| tell(lanes[rest.pair(i)], deepest),
        );
    }
}
