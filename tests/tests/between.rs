//! Two sets of all sizes, crowded, spread or far from each other, against every pair that may meet, named one by one.

use jostle::{Bodies, Body, D2, D3, Engine, Narrowphase, Precision, Proximity, Shape};
use jostle_tests::{Ground, Random, Style, bits, draw_shape, on_threads};

/// Where the bodies of a set are.
#[derive(Clone, Copy, Debug)]
struct Strewn {
    /// The side of the cube that they are strewn in.
    side: f64,
    /// Where it begins along the first axis.
    from: f64,
}

/// Bodies of any kinds of shapes. Some sets have filters, some huge bodies, some turned ones.
fn draw<S: Ground>(count: usize, strewn: Strewn, random: &mut Random) -> Bodies<S> {
    let mut bodies = Bodies::new();
    for &kind in S::KINDS {
        let size = random.pick(&[0.01, 0.1, 0.5]);
        bodies.add_shape(draw_shape::<S>(kind, Style::Even, size, random).shape().expect("valid")).expect("a few");
    }
    let plank = Shape::cuboid(S::array(|k| if k == 0 { 40.0 } else { 0.1 })).expect("good");
    let huge = bodies.add_shape(plank).expect("one more");
    let (filtered, turned, with_huge) = (random.chance(0.5), random.chance(0.5), random.chance(0.3));
    let alike = random.chance(0.5).then(|| random.below(S::KINDS.len()) as u32);
    for _ in 0..count {
        let shape = alike.unwrap_or_else(|| random.below(S::KINDS.len()) as u32);
        let shape = if with_huge && random.chance(0.01) { huge } else { shape };
        let mut body = Body::new(shape, S::array(|k| [strewn.from, 0.0, 0.0][k] + random.range(0.0, strewn.side)));
        if turned {
            body = body.with_rotation(S::any_rotation(random));
        }
        if filtered {
            body.group = random.pick(&[1, 2, 3]);
            body.mask = random.pick(&[0, 1, 3, u32::MAX]);
            body.fixed = random.chance(0.3);
            body.parent = random.chance(0.3).then(|| random.below(5) as u32);
        }
        bodies.push(body).expect("valid");
    }
    bodies
}

/// The rows of two sets by asking every pair of their bodies that meet.
fn every_row<S: Ground, T: Precision>(
    first: &Bodies<S>,
    second: &Bodies<S>,
    margin: f64,
    narrowphase: &mut Narrowphase<S, T>,
) -> Vec<Vec<u64>> {
    let mut both = first.clone();
    both.push_all(&second.columns()).expect("a few");
    let (border, filters, mut rows) = (first.len() as u32, both.columns().filters(), Vec::new());
    let pairs: Vec<[u32; 2]> = (0..border)
        .flat_map(|a| (border..both.len() as u32).map(move |b| [a, b]))
        .filter(|&[a, b]| filters.meet(a, b))
        .collect();
    narrowphase.distance(&both.columns(), &pairs, &mut rows).expect("good pairs");
    rows.retain(|row: &Proximity<S, T>| row.distance.to_f64() <= margin);
    for row in &mut rows {
        row.b -= border;
    }
    rows.iter().map(bits).collect()
}

fn rows_are_those_of_every_pair<S: Ground, T: Precision>(seed: u64) {
    let mut random = Random::new(seed);
    let (mut engine, mut narrowphase, mut rows) = (Engine::<S, T>::new(), Narrowphase::<S, T>::new(), Vec::new());
    let sizes =
        [(0, 700), (1, 700), (1, 3000), (9, 700), (30, 2500), (100, 100), (300, 300), (20, 900), (1, 1), (3, 40)];
    let mut total = 0;
    for round in 0..120 {
        let (few, many) = sizes[round % sizes.len()];
        let (n, m) = if random.chance(0.5) { (few, many) } else { (many, few) };
        // At one place, a crowd, strewn so that hardly any are near, ...
        let side = random.pick(&[0.0, 0.3, 3.0, 10.0, 60.0]);
        // ... and the other set elsewhere: about as large, larger, beside the first or far away.
        let other = Strewn {
            side: side * random.pick(&[1.0, 1.0, 3.0]),
            from: random.pick(&[0.0, 0.0, 0.5 * side, side, side + 1e4]),
        };
        let from = random.pick(&[0.0, -1e6]);
        let first = draw::<S>(n, Strewn { side, from }, &mut random);
        let second = draw::<S>(m, Strewn { from: from + other.from, ..other }, &mut random);
        let margin = random.pick(&[0.0, 0.0, 0.125, 0.5, 20.0]);
        let expected = every_row(&first, &second, margin, &mut narrowphase);
        total += expected.len();
        for threads in [1, 3] {
            let report = on_threads(threads, || {
                engine.contacts_between(&first.columns(), &second.columns(), margin, &mut rows).expect("good")
            });
            assert_eq!((report.bodies, report.rows), (n + m, rows.len() as u64));
            let found: Vec<_> = rows.iter().map(bits).collect();
            assert_eq!(found.len(), expected.len(), "{n} and {m} bodies, {side} and {other:?}, margin {margin}");
            assert!(found == expected, "{n} and {m} bodies, {side} and {other:?}, margin {margin}");
        }
    }
    assert!(total > 10_000, "{total}");
}

#[test]
fn rows_between_two_sets_are_those_of_every_pair_that_meets() {
    rows_are_those_of_every_pair::<D2, f32>(1);
    rows_are_those_of_every_pair::<D2, f64>(2);
    rows_are_those_of_every_pair::<D3, f32>(3);
    rows_are_those_of_every_pair::<D3, f64>(4);
}
