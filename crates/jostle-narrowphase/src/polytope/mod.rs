//! The least depth of two polytopes, exactly.
//!
//! The polytope A - B is [grown](grow) from within until its nearest face is one of its own: few steps, which read nothing but points, and the
//! fewer the less two bodies overlap. Small polygons need no search: [all sides](small) of both are looked at, in lanes.
//!
//! What is called the depth is a true support, so it is never below the true one; that it is not above it, but for rounding, is what both prove.
//!
//! A polytope's faces and edges ([`Side`]) are what polygons and depths against [frustums](crate::faceted) are looked for along.

mod grow;
mod side;
mod small;

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Lanes, Scalar, Space};
use jostle_shape::MAX_WIDTH;

use crate::boxes::half_extents;
use crate::class::Precision;
use crate::families::{AnyFamily, Families};
use crate::frame::PairLanes;
use crate::gjk::Met;
use crate::one_by_one::{Deepest, OneByOne, Rows, Together};
use crate::solve::SolveSpace;
use grow::{GrowSpace, Stand};
pub use side::{BoxBlocks, Corners, Side, behind, load3, node_block, splat};
use small::Small;

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
            Self::Hull(hulls) => small.fill_with_hulls(hulls.0, scale, picks),
            Self::Frustum | Self::Custom(_) => small.clear(),
        }
    }
}

/// So many pairs are searched side by side. (Two and four were no faster; of more, by reckoning, what is touched of their surfaces would not fit the
/// first-level cache.)
pub const GROUP: usize = 8;

/// Memory of searches, kept from pair to pair.
#[derive(Debug)]
pub struct Room<S: Space, T: Scalar> {
    growing: grow::Room<S, T>,
    /// For those that are boxes. (Here, where nobody clears it for each group: 30 KB in `f64`, which was a tenth of what hulls of 16 points took.)
    pub blocks: Vec<[BoxBlocks<T>; 2]>,
    /// A list of arcs.
    pub alive: Vec<u16>,
}

impl<S: Space, T: Scalar> Default for Room<S, T> {
    fn default() -> Self {
        Self { growing: grow::Room::default(), blocks: Vec::new(), alive: Vec::new() }
    }
}

impl<S: PolytopeSpace, T: Scalar> Room<S, T> {
    /// Makes room for polytopes of so many arcs.
    pub fn reserve(&mut self, arcs: usize) {
        self.open();
        self.alive.reserve_exact(arcs.saturating_sub(self.alive.len()));
    }

    /// Makes room for a group, before the first search.
    pub fn open(&mut self) {
        if self.blocks.is_empty() {
            self.growing.open();
            self.blocks.resize(GROUP, Default::default());
        }
    }
}

/// The depth of overlapping polytopes.
pub struct PolytopeDepth<'r, S: Space, T: Scalar> {
    /// What the two are.
    pub families: Families<'r, S>,
    /// What GJK met of each pick.
    pub met: &'r [Met<S, T>],
    /// Memory.
    pub room: &'r RefCell<Room<S, T>>,
}

/// A space in which depths of polytopes can be searched.
pub trait PolytopeSpace: SolveSpace + GrowSpace {}
impl PolytopeSpace for D2 {}
impl PolytopeSpace for D3 {}

impl<S: PolytopeSpace, T: Precision> OneByOne<S, T> for PolytopeDepth<'_, S, T> {
    const FACETS: bool = false;
    /// Small polygons.
    type Kept<L: Lanes> = Option<[Small<S, L>; 2]>;

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn together<L: Lanes<Scalar = T>>(
        &self,
        kept: &mut Option<[Small<S, L>; 2]>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
    ) -> Option<Together<S, L>> {
        // In space crossings of edges count as well, and are too many.
        if const { S::DIMENSION > 2 } {
            return None;
        }
        let small = kept.get_or_insert_with(
            #[inline(always)]
            || [Small::default(); 2],
        );
        for (k, small) in small.iter_mut().enumerate() {
            self.families[k].small(pair.numbers[k], pair.scale, picks, small);
        }
        Small::any_pair(small).then(
            #[inline(always)]
            || small::least_sides(small, pair.offset, pair.turn, pair.magnitude),
        )
    }

    #[inline(always)]
    fn deepest<L: Lanes<Scalar = T>>(
        &self,
        rows: &Rows<T>,
        lanes: &[usize],
        picks: &[usize; MAX_WIDTH],
        _: impl Fn(usize),
        mut tell: impl FnMut(usize, Deepest<S, T>),
    ) {
        let Room { growing, blocks, .. } = &mut *self.room.borrow_mut();
        let [family_a, family_b] = &self.families;
        let mut free = blocks.iter_mut();
        growing.grow::<L>(
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
                let (offset, turn) = (rows.offset::<S>(lane), rows.turn(lane));
                ([a, b], Stand { offset, turn, magnitude: rows.magnitude[lane] })
            },
            #[inline(always)]
            |i, deepest| tell(lanes[i], deepest),
        );
    }
}
