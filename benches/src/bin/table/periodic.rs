//! `table periodic`: all near pairs where space repeats, beside the same scene in open space and the cell list of a
//! particle code: as rows, as indices only, and as candidates of the broadphase.

use std::hint::black_box;

use jostle::{Columns, D2, D3, Engine, Lattice, PeriodicEngine, Proximity, Rotations};
use jostle_benches::clock::{Clock, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::disc_cells::{DiscCells, PeriodicDiscCells};
use jostle_benches::kinds::{DrawSpace, Kind};

use crate::Options;

/// The margin: the size of a body.
const MARGIN: f64 = 0.5;

/// Prints all kinds for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!("ns a body; behind a time how many times jostle's it is, or (open) what jostle's time is of it");
    println!(
        "{:<12} {:>8} {:<10} {:>6} {:>9} {:>15} {:>17} {:>17}",
        "scene", "bodies", "", "found", "time", "in open space", "cell list", "in open space"
    );
    for &count in counts {
        print::<2, D2>("discs 2D", Kind::Ball, count, options);
        print::<3, D3>("balls 3D", Kind::Ball, count, options);
        print::<2, D2>("polygons 2D", Kind::Hull(8), count, options);
        print::<3, D3>("capsules 3D", Kind::Capsule, count, options);
        print::<3, D3>("boxes 3D", Kind::Box, count, options);
        print::<3, D3>("hulls 3D", Kind::Hull(16), count, options);
    }
}

fn print<const N: usize, S>(name: &str, kind: Kind, count: usize, options: &Options)
where
    S: DrawSpace<Array<f64> = [f64; N]> + jostle::Dimension,
{
    let crowd = Crowd::<S>::new(kind, count, 0.0, 0.0, 1).bodies;
    let side = (count as f64).powf(1.0 / N as f64);
    let rotations = Rotations::Double(&crowd.rotation);
    let (Ok(bodies), Ok(lattice)) = (
        Columns::<S>::new(&crowd.shapes, &crowd.shape, &crowd.position, rotations),
        Lattice::<S>::orthogonal([side; N]),
    ) else {
        unreachable!("all numbers are good");
    };
    let bodies = black_box(&bodies);
    let radii: Vec<f64> = crowd.shape.iter().map(|&shape| crowd.shapes[shape as usize].reach()).collect();
    let (centres, is_round) = (black_box(&crowd.position), kind == Kind::Ball);
    let (mut engine, mut open) = (PeriodicEngine::<S>::new(lattice), Engine::<S>::new());
    let (mut rows, mut open_rows): (Vec<_>, Vec<Proximity<S, f32>>) = (Vec::new(), Vec::new());
    let (mut list, mut open_list) = (Vec::new(), Vec::new());
    let mut cells = (PeriodicDiscCells::<N>::default(), DiscCells::<N>::default());
    let (mut theirs, mut open_theirs) = (Vec::new(), Vec::new());
    let (mut their_list, mut open_their_list) = (Vec::new(), Vec::new());
    for what in [What::Rows, What::NearPairs, What::Pairs] {
        let times = race(
            Clock::Thread,
            options.repeat,
            &mut [
                &mut || match what {
                    What::Rows => drop(black_box(engine.contacts(bodies, MARGIN, &mut rows))),
                    What::NearPairs => drop(black_box(engine.near_pairs(bodies, MARGIN, &mut list))),
                    What::Pairs => drop(black_box(engine.pairs(bodies, MARGIN, &mut list))),
                },
                &mut || match what {
                    What::Rows => drop(black_box(open.contacts(bodies, MARGIN, &mut open_rows))),
                    What::NearPairs => drop(black_box(open.near_pairs(bodies, MARGIN, &mut open_list))),
                    What::Pairs => drop(black_box(open.pairs(bodies, MARGIN, &mut open_list))),
                },
                &mut || match what {
                    What::Rows if is_round => cells.0.contacts(centres, &radii, side, MARGIN, &mut theirs),
                    What::NearPairs if is_round => cells.0.pairs(centres, &radii, side, MARGIN, &mut their_list),
                    _ => {}
                },
                &mut || match what {
                    What::Rows if is_round => cells.1.contacts(centres, &radii, MARGIN, &mut open_theirs),
                    What::NearPairs if is_round => cells.1.pairs(centres, &radii, MARGIN, &mut open_their_list),
                    _ => {}
                },
            ],
        );
        let (found, same) = match what {
            What::Rows => (rows.len(), [rows.len(), theirs.len(), open_rows.len(), open_theirs.len()]),
            _ => (list.len(), [list.len(), their_list.len(), open_list.len(), open_their_list.len()]),
        };
        let has_rival = is_round && !matches!(what, What::Pairs);
        let [here, there, open_here, open_there] = same;
        if has_rival && here.abs_diff(there).max(open_here.abs_diff(open_there)) > count / 10_000 {
            eprintln!("{name}, {}: {here} found, {there} by the cell list; {open_here}, {open_there}", what.name());
        }
        let each = |k: usize| times[k].median() / count as f64;
        let rival = |rival: usize, ours: usize| {
            let x = || format!("{:.0} ({:.2}x)", each(rival), times[rival].over(&times[ours]));
            if has_rival { x() } else { "-".to_owned() }
        };
        println!(
            "{name:<12} {count:>8} {:<10} {:>6.2} {:>9.0} {:>15} {:>17} {:>17}",
            what.name(),
            found as f64 / count as f64,
            each(0),
            format!("{:.0} ({:.2})", each(1), times[0].over(&times[1])),
            rival(2, 0),
            rival(3, 1),
        );
    }
}

/// What is computed.
#[derive(Clone, Copy, Debug)]
enum What {
    Rows,
    NearPairs,
    Pairs,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::NearPairs => "near pairs",
            Self::Pairs => "boxes",
        }
    }
}
