//! `jostle contacts`: every pair of a scene within a margin, or their number.

use jostle::{Dimension, Engine, Precision, count_periodic_contacts, periodic_contacts};
use jostle_scene::{Scene, SceneSpace, TableLayout, TableRow};

use super::{ask, lattice_of, refused};
use crate::args::{Common, Contacts, LIMIT};
use crate::failure::Outcome;
use crate::input;
use crate::output::{Output, Table, layout};
use crate::progress::Progress;

/// Writes the pairs within the margin, or prints how many there are.
pub fn run(args: &Contacts, common: &Common) -> Outcome {
    input::length("--margin", args.margin)?;
    let layout = if args.count { None } else { Some(layout(common)?) };
    let (name, scene) = input::scene(&args.scene, common)?;
    let mut output = Output::open(common)?;
    if let Some(layout) = layout {
        ask!(&scene, common.precision(), list(&name, args, common, layout, &mut output))?;
    } else {
        let count = ask!(&scene, common.precision(), count(&name, args, common))?;
        output.put(format!("{count}\n").as_bytes())?;
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
    if let Some(lattice) = lattice_of(scene, name, args.self_images, common)? {
        let count = count_periodic_contacts::<T, S, _>(&scene.bodies.columns(), &lattice, args.margin);
        return count.map_err(|error| refused(name, &error));
    }
    Engine::<S, T>::new().count_contacts(&scene.bodies.columns(), args.margin).map_err(|error| refused(name, &error))
}

fn list<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    args: &Contacts,
    common: &Common,
    layout: TableLayout,
    output: &mut Output,
) -> Outcome {
    let progress = Progress::begin("finding contacts", None, common.quiet);
    let limit = args.limit.unwrap_or(LIMIT);
    if let Some(lattice) = lattice_of(scene, name, args.self_images, common)? {
        let found = periodic_contacts::<T, S, _>(&scene.bodies.columns(), &lattice, args.margin, limit);
        let rows = found.map_err(|error| refused(name, &error))?;
        drop(progress);
        return write(&rows, common, TableLayout { shift: true, ..layout }, output);
    }
    let (mut engine, mut rows) = (Engine::<S, T>::new(), Vec::new());
    engine.set_limit(limit);
    engine.contacts(&scene.bodies.columns(), args.margin, &mut rows).map_err(|error| refused(name, &error))?;
    drop(progress);
    write(&rows, common, layout, output)
}

fn write<R: TableRow + Sync>(rows: &[R], common: &Common, layout: TableLayout, output: &mut Output) -> Outcome {
    let _progress = Progress::begin("writing contacts", None, common.quiet);
    let mut table = Table::begin(output, layout)?;
    table.rows(rows)?;
    table.end()
}
