//! A packet's numbers where one lane's can be read.

use jostle_lanes::{Lanes, Rot, Scalar, Space, Vector};
use jostle_shape::MAX_WIDTH;

use crate::frame::PairLanes;
use crate::query::SolveSpace;

/// A packet's numbers where one lane's can be read.
pub struct PacketNumbers<T> {
    /// What lengths were multiplied with.
    pub scale: [T; MAX_WIDTH],
    /// The pairs' magnitudes.
    pub magnitude: [T; MAX_WIDTH],
    offset: [[T; MAX_WIDTH]; 3],
    rotation: [[T; MAX_WIDTH]; 9],
    numbers: [[[T; MAX_WIDTH]; 3]; 2],
}

impl<T: Scalar> Default for PacketNumbers<T> {
    fn default() -> Self {
        let zero = [T::ZERO; MAX_WIDTH];
        Self { scale: zero, magnitude: zero, offset: [zero; 3], rotation: [zero; 9], numbers: [[zero; 3]; 2] }
    }
}

impl<T: Scalar> PacketNumbers<T> {
    /// Those of a packet.
    #[inline(always)]
    pub fn store<S: SolveSpace, L: Lanes<Scalar = T>>(&mut self, pair: &PairLanes<S, L>) {
        pair.scale.store(&mut self.scale);
        pair.magnitude.store(&mut self.magnitude);
        for k in 0..S::DIMENSION {
            pair.offset.get(k).store(&mut self.offset[k]);
            pair.numbers[0][k].store(&mut self.numbers[0][k]);
            pair.numbers[1][k].store(&mut self.numbers[1][k]);
        }
        for k in 0..S::Rot::<L>::ENTRIES {
            pair.rotation.entry(k).store(&mut self.rotation[k]);
        }
    }

    /// Body A's or B's numbers.
    #[inline(always)]
    pub fn numbers(&self, side: usize, lane: usize) -> [T; 3] {
        let [x, y, z] = &self.numbers[side];
        [x[lane], y[lane], z[lane]]
    }

    /// From A's core centre to B's, in A's frame.
    #[inline(always)]
    pub fn offset<S: Space>(&self, lane: usize) -> S::Vector<T> {
        S::Vector::from_fn(
            #[inline(always)]
            |k| self.offset[k][lane],
        )
    }

    /// B's rotation seen from A.
    #[inline(always)]
    pub fn rotation<V: Vector<T>, R: Rot<T, V>>(&self, lane: usize) -> R {
        R::from_entries(
            #[inline(always)]
            |k| self.rotation[k][lane],
        )
    }
}
