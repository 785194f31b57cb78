//! Refusals and their messages; and random boxes against brute force.

mod support;

use jostle_broadphase::{Bounds, BoundsError, ColumnSweep, TooManyPairs};
use jostle_lanes::{D2, D3, Space};
use proptest::prelude::*;
use support::{Random, boxes, brute, check, on_threads};

fn good(len: usize) -> Bounds<D3> {
    boxes(len, |i| ([i as f32; 3], [i as f32 + 0.5; 3]))
}

#[test]
fn nan_and_inverted_bounds_are_refused_by_body_and_axis() {
    for len in [6, 100, 60_000, 140_000] {
        let mut bounds = good(len);
        bounds.set(4, [0.0; 3], [1.0, f32::NAN, 1.0]);
        bounds.set(len - 1, [f32::NAN; 3], [1.0; 3]);
        let expected = BoundsError::Nan { body: 4, axis: 1 };
        assert_eq!(bounds.validate(), Err(expected));
        let mut sweep = ColumnSweep::new();
        assert_eq!(sweep.build(&bounds), Err(expected));
        assert_eq!(sweep.count(&|_, _| true), 0);
        bounds.set(3, [0.0; 3], [1.0, 1.0, -0.5]);
        let expected = BoundsError::Inverted { body: 3, axis: 2, lower: 0.0, upper: -0.5 };
        assert_eq!(bounds.validate(), Err(expected));
        assert_eq!(sweep.build(&bounds), Err(expected));
        assert_eq!(expected.to_string(), "the box of body 3 is inverted on axis 2: 0 is above -0.5");
        sweep.build(&good(len)).expect("sound bounds");
        assert_eq!(sweep.count(&|_, _| true), 0);
    }
}

#[test]
fn where_no_box_is_sound_the_first_is_named() {
    for len in [1, 200, 20_000, 140_000] {
        let (mut nan, mut inverted) = (Bounds::<D3>::new(), Bounds::<D3>::new());
        for i in 0..len {
            nan.push([0.0, f32::NAN, i as f32], [1.0; 3]);
            inverted.push([i as f32, 1e9, 0.0], [i as f32, -1e9, 1.0]);
        }
        for threads in 1..=3 {
            let refusal = |bounds| on_threads(threads, || ColumnSweep::new().build(bounds));
            assert_eq!(refusal(&nan), Err(BoundsError::Nan { body: 0, axis: 1 }));
            let expected = BoundsError::Inverted { body: 0, axis: 1, lower: 1e9, upper: -1e9 };
            assert_eq!(refusal(&inverted), Err(expected));
        }
    }
}

#[test]
fn layers_of_another_number_of_boxes_are_refused() {
    for len in [6, 200, 60_000, 140_000] {
        let mut bounds = good(len);
        bounds.layers_mut().set((1..len).map(|_| 0));
        let expected = BoundsError::Layers { boxes: len, layers: len - 1 };
        assert_eq!(bounds.validate(), Err(expected));
        let mut sweep = ColumnSweep::new();
        assert_eq!(sweep.build(&bounds), Err(expected));
        assert_eq!(sweep.count(&|_, _| true), 0);
        bounds.layers_mut().set((0..len).map(|_| 31));
        assert_eq!(sweep.build(&bounds), Ok(()));
    }
    assert_eq!(BoundsError::Layers { boxes: 3, layers: 1 }.to_string(), "1 layers for 3 boxes");
}

#[test]
#[should_panic(expected = "layer 32 of 32")]
fn a_layer_that_there_is_not_is_refused() {
    good(2).layers_mut().set([0, 32].into_iter());
}

#[test]
fn a_limit_ends_in_an_error_with_the_count() {
    let bounds = boxes::<D2>(3000, |_| ([0.0; 2], [1.0; 2]));
    let total = 3000 * 2999 / 2;
    let run = |limit| {
        let mut sweep = ColumnSweep::new();
        sweep.build(&bounds).expect("sound bounds");
        // Whatever was there before is gone, also after an error.
        let mut pairs = vec![[7; 2]; 100];
        let result = sweep.pairs_into(&|_, _| true, Some(limit), &mut pairs);
        assert!(result.is_ok() || pairs.is_empty());
        result.map(|()| pairs.len() as u64)
    };
    assert_eq!(run(total), Ok(total));
    for limit in [0, 1, total - 1] {
        let one = on_threads(1, || run(limit));
        assert!(matches!(one, Err(TooManyPairs { limit: l, found }) if l == limit && found > limit && found <= total));
        assert_eq!(one, on_threads(2, || run(limit)));
        assert_eq!(one, on_threads(3, || run(limit)));
    }
    let error = TooManyPairs { limit: 5, found: 9 };
    assert_eq!(error.to_string(), "at least 9 pairs, more than the limit of 5");
}

#[test]
fn a_crowd_in_one_place_comes_in_bounded_chunks() {
    let bounds = boxes::<D3>(200_000, |_| ([0.0; 3], [1.0; 3]));
    let mut sweep = ColumnSweep::new();
    sweep.build(&bounds).expect("sound bounds");
    assert!(sweep.chunk_count() > 10_000);
    let mut pairs = Vec::new();
    for chunk in [0, 5000, sweep.chunk_count() - 1] {
        sweep.chunk_pairs(chunk, &|_, _| true, &mut pairs);
        assert!(pairs.len() <= 1 << 20);
    }
    assert!(sweep.pairs(&|_, _| true, Some(1 << 20)).is_err());
}

/// Coordinates that coincide, touch, and reach to infinity.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => (-20_i32..20).prop_map(|i| i as f32 * 0.5),
        8 => -10.0_f32..10.0,
        1 => prop_oneof![Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(-0.0), Just(0.0), Just(1e30), Just(-1e-40)],
    ]
}

fn random_bounds<S: Space>(most: usize) -> impl Strategy<Value = Bounds<S>> {
    let axis = || (coordinate(), prop_oneof![3 => 0.0_f32..2.0, 1 => Just(0.0), 1 => 0.0_f32..30.0]);
    prop::collection::vec([axis(), axis(), axis()], 0..most).prop_map(|list| {
        let mut bounds = Bounds::new();
        for axes in list {
            bounds.push(S::array(|k| axes[k].0), S::array(|k| axes[k].0 + axes[k].1));
        }
        bounds
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_boxes_of_the_plane(bounds in random_bounds::<D2>(400)) {
        check("random 2D", &bounds);
    }

    #[test]
    fn random_boxes_of_space(bounds in random_bounds::<D3>(400)) {
        check("random 3D", &bounds);
    }

    #[test]
    fn random_scales(seed: u64, scale in -40_i32..38, offset in -3.0_f32..3.0) {
        let mut r = Random::new(seed);
        let scale = 10_f32.powi(scale);
        let bounds = boxes::<D3>(600, |_| {
            let lower = [0, 1, 2].map(|_| (offset + r.unit()) * scale);
            (lower, lower.map(|x| x + 0.1 * scale * r.unit()))
        });
        let mut sweep = ColumnSweep::new();
        sweep.build(&bounds).expect("sound bounds");
        prop_assert_eq!(sweep.sorted_pairs(&|_, _| true, None).expect("no limit"), brute(&bounds));
    }
}
