//! The oracle's expected tables, row by row, through the verifier: two independent ways to the same answers.
//!
//! Skipped, with a sentence, where the oracle's cases are not beside the checkout.

use std::path::{Path, PathBuf};

use jostle_shape::{Bodies, Body, D2, D3, Shape, ShapeError, Space};
use jostle_verify::{Row, Tolerance, minimum_depth, verify};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(number).collect()
}
fn array<S: Space>(value: &Value) -> S::Array<f64> {
    let numbers = numbers(value);
    S::array(|k| numbers[k])
}

/// What has to be different in the plane and in space to read a shape.
trait Round: Space {
    fn round(spec: &Value, kind: &str) -> Result<Shape<Self>, ShapeError>;
}
impl Round for D2 {
    fn round(_: &Value, kind: &str) -> Result<Shape<D2>, ShapeError> {
        panic!("{kind} in the plane")
    }
}
impl Round for D3 {
    fn round(spec: &Value, kind: &str) -> Result<Shape<D3>, ShapeError> {
        let (half_height, radius) = (number(&spec["half_height"]), number(&spec["radius"]));
        match kind {
            "cylinder" => Shape::cylinder(half_height, radius),
            "cone" => Shape::cone(half_height, radius),
            _ => panic!("{kind}?"),
        }
    }
}

fn shape<S: Round>(spec: &Value) -> Shape<S> {
    let kind = spec["type"].as_str().expect("a type");
    let shape = match kind {
        "sphere" | "circle" => Shape::ball(number(&spec["radius"])),
        "capsule" => Shape::capsule(number(&spec["half_length"]), number(&spec["radius"])),
        "box" => Shape::cuboid(array::<S>(&spec["half_extents"])),
        "convex" => {
            let points: Vec<_> = spec["points"].as_array().expect("points").iter().map(array::<S>).collect();
            Shape::convex(&points)
        }
        _ => S::round(spec, kind),
    };
    let rounding = spec.get("rounding").map_or(0.0, number);
    shape.and_then(|s| s.rounded(rounding)).expect("a good shape")
}

fn scene<S: Round>(doc: &Value) -> Bodies<S> {
    let mut bodies = Bodies::new();
    for spec in doc["shapes"].as_array().expect("shapes") {
        bodies.add_shape(shape::<S>(spec)).expect("few shapes");
    }
    for body in doc["bodies"].as_array().expect("bodies") {
        let mut turn = S::identity_turn();
        match body.get("rotation") {
            Some(Value::Array(q)) => turn.as_mut().iter_mut().zip(q).for_each(|(t, x)| *t = number(x)),
            Some(angle) => turn.as_mut()[0] = number(angle),
            None => {}
        }
        let shape = u32::try_from(body["shape"].as_u64().expect("an index")).expect("a small index");
        let body = Body::new(shape, array::<S>(&body["position"])).with_turn(turn);
        bodies.push(body).expect("a good body");
    }
    bodies
}

fn table<S: Space>(path: &Path) -> Vec<Row<S>> {
    let text = std::fs::read_to_string(path).expect("an expected table");
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
            let d = S::DIMENSION;
            let at = |from: usize| S::array(|k| cells[from + k]);
            Row::new(cells[0] as u32, cells[1] as u32, cells[2], at(3), at(3 + d), at(3 + 2 * d))
        })
        .collect()
}

/// (rows, overlapping rows, rows without a proof of the least depth)
fn hold<S: Round>(path: &Path, doc: &Value, wrong: &mut Vec<String>) -> [usize; 3] {
    let bodies = scene::<S>(doc);
    let columns = bodies.columns();
    let rows = table::<S>(&path.with_extension("expected.csv"));
    let report = verify(&columns, &rows, &Tolerance::single());
    for (row, failures) in &report.failures {
        for failure in failures {
            wrong.push(format!("{} row {row}: {failure}", path.display()));
        }
    }
    // Every tenth depth from nothing but the scene, against the oracle's.
    for row in rows.iter().filter(|r| r.distance < 0.0).step_by(10) {
        let size = Pairwise::size(&bodies, row.a).max(Pairwise::size(&bodies, row.b));
        let least = minimum_depth(&columns, row.a as usize, row.b as usize);
        let off = (least.depth + row.distance).abs() / size;
        if off > 2e-6 || least.lower_bound > -row.distance + 1e-9 * size {
            wrong.push(format!("{} {} {}: {least:?}, expected {}", path.display(), row.a, row.b, -row.distance));
        }
    }
    [report.checked, report.overlaps, report.unproved]
}

struct Pairwise;
impl Pairwise {
    fn size<S: Space>(bodies: &Bodies<S>, body: u32) -> f64 {
        bodies.shapes()[bodies.get(body as usize).shape as usize].reach()
    }
}

#[test]
fn the_oracles_rows_pass() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/cases");
    let Ok(themes) = std::fs::read_dir(&cases) else {
        eprintln!("skipped: the oracle's cases are not at {}", cases.display());
        return;
    };
    let mut scenes: Vec<PathBuf> = themes
        .filter_map(|theme| std::fs::read_dir(theme.ok()?.path()).ok())
        .flat_map(|files| files.filter_map(|f| Some(f.ok()?.path())))
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    scenes.sort();
    let mut wrong = Vec::new();
    let mut total = [0; 3];
    for path in &scenes {
        let text = std::fs::read_to_string(path).expect("a scene");
        let doc: Value = serde_json::from_str(&text).expect("JSON");
        let counts = if doc["dimension"] == 2 {
            hold::<D2>(path, &doc, &mut wrong)
        } else {
            hold::<D3>(path, &doc, &mut wrong)
        };
        for k in 0..3 {
            total[k] += counts[k];
        }
    }
    let [rows, overlaps, unproved] = total;
    eprintln!("{} scenes, {rows} rows, {overlaps} overlaps, {unproved} without a proof", scenes.len());
    assert!(wrong.is_empty(), "{} things are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 7000);
}
