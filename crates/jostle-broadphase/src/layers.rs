//! Which boxes need not be held against which.
//!
//! Filters leave out pairs once the sweep has found them, one by one. Where many boxes that never meet lie on one
//! another (parked bodies, overlapping scenery, images of images), nearly all pairs are of that sort, and there are as
//! many as the square of the boxes. So the scan itself knows layers: a bit for each box, which is tested in lanes
//! beside its bounds. (Pairs of 50,000 static balls at one point and as many strewn ones: 4,900 -> 520 ms, Zen 4.)

/// Layers of boxes, and which of them are kept apart: two boxes are a pair only if their layers are not.
///
/// Each box is in one of up to [`Layers::MOST`] layers. At first there are none, and all boxes are held against each
/// other.
///
/// ```
/// use jostle_broadphase::{Bounds, ColumnSweep};
/// use jostle_lanes::D2;
///
/// let mut bounds = Bounds::<D2>::new();
/// (0..100).for_each(|_| bounds.push([0.0; 2], [1.0; 2])); // all in one place
/// let (bullets, targets) = (0, 1);
/// bounds.layers_mut().set((0..100).map(|i| if i < 90 { bullets } else { targets }));
/// bounds.layers_mut().keep_apart(bullets, bullets);
/// let mut sweep = ColumnSweep::new();
/// sweep.build(&bounds)?;
/// assert_eq!(sweep.count(&|_, _| true), 90 * 10 + 10 * 9 / 2);
///
/// bounds.layers_mut().clear();
/// sweep.build(&bounds)?;
/// assert_eq!(sweep.count(&|_, _| true), 100 * 99 / 2);
/// # Ok::<(), jostle_broadphase::BoundsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The layer of each box, or nothing.
    of: Vec<u8>,
    /// For each layer a bit for each layer that it is kept apart from.
    apart: [u32; Layers::MOST],
}

impl Layers {
    /// The most layers: their numbers are below this.
    pub const MOST: usize = u32::BITS as usize;

    /// Takes all boxes out of their layers, and forgets what is kept apart. Memory is kept.
    pub fn clear(&mut self) {
        self.of.clear();
        self.apart = [0; Self::MOST];
    }

    /// Puts the boxes into these layers, one for each box: a sweep refuses any other number. What is kept apart stays
    /// so.
    ///
    /// # Panics
    /// If a layer is not below [`Layers::MOST`].
    pub fn set(&mut self, layers: impl Iterator<Item = u8>) {
        self.of.clear();
        self.of.extend(layers);
        let most = self.of.iter().copied().fold(0, u8::max);
        assert!(usize::from(most) < Self::MOST, "layer {most} of {}", Self::MOST);
    }

    /// Keeps the boxes of two layers apart, which may be the same one.
    ///
    /// # Panics
    /// If a layer is not below [`Layers::MOST`].
    pub fn keep_apart(&mut self, a: u8, b: u8) {
        self.apart[usize::from(a)] |= 1 << b;
        self.apart[usize::from(b)] |= 1 << a;
    }

    /// Whether two boxes are kept apart, whatever their bounds.
    ///
    /// ```
    /// use jostle_broadphase::Layers;
    ///
    /// let mut layers = Layers::default();
    /// layers.set([0, 1, 1].into_iter());
    /// layers.keep_apart(1, 1);
    /// assert!(layers.are_apart(1, 2) && !layers.are_apart(0, 1));
    /// ```
    ///
    /// # Panics
    /// If boxes are in layers, but not these.
    pub fn are_apart(&self, a: usize, b: usize) -> bool {
        !self.is_empty() && self.apart[usize::from(self.of[a])] & self.bit(b) != 0
    }

    /// Makes room for the layers of `len` boxes in all.
    pub fn reserve(&mut self, len: usize) {
        self.of.reserve(len.saturating_sub(self.of.len()));
    }

    /// How many boxes are in layers.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// True if no box is in a layer.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The layer of a box as a bit; none if there are no layers.
    #[inline(always)]
    pub(crate) fn bit(&self, index: usize) -> u32 {
        if self.of.is_empty() { 0 } else { 1 << (usize::from(self.of[index]) % Self::MOST) }
    }

    /// What each layer is kept apart from, if there are layers.
    pub(crate) fn kept_apart(&self) -> Option<Apart> {
        (!self.is_empty()).then_some(Apart(self.apart))
    }
}

/// For each layer a bit for each layer that it is kept apart from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart([u32; Layers::MOST]);

impl Apart {
    /// For scans that do not ask.
    pub const NOTHING: Self = Self([0; Layers::MOST]);

    /// The layers that are kept apart from the layer of this bit.
    #[inline(always)]
    pub fn from(&self, bit: u32) -> u32 {
        self.0[bit.trailing_zeros() as usize % Layers::MOST]
    }
}
