//! A polytope as searches see it: its corners, and the nodes and arcs of its Gauss map, in its own frame.

use jostle_lanes::{D3, Lanes, Mask, Scalar, Space, Vec3, Vector};
use jostle_shape::{Hull, MAX_WIDTH, Points, place_in_blocks};

/// How unsound a hull's facets may be, in round-offs of its reach: what a depth can be wrong by because of it, well
/// below what its bounds allow for.
const SLACK: f64 = 8.0;

/// A polytope in [blocks](place_in_blocks). Lengths in them are to be multiplied by `scale`.
#[derive(Clone, Copy, Debug)]
pub struct PolytopeView<'a, T> {
    /// Its points.
    pub points: Points<'a, T>,
    /// Its nodes: unit normals and the reach along them.
    pub nodes: &'a [T],
    /// How many arcs it has.
    pub arcs: usize,
    /// The nodes at their ends.
    pub ends: &'a [T],
    /// The two points of the edge of each.
    pub edges: &'a [[u16; 2]],
    /// What brings its lengths to the pair's scale.
    pub scale: T,
}

impl<'a, T: Scalar> PolytopeView<'a, T> {
    /// A hull, if its facets are kept and as sound as this precision needs them.
    #[inline(always)]
    pub fn of_hull<S: Space>(hull: &'a Hull<S>, scale: T) -> Option<Self> {
        let facets = hull.facets()?;
        if facets.slack() > SLACK * T::UNIT_ROUNDOFF.to_f64() * hull.reach() {
            return None;
        }
        let (points, nodes, arcs) = (hull.points(), facets.blocks(), facets.arcs());
        Some(Self { points, nodes, arcs, ends: facets.ends(), edges: facets.edges(), scale })
    }

    /// Point `index`.
    #[inline(always)]
    pub fn point<S: Space>(&self, index: usize) -> S::Vector<T> {
        self.points.point::<S>(index) * self.scale
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
        self.point::<S>(self.points.furthest::<S, L>(splat::<S, L>(direction)))
    }

    /// The arcs that `open` says may matter, from the two ends of W of them at a time, and how many they are.
    #[inline(always)]
    pub fn arcs_where<L: Lanes<Scalar = T>>(
        &self,
        alive: &mut Vec<u16>,
        open: impl Fn(&[T], &[T], usize) -> L::Mask,
    ) -> usize {
        const BLOCK: usize = 8 * MAX_WIDTH;
        if alive.len() < self.arcs {
            alive.resize(self.arcs, 0);
        }
        let mut count = 0;
        for (number, block) in self.ends.chunks_exact(BLOCK).enumerate() {
            let (from, to) = block.split_at(BLOCK / 2);
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut bits = open(from, to, start).to_bits();
                while bits != 0 {
                    let index = number * MAX_WIDTH + start + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // Beyond the last there are copies.
                    if index < self.arcs {
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
        let (point, scale) = (splat::<S, L>(point), L::splat(self.scale));
        let mut least = L::zero();
        for block in self.nodes.chunks_exact(node_block::<S>()) {
            let mut start = 0;
            while start < MAX_WIDTH {
                least = least.min(behind::<S, L>(block, start, scale, point));
                start += L::WIDTH;
            }
        }
        -least.reduce_min()
    }
}

/// The numbers in one block of nodes.
pub const fn node_block<S: Space>() -> usize {
    (S::DIMENSION + 1) * MAX_WIDTH
}

/// How far behind W nodes' planes `point` lies: those from `start` of a block.
#[inline(always)]
pub fn behind<S: Space, L: Lanes>(block: &[L::Scalar], start: usize, scale: L, point: S::Vector<L>) -> L {
    let normal = S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&block[k * MAX_WIDTH + start..(k + 1) * MAX_WIDTH]),
    );
    let reach = L::load(&block[S::DIMENSION * MAX_WIDTH + start..(S::DIMENSION + 1) * MAX_WIDTH]);
    reach * scale - normal.dot(point)
}

/// W vectors from columns of `stride` numbers.
#[inline(always)]
pub fn load3<L: Lanes>(columns: &[L::Scalar], stride: usize, first: usize, start: usize) -> Vec3<L> {
    Vec3 {
        x: L::load(&columns[first * stride + start..]),
        y: L::load(&columns[(first + 1) * stride + start..]),
        z: L::load(&columns[(first + 2) * stride + start..]),
    }
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
    pub fn corners<S: Space>(&mut self, half: [T; 3]) -> Points<'_, T> {
        for i in 0..MAX_WIDTH {
            // Bits name the side of each axis.
            for k in 0..S::DIMENSION {
                self.points[k * MAX_WIDTH + i] = if i >> k & 1 == 1 { half[k] } else { -half[k] };
            }
        }
        Points { blocks: &self.points[..S::DIMENSION * MAX_WIDTH], cells: &[] }
    }

    /// The box of these half extents, at the pair's scale already. Extents of zero are harmless: what coincides is
    /// looked at twice.
    #[inline(always)]
    pub fn fill<S: Space>(&mut self, half: [T; 3]) -> PolytopeView<'_, T> {
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
            return PolytopeView { points, nodes, arcs: 0, ends: &[], edges: &[], scale: T::ONE };
        }
        for i in 0..MAX_WIDTH {
            let edge = &BOX_EDGES[if i < BOX_EDGES.len() { i } else { 0 }];
            for k in 0..8 {
                self.ends[k * MAX_WIDTH + i] = nodes[k % 4 * MAX_WIDTH + edge.nodes[k / 4]];
            }
        }
        PolytopeView { points, nodes, arcs: BOX_EDGES.len(), ends: &self.ends, edges: &BOX_CORNERS, scale: T::ONE }
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
