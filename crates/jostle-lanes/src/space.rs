//! Two and three dimensions as a type parameter, so that one source serves both.

use core::fmt::Debug;
use core::ops::{Index, IndexMut};

use crate::aligned::Alignment;
use crate::angle::{short_sin_cos, sin_cos};
use crate::element::Element;
use crate::lanes::private::Sealed;
use crate::lanes::{Lanes, Scalar};
use crate::vector::{Rot, Rot2, Rot3, Vec2, Vec3, Vector};

/// The plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D2;

/// Space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3;

/// The number of dimensions, with the types that depend on it.
///
/// ```
/// # mod jostle { pub use jostle_lanes::*; pub mod lanes { pub use jostle_lanes::*; } }
/// use jostle::lanes::{Rot, Vector};
/// use jostle::{D2, D3, Space};
///
/// /// How far a body's frame is turned away from the world's: 0 if not at all.
/// fn turned<S: Space>(rotation: &[f64]) -> f64 {
///     let (rot, mut sum) = (S::rot(rotation), 0.0);
///     for k in 0..S::DIMENSION {
///         let axis = S::Vector::<f64>::unit(k);
///         sum += (rot.rotate(axis) - axis).length_squared();
///     }
///     sum
/// }
/// assert_eq!(turned::<D2>(&D2::identity_rotation()), 0.0);
/// assert_eq!(turned::<D3>(&[0.0, 0.0, 1.0, 0.0]), 8.0);
/// assert_eq!(D3::array(|k| 2 * k), [0, 2, 4]);
/// ```
pub trait Space: Sealed + Copy + Debug + Default + Send + Sync + 'static {
    /// 2 or 3.
    const DIMENSION: usize;
    /// How many numbers of the user describe a rotation: 1 (angle in radians) or 4 (unit quaternion x, y, z, w).
    const ROTATION_LEN: usize;
    /// `[T; DIMENSION]`: a point or vector in the user's form.
    type Array<T: Element>: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + 'static
        + AsRef<[T]>
        + AsMut<[T]>
        + Index<usize, Output = T>
        + IndexMut<usize>;
    /// `[T; ROTATION_LEN]`: a rotation in the user's form, an angle or a quaternion; in lanes it is a
    /// [`Rot`](Space::Rot).
    type Rotation<T: Element>: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + 'static
        + AsRef<[T]>
        + AsMut<[T]>
        + Index<usize, Output = T>
        + IndexMut<usize>;
    /// The alignment of answers that hold an array of `T`, two of `f64` and some 20 bytes more. In the plane those with
    /// `f32` take 64 bytes: one cache line if aligned, halves of two if an allocation begins in the middle of a line
    /// (alignment saves a fifth of the time of a disc's distance where bodies are far apart in memory, a tenth of a
    /// frame of discs). All others fill no line, and are not aligned.
    type RowAlignment<T: Scalar>: Alignment;
    /// A vector whose components are lanes.
    type Vector<L: Lanes>: Vector<L, Array<L::Scalar> = Self::Array<L::Scalar>>;
    /// A rotation whose entries are lanes, made from the user's numbers by [`Space::rot`].
    type Rot<L: Lanes>: Rot<L, Self::Vector<L>>;

    /// An array from its components.
    fn array<T: Element>(f: impl FnMut(usize) -> T) -> Self::Array<T>;
    /// The rotations given by the user's numbers, in `f64`, one or one per lane (quaternions need not be normalised,
    /// only finite and not zero; the same to the bit on every machine and at every width).
    fn rot<L: Lanes<Scalar = f64>>(rotation: &[L]) -> Self::Rot<L>;
    /// The same for entries that will be rounded to `T`: only as precise as that can show, which takes half as long in
    /// the plane.
    ///
    /// ```
    /// # use jostle_lanes as jostle;
    /// use jostle::{D2, Space};
    ///
    /// let (exact, short) = (D2::rot(&[0.75]), D2::rot_for::<f32, f64>(&[0.75]));
    /// assert!((exact.sin - short.sin).abs() < 2e-10 && exact.sin as f32 == short.sin as f32);
    /// assert_eq!(D2::rot_for::<f64, f64>(&[0.75]).sin, exact.sin);
    /// ```
    fn rot_for<T: Scalar, L: Lanes<Scalar = f64>>(rotation: &[L]) -> Self::Rot<L>;
    /// The identity rotation in the user's form.
    fn identity_rotation() -> Self::Rotation<f64>;
    /// A rotation, in the user's form, that turns y into a direction, of any length that is neither 0 nor, squared, out
    /// of range; in space the one by the smallest angle.
    ///
    /// ```
    /// use jostle_lanes::{D2, D3, Space};
    ///
    /// assert_eq!(D2::rotation_of_y([-2.0, 0.0]), [core::f64::consts::FRAC_PI_2]);
    /// assert_eq!(D3::rotation_of_y([0.0, -2.0, 0.0]), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    fn rotation_of_y(direction: Self::Array<f64>) -> Self::Rotation<f64>;
}

impl Sealed for D2 {}
impl Sealed for D3 {}

impl Space for D2 {
    const DIMENSION: usize = 2;
    const ROTATION_LEN: usize = 1;
    type Array<T: Element> = [T; 2];
    type Rotation<T: Element> = [T; 1];
    type RowAlignment<T: Scalar> = T::PlaneRowAlignment;
    type Vector<L: Lanes> = Vec2<L>;
    type Rot<L: Lanes> = Rot2<L>;

    #[inline(always)]
    fn array<T: Element>(mut f: impl FnMut(usize) -> T) -> [T; 2] {
        [f(0), f(1)]
    }
    #[inline(always)]
    fn rot<L: Lanes<Scalar = f64>>(rotation: &[L]) -> Rot2<L> {
        let (sin, cos) = sin_cos(rotation[0]);
        Rot2 { cos, sin }
    }
    #[inline(always)]
    fn rot_for<T: Scalar, L: Lanes<Scalar = f64>>(rotation: &[L]) -> Rot2<L> {
        if T::DOUBLE {
            return Self::rot(rotation);
        }
        let (sin, cos) = short_sin_cos(rotation[0]);
        Rot2 { cos, sin }
    }
    fn identity_rotation() -> [f64; 1] {
        [0.0]
    }
    fn rotation_of_y([x, y]: [f64; 2]) -> [f64; 1] {
        // Not -0.0: an upright body is not turned.
        [libm::atan2(-x, y) + 0.0]
    }
}

impl Space for D3 {
    const DIMENSION: usize = 3;
    const ROTATION_LEN: usize = 4;
    type Array<T: Element> = [T; 3];
    type Rotation<T: Element> = [T; 4];
    type RowAlignment<T: Scalar> = ();
    type Vector<L: Lanes> = Vec3<L>;
    type Rot<L: Lanes> = Rot3<L>;

    #[inline(always)]
    fn array<T: Element>(mut f: impl FnMut(usize) -> T) -> [T; 3] {
        [f(0), f(1), f(2)]
    }
    #[inline(always)]
    fn rot<L: Lanes<Scalar = f64>>(rotation: &[L]) -> Rot3<L> {
        Rot3::from_quaternion(rotation[0], rotation[1], rotation[2], rotation[3])
    }
    #[inline(always)]
    fn rot_for<T: Scalar, L: Lanes<Scalar = f64>>(rotation: &[L]) -> Rot3<L> {
        Self::rot(rotation)
    }
    fn identity_rotation() -> [f64; 4] {
        [0.0, 0.0, 0.0, 1.0]
    }
    fn rotation_of_y([x, y, z]: [f64; 3]) -> [f64; 4] {
        let aside = (x * x + z * z).sqrt();
        let length = (aside * aside + y * y).sqrt();
        // About the axis perpendicular to both, by half the angle between them. Of its sine and cosine the larger is
        // computed first: the other follows from it without a difference of nearly equal numbers.
        let larger = (0.5 * (1.0 + y.abs() / length)).sqrt();
        let smaller = 0.5 * aside / length / larger;
        let [sine, cosine] = if y < 0.0 { [larger, smaller] } else { [smaller, larger] };
        // Upside down, any axis will do.
        let [from_z, from_x] = if aside > 0.0 { [z / aside, -x / aside] } else { [1.0, 0.0] };
        [from_z * sine, 0.0, from_x * sine, cosine]
    }
}
