//! The search for the least depth of some pairs, side by side: each step is taken for all of them before the next one.
//!
//! A search is a chain of short steps (a support, a bound, what that leaves open), each of which waits for the one before and
//! ends with a choice that nobody can guess. One pair after the other, a processor has nothing else to do meanwhile; the same
//! step of the next pair is what it can begin. What is read and reckoned of a pair is the same in any company.

use jostle_lanes::{Lanes, Rotation, Scalar, Space, Vector};

use super::arcs::{self, ArcSpace};
use super::grow;
use super::nodes::{self, BestNode, Half};
use super::side::{BoxBlocks, Side};
use crate::gjk::Met;
use crate::noise::{APART, CONVERGED, noise};
use crate::one_by_one::Deepest;

/// So many pairs are searched side by side: by reckoning, what is kept of them in `f32` fits the first-level cache together with small hulls.
/// (Other numbers have not been tried.)
pub const GROUP: usize = 8;

/// Memory of searches, kept from pair to pair.
#[derive(Debug, Default)]
pub struct Room<T: Scalar> {
    /// For those that are searched.
    pub searching: Searching<T>,
    /// For those that grow.
    pub growing: grow::Room<T>,
    /// For those that are boxes. (Here, where nobody clears it for each group: 30 KB in `f64`, which was a tenth of what hulls of 16 points took.)
    pub blocks: Vec<PairBlocks<T>>,
}

/// Memory of the pruned search.
#[derive(Debug, Default)]
pub struct Searching<T: Scalar> {
    /// For each pair of a group.
    pairs: Vec<[nodes::Room<T>; 2]>,
    arcs: arcs::Room<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for polytopes of so many nodes and arcs.
    pub fn reserve(&mut self, nodes: usize, arcs: usize) {
        self.open();
        self.searching.pairs.iter_mut().flatten().for_each(|half| half.reserve(nodes));
        self.searching.arcs.reserve(arcs);
    }

    /// Makes room for a group, before the first search.
    pub fn open(&mut self) {
        let Self { searching: Searching { pairs, arcs }, growing, blocks } = self;
        if pairs.is_empty() {
            pairs.resize(GROUP, Default::default());
            arcs.open();
            growing.open();
            blocks.resize(GROUP, Default::default());
        }
    }

    /// Room for a list of arcs.
    #[inline(always)]
    pub fn alive(&mut self) -> &mut Vec<u16> {
        self.searching.alive()
    }
}

impl<T: Scalar> Searching<T> {
    /// Room for a list of arcs.
    #[inline(always)]
    pub fn alive(&mut self) -> &mut Vec<u16> {
        self.arcs.alive()
    }
}

/// Two placed polytopes, in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'s, S: Space, T: Scalar> {
    /// The first.
    pub a: Side<'s, T>,
    /// The second.
    pub b: Side<'s, T>,
    /// Where B's centre is.
    pub offset: S::Vector<T>,
    /// How B is turned.
    pub turn: S::Rotation<T>,
    /// The pair's magnitude.
    pub magnitude: T,
    /// Points of A - B, with the points of A they come from.
    pub met: &'s Met<S, T>,
}

/// A crossing that is better than any node.
#[derive(Clone, Copy, Debug)]
pub struct BestArc<S: Space, T: Scalar> {
    /// The depth: a true support.
    pub depth: T,
    /// Its direction, from A to B, in A's frame.
    pub normal: S::Vector<T>,
    /// The point of A's edge that is deepest.
    pub a: S::Vector<T>,
}

/// One of the pairs, on its way.
#[derive(Debug)]
pub struct Search<'s, 'r, S: Space, T: Scalar> {
    /// What is known of either.
    pub halves: [Half<'s, 'r, S, T>; 2],
    /// The pair's magnitude.
    pub magnitude: T,
    /// The best node so far, and the best of all once they are searched.
    pub node: Option<BestNode<S, T>>,
    /// The best crossing, if one is better than that.
    pub better: Option<BestArc<S, T>>,
    /// No crossing of nearly parallel edges is below this.
    pub weakest: T,
    /// How many nodes may still be asked: each is asked at most once, as its bound is then its depth.
    left: usize,
}

impl<'s, 'r, S: Space, T: Scalar> Search<'s, 'r, S, T> {
    /// Begins with the points that GJK met.
    #[inline(always)]
    fn begin<L: Lanes<Scalar = T>>(
        placed: &'s Placed<'s, S, T>,
        [room_a, room_b]: &'r mut [nodes::Room<T>; 2],
    ) -> Self {
        let Placed { a, b, offset, turn, magnitude, met: [p, q, r, s] } = placed;
        let (offset, turn, magnitude) = (*offset, *turn, *magnitude);
        let back = turn.inverse_times(S::Rotation::identity());
        let mut halves = [Half::new(a, turn, offset, room_a), Half::new(b, back, -back.rotate(offset), room_b)];
        halves[0].begin::<L>([p.a - p.w, q.a - q.w, r.a - r.w, s.a - s.w]);
        halves[1].begin::<L>([
            back.rotate(p.a - offset),
            back.rotate(q.a - offset),
            back.rotate(r.a - offset),
            back.rotate(s.a - offset),
        ]);
        let left = halves[0].nodes() + halves[1].nodes();
        Self { halves, magnitude, node: None, better: None, weakest: T::INFINITY, left }
    }

    /// Asks the node of the least bound, unless the best is found. False if there is nothing left to ask; no node is best where
    /// the numbers make no sense.
    #[inline(always)]
    fn step<L: Lanes<Scalar = T>>(&mut self) -> bool {
        if self.left == 0 {
            self.node = None;
            return false;
        }
        self.left -= 1;
        let half = usize::from(self.halves[1].least().0 < self.halves[0].least().0);
        let (bound, node) = self.halves[half].least();
        if let Some(best) = &self.node {
            let open = bound < best.depth - noise(CONVERGED / 2.0, self.magnitude);
            // What is NaN is not open, and ends the search.
            if !open {
                return false;
            }
        }
        let other = self.halves[1 - half].side;
        let mine = &self.halves[half];
        let normal = mine.side.normal::<S>(node);
        let point = mine.turn.rotate(other.support::<S, L>(mine.turn.unrotate(-normal))) + mine.offset;
        let depth = mine.side.reach::<S>(node) - normal.dot(point);
        let first = self.node.is_none();
        let better = match &self.node {
            Some(best) => depth < best.depth,
            None => true,
        };
        if better {
            self.node = Some(BestNode { depth, half, node, point });
        }
        self.halves[half].learn::<L>(point);
        if first {
            for half in &mut self.halves {
                half.widen::<L>(depth);
            }
        }
        true
    }

    /// The least depth so far.
    #[inline(always)]
    pub fn least(&self) -> T {
        match (&self.better, &self.node) {
            (Some(better), _) => better.depth,
            (None, Some(node)) => node.depth,
            (None, None) => T::INFINITY,
        }
    }

    /// What the search has come to. None if the numbers make no sense.
    #[inline(always)]
    fn end<L: Lanes<Scalar = T>>(&self) -> Option<Deepest<S, T>> {
        let node = self.node?;
        let [Half { side: a, turn, offset, .. }, Half { side: b, .. }] = &self.halves;
        let (normal, depth, point) = if let Some(better) = &self.better {
            (better.normal, better.depth, better.a)
        } else if node.half == 0 {
            let normal = a.normal::<S>(node.node);
            (normal, node.depth, node.point + normal * node.depth)
        } else {
            (-turn.rotate(b.normal::<S>(node.node)), node.depth, turn.rotate(node.point) + *offset)
        };
        // What touches a face is a corner of the other, and need not be looked for in that.
        let edges = self.better.is_some();
        let outside_a = if edges || node.half == 0 { a.outside::<S, L>(point) } else { T::ZERO };
        let other = turn.unrotate(point - normal * depth - *offset);
        let outside_b = if edges || node.half == 1 { b.outside::<S, L>(other) } else { T::ZERO };
        let outside = Lanes::max(outside_a, outside_b);
        Some(Deepest {
            normal,
            depth,
            a: point,
            fits: outside <= noise(APART / 2.0, self.magnitude),
            uncertain: self.weakest < depth,
        })
    }
}

/// Room for those of a pair that are boxes.
pub type PairBlocks<T> = [BoxBlocks<T>; 2];

/// Searches `count` pairs, at most [`GROUP`]: `place` says where each is, and has room for boxes; `tell` is told what was found of it, if that
/// makes sense.
///
/// # Panics
/// If the room was not [opened](Room::open).
#[inline(always)]
pub fn search_all<'r, S: ArcSpace, L: Lanes>(
    room: &'r mut Searching<L::Scalar>,
    blocks: &'r mut [PairBlocks<L::Scalar>],
    count: usize,
    mut place: impl FnMut(usize, &'r mut PairBlocks<L::Scalar>) -> Option<Placed<'r, S, L::Scalar>>,
    mut tell: impl FnMut(usize, Deepest<S, L::Scalar>),
) {
    let Searching { pairs, arcs } = room;
    let mut placed = [const { None::<Placed<'r, S, L::Scalar>> }; GROUP];
    let mut group = [const { None::<Search<'_, '_, S, L::Scalar>> }; GROUP];
    let (mut open, mut searching) = ([0_usize; GROUP], 0);
    for ((i, (halves, blocks)), (placed, search)) in
        pairs[..count].iter_mut().zip(blocks).enumerate().zip(placed.iter_mut().zip(&mut group))
    {
        *placed = place(i, blocks);
        if let Some(placed) = placed {
            *search = Some(Search::begin::<L>(placed, halves));
            open[searching] = i;
            searching += 1;
        }
    }
    while searching > 0 {
        let mut still = 0;
        for at in 0..searching {
            let i = open[at];
            if let Some(search) = &mut group[i] {
                let goes_on = search.step::<L>();
                open[still] = i;
                still += usize::from(goes_on);
            }
        }
        searching = still;
    }
    S::cross_all::<L>(&mut group[..count], arcs);
    for (i, search) in group[..count].iter().enumerate() {
        if let Some(search) = search
            && let Some(deepest) = search.end::<L>()
        {
            tell(i, deepest);
        }
    }
}

/// Searches one pair.
#[cfg(test)]
pub fn search<S: ArcSpace, L: Lanes>(placed: &Placed<'_, S, L::Scalar>) -> Option<Deepest<S, L::Scalar>> {
    let (mut room, mut found) = (Room::default(), None);
    room.open();
    search_all::<S, L>(
        &mut room.searching,
        &mut room.blocks,
        1,
        |_, _| Some(*placed),
        |_, deepest| found = Some(deepest),
    );
    found
}
