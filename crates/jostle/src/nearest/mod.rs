//! For each body the nearest few, however far they are.
//!
//! The radius that is not given is found first: a walk through a tree bounds the distances of whoever is near from both
//! sides, keeps those who may be among the nearest ([`walk`]), and these are asked in lanes; the best of them are the
//! answer. So it does not depend on how good the bounds are.

mod walk;

use core::ops::Range;

use jostle_broadphase::TooManyPairs;
use jostle_lanes::set_bits;
use jostle_narrowphase::{CHUNK, Dimension, Precision, Proximity, Records, Scratch, Source, solve_chunk};
use jostle_shape::{BodySet, Columns, CustomShape, Filters};
use jostle_tasks::{self as tasks, Pool};

use crate::error::ContactsError;
use crate::images::Images;
use crate::neighbours::{Neighbour, Neighbours};
use crate::origin::origin_of;
use crate::packs::{PACK, Pack, Packing};
use crate::sets::ProbeFilter;
use crate::tree::Tree;
use crate::weight;
use walk::{NearestQuestion, Walk};

/// Packs that one task looks after.
const BLOCK: usize = 16;

/// For each body the `k` nearest of those that it meets (see [`Filters`]), by the signed distance
/// between their outlines, however far they are: nearest first, equally near ones by their indices. `neighbours` is
/// replaced. The distances are those of [`contacts`](crate::contacts), bit for bit. Where space repeats,
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
/// If there are more than `u32::MAX` neighbours in all, or a custom shape's bounds are NaN.
pub fn nearest<T: Precision, S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    k: usize,
    neighbours: &mut Neighbours<S, T>,
) -> Result<(), ContactsError> {
    find(bodies, &Who::All(bodies.filters()), k, neighbours)
}

/// Who asks for whom.
pub(crate) enum Who<'w, S: Dimension> {
    /// Everybody for all others.
    All(Filters<'w>),
    /// Those of another set, who are counted on from the bodies of the first, for these.
    Behind(ProbeFilter<'w>),
    /// Bodies and their images.
    Repeating(Repeating<'w, S>),
}

/// Where space repeats: those who come first ask for everybody from some on, be it a body or an image of one.
pub(crate) struct Repeating<'w, S: Dimension> {
    pub images: &'w Images<S>,
    /// Who is at each place. Their filters hold.
    pub owners: &'w [u32],
    pub filters: Filters<'w>,
    /// How many ask.
    pub agents: u32,
    /// The first of those asked for; answers count from there.
    pub sought: u32,
    /// Whether a body's own images count.
    pub selves: bool,
}

impl<S: Dimension> Who<'_, S> {
    /// Who asks, of so many bodies.
    fn agents(&self, count: u32) -> Range<u32> {
        match *self {
            Who::All(_) => 0..count,
            Who::Behind(ProbeFilter { border, .. }) => border..count,
            Who::Repeating(Repeating { agents, .. }) => 0..agents,
        }
    }
    /// How the two are asked about: the first of two sets first, within one set as [`contacts`](crate::contacts) does.
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
    /// A neighbour as an answer calls it.
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

/// For each who asks the nearest of those asked for.
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

/// All that does not change.
pub(crate) struct Scene<'s, S: Dimension, T: Precision, P> {
    pub bodies: &'s P,
    pub who: &'s Who<'s, S>,
    pub tree: &'s Tree,
    /// Who asks, if not those of the tree.
    pub agents: Option<&'s [Pack]>,
    pub source: Source<'s, S, T>,
    pub k: usize,
}

/// The neighbours of some agents, one after the other.
#[derive(Debug, Default)]
pub(crate) struct AgentBlock<S: Dimension, T: Precision> {
    /// Agents and how many neighbours they have.
    counts: Vec<(u32, u32)>,
    list: Vec<Neighbour<S, T>>,
}

/// What a task needs.
pub(crate) struct NearestWorker<S: Dimension, T: Precision> {
    walk: Walk,
    waiting: PendingPairs<S, T>,
}

impl<S: Dimension, T: Precision> Default for NearestWorker<S, T> {
    fn default() -> Self {
        Self { walk: Walk::default(), waiting: PendingPairs::default() }
    }
}

/// Who may be among the nearest and waits to be asked, and what those asked have told.
struct PendingPairs<S: Dimension, T: Precision> {
    /// Pairs, and whose they are: a place among the agents.
    pairs: Vec<[u32; 2]>,
    whose: Vec<usize>,
    agents: Vec<u32>,
    rows: Vec<Proximity<S, T>>,
    scratch: Scratch<S, T>,
    /// What there is so far of one agent, and in which order.
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
    /// The neighbours of all who ask. `blocks` is memory to work in.
    ///
    /// # Errors
    /// If they are more than can be counted.
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

    /// Who asks.
    fn asking(&self) -> &[Pack] {
        self.agents.unwrap_or(self.tree.packs())
    }

    /// The neighbours of those who ask, from a pack on.
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
                        if waiting.pairs.len() == CHUNK {
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

    /// Asks the pairs that wait.
    fn flush(&self, waiting: &mut PendingPairs<S, T>, block: &mut AgentBlock<S, T>) {
        let PendingPairs { pairs, rows, scratch, .. } = waiting;
        rows.resize(pairs.len(), Proximity::default());
        solve_chunk(self.bodies, self.source, pairs, rows, scratch);
        for index in 0..waiting.rows.len() {
            let (place, row) = (waiting.whose[index], waiting.rows[index]);
            while block.counts.len() < place {
                self.finish(waiting, block);
            }
            let agent = waiting.agents[place];
            let seen = if row.a == agent { Neighbour::from_first(&row) } else { Neighbour::from_second(&row) };
            waiting.best.push(self.who.named(agent, seen));
            // A floor meets everybody.
            if waiting.best.len() >= self.k.saturating_mul(2).saturating_add(CHUNK) {
                waiting.best.select_nth_unstable_by(self.k, Neighbour::order);
                waiting.best.truncate(self.k);
            }
        }
        waiting.pairs.clear();
        waiting.whose.clear();
    }

    /// All of the next agent's have been asked.
    fn finish(&self, waiting: &mut PendingPairs<S, T>, block: &mut AgentBlock<S, T>) {
        let PendingPairs { agents, best, order, .. } = waiting;
        order.clear();
        order.extend(best.iter().enumerate().map(|(at, near)| Rank::new(near, at)));
        // Neighbours are long, and all numbers but these two of use only where these are equal.
        let by_order = |a: &Rank, b: &Rank| {
            a.key.cmp(&b.key).then_with(
                #[cold]
                || Neighbour::order(&best[a.at as usize], &best[b.at as usize]),
            )
        };
        if order.len() > self.k {
            order.select_nth_unstable_by(self.k, by_order);
            order.truncate(self.k);
        }
        order.sort_unstable_by(by_order);
        block.counts.push((agents[block.counts.len()], order.len() as u32));
        block.list.extend(order.iter().map(|placed| best[placed.at as usize]));
        best.clear();
    }
}

/// Where a neighbour comes in the order, and where it is.
#[derive(Clone, Copy)]
struct Rank {
    key: (i64, u32),
    at: u32,
}

impl Rank {
    fn new<S: Dimension, T: Precision>(near: &Neighbour<S, T>, at: usize) -> Self {
        // What `total_cmp` compares, of equal zeros.
        let bits = (near.distance.to_f64() + 0.0).to_bits().cast_signed();
        Self { key: (bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed(), near.body), at: at as u32 }
    }
}
