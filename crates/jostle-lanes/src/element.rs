//! Elements of arrays.

use core::fmt::Debug;

/// The requirements on elements of a [`Space::Array`](crate::Space::Array); every type that meets them implements it.
pub trait Element: Copy + Debug + Default + PartialEq + Send + Sync + 'static {}
impl<T: Copy + Debug + Default + PartialEq + Send + Sync + 'static> Element for T {}
