//! Reads bytes as numbers, shapes and rotations in a way that suits a coverage-guided fuzzer: numbers are small, whole,
//! powers of two, `f32` bits, or, most of all, the previous number, exactly or nearly. So coplanar, repeated and barely
//! different features are one byte away.

use jostle::Body;
use jostle_scene::{Scene, ShapeSpec};

use crate::{Ground, Kind};

/// Bytes that are read one after the other; zeros after the last.
pub(super) struct Bytes<'b> {
    left: &'b [u8],
    /// The previous number.
    last: f64,
    /// Lengths are multiples of this.
    unit: f64,
    /// Whether lengths may be such as the library gives no guarantee for: then only panics, endless loops and NaN
    /// count.
    pub wild: bool,
}

impl<'b> Bytes<'b> {
    /// Lengths are multiples of a metre at first.
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { left: bytes, last: 1.0, unit: 1.0, wild: false }
    }
    /// Lengths are multiples of a power of two that the next byte chooses, from 2^-13 to 2^13 metres.
    pub(super) fn choose_unit(&mut self) {
        self.unit = libm::ldexp(1.0, i32::from(self.byte() as i8) % 14);
    }
    pub(super) fn byte(&mut self) -> u8 {
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
        // Guarantees hold for ratios up to 1e4, and for zero.
        let x = if self.wild || x.abs() >= 0.01 { x } else { 0.0 };
        self.last = x;
        x
    }
    pub(super) fn coordinate(&mut self) -> f64 {
        self.number() * self.unit
    }
    pub(super) fn length(&mut self) -> f64 {
        self.coordinate().abs()
    }

    pub(super) fn rotation<S: Ground>(&mut self, before: S::Rotation<f64>) -> S::Rotation<f64> {
        let mut rotation = match self.byte() % 6 {
            0 => S::identity_rotation(),
            1 => before,
            2 => {
                // By a right angle about an axis, or by a third of a turn about a diagonal.
                const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;
                let palette = [[HALF, 0.0, 0.0, HALF], [0.0, HALF, 0.0, HALF], [0.0, 0.0, HALF, HALF], [0.5; 4]];
                let mut rotation = S::identity_rotation();
                let chosen = palette[usize::from(self.byte() % 4)];
                if S::ROTATION_LEN == 1 {
                    rotation.as_mut()[0] = f64::from(self.byte() % 4) * core::f64::consts::FRAC_PI_2;
                } else {
                    rotation.as_mut().copy_from_slice(&chosen);
                }
                rotation
            }
            3 => {
                let mut rotation = before;
                let place = usize::from(self.byte()) % S::ROTATION_LEN;
                rotation.as_mut()[place] += self.signed() * libm::ldexp(1.0, -i32::from(self.byte() % 60));
                rotation
            }
            _ => {
                let mut rotation = S::identity_rotation();
                for x in rotation.as_mut() {
                    *x = self.signed() / 40.0;
                }
                rotation
            }
        };
        if S::ROTATION_LEN == 4 {
            let norm = rotation.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm < 1e-3 {
                return S::identity_rotation();
            }
            for x in rotation.as_mut() {
                *x /= norm;
            }
        }
        rotation
    }

    pub(super) fn shape<S: Ground>(&mut self) -> ShapeSpec<S> {
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

    /// A body with a shape of its own, a position and a rotation; `None` if the shape is refused, which only wild
    /// numbers can cause.
    pub(super) fn body<S: Ground>(&mut self, scene: &mut Scene<S>, rotation: &mut S::Rotation<f64>) -> Option<Body<S>> {
        let spec = self.shape();
        *rotation = self.rotation::<S>(*rotation);
        let position = S::array(|_| self.coordinate());
        Some(Body::new(scene.add_shape(spec).ok()?, position).with_rotation(*rotation))
    }
}
