//! Distance of two convex cores by GJK: the point of A - B nearest to the origin, in lanes.
//!
//! After Gilbert, Johnson, Keerthi 1988, with the sub-algorithm solved geometrically (Ericson 2004), as selects. Works
//! in A's frame, on numbers scaled so that the pair's magnitude is about one (see [`crate::frame`]). Every lane carries
//! an upper bound, |v|, and a lower one, v.w / |v|, and stops when they meet, when |v| no longer falls (it keeps the
//! old v then: a rejected support never enters the simplex), or when the origin turns out to be inside.
//!
//! What was learned: the relative gap alone runs into the cap on curved shapes, so a gap below the pair's own rounding
//! ends the loop as well; comparisons are written so that NaN ends it. Lanes that are done go on with a vertex far
//! away: with their own, edges of rounding's length were multiplied to subnormal numbers, for which a processor stops
//! the whole register for a hundred cycles and more (a third of the time of boxes against cylinders, with half of the
//! lanes waiting).

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};
use jostle_shape::SupportMap;

use crate::simplex::{ALL_VERTICES, Simplex, SimplexSpace, SimplexStep, Vertex, select_vertex};

/// What GJK knows when it ends; all in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Gjk<S: Space, L: Lanes> {
    /// The point of A - B nearest to the origin: from the witness point on B to the one on A.
    pub v: S::Vector<L>,
    /// The witness point on A's core; the one on B's is `a - v`.
    pub a: S::Vector<L>,
    /// |v|.
    pub distance: L,
    /// v.w / |v|: no two points of the cores are nearer than this. Rounding is not counted.
    pub lower: L,
    /// How far the witness points, recomputed from the simplex, are from differing by `v`.
    pub residual: L,
    /// True where the cores have a point in common, or are so near that this precision cannot tell.
    pub overlap: L::Mask,
    /// True where `v` is along a normal, of a face or of a plane that was searched for, and not the difference of two
    /// points: its direction is as certain as the normal, however short it is.
    pub sharp: L::Mask,
}

impl<S: Space, L: Lanes> Gjk<S, L> {
    /// `a` where `mask` is true, else `b`.
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            v: S::Vector::select(mask, a.v, b.v),
            a: S::Vector::select(mask, a.a, b.a),
            distance: L::select(mask, a.distance, b.distance),
            lower: L::select(mask, a.lower, b.lower),
            residual: L::select(mask, a.residual, b.residual),
            overlap: (mask & a.overlap) | (!mask & b.overlap),
            sharp: (mask & a.sharp) | (!mask & b.sharp),
        }
    }
}

/// Vertices of A - B met on the way, the last one first: where the cores overlap they surround the origin.
pub type FinalSimplex<S, L> = [Vertex<<S as Space>::Vector<L>>; 4];

/// Two placed cores, one pair per lane.
#[derive(Clone, Copy, Debug)]
pub struct Cores<'a, S: Space, L: Lanes, A: ?Sized, B: ?Sized> {
    /// The first core; everything is in its frame.
    pub a: &'a A,
    /// The second.
    pub b: &'a B,
    /// Where B's core centre is.
    pub offset: S::Vector<L>,
    /// How B is turned.
    pub rotation: S::Rot<L>,
}

impl<S: Space, L: Lanes, A: ?Sized, B: ?Sized> Cores<'_, S, L, A, B>
where
    A: SupportMap<S, L>,
    B: SupportMap<S, L>,
{
    /// The vertex of A - B that is furthest along `direction`.
    #[inline(always)]
    pub fn support(&self, direction: S::Vector<L>, active: L::Mask) -> Vertex<S::Vector<L>> {
        let a = self.a.support(direction, active);
        let b = self.rotation.rotate(self.b.support(self.rotation.unrotate(-direction), active)) + self.offset;
        Vertex { w: a - b, a }
    }

    /// The same cores with B moved by `by`.
    #[inline(always)]
    pub fn moved(&self, by: S::Vector<L>) -> Self {
        Self { a: self.a, b: self.b, offset: self.offset + by, rotation: self.rotation }
    }

    /// Begins a search: asks for the first vertex, where none is known. `KEEPS`: see [`Enough::KEEPS`].
    #[inline(always)]
    fn begin<const KNOWING: bool, const KEEPS: bool>(&self, start: &Start<S, L>, active: L::Mask) -> Beginning<S, L>
    where
        S: SimplexSpace,
    {
        // Not `map_or`, which is not always inlined.
        let mut unmet = active;
        if const { KNOWING }
            && let Some(known) = start.known
        {
            unmet = active & !known.some;
        }
        let first = self.support(start.toward, unmet);
        let along = -first.w.dot(start.toward);
        let (mut simplex, mut v, mut last) = (S::Simplex::<L>::new(first), first.w, first);
        if const { KNOWING }
            && let Some(KnownSimplex { vertices, some }) = start.known
        {
            let (resumed, nearest) = S::Simplex::<L>::resumed::<KEEPS>(vertices);
            simplex = S::Simplex::<L>::select(some, resumed, simplex);
            v = S::Vector::select(some, nearest, v);
            last = select_vertex::<S, L>(some, vertices[0], last);
        }
        Beginning { simplex, v, last, unmet, along }
    }
}

/// The most steps. Polytopes end in fewer than twelve; curved cores in `f64` take the rest.
fn step_limit<T: Scalar>() -> u32 {
    if T::DOUBLE { 200 } else { 40 }
}

/// True where |v| falls, given the squares of its new and its old value.
///
/// A turn of v that shows in the lower bound need not show in |v|, which is a difference of far longer vectors: so the
/// search goes on where |v| stays, as far as rounding can tell. (Of cylinders and cones a third of what `f32` left to
/// `f64` had ended for that.)
#[inline(always)]
fn falls<L: Lanes>(new: L, old: L) -> L::Mask {
    let rise = new - old;
    let below = rise.lt(L::zero());
    let room = L::constant(16.0 * L::Scalar::UNIT_ROUNDOFF.to_f64());
    below | (rise * rise).lt(room * room * old)
}

/// When a lane knows enough, besides when its bounds meet: by default never.
pub trait Enough<L: Lanes>: Copy {
    /// True if the point whose plane comes closest to it is to be kept, and not the last one: where rounding makes |v|
    /// look the same for several, a search may go round in circles, and end anywhere.
    const KEEPS: bool = false;
    /// True where `along` = v.w shows the cores to be far enough apart: no two of their points are nearer than
    /// along / |v|. `squared` is |v|^2.
    #[inline(always)]
    fn apart(self, _along: L, _squared: L) -> L::Mask {
        L::Mask::splat(false)
    }
    /// True where |v|^2 shows them to be near enough.
    #[inline(always)]
    fn near(self, _squared: L) -> L::Mask {
        L::Mask::splat(false)
    }
}

/// Nothing but the distance is enough.
#[derive(Clone, Copy, Debug)]
pub struct Fully;

impl<L: Lanes> Enough<L> for Fully {}

/// The same for pairs that others could not settle.
#[derive(Clone, Copy, Debug)]
pub struct Patiently;

impl<L: Lanes> Enough<L> for Patiently {
    const KEEPS: bool = true;
}

/// A faster solver, which may finish lanes once GJK's direction is roughly right.
pub trait Beside<S: Space, L: Lanes> {
    /// False if it never takes any.
    const ASKED: bool;
    /// Whether lanes are offered to it after so many steps.
    fn due(&self, steps: u32) -> bool;
    /// Takes on some of the lanes that are true in `live`, given their nearest points so far: the search need not go on
    /// for these.
    fn take(&mut self, v: S::Vector<L>, live: L::Mask) -> L::Mask;
}

/// No second solver: GJK runs by itself.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl<S: Space, L: Lanes> Beside<S, L> for Alone {
    const ASKED: bool = false;
    #[inline(always)]
    fn due(&self, _: u32) -> bool {
        false
    }
    #[inline(always)]
    fn take(&mut self, _: S::Vector<L>, _: L::Mask) -> L::Mask {
        L::Mask::splat(false)
    }
}

/// Where a search for the point of A - B nearest to the origin ended; in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct GjkSearch<S: SimplexSpace, L: Lanes> {
    /// The vertices that carry `v`.
    pub simplex: S::Simplex<L>,
    /// The last vertex met: where `inside` is true, it closes the simplex around the origin.
    pub last: Vertex<S::Vector<L>>,
    /// The nearest point found.
    pub v: S::Vector<L>,
    /// |v|^2.
    pub squared: L,
    /// The nearest point met and what carries it: not `v` where the point [kept](Enough::KEEPS) is another one.
    pub nearest: (S::Vector<L>, S::Simplex<L>),
    /// The last v.w that was asked for.
    pub along: L,
    /// True where |v| shows nothing but rounding, or the simplex and `last` hold the origin.
    pub overlap: L::Mask,
    /// True where they hold it, as far as this precision can tell.
    pub inside: L::Mask,
    /// True where the search ended because the cores are far enough apart.
    pub apart: L::Mask,
}

/// A nearest point, and how near its plane shows the cores to be.
#[derive(Clone, Copy, Debug)]
struct BestPlane<S: SimplexSpace, L: Lanes> {
    simplex: S::Simplex<L>,
    v: S::Vector<L>,
    squared: L,
    along: L,
}

impl<S: SimplexSpace, L: Lanes> BestPlane<S, L> {
    /// How far the two are apart.
    #[inline(always)]
    fn gap(&self) -> L {
        ((self.squared - self.along) / self.squared.sqrt()).abs()
    }
    /// The other one where `mask` is true.
    #[inline(always)]
    fn or(self, other: Self, mask: L::Mask) -> Self {
        Self {
            simplex: S::Simplex::<L>::select(mask, other.simplex, self.simplex),
            v: S::Vector::select(mask, other.v, self.v),
            squared: L::select(mask, other.squared, self.squared),
            along: L::select(mask, other.along, self.along),
        }
    }
}

/// What is known of two cores before they are searched.
#[derive(Clone, Copy, Debug)]
pub struct Start<S: Space, L: Lanes> {
    /// From A to B, as far as the caller knows.
    pub toward: S::Vector<L>,
    /// Where a search of the same two, a little apart from where they are now, ended.
    pub known: Option<KnownSimplex<S, L>>,
}

/// Points of A - B as it is now, near to the origin.
#[derive(Clone, Copy, Debug)]
pub struct KnownSimplex<S: Space, L: Lanes> {
    /// The points.
    pub vertices: [Vertex<S::Vector<L>>; 3],
    /// True where there are any.
    pub some: L::Mask,
}

/// Searches the lanes that are true in `active`, to within `tolerance` (one length per lane) or until they know enough.
/// `toward` is from A to B, as far as the caller knows.
#[inline(always)]
pub fn search<S, L, A, B, E>(
    cores: &Cores<'_, S, L, A, B>,
    toward: S::Vector<L>,
    tolerance: L,
    active: L::Mask,
    enough: E,
) -> GjkSearch<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    E: Enough<L>,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    search_beside::<false, _, _, _, _, _, _>(
        cores,
        &Start { toward, known: None },
        tolerance,
        active,
        enough,
        &mut Alone,
    )
}

/// The same from what is known.
#[inline(always)]
pub fn search_from<S, L, A, B, E>(
    cores: &Cores<'_, S, L, A, B>,
    start: &Start<S, L>,
    tolerance: L,
    active: L::Mask,
    enough: E,
) -> GjkSearch<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    E: Enough<L>,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    search_beside::<true, _, _, _, _, _, _>(cores, start, tolerance, active, enough, &mut Alone)
}

/// The same with a second solver [beside](Beside) it that may take lanes over. `KNOWING`: `start.known` may hold a
/// simplex to go on from.
///
/// In each lane `v` is the point of `simplex` nearest to the origin, and what the search knows of A - B is an upper
/// bound of its distance, |v|, and a lower one: with w the support along -v, no point is nearer than `v.w / |v|`
/// (`reach` is v.w, `along` the last one that a lane asked for). A step:
///
/// 1. Offer the lanes that are live to `beside`.
/// 2. Ask for w. A lane is `far` if v.w shows enough of a gap (`apart`).
/// 3. Patient searches keep the point whose bounds are the closest (`best`).
/// 4. A lane ends where the bounds have met: `|v|^2 - v.w <= tolerance |v|`.
/// 5. Put w into the simplex: `step` holds the new nearest point and the vertices that carry it.
/// 6. A lane ends where the new simplex is `around` the origin, where its v is no longer than `tolerance` (both are
///    `overlap`), where |v| no longer falls (the old v stays), or where the new one is near `enough`.
///
/// The loop runs once more after the last step, to ask for the lower bound of the last v.
#[inline(always)]
pub fn search_beside<const KNOWING: bool, S, L, A, B, E, X>(
    cores: &Cores<'_, S, L, A, B>,
    start: &Start<S, L>,
    tolerance: L,
    active: L::Mask,
    enough: E,
    beside: &mut X,
) -> GjkSearch<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    E: Enough<L>,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
    X: Beside<S, L>,
{
    let zero = L::zero();
    let squared_tolerance = tolerance * tolerance;
    let Beginning { mut simplex, mut v, mut last, unmet, along: first } = if const { E::KEEPS } {
        cores.begin::<KNOWING, true>(start, active)
    } else {
        cores.begin::<KNOWING, false>(start, active)
    };
    let mut squared = v.length_squared();
    let mut along = squared;
    // The first direction is as good a plane as any.
    let mut apart = unmet & enough.apart(first, start.toward.length_squared());
    // Not `le`: what is NaN must not go on.
    let mut live = active & squared.gt(squared_tolerance);
    let mut overlap = active & !live;
    let mut inside = L::Mask::splat(false);
    live = live & !apart & !enough.near(squared);
    let unknown = L::splat(-L::Scalar::INFINITY);
    let mut best = BestPlane::<S, L> { simplex, v, squared, along: unknown };
    // Lengths are about one here.
    let away = S::Vector::unit(0) * L::constant(8.0);
    for step in 0..=step_limit::<L::Scalar>() {
        // After the last step v is asked for its lower bound and nothing else: here, where that is compiled already.
        let over = step == step_limit::<L::Scalar>();
        if const { X::ASKED } && !over && beside.due(step) && live.any() {
            live = live & !beside.take(v, live);
        }
        if !live.any() {
            break;
        }
        let mut vertex = cores.support(-v, live);
        vertex.w = S::Vector::select(live, vertex.w, away);
        let reach = v.dot(vertex.w);
        along = L::select(live, reach, along);
        let far = live & enough.apart(reach, squared);
        apart = apart | far;
        if over {
            break;
        }
        last = select_vertex::<S, L>(live, vertex, last);
        if const { E::KEEPS } {
            let now = BestPlane::<S, L> { simplex, v, squared, along: reach };
            best = best.or(now, live & now.gap().lt(best.gap()));
        }
        let gap = squared - reach;
        live = live & !far & gap.gt(zero) & (gap * gap).gt(squared_tolerance * squared);
        if !live.any() {
            break;
        }
        // How many vertices there can be. (All lanes take the same arm, and it is the same in every packet: the
        // branches are predicted.)
        let kept = if const { KNOWING } && start.known.is_some() { S::DIMENSION } else { step as usize + 1 };
        let step = if kept == 1 {
            stepped::<S, L, E, 1>(&simplex, vertex)
        } else if const { S::DIMENSION > 2 } && kept == 2 {
            stepped::<S, L, E, 2>(&simplex, vertex)
        } else {
            stepped::<S, L, E, ALL_VERTICES>(&simplex, vertex)
        };
        let around = live & step.inside & reach.le(zero);
        let new_squared = step.v.length_squared();
        let falls = live & !around & falls(new_squared, squared);
        simplex = S::Simplex::<L>::select(falls, step.simplex, simplex);
        v = S::Vector::select(falls, step.v, v);
        squared = L::select(falls, new_squared, squared);
        let near = falls & !new_squared.gt(squared_tolerance);
        inside = inside | around;
        overlap = overlap | around | near;
        live = falls & !near & !enough.near(new_squared);
    }
    let now = BestPlane::<S, L> { simplex, v, squared, along };
    let mut kept = now;
    if const { E::KEEPS } {
        // The last v of cores that have a point in common was not asked for its plane.
        let now = BestPlane::<S, L> { along: L::select(overlap, unknown, along), ..now };
        kept = now.or(best, active & best.gap().lt(now.gap()));
    }
    let BestPlane { simplex, v, squared, along } = kept;
    GjkSearch { simplex, last, v, squared, nearest: (now.v, now.simplex), along, overlap, inside, apart }
}

/// Where a search begins.
struct Beginning<S: SimplexSpace, L: Lanes> {
    simplex: S::Simplex<L>,
    /// Its point nearest to the origin.
    v: S::Vector<L>,
    /// The vertex that was asked for last.
    last: Vertex<S::Vector<L>>,
    /// Lanes of which nothing is known.
    unmet: L::Mask,
    /// How far apart these are along the first direction, times its length.
    along: L,
}

/// One step, with care where the best is kept.
#[inline(always)]
fn stepped<S: SimplexSpace, L: Lanes, E: Enough<L>, const KEPT: usize>(
    simplex: &S::Simplex<L>,
    vertex: Vertex<S::Vector<L>>,
) -> SimplexStep<S::Simplex<L>, S::Vector<L>, L::Mask> {
    if const { E::KEEPS } { simplex.step::<KEPT, true>(vertex) } else { simplex.step::<KEPT, false>(vertex) }
}

/// Distance of the cores in the lanes that are true in `active`, to within `tolerance` (one length per lane).
#[inline(always)]
pub fn gjk<S, L, A, B>(cores: &Cores<'_, S, L, A, B>, tolerance: L, active: L::Mask) -> Gjk<S, L>
where
    S: SimplexSpace,
    L: Lanes,
    A: SupportMap<S, L> + ?Sized,
    B: SupportMap<S, L> + ?Sized,
{
    search(cores, cores.offset, tolerance, active, Fully).measured()
}

impl<S: SimplexSpace, L: Lanes> GjkSearch<S, L> {
    /// As a distance.
    #[inline(always)]
    pub fn measured(&self) -> Gjk<S, L> {
        self.measured_with::<false>()
    }
    /// The same with witness points that are on the bodies, however short the edges of A - B that they are on.
    #[inline(always)]
    pub fn measured_with_care(&self) -> Gjk<S, L> {
        self.measured_with::<true>()
    }
    #[inline(always)]
    fn measured_with<const CARE: bool>(&self) -> Gjk<S, L> {
        let distance = self.squared.sqrt();
        let nearest = self.simplex.weighted::<CARE>(self.v);
        Gjk {
            v: self.v,
            a: nearest.a,
            distance,
            lower: self.along / distance,
            residual: (nearest.w - self.v).length_squared().sqrt(),
            overlap: self.overlap,
            // Of other features `v` is a difference of points.
            sharp: self.simplex.is_broad(),
        }
    }
    /// The nearest point met: how far it is from the origin, and where it is on A.
    #[inline(always)]
    pub fn nearest(&self) -> (L, S::Vector<L>) {
        let (v, simplex) = self.nearest;
        let point = simplex.weighted::<true>(v);
        (v.length_squared().sqrt() + (point.w - v).length_squared().sqrt(), point.a)
    }
    /// The vertices that it ended on: where a search for the depth may begin.
    #[inline(always)]
    pub fn final_simplex(&self) -> FinalSimplex<S, L> {
        let [p, q, r] = self.simplex.vertices();
        [self.last, p, q, r]
    }
}
