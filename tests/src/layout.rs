//! Scenes that are hard for a tree over bodies.

use jostle::{Bodies, Body, Shape};

use crate::{Ground, Random, Style, draw_shape};

/// How bodies are distributed.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// Uniformly.
    Even,
    /// A few heaps, far from each other, and one body much farther away.
    Heaps,
    /// Many at the same places: ties.
    Raster,
    /// A floor under all and long rods among them.
    Floor,
    /// With sizes from millimetres to a thousand kilometres, near each other and far.
    Unequal,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 5] = [Self::Even, Self::Heaps, Self::Raster, Self::Floor, Self::Unequal];

    /// Bodies of all kinds of shapes, some of them static, in groups, or with a parent.
    ///
    /// # Panics
    /// If what it draws is no valid body, which would be a mistake of its own.
    pub fn draw<S: Ground>(self, count: usize, random: &mut Random) -> Bodies<S> {
        let mut bodies = Bodies::new();
        for &kind in S::KINDS {
            let style = if matches!(self, Layout::Floor) { Style::Needle } else { Style::Even };
            let size = if matches!(self, Layout::Unequal) { 10.0_f64.powf(random.range(-3.0, 6.0)) } else { 0.5 };
            bodies.add_shape(draw_shape::<S>(kind, style, size, random).shape().expect("valid")).expect("a few");
        }
        let kinds = S::KINDS.len();
        let ball = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("a few");
        let floor = Shape::cuboid(S::array(|k| if k == 1 { 0.1 } else { 1e3 })).expect("good");
        let floor = bodies.add_shape(floor).expect("a few");
        let heaps: Vec<S::Array<f64>> = (0..4).map(|_| S::array(|_| random.range(-1e4, 1e4))).collect();
        for index in 0..count {
            let near = S::array(|_| random.range(-4.0, 4.0));
            let place = match self {
                Layout::Even | Layout::Floor => near,
                Layout::Heaps if index == 0 => S::array(|_| 1e7),
                Layout::Heaps => {
                    let heap = random.pick(&heaps);
                    S::array(|k| heap[k] + near[k])
                }
                Layout::Raster => S::array(|k| near[k].round()),
                Layout::Unequal => {
                    let far = 10.0_f64.powf(random.range(-3.0, 6.0));
                    S::array(|k| near[k] * far)
                }
            };
            let shape = match self {
                Layout::Raster => ball,
                Layout::Floor if index == count / 2 => floor,
                _ => random.below(kinds) as u32,
            };
            let rotation = if shape == floor { S::identity_rotation() } else { S::any_rotation(random) };
            let mut body = Body::new(shape, place).with_rotation(rotation);
            if random.chance(0.3) {
                body = body.fixed();
            }
            if random.chance(0.2) {
                body = body.with_group(random.pick(&[1, 2, 3])).with_mask(random.pick(&[1, 2, 3]));
            }
            if random.chance(0.2) {
                body = body.with_parent(random.below(3) as u32);
            }
            bodies.push(body).expect("valid");
        }
        bodies
    }
}
