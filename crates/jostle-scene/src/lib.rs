//! Scenes of convex bodies, and what is read and written around them.
//!
//! - [`read_scene`], [`write_scene`]: the scene format, JSON, version 1;
//! - [`TableWriter`], [`read_table`], [`Checksum`]: result tables, one row a pair, as CSV or JSON Lines;
//! - [`read_pairs`]: lists of pairs to ask about;
//! - [`read_trajectory`]: recordings of walking people;
//! - [`OutputFile`]: a file that is there whole or not at all.
//!
//! Whatever is read is either right or refused, with the file, the place in it and the reason in one sentence.
//! This crate knows nothing of how distances are found.

mod checksum;
mod error;
pub mod generate;
mod input;
mod number;
mod output;
mod pairs;
mod read;
mod scene;
mod spec;
mod table;
mod trajectory;
mod write;

pub use checksum::Checksum;
pub use error::SceneError;
pub use input::read_input;
pub use output::OutputFile;
pub use pairs::read_pairs;
pub use read::{read_scene, read_scene_file, read_shapes};
pub use scene::{AnyScene, Scene, SceneSpace};
pub use spec::{ShapeSpec, SpecError};
pub use table::{Certificate, ResultRow, ResultTable, TableFormat, TableLayout, TableWriter, read_table};
pub use trajectory::{Frame, Trajectory, Unit, read_trajectory};
pub use write::{write_scene, write_shapes};
