//! The last word on a pair, in `f64` and one at a time: what the lanes could not decide, and all depths that they have
//! no search for.
//!
//! GJK first, with care for each triangle's shape; if the cores are provably apart, or its nearest points and its plane
//! leave nothing between them, its answer stands. Otherwise the direction of least depth is found (boxes:
//! separating axes; frustums and polytopes: closed forms, whose points are the answer's where they are on both bodies;
//! everything else: the expanding polytope), the cores are moved apart along it, and GJK between
//! the freed cores gives the witness points, wherever the shapes are flat against each other or round. On curved
//! shapes the direction from witness to witness is also a better one than that which freed them (its support value is
//! never larger: bepuphysics2 descends that way from any start; here it only polishes what the global search found).
//! Cores that share a point and go no deeper than rounding keep that point.

use jostle_lanes::{Rot, Rot3, Space, Vec3, Vector};
use jostle_shape::{BoxCore, Core, CustomShape, FrustumCore, Guarded, MAX_WIDTH, Shape, SingleHull, SupportMap};

use crate::answer::clearance;
use crate::boxes::depth::least_axis;
use crate::boxes::pair::Boxes;
use crate::curved::depth::shown;
use crate::depth::{DepthSpace, LeastDepth, POINT_LIMIT, POLYTOPE_LIMIT, Tolerance};
use crate::faceted::PolytopeFrustum;
use crate::faceted::arcs::Arcs;
use crate::frame::PairLanes;
use crate::gjk::{Cores, Gjk, Patiently, search as pursue};
use crate::noise::{AGREE, CONVERGED, FORWARD, TOUCHING_SHARE, noise, without_rounding};
use crate::penetration::Penetration;
use crate::polytope::view::{BoxBlocks, PolytopeView};
use crate::proximity::{Minimum, Status};
use crate::query::SolveSpace;
use crate::widened::widened;

/// What is known of one pair, in A's frame, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<S: Space> {
    /// Signed distance.
    pub distance: f64,
    /// Its lower bound, rounding counted.
    pub lower: f64,
    /// Its upper bound, rounding counted.
    pub upper: f64,
    /// From A to B.
    pub normal: S::Vector<f64>,
    /// Witness point on A's surface.
    pub a: S::Vector<f64>,
    /// What the bounds show.
    pub status: Status,
    /// Whether a depth is shown to be the minimum.
    pub minimum: Minimum,
}

/// A core at width 1, of whatever kind.
#[derive(Clone, Copy)]
pub enum AnyCore<'s, S: Space> {
    /// Points, segments, boxes.
    Box(BoxCore<S, f64>),
    /// Cylinders, cones, frustums.
    Frustum(FrustumCore<f64>),
    /// Hulls.
    Hull(SingleHull<'s, S, f64>),
    /// The user's own, and whether it is a polytope.
    Custom(&'s dyn SupportMap<S, f64>, bool),
}

/// What is kept of a body's core where that is the user's own.
pub type OwnCore<'s, S, U> = Option<Guarded<S, f64, <U as CustomShape<S>>::Packed<'s, f64>>>;

/// Packs the core of `shape`, scaled, if it is the user's own.
pub fn own_core<S: Space, U: CustomShape<S>>(shape: &Shape<S, U>, scale: f64) -> OwnCore<'_, S, U> {
    match shape.core() {
        Core::Custom(custom) => Some(Guarded::pack([custom; MAX_WIDTH], scale)),
        _ => None,
    }
}

impl<'s, S: Space> AnyCore<'s, S> {
    /// The core of `shape`, scaled, of which this was [packed](own_core).
    pub fn new<U: CustomShape<S>>(shape: &'s Shape<S, U>, scale: f64, own: &'s OwnCore<'_, S, U>) -> Self {
        match (shape.core(), own) {
            (Core::Custom(custom), Some(own)) => Self::Custom(own, custom.polytope()),
            (Core::Custom(_), None) => unreachable!("the user's own are packed"),
            (Core::Point | Core::Segment { .. } | Core::Box { .. }, _) => {
                let half = shape.core_half_extents();
                Self::Box(BoxCore { half_extents: S::Vector::from_fn(|k| half[k] * scale) })
            }
            (&Core::Frustum { half_height, base_radius, top_radius }, _) => Self::Frustum(FrustumCore {
                half_height: half_height * scale,
                base_radius: base_radius * scale,
                top_radius: top_radius * scale,
            }),
            (Core::Hull(hull), _) => Self::Hull(SingleHull { hull, scale }),
        }
    }

    /// Its support map.
    fn map(&self) -> &dyn SupportMap<S, f64> {
        match self {
            Self::Box(core) => core,
            Self::Frustum(core) => core,
            Self::Hull(core) => core,
            Self::Custom(core, _) => *core,
        }
    }

    /// Its faces and edges, in space, if it is a box or a hull that has them.
    fn facets<'f>(&'f self, blocks: &'f mut BoxBlocks<f64>) -> Option<PolytopeView<'f, f64>> {
        match self {
            Self::Box(core) => {
                let half: Vec3<f64> = widened(core.half_extents);
                Some(blocks.fill::<f64>([half.x, half.y, half.z]))
            }
            Self::Hull(core) => PolytopeView::of_hull(core.hull, core.scale),
            Self::Frustum(_) | Self::Custom(..) => None,
        }
    }

    /// True where the depth's minimum is at a face or at a crossing of edges: it can be proved.
    fn polytope(&self) -> bool {
        matches!(self, Self::Box(_) | Self::Hull(_) | Self::Custom(_, true))
    }
}

/// Cores whose type is known at run time only: one instance serves all kinds.
pub type DynCores<'c, S> = Cores<'c, S, f64, dyn SupportMap<S, f64> + 'c, dyn SupportMap<S, f64> + 'c>;

/// One pair, its shapes of whatever type: what is asked of it is compiled here, once.
#[derive(Clone, Copy)]
pub struct AnyPair<'c, S: Space> {
    /// The two, seen from the first, scaled.
    pub pair: PairLanes<S, f64>,
    /// What they are.
    pub maps: [AnyCore<'c, S>; 2],
}

impl<S: Space> AnyPair<'_, S> {
    /// Its cores.
    pub fn cores(&self) -> DynCores<'_, S> {
        let [a, b] = &self.maps;
        Cores { a: a.map(), b: b.map(), offset: self.pair.offset, rotation: self.pair.rotation }
    }
    /// The same pair with the second body moved, in the first one's frame, scaled.
    pub fn moved(&self, by: S::Vector<f64>) -> Self {
        Self { pair: PairLanes { offset: self.pair.offset + by, ..self.pair }, ..*self }
    }
}

/// How often a curved pair's direction is polished.
const POLISH: u32 = 60;

/// How far curved cores are pursued: what the type of the answer can tell. (Polytopes end exactly, whatever it says.)
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How near to the least depth the search ends, relative to the depth; polishing then takes it to the bottom of
    /// where it is.
    pub depth: f64,
    /// How far, relative to the pair's magnitude, the freed witness points may be off the normal when polishing ends.
    pub stray: f64,
    /// Tolerance of the distances between freed cores, relative to the magnitude. An angle costs its square: this is
    /// far below `stray`.
    pub distance: f64,
    /// How far the bounds of a distance may be apart where lanes decide, relative to the magnitude, besides rounding:
    /// of round cores GJK's last digits are the dearest, and the one pair in sixty that `f32` leaves open took ten
    /// microseconds for digits that `f32` does not have.
    pub doubt: f64,
}

impl Effort {
    /// For answers in `f32`.
    pub const F32: Self = Self { depth: 1e-5, stray: 1e-7, distance: 1e-13, doubt: 1e-9 };
    /// For answers in `f64`.
    pub const F64: Self = Self { depth: 1e-7, stray: 1e-9, distance: 1e-15, doubt: 0.0 };
}

/// Memory of the searches for a depth, kept from pair to pair.
#[derive(Debug)]
pub struct Memory<S: DepthSpace> {
    expander: S::Expander,
    arcs: Arcs,
}

impl<S: DepthSpace> Default for Memory<S> {
    fn default() -> Self {
        Self { expander: S::Expander::default(), arcs: Arcs::default() }
    }
}

impl<S: DepthSpace> Memory<S> {
    /// Makes room for any pair whose larger body has so many arcs.
    pub fn reserve(&mut self, arcs: usize) {
        S::reserve(&mut self.expander);
        self.arcs.reserve(arcs);
    }
}

/// Decides one pair. Only where bounds agree is anything said to be known: a user's support map may be none.
pub fn resolve<S: SolveSpace + DepthSpace>(
    two: &AnyPair<'_, S>,
    effort: Effort,
    memory: &mut Memory<S>,
) -> Resolved<S> {
    let found = search(two, effort, memory);
    // NaN is not known either, and of bodies without bounds nothing is.
    let known = (0.0..f64::INFINITY).contains(&(found.upper - found.lower));
    let status = if known { found.status } else { Status::Unconverged };
    let distance = without_rounding(found.distance, status == Status::Touching, two.pair.magnitude);
    Resolved { distance, status, ..found }
}

fn search<S: SolveSpace + DepthSpace>(two: &AnyPair<'_, S>, effort: Effort, memory: &mut Memory<S>) -> Resolved<S> {
    let (AnyPair { pair, maps: [a, b] }, cores) = (two, two.cores());
    let tolerance = noise(CONVERGED, pair.magnitude);
    let rounding = noise(FORWARD, pair.magnitude);
    let pursued = pursue(&cores, cores.offset, tolerance, true, Patiently);
    let (found, (nearest, a_nearest)) = (pursued.measured_with_care(), pursued.nearest());
    // Two points so near each other, and a plane that leaves so wide a gap, or shows so small a depth, that there is
    // nothing between them: there is no more to know, whatever the sign.
    if tight(pair, found.distance + found.residual - found.lower) {
        return apart(pair, &found);
    }
    // Where the plane that was kept is not that of the nearest points, those may be so near that the depth tells more.
    let agree =
        found.distance - found.lower <= TOUCHING_SHARE * pair.magnitude || nearest > TOUCHING_SHARE * pair.magnitude;
    if !found.overlap && found.lower > rounding && agree {
        return apart(pair, &found);
    }
    // Two points of the cores: no distance is larger than theirs.
    let known = KnownPoints { distance: nearest + rounding, a: a_nearest, overlap: found.overlap };
    // Closed forms know all directions of least depth, but not those of the widest gap.
    if let Some(penetration) = faceted(pair, &two.maps, &mut memory.arcs)
        && (penetration.depth >= 0.0 || !known.overlap && known.distance + penetration.depth <= rounding)
    {
        return told(pair, &penetration, penetration.depth, known);
    }
    let polytopes = a.polytope() && b.polytope();
    let least = if let (AnyCore::Box(a), AnyCore::Box(b)) = (a, b) {
        let axis = least_axis::<S, f64>(&Boxes {
            a: a.half_extents,
            b: b.half_extents,
            offset: pair.offset,
            rotation: pair.rotation,
            magnitude: pair.magnitude,
        })
        .axis;
        LeastDepth { normal: axis.normal, upper: axis.depth, lower: axis.depth }
    } else {
        let support = |direction: S::Vector<f64>| cores.support(direction, true).w;
        let tolerance = if polytopes {
            Tolerance { absolute: tolerance, relative: 0.0, points: POLYTOPE_LIMIT }
        } else {
            Tolerance { absolute: pair.magnitude * 1e-10, relative: effort.depth, points: POINT_LIMIT }
        };
        let found = S::least_depth(&mut memory.expander, &support, tolerance);
        match (a, b) {
            // Of what they share more is known than an expanding polytope tells, which is coarse where they hardly do.
            (AnyCore::Frustum(_), AnyCore::Frustum(_)) if const { S::DIMENSION == 3 } => {
                LeastDepth { lower: found.lower.max(shown(pair, found.normal, found.upper)), ..found }
            }
            _ => found,
        }
    };
    free(pair, &cores, least, known, if polytopes { None } else { Some(effort) })
}

/// True if bounds that are so far from each other, rounding not counted, differ by nothing but rounding.
fn tight<S: Space>(pair: &PairLanes<S, f64>, gap: f64) -> bool {
    gap.abs() <= noise(AGREE, pair.magnitude)
}

/// Cores that are apart, or touch: what GJK found of them.
fn apart<S: SolveSpace>(pair: &PairLanes<S, f64>, found: &Gjk<S, f64>) -> Resolved<S> {
    let rounding = noise(FORWARD, pair.magnitude);
    let radii = pair.radius[0] + pair.radius[1];
    let normal = -(found.v * (1.0 / found.distance));
    let lower = found.lower - radii - rounding;
    let upper = found.distance + found.residual - radii + rounding;
    let agree = upper - lower <= TOUCHING_SHARE * pair.magnitude;
    let tight = tight(pair, upper - lower - 2.0 * rounding);
    Resolved {
        distance: found.distance - radii,
        lower,
        upper,
        normal,
        a: found.a + normal * pair.radius[0],
        status: if agree { status(pair, lower, upper) } else { Status::Unconverged },
        // A distance between cores is proved by its bounds meeting; where radii turn it into a depth, that is a claim.
        minimum: if agree && lower > 0.0 || tight { Minimum::Proved } else { Minimum::Searched },
    }
}

/// Cores that are not: freed along the direction of least depth, polished where they are curved.
fn free<S: SolveSpace>(
    pair: &PairLanes<S, f64>,
    cores: &DynCores<'_, S>,
    least: LeastDepth<S::Vector<f64>>,
    known: KnownPoints<S>,
    curved: Option<Effort>,
) -> Resolved<S> {
    let (mut normal, mut depth) = (least.normal, least.upper);
    // A curved pair's direction gains the more in each step the less it is moved beyond touching.
    let full = clearance(pair.magnitude);
    let mut clearance = if curved.is_some() { depth.abs().max(pair.magnitude * 1e-3).min(full) } else { full };
    let tolerance = curved.map_or(noise(CONVERGED, pair.magnitude), |effort| effort.distance * pair.magnitude);
    // What counts is the angle; of polytopes, whose points are sharp, where they are.
    let enough = match curved {
        Some(effort) => effort.stray * (clearance / full) * pair.magnitude,
        None => noise(AGREE, pair.magnitude),
    };
    let free_by = |clearance: f64, normal: S::Vector<f64>, depth: f64| {
        let freed = cores.moved(normal * (depth + clearance));
        let found = pursue(&freed, freed.offset, tolerance, true, Patiently).measured_with_care();
        let stray = (found.v + normal * clearance).length_squared().sqrt() + found.residual;
        (found, stray)
    };
    let (mut found, mut stray) = free_by(clearance, normal, depth);
    // Of faces that are nearly parallel one's normal leads from point to point, and the other's was found: the points
    // are off by the angle between the two times the clearance.
    while curved.is_none() && stray > enough && clearance > full * 1e-4 {
        clearance *= 0.0625;
        (found, stray) = free_by(clearance, normal, depth);
    }
    let free = |normal: S::Vector<f64>, depth: f64| free_by(clearance, normal, depth);
    let depth_along = |direction: S::Vector<f64>| cores.support(direction, true).w.dot(direction);
    let onward = |found: &Gjk<S, f64>| -(found.v * (1.0 / found.distance));
    let (mut last_step, mut stride): (Option<f64>, f64) = (None, 64.0);
    for _ in 0..POLISH {
        if stray <= enough || found.distance <= 0.0 {
            break;
        }
        let mut better = onward(&found);
        let mut better_depth = depth_along(better);
        // Steps shrink by a factor that depends on the curvature (Aitken 1926): two of them tell where they lead.
        let step = better - normal;
        let length = step.length_squared().sqrt();
        let shrink = last_step.map_or(0.0, |last| length / last);
        last_step = Some(length);
        if shrink > 0.05 {
            // Where all directions about an axis are nearly as deep they do not shrink, and are far too short.
            let by = if shrink < 0.98 { shrink / (1.0 - shrink) } else { stride };
            let ahead = better + step * by;
            let ahead = ahead * (1.0 / ahead.length_squared().sqrt());
            // The way there may be bent, along a ridge of directions: a step from there leads back to it.
            let beyond = onward(&free(ahead, depth_along(ahead)).0);
            let beyond_depth = depth_along(beyond);
            if beyond_depth <= better_depth {
                (better, better_depth) = (beyond, beyond_depth);
                last_step = None;
                stride *= 4.0;
            } else {
                stride = (stride * 0.125).max(1.0);
            }
        }
        let (better_found, better_stray) = free(better, better_depth);
        if !(better_depth < depth || better_depth <= depth && better_stray < stray) {
            break;
        }
        (normal, depth, found, stray) = (better, better_depth, better_found, better_stray);
    }
    let fits = stray <= pair.magnitude * 1e-6;
    told(
        pair,
        &Penetration { normal, depth, a: found.a, fits, uncertain: curved.is_some() },
        least.lower.min(depth),
        known,
    )
}

/// What GJK knows of two cores.
#[derive(Clone, Copy, Debug)]
struct KnownPoints<S: Space> {
    /// Two of their points are so far from each other, or less.
    distance: f64,
    /// Where the one on A is.
    a: S::Vector<f64>,
    /// True where they have a point in common, as far as it can tell.
    overlap: bool,
}

/// From a depth, how much less it may be, and what was known before.
fn told<S: Space>(
    pair: &PairLanes<S, f64>,
    penetration: &Penetration<S, f64>,
    least: f64,
    known: KnownPoints<S>,
) -> Resolved<S> {
    let Penetration { normal, depth, a, fits, uncertain } = *penetration;
    let rounding = noise(FORWARD, pair.magnitude);
    let radii = pair.radius[0] + pair.radius[1];
    let distance = -depth - radii;
    let lower = distance - rounding;
    // A point that cores share which go no deeper is on both their planes, whatever lies flat against whatever.
    let touch = depth.abs() <= 0.01 * TOUCHING_SHARE * pair.magnitude && known.distance <= 2.0 * rounding;
    let (a, fits) = if touch { (known.a, true) } else { (a, fits) };
    // A negative depth is a separation along one axis, and that is only a lower bound.
    let alone = depth < 0.0 && !known.overlap;
    let upper = if alone { known.distance.max(-least) } else { known.distance.min(-least) } - radii + rounding;
    let proved = !uncertain && depth - least <= noise(AGREE, pair.magnitude);
    Resolved {
        distance,
        lower,
        upper,
        normal,
        a: a + normal * pair.radius[0],
        status: if fits { status(pair, lower, upper) } else { Status::Unconverged },
        minimum: if proved { Minimum::Proved } else { Minimum::Searched },
    }
}

/// The least depth of a frustum and a polytope by closed forms ([`crate::faceted`]), where they end in a point of both.
fn faceted<S: SolveSpace>(
    pair: &PairLanes<S, f64>,
    [a, b]: &[AnyCore<'_, S>; 2],
    arcs: &mut Arcs,
) -> Option<Penetration<S, f64>> {
    // There are none in the plane.
    if const { S::DIMENSION < 3 } {
        return None;
    }
    let (frustum, polytope_first) = match (a, b) {
        (AnyCore::Frustum(frustum), _) => (frustum, false),
        (_, AnyCore::Frustum(frustum)) => (frustum, true),
        _ => return None,
    };
    let mut blocks = BoxBlocks::default();
    let polytope = if polytope_first { a.facets(&mut blocks) } else { b.facets(&mut blocks) }?;
    let two = PolytopeFrustum {
        polytope,
        frustum: [frustum.half_height, frustum.base_radius, frustum.top_radius],
        polytope_first,
        rotation: Rot3::from_entries(|k| pair.rotation.entry(k)),
        offset: widened(pair.offset),
        magnitude: pair.magnitude,
    };
    two.least_depth::<S, f64>(arcs).filter(|penetration| penetration.fits && !penetration.uncertain)
}

/// What two bounds show.
fn status<S: Space>(pair: &PairLanes<S, f64>, lower: f64, upper: f64) -> Status {
    let status = Status::of(lower, upper);
    let near = upper - lower <= pair.magnitude * TOUCHING_SHARE;
    if status == Status::Touching && !near { Status::Unconverged } else { status }
}
