//! A polytope as searches see it: its corners, and the nodes and arcs of its Gauss map, in its own frame.

use jostle_lanes::{D3, Lanes, Mask, Scalar, Space, Vec3, Vector, set_bits};
use jostle_shape::{Facets, Hull, MAX_WIDTH, Points, place_in_blocks};

/// How unsound a hull's facets may be, in round-offs of its reach: what a depth can be wrong by because of it, well
/// below what its bounds allow for.
const FACET_SLACK: f64 = 8.0;

/// Whether a hull's facets are as sound as this precision needs them.
#[inline(always)]
pub fn is_sound<S: Space, T: Scalar>(hull: &Hull<S>, facets: &Facets) -> bool {
    facets.slack() <= FACET_SLACK * T::UNIT_ROUNDOFF.to_f64() * hull.reach()
}

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
        if !is_sound::<S, T>(hull, facets) {
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

    /// Takes the arcs that `open` says may matter, from the two ends of W of them at a time.
    #[inline(always)]
    pub fn arcs_where<L: Lanes<Scalar = T>>(
        &self,
        open: impl Fn(&[T], &[T], usize) -> L::Mask,
        mut take: impl FnMut(usize),
    ) {
        const BLOCK: usize = 8 * MAX_WIDTH;
        for (number, block) in self.ends.chunks_exact(BLOCK).enumerate() {
            let (from, to) = block.split_at(BLOCK / 2);
            let mut start = 0;
            while start < MAX_WIDTH {
                for lane in set_bits::<MAX_WIDTH>(open(from, to, start).to_bits()) {
                    let index = number * MAX_WIDTH + start + lane;
                    // Beyond the last there are copies.
                    if index < self.arcs {
                        take(index);
                    }
                }
                start += L::WIDTH;
            }
        }
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

    /// How far in front of all nodes' planes the origin is: the radius of a ball about it that is inside; zero or less
    /// if there is none.
    #[inline(always)]
    pub fn inradius<S: Space, L: Lanes<Scalar = T>>(&self) -> T {
        let mut least = L::splat(T::INFINITY);
        for block in self.nodes.chunks_exact(node_block::<S>()) {
            let mut start = 0;
            while start < MAX_WIDTH {
                least = least.min(L::load(&block[S::DIMENSION * MAX_WIDTH + start..]));
                start += L::WIDTH;
            }
        }
        least.reduce_min() * self.scale
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

/// A box's corners, and its faces and edges in space: a block of each. What boxes have in common, signs and normals,
/// stays there; lengths are filled in by the register. (Number by number, then read by the register, it was a seventh
/// of what a box against a cylinder took.)
#[derive(Clone, Copy, Debug)]
pub struct BoxBlocks<T> {
    points: [T; 3 * MAX_WIDTH],
    nodes: [T; 4 * MAX_WIDTH],
    ends: [T; 8 * MAX_WIDTH],
}

impl<T: Scalar> Default for BoxBlocks<T> {
    fn default() -> Self {
        let (mut points, mut nodes, mut ends) =
            ([T::ZERO; 3 * MAX_WIDTH], [T::ZERO; 4 * MAX_WIDTH], [T::ZERO; 8 * MAX_WIDTH]);
        let sign = |positive: bool| if positive { T::ONE } else { -T::ONE };
        for i in 0..MAX_WIDTH {
            for k in 0..3 {
                // Bits name the side of each axis.
                points[k * MAX_WIDTH + i] = sign(i >> k & 1 == 1);
            }
            // Nodes come in pairs, one axis after the other.
            let node = if i < 6 { i } else { 0 };
            nodes[node / 2 * MAX_WIDTH + i] = sign(node % 2 == 1);
        }
        for i in 0..MAX_WIDTH {
            let edge = &BOX_EDGES[if i < BOX_EDGES.len() { i } else { 0 }];
            for k in 0..8 {
                ends[k * MAX_WIDTH + i] = nodes[k % 4 * MAX_WIDTH + edge.nodes[k / 4]];
            }
        }
        Self { points, nodes, ends }
    }
}

impl<T: Scalar> BoxBlocks<T> {
    /// The corners of the box of these half extents, at the pair's scale already.
    #[inline(always)]
    pub fn corners<S: Space, L: Lanes<Scalar = T>>(&mut self, half: [T; 3]) -> Points<'_, T> {
        for (k, half) in half.into_iter().enumerate().take(S::DIMENSION) {
            let mut start = k * MAX_WIDTH;
            while start < (k + 1) * MAX_WIDTH {
                let place = &mut self.points[start..start + L::WIDTH];
                L::splat(half).copysign(L::load(place)).store(place);
                start += L::WIDTH;
            }
        }
        Points { blocks: &self.points[..S::DIMENSION * MAX_WIDTH], cells: &[] }
    }

    /// The box of these half extents in space, at the pair's scale already. Extents of zero are harmless: what
    /// coincides is looked at twice.
    #[inline(always)]
    pub fn fill<L: Lanes<Scalar = T>>(&mut self, half: [T; 3]) -> PolytopeView<'_, T> {
        self.corners::<D3, L>(half);
        let half = splat::<D3, L>(Vec3::from_fn(
            #[inline(always)]
            |k| half[k],
        ));
        let (from, to) = self.ends.split_at_mut(4 * MAX_WIDTH);
        for columns in [&mut self.nodes[..], from, to] {
            let mut start = 0;
            while start < MAX_WIDTH {
                let reach = load3::<L>(columns, MAX_WIDTH, 0, start).abs().dot(half);
                reach.store(&mut columns[3 * MAX_WIDTH + start..]);
                start += L::WIDTH;
            }
        }
        let points = Points { blocks: &self.points, cells: &[] };
        let (arcs, edges) = (BOX_EDGES.len(), &BOX_CORNERS);
        PolytopeView { points, nodes: &self.nodes, arcs, ends: &self.ends, edges, scale: T::ONE }
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
