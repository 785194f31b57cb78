//! Who is met by a box: where it is, or on its way, then the nearest branches of the tree first.

use core::marker::PhantomData;

use jostle_lanes::{Kernel, Lanes, Mask, dispatch, set_bits};
use jostle_narrowphase::Dimension;

use super::drift::{Beside, Drift};
use crate::packs::PACK;
use crate::tree::{BoxColumns, Node, Tree, WaitingNode};

/// Room for what the beginnings and ends of overlaps are rounded by: twice what the four operations of each come to.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// A box on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traveller {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
    /// The share of the way that a metre along each axis is; zero along axes on which the box stays where it is.
    pub share: [f32; 3],
    /// How long it takes.
    pub seconds: f32,
}

/// A search for all who are met on the way, which can be interrupted.
#[derive(Debug, Default)]
pub struct SweptSearch {
    traveller: Traveller,
    /// What is still to be looked at, the next on top, each after which share of the way.
    stack: Vec<WaitingNode>,
}

impl SweptSearch {
    /// Sets out.
    pub fn begin(&mut self, traveller: Traveller, tree: &Tree) {
        self.traveller = traveller;
        self.stack.clear();
        self.stack.extend(tree.root());
    }

    /// Tells all who are met by a box that stays where it is, in no particular order.
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

    /// True if nothing is left to be looked at.
    pub fn is_over(&self) -> bool {
        self.stack.is_empty()
    }

    /// Goes on until `most` are met or nobody is left who might be met by the share `latest` of the way; `met` is told
    /// those whose boxes are met until then, and after which share each, in no particular order. Those in the tree move
    /// too if there is a drift.
    pub fn advance<S: Dimension>(
        &mut self,
        (tree, drift): (&Tree, Option<&Drift<S>>),
        latest: f32,
        most: usize,
        mut met: impl FnMut(u32, f32),
    ) {
        let (mut enter, mut count) = ([0.0; PACK], 0);
        while count < most
            && let Some(next) = self.stack.pop()
        {
            if next.at > latest {
                continue;
            }
            let traveller = &self.traveller;
            let (enter, beside) = (&mut enter, drift.and_then(|drift| drift.beside(next)));
            let mut bits_of = |boxes: BoxColumns<'_>| {
                dispatch(Meet { boxes, beside, traveller, latest, enter, space: PhantomData::<S> })
            };
            match tree.node(next) {
                Node::Pack(pack, _) => {
                    let bits = bits_of(pack.boxes());
                    count += bits.count_ones() as usize;
                    set_bits::<PACK>(bits).for_each(|place| met(pack.body[place], enter[place]));
                }
                Node::Branch(boxes) => {
                    let bits = bits_of(boxes);
                    tree.push(next, bits, enter, &mut self.stack);
                }
            }
        }
    }
}

/// Which of sixteen boxes a box overlaps, a bit each. What is not a number does not tell two apart.
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

/// A sum, moved down (`sign` is -1) or up (1) by as much as it may be rounded by.
#[inline(always)]
fn outward<L: Lanes<Scalar = f32>>(sum: L, sign: L) -> L {
    sum + sign * (sum.abs() * L::constant(f64::from(2.0 * f32::EPSILON)) + L::constant(f64::from(f32::MIN_POSITIVE)))
}

/// Which of sixteen boxes a box meets on its way, and not too late, a bit each, and after which share of it.
struct Meet<'a, S> {
    boxes: BoxColumns<'a>,
    beside: Option<&'a Beside>,
    traveller: &'a Traveller,
    latest: f32,
    enter: &'a mut [f32; PACK],
    space: PhantomData<S>,
}

impl<S: Dimension> Kernel<f32> for Meet<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> u32 {
        let Self { boxes, beside, traveller, latest, enter: enters, .. } = self;
        let mut bits = 0;
        for at in (0..PACK).step_by(L::WIDTH) {
            let (mut enter, mut leave) = (L::zero(), L::one());
            // Written so that whoever is nowhere (bounds of a custom shape that end at infinity) is not passed by.
            let mut apart = L::Mask::splat(false);
            for k in 0..S::DIMENSION {
                let (mut lower, mut upper) = (L::load(&boxes.lower[k][at..]), L::load(&boxes.upper[k][at..]));
                if let Some(beside) = beside {
                    let [back, ahead] = beside.within::<L>(traveller.seconds, k, at);
                    (lower, upper) = (outward(lower + back, -L::one()), outward(upper + ahead, L::one()));
                }
                let to_lower = lower - L::splat(traveller.upper[k]);
                let to_upper = upper - L::splat(traveller.lower[k]);
                let share = traveller.share[k];
                if share == 0.0 {
                    apart = apart | to_lower.gt(L::zero()) | L::zero().gt(to_upper);
                } else {
                    let (there, back) = (to_lower * L::splat(share), to_upper * L::splat(share));
                    let [first, last] = if share > 0.0 { [there, back] } else { [back, there] };
                    enter = enter.max(first);
                    leave = leave.min(last);
                }
            }
            enter = enter * L::splat(1.0 - ROUNDING);
            apart = apart | enter.gt(leave * L::splat(1.0 + ROUNDING));
            let enter = L::select(enter.ge(L::zero()), enter, L::zero());
            enter.store(&mut enters[at..]);
            bits |= (!apart & enter.le(L::splat(latest))).to_bits() << at;
        }
        bits & boxes.all()
    }
}
