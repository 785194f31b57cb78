//! What each command answers.

mod common;

use common::{Folder, feed, refused, run, succeed};

const TWO_SQUARES: &str = r#"{"format":"jostle-scene","version":1,"dimension":2,
    "shapes":[{"type":"box","half_extents":[1,1]}],
    "bodies":[{"shape":0,"position":[0,0]},{"shape":0,"position":[3,0.5]},{"shape":0,"position":[0,1.5]}],
    "pairs":[[1,0],[0,2]]}"#;

#[test]
fn contacts_are_those_within_the_margin_in_order() {
    let folder = Folder::new();
    let scene = folder.file("squares.json", TWO_SQUARES);
    let first_columns = |text: String| -> Vec<String> {
        text.lines().skip(1).map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(first_columns(succeed(&["contacts", &scene])), ["0,2,-0.5"]);
    assert_eq!(first_columns(succeed(&["contacts", &scene, "--margin", "1"])), ["0,1,1", "0,2,-0.5", "1,2,1"]);
    assert_eq!(succeed(&["contacts", &scene, "--margin", "1", "--count"]), "3\n");
    assert_eq!(succeed(&["contacts", &scene, "--margin", "0.5", "--count"]), "1\n");
}

#[test]
fn distances_come_in_the_order_they_are_asked_for() {
    let folder = Folder::new();
    let scene = folder.file("squares.json", TWO_SQUARES);
    let text = succeed(&["distance", &scene]);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "a,b,distance,ax,ay,bx,by,nx,ny");
    assert!(rows[1].starts_with("1,0,1,2,") && rows[1].ends_with(",-1,0"), "{}", rows[1]);
    assert!(rows[2].starts_with("0,2,-0.5,") && rows[2].ends_with(",0,1"), "{}", rows[2]);
    let pairs = folder.file("pairs.txt", "2 0\n");
    let text = succeed(&["distance", &scene, "--pairs", &pairs, "--precision", "f64"]);
    assert!(text.lines().nth(1).unwrap().starts_with("2,0,-0.5,"));
    assert_eq!(feed(&["distance", "-"], TWO_SQUARES.as_bytes()).stdout, succeed(&["distance", &scene]).as_bytes());
}

/// Discs in a channel that repeats along x alone; the last one is four periods out.
const CHANNEL: &str = r#"{"format":"jostle-scene","version":1,"dimension":2,"periodic":[10,0],
    "shapes":[{"type":"circle","radius":0.5},{"type":"box","half_extents":[6,0.5]}],
    "bodies":[{"shape":0,"position":[0.25,0]},{"shape":0,"position":[9,0]},{"shape":0,"position":[41.5,0]},
              {"shape":1,"position":[5,-3]}],
    "pairs":[[0,1],[1,2]]}"#;

#[test]
fn images_in_a_periodic_scene_are_rows_of_their_own() {
    let folder = Folder::new();
    let scene = folder.file("channel.json", CHANNEL);
    let rows = succeed(&["contacts", &scene, "--margin", "0.5"]);
    let expected = "a,b,distance,ax,ay,bx,by,nx,ny,sx,sy\n0,1,0.25,-0.25,0,-0.5,0,-1,0,-10,0\n\
                    0,2,0.25,0.75,0,1,0,1,0,-40,0\n";
    assert_eq!(rows, expected);
    assert_eq!(succeed(&["contacts", &scene, "--margin", "0.5", "--count"]), "2\n");
    // The box is longer than the period: it overlaps its own next images.
    let selves = succeed(&["contacts", &scene, "--margin", "0.5", "--self-images"]);
    let last = selves.lines().last().expect("a row");
    assert!(last.starts_with("3,3,-1,") && last.ends_with(",10,0"), "{last}");
    assert_eq!(selves.lines().count(), 4);
    for (format, ending) in [("csv", "csv"), ("jsonl", "jsonl"), ("arrow", "arrow")] {
        let table = folder.at(&format!("rows.{ending}"));
        let options = ["--certificate", "--margin", "3", "--format", format, "--self-images", "-o", &table];
        succeed(&[&["contacts", &scene][..], &options].concat());
        assert!(succeed(&["verify", &scene, &table]).contains(" 0 failed"));
        assert_eq!(succeed(&["checksum", &table]), succeed(&["checksum", &folder.at("rows.csv")]));
    }
    let lie = folder.file("lie.csv", rows.replace(",-40,0", ",-41,0"));
    let report = run(&["verify", &scene, &lie]);
    assert_eq!(report.status.code(), Some(1));
    let problem = "shifted by -41 on axis 0, which is not a whole number of periods of 10";
    assert!(String::from_utf8_lossy(&report.stdout).contains(problem));
    // A table that says nothing of images.
    let shifts_cut = |line: &str| line.split(',').take(9).collect::<Vec<_>>().join(",") + "\n";
    let open = folder.file("open.csv", rows.lines().map(shifts_cut).collect::<String>());
    refused(&run(&["verify", &scene, &open]), 2, "open.csv: the columns `sx` and `sy` are missing, but the scene");
    // 9 and 41.5 are 2.5 apart; the box overlaps its neighbours' images, not these.
    assert_eq!(succeed(&["overlap", &scene]), "a,b,overlap\n0,1,0\n1,2,0\n");
    let closer = folder.file("closer.json", CHANNEL.replace("[9,0]", "[9.5,0]"));
    assert_eq!(succeed(&["overlap", &closer]), "a,b,overlap\n0,1,1\n1,2,0\n");
    for stage in ["contacts", "distance"] {
        let margin: &[&str] = if stage == "contacts" { &["--margin", "0.5"] } else { &[] };
        let json = succeed(&[&["bench", stage, &scene, "--repeat", "2", "--json"][..], margin].concat());
        let rows = folder.at("bench.csv");
        succeed(&[&[stage, &scene, "-o", &rows][..], margin].concat());
        assert!(json.contains(succeed(&["checksum", &rows]).trim()), "{stage}: {json}");
    }
    assert!(succeed(&["bench", "broadphase", &scene, "--margin", "0.5"]).contains(" pairs"));
    let frames = succeed(&["bench", "frames", &scene, "--margin", "0.5", "--frames", "3", "--motion", "0", "--json"]);
    assert!(frames.contains("\"pairs\":2"), "{frames}");
    let nearest = succeed(&["distance", &scene]);
    let ends: Vec<&str> = nearest.lines().skip(1).collect();
    assert!(ends[0].starts_with("0,1,0.25,") && ends[0].ends_with(",-10,0"), "{nearest}");
    assert!(ends[1].starts_with("1,2,1.5,") && ends[1].ends_with(",-30,0"), "{nearest}");
}

/// Two unit squares that touch, two that overlap, and one that comes flying; the last two begin overlapping.
const MOVING: &str = r#"{"format":"jostle-scene","version":1,"dimension":2,
    "shapes":[{"type":"box","half_extents":[0.5,0.5]}],
    "bodies":[{"shape":0,"position":[0,0]},
              {"shape":0,"position":[1,0],"velocity":[0,5]},
              {"shape":0,"position":[0.5,-0.75]},
              {"shape":0,"position":[-4,0.25],"velocity":[2,0]}],
    "pairs":[[0,1],[0,2],[3,0],[2,3],[1,0]]}"#;

/// The rows of a table without its head, each split at the commas.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

/// A row with certificate as the second body sees it.
fn flipped(row: &[&str], dimension: usize) -> Vec<String> {
    let [own, other, normal, rest] = [0, 1, 2, 3].map(|k| 3 + k * dimension);
    let opposite = |number: &str| match number.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None if number == "0" => number.to_owned(),
        None => format!("-{number}"),
    };
    let mut flipped = vec![row[1].to_owned(), row[0].to_owned(), row[2].to_owned()];
    flipped.extend([&row[other..normal], &row[own..other]].concat().into_iter().map(str::to_owned));
    flipped.extend(row[normal..rest].iter().map(|number| opposite(number)));
    flipped.extend(row[rest..].iter().map(|&cell| cell.to_owned()));
    flipped
}

#[test]
fn the_nearest_few_are_rows_of_distance_nearest_first() {
    let folder = Folder::new();
    for (kind, dimension, bodies) in [("uniform", 2, 60), ("rubble", 3, 40)] {
        let scene = folder.at("scene.json");
        let [d, n] = [dimension, bodies].map(|number: usize| number.to_string());
        succeed(&["generate", kind, "--dimension", &d, "--bodies", &n, "-o", &scene]);
        let every = (0..bodies).flat_map(|a| (a + 1..bodies).map(move |b| format!("{a} {b}\n")));
        let pairs = folder.file("pairs.txt", every.collect::<String>());
        let all = succeed(&["distance", &scene, "--pairs", &pairs, "--certificate"]);
        // Each pair from both sides: the rows of both are the same answer.
        let mut of_each = vec![Vec::new(); bodies];
        for row in cells(&all) {
            let own: Vec<String> = row.iter().map(|&cell| cell.to_owned()).collect();
            for row in [own, flipped(&row, dimension)] {
                of_each[row[0].parse::<usize>().unwrap()].push(row);
            }
        }
        let key = |row: &[String]| (row[2].parse::<f64>().unwrap(), row[1].parse::<u32>().unwrap());
        let mut expected = Vec::new();
        for of_one in &mut of_each {
            of_one.sort_by(|x, y| {
                let [(near, x), (far, y)] = [key(x), key(y)];
                near.total_cmp(&far).then(x.cmp(&y))
            });
            expected.extend(of_one[..5].iter().map(|row| row.join(",")));
        }
        let near = succeed(&["nearest", &scene, "-k", "5", "--certificate"]);
        let differ = near.lines().skip(1).zip(&expected).find(|(near, expected)| near != expected);
        assert_eq!((differ, near.lines().count()), (None, 1 + expected.len()), "{kind}");
        // The nearest one is the first of any number of them.
        let one = succeed(&["nearest", &scene, "--certificate"]);
        let first = expected.iter().step_by(5);
        assert!(one.lines().skip(1).eq(first), "{kind}");
        // More than there are is all of them; one is what is asked for by default.
        assert_eq!(succeed(&["nearest", &scene, "-k", "1000"]).lines().count(), 1 + bodies * (bodies - 1));
        assert_eq!(succeed(&["nearest", &scene]).lines().count(), 1 + bodies);
        let rows = folder.file("near.csv", near);
        assert!(succeed(&["verify", &scene, &rows]).contains(" rows checked, 0 failed;"));
    }
}

/// Of neighbours that touch, some are at -0.0 from this side or that; all are printed as 0.
#[test]
fn equally_near_ones_come_by_their_indices() {
    let hull = r#"{"type": "convex", "points": [[1, 0.5], [0.5, 1], [0, 1], [0, -1], [0, 0.5], [1, 1]]}"#;
    let scene = format!(
        r#"{{"format": "jostle-scene", "version": 1, "dimension": 2,
            "shapes": [{hull}, {{"type": "capsule", "half_length": 1, "radius": 0}}],
            "bodies": [{{"shape": 0, "position": [0, 0]}}, {{"shape": 0, "position": [1, 2]}},
                       {{"shape": 1, "position": [2, 3]}}, {{"shape": 1, "position": [1, 0]}}]}}"#
    );
    let folder = Folder::new();
    let scene = folder.file("ties.json", scene);
    for precision in ["f32", "f64"] {
        let all = succeed(&["nearest", &scene, "-k", "3", "--precision", precision]);
        let of_second = &cells(&all)[3..6];
        assert!(of_second.iter().zip(["0", "2", "3"]).all(|(row, b)| row[..3] == ["1", b, "0"]), "{all}");
        let one = succeed(&["nearest", &scene, "--precision", precision]);
        assert_eq!(cells(&one)[1][..3], ["1", "0", "0"]);
    }
}

#[test]
fn the_nearest_images_are_neighbours_of_their_own() {
    let folder = Folder::new();
    let scene = folder.file("channel.json", CHANNEL);
    let near = succeed(&["nearest", &scene, "--neighbours", "3", "--certificate"]);
    let rows = cells(&near);
    let of_one: Vec<[&str; 5]> = rows[..3].iter().map(|row| [row[0], row[1], row[2], row[9], row[10]]).collect();
    assert_eq!(of_one, [["0", "1", "0.25", "-10", "0"], ["0", "2", "0.25", "-40", "0"], ["0", "3", "2", "-10", "0"]]);
    assert_eq!(rows.len(), 12);
    let table = folder.file("near.csv", &near);
    assert!(succeed(&["verify", &scene, &table]).starts_with("12 rows checked, 0 failed;"));
    // The box overlaps its own images, on either side.
    let selves = succeed(&["nearest", &scene, "-k", "2", "--self-images"]);
    let shifts: Vec<[&str; 4]> = cells(&selves)[6..].iter().map(|row| [row[0], row[1], row[2], row[9]]).collect();
    assert_eq!(shifts, [["3", "3", "-1", "-10"], ["3", "3", "-1", "10"]]);
}

#[test]
fn overlaps_are_one_or_zero() {
    let folder = Folder::new();
    let scene = folder.file("moving.json", MOVING);
    for precision in ["f32", "f64"] {
        let closed = succeed(&["overlap", &scene, "--precision", precision]);
        assert_eq!(closed, "a,b,overlap\n0,1,1\n0,2,1\n3,0,0\n2,3,0\n1,0,1\n");
        let open = succeed(&["overlap", &scene, "--open", "--precision", precision]);
        assert_eq!(open, "a,b,overlap\n0,1,0\n0,2,1\n3,0,0\n2,3,0\n1,0,0\n");
    }
    let pairs = folder.file("pairs.txt", "2 0\n");
    let rows = folder.at("rows.jsonl");
    succeed(&["overlap", &scene, "--pairs", &pairs, "-o", &rows]);
    assert_eq!(std::fs::read_to_string(&rows).unwrap(), "{\"a\":2,\"b\":0,\"overlap\":1}\n");
    assert_eq!(feed(&["overlap", "-"], MOVING.as_bytes()).stdout, succeed(&["overlap", &scene]).as_bytes());
}

#[test]
fn casts_in_a_periodic_scene_name_the_image_that_is_met() {
    let folder = Folder::new();
    let scene = folder.file("racers.json", RACERS);
    let text = succeed(&["cast", &scene, "--duration", "3", "--precision", "f64"]);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "a,b,status,time,px,py,nx,ny,sx,sy");
    // Through the right end and on to the first body's image; a lane that it never leaves; two in one place, four
    // periods apart.
    let cells: Vec<&str> = rows[1].split(',').collect();
    assert!((cells[3].parse::<f64>().unwrap() - 0.015).abs() < 1e-9, "{}", rows[1]);
    assert_eq!((cells[2], cells[4], &cells[6..]), ("hit", "-0.5", &["-1", "0", "-10", "0"][..]), "{}", rows[1]);
    assert_eq!(rows[2], "0,2,miss,,,,,,,");
    assert!(rows[3].starts_with("0,3,start,0,") && rows[3].ends_with(",-40,0"), "{}", rows[3]);
    let lines = succeed(&["cast", &scene, "--duration", "3", "--format", "jsonl"]);
    assert!(lines.lines().nth(1).unwrap().ends_with(r#""sx":null,"sy":null}"#), "{lines}");
    // Of a scene that does not repeat, the same motion is a miss.
    let open = folder.file("open.json", RACERS.replace(r#""periodic":[10,0],"#, ""));
    assert!(succeed(&["cast", &open, "--duration", "3"]).contains("\n0,1,miss,,,,,\n"));
}

/// Discs in a channel that repeats along x alone, two of them fast.
const RACERS: &str = r#"{"format":"jostle-scene","version":1,"dimension":2,"periodic":[10,0],
    "shapes":[{"type":"circle","radius":0.5}],
    "bodies":[{"shape":0,"position":[0,0]},{"shape":0,"position":[6,0],"velocity":[200,0]},
              {"shape":0,"position":[6,1.5],"velocity":[200,0]},{"shape":0,"position":[40.25,0]}],
    "pairs":[[0,1],[0,2],[0,3]]}"#;

#[test]
fn casts_tell_hits_from_misses_and_starts() {
    let folder = Folder::new();
    let scene = folder.file("moving.json", MOVING);
    let text = succeed(&["cast", &scene, "--duration", "3", "--precision", "f64"]);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "a,b,status,time,px,py,nx,ny");
    // One slides along the other; two overlap; one comes flying.
    assert_eq!(rows[1], "0,1,miss,,,,,");
    assert!(rows[2].starts_with("0,2,start,0,"), "{}", rows[2]);
    let cells: Vec<&str> = rows[3].split(',').collect();
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    assert!(cells[2] == "hit" && (number(cells[6]) - 1.0).abs() < 1e-15 && cells[7] == "0", "{}", rows[3]);
    assert!((number(cells[3]) - 1.5).abs() < 1e-9 && (number(cells[4]) + 0.5).abs() < 1e-9, "{}", rows[3]);
    // In single precision a time is rounded towards the start.
    let text = succeed(&["cast", &scene, "--duration", "3"]);
    let time = number(text.lines().nth(3).unwrap().split(',').nth(3).unwrap());
    assert!(time <= 1.5 && time > 1.4999, "{time}");
    // Not in the time given; and half a metre sooner.
    assert!(succeed(&["cast", &scene, "--duration", "1.25"]).contains("\n3,0,miss,,,,,\n"));
    let sooner = succeed(&["cast", &scene, "--duration", "1.25", "--target", "0.5", "--precision", "f64"]);
    let time = number(sooner.lines().nth(3).unwrap().split(',').nth(3).unwrap());
    assert!((time - 1.25).abs() < 1e-9, "{sooner}");
    let lines = succeed(&["cast", &scene, "--duration", "3", "--format", "jsonl"]);
    assert_eq!(
        lines.lines().next(),
        Some(r#"{"a":0,"b":1,"status":"miss","time":null,"px":null,"py":null,"nx":null,"ny":null}"#)
    );
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines}");
}

#[test]
fn rows_that_are_true_pass_and_others_are_named() {
    let folder = Folder::new();
    for (kind, dimension) in [("uniform", "2"), ("rubble", "3")] {
        let scene = folder.at("scene.json");
        succeed(&["generate", kind, "--dimension", dimension, "--bodies", "300", "-o", &scene]);
        for precision in ["f32", "f64"] {
            let rows = folder.at("rows.csv");
            let options = ["--margin", "0.1", "--certificate", "--precision", precision, "-o", &rows];
            succeed(&[&["contacts", &scene][..], &options].concat());
            let verdict = succeed(&["verify", &scene, &rows, "--precision", precision]);
            assert!(verdict.contains(" rows checked, 0 failed;"), "{verdict}");
        }
    }
    let scene = folder.file("squares.json", TWO_SQUARES);
    let lie = "a,b,distance,ax,ay,bx,by,nx,ny\n0,1,1,1,0.5,2,0.5,1,0\n0,1,1.5,1,0.5,2.5,0.5,1,0\n";
    let rows = folder.file("lie.csv", lie);
    let output = run(&["verify", &scene, &rows]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("row 2 (bodies 0 and 1): ") && !text.contains("row 1 "), "{text}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("1 of 2 rows fail"));
    let rows = folder.file("space.csv", "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\n");
    refused(&run(&["verify", &scene, &rows]), 2, "a table of 3 dimensions");
}

#[test]
fn a_table_is_held_to_its_own_precision() {
    let folder = Folder::new();
    let scene = folder.file(
        "points.json",
        r#"{"format": "jostle-scene", "version": 1, "dimension": 2, "shapes": [{"type": "circle", "radius": 0}],
            "bodies": [{"shape": 0, "position": [0, 0]}, {"shape": 0, "position": [0.1, 0]}], "pairs": [[0, 1]]}"#,
    );
    // All of its decimals are as short as those of an `f32`, and mean what they say.
    for rows in ["rows.csv", "rows.arrow"] {
        let rows = folder.at(rows);
        succeed(&["distance", &scene, "--precision", "f64", "-o", &rows]);
        assert!(succeed(&["verify", &scene, &rows, "--precision", "f64"]).contains("1 rows checked, 0 failed;"));
        assert!(succeed(&["verify", &scene, &rows]).contains("1 rows checked, 0 failed;"));
    }
    // An error that `f32` would be allowed, in a table that is not one.
    let crowd = folder.at("crowd.json");
    succeed(&["generate", "uniform", "--bodies", "300", "-o", &crowd]);
    let text = succeed(&["contacts", &crowd, "--margin", "0.5", "--precision", "f64"]);
    let line = text.lines().nth(1).expect("somebody is near");
    let cells: Vec<&str> = line.split(',').collect();
    let off = (cells[2].parse::<f64>().unwrap() + 2e-7).to_string();
    let lie = text.replacen(cells[2], &off, 1);
    let rows = folder.file("lie.csv", lie);
    assert_eq!(run(&["verify", &crowd, &rows]).status.code(), Some(1));
    assert!(succeed(&["verify", &crowd, &rows, "--precision", "f32"]).contains(" 0 failed;"));
}

#[test]
fn bench_and_checksum_agree() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "uniform", "--bodies", "2000", "-o", &scene]);
    for precision in ["f32", "f64"] {
        let rows = folder.at("rows.jsonl");
        succeed(&["contacts", &scene, "--precision", precision, "--certificate", "-o", &rows]);
        let sum = succeed(&["checksum", &rows]);
        for warm in [&[][..], &["--warm"]] {
            let options = ["--json", "--repeat", "2", "--precision", precision];
            let text = succeed(&[&["bench", "contacts", &scene][..], &options, warm].concat());
            let found: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(found["checksum"].as_str(), Some(sum.trim_end()));
            assert_eq!(found["stage"], "contacts");
            assert_eq!(found["scene"], scene.as_str());
            assert_eq!(found["bodies"], 2000);
            assert_eq!((&found["precision"], &found["margin"]), (&precision.into(), &0.0.into()));
            let [least, median, most] = ["min", "median", "max"].map(|key| found["ns_per_body"][key].as_f64().unwrap());
            assert!(0.0 < least && least <= median && median <= most);
            let total = found["total_ms"]["median"].as_f64().unwrap();
            assert!((total * 1e6 / 2000.0 - median).abs() < 1e-6 * median);
        }
    }
    let text = succeed(&["bench", "broadphase", &scene, "--repeat", "2", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(found["pairs"].as_u64().unwrap() > 4000 && found["margin"] == 0.0);
    let squares = folder.file("squares.json", TWO_SQUARES);
    let rows = folder.at("rows.csv");
    succeed(&["distance", &squares, "-o", &rows]);
    let text = succeed(&["bench", "distance", &squares, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["checksum"].as_str(), Some(succeed(&["checksum", &rows]).trim_end()));
    assert!(found["ns_per_pair"]["min"].as_f64().unwrap() > 0.0 && found.get("margin").is_none());
    assert!(succeed(&["bench", "distance", &squares]).contains("checksum"));
}

#[test]
fn frames_are_the_same_for_any_skin_and_number_of_threads() {
    let folder = Folder::new();
    for (kind, more) in [("flat", &[][..]), ("gas", &["--churn", "0.05"][..])] {
        let scene = folder.at("scene.json");
        succeed(&["generate", kind, "--dimension", "2", "--bodies", "400", "-o", &scene]);
        let of_frames = |frames: &str, options: &[&str]| -> serde_json::Value {
            let start = ["bench", "frames", &scene, "--json", "--margin", "0.3", "--frames", frames];
            serde_json::from_str(&succeed(&[&start[..], more, options].concat())).expect("one JSON object")
        };
        let of = |options: &[&str]| of_frames("15", options);
        let auto = of(&["--threads", "1"]);
        assert_eq!((&auto["stage"], &auto["bodies"], &auto["frames"]), (&"frames".into(), &400.into(), &15.into()));
        assert!(auto["pairs"].as_u64().unwrap() > 50);
        for stage in ["motion", "broadphase", "narrowphase", "events", "frame"] {
            let [median, worst] = ["median", "worst"].map(|what| auto["ms"][stage][what].as_f64().unwrap());
            assert!(0.0 <= median && median <= worst, "{auto}");
        }
        let mean = |key: &str| auto[key].as_f64().unwrap();
        assert!(mean("solved") > 0.0 && mean("rescued") <= mean("solved"), "{auto}");
        assert!(mean("began") > 0.0 && mean("ended") > 0.0 && mean("renewed") <= 400.0, "{auto}");
        let still = of(&["--skin", "0", "--threads", "2"]);
        assert_eq!((&still["lists_kept"], &still["skin"]), (&0.into(), &0.0.into()));
        assert_eq!(still["checksum"], auto["checksum"]);
        assert_eq!(of(&["--skin", "0.2"])["checksum"], auto["checksum"]);
        assert_ne!(of_frames("16", &[])["checksum"], auto["checksum"], "nothing moved");
    }
    assert!(succeed(&["bench", "frames", &folder.file("squares.json", TWO_SQUARES)]).contains("list kept in"));
}

#[test]
fn a_recording_gives_a_row_a_frame() {
    let folder = Folder::new();
    let recording = "# id frame x/cm y/cm\n7 3 0 0\n5 3 100 0\n9 3 1100 0\n5 2 0 0\n5 4 0 0\n7 4 3000 4000\n";
    let path = folder.file("walk.txt", recording);
    assert_eq!(
        succeed(&["trajectory", &path, "--radius", "0.25", "--margin", "0.5"]),
        "frame,people,a,b,distance,pairs\n2,1,,,,0\n3,3,5,7,0.5,1\n4,2,5,7,49.5,0\n"
    );
    assert_eq!(
        succeed(&["trajectory", &path, "--radius", "0.25", "--unit", "m", "--format", "jsonl"]).lines().nth(1),
        Some(r#"{"frame":3,"people":3,"a":5,"b":7,"distance":99.5,"pairs":0}"#)
    );
    let same = folder.file("same.txt", "# id frame x/m y/m\n1 1 0 0\n2 1 0 0\n3 1 0 0\n");
    assert_eq!(succeed(&["trajectory", &same, "--radius", "0.5"]), "frame,people,a,b,distance,pairs\n1,3,1,2,-1,3\n");
    let unitless = folder.file("unitless.txt", "1 1 0 0\n");
    refused(&run(&["trajectory", &unitless, "--radius", "0.5"]), 2, "unit");
}

#[test]
fn generated_scenes_are_named_and_the_same_each_time() {
    let list = succeed(&["generate", "--list"]);
    for kind in "uniform flat clustered mixed stacks rubble corridor brownian freefall".split(' ') {
        assert!(list.lines().any(|line| line.starts_with(&format!("{kind} "))), "{kind} is not named");
        let of = |seed: &str| succeed(&["generate", kind, "--bodies", "50", "--seed", seed, "--dimension", "2"]);
        assert_eq!(of("3"), of("3"));
    }
}

#[test]
fn the_demo_sums_up_and_draws() {
    let folder = Folder::new();
    let picture = folder.at("crowd.png");
    let text = succeed(&["demo", "--bodies", "3000", "-o", &picture]);
    for word in ["bodies", "3,000", "pairs within 0.5 m", "instruction set", "broadphase", "narrowphase", "nearest"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    // The last thing that is said, once it is true.
    assert!(text.ends_with(&format!("\npicture               {picture}\n")), "{text}");
    let other = folder.at("crowd.jpg");
    let output = run(&["demo", "--bodies", "9", "-o", &other]);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "jostle: note: a picture that ends in .jpg is written as PNG\n");
    if cfg!(target_os = "linux") {
        let output = run(&["demo", "--bodies", "9", "-o", "/dev/full"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(!String::from_utf8_lossy(&output.stdout).contains("\npicture"));
    }
    for few in ["0", "1", "2"] {
        let text = succeed(&["demo", "--bodies", few, "--margin", "0.123456789", "-o", &picture]);
        assert!(text.contains("\npairs within 0.123456789 m 0\n") || few == "2", "{text}");
    }
}

/// What no row can tell of itself: that another is missing.
#[test]
fn missing_rows_are_named() {
    let folder = Folder::new();
    let scene = folder.at("rubble.json");
    succeed(&["generate", "rubble", "--bodies", "200", "-o", &scene]);
    for margin in ["0", "0.02"] {
        let rows = succeed(&["contacts", &scene, "--margin", margin]);
        let table = folder.file("all.csv", &rows);
        let verdict = succeed(&["verify", &scene, &table, "--complete", margin]);
        assert!(verdict.ends_with(&format!("0 pairs nearer than {margin} have no row\n")), "{verdict}");
        // Without the fifth row, and without any.
        let lines: Vec<&str> = rows.lines().collect();
        let lost = lines[5].split(',').take(2).collect::<Vec<_>>().join(" and ");
        let some = [&lines[..5], &lines[6..]].concat().join("\n");
        let output = run(&["verify", &scene, &folder.file("some.csv", some), "--complete", margin]);
        assert_eq!(output.status.code(), Some(1));
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.starts_with(&format!("no row for bodies {lost}, which ")), "{report}");
        assert!(report.ends_with(&format!("1 pair nearer than {margin} has no row\n")), "{report}");
        // The fifth row twice.
        let twice = [&lines[..6], &lines[5..]].concat().join("\n");
        let output = run(&["verify", &scene, &folder.file("twice.csv", twice), "--complete", margin]);
        assert_eq!(output.status.code(), Some(1));
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.starts_with(&format!("row 6 (bodies {lost}): an earlier row is about the same\n")), "{report}");
        let output = run(&["verify", &scene, &folder.file("none.csv", lines[0]), "--complete", margin]);
        let clearly = String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with("no row")).count();
        assert!(clearly + 2 >= lines.len() - 1 && clearly < lines.len(), "{clearly} of {}", lines.len() - 1);
    }
    refused(&run(&["verify", &scene, &folder.at("all.csv"), "--complete", "-1"]), 2, "--complete");
    let channel = folder.file("channel.json", CHANNEL);
    let rows = folder.file("rows.csv", succeed(&["contacts", &channel]));
    refused(&run(&["verify", &channel, &rows, "--complete", "0"]), 2, "--complete is not for scenes that repeat");
}

/// Tables of results name pairs as well as pair files do; which tables verify is for, it says.
#[test]
fn tables_serve_as_pair_files() {
    let folder = Folder::new();
    let scene = folder.at("rubble.json");
    succeed(&["generate", "rubble", "--bodies", "200", "-o", &scene]);
    let contacts = succeed(&["contacts", &scene, "--certificate"]);
    let table = folder.file("contacts.csv", &contacts);
    assert_eq!(succeed(&["distance", &scene, "--pairs", &table, "--certificate"]), contacts);
    for ending in ["csv", "jsonl", "arrow"] {
        let [overlaps, casts] = ["overlaps", "casts"].map(|name| folder.at(&format!("{name}.{ending}")));
        succeed(&["overlap", &scene, "--pairs", &table, "-o", &overlaps]);
        refused(&run(&["verify", &scene, &overlaps]), 2, "a table of overlaps, not one of distances");
        succeed(&["cast", &scene, "--pairs", &overlaps, "--duration", "1", "-o", &casts]);
        refused(&run(&["verify", &scene, &casts]), 2, "a table of casts, not one of distances");
        // The two files the wrong way round.
        let table = folder.at(&format!("near.{ending}"));
        succeed(&["contacts", &scene, "--margin", "1", "-o", &table]);
        let sentence = format!("near.{ending}: a table of results, where a scene is expected");
        refused(&run(&["verify", &table, &scene]), 2, &sentence);
    }
}

/// What makes no difference is said on standard error, and nothing else changes.
#[test]
fn what_makes_no_difference_is_noted() {
    let folder = Folder::new();
    let scene = folder.file("channel.json", CHANNEL);
    for (arguments, note) in [
        (&["overlap", &scene, "--certificate"][..], "rows of overlap have no certificate"),
        (&["cast", &scene, "--duration", "1", "--certificate"], "rows of cast have no certificate"),
        (&["contacts", &scene, "--count", "--format", "jsonl"], "--count prints one number"),
        (&["contacts", &scene, "-o", &folder.at("near.json")], "a file that ends in .json is written as CSV"),
        (&["generate", "gas", "-o", &folder.at("gas.csv")], "a scene that ends in .csv is written as JSON"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("jostle: note: ") && said.contains(note) && said.lines().count() == 1, "{said}");
        let quiet = run(&[arguments, &["--quiet"]].concat());
        assert!(quiet.stderr.is_empty() && quiet.stdout == output.stdout);
    }
    assert!(std::fs::read_to_string(folder.at("near.json")).expect("written").starts_with("a,b,distance"));
}

#[test]
fn the_page_about_scenes_shows_scenes() {
    let folder = Folder::new();
    let page = include_str!("../../../docs/scene.md");
    let scenes: Vec<&str> = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(scenes.len(), 2);
    for (scene, pairs) in scenes.into_iter().zip([2, 1]) {
        let scene = folder.file("scene.json", scene);
        assert_eq!(succeed(&["distance", &scene]).lines().count(), 1 + pairs);
    }
}

/// People so far apart that no margin reaches from one to another.
#[test]
fn the_nearest_two_at_the_ends_of_the_range() {
    let folder = Folder::new();
    let walk = folder.file("walk.txt", "1 0 -1e15 0\n2 0 1e15 0\n3 0 0 9e14\n");
    let rows = succeed(&["trajectory", &walk, "--unit", "m", "--radius", "0.25"]);
    let row = rows.lines().nth(1).expect("a frame");
    assert!(row.starts_with("0,3,1,3,1345362404707370") && row.ends_with(",0"), "{row}");
}
