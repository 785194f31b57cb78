//! How space repeats: along some axes, by lattice vectors, which particle codes call the cell.

mod listing;
mod place;
mod short;
mod whole;

use jostle_shape::{MAX_LENGTH, Space};

pub(crate) use listing::Inner;
pub use place::MOST_CELLS;
use short::Short;

/// Why a lattice cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// A number is NaN, infinite, beyond 1e15, or a length is negative.
    #[error("vector {vector} of the lattice has {value} on axis {axis}, which is not a length from 0 to 1e15")]
    Number {
        /// The index of the vector.
        vector: usize,
        /// The axis.
        axis: usize,
        /// The vector's coordinate on that axis.
        value: f64,
    },
    /// There is not one vector for each axis.
    #[error("{0} vectors: a lattice has one for each axis")]
    Count(usize),
    /// A vector leans towards a later axis, or leans and has no length along its own.
    #[error(
        "vector {vector} of the lattice has {value} on axis {axis}: a vector may lean towards the axes before its own \
         if it has a length along its own, never towards those behind"
    )]
    Leaning {
        /// The index of the vector.
        vector: usize,
        /// The axis.
        axis: usize,
        /// The vector's coordinate on that axis.
        value: f64,
    },
    /// A point or an offset is not in any cell that could be counted.
    #[error("{value} on axis {axis} is no finite number, or too many cells away to be counted")]
    Far {
        /// The axis.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
}

/// Space that repeats: the same bodies again, shifted by every sum of whole multiples of the lattice's vectors.
///
/// Vectors are as particle codes have them (lower triangular): the first is along x, the second may lean towards x, the
/// third towards x and y. A vector of zeros stands for an axis along which nothing repeats. Metres.
///
/// ```
/// use jostle::{D2, D3, Lattice};
///
/// let channel = Lattice::<D2>::orthogonal([12.0, 0.0])?; // people who leave on the right enter on the left
/// let crystal = Lattice::<D3>::triclinic(&[[4.0, 0.0, 0.0], [1.5, 4.0, 0.0], [0.5, -1.0, 5.0]])?;
/// assert_eq!(channel.shift([-2, 0, 0]), [-24.0, 0.0]);
/// assert_eq!(crystal.shift([1, 2, 0]), [7.0, 8.0, 0.0]);
/// assert!(Lattice::<D2>::orthogonal([12.0, -1.0]).is_err());
/// # Ok::<(), jostle::LatticeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lattice<S: Space> {
    /// One vector for each axis; zeros where nothing repeats along it.
    vectors: [S::Array<f64>; 3],
    /// Whether a body's own images count.
    self_images: bool,
    /// Whether any vector leans, and the short vectors that make the same lattice.
    leans: bool,
    short: Short<S>,
}

impl<S: Space> PartialEq for Lattice<S> {
    fn eq(&self, other: &Self) -> bool {
        self.vectors == other.vectors && self.self_images == other.self_images
    }
}

/// Nothing repeats.
impl<S: Space> Default for Lattice<S> {
    fn default() -> Self {
        Self::of(core::array::from_fn(|_| S::array(|_| 0.0)))
    }
}

impl<S: Space> Lattice<S> {
    /// Makes a lattice of upright vectors: the cell is `[0, L)` on each axis, `L` metres; 0 where nothing repeats.
    ///
    /// # Errors
    /// If a length is negative, NaN, infinite or beyond 1e15.
    pub fn orthogonal(lengths: S::Array<f64>) -> Result<Self, LatticeError> {
        let vector = |axis: usize| S::array(|k| if k == axis { lengths[k] } else { 0.0 });
        Self::triclinic(&[vector(0), vector(1), vector(2)][..S::DIMENSION])
    }

    /// Makes a lattice from vectors (metres) that may lean.
    ///
    /// # Errors
    /// If there are not as many vectors as dimensions, a number is NaN, infinite or beyond 1e15, or vector `i` has a
    /// negative `i`-th coordinate, one other than 0 behind it, or 0 there and others before it.
    pub fn triclinic(vectors: &[S::Array<f64>]) -> Result<Self, LatticeError> {
        if vectors.len() != S::DIMENSION {
            return Err(LatticeError::Count(vectors.len()));
        }
        for (vector, of) in vectors.iter().enumerate() {
            for axis in 0..S::DIMENSION {
                let value = of[axis];
                // Written so that NaN is refused.
                if !(value.abs() <= MAX_LENGTH && (axis != vector || value >= 0.0)) {
                    return Err(LatticeError::Number { vector, axis, value });
                }
                if value != 0.0 && (axis > vector || of[vector] == 0.0) {
                    return Err(LatticeError::Leaning { vector, axis, value });
                }
            }
        }
        let vectors = [0, 1, 2].map(|k| vectors.get(k).copied().unwrap_or_else(|| S::array(|_| 0.0)));
        Ok(Self::of(vectors))
    }

    fn of(vectors: [S::Array<f64>; 3]) -> Self {
        let leans = (0..S::DIMENSION).any(|m| (0..m).any(|axis| vectors[m][axis] != 0.0));
        Self { vectors, self_images: false, leans, short: Short::of(&vectors) }
    }

    /// Makes a body's own images count as near it, too: rows with `a = b`, each pair of opposite images once.
    pub fn with_self_images(self) -> Self {
        Self { self_images: true, ..self }
    }

    /// Whether a body's own images count.
    pub fn has_self_images(&self) -> bool {
        self.self_images
    }

    /// Whether anything repeats at all.
    pub fn repeats(&self) -> bool {
        (0..S::DIMENSION).any(|axis| self.length(axis) > 0.0)
    }

    /// The vectors, one for each axis, zeros where nothing repeats, metres: [`Lattice::triclinic`] makes the same
    /// lattice from them (except for [self-images](Lattice::with_self_images)).
    ///
    /// ```
    /// use jostle::{D2, Lattice};
    ///
    /// let leaning = Lattice::<D2>::triclinic(&[[4.0, 0.0], [1.5, 3.0]])?;
    /// assert_eq!(leaning.vectors(), [[4.0, 0.0], [1.5, 3.0]]);
    /// let wider: Vec<_> = leaning.vectors().iter().map(|vector| vector.map(|x| 1.25 * x)).collect();
    /// assert_eq!(Lattice::<D2>::triclinic(&wider)?.shift([1, 1, 0]), [6.875, 3.75]);
    /// # Ok::<(), jostle::LatticeError>(())
    /// ```
    pub fn vectors(&self) -> &[S::Array<f64>] {
        &self.vectors[..S::DIMENSION]
    }

    /// The offset of an image from its body, metres: the sum of these multiples of the vectors. (The third number does
    /// not matter in the plane.)
    pub fn shift(&self, image: [i32; 3]) -> S::Array<f64> {
        S::array(|k| (k..S::DIMENSION).map(|m| f64::from(image[m]) * self.vectors[m][k]).sum())
    }

    /// The length along its own axis of the vector of that axis: 0 if nothing repeats along it.
    pub(crate) fn length(&self, axis: usize) -> f64 {
        self.vectors[axis][axis]
    }
}
