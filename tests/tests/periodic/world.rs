//! Scenes that repeat, drawn, and the images that could be near, listed by brute force.

use jostle::{Bodies, Body, Lattice};
use jostle_tests::{Ground, Kind, Random, Style, draw_shape};

/// A drawn scene: few bodies, a small cell, positions many cells away, some bodies longer than the cell.
pub struct World<S: Ground> {
    pub bodies: Bodies<S>,
    pub lattice: Lattice<S>,
    vectors: Vec<S::Array<f64>>,
    pub margin: f64,
}

/// Draws one.
pub fn draw<S: Ground>(kinds: &[Kind], random: &mut Random) -> World<S> {
    let margin = random.pick(&[0.0, 0.05, 0.5, 2.0]);
    let lean = random.chance(0.5);
    let lengths: S::Array<f64> =
        S::array(
            |_| if random.chance(0.25) { 0.0 } else { random.pick(&[0.7, 1.5, 3.0, 6.0]) * random.range(0.9, 1.1) },
        );
    let vectors: Vec<S::Array<f64>> = (0..S::DIMENSION)
        .map(|m| {
            S::array(|k| match k.cmp(&m) {
                core::cmp::Ordering::Equal => lengths[m],
                core::cmp::Ordering::Less if lean && lengths[m] > 0.0 => random.range(-1.2, 1.2) * lengths[m],
                _ => 0.0,
            })
        })
        .collect();
    let mut lattice = Lattice::triclinic(&vectors).expect("lower triangular");
    if random.chance(0.5) {
        lattice = lattice.with_self_images();
    }
    let mut bodies = Bodies::new();
    for _ in 0..3 {
        let size = random.pick(&[0.1, 0.3, 1.0]) * if random.chance(0.15) { 6.0 } else { 1.0 };
        let style = random.pick(&[Style::Even, Style::Needle]);
        let spec = draw_shape::<S>(random.pick(kinds), style, size, random);
        bodies.add_shape(spec.shape().expect("valid")).expect("a few");
    }
    let away = random.pick(&[0.0, 1.0, 40.0]);
    for _ in 0..=random.below(12) {
        let place = S::array(|_| random.range(0.0, 6.0) + away * random.range(-1.0, 1.0));
        let turn = S::any_turn(random);
        let mut body = Body::new(random.below(3) as u32, place).with_turn(turn);
        if random.chance(0.2) {
            body = body.fixed();
        }
        if random.chance(0.2) {
            body = body.with_parent(random.below(2) as u32);
        }
        if random.chance(0.2) {
            body = body.with_group(1).with_mask(2);
        }
        bodies.push(body).expect("valid");
    }
    World { bodies, lattice, vectors, margin }
}

impl<S: Ground> World<S> {
    /// Every image of `b` whose ball may be within the margin of that of `a`.
    pub fn images(&self, a: usize, b: usize) -> Vec<[i32; 3]> {
        self.images_within(a, b, self.margin)
    }

    /// Every image of `b` whose ball may be so near that of `a`.
    pub fn images_within(&self, a: usize, b: usize, distance: f64) -> Vec<[i32; 3]> {
        let columns = self.bodies.columns();
        let far = |body: usize| {
            let shape = columns.shape(body);
            let centre = shape.core_centre();
            shape.reach() + centre.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let reach = far(a) + far(b) + distance + 1e-9;
        let apart: S::Array<f64> = S::array(|k| columns.positions()[b][k] - columns.positions()[a][k]);
        let mut most = [0_i32; 3];
        for axis in (0..S::DIMENSION).rev() {
            let len = self.vectors[axis][axis];
            let lean: f64 = (axis + 1..S::DIMENSION).map(|m| f64::from(most[m]) * self.vectors[m][axis].abs()).sum();
            most[axis] = if len > 0.0 { ((apart[axis].abs() + reach + lean) / len).ceil() as i32 } else { 0 };
        }
        let mut images = Vec::new();
        for x in -most[0]..=most[0] {
            for y in -most[1]..=most[1] {
                for z in -most[2]..=most[2] {
                    let shift = self.lattice.shift([x, y, z]);
                    let square: f64 = (0..S::DIMENSION).map(|k| (apart[k] + shift[k]).powi(2)).sum();
                    if square <= reach * reach {
                        images.push([x, y, z]);
                    }
                }
            }
        }
        images
    }
}
