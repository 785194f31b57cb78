//! `jostle bench`: how long a stage takes, in process, after a warm-up.
//!
//! Each repeat starts without memory, unless `--warm`, and writes all columns of its answer.

mod frames;

use std::hint::black_box;
use std::time::Instant;

use jostle::{
    Columns, ContactsError, Dimension, Engine, Lattice, Narrowphase, PeriodicEngine, Precision, Proximity, Shifted,
};
use jostle_scene::{AnyScene, Checksum, Scene, SceneSpace, fnv1a};
use serde_json::{Value, json};

use self::frames::measure as measure_frames;
use super::{ask, lattice, refused};
use crate::args::{Bench, BenchStage, Common, isa};
use crate::failure::{Failure, Outcome};
use crate::input::{self, PairQuestion};
use crate::output::Output;
use crate::progress::Progress;

/// Prints how long the stage takes, as text or as one JSON object.
pub fn run(args: &Bench, common: &Common) -> Outcome {
    input::length("--margin", args.margin())?;
    if args.asked.pairs.is_some() && args.stage != BenchStage::Distance {
        return Err(Failure::Input("--pairs is for bench distance only".to_owned()));
    }
    if let Some(option) = args.motion.given().filter(|_| args.stage != BenchStage::Frames) {
        return Err(Failure::Input(format!("{option} is for bench frames only")));
    }
    match args.stage {
        BenchStage::Frames => run_frames(args, common),
        BenchStage::Distance => {
            let PairQuestion { name, scene, pairs } = input::pair_question(&args.asked, common)?;
            run_repeats(Timed::Distance(&pairs), &name, &scene, args, common)
        }
        BenchStage::Broadphase => {
            let (name, scene) = input::scene(&args.asked.scene, common)?;
            run_repeats(Timed::Broadphase, &name, &scene, args, common)
        }
        BenchStage::Contacts => {
            let (name, scene) = input::scene(&args.asked.scene, common)?;
            run_repeats(Timed::Contacts, &name, &scene, args, common)
        }
    }
}

fn run_frames(args: &Bench, common: &Common) -> Outcome {
    let (name, scene) = input::scene(&args.asked.scene, common)?;
    let mut output = Output::open(common)?;
    let times = ask!(&scene, common.precision(), measure_frames(&name, args, common))?;
    let text = if args.json { format!("{}\n", times.json(&name, args, common)) } else { times.text(&name, common) };
    output.put(text.as_bytes())?;
    output.finish()
}

fn run_repeats(timed: Timed<'_>, name: &str, scene: &AnyScene, args: &Bench, common: &Common) -> Outcome {
    let mut output = Output::open(common)?;
    let measured = ask!(scene, common.precision(), measure(timed, name, args, common))?;
    let text = if args.json {
        format!("{}\n", measured.json(name, args, common, scene.body_count()))
    } else {
        measured.text(name, args, common, scene.body_count())
    };
    output.put(text.as_bytes())?;
    output.finish()
}

/// What is done again and again.
#[derive(Clone, Copy)]
enum Timed<'p> {
    Broadphase,
    Distance(&'p [[u32; 2]]),
    Contacts,
}

/// What came out.
struct Measured {
    /// How many pairs the stage gave.
    pairs: u64,
    /// Each repeat's time, nanoseconds, ascending.
    times: Vec<f64>,
    checksum: String,
}

fn measure<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    timed: Timed<'_>,
    name: &str,
    args: &Bench,
    common: &Common,
) -> Outcome<Measured> {
    let bodies = scene.bodies.columns();
    if let Some(lattice) = lattice(scene, name)? {
        return measure_around::<S, T>(&bodies, &lattice, timed, name, args, common);
    }
    let refused = |error: ContactsError| refused(name, &error);
    let engine = || {
        let mut engine = Engine::<S, T>::new();
        engine.set_limit(args.limit());
        engine
    };
    match timed {
        Timed::Broadphase => repeat(args, common, engine, |engine, pairs: &mut Vec<[u32; 2]>| {
            engine.pairs(&bodies, args.margin(), pairs).map_err(refused)
        }),
        Timed::Distance(pairs) => repeat(args, common, Narrowphase::<S, T>::new, |narrowphase, rows| {
            let answered = narrowphase.distance(&bodies, pairs, rows);
            answered.map_err(|error| Failure::Input(format!("{name}: {error}")))
        }),
        Timed::Contacts => repeat(args, common, engine, |engine, rows| {
            engine.contacts(&bodies, args.margin(), rows).map_err(refused)?;
            Ok(())
        }),
    }
}

/// The same where space repeats. (Distances of named pairs keep nothing from one repeat to the next.)
fn measure_around<S: Dimension + SceneSpace, T: Precision>(
    bodies: &Columns<'_, S>,
    lattice: &Lattice<S>,
    timed: Timed<'_>,
    name: &str,
    args: &Bench,
    common: &Common,
) -> Outcome<Measured> {
    let refused = |error: ContactsError| refused(name, &error);
    let engine = || {
        let mut engine = PeriodicEngine::<S, T>::new(*lattice);
        engine.set_limit(args.limit());
        engine
    };
    match timed {
        Timed::Broadphase => repeat(args, common, engine, |engine, pairs: &mut Vec<([u32; 2], [i32; 3])>| {
            engine.pairs(bodies, args.margin(), pairs).map_err(refused)
        }),
        Timed::Distance(pairs) => repeat(
            args,
            common,
            || (),
            |(), rows: &mut Vec<Shifted<S, T>>| {
                *rows = jostle::periodic_distance(bodies, lattice, pairs).map_err(refused)?;
                Ok(())
            },
        ),
        Timed::Contacts => repeat(args, common, engine, |engine, rows| {
            engine.contacts(bodies, args.margin(), rows).map_err(refused)?;
            Ok(())
        }),
    }
}

/// Rows or pairs: what a stage gives.
trait Answer {
    fn checksum(answers: &[Self]) -> String
    where
        Self: Sized;
}

impl<S: Dimension, T: Precision> Answer for Proximity<S, T> {
    fn checksum(rows: &[Self]) -> String {
        Checksum::of_rows(rows).to_string()
    }
}

impl<S: Dimension, T: Precision> Answer for Shifted<S, T> {
    fn checksum(rows: &[Self]) -> String {
        let mut sum = Checksum::new();
        for shifted in rows {
            sum.add(&shifted.row, Some(&shifted.shift));
        }
        sum.to_string()
    }
}

/// FNV-1a over indices, four bytes each: pairs are no rows yet.
fn checksum_of_indices(indices: impl Iterator<Item = u32>) -> String {
    format!("{:016x}", fnv1a(indices.flat_map(u32::to_le_bytes)))
}

impl Answer for [u32; 2] {
    fn checksum(pairs: &[Self]) -> String {
        checksum_of_indices(pairs.iter().flatten().copied())
    }
}

impl Answer for ([u32; 2], [i32; 3]) {
    fn checksum(pairs: &[Self]) -> String {
        checksum_of_indices(
            pairs.iter().flat_map(|(pair, image)| pair.iter().copied().chain(image.map(i32::cast_unsigned))),
        )
    }
}

/// Times a stage, which works with what it keeps, `new` at first (and for each repeat, unless `--warm`).
fn repeat<M, A: Answer>(
    args: &Bench,
    common: &Common,
    new: impl Fn() -> M,
    mut stage: impl FnMut(&mut M, &mut Vec<A>) -> Outcome,
) -> Outcome<Measured> {
    let repeats = args.repeat();
    let progress = Progress::begin("timing", Some(u64::from(repeats) + 1), common.quiet);
    let (mut kept, mut answers) = (new(), Vec::new());
    stage(&mut kept, &mut answers)?;
    progress.advance(1);
    let checksum = A::checksum(&answers);
    let mut times = Vec::with_capacity(usize::from(repeats));
    for _ in 0..repeats {
        if !args.warm {
            (kept, answers) = (new(), Vec::new());
        }
        let start = Instant::now();
        stage(&mut kept, black_box(&mut answers))?;
        times.push(start.elapsed().as_nanos() as f64);
        progress.advance(1);
    }
    if A::checksum(&answers) != checksum {
        return Err(Failure::Other("two repeats gave different answers: please report this".to_owned()));
    }
    times.sort_by(f64::total_cmp);
    Ok(Measured { pairs: answers.len() as u64, times, checksum })
}

impl Measured {
    /// The least, median and largest time, divided by something.
    fn spread(&self, divisor: f64) -> [f64; 3] {
        let at = |index: usize| self.times[index] / divisor;
        let last = self.times.len() - 1;
        [at(0), 0.5 * (at(last / 2) + at(self.times.len() / 2)), at(last)]
    }

    /// Nanoseconds for each body or pair, and which of them.
    fn each(&self, args: &Bench, bodies: usize) -> (&'static str, [f64; 3]) {
        match args.stage {
            BenchStage::Distance => ("ns_per_pair", self.spread(self.pairs.max(1) as f64)),
            BenchStage::Broadphase | BenchStage::Contacts | BenchStage::Frames => {
                ("ns_per_body", self.spread(bodies.max(1) as f64))
            }
        }
    }

    fn json(&self, name: &str, args: &Bench, common: &Common, bodies: usize) -> Value {
        let object = |[min, median, max]: [f64; 3]| json!({"min": min, "median": median, "max": max});
        let (unit, each) = self.each(args, bodies);
        let mut value = json!({
            "stage": args.stage.name(),
            "scene": name,
            "bodies": bodies,
            "pairs": self.pairs,
            "threads": rayon::current_num_threads(),
            "isa": isa(),
            "precision": common.precision().name(),
            "total_ms": object(self.spread(1e6)),
            "checksum": self.checksum,
        });
        value[unit] = object(each);
        if args.stage != BenchStage::Distance {
            value["margin"] = json!(args.margin());
        }
        value
    }

    fn text(&self, name: &str, args: &Bench, common: &Common, bodies: usize) -> String {
        let (unit, each) = self.each(args, bodies);
        let unit = unit.replace("ns_per_", "ns per ");
        let line = |label: &str, [min, median, max]: [f64; 3]| {
            format!("{label:<12} {median:>12.3}   ({min:.3} to {max:.3})\n")
        };
        format!(
            "{} of {name}: {bodies} bodies, {} pairs; {} threads, {}, {}\n{}{}checksum     {}\n",
            args.stage.name(),
            self.pairs,
            rayon::current_num_threads(),
            isa(),
            common.precision().name(),
            line(&unit, each),
            line("ms in all", self.spread(1e6)),
            self.checksum,
        )
    }
}
