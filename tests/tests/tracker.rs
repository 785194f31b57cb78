//! Cases from the issue trackers of other engines: `data/tracker`, whose README describes the files.
//!
//! The tables are checked against exact arithmetic, and the answers against the tables and against their own proof: in
//! both precisions, both orders, and with every instruction set.

use std::collections::BTreeMap;
use std::process::Command;

use jostle::{Isa, Precision, Proximity, Status};
use jostle_scene::{AnyScene, ResultRow, Scene};
use jostle_tests::{Case, Exact, Ground, Table, V, cases, dot, exact, scale, workspace};
use serde::Deserialize;

/// A line of `index.jsonl`: the origin of a row of a scene.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The scene's name.
    scene: String,
    /// The index of the pair.
    row: usize,
    /// The address of the issue.
    source: String,
    /// What went wrong in that engine.
    report: String,
    /// `given` in the issue, or made `after` its description.
    numbers: String,
    /// The expected status; `touching` where `f64` cannot decide.
    status: String,
    /// `exact`, or the derivation.
    proof: String,
    /// For curved pairs: whether every other direction is at least a hundredth worse.
    unique_normal: Option<bool>,
}

fn index() -> Vec<Entry> {
    let path = workspace().join("data/tracker/index.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(read).collect()
}

/// The cases, with the entry of each of their rows.
fn tracked() -> Vec<(Case, Vec<Entry>)> {
    let mut by_scene: BTreeMap<String, BTreeMap<usize, Entry>> = BTreeMap::new();
    for entry in index() {
        let known = by_scene.entry(entry.scene.clone()).or_default().insert(entry.row, entry);
        assert!(known.is_none(), "two entries for one row: {known:?}");
    }
    let found = cases(&workspace().join("data/tracker"), Table::Exact);
    let all = found.into_iter().map(|case| {
        let entries: Vec<Entry> = by_scene.remove(&case.name).unwrap_or_default().into_values().collect();
        let rows: Vec<usize> = entries.iter().map(|entry| entry.row).collect();
        assert_eq!(rows, (0..case.expected.len()).collect::<Vec<_>>(), "{}: an entry for each row", case.name);
        (case, entries)
    });
    let all = all.collect();
    assert!(by_scene.is_empty(), "entries without a scene: {:?}", by_scene.keys());
    all
}

fn proved(case: &Case, pair: [u32; 2]) -> Option<Exact> {
    match &case.scene {
        AnyScene::Plane(scene) => exact(scene, pair),
        AnyScene::Space(scene) => exact(scene, pair),
    }
}

#[test]
fn the_index_says_where_each_case_comes_from() {
    let entries = index();
    let mut sources: Vec<&str> = entries.iter().map(|entry| entry.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    assert!(sources.len() >= 40, "{} sources", sources.len());
    for entry in &entries {
        assert!(entry.source.starts_with("https://github.com/"), "{entry:?}");
        assert!(!entry.report.is_empty() && !entry.proof.is_empty(), "{entry:?}");
        assert!(["given", "after"].contains(&entry.numbers.as_str()), "{entry:?}");
    }
    println!("{} cases from {} sources", entries.len(), sources.len());
}

#[test]
fn the_tables_are_exact() {
    for (case, entries) in tracked() {
        for (expected, entry) in case.expected.iter().zip(&entries) {
            let pair = [expected.a, expected.b];
            let Some(answer) = proved(&case, pair) else {
                assert_ne!(entry.proof, "exact", "{} {pair:?} is curved: its proof is to be told", case.name);
                assert!(entry.unique_normal.is_some(), "{} {pair:?} is curved: is its normal unique?", case.name);
                continue;
            };
            assert_eq!(entry.proof, "exact", "{} {pair:?} is not curved", case.name);
            assert_eq!(answer.distance, expected.distance, "{} {pair:?}", case.name);
            let off = |x: V, y: V| (0..3).map(|k| (x[k] - y[k]).abs()).fold(0.0, f64::max);
            assert_eq!(off(answer.normal, expected.normal), 0.0, "{} {pair:?}", case.name);
            assert_eq!(off(answer.witness_a, expected.witness_a), 0.0, "{} {pair:?}", case.name);
            assert_eq!(off(answer.witness_b, expected.witness_b), 0.0, "{} {pair:?}", case.name);
        }
    }
}

/// Compares status, bounds and normals with the table, which [`Case::hold`] does not.
fn compare<S: Ground, T: Precision>(scene: &Scene<S>, case: &Case, entries: &[Entry], unique: &[bool]) -> Vec<String> {
    let columns = scene.bodies.columns();
    let pairs = scene.pairs.clone().unwrap_or_default();
    let rows: Vec<Proximity<S, T>> = jostle::distance(&columns, &pairs).expect("good pairs");
    let mut wrong = Vec::new();
    for (((row, expected), entry), &unique) in rows.iter().zip(&case.expected).zip(entries).zip(unique) {
        let mut say = |text: String| {
            let bits = 8 * size_of::<T>();
            wrong.push(format!("{} [{}, {}] f{bits}: {text} ({})", case.name, row.a, row.b, entry.source));
        };
        let told = row.status.name();
        if told != entry.status {
            say(format!("{told} where {} was expected: {row:?}", entry.status));
        }
        let (lower, upper) = (row.lower.to_f64(), row.upper.to_f64());
        if !(lower <= expected.distance && expected.distance <= upper) {
            say(format!("{} is not between the bounds {lower} and {upper}", expected.distance));
        }
        let curved = entry.unique_normal.is_some();
        let size = scale(&columns, row);
        // Between bodies that are nearer than this, the rounding of the scene's numbers determines the normal.
        let known = expected.distance < 0.0 || expected.distance > 1e-9 * size;
        if unique && known && row.status != Status::Touching {
            let turned = 1.0 - dot(S::wide(S::array(|k| row.normal[k].to_f64())), expected.normal);
            let allowed = if size_of::<T>() == 4 || curved && expected.distance < 0.0 { 1e-5 } else { 1e-10 };
            if turned > allowed {
                say(format!("normal {:?} where {:?} was expected ({turned:.1e})", row.normal, expected.normal));
            }
        }
    }
    wrong
}

fn hold<T: Precision>(case: &Case, entries: &[Entry], unique: &[bool]) -> Vec<String> {
    let mut wrong = case.hold::<T>();
    wrong.extend(match &case.scene {
        AnyScene::Plane(scene) => compare::<_, T>(scene, case, entries, unique),
        AnyScene::Space(scene) => compare::<_, T>(scene, case, entries, unique),
    });
    wrong
}

#[test]
fn every_case_is_answered_as_its_table_says() {
    let mut wrong = Vec::new();
    for (case, entries) in tracked() {
        let only = |(row, entry): (&ResultRow, &Entry)| {
            entry.unique_normal.unwrap_or_else(|| proved(&case, [row.a, row.b]).is_some_and(|exact| exact.unique))
        };
        let unique: Vec<bool> = case.expected.iter().zip(&entries).map(only).collect();
        for case in [case.swapped(), case] {
            wrong.extend(hold::<f32>(&case, &entries, &unique));
            wrong.extend(hold::<f64>(&case, &entries, &unique));
        }
    }
    assert!(wrong.is_empty(), "{} complaints\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs the test above in a process of its own for each instruction set.
#[test]
fn every_case_under_every_instruction_set() {
    let program = std::env::current_exe().expect("this program's path");
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let output = Command::new(&program)
            .args(["--exact", "every_case_is_answered_as_its_table_says"])
            .env("JOSTLE_ISA", isa.name())
            .output()
            .expect("this program starts once more");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{isa:?}\n{said}");
    }
}
