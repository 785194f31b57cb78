//! Whether two bodies are nearer than a limit: overlap is the limit zero.
//!
//! A boolean needs no witness points, no normal and no depth. So a pair is done as soon as any plane shows it to be
//! farther apart than the limit, or any two points show it to be nearer, or the cores are seen to have a point in
//! common: for most pairs after one or two supports. Boxes are asked about their separating axes first.
//!
//! The sign has one owner ([`crate::resolve`]), and this is not it: lanes answer only what they can prove with all
//! rounding counted, and of what is too near to the limit for them the distance is asked, on `f64` lanes. So a pair
//! overlaps here if and only if its distance says so. (Lanes are `f32` whatever the precision asked for: a proof is a
//! proof. Of a cast's pairs, which come one at a time, `f64` shows early too.)

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector, first_bits, set_bits};
use jostle_shape::{MAX_WIDTH, SupportMap};

use crate::answer::ordinary;
use crate::boxes::axes::{EdgeAxes, weak_sines};
use crate::boxes::edges::BoxSpace;
use crate::boxes::pair::Boxes;
use crate::boxes::point::point_bounds;
use crate::depth::DepthSpace;
use crate::direct::{AskColumns, ColumnPacket};
use crate::families::Family;
use crate::frame::{AtRest, PairLanes, Placing};
use crate::gjk::{Cores, Enough, search};
use crate::noise::{AGREE, CONVERGED, FORWARD, TOUCHING_SHARE, noise};
use crate::pick::{Packet, Pick};
use crate::query::{Query, SolveSpace};
use crate::resolve::{AnyPair, Effort, Memory, Resolved, resolve};
use crate::segment::{points, segments};
use crate::sides::{Sided, bounds};
use crate::simplex::{Simplex, SimplexSpace};

/// On which side of a limit a pair's distance is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// Farther apart.
    Beyond,
    /// At the limit: neither side can be shown, also not in `f64`.
    #[default]
    At,
    /// Nearer.
    Within,
}

impl Side {
    /// From two bounds of a distance. What is NaN is on neither side.
    pub fn of(lower: f64, upper: f64, limit: f64) -> Self {
        if lower > limit {
            Side::Beyond
        } else if upper < limit {
            Side::Within
        } else {
            Side::At
        }
    }
}

/// The question: is the distance below this limit?
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// In metres.
    pub limit: f64,
    /// Share of a pair's magnitude within which no answer is given.
    pub doubt: f64,
}

impl Within {
    /// Answers whatever lanes can prove.
    pub fn new(limit: f64) -> Self {
        Self { limit, doubt: FORWARD * f32::UNIT_ROUNDOFF.to_f64() }
    }
    /// Answers only what a distance cannot contradict, in either precision: that is off by what its bounds may be
    /// apart.
    pub fn clearly(limit: f64) -> Self {
        Self { limit, doubt: (3.0 * FORWARD + AGREE) * f32::UNIT_ROUNDOFF.to_f64() }
    }
}

/// What lanes know; what is neither is left to others.
#[derive(Clone, Copy, Debug)]
pub struct SideMasks<L: Lanes> {
    beyond: L::Mask,
    within: L::Mask,
}

/// What a distance between cores is held against.
#[derive(Clone, Copy, Debug)]
struct Limits<L: Lanes> {
    /// Cores that are provably farther apart are beyond the limit, ...
    far: L,
    /// ... those provably nearer within it. May be negative: then no distance between cores tells.
    near: L,
    /// What rounding may do to a length.
    doubt: L,
}

impl<L: Lanes> Limits<L> {
    #[inline(always)]
    fn new<S: Space>(pair: &PairLanes<S, L>, asked: Within) -> Self {
        let doubt = pair.magnitude * L::constant(asked.doubt);
        let [radius_a, radius_b] = pair.radius;
        let reach = radius_a + radius_b + L::constant(asked.limit) * pair.scale;
        // Two sums and the limit's own rounding.
        let rounding = reach * L::constant(4.0 * L::Scalar::UNIT_ROUNDOFF.to_f64());
        Self { far: reach + rounding + doubt, near: reach - rounding - doubt, doubt }
    }

    /// From two bounds of the cores' distance.
    #[inline(always)]
    fn sides(self, lower: L, upper: L) -> SideMasks<L> {
        SideMasks { beyond: lower.gt(self.far), within: upper.lt(self.near) }
    }
}

/// GJK's search need not go on once a limit is passed.
#[derive(Clone, Copy, Debug)]
struct Passed<L: Lanes> {
    far_squared: L,
    near_squared: L,
}

impl<L: Lanes> Passed<L> {
    #[inline(always)]
    fn new(limits: Limits<L>) -> Self {
        let Limits { far, near, .. } = limits;
        let near_squared = L::select(near.gt(L::zero()), near * near, L::constant(-1.0));
        Self { far_squared: far * far, near_squared }
    }
}

impl<L: Lanes> Enough<L> for Passed<L> {
    #[inline(always)]
    fn apart(self, along: L, squared: L) -> L::Mask {
        along.gt(L::zero()) & (along * along).gt(self.far_squared * squared)
    }
    #[inline(always)]
    fn near(self, squared: L) -> L::Mask {
        squared.lt(self.near_squared)
    }
}

/// Any two cores, in the lanes that are true in `active`.
#[inline(always)]
fn cores_sides<S, L, A, B>(
    pair: &PairLanes<S, L>,
    cores: &Cores<'_, S, L, A, B>,
    toward: S::Vector<L>,
    limits: Limits<L>,
    active: L::Mask,
) -> SideMasks<L>
where
    S: SimplexSpace,
    L: Lanes,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    let found = search(cores, toward, noise(CONVERGED, pair.magnitude), active, Passed::new(limits));
    let nearest = found.measured();
    let near = (nearest.distance + nearest.residual).lt(limits.near);
    let deep = found.inside & found.simplex.encloses(found.last.w, limits.doubt);
    SideMasks { beyond: found.apart, within: active & !found.apart & (near | deep) }
}

/// The separating axes of boxes. An axis shows more than rounding or nothing.
struct Split<L: Lanes> {
    limits: Limits<L>,
    /// How deep boxes must overlap along each axis to overlap at all.
    room: L,
    /// Edges more nearly parallel than this have no axis of their own: `room` covers it.
    least: L,
    apart: L::Mask,
    overlapping: L::Mask,
}

impl<S: Space, L: Lanes> EdgeAxes<S, L> for Split<L> {
    #[inline(always)]
    fn see(&mut self, boxes: &Boxes<S, L>, axis: S::Vector<L>) {
        // Not normalised: along an axis shorter than one both answers are only harder to get.
        let overlap = boxes.overlap(axis);
        self.apart = self.apart | (-overlap).gt(self.limits.far);
        self.overlapping = self.overlapping & (overlap.gt(self.room) | axis.length_squared().le(self.least));
    }
}

/// Two boxes by their separating axes (Gottschalk 1996). `SEGMENT`: A is a segment along y, which has no face.
#[inline(always)]
fn boxes_sides<S: BoxSpace, L: Lanes, const SEGMENT: bool>(boxes: &Boxes<S, L>, limits: Limits<L>) -> SideMasks<L> {
    let (least, _) = weak_sines::<L::Scalar>();
    // Turned by `least`, so that the edges are parallel, the boxes move by no more than some of it, and parallel edges
    // have no axis that the faces do not have.
    let room = limits.doubt + boxes.magnitude * L::constant(8.0 * least);
    let all = L::Mask::splat(true);
    let mut split = Split { limits, room, least: L::constant(least * least), apart: !all, overlapping: all };
    for k in 0..if SEGMENT { 0 } else { S::DIMENSION } {
        split.see(boxes, S::Vector::unit(k));
    }
    for k in 0..S::DIMENSION {
        split.see(boxes, boxes.rotation.column(k));
    }
    S::edge_axes::<L, SEGMENT>(boxes, &mut split);
    SideMasks { beyond: split.apart, within: split.overlapping & !split.apart }
}

/// The same where their distance counts, too.
#[inline(always)]
fn boxes_told<S: SolveSpace, L: Lanes, const SEGMENT: bool>(asked: Within, pair: &PairLanes<S, L>) -> SideMasks<L> {
    let limits = Limits::new(pair, asked);
    let boxes = Boxes::of(pair);
    if const { S::DIMENSION == 2 } {
        let [lower, upper] = bounds(&boxes, pair.magnitude);
        return limits.sides(lower, upper);
    }
    let sides = boxes_sides::<S, L, SEGMENT>(&boxes, limits);
    let open = !(sides.beyond | sides.within);
    if !open.any() {
        return sides;
    }
    // Nearer than the limit but not overlapping, or nearly touching.
    let [a, b] = boxes.maps();
    let cores = Cores { a: &a, b: &b, offset: pair.offset, rotation: pair.rotation };
    let more = cores_sides(pair, &cores, pair.offset, limits, open);
    SideMasks { beyond: sides.beyond | more.beyond, within: sides.within | more.within }
}

impl<S: SolveSpace> Query<S> for Within {
    type Scalar = f32;
    type Row = Side;
    type Asked<L: Lanes> = Self;
    type Answer<L: Lanes> = SideMasks<L>;
    type Open = Vec<Pick>;

    #[inline(always)]
    fn placing<'p>(&'p self, _: &'p [Pick]) -> impl Placing + 'p {
        AtRest
    }
    #[inline(always)]
    fn ask<L: Lanes<Scalar = f32>, const KEEPS_SIMPLEX: bool>(&self, _: &PairLanes<S, L>, _: &[Pick]) -> Self {
        *self
    }

    const ASKS_SIDES: bool = true;
    #[inline(always)]
    fn sides<L: Lanes>(
        asked: Self,
        pair: &PairLanes<S, L>,
        there: L::Mask,
        sided: impl Sided<S, L>,
        search: impl FnOnce() -> SideMasks<L>,
    ) -> SideMasks<L> {
        let none = L::Mask::splat(false);
        let mut sides = SideMasks { beyond: none, within: none };
        if there.any() {
            let [lower, upper] = bounds(sided, pair.magnitude);
            sides = Limits::new(pair, asked).sides(lower, upper);
            if there.all() {
                return sides;
            }
        }
        // (No `Option` that is matched behind it: see `Distance`.)
        let searched = search();
        SideMasks {
            beyond: (there & sides.beyond) | (!there & searched.beyond),
            within: (there & sides.within) | (!there & searched.within),
        }
    }

    #[inline(always)]
    fn points<L: Lanes>(asked: Self, pair: &PairLanes<S, L>) -> SideMasks<L> {
        let found = points::<S, L>(pair.offset, noise(CONVERGED, pair.magnitude));
        Limits::new(pair, asked).sides(found.lower, found.distance)
    }

    #[inline(always)]
    fn segments<L: Lanes>(asked: Self, pair: &PairLanes<S, L>) -> SideMasks<L> {
        let [[_, half_a, _], [_, half_b, _]] = pair.numbers;
        let found = segments::<S, L>(half_a, half_b, pair.offset, pair.rotation, noise(CONVERGED, pair.magnitude));
        Limits::new(pair, asked).sides(found.lower, found.distance)
    }

    #[inline(always)]
    fn point_box<L: Lanes>(asked: Self, pair: &PairLanes<S, L>) -> SideMasks<L> {
        let [lower, upper] = point_bounds(&Boxes::of(pair));
        Limits::new(pair, asked).sides(lower, upper)
    }

    #[inline(always)]
    fn segment_box<L: Lanes>(asked: Self, pair: &PairLanes<S, L>) -> SideMasks<L> {
        boxes_told::<S, L, true>(asked, pair)
    }

    #[inline(always)]
    fn boxes<L: Lanes>(asked: Self, pair: &PairLanes<S, L>) -> SideMasks<L> {
        boxes_told::<S, L, false>(asked, pair)
    }

    #[inline(always)]
    fn cores<L, F, G, A, B>(
        asked: Self,
        pair: &PairLanes<S, L>,
        _: (&F, &G),
        cores: &Cores<'_, S, L, A, B>,
        toward: S::Vector<L>,
    ) -> SideMasks<L>
    where
        L: Lanes,
        F: Family<S>,
        G: Family<S>,
        A: SupportMap<S, L> + ?Sized,
        B: SupportMap<S, L> + ?Sized,
    {
        cores_sides(pair, cores, toward, Limits::new(pair, asked), L::Mask::splat(true))
    }

    #[inline(always)]
    fn scatter<L: Lanes<Scalar = f32>, const KEEPS_SIMPLEX: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        answer: &SideMasks<L>,
        rows: &mut [Side],
        open: &mut Vec<Pick>,
    ) {
        let Packet { picks, lanes, .. } = *packet;
        let tell = |lane: usize, side| rows[picks[lane].row as usize] = side;
        answer.told(lanes, picks.len(), tell, |lane| open.push(picks[lane]));
    }
}

impl<S: SolveSpace> AskColumns<S> for Within {
    #[inline(always)]
    fn put<L: Lanes<Scalar = f32>>(
        &self,
        &ColumnPacket { pairs, first, lanes, .. }: &ColumnPacket<'_, S, L>,
        answer: &SideMasks<L>,
        rows: &mut [Side],
        open: &mut Vec<Pick>,
    ) {
        let leave = |lane| open.push(Pick { row: (first + lane) as u32, ..Pick::default() });
        answer.told(lanes, pairs.len(), |lane, side| rows[lane] = side, leave);
    }
}

impl<L: Lanes> SideMasks<L> {
    /// Calls `tell` with the side of each pair in the first `count` lanes, and `leave` with the lanes of those pairs
    /// that show neither.
    #[inline(always)]
    fn told<S: Space>(
        &self,
        lanes: &PairLanes<S, L>,
        count: usize,
        mut tell: impl FnMut(usize, Side),
        leave: impl FnMut(usize),
    ) {
        // What left the type's range shows nothing.
        let ordinary = ordinary(lanes).to_bits();
        let (beyond, within) = (self.beyond.to_bits() & ordinary, self.within.to_bits() & ordinary);
        // Without a branch, which would be mispredicted: some pairs are beyond and some are not, in no order.
        for lane in 0..count {
            tell(lane, SIDES[(beyond >> lane & 1 | (within >> lane & 1) << 1) as usize]);
        }
        set_bits::<MAX_WIDTH>(!(beyond | within) & first_bits(count)).for_each(leave);
    }
}

/// The side of a pair by two bits: bit 0 is set if it is beyond, bit 1 if it is within.
const SIDES: [Side; 4] = [Side::At, Side::Beyond, Side::Within, Side::Beyond];

/// What one pair shows in `f64`, and shows early.
fn shown<S: SimplexSpace>(two: &AnyPair<'_, S>, limit: f64) -> Side {
    let pair = &two.pair;
    if !ordinary(pair) {
        return Side::At;
    }
    // What is left to the distance is what that may call touching: the two never contradict each other.
    let limits = Limits::new(pair, Within { limit, doubt: TOUCHING_SHARE });
    let sides = cores_sides(pair, &two.cores(), pair.offset, limits, true);
    if sides.beyond {
        Side::Beyond
    } else if sides.within {
        Side::Within
    } else {
        Side::At
    }
}

/// On which side of `limit` (metres) one pair is, in `f64`: by what it shows early, else by its bounds.
pub fn decide<S: SolveSpace + DepthSpace>(two: &AnyPair<'_, S>, limit: f64, memory: &mut Memory<S>) -> Side {
    let early = shown(two, limit);
    if early != Side::At {
        return early;
    }
    let Resolved { lower, upper, .. } = resolve(two, Effort::F64, memory);
    Side::of(lower, upper, limit * two.pair.scale)
}
