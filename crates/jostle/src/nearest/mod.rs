//! For each body the nearest few, however far they are.
//!
//! The radius that is not given is found first: any `k` others bound the distance to the `k`-th nearest from above, and those
//! whose inner points are nearest bound it well. Bodies hold a point each, so that no pair is farther apart than these
//! points are, less the balls about these that they hold. Whoever's box may be as near as that is then asked in lanes, and the best are kept. So the answer does
//! not depend on how good the bound is.

mod tree;

use jostle_broadphase::{Bounds, TooManyPairs};
use jostle_lanes::{Rotation, Vector};
use jostle_narrowphase::{CHUNK, Dimension, Precision, Proximity, Records, Scratch, solve_chunk};
use jostle_shape::{Columns, Core, CustomShape, Filters, Shape};
use rayon::prelude::*;

use crate::between::together;
use crate::bounds::{self, origin};
use crate::pool::Pool;
use crate::{ContactsError, Neighbour, Neighbours};
use tree::{Tree, Walk};

/// Agents that one task looks after.
const BLOCK: usize = 256;
/// Relative room for what distances and bounds are rounded by.
const ROUNDING: f64 = 2e-5;

/// For each body the `most` nearest of those that it meets (see [`jostle_shape::Filters`]), by the signed distance between
/// their outlines, however far they are: nearest first, equally near ones by their indices. `neighbours` is replaced. The
/// distances are those of [`contacts`](crate::contacts), bit for bit. Where space repeats,
/// [`periodic_nearest`](crate::periodic_nearest()).
///
/// ```
/// use jostle::{Bodies, Body, D2, Neighbours, Shape, nearest};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// let wall = bodies.add_shape(Shape::cuboid([100.0, 0.5])?)?;
/// for x in [0.0, 2.0, 1000.0] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// bodies.push(Body::new(wall, [0.0, -9.0]).fixed())?; // its middle is far from body 1, its outline is not
/// let mut neighbours = Neighbours::<D2>::default();
/// nearest(&bodies.columns(), 2, &mut neighbours)?;
/// let of = |body: usize| neighbours.of(body).iter().map(|near| (near.body, near.distance)).collect::<Vec<_>>();
/// assert_eq!(of(1), [(0, 1.0), (3, 8.0)]);
/// assert_eq!(of(2)[0].0, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than `u32::MAX` neighbours in all.
pub fn nearest<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    most: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    find(bodies, &Who::All(bodies.filters()), most, neighbours)
}

/// For each of the `agents` the `most` nearest of the `bodies` that it meets, as [`nearest`] does within one set: for
/// points (balls of radius 0), boxes or anything else that is asked about but does not belong to the scene.
///
/// ```
/// use jostle::{Bodies, Body, D2, Neighbours, Shape, nearest_between};
///
/// let (mut people, mut asked) = (Bodies::<D2>::new(), Bodies::<D2>::new());
/// let disc = people.add_shape(Shape::ball(0.25)?)?;
/// for x in 0..1000 {
///     people.push(Body::new(disc, [f64::from(x), 0.0]))?;
/// }
/// let point = asked.add_shape(Shape::ball(0.0)?)?;
/// let hall = asked.add_shape(Shape::cuboid([2.0, 2.0])?)?;
/// asked.push(Body::new(point, [7.25, 3.0]))?;
/// asked.push(Body::new(hall, [500.0, 0.0]))?;
/// let mut neighbours = Neighbours::<D2, f64>::default();
/// nearest_between(&asked.columns(), &people.columns(), 3, &mut neighbours)?;
/// assert_eq!(neighbours.of(0).iter().map(|near| near.body).collect::<Vec<_>>(), [7, 8, 6]);
/// assert_eq!(neighbours.of(1)[0].distance, -2.25); // body 500 would have to go that far to be out
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than `u32::MAX` neighbours in all, or more bodies or shapes in both sets than one scene holds.
pub fn nearest_between<T: Precision, S: Dimension, U: CustomShape<S>>(
    agents: &Columns<'_, S, U>,
    bodies: &Columns<'_, S, U>,
    most: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    let both = together(agents, bodies)?;
    let who = Who::Below(agents.len() as u32, both.columns().filters());
    find(&both.columns(), &who, most, neighbours)
}

/// Who asks for whom.
pub(crate) enum Who<'w> {
    /// Everybody for all others.
    All(Filters<'w>),
    /// Bodies below a border for those behind it, who are counted from there.
    Below(u32, Filters<'w>),
    /// Where space repeats: those who come first for everybody, be it a body or an image of one; who they are, whose filters
    /// hold; and whether a body's own images count.
    Images { owners: &'w [u32], agents: u32, filters: Filters<'w>, selves: bool },
}

impl Who<'_> {
    /// The first who is asked for.
    fn first(&self) -> u32 {
        if let Who::Below(border, _) = self { *border } else { 0 }
    }
    fn meet(&self, agent: u32, body: u32) -> bool {
        match self {
            Who::All(filters) | Who::Below(_, filters) => body != agent && filters.meet(agent, body),
            Who::Images { owners, filters, selves, .. } => {
                let owner = owners[body as usize];
                let other = || filters.meet(agent, owner);
                if owner == agent { body != agent && *selves && filters.meets_itself(agent) } else { other() }
            }
        }
    }
    /// What an answer calls a body.
    fn name(&self, body: u32) -> u32 {
        if let Who::Images { owners, .. } = self { owners[body as usize] } else { body - self.first() }
    }
}

/// For each who asks the nearest of those asked for.
pub(crate) fn find<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    who: &Who<'_>,
    most: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    let count = bodies.len() as u32;
    let mut bounds = Bounds::new();
    bounds::fill(bodies, 0.0, &mut bounds);
    // Who can overlap nobody is refused here, not met in a walk.
    bounds.validate()?;
    let origin = origin::<S>(bodies.positions());
    let inner: Vec<S::Array<f64>> = bodies.shapes().iter().map(inner_point).collect();
    let point = |body: usize| {
        let offset = inner[bodies.shape_indices()[body] as usize];
        let turned = S::rotation(bodies.turns().get(body).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
        S::array(|k| (bodies.positions()[body][k] - origin[k]) + turned.get(k))
    };
    let points: Vec<S::Array<f64>> = (0..bodies.len()).into_par_iter().map(point).collect();
    let tree = Tree::new((who.first()..count).collect(), &bounds, &points);
    let mut records = Records::<S, T>::default();
    records.make(bodies);
    let agents: Vec<u32> = match *who {
        Who::All(_) => tree.order().to_vec(),
        Who::Below(border, _) => (0..border).collect(),
        Who::Images { agents, .. } => tree.order().iter().copied().filter(|&body| body < agents).collect(),
    };
    let round: Vec<f64> = bodies.shapes().iter().map(inner_radius).collect();
    let scene =
        Scene { bodies, who, bounds: &bounds, points: &points, tree: &tree, records: &records, round: &round, most };
    let workers = Pool::<Worker<S, T>>::default();
    let blocks: Vec<Block<S, T>> =
        agents.par_chunks(BLOCK).map(|agents| workers.with(|worker| scene.block(agents, worker))).collect();
    let total: u64 = blocks.iter().map(|block| block.list.len() as u64).sum();
    if total > u64::from(u32::MAX) {
        return Err(TooManyPairs { found: total, limit: u64::from(u32::MAX) }.into());
    }
    let (spans, list) = neighbours.renew(agents.len(), total as usize);
    let mut at = agents.iter();
    for block in blocks {
        let mut first = list.len() as u32;
        for (&count, &agent) in block.counts.iter().zip(&mut at) {
            spans[agent as usize] = [first, count];
            first += count;
        }
        list.extend(block.list);
    }
    Ok(())
}

/// A point in a shape, in its frame.
fn inner_point<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> S::Array<f64> {
    match shape.core() {
        // The middle of its box may be outside.
        Core::Hull(hull) => {
            let centre = hull.centre();
            let sum = |k: usize| (0..hull.len()).map(|index| hull.point(index)[k]).sum::<f64>();
            S::array(|k| centre[k] + sum(k) / hull.len() as f64)
        }
        _ => shape.core_centre(),
    }
}

/// The radius of a ball about [`inner_point`] that the shape holds; the larger, the better the bound.
fn inner_radius<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    let core = match shape.core() {
        Core::Box { half_extents } => half_extents.as_ref().iter().copied().fold(f64::INFINITY, f64::min),
        _ => 0.0,
    };
    // What rounding may make of it.
    (core + shape.radius()) * (1.0 - 1e-12)
}

/// All that does not change.
struct Scene<'s, 'b, S: Dimension, T: Precision, U> {
    bodies: &'s Columns<'b, S, U>,
    who: &'s Who<'s>,
    bounds: &'s Bounds<S>,
    /// A point in each body, from the origin of the bounds.
    points: &'s [S::Array<f64>],
    tree: &'s Tree<S>,
    records: &'s Records<S, T>,
    /// By shape: the radius of a ball about that point that is in the body too.
    round: &'s [f64],
    most: usize,
}

/// The neighbours of some agents, one after the other.
struct Block<S: Dimension, T: Precision> {
    counts: Vec<u32>,
    list: Vec<Neighbour<S, T>>,
}

/// What a task needs.
struct Worker<S: Dimension, T: Precision> {
    walk: Walk,
    /// Pairs that wait to be asked, and whose they are: a place in the block.
    pairs: Vec<[u32; 2]>,
    whose: Vec<usize>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
    /// What there is so far of one agent.
    best: Vec<Neighbour<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Worker<S, T> {
    fn default() -> Self {
        let (pairs, whose, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { walk: Walk::default(), pairs, whose, rows, scratch: Scratch::default(), best: Vec::new() }
    }
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Scene<'_, '_, S, T, U> {
    fn block(&self, agents: &[u32], worker: &mut Worker<S, T>) -> Block<S, T> {
        let mut block = Block { counts: Vec::with_capacity(agents.len()), list: Vec::new() };
        let mut walk = core::mem::take(&mut worker.walk);
        for (place, &agent) in agents.iter().enumerate() {
            let meets = |body: u32| self.who.meet(agent, body);
            let from = &self.points[agent as usize];
            let round = |body: u32| self.round[self.bodies.shape_indices()[body as usize] as usize];
            let far = self.tree.within(from, self.most, self.points, meets, round, &mut walk);
            // Boxes that overlap are not told apart.
            let far = (far - round(agent)).max(0.0);
            // Nobody is nearer than the boxes are. Distances are rounded as sizes are; boxes have room for that.
            let size = |k: usize| {
                let (lower, upper) = self.bounds.get(agent as usize);
                f64::from(upper[k]) - f64::from(lower[k])
            };
            let room = far * (1.0 + ROUNDING) + ROUNDING * (0..S::DIMENSION).map(size).fold(0.0, f64::max);
            self.tree.each_within(self.bounds.get(agent as usize), room, self.bounds, &mut walk, |body| {
                if self.most > 0 && meets(body) {
                    worker.pairs.push([agent.min(body), agent.max(body)]);
                    worker.whose.push(place);
                    if worker.pairs.len() == CHUNK {
                        self.flush(agents, worker, &mut block);
                    }
                }
            });
        }
        self.flush(agents, worker, &mut block);
        while block.counts.len() < agents.len() {
            self.finish(worker, &mut block);
        }
        worker.walk = walk;
        block
    }

    /// Asks the pairs that wait.
    fn flush(&self, agents: &[u32], worker: &mut Worker<S, T>, block: &mut Block<S, T>) {
        let Worker { pairs, rows, scratch, .. } = worker;
        rows.resize(pairs.len(), Proximity::default());
        solve_chunk(self.bodies, self.records.source(), pairs, rows, scratch);
        for index in 0..worker.rows.len() {
            let (place, row) = (worker.whose[index], worker.rows[index]);
            while block.counts.len() < place {
                self.finish(worker, block);
            }
            let mut seen =
                if row.a == agents[place] { Neighbour::from_first(&row) } else { Neighbour::from_second(&row) };
            seen.body = self.who.name(seen.body);
            worker.best.push(seen);
            // A floor meets everybody.
            if worker.best.len() >= 2 * self.most + CHUNK {
                self.keep_best(&mut worker.best);
            }
        }
        worker.pairs.clear();
        worker.whose.clear();
    }

    /// All of the next agent's have been asked.
    fn finish(&self, worker: &mut Worker<S, T>, block: &mut Block<S, T>) {
        let best = &mut worker.best;
        self.keep_best(best);
        best.sort_unstable_by(Neighbour::order);
        block.counts.push(best.len() as u32);
        block.list.append(best);
    }

    fn keep_best(&self, best: &mut Vec<Neighbour<S, T>>) {
        if best.len() > self.most {
            best.select_nth_unstable_by(self.most, Neighbour::order);
            best.truncate(self.most);
        }
    }
}
