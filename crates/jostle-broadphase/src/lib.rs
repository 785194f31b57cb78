//! From bounds to pairs: a sweep-and-prune over columns.
//!
//! [`Bounds`] are closed boxes of `f32`, one per body. [`ColumnSweep`] finds every pair of them that overlaps or
//! touches, each exactly once, in chunks whose content and order depend on the bounds alone: not on the number of
//! threads, nor on the instruction set. This crate deals with boxes only, not with shapes.
//!
//! ```
//! use jostle_broadphase::{Bounds, ColumnSweep};
//! use jostle_lanes::D3;
//!
//! let mut bounds = Bounds::<D3>::new();
//! bounds.push([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
//! bounds.push([5.0, 0.0, 0.0], [6.0, 1.0, 1.0]);
//! bounds.push([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]); // touches the first at a corner
//!
//! let mut sweep = ColumnSweep::new();
//! sweep.build(&bounds)?;
//! assert_eq!(sweep.sorted_pairs(&|_, _| true, None)?, [[0, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How it works, from the outside in:
//!
//! 1. Up to 131,072 boxes are one region, which all threads build and scan together.
//! 2. `cuts`: more boxes are divided. Quantiles of a sample cut space into regions of some thirty thousand boxes each,
//!    as a shallow k-d tree does. `partition`: blocks of the input are dealt out to the regions they touch, in
//!    parallel. Such a region is built when it is scanned, by the task that scans it. Only if its boxes are crowded
//!    (`weigh`) is it built before, and its work shared.
//! 3. `grid` and `region`: each region chooses a sweep axis and cuts the other axes into columns by a cost model, then
//!    buckets its boxes by column and by their minimum along the sweep axis (`copies`, `store`). A box is copied into
//!    every column it touches.
//! 4. `split`: if boxes lie so unevenly that a region's grid does not fit them, the region is cut apart along the gaps,
//!    and its parts are built and scanned as regions are.
//! 5. `scan`: each box is tested against those behind it in its column, 4 to 16 at once. What many tasks scan is cut
//!    into `stretches`.
//!
//! No pair is found twice, and no hash is needed: along each axis a box has a "not home" bit in every region, leaf and
//! column but the one that its minimum falls into, and a pair is reported where the two have no such bit in common.
//! Exactly one column holds the larger of the two minima along every axis.

mod bounds;
mod copies;
mod cuts;
mod engine;
mod grid;
mod layers;
mod network;
mod order;
mod paired;
mod partition;
mod record;
mod region;
mod room;
mod sample;
mod scan;
mod split;
mod store;
mod stretches;
mod sweep;
mod weigh;

pub use bounds::{AxisMut, Bounds, BoundsError, MOST_BOXES};
pub use layers::Layers;
pub use order::PairOrder;
pub use paired::{Paired, order_key};
pub use sweep::{ColumnSweep, TooManyPairs};
