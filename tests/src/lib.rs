//! What the suites share: drawing pairs of bodies that are hard on a solver, and holding answers against their proof.

mod claim;
mod draw;
mod kind;
mod place;
mod random;

pub use claim::{cheap, claim, full, scale};
pub use draw::{Condition, Drawn, draw_pair, draw_pool};
pub use kind::{Kind, Style, draw_shape};
pub use place::{Ground, Posed, V, dot, length, unit};
pub use random::Random;
