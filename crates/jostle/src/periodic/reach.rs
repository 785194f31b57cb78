//! Which images of a body may be near another body.

use core::sync::atomic::{AtomicBool, Ordering};

use jostle_lanes::{Rot, Vector};
use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Columns, Core, CustomShape, Shape};
use jostle_tasks::{self as tasks, Few};

use crate::error::ContactsError;
use crate::images::MOST_IMAGES;
use crate::lattice::Lattice;
use crate::shifted::{PairImage, Shifted};

/// How far a shape reaches from the origin of its frame.
pub(super) fn extent<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    let centre = shape.core_centre();
    length::<S>(|k| centre[k]) + shape.reach()
}

/// The length of a vector.
pub(super) fn length<S: Dimension>(coordinate: impl Fn(usize) -> f64) -> f64 {
    (0..S::DIMENSION).map(coordinate).map(|x| x * x).sum::<f64>().sqrt()
}

/// The distance of the centres of two bodies' cores, the second being an image.
pub(super) fn between_cores<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    near: &Shifted<S, T>,
) -> f64 {
    let (between, shift) = (between_centres(bodies, [near.row.a, near.row.b]), lattice.shift(near.image));
    length::<S>(|k| between.apart[k] + shift[k])
}

/// Where the centres of two bodies' cores are.
struct Between<S: Dimension> {
    /// From the first centre to the second.
    apart: S::Array<f64>,
    /// Both centres.
    centres: [S::Array<f64>; 2],
    pair: [u32; 2],
}

impl<S: Dimension> Between<S> {
    /// The multiples of the lattice vectors that are taken away to bring the offset between them into the cell.
    fn cells(&self, lattice: &Lattice<S>) -> Result<[i32; 3], ContactsError> {
        let far = |axis: usize| {
            let [a, b] = self.centres.map(|centre| centre[axis].abs());
            ContactsError::FarOutside { body: self.pair[usize::from(a <= b)], axis }
        };
        lattice.cell_of(self.apart).map_err(far)
    }
    /// The largest coordinate of both centres.
    fn farthest(&self) -> f64 {
        self.centres.iter().flat_map(AsRef::as_ref).fold(0.0, |far, x| far.max(x.abs()))
    }
}

fn between_centres<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, pair: [u32; 2]) -> Between<S> {
    let centres = pair.map(|body| centre(bodies, body as usize));
    Between { apart: S::array(|k| centres[1][k] - centres[0][k]), centres, pair }
}

/// How far a point of a shape is from the centre of its core, which may be outside of the shape.
pub(super) fn aside<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    let (centre, point) = (shape.core_centre(), shape.inner_point());
    // No farther than the shape reaches; where the point is NaN, no more is known than that.
    length::<S>(|k| point[k] - centre[k]).min(shape.reach())
}

/// A pair with the image of the second body whose centre is about as near as any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Home {
    pub asked: PairImage,
    /// True if no other image can be as near.
    pub is_alone: bool,
}

/// Pairs that one task finds the homes of.
const PAIRS_PER_TASK: usize = 1024;
/// How many pairs ahead their bodies are prefetched.
const PAIRS_AHEAD: usize = 16;
/// By how much farther away any other image has to be, as a fraction of all lengths, to allow for rounding.
const ROOM: f64 = 1e-5;

/// Finds the [`Home`] of each of `pairs`.
pub(super) fn find_homes<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pairs: &[[u32; 2]],
    homes: &mut Vec<Home>,
) -> Result<(), ContactsError> {
    homes.clear();
    homes.resize(pairs.len(), Home::default());
    let lost = AtomicBool::new(false);
    tasks::each((Few::of(pairs, PAIRS_PER_TASK), Few::of(&mut homes[..], PAIRS_PER_TASK)), |_, (pairs, homes)| {
        for (place, (&pair, home)) in pairs.list.iter().zip(homes.list).enumerate() {
            if let Some(ahead) = pairs.list.get(place + PAIRS_AHEAD) {
                for &body in ahead {
                    bodies.prefetch_with_rotation(body as usize);
                }
            }
            match find_home(bodies, lattice, pair) {
                Ok(found) => *home = found,
                Err(_) => lost.store(true, Ordering::Relaxed),
            }
        }
    });
    if lost.into_inner() {
        // Names the first error in the order of the pairs.
        pairs.iter().try_for_each(|&pair| find_home(bodies, lattice, pair).map(drop))?;
    }
    Ok(())
}

fn find_home<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
) -> Result<Home, ContactsError> {
    let between = between_centres(bodies, pair);
    let nearest = lattice.nearest(between.apart).map_or_else(|| between.cells(lattice), Ok)?;
    let image = nearest.map(|count| -count);
    let shift = lattice.shift(image);
    let apart = S::array(|k| between.apart[k] + shift[k]);
    // The bodies are no farther apart than a point of each, and no image is nearer than the gap between balls about the
    // centres.
    let reaches = pair.map(|body| {
        let shape = bodies.shape(body as usize);
        let reach = shape.reach();
        match shape.core() {
            // To find out how far aside of the centre a point of these is would mean to look at all of their points.
            Core::Hull(_) | Core::Custom(_) => 2.0 * reach,
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } => reach,
        }
    });
    let reach = length::<S>(|k| apart[k]) + reaches[0] + reaches[1];
    let rounding = ROOM * reach + 16.0 * f64::EPSILON * between.farthest();
    Ok(Home { asked: (pair, image), is_alone: lattice.is_alone(&apart, reach + rounding) })
}

/// The image of the second body whose centre is the nearest to that of the first, counted from the second body itself,
/// if the centres of all other images are clearly farther away than `reach`.
pub(super) fn only_image<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
    reach: f64,
) -> Option<[i32; 3]> {
    let between = between_centres(bodies, pair);
    let image = lattice.nearest(between.apart)?.map(|count| -count);
    let shift = lattice.shift(image);
    let apart = S::array(|k| between.apart[k] + shift[k]);
    let rounding = ROOM * reach + 16.0 * f64::EPSILON * between.farthest();
    // `None` for a `reach` that is NaN.
    lattice.is_alone(&apart, reach + rounding).then_some(image)
}

/// Lists the images of a pair whose centres are within `reach` of each other, in order. More than [`MOST_IMAGES`] are
/// refused.
pub(super) fn append_images<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pair: [u32; 2],
    asked: &mut Vec<PairImage>,
    reach: f64,
) -> Result<(), ContactsError> {
    let between = between_centres(bodies, pair);
    between.cells(lattice)?;
    // A body whose bounds are NaN may reach anywhere, while nothing is within a reach that is NaN.
    let reach = if reach.is_nan() { f64::INFINITY } else { reach };
    let first = asked.len();
    lattice.each_within(&between.apart, reach, &mut |image| {
        if asked.len() - first == MOST_IMAGES {
            return Err(ContactsError::TooManyImages { body: pair[1], limit: MOST_IMAGES as u64 });
        }
        asked.push((pair, image));
        Ok(())
    })?;
    asked[first..].sort_unstable();
    Ok(())
}

/// The position of the centre of a body's core.
pub(super) fn centre<S: Dimension, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, body: usize) -> S::Array<f64> {
    let (offset, position) = (bodies.shape(body).core_centre(), bodies.positions()[body]);
    if offset.as_ref().iter().all(|&number| number == 0.0) {
        return position;
    }
    let turned = S::rot(bodies.rotations().get(body).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
    S::array(|k| position[k] + turned.get(k))
}
