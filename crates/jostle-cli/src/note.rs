//! Notes for the user, beside the results.

use std::io::{self, Write};

use crate::args::Common;

/// Says something on standard error, unless it is to be quiet.
pub fn note(common: &Common, sentence: &str) {
    if !common.quiet {
        // An error means that standard error is closed: then notes are not wanted.
        let _ = writeln!(io::stderr(), "jostle: note: {sentence}");
    }
}
