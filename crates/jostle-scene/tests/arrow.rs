//! Arrow IPC says the same as JSON and CSV, whatever program wrote it and however it is cut into batches.

#![cfg(feature = "arrow")]

mod draw;

use std::path::{Path, PathBuf};

use draw::scene;
use jostle::{D2, D3, Dimension, Precision, Proximity};
use jostle_scene::generate::{Kind, Options, generate, generate_arrow};
use jostle_scene::{
    AnyScene, ArrowForm, Checksum, Scene, TableFormat, TableLayout, TableWriter, read_scene, read_scene_file,
    read_table, read_table_file, write_scene, write_scene_arrow,
};
use proptest::prelude::*;

const FORMS: [ArrowForm; 2] = [ArrowForm::File, ArrowForm::Stream];

fn arrow(scene: &AnyScene, form: ArrowForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_scene_arrow(scene, form, &mut bytes).unwrap();
    bytes
}

fn without_pairs(scene: AnyScene) -> AnyScene {
    match scene {
        AnyScene::Plane(scene) => Scene { pairs: None, ..scene }.into(),
        AnyScene::Space(scene) => Scene { pairs: None, ..scene }.into(),
    }
}

/// What both precisions answer for some pairs, as CSV.
fn answers(scene: &AnyScene) -> Vec<u8> {
    fn of<T: Precision, S: Dimension + jostle_scene::SceneSpace>(scene: &Scene<S>) -> Vec<u8> {
        let count = scene.bodies.len() as u32;
        let pairs: Vec<[u32; 2]> = (1..count).map(|body| [body - 1, body]).collect();
        let rows: Vec<Proximity<S, T>> = jostle::distance(&scene.bodies.columns(), &pairs).unwrap();
        let layout = TableLayout { certificate: true, ..TableLayout::default() };
        let mut writer = TableWriter::new(Vec::new(), layout).unwrap();
        writer.write_all(&rows).unwrap();
        writer.finish().unwrap()
    }
    match scene {
        AnyScene::Plane(scene) => [of::<f32, _>(scene), of::<f64, _>(scene)].concat(),
        AnyScene::Space(scene) => [of::<f32, _>(scene), of::<f64, _>(scene)].concat(),
    }
}

fn check(scene: AnyScene) -> Result<(), TestCaseError> {
    let scene = without_pairs(scene);
    let mut text = Vec::new();
    write_scene(&scene, &mut text).unwrap();
    let from_text = read_scene("text", &text).unwrap();
    for form in FORMS {
        let read = read_scene("arrow", &arrow(&scene, form)).unwrap();
        prop_assert_eq!(&read, &scene);
        prop_assert_eq!(answers(&read), answers(&from_text));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn plane(scene in scene::<D2>()) {
        check(scene)?;
    }
    #[test]
    fn space(scene in scene::<D3>()) {
        check(scene)?;
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pyarrow")
}

/// See `pyarrow/make.py`.
#[test]
fn what_pyarrow_wrote_is_read() {
    let space = read_scene_file(&folder().join("space.json")).unwrap();
    let plane = read_scene_file(&folder().join("plane.json")).unwrap();
    for (scene, names) in [
        (
            space,
            "one-batch.arrow one-batch.arrows batches.arrow batches.arrows lz4.arrow lz4.arrows version-4.arrow
             legacy.arrows feather.arrow slice.arrow empty-batches.arrow other-order.arrow",
        ),
        (plane, "plane.arrow plane-single.arrow"),
    ] {
        for name in names.split_whitespace() {
            let path = folder().join(name);
            assert_eq!(read_scene_file(&path).unwrap(), scene, "{name}");
            assert_eq!(read_scene(name, &std::fs::read(&path).unwrap()).unwrap(), scene, "{name} in memory");
        }
    }
    let empty = read_scene_file(&folder().join("no-bodies.arrow")).unwrap();
    assert_eq!((empty.dimension(), empty.body_count()), (3, 0));
    let error = read_scene("zstd.arrow", &std::fs::read(folder().join("zstd.arrow")).unwrap()).unwrap_err();
    let sentence =
        "zstd.arrow: batch 0: is compressed by zstd, which is not read; write it with lz4 or without compression";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn tables_that_pyarrow_wrote_are_read() {
    let rows = read_table_file(&folder().join("rows.csv")).unwrap();
    for name in
        ["f32-utf8.arrow", "f64-large.arrows", "view.arrow", "dictionary.arrow", "dictionary.arrows", "delta.arrows"]
    {
        let path = folder().join(format!("rows-{name}"));
        let table = read_table_file(&path).unwrap();
        assert_eq!(table, rows, "{name}");
        assert_eq!(Checksum::of_table(&table), Checksum::of_table(&rows), "{name}");
        assert_eq!(read_table(name, &std::fs::read(&path).unwrap()).unwrap(), rows, "{name} in memory");
    }
}

#[test]
fn a_generated_scene_is_the_same_whole_and_in_pieces() {
    // The last two have several batches, and the very last several pieces.
    let sizes = [(Kind::ALL.to_vec(), 300), (vec![Kind::Flat], 70_000), (vec![Kind::Uniform], 300_000)];
    for (kinds, bodies) in sizes {
        for kind in kinds {
            for form in FORMS {
                let options = Options { bodies, seed: 3, dimension: kind.usual_dimension() };
                let scene = generate(kind, options).unwrap();
                let mut pieces = Vec::new();
                generate_arrow(kind, options, form, &mut pieces).unwrap();
                assert!(pieces == arrow(&scene, form), "{kind}, {bodies} bodies");
                assert_eq!(read_scene("pieces", &pieces).unwrap().body_count(), bodies);
            }
        }
    }
    let none = Options { bodies: 0, seed: 1, dimension: 3 };
    let mut bytes = Vec::new();
    generate_arrow(Kind::Gas, none, ArrowForm::File, &mut bytes).unwrap();
    let AnyScene::Space(scene) = read_scene("none", &bytes).unwrap() else { panic!("not in space") };
    assert_eq!((scene.shapes.len(), scene.bodies.len()), (1, 0));
}

#[test]
fn a_scene_with_pairs_is_not_written_without_them() {
    let mut scene = Scene::<D2>::new();
    scene.pairs = Some(Vec::new());
    let error = write_scene_arrow(&scene.into(), ArrowForm::File, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("Arrow IPC has no place for a scene's pairs"), "{error}");
}

/// Rows of some kind, more than a batch.
fn rows() -> Vec<Proximity<D3, f32>> {
    let number = |k: u32| (k as f32 * 0.1).sin();
    let row = |k: u32| Proximity {
        a: k,
        b: k + 1,
        distance: number(k),
        lower: number(k) - 1e-7,
        upper: number(k) + 1e-7,
        normal: [number(k), -0.0, number(k + 5)],
        witness_a: [f64::from(k) * 0.1, -0.0, 1e-300],
        witness_b: [1e15, 5e-324, f64::from(number(k))],
        status: [jostle::Status::Separated, jostle::Status::Overlapping, jostle::Status::Touching][k as usize % 3],
        minimum: [jostle::Minimum::Proved, jostle::Minimum::Searched][k as usize % 2],
        ..Proximity::default()
    };
    (0..150_000).map(row).collect()
}

#[test]
fn rows_are_the_same_however_they_come_and_in_every_format() {
    let rows = rows();
    for form in FORMS {
        let layout = TableLayout { format: TableFormat::Arrow(form), certificate: true, shift: true };
        let written = |sizes: &[usize]| {
            let mut writer = TableWriter::new(Vec::new(), layout).unwrap();
            let mut rest = &rows[..];
            for &size in sizes.iter().cycle() {
                let (piece, after) = rest.split_at(size.min(rest.len()));
                writer.write_all(piece).unwrap();
                rest = after;
                if rest.is_empty() {
                    return writer.finish().unwrap();
                }
            }
            unreachable!("the sizes are endless")
        };
        let whole = written(&[rows.len()]);
        assert!(written(&[1, 1000, 70_000]) == whole);
        let mut writer = TableWriter::new(Vec::new(), layout).unwrap();
        for row in &rows {
            writer.write(row).unwrap();
        }
        assert!(writer.finish().unwrap() == whole);

        let table = read_table("arrow", &whole).unwrap();
        let mut writer = TableWriter::new(Vec::new(), TableLayout { format: TableFormat::Csv, ..layout }).unwrap();
        writer.write_all(&rows).unwrap();
        assert!(read_table("csv", &writer.finish().unwrap()).unwrap() == table);
        let mut sum = Checksum::new();
        for row in &rows {
            sum.add(row, Some(&[0.0; 3]));
        }
        assert_eq!(Checksum::of_table(&table), sum);
    }
}

#[test]
fn a_table_without_rows_has_its_columns() {
    for form in FORMS {
        let layout = TableLayout { format: TableFormat::Arrow(form), certificate: true, shift: false };
        let bytes = TableWriter::<_, Proximity<D2, f64>>::new(Vec::new(), layout).unwrap().finish().unwrap();
        let table = read_table("empty", &bytes).unwrap();
        assert_eq!((table.dimension, table.certificate, table.rows.len()), (Some(2), true, 0));
    }
}
