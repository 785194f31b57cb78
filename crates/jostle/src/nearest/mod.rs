//! The k nearest neighbours of each body, however far away they are.
//!
//! There is no radius to start from, so it is found first: a walk through a tree bounds the distances of bodies nearby
//! from above and below, and keeps those that may be among the nearest ([`walk`]). These candidate pairs are solved in
//! lanes, and the smallest distances are the answer, which therefore does not depend on how tight the bounds are.

mod walk;

use core::ops::Range;

use jostle_broadphase::TooManyPairs;
use jostle_lanes::set_bits;
use jostle_narrowphase::{Dimension, PAIRS_PER_BATCH, Precision, Proximity, Records, Scratch, Source, solve_pairs};
use jostle_shape::{BodySet, Columns, CustomShape, Filters};
use jostle_tasks::{self as tasks, Pool};

use crate::error::ContactsError;
use crate::images::Images;
use crate::neighbours::{Neighbour, Neighbours};
use crate::origin::origin_of;
use crate::packs::{PACK, Pack, Packing};
use crate::rank::{Rank, sort_nearest};
use crate::sets::ProbeFilter;
use crate::tree::Tree;
use crate::weight;
use walk::{NearestQuestion, Walk};

/// Packs of query bodies that one task handles.
const BLOCK: usize = 16;

/// Finds, for each body, the `k` nearest of those that it meets (see [`Filters`]), by the signed distance between their
/// outlines, however far they are: nearest first, equally near ones by their indices. `neighbours` is replaced. The
/// distances are those of [`contacts`](crate::contacts), bit for bit. Where space repeats, use
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
/// bodies.push(Body::new(wall, [0.0, -9.0]).fixed())?; // its centre is far from body 1, its outline is not
/// let mut neighbours = Neighbours::<D2>::default();
/// nearest(&bodies.columns(), 2, &mut neighbours)?;
/// let of = |body: usize| neighbours.of(body).iter().map(|near| (near.body, near.distance)).collect::<Vec<_>>();
/// assert_eq!(of(1), [(0, 1.0), (3, 8.0)]);
/// assert_eq!(of(2)[0].0, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than `u32::MAX` neighbours in all, more than 536,870,911 bodies, or a custom shape's bounds are
/// NaN or inverted.
pub fn nearest<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    find(bodies, &Who::All(bodies.filters()), k, neighbours)
}

/// Which bodies query (the agents), and among which bodies neighbours are sought.
pub(crate) enum Who<'w, S: Dimension> {
    /// Every body queries among all others.
    All(Filters<'w>),
    /// The bodies of a query set, which are numbered after those of the scene, query among those of the scene.
    Behind(ProbeFilter<'w>),
    /// In periodic space: bodies and their images.
    Repeating(Repeating<'w, S>),
}

/// In periodic space: the first `agents` bodies query among the bodies from `sought` on and all images of these.
pub(crate) struct Repeating<'w, S: Dimension> {
    pub images: &'w Images<S>,
    /// The body at each place, where either it or an image of it stands. Filters are those of bodies.
    pub owners: &'w [u32],
    pub filters: Filters<'w>,
    /// The number of query bodies.
    pub agents: u32,
    /// The first body among those sought; indices in answers count from it.
    pub sought: u32,
    /// Whether a body's own images count.
    pub selves: bool,
}

impl<S: Dimension> Who<'_, S> {
    /// The query bodies, as a range of the `count` bodies.
    fn agents(&self, count: u32) -> Range<u32> {
        match *self {
            Who::All(_) => 0..count,
            Who::Behind(ProbeFilter { border, .. }) => border..count,
            Who::Repeating(Repeating { agents, .. }) => 0..agents,
        }
    }
    /// The order in which a pair is solved: the query body first where there are two sets, the lower index first within
    /// one set, as in [`contacts`](crate::contacts).
    fn pair(&self, agent: u32, body: u32) -> [u32; 2] {
        if let Who::Behind(_) = self { [agent, body] } else { [agent.min(body), agent.max(body)] }
    }
    #[inline(always)]
    fn meet(&self, agent: u32, body: u32) -> bool {
        match self {
            Who::All(filters) => body != agent && filters.meet(agent, body),
            Who::Behind(filter) => filter.holds(agent, body),
            Who::Repeating(Repeating { owners, sought, filters, selves, .. }) => {
                let owner = owners[body as usize];
                let other = || owner >= *sought && filters.meet(agent, owner);
                if owner == agent { body != agent && *selves && filters.meets_itself(agent) } else { other() }
            }
        }
    }
    /// A neighbour as answers name it: in periodic space by its body and the image.
    fn named<T: Precision>(&self, agent: u32, near: Neighbour<S, T>) -> Neighbour<S, T> {
        match self {
            Who::All(_) | Who::Behind(_) => near,
            Who::Repeating(Repeating { images, owners, sought, .. }) => {
                let image = images.image(near.body as usize, agent as usize);
                Neighbour { body: owners[near.body as usize] - sought, image, ..near }
            }
        }
    }
}

/// Finds the nearest of each query body among those sought.
pub(crate) fn find<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    who: &Who<'_, S>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    tasks::run(weight::of_nearest(bodies, who.agents(bodies.len() as u32).len()), || {
        let mut packs = Vec::new();
        // Boxes that are NaN or inverted are refused here: the walk assumes that there are none.
        Packing::default().look(bodies, origin_of(bodies))?.pack(0, &mut packs);
        let tree = Tree::new(packs);
        let mut records = Records::<S, T>::default();
        records.make(bodies);
        let scene = Scene { bodies, who, tree: &tree, agents: None, source: records.source(), k };
        scene.find(&Pool::default(), &mut Vec::new(), neighbours)
    })
}

/// All that does not change during a query.
pub(crate) struct Scene<'s, S: Dimension, T: Precision, P> {
    pub bodies: &'s P,
    pub who: &'s Who<'s, S>,
    pub tree: &'s Tree,
    /// The packs of the query bodies, unless these are in the tree themselves.
    pub agents: Option<&'s [Pack]>,
    pub source: Source<'s, S, T>,
    pub k: usize,
}

/// The neighbours of some agents, one list after the other.
#[derive(Debug, Default)]
pub(crate) struct AgentBlock<S: Dimension, T: Precision> {
    /// Each agent and the number of its neighbours.
    counts: Vec<(u32, u32)>,
    list: Vec<Neighbour<S, T>>,
}

/// Buffers that a task needs.
pub(crate) struct NearestWorker<S: Dimension, T: Precision> {
    walk: Walk,
    waiting: PendingPairs<S, T>,
}

impl<S: Dimension, T: Precision> Default for NearestWorker<S, T> {
    fn default() -> Self {
        Self { walk: Walk::default(), waiting: PendingPairs::default() }
    }
}

/// Candidate pairs that wait to be solved, and the neighbours found so far for the agent that is being completed.
struct PendingPairs<S: Dimension, T: Precision> {
    /// The pairs; `whose` has the agent that each is for, as a place in `agents`.
    pairs: Vec<[u32; 2]>,
    whose: Vec<usize>,
    agents: Vec<u32>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
    /// The neighbours found so far of one agent, and their order.
    best: Vec<Neighbour<S, T>>,
    order: Vec<Rank>,
}

impl<S: Dimension, T: Precision> Default for PendingPairs<S, T> {
    fn default() -> Self {
        let (pairs, whose, agents, rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (scratch, best, order) = (Scratch::default(), Vec::new(), Vec::new());
        Self { pairs, whose, agents, rows, scratch, best, order }
    }
}

impl<S: Dimension, T: Precision, P: BodySet<S>> Scene<'_, S, T, P> {
    /// Finds the neighbours of all query bodies. `blocks` is scratch memory.
    ///
    /// # Errors
    /// If there are more than `u32::MAX` neighbours in all.
    pub fn find(
        &self,
        workers: &Pool<NearestWorker<S, T>>,
        blocks: &mut Vec<AgentBlock<S, T>>,
        neighbours: &mut Neighbours<S, T>,
    ) -> Result<(), ContactsError> {
        let count = self.asking().len().div_ceil(BLOCK);
        blocks.resize_with(blocks.len().max(count), AgentBlock::default);
        let blocks = &mut blocks[..count];
        tasks::for_each(blocks, |block, found| {
            workers.with(|worker| self.block(block * BLOCK, worker, found));
        });
        let total: u64 = blocks.iter().map(|block| block.list.len() as u64).sum();
        if total > u64::from(u32::MAX) {
            return Err(TooManyPairs { found: total, limit: u64::from(u32::MAX) }.into());
        }
        let Range { start, end } = self.who.agents(self.bodies.count() as u32);
        let (spans, list) = neighbours.renew((end - start) as usize, total as usize);
        let alone = blocks.len() == 1;
        for block in blocks {
            let mut first = list.len() as u32;
            for &(agent, count) in &block.counts {
                spans[(agent - start) as usize] = [first, count];
                first += count;
            }
            if alone {
                core::mem::swap(list, &mut block.list);
            } else {
                list.extend_from_slice(&block.list);
            }
        }
        Ok(())
    }

    /// The packs of the query bodies.
    fn asking(&self) -> &[Pack] {
        self.agents.unwrap_or(self.tree.packs())
    }

    /// Finds the neighbours of the query bodies in [`BLOCK`] packs from pack `first` on.
    fn block(&self, first: usize, worker: &mut NearestWorker<S, T>, block: &mut AgentBlock<S, T>) {
        block.counts.clear();
        block.list.clear();
        let NearestWorker { walk, waiting } = worker;
        waiting.agents.clear();
        for (index, pack) in self.asking().iter().enumerate().skip(first).take(BLOCK) {
            let asks = |at: &usize| match self.who {
                Who::Repeating(Repeating { agents, filters, .. }) => {
                    pack.body[*at] < *agents && !filters.meets_nobody(pack.body[*at])
                }
                _ => true,
            };
            let (tree, own) = (self.tree, self.agents.is_none().then_some(index));
            let mut left: u32 = (0..pack.len).filter(asks).fold(0, |who, at| who | 1 << at);
            while left != 0 {
                let who = if own.is_some() { left } else { left & left.wrapping_neg() };
                left &= !who;
                let meets = core::convert::identity(
                    #[inline(always)]
                    |agent, body| self.who.meet(agent, body),
                );
                walk.look::<S>(&NearestQuestion { tree, pack, who, own, k: self.k, meets });
                for at in set_bits::<PACK>(who) {
                    let (agent, place) = (pack.body[at], waiting.agents.len());
                    waiting.agents.push(agent);
                    for body in walk.near(who, at) {
                        waiting.pairs.push(self.who.pair(agent, body));
                        waiting.whose.push(place);
                        if waiting.pairs.len() == PAIRS_PER_BATCH {
                            self.flush(waiting, block);
                        }
                    }
                }
            }
        }
        self.flush(waiting, block);
        while block.counts.len() < waiting.agents.len() {
            self.finish(waiting, block);
        }
    }

    /// Solves the pairs that wait.
    fn flush(&self, waiting: &mut PendingPairs<S, T>, block: &mut AgentBlock<S, T>) {
        let PendingPairs { pairs, rows, scratch, .. } = waiting;
        rows.resize(pairs.len(), Proximity::default());
        solve_pairs(self.bodies, self.source, pairs, rows, scratch);
        for index in 0..waiting.rows.len() {
            let (place, row) = (waiting.whose[index], waiting.rows[index]);
            while block.counts.len() < place {
                self.finish(waiting, block);
            }
            let agent = waiting.agents[place];
            let seen = if row.a == agent { Neighbour::from_first(&row) } else { Neighbour::from_second(&row) };
            waiting.best.push(self.who.named(agent, seen));
            // A body such as a floor may have any number of candidates: only the `k` best are kept.
            if waiting.best.len() >= self.k.saturating_mul(2).saturating_add(PAIRS_PER_BATCH) {
                waiting.best.select_nth_unstable_by(self.k, Neighbour::order);
                waiting.best.truncate(self.k);
            }
        }
        waiting.pairs.clear();
        waiting.whose.clear();
    }

    /// Completes the list of the next agent, whose candidate pairs have all been solved.
    fn finish(&self, waiting: &mut PendingPairs<S, T>, block: &mut AgentBlock<S, T>) {
        let PendingPairs { agents, best, order, .. } = waiting;
        order.clear();
        order.extend(best.iter().enumerate().map(|(at, near)| Rank::new(near.distance, at as u32)));
        let by_order = |a: Rank, b: Rank| {
            a.order(
                b,
                #[cold]
                || Neighbour::order(&best[a.at() as usize], &best[b.at() as usize]),
            )
        };
        let nearest = sort_nearest(order, self.k, by_order);
        block.counts.push((agents[block.counts.len()], nearest.len() as u32));
        block.list.extend(nearest.iter().map(|placed| best[placed.at() as usize]));
        best.clear();
    }
}
