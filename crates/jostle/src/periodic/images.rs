//! The boxes of a scene that repeats: everybody's, brought into the cell, and those of all images that reach it.
//!
//! The rule by which columns own pairs does not survive wrapping around. So nothing wraps around: images are boxes of
//! their own behind those of the bodies, as many as it takes, also of a body that is longer than the cell.

use jostle_broadphase::Bounds;
use jostle_lanes::Scalar;
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape, Space};
use rayon::prelude::*;

use super::Lattice;
use crate::ContactsError;
use crate::bounds::{Boxes, origin};

/// Images that are looked at, at most: so many and [`MOST_EACH`] for each body. (Bodies shorter than the cell have
/// seven at most, but for floors under all of them.)
pub(super) const MOST_IMAGES: usize = 1 << 20;
/// See [`MOST_IMAGES`].
const MOST_EACH: usize = 32;

/// An image of a body that has been brought into the cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    pub body: u32,
    /// How it is shifted, from the body in the cell.
    pub from_cell: [i32; 3],
}

/// Where everybody is.
#[derive(Debug)]
pub(super) struct Images<S: Dimension> {
    /// In which cell each body is.
    pub cells: Vec<[i32; 3]>,
    /// The images that may be near somebody.
    pub ghosts: Vec<Image>,
    /// Boxes of the bodies, brought into the cell, and of the images behind them.
    pub bounds: Bounds<S>,
}

impl<S: Dimension> Default for Images<S> {
    fn default() -> Self {
        Self { cells: Vec::new(), ghosts: Vec::new(), bounds: Bounds::new() }
    }
}

impl<S: Dimension> Images<S> {
    /// Makes the boxes of all bodies, grown for `margin`, and of their images.
    pub fn fill<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        margin: f64,
    ) -> Result<(), ContactsError> {
        let Self { cells, ghosts, bounds } = self;
        let positions = bodies.positions();
        let cell_of =
            |body: usize| lattice.cell_of(positions[body]).map_err(|axis| ContactsError::FarOutside { body, axis });
        *cells = (0..bodies.len()).into_par_iter().map(cell_of).collect::<Result<_, _>>()?;
        let place = |body: usize| {
            let shift = lattice.shift(cells[body]);
            S::array(|k| positions[body][k] - shift[k])
        };
        let places: Vec<S::Array<f64>> = (0..bodies.len()).into_par_iter().map(place).collect();
        let boxes = Boxes::for_margin(origin::<S>(&places), margin);
        let home = |body: usize| {
            // What is brought here is rounded on the way.
            let far = positions[body].as_ref().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
            let room = if cells[body] == [0; 3] { 0.0 } else { 8.0 * f64::EPSILON * far };
            boxes.at(bodies, body, places[body], room)
        };
        let homes: Vec<_> = (0..bodies.len()).into_par_iter().map(home).collect();
        bounds.clear();
        ghosts.clear();
        for &(lower, upper) in &homes {
            bounds.push(lower, upper);
        }
        let Some(&first) = homes.first() else { return Ok(()) };
        let all = homes
            .iter()
            .fold(first, |(lower, upper), (l, u)| (S::array(|k| lower[k].min(l[k])), S::array(|k| upper[k].max(u[k]))));
        let limit = MOST_IMAGES + MOST_EACH * bodies.len();
        for (body, &home) in homes.iter().enumerate() {
            let lowest = S::array(|k| f64::from(all.0[k]) - f64::from(home.1[k]));
            let highest = S::array(|k| f64::from(all.1[k]) - f64::from(home.0[k]));
            lattice.each_image(&lowest, &highest, &mut |from_cell, shift| {
                if from_cell == [0; 3] {
                    return Ok(());
                }
                if ghosts.len() == limit {
                    return Err(ContactsError::TooManyImages { body, limit });
                }
                let (lower, upper) = moved::<S>(home, &shift);
                bounds.push(lower, upper);
                ghosts.push(Image { body: body as u32, from_cell });
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A box elsewhere, rounded outward.
fn moved<S: Dimension>((lower, upper): Corners<S>, shift: &S::Array<f64>) -> Corners<S> {
    // The sums are exact but for an `f64`'s rounding, which the next `f32` outward is far beyond.
    let out = |k: usize| f64::EPSILON * shift[k].abs();
    (
        S::array(|k| f32::round_down(f64::from(lower[k]) + shift[k] - out(k))),
        S::array(|k| f32::round_up(f64::from(upper[k]) + shift[k] + out(k))),
    )
}

type Corners<S> = (<S as Space>::Array<f32>, <S as Space>::Array<f32>);
