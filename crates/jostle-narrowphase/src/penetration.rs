//! Least depths as searches for them tell, of one pair and of a packet.

use jostle_lanes::{Lanes, Scalar, Space};

/// So many pairs are searched side by side. (Two and four were no faster; of more, by reckoning, what is touched of their surfaces would not fit the
/// first-level cache.)
pub const GROUP: usize = 8;

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

/// The least depths of those pairs of a packet that need not be searched one by one.
#[derive(Clone, Copy, Debug)]
pub struct Penetrations<S: Space, L: Lanes> {
    /// Which they are.
    pub found: L::Mask,
    /// As in [`Penetration`].
    pub normal: S::Vector<L>,
    /// As in [`Penetration`].
    pub depth: L,
    /// As in [`Penetration`].
    pub a: S::Vector<L>,
    /// As in [`Penetration`].
    pub fits: L::Mask,
}
