//! `jostle cast`: when the pairs that are asked for first meet, in their order.

use jostle::{Dimension, Motion, Precision};
use jostle_scene::{Scene, SceneSpace, TableFormat};

use super::ask;
use crate::args::{Cast, Common};
use crate::failure::{Failure, Outcome};
use crate::input::{self, BLOCK, Question};
use crate::output::{Output, format};
use crate::progress::Progress;
use crate::table;

/// Does it.
pub fn run(args: &Cast, common: &Common) -> Outcome {
    input::duration("--duration", args.duration)?;
    input::length("--target", args.target)?;
    let format = format(common)?;
    let motion = Motion::lasting(args.duration).to_within(args.target);
    let question = input::question(&args.asked, common.quiet)?;
    let mut output = Output::open(common)?;
    ask!(&question.scene, common.precision, answer(&question, motion, common, format, &mut output))?;
    output.finish()
}

fn answer<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    question: &Question,
    motion: Motion,
    common: &Common,
    format: TableFormat,
    output: &mut Output,
) -> Outcome {
    let Question { name, pairs, .. } = question;
    let progress = Progress::begin("casting", Some(pairs.len() as u64), common.quiet);
    let bodies = scene.bodies.columns();
    let mut header = Vec::new();
    format.push_cast_header::<S>(&mut header);
    output.put(&header)?;
    let mut rows = Vec::new();
    for block in pairs.chunks(BLOCK) {
        jostle::cast_into(&bodies, block, motion, &mut rows)
            .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        table::each(&rows, output, |text, row| format.push_cast::<S, T>(text, row))?;
        progress.advance(block.len() as u64);
    }
    Ok(())
}
