//! `jostle overlap`: whether the pairs that are asked for overlap, in their order; in a periodic scene, whether any
//! image of the second body does.

use jostle::{Boundary, Dimension, Precision};
use jostle_scene::{OverlapRow, Scene, SceneSpace, TableLayout};

use super::{ask, lattice, refused};
use crate::args::{Common, Overlap};
use crate::failure::{Failure, Outcome};
use crate::input::{self, PairQuestion};
use crate::output::{BLOCK, Output, Table, layout};
use crate::progress::Progress;

/// Writes whether each pair that is asked about overlaps.
pub fn run(args: &Overlap, common: &Common) -> Outcome {
    let layout = layout(common)?;
    let boundary = if args.open { Boundary::Open } else { Boundary::Closed };
    let question = input::pair_question(&args.asked, common)?;
    let mut output = Output::open(common)?;
    ask!(&question.scene, common.precision(), answer(&question, boundary, common, layout, &mut output))?;
    output.finish()
}

fn answer<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    question: &PairQuestion,
    boundary: Boundary,
    common: &Common,
    layout: TableLayout,
    output: &mut Output,
) -> Outcome {
    let PairQuestion { name, pairs, .. } = question;
    let progress = Progress::begin("asking", Some(pairs.len() as u64), common.quiet);
    let (bodies, lattice) = (scene.bodies.columns(), lattice(scene, name)?);
    let mut table = Table::begin(output, layout)?;
    for block in pairs.chunks(BLOCK) {
        let answers = match &lattice {
            None => jostle::overlap::<T, S, _>(&bodies, block, boundary)
                .map_err(|error| Failure::Input(format!("{name}: {error}")))?,
            Some(lattice) => jostle::periodic_overlap::<T, S, _>(&bodies, lattice, block, boundary)
                .map_err(|error| refused(name, &error))?,
        };
        let row = |(&pair, overlap)| OverlapRow { pair, overlap };
        let rows: Vec<OverlapRow> = block.iter().zip(answers).map(row).collect();
        table.rows(&rows)?;
        progress.advance(block.len() as u64);
    }
    table.end()
}
