//! Limits: lanes (for which shapes are packed), points, shapes.

/// The most lanes any lane type has.
pub const MAX_WIDTH: usize = 16;
/// The most points of one convex shape.
pub const MAX_POINTS: usize = 65_535;
/// The most shapes that bodies of one set may have: their index shares a word with their kind.
pub const MAX_SHAPES: usize = (1 << 28) - 1;
