//! Bodies in packs of sixteen, so that all bodies of a pack are tested at once: the leaves of trees over bodies.
//!
//! Bodies are halved along the axis on which their inner points differ most, at whole packs, until one pack is left. So
//! packs that follow one another are near each other, and any sixteen that begin at a multiple of sixteen form a
//! branch. What a test needs of a body lies in its pack, column by column.

use core::ops::Range;

use jostle_broadphase::{Bounds, BoundsError};
use jostle_lanes::{Rot, Vector, prefetch_at};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, MAX_WIDTH, Shape};
use jostle_tasks::{self as tasks, Few};

use crate::bounds::{self, BoxFrame, Placed, below};

/// Bodies of a pack: as many as the widest register has lanes.
pub const PACK: usize = MAX_WIDTH;
/// Up to this many bodies, halving is one task's work.
const BODIES_PER_TASK: usize = 4096;
/// Packs that are one task's work.
pub const PACKS_PER_TASK: usize = 64;
/// The bodies of the pack this many packs ahead are prefetched: they are near each other in space, but lie anywhere in
/// memory.
const PACKS_AHEAD: usize = 2;
/// Bodies that a task looks at before they are packed.
const MEMBERS: usize = 1024;
/// A pack is loose once it is this many times as long as it was at its shortest.
const LOOSE: f32 = 1.5;
/// All packs are made anew once one in this many is loose, ...
const LOOSE_ONE_IN: f32 = 8.0;
/// ... where a loose pack counts for as many as its length would make, but for no more than this. A body that is sent
/// elsewhere leaves a pack that reaches from here to there, and every query about what lies between has to look at it.
/// (Of 100,000 balls, 100 of which are sent anywhere, the nearest takes five times as long. To make all packs anew
/// takes a fifth more than to put bodies into those that are there.)
const COUNTED_AT_MOST: f32 = 12.0;
/// Relative room for the rounding of distances and bounds: five times what boxes have for the former.
pub const ROUNDING: f32 = 5.0 * bounds::ROUNDING as f32;

/// A box, in `f32`, rounded outward; in the plane the third axis is unused.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
}

impl Around {
    /// The box about nothing.
    pub const NOTHING: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// The box about two boxes.
    pub fn with(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.lower[k] = self.lower[k].min(other.lower[k]);
            both.upper[k] = self.upper[k].max(other.upper[k]);
        }
        both
    }
}

/// What is known of a body before its distance is computed.
#[derive(Clone, Copy, Debug)]
struct KnownBody<S: Dimension> {
    lower: S::Array<f32>,
    upper: S::Array<f32>,
    /// A point of the body.
    point: S::Array<f32>,
    /// The radius of a ball about that point inside the body, less what distances of the body may be rounded by: it may
    /// be below zero.
    round: f32,
}

impl<S: Dimension> KnownBody<S> {
    fn nothing() -> Self {
        let [lower, upper, point] = [S::array(|_| 0.0); 3];
        Self { lower, upper, point, round: 0.0 }
    }
}

/// A body that is to be packed, and its point.
#[derive(Clone, Copy, Debug)]
struct Member<S: Dimension> {
    body: u32,
    point: S::Array<f32>,
}

impl<S: Dimension> Member<S> {
    fn nobody() -> Self {
        Self { body: u32::MAX, point: S::array(|_| 0.0) }
    }
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
    /// The box about all of them.
    pub around: Around,
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

    fn new<S: Dimension>(bodies: impl Iterator<Item = u32>, first: u32, known: &[KnownBody<S>]) -> Self {
        let mut pack = Self::EMPTY;
        for (at, body) in bodies.enumerate() {
            let KnownBody { lower, upper, point, round } = &known[body as usize];
            for k in 0..S::DIMENSION {
                pack.lower[k][at] = lower[k];
                pack.upper[k][at] = upper[k];
                pack.point[k][at] = point[k];
                pack.around.lower[k] = pack.around.lower[k].min(lower[k]);
                pack.around.upper[k] = pack.around.upper[k].max(upper[k]);
            }
            pack.round[at] = *round;
            pack.body[at] = first + body;
            pack.len = at + 1;
        }
        pack
    }

    /// The bodies in the pack.
    pub fn members(&self) -> &[u32] {
        &self.body[..self.len]
    }

    /// The box of the body at a place.
    pub fn around_of(&self, at: usize) -> Around {
        let Self { lower: [a, b, c], upper: [d, e, f], .. } = self;
        Around { lower: [a[at], b[at], c[at]], upper: [d[at], e[at], f[at]] }
    }
}

/// Puts bodies into packs. Keeps its memory.
#[derive(Debug)]
pub struct Packing<S: Dimension> {
    /// Of each shape an inner point and the radius of a ball about it; empty where there are more shapes than bodies.
    inner: Vec<(S::Array<f64>, f32)>,
    members: Vec<Member<S>>,
    /// The boxes of all bodies.
    bounds: Bounds<S>,
    /// What is known of all bodies, in their own order: so their columns are read in sequence, and what a packed body
    /// needs is read from one place, not from ten.
    known: Vec<KnownBody<S>>,
}

impl<S: Dimension> Default for Packing<S> {
    fn default() -> Self {
        Self { inner: Vec::new(), members: Vec::new(), bounds: Bounds::new(), known: Vec::new() }
    }
}

/// Bodies that have been looked at, ready to be packed.
#[derive(Debug)]
pub struct SeenBodies<'p, 'b, S: Dimension, U> {
    bodies: &'p Columns<'b, S, U>,
    known: &'p [KnownBody<S>],
    members: &'p mut Vec<Member<S>>,
}

impl<S: Dimension, U: CustomShape<S>> SeenBodies<'_, '_, S, U> {
    /// Packs the bodies that meet any other. `first` is the number of the first body.
    pub fn pack(&mut self, first: u32, packs: &mut Vec<Pack>) {
        let Self { bodies, known, members } = self;
        let filters = bodies.filters();
        if (1..=PACK).contains(&known.len()) && !filters.may_leave_out() {
            // Nothing has to be put in order. (This saves a twentieth of the instructions of a query by one body.)
            packs.clear();
            packs.push(Pack::new(0..known.len() as u32, first, known));
            return;
        }
        list_all(members, known);
        if filters.may_leave_out() {
            members.retain(|member| !filters.meets_nobody(member.body));
        }
        put(members, known, first, packs);
    }

    /// Puts bodies that have moved, numbered from 0, into the packs that they were in. Returns false, and leaves the
    /// packs as they were, if the bodies that meet any other are not the same as when they were packed.
    pub fn repack(&self, packs: &mut [Pack]) -> bool {
        let (filters, known) = (self.bodies.filters(), self.known);
        let counts = |body: &u32| (*body as usize) < known.len() && !filters.meets_nobody(*body);
        let all = if filters.may_leave_out() { (0..known.len() as u32).filter(counts).count() } else { known.len() };
        let packed: usize = packs.iter().map(|pack| pack.len).sum();
        if all != packed || !packs.iter().flat_map(Pack::members).all(counts) {
            return false;
        }
        tasks::for_each_few(packs, PACKS_PER_TASK, |_, packs| {
            for at in 0..packs.len() {
                for &body in packs.get(at + PACKS_AHEAD).map_or(&[][..], Pack::members) {
                    prefetch_at(known, body as usize);
                }
                let (body, len) = (packs[at].body, packs[at].len);
                packs[at] = Pack::new(body[..len].iter().copied(), 0, known);
            }
        });
        true
    }
}

/// Lists all that are known.
fn list_all<S: Dimension>(members: &mut Vec<Member<S>>, known: &[KnownBody<S>]) {
    members.clear();
    members.resize(known.len(), Member::nobody());
    tasks::for_each_few(members, MEMBERS, |few, members| {
        for (body, member) in (few * MEMBERS..).zip(members) {
            *member = Member { body: body as u32, point: known[body].point };
        }
    });
}

/// Orders the members, and packs them. `first` is the number of the first body that is known.
fn put<S: Dimension>(members: &mut [Member<S>], known: &[KnownBody<S>], first: u32, packs: &mut Vec<Pack>) {
    halve::<S>(members);
    packs.resize(members.len().div_ceil(PACK), Pack::EMPTY);
    tasks::each(
        (Few::of(&*members, PACKS_PER_TASK * PACK), Few::of(&mut packs[..], PACKS_PER_TASK)),
        |_, (members, packs)| {
            for (at, pack) in packs.list.iter_mut().enumerate() {
                let of = |at: usize| members.list.iter().skip(at * PACK).take(PACK).map(|member| member.body);
                of(at + PACKS_AHEAD).for_each(|body| prefetch_at(known, body as usize));
                *pack = Pack::new(of(at), first, known);
            }
        },
    );
}

impl<S: Dimension> Packing<S> {
    /// Packs some boxes of which nothing else is asked: their numbers are those that they have in `bounds`.
    pub fn pack_boxes(&mut self, bounds: &Bounds<S>, some: Range<usize>, packs: &mut Vec<Pack>) {
        let Self { known, members, .. } = self;
        known.resize(some.len(), KnownBody::nothing());
        tasks::for_each_few(known, MEMBERS, |few, known| {
            for (at, known) in (some.start + few * MEMBERS..).zip(known) {
                let (lower, upper) = bounds.get(at);
                *known = KnownBody { lower, upper, point: S::array(|k| 0.5 * lower[k] + 0.5 * upper[k]), round: 0.0 };
            }
        });
        list_all(members, known);
        put(members, known, some.start as u32, packs);
    }

    /// Looks at all bodies, relative to the `origin`.
    pub fn look<'p, 'b, U: CustomShape<S>>(
        &'p mut self,
        bodies: &'p Columns<'b, S, U>,
        origin: S::Array<f64>,
    ) -> Result<SeenBodies<'p, 'b, S, U>, BoundsError> {
        self.bound(bodies, origin)?;
        self.learn(bodies);
        let mut known = core::mem::take(&mut self.known);
        known.resize(bodies.len(), KnownBody::nothing());
        tasks::for_each_few(&mut known, MEMBERS, |few, known| {
            for (body, known) in (few * MEMBERS..).zip(known) {
                *known = self.know(bodies, body, origin);
            }
        });
        self.known = known;
        Ok(SeenBodies { bodies, known: &self.known, members: &mut self.members })
    }

    /// Makes the boxes of all bodies.
    fn bound<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        origin: S::Array<f64>,
    ) -> Result<(), BoundsError> {
        self.bounds.resize(bodies.len());
        let who = |body| Some(Placed { body, position: bodies.positions()[body], room: 0.0 });
        bounds::fill_some(bodies, BoxFrame::for_margin(origin, 0.0), &who, &mut self.bounds);
        self.bounds.validate()
    }

    /// Looks at all shapes, where there are not more of them than bodies.
    fn learn<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>) {
        self.inner.clear();
        if bodies.shapes().len() <= bodies.len() {
            self.inner.extend(bodies.shapes().iter().map(inner_of));
        }
    }

    fn know<U: CustomShape<S>>(&self, bodies: &Columns<'_, S, U>, index: usize, origin: S::Array<f64>) -> KnownBody<S> {
        let inner = self.inner.get(bodies.shape_indices()[index] as usize);
        let (offset, round) = inner.copied().unwrap_or_else(|| inner_of(bodies.shape(index)));
        let position = bodies.positions()[index];
        let mut point = S::array(|k| position[k] - origin[k]);
        if offset != S::array(|_| 0.0) {
            let turned = S::rot(bodies.rotations().get(index).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
            point = S::array(|k| point[k] + turned.get(k));
        }
        let (lower, upper) = self.bounds.get(index);
        KnownBody { lower, upper, point: S::array(|k| point[k] as f32), round }
    }
}

/// A point of a shape, and the radius of a ball about it that is inside the shape.
fn inner_of<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> (S::Array<f64>, f32) {
    (shape.inner_point(), inner_radius(shape))
}

/// The radius of a ball about [`Shape::inner_point`] that is inside the shape, the larger the better, less what
/// distances to it are rounded by: from point to point in `f32`, and as answers. It may be below zero.
fn inner_radius<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f32 {
    let core = match shape.core() {
        Core::Box { half_extents } => half_extents.as_ref().iter().copied().fold(f64::INFINITY, f64::min),
        Core::Point | Core::Segment { .. } | Core::Frustum { .. } | Core::Hull(_) | Core::Custom(_) => 0.0,
    };
    below(core + shape.radius() - f64::from(ROUNDING) * shape.reach())
}

/// How long each pack was at its shortest since bodies were put into it, summed over all axes. (Lengths, not volumes,
/// which are zero for flat packs.) Keeps its memory.
#[derive(Debug, Default)]
pub struct Lengths(Vec<f32>);

impl Lengths {
    /// Starts from packs that were just made.
    pub fn begin(&mut self, packs: &[Pack]) {
        self.0.clear();
        self.0.extend(packs.iter().map(length));
    }

    /// Whether so many of the packs have become so much longer that queries look at more than they need to. Each counts
    /// relative to itself: one floor is longer than a thousand packs of what stands on it.
    pub fn are_loose(&mut self, packs: &[Pack]) -> bool {
        let mut loose = 0.0;
        for (shortest, pack) in self.0.iter_mut().zip(packs) {
            let length = length(pack);
            // False for NaN, which infinite boxes lead to.
            let firm = length <= LOOSE * *shortest;
            // `min` returns `COUNTED_AT_MOST` where the quotient is NaN.
            loose += if firm { 0.0 } else { (length / (LOOSE * *shortest)).min(COUNTED_AT_MOST) };
            *shortest = shortest.min(length);
        }
        loose * LOOSE_ONE_IN > packs.len() as f32
    }
}

fn length(pack: &Pack) -> f32 {
    let Around { lower, upper } = pack.around;
    let some = lower.into_iter().zip(upper).filter(|(lower, upper)| lower <= upper);
    some.map(|(lower, upper)| upper - lower).sum()
}

/// The number of packs in the first half of `packs`: half of the largest branches (of 16, 256, ... packs, or single
/// packs) that they form, so that all of these but the last are whole.
pub fn half_of(packs: usize) -> usize {
    let mut branch = 1;
    while branch * PACK < packs {
        branch *= PACK;
    }
    packs.div_ceil(branch) / 2 * branch
}

/// Orders bodies so that the two halves, at every level, are on different sides along the axis of most extent.
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
    if front.len() > BODIES_PER_TASK {
        tasks::join(|| halve::<S>(front), || halve::<S>(back));
    } else {
        halve::<S>(front);
        halve::<S>(back);
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::D2;
    use jostle_shape::{Bodies, Body};

    use super::*;

    /// Balls in a row, a metre apart.
    fn row(count: usize) -> Bodies<D2> {
        let mut bodies = Bodies::new();
        let ball = bodies.add_shape(Shape::ball(0.25).expect("good")).expect("one");
        for x in 0..count {
            bodies.push(Body::new(ball, [x as f64, 0.0])).expect("good");
        }
        bodies
    }

    fn change(bodies: &mut Bodies<D2>, index: usize, change: impl FnOnce(&mut Body<D2>)) {
        let mut body = bodies.get(index);
        change(&mut body);
        bodies.set(index, body).expect("good");
    }

    #[test]
    fn bodies_stay_in_their_packs_while_the_same_ones_meet_anybody() {
        let (mut bodies, mut packing, mut packs) = (row(100), Packing::default(), Vec::new());
        change(&mut bodies, 7, |body| body.mask = 0);
        packing.look(&bodies.columns(), [0.0; 2]).expect("good boxes").pack(0, &mut packs);
        let named = |packs: &[Pack]| packs.iter().flat_map(Pack::members).copied().collect::<Vec<u32>>();
        let before = named(&packs);
        assert_eq!(before.len(), 99);
        let mut repacked = |bodies: &Bodies<D2>| {
            let repacked = packing.look(&bodies.columns(), [0.0; 2]).expect("good boxes").repack(&mut packs);
            assert_eq!(named(&packs), before);
            (repacked, packs[0].around.lower[0])
        };
        assert!(repacked(&bodies).0);
        change(&mut bodies, before[0] as usize, |body| body.position[0] = -40.0);
        let (stayed, least) = repacked(&bodies);
        assert!(stayed && (-40.3..-40.2).contains(&least), "{least}");
        // As many bodies as before, but one of them is another.
        change(&mut bodies, 7, |body| body.mask = 1);
        change(&mut bodies, 8, |body| body.group = 0);
        assert!(!repacked(&bodies).0);
        change(&mut bodies, 8, |body| body.group = 1);
        assert!(!repacked(&bodies).0, "one more");
        assert!(!repacked(&row(99)).0, "as many as were packed, of whom the last is there no more");
    }

    #[test]
    fn packs_are_loose_once_many_are_longer_or_some_much_longer_than_at_their_shortest() {
        let packs_of = |places: &dyn Fn(usize) -> f64| {
            let (mut bodies, mut packing, mut packs) = (row(1600), Packing::default(), Vec::new());
            packing.look(&bodies.columns(), [0.0; 2]).expect("good boxes").pack(0, &mut packs);
            (0..1600).for_each(|index| change(&mut bodies, index, |body| body.position[0] = places(index)));
            assert!(packing.look(&bodies.columns(), [0.0; 2]).expect("good boxes").repack(&mut packs));
            packs
        };
        let mut lengths = Lengths::default();
        lengths.begin(&packs_of(&|index| index as f64));
        let mut loose = |places: &dyn Fn(usize) -> f64| lengths.are_loose(&packs_of(places));
        assert!(!loose(&|index| index as f64 + 1e3), "elsewhere");
        assert!(!loose(&|index| if index == 5 { 1e6 } else { index as f64 }), "one has left");
        assert!(loose(&|index| if index % 500 == 5 { 1e6 } else { index as f64 }), "four have left");
        assert!(loose(&|index| index as f64 * if index % 16 == 3 { 7.0 } else { 1.0 }), "one of each pack has left");
        assert!(!loose(&|index| 0.25 * index as f64), "nearer to each other");
        assert!(loose(&|index| 0.5 * index as f64), "than now");
        assert!(!loose(&|_| 0.0), "all at one place");
        assert!(loose(&|index| 0.1 * index as f64));
    }
}
