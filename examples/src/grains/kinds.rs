//! The grains: balls, boxes and stones, with their volumes and moments of inertia.
//!
//! Stones are hulls of points that are mirrored in all three planes, so that their centre of mass is the origin of
//! their frame, and the axes of the frame are the principal axes.

use glam::DVec3;
use jostle::{D3, PipelineError, Shape};
use jostle_picture::faces;

/// A kind of grain.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its shape.
    pub shape: Shape<D3>,
    /// The distance of its farthest point from its middle, metres.
    pub reach: f64,
    /// Cubic metres.
    pub volume: f64,
    /// The principal moments of inertia about its middle for a density of 1, metres to the fifth.
    pub inertia: DVec3,
    /// Its corners; a ball has none.
    pub corners: Vec<DVec3>,
    /// The corners of each face, counter-clockwise from outside.
    pub faces: Vec<Vec<usize>>,
}

/// All kinds: three each of balls, boxes and stones.
pub(super) fn all() -> Result<Vec<Kind>, PipelineError> {
    let mut kinds = Vec::new();
    for radius in [0.042, 0.048, 0.054] {
        let volume = 4.0 / 3.0 * core::f64::consts::PI * radius * radius * radius;
        let inertia = DVec3::splat(0.4 * volume * radius * radius);
        let shape = Shape::ball(radius)?;
        kinds.push(Kind { shape, reach: radius, volume, inertia, corners: Vec::new(), faces: Vec::new() });
    }
    for half in [[0.036, 0.036, 0.036], [0.043, 0.034, 0.028], [0.048, 0.028, 0.026]] {
        kinds.push(polyhedron(Shape::cuboid(half)?, &[half]));
    }
    for seeds in [
        [[0.054, 0.02, 0.018], [0.022, 0.046, 0.034]],
        [[0.05, 0.03, 0.012], [0.03, 0.022, 0.045]],
        [[0.058, 0.014, 0.012], [0.03, 0.04, 0.03]],
    ] {
        kinds.push(polyhedron(Shape::convex(&mirrored(&seeds))?, &seeds));
    }
    Ok(kinds)
}

/// Points in all eight octants.
fn mirrored(seeds: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let signs = (0..8).map(|octant| [0, 1, 2].map(|k| if octant >> k & 1 == 0 { 1.0 } else { -1.0 }));
    signs.flat_map(|sign| seeds.iter().map(move |seed| [0, 1, 2].map(|k| sign[k] * seed[k]))).collect()
}

fn polyhedron(shape: Shape<D3>, seeds: &[[f64; 3]]) -> Kind {
    let corners = mirrored(seeds);
    let faces = faces(&corners);
    let corners: Vec<DVec3> = corners.into_iter().map(DVec3::from).collect();
    // The sum over the tetrahedra between the middle and each triangle of the surface.
    let (mut volume, mut squares) = (0.0, DVec3::ZERO);
    for face in &faces {
        for side in 1..face.len() - 1 {
            let [a, b, c] = [face[0], face[side], face[side + 1]].map(|corner| corners[corner]);
            let six = a.dot(b.cross(c));
            volume += six / 6.0;
            squares += six / 60.0 * (a * a + b * b + c * c + a * b + b * c + c * a);
        }
    }
    let inertia = DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    let reach = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
    Kind { shape, reach, volume, inertia, corners, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_weighs_what_a_box_weighs() {
        let [x, y, z] = [0.05, 0.04, 0.03];
        let kind = polyhedron(Shape::cuboid([x, y, z]).unwrap(), &[[x, y, z]]);
        let volume = 8.0 * x * y * z;
        assert!((kind.volume / volume - 1.0).abs() < 1e-12);
        let about_x = volume / 3.0 * (y * y + z * z);
        assert!((kind.inertia.x / about_x - 1.0).abs() < 1e-12);
    }

    #[test]
    fn stones_are_closed_and_smaller_than_their_box() {
        for kind in &all().unwrap()[6..] {
            let edges: usize = kind.faces.iter().map(Vec::len).sum::<usize>() / 2;
            assert_eq!(kind.corners.len() + kind.faces.len(), edges + 2, "Euler: every point is a corner");
            assert!(kind.volume > 2e-4 && kind.volume < 8.0 * 0.06 * 0.047 * 0.045, "{}", kind.volume);
        }
    }
}
