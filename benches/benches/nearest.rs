//! The nearest few bodies of each body: jostle and its rivals, on one thread, from nothing.
//!
//! `JOSTLE_BODIES` sets the number of bodies (100,000), `JOSTLE_ISA` the instruction set. For ratios see
//! `table nearest`.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use jostle::{D2, D3, Neighbours, nearest};
use jostle_benches::crowd::Crowd;
use jostle_benches::kinds::Kind;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::trees::rstar_nearest;

/// A search by centres: positions, their radius, the number of neighbours, and where their distances go.
type ByCentres<S> = fn(&[<S as jostle::Space>::Array<f64>], f64, usize, &mut Vec<f32>);

fn scene<S: RivalSpace>(
    criterion: &mut Criterion,
    name: &str,
    kind: Kind,
    count: usize,
    by_centres: Option<ByCentres<S>>,
) {
    let crowd = Crowd::<S>::new(kind, count, 0.0, 0.0, 1);
    let (bodies, rival) = (crowd.bodies.columns(), S::Rival::new(&crowd.bodies));
    let radius = crowd.bodies.shapes[0].radius();
    let mut group = criterion.benchmark_group(format!("nearest/{name}"));
    group.throughput(Throughput::Elements(count as u64)).sample_size(10);
    for most in [1, 8] {
        let mut neighbours = Neighbours::<S>::default();
        group.bench_function(format!("jostle {most}"), |bencher| {
            bencher.iter(|| nearest(black_box(&bodies), most, black_box(&mut neighbours)));
        });
        if let Some(by_centres) = by_centres {
            let mut distances = Vec::new();
            group.bench_function(format!("rstar, centres {most}"), |bencher| {
                bencher.iter(|| by_centres(black_box(&crowd.bodies.position), radius, most, black_box(&mut distances)));
            });
        }
    }
    let mut found = Vec::new();
    group.bench_function("parry 1", |bencher| bencher.iter(|| rival.nearest(black_box(&mut found))));
    group.finish();
}

fn main() {
    jostle_benches::on_one_thread(|| {
        let count = std::env::var("JOSTLE_BODIES").ok().and_then(|word| word.parse().ok()).unwrap_or(100_000);
        let mut criterion = Criterion::default().configure_from_args();
        scene::<D2>(&mut criterion, "discs", Kind::Ball, count, Some(rstar_nearest::<2>));
        scene::<D3>(&mut criterion, "balls", Kind::Ball, count, Some(rstar_nearest::<3>));
        scene::<D2>(&mut criterion, "polygons", Kind::Hull(8), count, None);
        scene::<D3>(&mut criterion, "capsules", Kind::Capsule, count, None);
        scene::<D3>(&mut criterion, "boxes", Kind::Box, count, None);
        criterion.final_summary();
    });
}
