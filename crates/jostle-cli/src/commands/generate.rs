//! `jostle generate`: a scene made up, the same bytes on every machine.

use jostle_scene::generate::{Kind, Options, generate};
use jostle_scene::write_scene;

use crate::args::{Common, Generate};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::progress::Progress;

/// Does it.
pub fn run(args: &Generate, common: &Common) -> Outcome {
    if common.format.is_some() {
        return Err(Failure::Input("--format is for results; scenes are written as JSON".to_owned()));
    }
    if args.list {
        let mut output = Output::open(common)?;
        for kind in Kind::ALL {
            output.put(format!("{:<11}{}\n", kind.name(), kind.description()).as_bytes())?;
        }
        return output.finish();
    }
    if common.output.as_deref().is_some_and(|path| path.extension().is_some_and(|ending| ending == "arrow")) {
        return Err(Failure::Input("this version does not write Arrow IPC yet; scenes are written as JSON".to_owned()));
    }
    let word = args.kind.as_deref().unwrap_or_default();
    let refused = |error: jostle_scene::generate::GenerateError| Failure::Input(error.to_string());
    let kind: Kind = word.parse().map_err(refused)?;
    let dimension = args.dimension.unwrap_or(kind.usual_dimension());
    let _progress = Progress::begin("generating", None, common.quiet);
    let scene = generate(kind, Options { bodies: args.bodies, seed: args.seed, dimension }).map_err(refused)?;
    let mut output = Output::open(common)?;
    write_scene(&scene, &mut output).map_err(|error| output.failed(&error))?;
    output.finish()
}
