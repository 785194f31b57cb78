//! `jostle generate`: a scene made up, the same bytes on every machine.

use jostle_scene::generate::{GenerateArrowError, Kind, Options, generate, generate_arrow};
use jostle_scene::write_scene;

use crate::args::{Common, Format, Generate};
use crate::failure::{Failure, Outcome};
use crate::note::note;
use crate::output::{Output, arrow_form, ending};
use crate::progress::Progress;

/// How many bodies, unless told otherwise.
const BODIES: usize = 1000;

/// Writes a scene, or with `--list` names the kinds.
pub fn run(args: &Generate, common: &Common) -> Outcome {
    if args.list {
        let mut output = Output::open(common)?;
        for &kind in Kind::ALL {
            output.put(format!("{:<11}{}\n", kind.name(), kind.description()).as_bytes())?;
        }
        return output.finish();
    }
    let word = args.kind.as_deref().unwrap_or_default();
    let refused = |error: jostle_scene::generate::GenerateError| Failure::Input(error.to_string());
    let kind: Kind = word.parse().map_err(refused)?;
    let as_arrow = is_arrow(common)?;
    let dimension = args.dimension.unwrap_or(kind.usual_dimension());
    let options = Options { bodies: args.bodies.unwrap_or(BODIES), seed: args.seed.unwrap_or(1), dimension };
    let _progress = Progress::begin("generating", None, common.quiet);
    if as_arrow {
        let form = arrow_form(common)?;
        let mut output = Output::open(common)?;
        generate_arrow(kind, options, form, &mut output).map_err(|error| match error {
            GenerateArrowError::Generate(error) => refused(error),
            GenerateArrowError::Write(error) => output.failed(&error),
        })?;
        return output.finish();
    }
    let scene = generate(kind, options).map_err(refused)?;
    let mut output = Output::open(common)?;
    write_scene(&scene, &mut output).map_err(|error| output.failed(&error))?;
    output.finish()
}

/// Whether the scene is written as Arrow IPC: as asked for, else by the file's ending, else not.
fn is_arrow(common: &Common) -> Outcome<bool> {
    match (common.format, ending(common).as_deref()) {
        (Some(Format::Arrow), _) | (None, Some("arrow" | "arrows")) => Ok(true),
        (Some(Format::Json), _) | (None, None | Some("json" | "txt")) => Ok(false),
        (Some(Format::Csv | Format::Jsonl), _) => {
            let reason = "a scene is no table of results: it is written as JSON (--format json) or Arrow IPC (--format \
                          arrow)";
            Err(Failure::Input(reason.to_owned()))
        }
        // Scripts were promised JSON in whatever is not called *.arrow.
        (None, Some(other)) => {
            note(
                common,
                &format!("a scene that ends in .{other} is written as JSON; .arrow, .arrows choose Arrow IPC"),
            );
            Ok(false)
        }
    }
}
