//! Random numbers that are the same on every machine and stay the same.
//!
//! The bits come from a published algorithm (`ChaCha8`); whatever turns bits into numbers stands here, because
//! crates are free to change how they sample. Only `libm` for logarithms, sines and roots: those of std differ between
//! platforms.

use jostle::Space;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers.
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed; different for each `label`.
    pub(super) fn new(seed: u64, label: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (to, from) in key[8..].iter_mut().zip(label.bytes()) {
            *to = from;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * STEP
    }

    /// Uniform in `[low, high)`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among `0..count`, which must not be empty.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Normally distributed, mean 0 and deviation 1.
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(self.angle())
    }

    /// Uniform in `[0, 2 pi)`.
    pub(super) fn angle(&mut self) -> f64 {
        core::f64::consts::TAU * self.unit()
    }

    /// A point in a box that starts at the origin.
    pub(super) fn point<S: Space>(&mut self, sides: S::Array<f64>) -> S::Array<f64> {
        S::array(|k| self.between(0.0, sides[k]))
    }

    /// A vector whose components are normally distributed with this deviation.
    pub(super) fn gaussian<S: Space>(&mut self, deviation: f64) -> S::Array<f64> {
        S::array(|_| deviation * self.normal())
    }

    /// A point on the unit sphere or circle.
    pub(super) fn direction<S: Space>(&mut self) -> S::Array<f64> {
        let (sin, cos) = libm::sincos(self.angle());
        if S::DIMENSION == 2 {
            return S::array(|k| if k == 0 { cos } else { sin });
        }
        let z = self.between(-1.0, 1.0);
        let ring = (1.0 - z * z).max(0.0).sqrt();
        S::array(|k| [ring * cos, ring * sin, z][k])
    }

    /// A rotation, all being equally likely.
    pub(super) fn rotation<S: Space>(&mut self) -> S::Rotation<f64> {
        let mut rotation = S::identity_rotation();
        if let [angle] = rotation.as_mut() {
            *angle = fine(self.between(-core::f64::consts::PI, core::f64::consts::PI));
            return rotation;
        }
        // Shoemake's subgroup algorithm.
        let split = self.unit();
        let (low, high) = ((1.0 - split).sqrt(), split.sqrt());
        let (first_sin, first_cos) = libm::sincos(self.angle());
        let (second_sin, second_cos) = libm::sincos(self.angle());
        let quaternion = [low * first_sin, low * first_cos, high * second_sin, high * second_cos];
        for (to, from) in rotation.as_mut().iter_mut().zip(quaternion) {
            *to = fine(from);
        }
        rotation
    }
}

/// To the micrometre: shorter files, and numbers that people can read.
pub(super) fn micro(length: f64) -> f64 {
    let units = length * 1e6;
    // Beyond 2^53 units there is nothing to round away.
    if units.abs() < 9e15 { units.round() / 1e6 + 0.0 } else { length }
}

/// To nine decimals: for the numbers of rotations.
pub(super) fn fine(number: f64) -> f64 {
    (number * 1e9).round() / 1e9 + 0.0
}
