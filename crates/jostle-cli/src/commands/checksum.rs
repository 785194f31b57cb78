//! `jostle checksum`: the number that `jostle bench` gives for the same rows.

use crate::args::{Checksum, Common};
use crate::failure::Outcome;
use crate::input;
use crate::output::Output;

/// Prints the checksum of a result table.
pub fn run(args: &Checksum, common: &Common) -> Outcome {
    let (_, table) = input::table(&args.results, common)?;
    let mut output = Output::open(common)?;
    output.put(format!("{}\n", jostle_scene::Checksum::of_table(&table)).as_bytes())?;
    output.finish()
}
