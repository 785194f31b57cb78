//! Scenes of convex bodies, and what is read and written around them.
//!
//! - [`read_scene`], [`write_scene`], [`write_scene_arrow`]: the scene format, version 1, as JSON or Arrow IPC;
//! - [`TableWriter`], [`read_table`], [`Checksum`]: result tables, one row a pair, as CSV, JSON Lines or Arrow IPC;
//! - [`read_pairs`]: lists of pairs to ask about, among them result tables;
//! - [`read_trajectory`]: recordings of walking people;
//! - [`OutputFile`]: a file that is there whole or not at all.
//!
//! A scene from JSON to Arrow IPC, where its columns are read in place:
//!
//! ```
//! use jostle_scene::{ArrowForm, read_scene, write_scene_arrow};
//!
//! let text = br#"{"format": "jostle-scene", "version": 1, "dimension": 2,
//!     "shapes": [{"type": "circle", "radius": 0.3}],
//!     "bodies": [{"shape": 0, "position": [0, 0]}, {"shape": 0, "position": [1, 0], "group": 2}]}"#;
//! let scene = read_scene("crowd.json", text)?;
//! let mut bytes: Vec<u8> = Vec::new();
//! # #[cfg(feature = "arrow")] {
//! write_scene_arrow(&scene, ArrowForm::File, &mut bytes)?;
//! assert_eq!(read_scene("crowd.arrow", &bytes)?, scene);
//!
//! let error = read_scene("crowd.arrow", &bytes[..bytes.len() - 1]).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "crowd.arrow: the Arrow file ends without its table of contents: it may have been cut off"
//! );
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whatever is read is either right or refused, with the file, the place in it and the reason in one sentence.
//! This crate knows nothing of how distances are found.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(not(feature = "arrow"))]
#[path = "arrow/absent.rs"]
mod arrow;
mod checksum;
mod error;
mod form;
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
mod write_arrow;

pub use checksum::{Checksum, fnv1a};
pub use error::SceneError;
pub use form::ArrowForm;
pub use input::{input_name, path_name, read_input};
pub use output::OutputFile;
pub use pairs::{read_pairs, read_pairs_file};
pub use read::{read_scene, read_scene_file, read_shapes};
pub use scene::{AnyScene, Scene, SceneSpace};
pub use spec::{ShapeSpec, SpecError};
pub use table::{
    CastRow, CellType, Cells, Certificate, OverlapRow, ResultRow, ResultTable, TableColumn, TableFormat, TableLayout,
    TableRow, TableWriter, read_table, read_table_file,
};
pub use trajectory::{Frame, Trajectory, Unit, read_trajectory};
pub use write::{write_scene, write_shapes};
pub use write_arrow::write_scene_arrow;
