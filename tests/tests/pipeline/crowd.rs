//! Crowds in which all bodies move: frames have the same bits on any number of threads and after a snapshot, and the
//! same contacts as found from scratch.

use jostle::{
    Bodies, Body, D2, D3, Engine, Event, Handle, Lattice, Neighbours, Phase, Pipeline, Precision, Shape, Skin,
    distance, periodic_contacts,
};
use jostle_tests::{Ground, Kind, Random, Style, bits, draw_shape, on_threads};

/// All results of a frame, as bits.
type Told = (Vec<Vec<u64>>, Vec<Phase>, Vec<Event>, Vec<u64>);

fn told<S: Ground, T: Precision>(pipeline: &Pipeline<S, T, u64>) -> Told {
    let rows = pipeline.contacts().iter().map(bits).collect();
    (rows, pipeline.phases().to_vec(), pipeline.events().to_vec(), pipeline.data().to_vec())
}

/// A crowd in which all bodies move, and one in a hundred leaves and one enters each frame.
struct Crowd<S: Ground> {
    pipeline: Pipeline<S, f32, u64>,
    random: Random,
    handles: Vec<Handle>,
    half_side: f64,
}

impl<S: Ground> Clone for Crowd<S> {
    fn clone(&self) -> Self {
        let Self { pipeline, random, handles, half_side } = self;
        Self { pipeline: pipeline.clone(), random: random.clone(), handles: handles.clone(), half_side: *half_side }
    }
}

impl<S: Ground> Crowd<S> {
    fn new(bodies: usize, half_side: f64) -> Self {
        let mut crowd = Self { pipeline: Pipeline::new(), random: Random::new(7), handles: Vec::new(), half_side };
        for kind in [Kind::Ball, Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull] {
            let shape = draw_shape::<S>(kind, Style::Even, 0.5, &mut crowd.random).shape().expect("valid");
            crowd.pipeline.add_shape(shape).expect("a few");
        }
        crowd.pipeline.set_margin(0.1).expect("good");
        for _ in 0..bodies {
            crowd.enter();
        }
        crowd
    }
    fn enter(&mut self) {
        let Self { random, half_side, .. } = self;
        let place = S::array(|_| random.range(-*half_side, *half_side));
        let body = Body::new(random.below(5) as u32, place).with_rotation(S::any_rotation(random));
        self.handles.push(self.pipeline.insert(body).expect("good"));
    }
    fn step(&mut self) {
        for _ in 0..self.handles.len() / 100 {
            let at = self.random.below(self.handles.len());
            let handle = self.handles.swap_remove(at);
            self.pipeline.remove(handle).expect("it is there");
        }
        for _ in 0..self.handles.len() / 100 {
            self.enter();
        }
        let Self { pipeline, random, .. } = self;
        for position in pipeline.positions_mut() {
            *position = S::array(|k| position[k] + random.range(-0.01, 0.01));
        }
        pipeline.update().expect("a good frame");
        for data in pipeline.data_mut() {
            *data += 1;
        }
    }
}

fn equal_bits<S: Ground>(bodies: usize, half_side: f64, frames: usize, lattice: Lattice<S>, warm: bool) {
    let run = |threads: usize| {
        on_threads(threads, || {
            let mut crowd = Crowd::<S>::new(bodies, half_side);
            crowd.pipeline.set_lattice(lattice);
            crowd.pipeline.set_warm_start(warm);
            for _ in 0..frames {
                crowd.step();
            }
            told(&crowd.pipeline)
        })
    };
    let one = run(1);
    assert!(one.0.len() > bodies / 2, "{} contacts", one.0.len());
    for threads in [2, 3] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // Few bodies over many frames, and many bodies, so that threads share work.
    for warm in [false, true] {
        equal_bits::<D2>(500, 12.0, 1000, Lattice::default(), warm);
        equal_bits::<D2>(40_000, 110.0, 5, Lattice::default(), warm);
        equal_bits::<D3>(20_000, 14.0, 4, Lattice::default(), warm);
        equal_bits::<D2>(40_000, 110.0, 5, Lattice::orthogonal([220.0, 0.0]).expect("good"), warm);
        equal_bits::<D3>(20_000, 14.0, 4, Lattice::orthogonal([28.0; 3]).expect("good"), warm);
    }
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    for warm in [false, true] {
        goes_on_from_a_snapshot(Lattice::default(), warm);
        goes_on_from_a_snapshot(Lattice::orthogonal([48.0; 2]).expect("good"), warm);
    }
}

fn goes_on_from_a_snapshot(lattice: Lattice<D2>, warm: bool) {
    let mut crowd = Crowd::<D2>::new(2000, 24.0);
    crowd.pipeline.set_lattice(lattice);
    crowd.pipeline.set_warm_start(warm);
    for _ in 0..20 {
        crowd.step();
    }
    let mut snapshot = crowd.clone();
    let mut later = Vec::new();
    for _ in 0..30 {
        crowd.step();
        later.push(told(&crowd.pipeline));
    }
    for expected in later {
        snapshot.step();
        assert!(told(&snapshot.pipeline) == expected);
    }
}

#[test]
fn large_crowds_are_what_an_engine_finds() {
    // Enough bodies for several stretches and regions, on two threads, with the list mended, kept and made anew.
    on_threads(2, || {
        let mut crowd = Crowd::<D2>::new(50_000, 120.0);
        for _ in 0..6 {
            crowd.step();
            let mut rows = Vec::new();
            let (mut bodies, mut slots) = (Bodies::new(), Vec::new());
            for index in 0..5 {
                bodies.add_shape(crowd.pipeline.shape(index).expect("five").clone()).expect("five");
            }
            for handle in crowd.pipeline.handles() {
                bodies.push(crowd.pipeline.get(handle).expect("live")).expect("sound");
                slots.push(handle.index() as u32);
            }
            Engine::<D2>::new().contacts(&bodies.columns(), 0.1, &mut rows).expect("good");
            assert_eq!(rows.len(), crowd.pipeline.contacts().len());
            for (mut expected, found) in rows.into_iter().zip(crowd.pipeline.contacts()) {
                [expected.a, expected.b] = [expected.a, expected.b].map(|index| slots[index as usize]);
                assert_eq!((found.a, found.b, bits(found)), (expected.a, expected.b, bits(&expected)));
            }
        }
    });
}

#[test]
fn large_crowds_are_what_is_found_from_scratch_where_space_repeats() {
    on_threads(2, || {
        let mut crowd = Crowd::<D3>::new(30_000, 16.0);
        crowd.pipeline.set_skin(Skin::Fixed(0.05)).expect("good");
        let lattice = Lattice::orthogonal([32.0; 3]).expect("good");
        crowd.pipeline.set_lattice(lattice);
        let mut neighbours = Neighbours::default();
        let mut far = 0;
        for frame in 0..5 {
            if frame % 2 == 0 {
                crowd.step();
            } else {
                // All bodies are wrapped into the cell, and nothing else changes: the list is kept.
                for position in crowd.pipeline.positions_mut() {
                    *position = position.map(|x| x.rem_euclid(32.0));
                }
                let contacts = crowd.pipeline.contacts().len();
                let frame = crowd.pipeline.update().expect("good");
                assert_eq!((frame.began, frame.ended, frame.contacts, frame.renewed), (0, 0, contacts, 0));
            }
            let bodies = crowd.pipeline.columns().expect("good");
            let rows = periodic_contacts::<f32, _, _>(&bodies, &lattice, 0.1, u64::MAX).expect("good");
            assert_eq!(rows.len(), crowd.pipeline.contacts().len());
            for (i, (expected, found)) in rows.iter().zip(crowd.pipeline.contacts()).enumerate() {
                assert_eq!(bits(found), bits(&expected.row));
                assert_eq!(crowd.pipeline.images()[i], expected.image);
            }
            far += rows.iter().filter(|shifted| shifted.image != [0; 3]).count();
            // For either body, the two points are near it and `distance` apart.
            crowd.pipeline.neighbours(0.05, 3, &mut neighbours).expect("within the margin");
            for (slot, position) in crowd.pipeline.positions().iter().enumerate() {
                for near in neighbours.of(slot) {
                    let off = |point: [f64; 3]| (0..3).map(|k| (point[k] - position[k]).abs()).fold(0.0, f64::max);
                    assert!(off(near.own_point) < 2.0 && off(near.point) < 2.0, "{slot} {near:?} at {position:?}");
                    let apart = |k: usize| near.point[k] - near.own_point[k];
                    let along: f64 = (0..3).map(|k| apart(k) * f64::from(near.direction[k])).sum();
                    assert!((along - f64::from(near.distance)).abs() < 1e-4, "{near:?}");
                }
            }
        }
        assert!(far > 1000, "{far}");
    });
}

/// Few bodies that move fast through a wide room, alone or in swarms, past static bodies, with filters that let them
/// meet or not.
struct Room {
    flying: usize,
    standing: usize,
    swarms: usize,
    meet: bool,
    period: f64,
}

impl Room {
    /// The most pairs on the list of any frame, and the thickest skin.
    fn flown_through(&self) -> (usize, f64) {
        let mut random = Random::new(5);
        let mut pipeline = Pipeline::<D3, f32>::new();
        let ball = pipeline.add_shape(Shape::ball(0.1).expect("good")).expect("one");
        pipeline.set_lattice(Lattice::orthogonal([self.period; 3]).expect("good"));
        let middles: Vec<[f64; 3]> = (0..self.swarms).map(|_| [0; 3].map(|_| random.range(0.0, 20_000.0))).collect();
        let mut velocities = Vec::new();
        for body in 0..self.flying {
            let (middle, side) = if self.swarms > 1 { (middles[body % self.swarms], 60.0) } else { ([0.0; 3], 200.0) };
            let body = Body::new(ball, middle.map(|x| x + random.range(0.0, side)));
            pipeline.insert(if self.meet { body } else { body.with_group(1).with_mask(2) }).expect("good");
            velocities.push([0; 3].map(|_| random.range(-1.5, 1.5)));
        }
        for _ in 0..self.standing {
            let place = [random.range(0.0, 200.0), random.range(0.0, 200.0), -40.0];
            pipeline.insert(Body::new(ball, place).fixed()).expect("good");
        }
        let (mut most, mut thickest) = (0, 0.0_f64);
        for frame in 0..150 {
            // There and back.
            let ahead = if frame / 20 % 2 == 0 { 1.0 } else { -1.0 };
            for (place, velocity) in pipeline.positions_mut().iter_mut().zip(&velocities) {
                *place = core::array::from_fn(|k| place[k] + ahead * velocity[k]);
            }
            let frame = pipeline.update().expect("a good frame");
            (most, thickest) = (most.max(frame.candidates), thickest.max(frame.skin));
        }
        (most, thickest)
    }
}

/// Where hardly any pair is near, skins must not grow until the list holds the pairs of the whole room.
#[test]
fn bodies_that_are_alone_do_not_list_the_whole_room() {
    let room = Room { flying: 3000, standing: 0, swarms: 1, meet: true, period: 0.0 };
    for (room, pairs, thinnest) in [
        (Room { ..room }, 20_000, 1.0),
        (Room { meet: false, ..room }, 0, 1.0),
        (Room { period: 200.0, ..room }, 20_000, 1.0),
        (Room { period: 200.0, meet: false, ..room }, 0, 1.0),
        (Room { swarms: 20, ..room }, 90_000, 0.0),
        (Room { flying: 100, standing: 20_000, ..room }, 60_000, 0.0),
    ] {
        let Room { flying, standing, swarms, meet, period } = room;
        let what = format!("{flying} and {standing}, {swarms} swarms, {meet}, period {period}");
        let (most, skin) = room.flown_through();
        assert!(most <= pairs, "{what}: {most} pairs on the list");
        assert!((thinnest..40.0).contains(&skin), "{what}: a skin of {skin}");
    }
}

/// One body in a hundred is twenty times as fast as the others: the list is not made anew in every frame because of
/// that, nor are all bodies renewed.
#[test]
fn runners_do_not_end_the_list() {
    let mut random = Random::new(6);
    let mut pipeline = Pipeline::<D3, f32>::new();
    pipeline.set_margin(0.2).expect("good");
    let ball = pipeline.add_shape(Shape::capsule(0.2, 0.2).expect("good")).expect("one");
    let mut velocities: Vec<[f64; 3]> = Vec::new();
    for body in 0..4000 {
        pipeline.insert(Body::new(ball, [0; 3].map(|_| random.range(0.0, 16.0)))).expect("good");
        let speed = if body % 100 == 0 { 0.1 } else { 0.005 };
        velocities.push([0; 3].map(|_| if random.range(0.0, 1.0) < 0.5 { speed } else { -speed }));
    }
    let (mut renewed, mut solved, mut pairs) = (0, 0, 0);
    for frame in 0..160 {
        for (place, velocity) in pipeline.positions_mut().iter_mut().zip(&mut velocities) {
            for (x, v) in place.iter_mut().zip(velocity) {
                *v = if *x < 0.0 {
                    v.abs()
                } else if *x > 16.0 {
                    -v.abs()
                } else {
                    *v
                };
                *x += *v;
            }
        }
        let told = pipeline.update().expect("a good frame");
        if frame >= 60 {
            (renewed, solved, pairs) = (renewed + told.renewed, solved + told.solved, pairs + told.candidates as u64);
        }
    }
    // Once, all bodies were renewed in each frame.
    assert!(renewed < 4000 * 100 / 5, "{renewed} bodies were renewed in 100 frames");
    assert!(solved < pairs * 2 / 3, "{solved} of {pairs} pairs were solved");
}

/// Two rods side by side, each within the other's ball: once found apart, the pair is not solved again until it may be
/// near, by moving or by turning, and no later.
#[test]
fn a_pair_that_was_found_apart_waits_and_no_longer() {
    let mut pipeline = Pipeline::<D2>::new();
    let rod = pipeline.add_shape(Shape::capsule(1.0, 0.05).expect("good")).expect("one");
    let place = |x: f64| Body::new(rod, [x, 0.0]);
    let still = pipeline.insert(place(0.0)).expect("good");
    let moving = pipeline.insert(place(0.9)).expect("good");
    pipeline.set_skin(Skin::Fixed(4.0)).expect("good");
    let mut solved = Vec::new();
    for step in 0..100 {
        // Comes nearer by a hundredth of a metre a frame, then turns on the spot until it hits.
        pipeline.positions_mut()[moving.index()][0] = 0.9 - 0.01 * f64::from(step.min(40));
        pipeline.rotations_mut()[moving.index()] = [0.02 * f64::from((step - 40).max(0))];
        let frame = pipeline.update().expect("a good scene");
        solved.push(frame.solved);
        let mut alone = Bodies::<D2>::new();
        alone.add_shape(pipeline.shape(rod).expect("one").clone()).expect("one");
        for body in [still, moving] {
            alone.push(pipeline.get(body).expect("live")).expect("good");
        }
        let apart = distance::<f32, _, _>(&alone.columns(), &[[0, 1]]).expect("two")[0].distance;
        assert_eq!(pipeline.contacts().len(), usize::from(apart <= 0.0), "step {step}: {apart}");
    }
    assert!(pipeline.contacts().len() == 1, "it hit");
    let asked = solved.iter().filter(|&&solved| solved > 0).count();
    assert!(solved[0] == 1 && solved[1] == 0 && asked < 70, "{solved:?}");
}
