//! The pipeline over time: whatever changes between frames, each frame's contacts are those that an engine finds from
//! scratch for the same bodies, bit for bit; and events and data are those of a plain map of pairs.

mod balls;
mod changes;
mod crowd;
mod ended;
mod panics;
mod refusals;
mod resting;
mod sleeping;
