//! The keys by which lists and rows are ordered: a pair of slots; where space repeats, a pair and an image.
//!
//! **Images.** A row's image says where the second body stands, taking the user's positions as they are. But users
//! bring bodies back into the cell as these walk out of it, and then the images of all their pairs change though
//! nothing has moved. So the pipeline counts how often each body was brought back (`wraps`, see `Tracks::unwrap`), and
//! keys a pair by its image between *unwrapped* positions, which never jump back: that image stays the same. The order
//! of a pair's images is the same too, as the two kinds differ by a constant for each pair.

use core::fmt::Debug;

use jostle_broadphase::Paired;
use jostle_lanes::prefetch_at;
use jostle_narrowphase::Dimension;

use crate::lattice::Lattice;

/// The key of a pair on the list.
pub trait Link: Copy + Ord + Default + Debug + Send + Sync {
    /// The two slots; the first is not above the second.
    fn slots(self) -> [u32; 2];
    /// The image of the second body, by the user's positions; `None` if it is the body itself.
    fn image<S: Dimension>(self, repeats: Repeats<'_, S>) -> Option<[i32; 3]>;
    /// Prefetches the memory that [`Link::image`] will read.
    fn prefetch<S: Dimension>(self, repeats: Repeats<'_, S>);
}

/// How space repeats, and how often each body (by slot) was brought back into the cell; empty in open space.
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
    /// Between unwrapped positions.
    image: [i32; 3],
}

impl ImageLink {
    /// A key with the image between unwrapped positions.
    pub fn new(slots: [u32; 2], image: [i32; 3]) -> Self {
        Self { slots, image }
    }
    /// The image by the user's positions.
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
