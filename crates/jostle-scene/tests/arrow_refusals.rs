//! What is refused of Arrow IPC, with which sentence: the file, the batch, the row, the column, and the reason.

#![cfg(feature = "arrow")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray, UInt32Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_ipc::{Endianness, MessageBuilder, MessageHeader, MetadataVersion, SchemaBuilder};
use arrow_schema::{Field, Schema};
use jostle_scene::{read_pairs, read_scene, read_scene_file, read_table};

type Columns = Vec<(&'static str, ArrayRef)>;

fn head() -> HashMap<String, String> {
    [
        ("jostle-format", "jostle-scene"),
        ("jostle-version", "1"),
        ("jostle-dimension", "3"),
        ("jostle-shapes", r#"[{"type":"sphere","radius":1},{"type":"box","half_extents":[1,1,1]}]"#),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into()
}

/// A stream of batches.
fn stream(head: HashMap<String, String>, batches: &[Columns]) -> Vec<u8> {
    let fields: Vec<Field> =
        batches[0].iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, head));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    for columns in batches {
        let arrays = columns.iter().map(|(_, array)| array.clone()).collect();
        writer.write(&RecordBatch::try_new(schema.clone(), arrays).unwrap()).unwrap();
    }
    writer.into_inner().unwrap()
}

fn refusal(bytes: &[u8]) -> String {
    read_scene("s", bytes).unwrap_err().to_string()
}

fn points(rows: &[Option<[f64; 3]>]) -> ArrayRef {
    let rows = rows.iter().map(|row| row.map(|row| row.map(Some)));
    Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(rows, 3))
}
fn bits(values: &[u32]) -> ArrayRef {
    Arc::new(UInt32Array::from(values.to_vec()))
}

/// Two bodies.
fn good() -> Columns {
    vec![("shape", bits(&[0, 1])), ("position", points(&[Some([0.0; 3]), Some([1.0, 2.0, 3.0])]))]
}
fn with(name: &'static str, array: ArrayRef) -> Columns {
    let mut columns = good();
    columns.retain(|(found, _)| *found != name);
    columns.push((name, array));
    columns
}

#[test]
fn a_good_one_is_read() {
    assert_eq!(read_scene("s", &stream(head(), &[good()])).unwrap().body_count(), 2);
}

#[test]
fn the_head_says_what_it_is() {
    let changed = |key: &str, value: Option<&str>| {
        let mut head = head();
        match value {
            Some(value) => head.insert(key.to_owned(), value.to_owned()),
            None => head.remove(key),
        };
        refusal(&stream(head, &[good()]))
    };
    let lack = |key: &str| format!("s: the Arrow schema's metadata lack the key `{key}`");
    for key in ["jostle-format", "jostle-version", "jostle-dimension", "jostle-shapes"] {
        assert_eq!(changed(key, None), lack(key));
    }
    for (key, value, reason) in [
        ("jostle-format", "other", ": `other` is not `jostle-scene`"),
        ("jostle-version", "2", ": version `2` is not known (this reads version 1)"),
        ("jostle-dimension", "4", ": `4` is neither 2 nor 3"),
        ("jostle-shapes", r#"[{"type":"sphere","radius":-1}]"#, ": shapes[0].radius: -1 is negative"),
        ("jostle-shapes", r#"[{"type":"box","half_extents":[1,NaN,1]}]"#, "[0].half_extents[1]: NaN is not a finite"),
        ("jostle-shapes", "[{", ": line 1, column 2: not valid JSON: the text ends too early"),
        ("jostle-shapes", "", ": the file is empty"),
        ("jostle-periodic", "[1,-2,3]", ": [1]: -2 is negative"),
        ("jostle-periodic", "[1,2]", ": has 2 components instead of 3"),
        ("jostle-margin", "1", ": unknown key (known: jostle-format, jostle-version,"),
    ] {
        let sentence = changed(key, Some(value));
        assert!(sentence.starts_with(&format!("s: metadata {key}: ")) && sentence.contains(reason), "{sentence}");
    }
    let sentence = changed("jostle-\u{1b}[31m\n", Some("1"));
    assert!(sentence.starts_with("s: metadata jostle-\\u{1b}[31m\\n: unknown key"), "{sentence}");
}

#[test]
fn columns_have_names_and_types() {
    let list = |rows: Vec<Option<Vec<Option<f64>>>>| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows))
    };
    let two = |_| Some(vec![Some(0.0f64); 2]);
    let pairs = FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>((0..2).map(two), 2);
    let single = |_| Some(vec![Some(0.0f32); 3]);
    let singles = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>((0..2).map(single), 3);
    for (name, array, reason) in [
        ("shape", Arc::new(Int64Array::from(vec![0, 1])) as ArrayRef, "is of type int64 instead of u32"),
        (
            "position",
            list(vec![Some(vec![Some(0.0); 3]), None]),
            "is of type list<f64> instead of fixed_size_list<f64>[3]",
        ),
        ("position", Arc::new(pairs), "is of type fixed_size_list<f64>[2] instead of fixed_size_list<f64>[3]"),
        ("velocity", Arc::new(singles), "is of type fixed_size_list<f32>[3] instead of fixed_size_list<f64>[3]"),
        (
            "rotation",
            points(&[None, None]),
            "is of type fixed_size_list<f64>[3] instead of fixed_size_list<f64>[4] or fixed_size_list<f32>[4]",
        ),
        ("static", bits(&[0, 1]), "is of type u32 instead of bool"),
        ("mask", Arc::new(BooleanArray::from(vec![true, false])), "is of type bool instead of u32"),
        ("parent", Arc::new(StringArray::from(vec!["a", "b"])), "is of type utf8 instead of u32"),
    ] {
        assert_eq!(refusal(&stream(head(), &[with(name, array)])), format!("s: column `{name}`: {reason}"));
    }
    let unknown = with("colour", bits(&[0, 1]));
    let sentence =
        "s: column `colour`: is not known (known: shape, position, rotation, velocity, group, mask, parent, static)";
    assert_eq!(refusal(&stream(head(), &[unknown])), sentence);
    let twice = [good(), vec![("shape", bits(&[0, 0]))]].concat();
    assert_eq!(refusal(&stream(head(), &[twice])), "s: column `shape`: stands twice");
    let missing = vec![("shape", bits(&[0, 1]))];
    assert_eq!(refusal(&stream(head(), &[missing])), "s: the column `position` is missing");
    let mut plane = head();
    plane.insert("jostle-dimension".to_owned(), "2".to_owned());
    plane.insert("jostle-shapes".to_owned(), "[]".to_owned());
    let sentence = "s: column `position`: is of type fixed_size_list<f64>[3] instead of fixed_size_list<f64>[2]";
    assert_eq!(refusal(&stream(plane, &[good()])), sentence);
}

#[test]
fn values_are_refused_by_batch_row_and_column() {
    let rotations = |rows: [[f64; 4]; 2]| -> ArrayRef {
        let rows = rows.map(|row| Some(row.map(Some)));
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(rows, 4))
    };
    let singles = |rows: [[f32; 4]; 2]| -> ArrayRef {
        let rows = rows.map(|row| Some(row.map(Some)));
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows, 4))
    };
    let straight = [0.0, 0.0, 0.0, 1.0];
    let at = |k: usize, value: f64| {
        let mut point = [0.0; 3];
        point[k] = value;
        points(&[Some([0.0; 3]), Some(point)])
    };
    let hole = [Some([Some(0.0); 3]), Some([Some(1.0), Some(2.0), None])];
    let hole: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(hole, 3));
    for (name, array, place, reason) in [
        ("shape", bits(&[0, 2]), "shape", "shape 2 does not exist (there are 2)"),
        (
            "shape",
            Arc::new(UInt32Array::from(vec![Some(0), None])) as ArrayRef,
            "shape",
            "is null, where a value is needed",
        ),
        ("position", points(&[Some([0.0; 3]), None]), "position", "is null, where a value is needed"),
        ("position", hole, "position[2]", "is null, where a value is needed"),
        ("position", at(1, f64::NAN), "position[1]", "nan is not a finite number"),
        ("position", at(0, f64::NEG_INFINITY), "position[0]", "-inf is not a finite number"),
        ("position", at(2, -2e15), "position[2]", "-2000000000000000 is beyond 1e15 in size"),
        ("velocity", at(2, 2e15), "velocity[2]", "2000000000000000 is beyond 1e15 in size"),
        ("velocity", at(0, f64::NAN), "velocity[0]", "nan is not a finite number"),
        ("rotation", rotations([straight, [0.0; 4]]), "rotation", "the quaternion's norm is 0, not within 1e-3 of 1"),
        (
            "rotation",
            rotations([straight, [f64::NAN; 4]]),
            "rotation",
            "the quaternion's norm is nan, not within 1e-3 of 1",
        ),
        ("rotation", singles([[0.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]), "rotation", "the quaternion's norm is 2,"),
    ] {
        // Alone, and as the last of several, where nothing is shared any more.
        let spoiled = with(name, array);
        let turned = spoiled.iter().any(|(name, _)| *name == "rotation").then(|| {
            let double = spoiled[2].1.data_type() == rotations([straight; 2]).data_type();
            if double { rotations([straight; 2]) } else { singles([[0.0, 0.0, 0.0, 1.0]; 2]) }
        });
        let before: Columns = spoiled
            .iter()
            .map(|(name, _)| {
                let fine = match *name {
                    "shape" => bits(&[0, 1]),
                    "rotation" => turned.clone().unwrap(),
                    _ => points(&[Some([0.0; 3]), Some([1.0; 3])]),
                };
                (*name, fine)
            })
            .collect();
        let empty: Columns = before.iter().map(|(name, array)| (*name, array.slice(0, 0))).collect();
        for (batches, number) in
            [(vec![spoiled.clone()], 0), (vec![before.clone(), before, empty.clone(), spoiled.clone(), empty], 3)]
        {
            let sentence = refusal(&stream(head(), &batches));
            let expected = format!("s: batch {number}, row 1, column {place}: {reason}");
            assert!(sentence.starts_with(&expected), "{sentence}\n{expected}");
        }
    }
    let mut plane = head();
    plane.insert("jostle-dimension".to_owned(), "2".to_owned());
    plane.insert("jostle-shapes".to_owned(), r#"[{"type":"circle","radius":1}]"#.to_owned());
    let origin = FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>([Some([Some(0.0); 2])], 2);
    for angle in [
        Arc::new(Float64Array::from(vec![f64::INFINITY])) as ArrayRef,
        Arc::new(Float32Array::from(vec![f32::INFINITY])),
    ] {
        let columns =
            vec![("shape", bits(&[0])), ("position", Arc::new(origin.clone()) as ArrayRef), ("rotation", angle)];
        let sentence = refusal(&stream(plane.clone(), &[columns]));
        assert_eq!(sentence, "s: batch 0, row 0, column rotation: inf is not a finite number");
    }
}

#[test]
fn what_is_cut_off_or_no_arrow_is_refused() {
    let whole = stream(head(), &[good(), good()]);
    for end in 8..whole.len() {
        let sentence = refusal(&whole[..end]);
        let known =
            [": the Arrow data ends too early", "the Arrow stream ends without its end mark: it may have been cut off"];
        assert!(known.iter().any(|known| sentence.ends_with(known)), "{end} bytes: {sentence}");
    }
    for more in [&b"x"[..], &whole] {
        let sentence = refusal(&[&whole, more].concat());
        assert!(sentence.ends_with("something follows the end mark of the Arrow stream"), "{sentence}");
    }
    let file = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pyarrow/batches.arrow")).unwrap();
    for end in 8..file.len() {
        let sentence = refusal(&file[..end]);
        let known = ["the Arrow data ends too early", "ends without its table of contents: it may have been cut off"];
        assert!(known.iter().any(|known| sentence.ends_with(known)), "{end} bytes: {sentence}");
    }
    assert_eq!(refusal(b"PAR1\x15\x04"), "s: is a Parquet file, not Arrow IPC (Feather version 2)");
    assert_eq!(refusal(b"FEA1\0\0\0\0"), "s: is a Feather file of version 1, not Arrow IPC (Feather version 2)");
    // Neither of these is taken for a stream of the oldest kind.
    assert_eq!(refusal(b"{\0\"\0f\0"), "s: line 1, column 2: not valid JSON: key must be a string");
    assert_eq!(refusal(b"\xff\xfe{\0"), "s: byte 0 is not UTF-8 text");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.arrow");
    std::fs::write(&path, &file[..1000]).unwrap();
    assert!(read_scene_file(&path).unwrap_err().to_string().ends_with("it may have been cut off"));
}

/// A stream whose schema message says this of itself.
fn foreign(version: MetadataVersion, order: Endianness) -> Vec<u8> {
    let mut builder = flatbuffers::FlatBufferBuilder::new();
    let fields = builder.create_vector::<flatbuffers::WIPOffset<arrow_ipc::Field<'_>>>(&[]);
    let mut schema = SchemaBuilder::new(&mut builder);
    schema.add_endianness(order);
    schema.add_fields(fields);
    let schema = schema.finish().as_union_value();
    let mut message = MessageBuilder::new(&mut builder);
    message.add_version(version);
    message.add_header_type(MessageHeader::Schema);
    message.add_header(schema);
    let message = message.finish();
    builder.finish(message, None);
    let mut meta = builder.finished_data().to_vec();
    meta.resize(meta.len().next_multiple_of(8), 0);
    [&[0xff; 4], &(meta.len() as i32).to_le_bytes()[..], &meta].concat()
}

#[test]
fn versions_and_orders_of_bytes_that_are_not_ours_are_refused() {
    let big = refusal(&foreign(MetadataVersion::V5, Endianness::Big));
    assert_eq!(big, "s: the Arrow data has its bytes in the other order (big-endian)");
    let old = refusal(&foreign(MetadataVersion::V3, Endianness::Little));
    assert_eq!(old, "s: Arrow metadata of version V3 is not known (this reads V4 and V5)");
    let new = refusal(&foreign(MetadataVersion(9), Endianness::Little));
    assert_eq!(new, "s: Arrow metadata of version 9 is not known (this reads V4 and V5)");
    let ours = refusal(&foreign(MetadataVersion::V5, Endianness::Little));
    assert_eq!(ours, "s: the Arrow schema's metadata lack the key `jostle-format`");
}

/// A table of one row, the columns changed, as a file.
fn table_bytes(change: impl Fn(&mut Vec<(&'static str, ArrayRef)>)) -> Vec<u8> {
    let mut columns: Columns = vec![("a", bits(&[0])), ("b", bits(&[1]))];
    for name in ["distance", "ax", "ay", "bx", "by", "nx", "ny", "lower", "upper"] {
        columns.push((name, Arc::new(Float64Array::from(vec![1.0]))));
    }
    columns.push(("status", Arc::new(StringArray::from(vec!["separated"]))));
    columns.push(("minimal", Arc::new(StringArray::from(vec!["proved"]))));
    change(&mut columns);
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = FileWriter::try_new(Vec::new(), &schema).unwrap();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    writer.write(&RecordBatch::try_new(schema, arrays).unwrap()).unwrap();
    writer.into_inner().unwrap()
}

/// What a reader of tables says of it.
fn table(change: impl Fn(&mut Vec<(&'static str, ArrayRef)>)) -> String {
    let read = read_table("r", &table_bytes(change));
    read.map_or_else(|error| error.to_string(), |table| format!("{} rows", table.rows.len()))
}

/// What a reader of pairs says of it, where there are five bodies.
fn pairs(change: impl Fn(&mut Vec<(&'static str, ArrayRef)>)) -> String {
    let read = read_pairs("p", &table_bytes(change), 5);
    read.map_or_else(|error| error.to_string(), |pairs| format!("{pairs:?}"))
}

#[test]
fn tables_are_refused_by_column_and_row() {
    assert_eq!(table(|_| ()), "1 rows");
    assert_eq!(table(|columns| columns.reverse()), "1 rows");
    let set = |name: &'static str, array: ArrayRef| {
        table(move |columns| {
            for column in columns.iter_mut().filter(|column| column.0 == name) {
                column.1 = array.clone();
            }
        })
    };
    let null: ArrayRef = Arc::new(Float64Array::from(vec![None]));
    assert_eq!(set("ny", null), "r: batch 0, row 0, column ny: is null, where a value is needed");
    let words = |word: &str| -> ArrayRef { Arc::new(StringArray::from(vec![word])) };
    assert_eq!(
        set("status", words("apart")),
        "r: batch 0, row 0, column status: `status` is `apart`, none that is known"
    );
    assert_eq!(
        set("minimal", words("yes")),
        "r: batch 0, row 0, column minimal: `minimal` is `yes`, neither `proved` nor `searched`"
    );
    let null: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>]));
    assert_eq!(set("minimal", null), "r: batch 0, row 0, column minimal: is null, where a value is needed");
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert_eq!(set("a", whole.clone()), "r: column a: is of type int64 instead of u32");
    assert_eq!(set("distance", whole.clone()), "r: column distance: is of type int64 instead of f32 or f64");
    assert_eq!(set("status", whole), "r: column status: is of type int64 instead of utf8 or a dictionary of it");
    let sentence = table(|columns| columns.truncate(3));
    assert_eq!(
        sentence,
        "r: the columns are `a, b, distance` instead of `a, b, distance, ax, ay, az, bx, by, bz, nx, ny, nz`"
    );
    let scene = read_table("r", &stream(head(), &[good()])).unwrap_err().to_string();
    assert!(scene.starts_with("r: the columns are `shape, position` instead of"), "{scene}");
}

#[test]
fn tables_that_name_no_pairs_are_refused_by_column_and_row() {
    assert_eq!(pairs(|_| ()), "[[0, 1]]");
    assert_eq!(pairs(|columns| columns.reverse()), "[[0, 1]]");
    assert_eq!(pairs(|columns| columns.truncate(2)), "[[0, 1]]");
    assert_eq!(pairs(|columns| columns.truncate(1)), "p: the column `b` is missing");
    assert_eq!(pairs(|columns| columns[2].0 = "a"), "p: column `a`: stands twice");
    let set = |column: usize, array: ArrayRef| pairs(move |columns| columns[column].1 = array.clone());
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert_eq!(set(0, whole.clone()), "p: column `a`: is of type int64 instead of u32");
    assert_eq!(set(2, whole), "[[0, 1]]");
    let point = FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>([Some([Some(0.0); 2])], 2);
    let sentence = set(2, Arc::new(point));
    assert_eq!(sentence, "p: column `distance`: is of type fixed_size_list<f64>[2], as no column of results is");
    assert_eq!(set(1, bits(&[5])), "p: batch 0, row 0: body 5 does not exist (there are 5)");
    assert_eq!(set(1, bits(&[0])), "p: batch 0, row 0: a pair of body 0 with itself");
    let null: ArrayRef = Arc::new(UInt32Array::from(vec![None]));
    assert_eq!(set(1, null), "p: batch 0, row 0, column b: is null, where a value is needed");
    let scene = read_pairs("p", &stream(head(), &[good()]), 5).unwrap_err().to_string();
    assert_eq!(scene, "p: the column `a` is missing");
}
