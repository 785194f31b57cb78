//! Bodies that lie against each other: `stacks`, `lattice`, `rubble`.

use jostle::{Body, Space};

use super::draft::{Draft, Refusal};
use super::form::{self, Forms};
use super::random::{Random, fine};
use super::volume::{floor, on_floor};

/// The smallest whole number whose `power`-th power is at least `count`.
fn root(count: usize, power: usize) -> usize {
    let reaches = |side: usize| (0..power).try_fold(1, |product: usize, _| product.checked_mul(side));
    let mut side = 1;
    while reaches(2 * side).is_some_and(|product| product < count) {
        side *= 2;
    }
    while reaches(side).is_some_and(|product| product < count) {
        side += 1;
    }
    side
}

/// The cell of a grid of `side` cells along each axis that comes at `index`.
fn cell<S: Space>(index: usize, side: usize) -> S::Array<f64> {
    let mut rest = index;
    S::array(|_| {
        let along = rest % side;
        rest /= side;
        along as f64
    })
}

/// Towers of ten boxes on a fixed floor. All heights are multiples of a quarter of a metre, so each box touches the
/// next one exactly.
pub(super) fn stacks<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    const HEIGHT: usize = 10;
    const PITCH: f64 = 1.75;
    let towers = count.saturating_sub(1).div_ceil(HEIGHT);
    let row = root(towers, S::DIMENSION - 1);
    let sides = S::array(|_| row as f64 * PITCH);
    let half = |x: f64, z: f64| S::array(|k| [x, 0.25, z][k]);
    let crates = vec![
        form::cuboid(half(0.5, 0.375)),
        form::cuboid(half(0.4375, 0.4375)),
        form::cuboid(half(0.375, 0.5)),
        floor::<S>(sides),
    ];
    let shapes = draft.forms(crates)?;
    if count > 0 {
        draft.push(on_floor::<S>(shapes + 3, sides))?;
    }
    for index in 0..count.saturating_sub(1) {
        let (tower, level) = (index / HEIGHT, index % HEIGHT);
        let ground = [tower % row, tower / row];
        let position = S::array(|k| match k {
            1 => 0.25 + 0.5 * level as f64,
            _ => (ground[k / 2] as f64 + 0.5) * PITCH + random.between(-0.1, 0.1),
        });
        let mut rotation = S::identity_rotation();
        if let [_, y, _, w] = rotation.as_mut() {
            // About the upright axis, so that faces stay parallel to the last bit.
            let (sin, cos) = libm::sincos(random.between(-0.15, 0.15));
            (*y, *w) = (fine(sin), fine(cos));
        }
        draft.push(Body::new(shapes + random.below(3) as u32, position).with_rotation(rotation))?;
    }
    Ok(())
}

/// Unit cubes on whole coordinates: every neighbour touches, along faces, edges and corners, and none overlaps.
pub(super) fn lattice<S: Forms>(draft: &mut Draft<'_, S>, count: usize, _: &mut Random) -> Result<(), Refusal> {
    let shape = draft.forms(vec![form::cuboid(S::array(|_| 0.5))])?;
    let side = root(count, S::DIMENSION);
    for index in 0..count {
        draft.push(Body::new(shape, cell::<S>(index, side)))?;
    }
    Ok(())
}

/// Stones: hulls of 8 to 64 points (polygons of 5 to 16 in the plane), turned at random, that overlap their neighbours
/// lightly.
pub(super) fn rubble<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    const STONES: usize = 64;
    const PITCH: f64 = 0.8;
    let mut stones = Vec::with_capacity(STONES);
    for stone in 0..STONES {
        let points = if S::DIMENSION == 2 { 5 + stone % 12 } else { 8 + stone * 56 / (STONES - 1) };
        let size = random.between(0.42, 0.6);
        stones.push(form::hull(points, size, random));
    }
    let shapes = draft.forms(stones)?;
    let side = root(count, S::DIMENSION);
    for index in 0..count {
        let place = cell::<S>(index, side);
        let position = S::array(|k| PITCH * place[k] + random.between(-0.12, 0.12));
        let velocity = random.gaussian::<S>(0.05);
        let body = Body::new(shapes + random.below(STONES) as u32, position);
        draft.push(body.with_rotation(random.rotation::<S>()).with_velocity(velocity))?;
    }
    Ok(())
}
