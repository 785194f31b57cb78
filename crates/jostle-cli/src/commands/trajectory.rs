//! `jostle trajectory`: a recording of walking people, frame by frame: the nearest pair, and how many pairs are near.
//!
//! People are discs. The nearest pair may be farther apart than the margin: then the margin of the search is doubled
//! until it holds a pair, so that the bodies that are near are found as everywhere else.

use jostle::{Columns, D2, Engine, Proximity, Shape, Turns};
use jostle_scene::{Frame, TableFormat, read_input, read_trajectory};
use rayon::prelude::*;

use super::refused;
use crate::args::{Common, Trajectory, Unit};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::{Output, format};
use crate::progress::Progress;

/// How many frames are answered before their rows are written.
const BLOCK: usize = 1024;

/// Does it.
pub fn run(args: &Trajectory, common: &Common) -> Outcome {
    input::length("--radius", args.radius)?;
    input::length("--margin", args.margin)?;
    let format = format(common)?;
    let unit = args.unit.map(|unit| match unit {
        Unit::M => jostle_scene::Unit::Metre,
        Unit::Cm => jostle_scene::Unit::Centimetre,
    });
    let (name, bytes) = read_input(&args.file)?;
    let recording = read_trajectory(&name, &bytes, unit)?;
    let disc = Shape::ball(args.radius).map_err(|error| Failure::Input(format!("--radius: {error}")))?;

    let mut output = Output::open(common)?;
    if format == TableFormat::Csv {
        output.put(b"frame,people,a,b,distance,pairs\n")?;
    }
    let frames: Vec<Frame<'_>> = recording.frames().collect();
    let progress = Progress::begin("watching", Some(frames.len() as u64), common.quiet);
    for block in frames.chunks(BLOCK) {
        let look = |seeker: &mut Seeker, frame: &Frame<'_>| {
            seeker.look(&disc, frame, args.margin).map(|sight| sight.row(frame, format))
        };
        let rows: Result<Vec<String>, _> = block.par_iter().map_init(Seeker::default, look).collect();
        for row in rows.map_err(|error| refused(&name, &error))? {
            output.put(row.as_bytes())?;
        }
        progress.advance(block.len() as u64);
    }
    drop(progress);
    output.finish()
}

/// What is seen in a frame.
struct Sight {
    nearest: Option<Proximity<D2, f64>>,
    pairs: usize,
}

/// Memory that is kept from frame to frame.
#[derive(Default)]
struct Seeker {
    engine: Engine<D2, f64>,
    rows: Vec<Proximity<D2, f64>>,
    zeros: Vec<u32>,
}

impl Seeker {
    fn look(&mut self, disc: &Shape<D2>, frame: &Frame<'_>, margin: f64) -> Result<Sight, jostle::ContactsError> {
        let people = frame.positions.len();
        self.zeros.resize(people, 0);
        let shapes = std::slice::from_ref(disc);
        let Ok(bodies) = Columns::<D2>::new(shapes, &self.zeros, frame.positions, Turns::Identity) else {
            unreachable!("the reader lets no coordinate pass that is not a number within 1e15")
        };
        self.engine.contacts(&bodies, margin, &mut self.rows)?;
        let pairs = self.rows.len();
        let mut reach = margin.max(0.5);
        while self.rows.is_empty() && people > 1 {
            reach = (2.0 * reach).min(FARTHEST);
            self.engine.contacts(&bodies, reach, &mut self.rows)?;
            if reach >= FARTHEST {
                break;
            }
        }
        // Rows are ordered by ids, and of equal distances the first is taken: the one with the lowest.
        let nearest = self.rows.iter().min_by(|x, y| x.distance.total_cmp(&y.distance)).copied();
        Ok(Sight { nearest, pairs })
    }
}

/// The largest margin that the engine takes.
const FARTHEST: f64 = 1e15;

impl Sight {
    /// The line of a table.
    fn row(&self, frame: &Frame<'_>, format: TableFormat) -> String {
        let Frame { number, people, .. } = frame;
        let (count, pairs) = (people.len(), self.pairs);
        let named = self.nearest.and_then(|row| {
            let [a, b] = [row.a, row.b].map(|index| people.get(index as usize).copied());
            // Not -0.
            Some((a?, b?, row.distance + 0.0))
        });
        match (named, format) {
            (Some((a, b, distance)), TableFormat::Csv) => format!("{number},{count},{a},{b},{distance},{pairs}\n"),
            (None, TableFormat::Csv) => format!("{number},{count},,,,{pairs}\n"),
            (Some((a, b, distance)), TableFormat::JsonLines) => format!(
                "{{\"frame\":{number},\"people\":{count},\"a\":{a},\"b\":{b},\"distance\":{distance},\"pairs\":{pairs}}}\n"
            ),
            (None, TableFormat::JsonLines) => format!(
                "{{\"frame\":{number},\"people\":{count},\"a\":null,\"b\":null,\"distance\":null,\"pairs\":{pairs}}}\n"
            ),
        }
    }
}
