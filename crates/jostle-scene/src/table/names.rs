//! What the columns of result tables are called, in text and in Arrow IPC: one list for writers and readers. (Objects
//! of JSON Lines are read by a struct whose fields have these names: `RowObject` in `read.rs`.)

/// The two bodies.
pub(crate) const A: &str = "a";
pub(crate) const B: &str = "b";

pub(crate) const DISTANCE: &str = "distance";
pub(crate) const WITNESS_A: [&str; 3] = ["ax", "ay", "az"];
pub(crate) const WITNESS_B: [&str; 3] = ["bx", "by", "bz"];
pub(crate) const NORMAL: [&str; 3] = ["nx", "ny", "nz"];
/// Of periodic scenes.
pub(crate) const SHIFT: [&str; 3] = ["sx", "sy", "sz"];

/// The certificate.
pub(crate) const CERTIFICATE: [&str; 4] = [LOWER, UPPER, STATUS, MINIMAL];
pub(crate) const LOWER: &str = "lower";
pub(crate) const UPPER: &str = "upper";
/// Also of a cast.
pub(crate) const STATUS: &str = "status";
pub(crate) const MINIMAL: &str = "minimal";

/// Of an overlap.
pub(crate) const OVERLAP: &str = "overlap";
/// Of a cast.
pub(crate) const TIME: &str = "time";
pub(crate) const POINT: [&str; 3] = ["px", "py", "pz"];
