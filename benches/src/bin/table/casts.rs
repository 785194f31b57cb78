//! `table casts`: the first time of impact of pairs of bodies in linear motion, beside parry's `cast_shapes`.
//!
//! The narrowphase's scene, with the bodies of each pair moving towards each other's positions, more or less: some
//! meet, some miss, a quarter overlap at the start. jostle answers in `f64`.

use std::hint::black_box;

use jostle::{Cast, CastStatus, Motion};
use jostle_benches::clock::{Clock, race};
use jostle_benches::kinds::Row;
use jostle_benches::pairs::Pairs;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::random::Random;

use crate::{Options, chosen};

/// Seconds.
const DURATION: f64 = 1.0;

/// Prints the rows whose names were given, or all.
pub fn run(names: &[String], options: &Options) {
    println!(
        "{} pairs, ns a pair; times differ: by more than 1e-3 of the duration, or one of the two finds none",
        options.pairs
    );
    println!(
        "{:<10} {:>9} {:>9} {:>7} {:>8} {:>8} {:>13}",
        "kind", "jostle", "parry", "times", "hits", "starts", "times differ"
    );
    for row in chosen(names) {
        in_its_space!(print, &row, options);
    }
}

/// Half the way to each other's positions, plus up to half of that way in a random direction.
fn velocities<S: RivalSpace>(scene: &Pairs<S>) -> Vec<S::Array<f64>> {
    let mut random = Random::new(7);
    let mut velocities = vec![S::array(|_| 0.0); scene.position.len()];
    for &[a, b] in &scene.pairs {
        let (from, to) = (scene.position[a as usize], scene.position[b as usize]);
        let between = S::array(|k| to[k] - from[k]);
        let length = between.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        for (body, sign) in [(a, 0.5), (b, -0.5)] {
            let (aside, share) = (S::direction(&mut random), random.between(0.0, 0.5));
            velocities[body as usize] = S::array(|k| sign * between[k] + share * length * aside[k]);
        }
    }
    velocities
}

fn print<S: RivalSpace>(row: &Row, options: &Options) {
    let scene = Pairs::<S>::new(row.kind, options.pairs, 1);
    let velocities = velocities(&scene);
    let bodies = scene.columns().with_velocities(&velocities).unwrap_or_else(|error| unreachable!("{error}"));
    let rival = S::Rival::new(&scene);
    let (mut rows, mut found): (Vec<Cast<S>>, _) = (Vec::new(), Vec::new());
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                let done = jostle::cast_into(&bodies, &scene.pairs, Motion::lasting(DURATION), black_box(&mut rows));
                done.unwrap_or_else(|error| unreachable!("{error}"));
            },
            &mut || rival.casts(&scene.pairs, &velocities, DURATION, black_box(&mut found)),
        ],
    );
    let is_hit = |cast: &Cast<S>| matches!(cast.status, CastStatus::Hit | CastStatus::Start);
    let differ = |(cast, theirs): (&Cast<S>, &Option<f32>)| match theirs {
        Some(time) => !is_hit(cast) || (f64::from(*time) - cast.time).abs() > 1e-3 * DURATION,
        None => is_hit(cast),
    };
    let count = options.pairs as f64;
    let share = |number: usize| 100.0 * number as f64 / count;
    println!(
        "{:<10} {:>9.1} {:>9.1} {:>7.1} {:>7.1}% {:>7.1}% {:>12.2}%",
        row.name,
        times[0].median() / count,
        times[1].median() / count,
        times[1].over(&times[0]),
        share(rows.iter().filter(|cast| cast.status == CastStatus::Hit).count()),
        share(rows.iter().filter(|cast| cast.status == CastStatus::Start).count()),
        share(rows.iter().zip(&found).filter(|&pair| differ(pair)).count()),
    );
}
