//! The growing polytope held against the exact one, and against itself at other widths.

use jostle_lanes::{D3, Isa, Kernel, Lanes, Rot3, Rotation, Scalar, Space, Vec3, Vector, dispatch_on};
use jostle_shape::{Core, Hull, Shape, SingleHull};

use super::{Corners, Members, Room, Stand};
use crate::depth::{DepthSpace, LeastDepth, Tolerance};
use crate::gjk::{self, Cores, Fully, Met};
use crate::one_by_one::Deepest;
use crate::polytope::{GROUP, Side};
use crate::simplex::Vertex;
use crate::tests::Draw;

/// Two hulls, how the second stands, and what GJK met of them.
struct Pair<'h> {
    hulls: [&'h Hull<D3>; 2],
    offset: Vec3<f64>,
    turn: Rot3<f64>,
    met: Met<D3, f64>,
}

impl Pair<'_> {
    fn cores(&self) -> [SingleHull<'_, D3, f64>; 2] {
        self.hulls.map(|hull| SingleHull { hull, scale: 1.0 })
    }

    /// By exact predicates.
    fn least(&self) -> LeastDepth<Vec3<f64>> {
        let [a, b] = &self.cores();
        let cores = Cores::<D3, f64, _, _> { a, b, offset: self.offset, turn: self.turn };
        let exact = Tolerance { absolute: 1e-14, relative: 0.0 };
        D3::least_depth(
            &mut <D3 as DepthSpace>::Expander::default(),
            &|direction| cores.support(direction, true).w,
            exact,
        )
    }
}

/// What a group comes to.
type Found<T> = (Vec<(usize, Deepest<D3, T>)>, Vec<usize>);

/// Some pairs at the width of an instruction set.
struct Grow<'p, 'h>(&'p [Pair<'h>]);

impl<T: Scalar> Kernel<T> for Grow<'_, '_> {
    type Output = Found<T>;
    fn run<L: Lanes<Scalar = T>>(self) -> Found<T> {
        let (mut room, mut found, pairs) = (Room::default(), Vec::new(), self.0);
        room.open();
        let met: Vec<Met<D3, T>> =
            pairs.iter().map(|pair| pair.met.map(|v| Vertex { w: narrow(v.w), a: narrow(v.a) })).collect();
        let rest: Members = room.grow::<D3, L>(
            pairs.len(),
            |i| &met[i],
            |i| {
                let Pair { hulls: [a, b], offset, turn, .. } = &pairs[i];
                let turn = Rot3 { columns: turn.columns.map(narrow) };
                let stand = Stand { offset: narrow(*offset), turn, magnitude: T::from_f64(2.0) };
                ([a, b].map(|hull| Corners { points: hull.points(), scale: T::ONE }), stand)
            },
            |i, deepest| found.push((i, deepest)),
        );
        for (i, _) in &found {
            assert!(room.group[*i].is_closed(), "pair {i}");
        }
        (found, (0..rest.len()).map(|i| rest.pair(i)).collect())
    }
}

fn narrow<T: Scalar>(v: Vec3<f64>) -> Vec3<T> {
    Vec3::from_fn(|k| T::from_f64(v.get(k)))
}

/// Pairs of these hulls, in all manner of places, that GJK finds to overlap.
fn pairs<'h>(hulls: &'h [Shape<D3>], size: [f64; 3], count: usize, draw: &mut Draw) -> Vec<Pair<'h>> {
    let hull = |shape: &'h Shape<D3>| -> &'h Hull<D3> {
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        hull
    };
    let mut pairs = Vec::new();
    for round in 0.. {
        let hulls = [hull(&hulls[round % hulls.len()]), hull(&hulls[(3 * round + 1) % hulls.len()])];
        // From concentric to barely overlapping; every third pair is not turned, every third hardly.
        let offset = Vec3::from_fn(|k| size[k] * draw.number()) * (0.1 * (round % 10) as f64);
        let turn = match round % 3 {
            0 => D3::rotation(&[draw.number(), draw.number(), draw.number(), draw.number() + 1e-3]),
            1 => Rot3::identity(),
            _ => D3::rotation(&[1e-7, 1e-7, 1e-7, 1.0]),
        };
        let [a, b] = &hulls.map(|hull| SingleHull { hull, scale: 1.0 });
        let found = gjk::search(&Cores::<D3, f64, _, _> { a, b, offset, turn }, offset, 1e-15, true, Fully);
        if found.overlap {
            pairs.push(Pair { hulls, offset, turn, met: found.met() });
        }
        if pairs.len() == count {
            break;
        }
    }
    pairs
}

fn shapes(points: usize, size: [f64; 3], round: bool, draw: &mut Draw) -> Vec<Shape<D3>> {
    let point = |draw: &mut Draw| {
        let v = draw.vector::<D3>();
        let length = if round { v.length_squared().sqrt() } else { 1.0 };
        [v.x / length * size[0], v.y / length * size[1], v.z / length * size[2]]
    };
    (0..12).map(|_| Shape::convex(&(0..points).map(|_| point(draw)).collect::<Vec<_>>()).unwrap()).collect()
}

fn check<T: Scalar>(pairs: &[Pair<'_>], near: f64) -> usize {
    let mut grown = 0;
    for group in pairs.chunks(GROUP) {
        let (found, rest): Found<T> = Kernel::<T>::run::<T>(Grow(group));
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let wide = dispatch_on::<T, _>(isa, Grow(group));
            assert_eq!(format!("{wide:?}"), format!("{:?}", (&found, &rest)), "{isa}");
        }
        assert_eq!(found.len() + rest.len(), group.len());
        for (i, deepest) in &found {
            let (pair, least) = (&group[*i], group[*i].least());
            let depth = deepest.depth.to_f64();
            // Both are supports, so neither is below the least depth, and what bounds that is not above it.
            assert!(depth >= least.lower - near && depth <= least.upper + near, "{deepest:?} {least:?}");
            assert!(!deepest.uncertain);
            if deepest.fits {
                let wide = |v: Vec3<T>| Vec3::from_fn(|k| v.get(k).to_f64());
                let (a, normal) = (wide(deepest.a), wide(deepest.normal));
                let b = pair.turn.unrotate(a - normal * depth - pair.offset);
                for (hull, point) in pair.hulls.iter().zip([a, b]) {
                    if let Some(side) = Side::<f64>::of_hull(hull, 1.0) {
                        let outside = side.outside::<D3, f64>(point);
                        assert!(outside <= 4.0 * near, "{outside} {deepest:?}");
                    }
                }
            }
            grown += usize::from(deepest.fits);
        }
    }
    grown
}

#[test]
fn small_and_large_hulls_have_their_depths_proved_from_within() {
    let mut draw = Draw(41);
    for (points, count) in [(4, 96), (8, 96), (16, 96), (64, 48), (200, 24)] {
        let size = [1.0, 0.8, 0.6];
        let shapes = shapes(points, size, points > 8, &mut draw);
        let pairs = pairs(&shapes, size, count, &mut draw);
        let (single, double) = (check::<f32>(&pairs, 4e-6), check::<f64>(&pairs, 1e-12));
        assert!(single * 10 >= count * 9 && double * 10 >= count * 9, "{points} points: {single}, {double} of {count}");
    }
}

#[test]
fn plates_and_needles_are_right_or_left_for_others() {
    let mut draw = Draw(43);
    for size in [[1.0, 1.0, 1e-3], [1.0, 1e-3, 1e-3], [1.0, 1.0, 1e-6]] {
        let shapes = shapes(12, size, false, &mut draw);
        let pairs = pairs(&shapes, size, 64, &mut draw);
        let double = check::<f64>(&pairs, 1e-12);
        check::<f32>(&pairs, 4e-6);
        assert!(double >= 32, "{size:?}: {double}");
    }
}

#[test]
fn what_would_need_too_many_faces_is_left_for_others() {
    let mut draw = Draw(47);
    let shapes = shapes(400, [1.0; 3], true, &mut draw);
    let Core::Hull(hull) = shapes[0].core() else { unreachable!() };
    // All around the depth is nearly the same, and nothing can be left out.
    let (offset, turn) = (Vec3 { x: 1e-3, y: 0.0, z: 0.0 }, Rot3::identity());
    let core = SingleHull { hull, scale: 1.0 };
    let found = gjk::search(&Cores::<D3, f64, _, _> { a: &core, b: &core, offset, turn }, offset, 1e-15, true, Fully);
    let pair = Pair { hulls: [hull; 2], offset, turn, met: found.met() };
    let (found, rest): Found<f64> = Kernel::<f64>::run::<f64>(Grow(&[pair]));
    assert_eq!((found.len(), rest), (0, vec![0]));
}

#[test]
fn numbers_that_make_no_sense_are_left_for_others() {
    let mut draw = Draw(53);
    let shapes = shapes(16, [1.0; 3], true, &mut draw);
    let mut pairs = pairs(&shapes, [1.0; 3], 3, &mut draw);
    pairs[0].met[1].w.y = f64::NAN;
    // No tetrahedron.
    pairs[1].met[2] = pairs[1].met[1];
    pairs[2].offset.x = f64::NAN;
    let (found, rest): Found<f64> = Kernel::<f64>::run::<f64>(Grow(&pairs));
    assert!(found.is_empty() && rest.len() == 3, "{found:?} {rest:?}");
}
