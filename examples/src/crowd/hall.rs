//! The station: a hall with doors all around, pillars and kiosks, and the people in it.

use jostle::{Body, D2, Handle, Pipeline, PipelineError, Shape, ShapeError};

use crate::random::Random;

/// Square metres per walker at first.
const ROOM: f64 = 0.8;
/// The hall's sides for 20,000 walkers, metres.
const SIDES: [f64; 2] = [215.0, 74.5];
/// The width of a door, metres.
const DOOR: f64 = 3.0;
/// The thickness of walls, metres.
const WALL: f64 = 0.8;
/// The radius about a door's middle in which the density is measured, metres.
pub const QUEUE: f64 = 5.0;
/// How far outside the hall walkers are removed, metres: at the outer side of the wall, before they can stray.
const GONE: f64 = WALL;

/// A passage through a wall.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    /// On the wall's inner side.
    pub middle: [f64; 2],
    /// Unit vector into the hall.
    pub inward: [f64; 2],
    /// Between the jambs, metres.
    pub width: f64,
}

impl Door {
    /// Unit vector along the wall.
    pub fn along(&self) -> [f64; 2] {
        [-self.inward[1], self.inward[0]]
    }
}

/// The parts of the station that do not move.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Width and height of the hall, whose corner is the origin, metres.
    pub sides: [f64; 2],
    /// All doors.
    pub doors: Vec<Door>,
    /// Bodies below this slot are walls, pillars and kiosks.
    pub statics: u32,
}

impl Plan {
    /// The door that a walker at this place has gone through.
    pub fn door_behind(&self, [x, y]: [f64; 2]) -> Option<usize> {
        let [width, height] = self.sides;
        if x > -GONE && y > -GONE && x < width + GONE && y < height + GONE {
            return None;
        }
        self.doors.iter().position(|door| {
            let [dx, dy] = [x - door.middle[0], y - door.middle[1]];
            let [aside, out] = [dx * door.along()[0] + dy * door.along()[1], dx * door.inward[0] + dy * door.inward[1]];
            out < 0.0 && aside.abs() < door.width
        })
    }
    /// Whether a place is behind a wall and not in a door.
    pub fn is_stray(&self, [x, y]: [f64; 2]) -> bool {
        let inside = x >= 0.0 && y >= 0.0 && x <= self.sides[0] && y <= self.sides[1];
        let in_door = |door: &Door| {
            let [dx, dy] = [x - door.middle[0], y - door.middle[1]];
            dx.abs().max(dy.abs()) < door.width / 2.0 + GONE
        };
        !inside && !self.doors.iter().any(in_door)
    }
}

/// A walker that was placed in the hall.
pub(super) struct Entrant {
    pub(super) handle: Handle,
    /// The door it walks to.
    pub(super) door: usize,
    /// The speed that it would like to have, metres per second.
    pub(super) speed: f64,
}

/// Fills an empty pipeline: first walls, pillars and kiosks, then so many walkers.
pub(super) fn furnish(
    hall: &mut Pipeline<D2>,
    walkers: usize,
    seed: u64,
) -> Result<(Plan, Vec<Entrant>), PipelineError> {
    let mut random = Random::new(seed);
    let scale = (walkers as f64 / 20_000.0).sqrt().max(0.06);
    let sides = SIDES.map(|side| side * scale);
    let mut doors = Vec::new();
    for axis in 0..2 {
        // Along the long sides a door about every 33 metres, along the short ones about every 40.
        let across = 1 - axis;
        let count = (sides[axis] / [33.0, 40.0][axis]).round().max([1.0, 0.0][axis]) as usize;
        for (place, inward) in [(0.0, 1.0), (sides[across], -1.0)] {
            let mut edges = vec![-WALL];
            for index in 0..count {
                let middle = sides[axis] * (index as f64 + 0.5) / count as f64;
                let mut door = Door { middle: [middle; 2], inward: [0.0; 2], width: DOOR };
                (door.middle[across], door.inward[across]) = (place, inward);
                doors.push(door);
                edges.extend([middle - DOOR / 2.0, middle + DOOR / 2.0]);
            }
            edges.push(sides[axis] + WALL);
            for wall in edges.chunks_exact(2) {
                let (mut half, mut position) = ([WALL / 2.0; 2], [place; 2]);
                half[axis] = (wall[1] - wall[0]) / 2.0;
                position[axis] = f64::midpoint(wall[0], wall[1]);
                // Walls stand around the hall, so that all of it is floor.
                position[across] -= inward * WALL / 2.0;
                put(hall, Shape::cuboid(half), position, 0.0)?;
            }
        }
    }
    let obstacles = furniture(hall, sides)?;
    let statics = hall.slots() as u32;
    let people = people(hall, walkers, &doors, sides, &obstacles, &mut random)?;
    Ok((Plan { sides, doors, statics }, people))
}

/// Adds a shape of its own and a static body with it.
fn put(
    hall: &mut Pipeline<D2>,
    shape: Result<Shape<D2>, ShapeError>,
    position: [f64; 2],
    rotation: f64,
) -> Result<(), PipelineError> {
    let shape = hall.add_shape(shape?)?;
    hall.insert(Body::new(shape, position).with_rotation([rotation]).fixed())?;
    Ok(())
}

/// Adds pillars of three kinds and a few kiosks; returns their middles and how far they reach.
fn furniture(hall: &mut Pipeline<D2>, sides: [f64; 2]) -> Result<Vec<([f64; 2], f64)>, PipelineError> {
    let octagon: Vec<[f64; 2]> =
        [[1.0, 0.42], [0.42, 1.0]].iter().flat_map(|[x, y]| [[*x, *y], [-x, *y], [*x, -y], [-x, -y]]).collect();
    let mut standing = Vec::new();
    let [columns, rows] = [(sides[0] / 18.0).floor() as usize, (sides[1] / 20.0).floor() as usize];
    for index in 0..columns * rows {
        let (column, row) = (index % columns, index / columns);
        let x = sides[0] * (column as f64 + 0.5) / columns as f64;
        let y = sides[1] * (row as f64 + 0.5) / rows as f64;
        let (shape, rotation, reach) = match (column + row) % 6 {
            0 | 3 => (Shape::ball(0.9), 0.0, 0.9),
            1 | 4 => (Shape::cuboid([0.6; 2]).and_then(|shape| shape.rounded(0.2)), core::f64::consts::FRAC_PI_4, 1.1),
            2 => (Shape::convex(&octagon), 0.0, 1.1),
            _ => (Shape::cuboid([2.6, 1.2]).and_then(|shape| shape.rounded(0.3)), 0.35, 3.2),
        };
        put(hall, shape, [x, y], rotation)?;
        standing.push(([x, y], reach));
    }
    Ok(standing)
}

/// Adds discs, capsules (shoulders) and walkers with a trolley, scattered over the floor.
fn people(
    hall: &mut Pipeline<D2>,
    walkers: usize,
    doors: &[Door],
    sides: [f64; 2],
    obstacles: &[([f64; 2], f64)],
    random: &mut Random,
) -> Result<Vec<Entrant>, PipelineError> {
    // Walkers face along x. A capsule lies along y, as shoulders do; a trolley is behind its walker.
    let trolley = [[0.08, -0.1], [0.08, 0.1], [-0.1, 0.14], [-0.48, 0.1], [-0.48, -0.1], [-0.1, -0.14]];
    let mut shapes = Vec::new();
    for (shape, how_many) in [
        (Shape::ball(0.22), 3),
        (Shape::ball(0.25), 3),
        (Shape::capsule(0.11, 0.14), 4),
        (Shape::capsule(0.13, 0.16), 3),
        (Shape::convex(&trolley).and_then(|shape| shape.rounded(0.1)), 2),
    ] {
        let shape = hall.add_shape(shape?)?;
        shapes.extend([shape].repeat(how_many));
    }
    // The coarsest raster that has a place for all walkers.
    let mut places = Vec::new();
    let mut spacing = ROOM.sqrt();
    while places.len() < walkers {
        places.clear();
        let [columns, rows] = sides.map(|side| ((side - 2.0) / spacing).floor().max(1.0) as usize);
        for index in 0..columns * rows {
            let x = 1.0 + (index % columns) as f64 * spacing + random.between(0.0, 0.2);
            let y = 1.0 + (index / columns) as f64 * spacing + random.between(0.0, 0.2);
            let free = |([px, py], reach): &([f64; 2], f64)| {
                let gap = reach + 1.0;
                (x - px) * (x - px) + (y - py) * (y - py) > gap * gap
            };
            if obstacles.iter().all(free) {
                places.push([x, y]);
            }
        }
        spacing *= 0.995;
    }
    random.shuffle(&mut places);
    let (mut bodies, mut wishes) = (Vec::with_capacity(walkers), Vec::with_capacity(walkers));
    for &place in &places[..walkers] {
        // Most take the nearest door, some one of the next two.
        let far = |door: &Door| {
            let [dx, dy] = [door.middle[0] - place[0], door.middle[1] - place[1]];
            (dx * dx + dy * dy).sqrt()
        };
        let mut by_distance: Vec<usize> = (0..doors.len()).collect();
        by_distance.sort_by(|&a, &b| far(&doors[a]).total_cmp(&far(&doors[b])));
        let choice = [0, 0, 0, 0, 0, 0, 1, 2][random.below(8)];
        let door = by_distance[choice.min(doors.len() - 1)];
        let [dx, dy] = [0, 1].map(|k| doors[door].middle[k] - place[k]);
        let shape = shapes[random.below(shapes.len())];
        bodies.push(Body::new(shape, place).with_rotation([libm::atan2(dy, dx)]));
        wishes.push((door, random.between(1.1, 1.6)));
    }
    let handles = hall.insert_many(&bodies)?;
    Ok(handles.into_iter().zip(wishes).map(|(handle, (door, speed))| Entrant { handle, door, speed }).collect())
}
