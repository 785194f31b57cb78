//! Which blocks of a hull's points may hold the furthest one along a direction.
//!
//! Directions fall into cells on the surface of a cube, and for each cell these blocks are determined when the hull is
//! made. A point is furthest along no direction of a cell if one other point is further at all corners of the cell,
//! because heights along directions are linear in them: a coarse Gauss map, which needs no faces. (In rigid body
//! engines the cells of such a cube have been the starting points of walks over large hulls.)
//!
//! Hulls are scaled to fill the cube, so that needles and plates along the axes leave as few blocks as round hulls do.
//! As in the kernels, everything here looks along the opposite direction, where the furthest point is the *nearest*:
//! that of the least product.

use jostle_lanes::{Space, Vector, dispatch};

use crate::blocks::place_in_blocks;
use crate::cell_table::{CELLS_PER_EDGE, HALF_EDGE, HEADER_BYTES, TAIL_BYTES, bytes_of, cells_of};
use crate::counts::MAX_WIDTH;
use crate::points::{Furthest, Points};

/// How much nearer a rival has to be, if the hull fills the cube. A position among cells is rounded by up to 2e-6 of a
/// cell, which is 1 / 3.98 wide: two coordinates of a direction may each be off by 5e-7, and two points 2 apart along
/// each, so by 2e-6 in all. Products in `f32` add 1e-6. (That the constant is far above their sum leaves hardly a block
/// more to search.)
const CELL_ROUNDING: f64 = 8e-5;

/// Up to this many points are all searched.
const MOST_WITHOUT_CELLS: usize = 127;

/// True if this many points get cells, unless they are too near to each other. Neighbours should then be stored
/// together.
pub(crate) fn worth_making(count: usize) -> bool {
    count > MOST_WITHOUT_CELLS
}

/// The table for `count` points in [blocks](place_in_blocks) that reach as far as `extents` from the origin along each
/// axis. Empty if there are too few, or if they are so near to each other that `f32` loses digits of their extent.
pub(crate) fn table<S: Space>(count: usize, extents: S::Array<f64>, points: &[f64]) -> Box<[u8]> {
    if !worth_making(count) || extents.as_ref().iter().any(|&extent| extent > 0.0 && extent < 1e-24) {
        return Box::default();
    }
    let extents: [f64; 3] = std::array::from_fn(|k| if k < S::DIMENSION { extents[k] } else { 0.0 });
    let place = |i: usize| {
        std::array::from_fn(|k| {
            if extents[k] == 0.0 { 0.0 } else { points[place_in_blocks(S::DIMENSION, i, k)] / extents[k] }
        })
    };
    let places: Vec<[f64; 3]> = (0..count).map(place).collect();
    let blocks: Vec<Block<'_>> = places.chunks(MAX_WIDTH).map(Block::of).collect();
    let (bytes, cells) = (bytes_of(blocks.len()), cells_of(S::DIMENSION));
    let length = HEADER_BYTES + (cells + 1) * bytes + TAIL_BYTES;
    let mut table = Vec::with_capacity(length);
    table.extend((bytes as u32).to_le_bytes());
    table.extend(extents.iter().flat_map(|&extent| (extent as f32).to_le_bytes()));
    table.resize(length, 0);
    // Cells share corners.
    let mut furthest = vec![None; (CELLS_PER_EDGE + 1).pow(3)];
    for (cell, list) in table[HEADER_BYTES..].chunks_exact_mut(bytes).take(cells).enumerate() {
        let corners = corners(cell, S::DIMENSION);
        let mut seen = Seen::from(corners.map(direction));
        for corner in corners {
            let known = &mut furthest[corner.iter().fold(0, |sum, at| sum * (CELLS_PER_EDGE + 1) + at)];
            seen.add_rival(*known.get_or_insert_with(|| {
                let along = direction(corner);
                let direction = S::Vector::from_fn(|k| if extents[k] == 0.0 { 0.0 } else { -along[k] / extents[k] });
                places[dispatch(Furthest::<S, f64> { points: Points { blocks: points, cells: &[] }, direction })]
            }));
        }
        for (number, block) in blocks.iter().enumerate() {
            if seen.may_hold(block) {
                list[number / 8] |= 1 << (number % 8);
            }
        }
    }
    for number in 0..blocks.len() {
        table[HEADER_BYTES + cells * bytes + number / 8] |= 1 << (number % 8);
    }
    table.into()
}

/// The corners of a cell, in steps from one of the cube's corners. Cells are numbered face by face (those across the
/// first axis first, the lower before the upper), and on a face row by row, so that cells of neighbouring directions
/// are on one cache line. In the plane there are two corners, each listed twice.
fn corners(cell: usize, dimension: usize) -> [[usize; 3]; CORNERS] {
    let of_face = cells_of(dimension) / (2 * dimension);
    let (face, place) = (cell / of_face, cell % of_face);
    std::array::from_fn(|number| {
        // In the plane the third coordinate is in the middle.
        let (mut corner, mut row, mut end) = ([CELLS_PER_EDGE / 2; 3], place, number);
        for k in (0..dimension).rev() {
            if k == face / 2 {
                corner[k] = face % 2 * CELLS_PER_EDGE;
            } else {
                corner[k] = row % CELLS_PER_EDGE + end % 2;
                (row, end) = (row / CELLS_PER_EDGE, end / 2);
            }
        }
        corner
    })
}

/// The direction to a corner of cells.
fn direction(corner: [usize; 3]) -> [f64; 3] {
    let middle = CELLS_PER_EDGE as f64 / 2.0;
    corner.map(|at| ((at as f64 - middle) / f64::from(HALF_EDGE)).clamp(-1.0, 1.0))
}

/// Points that lie together, and a ball about them.
struct Block<'a> {
    points: &'a [[f64; 3]],
    middle: [f64; 3],
    radius: f64,
}

impl<'a> Block<'a> {
    fn of(points: &'a [[f64; 3]]) -> Self {
        let share = 1.0 / points.len() as f64;
        let middle = [0, 1, 2].map(|k| points.iter().map(|p| p[k] * share).sum::<f64>());
        let away = |p: &[f64; 3]| [0, 1, 2].map(|k| (p[k] - middle[k]) * (p[k] - middle[k])).iter().sum::<f64>();
        Self { points, middle, radius: points.iter().map(away).fold(0.0, f64::max).sqrt() }
    }
}

/// The number of corners of a cell.
const CORNERS: usize = 4;

/// What is known at the corners of one cell, computed for all corners together.
struct Seen {
    /// The directions to the corners, by coordinate.
    corners: [[f64; CORNERS]; 3],
    /// Their lengths.
    lengths: [f64; CORNERS],
    /// For each point that is nearest at one of the corners, how near it is at all of them.
    rivals: Vec<[f64; CORNERS]>,
}

impl Seen {
    fn from(corners: [[f64; 3]; CORNERS]) -> Self {
        Self {
            corners: [0, 1, 2].map(|k| corners.map(|corner| corner[k])),
            lengths: corners.map(|[x, y, z]| (x * x + y * y + z * z).sqrt()),
            rivals: Vec::with_capacity(CORNERS),
        }
    }

    /// A lower bound, at each corner, on how near the points within `room` of a place are.
    fn nearest(&self, [x, y, z]: [f64; 3], room: f64) -> [f64; CORNERS] {
        let [xs, ys, zs] = &self.corners;
        std::array::from_fn(|i| x * xs[i] + y * ys[i] + z * zs[i] - room * self.lengths[i])
    }

    fn add_rival(&mut self, place: [f64; 3]) {
        let rival = self.nearest(place, 0.0).map(|near| near + CELL_ROUNDING);
        if !self.rivals.contains(&rival) {
            self.rivals.push(rival);
        }
    }

    /// Whether all points within `room` of a place are ruled out: one rival is nearer at all corners.
    fn is_out(&self, place: [f64; 3], room: f64) -> bool {
        let nearest = self.nearest(place, room);
        // All corners at once, without a branch for each.
        self.rivals.iter().any(|rival| (0..CORNERS).filter(|&i| nearest[i] > rival[i]).count() == CORNERS)
    }

    fn may_hold(&self, block: &Block<'_>) -> bool {
        !self.is_out(block.middle, block.radius) && block.points.iter().any(|&point| !self.is_out(point, 0.0))
    }
}
