//! Contacts of capsules as the author of a simulation would write them: the distance of two segments less the radii, in
//! scalar `f32`.

use jostle::{Core, D3};
use parry3d::math::{Rotation, Vector};

use crate::pairs::Pairs;

/// A capsule in the world.
#[derive(Clone, Copy, Debug)]
pub struct Capsule {
    centre: Vector,
    rotation: Rotation,
    half_length: f32,
    radius: f32,
}

/// The answer: the same as jostle's except for the bounds.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Signed distance.
    pub distance: f32,
    /// From the first to the second.
    pub normal: Vector,
    /// Points on both surfaces.
    pub points: [Vector; 2],
}

/// The capsules of a scene.
pub fn capsules(scene: &Pairs<D3>) -> Vec<Capsule> {
    let one = |((shape, p), q): ((&u32, &[f64; 3]), &[f64; 4])| {
        let shape = &scene.shapes[*shape as usize];
        let half_length = if let Core::Segment { half_length } = shape.core() { *half_length } else { 0.0 };
        Capsule {
            centre: Vector::new(p[0] as f32, p[1] as f32, p[2] as f32),
            rotation: Rotation::from_xyzw(q[0] as f32, q[1] as f32, q[2] as f32, q[3] as f32),
            half_length: half_length as f32,
            radius: shape.radius() as f32,
        }
    };
    scene.shape.iter().zip(&scene.position).zip(&scene.rotation).map(one).collect()
}

/// Two capsules: Ericson, *Real-Time Collision Detection*, 5.1.9.
#[inline]
pub fn contact(a: &Capsule, b: &Capsule) -> Contact {
    let (way_a, way_b) = (a.rotation * Vector::Y, b.rotation * Vector::Y);
    let between = a.centre - b.centre;
    let (along_a, along_b, cosine) = (way_a.dot(between), way_b.dot(between), way_a.dot(way_b));
    let clamp = |x: f32, half: f32| x.clamp(-half, half);
    let sine_squared = 1.0 - cosine * cosine;
    let mut s =
        if sine_squared > 1e-6 { clamp((cosine * along_b - along_a) / sine_squared, a.half_length) } else { 0.0 };
    let free = cosine * s + along_b;
    let t = clamp(free, b.half_length);
    if t != free {
        s = clamp(cosine * t - along_a, a.half_length);
    }
    let (on_a, on_b) = (a.centre + way_a * s, b.centre + way_b * t);
    let apart = on_b - on_a;
    let length = apart.length();
    let normal = if length > 0.0 { apart / length } else { Vector::Y };
    Contact {
        distance: length - a.radius - b.radius,
        normal,
        points: [on_a + normal * a.radius, on_b - normal * b.radius],
    }
}

/// All pairs.
pub fn contacts(capsules: &[Capsule], pairs: &[[u32; 2]], rows: &mut Vec<Contact>) {
    rows.clear();
    rows.extend(pairs.iter().map(|&[a, b]| contact(&capsules[a as usize], &capsules[b as usize])));
}
