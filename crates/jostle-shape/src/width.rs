//! How many lanes there are at most: what shapes are packed for.

/// The most lanes any lane type has.
pub const MAX_WIDTH: usize = 16;
