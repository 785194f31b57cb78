//! One of two polytopes as the search sees it: points, nodes and arcs of its Gauss map, in its own frame.

use jostle_lanes::{D3, Lanes, Mask, Scalar, Space, Vec3, Vector, prefetch_lines};
use jostle_shape::{Hull, MAX_WIDTH, Points, place_in_blocks};

/// How unsound a hull's facets may be, in round-offs of its reach: what a depth can be wrong by because of it, well
/// below what its bounds allow for.
const SLACK: f64 = 8.0;

/// The corners of a polytope in [blocks](place_in_blocks), in its own frame. Lengths in them are to be multiplied by `scale`.
#[derive(Clone, Copy, Debug)]
pub struct Corners<'a, T> {
    /// Its points.
    pub points: Points<'a, T>,
    /// What brings its lengths to the pair's scale.
    pub scale: T,
}

impl<T: Scalar> Corners<'_, T> {
    /// Point `index`.
    #[inline(always)]
    pub fn point<S: Space>(&self, index: usize) -> S::Vector<T> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| self.points.blocks[place_in_blocks(S::DIMENSION, index, k)] * self.scale,
        )
    }

    /// The furthest point along `direction`.
    #[inline(always)]
    pub fn support<S: Space, L: Lanes<Scalar = T>>(&self, direction: S::Vector<T>) -> S::Vector<T> {
        self.point::<S>(self.points.furthest::<S, L>(splat::<S, L>(direction)))
    }
}

/// A polytope in [blocks](place_in_blocks). Lengths in them are to be multiplied by `scale`.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a, T> {
    /// Its points.
    pub points: Points<'a, T>,
    /// Its nodes: unit normals and the reach along them.
    pub nodes: &'a [T],
    /// How many arcs it has.
    pub arcs: usize,
    /// The nodes at their ends.
    pub ends: &'a [T],
    /// The same as sets, where there are few nodes: a word for each arc with a bit for each of its nodes.
    pub joins: &'a [u32],
    /// The two points of the edge of each.
    pub edges: &'a [[u16; 2]],
    /// What bounds blocks of nodes, and blocks of arcs; nothing where there are few.
    pub caps: [&'a [T]; 2],
    /// What brings its lengths to the pair's scale.
    pub scale: T,
}

impl<'a, T: Scalar> Side<'a, T> {
    /// A hull, if its facets are kept and as sound as this precision needs them.
    #[inline(always)]
    pub fn of_hull<S: Space>(hull: &'a Hull<S>, scale: T) -> Option<Self> {
        let facets = hull.facets()?;
        if facets.slack() > SLACK * T::UNIT_ROUNDOFF.to_f64() * hull.reach() {
            return None;
        }
        let (points, nodes, arcs) = (hull.points(), facets.blocks(), facets.arcs());
        let (ends, joins, edges, caps) = (facets.ends(), facets.joins(), facets.edges(), facets.caps());
        Some(Self { points, nodes, arcs, ends, joins, edges, caps, scale })
    }

    /// Its corners.
    #[inline(always)]
    pub fn corners(&self) -> Corners<'a, T> {
        Corners { points: self.points, scale: self.scale }
    }

    /// Point `index`.
    #[inline(always)]
    pub fn point<S: Space>(&self, index: usize) -> S::Vector<T> {
        self.corners().point::<S>(index)
    }

    /// The normal of node `index`.
    #[inline(always)]
    pub fn normal<S: Space>(&self, index: usize) -> S::Vector<T> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| self.nodes[place_in_blocks(S::DIMENSION + 1, index, k)],
        )
    }

    /// Where the edge of arc `index` begins and ends.
    #[inline(always)]
    pub fn edge(&self, index: usize) -> [Vec3<T>; 2] {
        let [from, to] = self.edges[index];
        [self.point::<D3>(from.into()), self.point::<D3>(to.into())]
    }

    /// The normals of the nodes at the ends of arc `index`.
    #[inline(always)]
    pub fn ends(&self, index: usize) -> [Vec3<T>; 2] {
        if let Some(&word) = self.joins.get(index) {
            // Its nodes have been read before.
            return [self.normal::<D3>(word.trailing_zeros() as usize), self.normal::<D3>(word.ilog2() as usize)];
        }
        let mut normals = [Vec3::zero(); 2];
        for (end, normal) in normals.iter_mut().enumerate() {
            *normal = Vec3::from_fn(
                #[inline(always)]
                |k| self.ends[place_in_blocks(8, index, 4 * end + k)],
            );
        }
        normals
    }

    /// The reach along node `index`.
    #[inline(always)]
    pub fn reach<S: Space>(&self, index: usize) -> T {
        self.nodes[place_in_blocks(S::DIMENSION + 1, index, S::DIMENSION)] * self.scale
    }

    /// The furthest point along `direction`.
    #[inline(always)]
    pub fn support<S: Space, L: Lanes<Scalar = T>>(&self, direction: S::Vector<T>) -> S::Vector<T> {
        self.corners().support::<S, L>(direction)
    }

    /// Where there are few nodes: the arcs that none of the first `count` points (at least one, and no more than `N`) shows to have no
    /// depth below `best`, and how many they are.
    #[inline(always)]
    pub fn open_arcs<L: Lanes<Scalar = T>, const N: usize>(
        &self,
        alive: &mut Vec<u16>,
        count: usize,
        point: impl Fn(usize) -> Vec3<T>,
        best: L,
    ) -> usize {
        // A set for each point: the nodes that it does not show to be no better.
        let (mut open, scale, mut first) = ([u32::MAX; N], L::splat(self.scale), 0);
        let points = count.min(N);
        for block in self.nodes.chunks_exact(node_block::<D3>()) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let plane = Planes::<D3, L>::new(block, start, scale);
                for (i, open) in open[..points].iter_mut().enumerate() {
                    *open &= !(plane.behind(splat::<D3, L>(point(i))).ge(best).to_bits() << (first + start));
                }
                start += L::WIDTH;
            }
            first += MAX_WIDTH;
        }
        if alive.len() < self.arcs {
            alive.resize(self.arcs, 0);
        }
        let (open, mut count, mut start) = (&open[..points], 0, 0);
        while start < self.joins.len() {
            // What shows both ends to be no better shows it for all between them. Beyond the last arc are empty words.
            let words = &self.joins[start..start + L::WIDTH];
            let mut closed = L::Mask::splat(false);
            for &open in open {
                closed = closed | L::bits_disjoint(words, open);
            }
            let mut bits = (!closed).to_bits();
            while bits != 0 {
                alive[count] = (start + bits.trailing_zeros() as usize) as u16;
                bits &= bits - 1;
                count += 1;
            }
            start += L::WIDTH;
        }
        count
    }

    /// The arcs that `open` says may matter, from the two ends of W of them at a time, and how many they are. Blocks whose
    /// caps `rules_out` are not looked at.
    #[inline(always)]
    pub fn arcs_where<L: Lanes<Scalar = T>>(
        &self,
        alive: &mut Vec<u16>,
        rules_out: impl Fn(Caps<'_, L>) -> L::Mask,
        open: impl Fn(&[T], &[T], usize) -> L::Mask,
    ) -> usize {
        const BLOCK: usize = 8 * MAX_WIDTH;
        let (arcs, blocks) = (self.arcs, self.ends.len() / BLOCK);
        // Blocks are listed behind the arcs, and asked for: they lie anywhere in what may be far away.
        if alive.len() < arcs + blocks {
            alive.resize(arcs + blocks, 0);
        }
        let (alive, listed) = alive.split_at_mut(arcs);
        let mut wanted = 0;
        each_block::<D3, L>(
            self.caps[1],
            self.scale,
            blocks,
            rules_out,
            #[inline(always)]
            |number| {
                if !self.caps[1].is_empty() {
                    prefetch_lines(&self.ends[number * BLOCK..(number + 1) * BLOCK], BLOCK * size_of::<T>() / 64);
                }
                listed[wanted] = number as u16;
                wanted += 1;
            },
        );
        let mut count = 0;
        for &number in &listed[..wanted] {
            let number = usize::from(number);
            let (from, to) = self.ends[number * BLOCK..(number + 1) * BLOCK].split_at(BLOCK / 2);
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut bits = open(from, to, start).to_bits();
                while bits != 0 {
                    let index = number * MAX_WIDTH + start + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // Beyond the last there are copies.
                    if index < arcs {
                        alive[count] = index as u16;
                        count += 1;
                    }
                }
                start += L::WIDTH;
            }
        }
        count
    }

    /// How far `point` is outside: the most it is beyond any node's plane; zero or less if it is not.
    #[inline(always)]
    pub fn outside<S: Space, L: Lanes<Scalar = T>>(&self, point: S::Vector<T>) -> T {
        let far = L::splat(point.length_squared().sqrt());
        let (point, scale) = (splat::<S, L>(point), L::splat(self.scale));
        let mut least = L::zero();
        each_block::<S, L>(
            self.caps[0],
            self.scale,
            self.nodes.len() / node_block::<S>(),
            #[inline(always)]
            |caps| caps.behind::<S>(point, far).ge(L::zero()),
            #[inline(always)]
            |number| {
                let block = &self.nodes[number * node_block::<S>()..(number + 1) * node_block::<S>()];
                let mut start = 0;
                while start < MAX_WIDTH {
                    least = least.min(behind::<S, L>(block, start, scale, point));
                    start += L::WIDTH;
                }
            },
        );
        -least.reduce_min()
    }
}

/// W caps of the blocks of a side.
#[derive(Clone, Copy)]
pub struct Caps<'c, L: Lanes> {
    /// The block of caps.
    block: &'c [L::Scalar],
    /// The first of the W.
    start: usize,
    scale: L,
}

impl<L: Lanes> Caps<'_, L> {
    /// How far behind all planes of W blocks `point` lies at least, which is `far` from the centre.
    #[inline(always)]
    pub fn behind<S: Space>(&self, point: S::Vector<L>, far: L) -> L {
        let middle = S::Vector::from_fn(
            #[inline(always)]
            |k| self.row(k),
        );
        self.row(S::DIMENSION + 1) * self.scale - middle.dot(point) - self.row(S::DIMENSION) * far
    }

    #[inline(always)]
    fn row(&self, k: usize) -> L {
        L::load(&self.block[k * MAX_WIDTH + self.start..(k + 1) * MAX_WIDTH])
    }
}

/// Visits the blocks that their caps do not rule out: all, where there are no caps.
#[inline(always)]
pub fn each_block<S: Space, L: Lanes>(
    caps: &[L::Scalar],
    scale: L::Scalar,
    blocks: usize,
    mut rules_out: impl FnMut(Caps<'_, L>) -> L::Mask,
    mut visit: impl FnMut(usize),
) {
    let numbers = (S::DIMENSION + 2) * MAX_WIDTH;
    let mut first = 0;
    while first < blocks {
        // A bit for each of the next W blocks that are there.
        let mut bits = u32::MAX >> (32 - L::WIDTH.min(blocks - first));
        if !caps.is_empty() {
            let group = first / MAX_WIDTH * numbers;
            let caps = Caps { block: &caps[group..group + numbers], start: first % MAX_WIDTH, scale: L::splat(scale) };
            bits &= !rules_out(caps).to_bits();
        }
        while bits != 0 {
            let block = first + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            visit(block);
        }
        first += L::WIDTH;
    }
}

/// The numbers in one block of nodes.
pub const fn node_block<S: Space>() -> usize {
    (S::DIMENSION + 1) * MAX_WIDTH
}

/// The planes of W nodes.
#[derive(Clone, Copy)]
pub struct Planes<S: Space, L: Lanes> {
    normal: S::Vector<L>,
    reach: L,
}

impl<S: Space, L: Lanes> Planes<S, L> {
    /// Those from `start` of a block.
    #[inline(always)]
    pub fn new(block: &[L::Scalar], start: usize, scale: L) -> Self {
        let normal = S::Vector::from_fn(
            #[inline(always)]
            |k| L::load(&block[k * MAX_WIDTH + start..(k + 1) * MAX_WIDTH]),
        );
        let reach = L::load(&block[S::DIMENSION * MAX_WIDTH + start..(S::DIMENSION + 1) * MAX_WIDTH]);
        Self { normal, reach: reach * scale }
    }

    /// How far behind them `point` lies.
    #[inline(always)]
    pub fn behind(self, point: S::Vector<L>) -> L {
        self.reach - self.normal.dot(point)
    }
}

/// How far behind W nodes' planes `point` lies: those from `start` of a block.
#[inline(always)]
pub fn behind<S: Space, L: Lanes>(block: &[L::Scalar], start: usize, scale: L, point: S::Vector<L>) -> L {
    Planes::<S, L>::new(block, start, scale).behind(point)
}

/// The same vector in every lane.
#[inline(always)]
pub fn splat<S: Space, L: Lanes>(vector: S::Vector<L::Scalar>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| L::splat(vector.get(k)),
    )
}

/// Room for a box's corners and faces: a block of each.
#[derive(Clone, Copy, Debug)]
pub struct BoxBlocks<T> {
    points: [T; 3 * MAX_WIDTH],
    nodes: [T; 4 * MAX_WIDTH],
    ends: [T; 8 * MAX_WIDTH],
}

impl<T: Scalar> Default for BoxBlocks<T> {
    fn default() -> Self {
        Self { points: [T::ZERO; 3 * MAX_WIDTH], nodes: [T::ZERO; 4 * MAX_WIDTH], ends: [T::ZERO; 8 * MAX_WIDTH] }
    }
}

impl<T: Scalar> BoxBlocks<T> {
    /// The corners of the box of these half extents, at the pair's scale already.
    #[inline(always)]
    pub fn corners<S: Space>(&mut self, half: [T; 3]) -> Corners<'_, T> {
        for i in 0..MAX_WIDTH {
            // Bits name the side of each axis.
            for k in 0..S::DIMENSION {
                self.points[k * MAX_WIDTH + i] = if i >> k & 1 == 1 { half[k] } else { -half[k] };
            }
        }
        Corners { points: Points { blocks: &self.points[..S::DIMENSION * MAX_WIDTH], cells: &[] }, scale: T::ONE }
    }

    /// The box of these half extents, at the pair's scale already. Extents of zero are harmless: what coincides is
    /// looked at twice.
    #[inline(always)]
    pub fn fill<S: Space>(&mut self, half: [T; 3]) -> Side<'_, T> {
        self.corners::<S>(half);
        for i in 0..MAX_WIDTH {
            // Nodes come in pairs, one axis after the other.
            let node = if i < 2 * S::DIMENSION { i } else { 0 };
            for k in 0..S::DIMENSION {
                let along = if node % 2 == 1 { T::ONE } else { -T::ONE };
                self.nodes[k * MAX_WIDTH + i] = if node / 2 == k { along } else { T::ZERO };
            }
            self.nodes[S::DIMENSION * MAX_WIDTH + i] = half[node / 2];
        }
        let (blocks, nodes) = (&self.points[..S::DIMENSION * MAX_WIDTH], &self.nodes[..node_block::<S>()]);
        let points = Points { blocks, cells: &[] };
        if S::DIMENSION < 3 {
            return Side { points, nodes, arcs: 0, ends: &[], joins: &[], edges: &[], caps: [&[]; 2], scale: T::ONE };
        }
        for i in 0..MAX_WIDTH {
            let edge = &BOX_EDGES[if i < BOX_EDGES.len() { i } else { 0 }];
            for k in 0..8 {
                self.ends[k * MAX_WIDTH + i] = nodes[k % 4 * MAX_WIDTH + edge.nodes[k / 4]];
            }
        }
        let (ends, joins, edges) = (&self.ends[..], &BOX_JOINS[..], &BOX_CORNERS[..]);
        Side { points, nodes, arcs: BOX_EDGES.len(), ends, joins, edges, caps: [&[]; 2], scale: T::ONE }
    }
}

/// An edge of a box: its corners, and the faces that meet there.
#[derive(Clone, Copy)]
struct BoxEdge {
    points: [u16; 2],
    nodes: [usize; 2],
}

/// All twelve.
const BOX_EDGES: [BoxEdge; 12] = {
    let mut edges = [BoxEdge { points: [0; 2], nodes: [0; 2] }; 12];
    let mut count = 0;
    while count < 12 {
        let (along, sides) = (count / 4, count % 4);
        let (one, two) = ((along + 1) % 3, (along + 2) % 3);
        let (side_one, side_two) = (sides & 1, sides >> 1);
        let corner = side_one << one | side_two << two;
        edges[count] = BoxEdge {
            points: [corner as u16, (corner | 1 << along) as u16],
            nodes: [2 * one + side_one, 2 * two + side_two],
        };
        count += 1;
    }
    edges
};

/// The corners of each.
static BOX_CORNERS: [[u16; 2]; 12] = {
    let mut corners = [[0; 2]; 12];
    let mut i = 0;
    while i < 12 {
        corners[i] = BOX_EDGES[i].points;
        i += 1;
    }
    corners
};

/// The faces of each, as a set; whole registers of sets.
static BOX_JOINS: [u32; MAX_WIDTH] = {
    let mut joins = [0; MAX_WIDTH];
    let mut i = 0;
    while i < 12 {
        let [one, two] = BOX_EDGES[i].nodes;
        joins[i] = 1 << one | 1 << two;
        i += 1;
    }
    joins
};
