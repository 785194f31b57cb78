//! What whoever runs a command may want to know, beside its results.

use std::io::{self, Write};

use crate::args::Common;

/// Says something on standard error, unless it is to be quiet.
pub fn note(common: &Common, sentence: &str) {
    if !common.quiet {
        // Whoever closed standard error does not want to know.
        let _ = writeln!(io::stderr(), "jostle: note: {sentence}");
    }
}
