//! Running the built command, as a shell would.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command, with no instruction set forced.
pub fn jostle() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
    command.env_remove("JOSTLE_ISA");
    command
}

/// Runs it with these arguments.
pub fn run(arguments: &[&str]) -> Output {
    jostle().args(arguments).output().expect("jostle starts")
}

/// Runs it with this on standard input.
#[allow(dead_code, reason = "not every test file feeds it")]
pub fn feed(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = jostle();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("jostle starts");
    child.stdin.take().expect("is piped").write_all(input).expect("jostle reads");
    child.wait_with_output().expect("jostle ends")
}

/// Standard output of a run that must end well and quietly.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    assert_eq!(error, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("results are text")
}

/// Asserts exit status, one sentence on standard error that holds `sentence`, and nothing on standard output.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn refused(output: &Output, status: i32, sentence: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{error}");
    assert!(error.contains(sentence), "`{}` does not say `{sentence}`", error.trim_end());
    assert!(error.starts_with("jostle: ") && error.ends_with('\n') && error.lines().count() == 1, "{error}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A folder for one test, gone with it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }
    pub fn path(&self) -> &Path {
        self.0.path()
    }
    /// The path of a file in it.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn at(&self, name: &str) -> String {
        self.path().join(name).to_str().expect("is text").to_owned()
    }
    /// A file in it with this content.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path().join(name), content).expect("can be written");
        self.at(name)
    }
    /// What is in it.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path()).expect("is there");
        entries.map(|entry| entry.expect("can be read").file_name().into()).collect()
    }
}
