//! A tree over bodies: packs of sixteen bodies, under branches of sixteen nodes. A box is tested against sixteen others
//! at a time, from the root to the bodies.
//!
//! Packs are ordered so that any sixteen from a multiple of sixteen on are near each other (`packs.rs`), and so are
//! their branches: the children of a branch follow from its index.

use jostle_lanes::{prefetch, set_bits};

use crate::packs::{Around, PACK, Pack};

/// Up to this many children are sorted, and of this many the memory is prefetched. Of more, only the first is brought
/// to the front: most are never looked at once that one has been, and to sort sixteen takes as long as to look at two.
const ORDERED_CHILDREN: usize = 4;

/// The tree. Keeps its memory.
#[derive(Debug, Default)]
pub struct Tree {
    packs: Vec<Pack>,
    /// The branches, level by level: those over the packs first, the root last.
    levels: Vec<Vec<Branch>>,
}

/// The boxes of up to sixteen packs, or of branches of the level below, as columns.
#[derive(Debug)]
struct Branch {
    lower: [[f32; PACK]; 3],
    upper: [[f32; PACK]; 3],
    len: usize,
    /// The box about all of them.
    around: Around,
}

impl Branch {
    fn of(children: impl Iterator<Item = Around>) -> Self {
        let (lower, upper) = ([[0.0; PACK]; 3], [[0.0; PACK]; 3]);
        let mut branch = Self { lower, upper, len: 0, around: Around::NOTHING };
        for child in children {
            for k in 0..3 {
                branch.lower[k][branch.len] = child.lower[k];
                branch.upper[k][branch.len] = child.upper[k];
            }
            branch.around = branch.around.with(&child);
            branch.len += 1;
        }
        branch
    }
}

/// A branch, or (at level 0) a pack, that waits to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct WaitingNode {
    /// How soon (as a fraction of a way) it is met, or how far away it is, squared.
    pub at: f32,
    level: u32,
    index: u32,
}

impl WaitingNode {
    /// Its level, packs being level 0, and its index there.
    pub fn place(self) -> [usize; 2] {
        [self.level as usize, self.index as usize]
    }

    /// The child at a place of a branch.
    pub fn child(self, place: usize) -> Self {
        Self { at: 0.0, level: self.level - 1, index: self.index * PACK as u32 + place as u32 }
    }
}

/// What is to be looked at next.
pub enum Node<'t> {
    /// The boxes of a branch's children.
    Branch(BoxColumns<'t>),
    /// A pack of bodies, and its index.
    Pack(&'t Pack, usize),
}

/// Up to sixteen boxes, as columns.
#[derive(Clone, Copy, Debug)]
pub struct BoxColumns<'t> {
    pub lower: &'t [[f32; PACK]; 3],
    pub upper: &'t [[f32; PACK]; 3],
    len: usize,
}

impl BoxColumns<'_> {
    /// The boxes that exist, a bit each.
    pub fn all(&self) -> u32 {
        (1 << self.len) - 1
    }
}

impl Pack {
    /// The boxes of its bodies.
    pub fn boxes(&self) -> BoxColumns<'_> {
        BoxColumns { lower: &self.lower, upper: &self.upper, len: self.len }
    }
}

impl Tree {
    /// A tree over packs, in the order in which [`Packing`](crate::packs::Packing) makes them.
    pub fn new(packs: Vec<Pack>) -> Self {
        let mut tree = Self { packs, levels: Vec::new() };
        tree.renew(|_| ());
        tree
    }

    /// Changes the packs, and makes the branches over them anew.
    pub fn renew(&mut self, change: impl FnOnce(&mut Vec<Pack>)) {
        let Self { packs, levels } = self;
        change(packs);
        pile_up(levels, |below, above| match below {
            None => branch_out(packs, |pack| pack.around, above),
            Some(below) => branch_out(below, |branch| branch.around, above),
        });
    }

    /// The leaves.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The root, if there are any bodies.
    pub fn root(&self) -> Option<WaitingNode> {
        (!self.packs.is_empty()).then_some(WaitingNode { at: 0.0, level: self.levels.len() as u32, index: 0 })
    }

    /// The branch or pack that a waiting node stands for.
    pub fn node(&self, waiting: WaitingNode) -> Node<'_> {
        let index = waiting.index as usize;
        match waiting.level {
            0 => Node::Pack(&self.packs[index], index),
            level => {
                let Branch { lower, upper, len, .. } = &self.levels[level as usize - 1][index];
                Node::Branch(BoxColumns { lower, upper, len: *len })
            }
        }
    }

    /// Pushes the children of a branch whose bits are set onto a stack, the one with the least `at` on top, and
    /// prefetches some.
    pub fn push(&self, parent: WaitingNode, children: u32, at: &[f32; PACK], stack: &mut Vec<WaitingNode>) {
        let from = stack.len();
        stack.extend(set_bits::<PACK>(children).map(|place| WaitingNode { at: at[place], ..parent.child(place) }));
        let new = &mut stack[from..];
        if new.len() <= ORDERED_CHILDREN {
            new.sort_unstable_by(|a, b| b.at.total_cmp(&a.at));
        } else if let Some(first) = (0..new.len()).min_by(|&a, &b| new[a].at.total_cmp(&new[b].at)) {
            let last = new.len() - 1;
            new.swap(first, last);
        }
        self.ask_ahead(new);
    }

    /// The same where the order of the children does not matter.
    pub fn push_all(&self, parent: WaitingNode, children: u32, stack: &mut Vec<WaitingNode>) {
        let from = stack.len();
        stack.extend(set_bits::<PACK>(children).map(|place| parent.child(place)));
        self.ask_ahead(&stack[from..]);
    }

    /// Prefetches the last few nodes, which are looked at first.
    fn ask_ahead(&self, waiting: &[WaitingNode]) {
        for &child in waiting.iter().rev().take(ORDERED_CHILDREN) {
            let boxes = match self.node(child) {
                Node::Branch(boxes) => boxes,
                Node::Pack(pack, _) => pack.boxes(),
            };
            boxes.lower.iter().chain(boxes.upper).for_each(prefetch);
        }
    }
}

/// Fills the levels over some packs, from below, until a level has no more than one branch. `fill` makes each level
/// from the one below it (`None`: from the packs).
pub fn pile_up<X>(levels: &mut Vec<Vec<X>>, mut fill: impl FnMut(Option<&[X]>, &mut Vec<X>)) {
    let mut height = 0;
    loop {
        if levels.len() == height {
            levels.push(Vec::new());
        }
        let (below, above) = levels.split_at_mut(height);
        fill(below.last().map(Vec::as_slice), &mut above[0]);
        height += 1;
        if above[0].len() <= 1 {
            break;
        }
    }
    levels.truncate(height);
}

fn branch_out<X>(children: &[X], around: impl Fn(&X) -> Around, branches: &mut Vec<Branch>) {
    branches.clear();
    branches.extend(children.chunks(PACK).map(|few| Branch::of(few.iter().map(&around))));
}
