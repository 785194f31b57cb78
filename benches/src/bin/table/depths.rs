//! `table depths`: nanoseconds per pair where all pairs touch or overlap, a little or up to centres in one place,
//! jostle against parry.
//!
//! Parry's `contact` expands a polytope and may end at a depth that is not the least. So the first pairs of both are
//! compared with the least depth as `jostle-verify` bounds it. (Parry's positions are `f32`, which alone makes an error
//! of some 1e-6 here.)

use std::hint::black_box;

use jostle::Proximity;
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{Kind, Row};
use jostle_benches::pairs::{Distances, Pairs, Spread};
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_narrowphase::{Records, Scratch, Until, measure};
use jostle_verify::minimum_depth;

use crate::{Options, chosen};

/// The number of pairs that are compared with the least depth.
const PROVED: usize = 300;
/// The largest difference from the least depth that counts as none, as a share of the size of a pair.
const NEAR: f64 = 1e-5;

/// Prints the rows whose names were given, or all that have depths to be searched.
pub fn run(names: &[String], options: &Options) {
    println!(
        "{} pairs, all touching or overlapping; parry 0.31: contact; search: depths in lanes; off: more than 1e-5 of the size from",
        options.pairs
    );
    println!(
        "the least depth that is possible, and the most it is, in parts of the size (of the first {PROVED} pairs)"
    );
    println!(
        "{:<10} {:<8} {:>9} {:>9} {:>6} {:>9} {:>7}   {:>8} {:>9}   {:>9} {:>9}",
        "kind", "overlap", "jostle", "search", "goal", "parry", "times", "off", "most", "parry off", "most"
    );
    for row in chosen(names) {
        in_its_space!(print, &row, options);
    }
}

/// The mean that issue 4 sets as the goal, ns.
fn goal(row: &Row, spread: Spread) -> Option<f64> {
    let deep = spread == Spread::Deep;
    if spread == Spread::Touching {
        return None;
    }
    match row.kind {
        Kind::Box if row.dimension == 3 => Some(15.0),
        Kind::Cylinder | Kind::Cone => Some(600.0),
        Kind::Hull(16) => Some(if deep { 600.0 } else { 250.0 }),
        Kind::Hull(64) => Some(if deep { 1500.0 } else { 400.0 }),
        Kind::Hull(256) => Some(if deep { 7000.0 } else { 1200.0 }),
        _ => None,
    }
}

fn print<S: RivalSpace>(row: &Row, options: &Options) {
    for (spread, name) in [(Spread::Touching, "touching"), (Spread::Shallow, "shallow"), (Spread::Deep, "deep")] {
        let touching = spread == Spread::Touching;
        // Balls that overlap take the same path as others.
        if !touching && row.kind == Kind::Ball {
            continue;
        }
        let scene = Pairs::<S>::spread(row.kind, spread, options.pairs, 1);
        let bodies = scene.columns();
        let mut rival = S::Rival::new(&scene);
        let mut records = Records::<S, f32>::default();
        records.make(&bodies);
        let source = records.source();
        let mut asked = Distances::<S>::default();
        let stage = |until: Until| {
            let mut rows = vec![Proximity::<S, f32>::default(); options.pairs];
            let mut scratch = Scratch::default();
            let (bodies, pairs) = (&bodies, &scene.pairs);
            move || measure(bodies, source, pairs, until, black_box(&mut rows), &mut scratch)
        };
        let (mut apart, mut searched) = (stage(Until::Apart), stage(Until::Lanes));
        let times = race(
            Clock::Thread,
            options.repeat,
            &mut [
                &mut || asked.ask(&bodies, &scene.pairs),
                &mut || rival.contacts(black_box(&scene.pairs)),
                &mut apart,
                &mut searched,
            ],
        );
        let count = options.pairs as f64;
        let per_pair = |index: usize| times[index].median() / count;
        let (mut ours, mut theirs) = (Excess::default(), Excess::default());
        let mut unproved = 0;
        for ((&[a, b], mine), other) in scene.pairs.iter().zip(&asked.rows).zip(rival.distances()).take(PROVED) {
            let least = minimum_depth(&bodies, a as usize, b as usize);
            unproved += usize::from(!least.proved);
            let reach = |body: u32| scene.shapes[scene.shape[body as usize] as usize].reach();
            let off = |distance: f32| (-f64::from(distance) - least.lower_bound) / (reach(a) + reach(b));
            ours.see(off(mine.distance));
            // A contact that was not found is as wrong as can be.
            theirs.see(other.map_or(f64::INFINITY, off));
        }
        println!(
            "{:<10} {:<8} {:>9.1} {:>9} {:>6} {:>9.1} {:>7.1}   {:>7.2}% {:>9.1e}   {:>8.2}% {:>9.1e}",
            row.name,
            name,
            per_pair(0),
            // Pairs that touch are decided in `f64`. In the plane, and for capsules, one computation gives both
            // distances and depths.
            if touching || S::DIMENSION == 2 || row.kind == Kind::Capsule {
                String::new()
            } else {
                format!("{:.1}", per_pair(3) - per_pair(2))
            },
            goal(row, spread).map_or(String::new(), |goal| format!("{goal:.0}")),
            per_pair(1),
            times[1].over(&times[0]),
            ours.share(),
            ours.most,
            theirs.share(),
            theirs.most,
        );
        if unproved > 0 {
            println!("{:<10} {:<8} (the least depth of {unproved} of {PROVED} pairs is not proved)", row.name, name);
        }
    }
}

/// By how much depths differ from the minimum.
#[derive(Default)]
struct Excess {
    seen: usize,
    off: usize,
    most: f64,
}

impl Excess {
    fn see(&mut self, off: f64) {
        let off = if off.is_nan() { f64::INFINITY } else { off.abs() };
        self.seen += 1;
        self.off += usize::from(off > NEAR);
        self.most = self.most.max(off);
    }
    /// In percent.
    fn share(&self) -> f64 {
        100.0 * self.off as f64 / self.seen as f64
    }
}
