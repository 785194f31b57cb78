//! Once warm, a frame allocates nothing.

mod support;

use allocation_counter::measure;
use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::{D2, D3, Space};
use support::{Random, around, on_threads};

/// A frame of boxes, some of them large, that move a little from frame to frame; a few thousand in one spot.
fn frame<S: Space>(len: usize, seed: u64) -> Bounds<S> {
    let mut r = Random::new(5);
    let mut moved = Random::new(seed);
    let edge = (len as f32).powf(1.0 / S::DIMENSION as f32) * 2.0;
    around(len, |i| {
        // A third of the bodies of every other frame are far away.
        let aside = if seed % 2 == 1 && i % 3 == 0 { 1e6 } else { 0.0 };
        let centre = S::array(|_| aside + r.unit() * if i % 20 == 1 { 1.0 } else { edge } + 0.01 * moved.unit());
        (centre, S::array(|_| if i % 1000 == 0 { 0.4 * edge } else { 0.5 }))
    })
}

fn check<S: Space>(len: usize) {
    let frames: Vec<Bounds<S>> = (0..6).map(|seed| frame(len, seed)).collect();
    let (mut sweep, mut out) = (ColumnSweep::<S>::new(), Vec::with_capacity(40 * len + 4_000_000));
    let mut step = |bounds: &Bounds<S>| {
        sweep.build(bounds).expect("sound bounds");
        sweep.pairs_into(&|_, _| true, None, &mut out).expect("no limit");
        let chunks: usize = (0..sweep.chunk_count())
            .map(|chunk| {
                sweep.chunk_pairs(chunk, &|_, _| true, &mut out);
                out.len()
            })
            .sum();
        assert_eq!(sweep.count(&|_, _| true), chunks as u64);
    };
    // On one thread, as it is the calling thread's allocations that are counted. The first round warms up.
    on_threads(1, || {
        for round in 0..2 {
            for (number, bounds) in frames.iter().enumerate() {
                let allocations = measure(|| step(bounds)).count_total;
                assert!(round == 0 || allocations == 0, "{len} boxes, frame {number}: {allocations} allocations");
            }
        }
    });
}

#[test]
fn a_warm_frame_allocates_nothing() {
    for len in [10, 1000, 30_000, 140_000] {
        check::<D2>(len);
        check::<D3>(len);
    }
}
