//! Random scenes that repeat.

use jostle::{Bodies, Body};
use jostle_tests::{Ground, Kind, Random, Repeating, Style, draw_shape};

/// Draws a scene and a margin: few bodies, a small cell, positions many cells away, some bodies longer than the cell.
pub fn draw<S: Ground>(kinds: &[Kind], random: &mut Random) -> (Repeating<S>, f64) {
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
    let self_images = random.chance(0.5);
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
        let rotation = S::any_rotation(random);
        let mut body = Body::new(random.below(3) as u32, place).with_rotation(rotation);
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
    (Repeating::new(bodies, vectors, self_images).expect("lower triangular"), margin)
}
