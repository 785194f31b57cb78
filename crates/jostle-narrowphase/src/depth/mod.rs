//! The least depth of the origin in A - B, for any two support maps, in `f64`.
//!
//! An expanding polytope (van den Bergen 2001): the hull of the known points of A - B lies inside A - B, so the
//! smallest offset of its faces bounds the depth from below; the support along any face's normal bounds it from above.
//! Expanding the nearest face brings the two together. What differs from the usual EPA:
//!
//! - it starts from supports along the axes, not from GJK's simplex, and does not ask that the origin be inside: faces
//!   beyond which it lies have negative offsets and go first;
//! - its topology is decided by exact predicates (Shewchuk 1997, the crate `robust`): coplanar, collinear and repeated
//!   points make no holes and no folds, however flat the shapes;
//! - its answer is a direction, with both bounds. Witness points come from elsewhere ([`crate::resolve`]).

mod plane;
mod space;

use jostle_lanes::Space;

/// The direction of least depth.
#[derive(Clone, Copy, Debug)]
pub struct LeastDepth<V> {
    /// Unit vector.
    pub normal: V,
    /// The support value of A - B along `normal`: the depth, if `normal` is right, and never below the true one.
    pub upper: f64,
    /// No direction has a support value below this.
    pub lower: f64,
}

/// The most points that are taken in before bounds that still differ are given up, where a core is curved and the depth
/// nearly the same all around; room is made for as many.
pub const POINT_LIMIT: usize = 400;
/// The same for polytopes, which end by themselves, nearly always long before 400: but in the middle of thousands of
/// points on a sphere nearly all have to be seen (5,000 take milliseconds; with 400 the depth was wrong by a part in a
/// thousand, though not said to be proved).
pub const POLYTOPE_LIMIT: usize = 1 << 15;

/// How far apart the bounds of a depth may stay, the larger of the two; and how long they are brought together.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A length.
    pub absolute: f64,
    /// A share of the depth.
    pub relative: f64,
    /// The most points that are taken in.
    pub points: usize,
}

impl Tolerance {
    /// True where the search may end.
    fn reached(self, lower: f64, upper: f64) -> bool {
        upper - lower <= self.absolute.max(self.relative * lower)
    }
}

/// A space in which depths can be found.
pub trait DepthSpace: Space {
    /// Reusable memory.
    type Expander: Default + Send;
    /// Makes all the room that a search may need.
    fn reserve(expander: &mut Self::Expander);
    /// The direction of least depth, to within `tolerance`. `support` gives the furthest point of A - B along a
    /// direction.
    fn least_depth(
        expander: &mut Self::Expander,
        support: &dyn Fn(Self::Vector<f64>) -> Self::Vector<f64>,
        tolerance: Tolerance,
    ) -> LeastDepth<Self::Vector<f64>>;
}
