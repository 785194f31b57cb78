//! What is refused, with which sentence, and with exit status 2: nothing is computed, nothing is written.

mod common;

use common::{Folder, feed, jostle, refused, run, succeed};

/// A scene of two balls in which `"replace": ...` stands for whatever a test spoils.
fn scene(shapes: &str, bodies: &str, rest: &str) -> String {
    format!(r#"{{"format":"jostle-scene","version":1,"dimension":3,"shapes":[{shapes}],"bodies":[{bodies}]{rest}}}"#)
}

const BALL: &str = r#"{"type":"sphere","radius":0.5}"#;
const BODY: &str = r#"{"shape":0,"position":[0,0,0]}"#;

/// A spoiled scene, where the sentence says it is, and what the sentence says.
fn spoiled() -> Vec<(String, &'static str, &'static str)> {
    let shape = |text: &str| scene(text, BODY, "");
    let body = |text: &str| scene(BALL, text, "");
    let two = format!("{BODY},{BODY}");
    let huge_list = vec!["[0,0,0]"; 65_536].join(",");
    vec![
        (body(r#"{"shape":0,"position":[NaN,0,0]}"#), "bodies[0].position[0]", "NaN is not a finite number"),
        (
            body(r#"{"shape":0,"position":[0,-Infinity,0]}"#),
            "bodies[0].position[1]",
            ": -Infinity is not a finite number",
        ),
        (body(r#"{"shape":0,"position":[1e999,0,0]}"#), "bodies[0].position[0]", "too large"),
        (body(r#"{"shape":0,"position":[2e15,0,0]}"#), "bodies[0].position", "1e15"),
        (body(r#"{"shape":0,"position":[0,0,0],"velocity":[0,-2e15,0]}"#), "bodies[0].velocity", "1e15"),
        (shape(r#"{"type":"sphere","radius":2e15}"#), "shapes[0]", "1e15"),
        (shape(r#"{"type":"sphere","radius":-1}"#), "shapes[0]", "negative"),
        (shape(r#"{"type":"box","half_extents":[1,-1,1]}"#), "shapes[0]", "negative"),
        (shape(r#"{"type":"box","half_extents":[1,1,1],"rounding":-0.5}"#), "shapes[0]", "negative"),
        (shape(r#"{"type":"capsule","half_length":-1,"radius":1}"#), "shapes[0]", "negative"),
        (shape(r#"{"type":"convex","points":[]}"#), "shapes[0].points", "at least one point"),
        (shape(&format!(r#"{{"type":"convex","points":[{huge_list}]}}"#)), "shapes[0].points", "65,535"),
        (shape(r#"{"type":"convex","points":[[0,0]]}"#), "shapes[0].points[0]", "3"),
        (shape(r#"{"type":"blob","radius":1}"#), "shapes[0].type", "blob"),
        (shape(r#"{"type":"circle","radius":1}"#), "shapes[0].type", "circle"),
        (shape(r#"{"type":"sphere","radius":1,"colour":2}"#), "shapes[0]", "colour"),
        (shape(r#"{"type":"sphere"}"#), "shapes[0]", "radius"),
        (shape(r#"{"type":"sphere","radius":"1"}"#), "shapes[0].radius", "\"1\""),
        (body(r#"{"shape":1,"position":[0,0,0]}"#), "bodies[0].shape", "shape 1 does not exist"),
        (body(r#"{"shape":-1,"position":[0,0,0]}"#), "bodies[0].shape", "-1"),
        (body(r#"{"shape":0.5,"position":[0,0,0]}"#), "bodies[0].shape", "0.5"),
        (body(r#"{"shape":0}"#), "bodies[0]", "position"),
        (body(r#"{"position":[0,0,0]}"#), "bodies[0]", "shape"),
        (body(r#"{"shape":0,"position":[0,0]}"#), "bodies[0].position", "3"),
        (body(r#"{"shape":0,"position":[0,0,0,0]}"#), "bodies[0].position", "3"),
        (body(r#"{"shape":0,"position":[0,0,0],"spin":1}"#), "bodies[0]", "spin"),
        (body(r#"{"shape":0,"position":[0,0,0],"rotation":[0,0,0,1.1]}"#), "bodies[0].rotation", "norm"),
        (body(r#"{"shape":0,"position":[0,0,0],"rotation":[0,0,0,0]}"#), "bodies[0].rotation", "norm"),
        (body(r#"{"shape":0,"position":[0,0,0],"rotation":0.5}"#), "bodies[0].rotation", "4"),
        (body(r#"{"shape":0,"position":[0,0,0],"group":4294967296}"#), "bodies[0].group", "4294967296"),
        (body(r#"{"shape":0,"position":[0,0,0],"static":1}"#), "bodies[0].static", "1"),
        (scene(BALL, &two, r#","pairs":[[0,2]]"#), "pairs[0]", "body 2 does not exist"),
        (scene(BALL, &two, r#","pairs":[[0,1],[1,1]]"#), "pairs[1]", "itself"),
        (scene(BALL, &two, r#","pairs":[[0]]"#), "pairs[0]", "2"),
        (scene(BALL, BODY, r#","margin":1"#), "margin", "margin"),
        (scene(BALL, BODY, "").replace("jostle-scene", "other-scene"), "format", "other-scene"),
        (scene(BALL, BODY, "").replace("\"version\":1", "\"version\":2"), "version", "version 2"),
        (scene(BALL, BODY, "").replace("\"dimension\":3", "\"dimension\":4"), "dimension", "4"),
        (scene(BALL, BODY, "").replace("\"dimension\":3,", ""), "dimension", "dimension"),
        (scene(BALL, BODY, "").replace("\"format\":\"jostle-scene\",", ""), "format", "format"),
        ("[1,2,3]".to_owned(), "", "expected a scene"),
        ("shapes: none".to_owned(), "line 1, column", "not valid JSON"),
        (String::new(), "", "the file is empty"),
        (" \n".to_owned(), "", "the file is empty"),
    ]
}

#[test]
fn every_spoiled_scene_is_refused_with_place_and_reason() {
    let folder = Folder::new();
    for (text, place, reason) in spoiled() {
        let path = folder.file("spoiled.json", &text);
        for arguments in [vec!["contacts"], vec!["distance"], vec!["overlap"], vec!["cast", "--duration", "1"]] {
            let output = run(&[&arguments[..], &[&path]].concat());
            refused(&output, 2, &path);
            refused(&output, 2, place);
            refused(&output, 2, reason);
        }
    }
}

#[test]
fn a_truncated_scene_is_refused_wherever_it_ends() {
    let whole = scene(BALL, BODY, r#","pairs":[]"#);
    for end in (1..whole.len()).step_by(7) {
        refused(&feed(&["contacts", "-"], &whole.as_bytes()[..end]), 2, "standard input: line 1, column");
    }
}

/// A norm is off by as much on either side.
#[test]
fn norms_a_thousandth_off_are_accepted() {
    for (norm, accepted) in [("0.999", true), ("1.001", true), ("0.99899", false), ("1.00101", false)] {
        let body = format!(r#"{{"shape":0,"position":[0,0,0],"rotation":[0,0,0,{norm}]}}"#);
        let output = feed(&["contacts", "-", "--count"], scene(BALL, &body, "").as_bytes());
        assert_eq!(output.status.success(), accepted, "{norm}");
    }
}

#[test]
fn what_is_no_text_or_no_file_is_refused() {
    let folder = Folder::new();
    let path = folder.file("bytes.json", b"{\"format\": \"\xff\"}");
    refused(&run(&["contacts", &path]), 2, "byte 12 is not UTF-8 text");
    refused(&run(&["contacts", &folder.at("missing.json")]), 2, "missing.json: no such file");
    refused(&run(&["contacts", folder.path().to_str().unwrap()]), 2, "is a directory, not a file");
    refused(&run(&["verify", &path, &folder.at("missing.csv")]), 2, "not UTF-8");
    refused(&run(&["checksum", &folder.at("missing.csv")]), 2, "missing.csv: no such file");
    refused(&run(&["trajectory", &folder.at("missing.txt"), "--radius", "0.2"]), 2, "missing.txt: no such file");
}

#[test]
fn periodic_scenes_with_images_without_end_are_refused() {
    let folder = Folder::new();
    let bodies = format!("{BODY},{BODY}");
    let tiny = folder.file("tiny.json", scene(BALL, &bodies, r#","periodic":[1e-3,1e-3,1e-3]"#));
    refused(&run(&["contacts", &tiny]), 2, "tiny.json: body 0: more than 65536 images");
    let lane = r#"{"shape":0,"position":[0,0,5],"velocity":[1,0,0]}"#;
    let lane = scene(BALL, &format!("{BODY},{lane}"), r#","periodic":[10,0,10],"pairs":[[0,1]]"#);
    let path = folder.file("lane.json", lane);
    refused(&run(&["cast", &path, "--duration", "1e15"]), 2, "lane.json: bodies 0 and 1: more than 4194304 images");
    let path = folder.file("open.json", scene(BALL, &bodies, r#","periodic":[0,0,0]"#));
    assert_eq!(succeed(&["contacts", &path, "--count"]), "1\n");
}

#[test]
fn arguments_are_refused_in_one_sentence() {
    let folder = Folder::new();
    let path = folder.file("two.json", scene(BALL, &format!("{BODY},{BODY}"), ""));
    for (arguments, sentence) in [
        (
            vec![],
            "a command is needed: demo, generate, contacts, distance, nearest, overlap, cast, trajectory, bench, verify, checksum",
        ),
        (vec!["contact"], "unrecognized subcommand 'contact' (see jostle --help)"),
        (vec!["contacts"], "<SCENE>"),
        (vec!["contacts", &path, "--margin"], "<M>' but none was supplied (see jostle contacts --help)"),
        (vec!["-o", "contacts", "nearest", &path, "-k", "two"], "not a whole number (see jostle nearest --help)"),
        (vec!["--threads=-99999999999999999999", "nearest", &path], "too small (see jostle"),
        (vec!["nearest", &path, "-k", "two"], "not a whole number (see jostle nearest --help)"),
        (vec!["generate", "gas", "--bodies", "1e3"], "invalid value '1e3' for '--bodies <N>': not a whole number (see"),
        (vec!["generate", "gas", "--bodies", "99999999999999999999"], ": too large (see jostle generate --help)"),
        (vec!["contacts", &path, "--margin", "0.3m"], "for '--margin <M>': not a number (see jostle contacts --help)"),
        (vec!["contacts", &path, "--depth"], "unexpected argument '--depth' found (see jostle contacts --help)"),
        (vec!["contacts", &path, "--margin", "-1"], "--margin is -1"),
        (vec!["contacts", &path, "--margin", "nan"], "--margin is NaN"),
        (vec!["contacts", &path, "--margin", "inf"], "--margin is inf"),
        (vec!["contacts", &path, "--margin", "wide"], "invalid value 'wide'"),
        (vec!["contacts", &path, "--threads", "0"], "invalid value '0'"),
        (vec!["contacts", &path, "--precision", "f16"], "invalid value 'f16'"),
        (vec!["contacts", &path, "--format", "xml"], "invalid value 'xml'"),
        (vec!["distance", &path], "lists no pairs"),
        (vec!["distance", "-", "--pairs", "-"], "only one input can come from standard input"),
        (vec!["nearest"], "<SCENE>"),
        (vec!["nearest", &path, "-k", "0"], "invalid value '0' for '--neighbours <K>': 0 is not in 1..="),
        (vec!["distance", &path, "--pairs", &path], "a scene, where pairs or rows of results are expected"),
        (vec!["checksum", &path], "a scene, where pairs or rows of results are expected"),
        (vec!["verify", &path, &path], "a scene, where pairs or rows of results are expected"),
        (vec!["nearest", &path, "--neighbours", "few"], "invalid value 'few'"),
        (vec!["overlap", &path], "lists no pairs"),
        (vec!["overlap", "-", "--pairs", "-"], "only one input can come from standard input"),
        (vec!["overlap", &path, "--closed"], "unexpected argument '--closed'"),
        (vec!["cast", &path], "--duration"),
        (vec!["cast", &path, "--duration", "1"], "lists no pairs"),
        (
            vec!["cast", &path, "--duration", "-1"],
            "--duration is -1, which is not a finite number of seconds from 0 on",
        ),
        (vec!["cast", &path, "--duration", "nan"], "--duration is NaN"),
        (vec!["cast", &path, "--duration", "inf"], "--duration is inf"),
        (vec!["cast", &path, "--duration", "1e999"], "--duration is inf"),
        (vec!["cast", &path, "--duration", "soon"], "invalid value 'soon'"),
        (vec!["cast", &path, "--duration", "1", "--target", "-0.5"], "--target is -0.5"),
        (vec!["cast", &path, "--duration", "1", "--target", "nan"], "--target is NaN"),
        (vec!["cast", &path, "--duration", "1", "--target", "inf"], "--target is inf"),
        (vec!["bench", "distance", &path], "lists no pairs"),
        (vec!["bench", "distance", "-", "--pairs", "-"], "only one input can come from standard input"),
        (vec!["bench", "contacts", &path, "--pairs", &path], "--pairs is for bench distance only"),
        (vec!["bench", "frames", &path, "--pairs", &path], "--pairs is for bench distance only"),
        (vec!["bench", "overlap", &path], "invalid value 'overlap'"),
        (vec!["bench", "contacts", &path, "--repeat", "0"], "invalid value '0'"),
        (vec!["bench", "contacts", &path, "--frames", "9"], "--frames is for bench frames only"),
        (vec!["bench", "frames", &path, "--warm"], "--warm is not for bench frames"),
        (vec!["bench", "frames", &path, "--motion", "-1"], "--motion is -1, which is not a number from 0"),
        (vec!["bench", "frames", &path, "--churn", "NaN"], "--churn is NaN, which is not a number from 0 to 1"),
        (vec!["bench", "frames", &path, "--skin", "thick"], "--skin is thick, which is neither auto nor a number"),
        (
            vec!["bench", "frames", &path, "--skin", "-1"],
            "--skin is -1, which is neither auto nor a number of metres from 0 to",
        ),
        (vec!["bench", "frames", &path, "--margin", "-1"], "--margin is -1"),
        (vec!["generate"], "<KIND>"),
        (vec!["generate", "crowd"], "'crowd' names no kind of scene; the kinds are uniform, flat"),
        (vec!["generate", "gas", "--dimension", "4"], "2 or 3 dimensions, not 4"),
        (vec!["generate", "gas", "--bodies", "100000001"], "too many"),
        (
            vec!["generate", "gas", "--bodies", "-1"],
            "'-1' for '--bodies <N>': not a whole number from 0 on (see jostle",
        ),
        (vec!["generate", "gas", "--seed", "-1"], "'-1' for '--seed <S>': not a whole number from 0 on (see jostle"),
        (vec!["generate", "gas", "--dimension", "-1"], "invalid value '-1' for '--dimension <2|3>'"),
        (vec!["demo", "--bodies", "-1"], "invalid value '-1' for '--bodies <N>'"),
        (vec!["contacts", &path, "--threads", "-1"], "invalid value '-1' for '--threads <N>'"),
        (vec!["contacts", &path, "--limit", "-1"], "invalid value '-1' for '--limit <N>'"),
        (vec!["nearest", &path, "--limit", "-1"], "invalid value '-1' for '--limit <N>'"),
        (vec!["nearest", &path, "-k", "-1"], "invalid value '-1' for '--neighbours <K>'"),
        (vec!["bench", "contacts", &path, "--limit", "-1"], "invalid value '-1' for '--limit <N>'"),
        (vec!["bench", "contacts", &path, "--repeat", "-1"], "invalid value '-1' for '--repeat <N>'"),
        (vec!["bench", "frames", &path, "--frames", "-1"], "invalid value '-1' for '--frames <N>'"),
        (vec!["demo", "-o", "-"], "-o names a file for the picture of demo"),
        (vec!["generate", "gas", "--format", "csv"], "a scene is no table of results: it is written as JSON"),
        (vec!["generate", "gas", "--format", "jsonl"], "(--format json) or Arrow IPC (--format arrow)"),
        (vec!["contacts", &path, "--format", "json"], "--format json is for scenes (generate)"),
        (vec!["generate", "gas", "--dimension", "4", "-o", "x.arrow"], "2 or 3 dimensions, not 4"),
        (vec!["trajectory", &path], "--radius"),
        (vec!["trajectory", &path, "--radius", "-0.2"], "--radius is -0.2"),
        (vec!["trajectory", &path, "--radius", "nan"], "--radius is NaN"),
        (vec!["trajectory", &path, "--radius", "0.2", "--margin", "-1"], "--margin is -1"),
        (vec!["trajectory", &path, "--radius", "0.2", "--margin", "inf"], "--margin is inf"),
        (vec!["bench", "contacts", &path, "--margin", "nan"], "--margin is NaN"),
        (vec!["bench", "contacts", &path, "--margin", "-0.5"], "--margin is -0.5"),
        (vec!["demo", "--margin", "1e16"], "--margin is 10000000000000000"),
    ] {
        refused(&run(&arguments), 2, sentence);
    }
}

#[test]
fn pair_files_are_refused_by_line() {
    let folder = Folder::new();
    let path = folder.file("two.json", scene(BALL, &format!("{BODY},{BODY}"), ""));
    for (text, sentence) in [
        ("0 1\n0 2\n", "line 2: body 2 does not exist"),
        ("1 1\n", "line 1"),
        ("0 one\n", "line 1: `0 one` is not two indices"),
        ("# none\n", "lists no pairs"),
    ] {
        let pairs = folder.file("pairs.txt", text);
        refused(&run(&["distance", &path, "--pairs", &pairs]), 2, sentence);
    }
}

/// What comes through a pipe from a command that has failed is no table that passes.
#[test]
fn results_that_are_empty_are_refused_unless_they_are_json_lines() {
    let folder = Folder::new();
    let path = folder.file("two.json", scene(BALL, &format!("{BODY},{BODY}"), ""));
    for blank in ["", "\n", " \r\n\n"] {
        for command in [&["verify", &path][..], &["checksum"]] {
            let piped = [command, &["-"]].concat();
            refused(&feed(&piped, blank.as_bytes()), 2, "standard input: the file is empty: not even a header");
            let said = feed(&[&piped[..], &["--format", "jsonl"]].concat(), blank.as_bytes());
            let named = run(&[command, &[&folder.file("none.jsonl", blank)]].concat());
            for output in [said, named] {
                assert!(output.status.success() && output.stderr.is_empty());
                let told = String::from_utf8(output.stdout).expect("is text");
                assert!(told.starts_with("0 rows checked, 0 failed;") || told == "cbf29ce484222325\n", "{told}");
            }
            let file = folder.file("rows.arrow", blank);
            refused(&run(&[command, &[&file]].concat()), 2, "rows.arrow: the file is empty: not even a header");
        }
    }
}

#[test]
fn an_instruction_set_that_cannot_be_had_is_refused_before_all_else() {
    let with = |isa: &str, arguments: &[&str]| jostle().env("JOSTLE_ISA", isa).args(arguments).output().unwrap();
    for arguments in [&["--version"][..], &["contacts", "missing.json"], &["generate", "--list"]] {
        refused(&with("mmx", arguments), 2, "JOSTLE_ISA is 'mmx', which names no instruction set");
    }
    for isa in jostle::Isa::ALL {
        let output = with(isa.name(), &["--version"]);
        if isa.available() {
            let version = String::from_utf8(output.stdout).unwrap();
            assert_eq!(version, format!("jostle {} ({isa})\n", env!("CARGO_PKG_VERSION")));
        } else {
            refused(&output, 2, &format!("this machine lacks the instruction set {isa}"));
        }
    }
}

#[test]
fn a_scene_without_bodies_is_fine() {
    let empty = scene("", "", "");
    let output = feed(&["contacts", "-"], empty.as_bytes());
    assert!(output.status.success());
    assert_eq!(output.stdout, b"a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\n");
    assert_eq!(feed(&["contacts", "-", "--count"], empty.as_bytes()).stdout, b"0\n");
    assert_eq!(feed(&["contacts", "-", "--format", "jsonl"], empty.as_bytes()).stdout, b"");
    let output = feed(&["bench", "contacts", "-", "--json"], empty.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn too_many_rows_are_refused_with_status_1() {
    let folder = Folder::new();
    // All at one point: every pair is a contact.
    let bodies = vec![BODY; 100].join(",");
    let path = folder.file("heap.json", scene(BALL, &bodies, ""));
    refused(&run(&["contacts", &path, "--limit", "4949"]), 1, "there are more than 4949 pairs");
    assert_eq!(succeed(&["contacts", &path, "--limit", "4950"]).lines().count(), 4951);
    assert_eq!(succeed(&["contacts", &path, "--limit", "1", "--count", "--quiet"]), "4950\n");
    let output = run(&["nearest", &path, "-k", "3", "--limit", "299"]);
    refused(&output, 1, "3 neighbours for each of 100 bodies may be more than 299 rows");
    assert_eq!(succeed(&["nearest", &path, "-k", "3", "--limit", "300"]).lines().count(), 301);
}
