//! `jostle trajectory`: a recording of walking people, frame by frame: the nearest pair, and how many pairs are near.
//!
//! People are discs. The nearest pair may be farther apart than the margin: then the margin of the search is doubled
//! until it holds a pair, so that the bodies that are near are found as everywhere else.

use core::cmp::Ordering;

use jostle::{Columns, D2, Engine, Neighbours, Proximity, Rotations, Shape, nearest};
use jostle_scene::{CellType, Cells, Frame, TableColumn, TableLayout, TableRow, read_input, read_trajectory};
use rayon::prelude::*;

use super::refused_but;
use crate::args::{Common, Trajectory, Unit};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::{Output, Table, layout};
use crate::progress::Progress;

/// How many frames are answered before their rows are written.
const BLOCK: usize = 1024;

/// Writes a row for each frame of a recording.
pub fn run(args: &Trajectory, common: &Common) -> Outcome {
    input::length("--radius", args.radius)?;
    input::length("--margin", args.margin)?;
    let layout = layout(common)?;
    let unit = args.unit.map(|unit| match unit {
        Unit::M => jostle_scene::Unit::Metre,
        Unit::Cm => jostle_scene::Unit::Centimetre,
    });
    let (name, bytes) = read_input(&args.file)?;
    let recording = read_trajectory(&name, &bytes, unit)?;
    let disc = Shape::ball(args.radius).map_err(|error| Failure::Input(format!("--radius: {error}")))?;

    let mut output = Output::open(common)?;
    let mut table = Table::begin(&mut output, layout)?;
    let frames: Vec<Frame<'_>> = recording.frames().collect();
    let progress = Progress::begin("watching", Some(frames.len() as u64), common.quiet);
    for block in frames.chunks(BLOCK) {
        let look = |seeker: &mut Seeker, frame: &Frame<'_>| seeker.look(&disc, frame, args.margin);
        let sights: Result<Vec<Sight>, _> = block.par_iter().map_init(Seeker::default, look).collect();
        table.rows(&sights.map_err(|error| refused_but(&name, &error, "choose a smaller --margin"))?)?;
        progress.advance(block.len() as u64);
    }
    drop(progress);
    table.end()?;
    output.finish()
}

/// What is seen in a frame.
struct Sight {
    frame: i64,
    people: usize,
    /// The nearest two, by their ids, and their distance.
    nearest: Option<(u64, u64, f64)>,
    pairs: usize,
}

impl TableRow for Sight {
    fn columns(_: TableLayout) -> Vec<TableColumn> {
        vec![
            TableColumn::new("frame", CellType::I64),
            TableColumn::new("people", CellType::U64),
            TableColumn::new("a", CellType::U64).nullable(),
            TableColumn::new("b", CellType::U64).nullable(),
            TableColumn::new("distance", CellType::F64).nullable(),
            TableColumn::new("pairs", CellType::U64),
        ]
    }
    fn cells(&self, _: TableLayout, cells: &mut impl Cells) {
        cells.whole(self.frame);
        cells.count(self.people as u64);
        if let Some((a, b, distance)) = self.nearest {
            cells.count(a);
            cells.count(b);
            // Not -0.
            cells.number(distance + 0.0);
        } else {
            (0..3).for_each(|_| cells.none());
        }
        cells.count(self.pairs as u64);
    }
}

/// Memory that is kept from frame to frame.
#[derive(Default)]
struct Seeker {
    engine: Engine<D2, f64>,
    rows: Vec<Proximity<D2, f64>>,
    zeros: Vec<u32>,
    neighbours: Neighbours<D2, f64>,
}

impl Seeker {
    fn look(&mut self, disc: &Shape<D2>, frame: &Frame<'_>, margin: f64) -> Result<Sight, jostle::ContactsError> {
        let people = frame.positions.len();
        self.zeros.resize(people, 0);
        let shapes = std::slice::from_ref(disc);
        let Ok(bodies) = Columns::<D2>::new(shapes, &self.zeros, frame.positions, Rotations::Identity) else {
            unreachable!("the reader lets no coordinate pass that is not a number within 1e15")
        };
        self.engine.contacts(&bodies, margin, &mut self.rows)?;
        let pairs = self.rows.len();
        if self.rows.is_empty() && people > 1 {
            return look_anywhere(&bodies, frame, &mut self.neighbours);
        }
        // Rows are ordered by ids, and of equal distances the first is taken: the one with the lowest.
        let nearest = self.rows.iter().min_by(|x, y| by_distance(x.distance, y.distance));
        let id = |index: u32| frame.people[index as usize];
        let nearest = nearest.map(|row| (id(row.a), id(row.b), row.distance));
        Ok(Sight { frame: frame.number, people, nearest, pairs })
    }
}

/// What is seen in a frame of people of whom no two are within the margin of each other: the nearest two, however far.
fn look_anywhere(
    bodies: &Columns<'_, D2>,
    frame: &Frame<'_>,
    neighbours: &mut Neighbours<D2, f64>,
) -> Result<Sight, jostle::ContactsError> {
    nearest(bodies, 1, neighbours)?;
    let people = frame.positions.len();
    let pairs = (0..people).filter_map(|a| neighbours.of(a).first().map(|near| (a, near)));
    // Of each two the one with the lower id comes first.
    let least = pairs.min_by(|(_, x), (_, y)| by_distance(x.distance, y.distance));
    let id = |index: usize| frame.people[index];
    let nearest = least.map(|(a, near)| (id(a), id(near.body as usize), near.distance));
    Ok(Sight { frame: frame.number, people, nearest, pairs: 0 })
}

/// The smaller first; zeros are equal, whatever their signs.
fn by_distance(x: f64, y: f64) -> Ordering {
    (x + 0.0).total_cmp(&(y + 0.0))
}
