//! Narrowphase: jostle and, for each row, its rival, on one thread.
//!
//! `JOSTLE_PAIRS` sets the number of pairs (100,000), `JOSTLE_ISA` the instruction set. For ratios see
//! `table narrowphase`, where the two take turns.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use jostle::{D2, D3, Proximity};
use jostle_benches::capsules;
use jostle_benches::kinds::{Kind, ROWS, Row};
use jostle_benches::pairs::{Distances, Pairs};
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_narrowphase::{Records, Scratch, Until, measure, solve};
use jostle_tasks::Pool;

fn row<S: RivalSpace>(criterion: &mut Criterion, row: &Row, count: usize) {
    let scene = Pairs::<S>::new(row.kind, count, 1);
    let bodies = scene.columns();
    let mut rival = S::Rival::new(&scene);
    let mut group = criterion.benchmark_group(format!("distance/{}", row.name));
    group.throughput(Throughput::Elements(count as u64)).sample_size(10);
    let mut ours = Distances::<S>::default();
    group.bench_function("jostle", |bencher| {
        bencher.iter(|| ours.ask(&bodies, &scene.pairs));
    });
    let mut rows: Vec<Proximity<S, f32>> = Vec::new();
    let (mut made, memory) = (Records::<S, f32>::default(), Pool::default());
    group.bench_function("jostle records", |bencher| bencher.iter(|| made.make(black_box(&bodies))));
    group.bench_function("jostle solve", |bencher| {
        bencher.iter(|| solve(&bodies, made.source(), black_box(&scene.pairs), black_box(&mut rows), &memory));
    });
    // Each stage is timed together with those before it.
    let mut scratch = Scratch::default();
    for until in Until::ALL {
        group.bench_function(format!("jostle until {until:?}"), |bencher| {
            let (source, pairs) = (made.source(), &scene.pairs);
            bencher.iter(|| measure(&bodies, source, black_box(pairs), until, black_box(&mut rows), &mut scratch));
        });
    }
    if row.kind == Kind::Ball {
        group.bench_function("parry typed", |bencher| bencher.iter(|| rival.balls(black_box(&scene.pairs))));
    }
    group.bench_function("parry", |bencher| bencher.iter(|| rival.contacts(black_box(&scene.pairs))));
    group.finish();
}

fn by_hand(criterion: &mut Criterion, count: usize) {
    let scene = Pairs::<D3>::new(Kind::Capsule, count, 1);
    let capsules = capsules::capsules(&scene);
    let mut rows = Vec::new();
    let mut group = criterion.benchmark_group("distance/capsule");
    group.throughput(Throughput::Elements(count as u64)).sample_size(10);
    group.bench_function("by hand", |bencher| {
        bencher.iter(|| capsules::contacts(&capsules, black_box(&scene.pairs), black_box(&mut rows)));
    });
    group.finish();
}

fn all(criterion: &mut Criterion) {
    let count = std::env::var("JOSTLE_PAIRS").ok().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    for one in &ROWS {
        if one.dimension == 2 {
            row::<D2>(criterion, one, count);
        } else {
            row::<D3>(criterion, one, count);
        }
    }
    by_hand(criterion, count);
}

fn main() {
    jostle_benches::on_one_thread(|| {
        let mut criterion = Criterion::default().configure_from_args();
        all(&mut criterion);
        criterion.final_summary();
    });
}
