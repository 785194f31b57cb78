//! The tables of BENCHMARKS.md, each printed by one command.

/// Prints a row of a table in its own space.
macro_rules! in_its_space {
    ($print:ident, $row:expr, $options:expr) => {
        if $row.dimension == 2 { $print::<jostle::D2>($row, $options) } else { $print::<jostle::D3>($row, $options) }
    };
}

mod broadphase;
mod casts;
mod company;
mod depths;
mod frames;
mod index;
mod meetings;
mod narrowphase;
mod nearest;
mod periodic;
mod questions;
mod resting;
mod small;
mod stages;

use std::process::ExitCode;

use jostle_benches::kinds::{ROWS, Row};
use jostle_benches::on_one_thread;

const USAGE: &str = "table narrowphase [KIND...] [--pairs N] [--repeat N]
table meetings [KIND...] [--pairs N] [--repeat N]
table depths [KIND...] [--pairs N] [--repeat N]
table resting [--pairs N] [--repeat N]
table questions [KIND...] [--pairs N] [--repeat N]
table casts [KIND...] [--pairs N] [--repeat N]
table company [KIND...] [--pairs N] [--repeat N]
table stages [KIND...] [--pairs N] [--repeat N]
table profile KIND... [--pairs N] [--repeat N]
table broadphase [BODIES...] [--repeat N]
table threads [BODIES...] [--repeat N]
table frames [BODIES...] [--repeat N]
table nearest [BODIES...] [--repeat N]
table index [BODIES...] [--repeat N]
table periodic [BODIES...] [--repeat N]
table small [BODIES...] [--repeat N]";

/// The tables with a row for each kind, which may be limited to some kinds.
const OF_KINDS: [&str; 8] = ["narrowphase", "meetings", "depths", "questions", "casts", "company", "stages", "profile"];

/// The arguments of the command line.
#[derive(Debug)]
struct Options {
    words: Vec<String>,
    pairs: usize,
    repeat: usize,
}

/// The first of `names` that is not the name of a kind.
fn unknown(names: &[String]) -> Option<&String> {
    names.iter().find(|&name| ROWS.iter().all(|row| row.name != name))
}

/// The kinds whose names were given, or all.
fn chosen(names: &[String]) -> impl Iterator<Item = Row> {
    ROWS.into_iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.name))
}

fn options() -> Option<Options> {
    let mut options = Options { words: Vec::new(), pairs: 100_000, repeat: 9 };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--pairs" => options.pairs = args.next()?.parse().ok()?,
            "--repeat" => options.repeat = args.next()?.parse().ok()?,
            word if word.starts_with('-') => return None,
            _ => options.words.push(arg),
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let isa = match jostle::Isa::choose() {
        Ok(isa) => isa.name(),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if let Some((word, names)) = options.words.split_first()
        && OF_KINDS.contains(&word.as_str())
        && let Some(name) = unknown(names)
    {
        let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        eprintln!("there is no kind {name}; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    println!("{isa}, one thread, medians of {} rounds in turns\n", options.repeat);
    match options.words.split_first() {
        Some((word, kinds)) if word == "narrowphase" => on_one_thread(|| narrowphase::run(kinds, &options)),
        Some((word, counts))
            if ["broadphase", "threads", "frames", "nearest", "index", "periodic", "small"]
                .contains(&word.as_str()) =>
        {
            let Ok(mut counts) = counts.iter().map(|word| word.parse()).collect::<Result<Vec<usize>, _>>() else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            if counts.is_empty() {
                counts = vec![10, 100, 1000, 10_000, 100_000, 1_000_000];
                counts.truncate(if word == "frames" || word == "nearest" { 5 } else { 6 });
                counts.drain(..if ["index", "periodic"].contains(&word.as_str()) { 3 } else { 0 });
            }
            if word == "threads" {
                broadphase::threads(&counts, &options);
            } else if word == "small" {
                small::run(&counts, &options);
            } else if word == "frames" {
                on_one_thread(|| frames::run(&counts, &options));
            } else if word == "index" {
                on_one_thread(|| index::run(&counts, &options));
            } else if word == "periodic" {
                on_one_thread(|| periodic::run(&counts, &options));
            } else if word == "nearest" {
                on_one_thread(|| nearest::run(&counts, &options));
            } else {
                on_one_thread(|| broadphase::run(&counts, &options));
            }
        }
        Some((word, kinds)) if word == "meetings" => on_one_thread(|| meetings::run(kinds, &options)),
        Some((word, kinds)) if word == "depths" => on_one_thread(|| depths::run(kinds, &options)),
        Some((word, [])) if word == "resting" => on_one_thread(|| resting::run(&options)),
        Some((word, kinds)) if word == "questions" => on_one_thread(|| questions::run(kinds, &options)),
        Some((word, kinds)) if word == "casts" => on_one_thread(|| casts::run(kinds, &options)),
        Some((word, kinds)) if word == "company" => company::run(kinds, &options),
        Some((word, kinds)) if word == "stages" => on_one_thread(|| stages::run(kinds, &options)),
        Some((word, kinds)) if word == "profile" => on_one_thread(|| narrowphase::profile(kinds, &options)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
