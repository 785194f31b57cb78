//! Broadphase: jostle and its rivals, on one thread: all overlapping pairs as a list, built from nothing except where a
//! tree is refitted (here for boxes that have not moved).
//!
//! `JOSTLE_BODIES` sets the number of boxes (100,000), `JOSTLE_ISA` the instruction set. `table broadphase` has ratios,
//! larger scenes, and the refitted tree over moving frames.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use jostle_benches::boxes::{BoxSpace, Boxes, Scene};
use jostle_benches::cells::{Home, Spread};
use jostle_benches::trees::{Bvh, TreeSpace, rstar};
use jostle_broadphase::ColumnSweep;
use jostle_lanes::{D2, D3};

fn scene<const N: usize, S: BoxSpace<N> + TreeSpace<N>>(
    criterion: &mut Criterion,
    name: &str,
    scene: Scene,
    count: usize,
) {
    let boxes = Boxes::<N>::new(scene, count, 1);
    let bounds = boxes.bounds::<S>();
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group(format!("pairs/{name}"));
    group.throughput(Throughput::Elements(count as u64)).sample_size(10);
    let mut sweep = ColumnSweep::<S>::new();
    group.bench_function("jostle build", |bencher| bencher.iter(|| sweep.build(black_box(&bounds))));
    group.bench_function("jostle", |bencher| {
        bencher.iter(|| {
            sweep.build(black_box(&bounds)).map(|()| sweep.pairs_into(&|_, _| true, None, black_box(&mut out)))
        });
    });
    group.bench_function("jostle count", |bencher| {
        bencher.iter(|| sweep.build(black_box(&bounds)).map(|()| sweep.count(&|_, _| true)));
    });
    if scene != Scene::Mixed {
        let mut cells = Home::default();
        group.bench_function("cell list, home cell", |bencher| {
            bencher.iter(|| cells.pairs(black_box(&boxes), black_box(&mut out)));
        });
    }
    let mut cells = Spread::default();
    group.bench_function("cell list, all cells", |bencher| {
        bencher.iter(|| cells.pairs(black_box(&boxes), black_box(&mut out)));
    });
    let mut tree = S::Bvh::default();
    group.bench_function("parry rebuilt", |bencher| {
        bencher.iter(|| tree.rebuilt(black_box(&boxes), black_box(&mut out)));
    });
    group.bench_function("parry refitted", |bencher| {
        bencher.iter(|| tree.refitted(black_box(&boxes), black_box(&mut out)));
    });
    group.bench_function("rstar", |bencher| bencher.iter(|| rstar(black_box(&boxes), black_box(&mut out))));
    if N == 2 {
        let mut leaves = Vec::new();
        group.bench_function("broccoli", |bencher| {
            bencher.iter(|| S::broccoli(black_box(&boxes), &mut leaves, black_box(&mut out)));
        });
    }
    group.finish();
}

fn all(criterion: &mut Criterion) {
    let count = std::env::var("JOSTLE_BODIES").ok().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    scene::<3, D3>(criterion, "uniform", Scene::Uniform, count);
    scene::<2, D2>(criterion, "flat", Scene::Uniform, count);
    scene::<3, D3>(criterion, "clustered", Scene::Clustered, count);
    scene::<3, D3>(criterion, "mixed", Scene::Mixed, count);
}

fn main() {
    jostle_benches::on_one_thread(|| {
        let mut criterion = Criterion::default().configure_from_args();
        all(&mut criterion);
        criterion.final_summary();
    });
}
