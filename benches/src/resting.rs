//! Bodies at rest on each other, as in every frame of a simulation of stacks and heaps.
//!
//! One body stands on another, both upright or nearly so and turned about the vertical: face on face, so that all
//! points of an area are nearest, unlike in the scene of [`pairs`](crate::pairs), where rotations are random.

use jostle::{Core, D3, Shape};

use crate::pairs::Pairs;
use crate::random::Random;

/// A body that stands, or that another one stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// A box.
    Box,
    /// A cylinder on its cap.
    Cylinder,
    /// A cone on its base.
    Cone,
    /// A hull: a prism of eight sides.
    Prism,
    /// A capsule lying down.
    Capsule,
    /// A ball.
    Ball,
}

/// Half the side of the region that the pairs are spread over.
const WORLD: f64 = 50.0;

impl Stand {
    fn shape(self, random: &mut Random) -> Shape<D3> {
        let mut length = || random.between(0.3, 1.0);
        let shape = match self {
            Stand::Box => Shape::cuboid([length(), length(), length()]),
            Stand::Cylinder => Shape::cylinder(length(), length()),
            Stand::Cone => Shape::cone(length(), length()),
            Stand::Prism => {
                let (half, radius) = (length(), length());
                let points: Vec<[f64; 3]> = (0..16)
                    .map(|corner| {
                        let angle = f64::from(corner / 2) * core::f64::consts::FRAC_PI_4;
                        let y = if corner % 2 == 0 { half } else { -half };
                        [radius * angle.cos(), y, radius * angle.sin()]
                    })
                    .collect();
                Shape::convex(&points)
            }
            Stand::Capsule => Shape::capsule(length(), 0.5 * length()),
            Stand::Ball => Shape::ball(length()),
        };
        // Lengths are finite and not negative.
        shape.unwrap_or_else(|error| unreachable!("{error}"))
    }
}

/// How far a shape reaches above and below its own origin when it stands (a capsule: when it lies).
fn heights(shape: &Shape<D3>) -> [f64; 2] {
    let core = match shape.core() {
        Core::Box { half_extents } => [half_extents[1]; 2],
        Core::Frustum { half_height, .. } => [*half_height; 2],
        Core::Hull(hull) => {
            let heights = (0..hull.len()).map(|corner| hull.point(corner)[1] + hull.centre()[1]);
            heights.fold([0.0, 0.0], |[up, down]: [f64; 2], y| [up.max(y), down.max(-y)])
        }
        _ => [0.0; 2],
    };
    core.map(|height| height + shape.radius())
}

/// Pairs of bodies of which the second stands on the first, `gap` above it (below 0: in it), its middle nearly above
/// the other's. Both are turned by `tilt` radians about a random axis.
pub fn resting(below: Stand, above: Stand, gap: f64, tilt: f64, count: usize, seed: u64) -> Pairs<D3> {
    let mut random = Random::new(seed);
    let shapes: Vec<Shape<D3>> =
        (0..512).map(|index| if index < 256 { below } else { above }.shape(&mut random)).collect();
    let bodies = 2 * count;
    let mut order: Vec<u32> = (0..bodies as u32).collect();
    random.shuffle(&mut order);
    let pairs: Vec<[u32; 2]> = order.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let (mut shape, mut position, mut rotation) = (vec![0; bodies], vec![[0.0; 3]; bodies], vec![[0.0; 4]; bodies]);
    for &[a, b] in &pairs {
        let (a, b) = (a as usize, b as usize);
        (shape[a], shape[b]) = (random.below(256) as u32, 256 + random.below(256) as u32);
        let ([top, _], [_, bottom]) = (heights(&shapes[shape[a] as usize]), heights(&shapes[shape[b] as usize]));
        position[a] = core::array::from_fn(|_| random.between(-WORLD, WORLD));
        let [x, y, z] = position[a];
        let mut aside = || random.between(-0.2, 0.2);
        position[b] = [x + aside(), y + top + bottom + gap, z + aside()];
        for (body, stand) in [(a, below), (b, above)] {
            let half = random.between(0.0, core::f64::consts::PI);
            let upright = [0.0, half.sin(), 0.0, half.cos()];
            let lying = core::f64::consts::FRAC_1_SQRT_2;
            let [_, y, _, w] = upright;
            // About the vertical, after a quarter turn about x where the body lies.
            rotation[body] =
                if stand == Stand::Capsule { [lying * w, lying * y, -lying * y, lying * w] } else { upright };
            if tilt > 0.0 {
                rotation[body] = <D3 as crate::kinds::DrawSpace>::turned(rotation[body], tilt, &mut random);
            }
        }
    }
    Pairs { shapes, shape, position, rotation, pairs, furthest: gap.max(0.0) + 1e-2 }
}
