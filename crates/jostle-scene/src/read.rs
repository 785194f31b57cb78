//! Reading scenes, told apart by what they begin with: text (`read/text.rs`) or Arrow IPC (`arrow.rs`).

mod bodies;
mod place;
mod shapes;
pub(crate) mod text;
pub(crate) mod value;

use std::path::Path;

use crate::arrow;
use crate::error::SceneError;
use crate::form::arrow_form;
use crate::input::{Opened, Source};
use crate::scene::AnyScene;
pub use text::read_shapes;
use text::read_text;

/// Reads a scene file, JSON or Arrow IPC (told apart by content); the path `-` is standard input.
///
/// Arrow IPC is read batch by batch. Where a scene is one batch, its columns are used where they were read to, without
/// a copy (rotations if all are unit quaternions in `f64`, or angles in `f64`).
///
/// # Errors
/// If it cannot be read, or is not a scene: see [`read_scene`].
pub fn read_scene_file(path: &Path) -> Result<AnyScene, SceneError> {
    let opened = Opened::open(path)?;
    let name = opened.name.clone();
    match arrow_form(&name, opened.head())? {
        Some(form) => arrow::read_scene(&name, form, opened.source()),
        None => read_text(&name, &opened.bytes()?),
    }
}

/// Reads a scene, JSON or Arrow IPC (told apart by content); `name` is what messages call it.
///
/// Numbers are the `f64` nearest to what is written. Quaternions are normalised. In Arrow IPC, of the columns that may
/// be left out, a null is the default: no rotation, at rest, all groups, no parent, not static.
///
/// ```
/// let text = br#"{"format": "jostle-scene", "version": 1, "dimension": 2,
///     "shapes": [{"type": "circle", "radius": 0.3}],
///     "bodies": [{"shape": 0, "position": [0, 0]}, {"shape": 1, "position": [1, 0]}]}"#;
/// let error = jostle_scene::read_scene("crowd.json", text).unwrap_err();
/// assert_eq!(error.to_string(), "crowd.json: bodies[1].shape: shape 1 does not exist (there are 1)");
/// ```
///
/// # Errors
/// If there is nothing, the bytes are neither JSON in UTF-8 nor Arrow IPC that this build reads, or they are no scene
/// of format version 1; the error names the JSON path, or for Arrow IPC the batch, the row and the column.
pub fn read_scene(name: &str, bytes: &[u8]) -> Result<AnyScene, SceneError> {
    match arrow_form(name, bytes)? {
        Some(form) => arrow::read_scene(name, form, Source::of(bytes)),
        None => read_text(name, bytes),
    }
}
