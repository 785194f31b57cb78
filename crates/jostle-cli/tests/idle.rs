//! What an option cannot change is noted on standard error, in one sentence that names it, and changes nothing.

mod common;

use common::{Folder, jostle, run};

/// Two discs that touch, and a pair of them.
const DISCS: &str = r#"{"format":"jostle-scene","version":1,"dimension":2,"shapes":[{"type":"circle","radius":0.5}],
    "bodies":[{"shape":0,"position":[0,0]},{"shape":0,"position":[0.75,0]}],"pairs":[[0,1]]}"#;

#[test]
fn each_option_without_effect_is_noted() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("discs.json"), DISCS).expect("can be written");
    std::fs::write(folder.path().join("walk.txt"), "# id frame x/m y/m\n7 3 0 0\n5 3 1 0\n").expect("can be written");
    let here = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        jostle().args(&words).current_dir(folder.path()).output().expect("jostle starts")
    };
    assert!(here("distance discs.json -o rows.csv").status.success());
    assert!(here("generate gas --bodies 5 --seed 1 -o gas.json").status.success());
    // Times, and a picture, differ from run to run or are no text: there the lines are not compared.
    for (line, notes) in [
        (
            "demo --bodies 9 --format csv",
            &["demo prints a summary and draws a picture: --format makes no difference"][..],
        ),
        (
            "demo --bodies 9 --format csv --certificate",
            &["demo prints a summary and draws a picture: --format and --certificate make no difference"],
        ),
        (
            "generate gas --bodies 3 --precision f64 --certificate",
            &["a scene is no table of results: --precision and --certificate make no difference"],
        ),
        (
            "generate --list --bodies 3 --seed 2 --dimension 2 --format json",
            &["--list prints the names of the kinds: --bodies, --seed, --dimension and --format make no difference"],
        ),
        ("generate --list --threads 2", &["--list prints the names of the kinds: --threads makes no difference"]),
        ("contacts discs.json --count --limit 5", &["--count prints one number: --limit makes no difference"]),
        (
            "contacts discs.json --count --format jsonl --certificate --limit 5 -o count.arrow",
            &["--count prints one number: --format, --certificate, --limit and the ending .arrow make no difference"],
        ),
        ("contacts discs.json --self-images", &["discs.json does not repeat: --self-images makes no difference"]),
        ("nearest discs.json --self-images", &["discs.json does not repeat: --self-images makes no difference"]),
        (
            "overlap discs.json --certificate",
            &["rows of overlap have no certificate: --certificate makes no difference"],
        ),
        (
            "cast discs.json --duration 1 --certificate",
            &["rows of cast have no certificate: --certificate makes no difference"],
        ),
        (
            "trajectory walk.txt --radius 0.25 --certificate --precision f32",
            &[
                "rows of trajectory have no certificate: --certificate makes no difference",
                "distances of people are always f64: --precision f32 makes no difference",
            ],
        ),
        (
            "bench contacts discs.json --certificate --format csv",
            &["bench prints times: --format and --certificate make no difference"],
        ),
        (
            "bench broadphase discs.json -o times.ARROWS",
            &["bench prints times: the ending .arrows makes no difference"],
        ),
        (
            "bench distance discs.json --margin 1 --limit 3",
            &["bench distance measures the pairs that are listed: --margin and --limit make no difference"],
        ),
        (
            "bench frames gas.json --frames 3 --motion 0.5",
            &["bodies of gas.json have velocities, by which they move: --motion makes no difference"],
        ),
        ("bench frames discs.json --repeat 2", &["bench frames does each frame once: --repeat makes no difference"]),
        (
            "verify discs.json rows.csv --certificate --format csv",
            &[
                "the format of results is recognised by their content: --format makes no difference",
                "verify prints what it finds: --certificate makes no difference",
            ],
        ),
        (
            "checksum rows.csv --precision f64 --certificate",
            &["checksum prints one number: --precision and --certificate make no difference"],
        ),
        // What has its effect, and is not noted.
        ("contacts discs.json --certificate --format jsonl --precision f64 --limit 5", &[]),
        ("contacts discs.json --count --precision f64 -o count.csv", &[]),
        ("trajectory walk.txt --radius 0.25 --precision f64 --format jsonl", &[]),
        ("bench contacts discs.json --margin 1 --limit 9 --repeat 2 --warm --json --precision f64", &[]),
        ("bench frames discs.json --margin 1 --limit 9 --frames 3", &[]),
        ("verify discs.json rows.csv --precision f32 --format jsonl", &[]),
        ("checksum rows.csv --format jsonl -o sum.txt", &[]),
        ("generate gas --bodies 3 --seed 2 --dimension 2", &[]),
    ] {
        let output = here(line);
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> =
            said.lines().map(|line| line.strip_prefix("jostle: note: ").expect("is a note")).collect();
        assert_eq!((output.status.code(), &said[..]), (Some(0), notes), "{line}");
        let quiet = here(&format!("{line} --quiet"));
        assert!(quiet.status.success() && quiet.stderr.is_empty(), "{line}");
        if !line.starts_with("bench") && !line.starts_with("demo") {
            assert_eq!(quiet.stdout, output.stdout, "{line}");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.at("count.arrow")).expect("is there"), "1\n");
}

/// Where an option that was given must be told from one that was not, clap does not know the default.
#[test]
fn help_names_the_defaults() {
    for (command, defaults) in [
        ("generate", &["(default: 1000)", "(default: 1)"][..]),
        ("contacts", &["(default: 10000000)", "[default: 0]"]),
        ("bench", &["(default: 9)", "(default: 0)", "(default: 10000000)"]),
    ] {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).expect("is text");
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for default in defaults {
            assert!(words.contains(default), "{default} is missing in {words}");
        }
    }
}
