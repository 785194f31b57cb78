//! `table company`: what a pair costs beside pairs of other kinds, and on two threads.
//!
//! Wall time is measured, so the machine must be idle otherwise. The most that two threads can gain on it is measured
//! too.

use jostle_benches::ceiling::Spin;
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{DrawSpace, Kind, Row};
use jostle_benches::pairs::{Distances, Pairs};
use jostle_benches::pool;

use crate::{Options, chosen};

/// Prints the rows whose names were given, or all.
pub fn run(names: &[String], options: &Options) {
    println!(
        "{} pairs; wall time, ns a pair; behind a time: how many times faster than one thread, unsorted",
        options.pairs
    );
    println!(
        "{:<10} {:>11} {:>18} {:>18} {:>16}",
        "kind", "one thread", "two threads", "sorted by kind", "machine's, times"
    );
    for row in chosen(names) {
        in_its_space!(print, &row, options);
    }
}

fn print<S: DrawSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let sorted = scene.sorted_by_kind();
    let bodies = scene.columns();
    let [mut one, mut two, mut three] = [(); 3].map(|()| Distances::<S>::default());
    let pools = [1, 2].map(pool);
    // Where all pairs are of one kind there is nothing to sort.
    let mixed = row.kind == Kind::Mixed;
    let alone = &mut || pools[0].install(|| one.ask(&bodies, &scene.pairs));
    let ceiling = Spin::lasting(race(Clock::Wall, 3, &mut [&mut *alone])[0].median());
    let times = race(
        Clock::Wall,
        options.repeat,
        &mut [
            alone,
            &mut || pools[1].install(|| two.ask(&bodies, &scene.pairs)),
            &mut || {
                if mixed {
                    pools[0].install(|| three.ask(&bodies, &sorted));
                }
            },
            &mut || pools[0].install(|| ceiling.whole()),
            &mut || pools[1].install(|| ceiling.halves()),
        ],
    );
    let count = options.pairs as f64;
    let against = |index: usize| format!("{:.1} ({:.2}x)", times[index].median() / count, times[0].over(&times[index]));
    println!(
        "{:<10} {:>11.1} {:>18} {:>18} {:>16.2}",
        row.name,
        times[0].median() / count,
        against(1),
        if mixed { against(2) } else { "-".to_owned() },
        times[3].over(&times[4]),
    );
}
