//! Result tables: what was written is read again, in every format, with the same checksum; what is wrong is refused.

use jostle::{D2, D3, Minimum, Proximity, Scalar, Shifted, Space, Status};
#[cfg(feature = "arrow")]
use jostle_scene::ArrowForm;
use jostle_scene::{
    Certificate, Checksum, ResultRow, ResultTable, SceneError, TableFormat, TableLayout, TableRow, TableWriter,
    read_table,
};
use proptest::collection::vec;
use proptest::prelude::*;

const fn layout(format: TableFormat, certificate: bool) -> TableLayout {
    TableLayout { format, certificate, shift: false }
}
const ALL: &[TableLayout] = &[
    layout(TableFormat::Csv, false),
    layout(TableFormat::Csv, true),
    layout(TableFormat::JsonLines, false),
    layout(TableFormat::JsonLines, true),
    #[cfg(feature = "arrow")]
    layout(TableFormat::Arrow(ArrowForm::File), false),
    #[cfg(feature = "arrow")]
    layout(TableFormat::Arrow(ArrowForm::Stream), true),
];

fn bytes<R: TableRow>(layout: TableLayout, rows: &[R]) -> Vec<u8> {
    let mut writer = TableWriter::new(Vec::new(), layout).unwrap();
    writer.write_all(rows).unwrap();
    writer.finish().unwrap()
}
fn text<S: Space, T: Scalar>(layout: TableLayout, rows: &[Proximity<S, T>]) -> String {
    String::from_utf8(bytes(layout, rows)).unwrap()
}
fn refusal(text: &str) -> String {
    read_table("r", text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn as_documented() {
    let row = Proximity::<D3, f32> {
        a: 3,
        b: 17,
        distance: 0.1,
        lower: 0.099,
        upper: f32::INFINITY,
        normal: [0.0, -0.0, 1.0],
        witness_a: [0.1, 1e20, 1e-7],
        witness_b: [2.0, 1.0 / 3.0, -5.5],
        status: Status::Separated,
        minimum: Minimum::Searched,
        ..Proximity::default()
    };
    assert_eq!(
        text(ALL[0], &[row]),
        "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\n3,17,0.1,0.1,1e20,1e-7,2,0.3333333333333333,-5.5,0,0,1\n"
    );
    assert_eq!(
        text(ALL[1], &[row]),
        "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz,lower,upper,status,minimal\n\
         3,17,0.1,0.1,1e20,1e-7,2,0.3333333333333333,-5.5,0,0,1,0.099,inf,separated,searched\n"
    );
    assert_eq!(
        text(ALL[3], &[row]),
        "{\"a\":3,\"b\":17,\"distance\":0.1,\"ax\":0.1,\"ay\":1e20,\"az\":1e-7,\"bx\":2,\"by\":0.3333333333333333,\
         \"bz\":-5.5,\"nx\":0,\"ny\":0,\"nz\":1,\"lower\":0.099,\"upper\":\"inf\",\"status\":\"separated\",\
         \"minimal\":\"searched\"}\n"
    );
    let read = ResultRow {
        a: 3,
        b: 17,
        distance: 0.1,
        witness_a: row.witness_a,
        witness_b: row.witness_b,
        normal: [0.0, 0.0, 1.0],
        shift: [0.0; 3],
        certificate: Some(Certificate {
            lower: 0.099,
            upper: f64::INFINITY,
            status: Status::Separated,
            minimum: Minimum::Searched,
        }),
    };
    let table = ResultTable { dimension: Some(3), shift: false, certificate: true, rows: vec![read] };
    assert_eq!(read_table("r", text(ALL[1], &[row]).as_bytes()).unwrap(), table);
    assert_eq!(read_table("r", text(ALL[3], &[row]).as_bytes()).unwrap(), table);
}

#[test]
fn periodic() {
    let row = Proximity::<D2, f64> { a: 1, b: 0, distance: 0.1f32.into(), ..Proximity::default() };
    for &layout in ALL {
        let layout = TableLayout { certificate: true, shift: true, ..layout };
        let shifted = Shifted { row, shift: [10.0, -2.5], ..Shifted::default() };
        let table = read_table("r", &bytes(layout, &[shifted])).unwrap();
        assert_eq!((table.dimension, table.shift), (Some(2), true));
        assert_eq!(table.rows[0].shift, [10.0, -2.5, 0.0]);
        let mut sum = Checksum::new();
        sum.add(&row, Some(&[10.0, -2.5]));
        assert_eq!(Checksum::of_table(&table), sum);
        assert_ne!(Checksum::of_rows(&[row]), sum);
    }
}

/// The value is part of the contract: scripts compare checksums of different versions.
#[test]
fn checksum_is_fixed() {
    assert_eq!(Checksum::new().to_string(), "cbf29ce484222325");
    let row = Proximity::<D3, f32> { b: 1, distance: 0.1, normal: [0.6, 0.8, 0.0], ..Proximity::default() };
    assert_eq!(Checksum::of_rows(&[row]).to_string(), "703c4ec94e86ca64");
    let same = "{\"b\":1.0e0,\"a\":0}";
    assert!(read_table("r", same.as_bytes()).is_err());
    let other_words = "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\r\n0, 1, 1e-1, 0.0, -0, 0, 0, 0, 0, .6, 80e-2, 0\r\n";
    assert_eq!(Checksum::of_table(&read_table("r", other_words.as_bytes()).unwrap()), Checksum::of_rows(&[row]));
}

#[test]
fn nothing() {
    for name in ["r.jsonl", "r.ndjson", "folder.csv/R.JSONL"] {
        for blank in ["", "\n", " \r\n\n"] {
            assert_eq!(read_table(name, blank.as_bytes()).unwrap(), ResultTable::default());
        }
    }
    // What is left of a command that has failed.
    for name in ["r", "r.csv", "standard input", "r.jsonl.csv", "jsonl"] {
        for blank in ["", "\n", " \r\n\n", "\u{feff}"] {
            let refused = read_table(name, blank.as_bytes()).unwrap_err();
            assert!(matches!(refused, SceneError::EmptyTable { .. }), "{refused}");
            assert_eq!(
                refused.to_string(),
                format!(
                    "{name}: the file is empty: not even a header (JSON Lines without rows: named *.jsonl, or --format jsonl)"
                )
            );
        }
    }
    let empty = read_table("r", text::<D2, f32>(ALL[0], &[]).as_bytes()).unwrap();
    assert_eq!((empty.dimension, empty.rows.len()), (Some(2), 0));
    assert_eq!(text::<D3, f32>(ALL[2], &[]), "");
}

#[test]
fn refusals() {
    assert_eq!(
        refusal("a;b;distance\n"),
        "r: line 1: the header is `a;b;distance` instead of `a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz`"
    );
    let plane = "a,b,distance,ax,ay,bx,by,nx,ny";
    assert_eq!(refusal(&format!("{plane}\n0,1,2,0,0,0,0,0\n")), "r: line 2: 8 cells instead of 9");
    assert_eq!(refusal(&format!("{plane}\n0,1,2,0,0,0,0,0,1,1\n")), "r: line 2: 10 cells instead of 9");
    assert_eq!(refusal(&format!("{plane}\n\n0,1,x,0,0,0,0,0,1\n")), "r: line 3: `distance` is `x`, not a number");
    assert_eq!(refusal(&format!("{plane}\n0,1,2,0,0,,0,0,1\n")), "r: line 2: `bx` is ``, not a number");
    assert_eq!(refusal(&format!("{plane}\n0,-1,2,0,0,0,0,0,1\n")), "r: line 2: `b` is `-1`, not the index of a body");
    assert_eq!(refusal(&format!("{plane}\n0.5,1,2,0,0,0,0,0,1\n")), "r: line 2: `a` is `0.5`, not the index of a body");
    assert_eq!(
        refusal(&format!("{plane},lower,upper,status,minimal\n0,1,2,0,0,0,0,0,1,0,0,apart,proved\n")),
        "r: line 2: `status` is `apart`, none that is known"
    );
    assert_eq!(
        refusal(&format!("{plane},lower,upper,status,minimal\n0,1,2,0,0,0,0,0,1,0,0,touching,yes\n")),
        "r: line 2: `minimal` is `yes`, neither `proved` nor `searched`"
    );
    assert_eq!(read_table("r", b"a,b\xff").unwrap_err().to_string(), "r: byte 3 is not UTF-8 text");

    let row = r#"{"a":0,"b":1,"distance":1,"ax":0,"ay":0,"bx":0,"by":0,"nx":1,"ny":0}"#;
    assert_eq!(refusal(&format!("{row}\n{{\"a\":0}}")), "r: line 2: the key `b` is missing (line 1 has it)");
    assert_eq!(refusal("{\"a\":0}"), "r: line 1: the key `b` is missing");
    assert_eq!(refusal(&row[..20]), "r: line 1: column 20: EOF while parsing a string");
    assert_eq!(refusal(&row.replace("\"ny\":0", "\"ny\":\"up\"")), "r: line 1: column 70: `up` is not a number");
    let with = |more: &str| row.replace("\"ny\":0", &format!("\"ny\":0{more}"));
    assert_eq!(refusal(&with(",\"nz\":0")), "r: line 1: the key `nz` is surplus: others that belong to it are missing");
    assert_eq!(refusal(&with(",\"nz\":0,\"bz\":0")), "r: line 1: the key `az` is missing");
    assert_eq!(
        refusal(&with(",\"sx\":0,\"sy\":0,\"sz\":0")),
        "r: line 1: the key `sz` is surplus: others that belong to it are missing"
    );
    let certificate = ",\"lower\":0,\"upper\":0,\"status\":\"touching\",\"minimal\":\"proved\"";
    assert_eq!(refusal(&with(&certificate.replace("\"upper\":0,", ""))), "r: line 1: the key `upper` is missing");
    // The rows before say which keys a row has.
    assert_eq!(
        refusal(&format!("{row}\n{}", with(",\"sx\":0,\"sy\":0"))),
        "r: line 2: the key `sx` is surplus (line 1 lacks it)"
    );
    assert_eq!(
        refusal(&format!("\n{}\n{row}", with(certificate))),
        "r: line 3: the key `lower` is missing (line 2 has it)"
    );
    assert_eq!(
        refusal(&format!("{0}\n{0}\n{1}", with(certificate), with(&certificate.replace("\"lower\":0,", "")))),
        "r: line 3: the key `lower` is missing (line 1 has it)"
    );
    assert_eq!(refusal(&row.replace("\"a\":0", "\"a\":0,\"a\":0")), "r: line 1: column 10: duplicate field `a`");
    assert!(refusal(&row.replace("\"a\":0", "\"a\":-1")).contains("invalid value: integer `-1`, expected u32"));
}

fn row<S: Space, T: Scalar>() -> impl Strategy<Value = Proximity<S, T>> {
    let number = || prop_oneof![any::<f64>(), any::<f32>().prop_map(f64::from), Just(0.0), -1.0..1.0f64];
    let status =
        prop::sample::select(vec![Status::Separated, Status::Touching, Status::Overlapping, Status::Unconverged]);
    let minimum = prop::sample::select(vec![Minimum::Proved, Minimum::Searched]);
    (any::<(u32, u32)>(), vec(number(), 12), status, minimum).prop_map(|((a, b), x, status, minimum)| Proximity {
        a,
        b,
        distance: T::from_f64(x[0]),
        lower: T::from_f64(x[1]),
        upper: T::from_f64(x[2]),
        normal: S::array(|k| T::from_f64(x[3 + k])),
        witness_a: S::array(|k| x[6 + k]),
        witness_b: S::array(|k| x[9 + k]),
        status,
        minimum,
        ..Proximity::default()
    })
}

fn check<S: Space, T: Scalar>(rows: &[Proximity<S, T>]) {
    let sum = Checksum::of_rows(rows);
    for &layout in ALL {
        let table = read_table("r", &bytes(layout, rows)).unwrap();
        assert_eq!(Checksum::of_table(&table), sum, "{layout:?}");
        assert_eq!(table.rows.len(), rows.len());
        for (read, row) in table.rows.iter().zip(rows) {
            assert_eq!((read.a, read.b), (row.a, row.b));
            // Exactly the value in its own type.
            assert_eq!(T::from_f64(read.distance), row.distance);
            for k in 0..S::DIMENSION {
                assert_eq!(T::from_f64(read.normal[k]), row.normal[k]);
                assert_eq!((read.witness_a[k], read.witness_b[k]), (row.witness_a[k], row.witness_b[k]));
            }
            assert_eq!(read.certificate.is_some(), layout.certificate);
            if let Some(certificate) = read.certificate {
                assert_eq!((certificate.status, certificate.minimum), (row.status, row.minimum));
                assert_eq!(T::from_f64(certificate.lower), row.lower);
            }
        }
    }
}

proptest! {
    #[test]
    fn plane_single(rows in vec(row::<D2, f32>(), 1..20)) { check(&rows); }
    #[test]
    fn plane_double(rows in vec(row::<D2, f64>(), 1..20)) { check(&rows); }
    #[test]
    fn space_single(rows in vec(row::<D3, f32>(), 1..20)) { check(&rows); }
    #[test]
    fn space_double(rows in vec(row::<D3, f64>(), 1..20)) { check(&rows); }
}
