//! Rows of results as text, formatted by all threads, written in order.

use jostle::{Proximity, Scalar, Space};
use jostle_scene::TableLayout;
use rayon::prelude::*;

use crate::failure::Outcome;
use crate::output::Output;

/// How many rows a thread formats at a time.
const PIECE: usize = 4096;
/// How many such pieces are in memory at a time.
const PIECES: usize = 64;

/// Writes what stands before the first row.
pub fn header<S: Space>(layout: TableLayout, output: &mut Output) -> Outcome {
    let mut text = Vec::new();
    layout.push_header::<S>(&mut text);
    output.put(&text)
}

/// Writes rows.
pub fn rows<S: Space, T: Scalar>(rows: &[Proximity<S, T>], layout: TableLayout, output: &mut Output) -> Outcome {
    each(rows, output, |text, row| layout.push_row(text, row, None))
}

/// Writes whatever `push` makes of each row.
pub fn each<R: Sync>(rows: &[R], output: &mut Output, push: impl Fn(&mut Vec<u8>, &R) + Sync) -> Outcome {
    for block in rows.chunks(PIECE * PIECES) {
        let format = |rows: &[R]| {
            let mut text = Vec::with_capacity(rows.len() * 128);
            for row in rows {
                push(&mut text, row);
            }
            text
        };
        let texts: Vec<Vec<u8>> = block.par_chunks(PIECE).map(format).collect();
        texts.iter().try_for_each(|text| output.put(text))?;
    }
    Ok(())
}
