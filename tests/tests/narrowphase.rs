//! A [`Narrowphase`] that is used again and again: neither its memory nor the number of pairs per call, which decides
//! how wide the lanes are, changes a bit of an answer.

use jostle::{
    Columns, D2, D3, Narrowphase, PairError, Precision, Proximity, Rotations, WithinError, distance, within_into,
};
use jostle_tests::{Ground, Kind, Moves, Random, bits, cast_bits, draw_moves};

/// Numbers of pairs per call: one, around half a register and a whole one of either precision, and more than a chunk.
const SIZES: [usize; 12] = [1, 2, 4, 5, 1500, 8, 9, 3, 16, 17, 1, 40];

/// Scenes of these kinds alone are solved without records, if there are more than a few pairs.
const ALONE: [&[Kind]; 3] = [&[Kind::Point, Kind::Ball], &[Kind::Segment, Kind::Capsule], &[Kind::Box]];

/// Moving pairs of some kinds, many of which overlap or touch.
fn drawn<S: Ground>(kinds: &[Kind], seed: u64) -> Moves<S> {
    draw_moves(kinds, 1500, &mut Random::new(seed))
}

fn hold<S: Ground, T: Precision>(kinds: &[Kind], seed: u64) {
    let moves = drawn::<S>(kinds, seed);
    let (columns, pairs) = (moves.columns(), &moves.pairs[..]);
    let all: Vec<Proximity<S, T>> = distance(&columns, pairs).expect("good pairs");
    let mut all_sides = Vec::new();
    within_into::<T, _, _>(&columns, pairs, moves.motion.target, &mut all_sides).expect("a good limit");
    let all_casts = moves.cast();

    let mut narrowphase = Narrowphase::<S, T>::new();
    let (mut rows, mut sides, mut casts) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..40 {
        for size in SIZES {
            let first = (round * 37) % (pairs.len() - size + 1);
            let some = first..first + size;
            narrowphase.distance(&columns, &pairs[some.clone()], &mut rows).expect("good pairs");
            assert_eq!(rows.len(), size);
            for (row, expected) in rows.iter().zip(&all[some.clone()]) {
                assert_eq!(bits(row), bits(expected), "{size} pairs from {first} on: {row:?}, not {expected:?}");
            }
            if size < 100 {
                let limit = moves.motion.target;
                narrowphase.within(&columns, &pairs[some.clone()], limit, &mut sides).expect("a good limit");
                assert_eq!(sides, all_sides[some.clone()], "{size} pairs from {first} on");
                narrowphase.cast(&columns, &pairs[some.clone()], moves.motion, &mut casts).expect("a good motion");
                for (cast, expected) in casts.iter().zip(&all_casts[some.clone()]) {
                    assert_eq!(cast_bits(cast), cast_bits(expected), "{size} pairs from {first} on");
                }
            }
        }
    }
}

#[test]
fn batches_and_memory_change_no_bit_in_the_plane() {
    hold::<D2, f32>(D2::KINDS, 1);
    hold::<D2, f64>(D2::KINDS, 2);
    for (kinds, seed) in ALONE.into_iter().zip(10..) {
        hold::<D2, f32>(kinds, seed);
        hold::<D2, f64>(kinds, seed + 100);
    }
}

#[test]
fn batches_and_memory_change_no_bit_in_space() {
    hold::<D3, f32>(D3::KINDS, 3);
    hold::<D3, f64>(D3::KINDS, 4);
    for (kinds, seed) in ALONE.into_iter().zip(20..) {
        hold::<D3, f32>(kinds, seed);
        hold::<D3, f64>(kinds, seed + 100);
    }
}

/// The same with bodies without rotations, and with rotations in single precision.
fn hold_otherwise_turned<S: Ground, T: Precision>(kinds: &[Kind], seed: u64) {
    let moves = drawn::<S>(kinds, seed);
    let columns = moves.columns();
    let singles: Vec<S::Rotation<f32>> = (0..columns.len())
        .map(|body| {
            let rotation = columns.rotations().get(body);
            let mut single = S::Rotation::<f32>::default();
            single.as_mut().iter_mut().zip(rotation.as_ref()).for_each(|(to, from)| *to = *from as f32);
            single
        })
        .collect();
    for rotations in [Rotations::Identity, Rotations::Single(&singles)] {
        let (shapes, of_bodies) = (columns.shapes(), columns.shape_indices());
        let columns = Columns::new(shapes, of_bodies, columns.positions(), rotations).expect("good bodies");
        let all: Vec<Proximity<S, T>> = distance(&columns, &moves.pairs).expect("good pairs");
        for (pairs, expected) in moves.pairs.chunks(7).zip(all.chunks(7)) {
            let rows: Vec<Proximity<S, T>> = distance(&columns, pairs).expect("good pairs");
            assert!(rows.iter().map(bits).eq(expected.iter().map(bits)), "{rows:?}, not {expected:?}");
        }
    }
}

#[test]
fn nor_do_rotations_in_other_forms() {
    for (kinds, seed) in ALONE.into_iter().zip(30..) {
        hold_otherwise_turned::<D2, f32>(kinds, seed);
        hold_otherwise_turned::<D2, f64>(kinds, seed);
        hold_otherwise_turned::<D3, f32>(kinds, seed);
        hold_otherwise_turned::<D3, f64>(kinds, seed);
    }
}

#[test]
fn what_is_refused_leaves_the_answers_as_they_were() {
    let moves = drawn::<D3>(D3::KINDS, 5);
    let (columns, pairs) = (moves.columns(), &moves.pairs[..3]);
    let mut narrowphase = Narrowphase::<D3>::new();
    let (mut rows, mut sides) = (Vec::new(), Vec::new());
    narrowphase.distance(&columns, pairs, &mut rows).expect("good pairs");
    narrowphase.within(&columns, pairs, 1.0, &mut sides).expect("a good limit");
    let before = (rows.iter().map(bits).collect::<Vec<_>>(), sides.clone());

    let wrong = [pairs[0], [7, 7]];
    assert_eq!(narrowphase.distance(&columns, &wrong, &mut rows), Err(PairError::SameBody { index: 1, body: 7 }));
    assert_eq!(narrowphase.within(&columns, pairs, -1.0, &mut sides), Err(WithinError::Limit(-1.0)));
    let count = columns.len();
    let missing = PairError::MissingBody { index: 0, body: count as u32, count };
    let beyond = narrowphase.within(&columns, &[[0, count as u32]], 1.0, &mut sides);
    assert_eq!(beyond, Err(WithinError::Pair(missing)));
    assert_eq!((rows.iter().map(bits).collect::<Vec<_>>(), sides), before);
    // It stays usable.
    rows.clear();
    narrowphase.distance(&columns, pairs, &mut rows).expect("good pairs");
    assert_eq!(rows.iter().map(bits).collect::<Vec<_>>(), before.0);
}
