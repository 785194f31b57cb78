//! Two frustums in the frame that their axes make: ten numbers a pair, and a plane of symmetry.
//!
//! Both bodies look the same from either side of the plane through the two directions of their axes, so the least
//! depth is found on B's side of it: only half of the sphere is searched. Directions are triples: along A's axis, along
//! the part of B's axis that is across A's, and along the normal of that plane, away from A's centre (`z >= 0`).

use jostle_lanes::{Lanes, Mask, Vec3, Vector};

/// Below this a length or sine stands for zero where something is divided by it.
#[inline(always)]
pub fn tiny<L: Lanes>() -> L {
    L::constant(1e-18)
}

/// Brought to between zero and one; zero where it is no number.
#[inline(always)]
pub fn clamp<L: Lanes>(x: L) -> L {
    x.max(L::zero()).min(L::one())
}

/// A frustum about its own axis.
#[derive(Clone, Copy, Debug)]
pub struct Frustum<L: Lanes> {
    /// Half the height.
    pub half: L,
    /// The radius at the lower end of the axis.
    pub base: L,
    /// The radius at the upper end.
    pub top: L,
}

impl<L: Lanes> Frustum<L> {
    /// How far it reaches along a direction with these parts along its axis and across.
    #[inline(always)]
    pub fn reach(&self, along: L, across: L) -> L {
        (self.half * along + self.top * across).max(self.base * across - self.half * along)
    }

    /// Reflected in its centre.
    #[inline(always)]
    pub fn mirrored(&self) -> Self {
        Self { half: self.half, base: self.top, top: self.base }
    }

    /// The normal of its side: parts along the axis and across (of unit length). Both rims reach equally far along it.
    #[inline(always)]
    pub fn side(&self) -> [L; 2] {
        let (along, across) = (self.base - self.top, self.half + self.half);
        let length = (along * along + across * across).sqrt();
        // A disc of equal radii has no side: its rim is as good.
        let flat = length.le(tiny());
        let share = L::one() / L::select(flat, L::one(), length);
        [L::select(flat, L::zero(), along * share), L::select(flat, L::one(), across * share)]
    }

    /// How deep a point is below the surface, from its place along the axis and its distance from it: no more than the
    /// true depth, and negative outside.
    #[inline(always)]
    pub fn clearance(&self, along: L, distance: L) -> L {
        let [cosine, sine] = self.side();
        let caps = self.half - along.abs();
        let side = (self.half - along) * cosine + (self.top - distance) * sine;
        // The last tells nothing inside. Outside of a flat one it does, whose side faces along its axis.
        caps.min(side).min(self.base.max(self.top) - distance)
    }

    /// How high the middle between its faces is so far from the axis: flat ones are thinner there than at the axis,
    /// cones thinnest.
    #[inline(always)]
    pub fn middle(&self, distance: L) -> L {
        let wider = self.base.max(self.top);
        let narrower = self.base.min(self.top);
        let lost = clamp((distance - narrower) / (wider - narrower).max(tiny()));
        L::select(self.base.ge(self.top), -self.half, self.half) * lost
    }

    /// The height and radius of the upper rim where `upper`, else of the lower one.
    #[inline(always)]
    pub fn rim(&self, upper: L::Mask) -> [L; 2] {
        [L::select(upper, self.half, -self.half), L::select(upper, self.top, self.base)]
    }
}

/// One pair of frustums per lane, seen from the first.
#[derive(Clone, Copy, Debug)]
pub struct View<L: Lanes> {
    /// A, and B reflected in its own centre: their sum is A - B, about minus the offset.
    pub bodies: [Frustum<L>; 2],
    /// Cosine of the angle between the axes.
    pub cosine: L,
    /// Its sine, not negative.
    pub sine: L,
    /// From A's centre to B's; its `z` is not negative.
    pub offset: Vec3<L>,
}

impl<L: Lanes> View<L> {
    /// The pair seen from B: the question is the same.
    #[inline(always)]
    pub fn swapped(&self) -> Self {
        let [a, b] = self.bodies;
        Self { bodies: [b, a], offset: self.across(self.offset), ..*self }
    }

    /// A direction of this view in the swapped one, and the other way round.
    #[inline(always)]
    pub fn across(&self, n: Vec3<L>) -> Vec3<L> {
        Vec3 { x: self.cosine * n.x + self.sine * n.y, y: self.sine * n.x - self.cosine * n.y, z: n.z }
    }

    /// The sines of the angles between a direction and the two axes.
    #[inline(always)]
    pub fn sines(&self, n: Vec3<L>) -> [L; 2] {
        let m = self.across(n);
        let zz = n.z * n.z;
        [(n.y * n.y + zz).sqrt(), (m.y * m.y + zz).sqrt()]
    }

    /// The depth along a unit vector: how far B has to move that way to be free of A. Never below the least depth.
    #[inline(always)]
    pub fn depth(&self, n: Vec3<L>) -> L {
        let [sine_a, sine_b] = self.sines(n);
        let along_b = self.cosine * n.x + self.sine * n.y;
        self.bodies[0].reach(n.x, sine_a) + self.bodies[1].reach(along_b, sine_b) - self.offset.dot(n)
    }
}

/// The best direction so far.
#[derive(Clone, Copy, Debug)]
pub struct BestNormal<L: Lanes> {
    /// Unit vector.
    pub normal: Vec3<L>,
    /// The depth along it.
    pub depth: L,
    /// True where it lies between ridges: both supports are single points of rims.
    pub smooth: L::Mask,
}

impl<L: Lanes> BestNormal<L> {
    /// Takes a direction of `view` if it is better.
    #[inline(always)]
    pub fn offer(&mut self, view: &View<L>, normal: Vec3<L>, allowed: L::Mask) {
        let depth = view.depth(normal);
        let better = allowed & depth.lt(self.depth);
        self.normal = Vec3::select(better, normal, self.normal);
        self.depth = L::select(better, depth, self.depth);
        self.smooth = self.smooth & !better;
    }

    /// Takes either direction of the axis of the view's first body if it is better; `original` if the view is that one,
    /// swapped.
    #[inline(always)]
    pub fn offer_axes(&mut self, view: &View<L>, original: Option<&View<L>>) {
        let [a, b] = &view.bodies;
        let axis: Vec3<L> = Vec3::unit(0);
        let up = a.half + b.reach(view.cosine, view.sine) - view.offset.x;
        let down = a.half + b.reach(-view.cosine, view.sine) + view.offset.x;
        let depth = up.min(down);
        let better = depth.lt(self.depth);
        let axis = match original {
            None => axis,
            Some(original) => original.across(axis),
        };
        let axis = axis * L::select(up.le(down), L::one(), -L::one());
        self.normal = Vec3::select(better, axis, self.normal);
        self.depth = L::select(better, depth, self.depth);
    }

    /// Nothing yet.
    #[inline(always)]
    pub fn none() -> Self {
        let depth = L::splat(<L::Scalar as jostle_lanes::Scalar>::INFINITY);
        Self { normal: Vec3::unit(0), depth, smooth: L::Mask::splat(false) }
    }
}
