//! Newton's method on the distance of two cores, one of which moves in a straight line.
//!
//! GJK gives a plane that the cores are apart by, whatever B does next: the time at which B's motion uses that up is
//! never too late (conservative advancement, Mirtich 1996; the planes are those that clip the ray in van den Bergen's
//! GJK ray cast, 2004). The distance to a convex set is convex along a line, so the planes' times rise towards the
//! first meeting, and quickly: a polytope's face ends it at once, on curved bodies the gap is squared with every step,
//! and where they only graze each other it is quartered.
//!
//! A miss is shown by one plane that holds to the end of the way. A hit is where no plane shows a gap any more and the
//! distance is the target, to within what [`Patience`] says; unless the bodies come in flatly, the last plane then
//! tells the rest of the way, to within rounding.

use jostle_lanes::{Lanes, Mask, Rot, Space, Vector, first_bits, set_bits};
use jostle_shape::{MAX_WIDTH, SupportMap};

use super::passage::{After, Passage};
use super::row::{Cast, CastStatus, Motion};
use crate::boxes::pair::Boxes;
use crate::curved::beside::FrustumsApart;
use crate::depth::DepthSpace;
use crate::families::{BoxFamily, Family};
use crate::frame::{PairLanes, Placing};
use crate::gjk::{Cores, Fully, Gjk, KnownSimplex, Start, search_beside, search_from};
use crate::noise::{CONVERGED, FORWARD, noise};
use crate::pick::{Packet, Pick};
use crate::query::{Query, SolveSpace};
use crate::resolve::{AnyPair, Effort, Memory, Resolved, resolve};
use crate::segment::{points, segments};
use crate::simplex::{Simplex, SimplexSpace, Vertex};

/// How much farther than the target the bodies still are, by the planes, when the search ends: a share of the
/// magnitude.
const LEFT: f64 = 1e-12;

/// Where the last plane is used up by less than this share of the motion, bodies come in flatly: the rest of the way
/// would take them along it by more than the point of contact may be off, and they stay where the search ended.
const STEEP: f64 = 0.25;

/// Cores that are farther apart than this share of the magnitude show the normal to more digits than the plane before.
const CLEAR: f64 = 1e-5;

/// How long the advance goes on, and with what it is content.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// The most steps.
    steps: u32,
    /// How much farther than the target two points of the bodies may be when no plane shows a gap: a share of the
    /// magnitude.
    arrived: f64,
}

/// In lanes. Grazing curved bodies take some twenty steps.
const LANES: Patience = Patience { steps: 48, arrived: 1e-10 };
/// For what the lanes leave open.
const ONE_PAIR: Patience = Patience { steps: 400, arrived: 1e-9 };

/// The question: when do the pairs of these passages meet?
pub struct Sweep<'s, S: Space> {
    /// A passage for each row.
    pub passages: &'s [Passage<S>],
    /// For how long, and how near.
    pub motion: Motion,
}

/// What a packet is asked.
#[derive(Clone, Copy, Debug)]
pub struct Course<S: Space, L: Lanes> {
    /// How far B moves, in A's frame, scaled.
    sweep: S::Vector<L>,
    /// The cores' distance at which the bodies have met.
    reach: L,
    /// Above zero where the bodies are apart when the passage begins.
    late: L,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Impact<S: Space, L: Lanes> {
    /// After which share of the way.
    pub share: L,
    /// From A to B, in A's frame.
    pub normal: S::Vector<L>,
    /// Point on A's surface.
    pub a: S::Vector<L>,
    /// True where they meet.
    pub hit: L::Mask,
    /// True where they do not.
    pub miss: L::Mask,
}

/// Bounds of a distance that are farther apart than this share of the magnitude are none.
pub const SURE: f64 = 1e-6;

/// Two cores whose distance can be asked for wherever B is moved to.
trait Movable<S: Space, L: Lanes> {
    /// With B moved by `by`; `toward` is from A to B, as far as the caller knows.
    fn distance(&mut self, by: S::Vector<L>, toward: S::Vector<L>, active: L::Mask) -> Gjk<S, L>;
}

struct Points<'p, S: Space, L: Lanes>(&'p PairLanes<S, L>);

impl<S: Space, L: Lanes> Movable<S, L> for Points<'_, S, L> {
    #[inline(always)]
    fn distance(&mut self, by: S::Vector<L>, _: S::Vector<L>, _: L::Mask) -> Gjk<S, L> {
        points(self.0.offset + by, noise(CONVERGED, self.0.magnitude))
    }
}

struct Segments<'p, S: Space, L: Lanes>(&'p PairLanes<S, L>);

impl<S: Space, L: Lanes> Movable<S, L> for Segments<'_, S, L> {
    #[inline(always)]
    fn distance(&mut self, by: S::Vector<L>, _: S::Vector<L>, _: L::Mask) -> Gjk<S, L> {
        let [[_, half_a, _], [_, half_b, _]] = self.0.numbers;
        segments(half_a, half_b, self.0.offset + by, self.0.rotation, noise(CONVERGED, self.0.magnitude))
    }
}

/// Each search begins where the last one ended: on the way only the offset changes. `FRUSTUMS` where both are frustums.
struct AnyCores<'c, 'm, S: Space, L: Lanes, A: ?Sized, B: ?Sized, const FRUSTUMS: bool> {
    cores: &'c Cores<'m, S, L, A, B>,
    pair: &'c PairLanes<S, L>,
    /// Vertices of A - B with B where it is at the beginning.
    simplex: Option<[Vertex<S::Vector<L>>; 3]>,
}

impl<'c, 'm, S: Space, L: Lanes, A: ?Sized, B: ?Sized, const FRUSTUMS: bool> AnyCores<'c, 'm, S, L, A, B, FRUSTUMS> {
    #[inline(always)]
    fn new(cores: &'c Cores<'m, S, L, A, B>, pair: &'c PairLanes<S, L>) -> Self {
        Self { cores, pair, simplex: None }
    }
}

impl<S, L, A, B, const FRUSTUMS: bool> Movable<S, L> for AnyCores<'_, '_, S, L, A, B, FRUSTUMS>
where
    S: SimplexSpace,
    L: Lanes,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    #[inline(always)]
    fn distance(&mut self, by: S::Vector<L>, toward: S::Vector<L>, active: L::Mask) -> Gjk<S, L> {
        let mut known = None;
        if let Some(mut vertices) = self.simplex {
            for vertex in &mut vertices {
                vertex.w = vertex.w - by;
            }
            known = Some(KnownSimplex { vertices, some: L::Mask::splat(true) });
        }
        let start = Start { toward, known };
        let (cores, tolerance) = (self.cores.moved(by), noise(CONVERGED, self.pair.magnitude));
        let (found, measured);
        if const { FRUSTUMS } {
            let moved = PairLanes { offset: cores.offset, ..*self.pair };
            let mut beside = FrustumsApart::new(&moved, tolerance);
            if start.known.is_some() {
                beside = beside.resumed();
            }
            found = search_beside::<true, _, _, _, _, _, _>(&cores, &start, tolerance, active, Fully, &mut beside);
            measured = beside.or(found.measured());
        } else {
            found = search_from(&cores, &start, tolerance, active, Fully);
            measured = found.measured();
        }
        let mut vertices = found.simplex.vertices();
        for vertex in &mut vertices {
            vertex.w = vertex.w + by;
        }
        self.simplex = Some(vertices);
        measured
    }
}

/// A single pair, whose distance is known also where GJK's bounds do not meet: curved cores so near each other that
/// their directions are lost in rounding.
struct Sure<'c, S: SolveSpace + DepthSpace> {
    two: &'c AnyPair<'c, S>,
    memory: &'c mut Memory<S>,
}

impl<S: SolveSpace + DepthSpace> Movable<S, f64> for Sure<'_, S> {
    fn distance(&mut self, by: S::Vector<f64>, toward: S::Vector<f64>, active: bool) -> Gjk<S, f64> {
        let AnyPair { pair, .. } = self.two;
        let magnitude = pair.magnitude;
        let found = AnyCores::<_, _, _, _, false>::new(&self.two.cores(), pair).distance(by, toward, active);
        if !found.overlap && found.distance - found.lower <= magnitude * LANES.arrived {
            return found;
        }
        let [radius_a, radius_b] = pair.radius;
        let Resolved { distance, lower, upper, normal, a, .. } = resolve(&self.two.moved(by), Effort::F64, self.memory);
        // Bounds that are far apart tell nothing; nor do they where there is no point that they are of.
        let told = upper - lower <= magnitude * SURE && a.length_squared().is_finite();
        let distance = if told { distance + (radius_a + radius_b) } else { f64::NAN };
        Gjk {
            v: -(normal * distance),
            a: a - normal * radius_a,
            distance,
            lower: lower + (radius_a + radius_b),
            residual: 0.0,
            overlap: false,
            sharp: true,
        }
    }
}

/// Advances from a share of the way until all lanes are decided, or patience ends.
#[inline(always)]
fn advance<S: Space, L: Lanes>(
    mut cores: impl Movable<S, L>,
    pair: &PairLanes<S, L>,
    course: Course<S, L>,
    from: L,
    patience: Patience,
) -> Impact<S, L> {
    let (zero, one) = (L::zero(), L::one());
    let left = pair.magnitude * L::constant(LEFT);
    let arrived = pair.magnitude * L::constant(patience.arrived);
    let clear = pair.magnitude * L::constant(CLEAR);
    let Course { sweep, reach, late } = course;
    let none = L::Mask::splat(false);
    // Where nothing better is known (two points), the normal is against the motion.
    let length = sweep.length_squared().sqrt();
    let mut normal = -(sweep * (one / L::select(length.gt(zero), length, one)));
    let mut impact = Impact { share: from, normal, a: S::Vector::zero(), hit: none, miss: none };
    let mut live = L::Mask::splat(true);
    // Of hits: what is left between the bodies, by the last plane, and how fast the motion uses that up.
    let (mut rest, mut pace) = (zero, one);
    let rounding = noise(FORWARD, pair.magnitude);
    let mut toward = pair.offset;
    // At the beginning only what is known to be apart can arrive.
    let mut moved = late.gt(zero);
    for _ in 0..patience.steps {
        if !live.any() {
            break;
        }
        let found = cores.distance(sweep * impact.share, toward, live);
        let gap = found.lower - reach;
        let beyond = found.distance - reach;
        // Comparisons are written so that NaN leaves a lane open.
        let apart = live & !found.overlap & gap.gt(left);
        let away = -(found.v * (one / found.distance));
        // The last plane that they are apart by is the one they meet at, however near they are: the bound is its own.
        // Where there is something to be seen between the cores, round bodies for one, this step's is nearer still.
        let seen = live & !found.overlap & found.distance.gt(clear);
        normal = S::Vector::select(apart | seen, away, normal);
        let closing = -away.dot(sweep);
        let next = impact.share + (gap - left) / closing;
        let gone = apart & !(closing.gt(zero) & next.le(one));
        let met = (apart & beyond.le(left * L::constant(4.0))) | (live & !apart & moved & beyond.le(arrived));
        let met = met & !gone;
        let short = met & closing.gt(length * L::constant(STEEP)) & gap.gt(rounding);
        rest = L::select(short, gap - rounding, rest);
        pace = L::select(short, closing, pace);
        impact.hit = impact.hit | met;
        impact.miss = impact.miss | gone;
        impact.normal = S::Vector::select(met, normal, impact.normal);
        impact.a = S::Vector::select(met, found.a + normal * pair.radius[0], impact.a);
        live = apart & !gone & !met;
        impact.share = L::select(live, next, impact.share);
        toward = away;
        moved = moved | live;
    }
    impact.share = L::select(rest.gt(zero), (impact.share + rest / pace).min(one), impact.share);
    impact
}

impl<S: SolveSpace> Query<S> for Sweep<'_, S> {
    type Scalar = f64;
    type Row = Cast<S>;
    type Asked<L: Lanes> = Course<S, L>;
    type Answer<L: Lanes> = Impact<S, L>;
    type Open = Vec<Pick>;

    #[inline(always)]
    fn placing<'p>(&'p self, packet: &'p [Pick]) -> impl Placing + 'p {
        OnPassage { passages: self.passages, packet }
    }

    #[inline(always)]
    fn ask<L: Lanes<Scalar = f64>, const KEEPS_SIMPLEX: bool>(
        &self,
        pair: &PairLanes<S, L>,
        packet: &[Pick],
    ) -> Course<S, L> {
        let last = packet.len() - 1;
        let sweep = S::Vector::from_fn(
            #[inline(always)]
            |k| {
                L::from_fn(
                    #[inline(always)]
                    |lane| {
                        let pick = &packet[lane.min(last)];
                        sign(pick) * self.passages[pick.row as usize].sweep[k]
                    },
                )
            },
        );
        let late = L::from_fn(
            #[inline(always)]
            |lane| f64::from(u8::from(!self.passages[packet[lane.min(last)].row as usize].is_start())),
        );
        Course::new(pair, sweep, late, L::constant(self.motion.target))
    }

    #[inline(always)]
    fn points<L: Lanes>(course: Course<S, L>, pair: &PairLanes<S, L>) -> Impact<S, L> {
        advance(Points(pair), pair, course, L::zero(), LANES)
    }
    #[inline(always)]
    fn segments<L: Lanes>(course: Course<S, L>, pair: &PairLanes<S, L>) -> Impact<S, L> {
        advance(Segments(pair), pair, course, L::zero(), LANES)
    }
    #[inline(always)]
    fn boxes<L: Lanes>(course: Course<S, L>, pair: &PairLanes<S, L>) -> Impact<S, L> {
        let [a, b] = Boxes::of(pair).maps();
        let cores = Cores { a: &a, b: &b, offset: pair.offset, rotation: pair.rotation };
        <Self as Query<S>>::cores(course, pair, (&BoxFamily, &BoxFamily), &cores, pair.offset)
    }
    #[inline(always)]
    fn cores<L, F, G, A, B>(
        course: Course<S, L>,
        pair: &PairLanes<S, L>,
        _: (&F, &G),
        cores: &Cores<'_, S, L, A, B>,
        _: S::Vector<L>,
    ) -> Impact<S, L>
    where
        L: Lanes,
        F: Family<S>,
        G: Family<S>,
        A: SupportMap<S, L> + ?Sized,
        B: SupportMap<S, L> + ?Sized,
    {
        if const { F::FRUSTUMS && G::FRUSTUMS } {
            advance(AnyCores::<_, _, _, _, true>::new(cores, pair), pair, course, L::zero(), LANES)
        } else {
            advance(AnyCores::<_, _, _, _, false>::new(cores, pair), pair, course, L::zero(), LANES)
        }
    }

    #[inline(always)]
    fn scatter<L: Lanes<Scalar = f64>, const KEEPS_SIMPLEX: bool>(
        &self,
        packet: &Packet<'_, S, L>,
        impact: &Impact<S, L>,
        rows: &mut [Cast<S>],
        open: &mut Vec<Pick>,
    ) {
        let Packet { picks, records, lanes, .. } = *packet;
        let normal = lanes.rotation_a.rotate(impact.normal);
        let near = lanes.rotation_a.rotate(impact.a) * lanes.unscale;
        let (there, hit, miss) = (first_bits(picks.len()), impact.hit.to_bits(), impact.miss.to_bits());
        // First all hits, then all misses, not lane by lane: which of the two a lane is cannot be predicted, and a
        // branch on it would often be mispredicted.
        for lane in set_bits::<MAX_WIDTH>(hit & there) {
            let (pick, first) = (&picks[lane], records[lane][0]);
            let (row, passage) = (&mut rows[pick.row as usize], &self.passages[pick.row as usize]);
            let normal = S::array(
                #[inline(always)]
                |k| normal.get(k).lane(lane),
            );
            let near = S::array(
                #[inline(always)]
                |k| first.position[k] + (first.centre(k) + near.get(k).lane(lane)),
            );
            *row = passage.hit([row.a, row.b], self.motion, pick.swapped, impact.share.lane(lane), normal, near);
        }
        for lane in set_bits::<MAX_WIDTH>(miss & !hit & there) {
            let row = &mut rows[picks[lane].row as usize];
            *row = Cast::without_contact([row.a, row.b], CastStatus::Miss, self.motion.duration);
        }
        for lane in set_bits::<MAX_WIDTH>(!(hit | miss) & there) {
            open.push(picks[lane]);
        }
    }
}

impl<S: SolveSpace, L: Lanes> Course<S, L> {
    /// From the way in the world and the target, in metres.
    #[inline(always)]
    pub fn new(pair: &PairLanes<S, L>, sweep: S::Vector<L>, late: L, target: L) -> Self {
        let [radius_a, radius_b] = pair.radius;
        Self {
            sweep: pair.rotation_a.unrotate(sweep * pair.scale),
            reach: radius_a + radius_b + target * pair.scale,
            late,
        }
    }
}

#[inline(always)]
fn sign(pick: &Pick) -> f64 {
    if pick.swapped { -1.0 } else { 1.0 }
}

/// The pairs of a packet where their passages begin.
struct OnPassage<'p, S: Space> {
    passages: &'p [Passage<S>],
    packet: &'p [Pick],
}

impl<S: Space> Placing for OnPassage<'_, S> {
    #[inline(always)]
    fn offset(&self, lane: usize, axis: usize, at_rest: f64) -> f64 {
        self.begin(lane).offset(lane, axis, at_rest)
    }
    #[inline(always)]
    fn room(&self, lane: usize) -> f64 {
        self.begin(lane).room(lane)
    }
}

impl<S: Space> OnPassage<'_, S> {
    #[inline(always)]
    fn begin(&self, lane: usize) -> After<'_, S> {
        let pick = &self.packet[lane.min(self.packet.len() - 1)];
        self.passages[pick.row as usize].begin(sign(pick))
    }
}

/// Advances one pair, from a share of its way, for as long as it takes.
pub fn advance_one<S: SolveSpace + DepthSpace>(
    two: &AnyPair<'_, S>,
    course: Course<S, f64>,
    from: f64,
    memory: &mut Memory<S>,
) -> Impact<S, f64> {
    advance(Sure { two, memory }, &two.pair, course, from, ONE_PAIR)
}
