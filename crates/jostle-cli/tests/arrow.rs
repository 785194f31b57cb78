//! Arrow IPC from the command line: the same answers from it and in it as in text.

#![cfg(feature = "arrow")]

mod common;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use common::{Folder, feed, refused, run, succeed};

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn a_scene_gives_the_same_rows_from_json_and_from_arrow() {
    let folder = Folder::new();
    for (kind, dimension) in [("uniform", "3"), ("flat", "2"), ("corridor", "2"), ("rubble", "3"), ("stacks", "3")] {
        let [json, file, stream] = ["scene.json", "scene.arrow", "scene.arrows"].map(|name| folder.at(name));
        for path in [&json, &file, &stream] {
            succeed(&["generate", kind, "--bodies", "700", "--dimension", dimension, "-o", path]);
        }
        assert!(bytes(&file).starts_with(b"ARROW1\0\0") && bytes(&stream).starts_with(&[0xff; 4]));
        for precision in ["f32", "f64"] {
            let options = ["--margin", "0.3", "--certificate", "--precision", precision];
            let rows = succeed(&[&["contacts", &json][..], &options].concat());
            assert!(rows.lines().count() > 100);
            for path in [&file, &stream] {
                assert_eq!(succeed(&[&["contacts", path][..], &options].concat()), rows, "{kind}");
                let piped = feed(&[&["contacts", "-"][..], &options].concat(), &bytes(path));
                assert_eq!(String::from_utf8(piped.stdout).unwrap(), rows, "{kind}, from a pipe");
            }
        }
    }
}

#[test]
fn a_scene_is_arrow_where_that_is_said() {
    let folder = Folder::new();
    let [file, stream, other] = ["scene.arrow", "scene.arrows", "scene.json"].map(|name| folder.at(name));
    for path in [&file, &stream] {
        succeed(&["generate", "uniform", "--bodies", "70", "-o", path]);
    }
    succeed(&["generate", "uniform", "--bodies", "70", "--format", "arrow", "-o", &other]);
    assert_eq!(bytes(&other), bytes(&file));
    let piped = run(&["generate", "uniform", "--bodies", "70", "--format", "arrow"]);
    assert!(piped.status.success() && piped.stderr.is_empty());
    assert_eq!(piped.stdout, bytes(&stream));
    assert_eq!(
        feed(&["contacts", "-", "--count"], &piped.stdout).stdout,
        succeed(&["contacts", &file, "--count"]).as_bytes()
    );
}

#[test]
fn endings_in_capital_letters_are_the_same() {
    let folder = Folder::new();
    for (large, small) in [("SCENE.ARROW", "scene.arrow"), ("SCENE.ARROWS", "scene.arrows")] {
        let [large, small] = [large, small].map(|name| folder.at(name));
        for path in [&large, &small] {
            succeed(&["generate", "uniform", "--bodies", "70", "-o", path]);
        }
        assert_eq!(bytes(&large), bytes(&small));
        let [upper, lower] = [folder.at("ROWS.Arrow"), folder.at("rows.arrow")];
        for path in [&upper, &lower] {
            succeed(&["contacts", &large, "-o", path]);
        }
        assert_eq!(bytes(&upper), bytes(&lower));
    }
}

#[test]
fn results_are_the_same_in_every_format() {
    let folder = Folder::new();
    let scene = folder.at("scene.arrow");
    succeed(&["generate", "rubble", "--bodies", "500", "-o", &scene]);
    let pairs: Vec<String> = (1..500).map(|body| format!("{body} {}", body / 2)).collect();
    let pairs = folder.file("pairs.txt", pairs.join("\n"));
    let contacts = ["contacts", &scene, "--margin", "0.2"];
    let distance = ["distance", &scene, "--pairs", &pairs];
    for command in [&contacts[..], &distance] {
        for precision in ["f32", "f64"] {
            for certificate in [&["--certificate"][..], &[]] {
                let asked = [command, certificate, &["--precision", precision]].concat();
                let sums = ["rows.csv", "rows.jsonl", "rows.arrow", "rows.arrows"].map(|name| {
                    let rows = folder.at(name);
                    succeed(&[&asked[..], &["-o", &rows]].concat());
                    let verdict = succeed(&["verify", &scene, &rows, "--precision", precision]);
                    assert!(verdict.contains(", 0 failed;"), "{verdict}");
                    succeed(&["checksum", &rows])
                });
                assert!(sums.iter().all(|sum| sum == &sums[0]), "{sums:?}");
                // A pipe cannot be read from its end.
                let piped = run(&[&asked[..], &["--format", "arrow"]].concat());
                assert!(piped.status.success() && piped.stdout == bytes(&folder.at("rows.arrows")));
                assert_eq!(feed(&["checksum", "-"], &piped.stdout).stdout, sums[0].as_bytes());
                assert_eq!(feed(&["checksum", "-"], &bytes(&folder.at("rows.arrow"))).stdout, sums[0].as_bytes());
            }
        }
    }
    let mut rows = bytes(&folder.at("rows.arrow"));
    // Some number of some witness point.
    let middle = rows.len() / 2 / 8 * 8;
    rows[middle..middle + 8].copy_from_slice(&123.5_f64.to_le_bytes());
    let lie = folder.file("lie.arrow", rows);
    let output = run(&["verify", &scene, &lie, "--precision", "f64"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn pairs_come_from_a_file() {
    let folder = Folder::new();
    let scene = folder.at("scene.arrow");
    succeed(&["generate", "gas", "--bodies", "10", "-o", &scene]);
    for command in [&["distance"][..], &["bench", "distance"]] {
        let said = "scene.arrow: lists no pairs; name a file with --pairs";
        refused(&run(&[command, &[&scene]].concat()), 2, said);
    }
    let pairs = folder.file("pairs.txt", "0 1\n9, 2\n");
    let rows = folder.at("rows.jsonl");
    succeed(&["distance", &scene, "--pairs", &pairs, "-o", &rows]);
    for pairs in [&pairs, &rows] {
        let json = succeed(&["bench", "distance", &scene, "--pairs", pairs, "--repeat", "2", "--json"]);
        assert!(json.contains("\"pairs\":2,") && json.contains(succeed(&["checksum", &rows]).trim_end()), "{json}");
    }
}

/// Whatever wrote them, and whichever question they answer.
#[test]
fn results_in_every_format_serve_as_pair_files() {
    let folder = Folder::new();
    let scene = folder.at("scene.arrow");
    succeed(&["generate", "rubble", "--bodies", "200", "-o", &scene]);
    let contacts = succeed(&["contacts", &scene, "--certificate"]);
    for ending in ["csv", "jsonl", "arrow", "arrows"] {
        let [rows, overlaps, casts] = ["rows", "overlaps", "casts"].map(|name| folder.at(&format!("{name}.{ending}")));
        succeed(&["contacts", &scene, "--certificate", "-o", &rows]);
        succeed(&["overlap", &scene, "--pairs", &rows, "-o", &overlaps]);
        succeed(&["cast", &scene, "--pairs", &overlaps, "--duration", "1", "-o", &casts]);
        for pairs in [&rows, &overlaps, &casts] {
            let asked = succeed(&["distance", &scene, "--certificate", "--pairs", pairs]);
            assert_eq!(asked, contacts, "{pairs}");
            let piped = feed(&["distance", &scene, "--certificate", "--pairs", "-"], &bytes(pairs));
            assert_eq!(piped.stdout, contacts.as_bytes(), "{pairs} from a pipe");
        }
    }
    let few = folder.at("few.json");
    succeed(&["generate", "rubble", "--bodies", "3", "-o", &few]);
    let rows = folder.at("rows.arrow");
    refused(&run(&["distance", &few, "--pairs", &rows]), 2, "rows.arrow: batch 0, row ");
    let cut = folder.file("cut.arrow", &bytes(&rows)[..600]);
    refused(
        &run(&["overlap", &scene, "--pairs", &cut]),
        2,
        "cut.arrow: the Arrow file ends without its table of contents",
    );
    let walk = folder.file("walk.txt", "# id frame x/m y/m\n7 3 0 0\n5 3 1 0\n");
    let frames = folder.at("frames.arrow");
    succeed(&["trajectory", &walk, "--radius", "0.25", "-o", &frames]);
    let people = run(&["distance", &scene, "--pairs", &frames]);
    refused(&people, 2, "frames.arrow: column `a`: is of type uint64 instead of u32");
}

#[test]
fn frames_without_a_pair_have_empty_cells() {
    let folder = Folder::new();
    let walk = folder.file("walk.txt", "# id frame x/m y/m\n7 -3 0 0\n5 -3 1 0\n9 -3 11 0\n5 -4 0 0\n");
    let rows = folder.at("rows.arrow");
    succeed(&["trajectory", &walk, "--radius", "0.25", "--margin", "0.5", "-o", &rows]);
    let mut file = arrow_ipc::reader::FileReader::try_new(std::fs::File::open(&rows).unwrap(), None).unwrap();
    let batch = file.next().unwrap().unwrap();
    assert!(file.next().is_none());
    let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["frame", "people", "a", "b", "distance", "pairs"]);
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[-4, -3]);
    assert_eq!(batch.column(1).as_primitive::<UInt64Type>().values(), &[1, 3]);
    for column in 2..5 {
        assert!(batch.column(column).is_null(0) && batch.column(column).is_valid(1));
    }
    assert_eq!((batch.column(2).as_primitive::<UInt64Type>().value(1), batch.column(5).null_count()), (5, 0));
    assert_eq!(batch.column(3).as_primitive::<UInt64Type>().value(1), 7);
    assert_eq!(batch.column(4).as_primitive::<Float64Type>().value(1), 0.5);
    refused(
        &run(&["checksum", &rows]),
        2,
        "rows.arrow: the columns are `frame, people, a, b, distance, pairs` instead of",
    );
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_left() {
    let folder = Folder::new();
    let scene = folder.at("scene.arrow");
    succeed(&["generate", "uniform", "--bodies", "300", "-o", &scene]);
    let whole = bytes(&scene);
    let cut = folder.file("cut.arrow", &whole[..whole.len() / 2]);
    let mut damaged = whole.clone();
    // A coordinate of the second half: all the large columns are numbers.
    let place = whole.len() / 4 / 8 * 8;
    damaged[place..place + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let damaged = folder.file("damaged.arrow", damaged);
    let before = folder.files().len();
    let rows = folder.at("rows.arrow");
    for command in ["contacts", "distance"] {
        refused(&run(&[command, &cut, "-o", &rows]), 2, "cut.arrow: the Arrow file ends without its table of contents");
        refused(&run(&[command, &damaged, "-o", &rows]), 2, "damaged.arrow: batch 0, row ");
        refused(&feed(&[command, "-"], &whole[..100]), 2, "standard input: the Arrow");
    }
    refused(&run(&["verify", &scene, &cut]), 2, "cut.arrow: ");
    refused(&run(&["verify", &scene, &scene]), 2, "scene.arrow: the columns are `shape, position, rotation, velocity`");
    refused(&run(&["contacts", &scene, "--limit", "1", "--margin", "1", "-o", &rows]), 1, "more than 1 pairs");
    assert_eq!(folder.files().len(), before, "something was left behind: {:?}", folder.files());
}
