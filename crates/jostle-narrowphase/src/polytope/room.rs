//! Memory of searches for a depth, kept from pair to pair.

use jostle_lanes::{Scalar, Space};
use jostle_shape::MAX_WIDTH;

use super::grow;
use super::grow::faces::GrowSpace;
use super::view::BoxBlocks;
use crate::faceted::arcs::Arcs;

/// Memory of searches, kept from pair to pair.
#[derive(Debug)]
pub struct DepthRoom<S: Space, T: Scalar> {
    /// Surfaces.
    pub growing: grow::GrowingRoom<S, T>,
    /// The numbers of bodies that are boxes. (Kept here, so that it is not cleared for each packet: these are 30 KB in
    /// `f64`, and to clear them took a tenth of the time of hulls of 16 points.)
    pub blocks: Vec<[BoxBlocks<T>; 2]>,
    /// Arcs to be searched.
    pub arcs: Arcs,
}

impl<S: Space, T: Scalar> Default for DepthRoom<S, T> {
    fn default() -> Self {
        Self { growing: grow::GrowingRoom::default(), blocks: Vec::new(), arcs: Arcs::default() }
    }
}

impl<S: GrowSpace, T: Scalar> DepthRoom<S, T> {
    /// Makes room for polytopes of so many arcs.
    pub fn reserve(&mut self, arcs: usize) {
        self.open(MAX_WIDTH);
        self.arcs.reserve(arcs);
    }

    /// Makes room for packets of so many pairs to grow in.
    pub fn open(&mut self, pairs: usize) {
        self.growing.open(pairs);
        self.open_blocks(pairs);
    }

    /// Makes room for the boxes of so many pairs alone.
    pub fn open_blocks(&mut self, pairs: usize) {
        if self.blocks.len() < pairs {
            self.blocks.resize(pairs, Default::default());
        }
    }
}
