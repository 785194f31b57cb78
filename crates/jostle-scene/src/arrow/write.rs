//! Scenes and record batches on their way out.

use std::io::{self, Write};
use std::ops::{BitOrAssign, Range};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, FixedSizeListArray, Float64Array, RecordBatch, UInt32Array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use jostle::{Bodies, Rotations};

use super::place::list;
use super::scene::{COLUMNS, FlatSpace};
use crate::form::ArrowForm;
use crate::scene::{AnyScene, Scene};
use crate::spec::ShapeSpec;
use crate::write::{push_list, same_count, write_shapes};

/// How many rows a batch has: few enough to be nothing beside a large scene, enough for the batch's own head not to
/// count.
pub(super) const BATCH: usize = 1 << 16;

/// Where batches go.
pub(super) enum BatchWriter<W: Write> {
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
}

impl<W: Write> BatchWriter<W> {
    pub(super) fn new(out: W, form: ArrowForm, schema: &Schema) -> io::Result<Self> {
        match form {
            ArrowForm::File => FileWriter::try_new(out, schema).map(Self::File),
            ArrowForm::Stream => StreamWriter::try_new(out, schema).map(Self::Stream),
        }
        .map_err(writing)
    }
    pub(super) fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Self::File(writer) => writer.write(batch),
            Self::Stream(writer) => writer.write(batch),
        }
        .map_err(writing)
    }
    /// Writes what belongs after the last batch.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Self::File(writer) => writer.into_inner(),
            Self::Stream(writer) => writer.into_inner(),
        }
        .map_err(writing)
    }
}

/// An error of the library while writing: what the system said, where that is the cause.
pub(super) fn writing(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

/// Which of the columns that may be left out are needed.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one flag per column is what it is")]
pub(crate) struct NeededColumns {
    rotation: bool,
    velocity: bool,
    group: bool,
    mask: bool,
    parent: bool,
    fixed: bool,
}

impl NeededColumns {
    pub(crate) fn of<S: FlatSpace>(bodies: &Bodies<S>) -> Self {
        let (columns, filters) = (bodies.columns(), bodies.columns().filters());
        Self {
            rotation: !matches!(columns.rotations(), Rotations::Identity),
            velocity: S::flat_points(bodies.velocities()).iter().any(|&x| x != 0.0),
            group: !filters.group.is_empty(),
            mask: !filters.mask.is_empty(),
            parent: !filters.parent.is_empty(),
            fixed: !filters.fixed.is_empty(),
        }
    }
    fn column(self, name: &str) -> bool {
        match name {
            "rotation" => self.rotation,
            "velocity" => self.velocity,
            "group" => self.group,
            "mask" => self.mask,
            "parent" => self.parent,
            "static" => self.fixed,
            _ => true,
        }
    }
}

impl BitOrAssign for NeededColumns {
    fn bitor_assign(&mut self, other: Self) {
        self.rotation |= other.rotation;
        self.velocity |= other.velocity;
        self.group |= other.group;
        self.mask |= other.mask;
        self.parent |= other.parent;
        self.fixed |= other.fixed;
    }
}

/// Writes a scene.
pub(crate) fn write_scene<W: Write>(scene: &AnyScene, form: ArrowForm, out: W) -> io::Result<()> {
    match scene {
        AnyScene::Plane(scene) => write_in(scene, form, out),
        AnyScene::Space(scene) => write_in(scene, form, out),
    }
}

fn write_in<S: FlatSpace, W: Write>(scene: &Scene<S>, form: ArrowForm, out: W) -> io::Result<()> {
    if scene.pairs.is_some() {
        let message = "Arrow IPC has no place for a scene's pairs: set them aside, and ask about them with --pairs";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    same_count(scene)?;
    let mut sink = SceneSink::new(out, form, &scene.shapes, scene.periodic.as_ref(), NeededColumns::of(&scene.bodies))?;
    sink.add(&scene.bodies)?;
    sink.finish()
}

/// A scene whose bodies come piece by piece.
pub(crate) struct SceneSink<W: Write> {
    writer: BatchWriter<W>,
    schema: SchemaRef,
}

impl<W: Write> SceneSink<W> {
    /// Writes the shapes; what the bodies will need must be known.
    pub(crate) fn new<S: FlatSpace>(
        out: W,
        form: ArrowForm,
        shapes: &[ShapeSpec<S>],
        periodic: Option<&S::Array<f64>>,
        needs: NeededColumns,
    ) -> io::Result<Self> {
        let kind = |name: &str| match name {
            "position" | "velocity" => list(DataType::Float64, S::DIMENSION),
            "rotation" if S::ROTATION_LEN == 1 => DataType::Float64,
            "rotation" => list(DataType::Float64, S::ROTATION_LEN),
            "static" => DataType::Boolean,
            _ => DataType::UInt32,
        };
        let columns = COLUMNS.into_iter().filter(|name| needs.column(name));
        let fields: Vec<Field> = columns.map(|name| Field::new(name, kind(name), name == "parent")).collect();
        let mut text = Vec::new();
        write_shapes(shapes, &mut text)?;
        let mut metadata = vec![
            ("jostle-format", b"jostle-scene".to_vec()),
            ("jostle-version", b"1".to_vec()),
            ("jostle-dimension", S::DIMENSION.to_string().into_bytes()),
            ("jostle-shapes", text),
        ];
        if let Some(lengths) = periodic {
            let mut text = Vec::new();
            push_list(&mut text, "", lengths.as_ref());
            metadata.push(("jostle-periodic", text));
        }
        let text = |bytes| String::from_utf8(bytes).map_err(io::Error::other);
        let metadata: io::Result<std::collections::HashMap<_, _>> =
            metadata.into_iter().map(|(key, value)| Ok((key.to_owned(), text(value)?))).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata?));
        Ok(Self { writer: BatchWriter::new(out, form, &schema)?, schema })
    }

    /// Writes bodies, in batches.
    pub(crate) fn add<S: FlatSpace>(&mut self, bodies: &Bodies<S>) -> io::Result<()> {
        for start in (0..bodies.len()).step_by(BATCH) {
            let rows = start..(start + BATCH).min(bodies.len());
            let columns: Vec<ArrayRef> =
                self.schema.fields().iter().map(|field| column(bodies, field, rows.clone())).collect();
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(writing)?;
            self.writer.write(&batch)?;
        }
        Ok(())
    }

    /// Writes what belongs after the last body.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.writer.finish()?.flush()
    }
}

/// Some rows of a column of the file; the default where the bodies have no such column.
fn column<S: FlatSpace>(bodies: &Bodies<S>, field: &Field, rows: Range<usize>) -> ArrayRef {
    let (columns, filters) = (bodies.columns(), bodies.columns().filters());
    let bits = |values: &[u32]| -> ArrayRef {
        match values.get(rows.clone()) {
            Some(values) => Arc::new(UInt32Array::new(copied(values), None)),
            None => Arc::new(UInt32Array::from_value(u32::MAX, rows.len())),
        }
    };
    match field.name().as_str() {
        "shape" => bits(columns.shape_indices()),
        "position" => numbers(field, S::flat_points(&columns.positions()[rows])),
        "velocity" => numbers(field, S::flat_points(&bodies.velocities()[rows])),
        "rotation" => match columns.rotations() {
            Rotations::Double(rotations) => numbers(field, S::flat_rotations(&rotations[rows])),
            Rotations::Identity => numbers(field, S::flat_rotations(&vec![S::identity_rotation(); rows.len()])),
            Rotations::Single(_) => unreachable!("bodies keep their rotations in double precision"),
        },
        "group" => bits(filters.group),
        "mask" => bits(filters.mask),
        "parent" => match filters.parent.get(rows.clone()) {
            Some(parents) => Arc::new(parents.iter().copied().collect::<UInt32Array>()),
            None => Arc::new(UInt32Array::new_null(rows.len())),
        },
        _ => match filters.fixed.get(rows.clone()) {
            Some(fixed) => Arc::new(BooleanArray::from(fixed.to_vec())),
            None => Arc::new(BooleanArray::from(vec![false; rows.len()])),
        },
    }
}

fn copied<T: arrow_buffer::ArrowNativeType>(values: &[T]) -> ScalarBuffer<T> {
    ScalarBuffer::new(Buffer::from_slice_ref(values), 0, values.len())
}

/// A column of numbers, or of lists of them.
fn numbers(field: &Field, flat: &[f64]) -> ArrayRef {
    let values = Arc::new(Float64Array::new(copied(flat), None));
    match field.data_type() {
        DataType::FixedSizeList(element, length) => {
            Arc::new(FixedSizeListArray::new(Arc::clone(element), *length, values, None))
        }
        _ => values,
    }
}
