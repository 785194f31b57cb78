//! Queries one at a time, between changes of the scene: the memory of one does not affect the next.

use jostle::{Bodies, Body, BodyColumns, D2, D3, Motion, Neighbours, Precision, Proximity, SceneIndex, Shape, between};
use jostle_tests::{Ground, Layout, Random, bits, hit_bits};

use super::by_force;

/// The bodies with other, random shapes and velocities.
fn reshaped<S: Ground>(bodies: &Bodies<S>, shapes: usize, random: &mut Random) -> Bodies<S> {
    let mut drawn = Bodies::new();
    for shape in 0..shapes {
        let mut size = || random.range(0.1, 0.6);
        let corners = |size: f64| {
            let corner = |at: usize| S::array(|k| if at >> k & 1 == 1 { size } else { -0.5 * size });
            (0..1 << S::DIMENSION).map(corner).collect::<Vec<_>>()
        };
        let shape = match shape % 4 {
            0 => Shape::ball(size()),
            1 => Shape::capsule(size(), size()),
            2 => Shape::cuboid(S::array(|_| size())),
            _ => Shape::convex(&corners(size())),
        };
        drawn.add_shape(shape.expect("good")).expect("a few");
    }
    for index in 0..bodies.len() {
        let velocity = S::array(|_| random.range(-3.0, 3.0));
        let body = Body { shape: random.below(shapes) as u32, ..bodies.get(index) };
        drawn.push(body.with_velocity(velocity)).expect("good");
    }
    drawn
}

/// The nearest few by the distances of all pairs.
fn nearest_of<S: Ground, T: Precision>(mut all: Vec<Proximity<S, T>>, k: usize) -> Vec<(u32, f64)> {
    all.sort_by(|x, y| x.distance.to_f64().total_cmp(&y.distance.to_f64()).then(x.b.cmp(&y.b)));
    all.iter().take(k).map(|row| (row.b, row.distance.to_f64())).collect()
}

fn one_at_a_time<S: Ground, T: Precision>(seed: u64) {
    let (mut random, mut counts) = (Random::new(seed), [0; 2]);
    for layout in Layout::ALL {
        let mut index = SceneIndex::<S, T>::new(&Bodies::new().columns()).expect("good");
        let (mut rows, mut near, mut hits) = (Vec::new(), Neighbours::default(), Vec::new());
        // Fewer and more shapes than a single query looks at.
        for (count, shapes) in [(300, 1), (400, 40), (17, 3), (256, 40), (700, 90), (1, 1), (0, 1)] {
            let scene = reshaped(&layout.draw::<S>(count, &mut random), shapes, &mut random);
            index.update(&scene.columns()).expect("good");
            let asking = layout.draw::<S>(25, &mut random);
            for agent in 0..asking.len() {
                let mut alone =
                    Bodies::<S>::from_columns(asking.shapes().to_vec(), BodyColumns::default()).expect("good");
                alone.push(asking.get(agent)).expect("good");
                let own = random.pick(&[1, 5, 60]);
                let alone = reshaped(&alone, own, &mut random);
                let (one, all) = (alone.columns(), scene.columns());
                let (margin, k) = (random.pick(&[0.0, 0.1, 0.3, 0.123_456_789, 2.0]), random.pick(&[1, 1, 2, 5, 20]));

                index.contacts(&one, margin, &mut rows).expect("good");
                let expected = between::<T, _, _>(&one, &all, margin, u64::MAX).expect("good");
                assert!(rows.iter().map(bits).eq(expected.iter().map(bits)), "{layout:?} {shapes} {agent}");

                // The largest number means all.
                let k = if agent == 7 { usize::MAX } else { k };
                index.nearest(&one, k, &mut near).expect("good");
                let expected = nearest_of(between::<T, _, _>(&one, &all, 1e15, u64::MAX).expect("good"), k);
                let told = near.of(0).iter().map(|near| (near.body, near.distance.to_f64()));
                assert!(told.eq(expected), "{layout:?} {shapes} {agent}, {k}");

                let motion = Motion::lasting(0.5);
                index.cast(&one, motion, &mut hits).expect("good");
                assert!(hit_bits(&hits) == hit_bits(&by_force(&alone, &scene, motion)), "{layout:?} {agent}");
                counts[0] += rows.len();
                counts[1] += hits.iter().flatten().count();
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn in_the_plane() {
    one_at_a_time::<D2, f32>(41);
    one_at_a_time::<D2, f64>(42);
}

#[test]
fn in_space() {
    one_at_a_time::<D3, f32>(43);
    one_at_a_time::<D3, f64>(44);
}
