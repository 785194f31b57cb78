//! What is looked for among the axes of two boxes: the least penetration, the nearest points.

use jostle_lanes::{Lanes, Scalar, Space, Vector};

use super::pair::Boxes;

/// The least penetration found.
#[derive(Clone, Copy, Debug)]
pub struct Axis<S: Space, L: Lanes> {
    /// Unit vector from A to B, in A's frame.
    pub normal: S::Vector<L>,
    /// How far B has to move along it; negative if the axis separates the boxes.
    pub depth: L,
    /// True where an axis that this precision cannot evaluate might be better.
    pub uncertain: L::Mask,
}

/// What is done with the axes of edge pairs.
pub trait EdgeAxes<S: Space, L: Lanes> {
    /// Sees one of them.
    fn see(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>);
}

/// The axis of least penetration, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct LeastAxis<S: Space, L: Lanes> {
    /// The axis.
    pub axis: Axis<S, L>,
    /// A [face](FACE) of either, or the edges i of A and j of B: `EDGES + 3 i + j`.
    pub owner: L,
}

/// A face of either.
pub const FACE: f64 = 0.0;
/// The first pair of edges.
pub const EDGES: f64 = 1.0;

/// A's point that is nearest to B, so far.
#[derive(Clone, Copy, Debug)]
pub struct NearestFacet<S: Space, L: Lanes> {
    pub point: S::Vector<L>,
    /// The square of how far it is from some point of B.
    pub squared: L,
    /// The normal of the facet that says so, of any length, on either side.
    pub axis: S::Vector<L>,
}

impl<S: Space, L: Lanes> NearestFacet<S, L> {
    /// Takes a point if it is nearer.
    #[inline(always)]
    pub fn offer(&mut self, point: S::Vector<L>, squared: L, axis: S::Vector<L>) {
        let nearer = squared.lt(self.squared);
        self.axis = S::Vector::select(nearer, axis, self.axis);
        self.point = S::Vector::select(nearer, point, self.point);
        self.squared = L::select(nearer, squared, self.squared);
    }
}

/// Sines of the angle between two edges: below the first their axis is left out (it is no better than the face axes but
/// for rounding); below the second it is weak.
///
/// In `f64` none is: what a weak axis is off by turns it about the edges, and a segment as long as the sine is small
/// does not see it. (Segments that cross at a sine of 1e-9 once came out as deep as their ends are apart.)
pub fn weak_sines<T: Scalar>() -> (f64, f64) {
    if T::DOUBLE { (1e-15, 1e-15) } else { (1e-6, 0.2) }
}

/// The square of the sine of the angle between edges so nearly parallel that where they cross is rounding: any of their
/// points will do, and corners are asked for as well.
#[inline(always)]
pub fn least_sine_squared<L: Lanes>() -> L {
    let (least, _) = weak_sines::<L::Scalar>();
    L::constant(least * least)
}
