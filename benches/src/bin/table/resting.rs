//! `table resting`: nanoseconds a pair of bodies that stand on each other, jostle against parry.

use std::hint::black_box;

use jostle::D3;
use jostle_benches::clock::{Clock, race};
use jostle_benches::pairs::Distances;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::resting::{Stand, resting};

use crate::Options;

/// What stands on what.
const STANDS: [(&str, Stand, Stand); 12] = [
    ("box, box", Stand::Box, Stand::Box),
    ("box, cylinder", Stand::Box, Stand::Cylinder),
    ("box, cone", Stand::Box, Stand::Cone),
    ("box, prism", Stand::Box, Stand::Prism),
    ("box, capsule", Stand::Box, Stand::Capsule),
    ("box, ball", Stand::Box, Stand::Ball),
    ("cylinder, cylinder", Stand::Cylinder, Stand::Cylinder),
    ("cylinder, cone", Stand::Cylinder, Stand::Cone),
    ("cylinder, prism", Stand::Cylinder, Stand::Prism),
    ("cylinder, capsule", Stand::Cylinder, Stand::Capsule),
    ("prism, prism", Stand::Prism, Stand::Prism),
    ("prism, capsule", Stand::Prism, Stand::Capsule),
];

/// The gap in metres and the tilt in radians.
const STATES: [(f64, f64); 7] =
    [(1e-2, 0.0), (1e-3, 0.0), (0.0, 0.0), (-1e-3, 0.0), (-1e-2, 0.0), (1e-3, 1e-4), (-1e-3, 1e-4)];

/// Prints a row for each pair of kinds, a column for each state.
pub fn run(options: &Options) {
    println!("{} pairs, jostle ns (x of parry 0.31, contact); gap, m / tilt, radians", options.pairs);
    print!("{:<20}", "below, above");
    for (gap, tilt) in STATES {
        print!(" {:>15}", if tilt > 0.0 { format!("{gap:e}/{tilt:e}") } else { format!("{gap:e}") });
    }
    println!();
    for (name, below, above) in STANDS {
        print!("{name:<20}");
        for (gap, tilt) in STATES {
            let scene = resting(below, above, gap, tilt, options.pairs, 1);
            let bodies = scene.columns();
            let mut rival = <D3 as RivalSpace>::Rival::new(&scene);
            let mut ours = Distances::<D3>::default();
            let times = race(
                Clock::Thread,
                options.repeat,
                &mut [&mut || ours.ask(&bodies, &scene.pairs), &mut || {
                    rival.contacts(black_box(&scene.pairs));
                }],
            );
            let ours = times[0].median() / options.pairs as f64;
            print!(" {:>8.0} ({:>4.1})", ours, times[1].over(&times[0]));
        }
        println!();
    }
}
