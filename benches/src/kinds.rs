//! The rows of the narrowphase's table: which shapes a pair is made of.

use jostle::{D2, D3, Dimension, Shape};

use crate::random::Random;

/// The shapes of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Balls or discs.
    Ball,
    /// Capsules.
    Capsule,
    /// Boxes.
    Box,
    /// Cylinders.
    Cylinder,
    /// Cones.
    Cone,
    /// Hulls of this many points, a few of which all bodies share.
    Hull(usize),
    /// Hulls of this many points, no two alike (up to [`Kind::shapes`] of them).
    Unique(usize),
    /// All kinds above that the dimension has, with hulls of 16 points (in the plane: of 8).
    Mixed,
}

/// A row of the table: its name, shapes and dimension.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name on the command line.
    pub name: &'static str,
    /// The shapes.
    pub kind: Kind,
    /// 2 or 3.
    pub dimension: usize,
    /// The goal, in multiples of parry's speed (issue 4).
    pub goal: f64,
}

const fn row(name: &'static str, kind: Kind, dimension: usize, goal: f64) -> Row {
    Row { name, kind, dimension, goal }
}

/// All rows.
pub const ROWS: [Row; 15] = [
    row("ball", Kind::Ball, 3, 8.0),
    row("capsule", Kind::Capsule, 3, 100.0),
    row("box", Kind::Box, 3, 25.0),
    row("cylinder", Kind::Cylinder, 3, 12.0),
    row("cone", Kind::Cone, 3, 12.0),
    row("hull16", Kind::Hull(16), 3, 10.0),
    row("hull64", Kind::Hull(64), 3, 10.0),
    row("hull256", Kind::Hull(256), 3, 10.0),
    row("unique16", Kind::Unique(16), 3, 9.0),
    row("unique256", Kind::Unique(256), 3, 10.0),
    row("mixed", Kind::Mixed, 3, 10.0),
    row("disc2", Kind::Ball, 2, 10.0),
    row("capsule2", Kind::Capsule, 2, 20.0),
    row("polygon2", Kind::Hull(8), 2, 10.0),
    row("box2", Kind::Box, 2, 10.0),
];

impl Kind {
    /// The number of shapes that a scene of `bodies` bodies draws from: few hulls where they are shared, and where they
    /// are not as many as both programs hold in some gigabytes.
    pub fn shapes(self, bodies: usize) -> usize {
        match self {
            Kind::Hull(_) => 8,
            Kind::Unique(points) => bodies.min((1 << 20) / points),
            _ => 256,
        }
    }
}

/// The plane or space, with random shapes, rotations and directions.
pub trait DrawSpace: Dimension {
    /// One shape.
    fn shape(kind: Kind, random: &mut Random) -> Shape<Self>;
    /// A rotation, each as likely as any other.
    fn rotation(random: &mut Random) -> Self::Rotation<f64>;
    /// A unit vector, each as likely as any other.
    fn direction(random: &mut Random) -> Self::Array<f64>;
    /// A rotation after one more of so many radians, about any axis, either way.
    fn turned(rotation: Self::Rotation<f64>, by: f64, random: &mut Random) -> Self::Rotation<f64>;
}

/// Lengths here are finite and not negative: no shape is refused.
fn sound<S: Dimension>(shape: Result<Shape<S>, jostle::ShapeError>) -> Shape<S> {
    shape.unwrap_or_else(|error| unreachable!("{error}"))
}

/// Points on an ellipsoid (or ellipse), each of them a vertex of their hull.
fn round_points<const N: usize>(count: usize, random: &mut Random) -> Vec<[f64; N]> {
    let axes: [f64; N] = core::array::from_fn(|_| random.between(0.5, 1.0));
    (0..count)
        .map(|_| {
            let direction = random.direction::<N>();
            core::array::from_fn(|k| direction[k] * axes[k])
        })
        .collect()
}

impl DrawSpace for D3 {
    fn shape(kind: Kind, random: &mut Random) -> Shape<D3> {
        let mut length = |from| random.between(from, 1.0);
        match kind {
            Kind::Ball => sound(Shape::ball(length(0.4))),
            Kind::Capsule => sound(Shape::capsule(length(0.3), 0.5 * length(0.3))),
            Kind::Box => sound(Shape::cuboid([length(0.3), length(0.3), length(0.3)])),
            Kind::Cylinder => sound(Shape::cylinder(length(0.3), length(0.3))),
            Kind::Cone => sound(Shape::cone(length(0.4), length(0.4))),
            Kind::Hull(points) | Kind::Unique(points) => sound(Shape::convex(&round_points(points, random))),
            Kind::Mixed => {
                let kinds = [Kind::Ball, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Cone, Kind::Hull(16)];
                Self::shape(kinds[random.below(kinds.len())], random)
            }
        }
    }

    fn rotation(random: &mut Random) -> [f64; 4] {
        random.direction()
    }

    fn direction(random: &mut Random) -> [f64; 3] {
        random.direction()
    }

    fn turned([x, y, z, w]: [f64; 4], by: f64, random: &mut Random) -> [f64; 4] {
        // For small angles, which are their own tangents.
        let [i, j, k] = Self::direction(random).map(|axis| 0.5 * by * axis);
        let turned = [
            x + i * w + j * z - k * y,
            y + j * w + k * x - i * z,
            z + k * w + i * y - j * x,
            w - i * x - j * y - k * z,
        ];
        let norm = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        turned.map(|x| x / norm)
    }
}

impl DrawSpace for D2 {
    fn shape(kind: Kind, random: &mut Random) -> Shape<D2> {
        let mut length = |from| random.between(from, 1.0);
        match kind {
            Kind::Ball => sound(Shape::ball(length(0.4))),
            Kind::Capsule => sound(Shape::capsule(length(0.3), 0.5 * length(0.3))),
            Kind::Box | Kind::Cylinder | Kind::Cone => sound(Shape::cuboid([length(0.3), length(0.3)])),
            Kind::Hull(points) | Kind::Unique(points) => sound(Shape::convex(&round_points(points, random))),
            Kind::Mixed => {
                let kinds = [Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull(8)];
                Self::shape(kinds[random.below(kinds.len())], random)
            }
        }
    }

    fn rotation(random: &mut Random) -> [f64; 1] {
        [random.between(-core::f64::consts::PI, core::f64::consts::PI)]
    }

    fn direction(random: &mut Random) -> [f64; 2] {
        random.direction()
    }

    fn turned([angle]: [f64; 1], by: f64, random: &mut Random) -> [f64; 1] {
        [if random.below(2) == 0 { angle - by } else { angle + by }]
    }
}
