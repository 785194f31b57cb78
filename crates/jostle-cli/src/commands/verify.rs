//! `jostle verify`: each row of a result table against its own proof, by other means than those it was found with.

use jostle::{Space, Status};
use jostle_scene::{AnyScene, ResultTable, Scene, SceneSpace};
use jostle_verify::{Claim, Minimal, Missing, Report, Row, Tolerance, missing_rows, repeated_rows};

use crate::args::{Common, Precision, Verify};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::Output;
use crate::progress::Progress;

/// Prints each row that is wrong, and how many were looked at. Wrong rows are no bad input, so the status is 1.
pub fn run(args: &Verify, common: &Common) -> Outcome {
    input::one_from_standard_input(&args.scene, &args.results)?;
    let (scene_name, scene) = input::scene(&args.scene, common)?;
    let (name, table) = input::table(&args.results, common)?;
    if let Some(dimension) = table.dimension.filter(|&dimension| dimension != scene.dimension()) {
        return Err(Failure::Input(format!(
            "{name}: a table of {dimension} dimensions, but the scene {scene_name} has {}",
            scene.dimension()
        )));
    }
    if let Some(missing) = missing_shift(&scene, &table) {
        return Err(Failure::Input(format!("{name}: {missing}, but the scene {scene_name} repeats")));
    }
    if let Some(margin) = args.complete {
        input::length("--complete", margin)?;
    }
    let (report, complete) = {
        let _progress = Progress::begin("verifying", None, common.quiet);
        match &scene {
            AnyScene::Plane(scene) => check(scene, &scene_name, &table, args, common.precision),
            AnyScene::Space(scene) => check(scene, &scene_name, &table, args, common.precision),
        }?
    };
    let mut output = Output::open(common)?;
    for (index, failures) in &report.failures {
        let [a, b] = table.rows.get(*index).map_or([0, 0], |row| [row.a, row.b]);
        for failure in failures {
            output.put(format!("row {} (bodies {a} and {b}): {failure}\n", index + 1).as_bytes())?;
        }
    }
    let Complete { missing, repeated } = complete.unwrap_or_default();
    for &index in &repeated {
        let Some(row) = table.rows.get(index) else { continue };
        let (a, b) = (row.a, row.b);
        output.put(format!("row {} (bodies {a} and {b}): an earlier row is about the same\n", index + 1).as_bytes())?;
    }
    for Missing { a, b, upper } in &missing {
        let how = if *upper < 0.0 { "overlap".to_owned() } else { format!("are at most {upper} apart") };
        output.put(format!("no row for bodies {a} and {b}, which {how}\n").as_bytes())?;
    }
    output.put(format!("{}\n", summary(&report)).as_bytes())?;
    let (lacking, twice) = (missing.len(), repeated.len());
    if let Some(margin) = args.complete {
        let pairs = counted(lacking, "pair", "pairs");
        let have = if lacking == 1 { "has" } else { "have" };
        output.put(format!("{pairs} nearer than {margin} {have} no row\n").as_bytes())?;
        if twice > 0 {
            let rows = counted(twice, "row is", "rows are");
            output.put(format!("{rows} about what an earlier one is about\n").as_bytes())?;
        }
    }
    output.finish()?;
    let (failed, checked) = (report.failures.len(), report.checked);
    match (report.passed(), lacking, twice) {
        (true, 0, 0) => Ok(()),
        (false, ..) => Err(Failure::Other(format!("{name}: {failed} of {checked} rows fail"))),
        (true, 0, _) => {
            let rows = counted(twice, "row is", "rows are");
            Err(Failure::Other(format!("{name}: {rows} about what others are about")))
        }
        (true, ..) => Err(Failure::Other(format!("{name}: {} missing", counted(lacking, "row is", "rows are")))),
    }
}

/// A number and what it counts.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Which columns a table lacks that says nothing of images, though the scene repeats.
fn missing_shift(scene: &AnyScene, table: &ResultTable) -> Option<&'static str> {
    let lacks = match scene {
        AnyScene::Plane(scene) => scene.lattice().is_ok_and(|lattice| lattice.is_some()),
        AnyScene::Space(scene) => scene.lattice().is_ok_and(|lattice| lattice.is_some()),
    } && table.dimension.is_some()
        && !table.shift;
    lacks.then(|| {
        if scene.dimension() == 2 {
            "the columns `sx` and `sy` are missing"
        } else {
            "the columns `sx`, `sy` and `sz` are missing"
        }
    })
}

/// What stands between a table and a complete list of near pairs.
#[derive(Default)]
struct Complete {
    missing: Vec<Missing>,
    /// Places of rows.
    repeated: Vec<usize>,
}

fn summary(report: &Report) -> String {
    let Report { checked, overlaps, unproved, .. } = report;
    let failed = report.failures.len();
    format!(
        "{checked} rows checked, {failed} failed; {overlaps} overlap and were held against an independent minimum \
         (unproved: {unproved})"
    )
}

/// What the numbers of a table are held to, and how they are read: as was asked, else as the table shows. And what has
/// no row, or several, if that is asked.
fn check<S: SceneSpace>(
    scene: &Scene<S>,
    name: &str,
    table: &ResultTable,
    args: &Verify,
    asked: Option<Precision>,
) -> Outcome<(Report, Option<Complete>)> {
    if args.complete.is_some() && scene.periodic.is_some() {
        return Err(Failure::Input(format!("{name}: --complete is not for scenes that repeat")));
    }
    let short = is_short(table);
    let shown = if short { Precision::F32 } else { Precision::F64 };
    let tolerance = match asked.unwrap_or(shown) {
        Precision::F32 => Tolerance::single(),
        Precision::F64 => Tolerance::double(),
    };
    // With `--precision f64` short decimals are the numbers themselves, not those of an `f32`.
    let meant: fn(f64) -> f64 = if short && asked != Some(Precision::F64) { as_single } else { |value| value };
    let rows: Vec<Row<S>> = table.rows.iter().map(|found| row(found, meant)).collect();
    let periods = scene.periodic.unwrap_or_else(|| S::array(|_| 0.0));
    let columns = scene.bodies.columns();
    let report = jostle_verify::verify_periodic(&columns, &periods, &rows, &tolerance);
    let complete = args.complete.map(|margin| {
        let (missing, repeated) = (missing_rows(&columns, &rows, margin), repeated_rows(&rows));
        Complete { missing, repeated }
    });
    Ok((report, complete))
}

/// True if all numbers of a table may be decimals of `f32`: the shortest one of an `f32` has nine digits at most, and
/// few of the numbers of an `f64` table are that short.
fn is_short(table: &ResultTable) -> bool {
    table.rows.iter().all(|row| {
        let bounds = row.certificate.map_or([0.0; 2], |certificate| [certificate.lower, certificate.upper]);
        row.normal.iter().chain(&bounds).chain([&row.distance]).all(|&value| digits(value) <= 9)
    })
}

/// How many digits the shortest decimal of a number has.
fn digits(value: f64) -> usize {
    let text = format!("{value:e}");
    text.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count()
}

/// The number that was meant by the decimal of an `f32`: `0.1` of such a column is not the `f64` 0.1 but the `f32`,
/// some 1e-9 above, and a bound is only true as the `f32` that it was.
fn as_single(read: f64) -> f64 {
    f64::from(read as f32)
}

fn row<S: Space>(row: &jostle_scene::ResultRow, meant: fn(f64) -> f64) -> Row<S> {
    let array = |values: [f64; 3]| S::array(|k| values[k]);
    let [witness_a, witness_b, normal] = [row.witness_a, row.witness_b, row.normal.map(meant)].map(array);
    let distance = meant(row.distance);
    let plain = Row { shift: array(row.shift), ..Row::new(row.a, row.b, distance, witness_a, witness_b, normal) };
    let Some(certificate) = row.certificate else { return plain };
    Row {
        lower: Some(meant(certificate.lower)),
        upper: Some(meant(certificate.upper)),
        status: Some(match certificate.status {
            Status::Separated => Claim::Separated,
            Status::Touching => Claim::Touching,
            Status::Overlapping => Claim::Overlapping,
            Status::Unconverged => Claim::Unconverged,
        }),
        minimal: Some(match certificate.minimum {
            jostle::Minimum::Proved => Minimal::Proved,
            jostle::Minimum::Searched => Minimal::Searched,
        }),
        ..plain
    }
}

#[cfg(test)]
mod tests {
    use super::{as_single, digits};

    #[test]
    fn decimals_of_single_precision_are_short() {
        assert_eq!(as_single(0.1), f64::from(0.1_f32));
        assert_eq!(digits(-0.625_330_9), 7);
        assert_eq!(digits(-1_630_246.2), 8);
        assert_eq!(digits(1e-30), 1);
        assert_eq!(digits(0.123_456_789_012_345), 15);
        assert_eq!(digits(0.0), 1);
        assert!(digits(f64::NAN) == 0 && digits(f64::INFINITY) == 0);
    }
}
