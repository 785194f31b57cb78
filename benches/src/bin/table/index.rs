//! `table index`: a scene that is kept and asked: what it takes to make and to update, rays, who is near a probe, who
//! is nearest; many questions at once, and one at a time.

use std::hint::black_box;

use jostle::{Bodies, Body, Columns, D2, D3, Neighbours, Rotations, SceneIndex, Shape};
use jostle_benches::clock::{Clock, Times, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::kinds::Kind;
use jostle_benches::pairs::Pairs;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::random::Random;

use crate::Options;

/// How many questions.
const ASKED: usize = 1000;
/// How long rays are: of four in space three meet somebody.
const LONG: f64 = 8.0;
/// How near to a probe.
const MARGIN: f64 = 0.5;
/// How far bodies have moved when the index is updated, as a share of their size.
const MOTION: f64 = 0.02;
/// How far answers may be apart: the rival's numbers are `f32`.
const SAME: f32 = 1e-3;

/// Prints all scenes for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!(
        "{ASKED} rays of {LONG} sizes of a cell, {ASKED} probes, ns; in brackets how many times that parry's tree takes"
    );
    println!(
        "{:<10} {:>8} {:>14} {:>14} {:>16} {:>16} {:>16} {:>16} {:>16} {:>16}",
        "scene",
        "bodies",
        "make, a body",
        "update",
        "a ray",
        "one by one",
        "a probe",
        "one by one",
        "the nearest",
        "one by one"
    );
    for &count in counts {
        print::<D2>("discs 2D", Kind::Ball, count, options);
        print::<D2>("polygons2D", Kind::Hull(8), count, options);
        print::<D3>("balls 3D", Kind::Ball, count, options);
        print::<D3>("capsules3D", Kind::Capsule, count, options);
        print::<D3>("boxes 3D", Kind::Box, count, options);
        print::<D3>("hulls 3D", Kind::Hull(16), count, options);
    }
}

fn print<S: RivalSpace>(name: &str, kind: Kind, count: usize, options: &Options) {
    let crowd = Crowd::<S>::new(kind, count, 0.0, 0.0, 1);
    let (bodies, rival) = (crowd.bodies.columns(), S::Rival::new(&crowd.bodies));
    let mut later = Crowd::<S>::new(kind, count, 0.0, MOTION, 1);
    later.advance();
    let (later, rival_later) = (later.bodies.columns(), S::Rival::new(&later.bodies));
    let (mut random, side) = (Random::new(2), (count as f64).powf(1.0 / S::DIMENSION as f64));
    let rays: Vec<[S::Array<f64>; 2]> = (0..ASKED)
        .map(|_| {
            let way = S::direction(&mut random);
            [S::array(|_| random.between(0.0, side)), S::array(|k| way[k] * LONG)]
        })
        .collect();
    let ball = match Shape::ball(0.25) {
        Ok(ball) => ball,
        Err(error) => unreachable!("{error}"),
    };
    let one_by_one = |shape: &Shape<S>, body: &dyn Fn(usize) -> Body<S>| -> Vec<Bodies<S>> {
        let one = |index| {
            let mut one = Bodies::new();
            if let Err(error) = one.add_shape(shape.clone()) {
                unreachable!("{error}");
            }
            match one.push(body(index)) {
                Ok(_) => one,
                Err(error) => unreachable!("{error}"),
            }
        };
        (0..ASKED).map(one).collect()
    };
    let single_probes = one_by_one(&ball, &|ray| Body::new(0, rays[ray][0]));
    let from: Vec<_> = rays.iter().map(|ray| ray[0]).collect();
    let (balls, shape) = ([ball], [0; ASKED]);
    let Ok(probes) = Columns::new(&balls, &shape, &from, Rotations::Identity) else {
        unreachable!("all numbers are good");
    };
    let (shapes, rotation) = (balls.to_vec(), vec![S::identity_rotation(); ASKED]);
    let (shape, position) = (shape.to_vec(), from.clone());
    let their_probes = Pairs { shapes, shape, position, rotation, pairs: Vec::new(), furthest: MARGIN };
    let (tree, their_probes) = (rival.tree(), S::Rival::new(&their_probes));

    let make = || match SceneIndex::<S>::new(black_box(&bodies)) {
        Ok(index) => index,
        Err(error) => unreachable!("{error}"),
    };
    let (index, other) = (make(), make());
    let made = race(
        Clock::Thread,
        options.repeat,
        &mut [&mut || drop(black_box(make())), &mut || {
            drop(black_box(rival.tree()));
        }],
    );
    let (mut moving_index, mut moving_tree, mut memory) = (make(), rival.tree(), Default::default());
    let (mut ours_is_later, mut theirs_is_later) = (false, false);
    let updated = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                ours_is_later = !ours_is_later;
                let scene = if ours_is_later { &later } else { &bodies };
                if let Err(error) = moving_index.update(black_box(scene)) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                theirs_is_later = !theirs_is_later;
                let scene = if theirs_is_later { &rival_later } else { &rival };
                black_box(scene).refit(&mut moving_tree, &mut memory);
            },
        ],
    );
    let (mut hits, mut theirs) = (Vec::new(), Vec::new());
    let cast = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                if let Err(error) = index.rays(black_box(&rays), &mut hits) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                for &[from, way] in black_box(&rays) {
                    match other.ray(from, way) {
                        Ok(hit) => drop(black_box(hit)),
                        Err(error) => unreachable!("{error}"),
                    }
                }
            },
            &mut || rival.rays(black_box(&tree), black_box(&rays), &mut theirs),
        ],
    );
    let differ = hits.iter().zip(&theirs).filter(|(ours, theirs)| match (ours, theirs) {
        (Some(ours), Some((_, theirs))) => (ours.time as f32 - theirs).abs() > SAME,
        (ours, theirs) => ours.is_some() != theirs.is_some(),
    });
    let differ = differ.count();
    let (mut rows, mut single, mut count_theirs) = (Vec::new(), Vec::new(), 0);
    let near = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                if let Err(error) = index.contacts(black_box(&probes), MARGIN, &mut rows) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                for probe in &single_probes {
                    if let Err(error) = other.contacts(black_box(&probe.columns()), MARGIN, &mut single) {
                        unreachable!("{error}");
                    }
                }
            },
            &mut || count_theirs = rival.near(black_box(&tree), black_box(&their_probes), MARGIN),
        ],
    );
    if differ * 100 > ASKED || rows.len().abs_diff(count_theirs) * 1000 > rows.len() {
        eprintln!("{name}: {differ} rays end elsewhere; {} near, for parry {count_theirs}", rows.len());
    }
    let (mut best, mut single, mut theirs) = (Neighbours::default(), Neighbours::default(), Vec::new());
    let nearest = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                if let Err(error) = index.nearest(black_box(&probes), 1, &mut best) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                for probe in &single_probes {
                    if let Err(error) = other.nearest(black_box(&probe.columns()), 1, &mut single) {
                        unreachable!("{error}");
                    }
                }
            },
            &mut || rival.nearest_to(black_box(&tree), black_box(&their_probes), &mut theirs),
        ],
    );
    let same = |probe: usize| match (best.of(probe).first(), theirs[probe]) {
        // It has 0 for all that overlap.
        (Some(ours), Some((_, theirs))) => (ours.distance.max(0.0) - theirs).abs() < SAME,
        _ => false,
    };
    let others = (0..ASKED).filter(|&probe| !same(probe)).count();
    if others > 0 {
        eprintln!("{name}: of {ASKED} parry's nearest are otherwise near for {others}");
    }
    let told = |ours: &Times, theirs: &Times, parts: usize| {
        format!("{:.0} ({:.1}x)", ours.median() / parts as f64, theirs.over(ours))
    };
    println!(
        "{name:<10} {count:>8} {:>14} {:>14} {:>16} {:>16} {:>16} {:>16} {:>16} {:>16}",
        told(&made[0], &made[1], count),
        told(&updated[0], &updated[1], count),
        told(&cast[0], &cast[2], ASKED),
        told(&cast[1], &cast[2], ASKED),
        told(&near[0], &near[2], ASKED),
        told(&near[1], &near[2], ASKED),
        told(&nearest[0], &nearest[2], ASKED),
        told(&nearest[1], &nearest[2], ASKED),
    );
}
