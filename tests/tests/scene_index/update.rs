//! An index that is updated gives the answers of one that is made anew.

use jostle::{Bodies, Body, D2, D3, Pipeline, SceneIndex, Shape};
use jostle_tests::{Ground, Layout, Random};

use super::{moving, on_threads, told};

/// The bodies after a move of each by less than `step` metres along each axis, and a random rotation of half of them.
fn moved<S: Ground>(bodies: &Bodies<S>, step: f64, random: &mut Random) -> Bodies<S> {
    let mut moved = bodies.clone();
    for index in 0..bodies.len() {
        let body = bodies.get(index);
        let position = S::array(|k| body.position[k] + random.range(-step, step));
        let rotation = if random.chance(0.5) { S::any_rotation(random) } else { body.rotation };
        moved.set(index, Body { position, rotation, ..body }).expect("good");
    }
    moved
}

fn through_changes<S: Ground>(seed: u64) {
    let mut random = Random::new(seed);
    for layout in Layout::ALL {
        let mut scene = layout.draw::<S>(700, &mut random);
        let asking = layout.draw::<S>(60, &mut random);
        let asking = moving(&asking, || S::array(|_| random.range(-9.0, 9.0)));
        let mut index = SceneIndex::<S>::new(&scene.columns()).expect("good");
        let mut left = (0, scene.get(0));
        for round in 0..24 {
            scene = match round % 8 {
                // They move a little.
                0..3 => moved(&scene, 0.01, &mut random),
                3 => moved(&moving(&scene, || S::array(|_| random.range(-9.0, 9.0))), 0.5, &mut random),
                // They move far.
                4 => moved(&scene, 50.0, &mut random),
                5 => {
                    let leaves = random.below(scene.len());
                    left = (leaves, scene.get(leaves));
                    scene.set(leaves, Body { mask: 0, ..left.1 }).expect("good");
                    scene
                }
                // As many meet others, but not the same ones.
                6 => {
                    scene.set(left.0, left.1).expect("good");
                    let leaves = (left.0 + 1) % scene.len();
                    scene.set(leaves, Body { group: 0, ..scene.get(leaves) }).expect("good");
                    scene
                }
                // No bodies, then others, more or fewer, with other shapes.
                _ => {
                    index.update(&Bodies::new().columns()).expect("good");
                    assert_eq!(index.scene().len(), 0);
                    assert!(told(&index, &asking) == told(&SceneIndex::new(&index.scene()).expect("good"), &asking));
                    layout.draw::<S>([17, 900, 300][round / 8], &mut random)
                }
            };
            on_threads(1 + round % 2, || index.update(&scene.columns())).expect("good");
            let anew = SceneIndex::<S>::new(&scene.columns()).expect("good");
            assert!(told(&index, &asking) == told(&anew, &asking), "{layout:?}, round {round}");
            assert_eq!(index.scene().len(), scene.len());
        }
    }
}

#[test]
fn in_the_plane() {
    through_changes::<D2>(31);
}

#[test]
fn in_space() {
    through_changes::<D3>(32);
}

#[test]
fn with_the_bodies_of_a_pipeline_of_which_some_leave() {
    let mut random = Random::new(33);
    let mut hall = Pipeline::<D3>::new();
    let stone = hall.add_shape(Shape::cuboid([0.4, 0.3, 0.2]).expect("good")).expect("one");
    let mut place = || [0; 3].map(|_| random.range(-5.0, 5.0));
    let mut handles: Vec<_> = (0..400).map(|_| hall.insert(Body::new(stone, place())).expect("good")).collect();
    let probes: Vec<_> = (0..50).map(|_| Body::new(0, place()).with_velocity([9.0, 1.0, 0.0])).collect();
    let mut asking = Bodies::<D3>::new();
    asking.add_shape(Shape::ball(0.25).expect("good")).expect("one");
    for probe in probes {
        asking.push(probe).expect("good");
    }
    let mut index = SceneIndex::<D3>::new(&hall.columns().expect("good")).expect("good");
    for frame in 0..30 {
        hall.positions_mut().iter_mut().for_each(|position| position[frame % 3] += 0.02);
        if frame % 3 == 0 {
            hall.remove(handles.swap_remove(7 * frame % handles.len())).expect("it is there");
        }
        if frame % 7 == 0 {
            handles.push(hall.insert(Body::new(stone, [0.1 * frame as f64; 3])).expect("good"));
        }
        let scene = hall.columns().expect("good");
        index.update(&scene).expect("good");
        assert!(told(&index, &asking) == told(&SceneIndex::new(&scene).expect("good"), &asking), "frame {frame}");
    }
}
