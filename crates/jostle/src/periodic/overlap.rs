//! Yes-or-no queries where space repeats: whether any image of the second body overlaps the first.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks as tasks;

use super::parted::{Parted, in_turn};
use super::reach::{append_images, extent, only_image};
use crate::check;
use crate::error::ContactsError;
use crate::lattice::Lattice;
use crate::narrowphase::Narrowphase;
use crate::overlap::Boundary;
use crate::shifted::PairImage;
use crate::weight;

/// How many pairs ahead bodies are prefetched.
const PAIRS_AHEAD: usize = 16;
/// Room for bodies that touch within rounding, as a fraction of the pair's size.
const TOUCHING: f64 = 1e-6;

/// Finds whether any image of `b` overlaps `a`, for each pair, in the order given: as [`overlap`](crate::overlap())
/// does, where space repeats.
///
/// ```
/// use jostle::{Bodies, Body, Boundary, D2, Lattice, Shape, periodic_overlap};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in [0.25, 4.0, 9.5] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let answers = periodic_overlap::<f32, _, _>(&bodies.columns(), &ring, &[[0, 1], [0, 2]], Boundary::Closed)?;
/// assert_eq!(answers, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist or the same body twice, its bodies are more than 2^29 cells away from
/// each other, or more than 1,048,576 images might overlap (because bodies are far longer than the period).
pub fn periodic_overlap<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pairs: &[[u32; 2]],
    boundary: Boundary,
) -> Result<Vec<bool>, ContactsError> {
    tasks::run(weight::of_pairs(bodies, pairs.len()), || {
        check::pairs(bodies, pairs)?;
        let mut overlap = vec![false; pairs.len()];
        // Images that might overlap, and the pair of each.
        let (mut asked, mut whose): (Vec<PairImage>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut parted, mut narrowphase, mut sides) =
            (Parted::default(), Narrowphase::<S, T>::new(), [vec![], vec![]]);
        for (index, &pair) in pairs.iter().enumerate() {
            for &body in pairs.get(index + PAIRS_AHEAD).into_iter().flatten() {
                bodies.prefetch_with_rotation(body as usize);
            }
            // A body far from the origin of its frame is rounded as if it were that large.
            let [a, b] = pair.map(|body| bodies.shape(body as usize));
            let reach = a.reach() + b.reach() + TOUCHING * (extent(a) + extent(b));
            match only_image(bodies, lattice, pair, reach) {
                Some(image) => asked.push((pair, image)),
                None => append_images(bodies, lattice, pair, &mut asked, reach)?,
            }
            whose.resize(asked.len(), index);
            if asked.len() >= 1 << 20 || index + 1 == pairs.len() {
                parted.set(bodies, lattice, &asked, |&(_, image)| image);
                let ([here, elsewhere], (together, others)) = (&mut sides, parted.elsewhere(bodies));
                narrowphase.sides(bodies, parted.here(), 0.0, here)?;
                narrowphase.sides(&together, others, 0.0, elsewhere)?;
                for (&index, side) in whose.iter().zip(in_turn(&asked, here, elsewhere)) {
                    overlap[index] |= boundary.counts(*side);
                }
                asked.clear();
                whose.clear();
            }
        }
        Ok(overlap)
    })
}
