//! The growing polytope held against the exact one, and against itself at other widths.

use jostle_lanes::{D2, D3, Isa, Kernel, Lanes, Mask, Rot, Scalar, Space, Vec2, Vec3, Vector, dispatch_on};
use jostle_shape::{Core, Hull, MAX_WIDTH, Shape, SingleHull};

use super::faces::GrowSpace;
use super::{GrowingRoom, Places};
use crate::depth::{DepthSpace, LeastDepth, POINT_LIMIT, Tolerance};
use crate::gjk::{self, Cores, FinalSimplex, Fully};
use crate::polytope::view::PolytopeView;
use crate::simplex::{SimplexSpace, Vertex};
use crate::tests::Draw;

/// The plane or space, as far as it is wanted here.
trait TestSpace: GrowSpace + SimplexSpace + DepthSpace {}
impl TestSpace for D2 {}
impl TestSpace for D3 {}

/// Two hulls, how the second stands, and what GJK met of them.
struct HullPair<'h, S: TestSpace> {
    hulls: [&'h Hull<S>; 2],
    offset: S::Vector<f64>,
    rotation: S::Rot<f64>,
    simplex: FinalSimplex<S, f64>,
}

impl<'h, S: TestSpace> HullPair<'h, S> {
    /// None if they are apart.
    fn new(hulls: [&'h Hull<S>; 2], offset: S::Vector<f64>, rotation: S::Rot<f64>) -> Option<Self> {
        let [a, b] = &hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let found = gjk::search(&Cores::<S, f64, _, _> { a, b, offset, rotation }, offset, 1e-15, true, Fully);
        found.overlap.then(|| Self { hulls, offset, rotation, simplex: found.final_simplex() })
    }

    /// By exact predicates.
    fn least(&self) -> LeastDepth<S::Vector<f64>> {
        let [a, b] = &self.hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let cores = Cores::<S, f64, _, _> { a, b, offset: self.offset, rotation: self.rotation };
        let exact = Tolerance { absolute: 1e-14, relative: 0.0, points: POINT_LIMIT };
        S::least_depth(&mut S::Expander::default(), &|direction| cores.support(direction, true).w, exact)
    }
}

/// A depth that was found.
#[derive(Debug)]
struct GrownDepth<S: Space, T: Scalar> {
    normal: S::Vector<T>,
    depth: T,
    a: S::Vector<T>,
    fits: bool,
}

/// What some pairs come to: those that were found, by number.
type GrownPairs<S, T> = Vec<(usize, GrownDepth<S, T>)>;

/// Some pairs at the width of an instruction set.
struct Grow<'p, 'h, S: TestSpace>(&'p [HullPair<'h, S>]);

impl<S: TestSpace, T: Scalar> Kernel<T> for Grow<'_, '_, S> {
    type Output = GrownPairs<S, T>;
    fn run<L: Lanes<Scalar = T>>(self) -> GrownPairs<S, T> {
        let (mut room, mut found) = (GrowingRoom::default(), Vec::new());
        room.open(L::WIDTH);
        for (number, packet) in self.0.chunks(L::WIDTH).enumerate() {
            let pair = |lane: usize| &packet[lane.min(packet.len() - 1)];
            let number_of =
                |number: &dyn Fn(&HullPair<'_, S>) -> f64| L::from_fn(|lane| T::from_f64(number(pair(lane))));
            let places = Places::<S, L> {
                offset: S::Vector::from_fn(|k| number_of(&|pair| pair.offset.get(k))),
                rotation: S::Rot::from_entries(|k| number_of(&|pair| pair.rotation.entry(k))),
                magnitude: L::constant(2.0),
                scale: [L::one(); 2],
            };
            let simplices: Vec<FinalSimplex<S, T>> = packet
                .iter()
                .map(|pair| pair.simplex.map(|v| Vertex { w: narrow::<S, T>(v.w), a: narrow::<S, T>(v.a) }))
                .collect();
            let all = u32::MAX >> (32 - packet.len());
            let depths = room.grow::<L>(all, &places, |i| &simplices[i], |i| packet[i].hulls.map(Hull::points));
            for lane in (0..packet.len()).filter(|lane| depths.found.to_bits() >> lane & 1 == 1) {
                assert!(room.surfaces[lane].is_closed(), "pair {lane} of packet {number}");
                let vector = |vector: S::Vector<L>| S::Vector::from_fn(|k| vector.get(k).lane(lane));
                let told = GrownDepth {
                    normal: vector(depths.normal),
                    depth: depths.depth.lane(lane),
                    a: vector(depths.a),
                    fits: depths.fits.to_bits() >> lane & 1 == 1,
                };
                found.push((number * L::WIDTH + lane, told));
            }
        }
        found
    }
}

fn narrow<S: Space, T: Scalar>(v: S::Vector<f64>) -> S::Vector<T> {
    S::Vector::from_fn(|k| T::from_f64(v.get(k)))
}

fn hull<S: Space>(shape: &Shape<S>) -> &Hull<S> {
    let Core::Hull(hull) = shape.core() else { unreachable!() };
    hull
}

/// Pairs of these hulls, in all manner of places, that GJK finds to overlap.
fn pairs<'h, S: TestSpace>(
    hulls: &'h [Shape<S>],
    size: [f64; 3],
    count: usize,
    draw: &mut Draw,
) -> Vec<HullPair<'h, S>> {
    let mut pairs = Vec::new();
    for round in 0.. {
        let hulls = [hull(&hulls[round % hulls.len()]), hull(&hulls[(3 * round + 1) % hulls.len()])];
        // From concentric to barely overlapping; every third pair is not turned, every third hardly.
        let offset = S::Vector::from_fn(|k| size[k] * draw.number()) * (0.1 * (round % 10) as f64);
        let rotation = match round % 3 {
            0 => draw.rotation::<S>(),
            1 => S::Rot::identity(),
            _ => S::rot(&(0..S::ROTATION_LEN).map(|k| if k == 3 { 1.0 } else { 1e-7 }).collect::<Vec<_>>()),
        };
        pairs.extend(HullPair::new(hulls, offset, rotation));
        if pairs.len() == count {
            break;
        }
    }
    pairs
}

fn shapes<S: Space>(points: usize, size: [f64; 3], round: bool, draw: &mut Draw) -> Vec<Shape<S>> {
    let point = |draw: &mut Draw| {
        let v = draw.vector::<S>();
        let length = if round { v.length_squared().sqrt() } else { 1.0 };
        S::array(|k| v.get(k) / length * size[k])
    };
    (0..12).map(|_| Shape::convex(&(0..points).map(|_| point(draw)).collect::<Vec<_>>()).unwrap()).collect()
}

/// How many depths are found and fit. All that are found are right.
fn check<S: TestSpace, T: Scalar>(pairs: &[HullPair<'_, S>], near: f64) -> usize {
    let mut grown = 0;
    for group in pairs.chunks(MAX_WIDTH) {
        let found: GrownPairs<S, T> = Kernel::<T>::run::<T>(Grow(group));
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let wide = dispatch_on::<T, _>(isa, Grow(group));
            assert_eq!(format!("{wide:?}"), format!("{found:?}"), "{isa}");
        }
        for (i, penetration) in &found {
            let (pair, least) = (&group[*i], group[*i].least());
            let depth = penetration.depth.to_f64();
            // Both are supports, so neither is below the least depth, and what bounds that is not above it.
            assert!(depth >= least.lower - near && depth <= least.upper + near, "{penetration:?} {least:?}");
            if penetration.fits {
                let wide = |v: S::Vector<T>| S::Vector::<f64>::from_fn(|k| v.get(k).to_f64());
                let (a, normal) = (wide(penetration.a), wide(penetration.normal));
                let b = pair.rotation.unrotate(a - normal * depth - pair.offset);
                for (hull, point) in pair.hulls.iter().zip([a, b]) {
                    if let Some(side) = PolytopeView::<f64>::of_hull(hull, 1.0) {
                        let outside = side.outside::<S, f64>(point);
                        assert!(outside <= 4.0 * near, "{outside} {penetration:?}");
                    }
                }
            }
            grown += usize::from(penetration.fits);
        }
    }
    grown
}

fn grow_from_within<S: TestSpace>(counts: &[(usize, usize)]) {
    let mut draw = Draw(41);
    for &(points, count) in counts {
        let size = [1.0, 0.8, 0.6];
        let shapes = shapes::<S>(points, size, points > 8, &mut draw);
        let pairs = pairs(&shapes, size, count, &mut draw);
        let (single, double) = (check::<S, f32>(&pairs, 4e-6), check::<S, f64>(&pairs, 1e-12));
        assert!(single * 10 >= count * 9 && double * 10 >= count * 9, "{points} points: {single}, {double} of {count}");
    }
}

#[test]
fn small_and_large_hulls_have_their_depths_proved_from_within() {
    grow_from_within::<D3>(&[(4, 96), (8, 96), (16, 96), (64, 48), (200, 24)]);
}

#[test]
fn polygons_have_their_depths_proved_from_within() {
    grow_from_within::<D2>(&[(3, 96), (8, 96), (24, 96), (150, 48)]);
}

#[test]
fn plates_and_needles_are_right_or_left_for_others() {
    let mut draw = Draw(43);
    for size in [[1.0, 1.0, 1e-3], [1.0, 1e-3, 1e-3], [1.0, 1.0, 1e-6], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]] {
        let shapes = shapes::<D3>(12, size, false, &mut draw);
        let pairs = pairs(&shapes, size, 64, &mut draw);
        let double = check::<D3, f64>(&pairs, 1e-12);
        check::<D3, f32>(&pairs, 4e-6);
        // What has no inside, turned or not, is seldom deeper than rounding.
        assert!(double >= 32 || size[2] == 0.0, "{size:?}: {double}");
    }
    let shapes = shapes::<D2>(12, [1.0, 1e-3, 0.0], false, &mut draw);
    let pairs = pairs(&shapes, [1.0, 1e-3, 0.0], 64, &mut draw);
    assert!(check::<D2, f64>(&pairs, 1e-12) >= 60 && check::<D2, f32>(&pairs, 4e-6) >= 32);
}

/// Bodies as symmetrical as boxes, with the same centre: the first points that GJK meets have the origin between them,
/// which is all that it asks.
fn grow_from_a_common_centre<S: TestSpace>() {
    let mut draw = Draw(59);
    let corners = |draw: &mut Draw| {
        let half = S::Vector::<f64>::from_fn(|_| 0.6 + 0.4 * draw.number());
        let corner = |i: usize| S::array(|k| if i >> k & 1 == 1 { half.get(k) } else { -half.get(k) });
        (0..1 << S::DIMENSION).map(corner).collect::<Vec<_>>()
    };
    let shapes: Vec<Shape<S>> = (0..48).map(|_| Shape::convex(&corners(&mut draw)).unwrap()).collect();
    let pairs: Vec<HullPair<'_, S>> = shapes
        .chunks_exact(2)
        .enumerate()
        .filter_map(|(i, two)| {
            let rotation = if i % 2 == 0 { S::Rot::identity() } else { draw.rotation::<S>() };
            HullPair::new([hull(&two[0]), hull(&two[1])], S::Vector::zero(), rotation)
        })
        .collect();
    let (single, double) = (check::<S, f32>(&pairs, 4e-6), check::<S, f64>(&pairs, 1e-12));
    assert!(pairs.len() == 24 && single == 24 && double == 24, "{single}, {double} of {}", pairs.len());
}

#[test]
fn symmetrical_bodies_with_the_same_centre_grow_as_well() {
    grow_from_a_common_centre::<D2>();
    grow_from_a_common_centre::<D3>();
}

#[test]
fn what_only_touches_has_no_depth() {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 });
    let cube = Shape::<D3>::convex(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let square = Shape::<D2>::convex(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]).unwrap();
    let touching = |found: GrownPairs<D3, f64>| {
        found.iter().all(|(_, penetration)| penetration.depth.abs() < 1e-15 && penetration.fits)
    };
    // Face on face, in the middle and aside, and edge on edge.
    let offsets = [[1.0, 0.0, 0.0], [1.0, 0.25, -0.375], [1.0, 1.0, 0.25]].map(|[x, y, z]| Vec3 { x, y, z });
    let pairs: Vec<_> =
        offsets.into_iter().filter_map(|offset| HullPair::new([hull(&cube); 2], offset, Rot::identity())).collect();
    let found: GrownPairs<D3, f64> = Kernel::<f64>::run::<f64>(Grow(&pairs));
    assert!(!found.is_empty() && touching(found), "of {} pairs", pairs.len());
    let pair = HullPair::new([hull(&square); 2], Vec2 { x: 1.0, y: 0.25 }, Rot::identity()).expect("they touch");
    let found: GrownPairs<D2, f64> = Kernel::<f64>::run::<f64>(Grow(&[pair]));
    assert!(found.iter().all(|(_, penetration)| penetration.depth.abs() < 1e-15), "{found:?}");
}

#[test]
fn what_would_need_too_many_faces_is_left_for_others() {
    let mut draw = Draw(47);
    let shapes = shapes::<D3>(400, [1.0; 3], true, &mut draw);
    // All around the depth is nearly the same, and nothing can be left out.
    let offset = Vec3 { x: 1e-3, y: 0.0, z: 0.0 };
    let pair = HullPair::new([hull(&shapes[0]); 2], offset, Rot::identity()).expect("they overlap");
    let found: GrownPairs<D3, f64> = Kernel::<f64>::run::<f64>(Grow(&[pair]));
    assert!(found.is_empty());
}

#[test]
fn numbers_that_make_no_sense_are_left_for_others() {
    let mut draw = Draw(53);
    let shapes = shapes::<D3>(16, [1.0; 3], true, &mut draw);
    let mut pairs = pairs(&shapes, [1.0; 3], 3, &mut draw);
    pairs[0].simplex[1].w.y = f64::NAN;
    // One point, and where another would be is unknown.
    pairs[1].simplex = [pairs[1].simplex[0]; 4];
    pairs[2].offset.x = f64::NAN;
    let found: GrownPairs<D3, f64> = Kernel::<f64>::run::<f64>(Grow(&pairs));
    assert!(found.is_empty(), "{found:?}");
}
