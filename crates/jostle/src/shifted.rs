//! Pairs that involve an image of their second body: how they are named, and their rows.

use jostle_narrowphase::{Dimension, Precision, Proximity};

use crate::lattice::Lattice;

/// A near pair of a scene that repeats: body `a`, and an image of body `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shifted<S: Dimension, T: Precision> {
    /// The row of the pair. `witness_b` lies on the image.
    pub row: Proximity<S, T>,
    /// The image: the multiple of each lattice vector by which it is away from `b` itself.
    pub image: [i32; 3],
    /// The same offset in metres: the image is at `b`'s position plus this.
    pub shift: S::Array<f64>,
}

impl<S: Dimension, T: Precision> Shifted<S, T> {
    /// Adds the image's offset in metres, which is exactly zero for the body itself.
    #[inline]
    pub(crate) fn new(row: Proximity<S, T>, image: [i32; 3], lattice: &Lattice<S>) -> Self {
        Self { row, image, shift: if image == [0; 3] { S::array(|_| 0.0) } else { lattice.shift(image) } }
    }
}

/// A pair of bodies and the image of the second that is meant: the multiple of each lattice vector by which it is away
/// from the body itself (`[0; 3]`: the body itself). See [`image_distance`](crate::image_distance()).
pub type PairImage = ([u32; 2], [i32; 3]);
