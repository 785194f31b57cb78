//! Two moving bodies from bytes, and their cast checked against bisection on the distance.

use jostle::{CastStatus, D2, D3, Motion};
use jostle_scene::Scene;

use super::bytes::Bytes;
use super::fail;
use crate::{Ground, Moves};

/// Takes bytes as two moving shapes: casts in both orders agree with bisection on the distance, and prove their hits.
/// Returns whether there was a hit.
///
/// # Panics
/// If something is wrong, with the scene that shows it.
pub fn cast(bytes: &[u8]) -> bool {
    let mut bytes = Bytes::new(bytes);
    let hit = if bytes.byte() & 1 == 0 { moving::<D3>(&mut bytes) } else { moving::<D2>(&mut bytes) };
    hit.unwrap_or(false)
}

/// Whether there was a hit; `None` if a body is refused.
fn moving<S: Ground>(bytes: &mut Bytes<'_>) -> Option<bool> {
    bytes.choose_unit();
    let how = bytes.byte();
    let (mut scene, mut rotation) = (Scene::<S>::new(), S::identity_rotation());
    for moves in [how & 1 > 0, true] {
        let body = bytes.body(&mut scene, &mut rotation)?;
        let velocity = S::array(|_| if moves { bytes.coordinate() } else { 0.0 });
        scene.bodies.push(body.with_velocity(velocity)).ok()?;
    }
    // Each body once more, for the other order.
    for body in 0..2 {
        let body = scene.bodies.get(body);
        scene.bodies.push(body).ok()?;
    }
    let pairs = vec![[0, 1], [3, 2]];
    scene.pairs = Some(pairs.clone());
    let duration = [1.0, 0.0, 0.125, 64.0][usize::from(how >> 1 & 3)];
    let motion = Motion::lasting(duration).to_within(if how & 8 > 0 { bytes.length() } else { 0.0 });
    let moves = Moves::of(&scene.bodies, pairs, motion);
    let rows = moves.cast();
    let told = |(place, text): &(usize, String)| format!("{:?} {motion:?}: {text}", moves.pairs[*place]);
    fail(&moves.hold(&rows).failures.iter().map(told).collect::<Vec<_>>(), &scene);
    Some(rows[0].status == CastStatus::Hit)
}
