//! Pairs that the soak program found answered wrongly once, or not to the end: `data/soak`. Each answer holds against its
//! bodies, in both precisions and both orders.

use std::path::Path;

use jostle::{Columns, Precision, Status};
use jostle_scene::{AnyScene, Scene, read_scene_file};
use jostle_tests::{Ground, full, tolerance};

fn holds<S: Ground, T: Precision>(columns: &Columns<'_, S>, pairs: &[[u32; 2]], name: &str) {
    for row in jostle::distance::<T, _, _>(columns, pairs).expect("good bodies") {
        assert_ne!(row.status, Status::Unconverged, "{name}, {}: {row:?}", T::NAME);
        if let Err(failures) = full(columns, &row, &tolerance(&row)) {
            panic!("{name}, {}: {row:?}\n{failures:?}", T::NAME);
        }
    }
}

fn both_ways<S: Ground>(scene: &Scene<S>, name: &str) {
    let mut pairs = scene.pairs.clone().expect("these name their pairs");
    assert!(!pairs.is_empty(), "{name}");
    for i in 0..pairs.len() {
        let [a, b] = pairs[i];
        pairs.push([b, a]);
    }
    let columns = scene.bodies.columns();
    holds::<S, f32>(&columns, &pairs, name);
    holds::<S, f64>(&columns, &pairs, name);
}

#[test]
fn what_was_found_once_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/soak");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder is part of the project") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        match read_scene_file(&path) {
            Ok(AnyScene::Plane(scene)) => both_ways(&scene, &name),
            Ok(AnyScene::Space(scene)) => both_ways(&scene, &name),
            Err(error) => panic!("{error}"),
        }
        count += 1;
    }
    assert!(count >= 40, "{count} scenes");
}
