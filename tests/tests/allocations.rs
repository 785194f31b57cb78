//! No allocation per frame once warm. This is a program of its own because it has its own allocator, and without the
//! usual harness because allocations of all threads are counted: those of other tests, and of the harness itself, which
//! prints a warning about tests that take longer than a minute.

use std::alloc::System;

use jostle::{
    Body, D2, D3, Engine, Lattice, Motion, Narrowphase, Neighbours, PeriodicEngine, Pipeline, Proximity, SceneIndex,
    Shape, Solving,
};
use jostle_tests::{Ground, Kind, Layout, Random, Style, draw_moves, draw_shape, on_threads};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Calls of the allocator while `work` runs: allocations and reallocations.
fn allocations(work: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

/// How often `ask` allocates once its memory is warm, and how often it may. With two threads it varies which of them
/// takes which pairs: one that gets more at once than before allocates, and so does one that got no work during the
/// warm-up. So with two threads the least of a few rounds counts.
fn settled(threads: usize, mut ask: impl FnMut()) -> (usize, usize) {
    if threads == 1 {
        return (allocations(ask), 0);
    }
    let least = (0..5).map(|_| allocations(&mut ask)).min();
    (least.unwrap_or(0), 50)
}

/// A moving crowd: each body circles around a place of its own, so that the density, and with it the number of
/// contacts, stays the same.
struct Crowd<S: Ground> {
    pipeline: Pipeline<S, f32, [f32; 2]>,
    neighbours: Neighbours<S>,
    random: Random,
    half_side: f64,
    /// The centre of each body's circle, by slot.
    home: Vec<S::Array<f64>>,
    frames: u32,
}

impl<S: Ground> Crowd<S> {
    fn new(bodies: usize, half_side: f64, kinds: &[Kind]) -> Self {
        let mut random = Random::new(5);
        let mut pipeline = Pipeline::new();
        pipeline.set_margin(0.2).expect("good");
        let mut shapes = Vec::new();
        for &kind in kinds {
            let shape = draw_shape::<S>(kind, Style::Even, 0.5, &mut random).shape().expect("valid");
            shapes.push(pipeline.add_shape(shape).expect("a few"));
        }
        for _ in 0..bodies {
            let place = S::array(|_| random.range(-half_side, half_side));
            let body = Body::new(random.pick(&shapes), place).with_rotation(S::any_rotation(&mut random));
            pipeline.insert(body).expect("good");
        }
        let home = pipeline.positions().to_vec();
        Self { pipeline, neighbours: Neighbours::default(), random, half_side, home, frames: 0 }
    }

    fn frame(&mut self, coming_and_going: usize) {
        let Self { pipeline, random, half_side, home, .. } = self;
        for _ in 0..coming_and_going {
            let leaving = pipeline.handle_at(random.below(pipeline.slots()) as u32).expect("all slots are taken");
            let body = pipeline.remove(leaving).expect("it is there");
            let entering = pipeline.insert(body).expect("good");
            home[entering.index()] = S::array(|_| random.range(-*half_side, *half_side));
        }
        self.frames += 1;
        for (slot, (position, home)) in pipeline.positions_mut().iter_mut().zip(home).enumerate() {
            let (sin, cos) = libm::sincos(f64::from(self.frames) * 0.05 + slot as f64);
            *position = S::array(|k| home[k] + 0.3 * [sin, cos, sin][k]);
        }
        pipeline.update().expect("a good frame");
        assert!(pipeline.contacts().len() > pipeline.len() / 4);
        pipeline.neighbours(0.2, 6, &mut self.neighbours).expect("within the margin");
        let Solving { contacts, data, .. } = pipeline.solver_mut();
        for (contact, data) in contacts.iter().zip(data) {
            data[0] += contact.distance;
        }
    }
}

fn steady<S: Ground>(threads: usize, bodies: usize, half_side: f64, kinds: &[Kind], come_and_go: usize, frames: usize) {
    let crowd = Crowd::<S>::new(bodies, half_side, kinds);
    steady_crowd(threads, crowd, come_and_go, frames);
}

fn steady_crowd<S: Ground>(threads: usize, mut crowd: Crowd<S>, come_and_go: usize, frames: usize) {
    on_threads(threads, || {
        for _ in 0..300 {
            crowd.frame(come_and_go);
        }
        let count = allocations(|| (0..frames).for_each(|_| crowd.frame(come_and_go)));
        let bodies = crowd.pipeline.len();
        let space = if crowd.pipeline.lattice().repeats() { "repeating" } else { "open" };
        let what = format!("{threads} threads, {bodies} bodies in {} {space} dimensions, {come_and_go}", S::DIMENSION);
        assert_eq!(count, 0, "allocations in {frames} frames: {what} come and go");
    });
}

fn main() {
    // As in the harness, a first argument that is not an option selects the tests whose names contain it, and `--list`
    // lists them. Other options are ignored.
    let listed = std::env::args().any(|argument| argument == "--list");
    let wanted = std::env::args().nth(1).filter(|argument| !argument.starts_with('-')).unwrap_or_default();
    let tests: [(&str, fn()); 6] = [
        ("frames_allocate_nothing_once_warm", frames_allocate_nothing_once_warm),
        ("nor_where_shapes_are_replaced", nor_where_shapes_are_replaced),
        ("memory_stays_flat", memory_stays_flat),
        ("engines_keep_their_memory", engines_keep_their_memory),
        ("named_pairs_are_answered_from_memory", named_pairs_are_answered_from_memory),
        ("and_so_are_queries_of_a_scene", and_so_are_queries_of_a_scene),
    ];
    for (name, test) in tests.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        if listed {
            println!("{name}: test");
        } else {
            println!("test {name}");
            test();
        }
    }
}

fn frames_allocate_nothing_once_warm() {
    let everything = [Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull];
    for threads in [1, 2] {
        steady::<D2>(threads, 2000, 20.0, &[Kind::Ball], 0, 1000);
        steady::<D2>(threads, 600, 11.0, &everything, 6, 1000);
        steady::<D3>(threads, 600, 5.0, &everything, 6, 300);
        let mut warm = Crowd::<D3>::new(600, 5.0, &everything);
        warm.pipeline.set_warm_start(true);
        steady_crowd(threads, warm, 6, 300);
        let mut around = Crowd::<D3>::new(600, 5.0, &everything);
        around.pipeline.set_lattice(Lattice::orthogonal([10.0; 3]).expect("good"));
        // The number of images varies, and with it the sweep's grid: it takes longer until its memory is large enough.
        (0..600).for_each(|_| around.frame(6));
        steady_crowd(threads, around, 6, 300);
        // Enough bodies for several tasks in every stage.
        steady::<D2>(threads, 20_000, 62.0, &[Kind::Ball, Kind::Capsule], 200, 60);
    }
}

/// As with bodies that grow and shrink: the memory kept for shapes does not grow with the number of replacements.
fn nor_where_shapes_are_replaced() {
    on_threads(1, || {
        let mut crowd = Crowd::<D2>::new(600, 11.0, &[Kind::Ball, Kind::Box]);
        let frames = |crowd: &mut Crowd<D2>, count: u32| {
            for frame in 0..count {
                let radius = 0.25 + 0.01 * f64::from(frame % 8);
                crowd.pipeline.replace_shape(0, Shape::ball(radius).expect("valid")).expect("it exists");
                crowd.frame(0);
            }
        };
        frames(&mut crowd, 400);
        assert_eq!(allocations(|| frames(&mut crowd, 1000)), 0, "allocations in 1000 frames");
    });
}

/// Over 100,000 frames of a small scene in which one body comes and one goes each frame.
fn memory_stays_flat() {
    on_threads(1, || {
        let mut crowd = Crowd::<D2>::new(100, 4.5, &[Kind::Ball, Kind::Capsule, Kind::Box]);
        for _ in 0..1000 {
            crowd.frame(1);
        }
        let region = Region::new(ALLOCATOR);
        for _ in 0..100_000 {
            crowd.frame(1);
        }
        let change = region.change();
        // A frame with more contacts than any before may still allocate, now and then. (Reallocated bytes are counted
        // among the allocated ones too.)
        let growth = change.bytes_allocated as i64 - change.bytes_deallocated as i64;
        assert!(growth <= 32 << 10, "{growth} bytes more after 100,000 frames");
        assert!(change.allocations + change.reallocations < 20, "{change:?}");
    });
}

fn engines_keep_their_memory() {
    for threads in [1, 2] {
        on_threads(threads, || {
            let crowd = Crowd::<D2>::new(5000, 30.0, &[Kind::Ball, Kind::Box]);
            let bodies = crowd.pipeline.columns().expect("good");
            let (mut engine, mut rows) = (Engine::<D2>::new(), Vec::<Proximity<D2, f32>>::new());
            let mut around = PeriodicEngine::<D2>::new(Lattice::orthogonal([60.0; 2]).expect("good"));
            let (mut shifted, mut pairs, mut near) = (Vec::new(), Vec::new(), Vec::new());
            let mut ask = |times| {
                for _ in 0..times {
                    around.contacts(&bodies, 0.2, &mut shifted).expect("good");
                    around.count_contacts(&bodies, 0.2).expect("good");
                    around.pairs(&bodies, 0.2, &mut pairs).expect("good");
                    around.count_pairs(&bodies, 0.2).expect("good");
                    around.near_pairs(&bodies, 0.2, &mut pairs).expect("good");
                    around
                        .visit_contacts(&bodies, 0.2, |rows| assert!(rows.iter().all(|near| near.row.a <= near.row.b)))
                        .expect("good");
                    engine.near_pairs(&bodies, 0.2, &mut near).expect("good");
                    engine.contacts(&bodies, 0.2, &mut rows).expect("good");
                    engine
                        .visit_contacts(&bodies, 0.2, |rows| assert!(rows.iter().all(|row| row.a < row.b)))
                        .expect("good");
                    engine.count_contacts(&bodies, 0.2).expect("good");
                }
            };
            ask(20);
            let (count, most) = settled(threads, || ask(100));
            assert!(count <= most, "{count} allocations in 100 queries of each kind on {threads} threads");
        });
    }
}

/// Pairs of all kinds, many of which overlap or touch, so that depths and `f64` need their memory too.
fn named_pairs_are_answered_from_memory() {
    let kinds = [Kind::Ball, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Cone, Kind::Hull];
    let moves = draw_moves::<D3>(&kinds, 3000, &mut Random::new(9));
    let bodies = moves.columns();
    for threads in [1, 2] {
        on_threads(threads, || {
            let mut narrowphase = Narrowphase::<D3>::new();
            let (mut rows, mut sides, mut casts) = (Vec::new(), Vec::new(), Vec::new());
            let mut ask = |times| {
                for count in (0..times).flat_map(|_| [3000, 1, 70]) {
                    let pairs = &moves.pairs[..count];
                    narrowphase.distance(&bodies, pairs, &mut rows).expect("good pairs");
                    narrowphase.within(&bodies, pairs, 0.1, &mut sides).expect("a good limit");
                    narrowphase.cast(&bodies, pairs, moves.motion, &mut casts).expect("a good motion");
                }
            };
            ask(5);
            let (count, most) = settled(threads, || ask(20));
            assert!(count <= most, "{count} allocations in 60 batches of each question on {threads} threads");
        });
    }
}

/// Queries by one body and by many, near and far, at rest and moving.
fn and_so_are_queries_of_a_scene() {
    let mut random = Random::new(3);
    let scene = Layout::Even.draw::<D3>(3000, &mut random);
    let asking = [1, 5, 400].map(|count| {
        let at_rest = Layout::Even.draw::<D3>(count, &mut random);
        let velocities: Vec<[f64; 3]> = (0..count).map(|_| [0; 3].map(|_| random.range(-9.0, 9.0))).collect();
        (at_rest, velocities)
    });
    // The same bodies, the same moved a little, and others.
    let mut scenes = [&scene, &scene, &scene, &Layout::Even.draw::<D3>(3000, &mut random)].map(Clone::clone);
    for body in 0..scene.len() {
        let Body { position: [x, y, z], .. } = scene.get(body);
        scenes[1].set(body, Body { position: [x + 0.01, y, z], ..scene.get(body) }).expect("good");
    }
    for threads in [1, 2] {
        on_threads(threads, || {
            let mut index = SceneIndex::<D3>::new(&scene.columns()).expect("good");
            let (mut rows, mut hits, mut neighbours) = (Vec::new(), Vec::new(), Neighbours::default());
            let mut ask = |times| {
                for (scene, (asking, velocities)) in scenes.iter().cycle().zip((0..times).flat_map(|_| &asking)) {
                    index.update(&scene.columns()).expect("good");
                    index.contacts(&asking.columns(), 0.1, &mut rows).expect("a good margin");
                    let moving = asking.columns().with_velocities(velocities).expect("good");
                    index.cast(&moving, Motion::lasting(1.0), &mut hits).expect("a good motion");
                    index.nearest(&asking.columns(), 4, &mut neighbours).expect("few enough");
                    let (others, from) = (|a, b| a != b, asking.columns().positions()[0]);
                    index.contacts_where(&asking.columns(), 0.1, &others, &mut rows).expect("a good margin");
                    index.cast_where(&moving, Motion::lasting(1.0), &others, &mut hits).expect("a good motion");
                    index.nearest_where(&asking.columns(), 4, &others, &mut neighbours).expect("few enough");
                    index.ray(from, [9.0, 1.0, 0.0]).expect("good numbers");
                    index.ray_where(from, [9.0, 1.0, 0.0], &|b| b % 2 == 0).expect("good numbers");
                    index.rays(&[[from, [9.0, 1.0, 0.0]]; 20], &mut hits).expect("good numbers");
                }
            };
            ask(5);
            let (count, most) = settled(threads, || ask(20));
            assert!(count <= most, "{count} allocations in 60 batches of each question on {threads} threads");
        });
    }
}
