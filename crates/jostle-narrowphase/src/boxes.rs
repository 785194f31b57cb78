//! Penetration of two boxes by the separating-axis test, in closed form and in lanes.
//!
//! After Gottschalk 1996: the faces' normals of both, and in space the vector products of their edges. Each axis is
//! evaluated by the boxes' full support along it, so that it bounds the depth from above whatever rounding did to its
//! direction. Of two nearly parallel edges the product is mostly rounding: where such a weak axis might win, the caller
//! is told, and asks again in `f64`.

use jostle_lanes::{D2, D3, Lanes, Rotation, Scalar, Space, Vec3, Vector};

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
    /// Offers the axes of edge pairs.
    fn edge_axes<L: Lanes>(boxes: &Boxes<Self, L>, best: &mut Axis<Self, L>);
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
    /// How far B has to move along `axis` to be free of A, times the axis' length.
    #[inline(always)]
    fn overlap(&self, axis: S::Vector<L>) -> L {
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
    S::edge_axes(boxes, &mut best);
    best
}

impl BoxSpace for D2 {
    #[inline(always)]
    fn edge_axes<L: Lanes>(_: &Boxes<D2, L>, _: &mut Axis<D2, L>) {}
}

/// Sines of the angle between two edges: below the first their axis is left out (it lies within rounding of the face
/// axes); below the second it is weak.
fn weak_sines<T: Scalar>() -> (f64, f64) {
    if T::UNIT_ROUNDOFF.to_f64() > 1e-10 { (1e-6, 0.2) } else { (1e-8, 1e-8) }
}

impl BoxSpace for D3 {
    #[inline(always)]
    fn edge_axes<L: Lanes>(boxes: &Boxes<D3, L>, best: &mut Axis<D3, L>) {
        let (least, weak) = weak_sines::<L::Scalar>();
        let least = L::constant(least * least);
        let weak = L::constant(weak * weak);
        let rounding = noise(FORWARD, boxes.magnitude);
        let zero = L::zero();
        let mut weakest = L::splat(L::Scalar::INFINITY);
        for i in 0..3 {
            for j in 0..3 {
                let c = boxes.turn.columns[j];
                let axis = match i {
                    0 => Vec3 { x: zero, y: -c.z, z: c.y },
                    1 => Vec3 { x: c.z, y: zero, z: -c.x },
                    _ => Vec3 { x: -c.y, y: c.x, z: zero },
                };
                let squared = axis.length_squared();
                let usable = squared.gt(least);
                let length = L::select(usable, squared, L::one()).sqrt();
                let share = L::one() / length;
                let overlap = boxes.overlap(axis);
                let strong = squared.gt(weak);
                let depth = L::select(usable & strong, overlap * share, L::splat(L::Scalar::INFINITY));
                best.offer(boxes.outward(axis) * share, depth);
                let guess = L::select(usable & !strong, (overlap - rounding) * share, weakest);
                weakest = guess.min(weakest);
            }
        }
        best.uncertain = weakest.lt(best.depth);
    }
}
