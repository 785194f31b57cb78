//! The simplex: the few points of A - B among which GJK looks for the one nearest to the origin.
//!
//! One subject where the plane and space differ, and the only one in GJK: what the faces of the simplex are. The rest
//! of the algorithm does not know the dimension.
//!
//! Between steps a simplex keeps `DIMENSION` vertices, the last support first; those that are missing are filled with
//! copies, which make every feature they are part of degenerate and so invalid. A step looks only at features that
//! contain the new vertex: the others were looked at before, and the new vertex lies beyond them.

mod plane;
mod space;

use core::fmt::Debug;

use jostle_lanes::{D2, D3, Element, Lanes, Scalar, Space, Vector};

use crate::noise::{NORMAL, noise};

/// A point of A - B with the point of A that it comes from; both in A's frame.
#[derive(Clone, Copy, Debug)]
pub struct Vertex<V> {
    /// The point of A - B.
    pub w: V,
    /// The point of A.
    pub a: V,
}

/// What one step gives.
#[derive(Clone, Copy, Debug)]
pub struct SimplexStep<X, V, M> {
    /// The vertices that carry the nearest point.
    pub simplex: X,
    /// The point of the simplex nearest to the origin.
    pub v: V,
    /// True where the simplex holds the origin, by more than rounding.
    pub inside: M,
}

/// All the vertices that are kept, in space and in the plane.
pub const ALL_VERTICES: usize = 3;

/// The vertices kept between steps.
///
/// How many there are and whether care is taken are constants, and asked as such (`if const { .. }`): the arms that are
/// not taken are not handed to the optimiser, which took a third of its time to find that out.
pub trait Simplex<S: Space, L: Lanes>: Copy + Debug {
    /// One vertex.
    fn new(vertex: Vertex<S::Vector<L>>) -> Self;
    /// The point of three vertices, some of which may be the same, that is nearest to the origin: all of it but the
    /// edge between the last two, which is for [steps](Simplex::step) to find.
    fn resumed<const CARE: bool>(vertices: [Vertex<S::Vector<L>>; 3]) -> (Self, S::Vector<L>);
    /// Takes a new vertex in and keeps what carries the point nearest to the origin. With care no triangle loses digits
    /// to its shape, at a price.
    ///
    /// No more than the first `KEPT` of the vertices differ from each other: after one vertex or two there are fewer
    /// features to look at.
    fn step<const KEPT: usize, const CARE: bool>(
        &self,
        vertex: Vertex<S::Vector<L>>,
    ) -> SimplexStep<Self, S::Vector<L>, L::Mask>;
    /// `a` where `mask` is true, else `b`.
    fn select(mask: L::Mask, a: Self, b: Self) -> Self;
    /// The weighted vertex: the nearest point `v`, recomputed from the vertices; with care, never from beyond them.
    fn weighted<const CARE: bool>(&self, v: S::Vector<L>) -> Vertex<S::Vector<L>>;
    /// The vertices kept, the last one repeated where there are fewer than three.
    fn vertices(&self) -> [Vertex<S::Vector<L>>; 3];
    /// A vector across the face that the vertices make, of any length; zero where they make none, or one so flat that
    /// its normal is rounding.
    fn across(&self) -> S::Vector<L>;
    /// True where the vertices make a face whose normal is not rounding; in `f32` one so high above each of its edges
    /// that it is certain.
    fn is_broad(&self) -> L::Mask;
    /// True where the vertices and one more hold a ball of radius `by` about the origin, whatever rounding did to this
    /// test.
    fn encloses(&self, last: S::Vector<L>, by: L) -> L::Mask;
}

/// A space with its simplex.
pub trait SimplexSpace: Space {
    /// How many rows of eight numbers the points of a simplex fill.
    const ROWS: usize;
    /// `[[T; 8]; ROWS]`.
    type Rows<T: Element>: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + 'static
        + AsRef<[[T; 8]]>
        + AsMut<[[T; 8]]>;
    /// The simplex of this space.
    type Simplex<L: Lanes>: Simplex<Self, L>;
}

impl SimplexSpace for D2 {
    const ROWS: usize = 1;
    type Rows<T: Element> = [[T; 8]; 1];
    type Simplex<L: Lanes> = plane::Simplex2<L>;
}

impl SimplexSpace for D3 {
    const ROWS: usize = 3;
    type Rows<T: Element> = [[T; 8]; 3];
    type Simplex<L: Lanes> = space::Simplex3<L>;
}

/// Squared sine of the angle between two edges below which their triangle has no normal that rounding spares.
#[inline(always)]
fn flat_triangle<L: Lanes>() -> L {
    // f32: (1e-6)^2, 17 times its round-off; f64 in proportion.
    let sine = 17.0 * L::Scalar::UNIT_ROUNDOFF.to_f64();
    L::constant(sine * sine)
}

/// True where a vertex's share of a point, that is `share / whole`, is above zero, or below it by no more than
/// rounding: leaving the vertex out moves the point by its share of an edge, of squared length `squared`. Nothing is
/// divided for it: of nine divisions that steps had three told no more than this.
///
/// Only `f64` has room for rounding. A point that is beside an edge by nothing but rounding is as near to its end; but
/// the direction from that end is off by rounding over distance, while that from the edge is not, however near the edge
/// is.
#[inline(always)]
fn has_share<L: Lanes>(share: L, whole: L, squared: L) -> L::Mask {
    let inside = share.gt(L::zero());
    if const { !L::Scalar::DOUBLE } {
        return inside;
    }
    let room = VERTEX_SLACK * L::Scalar::UNIT_ROUNDOFF.to_f64();
    inside | (share * share * squared).lt(L::constant(room * room) * whole * whole)
}

/// Round-offs of the pair's magnitude (which is about one) that a vertex may be off by.
const VERTEX_SLACK: f64 = 8.0;

/// How high a face in `f32` has to be for its normal to be certain: magnitudes are at most 2.5.
#[inline(always)]
fn least_height<L: Lanes>() -> L {
    noise(NORMAL, L::constant(2.5))
}

/// Squared relative volume below which a simplex is flat: its inside is rounding.
#[inline(always)]
fn flat_volume<L: Lanes>() -> L {
    let volume = 170.0 * L::Scalar::UNIT_ROUNDOFF.to_f64();
    L::constant(volume * volume)
}

/// True where the origin and the vertex opposite are on the same side of a face: the origin by more than `room`, the
/// vertex by more than `doubt` (both times the length of the face's normal).
#[inline(always)]
fn same_side<L: Lanes>(origin: L, room: L, opposite: L, doubt: L) -> L::Mask {
    (origin.gt(room) & opposite.gt(doubt)) | ((-origin).gt(room) & (-opposite).gt(doubt))
}

/// What the products in `encloses` may be wrong by, relative to the lengths that go into them: no more than 9
/// round-offs.
#[inline(always)]
fn product_doubt<L: Lanes>() -> L {
    L::constant(16.0 * L::Scalar::UNIT_ROUNDOFF.to_f64())
}

/// `a` where `mask` is true, else `b`.
#[inline(always)]
pub fn select_vertex<S: Space, L: Lanes>(
    mask: L::Mask,
    a: Vertex<S::Vector<L>>,
    b: Vertex<S::Vector<L>>,
) -> Vertex<S::Vector<L>> {
    Vertex { w: S::Vector::select(mask, a.w, b.w), a: S::Vector::select(mask, a.a, b.a) }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3, Lanes, Scalar, Vector};

    use super::{ALL_VERTICES, Simplex, SimplexSpace, SimplexStep, Vertex};
    use crate::tests::Draw;

    /// The first two steps from one vertex, which look at the features that there are, against steps that look at all:
    /// where they differ, and how often each number of vertices was kept.
    fn first_steps<S: SimplexSpace, T: Lanes<Scalar = T, Mask = bool> + Scalar, const CARE: bool>() -> [u32; 3] {
        let mut draw = Draw(41);
        let mut counts = [0; 3];
        for _ in 0..20_000 {
            // About the origin or beside it, where some features have the nearest point.
            let middle = draw.vector::<S>();
            let mut vertex = || {
                let w = middle + draw.vector::<S>() * 0.7;
                let w = S::Vector::<T>::from_fn(|k| T::from_f64(w.get(k)));
                Vertex { w, a: w * T::from_f64(0.5) }
            };
            let mut simplex = S::Simplex::<T>::new(vertex());
            for kept in 1..S::DIMENSION {
                let next = vertex();
                let knowing = if kept == 1 { simplex.step::<1, CARE>(next) } else { simplex.step::<2, CARE>(next) };
                same::<S, T>(&knowing, &simplex.step::<ALL_VERTICES, CARE>(next));
                simplex = knowing.simplex;
            }
            let [p, q, r] = simplex.vertices().map(|vertex| vertex.w);
            let differ = |one: S::Vector<T>, other: S::Vector<T>| (one - other).length_squared() > T::ZERO;
            counts[usize::from(differ(p, q)) + usize::from(S::DIMENSION > 2 && differ(p, r))] += 1;
        }
        counts
    }

    fn same<S: SimplexSpace, T: Lanes<Scalar = T, Mask = bool> + Scalar>(
        one: &SimplexStep<S::Simplex<T>, S::Vector<T>, bool>,
        other: &SimplexStep<S::Simplex<T>, S::Vector<T>, bool>,
    ) {
        // Lengths are about one, and a triangle may be seen from its other side.
        let room = T::from_f64(64.0 * T::UNIT_ROUNDOFF.to_f64());
        assert!((one.v - other.v).length_squared().to_f64().sqrt() <= room.to_f64(), "{one:?} {other:?}");
        assert!(!one.inside && !other.inside);
        let found = [one, other].map(|step| step.simplex.weighted::<false>(step.v));
        assert!((found[0].a - found[1].a).length_squared().to_f64().sqrt() <= 1e-3, "{one:?} {other:?}");
    }

    #[test]
    fn first_steps_look_at_all_that_there_is() {
        look_at_all::<false>();
        look_at_all::<true>();
    }

    fn look_at_all<const CARE: bool>() {
        for counts in [first_steps::<D3, f32, CARE>(), first_steps::<D3, f64, CARE>()] {
            assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
        }
        for counts in [first_steps::<D2, f32, CARE>(), first_steps::<D2, f64, CARE>()] {
            assert!(counts[0] > 500 && counts[1] > 500 && counts[2] == 0, "{counts:?}");
        }
    }
}
