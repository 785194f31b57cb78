//! Arrow IPC: the columns of large scenes and of results, as other programs keep them.
//!
//! `batches.rs` turns a file or a stream into record batches, each checked by `guard.rs` before the library sees it;
//! `scene.rs`, `rows.rs` and `pairs.rs` read scenes, results and the pairs of results from batches, `write.rs` and
//! `table.rs` write them.
//!
//! Nothing is copied that need not be. A batch is read in one piece into aligned memory, and where a scene is a single
//! batch whose types are ours, its columns are used where they lie. Files are read, not mapped: mapped memory changes
//! under the reader when another program writes to the file, and everything here is checked only once.
//!
//! Batches and rows are counted from 0, as everywhere in Arrow.

mod batches;
mod guard;
mod pairs;
mod place;
mod rows;
mod scene;
mod table;
mod words;
mod write;

use std::io::{Cursor, Read};

use crate::error::SceneError;
use crate::form::ArrowForm;
use crate::input::{Source, unreadable};
use crate::scene::AnyScene;
use crate::table::result::ResultTable;
use batches::Batches;

pub(crate) use scene::FlatSpace;
pub(crate) use table::TableSink;
pub(crate) use write::{NeededColumns, SceneSink, write_scene};

/// Reads a scene; it was told by its first bytes that it is one of these forms.
pub(crate) fn read_scene(name: &str, form: ArrowForm, source: Source<'_>) -> Result<AnyScene, SceneError> {
    with_batches(name, form, source, scene::read)
}

/// Reads a result table likewise.
pub(crate) fn read_table(name: &str, form: ArrowForm, source: Source<'_>) -> Result<ResultTable, SceneError> {
    with_batches(name, form, source, rows::read)
}

/// Reads the pairs that a result table names likewise; there are so many bodies.
pub(crate) fn read_pairs(
    name: &str,
    form: ArrowForm,
    source: Source<'_>,
    bodies: usize,
) -> Result<Vec<[u32; 2]>, SceneError> {
    with_batches(name, form, source, |batches| pairs::read(batches, bodies))
}

fn with_batches<T>(
    name: &str,
    form: ArrowForm,
    source: Source<'_>,
    read: impl FnOnce(Batches<'_>) -> Result<T, SceneError>,
) -> Result<T, SceneError> {
    match (form, source) {
        (ArrowForm::File, Source::Seekable(mut file)) => read(Batches::of_file(name, &mut *file)?),
        // The table of contents stands at the end.
        (ArrowForm::File, Source::Sequential(mut pipe)) => {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
            read(Batches::of_file(name, &mut Cursor::new(bytes))?)
        }
        (ArrowForm::Stream, Source::Seekable(mut file)) => read(Batches::of_stream(name, &mut *file)?),
        (ArrowForm::Stream, Source::Sequential(mut pipe)) => read(Batches::of_stream(name, &mut *pipe)?),
    }
}
