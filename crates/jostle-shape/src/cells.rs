//! Which blocks of a hull's points may hold the furthest along a direction.
//!
//! Directions fall into the cells of a cube's surface, and each cell has a list of blocks, made when the hull is. A point is
//! furthest along no direction of a cell if one other point is further at all corners of the cell, because heights along
//! directions are linear in them: a coarse Gauss map, which needs no faces. (In rigid body engines the cells of such a cube have
//! been where walks over large hulls begin.) As kernels do, all here looks along the opposite direction, for the nearest.
//!
//! Hulls are seen as if they filled the cube: so that lists of needles and plates along the axes are as short as those of what is round.

use jostle_lanes::{Scalar, Space, Vector, dispatch, prefetch_lines};

use crate::points::FurthestOfAll;
use crate::{MAX_WIDTH, place_in_blocks};

/// What is from 0 to the number of cells along an axis and added to this has its whole part in the bits from [`POINT`] on.
const SHIFT: f32 = 256.0;
const POINT: u32 = 15;
/// How much further a point has to be than what is out of the question, where the hull fills the cube: cells are told apart to 2^-16 of their
/// size, and in `f32` heights are rounded.
const ROUNDING: f64 = 8e-5;
/// So few points are all looked at.
const FEW: usize = 127;
/// So many have small cells. Of fewer every list is looked at while a cache line or two of the table are at hand: hulls of 256 points that
/// are used again and again took a tenth less with small cells, and those no two of which are alike two fifths more.
const MANY: usize = 1024;

/// Lists of blocks, by directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// There are two to this power of cells along each axis.
    bits: u32,
    /// How many there are from the middle to a side, and a little less, so that what is on a side is in the last.
    half: f32,
    /// What directions are multiplied with: half the size of the hull.
    extents: [f32; 3],
    /// Where the list of each cell begins and ends; then the lists, each ascending. The last list, with no cell, is that of all blocks.
    table: Vec<u16>,
}

/// True if so many points have cells. Neighbours should then lie together.
pub(crate) fn pay(count: usize) -> bool {
    count > FEW
}

impl Cells {
    /// For `count` points in [blocks](place_in_blocks) that reach so far from the origin along each axis; none if they are too few.
    pub(crate) fn new<S: Space>(count: usize, extents: S::Array<f64>, points: &[f64]) -> Option<Box<Self>> {
        if !pay(count) {
            return None;
        }
        let all: Vec<u16> = (0..count.div_ceil(MAX_WIDTH) as u16).collect();
        let extents: [f64; 3] = std::array::from_fn(|k| if k < S::DIMENSION { extents[k] } else { 0.0 });
        let point = |i: usize| {
            std::array::from_fn(|k| {
                if extents[k] == 0.0 { 0.0 } else { points[place_in_blocks(S::DIMENSION, i, k)] / extents[k] }
            })
        };
        let within = |block: u16| {
            let first = usize::from(block) * MAX_WIDTH;
            (first..count.min(first + MAX_WIDTH)).map(point)
        };
        let balls: Vec<([f64; 3], f64)> = all.iter().map(|&block| ball_about(&|| within(block))).collect();
        let bits: usize = if count < MANY { 2 } else { 3 };
        let half = (1 << bits) as f64 / 2.0 - 0.02;
        let place =
            |corner: [usize; 3]| corner.map(|at| ((at as f64 - (1 << bits) as f64 / 2.0) / half).clamp(-1.0, 1.0));
        let cells = 1 << (3 * bits);
        let mut table = vec![0; 2 * (cells + 1)];
        // Cells share corners.
        let mut furthest = vec![None; 1 << (3 * (bits + 1))];
        for cell in 0..cells {
            let corners = corners(cell, bits, S::DIMENSION);
            if corners.is_empty() {
                continue;
            }
            let mut seen = Seen::from(corners.iter().map(|&corner| place(corner)));
            for &corner in &corners {
                let known = &mut furthest[corner.iter().fold(0, |sum, at| sum << (bits + 1) | at)];
                let index = *known.get_or_insert_with(|| {
                    let along = place(corner);
                    let against = S::Vector::from_fn(|k| if extents[k] == 0.0 { 0.0 } else { along[k] / extents[k] });
                    dispatch(FurthestOfAll::<S, f64> { blocks: points, against })
                });
                seen.add_rival(point(index));
            }
            let may_matter = |&&block: &&u16| {
                let (middle, radius) = balls[usize::from(block)];
                !seen.is_out(middle, radius) && within(block).any(|point| !seen.is_out(point, 0.0))
            };
            let list: Vec<u16> = all.iter().filter(may_matter).copied().collect();
            // Beyond what 16 bits can say there is room for the list of all.
            if table.len() + list.len() + all.len() <= usize::from(u16::MAX) {
                (table[2 * cell], table[2 * cell + 1]) = (table.len() as u16, (table.len() + list.len()) as u16);
                table.extend(list);
            }
        }
        let whole = [table.len() as u16, (table.len() + all.len()) as u16];
        table.extend(&all);
        for range in table[..2 * (cells + 1)].as_chunks_mut().0 {
            if *range == [0; 2] {
                *range = whole;
            }
        }
        Some(Box::new(Self { bits: bits as u32, half: half as f32, extents: extents.map(|x| x as f32), table }))
    }

    /// Asks for its memory.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch_lines(&self.table, 12);
    }

    /// The blocks that may hold the furthest point opposite to `against`, ascending: all if that is very short or very long.
    #[inline(always)]
    pub(crate) fn blocks<S: Space, T: Scalar>(&self, against: S::Vector<T>) -> &[u16] {
        let cell = self.cell_of::<S, T>(against);
        &self.table[usize::from(self.table[2 * cell])..usize::from(self.table[2 * cell + 1])]
    }

    /// The number of a direction's cell.
    #[inline(always)]
    fn cell_of<S: Space, T: Scalar>(&self, direction: S::Vector<T>) -> usize {
        let mut along = [0.0; 3];
        let mut largest = 0.0;
        for k in 0..S::DIMENSION {
            along[k] = direction.get(k).to_f64() as f32 * self.extents[k];
            largest = if along[k].abs() > largest { along[k].abs() } else { largest };
        }
        let side = 1_u32 << self.bits;
        if !(largest > 1e-30 && largest < 1e30) {
            return 1 << (3 * self.bits);
        }
        let (scale, middle) = (self.half / largest, SHIFT + (side / 2) as f32);
        let mut cell = 0;
        for k in (0..S::DIMENSION).rev() {
            let place = (along[k] * scale + middle).to_bits() >> POINT;
            cell = cell << self.bits | place & (side - 1);
        }
        cell as usize
    }
}

/// What can be seen from the corners of one cell.
struct Seen {
    /// The directions to the corners, and their lengths.
    corners: Vec<([f64; 3], f64)>,
    /// How near points are that are nearest at one of the corners, at each of them.
    rivals: Vec<[f64; MOST]>,
}

/// A cell at a corner of the cube has the most corners on its surface.
const MOST: usize = 7;

impl Seen {
    fn from(corners: impl Iterator<Item = [f64; 3]>) -> Self {
        Self { corners: corners.map(|corner| (corner, dot(corner, corner).sqrt())).collect(), rivals: Vec::new() }
    }

    /// How near all that is within `room` of a place is at each corner, at least.
    fn nearest(&self, place: [f64; 3], room: f64) -> [f64; MOST] {
        let mut nearest = [0.0; MOST];
        for (nearest, (corner, length)) in nearest.iter_mut().zip(&self.corners) {
            *nearest = dot(place, *corner) - room * length;
        }
        nearest
    }

    fn add_rival(&mut self, point: [f64; 3]) {
        let rival = self.nearest(point, 0.0).map(|near| near + ROUNDING);
        if !self.rivals.contains(&rival) {
            self.rivals.push(rival);
        }
    }

    /// Whether all that is within `room` of a place is out of the question: one rival is nearer at all corners.
    fn is_out(&self, place: [f64; 3], room: f64) -> bool {
        let (nearest, count) = (self.nearest(place, room), self.corners.len());
        self.rivals.iter().any(|rival| nearest.iter().zip(rival).take(count).all(|(near, rival)| near > rival))
    }
}

/// The corners of a cell that are on the cube's surface, counted from one of its corners; none where the cell is inside or there is
/// no such cell.
fn corners(cell: usize, bits: usize, dimension: usize) -> Vec<[usize; 3]> {
    let side = 1 << bits;
    let place = [0, 1, 2].map(|axis| cell >> (axis * bits) & (side - 1));
    if place[dimension..].iter().any(|&place| place != 0) {
        return Vec::new();
    }
    let corner = |number: usize| {
        // In the plane the third is in the middle.
        std::array::from_fn(|k| if k < dimension { place[k] + (number >> k & 1) } else { side / 2 })
    };
    let on_surface = |corner: &[usize; 3]| corner.iter().any(|&at| at == 0 || at == side);
    (0..1 << dimension).map(corner).filter(on_surface).collect()
}

/// A ball about points: its middle and its radius.
fn ball_about<I: Iterator<Item = [f64; 3]>>(points: &dyn Fn() -> I) -> ([f64; 3], f64) {
    let share = 1.0 / points().count() as f64;
    let middle = [0, 1, 2].map(|k| points().map(|p| p[k] * share).sum::<f64>());
    let away = |p: [f64; 3]| {
        let away = [0, 1, 2].map(|k| p[k] - middle[k]);
        dot(away, away).sqrt()
    };
    (middle, points().map(away).fold(0.0, f64::max))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
