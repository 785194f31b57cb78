//! `table index`: an index of a scene: the time to make and to update it, for rays, for the bodies near a probe, and
//! for the nearest body, with many queries at once and one at a time.

use std::fmt::Display;
use std::hint::black_box;

use jostle::{Bodies, Body, Columns, D2, D3, Neighbours, Rotations, SceneIndex, Shape};
use jostle_benches::clock::{Clock, Times, race};
use jostle_benches::crowd::Crowd;
use jostle_benches::kinds::Kind;
use jostle_benches::pairs::Pairs;
use jostle_benches::parry::{Rival, RivalSpace};
use jostle_benches::random::Random;

use crate::Options;

/// The number of queries of each kind.
const ASKED: usize = 1000;
/// The length of rays: in space three of four meet a body.
const LONG: f64 = 8.0;
/// The margin around a probe.
const MARGIN: f64 = 0.5;
/// How far bodies have moved when the index is updated, as a share of their size.
const MOTION: f64 = 0.02;
/// The largest difference of two answers that counts as none: the rival's numbers are `f32`.
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

/// Times all queries of a scene, and prints a line.
fn print<S: RivalSpace>(name: &str, kind: Kind, count: usize, options: &Options) {
    let crowd = Crowd::<S>::new(kind, count, 0.0, 0.0, 1);
    let (bodies, rival) = (crowd.bodies.columns(), S::Rival::new(&crowd.bodies));
    let mut later = Crowd::<S>::new(kind, count, 0.0, MOTION, 1);
    later.advance();
    let (later, rival_later) = (later.bodies.columns(), S::Rival::new(&later.bodies));
    let questions = Questions::new(count);

    let kept = Kept { index: made(&bodies), other: made(&bodies), tree: rival.tree(), rival: &rival };
    let makes = time_makes(&bodies, &rival, options);
    let updates = time_updates([&bodies, &later], [&rival, &rival_later], options);
    let (rays, differ) = kept.time_rays(&questions, options);
    let (near, [rows, rows_theirs]) = kept.time_contacts(&questions, options);
    if differ * 100 > ASKED || rows.abs_diff(rows_theirs) * 1000 > rows {
        eprintln!("{name}: {differ} rays end elsewhere; {rows} near, for parry {rows_theirs}");
    }
    let (nearest, others) = kept.time_nearest(&questions, options);
    if others > 0 {
        eprintln!("{name}: of {ASKED} parry's nearest are otherwise near for {others}");
    }

    let cell = |ours: &Times, theirs: &Times, parts: usize| {
        format!("{:.0} ({:.1}x)", ours.median() / parts as f64, theirs.over(ours))
    };
    println!(
        "{name:<10} {count:>8} {:>14} {:>14} {:>16} {:>16} {:>16} {:>16} {:>16} {:>16}",
        cell(&makes[0], &makes[1], count),
        cell(&updates[0], &updates[1], count),
        cell(&rays[0], &rays[2], ASKED),
        cell(&rays[1], &rays[2], ASKED),
        cell(&near[0], &near[2], ASKED),
        cell(&near[1], &near[2], ASKED),
        cell(&nearest[0], &nearest[2], ASKED),
        cell(&nearest[1], &nearest[2], ASKED),
    );
}

/// The queries of a scene.
struct Questions<S: RivalSpace> {
    rays: Vec<[S::Array<f64>; 2]>,
    /// Balls where the rays begin.
    probes: Pairs<S>,
    /// The same balls, each as a set of its own.
    single_probes: Vec<Bodies<S>>,
}

impl<S: RivalSpace> Questions<S> {
    /// Queries for a crowd of so many bodies.
    fn new(count: usize) -> Self {
        let (mut random, side) = (Random::new(2), (count as f64).powf(1.0 / S::DIMENSION as f64));
        let rays: Vec<[S::Array<f64>; 2]> = (0..ASKED)
            .map(|_| {
                let way = S::direction(&mut random);
                [S::array(|_| random.between(0.0, side)), S::array(|k| way[k] * LONG)]
            })
            .collect();
        let ball = sound(Shape::ball(0.25));
        let single = |ray: &[S::Array<f64>; 2]| {
            let mut one = Bodies::new();
            let shape = sound(one.add_shape(ball.clone()));
            sound(one.push(Body::new(shape, ray[0])));
            one
        };
        let single_probes = rays.iter().map(single).collect();
        let probes = Pairs {
            shape: vec![0; ASKED],
            position: rays.iter().map(|ray| ray[0]).collect(),
            rotation: vec![S::identity_rotation(); ASKED],
            shapes: vec![ball],
            pairs: Vec::new(),
            furthest: MARGIN,
        };
        Self { rays, probes, single_probes }
    }

    /// The probes as columns without rotations.
    fn probes(&self) -> Columns<'_, S> {
        let Pairs { shapes, shape, position, .. } = &self.probes;
        sound(Columns::new(shapes, shape, position, Rotations::Identity))
    }
}

/// The value of a result that cannot be an error here.
fn sound<T, E: Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => unreachable!("{error}"),
    }
}

fn made<S: RivalSpace>(bodies: &Columns<'_, S>) -> SceneIndex<S> {
    sound(SceneIndex::<S>::new(black_box(bodies)))
}

/// Times of making an index: ours, then parry's.
fn time_makes<S: RivalSpace>(bodies: &Columns<'_, S>, rival: &S::Rival, options: &Options) -> Vec<Times> {
    race(
        Clock::Thread,
        options.repeat,
        &mut [&mut || drop(black_box(made(bodies))), &mut || {
            drop(black_box(rival.tree()));
        }],
    )
}

/// Times of updates to and fro between the scene and the one a step later: ours, then parry's.
fn time_updates<S: RivalSpace>(
    [bodies, later]: [&Columns<'_, S>; 2],
    [rival, rival_later]: [&S::Rival; 2],
    options: &Options,
) -> Vec<Times> {
    let (mut moving_index, mut moving_tree, mut memory) = (made(bodies), rival.tree(), Default::default());
    let (mut ours_is_later, mut theirs_is_later) = (false, false);
    race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || {
                ours_is_later = !ours_is_later;
                let scene = if ours_is_later { later } else { bodies };
                sound(moving_index.update(black_box(scene)));
            },
            &mut || {
                theirs_is_later = !theirs_is_later;
                let scene = if theirs_is_later { rival_later } else { rival };
                black_box(scene).refit(&mut moving_tree, &mut memory);
            },
        ],
    )
}

/// The indices of a scene. Each query is timed with all at once, one by one (by another index, so that neither uses the
/// other's memory), and by parry's tree.
struct Kept<'k, S: RivalSpace> {
    index: SceneIndex<S>,
    other: SceneIndex<S>,
    rival: &'k S::Rival,
    tree: <S::Rival as Rival<S>>::Tree,
}

impl<S: RivalSpace> Kept<'_, S> {
    /// Times of rays, and how many end elsewhere for parry.
    fn time_rays(&self, Questions { rays, .. }: &Questions<S>, options: &Options) -> (Vec<Times>, usize) {
        let (mut hits, mut theirs) = (Vec::new(), Vec::new());
        let times = race(
            Clock::Thread,
            options.repeat,
            &mut [
                &mut || sound(self.index.rays(black_box(rays), &mut hits)),
                &mut || {
                    for &[from, way] in black_box(rays) {
                        _ = black_box(sound(self.other.ray(from, way)));
                    }
                },
                &mut || self.rival.rays(black_box(&self.tree), black_box(rays), &mut theirs),
            ],
        );
        let differ = hits.iter().zip(&theirs).filter(|(ours, theirs)| match (ours, theirs) {
            (Some(ours), Some((_, theirs))) => (ours.time as f32 - theirs).abs() > SAME,
            (ours, theirs) => ours.is_some() != theirs.is_some(),
        });
        let differ = differ.count();
        (times, differ)
    }

    /// Times of the bodies near probes, and how many there are: for us, for parry.
    fn time_contacts(&self, questions: &Questions<S>, options: &Options) -> (Vec<Times>, [usize; 2]) {
        let (probes, rival_probes) = (questions.probes(), S::Rival::new(&questions.probes));
        let (mut rows, mut single, mut count_theirs) = (Vec::new(), Vec::new(), 0);
        let times = race(
            Clock::Thread,
            options.repeat,
            &mut [
                &mut || sound(self.index.contacts(black_box(&probes), MARGIN, &mut rows)),
                &mut || {
                    for probe in &questions.single_probes {
                        sound(self.other.contacts(black_box(&probe.columns()), MARGIN, &mut single));
                    }
                },
                &mut || count_theirs = self.rival.near(black_box(&self.tree), black_box(&rival_probes), MARGIN),
            ],
        );
        (times, [rows.len(), count_theirs])
    }

    /// Times of the nearest body, and for how many probes parry's is at another distance.
    fn time_nearest(&self, questions: &Questions<S>, options: &Options) -> (Vec<Times>, usize) {
        let (probes, rival_probes) = (questions.probes(), S::Rival::new(&questions.probes));
        let (mut best, mut single, mut theirs) = (Neighbours::default(), Neighbours::default(), Vec::new());
        let times = race(
            Clock::Thread,
            options.repeat,
            &mut [
                &mut || sound(self.index.nearest(black_box(&probes), 1, &mut best)),
                &mut || {
                    for probe in &questions.single_probes {
                        sound(self.other.nearest(black_box(&probe.columns()), 1, &mut single));
                    }
                },
                &mut || self.rival.nearest_to(black_box(&self.tree), black_box(&rival_probes), &mut theirs),
            ],
        );
        let same = |probe: usize| match (best.of(probe).first(), theirs[probe]) {
            // parry has 0 for all that overlap.
            (Some(ours), Some((_, theirs))) => (ours.distance.max(0.0) - theirs).abs() < SAME,
            _ => false,
        };
        let others = (0..ASKED).filter(|&probe| !same(probe)).count();
        (times, others)
    }
}
