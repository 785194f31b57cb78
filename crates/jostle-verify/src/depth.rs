//! The least depth of two bodies: which method finds it, and whether it is proved.
//!
//! Cores apart: the nearest point and its plane are the answer and the proof. Cores overlapping: polytopes of up to 64
//! points (in the plane: of any number) by enumeration, everything else by branch and bound with a local search at its
//! end. Radii are added last, exactly.

use std::sync::{Arc, OnceLock};

use jostle_lanes::Space;
use jostle_shape::{Columns, CustomShape};

use crate::features::{Best, enumerate};
use crate::pair::Pair;
use crate::placed::{Placed, Solid, own_points};
use crate::polytope::{Features, Polytope};
use crate::sphere::{Goal, refine, search};
use crate::vector::V;

/// Polytopes of space are enumerated if each has at most this many points.
const ENUMERATED: usize = 64;

/// The least translation that takes one body out of the other, as this crate finds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth<S: Space> {
    /// Moving `b` by `depth` along `normal` makes the two touch. Negative if they are apart: minus their distance.
    pub depth: f64,
    /// Unit vector from `a` to `b`, world frame.
    pub normal: S::Array<f64>,
    /// No direction has less depth than this.
    pub lower_bound: f64,
    /// `lower_bound` was shown to be as near as the search was meant to come: to rounding for polytopes and for cores
    /// that are apart, to a part in a million (of the depth and of the size) otherwise.
    pub proved: bool,
}

/// The same with three coordinates in either dimension, and how it was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    pub depth: f64,
    pub normal: V,
    pub bound: f64,
    pub proved: bool,
    /// Found by enumeration, or between cores that are apart: without a search that may miss the minimum.
    pub exact: bool,
}

impl Least {
    pub(crate) fn public<S: Space>(self) -> Depth<S> {
        let Self { depth, normal, bound, proved, .. } = self;
        Depth { depth, normal: S::array(|k| normal[k]), lower_bound: bound, proved }
    }
}

/// The polytopes of shapes, each built when it is first needed; empty to keep none.
pub(crate) struct Cache(Vec<OnceLock<Arc<Polytope>>>);

impl Cache {
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }
    pub(crate) fn of(shapes: usize) -> Self {
        Self((0..shapes).map(|_| OnceLock::new()).collect())
    }
    fn polytope<S: Space, U: CustomShape<S>>(&self, bodies: &Columns<'_, S, U>, shape: usize) -> Arc<Polytope> {
        let build = || {
            let points = own_points(bodies.shapes()[shape].core()).unwrap_or_default();
            Arc::new(if S::DIMENSION == 2 { Polytope::planar(&points) } else { Polytope::solid(&points) })
        };
        self.0.get(shape).map_or_else(build, |slot| Arc::clone(slot.get_or_init(build)))
    }
    /// The features of a placed body if it can be enumerated.
    fn features<S: Space, U: CustomShape<S>>(
        &self,
        bodies: &Columns<'_, S, U>,
        body: &Placed<'_, S, U>,
    ) -> Option<Features> {
        match &body.solid {
            Solid::Points(points) if S::DIMENSION == 2 || points.len() <= ENUMERATED => {
                Some(self.polytope(bodies, body.shape).features(points, S::DIMENSION))
            }
            _ => None,
        }
    }
}

/// How well the least depth has to be known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// As exactly as possible.
    Exact,
    /// Enough to know that it is not below this.
    AtLeast(f64),
}

/// The least depth of a pair; `seed` is a direction in which it may be.
pub(crate) fn least<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pair: &Pair<'_, S, U>,
    cache: &Cache,
    seed: Option<V>,
    wanted: Wanted,
) -> Least {
    let scale = pair.size.max(1e-300);
    let near = pair.nearest();
    if near.lower > 1e-9 * scale {
        let known = near.upper - near.lower <= 1e-9 * scale + pair.noise();
        return Least {
            depth: pair.radius - near.lower,
            normal: near.direction,
            bound: pair.radius - near.upper,
            proved: known,
            exact: known,
        };
    }
    let seeds: Vec<V> = seed.into_iter().chain((near.lower > f64::NEG_INFINITY).then_some(near.direction)).collect();
    if let (Some(a), Some(b)) = (cache.features(bodies, &pair.a), cache.features(bodies, &pair.b)) {
        // With a good direction to begin with, most others are ruled out without a support search.
        let rough = Goal { enough: f64::INFINITY, relative: 0.2, absolute: 1e-6 * scale, budget: 400 };
        let rough = search(pair, &seeds, &rough).normal;
        let mut best = Best::new();
        for &n in seeds.iter().chain([&rough]) {
            best.consider(pair, n);
        }
        enumerate(pair, &a, &b, &mut best);
        let bound = best.height + pair.radius - pair.noise();
        return Least { depth: best.height + pair.radius, normal: best.normal, bound, proved: true, exact: true };
    }
    let budget = (20_000_000 / pair.work()).clamp(4_000, 100_000);
    let enough = match wanted {
        Wanted::Exact => f64::INFINITY,
        Wanted::AtLeast(depth) => depth - pair.radius,
    };
    let goal = Goal { enough, relative: 1e-3, absolute: 1e-6 * scale, budget };
    let mut found = search(pair, &seeds, &goal);
    if found.height < enough {
        // Search again from the bottom of the valley that was found: only a deeper valley can remain then.
        let (height, normal) = refine(pair, found.normal, 0.05);
        let goal = Goal { enough, relative: 1e-6, absolute: 1e-6 * scale, budget };
        let again = search(pair, &[normal], &goal);
        found.bound = found.bound.max(again.bound).min(height);
        found.reached = again.reached;
        (found.height, found.normal) = (height, normal);
        if again.height < height {
            (found.height, found.normal) = refine(pair, again.normal, 1e-3);
        }
    }
    Least {
        depth: found.height + pair.radius,
        normal: found.normal,
        bound: found.bound.min(found.height) + pair.radius - pair.noise(),
        proved: found.reached,
        exact: false,
    }
}

/// The least depth of bodies `a` and `b`: minus their signed distance, found without any of the library's kernels.
///
/// Polytopes of up to 64 points (and all polygons) are enumerated: face normals and edge crossings, each by a true
/// support. Other shapes are searched over the whole sphere, with a lower bound.
///
/// ```
/// use jostle_shape::{Bodies, Body, D3, Shape};
/// use jostle_verify::minimum_depth;
///
/// let mut bodies = Bodies::<D3>::new();
/// let cube = bodies.add_shape(Shape::cuboid([1.0; 3])?)?;
/// bodies.push(Body::new(cube, [0.0; 3]))?;
/// bodies.push(Body::new(cube, [1.5, 0.0, 0.25]))?;
/// let least = minimum_depth(&bodies.columns(), 0, 1);
/// assert!((least.depth - 0.5).abs() < 1e-14);
/// assert_eq!(least.normal, [1.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there is no such body.
pub fn minimum_depth<S: Space, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, a: usize, b: usize) -> Depth<S> {
    let pair = Pair::new(bodies, a, b, [0.0; 3]);
    least(bodies, &pair, &Cache::none(), None, Wanted::Exact).public()
}

#[cfg(test)]
mod tests {
    use jostle_shape::{Aabb, Bodies, Body, D3, NoCustom, Shape};

    use super::*;
    use crate::vector::{dot, length, scale};

    /// The branch and bound alone, whatever the shapes.
    fn searched(bodies: &Bodies<D3>) -> (f64, f64) {
        let columns = bodies.columns();
        let pair: Pair<'_, D3, NoCustom> = Pair::new(&columns, 0, 1, [0.0; 3]);
        let goal = Goal { enough: f64::INFINITY, relative: 0.0, absolute: 1e-6, budget: 200_000 };
        let found = search(&pair, &[], &goal);
        (found.height, found.bound)
    }

    #[test]
    fn enumeration_and_branch_and_bound_agree() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut overlaps = 0;
        for round in 0..60 {
            let mut bodies = Bodies::<D3>::new();
            for k in 0..2 {
                // Round ones, plates and needles.
                let flat = [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1e-3, 1e-3]][(round + k) % 3];
                let points: Vec<V> = (0..12)
                    .map(|_| {
                        let p = [random(), random(), random()];
                        let p = scale(p, 1.0 / length(p));
                        [0, 1, 2].map(|k| p[k] * flat[k])
                    })
                    .collect();
                let shape = bodies.add_shape(Shape::convex(&points).unwrap()).unwrap();
                let rotation = [random(), random(), random(), random()];
                let rotation = rotation.map(|x| x / rotation.iter().map(|x| x * x).sum::<f64>().sqrt());
                let position = [random() * 0.1, random() * 0.1, random() * 0.1];
                bodies.push(Body::new(shape, position).with_rotation(rotation)).unwrap();
            }
            let exact = minimum_depth(&bodies.columns(), 0, 1);
            if exact.depth < 0.0 {
                continue;
            }
            overlaps += 1;
            let (height, bound) = searched(&bodies);
            assert!(exact.depth <= height + 1e-12, "{round}: {exact:?} {height} {bound}");
            assert!(exact.depth >= bound - 1e-12, "{round}: {exact:?} {height} {bound}");
        }
        assert!(overlaps > 30, "{overlaps} of 60");
    }

    #[test]
    fn rings_of_equal_depth_and_points_on_an_axis() {
        let mut bodies = Bodies::<D3>::new();
        let can = bodies.add_shape(Shape::cylinder(2.0, 0.5).unwrap()).unwrap();
        let cone = bodies.add_shape(Shape::cone(1.0, 1.0).unwrap()).unwrap();
        let ball = bodies.add_shape(Shape::ball(0.25).unwrap()).unwrap();
        bodies.push(Body::new(can, [0.0; 3])).unwrap();
        bodies.push(Body::new(can, [0.0; 3])).unwrap();
        bodies.push(Body::new(ball, [0.0; 3])).unwrap();
        bodies.push(Body::new(cone, [0.0; 3])).unwrap();
        let least = minimum_depth(&bodies.columns(), 0, 1);
        assert!((least.depth - 1.0).abs() < 1e-9 && least.proved, "{least:?}");
        let least = minimum_depth(&bodies.columns(), 0, 2);
        assert!((least.depth - 0.75).abs() < 1e-9 && least.proved, "{least:?}");
        // From the origin to the cone's wall from (0, 1) to (1, -1).
        let least = minimum_depth(&bodies.columns(), 3, 2);
        assert!((least.depth - 0.25 - 1.0 / 5.0_f64.sqrt()).abs() < 1e-9 && least.proved, "{least:?}");
    }

    /// All points with `sum((x_i / r_i)^2) <= 1`.
    #[derive(Clone, Debug)]
    struct Ellipsoid(V);
    struct PackedEllipsoid<L: jostle_lanes::Lanes>(<D3 as Space>::Vector<L>);
    impl<L: jostle_lanes::Lanes> jostle_shape::SupportMap<D3, L> for PackedEllipsoid<L> {
        fn support(&self, n: <D3 as Space>::Vector<L>, _: L::Mask) -> <D3 as Space>::Vector<L> {
            use jostle_lanes::Vector;
            let stretched = self.0.zip(n, |r, d| r * d);
            let length = stretched.length_squared().sqrt();
            self.0.zip(stretched, |r, s| r * (s / length))
        }
    }
    impl CustomShape<D3> for Ellipsoid {
        type Packed<'a, L: jostle_lanes::Lanes> = PackedEllipsoid<L>;
        fn pack<L: jostle_lanes::Lanes>(shapes: [&Self; jostle_shape::MAX_WIDTH], factor: L) -> PackedEllipsoid<L> {
            use jostle_lanes::{Scalar, Vector};
            PackedEllipsoid(Vector::from_fn(|k| L::from_fn(|i| L::Scalar::from_f64(shapes[i].0[k])) * factor))
        }
        fn bounds(&self) -> Aabb<D3> {
            Aabb { lower: self.0.map(|r| -r), upper: self.0 }
        }
    }

    #[test]
    fn a_shape_of_the_users_own() {
        let mut bodies = Bodies::<D3, Ellipsoid>::new();
        let egg = bodies.add_shape(Shape::custom(Ellipsoid([1.0, 2.0, 3.0]))).unwrap();
        let ball = bodies.add_shape(Shape::ball(0.5).unwrap()).unwrap();
        bodies.push(Body::new(egg, [0.0; 3])).unwrap();
        bodies.push(Body::new(ball, [0.0; 3])).unwrap();
        bodies.push(Body::new(ball, [0.0, 4.0, 0.0])).unwrap();
        let least = minimum_depth(&bodies.columns(), 0, 1);
        assert!((least.depth - 1.5).abs() < 1e-9 && dot(least.normal, [1.0, 0.0, 0.0]).abs() > 1.0 - 1e-9);
        let least = minimum_depth(&bodies.columns(), 0, 2);
        assert!((least.depth + 1.5).abs() < 1e-9 && least.proved, "{least:?}");
    }
}
