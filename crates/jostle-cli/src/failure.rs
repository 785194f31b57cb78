//! How a command ends when it does not end well.

use std::io::{self, Write};
use std::process::ExitCode;

/// What every command gives back.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a command stops, and with which exit status.
#[derive(Debug)]
pub enum Failure {
    /// Bad input or arguments: status 2 and a sentence.
    Input(String),
    /// Anything else: status 1 and a sentence.
    Other(String),
    /// The reader of standard output has gone away: status 1, and nothing to say.
    BrokenPipe,
}

impl Failure {
    /// Says the sentence on standard error and gives the exit status.
    pub fn report(self) -> ExitCode {
        let (sentence, status) = match self {
            Failure::Input(sentence) => (sentence, 2),
            Failure::Other(sentence) => (sentence, 1),
            Failure::BrokenPipe => return ExitCode::from(1),
        };
        // One line, whatever stands in it.
        let words: Vec<&str> = sentence.split_ascii_whitespace().collect();
        let _ = writeln!(io::stderr(), "jostle: {}", words.join(" "));
        ExitCode::from(status)
    }

    /// What an error while writing to `name` means.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            // Not the system's word, but that of a build without some format.
            io::ErrorKind::Unsupported if error.raw_os_error().is_none() => Failure::Input(error.to_string()),
            _ => Failure::Other(format!("{name}: cannot be written: {error}")),
        }
    }
}

impl From<jostle_scene::SceneError> for Failure {
    fn from(error: jostle_scene::SceneError) -> Self {
        Failure::Input(error.to_string())
    }
}
