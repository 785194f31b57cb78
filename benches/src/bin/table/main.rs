//! The tables of BENCHMARKS.md, each printed by one command.

mod narrowphase;

use std::process::ExitCode;

const USAGE: &str = "table narrowphase [KIND...] [--pairs N] [--repeat N] [--stages]
table broadphase [BODIES...] [--repeat N]";

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    words: Vec<String>,
    pairs: usize,
    repeat: usize,
    stages: bool,
}

fn options() -> Option<Options> {
    let mut options = Options { words: Vec::new(), pairs: 100_000, repeat: 9, stages: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--pairs" => options.pairs = args.next()?.parse().ok()?,
            "--repeat" => options.repeat = args.next()?.parse().ok()?,
            "--stages" => options.stages = true,
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
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{isa}, one thread, medians of {} rounds in turns\n", options.repeat);
    match options.words.split_first() {
        Some((word, kinds)) if word == "narrowphase" => pool.install(|| narrowphase::run(kinds, &options)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
