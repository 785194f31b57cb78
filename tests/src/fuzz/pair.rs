//! Two placed shapes from bytes, and everything that must hold for their distances.

use jostle::{D2, D3, Precision, Proximity, Status};
use jostle_scene::Scene;

use super::bytes::Bytes;
use super::fail;
use crate::{Ground, allowed, cheap, full, scale, tolerance};

/// What an overlapping answer is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimum {
    /// Its own proof only: fast.
    Own,
    /// An independent search for the least depth as well: slow.
    Independent,
}

/// Takes bytes as two placed shapes: the answers in both precisions and both orders are finite, consistent and carry
/// their proof.
///
/// # Panics
/// If something is wrong, with the scene that shows it (`soak --replay`).
pub fn pair(bytes: &[u8], minimum: Minimum) {
    let mut bytes = Bytes::new(bytes);
    let head = bytes.byte();
    bytes.wild = head % 8 == 7;
    bytes.choose_unit();
    if head & 128 == 0 {
        two::<D3>(&mut bytes).inspect(|scene| hold(scene, bytes.wild, minimum));
    } else {
        two::<D2>(&mut bytes).inspect(|scene| hold(scene, bytes.wild, minimum));
    }
}

/// A scene of two bodies.
fn two<S: Ground>(bytes: &mut Bytes<'_>) -> Option<Scene<S>> {
    let (mut scene, mut rotation) = (Scene::new(), S::identity_rotation());
    for _ in 0..2 {
        let body = bytes.body(&mut scene, &mut rotation)?;
        scene.bodies.push(body).ok()?;
    }
    scene.pairs = Some(vec![[0, 1]]);
    Some(scene)
}

fn hold<S: Ground>(scene: &Scene<S>, wild: bool, minimum: Minimum) {
    let mut wrong = Vec::new();
    let mut bounds: Vec<(f64, f64, f64)> = Vec::new();
    for pair in [[0, 1], [1, 0]] {
        bounds.push(hold_in::<S, f32>(scene, pair, wild, minimum, &mut wrong));
        bounds.push(hold_in::<S, f64>(scene, pair, wild, minimum, &mut wrong));
    }
    // All four are about the same distance.
    for (lower, _, noise) in &bounds {
        for (_, upper, more) in &bounds {
            if !wild && lower - noise > upper + more {
                wrong.push(format!("at least {lower} and at most {upper} (allowed {noise:e}, {more:e})"));
            }
        }
    }
    fail(&wrong, scene);
}

/// Checks one answer, and returns its bounds and the rounding of `f64`.
fn hold_in<S: Ground, T: Precision>(
    scene: &Scene<S>,
    pair: [u32; 2],
    wild: bool,
    minimum: Minimum,
    wrong: &mut Vec<String>,
) -> (f64, f64, f64) {
    let columns = scene.bodies.columns();
    let rows: Vec<Proximity<S, T>> = jostle::distance(&columns, &[pair]).expect("both bodies exist");
    let row = &rows[0];
    let mut say = |text: String| wrong.push(format!("{pair:?} f{}: {text}\n    {row:?}", 8 * size_of::<T>()));
    let numbers = [row.distance, row.lower, row.upper].map(|x| x.to_f64());
    let [distance, lower, upper] = numbers;
    let normal = row.normal.as_ref().iter().map(|x| x.to_f64());
    let points = row.witness_a.as_ref().iter().chain(row.witness_b.as_ref()).copied();
    let nan = numbers.into_iter().chain(normal).chain(points).any(f64::is_nan);
    if nan && (!wild || row.status != Status::Unconverged) {
        say("not a number".to_owned());
    }
    let noise = 1e-13 * scale(&columns, row);
    if wild || nan {
        return (lower, upper, noise);
    }
    if !(lower <= distance && distance <= upper) {
        say("the distance is not between its bounds".to_owned());
    }
    if row.status == Status::Unconverged {
        say("unconverged".to_owned());
    }
    let tolerance = tolerance(row);
    let held = match minimum {
        Minimum::Own => cheap(&columns, row, &tolerance).map(drop),
        Minimum::Independent => full(&columns, row, &tolerance).map(drop),
    };
    if let Err(failures) = held {
        for failure in failures {
            say(format!("{failure} (tolerance {:e})", allowed(&columns, row)));
        }
    }
    (lower, upper, noise)
}
