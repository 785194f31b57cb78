//! `table stages`: where the time of a distance goes, nanoseconds per pair, jostle alone, stages in turns.
//!
//! Each stage is timed together with those before it, and the differences are shown; records are made beforehand.

use std::hint::black_box;

use jostle::Proximity;
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{DrawSpace, Row};
use jostle_benches::pairs::Pairs;
use jostle_narrowphase::{Records, Scratch, Until, measure};

use crate::{Options, chosen};

/// Prints the rows whose names were given, or all.
pub fn run(names: &[String], options: &Options) {
    println!("{} pairs, records made beforehand; ns a pair", options.pairs);
    println!(
        "{:<10} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8} {:>8}",
        "kind", "sort", "gather", "scatter", "distances", "depths", "in f64", "all"
    );
    for row in chosen(names) {
        in_its_space!(print, &row, options);
    }
}

fn print<S: DrawSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let bodies = scene.columns();
    let mut records = Records::<S, f32>::default();
    records.make(&bodies);
    let source = records.source();
    let contestant = |until: Until| {
        let mut rows = vec![Proximity::<S, f32>::default(); options.pairs];
        let mut scratch = Scratch::default();
        let (bodies, pairs) = (&bodies, &scene.pairs);
        move || measure(bodies, source, pairs, until, black_box(&mut rows), &mut scratch)
    };
    let [mut sorted, mut gathered, mut scattered, mut apart, mut lanes, mut done] = Until::ALL.map(contestant);
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [&mut sorted, &mut gathered, &mut scattered, &mut apart, &mut lanes, &mut done],
    );
    let [sorted, gathered, scattered, apart, lanes, done] =
        core::array::from_fn(|stage| times[stage].median() / options.pairs as f64);
    println!(
        "{:<10} {:>8.1} {:>8.1} {:>8.1} {:>10.1} {:>8.1} {:>8.1} {:>8.1}",
        row.name,
        sorted,
        gathered - sorted,
        scattered - gathered,
        apart - scattered,
        lanes - apart,
        done - lanes,
        done
    );
}
