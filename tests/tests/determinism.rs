//! Answers have the same bits for any number of threads, any order and grouping of the pairs, and every instruction
//! set; and `contacts` finds what the distances of all pairs give.
//!
//! The test `golden_hashes` compares the rows of some scenes with `golden.txt`. After a change that is meant to change
//! answers, `JOSTLE_REFRESH=1 cargo test --release --test determinism golden` writes that file anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use jostle::{
    Bodies, Body, ContactsError, D2, D3, Engine, Isa, Pipeline, Pose, Precision, Proximity, Shape, Skin, Status,
    proximity,
};
use jostle_scene::generate::{Kind as SceneKind, Options, generate};
use jostle_scene::{AnyScene, Scene, fnv1a};
use jostle_tests::{
    Condition, Ground, Random, Style, bits, cast_bits, draw_moves, draw_pair, draw_pool, draw_shape, every_pair, nudge,
    on_threads,
};

/// Set for a second process of this test binary, to make it print its hashes.
const CHILD: &str = "JOSTLE_TESTS_CHILD";

/// How a mixed scene is drawn.
#[derive(Clone, Copy, Debug)]
struct Plan {
    bodies: usize,
    /// The middle of the scene.
    middle: [f64; 3],
    /// Sizes are from here ...
    smallest: f64,
    /// ... to here.
    largest: f64,
    /// The scene's half side.
    half_side: f64,
    styles: &'static [Style],
    filters: bool,
    seed: u64,
}

const PLAN: Plan = Plan {
    bodies: 300,
    middle: [0.0; 3],
    smallest: 0.3,
    largest: 1.0,
    half_side: 4.0,
    styles: &[Style::Even, Style::Even, Style::Plate, Style::Needle, Style::Flat],
    filters: false,
    seed: 1,
};

/// Bodies of every kind in a cube.
fn mixed<S: Ground>(plan: Plan) -> Bodies<S> {
    let mut random = Random::new(plan.seed);
    let mut bodies = Bodies::new();
    for i in 0..40 {
        let kind = S::KINDS[i % S::KINDS.len()];
        let style = random.pick(plan.styles);
        let size = random.log(plan.smallest, plan.largest);
        let shape = draw_shape::<S>(kind, style, size, &mut random).shape().expect("drawn shapes are valid");
        bodies.add_shape(shape).expect("forty shapes");
    }
    for _ in 0..plan.bodies {
        let position = S::array(|k| plan.middle[k] + random.range(-plan.half_side, plan.half_side));
        let mut body = Body::new(random.below(40) as u32, position).with_rotation(S::any_rotation(&mut random));
        if plan.filters {
            body = body.with_group(1 << random.below(3)).with_mask(random.below(8) as u32);
            if random.chance(0.3) {
                body = body.fixed();
            }
            if random.chance(0.3) {
                body = body.with_parent(random.below(4) as u32);
            }
        }
        bodies.push(body).expect("drawn bodies are valid");
    }
    bodies
}

fn ask<S: Ground, T: Precision>(bodies: &Bodies<S>, pairs: &[[u32; 2]]) -> Vec<Proximity<S, T>> {
    jostle::distance(&bodies.columns(), pairs).expect("good pairs")
}

fn contacts<S: Ground, T: Precision>(bodies: &Bodies<S>, margin: f64) -> Vec<Proximity<S, T>> {
    let mut rows = Vec::new();
    Engine::<S, T>::new().contacts(&bodies.columns(), margin, &mut rows).expect("a good margin");
    rows
}

fn all_bits<S: Ground, T: Precision>(rows: &[Proximity<S, T>]) -> Vec<Vec<u64>> {
    rows.iter().map(bits).collect()
}

/// FNV-1a over every bit.
fn hash<S: Ground, T: Precision>(rows: &[Proximity<S, T>]) -> u64 {
    fnv(rows.iter().flat_map(bits))
}

fn fnv(words: impl Iterator<Item = u64>) -> u64 {
    fnv1a(words.flat_map(u64::to_le_bytes))
}

/// Some thousand pairs of balls, so that threads write their rows in place. One in ten is at the margin to within
/// rounding: some of these are listed and have no row.
fn balls<S: Ground>(count: usize) -> Bodies<S> {
    let (mut random, mut bodies) = (Random::new(11), Bodies::new());
    for radius in [0.25, 0.5] {
        bodies.add_shape(Shape::ball(radius).expect("a good radius")).expect("few shapes");
    }
    let side = if S::DIMENSION == 2 { 55.0 } else { 14.4 };
    let mut last = S::array(|_| 0.0);
    for i in 0..count {
        let place = S::array(|_| random.range(0.0, side));
        let beside = S::array(|k| last[k] + if k == 0 { 0.8 * (1.0 + random.range(-3e-5, 3e-5)) } else { 0.0 });
        last = if i % 10 == 9 { beside } else { place };
        bodies.push(Body::new(u32::from(i % 10 < 8 && i % 2 == 0), last)).expect("a good body");
    }
    bodies
}

/// Boxes are relative to where most bodies are: a few bodies that are far away do not make the other boxes coarse, and
/// hide no contact.
fn with_bodies_far_away<S: Ground>() {
    for (bodies, margin) in [(balls::<S>(3000), 0.1), (mixed::<S>(PLAN), 0.3)] {
        let mut engine = Engine::<S>::new();
        let pairs = engine.count_pairs(&bodies.columns(), margin).expect("a good margin");
        let mut rows = Vec::new();
        engine.contacts(&bodies.columns(), margin, &mut rows).expect("a good margin");
        for far in [1e6, 1e9, 1e15] {
            let mut more = bodies.clone();
            for place in [S::array(|_| far), S::array(|k| if k == 0 { -far } else { 0.5 * far })] {
                more.push(Body::new(0, place)).expect("a good body");
            }
            let beside = engine.count_pairs(&more.columns(), margin).expect("a good margin");
            assert!(beside.abs_diff(pairs) <= pairs / 100, "{pairs} pairs, with bodies {far:e} m away {beside}");
            let mut again = Vec::new();
            engine.contacts(&more.columns(), margin, &mut again).expect("a good margin");
            assert!(all_bits(&again) == all_bits(&rows), "{far:e} m");
            let mut pipeline = Pipeline::<S>::new();
            pipeline.set_margin(margin).expect("a good margin");
            pipeline.set_skin(Skin::Fixed(0.0)).expect("a good skin");
            for shape in more.columns().shapes() {
                pipeline.add_shape(shape.clone()).expect("few shapes");
            }
            let all: Vec<Body<S>> = (0..more.len()).map(|body| more.get(body)).collect();
            pipeline.insert_many(&all).expect("good bodies");
            let frame = pipeline.update().expect("few pairs");
            assert!(frame.candidates as u64 <= pairs + pairs / 100, "{far:e} m: {frame:?}");
            assert!(all_bits(pipeline.contacts()) == all_bits(&rows), "{far:e} m");
        }
    }
}

#[test]
fn bodies_far_away_make_no_box_coarse() {
    with_bodies_far_away::<D2>();
    with_bodies_far_away::<D3>();
}

/// Rows do not depend on whether candidates are listed before they are solved, or are too many for that.
fn however_they_come<S: Ground, T: Precision>() {
    let plans = [Plan { bodies: 2500, half_side: 9.0, ..PLAN }, Plan { bodies: 400, filters: true, seed: 2, ..PLAN }];
    for bodies in plans.map(mixed::<S>).into_iter().chain([balls::<S>(3000)]) {
        let expected = all_bits(&contacts::<S, T>(&bodies, 0.3));
        assert!(expected.len() > 100, "{} rows", expected.len());
        for threads in [1, 3] {
            on_threads(threads, || {
                let (mut engine, mut rows) = (Engine::<S, T>::new(), Vec::new());
                for most in [0, u64::MAX, 50, expected.len() as u64 / 2, u64::MAX] {
                    engine.list_at_most(most);
                    engine.set_limit(expected.len() as u64);
                    let report = engine.contacts(&bodies.columns(), 0.3, &mut rows).expect("as many");
                    assert!(all_bits(&rows) == expected, "{threads} threads, {most} listed");
                    assert_eq!(report.rows, expected.len() as u64);
                    assert!(report.candidates >= report.rows);
                    engine.set_limit(expected.len() as u64 - 1);
                    let refused = engine.contacts(&bodies.columns(), 0.3, &mut rows);
                    assert!(matches!(refused, Err(ContactsError::TooManyPairs(_))));
                    assert!(all_bits(&rows) == expected, "a refusal changes nothing");
                }
            });
        }
    }
}

#[test]
fn rows_are_the_same_however_they_come() {
    however_they_come::<D2, f32>();
    however_they_come::<D3, f32>();
    however_they_come::<D3, f64>();
}

/// Adversarial pairs: every kind in every condition.
fn adversarial<S: Ground>(count: usize, seed: u64) -> (Bodies<S>, Vec<[u32; 2]>) {
    let mut random = Random::new(seed);
    let pool = draw_pool::<S>(S::KINDS, 32, 1.0, &mut random);
    let mut bodies = Bodies::new();
    for (_, _, spec) in &pool {
        bodies.add_shape(spec.shape().expect("drawn shapes are valid")).expect("a few shapes");
    }
    let mut pairs = Vec::new();
    for i in 0..count {
        let drawn = draw_pair(&pool, Condition::ALL[i % Condition::ALL.len()], 1e6, &mut random);
        pairs.push(drawn.push_to(&mut bodies, 0));
    }
    (bodies, pairs)
}

fn any_number_of_threads<S: Ground, T: Precision>() {
    let bodies = mixed::<S>(Plan { bodies: 3000, half_side: if S::DIMENSION == 2 { 30.0 } else { 10.0 }, ..PLAN });
    let (others, pairs) = adversarial::<S>(5000, 2);
    let run = || (all_bits(&contacts::<S, T>(&bodies, 0.1)), all_bits(&ask::<S, T>(&others, &pairs)));
    let one = on_threads(1, run);
    assert!(one.0.len() > 1000, "{} contacts", one.0.len());
    for threads in [2, 3] {
        assert!(on_threads(threads, run) == one, "{threads} threads");
    }
    // As most programs call it: from a thread outside any pool.
    assert!(run() == one);
    // Too few bodies for a second chunk: threads share the pairs of the first, whether they are collected, visited or
    // counted.
    let columns = bodies.columns();
    let seen = || {
        let (mut engine, rows) = (Engine::<S, T>::new(), Mutex::new(Vec::new()));
        let visit = |found: &[Proximity<S, T>]| rows.lock().expect("no panic").extend_from_slice(found);
        let report = engine.visit_contacts(&columns, 0.1, visit).expect("a good margin");
        assert!(report.candidates > 2048, "{report:?}");
        let mut rows = rows.into_inner().expect("no panic");
        rows.sort_by_key(|row| (row.a, row.b));
        let mut near = Vec::new();
        engine.near_pairs(&columns, 0.1, &mut near).expect("a good margin");
        assert!(near.into_iter().eq(rows.iter().map(|row| [row.a, row.b])));
        (all_bits(&rows), engine.count_contacts(&columns, 0.1).expect("a good margin"))
    };
    for threads in [1, 2, 16] {
        let (rows, count) = on_threads(threads, seen);
        assert!(rows == one.0 && count == one.0.len() as u64, "{threads} threads");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    any_number_of_threads::<D2, f32>();
    any_number_of_threads::<D3, f32>();
    any_number_of_threads::<D3, f64>();
}

fn any_order_and_grouping<S: Ground, T: Precision>() {
    let (bodies, pairs) = adversarial::<S>(3000, 3);
    let rows = ask::<S, T>(&bodies, &pairs);
    // Shuffled, so that pairs are in other lanes and chunks.
    let mut random = Random::new(4);
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let shuffled: Vec<[u32; 2]> = order.iter().map(|&i| pairs[i]).collect();
    for (row, &i) in ask::<S, T>(&bodies, &shuffled).iter().zip(&order) {
        assert_eq!(bits(row), bits(&rows[i]));
    }
    // In groups of other sizes; small ones make their records on demand.
    for size in [1, 7, 100] {
        for (group, expected) in pairs.chunks(size).zip(rows.chunks(size)).take(300) {
            assert_eq!(all_bits(&ask::<S, T>(&bodies, group)), all_bits(expected), "groups of {size}");
        }
    }
    // One pair alone.
    for row in &rows[..500] {
        let [a, b] = [row.a, row.b].map(|i| bodies.get(i as usize));
        let pose = |body: &Body<S>| Pose::<S>::at(body.position).with_rotation(body.rotation);
        let [s, t] = [&a, &b].map(|body| &bodies.shapes()[body.shape as usize]);
        let one: Proximity<S, T> = proximity((s, pose(&a)), (t, pose(&b))).expect("good poses");
        assert_eq!(bits(&Proximity { a: row.a, b: row.b, ..one }), bits(row));
    }
}

#[test]
fn the_same_bits_in_any_order_and_grouping() {
    any_order_and_grouping::<D2, f32>();
    any_order_and_grouping::<D2, f64>();
    any_order_and_grouping::<D3, f32>();
    any_order_and_grouping::<D3, f64>();
}

fn as_brute_force<S: Ground, T: Precision>(bodies: &Bodies<S>, margins: &[f64], what: &str) {
    let columns = bodies.columns();
    let filters = columns.filters();
    let mut pairs = every_pair(bodies.len() as u32);
    pairs.retain(|&[a, b]| filters.meet(a, b));
    let all = ask::<S, T>(bodies, &pairs);
    for &margin in margins {
        let near = |row: &&Proximity<S, T>| row.distance.to_f64() <= margin;
        let expected: Vec<_> = all.iter().filter(near).map(bits).collect();
        let found = all_bits(&contacts::<S, T>(bodies, margin));
        assert!(found == expected, "{what}, margin {margin}: {} rows, {} expected", found.len(), expected.len());
        assert!(!found.is_empty(), "{what}, margin {margin}: nothing is near");
    }
}

fn mixed_scenes<S: Ground, T: Precision>() {
    let half_side = if S::DIMENSION == 2 { 10.0 } else { 4.0 };
    let plan = Plan { half_side, ..PLAN };
    as_brute_force::<S, T>(&mixed(plan), &[0.0, 0.25], "mixed");
    as_brute_force::<S, T>(&mixed(Plan { filters: true, seed: 2, ..plan }), &[0.0, 0.25], "filtered");
    for seed in 7..12 {
        // Most pairs whose boxes overlap are ruled out before their distance is computed.
        let crowded = mixed(Plan { half_side: 0.6 * half_side, seed, ..plan });
        as_brute_force::<S, T>(&crowded, &[0.0, 1e-3, 0.1, 1.0], "crowded");
    }
    let utm = Plan { middle: [5e5, 5e6, 300.0], seed: 3, ..plan };
    as_brute_force::<S, T>(&mixed(utm), &[0.0, 0.25], "at map coordinates");
    let ratios = Plan { smallest: 1e-6, largest: 1e6, half_side: 1e3, bodies: 200, seed: 4, ..plan };
    as_brute_force::<S, T>(&mixed(ratios), &[0.0, 1.0], "sizes from 1e-6 to 1e6");
    let point = Plan { half_side: 0.0, bodies: 100, seed: 5, ..plan };
    as_brute_force::<S, T>(&mixed(point), &[0.0], "all at one point");
    let mut outlier = mixed::<S>(Plan { seed: 6, bodies: 150, ..plan });
    outlier.push(Body::new(0, S::array(|_| 1e12))).expect("a good body");
    as_brute_force::<S, T>(&outlier, &[0.0, 0.25], "one far away");
}

/// Most boxes overlap, of bodies that are far apart, which capsules about them show: near the origin, far away, tiny,
/// huge, as long as different.
fn needles<S: Ground, T: Precision>() {
    let half_side = if S::DIMENSION == 2 { 4.0 } else { 1.5 };
    let plan = Plan { half_side, styles: &[Style::Needle], seed: 21, ..PLAN };
    as_brute_force::<S, T>(&mixed(plan), &[0.0, 1e-3, 0.05], "needles");
    as_brute_force::<S, T>(&mixed(Plan { filters: true, seed: 22, ..plan }), &[0.0, 0.05], "filtered needles");
    let utm = Plan { middle: [5e5, 5e6, 300.0], seed: 23, ..plan };
    as_brute_force::<S, T>(&mixed(utm), &[0.0, 0.05], "needles at map coordinates");
    for scale in [1e-12, 1e-3, 1e6, 1e12] {
        let [smallest, largest, half_side] = [plan.smallest, plan.largest, plan.half_side].map(|x| scale * x);
        let scaled = Plan { smallest, largest, half_side, seed: 24, ..plan };
        as_brute_force::<S, T>(&mixed(scaled), &[0.0, 0.05 * scale], "scaled needles");
    }
    let ratios = Plan { smallest: 1e-2, largest: 1e2, half_side: 30.0, seed: 25, ..plan };
    as_brute_force::<S, T>(&mixed(ratios), &[0.0, 0.1], "needles of sizes from 1e-2 to 1e2");
    let mut parallel = Bodies::new();
    let rod = parallel.add_shape(Shape::capsule(1.0, 1e-3).expect("good")).expect("one");
    let mut random = Random::new(26);
    let rotation = S::any_rotation(&mut random);
    for k in 0..300 {
        // As good as parallel, in one place across and in many along.
        let turned = nudge::<S>(rotation, random.pick(&[0.0, 1e-9, 1e-6, 1e-4]), &mut random);
        let position = S::array(|_| if k % 2 == 0 { random.range(-0.2, 0.2) } else { random.range(-2e-3, 2e-3) });
        parallel.push(Body::new(rod, position).with_rotation(turned)).expect("a good body");
    }
    as_brute_force::<S, T>(&parallel, &[0.0, 1e-3], "needles that are nearly parallel");
}

#[test]
fn contacts_of_needles_are_what_the_distances_of_all_pairs_give() {
    needles::<D2, f32>();
    needles::<D3, f32>();
    needles::<D2, f64>();
    needles::<D3, f64>();
}

#[test]
fn contacts_are_what_the_distances_of_all_pairs_give() {
    mixed_scenes::<D2, f32>();
    mixed_scenes::<D3, f32>();
    mixed_scenes::<D2, f64>();
    mixed_scenes::<D3, f64>();
}

fn generated(kind: SceneKind, dimension: usize) -> AnyScene {
    generate(kind, Options { bodies: 300, seed: 5, dimension }).expect("few bodies in two or three dimensions")
}

#[test]
fn contacts_of_generated_scenes_are_what_the_distances_of_all_pairs_give() {
    for &kind in SceneKind::ALL {
        for dimension in [2, 3] {
            let what = format!("{kind} in {dimension} dimensions");
            // At this margin something is near in sparse scenes too. (Lattices and stacks touch.)
            let margins = [2.0];
            match generated(kind, dimension) {
                AnyScene::Plane(scene) => as_brute_force::<_, f32>(&scene.bodies, &margins, &what),
                AnyScene::Space(scene) => as_brute_force::<_, f32>(&scene.bodies, &margins, &what),
            }
        }
    }
}

/// The hash of adversarial pairs.
fn hash_of_pairs<S: Ground, T: Precision>() -> u64 {
    let (bodies, pairs) = adversarial::<S>(2000, 6);
    hash(&ask::<S, T>(&bodies, &pairs))
}

/// The hash of the casts of random moves and of yes-or-no answers for adversarial pairs.
fn hash_of_questions<S: Ground>() -> u64 {
    let moves = draw_moves::<S>(S::KINDS, 1500, &mut Random::new(8));
    let mut words: Vec<u64> = moves.cast().iter().flat_map(cast_bits).collect();
    let (bodies, pairs) = adversarial::<S>(2000, 7);
    let mut sides = Vec::new();
    for limit in [0.0, 1e-3] {
        jostle::within_into::<f32, _, _>(&bodies.columns(), &pairs, limit, &mut sides).expect("a good limit");
        words.extend(sides.iter().map(|&side| side as u64));
    }
    fnv(words.into_iter())
}

/// The hashes of all scenes of this file, by name.
fn hashes() -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for &kind in SceneKind::ALL {
        for dimension in [2, 3] {
            let hash = match generated(kind, dimension) {
                AnyScene::Plane(Scene { bodies, .. }) => hash(&contacts::<_, f32>(&bodies, 0.5)),
                AnyScene::Space(Scene { bodies, .. }) => hash(&contacts::<_, f32>(&bodies, 0.5)),
            };
            all.push((format!("{kind}-{dimension}d"), hash));
        }
    }
    all.push(("pairs-2d-f32".to_owned(), hash_of_pairs::<D2, f32>()));
    all.push(("pairs-2d-f64".to_owned(), hash_of_pairs::<D2, f64>()));
    all.push(("pairs-3d-f32".to_owned(), hash_of_pairs::<D3, f32>()));
    all.push(("pairs-3d-f64".to_owned(), hash_of_pairs::<D3, f64>()));
    all.push(("questions-2d".to_owned(), hash_of_questions::<D2>()));
    all.push(("questions-3d".to_owned(), hash_of_questions::<D3>()));
    all.push(("all-kinds-2d".to_owned(), hash(&contacts::<D2, f32>(&mixed(Plan { half_side: 10.0, ..PLAN }), 0.1))));
    all.push(("all-kinds-3d".to_owned(), hash(&contacts::<D3, f32>(&mixed(PLAN), 0.1))));
    all
}

fn lines(hashes: &[(String, u64)]) -> String {
    hashes.iter().fold(String::new(), |mut text, (name, hash)| {
        let _ = writeln!(text, "{name} {hash:016x}");
        text
    })
}

/// Prints the hashes if the next test started this process; does nothing otherwise.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        println!("<<<\n{}>>>", lines(&hashes()));
    }
}

#[test]
fn the_same_bits_for_every_instruction_set() {
    let here = lines(&hashes());
    let program = std::env::current_exe().expect("this program's path");
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let output = Command::new(&program)
            .args(["--exact", "child", "--nocapture"])
            .env(CHILD, "1")
            .env("JOSTLE_ISA", isa.name())
            .output()
            .expect("this program starts once more");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = text.split("<<<\n").nth(1).and_then(|rest| rest.split(">>>").next());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told, Some(here.as_str()), "{isa:?}: {}\n{errors}", output.status);
    }
}

fn golden_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt")
}

#[test]
fn golden_hashes() {
    let now = lines(&hashes());
    if std::env::var_os("JOSTLE_REFRESH").is_some_and(|asked| asked == "1") {
        std::fs::write(golden_file(), &now).expect("golden.txt can be written");
        return;
    }
    let golden = std::fs::read_to_string(golden_file()).expect("golden.txt is there");
    assert_eq!(now, golden, "answers changed; if they were meant to, see the head of this file");
}

#[test]
fn hashes_see_every_bit() {
    let row = Proximity::<D3, f32> { distance: 0.0, ..Proximity::default() };
    assert_ne!(hash(&[row]), hash(&[Proximity { distance: -0.0, ..row }]));
    assert_ne!(hash(&[row]), hash(&[Proximity { status: Status::Overlapping, ..row }]));
}
