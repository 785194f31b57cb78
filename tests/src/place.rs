//! Placed shapes in `f64`, with support points that are independent of the library's.

use jostle::lanes::Rot;
use jostle::lanes::Vector as _;
use jostle::{Body, D2, D3, Dimension};
use jostle_scene::{SceneSpace, ShapeSpec};

use crate::{Kind, Random};

/// A point or direction; the third number is zero in the plane.
pub type V = [f64; 3];

/// Scalar product.
pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// Length.
pub fn length(a: V) -> f64 {
    let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest == 0.0 { 0.0 } else { dot(a.map(|x| x / largest), a.map(|x| x / largest)).sqrt() * largest }
}
/// The direction as a unit vector, if the length is not zero.
pub fn unit(a: V) -> Option<V> {
    let l = length(a);
    (l > 0.0 && l.is_finite()).then(|| a.map(|x| x / l)).map(|a| {
        let l = dot(a, a).sqrt();
        a.map(|x| x / l)
    })
}
/// `a + t * b`.
pub(crate) fn along(a: V, t: f64, b: V) -> V {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

/// The plane or space, with what the suites need of them.
pub trait Ground: Dimension + SceneSpace {
    /// The kinds of shapes it has.
    const KINDS: &'static [Kind];
    /// Any rotation.
    fn any_rotation(random: &mut Random) -> Self::Rotation<f64>;
    /// A multiple of a right angle.
    fn right_turn(random: &mut Random) -> Self::Rotation<f64>;
    /// `rotation`, then turned by `by`.
    fn turned(rotation: Self::Rotation<f64>, by: Self::Rotation<f64>) -> Self::Rotation<f64>;
    /// `rotation`, then turned by `angle` about a random axis.
    fn tilted(rotation: Self::Rotation<f64>, angle: f64, random: &mut Random) -> Self::Rotation<f64>;
    /// `rotation` after the shape is turned about its own y axis (in the plane: not at all).
    fn spun(rotation: Self::Rotation<f64>, angle: f64) -> Self::Rotation<f64>;

    /// A vector of this space with three numbers.
    fn wide(p: Self::Array<f64>) -> V {
        core::array::from_fn(|k| p.as_ref().get(k).copied().unwrap_or(0.0))
    }
    /// The first numbers of `p`.
    fn narrow(p: V) -> Self::Array<f64> {
        Self::array(|k| p[k])
    }
    /// `p` turned.
    fn rotate(rotation: Self::Rotation<f64>, p: V) -> V {
        let turned = Self::rot(rotation.as_ref()).rotate(Self::Vector::from_fn(|k| p[k]));
        Self::wide(Self::array(|k| turned.get(k)))
    }
    /// `p` turned back.
    fn unrotate(rotation: Self::Rotation<f64>, p: V) -> V {
        let turned = Self::rot(rotation.as_ref()).unrotate(Self::Vector::from_fn(|k| p[k]));
        Self::wide(Self::array(|k| turned.get(k)))
    }
    /// Any direction.
    fn direction(random: &mut Random) -> V {
        loop {
            let v = Self::wide(Self::array(|_| random.range(-1.0, 1.0)));
            let inside = dot(v, v) <= 1.0 && dot(v, v) > 1e-4;
            if let Some(v) = unit(v).filter(|_| inside) {
                return v;
            }
        }
    }
    /// A direction along an axis, or between two or three of them.
    fn axis_direction(random: &mut Random) -> V {
        loop {
            let v = Self::wide(Self::array(|_| random.pick(&[-1.0, 0.0, 0.0, 1.0])));
            if let Some(v) = unit(v) {
                return v;
            }
        }
    }
}

impl Ground for D2 {
    const KINDS: &'static [Kind] = &[Kind::Point, Kind::Ball, Kind::Segment, Kind::Capsule, Kind::Box, Kind::Hull];
    fn any_rotation(random: &mut Random) -> [f64; 1] {
        [random.range(-4.0, 4.0)]
    }
    fn right_turn(random: &mut Random) -> [f64; 1] {
        [random.below(4) as f64 * core::f64::consts::FRAC_PI_2]
    }
    fn turned(rotation: [f64; 1], by: [f64; 1]) -> [f64; 1] {
        [rotation[0] + by[0]]
    }
    fn tilted(rotation: [f64; 1], angle: f64, random: &mut Random) -> [f64; 1] {
        [rotation[0] + random.sign() * angle]
    }
    fn spun(rotation: [f64; 1], _: f64) -> [f64; 1] {
        rotation
    }
}

/// The quaternion of `p` after `q`.
fn product(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let [ax, ay, az, aw] = p;
    let [bx, by, bz, bw] = q;
    let r = [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ];
    let norm = r.iter().map(|x| x * x).sum::<f64>().sqrt();
    r.map(|x| x / norm)
}

/// The quaternion that turns by `angle` about `axis`.
fn about(axis: V, angle: f64) -> [f64; 4] {
    let (s, c) = libm::sincos(0.5 * angle);
    [axis[0] * s, axis[1] * s, axis[2] * s, c]
}

impl Ground for D3 {
    const KINDS: &'static [Kind] =
        &[Kind::Point, Kind::Ball, Kind::Segment, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Cone, Kind::Hull];
    fn any_rotation(random: &mut Random) -> [f64; 4] {
        loop {
            let q = [0; 4].map(|_| random.range(-1.0, 1.0));
            let norm = q.iter().map(|x| x * x).sum::<f64>();
            if norm <= 1.0 && norm > 1e-4 {
                return q.map(|x| x / norm.sqrt());
            }
        }
    }
    fn right_turn(random: &mut Random) -> [f64; 4] {
        let mut q = [0.0, 0.0, 0.0, 1.0];
        for _ in 0..random.below(4) {
            let mut axis = [0.0; 3];
            axis[random.below(3)] = random.sign();
            q = product(q, about(axis, core::f64::consts::FRAC_PI_2));
        }
        // The exact numbers: 0, 1/2, sqrt(1/2), 1.
        q.map(|x| {
            [0.0, 0.5, core::f64::consts::FRAC_1_SQRT_2, 1.0]
                .into_iter()
                .find(|y| (x.abs() - y).abs() < 1e-9)
                .map_or(x, |y| y * x.signum())
        })
    }
    fn turned(rotation: [f64; 4], by: [f64; 4]) -> [f64; 4] {
        product(by, rotation)
    }
    fn tilted(rotation: [f64; 4], angle: f64, random: &mut Random) -> [f64; 4] {
        product(about(Self::direction(random), angle), rotation)
    }
    fn spun(rotation: [f64; 4], angle: f64) -> [f64; 4] {
        product(rotation, about([0.0, 1.0, 0.0], angle))
    }
}

/// The radius that a shape's core is swept by.
pub(crate) fn radius<S: Ground>(spec: &ShapeSpec<S>) -> f64 {
    match spec {
        ShapeSpec::Ball { radius } | ShapeSpec::Capsule { radius, .. } => *radius,
        ShapeSpec::Box { rounding, .. }
        | ShapeSpec::Cylinder { rounding, .. }
        | ShapeSpec::Cone { rounding, .. }
        | ShapeSpec::Convex { rounding, .. } => *rounding,
    }
}

/// The corners of a core in its own frame; none where it is curved.
pub fn corners<S: Ground>(spec: &ShapeSpec<S>) -> Option<Vec<V>> {
    Some(match spec {
        ShapeSpec::Ball { .. } => vec![[0.0; 3]],
        ShapeSpec::Capsule { half_length, .. } => vec![[0.0, -half_length, 0.0], [0.0, *half_length, 0.0]],
        ShapeSpec::Box { half_extents, .. } => {
            let h = S::wide(*half_extents);
            (0..8).map(|i| core::array::from_fn(|k| if i >> k & 1 == 1 { h[k] } else { -h[k] })).collect()
        }
        ShapeSpec::Convex { points, .. } => points.iter().map(|&p| S::wide(p)).collect(),
        ShapeSpec::Cylinder { .. } | ShapeSpec::Cone { .. } => return None,
    })
}

/// The point of a core that is furthest along `d`, in the shape's own frame.
fn core_support<S: Ground>(spec: &ShapeSpec<S>, d: V) -> V {
    let rim = |r: f64| {
        let rho = d[0].hypot(d[2]);
        if rho > 0.0 { [r * d[0] / rho, r * d[2] / rho] } else { [0.0; 2] }
    };
    match spec {
        ShapeSpec::Ball { .. } => [0.0; 3],
        ShapeSpec::Capsule { half_length, .. } => [0.0, half_length.copysign(d[1]), 0.0],
        ShapeSpec::Box { half_extents, .. } => {
            let h = S::wide(*half_extents);
            core::array::from_fn(|k| h[k].copysign(d[k]))
        }
        ShapeSpec::Cylinder { half_height, radius, .. } => {
            let [x, z] = rim(*radius);
            [x, half_height.copysign(d[1]), z]
        }
        ShapeSpec::Cone { half_height, radius, .. } => {
            if 2.0 * half_height * d[1] >= radius * d[0].hypot(d[2]) {
                [0.0, *half_height, 0.0]
            } else {
                let [x, z] = rim(*radius);
                [x, -half_height, z]
            }
        }
        ShapeSpec::Convex { points, .. } => {
            let mut best = (f64::NEG_INFINITY, [0.0; 3]);
            for &p in points {
                let p = S::wide(p);
                if dot(p, d) > best.0 {
                    best = (dot(p, d), p);
                }
            }
            best.1
        }
    }
}

/// A placed shape.
#[derive(Clone, Debug)]
pub struct Posed<'s, S: Ground> {
    /// The shape.
    pub spec: &'s ShapeSpec<S>,
    /// Its rotation.
    pub rotation: S::Rotation<f64>,
    /// Its position.
    pub position: V,
}

impl<S: Ground> Posed<'_, S> {
    /// The point of the body that is furthest along `n` (unit), relative to its position.
    pub fn reach(&self, n: V) -> V {
        let core = S::rotate(self.rotation, core_support(self.spec, S::unrotate(self.rotation, n)));
        along(core, radius(self.spec), n)
    }
    /// The body as the library takes it.
    pub fn body(&self, shape: u32) -> Body<S> {
        Body::new(shape, S::narrow(self.position)).with_rotation(self.rotation)
    }
}
