//! What has a pair of bodies, and the number that pairs are ordered by.

/// What can be put into the order of pairs.
///
/// ```
/// use jostle_broadphase::{Paired, PairOrder};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Joint {
///     bodies: [u32; 2],
///     stiffness: f32,
/// }
///
/// impl Paired for Joint {
///     fn pair(&self) -> [u32; 2] {
///         self.bodies
///     }
/// }
///
/// let mut joints = [[2, 7], [0, 9], [0, 3]].map(|bodies| Joint { bodies, stiffness: bodies[1] as f32 });
/// PairOrder::new().sort(&mut joints, 10);
/// assert_eq!(joints.map(|joint| joint.stiffness), [3.0, 9.0, 7.0]);
/// ```
pub trait Paired: Copy + Send + Sync {
    /// The two bodies.
    fn pair(&self) -> [u32; 2];
}

/// A pair, and numbers that go along with it.
///
/// # Panics
/// (At compile time) if there are fewer than two.
impl<const N: usize> Paired for [u32; N] {
    #[inline(always)]
    fn pair(&self) -> [u32; 2] {
        const { assert!(N >= 2, "a pair") };
        [self[0], self[1]]
    }
}

/// A pair, and what goes along with it.
impl<X: Copy + Send + Sync> Paired for ([u32; 2], X) {
    #[inline(always)]
    fn pair(&self) -> [u32; 2] {
        self.0
    }
}

/// A pair as one number: numbers are in the canonical order of their pairs, by the first body, then by the second.
///
/// ```
/// use jostle_broadphase::order_key;
///
/// assert!(order_key([0, 9]) < order_key([2, 1]) && order_key([2, 1]) < order_key([2, 7]));
/// ```
#[inline(always)]
pub fn order_key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << u32::BITS | u64::from(b)
}

/// The [`order_key`] of an entry's pair.
#[inline(always)]
pub(crate) fn key<E: Paired>(entry: &E) -> u64 {
    order_key(entry.pair())
}
