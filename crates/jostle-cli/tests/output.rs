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

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_status_1() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "gas", "--bodies", "2000", "-o", &scene]);
    refused(&run(&["contacts", &scene, "-o", "/dev/full"]), 1, "/dev/full: cannot be written");
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
    let certified = succeed(&["contacts", &scene, "--certificate"]);
    let header = certified.lines().next().unwrap();
    assert_eq!(header, "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz,lower,upper,status,minimal");
}

#[test]
fn a_pipe_that_closes_is_no_reason_to_speak() {
    let folder = Folder::new();
    let scene = folder.at("scene.json");
    succeed(&["generate", "uniform", "--bodies", "20000", "-o", &scene]);
    for arguments in [&["contacts", &scene][..], &["generate", "gas", "--bodies", "100000"]] {
        let mut child = jostle().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Nobody reads.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
