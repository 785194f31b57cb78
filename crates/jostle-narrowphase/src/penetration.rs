//! Least depths as searches for them tell, of one pair and of a packet.

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector};

/// The least depth.
#[derive(Clone, Copy, Debug)]
pub struct Penetration<S: Space, T: Scalar> {
    /// Unit vector from A to B, in A's frame.
    pub normal: S::Vector<T>,
    /// How far B has to move along it.
    pub depth: T,
    /// A's point that lies deepest in B, most likely.
    pub a: S::Vector<T>,
    /// True if that point, and its counterpart, are where they have to be.
    pub fits: bool,
    /// True if an axis that this precision cannot evaluate might be better.
    pub uncertain: bool,
}

/// The least depths of the pairs of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Penetrations<S: Space, L: Lanes> {
    /// Which were found.
    pub found: L::Mask,
    /// As in [`Penetration`].
    pub normal: S::Vector<L>,
    /// As in [`Penetration`].
    pub depth: L,
    /// As in [`Penetration`].
    pub a: S::Vector<L>,
    /// As in [`Penetration`].
    pub fits: L::Mask,
    /// How far off their bodies that point and its counterpart are, at most, if they fit. Infinite where a search does
    /// not say: it is asked about none but cores of which GJK has shown two points no farther apart than rounding.
    pub off: L,
}

impl<S: Space, L: Lanes> Penetrations<S, L> {
    /// None are found.
    #[inline(always)]
    pub fn none() -> Self {
        let never = L::Mask::splat(false);
        Self {
            found: never,
            normal: S::Vector::zero(),
            depth: L::zero(),
            a: S::Vector::zero(),
            fits: never,
            off: L::zero(),
        }
    }

    /// These, and where there are none `others`.
    #[inline(always)]
    pub fn or(self, others: Self) -> Self {
        Self {
            found: self.found | others.found,
            normal: S::Vector::select(self.found, self.normal, others.normal),
            depth: L::select(self.found, self.depth, others.depth),
            a: S::Vector::select(self.found, self.a, others.a),
            fits: (self.found & self.fits) | (!self.found & others.fits),
            off: L::select(self.found, self.off, others.off),
        }
    }
}
