//! `jostle distance`: the pairs that are asked for, in their order; in a periodic scene the nearest image of the second
//! body.

use jostle::{Dimension, Narrowphase, Precision};
use jostle_scene::{Scene, SceneSpace, TableLayout};

use super::{ask, lattice, refused};
use crate::args::{Common, Distance};
use crate::failure::{Failure, Outcome};
use crate::input::{self, PairQuestion};
use crate::output::{BLOCK, Output, Table, layout};
use crate::progress::Progress;

/// Writes the distance of each pair that is asked about.
pub fn run(args: &Distance, common: &Common) -> Outcome {
    let layout = layout(common)?;
    let PairQuestion { name, scene, pairs } = input::pair_question(&args.asked, common)?;
    let mut output = Output::open(common)?;
    ask!(&scene, common.precision(), answer(&name, &pairs, common, layout, &mut output))?;
    output.finish()
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
    if let Some(lattice) = lattice(scene, name)? {
        let mut table = Table::begin(output, TableLayout { shift: true, ..layout })?;
        for block in pairs.chunks(BLOCK) {
            let nearest = jostle::periodic_distance::<T, S, _>(&bodies, &lattice, block);
            table.rows(&nearest.map_err(|error| refused(name, &error))?)?;
            progress.advance(block.len() as u64);
        }
        return table.end();
    }
    let (mut table, mut narrowphase) = (Table::begin(output, layout)?, Narrowphase::<S, T>::new());
    for block in pairs.chunks(BLOCK) {
        let answered = narrowphase.distance(&bodies, block, &mut rows);
        answered.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        table.rows(&rows)?;
        progress.advance(block.len() as u64);
    }
    table.end()
}
