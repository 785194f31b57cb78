//! The input: one closed box per body, kept as columns of numbers, one lower and one upper column per axis.

use core::marker::PhantomData;

use jostle_lanes::Space;
use thiserror::Error;

use crate::layers::Layers;
use crate::record::Layout;

/// The most boxes of one sweep: 2^29 less one. Three bits of a word are the sweep's own marks, and one index stands for
/// no box.
pub const MOST_BOXES: usize = (1 << 29) - 1;

/// Columns of axis-aligned bounding boxes, one box per body.
///
/// Intervals are closed: boxes that touch are a pair. Numbers are `f32`, in the frame and unit of the caller's choice,
/// already rounded outward and with any margin included. Infinite bounds are allowed (a half space, a body whose
/// motion is unknown); NaN and inverted intervals are refused by [`Bounds::validate`].
///
/// ```
/// use jostle_broadphase::Bounds;
/// use jostle_lanes::D2;
///
/// let mut bounds = Bounds::<D2>::new();
/// bounds.push([0.0, 0.0], [1.0, 2.0]);
/// bounds.push([f32::NEG_INFINITY, -1.0], [f32::INFINITY, 0.0]); // a floor
/// assert_eq!(bounds.len(), 2);
/// assert_eq!(bounds.get(0), ([0.0, 0.0], [1.0, 2.0]));
/// assert!(bounds.validate().is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bounds<S: Space> {
    lower: [Vec<f32>; 3],
    upper: [Vec<f32>; 3],
    round: bool,
    layers: Layers,
    space: PhantomData<S>,
}

/// Why boxes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// A bound is not a number.
    #[error("the box of body {body} has NaN as a bound on axis {axis}")]
    Nan {
        /// Index of the body.
        body: usize,
        /// 0 is x, 1 is y, 2 is z.
        axis: usize,
    },
    /// A lower bound is above its upper bound.
    #[error("the box of body {body} is inverted on axis {axis}: {lower} is above {upper}")]
    Inverted {
        /// Index of the body.
        body: usize,
        /// 0 is x, 1 is y, 2 is z.
        axis: usize,
        /// The lower bound.
        lower: f32,
        /// The upper bound.
        upper: f32,
    },
    /// More boxes than one sweep can name.
    #[error("{0} boxes are more than one sweep takes ({most})", most = grouped(MOST_BOXES))]
    TooMany(usize),
    /// Some boxes are in [`Layers`], but not as many as there are.
    #[error("{layers} layers for {boxes} boxes")]
    Layers {
        /// The number of boxes.
        boxes: usize,
        /// The number of layers given.
        layers: usize,
    },
}

/// A number with a comma before every third digit.
fn grouped(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1000),
    }
}

impl BoundsError {
    /// The same error with another index of the body, for boxes of some bodies only.
    ///
    /// ```
    /// use jostle_broadphase::BoundsError;
    ///
    /// let members = [3, 8, 9];
    /// let error = BoundsError::Nan { body: 1, axis: 0 }.renamed(|index| members[index]);
    /// assert_eq!(error, BoundsError::Nan { body: 8, axis: 0 });
    /// ```
    #[must_use]
    pub fn renamed(self, name: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::Nan { body, axis } => Self::Nan { body: name(body), axis },
            Self::Inverted { body, axis, lower, upper } => Self::Inverted { body: name(body), axis, lower, upper },
            Self::TooMany(_) | Self::Layers { .. } => self,
        }
    }
}

/// The two columns of one axis, to be filled in place: see [`Bounds::columns_mut`].
#[derive(Debug)]
pub struct AxisMut<'a> {
    /// Lower bounds, one per body.
    pub lower: &'a mut [f32],
    /// Upper bounds, one per body.
    pub upper: &'a mut [f32],
}

impl<S: Space> Bounds<S> {
    /// No boxes.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// No boxes, with room for `capacity`.
    pub fn with_capacity(capacity: usize) -> Self {
        let column = |axis| Vec::with_capacity(if axis < S::DIMENSION { capacity } else { 0 });
        let (lower, upper) = ([0, 1, 2].map(column), [0, 1, 2].map(column));
        Self { lower, upper, round: false, layers: Layers::default(), space: PhantomData }
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.lower[0].len()
    }

    /// True if there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.resize(0);
    }

    /// Makes room for `len` boxes in all: until there are more, nothing is allocated.
    ///
    /// ```
    /// use jostle_broadphase::Bounds;
    /// use jostle_lanes::D2;
    ///
    /// let mut bounds = Bounds::<D2>::new();
    /// bounds.reserve(100);
    /// let column = bounds.lower(0).as_ptr();
    /// bounds.resize(100);
    /// assert!(bounds.lower(0).as_ptr() == column);
    /// ```
    pub fn reserve(&mut self, len: usize) {
        for column in self.lower[..S::DIMENSION].iter_mut().chain(&mut self.upper[..S::DIMENSION]) {
            column.reserve(len.saturating_sub(column.len()));
        }
    }

    /// Adds one box; its index is the length before.
    pub fn push(&mut self, lower: S::Array<f32>, upper: S::Array<f32>) {
        for axis in 0..S::DIMENSION {
            self.lower[axis].push(lower[axis]);
            self.upper[axis].push(upper[axis]);
        }
    }

    /// Grows (with boxes at the origin, of no size) or shrinks to `len` boxes.
    pub fn resize(&mut self, len: usize) {
        for axis in 0..S::DIMENSION {
            self.lower[axis].resize(len, 0.0);
            self.upper[axis].resize(len, 0.0);
        }
    }

    /// The lower and upper corner of one box.
    ///
    /// # Panics
    /// If there is no box `index`.
    pub fn get(&self, index: usize) -> (S::Array<f32>, S::Array<f32>) {
        (S::array(|axis| self.lower[axis][index]), S::array(|axis| self.upper[axis][index]))
    }

    /// Replaces one box.
    ///
    /// # Panics
    /// If there is no box `index`.
    pub fn set(&mut self, index: usize, lower: S::Array<f32>, upper: S::Array<f32>) {
        for axis in 0..S::DIMENSION {
            self.lower[axis][index] = lower[axis];
            self.upper[axis][index] = upper[axis];
        }
    }

    /// States whether each box is that of a ball, rounded outward by no more than four round-offs of the furthest
    /// bound. A [sweep](crate::ColumnSweep) then leaves out most pairs of boxes whose balls are apart: nearly half of
    /// the pairs of equal balls strewn in space, a fifth of those of discs. False at first; no other method changes it.
    ///
    /// ```
    /// use jostle_broadphase::{Bounds, ColumnSweep};
    /// use jostle_lanes::D2;
    ///
    /// let mut bounds = Bounds::<D2>::new();
    /// for x in 0..4 {
    ///     bounds.push([1.5 * x as f32; 2], [1.5 * x as f32 + 2.0; 2]); // corner in corner
    /// }
    /// let mut sweep = ColumnSweep::new();
    /// sweep.build(&bounds)?;
    /// assert_eq!(sweep.count(&|_, _| true), 3);
    /// bounds.set_round(true);
    /// sweep.build(&bounds)?;
    /// assert_eq!((bounds.is_round(), sweep.count(&|_, _| true)), (true, 0));
    /// # Ok::<(), jostle_broadphase::BoundsError>(())
    /// ```
    pub fn set_round(&mut self, round: bool) {
        self.round = round;
    }
    /// See [`Bounds::set_round`].
    pub fn is_round(&self) -> bool {
        self.round
    }

    /// Which boxes need not be held against which. At first none are in a layer; [`Layers`] has an example. No other
    /// method changes it.
    pub fn layers_mut(&mut self) -> &mut Layers {
        &mut self.layers
    }
    /// See [`Bounds::layers_mut`].
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The lower bounds along one axis, by body.
    ///
    /// # Panics
    /// If `axis` is above 2. In the plane, axis 2 is empty.
    pub fn lower(&self, axis: usize) -> &[f32] {
        &self.lower[axis]
    }

    /// The upper bounds along one axis, by body.
    ///
    /// # Panics
    /// If `axis` is above 2. In the plane, axis 2 is empty.
    pub fn upper(&self, axis: usize) -> &[f32] {
        &self.upper[axis]
    }

    /// All columns at once, to be cut into pieces and filled from several threads; in the plane the third is empty.
    ///
    /// ```
    /// use jostle_broadphase::Bounds;
    /// use jostle_lanes::D2;
    /// use rayon::prelude::*;
    ///
    /// let mut bounds = Bounds::<D2>::new();
    /// bounds.resize(1000);
    /// let [x, y, _] = bounds.columns_mut();
    /// (x.lower.par_iter_mut(), x.upper.par_iter_mut()).into_par_iter().enumerate().for_each(|(i, (lower, upper))| {
    ///     (*lower, *upper) = (i as f32, i as f32 + 0.5);
    /// });
    /// y.upper.fill(1.0);
    /// assert_eq!(bounds.get(7), ([7.0, 0.0], [7.5, 1.0]));
    /// ```
    pub fn columns_mut(&mut self) -> [AxisMut<'_>; 3] {
        let [a, b, c] = &mut self.lower;
        let [p, q, r] = &mut self.upper;
        [AxisMut { lower: a, upper: p }, AxisMut { lower: b, upper: q }, AxisMut { lower: c, upper: r }]
    }

    /// Checks every box.
    ///
    /// # Errors
    /// The first NaN or inverted interval, by body and axis (body first); 2^29 boxes or more; boxes in [`Layers`], but
    /// not all.
    pub fn validate(&self) -> Result<(), BoundsError> {
        let columns = self.columns();
        columns.check_counts()?;
        columns.validate(0, self.len())
    }

    pub(crate) fn columns(&self) -> Columns<'_> {
        Columns {
            dimension: S::DIMENSION,
            lower: [&self.lower[0], &self.lower[1], &self.lower[2]],
            upper: [&self.upper[0], &self.upper[1], &self.upper[2]],
            round: self.round,
            layers: &self.layers,
        }
    }
}

/// The same columns without the type parameter.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub dimension: usize,
    pub lower: [&'a [f32]; 3],
    pub upper: [&'a [f32]; 3],
    /// See [`Bounds::set_round`].
    pub round: bool,
    pub layers: &'a Layers,
}

impl Columns<'_> {
    pub fn len(&self) -> usize {
        self.lower[0].len()
    }

    pub fn layout(&self) -> Layout {
        Layout { dimension: self.dimension, layered: !self.layers.is_empty() }
    }

    /// Refuses too many boxes, and layers of other numbers of boxes.
    pub fn check_counts(&self) -> Result<(), BoundsError> {
        let (boxes, layers) = (self.len(), self.layers.len());
        if boxes > MOST_BOXES {
            return Err(BoundsError::TooMany(boxes));
        }
        if layers != 0 && layers != boxes {
            return Err(BoundsError::Layers { boxes, layers });
        }
        Ok(())
    }

    /// The first fault among the bodies `first..last`.
    pub fn validate(&self, first: usize, last: usize) -> Result<(), BoundsError> {
        let sound = (0..self.dimension).all(|axis| {
            let (lower, upper) = (&self.lower[axis][first..last], &self.upper[axis][first..last]);
            // No early exit inside, so that it runs in lanes; NaN makes the comparison false.
            lower.iter().zip(upper).map(|(l, u)| u32::from(l <= u)).fold(1, |sound, fine| sound & fine) == 1
        });
        if sound { Ok(()) } else { self.fault(first, last) }
    }

    #[cold]
    fn fault(&self, first: usize, last: usize) -> Result<(), BoundsError> {
        for body in first..last {
            for axis in 0..self.dimension {
                let (lower, upper) = (self.lower[axis][body], self.upper[axis][body]);
                if lower.is_nan() || upper.is_nan() {
                    return Err(BoundsError::Nan { body, axis });
                }
                if lower > upper {
                    return Err(BoundsError::Inverted { body, axis, lower, upper });
                }
            }
        }
        Ok(())
    }
}
