//! A few bodies from bytes, in open or repeating space, and every question about the scene: answers must be those of
//! one pair and one image at a time.

use jostle::{
    Bodies, Boundary, ContactsError, D2, D3, Engine, Motion, Neighbours, PeriodicEngine, Precision, Shifted, Status,
    count_periodic_contacts, nearest, nearest_between, periodic_between, periodic_cast, periodic_distance,
    periodic_nearest, periodic_nearest_between, periodic_overlap, periodic_pairs,
};
use jostle_scene::Scene;

use super::bytes::Bytes;
use super::fail;
use crate::repeating::{Asked, Repeating};
use crate::{Ground, bits, cast_bits, part};

/// The most pairs with images that are computed one by one.
const MOST: usize = 1000;

/// The parameters of the questions.
struct Terms {
    margin: f64,
    few: usize,
    motion: Motion,
    /// The number of bodies in the first of two sets.
    border: usize,
}

/// Takes bytes as a scene: contacts, candidates, the nearest few, two sets against each other, nearest images, overlaps
/// and casts are those of all pairs and images.
///
/// Returns whether contacts were checked: false if a scene is refused, or would take too long.
///
/// # Panics
/// If something is wrong, with the scene that shows it.
pub fn world(bytes: &[u8]) -> bool {
    let mut bytes = Bytes::new(bytes);
    if bytes.byte() & 1 == 0 { about::<D3>(&mut bytes) } else { about::<D2>(&mut bytes) }
}

fn about<S: Ground>(bytes: &mut Bytes<'_>) -> bool {
    let Some((scene, world, terms)) = read::<S>(bytes) else { return false };
    let (mut wrong, mut checked) = (Vec::new(), false);
    if let Some(candidates) = world.candidates(terms.margin, MOST) {
        checked = ask::<S, f32>(&world, &terms, &candidates, &mut wrong);
        checked &= ask::<S, f64>(&world, &terms, &candidates, &mut wrong);
        casts(&world, terms.motion, &mut wrong);
    }
    if !wrong.is_empty() {
        // The file below cannot hold vectors that lean.
        wrong.push(format!("in {:?}", world.lattice));
    }
    fail(&wrong, &scene);
    checked
}

fn read<S: Ground>(bytes: &mut Bytes<'_>) -> Option<(Scene<S>, Repeating<S>, Terms)> {
    bytes.choose_unit();
    let (how, count) = (bytes.byte(), 1 + usize::from(bytes.byte() % 8));
    let (mut scene, mut rotation) = (Scene::<S>::new(), S::identity_rotation());
    for index in 0..count {
        let mut body = bytes.body(&mut scene, &mut rotation)?;
        let kind = bytes.byte();
        if kind & 1 > 0 && index > 0 {
            // A shape that exists already.
            body.shape = u32::from(bytes.byte()) % index as u32;
        }
        if kind & 2 > 0 {
            body = body.with_velocity(S::array(|_| bytes.coordinate()));
        }
        if kind & 0b1100 == 0b1100 {
            body = body.fixed();
        }
        if kind & 0b11_0000 == 0b11_0000 {
            body = body.with_group(u32::from(bytes.byte())).with_mask(u32::from(bytes.byte()));
        }
        if kind & 0b1100_0000 == 0b1100_0000 {
            body = body.with_parent(u32::from(bytes.byte()) % 3);
        }
        scene.bodies.push(body).ok()?;
    }
    // Some shapes are longer than a period, and some positions a few periods away, but not hundreds.
    let reach = scene.bodies.shapes().iter().map(|shape| shape.reach()).fold(0.0, f64::max);
    let far =
        scene.bodies.positions().iter().flat_map(|place| place.as_ref()).fold(0.0, |far: f64, x| far.max(x.abs()));
    let shortest = (0.7 * reach).max(far / 6.0).max(bytes.length() / 64.0);
    let lengths: S::Array<f64> = S::array(|axis| if how >> axis & 1 == 0 { 0.0 } else { bytes.length().max(shortest) });
    let leans = how & 8 > 0;
    let vectors = (0..S::DIMENSION).map(|axis| {
        S::array(|k| match k.cmp(&axis) {
            core::cmp::Ordering::Equal => lengths[axis],
            core::cmp::Ordering::Less if leans && lengths[axis] > 0.0 => {
                bytes.coordinate().clamp(-2.0 * lengths[axis], 2.0 * lengths[axis])
            }
            _ => 0.0,
        })
    });
    let world = Repeating::new(scene.bodies.clone(), vectors.collect(), how & 16 > 0).ok()?;
    scene.periodic = Some(lengths);
    let target = if how & 32 > 0 { bytes.length().min(shortest) } else { 0.0 };
    let duration = [0.0, 0.125, 1.0, 8.0][usize::from(how >> 6)];
    let terms = Terms {
        margin: bytes.length().min(if how & 7 > 0 { 2.0 * shortest } else { f64::INFINITY }),
        few: usize::from(bytes.byte() % 6),
        motion: Motion::lasting(duration).to_within(target),
        border: usize::from(bytes.byte()) % (count + 1),
    };
    Some((scene, world, terms))
}

/// The first impact of each pair.
fn casts<S: Ground>(world: &Repeating<S>, motion: Motion, wrong: &mut Vec<String>) {
    let expected =
        ordered_pairs(world).into_iter().filter_map(|pair| Some((pair, world.first_cast(pair, motion, MOST)?)));
    let (pairs, expected): (Vec<_>, Vec<_>) = expected.unzip();
    let Ok(rows) = periodic_cast(&world.bodies.columns(), &world.lattice, &pairs, motion) else { return };
    for (row, (cast, image)) in rows.iter().zip(expected) {
        if cast_bits(&row.row) != cast_bits(&cast) || row.image != image {
            wrong.push(format!("{motion:?}: {row:?} instead of {cast:?}, {image:?}"));
        }
    }
}

/// All pairs, in both orders.
fn ordered_pairs<S: Ground>(world: &Repeating<S>) -> Vec<[u32; 2]> {
    let count = world.bodies.len() as u32;
    (0..count).flat_map(|a| (0..count).map(move |b| [a, b])).filter(|[a, b]| a != b).collect()
}

/// All questions but casts; false if they are refused.
fn ask<S: Ground, T: Precision>(
    world: &Repeating<S>,
    terms: &Terms,
    candidates: &[Asked],
    wrong: &mut Vec<String>,
) -> bool {
    let border = terms.border;
    let halves = [part(&world.bodies, 0..border), part(&world.bodies, border..world.bodies.len())];
    let accepted = ask_contacts::<S, T>(world, terms, &halves, candidates, wrong).is_ok();
    if accepted {
        ask_nearest::<S, T>(world, terms, &halves, wrong);
        images::<S, T>(world, wrong);
    }
    accepted
}

/// All pairs within the margin: of all bodies, and of the two halves. An error if they are refused.
fn ask_contacts<S: Ground, T: Precision>(
    world: &Repeating<S>,
    terms: &Terms,
    [first, second]: &[Bodies<S>; 2],
    candidates: &[Asked],
    wrong: &mut Vec<String>,
) -> Result<(), ContactsError> {
    let Repeating { bodies, lattice, .. } = world;
    let (columns, &Terms { margin, border, .. }) = (bodies.columns(), terms);
    // Nearer to the margin than this, rounding decides whether boxes and balls meet.
    let doubt = 1e-5 * if size_of::<T>() == 4 { 1.0 } else { 1e-7 };
    let sizes = (0..columns.len()).map(|body| world.far(body)).fold(margin, f64::max);
    let expected = world.contacts::<T>(candidates, margin);
    let mut differ = |what: &str, rows: &[Shifted<S, T>], expected: &[Shifted<S, T>]| {
        let clear = |row: &&Shifted<S, T>| row.row.distance.to_f64() <= margin - doubt * sizes;
        let told =
            |rows: &[Shifted<S, T>]| rows.iter().filter(clear).map(|r| (bits(&r.row), r.image)).collect::<Vec<_>>();
        let within = rows.iter().all(|row| row.row.distance.to_f64() <= margin + 1e-7 * margin);
        if !within || told(rows) != told(expected) {
            wrong.push(format!("{what} within {margin:e}: {rows:?} instead of {expected:?}"));
        }
    };

    let mut rows = Vec::new();
    let report = PeriodicEngine::<S, T>::new(*lattice).contacts(&columns, margin, &mut rows)?;
    differ("contacts", &rows, &expected);
    let pairs = periodic_pairs(&columns, lattice, margin, u64::MAX).expect("as before");
    let listed = |row: &Shifted<S, T>| pairs.binary_search(&([row.row.a, row.row.b], row.image)).is_ok();
    let named: Vec<_> = rows.iter().map(|row| ([row.row.a, row.row.b], row.image)).collect();
    let (total, boxes) = (rows.len() as u64, pairs.len() as u64);
    // Where all shapes are balls, or some are long, a query looks at fewer candidates than there are overlapping boxes.
    let looked_at = total..=boxes;
    let all = pairs.is_sorted() && looked_at.contains(&report.candidates) && rows.iter().all(listed);

    let (first, second) = (first.columns(), second.columns());
    let across: Vec<_> = expected
        .iter()
        .filter(|row| (row.row.a as usize) < border && border <= row.row.b as usize)
        .map(|row| {
            let mut row = *row;
            row.row.b -= border as u32;
            row
        })
        .collect();
    let rows = periodic_between::<T, _, _>(&first, &second, lattice, margin, u64::MAX).expect("as before");
    differ("between", &rows, &across);
    let unshifted = |rows: Vec<_>| -> Vec<Shifted<S, T>> {
        rows.into_iter().map(|row| Shifted { row, ..Shifted::default() }).collect()
    };
    if !lattice.repeats() {
        let mut engine = Engine::<S, T>::new();
        let (mut rows, mut near) = (Vec::new(), Vec::new());
        engine.contacts(&columns, margin, &mut rows).expect("as before");
        engine.near_pairs(&columns, margin, &mut near).expect("as before");
        let same = near.into_iter().eq(rows.iter().map(|row| [row.a, row.b]));
        differ("contacts of an engine", &unshifted(rows), &expected);
        if !same {
            wrong.push(format!("near pairs of an engine within {margin:e}"));
        }
        let count = engine.count_contacts(&columns, margin).expect("as before");
        if count != total {
            wrong.push(format!("{count} counted instead of {total}"));
        }
    }
    let (mut engine, mut near) = (PeriodicEngine::<S, T>::new(*lattice), Vec::new());
    engine.near_pairs(&columns, margin, &mut near).expect("as before");
    if near != named {
        wrong.push(format!("near pairs and images within {margin:e}"));
    }
    let count = count_periodic_contacts::<T, _, _>(&columns, lattice, margin).expect("as before");
    if count != total || report.rows != total {
        wrong.push(format!("{count} counted and {} told instead of {total}", report.rows));
    }
    if !all {
        wrong.push(format!("candidates within {margin:e}: {pairs:?}"));
    }
    Ok(())
}

/// The nearest few: of each body, and of each in the first half those in the second.
fn ask_nearest<S: Ground, T: Precision>(
    world: &Repeating<S>,
    terms: &Terms,
    [first, second]: &[Bodies<S>; 2],
    wrong: &mut Vec<String>,
) {
    let Repeating { bodies, lattice, .. } = world;
    let (columns, &Terms { few, border, .. }) = (bodies.columns(), terms);
    let (first, second) = (first.columns(), second.columns());
    let mut found = Neighbours::<S, T>::default();
    let mut hold = |found: &Neighbours<S, T>, agents: usize, sought: u32| {
        wrong.extend(world.hold_nearest(found, agents, sought, few, MOST).err());
    };
    // True if the query was refused because it would have to look at too many images.
    let refused = |refused: Result<(), ContactsError>| match refused {
        Ok(()) => false,
        Err(ContactsError::TooManyImages { .. }) => true,
        Err(other) => panic!("{other}"),
    };
    if !refused(periodic_nearest(&columns, lattice, few, &mut found)) {
        hold(&found, bodies.len(), 0);
    }
    if !refused(periodic_nearest_between(&first, &second, lattice, few, &mut found)) {
        hold(&found, border, border as u32);
    }
    if !lattice.repeats() {
        nearest(&columns, few, &mut found).expect("nothing is far");
        hold(&found, bodies.len(), 0);
        nearest_between(&first, &second, few, &mut found).expect("nothing is far");
        hold(&found, border, border as u32);
    }
}

/// The nearest image of each pair, and whether any image overlaps.
fn images<S: Ground, T: Precision>(world: &Repeating<S>, wrong: &mut Vec<String>) {
    let (columns, lattice, pairs) = (world.bodies.columns(), &world.lattice, ordered_pairs(world));
    let Ok(rows) = periodic_distance::<T, _, _>(&columns, lattice, &pairs) else { return };
    for row in &rows {
        let (a, b, distance) = (row.row.a as usize, row.row.b as usize, row.row.distance.to_f64().max(0.0));
        let rounding = 1e-5 * (distance + world.far(a) + world.far(b));
        let Some(images) = world.images(a, b, distance + rounding, MOST) else { continue };
        let asked: Vec<Asked> = images.into_iter().map(|image| ([row.row.a, row.row.b], image)).collect();
        let each = world.distances::<T>(&asked);
        // So that zeros of either sign are equal.
        let distance = |near: &Shifted<S, T>| near.row.distance.to_f64() + 0.0;
        let first = each.iter().min_by(|x, y| distance(x).total_cmp(&distance(y)));
        let first = first.expect("it is near at least where it was found");
        if (bits(&row.row), row.image) != (bits(&first.row), first.image) {
            wrong.push(format!("nearest image: {row:?} instead of {first:?}"));
        }
    }
    for (boundary, counts) in [
        (Boundary::Closed, &[Status::Overlapping, Status::Touching, Status::Unconverged][..]),
        (Boundary::Open, &[Status::Overlapping]),
    ] {
        let found = periodic_overlap::<T, _, _>(&columns, lattice, &pairs, boundary).expect("as before");
        for (found, row) in found.iter().zip(&rows) {
            if *found != counts.contains(&row.row.status) {
                wrong.push(format!("{boundary:?} overlap is {found} of {row:?}"));
            }
        }
    }
}
