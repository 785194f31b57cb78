//! The bodies of the fuzz targets: those under `fuzz/` are a few lines each, and `fuzz/corpus` also runs as plain tests
//! (`tests/fuzz_corpus.rs`). Each target panics if something is wrong, with what is needed to reproduce it.

mod bytes;
mod cast;
mod frames;
mod pair;
mod world;

use jostle_scene::{
    AnyScene, ArrowForm, Checksum, Scene, read_pairs, read_scene, read_table, read_trajectory, write_scene,
    write_scene_arrow,
};

pub use cast::cast;
pub use frames::frames;
pub use pair::{Minimum as PairMinimum, pair};
pub use world::world;

use crate::Ground;

/// Takes bytes as a scene, JSON or Arrow IPC: it is read or refused without a panic, and a scene that was read is the
/// same after it was written and read again, in every form.
///
/// # Panics
/// If something is wrong.
pub fn scene(bytes: &[u8]) {
    let Ok(scene) = read_scene("fuzz", bytes) else { return };
    let mut text = Vec::new();
    write_scene(&scene, &mut text).expect("memory takes it all");
    let again = read_scene("again", &text).unwrap_or_else(|error| panic!("{error}\n{}", show(&text)));
    let mut twice = Vec::new();
    write_scene(&again, &mut twice).expect("memory takes it all");
    // As bytes, so that the sign of a zero counts. (Quaternions are normalised once, and then stay as they are.)
    assert!(text == twice, "written anew it differs:\n{}\n{}", show(&text), show(&twice));
    let pairs = match &again {
        AnyScene::Plane(scene) => scene.pairs.is_some(),
        AnyScene::Space(scene) => scene.pairs.is_some(),
    };
    // Arrow IPC cannot hold pairs.
    for form in [ArrowForm::File, ArrowForm::Stream].into_iter().filter(|_| !pairs) {
        let mut columns = Vec::new();
        write_scene_arrow(&again, form, &mut columns).expect("memory takes it all");
        let read = read_scene("columns", &columns).unwrap_or_else(|error| panic!("{form:?}: {error}\n{}", show(&text)));
        let mut thrice = Vec::new();
        write_scene(&read, &mut thrice).expect("memory takes it all");
        assert!(text == thrice, "{form:?} differs:\n{}\n{}", show(&text), show(&thrice));
    }
}

/// Takes bytes as a result table (CSV, JSON Lines or Arrow IPC), a list of pairs and a recording: each is read or
/// refused without a panic.
///
/// # Panics
/// If something is wrong.
pub fn table(bytes: &[u8]) {
    if let Ok(table) = read_table("fuzz", bytes) {
        assert!(table.rows.is_empty() || table.dimension.is_some_and(|d| d == 2 || d == 3), "{table:?}");
        let _ = Checksum::of_table(&table).value();
    }
    if let Ok(pairs) = read_pairs("fuzz", bytes, 100) {
        assert!(pairs.iter().all(|&[a, b]| a < 100 && b < 100 && a != b), "{pairs:?}");
    }
    if let Ok(recording) = read_trajectory("fuzz", bytes, None) {
        assert_eq!(recording.frames().map(|frame| frame.people.len()).sum::<usize>(), recording.len());
        assert!(
            recording.frames().all(|frame| !frame.people.is_empty() && frame.people.len() == frame.positions.len())
        );
        assert!(recording.frames().map(|frame| frame.number).is_sorted_by(|a, b| a < b), "{recording:?}");
        for frame in recording.frames() {
            assert!(frame.people.is_sorted_by(|a, b| a < b), "{frame:?}");
            assert!(frame.positions.iter().flatten().all(|x| x.is_finite()), "{frame:?}");
        }
    }
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Panics with what is wrong and the scene that shows it, if anything is.
fn fail<S: Ground>(wrong: &[String], scene: &Scene<S>) {
    if !wrong.is_empty() {
        let mut text = Vec::new();
        write_scene(&AnyScene::from(scene.clone()), &mut text).expect("memory takes it all");
        panic!("{}\n{}", wrong.join("\n"), show(&text));
    }
}
