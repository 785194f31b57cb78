//! The depth along the nodes of both Gauss maps: the faces of A, and those of B turned around.
//!
//! Along a node of A the depth is A's reach there (known) less the least of B's. Any known point of B bounds it from below;
//! so the node of least bound is asked for B's true support, which becomes one more known point, until no bound is
//! below the best depth seen. When bodies overlap a little that takes two or three supports, whatever their size.

use jostle_lanes::{Lanes, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use super::side::{Side, behind, node_block, splat};

/// Known points whose bounds are kept for the search over arcs; further ones only bound nodes. (An `f32` has 23 bits.)
pub const ROWS: usize = 22;

/// Memory for one of the two: kept from pair to pair.
#[derive(Debug, Default)]
pub struct Room<T> {
    bounds: Vec<T>,
    /// How far behind the nodes' planes known points lie: for each block of nodes, a row of [`MAX_WIDTH`] for each point.
    rows: Vec<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for so many nodes.
    pub fn reserve(&mut self, nodes: usize) {
        if self.bounds.len() < nodes {
            self.bounds.resize(nodes, T::ZERO);
            self.rows.resize(nodes * ROWS, T::ZERO);
        }
    }
}

/// One of the two, with what is known of the other.
#[derive(Debug)]
pub struct Half<'s, 'r, S: Space, T: Scalar> {
    /// Its columns.
    pub side: Side<'s, T>,
    /// How the other is turned, seen from this one.
    pub turn: S::Rotation<T>,
    /// Where the other is, seen from this one.
    pub offset: S::Vector<T>,
    bounds: &'r mut [T],
    rows: &'r mut [T],
    known: usize,
    /// The least bound, and its node.
    least: (T, usize),
}

/// The least depth along a node.
#[derive(Clone, Copy, Debug)]
pub struct BestNode<S: Space, T: Scalar> {
    /// The depth.
    pub depth: T,
    /// Whose node: 0 for A, 1 for B.
    pub half: usize,
    /// Which.
    pub node: usize,
    /// The other's point that is furthest against it, seen from this one.
    pub point: S::Vector<T>,
}

impl<'s, 'r, S: Space, T: Scalar> Half<'s, 'r, S, T> {
    /// Begins with nothing known.
    #[inline(always)]
    pub fn new(side: Side<'s, T>, turn: S::Rotation<T>, offset: S::Vector<T>, room: &'r mut Room<T>) -> Self {
        let nodes = side.nodes.len() / (S::DIMENSION + 1);
        room.reserve(nodes);
        let (bounds, rows) = (&mut room.bounds[..nodes], &mut room.rows[..nodes * ROWS]);
        Self { side, turn, offset, bounds, rows, known: 0, least: (-T::INFINITY, 0) }
    }

    /// Learns points of the other, in this one's frame: several at once, because each pass ends with looking for the least
    /// bound.
    #[inline(always)]
    pub fn learn<L: Lanes<Scalar = T>, const N: usize>(&mut self, points: [S::Vector<T>; N]) {
        // Rows beyond the last are written over it: it is lost to the arcs, not to the nodes.
        let row = self.known.min(ROWS - N) * MAX_WIDTH;
        let first = self.known == 0;
        let infinity = L::splat(T::INFINITY);
        let scale = L::splat(self.side.scale);
        let step = L::constant(L::WIDTH as f64);
        let mut index = L::from_fn(
            #[inline(always)]
            |i| T::from_f64(i as f64),
        );
        let (mut least, mut least_index) = (infinity, L::zero());
        let blocks = self.side.nodes.chunks_exact(node_block::<S>());
        let bounds = self.bounds.chunks_exact_mut(MAX_WIDTH);
        for ((block, bounds), rows) in blocks.zip(bounds).zip(self.rows.chunks_exact_mut(ROWS * MAX_WIDTH)) {
            let rows = &mut rows[row..row + N * MAX_WIDTH];
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut bound = if first { -infinity } else { L::load(&bounds[start..MAX_WIDTH]) };
                for i in 0..N {
                    let behind = behind::<S, L>(block, start, scale, splat::<S, L>(points[i]));
                    behind.store(&mut rows[i * MAX_WIDTH + start..(i + 1) * MAX_WIDTH]);
                    bound = behind.max(bound);
                }
                bound.store(&mut bounds[start..MAX_WIDTH]);
                let less = bound.lt(least);
                least = L::select(less, bound, least);
                least_index = L::select(less, index, least_index);
                index = index + step;
                start += L::WIDTH;
            }
        }
        self.known += N;
        let value = least.reduce_min();
        let node = least_index.least_where(least.eq(L::splat(value)));
        self.least = (value, node.to_f64() as usize);
    }

    /// For each node a number whose bits say which of the known points lie at least `depth` behind its plane; above
    /// those bits all numbers have the same.
    #[inline(always)]
    pub fn masks<L: Lanes<Scalar = T>>(&mut self, depth: T) -> &[T] {
        let known = self.known.min(ROWS);
        let depth = L::splat(depth);
        // Counting in units of the last place of 2^23 (2^52): the sum's bits are those of an integer.
        let unit = if T::UNIT_ROUNDOFF.to_f64() > 1e-10 { f64::from(1 << 23) } else { (1_u64 << 52) as f64 };
        for (bounds, rows) in self.bounds.chunks_exact_mut(MAX_WIDTH).zip(self.rows.chunks_exact(ROWS * MAX_WIDTH)) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut mask = L::constant(unit);
                let mut bit = L::one();
                for row in rows[..known * MAX_WIDTH].chunks_exact(MAX_WIDTH) {
                    let deep = L::load(&row[start..MAX_WIDTH]).ge(depth);
                    mask = mask + L::select(deep, bit, L::zero());
                    bit = bit + bit;
                }
                // The bounds have served.
                mask.store(&mut bounds[start..MAX_WIDTH]);
                start += L::WIDTH;
            }
        }
        self.bounds
    }
}

/// The node of least depth, to within `tolerance`. None if the numbers make no sense.
#[inline(always)]
pub fn least_node<S: Space, L: Lanes>(
    halves: &mut [Half<'_, '_, S, L::Scalar>; 2],
    tolerance: L::Scalar,
) -> Option<BestNode<S, L::Scalar>> {
    let mut best: Option<BestNode<S, L::Scalar>> = None;
    // Each node is asked at most once: its bound is then its depth.
    let nodes = halves[0].bounds.len() + halves[1].bounds.len();
    for _ in 0..nodes {
        let half = usize::from(halves[1].least.0 < halves[0].least.0);
        let (bound, node) = halves[half].least;
        if let Some(best) = best {
            let open = bound < best.depth - tolerance;
            // What is NaN is not open, and ends the search.
            if !open {
                return Some(best);
            }
        }
        let other = halves[1 - half].side;
        let mine = &mut halves[half];
        let normal = mine.side.normal::<S>(node);
        let point = mine.turn.rotate(other.support::<S, L>(mine.turn.unrotate(-normal))) + mine.offset;
        let depth = mine.side.reach::<S>(node) - normal.dot(point);
        if best.is_none_or(
            #[inline(always)]
            |best| depth < best.depth,
        ) {
            best = Some(BestNode { depth, half, node, point });
        }
        mine.learn::<L, 1>([point]);
    }
    None
}
