//! A tree over bodies' boxes whose leaves are packs of sixteen, so that a whole leaf is tested at once.
//!
//! Bodies are halved along the axis on which their inner points differ most, at whole packs, until one is left. Each
//! node's box holds the boxes of all. What a test needs of a body lies in its pack, column by column.

use jostle_broadphase::Bounds;
use jostle_narrowphase::Dimension;
use jostle_tasks::{self as tasks, Few};

/// Bodies of a pack: as many as the widest register has lanes.
pub const PACK: usize = 16;
/// Bodies below which halving is one task's work.
const PIECE: usize = 4096;
/// Packs that are one task's work.
const FEW: usize = 64;

/// A box, in `f32`, rounded outward; in the plane the third axis is of no use.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
}

impl Around {
    const NOTHING: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// The box about two boxes.
    fn with(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.lower[k] = self.lower[k].min(other.lower[k]);
            both.upper[k] = self.upper[k].max(other.upper[k]);
        }
        both
    }
}

/// What is known of a body before anybody asks for its distance.
#[derive(Clone, Copy, Debug)]
pub struct Member<S: Dimension> {
    pub body: u32,
    /// A point of it.
    pub point: S::Array<f32>,
    /// It holds the ball of this radius about that point, and what its distances are rounded by.
    pub round: f32,
}

/// Up to sixteen bodies that are near each other, as columns.
#[derive(Clone, Debug)]
pub struct Pack {
    pub lower: [[f32; PACK]; 3],
    pub upper: [[f32; PACK]; 3],
    pub point: [[f32; PACK]; 3],
    pub round: [f32; PACK],
    pub body: [u32; PACK],
    pub len: usize,
    /// About all of them.
    pub around: Around,
}

impl<S: Dimension> Member<S> {
    /// Not yet known.
    pub fn nobody() -> Self {
        Self { body: u32::MAX, point: S::array(|_| 0.0), round: 0.0 }
    }
}

impl Pack {
    const EMPTY: Self = Self {
        lower: [[0.0; PACK]; 3],
        upper: [[0.0; PACK]; 3],
        point: [[0.0; PACK]; 3],
        round: [0.0; PACK],
        body: [u32::MAX; PACK],
        len: 0,
        around: Around::NOTHING,
    };

    fn new<S: Dimension>(members: &[Member<S>], bounds: &Bounds<S>) -> Self {
        let mut pack = Self { len: members.len(), ..Self::EMPTY };
        for (at, member) in members.iter().enumerate() {
            let (lower, upper) = bounds.get(member.body as usize);
            for k in 0..S::DIMENSION {
                pack.lower[k][at] = lower[k];
                pack.upper[k][at] = upper[k];
                pack.point[k][at] = member.point[k];
                pack.around.lower[k] = pack.around.lower[k].min(lower[k]);
                pack.around.upper[k] = pack.around.upper[k].max(upper[k]);
            }
            pack.round[at] = member.round;
            pack.body[at] = member.body;
        }
        pack
    }

    /// The places that hold a body, a bit each.
    pub fn everybody(&self) -> u32 {
        (1 << self.len) - 1
    }
}

/// Packs of near bodies, near packs near each other.
pub fn packs<S: Dimension>(mut members: Vec<Member<S>>, bounds: &Bounds<S>) -> Vec<Pack> {
    halve::<S>(&mut members);
    let mut packs = vec![Pack::EMPTY; members.len().div_ceil(PACK)];
    tasks::each((Few::of(&members[..], FEW * PACK), Few::of(&mut packs[..], FEW)), |_, (members, packs)| {
        for (members, pack) in members.list.chunks(PACK).zip(packs.list) {
            *pack = Pack::new(members, bounds);
        }
    });
    packs
}

/// The tree.
#[derive(Debug)]
pub struct Tree {
    /// The first child follows its parent.
    nodes: Vec<Node>,
    packs: Vec<Pack>,
}

/// A node of the tree.
#[derive(Debug)]
pub struct Node {
    pub around: Around,
    /// The second child, or the pack of a leaf.
    pub second: u32,
    pub leaf: bool,
}

impl Tree {
    /// Over packs, in the order in which [`packs`] makes them.
    pub fn new(packs: Vec<Pack>) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(2 * packs.len()), packs };
        if !tree.packs.is_empty() {
            tree.grow(0, tree.packs.len());
        }
        tree
    }

    /// The leaves.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The nodes, the root first, and behind each its first child.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn grow(&mut self, first: usize, len: usize) -> usize {
        let index = self.nodes.len();
        if len == 1 {
            self.nodes.push(Node { around: self.packs[first].around, second: first as u32, leaf: true });
            return index;
        }
        self.nodes.push(Node { around: Around::NOTHING, second: 0, leaf: false });
        let half = half_of(len);
        let children = [self.grow(first, half), self.grow(first + half, len - half)];
        let around = self.nodes[children[0]].around.with(&self.nodes[children[1]].around);
        self.nodes[index] = Node { around, second: children[1] as u32, leaf: false };
        index
    }
}

/// How many of so many packs the first child has.
fn half_of(packs: usize) -> usize {
    packs / 2
}

/// Orders bodies so that each half of each half is on one side of the other.
fn halve<S: Dimension>(members: &mut [Member<S>]) {
    if members.len() <= PACK {
        return;
    }
    let mut ends = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    for member in &*members {
        for (k, ends) in ends.iter_mut().enumerate().take(S::DIMENSION) {
            let x = member.point[k];
            *ends = [ends[0].min(x), ends[1].max(x)];
        }
    }
    let widest = (0..S::DIMENSION)
        .max_by(|&i, &j| (ends[i][1] - ends[i][0]).total_cmp(&(ends[j][1] - ends[j][0])))
        .unwrap_or_default();
    let half = half_of(members.len().div_ceil(PACK)) * PACK;
    let order = |a: &Member<S>, b: &Member<S>| a.point[widest].total_cmp(&b.point[widest]).then(a.body.cmp(&b.body));
    members.select_nth_unstable_by(half, order);
    let (front, back) = members.split_at_mut(half);
    if front.len() > PIECE {
        tasks::join(|| halve::<S>(front), || halve::<S>(back));
    } else {
        halve::<S>(front);
        halve::<S>(back);
    }
}
