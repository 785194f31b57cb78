//! Cores of whatever kind, W at a time: for kernels that serve all kinds.

use jostle_lanes::{Lanes, Mask, Scalar, Space};
use jostle_shape::{BoxCore, FrustumCore, HullCore, MAX_WIDTH, SupportMap};

use super::custom::{CustomCore, CustomFamily};
use super::{BoxFamily, Family, FrustumFamily, HullFamily, box_core, frustum_core, of_picks};
use crate::sides::polygons::{MOST_FOR_DISTANCES, Polygons};

/// Cores of one kind, which is known when a packet is solved and not when its solver is compiled: one solver in place
/// of one for each pair of kinds, for questions that are asked too rarely for the branch at each support to count.
#[derive(Clone, Copy)]
pub enum AnyFamily<'s, S: Space> {
    /// Boxes, points, segments.
    Box,
    /// Cylinders, cones, frustums.
    Frustum,
    /// Hulls.
    Hull(HullFamily<'s, S>),
    /// The user's own.
    Custom(CustomFamily<'s, S>),
}

/// What the two bodies of each pair are.
pub type Families<'s, S> = [AnyFamily<'s, S>; 2];

/// Cores of one of the kinds.
#[expect(clippy::large_enum_variant, reason = "one a packet, on the stack: to box the largest would be to allocate")]
pub enum AnyPacked<'f, S: Space, L: Lanes> {
    /// Boxes, points, segments.
    Box(BoxCore<S, L>),
    /// Cylinders, cones, frustums.
    Frustum(FrustumCore<L>),
    /// Hulls.
    Hull(HullCore<'f, S, L>),
    /// The user's own.
    Custom(CustomCore<'f, S, L>),
}

impl<S: Space, L: Lanes> SupportMap<S, L> for AnyPacked<'_, S, L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        match self {
            Self::Box(core) => core.support(direction, active),
            Self::Frustum(core) => SupportMap::<S, L>::support(core, direction, active),
            Self::Hull(core) => core.support(direction, active),
            Self::Custom(core) => core.support(direction, active),
        }
    }
}

impl<S: Space> Family<S> for AnyFamily<'_, S> {
    const MIXED: bool = true;
    const POLYGONS: bool = true;
    type Packed<'f, L: Lanes>
        = AnyPacked<'f, S, L>
    where
        Self: 'f;
    fn any(&self) -> AnyFamily<'_, S> {
        *self
    }
    #[inline(always)]
    fn frustums(&self) -> bool {
        matches!(self, Self::Frustum)
    }
    #[inline(always)]
    fn centred(&self) -> bool {
        matches!(self, Self::Hull(_))
    }
    #[inline(always)]
    fn prefetch<T: Scalar>(&self, pick: usize) {
        if let Self::Hull(hulls) = self {
            hulls.prefetch::<T>(pick);
        }
    }
    #[inline(always)]
    fn prefetch_facets<T: Scalar>(&self, pick: usize) {
        if let Self::Hull(hulls) = self {
            hulls.prefetch_facets::<T>(pick);
        }
    }
    #[inline(always)]
    fn large<L: Lanes>(&self, picks: &[usize; MAX_WIDTH]) -> L::Mask {
        if let Self::Hull(hulls) = self { hulls.large::<L>(picks) } else { L::Mask::splat(false) }
    }
    #[inline(always)]
    fn extents<L: Lanes>(&self, numbers: [L; 3], scale: L, picks: &[usize; MAX_WIDTH]) -> S::Vector<L> {
        match self {
            Self::Box => Family::<S>::extents(&BoxFamily, numbers, scale, picks),
            Self::Frustum => Family::<S>::extents(&FrustumFamily, numbers, scale, picks),
            Self::Hull(hulls) => hulls.extents(numbers, scale, picks),
            Self::Custom(shapes) => shapes.extents(numbers, scale, picks),
        }
    }
    #[inline(always)]
    fn polygons<L: Lanes>(
        &self,
        numbers: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
        room: &mut Polygons<S, L, MOST_FOR_DISTANCES>,
    ) {
        match self {
            Self::Box => Family::<S>::polygons(&BoxFamily, numbers, scale, picks, room),
            Self::Hull(hulls) => hulls.polygons(numbers, scale, picks, room),
            Self::Frustum | Self::Custom(_) => room.clear(),
        }
    }
    #[inline(always)]
    fn pack<'p, 'f, L: Lanes>(
        &'f self,
        packed: &'p mut Option<Self::Packed<'f, L>>,
        numbers: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
    ) -> &'p Self::Packed<'f, L> {
        match self {
            Self::Box => packed.insert(AnyPacked::Box(box_core(numbers))),
            Self::Frustum => packed.insert(AnyPacked::Frustum(frustum_core(numbers))),
            Self::Custom(shapes) => packed.insert(AnyPacked::Custom(shapes.core(scale, picks))),
            Self::Hull(hulls) => {
                if !matches!(packed, Some(AnyPacked::Hull(_))) {
                    *packed = Some(AnyPacked::Hull(HullCore::none()));
                }
                if let Some(AnyPacked::Hull(core)) = packed {
                    core.fill(of_picks::<L, _>(hulls.all, picks), scale);
                }
                packed.as_ref().expect("there is room by now")
            }
        }
    }
}
