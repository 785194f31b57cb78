//! Two placed shapes from bytes, and everything that has to hold for the answers about them.
//!
//! The bytes are read so that coverage has something to find: numbers come small, whole, as powers of two, as `f32` bits,
//! and, most of all, as the number before, exactly or nearly. So coplanar, repeated and barely different features are one
//! byte away.

use jostle::{D2, D3, Precision, Proximity, Status};
use jostle_scene::{AnyScene, Scene, ShapeSpec, write_scene};

use crate::{Ground, Kind, allowed, cheap, full, scale, tolerance};

/// What an overlapping answer is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimum {
    /// Its own proof alone: fast.
    Own,
    /// An independent search for the least depth as well: slow.
    Independent,
}

/// Bytes being eaten; zeros when they are gone.
struct Bytes<'b> {
    left: &'b [u8],
    /// The number before.
    last: f64,
    /// What lengths are multiples of.
    unit: f64,
    /// Lengths that no promise covers: only panics, loops and NaN count.
    wild: bool,
}

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        first
    }
    fn array<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.byte())
    }
    fn signed(&mut self) -> f64 {
        f64::from(self.byte() as i8)
    }

    /// A number of any size that shapes may have.
    fn number(&mut self) -> f64 {
        let x = match self.byte() % 10 {
            0 => self.signed() / 8.0,
            1 => self.signed(),
            2 => libm::ldexp(1.0, i32::from(self.byte() as i8) % 8),
            3 => f64::from(f32::from_le_bytes(self.array())),
            4 => f64::from(i16::from_le_bytes(self.array())) / 1000.0,
            5 => {
                let by = self.signed();
                self.last * (1.0 + by * libm::ldexp(1.0, -i32::from(self.byte() % 60)))
            }
            6 => -self.last,
            7 => 0.0,
            8 if self.wild => f64::from_le_bytes(self.array()),
            _ => self.last,
        };
        let largest = if self.wild { 1e14 } else { 100.0 };
        let x = if x.is_finite() { x.clamp(-largest, largest) } else { 1.0 };
        // Ratios up to 1e4 are promised, and zero.
        let x = if self.wild || x.abs() >= 0.01 { x } else { 0.0 };
        self.last = x;
        x
    }
    fn coordinate(&mut self) -> f64 {
        self.number() * self.unit
    }
    fn length(&mut self) -> f64 {
        self.coordinate().abs()
    }

    fn turn<S: Ground>(&mut self, before: S::Turn<f64>) -> S::Turn<f64> {
        let mut turn = match self.byte() % 6 {
            0 => S::identity_turn(),
            1 => before,
            2 => {
                // By right angles, about an axis or a diagonal.
                const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;
                let palette = [[HALF, 0.0, 0.0, HALF], [0.0, HALF, 0.0, HALF], [0.0, 0.0, HALF, HALF], [0.5; 4]];
                let mut turn = S::identity_turn();
                let chosen = palette[usize::from(self.byte() % 4)];
                if S::TURN == 1 {
                    turn.as_mut()[0] = f64::from(self.byte() % 4) * core::f64::consts::FRAC_PI_2;
                } else {
                    turn.as_mut().copy_from_slice(&chosen);
                }
                turn
            }
            3 => {
                let mut turn = before;
                let place = usize::from(self.byte()) % S::TURN;
                turn.as_mut()[place] += self.signed() * libm::ldexp(1.0, -i32::from(self.byte() % 60));
                turn
            }
            _ => {
                let mut turn = S::identity_turn();
                for x in turn.as_mut() {
                    *x = self.signed() / 40.0;
                }
                turn
            }
        };
        if S::TURN == 4 {
            let norm = turn.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm < 1e-3 {
                return S::identity_turn();
            }
            for x in turn.as_mut() {
                *x /= norm;
            }
        }
        turn
    }

    fn shape<S: Ground>(&mut self) -> ShapeSpec<S> {
        let kind = S::KINDS[usize::from(self.byte()) % S::KINDS.len()];
        let rounding = |bytes: &mut Self| if bytes.byte().is_multiple_of(4) { bytes.length() } else { 0.0 };
        match kind {
            Kind::Point => ShapeSpec::Ball { radius: 0.0 },
            Kind::Ball => ShapeSpec::Ball { radius: self.length() },
            Kind::Segment => ShapeSpec::Capsule { half_length: self.length(), radius: 0.0 },
            Kind::Capsule => ShapeSpec::Capsule { half_length: self.length(), radius: self.length() },
            Kind::Box => ShapeSpec::Box { half_extents: S::array(|_| self.length()), rounding: rounding(self) },
            Kind::Cylinder => {
                ShapeSpec::Cylinder { half_height: self.length(), radius: self.length(), rounding: rounding(self) }
            }
            Kind::Cone => {
                ShapeSpec::Cone { half_height: self.length(), radius: self.length(), rounding: rounding(self) }
            }
            Kind::Hull => {
                let count = 1 + usize::from(self.byte() % 16);
                let points = (0..count).map(|_| S::array(|_| self.coordinate())).collect();
                ShapeSpec::Convex { points, rounding: rounding(self) }
            }
        }
    }

    fn scene<S: Ground>(&mut self) -> Option<Scene<S>> {
        let mut scene = Scene::new();
        let mut turn = S::identity_turn();
        for _ in 0..2 {
            let spec = self.shape();
            turn = self.turn::<S>(turn);
            let position = S::array(|_| self.coordinate());
            // Hulls beyond what shapes may be, in the wild.
            let shape = scene.add_shape(spec).ok()?;
            scene.bodies.push(jostle::Body::new(shape, position).with_turn(turn)).ok()?;
        }
        scene.pairs = Some(vec![[0, 1]]);
        Some(scene)
    }
}

/// Bytes as two placed shapes: the answers in both precisions and both orders are finite, hold together and carry their
/// proof.
///
/// # Panics
/// If something is wrong, with the scene that shows it (`soak --replay`).
pub fn pair(bytes: &[u8], minimum: Minimum) {
    let mut bytes = Bytes { left: bytes, last: 1.0, unit: 1.0, wild: false };
    let head = bytes.byte();
    bytes.wild = head % 8 == 7;
    // From a micrometre to a thousand kilometres.
    bytes.unit = libm::ldexp(1.0, i32::from(bytes.byte() as i8) % 14);
    if head & 128 == 0 {
        bytes.scene::<D3>().inspect(|scene| hold(scene, bytes.wild, minimum));
    } else {
        bytes.scene::<D2>().inspect(|scene| hold(scene, bytes.wild, minimum));
    }
}

fn hold<S: Ground>(scene: &Scene<S>, wild: bool, minimum: Minimum) {
    let mut wrong = Vec::new();
    let mut bounds: Vec<(f64, f64, f64)> = Vec::new();
    for pair in [[0, 1], [1, 0]] {
        bounds.push(hold_in::<S, f32>(scene, pair, wild, minimum, &mut wrong));
        bounds.push(hold_in::<S, f64>(scene, pair, wild, minimum, &mut wrong));
    }
    // All four speak of one distance.
    for (lower, _, noise) in &bounds {
        for (_, upper, more) in &bounds {
            if !wild && lower - noise > upper + more {
                wrong.push(format!("at least {lower} and at most {upper} (allowed {noise:e}, {more:e})"));
            }
        }
    }
    if !wrong.is_empty() {
        let mut text = Vec::new();
        write_scene(&AnyScene::from(scene.clone()), &mut text).expect("memory takes it all");
        panic!("{}\n{}", wrong.join("\n"), String::from_utf8_lossy(&text));
    }
}

/// Asks one way, and gives the bounds and what `f64` itself loses.
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
