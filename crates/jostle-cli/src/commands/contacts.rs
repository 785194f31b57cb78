//! `jostle contacts`: every pair of a scene within a margin, or their number.

use jostle::{Dimension, Engine, Precision};
use jostle_scene::{Scene, SceneSpace};

use super::{ask, refused};
use crate::args::{Common, Contacts};
use crate::failure::Outcome;
use crate::input;
use crate::output::{Output, Table, layout};
use crate::progress::Progress;

/// Does it.
pub fn run(args: &Contacts, common: &Common) -> Outcome {
    input::length("--margin", args.margin)?;
    let layout = layout(common)?;
    let (name, scene) = input::scene(&args.scene, common.quiet)?;
    input::refuse_periodic(&name, &scene)?;
    let mut output = Output::open(common)?;
    if args.count {
        let count = ask!(&scene, common.precision, count(&name, args, common))?;
        output.put(format!("{count}\n").as_bytes())?;
    } else {
        ask!(&scene, common.precision, list(&name, args, common, layout, &mut output))?;
    }
    output.finish()
}

fn count<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    args: &Contacts,
    common: &Common,
) -> Outcome<u64> {
    let _progress = Progress::begin("counting contacts", None, common.quiet);
    let report = Engine::<S, T>::new().visit_contacts(&scene.bodies.columns(), args.margin, |_| ());
    Ok(report.map_err(|error| refused(name, &error))?.rows)
}

fn list<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    args: &Contacts,
    common: &Common,
    layout: jostle_scene::TableLayout,
    output: &mut Output,
) -> Outcome {
    let progress = Progress::begin("finding contacts", None, common.quiet);
    let mut rows = Vec::new();
    Engine::<S, T>::new()
        .contacts_limited(&scene.bodies.columns(), args.margin, args.limit, &mut rows)
        .map_err(|error| refused(name, &error))?;
    drop(progress);
    let _progress = Progress::begin("writing contacts", None, common.quiet);
    let mut table = Table::begin(output, layout)?;
    table.rows(&rows)?;
    table.end()
}
