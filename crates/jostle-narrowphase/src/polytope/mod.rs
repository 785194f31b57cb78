//! The least depth of two polytopes, exactly.
//!
//! The polytope A - B is [grown](grow) from within until its nearest face is one of its own: few steps, which read
//! nothing but points, and the fewer the less two bodies overlap. Small polygons need no search: [all
//! sides](crate::sides) of both are looked at, in lanes.
//!
//! What is called the depth is a true support, so it is never below the true one; that it is not above it, but for
//! rounding, is what both prove.
//!
//! A polytope's faces and edges ([`PolytopeView`]) are what polygons and depths against [frustums](crate::faceted) are
//! looked for along.

mod grow;
pub mod room;
pub mod view;

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Lanes, Mask, Scalar, Space};
use jostle_shape::{MAX_WIDTH, Points};

use self::grow::Places;
use self::grow::faces::GrowSpace;
use self::room::DepthRoom;
use self::view::{BoxBlocks, PolytopeView};
use crate::boxes::pair::half_extents;
use crate::depth_search::DepthSearch;
use crate::families::{AnyFamily, Families};
use crate::frame::PairLanes;
use crate::gjk::FinalSimplex;
use crate::penetration::Penetrations;
use crate::query::SolveSpace;
use crate::sides::Sided;
use crate::sides::polygons::{MOST_FOR_DEPTHS, PlacedPolygons, Polygons};

/// What there is of cores that are polytopes.
impl<S: Space> AnyFamily<'_, S> {
    /// The polytope of one pick, in space, from its (scaled) numbers or from what is kept for it. None if it is none,
    /// or if its facets are not kept.
    #[inline(always)]
    pub fn side<'s, L: Lanes>(
        &'s self,
        numbers: [L::Scalar; 3],
        scale: L::Scalar,
        pick: usize,
        blocks: &'s mut BoxBlocks<L::Scalar>,
    ) -> Option<PolytopeView<'s, L::Scalar>> {
        match self {
            Self::Box => Some(blocks.fill::<L>(numbers)),
            Self::Hull(hulls) => PolytopeView::of_hull(hulls.all[pick], scale),
            Self::Frustum | Self::Custom(_) => None,
        }
    }

    /// Its corners.
    ///
    /// # Panics
    /// If it is no polytope.
    #[inline(always)]
    fn corners<'s, L: Lanes>(
        &'s self,
        numbers: impl FnOnce() -> [L::Scalar; 3],
        pick: usize,
        blocks: &'s mut BoxBlocks<L::Scalar>,
    ) -> Points<'s, L::Scalar> {
        match self {
            Self::Box => blocks.corners::<S, L>(numbers()),
            Self::Hull(hulls) => hulls.all[pick].points(),
            Self::Frustum | Self::Custom(_) => unreachable!("the classes sort polytopes from the others"),
        }
    }

    /// What brings its corners to the pair's scale.
    #[inline(always)]
    fn corner_scale<L: Lanes>(&self, scale: L) -> L {
        if let Self::Box = self { L::one() } else { scale }
    }

    /// The polytopes of a packet, as far as they are small.
    #[inline(always)]
    fn small<L: Lanes>(
        &self,
        numbers: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
        small: &mut Polygons<S, L, MOST_FOR_DEPTHS>,
    ) {
        match self {
            Self::Box => small.fill_with_boxes(half_extents::<S, L>(&numbers)),
            Self::Hull(hulls) => small.fill_with_hulls(hulls.all, scale, picks),
            Self::Frustum | Self::Custom(_) => small.clear(),
        }
    }
}

/// The numbers in one lane.
#[inline(always)]
fn of_lane<L: Lanes>([x, y, z]: [L; 3], lane: usize) -> [L::Scalar; 3] {
    [x.lane(lane), y.lane(lane), z.lane(lane)]
}

/// The depth of overlapping polytopes.
pub struct PolytopeDepth<'r, S: Space, T: Scalar> {
    /// What the two are.
    pub families: Families<'r, S>,
    /// The final simplex of each pick.
    pub simplices: &'r [FinalSimplex<S, T>],
    /// Memory.
    pub room: &'r RefCell<DepthRoom<S, T>>,
}

/// A space in which depths of polytopes can be searched.
pub trait PolytopeSpace: SolveSpace + GrowSpace {}
impl PolytopeSpace for D2 {}
impl PolytopeSpace for D3 {}

impl<S: PolytopeSpace, T: Scalar> DepthSearch<S, T> for PolytopeDepth<'_, S, T> {
    /// Small polygons.
    type PacketScratch<L: Lanes> = Option<[Polygons<S, L, MOST_FOR_DEPTHS>; 2]>;

    #[inline(always)]
    fn families(&self) -> &Families<'_, S> {
        &self.families
    }

    #[inline(always)]
    fn least_depths<L: Lanes<Scalar = T>>(
        &self,
        kept: &mut Option<[Polygons<S, L, MOST_FOR_DEPTHS>; 2]>,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
        lanes: u32,
    ) -> Penetrations<S, L> {
        // In space crossings of edges count as well, and are too many.
        if const { S::DIMENSION > 2 } {
            return self.grow(pair, picks, lanes);
        }
        let small = kept.get_or_insert_with(
            #[inline(always)]
            || [Polygons::default(); 2],
        );
        for (k, small) in small.iter_mut().enumerate() {
            self.families[k].small(pair.numbers[k], pair.scale, picks, small);
        }
        let found = Polygons::both_there(small);
        let large = lanes & !found.to_bits();
        let mut least = Penetrations::none();
        if found.any() {
            let (offset, rotation, magnitude) = (pair.offset, pair.rotation, pair.magnitude);
            let side = PlacedPolygons { polygons: small, offset, rotation, magnitude }.facing();
            let (a, fits) = side.point(pair.magnitude);
            let off = L::splat(L::Scalar::INFINITY);
            least = Penetrations { found, normal: side.normal, depth: -side.gap, a, fits, off };
            if large == 0 {
                return least;
            }
        }
        // Set apart: two ways lead here, and it would be compiled for each.
        least.or(L::enter(
            #[inline(always)]
            || self.grow(pair, picks, large),
        ))
    }
}

impl<S: PolytopeSpace, T: Scalar> PolytopeDepth<'_, S, T> {
    /// From within.
    #[inline(always)]
    fn grow<L: Lanes<Scalar = T>>(
        &self,
        pair: &PairLanes<S, L>,
        picks: &[usize; MAX_WIDTH],
        lanes: u32,
    ) -> Penetrations<S, L> {
        let DepthRoom { growing, blocks, .. } = &mut *self.room.borrow_mut();
        let [family_a, family_b] = &self.families;
        let mut free = blocks.iter_mut();
        let scale = [family_a.corner_scale(pair.scale), family_b.corner_scale(pair.scale)];
        growing.grow::<L>(
            lanes,
            &Places::of(pair, scale),
            #[inline(always)]
            |lane| &self.simplices[picks[lane]],
            #[inline(always)]
            |lane| {
                let [blocks_a, blocks_b] = free.next().expect("no more than a packet");
                [
                    family_a.corners::<L>(
                        #[inline(always)]
                        || of_lane(pair.numbers[0], lane),
                        picks[lane],
                        blocks_a,
                    ),
                    family_b.corners::<L>(
                        #[inline(always)]
                        || of_lane(pair.numbers[1], lane),
                        picks[lane],
                        blocks_b,
                    ),
                ]
            },
        )
    }
}
