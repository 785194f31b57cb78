//! What arrays are of.

use core::fmt::Debug;

/// What an element of a [`Space::Array`](crate::Space::Array) must be able to do; every such type implements it.
pub trait Element: Copy + Debug + Default + PartialEq + Send + Sync + 'static {}
impl<T: Copy + Debug + Default + PartialEq + Send + Sync + 'static> Element for T {}
