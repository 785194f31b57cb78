//! All sides in lanes held against the exact polygon, in any company.

use jostle_lanes::{D2, Isa, Kernel, Lanes, Mask, Rot, Scalar, Space, Vec2, dispatch_on};
use jostle_shape::{Core, Hull, MAX_WIDTH, Shape, SingleHull};

use super::{MOST_FOR_DEPTHS, MOST_FOR_DISTANCES, PlacedPolygons, Polygons};
use crate::depth::{DepthSpace, POINT_LIMIT, Tolerance};
use crate::gjk::{Cores, gjk};
use crate::sides::Sided;
use crate::tests::Draw;

/// Two polygons and how the second stands.
#[derive(Clone, Copy)]
struct PolygonPair<'h> {
    hulls: [&'h Hull<D2>; 2],
    offset: Vec2<f64>,
    rotation: <D2 as Space>::Rot<f64>,
}

impl PolygonPair<'_> {
    /// Their distance, by GJK; zero if they overlap.
    fn distance(&self) -> f64 {
        let [a, b] = &self.hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let found = gjk(&Cores::<D2, f64, _, _> { a, b, offset: self.offset, rotation: self.rotation }, 1e-15, true);
        if found.overlap { 0.0 } else { found.distance }
    }

    /// Their least depth, by exact predicates.
    fn least(&self) -> f64 {
        let [a, b] = &self.hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let cores = Cores::<D2, f64, _, _> { a, b, offset: self.offset, rotation: self.rotation };
        let support = |direction| cores.support(direction, true).w;
        let exact = Tolerance { absolute: 1e-14, relative: 0.0, points: POINT_LIMIT };
        D2::least_depth(&mut <D2 as DepthSpace>::Expander::default(), &support, exact).upper
    }
}

/// What is found of a pair: how far apart, the normal, from A's point to B's, how far apart that shows them to be, and
/// whether the points face each other; none if it is not small.
type FoundSides<T> = Option<(T, [T; 2], [T; 2], T, bool)>;

/// Pairs at the width of an instruction set: polygons of few corners, or small ones.
struct Sides<'p, 'h>(&'p [PolygonPair<'h>], usize);

impl<T: Scalar> Kernel<T> for Sides<'_, '_> {
    type Output = Vec<FoundSides<T>>;
    fn run<L: Lanes<Scalar = T>>(self) -> Vec<FoundSides<T>> {
        let (mut few, mut small) =
            ([Polygons::<D2, L, MOST_FOR_DISTANCES>::default(); 2], [Polygons::<D2, L, MOST_FOR_DEPTHS>::default(); 2]);
        let mut found = Vec::new();
        for pairs in self.0.chunks(L::WIDTH) {
            let pair = |lane: usize| &pairs[lane.min(pairs.len() - 1)];
            let mut picks = [0; MAX_WIDTH];
            for (lane, pick) in picks.iter_mut().enumerate() {
                *pick = lane.min(pairs.len() - 1);
            }
            for k in 0..2 {
                let hulls: Vec<&Hull<D2>> = pairs.iter().map(|pair| pair.hulls[k]).collect();
                few[k].fill_with_few(&hulls, L::one(), &picks);
                small[k].fill_with_hulls(&hulls, L::one(), &picks);
            }
            let lanes = |number: &dyn Fn(&PolygonPair<'_>) -> f64| L::from_fn(|lane| T::from_f64(number(pair(lane))));
            let offset = Vec2 { x: lanes(&|pair| pair.offset.x), y: lanes(&|pair| pair.offset.y) };
            let rotation = Rot::from_entries(|k| lanes(&|pair| pair.rotation.entry(k)));
            let magnitude = L::constant(2.0);
            let there =
                if self.1 == MOST_FOR_DISTANCES { Polygons::both_there(&few) } else { Polygons::both_there(&small) };
            let (side, along) = if self.1 == MOST_FOR_DISTANCES {
                let mut placed = PlacedPolygons { polygons: &mut few, offset, rotation, magnitude };
                let side = placed.facing();
                (side, placed.along(side.between()))
            } else {
                let mut placed = PlacedPolygons { polygons: &mut small, offset, rotation, magnitude };
                let side = placed.facing();
                (side, placed.along(side.between()))
            };
            let (_, facing) = side.point(magnitude);
            found.extend((0..pairs.len()).map(|lane| {
                let of = |vector: Vec2<L>| [vector.x.lane(lane), vector.y.lane(lane)];
                let bit = |mask: L::Mask| mask.to_bits() >> lane & 1 == 1;
                bit(there)
                    .then(|| (side.gap.lane(lane), of(side.normal), of(side.between()), along.lane(lane), bit(facing)))
            }));
        }
        found
    }
}

/// Polygons about an ellipse, of all numbers of sides up to more than what is small.
fn polygons(draw: &mut Draw) -> Vec<Shape<D2>> {
    (3..MOST_FOR_DEPTHS + 4)
        .map(|count| {
            let [a, b] = [0.6 + 0.4 * draw.number(), 0.6 + 0.4 * draw.number()];
            let corner = |i: usize| {
                let angle = (i as f64 + 0.4 * draw.number()) / count as f64 * std::f64::consts::TAU;
                let direction = D2::rot(&[angle]).rotate(Vec2 { x: 1.0, y: 0.0 });
                [a * direction.x, b * direction.y]
            };
            Shape::convex(&(0..count).map(corner).collect::<Vec<_>>()).unwrap()
        })
        .collect()
}

fn hull(shape: &Shape<D2>) -> &Hull<D2> {
    let Core::Hull(hull) = shape.core() else { unreachable!() };
    hull
}

fn check<T: Scalar>(most: usize, near: f64) {
    let mut draw = Draw(61);
    let shapes = polygons(&mut draw);
    // Half of them about each other's middle, half from there to some way apart.
    let pairs: Vec<PolygonPair<'_>> = (0..2400)
        .map(|round| {
            let hulls = [hull(&shapes[round % shapes.len()]), hull(&shapes[7 * round % shapes.len()])];
            let apart = if round % 2 == 0 { 0.3 } else { 2.5 };
            PolygonPair { hulls, offset: draw.vector::<D2>() * apart, rotation: draw.rotation::<D2>() }
        })
        .collect();
    let found = Kernel::<T>::run::<T>(Sides(&pairs, most));
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        assert_eq!(dispatch_on::<T, _>(isa, Sides(&pairs, most)), found, "{isa}");
    }
    let (mut inside, mut upright, mut slanting) = (0, 0, 0);
    for (pair, found) in pairs.iter().zip(&found) {
        assert_eq!(
            found.is_some(),
            pair.hulls.iter().all(|hull| hull.len() <= most),
            "{:?}",
            pair.hulls.map(Hull::len)
        );
        let Some((gap, normal, between, along, facing)) = found else { continue };
        let [gap, along] = [gap, along].map(|length| length.to_f64());
        let [x, y] = between.map(Scalar::to_f64);
        let length = (x * x + y * y).sqrt();
        let exact = pair.distance();
        if exact <= 0.0 {
            assert!((-gap - pair.least()).abs() <= near, "{gap} {}", pair.least());
            inside += u32::from(*facing);
        } else if exact > 1e-3 {
            assert!((length - exact).abs() <= near, "{length} {exact}");
            assert!((along / length - exact).abs() <= near, "{along} {length} {exact}");
            let [n, m] = normal.map(Scalar::to_f64);
            // No line shows more than the distance, and the best shows all of it or stands beside.
            assert!(gap <= exact + near && (n * x + m * y - gap).abs() <= near);
            *if *facing { &mut upright } else { &mut slanting } += 1;
        }
    }
    assert!(inside > 100 && upright > 50 && slanting > 20, "{inside} {upright} {slanting}");
}

#[test]
fn all_sides_and_the_exact_polygon_agree() {
    check::<f32>(MOST_FOR_DEPTHS, 2e-6);
    check::<f64>(MOST_FOR_DEPTHS, 1e-13);
    check::<f32>(MOST_FOR_DISTANCES, 2e-6);
    check::<f64>(MOST_FOR_DISTANCES, 1e-13);
}

/// A point and a segment have no sides all around them: two points once overlapped by how far apart they were.
#[test]
fn who_is_no_polygon_is_not_asked() {
    for points in [&[[0.5, 1.0]][..], &[[0.0, 0.0], [1.0, 2.0]]] {
        assert!(hull(&Shape::convex(points).unwrap()).polygon::<f32>().is_empty());
    }
    assert_eq!(hull(&Shape::convex(&[[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]).unwrap()).polygon::<f64>().len(), 1);
}
