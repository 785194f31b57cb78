//! Shared by the suites: random pairs of bodies that are hard for a solver, and checks of answers against their proof.

mod case;
mod claim;
mod draw;
mod exact;
mod frames;
pub mod fuzz;
mod kind;
mod layout;
mod moves;
mod place;
mod random;
mod repeating;
mod split_mix;

pub use case::{Case, Table, cases, workspace};
pub use claim::{allowed, bits, cheap, claim, full, scale, tolerance};
pub use draw::{Condition, Drawn, draw_pair, draw_pool};
pub use exact::{Exact, exact};
pub use frames::{Frames, nudge};
pub use jostle_tasks::on_threads;
pub use kind::{Kind, Style, draw_shape, scaled};
pub use layout::Layout;
pub use moves::{Moves, Verdicts, cast_bits, draw_moves, hit_bits};
pub use place::{Ground, Posed, V, corners, dot, length, unit};
pub use random::Random;
pub use repeating::{Asked, Repeating};

use jostle::Bodies;

/// All pairs of so many bodies, in order.
pub fn every_pair(count: u32) -> Vec<[u32; 2]> {
    (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect()
}

/// The bodies from one place to another, as a set of their own, with all shapes.
///
/// # Panics
/// If there are not as many bodies.
pub fn part<S: Ground>(bodies: &Bodies<S>, those: core::ops::Range<usize>) -> Bodies<S> {
    let mut part = bodies.clone();
    part.clear();
    for body in those {
        part.push(bodies.get(body)).expect("it was good");
    }
    part
}
