//! All sides in lanes held against the exact polygon, in any company.

use jostle_lanes::{D2, Isa, Kernel, Lanes, Mask, Rotation, Scalar, Space, Vec2, dispatch_on};
use jostle_shape::{Core, Hull, MAX_WIDTH, Shape, SingleHull};

use super::{SMALL, Small, least_sides};
use crate::depth::{DepthSpace, Tolerance};
use crate::gjk::Cores;
use crate::tests::Draw;

/// Two polygons and how the second stands.
#[derive(Clone, Copy)]
struct Pair<'h> {
    hulls: [&'h Hull<D2>; 2],
    offset: Vec2<f64>,
    turn: <D2 as Space>::Rotation<f64>,
}

impl Pair<'_> {
    /// Their least depth, by exact predicates.
    fn least(&self) -> f64 {
        let [a, b] = &self.hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let cores = Cores::<D2, f64, _, _> { a, b, offset: self.offset, turn: self.turn };
        let support = |direction| cores.support(direction, true).w;
        let exact = Tolerance { absolute: 1e-14, relative: 0.0 };
        D2::least_depth(&mut <D2 as DepthSpace>::Expander::default(), &support, exact).upper
    }
}

/// What is found of a pair: its depth and the normal, and whether the point fits; none if it is not small.
type Found<T> = Option<(T, [T; 2], bool)>;

/// Pairs at the width of an instruction set.
struct Depths<'p, 'h>(&'p [Pair<'h>]);

impl<T: Scalar> Kernel<T> for Depths<'_, '_> {
    type Output = Vec<Found<T>>;
    fn run<L: Lanes<Scalar = T>>(self) -> Vec<Found<T>> {
        let mut small = [Small::<D2, L>::default(); 2];
        let mut found = Vec::new();
        for pairs in self.0.chunks(L::WIDTH) {
            let pair = |lane: usize| &pairs[lane.min(pairs.len() - 1)];
            let mut picks = [0; MAX_WIDTH];
            for (lane, pick) in picks.iter_mut().enumerate() {
                *pick = lane.min(pairs.len() - 1);
            }
            for (k, small) in small.iter_mut().enumerate() {
                let hulls: Vec<&Hull<D2>> = pairs.iter().map(|pair| pair.hulls[k]).collect();
                small.fill_with_hulls(&hulls, L::one(), &picks);
            }
            let lanes = |number: &dyn Fn(&Pair<'_>) -> f64| L::from_fn(|lane| T::from_f64(number(pair(lane))));
            let offset = Vec2 { x: lanes(&|pair| pair.offset.x), y: lanes(&|pair| pair.offset.y) };
            let turn = Rotation::from_entries(|k| lanes(&|pair| pair.turn.entry(k)));
            let sides = least_sides(&mut small, offset, turn, L::constant(2.0));
            found.extend((0..pairs.len()).map(|lane| {
                let normal = [sides.normal.x.lane(lane), sides.normal.y.lane(lane)];
                let there = sides.found.to_bits() >> lane & 1 == 1;
                there.then(|| (sides.depth.lane(lane), normal, sides.fits.to_bits() >> lane & 1 == 1))
            }));
        }
        found
    }
}

/// Polygons about an ellipse, of all numbers of sides up to more than what is small.
fn polygons(draw: &mut Draw) -> Vec<Shape<D2>> {
    (3..SMALL + 4)
        .map(|count| {
            let [a, b] = [0.6 + 0.4 * draw.number(), 0.6 + 0.4 * draw.number()];
            let corner = |i: usize| {
                let angle = (i as f64 + 0.4 * draw.number()) / count as f64 * std::f64::consts::TAU;
                let direction = D2::rotation(&[angle]).rotate(Vec2 { x: 1.0, y: 0.0 });
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

fn check<T: Scalar>(near: f64) {
    let mut draw = Draw(61);
    let shapes = polygons(&mut draw);
    let pairs: Vec<Pair<'_>> = (0..400)
        .map(|round| {
            let hulls = [hull(&shapes[round % shapes.len()]), hull(&shapes[7 * round % shapes.len()])];
            Pair { hulls, offset: draw.vector::<D2>() * 0.3, turn: draw.rotation::<D2>() }
        })
        .collect();
    let found = Kernel::<T>::run::<T>(Depths(&pairs));
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        assert_eq!(dispatch_on::<T, _>(isa, Depths(&pairs)), found, "{isa}");
    }
    let small = |pair: &Pair<'_>| pair.hulls.iter().all(|hull| hull.len() <= SMALL);
    let mut fitting = 0;
    for (pair, found) in pairs.iter().zip(&found) {
        assert_eq!(found.is_some(), small(pair), "{:?}", pair.hulls.map(Hull::len));
        if let Some((depth, _, fits)) = found {
            assert!((depth.to_f64() - pair.least()).abs() <= near, "{depth:?} {}", pair.least());
            fitting += u32::from(*fits);
        }
    }
    assert!(fitting > 200, "{fitting}");
}

#[test]
fn all_sides_and_the_exact_polygon_agree() {
    check::<f32>(2e-6);
    check::<f64>(1e-13);
}
