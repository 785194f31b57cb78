//! Which blocks of a hull's points may hold the furthest along a direction.
//!
//! Directions fall into the cells of a cube's surface, and for each cell is known which blocks those are, from when the
//! hull was made. A point is furthest along no direction of a cell if one other point is further at all corners of the
//! cell, because heights along directions are linear in them: a coarse Gauss map, which needs no faces. (In rigid body
//! engines the cells of such a cube have been where walks over large hulls begin.)
//!
//! Hulls are seen as if they filled the cube: as few blocks are then looked at of needles and plates along the axes as
//! of what is round. As kernels do, all here looks along the opposite direction, where the furthest point is the
//! *nearest*, of the least product.

use jostle_lanes::{Space, Vector, dispatch};

use crate::blocks::place_in_blocks;
use crate::cell_table::{HEADER, half};
use crate::points::{Furthest, Points};
use crate::width::MAX_WIDTH;

/// By how much a rival has to be nearer, where the hull fills the cube. A place among cells is rounded by up to 1e-6 of
/// one, which is up to 1 / 1.98 wide: two coordinates of a direction may each be off by 5e-7, and two points be 2 apart
/// along each, 2e-6 in all. Products in `f32` add 1e-6. (Far more than these leaves hardly a block more to be looked
/// at.)
const ROUNDING: f64 = 8e-5;
/// So few points are all looked at.
const MOST_WITHOUT_CELLS: usize = 127;
/// So many have cells of half the size. They leave fewer blocks to be looked at, but the table, eight times as large,
/// is then waited for where no two hulls are alike (*Cells of directions* in BENCHMARKS.md).
const MANY: usize = 1024;

/// Blocks of a word.
const WORD: usize = u32::BITS as usize;

/// True if so many points have cells, if they are not too near to each other. Neighbours should then lie together.
pub(crate) fn worth_making(count: usize) -> bool {
    count > MOST_WITHOUT_CELLS
}

/// The table for `count` points in [blocks](place_in_blocks) that reach so far from the origin along each axis. Empty
/// if they are too few, or so near to each other that `f32` loses digits of it.
pub(crate) fn table<S: Space>(count: usize, extents: S::Array<f64>, points: &[f64]) -> Box<[u32]> {
    if !worth_making(count) || extents.as_ref().iter().any(|&extent| extent > 0.0 && extent < 1e-24) {
        return Box::default();
    }
    let extents: [f64; 3] = std::array::from_fn(|k| if k < S::DIMENSION { extents[k] } else { 0.0 });
    let point = |i: usize| {
        std::array::from_fn(|k| {
            if extents[k] == 0.0 { 0.0 } else { points[place_in_blocks(S::DIMENSION, i, k)] / extents[k] }
        })
    };
    let within = |block: usize| (block * MAX_WIDTH..count.min((block + 1) * MAX_WIDTH)).map(point);
    let blocks = count.div_ceil(MAX_WIDTH);
    let balls: Vec<([f64; 3], f64)> = (0..blocks).map(|block| ball_about(&|| within(block))).collect();
    let bits = if count < MANY { 2 } else { 3 };
    let middle = f64::from(1 << bits) / 2.0;
    let place = |corner: [usize; 3]| corner.map(|at| ((at as f64 - middle) / f64::from(half(bits))).clamp(-1.0, 1.0));
    let words = blocks.div_ceil(WORD);
    let mut table = vec![0; HEADER + words * ((1 << (S::DIMENSION * bits)) + 1)];
    table[0] = (bits | words << 8) as u32;
    for (entry, extent) in table[1..].iter_mut().zip(extents) {
        *entry = (extent as f32).to_bits();
    }
    // Cells share corners.
    let mut furthest = vec![None; 1 << (3 * (bits + 1))];
    for (cell, list) in table[HEADER..].chunks_exact_mut(words).enumerate() {
        let corners = corners(cell, bits, S::DIMENSION);
        let mut seen = Seen::from(corners.iter().map(|&corner| place(corner)));
        for &corner in &corners {
            let known = &mut furthest[corner.iter().fold(0, |sum, at| sum << (bits + 1) | at)];
            let index = *known.get_or_insert_with(|| {
                let along = place(corner);
                let direction = S::Vector::from_fn(|k| if extents[k] == 0.0 { 0.0 } else { -along[k] / extents[k] });
                dispatch(Furthest::<S, f64> { points: Points { blocks: points, cells: &[] }, direction })
            });
            seen.add_rival(point(index));
        }
        for (block, &(middle, radius)) in balls.iter().enumerate() {
            // Where there are no corners there are no rivals.
            if !seen.is_out(middle, radius) && within(block).any(|point| !seen.is_out(point, 0.0)) {
                list[block / WORD] |= 1 << (block % WORD);
            }
        }
    }
    table.into()
}

/// What is seen from the corners of one cell.
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

/// The corners of a cell that are on the cube's surface, counted from one of its corners; none where the cell is
/// inside, or the last.
fn corners(cell: usize, bits: usize, dimension: usize) -> Vec<[usize; 3]> {
    if cell >> (dimension * bits) != 0 {
        return Vec::new();
    }
    let side = 1 << bits;
    let place = [0, 1, 2].map(|axis| cell >> (axis * bits) & (side - 1));
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
