//! Rough estimates of how long queries take on one thread, so that other threads are woken only where that pays (see
//! [`jostle_tasks::run`]). No answer depends on them.

use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, Shape};

/// At most this many shapes are looked at, evenly spread over the list; they stand for all.
const LOOKED_AT: usize = 8;

/// This many pairs, query bodies or bodies of a scene are one task, and their distances are estimated as 0.
const FEW: usize = 64;

/// Factor for queries that call the user's code for each pair: it is taken to be several times as slow as all else.
const THEIRS: u64 = 4;

/// Nanoseconds for the distance of two bodies of this shape.
fn shape<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> u64 {
    match shape.core() {
        Core::Point => 10,
        Core::Segment { .. } | Core::Box { .. } => 40,
        Core::Frustum { .. } => 150,
        Core::Hull(hull) => 2 * hull.len() as u64 + if S::DIMENSION == 2 { 40 } else { 100 },
        Core::Custom(_) => 1000,
    }
}

/// Nanoseconds for the distance of a pair of these bodies, averaged over a few of their shapes.
fn pair<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    let all = bodies.shapes();
    let some = all.iter().step_by(all.len().div_ceil(LOOKED_AT).max(1));
    let count = some.len().max(1) as u64;
    some.map(shape).sum::<u64>() / count
}

/// Nanoseconds for a query of this many named pairs.
pub fn of_pairs<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, pairs: usize) -> u64 {
    if pairs <= FEW { 0 } else { (pairs as u64).saturating_mul(pair(bodies)) }
}

/// Nanoseconds for casts of this many pairs: about four distances each.
pub fn of_casts<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, pairs: usize) -> u64 {
    of_pairs(bodies, pairs).saturating_mul(4)
}

/// Nanoseconds for a frame of these bodies. Two thirds of the estimate count, as the work has many stages, each of
/// which has to be long enough to be shared out.
pub fn of_frame<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    if bodies.len() <= FEW { 0 } else { bodies.len() as u64 * (30 + pair(bodies)) * 2 / 3 }
}

/// The same where the user's code is called for each contact.
pub fn of_visited_frame<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    THEIRS * of_frame(bodies)
}

/// Nanoseconds for finding all near pairs of these bodies: as a frame, but that each shape is looked at once, even one
/// that no body has.
pub fn of_scene<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    of_frame(bodies) + 5 * bodies.shapes().len() as u64
}

/// The same where the user's code is called for each pair.
pub fn of_visited_scene<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    THEIRS * of_scene(bodies)
}

/// Nanoseconds for the boxes of these bodies and what is built from them.
pub fn of_boxes<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>) -> u64 {
    30 * bodies.len() as u64
}

/// Nanoseconds for the nearest of `agents` query bodies among these bodies, including the tree that is built first.
pub fn of_nearest<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, agents: usize) -> u64 {
    of_boxes(bodies).saturating_add(of_probes(bodies, agents))
}

/// Nanoseconds for finding which of these bodies are near to, nearest to or hit by each of `probes` query bodies.
pub fn of_probes<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, probes: usize) -> u64 {
    if probes <= FEW { 0 } else { (probes as u64).saturating_mul(150 + 5 * pair(bodies)) }
}

/// Nanoseconds for putting the neighbours of agents in order; of each list is given where it begins, and its length.
pub fn of_lists(lists: &[[u32; 2]]) -> u64 {
    lists.iter().map(|&[_, count]| 40 * u64::from(count)).sum()
}

#[cfg(test)]
mod tests {
    use jostle_lanes::D3;
    use jostle_shape::{Bodies, Body};

    use super::*;

    #[test]
    fn what_has_more_corners_or_bodies_takes_longer() -> Result<(), Box<dyn std::error::Error>> {
        let scene = |shape: Shape<D3>, count: usize| -> Result<u64, Box<dyn std::error::Error>> {
            let mut bodies = Bodies::<D3>::new();
            bodies.add_shape(shape)?;
            (0..count).try_for_each(|_| bodies.push(Body::new(0, [0.0; 3])).map(drop))?;
            let columns = bodies.columns();
            assert!(of_visited_scene(&columns) >= of_scene(&columns));
            assert!(of_visited_frame(&columns) >= of_frame(&columns) && of_scene(&columns) > of_frame(&columns));
            assert!(of_boxes(&columns) >= columns.len() as u64);
            // A tree of many bodies is made even for one query body.
            assert!(of_nearest(&columns, 1) >= of_boxes(&columns));
            assert_eq!(of_pairs(&columns, FEW) + of_probes(&columns, FEW), 0);
            assert!(of_probes(&columns, 1000) > of_casts(&columns, 1000));
            assert!(of_casts(&columns, 1000) > of_pairs(&columns, 1000));
            Ok(of_scene(&columns))
        };
        assert_eq!(scene(Shape::ball(0.5)?, 2)?, 5);
        let balls = scene(Shape::ball(0.5)?, 1000)?;
        assert!(balls < scene(Shape::ball(0.5)?, 10_000)? && balls < scene(Shape::cylinder(0.5, 0.5)?, 1000)?);
        assert_eq!(scene(Shape::ball(0.5)?, 0)?, 5);
        Ok(())
    }
}
