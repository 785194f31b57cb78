//! `jostle distance`: the pairs that are asked for, in their order.

use jostle::{Dimension, Precision};
use jostle_scene::{AnyScene, Scene, SceneSpace, TableLayout, read_input, read_pairs};

use super::ask;
use crate::args::{Common, Distance};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::{Output, Table, layout};
use crate::progress::Progress;

/// How many rows are in memory at a time.
const BLOCK: usize = 1 << 19;

/// Does it.
pub fn run(args: &Distance, common: &Common) -> Outcome {
    let layout = layout(common)?;
    if let Some(pairs) = &args.pairs {
        input::one_from_standard_input(&args.scene, pairs)?;
    }
    let (name, scene) = input::scene(&args.scene, common.quiet)?;
    input::refuse_periodic(&name, &scene)?;
    let listed;
    let pairs = match &args.pairs {
        Some(path) => {
            let (name, bytes) = read_input(path)?;
            listed = read_pairs(&name, &bytes, scene.body_count())?;
            if listed.is_empty() {
                return Err(Failure::Input(format!("{name}: lists no pairs")));
            }
            &listed
        }
        None => listed_pairs(&name, &scene)?,
    };
    let mut output = Output::open(common)?;
    ask!(&scene, common.precision, answer(&name, pairs, common, layout, &mut output))?;
    output.finish()
}

/// The pairs that a scene lists: at least one.
pub fn listed_pairs<'a>(name: &str, scene: &'a AnyScene) -> Outcome<&'a [[u32; 2]]> {
    match scene.pairs() {
        Some(pairs) if !pairs.is_empty() => Ok(pairs),
        _ => Err(Failure::Input(format!(
            "{name}: lists no pairs; name a file with --pairs, or in JSON put them under `pairs`"
        ))),
    }
}

fn answer<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    pairs: &[[u32; 2]],
    common: &Common,
    layout: TableLayout,
    output: &mut Output,
) -> Outcome {
    let progress = Progress::begin("measuring", Some(pairs.len() as u64), common.quiet);
    let bodies = scene.bodies.columns();
    let mut rows = Vec::new();
    let mut table = Table::begin(output, layout)?;
    for block in pairs.chunks(BLOCK) {
        jostle::distance_into::<T, S, _>(&bodies, block, &mut rows)
            .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        table.rows(&rows)?;
        progress.advance(block.len() as u64);
    }
    table.end()
}
