//! Whatever is wrong with a scene is refused in one sentence that names the file, the place and the reason.

use jostle_scene::{AnyScene, read_scene, read_scene_file};

/// The sentence, without the name of the file.
fn refusal(text: &str) -> String {
    let sentence = read_scene("s.json", text.as_bytes()).expect_err(text).to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence.strip_prefix("s.json: ").expect("the name of the file comes first").to_owned()
}

fn scene(dimension: u32, shapes: &str, bodies: &str, more: &str) -> String {
    format!(
        r#"{{"format":"jostle-scene","version":1,"dimension":{dimension},"shapes":[{shapes}],"bodies":[{bodies}]{more}}}"#
    )
}
fn shape(text: &str) -> String {
    refusal(&scene(3, text, "", ""))
}
fn shape_of_plane(text: &str) -> String {
    refusal(&scene(2, text, "", ""))
}
const BALL: &str = r#"{"type":"sphere","radius":1}"#;
const DISC: &str = r#"{"type":"circle","radius":1}"#;
/// A body after a good one.
fn body(text: &str) -> String {
    refusal(&scene(3, BALL, &format!(r#"{{"shape":0,"position":[0,0,0]}},{text}"#), ""))
}
fn body_of_plane(text: &str) -> String {
    refusal(&scene(2, DISC, text, ""))
}
/// Keys of a scene with two bodies.
fn more(text: &str) -> String {
    let good = r#"{"shape":0,"position":[0,0,0]}"#;
    refusal(&scene(3, BALL, &format!("{good},{good}"), &format!(",{text}")))
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = |path| read_scene_file(path).unwrap_err().to_string();
    let missing = folder.path().join("missing.json");
    assert_eq!(sentence(&missing), format!("{}: no such file", missing.display()));
    assert_eq!(sentence(folder.path()), format!("{}: is a directory, not a file", folder.path().display()));
}

#[test]
fn not_a_document() {
    for (text, sentence) in [
        ("", "the file is empty"),
        (" \n\t", "the file is empty"),
        ("hello", "line 1, column 1: not valid JSON: expected value"),
        ("{\"format\":\"jostle-scene\",\n\"version\" 1}", "line 2, column 11: not valid JSON: expected `:`"),
        (
            "{\"format\":\"jostle-scene\",\"version\":1,\"dimension\":3,",
            "line 1, column 51: not valid JSON: the text ends too early (EOF while parsing a value)",
        ),
    ] {
        assert_eq!(refusal(text), sentence, "{text}");
    }
    let whole = scene(3, BALL, r#"{"shape":0,"position":[0,0,0]}"#, "");
    for length in 1..whole.len() {
        let sentence = refusal(&whole[..length]);
        assert!(sentence.contains("the text ends too early"), "{length}: {sentence}");
    }
    assert_eq!(refusal(&format!("{whole}]")), "line 1, column 134: not valid JSON: trailing characters");
    assert_eq!(
        read_scene("s.json", b"{\"format\": \"\xff\"}").unwrap_err().to_string(),
        "s.json: byte 12 is not UTF-8 text"
    );
    // UTF-16, as some editors write it.
    assert_eq!(read_scene("s.json", b"\xff\xfe{\0").unwrap_err().to_string(), "s.json: byte 0 is not UTF-8 text");
}

#[test]
fn nesting_has_an_end() {
    let deep = format!(r#"{{"shapes":{}"#, "[".repeat(1_000_000));
    assert!(refusal(&deep).contains("the text ends too early"));
    let deep = scene(3, &"[".repeat(1_000_000), "", "");
    assert_eq!(refusal(&deep), "shapes[0]: invalid type: sequence, expected a shape: an object with the key `type`");
}

#[test]
fn head() {
    for (text, sentence) in [
        ("[]", "invalid type: sequence, expected a scene: an object with the key `format`"),
        ("{}", "the key `format` is missing"),
        (r#"{"format":"stl"}"#, "format: `stl` is not `jostle-scene`"),
        (r#"{"format":1}"#, "format: invalid type: integer `1`, expected a string"),
        (r#"{"format":"jostle-scene"}"#, "the key `version` is missing"),
        (r#"{"format":"jostle-scene","version":2}"#, "version: version 2 is not known (this reads version 1)"),
        (r#"{"format":"jostle-scene","version":1.5}"#, "version: 1.5 is not a number that this version knows"),
        (r#"{"format":"jostle-scene","version":1}"#, "the key `dimension` is missing"),
        (r#"{"dimension":4}"#, "dimension: 4 is neither 2 nor 3"),
        (r#"{"dimension":"3"}"#, "dimension: invalid type: string \"3\", expected a number that this version knows"),
        (r#"{"dimension":3,"shapes":[]}"#, "the key `format` is missing"),
        (r#"{"dimension":3}"#, "the key `shapes` is missing"),
        (r#"{"format":"jostle-scene","version":1,"dimension":3,"shapes":[]}"#, "the key `bodies` is missing"),
    ] {
        assert_eq!(refusal(text), sentence, "{text}");
    }
    assert_eq!(
        more(r#""colour":3"#),
        "unknown key `colour` (known: format, version, dimension, periodic, shapes, bodies, pairs)"
    );
    for key in ["format", "version", "dimension", "shapes", "bodies"] {
        let value = if key == "format" { r#""jostle-scene""# } else { "1" };
        let sentence = more(&format!(r#""{key}":{value}"#));
        assert_eq!(sentence, format!("the key `{key}` stands twice"));
    }
}

#[test]
fn shapes() {
    for (text, sentence) in [
        ("{}", ": the key `type` is missing"),
        (r#"{"type":"ball"}"#, ".type: unknown type `ball` (in 3D: sphere, capsule, box, cylinder, cone, convex)"),
        (r#"{"type":"circle"}"#, ".type: unknown type `circle` (in 3D: sphere, capsule, box, cylinder, cone, convex)"),
        (r#"{"type":"sphere"}"#, ": the key `radius` is missing"),
        (r#"{"type":"sphere","radius":-1}"#, ".radius: -1 is negative"),
        (r#"{"type":"sphere","radius":1.1e15}"#, ".radius: 1100000000000000 is beyond 1e15 in size"),
        (r#"{"type":"sphere","radius":1e999}"#, ".radius: the number is too large for f64"),
        (r#"{"type":"sphere","radius":true}"#, ".radius: invalid type: boolean `true`, expected a number"),
        (r#"{"type":"sphere","radius":"1"}"#, ".radius: invalid type: string \"1\", expected a number"),
        (r#"{"type":"sphere","radius":null}"#, ".radius: invalid type: null, expected a number"),
        (
            r#"{"type":"sphere","radius":1,"colour":2}"#,
            ": unknown key `colour` (known: type, radius, half_length, half_height, half_extents, points, rounding)",
        ),
        (r#"{"type":"sphere","radius":1,"rounding":0}"#, ": unknown key `rounding` for a sphere"),
        (r#"{"type":"capsule","radius":1,"half_length":1,"rounding":0}"#, ": unknown key `rounding` for a capsule"),
        (r#"{"type":"box","radius":1}"#, ": unknown key `radius` for a box"),
        (r#"{"type":"box"}"#, ": the key `half_extents` is missing"),
        (r#"{"type":"sphere","radius":1,"radius":1}"#, ": the key `radius` stands twice"),
        (r#"{"type":"capsule","radius":1,"half_length":-2}"#, ".half_length: -2 is negative"),
        (r#"{"type":"box","half_extents":[1,2]}"#, ".half_extents: has 2 components instead of 3"),
        (r#"{"type":"box","half_extents":[1,2,3,4]}"#, ".half_extents: has more than 3 components"),
        (
            r#"{"type":"box","half_extents":1}"#,
            ".half_extents: invalid type: integer `1`, expected a list of 3 numbers",
        ),
        (r#"{"type":"box","half_extents":[1,-1,1]}"#, ".half_extents[1]: -1 is negative"),
        (r#"{"type":"box","half_extents":[1,1,1],"rounding":-0.5}"#, ".rounding: -0.5 is negative"),
        (r#"{"type":"convex","points":[]}"#, ".points: is empty: a convex shape needs at least one point"),
        (r#"{"type":"convex","points":[[0,0,0],[1,1]]}"#, ".points[1]: has 2 components instead of 3"),
        (
            r#"{"type":"convex","points":[[0,0,0],[1,-2e15,1]]}"#,
            ".points[1][1]: -2000000000000000 is beyond 1e15 in size",
        ),
        (r#"{"type":"convex","points":[[0,0,0],[1,NaN,1]]}"#, ".points[1][1]: NaN is not a finite number"),
        (r#"{"type":"sphere","radius":Infinity}"#, ".radius: Infinity is not a finite number"),
    ] {
        assert_eq!(shape(text), format!("shapes[0]{sentence}"), "{text}");
    }
    assert_eq!(
        shape_of_plane(r#"{"type":"cone"}"#),
        "shapes[0].type: unknown type `cone` (in 2D: circle, capsule, box, convex)"
    );
    assert_eq!(shape_of_plane(BALL), "shapes[0].type: unknown type `sphere` (in 2D: circle, capsule, box, convex)");
    assert_eq!(
        shape(&format!(r#"{BALL},{{"type":"cylinder","half_height":1,"radius":6e14,"rounding":6e14}}"#)),
        "shapes[1]: radius + rounding is 1.2e15, beyond 1e15 in size"
    );
}

#[test]
fn largest_hull() {
    let hull = |count: usize| {
        let points = vec!["[0,0,0]"; count].join(",");
        scene(3, &format!(r#"{{"type":"convex","points":[{points}]}}"#), "", "")
    };
    assert_eq!(read_scene("s.json", hull(65_535).as_bytes()).unwrap().body_count(), 0);
    assert_eq!(refusal(&hull(65_536)), "shapes[0].points: has more than 65,535 points");
}

#[test]
fn bodies() {
    for (text, sentence) in [
        ("3", ": invalid type: integer `3`, expected a body: an object with the keys `shape` and `position`"),
        (r#"{"position":[0,0,0]}"#, ": the key `shape` is missing"),
        (r#"{"shape":0}"#, ": the key `position` is missing"),
        (r#"{"shape":1,"position":[0,0,0]}"#, ".shape: shape 1 does not exist (there are 1)"),
        (r#"{"shape":-1}"#, ".shape: -1 is not the index of a shape"),
        (r#"{"shape":4294967296}"#, ".shape: 4294967296 is not the index of a shape"),
        (r#"{"shape":0.5}"#, ".shape: 0.5 is not the index of a shape"),
        (r#"{"shape":"ball"}"#, ".shape: invalid type: string \"ball\", expected the index of a shape"),
        (r#"{"position":[0,0]}"#, ".position: has 2 components instead of 3"),
        (r#"{"position":[0,0,0,0]}"#, ".position: has more than 3 components"),
        (r#"{"position":[0,0,-1e16]}"#, ".position[2]: -1e16 is beyond 1e15 in size"),
        (r#"{"position":[0,0,-1e400]}"#, ".position[2]: the number is too large for f64"),
        (r#"{"position":[0,-Infinity,0]}"#, ".position[1]: -Infinity is not a finite number"),
        (r#"{"position":[0,false]}"#, ".position[1]: invalid type: boolean `false`, expected a number"),
        (r#"{"velocity":[0,1e16,0]}"#, ".velocity[1]: 1e16 is beyond 1e15 in size"),
        (r#"{"rotation":[0,0,0,0]}"#, ".rotation: the quaternion's norm is 0, not within 1e-3 of 1"),
        (r#"{"rotation":[0,0,0,1.5]}"#, ".rotation: the quaternion's norm is 1.5, not within 1e-3 of 1"),
        (r#"{"rotation":[0,0,0,1e300]}"#, ".rotation: the quaternion's norm is inf, not within 1e-3 of 1"),
        (r#"{"rotation":[0,0,1]}"#, ".rotation: has 3 components instead of 4"),
        (r#"{"rotation":1}"#, ".rotation: invalid type: integer `1`, expected a list of 4 numbers"),
        (r#"{"rotation":0.5}"#, ".rotation: invalid type: floating point `0.5`, expected a list of 4 numbers"),
        (r#"{"group":4294967296}"#, ".group: 4294967296 is not a 32-bit unsigned integer"),
        (r#"{"group":-1}"#, ".group: -1 is not a 32-bit unsigned integer"),
        (r#"{"mask":1e3}"#, ".mask: 1000 with a point or an exponent is not a 32-bit unsigned integer"),
        (r#"{"parent":4294967296}"#, ".parent: 4294967296 is not a 32-bit unsigned integer"),
        (r#"{"static":1}"#, ".static: invalid type: integer `1`, expected true or false"),
        (r#"{"shape":0,"shape":0}"#, ": the key `shape` stands twice"),
        (
            r#"{"Shape":0}"#,
            ": unknown key `Shape` (known: shape, position, rotation, velocity, group, mask, static, parent)",
        ),
    ] {
        assert_eq!(body(text), format!("bodies[1]{sentence}"), "{text}");
    }
    assert_eq!(body_of_plane(r#"{"rotation":[1]}"#), "bodies[0].rotation: invalid type: sequence, expected a number");
    assert_eq!(body_of_plane(r#"{"position":[0,0,0]}"#), "bodies[0].position: has more than 2 components");
    let long = "x".repeat(10_000);
    assert!(body(&format!(r#"{{"{long}":0}}"#)).len() < 200);
}

#[test]
fn pairs_and_period() {
    for (text, sentence) in [
        (r#""pairs":[[0,1],[0,2]]"#, "pairs[1]: body 2 does not exist (there are 2)"),
        (r#""pairs":[[0,1],[1,1]]"#, "pairs[1]: a pair of body 1 with itself"),
        (r#""pairs":[[1,1]]"#, "pairs[0]: a pair of body 1 with itself"),
        (r#""pairs":[[0]]"#, "pairs[0]: a pair names 2 bodies, not 1"),
        (r#""pairs":[[0,1,0]]"#, "pairs[0]: a pair names 2 bodies, not 3"),
        (r#""pairs":[[0,-1]]"#, "pairs[0][1]: -1 is not the index of a body"),
        (r#""pairs":[[0,1.5]]"#, "pairs[0][1]: 1.5 is not the index of a body"),
        (r#""pairs":[0,1]"#, "pairs[0]: invalid type: integer `0`, expected a pair: a list of two bodies"),
        (r#""pairs":null"#, "pairs: invalid type: null, expected a list of pairs"),
        (r#""periodic":[1,2]"#, "periodic: has 2 components instead of 3"),
        (r#""periodic":[1,2,-3]"#, "periodic[2]: -3 is negative"),
        (r#""periodic":[1,2,1e16]"#, "periodic[2]: 1e16 is beyond 1e15 in size"),
    ] {
        assert_eq!(more(text), sentence, "{text}");
    }
}

#[test]
fn accepted() {
    let empty = read_scene("s.json", scene(2, "", "", "").as_bytes()).unwrap();
    assert_eq!((empty.dimension(), empty.body_count(), empty.pairs()), (2, 0, None));
    let marked = format!("\u{feff}{}", scene(2, "", "", r#","pairs":[]"#));
    assert_eq!(read_scene("s.json", marked.as_bytes()).unwrap().pairs(), Some(&[][..]));
    // Keys in the least helpful order, and escaped.
    let turned = r#"{"pairs":[[1,0]],"bodies":[{"position":[1,-0.0,1e-400],"sh\u0061pe":0},
        {"rotation":[0,0.0005,0,1],"shape":0,"position":[1,2,3]}],
        "shapes":[{"rounding":0.5,"half_extents":[0,0,0],"type":"box"}],
        "dimension":3,"version":1,"format":"jostle-scene"}"#;
    let AnyScene::Space(turned) = read_scene("s.json", turned.as_bytes()).unwrap() else { panic!() };
    assert_eq!(turned.pairs, Some(vec![[1, 0]]));
    assert_eq!(turned.bodies.get(0).position, [1.0, 0.0, 0.0]);
    let norm: f64 = turned.bodies.get(1).rotation.iter().map(|x| x * x).sum();
    assert!((norm - 1.0).abs() < 4e-16, "{norm}");
    assert_eq!(turned.bodies.shapes()[0].radius(), 0.5);
}
