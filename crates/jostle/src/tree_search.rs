//! Which bodies of a tree a box meets that is at rest. (Swept along a way: `scene_index/search.rs`.)

use jostle_lanes::{Kernel, Lanes, Mask, dispatch, set_bits};
use jostle_narrowphase::Dimension;

use crate::packs::PACK;
use crate::tree::{BoxColumns, Node, Tree, WaitingNode};

/// A search for all bodies that a box meets. Keeps its memory.
#[derive(Debug, Default)]
pub struct OverlapSearch {
    /// The nodes still to be looked at.
    stack: Vec<WaitingNode>,
}

impl OverlapSearch {
    /// Calls `met` with every body whose box overlaps this box, in no particular order.
    pub fn all<S: Dimension>(
        &mut self,
        tree: &Tree,
        (lower, upper): (S::Array<f32>, S::Array<f32>),
        mut met: impl FnMut(u32),
    ) {
        let Self { stack, .. } = self;
        stack.clear();
        stack.extend(tree.root());
        while let Some(next) = stack.pop() {
            let bits_of = |boxes: BoxColumns<'_>| dispatch(Overlap::<S> { boxes, lower, upper });
            match tree.node(next) {
                Node::Pack(pack, _) => set_bits::<PACK>(bits_of(pack.boxes())).for_each(|place| met(pack.body[place])),
                Node::Branch(boxes) => tree.push_all(next, bits_of(boxes), stack),
            }
        }
    }
}

/// Which of sixteen boxes a box overlaps, a bit each. A NaN corner never rules a box out.
struct Overlap<'a, S: Dimension> {
    boxes: BoxColumns<'a>,
    lower: S::Array<f32>,
    upper: S::Array<f32>,
}

impl<S: Dimension> Kernel<f32> for Overlap<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> u32 {
        let Self { boxes, lower, upper } = self;
        let mut bits = 0;
        for at in (0..PACK).step_by(L::WIDTH) {
            let mut apart = L::Mask::splat(false);
            for k in 0..S::DIMENSION {
                apart = apart | L::load(&boxes.lower[k][at..]).gt(L::splat(upper[k]));
                apart = apart | L::splat(lower[k]).gt(L::load(&boxes.upper[k][at..]));
            }
            bits |= (!apart).to_bits() << at;
        }
        bits & boxes.all()
    }
}
