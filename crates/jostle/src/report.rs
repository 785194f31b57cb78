//! What a query reports about itself.

use std::time::Duration;

/// Where a query's time went and how many pairs it looked at.
///
/// `sweep` and `narrowphase` are summed over threads, the other times are wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many bodies there were.
    pub bodies: usize,
    /// Pairs whose bounds overlap and whose filters let them meet; where all bodies are balls, or many are long and
    /// fill little of their bounds, mostly only those of them that are not clearly beyond the margin.
    pub candidates: u64,
    /// Pairs within the margin.
    pub rows: u64,
    /// Pairs that `f64` had to decide, among those whose distance was computed: some of those that are clearly beyond
    /// the margin are not among these, and how many varies a little with the number of threads.
    pub rescued: u64,
    /// Making the bodies' bounds and records.
    pub bounds: Duration,
    /// Distributing the bounds to regions.
    pub build: Duration,
    /// Sorting regions into columns and finding candidate pairs.
    pub sweep: Duration,
    /// Ruling pairs out; distances, normals, witness points.
    pub narrowphase: Duration,
    /// Bringing candidates, or rows, into order.
    pub ordering: Duration,
}
