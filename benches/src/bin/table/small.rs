//! `table small`: small scenes queried as most programs do it, from the main thread with rayon's own pool; beside the
//! same on one thread, and from within a pool of two.
//!
//! Wall time is measured, so the machine must be idle otherwise.

use std::hint::black_box;

use jostle::{D2, D3, Engine};
use jostle_benches::clock::{Clock, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::kinds::{DrawSpace, Kind};
use jostle_benches::pool;

use crate::Options;

/// Queries in a row: entering a pool takes as long as a small query.
const ASKED: usize = 20;
/// The margin.
const MARGIN: f64 = 0.5;

/// Prints all scenes for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!(
        "all contacts, {ASKED} times in a row, wall time, ns a body; behind a time: how many times faster than one thread"
    );
    println!(
        "{:<10} {:>8} {:>11} {:>18} {:>22}",
        "scene", "bodies", "one thread", "in a pool of two", "from the main thread"
    );
    for &count in counts {
        print::<D2>("discs 2D", Kind::Ball, count, options);
        print::<D2>("polygons2D", Kind::Hull(8), count, options);
        print::<D3>("balls 3D", Kind::Ball, count, options);
        print::<D3>("boxes 3D", Kind::Box, count, options);
        print::<D3>("hulls 3D", Kind::Hull(16), count, options);
    }
}

fn print<S: DrawSpace>(name: &str, kind: Kind, count: usize, options: &Options) {
    let crowd = Crowd::<S>::new(kind, count, MARGIN, 0.0, 1);
    let bodies = crowd.bodies.columns();
    let mut memory = [(); 3].map(|()| (Engine::<S>::new(), Vec::new()));
    let [one, two, outside] = memory.each_mut().map(|(engine, rows)| {
        || {
            for _ in 0..ASKED {
                match engine.contacts(black_box(&bodies), MARGIN, rows) {
                    Ok(report) => drop(black_box(report)),
                    Err(error) => unreachable!("{error}"),
                }
            }
        }
    });
    let (mut one, mut two, mut outside) = (one, two, outside);
    let pools = [1, 2].map(pool);
    let times = race(
        Clock::Wall,
        options.repeat,
        &mut [&mut || pools[0].install(&mut one), &mut || pools[1].install(&mut two), &mut outside],
    );
    let each = |index: usize| times[index].median() / (ASKED * count) as f64;
    let told = |index: usize| format!("{:.0} ({:.2}x)", each(index), times[0].over(&times[index]));
    println!("{name:<10} {count:>8} {:>11.0} {:>18} {:>22}", each(0), told(1), told(2));
}
