//! `table meetings`: nanoseconds a pair of two different kinds, jostle against parry.

use std::hint::black_box;

use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{Kind, Row};
use jostle_benches::pairs::{Distances, Pairs};
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_narrowphase::{Records, solve};
use jostle_tasks::Pool;

use crate::narrowphase::disagreement;
use crate::{Options, chosen};

/// Prints each two of the kinds whose names were given, or of one of each family.
pub fn run(names: &[String], options: &Options) {
    println!("{} pairs, each of either kind in either order; parry 0.31: contact", options.pairs);
    println!("{:<22} {:>9} {:>9} {:>7} {:>8} {:>9}", "kinds", "jostle", "parry", "times", "to f64", "disagree");
    let one_of_each = |row: &Row| !matches!(row.kind, Kind::Hull(64 | 256) | Kind::Unique(_) | Kind::Mixed);
    let rows: Vec<Row> = chosen(names).filter(|row| !names.is_empty() || one_of_each(row)).collect();
    for (number, first) in rows.iter().enumerate() {
        for second in rows[number + 1..].iter().filter(|second| second.dimension == first.dimension) {
            if first.dimension == 2 {
                print::<jostle::D2>([first, second], options);
            } else {
                print::<jostle::D3>([first, second], options);
            }
        }
    }
}

fn print<S: RivalSpace>(rows: [&Row; 2], options: &Options) {
    let scene = Pairs::<S>::of_two(rows.map(|row| row.kind), options.pairs, 1);
    let bodies = scene.columns();
    let (mut ours, mut rival) = (Distances::<S>::default(), S::Rival::new(&scene));
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [&mut || ours.ask(&bodies, &scene.pairs), &mut || rival.contacts(black_box(&scene.pairs))],
    );
    let mut records = Records::<S, f32>::default();
    records.make(&bodies);
    let rescued = solve(&bodies, records.source(), &scene.pairs, &mut Vec::new(), &Pool::default());
    let count = options.pairs as f64;
    println!(
        "{:<22} {:>9.1} {:>9.1} {:>7.1} {:>7.2}% {:>8.3}%",
        format!("{} {}", rows[0].name, rows[1].name),
        times[0].median() / count,
        times[1].median() / count,
        times[1].over(&times[0]),
        100.0 * rescued as f64 / count,
        100.0 * disagreement(&ours.rows, &rival.distances()),
    );
}
