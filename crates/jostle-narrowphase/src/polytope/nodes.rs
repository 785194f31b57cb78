//! The depth along the nodes of both Gauss maps: the faces of A, and those of B turned around.
//!
//! Along a node of A the depth is A's reach there (known) less the least of B's. Any known point of B bounds it from below;
//! so the node of least bound is asked for B's true support, which becomes one more known point, until no bound is
//! below the best depth seen. When bodies overlap a little that takes two or three supports, whatever their size.
//!
//! Of a large hull only those blocks of nodes are looked at which their caps do not rule out: at first the one that promises
//! most, and when a depth is known all that may be below it.

use jostle_lanes::{Lanes, Least, Mask, Scalar, Space, Vector, prefetch_lines};
use jostle_shape::MAX_WIDTH;

use super::side::{Caps, Side, behind, each_block, node_block, splat};

/// Known points that are kept for the search over arcs; further ones only bound nodes.
pub const KEPT: usize = 24;

/// Memory for one of the two: kept from pair to pair.
#[derive(Clone, Debug)]
pub struct Room<T> {
    bounds: Vec<T>,
    /// The blocks of nodes that are looked at.
    open: Vec<u16>,
    /// Known points of the other. Here, where nobody has to make room for them pair by pair and nothing copies them.
    points: [[T; 3]; KEPT],
}

impl<T: Scalar> Default for Room<T> {
    fn default() -> Self {
        Self { bounds: Vec::new(), open: Vec::new(), points: [[T::ZERO; 3]; KEPT] }
    }
}

impl<T: Scalar> Room<T> {
    /// Makes room for so many nodes.
    #[inline(always)]
    pub fn reserve(&mut self, nodes: usize) {
        if self.bounds.len() < nodes {
            self.bounds.resize(nodes, T::ZERO);
            self.open.resize(nodes / MAX_WIDTH, 0);
        }
    }
}

/// One of the two, with what is known of the other.
#[derive(Debug)]
pub struct Half<'s, 'r, S: Space, T: Scalar> {
    /// Its columns.
    pub side: &'s Side<'s, T>,
    /// How the other is turned, seen from this one.
    pub turn: S::Rotation<T>,
    /// Where the other is, seen from this one.
    pub offset: S::Vector<T>,
    bounds: &'r mut [T],
    /// The blocks of nodes that are looked at: so many of these.
    blocks: &'r mut [u16],
    open: usize,
    points: &'r mut [[T; 3]; KEPT],
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
    pub fn new(side: &'s Side<'s, T>, turn: S::Rotation<T>, offset: S::Vector<T>, room: &'r mut Room<T>) -> Self {
        let nodes = side.nodes.len() / (S::DIMENSION + 1);
        room.reserve(nodes);
        let Room { bounds, open, points } = room;
        let (bounds, blocks) = (&mut bounds[..nodes], &mut open[..nodes / MAX_WIDTH]);
        Self { side, turn, offset, bounds, blocks, open: 0, points, known: 0, least: (-T::INFINITY, 0) }
    }

    /// Begins with points of the other, in this one's frame.
    #[inline(always)]
    pub fn begin<L: Lanes<Scalar = T>>(&mut self, points: [S::Vector<T>; 4]) {
        self.keep(points);
        let caps = self.side.caps[0];
        if caps.is_empty() {
            for (number, block) in self.blocks.iter_mut().enumerate() {
                *block = number as u16;
            }
            self.open = self.blocks.len();
        } else {
            let far = far(&points);
            let mut least = Least::<L>::new();
            each_block::<S, L>(
                caps,
                self.side.scale,
                self.blocks.len(),
                #[inline(always)]
                |caps| {
                    least.see(behind_caps::<S, L, 4>(caps, &points, &far));
                    L::Mask::splat(true)
                },
                |_| {},
            );
            // Behind the last cap there are copies of the first.
            self.blocks[0] = least.found().1 as u16;
            self.open = 1;
        }
        self.least = self.look::<L, 4>(0, true, &points);
    }

    /// Looks at all blocks that may be below `best` as well.
    #[inline(always)]
    pub fn widen<L: Lanes<Scalar = T>>(&mut self, best: T) {
        let caps = self.side.caps[0];
        if caps.is_empty() {
            return;
        }
        // What is known by now: the first points and perhaps one more.
        let mut points = [self.known(self.known - 1); 5];
        for i in 0..self.known.min(5) {
            points[i] = self.known(i);
        }
        let (first, known) = (self.blocks[0], self.open);
        let (far, level) = (far(&points), L::splat(best));
        let (nodes, blocks, open) = (self.side.nodes, &mut *self.blocks, &mut self.open);
        each_block::<S, L>(
            caps,
            self.side.scale,
            self.bounds.len() / MAX_WIDTH,
            #[inline(always)]
            |caps| behind_caps::<S, L, 5>(caps, &points, &far).ge(level),
            #[inline(always)]
            |block| {
                if block as u16 != first {
                    // They lie anywhere in what may be far away.
                    let numbers = node_block::<S>();
                    prefetch_lines(&nodes[block * numbers..(block + 1) * numbers], numbers * size_of::<T>() / 64);
                    blocks[*open] = block as u16;
                    *open += 1;
                }
            },
        );
        let more = self.look::<L, 5>(known, true, &points);
        if more.0 < self.least.0 {
            self.least = more;
        }
    }

    /// Learns one more.
    #[inline(always)]
    pub fn learn<L: Lanes<Scalar = T>>(&mut self, point: S::Vector<T>) {
        self.keep([point]);
        self.least = self.look::<L, 1>(0, false, &[point]);
    }

    /// What there is no room for replaces the last: it is lost to the arcs, not to the nodes.
    #[inline(always)]
    fn keep<const N: usize>(&mut self, points: [S::Vector<T>; N]) {
        let place = self.known.min(KEPT - N);
        for i in 0..N {
            for k in 0..S::DIMENSION {
                self.points[place + i][k] = points[i].get(k);
            }
        }
        self.known = place + N;
    }

    /// Bounds the nodes of the open blocks from one on by points: several at once, because each pass ends with looking for the
    /// least bound. Gives that and its node.
    #[inline(always)]
    fn look<L: Lanes<Scalar = T>, const N: usize>(
        &mut self,
        from: usize,
        fresh: bool,
        points: &[S::Vector<T>; N],
    ) -> (T, usize) {
        let nothing = L::splat(-T::INFINITY);
        let scale = L::splat(self.side.scale);
        let mut least = Least::<L>::new();
        for &number in &self.blocks[from..self.open] {
            let number = usize::from(number);
            let block = &self.side.nodes[number * node_block::<S>()..(number + 1) * node_block::<S>()];
            let bounds = &mut self.bounds[number * MAX_WIDTH..(number + 1) * MAX_WIDTH];
            let mut start = 0;
            while start < MAX_WIDTH {
                let mut bound = if fresh { nothing } else { L::load(&bounds[start..MAX_WIDTH]) };
                for i in 0..N {
                    let behind = behind::<S, L>(block, start, scale, splat::<S, L>(points[i]));
                    bound = behind.max(bound);
                }
                bound.store(&mut bounds[start..MAX_WIDTH]);
                least.see(bound);
                start += L::WIDTH;
            }
        }
        let (value, place) = least.found();
        let block = self.blocks[(from + place / MAX_WIDTH).min(self.blocks.len() - 1)];
        (value, usize::from(block) * MAX_WIDTH + place % MAX_WIDTH)
    }

    /// How many nodes this one has, copies included.
    #[inline(always)]
    pub fn nodes(&self) -> usize {
        self.bounds.len()
    }
    /// The least bound, and its node.
    #[inline(always)]
    pub fn least(&self) -> (T, usize) {
        self.least
    }
    /// How many known points were kept.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.known
    }
    /// One of these.
    #[inline(always)]
    pub fn known(&self, index: usize) -> S::Vector<T> {
        let point = &self.points[index];
        S::Vector::from_fn(
            #[inline(always)]
            |k| point[k],
        )
    }
}

/// How far points are from the centre.
#[inline(always)]
fn far<V: Vector<T>, T: Scalar, const N: usize>(points: &[V; N]) -> [T; N] {
    let mut far = [T::ZERO; N];
    for i in 0..N {
        far[i] = points[i].length_squared().sqrt();
    }
    far
}

/// How far behind all planes of W blocks one of the points, so `far` from the centre, lies at least.
#[inline(always)]
fn behind_caps<S: Space, L: Lanes, const N: usize>(
    caps: Caps<'_, L>,
    points: &[S::Vector<L::Scalar>; N],
    far: &[L::Scalar; N],
) -> L {
    let mut bound = L::splat(-L::Scalar::INFINITY);
    for i in 0..N {
        bound = caps.behind::<S>(splat::<S, L>(points[i]), L::splat(far[i])).max(bound);
    }
    bound
}
