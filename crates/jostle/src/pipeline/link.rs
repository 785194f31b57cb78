//! What lists and rows are ordered and known by: a pair of slots; where space repeats, a pair and an image.
//!
//! **Images.** A row's image says where the second body stands when the user's numbers are taken as they are. But users
//! bring bodies back into the cell as these walk out of it, and then the image of all their pairs changes while nothing
//! has moved. So the pipeline counts for each body how often it was brought back (`wraps`, see `Tracks::unwrap`), and
//! knows a pair by its image between the *unwrapped* places, where bodies walk on and on: that stays the same. The
//! order is the same too: the two images of a pair differ by a constant.

use core::fmt::Debug;

use jostle_broadphase::Paired;
use jostle_lanes::prefetch_at;
use jostle_narrowphase::Dimension;

use crate::lattice::Lattice;

/// A pair on a list.
pub trait Link: Copy + Ord + Default + Debug + Send + Sync {
    /// The two slots; the first is the lower one.
    fn slots(self) -> [u32; 2];
    /// The image of the second one, by the user's numbers; `None` if it is the body itself.
    fn image<S: Dimension>(self, repeats: Repeats<'_, S>) -> Option<[i32; 3]>;
    /// Asks for the memory that [`Link::image`] will look at.
    fn prefetch<S: Dimension>(self, repeats: Repeats<'_, S>);
}

/// How space repeats, and how often each body (by slot) was brought back into the cell. Nothing, in open space.
#[derive(Clone, Copy, Debug)]
pub struct Repeats<'r, S: Dimension> {
    pub lattice: &'r Lattice<S>,
    pub wraps: &'r [[i32; 3]],
}

/// In open space.
impl Link for [u32; 2] {
    #[inline]
    fn slots(self) -> [u32; 2] {
        self
    }
    #[inline]
    fn image<S: Dimension>(self, _: Repeats<'_, S>) -> Option<[i32; 3]> {
        None
    }
    #[inline]
    fn prefetch<S: Dimension>(self, _: Repeats<'_, S>) {}
}

/// Where space repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImageLink {
    slots: [u32; 2],
    /// Between unwrapped places.
    image: [i32; 3],
}

impl ImageLink {
    /// From the image between unwrapped places.
    pub fn new(slots: [u32; 2], image: [i32; 3]) -> Self {
        Self { slots, image }
    }
    /// The image by the user's numbers.
    #[inline]
    pub fn image_by_numbers(self, wraps: &[[i32; 3]]) -> [i32; 3] {
        let [of_a, of_b] = self.slots.map(|slot| wraps[slot as usize]);
        core::array::from_fn(|k| self.image[k] + of_b[k] - of_a[k])
    }
}

impl Paired for ImageLink {
    #[inline]
    fn pair(&self) -> [u32; 2] {
        self.slots
    }
}

impl Link for ImageLink {
    #[inline]
    fn slots(self) -> [u32; 2] {
        self.slots
    }
    #[inline]
    fn image<S: Dimension>(self, repeats: Repeats<'_, S>) -> Option<[i32; 3]> {
        let image = self.image_by_numbers(repeats.wraps);
        (image != [0; 3]).then_some(image)
    }
    #[inline]
    fn prefetch<S: Dimension>(self, repeats: Repeats<'_, S>) {
        for slot in self.slots {
            prefetch_at(repeats.wraps, slot as usize);
        }
    }
}
