//! No command replaces what it reads: a file that is named as input and as output is named by mistake, and might be the
//! only copy.

use std::fs;
use std::path::Path;

use jostle_scene::{input_name, path_name};

use crate::args::{Command, Common};
use crate::failure::{Failure, Outcome};

/// Refuses a file that `-o` names where it is one that the command reads, whatever it is called there.
pub fn refuse(command: &Command, common: &Common) -> Outcome {
    let Some(output) = common.output.as_deref().filter(|path| path.as_os_str() != "-") else { return Ok(()) };
    match command.inputs().into_iter().find(|input| same_file(input, output)) {
        None => Ok(()),
        Some(input) => Err(Failure::Input(format!(
            "{}: is read by this command ({}), and -o would replace it",
            path_name(output),
            input_name(input)
        ))),
    }
}

/// True if both are the same ordinary file; of others (`/dev/null`) nothing is lost.
fn same_file(input: &Path, output: &Path) -> bool {
    let Some(there) = fs::metadata(output).ok().filter(fs::Metadata::is_file) else { return false };
    if input.as_os_str() == "-" {
        return is_standard_input(&there);
    }
    // Hard links are one file by two names.
    let linked = fs::metadata(input).is_ok_and(|read| is_same(&read, &there));
    linked || matches!((fs::canonicalize(input), fs::canonicalize(output)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere the names alone tell.
#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    false
}

/// True if this is the file that a shell has redirected to standard input.
fn is_standard_input(file: &fs::Metadata) -> bool {
    cfg!(unix) && fs::metadata("/dev/stdin").is_ok_and(|input| is_same(&input, file))
}
