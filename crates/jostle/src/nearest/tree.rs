//! A tree of two branches at each node over packs of bodies.

use crate::packs::{Around, Pack, half_of};

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
    /// Over packs, in the order in which [`Packing`](crate::packs::Packing) makes them.
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
