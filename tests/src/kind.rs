//! Random shapes of every kind and proportion.

use jostle_scene::ShapeSpec;

use crate::place::{Ground, V};
use crate::{Random, dot, unit};

/// The kinds of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A ball of radius 0.
    Point,
    /// A ball or disc.
    Ball,
    /// A capsule of radius 0.
    Segment,
    /// A capsule.
    Capsule,
    /// A box.
    Box,
    /// A cylinder.
    Cylinder,
    /// A cone.
    Cone,
    /// The hull of points.
    Hull,
}

impl Kind {
    /// A word for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Point => "point",
            Kind::Ball => "ball",
            Kind::Segment => "segment",
            Kind::Capsule => "capsule",
            Kind::Box => "box",
            Kind::Cylinder => "cylinder",
            Kind::Cone => "cone",
            Kind::Hull => "hull",
        }
    }
}

/// A shape's proportions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// About as long as wide.
    Even,
    /// One extent far below the others, down to 1e-4 of them.
    Plate,
    /// One extent far above the others.
    Needle,
    /// Some extents are zero.
    Flat,
}

fn extents(size: f64, style: Style, random: &mut Random) -> V {
    let mut e = [0; 3].map(|_| size * random.range(0.3, 1.0));
    if random.chance(0.2) {
        e = [size; 3];
    }
    let odd = random.below(3);
    let thin = 1.0 / random.log(10.0, 1e4);
    match style {
        Style::Even => {}
        Style::Plate => e[odd] *= thin,
        Style::Needle => {
            for k in (0..3).filter(|&k| k != odd) {
                e[k] *= thin;
            }
        }
        Style::Flat => {
            for k in 0..3 {
                if k == odd || random.chance(0.3) {
                    e[k] = 0.0;
                }
            }
        }
    }
    e
}

/// Points about the origin, within the unit cube.
fn points<S: Ground>(random: &mut Random) -> Vec<V> {
    let d = S::DIMENSION;
    let mut points: Vec<V> = match random.below(8) {
        // A cloud.
        0 => (0..=random.below(30)).map(|_| S::wide(S::array(|_| random.range(-1.0, 1.0)))).collect(),
        // On a sphere.
        1 => (0..=random.below(60) + d).map(|_| S::direction(random)).collect(),
        // Simplices.
        2 => (0..=d).map(|_| S::wide(S::array(|_| random.range(-1.0, 1.0)))).collect(),
        // A grid: coplanar, collinear and interior points, exactly.
        3 => {
            let per_axis = random.below(3) + 2;
            let at = |i: usize| 2.0 * i as f64 / (per_axis - 1) as f64 - 1.0;
            (0..per_axis.pow(d as u32))
                .map(|i| S::wide(S::array(|k| at(i / per_axis.pow(k as u32) % per_axis))))
                .collect()
        }
        // A prism or pyramid about y (in the plane: a polygon).
        4 | 5 => {
            let sides = random.below(14) + 3;
            let top = random.pick(&[0.0, 0.5, 1.0, 1.0]);
            let ring = |y: f64, r: f64| {
                (0..sides).map(move |i| {
                    let (s, c) = libm::sincos(core::f64::consts::TAU * i as f64 / sides as f64);
                    if d == 2 { [r * c, r * s, 0.0] } else { [r * c, y, r * s] }
                })
            };
            ring(-1.0, 1.0).chain(ring(1.0, top)).collect()
        }
        // Some corners of a box and a point on a face.
        6 => {
            let mut all: Vec<V> =
                (0..1 << d).map(|i| S::wide(S::array(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 }))).collect();
            all.retain(|_| random.chance(0.8));
            all.push([1.0, if d == 2 { 0.5 } else { 0.25 }, 0.0]);
            all
        }
        // Many.
        _ => {
            let count = if random.chance(0.05) { 1500 } else { random.below(200) + 20 };
            (0..count).map(|_| S::direction(random)).collect()
        }
    };
    if random.chance(0.3) {
        // Points that are there already, exactly or nearly, and points between others.
        for _ in 0..=random.below(8) {
            let (p, q) = (random.pick(&points), random.pick(&points));
            let t = random.pick(&[0.0, 0.0, 0.5, 0.25]);
            let mut r: V = core::array::from_fn(|k| p[k] + t * (q[k] - p[k]));
            if random.chance(0.3) {
                r[0] += random.sign() * random.log(1e-9, 1e-4);
            }
            points.push(r);
        }
    }
    points
}

/// A shape of about `size` (its largest extent is at most twice that, but for rounding).
pub fn draw_shape<S: Ground>(kind: Kind, style: Style, size: f64, random: &mut Random) -> ShapeSpec<S> {
    let e = extents(size, style, random);
    let rounding = if random.chance(0.6) { 0.0 } else { size * random.log(1e-4, 1.0) };
    match kind {
        Kind::Point => ShapeSpec::Ball { radius: 0.0 },
        Kind::Ball => ShapeSpec::Ball { radius: size },
        Kind::Segment => ShapeSpec::Capsule { half_length: e[0], radius: 0.0 },
        Kind::Capsule => ShapeSpec::Capsule { half_length: e[0], radius: if e[1] == 0.0 { size } else { e[1] } },
        Kind::Box => ShapeSpec::Box { half_extents: S::array(|k| e[k]), rounding },
        Kind::Cylinder => ShapeSpec::Cylinder { half_height: e[0], radius: e[1], rounding },
        Kind::Cone => ShapeSpec::Cone { half_height: e[0], radius: e[1], rounding },
        Kind::Hull => {
            let mut points = points::<S>(random);
            let shift: V = if random.chance(0.3) {
                let far = size * random.log(0.1, 10.0);
                S::direction(random).map(|x| x * far)
            } else {
                [0.0; 3]
            };
            // Turned in its own frame, so that flat ones are flat in any direction.
            let rotation = if random.chance(0.5) { S::any_rotation(random) } else { S::identity_rotation() };
            for p in &mut points {
                let scaled = core::array::from_fn(|k| p[k] * e[k]);
                let turned = if rotation == S::identity_rotation() { scaled } else { S::rotate(rotation, scaled) };
                *p = core::array::from_fn(|k| turned[k] + shift[k]);
            }
            ShapeSpec::Convex { points: points.into_iter().map(S::narrow).collect(), rounding }
        }
    }
}

/// A direction in which the shape has a face or an edge, in its own frame, if one is found easily.
pub(crate) fn feature<S: Ground>(spec: &ShapeSpec<S>, random: &mut Random) -> V {
    match spec {
        ShapeSpec::Cone { half_height, radius, .. } if random.chance(0.6) => {
            let (s, c) = libm::sincos(random.range(0.0, 7.0));
            unit([2.0 * half_height * c, *radius, 2.0 * half_height * s]).unwrap_or([0.0, 1.0, 0.0])
        }
        ShapeSpec::Cylinder { .. } | ShapeSpec::Cone { .. } | ShapeSpec::Capsule { .. } => {
            if random.chance(0.5) {
                [0.0, random.sign(), 0.0]
            } else {
                let (s, c) = libm::sincos(random.range(0.0, 7.0));
                if S::DIMENSION == 2 { [random.sign(), 0.0, 0.0] } else { [c, 0.0, s] }
            }
        }
        ShapeSpec::Convex { points, .. } if points.len() > S::DIMENSION => {
            for _ in 0..4 {
                let [p, q, r] = [0; 3].map(|_| S::wide(random.pick(points)));
                let (u, v): (V, V) = (core::array::from_fn(|k| q[k] - p[k]), core::array::from_fn(|k| r[k] - p[k]));
                let n = if S::DIMENSION == 2 {
                    [u[1], -u[0], 0.0]
                } else {
                    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
                };
                let Some(n) = unit(n) else { continue };
                let height = dot(n, p);
                let above = points.iter().filter(|&&x| dot(S::wide(x), n) > height + 1e-12 * height.abs()).count();
                let below = points.iter().filter(|&&x| dot(S::wide(x), n) < height - 1e-12 * height.abs()).count();
                if above == 0 {
                    return n;
                }
                if below == 0 {
                    return n.map(|x| -x);
                }
            }
            S::axis_direction(random)
        }
        _ => S::axis_direction(random),
    }
}

/// The same shape with all lengths multiplied by `factor`.
pub fn scaled<S: Ground>(spec: &ShapeSpec<S>, factor: f64) -> ShapeSpec<S> {
    let all = |p: S::Array<f64>| S::array(|k| p[k] * factor);
    match spec {
        ShapeSpec::Ball { radius } => ShapeSpec::Ball { radius: radius * factor },
        ShapeSpec::Capsule { half_length, radius } => {
            ShapeSpec::Capsule { half_length: half_length * factor, radius: radius * factor }
        }
        ShapeSpec::Box { half_extents, rounding } => {
            ShapeSpec::Box { half_extents: all(*half_extents), rounding: rounding * factor }
        }
        ShapeSpec::Cylinder { half_height, radius, rounding } => ShapeSpec::Cylinder {
            half_height: half_height * factor,
            radius: radius * factor,
            rounding: rounding * factor,
        },
        ShapeSpec::Cone { half_height, radius, rounding } => {
            ShapeSpec::Cone { half_height: half_height * factor, radius: radius * factor, rounding: rounding * factor }
        }
        ShapeSpec::Convex { points, rounding } => {
            ShapeSpec::Convex { points: points.iter().map(|&p| all(p)).collect(), rounding: rounding * factor }
        }
    }
}
