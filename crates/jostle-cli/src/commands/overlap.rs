//! `jostle overlap`: whether the pairs that are asked for overlap, in their order.

use jostle::{Boundary, Dimension, Precision};
use jostle_scene::{Scene, SceneSpace, TableFormat};

use super::ask;
use crate::args::{Common, Overlap};
use crate::failure::{Failure, Outcome};
use crate::input::{self, BLOCK, Question};
use crate::output::{Output, format};
use crate::progress::Progress;
use crate::table;

/// Does it.
pub fn run(args: &Overlap, common: &Common) -> Outcome {
    let format = format(common)?;
    let boundary = if args.open { Boundary::Open } else { Boundary::Closed };
    let question = input::question(&args.asked, common.quiet)?;
    let mut output = Output::open(common)?;
    ask!(&question.scene, common.precision, answer(&question, boundary, common, format, &mut output))?;
    output.finish()
}

fn answer<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    question: &Question,
    boundary: Boundary,
    common: &Common,
    format: TableFormat,
    output: &mut Output,
) -> Outcome {
    let Question { name, pairs, .. } = question;
    let progress = Progress::begin("asking", Some(pairs.len() as u64), common.quiet);
    let bodies = scene.bodies.columns();
    let mut header = Vec::new();
    format.push_overlap_header(&mut header);
    output.put(&header)?;
    for block in pairs.chunks(BLOCK) {
        let answers = jostle::overlap::<T, S, _>(&bodies, block, boundary)
            .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        let rows: Vec<([u32; 2], bool)> = block.iter().copied().zip(answers).collect();
        table::each(&rows, output, |text, &(pair, overlap)| format.push_overlap(text, pair, overlap))?;
        progress.advance(block.len() as u64);
    }
    Ok(())
}
