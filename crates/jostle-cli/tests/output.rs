//! Where results go: whole files or none, one format or the other, and quietly into a pipe that closes.

mod common;

use common::{Folder, jostle, refused, run, succeed};
use std::process::Stdio;

#[test]
fn a_file_is_there_whole_or_not_at_all() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    assert_eq!(succeed(&["generate", "gas", "--bodies", "200", "-o", &scene]), "");
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), succeed(&["generate", "gas", "--bodies", "200"]));

    let spoiled = folder.file("spoiled.json", "{\"format\": \"jostle-scene\"");
    let before = folder.files().len();
    let rows = folder.at("rows.csv");
    refused(&run(&["contacts", &spoiled, "-o", &rows]), 2, "spoiled.json");
    refused(&run(&["contacts", &scene, "--limit", "0", "-o", &rows]), 1, "more than 0 pairs");
    assert_eq!(folder.files().len(), before, "something was left behind: {:?}", folder.files());

    // A file that was there stays as it was.
    let rows = folder.file("rows.csv", "mine");
    refused(&run(&["contacts", &spoiled, "-o", &rows]), 2, "spoiled.json");
    assert_eq!(std::fs::read_to_string(&rows).unwrap(), "mine");
    assert_eq!(succeed(&["contacts", &scene, "-o", &rows]), "");
    assert_eq!(std::fs::read_to_string(&rows).unwrap(), succeed(&["contacts", &scene]));
    assert_eq!(folder.files().len(), before + 1);
}

#[test]
fn a_place_that_cannot_be_written_to_is_refused() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "20", "-o", &scene]);
    let nowhere = folder.at("no/such/rows.csv");
    refused(&run(&["contacts", &scene, "-o", &nowhere]), 2, "its folder does not exist");
    refused(&run(&["contacts", &scene, "-o", folder.path().to_str().unwrap()]), 2, "is a directory, not a file");
}

/// It is not the file's fault, which need not even be there.
#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "20", "-o", &scene]);
    let [closed, rows] = ["closed", "closed/rows.csv"].map(|name| folder.at(name));
    std::fs::create_dir(&closed).expect("can be made");
    std::fs::write(&rows, "mine").expect("can be written");
    let allow = |path: &str, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("is ours");
    };
    allow(&closed, 0o555);
    // The superuser may do it all the same.
    if std::fs::write(folder.at("closed/other"), "").is_err() {
        for path in [&rows, &folder.at("closed/new.csv")] {
            let sentence = format!("{path}: no file can be made in its folder {closed}: permission denied");
            refused(&run(&["contacts", &scene, "-o", path]), 2, &sentence);
        }
    }
    // Which even the superuser may not fill.
    let system = std::fs::write("/sys/jostle.csv", "").map_err(|error| error.kind());
    if system == Err(std::io::ErrorKind::PermissionDenied) {
        let sentence = "/sys/jostle.csv: no file can be made in its folder /sys: permission denied";
        refused(&run(&["contacts", &scene, "-o", "/sys/jostle.csv"]), 2, sentence);
    }
    allow(&closed, 0o755);
    allow(&rows, 0o444);
    let sentence = format!("{rows}: permission denied");
    refused(&run(&["contacts", &scene, "-o", &rows]), 2, &sentence);
}

/// What a name does to a terminal it must not do from within a sentence.
#[test]
#[cfg(unix)]
fn control_characters_in_names_are_escaped() {
    let folder = Folder::new();
    refused(
        &run(&["contacts", &folder.at("two\nlines \u{1b}[31m.json")]),
        2,
        r"two\nlines \u{1b}[31m.json: no such file",
    );
    let scene = folder.file("\u{7}.json", "{");
    refused(&run(&["contacts", &scene]), 2, r"\u{7}.json: line 1");
    let nowhere = folder.at("no\r/rows.csv");
    succeed(&["generate", "gas", "--bodies", "20", "-o", &scene]);
    refused(&run(&["contacts", &scene, "-o", &nowhere]), 2, r"no\r/rows.csv: its folder does not exist");
    refused(&run(&["contacts", &scene, "-o", &scene]), 2, r"\u{7}.json: is read by this command");
}

/// A scene may be the only copy of years of work.
#[test]
fn what_is_read_is_not_replaced() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "20", "-o", &scene]);
    let walk = folder.file("walk.txt", "# id frame x/m y/m\n7 3 0 0\n");
    let pairs = folder.file("pairs.txt", "0 1\n");
    let rows = folder.at("rows.csv");
    succeed(&["contacts", &scene, "-o", &rows]);
    let roundabout = folder.path().join(".").join("scene.json").to_str().expect("is text").to_owned();
    let before: Vec<Vec<u8>> = [&scene, &walk, &pairs, &rows].map(|path| std::fs::read(path).expect("is there")).into();
    for arguments in [
        &["contacts", &scene, "-o", &scene][..],
        &["contacts", &scene, "-o", &roundabout],
        &["contacts", &roundabout, "--count", "-o", &scene],
        &["nearest", &scene, "-o", &scene],
        &["bench", "contacts", &scene, "-o", &scene],
        &["bench", "distance", &scene, "--pairs", &pairs, "-o", &pairs],
        &["distance", &scene, "--pairs", &pairs, "-o", &scene],
        &["distance", &scene, "--pairs", &pairs, "-o", &pairs],
        &["overlap", &scene, "--pairs", &pairs, "-o", &pairs],
        &["cast", &scene, "--pairs", &pairs, "--duration", "1", "-o", &pairs],
        &["trajectory", &walk, "--radius", "0.2", "-o", &walk],
        &["verify", &scene, &rows, "-o", &scene],
        &["verify", &scene, &rows, "-o", &rows],
        &["checksum", &rows, "-o", &rows],
    ] {
        let output = arguments.last().expect("is named");
        refused(&run(arguments), 2, &format!("{output}: is read by this command"));
    }
    #[cfg(unix)]
    {
        let [soft, hard] = ["soft.json", "hard.json"].map(|name| folder.at(name));
        std::os::unix::fs::symlink(&scene, &soft).expect("can be linked");
        std::fs::hard_link(&scene, &hard).expect("can be linked");
        for link in [&soft, &hard] {
            refused(&run(&["contacts", &scene, "-o", link]), 2, &format!("{link}: is read by this command"));
            refused(&run(&["contacts", link, "-o", &scene]), 2, "scene.json: is read by this command");
        }
        // As a shell redirects it.
        let mut piped = jostle();
        piped.args(["contacts", "-", "-o", &scene]).stdin(std::fs::File::open(&scene).expect("is there"));
        refused(&piped.output().expect("jostle starts"), 2, "is read by this command (standard input)");
        assert!(run(&["checksum", "/dev/null", "--format", "jsonl", "-o", "/dev/null"]).status.success());
    }
    let after: Vec<Vec<u8>> = [&scene, &walk, &pairs, &rows].map(|path| std::fs::read(path).expect("is there")).into();
    assert!(before == after);
    // Another file in the same place is fine.
    succeed(&["distance", &scene, "--pairs", &pairs, "-o", &rows]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_status_1() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "2000", "-o", &scene]);
    refused(&run(&["contacts", &scene, "-o", "/dev/full"]), 1, "/dev/full: cannot be written");
}

/// As on a full disk: what was asked for is named, not the file in the making, of which nothing is left.
#[test]
#[cfg(target_os = "linux")]
fn a_file_beyond_the_limit_of_the_shell_is_status_1() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    for target in [&["-o", &scene][..], &[]] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "ulimit -f 8; exec \"$@\"", "sh"]).arg(jostle().get_program()).env_remove("JOSTLE_ISA");
        shell.args(["generate", "gas", "--bodies", "10000"]).args(target);
        let [printed, name] = match target {
            [] => [folder.at("printed"), "standard output".to_owned()],
            _ => ["/dev/null".to_owned(), scene.clone()],
        };
        let output =
            shell.stdout(std::fs::File::create(printed).expect("can be made")).output().expect("a shell starts");
        refused(&output, 1, &format!("jostle: {name}: cannot be written: File too large (os error 27)"));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("partial"));
        assert!(!folder.files().iter().any(|file| file.to_string_lossy().ends_with(".partial")));
    }
    assert!(!std::fs::exists(&scene).expect("can be seen"));
}

#[test]
fn the_format_follows_the_ending_unless_it_is_said() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "200", "-o", &scene]);
    let lines = folder.at("rows.jsonl");
    succeed(&["contacts", &scene, "-o", &lines]);
    assert!(std::fs::read_to_string(&lines).unwrap().starts_with("{\"a\":"));
    succeed(&["contacts", &scene, "-o", &lines, "--format", "csv"]);
    assert!(std::fs::read_to_string(&lines).unwrap().starts_with("a,b,distance"));
    let [large, other] = ["rows.JSONL", "rows.CSV"].map(|name| folder.at(name));
    succeed(&["contacts", &scene, "-o", &large]);
    assert_eq!(std::fs::read_to_string(&large).unwrap().lines().next().unwrap().get(..5), Some("{\"a\":"));
    succeed(&["contacts", &scene, "-o", &other]);
    assert!(std::fs::read_to_string(&other).unwrap().starts_with("a,b,distance"));
    let certified = succeed(&["contacts", &scene, "--certificate"]);
    let header = certified.lines().next().unwrap();
    assert_eq!(header, "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz,lower,upper,status,minimal");
}

/// As results do, and JSON whatever the ending, where the format is not said.
#[test]
fn the_format_of_a_scene_follows_the_ending_unless_it_is_said() {
    let folder = Folder::new();
    let text = succeed(&["generate", "gas", "--bodies", "20"]);
    assert_eq!(succeed(&["generate", "gas", "--bodies", "20", "--format", "json"]), text);
    let scene = folder.at("scene.arrow");
    succeed(&["generate", "gas", "--bodies", "20", "--format", "json", "-o", &scene]);
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), text);
    let plain = folder.at("scene");
    succeed(&["generate", "gas", "--bodies", "20", "-o", &plain]);
    assert_eq!(std::fs::read_to_string(&plain).unwrap(), text);
}

#[test]
fn a_pipe_that_closes_is_no_reason_to_speak() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "uniform", "--bodies", "20000", "-o", &scene]);
    for arguments in [&["contacts", &scene][..], &["generate", "gas", "--bodies", "100000"]] {
        let mut child = jostle().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The other end of the pipe is closed.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// A shell that starts a command in the background of a script has it ignore interrupts: it still ends in good order
/// when it is told to.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_ignores_interrupts_can_still_be_ended() {
    use std::time::{Duration, Instant};

    if are_ignored(TERMINATE) {
        return;
    }
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "uniform", "--bodies", "100000", "-o", &scene]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' INT; exec \"$@\"", "sh"]).arg(jostle().get_program());
    shell.args(["contacts", &scene, "--margin", "1.5", "--threads", "1", "-o", &folder.at("new.csv")]);
    let mut child = shell.spawn().unwrap();
    let start = Instant::now();
    while !folder.files().iter().any(|name| name.to_string_lossy().ends_with(".partial")) {
        assert!(child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_mins(2), "no file was begun");
        std::thread::sleep(Duration::from_millis(2));
    }
    for signal in ["-INT", "-TERM"] {
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.files().len(), 1, "{:?} is left", folder.files());
}

/// Signals, a bit each.
#[cfg(target_os = "linux")]
const HANGUP: u64 = 1;
#[cfg(target_os = "linux")]
const INTERRUPT: u64 = 1 << 1;
#[cfg(target_os = "linux")]
const TERMINATE: u64 = 1 << 14;

/// True, and said, if these tests were started with any of these signals ignored: so are then the commands that they
/// start.
#[cfg(target_os = "linux")]
fn are_ignored(signals: u64) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(line.trim(), 16).unwrap() & signals != 0;
    if ignored {
        eprintln!("skipped: these tests were started with signals ignored, and so are those that they start");
    }
    ignored
}

/// Before there is a file to be removed.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_still_reads_is_ended_by_the_signal() {
    use std::os::unix::process::ExitStatusExt;

    if are_ignored(TERMINATE) {
        return;
    }
    let folder = Folder::new();
    let mut command = jostle();
    command.args(["contacts", "-", "-o", &folder.at("new.csv")]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    // Held open until then: the scene never ends.
    let scene = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(scene);
    assert_eq!((output.status.signal(), output.stderr.len()), (Some(15), 0));
    assert!(folder.files().is_empty(), "{:?} is left", folder.files());
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_command_leaves_nothing_behind() {
    use std::time::{Duration, Instant};

    if are_ignored(HANGUP | INTERRUPT | TERMINATE) {
        return;
    }
    let folder = Folder::new();
    // Seconds of work on one thread, whose file begins when the scene is read.
    let scene = folder.at("scene.json");
    succeed(&["generate", "uniform", "--bodies", "100000", "-o", &scene]);
    let kept = folder.file("kept.csv", "mine");
    for signal in ["-INT", "-TERM", "-HUP"] {
        for target in [&kept, &folder.at("new.csv")] {
            let mut command = jostle();
            command.args(["contacts", &scene, "--margin", "1.5", "--threads", "1", "-o", target]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let start = Instant::now();
            while !folder.files().iter().any(|name| name.to_string_lossy().ends_with(".partial")) {
                assert!(child.try_wait().unwrap().is_none(), "ended before it was interrupted");
                assert!(start.elapsed() < Duration::from_mins(2), "no file was begun");
                std::thread::sleep(Duration::from_millis(2));
            }
            let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(130), "{signal}");
            assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{signal}");
            assert_eq!(folder.files().len(), 2, "{signal} left {:?}", folder.files());
            assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine");
        }
    }
}
