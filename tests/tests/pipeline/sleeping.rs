//! Which bodies sleep, and what wakes them.

use jostle::{Body, D2, Handle, Lattice, Phase, Pipeline, PipelineError, Pose, Shape};

/// Discs in a row, each touching the next.
fn row(count: usize) -> (Pipeline<D2>, Vec<Handle>) {
    let mut row = Pipeline::<D2>::new();
    let disc = row.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let bodies = (0..count).map(|x| row.insert(Body::new(disc, [0.75 * x as f64, 0.0])).expect("good")).collect();
    (row, bodies)
}

/// Sleep begins at the call, not at the next frame: a move between `sleep` and `update` wakes.
#[test]
fn a_body_that_is_moved_wakes_however_soon() {
    let (mut row, bodies) = row(4);
    row.update().expect("good");
    // All have moved since the last frame before they are put to sleep.
    for position in row.positions_mut() {
        position[1] += 0.25;
    }
    for &body in &bodies {
        row.sleep(body).expect("there");
    }
    row.set_pose(bodies[1], Pose::at([0.8, 0.25])).expect("good");
    row.set_pose(bodies[3], Pose { position: [2.25, 0.25], rotation: [0.5] }).expect("good");
    let frame = row.update().expect("good");
    assert_eq!((frame.woken, row.woken()), (2, &[bodies[1], bodies[3]][..]));
    let asleep: Vec<bool> = bodies.iter().map(|&body| row.is_asleep(body).expect("there")).collect();
    assert_eq!(asleep, [true, false, true, false]);
    // Of several such calls the last one counts.
    row.sleep(bodies[1]).expect("there");
    row.wake(bodies[1]).expect("there");
    row.set_pose(bodies[1], Pose::at([0.7, 0.25])).expect("good");
    row.sleep(bodies[1]).expect("there");
    assert_eq!(row.update().expect("good").woken, 0);
    assert!(row.is_asleep(bodies[1]).expect("there"));
    // A body that is inserted into the slot of one that slept is awake.
    row.sleep(bodies[3]).expect("there");
    let left = row.remove(bodies[3]).expect("there");
    let new = row.insert(Body { position: [2.0, 0.25], ..left }).expect("good");
    assert_eq!(row.update().expect("good").woken, 0);
    assert!(!row.is_asleep(new).expect("there"));
    let frame = row.update().expect("good");
    assert_eq!((frame.woken, row.phases()), (0, &[Phase::Rests, Phase::Rests, Phase::Persists][..]));
}

#[test]
fn a_body_that_is_wrapped_into_the_cell_sleeps_on() {
    let (mut ring, bodies) = row(3);
    ring.set_lattice(Lattice::triclinic(&[[10.0, 0.0], [2.5, 5.0]]).expect("good"));
    ring.update().expect("good");
    for round in 0..4 {
        for &body in &bodies {
            ring.wake(body).expect("there");
            ring.sleep(body).expect("there");
        }
        // Moved directly after the call, or after a frame.
        if round % 2 == 0 {
            ring.update().expect("good");
        }
        let to = [[10.0, 0.0], [0.0, 0.0], [12.5, 5.0], [2.5, 5.0]][round];
        ring.positions_mut()[bodies[1].index()] = [0.75 + to[0], to[1]];
        ring.positions_mut()[bodies[2].index()] = [1.5 + to[0], to[1] + f64::from(round as u32) * 1e-9];
        let frame = ring.update().expect("good");
        let woken: &[Handle] = if round == 0 { &[] } else { &bodies[2..] };
        assert_eq!((frame.woken, ring.woken()), (woken.len(), woken), "round {round}");
        assert!(ring.is_asleep(bodies[1]).expect("there"));
        assert_eq!(ring.contacts().len(), 2);
        ring.positions_mut()[bodies[2].index()] = [1.5 + to[0], to[1]];
        ring.update().expect("good");
    }
}

#[test]
fn bodies_woken_by_a_failed_frame_are_reported_by_the_next() {
    let (mut row, bodies) = row(6);
    row.update().expect("good");
    for &body in &bodies {
        row.sleep(body).expect("there");
    }
    row.update().expect("good");
    row.positions_mut()[2][1] = 5.0;
    row.positions_mut()[4][1] = -5.0;
    row.set_limit(0);
    assert!(matches!(row.update(), Err(PipelineError::TooManyPairs(_))));
    assert!(row.update().is_err());
    row.positions_mut()[0][1] = -7.0;
    row.remove(bodies[4]).expect("there");
    row.set_limit(u64::from(u32::MAX));
    let frame = row.update().expect("good");
    assert_eq!((frame.woken, row.woken()), (2, &[bodies[0], bodies[2]][..]));
    assert_eq!((row.update().expect("good").woken, row.woken()), (0, &[][..]));
}

/// A body that sleeps again by then is not reported, and none is reported twice, however it was woken.
#[test]
fn bodies_woken_by_failed_frames_are_reported_once_and_only_if_awake() {
    let (mut row, bodies) = row(8);
    row.update().expect("good");
    for &body in &bodies {
        row.sleep(body).expect("there");
    }
    row.update().expect("good");
    row.set_limit(0);
    for slot in [1, 4, 6] {
        row.positions_mut()[slot][1] = 5.0 + slot as f64;
    }
    assert!(row.update().is_err());
    // One sleeps again, one does and is moved again, one is moved while it is awake; and one more wakes.
    for slot in [1, 4] {
        row.sleep(bodies[slot]).expect("there");
    }
    row.wake(bodies[0]).expect("there");
    row.sleep(bodies[0]).expect("there");
    for slot in [0, 4, 6] {
        row.positions_mut()[slot][1] += 3.0;
    }
    row.set_limit(u64::from(u32::MAX));
    let frame = row.update().expect("good");
    assert_eq!((frame.woken, row.woken()), (3, &[bodies[0], bodies[4], bodies[6]][..]));
    let asleep: Vec<bool> = bodies.iter().map(|&body| row.is_asleep(body).expect("there")).collect();
    assert_eq!(asleep, [false, true, true, true, false, true, false, true]);
}

/// As a body wakes that is set to another shape.
#[test]
fn bodies_wake_when_their_shape_is_replaced() {
    let (mut row, bodies) = row(3);
    let other = row.add_shape(Shape::ball(0.25).expect("good")).expect("two");
    let apart = row.insert(Body::new(other, [9.0, 0.0])).expect("good");
    for &body in bodies.iter().chain([&apart]) {
        row.sleep(body).expect("there");
    }
    // Asleep for longer than a frame.
    row.update().expect("good");
    row.update().expect("good");
    row.replace_shape(0, Shape::ball(0.5625).expect("good")).expect("it exists");
    row.set_pose(bodies[1], Pose::at([0.75, 0.125])).expect("good");
    let frame = row.update().expect("good");
    // `replace_shape` woke them, not the frame: they did not move while they slept.
    assert_eq!((frame.woken, row.woken()), (0, &[][..]));
    let asleep: Vec<bool> = bodies.iter().map(|&body| row.is_asleep(body).expect("there")).collect();
    assert_eq!((asleep, row.is_asleep(apart)), (vec![false; 3], Ok(true)));
    assert!(row.contacts().iter().all(|contact| contact.distance < -0.25), "{:?}", row.contacts());
}

/// Velocities have no effect without a look-ahead: changes in that time do not count.
#[test]
fn a_look_ahead_that_is_switched_on_wakes_no_body() {
    let (mut row, bodies) = row(3);
    for (velocity, x) in row.velocities_mut().iter_mut().zip(0..) {
        *velocity = [f64::from(x), -1.0];
    }
    for &body in &bodies {
        row.sleep(body).expect("there");
    }
    row.update().expect("good");
    row.update().expect("good");
    // But an invalid velocity is a fault, also of a body that sleeps.
    row.velocities_mut()[2] = [f64::NAN; 2];
    row.set_look_ahead(0.125).expect("good");
    row.update().expect("good");
    assert_eq!(row.faults().iter().map(|fault| fault.body).collect::<Vec<_>>(), [bodies[2]]);
    row.set_look_ahead(0.0).expect("good");
    row.velocities_mut()[2] = [0.0; 2];
    assert_eq!((row.update().expect("good").woken, row.is_asleep(bodies[2])), (0, Ok(true)));
    // The same for a body that was put to sleep in the meantime.
    row.wake(bodies[1]).expect("there");
    row.sleep(bodies[1]).expect("there");
    row.velocities_mut()[1] = [3.0, 4.0];
    row.set_look_ahead(0.125).expect("good");
    assert_eq!((row.update().expect("good").woken, row.is_asleep(bodies[1])), (0, Ok(true)));
    row.set_look_ahead(0.0).expect("good");
    row.update().expect("good");
    for round in 0..2 {
        row.velocities_mut()[1] = [f64::from(round), 2.0];
        row.set_look_ahead(0.125).expect("good");
        assert_eq!(row.update().expect("good").woken, 0);
        // From now on a change of velocity changes how far a body may get: it wakes.
        row.velocities_mut()[0][0] += 1.0;
        assert_eq!((row.update().expect("good").woken, row.woken()), (1, &[bodies[0]][..]));
        row.sleep(bodies[0]).expect("there");
        row.set_look_ahead(0.0).expect("good");
        row.update().expect("good");
    }
}

/// A body put to sleep while its numbers are invalid has moved once they are mended; one that was asleep before has not
/// if it is where it was.
#[test]
fn a_body_wakes_as_its_numbers_are_mended() {
    let (mut row, bodies) = row(4);
    row.update().expect("good");
    let places = row.positions().to_vec();
    row.sleep(bodies[2]).expect("there");
    row.sleep(bodies[3]).expect("there");
    row.update().expect("good");
    row.positions_mut().fill([f64::NAN; 2]);
    assert_eq!(row.update().expect("good").faulty, 4);
    row.sleep(bodies[0]).expect("there");
    row.sleep(bodies[1]).expect("there");
    assert_eq!(row.update().expect("good").faulty, 4);
    row.positions_mut().copy_from_slice(&places);
    row.positions_mut()[1][1] += 0.25;
    row.positions_mut()[3][1] += 0.25;
    let frame = row.update().expect("good");
    assert_eq!((frame.woken, row.woken()), (3, &[bodies[0], bodies[1], bodies[3]][..]));
    let asleep: Vec<bool> = bodies.iter().map(|&body| row.is_asleep(body).expect("there")).collect();
    assert_eq!(asleep, [false, false, true, false]);
    // Mended first and then put to sleep, it sleeps.
    row.positions_mut()[..2].fill([f64::NAN; 2]);
    assert_eq!(row.update().expect("good").faulty, 2);
    row.positions_mut()[0] = [-3.0, 0.0];
    let body = row.get(bodies[2]).expect("there");
    row.set(bodies[1], Body { position: [3.0, 3.0], ..body }).expect("good");
    row.sleep(bodies[0]).expect("there");
    row.sleep(bodies[1]).expect("there");
    assert_eq!(row.update().expect("good").woken, 0);
    assert_eq!((row.is_asleep(bodies[0]), row.is_asleep(bodies[1])), (Ok(true), Ok(true)));
}
