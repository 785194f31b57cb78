//! Rules out pairs that are clearly farther apart than a margin before their distance is computed, where only nearer
//! pairs are wanted.
//!
//! First by balls about the bodies, which takes a few nanoseconds; then, where distances are searched for, by planes,
//! which takes a third to a half of what a distance takes: a plane between the two ends a search, and most pairs show
//! one after a step or two. Of pairs whose boxes overlap, three of five in a strewn scene and six of seven in rubble
//! are farther apart than the margin. Where they are few, as in stacks, that shows in the first few hundred pairs, and
//! the others are not asked. The pairs that are left fill packets anew and are solved as if there had been no others,
//! so that rows have the same bits.
//!
//! Planes are left out where a distance is a closed form (balls, capsules, boxes; in the plane small polygons as well):
//! to rule out takes as long. And where support maps are the user's own, what two searches see of one need not be the
//! same thing.
//!
//! What it brings: docs/steps.md, *Ruled out*. (Class by class within a batch, without filling packets anew, mixed
//! shapes gained a third of that.)

use jostle_lanes::prefetch_far_at;
use jostle_shape::{BodySet, CountedOn};

use crate::kernels::{Dimension, Precision, solve_class};
use crate::lists::{Batch, Lists};
use crate::noise::BALL_ROUNDING;
use crate::packet::Job;
use crate::pick::{PAIRS_PER_BATCH, Pick};
use crate::record::Kind;
use crate::records::{BODIES_AHEAD, Source};
use crate::within::{Side, Within};

/// So many pairs are looked at first, to see whether ruling out pays.
const FIRST: usize = 256;
/// It pays if this share of all pairs is ruled out, and this share of those for which a plane was asked.
const OF_ALL: Share = Share(1, 8);
const OF_ASKED: Share = Share(2, 5);

/// Memory for it.
pub struct Sieve<S: Dimension> {
    lists: Lists<S, f32>,
    sides: Vec<Side>,
    open: Vec<Pick>,
    by_balls: Balls,
    by_planes: Vec<[u32; 2]>,
}

impl<S: Dimension> Default for Sieve<S> {
    fn default() -> Self {
        let (lists, by_balls) = (Lists::default(), Balls::default());
        Self { lists, sides: Vec::new(), open: Vec::new(), by_balls, by_planes: Vec::new() }
    }
}

/// The first of the two sieves, by balls: for callers that list pairs before they are solved.
///
/// ```
/// use jostle_narrowphase::{Balls, Records};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let rod = bodies.add_shape(Shape::capsule(1.0, 0.25)?)?;
/// for x in [0.0, 2.0, 9.0] {
///     bodies.push(Body::new(rod, [x, 0.0]))?;
/// }
/// let mut records = Records::<D2, f32>::default();
/// records.make(&bodies.columns());
/// let pairs = [[0, 2], [0, 1], [1, 2]];
/// assert_eq!(Balls::default().pass(&bodies.columns(), records.source(), &pairs, 0.5), [[0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Balls {
    kept: Vec<[u32; 2]>,
    near: Vec<[u32; 2]>,
}

impl Balls {
    /// Those of some pairs whose balls are not clearly farther apart than `limit` (metres), in their order. Once
    /// so few are ruled out that it does not pay, the rest is kept unasked; and all are where there are neither records
    /// nor templates. A pair's bodies are those of [`BodySet::sides`], in this order.
    pub fn pass<'p, S: Dimension, T: Precision>(
        &'p mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, T>,
        pairs: &'p [[u32; 2]],
        limit: f64,
    ) -> &'p [[u32; 2]] {
        self.ask::<false, S, T>(bodies, source, pairs, limit).1
    }

    /// The same, but pairs of balls that are clearly nearer than the limit come in a list of their own, which is the
    /// first: of these, nothing else has to be computed.
    pub(crate) fn part<'p, S: Dimension, T: Precision>(
        &'p mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, T>,
        pairs: &'p [[u32; 2]],
        limit: f64,
    ) -> (&'p [[u32; 2]], &'p [[u32; 2]]) {
        self.ask::<true, S, T>(bodies, source, pairs, limit)
    }

    /// If they are to `TELL`, those that are clearly near; and those that are left.
    fn ask<'p, const TELL: bool, S: Dimension, T: Precision>(
        &'p mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, T>,
        pairs: &'p [[u32; 2]],
        limit: f64,
    ) -> (&'p [[u32; 2]], &'p [[u32; 2]]) {
        let Self { kept, near } = self;
        near.clear();
        let kept = match source {
            Source::All(records) => keep(pairs, kept, |some, kept| {
                let ball = |_, body: usize| {
                    let record = &records[body];
                    (record.position, record.reach, record.kind_number())
                };
                let ask_bodies = |_, body| prefetch_far_at(records, body);
                by_balls::<TELL, S, T>(ball, ask_bodies, |_, _| {}, some, limit, [kept, near])
            }),
            Source::Templates(templates) => keep(pairs, kept, |some, kept| {
                let (at_hand, templates, sides) = (templates.at_hand(), templates.columns(0), bodies.sides());
                let shape_of = |side: usize, body: usize| {
                    let CountedOn { columns, body: first, shape } = &sides[side];
                    shape + columns.shape_indices()[body - first] as usize
                };
                let ball = |side: usize, body: usize| {
                    let (columns, shape) = (&sides[side].columns, shape_of(side, body));
                    let position = columns.positions()[body - sides[side].body];
                    (position, templates.reach(shape), templates.kind_number(shape))
                };
                let ask_shapes = |side, body| {
                    if !at_hand {
                        templates.prefetch(shape_of(side, body));
                    }
                };
                let ask_bodies = |_, body| bodies.prefetch_without_rotation(body);
                by_balls::<TELL, S, T>(ball, ask_bodies, ask_shapes, some, limit, [kept, near])
            }),
            // To look up a body's shape takes as long as to compute the distance.
            Source::OnDemand => pairs,
        };
        (near, kept)
    }
}

impl<S: Dimension> Sieve<S> {
    /// Those of some pairs that may be at most `limit` (metres) apart, in their order. Planes are asked of the bodies
    /// in `planes`, if there are any.
    pub fn pass<'p, T: Precision>(
        &'p mut self,
        bodies: &impl BodySet<S>,
        source: Source<'_, S, T>,
        planes: Option<Source<'_, S, f32>>,
        pairs: &'p [[u32; 2]],
        limit: f64,
    ) -> &'p [[u32; 2]] {
        let Self { lists, sides, open, by_balls, by_planes } = self;
        let pairs = by_balls.pass(bodies, source, pairs, limit);
        let Some(planes) = planes else { return pairs };
        // In the plane one look at all sides tells the distance.
        if S::DIMENSION == 2 {
            return pairs;
        }
        let query = Within::clearly(limit);
        keep(pairs, by_planes, |some, kept| {
            sides.clear();
            sides.resize(some.len(), Side::At);
            let (mut asked, before) = (0, kept.len());
            for Batch { class, records, picks } in lists.sort(bodies, planes, some) {
                if class.is_searched() {
                    open.clear();
                    asked += picks.len();
                    let job = Job { query: &query, records, picks, rows: &mut *sides, open: &mut *open };
                    solve_class(class, job, bodies);
                }
            }
            // Without a branch, which would be mispredicted: some sides are beyond and some are not, in no order.
            let mut count = before;
            kept.resize(before + some.len(), [0; 2]);
            for (&pair, &side) in some.iter().zip(&*sides) {
                kept[count] = pair;
                count += usize::from(side != Side::Beyond);
            }
            kept.truncate(count);
            SieveCounts { pairs: some.len() - (count - before), asked }
        })
    }
}

/// A fraction.
struct Share(usize, usize);

impl Share {
    fn reached(&self, part: usize, of: usize) -> bool {
        part * self.1 >= of * self.0
    }
}

/// What a sieve did.
#[derive(Clone, Copy, Debug)]
struct SieveCounts {
    /// About how many pairs nothing is left to be asked.
    pairs: usize,
    /// For how many it looked for planes.
    asked: usize,
}

/// Asks `sieve` which of `pairs` to keep, some of them at a time and while that pays; the others are all kept.
fn keep<'p>(
    pairs: &'p [[u32; 2]],
    kept: &'p mut Vec<[u32; 2]>,
    mut sieve: impl FnMut(&[[u32; 2]], &mut Vec<[u32; 2]>) -> SieveCounts,
) -> &'p [[u32; 2]] {
    kept.clear();
    let (mut rest, mut few) = (pairs, FIRST);
    while !rest.is_empty() {
        let (some, others) = rest.split_at(few.min(rest.len()));
        let told = sieve(some, kept);
        (rest, few) = (others, PAIRS_PER_BATCH);
        if !OF_ALL.reached(told.pairs, some.len()) || !OF_ASKED.reached(told.pairs, told.asked) {
            break;
        }
    }
    kept.extend_from_slice(rest);
    kept
}

/// Lengths in `f32` below this are rounded by more than a share of them, those above by less than [`BALL_ROUNDING`].
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// Keeps pairs whose balls are not clearly too far apart; those that clearly are not, and whose balls are all that they
/// are, are `near` instead, if they are to `TELL`. `ball`: where the middle of the ball of a pair's first (0) or second
/// (1) body is, its radius, and the number of its kind. `ask_bodies` prefetches the body's own memory for that, and
/// `ask_shapes`, some pairs later, the memory of its shape, whose number is in what the former has fetched.
fn by_balls<const TELL: bool, S: Dimension, T: Precision>(
    ball: impl Fn(usize, usize) -> (S::Array<f64>, T, usize),
    ask_bodies: impl Fn(usize, usize),
    ask_shapes: impl Fn(usize, usize),
    pairs: &[[u32; 2]],
    limit: f64,
    [kept, near]: [&mut Vec<[u32; 2]>; 2],
) -> SieveCounts {
    let (mut count, mut near_count) = (kept.len(), near.len());
    let before = count;
    kept.resize(count + pairs.len(), [0; 2]);
    if TELL {
        near.resize(near_count + pairs.len(), [0; 2]);
    }
    for (place, &pair) in pairs.iter().enumerate() {
        if let Some(&[a, b]) = pairs.get(place + BODIES_AHEAD) {
            ask_bodies(0, a as usize);
            ask_bodies(1, b as usize);
        }
        if let Some(&[a, b]) = pairs.get(place + BODIES_AHEAD / 2) {
            ask_shapes(0, a as usize);
            ask_shapes(1, b as usize);
        }
        // (Not by `map`, which becomes a call for each pair.)
        let [a, b] = pair;
        let ((from, reach_a, kind_a), (to, reach_b, kind_b)) = (ball(0, a as usize), ball(1, b as usize));
        let mut squared = 0.0;
        for k in 0..S::DIMENSION {
            let between = to[k] - from[k];
            squared += between * between;
        }
        let reach = reach_a.to_f64() + reach_b.to_f64() + limit;
        let farthest = reach * (1.0 + BALL_ROUNDING);
        // A pair with NaN is not far apart. No branch, which would be mispredicted.
        let far = u8::from(squared > farthest * farthest);
        // What is the user's own may reach farther than it says.
        let unknown = u8::from(kind_a == Kind::Custom as usize) | u8::from(kind_b == Kind::Custom as usize);
        let mut keeps = unknown | far ^ 1;
        if TELL {
            let nearest = (reach * (1.0 - BALL_ROUNDING) - TINY).max(0.0);
            let known = u8::from(kind_a == Kind::Point as usize) & u8::from(kind_b == Kind::Point as usize);
            let is_near = known & u8::from(squared < nearest * nearest);
            near[near_count] = pair;
            near_count += usize::from(is_near);
            keeps &= is_near ^ 1;
        }
        kept[count] = pair;
        count += usize::from(keeps);
    }
    kept.truncate(count);
    near.truncate(near_count);
    SieveCounts { pairs: pairs.len() - (count - before), asked: 0 }
}
