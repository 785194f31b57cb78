//! Boxes as columns of numbers that lanes can load, in the order in which they are scanned.

use jostle_lanes::{Isa, Kernel, Lanes, dispatch_on, prefetch_at};
use jostle_tasks as tasks;

use crate::copies::cells_of;
use crate::grid::Grid;
use crate::record::{INDEX_BITS, LAYER, Layout, PADS, Record, WORD};
use crate::room::lengthen;

/// Prefetch distance, in copies: their records lie anywhere in the region (ns a body at 100,000, Zen 1: 26 -> 15 in
/// space, 11 -> 8.5 in the plane; 16 and 64 are the same).
const COPIES_AHEAD: usize = 32;

/// Columns of boxes, with [`PADS`] NaN boxes behind the last; what lies behind those is left over from earlier use.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub lower: [Vec<f32>; 3],
    pub upper: [Vec<f32>; 3],
    /// Marks above the body's index.
    pub words: Vec<u32>,
    /// The layer of each, as a bit; written only where there are layers.
    pub layers: Vec<u32>,
    /// The last cell of each copy along the sweep axis, plus `ROUNDER`.
    pub ends: Vec<f32>,
}

/// A stretch of all columns, to be written; in the plane the third pair is empty.
struct Piece<'a> {
    lower: [&'a mut [f32]; 3],
    upper: [&'a mut [f32]; 3],
    words: &'a mut [u32],
    /// Empty where there are no layers.
    layers: &'a mut [u32],
    ends: &'a mut [f32],
}

impl Store {
    pub fn grow(&mut self, layout: Layout, len: usize) {
        for axis in 0..layout.dimension {
            lengthen(&mut self.lower[axis], len, f32::NAN);
            lengthen(&mut self.upper[axis], len, f32::NAN);
        }
        lengthen(&mut self.words, len, 0);
        if layout.layered {
            // As long as the words, which may be longer from earlier use: scans cut all columns to one length.
            lengthen(&mut self.layers, self.words.len(), 0);
        }
    }

    pub fn pad(&mut self, layout: Layout, first: usize) {
        for axis in 0..layout.dimension {
            self.lower[axis][first..first + PADS].fill(f32::NAN);
            self.upper[axis][first..first + PADS].fill(f32::NAN);
        }
        self.words[first..first + PADS].fill(0);
        if layout.layered {
            self.layers[first..first + PADS].fill(0);
        }
    }

    /// Replaces the contents by the boxes of `order`: indices of `records`, with marks above; a multiple of [`PADS`] of
    /// them. If there are more than about `few`, pieces of that size are filled in parallel.
    pub fn fill(&mut self, isa: Isa, layout: Layout, grid: &Grid, records: &[Record], order: &[u32], few: usize) {
        let len = order.len();
        self.grow(layout, len);
        lengthen(&mut self.ends, len, 0.0);
        let (deep, layered) = (if layout.dimension == 3 { len } else { 0 }, if layout.layered { len } else { 0 });
        let [l0, l1, l2] = &mut self.lower;
        let [u0, u1, u2] = &mut self.upper;
        let piece = Piece {
            lower: [&mut l0[..len], &mut l1[..len], &mut l2[..deep]],
            upper: [&mut u0[..len], &mut u1[..len], &mut u2[..deep]],
            words: &mut self.words[..len],
            layers: &mut self.layers[..layered],
            ends: &mut self.ends[..len],
        };
        piece.fill(isa, grid, records, order, few);
    }
}

impl Piece<'_> {
    fn fill(self, isa: Isa, grid: &Grid, records: &[Record], order: &[u32], few: usize) {
        if order.len() > few.max(PADS) {
            let middle = (order.len() / 2).next_multiple_of(PADS);
            let (here, behind) = self.split_at(middle);
            tasks::join(
                || here.fill(isa, grid, records, &order[..middle], few),
                || behind.fill(isa, grid, records, &order[middle..], few),
            );
        } else if self.lower[2].is_empty() {
            dispatch_on(isa, Gather::<2> { piece: self, grid, records, order });
        } else {
            dispatch_on(isa, Gather::<3> { piece: self, grid, records, order });
        }
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let [(l0, m0), (l1, m1), (l2, m2)] = self.lower.map(|column| column.split_at_mut(middle.min(column.len())));
        let [(u0, v0), (u1, v1), (u2, v2)] = self.upper.map(|column| column.split_at_mut(middle.min(column.len())));
        let (words, more_words) = self.words.split_at_mut(middle);
        let (layers, more_layers) = self.layers.split_at_mut(middle.min(self.layers.len()));
        let (ends, more_ends) = self.ends.split_at_mut(middle);
        (
            Self { lower: [l0, l1, l2], upper: [u0, u1, u2], words, layers, ends },
            Self { lower: [m0, m1, m2], upper: [v0, v1, v2], words: more_words, layers: more_layers, ends: more_ends },
        )
    }
}

/// Fills a piece of the columns, including pads.
struct Gather<'a, 'p, const D: usize> {
    piece: Piece<'p>,
    grid: &'a Grid,
    records: &'a [Record],
    order: &'a [u32],
}

impl<const D: usize> Kernel<f32> for Gather<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let Gather { piece, grid, records, order } = self;
        let len = order.len();
        let Piece { lower: [l0, l1, l2], upper: [u0, u1, u2], words, layers, ends } = piece;
        let (l0, l1, u0, u1) = (&mut l0[..len], &mut l1[..len], &mut u0[..len], &mut u1[..len]);
        let (l2, u2) = if D == 3 { (&mut l2[..len], &mut u2[..len]) } else { (l2, u2) };
        let (words, ends) = (&mut words[..len], &mut ends[..len]);
        let sweep = grid.order[0];
        for at in (0..len).step_by(L::WIDTH) {
            let places = &order[at..at + L::WIDTH];
            if at + COPIES_AHEAD + L::WIDTH <= len {
                for &entry in &order[at + COPIES_AHEAD..][..L::WIDTH] {
                    prefetch_at(records, (entry & INDEX_BITS) as usize);
                }
            }
            let columns = L::gather_rows(
                #[inline(always)]
                |lane| &records[(places[lane] & INDEX_BITS) as usize],
            );
            columns[0].store(&mut l0[at..]);
            columns[1].store(&mut l1[at..]);
            columns[4].store(&mut u0[at..]);
            columns[5].store(&mut u1[at..]);
            if D == 3 {
                columns[2].store(&mut l2[at..]);
                columns[6].store(&mut u2[at..]);
            }
            if !layers.is_empty() {
                columns[LAYER].store(bytemuck::cast_slice_mut(&mut layers[at..at + L::WIDTH]));
            }
            let end = match sweep {
                0 => columns[4],
                1 => columns[5],
                _ => columns[6],
            };
            cells_of(grid, sweep, end).store(&mut ends[at..]);
            let words = &mut words[at..at + L::WIDTH];
            columns[WORD].store(bytemuck::cast_slice_mut(words));
            for (word, &entry) in words.iter_mut().zip(&order[at..at + L::WIDTH]) {
                *word |= entry & !INDEX_BITS;
            }
        }
    }
}
