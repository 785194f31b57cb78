//! Pair files, recordings, and files that are there whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use jostle_scene::{OutputFile, Unit, read_input, read_pairs, read_trajectory};

fn pairs(text: &str) -> Result<Vec<[u32; 2]>, String> {
    read_pairs("p", text.as_bytes(), 10).map_err(|error| error.to_string())
}

#[test]
fn pair_files() {
    assert_eq!(pairs("").unwrap(), [[0; 2]; 0]);
    assert_eq!(
        pairs("# all\n\n 0 1 # one\r\n2,3\n4 , 5\n6\t7\n9   8").unwrap(),
        [[0, 1], [2, 3], [4, 5], [6, 7], [9, 8]]
    );
    let refusal = |text| pairs(text).unwrap_err();
    assert_eq!(refusal("0 1\n2\n"), "p: line 2: `2` is not two indices of bodies");
    assert_eq!(refusal("0 1 2\n"), "p: line 1: `0 1 2` is not two indices of bodies");
    assert_eq!(refusal("0,1,2\n"), "p: line 1: `0,1,2` is not two indices of bodies");
    assert_eq!(refusal("a b\n"), "p: line 1: `a b` is not two indices of bodies");
    assert_eq!(refusal("0 -1\n"), "p: line 1: `0 -1` is not two indices of bodies");
    assert_eq!(refusal("0 1.0\n"), "p: line 1: `0 1.0` is not two indices of bodies");
    assert_eq!(refusal("0 4294967296\n"), "p: line 1: `0 4294967296` is not two indices of bodies");
    assert_eq!(refusal("0 10\n"), "p: line 1: body 10 does not exist (there are 10)");
    assert_eq!(refusal("# pairs\n3 3\n"), "p: line 2: a pair of body 3 with itself");
    // Tables of results, whatever stands behind the first two columns or beside them.
    assert_eq!(pairs("a,b,overlap\n1,0,1\n\n3,2,0\n").unwrap(), [[1, 0], [3, 2]]);
    assert_eq!(
        pairs("# near\n{\"a\":1,\"b\":0,\"overlap\":1}\r\n\n{\"c\":\"#\",\"b\":2,\"a\":3}").unwrap(),
        [[1, 0], [3, 2]]
    );
    assert_eq!(refusal("a,b\n1\n"), "p: line 2: 1 cells instead of 2");
    assert_eq!(refusal("a,b,overlap\n1,0,1\n3,2"), "p: line 3: 2 cells instead of 3");
    assert_eq!(refusal("a,b,overlap\n1,0,1,7\n"), "p: line 2: 4 cells instead of 3");
    assert_eq!(refusal("a,b,overlap\n1,x,1\n"), "p: line 2: `1,x` is not two indices of bodies");
    assert_eq!(refusal("{\"a\":1,\"b\":0}\n\n{\"a\":1}\n"), "p: line 3: column 7: missing field `b`");
    assert_eq!(refusal("{\"a\":1,\"b\":10}\n"), "p: line 1: body 10 does not exist (there are 10)");
    assert_eq!(refusal("{\"a\":1,\"b\":1}\n"), "p: line 1: a pair of body 1 with itself");
    assert_eq!(refusal("{\"a\":1,\"b\":null}\n"), "p: line 1: column 15: invalid type: null, expected u32");
    assert_eq!(
        refusal("{\"a\":1,\"b\":0}\n1 2\n"),
        "p: line 2: column 1: invalid type: integer `1`, expected an object"
    );
    assert_eq!(refusal("0 1\n{\"a\":1,\"b\":0}\n"), r#"p: line 2: `{\"a\":1,\"b\":0}` is not two indices of bodies"#);
    assert_eq!(read_pairs("p", b"0 \xff", 2).unwrap_err().to_string(), "p: byte 2 is not UTF-8 text");
}

fn recording_refusal(text: &str) -> String {
    read_trajectory("t", text.as_bytes(), None).expect_err(text).to_string()
}

#[test]
fn recordings() {
    let text = "# id frame x/m y/m z/m\n7 3 1 2 1.7\n7 -1 1.5 2 1.7\n\n2 3 -1 0.25 1.6\n1.0 3e0 0 0 0\n";
    let recording = read_trajectory("t", text.as_bytes(), None).unwrap();
    assert_eq!((recording.unit(), recording.len(), recording.is_empty()), (Unit::Metre, 4, false));
    let frames: Vec<_> = recording.frames().collect();
    assert_eq!(frames.len(), 2);
    assert_eq!((frames[0].number, frames[0].people, frames[0].positions), (-1, &[7][..], &[[1.5, 2.0]][..]));
    assert_eq!((frames[1].number, frames[1].people), (3, &[1, 2, 7][..]));
    assert_eq!(frames[1].positions, [[0.0, 0.0], [-1.0, 0.25], [1.0, 2.0]]);

    let forced = read_trajectory("t", text.as_bytes(), Some(Unit::Centimetre)).unwrap();
    assert_eq!(forced.frames().next().unwrap().positions, [[0.015, 0.02]]);
    for header in ["# id frame x/cm y/cm", "#ID\tFRAME\tX[cm]\tY[cm]", "# id frame x (cm) y (cm)"] {
        let recording = read_trajectory("t", format!("{header}\n1 1 150 0\n").as_bytes(), None).unwrap();
        assert_eq!(recording.frames().next().unwrap().positions, [[1.5, 0.0]], "{header}");
    }
    assert!(read_trajectory("t", b"# x/m\n", None).unwrap().is_empty());
}

#[test]
fn recording_refusals() {
    assert_eq!(recording_refusal(""), "t: the file is empty");
    let no_unit =
        "t: no header says the unit of lengths (such as `# id frame x/m y/m`): it must be given (--unit m, --unit cm)";
    assert_eq!(recording_refusal("# id frame x y\n1 1 0 0\n"), no_unit);
    let unknown = "t: line 1: x is in `mm`, and the units that are known are m and cm";
    for header in ["# id frame x/mm y/mm", "# id frame x[mm] y[mm]", "#ID FRAME X (mm) Y (mm)", "# x/mm"] {
        assert_eq!(recording_refusal(&format!("{header}\n1 1 0 0\n")), unknown, "{header}");
    }
    for (header, reason) in [
        ("# id frame x/m y/cm", "x is in m, but y in `cm`"),
        ("# id frame x/cm y/m z/m", "x is in cm, but y in `m`"),
        ("# id frame x[m] y[mm]", "x is in m, but y in `mm`"),
        ("# id frame x (cm) y (mm)", "x is in cm, but y in `mm`"),
        ("# x/m x/cm", "x is in m, but x in `cm`"),
    ] {
        assert_eq!(recording_refusal(&format!("# walk\n{header}\n1 1 0 0\n")), format!("t: line 2: {reason}"));
        assert!(read_trajectory("t", format!("{header}\n1 1 0 0\n").as_bytes(), Some(Unit::Metre)).is_ok());
    }
    // What is no unit, and a height in another one.
    for header in ["# id frame x/m y z", "# id frame x/m y/m z/cm", "# x (to the right), y (up)\n# id frame x/m y/m"] {
        let recording = read_trajectory("t", format!("{header}\n1 1 2 0\n").as_bytes(), None).unwrap();
        assert_eq!(recording.unit(), Unit::Metre, "{header}");
    }
    assert_eq!(
        recording_refusal("# id frame x/m y/m\n# id frame x/cm y/cm\n"),
        "t: line 2: lengths are in cm here, in m on line 1"
    );
    let refusal = |lines: &str| recording_refusal(&format!("# x/m\n{lines}"));
    assert_eq!(
        refusal("1 1 0\n"),
        "t: line 2: 3 columns instead of `id frame x y` or `id frame x y z`, with blanks between them"
    );
    assert_eq!(
        refusal("1 1 0 0 0 0\n"),
        "t: line 2: 6 columns instead of `id frame x y` or `id frame x y z`, with blanks between them"
    );
    assert_eq!(refusal("1 1 0 0 0\n1 2 0 0\n"), "t: line 3: 4 columns, but 5 on the lines before");
    assert_eq!(refusal("a 1 0 0\n"), "t: line 2: the id is `a`, not a whole number of 64 bits");
    let last = read_trajectory("t", format!("# x/m\n{} 1 0 0\n", u64::MAX).as_bytes(), None).unwrap();
    assert_eq!(last.frames().next().unwrap().people, [u64::MAX]);
    let beyond = "18446744073709551616";
    let said = format!("t: line 2: the id is `{beyond}`, not a whole number of 64 bits");
    assert_eq!(refusal(&format!("{beyond} 1 0 0\n")), said);
    assert_eq!(refusal("-1 1 0 0\n"), "t: line 2: the id -1 is negative");
    assert_eq!(refusal("1 0.5 0 0\n"), "t: line 2: the frame is `0.5`, not a whole number of 64 bits");
    assert_eq!(refusal("1 1 x 0\n"), "t: line 2: x is `x`, not a number within 1e15");
    assert_eq!(refusal("1 1 0 nan\n"), "t: line 2: y is `nan`, not a number within 1e15");
    assert_eq!(refusal("1 1 0 0 inf\n"), "t: line 2: z is `inf`, not a number within 1e15");
    assert_eq!(refusal("1 1 1e16 0\n"), "t: line 2: x is `1e16`, not a number within 1e15");
    assert_eq!(refusal("1 1 0 0\n2 1 0 0\n1 1 5 5\n"), "t: line 4: person 1 is in frame 1 already (line 2)");
}

/// What the header says of columns is followed, whatever their order and however their units are written.
#[test]
fn columns_of_recordings_follow_their_header() {
    let usual = read_trajectory("t", b"# x/m\n1 7 2 3\n4 7 5 6\n", None).unwrap();
    for (header, lines) in [
        ("# frame id x/m y/m", "7 1 2 3\n7 4 5 6\n"),
        ("#Y[m]\tX[m]\tFRAME\tID", "3 2 7 1\n6 5 7 4\n"),
        ("# z/cm y/m x/m id frame", "170 3 2 1 7\n180 6 5 4 7\n"),
        ("# frame, x (m), y (m), id", "7 2 3 1\n7 5 6 4\n"),
        ("# columns: frame id x m y m", "7 1 2 3\n7 4 5 6\n"),
        ("# frame id x / m y / m (z: height)", "7 1 2 3\n7 4 5 6\n"),
        // A third coordinate that the header leaves out.
        ("# frame id x/m y/m", "7 1 2 3 1.7\n7 4 5 6 1.7\n"),
        // Said twice, or in other words.
        ("# id frame x/m y/m z/m\n# ID FRAME X/m Y/m", "1 7 2 3 1.7\n4 7 5 6 1.7\n"),
        ("# PersID FR X/m Y/m", "1 7 2 3\n4 7 5 6\n"),
        ("# PersID Frame X/m Y/m Z/m", "1 7 2 3 0\n4 7 5 6 0\n"),
        // Prose.
        ("# x/m y/m\n# position x and y", "1 7 2 3\n4 7 5 6\n"),
        ("# x/m, y/m of each id in each frame", "1 7 2 3\n4 7 5 6\n"),
        ("# x/m\n# frame: 25 a second, id: from 1", "1 7 2 3\n4 7 5 6\n"),
    ] {
        let recording = read_trajectory("t", format!("{header}\n{lines}").as_bytes(), None);
        assert_eq!(recording.as_ref(), Ok(&usual), "{header}");
    }
    // Also where the unit is given.
    let forced = read_trajectory("t", b"# frame id x y\n7 1 200 300\n7 4 500 600\n", Some(Unit::Centimetre)).unwrap();
    assert!(forced.frames().eq(usual.frames()));

    let expected = "; expected id, frame, x, y and perhaps z, in any order";
    for (header, shown) in [
        ("# frame person x/m y/m", "frame, person, x, y"),
        ("# FR ID X/m Y/m", "fr, id, x, y"),
        ("# person X/m Y/m FR", "person, x, y, fr"),
        ("# frame x/m y/m z/m", "frame, x, y, z"),
        ("# id id x/m y/m", "id, id, x, y"),
    ] {
        let refused = recording_refusal(&format!("# walk\n# x/m\n{header}\n1 7 2 3\n"));
        assert_eq!(refused, format!("t: line 3: columns are `{shown}`{expected}"));
    }
    assert_eq!(
        recording_refusal("# frame id x/m y/m speed\n7 1 2 3 0\n"),
        format!("t: line 1: columns are `frame, id, x, y, speed`{expected}")
    );
    assert_eq!(
        recording_refusal("# id frame x/m y/m\n1 7 2 3\n# frame id x/m y/m\n"),
        "t: line 3: columns are `frame, id, x, y` here, in another order on line 1"
    );
    assert_eq!(
        recording_refusal("# z/m id frame x/m y/m\n1 7 2 3\n"),
        "t: line 2: 4 columns, but line 1 says that column 5 is y"
    );
}

/// The recording that is shipped as an example.
#[test]
fn the_sample_recording() {
    let (name, bytes) = read_input("../../data/corridor.txt".as_ref()).unwrap();
    let recording = read_trajectory(&name, &bytes, None).unwrap();
    assert_eq!(
        recording.frames().map(|frame| (frame.number, frame.people.len())).collect::<Vec<_>>(),
        [(100, 3), (125, 3), (150, 2), (175, 1)]
    );
}

/// Real recordings, where the environment variable `JOSTLE_DATA` names the folder that holds them.
#[test]
fn real_recordings() {
    let Some(folder) = std::env::var_os("JOSTLE_DATA") else {
        eprintln!("skipped: JOSTLE_DATA does not say where the recordings are");
        return;
    };
    for (file, unit) in [("bottleneck.txt", Unit::Metre), ("bidirectional.txt", Unit::Centimetre)] {
        let (name, bytes) = read_input(&Path::new(&folder).join(file)).unwrap();
        let recording = read_trajectory(&name, &bytes, None).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| line.first().is_some_and(|byte| *byte != b'#'));
        assert_eq!((recording.unit(), recording.len()), (unit, lines.count()));
        assert_eq!(recording.frames().map(|frame| frame.people.len()).sum::<usize>(), recording.len());
        assert!(recording.frames().all(|frame| frame.people.is_sorted()));
        assert!(recording.frames().flat_map(|frame| frame.positions).flatten().all(|x| x.abs() < 100.0));
    }
}

#[test]
fn output_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let names = || fs::read_dir(folder.path()).unwrap().count();

    let mut file = OutputFile::create(&path).unwrap();
    file.write_all(b"half").unwrap();
    file.flush().unwrap();
    drop(file);
    assert_eq!(names(), 0);

    for content in ["first", "second"] {
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(content.as_bytes()).unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let mut file = OutputFile::create(&path).unwrap();
    file.write_all(b"third").unwrap();
    drop(file);
    assert_eq!((fs::read_to_string(&path).unwrap(), names()), ("second".to_owned(), 1));

    let sentence = |path: &Path| OutputFile::create(path).unwrap_err().to_string();
    assert_eq!(sentence(folder.path()), "is a directory, not a file");
    assert!(OutputFile::create(folder.path().join("no/such/folder/out.csv")).is_err());
}

#[cfg(unix)]
#[test]
fn output_permissions_links_and_devices() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    let usual = fs::metadata(&plain).unwrap().permissions().mode();
    let new = folder.path().join("new");
    OutputFile::create(&new).unwrap().finish().unwrap();
    assert_eq!(fs::metadata(&new).unwrap().permissions().mode(), usual);

    fs::set_permissions(&plain, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link");
    symlink(&plain, &link).unwrap();
    let mut file = OutputFile::create(&link).unwrap();
    file.write_all(b"through").unwrap();
    file.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&plain).unwrap(), "through");
    assert_eq!(fs::metadata(&plain).unwrap().permissions().mode() & 0o777, 0o640);

    let mut null = OutputFile::create("/dev/null").unwrap();
    null.write_all(b"gone").unwrap();
    null.finish().unwrap();
}
