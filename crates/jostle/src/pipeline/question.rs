//! What a frame asks: which rows are wanted, which bodies are sound, which rows of the last frame still hold.

use jostle_lanes::Scalar;
use jostle_narrowphase::{BALL_ROUNDING, Dimension, Largest, Precision, Proximity, Record, Source, Templates};
use jostle_shape::{Columns, CustomShape};

use super::ball::Ball;
use super::flags::{Flags, reach_ahead};
use super::link::Repeats;
use crate::near::Near;

/// One frame's question.
#[derive(Debug)]
pub struct FrameQuestion<'q, S: Dimension, T: Precision, U> {
    pub bodies: Columns<'q, S, U>,
    pub templates: &'q Templates<S, T>,
    pub repeats: Repeats<'q, S>,
    pub velocities: &'q [S::Array<f64>],
    pub flags: &'q [Flags],
    /// Whether any slot is free or its body's numbers are invalid.
    pub some_missing: bool,
    pub records: &'q [Record<S, T>],
    pub balls: &'q [Ball],
    pub largest: Largest,
    pub near: Near<T>,
    /// Metres.
    pub margin: f64,
    /// Seconds.
    pub look_ahead: f64,
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> FrameQuestion<'_, S, T, U> {
    /// Whether a row is wanted: its bodies are within the margin, or may get there within the look-ahead, judged by how
    /// fast they approach along the normal.
    #[inline]
    pub fn wants(&self, row: &Proximity<S, T>) -> bool {
        let is_near = self.near.holds(row.distance);
        if self.look_ahead == 0.0 || is_near {
            return is_near;
        }
        let (a, b) = (&self.velocities[row.a as usize], &self.velocities[row.b as usize]);
        let closing: f64 = (0..S::DIMENSION).map(|k| (a[k] - b[k]) * row.normal[k].to_f64()).sum();
        row.distance.to_f64() - self.look_ahead * closing <= self.margin
    }

    /// By how many metres two bodies whose row is not wanted are farther apart than a wanted pair may be; NaN if
    /// unknown. Rounded down.
    #[inline]
    pub fn spare(&self, row: &Proximity<S, T>) -> f32 {
        let [a, b] = [row.a as usize, row.b as usize];
        let mut least = self.margin;
        if self.look_ahead > 0.0 {
            least += [a, b].map(|body| reach_ahead::<S>(&self.velocities[body], self.look_ahead)).iter().sum::<f64>();
        }
        let lower = row.lower.to_f64();
        // The distance or gap that is found later is rounded as well.
        let size = f64::from(self.balls[a].radius.get() + self.balls[b].radius.get());
        f32::round_down(lower - least - BALL_ROUNDING * (2.0 * size + lower))
    }

    /// Whether both slots have bodies and their numbers are valid.
    #[inline]
    pub fn are_sound(&self, pair: [u32; 2]) -> bool {
        Flags::are_sound(pair.map(|slot| self.flags[slot as usize]))
    }

    /// What the narrowphase reads beside the columns: templates suffice where all bodies are balls.
    #[inline]
    pub fn source(&self) -> Source<'_, S, T> {
        if self.templates.only_balls() { Source::Templates(self.templates) } else { Source::All(self.records) }
    }

    /// Whether one of the two shapes takes so long to search that it is worth keeping where the last search ended.
    #[inline]
    pub fn is_searched_long(&self, pair: [u32; 2]) -> bool {
        pair.iter().any(|&slot| self.templates.is_searched_long(self.records[slot as usize].shape() as usize))
    }

    /// Whether the row that the pair had in the last frame still holds, as both bodies are still.
    #[inline]
    pub fn rests(&self, pair: [u32; 2]) -> bool {
        Flags::are_still(pair.map(|slot| self.flags[slot as usize]))
    }
}
