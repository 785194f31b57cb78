//! One walk through the tree for one query body, or for those of a pack together: an upper bound of the distance to the
//! k-th nearest of each, and the bodies that may be as near.
//!
//! Any `k` other bodies bound the distance to the `k`-th nearest from above. Each body met gives such an upper bound,
//! from a point of each body and the ball about it that the body contains, and a lower bound, from the boxes. One walk
//! keeps the `k` least upper bounds and every body whose lower bound is not above the greatest of these. What is
//! nearest to the box about all query bodies is looked at first, sixteen boxes at a time. At a pack, the query bodies
//! are first tested in lanes against the pack's box, then each against all bodies of the pack.
//!
//! Query bodies of a pack of the tree are near each other and are answered together (a tenth less time than one by
//! one). Others are answered one by one: a box about sixteen that may be anywhere is near everything (two to five times
//! as long).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::marker::PhantomData;

use jostle_lanes::{Kernel, Lanes, Least, Mask, dispatch, set_bits};
use jostle_narrowphase::Dimension;

use crate::packs::{Around, PACK, Pack, ROUNDING};
use crate::tree::{BoxColumns, Node, Tree, WaitingNode};

/// Squares of lengths below about this cannot be told apart.
const TINY: f32 = 1e-18;

/// A bound, with a total order.
#[derive(Debug)]
struct OrderedBound(f32);
impl PartialEq for OrderedBound {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for OrderedBound {}
impl PartialOrd for OrderedBound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for OrderedBound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A body that may be among the nearest.
#[derive(Clone, Copy, Debug)]
struct NearBody {
    body: u32,
    /// The square of the gap between the two boxes.
    gap: f32,
}

/// What is known so far of one query body.
#[derive(Debug, Default)]
struct Asking {
    /// The `k` least upper bounds so far, the greatest on top: distance from point to point, less the radius of the
    /// other body's inner ball.
    bounds: BinaryHeap<OrderedBound>,
    /// The greatest of these, once there are `k`.
    farthest: f32,
    near: Vec<NearBody>,
}

impl Asking {
    /// Adds the bound of a body that was met, and returns the greatest of the least `k`: infinity until there are `k`.
    #[inline(always)]
    fn bound(&mut self, bound: f32, k: usize) -> f32 {
        let bounds = &mut self.bounds;
        if bounds.len() < k {
            bounds.push(OrderedBound(bound));
        } else if let Some(mut top) = bounds.peek_mut() {
            *top = OrderedBound(bound);
        }
        if bounds.len() < k { f32::INFINITY } else { bounds.peek().map_or(f32::INFINITY, |top| top.0) }
    }
}

/// A branch on the way down, and the squared gap to each of its children.
#[derive(Clone, Copy, Debug)]
struct Passed {
    branch: WaitingNode,
    children: u32,
    gap: [f32; PACK],
}

/// Memory for walks.
#[derive(Debug)]
pub struct Walk {
    /// Nodes still to be looked at, the next on top, with the squared gap to each.
    stack: Vec<WaitingNode>,
    /// The branches on the way to the first leaf.
    passed: Vec<Passed>,
    /// The query bodies in the order of their bits; a single one is always the first, whose memory is in the cache.
    asking: [Asking; PACK],
    /// How far each query body has to look; infinite until it has met enough.
    reach: [f32; PACK],
    found: Found,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            stack: Vec::new(),
            passed: Vec::new(),
            asking: core::array::from_fn(|_| Asking::default()),
            reach: [0.0; PACK],
            found: Found::default(),
        }
    }
}

/// A query of one body, or of several that are near each other.
pub struct NearestQuestion<'a, M> {
    pub tree: &'a Tree,
    /// The query bodies: those of this pack whose bits are set in `who`.
    pub pack: &'a Pack,
    pub who: u32,
    /// The index of that pack in the tree, if it is there.
    pub own: Option<usize>,
    /// How many neighbours are wanted.
    pub k: usize,
    /// Whether the first body (the agent) may have the second as a neighbour.
    pub meets: M,
}

impl Walk {
    /// Looks for the nearest few of each query body; [`Walk::near`] then names the candidates.
    pub fn look<S: Dimension>(&mut self, question: &NearestQuestion<'_, impl Fn(u32, u32) -> bool>) {
        let &NearestQuestion { tree, pack, who, own, k, .. } = question;
        let mut around = Around::NOTHING;
        self.reach = [0.0; PACK];
        for (asking, at) in self.asking.iter_mut().zip(set_bits::<PACK>(who)) {
            asking.bounds.clear();
            asking.near.clear();
            asking.farthest = f32::INFINITY;
            self.reach[at] = f32::INFINITY;
            around = around.with(&pack.around_of(at));
        }
        if k == 0 || who == 0 {
            return;
        }
        self.stack.clear();
        if let Some(own) = own {
            // The bodies of the same pack are about as near as any.
            self.leaf::<S>(question, &tree.packs()[own]);
            self.stack.extend(tree.root());
        } else {
            self.dive::<S>(question, &around);
        }
        let mut farthest = self.farthest(who);
        while let Some(next) = self.stack.pop() {
            if next.at > farthest * farthest {
                continue;
            }
            match tree.node(next) {
                Node::Pack(_, index) if own == Some(index) => {}
                Node::Pack(leaf, _) => {
                    self.leaf::<S>(question, leaf);
                    farthest = self.farthest(who);
                }
                Node::Branch(boxes) => {
                    let mut gap = [0.0; PACK];
                    let (around, gaps) = (&around, &mut gap);
                    let near = Gaps { around, boxes, farthest, gap: gaps, nearest: false, space: PhantomData::<S> };
                    tree.push(next, dispatch(near).0, &gap, &mut self.stack);
                }
            }
        }
    }

    /// Meets the bodies of a leaf near the box about all query bodies, going down from the root by the nearest child of
    /// each branch. Then the children that were passed by and are within reach are put on the stack.
    fn dive<S: Dimension>(&mut self, question: &NearestQuestion<'_, impl Fn(u32, u32) -> bool>, around: &Around) {
        let &NearestQuestion { tree, who, .. } = question;
        self.passed.clear();
        let mut next = tree.root();
        while let Some(branch) = next {
            next = match tree.node(branch) {
                Node::Pack(leaf, _) => {
                    self.leaf::<S>(question, leaf);
                    None
                }
                Node::Branch(boxes) => {
                    let (mut gap, farthest) = ([0.0; PACK], f32::INFINITY);
                    let near = Gaps { around, boxes, farthest, gap: &mut gap, nearest: true, space: PhantomData::<S> };
                    let (all, nearest) = dispatch(near);
                    self.passed.push(Passed { branch, children: all & !(1 << nearest), gap });
                    Some(branch.child(nearest))
                }
            };
        }
        let farthest = self.farthest(who);
        for Passed { branch, children, gap } in &self.passed {
            tree.push(*branch, children & within(gap, farthest), gap, &mut self.stack);
        }
    }

    /// The largest reach of the query bodies.
    fn farthest(&self, who: u32) -> f32 {
        set_bits::<PACK>(who)
            .map(|at| self.reach[at])
            .fold(0.0, |farthest, reach| if reach > farthest { reach } else { farthest })
    }

    /// Tests the bodies of a leaf.
    fn leaf<S: Dimension>(&mut self, question: &NearestQuestion<'_, impl Fn(u32, u32) -> bool>, leaf: &Pack) {
        let &NearestQuestion { pack, who, k, ref meets, .. } = question;
        let found = &mut self.found;
        // (Not for several query bodies together: that takes 5 to 10 % longer.)
        let one = k == 1 && who.is_power_of_two();
        let asked = dispatch(Test { pack, who, one, reach: &self.reach, leaf, found, space: PhantomData::<S> });
        for at in set_bits::<PACK>(asked) {
            let (asking, body) = (&mut self.asking[rank(who, at)], pack.body[at]);
            let Found { bits, gap, bound, least } = &self.found;
            let (bits, gaps, bounds) = (bits[at], &gap[at], &bound[at]);
            // For the single nearest of one query body, the least bound of the leaf is all that counts, if that body
            // may be its neighbour. (Where no bound within reach is a number, `least` names the first of the pack,
            // whose own bound holds as well.)
            let tells = one && meets(body, leaf.body[least[at]]);
            if tells && bounds[least[at]] < asking.farthest {
                asking.farthest = asking.bound(bounds[least[at]], k);
            } else if !tells {
                for place in set_bits::<PACK>(bits) {
                    let other = leaf.body[place];
                    if !meets(body, other) {
                        continue;
                    }
                    asking.near.push(NearBody { body: other, gap: gaps[place] });
                    // (NaN bounds nothing.)
                    if bounds[place] < asking.farthest {
                        asking.farthest = asking.bound(bounds[place], k);
                    }
                }
            }
            if asking.farthest < f32::INFINITY {
                self.reach[at] = reach::<S>(pack, at, asking.farthest);
            }
            if tells {
                // Few of them are still within reach.
                for place in set_bits::<PACK>(bits & within(gaps, self.reach[at])) {
                    if meets(body, leaf.body[place]) {
                        asking.near.push(NearBody { body: leaf.body[place], gap: gaps[place] });
                    }
                }
            }
        }
    }

    /// Names the bodies that may be among the nearest of the query body at place `at` of the pack; `who` as in [the
    /// question](NearestQuestion::who).
    pub fn near(&self, who: u32, at: usize) -> impl Iterator<Item = u32> + '_ {
        let reach = self.reach[at];
        self.asking[rank(who, at)].near.iter().filter(move |near| !is_beyond(near.gap, reach)).map(|near| near.body)
    }
}

/// Whether a body with this squared gap is out of reach. NaN is not.
fn is_beyond(gap: f32, reach: f32) -> bool {
    gap > reach * reach
}

/// Which of sixteen are not [beyond](is_beyond) reach, a bit each. (Without a branch, which could not be predicted.)
fn within(gaps: &[f32; PACK], reach: f32) -> u32 {
    (0..PACK).fold(0, |within, place| within | u32::from(!is_beyond(gaps[place], reach)) << place)
}

/// The number of query bodies before the one at place `at`.
fn rank(who: u32, at: usize) -> usize {
    (who & ((1 << at) - 1)).count_ones() as usize
}

/// How far a body has to look whose nearest few are within `bound`, from point to point and less their balls.
///
/// The balls of both bodies are smaller by what distances may be rounded by: between very large bodies an error of half
/// a unit was enough to miss a neighbour.
fn reach<S: Dimension>(pack: &Pack, at: usize, bound: f32) -> f32 {
    let mut far = 0.0_f32;
    for k in 0..S::DIMENSION {
        far = far.max(pack.point[k][at].abs());
    }
    // Points are rounded in proportion to their distance from the origin.
    let points = bound + far * f32::EPSILON * 4.0;
    // Not below zero: boxes that overlap have no gap, however deep the bodies overlap.
    (points - pack.round[at]).max(0.0) * (1.0 + ROUNDING) + TINY
}

/// What a [`Test`] found.
#[derive(Debug, Default)]
struct Found {
    /// For each query body the bodies of the leaf that may be near enough, a bit each.
    bits: [u32; PACK],
    /// The squared gaps between their boxes.
    gap: [[f32; PACK]; PACK],
    /// Upper bounds of their distances, to which the query body's own ball has still to be applied.
    bound: [[f32; PACK]; PACK],
    /// The place of the least of these bounds, where it is sought.
    least: [usize; PACK],
}

/// The square of the gap between boxes.
#[inline(always)]
fn gap_squared<L: Lanes<Scalar = f32>>(dimension: usize, lower: [L; 3], upper: [L; 3], other: [[L; 3]; 2]) -> L {
    let mut sum = L::zero();
    for k in 0..dimension {
        let gap = (lower[k] - other[1][k]).max(other[0][k] - upper[k]).max(L::zero());
        sum = sum + gap * gap;
    }
    sum
}

/// Columns from a place on, in lanes.
#[inline(always)]
fn columns<L: Lanes<Scalar = f32>>(columns: &[[f32; PACK]; 3], at: usize) -> [L; 3] {
    [L::load(&columns[0][at..]), L::load(&columns[1][at..]), L::load(&columns[2][at..])]
}

/// One body's numbers, in all lanes.
#[inline(always)]
fn splat<L: Lanes<Scalar = f32>>(columns: &[[f32; PACK]; 3], at: usize) -> [L; 3] {
    [L::splat(columns[0][at]), L::splat(columns[1][at]), L::splat(columns[2][at])]
}

/// A box's numbers, in all lanes. (Not by `map`, which becomes a call.)
#[inline(always)]
fn corners<L: Lanes<Scalar = f32>>(around: &Around) -> [[L; 3]; 2] {
    let Around { lower: [a, b, c], upper: [d, e, f] } = *around;
    [[L::splat(a), L::splat(b), L::splat(c)], [L::splat(d), L::splat(e), L::splat(f)]]
}

/// Which bodies of a pack may reach something in a box, a bit each.
#[inline(always)]
fn near_box<S: Dimension, L: Lanes<Scalar = f32>>(pack: &Pack, reach: &[f32; PACK], around: &Around) -> u32 {
    let corners = corners::<L>(around);
    let mut bits = 0;
    for at in (0..PACK).step_by(L::WIDTH) {
        let (lower, upper) = (columns::<L>(&pack.lower, at), columns::<L>(&pack.upper, at));
        let gap = gap_squared(S::DIMENSION, lower, upper, corners);
        let reach = L::load(&reach[at..]);
        // NaN counts as near.
        bits |= (!gap.gt(reach * reach)).to_bits() << at;
    }
    bits
}

/// Which of sixteen boxes are within reach of the box about all query bodies, a bit each, and the squared gap to each.
struct Gaps<'a, S> {
    around: &'a Around,
    boxes: BoxColumns<'a>,
    farthest: f32,
    gap: &'a mut [f32; PACK],
    /// Whether the nearest is wanted as well.
    nearest: bool,
    space: PhantomData<S>,
}

impl<S: Dimension> Kernel<f32> for Gaps<'_, S> {
    /// The boxes within reach, and the place of the nearest of all, if that is wanted.
    type Output = (u32, usize);

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> (u32, usize) {
        let Self { around, boxes, farthest, gap: gaps, nearest, .. } = self;
        let corners = corners::<L>(around);
        let (mut bits, mut least) = (0, Least::<L>::new());
        for at in (0..PACK).step_by(L::WIDTH) {
            let (lower, upper) = (columns::<L>(boxes.lower, at), columns::<L>(boxes.upper, at));
            let gap = gap_squared(S::DIMENSION, lower, upper, corners);
            // NaN counts as near.
            let gap = L::select(gap.ge(L::zero()), gap, L::zero());
            gap.store(&mut gaps[at..]);
            let is_there = L::Mask::from_bits(boxes.all() >> at);
            if nearest {
                least.see(L::select(is_there, gap, L::splat(f32::INFINITY)));
            }
            bits |= (gap.le(L::splat(farthest * farthest)) & is_there).to_bits() << at;
        }
        (bits, if nearest { least.found().1 } else { 0 })
    }
}

/// Tests query bodies of a pack against the bodies of a leaf; returns which of them found any body near.
struct Test<'a, S> {
    pack: &'a Pack,
    who: u32,
    /// Whether the place of the least bound is wanted.
    one: bool,
    reach: &'a [f32; PACK],
    leaf: &'a Pack,
    found: &'a mut Found,
    space: PhantomData<S>,
}

impl<S: Dimension> Kernel<f32> for Test<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> u32 {
        let Self { pack, who, one, reach, leaf, found, .. } = self;
        // A single query body is known to be near the leaf. (Also, its reach has just been written: loading a register
        // of reaches would stall.)
        let all = leaf.boxes().all();
        let asking = if who.is_power_of_two() { who } else { near_box::<S, L>(pack, reach, &leaf.around) & who };
        let mut asked = 0;
        for me in set_bits::<PACK>(asking) {
            let own = [splat::<L>(&pack.lower, me), splat::<L>(&pack.upper, me)];
            let point = splat::<L>(&pack.point, me);
            let far = L::splat(reach[me]);
            let (mut bits, mut least) = (0, Least::<L>::new());
            for at in (0..PACK).step_by(L::WIDTH) {
                let (lower, upper) = (columns::<L>(&leaf.lower, at), columns::<L>(&leaf.upper, at));
                let gap = gap_squared(S::DIMENSION, lower, upper, own);
                gap.store(&mut found.gap[me][at..]);
                let near = !gap.gt(far * far) & L::Mask::from_bits(all >> at);
                bits |= near.to_bits() << at;
                let points = columns::<L>(&leaf.point, at);
                let mut apart = L::zero();
                for k in 0..S::DIMENSION {
                    let along = points[k] - point[k];
                    apart = apart + along * along;
                }
                let bound = apart.sqrt() - L::load(&leaf.round[at..]);
                bound.store(&mut found.bound[me][at..]);
                if one {
                    least.see(L::select(near, bound, L::splat(f32::INFINITY)));
                }
            }
            found.bits[me] = bits;
            if one {
                found.least[me] = least.found().1;
            }
            asked |= u32::from(bits != 0) << me;
        }
        asked
    }
}
