//! The data of contacts that ended is available for one more frame. (`Frames` checks every frame of random changes
//! against a map; these scenes are large, on several threads, or fail.)

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use jostle::{Body, D2, Event, Handle, Lattice, Phase, Piece, Pipeline, PipelineError, Shape};
use jostle_tests::{Random, on_threads};

/// The data of a contact: its number, and for how many frames it has lasted.
type Kept = [u32; 2];
type Crowd = Pipeline<D2, f32, Kept>;

/// Enough bodies for several tasks, each with many contacts that end.
fn crowd(side: u32, lattice: Option<Lattice<D2>>) -> Crowd {
    let mut random = Random::new(7);
    let mut crowd = Crowd::new();
    crowd.set_margin(0.05).expect("good");
    if let Some(lattice) = lattice {
        crowd.set_lattice(lattice);
    }
    let disc = crowd.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    for i in 0..side * side {
        let place = [i % side, i / side].map(|n| f64::from(n) + random.range(-0.1, 0.1));
        crowd.insert(Body::new(disc, place)).expect("good");
    }
    crowd
}

/// A frame in which some bodies go far away, some come, and most stay. The numbers of contacts depend on the frame
/// alone.
fn frame(crowd: &mut Crowd, number: u32) -> Result<(), PipelineError> {
    let mut random = Random::new(u64::from(number));
    let handles: Vec<Handle> = crowd.handles().collect();
    for &handle in &handles {
        let at = handle.index();
        if number % 4 == 3 {
            // Nothing ends.
        } else if random.chance(0.02) {
            crowd.positions_mut()[at] = [random.range(0.0, 150.0), random.range(0.0, 150.0)];
        } else if random.chance(0.01) {
            let body = crowd.remove(handle)?;
            if random.chance(0.8) {
                crowd.insert(body)?;
            }
        }
    }
    crowd.update()?;
    for (place, kept) in crowd.data_mut().iter_mut().enumerate() {
        let begun = if kept[0] == 0 { (number << 20) + place as u32 + 1 } else { kept[0] };
        *kept = [begun, kept[1] + 1];
    }
    Ok(())
}

/// The contacts that ended with their data, in order.
fn ends(crowd: &Crowd) -> Vec<([Handle; 2], Kept)> {
    let ended = crowd.events().iter().filter(|event| matches!(event, Event::Ended(_)));
    let ends: Vec<_> = ended.map(Event::pair).zip(crowd.ended_data().iter().copied()).collect();
    assert_eq!(ends.len(), crowd.ended_data().len());
    ends
}

fn the_same_on_any_threads(lattice: Option<Lattice<D2>>) {
    let run = |threads| {
        on_threads(threads, || {
            let mut crowd = crowd(150, lattice);
            let mut all = Vec::new();
            for number in 0..9 {
                // Snapshots have the same results and continue in place of the original.
                let snapshot = crowd.clone();
                assert_eq!(ends(&snapshot), ends(&crowd));
                crowd = if number % 2 == 1 { snapshot } else { crowd };
                // The images of a pair are distinguished by their numbers, which are all different.
                let rows = crowd.contacts().iter().zip(crowd.data());
                let before: BTreeMap<_, _> = rows.map(|(row, kept)| (kept[0], (crowd.key(row), *kept))).collect();
                assert_eq!(before.len(), crowd.contacts().len());
                frame(&mut crowd, number).expect("a good frame");
                let ends = ends(&crowd);
                let lasts: BTreeSet<u32> = crowd.data().iter().map(|kept| kept[0]).collect();
                let mut gone = before;
                gone.retain(|number, _| !lasts.contains(number));
                let told: BTreeMap<_, _> = ends.iter().map(|&(pair, kept)| (kept[0], (pair, kept))).collect();
                assert_eq!((told.len(), &told), (ends.len(), &gone), "frame {number}");
                assert!(number == 0 || ends.is_empty() == (number % 4 == 3));
                all.push((crowd.contacts().len(), ends, crowd.data().to_vec()));
            }
            all
        })
    };
    let alone = run(1);
    assert!(alone.iter().all(|(contacts, ..)| *contacts > 25_000), "several tasks");
    for threads in [2, 3] {
        assert!(run(threads) == alone, "on {threads} threads");
    }
}

#[test]
fn ended_contacts_keep_their_data_on_any_threads() {
    the_same_on_any_threads(None);
}

#[test]
fn and_where_space_repeats() {
    the_same_on_any_threads(Some(Lattice::orthogonal([150.0, 150.0]).expect("good")));
}

/// Two images of one pair end one after the other, each with its own data.
#[test]
fn images_end_with_what_was_kept_beside_each() {
    let mut ring = Pipeline::<D2, f32, u32>::new();
    ring.set_lattice(Lattice::orthogonal([2.0, 0.0]).expect("good"));
    ring.set_margin(0.1).expect("good");
    let disc = ring.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let [a, b] = [0.0, 1.0].map(|x| ring.insert(Body::new(disc, [x, 0.0])).expect("good"));
    ring.update().expect("good");
    assert_eq!(ring.images(), [[-1, 0, 0], [0, 0, 0]]);
    ring.data_mut().copy_from_slice(&[5, 6]);
    ring.positions_mut()[b.index()][0] = 1.2;
    ring.update().expect("good");
    assert_eq!((ring.images(), ring.data(), ring.ended_data()), (&[[-1, 0, 0]][..], &[5][..], &[6][..]));
    ring.positions_mut()[b.index()][0] = 1.0;
    ring.update().expect("good");
    assert_eq!((ring.data(), ring.ended_data()), (&[5, 0][..], &[][..]));
    ring.data_mut()[1] = 7;
    // When a slot gets another body, the contacts of the first end and others begin.
    let body = ring.remove(b).expect("there");
    let c = ring.insert(body).expect("good");
    ring.update().expect("good");
    let [old, new] = [Event::Ended([a, b]), Event::Began([a, c])];
    assert_eq!((ring.events(), ring.ended_data()), (&[old, new, old, new][..], &[5, 7][..]));
    // The lattice is removed: the contact of the image ends.
    ring.data_mut().copy_from_slice(&[8, 9]);
    ring.set_lattice(Lattice::default());
    ring.update().expect("good");
    assert_eq!((ring.events(), ring.ended_data(), ring.data()), (&[Event::Ended([a, c])][..], &[8][..], &[9][..]));
}

/// A frame that fails leaves the results of the last one.
#[test]
fn a_frame_that_fails_forgets_nothing() {
    let mut three = Pipeline::<D2, f32, u32>::new();
    let disc = three.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let [_, b, c] = [0.0, 0.75, 1.5].map(|x| three.insert(Body::new(disc, [x, 0.0])).expect("good"));
    three.update().expect("good");
    three.data_mut().copy_from_slice(&[3, 4]);
    three.positions_mut()[c.index()][0] = 9.0;
    three.update().expect("good");
    let told = |three: &Pipeline<D2, f32, u32>| (three.events().to_vec(), three.ended_data().to_vec());
    let before = told(&three);
    assert_eq!(before, (vec![Event::Ended([b, c])], vec![4]));
    three.set_limit(0);
    three.set_margin(0.25).expect("good");
    three.update().expect_err("a pair is near");
    assert_eq!(told(&three), before);
    three.set_limit(10);
    three.positions_mut()[b.index()][0] = 5.0;
    three.update().expect("good");
    assert_eq!(three.ended_data(), [3]);
    three.update().expect("good");
    assert_eq!(told(&three), (vec![], vec![]));
}

/// A frame whose visitor panics reports nothing; the next one reports what has changed since the one before, with the
/// data as of then.
fn the_next_frame_makes_up_for_a_panic(lattice: Lattice<D2>) {
    let mut four = Pipeline::<D2, f32, u32>::new();
    four.set_lattice(lattice);
    let disc = four.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let places = [0.0, 0.75, 5.0, 7.0, 7.75, 9.0, 9.75];
    let bodies = places.map(|x| four.insert(Body::new(disc, [x, 0.0])).expect("good"));
    let [a, b, c, d, e, f, g] = bodies;
    four.update().expect("good");
    assert_eq!(four.contacts().len(), 3);
    four.data_mut().copy_from_slice(&[7, 8, 9]);
    // One contact ends as a body goes away, one as a body is removed, one begins, one persists.
    four.positions_mut()[a.index()] = [-5.0, 3.0];
    four.positions_mut()[c.index()] = [1.5, 0.0];
    four.remove(e).expect("there");
    for _ in 0..2 {
        let visited = |piece: Piece<'_, D2, f32, u32>| {
            piece.data.fill(99);
            panic!("as visitors may")
        };
        catch_unwind(AssertUnwindSafe(|| four.update_with(visited))).expect_err("it has panicked");
        assert_eq!(four.contacts().len(), 2);
    }
    let frame = four.update().expect("good");
    assert_eq!((frame.began, frame.ended), (1, 2));
    assert_eq!(four.events(), [Event::Ended([a, b]), Event::Began([b, c]), Event::Ended([d, e])]);
    assert_eq!((four.ended_data(), four.data()), (&[7, 8][..], &[0, 9][..]));
    assert_eq!(four.find(f, g), Some(1));
    four.update().expect("good");
    assert_eq!((four.events(), four.data()), (&[][..], &[0, 9][..]));
}

#[test]
fn nothing_is_lost_to_a_visitor_that_panics() {
    on_threads(2, || the_next_frame_makes_up_for_a_panic(Lattice::default()));
    the_next_frame_makes_up_for_a_panic(Lattice::default());
    the_next_frame_makes_up_for_a_panic(Lattice::orthogonal([40.0; 2]).expect("good"));
}

/// Under a barostat positions are scaled along with the lattice, also those of bodies that were never brought back.
#[test]
fn contacts_persist_as_a_lattice_swells() {
    for (cells, strain) in [(0, 1.01), (60, 1.01), (-1300, 1.001), (140_000, 1.000_01)] {
        let (mut length, mut gas) = (10.0, Pipeline::<D2, f32, u32>::new());
        gas.set_lattice(Lattice::orthogonal([length, 0.0]).expect("good"));
        let disc = gas.add_shape(Shape::ball(0.5).expect("good")).expect("one");
        let [_, b] =
            [1.0, 1.9 + f64::from(cells) * length].map(|x| gas.insert(Body::new(disc, [x, 0.0])).expect("good"));
        gas.update().expect("good");
        gas.data_mut()[0] = 7;
        for frame in 0..10 {
            length *= strain;
            gas.set_lattice(Lattice::orthogonal([length, 0.0]).expect("good"));
            for position in gas.positions_mut() {
                position[0] *= strain;
            }
            if frame % 3 == 2 {
                // One of them is brought back by a cell, or taken out by one.
                gas.positions_mut()[b.index()][0] -= length;
            }
            gas.update().expect("good");
            assert_eq!((gas.phases(), gas.data()), (&[Phase::Persists][..], &[7][..]), "{cells} cells, frame {frame}");
        }
        // The lattice alone changes.
        gas.set_lattice(Lattice::orthogonal([length + 1e-9, 0.0]).expect("good"));
        gas.update().expect("good");
        assert_eq!((gas.phases(), gas.data()), (&[Phase::Persists][..], &[7][..]), "{cells} cells");
    }
}

/// Where the vectors of a lattice change, but positions do not change along with them, contacts persist, whatever cell
/// they are in: a box that leans is flipped, a cell is doubled or halved, an axis stops repeating.
#[test]
fn contacts_persist_as_vectors_change() {
    let lattice = |a: [f64; 2], b: [f64; 2]| Lattice::<D2>::triclinic(&[a, b]).expect("good");
    let (leans, upright) = (lattice([20.0, 0.0], [10.0, 20.0]), lattice([20.0, 0.0], [0.0, 20.0]));
    for (from, to, first) in [
        (leans, lattice([20.0, 0.0], [-10.0, 20.0]), [31.1, 61.3]),
        (upright, lattice([40.0, 0.0], [0.0, 20.0]), [41.1, 1.3]),
        (lattice([80.0, 0.0], [0.0, 20.0]), lattice([40.0, 0.0], [0.0, 20.0]), [81.1, 1.3]),
        (upright, upright.with_self_images(), [41.1, 1.3]),
        (upright, lattice([0.0, 0.0], [0.0, 20.0]), [41.1, 1.3]),
    ] {
        let (random, mut gas) = (&mut Random::new(77), Pipeline::<D2, f32, u32>::new());
        gas.set_lattice(from);
        let disc = gas.add_shape(Shape::ball(0.5).expect("good")).expect("one");
        for i in 0..40 {
            let [x, y] = [first[0] + 2.2 * f64::from(i % 8), first[1] + 2.2 * f64::from(i / 8)];
            for x in [x, x + 0.7] {
                gas.insert(Body::new(disc, [x, y])).expect("good");
            }
        }
        assert_eq!(gas.update().expect("good").contacts, 40);
        gas.data_mut().fill(7);
        gas.set_lattice(to);
        for position in gas.positions_mut() {
            *position = position.map(|x| x + random.range(-0.005, 0.005));
        }
        let frame = gas.update().expect("good");
        assert_eq!((frame.contacts, frame.began, frame.ended), (40, 0, 0), "{to:?}");
        assert_eq!(gas.data(), [7; 40]);
    }
}

/// After a visitor has panicked, or a frame has failed, a contact that was at rest does not rest if its bodies have
/// moved meanwhile, and bodies that woke are told of.
#[test]
fn nothing_rests_that_moved_in_a_frame_that_was_not_reported() {
    for fails in [false, true] {
        let mut pile = Pipeline::<D2, f32, u32>::new();
        pile.set_margin(0.1).expect("good");
        let square = pile.add_shape(Shape::cuboid([0.5, 0.5]).expect("good")).expect("one");
        let wall = pile.insert(Body::new(square, [0.0, 0.0]).fixed()).expect("good");
        let upper = pile.insert(Body::new(square, [0.0, 1.0])).expect("good");
        let beside = pile.insert(Body::new(square, [3.0, 0.0])).expect("good");
        pile.update().expect("good");
        pile.sleep(upper).expect("there");
        pile.sleep(beside).expect("there");
        pile.update().expect("good");
        pile.update().expect("good");
        assert_eq!(pile.phases(), [Phase::Rests]);
        pile.positions_mut()[wall.index()][1] = -0.0625;
        pile.positions_mut()[beside.index()][0] = 3.5;
        if fails {
            pile.set_limit(0);
            pile.set_margin(0.125).expect("good");
            pile.update().expect_err("a pair is near");
            pile.set_limit(10);
        } else {
            let visited = |_: Piece<'_, D2, f32, u32>| panic!("as visitors may");
            catch_unwind(AssertUnwindSafe(|| pile.update_with(visited))).expect_err("it has panicked");
        }
        assert_eq!(pile.woken(), [beside]);
        pile.update().expect("good");
        assert_eq!((pile.phases(), pile.woken()), (&[Phase::Persists][..], &[beside][..]));
        assert_eq!(pile.contacts()[0].distance, 0.0625);
        pile.update().expect("good");
        assert_eq!((pile.phases(), pile.woken()), (&[Phase::Rests][..], &[][..]));
    }
}
