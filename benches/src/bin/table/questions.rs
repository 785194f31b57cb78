//! `table questions`: nanoseconds per pair for each question, jostle alone, in turns.

use std::hint::black_box;

use jostle::Side;
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{DrawSpace, Row};
use jostle_benches::pairs::{Distances, Pairs};
use jostle_narrowphase::{Records, within};
use jostle_tasks::Pool;

use crate::{Options, chosen};

/// The limit of the column `near`, metres: a quarter of the pairs overlap, another is nearer than this.
const NEAR: f64 = 0.1;

/// Prints the rows whose names were given, or all.
pub fn run(names: &[String], options: &Options) {
    println!("{} pairs, answers of one call each; behind a time: how many times cheaper than distance", options.pairs);
    println!("{:<10} {:>9} {:>16} {:>16} {:>9}", "kind", "distance", "overlap", "nearer than 0.1", "to f64");
    for row in chosen(names) {
        in_its_space!(print, &row, options);
    }
}

fn print<S: DrawSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let bodies = scene.columns();
    let mut ours = Distances::<S>::default();
    let mut sides: Vec<Side> = Vec::new();
    let sound = |answer: Result<(), jostle::WithinError>| answer.unwrap_or_else(|error| unreachable!("{error}"));
    let mut near = Vec::new();
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || ours.ask(&bodies, &scene.pairs),
            &mut || sound(jostle::within_into::<f32, _, _>(&bodies, &scene.pairs, 0.0, black_box(&mut sides))),
            &mut || sound(jostle::within_into::<f32, _, _>(&bodies, &scene.pairs, NEAR, black_box(&mut near))),
        ],
    );
    let mut records = Records::<S, f32>::default();
    records.make(&bodies);
    let rescued = within::<f32, _>(&bodies, records.source(), &scene.pairs, 0.0, &mut sides, &Pool::default());
    let count = options.pairs as f64;
    let cheaper = |index: usize| format!("{:.1} ({:.1}x)", times[index].median() / count, times[0].over(&times[index]));
    println!(
        "{:<10} {:>9.1} {:>16} {:>16} {:>8.2}%",
        row.name,
        times[0].median() / count,
        cheaper(1),
        cheaper(2),
        100.0 * rescued as f64 / count,
    );
}
