//! Balls straight out of their columns.
//!
//! Where all shapes are balls, nobody has to look which class a pair is of, who comes first, or how anybody is turned: a position and a
//! radius are read, and a row is written. Records, sorted lists of them and rows begun with the names of their bodies were half of what two
//! balls at hand take. The same bits come out.

use jostle_lanes::{Kernel, Lanes, Mask, prefetch_far_at};
use jostle_shape::MAX_WIDTH;

use crate::distance::{Asked, Distance};
use crate::frame::in_lanes;
use crate::kernels::{Dimension, Precision};
use crate::pick::Pick;
use crate::proximity::Proximity;
use crate::query::Query;
use crate::record::Template;
use crate::scatter::InRows;

/// How many pairs ahead the memory of their bodies is asked for.
const AHEAD: usize = 40;

/// Pairs of balls, and all that their distances need.
pub struct Balls<'b, S: Dimension, T: Precision> {
    /// Where each body is.
    pub positions: &'b [S::Array<f64>],
    /// The shape of each.
    pub shapes: &'b [u32],
    /// What bodies of each shape share.
    pub templates: &'b [Template<S, T>],
    /// Who is asked about.
    pub pairs: &'b [[u32; 2]],
    /// As many.
    pub rows: &'b mut [Proximity<S, T>],
    /// Takes the pairs that are left to `f64`.
    pub undecided: &'b mut Vec<Pick>,
    /// See [`Distance`].
    pub doubt: f64,
}

impl<S: Dimension, T: Precision> Kernel<T> for Balls<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let Self { positions, shapes, templates, pairs, rows, undecided, doubt } = self;
        for &[a, b] in &pairs[..pairs.len().min(AHEAD)] {
            for body in [a as usize, b as usize] {
                prefetch_far_at(positions, body);
                prefetch_far_at(shapes, body);
            }
        }
        let mut table = [[T::ZERO; 8]; MAX_WIDTH];
        for (number, (some, rows)) in pairs.chunks(L::WIDTH).zip(rows.chunks_mut(L::WIDTH)).enumerate() {
            let next = number * L::WIDTH + AHEAD;
            for lane in 0..L::WIDTH {
                // In this loop: see `gather`.
                if let Some(&[a, b]) = pairs.get(next + lane) {
                    for body in [a as usize, b as usize] {
                        prefetch_far_at(positions, body);
                        prefetch_far_at(shapes, body);
                    }
                }
                // The last one again in lanes beyond it, so that these change nothing.
                let [a, b] = some[lane.min(some.len() - 1)].map(|body| body as usize);
                let [ball_a, ball_b] = [a, b].map(|body| &templates[shapes[body] as usize]);
                let (from, to, row) = (positions[a], positions[b], &mut table[lane]);
                for k in 0..S::DIMENSION {
                    row[k] = T::from_f64(to[k] - from[k] + 0.0);
                }
                (row[3], row[4]) = (ball_a.reach(), ball_b.reach());
                (row[6], row[7]) = (ball_a.radius(), ball_b.radius());
            }
            let lanes = in_lanes::<S, L>(&table);
            let every = L::Mask::splat(true);
            let asked = Asked { doubt: lanes.magnitude * L::splat(T::from_f64(doubt)), known: None, guessed: !every };
            let answer = Distance::<S, T>::points(asked, &lanes);
            let answers = InRows::new(&lanes, false, &answer, !every);
            for (lane, (&[a, b], row)) in some.iter().zip(rows).enumerate() {
                let from = positions[a as usize];
                (row.a, row.b) = (a, b);
                answers.write(
                    lane,
                    row,
                    #[inline(always)]
                    |k, point| from[k] + point,
                );
            }
            let open = !answer.settled;
            if open.any() {
                let open = open.to_bits();
                for lane in 0..some.len() {
                    if open >> lane & 1 == 1 {
                        undecided.push(Pick { row: (number * L::WIDTH + lane) as u32, ..Pick::default() });
                    }
                }
            }
        }
    }
}
