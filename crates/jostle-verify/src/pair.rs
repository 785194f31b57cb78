//! Two bodies as one convex set: the points of A minus those of B, in the frame of A's position.
//!
//! With `h(n)` the set's reach along `n`, the signed distance of the bodies is `max -h(n)` over unit `n`: apart, the
//! widest plane between them; overlapping, minus the shortest way out.

use jostle_lanes::{Space, sum_of_three};
use jostle_shape::{Columns, CustomShape};

use crate::nearest::{Nearest, nearest};
use crate::placed::Placed;
use crate::vector::{V, dot, largest, neg, sub, widen};

/// Two placed bodies.
pub(crate) struct Pair<'a, S: Space, U> {
    pub a: Placed<'a, S, U>,
    pub b: Placed<'a, S, U>,
    /// Where the frame's origin is in the world.
    pub origin: V,
    /// Sum of the radii.
    pub radius: f64,
    /// The larger extent of the two shapes.
    pub size: f64,
    /// The largest coordinate of either body in this frame.
    pub relative: f64,
    /// The largest coordinate of the positions and the shift in the world, plus `relative`: for the rounding of witness
    /// points.
    pub world: f64,
}

impl<'a, S: Space, U: CustomShape<S>> Pair<'a, S, U> {
    /// Bodies `a` and `b` of a scene, `b` moved by `shift`.
    pub(crate) fn new(bodies: &Columns<'a, S, U>, a: usize, b: usize, shift: V) -> Self {
        let [xa, xb] = [a, b].map(|i| widen(bodies.positions()[i].as_ref()));
        let (world, origin) = (largest(xa).max(largest(xb)).max(largest(shift)), xa);
        let a = Placed::new(bodies, a, [0.0; 3]);
        // Rounded once: bodies may be many periods away from each other, and their images near.
        let apart = core::array::from_fn(|k| sum_of_three(xb[k], shift[k], -xa[k]));
        let b = Placed::new(bodies, b, apart);
        let relative = a.coordinates().max(b.coordinates());
        let (radius, size) = (a.radius + b.radius, a.extent.max(b.extent));
        Self { a, b, origin, radius, size, relative, world: world + relative }
    }

    /// The point of core A minus core B that is furthest along `n`.
    pub(crate) fn support(&self, n: V) -> V {
        sub(self.a.support(n), self.b.support(neg(n)))
    }
    /// How far core A minus core B reaches along `n`: the way along `n` that takes B's core out of A's.
    pub(crate) fn height(&self, n: V) -> f64 {
        dot(self.support(n), n)
    }
    /// The gap between the swept bodies along `n`, negative if they overlap in that direction.
    pub(crate) fn gap(&self, n: V) -> f64 {
        -self.height(n) - self.radius
    }
    /// The error that `f64` leaves in a height or distance here.
    pub(crate) fn noise(&self) -> f64 {
        2e-14 * self.relative.max(self.size).max(self.a.summand).max(self.b.summand)
    }
    /// The distance of the cores, with its proof.
    pub(crate) fn nearest(&self) -> Nearest {
        nearest(|n| sub(self.b.support(n), self.a.support(neg(n))), self.relative.max(self.size))
    }
    /// How many points a support search looks at.
    pub(crate) fn work(&self) -> usize {
        self.a.work() + self.b.work()
    }
}
