//! Scenes on disk with a table of their answers.

use std::path::{Path, PathBuf};

use jostle::{Precision, Proximity};
use jostle_scene::{AnyScene, ResultRow, Scene, read_scene_file, read_table};

use crate::place::Ground;
use crate::{allowed, full, tolerance};

/// The workspace's root.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// How exact a table's distances are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// To the last digit: derived by hand or by exact arithmetic.
    Exact,
    /// To the tolerance of `check.py --strict`: found by a solver.
    Solved,
}

/// A scene with `pairs` and the table of their answers.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's name without its ending.
    pub name: String,
    /// The scene.
    pub scene: AnyScene,
    /// A row for each of its pairs.
    pub expected: Vec<ResultRow>,
    /// How exact the rows are.
    pub table: Table,
}

/// All cases of a folder, in the order of their names; scenes without pairs are left out.
///
/// # Panics
/// If the folder or a file cannot be read.
pub fn cases(folder: &Path, kind: Table) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let scene = read_scene_file(&path).unwrap_or_else(|error| panic!("{error}"));
        let Some(pairs) = scene.pairs() else { continue };
        let table = path.with_extension("expected.csv");
        let name = table.display().to_string();
        let bytes = std::fs::read(&table).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = read_table(&name, &bytes).unwrap_or_else(|error| panic!("{error}")).rows;
        let told: Vec<[u32; 2]> = expected.iter().map(|row| [row.a, row.b]).collect();
        assert_eq!(told, pairs, "{name} has a row for each of the scene's pairs");
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        all.push(Case { name, scene, expected, table: kind });
    }
    all
}

impl Case {
    /// The same with the bodies of each pair swapped.
    pub fn swapped(&self) -> Self {
        let swap = |scene: &AnyScene| {
            let swapped = |pairs: &Option<Vec<[u32; 2]>>| Some(pairs.iter().flatten().map(|&[a, b]| [b, a]).collect());
            match scene.clone() {
                AnyScene::Plane(scene) => Scene { pairs: swapped(&scene.pairs), ..scene }.into(),
                AnyScene::Space(scene) => Scene { pairs: swapped(&scene.pairs), ..scene }.into(),
            }
        };
        let row = |row: &ResultRow| ResultRow {
            a: row.b,
            b: row.a,
            witness_a: row.witness_b,
            witness_b: row.witness_a,
            normal: row.normal.map(|x| -x),
            ..*row
        };
        Self {
            name: format!("{} swapped", self.name),
            scene: swap(&self.scene),
            expected: self.expected.iter().map(row).collect(),
            table: self.table,
        }
    }

    /// Computes the distances of all pairs in precision `T` and returns everything that is wrong with them.
    pub fn hold<T: Precision>(&self) -> Vec<String> {
        match &self.scene {
            AnyScene::Plane(scene) => self.hold_in::<T, _>(scene),
            AnyScene::Space(scene) => self.hold_in::<T, _>(scene),
        }
    }

    fn hold_in<T: Precision, S: Ground>(&self, scene: &Scene<S>) -> Vec<String> {
        let columns = scene.bodies.columns();
        let pairs = scene.pairs.clone().unwrap_or_default();
        let rows: Vec<Proximity<S, T>> = match jostle::distance(&columns, &pairs) {
            Ok(rows) => rows,
            Err(error) => return vec![format!("{}: {error}", self.name)],
        };
        let mut wrong = Vec::new();
        for (row, expected) in rows.iter().zip(&self.expected) {
            let mut say = |text: String| {
                let bits = 8 * size_of::<T>();
                wrong.push(format!("{} [{}, {}] f{bits}: {text}", self.name, row.a, row.b));
            };
            let verdict = match full(&columns, row, &tolerance(row)) {
                Ok(verdict) => verdict,
                Err(failures) => {
                    for failure in failures {
                        say(failure.to_string());
                    }
                    continue;
                }
            };
            // A solver's table may be less exact than the row, which has its own proof.
            let allowed = match self.table {
                Table::Exact => allowed(&columns, row),
                Table::Solved => allowed(&columns, row).max(single(&columns, row)),
            };
            let (found, wanted) = (row.distance.to_f64(), expected.distance);
            if found < wanted - allowed - 0.01 * (-wanted).max(0.0) {
                say(format!("{found} where {wanted} was expected (allowed {allowed:.3e})"));
            }
            // A smaller depth than the table's is correct if moving along the row's own normal parts the bodies.
            let shown = found < 0.0 && verdict.lower >= found - allowed;
            if found > wanted + allowed && !shown {
                say(format!("{found} where {wanted} was expected (allowed {allowed:.3e})"));
            }
        }
        wrong
    }
}

/// By how much a distance in `f32` may be wrong.
fn single<S: Ground, T: Precision>(bodies: &jostle::Columns<'_, S>, row: &Proximity<S, T>) -> f64 {
    let single: Proximity<S, f32> = Proximity { a: row.a, b: row.b, ..Proximity::default() };
    let extent = |body: u32| {
        let shape = bodies.shape(body as usize);
        let half = shape.core_half_extents();
        2.0 * (half.as_ref().iter().fold(0.0, |m: f64, &x| m.max(x)) + shape.radius())
    };
    let tolerance = tolerance(&single);
    tolerance.size * extent(row.a).max(extent(row.b)) + tolerance.coord * crate::scale(bodies, row)
}
