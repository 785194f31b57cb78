//! `table narrowphase`: nanoseconds a pair, jostle against parry.

use std::hint::black_box;

use jostle::{D3, Proximity, Status};
use jostle_benches::capsules;
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::{Kind, Row};
use jostle_benches::pairs::{Distances, Pairs};
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_narrowphase::{Records, solve};
use jostle_tasks::Pool;

use crate::{Options, chosen};

/// Prints the rows whose names were given, or all.
pub fn run(names: &[String], options: &Options) {
    println!("{} pairs; parry 0.31: contact (ball: its typed call)", options.pairs);
    println!(
        "{:<10} {:>9} {:>9} {:>7} {:>6}   {:>7} {:>7} {:>8} {:>9} {:>9}",
        "kind", "jostle", "parry", "times", "goal", "records", "solve", "to f64", "disagree", "all f64"
    );
    for row in chosen(names) {
        in_its_space!(print, &row, options);
        if row.name == "capsule" {
            by_hand(options);
        }
    }
}

fn print<S: RivalSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let bodies = scene.columns();
    let mut rival = S::Rival::new(&scene);
    let typed = row.kind == Kind::Ball;
    let mut ours = Distances::<S>::default();
    let mut made = Records::<S, f32>::default();
    let memory = Pool::default();
    let mut again: Vec<Proximity<S, f32>> = Vec::new();
    let mut double = Distances::<S, f64>::default();
    let mut rescued = 0;
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || ours.ask(&bodies, &scene.pairs),
            &mut || {
                if typed {
                    rival.balls(black_box(&scene.pairs));
                } else {
                    rival.contacts(black_box(&scene.pairs));
                }
            },
            &mut || made.make(black_box(&bodies)),
        ],
    );
    let solving = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || rescued = solve(&bodies, made.source(), &scene.pairs, black_box(&mut again), &memory),
            &mut || {
                double.ask(&bodies, &scene.pairs);
            },
        ],
    );
    let count = options.pairs as f64;
    let per_pair = |index: usize| times[index].median() / count;
    println!(
        "{:<10} {:>9.1} {:>9.1} {:>7.1} {:>6.0}   {:>7.1} {:>7.1} {:>7.2}% {:>8.3}% {:>9.1}",
        row.name,
        per_pair(0),
        per_pair(1),
        times[1].over(&times[0]),
        row.goal,
        per_pair(2),
        solving[0].median() / count,
        100.0 * rescued as f64 / count,
        100.0 * disagreement(&ours.rows, &rival.distances()),
        solving[1].median() / count,
    );
}

/// The share of pairs on which the two disagree: by more than 1e-3, or the rival found nothing.
pub fn disagreement<S: RivalSpace>(rows: &[Proximity<S, f32>], theirs: &[Option<f32>]) -> f64 {
    let differ = |(row, theirs): (&Proximity<S, f32>, &Option<f32>)| {
        row.status == Status::Unconverged || !theirs.is_some_and(|theirs| (theirs - row.distance).abs() <= 1e-3)
    };
    rows.iter().zip(theirs).filter(|&pair| differ(pair)).count() as f64 / rows.len() as f64
}

/// Capsules once more, against code written by hand.
fn by_hand(options: &Options) {
    let scene = Pairs::<D3>::new(Kind::Capsule, options.pairs, 1);
    let bodies = scene.columns();
    let theirs = capsules::capsules(&scene);
    let (mut ours, mut found) = (Distances::<D3>::default(), Vec::new());
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [&mut || ours.ask(&bodies, &scene.pairs), &mut || {
            capsules::contacts(&theirs, &scene.pairs, black_box(&mut found));
        }],
    );
    let count = options.pairs as f64;
    let differ =
        ours.rows.iter().zip(&found).filter(|(row, theirs)| (row.distance - theirs.distance).abs() > 1e-3).count();
    println!(
        "{:<10} {:>9.1} {:>9.1} {:>7.1} {:>6.0}   {:>35.3}%",
        "  by hand",
        times[0].median() / count,
        times[1].median() / count,
        times[1].over(&times[0]),
        10.0,
        100.0 * differ as f64 / count,
    );
}

/// Runs jostle alone on the rows named, for a profiler.
pub fn profile(names: &[String], options: &Options) {
    for row in chosen(names) {
        in_its_space!(alone, &row, options);
    }
}

fn alone<S: RivalSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let bodies = scene.columns();
    let mut ours = Distances::<S>::default();
    let times = race(Clock::Thread, options.repeat, &mut [&mut || ours.ask(&bodies, &scene.pairs)]);
    println!("{:<10} {:>9.1} ns a pair", row.name, times[0].median() / options.pairs as f64);
}
