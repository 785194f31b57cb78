//! `table nearest`: nanoseconds a body for the nearest few others of each, from nothing.

use std::hint::black_box;

use jostle::{D2, D3, Neighbours, nearest};
use jostle_benches::clock::{Clock, Times, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::kinds::Kind;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::trees::rstar_nearest;

use crate::Options;

/// The largest difference of two answers that counts as none: the rivals' numbers are `f32`, of some hundreds.
const SAME: f32 = 1e-3;

/// Prints all scenes for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!("ns a body; behind a rival: how many times jostle's time it takes");
    println!("{:<10} {:>8} {:>3} {:>8} {:>16} {:>16}", "scene", "bodies", "k", "jostle", "rstar, centres", "parry BVH");
    for &count in counts {
        for most in [1, 8] {
            print::<D2>("discs 2D", Kind::Ball, count, most, Some(rstar_nearest::<2>), options);
            print::<D3>("balls 3D", Kind::Ball, count, most, Some(rstar_nearest::<3>), options);
            print::<D2>("polygons2D", Kind::Hull(8), count, most, None, options);
            print::<D3>("capsules3D", Kind::Capsule, count, most, None, options);
            print::<D3>("boxes 3D", Kind::Box, count, most, None, options);
        }
    }
}

/// A search by centres: positions, their radius, the number of neighbours, and where their distances go.
type ByCentres<S> = fn(&[<S as jostle::Space>::Array<f64>], f64, usize, &mut Vec<f32>);

fn print<S: RivalSpace>(
    name: &str,
    kind: Kind,
    count: usize,
    most: usize,
    by_centres: Option<ByCentres<S>>,
    options: &Options,
) {
    let crowd = Crowd::<S>::new(kind, count, 0.0, 0.0, 1);
    let (bodies, rival) = (crowd.bodies.columns(), S::Rival::new(&crowd.bodies));
    let (mut ours, mut centres, mut tree) = (Neighbours::<S>::default(), Vec::new(), Vec::new());
    let radius = crowd.bodies.shapes[0].radius();
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                if let Err(error) = nearest(black_box(&bodies), most, black_box(&mut ours)) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                if let Some(by_centres) = by_centres {
                    by_centres(black_box(&crowd.bodies.position), radius, most, black_box(&mut centres));
                }
            },
            &mut || {
                // parry has no search for several.
                if most == 1 {
                    rival.nearest(black_box(&mut tree));
                }
            },
        ],
    );
    let told = (0..count).flat_map(|body| ours.of(body).iter().map(|near| near.distance));
    if by_centres.is_some() {
        let wrong = told.clone().zip(&centres).filter(|(a, b)| (a - **b).abs() > SAME).count();
        if wrong > 0 || told.clone().count() != centres.len() {
            eprintln!("{name}: rstar finds {} distances, {wrong} of them others", centres.len());
        }
    }
    if most == 1 {
        // parry has 0 for all that overlap.
        let distance = |found: &Option<(u32, f32)>| found.map_or(f32::INFINITY, |(_, distance)| distance);
        let wrong = told.clone().zip(&tree).filter(|(a, b)| (a.max(0.0) - distance(b)).abs() > SAME).count();
        if wrong > 0 || told.count() != tree.len() {
            eprintln!("{name}: parry finds {} distances, {wrong} of them others", tree.len());
        }
    }
    let per_body = |times: &Times| times.median() / count as f64;
    let rival = |known: bool, theirs: &Times| {
        if known { format!("{:.0} ({:.1}x)", per_body(theirs), theirs.over(&times[0])) } else { "-".to_owned() }
    };
    println!(
        "{name:<10} {count:>8} {most:>3} {:>8.0} {:>16} {:>16}",
        per_body(&times[0]),
        rival(by_centres.is_some(), &times[1]),
        rival(most == 1, &times[2]),
    );
}
