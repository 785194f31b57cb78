//! The pipeline over time: whatever happens between frames, each frame's contacts are those that an engine without a
//! memory finds for the same bodies, bit for bit; and events and data are what a plain map of pairs would tell.

mod balls;
mod changes;
mod crowd;
mod ended;
mod refusals;
mod resting;
mod sleeping;
