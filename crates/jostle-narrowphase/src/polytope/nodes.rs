//! The depth along the nodes of both Gauss maps: the faces of A, and those of B turned around.
//!
//! Along a node of A the depth is A's reach there (known) less the least of B's. Any known point of B bounds it from below;
//! so the node of least bound is asked for B's true support, which becomes one more known point, until no bound is
//! below the best depth seen. When bodies overlap a little that takes two or three supports, whatever their size.

use jostle_lanes::{Lanes, Least, Rotation, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use super::side::{Side, behind, node_block, splat};

/// Known points that are kept for the search over arcs; further ones only bound nodes.
const KEPT: usize = 24;

/// Memory for one of the two: kept from pair to pair.
#[derive(Debug, Default)]
pub struct Room<T> {
    bounds: Vec<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for so many nodes.
    pub fn reserve(&mut self, nodes: usize) {
        if self.bounds.len() < nodes {
            self.bounds.resize(nodes, T::ZERO);
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
    points: [S::Vector<T>; KEPT],
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
        let bounds = &mut room.bounds[..nodes];
        Self { side, turn, offset, bounds, points: [offset; KEPT], known: 0, least: (-T::INFINITY, 0) }
    }

    /// Learns points of the other, in this one's frame: several at once, because each pass ends with looking for the least
    /// bound.
    #[inline(always)]
    pub fn learn<L: Lanes<Scalar = T>, const N: usize>(&mut self, points: [S::Vector<T>; N]) {
        let first = self.known == 0;
        // What there is no room for replaces the last: it is lost to the arcs, not to the nodes.
        let place = self.known.min(KEPT - N);
        self.points[place..place + N].copy_from_slice(&points);
        self.known = place + N;
        let nothing = L::splat(-T::INFINITY);
        let scale = L::splat(self.side.scale);
        let mut least = Least::<L>::new();
        let blocks = self.side.nodes.chunks_exact(node_block::<S>());
        let bounds = self.bounds.chunks_exact_mut(MAX_WIDTH);
        for (block, bounds) in blocks.zip(bounds) {
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut bound = if first { nothing } else { L::load(&bounds[start..MAX_WIDTH]) };
                for i in 0..N {
                    let behind = behind::<S, L>(block, start, scale, splat::<S, L>(points[i]));
                    bound = behind.max(bound);
                }
                bound.store(&mut bounds[start..MAX_WIDTH]);
                least.see(bound);
                start += L::WIDTH;
            }
        }
        self.least = least.found();
    }

    /// The known points that were kept, the last first.
    #[inline(always)]
    pub fn known(&self) -> impl Iterator<Item = &S::Vector<T>> {
        self.points[..self.known].iter().rev()
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
