//! The contacts of a crowd or particle simulation in which all bodies are discs or balls, as one would write them by
//! hand: a cell list over centres, and for each pair found the distance of the centres less the radii. Scalar, without
//! boxes or a list of candidates, and all memory is reused: as fast as we could make it without writing jostle.

use core::ops::Range;

/// The answer: the same as jostle's except for bounds and status.
#[derive(Clone, Copy, Debug)]
pub struct Contact<const N: usize> {
    /// The two bodies.
    pub pair: [u32; 2],
    /// Signed distance.
    pub distance: f32,
    /// From the first to the second.
    pub normal: [f32; N],
    /// Points on both surfaces.
    pub points: [[f64; N]; 2],
}

#[derive(Clone, Copy, Debug)]
struct Disc<const N: usize> {
    centre: [f64; N],
    radius: f64,
    id: u32,
}

/// The cell list with its memory.
#[derive(Clone, Debug, Default)]
pub struct DiscCells<const N: usize> {
    cell: Vec<u32>,
    starts: Vec<u32>,
    sorted: Vec<Disc<N>>,
}

#[inline(always)]
fn offset<const N: usize>(one: &Disc<N>, other: &Disc<N>) -> [f64; N] {
    core::array::from_fn(|k| other.centre[k] - one.centre[k])
}

impl<const N: usize> Contact<N> {
    #[inline(always)]
    fn of(one: &Disc<N>, other: &Disc<N>, squared: f64) -> Self {
        let (a, b) = if one.id < other.id { (one, other) } else { (other, one) };
        let offset = offset(a, b);
        let length = squared.sqrt();
        let normal: [f64; N] = if length > 0.0 {
            core::array::from_fn(|k| offset[k] / length)
        } else {
            core::array::from_fn(|k| f64::from(u8::from(k == 0)))
        };
        Self {
            pair: [a.id, b.id],
            distance: (length - (a.radius + b.radius)) as f32,
            normal: normal.map(|x| x as f32),
            points: [
                core::array::from_fn(|k| a.centre[k] + a.radius * normal[k]),
                core::array::from_fn(|k| b.centre[k] - b.radius * normal[k]),
            ],
        }
    }
}

impl<const N: usize> DiscCells<N> {
    /// All pairs of discs that are at most `margin` apart, into `out`, in no order.
    pub fn contacts(&mut self, centres: &[[f64; N]], radii: &[f64], margin: f64, out: &mut Vec<Contact<N>>) {
        out.clear();
        self.each_near(centres, radii, margin, |one, other, squared| out.push(Contact::of(one, other, squared)));
    }

    /// The same pairs, by their indices alone.
    pub fn pairs(&mut self, centres: &[[f64; N]], radii: &[f64], margin: f64, out: &mut Vec<[u32; 2]>) {
        out.clear();
        self.each_near(centres, radii, margin, |one, other, _| {
            out.push([one.id.min(other.id), one.id.max(other.id)]);
        });
    }

    /// Calls `near` with each pair that is near and the squared distance of its centres.
    #[inline(always)]
    fn each_near(
        &mut self,
        centres: &[[f64; N]],
        radii: &[f64],
        margin: f64,
        mut near: impl FnMut(&Disc<N>, &Disc<N>, f64),
    ) {
        let side = 2.0 * radii.iter().copied().fold(0.0, f64::max) + margin;
        let (mut lower, mut upper) = ([f64::INFINITY; N], [f64::NEG_INFINITY; N]);
        for centre in centres {
            for k in 0..N {
                lower[k] = lower[k].min(centre[k]);
                upper[k] = upper[k].max(centre[k]);
            }
        }
        // With the product that finds the cell of a centre below: a quotient may be rounded to one cell less.
        let inverse = 1.0 / side;
        let size: [usize; N] = core::array::from_fn(|k| ((upper[k] - lower[k]) * inverse) as usize + 1);
        let cells: usize = size.iter().product();
        self.starts.clear();
        self.starts.resize(cells + 1, 0);
        self.cell.clear();
        for centre in centres {
            let cell = (0..N).rev().fold(0, |cell, k| cell * size[k] + ((centre[k] - lower[k]) * inverse) as usize);
            self.cell.push(cell as u32);
            self.starts[cell] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += core::mem::replace(start, sum);
        }
        self.sorted.resize(centres.len(), Disc { centre: [0.0; N], radius: 0.0, id: 0 });
        for (id, &cell) in self.cell.iter().enumerate() {
            let place = &mut self.starts[cell as usize];
            self.sorted[*place as usize] = Disc { centre: centres[id], radius: radii[id], id: id as u32 };
            *place += 1;
        }
        // `starts` now holds where each cell ends, which is where the next one begins.
        let begin = |cell: usize| if cell == 0 { 0 } else { self.starts[cell - 1] as usize };
        let (width, height) = (size[0] as i64, size[1] as i64);
        let depth = if N == 3 { size[2] as i64 } else { 1 };
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let row = |y: i64, z: i64| ((z * height + y) * width) as usize;
                    let cell = row(y, z) + x as usize;
                    let (first, last) = (begin(cell), self.starts[cell] as usize);
                    if first == last {
                        continue;
                    }
                    let next = if x + 1 < width { self.starts[cell + 1] as usize } else { last };
                    for i in first..last {
                        self.measure(i, i + 1..next, margin, &mut near);
                    }
                    for (dy, dz) in [(1, 0), (-1, 1), (0, 1), (1, 1)] {
                        let (ny, nz) = (y + dy, z + dz);
                        if ny < 0 || ny >= height || nz >= depth {
                            continue;
                        }
                        let from = begin(row(ny, nz) + (x - 1).max(0) as usize);
                        let to = self.starts[row(ny, nz) + (x + 1).min(width - 1) as usize] as usize;
                        for i in first..last {
                            self.measure(i, from..to, margin, &mut near);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn measure(&self, i: usize, others: Range<usize>, margin: f64, near: &mut impl FnMut(&Disc<N>, &Disc<N>, f64)) {
        let one = self.sorted[i];
        for other in &self.sorted[others] {
            let squared: f64 = offset(&one, other).iter().map(|x| x * x).sum();
            let reach = one.radius + other.radius + margin;
            if squared <= reach * reach {
                near(&one, other, squared);
            }
        }
    }
}

/// The same where the box from the origin to `period` repeats, as particle codes do it: images of the bodies near the
/// border are added around the cell, and of the two copies of a pair across it that of the lower body counts.
#[derive(Clone, Debug, Default)]
pub struct PeriodicDiscCells<const N: usize> {
    cells: DiscCells<N>,
    /// All bodies in the cell, then the images.
    centres: Vec<[f64; N]>,
    radii: Vec<f64>,
    owners: Vec<u32>,
}

impl<const N: usize> PeriodicDiscCells<N> {
    /// All pairs of a disc and another disc or an image of it that are at most `margin` apart, into `out`, in no order.
    /// All discs are in the cell, and none is as large as the cell.
    pub fn contacts(
        &mut self,
        all: &[[f64; N]],
        all_radii: &[f64],
        period: f64,
        margin: f64,
        out: &mut Vec<Contact<N>>,
    ) {
        self.spread(all, all_radii, period, margin);
        let Self { cells, centres, radii, owners } = self;
        cells.contacts(centres, radii, margin, out);
        out.retain_mut(|contact| owned(&mut contact.pair, owners, all.len()));
    }

    /// The same pairs, by their indices alone.
    pub fn pairs(&mut self, all: &[[f64; N]], all_radii: &[f64], period: f64, margin: f64, out: &mut Vec<[u32; 2]>) {
        self.spread(all, all_radii, period, margin);
        let Self { cells, centres, radii, owners } = self;
        cells.pairs(centres, radii, margin, out);
        out.retain_mut(|pair| owned(pair, owners, all.len()));
    }

    /// Adds images around the cell.
    fn spread(&mut self, all: &[[f64; N]], all_radii: &[f64], period: f64, margin: f64) {
        let Self { centres, radii, owners, .. } = self;
        centres.clear();
        radii.clear();
        owners.clear();
        centres.extend(all);
        radii.extend(all_radii);
        owners.extend(0..all.len() as u32);
        let cutoff = 2.0 * all_radii.iter().copied().fold(0.0, f64::max) + margin;
        for (owner, centre) in all.iter().enumerate() {
            // The shift along each axis: none, or to the other side of the cell.
            let over: [f64; N] = core::array::from_fn(|k| {
                let (low, high) = (centre[k] < cutoff, centre[k] > period - cutoff);
                period * (f64::from(u8::from(low)) - f64::from(u8::from(high)))
            });
            for axes in 1..1_u32 << N {
                let taken = |k: usize| axes >> k & 1 == 1;
                if (0..N).all(|k| !taken(k) || over[k] != 0.0) {
                    centres.push(core::array::from_fn(|k| centre[k] + if taken(k) { over[k] } else { 0.0 }));
                    radii.push(all_radii[owner]);
                    owners.push(owner as u32);
                }
            }
        }
    }
}

/// Replaces an image by its owner, and returns whether the pair counts.
fn owned(pair: &mut [u32; 2], owners: &[u32], bodies: usize) -> bool {
    // Images come after all bodies.
    let ([a, b], count) = (*pair, bodies as u32);
    *pair = [a, owners[b as usize]];
    b < count || a < count && a < pair[1]
}
