//! Draws any number of pairs of bodies, computes their distances with `jostle::distance` and checks every answer
//! against its proof.
//!
//! ```text
//! cargo run --release --bin soak -- --pairs 1e6 --seed 1 --failures /tmp/failures
//! cargo run --release --bin soak -- --replay /tmp/failures/*.json
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use jostle::{Bodies, Columns, D2, D3, Precision, Proximity, Status};
use jostle_scene::{AnyScene, Scene, ShapeSpec, read_scene_file, write_scene};
use jostle_tests::{
    Condition, Drawn, Ground, Kind, Random, cheap, claim, draw_pair, draw_pool, full, scale, tolerance,
};
use jostle_verify::{Failure, Row, Tolerance, verify};
use rayon::prelude::*;

/// Draws random and adversarial pairs, solves them, and checks each answer by its own proof.
#[derive(Parser, Debug)]
struct Args {
    /// How many pairs to draw.
    #[arg(long, default_value = "100000", value_parser = count)]
    pairs: u64,
    /// Equal seeds draw equal pairs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after so many seconds, whatever is left.
    #[arg(long)]
    seconds: Option<f64>,
    /// The share of overlapping rows that are checked against an independent minimum.
    #[arg(long, default_value_t = 0.01)]
    minimum: f64,
    /// 2 or 3; both by default.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimension: Option<u8>,
    /// Only these kinds of shapes (names as in the table), comma-separated.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(D3::KINDS.iter().map(|kind| kind.name())))]
    kinds: Vec<String>,
    /// Only these conditions (names as in the table), comma-separated.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(Condition::ALL.map(|one| one.name())))]
    conditions: Vec<String>,
    /// The largest coordinate of a body, metres.
    #[arg(long, default_value_t = 1e7)]
    far: f64,
    /// f32, f64 or both.
    #[arg(long, default_value = "both", value_parser = ["f32", "f64", "both"])]
    precision: String,
    /// The folder in which failing pairs are written as scenes; none by default.
    #[arg(long)]
    failures: Option<PathBuf>,
    /// Rows with the status `unconverged` count as failures.
    #[arg(long)]
    unconverged: bool,
    /// The most scenes that are written for each class of failure.
    #[arg(long, default_value_t = 3)]
    keep: usize,
    /// Solves the pairs of these scenes instead and prints what is wrong with the answers.
    #[arg(long, num_args = 1..)]
    replay: Vec<PathBuf>,
}

fn count(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.0..=1e15).contains(&x) => Ok(x as u64),
        _ => Err("not a number between 0 and 1e15".to_owned()),
    }
}

#[derive(Clone, Debug, Default)]
struct Counts {
    rows: u64,
    failures: u64,
    unconverged: u64,
    touching: u64,
    overlapping: u64,
    /// Rows checked against the independent minimum, and for how many of them it was not proved.
    minimum: u64,
    unproved: u64,
    /// The largest error, as a part of the tolerance.
    worst: f64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.failures += other.failures;
        self.unconverged += other.unconverged;
        self.touching += other.touching;
        self.overlapping += other.overlapping;
        self.minimum += other.minimum;
        self.unproved += other.unproved;
        self.worst = self.worst.max(other.worst);
    }
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<(String, &'static str, String), Counts>,
    /// By class of failure: the number of rows, and some messages.
    classes: BTreeMap<String, (u64, Vec<String>)>,
}

/// The name of a failure's variant.
fn class(failure: &Failure) -> String {
    let text = format!("{failure:?}");
    text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

/// A batch of random pairs.
struct Batch<S: Ground> {
    pool: Vec<(Kind, f64, ShapeSpec<S>)>,
    drawn: Vec<Drawn<S>>,
    bodies: Bodies<S>,
    pairs: Vec<[u32; 2]>,
}

const POOL: usize = 64;
const BATCH: u64 = 4096;

fn draw<S: Ground>(kinds: &[Kind], conditions: &[Condition], count: usize, far: f64, random: &mut Random) -> Batch<S> {
    let size = random.log(1e-4, 1e4);
    let pool = draw_pool::<S>(kinds, POOL, size, random);
    let mut bodies = Bodies::new();
    for (_, _, spec) in &pool {
        let shape = spec.shape().expect("drawn shapes are valid");
        bodies.add_shape(shape).expect("the pool is small");
    }
    let (mut drawn, mut pairs) = (Vec::new(), Vec::new());
    while drawn.len() < count {
        let condition = random.pick(conditions);
        let pair = draw_pair(&pool, condition, far, random);
        pairs.push(pair.push_to(&mut bodies, 0));
        drawn.push(pair);
    }
    Batch { pool, drawn, bodies, pairs }
}

struct Run<'a> {
    args: &'a Args,
    tally: Tally,
}

impl Run<'_> {
    fn solve<S: Ground, T: Precision>(&mut self, batch: &Batch<S>, random: &mut Random) {
        let name = if size_of::<T>() == 4 { "f32" } else { "f64" };
        let columns = batch.bodies.columns();
        let rows: Vec<Proximity<S, T>> = match jostle::distance(&columns, &batch.pairs) {
            Ok(rows) => rows,
            Err(error) => panic!("refused: {error}"),
        };
        let lots: Vec<bool> = rows.iter().map(|_| random.chance(self.args.minimum)).collect();
        let mut wrong: Vec<(usize, Vec<Failure>)> = Vec::new();
        let checked: Vec<_> = rows.par_iter().map(|row| cheap(&columns, row, &tolerance(row))).collect();
        let mut counts = vec![Counts::default(); rows.len()];
        for (i, (row, result)) in rows.iter().zip(checked).enumerate() {
            let count = &mut counts[i];
            count.rows = 1;
            count.unconverged = u64::from(row.status == Status::Unconverged);
            count.touching = u64::from(row.status == Status::Touching);
            count.overlapping = u64::from(row.status == Status::Overlapping);
            if row.status == Status::Unconverged && self.args.unconverged {
                self.record(batch, i, name, row, &[]);
            }
            match result {
                Ok(verdict) if row.distance.to_f64() >= 0.0 => {
                    let d = row.distance.to_f64();
                    let error = (d - verdict.upper).max(verdict.lower - d).max(0.0);
                    let allowed = tolerance(row).size * scale(&columns, row);
                    count.worst = if error > 0.0 { error / allowed } else { 0.0 };
                }
                Ok(_) => {}
                Err(failures) => wrong.push((i, failures)),
            }
        }
        let sample: Vec<usize> = (0..rows.len()).filter(|&i| lots[i] && rows[i].distance.to_f64() < 0.0).collect();
        let claims: Vec<Row<S>> = sample.iter().map(|&i| claim(&rows[i])).collect();
        // With the tolerance of f32: in f64 the depths of curved shapes are known to 1e-7 of the size only.
        let report = verify(&columns, &claims, &Tolerance::single());
        for &i in &sample {
            counts[i].minimum = 1;
        }
        if let Some(&first) = sample.first() {
            counts[first].unproved = report.unproved as u64;
        }
        for (k, failures) in report.failures {
            if !wrong.iter().any(|(i, _)| *i == sample[k]) {
                wrong.push((sample[k], failures));
            }
        }
        for (i, failures) in wrong {
            counts[i].failures = 1;
            self.record(batch, i, name, &rows[i], &failures);
        }
        for (drawn, count) in batch.drawn.iter().zip(&counts) {
            let mut kinds = drawn.shapes.map(|shape| batch.pool[shape].0);
            kinds.sort_unstable();
            let kinds = format!("{}-{}", kinds[0].name(), kinds[1].name());
            let space = format!("{}d {name}", S::DIMENSION);
            for (column, value) in [("kinds", kinds), ("condition", drawn.condition.name().to_owned())] {
                self.tally.counts.entry((space.clone(), column, value)).or_default().add(count);
            }
        }
    }

    fn record<S: Ground, T: Precision>(
        &mut self,
        batch: &Batch<S>,
        i: usize,
        precision: &str,
        row: &Proximity<S, T>,
        failures: &[Failure],
    ) {
        let drawn = &batch.drawn[i];
        let kinds = drawn.shapes.map(|shape| batch.pool[shape].0.name());
        let kinds = format!("{}-{}", kinds[0], kinds[1]);
        let first = failures.first().map_or_else(|| "Unconverged".to_owned(), class);
        let key = format!("{}d-{precision}-{first}-{kinds}", S::DIMENSION);
        let (seen, messages) = self.tally.classes.entry(key.clone()).or_default();
        *seen += 1;
        if messages.len() >= self.args.keep {
            return;
        }
        let mut text = String::new();
        let condition = drawn.condition.name();
        let file = format!("{key}-{}.json", messages.len());
        let _ = write!(text, "{file} ({condition}, {:?}, size {:e}):", row.status, scale(&batch.bodies.columns(), row));
        for failure in failures {
            let _ = write!(text, "\n      {failure}");
        }
        messages.push(text);
        let Some(folder) = &self.args.failures else { return };
        let mut scene = Scene::<S>::new();
        for (side, &shape) in drawn.shapes.iter().enumerate() {
            let spec = batch.pool[shape].2.clone();
            let body = batch.bodies.get(batch.pairs[i][side] as usize);
            let shape = scene.add_shape(spec).expect("it was valid before");
            scene.bodies.push(jostle::Body { shape, ..body }).expect("it was valid before");
        }
        scene.pairs = Some(vec![[0, 1]]);
        let mut bytes = Vec::new();
        let written = write_scene(&AnyScene::from(scene), &mut bytes)
            .and_then(|()| std::fs::create_dir_all(folder))
            .and_then(|()| std::fs::write(folder.join(file), &bytes));
        if let Err(error) = written {
            eprintln!("{}: {error}", folder.display());
        }
    }
}

fn table(tally: &Tally) -> String {
    let mut out = String::new();
    let mut last = (String::new(), "");
    for ((space, column, value), c) in &tally.counts {
        if (space.as_str(), *column) != (last.0.as_str(), last.1) {
            let _ = writeln!(
                out,
                "\n{space:<8} {column:<18} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10}",
                "rows", "failed", "unconv", "touching", "overlap", "minimum", "unproved", "worst"
            );
            last = (space.clone(), column);
        }
        let _ = writeln!(
            out,
            "{:<8} {value:<18} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10.3}",
            "", c.rows, c.failures, c.unconverged, c.touching, c.overlapping, c.minimum, c.unproved, c.worst
        );
    }
    if !tally.classes.is_empty() {
        let _ = writeln!(out, "\nfailures:");
    }
    for (key, (seen, messages)) in &tally.classes {
        let _ = writeln!(out, "  {key}: {seen}");
        for message in messages {
            let _ = writeln!(out, "    {message}");
        }
    }
    out
}

fn replay_pairs<S: Ground, T: Precision>(columns: &Columns<'_, S>, pairs: &[[u32; 2]]) -> bool {
    let rows = match jostle::distance::<T, _, _>(columns, pairs) {
        Ok(rows) => rows,
        Err(error) => {
            println!("refused: {error}");
            return false;
        }
    };
    let mut good = true;
    for row in rows {
        println!("{row:?}");
        if let Err(failures) = full(columns, &row, &tolerance(&row)) {
            good = false;
            for failure in failures {
                println!("    {failure}");
            }
        }
    }
    good
}

fn replay_scene<S: Ground>(scene: &Scene<S>) -> bool {
    let pairs = scene.pairs.clone().unwrap_or_default();
    let columns = scene.bodies.columns();
    for &[a, b] in &pairs {
        println!("independent: {:?}", jostle_verify::minimum_depth(&columns, a as usize, b as usize));
    }
    let single = replay_pairs::<S, f32>(&columns, &pairs);
    replay_pairs::<S, f64>(&columns, &pairs) && single
}

fn replay(path: &Path) -> bool {
    println!("{}", path.display());
    match read_scene_file(path) {
        Ok(AnyScene::Plane(scene)) => replay_scene(&scene),
        Ok(AnyScene::Space(scene)) => replay_scene(&scene),
        Err(error) => {
            println!("{error}");
            false
        }
    }
}

fn kinds<S: Ground>(args: &Args) -> Vec<Kind> {
    let wanted = |kind: &Kind| args.kinds.is_empty() || args.kinds.iter().any(|name| name == kind.name());
    S::KINDS.iter().copied().filter(wanted).collect()
}

fn main() -> ExitCode {
    let args = Args::parse();
    if !args.replay.is_empty() {
        let bad = args.replay.iter().filter(|path| !replay(path)).count();
        return if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let conditions: Vec<Condition> = Condition::ALL
        .into_iter()
        .filter(|c| args.conditions.is_empty() || args.conditions.iter().any(|name| name == c.name()))
        .collect();
    let (plane, space) = (kinds::<D2>(&args), kinds::<D3>(&args));
    if args.dimension == Some(2) && plane.is_empty() {
        eprintln!("none of these kinds is one of the plane");
        return ExitCode::from(2);
    }
    let start = Instant::now();
    let (mut done, mut batch_number) = (0, 0_u64);
    let mut solving = 0.0;
    let mut run = Run { args: &args, tally: Tally::default() };
    while done < args.pairs && args.seconds.is_none_or(|limit| start.elapsed().as_secs_f64() < limit) {
        // Each batch has its own seed, so that it can be drawn again alone.
        let mut random = Random::new(args.seed.wrapping_mul(1_000_003).wrapping_add(batch_number));
        let count = BATCH.min(args.pairs - done);
        let flat = args.dimension.map_or(batch_number % 3 == 2, |d| d == 2) && !plane.is_empty();
        if flat {
            step::<D2>(&mut run, &plane, &conditions, count as usize, &mut random);
        } else {
            step::<D3>(&mut run, &space, &conditions, count as usize, &mut random);
        }
        done += count;
        batch_number += 1;
        if start.elapsed().as_secs_f64() - solving > 20.0 {
            solving = start.elapsed().as_secs_f64();
            let failed: u64 = run.tally.classes.values().map(|(seen, _)| seen).sum();
            eprintln!("{done} pairs, {solving:.0} s, {failed} failures");
        }
    }
    print!("{}", table(&run.tally));
    let failed: u64 = run.tally.classes.values().map(|(seen, _)| seen).sum();
    println!("\n{done} pairs, seed {}, {:.1} s, {failed} failures", args.seed, start.elapsed().as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn step<S: Ground>(run: &mut Run<'_>, kinds: &[Kind], conditions: &[Condition], count: usize, random: &mut Random) {
    let batch = draw::<S>(kinds, conditions, count, run.args.far, random);
    if run.args.precision != "f64" {
        run.solve::<S, f32>(&batch, random);
    }
    if run.args.precision != "f32" {
        run.solve::<S, f64>(&batch, random);
    }
}
