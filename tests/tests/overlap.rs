//! Overlap and nearness against the distances of `jostle::distance`, which other suites check against their proofs.

use jostle::{
    Bodies, Body, Boundary, Columns, ContactsError, D2, D3, Engine, PairError, Precision, Proximity, Rotations, Shape,
    Side, Status, WithinError, distance, overlap, within, within_into,
};
use jostle_tests::{Condition, Ground, Kind, Random, draw_pair, draw_pool};

/// Pairs of every kind in every condition.
fn adversarial<S: Ground>(count: usize, seed: u64) -> (Bodies<S>, Vec<[u32; 2]>) {
    adversarial_of(S::KINDS, count, seed)
}

/// The same of these kinds.
fn adversarial_of<S: Ground>(kinds: &[Kind], count: usize, seed: u64) -> (Bodies<S>, Vec<[u32; 2]>) {
    let mut random = Random::new(seed);
    let (mut bodies, mut pairs) = (Bodies::new(), Vec::new());
    while pairs.len() < count {
        let size = random.log(1e-4, 1e4);
        let pool = draw_pool::<S>(kinds, 32, size, &mut random);
        let first = bodies.shapes().len();
        for (_, _, spec) in &pool {
            bodies.add_shape(spec.shape().expect("drawn shapes are valid")).expect("a few shapes");
        }
        for _ in 0..200 {
            let drawn = draw_pair(&pool, random.pick(&Condition::ALL), 1e6, &mut random);
            pairs.push(drawn.push_to(&mut bodies, first));
        }
    }
    (bodies, pairs)
}

/// True if two answers about one pair do not contradict each other.
fn fits<S: Ground, T: Precision>(row: &Proximity<S, T>, side: Side) -> bool {
    match row.status {
        Status::Separated => side == Side::Beyond,
        Status::Overlapping => side == Side::Within,
        Status::Touching => side == Side::At,
        // Even then the bounds must hold.
        Status::Unconverged => {
            !(row.lower.to_f64() > 0.0 && side == Side::Within || row.upper.to_f64() < 0.0 && side == Side::Beyond)
        }
    }
}

fn agrees_with_distance<S: Ground, T: Precision>(count: usize, seed: u64) {
    let (bodies, pairs) = adversarial::<S>(count, seed);
    let columns = bodies.columns();
    let rows = distance::<T, _, _>(&columns, &pairs).expect("good pairs");
    let mut sides = Vec::new();
    within_into::<T, _, _>(&columns, &pairs, 0.0, &mut sides).expect("a good limit");
    let (mut apart, mut touching, mut inside) = (0, 0, 0);
    for (&side, row) in sides.iter().zip(&rows) {
        assert!(fits(row, side), "{side:?}: {row:?}");
        match side {
            Side::Beyond => apart += 1,
            Side::At => touching += 1,
            Side::Within => inside += 1,
        }
    }
    assert!(apart > count / 10 && touching > count / 100 && inside > count / 10, "{apart} {touching} {inside}");
    let closed = overlap::<T, _, _>(&columns, &pairs, Boundary::Closed).expect("good pairs");
    let open = overlap::<T, _, _>(&columns, &pairs, Boundary::Open).expect("good pairs");
    for (i, side) in sides.iter().enumerate() {
        assert_eq!((closed[i], open[i]), (*side != Side::Beyond, *side == Side::Within));
    }
    // In the other order, and in other batches.
    let swapped: Vec<[u32; 2]> = pairs.iter().map(|&[a, b]| [b, a]).collect();
    let mut back = Vec::new();
    within_into::<T, _, _>(&columns, &swapped, 0.0, &mut back).expect("a good limit");
    let differ = back.iter().zip(&sides).filter(|(a, b)| a != b).count();
    // Of a pair that nearly touches, one order may prove the side and the other not.
    assert!(back.iter().zip(&sides).all(|(a, b)| a == b || *a == Side::At || *b == Side::At));
    assert!(differ <= count / 200, "{differ}");
    let mut few = Vec::new();
    for (group, expected) in pairs.chunks(7).zip(sides.chunks(7)).take(300) {
        within_into::<T, _, _>(&columns, group, 0.0, &mut few).expect("a good limit");
        assert_eq!(few, expected);
    }
}

#[test]
fn pairs_overlap_where_their_distance_says_so() {
    agrees_with_distance::<D2, f32>(4000, 1);
    agrees_with_distance::<D2, f64>(4000, 1);
    agrees_with_distance::<D3, f32>(8000, 2);
    agrees_with_distance::<D3, f64>(8000, 2);
}

/// Pairs in scenes of one kind are solved without records; with another shape, which no body has, they are not, and the
/// answers are the same.
fn one_kind_as_any<S: Ground, T: Precision>(kind: Kind, count: usize, seed: u64) {
    let (mut bodies, pairs) = adversarial_of::<S>(&[kind], count, seed);
    let limits = [0.0, 1e-3, 1.0, 30.0];
    let ask = |bodies: &Bodies<S>| {
        limits.map(|limit| {
            let mut sides = Vec::new();
            within_into::<T, _, _>(&bodies.columns(), &pairs, limit, &mut sides).expect("a good limit");
            sides
        })
    };
    let alone = ask(&bodies);
    let corners: Vec<_> = (0..8).map(|corner| S::array(|k| f64::from(corner >> k & 1))).collect();
    bodies.add_shape(Shape::convex(&corners).expect("a box")).expect("one more");
    assert_eq!(alone, ask(&bodies), "{kind:?}");
    let rows = distance::<T, _, _>(&bodies.columns(), &pairs).expect("good pairs");
    assert!(alone[0].iter().zip(&rows).all(|(&side, row)| fits(row, side)));
    for sides in alone {
        assert!(sides.contains(&Side::Beyond) && sides.contains(&Side::Within));
    }
}

#[test]
fn scenes_of_one_kind_have_the_answers_of_mixed_ones() {
    for kind in [Kind::Ball, Kind::Capsule, Kind::Box] {
        one_kind_as_any::<D2, f32>(kind, 3000, 31);
        one_kind_as_any::<D2, f64>(kind, 3000, 32);
        one_kind_as_any::<D3, f32>(kind, 3000, 33);
        one_kind_as_any::<D3, f64>(kind, 3000, 34);
    }
}

fn near_as_distance_says<S: Ground>(seed: u64) {
    let (bodies, pairs) = adversarial::<S>(3000, seed);
    let columns = bodies.columns();
    let rows = distance::<f64, _, _>(&columns, &pairs).expect("good pairs");
    let mut sides = Vec::new();
    // Limits near the distances themselves, and far from them.
    for (pair, row) in pairs.iter().zip(&rows) {
        let (lower, upper) = (row.lower, row.upper);
        for limit in [0.0, 0.5 * row.distance, row.distance, 1.5 * row.distance, 1e-30, 1e15] {
            if !(0.0..=1e15).contains(&limit) {
                continue;
            }
            within_into::<f64, _, _>(&columns, core::slice::from_ref(pair), limit, &mut sides).expect("a good limit");
            let fits = match sides[0] {
                Side::Beyond => upper > limit,
                Side::Within => lower < limit,
                Side::At => lower <= limit && limit <= upper,
            };
            assert!(fits, "{:?} of {limit}: {row:?}", sides[0]);
        }
    }
    let batch = within::<f64, _, _>(&columns, &pairs, 1e-3, Boundary::Closed).expect("a good limit");
    for (near, row) in batch.iter().zip(&rows) {
        assert!(if *near { row.lower <= 1e-3 } else { row.upper > 1e-3 }, "{near}: {row:?}");
    }
}

#[test]
fn pairs_are_near_where_their_distance_says_so() {
    near_as_distance_says::<D2>(3);
    near_as_distance_says::<D3>(4);
}

fn pairs_of<S: Ground, T: Precision>(rows: &[Proximity<S, T>]) -> Vec<[u32; 2]> {
    rows.iter().map(|row| [row.a, row.b]).collect()
}

/// Each pair as a scene of its own, with margins at and near its distance.
fn counted_as_listed<S: Ground, T: Precision>(count: usize, seed: u64) {
    let (bodies, pairs) = adversarial::<S>(count, seed);
    let all = bodies.columns();
    let distances = distance::<T, _, _>(&all, &pairs).expect("good pairs");
    let mut engine = Engine::<S, T>::new();
    let (mut rows, mut near, mut found, mut missed) = (Vec::new(), Vec::new(), 0, 0);
    for (&[a, b], row) in pairs.iter().zip(&distances) {
        let pair = [a, b].map(|body| body as usize);
        let shapes = pair.map(|body| all.shape(body).clone());
        let positions = pair.map(|body| all.positions()[body]);
        let rotations = pair.map(|body| all.rotations().get(body));
        let scene = Columns::new(&shapes, &[0, 1], &positions, Rotations::Double(&rotations)).expect("good bodies");
        let told = row.distance.to_f64();
        for margin in [0.0, told * (1.0 - 1e-7), told.next_down(), told, told.next_up(), 2.0 * told] {
            if (0.0..1e15).contains(&margin) {
                engine.contacts(&scene, margin, &mut rows).expect("a good margin");
                let counted = engine.count_contacts(&scene, margin).expect("a good margin");
                assert_eq!(counted, rows.len() as u64, "{margin}: {row:?}");
                engine.near_pairs(&scene, margin, &mut near).expect("a good margin");
                assert_eq!(near, pairs_of(&rows), "{margin}: {row:?}");
                found += counted;
                missed += 1 - counted;
            }
        }
    }
    assert!(found > count as u64 && missed > count as u64 / 4, "{found} {missed}");
}

/// Many bodies of all kinds, with filters: several chunks of the sweep and of the narrowphase.
fn crowd_is_counted<S: Ground, T: Precision>(count: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut bodies = Bodies::new();
    let pool = draw_pool::<S>(S::KINDS, 32, 0.05, &mut random);
    for (_, _, spec) in &pool {
        bodies.add_shape(spec.shape().expect("drawn shapes are valid")).expect("a few shapes");
    }
    let side = 0.8 * (count as f64).powf(1.0 / S::DIMENSION as f64);
    for body in 0..count as u32 {
        let position = S::array(|_| random.range(0.0, side));
        let placed =
            Body::new(body % pool.len() as u32, position).with_group(1 << (body % 3)).with_mask(!(1 << (body % 5)));
        bodies.push(placed).expect("a good body");
    }
    let columns = bodies.columns();
    let mut engine = Engine::<S, T>::new();
    let (mut rows, mut near, mut last) = (Vec::new(), Vec::new(), 0);
    for margin in [0.0, 0.01, 0.3] {
        engine.contacts(&columns, margin, &mut rows).expect("a good margin");
        assert_eq!(engine.count_contacts(&columns, margin), Ok(rows.len() as u64), "{margin}");
        engine.near_pairs(&columns, margin, &mut near).expect("a good margin");
        assert!(near == pairs_of(&rows), "{margin}");
        engine.set_limit(rows.len() as u64 - 1);
        let refused = engine.near_pairs(&columns, margin, &mut near);
        assert!(matches!(refused, Err(ContactsError::TooManyPairs(_))) && near == pairs_of(&rows), "{margin}");
        engine.set_limit(u64::MAX);
        assert!(rows.len() > last, "{margin}");
        last = rows.len();
    }
    assert!(last > count / 2, "{last}");
}

/// Two balls, or a ball and a capsule, of any size, at the margin or a little nearer or farther: where a comparison of
/// balls decides, and where it just does not.
fn balls_are_counted_as_listed<S: Ground, T: Precision>(count: usize, seed: u64) {
    let (mut random, mut engine) = (Random::new(seed), Engine::<S, T>::new());
    let (mut rows, mut near, mut listed) = (Vec::new(), Vec::new(), [0; 2]);
    for case in 0..count {
        let size = random.pick(&[1e-307, 1e-46, 1e-44, 1e-40, 1e-38, 1e-30, 1e-19, 1e-3, 1.0, 1e4, 1e11]);
        let radii = [0, 1].map(|_| if random.chance(0.1) { 0.0 } else { size * random.range(0.1, 1.0) });
        let margin = if random.chance(0.5) { 0.0 } else { random.range(0.0, 2.0) * size };
        let off = random.pick(&[0.0, 1e-16, 1e-12, 1e-8, 1e-7, 1e-6, 1e-5, 2.9e-5, 3e-5, 3.1e-5, 1e-4, 0.1, 1.0]);
        let away = (radii[0] + radii[1] + margin) * if random.chance(0.5) { 1.0 + off } else { 1.0 - off };
        let toward = S::direction(&mut random);
        let from = if random.chance(0.3) { random.range(-1e3, 1e3) * size } else { 0.0 };
        let place = [S::array(|_| from), S::array(|k| from + away * toward[k])];
        let round = |radius: f64| if radius > 0.0 { Shape::<S>::ball(radius) } else { Ok(Shape::point()) };
        let second = if case % 4 == 0 { Shape::capsule(size, radii[1]) } else { round(radii[1]) };
        let shapes = [round(radii[0]), second].map(|shape| shape.expect("a good shape"));
        let scene = Columns::new(&shapes, &[0, 1], &place, Rotations::Identity).expect("good bodies");
        engine.contacts(&scene, margin, &mut rows).expect("a good margin");
        engine.near_pairs(&scene, margin, &mut near).expect("a good margin");
        assert_eq!(near, pairs_of(&rows), "{margin:e}: {radii:?} at {place:?}");
        assert_eq!(engine.count_contacts(&scene, margin), Ok(rows.len() as u64), "{margin:e}: {radii:?} at {place:?}");
        listed[rows.len()] += 1;
    }
    assert!(listed.iter().all(|&some| some > count / 4), "{listed:?}");
}

#[test]
fn comparisons_of_balls_decide_correctly() {
    balls_are_counted_as_listed::<D2, f32>(20_000, 11);
    balls_are_counted_as_listed::<D3, f32>(20_000, 12);
    balls_are_counted_as_listed::<D3, f64>(20_000, 13);
}

#[test]
fn what_is_counted_is_what_is_listed() {
    crowd_is_counted::<D2, f32>(40_000, 9);
    crowd_is_counted::<D3, f64>(40_000, 10);
    counted_as_listed::<D2, f32>(2000, 5);
    counted_as_listed::<D2, f64>(2000, 6);
    counted_as_listed::<D3, f32>(4000, 7);
    counted_as_listed::<D3, f64>(4000, 8);
}

#[test]
fn exactly_touching_is_a_side_of_its_own() {
    let mut bodies = Bodies::<D3>::new();
    let shapes = [
        Shape::ball(0.5),
        Shape::cuboid([0.5; 3]),
        Shape::cylinder(0.5, 0.5),
        Shape::capsule(0.25, 0.25),
        Shape::convex(&[[0.5, 0.5, 0.5], [-0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5], [-0.5; 3]]),
        Shape::cuboid([0.25; 3]).and_then(|shape| shape.rounded(0.25)),
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let shape = bodies.add_shape(shape.expect("a good shape")).expect("a few shapes");
        for y in [0.0, 1.0] {
            bodies.push(Body::new(shape, [10.0 * i as f64, y, 0.0])).expect("a good body");
        }
    }
    let pairs: Vec<[u32; 2]> = (0..6).map(|i| [2 * i, 2 * i + 1]).collect();
    let mut sides = Vec::new();
    within_into::<f32, _, _>(&bodies.columns(), &pairs, 0.0, &mut sides).expect("a good limit");
    // The hull's top is a triangle and its bottom an edge, which meet as well.
    assert_eq!(sides, [Side::At; 6]);
    within_into::<f32, _, _>(&bodies.columns(), &pairs, 1e-6, &mut sides).expect("a good limit");
    assert_eq!(sides, [Side::Within; 6]);
}

#[test]
fn refusals() {
    let mut bodies = Bodies::<D2>::new();
    let ball = bodies.add_shape(Shape::ball(1.0).expect("a good ball")).expect("one shape");
    for x in [0.0, 1.0] {
        bodies.push(Body::new(ball, [x, 0.0])).expect("a good body");
    }
    let columns = bodies.columns();
    for limit in [-1e-300, f64::NAN, f64::INFINITY, 2e15] {
        let error = within::<f64, _, _>(&columns, &[[0, 1]], limit, Boundary::Closed).expect_err("a bad limit");
        assert!(matches!(error, WithinError::Limit(found) if found.to_bits() == limit.to_bits()), "{error}");
        assert!(error.to_string().contains("which is not a finite number between 0 and 1e15"), "{error}");
    }
    assert_eq!(
        overlap::<f32, _, _>(&columns, &[[0, 1], [0, 2]], Boundary::Closed),
        Err(PairError::MissingBody { index: 1, body: 2, count: 2 })
    );
    assert_eq!(
        overlap::<f32, _, _>(&columns, &[[1, 1]], Boundary::Open),
        Err(PairError::SameBody { index: 0, body: 1 })
    );
    assert_eq!(overlap::<f32, _, _>(&columns, &[], Boundary::Open), Ok(Vec::new()));
}
