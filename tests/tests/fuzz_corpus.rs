//! The corpus of the fuzzers as plain tests: inputs that cover something of their own, and all that ever failed.

use std::path::PathBuf;

use jostle_tests::fuzz::{self, PairMinimum};
use jostle_tests::{Random, workspace};

/// The files of a folder, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = workspace().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths
}

/// Runs a target over the files of its corpus; a failure names the file.
fn corpus(name: &str, target: impl Fn(&[u8])) {
    for path in files(&format!("fuzz/corpus/{name}")) {
        // Shown if the target panics.
        println!("{}", path.display());
        target(&std::fs::read(&path).expect("a readable file"));
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

/// Runs a target over random bytes; returns the mean of its results.
fn random_bytes(target: impl Fn(&[u8]) -> usize, inputs: usize, longest: usize) -> f64 {
    let mut random = Random::new(2);
    let inputs = std::env::var("JOSTLE_INPUTS").map_or(inputs, |count| count.parse().expect("a number"));
    let mut sum = 0;
    for _ in 0..inputs {
        let bytes: Vec<u8> = (0..random.below(longest)).map(|_| random.bits() as u8).collect();
        sum += target(&bytes);
    }
    sum as f64 / inputs as f64
}

#[test]
fn worlds() {
    corpus("world", |bytes| assert!(fuzz::world(bytes)));
    let checked = random_bytes(|bytes| usize::from(fuzz::world(bytes)), 300, 400);
    assert!(checked > 0.5, "{checked}");
}

#[test]
fn casts() {
    let hits = random_bytes(|bytes| usize::from(fuzz::cast(bytes)), 3000, 200);
    assert!(hits > 0.01, "{hits}");
}

#[test]
fn frames() {
    let contacts = random_bytes(fuzz::frames, 60, 4000);
    assert!(contacts > 20.0, "{contacts}");
}

/// Arrow IPC files by pyarrow, with a few bytes changed, a piece cut out or the end missing.
#[test]
fn damaged_columns() {
    let mut random = Random::new(1);
    for path in files("crates/jostle-scene/tests/pyarrow") {
        println!("{}", path.display());
        let whole = std::fs::read(&path).expect("a readable file");
        fuzz::scene(&whole);
        fuzz::table(&whole);
        for _ in 0..400 {
            let mut bytes = whole.clone();
            match random.below(4) {
                0 => bytes.truncate(random.below(whole.len())),
                1 => {
                    let start = random.below(whole.len());
                    drop(bytes.drain(start..whole.len().min(start + 1 + random.below(16))));
                }
                _ => {}
            }
            for _ in 0..random.below(4) {
                if let Some(last) = bytes.len().checked_sub(1) {
                    bytes[random.below(last + 1)] = random.pick(&[0, 1, 0x7f, 0x80, 0xff, b'\"', b'-', b'9']);
                }
            }
            fuzz::scene(&bytes);
            fuzz::table(&bytes);
        }
    }
}
