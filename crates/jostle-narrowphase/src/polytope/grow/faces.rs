//! Faces, and what differs between those of the plane, which are edges, and those of space, which are triangles.

use jostle_lanes::{Lanes, Scalar, Space, Vector};

use super::edges::{self, Edges, FaceCorners};

/// Vertices have places for as many as a byte can name, so that no place is beyond them.
pub const NAMES: usize = 256;

/// A space in which polytopes grow.
pub trait GrowSpace: Space {
    /// The faces of a simplex whose last corner is behind the first face, and those of one where it is in front.
    const SIMPLEX: [&'static [FaceCorners]; 2];
    /// The same as words.
    const FACES: [[u32; 4]; 2] = [edges::faces(Self::SIMPLEX[0]), edges::faces(Self::SIMPLEX[1])];
    /// Across a face, outward and of any length.
    fn across<L: Lanes>(corners: [Self::Vector<L>; 3]) -> Self::Vector<L>;
    /// Across some points, at least two and as many as there are dimensions, of any length: zero where they make no
    /// face.
    fn beside<T: Scalar>(points: [Self::Vector<T>; 3], count: usize) -> Self::Vector<T>;
    /// How much of each of its corners the point of a face has that is nearest to the origin, seen along its normal; of
    /// any sum.
    fn weights<L: Lanes>(normal: Self::Vector<L>, corners: [Self::Vector<L>; 3]) -> [L; 3];
    /// The first of two steps: collects the edges of the faces that are taken away, if the second needs them.
    fn pass(edges: &mut Edges);
    /// The second step: lists what is around the hole that taking faces away leaves, from which new faces will rise up
    /// to the point numbered `apex`. False if there is nothing around it.
    fn list_rim<L: Lanes>(edges: &mut Edges, apex: u8) -> bool;
}

/// Squares of lengths below which digits are lost.
fn smallest<T: Scalar>() -> f64 {
    if T::DOUBLE { 1e-290 } else { 1e-30 }
}

/// The planes of faces: unit normals, how far away the nearest corners are, and where that is known. Of what is
/// so small that its square has lost digits the normal is no unit vector.
#[inline(always)]
pub fn plane<S: GrowSpace, L: Lanes>(across: S::Vector<L>, [a, b, c]: [S::Vector<L>; 3]) -> (S::Vector<L>, L, L::Mask) {
    let squared = across.length_squared();
    let normal = across * (L::one() / squared.sqrt());
    let offset = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
    let finite = offset.lt(L::splat(L::Scalar::INFINITY));
    (normal, offset, finite & squared.gt(L::constant(smallest::<L::Scalar>())))
}
