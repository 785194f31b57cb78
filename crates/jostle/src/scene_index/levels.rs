//! Branches of sixteen over packs of sixteen: a box is held against sixteen others at a time, from the root to the
//! bodies.
//!
//! Packs stand so that any sixteen from a multiple of sixteen on are near each other (`packs.rs`), and so do their
//! branches: who belongs to a branch follows from where it stands.

use core::marker::PhantomData;

use jostle_lanes::{Kernel, Lanes, Mask, dispatch, prefetch};
use jostle_narrowphase::Dimension;

use crate::packs::{Around, PACK, Pack};

/// Room for what the beginnings and ends of overlaps are rounded by: twice what the four operations of each come to.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// The branches, those over the packs first, the root last.
#[derive(Debug, Default)]
pub struct Levels(Vec<Vec<Branch>>);

/// The boxes of up to sixteen packs, or of branches of the level below, as columns.
#[derive(Debug)]
struct Branch {
    lower: [[f32; PACK]; 3],
    upper: [[f32; PACK]; 3],
    len: usize,
    /// About all of them.
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

impl Levels {
    /// Over packs, in the order in which [`Packing`](crate::packs::Packing) makes them.
    pub fn new(packs: &[Pack]) -> Self {
        let mut levels = vec![branches(packs, |pack| pack.around)];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            levels.push(branches(below, |branch| branch.around));
        }
        Self(levels)
    }
}

fn branches<X>(children: &[X], around: impl Fn(&X) -> Around) -> Vec<Branch> {
    children.chunks(PACK).map(|few| Branch::of(few.iter().map(&around))).collect()
}

/// A box on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traveller {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
    /// The share of the way that a metre along each axis is; zero along axes on which the box stays where it is.
    pub share: [f32; 3],
}

/// A branch, or (at level 0) a pack, that the box overlaps, and after which share of its way.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    enter: f32,
    level: u32,
    index: u32,
}

/// Somebody whose box is met, and after which share of the way, at the earliest.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    pub enter: f32,
    pub body: u32,
}

/// A search for all who are met on the way, the nearest branches first, which can be interrupted.
#[derive(Debug, Default)]
pub struct Search {
    traveller: Traveller,
    /// What is still to be looked at, the next on top.
    stack: Vec<Waiting>,
}

impl Search {
    /// Sets out.
    pub fn begin(&mut self, traveller: Traveller, levels: &Levels) {
        self.traveller = traveller;
        self.stack.clear();
        if let Some([_]) = levels.0.last().map(Vec::as_slice) {
            self.stack.push(Waiting { enter: 0.0, level: levels.0.len() as u32, index: 0 });
        }
    }

    /// True if nothing is left to be looked at.
    pub fn is_over(&self) -> bool {
        self.stack.is_empty()
    }

    /// Goes on until `most` are met or nobody is left who might be met by the share `latest` of the way; `met` gets
    /// them in no particular order.
    pub fn advance<S: Dimension>(
        &mut self,
        levels: &Levels,
        packs: &[Pack],
        latest: f32,
        most: usize,
        met: &mut Vec<Met>,
    ) {
        let (mut enter, before) = ([0.0; PACK], met.len());
        while met.len() - before < most
            && let Some(next) = self.stack.pop()
        {
            if next.enter > latest {
                continue;
            }
            let traveller = &self.traveller;
            let mut bits_of = |lower, upper, len: usize| {
                let meet = Meet { lower, upper, traveller, enter: &mut enter, space: PhantomData::<S> };
                dispatch(meet) & ((1 << len) - 1)
            };
            if next.level == 0 {
                let pack = &packs[next.index as usize];
                let bits = bits_of(&pack.lower, &pack.upper, pack.len);
                met.extend(places(bits).map(|place| Met { enter: enter[place], body: pack.body[place] }));
                continue;
            }
            let level = next.level - 1;
            let branch = &levels.0[level as usize][next.index as usize];
            let bits = bits_of(&branch.lower, &branch.upper, branch.len);
            let (from, first) = (self.stack.len(), next.index * PACK as u32);
            let children = places(bits).filter(|&place| enter[place] <= latest);
            self.stack.extend(children.map(|place| Waiting {
                enter: enter[place],
                level,
                index: first + place as u32,
            }));
            self.stack[from..].sort_unstable_by(|a, b| b.enter.total_cmp(&a.enter));
            for child in &self.stack[from..] {
                let index = child.index as usize;
                let columns = match level.checked_sub(1) {
                    None => [&packs[index].lower, &packs[index].upper],
                    Some(below) => {
                        let branch = &levels.0[below as usize][index];
                        [&branch.lower, &branch.upper]
                    }
                };
                columns.into_iter().flatten().for_each(prefetch);
            }
        }
    }
}

/// The places of the bits that are set.
fn places(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            place
        })
    })
}

/// Which of sixteen boxes a box meets on its way, a bit each, and after which share of it.
struct Meet<'a, S> {
    lower: &'a [[f32; PACK]; 3],
    upper: &'a [[f32; PACK]; 3],
    traveller: &'a Traveller,
    enter: &'a mut [f32; PACK],
    space: PhantomData<S>,
}

impl<S: Dimension> Kernel<f32> for Meet<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> u32 {
        let Self { lower, upper, traveller, enter: enters, .. } = self;
        let mut bits = 0;
        for at in (0..PACK).step_by(L::WIDTH) {
            let (mut enter, mut leave) = (L::zero(), L::one());
            // Written so that whoever is nowhere (bounds of a custom shape that end at infinity) is not passed by.
            let mut apart = L::Mask::splat(false);
            for k in 0..S::DIMENSION {
                let to_lower = L::load(&lower[k][at..]) - L::splat(traveller.upper[k]);
                let to_upper = L::load(&upper[k][at..]) - L::splat(traveller.lower[k]);
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
            L::select(enter.ge(L::zero()), enter, L::zero()).store(&mut enters[at..]);
            bits |= (!apart).to_bits() << at;
        }
        bits
    }
}
