//! Prints the answers for a scene's pairs by exact arithmetic, as a result table: this makes the tables of
//! `data/tracker`. Pairs with a curved core are named on standard error and left out: their rows are derived by hand.
//!
//! ```text
//! cargo run --release --bin exact -- data/tracker/fcl.json
//! ```

use std::path::PathBuf;

use clap::Parser;
use jostle::Proximity;
use jostle_scene::{AnyScene, Scene, TableFormat, TableLayout, TableWriter, read_scene_file};
use jostle_tests::{Ground, exact};

/// Prints the answers for a scene's pairs by exact arithmetic.
#[derive(Parser, Debug)]
struct Args {
    /// A scene with `pairs`.
    scene: PathBuf,
}

fn print<S: Ground>(scene: &Scene<S>) -> std::io::Result<()> {
    let layout = TableLayout { format: TableFormat::Csv, ..TableLayout::default() };
    let mut table = TableWriter::new(std::io::stdout().lock(), layout)?;
    for &pair in scene.pairs.iter().flatten() {
        let Some(answer) = exact(scene, pair) else {
            eprintln!("{pair:?}: curved");
            continue;
        };
        table.write(&Proximity::<S, f64> {
            a: pair[0],
            b: pair[1],
            distance: answer.distance,
            normal: S::narrow(answer.normal),
            witness_a: S::narrow(answer.witness_a),
            witness_b: S::narrow(answer.witness_b),
            ..Proximity::default()
        })?;
    }
    table.finish().map(drop)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match read_scene_file(&Args::parse().scene)? {
        AnyScene::Plane(scene) => print(&scene)?,
        AnyScene::Space(scene) => print(&scene)?,
    }
    Ok(())
}
