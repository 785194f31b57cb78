//! `jostle cast`: when the pairs that are asked for first meet, in their order; in a periodic scene, whichever image of
//! the second body is met first.

use jostle::{Dimension, Motion, Precision};
use jostle_scene::{CastRow, Scene, SceneSpace, TableLayout};

use super::{ask, lattice};
use crate::args::{Cast, Common};
use crate::failure::{Failure, Outcome};
use crate::input::{self, PairQuestion};
use crate::output::{BLOCK, Output, Table, layout};
use crate::progress::Progress;

/// Writes when each pair that is asked about first meets.
pub fn run(args: &Cast, common: &Common) -> Outcome {
    input::duration("--duration", args.duration)?;
    input::length("--target", args.target)?;
    let layout = layout(common)?;
    let motion = Motion::lasting(args.duration).to_within(args.target);
    let question = input::pair_question(&args.asked, common)?;
    let mut output = Output::open(common)?;
    ask!(&question.scene, common.precision(), answer(&question, motion, common, layout, &mut output))?;
    output.finish()
}

fn answer<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    question: &PairQuestion,
    motion: Motion,
    common: &Common,
    layout: TableLayout,
    output: &mut Output,
) -> Outcome {
    let PairQuestion { name, pairs, .. } = question;
    let progress = Progress::begin("casting", Some(pairs.len() as u64), common.quiet);
    let (bodies, lattice) = (scene.bodies.columns(), lattice(scene, name)?);
    let mut table = Table::begin(output, TableLayout { shift: lattice.is_some(), ..layout })?;
    let mut casts = Vec::new();
    for block in pairs.chunks(BLOCK) {
        let refused = |error| Failure::Input(format!("{name}: {error}"));
        let rows: Vec<CastRow<S, T>> = if let Some(lattice) = &lattice {
            let casts = jostle::periodic_cast(&bodies, lattice, block, motion).map_err(refused)?;
            casts.into_iter().map(CastRow::shifted).collect()
        } else {
            jostle::cast_into(&bodies, block, motion, &mut casts).map_err(refused)?;
            casts.iter().copied().map(CastRow::new).collect()
        };
        table.rows(&rows)?;
        progress.advance(block.len() as u64);
    }
    table.end()
}
