//! The search held against the expanding polytope, and against itself at other widths.

use jostle_lanes::{D3, Isa, Kernel, Lanes, Rot3, Scalar, Vec3, Vector, dispatch_on};
use jostle_shape::{Core, Hull, Shape};

use super::arcs::Arcs;
use super::of_boxes;
use super::placed::{FoundDepth, PlacedFrustum, PolytopeTouch};
use super::round::Round;
use super::search::search;
use super::underway::gain;
use crate::curved::tests::{turn_to, unit};
use crate::depth::{DepthSpace, LeastDepth, POINT_LIMIT, Tolerance};
use crate::kernels::Precision;
use crate::noise::{AGREE, FORWARD, noise};
use crate::polytope::view::{BoxBlocks, PolytopeView};
use crate::tests::Draw;

/// Ways in which pairs can be hard.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FacetedRegime {
    Random,
    Shallow,
    Concentric,
    /// The frustum's axis along one of the box's.
    Upright,
    AlmostUpright,
    /// A rod that all but coincides with the frustum's axis.
    Coaxial,
    Thin,
    Flat,
    Uneven,
}

const REGIMES: [FacetedRegime; 9] = [
    FacetedRegime::Random,
    FacetedRegime::Shallow,
    FacetedRegime::Concentric,
    FacetedRegime::Upright,
    FacetedRegime::AlmostUpright,
    FacetedRegime::Coaxial,
    FacetedRegime::Thin,
    FacetedRegime::Flat,
    FacetedRegime::Uneven,
];

#[derive(Clone, Debug)]
enum Polytope {
    Box([f64; 3]),
    Hull(Vec<[f64; 3]>),
}

/// A frustum (half height, radius of the base, of the top) seen from a polytope.
#[derive(Clone, Debug)]
struct PolytopeAndFrustum {
    polytope: Polytope,
    frustum: [f64; 3],
    rotation: Rot3<f64>,
    centre: Vec3<f64>,
}

/// A hull of these points.
fn shape(points: &[[f64; 3]]) -> Shape<D3> {
    Shape::convex(points).unwrap()
}

fn hull_of(shape: &Shape<D3>) -> &Hull<D3> {
    match shape.core() {
        Core::Hull(hull) => hull,
        other => panic!("{other:?}"),
    }
}

impl PolytopeAndFrustum {
    /// Its points, about its centre.
    fn corners(&self) -> Vec<Vec3<f64>> {
        match &self.polytope {
            Polytope::Box(half) => {
                (0..8).map(|i| Vec3::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] })).collect()
            }
            Polytope::Hull(points) => {
                let shape = shape(points);
                let centre = shape.core_centre();
                points.iter().map(|point| Vec3::from_fn(|k| point[k] - centre[k])).collect()
            }
        }
    }

    fn magnitude(&self) -> f64 {
        let far = self.corners().iter().map(|p| p.length_squared().sqrt()).fold(0.0, f64::max);
        let [half, base, top] = self.frustum;
        far + (half * half + base.max(top).powi(2)).sqrt() + self.centre.abs().max_component()
    }

    fn least(&self, relative: f64) -> LeastDepth<Vec3<f64>> {
        let corners = self.corners();
        let round = Round::new(self.frustum, self.rotation, self.centre);
        let support = |direction: Vec3<f64>| {
            let furthest = corners.iter().max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction)));
            *furthest.unwrap() + round.support(direction) - self.centre
        };
        let mut expander = <D3 as DepthSpace>::Expander::default();
        D3::least_depth(&mut expander, &support, Tolerance { absolute: 1e-12, relative, points: POINT_LIMIT })
    }

    /// Of a magnitude of one and a half, as `T` holds it.
    fn scaled<T: Scalar>(mut self) -> Self {
        let scale = 1.5 / self.magnitude();
        let round = |x: f64| T::from_f64(x).to_f64();
        match &mut self.polytope {
            Polytope::Box(half) => *half = half.map(|x| round(x * scale)),
            Polytope::Hull(points) => points.iter_mut().for_each(|point| *point = point.map(|x| round(x * scale))),
        }
        self.frustum = self.frustum.map(|x| round(x * scale));
        self.rotation.columns = self.rotation.columns.map(|column| column.map(round));
        self.centre = self.centre.map(|x| round(x * scale));
        self
    }

    fn draw<T: Scalar>(draw: &mut Draw, regime: FacetedRegime) -> Self {
        let mut length = || 0.35 + 0.25 * draw.number();
        let (mut half, base, top) = (length(), length(), length());
        let mut radii = [[base, base], [base, 0.0], [0.0, top], [base, top]][(base * 1e6) as usize % 4];
        let mut extents = [length(), length(), length()];
        let tiny = |draw: &mut Draw| 10_f64.powi((2.0 * draw.number()) as i32 - 2);
        let tilt = |draw: &mut Draw| (1.0 + draw.number()) * 10_f64.powi((4.0 * draw.number()) as i32 - 5);
        let upright = (half * 1e6) as usize % 3;
        match regime {
            FacetedRegime::Thin if base < 0.35 => radii = radii.map(|x| x * 0.01),
            FacetedRegime::Thin => extents = [extents[0], extents[1] * tiny(draw), extents[2] * tiny(draw)],
            FacetedRegime::Flat if base < 0.35 => half *= tiny(draw),
            FacetedRegime::Flat => extents[1] *= tiny(draw),
            FacetedRegime::Coaxial => {
                let thin = tiny(draw);
                extents = core::array::from_fn(|k| if k == upright { extents[k] } else { extents[k] * thin });
            }
            FacetedRegime::Uneven => {
                let share = tiny(draw);
                extents = extents.map(|x| x * share);
            }
            _ => {}
        }
        let polytope = match (top * 1e6) as usize % 3 {
            // A segment or a plate.
            0 if regime == FacetedRegime::Random => {
                Polytope::Box([0.0, extents[1], if top > 0.3 { 0.0 } else { extents[2] }])
            }
            0 | 1 => Polytope::Box(extents),
            _ => {
                let count = 4 + (half * 1e6) as usize % 30;
                let mut point = || unit(draw.vector::<D3>());
                let points = (0..count).map(|_| point());
                Polytope::Hull(points.map(|p| [p.x * extents[0], p.y * extents[1], p.z * extents[2]]).collect())
            }
        };
        let axis = match regime {
            FacetedRegime::Upright => Vec3::unit(upright),
            FacetedRegime::AlmostUpright => unit(Vec3::unit(upright) + draw.vector::<D3>() * tiny(draw)),
            FacetedRegime::Coaxial => unit(Vec3::unit(upright) + draw.vector::<D3>() * tilt(draw)),
            _ => unit(draw.vector::<D3>()),
        };
        let mut two =
            Self { polytope, frustum: [half, radii[0], radii[1]], rotation: turn_to(axis), centre: Vec3::zero() };
        let direction = unit(draw.vector::<D3>());
        let reach = two.least(0.9).upper;
        let share = 0.5 + 0.5 * draw.number();
        two.centre = match regime {
            FacetedRegime::Concentric => direction * (1e-4 * share),
            FacetedRegime::Coaxial => direction * (tilt(draw) * share),
            _ => direction * (reach * share),
        };
        if regime == FacetedRegime::Shallow {
            let (mut inside, mut outside) = (0.0, 4.0);
            for _ in 0..20 {
                let middle = 0.5 * (inside + outside);
                two.centre = direction * middle;
                *(if two.least(1e-3).lower > 0.0 { &mut inside } else { &mut outside }) = middle;
            }
            two.centre = direction * (inside * (1.0 - 0.05 * share));
        }
        two.scaled::<T>()
    }

    /// The numbers that describe it.
    fn placed<'p, T: Scalar>(&self, polytope: PolytopeView<'p, T>) -> PlacedFrustum<'p, T> {
        let number = |x: f64| T::from_f64(x);
        let vector = |v: Vec3<f64>| Vec3 { x: number(v.x), y: number(v.y), z: number(v.z) };
        let round = Round::new(
            self.frustum.map(number),
            Rot3 { columns: self.rotation.columns.map(vector) },
            vector(self.centre),
        );
        PlacedFrustum { polytope, round, magnitude: number(self.magnitude()) }
    }

    /// What is found alone.
    fn search<T: Scalar, L: Lanes<Scalar = T>>(&self) -> Option<FacetedAnswer<T>> {
        let [alone] = answers::<T, L, 1>([self]);
        alone
    }
}

/// What a search finds of a pair, if it is for this type to tell.
#[derive(Clone, Copy, Debug)]
struct FacetedAnswer<T: Scalar> {
    found: FoundDepth<T>,
    uncertain: bool,
    touch: PolytopeTouch<T>,
}

/// The same of pairs that share a packet.
fn answers<T: Scalar, L: Lanes<Scalar = T>, const N: usize>(
    pairs: [&PolytopeAndFrustum; N],
) -> [Option<FacetedAnswer<T>>; N] {
    let hulls = pairs.map(|two| match &two.polytope {
        Polytope::Box(_) => None,
        Polytope::Hull(points) => Some(shape(points)),
    });
    let (mut blocks, mut arcs) = ([BoxBlocks::default(); N], Arcs::default());
    let mut free = blocks.iter_mut();
    let mut underway = [None; N];
    search::<L>(&mut underway, &mut arcs, |place| {
        let two = pairs[place];
        let polytope = match (&two.polytope, &hulls[place]) {
            (Polytope::Box(half), _) => free.next()?.fill::<L>(half.map(T::from_f64)),
            (_, Some(shape)) => PolytopeView::of_hull::<D3>(hull_of(shape), T::ONE).expect("few points"),
            (Polytope::Hull(_), None) => unreachable!("hulls have shapes"),
        };
        Some((two.placed(polytope), None))
    });
    underway.map(|underway| {
        let underway = underway?;
        let (found, uncertain) = underway.found().expect("numbers are finite");
        Some(FacetedAnswer { found, uncertain, touch: underway.pair.touch::<L>(&found) })
    })
}

fn agree<T: Precision>() {
    let mut draw = Draw(41);
    for regime in REGIMES {
        let (mut count, mut fitting, mut sure) = (0, 0, 0);
        while count < 1500 {
            let two = PolytopeAndFrustum::draw::<T>(&mut draw, regime);
            let least = two.least(1e-9);
            // What does not overlap is not asked.
            if least.lower <= 0.0 {
                continue;
            }
            count += 1;
            let rounding = FORWARD * T::UNIT_ROUNDOFF.to_f64() * two.magnitude();
            let Some(FacetedAnswer { found, uncertain, touch: PolytopeTouch { fits, .. } }) = two.search::<T, T>()
            else {
                assert!(!T::DOUBLE && least.lower <= 2.0 * rounding, "{regime:?} {two:?}");
                continue;
            };
            let depth = found.depth.to_f64();
            // A hull's centre and normals are its own roundings.
            let context = || format!("{regime:?} {two:?}\n{found:?}\n{least:?}");
            assert!(depth >= least.lower - rounding, "{}", context());
            if !uncertain {
                assert!(depth <= least.upper + rounding + 1e-12, "{}", context());
            }
            fitting += usize::from(fits);
            sure += usize::from(!uncertain);
        }
        assert!(sure * 1000 >= count * 995, "{regime:?}: {sure} of {count} are sure");
        assert!(fitting * 10 > count * 8, "{regime:?}: {fitting} of {count} have a point");
    }
}

#[test]
fn search_and_polytope_agree_on_the_least_depth() {
    agree::<f32>();
    agree::<f64>();
}

#[test]
fn points_that_fit_are_on_both_bodies() {
    let mut draw = Draw(43);
    let mut count = 0;
    for number in 0..4000 {
        let two = PolytopeAndFrustum::draw::<f64>(&mut draw, REGIMES[number % REGIMES.len()]);
        let answer = two.search::<f64, f64>().expect("`f64` tells");
        let FacetedAnswer { found, touch: PolytopeTouch { point, fits, off }, .. } = answer;
        if !fits {
            continue;
        }
        if let Polytope::Box(half) = two.polytope {
            let beside = Vec3::from_fn(|k| (point.get(k).abs() - half[k]).max(0.0));
            assert!(beside.length_squared().sqrt() <= off, "{two:?} {answer:?}");
        }
        count += 1;
        let tolerance = noise(AGREE, two.magnitude());
        let round = Round::new(two.frustum, two.rotation, two.centre);
        let far = two.corners().iter().map(|p| p.dot(found.normal)).fold(f64::NEG_INFINITY, f64::max);
        assert!((far - point.dot(found.normal)).abs() <= tolerance, "{two:?}");
        let other = point - found.normal * found.depth;
        assert!(round.clearance(other).abs() <= tolerance, "{two:?}");
    }
    assert!(count > 3000, "{count}");
}

/// The bits of all answers.
struct FacetedBits<'p>(&'p [PolytopeAndFrustum]);

impl<T: Scalar> Kernel<T> for FacetedBits<'_> {
    type Output = Vec<Option<([u64; 8], [bool; 2])>>;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output {
        self.0.iter().map(|two| two.search::<T, L>().map(bits)).collect()
    }
}

fn bits<T: Scalar>(answer: FacetedAnswer<T>) -> ([u64; 8], [bool; 2]) {
    let FacetedAnswer { found, uncertain, touch: PolytopeTouch { point: p, fits, off } } = answer;
    let n = found.normal;
    ([found.depth, n.x, n.y, n.z, p.x, p.y, p.z, off].map(|x| x.to_f64().to_bits()), [uncertain, fits])
}

/// The bits of all answers, of pairs that share packets.
struct Together<'p>(&'p [PolytopeAndFrustum]);

impl<T: Scalar> Kernel<T> for Together<'_> {
    type Output = Vec<Option<([u64; 8], [bool; 2])>>;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output {
        let packet = |pairs: &[PolytopeAndFrustum]| {
            answers::<T, L, 4>([0, 1, 2, 3].map(|i| &pairs[i])).map(|answer| answer.map(bits))
        };
        self.0.chunks_exact(4).flat_map(packet).collect()
    }
}

fn same_bits<T: Precision>() {
    let mut draw = Draw(47);
    let pairs: Vec<PolytopeAndFrustum> =
        (0..800).map(|number| PolytopeAndFrustum::draw::<T>(&mut draw, REGIMES[number % REGIMES.len()])).collect();
    let one = Kernel::<T>::run::<T>(FacetedBits(&pairs));
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        assert_eq!(dispatch_on::<T, _>(isa, FacetedBits(&pairs)), one, "{isa}");
        assert_eq!(dispatch_on::<T, _>(isa, Together(&pairs)), one, "{isa}, together");
    }
}

#[test]
fn depths_are_the_same_bits_at_any_width_and_in_any_company() {
    same_bits::<f32>();
    same_bits::<f64>();
}

fn boxes_as_by_the_pair<T: Precision>() {
    let mut draw = Draw(59);
    for number in 0..4000 {
        let two = PolytopeAndFrustum::draw::<T>(&mut draw, REGIMES[number % REGIMES.len()]);
        let Polytope::Box(half) = two.polytope else { continue };
        let half = half.map(T::from_f64);
        let mut blocks = BoxBlocks::default();
        let placed = two.placed(blocks.fill::<T>(half));
        let [x, y, z] = half;
        let (normal, depth) = of_boxes::closed(Vec3 { x, y, z }, &placed.round, gain(placed.magnitude));
        let found = placed.closed::<T>(gain(placed.magnitude));
        let bits = |n: Vec3<T>, depth: T| [n.x, n.y, n.z, depth].map(|x| x.to_f64().to_bits());
        assert_eq!(bits(normal, depth), bits(found.normal, found.depth), "{two:?}");
    }
}

#[test]
fn closed_forms_of_boxes_are_the_same_bits_in_lanes() {
    boxes_as_by_the_pair::<f32>();
    boxes_as_by_the_pair::<f64>();
}
