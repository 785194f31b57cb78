//! When two bodies that move in straight lines first come as near as asked, where, and along which normal.
//!
//! Only the motion of B seen from A matters. `passage` cuts it down to the part in which the bounding balls meet, in
//! `f64` and in closed form, so that from there on no number is larger than the two bodies, however long the way. What
//! is left (of balls that begin apart nothing is) goes through `advance` in lanes: Newton's method on the distance,
//! which is convex along a line, so that every step is conservative: no time of impact is passed, nothing tunnels,
//! however thin and fast.
//!
//! Lanes are `f64`: a time is only as good as the distances it is found from, and the last steps are smaller than `f32`
//! can tell. What they do not settle (what begins near the target, or converges badly) is decided here, one pair at a
//! time.

pub mod advance;
pub mod crossings;
mod passage;
mod ray;
pub mod row;

use jostle_lanes::{Rot, Vector};
use jostle_shape::BodySet;
use jostle_tasks::Pool;

use self::advance::{Course, SURE, Sweep};
use self::crossings::{Crossing, Crossings};
use self::passage::{AS_ASKED, Passage};
use self::ray::{SurfaceTells, cast_point};
use self::row::{Cast, CastStatus, Motion};
use crate::batch::{Scratch, ask_lanes, in_batches, solve_pairs};
use crate::kernels::Dimension;
use crate::lists::Lists;
use crate::noise::NEARLY;
use crate::one_pair::OnePair;
use crate::pick::Pick;
use crate::proximity::Proximity;
use crate::records::Source;
use crate::resolve::Memory;
use crate::within::Side;

/// Memory that a batch of casts needs, to be kept from one batch to the next.
pub struct CastScratch<S: Dimension> {
    crossings: Crossings,
    passages: Vec<Passage<S>>,
    pairs: Vec<[u32; 2]>,
    places: Vec<u32>,
    rows: Vec<Cast<S>>,
    lists: Lists<S, f64>,
    open: Vec<Pick>,
    memory: Memory<S>,
    starts: Starts<S>,
    distances: Scratch<S, f64>,
}

/// What begins at the target or nearer, as far as it was seen.
struct Starts<S: Dimension> {
    /// Where their rows go.
    places: Vec<usize>,
    pairs: Vec<[u32; 2]>,
    passages: Vec<Passage<S>>,
    /// How near they are.
    rows: Vec<Proximity<S, f64>>,
}

impl<S: Dimension> Starts<S> {
    fn clear(&mut self) {
        self.places.clear();
        self.pairs.clear();
        self.passages.clear();
    }
    fn push(&mut self, place: usize, pair: [u32; 2], passage: Passage<S>) {
        self.places.push(place);
        self.pairs.push(pair);
        self.passages.push(passage);
    }
}

impl<S: Dimension> Default for CastScratch<S> {
    fn default() -> Self {
        Self {
            crossings: Crossings::default(),
            passages: Vec::new(),
            pairs: Vec::new(),
            places: Vec::new(),
            rows: Vec::new(),
            lists: Lists::default(),
            open: Vec::new(),
            memory: Memory::default(),
            starts: Starts { places: Vec::new(), pairs: Vec::new(), passages: Vec::new(), rows: Vec::new() },
            distances: Scratch::default(),
        }
    }
}

/// Casts `pairs` into `rows`, which must be as long, and says how many of them the lanes left open.
///
/// Bodies must exist, a pair's two must differ, and the motion's numbers be finite and not negative: the caller has
/// checked.
fn cast_pairs<S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f64>,
    pairs: &[[u32; 2]],
    motion: Motion,
    rows: &mut [Cast<S>],
    scratch: &mut CastScratch<S>,
) -> usize {
    let CastScratch { crossings, passages, pairs: near, places, rows: found, lists, open, memory, starts, distances } =
        scratch;
    passages.clear();
    near.clear();
    places.clear();
    found.clear();
    starts.clear();
    crossings.find(bodies, source, pairs, motion, rows, |row, passage, balls| {
        let pair = pairs[row];
        let told = match cast_point(bodies, pair, &passage, motion) {
            SurfaceTells::Nothing if balls && passage.is_start() => SurfaceTells::Begins,
            told => told,
        };
        match told {
            SurfaceTells::Row(answer) => return Some(answer),
            SurfaceTells::Begins => starts.push(row, pair, passage),
            SurfaceTells::Nothing => {
                passages.push(passage);
                near.push(pair);
                places.push(row as u32);
                found.push(Cast { a: pair[0], b: pair[1], ..Cast::default() });
            }
        }
        None
    });
    ask_lanes(bodies, source, near, &Sweep { passages, motion }, found, lists, open);
    let left_open = open.len() + starts.pairs.len();

    for pick in open.iter() {
        let row = pick.row as usize;
        let (pair, passage) = (near[row], &passages[row]);
        if passage.is_start() {
            starts.push(places[row] as usize, pair, *passage);
        } else {
            found[row] = settle(bodies, pair, passage, motion, 0.0, memory).unwrap_or_else(|share| {
                Cast::without_contact(pair, CastStatus::Unconverged, passage.time(share, motion))
            });
        }
    }
    for (&place, row) in places.iter().zip(found.iter()) {
        rows[place as usize] = *row;
    }
    let Starts { places, pairs, passages, rows: standing } = starts;
    standing.resize(pairs.len(), Proximity::default());
    solve_pairs(bodies, source, pairs, standing, distances);
    for ((&place, passage), standing) in places.iter().zip(&*passages).zip(&*standing) {
        rows[place] = begin(bodies, standing, passage, motion, memory);
    }
    left_open
}

/// How far B moves, as a share of the pair's magnitude, before it is asked whether it has come nearer: more than what
/// rounding can hide, and little enough that it does not come out on the other side.
const FIRST_STEP: f64 = 1e-8;
/// How much longer each further step is.
const LONGER: f64 = 8.0;

/// Share of its way by which B may come nearer and still be said to slide: what rounds off a normal.
const ALONG: f64 = 8.0 * f64::EPSILON;

/// What becomes of a pair that is at the target or nearer, or nearly so, before it moves.
///
/// The distance is convex in time. So where it is the target at the start and then seen to be less, that is an impact
/// at once; where it is seen to be more, it stays so; and while it is seen to be neither, it was never less by more
/// than a few times the rounding: bodies that slide along each other do not meet.
fn begin<S: Dimension>(
    bodies: &impl BodySet<S>,
    standing: &Proximity<S, f64>,
    passage: &Passage<S>,
    motion: Motion,
    memory: &mut Memory<S>,
) -> Cast<S> {
    let pair = [standing.a, standing.b];
    let Proximity { distance, witness_a: point, normal, .. } = *standing;
    let contact = |status| Cast { a: pair[0], b: pair[1], status, time: 0.0, distance, point, normal };
    // Written so that NaN ends here, as where bounds contradict each other: of an invalid support map.
    let known = standing.lower <= distance && distance <= standing.upper;
    let told = known && point.as_ref().iter().chain(normal.as_ref()).all(|x| x.is_finite());
    if told && standing.upper < motion.target {
        return contact(CastStatus::Start);
    }
    if !(told && standing.upper - standing.lower <= SURE * passage.size()) {
        return Cast::without_contact(pair, CastStatus::Unconverged, 0.0);
    }
    // The plane across the normal shows the distance from below, all the way. (Most bodies that touch something rest or
    // slide on it: to ask ten steps took twenty to two hundred times as long.)
    let opening = (0..S::DIMENSION).map(|k| normal[k] * passage.sweep[k]).sum::<f64>();
    let along = opening >= -ALONG * passage.length();
    if along && standing.lower >= motion.target - NEARLY * passage.size() {
        return Cast::without_contact(pair, CastStatus::Miss, motion.duration);
    }
    let mut side = if standing.lower > motion.target { Side::Beyond } else { Side::At };
    let mut share = 0.0;
    loop {
        match side {
            Side::Within => return contact(CastStatus::Hit),
            // Hardly beyond, it may yet come nearer. Where the advance cannot tell, the next step is asked.
            Side::Beyond => {
                if let Ok(cast) = settle(bodies, pair, passage, motion, share, memory) {
                    return cast;
                }
            }
            Side::At => {}
        }
        if share >= 1.0 || passage.length() <= 0.0 {
            return Cast::without_contact(pair, CastStatus::Miss, motion.duration);
        }
        // Of subnormal bodies the first step may vanish.
        let first = (FIRST_STEP * passage.size() / passage.length()).max(f64::MIN_POSITIVE);
        share = (share * LONGER).max(first).min(1.0);
        let single = OnePair::placed(bodies, pair, &passage.after(share));
        side = S::decide(&single.any(), motion.target, memory);
    }
}

/// Advances one pair, from a share of its passage, for as long as it takes. Where it does not know how that ends: after
/// which share.
fn settle<S: Dimension>(
    bodies: &impl BodySet<S>,
    pair: [u32; 2],
    passage: &Passage<S>,
    motion: Motion,
    from: f64,
    memory: &mut Memory<S>,
) -> Result<Cast<S>, f64> {
    let single = OnePair::placed(bodies, pair, &passage.begin(1.0));
    let OnePair { records: [first, _], pair: lanes, .. } = &single;
    let late = f64::from(u8::from(!passage.is_start()));
    let course = Course::new(lanes, S::Vector::from_fn(|k| passage.sweep[k]), late, motion.target);
    let impact = S::advance(&single.any(), course, from, memory);
    if impact.miss {
        return Ok(Cast::without_contact(pair, CastStatus::Miss, motion.duration));
    }
    if !impact.hit {
        return Err(impact.share);
    }
    let normal = lanes.rotation_a.rotate(impact.normal);
    let near = lanes.rotation_a.rotate(impact.a) * lanes.unscale;
    let near = S::array(|k| first.position[k] + (first.centre(k) + near.get(k)));
    Ok(passage.hit(pair, motion, AS_ASKED, impact.share, S::array(|k| normal.get(k)), near))
}

/// Casts one pair: the row of [`cast`], bit for bit, which takes a batch of one several times as long where a point
/// meets a surface that is known.
///
/// ```
/// use jostle_narrowphase::{CastScratch, CastStatus, Motion, Source, cast_one};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let (wall, point) = (bodies.add_shape(Shape::cuboid([0.5, 4.0])?)?, bodies.add_shape(Shape::point())?);
/// bodies.push(Body::new(wall, [3.0, 0.0]))?;
/// bodies.push(Body::new(point, [0.0, 1.0]).with_velocity([5.0, 0.0]))?;
/// let (motion, scratch) = (Motion::lasting(1.0), &mut CastScratch::default());
/// let row = cast_one(&bodies.columns(), Source::OnDemand, [1, 0], motion, scratch);
/// assert_eq!((row.status, row.normal), (CastStatus::Hit, [1.0, 0.0]));
/// assert!((row.time - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast_one<S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f64>,
    pair: [u32; 2],
    motion: Motion,
    scratch: &mut CastScratch<S>,
) -> Cast<S> {
    let told = match Crossing::of(bodies, source, pair, motion) {
        Crossing::Answer(answer) => SurfaceTells::Row(answer),
        Crossing::Passage(passage, _) => cast_point(bodies, pair, &passage, motion),
    };
    if let SurfaceTells::Row(row) = told {
        return row;
    }
    let mut row = [Cast::default()];
    cast_pairs(bodies, source, &[pair], motion, &mut row, scratch);
    row[0]
}

/// Casts `pairs` into `rows` on the current thread pool; `rows` is resized. Says how many pairs the lanes left open.
pub fn cast<S: Dimension>(
    bodies: &impl BodySet<S>,
    source: Source<'_, S, f64>,
    pairs: &[[u32; 2]],
    motion: Motion,
    rows: &mut Vec<Cast<S>>,
    memory: &Pool<CastScratch<S>>,
) -> u64 {
    rows.resize(pairs.len(), Cast::default());
    in_batches(pairs, rows, memory, |scratch, pairs, rows| cast_pairs(bodies, source, pairs, motion, rows, scratch))
}
