//! Which bodies a box meets that is swept along a way: the nearest branches of the tree come first. (At rest:
//! `tree_search.rs`.)

use core::marker::PhantomData;

use jostle_lanes::{Kernel, Lanes, Mask, dispatch, set_bits};
use jostle_narrowphase::Dimension;

use super::drift::{Beside, Drift};
use crate::packs::PACK;
use crate::tree::{BoxColumns, Node, Tree, WaitingNode};

/// Relative room for the rounding of where overlaps begin and end: twice what the four operations of each come to.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// A box that is swept along a way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traveller {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
    /// The fraction of the way that a metre along each axis is; zero along axes on which the box stays where it is.
    pub share: [f32; 3],
    /// How long the way takes, seconds.
    pub seconds: f32,
}

/// A search for all bodies that a swept box meets, which can be interrupted and resumed.
#[derive(Debug, Default)]
pub struct SweptSearch {
    traveller: Traveller,
    /// The nodes still to be looked at, the next on top, each with the fraction of the way after which it is met.
    stack: Vec<WaitingNode>,
}

impl SweptSearch {
    /// Starts a search at the root.
    pub fn begin(&mut self, traveller: Traveller, tree: &Tree) {
        self.traveller = traveller;
        self.stack.clear();
        self.stack.extend(tree.root());
    }

    /// True if no node is left to be looked at.
    pub fn is_over(&self) -> bool {
        self.stack.is_empty()
    }

    /// Goes on until at least `most` bodies are met, or no node is left that might be met by the fraction `latest` of
    /// the way. `met` is called with each body whose box is met until then and the fraction of the way after which it
    /// is, in no particular order. If there is a drift, bodies of the tree move too.
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

/// A sum, moved down (`sign` is -1) or up (1) by as much as it may be rounded by.
#[inline(always)]
fn outward<L: Lanes<Scalar = f32>>(sum: L, sign: L) -> L {
    sum + sign * (sum.abs() * L::constant(f64::from(2.0 * f32::EPSILON)) + L::constant(f64::from(f32::MIN_POSITIVE)))
}

/// Which of sixteen boxes a swept box meets by the fraction `latest` of its way, a bit each, and after which fraction.
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
            // Written so that NaN, to which bounds of a custom shape that end at infinity may lead, does not rule a box
            // out.
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
