//! Which images of a body are within reach of another.

use jostle_lanes::{Rotation, Vector};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape, Shape};

use super::images::MOST_IMAGES;
use super::lattice::Lattice;
use super::shifted::Asked;
use crate::error::ContactsError;

/// How far a shape reaches from the origin of its frame.
pub(super) fn extent<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    let centre = shape.core_centre();
    (0..S::DIMENSION).map(|k| centre[k].powi(2)).sum::<f64>().sqrt() + shape.reach()
}

/// Adds the images of `b` whose centres are within a reach of that of `a`, in their order. The reach may depend on how far
/// the centres are of an image that is near.
pub(super) fn append_images<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
    asked: &mut Vec<Asked>,
    reach: impl Fn(f64) -> f64,
) -> Result<(), ContactsError> {
    let [a, b] = pair.map(|body| body as usize);
    let [centre_a, centre_b] = [a, b].map(|body| centre(bodies, body));
    let apart: S::Array<f64> = S::array(|k| centre_b[k] - centre_a[k]);
    let cell = lattice.cell_of(apart).map_err(|axis| {
        // Of the two the one that is farther out.
        let body = if centre_a[axis].abs() > centre_b[axis].abs() { a } else { b };
        ContactsError::FarOutside { body, axis }
    })?;
    let home = lattice.shift(cell.map(|count| -count));
    let far = |shift: &S::Array<f64>| (0..S::DIMENSION).map(|k| (apart[k] + shift[k]).powi(2)).sum::<f64>().sqrt();
    // A body whose bounds are no numbers may reach anywhere; nothing is within a reach that is none, however long one looks.
    let reach = Some(reach(far(&home))).filter(|reach| !reach.is_nan()).unwrap_or(f64::INFINITY);
    let first = asked.len();
    lattice.each_image(&S::array(|k| -apart[k] - reach), &S::array(|k| reach - apart[k]), &mut |image, shift| {
        if asked.len() - first == MOST_IMAGES {
            return Err(ContactsError::TooManyImages { body: b, limit: MOST_IMAGES });
        }
        if far(&shift) <= reach {
            asked.push((pair, image));
        }
        Ok(())
    })?;
    asked[first..].sort_unstable();
    Ok(())
}

/// Where the centre of a body's core is.
pub(super) fn centre<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, body: usize) -> S::Array<f64> {
    let (offset, position) = (bodies.shape(body).core_centre(), bodies.positions()[body]);
    let turned = S::rotation(bodies.turns().get(body).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
    S::array(|k| position[k] + turned.get(k))
}
