//! Which images of a body are within reach of another.

use jostle_lanes::{Rot, Vector};
use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Columns, CustomShape, Shape};

use super::shifted::{Asked, Shifted};
use crate::error::ContactsError;
use crate::images::MOST_IMAGES;
use crate::lattice::Lattice;

/// How far a shape reaches from the origin of its frame.
pub(super) fn extent<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    let centre = shape.core_centre();
    length::<S>(|k| centre[k]) + shape.reach()
}

/// The length of a vector.
pub(super) fn length<S: Dimension>(coordinate: impl Fn(usize) -> f64) -> f64 {
    (0..S::DIMENSION).map(coordinate).map(|x| x * x).sum::<f64>().sqrt()
}

/// How far the centres of two bodies' cores are from each other, the second's being an image.
pub(super) fn between_cores<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    near: &Shifted<S, T>,
) -> f64 {
    let ((apart, _), shift) = (between_centres(bodies, [near.row.a, near.row.b]), lattice.shift(near.image));
    length::<S>(|k| apart[k] + shift[k])
}

/// From the centre of the first body's core to that of the second's, and which body is farther out.
fn between_centres<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    pair: [u32; 2],
) -> (S::Array<f64>, impl Fn(usize) -> usize) {
    let [a, b] = pair.map(|body| body as usize);
    let [centre_a, centre_b] = [a, b].map(|body| centre(bodies, body));
    let farther = move |axis: usize| if centre_a[axis].abs() > centre_b[axis].abs() { a } else { b };
    (S::array(|k| centre_b[k] - centre_a[k]), farther)
}

/// The image of the second body whose centre is about as near as any.
pub(super) fn home<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
) -> Result<[i32; 3], ContactsError> {
    let (apart, farther) = between_centres(bodies, pair);
    let cell = lattice.cell_of(apart).map_err(|axis| ContactsError::FarOutside { body: farther(axis), axis })?;
    Ok(lattice.nearest(apart).unwrap_or(cell).map(|count| -count))
}

/// Lists the images of a pair whose centres are within `reach` of each other, in order: more than [`MOST_IMAGES`] are
/// refused.
pub(super) fn append_images<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
    asked: &mut Vec<Asked>,
    reach: f64,
) -> Result<(), ContactsError> {
    let (apart, farther) = between_centres(bodies, pair);
    lattice.cell_of(apart).map_err(|axis| ContactsError::FarOutside { body: farther(axis), axis })?;
    // A body whose bounds are no numbers may reach anywhere; nothing is within a reach that is none, however long one
    // looks.
    let reach = if reach.is_nan() { f64::INFINITY } else { reach };
    let first = asked.len();
    lattice.each_within(&apart, reach, &mut |image| {
        if asked.len() - first == MOST_IMAGES {
            return Err(ContactsError::TooManyImages { body: pair[1] as usize, limit: MOST_IMAGES });
        }
        asked.push((pair, image));
        Ok(())
    })?;
    asked[first..].sort_unstable();
    Ok(())
}

/// Where the centre of a body's core is.
pub(super) fn centre<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, body: usize) -> S::Array<f64> {
    let (offset, position) = (bodies.shape(body).core_centre(), bodies.positions()[body]);
    let turned = S::rot(bodies.rotations().get(body).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
    S::array(|k| position[k] + turned.get(k))
}
