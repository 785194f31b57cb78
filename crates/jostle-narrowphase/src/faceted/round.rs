//! A frustum as the polytope sees it: reflected in its own centre, so that the depth along m is the sum of two reaches
//! less the way between the centres.

use jostle_lanes::{D3, Lanes, Rot, Rot3, Scalar, Vec3, Vector};

use crate::curved::valleys::direction_2d;
use crate::curved::view::Frustum;
use crate::polytope::view::splat;

/// A placed frustum, reflected.
#[derive(Clone, Copy, Debug)]
pub struct Round<L: Lanes> {
    /// About its axis.
    pub body: Frustum<L>,
    /// How it is turned: the axis is the second column. What is across the axis is measured along the other two, and
    /// not by leaving out what is along it: near the axis nothing but rounding would be left.
    pub rotation: Rot3<L>,
    /// Where it is.
    pub centre: Vec3<L>,
}

impl<T: Scalar> Round<T> {
    /// The same in every lane of a wider type.
    #[inline(always)]
    pub fn in_lanes<L: Lanes<Scalar = T>>(&self) -> Round<L> {
        let Frustum { half, base, top } = self.body;
        let body = Frustum { half: L::splat(half), base: L::splat(base), top: L::splat(top) };
        let [x, y, z] = self.rotation.columns;
        let rotation = Rot3 { columns: [splat::<D3, L>(x), splat::<D3, L>(y), splat::<D3, L>(z)] };
        Round { body, rotation, centre: splat::<D3, L>(self.centre) }
    }
}

/// The length of what is across the axis, in the frustum's frame.
#[inline(always)]
fn across<L: Lanes>(v: Vec3<L>) -> L {
    (v.x * v.x + v.z * v.z).sqrt()
}

impl<L: Lanes> Round<L> {
    /// From its (scaled) numbers, its rotation and the place of its centre.
    #[inline(always)]
    pub fn new([half, base, top]: [L; 3], rotation: Rot3<L>, centre: Vec3<L>) -> Self {
        Self { body: Frustum { half, base, top }.mirrored(), rotation, centre }
    }

    /// The direction of its axis.
    #[inline(always)]
    pub fn axis(&self) -> Vec3<L> {
        self.rotation.columns[1]
    }

    /// What it adds to the polytope's reach to make the depth along a unit vector.
    #[inline(always)]
    pub fn beyond(&self, m: Vec3<L>) -> L {
        self.reach(m) - m.dot(self.centre)
    }

    /// How far it reaches from its centre along a unit vector.
    #[inline(always)]
    pub fn reach(&self, m: Vec3<L>) -> L {
        let local = self.rotation.unrotate(m);
        self.body.reach(local.y, across(local))
    }

    /// Its furthest point, seen from its centre.
    #[inline(always)]
    pub fn support(&self, m: Vec3<L>) -> Vec3<L> {
        let local = self.rotation.unrotate(m);
        let Frustum { half, base, top } = self.body;
        let (along, out) = (local.y, across(local));
        let upper = (half * along + top * out).ge(base * out - half * along);
        let [height, radius] = self.body.rim(upper);
        let [x, z] = direction_2d(local.x, local.z);
        self.rotation.rotate(Vec3 { x: x * radius, y: height, z: z * radius })
    }

    /// The ends of its side towards a direction, seen from its centre: on the lower and the upper rim.
    #[inline(always)]
    pub fn side_line(&self, m: Vec3<L>) -> [Vec3<L>; 2] {
        let local = self.rotation.unrotate(m);
        let [x, z] = direction_2d(local.x, local.z);
        let Frustum { half, base, top } = self.body;
        [
            self.rotation.rotate(Vec3 { x: x * base, y: -half, z: z * base }),
            self.rotation.rotate(Vec3 { x: x * top, y: half, z: z * top }),
        ]
    }

    /// What a point of the polytope adds to the depth along the ridge where that is least: in the direction from the
    /// axis to the point.
    #[inline(always)]
    pub fn least_on_ridge(&self, point: Vec3<L>) -> L {
        let [along, sine] = self.body.side();
        let local = self.rotation.unrotate(point - self.centre);
        local.y * along - across(local) * sine
    }

    /// The least depth along the ridge of a polytope whose furthest point adds so much there.
    #[inline(always)]
    pub fn ridge_depth(&self, point: L) -> L {
        let [along, sine] = self.body.side();
        self.body.reach(along, sine) + point
    }

    /// The direction of the ridge along which it is.
    #[inline(always)]
    pub fn ridge_at(&self, point: Vec3<L>) -> Vec3<L> {
        let [along, sine] = self.body.side();
        let local = self.rotation.unrotate(point - self.centre);
        let [x, z] = direction_2d(local.x, local.z);
        self.rotation.rotate(Vec3 { x: -(x * sine), y: along, z: -(z * sine) })
    }

    /// Where on a line, in shares of `along`, it is as far from the axis as the rim that is the furthest in a direction
    /// is.
    #[inline(always)]
    pub fn crossings(&self, from: Vec3<L>, along: Vec3<L>, m: Vec3<L>) -> [L; 2] {
        let local = self.rotation.unrotate(m);
        let Frustum { half, base, top } = self.body;
        let (height, out) = (half * local.y, across(local));
        let radius = L::select((height + top * out).ge(base * out - height), top, base);
        let (start, way) = (self.rotation.unrotate(self.centre - from), -self.rotation.unrotate(along));
        let squared = way.x * way.x + way.z * way.z;
        let middle = -(start.x * way.x + start.z * way.z) / squared;
        let (x, z) = (start.x + way.x * middle, start.z + way.z * middle);
        let half = ((radius * radius - (x * x + z * z)).max(L::zero()) / squared).sqrt();
        [middle - half, middle + half]
    }

    /// How deep a point is inside the frustum (not reflected): no more than it is, and negative outside.
    #[inline(always)]
    pub fn clearance(&self, point: Vec3<L>) -> L {
        let local = self.rotation.unrotate(self.centre - point);
        self.body.clearance(local.y, across(local))
    }
}
