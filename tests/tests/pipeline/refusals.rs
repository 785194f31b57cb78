//! Errors name what is wrong, and the pipeline stays usable.

use jostle::{
    Body, BodyError, D2, D3, Event, Handle, Lattice, Neighbours, Pipeline, PipelineError, Pose, Problem, Shape, Skin,
    distance,
};
use jostle_tests::Random;

#[test]
fn an_invalid_body_is_named_and_left_out() {
    let mut row = Pipeline::<D2>::new();
    let disc = row.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let bodies: Vec<Handle> =
        (0..5).map(|x| row.insert(Body::new(disc, [0.75 * f64::from(x), 0.0])).expect("good")).collect();
    let frame = row.update().expect("good");
    assert_eq!((frame.contacts, frame.faulty), (4, 0));
    row.positions_mut()[bodies[2].index()][1] = f64::NAN;
    for _ in 0..3 {
        let frame = row.update().expect("the rest goes on");
        assert_eq!((frame.contacts, frame.faulty), (2, 1));
        assert_eq!(row.faults()[0].body, bodies[2]);
        assert!(matches!(row.faults()[0].problem, Problem::Position { axis: 1, .. }));
    }
    row.positions_mut()[bodies[2].index()][1] = 0.0;
    let frame = row.update().expect("good");
    assert_eq!((frame.contacts, frame.began, frame.faulty), (4, 2, 0));
}

/// Without a look-ahead velocities may be anything; no pair is missed because of them.
#[test]
fn velocities_matter_to_the_look_ahead_alone() {
    for broken in [f64::NAN, f64::INFINITY, 1e300] {
        for lattice in [Lattice::default(), Lattice::orthogonal([1000.0, 0.0]).expect("good")] {
            let mut row = Pipeline::<D2>::new();
            row.set_lattice(lattice);
            let disc = row.add_shape(Shape::ball(0.5).expect("good")).expect("one");
            for x in 0..200 {
                row.insert(Body::new(disc, [3.0 * f64::from(x), 0.0])).expect("good");
            }
            for frame in 1..=50 {
                row.velocities_mut().fill([broken, 0.0]);
                row.positions_mut().iter_mut().step_by(2).for_each(|at| at[0] += 0.046_875);
                let told = row.update().expect("good");
                let gap = 2.0 - 0.046_875 * f64::from(frame);
                assert_eq!((told.faulty, told.contacts), (0, if gap <= 0.0 { 100 } else { 0 }), "{broken}, {frame}");
            }
            row.set_look_ahead(0.1).expect("good");
            let told = row.update().expect("all bodies are left out");
            assert_eq!((told.faulty, told.contacts), (200, 0));
        }
    }
}

/// Frames leave out bodies with invalid numbers; columns for other queries, which would use them, are refused.
#[test]
fn columns_with_invalid_bodies_are_refused() {
    let mut row = Pipeline::<D3>::new();
    let cube = row.add_shape(Shape::cuboid([0.5; 3]).expect("good")).expect("one");
    let bodies: Vec<Handle> =
        (0..4).map(|x| row.insert(Body::new(cube, [3.0 * f64::from(x), 0.0, 0.0])).expect("good")).collect();
    let whole = row.clone();
    for broken in [f64::NAN, f64::INFINITY, -1e16] {
        for column in 0..3 {
            let (mut row, slot) = (whole.clone(), bodies[1].index());
            match column {
                0 => row.positions_mut()[slot][2] = broken,
                1 => row.velocities_mut()[slot][2] = broken,
                _ => row.rotations_mut()[slot][2] = broken,
            }
            let refused = row.columns().expect_err("a number is broken");
            let PipelineError::Columns(BodyError::Body { body, problem }) = refused else { panic!("{refused}") };
            let right = match column {
                0 => matches!(problem, Problem::Position { axis: 2, .. }),
                1 => matches!(problem, Problem::Velocity { axis: 2, .. }),
                _ => matches!(problem, Problem::Norm(_)),
            };
            assert!(body == slot && right, "{body}: {problem}");
            // When the body is removed, its numbers go with it.
            row.remove(bodies[1]).expect("there");
            assert_eq!(row.columns().expect("all is well").len(), 4);
            row.insert(Body::new(cube, [3.0, 0.0, 0.0])).expect("good");
            assert!(distance::<f32, _, _>(&row.columns().expect("all is well"), &[[0, 1]]).is_ok());
        }
    }
}

#[test]
fn refusals_name_what_they_refuse_and_change_nothing() {
    let mut two = Pipeline::<D2>::new();
    let disc = two.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let [a, b] = [0.0, 0.75].map(|x| two.insert(Body::new(disc, [x, 0.0])).expect("good"));
    two.update().expect("good");
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e16] {
        assert!(matches!(two.set_margin(bad), Err(PipelineError::Margin(_))));
        assert!(matches!(two.set_skin(Skin::Fixed(bad)), Err(PipelineError::Skin(_))));
        assert!(matches!(two.set_look_ahead(bad), Err(PipelineError::LookAhead(_))));
    }
    assert_eq!(
        two.set_margin(-1.0).unwrap_err().to_string(),
        "the margin is -1, which is not a finite number between 0 and 1e15"
    );
    assert!(matches!(two.insert(Body::new(7, [0.0; 2])), Err(PipelineError::MissingShape(7))));
    assert!(matches!(two.insert(Body::new(disc, [f64::NAN; 2])), Err(PipelineError::Body(_))));
    // A body that is there already is named.
    let reason = Box::new(PipelineError::MissingShape(7));
    assert_eq!(two.set(b, Body::new(7, [0.0; 2])), Err(PipelineError::Refused { body: b, reason }));
    let broken = two.set(b, Body::new(disc, [0.0, f64::INFINITY])).unwrap_err();
    let told = "body 1v0: position[1] is inf, which is not a finite number within 1e15";
    assert_eq!((broken.to_string().as_str(), two.set_pose(b, Pose::at([0.0, f64::INFINITY]))), (told, Err(broken)));
    let short = two.set_positions(&[[0.0; 2]]).unwrap_err();
    assert_eq!(short, PipelineError::Length { column: "position", found: 1, expected: 2 });
    assert!(matches!(two.set_rotations(&[[0.0]; 3]), Err(PipelineError::Length { column: "rotation", .. })));
    assert!(matches!(two.set_velocities(&[]), Err(PipelineError::Length { column: "velocity", .. })));
    let shape = two.remove_shape(disc).unwrap_err();
    assert_eq!(shape.to_string(), "shape 0 is in use by 2 bodies");
    let early = two.neighbours(0.5, 3, &mut Neighbours::default()).unwrap_err();
    assert_eq!(early, PipelineError::Radius { radius: 0.5, margin: 0.0 });
    let told = "neighbours within 0.5 are not all known: there was no update yet, or its margin was 0";
    assert_eq!(early.to_string(), told);
    two.remove(a).expect("it is there");
    for result in [two.get(a).err(), two.remove(a).err(), two.sleep(a).err(), two.set_pose(a, Pose::at([0.0; 2])).err()]
    {
        assert_eq!(result, Some(PipelineError::Stale(a)));
    }
    assert_eq!(
        PipelineError::Stale(a).to_string(),
        "the handle 0v0 is stale: its body was removed, or never was in this pipeline"
    );
    let c = two.insert(Body::new(disc, [0.25, 0.0])).expect("good");
    assert_eq!((c.index(), two.contains(a)), (a.index(), false));
    two.update().expect("good");
    // The slot changed hands: one contact ended and another began.
    assert_eq!(two.events(), [Event::Ended([a, b]), Event::Began([c, b])]);
}

/// Handles can be stored as numbers; numbers that belong to no body are stale.
#[test]
fn handles_are_numbers_too() {
    let mut hall = Pipeline::<D2>::new();
    let disc = hall.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let crowd = hall.insert_many(&[Body::new(disc, [0.0; 2]); 5]).expect("good");
    hall.remove(crowd[3]).expect("there");
    let next = hall.insert(Body::new(disc, [1.0; 2])).expect("good");
    hall.remove(crowd[4]).expect("there");
    for &handle in crowd.iter().chain([&next]) {
        assert_eq!(Handle::from_bits(handle.to_bits()), handle);
    }
    assert_eq!(next.to_bits(), (1 << 32) + 3);
    // Slots that do not exist; a free slot with the generation of its last body and of the next one; and a slot in use
    // with the generation of its next body.
    for bits in [5, u64::MAX, u64::from(u32::MAX), 4, (1 << 32) + 4, 1 << 32] {
        let stale = Handle::from_bits(bits);
        assert!(!hall.contains(stale), "{stale}");
        assert_eq!(hall.get(stale), Err(PipelineError::Stale(stale)));
        assert_eq!(hall.remove(stale), Err(PipelineError::Stale(stale)));
        assert_eq!(hall.place(&[stale], &[[0.0; 2]]), Err(PipelineError::Stale(stale)));
    }
    assert_eq!(hall.len(), 4);
}

#[test]
fn too_many_pairs_are_an_error_and_then_all_goes_on() {
    let mut heap = Pipeline::<D2, f32, u64>::new();
    let disc = heap.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let handles: Vec<Handle> = (0..100).map(|_| heap.insert(Body::new(disc, [0.0; 2])).expect("good")).collect();
    heap.set_limit(1000);
    assert!(matches!(heap.update(), Err(PipelineError::TooManyPairs(_))));
    assert!(heap.contacts().is_empty());
    for handle in &handles[20..] {
        heap.remove(*handle).expect("it is there");
    }
    assert_eq!(heap.update().expect("few enough").contacts, 190);
    heap.data_mut().fill(5);
    let more: Vec<Handle> = (0..60).map(|_| heap.insert(Body::new(disc, [0.1, 0.0])).expect("good")).collect();
    heap.positions_mut()[0] = [0.3, 0.0];
    assert!(heap.update().is_err());
    assert_eq!(heap.contacts().len(), 190); // those of the last good frame
    for handle in more {
        heap.remove(handle).expect("it is there");
    }
    let frame = heap.update().expect("few enough");
    assert_eq!((frame.contacts, frame.began, frame.ended), (190, 0, 0));
    assert!(heap.data().iter().all(|&data| data == 5));
    assert_eq!(heap.contacts()[0].distance, -0.7);
}

/// A skin that makes too many pairs does not influence the choice of the next one.
#[test]
fn a_skin_that_was_too_thick_is_forgotten() {
    let mut field = Pipeline::<D2>::new();
    let disc = field.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    for i in 0..100 {
        field.insert(Body::new(disc, [f64::from(i % 10) * 2.0, f64::from(i / 10) * 2.0])).expect("good");
    }
    for lattice in [Lattice::default(), Lattice::orthogonal([20.0; 2]).expect("good")] {
        field.set_lattice(lattice);
        field.set_limit(1000);
        field.set_skin(Skin::Auto).expect("good");
        assert_eq!(field.update().expect("few").candidates, 0);
        field.set_skin(Skin::Fixed(1e4)).expect("good");
        field.update().expect_err("too many");
        field.update().expect_err("still too many");
        field.set_skin(Skin::Auto).expect("good");
        let copy = field.clone();
        assert_eq!(field.update().expect("few").candidates, 0);
        // Nor does it if bodies move first.
        let mut other = copy;
        for place in other.positions_mut() {
            place[0] += 0.01;
        }
        assert_eq!(other.update().expect("few").candidates, 0);
    }
}

/// A copy chooses the same skins as the original, also where space repeats.
#[test]
fn a_copy_has_the_same_skins() {
    let (mut random, mut gas) = (Random::new(5), Pipeline::<D2>::new());
    gas.set_lattice(Lattice::orthogonal([30.0; 2]).expect("good"));
    let disc = gas.add_shape(Shape::ball(0.3).expect("good")).expect("one");
    for _ in 0..500 {
        gas.insert(Body::new(disc, [random.range(0.0, 30.0), random.range(0.0, 30.0)])).expect("good");
    }
    for frame in 0..60 {
        let mut copy = gas.clone();
        let steps: Vec<[f64; 2]> = (0..500).map(|_| [random.range(-0.02, 0.02), random.range(-0.02, 0.02)]).collect();
        for pipeline in [&mut gas, &mut copy] {
            for (place, step) in pipeline.positions_mut().iter_mut().zip(&steps) {
                *place = [place[0] + step[0], place[1] + step[1]];
            }
        }
        let (one, other) = (gas.update().expect("few"), copy.update().expect("few"));
        assert_eq!((one.skin, one.candidates), (other.skin, other.candidates), "frame {frame}");
    }
}
