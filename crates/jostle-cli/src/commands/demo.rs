//! `jostle demo`: the main job on a generated crowd, a summary of it, and a picture.

mod density;
mod picture;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use jostle::{D2, Dimension, Engine, Precision, Proximity, Report};
use jostle_picture::grouped;
use jostle_scene::generate::{Kind, Options, generate};
use jostle_scene::{AnyScene, Scene, path_name};

use super::refused_but;
use crate::args::{Common, Demo, LIMIT, Precision as Digits, isa};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::note::note;
use crate::output::{Output, ending};
use crate::progress::Progress;

/// Where the picture goes unless told otherwise.
const PICTURE: &str = "jostle-demo.png";
/// How often the job is done; the median counts.
const REPEATS: usize = 5;
/// How many of the nearest pairs are named.
const NAMED: usize = 5;

/// Prints what contacts a made-up crowd has, and draws it.
pub fn run(args: &Demo, common: &Common) -> Outcome {
    input::length("--margin", args.margin)?;
    let path = common.output.as_deref().unwrap_or(Path::new(PICTURE));
    if path.as_os_str() == "-" {
        let reason = "-o names a file for the picture of demo: standard output is where its summary goes";
        return Err(Failure::Input(reason.to_owned()));
    }
    let mut file = Output::file(path)?;
    note_ending(common);
    let options = Options { bodies: args.bodies, seed: args.seed, dimension: 2 };
    let scene = {
        let _progress = Progress::begin("generating a crowd", None, common.quiet);
        generate(Kind::Flat, options).map_err(|error| Failure::Input(error.to_string()))?
    };
    let AnyScene::Plane(scene) = scene else {
        return Err(Failure::Other("the crowd is not in the plane".to_owned()));
    };
    let found = match common.precision() {
        Digits::F32 => measure::<f32>(&scene, args, common)?,
        Digits::F64 => measure::<f64>(&scene, args, common)?,
    };

    let mut output = Output::open(&Common { output: None, ..common.clone() })?;
    output.put(summary(&found, args).as_bytes())?;
    // To be read while the picture is drawn.
    output.flush().map_err(|error| output.failed(&error))?;

    let progress = Progress::begin("drawing", None, common.quiet);
    let view = picture::View {
        bodies: &scene.bodies.columns(),
        velocities: scene.bodies.velocities(),
        rows: &found.rows,
        margin: args.margin,
        lines: &caption(&found, args),
    };
    let png = picture::draw(&view).map_err(|reason| Failure::Other(format!("the picture: {reason}")))?;
    file.put(&png)?;
    file.finish()?;
    drop(progress);
    output.put(line("picture", &path_name(path)).as_bytes())?;
    output.finish()
}

/// Notes that a picture is PNG, whatever it is called.
fn note_ending(common: &Common) {
    if let Some(other) = ending(common).filter(|ending| ending != "png") {
        note(common, &format!("a picture that ends in .{other} is written as PNG"));
    }
}

/// What came out of the main job.
struct Found {
    rows: Vec<Proximity<D2, f32>>,
    report: Report,
    /// From bodies to ordered rows, the median.
    total: Duration,
}

fn measure<T: Precision>(scene: &Scene<D2>, args: &Demo, common: &Common) -> Outcome<Found>
where
    D2: Dimension,
{
    let _progress = Progress::begin("finding contacts", None, common.quiet);
    let bodies = scene.bodies.columns();
    let (mut engine, mut rows) = (Engine::<D2, T>::new(), Vec::new());
    engine.set_limit(LIMIT);
    let mut runs = Vec::with_capacity(REPEATS);
    for _ in 0..=REPEATS {
        let start = Instant::now();
        let found = engine.contacts(&bodies, args.margin, &mut rows);
        let report =
            found.map_err(|error| refused_but("the crowd", &error, "choose a smaller --margin, or fewer --bodies"))?;
        runs.push((start.elapsed(), report));
    }
    // The first one has its memory still to get: as in a simulation, what counts is every later frame.
    runs.remove(0);
    runs.sort_by_key(|(total, _)| *total);
    let (total, report) = runs.swap_remove(REPEATS / 2);
    Ok(Found { rows: rows.iter().map(single).collect(), report, total })
}

/// The row in single precision, which is all that a picture needs.
fn single<T: Precision>(row: &Proximity<D2, T>) -> Proximity<D2, f32> {
    Proximity {
        a: row.a,
        b: row.b,
        distance: row.distance.to_f64() as f32,
        lower: row.lower.to_f64() as f32,
        upper: row.upper.to_f64() as f32,
        normal: [0, 1].map(|k| row.normal[k].to_f64() as f32),
        witness_a: row.witness_a,
        witness_b: row.witness_b,
        status: row.status,
        minimum: row.minimum,
        ..Proximity::default()
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", 1e3 * time.as_secs_f64())
}

fn overlaps(rows: &[Proximity<D2, f32>]) -> (u64, f32) {
    let deep = rows.iter().filter(|row| row.distance < 0.0);
    deep.fold((0, 0.0), |(count, depth), row| (count + 1, f32::max(depth, -row.distance)))
}

/// A line of the summary. A long label, as of a margin with many digits, keeps its distance too.
fn line(label: &str, value: &str) -> String {
    format!("{label:<21} {value}\n")
}

fn summary(found: &Found, args: &Demo) -> String {
    let Found { rows, report, total } = found;
    let threads = rayon::current_num_threads();
    let (overlapping, depth) = overlaps(rows);
    let mut text = String::new();
    let mut line = |label: &str, value: String| text += &line(label, &value);
    line("bodies", grouped(report.bodies));
    line("candidate pairs", grouped(report.candidates));
    line(&format!("pairs within {} m", args.margin), grouped(report.rows));
    line("overlapping", format!("{}, the deepest by {depth:.3} m", grouped(overlapping)));
    line("instruction set", isa().to_owned());
    line("threads", threads.to_string());
    line("bounds", milliseconds(report.bounds));
    line("broadphase: build", milliseconds(report.build));
    // These two run on all threads at once, chunk by chunk.
    let shared = |time: Duration| time / threads.max(1) as u32;
    line("broadphase: sweep", milliseconds(shared(report.sweep)));
    line("narrowphase", milliseconds(shared(report.narrowphase)));
    line("ordering", milliseconds(report.ordering));
    line("in all", format!("{} (median of {REPEATS})", milliseconds(*total)));
    let mut nearest: Vec<&Proximity<D2, f32>> = rows.iter().filter(|row| row.distance >= 0.0).collect();
    nearest.sort_by(|x, y| x.distance.total_cmp(&y.distance).then((x.a, x.b).cmp(&(y.a, y.b))));
    for (index, row) in nearest.iter().take(NAMED).enumerate() {
        let label = if index == 0 { "nearest pairs apart" } else { "" };
        line(label, format!("{} and {}: {} m", row.a, row.b, row.distance));
    }
    text
}

fn caption(found: &Found, args: &Demo) -> Vec<String> {
    let Found { rows, report, total } = found;
    let (overlapping, depth) = overlaps(rows);
    let threads = match rayon::current_num_threads() {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    vec![
        format!("{} bodies", grouped(report.bodies)),
        format!("{} pairs within {} m", grouped(report.rows), args.margin),
        format!("found and measured in {}", milliseconds(*total)),
        format!("{} overlap, the deepest by {:.0} mm", grouped(overlapping), 1e3 * depth),
        format!("{threads}, {}", isa()),
    ]
}
