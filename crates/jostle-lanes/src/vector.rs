//! Vectors and rotations whose components are lanes: `Vec3<F32x16>` is 16 vectors, one per lane.
//!
//! The formulas are spelled out, sums from left to right, so that every width rounds alike. Components are separate
//! (`x`, `y`, `z`), so a vector takes as many registers, and no instruction ever mixes lanes.
//!
//! Closures carry `#[inline(always)]` where they are passed: see `dispatch` for what happens without it.

use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

use crate::element::Element;
use crate::lanes::Lanes;

/// A vector of 2 or 3 lane components.
///
/// ```
/// use jostle_lanes::{Lanes, Vec3, Vector};
///
/// /// Written once for 2D and 3D, for any number of lanes.
/// fn midpoint<L: Lanes, V: Vector<L>>(a: V, b: V) -> V {
///     (a + b) * L::constant(0.5)
/// }
///
/// let (a, b) = (Vec3 { x: 0.0, y: 2.0, z: 4.0 }, Vec3::<f64>::unit(0));
/// let m = midpoint(a, b);
/// assert_eq!(m, Vec3 { x: 0.5, y: 1.0, z: 2.0 });
/// assert_eq!((m.sum(), m.max_component(), m.length_squared()), (3.5, 2.0, 5.25));
/// assert_eq!(m.zip(b, Lanes::max), Vec3 { x: 1.0, y: 1.0, z: 2.0 });
/// ```
pub trait Vector<L: Lanes>:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<L, Output = Self>
{
    /// `[Scalar; DIMENSION]`: one lane of this vector.
    type Array<T: Element>;
    /// 2 or 3.
    const DIMENSION: usize;

    /// From a function of the component's index.
    fn from_fn(f: impl FnMut(usize) -> L) -> Self;
    /// Component `index`: 0 is x, 1 is y, 2 is z.
    fn get(self, index: usize) -> L;
    /// The scalar product.
    fn dot(self, other: Self) -> L;
    /// Each component through a function.
    #[inline(always)]
    fn map(self, mut f: impl FnMut(L) -> L) -> Self {
        Self::from_fn(
            #[inline(always)]
            |i| f(self.get(i)),
        )
    }
    /// Each component with the other's through a function.
    #[inline(always)]
    fn zip(self, other: Self, mut f: impl FnMut(L, L) -> L) -> Self {
        Self::from_fn(
            #[inline(always)]
            |i| f(self.get(i), other.get(i)),
        )
    }
    /// The zero vector.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_fn(
            #[inline(always)]
            |_| L::zero(),
        )
    }
    /// The unit vector along axis `index`.
    #[inline(always)]
    fn unit(index: usize) -> Self {
        Self::from_fn(
            #[inline(always)]
            |i| if i == index { L::one() } else { L::zero() },
        )
    }
    /// The squared Euclidean length.
    #[inline(always)]
    fn length_squared(self) -> L {
        self.dot(self)
    }
    /// `a` where `mask` is true, else `b`.
    fn select(mask: L::Mask, a: Self, b: Self) -> Self;
    /// Every component's absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(
            #[inline(always)]
            |x| x.abs(),
        )
    }
    /// The largest component.
    #[inline(always)]
    fn max_component(self) -> L {
        let mut largest = self.get(0);
        for i in 1..Self::DIMENSION {
            largest = largest.max(self.get(i));
        }
        largest
    }
    /// The sum of the components.
    #[inline(always)]
    fn sum(self) -> L {
        let mut sum = self.get(0);
        for i in 1..Self::DIMENSION {
            sum = sum + self.get(i);
        }
        sum
    }
}

/// A vector of the plane.
///
/// ```
/// use jostle_lanes::Vec2;
///
/// let (a, b) = (Vec2 { x: 2.0, y: 0.0 }, Vec2 { x: 1.0, y: 3.0 });
/// assert_eq!(a.cross(b), 6.0);
/// assert_eq!(a.perpendicular(), Vec2 { x: -0.0, y: 2.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec2<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
}

/// A vector of space.
///
/// ```
/// use jostle_lanes::{Vec3, Vector};
///
/// let [x, y, z] = [0, 1, 2].map(Vec3::<f32>::unit);
/// assert_eq!(x.cross(y), z);
/// assert_eq!(x.dot(y), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
    /// Third component.
    pub z: L,
}

/// Operators, by the formulas that lanes have for vectors of this type.
macro_rules! vector_operators {
    ($v:ident, $add:ident, $sub:ident, $neg:ident, $times:ident) => {
        impl<L: Lanes> Add for $v<L> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                L::$add(self, other)
            }
        }
        impl<L: Lanes> Sub for $v<L> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                L::$sub(self, other)
            }
        }
        impl<L: Lanes> Neg for $v<L> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                L::$neg(self)
            }
        }
        impl<L: Lanes> Mul<L> for $v<L> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, factor: L) -> Self {
                L::$times(self, factor)
            }
        }
    };
}

vector_operators!(Vec2, add2, sub2, neg2, times2);
vector_operators!(Vec3, add3, sub3, neg3, times3);

impl<L: Lanes> Vector<L> for Vec2<L> {
    type Array<T: Element> = [T; 2];
    const DIMENSION: usize = 2;
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> L) -> Self {
        Self { x: f(0), y: f(1) }
    }
    #[inline(always)]
    fn get(self, index: usize) -> L {
        if index == 0 { self.x } else { self.y }
    }
    #[inline(always)]
    fn dot(self, other: Self) -> L {
        L::dot2(self, other)
    }
    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        L::select2(mask, a, b)
    }
}

impl<L: Lanes> Vec2<L> {
    /// Twice the signed area of the triangle that the two vectors span.
    #[inline(always)]
    pub fn cross(self, other: Self) -> L {
        L::cross2(self, other)
    }
    /// The vector turned by a quarter, counter-clockwise.
    #[inline(always)]
    pub fn perpendicular(self) -> Self {
        Self { x: -self.y, y: self.x }
    }
}

impl<L: Lanes> Vector<L> for Vec3<L> {
    type Array<T: Element> = [T; 3];
    const DIMENSION: usize = 3;
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> L) -> Self {
        Self { x: f(0), y: f(1), z: f(2) }
    }
    #[inline(always)]
    fn get(self, index: usize) -> L {
        match index {
            0 => self.x,
            1 => self.y,
            _ => self.z,
        }
    }
    #[inline(always)]
    fn dot(self, other: Self) -> L {
        L::dot3(self, other)
    }
    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        L::select3(mask, a, b)
    }
}

impl<L: Lanes> Vec3<L> {
    /// The vector product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        L::cross3(self, other)
    }
}

/// A rotation of lane entries: orthonormal up to rounding.
///
/// ```
/// use jostle_lanes::{D3, Rot, Space, Vec3};
///
/// // Half a turn about z, as users say it: a quaternion.
/// let half = D3::rot(&[0.0, 0.0, 1.0, 0.0]);
/// let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 };
/// assert_eq!(half.rotate(v), Vec3 { x: -1.0, y: -2.0, z: 3.0 });
/// assert_eq!(half.unrotate(half.rotate(v)), v);
/// assert_eq!(half.inverse_times(half).rotate(v), v);
/// assert_eq!(half.column(2), Vec3 { x: 0.0, y: 0.0, z: 1.0 });
/// ```
pub trait Rot<L: Lanes, V: Vector<L>>: Copy + Debug + Send + Sync + 'static {
    /// How many numbers describe it in memory.
    const ENTRIES: usize;
    /// No rotation.
    fn identity() -> Self;
    /// From its entries in memory order (see [`Rot::entry`]).
    fn from_entries(f: impl FnMut(usize) -> L) -> Self;
    /// Entry `index` in memory order: 2D cos, sin; 3D the matrix column by column.
    fn entry(self, index: usize) -> L;
    /// From the body's frame to the world's.
    fn rotate(self, v: V) -> V;
    /// From the world's frame to the body's.
    fn unrotate(self, v: V) -> V;
    /// `other` as seen from `self`: `self^-1 * other`.
    fn inverse_times(self, other: Self) -> Self;
    /// Column `index` of the matrix: where the body's axis `index` points.
    fn column(self, index: usize) -> V;
}

/// A rotation of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rot2<L> {
    /// Cosine of the angle.
    pub cos: L,
    /// Sine of the angle.
    pub sin: L,
}

/// A rotation of space as a matrix of three columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rot3<L> {
    /// Where the body's axes point.
    pub columns: [Vec3<L>; 3],
}

impl<L: Lanes> Rot<L, Vec2<L>> for Rot2<L> {
    const ENTRIES: usize = 2;
    #[inline(always)]
    fn identity() -> Self {
        Self { cos: L::one(), sin: L::zero() }
    }
    #[inline(always)]
    fn from_entries(mut f: impl FnMut(usize) -> L) -> Self {
        Self { cos: f(0), sin: f(1) }
    }
    #[inline(always)]
    fn entry(self, index: usize) -> L {
        if index == 0 { self.cos } else { self.sin }
    }
    #[inline(always)]
    fn rotate(self, v: Vec2<L>) -> Vec2<L> {
        Vec2 { x: self.cos * v.x - self.sin * v.y, y: self.sin * v.x + self.cos * v.y }
    }
    #[inline(always)]
    fn unrotate(self, v: Vec2<L>) -> Vec2<L> {
        Vec2 { x: self.cos * v.x + self.sin * v.y, y: self.cos * v.y - self.sin * v.x }
    }
    #[inline(always)]
    fn inverse_times(self, other: Self) -> Self {
        Self { cos: self.cos * other.cos + self.sin * other.sin, sin: self.cos * other.sin - self.sin * other.cos }
    }
    #[inline(always)]
    fn column(self, index: usize) -> Vec2<L> {
        if index == 0 { Vec2 { x: self.cos, y: self.sin } } else { Vec2 { x: -self.sin, y: self.cos } }
    }
}

impl<L: Lanes> Rot3<L> {
    /// The matrix of a quaternion, whatever its norm (a division by the squared norm takes the place of a
    /// normalisation).
    #[inline(always)]
    pub fn from_quaternion(x: L, y: L, z: L, w: L) -> Self {
        let one = L::one();
        let s = L::constant(2.0) / (x * x + y * y + z * z + w * w);
        let (sx, sy, sz) = (x * s, y * s, z * s);
        let (xx, xy, xz, xw) = (x * sx, x * sy, x * sz, w * sx);
        let (yy, yz, yw) = (y * sy, y * sz, w * sy);
        let (zz, zw) = (z * sz, w * sz);
        Self {
            columns: [
                Vec3 { x: one - (yy + zz), y: xy + zw, z: xz - yw },
                Vec3 { x: xy - zw, y: one - (xx + zz), z: yz + xw },
                Vec3 { x: xz + yw, y: yz - xw, z: one - (xx + yy) },
            ],
        }
    }
}

impl<L: Lanes> Rot<L, Vec3<L>> for Rot3<L> {
    const ENTRIES: usize = 9;
    #[inline(always)]
    fn identity() -> Self {
        Self { columns: [Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)] }
    }
    #[inline(always)]
    fn from_entries(mut f: impl FnMut(usize) -> L) -> Self {
        Self {
            columns: [
                Vec3 { x: f(0), y: f(1), z: f(2) },
                Vec3 { x: f(3), y: f(4), z: f(5) },
                Vec3 { x: f(6), y: f(7), z: f(8) },
            ],
        }
    }
    #[inline(always)]
    fn entry(self, index: usize) -> L {
        self.columns[index / 3].get(index % 3)
    }
    #[inline(always)]
    fn rotate(self, v: Vec3<L>) -> Vec3<L> {
        let [a, b, c] = self.columns;
        Vec3 {
            x: a.x * v.x + b.x * v.y + c.x * v.z,
            y: a.y * v.x + b.y * v.y + c.y * v.z,
            z: a.z * v.x + b.z * v.y + c.z * v.z,
        }
    }
    #[inline(always)]
    fn unrotate(self, v: Vec3<L>) -> Vec3<L> {
        let [a, b, c] = self.columns;
        Vec3 { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
    }
    #[inline(always)]
    fn inverse_times(self, other: Self) -> Self {
        let [a, b, c] = other.columns;
        Self { columns: [self.unrotate(a), self.unrotate(b), self.unrotate(c)] }
    }
    #[inline(always)]
    fn column(self, index: usize) -> Vec3<L> {
        self.columns[index]
    }
}
