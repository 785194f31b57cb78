//! The k nearest neighbours where space repeats.
//!
//! Any `k` others bound the distance to the `k`-th nearest, whichever images they are. So the images listed so far
//! bound how far to look, and once all images within that distance are listed, all nearer neighbours are found: the
//! second look is the last, unless there are too few bodies for a bound. Where bodies are spread evenly the first look
//! is the last, as it goes about as far as the most isolated of so many needs.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Columns, CustomShape, Filters, Rotations};
use jostle_tasks as tasks;

use crate::bounds::{Sought, reach};
use crate::error::ContactsError;
use crate::images::{Images, Which};
use crate::lattice::Lattice;
use crate::nearest::{Repeating, Who, find};
use crate::neighbours::Neighbours;
use crate::sets::together;
use crate::weight;

/// The factor by which the look goes farther where nothing bounds it.
const FARTHER: f64 = 2.0;
/// The first look goes no farther than `LONGEST` times the shortest period, and is shortened from there by factors of
/// `STEP`.
const LONGEST: f64 = 0.25;
const STEP: f64 = 0.85;
/// Relative room for what distances are rounded by.
const ROUNDING: f64 = 1e-5;

/// Finds, for each body, the `k` nearest of those that it meets, as [`nearest`](crate::nearest()) does, where space
/// repeats: each image is a neighbour of its own, so that one body may be several, told apart by their
/// [`image`](crate::Neighbour::image); a body's own images too, if the lattice has self-images. Where anything repeats
/// there are always `k`, except for bodies that meet no other.
///
/// Distances are those of [`periodic_contacts`](crate::periodic_contacts()), to rounding: bodies are brought into the
/// cell for the query. `point` is on the image, with the body whose neighbour it is at its own position.
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Neighbours, Shape, periodic_nearest};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in [0.5, 4.0, 9.0] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let mut neighbours = Neighbours::<D2, f64>::default();
/// periodic_nearest(&bodies.columns(), &ring, 3, &mut neighbours)?;
/// let near = |body: usize| neighbours.of(body).iter().map(|n| (n.body, n.distance, n.point[0])).collect::<Vec<_>>();
/// assert_eq!(near(0), [(2, 0.5, -0.5), (1, 2.5, 3.5), (1, 5.5, -5.5)]); // body 2 across the end, body 1 both ways
/// assert_eq!(neighbours.of(0)[0].image, [-1, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than `u32::MAX` neighbours in all, a custom shape's bounds are NaN or inverted, a body is more
/// than 2^29 cells away from the origin, or there are so many images within the distance that was looked at last that
/// there are more than 65,536 of one body, or 262,144 and 32 for each body, or 536,870,911 with the bodies.
/// `neighbours` is then empty.
pub fn periodic_nearest<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    search(bodies, lattice, bodies.len(), 0, k, neighbours)
}

/// Finds, for each of the `agents`, the `k` nearest of the `bodies` that it meets, as
/// [`nearest_between`](crate::nearest_between()) does, where space repeats: each image is a neighbour of its own, so
/// that one body may be several, told apart by their [`image`](crate::Neighbour::image).
///
/// ```
/// use jostle::{Bodies, Body, D2, Lattice, Neighbours, Shape, periodic_nearest_between};
///
/// let (mut probes, mut people) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// people.add_shape(Shape::ball(0.5)?)?;
/// probes.add_shape(Shape::point())?;
/// people.push(Body::new(0, [9.0, 0.0]))?;
/// people.push(Body::new(0, [4.0, 0.0]))?;
/// probes.push(Body::new(0, [0.5, 0.0]))?;
/// let ring = Lattice::orthogonal([10.0, 0.0])?;
/// let mut neighbours = Neighbours::<D2, f64>::default();
/// periodic_nearest_between(&probes.columns(), &people.columns(), &ring, 3, &mut neighbours)?;
/// let near = neighbours.of(0).iter().map(|n| (n.body, n.distance, n.point[0])).collect::<Vec<_>>();
/// assert_eq!(near, [(0, 1.0, -0.5), (1, 3.0, 3.5), (1, 6.0, -5.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`periodic_nearest`], where errors number bodies after the agents; or if there are more bodies or shapes in both
/// sets than one scene holds. `neighbours` is then empty.
pub fn periodic_nearest_between<T: Precision, S: Dimension, U: CustomShape<S>>(
    agents: &Columns<'_, S, U>,
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    let both = together(agents, bodies).inspect_err(|_| neighbours.clear())?;
    search(&both.columns(), lattice, agents.len(), agents.len() as u32, k, neighbours)
}

/// Finds the neighbours of the first `agents` bodies among those from `sought` on.
fn search<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    agents: usize,
    sought: u32,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    let done = tasks::run(weight::of_nearest(bodies, agents), || {
        let (count, filters) = (bodies.len(), bodies.filters());
        let selves = lattice.has_self_images() && sought == 0;
        let periods = (0..S::DIMENSION).map(|axis| lattice.length(axis)).filter(|&length| length > 0.0);
        let period = periods.fold(f64::INFINITY, f64::min);
        let mut scene = Images::default();
        let mut looked = if period.is_finite() { first_look(bodies, lattice, sought, k, period) } else { 0.0 };
        loop {
            scene.members_mut().set_all(count);
            scene.fill(bodies, (lattice, Which::All), (Sought::Near, looked), &|_| 0.0)?;
            let (positions, owners) = scene.places();
            let shape: Vec<u32> = owners.iter().map(|&owner| bodies.shape_indices()[owner as usize]).collect();
            let rotation: Vec<S::Rotation<f64>>;
            let rotations = match bodies.rotations() {
                Rotations::Identity => Rotations::Identity,
                given => {
                    rotation = owners.iter().map(|&owner| given.get(owner as usize)).collect();
                    Rotations::Double(&rotation)
                }
            };
            // Not checked anew: with a long period images may lie farther out than positions of bodies are allowed to.
            let together = Columns::trusted(bodies.shapes(), &shape, &positions, rotations, &[], Filters::default());
            let repeating =
                Repeating { images: &scene, owners: &owners, filters, agents: agents as u32, sought, selves };
            find(&together, &Who::Repeating(repeating), k, neighbours)?;
            // A body with too few neighbours has no more where nothing repeats, or where it met no other, however far.
            let wants = |body: usize| {
                let found = neighbours.of(body);
                let more = period.is_finite() && (!found.is_empty() || selves && filters.meets_itself(body as u32));
                if found.len() < k && more {
                    f64::INFINITY
                } else {
                    found.last().map_or(0.0, |last| last.distance.to_f64())
                }
            };
            let farthest = (0..agents).map(wants).fold(0.0, f64::max);
            if farthest <= looked || !period.is_finite() {
                break;
            }
            looked = if farthest.is_finite() { farthest * (1.0 + ROUNDING) } else { (FARTHER * looked).max(period) };
        }
        for body in 0..agents {
            let shift = lattice.shift(scene.cell(body));
            for near in neighbours.of_mut(body) {
                *near = near.shifted(&shift);
            }
        }
        Ok(())
    });
    if done.is_err() {
        // What an earlier look found is not the answer.
        neighbours.clear();
    }
    done
}

/// How far to look first, metres: so far that as many bodies as are wanted are within it, and as many more as the
/// binary logarithm of the number of all, which is more than the most isolated of evenly spread bodies needs; but no
/// more than a fraction of the shortest period.
fn first_look<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    lattice: &Lattice<S>,
    sought: u32,
    k: usize,
    period: f64,
) -> f64 {
    let [lower, upper] = reach::<S>(bodies.positions(), |body| body >= sought as usize);
    let count = (bodies.len() - sought as usize) as f64;
    // The volume of a ball, or the area of a disc, of radius one metre; and that of the scene.
    let (ball, mut scene) = (if S::DIMENSION == 3 { 4.2 } else { 3.1 }, 1.0);
    for axis in 0..S::DIMENSION {
        let length = lattice.length(axis);
        scene *= if length > 0.0 { length } else { (upper[axis] - lower[axis]).max(period) };
    }
    let share = (k as f64 + f64::from((count as u64).max(1).ilog2())) * (scene / count);
    let mut looked = LONGEST * period;
    // False for NaN.
    while ball * (0..S::DIMENSION).map(|_| STEP * looked).product::<f64>() > share {
        looked *= STEP;
    }
    looked
}
