//! Times of the sweep: ns per body from scratch, best of several runs with warm buffers.
//!
//! `cargo run --release -p jostle-broadphase --example broadphase_times [largest n] [threads]`

use std::time::Instant;

use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::{D2, D3, Isa, Space};

#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;

use split_mix::SplitMix64;

struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }
    fn unit(&mut self) -> f32 {
        (self.0.bits() >> 40) as f32 / 16_777_216.0
    }
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

fn around<S: Space>(len: usize, mut f: impl FnMut(usize) -> (S::Array<f32>, S::Array<f32>)) -> Bounds<S> {
    let mut bounds = Bounds::with_capacity(len);
    for i in 0..len {
        let (centre, half) = f(i);
        bounds.push(S::array(|k| centre[k] - half[k]), S::array(|k| centre[k] + half[k]));
    }
    bounds
}

/// Unit cubes, six partners each.
fn uniform(len: usize) -> Bounds<D3> {
    let (mut r, edge) = (Random::new(1), (len as f32 * 8.0 / 6.0).cbrt());
    around(len, |_| ([0; 3].map(|_| r.unit() * edge), [0.5; 3]))
}

/// Unit cubes on a plane, six partners each.
fn flat(len: usize) -> Bounds<D3> {
    let (mut r, edge) = (Random::new(2), (len as f32 * 4.0 / 6.0).sqrt());
    around(len, |_| ([r.unit() * edge, r.unit() * edge, 0.0], [0.5; 3]))
}

/// Unit squares, six partners each.
fn plane(len: usize) -> Bounds<D2> {
    let (mut r, edge) = (Random::new(2), (len as f32 * 4.0 / 6.0).sqrt());
    around(len, |_| ([r.unit() * edge, r.unit() * edge], [0.5; 2]))
}

/// Normal clouds of a thousand, far from each other, with a core of about 25 partners and a thin rim.
fn clustered(len: usize) -> Bounds<D3> {
    let mut r = Random::new(3);
    let edge = (len as f32).cbrt() * 4.0;
    let centres: Vec<[f32; 3]> = (0..len.div_ceil(1000)).map(|_| [0; 3].map(|_| r.unit() * edge)).collect();
    around(len, |i| (centres[i % centres.len()].map(|c| c + 4.0 * r.normal()), [0.5; 3]))
}

/// Log-normal sizes, and ten that span a tenth of the scene.
fn mixed(len: usize) -> Bounds<D3> {
    let (mut r, edge) = (Random::new(4), (len as f32 * 1.6).cbrt());
    around(len, |i| {
        let half = if i % (len / 10) == 0 { 0.05 * edge } else { 0.45 * (0.5 * r.normal()).exp() };
        ([0; 3].map(|_| r.unit() * edge), [half; 3])
    })
}

/// 1 x 1 x 50 in random directions.
fn rods(len: usize) -> Bounds<D3> {
    let (mut r, edge) = (Random::new(5), (len as f32 * 1800.0).cbrt());
    around(len, |_| {
        let way = [0; 3].map(|_| r.normal());
        let norm = way.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
        ([0; 3].map(|_| r.unit() * edge), way.map(|x| 25.0 * (x / norm).abs() + 0.5))
    })
}

fn line(len: usize) -> Bounds<D3> {
    let mut r = Random::new(6);
    around(len, |_| ([0.0, r.unit() * len as f32 / 3.0, 0.0], [0.5; 3]))
}

fn outlier(len: usize) -> Bounds<D3> {
    let mut bounds = uniform(len);
    bounds.set(len / 2, [1e8; 3], [2e8; 3]);
    bounds
}

fn best(mut f: impl FnMut(), len: usize) -> f64 {
    let runs = (20_000_000 / len).clamp(3, 300);
    (0..runs).fold(f64::INFINITY, |least, _| {
        let start = Instant::now();
        f();
        least.min(start.elapsed().as_secs_f64())
    }) / len as f64
        * 1e9
}

fn time<S: Space>(name: &str, bounds: &Bounds<S>) {
    let len = bounds.len();
    let mut sweep = ColumnSweep::new();
    let mut out = Vec::new();
    let build = best(|| sweep.build(bounds).expect("sound bounds"), len);
    let count = best(|| _ = sweep.count(&|_, _| true), len);
    let pairs = best(|| sweep.pairs_into(&|_, _| true, None, &mut out).expect("no limit"), len);
    let both = best(
        || {
            sweep.build(bounds).expect("sound bounds");
            sweep.pairs_into(&|_, _| true, None, &mut out).expect("no limit");
        },
        len,
    );
    let sorted = best(|| _ = sweep.sorted_pairs(&|_, _| true, None).expect("no limit"), len);
    println!(
        "{name:10} {len:9} {build:8.1} {count:8.1} {pairs:8.1} {both:8.1} {sorted:8.1} {:8.2} {:7}",
        out.len() as f64 / len as f64,
        sweep.chunk_count()
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse().expect("a number"));
    let largest: usize = arguments.next().unwrap_or(1_000_000);
    let threads: usize = arguments.next().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    println!("{} with {threads} threads, ns per body", Isa::choose().expect("JOSTLE_ISA names what this machine has"));
    println!("scene           bodies    build    count    pairs     both   sorted  pairs/n  chunks");
    pool.install(|| {
        for len in [1_000, 10_000, 100_000, 1_000_000, 10_000_000].into_iter().filter(|&len| len <= largest) {
            time("uniform", &uniform(len));
            time("flat", &flat(len));
            time("plane 2D", &plane(len));
            time("clustered", &clustered(len));
            time("mixed", &mixed(len));
            time("rods", &rods(len));
            time("line", &line(len));
            time("outlier", &outlier(len));
        }
    });
}
