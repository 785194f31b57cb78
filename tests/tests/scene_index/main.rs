//! An index of a scene, checked against `between`, `nearest_between` and casts of all pairs.

mod alone;
mod drift;
mod update;

use jostle::{
    Bodies, Body, BodyColumns, Cast, CastError, CastStatus, Columns, ContactsError, D2, D3, Motion, Neighbours,
    Precision, Proximity, Rotations, SceneIndex, Shape, Status, between, cast, nearest_between,
};
use jostle_tests::{Ground, Layout, Random, bits, cast_bits, hit_bits, on_threads};
use rayon::prelude::*;

/// Numbers of querying bodies and of bodies in the scene: such that records are made of all, or of none.
const SIZES: [(usize, usize); 9] =
    [(0, 30), (3, 0), (1, 1), (1, 17), (2, 300), (40, 40), (300, 60), (90, 1500), (7, 5000)];

fn near<S: Ground, T: Precision>(seed: u64) {
    let (mut random, mut total) = (Random::new(seed), 0);
    for layout in Layout::ALL {
        for (asking, scene) in SIZES {
            let scene = layout.draw::<S>(scene, &mut random);
            let index = SceneIndex::<S, T>::new(&scene.columns()).expect("good");
            let (mut rows, mut near) = (Vec::new(), Neighbours::default());
            for margin in [0.0, 0.3, 5.0] {
                let asking = layout.draw::<S>(asking, &mut random);
                let (asking, scene) = (asking.columns(), scene.columns());
                let expected = between::<T, _, _>(&asking, &scene, margin, u64::MAX).expect("good");
                total += expected.len();
                let mut expected_near = Neighbours::<S, T>::default();
                nearest_between(&asking, &scene, 4, &mut expected_near).expect("good");
                for threads in [1, 3] {
                    on_threads(threads, || index.contacts(&asking, margin, &mut rows)).expect("good");
                    let same = rows.iter().map(bits).eq(expected.iter().map(bits));
                    assert!(same, "{layout:?}, {} of {}", asking.len(), scene.len());
                    on_threads(threads, || index.nearest(&asking, 4, &mut near)).expect("good");
                    for agent in 0..asking.len() {
                        let told = |near: &Neighbours<S, T>| format!("{:?}", near.of(agent));
                        assert_eq!(told(&near), told(&expected_near), "{layout:?}, {agent}");
                    }
                }
            }
            assert_eq!(index.scene().len(), scene.len());
        }
    }
    assert!(total > 10_000, "{total}");
}

#[test]
fn contacts_and_neighbours_are_those_of_two_sets_in_the_plane() {
    near::<D2, f32>(1);
    near::<D2, f64>(2);
}

#[test]
fn contacts_and_neighbours_are_those_of_two_sets_in_space() {
    near::<D3, f32>(3);
    near::<D3, f64>(4);
}

/// The same bodies with other velocities.
fn moving<S: Ground>(bodies: &Bodies<S>, mut velocity: impl FnMut() -> S::Array<f64>) -> Bodies<S> {
    let mut moving = bodies.clone();
    let velocities: Vec<_> = (0..bodies.len()).map(|_| velocity()).collect();
    moving.set_velocities(&velocities).expect("good");
    moving
}

/// The first hit of each querying body, by casts of all pairs that filters let meet.
fn by_force<S: Ground>(asking: &Bodies<S>, scene: &Bodies<S>, motion: Motion) -> Vec<Option<Cast<S>>> {
    by_force_where(asking, scene, motion, |_, _| true)
}

/// The same among wanted pairs.
fn by_force_where<S: Ground>(
    asking: &Bodies<S>,
    scene: &Bodies<S>,
    motion: Motion,
    wanted: impl Fn(u32, u32) -> bool,
) -> Vec<Option<Cast<S>>> {
    let mut both = scene.clone();
    let (border, shapes) = (scene.len() as u32, scene.shapes().len() as u32);
    for shape in asking.shapes() {
        both.add_shape(shape.clone()).expect("a few");
    }
    for index in 0..asking.len() {
        let body = asking.get(index);
        both.push(Body { shape: body.shape + shapes, ..body }).expect("good");
    }
    let columns = both.columns();
    let first = |agent: u32| {
        let meets = |&body: &u32| columns.filters().meet(agent, body) && wanted(agent - border, body);
        let met: Vec<[u32; 2]> = (0..border).filter(meets).map(|body| [agent, body]).collect();
        let rows = cast(&columns, &met, motion).expect("good");
        // Of equal times the first.
        let hits = rows.into_iter().filter(|row| row.status != CastStatus::Miss);
        let first = hits.min_by(|x, y| x.time.total_cmp(&y.time));
        first.map(|hit| Cast { a: hit.a - border, ..hit })
    };
    (border..both.len() as u32).map(first).collect()
}

fn first_hits<S: Ground>(seed: u64) {
    let mut random = Random::new(seed);
    let mut counts = [0; 3];
    for layout in Layout::ALL {
        for (asking, scene) in SIZES {
            for drift in 0..3 {
                let common = S::array(|_| random.range(-1.0, 1.0));
                let speed = random.log(1e-2, 1e10);
                let of_scene = |random: &mut Random| match drift {
                    0 => S::array(|_| 0.0),
                    1 => common,
                    _ => S::array(|_| if random.chance(0.5) { random.range(-1.0, 1.0) } else { 0.0 }),
                };
                let scene = moving(&layout.draw::<S>(scene, &mut random), {
                    let mut random = Random::new(seed);
                    move || of_scene(&mut random)
                });
                let drawn = layout.draw::<S>(asking, &mut random);
                let asking = moving(&drawn, || match random.below(5) {
                    0 => common,
                    1 => S::array(|_| 0.0),
                    // Along an axis, past the corners of a raster.
                    2 => S::array(|k| if k == 1 { speed } else { 0.0 }),
                    _ => S::array(|_| random.range(-speed, speed)),
                });
                let duration = random.pick(&[0.0, 1e-9, 1e-3, 1.0, 1.0, 30.0, 1e40, 1e300]);
                let motion = Motion::lasting(duration).to_within(random.pick(&[0.0, 0.0, 0.2]));
                let index = SceneIndex::<S>::new(&scene.columns()).expect("good");
                let expected = by_force(&asking, &scene, motion);
                let mut hits = Vec::new();
                for threads in [1, 3] {
                    on_threads(threads, || index.cast(&asking.columns(), motion, &mut hits)).expect("good");
                    assert_eq!(hits.len(), expected.len());
                    for (hit, expected) in hits.iter().zip(&expected) {
                        let what = || format!("{layout:?}, {drift}, {motion:?}: {hit:?}, not {expected:?}");
                        assert_eq!(hit.map(|hit| cast_bits(&hit)), expected.map(|hit| cast_bits(&hit)), "{}", what());
                        counts[hit.map_or(0, |hit| if hit.status == CastStatus::Start { 1 } else { 2 })] += 1;
                    }
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn first_hits_are_those_of_all_pairs_in_the_plane() {
    first_hits::<D2>(5);
}

#[test]
fn first_hits_are_those_of_all_pairs_in_space() {
    first_hits::<D3>(6);
}

/// Scenes at one point, in a line at map coordinates, and from one limit of coordinates to the other; queries from near
/// and from as far as coordinates go, on ways shorter than sizes and longer than the scene.
fn wherever_they_are<S: Ground>(seed: u64) {
    let mut random = Random::new(seed);
    let drawn = Layout::Even.draw::<S>(200, &mut random);
    let at = |bodies: &Bodies<S>, place: &dyn Fn(usize) -> S::Array<f64>, velocity: &dyn Fn(usize) -> S::Array<f64>| {
        let mut moved = bodies.clone();
        for index in 0..bodies.len() {
            let body = Body { position: place(index), ..bodies.get(index) };
            moved.set(index, body.with_velocity(velocity(index))).expect("good");
        }
        moved
    };
    let scenes: [&dyn Fn(usize) -> S::Array<f64>; 4] = [
        &|_| S::array(|_| 0.0),
        &|index| S::array(|k| [5e5, 5e6, 100.0][k] + if k == 0 { 0.75 * index as f64 } else { 0.0 }),
        &|index| S::array(|k| if k == 0 { (index as f64 - 100.0) * 1e13 } else { 0.0 }),
        &|index| S::array(|_| if index % 2 == 0 { 1e15 } else { -1e15 }),
    ];
    let mut found = [0; 2];
    for place in scenes {
        let scene = at(&drawn, place, &|_| S::array(|_| 0.0));
        let index = SceneIndex::<S>::new(&scene.columns()).expect("good");
        for [away, speed, duration] in [
            [0.0, 1.0, 1e-6],
            [2.0, 3.0, 1.0],
            [1e7, 1e15, 1.0],
            [1e15, 1e15, 10.0],
            [1e15, 1e15, 1e300],
            [3.0, 1e-300, 1e299],
        ] {
            let aside = |index: usize, scale: f64| -> S::Array<f64> {
                let mut random = Random::new(seed + index as u64);
                S::array(|_| scale * random.range(-1.0, 1.0))
            };
            let position = |index: usize| -> S::Array<f64> {
                let (from, aside) = (place(7 * index % 200), aside(index, away));
                S::array(|k| (from[k] + aside[k]).clamp(-1e15, 1e15))
            };
            // Most move towards a body of the scene, and past it.
            let velocity = |index: usize| -> S::Array<f64> {
                let (to, from, any) = (place(7 * index % 200), position(index), aside(index + 1000, speed));
                let way = if away > 0.0 { speed / away } else { speed };
                S::array(|k| if index % 4 == 3 { any[k] } else { ((to[k] - from[k]) * way).clamp(-1e15, 1e15) })
            };
            let asking = at(&Layout::Even.draw::<S>(30, &mut random), &position, &velocity);
            for limit in [0.0, 1.0, 1e6, 1e15] {
                let motion = Motion::lasting(duration).to_within(limit);
                let mut hits = Vec::new();
                index.cast(&asking.columns(), motion, &mut hits).expect("good");
                let expected = by_force(&asking, &scene, motion);
                assert!(hit_bits(&hits) == hit_bits(&expected), "{away} {speed} {duration} {limit}");
                let (asking, scene, mut rows) = (asking.columns(), scene.columns(), Vec::new());
                index.contacts(&asking, limit, &mut rows).expect("good");
                let expected = between::<f32, _, _>(&asking, &scene, limit, u64::MAX).expect("good");
                assert_eq!(rows.iter().map(bits).collect::<Vec<_>>(), expected.iter().map(bits).collect::<Vec<_>>());
                found[0] += hits.iter().flatten().count();
                found[1] += rows.len();
            }
        }
    }
    assert!(found.iter().all(|&count| count > 300), "{found:?}");
}

#[test]
fn queries_may_be_anywhere_and_go_as_far_as_coordinates_do() {
    wherever_they_are::<D2>(7);
    wherever_they_are::<D3>(8);
}

/// A ray is the cast of a moving point in a scene at rest, also between other queries.
fn rays<S: Ground>(seed: u64) {
    let (mut random, mut met) = (Random::new(seed), 0);
    for layout in Layout::ALL {
        let scene = layout.draw::<S>(500, &mut random);
        let scene = moving(&scene, || S::array(|_| random.range(-9.0, 9.0)));
        let index = SceneIndex::<S>::new(&scene.columns()).expect("good");
        let still = SceneIndex::<S>::new(&scene.columns().at_rest()).expect("good");
        let mut point = Bodies::new();
        let ball = point.add_shape(Shape::ball(0.0).expect("good")).expect("one");
        point.push(Body::new(ball, S::array(|_| 0.0))).expect("good");
        let (mut hits, mut rows) = (Vec::new(), Vec::new());
        let (mut asked, mut expected) = (Vec::new(), Vec::new());
        for ray in 0..200 {
            let from = random.pick(scene.positions());
            let from = S::array(|k| from[k] + random.range(-1.0, 1.0));
            let way = S::array(|_| random.range(-9.0, 9.0) * random.below(3) as f64);
            point.set(0, Body::new(ball, from).with_velocity(way)).expect("good");
            still.cast(&point.columns(), Motion::lasting(1.0), &mut hits).expect("good");
            let told = index.ray(from, way).expect("good").map(|hit| cast_bits(&hit));
            assert_eq!(told, hits[0].map(|hit| cast_bits(&hit)));
            met += usize::from(told.is_some());
            asked.push([from, way]);
            expected.push(hits[0].map(|hit| cast_bits(&Cast { a: ray, ..hit })));
            let broken = S::array(|k| if k == 1 { f64::NAN } else { 0.0 });
            assert!(matches!(index.ray(from, broken), Err(CastError::Ray { index: 0, what: "way", axis: 1, .. })));
            assert!(matches!(index.ray(broken, way), Err(CastError::Ray { index: 0, what: "from", axis: 1, .. })));
            index.contacts(&point.columns(), 1.0, &mut rows).expect("good");
        }
        for threads in [1, 3] {
            for rays in [&asked[..], &asked[..7], &[]] {
                on_threads(threads, || index.rays(rays, &mut hits)).expect("good");
                assert!(hit_bits(&hits) == expected[..rays.len()], "{layout:?}");
            }
        }
        let wanted = |ray: u32, body: u32| !(3 * ray + body).is_multiple_of(3);
        index.rays_where(&asked, &wanted, &mut hits).expect("good");
        for (ray, hit) in hits.iter().enumerate() {
            let [from, way] = asked[ray];
            let alone = index.ray_where(from, way, &|body| wanted(ray as u32, body)).expect("good");
            let told = alone.map(|alone| cast_bits(&Cast { a: ray as u32, ..alone }));
            assert_eq!(hit.map(|hit| cast_bits(&hit)), told);
        }
        index.rays(&asked, &mut hits).expect("good");
        asked[150][0] = S::array(|_| 2e15);
        let refusal = index.rays(&asked, &mut hits).expect_err("too far").to_string();
        assert_eq!(refusal, "ray 150: from[0] is 2e15, which is not a finite number within 1e15");
        assert!(hit_bits(&hits) == expected, "a refusal changes nothing");
    }
    assert!(met > 100, "{met}");
}

#[test]
fn rays_are_points_that_move() {
    rays::<D2>(11);
    rays::<D3>(12);
}

/// Bodies that a predicate rejects are as if they were not there.
fn wanted_ones<S: Ground>(seed: u64) {
    let mut random = Random::new(seed);
    let wanted = |a: u32, b: u32| !(3 * a + b).is_multiple_of(5);
    let mut counts = [0; 4];
    for layout in Layout::ALL {
        for (asking, scene) in SIZES {
            let scene = layout.draw::<S>(scene, &mut random);
            let index = SceneIndex::<S>::new(&scene.columns()).expect("good");
            let drawn = layout.draw::<S>(asking, &mut random);
            let asking = moving(&drawn, || S::array(|_| random.range(-9.0, 9.0)));
            let (mut all, mut some) = (Vec::new(), Vec::new());
            index.contacts(&asking.columns(), 0.5, &mut all).expect("good");
            index.contacts_where(&asking.columns(), 0.5, &wanted, &mut some).expect("good");
            counts[0] += all.len() - some.len();
            all.retain(|row| wanted(row.a, row.b));
            assert_eq!(all.iter().map(bits).collect::<Vec<_>>(), some.iter().map(bits).collect::<Vec<_>>());

            let (mut all, mut some) = (Neighbours::default(), Neighbours::default());
            index.nearest(&asking.columns(), 60, &mut all).expect("good");
            index.nearest_where(&asking.columns(), 3, &wanted, &mut some).expect("good");
            for agent in 0..asking.len() {
                let wanted = all.of(agent).iter().filter(|near| wanted(agent as u32, near.body)).take(3);
                assert_eq!(format!("{:?}", wanted.collect::<Vec<_>>()), format!("{:?}", some.of(agent)));
                counts[1] += some.of(agent).len();
            }

            let (motion, mut hits) = (Motion::lasting(1.0), Vec::new());
            index.cast_where(&asking.columns(), motion, &wanted, &mut hits).expect("good");
            let expected = by_force_where(&asking, &scene, motion, wanted);
            assert!(hit_bits(&hits) == hit_bits(&expected), "{layout:?}");
            counts[2] += hits.iter().flatten().count();

            for _ in 0..5 {
                let way = S::array(|_| random.range(-9.0, 9.0));
                let from = scene.positions().first().copied().unwrap_or(way);
                let through = index.ray_where(from, way, &|body| body % 3 != 0).expect("good");
                let mut points = Bodies::new();
                let point = points.add_shape(Shape::ball(0.0).expect("good")).expect("one");
                points.push(Body::new(point, from).with_velocity(way)).expect("good");
                let expected = by_force_where(&points, &scene, motion, |_, body| body % 3 != 0);
                assert_eq!(hit_bits(&[through]), hit_bits(&expected));
                counts[3] += usize::from(through.is_some());
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn rejected_bodies_are_passed_over() {
    wanted_ones::<D2>(13);
    wanted_ones::<D3>(14);
}

/// Where all shapes are of one kind, pairs are solved directly from the columns of both sets, each with its own table
/// of shapes: balls, capsules and boxes, many in a block, of which some overlap and some touch.
fn of_one_kind<S: Ground, T: Precision>(seed: u64) {
    let mut random = Random::new(seed);
    let (mut most, mut deep, mut touching) = (0, 0, 0);
    for (kind, turned) in (0..3).flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut shapes = |count: usize| -> Vec<Shape<S>> {
            let mut size = || random.pick(&[0.25, 0.5]);
            let shape = |_| match kind {
                0 => Shape::ball(size()),
                1 => Shape::capsule(size(), size()),
                _ => Shape::cuboid(S::array(|_| size())),
            };
            (0..count).map(shape).map(|shape| shape.expect("good")).collect()
        };
        let tables = [shapes(2), shapes(3)];
        let counts = [70, 500];
        // On a grid, so that some touch.
        let mut place = |_| S::array(|_| (4.0 * random.range(-2.0, 2.0)).round() / 4.0);
        let positions = counts.map(|count| (0..count).map(&mut place).collect::<Vec<_>>());
        let rotations = counts.map(|count| (0..count).map(|_| S::any_rotation(&mut random)).collect::<Vec<_>>());
        let names = [0, 1].map(|set| {
            let most = tables[set].len();
            (0..counts[set]).map(|_| random.below(most) as u32).collect::<Vec<_>>()
        });
        let [asking, scene] = [0, 1].map(|set| {
            let rotations = if turned || set == 0 { Rotations::Double(&rotations[set]) } else { Rotations::Identity };
            Columns::new(&tables[set], &names[set], &positions[set], rotations).expect("good")
        });
        let index = SceneIndex::<S, T>::new(&scene).expect("good");
        let (mut rows, mut near) = (Vec::new(), Neighbours::default());
        index.contacts(&asking, 0.125, &mut rows).expect("good");
        let expected = between::<T, _, _>(&asking, &scene, 0.125, u64::MAX).expect("good");
        assert!(rows.iter().map(bits).eq(expected.iter().map(bits)), "{kind} {turned}");
        most = most.max(rows.iter().filter(|row| row.a < 32).count());
        deep += rows.iter().filter(|row| row.status == Status::Overlapping).count();
        touching += rows.iter().filter(|row| row.status == Status::Touching).count();

        index.nearest(&asking, 4, &mut near).expect("good");
        let mut all = between::<T, _, _>(&asking, &scene, 100.0, u64::MAX).expect("good");
        assert_eq!(all.len(), asking.len() * scene.len());
        for (agent, all) in all.chunks_mut(scene.len()).enumerate() {
            all.sort_by(|x, y| x.distance.to_f64().total_cmp(&y.distance.to_f64()).then(x.b.cmp(&y.b)));
            let told = near.of(agent).iter().map(|near| (near.body, near.distance.to_f64()));
            assert!(told.eq(all.iter().take(4).map(|row| (row.b, row.distance.to_f64()))), "{kind} {turned} {agent}");
        }

        let [asking, scene] = [asking, scene].map(|set| {
            let mut bodies = Bodies::new();
            bodies.push_all(&set).expect("a few");
            moving(&bodies, || S::array(|_| random.range(-3.0, 3.0)))
        });
        let index = SceneIndex::<S, T>::new(&scene.columns()).expect("good");
        let (motion, mut hits) = (Motion::lasting(0.5), Vec::new());
        index.cast(&asking.columns(), motion, &mut hits).expect("good");
        assert!(hit_bits(&hits) == hit_bits(&by_force(&asking, &scene, motion)), "{kind} {turned}");
    }
    assert!(most > 300 && deep > 300 && touching > 30, "{most} {deep} {touching}");
}

#[test]
fn scenes_of_one_kind_have_the_rows_of_two_sets() {
    of_one_kind::<D2, f32>(16);
    of_one_kind::<D2, f64>(17);
    of_one_kind::<D3, f32>(18);
    of_one_kind::<D3, f64>(19);
}

/// All answers for a batch of querying bodies, as text.
fn told<S: Ground>(index: &SceneIndex<S>, asking: &Bodies<S>) -> String {
    let (mut rows, mut hits, mut neighbours) = (Vec::new(), Vec::new(), Neighbours::default());
    index.contacts(&asking.columns(), 0.5, &mut rows).expect("good");
    index.cast(&asking.columns(), Motion::lasting(1.0), &mut hits).expect("good");
    index.nearest(&asking.columns(), 3, &mut neighbours).expect("good");
    let rows: Vec<_> = rows.iter().map(bits).collect();
    let near: Vec<_> = (0..asking.len()).map(|agent| neighbours.of(agent)).collect();
    format!("{rows:?} {:?} {near:?}", hit_bits(&hits))
}

#[test]
fn many_threads_may_ask_at_once() {
    let mut random = Random::new(15);
    let scene = Layout::Even.draw::<D3>(600, &mut random);
    let index = SceneIndex::<D3>::new(&scene.columns()).expect("good");
    // Single bodies, some, and so many that records are made of all bodies.
    let asking: Vec<Bodies<D3>> = (0..24)
        .map(|batch| {
            let drawn = Layout::Even.draw::<D3>([1, 1, 40, 200][batch % 4], &mut random);
            moving(&drawn, || [0; 3].map(|_| random.range(-9.0, 9.0)))
        })
        .collect();
    let alone: Vec<String> = asking.iter().map(|asking| told(&index, asking)).collect();
    // From threads outside of any pool.
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (index, asking, alone) = (&index, &asking, &alone);
            scope.spawn(move || {
                for batch in (0..asking.len()).cycle().skip(6 * first).take(asking.len()) {
                    assert!(told(index, &asking[batch]) == alone[batch]);
                }
            });
        }
    });
    // From tasks of a pool, whose threads may start one query while they wait for the parts of another.
    for threads in [2, 4] {
        on_threads(threads, || {
            asking.par_iter().zip(&alone).for_each(|(asking, alone)| assert!(told(&index, asking) == *alone));
        });
    }
}

#[test]
fn a_predicate_may_query_the_same_index_or_panic() {
    let mut random = Random::new(20);
    let scene = Layout::Even.draw::<D3>(300, &mut random);
    let index = SceneIndex::<D3>::new(&scene.columns()).expect("good");
    let asking = Layout::Even.draw::<D3>(100, &mut random);
    let (mut all, mut some) = (Vec::new(), Vec::new());
    index.contacts(&asking.columns(), 0.5, &mut all).expect("good");
    on_threads(2, || {
        let seen = |a: u32, _: u32| {
            let from = asking.columns().positions()[a as usize];
            let (mut within, point) = (Vec::new(), [Shape::ball(0.0).expect("good")]);
            let point = Columns::new(&point, &[0], core::slice::from_ref(&from), Rotations::Identity).expect("good");
            index.contacts(&point, 1.0, &mut within).expect("good");
            index.ray(from, [1.0; 3]).expect("good").is_none_or(|hit| hit.time >= 0.0)
        };
        index.contacts_where(&asking.columns(), 0.5, &seen, &mut some).expect("good");
    });
    assert!(!all.is_empty() && all.iter().map(bits).eq(some.iter().map(bits)));
    let panics = std::panic::AssertUnwindSafe(|| {
        index.contacts_where(&asking.columns(), 0.5, &|_, _| panic!("on purpose"), &mut Vec::new())
    });
    assert!(std::panic::catch_unwind(panics).is_err());
    index.contacts(&asking.columns(), 0.5, &mut some).expect("good");
    assert!(all.iter().map(bits).eq(some.iter().map(bits)));
}

#[test]
fn rays_through_a_row_of_boxes() {
    let mut scene = Bodies::<D3>::new();
    let cube = scene.add_shape(Shape::cuboid([0.5; 3]).expect("good")).expect("one");
    for x in 0..200 {
        scene.push(Body::new(cube, [f64::from(x) * 2.0, 0.0, 0.0])).expect("good");
    }
    let mut rays = Bodies::<D3>::new();
    let point = rays.add_shape(Shape::ball(0.0).expect("good")).expect("one");
    for (place, way) in [
        ([-10.0, 0.0, 0.0], [1e3, 0.0, 0.0]),   // the first of the row
        ([1e3, 0.25, 0.25], [-1e3, 0.0, 0.0]),  // the last
        ([5.0, -9.0, 0.0], [0.0, 1e3, 0.0]),    // through a gap
        ([-10.0, 0.75, 0.0], [1e3, 0.0, 0.0]),  // past all of them
        ([100.0, -9.0, 0.0], [0.0, 1e3, 0.0]),  // one in the middle
        ([100.25, 0.0, 0.0], [0.0, 1e3, 0.0]),  // from within it
        ([100.0, -9.0, 0.0], [0.0, -1e3, 0.0]), // away from it
    ] {
        rays.push(Body::new(point, place).with_velocity(way)).expect("good");
    }
    let mut hits = Vec::new();
    let index = SceneIndex::<D3>::new(&scene.columns()).expect("good");
    index.cast(&rays.columns(), Motion::lasting(2.0), &mut hits).expect("good");
    let met: Vec<Option<(u32, CastStatus)>> = hits.iter().map(|hit| hit.map(|hit| (hit.b, hit.status))).collect();
    let (hit, start) = (CastStatus::Hit, CastStatus::Start);
    assert_eq!(met, [Some((0, hit)), Some((199, hit)), None, None, Some((50, hit)), Some((50, start)), None]);
    let first = hits[0].expect("a hit");
    assert!((first.time - 0.0095).abs() < 1e-11 && first.normal[0] > 1.0 - 1e-9, "{first:?}");
}

#[test]
fn what_cannot_be_asked_is_refused_and_the_next_question_answered() {
    let mut scene = Bodies::<D2>::new();
    let disc = scene.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    for x in 0..100 {
        scene.push(Body::new(disc, [f64::from(x), 0.0])).expect("good");
    }
    let index = SceneIndex::<D2>::new(&scene.columns()).expect("good");
    let asking = Bodies::from_columns(
        vec![Shape::ball(0.25).expect("good")],
        BodyColumns { shape: vec![0].into(), position: vec![[50.0, 0.5]].into(), ..BodyColumns::default() },
    );
    let asking = asking.expect("good");
    let (mut rows, mut hits) = (vec![Proximity::default()], vec![None; 3]);
    for margin in [-1.0, f64::NAN, 1e16] {
        let refused = index.contacts(&asking.columns(), margin, &mut rows);
        assert!(matches!(refused, Err(ContactsError::Margin(_))));
        let motion = Motion::lasting(1.0).to_within(margin);
        assert!(matches!(index.cast(&asking.columns(), motion, &mut hits), Err(CastError::Target(_))));
    }
    let motion = Motion::lasting(f64::INFINITY);
    assert!(matches!(index.cast(&asking.columns(), motion, &mut hits), Err(CastError::Duration(_))));
    assert_eq!((rows.len(), hits.len(), index.scene().len()), (1, 3, 100));
    // A body that is absent finds nothing.
    let absent = Columns::new(asking.shapes(), &[0], asking.positions(), Rotations::Identity).expect("good");
    let absent = absent.with_filters(jostle::Filters { absent: &[true], ..jostle::Filters::default() }).expect("one");
    index.contacts(&absent, 0.0, &mut rows).expect("good");
    assert!(rows.is_empty());
    index.contacts(&asking.columns(), 0.0, &mut rows).expect("good");
    assert_eq!(rows.iter().map(|row| row.b).collect::<Vec<_>>(), [50]);
}
