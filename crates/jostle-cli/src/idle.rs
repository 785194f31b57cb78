//! What was asked for and makes no difference: for each command, here and nowhere else. It is noted on standard error.
//!
//! What contradicts a command (`generate --format csv`, `bench contacts --frames`) is not noted but refused, by the
//! command.

use crate::args::{BenchStage, Command, Common, Format, Precision};
use crate::note::note;
use crate::output::ending;

/// Why some options of a command make no difference, and which of them were given.
type Idle = (&'static str, Vec<(&'static str, bool)>);

/// Notes what of a command line makes no difference.
pub fn note_idle(command: &Command, common: &Common) {
    for (because, options) in idle(command, common) {
        let given: Vec<&str> = options.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect();
        if let Some((last, before)) = given.split_last() {
            let (options, make) = match before {
                [] => ((*last).to_owned(), "makes"),
                _ => (format!("{} and {last}", before.join(", ")), "make"),
            };
            note(common, &format!("{because}: {options} {make} no difference"));
        }
    }
}

/// The same of an option that the scene called `name` gives nothing to do.
pub fn note_no_images(name: &str, common: &Common) {
    note(common, &format!("{name} does not repeat: --self-images makes no difference"));
}

/// The same of how far bodies move in a frame, where they have velocities.
pub fn note_velocities(name: &str, common: &Common) {
    note(common, &format!("bodies of {name} have velocities, by which they move: --motion makes no difference"));
}

/// The table: of each command, what it does not look at.
fn idle(command: &Command, common: &Common) -> Vec<Idle> {
    let certificate = ("--certificate", common.certificate);
    let format = ("--format", common.format.is_some());
    let precision = ("--precision", common.precision.is_some());
    // That of what is text, whatever its file is called.
    let ending = match ending(common).as_deref() {
        Some("arrow") => ("the ending .arrow", true),
        Some("arrows") => ("the ending .arrows", true),
        _ => ("the ending", false),
    };
    // Of results that are read, `--format jsonl` says what it means that there are none.
    let read_format = (
        "the format of results is recognised by their content",
        vec![("--format", common.format.is_some_and(|format| format != Format::Jsonl))],
    );
    match command {
        Command::Demo(_) => vec![("demo prints a summary and draws a picture", vec![format, certificate])],
        Command::Generate(args) if args.list => {
            let (bodies, seed) = (("--bodies", args.bodies.is_some()), ("--seed", args.seed.is_some()));
            let dimension = ("--dimension", args.dimension.is_some());
            let threads = ("--threads", common.threads.is_some());
            let all = vec![bodies, seed, dimension, format, precision, certificate, threads, ending];
            vec![("--list prints the names of the kinds", all)]
        }
        Command::Generate(_) => vec![("a scene is no table of results", vec![precision, certificate])],
        Command::Contacts(args) if args.count => {
            let limit = ("--limit", args.limit.is_some());
            vec![("--count prints one number", vec![format, certificate, limit, ending])]
        }
        Command::Contacts(_) | Command::Distance(_) | Command::Nearest(_) => Vec::new(),
        Command::Overlap(_) => vec![("rows of overlap have no certificate", vec![certificate])],
        Command::Cast(_) => vec![("rows of cast have no certificate", vec![certificate])],
        Command::Trajectory(_) => {
            let single = ("--precision f32", common.precision == Some(Precision::F32));
            vec![
                ("rows of trajectory have no certificate", vec![certificate]),
                ("distances of people are always f64", vec![single]),
            ]
        }
        Command::Bench(args) => {
            let printed = ("bench prints times", vec![format, certificate, ending]);
            let (margin, limit) = (("--margin", args.margin.is_some()), ("--limit", args.limit.is_some()));
            match args.stage {
                BenchStage::Broadphase | BenchStage::Contacts => vec![printed],
                BenchStage::Distance => {
                    vec![printed, ("bench distance measures the pairs that are listed", vec![margin, limit])]
                }
                BenchStage::Frames => {
                    let repeat = ("--repeat", args.repeat.is_some());
                    vec![printed, ("bench frames does each frame once", vec![repeat])]
                }
            }
        }
        Command::Verify(_) => vec![read_format, ("verify prints what it finds", vec![certificate, ending])],
        Command::Checksum(_) => {
            vec![read_format, ("checksum prints one number", vec![precision, certificate, ending])]
        }
    }
}
