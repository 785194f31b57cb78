//! Penetration of two boxes by the separating-axis test, in closed form and in lanes.
//!
//! After Gottschalk 1996: the faces' normals of both, and in space the vector products of their edges. Each axis is
//! evaluated by the boxes' full support along it, so that it bounds the depth from above whatever rounding did to its
//! direction. Of two nearly parallel edges the product is mostly rounding: where such a weak axis might win, the caller
//! is told, and asks again in `f64`.

use jostle_lanes::{D2, D3, Lanes, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::BoxCore;

use crate::frame::PairLanes;
use crate::noise::{FORWARD, noise};

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

impl<S: Space, L: Lanes> Axis<S, L> {
    #[inline(always)]
    fn offer(&mut self, normal: S::Vector<L>, depth: L) {
        let better = depth.lt(self.depth);
        self.normal = S::Vector::select(better, normal, self.normal);
        self.depth = L::select(better, depth, self.depth);
    }
}

/// A space with the axes that the edges of its boxes add to those of the faces.
pub trait BoxSpace: Space {
    /// Shows the axes of edge pairs. They are no longer than one, and shorter the more the edges are parallel.
    fn edge_axes<L: Lanes>(boxes: &Boxes<Self, L>, seen: &mut impl EdgeAxes<Self, L>);
}

/// Who looks at the axes of edge pairs.
pub trait EdgeAxes<S: Space, L: Lanes> {
    /// Sees one of them.
    fn see(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>);
}

/// Two placed boxes, one pair per lane.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<S: Space, L: Lanes> {
    /// A's half extents.
    pub a: S::Vector<L>,
    /// B's half extents.
    pub b: S::Vector<L>,
    /// B's centre in A's frame.
    pub offset: S::Vector<L>,
    /// B's rotation in A's frame.
    pub turn: S::Rotation<L>,
    /// The pair's magnitude.
    pub magnitude: L,
}

impl<S: Space, L: Lanes> Boxes<S, L> {
    /// The boxes of a pair.
    #[inline(always)]
    pub fn of(pair: &PairLanes<S, L>) -> Self {
        let [a, b] = [half_extents::<S, L>(&pair.numbers[0]), half_extents::<S, L>(&pair.numbers[1])];
        Self { a, b, offset: pair.offset, turn: pair.turn, magnitude: pair.magnitude }
    }
    /// Their support maps.
    #[inline(always)]
    pub fn maps(&self) -> [BoxCore<S, L>; 2] {
        [BoxCore { half_extents: self.a }, BoxCore { half_extents: self.b }]
    }
    /// How far B has to move along `axis` to be free of A, times the axis' length.
    #[inline(always)]
    pub fn overlap(&self, axis: S::Vector<L>) -> L {
        let along_b = self.turn.unrotate(axis);
        self.a.dot(axis.abs()) + self.b.dot(along_b.abs()) - self.offset.dot(axis).abs()
    }
    /// The axis turned to point from A to B.
    #[inline(always)]
    fn outward(&self, axis: S::Vector<L>) -> S::Vector<L> {
        let sign = L::one().copysign(self.offset.dot(axis));
        axis * sign
    }
}

/// A box's half extents among the numbers of its record.
#[inline(always)]
pub fn half_extents<S: Space, L: Lanes>(numbers: &[L; 3]) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| numbers[k],
    )
}

/// The axis of least penetration.
#[inline(always)]
pub fn least_axis<S: BoxSpace, L: Lanes>(boxes: &Boxes<S, L>) -> Axis<S, L> {
    let first = S::Vector::unit(0);
    let mut best =
        Axis { normal: boxes.outward(first), depth: boxes.overlap(first), uncertain: L::zero().lt(L::zero()) };
    for k in 1..S::DIMENSION {
        let axis = S::Vector::unit(k);
        best.offer(boxes.outward(axis), boxes.overlap(axis));
    }
    for k in 0..S::DIMENSION {
        let axis = boxes.turn.column(k);
        best.offer(boxes.outward(axis), boxes.overlap(axis));
    }
    let mut edges = Edges { best, weakest: L::splat(L::Scalar::INFINITY) };
    S::edge_axes(boxes, &mut edges);
    Axis { uncertain: edges.weakest.lt(edges.best.depth), ..edges.best }
}

impl BoxSpace for D2 {
    #[inline(always)]
    fn edge_axes<L: Lanes>(_: &Boxes<D2, L>, _: &mut impl EdgeAxes<D2, L>) {}
}

impl BoxSpace for D3 {
    #[inline(always)]
    fn edge_axes<L: Lanes>(boxes: &Boxes<D3, L>, seen: &mut impl EdgeAxes<D3, L>) {
        let zero = L::zero();
        for i in 0..3 {
            for j in 0..3 {
                let c = boxes.turn.columns[j];
                let axis = match i {
                    0 => Vec3 { x: zero, y: -c.z, z: c.y },
                    1 => Vec3 { x: c.z, y: zero, z: -c.x },
                    _ => Vec3 { x: -c.y, y: c.x, z: zero },
                };
                seen.see(boxes, axis);
            }
        }
    }
}

/// Sines of the angle between two edges: below the first their axis is left out (it is no better than the face axes but for
/// rounding); below the second it is weak.
///
/// In `f64` none is: what a weak axis is off by turns it about the edges, and a segment as long as the sine is small does not see
/// it. (Segments that cross at a sine of 1e-9 once came out as deep as their ends are apart.)
pub fn weak_sines<T: Scalar>() -> (f64, f64) {
    if T::UNIT_ROUNDOFF.to_f64() > 1e-10 { (1e-6, 0.2) } else { (1e-15, 1e-15) }
}

/// The search for the least depth among edge axes.
struct Edges<S: Space, L: Lanes> {
    best: Axis<S, L>,
    /// No weak axis is better than this.
    weakest: L,
}

impl<S: Space, L: Lanes> EdgeAxes<S, L> for Edges<S, L> {
    #[inline(always)]
    fn see(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>) {
        let (least, weak) = weak_sines::<L::Scalar>();
        let squared = axis.length_squared();
        let usable = squared.gt(L::constant(least * least));
        let length = L::select(usable, squared, L::one()).sqrt();
        let share = L::one() / length;
        let overlap = boxes.overlap(axis);
        let strong = squared.gt(L::constant(weak * weak));
        let depth = L::select(usable & strong, overlap * share, L::splat(L::Scalar::INFINITY));
        self.best.offer(boxes.outward(axis) * share, depth);
        let rounding = noise(FORWARD, boxes.magnitude);
        let guess = L::select(usable & !strong, (overlap - rounding) * share, self.weakest);
        self.weakest = guess.min(self.weakest);
    }
}
