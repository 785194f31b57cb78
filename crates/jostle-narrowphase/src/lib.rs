//! Pairs in, proximities out: signed distance, normal, witness points and certificate, many pairs at a time.
//!
//! The way of a pair: `batch` drives lists of pairs, 1,024 at a time; `lists` sorts these by `class` (which solver)
//! with the records of their bodies (`record`: what a kernel needs of a body; `records`: where they come from) ->
//! `kernels` (the entry points, one for each question and instruction set) -> `packet` (W pairs at a time: gather,
//! solve, scatter) -> `solvers` (closed forms, separating axes) or `by_families` (GJK, and sides of polygons) ->
//! `answer` (bounds; may this precision decide?) -> what it may not, once more in `f64` and at last by `resolve` ->
//! [`Proximity`]. Where all shapes are of one simple kind `direct` goes from the columns to the rows without records or
//! lists.
//!
//! This crate knows pairs of placed shapes. It knows nothing of how the pairs were found.

mod angles;
mod answer;
mod batch;
mod boxes;
mod by_families;
mod cache;
mod cast;
mod class;
mod curved;
mod depth;
mod depth_search;
mod direct;
mod distance;
mod faceted;
mod families;
mod frame;
mod gjk;
mod gjk_touching;
mod kernels;
mod lists;
mod noise;
mod one_pair;
mod overlap;
mod packet;
mod penetration;
mod pick;
mod polytope;
mod proximity;
mod query;
mod record;
mod records;
mod resolve;
mod scatter;
mod segment;
mod sides;
mod sieve;
mod simplex;
mod solvers;
mod stages;
mod templates;
#[cfg(test)]
mod tests;
mod toward;
mod widened;
mod within;

pub use batch::{Largest, Scratch, solve, solve_pairs, solve_pairs_from, solve_pairs_within};
pub use cache::{Caches, SimplexCache};
pub use cast::row::{Cast, CastStatus, Motion};
pub use cast::{CastScratch, cast, cast_one};
pub use kernels::{Dimension, Precision};
pub use noise::BALL_ROUNDING;
pub use overlap::{NearScratch, WithinScratch, count_near_pairs, visit_near_pairs, within};
pub use pick::{PAIRS_PER_BATCH, PAIRS_PER_RESCUE};
pub use proximity::{Minimum, Proximity, Status};
pub use record::Record;
pub use records::{Records, Source, make_records};
pub use sieve::Balls;
pub use stages::{Until, measure};
pub use templates::Templates;
pub use within::Side;
