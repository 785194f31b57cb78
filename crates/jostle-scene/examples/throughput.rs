//! How fast scenes and result tables are written and read: `throughput [BODIES [ROWS]]`.

use std::io::Write;
use std::time::Instant;

use jostle::{Body, D3, Proximity};
use jostle_scene::{
    ArrowForm, Checksum, Scene, ShapeSpec, TableFormat, TableLayout, TableWriter, read_scene, read_table, write_scene,
    write_scene_arrow,
};

const FORMATS: [TableFormat; 3] = [TableFormat::Csv, TableFormat::JsonLines, TableFormat::Arrow(ArrowForm::File)];

/// Counts what is written to it.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Numbers between -1 and 1 of full length.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn timed<R>(what: &str, count: usize, megabytes: impl Fn(&R) -> f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = megabytes(&result);
    println!(
        "{what}: {seconds:.2} s, {:.0} ns each, {megabytes:.0} MB, {:.0} MB/s",
        1e9 * seconds / count as f64,
        megabytes / seconds
    );
    result
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (bodies, rows) = (argument(1_000_000)?, argument(1_000_000)?);
    let mut numbers = Numbers(1);

    let mut scene = Scene::<D3>::new();
    let shape = scene.add_shape(ShapeSpec::Box { half_extents: [0.5, 0.25, 0.1], rounding: 0.0 })?;
    for _ in 0..bodies {
        let mut rotation = [(); 4].map(|()| numbers.next());
        let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        rotation = rotation.map(|x| x / norm);
        let position = [(); 3].map(|()| 100.0 * numbers.next());
        scene.bodies.push(Body::new(shape, position).with_rotation(rotation))?;
    }
    let scene = scene.into();
    let mut text = Vec::new();
    let size = |bytes: usize| bytes as f64 / 1e6;
    timed("write scene", bodies, |_| 0.0, || write_scene(&scene, &mut text))?;
    timed("read scene", bodies, |_| size(text.len()), || read_scene("scene", &text))?;
    drop(text);
    let mut arrow = Vec::new();
    timed("write scene, Arrow", bodies, |_| 0.0, || write_scene_arrow(&scene, ArrowForm::File, &mut arrow))?;
    drop(scene);
    timed("read scene, Arrow", bodies, |_| size(arrow.len()), || read_scene("scene", &arrow))?;
    drop(arrow);

    let rows: Vec<Proximity<D3, f32>> = (0..rows as u32)
        .map(|index| Proximity {
            a: index,
            b: index + 7,
            distance: numbers.next() as f32,
            normal: [(); 3].map(|()| numbers.next() as f32),
            witness_a: [(); 3].map(|()| 100.0 * numbers.next()),
            witness_b: [(); 3].map(|()| 100.0 * numbers.next()),
            ..Proximity::default()
        })
        .collect();
    let write = |out, format| {
        let mut writer = TableWriter::new(out, TableLayout { format, ..TableLayout::default() })?;
        writer.write_all(&rows)?;
        writer.finish()
    };
    for format in FORMATS {
        let written = |out: &Result<Count, std::io::Error>| out.as_ref().map_or(0.0, |count| count.0 as f64 / 1e6);
        timed(&format!("write {format:?}"), rows.len(), written, || write(Count(0), format))?;
    }
    let sum = timed("checksum", rows.len(), |_| 0.0, || Checksum::of_rows(&rows));
    for format in FORMATS {
        let mut text = Vec::new();
        let mut writer = TableWriter::new(&mut text, TableLayout { format, ..TableLayout::default() })?;
        writer.write_all(&rows)?;
        writer.finish()?;
        let table = timed(&format!("read {format:?}"), rows.len(), |_| size(text.len()), || read_table("rows", &text))?;
        assert_eq!(Checksum::of_table(&table), sum);
    }
    Ok(())
}
