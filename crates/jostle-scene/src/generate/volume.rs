//! Bodies strewn over a volume: `uniform`, `gas`, `rods`, `brownian`, `freefall`.

use jostle::{Body, Space};

use super::draft::{Draft, Refusal};
use super::form::{self, Forms, palette};
use super::random::{Random, micro};
use crate::spec::ShapeSpec;

/// The sides of a cube (square) in which `count` bodies have `spacing^d` of room each.
pub(super) fn cube<S: Space>(count: usize, spacing: f64) -> S::Array<f64> {
    let along = if S::DIMENSION == 2 { (count as f64).sqrt() } else { libm::cbrt(count as f64) };
    S::array(|_| (spacing * along).max(spacing))
}

/// Mixed shapes of like size at about six partners (overlapping bounds) a body, moving in all directions.
pub(super) fn uniform<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let forms = palette(8, random, |random| random.between(0.3, 0.6));
    let shapes = draft.forms(forms)?;
    let sides = cube::<S>(count, if S::DIMENSION == 2 { 0.66 } else { 0.94 });
    for _ in 0..count {
        let shape = shapes + random.below(8 * S::SORTS) as u32;
        let body = Body::new(shape, random.point::<S>(sides));
        draft.push(body.with_rotation(random.rotation::<S>()).with_velocity(random.gaussian::<S>(1.0)))?;
    }
    Ok(())
}

/// Equal balls with the velocities of a gas.
pub(super) fn gas<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let shape = draft.forms(vec![form::ball(0.5)])?;
    let sides = cube::<S>(count, 1.6);
    for _ in 0..count {
        draft.push(Body::new(shape, random.point::<S>(sides)).with_velocity(random.gaussian::<S>(1.0)))?;
    }
    Ok(())
}

/// Rods a hundred times as long as thick, in random directions: their bounds overlap, they hardly do.
pub(super) fn rods<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let thin = S::array(|k| if k == 1 { 2.5 } else { 0.025 });
    let shapes = draft.forms(vec![form::capsule(2.475, 0.025), form::cuboid(thin)])?;
    let sides = cube::<S>(count, if S::DIMENSION == 2 { 2.5 } else { 2.55 });
    for _ in 0..count {
        let body = Body::new(shapes + random.below(2) as u32, random.point::<S>(sides));
        draft.push(body.with_rotation(random.rotation::<S>()).with_velocity(random.gaussian::<S>(0.2)))?;
    }
    Ok(())
}

/// Equal boxes along the axes that drift at random, as in Broadmark.
pub(super) fn brownian<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let shape = draft.forms(vec![form::cuboid(S::array(|_| 0.5))])?;
    let sides = cube::<S>(count, if S::DIMENSION == 2 { 1.4 } else { 1.6 });
    for _ in 0..count {
        let speed = random.between(0.0, 2.0);
        let direction = random.direction::<S>();
        let body = Body::new(shape, random.point::<S>(sides));
        draft.push(body.with_velocity(S::array(|k| speed * direction[k])))?;
    }
    Ok(())
}

/// Equal boxes along the axes, each let go some moment within the last second above a fixed floor, as in Broadmark.
pub(super) fn freefall<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    const GRAVITY: f64 = 9.81;
    let sides = cube::<S>(count, if S::DIMENSION == 2 { 1.4 } else { 1.6 });
    let shapes = draft.forms(vec![form::cuboid(S::array(|_| 0.5)), floor::<S>(sides)])?;
    if count > 0 {
        draft.push(on_floor::<S>(shapes + 1, sides))?;
    }
    for _ in 1..count {
        let mut position = random.point::<S>(sides);
        let fallen = random.unit();
        position[1] = 0.5 + (position[1] + GRAVITY / 2.0 - GRAVITY / 2.0 * fallen * fallen);
        let velocity = S::array(|k| if k == 1 { -GRAVITY * fallen } else { 0.0 });
        draft.push(Body::new(shapes, position).with_velocity(velocity))?;
    }
    Ok(())
}

/// A plate a metre thick under everything within `sides` along the ground.
pub(super) fn floor<S: Space>(sides: S::Array<f64>) -> ShapeSpec<S> {
    form::cuboid(S::array(|k| if k == 1 { 0.5 } else { micro(sides[k] / 2.0) + 1.0 }))
}

/// The body of that plate: fixed, its upper face at a height of exactly zero.
pub(super) fn on_floor<S: Space>(shape: u32, sides: S::Array<f64>) -> Body<S> {
    Body::new(shape, S::array(|k| if k == 1 { -0.5 } else { sides[k] / 2.0 })).fixed()
}
