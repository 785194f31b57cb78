//! A pair with an image of its second body: asked about, and answered.

use jostle_narrowphase::{Dimension, Precision, Proximity};

use crate::lattice::Lattice;

/// A near pair of a scene that repeats: `a`, and this image of `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shifted<S: Dimension, T: Precision> {
    /// The answer. `witness_b` is on the image.
    pub row: Proximity<S, T>,
    /// How many of each of the lattice's vectors the image is away from `b` itself.
    pub image: [i32; 3],
    /// How far that is, metres: the image is at `b`'s position plus this.
    pub shift: S::Array<f64>,
}

impl<S: Dimension, T: Precision> Shifted<S, T> {
    /// With its image in metres.
    #[inline]
    pub(crate) fn new(row: Proximity<S, T>, image: [i32; 3], lattice: &Lattice<S>) -> Self {
        Self { row, image, shift: if image == [0; 3] { S::array(|_| 0.0) } else { lattice.shift(image) } }
    }
}

/// A pair of bodies, and which image of the second is meant: how many of each of the lattice's vectors it is away from
/// the body itself (`[0; 3]`: none). See [`image_distance`](crate::image_distance()).
pub type PairImage = ([u32; 2], [i32; 3]);
