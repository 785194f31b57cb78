//! A core placed in the frame of body `a`'s position, and its furthest point in a direction.
//!
//! Only numbers are taken from the shapes. Rotation matrices are computed here from the user's quaternions, support
//! points by plain search and, for bodies of revolution, in closed form.

use jostle_lanes::{Mask, Rot, Space, Vector};
use jostle_shape::{Columns, Core, CustomShape, MAX_WIDTH, SupportMap};

use crate::nearest::nearest;
use crate::vector::{AXES, V, add, along, dot, largest, length, neg, scale, sub, unit, widen};

/// A core in `f64`, turned and placed.
pub(crate) enum Solid<'a, S: Space, U> {
    /// The convex hull of points: what points, segments, boxes and hulls are.
    Points(Vec<V>),
    /// A cylinder, cone or truncated cone about the second axis of its frame.
    Frustum { centre: V, frame: [V; 3], half_height: f64, base: f64, top: f64 },
    /// A custom shape.
    Custom { shape: &'a U, rotation: S::Rot<f64>, centre: V },
}

/// One body of a pair.
pub(crate) struct Placed<'a, S: Space, U> {
    pub solid: Solid<'a, S, U>,
    /// The radius of the ball that sweeps the core.
    pub radius: f64,
    /// The largest extent of the swept shape along an axis of its own frame.
    pub extent: f64,
    /// The largest coordinate among the terms whose sum places it: a small core may be far from its body's position.
    pub summand: f64,
    /// Index of the shape.
    pub shape: usize,
}

/// The columns of the rotation matrix of an angle or a quaternion.
pub(crate) fn matrix(rotation: &[f64]) -> [V; 3] {
    if let [angle] = *rotation {
        let (s, c) = libm::sincos(angle);
        return [[c, s, 0.0], [-s, c, 0.0], AXES[2]];
    }
    let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z, w] = [rotation[0] / norm, rotation[1] / norm, rotation[2] / norm, rotation[3] / norm];
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

pub(crate) fn turned(m: &[V; 3], p: V) -> V {
    add(add(scale(m[0], p[0]), scale(m[1], p[1])), scale(m[2], p[2]))
}

/// The points of a core in its own frame, relative to [`jostle_shape::Shape::core_centre`]; none where it is curved.
pub(crate) fn own_points<S: Space, U: CustomShape<S>>(core: &Core<S, U>) -> Option<Vec<V>> {
    Some(match core {
        Core::Point => vec![[0.0; 3]],
        Core::Segment { half_length: h } if *h == 0.0 => vec![[0.0; 3]],
        Core::Segment { half_length } => vec![[0.0, -half_length, 0.0], [0.0, *half_length, 0.0]],
        Core::Box { half_extents } => {
            let h = widen(half_extents.as_ref());
            let mut points = vec![[0.0; 3]];
            for k in 0..3 {
                if h[k] > 0.0 {
                    let moved = points.iter().map(|p| along(*p, h[k], AXES[k])).collect::<Vec<_>>();
                    points = points.iter().map(|p| along(*p, -h[k], AXES[k])).chain(moved).collect();
                }
            }
            points
        }
        Core::Frustum { half_height: h, base_radius: b, top_radius: t } if S::DIMENSION == 2 => {
            vec![[-b, -h, 0.0], [*b, -h, 0.0], [-t, *h, 0.0], [*t, *h, 0.0]]
        }
        Core::Hull(hull) => (0..hull.len()).map(|i| widen(hull.point(i).as_ref())).collect(),
        Core::Frustum { .. } | Core::Custom(_) => return None,
    })
}

impl<'a, S: Space, U: CustomShape<S>> Placed<'a, S, U> {
    /// Body `body`, its position given relative to the frame in use.
    pub(crate) fn new(bodies: &Columns<'a, S, U>, body: usize, position: V) -> Self {
        let shape = bodies.shape(body);
        let rotation = bodies.rotations().get(body);
        let m = matrix(rotation.as_ref());
        let offset = turned(&m, widen(shape.core_centre().as_ref()));
        let (centre, summand) = (add(offset, position), largest(offset).max(largest(position)));
        let solid = match (own_points(shape.core()), shape.core()) {
            (Some(points), _) => Solid::Points(points.iter().map(|&p| add(turned(&m, p), centre)).collect()),
            (None, Core::Frustum { half_height, base_radius, top_radius }) => {
                Solid::Frustum { centre, frame: m, half_height: *half_height, base: *base_radius, top: *top_radius }
            }
            (None, Core::Custom(shape)) => Solid::Custom { shape, rotation: S::rot(rotation.as_ref()), centre },
            (None, _) => unreachable!("a core is points, round or custom"),
        };
        let half = shape.core_half_extents();
        let extent = half.as_ref().iter().fold(0.0, |m: f64, x| m.max(2.0 * x)) + 2.0 * shape.radius();
        Self { solid, radius: shape.radius(), extent, summand, shape: bodies.shape_indices()[body] as usize }
    }

    /// A point of the core that is furthest along `n`.
    pub(crate) fn support(&self, n: V) -> V {
        match &self.solid {
            Solid::Points(points) => {
                let (mut best, mut value) = (points[0], f64::NEG_INFINITY);
                for &p in points {
                    let along = dot(p, n);
                    if along > value {
                        (best, value) = (p, along);
                    }
                }
                best
            }
            Solid::Frustum { centre, frame, half_height, base, top } => {
                let up = dot(frame[1], n);
                // From the other two axes, so that rounding gives it no part along this one.
                let radial = along(scale(frame[0], dot(frame[0], n)), dot(frame[2], n), frame[2]);
                let rho = length(radial);
                let (y, r) = if half_height * up + top * rho >= base * rho - half_height * up {
                    (*half_height, *top)
                } else {
                    (-half_height, *base)
                };
                let rim = unit(radial).map_or([0.0; 3], |out| scale(out, r));
                add(along(*centre, y, frame[1]), rim)
            }
            Solid::Custom { shape, rotation, centre } => {
                let direction = rotation.unrotate(Vector::from_fn(|k| n[k]));
                let packed = U::pack::<f64>([*shape; MAX_WIDTH], 1.0);
                let p = rotation.rotate(packed.support(direction, Mask::splat(true)));
                add(*centre, [p.get(0), p.get(1), if S::DIMENSION == 3 { p.get(2) } else { 0.0 }])
            }
        }
    }

    /// How far the core reaches along `n`.
    pub(crate) fn height(&self, n: V) -> f64 {
        dot(self.support(n), n)
    }

    /// How many points a support search looks at.
    pub(crate) fn work(&self) -> usize {
        if let Solid::Points(points) = &self.solid { points.len() } else { 8 }
    }

    /// The largest coordinate of the swept body.
    pub(crate) fn coordinates(&self) -> f64 {
        AXES.iter().fold(0.0, |m: f64, &e| m.max(self.height(e).abs()).max(self.height(neg(e)).abs())) + self.radius
    }

    /// How far `p` is from the core: zero inside.
    pub(crate) fn outside(&self, p: V) -> f64 {
        match &self.solid {
            Solid::Frustum { centre, frame, half_height, base, top } => {
                let q = sub(p, *centre);
                let y = dot(q, frame[1]);
                let rho = length([dot(q, frame[0]), dot(q, frame[2]), 0.0]);
                meridian_distance(rho, y, *half_height, *base, *top)
            }
            Solid::Points(points) if points.len() == 1 => length(sub(p, points[0])),
            _ => {
                let reach = largest(sub(self.support(AXES[0]), p)).max(self.extent);
                nearest(|n| sub(self.support(n), p), reach).upper
            }
        }
    }
}

/// How far `(rho, y)` is from the meridian of a frustum, the quadrilateral under its slanted side.
fn meridian_distance(rho: f64, y: f64, h: f64, base: f64, top: f64) -> f64 {
    let leaning = (rho - base) * 2.0 * h + (y + h) * (base - top);
    if y.abs() <= h && leaning <= 0.0 && rho <= base.max(top) {
        return 0.0;
    }
    let side = |a: [f64; 2], b: [f64; 2]| {
        let (d, q) = ([b[0] - a[0], b[1] - a[1]], [rho - a[0], y - a[1]]);
        let dd = d[0] * d[0] + d[1] * d[1];
        let t = if dd > 0.0 { ((q[0] * d[0] + q[1] * d[1]) / dd).clamp(0.0, 1.0) } else { 0.0 };
        length([q[0] - t * d[0], q[1] - t * d[1], 0.0])
    };
    side([0.0, -h], [base, -h]).min(side([base, -h], [top, h])).min(side([top, h], [0.0, h]))
}
