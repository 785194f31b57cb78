//! The command line as its users know it: every word of it is a contract that scripts are written against.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::failure::{Failure, Outcome};

/// Which convex bodies are near each other, how far apart, and at which points.
#[derive(Debug, Parser)]
#[command(name = "jostle", subcommand_required = true, infer_long_args = false)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

// Every option that takes a number has `allow_negative_numbers`, also one that refuses them: else clap takes `-1` for
// an option of that name, and the sentence does not say which one is wrong.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Generate a crowd of 100,000, find its contacts, sum up, and draw a picture
    Demo(Demo),
    /// Write a generated scene, as JSON or Arrow IPC (to *.arrow, or by --format): the same arguments give the same
    /// bytes on every machine
    Generate(Generate),
    /// Every pair of a scene within a margin: distance, normal, witness points
    Contacts(Contacts),
    /// The pairs listed in a scene or a file, one row each, in their order
    Distance(Distance),
    /// For each body the nearest few, however far they are: nearest first, rows as those of `distance`
    Nearest(Nearest),
    /// Whether the pairs listed in a scene or a file overlap
    Overlap(Overlap),
    /// When the pairs listed in a scene or a file first meet, moving with their bodies' velocities (in a periodic
    /// scene: whichever image of the second body is met first, named by the columns sx, sy, sz)
    Cast(Cast),
    /// The nearest pair in every frame of a recording of walking people
    Trajectory(Trajectory),
    /// Time a stage in process
    Bench(Bench),
    /// Hold the rows of contacts, distance or nearest against their scene, in double precision; with --complete, name
    /// what has no row
    Verify(Verify),
    /// The checksum of a result table
    Checksum(Checksum),
}

impl Command {
    /// What it reads.
    pub fn inputs(&self) -> Vec<&Path> {
        let paths = match self {
            Command::Demo(_) | Command::Generate(_) => [None, None],
            Command::Contacts(args) => [Some(&args.scene), None],
            Command::Distance(args) => args.asked.inputs(),
            Command::Nearest(args) => [Some(&args.scene), None],
            Command::Overlap(args) => args.asked.inputs(),
            Command::Cast(args) => args.asked.inputs(),
            Command::Trajectory(args) => [Some(&args.file), None],
            Command::Bench(args) => args.asked.inputs(),
            Command::Verify(args) => [Some(&args.scene), Some(&args.results)],
            Command::Checksum(args) => [Some(&args.results), None],
        };
        paths.into_iter().flatten().map(PathBuf::as_path).collect()
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Where results go (default: standard output; the picture of `demo`: jostle-demo.png); not a file that is read
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How results are written: csv, jsonl or arrow (default: from the file's ending, else csv); or a scene (generate):
    /// json or arrow (default: from the file's ending, else json); of results that are read (verify, checksum) `jsonl`
    /// says that an empty input is JSON Lines without rows
    #[arg(long, global = true, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// How many threads work, at most 1024 (default: one for each core)
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The precision of distances and normals (default: f32; of a table to verify: what its decimals show)
    #[arg(long, global = true, value_name = "P")]
    pub precision: Option<Precision>,
    /// Add the columns `lower`, `upper`, `status` and `minimal`
    #[arg(long, global = true)]
    pub certificate: bool,
    /// No progress bars, and no notes of options that make no difference
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

impl Common {
    /// The precision of answers.
    pub fn precision(&self) -> Precision {
        self.precision.unwrap_or(Precision::F32)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Csv,
    Jsonl,
    Arrow,
    // Of scenes alone.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    F32,
    F64,
}

impl Precision {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// How many rows a command holds in memory unless told otherwise: some five gigabytes of them, in and out of order.
pub const LIMIT: u64 = 10_000_000;

#[derive(Debug, Args)]
pub struct Demo {
    /// How many bodies
    #[arg(long, default_value_t = 100_000, value_name = "N", allow_negative_numbers = true)]
    pub bodies: usize,
    /// Which crowd
    #[arg(long, default_value_t = 1, value_name = "S", allow_negative_numbers = true)]
    pub seed: u64,
    /// Pairs farther apart than this are not reported, metres
    #[arg(long, default_value_t = 0.5, value_name = "M", allow_negative_numbers = true)]
    pub margin: f64,
}

#[derive(Debug, Args)]
pub struct Generate {
    /// What the scene shows (see --list)
    #[arg(required_unless_present = "list")]
    pub kind: Option<String>,
    /// How many bodies (default: 1000)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub bodies: Option<usize>,
    /// Which random numbers (default: 1)
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// 2 or 3 (default: 2 for people, 3 for everything else)
    #[arg(long, value_name = "2|3", allow_negative_numbers = true)]
    pub dimension: Option<usize>,
    /// Name the kinds
    #[arg(long, conflicts_with = "kind")]
    pub list: bool,
}

#[derive(Debug, Args)]
pub struct Contacts {
    /// The scene; `-` is standard input
    pub scene: PathBuf,
    /// Pairs farther apart than this are not reported, metres
    #[arg(long, default_value_t = 0.0, value_name = "M", allow_negative_numbers = true)]
    pub margin: f64,
    /// Print the number of pairs alone
    #[arg(long)]
    pub count: bool,
    /// Stop with status 1 if there are more rows than this: they are held in memory until all are in order (some two
    /// hundred bytes each); `--count` holds none and has no limit (default: 10000000)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<u64>,
    /// In a periodic scene, report a body's own images too (rows with a = b, each of two opposite images once)
    #[arg(long)]
    pub self_images: bool,
}

#[derive(Debug, Args)]
pub struct Nearest {
    /// The scene; `-` is standard input
    pub scene: PathBuf,
    /// How many of each body's neighbours
    #[arg(short = 'k', long, default_value = "1", value_name = "K", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub neighbours: u32,
    /// Stop with status 1 if there may be more rows than this: they are held in memory (some two hundred bytes each)
    #[arg(long, default_value_t = LIMIT, value_name = "N", allow_negative_numbers = true)]
    pub limit: u64,
    /// In a periodic scene, a body's own images are neighbours too
    #[arg(long)]
    pub self_images: bool,
}

/// A scene, and which of its pairs are asked about (of `bench`: by the stage `distance`).
#[derive(Debug, Args)]
pub struct AskedPairs {
    /// The scene; `-` is standard input
    pub scene: PathBuf,
    /// The pairs, two integers a line, instead of those in the scene; or a table of results, as CSV, JSON Lines or
    /// Arrow IPC, of which the columns a and b are read; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
}

impl AskedPairs {
    fn inputs(&self) -> [Option<&PathBuf>; 2] {
        [Some(&self.scene), self.pairs.as_ref()]
    }
}

#[derive(Debug, Args)]
pub struct Distance {
    #[command(flatten)]
    pub asked: AskedPairs,
}

#[derive(Debug, Args)]
pub struct Overlap {
    #[command(flatten)]
    pub asked: AskedPairs,
    /// Bodies that exactly touch do not overlap
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Args)]
pub struct Cast {
    #[command(flatten)]
    pub asked: AskedPairs,
    /// How long the bodies move, seconds
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub duration: f64,
    /// Bodies have met at this distance, metres
    #[arg(long, default_value_t = 0.0, value_name = "D", allow_negative_numbers = true)]
    pub target: f64,
}

#[derive(Debug, Args)]
pub struct Trajectory {
    /// The recording: columns as its header names them, else `id frame x y [z]`; `-` is standard input
    pub file: PathBuf,
    /// The radius of every person's disc, metres
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub radius: f64,
    /// Pairs up to this far apart are counted, metres
    #[arg(long, default_value_t = 0.0, value_name = "M", allow_negative_numbers = true)]
    pub margin: f64,
    /// The unit of the recording, whatever its header says
    #[arg(long, value_name = "m|cm")]
    pub unit: Option<Unit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    M,
    Cm,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// What to time
    pub stage: BenchStage,
    #[command(flatten)]
    pub asked: AskedPairs,
    /// How often, after a warm-up (default: 9)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub repeat: Option<u16>,
    /// Keep buffers from one repeat to the next
    #[arg(long)]
    pub warm: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Pairs up to this far apart, metres (default: 0)
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub margin: Option<f64>,
    /// Stop with status 1 if there are more pairs than this (default: 10000000)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<u64>,
    #[command(flatten)]
    pub motion: Walk,
}

impl Bench {
    pub fn repeat(&self) -> u16 {
        self.repeat.unwrap_or(9)
    }
    pub fn margin(&self) -> f64 {
        self.margin.unwrap_or(0.0)
    }
    pub fn limit(&self) -> u64 {
        self.limit.unwrap_or(LIMIT)
    }
}

/// How the bodies of `bench frames` move.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of bench frames")]
pub struct Walk {
    /// How many frames are timed, after ten that are not (default 120)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub frames: Option<u16>,
    /// Bodies without velocities take steps of this share of their size, in random directions (default 0.02; bodies
    /// with velocities move a sixtieth of a second)
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub motion: Option<f64>,
    /// How much farther apart than the margin pairs are kept on the list, metres, or auto (default)
    #[arg(long, value_name = "auto|S", allow_negative_numbers = true)]
    pub skin: Option<String>,
    /// Begin the search for each distance where that of the last frame ended
    #[arg(long)]
    pub warm_start: bool,
    /// The share of the bodies that leaves each frame, while as many enter elsewhere (default 0)
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub churn: Option<f64>,
}

impl Walk {
    /// One of the options that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.frames.is_some(), "--frames"),
            (self.motion.is_some(), "--motion"),
            (self.skin.is_some(), "--skin"),
            (self.warm_start, "--warm-start"),
            (self.churn.is_some(), "--churn"),
        ];
        given.iter().find(|(given, _)| *given).map(|&(_, name)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchStage {
    /// From bodies to candidate pairs
    Broadphase,
    /// The pairs that the scene or --pairs lists
    Distance,
    /// From bodies to the rows of `jostle contacts`
    Contacts,
    /// The same frame after frame, while the bodies move
    Frames,
}

impl BenchStage {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BenchStage::Broadphase => "broadphase",
            BenchStage::Distance => "distance",
            BenchStage::Contacts => "contacts",
            BenchStage::Frames => "frames",
        }
    }
}

#[derive(Debug, Args)]
pub struct Verify {
    /// The scene; `-` is standard input
    pub scene: PathBuf,
    /// The result table of contacts, distance or nearest, as CSV, JSON Lines or Arrow IPC; `-` is standard input
    pub results: PathBuf,
    /// Also name every pair that is nearer than M metres and has no row, or several (contacts within that margin: none)
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub complete: Option<f64>,
}

#[derive(Debug, Args)]
pub struct Checksum {
    /// The result table, as CSV, JSON Lines or Arrow IPC; `-` is standard input
    pub results: PathBuf,
}

/// The instruction set in use.
pub fn isa() -> &'static str {
    jostle::Isa::choose().map_or("unknown", jostle::Isa::name)
}

/// Reads the command line; none if help or the version was asked for, and given.
pub fn read() -> Outcome<Option<Cli>> {
    let command = Cli::command().version(format!("{} ({})", env!("CARGO_PKG_VERSION"), isa()));
    let parsed = command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            error.print().map_err(|error| Failure::writing("standard output", &error))?;
            Ok(None)
        }
        Err(error) => Err(Failure::Input(sentence(&error))),
    }
}

/// What clap says, in one sentence: its first paragraph, and of the usage behind it whose help there is to be seen.
fn sentence(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        return format!("a command is needed: {} (see jostle --help)", names.join(", "));
    }
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let reason = plain(first.strip_prefix("error: ").unwrap_or(first));
    let reason = if is_negative(error) { reason.replace(WHOLE, &format!("{WHOLE} from 0 on")) } else { reason };
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: ")).map(|usage| {
        let names: Vec<&str> = usage.split(' ').take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
        names.join(" ")
    });
    format!("{reason} (see {} --help)", usage.unwrap_or_else(named))
}

/// What is said of a value that is not even that.
const WHOLE: &str = "not a whole number";

/// True if what cannot be read is a whole number all the same, but below 0.
fn is_negative(error: &clap::Error) -> bool {
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.strip_prefix('-'),
        _ => None,
    };
    value.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Why a number cannot be read, without the words of the language that this is written in.
fn plain(reason: &str) -> String {
    let words = [
        ("invalid digit found in string", WHOLE),
        ("cannot parse integer from empty string", WHOLE),
        ("number too large to fit in target type", "too large"),
        ("number too small to fit in target type", "too small"),
        ("invalid float literal", "not a number"),
        ("cannot parse float from empty string", "not a number"),
    ];
    words.iter().fold(reason.to_owned(), |reason, (words, plain)| reason.replace(words, plain))
}

/// The command as it was called, where clap does not say: its name, and that of the subcommand.
fn named() -> String {
    let called = Cli::command().ignore_errors(true).try_get_matches();
    called
        .ok()
        .as_ref()
        .and_then(clap::ArgMatches::subcommand_name)
        .map_or_else(|| "jostle".to_owned(), |name| format!("jostle {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
