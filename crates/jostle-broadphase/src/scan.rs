//! The inner loop: one box against a stretch of others, a register of them at a time, all bounds at once.
//!
//! Nothing here branches on a hit. Hits are packed to the left behind earlier ones, with the scanning box's word beside
//! each, so the only branches are the ends of loops. Full batches go to the caller's sink. The order is that of the
//! scanning boxes, then of the scanned ones, whatever the lane width.

use jostle_lanes::{Kernel, Lanes};

use crate::copies::cell_in;
use crate::layers::Apart;
use crate::record::{INDEX_BITS, PADS};
use crate::region::{Among, Region, Stretch};
use crate::store::Store;

/// Pairs per batch, at least: a few kibibytes, so that most of the first-level cache is left to the boxes.
const PAIRS_PER_BATCH: usize = 256;
/// The room of a batch: what one test may add is included.
const BATCH_ROOM: usize = PAIRS_PER_BATCH + PADS;

/// Takes batches of pairs `[a, b]`, `a < b`.
pub(crate) type Sink<'a> = dyn FnMut(&[[u32; 2]]) + 'a;

/// Finds all pairs of a stretch. With `ROUND`, boxes are those of balls, and the balls have to overlap as well; with
/// `LAYERED`, boxes are in layers, which must not be kept apart.
pub(crate) struct Scan<'a, 's, const D: usize, const ROUND: bool, const LAYERED: bool> {
    pub region: &'a Region,
    pub stretch: Stretch,
    /// Twice the amount by which two balls may be nearer to each other than their boxes show.
    pub tolerance: f32,
    /// Which layers are kept apart.
    pub apart: &'a Apart,
    pub sink: &'a mut Sink<'s>,
}

/// The columns that are scanned, cut to one length.
#[derive(Clone, Copy)]
struct View<'a> {
    lower: [&'a [f32]; 3],
    upper: [&'a [f32]; 3],
    words: &'a [u32],
    /// Empty where boxes are in no layers.
    layers: &'a [u32],
}

impl<'a> View<'a> {
    #[inline(always)]
    fn new<const D: usize, const LAYERED: bool>(store: &'a Store) -> Self {
        let len = store.words.len();
        let (l, u) = (&store.lower, &store.upper);
        let z = if D == 3 { 2 } else { 1 };
        Self {
            lower: [&l[0][..len], &l[1][..len], &l[z][..len]],
            upper: [&u[0][..len], &u[1][..len], &u[z][..len]],
            words: &store.words[..len],
            layers: if LAYERED { &store.layers[..len] } else { &[] },
        }
    }
}

/// The scanning box.
#[derive(Clone, Copy)]
struct Probe {
    lower: [f32; 3],
    upper: [f32; 3],
    word: u32,
    /// The layers that its own is kept apart from.
    apart: u32,
    /// See [`Scan::tolerance`].
    tolerance: f32,
}

impl Probe {
    #[inline(always)]
    fn of<const LAYERED: bool>(view: &View<'_>, index: usize, apart: &Apart, tolerance: f32) -> Self {
        Self {
            lower: [view.lower[0][index], view.lower[1][index], view.lower[2][index]],
            upper: [view.upper[0][index], view.upper[1][index], view.upper[2][index]],
            word: view.words[index],
            apart: if LAYERED { apart.from(view.layers[index]) } else { 0 },
            tolerance,
        }
    }
}

struct Batch {
    /// The words of the scanning box and of the scanned box of each pair.
    scanning: [u32; BATCH_ROOM],
    scanned: [u32; BATCH_ROOM],
    len: usize,
    pairs: [[u32; 2]; BATCH_ROOM],
}

impl Batch {
    /// Appends those of the boxes from `at` on that were hit, behind the first `len` pairs; returns how many there are.
    #[inline(always)]
    fn keep<L: Lanes<Scalar = f32>>(
        &mut self,
        hit: L::Mask,
        view: &View<'_>,
        at: usize,
        scanning: u32,
        len: usize,
    ) -> usize {
        for slot in &mut self.scanning[len..len + L::WIDTH] {
            *slot = scanning;
        }
        L::left_pack(hit, &view.words[at..], &mut self.scanned[len..])
    }

    #[inline(always)]
    fn flush(&mut self, sink: &mut Sink<'_>) {
        let sides = self.scanning[..self.len].iter().zip(&self.scanned[..self.len]);
        for (pair, (&a, &b)) in self.pairs.iter_mut().zip(sides) {
            let (a, b) = (a & INDEX_BITS, b & INDEX_BITS);
            *pair = [a.min(b), a.max(b)];
        }
        sink(&self.pairs[..self.len]);
        self.len = 0;
    }
}

impl<const D: usize, const ROUND: bool, const LAYERED: bool> Kernel<f32> for Scan<'_, '_, D, ROUND, LAYERED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let Scan { region, stretch, tolerance, apart, sink } = self;
        let mut batch =
            Batch { scanning: [0; BATCH_ROOM], scanned: [0; BATCH_ROOM], len: 0, pairs: [[0; 2]; BATCH_ROOM] };
        let (first, next) = (stretch.first as usize, stretch.next as usize);
        match stretch.among {
            Among::Copies => {
                let view = View::new::<D, LAYERED>(&region.copies);
                let ends = &region.copies.ends[..];
                let stride = region.grid.cells[region.grid.order[0]] as usize + 1;
                let column = |k: usize| &region.starts[k * stride..(k + 1) * stride];
                let mut here = last_column(&region.starts, stride, stretch.first);
                while (here + 1) * stride < region.starts.len() && column(here)[0] < stretch.next {
                    let starts = column(here);
                    let next = next.min(starts[stride - 1] as usize);
                    // One loop both for the next box and for the rest of this one after a flush: a call inside the loop
                    // over the scanned boxes would spill every register of the scanning one before it.
                    let mut index = first.max(starts[0] as usize);
                    let mut at = index + 1;
                    while index < next {
                        let probe = Probe::of::<LAYERED>(&view, index, apart, tolerance);
                        let end = starts[cell_in(ends[index]) + 1] as usize;
                        at = scan::<L, D, ROUND, LAYERED>(&view, &probe, at, end, &mut batch);
                        if batch.len >= PAIRS_PER_BATCH {
                            batch.flush(sink);
                        }
                        if at >= end {
                            index += 1;
                            at = index + 1;
                        }
                    }
                    here += 1;
                }
            }
            Among::LargeAndCopies => {
                let view = View::new::<D, LAYERED>(&region.copies);
                let large = View::new::<D, LAYERED>(&region.large);
                let [x, y, z] = region.grid.order;
                let cells = region.grid.cells;
                for index in first..next {
                    let mut probe = Probe::of::<LAYERED>(&large, index, apart, tolerance);
                    let word = probe.word;
                    let [low, high] = region.spans[index];
                    for i in low[y]..=high[y] {
                        for j in low[z]..=high[z] {
                            let here = u32::from(i > low[y]) << (29 + y) | u32::from(j > low[z]) << (29 + z);
                            probe.word = word | here;
                            let base = ((i * cells[z] + j) * (cells[x] + 1)) as usize;
                            let from = region.starts[base] as usize;
                            let end = region.starts[base + high[x] as usize + 1] as usize;
                            scan_all::<L, D, ROUND, LAYERED>(&view, &probe, from, end, &mut batch, sink);
                        }
                    }
                }
            }
            Among::Large => {
                let view = View::new::<D, LAYERED>(&region.large);
                for index in first..next {
                    let probe = Probe::of::<LAYERED>(&view, index, apart, tolerance);
                    scan_all::<L, D, ROUND, LAYERED>(&view, &probe, index + 1, region.spans.len(), &mut batch, sink);
                }
            }
        }
        batch.flush(sink);
    }
}

/// The column of the copy at `place`: the last one that starts at or before it.
pub(crate) fn last_column(starts: &[u32], stride: usize, place: u32) -> usize {
    let (mut low, mut high) = (0, starts.len() / stride);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if starts[middle * stride] <= place { low = middle } else { high = middle }
    }
    low
}

/// Tests `probe` against the boxes `from..end` (and up to a register more, which cannot overlap it).
#[inline(always)]
fn scan_all<L: Lanes<Scalar = f32>, const D: usize, const ROUND: bool, const LAYERED: bool>(
    view: &View<'_>,
    probe: &Probe,
    from: usize,
    end: usize,
    batch: &mut Batch,
    sink: &mut Sink<'_>,
) {
    let mut at = from;
    while at < end {
        at = scan::<L, D, ROUND, LAYERED>(view, probe, at, end, batch);
        if batch.len >= PAIRS_PER_BATCH {
            batch.flush(sink);
        }
    }
}

/// The same until the batch is full; returns where it stopped.
#[inline(always)]
fn scan<L: Lanes<Scalar = f32>, const D: usize, const ROUND: bool, const LAYERED: bool>(
    view: &View<'_>,
    probe: &Probe,
    from: usize,
    end: usize,
    batch: &mut Batch,
) -> usize {
    let mut at = from;
    let mut len = batch.len;
    while at < end && len < PAIRS_PER_BATCH {
        let hit = test::<L, D, ROUND, LAYERED>(view, probe, at);
        len += batch.keep::<L>(hit, view, at, probe.word, len);
        at += L::WIDTH;
    }
    batch.len = len;
    at
}

/// Which of a register of boxes from `at` on overlap `probe` and have to be reported in this column.
#[inline(always)]
fn test<L: Lanes<Scalar = f32>, const D: usize, const ROUND: bool, const LAYERED: bool>(
    view: &View<'_>,
    probe: &Probe,
    at: usize,
) -> L::Mask {
    let mut hit = L::bits_disjoint(&view.words[at..], probe.word & !INDEX_BITS);
    if const { LAYERED } {
        hit = hit & L::bits_disjoint(&view.layers[at..], probe.apart);
    }
    let mut squared = L::zero();
    for k in 0..D {
        let (from, to) = (probe.lower[k], probe.upper[k]);
        let (lower, upper) = (L::load(&view.lower[k][at..]), L::load(&view.upper[k][at..]));
        hit = hit & lower.le(L::splat(to)) & upper.ge(L::splat(from));
        if const { ROUND } {
            let between = (lower + upper) - L::splat(from + to);
            squared = squared + between * between;
        }
    }
    if const { !ROUND } {
        return hit;
    }
    // Twice the distance of the centres against twice the sum of the radii: a ball's box is equally wide along each
    // axis. (The smallest normal number is added for squares so small that they lose digits.)
    let size = L::load(&view.upper[0][at..]) - L::load(&view.lower[0][at..]);
    let reach = size + L::splat(probe.upper[0] - probe.lower[0] + probe.tolerance);
    hit & squared.le(reach * reach + L::constant(f64::from(f32::MIN_POSITIVE)))
}
