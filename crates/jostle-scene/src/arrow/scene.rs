//! A scene from record batches. A single batch is used where it lies, as far as its types are those of `Bodies`; the
//! columns of several batches are put together, one batch in memory at a time.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, FixedSizeListArray, PrimitiveArray, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Schema};
use jostle::{Bodies, BodyColumns, BodyError, Column, D2, D3, Problem, Shape};

use super::batches::Batches;
use super::place::{NULL, first_null, list, place, same_type, type_name};
use crate::error::{SceneError, escaped, quoted};
use crate::number::shown;
use crate::read::text::{read_lengths, read_shapes};
use crate::read::value::{Number, is_unit, normalise};
use crate::scene::{AnyScene, Scene, SceneSpace};
use crate::spec::{ShapeSpec, SpecError};
use crate::table::names::{A, B};

/// Points and rotations as flat lists of numbers, and back, without copying.
pub(crate) trait FlatSpace: SceneSpace {
    fn points(flat: &[f64]) -> &[Self::Array<f64>];
    fn rotations(flat: &[f64]) -> &[Self::Rotation<f64>];
    fn flat_points(points: &[Self::Array<f64>]) -> &[f64];
    fn flat_rotations(rotations: &[Self::Rotation<f64>]) -> &[f64];
}

macro_rules! flat {
    ($space:ty: $components:literal, $rotation:literal) => {
        impl FlatSpace for $space {
            fn points(flat: &[f64]) -> &[[f64; $components]] {
                flat.as_chunks().0
            }
            fn rotations(flat: &[f64]) -> &[[f64; $rotation]] {
                flat.as_chunks().0
            }
            fn flat_points(points: &[[f64; $components]]) -> &[f64] {
                points.as_flattened()
            }
            fn flat_rotations(rotations: &[[f64; $rotation]]) -> &[f64] {
                rotations.as_flattened()
            }
        }
    };
}
flat!(D2: 2, 1);
flat!(D3: 3, 4);

/// An Arrow buffer that is read as points.
struct ArrowPoints<S>(ScalarBuffer<f64>, std::marker::PhantomData<S>);
/// An Arrow buffer that is read as rotations.
struct ArrowRotations<S>(ScalarBuffer<f64>, std::marker::PhantomData<S>);

impl<S: FlatSpace> AsRef<[S::Array<f64>]> for ArrowPoints<S> {
    fn as_ref(&self) -> &[S::Array<f64>] {
        S::points(&self.0)
    }
}
impl<S: FlatSpace> AsRef<[S::Rotation<f64>]> for ArrowRotations<S> {
    fn as_ref(&self) -> &[S::Rotation<f64>] {
        S::rotations(&self.0)
    }
}

pub(super) const COLUMNS: [&str; 8] =
    ["shape", "position", "rotation", "velocity", "group", "mask", "parent", "static"];
const METADATA: [&str; 5] = ["jostle-format", "jostle-version", "jostle-dimension", "jostle-shapes", "jostle-periodic"];

/// Reads a scene.
pub(super) fn read(batches: Batches<'_>) -> Result<AnyScene, SceneError> {
    let schema = batches.schema();
    match read_head(&batches.name, &schema)? {
        2 => Ok(read_in::<D2>(batches, &schema)?.into()),
        _ => Ok(read_in::<D3>(batches, &schema)?.into()),
    }
}

/// Checks the metadata that say what the data are, and gives the dimension.
fn read_head(name: &str, schema: &Schema) -> Result<u32, SceneError> {
    let refuse = |key: &str, reason: String| Err(SceneError::value(name, format!("metadata {}", escaped(key)), reason));
    for key in schema.metadata().keys() {
        // Other programs may leave theirs.
        if key.starts_with("jostle-") && !METADATA.contains(&key.as_str()) {
            return refuse(key, format!("unknown key (known: {})", METADATA.join(", ")));
        }
    }
    if !schema.metadata().contains_key("jostle-format") && [A, B].iter().all(|name| schema.index_of(name).is_ok()) {
        return Err(SceneError::unreadable(name, "a table of results, where a scene is expected"));
    }
    let value = |key: &'static str| match schema.metadata().get(key) {
        Some(value) => Ok(value.as_str()),
        None => Err(SceneError::unreadable(name, format!("the Arrow schema's metadata lack the key `{key}`"))),
    };
    match value("jostle-format")? {
        "jostle-scene" => {}
        other => return refuse("jostle-format", format!("{} is not `jostle-scene`", quoted(other))),
    }
    match value("jostle-version")? {
        "1" => {}
        other => {
            return refuse("jostle-version", format!("version {} is not known (this reads version 1)", quoted(other)));
        }
    }
    match value("jostle-dimension")? {
        "2" => Ok(2),
        "3" => Ok(3),
        other => refuse("jostle-dimension", format!("{} is neither 2 nor 3", quoted(other))),
    }
}

fn read_in<S: FlatSpace>(mut batches: Batches<'_>, schema: &Schema) -> Result<Scene<S>, SceneError> {
    let name = batches.name.clone();
    let within = |key: &str| format!("{name}: metadata {key}");
    let Some(text) = schema.metadata().get("jostle-shapes") else {
        return Err(SceneError::unreadable(&name, "the Arrow schema's metadata lack the key `jostle-shapes`"));
    };
    let specs: Vec<ShapeSpec<S>> = read_shapes(&within("jostle-shapes"), text.as_bytes())?;
    let mut shapes: Vec<Shape<S>> = Vec::with_capacity(specs.len());
    for (index, spec) in specs.iter().enumerate() {
        let refused = |error: SpecError| {
            SceneError::value(&within("jostle-shapes"), format!("shapes[{index}]"), error.to_string())
        };
        shapes.push(spec.shape().map_err(refused)?);
    }
    let periodic = schema.metadata().get("jostle-periodic");
    let periodic = periodic.map(|text| read_lengths::<S>(&within("jostle-periodic"), text)).transpose()?;

    let places = Places::find::<S>(schema).map_err(|(place, reason)| SceneError::value(&name, place, reason))?;
    let mut gathered = Gathered::<S> { name: name.clone(), starts: Vec::new(), columns: BodyColumns::default() };
    while let Some(batch) = batches.next()? {
        gathered.add(&places, &batch)?;
    }
    let (starts, columns) = (gathered.starts, gathered.columns);
    let bodies = Bodies::from_columns(shapes, columns).map_err(|error| refusal(&name, &starts, &error))?;
    Ok(Scene { shapes: specs, bodies, pairs: None, periodic })
}

/// Which column of a batch is which of ours.
#[derive(Default)]
struct Places([Option<usize>; COLUMNS.len()]);

impl Places {
    /// Finds the columns by their names and checks their types.
    fn find<S: SceneSpace>(schema: &Schema) -> Result<Self, (String, String)> {
        let mut places = Self::default();
        for (index, field) in schema.fields().iter().enumerate() {
            let found = field.name().as_str();
            let at = || format!("column {}", quoted(found));
            let Some(column) = COLUMNS.iter().position(|name| *name == found) else {
                return Err((at(), format!("is not known (known: {})", COLUMNS.join(", "))));
            };
            let expected = expected::<S>(COLUMNS[column]);
            if !expected.iter().any(|expected| same_type(expected, field.data_type())) {
                let wanted: Vec<String> = expected.iter().map(type_name).collect();
                let reason = format!("is of type {} instead of {}", type_name(field.data_type()), wanted.join(" or "));
                return Err((at(), reason));
            }
            if places.0[column].replace(index).is_some() {
                return Err((at(), "stands twice".to_owned()));
            }
        }
        for required in ["shape", "position"] {
            if places.index(required).is_none() {
                return Err((String::new(), format!("the column `{required}` is missing")));
            }
        }
        Ok(places)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.0[COLUMNS.iter().position(|column| *column == name)?]
    }

    /// A column of a batch, with its name.
    fn of<'b>(&self, batch: &'b RecordBatch, name: &'static str) -> Option<(&'static str, &'b ArrayRef)> {
        Some((name, batch.column(self.index(name)?)))
    }
}

/// The types that a column may have.
fn expected<S: SceneSpace>(column: &str) -> Vec<DataType> {
    match column {
        "position" | "velocity" => vec![list(DataType::Float64, S::DIMENSION)],
        "rotation" if S::ROTATION_LEN == 1 => vec![DataType::Float64, DataType::Float32],
        "rotation" => vec![list(DataType::Float64, S::ROTATION_LEN), list(DataType::Float32, S::ROTATION_LEN)],
        "static" => vec![DataType::Boolean],
        _ => vec![DataType::UInt32],
    }
}

/// A value of a column that is wrong: the row in its batch, the component where there are several, and the reason.
struct WrongValue {
    row: usize,
    component: Option<usize>,
    reason: String,
}

impl WrongValue {
    fn null(row: usize, component: Option<usize>) -> Self {
        Self { row, component, reason: NULL.to_owned() }
    }
}

/// The columns of all batches so far.
struct Gathered<S: FlatSpace> {
    name: String,
    /// The first body of each batch.
    starts: Vec<usize>,
    columns: BodyColumns<S>,
}

impl<S: FlatSpace> Gathered<S> {
    fn add(&mut self, places: &Places, batch: &RecordBatch) -> Result<(), SceneError> {
        let number = self.starts.len();
        self.starts.push(self.columns.shape.len());
        let at = |column| {
            let name = &self.name;
            move |wrong: WrongValue| {
                SceneError::value(name, place(number, wrong.row, column, wrong.component), wrong.reason)
            }
        };
        let columns = &mut self.columns;
        for (name, into) in [("shape", &mut columns.shape), ("group", &mut columns.group), ("mask", &mut columns.mask)]
        {
            if let Some((name, array)) = places.of(batch, name) {
                let default = if name == "shape" { None } else { Some(u32::MAX) };
                gather_bits(into, array.as_primitive(), default).map_err(at(name))?;
            }
        }
        if let Some((name, array)) = places.of(batch, "position") {
            gather_points::<S>(&mut columns.position, array.as_fixed_size_list(), None).map_err(at(name))?;
        }
        if let Some((name, array)) = places.of(batch, "velocity") {
            gather_points::<S>(&mut columns.velocity, array.as_fixed_size_list(), Some(S::array(|_| 0.0)))
                .map_err(at(name))?;
        }
        if let Some((name, array)) = places.of(batch, "rotation") {
            gather_rotations::<S>(&mut columns.rotation, array).map_err(at(name))?;
        }
        if let Some((_, array)) = places.of(batch, "parent") {
            columns.parent.to_mut().extend(array.as_primitive::<UInt32Type>());
        }
        if let Some((_, array)) = places.of(batch, "static") {
            columns.fixed.to_mut().extend(array.as_boolean().iter().map(|fixed| fixed.unwrap_or(false)));
        }
        Ok(())
    }
}

/// Adds a column in shared memory to what is there: the first is used where it lies, a second has both copied.
fn append<T: Copy>(into: &mut Column<T>, more: impl AsRef<[T]> + Send + Sync + 'static) {
    if into.is_empty() {
        *into = Column::shared(more);
    } else {
        into.to_mut().extend_from_slice(more.as_ref());
    }
}

/// Indices or bits; a null is the default, if there is one.
fn gather_bits(
    into: &mut Column<u32>,
    array: &PrimitiveArray<UInt32Type>,
    default: Option<u32>,
) -> Result<(), WrongValue> {
    match (first_null(array.nulls()), default) {
        (None, _) => append(into, array.values().clone()),
        (Some(_), Some(default)) => into.to_mut().extend(array.iter().map(|value| value.unwrap_or(default))),
        (Some(row), None) => return Err(WrongValue::null(row, None)),
    }
    Ok(())
}

/// The numbers of a column of lists, and which of its rows are null. A null in a list is refused, unless the row is
/// null.
fn numbers<T: ArrowPrimitiveType>(array: &FixedSizeListArray) -> Result<ScalarBuffer<T::Native>, WrongValue> {
    let length = array.value_length() as usize;
    let values = array.values().as_primitive::<T>();
    if let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) {
        let row_counts = |index: &usize| array.is_valid(index / length);
        if let Some(index) = (0..array.len() * length).filter(row_counts).find(|&index| nulls.is_null(index)) {
            return Err(WrongValue::null(index / length, Some(index % length)));
        }
    }
    Ok(values.values().slice(0, array.len() * length))
}

/// Positions or velocities; a null is the default, if there is one.
fn gather_points<S: FlatSpace>(
    into: &mut Column<S::Array<f64>>,
    array: &FixedSizeListArray,
    default: Option<S::Array<f64>>,
) -> Result<(), WrongValue> {
    let flat = numbers::<Float64Type>(array)?;
    match (first_null(array.nulls()), default) {
        (None, _) => append(into, ArrowPoints::<S>(flat, std::marker::PhantomData)),
        (Some(_), Some(default)) => {
            let points = S::points(&flat).iter().enumerate();
            into.to_mut().extend(points.map(|(row, point)| if array.is_null(row) { default } else { *point }));
        }
        (Some(row), None) => return Err(WrongValue::null(row, None)),
    }
    Ok(())
}

/// Rotations, as unit quaternions or angles; a null is none.
fn gather_rotations<S: FlatSpace>(into: &mut Column<S::Rotation<f64>>, array: &ArrayRef) -> Result<(), WrongValue> {
    let (flat, single) = match (S::ROTATION_LEN, array.data_type()) {
        (1, DataType::Float64) => (array.as_primitive::<Float64Type>().values().clone(), false),
        (1, _) => (widened(array.as_primitive::<Float32Type>().values()), true),
        (_, DataType::FixedSizeList(field, _)) if field.data_type() == &DataType::Float64 => {
            (numbers::<Float64Type>(array.as_fixed_size_list())?, false)
        }
        _ => (widened(&numbers::<Float32Type>(array.as_fixed_size_list())?), true),
    };
    let as_they_are = S::ROTATION_LEN == 1 || S::rotations(&flat).iter().all(|rotation| is_unit(rotation.as_ref()));
    if array.null_count() == 0 && as_they_are && !single {
        append(into, ArrowRotations::<S>(flat, std::marker::PhantomData));
        return Ok(());
    }
    let rotations = into.to_mut();
    for (row, rotation) in S::rotations(&flat).iter().enumerate() {
        let mut rotation = *rotation;
        if array.is_null(row) {
            rotation = S::identity_rotation();
        } else if S::ROTATION_LEN > 1 {
            normalise(rotation.as_mut()).map_err(|reason| WrongValue { row, component: None, reason })?;
        }
        rotations.push(rotation);
    }
    Ok(())
}

fn widened(values: &[f32]) -> ScalarBuffer<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

/// What the columns were refused for, in the words of the reader of JSON.
fn refusal(name: &str, starts: &[usize], error: &BodyError) -> SceneError {
    let BodyError::Body { body, problem } = error else { return SceneError::unreadable(name, error.to_string()) };
    // Of batches that begin at one body all but the last are empty.
    let batch = starts.partition_point(|start| start <= body).saturating_sub(1);
    let number = |value| Number::Coordinate.check(value).err().unwrap_or_default();
    let (column, component, reason) = match problem {
        Problem::MissingShape { .. } => ("shape", None, problem.to_string()),
        Problem::Position { axis, value } => ("position", Some(*axis), number(*value)),
        Problem::Velocity { axis, value } => ("velocity", Some(*axis), number(*value)),
        Problem::Angle(angle) => ("rotation", None, format!("{} is not a finite number", shown(*angle))),
        Problem::Norm(_) => ("rotation", None, problem.to_string()),
    };
    SceneError::value(name, place(batch, body - starts[batch], column, component), reason)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use jostle::Body;

    use super::*;
    use crate::{ArrowForm, write_scene_arrow};

    #[test]
    fn a_single_batch_is_used_where_it_lies() {
        let mut scene = Scene::<D3>::new();
        let ball = scene.add_shape(ShapeSpec::Ball { radius: 1.0 }).unwrap();
        for x in 0..100 {
            let body = Body::new(ball, [f64::from(x), 0.0, 0.0]).with_velocity([1.0, 0.0, f64::from(x)]);
            scene.bodies.push(body.with_rotation([0.0, 0.6, 0.0, -0.8]).with_group(1).with_mask(3)).unwrap();
        }
        let mut bytes = Vec::new();
        write_scene_arrow(&scene.clone().into(), ArrowForm::File, &mut bytes).unwrap();
        let mut file = Cursor::new(bytes);
        let mut batches = Batches::of_file("scene", &mut file).unwrap();
        let places = Places::find::<D3>(&batches.schema()).unwrap();
        let batch = batches.next().unwrap().unwrap();
        let start = Vec::new();
        let mut gathered = Gathered::<D3> { name: "scene".to_owned(), starts: start, columns: BodyColumns::default() };
        gathered.add(&places, &batch).unwrap();
        let bodies = Bodies::from_columns(scene.bodies.shapes().to_vec(), gathered.columns).unwrap();
        assert_eq!(bodies, scene.bodies);

        let numbers = |name: &str| {
            let list = batch.column_by_name(name).unwrap().as_fixed_size_list();
            list.values().as_primitive::<Float64Type>().values().as_ptr()
        };
        let bits = |name: &str| batch.column_by_name(name).unwrap().as_primitive::<UInt32Type>().values().as_ptr();
        let columns = bodies.columns();
        let jostle::Rotations::Double(rotations) = columns.rotations() else { panic!("not turned") };
        assert_eq!(columns.shape_indices().as_ptr(), bits("shape"));
        assert_eq!(columns.positions().as_ptr().cast(), numbers("position"));
        assert_eq!(rotations.as_ptr().cast(), numbers("rotation"));
        assert_eq!(bodies.velocities().as_ptr().cast(), numbers("velocity"));
        assert_eq!(columns.filters().group.as_ptr(), bits("group"));
        assert_eq!(columns.filters().mask.as_ptr(), bits("mask"));
    }
}
