//! Bodies that rest on each other, as in stacks, walls and heaps. Their distance is zero except for rounding, so it has
//! no certain sign; `f64` lanes must report and prove that without searching pairs one at a time. And bodies that are
//! about to touch, whose normals are those of faces, which `f32` can decide.

use jostle::{Bodies, Body, Columns, D2, D3, Precision, Shape, ShapeError, Status};
use jostle_narrowphase::{Proximity, Records, solve};
use jostle_tasks::Pool;
use jostle_tests::{Ground, Random, bits, full, tolerance};

/// A shape that reaches half a metre above and below its centre, and the widths of its ends.
struct Block<S: Ground> {
    name: &'static str,
    shape: Shape<S>,
    /// Half the width of its flat bottom; zero if it is round there.
    foot: f64,
    /// The same of its top.
    top: f64,
}

fn block<S: Ground>(name: &'static str, shape: Result<Shape<S>, ShapeError>, [foot, top]: [f64; 2]) -> Block<S> {
    Block { name, shape: shape.expect("a good shape"), foot, top }
}

fn round_and_square<S: Ground>() -> Vec<Block<S>> {
    let corner = |i: usize| S::array(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 });
    let cube: Vec<_> = (0..1 << S::DIMENSION).map(corner).collect();
    vec![
        block("ball", Shape::ball(0.5), [0.0; 2]),
        block("capsule", Shape::capsule(0.25, 0.25), [0.0; 2]),
        block("box", Shape::cuboid(S::array(|_| 0.5)), [0.5; 2]),
        block("rounded box", Shape::cuboid(S::array(|_| 0.375)).and_then(|shape| shape.rounded(0.125)), [0.375; 2]),
        block("hull", Shape::convex(&cube), [0.5; 2]),
    ]
}

fn of_the_plane() -> Vec<Block<D2>> {
    let mut blocks = round_and_square();
    let ends = [[-0.5, -0.25], [-0.25, -0.5], [0.25, -0.5], [0.5, 0.25], [0.25, 0.5], [-0.25, 0.5]];
    blocks.push(block("hexagon", Shape::convex(&ends), [0.25; 2]));
    blocks
}

fn of_space() -> Vec<Block<D3>> {
    let mut blocks = round_and_square();
    let prism = [[-0.5, 0.25], [-0.25, 0.5], [0.5, 0.25], [0.25, -0.5], [-0.25, -0.5]];
    let prism: Vec<_> = prism.iter().flat_map(|&[x, z]| [[x, -0.5, z], [x, 0.5, z]]).collect();
    blocks.push(block("prism", Shape::convex(&prism), [0.25; 2]));
    blocks.push(block("cylinder", Shape::cylinder(0.5, 0.5), [0.5; 2]));
    blocks.push(block("cone", Shape::cone(0.5, 0.5), [0.5, 0.0]));
    blocks
}

/// The rows of `pairs`, and how many of them had to be decided in `f64`, or in `f64` one at a time.
fn asked<S: Ground, T: Precision>(columns: &Columns<'_, S>, pairs: &[[u32; 2]]) -> (Vec<Proximity<S, T>>, usize) {
    let (mut records, mut rows) = (Records::<S, T>::default(), Vec::new());
    records.make(columns);
    let undecided = solve(columns, records.source(), pairs, &mut rows, &Pool::default());
    (rows, undecided as usize)
}

/// Checks pairs of every two kinds, one upon the other, each pair somewhere else; `place` rounds coordinates, and
/// `spin` gives rotations that do not tilt.
fn hold<S: Ground, T: Precision>(
    blocks: Vec<Block<S>>,
    place: impl Fn(f64) -> f64,
    spin: impl Fn(&mut Random) -> S::Rotation<f64>,
) {
    const EACH: usize = 40;
    let mut random = Random::new(3);
    let (mut bodies, mut pairs, mut names) = (Bodies::<S>::new(), Vec::new(), Vec::new());
    let mut kinds = Vec::new();
    for Block { name, shape, foot, top } in blocks {
        kinds.push((bodies.add_shape(shape).expect("few shapes"), name, foot, top));
    }
    for &(below, below_name, _, top) in &kinds {
        for &(above, above_name, foot, _) in &kinds {
            for index in 0..EACH {
                let at = S::array(|_| place(random.range(-100.0, 100.0)));
                // In the middle, over the edge, or nearly beyond it.
                let aside = S::array(|_| 0.7 * (foot + top) * place(random.range(-1.0, 1.0)));
                let over = S::array(|k| if k == 1 { place(at[1] + 1.0) } else { at[k] + aside[k] });
                for (shape, position) in [(below, at), (above, over)] {
                    bodies.push(Body::new(shape, position).with_rotation(spin(&mut random))).expect("a good body");
                }
                let [a, b] = [bodies.len() as u32 - 2, bodies.len() as u32 - 1];
                pairs.push(if index % 2 == 0 { [a, b] } else { [b, a] });
                names.push(format!("{above_name} upon {below_name}, {}", T::NAME));
            }
        }
    }
    let columns = bodies.columns();
    let (rows, undecided) = asked::<S, T>(&columns, &pairs);
    let mut touching = 0;
    for (row, name) in rows.iter().zip(&names) {
        assert_ne!(row.status, Status::Unconverged, "{name}: {row:?}");
        assert!(row.distance.to_f64().abs() < 1e-13, "{name}: {row:?}");
        let status = if row.lower.to_f64() > 0.0 {
            Status::Separated
        } else if row.upper.to_f64() < 0.0 {
            Status::Overlapping
        } else {
            touching += 1;
            Status::Touching
        };
        assert_eq!(row.status, status, "{name}: {row:?}");
        if let Err(failures) = full(&columns, row, &tolerance(row)) {
            panic!("{name}: {row:?}\n{failures:?}");
        }
    }
    assert!(touching * 10 > rows.len() * 9, "{touching} of {}", rows.len());
    // The answer for a pair does not depend on the pairs in its packet.
    for (pair, row) in pairs.iter().zip(&rows).step_by(17) {
        let (alone, _) = asked::<S, T>(&columns, core::slice::from_ref(pair));
        assert_eq!(bits(&alone[0]), bits(row), "{pair:?}, {}", T::NAME);
    }
    // `f32` lanes leave nearly all of these pairs to `f64` lanes, which decide them.
    let decided = T::NAME == "f32" || undecided <= rows.len() / 200;
    assert!(decided, "{undecided} of {} pairs were left open", rows.len());
}

/// Binary positions, which add up without rounding, and decimal ones, which do not.
fn exactly(x: f64) -> f64 {
    (x * 8.0).round() / 8.0
}
fn in_centimetres(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

#[test]
fn in_the_plane() {
    for place in [exactly, in_centimetres] {
        hold::<D2, f32>(of_the_plane(), place, |_| [0.0]);
        hold::<D2, f64>(of_the_plane(), place, |_| [0.0]);
    }
}

#[test]
fn in_space_upright() {
    for place in [exactly, in_centimetres] {
        hold::<D3, f32>(of_space(), place, |_| [0.0, 0.0, 0.0, 1.0]);
        hold::<D3, f64>(of_space(), place, |_| [0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn in_space_turned_about_the_upright() {
    let spin = |random: &mut Random| {
        let half = random.range(0.0, 3.0_f64);
        [0.0, half.sin(), 0.0, half.cos()]
    };
    for place in [exactly, in_centimetres] {
        hold::<D3, f32>(of_space(), place, spin);
        hold::<D3, f64>(of_space(), place, spin);
    }
}

/// Bodies that stand on each other nearly upright, a little apart or overlapping, as in simulations: faces are nearly
/// parallel, and rims lie nearly flat on them. Hardly any pair is solved alone.
fn stand<T: Precision>() {
    const EACH: usize = 60;
    let mut random = Random::new(11);
    let mut bodies = Bodies::<D3>::new();
    let kinds: Vec<_> = of_space()
        .into_iter()
        .map(|block| (bodies.add_shape(block.shape).expect("few shapes"), block.name, block.foot, block.top))
        .collect();
    let mut names = Vec::new();
    for &(below, below_name, _, top) in &kinds {
        for &(above, above_name, foot, _) in &kinds {
            for _ in 0..EACH {
                let gap = 10_f64.powf(random.range(-9.0, -2.0)) * random.range(-1.0, 1.0_f64).signum();
                let lean = 10_f64.powf(random.range(-9.0, -2.0));
                let at: [f64; 3] = core::array::from_fn(|_| random.range(-100.0, 100.0));
                let mut aside = || 0.7 * (foot + top) * random.range(-1.0, 1.0);
                let over = [at[0] + aside(), at[1] + 1.0 + gap, at[2] + aside()];
                for (shape, position) in [(below, at), (above, over)] {
                    let half = random.range(0.0, 3.0_f64);
                    let mut lean = || lean * random.range(-1.0, 1.0);
                    let rotation = [lean(), half.sin(), lean(), half.cos()];
                    let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
                    bodies
                        .push(Body::new(shape, position).with_rotation(rotation.map(|x| x / length)))
                        .expect("a good body");
                }
                names.push(format!("{above_name} upon {below_name}, {gap:e}, {lean:e}, {}", T::NAME));
            }
        }
    }
    let columns = bodies.columns();
    let pairs: Vec<[u32; 2]> = (0..names.len() as u32).map(|pair| [2 * pair, 2 * pair + 1]).collect();
    let (rows, undecided) = asked::<D3, T>(&columns, &pairs);
    for (row, name) in rows.iter().zip(&names) {
        assert_ne!(row.status, Status::Unconverged, "{name}: {row:?}");
        if let Err(failures) = full(&columns, row, &tolerance(row)) {
            panic!("{name}: {row:?}\n{failures:?}");
        }
    }
    let most = if T::NAME == "f32" { rows.len() / 2 } else { rows.len() / 100 };
    assert!(undecided <= most, "{undecided} of {} pairs were left open", rows.len());
}

#[test]
fn at_a_tilt() {
    stand::<f32>();
    stand::<f64>();
}

/// Pairs in random rotations, a thousandth to a hundredth of their size apart across a face or two edges: hardly any is
/// solved in `f64`.
fn approach<S: Ground>(blocks: Vec<Block<S>>, rotation: impl Fn(&mut Random) -> S::Rotation<f64>) {
    let mut random = Random::new(7);
    let mut placed: Vec<Body<S>> = Vec::new();
    let mut shapes = Bodies::<S>::new();
    let kinds: Vec<_> = blocks.into_iter().map(|block| shapes.add_shape(block.shape).expect("few shapes")).collect();
    for _ in 0..40 {
        for (at, &one) in kinds.iter().enumerate() {
            for &two in &kinds[at..] {
                let position = S::array(|_| random.range(-100.0, 100.0));
                let aside = S::array(|k| position[k] + if k == 1 { 0.6 } else { random.range(-0.3, 0.3) });
                placed.push(Body::new(one, position).with_rotation(rotation(&mut random)));
                placed.push(Body::new(two, aside).with_rotation(rotation(&mut random)));
            }
        }
    }
    let pairs: Vec<[u32; 2]> = (0..placed.len() as u32 / 2).map(|pair| [2 * pair, 2 * pair + 1]).collect();
    let with = |placed: &[Body<S>]| {
        let mut bodies = shapes.clone();
        for body in placed {
            bodies.push(*body).expect("a good body");
        }
        bodies
    };
    // Overlapping bodies are moved apart along their normals: then corners seldom face corners.
    let rows = jostle::distance::<f64, _, _>(&with(&placed).columns(), &pairs).expect("good bodies");
    for row in &rows {
        let gap = random.range(1e-3, 1e-2);
        let body = &mut placed[row.b as usize];
        body.position = S::array(|k| body.position[k] + row.normal[k] * (gap - row.distance));
    }
    let bodies = with(&placed);
    let columns = bodies.columns();
    let exact = jostle::distance::<f64, _, _>(&columns, &pairs).expect("good bodies");
    let (rows, undecided) = asked::<S, f32>(&columns, &pairs);
    for (row, exact) in rows.iter().zip(&exact) {
        assert_eq!(row.status, Status::Separated, "{row:?} {exact:?}");
        let off: f64 = (0..S::DIMENSION).map(|k| (f64::from(row.normal[k]) - exact.normal[k]).powi(2)).sum();
        assert!(off.sqrt() < 2e-3, "{row:?} {exact:?}");
        if let Err(failures) = full(&columns, row, &tolerance(row)) {
            panic!("{row:?}\n{failures:?}");
        }
    }
    assert!(undecided <= rows.len() / 100, "{undecided} of {} pairs were left open", rows.len());
}

#[test]
fn about_to_touch() {
    approach::<D2>(of_the_plane(), |random| [random.range(-3.0, 3.0)]);
    // The nearest points of round bodies are known to half of the digits of `f32` only, near or not.
    let mut blocks = of_space();
    blocks.retain(|block| !["cylinder", "cone"].contains(&block.name));
    approach::<D3>(blocks, |random| {
        let rotation = [(); 4].map(|()| random.range(-1.0, 1.0_f64));
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        rotation.map(|x| x / length)
    });
}

/// Tips that face each other, where the planes of the faces do not give the distance: a point may be in front of none
/// of them except by rounding, and yet be far from the body.
#[test]
fn tips_that_nearly_touch() {
    let needle = |degrees: f64, side: f64| {
        let wide = 2.0 * degrees.to_radians().tan();
        let end = |y: f64, z: f64| [2.0 * side, wide * y, wide * z];
        Shape::<D3>::convex(&[[0.0; 3], end(1.0, 0.0), end(-0.5, 0.75), end(-0.5, -0.75)]).expect("a good hull")
    };
    let blade = |degrees: f64, side: f64| {
        let wide = 2.0 * degrees.to_radians().tan();
        Shape::<D2>::convex(&[[0.0; 2], [2.0 * side, wide], [2.0 * side, -wide]]).expect("a good polygon")
    };
    for exponent in -15..=-9 {
        for gap in [10.0_f64.powi(exponent), 4.0 * 10.0_f64.powi(exponent)] {
            for [one, two] in [[0.5, 0.25], [0.05, 0.02], [5.0, 1.0], [30.0, 0.1]] {
                facing([blade(one, -1.0), blade(two, 1.0)], [gap, 0.0], gap);
                facing([needle(one, -1.0), needle(two, 1.0)], [gap, 0.0, 0.0], gap);
                let flat = Shape::<D3>::cone(0.01, 1.0).expect("a good cone");
                facing([needle(one, -1.0), flat], [gap + 1.0, 0.01, 0.0], gap);
            }
        }
    }
}

/// Rims of cylinders that face each other across a corner.
#[test]
fn rims_that_nearly_touch() {
    let cylinder = || Shape::<D3>::cylinder(0.5, 0.5).expect("a good cylinder");
    for exponent in -15..=-9 {
        let gap = 10.0_f64.powi(exponent);
        let aside = 0.5_f64.sqrt() * gap;
        facing([cylinder(), cylinder()], [1.0 + aside, 1.0 + aside, 0.0], gap);
    }
}

/// Checks that two shapes, the second at `offset` from the first, are `gap` apart.
fn facing<S: Ground>(shapes: [Shape<S>; 2], offset: S::Array<f64>, gap: f64) {
    let mut bodies = Bodies::<S>::new();
    for (shape, position) in shapes.into_iter().zip([S::array(|_| 0.0), offset]) {
        let shape = bodies.add_shape(shape).expect("few shapes");
        bodies.push(Body::new(shape, position)).expect("a good body");
    }
    let columns = bodies.columns();
    let row = jostle::distance::<f64, _, _>(&columns, &[[0, 1]]).expect("good bodies")[0];
    // Offsets are rounded at a size of one to two.
    let room = 1e-15;
    assert!((row.distance - gap).abs() < 10.0 * room, "{gap}: {row:?}");
    assert!(row.lower <= gap + room && gap - room <= row.upper, "{gap}: {row:?}");
    assert!(row.upper - row.lower < 1e-13, "{gap}: {row:?}");
    assert!(row.status == Status::Separated || gap < 2e-14, "{gap}: {row:?}");
    let single = jostle::distance::<f32, _, _>(&columns, &[[0, 1]]).expect("good bodies")[0];
    assert_eq!(single.status, row.status, "{gap}: {row:?} {single:?}");
    if let Err(failures) = full(&columns, &row, &tolerance(&row)) {
        panic!("{gap}: {row:?}\n{failures:?}");
    }
    let closed = jostle::Boundary::Closed;
    let overlap = [
        jostle::overlap::<f64, _, _>(&columns, &[[0, 1]], closed).expect("good bodies"),
        jostle::overlap::<f32, _, _>(&columns, &[[0, 1]], closed).expect("good bodies"),
    ];
    assert_eq!(overlap.map(|said| said[0]), [row.status != Status::Separated; 2], "{gap}: {row:?}");
}
