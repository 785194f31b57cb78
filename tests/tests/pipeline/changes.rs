//! Random changes between frames.

use std::collections::BTreeMap;

use jostle::{
    Bodies, Body, D2, D3, Engine, Filters, Lattice, Neighbours, PairError, Phase, Pipeline, Pose, Precision, Shape,
    Skin, between, distance, nearest_between, periodic_contacts,
};
use jostle_tests::{Frames, Ground, Random, Style, bits, nudge};

fn anything_may_happen<S: Ground, T: Precision>(seed: u64, bodies: usize, half_side: f64, frames: usize) {
    anything_may_happen_to(&mut Frames::<S, T>::new(Random::new(seed), 12, bodies, half_side), frames);
}

fn anything_may_happen_to<S: Ground, T: Precision>(world: &mut Frames<S, T>, frames: usize) {
    world.pipeline.set_margin(0.1).expect("good");
    let (mut contacts, mut kept, mut mended, mut rested) = (0, 0, 0, 0);
    for _ in 0..frames {
        world.change();
        let frame = world.frame();
        contacts += frame.contacts;
        kept += usize::from(frame.renewed == 0);
        mended += usize::from(frame.renewed > 0 && frame.renewed * 8 < frame.bodies);
        rested += world.pipeline.phases().iter().filter(|&&phase| phase == Phase::Rests).count();
    }
    // The test had contacts, and lists were kept and mended.
    assert!(
        contacts > frames && kept > frames / 50 && mended > frames / 50 && rested > 0,
        "{contacts} {kept} {mended}"
    );
}

#[test]
fn anything_may_happen_in_the_plane() {
    anything_may_happen::<D2, f32>(1, 60, 6.0, 2500);
    anything_may_happen::<D2, f64>(2, 40, 5.0, 600);
}

#[test]
fn anything_may_happen_in_space() {
    anything_may_happen::<D3, f32>(3, 60, 2.2, 1500);
    anything_may_happen::<D3, f64>(4, 40, 2.0, 300);
}

/// Most boxes overlap, of bodies that are far apart: pairs are ruled out by capsules, those of moved bodies too.
#[test]
fn anything_may_happen_to_needles() {
    const NEEDLES: &[Style] = &[Style::Needle, Style::Needle, Style::Needle, Style::Even];
    let plane = &mut Frames::<D2, f32>::with_styles(NEEDLES, Random::new(5), 12, 80, 4.0);
    anything_may_happen_to(plane, 1000);
    let space = &mut Frames::<D3, f32>::with_styles(NEEDLES, Random::new(6), 12, 100, 1.5);
    anything_may_happen_to(space, 1000);
}

/// A body uses up the room in its box along each axis: along a diagonal it comes farther, and capsules allow for it.
fn rods_come_nearer_along_a_diagonal<S: Ground>(lattice: Lattice<S>) {
    let (mut field, along) = (Pipeline::<S>::new(), S::rotation_of_y(S::array(|_| 1.0)));
    field.set_lattice(lattice);
    field.set_skin(Skin::Fixed(2.0)).expect("good");
    let rod = field.add_shape(Shape::capsule(50.0, 0.5).expect("good")).expect("room");
    let across = |by: f64| S::array(|k| [by, -by, 0.0][k]);
    let [a, b] = [0.0, 2.2].map(|by| field.insert(Body::new(rod, across(by)).with_rotation(along)).expect("good"));
    assert_eq!(field.update().expect("good").contacts, 0);
    for (rod, by) in [(a, 0.9), (b, 1.3)] {
        field.set_pose(rod, Pose { position: across(by), rotation: along }).expect("good");
    }
    let frame = field.update().expect("good");
    // Neither left its box.
    assert_eq!((frame.renewed, frame.contacts), (0, 1));
    assert!((f64::from(field.contacts()[0].distance) - (0.4 * 2.0_f64.sqrt() - 1.0)).abs() < 1e-5);
}

#[test]
fn rods_that_come_nearer_along_a_diagonal_are_found() {
    rods_come_nearer_along_a_diagonal::<D2>(Lattice::default());
    rods_come_nearer_along_a_diagonal::<D3>(Lattice::default());
    rods_come_nearer_along_a_diagonal::<D2>(Lattice::orthogonal([1000.0; 2]).expect("good"));
    rods_come_nearer_along_a_diagonal::<D3>(Lattice::orthogonal([1000.0; 3]).expect("good"));
}

/// With a warm start rows are the same except for rounding; after it is switched off they are again the same to the
/// bit.
fn anything_may_happen_with_a_warm_start<S: Ground, T: Precision>(
    seed: u64,
    bodies: usize,
    half_side: f64,
    frames: usize,
) {
    let mut world = Frames::<S, T>::new(Random::new(seed), 12, bodies, half_side);
    for (warm, frames) in [(true, frames), (false, 10), (true, 10)] {
        world.pipeline.set_warm_start(warm);
        assert_eq!(world.pipeline.warm_start(), warm);
        if frames > 10 {
            anything_may_happen_to(&mut world, frames);
        } else {
            for _ in 0..frames {
                world.change();
                world.frame();
            }
        }
    }
    assert!(world.differing > frames / 10, "{} rows of {frames} frames differ by a warm start", world.differing);
}

#[test]
fn anything_may_happen_with_a_warm_start_in_the_plane() {
    anything_may_happen_with_a_warm_start::<D2, f32>(41, 60, 6.0, 2000);
    anything_may_happen_with_a_warm_start::<D2, f64>(42, 40, 5.0, 600);
}

#[test]
fn anything_may_happen_with_a_warm_start_in_space() {
    anything_may_happen_with_a_warm_start::<D3, f32>(43, 60, 2.2, 1200);
    anything_may_happen_with_a_warm_start::<D3, f64>(44, 40, 2.0, 300);
}

/// Vertices that a warm start keeps for many frames, while two bodies sway against each other, stay exact.
#[test]
fn what_is_kept_for_long_does_not_drift() {
    let mut random = Random::new(45);
    let mut pipeline = Pipeline::<D3>::new();
    pipeline.set_margin(1.0).expect("good");
    let points: Vec<_> = (0..100).map(|_| D3::direction(&mut random)).collect();
    let stone = pipeline.add_shape(Shape::convex(&points).expect("round")).expect("one");
    let rotations = [(); 2].map(|()| D3::any_rotation(&mut random));
    for (x, rotation) in [0.0, 2.3].into_iter().zip(rotations) {
        pipeline.insert(Body::new(stone, [x, 0.0, 0.0]).with_rotation(rotation)).expect("good");
    }
    pipeline.set_warm_start(true);
    let mut differing = 0;
    for frame in 0..100_000 {
        // So little that the same vertices are nearest all the time.
        let sway = 1e-4 * libm::sin(0.37 * f64::from(frame));
        pipeline.positions_mut()[1] = [2.3 + sway, 3.0 * sway, -sway];
        pipeline.rotations_mut()[1] = D3::tilted(rotations[1], sway, &mut random);
        pipeline.update().expect("a good frame");
        if frame % 100 == 99 {
            let [warm] = pipeline.contacts() else { panic!("{frame}: {:?}", pipeline.contacts()) };
            let cold = distance::<f32, _, _>(&pipeline.columns().expect("good"), &[[0, 1]]).expect("good")[0];
            differing += usize::from(bits(warm) != bits(&cold));
            let off = (warm.distance - cold.distance).abs();
            assert!(off <= 1e-6, "{off:e} after {frame} frames");
        }
    }
    assert!(differing > 0, "no row differs by a warm start");
}

/// A contact and its data last while the steps of a body are shorter than to any image, however far vectors lean in
/// comparison with their length along their own axes.
fn small_steps_wrap_no_body<S: Ground>(vectors: &[S::Array<f64>], step: S::Array<f64>) {
    let lattice = Lattice::<S>::triclinic(vectors).expect("good");
    assert_eq!(lattice.nearest_image(step), Ok([0; 3]));
    let mut pipeline = Pipeline::<S, f64, u32>::new();
    pipeline.set_lattice(lattice);
    pipeline.set_margin(0.5).expect("good");
    let ball = pipeline.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let walker = pipeline.insert(Body::new(ball, S::array(|_| 0.0))).expect("good");
    pipeline.insert(Body::new(ball, S::array(|k| if k == 0 { 1.0 } else { 0.0 }))).expect("good");
    pipeline.update().expect("a good frame");
    pipeline.data_mut()[0] = 7;
    for sign in [1.0, -1.0, -1.0, 1.0] {
        let position = &mut pipeline.positions_mut()[walker.index()];
        *position = S::array(|k| position[k] + sign * step[k]);
        pipeline.update().expect("a good frame");
        assert_eq!(pipeline.phases(), [Phase::Persists], "{vectors:?}");
        assert_eq!(pipeline.data_mut(), [7], "{vectors:?}");
        // Moved by whole vectors and back: the contact persists.
        let shift = lattice.shift([1, -1, 1]);
        let position = &mut pipeline.positions_mut()[walker.index()];
        *position = S::array(|k| position[k] + shift[k]);
        pipeline.update().expect("a good frame");
        assert_eq!(pipeline.phases(), [Phase::Persists], "{vectors:?}");
        assert_eq!(pipeline.data_mut(), [7], "{vectors:?}");
        let position = &mut pipeline.positions_mut()[walker.index()];
        *position = S::array(|k| position[k] - shift[k]);
        pipeline.update().expect("a good frame");
    }
}

#[test]
fn small_steps_are_steps_where_vectors_lean() {
    small_steps_wrap_no_body::<D2>(&[[0.0; 2], [5.0, 0.8]], [0.0, 0.45]);
    small_steps_wrap_no_body::<D3>(&[[6.0, 0.0, 0.0], [0.0; 3], [0.0, 5.0, 0.8]], [0.0, 0.0, 0.45]);
    small_steps_wrap_no_body::<D3>(&[[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [3.0, 3.0, 0.8]], [0.0, 0.0, 0.45]);
}

/// A pair that is first an image and then two bodies of the cell takes no warm start from the pair that had its place
/// in the list before.
#[test]
fn no_warm_start_is_taken_from_another_pair_as_bodies_are_wrapped() {
    let mut random = Random::new(46);
    let lattice = Lattice::orthogonal([4.0; 3]).expect("good");
    let mut pipeline = Pipeline::<D3>::new();
    pipeline.set_lattice(lattice);
    pipeline.set_margin(0.3).expect("good");
    pipeline.set_warm_start(true);
    for _ in 0..40 {
        let size = random.range(0.2, 0.7);
        let points: Vec<_> = (0..60).map(|_| D3::direction(&mut random).map(|x| x * size)).collect();
        let stone = pipeline.add_shape(Shape::convex(&points).expect("round")).expect("a few");
        let place = [(); 3].map(|()| random.range(0.0, 4.0));
        pipeline.insert(Body::new(stone, place)).expect("good");
    }
    let mut held = 0;
    for frame in 0..150 {
        for position in pipeline.positions_mut() {
            let shift = if random.chance(0.2) { lattice.shift([random.below(3) as i32 - 1, 0, 0]) } else { [0.0; 3] };
            *position = core::array::from_fn(|k| position[k] + shift[k] + random.range(-0.01, 0.01));
        }
        pipeline.update().expect("a good frame");
        let cold =
            periodic_contacts::<f32, _, _>(&pipeline.columns().expect("good"), &lattice, 0.3, u64::MAX).expect("good");
        let mut cold: BTreeMap<_, _> =
            cold.iter().map(|found| ((found.row.a, found.row.b, found.image), found.row)).collect();
        for (row, image) in pipeline.contacts().iter().zip(pipeline.images()) {
            if let Some(cold) = cold.remove(&(row.a, row.b, *image)) {
                let off = (row.distance - cold.distance).abs();
                assert!(off <= 1e-5, "{off:e} in frame {frame}: {row:?} {cold:?}");
                held += 1;
            } else {
                assert!((row.distance - 0.3).abs() < 1e-5, "{row:?}");
            }
        }
        for row in cold.values() {
            assert!((row.distance - 0.3).abs() < 1e-5, "missing in frame {frame}: {row:?}");
        }
    }
    assert!(held > 150 * 40, "{held} rows");
}

/// The same where space repeats, with all kinds of lattices, one after the other: contacts persist as the lattice
/// changes, and those of images end when it is removed.
fn anything_may_happen_around<S: Ground, T: Precision>(
    seed: u64,
    bodies: usize,
    half_side: f64,
    frames: usize,
    warm: bool,
) {
    let mut world = Frames::<S, T>::new(Random::new(seed), 12, bodies, half_side);
    world.pipeline.set_warm_start(warm);
    world.pipeline.set_margin(0.1).expect("good");
    let side = 2.0 * half_side;
    let lattices = [
        Lattice::orthogonal(S::array(|_| side)),
        Lattice::orthogonal(S::array(|_| side)).map(Lattice::with_self_images),
        Lattice::orthogonal(S::array(|k| if k == 0 { side } else { 0.0 })),
        Lattice::orthogonal(S::array(|k| if k == 0 { 0.0 } else { 0.9 * side })),
        // Shorter than some bodies.
        Lattice::orthogonal(S::array(|k| if k == 0 { 0.7 } else { side })).map(Lattice::with_self_images),
        Lattice::triclinic(
            &[
                S::array(|k| [1.1 * side, 0.0, 0.0][k]),
                S::array(|k| [0.4 * side, side, 0.0][k]),
                S::array(|k| [-0.3 * side, 0.2 * side, side][k]),
            ][..S::DIMENSION],
        ),
        Ok(Lattice::default()),
    ];
    let lattices = lattices.map(|lattice| lattice.expect("a good lattice"));
    let (mut contacts, mut far, mut kept, mut rested) = (0, 0, 0, 0);
    for frame in 0..frames {
        if frame % 40 == 0 {
            world.pipeline.set_lattice(lattices[frame / 40 % lattices.len()]);
        }
        world.change();
        let frame = world.frame();
        contacts += frame.contacts;
        far += world.pipeline.images().iter().filter(|image| **image != [0; 3]).count();
        kept += usize::from(frame.renewed == 0);
        rested += world.pipeline.phases().iter().filter(|&&phase| phase == Phase::Rests).count();
    }
    assert!(contacts > frames && far > frames && kept > frames / 50 && rested > 0, "{contacts} {far} {kept} {rested}");
}

#[test]
fn anything_may_happen_where_the_plane_repeats() {
    anything_may_happen_around::<D2, f32>(31, 40, 5.0, 1400, false);
    anything_may_happen_around::<D2, f64>(32, 30, 4.0, 420, false);
    anything_may_happen_around::<D2, f32>(35, 40, 5.0, 560, true);
}

#[test]
fn anything_may_happen_where_space_repeats() {
    anything_may_happen_around::<D3, f32>(33, 40, 2.0, 840, false);
    anything_may_happen_around::<D3, f64>(34, 30, 1.8, 280, false);
    anything_may_happen_around::<D3, f32>(36, 40, 2.0, 280, true);
}

/// Each body moves in its own direction, turning, and is reflected at the borders: lists last for a few frames, and
/// pairs that were far apart when listed meet before the list ends.
fn bodies_move_in_all_directions<S: Ground>(seed: u64, bodies: usize, half_side: f64, frames: usize) {
    for skin in [Skin::Auto, Skin::Fixed(0.02), Skin::Fixed(0.1), Skin::Fixed(0.6)] {
        let kept = kept_lists::<S>(seed, (bodies, half_side), frames, skin, |random| random.range(-0.01, 0.01));
        assert!(kept > frames / 20 || skin == Skin::Fixed(0.02), "{kept} of {frames} lists kept with {skin:?}");
    }
}

/// The number of frames that keep the list if velocities have such components.
fn kept_lists<S: Ground>(
    seed: u64,
    (bodies, half_side): (usize, f64),
    frames: usize,
    skin: Skin,
    speed: impl Fn(&mut Random) -> f64,
) -> usize {
    let mut world = Frames::<S, f32>::new(Random::new(seed), 12, bodies, half_side);
    world.pipeline.set_margin(0.02).expect("good");
    world.pipeline.set_skin(skin).expect("good");
    let mut kept = 0;
    for frame in 0..frames {
        for &handle in &world.handles {
            let (at, random) = (handle.index(), &mut world.random);
            if frame == 0 {
                world.pipeline.velocities_mut()[at] = S::array(|_| speed(random));
            }
            let velocity = world.pipeline.velocities()[at];
            let position = world.pipeline.positions()[at];
            let out = |k: usize| position[k].abs() > half_side && position[k] * velocity[k] > 0.0;
            let velocity = S::array(|k| if out(k) { -velocity[k] } else { velocity[k] });
            world.pipeline.velocities_mut()[at] = velocity;
            world.pipeline.positions_mut()[at] = S::array(|k| position[k] + velocity[k]);
            let turned = &mut world.pipeline.rotations_mut()[at];
            *turned = nudge::<S>(*turned, 0.01, random);
        }
        kept += usize::from(world.frame().renewed == 0);
    }
    kept
}

#[test]
fn no_pair_is_missed_while_lists_are_kept() {
    bodies_move_in_all_directions::<D2>(21, 150, 8.0, 400);
    bodies_move_in_all_directions::<D3>(22, 150, 3.0, 250);
}

/// One body in twenty is fast: its skin is doubled, and its pairs wait less.
#[test]
fn no_pair_of_a_fast_body_is_missed() {
    fn speed(random: &mut Random) -> f64 {
        let fastest = if random.range(0.0, 1.0) < 0.05 { 0.15 } else { 0.005 };
        random.range(-fastest, fastest)
    }
    for seed in 41..44 {
        let in_the_plane = kept_lists::<D2>(seed, (150, 8.0), 400, Skin::Auto, speed);
        let in_space = kept_lists::<D3>(seed, (150, 3.0), 250, Skin::Auto, speed);
        assert!(in_the_plane > 100 && in_space > 50, "{in_the_plane} of 400 and {in_space} of 250 lists are kept");
    }
}

#[test]
fn neighbours_are_the_nearest_of_all() {
    let mut world = Frames::<D2, f32>::new(Random::new(11), 12, 80, 5.0);
    world.pipeline.set_margin(1.5).expect("good");
    let (mut neighbours, mut held) = (Neighbours::default(), 0);
    for _ in 0..40 {
        world.change();
        world.pipeline.set_look_ahead(0.0).expect("good");
        world.pipeline.set_margin(1.5).expect("good");
        world.pipeline.update().expect("good");
        let (radius, most) = (world.random.range(0.0, 1.5), world.random.below(6));
        world.pipeline.neighbours(radius, most, &mut neighbours).expect("within the margin");
        for slot in 0..world.pipeline.slots() {
            let agent = world.pipeline.handle_at(slot as u32).filter(|&h| !world.pipeline.get(h).expect("live").fixed);
            let mut near: Vec<(f32, u32)> = world
                .pipeline
                .contacts()
                .iter()
                .filter(|row| f64::from(row.distance) <= radius && agent.is_some())
                .filter_map(|row| match slot as u32 {
                    slot if slot == row.a => Some((row.distance, row.b)),
                    slot if slot == row.b => Some((row.distance, row.a)),
                    _ => None,
                })
                .collect();
            near.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
            near.truncate(most);
            let found: Vec<(f32, u32)> = neighbours.of(slot).iter().map(|n| (n.distance, n.body)).collect();
            assert_eq!(found, near);
            held += found.len();
        }
    }
    assert!(held > 40 * 40, "{held} neighbours");
    assert!(neighbours.of(1_000_000).is_empty());
}

#[test]
fn neighbours_across_borders_come_with_their_image() {
    let mut world = Frames::<D2, f64>::new(Random::new(12), 12, 40, 4.0);
    world.pipeline.set_lattice(Lattice::orthogonal([5.0, 6.0]).expect("good").with_self_images());
    world.pipeline.set_margin(1.0).expect("good");
    world.pipeline.update().expect("good");
    let mut neighbours = Neighbours::default();
    world.pipeline.neighbours(1.0, usize::MAX, &mut neighbours).expect("within the margin");
    let (mut expected, mut told) = (Vec::new(), Vec::new());
    for (row, image) in world.pipeline.contacts().iter().zip(world.pipeline.images()) {
        for (agent, other, image) in [(row.a, row.b, *image), (row.b, row.a, image.map(|k| -k))] {
            let handle = world.pipeline.handle_at(agent).expect("live");
            if !world.pipeline.get(handle).expect("live").fixed {
                expected.push((agent, other, image));
            }
        }
    }
    for slot in 0..world.pipeline.slots() {
        for near in neighbours.of(slot) {
            told.push((slot as u32, near.body, near.image));
            // The point is on the image, relative to the agent's own position.
            let apart: f64 = (0..2).map(|k| (near.point[k] - near.own_point[k]) * near.direction[k]).sum();
            assert!((apart - near.distance).abs() < 1e-9, "{near:?}");
        }
    }
    expected.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, expected);
    assert!(told.iter().any(|(.., image)| *image != [0; 3]));
    // Another lattice applies from the next frame on: the neighbours are still those of the last one.
    let all = |of: &Neighbours<D2, f64>| (0..40).flat_map(|slot| of.of(slot).to_vec()).collect::<Vec<_>>();
    let before = all(&neighbours);
    world.pipeline.set_lattice(Lattice::orthogonal([50.0, 0.0]).expect("good"));
    world.pipeline.neighbours(1.0, usize::MAX, &mut neighbours).expect("within the margin");
    assert_eq!(all(&neighbours), before);
}

/// Queries of a pipeline's columns find what the pipeline finds: a body that was removed meets no other.
#[test]
fn columns_leave_out_removed_bodies() {
    let mut random = Random::new(8);
    let mut hall = Pipeline::<D2, f64>::new();
    hall.set_margin(0.25).expect("good");
    let shapes =
        [Shape::ball(0.5), Shape::cuboid([0.5, 0.25])].map(|shape| hall.add_shape(shape.expect("good")).expect("few"));
    let (mut there, mut seen_free) = (Vec::new(), 0);
    for frame in 0..40 {
        for _ in 0..20 {
            let place = [0, 1].map(|_| 8.0 * random.unit());
            there.push(hall.insert(Body::new(shapes[there.len() % 2], place)).expect("good"));
        }
        for _ in 0..15 {
            let leaves = (there.len() as f64 * random.unit()) as usize;
            hall.remove(there.swap_remove(leaves)).expect("there");
        }
        // A user may write anything to free slots, also coordinates at the limit.
        for slot in (0..hall.slots()).filter(|slot| frame % 3 == 1 && slot % 2 == 0) {
            if hall.handle_at(slot as u32).is_none() {
                hall.positions_mut()[slot] = [-1e15, 1e15];
                hall.velocities_mut()[slot] = [1e15, 0.0];
            }
        }
        for slot in (0..hall.slots()).filter(|slot| frame % 3 == 0 && slot % 2 == 0) {
            if hall.handle_at(slot as u32).is_none() {
                hall.positions_mut()[slot] = [f64::NAN, 1e300];
                hall.velocities_mut()[slot] = [f64::INFINITY; 2];
            }
        }
        hall.update().expect("good");
        let columns = hall.columns().expect("good");
        let mut rows = Vec::new();
        Engine::<D2, f64>::new().contacts(&columns, 0.25, &mut rows).expect("good");
        assert_eq!(rows, hall.contacts(), "frame {frame}");
        // Naming a free slot is refused.
        let free = (0..hall.slots()).find(|&slot| hall.handle_at(slot as u32).is_none());
        if let Some(slot) = free {
            let pair = [slot as u32, there[0].index() as u32];
            let refused = distance::<f64, _, _>(&columns, &[pair, [pair[1], pair[0]]]).expect_err("no body is there");
            assert_eq!(refused, PairError::AbsentBody { index: 0, body: pair[0] });
            seen_free += 1;
        }

        // Queries from another set leave them out as well.
        let mut probe = Bodies::new();
        let disc = probe.add_shape(Shape::ball(0.75).expect("good")).expect("few");
        probe.push(Body::new(disc, [4.0, 4.0])).expect("good");
        let near = between::<f64, _, _>(&probe.columns(), &columns, 1.0, u64::MAX).expect("good");
        assert!(near.iter().all(|row| hall.handle_at(row.b).is_some()));
        let mut neighbours = Neighbours::<D2, f64>::default();
        nearest_between(&probe.columns(), &columns, 1000, &mut neighbours).expect("good");
        assert_eq!(neighbours.of(0).len(), hall.len());
        // So do queries with other filters.
        let mask = vec![u32::MAX; columns.len()];
        let masked = columns.with_filters(Filters { mask: &mask, ..Filters::default() }).expect("as long");
        let mut again = Neighbours::<D2, f64>::default();
        nearest_between(&probe.columns(), &masked, 1000, &mut again).expect("good");
        assert_eq!(again.of(0), neighbours.of(0));
        let nearest = neighbours.of(0)[0];
        assert!(
            near.iter().any(|row| row.b == nearest.body && row.distance == nearest.distance) || nearest.distance > 1.0
        );
    }
    assert!(seen_free > 20, "{seen_free}");
}

/// Where all shapes are balls another code path is taken: one shape switches it on and off.
#[test]
fn balls_have_the_same_rows_beside_other_shapes() {
    let mut random = Random::new(3);
    let mut pipeline = Pipeline::<D3>::new();
    pipeline.set_margin(0.1).expect("good");
    let shapes = [0.5, 0.3].map(|radius| pipeline.add_shape(Shape::ball(radius).expect("valid")).expect("a few"));
    for _ in 0..300 {
        let place = [0; 3].map(|_| random.range(-3.0, 3.0));
        pipeline
            .insert(Body::new(random.pick(&shapes), place).with_rotation(D3::any_rotation(&mut random)))
            .expect("good");
    }
    for frame in 0..24 {
        let other = if frame % 6 < 3 { Shape::ball(0.3) } else { Shape::cuboid([0.2; 3]) };
        pipeline.replace_shape(shapes[1], other.expect("valid")).expect("it exists");
        for position in pipeline.positions_mut() {
            *position = position.map(|x| x + random.range(-0.05, 0.05));
        }
        pipeline.update().expect("a good frame");
        assert!(pipeline.contacts().len() > 300);
        for row in pipeline.contacts() {
            // A single pair is solved by its shapes.
            let alone =
                distance::<f32, _, _>(&pipeline.columns().expect("good"), &[[row.a, row.b]]).expect("they exist");
            assert_eq!(bits(row), bits(&alone[0]), "frame {frame}: {row:?}");
        }
    }
}
