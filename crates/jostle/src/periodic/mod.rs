//! Scenes that repeat: each image of a body that is near another is a row of its own.
//!
//! The sweep sees bodies brought into the cell and their images (`jostle/src/images.rs`). Its pairs name the image of
//! `b` that is near `a`; the pair is then solved with `a` at its own position and `b` at its own plus the shift
//! (`apart.rs`), so that a row can be checked without knowledge of cells.

mod apart;
mod between;
mod cast;
mod engine;
mod nearest;
mod overlap;
mod parted;
mod question;
mod reach;

use jostle_narrowphase::{
    Dimension, PAIRS_PER_BATCH, Precision, Proximity, Records, Scratch, Source, Templates, solve_pairs,
};
use jostle_shape::{Columns, CustomShape};
use jostle_tasks::{self as tasks, Few, Pool};

use crate::check;
use crate::error::ContactsError;
use crate::lattice::Lattice;
use crate::order::by_distance;
use crate::shifted::{PairImage, Shifted};
use crate::weight;
pub(crate) use apart::Apart;
pub use between::periodic_between;
pub use cast::{ShiftedCast, periodic_cast};
pub use engine::PeriodicEngine;
pub use nearest::{periodic_nearest, periodic_nearest_between};
pub use overlap::periodic_overlap;
use parted::{Parted, in_turn};
use reach::{append_images, aside, between_cores, find_homes};

/// Finds all pairs of bodies that meet whose distance is at most `margin` (metres) in a scene that repeats, each image
/// its own row: `a < b` (or `a = b`, if the lattice has self-images: then the image's first number other than 0 is
/// positive), ordered by `a`, `b`, then by image. More than `limit` rows are an error. Positions may be anywhere, not
/// only in the first cell.
///
/// ```
/// use jostle::{Bodies, Body, D3, Lattice, Shape, periodic_contacts};
///
/// let mut bodies = Bodies::<D3>::new();
/// let ball = bodies.add_shape(Shape::ball(0.5)?)?;
/// bodies.push(Body::new(ball, [0.25, 1.0, 1.0]))?;
/// bodies.push(Body::new(ball, [9.0, 1.0, 1.0]))?;
/// let lattice = Lattice::orthogonal([10.0, 10.0, 0.0])?;
/// let rows = periodic_contacts::<f32, _, _>(&bodies.columns(), &lattice, 0.5, u64::MAX)?;
/// assert_eq!((rows[0].row.distance, rows[0].shift), (0.25, [-10.0, 0.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the margin is negative, not finite or beyond 1e15, there are more rows than `limit`, than `u32::MAX` or than fit
/// the memory, a body is more than 2^29 cells away from the origin, a custom shape's bounds are NaN or inverted, or so
/// many images reach the cell, because bodies are far longer than it, that there are more than 262,144 and 32 for each
/// body, or 65,536 of one.
pub fn periodic_contacts<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    margin: f64,
    limit: u64,
) -> Result<Vec<Shifted<S, T>>, ContactsError> {
    let (mut engine, mut rows) = (PeriodicEngine::new(*lattice), Vec::new());
    engine.set_limit(limit);
    engine.contacts(bodies, margin, &mut rows)?;
    Ok(rows)
}

/// Counts the rows that [`periodic_contacts`] would give. Nothing is collected.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Shape, count_periodic_contacts};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in 0..10 {
///     bodies.push(Body::new(disc, [f64::from(x), 0.0]))?;
/// }
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// assert_eq!(count_periodic_contacts::<f32, _, _>(&bodies.columns(), &ring, 0.0)?, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`periodic_contacts`], without a limit.
pub fn count_periodic_contacts<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    margin: f64,
) -> Result<u64, ContactsError> {
    PeriodicEngine::<S, T>::new(*lattice).count_contacts(bodies, margin)
}

/// Runs the broadphase alone: all pairs that meet and whose bounds, grown for `margin`, overlap, each with the image of
/// its second body (the multiple of each lattice vector), in the order of [`periodic_contacts`]. More than `limit`
/// pairs are an error.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Shape, periodic_pairs};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in [0.25, 4.0, 9.5] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// assert_eq!(periodic_pairs(&bodies.columns(), &ring, 0.0, u64::MAX)?, [([0, 2], [-1, 0, 0])]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`periodic_contacts`], with pairs for rows.
pub fn periodic_pairs<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    margin: f64,
    limit: u64,
) -> Result<Vec<PairImage>, ContactsError> {
    let (mut engine, mut pairs) = (PeriodicEngine::<S>::new(*lattice), Vec::new());
    engine.set_limit(limit);
    engine.pairs(bodies, margin, &mut pairs)?;
    Ok(pairs)
}

/// Finds the nearest image of `b` for each pair, in the order given: the least signed distance of all images, so the
/// deepest where bodies overlap several. Of images equally near, the first in order.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Shape, periodic_distance};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// bodies.push(Body::new(disc, [1.0, 0.0]))?;
/// bodies.push(Body::new(disc, [9.5, 0.0]))?;
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let rows = periodic_distance::<f64, _, _>(&bodies.columns(), &ring, &[[1, 0], [0, 1]])?;
/// assert_eq!((rows[0].row.distance, rows[0].shift), (0.5, [10.0, 0.0]));
/// assert_eq!((rows[1].row.distance, rows[1].shift), (0.5, [-10.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist or the same body twice, its bodies are more than 2^29 cells away from
/// each other, or there are more than 1,048,576 images that might be the nearest (because bodies, or the ways between
/// them, are far longer than the period).
pub fn periodic_distance<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    pairs: &[[u32; 2]],
) -> Result<Vec<Shifted<S, T>>, ContactsError> {
    tasks::run(weight::of_pairs(bodies, pairs.len()), || {
        check::pairs(bodies, pairs)?;
        let mut nearest = Vec::with_capacity(pairs.len());
        let (mut homes, mut asked, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for pairs in pairs.chunks(PAIRS) {
            // The image whose centre is nearest: for most pairs no other can be nearer.
            find_homes(bodies, lattice, pairs, &mut homes)?;
            let first = nearest.len();
            nearest.extend(answer::<S, T, U>(bodies, lattice, homes.iter().map(|home| home.asked)));
            // For other pairs the nearest image is no farther than that one, and no image is nearer than the gap
            // between balls about the centres.
            let open = || homes.iter().enumerate().filter(|(_, home)| !home.is_alone);
            let known = answer::<S, f64, U>(bodies, lattice, open().map(|(_, home)| home.asked));
            let mut rest = known.len();
            for ((place, home), known) in open().zip(&known) {
                let (pair, _) = home.asked;
                let [a, b] = pair.map(|body| bodies.shape(body as usize));
                // Where nothing was proved (`min` skips NaN), the distance between a point of each body is still a
                // bound.
                let upper = known.row.upper.min(between_cores(bodies, lattice, known) + aside(a) + aside(b));
                // If no image is found, bounds are NaN, those of a user's shape: the first answer stays.
                append_images(bodies, lattice, pair, &mut asked, upper + a.reach() + b.reach())?;
                ends.push((first + place, asked.len()));
                rest -= 1;
                if asked.len() >= 1 << 20 || rest == 0 {
                    let rows = answer::<S, T, U>(bodies, lattice, asked.drain(..));
                    let mut first = 0;
                    for (place, end) in ends.drain(..) {
                        // The first of images equally near.
                        let distance = |near: &Shifted<S, T>| near.row.distance.to_f64();
                        let all = rows[first..end].iter();
                        if let Some(least) = all.min_by(|x, y| by_distance(distance(x), distance(y))) {
                            nearest[place] = *least;
                        }
                        first = end;
                    }
                }
            }
        }
        Ok(nearest)
    })
}

/// Pairs whose nearest images are looked for at a time.
const PAIRS: usize = 1 << 16;

/// Computes the distance of each pair named, with the image of `b` that is named: for a list of pairs and images, as
/// particle codes keep them, or as [`periodic_pairs`] or [`periodic_nearest`] find them. In the order given; `a = b` is
/// a body and an image of its own.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Shape, image_distance};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// bodies.push(Body::new(disc, [1.0, 0.0]))?;
/// bodies.push(Body::new(disc, [9.5, 0.0]))?;
/// let (bodies, ring) = (bodies.columns(), Lattice::orthogonal([10.0, 0.0])?);
/// let asked = [([0, 1], [0, 0, 0]), ([0, 1], [-1, 0, 0]), ([1, 1], [2, 0, 0])];
/// let rows = image_distance::<f64, _, _>(&bodies, &ring, &asked)?;
/// assert_eq!(rows.iter().map(|near| near.row.distance).collect::<Vec<_>>(), [7.5, 0.5, 19.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a pair names a body that does not exist, or a body and an image of it at the same place.
pub fn image_distance<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    asked: &[PairImage],
) -> Result<Vec<Shifted<S, T>>, ContactsError> {
    tasks::run(weight::of_pairs(bodies, asked.len()), || {
        for (index, &(pair, image)) in asked.iter().enumerate() {
            let elsewhere = lattice.shift(image).as_ref().iter().any(|&by| by != 0.0);
            check::pair(bodies, index, pair, elsewhere)?;
        }
        Ok(answer(bodies, lattice, asked.iter().copied()))
    })
}

/// Buffers that a task needs to solve pairs.
struct Answerer<S: Dimension, T: Precision> {
    parted: Parted<S>,
    /// Of bodies at their own positions, and of pairs with an image.
    rows: [Vec<Proximity<S, T>>; 2],
    scratch: Scratch<S, T>,
}

impl<S: Dimension, T: Precision> Default for Answerer<S, T> {
    fn default() -> Self {
        Self { parted: Parted::default(), rows: [Vec::new(), Vec::new()], scratch: Scratch::default() }
    }
}

/// Solves pairs, in their order.
fn answer<S: Dimension, T: Precision, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    asked: impl Iterator<Item = PairImage>,
) -> Vec<Shifted<S, T>> {
    let asked: Vec<PairImage> = asked.collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut records = Records::default();
    let sources = if Templates::<S, T>::worth_making(asked.len(), bodies.shapes().len()) {
        if asked.len() > bodies.len() {
            records.make_for_distances(bodies);
        } else {
            records.make_templates(bodies);
        }
        [records.source(), records.template_source()]
    } else {
        [Source::OnDemand; 2]
    };
    let (mut answers, pool) = (vec![Shifted::default(); asked.len()], Pool::<Answerer<S, T>>::default());
    tasks::each(
        (Few::of(&asked[..], PAIRS_PER_BATCH), Few::of(&mut answers[..], PAIRS_PER_BATCH)),
        |_, (asked, answers)| {
            pool.with(|Answerer { parted, rows: [here, elsewhere], scratch }| {
                parted.set(bodies, lattice, asked.list, |&(_, image)| image);
                here.resize(parted.here().len(), Proximity::default());
                solve_pairs(bodies, sources[0], parted.here(), here, scratch);
                let (together, pairs) = parted.elsewhere(bodies);
                elsewhere.resize(pairs.len(), Proximity::default());
                solve_pairs(&together, sources[1], pairs, elsewhere, scratch);
                for row in &mut *elsewhere {
                    parted.name(row);
                }
                let found = in_turn(asked.list, here, elsewhere);
                for ((answer, &(_, image)), &found) in answers.list.iter_mut().zip(asked.list).zip(found) {
                    *answer = Shifted::new(found, image, lattice);
                }
            });
        },
    );
    answers
}
