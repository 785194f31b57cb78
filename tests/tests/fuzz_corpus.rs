//! The corpus of the fuzzers, as plain tests: what they found worth keeping, and everything that ever failed.

use jostle_tests::fuzz::{self, PairMinimum};
use jostle_tests::workspace;

/// Runs a target over the files of its corpus; a failure names the file.
fn corpus(name: &str, target: impl Fn(&[u8])) {
    let folder = workspace().join("fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    for path in &paths {
        // Shown where the target panics.
        println!("{}", path.display());
        target(&std::fs::read(path).expect("a readable file"));
    }
}

#[test]
fn scenes() {
    corpus("scene", fuzz::scene);
}

#[test]
fn tables() {
    corpus("table", fuzz::table);
}

#[test]
fn pairs() {
    corpus("pair", |bytes| fuzz::pair(bytes, PairMinimum::Independent));
}
