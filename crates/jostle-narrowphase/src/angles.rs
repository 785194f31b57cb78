//! Rotations of the plane, worked out a register at a time: of one angle after the other the sines take as long as all
//! else about a body.

use jostle_lanes::{Lanes, Scalar};

use crate::record::RecordSpace;

/// How many are worked out at once: of one register after the other each would wait for the last step of the one before
/// (of two capsules that was 8 of 16 ns). Full registers.
pub const ANGLES_TOGETHER: usize = 32;

/// Up to [`ANGLES_TOGETHER`] of them, column by column: turned into rows and back, they took twice as long.
pub struct Angles {
    given: [f64; ANGLES_TOGETHER],
    cosines: [f64; ANGLES_TOGETHER],
    sines: [f64; ANGLES_TOGETHER],
}

impl Angles {
    /// All of them zero.
    #[inline(always)]
    pub fn new() -> Self {
        Self { given: [0.0; ANGLES_TOGETHER], cosines: [1.0; ANGLES_TOGETHER], sines: [0.0; ANGLES_TOGETHER] }
    }
    /// Works out so many, for numbers of type `T`; `give` tells the angles.
    #[inline(always)]
    pub fn work_out<T: Scalar, S: RecordSpace, L: Lanes<Scalar = f64>>(
        &mut self,
        count: usize,
        give: impl FnOnce(&mut [f64; ANGLES_TOGETHER]),
    ) {
        give(&mut self.given);
        let mut at = 0;
        while at < count {
            let [cosine, sine, ..] =
                S::stored_rotation::<T, L>([L::load(&self.given[at..]), L::zero(), L::zero(), L::zero()]);
            cosine.store(&mut self.cosines[at..]);
            sine.store(&mut self.sines[at..]);
            at += L::WIDTH;
        }
    }
    /// Cosine and sine of the last ones, in their order.
    #[inline(always)]
    pub fn stored(&self) -> impl Iterator<Item = [f64; 2]> {
        self.cosines.iter().zip(&self.sines).map(|(&cosine, &sine)| [cosine, sine])
    }
}
