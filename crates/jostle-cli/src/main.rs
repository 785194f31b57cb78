//! The command `jostle`: what the library answers, asked from a shell.
//!
//! A command is read in [`args`], done by a file in [`commands`], and ends as [`failure`] says: 0, 2 for what the user
//! can put right (with one sentence), 1 for the rest. Only results go to standard output.

mod args;
mod commands;
mod failure;
mod idle;
mod input;
mod interrupt;
mod note;
mod output;
mod overwrite;
mod progress;

use std::process::ExitCode;

use args::{Cli, Command, Common};
use failure::{Failure, Outcome};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Outcome {
    interrupt::survive_full_files();
    // Before anything else: every kernel would stop the program over it.
    jostle::Isa::choose().map_err(|error| Failure::Input(error.to_string()))?;
    let Some(Cli { command, common }) = args::read()? else { return Ok(()) };
    overwrite::refuse(&command, &common)?;
    use_threads(&common)?;
    idle::note_idle(&command, &common);
    match command {
        Command::Demo(args) => commands::demo::run(&args, &common),
        Command::Generate(args) => commands::generate::run(&args, &common),
        Command::Contacts(args) => commands::contacts::run(&args, &common),
        Command::Distance(args) => commands::distance::run(&args, &common),
        Command::Nearest(args) => commands::nearest::run(&args, &common),
        Command::Overlap(args) => commands::overlap::run(&args, &common),
        Command::Cast(args) => commands::cast::run(&args, &common),
        Command::Trajectory(args) => commands::trajectory::run(&args, &common),
        Command::Bench(args) => commands::bench::run(&args, &common),
        Command::Verify(args) => commands::verify::run(&args, &common),
        Command::Checksum(args) => commands::checksum::run(&args, &common),
    }
}

fn use_threads(common: &Common) -> Outcome {
    let Some(threads) = common.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|error| Failure::Other(format!("cannot start {threads} threads: {error}")))
}
