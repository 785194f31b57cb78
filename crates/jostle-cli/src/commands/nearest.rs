//! `jostle nearest`: for each body the nearest few of those that it meets, nearest first; in a periodic scene each
//! image is a neighbour of its own.
//!
//! Which bodies these are is found for all at once. Their rows are then those that `jostle distance` gives for such a
//! pair (in open space with the lower index first, as they were found, and then seen from the body that they are listed
//! for), so that they have a certificate and `jostle verify` can hold them against the scene.

use jostle::{Dimension, Neighbours, Precision, Proximity, Shifted};
use jostle_scene::{Scene, SceneSpace, TableLayout, TableRow};

use super::{ask, lattice_of, refused, refused_but};
use crate::args::{Common, Nearest};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::{BLOCK, Output, Table, layout};
use crate::progress::Progress;

/// Writes the nearest bodies of each body.
pub fn run(args: &Nearest, common: &Common) -> Outcome {
    let layout = layout(common)?;
    let (name, scene) = input::scene(&args.scene, common)?;
    let mut output = Output::open(common)?;
    ask!(&scene, common.precision(), list(&name, args, common, layout, &mut output))?;
    output.finish()
}

fn list<S: Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    args: &Nearest,
    common: &Common,
    layout: TableLayout,
    output: &mut Output,
) -> Outcome {
    let bodies = scene.bodies.columns();
    let lattice = lattice_of(scene, name, args.self_images, common)?;
    let (count, most) = (bodies.len() as u64, u64::from(args.neighbours));
    let each = if lattice.is_some() { most } else { most.min(count.saturating_sub(1)) };
    if count.saturating_mul(each) > args.limit {
        return Err(Failure::Other(format!(
            "{name}: {each} neighbours for each of {count} bodies may be more than {} rows to hold in memory; raise \
             --limit, or ask for fewer",
            args.limit
        )));
    }
    let finding = Progress::begin("finding neighbours", None, common.quiet);
    let mut neighbours = Neighbours::<S, T>::default();
    let most = args.neighbours as usize;
    match &lattice {
        None => jostle::nearest(&bodies, most, &mut neighbours),
        Some(lattice) => jostle::periodic_nearest(&bodies, lattice, most, &mut neighbours),
    }
    // A limit above what can be counted lets this through.
    .map_err(|error| refused_but(name, &error, "ask for fewer neighbours of each (-k)"))?;
    drop(finding);

    let progress = Progress::begin("measuring", Some(count), common.quiet);
    let layout = TableLayout { shift: lattice.is_some(), ..layout };
    match &lattice {
        None => {
            let measure = |asked: &[AskedImage]| {
                let pairs: Vec<[u32; 2]> = asked.iter().map(|&([a, b], _)| [a.min(b), a.max(b)]).collect();
                let mut rows = jostle::distance::<T, S, _>(&bodies, &pairs)
                    .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
                for (row, &([a, _], _)) in rows.iter_mut().zip(asked) {
                    if row.a != a {
                        *row = row.flipped();
                    }
                }
                Ok(rows)
            };
            let table = Table::begin(output, layout)?;
            write(table, &neighbours, bodies.len(), &progress, |row: &Proximity<S, T>| (row.distance, row.b), measure)
        }
        Some(lattice) => {
            let measure = |asked: &[AskedImage]| {
                jostle::image_distance::<T, S, _>(&bodies, lattice, asked).map_err(|error| refused(name, &error))
            };
            let table = Table::begin(output, layout)?;
            let key = |near: &Shifted<S, T>| (near.row.distance, near.row.b);
            write(table, &neighbours, bodies.len(), &progress, key, measure)
        }
    }
}

/// A body and a neighbour of it, and which image of that.
type AskedImage = ([u32; 2], [i32; 3]);

/// Measures and writes the neighbours of all bodies, some at a time.
fn write<S: Dimension, T: Precision, R: TableRow + Sync>(
    mut table: Table<'_, R>,
    neighbours: &Neighbours<S, T>,
    count: usize,
    progress: &Progress,
    key: impl Fn(&R) -> (T, u32),
    measure: impl Fn(&[AskedImage]) -> Outcome<Vec<R>>,
) -> Outcome {
    let (mut asked, mut ends) = (Vec::new(), Vec::new());
    for body in 0..count {
        asked.extend(neighbours.of(body).iter().map(|near| ([body as u32, near.body], near.image)));
        ends.push(asked.len());
        if asked.len() < BLOCK && body + 1 < count {
            continue;
        }
        let mut rows = measure(&asked)?;
        let mut first = 0;
        progress.advance(ends.len() as u64);
        for end in ends.drain(..) {
            // Where space repeats, a distance may differ in its last digits seen from the other body: the order is that
            // of the rows. Images of one body that are equally near stay as they are.
            rows[first..end].sort_by(|x, y| {
                let [(near, x), (far, y)] = [key(x), key(y)].map(|(distance, body)| (distance.to_f64() + 0.0, body));
                near.total_cmp(&far).then(x.cmp(&y))
            });
            first = end;
        }
        table.rows(&rows)?;
        asked.clear();
    }
    table.end()
}
