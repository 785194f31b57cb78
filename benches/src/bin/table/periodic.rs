//! `table periodic`: all near pairs where space repeats, beside the same scene in open space, and beside the cell list
//! of a particle code.

use std::hint::black_box;

use jostle::{Columns, D2, D3, Engine, Lattice, PeriodicEngine, Proximity, Rotations};
use jostle_benches::clock::{Clock, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::disc_cells::{DiscCells, PeriodicDiscCells};
use jostle_benches::kinds::{DrawSpace, Kind};

use crate::Options;

/// Pairs that are as near as a body is large.
const MARGIN: f64 = 0.5;

/// Prints all kinds for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!("ns a body; behind a time how many times jostle's it is, or (open) what jostle's time is of it");
    println!(
        "{:<12} {:>8} {:>7} {:>9} {:>15} {:>9} {:>15} {:>17} {:>17}",
        "scene",
        "bodies",
        "rows/n",
        "contacts",
        "in open space",
        "pairs",
        "in open space",
        "cell list",
        "in open space"
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
    let radii: Vec<f64> = crowd.shape.iter().map(|&shape| crowd.shapes[shape as usize].reach()).collect();
    let is_round = kind == Kind::Ball;
    let (mut engine, mut open) = (PeriodicEngine::<S>::new(lattice), Engine::<S>::new());
    let (mut rows, mut open_rows): (Vec<_>, Vec<Proximity<S, f32>>) = (Vec::new(), Vec::new());
    let (mut pairs, mut open_pairs) = (Vec::new(), Vec::new());
    let (mut cells, mut open_cells) = (PeriodicDiscCells::<N>::default(), DiscCells::<N>::default());
    let (mut theirs, mut open_theirs) = (Vec::new(), Vec::new());
    let (mut lists, mut open_lists) = (PeriodicEngine::<S>::new(lattice), Engine::<S>::new());
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || drop(black_box(engine.contacts(black_box(&bodies), MARGIN, &mut rows))),
            &mut || drop(black_box(open.contacts(black_box(&bodies), MARGIN, &mut open_rows))),
            &mut || drop(black_box(lists.pairs(black_box(&bodies), MARGIN, &mut pairs))),
            &mut || drop(black_box(open_lists.pairs(black_box(&bodies), MARGIN, &mut open_pairs))),
            &mut || {
                if is_round {
                    cells.contacts(black_box(&crowd.position), &radii, side, MARGIN, &mut theirs);
                }
            },
            &mut || {
                if is_round {
                    open_cells.contacts(black_box(&crowd.position), &radii, MARGIN, &mut open_theirs);
                }
            },
        ],
    );
    if is_round && (rows.len().abs_diff(theirs.len()) > count / 10_000 || theirs.len() <= open_theirs.len()) {
        eprintln!(
            "{name}: {} rows, {} of the cell list, {} in open space",
            rows.len(),
            theirs.len(),
            open_theirs.len()
        );
    }
    let each = |k: usize| times[k].median() / count as f64;
    let beside = |open: usize, here: usize| format!("{:.0} ({:.2})", each(open), times[here].over(&times[open]));
    let rival = |rival: usize, ours: usize| {
        if is_round { format!("{:.0} ({:.2}x)", each(rival), times[rival].over(&times[ours])) } else { "-".to_owned() }
    };
    println!(
        "{name:<12} {count:>8} {:>7.2} {:>9.0} {:>15} {:>9.0} {:>15} {:>17} {:>17}",
        rows.len() as f64 / count as f64,
        each(0),
        beside(1, 0),
        each(2),
        beside(3, 2),
        rival(4, 0),
        rival(5, 1),
    );
}
