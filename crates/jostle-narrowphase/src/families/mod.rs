//! Cores that share a support map, W at a time.
//!
//! A family is what kernels are compiled for: boxes, frustums, hulls (here), the user's own (`custom.rs`), or one of
//! these, known only when a packet is solved (`any.rs`). [`Family::any`] turns each of them into the last, so the
//! trait, its implementations and [`AnyFamily`] need each other: they are one module to all others.

mod any;
mod custom;

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};
use jostle_shape::{BoxCore, FrustumCore, Hull, HullCore, MAX_WIDTH, SupportMap};

use crate::boxes::pair::half_extents;
use crate::sides::polygons::{MOST_FOR_DISTANCES, Polygons};

pub use self::any::{AnyFamily, AnyPacked, Families};
pub use self::custom::with_customs;

/// Cores that share a support map.
pub trait Family<S: Space>: Copy {
    /// One core per lane.
    type Packed<'f, L: Lanes>: SupportMap<S, L>
    where
        Self: 'f;
    /// True if all of them are frustums: GJK ends on thin triangles there, and its last digits are hard to come by.
    const FRUSTUMS: bool = false;
    /// True if there is no telling before the program runs whether they are.
    const MIXED: bool = false;
    /// True if there may be polygons among them, in the plane.
    const POLYGONS: bool = false;
    /// The same as one of the kinds.
    fn any(&self) -> AnyFamily<'_, S>;
    /// True if they are frustums.
    #[inline(always)]
    fn frustums(&self) -> bool {
        Self::FRUSTUMS
    }
    /// True if their centres may be elsewhere than the positions of their bodies.
    #[inline(always)]
    fn centred(&self) -> bool {
        false
    }
    /// Asks for the memory of a pick's core, which will be packed soon.
    #[inline(always)]
    fn prefetch<T: Scalar>(&self, _pick: usize) {}
    /// The same for its faces and edges, which will be searched soon.
    #[inline(always)]
    fn prefetch_facets<T: Scalar>(&self, _pick: usize) {}
    /// Where cores are hulls of many points, whose steps are dear: there GJK is told where to look first.
    #[inline(always)]
    fn large<L: Lanes>(&self, _picks: &[usize; MAX_WIDTH]) -> L::Mask {
        L::Mask::splat(false)
    }
    /// Half extents along their own axes, scaled: for what is held against [large](Family::large) hulls. None are known
    /// of the user's own, which are then looked for where their centres are.
    #[inline(always)]
    fn extents<L: Lanes>(&self, _numbers: [L; 3], _scale: L, _picks: &[usize; MAX_WIDTH]) -> S::Vector<L> {
        S::Vector::zero()
    }
    /// Fills in those that are polygons of few sides.
    #[inline(always)]
    fn polygons<L: Lanes>(
        &self,
        _numbers: [L; 3],
        _scale: L,
        _picks: &[usize; MAX_WIDTH],
        room: &mut Polygons<S, L, MOST_FOR_DISTANCES>,
    ) {
        room.clear();
    }
    /// Packs W cores from their (scaled) numbers, or from what is kept for their picks, where cores were packed before,
    /// if any were: large ones are written over them, which need not be cleared first.
    fn pack<'p, 'f, L: Lanes>(
        &'f self,
        packed: &'p mut Option<Self::Packed<'f, L>>,
        numbers: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
    ) -> &'p Self::Packed<'f, L>;
}

/// Boxes, with points and segments among them.
#[derive(Clone, Copy, Debug)]
pub struct BoxFamily;

/// Cylinders, cones, frustums, with points and segments among them.
#[derive(Clone, Copy, Debug)]
pub struct FrustumFamily;

/// Convex hulls: one per pick.
#[derive(Clone, Copy, Debug)]
pub struct HullFamily<'h, S: Space> {
    /// The hulls.
    pub all: &'h [&'h Hull<S>],
    /// True if they are few different ones, which are in the cache: their memory is not prefetched.
    pub at_hand: bool,
}

#[inline(always)]
fn box_core<S: Space, L: Lanes>(numbers: [L; 3]) -> BoxCore<S, L> {
    BoxCore { half_extents: half_extents::<S, L>(&numbers) }
}

#[inline(always)]
fn frustum_core<L: Lanes>([base_radius, half_height, top_radius]: [L; 3]) -> FrustumCore<L> {
    FrustumCore { half_height, base_radius, top_radius }
}

impl<S: Space> Family<S> for BoxFamily {
    const POLYGONS: bool = true;
    type Packed<'f, L: Lanes> = BoxCore<S, L>;
    fn any(&self) -> AnyFamily<'_, S> {
        AnyFamily::Box
    }
    #[inline(always)]
    fn extents<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[usize; MAX_WIDTH]) -> S::Vector<L> {
        half_extents::<S, L>(&numbers)
    }
    #[inline(always)]
    fn polygons<L: Lanes>(
        &self,
        numbers: [L; 3],
        _: L,
        _: &[usize; MAX_WIDTH],
        room: &mut Polygons<S, L, MOST_FOR_DISTANCES>,
    ) {
        room.fill_with_boxes(half_extents::<S, L>(&numbers));
    }
    #[inline(always)]
    fn pack<'p, L: Lanes>(
        &self,
        packed: &'p mut Option<BoxCore<S, L>>,
        numbers: [L; 3],
        _: L,
        _: &[usize; MAX_WIDTH],
    ) -> &'p BoxCore<S, L> {
        packed.insert(box_core(numbers))
    }
}

impl<S: Space> Family<S> for FrustumFamily {
    const FRUSTUMS: bool = true;
    type Packed<'f, L: Lanes> = FrustumCore<L>;
    fn any(&self) -> AnyFamily<'_, S> {
        AnyFamily::Frustum
    }
    #[inline(always)]
    fn extents<L: Lanes>(&self, numbers: [L; 3], _: L, _: &[usize; MAX_WIDTH]) -> S::Vector<L> {
        let [base_radius, half_height, top_radius] = numbers;
        let radius = base_radius.max(top_radius);
        S::Vector::from_fn(
            #[inline(always)]
            |k| if k == 1 { half_height } else { radius },
        )
    }
    #[inline(always)]
    fn pack<'p, L: Lanes>(
        &self,
        packed: &'p mut Option<FrustumCore<L>>,
        numbers: [L; 3],
        _: L,
        _: &[usize; MAX_WIDTH],
    ) -> &'p FrustumCore<L> {
        packed.insert(frustum_core(numbers))
    }
}

/// The first W of what is kept for the picks.
#[inline(always)]
fn of_picks<'t, L: Lanes, X>(table: &[&'t X], picks: &[usize; MAX_WIDTH]) -> [&'t X; MAX_WIDTH] {
    let mut packed = [table[picks[0]]; MAX_WIDTH];
    for lane in 1..L::WIDTH {
        packed[lane] = table[picks[lane]];
    }
    packed
}

impl<S: Space> Family<S> for HullFamily<'_, S> {
    const POLYGONS: bool = true;
    type Packed<'f, L: Lanes>
        = HullCore<'f, S, L>
    where
        Self: 'f;
    fn any(&self) -> AnyFamily<'_, S> {
        AnyFamily::Hull(*self)
    }
    #[inline(always)]
    fn centred(&self) -> bool {
        true
    }
    #[inline(always)]
    fn prefetch<T: Scalar>(&self, pick: usize) {
        if !self.at_hand {
            self.all[pick].prefetch_points::<T>();
        }
    }
    #[inline(always)]
    fn prefetch_facets<T: Scalar>(&self, pick: usize) {
        self.all[pick].prefetch_facets::<T>();
    }
    #[inline(always)]
    fn large<L: Lanes>(&self, picks: &[usize; MAX_WIDTH]) -> L::Mask {
        let mut large = 0;
        for lane in 0..L::WIDTH {
            large |= u32::from(self.all[picks[lane]].len() > MAX_WIDTH) << lane;
        }
        L::Mask::from_bits(large)
    }
    #[inline(always)]
    fn extents<L: Lanes>(&self, _: [L; 3], scale: L, picks: &[usize; MAX_WIDTH]) -> S::Vector<L> {
        let mut extents = [[L::Scalar::ZERO; MAX_WIDTH]; 3];
        for lane in 0..L::WIDTH {
            let half = self.all[picks[lane]].half_extents();
            for k in 0..S::DIMENSION {
                extents[k][lane] = L::Scalar::from_f64(half[k]);
            }
        }
        S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&extents[k]) * scale,
        )
    }
    #[inline(always)]
    fn polygons<L: Lanes>(
        &self,
        _: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
        room: &mut Polygons<S, L, MOST_FOR_DISTANCES>,
    ) {
        room.fill_with_few(self.all, scale, picks);
    }
    #[inline(always)]
    fn pack<'p, 'f, L: Lanes>(
        &'f self,
        packed: &'p mut Option<HullCore<'f, S, L>>,
        _: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
    ) -> &'p HullCore<'f, S, L> {
        // Not `get_or_insert_with`, which is not always inlined.
        if packed.is_none() {
            *packed = Some(HullCore::none());
        }
        let Some(core) = packed else { unreachable!("there is room by now") };
        core.fill(of_picks::<L, _>(self.all, picks), scale);
        core
    }
}
