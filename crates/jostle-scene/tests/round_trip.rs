//! What was written is read again as the same scene, and numbers are the nearest `f64`.

mod draw;

use std::path::Path;

use draw::{scene, spec};
use jostle::{D2, D3};
use jostle_scene::{AnyScene, read_scene, read_scene_file, read_shapes, write_scene, write_shapes};
use proptest::collection::vec;
use proptest::prelude::*;

fn again(scene: &AnyScene) -> AnyScene {
    let mut text = Vec::new();
    write_scene(scene, &mut text).unwrap();
    let scene = read_scene("written", &text).unwrap();
    let mut once_more = Vec::new();
    write_scene(&scene, &mut once_more).unwrap();
    assert!(text == once_more, "the text changes");
    scene
}

proptest! {
    #[test]
    fn plane(scene in scene::<D2>()) {
        prop_assert_eq!(again(&scene), scene);
    }
    #[test]
    fn space(scene in scene::<D3>()) {
        prop_assert_eq!(again(&scene), scene);
    }
    #[test]
    fn shapes_alone(shapes in vec(spec::<D3>(), 0..6)) {
        let mut text = Vec::new();
        write_shapes(&shapes, &mut text).unwrap();
        prop_assert_eq!(read_shapes::<D3>("shapes", &text).unwrap(), shapes);
    }
    /// Also decimals longer than any that is printed, where an inexact reader is off by one unit in the last place.
    #[test]
    fn nearest(digits in "[1-9][0-9]{0,30}", exponent in -310..-20i32) {
        let number = format!("{digits}e{exponent}");
        let text = format!(
            r#"{{"format":"jostle-scene","version":1,"dimension":2,"shapes":[{{"type":"circle","radius":0}}],
            "bodies":[{{"shape":0,"position":[{number},-{number}]}}]}}"#
        );
        let AnyScene::Plane(scene) = read_scene("number", text.as_bytes()).unwrap() else { panic!() };
        let value: f64 = number.parse().unwrap();
        prop_assert_eq!(scene.bodies.get(0).position, [value, -value]);
    }
}

/// Real hulls, where the environment variable `JOSTLE_DATA` names the folder that holds them.
#[test]
fn robot_links() {
    let Some(folder) = std::env::var_os("JOSTLE_DATA") else {
        eprintln!("skipped: JOSTLE_DATA does not say where robot-links.json is");
        return;
    };
    let scene = read_scene_file(&Path::new(&folder).join("robot-links.json")).unwrap();
    assert_eq!((scene.dimension(), scene.body_count()), (3, 600));
    assert_eq!(again(&scene), scene);
}
